//===- Access.c - Accesses to shared tiles --------------------------------===//
//
// (B5) and (B6) of Machine.c. A resource is a window of a tile, or of a slot of
// it; what was done to it is outstanding until a later access is ordered after
// it.
//
//===----------------------------------------------------------------------===//

#include "Boxes.h"
#include "Facts.h"

#include <string.h>

//===-- Accesses ----------------------------------------------------------===//

typedef struct {
  int agent, window, slot;
  const ProofOp *op;
  bool is_write, is_async;
} Access;

static void conflict(const ProofMachine *m, const Access *access, int resource,
                     int other, bool is_sure, const char *code,
                     const char *what) {
  if (m->fault->code)
    return;
  if (other >= 0 && m->program->is_of_block)
    proof_fail(m, access->agent, access->op, code, "%s other threads", what);
  else if (other < 0)
    proof_fail(m, access->agent, access->op, code, "%s", what);
  else
    proof_fail(m, access->agent, access->op, code, "%s role \"%s\"", what,
               m->program->roles[proof_role_of(other)].name);
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
  ProofBox mine = proof_box_of(p, access->window, access->slot);
  for (int w = 0; w < p->num_windows; w++) {
    const ProofWindow *window = &p->windows[w];
    int count = m->first_resource[w + 1] - m->first_resource[w];
    for (int s = 0; s < count; s++) {
      ProofBox box = proof_box_of(p, w, s);
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
  proof_fail(m, access->agent, access->op, "no-slot", "uses slot %d of %d",
             access->slot, count);
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

void proof_empty(const ProofMachine *m, int32_t *state, int row, int slot) {
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
        boxes[count++] = proof_box_of(p, w, r - m->first_resource[w]);
  ProofBox mine = proof_box_of(p, access->window, access->slot);
  if (proof_box_is_covered(&mine, boxes, count))
    return;
  proof_fail(m, access->agent, access->op, "unfilled",
             "reads a part of a slot that nobody has filled in this round");
  m->fault->is_sure = mine.is_exact;
}

//===-- Events ------------------------------------------------------------===//

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
  int slot =
      proof_slot_index(m, access->agent, op, op->fill.row, step->row_slot);
  if (slot < 0 || !proof_is_in_phase(m, state, slot, access->agent, op,
                                     "copies bytes that count in"))
    return;
  int32_t *gathering = proof_gathering(m, state, slot);
  proof_words(m, state, slot)[PROOF_BYTES] -= (int32_t)op->fill.bytes;
  proof_join(m, gathering, proof_known(m, state, access->agent));
  for (int i = 0; i < last; i++)
    proof_put(gathering, proof_fact_landed(m, resource + i));
  proof_check_phase(m, state, slot, access->agent, op);
}

void proof_fill(const ProofMachine *m, int32_t *state, int agent,
                const ProofStep *step) {
  const ProofOp *op = step->op;
  bool is_tma = op->fill.how == PROOF_BY_TMA;
  Access access = {.agent = agent,
                   .window = op->fill.place.window,
                   .slot = step->slot,
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
void proof_grow_older(const ProofMachine *m, int32_t *state, int agent,
                      int kind) {
  for (int r = 0; r < m->num_resources; r++) {
    int32_t *age = proof_age(m, state, agent, r, kind);
    *age += *age > 0 && *age < PROOF_MAX_AGE;
  }
}

void proof_read(const ProofMachine *m, int32_t *state, int agent,
                const ProofStep *step) {
  const ProofOp *op = step->op;
  if (op->threads == PROOF_LEADER && !proof_is_leader(agent))
    return;
  int kind = op->read.is_product ? PROOF_PRODUCTS : PROOF_STORES;
  bool is_under_way = op->read.is_product || op->read.is_store;
  if (is_under_way)
    proof_grow_older(m, state, agent, kind);
  for (int i = 0; i < op->read.count; i++) {
    Access access = {.agent = agent,
                     .window = op->read.places[i].window,
                     .slot = step->read_slots[i],
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
void proof_retire(const ProofMachine *m, int32_t *state, int agent, int kind,
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

void proof_fence(const ProofMachine *m, int32_t *state, int agent) {
  int32_t *sets[2] = {proof_known(m, state, agent), proof_own(m, state, agent)};
  for (int i = 0; i < 2; i++)
    for (int r = 0; r < m->num_resources; r++)
      for (int a = 0; a < m->num_agents; a++)
        if (m->is_read_async[r] &&
            proof_has(sets[i], proof_fact_written(m, r, a)))
          proof_put(sets[i], proof_fact_visible(m, r, a));
}
