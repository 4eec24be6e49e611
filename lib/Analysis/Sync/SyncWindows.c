//===- SyncWindows.c - Which windows of a buffer are disjoint -------------===//
//
// An access touches a place: a buffer, or the window of one. Places of a buffer
// are disjoint when in some dimension the distance of their offsets is known to
// be as large as the windows. Offsets are sums of values, in part only up to a
// multiple of a modulus: slots of a ring are (k mod n), or follow one another
// with `slot + 1 == n ? 0 : slot + 1`.
//
// A value of a loop is another one in the next round. So an access has an age:
//
//   same round      equal values are equal numbers;
//   previous round  what the loop will have passed on is put in for the values
//                   of now: the counter is a step further, an argument is what
//                   was yielded;
//   earlier rounds  the counter is at least two steps further;
//   other runs      only what no loop changes is equal.
//
// Counters are taken not to overflow: indices have 32 bits in the end.
//
//===----------------------------------------------------------------------===//

#include "SyncFlow.h"

#include "Support/Arithmetic.h"
#include "Support/Iterate.h"
#include "Tile/Ops/arith.h"
#include "Tile/Ops/memref.h"
#include "Tile/Ops/scf.h"
#include <assert.h>

// Index arithmetic is shallow; deeper chains count as values of their own.
enum { MAX_DEPTH = 8 };
#define MAX_FACTOR ((int64_t)1 << 31)

//===-- Sums --------------------------------------------------------------===//

static SyncSum sum_constant(int64_t constant) {
  return (SyncSum){.constant = constant};
}

static SyncSum sum_value(MlirValue value) {
  return (SyncSum){.terms = {{value, 1}}, .num_terms = 1};
}

// Of something that is added only a divisor is known.
static void sum_blur(SyncSum *sum, int64_t factor) {
  sum->modulus = tile_gcd(sum->modulus, factor);
}

static void sum_add_term(SyncSum *sum, MlirValue value, int64_t factor) {
  assert(sum->num_terms >= 0 && sum->num_terms <= SYNC_MAX_TERMS);
  int i = 0;
  while (i < sum->num_terms && !mlirValueEqual(sum->terms[i].value, value))
    i++;
  if (i == sum->num_terms) {
    if (i == SYNC_MAX_TERMS) {
      sum_blur(sum, factor);
      return;
    }
    sum->terms[sum->num_terms++] = (SyncTerm){value, 0};
  }
  sum->terms[i].factor += factor;
  if (sum->terms[i].factor == 0)
    sum->terms[i] = sum->terms[--sum->num_terms];
}

static bool is_large(int64_t x) { return x >= MAX_FACTOR || x <= -MAX_FACTOR; }

// a + factor * b; numbers that may not fit make it unknown.
static SyncSum sum_add(SyncSum a, const SyncSum *b, int64_t factor) {
  bool is_too_large = is_large(factor) || is_large(a.constant) ||
                      is_large(b->constant) || is_large(b->modulus);
  for (int i = 0; i < b->num_terms; i++)
    is_too_large |= is_large(b->terms[i].factor);
  if (is_too_large)
    return (SyncSum){.modulus = 1};
  a.constant += factor * b->constant;
  sum_blur(&a, factor * b->modulus);
  for (int i = 0; i < b->num_terms; i++)
    sum_add_term(&a, b->terms[i].value, factor * b->terms[i].factor);
  return a;
}

//===-- Sums of the program -----------------------------------------------===//

static SyncSum sum_of(MlirValue value, int depth);

static bool is_counter(MlirValue value) {
  return mlirValueIsABlockArgument(value) &&
         mlirBlockArgumentGetArgNumber(value) == 0 &&
         scf_for_is(
             mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(value)));
}

static bool is_nonnegative(MlirValue value, int depth) {
  TileIndexBounds bounds = tile_index_bounds(tile_int_value(value));
  if (bounds.is_known)
    return bounds.min >= 0;
  if (depth == 0)
    return false;
  if (is_counter(value)) {
    ScfForOp loop = scf_for_cast(
        mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(value)));
    return is_nonnegative(scf_for_lowerBound(loop), depth - 1);
  }
  if (!mlirValueIsAOpResult(value))
    return false;
  MlirOperation op = mlirOpResultGetOwner(value);
  if (arith_addi_is(op) || arith_muli_is(op) || arith_divui_is(op))
    return is_nonnegative(mlirOperationGetOperand(op, 0), depth - 1) &&
           is_nonnegative(mlirOperationGetOperand(op, 1), depth - 1);
  return memref_dim_is(op);
}

static SyncSum sum_modulo(MlirValue value, int64_t modulus, int depth) {
  SyncSum sum = sum_of(value, depth);
  sum_blur(&sum, modulus);
  return sum;
}

// What is left of a division by a constant; `is_unsigned` wraps below zero.
static bool remainder_of(MlirOperation op, bool is_unsigned, int depth,
                         SyncSum *out) {
  int64_t n;
  MlirValue value = mlirOperationGetOperand(op, 0);
  if (!mlirxConstantInt(mlirOperationGetOperand(op, 1), &n) || n <= 0 ||
      (is_unsigned && !tile_is_power_of_two(n) &&
       !is_nonnegative(value, depth)))
    return false;
  *out = sum_modulo(value, n, depth);
  return true;
}

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

// value == n ? 0 : value, or value >= n where it is n at most.
static bool select_wraps(ArithSelectOp select, int depth, SyncSum *out) {
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
  *out = sum_modulo(next, returns.limit, depth);
  return true;
}

static bool product_of(MlirOperation op, int depth, SyncSum *out) {
  SyncSum none = {0};
  for (int i = 0; i < 2; i++) {
    int64_t factor;
    if (!mlirxConstantInt(mlirOperationGetOperand(op, i), &factor))
      continue;
    SyncSum other = sum_of(mlirOperationGetOperand(op, 1 - i), depth);
    *out = sum_add(none, &other, factor);
    return true;
  }
  return false;
}

// Ops that give a value up to a modulus.
static bool wrapped_of(MlirOperation op, int depth, SyncSum *out) {
  int64_t n;
  if (arith_remsi_is(op) || arith_remui_is(op))
    return remainder_of(op, arith_remui_is(op), depth, out);
  if (arith_select_is(op))
    return select_wraps(arith_select_cast(op), depth, out);
  bool is_and = arith_andi_is(op), is_xor = arith_xori_is(op);
  if ((!is_and && !is_xor) ||
      !mlirxConstantInt(mlirOperationGetOperand(op, 1), &n) ||
      (is_and ? !tile_is_power_of_two(n + 1) : n != 1))
    return false;
  *out = sum_modulo(mlirOperationGetOperand(op, 0), is_and ? n + 1 : 2, depth);
  out->constant += is_xor;
  return true;
}

static bool op_sum(MlirOperation op, int depth, SyncSum *out) {
  if (arith_addi_is(op) || arith_subi_is(op)) {
    SyncSum right = sum_of(mlirOperationGetOperand(op, 1), depth);
    *out = sum_add(sum_of(mlirOperationGetOperand(op, 0), depth), &right,
                   arith_addi_is(op) ? 1 : -1);
    return true;
  }
  if (arith_muli_is(op))
    return product_of(op, depth, out);
  bool is_unsigned = arith_index_castui_is(op) || arith_extui_is(op);
  if (is_unsigned || arith_index_cast_is(op) || arith_extsi_is(op)) {
    MlirValue from = mlirOperationGetOperand(op, 0);
    if (is_unsigned && !is_nonnegative(from, depth))
      return false;
    *out = sum_of(from, depth);
    return true;
  }
  return wrapped_of(op, depth, out);
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

static SyncSum sum_of(MlirValue value, int depth) {
  int64_t constant;
  SyncSum sum;
  if (mlirxConstantInt(value, &constant))
    return sum_constant(constant);
  if (depth == 0)
    return sum_value(value);
  if (mlirValueIsABlockArgument(value)) {
    MlirValue given = forwarded_by(value);
    return mlirValueEqual(given, value) ? sum_value(value)
                                        : sum_of(given, depth - 1);
  }
  MlirOperation op = mlirOpResultGetOwner(value);
  if (tile_advance_is(op) &&
      mlirValueEqual(value, tile_advance_next_slot(tile_advance_cast(op)))) {
    TileAdvanceOp advance = tile_advance_cast(op);
    sum = sum_modulo(tile_advance_slot(advance), tile_advance_depth(advance),
                     depth - 1);
    sum.constant++;
    return sum;
  }
  return op_sum(op, depth - 1, &sum) ? sum : sum_value(value);
}

//===-- Rounds of loops ---------------------------------------------------===//

// Everything with regions may run them again, but these.
static bool is_loop(MlirOperation op) {
  return !scf_if_is(op) && !tile_specialize_is(op) && !tile_role_is(op);
}

static MlirOperation loop_around(MlirOperation op) {
  for (; !mlirOperationIsNull(op) && !tile_kernel_is(op);
       op = mlirOperationGetParentOperation(op))
    if (is_loop(op))
      return op;
  return (MlirOperation){NULL};
}

// The innermost loop whose rounds have values of their own of this.
static MlirOperation home_of(MlirValue value) {
  return loop_around(
      mlirValueIsABlockArgument(value)
          ? mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(value))
          : mlirOperationGetParentOperation(mlirOpResultGetOwner(value)));
}

bool sync_is_inside(MlirOperation op, MlirOperation loop) {
  for (; !mlirOperationIsNull(op); op = mlirOperationGetParentOperation(op))
    if (mlirOperationEqual(op, loop))
      return true;
  return false;
}

// The value of an argument of the loop in the next round.
static SyncSum next_argument(MlirOperation loop, MlirValue argument) {
  intptr_t number = mlirBlockArgumentGetArgNumber(argument);
  int64_t step;
  bool is_for = scf_for_is(loop);
  if (is_for && number == 0) {
    SyncSum next = sum_value(argument);
    if (!mlirxConstantInt(scf_for_step(scf_for_cast(loop)), &step))
      return (SyncSum){.modulus = 1};
    next.constant = step;
    return next;
  }
  MlirOperation yield = mlirBlockGetTerminator(
      mlirRegionGetFirstBlock(mlirOperationGetRegion(loop, is_for ? 0 : 1)));
  return sum_of(mlirOperationGetOperand(yield, is_for ? number - 1 : number),
                MAX_DEPTH);
}

static bool is_argument_of(MlirValue value, MlirOperation loop) {
  return mlirValueIsABlockArgument(value) &&
         (scf_for_is(loop) || scf_while_is(loop)) &&
         mlirOperationEqual(
             mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(value)),
             loop);
}

// `sum` of this round of `loop` by values of the round before.
static SyncSum sum_of_next_round(const SyncSum *sum, MlirOperation loop) {
  SyncSum out = {.constant = sum->constant, .modulus = sum->modulus};
  for (int i = 0; i < sum->num_terms; i++) {
    const SyncTerm *term = &sum->terms[i];
    if (is_argument_of(term->value, loop)) {
      SyncSum next = next_argument(loop, term->value);
      out = sum_add(out, &next, term->factor);
    } else if (sync_is_inside(home_of(term->value), loop)) {
      sum_blur(&out, term->factor);
    } else {
      sum_add_term(&out, term->value, term->factor);
    }
  }
  return out;
}

static void blur_term(SyncSum *sum, const SyncTerm *term) {
  int64_t divisor = tile_index_divisor(tile_int_value(term->value));
  sum_blur(sum, is_large(divisor) ? term->factor : term->factor * divisor);
}

static SyncSum sum_of_any_round(const SyncSum *sum) {
  SyncSum out = {.constant = sum->constant, .modulus = sum->modulus};
  for (int i = 0; i < sum->num_terms; i++)
    if (mlirOperationIsNull(home_of(sum->terms[i].value)))
      sum_add_term(&out, sum->terms[i].value, sum->terms[i].factor);
    else
      blur_term(&out, &sum->terms[i]);
  return out;
}

// A sum of any round of this run of `loop`; the counter stays, and what a step
// of it adds is `out_drift`.
static SyncSum sum_of_this_run(const SyncSum *sum, MlirOperation loop,
                               int64_t *out_drift) {
  SyncSum out = {.constant = sum->constant, .modulus = sum->modulus};
  *out_drift = 0;
  for (int i = 0; i < sum->num_terms; i++) {
    const SyncTerm *term = &sum->terms[i];
    int64_t step;
    bool is_own_counter =
        is_argument_of(term->value, loop) && is_counter(term->value) &&
        mlirxConstantInt(scf_for_step(scf_for_cast(loop)), &step) &&
        !is_large(step);
    if (is_own_counter)
      *out_drift = term->factor * step;
    if (is_own_counter || !sync_is_inside(home_of(term->value), loop))
      sum_add_term(&out, term->value, term->factor);
    else
      blur_term(&out, term);
  }
  return out;
}

//===-- Places ------------------------------------------------------------===//

static void add_dim(SyncPlace *place, TileInt offset, int64_t size) {
  SyncDim *dim = &place->dims[place->rank++];
  *dim = (SyncDim){.bounds = tile_index_bounds(offset), .size = size};
  dim->offset = tile_int_is_constant(offset) ? sum_constant(offset.constant)
                                             : sum_of(offset.value, MAX_DEPTH);
  for (int i = 0; i < dim->offset.num_terms; i++) {
    MlirOperation home = home_of(dim->offset.terms[i].value);
    if (!mlirOperationIsNull(home) &&
        (mlirOperationIsNull(place->home) || sync_is_inside(home, place->home)))
      place->home = home;
  }
}

// Whether elements with other coordinates lie in other bytes.
static bool has_own_bytes(MlirValue base, MlirType element, bool is_shared) {
  // Two elements of less than a byte may lie in one; strides may be anything.
  return tile_elem_bits(element) >= 8 &&
         (is_shared || mlirAffineMapIsIdentity(
                           mlirMemRefTypeGetAffineMap(mlirValueGetType(base))));
}

static void add_whole(SyncPlace *place, const TileShape *shape) {
  for (int d = 0; d < shape->rank; d++)
    if (shape->extent[d] < 1)
      return; // of a tensor whose size is not known
  for (int d = 0; d < shape->rank; d++)
    add_dim(place, tile_int_constant(0), shape->extent[d]);
}

static void add_window(SyncPlace *place, TileRegionOp region) {
  int rank = (int)tile_region_static_sizes_size(region);
  place->is_on_grid = tile_region_on_grid(region);
  for (int d = 0; d < rank && rank <= SYNC_MAX_DIMS; d++)
    add_dim(place, tile_region_offset(region, d),
            tile_region_static_sizes(region, d));
}

SyncPlace sync_place_of_tile(MlirValue tile, size_t buffer, bool is_shared) {
  TileBuffer found = tile_buffer_of(tile);
  SyncPlace place = {.tile = tile, .base = found.base, .buffer = buffer};
  TileShape shape;
  if (!tile_shape_of(tile, &shape) ||
      !has_own_bytes(found.base, shape.element, is_shared))
    return place;
  if (mlirValueIsNull(found.region))
    add_whole(&place, &shape);
  else
    add_window(&place, tile_region_cast(mlirOpResultGetOwner(found.region)));
  return place;
}

SyncPlace sync_place_of_loop(MlirValue tile, const SyncLoopWindow *window,
                             size_t buffer, bool is_shared) {
  SyncPlace place = {.tile = tile, .base = tile, .buffer = buffer};
  TileShape shape;
  if (!tile_shape_of(tile, &shape) ||
      !has_own_bytes(tile, shape.element, is_shared))
    return place;
  for (int d = 0; d < window->rank; d++)
    add_dim(&place, window->offset[d], window->size[d]);
  return place;
}

SyncPlace sync_place_of_slot(MlirValue barrier, MlirValue slot, size_t buffer) {
  SyncPlace place = {
      .tile = barrier, .slot = slot, .base = barrier, .buffer = buffer};
  add_dim(&place, tile_int_value(slot), 1);
  return place;
}

//===-- Disjoint ----------------------------------------------------------===//

// Whether `now` - `then` is at least the size of the one that comes first. With
// a drift, after any number of steps from two on.
static bool is_apart(const SyncSum *now, int64_t now_size, const SyncSum *then,
                     int64_t then_size, int64_t drift) {
  SyncSum distance = sum_add(*now, then, -1);
  int64_t modulus = distance.modulus;
  bool is_exact = modulus == 0 && distance.num_terms == 0;
  int64_t nearest = distance.constant + 2 * drift;
  if (is_exact && drift != 0 &&
      (drift > 0 ? nearest >= then_size : -nearest >= now_size))
    return true;
  modulus = tile_gcd(modulus, drift);
  for (int i = 0; i < distance.num_terms; i++)
    modulus = tile_gcd(modulus, distance.terms[i].factor);
  if (modulus == 0)
    return distance.constant >= then_size || -distance.constant >= now_size;
  int64_t above = distance.constant % modulus;
  above += above < 0 ? modulus : 0;
  return above >= then_size && modulus - above >= now_size;
}

// The offsets of `now` and of `then`, which was touched `age` ago, in terms of
// one round; each step of the loop from two on adds `drift` to their distance.
typedef struct {
  SyncSum now, then;
  int64_t drift;
} Offsets;

static Offsets offsets_at(const SyncDim *now, const SyncDim *then, SyncAge age,
                          MlirOperation home) {
  Offsets out = {now->offset, then->offset, 0};
  int64_t ignored;
  if (age == SYNC_PREVIOUS) {
    out.now = sum_of_next_round(&now->offset, home);
  } else if (age == SYNC_EARLIER) {
    out.now = sum_of_this_run(&now->offset, home, &out.drift);
    out.then = sum_of_this_run(&then->offset, home, &ignored);
  } else if (age == SYNC_OLDER) {
    out.now = sum_of_any_round(&now->offset);
    out.then = sum_of_any_round(&then->offset);
  }
  return out;
}

static bool dims_are_disjoint(const SyncDim *now, const SyncDim *then,
                              SyncAge age, MlirOperation home) {
  if (now->bounds.is_known && then->bounds.is_known &&
      (now->bounds.min >= then->bounds.max + then->size ||
       then->bounds.min >= now->bounds.max + now->size))
    return true;
  Offsets at = offsets_at(now, then, age, home);
  return is_apart(&at.now, now->size, &at.then, then->size, at.drift);
}

bool sync_windows_overlap(const SyncPlace *now, const SyncPlace *then,
                          SyncAge age) {
  if (now->rank == 0 || now->rank != then->rank ||
      !mlirValueEqual(now->base, then->base))
    return true;
  for (int d = 0; d < now->rank; d++)
    if (dims_are_disjoint(&now->dims[d], &then->dims[d], age, then->home))
      return false;
  return true;
}

// Whether the distance of the offsets is a multiple of the size, which is that
// of both.
static bool dims_match(const SyncDim *now, const SyncDim *then, SyncAge age,
                       MlirOperation home) {
  Offsets at = offsets_at(now, then, age, home);
  SyncSum distance = sum_add(at.now, &at.then, -1);
  int64_t divisor = tile_gcd(distance.modulus, distance.constant);
  divisor = tile_gcd(divisor, at.drift);
  for (int i = 0; i < distance.num_terms; i++)
    divisor = tile_gcd(divisor, distance.terms[i].factor);
  return now->size == then->size && divisor % now->size == 0;
}

bool sync_windows_match(const SyncPlace *now, const SyncPlace *then,
                        SyncAge age) {
  if (!mlirValueEqual(now->base, then->base) || now->rank != then->rank ||
      now->rank == 0)
    return false;
  bool on_grid = now->is_on_grid && then->is_on_grid;
  for (int d = 0; d < now->rank; d++)
    if (now->dims[d].size != then->dims[d].size ||
        !(on_grid ||
          dims_match(&now->dims[d], &then->dims[d], age, then->home)))
      return false;
  return true;
}

bool sync_windows_distance(const SyncPlace *now, const SyncPlace *then,
                           SyncAge age, int64_t out_distance[SYNC_MAX_DIMS]) {
  if (!mlirValueEqual(now->base, then->base) || now->rank != then->rank ||
      now->rank == 0)
    return false;
  for (int d = 0; d < now->rank; d++) {
    Offsets at = offsets_at(&now->dims[d], &then->dims[d], age, then->home);
    SyncSum distance = sum_add(at.now, &at.then, -1);
    if (distance.num_terms || distance.modulus || at.drift)
      return false;
    out_distance[d] = distance.constant;
  }
  return true;
}
