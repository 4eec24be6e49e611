//===- AtomicUpdates.c - Updates of elements: red, atom, compare-and-swap -===//
//
// PTX ISA, "red" and "atom": at the scope of those who can see the memory. Bits
// of 8- and 16-bit integers are combined by a red of the word that holds them,
// with an operand that leaves its other bits alone. What the chip has neither
// for is a loop around compare-and-swap: extremes of floats, sums of bf16 on
// sm_80, sums and extremes of 8- and 16-bit integers, and what a program
// computes itself.
//
//          old = load(element)
//   again: next = f(old)
//          if next == old: done            // as if it had been swapped
//          found = cas(word, old, next)
//          if found == old: done
//          old = found; go to again
//
// PTX swaps 16, 32 and 64 bits (atom.cas.b16: sm_70; ptxas makes it of a swap
// of the word). A byte is swapped with the other bytes of the aligned word that
// holds it. They keep their values whoever owns them: a swap between which and
// the comparison one of them changed does not happen.
// (W1) The first load is of the element alone, and a swap always changes the
//      element, so that the other bytes are never accessed for their own sake;
//      the emulator relies on it.
// (W2) The other bytes may lie after the last element of a tensor, never
//      outside of memory: allocations start and end at multiples of 4 bytes.
//
//===----------------------------------------------------------------------===//

#include "Atomics.h"
#include "Conversion/ToNVVM/Reductions/Reductions.h"

#include "Dialect/ElementLoops.h"
#include "Support/Constants.h"
#include "Tile/Ops/cf.h"
#include "Tile/Ops/llvm.h"

enum { MAX_COUNT = 4, MAX_WORDS = 4, WORD_BYTES = 4 };

static bool is_global(const Update *update) {
  return update->dst->memory->space == TILE_SPACE_GLOBAL;
}

static MlirType type_address(Lowering *l, const Update *update) {
  return is_global(update) ? type_i64(l) : type_i32(l);
}

//===-- Orders ------------------------------------------------------------===//

// ".relaxed.gpu.global"
typedef struct {
  char chars[48];
} PlaceText;

// Where the element is, and who updates it at the same time.
static const char *space_text(const Update *update) {
  const Memory *memory = update->dst->memory;
  if (is_global(update))
    return update->order.is_system ? "sys.global" : "gpu.global";
  if (memory->space == TILE_SPACE_CLUSTER)
    return "cluster.shared::cluster";
  return memory->is_of_cluster ? "cluster.shared" : "cta.shared";
}

static PlaceText place_text(const Update *update) {
  const TileOrdering *order = &update->order;
  const char *text = order->acquires && order->releases ? "acq_rel"
                     : order->acquires                  ? "acquire"
                     : order->releases                  ? "release"
                                                        : "relaxed";
  PlaceText place;
  snprintf(place.chars, sizeof place.chars, ".%s.%s", text, space_text(update));
  return place;
}

//===-- Words -------------------------------------------------------------===//

/// The aligned word that holds neighbours, or has their size.
typedef struct {
  MlirValue pointer;
  MlirValue shift; // of the first neighbour, of the word's type; null: 0
  int64_t size_bytes;
} UpdateWord;

/// A word of at least `min_bytes` for `count` elements from `pointer` on.
static UpdateWord update_word(Lowering *l, const Update *update,
                              MlirValue pointer, int64_t count,
                              int64_t min_bytes) {
  int64_t size_bytes = count * tile_elem_bits(update->element) / 8;
  if (size_bytes >= min_bytes)
    return (UpdateWord){.pointer = pointer, .size_bytes = size_bytes};
  int address_bits = is_global(update) ? 64 : 32;
  MlirValue address =
      llvm_ptrtoint(&l->b, .type = type_address(l, update), .arg = pointer);
  MlirValue low = arith_andi(
      &l->b, address, tile_const_int(&l->b, min_bytes - 1, address_bits));
  MlirValue back = arith_subi(
      &l->b, .lhs = tile_const_int(&l->b, 0, address_bits), .rhs = low);
  int32_t dynamic = INT32_MIN; // LLVM dialect: the next dynamic index
  MlirValue start = llvm_getelementptr(
      &l->b, .type = mlirValueGetType(pointer), .base = pointer,
      .dynamicIndices = TILE_VALUES(back), .rawConstantIndices = {&dynamic, 1},
      .elem_type = type_bits(l, 1));
  MlirValue shift = arith_shli(&l->b, .lhs = low,
                               .rhs = tile_const_int(&l->b, 3, address_bits));
  if (8 * min_bytes != address_bits)
    shift = arith_trunci(&l->b, .type = type_bits(l, min_bytes), .in = shift);
  return (UpdateWord){start, shift, min_bytes};
}

static MlirValue widen(Lowering *l, const UpdateWord *place, MlirValue bits) {
  MlirValue wide =
      arith_extui(&l->b, .type = type_bits(l, place->size_bytes), .in = bits);
  return arith_shli(&l->b, .lhs = wide, .rhs = place->shift);
}

/// `word` with the bits of the neighbours replaced.
static MlirValue update_word_set(Lowering *l, const UpdateWord *place,
                                 MlirValue word, MlirValue bits) {
  if (!place->shift.ptr)
    return bits;
  int num_bits = (int)mlirIntegerTypeGetWidth(mlirValueGetType(bits));
  MlirValue ones = widen(l, place, tile_const_int(&l->b, -1, num_bits));
  MlirValue rest = arith_xori(
      &l->b, ones, tile_const_int(&l->b, -1, (int)(8 * place->size_bytes)));
  MlirValue kept = arith_andi(&l->b, word, rest);
  return arith_ori(&l->b, .lhs = kept, .rhs = widen(l, place, bits));
}

static MlirValue word_get(Lowering *l, const UpdateWord *place, MlirValue word,
                          MlirType bits) {
  if (!place->shift.ptr)
    return word;
  return arith_trunci(&l->b, .type = bits,
                      .in =
                          arith_shrui(&l->b, .lhs = word, .rhs = place->shift));
}

//===-- What follows ------------------------------------------------------===//

static MlirValue next_float(Lowering *l, const Update *update, MlirValue was,
                            MlirValue stored) {
  MlirType element = update->element;
  Combine how = {COMBINE_ADD, false, tile_accumulator_type(element, element)};
  if (update->kind != TILE_ATOMIC_KIND_Add)
    how.kind = update->kind == TILE_ATOMIC_KIND_Max ? COMBINE_MAX : COMBINE_MIN;
  MlirValue old = combine_take(l, &how, was, element);
  MlirValue result =
      combine(l, &how, old, combine_take(l, &how, stored, element));
  return combine_stored(l, &how, result, element);
}

// Of at most 16 bits, which sums wrap around.
static MlirValue next_integer(Lowering *l, const Update *update, MlirValue was,
                              MlirValue stored) {
  bool is_unsigned = update->is_unsigned;
  switch (update->kind) {
  case TILE_ATOMIC_KIND_Add:
    return arith_addi(&l->b, .lhs = was, .rhs = stored);
  case TILE_ATOMIC_KIND_Max:
    return is_unsigned ? arith_maxui(&l->b, was, stored)
                       : arith_maxsi(&l->b, was, stored);
  case TILE_ATOMIC_KIND_Min:
    return is_unsigned ? arith_minui(&l->b, was, stored)
                       : arith_minsi(&l->b, was, stored);
  case TILE_ATOMIC_KIND_And:
    return arith_andi(&l->b, was, stored);
  case TILE_ATOMIC_KIND_Or:
    return arith_ori(&l->b, .lhs = was, .rhs = stored);
  default:
    return arith_xori(&l->b, was, stored);
  }
}

static MlirValue is_equal(Lowering *l, MlirValue x, MlirValue y) {
  return arith_cmpi(&l->b, .predicate = ARITH_CMP_I_PREDICATE_eq, .lhs = x,
                    .rhs = y);
}

static MlirValue compare_bits(Lowering *l, const Update *update) {
  return bits_join(l, &update->compare, update->element, 1);
}

static MlirValue next_bits(Lowering *l, const Update *update, MlirValue old,
                           const MlirValue *stored, int64_t count) {
  MlirValue elems[MAX_COUNT];
  if (update->kind == TILE_ATOMIC_KIND_Exchange) {
    MlirValue next = bits_join(l, stored, update->element, 1);
    return update->compare.ptr
               ? arith_select(&l->b, is_equal(l, old, compare_bits(l, update)),
                              next, old)
               : next;
  }
  bits_split(l, old, update->element, count, elems);
  for (int64_t i = 0; i < count; i++)
    elems[i] = update->next ? update->next(l, update, elems[i])
               : tile_elem_is_float(update->element)
                   ? next_float(l, update, elems[i], stored[i])
                   : next_integer(l, update, elems[i], stored[i]);
  return bits_join(l, elems, update->element, count);
}

//===-- Compare and swap --------------------------------------------------===//

// LLVM's own swaps 16 bits as a part of a word.
static MlirValue emit_cas(Lowering *l, const Update *update,
                          const UpdateWord *place, MlirValue old,
                          MlirValue next) {
  int bits = (int)(8 * place->size_bytes);
  const char *value = bits == 16 ? "h" : bits == 32 ? "r" : "l";
  char text[96], constraints[24];
  snprintf(text, sizeof text, "atom%s.cas.b%d $0, [$1], $2, $3;",
           place_text(update).chars, bits);
  snprintf(constraints, sizeof constraints, "=%s,%s,%s,%s", value,
           is_global(update) ? "l" : "r", value, value);
  MlirValue operands[3] = {llvm_ptrtoint(&l->b, .type = type_address(l, update),
                                         .arg = place->pointer),
                           old, next};
  MlirOperation swap =
      llvm_inline_asm_op(&l->b, .type = type_bits(l, place->size_bytes),
                         .operands = {operands, 3}, .asm_string = text,
                         .constraints = constraints, .has_side_effects = true)
          .op;
  return mlirOperationGetResult(swap, 0);
}

// (W1)
static MlirValue load_first(Lowering *l, const Update *update,
                            const UpdateWord *place, MlirValue pointer,
                            MlirType bits) {
  int64_t size_bytes = mlirIntegerTypeGetWidth(bits) / 8;
  MlirValue first = llvm_load(
      &l->b, .type = bits, .addr = pointer, .alignment = TILE_SOME(size_bytes),
      .ordering = TILE_SOME(LLVM_ATOMIC_ORDERING_monotonic),
      .syncscope = update_scope(update));
  return place->shift.ptr ? widen(l, place, first) : first;
}

// Repeats until nobody came between; returns the bits that were there.
static MlirValue emit_swap(Lowering *l, MlirOperation anchor,
                           const Update *update, MlirValue pointer,
                           const MlirValue *stored, int64_t count) {
  int64_t part_bytes = count * tile_elem_bits(update->element) / 8;
  UpdateWord place = update_word(l, update, pointer, count,
                                 part_bytes == 1 ? WORD_BYTES : part_bytes);
  MlirType whole = type_bits(l, place.size_bytes);
  MlirType part = type_bits(l, part_bytes);
  MlirValue first = load_first(l, update, &place, pointer, part);
  MlirBlock before = mlirOperationGetBlock(anchor);
  MlirBlock after = mlirxSplitBlock(l->b.rw, anchor);
  MlirBlock again =
      mlirRewriterBaseCreateBlockBefore(l->b.rw, after, 1, &whole, &l->b.loc);
  MlirBlock swap =
      mlirRewriterBaseCreateBlockBefore(l->b.rw, after, 0, NULL, NULL);
  mlirRewriterBaseSetInsertionPointToEnd(l->b.rw, before);
  cf_br(&l->b, .destOperands = TILE_VALUES(first), .dest = again);

  mlirRewriterBaseSetInsertionPointToEnd(l->b.rw, again);
  MlirValue old = mlirBlockGetArgument(again, 0);
  MlirValue was = word_get(l, &place, old, part);
  MlirValue next = next_bits(l, update, was, stored, count);
  cf_cond_br(&l->b, .condition = is_equal(l, next, was), .trueDest = after,
             .falseDest = swap);

  mlirRewriterBaseSetInsertionPointToEnd(l->b.rw, swap);
  MlirValue found =
      emit_cas(l, update, &place, old, update_word_set(l, &place, old, next));
  cf_cond_br(&l->b, .condition = is_equal(l, found, old), .trueDest = after,
             .falseDestOperands = TILE_VALUES(found), .falseDest = again);
  mlirRewriterBaseSetInsertionPointBefore(l->b.rw, anchor);
  return was;
}

//===-- Entry -------------------------------------------------------------===//

/// As update_run and update_fetch.
static void swap_run(Lowering *l, const Update *update, MlirValue pointer,
                     const MlirValue *stored, int64_t count,
                     MlirValue predicate) {
  MlirOperation anchor = anchor_begin(l);
  if (!predicate.ptr) {
    emit_swap(l, anchor, update, pointer, stored, count);
    anchor_end(l, anchor);
    return;
  }
  IfBlocks blocks = if_begin(l, anchor, predicate);
  MlirOperation inner = anchor_begin(l);
  emit_swap(l, inner, update, pointer, stored, count);
  anchor_end(l, inner);
  if_end(l, anchor, blocks);
  anchor_end(l, anchor);
}

static MlirValue swap_fetch(Lowering *l, const Update *update,
                            MlirValue pointer, MlirValue stored) {
  MlirOperation anchor = anchor_begin(l);
  MlirValue before = emit_swap(l, anchor, update, pointer, &stored, 1);
  bits_split(l, before, update->element, 1, &before);
  anchor_end(l, anchor);
  return before;
}

//===-- What the hardware has ---------------------------------------------===//

// An update of elements as they are.
static bool has_red(const Lowering *l, const Update *update) {
  if (update->next)
    return false;
  if (!tile_elem_is_float(update->element))
    return tile_elem_bits(update->element) >= 32;
  if (update->kind != TILE_ATOMIC_KIND_Add)
    return false;
  return !mlirTypeIsABF16(update->element) || l->target->has_bf16_atomic;
}

// Smaller elements go together in words; vectors are of words of floats.
int64_t update_width(const Lowering *l, const Update *update, int64_t limit) {
  int bits = tile_elem_bits(update->element);
  if (bits > 32 || update->kind == TILE_ATOMIC_KIND_Exchange)
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

typedef struct {
  char chars[8];
} TypeText;

static TypeText type_text(const Update *update, int64_t count) {
  const TileDtypeInfo *info = tile_elem_info(update->element);
  TileAtomicKind kind = update->kind;
  TypeText text;
  if (tile_dtype_info_is_float(info)) {
    snprintf(text.chars, sizeof text.chars, "%s%s", info->ptx,
             info->bits == 16 && count > 1 ? "x2" : "");
    return text;
  }
  bool is_unsigned = kind == TILE_ATOMIC_KIND_Add ||
                     kind == TILE_ATOMIC_KIND_Inc || update->is_unsigned;
  bool is_number = kind == TILE_ATOMIC_KIND_Max || kind == TILE_ATOMIC_KIND_Min;
  snprintf(text.chars, sizeof text.chars, "%c%d",
           is_unsigned ? 'u'
           : is_number ? 's'
                       : 'b',
           info->bits);
  return text;
}

// "@$2 red.relaxed.gpu.global.add.v2.f32 [$0], {$1, $2};" with the predicate
// after the values.
static void red_text(const Update *update, int64_t count, int64_t num_values,
                     bool is_predicated, char *out, size_t capacity) {
  bool is_half = tile_elem_is_float(update->element) &&
                 tile_elem_bits(update->element) == 16;
  char guard[16] = "", vector[8] = "", values[32] = "$1";
  if (is_predicated)
    snprintf(guard, sizeof guard, "@$%d ", (int)num_values + 1);
  if (num_values > 1) {
    snprintf(vector, sizeof vector, ".v%d", (int)num_values);
    snprintf(values, sizeof values,
             num_values == 2 ? "{$1, $2}" : "{$1, $2, $3, $4}");
  }
  snprintf(out, capacity, "%sred%s.%s%s%s.%s [$0], %s;", guard,
           place_text(update).chars, TileAtomicKind_cases[update->kind].s,
           is_half ? ".noftz" : "", vector, type_text(update, count).chars,
           values);
}

// Several of 16 bits share a word.
static char value_class(MlirType element, int64_t count) {
  return count > 1 && tile_elem_bits(element) == 16 ? 'r'
                                                    : register_class(element);
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
                             ",%c", value_class(update->element, count));
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

static const char *kind_text(const Update *update) {
  return update->kind == TILE_ATOMIC_KIND_Exchange
             ? "exch"
             : TileAtomicKind_cases[update->kind].s;
}

static MlirValue emit_atom(Lowering *l, const Update *update, MlirValue pointer,
                           MlirValue stored) {
  bool is_global = update->dst->memory->space == TILE_SPACE_GLOBAL;
  bool is_half = tile_elem_bits(update->element) == 16;
  char value = value_class(update->element, 1);
  char text[128], constraints[32];
  snprintf(text, sizeof text, "atom%s.%s%s.%s $0, [$1], $2;",
           place_text(update).chars, kind_text(update), is_half ? ".noftz" : "",
           type_text(update, 1).chars);
  snprintf(constraints, sizeof constraints, "=%c,%s,%c", value,
           is_global ? "l" : "r", value);
  MlirValue address = llvm_ptrtoint(
      &l->b, .type = is_global ? type_i64(l) : type_i32(l), .arg = pointer);
  MlirValue operands[2] = {
      address, is_half ? bits_join(l, &stored, update->element, 1) : stored};
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

//===-- Exchanges, loads and stores ---------------------------------------===//

// Of 32 and 64 bits; smaller ones are swapped in a loop.
static MlirValue exchange_fetch(Lowering *l, const Update *update,
                                MlirValue pointer, MlirValue stored) {
  int64_t size_bytes = tile_elem_bits(update->element) / 8;
  MlirValue next = bits_join(l, &stored, update->element, 1), before;
  if (update->compare.ptr) {
    UpdateWord word = {.pointer = pointer, .size_bytes = size_bytes};
    before = emit_cas(l, update, &word, compare_bits(l, update), next);
  } else {
    Update bits = *update;
    bits.element = type_bits(l, size_bytes);
    before = emit_atom(l, &bits, pointer, next);
  }
  bits_split(l, before, update->element, 1, &before);
  return before;
}

static MlirValue load_fetch(Lowering *l, const Update *update,
                            MlirValue pointer) {
  int64_t size_bytes = tile_elem_bits(update->element) / 8;
  MlirValue value =
      llvm_load(&l->b, .type = type_bits(l, size_bytes), .addr = pointer,
                .alignment = TILE_SOME(size_bytes),
                .ordering = TILE_SOME(update->order.acquires
                                          ? LLVM_ATOMIC_ORDERING_acquire
                                          : LLVM_ATOMIC_ORDERING_monotonic),
                .syncscope = update_scope(update));
  bits_split(l, value, update->element, 1, &value);
  return value;
}

static void store_run(Lowering *l, const Update *update, MlirValue pointer,
                      MlirValue stored, MlirValue predicate) {
  MlirOperation anchor = anchor_begin(l);
  IfBlocks blocks;
  if (predicate.ptr)
    blocks = if_begin(l, anchor, predicate);
  llvm_store(&l->b, .value = bits_join(l, &stored, update->element, 1),
             .addr = pointer,
             .alignment = TILE_SOME(tile_elem_bits(update->element) / 8),
             .ordering = TILE_SOME(update->order.releases
                                       ? LLVM_ATOMIC_ORDERING_release
                                       : LLVM_ATOMIC_ORDERING_monotonic),
             .syncscope = update_scope(update));
  if (predicate.ptr)
    if_end(l, anchor, blocks);
  anchor_end(l, anchor);
}

static bool is_exchange(const Update *update) {
  return update->kind == TILE_ATOMIC_KIND_Exchange;
}

// No instruction of the hardware acquires without a result.
bool update_is_direct(const Lowering *l, const Update *update, bool has_old) {
  if (update->is_load)
    return true;
  if (update->order.acquires && !has_old)
    return false;
  if (is_exchange(update) && !has_old)
    return !update->compare.ptr;
  return is_exchange(update) ? tile_elem_bits(update->element) >= 32
                             : has_red(l, update);
}

MlirValue update_fetch(Lowering *l, const Update *update, MlirValue pointer,
                       MlirValue stored) {
  if (update->is_load)
    return load_fetch(l, update, pointer);
  if (!update_is_direct(l, update, true))
    return swap_fetch(l, update, pointer, stored);
  return is_exchange(update) ? exchange_fetch(l, update, pointer, stored)
                             : emit_atom(l, update, pointer, stored);
}

//===-- Entry -------------------------------------------------------------===//

void update_run(Lowering *l, const Update *update, MlirValue pointer,
                const MlirValue *stored, int64_t count, MlirValue predicate) {
  if (is_exchange(update) && !update->compare.ptr)
    store_run(l, update, pointer, *stored, predicate);
  else if (is_exchange(update))
    swap_run(l, update, pointer, stored, count, predicate);
  else if (has_red(l, update))
    emit_red(l, update, pointer, stored, count, predicate);
  else if (!update->next && tile_atomic_is_bitwise(update->kind))
    emit_bits_red(l, update, pointer, stored, count, predicate);
  else
    swap_run(l, update, pointer, stored, count, predicate);
}
