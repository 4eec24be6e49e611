//===- AtomicUpdates.c - red, and what it cannot do -----------------------===//
//
// PTX ISA, "red": relaxed, at the scope of those who can see the memory. What
// the chip has no red for becomes a loop around compare-and-swap
// (AtomicSwaps.c). Bits of 8- and 16-bit integers are combined by a red of the
// word that holds them, with an operand that leaves its other bits alone.
//
//===----------------------------------------------------------------------===//

#include "Conversion/ToNVVM/Reductions/Reductions.h"

#include "Dialect/ElementLoops.h"
#include "Support/Constants.h"
#include "Tile/Ops/llvm.h"

enum { MAX_WORDS = 4, WORD_BYTES = 4 };

//===-- What the hardware has ---------------------------------------------===//

// An update of elements as they are.
static bool has_red(const Lowering *l, const Update *update) {
  if (!tile_elem_is_float(update->element))
    return tile_elem_bits(update->element) >= 32;
  if (update->kind != TILE_ATOMIC_KIND_Add)
    return false;
  return !mlirTypeIsABF16(update->element) || l->target->has_bf16_atomic;
}

// Smaller elements go together in words; vectors are of words of floats.
int64_t update_width(const Lowering *l, const Update *update, int64_t limit) {
  int bits = tile_elem_bits(update->element);
  if (bits > 32)
    return 1;
  bool is_global = update->dst->memory->space == TILE_SPACE_GLOBAL;
  bool has_vectors = l->target->has_vector_red && is_global &&
                     has_red(l, update) && tile_elem_is_float(update->element);
  int64_t per_word = 32 / bits;
  int64_t words = has_vectors ? MAX_WORDS : 1;
  int64_t width = words * per_word;
  while (width > limit)
    width /= 2;
  return width;
}

//===-- red ---------------------------------------------------------------===//

static const char *type_text(const Update *update, int64_t count) {
  MlirType element = update->element;
  TileAtomicKind kind = update->kind;
  int bits = tile_elem_bits(element);
  if (mlirTypeIsAF16(element))
    return count > 1 ? "f16x2" : "f16";
  if (mlirTypeIsABF16(element))
    return count > 1 ? "bf16x2" : "bf16";
  if (tile_elem_is_float(element))
    return bits == 32 ? "f32" : "f64";
  if (kind == TILE_ATOMIC_KIND_Add || update->is_unsigned)
    return bits == 32 ? "u32" : "u64";
  if (kind == TILE_ATOMIC_KIND_Max || kind == TILE_ATOMIC_KIND_Min)
    return bits == 32 ? "s32" : "s64";
  return bits == 32 ? "b32" : "b64";
}

// "@$2 red.relaxed.gpu.global.add.v2.f32 [$0], {$1, $2};" with the predicate
// behind the values.
static void red_text(const Update *update, int64_t count, int64_t num_values,
                     bool is_predicated, char *out, size_t capacity) {
  bool is_half = tile_elem_is_float(update->element) &&
                 tile_elem_bits(update->element) == 16;
  bool is_global = update->dst->memory->space == TILE_SPACE_GLOBAL;
  char guard[16] = "", vector[8] = "", values[32] = "$1";
  if (is_predicated)
    snprintf(guard, sizeof guard, "@$%d ", (int)num_values + 1);
  if (num_values > 1) {
    snprintf(vector, sizeof vector, ".v%d", (int)num_values);
    snprintf(values, sizeof values,
             num_values == 2 ? "{$1, $2}" : "{$1, $2, $3, $4}");
  }
  snprintf(out, capacity, "%sred.relaxed.%s.%s%s%s.%s [$0], %s;", guard,
           is_global ? "gpu.global" : "cta.shared",
           TileAtomicKind_cases[update->kind].s, is_half ? ".noftz" : "",
           vector, type_text(update, count), values);
}

static const char *value_constraint(MlirType element, int64_t count) {
  int bits = tile_elem_bits(element);
  if (bits == 16)
    return count > 1 ? "r" : "h";
  if (mlirTypeIsAF32(element))
    return "f";
  if (mlirTypeIsAF64(element))
    return "d";
  return bits == 32 ? "r" : "l";
}

static void emit_red(Lowering *l, const Update *update, MlirValue pointer,
                     const MlirValue *stored, int64_t count,
                     MlirValue predicate) {
  bool is_half = tile_elem_bits(update->element) == 16;
  int64_t per_value = is_half && count > 1 ? 2 : 1;
  int64_t num_values = count / per_value;
  bool is_global = update->dst->memory->space == TILE_SPACE_GLOBAL;
  char text[128], constraints[32];
  MlirValue operands[MAX_WORDS + 2];
  intptr_t n = 0;
  operands[n++] = llvm_ptrtoint(
      &l->b, .type = is_global ? type_i64(l) : type_i32(l), .arg = pointer);
  size_t used = (size_t)snprintf(constraints, sizeof constraints, "%s",
                                 is_global ? "l" : "r");
  for (int64_t i = 0; i < num_values; i++) {
    operands[n++] = is_half ? bits_join(l, &stored[i * per_value],
                                        update->element, per_value)
                            : stored[i];
    used += (size_t)snprintf(constraints + used, sizeof constraints - used,
                             ",%s", value_constraint(update->element, count));
  }
  if (predicate.ptr) {
    operands[n++] = predicate;
    snprintf(constraints + used, sizeof constraints - used, ",b");
  }
  red_text(update, count, num_values, predicate.ptr != NULL, text, sizeof text);
  llvm_inline_asm_op(&l->b, .operands = {operands, n}, .asm_string = text,
                     .constraints = constraints, .has_side_effects = true);
}

// The bits of `count` neighbours that are smaller than a word, or fill one.
static void emit_bits_red(Lowering *l, const Update *update, MlirValue pointer,
                          const MlirValue *stored, int64_t count,
                          MlirValue predicate) {
  UpdateWord word = update_word(l, update, pointer, count, WORD_BYTES);
  MlirValue bits = bits_join(l, stored, update->element, count);
  bool is_and = update->kind == TILE_ATOMIC_KIND_And;
  MlirValue rest = tile_const_int(&l->b, is_and ? -1 : 0, 8 * WORD_BYTES);
  MlirValue operand = update_word_set(l, &word, rest, bits);
  Update whole = *update;
  whole.element = type_i32(l);
  emit_red(l, &whole, word.pointer, &operand, 1, predicate);
}

//===-- The value before --------------------------------------------------===//

static MlirValue emit_atom(Lowering *l, const Update *update, MlirValue pointer,
                           MlirValue stored) {
  bool is_global = update->dst->memory->space == TILE_SPACE_GLOBAL;
  bool is_half = tile_elem_bits(update->element) == 16;
  const char *value = value_constraint(update->element, 1);
  char text[128], constraints[32];
  snprintf(text, sizeof text, "atom.relaxed.%s.%s%s.%s $0, [$1], $2;",
           is_global ? "gpu.global" : "cta.shared",
           TileAtomicKind_cases[update->kind].s, is_half ? ".noftz" : "",
           type_text(update, 1));
  snprintf(constraints, sizeof constraints, "=%s,%s,%s", value,
           is_global ? "l" : "r", value);
  MlirValue operands[2] = {
      llvm_ptrtoint(&l->b, .type = is_global ? type_i64(l) : type_i32(l),
                    .arg = pointer),
      is_half ? bits_join(l, &stored, update->element, 1) : stored};
  MlirOperation atom =
      llvm_inline_asm_op(
          &l->b, .type = is_half ? type_bits(l, 2) : mlirValueGetType(stored),
          .operands = {operands, 2}, .asm_string = text,
          .constraints = constraints, .has_side_effects = true)
          .op;
  MlirValue before = mlirOperationGetResult(atom, 0);
  if (is_half)
    bits_split(l, before, update->element, 1, &before);
  return before;
}

MlirValue update_fetch(Lowering *l, const Update *update, MlirValue pointer,
                       MlirValue stored) {
  return has_red(l, update) ? emit_atom(l, update, pointer, stored)
                            : swap_fetch(l, update, pointer, stored);
}

//===-- Entry -------------------------------------------------------------===//

void update_run(Lowering *l, const Update *update, MlirValue pointer,
                const MlirValue *stored, int64_t count, MlirValue predicate) {
  if (has_red(l, update))
    emit_red(l, update, pointer, stored, count, predicate);
  else if (tile_atomic_is_bitwise(update->kind))
    emit_bits_red(l, update, pointer, stored, count, predicate);
  else
    swap_run(l, update, pointer, stored, count, predicate);
}
