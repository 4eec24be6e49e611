//===- Threads.c - Thread ids, and code that not every thread executes ----===//

#include "LoweredOps.h"

#include "Support/Constants.h"
#include "Tile/Ops/cf.h"
#include "Tile/Ops/llvm.h"
#include "Tile/Ops/nvvm.h"

enum { WARP_THREADS = 32 };

//===-- Ids ---------------------------------------------------------------===//

// What every later use may need is made once, in the entry block.
static void enter_prolog(Lowering *l) {
  mlirRewriterBaseSetInsertionPointBefore(l->b.rw, l->prolog);
}

typedef struct {
  MlirBlock block;
  MlirOperation before;
} SavedPoint;

static SavedPoint save_point(Lowering *l) {
  return (SavedPoint){mlirRewriterBaseGetInsertionBlock(l->b.rw),
                      mlirRewriterBaseGetOperationAfterInsertion(l->b.rw)};
}

static void restore_point(Lowering *l, SavedPoint point) {
  if (point.before.ptr)
    mlirRewriterBaseSetInsertionPointBefore(l->b.rw, point.before);
  else
    mlirRewriterBaseSetInsertionPointToEnd(l->b.rw, point.block);
}

static MlirValue build_thread_id(Lowering *l) {
  TileInt x = tile_int_value(nvvm_read_ptx_sreg_tid_x(&l->b, type_i32(l)));
  if (l->block_size[1] * l->block_size[2] == 1)
    return x.value;
  TileInt y = tile_int_value(nvvm_read_ptx_sreg_tid_y(&l->b, type_i32(l)));
  TileInt z = tile_int_value(nvvm_read_ptx_sreg_tid_z(&l->b, type_i32(l)));
  TileInt plane =
      tile_int_add(&l->i32, y, tile_int_mul(&l->i32, z, l->block_size[1]));
  TileInt linear =
      tile_int_add(&l->i32, x, tile_int_mul(&l->i32, plane, l->block_size[0]));
  return tile_int_get(&l->i32, linear);
}

// The threads of a role count from its first warp.
static MlirValue count_from(Lowering *l, MlirValue id, int64_t first) {
  if (first == 0)
    return id;
  return arith_subi(&l->b, id, tile_const_int(&l->b, first, 32));
}

MlirValue thread_id(Lowering *l) {
  MlirValue *slot = &l->thread_id[l->first_warp];
  if (slot->ptr)
    return *slot;
  SavedPoint point = save_point(l);
  enter_prolog(l);
  if (!l->thread_id[0].ptr)
    l->thread_id[0] = build_thread_id(l);
  *slot = count_from(l, l->thread_id[0], l->first_warp * WARP_THREADS);
  restore_point(l, point);
  return *slot;
}

MlirValue block_thread_id(Lowering *l) {
  thread_id(l);
  return l->thread_id[0];
}

MlirValue lane_id(Lowering *l) {
  if (l->lane_id.ptr)
    return l->lane_id;
  MlirValue thread = thread_id(l);
  SavedPoint point = save_point(l);
  enter_prolog(l);
  TileInt lane = tile_int_rem(&l->i32, tile_int_value(thread), WARP_THREADS);
  l->lane_id = tile_int_get(&l->i32, lane);
  restore_point(l, point);
  return l->lane_id;
}

// A shuffle from lane 0 tells ptxas that the number is uniform: descriptors
// then live in uniform registers.
static MlirValue build_warp_id(Lowering *l) {
  TileInt warp =
      tile_int_div(&l->i32, tile_int_value(l->thread_id[0]), WARP_THREADS);
  MlirValue everyone = tile_const_int(&l->b, -1, 32);
  MlirValue own = tile_int_get(&l->i32, warp);
  MlirValue zero = tile_const_int(&l->b, 0, 32);
  return nvvm_shfl_sync(&l->b, .type = type_i32(l), .thread_mask = everyone,
                        .val = own, .offset = zero,
                        .mask_and_clamp = tile_const_int(&l->b, 31, 32),
                        .kind = NVVM_SHFL_KIND_idx);
}

MlirValue warp_id(Lowering *l) {
  MlirValue *slot = &l->warp_id[l->first_warp];
  if (slot->ptr)
    return *slot;
  thread_id(l);
  SavedPoint point = save_point(l);
  enter_prolog(l);
  if (!l->warp_id[0].ptr)
    l->warp_id[0] = build_warp_id(l);
  *slot = count_from(l, l->warp_id[0], l->first_warp);
  restore_point(l, point);
  return *slot;
}

MlirValue is_elected(Lowering *l) {
  MlirValue thread = thread_id(l);
  return arith_cmpi(&l->b, .predicate = ARITH_CMP_I_PREDICATE_eq, .lhs = thread,
                    .rhs = tile_const_int(&l->b, 0, 32));
}

void lower_tile_warp_id(Lowering *l, MlirOperation op) {
  mlirRewriterBaseReplaceAllUsesWith(l->b.rw, mlirOperationGetResult(op, 0),
                                     warp_id(l));
}

//===-- Control flow ------------------------------------------------------===//

static MlirBlock new_block(Lowering *l, MlirBlock before, intptr_t num_args,
                           const MlirType *types) {
  MlirLocation locations[4] = {l->b.loc, l->b.loc, l->b.loc, l->b.loc};
  return mlirRewriterBaseCreateBlockBefore(l->b.rw, before, num_args, types,
                                           locations);
}

MlirOperation anchor_begin(Lowering *l) {
  MlirOperation anchor = llvm_mlir_undef_op(&l->b, type_i32(l)).op;
  mlirRewriterBaseSetInsertionPointBefore(l->b.rw, anchor);
  return anchor;
}

void anchor_end(Lowering *l, MlirOperation anchor) {
  mlirRewriterBaseSetInsertionPointAfter(l->b.rw, anchor);
  mlirRewriterBaseEraseOp(l->b.rw, anchor);
}

IfBlocks if_begin(Lowering *l, MlirOperation op, MlirValue condition) {
  MlirBlock before = mlirOperationGetBlock(op);
  MlirBlock after = mlirxSplitBlock(l->b.rw, op);
  MlirBlock body = new_block(l, after, 0, NULL);
  mlirRewriterBaseSetInsertionPointToEnd(l->b.rw, before);
  cf_cond_br(&l->b, .condition = condition, .trueDest = body,
             .falseDest = after);
  mlirRewriterBaseSetInsertionPointToEnd(l->b.rw, body);
  return (IfBlocks){body, after};
}

void if_end(Lowering *l, MlirOperation op, IfBlocks blocks) {
  cf_br(&l->b, .dest = blocks.after);
  mlirRewriterBaseSetInsertionPointBefore(l->b.rw, op);
}

ElseBlocks if_else_begin(Lowering *l, MlirOperation op, MlirValue condition) {
  MlirBlock before = mlirOperationGetBlock(op);
  MlirBlock after = mlirxSplitBlock(l->b.rw, op);
  MlirBlock then_body = new_block(l, after, 0, NULL);
  MlirBlock else_body = new_block(l, after, 0, NULL);
  mlirRewriterBaseSetInsertionPointToEnd(l->b.rw, before);
  cf_cond_br(&l->b, .condition = condition, .trueDest = then_body,
             .falseDest = else_body);
  mlirRewriterBaseSetInsertionPointToEnd(l->b.rw, then_body);
  return (ElseBlocks){then_body, else_body, after};
}

void else_begin(Lowering *l, ElseBlocks blocks) {
  cf_br(&l->b, .dest = blocks.after);
  mlirRewriterBaseSetInsertionPointToEnd(l->b.rw, blocks.else_body);
}

void else_end(Lowering *l, MlirOperation op, ElseBlocks blocks) {
  cf_br(&l->b, .dest = blocks.after);
  mlirRewriterBaseSetInsertionPointBefore(l->b.rw, op);
}

LoopBlocks loop_begin(Lowering *l, MlirOperation op, int64_t count) {
  MlirBlock before = mlirOperationGetBlock(op);
  MlirBlock after = mlirxSplitBlock(l->b.rw, op);
  MlirType i32 = type_i32(l);
  MlirBlock body = new_block(l, after, 1, &i32);
  mlirRewriterBaseSetInsertionPointToEnd(l->b.rw, before);
  cf_br(&l->b, .destOperands = TILE_VALUES(tile_const_int(&l->b, 0, 32)),
        .dest = body);
  mlirRewriterBaseSetInsertionPointToEnd(l->b.rw, body);
  return (LoopBlocks){body, after, mlirBlockGetArgument(body, 0), count};
}

void loop_end(Lowering *l, MlirOperation op, LoopBlocks blocks) {
  TileInt next = tile_int_add(&l->i32, tile_int_value(blocks.counter),
                              tile_int_constant(1));
  MlirValue again = arith_cmpi(&l->b, .predicate = ARITH_CMP_I_PREDICATE_ult,
                               .lhs = next.value,
                               .rhs = tile_const_int(&l->b, blocks.count, 32));
  cf_cond_br(&l->b, .condition = again,
             .trueDestOperands = TILE_VALUES(next.value),
             .trueDest = blocks.body, .falseDest = blocks.after);
  mlirRewriterBaseSetInsertionPointBefore(l->b.rw, op);
}

//===-- What code with branches and loops carries -------------------------===//

MlirValue and_maybe(Lowering *l, MlirValue a, MlirValue b) {
  if (!a.ptr)
    return b;
  return b.ptr ? arith_andi(&l->b, a, b) : a;
}

MlirValue local_variable(Lowering *l, MlirType type) {
  MlirBlock block = mlirRewriterBaseGetInsertionBlock(l->b.rw);
  MlirOperation before = mlirRewriterBaseGetOperationAfterInsertion(l->b.rw);
  mlirRewriterBaseSetInsertionPointBefore(l->b.rw, l->prolog);
  MlirValue variable =
      llvm_alloca(&l->b, .type = type_pointer(l, 0),
                  .arraySize = tile_const_int(&l->b, 1, 32), .elem_type = type);
  if (before.ptr)
    mlirRewriterBaseSetInsertionPointBefore(l->b.rw, before);
  else
    mlirRewriterBaseSetInsertionPointToEnd(l->b.rw, block);
  return variable;
}

MlirValue local_get(Lowering *l, MlirValue variable, MlirType type) {
  return llvm_load(&l->b, .type = type, .addr = variable);
}

void local_set(Lowering *l, MlirValue variable, MlirValue value) {
  llvm_store(&l->b, .value = value, .addr = variable);
}
