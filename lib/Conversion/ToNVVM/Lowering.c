//===- Lowering.c - Types and errors of the lowering ----------------------===//

#include "Lowering.h"

#include "Support/Diagnostics.h"
#include "mlir-c/Dialect/LLVM.h"
#include <stdarg.h>

MlirType type_i1(Lowering *l) {
  return mlirIntegerTypeGet(tile_builder_context(&l->b), 1);
}

MlirType type_i32(Lowering *l) { return l->i32.type; }

MlirType type_i64(Lowering *l) { return l->i64.type; }

MlirType type_pointer(Lowering *l, unsigned address_space) {
  return mlirLLVMPointerTypeGet(tile_builder_context(&l->b), address_space);
}

MlirType type_stored(Lowering *l, MlirType element) {
  if (tile_elem_bits(element) == 8)
    return mlirIntegerTypeGet(tile_builder_context(&l->b), 8);
  return element;
}

void lower_fail(Lowering *l, MlirOperation op, const char *format, ...) {
  char message[512];
  va_list args;
  va_start(args, format);
  vsnprintf(message, sizeof message, format, args);
  va_end(args);
  l->result = tile_emit_error(op, "%s", message);
}

void lower_fail_internal(Lowering *l, MlirOperation op, const char *format,
                         ...) {
  char message[512];
  va_list args;
  va_start(args, format);
  vsnprintf(message, sizeof message, format, args);
  va_end(args);
  l->result = tile_emit_internal_error(op, "%s", message);
}
