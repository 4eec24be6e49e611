//===- ProtocolGrammar.c - Rules for one channel in one role --------------===//
//
// Per slot let F and E be completed phases of the full and the empty barrier, a
// the rounds acquired, R the rounds released by a reader. The rules keep
// R <= F <= a <= E + 1, whatever the schedule: then one bit of parity tells a
// phase from its neighbours, no barrier gets an arrival too many, nothing is
// read before it is filled, and nothing in use is overwritten.
//
//===----------------------------------------------------------------------===//

#include "ProtocolInternal.h"

#include <stdio.h>
#include <string.h>

// Flags of a state: what the role did since its last arrival or fence.
enum {
  IS_DIRTY = 1,     // stores without a proxy fence
  HAS_STORES = 2,   // stores that no arrival covers
  HAS_CP_ASYNC = 4, // cp.async that no arrival covers
  IN_TURN = 8,
  HAS_TAKEN = 16 // a round in this turn
};
enum { OF_TURN = IN_TURN | HAS_TAKEN };

typedef struct {
  int depth;
  bool is_producer;
  int share;             // arrivals of this role per round
  int stride;            // from one round of this role to its next
  int first;             // round
  bool needs_turns;      // to be sure that earlier rounds are full
  uint64_t wanted;       // cells that readers read
  bool has_async_reader; // through the async proxy
  bool reads_together;   // threads of this role, each for itself
} Rules;

//===-- Rounds ------------------------------------------------------------===//
//
// Rounds count modulo 2 * depth: slot and parity of one are a digit each.

static int slot_of(const Rules *rules, int round) {
  return round % rules->depth;
}

// The parity that a wait for `round` on the barrier of the other side names.
static int parity_of(const Rules *rules, int round) {
  return (round / rules->depth & 1) ^ (rules->is_producer ? 1 : 0);
}

// The `i`-th round that is held, oldest first.
static int held_round(const Rules *rules, const ProtocolState *state, int i) {
  int count = 2 * rules->depth;
  int back = (state->held - i) * rules->stride % count;
  return (state->taken - back + count) % count;
}

//===-- Broken rules ------------------------------------------------------===//

static void broken(ProtocolRun *run, const TileProtocolNode *node,
                   const ProtocolState *state, const char *code,
                   const char *what, int64_t value) {
  const Rules *rules = run->rules;
  char text[160];
  snprintf(text, sizeof text, what, (long long)value);
  // Which rounds a role has of those that several share is a guess.
  proof_stop(
      run->proof,
      rules->stride > 1 ? TILE_PROTOCOL_UNKNOWN : TILE_PROTOCOL_REJECTED, code,
      run->role, run->channel, node,
      "%s; the role holds %d of %d slots and %s slot %d, parity %d, next", text,
      state->held, rules->depth, rules->is_producer ? "acquires" : "waits for",
      slot_of(rules, state->taken), (state->taken / rules->depth) & 1);
}

// The exact value of a slot or parity.
static bool number_of(ProtocolRun *run, const TileProtocolNode *node,
                      const ProtocolState *state, TileProtocolScalarId id,
                      int *out) {
  ProtocolNumber number = protocol_run_number(run, state, id);
  if (number.is_known && !number.modulus && number.value >= INT32_MIN &&
      number.value <= INT32_MAX) {
    *out = (int)number.value;
    return true;
  }
  proof_stop(run->proof, TILE_PROTOCOL_UNKNOWN, "position", run->role,
             run->channel, node,
             "the slot or parity is not a number that can be followed");
  return false;
}

static void note(ProtocolRun *run, const TileProtocolNode *node,
                 ProtocolMeaning meaning) {
  if (!proof_note(run->proof, node, meaning))
    proof_stop(run->proof, TILE_PROTOCOL_UNKNOWN, "mixed-meaning", run->role,
               run->channel, node,
               "means different things on different paths: taking a round on "
               "one, nothing new on another");
}

static void stop_sharing(ProtocolRun *run, const TileProtocolNode *node) {
  const Rules *rules = run->rules;
  proof_stop(run->proof, TILE_PROTOCOL_UNKNOWN, "shared-rounds", run->role,
             run->channel, node,
             "%d roles share the rounds of a channel whose depth %d is no "
             "multiple of that: each of them must take one round in each turn",
             rules->stride, rules->depth);
}

static void check_turn(ProtocolRun *run, const TileProtocolNode *node,
                       ProtocolState *state) {
  const Rules *rules = run->rules;
  if (rules->needs_turns && !node->is_begin && !(state->flags & HAS_TAKEN))
    stop_sharing(run, node);
  state->flags &= (uint8_t)~OF_TURN;
  state->flags |= node->is_begin ? IN_TURN : 0;
}

//===-- Waits -------------------------------------------------------------===//

static void check_wait(ProtocolRun *run, const TileProtocolNode *node,
                       ProtocolState *state) {
  const Rules *rules = run->rules;
  int slot = 0, parity = 0;
  if ((node->side == TILE_PROTOCOL_EMPTY) != rules->is_producer) {
    broken(run, node, state, "wrong-side",
           "waits on the barrier that the role itself arrives on", 0);
    return;
  }
  if (!number_of(run, node, state, node->slot, &slot) ||
      !number_of(run, node, state, node->parity, &parity))
    return;
  if (state->arrived && state->arrived == rules->share) {
    broken(run, node, state, "tx-bytes",
           "the barrier expects %lld bytes more than the copies have",
           state->awaited_bytes);
    return;
  }
  if (slot == slot_of(rules, state->taken) &&
      parity == parity_of(rules, state->taken)) {
    int limit = rules->depth / rules->stride;
    if (state->held >= (limit ? limit : 1)) {
      broken(run, node, state, "self-wait",
             "waits for a slot that only the role itself can give back", 0);
      return;
    }
    if (rules->needs_turns && (state->flags & OF_TURN) != IN_TURN) {
      stop_sharing(run, node);
      return;
    }
    state->flags |= state->flags & IN_TURN ? HAS_TAKEN : 0;
    state->taken =
        (uint8_t)((state->taken + rules->stride) % (2 * rules->depth));
    state->held++;
    note(run, node, PROTOCOL_TAKES);
    return;
  }
  for (int i = 0; i < state->held; i++) {
    int round = held_round(rules, state, i);
    if (slot == slot_of(rules, round) && parity == parity_of(rules, round)) {
      note(run, node, PROTOCOL_AGAIN);
      return;
    }
  }
  broken(run, node, state, "slot-or-parity",
         "waits for a slot or parity that is not the next (slot %lld)", slot);
}

//===-- Arrivals ----------------------------------------------------------===//

static bool round_is_in(const uint8_t *rounds, int count, int round) {
  for (int i = 0; i < count; i++)
    if (rounds[i] == round)
      return true;
  return false;
}

static void report_incomplete(ProtocolRun *run, const TileProtocolNode *node,
                              const ProtocolState *state, uint64_t missing) {
  const TileProtocolChannel *c = &run->proof->protocol->channels[run->channel];
  char text[128] = "commits a slot that is not filled as far as it is read";
  int cell = 0;
  while (!(missing >> cell & 1))
    cell++;
  if (c->cell_names)
    snprintf(text, sizeof text,
             "commits a slot that is not filled as far as it is read: %s is "
             "missing",
             c->cell_names[cell]);
  broken(run, node, state, "fill-incomplete", text, 0);
}

// The last arrival of a round, or the copy that brings its last bytes.
static void check_give(ProtocolRun *run, const TileProtocolNode *node,
                       ProtocolState *state, int round) {
  const Rules *rules = run->rules;
  bool is_dirty = (state->flags & IS_DIRTY) && rules->has_async_reader;
  if (rules->is_producer && (rules->wanted & ~state->cells))
    report_incomplete(run, node, state, rules->wanted & ~state->cells);
  else if (rules->is_producer && is_dirty)
    broken(run, node, state, "missing-proxy-fence",
           "commits stores that the async proxy reads, without a proxy fence",
           0);
  else if (state->flags & (HAS_STORES | HAS_CP_ASYNC))
    broken(run, node, state, "commit-before-fill",
           "commits a slot while writes to it are not covered by an arrival",
           0);
  else if (!rules->is_producer &&
           round_is_in(state->groups, state->num_groups, round))
    broken(run, node, state, "release-in-flight",
           "releases a slot that a product in flight still reads", 0);
  else if (!rules->is_producer &&
           round_is_in(state->stores, state->num_stores, round))
    broken(run, node, state, "release-in-flight",
           "releases a slot that an asynchronous store still reads", 0);
  state->held--;
  state->awaited_bytes = 0;
  state->arrived = 0;
  state->flags &= OF_TURN;
  if (rules->is_producer)
    state->cells = 0;
  note(run, node, PROTOCOL_GIVES);
}

// The round ends when all have arrived and all expected bytes are on the way.
static void check_end(ProtocolRun *run, const TileProtocolNode *node,
                      ProtocolState *state) {
  const Rules *rules = run->rules;
  if (state->arrived == rules->share && state->awaited_bytes == 0)
    check_give(run, node, state, held_round(rules, state, 0));
  else
    note(run, node, PROTOCOL_PART);
}

static void check_arrive(ProtocolRun *run, const TileProtocolNode *node,
                         ProtocolState *state) {
  const Rules *rules = run->rules;
  int slot = 0;
  if ((node->side == TILE_PROTOCOL_EMPTY) == rules->is_producer) {
    broken(run, node, state, "wrong-side",
           "arrives on the barrier that the role itself waits on", 0);
    return;
  }
  if (!number_of(run, node, state, node->slot, &slot))
    return;
  int round = held_round(rules, state, 0);
  if (!state->held || slot != slot_of(rules, round)) {
    broken(run, node, state, "arrive-unowned",
           "arrives for a slot that is not the oldest the role holds (%lld)",
           slot);
    return;
  }
  if (!rules->is_producer && node->is_alone && rules->reads_together) {
    broken(run, node, state, "release-alone",
           "one thread gives slot %lld back, and others of the role may still "
           "read it",
           slot);
    return;
  }
  int arrived = state->arrived + node->count;
  if (arrived > rules->share) {
    broken(run, node, state, "over-arrival",
           "makes more arrivals than the barrier counts (%lld)", arrived);
    return;
  }
  state->arrived = (uint16_t)arrived;
  if (node->kind == TILE_PROTOCOL_ARRIVE_ASYNC)
    state->flags &= (uint8_t)~HAS_CP_ASYNC;
  else if (node->covers_stores &&
           !((state->flags & IS_DIRTY) && rules->has_async_reader))
    state->flags &= (uint8_t)~(HAS_STORES | IS_DIRTY);
  state->awaited_bytes += (int32_t)node->expected_bytes;
  check_end(run, node, state);
}

//===-- Writes and reads --------------------------------------------------===//

static void check_fill(ProtocolRun *run, const TileProtocolNode *node,
                       ProtocolState *state) {
  static const uint8_t flags[] = {[TILE_PROTOCOL_BY_TMA] = 0,
                                  [TILE_PROTOCOL_BY_CP_ASYNC] = HAS_CP_ASYNC,
                                  [TILE_PROTOCOL_BY_STORES] =
                                      HAS_STORES | IS_DIRTY};
  const Rules *rules = run->rules;
  int slot = 0, bar_slot = 0;
  if (!number_of(run, node, state, node->slot, &slot))
    return;
  int open = slot_of(rules, held_round(rules, state, 0));
  if (!rules->is_producer || !state->held || slot != open) {
    broken(run, node, state, "write-unowned",
           "writes a slot that the role does not hold to fill (%lld)", slot);
    return;
  }
  if (node->fill == TILE_PROTOCOL_BY_TMA) {
    if (!number_of(run, node, state, node->bar_slot, &bar_slot))
      return;
    if (bar_slot != open)
      broken(run, node, state, "tma-wrong-barrier",
             "a TMA copy completes on the barrier of another slot (%lld)",
             bar_slot);
    state->awaited_bytes -= (int32_t)node->copied_bytes;
    if (state->awaited_bytes < 0)
      broken(run, node, state, "tx-bytes",
             "copies have %lld bytes more than the barrier expects",
             -state->awaited_bytes);
  }
  if (node->cells & state->cells)
    broken(run, node, state, "double-fill",
           "writes a part of the slot that was written in the same round", 0);
  state->cells |= node->cells;
  state->flags |= flags[node->fill];
  if (node->copied_bytes)
    check_end(run, node, state);
}

// The round held in `slot`, or -1 after a broken rule.
static int read_round(ProtocolRun *run, const TileProtocolNode *node,
                      const ProtocolState *state, TileProtocolScalarId id) {
  const Rules *rules = run->rules;
  int slot = 0;
  if (!number_of(run, node, state, id, &slot))
    return -1;
  for (int i = 0; i < state->held && !rules->is_producer; i++)
    if (slot_of(rules, held_round(rules, state, i)) == slot)
      return held_round(rules, state, i);
  broken(run, node, state, "read-unowned",
         "reads a slot that the role does not hold (%lld)", slot);
  return -1;
}

// What was begun first is done first. So of one round only the newest counts,
// and what is of other channels counts by its place alone, up to the largest
// number that is waited for.
enum { MAX_PENDING = 7 };

static void remove_at(uint8_t *rounds, uint8_t *count, int at) {
  memmove(rounds + at, rounds + at + 1, (size_t)(*count - at - 1));
  rounds[--*count] = 0;
}

static void drop_others(uint8_t *rounds, uint8_t *count) {
  while (*count > 0 && rounds[0] == PROTOCOL_NO_ROUND)
    remove_at(rounds, count, 0);
  for (int i = *count - MAX_PENDING - 2; i >= 0; i--)
    if (rounds[i] == PROTOCOL_NO_ROUND)
      remove_at(rounds, count, i);
}

static void push_round(ProtocolRun *run, const TileProtocolNode *node,
                       uint8_t *rounds, uint8_t *count, int round) {
  for (int i = 0; i < *count; i++)
    if (rounds[i] == round)
      rounds[i] = PROTOCOL_NO_ROUND;
  drop_others(rounds, count);
  if (*count == PROTOCOL_MAX_GROUPS)
    proof_stop(run->proof, TILE_PROTOCOL_UNKNOWN, "too-many-in-flight",
               run->role, run->channel, node,
               "products in flight may read more than %d slots, or as many "
               "stores",
               PROTOCOL_MAX_GROUPS);
  else
    rounds[(*count)++] = round < 0 ? PROTOCOL_NO_ROUND : (uint8_t)round;
  drop_others(rounds, count);
}

static void check_read(ProtocolRun *run, const TileProtocolNode *node,
                       ProtocolState *state) {
  int round = -1;
  for (int r = 0; r < node->num_reads; r++) {
    if (node->reads[r].channel != run->channel)
      continue;
    round = read_round(run, node, state, node->reads[r].slot);
    if (round < 0)
      return;
  }
  if (node->is_group)
    push_round(run, node, state->groups, &state->num_groups, round);
  if (node->is_store)
    push_round(run, node, state->stores, &state->num_stores, round);
}

// All but the last `pending` are done.
static void await(uint8_t *rounds, uint8_t *count, int pending) {
  int done = *count - pending;
  if (done <= 0 || pending > MAX_PENDING)
    return;
  memmove(rounds, rounds + done, (size_t)pending);
  memset(rounds + pending, 0, PROTOCOL_MAX_GROUPS - (size_t)pending);
  *count = (uint8_t)pending;
  drop_others(rounds, count);
}

static void event(ProtocolRun *run, const TileProtocolNode *node,
                  ProtocolState *state) {
  bool is_ours = node->channel == run->channel;
  switch (node->kind) {
  case TILE_PROTOCOL_WAIT:
    if (is_ours)
      check_wait(run, node, state);
    break;
  case TILE_PROTOCOL_ARRIVE:
  case TILE_PROTOCOL_ARRIVE_ASYNC:
    if (is_ours)
      check_arrive(run, node, state);
    break;
  case TILE_PROTOCOL_FILL:
    if (is_ours)
      check_fill(run, node, state);
    break;
  case TILE_PROTOCOL_READ:
    check_read(run, node, state);
    break;
  case TILE_PROTOCOL_AWAIT:
    await(state->groups, &state->num_groups, node->count);
    break;
  case TILE_PROTOCOL_STORE_WAIT:
    await(state->stores, &state->num_stores, node->count);
    break;
  case TILE_PROTOCOL_COPY_WAIT: // then they are stores of its threads
    if (state->flags & HAS_CP_ASYNC)
      state->flags = (uint8_t)((state->flags & ~HAS_CP_ASYNC) | HAS_STORES);
    break;
  case TILE_PROTOCOL_TURN:
    check_turn(run, node, state);
    break;
  case TILE_PROTOCOL_FENCE:
    state->flags &= (uint8_t)~IS_DIRTY;
    break;
  default:
    break;
  }
}

//===-- A role and a channel ----------------------------------------------===//

static void collect_readers(const TileProtocolBlock *block, int channel,
                            bool is_own, Rules *rules) {
  for (int i = 0; i < block->num_nodes; i++) {
    const TileProtocolNode *node = block->nodes[i];
    for (int r = 0; r < node->num_reads; r++) {
      if (node->reads[r].channel != channel)
        continue;
      rules->wanted |= node->reads[r].cells;
      rules->has_async_reader |= node->is_async;
      rules->reads_together |= is_own && !node->is_store;
    }
    collect_readers(&node->blocks[0], channel, is_own, rules);
    collect_readers(&node->blocks[1], channel, is_own, rules);
  }
}

static void check_exit(ProtocolRun *run, const ProtocolStateSet *states) {
  for (int i = 0; i < states->num_states; i++) {
    const ProtocolState *state = &states->states[i];
    if (state->held || state->arrived || (state->flags & ~OF_TURN))
      broken(run, NULL, state, "unbalanced-exit",
             "ends while it holds slots or owes arrivals (%lld slots)",
             state->held);
  }
}

// Rounds go round among the roles that share them, in the order of the roles.
static void set_sharing(int role, const TileProtocolChannel *c, Rules *rules) {
  rules->stride = 1;
  if (c->num_sharers == 0 || role == c->producer || !c->reader_share[role])
    return;
  rules->stride = c->num_sharers;
  rules->needs_turns = c->depth % c->num_sharers != 0;
  for (int r = 0; r < role; r++)
    rules->first += c->reader_share[r] > 0;
}

void proof_rules_init(Proof *proof, int role, int channel, TileArena *arena,
                      ProtocolRun *out_run) {
  const TileProtocolChannel *c = &proof->protocol->channels[channel];
  Rules *rules = TILE_ARENA_NEW(arena, Rules, 1);
  rules->depth = c->depth;
  rules->is_producer = role == c->producer;
  set_sharing(role, c, rules);
  rules->share = rules->is_producer ? c->full_count : c->reader_share[role];
  for (int r = 0; r < proof->protocol->num_roles; r++)
    if (r != c->producer)
      collect_readers(&proof->protocol->roles[r].body, channel, r == role,
                      rules);
  *out_run = (ProtocolRun){.proof = proof,
                           .role = role,
                           .channel = channel,
                           .event = event,
                           .rules = rules,
                           .arena = arena};
}

void proof_state_init(const ProtocolRun *run, ProtocolState *out_state) {
  const Rules *rules = run->rules;
  memset(out_state, 0, sizeof *out_state);
  out_state->taken = (uint8_t)(rules->first % (2 * rules->depth));
  for (int i = 0; i < PROTOCOL_MAX_PLACES; i++)
    out_state->bound[i] = PROTOCOL_UNBOUND;
}

void proof_check_grammar(Proof *proof, int role, int channel) {
  TileArena scratch;
  ProtocolRun run;
  tile_arena_init(&scratch);
  proof_rules_init(proof, role, channel, &scratch, &run);
  if (!protocol_binding_build(proof->protocol, &scratch, role, channel,
                              &run.binding)) {
    proof_stop(proof, TILE_PROTOCOL_UNKNOWN, "position", role, channel, NULL,
               "positions depend on more than %d values of loops",
               PROTOCOL_MAX_PLACES);
  } else {
    ProtocolState start;
    ProtocolStateSet states;
    proof_state_init(&run, &start);
    protocol_set_init(&states, &scratch);
    protocol_set_add(&states, &start);
    protocol_run_block(&run, &proof->protocol->roles[role].body, &states);
    check_exit(&run, &states);
  }
  tile_arena_deinit(&scratch);
}
