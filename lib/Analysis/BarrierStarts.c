//===- BarrierStarts.c - The states that a proof begins with --------------===//
//
// Numbers from outside that slots or guards depend on are not known. A run may
// begin with any of them: bounds of loops modulo the period of all slots and
// parities, and how many iterations loops have.
//
//===----------------------------------------------------------------------===//

#include "BarrierProving.h"

#include "Tile/Support/Arithmetic.h"

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

static int num_places(const ProtocolBinding *binding, int num_scalars) {
  int count = 0;
  for (int i = 0; i < num_scalars; i++)
    if (binding->place[i] >= count)
      count = binding->place[i] + 1;
  return count;
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
  barrier_machine_init(&p->machine, p->program, false, p->arena, &p->fault);
  int next = p->machine.num_agents;
  for (int a = 0; a < p->machine.num_agents; a++) {
    p->first_bound[a] = next;
    next += num_places(&p->bindings[barrier_role_of(a)], protocol->num_scalars);
  }
  barrier_trips_build(p->program, p->arena, &p->trips);
  p->first_trip = next;
  p->first_word = next + barrier_trips_num_words(&p->trips);
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

bool barrier_proving_num_starts(BarrierProving *p, int64_t *out) {
  *out = barrier_trips_num_starts(&p->trips);
  if (*out > MAX_STARTS) {
    barrier_proving_stop(p, "too-many-states", -1, NULL,
                         "loops may begin with more than %d combinations of "
                         "trip counts",
                         MAX_STARTS);
    return false;
  }
  int64_t num_starts = *out;
  for (int r = 0; r < p->program->protocol.num_roles; r++)
    for (int i = 0; i < p->bindings[r].num_params; i++)
      if (num_starts <= MAX_STARTS)
        num_starts *= num_values(&p->bindings[r], p->bindings[r].params[i]);
  p->has_bounds = num_starts <= MAX_STARTS; // else they are unknown
  if (p->has_bounds)
    *out = num_starts;
  return true;
}

// Returns what is left of `which`.
static int64_t start_bounds(const BarrierProving *p, int32_t *state,
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
  return which;
}

// Whether bounds that are known exactly have the trip counts of the state.
static bool is_consistent(const BarrierProving *p, const int32_t *state) {
  for (int i = 0; i < p->trips.num_loops; i++) {
    int agent = 2 * p->trips.loops[i].role;
    const TileProtocolNode *loop = p->trips.loops[i].loop;
    ProtocolNumber lower = barrier_number_of(p, state, agent, loop->lower);
    ProtocolNumber upper = barrier_number_of(p, state, agent, loop->upper);
    if (lower.is_known && !lower.modulus && upper.is_known && !upper.modulus &&
        !barrier_trips_may_be(&p->trips, state + p->first_trip, i, lower.value,
                              upper.value))
      return false;
  }
  return true;
}

bool barrier_proving_start(const BarrierProving *p, int64_t which,
                           int32_t *state) {
  for (int w = 0; w < p->first_word; w++)
    state[w] = w < p->machine.num_agents ? 0 : PROTOCOL_UNBOUND;
  if (p->has_bounds)
    which = start_bounds(p, state, which);
  barrier_trips_start(&p->trips, state + p->first_trip, which);
  barrier_machine_start(&p->machine, state + p->first_word);
  return is_consistent(p, state);
}
