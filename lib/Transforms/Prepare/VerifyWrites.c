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
//               What they write is written after them.
//   branches    what one of them writes may be written. A read after it, or
//               after the loops around it, is warned of if nothing but this
//               branch decides: one that stands under a condition of its own,
//               or in a loop that may not run, may run where the branch has.
//   conditions  that look at the round of a loop, or at what rounds hand on,
//               choose a round, and threads write elements for each other: both
//               get the benefit of the doubt. So do two branches that look at
//               the same values: one may write where the other does not.
//   parts       of a tile stand for all of it. In element loops conditions on
//               elements leave some out: reductions, scans and products that
//               add them to others are warned of, others may skip them too.
//   roles       run at once: what others write may be there.
//
//===----------------------------------------------------------------------===//

#include "Analysis/Index/Index.h"
#include "Dialect/ElementLoops.h"
#include "Dialect/ForeignOps.h"
#include "Dialect/Products.h"
#include "Support/Arena.h"
#include "Support/Diagnostics.h"
#include "Support/Iterate.h"
#include "Tile/Ops/arith.h"
#include "Tile/Ops/scf.h"
#include "TilePasses.h"

#include <string.h>

//===-- State -------------------------------------------------------------===//

typedef enum { UNWRITTEN, PARTLY, WRITTEN } Level;

enum { MAX_BRANCHES = 2 };

typedef struct {
  Level level;
  // PARTLY: those that write on some of their paths. More than there is room
  // for: some of them cover the others, for all that is known.
  MlirOperation branches[MAX_BRANCHES];
  int num_branches;
  // WRITTEN: null, or the branch of an element loop that leaves elements out,
  // by their indices in some dimensions.
  MlirOperation mask;
  unsigned masked_dims;
  TileRange indices; // of the element that was written last
} Known;

typedef struct {
  TileArena *arena;
  MlirValue *tiles; // results of tile.alloc
  int num_tiles, tile_capacity;
  bool *is_reported;
  Known *states;
  TileDivergence divergence;
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

//===-- Conditions --------------------------------------------------------===//

// What the condition of a branch looks at. What a tensor holds is data,
// wherever it stands; what a tile holds may come from an earlier round.
typedef struct {
  MlirOperation tile; // the tile.alloc; null: rounds are of no interest
  MlirOperation at;   // the branch, or the loop around it before the read
  bool chooses_round, is_exact;
  MlirValue *leaves; // in an arena: tensors, and what is neither computed nor
                     // constant
  int num_leaves, capacity;
  TileArena *arena;
  int budget; // values looked at; then a round may be chosen
} Condition;

static void add_leaf(Condition *condition, MlirValue value) {
  TILE_ARENA_RESERVE(condition->arena, condition->leaves, condition->num_leaves,
                     condition->capacity);
  condition->leaves[condition->num_leaves++] = value;
}

// A loop with a tile of its own begins anew in each round. Of a loop that is
// over when the tile is read, the condition chooses a round by its number alone
// where it asks for that very number.
static void add_argument(Condition *condition, MlirValue value) {
  MlirOperation op =
      mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(value));
  add_leaf(condition, value);
  if (!is_loop(op) || !condition->tile.ptr ||
      tile_op_is_inside(condition->tile, op))
    return;
  bool is_number = scf_for_is(op) && mlirBlockArgumentGetArgNumber(value) == 0;
  condition->chooses_round |= !is_number || condition->is_exact ||
                              !tile_op_is_inside(op, condition->at);
}

// Equal to a number, or to one of each so many; `arith.andi` of bits joins
// conditions.
static bool asks_exactly(MlirOperation op) {
  if (arith_cmpi_is(op))
    return arith_cmpi_predicate(arith_cmpi_cast(op)) ==
           ARITH_CMP_I_PREDICATE_eq;
  if (!arith_andi_is(op))
    return arith_remui_is(op) || arith_remsi_is(op);
  MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
  return !mlirTypeIsAInteger(type) || mlirIntegerTypeGetWidth(type) > 1;
}

static void trace(Condition *condition, MlirValue value) {
  TileElementAccess element;
  TileShape shape;
  if (--condition->budget < 0) {
    condition->chooses_round = true;
    return;
  }
  if (mlirValueIsABlockArgument(value)) {
    add_argument(condition, value);
    return;
  }
  MlirOperation op = mlirOpResultGetOwner(value);
  if (tile_element_access_get(op, &element)) {
    condition->chooses_round |= element.is_store ||
                                !tile_shape_of(element.memref, &shape) ||
                                shape.space != TILE_SPACE_GLOBAL;
    add_leaf(condition, element.memref);
    return;
  }
  bool was_exact = condition->is_exact;
  intptr_t num_operands = mlirOperationGetNumOperands(op);
  int64_t number;
  condition->chooses_round |= mlirOperationGetNumRegions(op) > 0;
  condition->is_exact |= asks_exactly(op);
  for (intptr_t i = 0; i < num_operands; i++)
    trace(condition, mlirOperationGetOperand(op, i));
  condition->is_exact = was_exact;
  if (num_operands == 0 && !mlirxConstantInt(value, &number))
    add_leaf(condition, value);
}

static Condition condition_of(const Walk *walk, MlirOperation op,
                              MlirOperation tile, MlirOperation at) {
  enum { BUDGET = 256 };
  Condition out = {
      .arena = walk->arena, .tile = tile, .at = at, .budget = BUDGET};
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
    trace(&out, mlirOperationGetOperand(op, i));
  return out;
}

// Whether two branches, or a branch and the bounds of a loop, look at one
// value.
static bool are_related(const Walk *walk, MlirOperation first,
                        MlirOperation second) {
  const MlirOperation none = {NULL};
  Condition a = condition_of(walk, first, none, none);
  Condition b = condition_of(walk, second, none, none);
  for (int i = 0; i < a.num_leaves; i++)
    for (int j = 0; j < b.num_leaves; j++)
      if (mlirValueEqual(a.leaves[i], b.leaves[j]))
        return true;
  return false;
}

// Whether `op` runs whenever the block does in which `branch` stands, or the
// loops around it, and the branch may go the same way in all rounds.
static bool is_decided_by(const Walk *walk, MlirOperation op, int tile,
                          MlirOperation branch) {
  MlirOperation alloc = mlirOpResultGetOwner(walk->tiles[tile]), at = branch;
  while (!tile_op_is_in_block(op, mlirOperationGetBlock(at)))
    at = mlirOperationGetParentOperation(at);
  MlirBlock block = mlirOperationGetBlock(at);
  while (!mlirBlockEqual(mlirOperationGetBlock(op), block)) {
    op = mlirOperationGetParentOperation(op);
    if (!op.ptr || tile_kernel_is(op) || is_branch(op) ||
        (is_loop(op) && runs(op) <= 0 && are_related(walk, op, branch)))
      return false;
  }
  return !condition_of(walk, branch, alloc, at).chooses_round &&
         !tile_divergence_reaches(&walk->divergence, branch);
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

// Branches that look at one value may make up for each other.
static bool may_be_covered(const Walk *walk, const Known *state) {
  return state->num_branches > MAX_BRANCHES ||
         (state->num_branches == MAX_BRANCHES &&
          are_related(walk, state->branches[0], state->branches[1]));
}

static bool is_partly_unwritten(Walk *walk, MlirOperation op, int tile) {
  const Known *state = &walk->states[tile];
  if (state->level != PARTLY || may_be_covered(walk, state))
    return false;
  for (int i = 0; i < state->num_branches; i++)
    if (!is_decided_by(walk, op, tile, state->branches[i]))
      return false;
  return true;
}

// The dimensions of the tile in which `op` adds elements to others, as a mask.
static unsigned combined_dims(const Walk *walk, MlirOperation op, int tile) {
  TileProduct product;
  TileShape shape;
  if (tile_reduce_is(op) &&
      tile_number(walk, tile_reduce_src(tile_reduce_cast(op))) == tile)
    return 1u << tile_reduce_dim(tile_reduce_cast(op));
  if (tile_scan_is(op) &&
      tile_number(walk, tile_scan_src(tile_scan_cast(op))) == tile)
    return 1u << tile_scan_dim(tile_scan_cast(op));
  if (!tile_product_of(op, &product) || product.is_sparse ||
      !tile_shape_of(walk->tiles[tile], &shape) || shape.rank < 2)
    return 0;
  unsigned rows = 1u << (shape.rank - 2), columns = rows << 1, dims = 0;
  if (tile_number(walk, product.a) == tile)
    dims |= product.transpose_a ? rows : columns;
  if (tile_number(walk, product.b) == tile)
    dims |= product.transpose_b ? columns : rows;
  return dims;
}

static void warn_of_read(Walk *walk, MlirOperation op, int tile,
                         MlirOperation branch, const char *where,
                         const char *what) {
  Wording wording = wording_of(walk, op, tile);
  const MlirxNote notes[] = {
      {mlirOperationGetLocation(branch), tile_str(what)},
      {mlirOperationGetLocation(mlirOpResultGetOwner(walk->tiles[tile])),
       TILE_STR("the tile is here")}};
  walk->is_reported[tile] = true;
  tile_emit_warning_with_notes(op, 2, notes, "tile-verify/unwritten",
                               "%s a %s that nothing has written %s: %s",
                               wording.verb, space_of(walk, tile), where,
                               wording.advice);
}

static void check_read(Walk *walk, MlirOperation op, int tile,
                       void *user_data) {
  (void)user_data;
  const Known *state = &walk->states[tile];
  if (walk->is_reported[tile])
    return;
  if (state->level == UNWRITTEN && !may_come_later(walk, op, tile)) {
    Wording wording = wording_of(walk, op, tile);
    walk->is_reported[tile] = true;
    walk->result = tile_emit_error_with_note(
        op, mlirOperationGetLocation(mlirOpResultGetOwner(walk->tiles[tile])),
        "the tile is here", "%s a %s that nothing has written: %s",
        wording.verb, space_of(walk, tile), wording.advice);
  } else if (is_partly_unwritten(walk, op, tile)) {
    warn_of_read(walk, op, tile, state->branches[0], "on some path",
                 "written on some paths through this op only");
  } else if (state->mask.ptr &&
             (state->masked_dims & combined_dims(walk, op, tile)) &&
             is_decided_by(walk, op, tile, state->mask)) {
    warn_of_read(walk, op, tile, state->mask, "in some elements",
                 "only elements for which this op goes one way are written");
  }
}

static void set_written(Walk *walk, MlirOperation op, int tile,
                        void *user_data) {
  (void)user_data;
  TileElementAccess element;
  Known *state = &walk->states[tile];
  *state = (Known){.level = WRITTEN};
  if (tile_element_access_get(op, &element))
    state->indices = element.indices;
}

//===-- Control flow ------------------------------------------------------===//

static void walk_block(Walk *walk, MlirBlock block);

static void walk_region(Walk *walk, MlirRegion region) {
  for (MlirBlock block = mlirRegionGetFirstBlock(region); block.ptr;
       block = mlirBlockGetNextInRegion(block))
    walk_block(walk, block);
}

static bool is_same(const Known *a, const Known *b) {
  bool same = a->level == b->level && a->num_branches == b->num_branches;
  for (int i = 0; same && i < a->num_branches && i < MAX_BRANCHES; i++)
    same = mlirOperationEqual(a->branches[i], b->branches[i]);
  return same;
}

// The dimensions whose index is of an element that `branch` asks about.
static unsigned masked_dims(MlirOperation branch, TileRange indices) {
  TileParallelOp loop = tile_parallel_around(branch);
  unsigned dims = 0;
  if (!loop.op.ptr || !indices.op.ptr)
    return 0;
  unsigned mask =
      tile_parallel_dependence(loop, mlirOperationGetOperand(branch, 0));
  for (intptr_t i = 0; i < indices.n; i++)
    if (mask & tile_parallel_dependence(loop, tile_range_at(indices, i)))
      dims |= 1u << i;
  return dims;
}

// Of two states with a tile that is written, but for elements.
static Known joined_masks(Known a, Known b) {
  if (a.mask.ptr && b.mask.ptr)
    a.masked_dims |= b.masked_dims;
  else if (b.mask.ptr)
    a = b;
  return a;
}

// What is known after `branch` of a tile, before which `before` was known
// and after one of its paths `a`, after another one `b`.
static Known joined(const Walk *walk, MlirOperation branch, Known before,
                    Known a, Known b) {
  if (is_same(&a, &b) && mlirOperationEqual(a.mask, b.mask))
    return a;
  if (a.level == WRITTEN && b.level == WRITTEN) {
    bool makes_up = before.mask.ptr && (!a.mask.ptr || !b.mask.ptr) &&
                    are_related(walk, branch, before.mask);
    return makes_up ? (Known){.level = WRITTEN} : joined_masks(a, b);
  }
  Known out = before;
  TileRange indices = a.level == WRITTEN ? a.indices : b.indices;
  unsigned dims = masked_dims(branch, indices);
  if (dims && (a.level == WRITTEN || b.level == WRITTEN))
    return (Known){.level = WRITTEN,
                   .mask = branch,
                   .masked_dims = dims | a.masked_dims | b.masked_dims,
                   .indices = indices};
  if (before.level != PARTLY)
    out = (Known){.level = PARTLY};
  if (out.num_branches < MAX_BRANCHES)
    out.branches[out.num_branches] = branch;
  out.num_branches++;
  return out;
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
    for (intptr_t r = 0; runs(op) >= 0 && r < mlirOperationGetNumRegions(op);
         r++)
      walk_region(walk, mlirOperationGetRegion(op, r));
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
  tile_divergence_find(walk.arena, kernel, &walk.divergence);
  walk_region(&walk, mlirOperationGetRegion(kernel, 0));
  return walk.result;
}

MlirLogicalResult
tile_verify_writes_run(MlirOperation op,
                       const TileVerifyWritesOptions *options) {
  (void)options;
  return tile_kernels_visit_in_arena(op, visit_kernel);
}
