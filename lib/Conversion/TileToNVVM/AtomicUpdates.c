//===- AtomicUpdates.c - red, and what it cannot do -----------------------===//
//
// PTX ISA, "red": relaxed, at the scope of those who can see the memory. What
// the chip has no red for becomes a loop around compare-and-swap.
//
//===----------------------------------------------------------------------===//

#include "Reductions.h"

#include "Tile/Ops/cf.h"
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

//===-- Compare and swap --------------------------------------------------===//

// Only floats come here: every integer update has a red.
static Combine combine_of_atomic(TileAtomicKind kind, MlirType element) {
  CombineKind combine = COMBINE_ADD;
  if (kind != TILE_ATOMIC_KIND_Add)
    combine = kind == TILE_ATOMIC_KIND_Max ? COMBINE_MAX : COMBINE_MIN;
  return (Combine){combine, false, tile_accumulator_type(element, element)};
}

// The bits that follow `old`.
static MlirValue next_bits(Lowering *l, const Update *update, MlirValue old,
                           MlirValue stored) {
  MlirType element = update->element;
  Combine how = combine_of_atomic(update->kind, element);
  MlirValue was;
  bits_split(l, old, element, 1, &was);
  MlirValue sum = combine(l, &how, combine_take(l, &how, was, element),
                          combine_take(l, &how, stored, element));
  MlirValue next = combine_stored(l, &how, sum, element);
  return bits_join(l, &next, element, 1);
}

// LLVM swaps 16 bits as a part of a word, which may reach beyond the tensor;
// the hardware swaps them alone (PTX ISA, atom.cas.b16: sm_70).
static MlirValue emit_cas(Lowering *l, const Update *update, MlirValue pointer,
                          MlirValue old, MlirValue next) {
  bool is_global = update->dst->memory->space == TILE_SPACE_GLOBAL;
  int bits = tile_elem_bits(update->element);
  const char *value = bits == 16 ? "h" : bits == 32 ? "r" : "l";
  char text[96], constraints[24];
  snprintf(text, sizeof text, "atom.relaxed.%s.cas.b%d $0, [$1], $2, $3;",
           is_global ? "gpu.global" : "cta.shared", bits);
  snprintf(constraints, sizeof constraints, "=%s,%s,%s,%s", value,
           is_global ? "l" : "r", value, value);
  MlirValue operands[3] = {
      llvm_ptrtoint(&l->b, .type = is_global ? type_i64(l) : type_i32(l),
                    .arg = pointer),
      old, next};
  MlirOperation swap =
      llvm_inline_asm_op(&l->b, .type = type_bits(l, bits / 8),
                         .operands = {operands, 3}, .asm_string = text,
                         .constraints = constraints, .has_side_effects = true)
          .op;
  return mlirOperationGetResult(swap, 0);
}

// Repeats until nobody came between; returns the bits that were there.
static MlirValue emit_swap(Lowering *l, MlirOperation anchor,
                           const Update *update, MlirValue pointer,
                           MlirValue stored) {
  bool is_global = update->dst->memory->space == TILE_SPACE_GLOBAL;
  const char *scope = is_global ? "device" : "block";
  int64_t size_bytes = tile_elem_bits(update->element) / 8;
  MlirType bits = type_bits(l, size_bytes);
  MlirValue first = llvm_load(
      &l->b, .type = bits, .addr = pointer, .alignment = TILE_SOME(size_bytes),
      .ordering = TILE_SOME(LLVM_ATOMIC_ORDERING_monotonic),
      .syncscope = scope);
  MlirBlock before = mlirOperationGetBlock(anchor);
  MlirBlock after = mlirxSplitBlock(l->b.rw, anchor);
  MlirBlock again =
      mlirRewriterBaseCreateBlockBefore(l->b.rw, after, 1, &bits, &l->b.loc);
  mlirRewriterBaseSetInsertionPointToEnd(l->b.rw, before);
  cf_br(&l->b, .destOperands = TILE_VALUES(first), .dest = again);
  mlirRewriterBaseSetInsertionPointToEnd(l->b.rw, again);
  MlirValue old = mlirBlockGetArgument(again, 0);
  MlirValue found =
      emit_cas(l, update, pointer, old, next_bits(l, update, old, stored));
  MlirValue done = arith_cmpi(&l->b, .predicate = ARITH_CMP_I_PREDICATE_eq,
                              .lhs = found, .rhs = old);
  cf_cond_br(&l->b, .condition = done, .trueDest = after,
             .falseDestOperands = TILE_VALUES(found), .falseDest = again);
  mlirRewriterBaseSetInsertionPointBefore(l->b.rw, anchor);
  return old;
}

static void emit_loop(Lowering *l, const Update *update, MlirValue pointer,
                      MlirValue stored, MlirValue predicate) {
  MlirOperation anchor = anchor_begin(l);
  if (!predicate.ptr) {
    emit_swap(l, anchor, update, pointer, stored);
    anchor_end(l, anchor);
    return;
  }
  IfBlocks blocks = if_begin(l, anchor, predicate);
  MlirOperation inner = anchor_begin(l);
  emit_swap(l, inner, update, pointer, stored);
  anchor_end(l, inner);
  if_end(l, anchor, blocks);
  anchor_end(l, anchor);
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
  if (has_red(l, update))
    return emit_atom(l, update, pointer, stored);
  MlirOperation anchor = anchor_begin(l);
  MlirValue before = emit_swap(l, anchor, update, pointer, stored);
  bits_split(l, before, update->element, 1, &before);
  anchor_end(l, anchor);
  return before;
}

//===-- Entry -------------------------------------------------------------===//

void update_run(Lowering *l, const Update *update, MlirValue pointer,
                const MlirValue *stored, int64_t count, MlirValue predicate) {
  if (has_red(l, update))
    emit_red(l, update, pointer, stored, count, predicate);
  else
    emit_loop(l, update, pointer, stored[0], predicate);
}
