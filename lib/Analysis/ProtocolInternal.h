//===- ProtocolInternal.h - What the parts of the proof share -------------===//
#ifndef TILE_ANALYSIS_PROTOCOL_INTERNAL_H
#define TILE_ANALYSIS_PROTOCOL_INTERNAL_H

#include "Tile/Protocol.h"

#include <stdarg.h>

/// Writes a verdict but for its channel and what was counted.
void protocol_verdict_set(TileProtocolVerdict *verdict,
                          TileProtocolOutcome outcome, const char *code,
                          int role, const TileProtocolNode *node,
                          const char *format, va_list args)
    __attribute__((format(printf, 6, 0)));

//===-- Numbers (ProtocolEval.c) ------------------------------------------===//

/// A number as far as it is known: `value`, or `value` modulo `modulus`.
typedef struct {
  bool is_known;
  int64_t value;
  int64_t modulus; // 0: exact
  bool is_least;   // with a modulus: the number is `value` or more
} ProtocolNumber;

enum { PROTOCOL_MAX_PLACES = 64 };

/// The scalars that states keep: loop arguments, induction variables, results.
typedef struct {
  const TileProtocol *protocol;
  int *place; // per scalar; -1: none
  int num_places;
  /// Per scalar: 0, or what its number is kept modulo. Induction variables and
  /// other counters would take any number of values else.
  int64_t *modulus;
  /// Counters are exact below this, and then kept modulo.
  int64_t threshold;
  TileProtocolScalarId *params; // what outside numbers are kept modulo
  int num_params;
} ProtocolBinding;

/// ProtocolBinding.c: keeps what slots and parities of `channel` in a role
/// depend on. False when that is more than PROTOCOL_MAX_PLACES.
bool protocol_binding_build(const TileProtocol *protocol, TileArena *arena,
                            int role, int channel, ProtocolBinding *out);
/// The same of all that a role of a program on barriers depends on, guards
/// included. `period`: of the slots and parities of all barriers. Bounds of
/// loops that positions depend on become `params`.
bool protocol_binding_build_all(const TileProtocol *protocol, TileArena *arena,
                                int role, int64_t period, ProtocolBinding *out);
/// The value of `id`, where `bound` are the numbers of the places.
ProtocolNumber protocol_eval(const ProtocolBinding *binding,
                             const int32_t *bound, TileProtocolScalarId id);
/// Whether a scalar has one value in the whole run.
bool protocol_is_fixed(const TileProtocol *protocol, TileProtocolScalarId id);
enum { PROTOCOL_MAX_ARGS = 3 };

/// The function of an OP applied to numbers, at most PROTOCOL_MAX_ARGS.
ProtocolNumber protocol_apply(const TileProtocolScalar *scalar,
                              const ProtocolNumber *args);
/// Per scalar, whether a decision, a slot or a parity depends on it. Owner:
/// `arena`.
const bool *protocol_needed_scalars(const TileProtocol *protocol,
                                    TileArena *arena);
/// What the place of a scalar keeps of a number.
int32_t protocol_place_value(const ProtocolBinding *binding,
                             TileProtocolScalarId id, ProtocolNumber number);

//===-- State sets (ProtocolStates.c) -------------------------------------===//

enum { PROTOCOL_MAX_GROUPS = 15, PROTOCOL_MAX_STATES = 50000 };

enum { PROTOCOL_UNBOUND = INT32_MIN, PROTOCOL_NO_ROUND = UINT8_MAX };

/// What is known of one channel at one point of one role; of private buffers,
/// `cells` are stores under way and `dirty` writes without fence.
typedef struct {
  int32_t bound[PROTOCOL_MAX_PLACES]; // or PROTOCOL_UNBOUND
  uint64_t cells;                     // written in the open fill
  uint64_t dirty;
  int32_t awaited_bytes; // of the open fill: expected, not copied
  uint16_t arrived;      // of the open commit or release
  uint8_t taken;         // rounds taken, modulo 2 * depth
  uint8_t held;          // taken and not given
  uint8_t flags;
  uint8_t num_groups;                  // product groups in flight
  uint8_t groups[PROTOCOL_MAX_GROUPS]; // round each reads; oldest first
  uint8_t num_stores; // asynchronous stores that may still read
  uint8_t stores[PROTOCOL_MAX_GROUPS]; // the same
  uint8_t unused[7];                   // zero, in place of padding
} ProtocolState;

typedef struct {
  TileArena *arena;
  ProtocolState *states;
  int num_states, capacity;
  int *buckets; // index + 1
  int num_buckets;
} ProtocolStateSet;

void protocol_set_init(ProtocolStateSet *set, TileArena *arena);
/// Whether the state is new.
bool protocol_set_add(ProtocolStateSet *set, const ProtocolState *state);

//===-- Abstract execution (ProtocolRun.c) --------------------------------===//

struct Proof;

/// Executes a role on sets of states, for all decisions.
typedef struct ProtocolRun {
  struct Proof *proof;
  int role, channel;
  ProtocolBinding binding;
  /// What an event makes of a state: changes it in place. Stops the proof when
  /// a rule is broken.
  void (*event)(struct ProtocolRun *run, const TileProtocolNode *node,
                ProtocolState *state);
  const void *rules; // of `event`
  /// The numbers of one step of a trace, in place of `binding`; or NULL.
  const struct ProtocolStep *step;
  TileArena *arena;
} ProtocolRun;

/// A slot or parity, as far as it is known.
ProtocolNumber protocol_run_number(const ProtocolRun *run,
                                   const ProtocolState *state,
                                   TileProtocolScalarId id);

/// The states behind `block`. Empty once the proof has stopped.
void protocol_run_block(ProtocolRun *run, const TileProtocolBlock *block,
                        ProtocolStateSet *states);

//===-- Parts of the proof ------------------------------------------------===//

/// What a wait or an arrival turned out to be: the same on every path.
typedef enum {
  PROTOCOL_ROLE_NONE,
  PROTOCOL_TAKES, // acquires or waits for the next round
  PROTOCOL_AGAIN, // waits for a round that is held
  PROTOCOL_PART,  // arrives, more arrivals to come
  PROTOCOL_GIVES, // commits or releases a round
} ProtocolMeaning;

typedef struct {
  const TileProtocolNode **keys;
  ProtocolMeaning *meanings;
  int count, capacity;
} ProtocolMeanings;

typedef struct Proof {
  const TileProtocol *protocol;
  TileArena *arena;
  TileProtocolVerdict *verdict; // PROVED until something is wrong
  ProtocolMeanings meanings;    // sorted by node
} Proof;

static inline bool proof_stopped(const Proof *proof) {
  return proof->verdict->outcome != TILE_PROTOCOL_PROVED;
}
/// Writes the verdict, if there is none yet.
void proof_stop(Proof *proof, TileProtocolOutcome outcome, const char *code,
                int role, int channel, const TileProtocolNode *node,
                const char *format, ...) __attribute__((format(printf, 7, 8)));
/// False when the node meant something else before.
bool proof_note(Proof *proof, const TileProtocolNode *node,
                ProtocolMeaning meaning);
ProtocolMeaning proof_meaning(const Proof *proof, const TileProtocolNode *node);

/// A: ProtocolGrammar.c
void proof_check_grammar(Proof *proof, int role, int channel);
/// The rules of a role and a channel as a run of one schedule applies them.
/// Owner: `arena`.
void proof_rules_init(Proof *proof, int role, int channel, TileArena *arena,
                      ProtocolRun *out_run);
void proof_state_init(const ProtocolRun *run, ProtocolState *out_state);
/// D: ProtocolPrivate.c
void proof_check_private(Proof *proof, int role);
/// C: ProtocolWalk.c; after A of all roles and channels.
void proof_check_walk(Proof *proof);

/// What a search among runs found. ProtocolWitness.c
typedef struct {
  bool breaks_rule; // a run breaks a rule of the proof
  bool goes_wrong;  // a run of numbers that are possible ends in a fault
} ProtocolFindings;

/// Looks for runs that go wrong: small numbers for what comes from outside.
/// Leaves the schedule of one in the verdict. With `checks_rules`, runs are
/// asked whether they break the rule that the verdict names as well.
ProtocolFindings proof_find_witness(Proof *proof,
                                    const TileProtocolLimits *limits,
                                    bool checks_rules);

//===-- Equal values (ProtocolValues.c) -----------------------------------===//

enum { PROTOCOL_MAX_LOCKSTEP = 64 };

/// Loops that are in the same iteration.
typedef struct {
  const TileProtocol *protocol;
  TileArena *arena;
  struct {
    const TileProtocolNode *a, *b;
    bool is_interleaved; // in iterations of one number, not of one count
  } lockstep[PROTOCOL_MAX_LOCKSTEP];
  int num_lockstep;
  struct {
    TileProtocolScalarId a, b;
  } *assumed; // pairs believed equal while that is checked
  int num_assumed, assumed_capacity;
} ProtocolValues;

/// False when there are too many; what is not in lockstep counts as different.
bool protocol_lockstep_push(ProtocolValues *values, const TileProtocolNode *a,
                            const TileProtocolNode *b);
/// The same of a loop whose iterations are some of those of the other: their
/// induction variables are equal, their arguments need not be.
bool protocol_interleave_push(ProtocolValues *values, const TileProtocolNode *a,
                              const TileProtocolNode *b);
bool protocol_values_equal(ProtocolValues *values, TileProtocolScalarId a,
                           TileProtocolScalarId b);
/// Same bounds; for `scf.while` and `scf.if` same conditions.
bool protocol_decisions_equal(ProtocolValues *values, const TileProtocolNode *a,
                              const TileProtocolNode *b);
/// Whether the condition of `branch` is "`loop` runs at least once".
bool protocol_is_first_iteration(ProtocolValues *values,
                                 const TileProtocolNode *branch,
                                 const TileProtocolNode *loop);

#endif // TILE_ANALYSIS_PROTOCOL_INTERNAL_H
