//===- Protocol.h - Proof that roles and barriers fit together ------------===//
//
// Roles as trees of events on channels, without IR. A channel couples rings of
// `depth` slots with a full and an empty barrier per slot; one role fills, one
// or several read.
//
//   A  Grammar, per role and channel: slots and parities are executed exactly,
//      control is left open. No slot is touched that is not held, no barrier
//      gets too many arrivals, one parity bit is enough.
//   C  Joint walk over all roles: they meet at decisions on equal values, and
//      only how far each side is ahead is kept. No deadlock, and nothing is
//      left over.
//   D  Private buffers that asynchronous stores read.
//
// A verdict holds for all trip counts and guards. `docs/Rationale/Protocol.md`
// gives the argument.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_PROTOCOL_H
#define TILE_PROTOCOL_H

#include "Support/Arena.h"
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

//===-- Scalars -----------------------------------------------------------===//

/// An index into TileProtocol.scalars.
typedef int TileProtocolScalarId;

typedef enum {
  /// Defined outside the roles, or not understood; equal to itself only, and
  /// only where `is_shared`.
  TILE_PROTOCOL_OPAQUE,
  TILE_PROTOCOL_CONST,  // `constant`
  TILE_PROTOCOL_OP,     // `function` of `args`
  TILE_PROTOCOL_IV,     // induction variable of `node`
  TILE_PROTOCOL_ARG,    // loop argument `index` of `node`
  TILE_PROTOCOL_AFTER,  // scf.while: argument `index` of the second region
  TILE_PROTOCOL_RESULT, // result `index` of `node`
  /// What the last ASSIGN to it gave; of role `index`.
  TILE_PROTOCOL_VARIABLE,
} TileProtocolScalarKind;

/// Functions that the proof can compute. Others are numbers from
/// TILE_PROTOCOL_FN_OTHER on: equal numbers are equal functions.
typedef enum {
  TILE_PROTOCOL_FN_ADVANCE_SLOT,   // (slot), depth in `constant`
  TILE_PROTOCOL_FN_ADVANCE_PARITY, // (slot, parity), depth in `constant`
  TILE_PROTOCOL_FN_ADD,
  TILE_PROTOCOL_FN_SUB,
  TILE_PROTOCOL_FN_MUL,
  TILE_PROTOCOL_FN_DIV, // of numbers that are not negative
  TILE_PROTOCOL_FN_REM, // the same
  TILE_PROTOCOL_FN_AND,
  TILE_PROTOCOL_FN_XOR,
  TILE_PROTOCOL_FN_OR,
  TILE_PROTOCOL_FN_SHL, // by less than 31
  TILE_PROTOCOL_FN_SHR, // the same, of numbers that are not negative
  TILE_PROTOCOL_FN_MIN, // signed, as all but the U forms below
  TILE_PROTOCOL_FN_MAX,
  TILE_PROTOCOL_FN_CEILDIV,
  TILE_PROTOCOL_FN_EQ,
  TILE_PROTOCOL_FN_NE,
  TILE_PROTOCOL_FN_LT,
  TILE_PROTOCOL_FN_LE,
  TILE_PROTOCOL_FN_GT,
  TILE_PROTOCOL_FN_GE,
  TILE_PROTOCOL_FN_ULT,
  TILE_PROTOCOL_FN_ULE,
  TILE_PROTOCOL_FN_UGT,
  TILE_PROTOCOL_FN_UGE,
  TILE_PROTOCOL_FN_SELECT,
  TILE_PROTOCOL_FN_CAST, // same number, other type
  TILE_PROTOCOL_FN_OTHER,
} TileProtocolFunction;

struct TileProtocolNode;

typedef struct {
  TileProtocolScalarKind kind;
  bool is_shared; // OPAQUE: the same value in all roles
  bool is_fixed;  // OPAQUE: the same value in the whole run
  bool is_free;   // not computed, and may have any value, as memory has
  int function;
  int64_t constant;
  int num_args;
  TileProtocolScalarId *args;
  const struct TileProtocolNode *node;
  int index;
} TileProtocolScalar;

//===-- Events and control ------------------------------------------------===//

typedef enum {
  TILE_PROTOCOL_WAIT,         // on `side` of `slot` for `parity`
  TILE_PROTOCOL_ARRIVE,       // `count` arrivals, and `expected_bytes`
  TILE_PROTOCOL_ARRIVE_ASYNC, // the same, when the cp.async before it are done
  TILE_PROTOCOL_FILL,         // writes `cells` of `slot`
  TILE_PROTOCOL_READ,         // one op that reads slots: `reads`
  TILE_PROTOCOL_AWAIT,        // all but the last `count` product groups
  TILE_PROTOCOL_FENCE,        // proxy fence
  TILE_PROTOCOL_WRITE,        // stores to private buffer `buffer`
  TILE_PROTOCOL_STORE,        // asynchronous store out of `buffer`
  TILE_PROTOCOL_STORE_WAIT,   // until all but the last `count` have read
  TILE_PROTOCOL_COPY_WAIT,    // until all cp.async of the role are done
  TILE_PROTOCOL_TURN,         // `is_begin`: waits for the turn; else hands on
  TILE_PROTOCOL_COMMIT,       // closes a group of cp.async
  TILE_PROTOCOL_SYNC,         // all threads that take part in `sync` meet
  TILE_PROTOCOL_ASSIGN,       // VARIABLE `to` becomes `from`
  TILE_PROTOCOL_IF,
  TILE_PROTOCOL_FOR,
  TILE_PROTOCOL_WHILE,
} TileProtocolNodeKind;

typedef enum { TILE_PROTOCOL_FULL, TILE_PROTOCOL_EMPTY } TileProtocolSide;

typedef enum {
  TILE_PROTOCOL_BY_TMA,      // counts bytes on the full barrier of `bar_slot`
  TILE_PROTOCOL_BY_CP_ASYNC, // until ARRIVE_ASYNC
  TILE_PROTOCOL_BY_STORES,   // until ARRIVE
} TileProtocolFillKind;

/// Which threads of a role execute an event (of TileBarrierProgram only).
typedef enum {
  TILE_PROTOCOL_ALL_THREADS,
  TILE_PROTOCOL_ALL_WARPS, // one thread of each, when its warp has met
  TILE_PROTOCOL_LEADER,
} TileProtocolThreads;

/// Cells of a slot that an op reads. Cells are parts of a slot, one bit each.
typedef struct {
  int channel;
  TileProtocolScalarId slot;
  uint64_t cells;
} TileProtocolRead;

enum { TILE_PROTOCOL_MAX_READS = 4 };

typedef struct {
  struct TileProtocolNode **nodes;
  int num_nodes;
} TileProtocolBlock;

/// Scalars that control flow binds: loop arguments from `inits`, then from
/// `yields`; results from `yields` of a branch or of the last iteration.
typedef struct TileProtocolNode {
  TileProtocolNodeKind kind;
  const void *origin; // what the caller knows it by, for messages

  // Events
  int channel; // -1: none
  TileProtocolSide side;
  TileProtocolScalarId slot, parity;
  int count;
  bool covers_stores; // ARRIVE: by the threads that stored, after they did
  bool is_alone; // ARRIVE: by one thread, wherever the others of its role are
  TileProtocolFillKind fill;
  TileProtocolScalarId bar_slot;
  int64_t expected_bytes; // ARRIVE: that the phase waits for beside arrivals
  int64_t copied_bytes;   // FILL by TMA: 0 where nothing is expected
  uint64_t cells;         // that are filled
  TileProtocolRead reads[TILE_PROTOCOL_MAX_READS];
  int num_reads;
  bool is_group; // READ: asynchronous, one product group more in flight
  bool is_async; // READ: by the async proxy
  bool is_store; // READ: an asynchronous store reads until STORE_WAIT
  int buffer;    // from 0 to 63
  bool is_begin; // TURN
  // Of programs on barriers without channels (TileBarrierProgram).
  TileProtocolThreads threads;
  int barrier;                   // FILL by TMA: the row it signals, else -1
  int sync;                      // SYNC
  TileProtocolScalarId to, from; // ASSIGN

  // IF: condition, blocks[0] then, blocks[1] else. FOR: bounds, blocks[0].
  // WHILE: blocks[0] before (with condition, `passed` on), blocks[1] after.
  TileProtocolScalarId condition, lower, upper, step;
  TileProtocolScalarId iv;
  bool is_unsigned; // FOR: the bounds are unsigned numbers
  int num_values;   // loop arguments, or results of an IF
  TileProtocolScalarId *inits, *args, *results;
  TileProtocolScalarId *yields[2]; // IF: of both branches; loops: [0]
  int num_passed;                  // WHILE; the results are of this number
  TileProtocolScalarId *passed, *after;
  TileProtocolBlock blocks[2];
} TileProtocolNode;

//===-- The whole ---------------------------------------------------------===//

enum { TILE_PROTOCOL_MAX_ROLES = 8, TILE_PROTOCOL_MAX_DEPTH = 64 };

typedef struct {
  const char *name;
  int depth;
  int full_count, empty_count;   // arrivals that end a phase
  int producer;                  // role
  int num_sharers;               // ping-pong roles that share the rounds; or 0
  const char *const *cell_names; // of 64 cells, for messages; or NULL
  /// Arrivals of each role on the empty barrier per round; 0: does not read.
  int reader_share[TILE_PROTOCOL_MAX_ROLES];
} TileProtocolChannel;

typedef struct {
  const char *name;
  bool takes_turns; // ping-pong roles may share the rounds of a channel
  /// Warpgroups that take turns, numbered over all roles in order.
  int first_turn, num_turns;
  TileProtocolBlock body;
} TileProtocolRole;

typedef struct {
  TileProtocolScalar *scalars;
  int num_scalars;
  TileProtocolChannel *channels;
  int num_channels;
  TileProtocolRole roles[TILE_PROTOCOL_MAX_ROLES];
  int num_roles;
  bool is_of_rows;  // channels are rows of mbarriers that no channel has
  bool is_of_block; // and the one role is the block
} TileProtocol;

//===-- Counterexample ----------------------------------------------------===//

/// How a decision goes: trips of a loop, 1 or 0 for a guard.
typedef struct {
  const TileProtocolNode *node;
  int64_t count;
} TileProtocolChoice;

/// One event of a schedule.
typedef struct {
  int role; // -1: what `node` issued is done
  const TileProtocolNode *node;
  int channel, slot;
  int parity; // WAIT
  bool waits; // for ever
} TileProtocolMove;

/// A run that goes wrong: how the decisions go, at most a few of them, and the
/// events in order. The last one is the fault; of a deadlock, the last ones are
/// the waits that all roles stand at.
typedef struct {
  const char *code; // "deadlock", "overwritten"
  char text[160];
  const TileProtocolNode *fault;
  int role, channel;
  TileProtocolMove *moves;
  int num_moves;
  TileProtocolChoice *choices;
  int num_choices;
} TileProtocolSchedule;

/// How far counterexamples are looked for. The result depends on nothing else.
typedef struct {
  int64_t max_runs;   // words of decisions; 0: none
  int64_t max_states; // of all schedules of all runs
} TileProtocolLimits;

//===-- Verdict -----------------------------------------------------------===//

typedef enum {
  TILE_PROTOCOL_PROVED,
  TILE_PROTOCOL_REJECTED, // a rule is broken in a run that was found
  TILE_PROTOCOL_UNKNOWN,  // neither proved nor shown wrong
} TileProtocolOutcome;

typedef struct {
  TileProtocolOutcome outcome;
  const char *code; // "slot-or-parity": stable; NULL when proved
  char text[320];   // one sentence with slot, parity and state
  int role, channel;
  const TileProtocolNode *node;  // or NULL
  const TileProtocolNode *other; // in another role, or NULL
  bool is_private;               // of buffers that only one role has
  int64_t num_states;            // effort
  /// Of a rejection: how often a loop runs in a run that goes wrong, or NULL.
  const TileProtocolNode *witness_loop;
  int64_t witness_trips;
  /// The shortest one of the smallest run that goes wrong; or NULL. Of what is
  /// unknown: one that goes wrong if the values it needs can be.
  const TileProtocolSchedule *schedule;
  int64_t num_runs; // that were executed in search of it
} TileProtocolVerdict;

/// Judges a protocol. What is not proved is searched for counterexamples within
/// `limits`. Memory comes from `arena`, also that of the schedule.
void tile_protocol_verify(const TileProtocol *protocol,
                          const TileProtocolLimits *limits, TileArena *arena,
                          TileProtocolVerdict *out_verdict);

#ifdef __cplusplus
}
#endif

#endif // TILE_PROTOCOL_H
