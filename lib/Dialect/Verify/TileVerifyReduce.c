//===- TileVerifyReduce.c - Constraints of reductions and atomics ---------===//
//
// Labels such as (C2) are those of TileReduceOps.td.
//
//===----------------------------------------------------------------------===//

#include "TileVerify.h"

//===-- Shared ------------------------------------------------------------===//

// What a reduction can read and write: shared memory, in windows too, or all of
// a fragment: threads do not know which of their registers lie in a window.
static MlirLogicalResult verify_space(MlirOperation op, MlirValue tile,
                                      const char *name, const TileShape *shape,
                                      bool allow_global) {
  bool is_memory = shape->space == TILE_SPACE_SHARED ||
                   (allow_global && shape->space == TILE_SPACE_GLOBAL);
  if (!is_memory && shape->space != TILE_SPACE_FRAGMENT)
    return tile_emit_error(op,
                           "expects '%s' in %sshared memory or a fragment, "
                           "got it in %s",
                           name, allow_global ? "global or " : "",
                           tile_space_name(shape->space));
  if (shape->space == TILE_SPACE_FRAGMENT &&
      tile_region_type_is(mlirValueGetType(tile)))
    return tile_emit_error(op,
                           "expects '%s' to be a whole fragment, got a window "
                           "of one",
                           name);
  return tile_success();
}

static MlirLogicalResult verify_dim(MlirOperation op, int64_t dim,
                                    const TileShape *src) {
  if (dim >= 0 && dim < src->rank)
    return tile_success();
  return tile_emit_error(
      op,
      "expects 'dim' from 0 to %d for a tile of rank %d, got "
      "%" PRId64,
      src->rank - 1, src->rank, dim);
}

static bool is_int1(MlirType type) {
  return mlirTypeIsAInteger(type) && mlirIntegerTypeGetWidth(type) == 1;
}

// Two floats of at least 16 bits, or two integers.
static MlirLogicalResult verify_elements(MlirOperation op, const TileShape *src,
                                         const TileShape *dst) {
  const TileShape *shapes[2] = {src, dst};
  for (int i = 0; i < 2; i++)
    if (tile_elem_is_float(shapes[i]->element) &&
        tile_elem_bits(shapes[i]->element) == 8)
      return tile_emit_error(op,
                             "cannot compute with %s; copy the tile to f16, "
                             "bf16 or f32 first",
                             tile_verify_type_text(shapes[i]->element).chars);
  if (tile_elem_is_float(src->element) != tile_elem_is_float(dst->element))
    return tile_emit_error(
        op, "expects two float or two integer element types, got %s and %s",
        tile_verify_type_text(src->element).chars,
        tile_verify_type_text(dst->element).chars);
  return tile_success();
}

//===-- tile.reduce -------------------------------------------------------===//

static bool is_bitwise(TileReduceKind kind) {
  return kind == TILE_REDUCE_KIND_And || kind == TILE_REDUCE_KIND_Or ||
         kind == TILE_REDUCE_KIND_Xor;
}

static bool reduced_shape_fits(const TileShape *src, const TileShape *dst,
                               int dim, bool is_partial) {
  int d = 0;
  bool keeps_dim = dst->rank == src->rank;
  if (!keeps_dim && (is_partial || dst->rank != src->rank - 1))
    return false;
  for (int s = 0; s < src->rank; s++) {
    if (s == dim && !keeps_dim)
      continue;
    if (s == dim ? !is_partial && dst->extent[d] != 1
                 : dst->extent[d] != src->extent[s])
      return false;
    d++;
  }
  return true;
}

static MlirLogicalResult reduce_verify_kind(TileReduceOp reduce,
                                            const TileShape *src,
                                            const TileShape *dst) {
  TileReduceKind kind = tile_reduce_kind(reduce);
  const char *name = TileReduceKind_cases[kind].s;
  if (is_bitwise(kind) && tile_elem_is_float(src->element))
    return tile_emit_error(reduce.op, "expects integers with '%s', got %s",
                           name, tile_verify_type_text(src->element).chars);
  if (!is_bitwise(kind) && is_int1(dst->element))
    return tile_emit_error(reduce.op,
                           "expects 'and', 'or' or 'xor' into i1, got '%s'; a "
                           "wider 'dst' counts",
                           name);
  return tile_success();
}

// (C1), (C2): two tiles, and a dimension of the first.
static MlirLogicalResult verify_lines(MlirOperation op, MlirValue from,
                                      MlirValue to, int64_t dim,
                                      TileShape *out_src, TileShape *out_dst) {
  if (tile_failed(tile_verify_op(op)) ||
      tile_failed(
          tile_verify_tile(op, from, "src", 1, TILE_MAX_RANK, out_src)) ||
      tile_failed(tile_verify_tile(op, to, "dst", 1, TILE_MAX_RANK, out_dst)) ||
      tile_failed(verify_space(op, from, "src", out_src, false)) ||
      tile_failed(verify_space(op, to, "dst", out_dst, false)) ||
      tile_failed(verify_dim(op, dim, out_src)))
    return tile_failure();
  return tile_success();
}

MlirLogicalResult tile_reduce_verify(MlirOperation op) {
  TileReduceOp reduce = tile_reduce_cast(op);
  MlirValue from = tile_reduce_src(reduce), to = tile_reduce_dst(reduce);
  TileShape src, dst;
  if (tile_failed(
          verify_lines(op, from, to, tile_reduce_dim(reduce), &src, &dst)))
    return tile_failure();
  int dim = (int)tile_reduce_dim(reduce);
  bool is_partial = tile_reduce_partial(reduce);
  if (!reduced_shape_fits(&src, &dst, dim, is_partial)) // (C3)
    return tile_emit_error(op,
                           "expects 'dst' of the shape of %s without dimension "
                           "%d, or with extent 1 there, got %s",
                           tile_verify_shape_text(&src).chars, dim,
                           tile_verify_shape_text(&dst).chars);
  if (is_partial &&
      (dst.space != TILE_SPACE_SHARED || !tile_reduce_clear(reduce)))
    return tile_emit_error(op, "expects 'partial' with 'clear' and 'dst' in "
                               "shared memory");
  if (tile_failed(verify_elements(op, &src, &dst))) // (C4)
    return tile_failure();
  return reduce_verify_kind(reduce, &src, &dst); // (C5)
}

//===-- tile.scan ---------------------------------------------------------===//

MlirLogicalResult tile_scan_verify(MlirOperation op) {
  TileScanOp scan = tile_scan_cast(op);
  MlirValue from = tile_scan_src(scan), to = tile_scan_dst(scan);
  TileShape src, dst;
  if (tile_failed(verify_lines(op, from, to, tile_scan_dim(scan), &src, &dst)))
    return tile_failure();
  if (!tile_shape_equal_extents(&src, &dst)) // (C3)
    return tile_emit_error(op,
                           "expects 'src' and 'dst' of the same shape, got %s "
                           "and %s",
                           tile_verify_shape_text(&src).chars,
                           tile_verify_shape_text(&dst).chars);
  if (is_int1(dst.element)) // (C4)
    return tile_emit_error(op, "expects 'dst' of more than one bit per "
                               "element, got i1");
  return verify_elements(op, &src, &dst);
}

//===-- tile.any_of, tile.all_of ------------------------------------------===//

static MlirLogicalResult verify_mask(MlirOperation op) {
  MlirValue mask = mlirOperationGetOperand(op, 0);
  TileShape shape;
  if (tile_failed(tile_verify_op(op)) || // (C1)
      tile_failed(
          tile_verify_tile(op, mask, "mask", 1, TILE_MAX_RANK, &shape)) ||
      tile_failed(verify_space(op, mask, "mask", &shape, true)))
    return tile_failure();
  if (is_int1(shape.element)) // (C2)
    return tile_success();
  return tile_emit_error(op, "expects 'mask' of i1, got %s",
                         tile_verify_type_text(shape.element).chars);
}

MlirLogicalResult tile_any_of_verify(MlirOperation op) {
  return verify_mask(op);
}

MlirLogicalResult tile_all_of_verify(MlirOperation op) {
  return verify_mask(op);
}

//===-- tile.atomic -------------------------------------------------------===//

// (C2)
static MlirLogicalResult atomic_verify_src(TileAtomicOp atomic,
                                           const TileShape *dst,
                                           TileShape *out_src) {
  MlirOperation op = atomic.op;
  MlirValue src = tile_atomic_src(atomic);
  MlirType type = mlirValueGetType(src);
  *out_src = *dst;
  if (!mlirTypeIsAMemRef(type) && !tile_region_type_is(type)) {
    if (mlirTypeEqual(type, dst->element))
      return tile_success();
    return tile_emit_error(op,
                           "expects 'src' to be a tile or a value of the "
                           "element type %s of 'dst', got %s",
                           tile_verify_type_text(dst->element).chars,
                           tile_verify_type_text(type).chars);
  }
  if (tile_failed(
          tile_verify_tile(op, src, "src", 1, TILE_MAX_RANK, out_src)) ||
      tile_failed(verify_space(op, src, "src", out_src, false)))
    return tile_failure();
  if (!tile_shape_equal_extents(out_src, dst))
    return tile_emit_error(op,
                           "expects 'src' and 'dst' of the same shape, got %s "
                           "and %s",
                           tile_verify_shape_text(out_src).chars,
                           tile_verify_shape_text(dst).chars);
  return tile_success();
}

bool tile_atomic_is_bitwise(TileAtomicKind kind) {
  return kind == TILE_ATOMIC_KIND_And || kind == TILE_ATOMIC_KIND_Or ||
         kind == TILE_ATOMIC_KIND_Xor;
}

// The table of (C3).
bool tile_atomic_takes(TileAtomicKind kind, MlirType element) {
  bool is_bitwise = tile_atomic_is_bitwise(kind);
  if (tile_elem_is_float(element))
    return tile_elem_bits(element) >= 16 && !is_bitwise;
  return is_bitwise || mlirIntegerTypeGetWidth(element) > 1;
}

// (C7)
static MlirLogicalResult atomic_verify_old(TileAtomicOp atomic,
                                           const TileShape *dst) {
  MlirOperation op = atomic.op;
  MlirValue old = tile_atomic_old(atomic);
  TileShape shape;
  if (!old.ptr)
    return tile_success();
  if (tile_failed(tile_verify_tile(op, old, "old", 1, TILE_MAX_RANK, &shape)) ||
      tile_failed(verify_space(op, old, "old", &shape, false)))
    return tile_failure();
  if (!tile_shape_equal_extents(&shape, dst))
    return tile_emit_error(op,
                           "expects 'old' and 'dst' of the same shape, got %s "
                           "and %s",
                           tile_verify_shape_text(&shape).chars,
                           tile_verify_shape_text(dst).chars);
  if (!mlirTypeEqual(shape.element, dst->element))
    return tile_emit_error(op,
                           "expects 'old' and 'dst' of the same element type, "
                           "got %s and %s",
                           tile_verify_type_text(shape.element).chars,
                           tile_verify_type_text(dst->element).chars);
  if (mlirValueEqual(tile_buffer_of(old).root,
                     tile_buffer_of(tile_atomic_dst(atomic)).root))
    return tile_emit_error(op, "expects 'old' to be other memory than 'dst'");
  return tile_success();
}

static MlirLogicalResult atomic_verify_instr(TileAtomicOp atomic,
                                             const TileShape *src,
                                             const TileShape *dst) {
  MlirAttribute attribute = tile_atomic_instr_attr(atomic);
  bool is_tma = false;
  if (!mlirAttributeIsNull(attribute)) {
    TileInstr instr = tile_atomic_instr(atomic);
    is_tma = instr == TILE_INSTR_Tma;
    if (!is_tma && instr != TILE_INSTR_Simt)
      return tile_emit_error(atomic.op,
                             "expects 'instr' to be simt or tma, got %s",
                             tile_verify_attr_text(attribute).chars);
  }
  if (is_tma &&
      (src->space != TILE_SPACE_SHARED || dst->space != TILE_SPACE_GLOBAL ||
       !mlirTypeEqual(src->element, dst->element)))
    return tile_emit_error(atomic.op,
                           "expects 'instr' to be simt, got tma, which takes a "
                           "shared tile to a tensor of the same element type");
  if (is_tma && tile_atomic_old(atomic).ptr) // (C8)
    return tile_emit_error(atomic.op,
                           "expects 'instr' to be simt with 'old', got tma, "
                           "which gives no values back");
  if (!is_tma && !mlirValueIsNull(tile_atomic_map(atomic))) // (C6)
    return tile_emit_error(atomic.op,
                           "expects 'map' only with instr = #tile.instr<tma>");
  return tile_success();
}

MlirLogicalResult tile_atomic_verify(MlirOperation op) {
  TileAtomicOp atomic = tile_atomic_cast(op);
  TileShape src, dst;
  if (tile_failed(tile_verify_op(op)) || // (C1)
      tile_failed(tile_verify_tile(op, tile_atomic_dst(atomic), "dst", 1,
                                   TILE_MAX_RANK, &dst)))
    return tile_failure();
  if (dst.space != TILE_SPACE_GLOBAL && dst.space != TILE_SPACE_SHARED)
    return tile_emit_error(
        op, "expects 'dst' in global or shared memory, got it in %s",
        tile_space_name(dst.space));
  if (tile_failed(atomic_verify_src(atomic, &dst, &src)))
    return tile_failure();
  if (!tile_atomic_takes(tile_atomic_kind(atomic), dst.element)) // (C3)
    return tile_emit_error(
        op, "cannot update %s with %s; the table of tile.atomic lists what can",
        tile_verify_type_text(dst.element).chars,
        TileAtomicKind_cases[tile_atomic_kind(atomic)].s);
  if (tile_failed(verify_elements(op, &src, &dst))) // (C4)
    return tile_failure();
  if (tile_failed(atomic_verify_old(atomic, &dst)))
    return tile_failure();
  return atomic_verify_instr(atomic, &src, &dst); // (C5)
}
