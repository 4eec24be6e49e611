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

MlirType type_i64(Lowering *l) { return l->i64.type; }

MlirType type_pointer(Lowering *l, unsigned address_space) {
  return mlirLLVMPointerTypeGet(tile_builder_context(&l->b), address_space);
}

MlirType type_stored(Lowering *l, MlirType element) {
  if (tile_elem_bits(element) == 8)
    return mlirIntegerTypeGet(tile_builder_context(&l->b), 8);
  return element;
}

static const char *register_constraints(MlirType type) {
  if (mlirTypeIsAF64(type))
    return "=d,0";
  if (mlirTypeIsAF32(type))
    return "=f,0";
  if (mlirTypeIsAF16(type) || mlirTypeIsABF16(type))
    return "=h,0";
  if (!mlirTypeIsAInteger(type))
    return NULL;
  unsigned bits = mlirIntegerTypeGetWidth(type);
  return bits == 64 ? "=l,0" : bits == 32 ? "=r,0" : bits == 16 ? "=h,0" : NULL;
}

MlirValue value_pinned(Lowering *l, MlirValue value) {
  MlirType type = mlirValueGetType(value);
  const char *constraints = register_constraints(type);
  return constraints
             ? mlirOperationGetResult(
                   llvm_inline_asm_op(&l->b, .type = type,
                                      .operands = {&value, 1}, .asm_string = "",
                                      .has_side_effects = true,
                                      .constraints = constraints)
                       .op,
                   0)
             : value;
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
