//===- TileVerifyAsync.c - Constraints of asynchronous products -----------===//
//
// Labels such as (C1) are those of TileAsyncOps.td.
//
//===----------------------------------------------------------------------===//

#include "TileVerify.h"

MlirLogicalResult tile_await_verify(MlirOperation op) {
  int64_t pending = tile_await_pending(tile_await_cast(op));
  if (pending < 0) // (C1)
    return tile_emit_error(
        op, "expects 'pending' to be at least 0, got %" PRId64, pending);
  return tile_success();
}
