//===- ProtocolWitness.c - A run that goes wrong --------------------------===//
//
// What comes from outside gets small numbers, drawn from a word; then every
// decision is known. The roles of such a run are checked with the rules of the
// grammar, together for deadlocks, and with all schedules for what barriers and
// data really do. Small words come first. What one run breaks is broken for
// sure; where none is found, the rule may be broken only on paths that cannot
// be taken.
//
//===----------------------------------------------------------------------===//

#include "ProtocolTrace.h"

#include <string.h>

//===-- Rules of one run --------------------------------------------------===//

typedef struct {
  int channel;
  bool takes;
} Event;

typedef struct {
  Event *events;
  int count;
} EventList;

typedef struct {
  Proof trial; // its own verdict: that of the run
  TileProtocolVerdict verdict;
  TileArena *arena;
  const Trace *trace;
  EventList lists[TILE_PROTOCOL_MAX_ROLES];
} RunCheck;

ProtocolNumber protocol_run_number(const ProtocolRun *run,
                                   const ProtocolState *state,
                                   TileProtocolScalarId id) {
  const TraceStep *step = run->step;
  if (!step)
    return protocol_eval(&run->binding, state->bound, id);
  const TileProtocolNode *node = step->node;
  int32_t value = step->slot;
  for (int i = 0; i < node->num_reads; i++)
    if (node->reads[i].slot == id)
      value = step->read_slots[i];
  if (node->num_reads == 0 && node->slot != id)
    value = node->kind == TILE_PROTOCOL_WAIT ? step->parity : step->bar_slot;
  return (ProtocolNumber){true, value, 0};
}

static void check_step(RunCheck *c, const TraceStep *step, ProtocolRun *runs,
                       ProtocolState *states, EventList *list) {
  for (int i = 0; i < c->trial.protocol->num_channels; i++) {
    int held = states[i].held;
    c->trial.meanings.count = 0; // meanings may differ from path to path
    runs[i].step = step;
    runs[i].event(&runs[i], step->node, &states[i]);
    if (states[i].held != held)
      list->events[list->count++] = (Event){i, states[i].held > held};
  }
}

// A role that holds something at its end breaks a rule, too.
static void check_role(RunCheck *c, int role) {
  const TileProtocol *protocol = c->trial.protocol;
  const TraceRole *trace = &c->trace->roles[role];
  int count = protocol->num_channels;
  ProtocolRun *runs = TILE_ARENA_NEW(c->arena, ProtocolRun, count + 1);
  ProtocolState *states = TILE_ARENA_NEW(c->arena, ProtocolState, count + 1);
  c->lists[role].events =
      TILE_ARENA_NEW(c->arena, Event, trace->num_steps * count + 1);
  for (int i = 0; i < count; i++) {
    proof_rules_init(&c->trial, role, i, c->arena, &runs[i]);
    proof_state_init(&runs[i], &states[i]);
  }
  for (int i = 0; i < trace->num_steps && !proof_stopped(&c->trial); i++)
    check_step(c, &trace->steps[i], runs, states, &c->lists[role]);
  for (int i = 0; i < count && !proof_stopped(&c->trial); i++)
    if (states[i].held || states[i].arrived) {
      c->verdict.outcome = TILE_PROTOCOL_REJECTED;
      c->verdict.code = "unbalanced-exit";
    }
}

//===-- All roles together ------------------------------------------------===//

// Rounds of a channel, per reader the rounds that it took and gave.
typedef struct {
  int acquired, committed;
  int taken[TILE_PROTOCOL_MAX_ROLES], given[TILE_PROTOCOL_MAX_ROLES];
} Rounds;

// Whether the next round may be acquired: `depth` rounds ago all had given it,
// or the one of the sharers that it belongs to.
static bool may_acquire(const TileProtocolChannel *c, int num_roles,
                        const Rounds *rounds) {
  int back = rounds->acquired - c->depth, sharer = 0;
  for (int r = 0; r < num_roles; r++) {
    if (!c->reader_share[r])
      continue;
    bool is_mine = c->num_sharers < 2 || back % c->num_sharers == sharer++;
    int needed = c->num_sharers < 2 ? back + 1 : back / c->num_sharers + 1;
    if (back >= 0 && is_mine && rounds->given[r] < needed)
      return false;
  }
  return true;
}

static bool may_wait(const TileProtocolChannel *c, int role,
                     const Rounds *rounds) {
  int next = rounds->taken[role], sharer = 0;
  for (int r = 0; r < role && c->num_sharers > 1; r++)
    sharer += c->reader_share[r] > 0;
  if (c->num_sharers > 1)
    next = next * c->num_sharers + sharer;
  return next < rounds->committed;
}

static bool step(const TileProtocolChannel *channel, int role, bool takes,
                 int num_roles, Rounds *rounds) {
  if (role == channel->producer) {
    if (takes && !may_acquire(channel, num_roles, rounds))
      return false;
    rounds->acquired += takes;
    rounds->committed += !takes;
    return true;
  }
  if (takes && !may_wait(channel, role, rounds))
    return false;
  rounds->taken[role] += takes;
  rounds->given[role] += !takes;
  return true;
}

static bool is_balanced(const TileProtocol *protocol, int channel,
                        const Rounds *rounds) {
  const TileProtocolChannel *c = &protocol->channels[channel];
  int given = 0;
  for (int r = 0; r < protocol->num_roles; r++) {
    given += rounds->given[r];
    if (rounds->taken[r] != rounds->given[r] ||
        (c->num_sharers < 2 && c->reader_share[r] &&
         rounds->given[r] != rounds->committed))
      return false;
  }
  return c->num_sharers < 2 || given == rounds->committed;
}

// Whether the roles all end, with nothing left over.
static bool ends_well(const RunCheck *c) {
  const TileProtocol *protocol = c->trial.protocol;
  Rounds *rounds = TILE_ARENA_NEW(c->arena, Rounds, protocol->num_channels + 1);
  int at[TILE_PROTOCOL_MAX_ROLES] = {0};
  for (bool moved = true; moved;) {
    moved = false;
    for (int r = 0; r < protocol->num_roles; r++)
      while (at[r] < c->lists[r].count) {
        const Event *event = &c->lists[r].events[at[r]];
        if (!step(&protocol->channels[event->channel], r, event->takes,
                  protocol->num_roles, &rounds[event->channel]))
          break;
        at[r]++;
        moved = true;
      }
  }
  for (int r = 0; r < protocol->num_roles; r++)
    if (at[r] < c->lists[r].count)
      return false;
  for (int i = 0; i < protocol->num_channels; i++)
    if (!is_balanced(protocol, i, &rounds[i]))
      return false;
  return true;
}

typedef enum { RUN_FINE, RUN_OTHER_RULE, RUN_SAME_RULE } Outcome;

// Whether the run breaks a rule, and whether it is the one that was named.
static Outcome outcome_of(const Proof *proof, const Trace *trace,
                          TileArena *arena) {
  RunCheck *c = TILE_ARENA_NEW(arena, RunCheck, 1);
  const char *code = proof->verdict->code;
  c->arena = arena;
  c->trace = trace;
  c->trial = (Proof){
      .protocol = proof->protocol, .arena = arena, .verdict = &c->verdict};
  for (int r = 0; r < proof->protocol->num_roles && !proof_stopped(&c->trial);
       r++)
    check_role(c, r);
  if (proof_stopped(&c->trial)) {
    if (c->verdict.outcome != TILE_PROTOCOL_REJECTED)
      return RUN_FINE;
    return strcmp(c->verdict.code, code) == 0 ? RUN_SAME_RULE : RUN_OTHER_RULE;
  }
  if (ends_well(c))
    return RUN_FINE;
  bool is_named =
      strcmp(code, "deadlock") == 0 || strcmp(code, "unbalanced") == 0;
  return is_named ? RUN_SAME_RULE : RUN_OTHER_RULE;
}

//===-- Words -------------------------------------------------------------===//

typedef struct {
  Proof *proof;
  const TileProtocolLimits *limits;
  const bool *is_needed;
  int64_t states_left;
  bool has_rule;     // the verdict names a broken rule
  bool is_same_rule; // a run breaks it
  ProtocolFindings found;
} Hunt;

static void copy_choices(const Trace *trace, TileArena *arena,
                         TileProtocolSchedule *out) {
  out->choices =
      TILE_ARENA_NEW(arena, TileProtocolChoice, trace->num_choices + 1);
  out->num_choices = trace->num_choices;
  for (int i = 0; i < trace->num_choices; i++)
    out->choices[i] = trace->choices[i];
}

static void hunt_schedule(Hunt *h, const Trace *trace) {
  TileProtocolVerdict *verdict = h->proof->verdict;
  const TileProtocolSchedule *schedule = trace_explore(
      h->proof->protocol, trace, h->proof->arena, &h->states_left);
  if (!schedule || (h->found.goes_wrong && verdict->schedule))
    return;
  // One that needs numbers which may be impossible waits for a better one.
  if (verdict->schedule && !trace->is_certain)
    return;
  TileProtocolSchedule *own =
      TILE_ARENA_NEW(h->proof->arena, TileProtocolSchedule, 1);
  *own = *schedule;
  copy_choices(trace, h->proof->arena, own);
  verdict->schedule = own;
  h->found.goes_wrong |= trace->is_certain;
}

// Whether what is broken is how the roles go together.
static bool names_all_roles(const Hunt *h) {
  const char *code = h->proof->verdict->code;
  return strcmp(code, "deadlock") == 0 || strcmp(code, "unbalanced") == 0;
}

static void hunt_run(Hunt *h, TraceWord *word) {
  TileProtocolVerdict *verdict = h->proof->verdict;
  TileArena scratch;
  Trace trace;
  tile_arena_init(&scratch);
  trace_build(h->proof->protocol, h->is_needed, &scratch, word, &trace);
  if (trace.is_complete) {
    Outcome outcome =
        h->has_rule ? outcome_of(h->proof, &trace, &scratch) : RUN_FINE;
    bool is_first = !verdict->witness_loop || outcome == RUN_SAME_RULE;
    if (outcome != RUN_FINE && is_first && !h->is_same_rule) {
      TileProtocolChoice loop =
          trace.loops[verdict->role < 0 ? 0 : verdict->role];
      verdict->witness_loop = loop.node;
      verdict->witness_trips = loop.count;
    }
    h->found.breaks_rule |=
        outcome != RUN_FINE && (trace.is_certain || !names_all_roles(h));
    h->is_same_rule |= outcome == RUN_SAME_RULE;
    // A run that keeps the rules shows nothing of one that is broken; turns are
    // seen in schedules only.
    if (!h->found.goes_wrong &&
        (!h->has_rule || names_all_roles(h) || outcome != RUN_FINE))
      hunt_schedule(h, &trace);
  }
  tile_arena_deinit(&scratch);
  verdict->num_runs++;
}

static bool is_done(const Hunt *h) {
  bool has_all = h->has_rule ? h->is_same_rule && h->found.goes_wrong
                             : h->found.goes_wrong;
  return has_all || h->proof->verdict->num_runs >= h->limits->max_runs;
}

// Numbers in multiples of the steps of loops, then as they are.
static void hunt_seeds(Hunt *h, TraceWordKind kind, uint64_t first,
                       uint64_t count, int64_t unit) {
  for (uint64_t seed = first; seed < first + count; seed++)
    for (int u = 0; u < (unit > 1 ? 2 : 1) && !is_done(h); u++) {
      TraceWord word = {.kind = kind, .seed = seed, .unit = u ? 1 : unit};
      hunt_run(h, &word);
    }
}

// Trip counts up to depth + 2, and all outcomes of guards.
static void hunt_digits(Hunt *h, int64_t unit, int64_t max_runs) {
  const TileProtocol *protocol = h->proof->protocol;
  TraceWord word = {.kind = WORD_DIGITS, .unit = unit};
  for (int c = 0; c < protocol->num_channels; c++)
    if (protocol->channels[c].depth > word.num_trips)
      word.num_trips = protocol->channels[c].depth;
  word.num_trips = word.num_trips > 6 ? 8 : word.num_trips + 2;
  int64_t end = h->proof->verdict->num_runs + max_runs;
  for (bool more = true; more; more = trace_word_next(&word)) {
    if (is_done(h) || h->proof->verdict->num_runs >= end)
      return;
    word.has_overflow = false;
    hunt_run(h, &word);
  }
}

ProtocolFindings proof_find_witness(Proof *proof,
                                    const TileProtocolLimits *limits,
                                    bool checks_rules) {
  enum { NUM_PLAIN = 12, NUM_RANDOM = 28 };
  Hunt h = {.proof = proof,
            .limits = limits,
            .is_needed = protocol_needed_scalars(proof->protocol, proof->arena),
            .states_left = limits->max_states,
            .has_rule = checks_rules &&
                        proof->verdict->outcome == TILE_PROTOCOL_REJECTED};
  int64_t unit = trace_unit(proof->protocol);
  hunt_seeds(&h, WORD_PLAIN, 0, NUM_PLAIN, unit);
  hunt_digits(&h, unit, limits->max_runs / 2);
  hunt_seeds(&h, WORD_RANDOM, NUM_PLAIN, NUM_RANDOM, unit);
  if (unit > 1)
    hunt_digits(&h, 1, limits->max_runs);
  return h.found;
}
