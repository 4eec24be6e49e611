//===- FloatMath.c - The type and the instructions of functions of floats -===//

#include "FloatMath.h"

#include "Tile/Ops/llvm.h"

FloatMath float_math_get(Lowering *l, bool is_double) {
  MlirContext context = tile_builder_context(&l->b);
  FloatMath m = {.l = l,
                 .b = &l->b,
                 .type = mlirF32TypeGet(context),
                 .word = type_i32(l),
                 .num_bits = 32,
                 .num_mantissa_bits = 23,
                 .bias = 127,
                 .least = 0x1p-126};
  if (is_double) {
    m.type = mlirF64TypeGet(context);
    m.word = type_i64(l);
    m.is_double = true;
    m.num_bits = 64;
    m.num_mantissa_bits = 52;
    m.bias = 1023;
    m.least = 0x1p-1022;
  }
  return m;
}

MlirValue approximate(const FloatMath *m, const char *instruction,
                      MlirValue x) {
  char text[64];
  snprintf(text, sizeof text, "%s.f32 $0, $1;", instruction);
  return mlirOperationGetResult(
      llvm_inline_asm_op(m->b, .type = m->type, .operands = {&x, 1},
                         .asm_string = text, .constraints = "=f,f")
          .op,
      0);
}

const FloatFunction *float_function_find(const FloatFunction *rows,
                                         size_t count, MlirOperation op) {
  for (size_t i = 0; i < count; i++)
    if (rows[i].is(op))
      return &rows[i];
  return NULL;
}
