//===- Contents.c - What the tiles of a role hold -------------------------===//
//
// Roles repeat what they need on tiles of their own. So what such a tile holds
// is a function of what it was computed from: of the op that wrote it last,
// seen from the reader, of the numbers that this op uses, and of what the tiles
// that it reads hold. A copy of a whole tile makes its target what its source
// is, and whether any of a tile holds is asked of what was folded into it as
// well.
//
//   (H1) who writes the tile is seen: a writer before the reader in a block
//        around it; no writer in another role; none behind the reader in a loop
//        around it that has not written before;
//   (H2) ops give the same whatever threads execute them (RepeatedOps.h);
//   (H3) what nobody wrote holds anything, which programs do not ask for.
//
//===----------------------------------------------------------------------===//

#include "ProgramBuild.h"

#include "Analysis/Index/Index.h"
#include "Analysis/Loops/RepeatedOps.h"
#include "Tile/Ops/scf.h"

enum { UNKNOWN = -1, MAX_NESTED = 64 };

//===-- Writers -----------------------------------------------------------===//

typedef struct {
  TileArena *arena;
  MlirOperation *ops;
  int num_ops, capacity;
  bool is_known; // false: an op whose effect on the tile is not
} Writers;

static void find_writers(Writers *writers, MlirValue tile) {
  for (MlirOpOperand use = mlirValueGetFirstUse(tile);
       !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation op = mlirOpOperandGetOwner(use);
    TileAccess access[TILE_MAX_ACCESSES];
    if (tile_region_is(op) || tile_view_is(op)) {
      find_writers(writers, mlirOperationGetResult(op, 0));
      continue;
    }
    // The body of an element loop is in the loop.
    MlirOperation whole = tile_parallel_around(op).op;
    if (!whole.ptr)
      whole = op;
    int n = tile_repeated_accesses(op, access);
    bool writes = false;
    for (int i = 0; i < n; i++)
      writes |= access[i].writes && mlirValueEqual(access[i].tile, tile);
    writers->is_known &= n > 0;
    if (!writes)
      continue;
    TILE_ARENA_RESERVE(writers->arena, writers->ops, writers->num_ops,
                       writers->capacity);
    writers->ops[writers->num_ops++] = whole;
  }
}

// The op of `block` that `op` is or is in, or null.
static MlirOperation ancestor_in(MlirBlock block, MlirOperation op) {
  while (op.ptr && !mlirBlockEqual(mlirOperationGetBlock(op), block))
    op = mlirOperationGetParentOperation(op);
  return op;
}

// The last op before `at`, in its block, that writes or may write.
static MlirOperation last_writer(const Writers *writers, MlirOperation at) {
  MlirBlock block = mlirOperationGetBlock(at);
  MlirOperation found = {NULL};
  for (int i = 0; i < writers->num_ops; i++) {
    MlirOperation op = ancestor_in(block, writers->ops[i]);
    if (op.ptr && mlirOperationIsBeforeInBlock(op, at) &&
        (!found.ptr || mlirOperationIsBeforeInBlock(found, op)))
      found = op;
  }
  return found;
}

static bool writes_inside(const Writers *writers, MlirOperation outer) {
  for (int i = 0; i < writers->num_ops; i++)
    for (MlirOperation op = writers->ops[i]; op.ptr;
         op = mlirOperationGetParentOperation(op))
      if (mlirOperationEqual(op, outer))
        return true;
  return false;
}

static bool is_of_other_role(MlirOperation writer, MlirOperation reader) {
  MlirOperation other = tile_role_of(writer).op;
  return other.ptr && !mlirOperationEqual(other, tile_role_of(reader).op);
}

// (H1) False when another role writes, too. Private arrays each has itself.
static bool is_of_one_role(Writers *writers, MlirOperation reader,
                           bool is_private) {
  int count = 0;
  for (int i = 0; i < writers->num_ops; i++) {
    bool is_other = is_of_other_role(writers->ops[i], reader);
    if (is_other && !is_private)
      return false;
    if (!is_other)
      writers->ops[count++] = writers->ops[i];
  }
  writers->num_ops = count;
  return true;
}

//===-- What a writer makes -----------------------------------------------===//

typedef struct {
  ProgramBuild *extract;
  MlirOperation predicate; // which asks the tile itself; else null
  int depth;
} Contents;

static ProofScalarId held_by(Contents *c, MlirValue tile, MlirOperation at);

static MlirWalkResult find_odd(MlirOperation op, void *user_data) {
  bool *is_odd = user_data;
  if (tile_op_is_repeatable(op))
    return tile_parallel_is(op) ? MlirWalkResultSkip : MlirWalkResultAdvance;
  *is_odd |= !mlirxIsTerminator(op) && !tile_any_of_is(op) &&
             !tile_all_of_is(op) && !tile_alloc_is(op) &&
             !tile_barrier_sync_is(op) && !scf_for_is(op) && !scf_if_is(op) &&
             !scf_while_is(op) && !tile_region_is(op) && !tile_view_is(op) &&
             !mlirxIsMemoryEffectFree(op);
  TileAccess access[TILE_MAX_ACCESSES];
  if (tile_repeated_accesses(op, access) == 1 && !access[0].writes)
    *is_odd = false;
  return *is_odd ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

// Whether the element loop stores every element of `tile`, and reads none.
static bool fills_by_loop(TileParallelOp loop, MlirValue tile) {
  TileLoopOperand operands[TILE_MAX_LOOP_OPERANDS];
  TileShape shape;
  bool fills = false;
  int n = tile_loop_operands(loop, operands);
  if (!tile_shape_of(tile, &shape))
    return false;
  for (int i = 0; i < n; i++) {
    if (!mlirValueEqual(operands[i].memref, tile))
      continue;
    if (operands[i].reads)
      return false;
    fills |= operands[i].writes && !operands[i].is_write_guarded &&
             operands[i].exact_dims == (1u << shape.rank) - 1;
  }
  return fills;
}

// Whether what `tile` held before makes no difference to what `op` makes.
static bool overwrites(MlirOperation op, MlirValue tile) {
  TileAccess access[TILE_MAX_ACCESSES];
  if (!mlirValueEqual(tile, tile_buffer_of(tile).root))
    return false;
  if (tile_parallel_is(op))
    return fills_by_loop(tile_parallel_cast(op), tile);
  if (!tile_op_is_repeatable(op) || memref_store_is(op))
    return false;
  int n = tile_accesses_get(op, access);
  bool reads = false;
  for (int i = 0; i < n; i++)
    reads |= access[i].reads && mlirValueEqual(access[i].tile, tile);
  return !reads;
}

// The number of the ops that are like `op`.
static int likeness(ProgramBuild *extract, const TileRepeatedOp *op) {
  for (int i = 0; i < extract->num_repeated; i++)
    if (tile_repeated_ops_alike(&extract->repeated[i], op))
      return i;
  TILE_ARENA_RESERVE(extract->arena, extract->repeated, extract->num_repeated,
                     extract->repeated_capacity);
  extract->repeated[extract->num_repeated] = *op;
  return extract->num_repeated++;
}

// What the whole of `root` becomes by a copy, or UNKNOWN.
static ProofScalarId copied(Contents *c, MlirOperation op, MlirValue root) {
  TileShape from, to;
  if (!tile_copy_is(op))
    return UNKNOWN;
  MlirValue src = tile_copy_src(tile_copy_cast(op));
  if (!mlirValueEqual(tile_copy_dst(tile_copy_cast(op)), root) ||
      !tile_shape_of(src, &from) || !tile_shape_of(root, &to) ||
      !tile_shape_equal_extents(&from, &to) ||
      !mlirTypeEqual(from.element, to.element))
    return UNKNOWN;
  return held_by(c, src, op);
}

// What is folded into all of `root` the way the predicate folds, or UNKNOWN.
static ProofScalarId folded(Contents *c, MlirOperation op, MlirValue root) {
  TileReduceOp reduce = tile_reduce_dyn(op);
  if (!c->predicate.ptr || !reduce.op.ptr || !tile_reduce_clear(reduce) ||
      !mlirValueEqual(tile_reduce_dst(reduce), root) ||
      tile_reduce_kind(reduce) != (tile_any_of_is(c->predicate)
                                       ? TILE_REDUCE_KIND_Or
                                       : TILE_REDUCE_KIND_And))
    return UNKNOWN;
  return held_by(c, tile_reduce_src(reduce), op);
}

// What `op`, with regions or without, leaves in `root`.
static ProofScalarId made_by(Contents *c, MlirOperation op, MlirValue root) {
  ProgramBuild *extract = c->extract;
  bool is_odd = false;
  TileRepeatedOp repeated;
  ProofScalarId same = copied(c, op, root);
  if (same == UNKNOWN)
    same = folded(c, op, root);
  if (same != UNKNOWN)
    return same;
  c->predicate.ptr = NULL;
  mlirOperationWalk(op, find_odd, &is_odd, MlirWalkPreOrder);
  if (is_odd)
    return UNKNOWN;
  tile_repeated_op_build(extract->arena, op, &repeated);
  ProofScalarId *args = program_ids(extract, repeated.num_values);
  int written = 0;
  for (int i = 0; i < repeated.num_values; i++) {
    MlirValue value = repeated.values[i];
    TileShape shape;
    if (mlirValueEqual(tile_buffer_of(value).root, root))
      written = i;
    if (!tile_shape_of(value, &shape))
      args[i] = program_scalar(extract, value);
    else
      args[i] = overwrites(op, value) ? program_constant(extract, 0)
                                      : held_by(c, value, op);
    if (args[i] == UNKNOWN)
      return UNKNOWN;
  }
  return program_function(extract, op, likeness(extract, &repeated), written,
                          args, repeated.num_values);
}

//===-- What a tile holds -------------------------------------------------===//

static bool is_loop(MlirOperation op) {
  return scf_for_is(op) || scf_while_is(op);
}

static ProofScalarId held_by_root(Contents *c, MlirValue root,
                                  MlirOperation at) {
  Writers writers = {.arena = c->extract->arena, .is_known = true};
  TileShape shape = {.space = TILE_SPACE_OTHER};
  tile_shape_of(root, &shape);
  find_writers(&writers, root);
  if (!writers.is_known ||
      !is_of_one_role(&writers, at, shape.space == TILE_SPACE_PRIVATE))
    return UNKNOWN;
  for (; at.ptr && !mlirOperationEqual(at, c->extract->kernel);
       at = mlirOperationGetParentOperation(at)) {
    MlirOperation op = last_writer(&writers, at);
    if (op.ptr)
      return made_by(c, op, root);
    MlirOperation outer = mlirOperationGetParentOperation(at);
    if (is_loop(outer) && writes_inside(&writers, outer))
      return UNKNOWN;
  }
  return program_constant(c->extract, 0); // (H3)
}

bool program_is_of_kernel(const TileShape *shape) {
  return shape->space == TILE_SPACE_FRAGMENT ||
         shape->space == TILE_SPACE_SHARED ||
         (shape->space == TILE_SPACE_PRIVATE && shape->rank > 0);
}

static ProofScalarId held_by(Contents *c, MlirValue tile, MlirOperation at) {
  TileShape shape = {.space = TILE_SPACE_OTHER};
  MlirValue root = tile_buffer_of(tile).root;
  tile_shape_of(root, &shape);
  if (shape.space == TILE_SPACE_GLOBAL)
    return program_is_read_only(c->extract, root)
               ? program_scalar(c->extract, tile)
               : UNKNOWN;
  if (!program_is_of_kernel(&shape) || ++c->depth > MAX_NESTED)
    return UNKNOWN;
  if (mlirValueEqual(tile, root))
    return held_by_root(c, root, at);
  c->predicate.ptr = NULL;
  MlirOperation cut = mlirOpResultGetOwner(tile);
  intptr_t n = mlirOperationGetNumOperands(cut);
  ProofScalarId *args = program_ids(c->extract, n);
  args[0] = held_by(c, mlirOperationGetOperand(cut, 0), at);
  for (intptr_t i = 1; i < n; i++)
    args[i] = program_scalar(c->extract, mlirOperationGetOperand(cut, i));
  TileRepeatedOp repeated;
  tile_repeated_op_build(c->extract->arena, cut, &repeated);
  return args[0] == UNKNOWN ? UNKNOWN
                            : program_function(c->extract, cut,
                                               likeness(c->extract, &repeated),
                                               0, args, (int)n);
}

ProofScalarId program_contents(ProgramBuild *extract, MlirValue tile,
                               MlirOperation reader) {
  bool is_predicate = tile_any_of_is(reader) || tile_all_of_is(reader);
  Contents contents = {extract, reader, 0};
  if (!is_predicate)
    contents.predicate.ptr = NULL;
  return held_by(&contents, tile, reader);
}
