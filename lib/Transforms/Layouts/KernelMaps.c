//===- KernelMaps.c - Tensor maps of tensors that a kernel makes ----------===//
//
// Part of layout inference: where only the kernel knows where a tensor begins,
// it makes the map itself, in memory that the host gives: a row for each block.
//
//   %map, %changes = tile.map_place %maps[%block] of %tensor
//   scf.if %changes {
//     acquire every slot of the rings whose loads take the map, where needed
//     tile.map_make %map from %like by %stage
//   }
//
// It stands before the first op that takes the map, as far outside of loops as
// the tensor; of stores as early as the tensor is known, while the first loads
// are under way. Two maps take turns: the one that is overwritten was in use
// before the last change. A slot is acquired when its load has ended and was
// read. So no load takes the old map any more when each slot was filled since
// then, or when all are acquired; acquiring a slot twice waits for the same
// phase.
//
//===----------------------------------------------------------------------===//

#include "KernelMaps.h"

#include "Analysis/Index/Index.h"
#include "Support/Constants.h"
#include "Support/Diagnostics.h"
#include "Tile/Ops/arith.h"
#include "Tile/Ops/memref.h"
#include "Tile/Ops/scf.h"

enum { MAP_WORDS = 16, MAP_BYTES = 128 };

//===-- Memory of the host ------------------------------------------------===//

// Variants are tried, and have no memory: it stands before all of them.
static MlirOperation memory_place(MlirOperation launch) {
  MlirOperation place = launch,
                parent = mlirOperationGetParentOperation(launch);
  for (; tile_variants_is(parent);
       parent = mlirOperationGetParentOperation(parent))
    place = parent;
  return place;
}

// `value`, which a variant computes without memory of its own, before `place`.
static MlirValue value_at(TileBuilder *b, MlirValue value,
                          MlirOperation place) {
  if (!tile_value_is_inside(value, place) || !mlirValueIsAOpResult(value))
    return value;
  MlirOperation op = mlirOpResultGetOwner(value);
  MlirxMapping mapping = mlirxMappingCreate();
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
    MlirValue operand = mlirOperationGetOperand(op, i);
    mlirxMappingSet(mapping, operand, value_at(b, operand, place));
  }
  MlirOperation clone = mlirxClone(b->rw, op, mapping);
  mlirxMappingDestroy(mapping);
  return mlirOperationGetResult(clone, mlirOpResultGetResultNumber(value));
}

// Strides are multiples of 16 bytes, and nothing is read of it.
MlirValue tile_layout_map_sample(TileBuilder *b, MlirOperation launch,
                                 MlirValue tensor) {
  MlirType type = mlirValueGetType(tensor);
  MlirType element = mlirShapedTypeGetElementType(type);
  int64_t extent[TILE_MAX_RANK];
  int rank = (int)mlirShapedTypeGetRank(type);
  for (int d = 0; d < rank; d++)
    extent[d] = 1;
  mlirRewriterBaseSetInsertionPointBefore(b->rw, memory_place(launch));
  extent[rank - 1] = MAP_BYTES * 8 / tile_elem_bits(element);
  return memref_alloc(b,
                      .type = mlirMemRefTypeContiguousGet(
                          element, rank, extent, (MlirAttribute){NULL}),
                      .alignment = TILE_SOME(MAP_BYTES));
}

enum { FIRST_GRID_ARGUMENT = 6 }; // of gpu.launch: ids of blocks and threads

// Two rows for each block.
static MlirValue build_maps(TileBuilder *b, MlirOperation launch) {
  MlirOperation place = memory_place(launch);
  mlirRewriterBaseSetInsertionPointBefore(b->rw, place);
  MlirValue blocks = value_at(b, mlirOperationGetOperand(launch, 0), place);
  for (int d = 1; d < 3; d++) {
    MlirValue more = value_at(b, mlirOperationGetOperand(launch, d), place);
    blocks = arith_muli(b, blocks, more);
  }
  blocks = arith_muli(b, blocks, tile_const_index(b, 2));
  int64_t extents[] = {mlirShapedTypeGetDynamicSize(), MAP_WORDS};
  MlirType word = mlirIntegerTypeGet(tile_builder_context(b), 64);
  return memref_alloc(
      b,
      .type =
          mlirMemRefTypeContiguousGet(word, 2, extents, (MlirAttribute){NULL}),
      .dynamicSizes = TILE_VALUES(blocks), .alignment = TILE_SOME(MAP_BYTES));
}

static MlirValue build_block_number(TileBuilder *b, MlirOperation launch) {
  MlirBlock body = tile_kernel_body(launch);
  MlirValue number = mlirBlockGetArgument(body, 2);
  for (int d = 1; d >= 0; d--)
    number = arith_addi(
        b,
        arith_muli(b, number,
                   mlirBlockGetArgument(body, FIRST_GRID_ARGUMENT + d)),
        mlirBlockGetArgument(body, d));
  return number;
}

//===-- Where the map is made ---------------------------------------------===//

// The op of `block` that `op` is, or is in; null: it is elsewhere.
static MlirOperation ancestor_in(MlirOperation op, MlirBlock block) {
  while (op.ptr && !mlirBlockEqual(mlirOperationGetBlock(op), block))
    op = mlirOperationGetParentOperation(op);
  return op;
}

// The block of the tensor, or where that is outside the role of its users the
// body of the role.
static MlirBlock home_of(const TileKernelMap *map) {
  MlirOperation tensor = mlirOpResultGetOwner(map->tensor);
  TileRoleOp role = tile_role_of(map->users[0]);
  if (role.op.ptr && !tile_op_is_inside(tensor, role.op))
    return mlirRegionGetFirstBlock(mlirOperationGetRegion(role.op, 0));
  return mlirOperationGetBlock(tensor);
}

static MlirOperation first_user(const TileKernelMap *map, MlirBlock home) {
  MlirOperation first = ancestor_in(map->users[0], home);
  for (int i = 1; i < map->num_users; i++) {
    MlirOperation user = ancestor_in(map->users[i], home);
    if (user.ptr && mlirOperationIsBeforeInBlock(user, first))
      first = user;
  }
  return first;
}

static bool only_stores(const TileKernelMap *map) {
  for (int i = 0; i < map->num_users; i++) {
    TileShape src;
    if (!tile_copy_is(map->users[i]) ||
        !tile_shape_of(tile_copy_src(tile_copy_cast(map->users[i])), &src) ||
        src.space == TILE_SPACE_GLOBAL)
      return false;
  }
  return true;
}

// The op of `home` before which the map is made.
static MlirOperation first_op(const TileKernelMap *map, MlirBlock home) {
  MlirOperation tensor = mlirOpResultGetOwner(map->tensor);
  if (!only_stores(map) || !mlirBlockEqual(mlirOperationGetBlock(tensor), home))
    return first_user(map, home);
  return mlirOperationGetNextInBlock(tensor);
}

// Whether what `block` has may be executed again.
static bool repeats(MlirBlock block, MlirOperation launch) {
  for (MlirOperation op = mlirBlockGetParentOperation(block);
       !mlirOperationEqual(op, launch);
       op = mlirOperationGetParentOperation(op))
    if (scf_for_is(op) || scf_while_is(op))
      return true;
  return false;
}

//===-- Slots that loads fill ---------------------------------------------===//

// What `value` is when `before`, which is a loop around the block argument that
// it is or has one inside, begins.
static MlirValue value_before(MlirValue value, MlirOperation before) {
  while (mlirValueIsABlockArgument(value)) {
    MlirOperation loop =
        mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(value));
    intptr_t number = mlirBlockArgumentGetArgNumber(value);
    if (!tile_op_is_inside(loop, before) ||
        !mlirBlockEqual(
            mlirRegionGetFirstBlock(mlirOperationGetRegion(loop, 0)),
            mlirBlockArgumentGetOwner(value)))
      return value;
    if (scf_for_is(loop))
      value = mlirOperationGetOperand(loop, 3 + number - 1);
    else if (scf_while_is(loop))
      value = mlirOperationGetOperand(loop, number);
    else
      return value;
  }
  return value;
}

typedef struct {
  MlirValue channel;
  MlirOperation found;
} AcquireSearch;

static MlirWalkResult find_acquire(MlirOperation op, void *user_data) {
  AcquireSearch *search = user_data;
  if (!tile_acquire_is(op) ||
      !mlirValueEqual(tile_acquire_channel(tile_acquire_cast(op)),
                      search->channel))
    return MlirWalkResultAdvance;
  search->found = op;
  return MlirWalkResultInterrupt;
}

// The first one of the channel in `op`, or the last one before it in its block.
static MlirOperation acquire_near(MlirOperation op, MlirValue channel) {
  AcquireSearch search = {.channel = channel};
  mlirOperationWalk(op, find_acquire, &search, MlirWalkPreOrder);
  if (search.found.ptr)
    return search.found;
  for (MlirOperation at = mlirBlockGetFirstOperation(mlirOperationGetBlock(op));
       !mlirOperationEqual(at, op); at = mlirOperationGetNextInBlock(at))
    find_acquire(at, &search);
  return search.found;
}

static bool is_known_before(MlirValue value, MlirOperation op) {
  bool is_argument = mlirValueIsABlockArgument(value);
  MlirOperation owner =
      is_argument ? TILE_NULL_OP : mlirOpResultGetOwner(value);
  MlirBlock block = is_argument ? mlirBlockArgumentGetOwner(value)
                                : mlirOperationGetBlock(owner);
  MlirOperation inside = ancestor_in(op, block);
  return inside.ptr &&
         (is_argument || mlirOperationIsBeforeInBlock(owner, inside));
}

typedef struct {
  MlirValue channel, slot, parity;
} Ring;

// The position of the next load. Whether it is known before `first`.
static bool ring_of(MlirOperation user, MlirOperation first, Ring *out) {
  out->channel = tile_copy_signal(tile_copy_cast(user));
  MlirOperation acquire = acquire_near(
      ancestor_in(user, mlirOperationGetBlock(first)), out->channel);
  if (!acquire.ptr)
    return false;
  TileAcquireOp at = tile_acquire_cast(acquire);
  MlirOperation around = ancestor_in(acquire, mlirOperationGetBlock(first));
  out->slot = value_before(tile_acquire_slot(at), around);
  out->parity = value_before(tile_acquire_parity(at), around);
  return is_known_before(out->slot, first) &&
         is_known_before(out->parity, first);
}

static bool fills_ring(MlirOperation user) {
  if (!tile_copy_is(user))
    return false;
  MlirValue signal = tile_copy_signal(tile_copy_cast(user));
  return signal.ptr && tile_channel_type_is(mlirValueGetType(signal));
}

static bool is_drained(const TileKernelMap *map, int i) {
  for (int k = 0; k < i; k++)
    if (fills_ring(map->users[k]) &&
        mlirValueEqual(tile_copy_signal(tile_copy_cast(map->users[k])),
                       tile_copy_signal(tile_copy_cast(map->users[i]))))
      return true;
  return false;
}

// Whether the loop `first`, which follows each change of the map, fills each
// slot of the ring by every one of its users.
static bool refills(const TileKernelMap *map, MlirOperation first) {
  int64_t bound[3];
  if (!scf_for_is(first))
    return false;
  for (int i = 0; i < 3; i++)
    if (!mlirxConstantInt(mlirOperationGetOperand(first, i), &bound[i]))
      return false;
  for (int i = 0; i < map->num_users; i++) {
    MlirOperation user = map->users[i];
    if (!fills_ring(user) ||
        !mlirOperationEqual(mlirOperationGetParentOperation(user), first))
      return false;
    MlirValue ring = tile_copy_signal(tile_copy_cast(user));
    int64_t depth = tile_channel_depth(tile_channel_of(ring));
    if (bound[2] < 1 || bound[1] <= bound[0] ||
        (bound[1] - bound[0] - 1) / bound[2] + 1 < depth)
      return false;
  }
  return true;
}

static void drain(TileBuilder *b, Ring at) {
  int64_t depth = tile_channel_depth(tile_channel_of(at.channel));
  for (int64_t i = 0; i < depth; i++) {
    tile_acquire(b, at.channel, at.slot, at.parity);
    if (i + 1 == depth)
      break;
    MlirOperation next =
        tile_advance_op(b, .slot = at.slot, .parity = at.parity, .depth = depth)
            .op;
    at.slot = mlirOperationGetResult(next, 0);
    at.parity = mlirOperationGetResult(next, 1);
  }
}

static MlirLogicalResult drain_all(TileBuilder *b, const TileKernelMap *map,
                                   MlirOperation first) {
  for (int i = 0; i < map->num_users; i++) {
    Ring ring;
    if (!fills_ring(map->users[i]) || is_drained(map, i))
      continue;
    if (!ring_of(map->users[i], first, &ring))
      return tile_emit_error(map->users[i],
                             "takes a tensor map that the kernel makes, and "
                             "the slot that it fills next is not known there");
    drain(b, ring);
  }
  return tile_success();
}

//===-- Entry -------------------------------------------------------------===//

static MlirValue build_stage(TileBuilder *b) {
  int64_t extent = MAP_WORDS;
  MlirContext context = tile_builder_context(b);
  MlirType type =
      mlirMemRefTypeContiguousGet(mlirIntegerTypeGet(context, 64), 1, &extent,
                                  tile_space_attr(context, TILE_SPACE_SHARED));
  return tile_alloc(b, .type = type,
                    .layout = tile_layout_attr(context, TILE_STR("linear")));
}

static void begin_branch(TileBuilder *b, MlirValue condition,
                         MlirOperation before) {
  MlirRegion then = mlirRegionCreate();
  MlirBlock block = mlirBlockCreate(0, NULL, NULL);
  mlirRegionAppendOwnedBlock(then, block);
  mlirRewriterBaseSetInsertionPointToEnd(b->rw, block);
  scf_yield_op(b, {NULL, 0});
  mlirRewriterBaseSetInsertionPointBefore(b->rw, before);
  scf_if_op(b, .condition = condition, .thenRegion = then,
            .elseRegion = mlirRegionCreate());
  mlirRewriterBaseSetInsertionPointBefore(b->rw,
                                          mlirBlockGetFirstOperation(block));
}

MlirLogicalResult tile_layout_make_kernel_map(TileBuilder *b,
                                              const TileKernelMap *map,
                                              MlirValue *out_map) {
  MlirBlock home = home_of(map);
  MlirOperation first = first_op(map, home);
  MlirValue maps = build_maps(b, map->launch);
  mlirRewriterBaseSetInsertionPointBefore(b->rw, first);
  MlirValue number = build_block_number(b, map->launch);
  MlirValue stage = build_stage(b);
  MlirOperation place =
      tile_map_place_op(b, .maps = maps, .place = number, .tensor = map->tensor)
          .op;
  *out_map = mlirOperationGetResult(place, 0);
  if (!repeats(home, map->launch)) {
    tile_map_make(b, .map = *out_map, .like = map->like, .stage = stage);
    return tile_success();
  }
  begin_branch(b, mlirOperationGetResult(place, 1), first);
  MlirLogicalResult result =
      refills(map, first) ? tile_success() : drain_all(b, map, first);
  tile_map_make(b, .map = *out_map, .like = map->like, .stage = stage);
  return result;
}
