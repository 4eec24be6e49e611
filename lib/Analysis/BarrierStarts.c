//===- BarrierStarts.c - The states that a proof begins with --------------===//
//
// Numbers from outside that slots depend on are not known. A run may begin with
// any of them: bounds of loops modulo the period of all slots and
// parities.
//
//===----------------------------------------------------------------------===//

#include "BarrierProving.h"

#include "Tile/Support/Arithmetic.h"

#include <string.h>

enum { MAX_PERIOD = 512, MAX_STARTS = 4096 };

//===-- Layout ------------------------------------------------------------===//

// All slots and parities have this period, or 0.
static int64_t period_of(const BarrierProgram *program) {
  int64_t period = 1;
  for (int c = 0; c < program->protocol.num_channels; c++) {
    int64_t depth = program->protocol.channels[c].depth;
    period = period / tile_gcd(period, depth) * depth;
    if (period > MAX_PERIOD)
      return 0;
  }
  for (int b = 0; b < program->num_buffers; b++) {
    int64_t slots = program->num_slots[b];
    int64_t more = period / tile_gcd(period, slots) * slots;
    period = more > MAX_PERIOD ? period : more;
  }
  return period;
}

bool barrier_proving_lay_out(BarrierProving *p) {
  const TileProtocol *protocol = &p->program->protocol;
  int64_t period = period_of(p->program);
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
  protocol_seen_init(&p->states, p->arena, p->num_words, 0);
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
