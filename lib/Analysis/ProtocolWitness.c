//===- ProtocolWitness.c - A run that goes wrong --------------------------===//
//
// What comes from outside gets small numbers, drawn from a word; then every
// decision is known, and the roles are executed one after the other with the
// rules of the grammar, and all together for deadlocks. Small words are tried
// first. What one run breaks is broken for sure; where none is found, the rule
// may be broken only on paths that cannot be taken.
//
//===----------------------------------------------------------------------===//

#include "ProtocolInternal.h"

#include <string.h>

enum { NUM_WORDS = 40, MAX_EVENTS = 1000, MAX_STEPS = 300 };

typedef struct {
  int channel;
  bool takes;
} Event;

typedef struct {
  Event *events;
  int count;
} EventList;

typedef struct Witness {
  Proof trial; // its own verdict: that of the run
  TileProtocolVerdict verdict;
  TileArena *arena;
  uint64_t word;
  int64_t unit;    // numbers from outside are multiples of it
  int64_t *values; // of what control flow binds, per scalar
  uint64_t path;   // of iterations: private values differ in each
  int role, num_steps;
  ProtocolRun *runs;     // per channel, of the role
  ProtocolState *states; // the same
  EventList lists[TILE_PROTOCOL_MAX_ROLES];
  const TileProtocolNode *loop; // the outermost one whose trips are not fixed
  int64_t trips;
} Witness;

//===-- Numbers -----------------------------------------------------------===//

static uint64_t mix(uint64_t a, uint64_t b) {
  uint64_t x =
      (a ^ (b + UINT64_C(0x9E3779B97F4A7C15))) * UINT64_C(0xBF58476D1CE4E5B9);
  return (x ^ x >> 29) * UINT64_C(0x94D049BB133111EB) >> 1;
}

static int64_t value_of(Witness *w, TileProtocolScalarId id);

// Early words give all numbers from outside the same value: 0, 1, 2, …
static int64_t outside(const Witness *w, uint64_t id, uint64_t path) {
  enum { PLAIN_WORDS = 12, RANGE = 9 };
  if (w->word < PLAIN_WORDS)
    return (int64_t)w->word * w->unit;
  return (int64_t)(mix(mix(id, w->word), path) % RANGE) * w->unit;
}

static int64_t op_value(Witness *w, const TileProtocolScalar *scalar) {
  ProtocolNumber args[PROTOCOL_MAX_ARGS] = {{0}};
  uint64_t hash = (uint64_t)scalar->function;
  for (int i = 0; i < scalar->num_args; i++) {
    int64_t value = value_of(w, scalar->args[i]);
    hash = mix(hash, (uint64_t)value);
    if (i < PROTOCOL_MAX_ARGS)
      args[i] = (ProtocolNumber){true, value, 0};
  }
  ProtocolNumber number = {false, 0, 0};
  if (scalar->num_args <= PROTOCOL_MAX_ARGS)
    number = protocol_apply(scalar, args);
  return number.is_known ? number.value : outside(w, hash, 0);
}

static int64_t value_of(Witness *w, TileProtocolScalarId id) {
  const TileProtocolScalar *scalar = &w->trial.protocol->scalars[id];
  if (scalar->kind == TILE_PROTOCOL_CONST)
    return scalar->constant;
  if (scalar->kind == TILE_PROTOCOL_OP)
    return op_value(w, scalar);
  if (scalar->kind != TILE_PROTOCOL_OPAQUE)
    return w->values[id];
  return outside(w, (uint64_t)id, scalar->is_shared ? 0 : w->path);
}

ProtocolNumber protocol_run_number(const ProtocolRun *run,
                                   const ProtocolState *state,
                                   TileProtocolScalarId id) {
  if (!run->witness)
    return protocol_eval(&run->binding, state->bound, id);
  return (ProtocolNumber){true, value_of(run->witness, id), 0};
}

static void bind(Witness *w, int count, const TileProtocolScalarId *to,
                 const TileProtocolScalarId *from) {
  int64_t *values = TILE_ARENA_NEW(w->arena, int64_t, count + 1);
  for (int i = 0; i < count; i++)
    values[i] = value_of(w, from[i]);
  for (int i = 0; i < count; i++)
    w->values[to[i]] = values[i];
}

//===-- Execution ---------------------------------------------------------===//

static void run_block(Witness *w, const TileProtocolBlock *block);

static bool is_over(const Witness *w) {
  return proof_stopped(&w->trial) || w->num_steps > MAX_STEPS;
}

static void run_event(Witness *w, const TileProtocolNode *node) {
  EventList *list = &w->lists[w->role];
  for (int c = 0; c < w->trial.protocol->num_channels; c++) {
    int held = w->states[c].held;
    w->trial.meanings.count = 0; // meanings may differ from path to path
    w->runs[c].event(&w->runs[c], node, &w->states[c]);
    if (w->states[c].held != held && list->count < MAX_EVENTS)
      list->events[list->count++] = (Event){c, w->states[c].held > held};
  }
}

static void run_for(Witness *w, const TileProtocolNode *node) {
  int64_t lower = value_of(w, node->lower), upper = value_of(w, node->upper);
  int64_t step = value_of(w, node->step), trips = 0;
  uint64_t path = w->path;
  bind(w, node->num_values, node->args, node->inits);
  for (int64_t iv = lower; iv < upper && step > 0 && !is_over(w); iv += step) {
    w->path = mix(path, (uint64_t)++trips);
    w->num_steps++;
    w->values[node->iv] = iv;
    run_block(w, &node->blocks[0]);
    bind(w, node->num_values, node->args, node->yields[0]);
  }
  bool is_fixed =
      w->trial.protocol->scalars[node->upper].kind == TILE_PROTOCOL_CONST;
  if (!is_fixed) {
    w->loop = node;
    w->trips = trips;
  }
  w->path = path;
  bind(w, node->num_values, node->results, node->args);
}

static void run_while(Witness *w, const TileProtocolNode *node) {
  uint64_t path = w->path;
  int64_t trips = 0;
  bind(w, node->num_values, node->args, node->inits);
  while (!is_over(w)) {
    w->path = mix(path, (uint64_t)++trips);
    w->num_steps++;
    run_block(w, &node->blocks[0]);
    if (!(value_of(w, node->condition) & 1))
      break;
    bind(w, node->num_passed, node->after, node->passed);
    run_block(w, &node->blocks[1]);
    bind(w, node->num_values, node->args, node->yields[0]);
  }
  w->path = path;
  bind(w, node->num_passed, node->results, node->passed);
}

static void run_block(Witness *w, const TileProtocolBlock *block) {
  for (int i = 0; i < block->num_nodes && !is_over(w); i++) {
    const TileProtocolNode *node = block->nodes[i];
    if (node->kind == TILE_PROTOCOL_IF) {
      int b = value_of(w, node->condition) & 1 ? 0 : 1;
      run_block(w, &node->blocks[b]);
      bind(w, node->num_values, node->results, node->yields[b]);
    } else if (node->kind == TILE_PROTOCOL_FOR) {
      run_for(w, node);
    } else if (node->kind == TILE_PROTOCOL_WHILE) {
      run_while(w, node);
    } else {
      run_event(w, node);
    }
  }
}

// A role that holds something at its end breaks a rule, too.
static void run_role(Witness *w, int role) {
  const TileProtocol *protocol = w->trial.protocol;
  int count = protocol->num_channels;
  w->role = role;
  w->path = 1;
  w->runs = TILE_ARENA_NEW(w->arena, ProtocolRun, count + 1);
  w->states = TILE_ARENA_NEW(w->arena, ProtocolState, count + 1);
  w->lists[role].events = TILE_ARENA_NEW(w->arena, Event, MAX_EVENTS);
  for (int c = 0; c < count; c++) {
    proof_rules_init(&w->trial, role, c, w->arena, &w->runs[c]);
    proof_state_init(&w->states[c]);
    w->runs[c].witness = w;
  }
  run_block(w, &protocol->roles[role].body);
  for (int c = 0; c < count && !is_over(w); c++)
    if (w->states[c].held || w->states[c].arrived) {
      w->verdict.outcome = TILE_PROTOCOL_REJECTED;
      w->verdict.code = "unbalanced-exit";
    }
}

//===-- All roles together ------------------------------------------------===//

typedef struct {
  int ahead[TILE_PROTOCOL_MAX_ROLES], ready[TILE_PROTOCOL_MAX_ROLES];
} Leads; // of a channel, per reader

static bool step(const TileProtocolChannel *channel, int role, bool takes,
                 int num_roles, Leads *leads) {
  if (role != channel->producer) {
    if (takes && leads->ready[role] == 0)
      return false;
    leads->ready[role] -= takes;
    leads->ahead[role] -= !takes;
    return true;
  }
  for (int r = 0; r < num_roles; r++)
    if (takes && channel->reader_share[r] && leads->ahead[r] >= channel->depth)
      return false;
  for (int r = 0; r < num_roles; r++) {
    leads->ahead[r] += channel->reader_share[r] && takes;
    leads->ready[r] += channel->reader_share[r] && !takes;
  }
  return true;
}

// Whether the roles all end, with nothing left over.
static bool ends_well(const Witness *w) {
  const TileProtocol *protocol = w->trial.protocol;
  Leads *leads = TILE_ARENA_NEW(w->arena, Leads, protocol->num_channels + 1);
  int at[TILE_PROTOCOL_MAX_ROLES] = {0};
  for (bool moved = true; moved;) {
    moved = false;
    for (int r = 0; r < protocol->num_roles; r++)
      while (at[r] < w->lists[r].count) {
        const Event *event = &w->lists[r].events[at[r]];
        if (!step(&protocol->channels[event->channel], r, event->takes,
                  protocol->num_roles, &leads[event->channel]))
          break;
        at[r]++;
        moved = true;
      }
  }
  for (int r = 0; r < protocol->num_roles; r++) {
    if (at[r] < w->lists[r].count)
      return false;
    for (int c = 0; c < protocol->num_channels; c++)
      if (leads[c].ahead[r] || leads[c].ready[r])
        return false;
  }
  return true;
}

//===-- Words -------------------------------------------------------------===//

// The largest constant step: bounds are counted in it, so that loops run.
static int64_t largest_step(const TileProtocol *protocol,
                            const TileProtocolBlock *block) {
  int64_t largest = 1;
  for (int i = 0; i < block->num_nodes; i++) {
    const TileProtocolNode *node = block->nodes[i];
    int64_t inner[3] = {largest_step(protocol, &node->blocks[0]),
                        largest_step(protocol, &node->blocks[1]), 1};
    if (node->kind == TILE_PROTOCOL_FOR &&
        protocol->scalars[node->step].kind == TILE_PROTOCOL_CONST)
      inner[2] = protocol->scalars[node->step].constant;
    for (int k = 0; k < 3; k++)
      largest = inner[k] > largest ? inner[k] : largest;
  }
  return largest;
}

typedef enum { RUN_FINE, RUN_OTHER_RULE, RUN_SAME_RULE } Outcome;

// Whether the run breaks a rule, and whether it is the one that was named.
static Outcome outcome_of(Witness *w, const char *code) {
  if (w->num_steps > MAX_STEPS)
    return RUN_FINE; // not run to its end
  if (proof_stopped(&w->trial)) {
    if (w->verdict.outcome != TILE_PROTOCOL_REJECTED)
      return RUN_FINE;
    return strcmp(w->verdict.code, code) == 0 ? RUN_SAME_RULE : RUN_OTHER_RULE;
  }
  if (ends_well(w))
    return RUN_FINE;
  bool is_named =
      strcmp(code, "deadlock") == 0 || strcmp(code, "unbalanced") == 0;
  return is_named ? RUN_SAME_RULE : RUN_OTHER_RULE;
}

static Outcome run_word(Proof *proof, uint64_t word, int64_t unit) {
  TileArena scratch;
  tile_arena_init(&scratch);
  Witness *w = TILE_ARENA_NEW(&scratch, Witness, 1);
  w->arena = &scratch;
  w->trial = (Proof){
      .protocol = proof->protocol, .arena = &scratch, .verdict = &w->verdict};
  w->word = word;
  w->unit = unit;
  w->values =
      TILE_ARENA_NEW(&scratch, int64_t, proof->protocol->num_scalars + 1);
  for (int r = 0; r < proof->protocol->num_roles && !is_over(w); r++)
    run_role(w, r);
  Outcome outcome = outcome_of(w, proof->verdict->code);
  bool is_first = !proof->verdict->witness_loop || outcome == RUN_SAME_RULE;
  if (outcome != RUN_FINE && is_first) {
    proof->verdict->witness_loop = w->loop;
    proof->verdict->witness_trips = w->trips;
  }
  tile_arena_deinit(&scratch);
  return outcome;
}

bool proof_find_witness(Proof *proof) {
  int64_t unit = 1;
  for (int r = 0; r < proof->protocol->num_roles; r++) {
    int64_t step =
        largest_step(proof->protocol, &proof->protocol->roles[r].body);
    unit = step > unit ? step : unit;
  }
  bool found = false;
  for (uint64_t word = 0; word < NUM_WORDS; word++)
    for (int u = 0; u < (unit > 1 ? 2 : 1); u++) {
      Outcome outcome = run_word(proof, word, u ? 1 : unit);
      found |= outcome != RUN_FINE;
      if (outcome == RUN_SAME_RULE)
        return true;
    }
  return found;
}
