//===- VerifyWrites.c - Tiles that are read before they are written -------===//
//
// Consumes: kernels as the user wrote them.
// Produces: nothing; a warning where some path does not write a tile that is
//           read, once per tile.
// Fails:    a tile is read that no path has written.
// Method:   paths are walked in program order, each loop once: who reads in the
//           first round what a later one writes reads nothing.
//
//   loops       run: only one whose constant bounds say otherwise does not.
//   What
//               they write is written after them.
//   branches    what one of them writes may be written. A read after it is
//               warned of, if nothing but this branch decides: one that stands
//               under a condition of its own, or in a loop that may not run,
//               may run where the branch has, and so may one whose branch looks
//               at the round of a loop around both.
//   parts       of a tile stand for all of it, in element loops as well.
//   roles       run at once: what others write may be there.
//
//===----------------------------------------------------------------------===//

#include "Dialect/ElementLoops.h"
#include "Dialect/Products.h"
#include "Support/Arena.h"
#include "Support/Diagnostics.h"
#include "Support/Iterate.h"
#include "Tile/Ops/scf.h"
#include "TilePasses.h"

#include <string.h>

//===-- State -------------------------------------------------------------===//

typedef enum { UNWRITTEN, PARTLY, WRITTEN } Level;

typedef struct {
  Level level;
  MlirOperation branch; // PARTLY: that writes on some of its paths; null: many
} Known;

typedef struct {
  TileArena *arena;
  MlirValue *tiles; // results of tile.alloc
  int num_tiles, tile_capacity;
  bool *is_reported;
  Known *states;
  int num_element_loops; // around the op
  MlirLogicalResult result;
} Walk;

static MlirWalkResult find_tile(MlirOperation op, void *user_data) {
  Walk *walk = user_data;
  if (!tile_alloc_is(op))
    return MlirWalkResultAdvance;
  TILE_ARENA_RESERVE(walk->arena, walk->tiles, walk->num_tiles,
                     walk->tile_capacity);
  walk->tiles[walk->num_tiles++] = mlirOperationGetResult(op, 0);
  return MlirWalkResultAdvance;
}

static int tile_number(const Walk *walk, MlirValue tile) {
  MlirValue root = tile_buffer_of(tile).root;
  for (int i = 0; i < walk->num_tiles; i++)
    if (mlirValueEqual(walk->tiles[i], root))
      return i;
  return -1;
}

static Known *states_copy(const Walk *walk) {
  Known *out = TILE_ARENA_NEW(walk->arena, Known, walk->num_tiles + 1);
  memcpy(out, walk->states, sizeof *out * (size_t)walk->num_tiles);
  return out;
}

//===-- Accesses of one op ------------------------------------------------===//

typedef void (*Visit)(Walk *walk, MlirOperation op, int tile, void *user_data);

typedef struct {
  Walk *walk;
  MlirOperation op;
  Visit read, write;
  void *user_data;
} Accesses;

static void access(const Accesses *a, MlirValue tile, bool reads, bool writes) {
  int number = mlirValueIsNull(tile) ? -1 : tile_number(a->walk, tile);
  if (number < 0)
    return;
  if (reads && a->read)
    a->read(a->walk, a->op, number, a->user_data);
  if (writes && a->write)
    a->write(a->walk, a->op, number, a->user_data);
}

static void visit_effect(TileEffectKind kind, MlirValue value,
                         MlirStringRef resource, void *user_data) {
  (void)resource;
  access(user_data, value, kind == TILE_EFFECT_READ, kind == TILE_EFFECT_WRITE);
}

// A product with a `clear` reads no sum where that is true.
static bool clears(MlirOperation op, MlirValue tile) {
  TileProduct product;
  int64_t clear;
  return tile_product_of(op, &product) && mlirValueEqual(product.c, tile) &&
         !mlirValueIsNull(product.clear) &&
         (!mlirxConstantInt(product.clear, &clear) || clear);
}

// Reads come first.
static void visit_accesses(const Accesses *a) {
  MlirOperation op = a->op;
  TileAccess accesses[TILE_MAX_ACCESSES];
  TileElementAccess element;
  if (tile_element_access_get(op, &element)) {
    access(a, element.memref, !element.is_store || element.is_atomic,
           element.is_store);
    return;
  }
  int n = tile_accesses_get(op, accesses);
  for (int i = 0; i < n; i++)
    access(a, accesses[i].tile,
           accesses[i].reads && !clears(op, accesses[i].tile), false);
  for (int i = 0; i < n; i++)
    access(a, accesses[i].tile, false, accesses[i].writes);
  if (n || tile_is_name_op(op) ||
      mlirxEffects(op, false, visit_effect, (void *)a))
    return;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
    access(a, mlirOperationGetOperand(op, i), false, true);
}

//===-- Reports -----------------------------------------------------------===//

static void note_written(Walk *walk, MlirOperation op, int tile,
                         void *user_data) {
  (void)walk, (void)op;
  ((bool *)user_data)[tile] = true;
}

typedef struct {
  Walk *walk;
  MlirOperation except; // nothing inside it counts
  bool *written;        // by tile
} WriteSearch;

// Whether what the op does to tiles is what the ops in it do. A body that
// combines states does nothing to them.
static bool is_around_ops(MlirOperation op) {
  return mlirOperationGetNumRegions(op) > 0 && !tile_reduce_by_is(op) &&
         !tile_scan_by_is(op);
}

static MlirWalkResult find_write(MlirOperation op, void *user_data) {
  WriteSearch *search = user_data;
  if (mlirOperationEqual(op, search->except))
    return MlirWalkResultSkip;
  Accesses a = {.walk = search->walk,
                .op = op,
                .write = note_written,
                .user_data = search->written};
  if (!is_around_ops(op))
    visit_accesses(&a);
  return MlirWalkResultAdvance;
}

static bool *written_inside(Walk *walk, MlirOperation op,
                            MlirOperation except) {
  WriteSearch search = {walk, except,
                        TILE_ARENA_NEW(walk->arena, bool, walk->num_tiles + 1)};
  mlirOperationWalk(op, find_write, &search, MlirWalkPreOrder);
  return search.written;
}

static bool is_branch(MlirOperation op) {
  return scf_if_is(op) || scf_index_switch_is(op);
}

static bool is_loop(MlirOperation op) {
  return scf_for_is(op) || scf_while_is(op);
}

// 1: a loop that its constant bounds let run, -1: one that they do not, 0: it
// is not known.
static int runs(MlirOperation op) {
  int64_t lower, upper;
  if (!scf_for_is(op) ||
      !mlirxConstantInt(scf_for_lowerBound(scf_for_cast(op)), &lower) ||
      !mlirxConstantInt(scf_for_upperBound(scf_for_cast(op)), &upper))
    return 0;
  return lower < upper ? 1 : -1;
}

// Whether the value is computed in a region of the kernel.
static bool is_inner(MlirValue value) {
  MlirBlock block = mlirValueIsABlockArgument(value)
                        ? mlirBlockArgumentGetOwner(value)
                        : mlirOperationGetBlock(mlirOpResultGetOwner(value));
  for (MlirOperation op = mlirBlockGetParentOperation(block); op.ptr;
       op = mlirOperationGetParentOperation(op)) {
    if (is_loop(op))
      return true;
    if (tile_kernel_is(op))
      return false;
  }
  return false;
}

// Whether rounds of a loop around `op` may differ in whether it runs.
static bool may_skip(MlirOperation op) {
  if (!scf_for_is(op))
    return is_branch(op) || scf_while_is(op);
  ScfForOp loop = scf_for_cast(op);
  return is_inner(scf_for_lowerBound(loop)) ||
         is_inner(scf_for_upperBound(loop));
}

// Whether `op` may wait for a round in which the tile has been written.
static bool may_come_later(Walk *walk, MlirOperation op, int tile) {
  bool skips = false;
  for (op = mlirOperationGetParentOperation(op); op.ptr && !tile_kernel_is(op);
       op = mlirOperationGetParentOperation(op)) {
    if (skips && is_loop(op) &&
        written_inside(walk, op, (MlirOperation){NULL})[tile])
      return true;
    skips |= may_skip(op);
  }
  return false;
}

// Whether `op` runs whenever the block does in which `branch` stands, and the
// branch is the same in all rounds.
static bool is_decided_by(MlirOperation op, MlirOperation branch) {
  MlirBlock block = mlirOperationGetBlock(branch);
  while (!mlirBlockEqual(mlirOperationGetBlock(op), block)) {
    op = mlirOperationGetParentOperation(op);
    if (!op.ptr || tile_kernel_is(op) || is_branch(op) ||
        (is_loop(op) && runs(op) <= 0))
      return false;
  }
  return !is_inner(mlirOperationGetOperand(branch, 0));
}

static const char *space_of(const Walk *walk, int tile) {
  TileShape shape;
  if (!tile_shape_of(walk->tiles[tile], &shape))
    return "tile";
  return shape.space == TILE_SPACE_FRAGMENT ? "fragment"
         : shape.space == TILE_SPACE_SHARED ? "shared tile"
                                            : "private tile";
}

typedef struct {
  const char *verb, *advice;
} Wording;

// What the op does to the tile that it reads, and what it lacks.
static Wording wording_of(const Walk *walk, MlirOperation op, int tile) {
  TileProduct product;
  if (tile_product_of(op, &product) && tile_number(walk, product.c) == tile)
    return (Wording){"adds to",
                     "tile.fill it with zeros first, or give `clear`"};
  if (tile_reduce_is(op) &&
      tile_number(walk, tile_reduce_dst(tile_reduce_cast(op))) == tile)
    return (Wording){"folds into", "tile.fill it first, or give `clear`"};
  if (tile_atomic_is(op) &&
      tile_number(walk, tile_atomic_dst(tile_atomic_cast(op))) == tile)
    return (Wording){"updates", "tile.fill it first"};
  return (Wording){"reads", "tile.fill it or copy to it first"};
}

static void check_read(Walk *walk, MlirOperation op, int tile,
                       void *user_data) {
  (void)user_data;
  const Known *state = &walk->states[tile];
  MlirLocation location =
      mlirOperationGetLocation(mlirOpResultGetOwner(walk->tiles[tile]));
  Wording wording = wording_of(walk, op, tile);
  if (state->level == WRITTEN || walk->is_reported[tile])
    return;
  if (state->level == UNWRITTEN && !may_come_later(walk, op, tile)) {
    walk->is_reported[tile] = true;
    walk->result = tile_emit_error_with_note(
        op, location, "the tile is here",
        "%s a %s that nothing has written: %s", wording.verb,
        space_of(walk, tile), wording.advice);
  }
  if (state->level == PARTLY && state->branch.ptr &&
      is_decided_by(op, state->branch)) {
    walk->is_reported[tile] = true;
    const MlirxNote notes[] = {
        {mlirOperationGetLocation(state->branch),
         TILE_STR("written on some paths through this op only")},
        {location, TILE_STR("the tile is here")}};
    tile_emit_warning_with_notes(op, 2, notes, "tile-verify/unwritten",
                                 "%s a %s that nothing has written on some "
                                 "path: %s",
                                 wording.verb, space_of(walk, tile),
                                 wording.advice);
  }
}

static void set_written(Walk *walk, MlirOperation op, int tile,
                        void *user_data) {
  (void)op, (void)user_data;
  walk->states[tile] = (Known){.level = WRITTEN};
}

//===-- Control flow ------------------------------------------------------===//

static void walk_block(Walk *walk, MlirBlock block);

static void walk_region(Walk *walk, MlirRegion region) {
  for (MlirBlock block = mlirRegionGetFirstBlock(region); block.ptr;
       block = mlirBlockGetNextInRegion(block))
    walk_block(walk, block);
}

// What is known after `branch` of a tile, before which `before` was known
// and after one of its paths `a`, after another one `b`.
static Known joined(const Walk *walk, MlirOperation branch, Known before,
                    Known a, Known b) {
  if (a.level == b.level && mlirOperationEqual(a.branch, b.branch))
    return a;
  if (walk->num_element_loops > 0)
    return (Known){.level = WRITTEN};
  bool is_second = before.level == PARTLY;
  return (Known){.level = PARTLY,
                 .branch = is_second ? (MlirOperation){NULL} : branch};
}

static void walk_branch(Walk *walk, MlirOperation op) {
  intptr_t num_regions = mlirOperationGetNumRegions(op);
  Known *before = states_copy(walk), *after = NULL;
  for (intptr_t r = 0; r < num_regions; r++) {
    memcpy(walk->states, before, sizeof *before * (size_t)walk->num_tiles);
    walk_region(walk, mlirOperationGetRegion(op, r));
    for (int i = 0; after && i < walk->num_tiles; i++)
      walk->states[i] = joined(walk, op, before[i], after[i], walk->states[i]);
    after = states_copy(walk);
  }
}

// What other roles write, at any time, may be there.
static void walk_roles(Walk *walk, MlirOperation op) {
  Known *before = states_copy(walk), *after = states_copy(walk);
  TILE_FOR_EACH_OP (role, tile_specialize_block(tile_specialize_cast(op))) {
    if (!tile_role_is(role))
      continue;
    const bool *others = written_inside(walk, op, role);
    for (int i = 0; i < walk->num_tiles; i++) {
      walk->states[i] = before[i];
      if (others[i])
        walk->states[i] = (Known){.level = WRITTEN};
    }
    walk_region(walk, mlirOperationGetRegion(role, 0));
    for (int i = 0; i < walk->num_tiles; i++)
      if (walk->states[i].level > after[i].level)
        after[i] = walk->states[i];
  }
  memcpy(walk->states, after, sizeof *after * (size_t)walk->num_tiles);
}

static void walk_op(Walk *walk, MlirOperation op) {
  if (tile_alloc_is(op)) {
    int tile = tile_number(walk, mlirOperationGetResult(op, 0));
    walk->states[tile] = (Known){.level = UNWRITTEN};
  } else if (is_branch(op)) {
    walk_branch(walk, op);
  } else if (tile_specialize_is(op)) {
    walk_roles(walk, op);
  } else if (is_around_ops(op)) {
    walk->num_element_loops += tile_parallel_is(op);
    for (intptr_t r = 0; runs(op) >= 0 && r < mlirOperationGetNumRegions(op);
         r++)
      walk_region(walk, mlirOperationGetRegion(op, r));
    walk->num_element_loops -= tile_parallel_is(op);
  } else {
    Accesses a = {
        .walk = walk, .op = op, .read = check_read, .write = set_written};
    visit_accesses(&a);
  }
}

static void walk_block(Walk *walk, MlirBlock block) {
  TILE_FOR_EACH_OP (op, block)
    walk_op(walk, op);
}

//===-- Entry -------------------------------------------------------------===//

static MlirLogicalResult visit_kernel(MlirOperation kernel, void *user_data) {
  Walk walk = {.arena = user_data, .result = tile_success()};
  mlirOperationWalk(kernel, find_tile, &walk, MlirWalkPreOrder);
  walk.is_reported = TILE_ARENA_NEW(walk.arena, bool, walk.num_tiles + 1);
  walk.states = TILE_ARENA_NEW(walk.arena, Known, walk.num_tiles + 1);
  walk_region(&walk, mlirOperationGetRegion(kernel, 0));
  return walk.result;
}

MlirLogicalResult
tile_verify_writes_run(MlirOperation op,
                       const TileVerifyWritesOptions *options) {
  (void)options;
  return tile_kernels_visit_in_arena(op, visit_kernel);
}
