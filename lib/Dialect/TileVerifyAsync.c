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

MlirLogicalResult tile_await_verify(MlirOperation op) {
  int64_t pending = tile_await_pending(tile_await_cast(op));
  if (pending < 0) // (C1)
    return tile_emit_error(
        op, "expects 'pending' to be at least 0, got %" PRId64, pending);
  TileRange accumulators = tile_await_accumulators(tile_await_cast(op));
  for (intptr_t i = 0; i < accumulators.n; i++) {
    MlirValue value = tile_range_at(accumulators, i);
    TileShape shape;
    if (!tile_shape_of(value, &shape) || shape.space != TILE_SPACE_FRAGMENT ||
        !mlirValueIsAOpResult(value) ||
        !tile_alloc_is(mlirOpResultGetOwner(value))) // (C2)
      return tile_emit_error(
          op, "expects fragments of 'tile.alloc', got %s",
          tile_verify_type_text(mlirValueGetType(value)).chars);
    if (!is_accumulator(shape.element)) // (C3)
      return tile_emit_error(
          op, "expects accumulators of f32, f16 or i32, got %s",
          tile_verify_type_text(mlirValueGetType(value)).chars);
  }
  return tile_success();
}
