//===- LoopBody.c - The statements of a loop ------------------------------===//
//
// Guards are looked into: each statement remembers the branches around it. What
// an `scf.if` yields is then a choice between values of its branches.
// Everything else with regions is one statement.
//
//===----------------------------------------------------------------------===//

#include "Loops.h"

#include "Analysis/Index/Index.h"
#include "Support/Iterate.h"
#include "Tile/Ops/func.h"
#include "Tile/Ops/memref.h"

//===-- Buffers -----------------------------------------------------------===//

// Room for one more element, in an arena array that grows by doubling.
static void *grow(TileArena *arena, void *items, int count, size_t size_bytes) {
  if (count & (count - 1)) // not a power of two: there is room
    return items;
  size_t capacity = count ? 2 * (size_t)count : 1;
  void *grown = tile_arena_alloc(arena, capacity * size_bytes);
  if (count)
    memcpy(grown, items, (size_t)count * size_bytes);
  return grown;
}

typedef struct {
  TileArena *arena;
  TileLoopBody *body;
  TileStatement *statement; // being filled
  bool is_nested;           // inside the op of the statement
  bool counts_groups;       // a wait for groups leaves some under way
  MlirOperation kernel;     // around the loop; null: no op of it orders
} Build;

static int find_buffer(const TileLoopBody *body, MlirValue root) {
  for (int i = 0; i < body->num_buffers; i++)
    if (mlirValueEqual(body->buffers[i].root, root))
      return i;
  return -1;
}

static int get_buffer(Build *build, MlirValue tile) {
  TileLoopBody *body = build->body;
  MlirValue root = tile_tensor_root(tile);
  int found = find_buffer(body, root);
  if (found >= 0)
    return found;
  TileShape shape;
  bool has_shape = tile_shape_of(root, &shape);
  body->buffers = grow(build->arena, body->buffers, body->num_buffers,
                       sizeof *body->buffers);
  body->buffers[body->num_buffers] = (TileLoopBuffer){
      .root = root, .space = has_shape ? shape.space : TILE_SPACE_OTHER};
  return body->num_buffers++;
}

//===-- Which ops are arithmetic ------------------------------------------===//

// A load of memory that the loop does not write gives the same in every copy of
// its iteration.
static bool is_read_only_load(const TileLoopBody *body, MlirOperation op) {
  if (!memref_load_is(op))
    return false;
  MlirValue memory = memref_load_memref(memref_load_cast(op));
  MlirValue root = tile_tensor_root(memory);
  bool is_distinct = tile_tensor_is_distinct(root);
  TileShape shape;
  if (!tile_shape_of(memory, &shape))
    return false;
  for (int i = 0; i < body->num_buffers; i++) {
    const TileLoopBuffer *other = &body->buffers[i];
    if (!other->is_written)
      continue;
    bool is_same = mlirValueEqual(other->root, root);
    bool may_alias = other->space == shape.space &&
                     shape.space != TILE_SPACE_SHARED &&
                     shape.space != TILE_SPACE_PRIVATE &&
                     !(is_distinct && tile_tensor_is_distinct(other->root));
    if (is_same || may_alias)
      return false;
  }
  return true;
}

static bool is_arithmetic(const TileLoopBody *body, MlirOperation op) {
  return mlirxIsPure(op) || is_read_only_load(body, op);
}

//===-- Accesses ----------------------------------------------------------===//

// What a statement that is a loop of copies fills of a tile, or NULL.
static const TileCopyLoopFill *part_of(Build *build, MlirValue root) {
  TileCopyLoopFill fill;
  if (!tile_copy_loop_fill(build->statement->op, root, false, &fill))
    return NULL;
  TileCopyLoopFill *out = TILE_ARENA_NEW(build->arena, TileCopyLoopFill, 1);
  *out = fill;
  return out;
}

static void add_access(Build *build, MlirValue tile, bool reads, bool writes,
                       bool is_sure) {
  TileStatement *s = build->statement;
  int buffer = get_buffer(build, tile);
  build->body->buffers[buffer].is_written |= writes;
  if (!s)
    return; // first round: only what is written counts
  // Offsets inside the statement mean another window each time.
  if (build->is_nested)
    tile = build->body->buffers[buffer].root;
  const TileCopyLoopFill *part =
      build->is_nested && writes ? part_of(build, tile) : NULL;
  s->accesses =
      grow(build->arena, s->accesses, s->num_accesses, sizeof *s->accesses);
  s->accesses[s->num_accesses++] = (TileLoopAccess){
      tile,
      buffer,
      reads,
      writes,
      is_sure && (!build->is_nested || (part && part->is_sure)),
      part};
}

typedef struct {
  Build *build;
  const TileAccess *known;
  int num_known;
} EffectWalk;

static void add_effect(TileEffectKind kind, MlirValue value,
                       MlirStringRef resource, void *user_data) {
  (void)resource;
  EffectWalk *walk = user_data;
  bool reads = kind == TILE_EFFECT_READ, writes = kind == TILE_EFFECT_WRITE;
  if (!reads && !writes)
    return; // an allocation orders nothing
  if (mlirValueIsNull(value) ||
      !mlirTypeIsAMemRef(mlirValueGetType(tile_buffer_of(value).root))) {
    if (walk->build->statement)
      walk->build->statement->has_other_effects = true;
    return;
  }
  for (int i = 0; i < walk->num_known; i++)
    if (mlirValueEqual(walk->known[i].tile, value))
      return;
  add_access(walk->build, value, reads, writes, false);
}

// A wait brings the slot of a ring, a release takes it away: both count as
// writes of the rings of their channel, and order nothing else.
static bool add_verb(Build *build, MlirOperation op) {
  bool is_wait = tile_wait_is(op);
  if (!is_wait && !tile_release_is(op))
    return false;
  TileChannelOp channel =
      tile_channel_of(is_wait ? tile_wait_channel(tile_wait_cast(op))
                              : tile_release_channel(tile_release_cast(op)));
  if (!channel.op.ptr)
    return false;
  TileRange rings = tile_channel_rings(channel);
  for (intptr_t i = 0; i < rings.n; i++) {
    MlirValue ring = tile_range_at(rings, i);
    int buffer = get_buffer(build, ring); // may move the buffers
    build->body->buffers[buffer].num_slots = tile_channel_depth(channel);
    add_access(build, ring, false, true, false);
  }
  return true;
}

// Tensors, and tiles that other blocks reach, whose accesses keep their place
// before or after an op that orders.
static void add_ordered(Build *build, MlirOperation op) {
  TileOrdering ordering;
  if (!build->kernel.ptr || !tile_ordering_of(op, &ordering))
    return;
  for (int i = 0; i < build->body->num_buffers; i++) {
    const TileLoopBuffer *buffer = &build->body->buffers[i];
    bool is_seen =
        buffer->space == TILE_SPACE_SHARED
            ? tile_is_reached_remotely(buffer->root)
            : buffer->space == TILE_SPACE_GLOBAL &&
                  (ordering.is_system ||
                   tile_kernel_may_write(build->kernel, buffer->root));
    if (is_seen)
      add_access(build, buffer->root, true, true, false);
  }
}

static void add_accesses(Build *build, MlirOperation op) {
  TileAccess known[TILE_MAX_ACCESSES];
  if (add_verb(build, op))
    return;
  add_ordered(build, op);
  int num_known = tile_accesses_get(op, known);
  for (int i = 0; i < num_known; i++)
    add_access(build, known[i].tile, known[i].reads, known[i].writes, true);
  EffectWalk walk = {build, known, num_known};
  if (mlirOperationGetNumRegions(op) > 0 || mlirxIsPure(op) ||
      mlirxEffects(op, false, add_effect, &walk))
    return;
  // Nothing is known of its effects: it may do anything with its operands.
  if (build->statement)
    build->statement->has_other_effects = true;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
    MlirValue operand = mlirOperationGetOperand(op, i);
    TileShape shape;
    if (tile_shape_of(operand, &shape))
      add_access(build, operand, true, true, false);
  }
}

static MlirWalkResult visit_inside(MlirOperation op, void *user_data) {
  Build *build = user_data;
  build->is_nested =
      build->statement && !mlirOperationEqual(op, build->statement->op);
  add_accesses(build, op);
  return MlirWalkResultAdvance;
}

//===-- Statements --------------------------------------------------------===//

static MlirWalkResult find_verb(MlirOperation op, void *user_data) {
  bool *has_verb = user_data;
  *has_verb |= tile_wait_is(op) || tile_release_is(op) || tile_acquire_is(op) ||
               tile_commit_is(op);
  return *has_verb ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

static bool is_number(MlirType type) {
  return mlirTypeIsAInteger(type) || mlirTypeIsAIndex(type) ||
         mlirTypeIsAFloat(type);
}

// A role decides about its channels where it stands in them: an `scf.if` that
// yields positions is not taken apart.
static bool is_guard(MlirOperation op) {
  bool has_verb = false;
  if (!scf_if_is(op))
    return false;
  intptr_t num_results = mlirOperationGetNumResults(op);
  for (intptr_t r = 0; r < num_results; r++)
    if (!is_number(mlirValueGetType(mlirOperationGetResult(op, r))))
      return false;
  if (num_results > 0)
    mlirOperationWalk(op, find_verb, &has_verb, MlirWalkPreOrder);
  return !has_verb;
}

bool tile_loop_body_is_choice(const TileLoopBody *body, MlirOperation op) {
  return mlirOperationGetNumResults(op) > 0 && is_guard(op) &&
         !is_arithmetic(body, op);
}

MlirValue tile_choice_yield(MlirValue value, int branch) {
  MlirOperation op = mlirOpResultGetOwner(value);
  MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, branch));
  return mlirOperationGetOperand(mlirBlockGetTerminator(block),
                                 mlirOpResultGetResultNumber(value));
}

static bool is_in_group(MlirOperation op) {
  return tile_copy_is(op) && tile_copy_async(tile_copy_cast(op));
}

// Groups that the user made. A copy completes at a wait: what reads the tile
// comes after that, which therefore counts as a write of it. So does the end
// of the group, which stays with its copies.
static void add_group(Build *build, bool is_commit) {
  const TileLoopBody *body = build->body;
  for (int i = body->num_statements - 2; i >= 0; i--) {
    MlirOperation op = body->statements[i].op;
    if (is_commit && tile_cp_async_commit_is(op))
      return;
    if (is_in_group(op))
      add_access(build, tile_copy_dst(tile_copy_cast(op)), false, true, false);
  }
}

// A wait that leaves groups under way counts all groups after the one that it
// needs: they keep their order, and their stage. One for all groups does not.
static MlirWalkResult find_counts(MlirOperation op, void *user_data) {
  Build *build = user_data;
  if (tile_cp_async_wait_is(op) &&
      tile_cp_async_wait_pending(tile_cp_async_wait_cast(op)) > 0)
    build->counts_groups = true;
  return MlirWalkResultAdvance;
}

static void add_group_effects(Build *build, TileStatement *s) {
  bool is_commit = tile_cp_async_commit_is(s->op);
  bool is_wait = tile_cp_async_wait_is(s->op);
  if (is_commit || is_wait)
    add_group(build, is_commit);
  if (is_commit || is_wait || is_in_group(s->op))
    s->has_other_effects = build->counts_groups;
}

static void add_statement(Build *build, MlirOperation op,
                          const TileGuard *guards, int num_guards) {
  TileLoopBody *body = build->body;
  body->statements = grow(build->arena, body->statements, body->num_statements,
                          sizeof *body->statements);
  TileStatement *s = &body->statements[body->num_statements++];
  *s = (TileStatement){.op = op, .guards = guards, .num_guards = num_guards};
  build->statement = s;
  mlirOperationWalk(op, visit_inside, build, MlirWalkPreOrder);
  add_group_effects(build, s);
  build->statement = NULL;
}

static void collect_block(Build *build, MlirBlock block,
                          const TileGuard *guards, int num_guards) {
  TILE_FOR_EACH_OP (op, block) {
    if (tile_alloc_is(op)) {
      TileLoopBody *body = build->body;
      body->allocs = grow(build->arena, body->allocs, body->num_allocs,
                          sizeof *body->allocs);
      body->allocs[body->num_allocs++] = op;
      continue;
    }
    if (mlirxIsTerminator(op) || is_arithmetic(build->body, op))
      continue;
    if (!is_guard(op)) {
      add_statement(build, op, guards, num_guards);
      continue;
    }
    for (int branch = 0; branch < 2; branch++) {
      MlirBlock inner =
          mlirRegionGetFirstBlock(mlirOperationGetRegion(op, branch));
      if (mlirBlockIsNull(inner))
        continue;
      TileGuard *path = TILE_ARENA_NEW(build->arena, TileGuard, num_guards + 1);
      if (num_guards)
        memcpy(path, guards, sizeof *path * (size_t)num_guards);
      path[num_guards] = (TileGuard){op, branch};
      collect_block(build, inner, path, num_guards + 1);
    }
  }
}

int tile_loop_body_find(const TileLoopBody *body, MlirOperation op) {
  for (int i = 0; i < body->num_statements; i++)
    if (mlirOperationEqual(body->statements[i].op, op))
      return i;
  return -1;
}

// The kernel, or the function that has the loop.
static MlirOperation function_around(MlirOperation op) {
  MlirOperation parent = mlirOperationGetParentOperation(op);
  while (!tile_kernel_is(op) && !func_func_is(op) && parent.ptr) {
    op = parent;
    parent = mlirOperationGetParentOperation(op);
  }
  return op;
}

static MlirWalkResult find_ordering(MlirOperation op, void *user_data) {
  bool *is_found = user_data;
  TileOrdering ordering;
  *is_found |= tile_ordering_of(op, &ordering);
  return *is_found ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

void tile_loop_body_build(TileArena *arena, const TileLoopForm *loop,
                          TileLoopBody *out_body) {
  *out_body = (TileLoopBody){.loop = *loop};
  Build build = {.arena = arena, .body = out_body};
  // What the loop writes must be known before loads can be told apart.
  mlirOperationWalk(loop->op, visit_inside, &build, MlirWalkPreOrder);
  bool has_ordering = false;
  mlirOperationWalk(loop->op, find_ordering, &has_ordering, MlirWalkPreOrder);
  if (has_ordering) { // now all buffers are known
    build.kernel = function_around(loop->op);
    mlirOperationWalk(loop->op, visit_inside, &build, MlirWalkPreOrder);
  }
  mlirOperationWalk(loop->op, find_counts, &build, MlirWalkPreOrder);
  collect_block(&build, loop->body, NULL, 0);
  tile_loop_versions_find(out_body);
}

bool tile_statement_touches(const TileStatement *s, int buffer,
                            bool only_writes) {
  for (int a = 0; a < s->num_accesses; a++)
    if (s->accesses[a].buffer == buffer &&
        (s->accesses[a].writes || !only_writes))
      return true;
  return false;
}

bool tile_statements_exclude(const TileStatement *a, const TileStatement *b) {
  int count = a->num_guards < b->num_guards ? a->num_guards : b->num_guards;
  for (int g = 0; g < count; g++) {
    if (!mlirOperationEqual(a->guards[g].op, b->guards[g].op))
      return false;
    if (a->guards[g].branch != b->guards[g].branch)
      return true;
  }
  return false;
}

//===-- Decisions ---------------------------------------------------------===//

typedef struct {
  const TileLoopBody *body;
  MlirOperation found;
} FixedWalk;

// Branches and loops are as their ops are.
static bool is_control_flow(MlirOperation op) {
  return scf_if_is(op) || scf_for_is(op) || scf_while_is(op);
}

static MlirWalkResult find_fixed(MlirOperation op, void *user_data) {
  FixedWalk *walk = user_data;
  if (is_control_flow(op) || mlirxIsTerminator(op) ||
      mlirxIsMemoryEffectFree(op) || is_arithmetic(walk->body, op))
    return MlirWalkResultAdvance;
  walk->found = op;
  return MlirWalkResultInterrupt;
}

MlirOperation tile_loop_body_find_fixed(const TileLoopBody *body) {
  FixedWalk walk = {body, {NULL}};
  if (!body->loop.condition.ptr)
    return walk.found;
  TILE_FOR_EACH_OP (op, body->loop.condition) {
    if (!walk.found.ptr)
      mlirOperationWalk(op, find_fixed, &walk, MlirWalkPreOrder);
  }
  return walk.found;
}

//===-- Loads by the threads themselves -----------------------------------===//

bool tile_loop_body_loads_plainly(const TileLoopBody *body, int statement) {
  const TileStatement *s = &body->statements[statement];
  TileCopyOp copy = tile_copy_dyn(s->op);
  bool is_plain = copy.op.ptr &&
                  !mlirAttributeIsNull(tile_copy_instr_attr(copy)) &&
                  tile_copy_instr(copy) == TILE_INSTR_Simt &&
                  mlirValueIsNull(tile_copy_signal(copy));
  bool writes = false, reads_tensor = false;
  if (s->has_other_effects || (!is_plain && !tile_parallel_is(s->op)))
    return false;
  for (int a = 0; a < s->num_accesses; a++) {
    const TileLoopBuffer *buffer = &body->buffers[s->accesses[a].buffer];
    // What the loop leaves alone can be read at any time.
    if (s->accesses[a].reads && buffer->is_written)
      return false;
    if (s->accesses[a].writes && !buffer->is_versioned)
      return false;
    reads_tensor |= s->accesses[a].reads && buffer->space == TILE_SPACE_GLOBAL;
    writes |= s->accesses[a].writes;
  }
  return writes && reads_tensor;
}

//===-- Sources of values -------------------------------------------------===//

TileLoopSources tile_loop_sources_create(TileArena *arena,
                                         const TileLoopBody *body) {
  return (TileLoopSources){
      .body = body,
      .statements = TILE_ARENA_NEW(arena, bool, body->num_statements + 1),
      .carried = TILE_ARENA_NEW(arena, bool, body->loop.num_carried + 1),
      .arena = arena};
}

// True the first time.
static bool visit_once(TileLoopSources *sources, MlirOperation op) {
  for (int i = 0; i < sources->num_visited; i++)
    if (mlirOperationEqual(sources->visited[i], op))
      return false;
  sources->visited = grow(sources->arena, sources->visited,
                          sources->num_visited, sizeof *sources->visited);
  sources->visited[sources->num_visited++] = op;
  return true;
}

// The same of a result of a choice, which does not depend on what others do.
static bool choose_once(TileLoopSources *sources, MlirValue value) {
  for (int i = 0; i < sources->num_chosen; i++)
    if (mlirValueEqual(sources->chosen[i], value))
      return false;
  sources->chosen = grow(sources->arena, sources->chosen, sources->num_chosen,
                         sizeof *sources->chosen);
  sources->chosen[sources->num_chosen++] = value;
  return true;
}

static void add_choice(TileLoopSources *sources, MlirValue value) {
  if (!choose_once(sources, value))
    return;
  ScfIfOp choice = scf_if_cast(mlirOpResultGetOwner(value));
  tile_loop_sources_add(sources, scf_if_condition(choice));
  for (int branch = 0; branch < 2; branch++)
    tile_loop_sources_add(sources, tile_choice_yield(value, branch));
}

static MlirWalkResult add_operands(MlirOperation op, void *user_data) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
    tile_loop_sources_add(user_data, mlirOperationGetOperand(op, i));
  return MlirWalkResultAdvance;
}

// The op of the loop body, at any depth of its guards, that `value` is a result
// of; the statement or the arithmetic around it when it is deeper inside.
void tile_loop_sources_add(TileLoopSources *sources, MlirValue value) {
  const TileLoopBody *body = sources->body;
  MlirValue forwarded = tile_loop_form_forwarded(&body->loop, value);
  if (forwarded.ptr)
    value = forwarded;
  if (mlirValueIsABlockArgument(value)) {
    intptr_t number = tile_loop_form_find(&body->loop, value);
    if (number >= 0)
      sources->carried[number] = true;
    return;
  }
  if (!tile_value_is_inside(value, body->loop.op))
    return;
  MlirOperation op = mlirOpResultGetOwner(value);
  int statement = tile_loop_body_find(body, op);
  if (statement >= 0) {
    sources->statements[statement] = true;
    return;
  }
  if (tile_loop_body_is_choice(body, op))
    add_choice(sources, value);
  else if (visit_once(sources, op))
    mlirOperationWalk(op, add_operands, sources, MlirWalkPreOrder);
}

void tile_loop_sources_add_statement(TileLoopSources *sources, int statement) {
  const TileStatement *s = &sources->body->statements[statement];
  for (int g = 0; g < s->num_guards; g++)
    tile_loop_sources_add(sources,
                          scf_if_condition(scf_if_cast(s->guards[g].op)));
  mlirOperationWalk(s->op, add_operands, sources, MlirWalkPreOrder);
}

void tile_loop_sources_add_condition(TileLoopSources *sources) {
  if (!sources->body->loop.condition.ptr)
    return;
  ScfConditionOp op = tile_loop_form_condition(&sources->body->loop);
  tile_loop_sources_add(sources, scf_condition_condition(op));
}
