//===- Machine.c - What threads know of each other ------------------------===//
//
// One schedule is enough: as long as no rule is broken, every other one makes
// the same waits end by the same phases. The rules, of an event in this
// schedule, say that it could not have come at another time in any:
//
//   (B1) who waits for a phase knows that the one before it is complete;
//   (B2) a phase completes only when all who waited for the one before it are
//        known to have passed;
//   (B3) who arrives in a phase, or adds bytes to it, knows that the phase
//        before it is complete;
//   (B4) bytes that are expected without an arrival are followed by one of the
//        same thread in the phase;
//   (B5) who accesses a tile knows that what it conflicts with is over; who
//        reads it by the async proxy, that writers have fenced;
//   (B6) all that is read of a slot of a channel was filled after its readers
//        gave it back.
//
// Threads of one role do not know of each other what none of them has told.
// Conflicts of generic accesses between them are those of tile-insert-sync.
//
//===----------------------------------------------------------------------===//

#include "Facts.h"

#include <stdio.h>
#include <string.h>

// What stays true of control when the memory of a thread is not ordered.
static void join_phases(const ProofMachine *m, int32_t *to,
                        const int32_t *from) {
  for (int i = proof_fact_phase(m, 0, 0); i < m->num_facts; i++)
    if (proof_has(from, i))
      proof_put(to, i);
  for (int i = m->fact_words; i < m->set_words; i++)
    to[i] = to[i] > from[i] ? to[i] : from[i];
}

//===-- Phases ------------------------------------------------------------===//

static int row_of(const ProofMachine *m, int slot) {
  int row = 0;
  while (slot >= m->first_slot[row + 1])
    row++;
  return row;
}

static int count_of(const ProofMachine *m, int slot) {
  return m->program->rows[row_of(m, slot)].count;
}

static void report_missed(const ProofMachine *m, int agent, const ProofOp *op,
                          int waiting) {
  char who[96] = "threads";
  if (!m->program->is_of_block)
    snprintf(who, sizeof who, "%s role \"%s\"",
             proof_is_leader(waiting) ? "one thread of" : "threads of",
             m->program->roles[proof_role_of(waiting)].name);
  proof_fail(m, agent, op, "missed-phase",
             "completes a phase while %s may still wait for the one before "
             "it, which they would miss: no arrival tells that they have "
             "passed",
             who);
}

// (B2), and the facts of all phases grow older.
static void end_phase(const ProofMachine *m, int32_t *state, int slot,
                      int agent, const ProofOp *op) {
  int32_t *barrier = proof_words(m, state, slot);
  int32_t *gathering = proof_gathering(m, state, slot);
  int last = proof_fact_phase(m, slot, PROOF_LAST_COMPLETE);
  int before = proof_fact_phase(m, slot, PROOF_ONE_BEFORE);
  for (int a = 0; a < m->num_agents; a++) {
    int wait = proof_fact_phase(m, slot, PROOF_FIRST_WAIT + a);
    if (proof_is_active(m, state, wait) && !proof_has(gathering, wait))
      report_missed(m, agent, op, a);
    proof_deactivate(m, state, wait);
    if (barrier[PROOF_BLOCKED] & 1 << a)
      proof_put(state + m->active, wait);
  }
  for (int i = 0; i < proof_num_sets(m); i++) {
    int32_t *set = state + m->sets + i * m->set_words;
    if (proof_has(set, last))
      proof_put(set, before);
    else
      proof_take(set, before);
    proof_take(set, last);
  }
  proof_put(gathering, last);
  proof_put(gathering, before);
  memcpy(proof_complete(m, state, slot), gathering,
         sizeof *state * (size_t)m->set_words);
  memset(gathering, 0, sizeof *state * (size_t)m->set_words);
  barrier[PROOF_PHASE] ^= 1;
  barrier[PROOF_PENDING] = count_of(m, slot);
  barrier[PROOF_BLOCKED] = 0;
  int row = row_of(m, slot);
  proof_empty(m, state, row, slot - m->first_slot[row]);
}

void proof_check_phase(const ProofMachine *m, int32_t *state, int slot,
                       int agent, const ProofOp *op) {
  const int32_t *barrier = proof_words(m, state, slot);
  if (barrier[PROOF_PENDING])
    return;
  if (barrier[PROOF_BYTES] < 0)
    proof_fail(m, agent, op, "tx-bytes",
               "copies have %d bytes more than the phase expects",
               -barrier[PROOF_BYTES]);
  else if (barrier[PROOF_BYTES] == 0 && barrier[PROOF_OPEN])
    proof_fail(
        m, agent, op, "tx-bytes",
        "the phase may complete before bytes are expected that no arrival of "
        "the same thread follows");
  else if (barrier[PROOF_BYTES] == 0)
    end_phase(m, state, slot, agent, op);
}

// (B3)
bool proof_is_in_phase(const ProofMachine *m, int32_t *state, int slot,
                       int agent, const ProofOp *op, const char *what) {
  if (proof_has(proof_known(m, state, agent),
                proof_fact_phase(m, slot, PROOF_LAST_COMPLETE)))
    return true;
  proof_fail(m, agent, op, "early-arrival",
             "%s a phase while the one before it may not be complete", what);
  return false;
}

int proof_slot_index(const ProofMachine *m, int agent, const ProofOp *op,
                     int row, int slot) {
  int depth = m->program->rows[row].depth;
  if (slot >= 0 && slot < depth)
    return m->first_slot[row] + slot;
  proof_fail(m, agent, op, "no-slot", "uses slot %d of %d", slot, depth);
  return -1;
}

static ProofResult wait(const ProofMachine *m, int32_t *state, int agent,
                        const ProofStep *step) {
  const ProofOp *op = step->op;
  int slot = proof_slot_index(m, agent, op, op->wait.row, step->slot);
  if (slot < 0)
    return PROOF_DONE;
  int32_t *barrier = proof_words(m, state, slot);
  int32_t *known = proof_known(m, state, agent);
  bool is_next = (step->parity & 1) == barrier[PROOF_PHASE]; // incomplete
  if (!proof_has(known, proof_fact_phase(m, slot,
                                         is_next ? PROOF_LAST_COMPLETE
                                                 : PROOF_ONE_BEFORE)) &&
      !(barrier[PROOF_BLOCKED] & 1 << agent)) {
    proof_fail(
        m, agent, op, "early-wait",
        "waits for parity %d of slot %d while an earlier phase of that parity "
        "may be the last one that is complete",
        step->parity & 1, step->slot);
    return PROOF_DONE;
  }
  if (is_next) {
    barrier[PROOF_BLOCKED] |= 1 << agent;
    return PROOF_WAITS;
  }
  int passed = proof_fact_phase(m, slot, PROOF_FIRST_WAIT + agent);
  proof_activate(m, state, passed);
  proof_join(m, known, proof_complete(m, state, slot));
  proof_put(proof_own(m, state, agent), passed);
  return PROOF_DONE;
}

// How many of the arrivals of an op are those of the agent.
static int share_of(const ProofMachine *m, int agent, const ProofOp *op) {
  int threads = m->program->roles[proof_role_of(agent)].num_threads;
  int leaders = op->arrive.count ? 1 : 0;
  switch (op->threads) {
  case PROOF_LEADER:
    return proof_is_leader(agent) ? op->arrive.count : 0;
  case PROOF_ALL_WARPS: // the leader makes that of its warp
    return proof_is_leader(agent) ? leaders : op->arrive.count - leaders;
  case PROOF_ALL_THREADS:
    return proof_is_leader(agent) ? 1 : threads - 1;
  }
  return 0;
}

static void arrive(const ProofMachine *m, int32_t *state, int agent,
                   const ProofStep *step) {
  const ProofOp *op = step->op;
  int slot = proof_slot_index(m, agent, op, op->arrive.row, step->slot);
  int count = share_of(m, agent, op);
  bool is_bytes = op->threads == PROOF_LEADER && proof_is_leader(agent);
  if (slot < 0 || (count == 0 && !is_bytes) ||
      !proof_is_in_phase(m, state, slot, agent, op, "arrives in"))
    return;
  int32_t *barrier = proof_words(m, state, slot);
  int32_t *gathering = proof_gathering(m, state, slot);
  if (count > barrier[PROOF_PENDING]) {
    proof_fail(m, agent, op, "over-arrival",
               "makes %d arrivals where the phase waits for %d more", count,
               barrier[PROOF_PENDING]);
    return;
  }
  barrier[PROOF_PENDING] -= count;
  barrier[PROOF_BYTES] += (int32_t)op->arrive.bytes;
  barrier[PROOF_OPEN] &= count ? ~(1 << agent) : ~0;
  barrier[PROOF_OPEN] |= count ? 0 : 1 << agent;
  if (!op->arrive.is_async) {
    proof_join(m, gathering, proof_known(m, state, agent));
    proof_join(m, gathering, proof_own(m, state, agent));
  } else { // when its copies have landed; orders nothing else
    join_phases(m, gathering, proof_known(m, state, agent));
    join_phases(m, gathering, proof_own(m, state, agent));
    for (int r = 0; r < m->num_resources; r++)
      if (*proof_age(m, state, agent, r, PROOF_COPIES))
        proof_put(gathering, proof_fact_written(m, r, agent));
  }
  proof_check_phase(m, state, slot, agent, op);
}

//===-- Turns -------------------------------------------------------------===//

// The next role that takes turns.
static int role_after(const ProofMachine *m, int role) {
  int count = m->program->num_roles;
  do
    role = (role + 1) % count;
  while (m->program->roles[role].num_turns == 0);
  return role;
}

// All warpgroups of a role have their turns one after the other, so to the
// others it is one.
static ProofResult turn(const ProofMachine *m, int32_t *state, int agent,
                        const ProofOp *op) {
  int32_t *words = state + m->turns;
  int32_t mine = 1 << agent, both = 3 << 2 * proof_role_of(agent);
  if (!op->turn.begins) {
    if (!(words[PROOF_IN_TURN] & mine))
      proof_fail(m, agent, op, "turn", "a turn may end that has not begun");
    words[PROOF_IN_TURN] &= ~mine;
    words[PROOF_HAS_ARRIVED] &= ~mine;
    words[PROOF_TURNS_ENDED] |= mine;
    proof_join(m, proof_handed_on(m, state), proof_known(m, state, agent));
    proof_join(m, proof_handed_on(m, state), proof_own(m, state, agent));
    if ((words[PROOF_TURNS_ENDED] & both) == both) {
      words[PROOF_TURNS_ENDED] = 0;
      words[PROOF_WHOSE_TURN] = role_after(m, proof_role_of(agent));
    }
    return PROOF_DONE;
  }
  if (words[PROOF_IN_TURN] & mine)
    proof_fail(m, agent, op, "turn", "a turn may begin within a turn");
  if (words[PROOF_WHOSE_TURN] != proof_role_of(agent) ||
      (words[PROOF_TURNS_ENDED] & mine))
    return PROOF_WAITS;
  words[PROOF_IN_TURN] |= mine;
  proof_join(m, proof_known(m, state, agent), proof_handed_on(m, state));
  return PROOF_DONE;
}

// The warpgroups of one role come one after the other: what one of them waits
// for in its turn must not need those that have not had theirs.
static void check_turn(const ProofMachine *m, int32_t *state, int agent,
                       const ProofOp *op) {
  int32_t *words = state + m->turns, mine = 1 << agent;
  if (m->program->roles[proof_role_of(agent)].num_turns < 2 ||
      !(words[PROOF_IN_TURN] & mine))
    return;
  if (op->kind == PROOF_ARRIVE)
    words[PROOF_HAS_ARRIVED] |= mine;
  else if (op->kind == PROOF_WAIT && (words[PROOF_HAS_ARRIVED] & mine))
    proof_fail(m, agent, op, "turn",
               "waits after an arrival in the same turn, while other "
               "warpgroups of the role wait for theirs");
}

//===-- Events ------------------------------------------------------------===//

ProofResult proof_machine_step(const ProofMachine *m, int32_t *state, int agent,
                               const ProofStep *step) {
  const ProofOp *op = step->op;
  check_turn(m, state, agent, op);
  switch (op->kind) {
  case PROOF_WAIT:
    return wait(m, state, agent, step);
  case PROOF_ARRIVE:
    arrive(m, state, agent, step);
    break;
  case PROOF_FILL:
    proof_fill(m, state, agent, step);
    break;
  case PROOF_READ:
    proof_read(m, state, agent, step);
    break;
  case PROOF_AWAIT:
    proof_retire(m, state, agent, (int)op->await.kind, op->await.pending);
    break;
  case PROOF_CLOSE:
    proof_grow_older(m, state, agent, PROOF_COPIES);
    break;
  case PROOF_FENCE:
    proof_fence(m, state, agent);
    break;
  case PROOF_SYNC:
    return PROOF_MEETS;
  case PROOF_TURN:
    return turn(m, state, agent, op);
  default:
    break;
  }
  return PROOF_DONE;
}

void proof_machine_meet(const ProofMachine *m, int32_t *state, unsigned mask) {
  int32_t *first = NULL;
  for (int a = 0; a < m->num_agents; a++) {
    if (!(mask & 1u << a))
      continue;
    int32_t *known = proof_known(m, state, a);
    proof_join(m, known, proof_own(m, state, a));
    if (first)
      proof_join(m, first, known);
    else
      first = known;
  }
  for (int a = 0; a < m->num_agents; a++)
    if (mask & 1u << a) {
      memmove(proof_known(m, state, a), first,
              sizeof *state * (size_t)m->set_words);
      if (!proof_is_leader(a))
        memset(proof_own(m, state, a), 0, sizeof *state * (size_t)m->set_words);
    }
}

void proof_machine_end(const ProofMachine *m, int32_t *state) {
  for (int r = 0; r < m->num_resources; r++) {
    int fact = proof_fact_landed(m, r);
    bool is_known = !proof_is_active(m, state, fact);
    for (int a = 0; a < m->num_agents; a++)
      is_known |= proof_has(proof_known(m, state, a), fact);
    if (!is_known)
      proof_fail(m, 0, NULL, "exit-in-flight",
                 "ends while a copy that nobody waits for may be under way");
  }
  for (int s = 0; s < m->num_slots; s++) {
    int bytes = proof_words(m, state, s)[PROOF_BYTES];
    if (bytes > 0)
      proof_fail(m, 0, NULL, "tx-bytes",
                 "ends while a phase waits for %d bytes that no copy brings",
                 bytes);
  }
}

void proof_machine_missing(const ProofMachine *m, const int32_t *state, int row,
                           int slot, int *out_arrivals, int *out_bytes) {
  const int32_t *barrier =
      state + m->barriers + (m->first_slot[row] + slot) * PROOF_WORDS;
  *out_arrivals = barrier[PROOF_PENDING];
  *out_bytes = barrier[PROOF_BYTES];
}

//===-- Clocks ------------------------------------------------------------===//

int proof_machine_clock(const ProofMachine *m, const int32_t *state, int agent,
                        int who) {
  int at = m->fact_words + who;
  int own = proof_is_leader(agent) ? agent : m->num_agents + agent;
  int a = state[m->sets + agent * m->set_words + at];
  int b = state[m->sets + own * m->set_words + at];
  return a > b ? a : b;
}

void proof_machine_tick(const ProofMachine *m, int32_t *state, int agent,
                        int now) {
  if (m->clock_words)
    proof_own(m, state, agent)[m->fact_words + agent] = now;
}

//===-- Set up ------------------------------------------------------------===//

static void number_resources(ProofMachine *m, TileArena *arena) {
  const ProofProgram *p = m->program;
  int count = p->num_windows;
  m->first_resource = TILE_ARENA_NEW(arena, int, count + 1);
  for (int w = 0; w < count; w++) {
    m->first_resource[w] = m->num_resources;
    m->num_resources +=
        p->windows[w].has_slot ? p->buffers[p->windows[w].buffer].num_slots : 1;
  }
  m->first_resource[count] = m->num_resources;
}

// What is done to the bytes of a buffer.
typedef struct {
  unsigned roles;
  bool is_async, is_read_async;
} BufferUse;

static void note_use(const ProofProgram *p, BufferUse *uses, int window,
                     int role, bool is_async, bool is_read_async) {
  for (int b = 0; b < p->num_buffers; b++) {
    if (!proof_buffers_overlap(p, b, p->windows[window].buffer))
      continue;
    uses[b].roles |= 1u << role;
    uses[b].is_async |= is_async;
    uses[b].is_read_async |= is_read_async;
  }
}

static void find_uses(const ProofProgram *p, int role, BufferUse *uses) {
  for (int i = 0; i < p->roles[role].num_ops; i++) {
    const ProofOp *op = &p->roles[role].ops[i];
    if (op->kind == PROOF_FILL)
      note_use(p, uses, op->fill.place.window, role,
               op->fill.how != PROOF_BY_STORES, false);
    for (int r = 0; op->kind == PROOF_READ && r < op->read.count; r++)
      note_use(p, uses, op->read.places[r].window, role,
               op->read.is_async || op->read.is_product || op->read.is_store,
               op->read.is_async);
  }
}

static void classify_resources(ProofMachine *m, TileArena *arena) {
  const ProofProgram *p = m->program;
  BufferUse *uses = TILE_ARENA_NEW(arena, BufferUse, p->num_buffers + 1);
  m->is_checked = TILE_ARENA_NEW(arena, bool, m->num_resources + 1);
  m->is_read_async = TILE_ARENA_NEW(arena, bool, m->num_resources + 1);
  for (int r = 0; r < p->num_roles; r++)
    find_uses(p, r, uses);
  for (int w = 0; w < p->num_windows; w++) {
    const BufferUse *use = &uses[p->windows[w].buffer];
    bool is_ring = p->buffers[p->windows[w].buffer].empty_row >= 0;
    for (int r = m->first_resource[w]; r < m->first_resource[w + 1]; r++) {
      m->is_checked[r] =
          is_ring || use->is_async || (use->roles & (use->roles - 1));
      m->is_read_async[r] = use->is_read_async;
    }
  }
}

void proof_machine_init(ProofMachine *m, const ProofProgram *program,
                        bool has_clocks, TileArena *arena, ProofFault *fault) {
  *m = (ProofMachine){
      .program = program, .num_agents = 2 * program->num_roles, .fault = fault};
  m->first_slot = TILE_ARENA_NEW(arena, int, program->num_rows + 1);
  for (int r = 0; r < program->num_rows; r++) {
    m->first_slot[r] = m->num_slots;
    m->num_slots += program->rows[r].depth;
  }
  m->first_slot[program->num_rows] = m->num_slots;
  number_resources(m, arena);
  classify_resources(m, arena);
  m->num_facts = proof_fact_phase(m, m->num_slots, 0);
  m->fact_words = m->num_facts / 32 + 1;
  m->clock_words = has_clocks ? m->num_agents : 0;
  m->boxes = TILE_ARENA_NEW(arena, ProofBox, m->num_resources + 1);
  m->set_words = m->fact_words + m->clock_words;
  m->barriers = m->turns + PROOF_TURN_WORDS;
  m->ages = m->barriers + m->num_slots * PROOF_WORDS;
  m->active = m->ages + m->num_agents * m->num_resources * PROOF_NUM_UNDER_WAY;
  m->filled = m->active + m->fact_words;
  m->sets = m->filled + m->fact_words;
  m->num_words = m->sets + proof_num_sets(m) * m->set_words;
  if (has_clocks) {
    int count = m->num_resources * m->num_agents + 1;
    m->last_read = TILE_ARENA_NEW(arena, const ProofOp *, count);
    m->last_write = TILE_ARENA_NEW(arena, const ProofOp *, count);
  }
}

// Barriers are fresh: who waits for the phase before the first one passes.
void proof_machine_start(const ProofMachine *m, int32_t *state) {
  memset(state, 0, sizeof *state * (size_t)m->num_words);
  if (m->program->roles[0].num_turns == 0)
    for (int r = m->program->num_roles - 1; r > 0; r--)
      if (m->program->roles[r].num_turns)
        state[m->turns + PROOF_WHOSE_TURN] = r;
  for (int s = 0; s < m->num_slots; s++) {
    proof_words(m, state, s)[PROOF_PENDING] = count_of(m, s);
    for (int a = 0; a < m->num_agents; a++) {
      int32_t *known = proof_known(m, state, a);
      proof_put(known, proof_fact_phase(m, s, PROOF_LAST_COMPLETE));
      proof_put(known, proof_fact_phase(m, s, PROOF_ONE_BEFORE));
    }
  }
}
