//===- Lowering.c - Types and errors of the lowering ----------------------===//

#include "Lowering.h"

#include "Tile/Ops/llvm.h"

#include "Support/Diagnostics.h"
#include "mlir-c/Dialect/LLVM.h"
#include <stdarg.h>

MlirType type_i1(Lowering *l) {
  return mlirIntegerTypeGet(tile_builder_context(&l->b), 1);
}

MlirType type_i32(Lowering *l) { return l->i32.type; }

MlirType type_int(Lowering *l, int64_t bits) {
  return mlirIntegerTypeGet(tile_builder_context(&l->b), (unsigned)bits);
}

MlirType type_i64(Lowering *l) { return l->i64.type; }

MlirType type_pointer(Lowering *l, unsigned address_space) {
  return mlirLLVMPointerTypeGet(tile_builder_context(&l->b), address_space);
}

MlirType type_stored(Lowering *l, MlirType element) {
  if (tile_elem_bits(element) == 8)
    return mlirIntegerTypeGet(tile_builder_context(&l->b), 8);
  return element;
}

char register_class(MlirType type) {
  if (mlirTypeIsAF32(type))
    return 'f';
  if (mlirTypeIsAF64(type))
    return 'd';
  switch (tile_elem_bits(type)) {
  case 32:
    return 'r';
  case 64:
    return 'l';
  default:
    return 'h';
  }
}

MlirValue value_pinned(Lowering *l, MlirValue value) {
  enum { LEAST_BITS = 16 };
  MlirType type = mlirValueGetType(value);
  if ((!mlirTypeIsAFloat(type) && !mlirTypeIsAInteger(type)) ||
      tile_elem_bits(type) < LEAST_BITS)
    return value;
  char constraints[] = {'=', register_class(type), ',', '0', '\0'};
  return mlirOperationGetResult(
      llvm_inline_asm_op(&l->b, .type = type, .operands = {&value, 1},
                         .asm_string = "", .has_side_effects = true,
                         .constraints = constraints)
          .op,
      0);
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
