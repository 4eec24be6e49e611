//===- TileVerifyAsync.c - Constraints of asynchronous products -----------===//
//
// Labels such as (C1) are those of TileAsyncOps.td.
//
//===----------------------------------------------------------------------===//

#include "TileVerify.h"

// What products accumulate in.
static bool is_accumulator(MlirType element) {
  return mlirTypeIsAF32(element) || mlirTypeIsAF16(element) ||
         (mlirTypeIsAInteger(element) &&
          mlirIntegerTypeGetWidth(element) == 32);
}

static bool is_fragment(MlirValue value, TileShape *out_shape) {
  return tile_shape_of(value, out_shape) &&
         out_shape->space == TILE_SPACE_FRAGMENT &&
         mlirValueIsAOpResult(value) &&
         tile_alloc_is(mlirOpResultGetOwner(value));
}

// (C5)
static MlirLogicalResult verify_after(TileAwaitOp await) {
  TileRange after = tile_await_after(await);
  if (after.n && tile_await_accumulators(await).n == 0)
    return tile_emit_error(await.op, "expects accumulators to wait for 'after' "
                                     "other work");
  for (intptr_t i = 0; i < after.n; i++) {
    MlirValue value = tile_range_at(after, i);
    TileShape shape;
    if (!is_fragment(value, &shape) || tile_elem_bits(shape.element) != 32)
      return tile_emit_error(
          await.op,
          "expects 'after' to name fragments of 'tile.alloc' with elements of "
          "32 bits, got %s",
          tile_verify_type_text(mlirValueGetType(value)).chars);
  }
  return tile_success();
}

MlirLogicalResult tile_await_verify(MlirOperation op) {
  int64_t pending = tile_await_pending(tile_await_cast(op));
  enum { MAX_PENDING = 7 };                 // PTX ISA, wgmma.wait_group
  if (pending < 0 || pending > MAX_PENDING) // (C1)
    return tile_emit_error(op, "expects 'pending' from 0 to %d, got %" PRId64,
                           MAX_PENDING, pending);
  TileRange accumulators = tile_await_accumulators(tile_await_cast(op));
  for (intptr_t i = 0; i < accumulators.n; i++) {
    MlirValue value = tile_range_at(accumulators, i);
    TileShape shape;
    if (!is_fragment(value, &shape)) // (C2)
      return tile_emit_error(
          op, "expects fragments of 'tile.alloc', got %s",
          tile_verify_type_text(mlirValueGetType(value)).chars);
    if (!is_accumulator(shape.element)) // (C3)
      return tile_emit_error(
          op, "expects accumulators of f32, f16 or i32, got %s",
          tile_verify_type_text(mlirValueGetType(value)).chars);
  }
  return verify_after(tile_await_cast(op));
}
