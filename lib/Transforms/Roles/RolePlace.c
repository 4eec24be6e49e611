//===- RolePlace.c - Where roles wait and arrive --------------------------===//
//
// Drop elaboration for the slots of one channel. Along every path the tiles of
// a group are
//
//   Empty   nothing is in the slot
//   Filled  a fill is under way or has landed; nobody waited for it
//   Held    the consumers have waited for it
//
// and the verbs are what changes the state. A fill is a maximal run of disjoint
// copies in one block; an scf.if without reads and loops of copies counts as
// one copy, and so does a loop that copies a tile part by part.
//
//   (P1) before a fill: what is in the slot is drained; acquire. After it:
//        commit. A fill that is not read before the next one is dropped. A
//        branch that copies to the same place twice is looked into.
//   (P2) before a read of a Filled slot: wait. After the last read: release.
//   (P3) where branches meet and the slot is read later, all are Held or none;
//        if it is not, each branch drains at its end.
//   (P4) a loop keeps the state of its head; a wait is put before the loop, or
//        at the end of its body, to make that so.
//
// drain of Filled is wait and release, of Held release, of Empty nothing. So in
// program order every commit precedes its wait and every release the next
// acquire, whatever path is taken: program order is a schedule without
// deadlock, for any depth of the ring. docs/Rationale/Roles.md has the proof.
//
//===----------------------------------------------------------------------===//

#include "Roles.h"

#include "Analysis/Loops/Loops.h"
#include <string.h>

//===-- Verbs, not yet entered --------------------------------------------===//

typedef enum { BEFORE, AFTER, END, DROP } Where;

typedef struct {
  Where where;
  TileRoleNode *node; // BEFORE and AFTER; DROP: copies in it that nobody reads
  TileRoleBlock *block; // END
  TileVerbKind verb;
} Direction;

typedef enum { EMPTY, FILLED, HELD } StateKind;

typedef struct {
  StateKind kind;
  uint8_t *cells; // surely filled; borrowed, never changed once in a state
} State;

typedef struct {
  TileRolePlan *plan;
  const TileRoleNeed *need;
  TileRoleBuffer **buffers;
  int num_buffers;
  int64_t num_cells;
  // Per statement, the ops inside included.
  uint8_t *reads, *fills, *loop_fills;
  // A read may come before the next fill: inside; after, if it lets through.
  uint8_t *exposes, *lets_through, *live_after;
  Direction *directions;
  int num_directions, capacity;
  TileRoleReason reason;
} Place;

static void direct(Place *p, Direction direction) {
  TILE_ARENA_RESERVE(p->plan->arena, p->directions, p->num_directions,
                     p->capacity);
  p->directions[p->num_directions++] = direction;
}

static State drain(Place *p, State state, Where where, TileRoleNode *node,
                   TileRoleBlock *block) {
  if (state.kind == FILLED)
    direct(p, (Direction){where, node, block, TILE_VERB_WAIT});
  if (state.kind != EMPTY)
    direct(p, (Direction){where, node, block, TILE_VERB_RELEASE});
  return (State){EMPTY, NULL};
}

static State fail(Place *p, const char *code, const TileRoleNode *node) {
  if (!p->reason.code)
    p->reason = (TileRoleReason){.code = code, .culprit = node->op};
  return (State){EMPTY, NULL};
}

//===-- Sets of cells -----------------------------------------------------===//

static uint8_t *cells_new(const Place *p) {
  return TILE_ARENA_NEW(p->plan->arena, uint8_t, p->num_cells);
}

static bool cells_include(const Place *p, const uint8_t *set,
                          const uint8_t *subset) {
  for (int64_t i = 0; i < p->num_cells; i++)
    if (subset && subset[i] && !(set && set[i]))
      return false;
  return true;
}

static bool cells_meet(const Place *p, const uint8_t *a, const uint8_t *b) {
  for (int64_t i = 0; i < p->num_cells; i++)
    if (a[i] && b[i])
      return true;
  return false;
}

static uint8_t *cells_common(const Place *p, const uint8_t *a,
                             const uint8_t *b) {
  uint8_t *result = cells_new(p);
  for (int64_t i = 0; a && b && i < p->num_cells; i++)
    result[i] = a[i] && b[i];
  return result;
}

static bool is_member(const Place *p, const TileRoleBuffer *buffer) {
  for (int i = 0; i < p->num_buffers; i++)
    if (p->buffers[i] == buffer)
      return true;
  return false;
}

static bool fills_group(const Place *p, const TileRoleNode *node) {
  return node->fill && is_member(p, node->fill->buffer);
}

// What a loop of copies fills of a tile of the group; false when its iterations
// may fill a part twice, or that is not known.
static bool sweep_of(const Place *p, const TileRoleNode *node, int buffer,
                     TileBox *out, bool *out_is_sure) {
  TileCopyLoopFill fill;
  if (!tile_copy_loop_fill(node->op, p->buffers[buffer]->value, false, &fill) ||
      !fill.is_once)
    return false;
  *out = (TileBox){.rank = p->buffers[buffer]->shape.rank};
  for (int d = 0; d < out->rank; d++)
    tile_box_set_range(out, d, fill.begin[d], fill.end[d]);
  *out_is_sure = fill.is_sure;
  return true;
}

// By TMA, or by anything else.
static bool fills_buffer(const TileRoleNode *node, const TileRoleBuffer *buffer,
                         bool by_tma) {
  bool fills = node->fill && node->fill->buffer == buffer &&
               (node->fill->instr == TILE_INSTR_Tma) == by_tma;
  for (int b = 0; b < node->num_blocks; b++)
    for (int i = 0; i < node->blocks[b].num_nodes; i++)
      fills |= fills_buffer(node->blocks[b].nodes[i], buffer, by_tma);
  return fills;
}

// Whether the loop fills each part of the tiles of the group once at most. What
// TMA adds up in a loop nobody proves.
static bool is_sweep(const Place *p, const TileRoleNode *node) {
  TileBox box;
  bool is_sure;
  if (node->kind != TILE_NODE_FOR || !tile_copy_loop_is(node->op))
    return false;
  for (int i = 0; i < p->num_buffers; i++)
    if (fills_buffer(node, p->buffers[i], true) ||
        (fills_buffer(node, p->buffers[i], false) &&
         !sweep_of(p, node, i, &box, &is_sure)))
      return false;
  return true;
}

// Cells that `node` may fill, in any branch.
static void cells_may_fill(const Place *p, const TileRoleNode *node,
                           uint8_t *set) {
  if (fills_group(p, node))
    tile_role_cells_add(node->fill->buffer, &node->fill->box, set);
  for (int b = 0; b < node->num_blocks; b++)
    for (int i = 0; i < node->blocks[b].num_nodes; i++)
      if (p->fills[node->blocks[b].nodes[i]->id])
        cells_may_fill(p, node->blocks[b].nodes[i], set);
}

// Cells that `node` fills whatever branch is taken.
static void cells_must_fill(const Place *p, const TileRoleNode *node,
                            uint8_t *set) {
  if (fills_group(p, node) && !node->fill->box.is_partial)
    tile_role_cells_add(node->fill->buffer, &node->fill->box, set);
  for (int i = 0; i < p->num_buffers && node->kind == TILE_NODE_FOR; i++) {
    TileBox box;
    bool is_sure;
    if (is_sweep(p, node) && sweep_of(p, node, i, &box, &is_sure) && is_sure)
      tile_role_cells_add(p->buffers[i], &box, set);
  }
  if (node->kind != TILE_NODE_IF)
    return;
  uint8_t *branch[2] = {cells_new(p), cells_new(p)};
  for (int b = 0; b < 2; b++)
    for (int i = 0; i < node->blocks[b].num_nodes; i++)
      if (p->fills[node->blocks[b].nodes[i]->id])
        cells_must_fill(p, node->blocks[b].nodes[i], branch[b]);
  for (int64_t i = 0; i < p->num_cells; i++)
    set[i] |= branch[0][i] && branch[1][i];
}

//===-- What statements do to the group -----------------------------------===//

static bool leaf_reads(const Place *p, const TileRoleNode *node) {
  if (p->need->forward[node->id])
    return false;
  for (const TileRoleAccess *a = node->accesses; a; a = a->next)
    if (a->reads && is_member(p, a->buffer))
      return true;
  return false;
}

static void summarize(Place *p, const TileRoleNode *node);

// The statements of a block in sequence, each of which has been summarized.
static void block_summary(const Place *p, const TileRoleBlock *block,
                          bool *out_exposes, bool *out_lets_through) {
  *out_exposes = false;
  *out_lets_through = true;
  for (int i = block->num_nodes - 1; i >= 0; i--) {
    int id = block->nodes[i]->id;
    *out_exposes = p->exposes[id] || (p->lets_through[id] && *out_exposes);
    *out_lets_through = p->lets_through[id] && *out_lets_through;
  }
}

static void summarize_block(Place *p, const TileRoleBlock *block,
                            bool *out_exposes, bool *out_lets_through) {
  for (int i = 0; i < block->num_nodes; i++)
    summarize(p, block->nodes[i]);
  block_summary(p, block, out_exposes, out_lets_through);
}

static void summarize(Place *p, const TileRoleNode *node) {
  int id = node->id;
  p->reads[id] = node->kind == TILE_NODE_LEAF && leaf_reads(p, node);
  p->fills[id] = fills_group(p, node);
  p->exposes[id] = p->reads[id];
  p->lets_through[id] = !p->reads[id] && !p->fills[id];
  bool exposes[2], passes[2], lets_through = false;
  for (int b = 0; b < node->num_blocks; b++) {
    summarize_block(p, &node->blocks[b], &exposes[b], &passes[b]);
    p->exposes[id] |= exposes[b];
    lets_through |= passes[b];
    for (int i = 0; i < node->blocks[b].num_nodes; i++) {
      int inner = node->blocks[b].nodes[i]->id;
      p->reads[id] |= p->reads[inner];
      p->fills[id] |= p->fills[inner];
      p->loop_fills[id] |= p->loop_fills[inner];
    }
  }
  bool is_loop = node->kind == TILE_NODE_FOR || node->kind == TILE_NODE_WHILE;
  if (node->kind != TILE_NODE_LEAF) // a loop may run no iteration
    p->lets_through[id] = (is_loop && !is_sweep(p, node)) || lets_through;
  if (node->kind == TILE_NODE_WHILE) { // but its condition is asked
    p->exposes[id] = exposes[0] || (passes[0] && exposes[1]);
    p->lets_through[id] = passes[0];
  }
  p->loop_fills[id] |= is_loop && p->fills[id] && !is_sweep(p, node);
}

static void spread_liveness(Place *p, const TileRoleBlock *block, bool live);

// The condition comes after the body, and before it or what follows the loop.
static void spread_in_while(Place *p, const TileRoleNode *node, bool live) {
  bool exposes[2], passes[2];
  for (int b = 0; b < 2; b++)
    block_summary(p, &node->blocks[b], &exposes[b], &passes[b]);
  spread_liveness(p, &node->blocks[0],
                  live || exposes[1] || (passes[1] && exposes[0]));
  spread_liveness(p, &node->blocks[1],
                  exposes[0] || (passes[0] && (live || exposes[1])));
}

static void spread_liveness(Place *p, const TileRoleBlock *block, bool live) {
  for (int i = block->num_nodes - 1; i >= 0; i--) {
    const TileRoleNode *node = block->nodes[i];
    int id = node->id;
    p->live_after[id] = live;
    bool is_loop = node->kind == TILE_NODE_FOR; // its body is followed by it
    if (node->kind == TILE_NODE_WHILE)
      spread_in_while(p, node, live);
    else
      for (int b = 0; b < node->num_blocks; b++)
        spread_liveness(p, &node->blocks[b],
                        live || (is_loop && p->exposes[id]));
    live = p->exposes[id] || (p->lets_through[id] && live);
  }
}

//===-- Placement ---------------------------------------------------------===//

static State place_block(Place *p, TileRoleBlock *block, State state);

// Whether a path through `node` may copy to the same cells twice: copies of
// one fill complete in any order.
static bool fills_twice(const Place *p, const TileRoleNode *node) {
  if (is_sweep(p, node))
    return false;
  for (int b = 0; b < node->num_blocks; b++) {
    uint8_t *all = cells_new(p);
    for (int i = 0; i < node->blocks[b].num_nodes; i++) {
      const TileRoleNode *inner = node->blocks[b].nodes[i];
      if (!p->fills[inner->id])
        continue;
      uint8_t *cells = cells_new(p);
      cells_may_fill(p, inner, cells);
      if (cells_meet(p, cells, all) || fills_twice(p, inner))
        return true;
      cells_may_fill(p, inner, all);
    }
  }
  return false;
}

static bool is_fill(const Place *p, const TileRoleNode *node) {
  return p->fills[node->id] && !p->reads[node->id] &&
         !p->loop_fills[node->id] && !fills_twice(p, node);
}

// The last statement of the fill that begins with number `first` of `block`.
static int fill_end(const Place *p, const TileRoleBlock *block, int first,
                    uint8_t *must) {
  uint8_t *may = cells_new(p);
  cells_may_fill(p, block->nodes[first], may);
  cells_must_fill(p, block->nodes[first], must);
  int last = first;
  for (int i = first + 1; i < block->num_nodes; i++) {
    const TileRoleNode *node = block->nodes[i];
    if (p->reads[node->id] || (p->fills[node->id] && !is_fill(p, node)))
      break;
    if (!p->fills[node->id])
      continue;
    uint8_t *cells = cells_new(p);
    cells_may_fill(p, node, cells);
    if (cells_meet(p, cells, may))
      break; // a new version
    cells_may_fill(p, node, may);
    cells_must_fill(p, node, must);
    last = i;
  }
  return last;
}

static bool is_empty_set(const Place *p, const uint8_t *set) {
  for (int64_t i = 0; i < p->num_cells; i++)
    if (set[i])
      return false;
  return true;
}

// (P1)
static State place_fill(Place *p, TileRoleBlock *block, int first, State state,
                        int *out_last) {
  TileRoleNode *begin = block->nodes[first];
  uint8_t *must_first = cells_new(p), *must = cells_new(p);
  cells_must_fill(p, begin, must_first);
  *out_last = fill_end(p, block, first, must);
  TileRoleNode *end = block->nodes[*out_last];
  bool live = p->live_after[end->id];
  // A refill that may not happen would keep what was there before.
  if (state.kind != EMPTY && live && is_empty_set(p, must_first))
    return fail(p, "tile-ws/stale-read", begin);
  drain(p, state, BEFORE, begin, NULL);
  for (int i = first; !live && i <= *out_last; i++)
    if (p->fills[block->nodes[i]->id])
      direct(p, (Direction){.where = DROP, .node = block->nodes[i]});
  if (!live)
    return (State){EMPTY, NULL};
  direct(p, (Direction){BEFORE, begin, NULL, TILE_VERB_ACQUIRE});
  direct(p, (Direction){AFTER, end, NULL, TILE_VERB_COMMIT});
  return (State){FILLED, must};
}

// (P2)
static State place_read(Place *p, TileRoleNode *node, State state) {
  if (state.kind == EMPTY)
    return fail(p, "tile-ws/no-fill-on-path", node);
  uint8_t *cells = cells_new(p);
  for (const TileRoleAccess *a = node->accesses; a; a = a->next)
    if (a->reads && is_member(p, a->buffer))
      tile_role_cells_add(a->buffer, &a->box, cells);
  if (!cells_include(p, state.cells, cells))
    return fail(p, "tile-ws/partial-fill", node);
  if (state.kind == FILLED)
    direct(p, (Direction){BEFORE, node, NULL, TILE_VERB_WAIT});
  state.kind = HELD;
  return p->live_after[node->id] ? state : drain(p, state, AFTER, node, NULL);
}

// (P3)
static State place_if(Place *p, TileRoleNode *node, State state) {
  State at_end[2];
  for (int b = 0; b < 2; b++)
    at_end[b] = place_block(p, &node->blocks[b], state);
  if (p->reason.code)
    return state;
  if (!p->live_after[node->id]) {
    if (at_end[0].kind == at_end[1].kind)
      return drain(p, at_end[0], AFTER, node, NULL);
    drain(p, at_end[0], END, NULL, &node->blocks[0]);
    return drain(p, at_end[1], END, NULL, &node->blocks[1]);
  }
  if ((at_end[0].kind == EMPTY) != (at_end[1].kind == EMPTY))
    return fail(p, "tile-ws/stale-read", node);
  if (at_end[0].kind != at_end[1].kind)
    direct(p, (Direction){END, NULL, &node->blocks[at_end[1].kind == FILLED],
                          TILE_VERB_WAIT});
  StateKind joined = EMPTY;
  if (at_end[0].kind == HELD || at_end[1].kind == HELD)
    joined = HELD;
  else if (at_end[0].kind == FILLED)
    joined = FILLED;
  return (State){joined, cells_common(p, at_end[0].cells, at_end[1].cells)};
}

// (P4) Every round puts a wait before the loop or leaves fewer cells surely
// filled, so there are at most cells + 2. A while ends after its condition.
static State place_loop(Place *p, TileRoleNode *node, State state) {
  bool is_while = node->kind == TILE_NODE_WHILE;
  TileRoleBlock *body = &node->blocks[is_while];
  int mark = p->num_directions;
  State exit;
  for (;;) {
    p->num_directions = mark;
    exit = is_while ? place_block(p, &node->blocks[0], state) : state;
    State end = place_block(p, body, exit);
    if (p->reason.code)
      return state;
    if ((end.kind == EMPTY) != (state.kind == EMPTY))
      return fail(p, "tile-ws/stale-read", node);
    if (!cells_include(p, end.cells, state.cells)) {
      state.cells = cells_common(p, state.cells, end.cells);
      continue;
    }
    if (end.kind == state.kind)
      break;
    if (state.kind == HELD) {
      direct(p, (Direction){END, NULL, body, TILE_VERB_WAIT});
      break;
    }
    p->num_directions = mark;
    direct(p, (Direction){BEFORE, node, NULL, TILE_VERB_WAIT});
    mark = p->num_directions;
    state.kind = HELD;
  }
  if (!is_while)
    exit = state;
  return p->live_after[node->id] ? exit : drain(p, exit, AFTER, node, NULL);
}

static State place_node(Place *p, TileRoleNode *node, State state) {
  if (!p->reads[node->id] && !p->fills[node->id])
    return state;
  if (node->kind == TILE_NODE_LEAF)
    return place_read(p, node, state);
  if (node->kind == TILE_NODE_IF)
    return place_if(p, node, state);
  return place_loop(p, node, state);
}

static State place_block(Place *p, TileRoleBlock *block, State state) {
  for (int i = 0; i < block->num_nodes && !p->reason.code; i++) {
    if (is_fill(p, block->nodes[i]))
      state = place_fill(p, block, i, state, &i);
    else
      state = place_node(p, block->nodes[i], state);
  }
  return state;
}

//===-- Entry -------------------------------------------------------------===//

static void mark_advance(Place *p, TileRoleNode *around, TileRoleKind role,
                         int channel) {
  for (; around; around = tile_role_parent(around)) {
    if (!around->advances[role])
      around->advances[role] =
          TILE_ARENA_NEW(p->plan->arena, uint8_t, p->plan->num_channels);
    around->advances[role][channel] = 1;
  }
}

static void drop(const Place *p, TileRoleNode *node) {
  node->is_dead |= fills_group(p, node);
  for (int b = 0; b < node->num_blocks; b++)
    for (int i = 0; i < node->blocks[b].num_nodes; i++)
      drop(p, node->blocks[b].nodes[i]);
}

static void enter(Place *p, int channel) {
  for (int i = 0; i < p->num_directions; i++) {
    const Direction *d = &p->directions[i];
    if (d->where == DROP) {
      drop(p, d->node);
      continue;
    }
    TileRoleKind role = tile_verb_role(d->verb);
    TileRoleVerbs *verbs = d->where == END      ? &d->block->end[role]
                           : d->where == BEFORE ? &d->node->before[role]
                                                : &d->node->after[role];
    TileRoleVerb *verb = TILE_ARENA_NEW(p->plan->arena, TileRoleVerb, 1);
    *verb = (TileRoleVerb){NULL, d->verb, channel};
    *verbs->tail = verb;
    verbs->tail = &verb->next;
    if (tile_verb_advances(d->verb))
      mark_advance(
          p, d->where == END ? d->block->owner : tile_role_parent(d->node),
          role, channel);
  }
}

static void place_init(Place *p) {
  size_t count = (size_t)p->plan->num_nodes;
  uint8_t **sets[] = {&p->reads,   &p->fills,        &p->loop_fills,
                      &p->exposes, &p->lets_through, &p->live_after};
  for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
    *sets[i] = TILE_ARENA_NEW(p->plan->arena, uint8_t, count);
  for (int i = 0; i < p->num_buffers; i++) {
    p->buffers[i]->first_cell = p->num_cells;
    p->num_cells += p->buffers[i]->num_cells;
  }
}

TileRoleReason tile_role_place(TileRolePlan *plan, const TileRoleNeed *need,
                               TileRoleBuffer **buffers, int num_buffers,
                               int channel) {
  Place p = {.plan = plan,
             .need = need,
             .buffers = buffers,
             .num_buffers = num_buffers};
  bool exposes, lets_through;
  place_init(&p);
  summarize_block(&p, &plan->body, &exposes, &lets_through);
  spread_liveness(&p, &plan->body, false);
  place_block(&p, &plan->body, (State){EMPTY, NULL});
  if (!p.reason.code)
    enter(&p, channel);
  return p.reason;
}
