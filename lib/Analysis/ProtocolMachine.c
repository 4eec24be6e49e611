//===- ProtocolMachine.c - Barriers and slots, executed -------------------===//
//
// mbarriers with a count, bytes and phases; slots whose parts know which fill
// they come from, and whether it has landed. What is asynchronous lands at any
// time behind its issue. Faults are those of data and of barriers only: which
// rules a role keeps is not asked here.
//
//===----------------------------------------------------------------------===//

#include "ProtocolMachine.h"

#include <stdio.h>
#include <string.h>

//===-- Places in a state -------------------------------------------------===//

static int32_t *barrier_of(const Machine *m, int32_t *state, int channel,
                           TileProtocolSide side, int slot) {
  int depth = m->protocol->channels[channel].depth;
  return state + m->first_word[channel] +
         ((side == TILE_PROTOCOL_EMPTY ? depth : 0) + slot) *
             MACHINE_BARRIER_WORDS;
}

static int32_t *contents_of(const Machine *m, int32_t *state, int channel,
                            int slot) {
  int depth = m->protocol->channels[channel].depth;
  return state + m->first_word[channel] + 2 * depth * MACHINE_BARRIER_WORDS +
         slot * m->classes[channel].count;
}

static bool fails(MachineFault *fault, const char *code, int channel,
                  const char *format, int a, int b) {
  if (!fault->code) {
    fault->code = code;
    fault->channel = channel;
    snprintf(fault->text, sizeof fault->text, format, a, b);
  }
  return true;
}

// Slots that are none are a fault of their own.
static bool is_slot(const Machine *m, int channel, int slot,
                    MachineFault *fault) {
  int depth = m->protocol->channels[channel].depth;
  if (slot >= 0 && slot < depth)
    return true;
  fails(fault, "no-slot", channel, "uses slot %d of %d", slot, depth);
  return false;
}

//===-- Barriers ----------------------------------------------------------===//

static int count_of(const Machine *m, int channel, TileProtocolSide side) {
  const TileProtocolChannel *c = &m->protocol->channels[channel];
  return side == TILE_PROTOCOL_FULL ? c->full_count : c->empty_count;
}

static void end_phase(const Machine *m, int32_t *barrier, int channel,
                      TileProtocolSide side) {
  if (barrier[MACHINE_PENDING] || barrier[MACHINE_BYTES])
    return;
  barrier[MACHINE_PHASE]++;
  barrier[MACHINE_PENDING] = count_of(m, channel, side);
}

static void arrive(const Machine *m, int32_t *state,
                   const TileProtocolNode *node, int slot,
                   MachineFault *fault) {
  int32_t *barrier = barrier_of(m, state, node->channel, node->side, slot);
  barrier[MACHINE_BYTES] += (int32_t)node->expected_bytes;
  if (barrier[MACHINE_PENDING] < node->count) {
    fails(fault, "over-arrival", node->channel,
          "arrives %d times where the phase waits for %d arrivals more",
          node->count, barrier[MACHINE_PENDING]);
    return;
  }
  barrier[MACHINE_PENDING] -= node->count;
  end_phase(m, barrier, node->channel, node->side);
}

//===-- Slots -------------------------------------------------------------===//

// Whether work of a role that was begun and is not done reads the cells.
static bool is_read_in_flight(const Machine *m, const int32_t *state, int role,
                              int channel, int slot, uint64_t cells) {
  const TraceRole *steps = &m->trace->roles[role];
  for (int i = 0; i < state[role]; i++) {
    const TileProtocolNode *node = steps->steps[i].node;
    if (!node->num_reads || m->steps[role][i].retired < state[role])
      continue;
    for (int r = 0; r < node->num_reads; r++)
      if (node->reads[r].channel == channel &&
          steps->steps[i].read_slots[r] == slot &&
          (node->reads[r].cells & cells))
        return true;
  }
  return false;
}

// Copies of a channel that counts its bytes itself count one each.
static int32_t bytes_of(const TileProtocolNode *node) {
  return node->copied_bytes ? (int32_t)node->copied_bytes : 1;
}

static void fill(const Machine *m, int32_t *state, const TraceStep *step,
                 MachineFault *fault) {
  static const int flags[] = {[TILE_PROTOCOL_BY_TMA] = 0,
                              [TILE_PROTOCOL_BY_CP_ASYNC] = MACHINE_IS_CP_ASYNC,
                              [TILE_PROTOCOL_BY_STORES] =
                                  MACHINE_IS_STORED | MACHINE_IS_DIRTY};
  const TileProtocolNode *node = step->node;
  int channel = node->channel;
  const MachineClasses *classes = &m->classes[channel];
  bool is_tma = node->fill == TILE_PROTOCOL_BY_TMA;
  if (!is_slot(m, channel, step->slot, fault) ||
      (is_tma && !is_slot(m, channel, step->bar_slot, fault)))
    return;
  int32_t *contents = contents_of(m, state, channel, step->slot);
  int32_t number = 1 + barrier_of(m, state, channel, TILE_PROTOCOL_FULL,
                                  step->slot)[MACHINE_PHASE];
  for (int r = 0; r < m->protocol->num_roles; r++)
    if (is_read_in_flight(m, state, r, channel, step->slot, node->cells))
      fails(fault, "overwritten", channel,
            "fills slot %d while a product or a store in flight reads it",
            step->slot, 0);
  for (int k = 0; k < classes->count; k++) {
    if (!(classes->cells[k] & node->cells))
      continue;
    if (contents[k] >= MACHINE_FILL_UNIT &&
        !(contents[k] & (MACHINE_HAS_LANDED | MACHINE_IS_STORED)))
      fails(fault, "double-fill", channel,
            "writes slot %d while a copy into it is under way", step->slot, 0);
    contents[k] = number * MACHINE_FILL_UNIT + flags[node->fill];
  }
  if (is_tma && !node->copied_bytes)
    barrier_of(m, state, channel, TILE_PROTOCOL_FULL,
               step->bar_slot)[MACHINE_BYTES]++;
}

static void read_slot(const Machine *m, int32_t *state, int role, int r,
                      MachineFault *fault) {
  const TraceStep *step = &m->trace->roles[role].steps[state[role]];
  const MachineStep *known = &m->steps[role][state[role]];
  const TileProtocolRead *read = &step->node->reads[r];
  const MachineClasses *classes = &m->classes[read->channel];
  bool is_shared = m->protocol->channels[read->channel].num_sharers > 1;
  int slot = step->read_slots[r], expected = known->expected[r];
  if (!is_slot(m, read->channel, slot, fault))
    return;
  const int32_t *contents = contents_of(m, state, read->channel, slot);
  bool is_full = barrier_of(m, state, read->channel, TILE_PROTOCOL_FULL,
                            slot)[MACHINE_PHASE] >= expected;
  for (int k = 0; k < classes->count; k++) {
    int number = contents[k] / MACHINE_FILL_UNIT;
    if (!(classes->cells[k] & read->cells))
      continue;
    // How far a role that shares rounds has skipped is known by parity only.
    if (is_shared && number > 0 && ((number ^ expected) & 1) == 0)
      expected = number;
    if (number > expected)
      fails(fault, "overwritten", read->channel,
            "reads slot %d, which the role should read before fill %d of it",
            slot, number);
    else if (number < expected && is_full)
      fails(fault, "unfilled", read->channel,
            "reads a part of slot %d that fill %d of it has left out", slot,
            expected);
    else if (number < expected && known->has_waited[r])
      fails(fault, "parity-aliasing", read->channel,
            "reads slot %d before fill %d of it: the wait passed for another "
            "phase of the same parity",
            slot, expected);
    else if (number < expected)
      fails(fault, "unfilled", read->channel,
            "reads slot %d without having waited for fill %d of it", slot,
            expected);
    else if (!(contents[k] & MACHINE_HAS_LANDED))
      fails(fault, "unfilled", read->channel,
            "reads slot %d while fill %d of it is under way", slot, number);
    else if ((contents[k] & MACHINE_IS_DIRTY) && step->node->is_async)
      fails(fault, "missing-proxy-fence", read->channel,
            "reads slot %d by the async proxy, without a proxy fence behind "
            "the stores of fill %d",
            slot, number);
  }
}

// Stores of a role are seen once it has arrived, dirty ones by one proxy only.
static void mark_contents(const Machine *m, int32_t *state, int channel,
                          int clear, int set) {
  int depth = m->protocol->channels[channel].depth;
  int count = depth * m->classes[channel].count;
  int32_t *contents = contents_of(m, state, channel, 0);
  for (int i = 0; i < count; i++)
    if (contents[i] & clear)
      contents[i] = (contents[i] & ~clear) | set;
}

//===-- Steps -------------------------------------------------------------===//

const TraceStep *machine_next(const Machine *m, const int32_t *state,
                              int role) {
  const TraceRole *steps = &m->trace->roles[role];
  return state[role] < steps->num_steps ? &steps->steps[state[role]] : NULL;
}

static bool wait(const Machine *m, int32_t *state, const TraceStep *step,
                 MachineFault *fault) {
  if (!is_slot(m, step->node->channel, step->slot, fault))
    return true;
  const int32_t *barrier =
      barrier_of(m, state, step->node->channel, step->node->side, step->slot);
  return (barrier[MACHINE_PHASE] & 1) != (step->parity & 1);
}

static bool turn(const Machine *m, int32_t *state, int role, bool is_begin,
                 MachineFault *fault) {
  enum { TAKEN = -1 };
  const TileProtocolRole *roles = m->protocol->roles;
  int count = 0;
  for (int r = 0; r < m->protocol->num_roles; r++)
    count += roles[r].num_turns;
  if (is_begin) {
    if (state[m->turn] != roles[role].first_turn)
      return false;
    state[m->turn] = TAKEN;
    return true;
  }
  if (state[m->turn] != TAKEN)
    fails(fault, "turn", -1, "hands over a turn that the role does not have", 0,
          0);
  state[m->turn] = (roles[role].first_turn + roles[role].num_turns) % count;
  return true;
}

bool machine_step(const Machine *m, int32_t *state, int role,
                  MachineFault *fault) {
  const TraceStep *step = machine_next(m, state, role);
  const TileProtocolNode *node = step->node;
  switch (node->kind) {
  case TILE_PROTOCOL_WAIT:
    if (!wait(m, state, step, fault))
      return false;
    break;
  case TILE_PROTOCOL_TURN:
    if (!turn(m, state, role, node->is_begin, fault))
      return false;
    break;
  case TILE_PROTOCOL_ARRIVE:
    if (!is_slot(m, node->channel, step->slot, fault))
      break;
    if (node->covers_stores)
      mark_contents(m, state, node->channel, MACHINE_IS_STORED,
                    MACHINE_HAS_LANDED);
    arrive(m, state, node, step->slot, fault);
    break;
  case TILE_PROTOCOL_FILL:
    fill(m, state, step, fault);
    break;
  case TILE_PROTOCOL_READ:
    for (int r = 0; r < node->num_reads; r++)
      read_slot(m, state, role, r, fault);
    break;
  case TILE_PROTOCOL_COPY_WAIT:
    for (int c = 0; c < m->protocol->num_channels; c++)
      if (m->protocol->channels[c].producer == role)
        mark_contents(m, state, c, MACHINE_IS_CP_ASYNC, MACHINE_IS_STORED);
    break;
  case TILE_PROTOCOL_FENCE:
    for (int c = 0; c < m->protocol->num_channels; c++)
      if (m->protocol->channels[c].producer == role)
        mark_contents(m, state, c, MACHINE_IS_DIRTY, 0);
    break;
  default:
    break;
  }
  state[role]++;
  return true;
}

//===-- What is asynchronous ----------------------------------------------===//

const TraceStep *machine_under_way(const Machine *m, const int32_t *state,
                                   int lane) {
  const MachineLane *l = &m->lanes[lane];
  int done = state[m->first_lane + lane];
  bool is_issued = done < l->count && l->steps[done] < state[l->role];
  return is_issued ? &m->trace->roles[l->role].steps[l->steps[done]] : NULL;
}

static void land_cells(const Machine *m, int32_t *state,
                       const TraceStep *step) {
  const MachineClasses *classes = &m->classes[step->node->channel];
  int32_t *contents = contents_of(m, state, step->node->channel, step->slot);
  for (int k = 0; k < classes->count; k++)
    if (classes->cells[k] & step->node->cells)
      contents[k] = (contents[k] & ~MACHINE_IS_CP_ASYNC) | MACHINE_HAS_LANDED;
}

void machine_land(const Machine *m, int32_t *state, int lane,
                  MachineFault *fault) {
  const MachineLane *l = &m->lanes[lane];
  const TraceStep *step = machine_under_way(m, state, lane);
  int done = state[m->first_lane + lane]++;
  if (l->channel >= 0) {
    int32_t *barrier =
        barrier_of(m, state, l->channel, TILE_PROTOCOL_FULL, l->bar_slot);
    land_cells(m, state, step);
    barrier[MACHINE_BYTES] -= bytes_of(step->node);
    end_phase(m, barrier, l->channel, TILE_PROTOCOL_FULL);
    return;
  }
  int first = done ? l->steps[done - 1] : 0;
  for (int i = first; i < l->steps[done]; i++) {
    const TraceStep *copy = &m->trace->roles[l->role].steps[i];
    if (copy->node->kind == TILE_PROTOCOL_FILL &&
        copy->node->fill == TILE_PROTOCOL_BY_CP_ASYNC &&
        is_slot(m, copy->node->channel, copy->slot, fault))
      land_cells(m, state, copy);
  }
  if (is_slot(m, step->node->channel, step->slot, fault))
    arrive(m, state, step->node, step->slot, fault);
}
