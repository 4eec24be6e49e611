//===- AtomicUpdates.c - red, and what it cannot do -----------------------===//
//
// PTX ISA, "red": relaxed, at the scope of those who can see the memory. What
// the chip has no red for becomes a loop around compare-and-swap, which LLVM
// writes.
//
//===----------------------------------------------------------------------===//

#include "Reductions.h"

#include "Tile/Ops/llvm.h"
#include "Tile/Support/Constants.h"

enum { MAX_WORDS = 4, WORD_BYTES = 4 };

//===-- What the hardware has ---------------------------------------------===//

static bool has_red(const Lowering *l, const Update *update) {
  if (!tile_elem_is_float(update->element))
    return true;
  if (update->kind != TILE_ATOMIC_KIND_Add)
    return false;
  return !mlirTypeIsABF16(update->element) || l->target->has_bf16_atomic;
}

// Pairs of 16-bit floats are one word; vectors are of words.
int64_t update_width(const Lowering *l, const Update *update, int64_t limit) {
  int bits = tile_elem_bits(update->element);
  if (!has_red(l, update) || !tile_elem_is_float(update->element) || bits > 32)
    return 1;
  bool is_global = update->dst->memory->space == TILE_SPACE_GLOBAL;
  int64_t per_word = 32 / bits;
  int64_t words = l->target->has_vector_red && is_global ? MAX_WORDS : 1;
  int64_t width = words * per_word;
  while (width > limit)
    width /= 2;
  return width;
}

//===-- red ---------------------------------------------------------------===//

static const char *type_text(MlirType element, TileAtomicKind kind,
                             int64_t count) {
  int bits = tile_elem_bits(element);
  if (mlirTypeIsAF16(element))
    return count > 1 ? "f16x2" : "f16";
  if (mlirTypeIsABF16(element))
    return count > 1 ? "bf16x2" : "bf16";
  if (tile_elem_is_float(element))
    return bits == 32 ? "f32" : "f64";
  if (kind == TILE_ATOMIC_KIND_Add)
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
           is_global ? "gpu.global." : "cta.shared.",
           TileAtomicKind_cases[update->kind].s, is_half ? ".noftz" : "",
           vector, type_text(update->element, update->kind, count), values);
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

//===-- Compare and swap --------------------------------------------------===//

// Only floats come here: every integer update has a red.
static LLVMAtomicBinOp loop_kind(TileAtomicKind kind) {
  if (kind == TILE_ATOMIC_KIND_Max)
    return LLVM_ATOMIC_BIN_OP_fmaximum;
  return kind == TILE_ATOMIC_KIND_Min ? LLVM_ATOMIC_BIN_OP_fminimum
                                      : LLVM_ATOMIC_BIN_OP_fadd;
}

static void emit_loop(Lowering *l, const Update *update, MlirValue pointer,
                      MlirValue stored, MlirValue predicate) {
  bool is_global = update->dst->memory->space == TILE_SPACE_GLOBAL;
  MlirOperation anchor = anchor_begin(l);
  IfBlocks blocks = {{NULL}, {NULL}};
  if (predicate.ptr)
    blocks = if_begin(l, anchor, predicate);
  llvm_atomicrmw(&l->b, .bin_op = loop_kind(update->kind), .ptr = pointer,
                 .val = stored, .ordering = LLVM_ATOMIC_ORDERING_monotonic,
                 .syncscope = is_global ? "device" : "block");
  if (predicate.ptr)
    if_end(l, anchor, blocks);
  anchor_end(l, anchor);
}

//===-- Entry -------------------------------------------------------------===//

void update_run(Lowering *l, const Update *update, MlirValue pointer,
                const MlirValue *stored, int64_t count, MlirValue predicate) {
  if (has_red(l, update))
    emit_red(l, update, pointer, stored, count, predicate);
  else
    emit_loop(l, update, pointer, stored[0], predicate);
}
