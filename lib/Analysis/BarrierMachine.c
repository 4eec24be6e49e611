//===- BarrierMachine.c - What threads know of each other -----------------===//
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
//        reads it by the async proxy, that writers have fenced.
//
// Threads of one role do not know of each other what none of them has told.
// Conflicts of generic accesses between them are those of tile-insert-sync.
//
//===----------------------------------------------------------------------===//

#include "BarrierFacts.h"

#include <stdio.h>
#include <string.h>

// What stays true of control when the memory of a thread is not ordered.
static void join_phases(const BarrierMachine *m, int32_t *to,
                        const int32_t *from) {
  for (int i = fact_phase(m, 0, 0); i < m->num_facts; i++)
    if (barrier_has(from, i))
      barrier_put(to, i);
  for (int i = m->fact_words; i < m->set_words; i++)
    to[i] = to[i] > from[i] ? to[i] : from[i];
}

//===-- Phases ------------------------------------------------------------===//

static int count_of(const BarrierMachine *m, int slot) {
  int row = 0;
  while (slot >= m->first_slot[row + 1])
    row++;
  return m->protocol->channels[row].full_count;
}

static void report_missed(const BarrierMachine *m, int agent,
                          const TileProtocolNode *node, int waiting) {
  char who[96] = "threads";
  if (!m->protocol->is_of_block)
    snprintf(who, sizeof who, "%s role \"%s\"",
             barrier_is_leader(waiting) ? "one thread of" : "threads of",
             m->protocol->roles[barrier_role_of(waiting)].name);
  barrier_fail(m, agent, node, "missed-phase",
               "completes a phase while %s may still wait for the one before "
               "it, which they would miss: no arrival tells that they have "
               "passed",
               who);
}

// (B2), and the facts of all phases grow older.
static void end_phase(const BarrierMachine *m, int32_t *state, int slot,
                      int agent, const TileProtocolNode *node) {
  int32_t *barrier = barrier_words(m, state, slot);
  int32_t *gathering = barrier_gathering(m, state, slot);
  int last = fact_phase(m, slot, BARRIER_LAST_COMPLETE);
  int before = fact_phase(m, slot, BARRIER_ONE_BEFORE);
  for (int a = 0; a < m->num_agents; a++) {
    int wait = fact_phase(m, slot, BARRIER_FIRST_WAIT + a);
    if (barrier_is_active(m, state, wait) && !barrier_has(gathering, wait))
      report_missed(m, agent, node, a);
    barrier_deactivate(m, state, wait);
    if (barrier[BARRIER_BLOCKED] & 1 << a)
      barrier_put(state + m->active, wait);
  }
  for (int i = 0; i < barrier_num_sets(m); i++) {
    int32_t *set = state + m->sets + i * m->set_words;
    if (barrier_has(set, last))
      barrier_put(set, before);
    else
      barrier_take(set, before);
    barrier_take(set, last);
  }
  barrier_put(gathering, last);
  barrier_put(gathering, before);
  memcpy(barrier_complete(m, state, slot), gathering,
         sizeof *state * (size_t)m->set_words);
  memset(gathering, 0, sizeof *state * (size_t)m->set_words);
  barrier[BARRIER_PHASE] ^= 1;
  barrier[BARRIER_PENDING] = count_of(m, slot);
  barrier[BARRIER_BLOCKED] = 0;
}

void barrier_check_phase(const BarrierMachine *m, int32_t *state, int slot,
                         int agent, const TileProtocolNode *node) {
  const int32_t *barrier = barrier_words(m, state, slot);
  if (barrier[BARRIER_PENDING])
    return;
  if (barrier[BARRIER_BYTES] < 0)
    barrier_fail(m, agent, node, "tx-bytes",
                 "copies have %d bytes more than the phase expects",
                 -barrier[BARRIER_BYTES]);
  else if (barrier[BARRIER_BYTES] == 0 && barrier[BARRIER_OPEN])
    barrier_fail(
        m, agent, node, "tx-bytes",
        "the phase may complete before bytes are expected that no arrival of "
        "the same thread follows");
  else if (barrier[BARRIER_BYTES] == 0)
    end_phase(m, state, slot, agent, node);
}

// (B3)
bool barrier_is_in_phase(const BarrierMachine *m, int32_t *state, int slot,
                         int agent, const TileProtocolNode *node,
                         const char *what) {
  if (barrier_has(barrier_known(m, state, agent),
                  fact_phase(m, slot, BARRIER_LAST_COMPLETE)))
    return true;
  barrier_fail(m, agent, node, "early-arrival",
               "%s a phase while the one before it may not be complete", what);
  return false;
}

int barrier_slot_index(const BarrierMachine *m, int agent,
                       const TileProtocolNode *node, int row, int slot) {
  int depth = m->protocol->channels[row].depth;
  if (slot >= 0 && slot < depth)
    return m->first_slot[row] + slot;
  barrier_fail(m, agent, node, "no-slot", "uses slot %d of %d", slot, depth);
  return -1;
}

static BarrierResult wait(const BarrierMachine *m, int32_t *state, int agent,
                          const TraceStep *step) {
  const TileProtocolNode *node = step->node;
  int slot = barrier_slot_index(m, agent, node, node->channel, step->slot);
  if (slot < 0 ||
      (node->threads == TILE_PROTOCOL_LEADER && !barrier_is_leader(agent)))
    return BARRIER_DONE;
  int32_t *barrier = barrier_words(m, state, slot);
  int32_t *known = barrier_known(m, state, agent);
  bool is_next = (step->parity & 1) == barrier[BARRIER_PHASE]; // incomplete
  if (!barrier_has(known, fact_phase(m, slot,
                                     is_next ? BARRIER_LAST_COMPLETE
                                             : BARRIER_ONE_BEFORE)) &&
      !(barrier[BARRIER_BLOCKED] & 1 << agent)) {
    barrier_fail(
        m, agent, node, "early-wait",
        "waits for parity %d of slot %d while an earlier phase of that parity "
        "may be the last one that is complete",
        step->parity & 1, step->slot);
    return BARRIER_DONE;
  }
  if (is_next) {
    barrier[BARRIER_BLOCKED] |= 1 << agent;
    return BARRIER_WAITS;
  }
  int passed = fact_phase(m, slot, BARRIER_FIRST_WAIT + agent);
  barrier_activate(m, state, passed);
  barrier_join(m, known, barrier_complete(m, state, slot));
  barrier_put(barrier_own(m, state, agent), passed);
  return BARRIER_DONE;
}

// How many of the arrivals of an op are those of the agent.
static int share_of(const BarrierMachine *m, int agent,
                    const TileProtocolNode *node) {
  int threads = m->program->num_threads[barrier_role_of(agent)];
  int leaders = node->count ? 1 : 0;
  switch (node->threads) {
  case TILE_PROTOCOL_LEADER:
    return barrier_is_leader(agent) ? node->count : 0;
  case TILE_PROTOCOL_ALL_WARPS: // the leader makes that of its warp
    return barrier_is_leader(agent) ? leaders : node->count - leaders;
  case TILE_PROTOCOL_ALL_THREADS:
    return barrier_is_leader(agent) ? 1 : threads - 1;
  }
  return 0;
}

static void arrive(const BarrierMachine *m, int32_t *state, int agent,
                   const TraceStep *step) {
  const TileProtocolNode *node = step->node;
  int slot = barrier_slot_index(m, agent, node, node->channel, step->slot);
  int count = share_of(m, agent, node);
  bool is_bytes =
      node->threads == TILE_PROTOCOL_LEADER && barrier_is_leader(agent);
  if (slot < 0 || (count == 0 && !is_bytes) ||
      !barrier_is_in_phase(m, state, slot, agent, node, "arrives in"))
    return;
  int32_t *barrier = barrier_words(m, state, slot);
  int32_t *gathering = barrier_gathering(m, state, slot);
  if (count > barrier[BARRIER_PENDING]) {
    barrier_fail(m, agent, node, "over-arrival",
                 "makes %d arrivals where the phase waits for %d more", count,
                 barrier[BARRIER_PENDING]);
    return;
  }
  barrier[BARRIER_PENDING] -= count;
  barrier[BARRIER_BYTES] += (int32_t)node->expected_bytes;
  barrier[BARRIER_OPEN] &= count ? ~(1 << agent) : ~0;
  barrier[BARRIER_OPEN] |= count ? 0 : 1 << agent;
  if (node->kind == TILE_PROTOCOL_ARRIVE) {
    barrier_join(m, gathering, barrier_known(m, state, agent));
    barrier_join(m, gathering, barrier_own(m, state, agent));
  } else { // when its copies have landed; orders nothing else
    join_phases(m, gathering, barrier_known(m, state, agent));
    join_phases(m, gathering, barrier_own(m, state, agent));
    for (int r = 0; r < m->num_resources; r++)
      if (*barrier_age(m, state, agent, r, BARRIER_AGE_COPY))
        barrier_put(gathering, fact_written(m, r, agent));
  }
  barrier_check_phase(m, state, slot, agent, node);
}

//===-- Events ------------------------------------------------------------===//

BarrierResult barrier_machine_step(const BarrierMachine *m, int32_t *state,
                                   int agent, const TraceStep *step) {
  const TileProtocolNode *node = step->node;
  switch (node->kind) {
  case TILE_PROTOCOL_WAIT:
    return wait(m, state, agent, step);
  case TILE_PROTOCOL_ARRIVE:
  case TILE_PROTOCOL_ARRIVE_ASYNC:
    arrive(m, state, agent, step);
    break;
  case TILE_PROTOCOL_FILL:
    barrier_fill(m, state, agent, step);
    break;
  case TILE_PROTOCOL_READ:
    barrier_read(m, state, agent, step);
    break;
  case TILE_PROTOCOL_AWAIT:
    barrier_retire(m, state, agent, BARRIER_AGE_PRODUCT, node->count);
    break;
  case TILE_PROTOCOL_STORE_WAIT:
    barrier_retire(m, state, agent, BARRIER_AGE_STORE, node->count);
    break;
  case TILE_PROTOCOL_COMMIT:
    barrier_grow_older(m, state, agent, BARRIER_AGE_COPY);
    break;
  case TILE_PROTOCOL_COPY_WAIT:
    barrier_retire(m, state, agent, BARRIER_AGE_COPY, node->count);
    break;
  case TILE_PROTOCOL_FENCE:
    barrier_fence(m, state, agent);
    break;
  case TILE_PROTOCOL_SYNC:
    return BARRIER_MEETS;
  default:
    break;
  }
  return BARRIER_DONE;
}

void barrier_machine_meet(const BarrierMachine *m, int32_t *state,
                          unsigned mask) {
  int32_t *first = NULL;
  for (int a = 0; a < m->num_agents; a++) {
    if (!(mask & 1u << a))
      continue;
    int32_t *known = barrier_known(m, state, a);
    barrier_join(m, known, barrier_own(m, state, a));
    if (first)
      barrier_join(m, first, known);
    else
      first = known;
  }
  for (int a = 0; a < m->num_agents; a++)
    if (mask & 1u << a) {
      memmove(barrier_known(m, state, a), first,
              sizeof *state * (size_t)m->set_words);
      if (!barrier_is_leader(a))
        memset(barrier_own(m, state, a), 0,
               sizeof *state * (size_t)m->set_words);
    }
}

void barrier_machine_end(const BarrierMachine *m, int32_t *state) {
  for (int r = 0; r < m->num_resources; r++) {
    int fact = fact_landed(m, r);
    bool is_known = !barrier_is_active(m, state, fact);
    for (int a = 0; a < m->num_agents; a++)
      is_known |= barrier_has(barrier_known(m, state, a), fact);
    if (!is_known)
      barrier_fail(m, 0, NULL, "exit-in-flight",
                   "ends while a copy that nobody waits for may be under way");
  }
  for (int s = 0; s < m->num_slots; s++) {
    int bytes = barrier_words(m, state, s)[BARRIER_BYTES];
    if (bytes > 0)
      barrier_fail(m, 0, NULL, "tx-bytes",
                   "ends while a phase waits for %d bytes that no copy brings",
                   bytes);
  }
}

void barrier_machine_missing(const BarrierMachine *m, const int32_t *state,
                             int row, int slot, int *out_arrivals,
                             int *out_bytes) {
  const int32_t *barrier =
      state + m->barriers + (m->first_slot[row] + slot) * BARRIER_WORDS;
  *out_arrivals = barrier[BARRIER_PENDING];
  *out_bytes = barrier[BARRIER_BYTES];
}

//===-- Clocks ------------------------------------------------------------===//

int barrier_machine_clock(const BarrierMachine *m, const int32_t *state,
                          int agent, int who) {
  int at = m->fact_words + who;
  int own = barrier_is_leader(agent) ? agent : m->num_agents + agent;
  int a = state[m->sets + agent * m->set_words + at];
  int b = state[m->sets + own * m->set_words + at];
  return a > b ? a : b;
}

void barrier_machine_tick(const BarrierMachine *m, int32_t *state, int agent,
                          int now) {
  if (m->clock_words)
    barrier_own(m, state, agent)[m->fact_words + agent] = now;
}

//===-- Set up ------------------------------------------------------------===//

static void number_resources(BarrierMachine *m, TileArena *arena) {
  const BarrierProgram *p = m->program;
  int count = p->num_windows;
  m->first_resource = TILE_ARENA_NEW(arena, int, count + 1);
  for (int w = 0; w < count; w++) {
    m->first_resource[w] = m->num_resources;
    m->num_resources +=
        p->windows[w].has_slot ? p->num_slots[p->windows[w].buffer] : 1;
  }
  m->first_resource[count] = m->num_resources;
}

// What is done to the bytes of a buffer.
typedef struct {
  unsigned roles;
  bool is_async, is_read_async;
} BufferUse;

static void note_use(const BarrierProgram *p, BufferUse *uses, int window,
                     int role, const TileProtocolNode *node) {
  bool is_read = node->kind == TILE_PROTOCOL_READ;
  for (int b = 0; b < p->num_buffers; b++) {
    BufferUse *use = &uses[b];
    if (!barrier_buffers_overlap(p, b, p->windows[window].buffer))
      continue;
    use->roles |= 1u << role;
    use->is_async |= is_read
                         ? node->is_async || node->is_group || node->is_store
                         : node->fill != TILE_PROTOCOL_BY_STORES;
    use->is_read_async |= is_read && node->is_async;
  }
}

static void find_uses(const BarrierProgram *p, const TileProtocolBlock *block,
                      int role, BufferUse *uses) {
  for (int i = 0; i < block->num_nodes; i++) {
    const TileProtocolNode *node = block->nodes[i];
    if (node->kind == TILE_PROTOCOL_FILL)
      note_use(p, uses, node->channel, role, node);
    for (int r = 0; node->kind == TILE_PROTOCOL_READ && r < node->num_reads;
         r++)
      note_use(p, uses, node->reads[r].channel, role, node);
    find_uses(p, &node->blocks[0], role, uses);
    find_uses(p, &node->blocks[1], role, uses);
  }
}

static void classify_resources(BarrierMachine *m, TileArena *arena) {
  const BarrierProgram *p = m->program;
  BufferUse *uses = TILE_ARENA_NEW(arena, BufferUse, p->num_buffers + 1);
  m->is_checked = TILE_ARENA_NEW(arena, bool, m->num_resources + 1);
  m->is_read_async = TILE_ARENA_NEW(arena, bool, m->num_resources + 1);
  for (int r = 0; r < p->protocol.num_roles; r++)
    find_uses(p, &p->protocol.roles[r].body, r, uses);
  for (int w = 0; w < p->num_windows; w++) {
    const BufferUse *use = &uses[p->windows[w].buffer];
    for (int r = m->first_resource[w]; r < m->first_resource[w + 1]; r++) {
      m->is_checked[r] = use->is_async || (use->roles & (use->roles - 1));
      m->is_read_async[r] = use->is_read_async;
    }
  }
}

void barrier_machine_init(BarrierMachine *m, const BarrierProgram *program,
                          bool has_clocks, TileArena *arena,
                          BarrierFault *fault) {
  const TileProtocol *protocol = &program->protocol;
  *m = (BarrierMachine){.program = program,
                        .protocol = protocol,
                        .num_agents = 2 * protocol->num_roles,
                        .fault = fault};
  m->first_slot = TILE_ARENA_NEW(arena, int, protocol->num_channels + 1);
  for (int r = 0; r < protocol->num_channels; r++) {
    m->first_slot[r] = m->num_slots;
    m->num_slots += protocol->channels[r].depth;
  }
  m->first_slot[protocol->num_channels] = m->num_slots;
  number_resources(m, arena);
  classify_resources(m, arena);
  m->num_facts = fact_phase(m, m->num_slots, 0);
  m->fact_words = m->num_facts / 32 + 1;
  m->clock_words = has_clocks ? m->num_agents : 0;
  m->set_words = m->fact_words + m->clock_words;
  m->ages = m->barriers + m->num_slots * BARRIER_WORDS;
  m->active = m->ages + m->num_agents * m->num_resources * BARRIER_NUM_AGES;
  m->sets = m->active + m->fact_words;
  m->num_words = m->sets + barrier_num_sets(m) * m->set_words;
  if (has_clocks) {
    int count = m->num_resources * m->num_agents + 1;
    m->last_read = TILE_ARENA_NEW(arena, const TileProtocolNode *, count);
    m->last_write = TILE_ARENA_NEW(arena, const TileProtocolNode *, count);
  }
}

// Barriers are fresh: who waits for the phase before the first one passes.
void barrier_machine_start(const BarrierMachine *m, int32_t *state) {
  memset(state, 0, sizeof *state * (size_t)m->num_words);
  for (int s = 0; s < m->num_slots; s++) {
    barrier_words(m, state, s)[BARRIER_PENDING] = count_of(m, s);
    for (int a = 0; a < m->num_agents; a++) {
      int32_t *known = barrier_known(m, state, a);
      barrier_put(known, fact_phase(m, s, BARRIER_LAST_COMPLETE));
      barrier_put(known, fact_phase(m, s, BARRIER_ONE_BEFORE));
    }
  }
}
