//===- Program.h - What the threads of a kernel do, without IR ------------===//
//
// Roles, or the block where there are none, as code on mbarriers and shared
// tiles: events, and decisions between them. A row is an array of mbarriers, a
// window a part of a shared tile; both have slots. Numbers are scalars: trees
// of functions of what control flow binds and of what comes from outside.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_PROOF_PROGRAM_H
#define TILE_PROOF_PROGRAM_H

#include "Support/Arena.h"

#include <stdbool.h>
#include <stdint.h>

enum {
  PROOF_MAX_ROLES = 8,
  PROOF_MAX_DEPTH = 64,
  PROOF_MAX_RANK = 5,
  PROOF_MAX_READS = 4,
  PROOF_MAX_ARGS = 3,   // of functions that are computed
  PROOF_MAX_SYNCS = 16, // named barriers (PTX ISA, barrier)
  PROOF_ALL_SLOTS = -1,
  PROOF_NONE = -1
};

//===-- Scalars -----------------------------------------------------------===//

/// An index into ProofProgram.scalars.
typedef int ProofScalarId;

typedef enum {
  PROOF_INPUT,    // from outside the roles: one value in the whole run
  PROOF_CONSTANT, // `constant`
  PROOF_FUNCTION, // `function` of `args`
  PROOF_VARIABLE, // what the last bind gave it; of role `role`
  PROOF_HELD,     // what a slot of the window `constant` holds: args[0], or all
  PROOF_NEW,      // another number each time, such as what an update finds
} ProofScalarKind;

/// Functions that the proof can compute. Others are numbers from PROOF_OTHER
/// on: equal numbers are equal functions.
typedef enum {
  PROOF_ADVANCE_SLOT,   // (slot), depth in `constant`
  PROOF_ADVANCE_PARITY, // (slot, parity), depth in `constant`
  PROOF_ADD,
  PROOF_SUB,
  PROOF_MUL,
  PROOF_DIV, // of numbers that are not negative
  PROOF_REM, // the same
  PROOF_AND,
  PROOF_XOR,
  PROOF_OR,
  PROOF_SHL, // by less than 31
  PROOF_SHR, // the same, of numbers that are not negative
  PROOF_MIN, // signed, as all but the U forms below
  PROOF_MAX,
  PROOF_CEILDIV,
  PROOF_EQ, // true is -1; the other comparisons are made of these
  PROOF_LT,
  PROOF_ULT,
  PROOF_SELECT,
  PROOF_CAST, // same number, other type
  PROOF_OTHER,
} ProofFunction;

typedef struct {
  ProofScalarKind kind;
  /// FUNCTION, INPUT: not computed here, and may have any value, as memory has.
  bool is_free;
  bool is_positive; // the step of a loop
  int function;
  int64_t constant;
  int role; // VARIABLE
  int num_args;
  ProofScalarId *args;
} ProofScalar;

static inline bool proof_is_comparison(int function) {
  return function >= PROOF_EQ && function <= PROOF_ULT;
}

//===-- Code --------------------------------------------------------------===//

typedef enum {
  PROOF_WAIT,   // for the phase of a parity
  PROOF_ARRIVE, // in a phase; may expect bytes
  PROOF_FILL,   // writes a window
  PROOF_READ,   // reads windows
  PROOF_AWAIT,  // until what is under way is over, but for the last ones
  PROOF_CLOSE,  // closes a group of cp.async
  PROOF_FENCE,  // proxy fence
  PROOF_SYNC,   // threads meet
  PROOF_TURN,   // begins or ends the turn of a ping-pong role
  PROOF_BIND,   // variables get new values, all at once
  PROOF_BRANCH, // goes on where the condition holds, else to `target`
  PROOF_JUMP,   // to `target`
  PROOF_END,
} ProofOpKind;

/// Which threads of a role execute an event.
typedef enum {
  PROOF_ALL_THREADS,
  PROOF_ALL_WARPS, // one thread of each, when its warp has met
  PROOF_LEADER,
} ProofThreads;

typedef enum {
  PROOF_BY_TMA,      // counts bytes on a row
  PROOF_BY_CP_ASYNC, // until an arrival, or a wait for its group
  PROOF_BY_STORES,
} ProofFillKind;

/// What an agent may have under way.
typedef enum {
  PROOF_PRODUCTS,
  PROOF_STORES, // asynchronous ones, which read
  PROOF_COPIES, // cp.async; they count from the close of their group
  PROOF_NUM_UNDER_WAY,
} ProofUnderWay;

typedef struct {
  int window;
  ProofScalarId slot; // or PROOF_ALL_SLOTS
} ProofPlace;

typedef struct {
  ProofOpKind kind;
  const void *origin; // what the caller knows it by, for messages
  ProofThreads threads;
  union {
    struct {
      int row;
      ProofScalarId slot, parity;
    } wait;
    struct {
      int row;
      ProofScalarId slot;
      int count;     // of all threads together
      int64_t bytes; // that the phase waits for beside arrivals
      bool is_async; // when the copies before it have landed
    } arrive;
    struct {
      ProofPlace place;
      ProofFillKind how;
      int row; // BY_TMA: that it signals; PROOF_NONE: it waits for itself
      ProofScalarId row_slot;
      int64_t bytes;
      bool is_whole;  // it writes all of the window, whatever its numbers are
      bool has_value; // `value` is all that the slot holds then
      ProofScalarId value;
    } fill;
    struct {
      ProofPlace places[PROOF_MAX_READS];
      int count;
      bool is_async;             // by the async proxy
      bool is_product, is_store; // it stays under way
    } read;
    struct {
      ProofUnderWay kind;
      int pending;
    } await;
    struct {
      int id;    // PROOF_NONE: all threads of the role
      int count; // threads
    } sync;
    struct {
      bool begins;
    } turn;
    struct {
      int count;
      const ProofScalarId *to, *from;
      bool enters;  // a loop: its counters begin
      bool repeats; // for the next iteration
    } bind;
    struct {
      ProofScalarId condition;
      int target;
      bool is_loop;  // goes on: one more iteration
      bool is_fixed; // how often a loop runs is constant
    } branch;
    struct {
      int target;
    } jump;
  };
} ProofOp;

//===-- The whole ---------------------------------------------------------===//

typedef struct {
  const char *name;
  const void *origin;
  int num_threads;
  /// Warpgroups that take turns, 0 of most; turns go round in the order of
  /// roles.
  int num_turns;
  ProofOp *ops; // the last one is END
  int num_ops, capacity;
} ProofRole;

typedef struct {
  const char *name; // for messages: "mbarrier", or the channel and its side
  int number;       // among those of this name
  int depth;
  int count; // arrivals that end a phase
} ProofRow;

/// A part of a shared tile: of one of its slots, or of all.
typedef struct {
  int buffer;
  bool has_slot;
  int rank; // without the dimension of slots
  int64_t offset[PROOF_MAX_RANK], size[PROOF_MAX_RANK];
  bool is_exact; // else it may be less than that
} ProofWindow;

typedef struct {
  const void *root;
  int num_slots;
  /// Of the tiles of a channel: whose phases say that readers have given back a
  /// slot. PROOF_NONE: it is no ring of a channel, and keeps what it holds.
  int empty_row;
} ProofBuffer;

typedef struct {
  TileArena *arena; // of all that follows
  ProofScalar *scalars;
  int num_scalars, scalar_capacity;
  ProofRow *rows;
  int num_rows, row_capacity;
  ProofWindow *windows;
  int num_windows, window_capacity;
  ProofBuffer *buffers;
  int num_buffers, buffer_capacity;
  bool *shares; // by two buffers: whether they may have bytes in common
  ProofRole roles[PROOF_MAX_ROLES];
  int num_roles;
  bool is_of_block;                      // the one role is the block
  unsigned sync_agents[PROOF_MAX_SYNCS]; // that a named barrier is for
  bool is_partial; // some things that order threads are not seen
} ProofProgram;

/// Whether two buffers may have bytes in common.
static inline bool proof_buffers_overlap(const ProofProgram *program, int a,
                                         int b) {
  return a == b ||
         (program->shares && program->shares[a * program->num_buffers + b]);
}

/// Each role is two agents: its leader, one thread, and its other threads,
/// which do the same.
enum { PROOF_MAX_AGENTS = 2 * PROOF_MAX_ROLES };
static inline int proof_role_of(int agent) { return agent / 2; }
static inline bool proof_is_leader(int agent) { return agent % 2 == 0; }

/// A slot that an event uses: of a row, or of a window; the other one is
/// PROOF_NONE.
typedef struct {
  int row, window;
  ProofScalarId slot;   // or PROOF_ALL_SLOTS
  ProofScalarId parity; // of a wait; or PROOF_NONE
} ProofUse;

/// What slots an event uses, in the order of ProofStep; how many.
int proof_op_uses(const ProofOp *op, ProofUse out[PROOF_MAX_READS]);

static inline int proof_num_slots(const ProofProgram *program,
                                  const ProofUse *use) {
  return use->row >= 0
             ? program->rows[use->row].depth
             : program->buffers[program->windows[use->window].buffer].num_slots;
}

#endif // TILE_PROOF_PROGRAM_H
