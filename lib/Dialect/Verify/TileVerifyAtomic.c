//===- TileVerifyAtomic.c - Constraints of atomics and fences -------------===//
//
// Labels such as (C2) are those of TileAtomicOps.td.
//
//===----------------------------------------------------------------------===//

#include "Dialect/ElementLoops.h"
#include "TileVerify.h"

//===-- Orders ------------------------------------------------------------===//

static TileOrder order_of(MlirAttribute order) {
  return mlirAttributeIsNull(order) ? TILE_ORDER_Relaxed
                                    : TileOrder_from_attr(order);
}

static MlirLogicalResult verify_scope(MlirOperation op, MlirAttribute order,
                                      MlirAttribute scope) {
  if (mlirAttributeIsNull(scope) || order_of(order) != TILE_ORDER_Relaxed)
    return tile_success();
  return tile_emit_error(op, "expects 'scope' with an 'order', got relaxed, "
                             "which orders nothing");
}

static bool is_seen_by_others(TileSpace space) {
  return space == TILE_SPACE_GLOBAL || space == TILE_SPACE_SHARED ||
         space == TILE_SPACE_CLUSTER;
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
      tile_failed(tile_verify_space(op, src, "src", out_src, false)))
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
  if (kind == TILE_ATOMIC_KIND_Exchange)
    return tile_elem_bits(element) >= 16 || !tile_elem_is_float(element);
  if (kind == TILE_ATOMIC_KIND_Inc)
    return mlirTypeIsAInteger(element) &&
           mlirIntegerTypeGetWidth(element) == 32;
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
      tile_failed(tile_verify_space(op, old, "old", &shape, false)))
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

// (C9)
static MlirLogicalResult atomic_verify_compare(TileAtomicOp atomic,
                                               const TileShape *dst) {
  MlirValue compare = tile_atomic_compare(atomic);
  if (!compare.ptr)
    return tile_success();
  if (tile_atomic_kind(atomic) != TILE_ATOMIC_KIND_Exchange)
    return tile_emit_error(atomic.op,
                           "expects 'if' with exchange, got it with "
                           "%s",
                           TileAtomicKind_cases[tile_atomic_kind(atomic)].s);
  if (mlirTypeEqual(mlirValueGetType(compare), dst->element))
    return tile_success();
  return tile_emit_error(
      atomic.op,
      "expects 'if' with a value of the element type %s of 'dst', got %s",
      tile_verify_type_text(dst->element).chars,
      tile_verify_type_text(mlirValueGetType(compare)).chars);
}

// What an update by TMA cannot have, or NULL.
static const char *beyond_tma(TileAtomicOp atomic) {
  TileOrdering ordering;
  return tile_atomic_old(atomic).ptr                             ? "'old'"
         : tile_atomic_compare(atomic).ptr                       ? "'if'"
         : tile_atomic_kind(atomic) == TILE_ATOMIC_KIND_Exchange ? "exchange"
         : tile_atomic_kind(atomic) == TILE_ATOMIC_KIND_Inc      ? "inc"
         : tile_ordering_of(atomic.op, &ordering)                ? "an order"
                                                                 : NULL;
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
  const char *beyond = beyond_tma(atomic);
  if (is_tma && beyond) // (C8)
    return tile_emit_error(atomic.op,
                           "expects 'instr' to be simt with %s, got tma, which "
                           "has none",
                           beyond);
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
  if (!is_seen_by_others(dst.space))
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
  if (tile_failed(tile_verify_elements(op, &src, &dst))) // (C4)
    return tile_failure();
  if (tile_failed(atomic_verify_old(atomic, &dst)) ||
      tile_failed(atomic_verify_compare(atomic, &dst)) ||
      tile_failed(verify_scope(op, tile_atomic_order_attr(atomic), // (C10)
                               tile_atomic_scope_attr(atomic))))
    return tile_failure();
  return atomic_verify_instr(atomic, &src, &dst); // (C5)
}

//===-- tile.atomic_load --------------------------------------------------===//

// (C2), (C3)
static MlirLogicalResult load_verify_dst(TileAtomicLoadOp load,
                                         const TileShape *src,
                                         const TileShape *dst) {
  MlirOperation op = load.op;
  if (dst->space != TILE_SPACE_SHARED)
    return tile_emit_error(op, "expects 'dst' in shared memory, got it in %s",
                           tile_space_name(dst->space));
  if (!tile_shape_equal_extents(src, dst) ||
      !mlirTypeEqual(src->element, dst->element))
    return tile_emit_error(op,
                           "expects 'src' and 'dst' of the same shape and "
                           "element type, got %s and %s",
                           tile_verify_shape_text(src).chars,
                           tile_verify_shape_text(dst).chars);
  if (mlirValueEqual(tile_buffer_of(tile_atomic_load_src(load)).root,
                     tile_buffer_of(tile_atomic_load_dst(load)).root))
    return tile_emit_error(op, "expects 'dst' to be other memory than 'src'");
  if (!tile_atomic_takes(TILE_ATOMIC_KIND_Exchange, src->element))
    return tile_emit_error(op,
                           "cannot read %s in one step; an element has 16 "
                           "bits, or is an integer",
                           tile_verify_type_text(src->element).chars);
  return tile_success();
}

MlirLogicalResult tile_atomic_load_verify(MlirOperation op) {
  TileAtomicLoadOp load = tile_atomic_load_cast(op);
  MlirAttribute order = tile_atomic_load_order_attr(load);
  TileShape src, dst;
  if (tile_failed(tile_verify_op(op)) || // (C1)
      tile_failed(tile_verify_tile(op, tile_atomic_load_src(load), "src", 1,
                                   TILE_MAX_RANK, &src)) ||
      tile_failed(tile_verify_tile(op, tile_atomic_load_dst(load), "dst", 1,
                                   TILE_MAX_RANK, &dst)))
    return tile_failure();
  if (!is_seen_by_others(src.space))
    return tile_emit_error(
        op, "expects 'src' in global or shared memory, got it in %s",
        tile_space_name(src.space));
  if (tile_failed(load_verify_dst(load, &src, &dst)))
    return tile_failure();
  if (order_of(order) == TILE_ORDER_Release ||
      order_of(order) == TILE_ORDER_AcqRel) // (C4)
    return tile_emit_error(op,
                           "expects 'order' to be relaxed, acquire or seq_cst, "
                           "got %s: a load releases nothing",
                           tile_verify_attr_text(order).chars);
  return verify_scope(op, order, tile_atomic_load_scope_attr(load)); // (C5)
}

//===-- tile.next_tile ----------------------------------------------------===//

// (C2)
static MlirLogicalResult verify_one_number(TileNextTileOp next) {
  MlirValue counter = tile_next_tile_counter(next);
  MlirOperation kernel = tile_kernel_around(next.op);
  for (MlirOpOperand use = mlirValueGetFirstUse(counter);
       !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    TileNextTileOp other = tile_next_tile_dyn(mlirOpOperandGetOwner(use));
    if (other.op.ptr &&
        mlirOperationEqual(tile_kernel_around(other.op), kernel) &&
        !mlirValueEqual(tile_next_tile_tiles(other),
                        tile_next_tile_tiles(next)))
      return tile_emit_error_with_note(
          next.op, mlirOperationGetLocation(other.op), "the other one",
          "expects the same 'tiles' as other tickets of its counter: the last "
          "one sets it back");
  }
  return tile_success();
}

MlirLogicalResult tile_next_tile_verify(MlirOperation op) {
  TileNextTileOp next = tile_next_tile_cast(op);
  if (tile_failed(tile_verify_op(op)) ||
      tile_failed(
          tile_verify_counter(op, tile_next_tile_counter(next))) || // (C1)
      tile_failed(verify_one_number(next)))
    return tile_failure();
  return tile_verify_outside_loop(op, "a ticket of the block"); // (C3)
}

//===-- tile.fence --------------------------------------------------------===//

MlirLogicalResult tile_fence_verify(MlirOperation op) {
  TileFenceOp fence = tile_fence_cast(op);
  if (tile_failed(tile_verify_op(op)))
    return tile_failure();
  if (tile_fence_order(fence) != TILE_ORDER_Relaxed) // (C1)
    return tile_success();
  return tile_emit_error(op, "expects 'order' to be acquire, release, acq_rel "
                             "or seq_cst, got relaxed, which orders nothing");
}
