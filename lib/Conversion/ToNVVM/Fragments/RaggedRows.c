//===- RaggedRows.c - Guarded stores of a row of registers ----------------===//
//
// A row of a fragment that may reach over the edge of a tensor: every element
// has its own condition. One block of assembly holds a row: column, comparison
// and predicated store per element. As separate ops the same code makes up most
// of a kernel, and most of the time that LLVM spends on it.
//
//===----------------------------------------------------------------------===//

#include "Fragments.h"

#include "Support/Constants.h"
#include "Support/StringBuilder.h"
#include "Tile/Ops/llvm.h"

enum { MAX_OTHERS = 5 };

static MlirValue element_operand(Lowering *l, MlirValue value) {
  MlirType type = mlirValueGetType(value);
  MlirType i16 = mlirIntegerTypeGet(tile_builder_context(&l->b), 16);
  if (tile_elem_bits(type) == 8)
    return arith_extui(&l->b, .type = i16, .in = value);
  if (tile_elem_bits(type) == 16 && !mlirTypeIsAInteger(type))
    return llvm_bitcast(&l->b, i16, value);
  return value;
}

// Operands: the elements, then pointer, column, extent, the condition of the
// row when there is one, and the cache policy.
static void row_text(const RaggedRow *row, int bits, bool has_policy,
                     TileString *text) {
  int pointer = row->count, column = pointer + 1, extent = pointer + 2,
      condition = pointer + 3;
  char policy[16] = "";
  if (has_policy)
    snprintf(policy, sizeof policy, ", $%d",
             row->inside.ptr ? condition + 1 : condition);
  tile_string_print(text, "{\n.reg .pred p;\n.reg .b32 c;\n");
  for (int i = 0; i < row->count; i++) {
    tile_string_print(text, "add.u32 c, $%d, %lld;\n", column,
                      (long long)row->elems[i].delta);
    if (row->inside.ptr)
      tile_string_print(text, "setp.lt.and.u32 p, c, $%d, $%d;\n", extent,
                        condition);
    else
      tile_string_print(text, "setp.lt.u32 p, c, $%d;\n", extent);
    tile_string_print(text, "@p st.global%s.b%d [$%d+%lld], $%d%s;\n",
                      has_policy ? ".L2::cache_hint" : "", bits, pointer,
                      (long long)row->elems[i].delta * bits / 8, i, policy);
  }
  tile_string_print(text, "}");
}

void store_ragged_row(Lowering *l, const RaggedRow *row) {
  int bits = tile_elem_bits(mlirValueGetType(row->elems[0].value));
  size_t count = (size_t)row->count;
  TileString text = {0}, constraints = {0};
  MlirValue *operands = TILE_ARENA_NEW(l->arena, MlirValue, count + MAX_OTHERS);
  intptr_t n = 0;
  for (int i = 0; i < row->count; i++) {
    tile_string_print(&constraints, "%c,",
                      register_class(mlirValueGetType(row->elems[i].value)));
    operands[n++] = element_operand(l, row->elems[i].value);
  }
  operands[n++] =
      llvm_ptrtoint(&l->b, .type = type_i64(l), .arg = row->pointer);
  operands[n++] = tile_int_get(&l->i32, row->column);
  operands[n++] = tile_int_get(&l->i32, row->extent);
  tile_string_print(&constraints, row->inside.ptr ? "l,r,r,b" : "l,r,r");
  if (row->inside.ptr)
    operands[n++] = row->inside;
  if (l->policy.ptr) {
    tile_string_print(&constraints, ",l");
    operands[n++] = l->policy;
  }
  row_text(row, bits, l->policy.ptr != NULL, &text);
  llvm_inline_asm_op(
      &l->b, .operands = {operands, n}, .asm_string = tile_string_text(&text),
      .constraints = tile_string_text(&constraints), .has_side_effects = true);
  tile_string_deinit(&text);
  tile_string_deinit(&constraints);
}
