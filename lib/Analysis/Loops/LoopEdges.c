//===- LoopEdges.c - What orders the statements of a loop -----------------===//
//
// Edges come from access regions and from SSA values, nothing else:
//
//   (E1) two accesses of bytes that may be the same, one of them a write, keep
//        their order within an iteration;
//   (E2) and across iterations, unless each iteration has a version of the
//        buffer for itself; of the ring of a channel with several slots each
//        round has one, but waits keep their order, and so do releases;
//   (E3) a result is there before its users, also through arithmetic;
//   (E4) what updates a carried value does not run in a later stage than what
//        uses the value; all statements use what decides about iterations;
//   (E5) effects on memory that no operand names keep their order among each
//        other.
//
//===----------------------------------------------------------------------===//

#include "Analysis/Index/Index.h"
#include "Loops.h"

typedef struct {
  TileIndexBox box;
  bool is_known;
  bool is_whole; // all of its base
} AccessBox;

typedef struct {
  TileArena *arena;
  const TileLoopBody *body;
  TileIndices indices;
  AccessBox *boxes;
  int *first_box; // per statement
  TileLoopEdge *edges;
  int num_edges, capacity;
} Build;

static void add_edge(Build *build, TileLoopEdge edge) {
  TILE_ARENA_RESERVE(build->arena, build->edges, build->num_edges,
                     build->capacity);
  build->edges[build->num_edges++] = edge;
}

//===-- Windows -----------------------------------------------------------===//

// The box of every access, in one array: those of a statement from its first.
static void find_boxes(Build *build) {
  const TileLoopBody *body = build->body;
  int count = 0;
  build->first_box = TILE_ARENA_NEW(build->arena, int, body->num_statements);
  for (int i = 0; i < body->num_statements; i++) {
    build->first_box[i] = count;
    count += body->statements[i].num_accesses;
  }
  build->boxes = TILE_ARENA_NEW(build->arena, AccessBox, count + 1);
  for (int i = 0; i < body->num_statements; i++)
    for (int a = 0; a < body->statements[i].num_accesses; a++) {
      AccessBox *box = &build->boxes[build->first_box[i] + a];
      TileBox window;
      box->is_known =
          tile_box_of(body->statements[i].accesses[a].tile, &window);
      if (!box->is_known)
        continue;
      box->box = tile_index_box(&build->indices, &window);
      box->is_whole = !window.region.op.ptr;
    }
}

static bool are_apart(Build *build, const AccessBox *now, const AccessBox *then,
                      TileAge age) {
  return tile_index_boxes_compare(&build->indices, &now->box, &then->box, age,
                                  build->body->loop.op)
             .overlap == TILE_OVERLAP_NONE;
}

// Whether the windows of one buffer surely share no element: in one iteration,
// or in any two.
static bool windows_are_disjoint(Build *build, const AccessBox *a,
                                 const AccessBox *b, int distance) {
  if (!a->is_known || !b->is_known)
    return false;
  if (a->is_whole && b->is_whole && mlirValueEqual(a->box.base, b->box.base))
    return false;
  if (distance == 0)
    return are_apart(build, b, a, TILE_AGE_SAME);
  return are_apart(build, b, a, TILE_AGE_PREVIOUS) &&
         are_apart(build, b, a, TILE_AGE_EARLIER);
}

// Buffers whose memory may be the same.
static bool buffers_meet(const Build *build, int a, int b) {
  const TileLoopBuffer *x = &build->body->buffers[a];
  const TileLoopBuffer *y = &build->body->buffers[b];
  if (a == b)
    return true;
  return x->space == y->space && x->space == TILE_SPACE_GLOBAL &&
         !(tile_tensor_is_distinct(x->root) &&
           tile_tensor_is_distinct(y->root));
}

//===-- Pairs of statements -----------------------------------------------===//

static TileEdgeKind kind_of(const TileLoopAccess *from,
                            const TileLoopAccess *to) {
  if (from->writes && to->reads)
    return TILE_EDGE_FLOW;
  return from->writes ? TILE_EDGE_OUTPUT : TILE_EDGE_ANTI;
}

// Whether what two iterations do to the buffer needs no order.
static bool has_own_slots(const Build *build, const TileLoopAccess *x,
                          MlirOperation from, const TileLoopAccess *y,
                          MlirOperation to) {
  const TileLoopBuffer *buffer = &build->body->buffers[x->buffer];
  bool are_verbs = (tile_wait_is(from) && tile_release_is(to)) ||
                   (tile_release_is(from) && tile_wait_is(to));
  return buffer->is_versioned ||
         (buffer->num_slots > 1 && (!x->writes || !y->writes || are_verbs));
}

// Whether one of the last edges, from number `first` on, says the same.
static bool has_edge(const Build *build, int first, TileEdgeKind kind,
                     int buffer) {
  for (int e = first; e < build->num_edges; e++)
    if (build->edges[e].kind == kind && build->edges[e].buffer == buffer)
      return true;
  return false;
}

static void add_access_edges(Build *build, int from, int to, int distance) {
  int first = build->num_edges;
  const TileStatement *f = &build->body->statements[from];
  const TileStatement *t = &build->body->statements[to];
  for (int i = 0; i < f->num_accesses; i++)
    for (int j = 0; j < t->num_accesses; j++) {
      const TileLoopAccess *x = &f->accesses[i], *y = &t->accesses[j];
      if ((!x->writes && !y->writes) ||
          !buffers_meet(build, x->buffer, y->buffer) ||
          has_edge(build, first, kind_of(x, y), x->buffer) ||
          windows_are_disjoint(build, &build->boxes[build->first_box[from] + i],
                               &build->boxes[build->first_box[to] + j],
                               distance))
        continue;
      if (distance == 1 && has_own_slots(build, x, f->op, y, t->op))
        continue; // (E2)
      add_edge(build, (TileLoopEdge){from, to, distance, kind_of(x, y),
                                     x->buffer, -1});
    }
}

static void add_memory_edges(Build *build, int a, int b) {
  const TileStatement *s = &build->body->statements[a];
  const TileStatement *t = &build->body->statements[b];
  bool is_effect = s->has_other_effects && t->has_other_effects;
  if (a < b && !tile_statements_exclude(s, t)) {
    add_access_edges(build, a, b, 0);
    if (is_effect)
      add_edge(build, (TileLoopEdge){a, b, 0, TILE_EDGE_EFFECT, -1, -1});
  }
  if (a >= b) { // in the next iteration
    add_access_edges(build, a, b, 1);
    if (is_effect)
      add_edge(build, (TileLoopEdge){a, b, 1, TILE_EDGE_EFFECT, -1, -1});
  }
}

//===-- Values ------------------------------------------------------------===//

// For each carried value, what its update is computed from, other carried
// values included.
static TileLoopSources *find_updates(Build *build, intptr_t num_carried) {
  TileLoopSources *updates =
      TILE_ARENA_NEW(build->arena, TileLoopSources, num_carried + 1);
  for (intptr_t c = 1; c <= num_carried; c++) {
    updates[c] = tile_loop_sources_create(build->arena, build->body);
    tile_loop_sources_add(&updates[c],
                          tile_loop_form_update(&build->body->loop, c));
  }
  // Transitive closure: at most as many rounds as there are values.
  for (intptr_t round = 0; round < num_carried; round++)
    for (intptr_t c = 1; c <= num_carried; c++)
      for (intptr_t k = 1; k <= num_carried; k++) {
        if (!updates[c].carried[k])
          continue;
        for (intptr_t j = 1; j <= num_carried; j++)
          updates[c].carried[j] |= updates[k].carried[j];
        for (int s = 0; s < build->body->num_statements; s++)
          updates[c].statements[s] |= updates[k].statements[s];
      }
  return updates;
}

static void add_value_edges(Build *build) {
  const TileLoopBody *body = build->body;
  intptr_t num_carried = body->loop.num_carried;
  TileLoopSources *updates = find_updates(build, num_carried);
  for (int user = 0; user < body->num_statements; user++) {
    TileLoopSources sources = tile_loop_sources_create(build->arena, body);
    tile_loop_sources_add_statement(&sources, user);
    tile_loop_sources_add_condition(&sources); // it would not run otherwise
    for (int s = 0; s < body->num_statements; s++)
      if (sources.statements[s] && s != user)
        add_edge(build, (TileLoopEdge){s, user, 0, TILE_EDGE_VALUE, -1, -1});
    for (intptr_t c = 1; c <= num_carried; c++)
      for (int s = 0; sources.carried[c] && s < body->num_statements; s++)
        if (updates[c].statements[s])
          add_edge(build,
                   (TileLoopEdge){s, user, 1, TILE_EDGE_CARRIED, -1, -1});
  }
}

//===-- Entry -------------------------------------------------------------===//

void tile_loop_edges_build(TileArena *arena, const TileLoopBody *body,
                           TileLoopEdge **out_edges, int *out_num_edges) {
  Build build = {.arena = arena, .body = body};
  tile_indices_init(&build.indices, arena);
  find_boxes(&build);
  for (int a = 0; a < body->num_statements; a++)
    for (int b = 0; b < body->num_statements; b++)
      add_memory_edges(&build, a, b);
  add_value_edges(&build);
  *out_edges = build.edges;
  *out_num_edges = build.num_edges;
}
