//===- BarrierProof.c - Programs on barriers, for all trip counts ---------===//
//
// All agents run eagerly, in one schedule, until they wait or decide. Decisions
// that are not known go both ways; equal ones of several roles go together.
// What is kept is where the agents are, slots and parities as far as they
// matter, and what the agents know: finite, so it ends. It is enough that a
// state is covered by one that is kept, where nobody knows more.
//
//===----------------------------------------------------------------------===//

#include "BarrierFacts.h"
#include "BarrierProving.h"

#include <string.h>

enum {
  MAX_CONFIGS = 200000,
  MAX_CONFIG_WORDS = 1 << 26, // of all configs: 256 MiB
  MAX_STEPS = 20000           // without a decision that is open
};

bool barrier_proving_is_over(const BarrierProving *p) {
  return p->fault.code || p->verdict->outcome != TILE_PROTOCOL_PROVED;
}

void barrier_proving_stop(BarrierProving *p, const char *code, int role,
                          const TileProtocolNode *node, const char *format,
                          ...) {
  va_list args;
  if (barrier_proving_is_over(p))
    return;
  va_start(args, format);
  protocol_verdict_set(p->verdict, TILE_PROTOCOL_UNKNOWN, code, role, node,
                       format, args);
  va_end(args);
}

//===-- Numbers -----------------------------------------------------------===//

ProtocolNumber barrier_number_of(const BarrierProving *p, const int32_t *state,
                                 int agent, TileProtocolScalarId id) {
  return protocol_eval(&p->bindings[barrier_role_of(agent)],
                       state + p->first_bound[agent], id);
}

static bool is_exact(ProtocolNumber number) {
  return number.is_known && !number.modulus;
}

static void bind(const BarrierProving *p, int32_t *state, int agent, int count,
                 const TileProtocolScalarId *to,
                 const TileProtocolScalarId *from) {
  const ProtocolBinding *binding = &p->bindings[barrier_role_of(agent)];
  int32_t *bound = state + p->first_bound[agent], values[PROTOCOL_MAX_PLACES];
  int places[PROTOCOL_MAX_PLACES], num = 0;
  for (int i = 0; i < count; i++) {
    if (binding->place[to[i]] < 0)
      continue;
    places[num] = binding->place[to[i]];
    values[num++] = protocol_place_value(
        binding, to[i], barrier_number_of(p, state, agent, from[i]));
  }
  for (int i = 0; i < num; i++)
    bound[places[i]] = values[i];
}

static void next_iteration(const BarrierProving *p, int32_t *state, int agent,
                           const TileProtocolNode *loop) {
  const ProtocolBinding *binding = &p->bindings[barrier_role_of(agent)];
  int place = binding->place[loop->iv];
  if (place < 0)
    return;
  ProtocolNumber iv = barrier_number_of(p, state, agent, loop->iv);
  ProtocolNumber step = barrier_number_of(p, state, agent, loop->step);
  iv.is_known &= is_exact(step) && step.value > 0;
  iv.value += step.value;
  state[p->first_bound[agent] + place] =
      protocol_place_value(binding, loop->iv, iv);
}

static const BarrierCode *code_at(const BarrierProving *p, const int32_t *state,
                                  int agent) {
  return &p->listing.roles[barrier_role_of(agent)].items[state[agent]];
}

//===-- Facts -------------------------------------------------------------===//

static const RecallCode *recall_at(const BarrierProving *p,
                                   const int32_t *state, int agent) {
  return &p->recall.codes[barrier_role_of(agent)][state[agent]];
}

static int32_t *facts_of(const BarrierProving *p, int32_t *state, int agent) {
  return state + p->first_recall + agent * barrier_recall_num_words(&p->recall);
}

static void move_facts(const BarrierProving *p, int32_t *state, int agent) {
  barrier_recall_move(&p->recall, facts_of(p, state, agent),
                      recall_at(p, state, agent));
}

// What decisions before say of this one: 1, 0, or -1.
static int recalled(const BarrierProving *p, const int32_t *state, int agent) {
  return barrier_recall_outcome(&p->recall,
                                facts_of(p, (int32_t *)state, agent),
                                recall_at(p, state, agent));
}

//===-- Events ------------------------------------------------------------===//

static bool takes_part(const TileProtocolNode *node, int agent) {
  return node->threads != TILE_PROTOCOL_LEADER || agent % 2 == 0;
}

// The number of a slot or parity; false after a stop.
static bool position_of(BarrierProving *p, const int32_t *state, int agent,
                        const TileProtocolNode *node, TileProtocolScalarId id,
                        int32_t *out) {
  ProtocolNumber number = barrier_number_of(p, state, agent, id);
  *out = (int32_t)number.value;
  if (!is_exact(number))
    barrier_proving_stop(
        p, "position", barrier_role_of(agent), node,
        "the slot or parity is not a number that can be followed");
  return is_exact(number);
}

static int32_t tile_slot_of(const BarrierProving *p, const int32_t *state,
                            int agent, TileProtocolScalarId id) {
  ProtocolNumber number = {0};
  if (id >= 0)
    number = barrier_number_of(p, state, agent, id);
  return is_exact(number) ? (int32_t)number.value : BARRIER_ALL_SLOTS;
}

static bool step_of(BarrierProving *p, const int32_t *state, int agent,
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
static bool meet(BarrierProving *p, int32_t *state, int agent,
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
static bool run_event(BarrierProving *p, int32_t *state, int agent,
                      const TileProtocolNode *node) {
  TraceStep step;
  if (node->kind == TILE_PROTOCOL_ASSIGN) {
    bind(p, state, agent, 1, &node->to, &node->from);
    move_facts(p, state, agent);
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

static unsigned loop_outcomes(const BarrierProving *p, const int32_t *state,
                              int agent, const TileProtocolNode *loop) {
  ProtocolNumber iv = barrier_number_of(p, state, agent, loop->iv);
  ProtocolNumber upper = barrier_number_of(p, state, agent, loop->upper);
  ProtocolNumber step = barrier_number_of(p, state, agent, loop->step);
  ProtocolNumber lower = barrier_number_of(p, state, agent, loop->lower);
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

static unsigned outcomes_like(int outcome) {
  return outcome < 0 ? ENDS | GOES_ON : outcome ? GOES_ON : ENDS;
}

// The outcomes that numbers and facts of an agent leave open, and others.
static unsigned outcomes_of(const BarrierProving *p, const int32_t *state,
                            int agent, const BarrierCode *code) {
  unsigned outcomes = outcomes_like(recalled(p, state, agent));
  outcomes &= outcomes_like(barrier_alike_outcome(
      &p->alike, state + p->first_alike, agent, code->decision));
  if (code->kind == CODE_HEAD)
    return outcomes & loop_outcomes(p, state, agent, code->node);
  ProtocolNumber number =
      barrier_number_of(p, state, agent, code->node->condition);
  if (is_exact(number))
    outcomes &= number.value & 1 ? GOES_ON : ENDS;
  return outcomes;
}

static bool is_decision(const BarrierCode *code) {
  return code->kind >= CODE_BRANCH && code->kind <= CODE_WHILE;
}

// Whether there is nothing to decide: numbers or facts tell, or another role.
// What facts tell of a loop may be that it never ends, so its states are kept.
static bool is_known(const BarrierProving *p, const int32_t *state, int agent,
                     const BarrierCode *code) {
  const int32_t *alike = state + p->first_alike;
  if (!barrier_alike_may_decide(&p->alike, alike, agent, code->decision))
    return false;
  if ((code->kind == CODE_BRANCH && recalled(p, state, agent) >= 0) ||
      barrier_alike_outcome(&p->alike, alike, agent, code->decision) >= 0)
    return true;
  if (code->kind != CODE_HEAD)
    return is_exact(barrier_number_of(p, state, agent, code->node->condition));
  return is_exact(barrier_number_of(p, state, agent, code->node->iv)) &&
         is_exact(barrier_number_of(p, state, agent, code->node->upper));
}

static void go(const BarrierProving *p, int32_t *state, int agent,
               unsigned outcome) {
  const BarrierCode *code = code_at(p, state, agent);
  barrier_recall_learn(&p->recall, facts_of(p, state, agent),
                       recall_at(p, state, agent), outcome == GOES_ON);
  barrier_alike_decide(&p->alike, state + p->first_alike, agent, code->decision,
                       outcome == GOES_ON);
  if (outcome == ENDS)
    move_facts(p, state, agent);
  state[agent] = outcome == GOES_ON ? state[agent] + 1 : code->target;
}

//===-- Eager execution ---------------------------------------------------===//

// False when the agent waits, decides or has ended.
static bool run_code(BarrierProving *p, int32_t *state, int agent) {
  const BarrierCode *code = code_at(p, state, agent);
  switch (code->kind) {
  case CODE_EVENT:
    return run_event(p, state, agent, code->node);
  case CODE_BRANCH:
  case CODE_HEAD:
  case CODE_WHILE:
    if (!is_known(p, state, agent, code))
      return false;
    p->is_impossible |= outcomes_of(p, state, agent, code) == 0;
    go(p, state, agent, outcomes_of(p, state, agent, code));
    return !p->is_impossible;
  case CODE_JUMP:
    move_facts(p, state, agent);
    state[agent] = code->target;
    return true;
  case CODE_BIND:
    bind(p, state, agent, code->count, code->to, code->from);
    move_facts(p, state, agent);
    break;
  case CODE_NEXT:
    next_iteration(p, state, agent, code->node);
    move_facts(p, state, agent);
    break;
  case CODE_END:
    return false;
  }
  state[agent]++;
  return true;
}

static bool is_over(const BarrierProving *p) {
  return p->is_impossible || barrier_proving_is_over(p);
}

static void run_eagerly(BarrierProving *p, int32_t *state) {
  int steps = 0;
  p->is_impossible = false;
  for (bool moved = true; moved && !is_over(p);) {
    moved = false;
    for (int a = 0; a < p->machine.num_agents; a++)
      while (!is_over(p) && run_code(p, state, a)) {
        moved = true;
        if (++steps > MAX_STEPS) {
          barrier_proving_stop(
              p, "too-many-states", barrier_role_of(a), NULL,
              "runs for more than %d steps without a decision that is open",
              MAX_STEPS);
          return;
        }
      }
  }
}

//===-- States that have been seen ----------------------------------------===//

// Of states that only differ in the parity of a slot and in what changes with
// it, the one where that is 0.
static void flip(const BarrierProving *p, int32_t *state, int slot) {
  barrier_words(&p->machine, state + p->first_word, slot)[BARRIER_PHASE] ^= 1;
  for (int a = 0; a < p->machine.num_agents; a++) {
    int role = barrier_role_of(a);
    int32_t *bound = state + p->first_bound[a];
    for (int i = 0; i < p->bindings[role].num_places; i++)
      if (p->mirror.places[role][slot] >> i & 1 && bound[i] != PROTOCOL_UNBOUND)
        bound[i] ^= 1;
  }
}

static void flip_all(const BarrierProving *p, int32_t *state) {
  for (int s = 0; s < p->machine.num_slots; s++) {
    const int32_t *words = barrier_words(&p->machine, state + p->first_word, s);
    if (words[BARRIER_PHASE] &&
        barrier_mirror_may_flip(&p->mirror, p->machine.num_agents, state, s))
      flip(p, state, s);
  }
}

static void keep(BarrierProving *p) {
  int32_t *state = protocol_seen_next(&p->states);
  for (int a = 0; a < p->machine.num_agents; a++) {
    int role = barrier_role_of(a);
    barrier_numbers_forget(p->numbers[role], &p->bindings[role], state[a],
                           state + p->first_bound[a]);
    barrier_recall_forget(&p->recall, facts_of(p, state, a),
                          recall_at(p, state, a));
  }
  barrier_forget_common(&p->machine, state + p->first_word);
  flip_all(p, state);
  int like = p->merges ? protocol_seen_like(&p->states, state) : -1;
  if (like >= 0)
    barrier_machine_merge(&p->machine,
                          protocol_seen_at(&p->states, like) + p->first_word,
                          state + p->first_word);
  int max_configs = MAX_CONFIG_WORDS / p->num_words;
  max_configs = max_configs < MAX_CONFIGS ? max_configs : MAX_CONFIGS;
  if (p->states.count == max_configs)
    barrier_proving_stop(p, "too-many-states", -1, NULL,
                         "the threads reach more than %d states together",
                         max_configs);
  else
    protocol_seen_keep(&p->states);
}

//===-- What is at a standstill -------------------------------------------===//

// The agents that are at the decision where `agent` is.
static unsigned deciders_of(const BarrierProving *p, const int32_t *state,
                            int agent) {
  unsigned mask = 0;
  for (int a = 0; a < p->machine.num_agents; a++) {
    const BarrierCode *other = code_at(p, state, a);
    if (is_decision(other) &&
        other->decision == code_at(p, state, agent)->decision)
      mask |= 1u << a;
  }
  return mask;
}

// All that decide alike where `agent` is.
static unsigned alike_with(const BarrierProving *p, const int32_t *state,
                           int agent) {
  unsigned roles = p->listing.deciders[code_at(p, state, agent)->decision];
  unsigned mask = 0;
  for (int a = 0; a < p->machine.num_agents; a++)
    mask |= (roles >> barrier_role_of(a) & 1) << a;
  return mask;
}

// Those that decide next: all that do so alike, or else some in front of the
// others; 0 when they have to wait.
static unsigned next_deciders(const BarrierProving *p, const int32_t *state) {
  unsigned some = 0;
  for (int a = 0; a < p->machine.num_agents; a++) {
    const BarrierCode *code = code_at(p, state, a);
    if (!is_decision(code) ||
        !barrier_alike_may_decide(&p->alike, state + p->first_alike, a,
                                  code->decision))
      continue;
    unsigned mask = deciders_of(p, state, a);
    if (mask == alike_with(p, state, a))
      return mask;
    unsigned role = 3u << 2 * barrier_role_of(a);
    if (!some && (mask & role) == role)
      some = mask;
  }
  return some;
}

// Whether a role decides on what no other role is seen to decide on.
static bool has_own_decisions(const BarrierProving *p) {
  bool found = false;
  for (int i = 0; i < p->listing.num_decisions; i++) {
    unsigned roles = p->listing.deciders[i];
    found |= (roles & (roles - 1)) == 0;
  }
  return found && p->program->protocol.num_roles > 1;
}

static void report_stuck(BarrierProving *p, const int32_t *state) {
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
    barrier_proving_stop(
        p, "out-of-step", barrier_role_of(waits < 0 ? decides : waits),
        code->node,
        "goes on only when role \"%s\" takes more decisions in front of those "
        "that are alike than can be followed",
        p->program->protocol.roles[barrier_role_of(decides)].name);
  else if (has_own_decisions(p))
    barrier_proving_stop(
        p, "different-decision", barrier_role_of(waits), code->node,
        "waits here for ever if roles decide differently on values that are "
        "not seen to be equal");
  else
    barrier_proving_stop(
        p, "deadlock", barrier_role_of(waits), code->node,
        "waits here, and nobody who could end this wait goes on");
}

// The agents of `mask` decide.
static void follow(BarrierProving *p, const int32_t *state, unsigned mask,
                   unsigned outcome) {
  int32_t *next = protocol_seen_next(&p->states);
  memcpy(next, state, sizeof *next * (size_t)p->num_words);
  for (int a = 0; a < p->machine.num_agents; a++)
    if (mask & 1u << a)
      go(p, next, a, outcome);
  run_eagerly(p, next);
  if (!is_over(p))
    keep(p);
}

// Goes on with every outcome of a decision.
static void expand(BarrierProving *p, const int32_t *state) {
  unsigned mask = next_deciders(p, state), outcomes = ENDS | GOES_ON;
  if (!mask) {
    report_stuck(p, state);
    return;
  }
  for (int a = 0; a < p->machine.num_agents; a++)
    if (mask & 1u << a)
      outcomes &= outcomes_of(p, state, a, code_at(p, state, a));
  for (unsigned outcome = ENDS; outcome <= GOES_ON; outcome++)
    if (outcomes & outcome && !barrier_proving_is_over(p))
      follow(p, state, mask, outcome);
}

//===-- Entry -------------------------------------------------------------===//

static void start_all(BarrierProving *p) {
  int64_t num_starts = barrier_proving_num_starts(p);
  for (int64_t i = 0; i < num_starts && !barrier_proving_is_over(p); i++) {
    int32_t *state = protocol_seen_next(&p->states);
    barrier_proving_start(p, i, state);
    run_eagerly(p, state);
    if (!is_over(p))
      keep(p);
  }
}

// With `merges`, states whose agents are at the same places become one in which
// nobody knows more than in each of them: few, but it may be too little.
static void prove(const BarrierProgram *program, bool merges,
                  TileProtocolVerdict *verdict) {
  TileArena scratch;
  tile_arena_init(&scratch);
  BarrierProving *p = TILE_ARENA_NEW(&scratch, BarrierProving, 1);
  *p = (BarrierProving){.program = program,
                        .arena = &scratch,
                        .merges = merges,
                        .verdict = verdict};
  barrier_listing_build(program, &scratch, &p->listing);
  if (barrier_proving_lay_out(p)) {
    start_all(p);
    for (int i = 0; i < p->states.count && !barrier_proving_is_over(p); i++) {
      const int32_t *state = protocol_seen_at(&p->states, i);
      if (!p->merges || protocol_seen_like(&p->states, state) == i)
        expand(p, state);
    }
  }
  verdict->num_states = p->states.count;
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
  for (int merges = 1; merges >= 0; merges--) {
    *out_verdict = (TileProtocolVerdict){.role = -1, .channel = -1};
    prove(program, merges, out_verdict);
    if (out_verdict->outcome == TILE_PROTOCOL_PROVED)
      return;
  }
  if (barrier_program_try(program, limits, arena, out_verdict))
    out_verdict->outcome = TILE_PROTOCOL_REJECTED;
}
