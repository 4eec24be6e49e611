//===- Barriers.c - mbarriers, thread barriers, fences --------------------===//

#include "LoweredOps.h"
#include "Memory/Memories.h"

#include "Support/Constants.h"
#include "Tile/Ops/cf.h"
#include "Tile/Ops/llvm.h"
#include "Tile/Ops/nvvm.h"
#include <inttypes.h>

enum { SLOT_SIZE_BYTES = 8, WARP_THREADS = 32 };

//===-- mbarriers ---------------------------------------------------------===//

void lower_tile_barrier_alloc(Lowering *l, MlirOperation op) {
  TileBarrierAllocOp alloc = tile_barrier_alloc_cast(op);
  if (mlirAttributeIsNull(tile_barrier_alloc_offset_attr(alloc))) {
    lower_fail(l, op, "has no offset; run tile-pack-shared-memory first");
    return;
  }
  int64_t offset_bytes = tile_barrier_alloc_offset(alloc);
  MlirValue pointer =
      element_pointer(l, smem_base(l), type_i64(l),
                      tile_int_constant(offset_bytes / SLOT_SIZE_BYTES));
  Memory *memory = memory_add(l, mlirOperationGetResult(op, 0),
                              TILE_SPACE_SHARED, type_i64(l), pointer);
  memory->smem_offset = offset_bytes;
}

MlirValue barrier_slot_pointer(Lowering *l, MlirValue barrier, MlirValue slot) {
  Memory *memory = memory_find(l, barrier);
  if (!memory)
    return (MlirValue){NULL};
  return element_pointer(l, memory->pointer, type_i64(l),
                         index_operand(l, slot));
}

void lower_tile_barrier_init(Lowering *l, MlirOperation op) {
  TileBarrierInitOp init = tile_barrier_init_cast(op);
  MlirValue barrier = tile_barrier_init_barrier(init);
  Memory *memory = memory_find(l, barrier);
  int64_t slots = tile_barrier_type_slots(mlirValueGetType(barrier));
  IfBlocks blocks = if_begin(l, op, is_elected(l));
  MlirValue arrivals =
      tile_const_int(&l->b, tile_barrier_init_arrivals(init), 32);
  for (int64_t slot = 0; slot < slots; slot++)
    nvvm_mbarrier_init(&l->b,
                       .addr = element_pointer(l, memory->pointer, type_i64(l),
                                               tile_int_constant(slot)),
                       .count = arrivals);
  if (l->target->has_tma) // the asynchronous proxy will signal it
    nvvm_fence_mbarrier_init_op(&l->b, 0);
  if_end(l, op, blocks);
}

// A release of the scope of the cluster, as the nvvm op has it, waits for all
// stores of the multiprocessor; this form releases what the threads have seen.
static void arrive_remotely(Lowering *l, MlirValue pointer, MlirValue rank) {
  MlirValue theirs =
      nvvm_mapa(&l->b, .type = type_pointer(l, 7), .a = pointer,
                .b = tile_int_get(&l->i32, index_operand(l, rank)));
  MlirValue address = llvm_ptrtoint(&l->b, .type = type_i32(l), .arg = theirs);
  llvm_inline_asm_op(&l->b, .operands = TILE_VALUES(address),
                     .asm_string =
                         "mbarrier.arrive.shared::cluster.b64 _, [$0];",
                     .constraints = "r,~{memory}", .has_side_effects = true);
}

// At the barrier of the block with that rank; null: of this one.
static void arrive(Lowering *l, MlirValue pointer, MlirValue rank) {
  if (!mlirValueIsNull(rank) && l->target->max_cluster_blocks > 1)
    arrive_remotely(l, pointer, rank);
  else
    nvvm_mbarrier_arrive_op(&l->b, .type = type_i64(l), .addr = pointer);
}

// The arrival of one thread releases what it has seen: the others of its warp
// meet it first.
static MlirValue lane_is_first(Lowering *l) {
  nvvm_bar_warp_sync_op(&l->b, .mask = tile_const_int(&l->b, -1, 32));
  MlirValue lane = lane_id(l);
  return arith_cmpi(&l->b, .predicate = ARITH_CMP_I_PREDICATE_eq, .lhs = lane,
                    .rhs = tile_const_int(&l->b, 0, 32));
}

void lower_tile_barrier_arrive(Lowering *l, MlirOperation op) {
  TileBarrierArriveOp arrival = tile_barrier_arrive_cast(op);
  TileArrival by = mlirAttributeIsNull(tile_barrier_arrive_by_attr(arrival))
                       ? TILE_ARRIVAL_Threads
                       : tile_barrier_arrive_by(arrival);
  MlirValue pointer =
      barrier_slot_pointer(l, tile_barrier_arrive_barrier(arrival),
                           tile_barrier_arrive_slot(arrival));
  if (by == TILE_ARRIVAL_Threads) {
    arrive(l, pointer, tile_barrier_arrive_rank(arrival));
    return;
  }
  if (by == TILE_ARRIVAL_CpAsync) {
    nvvm_cp_async_mbarrier_arrive_op(&l->b, .addr = pointer,
                                     .noinc = TILE_SOME(1));
    return;
  }
  IfBlocks blocks = if_begin(
      l, op, by == TILE_ARRIVAL_Warps ? lane_is_first(l) : is_elected(l));
  arrive(l, pointer, tile_barrier_arrive_rank(arrival));
  if_end(l, op, blocks);
}

void lower_tile_barrier_expect(Lowering *l, MlirOperation op) {
  TileBarrierExpectOp expect = tile_barrier_expect_cast(op);
  if (!l->target->has_tma) {
    lower_fail(l, op, "expects bytes of TMA, which %s does not have",
               l->target->chip);
    return;
  }
  IfBlocks blocks = if_begin(l, op, is_elected(l));
  MlirValue pointer = barrier_slot_pointer(
      l, tile_barrier_expect_barrier(expect), tile_barrier_expect_slot(expect));
  MlirValue bytes =
      tile_const_int(&l->b, tile_barrier_expect_bytes(expect), 32);
  if (tile_barrier_expect_no_arrival(expect))
    nvvm_mbarrier_expect_tx_op(&l->b, .addr = pointer, .txcount = bytes);
  else
    nvvm_mbarrier_arrive_expect_tx_op(&l->b, .type = type_i64(l),
                                      .addr = pointer, .txcount = bytes);
  if_end(l, op, blocks);
}

// test_wait is on every chip; try_wait sleeps for a while and came with TMA.
// Both may say no: the loop asks again.
static MlirValue ask(Lowering *l, MlirValue pointer, MlirValue parity) {
  MlirOperation op =
      l->target->has_tma
          ? nvvm_mbarrier_try_wait_op(&l->b, .type = type_i1(l),
                                      .addr = pointer, .stateOrPhase = parity)
                .op
          : nvvm_mbarrier_test_wait_op(&l->b, .type = type_i1(l),
                                       .addr = pointer, .stateOrPhase = parity)
                .op;
  return mlirOperationGetResult(op, 0);
}

void lower_tile_barrier_wait(Lowering *l, MlirOperation op) {
  TileBarrierWaitOp wait = tile_barrier_wait_cast(op);
  MlirValue pointer = barrier_slot_pointer(l, tile_barrier_wait_barrier(wait),
                                           tile_barrier_wait_slot(wait));
  MlirBlock before = mlirOperationGetBlock(op);
  MlirBlock after;
  if (tile_barrier_wait_leader(wait)) {
    IfBlocks blocks = if_begin(l, op, is_elected(l));
    before = blocks.body;
    after = blocks.after;
  } else {
    after = mlirxSplitBlock(l->b.rw, op);
  }
  MlirBlock spin =
      mlirRewriterBaseCreateBlockBefore(l->b.rw, after, 0, NULL, NULL);
  mlirRewriterBaseSetInsertionPointToEnd(l->b.rw, before);
  cf_br(&l->b, .dest = spin);
  mlirRewriterBaseSetInsertionPointToEnd(l->b.rw, spin);
  MlirValue done = ask(l, pointer, tile_barrier_wait_parity(wait));
  cf_cond_br(&l->b, .condition = done, .trueDest = after, .falseDest = spin);
  mlirRewriterBaseSetInsertionPointBefore(l->b.rw, op);
}

//===-- Thread barriers and fences ----------------------------------------===//

// Constant ids: a register id makes ptxas reserve all 16 barriers.
void lower_tile_barrier_sync(Lowering *l, MlirOperation op) {
  TileBarrierSyncOp sync = tile_barrier_sync_cast(op);
  if (mlirAttributeIsNull(tile_barrier_sync_threads_attr(sync))) {
    nvvm_barrier0_op(&l->b, 0);
    return;
  }
  int64_t threads = tile_barrier_sync_threads(sync);
  int64_t block = l->block_size[0] * l->block_size[1] * l->block_size[2];
  if (threads > block) { // they would wait for ever
    lower_fail(l, op,
               "waits for %" PRId64 " threads, in a kernel of %" PRId64
               " threads per block",
               threads, block);
    return;
  }
  MlirAttribute id = tile_barrier_sync_id_attr(sync);
  int64_t number = mlirAttributeIsNull(id) ? 0 : mlirIntegerAttrGetValueInt(id);
  if (threads == WARP_THREADS) { // one warp
    nvvm_bar_warp_sync_op(&l->b, .mask = tile_const_int(&l->b, -1, 32));
    return;
  }
  MlirValue barrier = tile_const_int(&l->b, number, 32);
  nvvm_barrier_op(&l->b, .barrierId = barrier,
                  .numberOfThreads = tile_const_int(&l->b, threads, 32));
}

// Without TMA there is no asynchronous proxy to wait for.
void lower_tile_fence_proxy(Lowering *l, MlirOperation op) {
  if (!l->target->has_tma)
    return;
  if (tile_fence_proxy_global(tile_fence_proxy_cast(op)))
    nvvm_fence_proxy_op(&l->b, .kind = NVVM_PROXY_KIND_async);
  else
    nvvm_fence_proxy_op(&l->b, .kind = NVVM_PROXY_KIND_async_shared,
                        .space = TILE_SOME(NVVM_SHARED_SPACE_shared_cta));
}

//===-- Groups of cp.async ------------------------------------------------===//

void lower_tile_cp_async_commit(Lowering *l, MlirOperation op) {
  (void)op;
  nvvm_cp_async_commit_group(&l->b, 0);
}

void lower_tile_cp_async_wait(Lowering *l, MlirOperation op) {
  nvvm_cp_async_wait_group(
      &l->b, tile_cp_async_wait_pending(tile_cp_async_wait_cast(op)));
}

// A relation that passes trust; nothing to execute.
void lower_tile_channel_barriers(Lowering *l, MlirOperation op) {
  (void)l;
  (void)op;
}

//===-- Positions ---------------------------------------------------------===//

void lower_tile_advance(Lowering *l, MlirOperation op) {
  TileAdvanceOp advance = tile_advance_cast(op);
  MlirValue parity = tile_advance_parity(advance);
  MlirValue one = tile_const_int(&l->b, 1, 32), next[2];
  if (tile_advance_depth(advance) == 1) {
    next[0] = tile_const_int(&l->b, 0, 32);
    next[1] = arith_xori(&l->b, parity, one);
  } else {
    MlirValue next_slot = arith_addi(&l->b, tile_advance_slot(advance), one);
    MlirValue wraps = arith_cmpi(
        &l->b, .predicate = ARITH_CMP_I_PREDICATE_eq, .lhs = next_slot,
        .rhs = tile_const_int(&l->b, tile_advance_depth(advance), 32));
    next[0] =
        arith_select(&l->b, wraps, tile_const_int(&l->b, 0, 32), next_slot);
    next[1] = arith_xori(&l->b, parity,
                         arith_extui(&l->b, .type = type_i32(l), .in = wraps));
  }
  for (int i = 0; i < 2; i++)
    mlirRewriterBaseReplaceAllUsesWith(l->b.rw, mlirOperationGetResult(op, i),
                                       next[i]);
}
