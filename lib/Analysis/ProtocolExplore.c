//===- ProtocolExplore.c - All schedules of one run -----------------------===//
//
// Breadth first over the states of the machine, so that the first fault found
// is at the end of a shortest schedule.
//
//===----------------------------------------------------------------------===//

#include "ProtocolMachine.h"
#include "ProtocolSeen.h"

#include <stdio.h>
#include <string.h>

enum { MAX_STATES = 20000 };

// How a state was reached; stands behind its words.
typedef struct {
  int32_t parent, mover; // a role, or the roles' number plus a lane
} Origin;

enum { START = -1, ORIGIN_WORDS = sizeof(Origin) / sizeof(int32_t) };

typedef struct {
  const Machine *machine;
  ProtocolSeen states;
  MachineFault fault;
  int fault_state, fault_mover;
} Search;

static Origin origin_of(const Search *s, int i) {
  const int32_t *words =
      protocol_seen_at(&s->states, i) + s->machine->num_words;
  return (Origin){words[0], words[1]};
}

// Keeps the state at the end when it is new.
static void keep(Search *s, Origin origin) {
  int32_t *state = protocol_seen_next(&s->states);
  state[s->machine->num_words] = origin.parent;
  state[s->machine->num_words + 1] = origin.mover;
  protocol_seen_keep(&s->states);
}

//===-- Moves -------------------------------------------------------------===//

// What nobody else can see and nothing goes wrong in.
static bool is_silent(const TileProtocolNode *node) {
  return node->kind == TILE_PROTOCOL_WRITE || node->kind == TILE_PROTOCOL_STORE;
}

static void skip_silent(const Machine *m, int32_t *state, int role) {
  for (const TraceStep *next = machine_next(m, state, role);
       next && is_silent(next->node); next = machine_next(m, state, role))
    state[role]++;
}

// False when it cannot be made.
static bool move(const Search *s, int32_t *state, int mover,
                 MachineFault *fault) {
  const Machine *m = s->machine;
  int num_roles = m->protocol->num_roles;
  if (mover >= num_roles) {
    if (!machine_under_way(m, state, mover - num_roles))
      return false;
    machine_land(m, state, mover - num_roles, fault);
    return true;
  }
  if (!machine_next(m, state, mover) || !machine_step(m, state, mover, fault))
    return false;
  skip_silent(m, state, mover);
  return true;
}

static bool is_done(const Machine *m, const int32_t *state) {
  for (int r = 0; r < m->protocol->num_roles; r++)
    if (machine_next(m, state, r))
      return false;
  return true;
}

// Of a state where no role goes on, or all are done.
static void check_end(Search *s, int i, bool is_stuck) {
  const Machine *m = s->machine;
  const int32_t *state = protocol_seen_at(&s->states, i);
  bool done = is_done(m, state);
  if (!done && is_stuck)
    s->fault = (MachineFault){"deadlock", "no role goes on", -1};
  for (int l = 0; l < m->num_lanes && done && !s->fault.code; l++) {
    const TraceStep *copy = machine_under_way(m, state, l);
    if (!copy)
      continue;
    s->fault = (MachineFault){"exit-in-flight", "", copy->node->channel};
    snprintf(s->fault.text, sizeof s->fault.text,
             "the roles end while a copy into slot %d is under way",
             copy->slot);
  }
  if (s->fault.code) {
    s->fault_state = i;
    s->fault_mover = START;
  }
}

static void expand(Search *s, int i, int max_states) {
  const Machine *m = s->machine;
  int num_movers = m->protocol->num_roles + m->num_lanes;
  bool is_stuck = true;
  for (int mover = 0; mover < num_movers && s->states.count < max_states;
       mover++) {
    int32_t *next = protocol_seen_next(&s->states);
    memcpy(next, protocol_seen_at(&s->states, i),
           sizeof *next * (size_t)m->num_words);
    if (!move(s, next, mover, &s->fault))
      continue;
    is_stuck = false;
    if (s->fault.code) {
      s->fault_state = i;
      s->fault_mover = mover;
      return;
    }
    keep(s, (Origin){i, mover});
  }
  if (s->states.count < max_states)
    check_end(s, i, is_stuck);
}

//===-- The schedule ------------------------------------------------------===//

static TileProtocolMove move_of(const Machine *m, const int32_t *state,
                                int mover) {
  int num_roles = m->protocol->num_roles;
  const TraceStep *step = mover < num_roles
                              ? machine_next(m, state, mover)
                              : machine_under_way(m, state, mover - num_roles);
  const TileProtocolNode *node = step->node;
  TileProtocolMove out = {.role = mover < num_roles ? mover : -1,
                          .node = node,
                          .channel = node->channel,
                          .slot = step->slot,
                          .parity = step->parity};
  if (node->num_reads) {
    out.channel = node->reads[0].channel;
    out.slot = step->read_slots[0];
  }
  return out;
}

static const TileProtocolSchedule *schedule_of(const Search *s,
                                               TileArena *arena) {
  const Machine *m = s->machine;
  TileProtocolSchedule *out = TILE_ARENA_NEW(arena, TileProtocolSchedule, 1);
  Origin last = {s->fault_state, s->fault_mover};
  int num_moves = last.mover != START, num_roles = m->protocol->num_roles;
  for (int i = last.parent; origin_of(s, i).parent != START;
       i = origin_of(s, i).parent)
    num_moves++;
  *out = (TileProtocolSchedule){.code = s->fault.code, .role = -1};
  memcpy(out->text, s->fault.text, sizeof out->text);
  out->channel = s->fault.channel;
  out->moves = TILE_ARENA_NEW(arena, TileProtocolMove, num_moves + num_roles);
  out->num_moves = num_moves;
  if (last.mover == START)
    last = origin_of(s, last.parent);
  for (; last.parent != START; last = origin_of(s, last.parent))
    out->moves[--num_moves] =
        move_of(m, protocol_seen_at(&s->states, last.parent), last.mover);
  for (int r = 0; r < num_roles && s->fault_mover == START; r++)
    if (machine_next(m, protocol_seen_at(&s->states, s->fault_state), r)) {
      out->moves[out->num_moves] =
          move_of(m, protocol_seen_at(&s->states, s->fault_state), r);
      out->moves[out->num_moves++].waits = true;
    }
  if (out->num_moves > 0) {
    const TileProtocolMove *end = &out->moves[out->num_moves - 1];
    out->fault = end->node;
    if (end->waits)
      snprintf(out->text, sizeof out->text,
               "waits for ever for slot %d, parity %d: no role goes on",
               end->slot, end->parity);
    out->role = end->role;
    out->channel = end->channel;
  }
  return out;
}

//===-- Entry -------------------------------------------------------------===//

const TileProtocolSchedule *trace_explore(const TileProtocol *protocol,
                                          const Trace *trace, TileArena *arena,
                                          int64_t *states_left) {
  TileArena scratch;
  Machine machine;
  const TileProtocolSchedule *out = NULL;
  int max_states = *states_left < MAX_STATES ? (int)*states_left : MAX_STATES;
  if (max_states <= 0)
    return NULL;
  tile_arena_init(&scratch);
  machine_init(&machine, protocol, trace, &scratch);
  Search s = {.machine = &machine};
  protocol_seen_init(&s.states, &scratch, machine.num_words, ORIGIN_WORDS);
  int32_t *start = protocol_seen_next(&s.states);
  machine_start(&machine, start);
  for (int r = 0; r < protocol->num_roles; r++)
    skip_silent(&machine, start, r);
  keep(&s, (Origin){START, START});
  for (int i = 0; i < s.states.count && !s.fault.code; i++)
    expand(&s, i, max_states);
  *states_left -= s.states.count;
  if (s.fault.code)
    out = schedule_of(&s, arena);
  tile_arena_deinit(&scratch);
  return out;
}
