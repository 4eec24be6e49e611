//===- BarrierTrial.c - A run of a program on barriers that goes wrong ----===//
//
// What comes from outside gets small numbers, so each agent is a list of steps.
// Of the first step that breaks a rule, what has surely happened before it is
// known from clocks: these events and the step, and no others, are a schedule
// that goes wrong.
//
//===----------------------------------------------------------------------===//

#include "BarrierProof.h"

#include <stdio.h>
#include <string.h>

typedef struct {
  int agent, index; // step of the agent
} Event;

typedef struct {
  const BarrierProgram *program;
  const Trace *trace;
  TileArena *arena;
  BarrierMachine machine;
  BarrierFault fault;
  int32_t *state;
  int at[BARRIER_MAX_AGENTS];
  Event *events; // in the order of the run
  int num_events, capacity;
  bool is_stuck;
} Trial;

//===-- One schedule ------------------------------------------------------===//

static const TraceStep *next_of(const Trial *t, int agent) {
  const TraceRole *role = &t->trace->roles[agent / 2];
  return t->at[agent] < role->num_steps ? &role->steps[t->at[agent]] : NULL;
}

static void advance(Trial *t, int agent) {
  TILE_ARENA_RESERVE(t->arena, t->events, t->num_events, t->capacity);
  t->events[t->num_events++] = (Event){agent, t->at[agent]++};
  barrier_machine_tick(&t->machine, t->state, agent, t->at[agent]);
}

static bool meet(Trial *t, int agent, const TileProtocolNode *node) {
  unsigned mask = barrier_sync_agents(t->program, agent, node);
  for (int a = 0; a < t->machine.num_agents; a++) {
    const TraceStep *next = next_of(t, a);
    if ((mask & 1u << a) && (!next || next->node->kind != TILE_PROTOCOL_SYNC ||
                             next->node->sync != node->sync))
      return false;
  }
  for (int a = 0; a < t->machine.num_agents; a++)
    if (mask & 1u << a)
      advance(t, a);
  barrier_machine_meet(&t->machine, t->state, mask);
  return true;
}

static bool step(Trial *t, int agent) {
  const TraceStep *next = next_of(t, agent);
  if (!next || t->fault.code)
    return false;
  if (next->node->threads == TILE_PROTOCOL_LEADER && agent % 2) {
    t->at[agent]++;
    return true;
  }
  switch (barrier_machine_step(&t->machine, t->state, agent, next)) {
  case BARRIER_WAITS:
    return false;
  case BARRIER_MEETS:
    return meet(t, agent, next->node);
  case BARRIER_DONE:
    break;
  }
  advance(t, agent);
  return true;
}

static void report_stuck(Trial *t) {
  for (int a = 0; a < t->machine.num_agents; a++) {
    const TraceStep *next = next_of(t, a);
    if (!next)
      continue;
    t->is_stuck = true;
    t->fault = (BarrierFault){
        .code = "deadlock", .agent = a, .node = next->node, .is_sure = true};
    int arrivals = 0, bytes = 0;
    if (next->node->kind == TILE_PROTOCOL_WAIT) {
      barrier_machine_missing(&t->machine, t->state, next->node->channel,
                              next->slot, &arrivals, &bytes);
      snprintf(t->fault.text, sizeof t->fault.text,
               "waits for ever for slot %d, parity %d: the phase lacks %d "
               "arrivals and %d bytes",
               next->slot, next->parity & 1, arrivals, bytes);
    } else {
      snprintf(t->fault.text, sizeof t->fault.text,
               "waits for threads that do not come");
    }
    return;
  }
  barrier_machine_end(&t->machine, t->state);
}

static void run(Trial *t) {
  for (bool moved = true; moved;) {
    moved = false;
    for (int a = 0; a < t->machine.num_agents; a++)
      while (step(t, a))
        moved = true;
  }
  if (!t->fault.code)
    report_stuck(t);
}

//===-- The schedule ------------------------------------------------------===//

static TileProtocolMove move_of(const TraceStep *step, int agent) {
  TileProtocolMove out = {.role = agent / 2,
                          .node = step->node,
                          .channel = step->node->channel,
                          .slot = step->slot,
                          .parity = step->parity & 1};
  if (step->node->num_reads) {
    out.channel = step->node->reads[0].channel;
    out.slot = step->read_slots[0];
  }
  return out;
}

static bool is_shown(const Trial *t, const Event *event) {
  const TraceStep *step =
      &t->trace->roles[event->agent / 2].steps[event->index];
  // Other threads do what the leader does: it stands for them.
  if (event->agent != t->fault.agent && event->agent % 2 &&
      step->node->threads != TILE_PROTOCOL_LEADER)
    return false;
  return t->is_stuck ||
         event->index < barrier_machine_clock(&t->machine, t->state,
                                              t->fault.agent, event->agent);
}

static const TileProtocolSchedule *schedule_of(const Trial *t,
                                               TileArena *arena) {
  TileProtocolSchedule *out = TILE_ARENA_NEW(arena, TileProtocolSchedule, 1);
  int num_agents = t->machine.num_agents, agent = t->fault.agent;
  *out = (TileProtocolSchedule){.code = t->fault.code,
                                .fault = t->fault.node,
                                .role = agent / 2,
                                .channel = -1};
  memcpy(out->text, t->fault.text, sizeof out->text - 1);
  out->moves =
      TILE_ARENA_NEW(arena, TileProtocolMove, t->num_events + num_agents);
  for (int i = 0; i < t->num_events; i++)
    if (is_shown(t, &t->events[i]))
      out->moves[out->num_moves++] = move_of(
          &t->trace->roles[t->events[i].agent / 2].steps[t->events[i].index],
          t->events[i].agent);
  for (int a = 0; a < num_agents && t->is_stuck; a++) {
    bool is_same = a % 2 && t->at[a] == t->at[a - 1];
    if (!next_of(t, a) || is_same)
      continue;
    out->moves[out->num_moves] = move_of(next_of(t, a), a);
    out->moves[out->num_moves++].waits = true;
  }
  if (!t->is_stuck && next_of(t, agent))
    out->moves[out->num_moves++] = move_of(next_of(t, agent), agent);
  out->choices =
      TILE_ARENA_NEW(arena, TileProtocolChoice, t->trace->num_choices + 1);
  out->num_choices = t->trace->num_choices;
  for (int i = 0; i < out->num_choices; i++)
    out->choices[i] = t->trace->choices[i];
  return out;
}

//===-- Words -------------------------------------------------------------===//

typedef struct {
  const BarrierProgram *program;
  const TileProtocolLimits *limits;
  TileArena *arena;
  const bool *is_needed;
  TileProtocolVerdict *verdict;
  bool is_sure;
} Hunt;

static bool is_done(const Hunt *h) {
  return h->is_sure || h->verdict->num_runs >= h->limits->max_runs;
}

static void take_fault(Hunt *h, const Trial *t, bool is_sure) {
  TileProtocolVerdict *verdict = h->verdict;
  if (verdict->schedule && !is_sure)
    return;
  verdict->schedule = schedule_of(t, h->arena);
  if (!is_sure)
    return;
  h->is_sure = true;
  verdict->code = t->fault.code;
  verdict->role = t->fault.agent / 2;
  verdict->node = t->fault.node;
  verdict->other = t->fault.other;
  memcpy(verdict->text, t->fault.text, sizeof t->fault.text);
}

static void try_word(Hunt *h, TraceWord *word) {
  TileArena scratch;
  Trace trace;
  const TileProtocol *protocol = &h->program->protocol;
  tile_arena_init(&scratch);
  h->verdict->num_runs++;
  word->has_overflow = false;
  trace_build(protocol, h->is_needed, &scratch, word, &trace);
  if (trace.is_complete) {
    Trial *t = TILE_ARENA_NEW(&scratch, Trial, 1);
    *t = (Trial){.program = h->program, .trace = &trace, .arena = &scratch};
    barrier_machine_init(&t->machine, h->program, true, &scratch, &t->fault);
    t->state = TILE_ARENA_NEW(&scratch, int32_t, t->machine.num_words);
    barrier_machine_start(&t->machine, t->state);
    run(t);
    if (t->fault.code)
      take_fault(h, t,
                 trace.is_certain && !trace.has_guess && t->fault.is_sure &&
                     !h->program->is_partial);
  }
  tile_arena_deinit(&scratch);
}

static void try_seeds(Hunt *h, TraceWordKind kind, uint64_t first,
                      uint64_t count, const int64_t *units, int num_units) {
  for (uint64_t seed = first; seed < first + count; seed++)
    for (int u = 0; u < num_units && !is_done(h); u++) {
      TraceWord word = {.kind = kind, .seed = seed, .unit = units[u]};
      try_word(h, &word);
    }
}

static void try_digits(Hunt *h, int64_t unit, int64_t max_runs) {
  const TileProtocol *protocol = &h->program->protocol;
  TraceWord word = {.kind = WORD_DIGITS, .unit = unit, .num_trips = 2};
  int64_t end = h->verdict->num_runs + max_runs;
  for (int c = 0; c < protocol->num_channels; c++)
    if (2 * protocol->channels[c].depth + 1 > word.num_trips)
      word.num_trips = 2 * protocol->channels[c].depth + 1;
  word.num_trips = word.num_trips > 8 ? 8 : word.num_trips;
  for (bool more = true; more; more = trace_word_next(&word)) {
    if (is_done(h) || h->verdict->num_runs >= end)
      return;
    try_word(h, &word);
  }
}

// What bounds are divided by: sizes of tiles.
static int64_t largest_divisor(const TileProtocol *protocol,
                               const bool *is_needed) {
  enum { MAX_DIVISOR = 65536 };
  int64_t largest = 1;
  for (int i = 0; i < protocol->num_scalars; i++) {
    const TileProtocolScalar *scalar = &protocol->scalars[i];
    if (!is_needed[i] || scalar->kind != TILE_PROTOCOL_OP ||
        (scalar->function != TILE_PROTOCOL_FN_DIV &&
         scalar->function != TILE_PROTOCOL_FN_CEILDIV))
      continue;
    const TileProtocolScalar *by = &protocol->scalars[scalar->args[1]];
    if (by->kind == TILE_PROTOCOL_CONST && by->constant > largest &&
        by->constant <= MAX_DIVISOR)
      largest = by->constant;
  }
  return largest;
}

bool barrier_program_try(const BarrierProgram *program,
                         const TileProtocolLimits *limits, TileArena *arena,
                         TileProtocolVerdict *verdict) {
  enum { NUM_PLAIN = 12, NUM_RANDOM = 28 };
  const TileProtocol *protocol = &program->protocol;
  Hunt h = {.program = program,
            .limits = limits,
            .arena = arena,
            .is_needed = protocol_needed_scalars(protocol, arena),
            .verdict = verdict};
  int64_t units[3] = {trace_unit(protocol), 1,
                      largest_divisor(protocol, h.is_needed)};
  int num_units = units[2] > 1 && units[2] != units[0] ? 3
                  : units[0] > 1                       ? 2
                                                       : 1;
  if (units[0] == 1 && num_units == 3) {
    units[1] = units[2];
    num_units = 2;
  }
  try_seeds(&h, WORD_PLAIN, 0, NUM_PLAIN, units, num_units);
  for (int u = num_units - 1; u >= 0; u--)
    try_digits(&h, units[u], limits->max_runs / 4);
  try_seeds(&h, WORD_RANDOM, NUM_PLAIN, NUM_RANDOM, units, num_units);
  return h.is_sure;
}
