//===- ExpandReductions.c - Reductions of gpu to shuffles -----------------===//
//
// Consumes: gpu.all_reduce and gpu.subgroup_reduce of kernels in gpu.func;
//           gpu.shuffle, gpu.rotate and gpu.subgroup_broadcast; reductions and
//           scans of vectors that have no pass.
// Produces: gpu.shuffle of 32 and 64 bits, and for a block memory that the
//           kernel declares. What the pattern stores there each warp stores:
//           tile.by_thread.
// Keeps:    modules without them; what upstream's patterns do not take, which
//           convert-gpu-to-nvvm then rejects by name.
// Fails:    never.
//
// (R1) Upstream's reduction of a block ends in its first lanes, one per warp,
//      which all store what they have at the same place. Where the number of
//      warps is no power of two only the first lane has all: each stores at its
//      own place, and the first one's is read.
// (R2) In a loop, threads read it while the first warps write those of the next
//      round: a barrier stands before each reduction in a loop.
//
//===----------------------------------------------------------------------===//

#include "Dialect/ForeignOps.h"
#include "Support/Constants.h"
#include "Support/Diagnostics.h"
#include "Support/Iterate.h"
#include "Support/KeyTable.h"
#include "Support/MlirExtra.h"
#include "Tile/Ops/arith.h"
#include "Tile/Ops/gpu.h"
#include "Tile/Ops/memref.h"
#include "Tile/Ops/vector.h"
#include "TilePasses.h"

enum { WARP_THREADS = 32, WORD_BITS = 32, DOUBLE_BITS = 64 };

//===-- Memory of the block -----------------------------------------------===//

static bool is_first_place(MlirValue index) {
  int64_t number = -1;
  return mlirxConstantInt(index, &number) && number == 0;
}

// (R1)
static void spread_result(MlirValue memory) {
  MlirOperation store = {NULL}, load = {NULL};
  for (MlirOpOperand use = mlirValueGetFirstUse(memory);
       !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation op = mlirOpOperandGetOwner(use);
    if (memref_store_is(op) && is_first_place(mlirOperationGetOperand(op, 2)))
      store = op;
    if (memref_load_is(op) && !is_first_place(mlirOperationGetOperand(op, 1)))
      load = op;
  }
  if (store.ptr && load.ptr)
    mlirOperationSetOperand(store, 2, mlirOperationGetOperand(load, 1));
}

static void mark_stores(MlirValue memory) {
  MlirContext context = mlirTypeGetContext(mlirValueGetType(memory));
  for (MlirOpOperand use = mlirValueGetFirstUse(memory);
       !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
    if (tile_foreign_op_stores(mlirOpOperandGetOwner(use)))
      mlirOperationSetDiscardableAttributeByName(mlirOpOperandGetOwner(use),
                                                 TILE_STR("tile.by_thread"),
                                                 mlirUnitAttrGet(context));
}

typedef struct {
  TilePointerMap known; // what kernels declared before
  bool mends;           // what they declare since
} Memory;

// What kernels declare comes after what they are given.
static MlirWalkResult visit_memory(MlirOperation op, void *user_data) {
  Memory *memory = user_data;
  if (!gpu_func_is(op) || mlirBlockIsNull(tile_kernel_body(op)))
    return MlirWalkResultAdvance;
  MlirBlock entry = tile_kernel_body(op);
  MlirType type = gpu_func_function_type(gpu_func_cast(op));
  for (intptr_t i = mlirFunctionTypeGetNumInputs(type);
       i < mlirBlockGetNumArguments(entry); i++) {
    MlirValue value = mlirBlockGetArgument(entry, i);
    if (!memory->mends) {
      tile_pointer_map_set(&memory->known, value.ptr, memory);
    } else if (!tile_pointer_map_get(&memory->known, value.ptr)) {
      spread_result(value);
      mark_stores(value);
    }
  }
  return MlirWalkResultSkip;
}

//===-- Loops -------------------------------------------------------------===//

typedef struct {
  TileArena *arena;
  MlirBlock *items;
  size_t count, capacity;
} Blocks;

static void reach(Blocks *blocks, MlirBlock block) {
  for (size_t i = 0; i < blocks->count; i++)
    if (mlirBlockEqual(blocks->items[i], block))
      return;
  TILE_ARENA_RESERVE(blocks->arena, blocks->items, blocks->count,
                     blocks->capacity);
  blocks->items[blocks->count++] = block;
}

static void reach_successors(Blocks *blocks, MlirBlock block) {
  for (intptr_t i = 0; i < mlirBlockGetNumSuccessors(block); i++)
    reach(blocks, mlirBlockGetSuccessor(block, i));
}

static bool is_in_loop(TileArena *arena, MlirBlock block) {
  Blocks blocks = {.arena = arena};
  reach_successors(&blocks, block);
  for (size_t i = 0; i < blocks.count; i++) {
    if (mlirBlockEqual(blocks.items[i], block))
      return true;
    reach_successors(&blocks, blocks.items[i]);
  }
  return false;
}

// (R2)
static void separate_rounds(TileBuilder *b, TileArena *arena,
                            MlirOperation op) {
  if (is_in_loop(arena, mlirOperationGetBlock(op)))
    gpu_barrier_op(b);
}

//===-- Vectors -----------------------------------------------------------===//

// Bits of a value, or of the elements of a vector: an i1 has one, where
// tile_elem_bits counts the byte that it takes in memory.
static unsigned value_bits(MlirType type) {
  if (mlirTypeIsAVector(type))
    type = mlirShapedTypeGetElementType(type);
  return mlirTypeIsAInteger(type) ? mlirIntegerTypeGetWidth(type)
                                  : mlirFloatTypeGetWidth(type);
}

static int64_t num_elems(MlirType vector) {
  return mlirShapedTypeGetDimSize(vector, 0);
}

static MlirValue element_of(TileBuilder *b, MlirValue vector, int64_t i) {
  return vector_extract(b, .source = vector, .static_position = {&i, 1});
}

static void replace(TileBuilder *b, MlirOperation op, intptr_t result,
                    MlirValue value) {
  mlirRewriterBaseReplaceAllUsesWith(b->rw, mlirOperationGetResult(op, result),
                                     value);
}

// Upstream breaks up vectors that fit no word, but not those of parts of a
// warp, and no wide elements.
static bool is_to_be_split(MlirOperation op) {
  MlirType type = mlirValueGetType(mlirOperationGetOperand(op, 0));
  MlirAttribute size =
      gpu_subgroup_reduce_cluster_size_attr(gpu_subgroup_reduce_cast(op));
  return mlirTypeIsAVector(type) && mlirShapedTypeGetRank(type) == 1 &&
         (!mlirAttributeIsNull(size) || value_bits(type) > WORD_BITS);
}

static void split_reduction(TileBuilder *b, TileArena *arena,
                            MlirOperation op) {
  GPUSubgroupReduceOp reduce = gpu_subgroup_reduce_cast(op);
  MlirValue vector = mlirOperationGetOperand(op, 0);
  MlirType type = mlirValueGetType(vector);
  int64_t count = num_elems(type);
  MlirValue *parts = TILE_ARENA_NEW(arena, MlirValue, (size_t)count);
  bool has_size =
      !mlirAttributeIsNull(gpu_subgroup_reduce_cluster_size_attr(reduce));
  bool has_stride =
      !mlirAttributeIsNull(gpu_subgroup_reduce_cluster_stride_attr(reduce));
  for (int64_t i = 0; i < count; i++) {
    GPUSubgroupReduceOpArgs args = {.builder = b,
                                    .value = element_of(b, vector, i),
                                    .op_ = gpu_subgroup_reduce_op_(reduce),
                                    .uniform =
                                        gpu_subgroup_reduce_uniform(reduce)};
    if (has_size)
      args.cluster_size =
          (TileOptInt)TILE_SOME(gpu_subgroup_reduce_cluster_size(reduce));
    if (has_stride)
      args.cluster_stride =
          (TileOptInt)TILE_SOME(gpu_subgroup_reduce_cluster_stride(reduce));
    parts[i] = mlirOperationGetResult(gpu_subgroup_reduce_build(args).op, 0);
  }
  replace(b, op, 0,
          vector_from_elements(b, .type = type, .elements = {parts, count}));
  mlirRewriterBaseEraseOp(b->rw, op);
}

//===-- Shuffles ----------------------------------------------------------===//

// Upstream's conversion takes words, and numbers of 64 bits as two.
static bool is_word(MlirType type) {
  return !mlirTypeIsAVector(type) &&
         (value_bits(type) == WORD_BITS || value_bits(type) == DOUBLE_BITS);
}

static bool can_move(MlirType type) {
  return value_bits(type) <= WORD_BITS || value_bits(type) == DOUBLE_BITS;
}

static MlirValue move_scalar(TileBuilder *b, GPUShuffleOp shuffle,
                             MlirValue value, MlirValue *out_valid) {
  MlirType type = mlirValueGetType(value);
  MlirContext context = mlirTypeGetContext(type);
  bool is_float = mlirTypeIsAFloat(type), is_whole = is_word(type);
  MlirType bits = mlirIntegerTypeGet(context, value_bits(type));
  MlirType word = mlirIntegerTypeGet(context, WORD_BITS);
  if (!is_whole && is_float)
    value = arith_bitcast(b, .type = bits, .in = value);
  if (!is_whole)
    value = arith_extui(b, .type = word, .in = value);
  GPUShuffleOp moved = gpu_shuffle(
      b, .value = value, .offset = gpu_shuffle_offset(shuffle),
      .width = gpu_shuffle_width(shuffle), .mode = gpu_shuffle_mode(shuffle));
  MlirValue result = gpu_shuffle_shuffleResult(moved);
  *out_valid = gpu_shuffle_valid(moved);
  if (!is_whole)
    result = arith_trunci(b, .type = bits, .in = result);
  return !is_whole && is_float ? arith_bitcast(b, .type = type, .in = result)
                               : result;
}

// In words where the elements fill them.
static MlirValue move_vector(TileBuilder *b, TileArena *arena,
                             GPUShuffleOp shuffle, MlirValue value,
                             MlirValue *out_valid) {
  MlirType type = mlirValueGetType(value), moved = type;
  int64_t count = num_elems(type), bits = count * value_bits(type);
  if (value_bits(type) < WORD_BITS && bits % WORD_BITS == 0) {
    count = bits / WORD_BITS;
    moved = mlirVectorTypeGet(
        1, &count, mlirIntegerTypeGet(mlirTypeGetContext(type), WORD_BITS));
    value = vector_bitcast(b, .type = moved, .source = value);
  }
  MlirValue *parts = TILE_ARENA_NEW(arena, MlirValue, (size_t)count);
  for (int64_t i = 0; i < count; i++)
    parts[i] = move_scalar(b, shuffle, element_of(b, value, i), out_valid);
  MlirValue result =
      vector_from_elements(b, .type = moved, .elements = {parts, count});
  return mlirTypeEqual(moved, type)
             ? result
             : vector_bitcast(b, .type = type, .source = result);
}

static void expand_shuffle(TileBuilder *b, TileArena *arena, MlirOperation op) {
  GPUShuffleOp shuffle = gpu_shuffle_cast(op);
  MlirValue value = gpu_shuffle_value(shuffle), valid;
  MlirValue result = mlirTypeIsAVector(mlirValueGetType(value))
                         ? move_vector(b, arena, shuffle, value, &valid)
                         : move_scalar(b, shuffle, value, &valid);
  replace(b, op, 0, result);
  replace(b, op, 1, valid);
  mlirRewriterBaseEraseOp(b->rw, op);
}

//===-- Rotations and broadcasts ------------------------------------------===//

static MlirValue word_of(TileBuilder *b, int64_t number) {
  return tile_const_int(b, number, WORD_BITS);
}

// A lane gets the value of the one `offset` after it, modulo a width that is a
// power of two; lanes after the width get none.
static void expand_rotate(TileBuilder *b, TileArena *arena, MlirOperation op) {
  (void)arena;
  GPURotateOp rotate = gpu_rotate_cast(op);
  MlirValue width = word_of(b, gpu_rotate_width(rotate));
  MlirValue last = word_of(b, gpu_rotate_width(rotate) - 1);
  MlirValue lane = arith_index_cast(b, .type = mlirValueGetType(width),
                                    .in = gpu_lane_id(b));
  MlirValue from = arith_andi(
      b,
      .lhs = arith_addi(b, .lhs = lane,
                        .rhs = word_of(b, gpu_rotate_offset(rotate))),
      .rhs = last);
  GPUShuffleOp shuffle =
      gpu_shuffle(b, .value = gpu_rotate_value(rotate), .offset = from,
                  .width = width, .mode = GPU_SHUFFLE_MODE_IDX);
  replace(b, op, 0, gpu_shuffle_shuffleResult(shuffle));
  replace(b, op, 1,
          arith_cmpi(b, .predicate = ARITH_CMP_I_PREDICATE_ult, .lhs = lane,
                     .rhs = width));
  mlirRewriterBaseEraseOp(b->rw, op);
}

// The first active lane is that of the warp: its lanes come together.
static void expand_broadcast(TileBuilder *b, TileArena *arena,
                             MlirOperation op) {
  (void)arena;
  MlirValue lane = mlirOperationGetNumOperands(op) > 1
                       ? mlirOperationGetOperand(op, 1)
                       : word_of(b, 0);
  GPUShuffleOp shuffle = gpu_shuffle(
      b, .value = mlirOperationGetOperand(op, 0), .offset = lane,
      .width = word_of(b, WARP_THREADS), .mode = GPU_SHUFFLE_MODE_IDX);
  replace(b, op, 0, gpu_shuffle_shuffleResult(shuffle));
  mlirRewriterBaseEraseOp(b->rw, op);
}

//===-- Entry -------------------------------------------------------------===//

typedef struct {
  bool has_reductions;
  TileOpList blocks, vectors, shuffles, rotations, broadcasts;
} Found;

static MlirWalkResult find_ops(MlirOperation op, void *user_data) {
  Found *found = user_data;
  found->has_reductions |= gpu_all_reduce_is(op) ||
                           gpu_subgroup_reduce_is(op) ||
                           vector_multi_reduction_is(op) || vector_scan_is(op);
  if (gpu_all_reduce_is(op) && gpu_all_reduce_uniform(gpu_all_reduce_cast(op)))
    tile_op_list_add(&found->blocks, op);
  if (gpu_subgroup_reduce_is(op) && is_to_be_split(op))
    tile_op_list_add(&found->vectors, op);
  if (gpu_rotate_is(op))
    tile_op_list_add(&found->rotations, op);
  if (gpu_subgroup_broadcast_is(op))
    tile_op_list_add(&found->broadcasts, op);
  MlirType type = {NULL};
  if (gpu_shuffle_is(op))
    type = mlirValueGetType(mlirOperationGetOperand(op, 0));
  if (type.ptr && !is_word(type) && can_move(type))
    tile_op_list_add(&found->shuffles, op);
  return MlirWalkResultAdvance;
}

static Found find(TileArena *arena, MlirOperation op) {
  Found found = {.blocks.arena = arena,
                 .vectors.arena = arena,
                 .shuffles.arena = arena,
                 .rotations.arena = arena,
                 .broadcasts.arena = arena};
  mlirOperationWalk(op, find_ops, &found, MlirWalkPreOrder);
  return found;
}

static void expand_each(TileArena *arena, const TileOpList *list,
                        void (*expand)(TileBuilder *b, TileArena *arena,
                                       MlirOperation op)) {
  for (size_t i = 0; i < list->count; i++) {
    MlirOperation op = list->items[i];
    TileBuilder b = {mlirIRRewriterCreate(mlirOperationGetContext(op)),
                     mlirOperationGetLocation(op)};
    mlirRewriterBaseSetInsertionPointBefore(b.rw, op);
    expand(&b, arena, op);
    mlirIRRewriterDestroy(b.rw);
  }
}

MlirLogicalResult
tile_expand_reductions_run(MlirOperation op,
                           const TileExpandReductionsOptions *options) {
  (void)options;
  TileArena arena;
  tile_arena_init(&arena);
  Found found = find(&arena, op);
  expand_each(&arena, &found.vectors, split_reduction);
  if (found.has_reductions) {
    expand_each(&arena, &found.blocks, separate_rounds);
    Memory memory = {.known.arena = &arena};
    mlirOperationWalk(op, visit_memory, &memory, MlirWalkPreOrder);
    mlirxExpandGpuReductions(op, WARP_THREADS);
    memory.mends = true;
    mlirOperationWalk(op, visit_memory, &memory, MlirWalkPreOrder);
    found = find(&arena, op);
  }
  if (found.rotations.count || found.broadcasts.count) {
    expand_each(&arena, &found.rotations, expand_rotate);
    expand_each(&arena, &found.broadcasts, expand_broadcast);
    found = find(&arena, op);
  }
  expand_each(&arena, &found.shuffles, expand_shuffle);
  tile_arena_deinit(&arena);
  return tile_success();
}
