//===- BarrierProof.c - Programs on barriers, for all trip counts ---------===//
//
// All agents run eagerly, in one schedule, until they wait or decide. Decisions
// that are not known go both ways; equal ones of several roles go together.
// What is kept is where the agents are, slots and parities as far as they
// matter, and what the agents know: finite, so it ends.
//
//===----------------------------------------------------------------------===//

#include "BarrierProof.h"

#include "BarrierCode.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum {
  MAX_CONFIGS = 20000,
  MAX_STEPS = 20000, // without a decision that is open
  MAX_PERIOD = 512,
  MAX_STARTS = 4096,
  CHUNK_STATES = 256
};

typedef struct {
  const BarrierProgram *program;
  TileArena *arena;
  BarrierListing listing;
  BarrierMachine machine;
  BarrierFault fault;
  ProtocolBinding bindings[TILE_PROTOCOL_MAX_ROLES];
  int first_bound[BARRIER_MAX_AGENTS]; // word of each agent
  int first_word;                      // of the machine
  int num_words;
  int32_t **chunks;
  int num_states, num_buckets;
  int *buckets; // index + 1
  TileProtocolVerdict *verdict;
} Proving;

static bool is_over(const Proving *p) {
  return p->fault.code || p->verdict->outcome != TILE_PROTOCOL_PROVED;
}

static void __attribute__((format(printf, 5, 6)))
stop(Proving *p, const char *code, int role, const TileProtocolNode *node,
     const char *format, ...) {
  TileProtocolVerdict *verdict = p->verdict;
  va_list args;
  if (is_over(p))
    return;
  verdict->outcome = TILE_PROTOCOL_UNKNOWN;
  verdict->code = code;
  verdict->role = role;
  verdict->node = node;
  va_start(args, format);
  vsnprintf(verdict->text, sizeof verdict->text, format, args);
  va_end(args);
}

//===-- States that have been seen ----------------------------------------===//

static int32_t *state_at(const Proving *p, int i) {
  return p->chunks[i / CHUNK_STATES] +
         (size_t)(i % CHUNK_STATES) * (size_t)p->num_words;
}

static int *bucket_of(Proving *p, const int32_t *state) {
  uint64_t hash = UINT64_C(1469598103934665603);
  for (int i = 0; i < p->num_words; i++)
    hash = (hash ^ (uint32_t)state[i]) * UINT64_C(1099511628211);
  size_t mask = (size_t)p->num_buckets - 1, at = (hash ^ hash >> 32) & mask;
  while (p->buckets[at] && memcmp(state_at(p, p->buckets[at] - 1), state,
                                  sizeof *state * (size_t)p->num_words) != 0)
    at = (at + 1) & mask;
  return &p->buckets[at];
}

// A place behind the states that are kept.
static int32_t *new_state(Proving *p) {
  int chunk = p->num_states / CHUNK_STATES;
  if (!p->chunks[chunk])
    p->chunks[chunk] =
        TILE_ARENA_NEW(p->arena, int32_t, CHUNK_STATES *(size_t)p->num_words);
  return state_at(p, p->num_states);
}

static void keep(Proving *p) {
  if (p->num_states == MAX_CONFIGS) {
    stop(p, "too-many-states", -1, NULL,
         "the threads reach more than %d states together", MAX_CONFIGS);
    return;
  }
  if (2 * p->num_states >= p->num_buckets) {
    p->num_buckets = p->num_buckets ? 4 * p->num_buckets : 256;
    p->buckets = TILE_ARENA_NEW(p->arena, int, p->num_buckets);
    for (int i = 0; i < p->num_states; i++)
      *bucket_of(p, state_at(p, i)) = i + 1;
  }
  int *bucket = bucket_of(p, state_at(p, p->num_states));
  if (!*bucket)
    *bucket = ++p->num_states;
}

//===-- Numbers -----------------------------------------------------------===//

static int role_of(int agent) { return agent / 2; }

static ProtocolNumber number_of(const Proving *p, const int32_t *state,
                                int agent, TileProtocolScalarId id) {
  return protocol_eval(&p->bindings[role_of(agent)],
                       state + p->first_bound[agent], id);
}

static bool is_exact(ProtocolNumber number) {
  return number.is_known && !number.modulus;
}

static void bind(const Proving *p, int32_t *state, int agent, int count,
                 const TileProtocolScalarId *to,
                 const TileProtocolScalarId *from) {
  const ProtocolBinding *binding = &p->bindings[role_of(agent)];
  int32_t *bound = state + p->first_bound[agent], values[PROTOCOL_MAX_PLACES];
  int places[PROTOCOL_MAX_PLACES], num = 0;
  for (int i = 0; i < count; i++) {
    if (binding->place[to[i]] < 0)
      continue;
    places[num] = binding->place[to[i]];
    values[num++] = protocol_place_value(binding, to[i],
                                         number_of(p, state, agent, from[i]));
  }
  for (int i = 0; i < num; i++)
    bound[places[i]] = values[i];
}

static void forget(const Proving *p, int32_t *state, int agent,
                   const BarrierCode *code) {
  const ProtocolBinding *binding = &p->bindings[role_of(agent)];
  for (int i = 0; i < code->count; i++)
    if (binding->place[code->to[i]] >= 0)
      state[p->first_bound[agent] + binding->place[code->to[i]]] =
          PROTOCOL_UNBOUND;
}

static void next_iteration(const Proving *p, int32_t *state, int agent,
                           const TileProtocolNode *loop) {
  const ProtocolBinding *binding = &p->bindings[role_of(agent)];
  int place = binding->place[loop->iv];
  if (place < 0)
    return;
  ProtocolNumber iv = number_of(p, state, agent, loop->iv);
  ProtocolNumber step = number_of(p, state, agent, loop->step);
  iv.is_known &= is_exact(step) && step.value > 0;
  iv.value += step.value;
  state[p->first_bound[agent] + place] =
      protocol_place_value(binding, loop->iv, iv);
}

//===-- Events ------------------------------------------------------------===//

static const BarrierCode *code_at(const Proving *p, const int32_t *state,
                                  int agent) {
  return &p->listing.roles[role_of(agent)].items[state[agent]];
}

static bool takes_part(const TileProtocolNode *node, int agent) {
  return node->threads != TILE_PROTOCOL_LEADER || agent % 2 == 0;
}

// The number of a slot or parity; false after a stop.
static bool position_of(Proving *p, const int32_t *state, int agent,
                        const TileProtocolNode *node, TileProtocolScalarId id,
                        int32_t *out) {
  ProtocolNumber number = number_of(p, state, agent, id);
  *out = (int32_t)number.value;
  if (!is_exact(number))
    stop(p, "position", role_of(agent), node,
         "the slot or parity is not a number that can be followed");
  return is_exact(number);
}

static int32_t tile_slot_of(const Proving *p, const int32_t *state, int agent,
                            TileProtocolScalarId id) {
  ProtocolNumber number = {0};
  if (id >= 0)
    number = number_of(p, state, agent, id);
  return is_exact(number) ? (int32_t)number.value : BARRIER_ALL_SLOTS;
}

static bool step_of(Proving *p, const int32_t *state, int agent,
                    const TileProtocolNode *node, TraceStep *out) {
  *out = (TraceStep){.node = node};
  switch (node->kind) {
  case TILE_PROTOCOL_WAIT:
    return position_of(p, state, agent, node, node->slot, &out->slot) &&
           position_of(p, state, agent, node, node->parity, &out->parity);
  case TILE_PROTOCOL_ARRIVE:
  case TILE_PROTOCOL_ARRIVE_ASYNC:
    return position_of(p, state, agent, node, node->slot, &out->slot);
  case TILE_PROTOCOL_FILL:
    out->slot = tile_slot_of(p, state, agent, node->slot);
    return node->fill != TILE_PROTOCOL_BY_TMA || node->barrier < 0 ||
           position_of(p, state, agent, node, node->bar_slot, &out->bar_slot);
  case TILE_PROTOCOL_READ:
    for (int i = 0; i < node->num_reads; i++)
      out->read_slots[i] = tile_slot_of(p, state, agent, node->reads[i].slot);
    return true;
  default:
    return true;
  }
}

unsigned barrier_sync_agents(const BarrierProgram *program, int agent,
                             const TileProtocolNode *node) {
  unsigned own = 3u << 2 * (agent / 2);
  return node->sync < 0 ? own : program->sync_agents[node->sync] | own;
}

// Whether all agents are there; then they go on.
static bool meet(Proving *p, int32_t *state, int agent,
                 const TileProtocolNode *node) {
  unsigned mask = barrier_sync_agents(p->program, agent, node);
  for (int a = 0; a < p->machine.num_agents; a++) {
    if (!(mask & 1u << a))
      continue;
    const BarrierCode *code = code_at(p, state, a);
    if (code->kind != CODE_EVENT || code->node->kind != TILE_PROTOCOL_SYNC ||
        code->node->sync != node->sync)
      return false;
  }
  barrier_machine_meet(&p->machine, state + p->first_word, mask);
  for (int a = 0; a < p->machine.num_agents; a++)
    state[a] += (mask & 1u << a) != 0;
  return true;
}

// False when the agent has to wait.
static bool run_event(Proving *p, int32_t *state, int agent,
                      const TileProtocolNode *node) {
  TraceStep step;
  if (node->kind == TILE_PROTOCOL_ASSIGN) {
    bind(p, state, agent, 1, &node->to, &node->from);
  } else if (takes_part(node, agent)) {
    if (!step_of(p, state, agent, node, &step))
      return false;
    switch (barrier_machine_step(&p->machine, state + p->first_word, agent,
                                 &step)) {
    case BARRIER_WAITS:
      return false;
    case BARRIER_MEETS:
      return meet(p, state, agent, node);
    case BARRIER_DONE:
      break;
    }
  }
  state[agent]++;
  return true;
}

//===-- Decisions ---------------------------------------------------------===//

enum { ENDS = 1, GOES_ON = 2 };

static unsigned loop_outcomes(const Proving *p, const int32_t *state, int agent,
                              const TileProtocolNode *loop) {
  ProtocolNumber iv = number_of(p, state, agent, loop->iv);
  ProtocolNumber upper = number_of(p, state, agent, loop->upper);
  ProtocolNumber step = number_of(p, state, agent, loop->step);
  ProtocolNumber lower = number_of(p, state, agent, loop->lower);
  if (is_exact(iv) && is_exact(upper))
    return iv.value < upper.value ? GOES_ON : ENDS;
  bool ends_equal = is_exact(step) && step.value == 1 && is_exact(lower) &&
                    lower.value == 0 && iv.is_known && upper.is_known &&
                    upper.modulus;
  int64_t modulus = iv.modulus ? iv.modulus : upper.modulus;
  if (!ends_equal || upper.modulus % modulus)
    return ENDS | GOES_ON;
  // Bounds are not negative: the loop ends when it has come to its bound.
  return (iv.value - upper.value) % modulus ? GOES_ON : ENDS | GOES_ON;
}

// The outcomes that the numbers of an agent leave open.
static unsigned outcomes_of(const Proving *p, const int32_t *state, int agent,
                            const BarrierCode *code) {
  if (code->kind == CODE_HEAD)
    return loop_outcomes(p, state, agent, code->node);
  ProtocolNumber number = number_of(p, state, agent, code->node->condition);
  if (!is_exact(number))
    return ENDS | GOES_ON;
  return number.value & 1 ? GOES_ON : ENDS;
}

static bool is_decision(const BarrierCode *code) {
  return code->kind >= CODE_BRANCH && code->kind <= CODE_WHILE;
}

// Numbers that are known exactly need nobody else.
static bool is_known(const Proving *p, const int32_t *state, int agent,
                     const BarrierCode *code) {
  if (code->kind != CODE_HEAD)
    return is_exact(number_of(p, state, agent, code->node->condition));
  return is_exact(number_of(p, state, agent, code->node->iv)) &&
         is_exact(number_of(p, state, agent, code->node->upper));
}

static void go(const Proving *p, int32_t *state, int agent, unsigned outcome) {
  const BarrierCode *code = code_at(p, state, agent);
  state[agent] = outcome == GOES_ON ? state[agent] + 1 : code->target;
}

//===-- Eager execution ---------------------------------------------------===//

// False when the agent waits, decides or has ended.
static bool run_code(Proving *p, int32_t *state, int agent) {
  const BarrierCode *code = code_at(p, state, agent);
  switch (code->kind) {
  case CODE_EVENT:
    return run_event(p, state, agent, code->node);
  case CODE_BRANCH:
  case CODE_HEAD:
  case CODE_WHILE:
    if (!is_known(p, state, agent, code))
      return false;
    go(p, state, agent, outcomes_of(p, state, agent, code));
    return true;
  case CODE_JUMP:
    state[agent] = code->target;
    return true;
  case CODE_BIND:
    bind(p, state, agent, code->count, code->to, code->from);
    break;
  case CODE_NEXT:
    next_iteration(p, state, agent, code->node);
    break;
  case CODE_FORGET:
    forget(p, state, agent, code);
    break;
  case CODE_END:
    return false;
  }
  state[agent]++;
  return true;
}

static void run_eagerly(Proving *p, int32_t *state) {
  int steps = 0;
  for (bool moved = true; moved && !is_over(p);) {
    moved = false;
    for (int a = 0; a < p->machine.num_agents; a++)
      while (!is_over(p) && run_code(p, state, a)) {
        moved = true;
        if (++steps > MAX_STEPS) {
          stop(p, "too-many-states", role_of(a), NULL,
               "runs for more than %d steps without a decision that is open",
               MAX_STEPS);
          return;
        }
      }
  }
}

//===-- What is at a standstill -------------------------------------------===//

// The agents that decide together with `agent`; 0 when some are not there.
static unsigned deciders_of(const Proving *p, const int32_t *state, int agent) {
  const BarrierCode *code = code_at(p, state, agent);
  unsigned roles = p->listing.deciders[code->decision], mask = 0;
  for (int a = 0; a < p->machine.num_agents; a++) {
    if (!(roles & 1u << role_of(a)))
      continue;
    const BarrierCode *other = code_at(p, state, a);
    if (!is_decision(other) || other->decision != code->decision)
      return 0;
    mask |= 1u << a;
  }
  return mask;
}

// Whether a role decides on what no other role is seen to decide on.
static bool has_own_decisions(const Proving *p) {
  bool found = false;
  for (int i = 0; i < p->listing.num_decisions; i++) {
    unsigned roles = p->listing.deciders[i];
    found |= (roles & (roles - 1)) == 0;
  }
  return found && p->program->protocol.num_roles > 1;
}

static void report_stuck(Proving *p, const int32_t *state) {
  int waits = -1, decides = -1;
  for (int a = p->machine.num_agents - 1; a >= 0; a--) {
    const BarrierCode *code = code_at(p, state, a);
    if (is_decision(code))
      decides = a;
    else if (code->kind == CODE_EVENT)
      waits = a;
  }
  if (waits < 0 && decides < 0) {
    barrier_machine_end(&p->machine, (int32_t *)state + p->first_word);
    return;
  }
  const BarrierCode *code = code_at(p, state, waits < 0 ? decides : waits);
  if (decides >= 0)
    stop(p, "out-of-step", role_of(waits < 0 ? decides : waits), code->node,
         waits < 0 ? "decides on a value that other roles are not seen to "
                     "decide on at the same time"
                   : "waits here while role \"%s\" is at a decision that the "
                     "others do not share",
         p->program->protocol.roles[role_of(decides)].name);
  else if (has_own_decisions(p))
    stop(p, "different-decision", role_of(waits), code->node,
         "waits here for ever if roles decide differently on values that are "
         "not seen to be equal");
  else
    stop(p, "deadlock", role_of(waits), code->node,
         "waits here, and nobody who could end this wait goes on");
}

// Goes on with every outcome of a decision.
static void expand(Proving *p, const int32_t *state) {
  unsigned mask = 0;
  for (int a = 0; a < p->machine.num_agents && !mask; a++)
    if (is_decision(code_at(p, state, a)))
      mask = deciders_of(p, state, a);
  if (!mask) {
    report_stuck(p, state);
    return;
  }
  unsigned outcomes = ENDS | GOES_ON;
  for (int a = 0; a < p->machine.num_agents; a++)
    if (mask & 1u << a)
      outcomes &= outcomes_of(p, state, a, code_at(p, state, a));
  for (unsigned outcome = ENDS; outcome <= GOES_ON; outcome++) {
    if (!(outcomes & outcome) || is_over(p))
      continue;
    int32_t *next = new_state(p);
    memcpy(next, state, sizeof *next * (size_t)p->num_words);
    for (int a = 0; a < p->machine.num_agents; a++)
      if (mask & 1u << a)
        go(p, next, a, outcome);
    run_eagerly(p, next);
    if (!is_over(p))
      keep(p);
  }
}

//===-- Starts ------------------------------------------------------------===//

static int64_t gcd(int64_t a, int64_t b) { return b ? gcd(b, a % b) : a; }

// All slots and parities have this period, or 0.
static int64_t period_of(const BarrierProgram *program) {
  int64_t period = 1;
  for (int c = 0; c < program->protocol.num_channels; c++) {
    int64_t depth = program->protocol.channels[c].depth;
    period = period / gcd(period, depth) * depth;
    if (period > MAX_PERIOD)
      return 0;
  }
  for (int b = 0; b < program->num_buffers; b++) {
    int64_t slots = program->num_slots[b];
    int64_t more = period / gcd(period, slots) * slots;
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

static bool lay_out(Proving *p) {
  const TileProtocol *protocol = &p->program->protocol;
  int64_t period = period_of(p->program);
  for (int r = 0; r < protocol->num_roles && period; r++)
    if (!protocol_binding_build_all(protocol, p->arena, r, period,
                                    &p->bindings[r]))
      period = 0;
  if (!period) {
    stop(p, "position", -1, NULL,
         "slots and parities depend on more than can be followed");
    return false;
  }
  barrier_machine_init(&p->machine, p->program, false, p->arena, &p->fault);
  int next = p->machine.num_agents;
  for (int a = 0; a < p->machine.num_agents; a++) {
    p->first_bound[a] = next;
    next += num_places(&p->bindings[role_of(a)], protocol->num_scalars);
  }
  p->first_word = next;
  p->num_words = next + p->machine.num_words;
  p->chunks =
      TILE_ARENA_NEW(p->arena, int32_t *, MAX_CONFIGS / CHUNK_STATES + 2);
  return true;
}

// Bounds of loops that slots depend on: all that they can be modulo.
static void start_all(Proving *p) {
  const TileProtocol *protocol = &p->program->protocol;
  int64_t num_starts = 1;
  for (int r = 0; r < protocol->num_roles; r++)
    for (int i = 0; i < p->bindings[r].num_params; i++)
      if (num_starts <= MAX_STARTS)
        num_starts *= p->bindings[r].modulus[p->bindings[r].params[i]];
  bool is_guessed = num_starts <= MAX_STARTS;
  for (int64_t i = 0; i < (is_guessed ? num_starts : 1) && !is_over(p); i++) {
    int32_t *state = new_state(p);
    int64_t rest = i;
    for (int w = 0; w < p->first_word; w++)
      state[w] = w < p->machine.num_agents ? 0 : PROTOCOL_UNBOUND;
    for (int r = 0; r < protocol->num_roles && is_guessed; r++)
      for (int k = 0; k < p->bindings[r].num_params; k++) {
        TileProtocolScalarId id = p->bindings[r].params[k];
        for (int a = 2 * r; a < 2 * r + 2; a++)
          state[p->first_bound[a] + p->bindings[r].place[id]] =
              (int32_t)(rest % p->bindings[r].modulus[id]);
        rest /= p->bindings[r].modulus[id];
      }
    barrier_machine_start(&p->machine, state + p->first_word);
    run_eagerly(p, state);
    if (!is_over(p))
      keep(p);
  }
}

//===-- Entry -------------------------------------------------------------===//

static void prove(const BarrierProgram *program, TileProtocolVerdict *verdict) {
  TileArena scratch;
  tile_arena_init(&scratch);
  Proving *p = TILE_ARENA_NEW(&scratch, Proving, 1);
  *p = (Proving){.program = program, .arena = &scratch, .verdict = verdict};
  barrier_listing_build(program, &scratch, &p->listing);
  if (lay_out(p)) {
    start_all(p);
    for (int i = 0; i < p->num_states && !is_over(p); i++)
      expand(p, state_at(p, i));
  }
  verdict->num_states = p->num_states;
  if (p->fault.code) {
    verdict->outcome = TILE_PROTOCOL_UNKNOWN;
    verdict->code = p->fault.code;
    verdict->role = p->fault.agent / 2;
    verdict->node = p->fault.node;
    memcpy(verdict->text, p->fault.text, sizeof p->fault.text);
  }
  tile_arena_deinit(&scratch);
}

void barrier_program_verify(const BarrierProgram *program,
                            const TileProtocolLimits *limits, TileArena *arena,
                            TileProtocolVerdict *out_verdict) {
  *out_verdict = (TileProtocolVerdict){.role = -1, .channel = -1};
  prove(program, out_verdict);
  if (out_verdict->outcome != TILE_PROTOCOL_PROVED &&
      barrier_program_try(program, limits, arena, out_verdict))
    out_verdict->outcome = TILE_PROTOCOL_REJECTED;
}
