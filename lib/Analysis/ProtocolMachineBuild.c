//===- ProtocolMachineBuild.c - What is known before steps are executed ---===//

#include "ProtocolMachine.h"

#include <limits.h>

enum { MAX_DEPTH = TILE_PROTOCOL_MAX_DEPTH };

//===-- Classes of cells --------------------------------------------------===//

static void split(MachineClasses *classes, uint64_t mask) {
  for (int k = classes->count - 1; k >= 0; k--) {
    uint64_t inside = classes->cells[k] & mask;
    if (inside == 0 || inside == classes->cells[k])
      continue;
    classes->cells[k] &= ~mask;
    classes->cells[classes->count++] = inside;
  }
}

static void split_block(Machine *m, const TileProtocolBlock *block) {
  for (int i = 0; i < block->num_nodes; i++) {
    const TileProtocolNode *node = block->nodes[i];
    if (node->kind == TILE_PROTOCOL_FILL)
      split(&m->classes[node->channel], node->cells);
    for (int r = 0; r < node->num_reads; r++)
      split(&m->classes[node->reads[r].channel], node->reads[r].cells);
    split_block(m, &node->blocks[0]);
    split_block(m, &node->blocks[1]);
  }
}

static void build_classes(Machine *m) {
  int count = m->protocol->num_channels;
  m->classes = TILE_ARENA_NEW(m->arena, MachineClasses, count + 1);
  for (int c = 0; c < count; c++)
    m->classes[c] = (MachineClasses){{~UINT64_C(0)}, 1};
  for (int r = 0; r < m->protocol->num_roles; r++)
    split_block(m, &m->protocol->roles[r].body);
}

//===-- Lanes -------------------------------------------------------------===//

static bool is_asynchronous(const TraceStep *step) {
  return step->node->kind == TILE_PROTOCOL_ARRIVE_ASYNC ||
         (step->node->kind == TILE_PROTOCOL_FILL &&
          step->node->fill == TILE_PROTOCOL_BY_TMA);
}

static MachineLane *lane_of(Machine *m, int role, const TraceStep *step) {
  bool is_copy = step->node->kind == TILE_PROTOCOL_FILL;
  int channel = is_copy ? step->node->channel : -1;
  int slot = is_copy ? step->bar_slot : 0;
  for (int l = 0; l < m->num_lanes; l++)
    if (m->lanes[l].role == role && m->lanes[l].channel == channel &&
        m->lanes[l].bar_slot == slot)
      return &m->lanes[l];
  MachineLane *lane = &m->lanes[m->num_lanes++];
  *lane = (MachineLane){.role = role, .channel = channel, .bar_slot = slot};
  return lane;
}

static void build_lanes(Machine *m) {
  int count = 0;
  for (int r = 0; r < m->protocol->num_roles; r++)
    for (int i = 0; i < m->trace->roles[r].num_steps; i++)
      count += is_asynchronous(&m->trace->roles[r].steps[i]);
  m->lanes = TILE_ARENA_NEW(m->arena, MachineLane, count + 1);
  for (int r = 0; r < m->protocol->num_roles; r++)
    for (int i = 0; i < m->trace->roles[r].num_steps; i++) {
      const TraceStep *step = &m->trace->roles[r].steps[i];
      if (!is_asynchronous(step))
        continue;
      MachineLane *lane = lane_of(m, r, step);
      if (!lane->steps)
        lane->steps = TILE_ARENA_NEW(m->arena, int, count);
      lane->steps[lane->count++] = i;
    }
}

//===-- Reads -------------------------------------------------------------===//

// What a role has done with each slot of each channel up to a step.
typedef struct {
  int32_t arrivals[MAX_DEPTH];
  bool has_waited[MAX_DEPTH];
  int last_round; // taken last, of a channel whose rounds readers share
} Seen;

// The round of a position: the next one behind the last that has it.
static int round_of(int depth, int last, int slot, int parity) {
  for (int round = last; round < last + 2 * depth; round++)
    if (round % depth == slot && (round / depth & 1) == parity)
      return round;
  return last;
}

static void see_event(const Machine *m, int role, const TraceStep *step,
                      Seen *seen) {
  const TileProtocolNode *node = step->node;
  bool is_barrier = node->kind <= TILE_PROTOCOL_ARRIVE_ASYNC;
  if (!is_barrier || step->slot < 0 ||
      step->slot >= m->protocol->channels[node->channel].depth)
    return;
  const TileProtocolChannel *c = &m->protocol->channels[node->channel];
  Seen *s = &seen[node->channel];
  if (node->kind == TILE_PROTOCOL_WAIT && node->side == TILE_PROTOCOL_FULL) {
    s->has_waited[step->slot] = true;
    s->last_round = round_of(c->depth, s->last_round, step->slot, step->parity);
  }
  if (node->kind == TILE_PROTOCOL_ARRIVE && node->side == TILE_PROTOCOL_EMPTY) {
    s->arrivals[step->slot] += node->count;
    int share = c->reader_share[role];
    if (share && s->arrivals[step->slot] % share == 0)
      s->has_waited[step->slot] = false;
  }
}

static void expect_reads(const Machine *m, int role, const TraceStep *step,
                         const Seen *seen, MachineStep *out) {
  for (int r = 0; r < step->node->num_reads; r++) {
    int channel = step->node->reads[r].channel, slot = step->read_slots[r];
    const TileProtocolChannel *c = &m->protocol->channels[channel];
    int share = c->reader_share[role];
    out->expected[r] = 1;
    if (slot < 0 || slot >= c->depth)
      continue;
    out->has_waited[r] = seen[channel].has_waited[slot];
    if (c->num_sharers > 1)
      out->expected[r] = 1 + seen[channel].last_round / c->depth;
    else if (share)
      out->expected[r] = 1 + seen[channel].arrivals[slot] / share;
  }
}

// The step of `role` behind which the read at `at` is done.
static int retired_at(const TraceRole *role, int at) {
  const TileProtocolNode *read = role->steps[at].node;
  TileProtocolNodeKind wait =
      read->is_store ? TILE_PROTOCOL_STORE_WAIT : TILE_PROTOCOL_AWAIT;
  int behind = 0; // groups that were begun later
  if (!read->is_store && !read->is_group)
    return at;
  for (int i = at + 1; i < role->num_steps; i++) {
    const TileProtocolNode *node = role->steps[i].node;
    if (node->kind == wait && node->count <= behind)
      return i;
    behind += read->is_store ? node->is_store : node->is_group;
  }
  return INT_MAX;
}

static void build_steps(Machine *m, int role) {
  const TraceRole *trace = &m->trace->roles[role];
  Seen *seen = TILE_ARENA_NEW(m->arena, Seen, m->protocol->num_channels + 1);
  m->steps[role] = TILE_ARENA_NEW(m->arena, MachineStep, trace->num_steps + 1);
  for (int i = 0; i < trace->num_steps; i++) {
    const TraceStep *step = &trace->steps[i];
    if (step->node->num_reads) {
      expect_reads(m, role, step, seen, &m->steps[role][i]);
      m->steps[role][i].retired = retired_at(trace, i);
    } else if (step->node->channel >= 0) {
      see_event(m, role, step, seen);
    }
  }
}

//===-- Entry -------------------------------------------------------------===//

void machine_init(Machine *m, const TileProtocol *protocol, const Trace *trace,
                  TileArena *arena) {
  *m = (Machine){.protocol = protocol, .trace = trace, .arena = arena};
  build_classes(m);
  build_lanes(m);
  for (int r = 0; r < protocol->num_roles; r++)
    build_steps(m, r);
  m->first_lane = protocol->num_roles;
  m->turn = m->first_lane + m->num_lanes;
  m->num_words = m->turn + 1;
  m->first_word = TILE_ARENA_NEW(arena, int, protocol->num_channels + 1);
  for (int c = 0; c < protocol->num_channels; c++) {
    m->first_word[c] = m->num_words;
    m->num_words += protocol->channels[c].depth *
                    (2 * MACHINE_BARRIER_WORDS + m->classes[c].count);
  }
}

void machine_start(const Machine *m, int32_t *state) {
  for (int i = 0; i < m->num_words; i++)
    state[i] = 0;
  for (int c = 0; c < m->protocol->num_channels; c++) {
    const TileProtocolChannel *channel = &m->protocol->channels[c];
    int32_t *words = state + m->first_word[c];
    for (int i = 0; i < 2 * channel->depth; i++)
      words[i * MACHINE_BARRIER_WORDS + MACHINE_PENDING] =
          i < channel->depth ? channel->full_count : channel->empty_count;
    words += 2 * channel->depth * MACHINE_BARRIER_WORDS;
    for (int i = 0; i < channel->depth * m->classes[c].count; i++)
      words[i] = MACHINE_HAS_LANDED;
  }
}
