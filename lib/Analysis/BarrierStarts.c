//===- BarrierStarts.c - The states that a proof begins with --------------===//
//
// Numbers from outside that slots depend on are not known. A run may begin with
// any of them: bounds of loops modulo the period of all slots and
// parities.
//
//===----------------------------------------------------------------------===//

#include "BarrierProving.h"

#include "Support/Arithmetic.h"

#include <string.h>

enum { MAX_PERIOD = 512, MAX_STARTS = 4096 };

//===-- Layout ------------------------------------------------------------===//

// Rows and buffers of which some slot is not a constant.
typedef struct {
  const BarrierProgram *program;
  bool *rows, *buffers;
} Moving;

static void note_slot(const Moving *m, bool *is_moving,
                      TileProtocolScalarId slot) {
  *is_moving |= slot >= 0 &&
                m->program->protocol.scalars[slot].kind != TILE_PROTOCOL_CONST;
}

static void note_node(const Moving *m, const TileProtocolNode *node) {
  const BarrierWindow *windows = m->program->windows;
  switch (node->kind) {
  case TILE_PROTOCOL_WAIT:
  case TILE_PROTOCOL_ARRIVE:
  case TILE_PROTOCOL_ARRIVE_ASYNC:
    note_slot(m, &m->rows[node->channel], node->slot);
    break;
  case TILE_PROTOCOL_FILL:
    note_slot(m, &m->buffers[windows[node->channel].buffer], node->slot);
    if (node->fill == TILE_PROTOCOL_BY_TMA && node->barrier >= 0)
      note_slot(m, &m->rows[node->barrier], node->bar_slot);
    break;
  case TILE_PROTOCOL_READ:
    for (int i = 0; i < node->num_reads; i++)
      note_slot(m, &m->buffers[windows[node->reads[i].channel].buffer],
                node->reads[i].slot);
    break;
  default:
    break;
  }
}

static Moving find_moving(const BarrierProving *p) {
  Moving m = {
      p->program,
      TILE_ARENA_NEW(p->arena, bool, p->program->protocol.num_channels + 1),
      TILE_ARENA_NEW(p->arena, bool, p->program->num_buffers + 1)};
  for (int r = 0; r < p->program->protocol.num_roles; r++) {
    const BarrierCodes *codes = &p->listing.roles[r];
    for (int at = 0; at < codes->count; at++)
      if (codes->items[at].kind == CODE_EVENT)
        note_node(&m, codes->items[at].node);
  }
  return m;
}

// All slots and parities that move have this period, or 0.
static int64_t period_of(const BarrierProving *p) {
  const BarrierProgram *program = p->program;
  Moving moving = find_moving(p);
  int64_t period = 1;
  for (int c = 0; c < program->protocol.num_channels; c++) {
    int64_t depth = program->protocol.channels[c].depth;
    if (moving.rows[c])
      period = period / tile_gcd(period, depth) * depth;
    if (period > MAX_PERIOD)
      return 0;
  }
  for (int b = 0; b < program->num_buffers; b++) {
    int64_t slots = moving.buffers[b] ? program->num_slots[b] : 1;
    int64_t more = period / tile_gcd(period, slots) * slots;
    period = more > MAX_PERIOD ? period : more;
  }
  return period;
}

static bool covers(const void *user_data, const int32_t *kept,
                   const int32_t *state) {
  const BarrierProving *p = user_data;
  return barrier_machine_covers(&p->machine, kept + p->first_word,
                                state + p->first_word);
}

bool barrier_proving_lay_out(BarrierProving *p) {
  const TileProtocol *protocol = &p->program->protocol;
  int64_t period = period_of(p);
  for (int r = 0; r < protocol->num_roles && period; r++)
    if (!protocol_binding_build_all(protocol, p->arena, r, period,
                                    &p->bindings[r]))
      period = 0;
  if (!period) {
    barrier_proving_stop(
        p, "position", -1, NULL,
        "slots and parities depend on more than can be followed");
    return false;
  }
  for (int r = 0; r < protocol->num_roles; r++)
    p->numbers[r] = barrier_numbers_build(protocol, &p->listing.roles[r],
                                          &p->bindings[r], p->arena);
  barrier_machine_init(&p->machine, p->program, false, p->arena, &p->fault);
  barrier_mirror_build(&p->machine, &p->listing, p->bindings, p->arena,
                       &p->mirror);
  int next = p->machine.num_agents;
  for (int a = 0; a < p->machine.num_agents; a++) {
    p->first_bound[a] = next;
    next += p->bindings[barrier_role_of(a)].num_places;
  }
  barrier_recall_build(p->program, &p->listing, p->arena, &p->recall);
  p->first_recall = next;
  next += p->machine.num_agents * barrier_recall_num_words(&p->recall);
  barrier_alike_build(&p->listing, p->machine.num_agents, p->arena, &p->alike);
  p->first_alike = next;
  p->first_word = next + barrier_alike_num_words(&p->alike);
  p->num_words = p->first_word + p->machine.num_words;
  int num_same = p->merges ? p->first_word + p->machine.active : p->num_words;
  protocol_seen_init(&p->states, p->arena, num_same, p->num_words - num_same);
  p->states.covers = p->merges ? covers : NULL;
  p->states.user_data = p;
  return true;
}

//===-- Starts ------------------------------------------------------------===//

// Exact ones below the threshold, then all that they can be modulo.
static int64_t num_values(const ProtocolBinding *binding,
                          TileProtocolScalarId id) {
  return binding->threshold + binding->modulus[id];
}

int64_t barrier_proving_num_starts(BarrierProving *p) {
  int64_t num_starts = 1;
  for (int r = 0; r < p->program->protocol.num_roles; r++)
    for (int i = 0; i < p->bindings[r].num_params; i++)
      if (num_starts <= MAX_STARTS)
        num_starts *= num_values(&p->bindings[r], p->bindings[r].params[i]);
  p->has_bounds = num_starts <= MAX_STARTS; // else they are unknown
  return p->has_bounds ? num_starts : 1;
}

static void start_bounds(const BarrierProving *p, int32_t *state,
                         int64_t which) {
  for (int a = 0; a < p->machine.num_agents; a += 2) {
    const ProtocolBinding *binding = &p->bindings[barrier_role_of(a)];
    for (int k = 0; k < binding->num_params; k++) {
      TileProtocolScalarId id = binding->params[k];
      int32_t value = (int32_t)(which % num_values(binding, id));
      state[p->first_bound[a] + binding->place[id]] = value;
      state[p->first_bound[a + 1] + binding->place[id]] = value;
      which /= num_values(binding, id);
    }
  }
}

void barrier_proving_start(const BarrierProving *p, int64_t which,
                           int32_t *state) {
  for (int w = 0; w < p->first_word; w++)
    state[w] = w < p->machine.num_agents ? 0 : PROTOCOL_UNBOUND;
  memset(state + p->first_recall, 0,
         sizeof *state * (size_t)(p->first_word - p->first_recall));
  if (p->has_bounds)
    start_bounds(p, state, which);
  barrier_machine_start(&p->machine, state + p->first_word);
}
