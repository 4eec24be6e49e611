//===- BarrierAccess.c - Accesses to shared tiles -------------------------===//
//
// (B5) of BarrierMachine.c. A resource is a window of a tile, or of a slot of
// it; what was done to it is outstanding until a later access is ordered
// behind it.
//
//===----------------------------------------------------------------------===//

#include "BarrierFacts.h"

#include <string.h>

//===-- Accesses ----------------------------------------------------------===//

typedef struct {
  int agent, window, slot;
  const TileProtocolNode *node;
  bool is_write, is_async;
} Access;

static void conflict(const BarrierMachine *m, const Access *access,
                     int resource, int other, bool is_sure, const char *code,
                     const char *what) {
  if (m->fault->code)
    return;
  if (other >= 0 && m->protocol->is_of_block)
    barrier_fail(m, access->agent, access->node, code, "%s other threads",
                 what);
  else if (other < 0)
    barrier_fail(m, access->agent, access->node, code, "%s", what);
  else
    barrier_fail(m, access->agent, access->node, code, "%s role \"%s\"", what,
                 m->protocol->roles[barrier_role_of(other)].name);
  m->fault->is_sure = is_sure;
  if (m->last_read && other >= 0) {
    bool is_read = strcmp(code, "overwritten") == 0;
    m->fault->other =
        (is_read ? m->last_read
                 : m->last_write)[resource * m->num_agents + other];
  }
}

// (B5) against what agent `other` did.
static void check_against(const BarrierMachine *m, int32_t *state,
                          const Access *access, int resource, int other,
                          bool is_sure) {
  const int32_t *known = barrier_known(m, state, access->agent);
  bool is_own = barrier_role_of(other) == barrier_role_of(access->agent);
  int written = fact_written(m, resource, other);
  int read = fact_read(m, resource, other);
  bool is_copying =
      *barrier_age(m, state, other, resource, BARRIER_AGE_COPY) != 0;
  bool asks =
      !is_own || access->is_async || (is_copying && other == access->agent);
  if (barrier_is_active(m, state, written) && asks) {
    if (!barrier_has(known, written))
      conflict(m, access, resource, other, is_sure,
               access->is_write ? "double-fill" : "unfilled",
               access->is_write ? "writes a tile that may still be written by"
                                : "reads a tile that may still be written by");
    else if (access->is_async && !access->is_write && !is_copying &&
             !barrier_has(known, fact_visible(m, resource, other)))
      conflict(m, access, resource, other, is_sure, "missing-proxy-fence",
               "accesses a tile by the async proxy, without a proxy fence "
               "behind the stores of");
  }
  bool is_reading =
      *barrier_age(m, state, other, resource, BARRIER_AGE_STORE) ||
      *barrier_age(m, state, other, resource, BARRIER_AGE_PRODUCT);
  if (access->is_write && barrier_is_active(m, state, read) &&
      (!is_own || access->is_async || is_reading) && !barrier_has(known, read))
    conflict(m, access, resource, other, is_sure, "overwritten",
             "writes a tile that may still be read by");
}

// What was done to the resource before is ordered in front of `access`.
static void replace(const BarrierMachine *m, int32_t *state,
                    const Access *access, int resource) {
  for (int a = 0; a < m->num_agents; a++) {
    bool is_own = barrier_role_of(a) == barrier_role_of(access->agent);
    if (is_own && !access->is_async)
      continue;
    barrier_deactivate(m, state, fact_written(m, resource, a));
    barrier_deactivate(m, state, fact_visible(m, resource, a));
    barrier_deactivate(m, state, fact_read(m, resource, a));
    memset(barrier_age(m, state, a, resource, 0), 0,
           BARRIER_NUM_AGES * sizeof *state);
  }
  barrier_deactivate(m, state, fact_landed(m, resource));
}

typedef struct {
  int rank;
  int64_t offset[BARRIER_MAX_RANK + 1], size[BARRIER_MAX_RANK + 1];
  bool is_exact;
} Box;

// A window of one slot, or of any.
static Box box_of(const BarrierMachine *m, int number, int slot) {
  const BarrierWindow *window = &m->program->windows[number];
  Box out = {.rank = window->rank + window->has_slot,
             .is_exact = window->is_exact};
  if (window->has_slot) {
    out.offset[0] = slot < 0 ? 0 : slot;
    out.size[0] = slot < 0 ? m->program->num_slots[window->buffer] : 1;
    out.is_exact &= slot >= 0;
  }
  for (int d = 0; d < window->rank; d++) {
    out.offset[d + window->has_slot] = window->offset[d];
    out.size[d + window->has_slot] = window->size[d];
  }
  return out;
}

static bool boxes_overlap(const Box *a, const Box *b) {
  for (int d = 0; d < a->rank; d++)
    if (a->offset[d] + a->size[d] <= b->offset[d] ||
        b->offset[d] + b->size[d] <= a->offset[d])
      return false;
  return true;
}

static bool is_box_inside(const Box *outer, const Box *inner) {
  for (int d = 0; d < outer->rank; d++)
    if (inner->offset[d] < outer->offset[d] ||
        inner->offset[d] + inner->size[d] > outer->offset[d] + outer->size[d])
      return false;
  return outer->is_exact;
}

typedef struct {
  int number;
  bool is_inside, is_sure; // of the access; known exactly
} Resource;

typedef void (*Visit)(const BarrierMachine *m, int32_t *state,
                      const Access *access, const Resource *resource);

// The resources that may have bytes of the access.
static void visit_resources(const BarrierMachine *m, int32_t *state,
                            const Access *access, Visit visit) {
  const BarrierProgram *p = m->program;
  Box mine = box_of(m, access->window, access->slot);
  for (int w = 0; w < p->num_windows; w++) {
    const BarrierWindow *window = &p->windows[w];
    int count = m->first_resource[w + 1] - m->first_resource[w];
    for (int s = 0; s < count; s++) {
      Box box = box_of(m, w, s);
      Resource resource = {.number = m->first_resource[w] + s};
      int buffer = p->windows[access->window].buffer;
      bool is_same = window->buffer == buffer;
      if (!barrier_buffers_overlap(p, window->buffer, buffer) ||
          (is_same && !boxes_overlap(&mine, &box)))
        continue;
      resource.is_inside = is_same && is_box_inside(&mine, &box);
      resource.is_sure = is_same && mine.is_exact && box.is_exact;
      visit(m, state, access, &resource);
    }
  }
}

static void check_resource(const BarrierMachine *m, int32_t *state,
                           const Access *access, const Resource *resource) {
  int landed = fact_landed(m, resource->number);
  for (int a = 0; a < m->num_agents; a++)
    check_against(m, state, access, resource->number, a, resource->is_sure);
  if (barrier_is_active(m, state, landed) &&
      !barrier_has(barrier_known(m, state, access->agent), landed))
    conflict(m, access, resource->number, -1, resource->is_sure,
             access->is_write ? "double-fill" : "unfilled",
             access->is_write ? "writes a tile while a copy may be under way"
                              : "reads a tile while a copy may be under way");
}

static void replace_resource(const BarrierMachine *m, int32_t *state,
                             const Access *access, const Resource *resource) {
  if (resource->is_inside &&
      (access->is_async || !barrier_is_leader(access->agent)))
    replace(m, state, access, resource->number);
}

static int resource_of(const BarrierMachine *m, const Access *access) {
  const BarrierWindow *window = &m->program->windows[access->window];
  return m->first_resource[access->window] +
         (window->has_slot && access->slot >= 0 ? access->slot : 0);
}

// The access itself is one resource, or as many as there are slots.
static int num_resources_of(const BarrierMachine *m, const Access *access) {
  const BarrierWindow *window = &m->program->windows[access->window];
  return window->has_slot && access->slot < 0
             ? m->program->num_slots[window->buffer]
             : 1;
}

static void note_last(const BarrierMachine *m, const Access *access,
                      int resource) {
  const TileProtocolNode **last =
      access->is_write ? m->last_write : m->last_read;
  if (last)
    last[resource * m->num_agents + access->agent] = access->node;
}

static bool has_slot_number(const BarrierMachine *m, const Access *access) {
  const BarrierWindow *window = &m->program->windows[access->window];
  int count = m->program->num_slots[window->buffer];
  if (!window->has_slot || access->slot < count)
    return true;
  barrier_fail(m, access->agent, access->node, "no-slot", "uses slot %d of %d",
               access->slot, count);
  return false;
}

static void issue_copy(const BarrierMachine *m, int32_t *state,
                       const Access *access, const TraceStep *step) {
  const TileProtocolNode *node = step->node;
  int resource = resource_of(m, access), last = num_resources_of(m, access);
  for (int i = 0; i < last; i++)
    barrier_activate(m, state, fact_landed(m, resource + i));
  if (node->barrier < 0) { // waits for itself
    for (int a = 0; a < m->num_agents; a++)
      for (int i = 0; i < last; i++)
        if (barrier_role_of(a) == barrier_role_of(access->agent))
          barrier_put(barrier_known(m, state, a), fact_landed(m, resource + i));
    return;
  }
  int slot =
      barrier_slot_index(m, access->agent, node, node->barrier, step->bar_slot);
  if (slot < 0 || !barrier_is_in_phase(m, state, slot, access->agent, node,
                                       "copies bytes that count in"))
    return;
  int32_t *gathering = barrier_gathering(m, state, slot);
  barrier_words(m, state, slot)[BARRIER_BYTES] -= (int32_t)node->copied_bytes;
  barrier_join(m, gathering, barrier_known(m, state, access->agent));
  for (int i = 0; i < last; i++)
    barrier_put(gathering, fact_landed(m, resource + i));
  barrier_check_phase(m, state, slot, access->agent, node);
}

void barrier_fill(const BarrierMachine *m, int32_t *state, int agent,
                  const TraceStep *step) {
  const TileProtocolNode *node = step->node;
  bool is_tma = node->fill == TILE_PROTOCOL_BY_TMA;
  Access access = {.agent = agent,
                   .window = node->channel,
                   .slot = step->slot,
                   .node = node,
                   .is_write = true,
                   .is_async = is_tma};
  if ((is_tma && !barrier_is_leader(agent)) || !has_slot_number(m, &access) ||
      !m->is_checked[resource_of(m, &access)])
    return;
  visit_resources(m, state, &access, check_resource);
  if (m->fault->code)
    return;
  visit_resources(m, state, &access, replace_resource);
  int first = resource_of(m, &access);
  for (int i = 0; i < num_resources_of(m, &access); i++)
    note_last(m, &access, first + i);
  if (is_tma) {
    issue_copy(m, state, &access, step);
    return;
  }
  for (int r = first; r < first + num_resources_of(m, &access); r++) {
    barrier_activate(m, state, fact_written(m, r, agent));
    barrier_forget(m, state, fact_visible(m, r, agent));
    if (node->fill == TILE_PROTOCOL_BY_CP_ASYNC)
      *barrier_age(m, state, agent, r, BARRIER_AGE_COPY) = 1;
    else
      barrier_put(barrier_own(m, state, agent), fact_written(m, r, agent));
  }
}

// Everything of a kind that is under way gets older.
void barrier_grow_older(const BarrierMachine *m, int32_t *state, int agent,
                        int kind) {
  for (int r = 0; r < m->num_resources; r++) {
    int32_t *age = barrier_age(m, state, agent, r, kind);
    *age += *age > 0 && *age < BARRIER_MAX_AGE;
  }
}

void barrier_read(const BarrierMachine *m, int32_t *state, int agent,
                  const TraceStep *step) {
  const TileProtocolNode *node = step->node;
  if (node->threads == TILE_PROTOCOL_LEADER && !barrier_is_leader(agent))
    return;
  int kind = node->is_group ? BARRIER_AGE_PRODUCT : BARRIER_AGE_STORE;
  bool is_under_way = node->is_group || node->is_store;
  if (is_under_way)
    barrier_grow_older(m, state, agent, kind);
  for (int i = 0; i < node->num_reads; i++) {
    Access access = {.agent = agent,
                     .window = node->reads[i].channel,
                     .slot = step->read_slots[i],
                     .node = node,
                     .is_async = node->is_async};
    if (!has_slot_number(m, &access))
      return;
    int first = resource_of(m, &access);
    if (!m->is_checked[first])
      continue;
    visit_resources(m, state, &access, check_resource);
    for (int r = first; r < first + num_resources_of(m, &access); r++) {
      note_last(m, &access, r);
      barrier_activate(m, state, fact_read(m, r, agent));
      if (is_under_way)
        *barrier_age(m, state, agent, r, kind) = 1;
      else
        barrier_put(barrier_own(m, state, agent), fact_read(m, r, agent));
    }
  }
}

// What has at least `pending` younger ones is over.
void barrier_retire(const BarrierMachine *m, int32_t *state, int agent,
                    int kind, int pending) {
  for (int r = 0; r < m->num_resources; r++) {
    int32_t *age = barrier_age(m, state, agent, r, kind);
    int behind = *age - (kind == BARRIER_AGE_COPY ? 2 : 1);
    if (*age == 0 || behind < 0 || behind < pending)
      continue;
    *age = 0;
    barrier_put(barrier_own(m, state, agent), kind == BARRIER_AGE_COPY
                                                  ? fact_written(m, r, agent)
                                                  : fact_read(m, r, agent));
  }
}

void barrier_fence(const BarrierMachine *m, int32_t *state, int agent) {
  int32_t *sets[2] = {barrier_known(m, state, agent),
                      barrier_own(m, state, agent)};
  for (int i = 0; i < 2; i++)
    for (int r = 0; r < m->num_resources; r++)
      for (int a = 0; a < m->num_agents; a++)
        if (m->is_read_async[r] && barrier_has(sets[i], fact_written(m, r, a)))
          barrier_put(sets[i], fact_visible(m, r, a));
}
