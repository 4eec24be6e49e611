//===- AttentionMask.c - Which keys a query sees --------------------------===//
//
// What is computed between the two products of an attention is followed element
// by element: numbers that depend on the places of a query and a key, and the
// differences of places for which they are known. Where the logits are known to
// be hidden beyond some difference, the kernel needs no step there.
//
//===----------------------------------------------------------------------===//

#include "Transforms/Schedules/Attention.h"

#include "Dialect/ForeignOps.h"
#include "Support/Iterate.h"
#include "Tile/Ops/math.h"
#include "mlir-c/AffineExpr.h"
#include <math.h>

enum { MAX_PIECES = 4, MAX_DEPTH = 48 };

// A logit so low has no weight beside another one: the least f16 is lower. One
// that is less low is meant to have none.
#define HIDDEN (-6e4)
#define MEANT (-1e3)

#define EVERYWHERE                                                             \
  (TileReach) { -TILE_ATTENTION_FAR, TILE_ATTENTION_FAR }

/// A number for some differences of places; not known: it depends on data.
typedef struct {
  TileReach where;
  bool is_known;
  bool is_exact; // it has the value everywhere in its reach
  double value;
} Piece;

/// What is known of a number: its places, or pieces.
typedef struct {
  bool is_place; // query * of_query + key * of_key + constant
  int64_t of_query, of_key, constant;
  Piece pieces[MAX_PIECES];
  int num_pieces;
} Number;

typedef struct {
  const TileAttention *m;
  MlirOperation culprit; // a condition about which nothing is known
} Follow;

// The first one.
static void blame(Follow *f, MlirOperation op) {
  if (!f->culprit.ptr)
    f->culprit = op;
}

static Number of_data(void) {
  Number n = {.num_pieces = 1};
  n.pieces[0] = (Piece){EVERYWHERE, false, true, 0};
  return n;
}

static Number of_constant(double value) {
  Number n = of_data();
  n.pieces[0].is_known = true;
  n.pieces[0].value = value;
  return n;
}

static bool is_constant(const Number *n, double *out) {
  *out = n->pieces[0].value;
  return !n->is_place && n->num_pieces == 1 && n->pieces[0].is_known;
}

//===-- Reaches -----------------------------------------------------------===//

static TileReach common(TileReach a, TileReach b) {
  return (TileReach){a.lo > b.lo ? a.lo : b.lo, a.hi < b.hi ? a.hi : b.hi};
}

static TileReach hull(TileReach a, TileReach b) {
  return (TileReach){a.lo < b.lo ? a.lo : b.lo, a.hi > b.hi ? a.hi : b.hi};
}

static bool is_nowhere(TileReach a) { return a.lo > a.hi; }

// Pieces of the same value are one; where there are too many, nothing is known.
static void add_piece(Number *n, Piece piece) {
  if (is_nowhere(piece.where))
    return;
  for (int i = 0; i < n->num_pieces; i++) {
    Piece *old = &n->pieces[i];
    if (old->is_known != piece.is_known ||
        (piece.is_known && old->value != piece.value))
      continue;
    old->is_exact &= piece.is_exact && piece.where.lo <= old->where.hi + 1 &&
                     old->where.lo <= piece.where.hi + 1;
    old->where = hull(old->where, piece.where);
    return;
  }
  if (n->num_pieces == MAX_PIECES)
    *n = of_data(), n->pieces[0].is_exact = false;
  else
    n->pieces[n->num_pieces++] = piece;
}

//===-- Arithmetic --------------------------------------------------------===//

typedef bool (*CombineFn)(const Piece *a, const Piece *b, double *out);

static bool add(const Piece *a, const Piece *b, double *out) {
  bool a_hides = a->is_known && a->value <= MEANT;
  bool b_hides = b->is_known && b->value <= MEANT;
  *out = a->is_known && b->is_known ? a->value + b->value
         : a_hides                  ? a->value
                                    : b->value;
  return (a->is_known && b->is_known) || a_hides || b_hides;
}

static bool subtract(const Piece *a, const Piece *b, double *out) {
  Piece negative = *b;
  negative.value = -b->value;
  return add(a, &negative, out);
}

static bool multiply(const Piece *a, const Piece *b, double *out) {
  *out = a->value * b->value;
  return a->is_known && b->is_known;
}

static bool divide(const Piece *a, const Piece *b, double *out) {
  *out = b->value == 0 ? 0 : a->value / b->value;
  return a->is_known && b->is_known && b->value != 0;
}

static bool both(const Piece *a, const Piece *b, double *out) {
  bool is_false =
      (a->is_known && a->value == 0) || (b->is_known && b->value == 0);
  *out = is_false ? 0 : (double)((int64_t)a->value & (int64_t)b->value);
  return is_false || (a->is_known && b->is_known);
}

// Of truths, whose true may be -1.
static bool either(const Piece *a, const Piece *b, double *out) {
  bool is_true =
      (a->is_known && a->value != 0) || (b->is_known && b->value != 0);
  *out = is_true;
  return is_true || (a->is_known && b->is_known);
}

static bool differ(const Piece *a, const Piece *b, double *out) {
  *out = (a->value != 0) != (b->value != 0);
  return a->is_known && b->is_known;
}

static Number combine(const Number *a, const Number *b, CombineFn combine_fn) {
  Number result = {.num_pieces = 0};
  if (a->is_place || b->is_place)
    return of_data();
  for (int i = 0; i < a->num_pieces; i++)
    for (int j = 0; j < b->num_pieces; j++) {
      Piece piece = {common(a->pieces[i].where, b->pieces[j].where), false,
                     a->pieces[i].is_exact && b->pieces[j].is_exact, 0};
      piece.is_known = combine_fn(&a->pieces[i], &b->pieces[j], &piece.value);
      add_piece(&result, piece);
    }
  return result;
}

static bool as_place(const Number *n, Number *out) {
  double value;
  *out = *n;
  if (n->is_place)
    return true;
  if (!is_constant(n, &value) || value != floor(value) ||
      fabs(value) > TILE_ATTENTION_FAR)
    return false;
  *out = (Number){.is_place = true, .constant = (int64_t)value};
  return true;
}

// a + sign * b of places; false where one is none.
static bool add_places(const Number *a, const Number *b, int64_t sign,
                       Number *out) {
  Number x, y;
  if ((!a->is_place && !b->is_place) || !as_place(a, &x) || !as_place(b, &y))
    return false;
  *out = (Number){.is_place = true,
                  .of_query = x.of_query + sign * y.of_query,
                  .of_key = x.of_key + sign * y.of_key,
                  .constant = x.constant + sign * y.constant};
  return true;
}

//===-- Comparisons -------------------------------------------------------===//

typedef enum { EQ, NE, LT, LE, GT, GE, NONE } Order;

static Order order_of_cmpi(MlirOperation op) {
  static const Order orders[] = {EQ, NE, LT, LE, GT, GE};
  int64_t predicate = mlirIntegerAttrGetValueInt(
      mlirOperationGetInherentAttributeByName(op, TILE_STR("predicate")));
  return predicate < 6 ? orders[predicate] : NONE; // others: without signs
}

static Order order_of_cmpf(MlirOperation op) {
  // false, oeq, ogt, oge, olt, ole, one, ord, ueq, ugt, uge, ult, ule, une, …
  static const Order orders[] = {NONE, EQ, GT, GE, LT, LE, NE,   NONE,
                                 EQ,   GT, GE, LT, LE, NE, NONE, NONE};
  int64_t predicate = mlirIntegerAttrGetValueInt(
      mlirOperationGetInherentAttributeByName(op, TILE_STR("predicate")));
  return orders[predicate & 15];
}

static bool holds(Order order, double a, double b) {
  switch (order) {
  case EQ:
    return a == b;
  case NE:
    return a != b;
  case LT:
    return a < b;
  case LE:
    return a <= b;
  case GT:
    return a > b;
  default:
    return a >= b;
  }
}

// Truth of `difference <= bound`, or of its negation.
static Number at_most(int64_t bound, bool is_negated) {
  Number n = {.num_pieces = 0};
  TileReach below = {-TILE_ATTENTION_FAR, bound};
  TileReach above = {bound + 1, TILE_ATTENTION_FAR};
  add_piece(&n, (Piece){below, true, true, is_negated ? 0 : 1});
  add_piece(&n, (Piece){above, true, true, is_negated ? 1 : 0});
  return n;
}

// a key - a query + constant beside 0, which leaves the difference alone.
static Number compare_places(const Number *a, const Number *b, Order order) {
  Number d;
  if (!add_places(a, b, -1, &d) || d.of_key != -d.of_query ||
      (d.of_key != 1 && d.of_key != -1) || order == EQ || order == NE)
    return of_data();
  if (d.of_key == 1) // difference + constant
    return at_most(order == LT || order == GE ? -d.constant - 1 : -d.constant,
                   order == GT || order == GE);
  // constant - difference < 0 where the difference is above the constant
  return at_most(order == LE || order == GT ? d.constant - 1 : d.constant,
                 order == LT || order == LE);
}

static Number compare(Follow *f, MlirOperation op, const Number *a,
                      const Number *b, Order order) {
  Number result = {.num_pieces = 0};
  if (order == NONE) {
    blame(f, op);
    return of_data();
  }
  if (a->is_place || b->is_place) {
    result = compare_places(a, b, order);
    if (!result.pieces[0].is_known)
      blame(f, op);
    return result;
  }
  for (int i = 0; i < a->num_pieces; i++)
    for (int j = 0; j < b->num_pieces; j++) {
      const Piece *x = &a->pieces[i], *y = &b->pieces[j];
      Piece piece = {common(x->where, y->where), x->is_known && y->is_known,
                     x->is_exact && y->is_exact,
                     holds(order, x->value, y->value)};
      if (!piece.is_known)
        piece.value = 0, blame(f, op);
      add_piece(&result, piece);
    }
  return result;
}

static Number choose(Follow *f, MlirOperation op, const Number *condition,
                     const Number *yes, const Number *no) {
  Number result = {.num_pieces = 0};
  if (condition->is_place || yes->is_place || no->is_place)
    return of_data();
  for (int i = 0; i < condition->num_pieces; i++) {
    const Piece *c = &condition->pieces[i];
    for (int side = 0; side < 2; side++) {
      const Number *from = side ? yes : no;
      if (c->is_known && (c->value != 0) != side)
        continue;
      for (int j = 0; j < from->num_pieces; j++) {
        Piece piece = from->pieces[j];
        piece.where = common(piece.where, c->where);
        piece.is_exact &= c->is_exact && c->is_known;
        add_piece(&result, piece);
        if (!c->is_known)
          blame(f, op);
      }
    }
  }
  return result;
}

//===-- Constants of the graph --------------------------------------------===//

static bool number_of_attr(MlirAttribute attr, double *out) {
  if (mlirAttributeIsAFloat(attr))
    *out = mlirFloatAttrGetValueDouble(attr);
  else if (mlirAttributeIsABool(attr))
    *out = mlirBoolAttrGetValue(attr);
  else if (mlirAttributeIsAInteger(attr))
    *out = (double)mlirIntegerAttrGetValueInt(attr);
  else
    return false;
  return true;
}

// Numbers that grow by the same along the only dimension of more than one
// element, as places do.
static bool progression_of(const Follow *f, MlirAttribute numbers,
                           const int *dims, Number *out) {
  MlirType type = mlirAttributeGetType(numbers);
  MlirType element = mlirShapedTypeGetElementType(type);
  int64_t count = mlirElementsAttrGetNumElements(numbers);
  int dim = -1;
  for (int d = 0; d < mlirShapedTypeGetRank(type); d++)
    if (mlirShapedTypeGetDimSize(type, d) == count)
      dim = dims[d];
  if (!mlirTypeIsAInteger(element) || mlirIntegerTypeGetWidth(element) != 32 ||
      count < 2 || (dim != f->m->query && dim != f->m->key))
    return false;
  int64_t first = mlirDenseElementsAttrGetInt32Value(numbers, 0);
  int64_t step = mlirDenseElementsAttrGetInt32Value(numbers, 1) - first;
  for (intptr_t i = 2; i < count; i++)
    if (mlirDenseElementsAttrGetInt32Value(numbers, i) != first + i * step)
      return false;
  *out = (Number){.is_place = true,
                  .of_query = dim == f->m->query ? step : 0,
                  .of_key = dim == f->m->key ? step : 0,
                  .constant = first};
  return true;
}

static double number_of_half(uint16_t bits) {
  int exponent = bits >> 10 & 31;
  double fraction = bits & 1023;
  double value = exponent == 31  ? (fraction != 0 ? NAN : INFINITY)
                 : exponent == 0 ? ldexp(fraction, -24)
                                 : ldexp(1024 + fraction, exponent - 25);
  return bits >> 15 ? -value : value;
}

// Element i of a tensor of constants; false for types that masks do not have.
static bool element_at(MlirAttribute numbers, intptr_t i, double *out) {
  MlirType element =
      mlirShapedTypeGetElementType(mlirAttributeGetType(numbers));
  if (mlirTypeIsAF32(element))
    *out = (double)mlirDenseElementsAttrGetFloatValue(numbers, i);
  else if (mlirTypeIsAF16(element))
    *out = number_of_half(
        ((const uint16_t *)mlirDenseElementsAttrGetRawData(numbers))[i]);
  else if (mlirTypeIsAInteger(element) && mlirIntegerTypeGetWidth(element) == 1)
    *out = mlirDenseElementsAttrGetBoolValue(numbers, i);
  else
    return false;
  return true;
}

// A table with a number for each query and key, of few different ones: masks
// that a front end has computed.
static bool table_of(const Follow *f, MlirAttribute numbers, const int *dims,
                     Number *out) {
  MlirType type = mlirAttributeGetType(numbers);
  int64_t count = mlirElementsAttrGetNumElements(numbers), per[2] = {0, 0};
  int64_t extent[2] = {1, 1}, stride = 1, num_found[MAX_PIECES] = {0};
  int64_t num_places[MAX_PIECES] = {0};
  for (int d = (int)mlirShapedTypeGetRank(type); d-- > 0;) {
    int64_t size = mlirShapedTypeGetDimSize(type, d);
    int side = dims[d] == f->m->key;
    if (size > 1 && (per[side] || (!side && dims[d] != f->m->query)))
      return false;
    if (size > 1)
      per[side] = stride, extent[side] = size;
    stride *= size;
  }
  *out = (Number){.num_pieces = 0};
  if (!per[0] || !per[1] || count != extent[0] * extent[1])
    return false;
  for (int64_t i = 0; i < count; i++) {
    int64_t place = i / per[1] % extent[1] - i / per[0] % extent[0];
    Piece piece = {{place, place}, true, true, 0};
    int k = 0;
    if (!element_at(numbers, i, &piece.value))
      return false;
    while (k < out->num_pieces && out->pieces[k].value != piece.value)
      k++;
    if (k == MAX_PIECES)
      return false;
    if (k == out->num_pieces)
      out->pieces[out->num_pieces++] = piece;
    out->pieces[k].where = hull(out->pieces[k].where, piece.where);
    num_found[k]++;
  }
  // Each place of the table that lies in the reach has the value.
  for (int64_t q = 0; q < extent[0]; q++)
    for (int k = 0; k < out->num_pieces; k++) {
      TileReach keys = {q + out->pieces[k].where.lo,
                        q + out->pieces[k].where.hi};
      keys = common(keys, (TileReach){0, extent[1] - 1});
      num_places[k] += is_nowhere(keys) ? 0 : keys.hi - keys.lo + 1;
    }
  for (int k = 0; k < out->num_pieces; k++) {
    out->pieces[k].is_exact = num_found[k] == num_places[k];
    if (out->pieces[k].where.lo == 1 - extent[0])
      out->pieces[k].where.lo = -TILE_ATTENTION_FAR;
    if (out->pieces[k].where.hi == extent[1] - 1)
      out->pieces[k].where.hi = TILE_ATTENTION_FAR;
  }
  return true;
}

static Number follow_value(Follow *f, MlirValue value,
                           const TileAttentionOp *op, int depth);

static Number follow_tensor(Follow *f, MlirValue tensor, const int *dims,
                            int depth) {
  TileAttentionOp maker = {.nest = {.num_loops = 0}};
  MlirAttribute constant;
  double value;
  Number places;
  bool is_dense = mlirxConstantAttr(tensor, &constant) &&
                  mlirAttributeIsADenseElements(constant);
  bool is_splat = is_dense && mlirDenseElementsAttrIsSplat(constant);
  if (is_dense && !is_splat &&
      (progression_of(f, constant, dims, &places) ||
       table_of(f, constant, dims, &places)))
    return places;
  if (is_splat &&
      number_of_attr(mlirDenseElementsAttrGetSplatValue(constant), &value))
    return of_constant(value);
  if (mlirValueIsABlockArgument(tensor) || depth == MAX_DEPTH)
    return of_data();
  MlirOperation owner = mlirOpResultGetOwner(tensor);
  if (!tile_nest_of(owner, &maker.nest) || maker.nest.num_outs != 1 ||
      maker.nest.kind != TILE_NEST_ELEMENTS)
    return of_data();
  int last = maker.nest.num_operands - 1;
  for (int d = 0; d < mlirAffineMapGetNumResults(maker.nest.maps[last]); d++) {
    int loop = tile_nest_loop(&maker.nest, last, d);
    if (loop < 0)
      return of_data();
    maker.score_dim[loop] = dims[d];
  }
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(owner, 0));
  return follow_value(f,
                      mlirOperationGetOperand(mlirBlockGetTerminator(body), 0),
                      &maker, depth + 1);
}

//===-- Bodies ------------------------------------------------------------===//

static Number follow_argument(Follow *f, MlirValue argument,
                              const TileAttentionOp *op, int depth) {
  int dims[TILE_NEST_MAX_LOOPS];
  int i = (int)mlirBlockArgumentGetArgNumber(argument);
  MlirValue operand = mlirOperationGetOperand(op->nest.op, i);
  if (!mlirTypeIsATensor(mlirValueGetType(operand)))
    return follow_value(f, operand, op, depth);
  for (int d = 0; d < mlirAffineMapGetNumResults(op->nest.maps[i]); d++) {
    int loop = tile_nest_loop(&op->nest, i, d);
    if (loop < 0)
      return of_data();
    dims[d] = op->score_dim[loop];
  }
  return follow_tensor(f, operand, dims, depth);
}

static Number place_of(const Follow *f, MlirOperation index,
                       const TileAttentionOp *op) {
  int64_t loop = mlirIntegerAttrGetValueInt(
      mlirOperationGetInherentAttributeByName(index, TILE_STR("dim")));
  int dim = op->score_dim[loop];
  if (dim != f->m->query && dim != f->m->key)
    return of_data();
  return (Number){.is_place = true,
                  .of_query = dim == f->m->query,
                  .of_key = dim == f->m->key};
}

// Truths become numbers, some -1.
static Number cast(MlirOperation op, const Number *from) {
  Number result = *from;
  bool is_truth =
      mlirTypeIsAInteger(mlirValueGetType(mlirOperationGetOperand(op, 0))) &&
      mlirIntegerTypeGetWidth(
          mlirValueGetType(mlirOperationGetOperand(op, 0))) == 1;
  for (int i = 0; i < result.num_pieces && is_truth; i++)
    result.pieces[i].value = result.pieces[i].value == 0                 ? 0
                             : arith_extsi_is(op) || arith_sitofp_is(op) ? -1
                                                                         : 1;
  return result;
}

static Number negative(const Number *n) {
  Number result = *n;
  for (int i = 0; i < result.num_pieces; i++)
    result.pieces[i].value = -result.pieces[i].value;
  return n->is_place ? of_data() : result;
}

static bool is_cast(MlirOperation op) {
  return arith_index_cast_is(op) || arith_extsi_is(op) || arith_extui_is(op) ||
         arith_trunci_is(op) || arith_sitofp_is(op) || arith_uitofp_is(op) ||
         arith_extf_is(op) || arith_truncf_is(op);
}

static CombineFn combine_fn_of(MlirOperation op) {
  return arith_addf_is(op) || arith_addi_is(op)   ? add
         : arith_subf_is(op) || arith_subi_is(op) ? subtract
         : arith_mulf_is(op) || arith_muli_is(op) ? multiply
         : arith_divf_is(op)                      ? divide
         : arith_andi_is(op)                      ? both
         : arith_ori_is(op)                       ? either
         : arith_xori_is(op)                      ? differ
                                                  : NULL;
}

static Number follow_op(Follow *f, MlirOperation op, const TileAttentionOp *in,
                        int depth) {
  Number n[3], sum;
  intptr_t count = mlirOperationGetNumOperands(op);
  CombineFn combine_fn = combine_fn_of(op);
  if (tile_op_name_begins(op, "linalg.index"))
    return place_of(f, op, in);
  if (count > 3 || mlirOperationGetNumRegions(op))
    return of_data();
  for (intptr_t i = 0; i < count; i++)
    n[i] = follow_value(f, mlirOperationGetOperand(op, i), in, depth + 1);
  if (is_cast(op))
    return cast(op, &n[0]);
  if (arith_cmpi_is(op))
    return compare(f, op, &n[0], &n[1], order_of_cmpi(op));
  if (arith_cmpf_is(op))
    return compare(f, op, &n[0], &n[1], order_of_cmpf(op));
  if (arith_select_is(op))
    return choose(f, op, &n[0], &n[1], &n[2]);
  if (arith_negf_is(op))
    return negative(&n[0]);
  if ((combine_fn == add || combine_fn == subtract) &&
      add_places(&n[0], &n[1], combine_fn == add ? 1 : -1, &sum))
    return sum;
  return combine_fn ? combine(&n[0], &n[1], combine_fn) : of_data();
}

static Number follow_value(Follow *f, MlirValue value,
                           const TileAttentionOp *op, int depth) {
  MlirAttribute constant;
  double number;
  if (mlirxConstantAttr(value, &constant) && number_of_attr(constant, &number))
    return of_constant(number);
  if (depth == MAX_DEPTH)
    return of_data();
  if (mlirValueIsABlockArgument(value))
    return tile_value_is_inside(value, op->nest.op)
               ? follow_argument(f, value, op, depth)
               : of_data();
  return tile_value_is_inside(value, op->nest.op)
             ? follow_op(f, mlirOpResultGetOwner(value), op, depth)
             : of_data();
}

//===-- What the kernel needs ---------------------------------------------===//

// Where a row sees no key, its hidden ones count: their lowness is finite. It
// sees itself where there is such a key, or the first one.
static bool sees_some(const TileAttention *m, TileReach reach) {
  MlirType type = mlirValueGetType(m->logits);
  int64_t queries = mlirShapedTypeGetDimSize(type, m->query);
  int64_t keys = mlirShapedTypeGetDimSize(type, m->key);
  bool is_static = !mlirShapedTypeIsDynamicDim(type, m->query) &&
                   !mlirShapedTypeIsDynamicDim(type, m->key);
  return reach.hi >= 0 && (reach.lo <= -TILE_ATTENTION_FAR ||
                           (reach.lo <= 0 && is_static && queries <= keys));
}

const char *tile_attention_mask(TileAttention *m, MlirOperation *out_culprit) {
  Follow f = {.m = m};
  int dims[TILE_NEST_MAX_LOOPS];
  for (int d = 0; d < m->rank; d++)
    dims[d] = d;
  m->reach = EVERYWHERE;
  Number logits = follow_tensor(&f, m->logits, dims, 0);
  TileReach seen = {TILE_ATTENTION_FAR, -TILE_ATTENTION_FAR};
  bool is_masked = false, is_exact = true, is_meant = false;
  int num_hidden = 0;
  for (int i = 0; i < logits.num_pieces; i++) {
    const Piece *piece = &logits.pieces[i];
    bool is_hidden = piece->is_known && piece->value <= HIDDEN;
    num_hidden += is_hidden;
    is_meant |= piece->is_known && !is_hidden && piece->value <= MEANT;
    if (is_hidden)
      m->hidden = piece->value;
    else
      seen = hull(seen, piece->where), is_exact &= piece->is_exact;
  }
  *out_culprit = f.culprit;
  is_masked = seen.lo > -TILE_ATTENTION_FAR || seen.hi < TILE_ATTENTION_FAR;
  if (!is_masked && is_meant)
    return "keys are hidden by a number above -60000, which may leave them a "
           "weight";
  if (!is_masked)
    return f.culprit.ptr && num_hidden
               ? "whether a key is hidden is no comparison of its place with "
                 "that of the query"
               : NULL;
  if (isinf(m->hidden) ? is_nowhere(seen) : !is_exact || !sees_some(m, seen))
    return "a row may see no key, and then its hidden keys count, whose logits "
           "are finite";
  m->reach = seen;
  return NULL;
}
