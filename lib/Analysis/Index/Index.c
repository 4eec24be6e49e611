//===- Index.c - Indices as interned sums ---------------------------------===//
//
// An index is a constant and a sum of symbols with factors: values that nothing
// is said of here, such as counters, block ids and arguments. What is left of a
// division, or of a slot of a ring that follows another one, is a symbol too,
// of which a sum is known up to a multiple of a modulus.
//
// Counters are taken not to overflow: indices have 32 bits in the end.
//
//===----------------------------------------------------------------------===//

#include "Index.h"

#include "Support/Arithmetic.h"
#include "Tile/Ops/arith.h"
#include "Tile/Ops/scf.h"

// Index arithmetic is shallow; deeper chains count as symbols.
enum { MAX_DEPTH = 64 };
#define MAX_FACTOR ((int64_t)1 << 31)

static bool is_large(int64_t x) { return x >= MAX_FACTOR || x <= -MAX_FACTOR; }

//===-- Sums that are being made ------------------------------------------===//

typedef struct {
  TileIndexTerm terms[TILE_INDEX_MAX_TERMS];
  int num_terms;
  int64_t constant, modulus; // as of TileIndex
  bool fits;                 // else it is not known
  bool is_cut;               // terms were too many: only a divisor is left
} Sum;

static void sum_blur(Sum *sum, int64_t modulus) {
  sum->modulus = tile_gcd(sum->modulus, modulus);
}

static void sum_add_term(Sum *sum, const TileIndexSymbol *symbol,
                         int64_t factor) {
  int i = 0;
  sum->fits &= !is_large(factor);
  while (i < sum->num_terms && sum->terms[i].symbol->number < symbol->number)
    i++;
  bool is_there = i < sum->num_terms && sum->terms[i].symbol == symbol;
  if (!is_there && sum->num_terms == TILE_INDEX_MAX_TERMS) {
    sum_blur(sum, factor);
    sum->is_cut = true;
    return;
  }
  if (!is_there) {
    for (int k = sum->num_terms++; k > i; k--)
      sum->terms[k] = sum->terms[k - 1];
    sum->terms[i] = (TileIndexTerm){symbol, 0};
  }
  sum->terms[i].factor += factor;
  if (sum->terms[i].factor)
    return;
  sum->num_terms--;
  for (int k = i; k < sum->num_terms; k++)
    sum->terms[k] = sum->terms[k + 1];
}

static void sum_add(Sum *sum, const TileIndex *index, int64_t factor) {
  sum->fits &= !is_large(factor) && !is_large(sum->constant) &&
               !is_large(index->constant) && !is_large(index->modulus);
  for (int i = 0; i < index->num_terms; i++)
    sum->fits &= !is_large(index->terms[i].factor);
  if (!sum->fits)
    return;
  sum->constant += factor * index->constant;
  sum_blur(sum, factor * index->modulus);
  for (int i = 0; i < index->num_terms; i++)
    sum_add_term(sum, index->terms[i].symbol, factor * index->terms[i].factor);
}

//===-- The table ---------------------------------------------------------===//

void tile_indices_init(TileIndices *x, TileArena *arena) {
  *x = (TileIndices){.arena = arena,
                     .keys = {.arena = arena},
                     .symbols = {.arena = arena},
                     .of_value = {.arena = arena}};
}

static uint64_t hash_of(const Sum *sum) {
  uint64_t hash = tile_hash_word(TILE_HASH_START, (uint64_t)sum->constant);
  hash = tile_hash_word(hash, (uint64_t)sum->modulus);
  for (int i = 0; i < sum->num_terms; i++) {
    hash = tile_hash_word(hash, (uint64_t)sum->terms[i].symbol->number);
    hash = tile_hash_word(hash, (uint64_t)sum->terms[i].factor);
  }
  return hash;
}

static bool is_interned(const TileIndex *index, const Sum *sum) {
  if (index->constant != sum->constant || index->modulus != sum->modulus ||
      index->num_terms != sum->num_terms)
    return false;
  for (int i = 0; i < sum->num_terms; i++)
    if (index->terms[i].symbol != sum->terms[i].symbol ||
        index->terms[i].factor != sum->terms[i].factor)
      return false;
  return true;
}

static const TileIndex *intern(TileIndices *x, const Sum *sum) {
  static const Sum unknown = {.modulus = 1, .fits = true};
  if (!sum->fits)
    sum = &unknown;
  TileKeySearch search = tile_key_search(&x->keys, hash_of(sum));
  while (tile_key_next(&search))
    if (is_interned(x->indices[search.index], sum))
      return x->indices[search.index];
  TileIndex *made = TILE_ARENA_NEW(x->arena, TileIndex, 1);
  TileIndexTerm *terms =
      TILE_ARENA_NEW(x->arena, TileIndexTerm, sum->num_terms + 1);
  for (int i = 0; i < sum->num_terms; i++)
    terms[i] = sum->terms[i];
  *made = (TileIndex){.terms = terms,
                      .num_terms = sum->num_terms,
                      .constant = sum->constant,
                      .modulus = sum->modulus};
  TILE_ARENA_RESERVE(x->arena, x->indices, x->keys.count, x->capacity);
  x->indices[tile_key_add(&search)] = made;
  return made;
}

// Whether what is in the regions of `op` may run several times.
static bool repeats_regions(MlirOperation op) {
  return mlirOperationGetNumRegions(op) > 0 && !scf_if_is(op) &&
         !tile_specialize_is(op) && !tile_role_is(op);
}

// The innermost op whose rounds have values of their own of this; null: the
// kernel has one.
static MlirOperation rounds_of_value(MlirValue value) {
  MlirOperation op =
      mlirValueIsABlockArgument(value)
          ? mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(value))
          : mlirOperationGetParentOperation(mlirOpResultGetOwner(value));
  for (; !mlirOperationIsNull(op) && !tile_kernel_is(op);
       op = mlirOperationGetParentOperation(op))
    if (repeats_regions(op))
      return op;
  return TILE_NULL_OP;
}

static TileIndexSymbol *symbol_of(TileIndices *x, MlirValue value) {
  TileIndexSymbol *symbol = tile_pointer_map_get(&x->symbols, value.ptr);
  if (symbol)
    return symbol;
  symbol = TILE_ARENA_NEW(x->arena, TileIndexSymbol, 1);
  *symbol = (TileIndexSymbol){.value = value,
                              .number = x->num_symbols++,
                              .home = rounds_of_value(value)};
  tile_pointer_map_set(&x->symbols, value.ptr, symbol);
  return symbol;
}

static const TileIndex *intern_constant(TileIndices *x, int64_t constant) {
  Sum sum = {.constant = constant, .fits = true};
  return intern(x, &sum);
}

static const TileIndex *intern_symbol(TileIndices *x, MlirValue value) {
  Sum sum = {.fits = true};
  sum_add_term(&sum, symbol_of(x, value), 1);
  return intern(x, &sum);
}

//===-- Sums of the program -----------------------------------------------===//

static const TileIndex *form_of(TileIndices *x, MlirValue value, int depth);

// a + factor * b, if it is a sum that is known.
static bool add(TileIndices *x, const TileIndex *a, const TileIndex *b,
                int64_t factor, const TileIndex **out) {
  Sum sum = {.fits = true};
  sum_add(&sum, a, 1);
  sum_add(&sum, b, factor);
  if (!sum.fits || sum.is_cut)
    return false;
  *out = intern(x, &sum);
  return true;
}

static bool scale(TileIndices *x, const TileIndex *a, int64_t factor,
                  const TileIndex **out) {
  return add(x, intern_constant(x, 0), a, factor, out);
}

static bool product_form(TileIndices *x, const TileIndex *a, const TileIndex *b,
                         const TileIndex **out) {
  if (b->num_terms == 0)
    return scale(x, a, b->constant, out);
  return a->num_terms == 0 && scale(x, b, a->constant, out);
}

static bool keeps_number(MlirOperation op) {
  bool is_unsigned = arith_index_castui_is(op) || arith_extui_is(op);
  return arith_index_cast_is(op) || arith_extsi_is(op) ||
         (is_unsigned && tile_index_is_natural(
                             tile_int_value(mlirOperationGetOperand(op, 0))));
}

static bool op_form(TileIndices *x, MlirOperation op, int depth,
                    const TileIndex **out) {
  enum { MAX_SHIFT = 30 };
  int64_t amount;
  if (keeps_number(op)) {
    *out = form_of(x, mlirOperationGetOperand(op, 0), depth);
    return true;
  }
  bool is_sum = arith_addi_is(op) || arith_subi_is(op);
  if (!is_sum && !arith_muli_is(op) && !arith_shli_is(op))
    return false;
  const TileIndex *a = form_of(x, mlirOperationGetOperand(op, 0), depth);
  if (arith_shli_is(op))
    return mlirxConstantInt(mlirOperationGetOperand(op, 1), &amount) &&
           amount >= 0 && amount <= MAX_SHIFT &&
           scale(x, a, INT64_C(1) << amount, out);
  const TileIndex *b = form_of(x, mlirOperationGetOperand(op, 1), depth);
  return is_sum ? add(x, a, b, arith_addi_is(op) ? 1 : -1, out)
                : product_form(x, a, b, out);
}

// What a while loop hands to its body is what its condition was given.
static MlirValue forwarded_by(MlirValue value) {
  MlirBlock block = mlirBlockArgumentGetOwner(value);
  MlirOperation loop = mlirBlockGetParentOperation(block);
  if (!scf_while_is(loop) ||
      !mlirBlockEqual(block,
                      mlirRegionGetFirstBlock(mlirOperationGetRegion(loop, 1))))
    return value;
  MlirOperation condition = mlirBlockGetTerminator(
      mlirRegionGetFirstBlock(mlirOperationGetRegion(loop, 0)));
  return tile_range_at(scf_condition_args(scf_condition_cast(condition)),
                       mlirBlockArgumentGetArgNumber(value));
}

static const TileIndex *make_form(TileIndices *x, MlirValue value, int depth) {
  int64_t constant;
  const TileIndex *form;
  if (mlirxConstantInt(value, &constant) && !is_large(constant))
    return intern_constant(x, constant);
  if (mlirValueIsABlockArgument(value)) {
    MlirValue given = forwarded_by(value);
    return mlirValueEqual(given, value) ? intern_symbol(x, value)
                                        : form_of(x, given, depth);
  }
  return op_form(x, mlirOpResultGetOwner(value), depth, &form)
             ? form
             : intern_symbol(x, value);
}

static const TileIndex *form_of(TileIndices *x, MlirValue value, int depth) {
  const TileIndex *form = tile_pointer_map_get(&x->of_value, value.ptr);
  if (form)
    return form;
  if (depth == 0)
    return intern_symbol(x, value);
  form = make_form(x, value, depth - 1);
  tile_pointer_map_set(&x->of_value, value.ptr, (void *)(uintptr_t)form);
  return form;
}

const TileIndex *tile_index_of(TileIndices *x, TileInt index) {
  if (!tile_int_is_constant(index))
    return form_of(x, index.value, MAX_DEPTH);
  Sum sum = {.constant = index.constant, .fits = !is_large(index.constant)};
  return intern(x, &sum);
}

const TileIndex *tile_index_without(TileIndices *x, const TileIndex *index,
                                    int term) {
  Sum sum = {.fits = true};
  sum_add(&sum, index, 1);
  sum_add_term(&sum, index->terms[term].symbol, -index->terms[term].factor);
  return intern(x, &sum);
}

//===-- Symbols of which a sum is known up to a multiple ------------------===//

// `select` of `slot + 1` and 0 is what a loop carries from one value in [0, n)
// to the next one: then `slot + 1` is at most n.
static bool is_carried_slot(ArithSelectOp select, MlirValue next, int64_t n) {
  int64_t one, first;
  MlirOperation add = mlirOpResultGetOwner(next);
  if (!arith_addi_is(add) ||
      !mlirxConstantInt(mlirOperationGetOperand(add, 1), &one) || one != 1)
    return false;
  MlirValue slot = mlirOperationGetOperand(add, 0);
  if (!mlirValueIsABlockArgument(slot))
    return false;
  MlirBlock body = mlirBlockArgumentGetOwner(slot);
  ScfForOp loop = scf_for_dyn(mlirBlockGetParentOperation(body));
  intptr_t number = mlirBlockArgumentGetArgNumber(slot) - 1;
  return loop.op.ptr && number >= 0 &&
         mlirValueEqual(
             mlirOperationGetOperand(mlirBlockGetTerminator(body), number),
             mlirOperationGetResult(select.op, 0)) &&
         mlirxConstantInt(tile_range_at(scf_for_initArgs(loop), number),
                          &first) &&
         first >= 0 && first < n;
}

typedef struct {
  bool is_known, if_true; // what the select gives when it returns to 0
  int64_t limit;          // it returns from here, or from above, too
  bool is_equality;
} Return;

static Return return_of(ArithCmpIPredicate predicate, int64_t n) {
  switch (predicate) {
  case ARITH_CMP_I_PREDICATE_eq:
    return (Return){true, true, n, true};
  case ARITH_CMP_I_PREDICATE_ne:
    return (Return){true, false, n, true};
  case ARITH_CMP_I_PREDICATE_sge:
  case ARITH_CMP_I_PREDICATE_uge:
    return (Return){true, true, n, false};
  case ARITH_CMP_I_PREDICATE_sgt:
  case ARITH_CMP_I_PREDICATE_ugt:
    return (Return){true, true, n + 1, false};
  case ARITH_CMP_I_PREDICATE_slt:
  case ARITH_CMP_I_PREDICATE_ult:
    return (Return){true, false, n, false};
  case ARITH_CMP_I_PREDICATE_sle:
  case ARITH_CMP_I_PREDICATE_ule:
    return (Return){true, false, n + 1, false};
  }
  return (Return){0};
}

// What a symbol is a multiple of `modulus` away from: `value` plus `more`.
typedef struct {
  MlirValue value;
  int64_t more, modulus;
} Wrapped;

// value == n ? 0 : value, or value >= n where it is n at most.
static bool select_wraps(ArithSelectOp select, Wrapped *out) {
  MlirValue condition = arith_select_condition(select);
  int64_t n, zero;
  if (!mlirValueIsAOpResult(condition) ||
      !arith_cmpi_is(mlirOpResultGetOwner(condition)))
    return false;
  ArithCmpIOp compare = arith_cmpi_cast(mlirOpResultGetOwner(condition));
  if (!mlirxConstantInt(arith_cmpi_rhs(compare), &n) || is_large(n))
    return false;
  Return returns = return_of(arith_cmpi_predicate(compare), n);
  MlirValue first = returns.if_true ? arith_select_true_value(select)
                                    : arith_select_false_value(select);
  MlirValue next = returns.if_true ? arith_select_false_value(select)
                                   : arith_select_true_value(select);
  if (!returns.is_known || returns.limit <= 0 ||
      !mlirxConstantInt(first, &zero) || zero != 0 ||
      !mlirValueEqual(arith_cmpi_lhs(compare), next) ||
      !(returns.is_equality || (mlirValueIsAOpResult(next) &&
                                is_carried_slot(select, next, returns.limit))))
    return false;
  *out = (Wrapped){next, 0, returns.limit};
  return true;
}

// What is left of a division by a constant; an unsigned one wraps below zero.
static bool remainder_wraps(MlirOperation op, Wrapped *out) {
  int64_t n;
  MlirValue value = mlirOperationGetOperand(op, 0);
  if (!mlirxConstantInt(mlirOperationGetOperand(op, 1), &n) || n <= 0 ||
      (arith_remui_is(op) && !tile_is_power_of_two(n) &&
       !tile_index_is_natural(tile_int_value(value))))
    return false;
  *out = (Wrapped){value, 0, n};
  return true;
}

static bool bits_wrap(MlirOperation op, Wrapped *out) {
  int64_t n;
  bool is_and = arith_andi_is(op);
  if (!mlirxConstantInt(mlirOperationGetOperand(op, 1), &n) ||
      (is_and ? !tile_is_power_of_two(n + 1) : n != 1))
    return false;
  *out = (Wrapped){mlirOperationGetOperand(op, 0), !is_and, is_and ? n + 1 : 2};
  return true;
}

static bool wraps(MlirValue value, Wrapped *out) {
  if (!mlirValueIsAOpResult(value))
    return false;
  MlirOperation op = mlirOpResultGetOwner(value);
  if (tile_advance_is(op)) {
    TileAdvanceOp advance = tile_advance_cast(op);
    *out =
        (Wrapped){tile_advance_slot(advance), 1, tile_advance_depth(advance)};
    return mlirValueEqual(value, tile_advance_next_slot(advance));
  }
  if (arith_remsi_is(op) || arith_remui_is(op))
    return remainder_wraps(op, out);
  if (arith_select_is(op))
    return select_wraps(arith_select_cast(op), out);
  return (arith_andi_is(op) || arith_xori_is(op)) && bits_wrap(op, out);
}

static const TileIndex *congruent(TileIndices *x, const TileIndex *index,
                                  int depth) {
  if (index->congruent)
    return index->congruent;
  Sum sum = {
      .constant = index->constant, .modulus = index->modulus, .fits = true};
  for (int i = 0; i < index->num_terms; i++) {
    const TileIndexTerm *term = &index->terms[i];
    Wrapped wrapped;
    if (depth == 0 || !wraps(term->symbol->value, &wrapped)) {
      sum_add_term(&sum, term->symbol, term->factor);
      continue;
    }
    const TileIndex *inner =
        congruent(x, form_of(x, wrapped.value, MAX_DEPTH), depth - 1);
    sum_add(&sum, inner, term->factor);
    sum.constant += term->factor * wrapped.more;
    sum_blur(&sum, term->factor * wrapped.modulus);
  }
  const TileIndex *found = intern(x, &sum);
  if (depth > 0)
    ((TileIndex *)(uintptr_t)index)->congruent = found;
  return found;
}

// The same with what wraps replaced: `k mod n` is `k` up to a multiple of n,
// and so is `slot + 1 == n ? 0 : slot + 1`.
static const TileIndex *without_wraps(TileIndices *x, const TileIndex *index) {
  return congruent(x, index, MAX_DEPTH);
}

//===-- Rounds of loops ---------------------------------------------------===//
//
// A value of a loop is another number in the next round, so what was the place
// of an access has to be written in numbers of now (TileAge).

bool tile_op_is_inside(MlirOperation op, MlirOperation outer) {
  for (; !mlirOperationIsNull(op); op = mlirOperationGetParentOperation(op))
    if (mlirOperationEqual(op, outer))
      return true;
  return false;
}

static bool is_argument_of(MlirValue value, MlirOperation loop) {
  return mlirValueIsABlockArgument(value) &&
         (scf_for_is(loop) || scf_while_is(loop)) &&
         mlirOperationEqual(
             mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(value)),
             loop);
}

// The counter of the loop, whose step is known.
static bool is_counter_of(MlirValue value, MlirOperation loop,
                          int64_t *out_step) {
  return is_argument_of(value, loop) && scf_for_is(loop) &&
         mlirBlockArgumentGetArgNumber(value) == 0 &&
         mlirxConstantInt(scf_for_step(scf_for_cast(loop)), out_step) &&
         !is_large(*out_step);
}

// Adds what an argument of the loop is in the next round.
static void sum_add_next(TileIndices *x, Sum *sum, MlirOperation loop,
                         const TileIndexTerm *term) {
  MlirValue argument = term->symbol->value;
  intptr_t number = mlirBlockArgumentGetArgNumber(argument);
  int64_t step;
  bool is_for = scf_for_is(loop);
  if (is_for && number == 0) {
    if (is_counter_of(argument, loop, &step)) {
      sum_add_term(sum, term->symbol, term->factor);
      sum->constant += term->factor * step;
    } else {
      sum_blur(sum, term->factor);
    }
    return;
  }
  MlirOperation yield = mlirBlockGetTerminator(
      mlirRegionGetFirstBlock(mlirOperationGetRegion(loop, is_for ? 0 : 1)));
  MlirValue next = mlirOperationGetOperand(yield, is_for ? number - 1 : number);
  sum_add(sum, without_wraps(x, tile_index_of(x, tile_int_value(next))),
          term->factor);
}

// `index` of this round of `loop` by values of the round before.
static Sum sum_of_next_round(TileIndices *x, const TileIndex *index,
                             MlirOperation loop) {
  Sum sum = {
      .constant = index->constant, .modulus = index->modulus, .fits = true};
  for (int i = 0; i < index->num_terms; i++) {
    const TileIndexTerm *term = &index->terms[i];
    if (is_argument_of(term->symbol->value, loop))
      sum_add_next(x, &sum, loop, term);
    else if (tile_op_is_inside(term->symbol->home, loop))
      sum_blur(&sum, term->factor);
    else
      sum_add_term(&sum, term->symbol, term->factor);
  }
  return sum;
}

int64_t tile_index_term_divisor(const TileIndexTerm *term) {
  int64_t divisor = tile_index_divisor(tile_int_value(term->symbol->value));
  return is_large(divisor) ? term->factor : term->factor * divisor;
}

static void blur_term(Sum *sum, const TileIndexTerm *term) {
  sum_blur(sum, tile_index_term_divisor(term));
}

static Sum sum_of_any_round(const TileIndex *index) {
  Sum sum = {
      .constant = index->constant, .modulus = index->modulus, .fits = true};
  for (int i = 0; i < index->num_terms; i++)
    if (mlirOperationIsNull(index->terms[i].symbol->home))
      sum_add_term(&sum, index->terms[i].symbol, index->terms[i].factor);
    else
      blur_term(&sum, &index->terms[i]);
  return sum;
}

// Of any round of this run of `loop`; the counter stays, and what a step of it
// adds is `out_drift`.
static Sum sum_of_this_run(const TileIndex *index, MlirOperation loop,
                           int64_t *out_drift) {
  Sum sum = {
      .constant = index->constant, .modulus = index->modulus, .fits = true};
  *out_drift = 0;
  for (int i = 0; i < index->num_terms; i++) {
    const TileIndexTerm *term = &index->terms[i];
    int64_t step;
    bool is_own_counter = is_counter_of(term->symbol->value, loop, &step);
    if (is_own_counter)
      *out_drift = term->factor * step;
    if (is_own_counter || !tile_op_is_inside(term->symbol->home, loop))
      sum_add_term(&sum, term->symbol, term->factor);
    else
      blur_term(&sum, term);
  }
  return sum;
}

static Sum sum_of(const TileIndex *index) {
  Sum sum = {.fits = true};
  sum_add(&sum, index, 1);
  return sum;
}

// An argument of a loop that each round moves by `step`, up to a multiple of
// `modulus`: as slots of a ring follow one another.
typedef struct {
  MlirOperation loop;
  const TileIndex *first;
  int64_t step, modulus;
} Carried;

static bool is_carried(TileIndices *x, const TileIndexSymbol *symbol,
                       Carried *out) {
  if (!mlirValueIsABlockArgument(symbol->value))
    return false;
  MlirBlock body = mlirBlockArgumentGetOwner(symbol->value);
  ScfForOp loop = scf_for_dyn(mlirBlockGetParentOperation(body));
  intptr_t number = mlirBlockArgumentGetArgNumber(symbol->value) - 1;
  if (!loop.op.ptr || number < 0)
    return false;
  MlirValue next =
      mlirOperationGetOperand(mlirBlockGetTerminator(body), number);
  const TileIndex *moved =
      without_wraps(x, tile_index_of(x, tile_int_value(next)));
  MlirValue first = tile_range_at(scf_for_initArgs(loop), number);
  *out = (Carried){loop.op, tile_index_of(x, tile_int_value(first)),
                   moved->constant, moved->modulus};
  return moved->num_terms == 1 && moved->terms[0].symbol == symbol &&
         moved->terms[0].factor == 1;
}

// Two arguments that a loop moves alike stay as far apart as they begin.
static void cancel_carried(TileIndices *x, Sum *sum) {
  Carried a, b;
  for (int i = 0; i < sum->num_terms; i++)
    for (int k = i + 1; k < sum->num_terms; k++) {
      TileIndexTerm p = sum->terms[i], q = sum->terms[k];
      if (p.factor != -q.factor || !is_carried(x, p.symbol, &a) ||
          !is_carried(x, q.symbol, &b) || !mlirOperationEqual(a.loop, b.loop) ||
          a.step != b.step || a.modulus != b.modulus)
        continue;
      sum_add_term(sum, p.symbol, -p.factor);
      sum_add_term(sum, q.symbol, -q.factor);
      sum_add(sum, a.first, p.factor);
      sum_add(sum, b.first, q.factor);
      sum_blur(sum, p.factor * a.modulus);
      i = -1; // from the start: the terms have moved, and are fewer
      break;
    }
}

// Each round of the loop from two on adds `drift`; 0 but for
// TILE_AGE_EARLIER.
typedef struct {
  TileDistance distance;
  int64_t drift;
} AgedDistance;

// `now` - `then`, where `then` is of the round of `loop` that `age` says.
static AgedDistance aged_distance(TileIndices *x, const TileIndex *now,
                                  const TileIndex *then, TileAge age,
                                  MlirOperation loop) {
  int64_t ignored, drift = 0;
  now = without_wraps(x, now);
  then = without_wraps(x, then);
  Sum distance = age == TILE_AGE_PREVIOUS  ? sum_of_next_round(x, now, loop)
                 : age == TILE_AGE_EARLIER ? sum_of_this_run(now, loop, &drift)
                 : age == TILE_AGE_OLDER   ? sum_of_any_round(now)
                                           : sum_of(now);
  Sum before = age == TILE_AGE_EARLIER ? sum_of_this_run(then, loop, &ignored)
               : age == TILE_AGE_OLDER ? sum_of_any_round(then)
                                       : sum_of(then);
  sum_add(&distance, intern(x, &before), -1);
  if (age == TILE_AGE_SAME)
    cancel_carried(x, &distance);
  if (!distance.fits)
    return (AgedDistance){{0, 1}, 0};
  for (int i = 0; i < distance.num_terms; i++)
    sum_blur(&distance, distance.terms[i].factor);
  return (AgedDistance){{distance.constant, distance.modulus}, drift};
}

// tile_ranges_overlap, after any number of rounds.
static TileOverlap aged_overlap(AgedDistance at, int64_t now_size,
                                int64_t then_size) {
  TileDistance distance = at.distance;
  int64_t nearest = distance.constant + 2 * at.drift;
  if (at.drift == 0)
    return tile_ranges_overlap(distance, now_size, then_size);
  if (distance.modulus == 0 &&
      (at.drift > 0 ? nearest >= then_size : -nearest >= now_size))
    return TILE_OVERLAP_NONE;
  distance.modulus = tile_gcd(distance.modulus, at.drift);
  return tile_ranges_overlap(distance, now_size, then_size);
}

//===-- Boxes -------------------------------------------------------------===//

void tile_index_box_set(TileIndices *x, TileIndexBox *box, int dim,
                        const TileIndex *offset, int64_t size) {
  box->offset[dim] = without_wraps(x, offset);
  box->bounds[dim] = tile_index_sum_bounds(offset);
  box->size[dim] = size;
}

TileIndexBox tile_index_box(TileIndices *x, const TileBox *box) {
  TileIndexBox out = {.base = box->base,
                      .rank = box->rank,
                      .on_grid = box->on_grid,
                      .is_partial = box->is_partial};
  for (int d = 0; d < box->rank; d++)
    tile_index_box_set(x, &out, d, tile_index_of(x, box->offset[d]),
                       box->size[d]);
  return out;
}

// Whether numbers in the bounds of `now` and `then` begin ranges apart.
static bool are_apart(const TileIndexBox *now, const TileIndexBox *then,
                      int dim) {
  TileIndexBounds a = now->bounds[dim], b = then->bounds[dim];
  return a.is_known && b.is_known &&
         (a.min >= b.max + then->size[dim] || b.min >= a.max + now->size[dim]);
}

// Whether the distance is a multiple of the size, which is that of both.
static bool is_multiple(AgedDistance at, int64_t size) {
  int64_t divisor = tile_gcd(at.distance.modulus, at.distance.constant);
  return tile_gcd(divisor, at.drift) % size == 0;
}

TileBoxRelation tile_index_boxes_compare(TileIndices *x,
                                         const TileIndexBox *now,
                                         const TileIndexBox *then, TileAge age,
                                         MlirOperation loop) {
  bool is_partial = now->is_partial || then->is_partial;
  bool on_grid = now->on_grid && then->on_grid;
  TileBoxRelation out = {.overlap = is_partial ? TILE_OVERLAP_MAYBE
                                               : TILE_OVERLAP_SAME,
                         .match = !is_partial,
                         .is_distance_known = true};
  if (now->rank == 0 || now->rank != then->rank ||
      !mlirValueEqual(now->base, then->base))
    return (TileBoxRelation){.overlap = TILE_OVERLAP_MAYBE};
  for (int d = 0; d < now->rank; d++) {
    int64_t size = now->size[d], other = then->size[d];
    AgedDistance at =
        aged_distance(x, now->offset[d], then->offset[d], age, loop);
    TileOverlap overlap = size < 0 || other < 0 ? TILE_OVERLAP_MAYBE
                          : are_apart(now, then, d)
                              ? TILE_OVERLAP_NONE
                              : aged_overlap(at, size, other);
    out.overlap = tile_overlap_and(out.overlap, overlap);
    out.match &=
        size > 0 && size == other && (on_grid || is_multiple(at, size));
    out.is_distance_known &= !at.distance.modulus && !at.drift;
    out.distance[d] = at.distance.constant;
  }
  return out;
}

TileOverlap tile_boxes_overlap(TileIndices *x, const TileBox *now,
                               const TileBox *then, TileAge age,
                               MlirOperation loop) {
  TileIndexBox a = tile_index_box(x, now), b = tile_index_box(x, then);
  return tile_index_boxes_compare(x, &a, &b, age, loop).overlap;
}
