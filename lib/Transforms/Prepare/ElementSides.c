//===- ElementSides.c - Tile operands, one element at a time --------------===//

#include "ElementSides.h"

#include "Analysis/Index/Index.h"
#include "Analysis/Loops/Loops.h"
#include "Support/Constants.h"
#include "Tile/Ops/memref.h"
#include "Tile/Ops/scf.h"

//===-- Ops and blocks ----------------------------------------------------===//

TileBuilder element_rewrite_begin(MlirOperation kernel) {
  return (TileBuilder){mlirIRRewriterCreate(mlirOperationGetContext(kernel)),
                       mlirOperationGetLocation(kernel)};
}

void element_rewrite_at(TileBuilder *b, MlirOperation op) {
  b->loc = mlirOperationGetLocation(op);
  tile_plan_around_drop(op);
  mlirRewriterBaseSetInsertionPointBefore(b->rw, op);
}

MlirOperation element_statement_of(MlirOperation op) {
  MlirOperation parent = mlirOperationGetParentOperation(op);
  while (!tile_kernel_is(parent) && !tile_role_is(parent)) {
    op = parent;
    parent = mlirOperationGetParentOperation(op);
  }
  return op;
}

MlirRegion element_region_begin(TileBuilder *b, int num_indices) {
  MlirType index = mlirIndexTypeGet(tile_builder_context(b));
  MlirBlock block = mlirBlockCreate(0, NULL, NULL);
  for (int i = 0; i < num_indices; i++)
    mlirBlockAddArgument(block, index, b->loc);
  MlirRegion region = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(region, block);
  mlirRewriterBaseSetInsertionPointToEnd(b->rw, block);
  return region;
}

//===-- One side ----------------------------------------------------------===//

static MlirValue sum(TileBuilder *b, MlirValue x, MlirValue y) {
  return arith_addi(b, x, y);
}

// The place that number `at` of a gathered window names, -1 where there is no
// such number. What is negative is outside.
static MlirValue named_place(TileBuilder *b, TileRegionOp region,
                             MlirValue at) {
  MlirValue ids = tile_region_ids(region);
  MlirType index = mlirIndexTypeGet(tile_builder_context(b));
  MlirValue number = sum(b, tile_region_ids_offset(region), at);
  TileShape shape;
  ElementSide side;
  tile_shape_of(ids, &shape);
  element_side_build(b, ids, &number, &side);
  MlirValue end = mlirShapedTypeIsDynamicSize(shape.extent[0])
                      ? memref_dim(b, ids, tile_const_index(b, 0))
                      : tile_const_index(b, shape.extent[0]);
  MlirValue exists = arith_cmpi(b, .predicate = ARITH_CMP_I_PREDICATE_ult,
                                .lhs = number, .rhs = end);
  MlirBlock outer = mlirRewriterBaseGetInsertionBlock(b->rw);
  MlirRegion then = element_region_begin(b, 0);
  MlirValue loaded =
      arith_index_cast(b, .type = index, .in = element_side_read(b, &side));
  scf_yield_op(b, {&loaded, 1});
  MlirRegion otherwise = element_region_begin(b, 0);
  MlirValue none = tile_const_index(b, -1);
  scf_yield_op(b, {&none, 1});
  mlirRewriterBaseSetInsertionPointToEnd(b->rw, outer);
  return mlirOperationGetResult(scf_if_op(b, .condition = exists,
                                          .thenRegion = then,
                                          .elseRegion = otherwise)
                                    .op,
                                0);
}

void element_side_build(TileBuilder *b, MlirValue tile, const MlirValue *at,
                        ElementSide *out) {
  TileShape shape;
  TileBox box;
  *out = (ElementSide){.memref = tile};
  tile_shape_of(tile, &shape);
  out->element = shape.element;
  out->is_global = shape.space == TILE_SPACE_GLOBAL;
  out->rank = shape.rank;
  for (int d = 0; d < shape.rank; d++) {
    out->index[d] = at[d];
    out->size[d] = shape.extent[d];
  }
  if (!tile_box_of(tile, &box) || !box.region.op.ptr)
    return;
  out->memref = box.base;
  out->pad = tile_region_pad(box.region);
  out->rank = box.rank;
  for (int d = 0; d < out->rank; d++) {
    TileInt offset = box.offset[d];
    int dim = box.dim[d];
    out->end[d] = tile_region_end(box.region, d);
    if (tile_region_ids(box.region).ptr && tile_region_dim(box.region) == d) {
      out->index[d] = named_place(b, box.region, at[dim]);
      out->offset[d] = -1;
      continue;
    }
    bool is_known = tile_int_is_constant(offset);
    MlirValue first =
        is_known ? tile_const_index(b, offset.constant) : offset.value;
    out->offset[d] = is_known ? offset.constant : -1;
    out->size[d] = box.size[d];
    if (dim < 0)
      out->index[d] = first;
    else // a sum is no parallel index, which registers need
      out->index[d] = out->offset[d] == 0 ? at[dim] : sum(b, first, at[dim]);
  }
}

// i1: the element is in the tensor; null when it is known to be.
static MlirValue side_inside(TileBuilder *b, const ElementSide *side) {
  MlirValue inside = {NULL};
  MlirType type = mlirValueGetType(side->memref);
  for (int d = 0; d < side->rank && side->is_global; d++) {
    int64_t extent = mlirShapedTypeGetDimSize(type, d);
    bool is_dynamic = mlirShapedTypeIsDynamicSize(extent);
    if (!is_dynamic && !side->end[d].ptr && side->offset[d] >= 0 &&
        side->offset[d] + side->size[d] <= extent)
      continue;
    MlirValue end = is_dynamic
                        ? memref_dim(b, side->memref, tile_const_index(b, d))
                        : tile_const_index(b, extent);
    if (side->end[d].ptr) {
      MlirValue least = arith_minsi(b, side->end[d], end);
      end = arith_maxsi(b, least, tile_const_index(b, 0));
    }
    // As unsigned numbers, negative ones are too large as well.
    MlirValue fits = arith_cmpi(b, .predicate = ARITH_CMP_I_PREDICATE_ult,
                                .lhs = side->index[d], .rhs = end);
    inside = mlirValueIsNull(inside) ? fits : arith_andi(b, inside, fits);
  }
  return inside;
}

static MlirValue side_load(TileBuilder *b, const ElementSide *side) {
  return memref_load(b, .memref = side->memref,
                     .indices = {side->index, side->rank});
}

MlirValue element_side_read(TileBuilder *b, const ElementSide *side) {
  MlirValue inside = side_inside(b, side);
  MlirBlock outer = mlirRewriterBaseGetInsertionBlock(b->rw);
  if (mlirValueIsNull(inside))
    return side_load(b, side);
  MlirRegion then = element_region_begin(b, 0);
  MlirValue loaded = side_load(b, side);
  scf_yield_op(b, {&loaded, 1});
  MlirRegion otherwise = element_region_begin(b, 0);
  MlirValue pad = mlirValueIsNull(side->pad) ? tile_const_zero(b, side->element)
                                             : side->pad;
  scf_yield_op(b, {&pad, 1});
  mlirRewriterBaseSetInsertionPointToEnd(b->rw, outer);
  return mlirOperationGetResult(scf_if_op(b, .condition = inside,
                                          .thenRegion = then,
                                          .elseRegion = otherwise)
                                    .op,
                                0);
}

void element_side_write(TileBuilder *b, const ElementSide *side,
                        MlirValue value) {
  MlirValue inside = side_inside(b, side);
  MlirBlock outer = mlirRewriterBaseGetInsertionBlock(b->rw);
  TileValues indices = {(MlirValue *)side->index, side->rank};
  if (mlirValueIsNull(inside)) {
    memref_store(b, .value = value, .memref = side->memref, .indices = indices);
    return;
  }
  MlirRegion then = element_region_begin(b, 0);
  memref_store(b, .value = value, .memref = side->memref, .indices = indices);
  scf_yield_op(b, {NULL, 0});
  mlirRewriterBaseSetInsertionPointToEnd(b->rw, outer);
  scf_if_op(b, .condition = inside, .thenRegion = then);
}

//===-- Conversion as tile.copy does it -----------------------------------===//

static MlirValue convert_float(TileBuilder *b, MlirValue value, MlirType to) {
  MlirType f32 = mlirF32TypeGet(tile_builder_context(b));
  unsigned have = mlirFloatTypeGetWidth(mlirValueGetType(value)),
           want = mlirFloatTypeGetWidth(to);
  if (have == want) { // neither holds the other, f32 holds both
    value = arith_extf(b, .type = f32, .in = value);
    have = 32;
  }
  return have < want ? arith_extf(b, .type = to, .in = value)
                     : arith_truncf(b, .type = to, .in = value);
}

MlirValue element_convert(TileBuilder *b, MlirValue value, MlirType to) {
  MlirType from = mlirValueGetType(value);
  if (mlirTypeEqual(from, to))
    return value;
  if (tile_elem_is_float(from))
    return convert_float(b, value, to);
  unsigned have = mlirIntegerTypeGetWidth(from),
           want = mlirIntegerTypeGetWidth(to);
  if (have > want)
    return arith_trunci(b, .type = to, .in = value);
  return have == 1 ? arith_extui(b, .type = to, .in = value)
                   : arith_extsi(b, .type = to, .in = value);
}
