//===- Predicates.c - Block-uniform predicates ----------------------------===//
//
// Every warp reads all elements of the mask and votes: the result is the same
// in all warps, and no thread waits for another warp.
//
//===----------------------------------------------------------------------===//

#include "Conversion/ToNVVM/LoweredOps.h"
#include "Reductions.h"

#include "Support/Constants.h"
#include "Tile/Ops/llvm.h"
#include "Tile/Ops/nvvm.h"

enum { WARP = 32, MAX_UNROLLED_LOADS = 8 };

typedef struct {
  MlirOperation op;
  const View *mask;
  int64_t num_elems;
  bool is_any;
} Predicate;

static MlirValue const_bool(Lowering *l, bool value) {
  return tile_const_int(&l->b, value, 1);
}

// Row-major over the window.
static void element_coordinates(Lowering *l, const Predicate *predicate,
                                TileInt number, TileInt at[TILE_MAX_RANK]) {
  const TileShape *shape = &predicate->mask->shape;
  for (int d = shape->rank - 1; d >= 0; d--) {
    at[d] = d == 0 ? number : tile_int_rem(&l->i32, number, shape->extent[d]);
    number = tile_int_div(&l->i32, number, shape->extent[d]);
  }
}

// The element that the lane reads in one step; where it has none, what changes
// nothing.
static MlirValue step_value(Lowering *l, const Predicate *predicate,
                            TileInt step, bool is_ragged) {
  const View *mask = predicate->mask;
  TileInt at[TILE_MAX_RANK];
  TileInt lane = tile_int_value(lane_id(l));
  TileInt number =
      tile_int_add(&l->i32, lane, tile_int_mul(&l->i32, step, WARP));
  MlirValue exists = {NULL}, pointer, loaded;
  if (is_ragged) {
    MlirValue own = tile_int_get(&l->i32, number);
    exists =
        arith_cmpi(&l->b, .predicate = ARITH_CMP_I_PREDICATE_ult, .lhs = own,
                   .rhs = tile_const_int(&l->b, predicate->num_elems, 32));
  }
  element_coordinates(l, predicate, number, at);
  MlirValue readable = exists;
  if (!tile_run_pointer(l, predicate->op, mask, at, 1, &pointer, &readable))
    return const_bool(l, false);
  MlirValue bits =
      load_bits(l, pointer, space_number(mask->memory->space), 1, readable);
  bits_split(l, bits, mask->memory->element, 1, &loaded);
  if (readable.ptr && mask->pad.ptr)
    loaded = arith_select(&l->b, readable, loaded, mask->pad);
  MlirValue value =
      arith_cmpi(&l->b, .predicate = ARITH_CMP_I_PREDICATE_ne, .lhs = loaded,
                 .rhs = tile_const_int(&l->b, 0, 8));
  if (exists.ptr)
    value =
        arith_select(&l->b, exists, value, const_bool(l, !predicate->is_any));
  return value;
}

static MlirValue combine_bools(Lowering *l, bool is_any, MlirValue x,
                               MlirValue y) {
  return is_any ? arith_ori(&l->b, x, y) : arith_andi(&l->b, x, y);
}

// Steps in which every lane has an element.
static MlirValue full_steps(Lowering *l, const Predicate *predicate,
                            int64_t count, MlirValue value) {
  if (count <= MAX_UNROLLED_LOADS) {
    for (int64_t i = 0; i < count; i++)
      value =
          combine_bools(l, predicate->is_any, value,
                        step_value(l, predicate, tile_int_constant(i), false));
    return value;
  }
  MlirValue variable = local_variable(l, type_i1(l));
  local_set(l, variable, value);
  LoopBlocks loop = loop_begin(l, predicate->op, count);
  MlirValue one = step_value(l, predicate, tile_int_value(loop.counter), false);
  local_set(l, variable,
            combine_bools(l, predicate->is_any,
                          local_get(l, variable, type_i1(l)), one));
  loop_end(l, predicate->op, loop);
  return local_get(l, variable, type_i1(l));
}

static void lower_predicate(Lowering *l, MlirOperation op, bool is_any) {
  View mask;
  if (!view_of(l, op, mlirOperationGetOperand(op, 0), &mask))
    return;
  if (mask.memory->space == TILE_SPACE_FRAGMENT) {
    lower_fail(l, op, "reads a fragment; run tile-layout-inference first");
    return;
  }
  Predicate predicate = {op, &mask, tile_shape_num_elems(&mask.shape), is_any};
  int64_t full = predicate.num_elems / WARP;
  MlirValue value = full_steps(l, &predicate, full, const_bool(l, !is_any));
  if (predicate.num_elems % WARP)
    value =
        combine_bools(l, is_any, value,
                      step_value(l, &predicate, tile_int_constant(full), true));
  MlirValue vote = nvvm_vote_sync(
      &l->b, .type = type_i1(l), .mask = tile_const_int(&l->b, -1, 32),
      .pred = value,
      .kind = is_any ? NVVM_VOTE_SYNC_KIND_any : NVVM_VOTE_SYNC_KIND_all);
  mlirRewriterBaseReplaceAllUsesWith(l->b.rw, mlirOperationGetResult(op, 0),
                                     vote);
}

void lower_tile_any_of(Lowering *l, MlirOperation op) {
  lower_predicate(l, op, true);
}

void lower_tile_all_of(Lowering *l, MlirOperation op) {
  lower_predicate(l, op, false);
}
