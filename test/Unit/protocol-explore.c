//===- protocol-explore.c - All schedules of a small protocol -------------===//
//
// Roles become lists of events for one word of decisions; then every
// interleaving is run on barriers with a count and one bit of parity, and on
// slots that know which round filled them. Nothing is shared with the proof.
//
//===----------------------------------------------------------------------===//

#include "protocol-program.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_EVENTS = 160, MAX_VISITED = 1 << 17 };

typedef struct {
  TileProtocolNodeKind kind;
  int channel, slot, parity, count, round;
  bool is_full, is_group;
} Event;

typedef struct {
  const TileProtocol *protocol;
  const ProgramDecisions *decisions;
  int64_t *bound; // per scalar
  Event events[TILE_PROTOCOL_MAX_ROLES][MAX_EVENTS];
  int num_events[TILE_PROTOCOL_MAX_ROLES];
  int role;
  int taken[TILE_PROTOCOL_MAX_ROLES][PROGRAM_MAX_CHANNELS];
  uint32_t path; // of iterations, for guards
  bool too_long;
} Run;

//===-- Lists of events ---------------------------------------------------===//

static int64_t eval(const Run *run, TileProtocolScalarId id) {
  const TileProtocolScalar *s = &run->protocol->scalars[id];
  if (s->kind == TILE_PROTOCOL_CONST)
    return s->constant;
  if (s->kind != TILE_PROTOCOL_OP)
    return run->bound[id];
  int64_t a = eval(run, s->args[0]), b = eval(run, s->args[1]);
  bool wraps = a + 1 == s->constant;
  if (s->function == TILE_PROTOCOL_FN_XOR)
    return a ^ b;
  return s->function == TILE_PROTOCOL_FN_ADVANCE_SLOT ? (wraps ? 0 : a + 1)
                                                      : b ^ wraps;
}

// One draw for a letter in an iteration, the same in all roles.
static uint32_t draw(const Run *run, TileProtocolScalarId id) {
  uint64_t x = run->decisions->word;
  x = x * 2654435761u + (uint64_t)run->protocol->scalars[id].constant;
  x = (x ^ (x >> 13)) * 0x9E3779B97F4A7C15u + run->path;
  x = (x ^ (x >> 29)) * 0xBF58476D1CE4E5B9u;
  return (uint32_t)(x >> 40);
}

static void bind(Run *run, int count, const TileProtocolScalarId *to,
                 const TileProtocolScalarId *from) {
  int64_t values[64];
  for (int i = 0; i < count; i++)
    values[i] = eval(run, from[i]);
  for (int i = 0; i < count; i++)
    run->bound[to[i]] = values[i];
}

static void list_block(Run *run, const TileProtocolBlock *block);

static void list_event(Run *run, const TileProtocolNode *node) {
  int *count = &run->num_events[run->role];
  if (*count == MAX_EVENTS) {
    run->too_long = true;
    return;
  }
  Event *event = &run->events[run->role][(*count)++];
  *event = (Event){.kind = node->kind,
                   .channel = node->channel,
                   .count = node->count,
                   .is_full = node->side == TILE_PROTOCOL_FULL,
                   .is_group = node->is_group};
  if (node->num_reads)
    event->channel = node->reads[0].channel;
  if (event->channel < 0)
    return;
  event->slot =
      (int)eval(run, node->num_reads ? node->reads[0].slot : node->slot);
  int *taken = &run->taken[run->role][event->channel];
  if (node->kind == TILE_PROTOCOL_WAIT) {
    event->parity = (int)eval(run, node->parity);
    ++*taken;
  }
  event->round = *taken; // reads: of the last take
}

static void list_loop(Run *run, const TileProtocolNode *node) {
  bool is_while = node->kind == TILE_PROTOCOL_WHILE;
  uint32_t path = run->path;
  bind(run, node->num_values, node->args, node->inits);
  int64_t trips = is_while ? (int64_t)(draw(run, node->condition) % 4)
                           : run->protocol->scalars[node->upper].constant;
  if (!is_while &&
      run->protocol->scalars[node->upper].kind != TILE_PROTOCOL_CONST)
    trips = (run->decisions->trips + trips) % 6;
  for (int64_t i = 0; i < trips && !run->too_long; i++) {
    run->path = path * 31 + (uint32_t)i + 1;
    if (is_while)
      bind(run, node->num_passed, node->after, node->passed);
    list_block(run, &node->blocks[is_while]);
    bind(run, node->num_values, node->args, node->yields[0]);
  }
  run->path = path;
  bind(run, node->num_values, node->results, node->args);
}

static void list_block(Run *run, const TileProtocolBlock *block) {
  for (int i = 0; i < block->num_nodes && !run->too_long; i++) {
    const TileProtocolNode *node = block->nodes[i];
    if (node->kind == TILE_PROTOCOL_IF) {
      int b = draw(run, node->condition) & 1;
      list_block(run, &node->blocks[b]);
      bind(run, node->num_values, node->results, node->yields[b]);
    } else if (node->kind > TILE_PROTOCOL_IF) {
      list_loop(run, node);
    } else {
      list_event(run, node);
    }
  }
}

//===-- Schedules ---------------------------------------------------------===//

typedef struct {
  uint8_t phase, pending;
} Barrier;

typedef struct {
  int at[TILE_PROTOCOL_MAX_ROLES];
  Barrier full[PROGRAM_MAX_CHANNELS][8], empty[PROGRAM_MAX_CHANNELS][8];
  int round[PROGRAM_MAX_CHANNELS][8]; // that filled a slot
  int fills[PROGRAM_MAX_CHANNELS];    // rounds committed
  bool open[PROGRAM_MAX_CHANNELS][8]; // written since the last commit
} Machine;

typedef struct {
  const Run *run;
  uint64_t *visited; // hashes of places, open addressing
  int num_visited;
  const char *fault;
} Search;

static const char *arrive(const TileProtocol *protocol, Machine *m,
                          const Event *event) {
  const TileProtocolChannel *c = &protocol->channels[event->channel];
  Barrier *barrier = event->is_full ? &m->full[event->channel][event->slot]
                                    : &m->empty[event->channel][event->slot];
  if (barrier->pending < event->count)
    return "over-arrival";
  barrier->pending = (uint8_t)(barrier->pending - event->count);
  if (event->is_full) {
    m->round[event->channel][event->slot] = ++m->fills[event->channel];
    m->open[event->channel][event->slot] = false;
  }
  if (barrier->pending == 0) {
    barrier->phase ^= 1;
    barrier->pending =
        (uint8_t)(event->is_full ? c->full_count : c->empty_count);
  }
  return NULL;
}

// False when the role has to wait.
static bool step(Search *search, Machine *m, int role) {
  const Event *event = &search->run->events[role][m->at[role]];
  int c = event->channel, s = event->slot;
  if (event->kind == TILE_PROTOCOL_WAIT) {
    const Barrier *barrier = event->is_full ? &m->full[c][s] : &m->empty[c][s];
    if (barrier->phase == event->parity)
      return false;
  } else if (event->kind == TILE_PROTOCOL_ARRIVE) {
    const char *fault = arrive(search->run->protocol, m, event);
    search->fault = fault ? fault : search->fault;
  } else if (event->kind == TILE_PROTOCOL_FILL) {
    m->open[c][s] = true;
  } else if (event->kind == TILE_PROTOCOL_READ && c >= 0) {
    if (m->open[c][s])
      search->fault = "read of a slot that is being filled";
    else if (m->round[c][s] != event->round)
      search->fault = "read of another round";
  }
  m->at[role]++;
  return true;
}

static bool is_new(Search *search, const Machine *m) {
  uint64_t hash = 1;
  for (int r = 0; r < search->run->protocol->num_roles; r++)
    hash = hash * 1000 + (uint64_t)m->at[r];
  size_t at = (hash * 0x9E3779B97F4A7C15u >> 40) & (2 * MAX_VISITED - 1);
  while (search->visited[at] && search->visited[at] != hash)
    at = (at + 1) & (2 * MAX_VISITED - 1);
  if (search->visited[at] || search->num_visited == MAX_VISITED)
    return false;
  search->visited[at] = hash;
  search->num_visited++;
  return true;
}

// What the machine holds follows from where the roles are.
static void explore(Search *search, const Machine *m) {
  bool is_done = true, moved = false;
  if (search->fault || !is_new(search, m))
    return;
  for (int r = 0; r < search->run->protocol->num_roles; r++) {
    Machine next = *m;
    if (m->at[r] == search->run->num_events[r])
      continue;
    is_done = false;
    if (!step(search, &next, r))
      continue;
    moved = true;
    explore(search, &next);
  }
  if (!is_done && !moved && !search->fault)
    search->fault = "deadlock";
}

const char *program_explore(const TileProtocol *protocol, TileArena *arena,
                            const ProgramDecisions *decisions) {
  Run *run = TILE_ARENA_NEW(arena, Run, 1);
  run->protocol = protocol;
  run->decisions = decisions;
  run->bound = TILE_ARENA_NEW(arena, int64_t, protocol->num_scalars + 1);
  for (run->role = 0; run->role < protocol->num_roles; run->role++) {
    run->path = 1;
    list_block(run, &protocol->roles[run->role].body);
  }
  if (run->too_long)
    return NULL;
  Machine start = {.at = {0}};
  for (int c = 0; c < protocol->num_channels; c++)
    for (int s = 0; s < 8; s++) {
      start.full[c][s].pending = (uint8_t)protocol->channels[c].full_count;
      start.empty[c][s].pending = (uint8_t)protocol->channels[c].empty_count;
    }
  Search search = {.run = run};
  search.visited = calloc(2 * MAX_VISITED, sizeof *search.visited);
  explore(&search, &start);
  free(search.visited);
  return search.fault;
}
