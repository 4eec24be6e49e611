//===- Float8Products.c - mma of 8-bit floats -----------------------------===//
//
// In assembly: nvvm.mma.sync has no types for them. Chips without the
// instruction, and those whose assembler makes products of f16 of it, multiply
// f16, which hold every 8-bit float exactly. The sum over K does not ask which
// product comes first, so that the lower bytes of the words of A and B make one
// product of 16 along K and the upper ones another:
//
//   word of A, B   k k+1 k+2 k+3      (k = 4 * lane within its group of four)
//   f16 words      lower, upper       first product: words 0, 1 of A, 0 of B
//                                     second one: words 2, 3 of A, 1 of B
//
//===----------------------------------------------------------------------===//

#include "Conversion/ToNVVM/Math/SmallFloats.h"
#include "MmaOperands.h"

#include "Support/StringBuilder.h"
#include "Tile/Ops/llvm.h"
#include "Tile/Ops/nvvm.h"
#include "mlir-c/Dialect/LLVM.h"

enum { C_WORDS = 4, A_WORDS = 4, MAX_OPERANDS = 13 };

static void add_words(TileString *text, int first, int count) {
  for (int i = 0; i < count; i++)
    tile_string_print(text, "%s$%d", i ? ", " : "{", first + i);
  tile_string_print(text, "}");
}

static MlirValue native(Lowering *l, const Float8Product *product) {
  bool is_sparse = product->metadata.ptr != NULL;
  int b_words = is_sparse ? 4 : 2, a = C_WORDS, b = a + A_WORDS,
      c = b + b_words, count = 0;
  MlirValue operands[MAX_OPERANDS];
  TileString text = {0}, constraints = {0};
  tile_string_print(&text, "mma%s.sync.aligned.m16n8k%d.row.col.f32.%s.%s.f32 ",
                    is_sparse ? ".sp" : "", is_sparse ? 64 : 32,
                    tile_elem_info(product->format_a)->factor,
                    tile_elem_info(product->format_b)->factor);
  add_words(&text, 0, C_WORDS);
  tile_string_print(&text, ", ");
  add_words(&text, a, A_WORDS);
  tile_string_print(&text, ", ");
  add_words(&text, b, b_words);
  tile_string_print(&text, ", ");
  add_words(&text, c, C_WORDS);
  if (is_sparse)
    tile_string_print(&text, ", $%d, 0x0", c + C_WORDS);
  tile_string_print(&text, ";");
  for (int i = 0; i < A_WORDS; i++)
    operands[count++] = product->a[i];
  for (int i = 0; i < b_words; i++)
    operands[count++] = product->b[i];
  int num_words = count;
  for (int i = 0; i < C_WORDS; i++)
    operands[count++] = product->c[i];
  if (is_sparse)
    operands[count++] = product->metadata;
  tile_string_print(&constraints, "=f,=f,=f,=f");
  for (int i = 0; i < count; i++)
    tile_string_print(&constraints, ",%s",
                      i < num_words || i >= num_words + C_WORDS ? "r" : "f");
  MlirOperation op =
      llvm_inline_asm_op(&l->b, .type = product->result,
                         .operands = {operands, count},
                         .asm_string = tile_string_text(&text),
                         .constraints = tile_string_text(&constraints))
          .op;
  tile_string_deinit(&text);
  tile_string_deinit(&constraints);
  return mlirOperationGetResult(op, 0);
}

// Words of two f16, as nvvm.mma.sync takes them.
static void widen(Lowering *l, MlirValue four, MlirType from, MlirValue *lower,
                  MlirValue *upper) {
  int64_t two = 2;
  MlirType pair =
      mlirVectorTypeGet(1, &two, mlirF16TypeGet(tile_builder_context(&l->b)));
  MlirValue halves[2];
  float8_widen_word(l, four, from, halves);
  *lower = llvm_bitcast(&l->b, pair, halves[0]);
  *upper = llvm_bitcast(&l->b, pair, halves[1]);
}

static MlirValue by_f16(Lowering *l, const Float8Product *product) {
  MlirValue result = {NULL}, c[C_WORDS];
  for (int i = 0; i < product->num_c; i++)
    c[i] = product->c[i];
  for (int half = 0; half < 2; half++) {
    MlirValue a[A_WORDS], b[2];
    for (int row = 0; row < 2; row++)
      widen(l, product->a[2 * half + row], product->format_a, &a[row],
            &a[2 + row]);
    widen(l, product->b[half], product->format_b, &b[0], &b[1]);
    result = nvvm_mma_sync(
        &l->b, .type = product->result,
        .shape = mlirAttributeParseGet(
            tile_builder_context(&l->b),
            TILE_STR("#nvvm.shape<m = 16, n = 8, k = 16>")),
        .layoutA = NVVM_MMA_LAYOUT_row, .layoutB = NVVM_MMA_LAYOUT_col,
        .multiplicandAPtxType = TILE_SOME(NVVM_MMA_TYPES_f16),
        .multiplicandBPtxType = TILE_SOME(NVVM_MMA_TYPES_f16),
        .operandA = {a, A_WORDS}, .operandB = {b, 2},
        .operandC = {c, product->num_c});
    for (int64_t i = 0; i < product->num_c; i++)
      c[i] = llvm_extractvalue(&l->b, .type = mlirValueGetType(c[i]),
                               .container = result, .position = {&i, 1});
  }
  return result;
}

MlirValue float8_multiply(Lowering *l, const Float8Product *product) {
  bool is_f32 = product->num_c == C_WORDS;
  return product->metadata.ptr || (l->target->has_fast_mma_f8 && is_f32)
             ? native(l, product)
             : by_f16(l, product);
}
