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

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

//===-- Accesses to shared tiles ------------------------------------------===//

// (B5) and (B6). A resource is a window of a tile, or of a slot of it; what was
// done to it is outstanding until a later access is ordered after it.

typedef struct {
  int agent, window, slot;
  const ProofOp *op;
  bool is_write, is_async;
} Access;

void proof_fail(ProofFault *fault, int agent, const ProofOp *op,
                const char *code, const char *format, ...) {
  va_list args;
  if (fault->code)
    return;
  *fault =
      (ProofFault){.code = code, .agent = agent, .op = op, .is_sure = true};
  va_start(args, format);
  vsnprintf(fault->text, sizeof fault->text, format, args);
  va_end(args);
}

static void conflict(const ProofMachine *m, const Access *access, int resource,
                     int other, bool is_sure, const char *code,
                     const char *what) {
  if (m->fault->code)
    return;
  if (other >= 0 && m->program->is_of_block)
    proof_fail(m->fault, access->agent, access->op, code, "%s other threads",
               what);
  else if (other < 0)
    proof_fail(m->fault, access->agent, access->op, code, "%s", what);
  else
    proof_fail(m->fault, access->agent, access->op, code, "%s role \"%s\"",
               what, m->program->roles[proof_role_of(other)].name);
  m->fault->is_sure = is_sure;
  if (m->last_read && other >= 0) {
    bool is_read = strcmp(code, "overwritten") == 0;
    m->fault->other =
        (is_read ? m->last_read
                 : m->last_write)[resource * m->num_agents + other];
  }
}

// (B5) against what agent `other` did.
static void check_against(const ProofMachine *m, int32_t *state,
                          const Access *access, int resource, int other,
                          bool is_sure) {
  const int32_t *known = proof_known(m, state, access->agent);
  bool is_own = proof_role_of(other) == proof_role_of(access->agent);
  int written = proof_fact_written(m, resource, other);
  int read = proof_fact_read(m, resource, other);
  bool is_copying = *proof_age(m, state, other, resource, PROOF_COPIES) != 0;
  bool asks =
      !is_own || access->is_async || (is_copying && other == access->agent);
  if (proof_is_active(m, state, written) && asks) {
    if (!proof_has(known, written))
      conflict(m, access, resource, other, is_sure,
               access->is_write ? "double-fill" : "unfilled",
               access->is_write ? "writes a tile that may still be written by"
                                : "reads a tile that may still be written by");
    else if (access->is_async && !access->is_write && !is_copying &&
             !proof_has(known, proof_fact_visible(m, resource, other)))
      conflict(m, access, resource, other, is_sure, "missing-proxy-fence",
               "accesses a tile by the async proxy, without a proxy fence "
               "behind the stores of");
  }
  bool is_reading = *proof_age(m, state, other, resource, PROOF_STORES) ||
                    *proof_age(m, state, other, resource, PROOF_PRODUCTS);
  if (access->is_write && proof_is_active(m, state, read) &&
      (!is_own || access->is_async || is_reading) && !proof_has(known, read))
    conflict(m, access, resource, other, is_sure, "overwritten",
             "writes a tile that may still be read by");
}

// What was done to the resource so far happens before `access`.
static void replace(const ProofMachine *m, int32_t *state, const Access *access,
                    int resource) {
  for (int a = 0; a < m->num_agents; a++) {
    bool is_own = proof_role_of(a) == proof_role_of(access->agent);
    if (is_own && !access->is_async)
      continue;
    proof_deactivate(m, state, proof_fact_written(m, resource, a));
    proof_deactivate(m, state, proof_fact_visible(m, resource, a));
    proof_deactivate(m, state, proof_fact_read(m, resource, a));
    memset(proof_age(m, state, a, resource, 0), 0,
           PROOF_NUM_UNDER_WAY * sizeof *state);
  }
  proof_deactivate(m, state, proof_fact_landed(m, resource));
}

// The box of a window of one slot, or of any: PROOF_ALL_SLOTS.
static ProofBox box_of(const ProofProgram *program, int number, int slot) {
  const ProofWindow *window = &program->windows[number];
  ProofBox out = {.rank = window->rank + window->has_slot,
                  .is_exact = window->is_exact};
  if (window->has_slot) {
    out.offset[0] = slot < 0 ? 0 : slot;
    out.size[0] = slot < 0 ? program->buffers[window->buffer].num_slots : 1;
    out.is_exact &= slot >= 0;
  }
  for (int d = 0; d < window->rank; d++) {
    out.offset[d + window->has_slot] = window->offset[d];
    out.size[d + window->has_slot] = window->size[d];
  }
  return out;
}

typedef struct {
  int number;
  bool is_inside, is_sure; // of the access; known exactly
} Resource;

typedef void (*Visit)(const ProofMachine *m, int32_t *state,
                      const Access *access, const Resource *resource);

// The resources that may have bytes of the access.
static void visit_resources(const ProofMachine *m, int32_t *state,
                            const Access *access, Visit visit) {
  const ProofProgram *p = m->program;
  ProofBox mine = box_of(p, access->window, access->slot);
  for (int w = 0; w < p->num_windows; w++) {
    const ProofWindow *window = &p->windows[w];
    int count = m->first_resource[w + 1] - m->first_resource[w];
    for (int s = 0; s < count; s++) {
      ProofBox box = box_of(p, w, s);
      Resource resource = {.number = m->first_resource[w] + s};
      int buffer = p->windows[access->window].buffer;
      bool is_same = window->buffer == buffer;
      if (!proof_buffers_overlap(p, window->buffer, buffer) ||
          (is_same && !proof_boxes_overlap(&mine, &box)))
        continue;
      resource.is_inside = is_same && proof_box_is_inside(&mine, &box);
      resource.is_sure = is_same && mine.is_exact && box.is_exact;
      visit(m, state, access, &resource);
    }
  }
}

static void check_resource(const ProofMachine *m, int32_t *state,
                           const Access *access, const Resource *resource) {
  int landed = proof_fact_landed(m, resource->number);
  for (int a = 0; a < m->num_agents; a++)
    check_against(m, state, access, resource->number, a, resource->is_sure);
  if (proof_is_active(m, state, landed) &&
      !proof_has(proof_known(m, state, access->agent), landed))
    conflict(m, access, resource->number, -1, resource->is_sure,
             access->is_write ? "double-fill" : "unfilled",
             access->is_write ? "writes a tile while a copy may be under way"
                              : "reads a tile while a copy may be under way");
}

static void replace_resource(const ProofMachine *m, int32_t *state,
                             const Access *access, const Resource *resource) {
  if (resource->is_inside &&
      (access->is_async || !proof_is_leader(access->agent)))
    replace(m, state, access, resource->number);
}

static int resource_of(const ProofMachine *m, const Access *access) {
  const ProofWindow *window = &m->program->windows[access->window];
  return m->first_resource[access->window] +
         (window->has_slot && access->slot >= 0 ? access->slot : 0);
}

// The access itself is one resource, or as many as there are slots.
static int num_resources_of(const ProofMachine *m, const Access *access) {
  const ProofWindow *window = &m->program->windows[access->window];
  return window->has_slot && access->slot < 0
             ? m->program->buffers[window->buffer].num_slots
             : 1;
}

static void note_last(const ProofMachine *m, const Access *access,
                      int resource) {
  const ProofOp **last = access->is_write ? m->last_write : m->last_read;
  if (last)
    last[resource * m->num_agents + access->agent] = access->op;
}

static bool has_slot_number(const ProofMachine *m, const Access *access) {
  const ProofWindow *window = &m->program->windows[access->window];
  int count = m->program->buffers[window->buffer].num_slots;
  if (!window->has_slot || access->slot < count)
    return true;
  proof_fail(m->fault, access->agent, access->op, "no-slot",
             "uses slot %d of %d", access->slot, count);
  return false;
}

//===-- What slots of channels hold ---------------------------------------===//

static bool is_of_channel(const ProofMachine *m, int window) {
  const ProofProgram *p = m->program;
  return p->buffers[p->windows[window].buffer].empty_row >= 0;
}

static void forget_filled(const ProofMachine *m, int32_t *state, int resource) {
  for (int a = 0; a < m->num_agents; a++)
    proof_take(state + m->filled, proof_fact_written(m, resource, a));
}

// What lies at the same bytes holds something else now.
static void spoil_others(const ProofMachine *m, int32_t *state,
                         const Access *access) {
  const ProofProgram *p = m->program;
  int buffer = p->windows[access->window].buffer;
  for (int w = 0; w < p->num_windows; w++) {
    int other = p->windows[w].buffer;
    if (other == buffer || !is_of_channel(m, w) ||
        !proof_buffers_overlap(p, buffer, other))
      continue;
    for (int r = m->first_resource[w]; r < m->first_resource[w + 1]; r++)
      forget_filled(m, state, r);
  }
}

// One thread has a copy by TMA fill all; of stores each thread has its own.
static void note_filled(const ProofMachine *m, int32_t *state,
                        const Access *access) {
  int first = resource_of(m, access), count = num_resources_of(m, access);
  int role = proof_role_of(access->agent);
  if (!access->op->fill.is_whole || !is_of_channel(m, access->window))
    return;
  for (int r = first; r < first + count; r++)
    for (int a = 2 * role; a < 2 * role + 2; a++)
      if (access->is_async || a == access->agent)
        proof_put(state + m->filled, proof_fact_written(m, r, a));
}

// Readers have given back the slot of a row: what its tiles hold is no fill of
// the next round.
static void empty_slot(const ProofMachine *m, int32_t *state, int row,
                       int slot) {
  const ProofProgram *p = m->program;
  for (int w = 0; w < p->num_windows; w++) {
    if (p->buffers[p->windows[w].buffer].empty_row != row)
      continue;
    forget_filled(m, state,
                  m->first_resource[w] + (p->windows[w].has_slot ? slot : 0));
  }
}

static bool is_filled(const ProofMachine *m, const int32_t *state,
                      int resource) {
  bool result = false;
  for (int a = 0; a < m->num_agents && !result; a += 2)
    result =
        proof_has(state + m->filled, proof_fact_written(m, resource, a)) &&
        proof_has(state + m->filled, proof_fact_written(m, resource, a + 1));
  return result;
}

// (B6)
static void check_filled(const ProofMachine *m, const int32_t *state,
                         const Access *access) {
  const ProofProgram *p = m->program;
  int count = 0, buffer = p->windows[access->window].buffer;
  ProofBox *boxes;
  if (m->fault->code || !is_of_channel(m, access->window))
    return;
  boxes = m->boxes;
  for (int w = 0; w < p->num_windows; w++)
    for (int r = m->first_resource[w];
         p->windows[w].buffer == buffer && r < m->first_resource[w + 1]; r++)
      if (is_filled(m, state, r))
        boxes[count++] = box_of(p, w, r - m->first_resource[w]);
  ProofBox mine = box_of(p, access->window, access->slot);
  if (proof_box_is_covered(&mine, boxes, count))
    return;
  proof_fail(m->fault, access->agent, access->op, "unfilled",
             "reads a part of a slot that nobody has filled in this round");
  m->fault->is_sure = mine.is_exact;
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
  proof_fail(m->fault, agent, op, "missed-phase",
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
  empty_slot(m, state, row, slot - m->first_slot[row]);
}

// Ends the phase when nothing is missing.
static void check_phase(const ProofMachine *m, int32_t *state, int slot,
                        int agent, const ProofOp *op) {
  const int32_t *barrier = proof_words(m, state, slot);
  if (barrier[PROOF_PENDING])
    return;
  if (barrier[PROOF_BYTES] < 0)
    proof_fail(m->fault, agent, op, "tx-bytes",
               "copies have %d bytes more than the phase expects",
               -barrier[PROOF_BYTES]);
  else if (barrier[PROOF_BYTES] == 0 && barrier[PROOF_OPEN])
    proof_fail(
        m->fault, agent, op, "tx-bytes",
        "the phase may complete before bytes are expected that no arrival of "
        "the same thread follows");
  else if (barrier[PROOF_BYTES] == 0)
    end_phase(m, state, slot, agent, op);
}

// (B3)
static bool is_in_phase(const ProofMachine *m, int32_t *state, int slot,
                        int agent, const ProofOp *op, const char *what) {
  if (proof_has(proof_known(m, state, agent),
                proof_fact_phase(m, slot, PROOF_LAST_COMPLETE)))
    return true;
  proof_fail(m->fault, agent, op, "early-arrival",
             "%s a phase while the one before it may not be complete", what);
  return false;
}

// The slot of a row among all slots; -1 after a fault.
static int slot_index(const ProofMachine *m, int agent, const ProofOp *op,
                      int row, int slot) {
  int depth = m->program->rows[row].depth;
  if (slot >= 0 && slot < depth)
    return m->first_slot[row] + slot;
  proof_fail(m->fault, agent, op, "no-slot", "uses slot %d of %d", slot, depth);
  return -1;
}

//===-- Fills and reads ---------------------------------------------------===//

static void issue_copy(const ProofMachine *m, int32_t *state,
                       const Access *access, const ProofStep *step) {
  const ProofOp *op = step->op;
  int resource = resource_of(m, access), last = num_resources_of(m, access);
  for (int i = 0; i < last; i++)
    proof_activate(m, state, proof_fact_landed(m, resource + i));
  if (op->fill.row < 0) { // waits for itself
    for (int a = 0; a < m->num_agents; a++)
      for (int i = 0; i < last; i++)
        if (proof_role_of(a) == proof_role_of(access->agent))
          proof_put(proof_known(m, state, a),
                    proof_fact_landed(m, resource + i));
    return;
  }
  int slot = slot_index(m, access->agent, op, op->fill.row, step->slots[1]);
  if (slot < 0 || !is_in_phase(m, state, slot, access->agent, op,
                               "copies bytes that count in"))
    return;
  int32_t *gathering = proof_gathering(m, state, slot);
  proof_words(m, state, slot)[PROOF_BYTES] -= (int32_t)op->fill.bytes;
  proof_join(m, gathering, proof_known(m, state, access->agent));
  for (int i = 0; i < last; i++)
    proof_put(gathering, proof_fact_landed(m, resource + i));
  check_phase(m, state, slot, access->agent, op);
}

static void fill_window(const ProofMachine *m, int32_t *state, int agent,
                        const ProofStep *step) {
  const ProofOp *op = step->op;
  bool is_tma = op->fill.how == PROOF_BY_TMA;
  Access access = {.agent = agent,
                   .window = op->fill.place.window,
                   .slot = step->slots[0],
                   .op = op,
                   .is_write = true,
                   .is_async = is_tma};
  if ((is_tma && !proof_is_leader(agent)) || !has_slot_number(m, &access) ||
      !m->is_checked[resource_of(m, &access)])
    return;
  visit_resources(m, state, &access, check_resource);
  if (m->fault->code)
    return;
  visit_resources(m, state, &access, replace_resource);
  int first = resource_of(m, &access);
  for (int i = 0; i < num_resources_of(m, &access); i++)
    note_last(m, &access, first + i);
  spoil_others(m, state, &access);
  note_filled(m, state, &access);
  if (is_tma) {
    issue_copy(m, state, &access, step);
    return;
  }
  for (int r = first; r < first + num_resources_of(m, &access); r++) {
    proof_activate(m, state, proof_fact_written(m, r, agent));
    proof_forget(m, state, proof_fact_visible(m, r, agent));
    if (op->fill.how == PROOF_BY_CP_ASYNC)
      *proof_age(m, state, agent, r, PROOF_COPIES) = 1;
    else
      proof_put(proof_own(m, state, agent), proof_fact_written(m, r, agent));
  }
}

// Everything of a kind that is under way gets older.
static void grow_older(const ProofMachine *m, int32_t *state, int agent,
                       int kind) {
  for (int r = 0; r < m->num_resources; r++) {
    int32_t *age = proof_age(m, state, agent, r, kind);
    *age += *age > 0 && *age < PROOF_MAX_AGE;
  }
}

static void read_windows(const ProofMachine *m, int32_t *state, int agent,
                         const ProofStep *step) {
  const ProofOp *op = step->op;
  if (op->threads == PROOF_LEADER && !proof_is_leader(agent))
    return;
  int kind = op->read.is_product ? PROOF_PRODUCTS : PROOF_STORES;
  bool is_under_way = op->read.is_product || op->read.is_store;
  if (is_under_way)
    grow_older(m, state, agent, kind);
  for (int i = 0; i < op->read.count; i++) {
    Access access = {.agent = agent,
                     .window = op->read.places[i].window,
                     .slot = step->slots[i],
                     .op = op,
                     .is_async = op->read.is_async};
    if (!has_slot_number(m, &access))
      return;
    int first = resource_of(m, &access);
    if (!m->is_checked[first])
      continue;
    visit_resources(m, state, &access, check_resource);
    check_filled(m, state, &access);
    for (int r = first; r < first + num_resources_of(m, &access); r++) {
      note_last(m, &access, r);
      proof_activate(m, state, proof_fact_read(m, r, agent));
      if (is_under_way)
        *proof_age(m, state, agent, r, kind) = 1;
      else
        proof_put(proof_own(m, state, agent), proof_fact_read(m, r, agent));
    }
  }
}

// What has at least `pending` younger ones is over.
static void retire(const ProofMachine *m, int32_t *state, int agent, int kind,
                   int pending) {
  for (int r = 0; r < m->num_resources; r++) {
    int32_t *age = proof_age(m, state, agent, r, kind);
    int behind = *age - (kind == PROOF_COPIES ? 2 : 1);
    if (*age == 0 || behind < 0 || behind < pending)
      continue;
    *age = 0;
    proof_put(proof_own(m, state, agent), kind == PROOF_COPIES
                                              ? proof_fact_written(m, r, agent)
                                              : proof_fact_read(m, r, agent));
  }
}

static void fence(const ProofMachine *m, int32_t *state, int agent) {
  int32_t *sets[2] = {proof_known(m, state, agent), proof_own(m, state, agent)};
  for (int i = 0; i < 2; i++)
    for (int r = 0; r < m->num_resources; r++)
      for (int a = 0; a < m->num_agents; a++)
        if (m->is_read_async[r] &&
            proof_has(sets[i], proof_fact_written(m, r, a)))
          proof_put(sets[i], proof_fact_visible(m, r, a));
}

// What stays true of control when the memory of a thread is not ordered.
static void join_phases(const ProofMachine *m, int32_t *to,
                        const int32_t *from) {
  for (int i = proof_fact_phase(m, 0, 0); i < m->num_facts; i++)
    if (proof_has(from, i))
      proof_put(to, i);
  for (int i = m->fact_words; i < m->set_words; i++)
    to[i] = to[i] > from[i] ? to[i] : from[i];
}

//===-- Waits and arrivals ------------------------------------------------===//

static ProofResult wait(const ProofMachine *m, int32_t *state, int agent,
                        const ProofStep *step) {
  const ProofOp *op = step->op;
  int slot = slot_index(m, agent, op, op->wait.row, step->slots[0]);
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
        m->fault, agent, op, "early-wait",
        "waits for parity %d of slot %d while an earlier phase of that parity "
        "may be the last one that is complete",
        step->parity & 1, step->slots[0]);
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
  int slot = slot_index(m, agent, op, op->arrive.row, step->slots[0]);
  int count = share_of(m, agent, op);
  bool is_bytes = op->threads == PROOF_LEADER && proof_is_leader(agent);
  if (slot < 0 || (count == 0 && !is_bytes) ||
      !is_in_phase(m, state, slot, agent, op, "arrives in"))
    return;
  int32_t *barrier = proof_words(m, state, slot);
  int32_t *gathering = proof_gathering(m, state, slot);
  if (count > barrier[PROOF_PENDING]) {
    proof_fail(m->fault, agent, op, "over-arrival",
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
  check_phase(m, state, slot, agent, op);
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
      proof_fail(m->fault, agent, op, "turn",
                 "a turn may end that has not begun");
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
    proof_fail(m->fault, agent, op, "turn", "a turn may begin within a turn");
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
    proof_fail(m->fault, agent, op, "turn",
               "waits after an arrival in the same turn, while other "
               "warpgroups of the role wait for theirs");
}

//===-- Events ------------------------------------------------------------===//

// The agent has come one event further.
static void tick(const ProofMachine *m, int32_t *state, int agent) {
  if (m->clock_words)
    proof_own(m, state, agent)[m->fact_words + agent] =
        proof_clock(m, state, agent, agent) + 1;
}

static ProofResult execute(const ProofMachine *m, int32_t *state, int agent,
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
    fill_window(m, state, agent, step);
    break;
  case PROOF_READ:
    read_windows(m, state, agent, step);
    break;
  case PROOF_AWAIT:
    retire(m, state, agent, (int)op->await.kind, op->await.pending);
    break;
  case PROOF_CLOSE:
    grow_older(m, state, agent, PROOF_COPIES);
    break;
  case PROOF_FENCE:
    fence(m, state, agent);
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

ProofResult proof_machine_step(const ProofMachine *m, int32_t *state, int agent,
                               const ProofStep *step) {
  ProofResult result = execute(m, state, agent, step);
  if (result == PROOF_DONE)
    tick(m, state, agent);
  return result;
}

void proof_machine_meet(const ProofMachine *m, int32_t *state, unsigned mask) {
  int32_t *first = NULL;
  for (int a = 0; a < m->num_agents; a++) {
    if (!(mask & 1u << a))
      continue;
    tick(m, state, a);
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
      proof_fail(m->fault, 0, NULL, "exit-in-flight",
                 "ends while a copy that nobody waits for may be under way");
  }
  for (int s = 0; s < m->num_slots; s++) {
    int bytes = proof_words(m, state, s)[PROOF_BYTES];
    if (bytes > 0)
      proof_fail(m->fault, 0, NULL, "tx-bytes",
                 "ends while a phase waits for %d bytes that no copy brings",
                 bytes);
  }
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
