//===- TileVerifyMessages.c - Constraints of prints, asserts, clocks ------===//
//
// Labels such as (C2) are those of TileMessageOps.td.
//
//===----------------------------------------------------------------------===//

#include "Dialect/ElementLoops.h"
#include "TileVerify.h"

enum { MAX_TEXT = 512, MAX_PRINTED = 16 };

static MlirLogicalResult verify_text(MlirOperation op, const char *name,
                                     MlirStringRef text) {
  if (text.length > MAX_TEXT)
    return tile_emit_error(op, "expects '%s' of at most %d characters, got %zu",
                           name, MAX_TEXT, text.length);
  for (size_t i = 0; i < text.length; i++)
    if ((unsigned char)text.data[i] < ' ' || text.data[i] == 0x7f)
      return tile_emit_error(op,
                             "expects '%s' of printable characters, got code "
                             "%d at %zu",
                             name, (unsigned char)text.data[i], i);
  return tile_success();
}

// (C1)
static bool is_printed_tile(MlirType type) {
  TileShape shape;
  return mlirTypeIsAMemRef(type) && tile_shape_get(type, &shape) &&
         shape.rank >= 1 && tile_shape_is_static(&shape) &&
         (shape.space == TILE_SPACE_SHARED ||
          shape.space == TILE_SPACE_FRAGMENT);
}

MlirLogicalResult tile_verify_inside_kernel(MlirOperation op) {
  return tile_kernel_around(op).ptr
             ? tile_success()
             : tile_emit_error(op, "expects to be inside a kernel");
}

// In the body of an element loop each element is on its own.
MlirLogicalResult tile_verify_outside_loop(MlirOperation op, const char *what) {
  if (!tile_parallel_around(op).op.ptr)
    return tile_success();
  return tile_emit_error(op, "expects %s outside tile.parallel", what);
}

MlirLogicalResult tile_print_verify(MlirOperation op) {
  TilePrintOp print = tile_print_cast(op);
  TileRange values = tile_print_values(print);
  if (tile_failed(tile_verify_op(op)) ||
      tile_failed(verify_text(op, "text", tile_print_text(print)))) // (C2)
    return tile_failure();
  int most = MAX_PRINTED - tile_print_every_thread(print); // its number
  if (values.n > most)
    return tile_emit_error(op, "expects at most %d values, got %td", most,
                           values.n);
  for (intptr_t i = 0; i < values.n; i++) {
    MlirType type = mlirValueGetType(tile_range_at(values, i));
    bool is_tile = is_printed_tile(type);
    if (!mlirTypeIsAIndex(type) && !tile_verify_is_element(type) &&
        !(is_tile && values.n == 1))
      return tile_emit_error(op,
                             "expects scalars, or one shared tile or fragment, "
                             "got %s",
                             tile_verify_type_text(type).chars);
    if (is_tile && tile_parallel_around(op).op.ptr) // (C3)
      return tile_emit_error(op, "prints a tile once per element; print it "
                                 "outside tile.parallel");
    if (is_tile && tile_print_every_thread(print)) // (C4)
      return tile_emit_error(op, "expects scalars with 'every_thread': a tile "
                                 "is printed once per element");
  }
  return tile_print_every_thread(print)
             ? tile_verify_outside_loop(op, "'every_thread'")
             : tile_success();
}

MlirLogicalResult tile_assert_verify(MlirOperation op) {
  TileAssertOp assertion = tile_assert_cast(op);
  if (tile_failed(tile_verify_op(op)) ||
      tile_failed(verify_text(op, "message", // (C1)
                              tile_assert_message(assertion))))
    return tile_failure();
  return tile_assert_one_thread(assertion) // (C2)
             ? tile_verify_outside_loop(op, "'one_thread'")
             : tile_success();
}

MlirLogicalResult tile_clock_verify(MlirOperation op) {
  if (tile_failed(tile_verify_op(op)))
    return tile_failure();
  return tile_verify_outside_loop(op, "a clock"); // (C1)
}
