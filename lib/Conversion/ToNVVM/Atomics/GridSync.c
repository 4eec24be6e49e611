//===- GridSync.c - Blocks that meet, launches that overlap ---------------===//
//
// TileLaunchOps.td says how the counter counts. One thread adds for its block
// and waits for the others; tile-insert-sync has the threads of the block meet
// before and after.
//
//          old = add(counter, this block)
//   again: if bit 31 of counter is that of old: go to again
//
//===----------------------------------------------------------------------===//

#include "Atomics.h"
#include "Conversion/ToNVVM/LoweredOps.h"

#include "Support/Constants.h"
#include "Tile/Ops/cf.h"
#include "Tile/Ops/nvvm.h"

static MlirValue num_blocks(Lowering *l) {
  MlirType i32 = type_i32(l);
  MlirValue width = nvvm_read_ptx_sreg_nctaid_x(&l->b, i32);
  MlirValue xy = arith_muli(&l->b, .lhs = width,
                            .rhs = nvvm_read_ptx_sreg_nctaid_y(&l->b, i32));
  return arith_muli(&l->b, .lhs = xy,
                    .rhs = nvvm_read_ptx_sreg_nctaid_z(&l->b, i32));
}

// What the block adds.
static MlirValue share_of_block(Lowering *l) {
  MlirType i32 = type_i32(l);
  MlirValue x = nvvm_read_ptx_sreg_ctaid_x(&l->b, i32);
  MlirValue y = nvvm_read_ptx_sreg_ctaid_y(&l->b, i32);
  MlirValue ids = arith_ori(
      &l->b, .lhs = x,
      .rhs = arith_ori(&l->b, .lhs = y,
                       .rhs = nvvm_read_ptx_sreg_ctaid_z(&l->b, i32)));
  MlirValue is_first =
      arith_cmpi(&l->b, .predicate = ARITH_CMP_I_PREDICATE_eq, .lhs = ids,
                 .rhs = tile_const_int(&l->b, 0, 32));
  MlirValue first = tile_const_int(&l->b, INT32_MIN + INT64_C(1), 32);
  MlirValue rest = arith_subi(&l->b, .lhs = first, .rhs = num_blocks(l));
  return arith_select(&l->b, is_first, rest, tile_const_int(&l->b, 1, 32));
}

void lower_tile_grid_sync(Lowering *l, MlirOperation op) {
  View counter;
  TileInt at[TILE_MAX_RANK];
  for (int d = 0; d < TILE_MAX_RANK; d++)
    at[d] = tile_int_constant(0);
  if (!view_of(l, op, tile_grid_sync_counter(tile_grid_sync_cast(op)),
               &counter))
    return;
  MlirValue pointer = view_pointer(l, op, &counter, at);
  if (!pointer.ptr)
    return;
  Update come = {.op = op,
                 .dst = &counter,
                 .kind = TILE_ATOMIC_KIND_Add,
                 .element = type_i32(l),
                 .order = {.releases = true, .acquires = true}};
  Update look = come;
  look.is_load = true;
  MlirValue share = share_of_block(l);
  IfBlocks blocks = if_begin(l, op, is_elected(l));
  MlirValue old = update_fetch(l, &come, pointer, share);
  MlirBlock spin =
      mlirRewriterBaseCreateBlockBefore(l->b.rw, blocks.after, 0, NULL, NULL);
  mlirRewriterBaseSetInsertionPointToEnd(l->b.rw, blocks.body);
  cf_br(&l->b, .dest = spin);
  mlirRewriterBaseSetInsertionPointToEnd(l->b.rw, spin);
  MlirValue now = update_fetch(l, &look, pointer, share);
  MlirValue changed = arith_xori(&l->b, old, now);
  MlirValue differs =
      arith_cmpi(&l->b, .predicate = ARITH_CMP_I_PREDICATE_slt, .lhs = changed,
                 .rhs = tile_const_int(&l->b, 0, 32));
  cf_cond_br(&l->b, .condition = differs, .trueDest = blocks.after,
             .falseDest = spin);
  mlirRewriterBaseSetInsertionPointBefore(l->b.rw, op);
}

// Threads of a role come alone: none of the forms that want whole warps.
void lower_tile_cluster_sync(Lowering *l, MlirOperation op) {
  (void)op;
  if (l->target->max_cluster_blocks == 1) { // a cluster is a block
    nvvm_barrier0_op(&l->b, 0);
    return;
  }
  nvvm_cluster_arrive(&l->b, 0);
  nvvm_cluster_wait(&l->b, 0);
}

void lower_tile_launch_wait(Lowering *l, MlirOperation op) {
  (void)op;
  if (l->target->has_dependent_launch)
    nvvm_griddepcontrol(&l->b, .kind = NVVM_GRID_DEP_ACTION_KIND_wait);
}

void lower_tile_launch_next(Lowering *l, MlirOperation op) {
  (void)op;
  if (l->target->has_dependent_launch)
    nvvm_griddepcontrol(&l->b,
                        .kind = NVVM_GRID_DEP_ACTION_KIND_launch_dependents);
}
