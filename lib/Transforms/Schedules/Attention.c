//===- Attention.c - Two products around a softmax as one kernel ----------===//
//
// No tiling of upstream's makes the running softmax of flash attention, so the
// kernel is written here, as linalg ops on tensors in blocks of queries and
// steps of keys. Between the first product and the softmax any elements may be
// computed: scales, masks, biases.
//
//===----------------------------------------------------------------------===//

#include "Transforms/Schedules/Attention.h"

#include "Dialect/ForeignOps.h"
#include "Support/Diagnostics.h"
#include "Support/Iterate.h"
#include "Tile/Ops/func.h"
#include "Tile/Ops/math.h"
#include "mlir-c/AffineExpr.h"
#include <stdio.h>

static MlirOperation owner_of(MlirValue value) {
  return mlirValueIsABlockArgument(value) ? TILE_NULL_OP
                                          : mlirOpResultGetOwner(value);
}

enum { MAX_DEPTH = 256 };

static MlirBlock body_of(MlirOperation op) {
  return mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
}

//===-- Scalars behind elements -------------------------------------------===//

/// What computes the elements of a tensor: an op in the body of a loop, or what
/// is no such loop.
typedef struct {
  MlirOperation op, nest; // null: `leaf`
  MlirValue leaf;
} Scalar;

static Scalar scalar_of_tensor(MlirValue tensor);

static Scalar scalar_of(MlirValue value, MlirOperation nest) {
  if (mlirValueIsABlockArgument(value) &&
      mlirBlockEqual(mlirBlockArgumentGetOwner(value), body_of(nest)))
    return scalar_of_tensor(
        mlirOperationGetOperand(nest, mlirBlockArgumentGetArgNumber(value)));
  if (!mlirValueIsABlockArgument(value) && tile_value_is_inside(value, nest))
    return (Scalar){mlirOpResultGetOwner(value), nest, TILE_NULL_VALUE};
  return (Scalar){TILE_NULL_OP, TILE_NULL_OP, value};
}

static Scalar scalar_of_tensor(MlirValue tensor) {
  TileNest nest;
  MlirOperation op = owner_of(tensor);
  if (!op.ptr || !tile_nest_of(op, &nest) || nest.num_outs != 1 ||
      nest.kind != TILE_NEST_ELEMENTS || tile_op_name_begins(op, "linalg.fill"))
    return (Scalar){TILE_NULL_OP, TILE_NULL_OP, tensor};
  return scalar_of(
      mlirOperationGetOperand(mlirBlockGetTerminator(body_of(op)), 0), op);
}

static Scalar operand_of(Scalar scalar, int i) {
  return scalar_of(mlirOperationGetOperand(scalar.op, i), scalar.nest);
}

static Scalar without_casts(Scalar scalar) {
  while (scalar.op.ptr &&
         (arith_extf_is(scalar.op) || arith_truncf_is(scalar.op)))
    scalar = operand_of(scalar, 0);
  return scalar;
}

static bool is_narrow(MlirType type) {
  return mlirTypeIsAFloat(type) && mlirFloatTypeGetWidth(type) < 32;
}

static bool is_same_scalar(Scalar a, Scalar b) {
  return a.op.ptr ? b.op.ptr && mlirOperationEqual(a.op, b.op)
                  : !b.op.ptr && mlirValueEqual(a.leaf, b.leaf);
}

//===-- The softmax -------------------------------------------------------===//

// A reduction of one loop by an op of this name; null for anything else.
static MlirOperation reduction_of(MlirValue tensor, const char *const *names) {
  TileNest nest;
  MlirOperation op = tensor.ptr ? owner_of(tensor) : TILE_NULL_OP;
  int num_reduced = 0;
  if (!op.ptr || !tile_nest_of(op, &nest) || nest.kind != TILE_NEST_REDUCE ||
      nest.num_operands != 2)
    return TILE_NULL_OP;
  for (int l = 0; l < nest.num_loops; l++)
    num_reduced += nest.is_reduced[l];
  MlirOperation combine = mlirBlockGetFirstOperation(body_of(op));
  for (; num_reduced == 1 && *names; names++)
    if (tile_op_name_begins(combine, *names) &&
        mlirxIsTerminator(mlirOperationGetNextInBlock(combine)))
      return op;
  return TILE_NULL_OP;
}

// weights = exp(logits - max) / sum, perhaps cast.
static bool match_softmax(TileAttention *m) {
  static const char *const adds[] = {"arith.addf", NULL};
  static const char *const maxima[] = {"arith.maximumf", "arith.maxnumf", NULL};
  Scalar quotient = without_casts(
      scalar_of_tensor(mlirOperationGetOperand(m->values.op, m->weights)));
  if (!quotient.op.ptr || !arith_divf_is(quotient.op))
    return false;
  Scalar exponential = without_casts(operand_of(quotient, 0));
  m->sum = reduction_of(without_casts(operand_of(quotient, 1)).leaf, adds);
  if (!exponential.op.ptr || !math_exp_is(exponential.op) || !m->sum.ptr ||
      !is_same_scalar(
          without_casts(scalar_of_tensor(mlirOperationGetOperand(m->sum, 0))),
          exponential))
    return false;
  Scalar difference = without_casts(operand_of(exponential, 0));
  if (!difference.op.ptr || !arith_subf_is(difference.op))
    return false;
  m->max = reduction_of(operand_of(difference, 1).leaf, maxima);
  if (!m->max.ptr)
    return false;
  m->logits = mlirOperationGetOperand(m->max, 0);
  MlirType type = element_of(m->logits);
  return is_same_scalar(scalar_of_tensor(m->logits),
                        operand_of(difference, 0)) &&
         (mlirTypeIsAF32(type) || is_narrow(type));
}

//===-- Dimensions --------------------------------------------------------===//

// The dimension of the logits that both reductions run along; -1: differ.
static int reduced_dim(MlirOperation reduction) {
  TileNest nest;
  if (!tile_nest_of(reduction, &nest))
    return -1;
  for (int d = 0; d < mlirAffineMapGetNumResults(nest.maps[0]); d++) {
    int loop = tile_nest_loop(&nest, 0, d);
    if (loop >= 0 && nest.is_reduced[loop])
      return d;
  }
  return -1;
}

// The number of an op in the chain that does the same for the same dimensions
// of the logits, or -1. An op may stand there twice: places of rows and
// columns.
static int chain_number(const TileAttention *m, const TileAttentionOp *op) {
  size_t bytes = sizeof *op->score_dim * (size_t)op->nest.num_loops;
  for (int i = 0; i < m->num_chain; i++)
    if (mlirOperationEqual(m->chain[i].nest.op, op->nest.op) &&
        !memcmp(m->chain[i].score_dim, op->score_dim, bytes))
      return i;
  return -1;
}

// The loops of an op in terms of the dimensions of the logits that its result
// follows.
static bool follow_dims(TileAttentionOp *op, const int *score_dim) {
  int last = op->nest.num_operands - 1;
  for (int d = 0; d < mlirAffineMapGetNumResults(op->nest.maps[last]); d++) {
    int loop = tile_nest_loop(&op->nest, last, d);
    if (loop < 0)
      return false;
    op->score_dim[loop] = score_dim[d];
  }
  return true;
}

// The first product, with the dimensions of its result in the order of the
// logits.
static bool take_scores(TileAttention *m, const TileNest *nest,
                        const int *score_dim) {
  MlirAffineExpr exprs[TILE_NEST_MAX_LOOPS] = {{NULL}};
  size_t bytes = sizeof *score_dim * (size_t)m->rank;
  if (m->scores.op.ptr)
    return mlirOperationEqual(m->scores.op, nest->op) &&
           !memcmp(m->score_dim, score_dim, bytes);
  if (mlirAffineMapGetNumResults(nest->maps[2]) != m->rank)
    return false;
  for (int d = 0; d < m->rank; d++)
    exprs[score_dim[d]] = mlirAffineMapGetResult(nest->maps[2], d);
  for (int d = 0; d < m->rank; d++)
    if (!exprs[d].ptr)
      return false;
  m->scores = *nest;
  m->scores.maps[2] = mlirAffineMapGet(mlirAffineMapGetContext(nest->maps[2]),
                                       nest->num_loops, 0, m->rank, exprs);
  memcpy(m->score_dim, score_dim, bytes);
  return true;
}

// Ops between the first product and the softmax, from the last one on; their
// loops in terms of the dimensions of the logits.
static bool match_chain(TileAttention *m, MlirValue tensor,
                        const int *score_dim) {
  TileAttentionOp op = {.nest = {.num_loops = 0}};
  MlirOperation owner = owner_of(tensor);
  if (owner.ptr && tile_nest_of(owner, &op.nest) &&
      op.nest.kind == TILE_NEST_PRODUCT) {
    return take_scores(m, &op.nest, score_dim);
  }
  if (!owner.ptr || op.nest.kind != TILE_NEST_ELEMENTS ||
      op.nest.num_outs != 1 || !op.nest.op.ptr ||
      tile_op_name_begins(owner, "linalg.fill") ||
      m->num_chain == TILE_ATTENTION_MAX_CHAIN) {
    for (int i = 0; i < m->num_outside; i++)
      if (mlirValueEqual(m->outside[i], tensor))
        return true;
    if (m->num_outside == TILE_ATTENTION_MAX_OUTSIDE)
      return false;
    m->outside[m->num_outside++] = tensor;
    return true;
  }
  int last = op.nest.num_operands - 1;
  if (!follow_dims(&op, score_dim))
    return false;
  if (chain_number(m, &op) >= 0)
    return true;
  m->chain[m->num_chain++] = op;
  for (int i = 0; i < last; i++) {
    int dims[TILE_NEST_MAX_LOOPS];
    MlirValue operand = mlirOperationGetOperand(owner, i);
    if (!mlirTypeIsATensor(mlirValueGetType(operand)))
      continue;
    for (int d = 0; d < mlirAffineMapGetNumResults(op.nest.maps[i]); d++) {
      int loop = tile_nest_loop(&op.nest, i, d);
      if (loop < 0)
        return false;
      dims[d] = op.score_dim[loop];
    }
    if (!match_chain(m, operand, dims))
      return false;
  }
  return true;
}

// The dimension of the logits that a loop of the second product follows; -1.
static int logit_of_value_loop(const TileAttention *m, int loop) {
  int dim = dim_following(&m->values, m->weights, loop);
  return dim; // the weights have the dimensions of the logits
}

// Whether a block of queries is better cut from dimension `a` than from `b`.
static bool is_longer(const TileAttention *m, int a, int b) {
  MlirType type = mlirValueGetType(m->logits); // the product has its own order
  int64_t dynamic = mlirShapedTypeGetDynamicSize();
  int64_t x = mlirShapedTypeGetDimSize(type, a);
  int64_t y = mlirShapedTypeGetDimSize(type, b);
  return x == dynamic || (y != dynamic && x >= y);
}

// Keys are what is reduced, queries the longest dimension that only the other
// factor has. All others are batches: heads of queries that share their keys
// are a dimension of the queries alone.
static bool match_dims(TileAttention *m) {
  m->key = reduced_dim(m->max);
  m->query = -1;
  if (m->key < 0 || m->key != reduced_dim(m->sum))
    return false;
  int key_loop = tile_nest_loop(&m->scores, 2, m->key);
  bool key_in_a = dim_following(&m->scores, 0, key_loop) >= 0;
  if (key_in_a == (dim_following(&m->scores, 1, key_loop) >= 0))
    return false;
  for (int d = 0; d < m->rank; d++) {
    int loop = tile_nest_loop(&m->scores, 2, d);
    bool has_keys = dim_following(&m->scores, !key_in_a, loop) >= 0;
    bool has_queries = dim_following(&m->scores, key_in_a, loop) >= 0;
    if (!has_keys && !has_queries)
      return false;
    if (has_queries && !has_keys && (m->query < 0 || is_longer(m, d, m->query)))
      m->query = d;
  }
  key_loop = tile_nest_loop(&m->values, m->weights, m->key);
  return m->query >= 0 && key_loop >= 0 && m->values.is_reduced[key_loop];
}

//===-- Heads of keys that heads of queries share -------------------------===//

// Whether the op only repeats elements, along the dimensions of its result that
// get `out_is_new`.
static bool is_broadcast(MlirOperation op, bool *out_is_new) {
  TileNest nest;
  if (!op.ptr || !tile_nest_of(op, &nest) || nest.num_operands != 2 ||
      nest.kind != TILE_NEST_ELEMENTS ||
      !mlirAffineMapIsIdentity(nest.maps[1]) ||
      !mlirTypeIsATensor(mlirValueGetType(mlirOperationGetOperand(op, 0))))
    return false;
  MlirValue yielded =
      mlirOperationGetOperand(mlirBlockGetTerminator(body_of(op)), 0);
  int next = 0, rank = (int)mlirAffineMapGetNumResults(nest.maps[0]);
  for (int l = 0; l < nest.num_loops; l++) {
    out_is_new[l] = next == rank || tile_nest_loop(&nest, 0, next) != l;
    next += !out_is_new[l];
  }
  return next == rank &&
         mlirValueEqual(yielded, mlirBlockGetArgument(body_of(op), 0));
}

// Repeated heads, [heads, shared] as one dimension, are read from before they
// were repeated.
static TileAttentionInput input_of(MlirValue tensor) {
  TileAttentionInput plain = {.tensor = tensor}, shared = plain;
  bool is_new[TILE_NEST_MAX_LOOPS];
  MlirOperation view = owner_of(tensor);
  for (int d = 0; d < TILE_NEST_MAX_LOOPS; d++)
    plain.num_sharing[d] = shared.num_sharing[d] = 1;
  if (!view.ptr || !tile_op_name_begins(view, "tensor.collapse_shape"))
    return plain;
  MlirOperation broadcast = owner_of(mlirOperationGetOperand(view, 0));
  if (!is_broadcast(broadcast, is_new))
    return plain;
  MlirType type = mlirValueGetType(mlirOperationGetOperand(view, 0));
  MlirAttribute groups =
      mlirOperationGetInherentAttributeByName(view, TILE_STR("reassociation"));
  int dim = 0;
  for (int g = 0; g < mlirArrayAttrGetNumElements(groups); g++) {
    intptr_t count =
        mlirArrayAttrGetNumElements(mlirArrayAttrGetElement(groups, g));
    bool repeats = count == 2 && !is_new[dim] && is_new[dim + 1] &&
                   !mlirShapedTypeIsDynamicDim(type, dim + 1);
    if (!repeats && (count != 1 || is_new[dim]))
      return plain;
    if (repeats)
      shared.num_sharing[g] = mlirShapedTypeGetDimSize(type, dim + 1);
    dim += (int)count;
  }
  shared.tensor = mlirOperationGetOperand(broadcast, 0);
  return shared;
}

// Only batches are shared.
static bool match_inputs(TileAttention *m) {
  for (int i = 0; i < 2; i++)
    m->inputs[i] = input_of(mlirOperationGetOperand(m->scores.op, i));
  m->inputs[2] =
      input_of(mlirOperationGetOperand(m->values.op, 1 - m->weights));
  for (int i = 0; i < 3; i++) {
    const TileNest *nest = i < 2 ? &m->scores : &m->values;
    int operand = i < 2 ? i : 1 - m->weights;
    for (int d = 0; d < mlirAffineMapGetNumResults(nest->maps[operand]); d++) {
      int loop = tile_nest_loop(nest, operand, d);
      int logit = i < 2 ? dim_following(&m->scores, 2, loop)
                        : dim_following(&m->values, m->weights, loop);
      if (m->inputs[i].num_sharing[d] > 1 &&
          (logit < 0 || logit == m->key || logit == m->query))
        return false;
    }
  }
  return true;
}

// Depth and columns of values lie in a block whole; nothing else is reduced.
static bool has_fitting_sizes(const TileAttention *m) {
  int num_depths = 0;
  for (int l = 0; l < m->scores.num_loops; l++) {
    if (!m->scores.is_reduced[l])
      continue;
    num_depths++;
    if (m->scores.extent[l] < 0 || m->scores.extent[l] > MAX_DEPTH)
      return false;
  }
  for (int l = 0; l < m->values.num_loops; l++) {
    bool is_column = dim_following(&m->values, m->weights, l) < 0;
    if (m->values.is_reduced[l] != (logit_of_value_loop(m, l) == m->key) ||
        (is_column &&
         (m->values.extent[l] < 0 || m->values.extent[l] > MAX_DEPTH)))
      return false;
  }
  return num_depths == 1;
}

//===-- Uses --------------------------------------------------------------===//

static bool is_at(MlirOperation op, const TileAttention *m) {
  return mlirOperationEqual(op, m->values.op);
}

// Whether everything that follows from the scores ends in the second product.
// Maps in between keep the dimensions of the logits in place.
static bool ends_in_values(const TileAttention *m, MlirValue tensor,
                           int depth) {
  MlirOpOperand use = mlirValueGetFirstUse(tensor);
  for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    TileNest nest;
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (is_at(user, m))
      continue;
    if (depth > TILE_ATTENTION_MAX_CHAIN || !tile_nest_of(user, &nest) ||
        nest.num_outs != 1 ||
        (nest.kind != TILE_NEST_ELEMENTS && nest.kind != TILE_NEST_REDUCE) ||
        mlirShapedTypeGetRank(mlirValueGetType(tensor)) > nest.num_loops)
      return false;
    // A tensor of all dimensions is read as it lies.
    int operand = (int)mlirOpOperandGetOperandNumber(use);
    for (int d = 0; d < m->rank &&
                    mlirShapedTypeGetRank(mlirValueGetType(tensor)) == m->rank;
         d++)
      if (tile_nest_loop(&nest, operand, d) != d)
        return false;
    // Rows are those of the logits without the keys, in order.
    int rows = (int)mlirShapedTypeGetRank(mlirValueGetType(tensor));
    for (int d = 0; d < rows && rows == m->rank - 1; d++) {
      bool has_keys = nest.num_loops == m->rank;
      if (tile_nest_loop(&nest, operand, d) !=
          (has_keys && d >= m->key ? d + 1 : d))
        return false;
    }
    if (!ends_in_values(m, mlirOperationGetResult(user, 0), depth + 1))
      return false;
  }
  return true;
}

static bool is_in_chain(const TileAttention *m, MlirOperation op) {
  for (int i = 0; i < m->num_chain; i++)
    if (mlirOperationEqual(m->chain[i].nest.op, op))
      return true;
  return false;
}

// Whether only the chain uses the scores, and what it makes of them, up to the
// logits; then as above.
static bool ends_in_logits(const TileAttention *m, MlirValue tensor,
                           int depth) {
  if (mlirValueEqual(tensor, m->logits))
    return ends_in_values(m, tensor, 0);
  MlirOpOperand use = mlirValueGetFirstUse(tensor);
  for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (depth > TILE_ATTENTION_MAX_CHAIN || !is_in_chain(m, user) ||
        !ends_in_logits(m, mlirOperationGetResult(user, 0), depth + 1))
      return false;
  }
  return true;
}

// The loop that rounds the result, where nothing else uses it.
static MlirOperation rounding_after(MlirValue result) {
  TileNest nest;
  MlirOpOperand use = mlirValueGetFirstUse(result);
  if (mlirOpOperandIsNull(use) ||
      !mlirOpOperandIsNull(mlirOpOperandGetNextUse(use)))
    return TILE_NULL_OP;
  MlirOperation user = mlirOpOperandGetOwner(use);
  if (!tile_nest_of(user, &nest) || nest.num_operands != 2 ||
      nest.kind != TILE_NEST_ELEMENTS ||
      !mlirAffineMapIsIdentity(nest.maps[0]) ||
      !mlirAffineMapIsIdentity(nest.maps[1]))
    return TILE_NULL_OP;
  MlirOperation first = mlirBlockGetFirstOperation(body_of(user));
  return arith_truncf_is(first) &&
                 mlirxIsTerminator(mlirOperationGetNextInBlock(first))
             ? user
             : TILE_NULL_OP;
}

static bool starts_at_zero(const TileNest *nest) {
  MlirOperation op = owner_of(mlirOperationGetOperand(nest->op, 2));
  return op.ptr && tile_op_name_begins(op, "linalg.fill") &&
         tile_value_is_zero_bits(mlirOperationGetOperand(op, 0));
}

static bool match(const TileNest *values, int weights, TileAttention *m) {
  int dims[TILE_NEST_MAX_LOOPS];
  *m = (TileAttention){.values = *values, .weights = weights};
  m->rank = (int)mlirShapedTypeGetRank(
      mlirValueGetType(mlirOperationGetOperand(values->op, weights)));
  for (int d = 0; d < m->rank; d++)
    dims[d] = d;
  if (!match_softmax(m) ||
      mlirShapedTypeGetRank(mlirValueGetType(m->logits)) != m->rank ||
      !match_chain(m, m->logits, dims) || !m->scores.op.ptr || !match_dims(m) ||
      !match_inputs(m) || !has_fitting_sizes(m) ||
      !starts_at_zero(&m->scores) || !starts_at_zero(&m->values) ||
      !mlirTypeIsAF32(element_of(mlirOperationGetResult(values->op, 0))) ||
      !ends_in_logits(m, mlirOperationGetResult(m->scores.op, 0), 0))
    return false;
  for (int i = 0; i < 2; i++) // tensor cores, or else three kernels are better
    if (tile_elem_bits(element_of(mlirOperationGetOperand(m->scores.op, i))) >
            16 ||
        tile_elem_bits(element_of(mlirOperationGetOperand(values->op, i))) > 16)
      return false;
  m->rounded = rounding_after(mlirOperationGetResult(values->op, 0));
  return true;
}

//===-- Sizes -------------------------------------------------------------===//

// Two warpgroups with 64 queries each where there are so many, the best of
// bench/history/2026-11-27-h200.json for heads of up to 128 columns and 256;
// 64 queries elsewhere.
static void choose_sizes(TileAttention *m, const TileTarget *target) {
  enum { SMALL = 64, LARGE = 128, MAX_COLUMNS = 128 };
  MlirType type = mlirValueGetType(m->logits);
  int64_t columns = 0;
  for (int l = 0; l < m->scores.num_loops; l++)
    if (m->scores.is_reduced[l])
      columns = m->scores.extent[l];
  for (int l = 0; l < m->values.num_loops; l++)
    if (dim_following(&m->values, m->weights, l) < 0 &&
        m->values.extent[l] > columns)
      columns = m->values.extent[l];
  bool has_many = mlirShapedTypeIsDynamicDim(type, m->query) ||
                  mlirShapedTypeGetDimSize(type, m->query) > SMALL;
  bool is_large = target->has_wgmma && has_many;
  m->block_queries = is_large ? LARGE : SMALL;
  m->step_keys = is_large && columns <= MAX_COLUMNS ? LARGE : SMALL;
  m->num_threads = 2 * m->block_queries;
}

//===-- The ops between ---------------------------------------------------===//

typedef struct {
  TileBuilder b;
  const TileAttention *m;
  MlirOperation call; // in place of them
  MlirValue outside[TILE_ATTENTION_MAX_OUTSIDE];
  MlirValue made[TILE_ATTENTION_MAX_CHAIN]; // per op of the chain
} Chain;

static MlirValue start_of(const Chain *c, int dim) {
  return mlirOperationGetOperand(c->call, 1 + 2 * dim);
}

// The window of a tensor that follows these dimensions of the logits.
static MlirValue window(Chain *c, MlirValue tensor, const int *dims) {
  int rank = rank_of(mlirValueGetType(tensor));
  int64_t offsets[TILE_NEST_MAX_LOOPS], sizes[TILE_NEST_MAX_LOOPS],
      strides[TILE_NEST_MAX_LOOPS], shape[TILE_NEST_MAX_LOOPS];
  MlirValue operands[1 + 2 * TILE_NEST_MAX_LOOPS] = {tensor};
  int num_offsets = rank, num_sizes = 0;
  int64_t dynamic = mlirShapedTypeGetDynamicSize();
  for (int d = 0; d < rank; d++) {
    int64_t part = tile_attention_part(c->m, dims[d]);
    offsets[d] = dynamic;
    operands[1 + d] = start_of(c, dims[d]);
    sizes[d] = shape[d] = part < 0 ? dynamic : part;
    strides[d] = 1;
    if (part < 0)
      operands[1 + rank + num_sizes++] =
          mlirOperationGetOperand(c->call, 2 + 2 * dims[d]);
  }
  MlirContext context = tile_builder_context(&c->b);
  TileState s;
  tile_ods_begin(&s, &c->b, "tensor.extract_slice");
  tile_ods_operands(&s, (TileValues){operands, 1 + num_offsets + num_sizes});
  tile_ods_type(&s, mlirRankedTensorTypeGet(rank, shape, element_of(tensor),
                                            (MlirAttribute){NULL}));
  tile_ods_put(&s, "static_offsets",
               mlirDenseI64ArrayGet(context, rank, offsets));
  tile_ods_put(&s, "static_sizes", mlirDenseI64ArrayGet(context, rank, sizes));
  tile_ods_put(&s, "static_strides",
               mlirDenseI64ArrayGet(context, rank, strides));
  const int32_t groups[] = {1, num_offsets, num_sizes, 0};
  tile_ods_segments(&s, &c->b, "operandSegmentSizes", groups, 4);
  return result_of(tile_ods_end(&s, &c->b));
}

static MlirValue empty_block(Chain *c, const TileAttentionOp *op) {
  const TileNest *nest = &op->nest;
  int last = nest->num_operands - 1, count = 0;
  int64_t shape[TILE_NEST_MAX_LOOPS];
  MlirValue sizes[TILE_NEST_MAX_LOOPS];
  int rank = (int)mlirAffineMapGetNumResults(nest->maps[last]);
  for (int d = 0; d < rank; d++) {
    int dim = op->score_dim[tile_nest_loop(nest, last, d)];
    int64_t part = tile_attention_part(c->m, dim);
    shape[d] = part < 0 ? mlirShapedTypeGetDynamicSize() : part;
    if (part < 0)
      sizes[count++] = mlirOperationGetOperand(c->call, 2 + 2 * dim);
  }
  MlirType element = element_of(mlirOperationGetOperand(nest->op, last));
  if (is_narrow(element))
    element = mlirF32TypeGet(tile_builder_context(&c->b));
  return result_of(
      make(&c->b, "tensor.empty", (TileValues){sizes, count},
           mlirRankedTensorTypeGet(rank, shape, element, (MlirAttribute){NULL}),
           NULL));
}

static MlirValue made_by_chain(Chain *c, int number);

// What the op reads: scores in place of scaled ones.
static MlirValue read_by(const TileAttention *m, MlirOperation op, int i) {
  MlirValue value = mlirOperationGetOperand(op, i);
  return m->scale_op.ptr && owner_of(value).ptr &&
                 mlirOperationEqual(owner_of(value), m->scale_op)
             ? mlirOperationGetResult(m->scores.op, 0)
             : value;
}

static MlirValue chain_operand(Chain *c, const TileAttentionOp *op, int i) {
  const TileAttention *m = c->m;
  MlirValue value = read_by(m, op->nest.op, i);
  int dims[TILE_NEST_MAX_LOOPS];
  if (!mlirTypeIsATensor(mlirValueGetType(value)))
    return value;
  if (mlirOperationEqual(owner_of(value), m->scores.op))
    return mlirOperationGetOperand(c->call, 0);
  for (int d = 0; d < mlirAffineMapGetNumResults(op->nest.maps[i]); d++)
    dims[d] = op->score_dim[tile_nest_loop(&op->nest, i, d)];
  TileAttentionOp maker = {.nest = {.num_loops = 0}};
  if (owner_of(value).ptr && tile_nest_of(owner_of(value), &maker.nest) &&
      maker.nest.num_outs == 1 && follow_dims(&maker, dims)) {
    int number = chain_number(m, &maker);
    if (number >= 0)
      return made_by_chain(c, number);
  }
  for (int k = 0; k < m->num_outside; k++)
    if (mlirValueEqual(m->outside[k], value))
      return window(c, c->outside[k], dims);
  return value;
}

typedef struct {
  Chain *chain;
  const TileAttentionOp *op;
} Shift;

// Indices count from where the block begins.
static MlirWalkResult shift_index(MlirOperation op, void *user_data) {
  Shift *shift = user_data;
  if (!tile_op_name_begins(op, "linalg.index"))
    return MlirWalkResultAdvance;
  int64_t loop = mlirIntegerAttrGetValueInt(
      mlirOperationGetInherentAttributeByName(op, TILE_STR("dim")));
  TileBuilder b = {mlirIRRewriterCreate(mlirOperationGetContext(op)),
                   mlirOperationGetLocation(op)};
  mlirRewriterBaseSetInsertionPointAfter(b.rw, op);
  MlirValue start = start_of(shift->chain, shift->op->score_dim[loop]);
  MlirValue index = mlirOperationGetResult(op, 0);
  MlirValue sum = arith_addi(&b, start, start);
  mlirValueReplaceAllUsesOfWith(index, sum);
  mlirOperationSetOperand(mlirOpResultGetOwner(sum), 0, index);
  mlirIRRewriterDestroy(b.rw);
  return MlirWalkResultAdvance;
}

// Logits are f32 from the first product to the softmax: what rounds them in
// between goes, as in other kernels of attention. Puts operands of narrower
// floats before an op, or takes a cast away that is none now.
static void widen_op(MlirOperation op) {
  MlirContext context = mlirOperationGetContext(op);
  MlirType f32 = mlirF32TypeGet(context);
  bool is_cast = arith_extf_is(op) || arith_truncf_is(op);
  if (is_cast &&
      mlirTypeIsAF32(mlirValueGetType(mlirOperationGetOperand(op, 0)))) {
    mlirValueReplaceAllUsesOfWith(result_of(op),
                                  mlirOperationGetOperand(op, 0));
    mlirOperationDestroy(op);
    return;
  }
  if (is_cast || arith_constant_is(op))
    return;
  TileBuilder b = {mlirIRRewriterCreate(context), mlirOperationGetLocation(op)};
  mlirRewriterBaseSetInsertionPointBefore(b.rw, op);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
    MlirValue operand = mlirOperationGetOperand(op, i);
    if (is_narrow(mlirValueGetType(operand)))
      mlirOperationSetOperand(op, i, cast_float(&b, operand, f32));
  }
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
    if (is_narrow(mlirValueGetType(mlirOperationGetResult(op, i))))
      mlirValueSetType(mlirOperationGetResult(op, i), f32);
  mlirIRRewriterDestroy(b.rw);
}

// The body as one on elements of these operands.
static void widen_body(MlirRegion body, TileValues operands) {
  MlirBlock block = mlirRegionGetFirstBlock(body);
  for (intptr_t i = 0; i < operands.n; i++) {
    MlirType type = mlirValueGetType(operands.p[i]);
    mlirBlockArgumentSetType(
        mlirBlockGetArgument(block, i),
        mlirTypeIsATensor(type) ? mlirShapedTypeGetElementType(type) : type);
  }
  TILE_FOR_EACH_OP (op, block)
    widen_op(op);
}

// How the op reads the scores, whose dimensions have the order of the logits.
static MlirAffineMap map_of_scores(const TileAttention *m, MlirAffineMap map) {
  MlirAffineExpr exprs[TILE_NEST_MAX_LOOPS];
  for (int d = 0; d < m->rank; d++)
    exprs[m->score_dim[d]] = mlirAffineMapGetResult(map, d);
  return mlirAffineMapGet(mlirAffineMapGetContext(map),
                          mlirAffineMapGetNumDims(map), 0, m->rank, exprs);
}

static MlirValue copy_chain_op(Chain *c, const TileAttentionOp *op) {
  MlirValue operands[TILE_NEST_MAX_OPERANDS];
  MlirAttribute maps[TILE_NEST_MAX_OPERANDS];
  MlirContext context = tile_builder_context(&c->b);
  int last = op->nest.num_operands - 1;
  for (int i = 0; i < last; i++)
    operands[i] = chain_operand(c, op, i);
  operands[last] = empty_block(c, op);
  for (int i = 0; i <= last; i++) {
    bool is_scores = mlirOperationEqual(owner_of(read_by(c->m, op->nest.op, i)),
                                        c->m->scores.op);
    maps[i] = mlirAffineMapAttrGet(
        is_scores ? map_of_scores(c->m, op->nest.maps[i]) : op->nest.maps[i]);
  }
  MlirOperation copy = mlirOperationClone(op->nest.op);
  MlirRegion body = mlirRegionCreate();
  mlirRegionTakeBody(body, mlirOperationGetRegion(copy, 0));
  mlirOperationDestroy(copy);
  widen_body(body, (TileValues){operands, last + 1});
  MlirValue made = generic(&c->b, (TileValues){operands, last + 1},
                           mlirArrayAttrGet(context, last + 1, maps),
                           iterator_types(context, &op->nest), body);
  Shift shift = {c, op};
  mlirOperationWalk(mlirOpResultGetOwner(made), shift_index, &shift,
                    MlirWalkPreOrder);
  return made;
}

// Makers come before users.
static MlirValue made_by_chain(Chain *c, int number) {
  if (!c->made[number].ptr)
    c->made[number] = copy_chain_op(c, &c->m->chain[number]);
  return c->made[number];
}

static MlirWalkResult find_call(MlirOperation op, void *user_data) {
  if (!func_call_is(op))
    return MlirWalkResultAdvance;
  *(MlirOperation *)user_data = op;
  return MlirWalkResultInterrupt;
}

//===-- Entry -------------------------------------------------------------===//

// Constants that bodies of the chain use are made anew in the function.
static MlirWalkResult localize(MlirOperation op, void *user_data) {
  MlirOperation function = user_data ? *(MlirOperation *)user_data : op;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
    MlirValue value = mlirOperationGetOperand(op, i);
    MlirAttribute constant;
    if (tile_value_is_inside(value, function) ||
        !mlirxConstantAttr(value, &constant))
      continue;
    TileBuilder b = {mlirIRRewriterCreate(mlirOperationGetContext(op)),
                     mlirOperationGetLocation(op)};
    mlirRewriterBaseSetInsertionPointBefore(
        b.rw, mlirBlockGetFirstOperation(tile_kernel_body(function)));
    mlirOperationSetOperand(op, i, arith_constant(&b, .value = constant));
    mlirIRRewriterDestroy(b.rw);
  }
  return MlirWalkResultAdvance;
}

static bool build(const TileAttention *m, MlirOperation function,
                  const char *name) {
  TileString text = {NULL, 0, 0};
  MlirContext context = mlirOperationGetContext(function);
  tile_attention_print(m, name, &text);
  MlirModule module = mlirxModuleParse(
      context, tile_str(tile_string_text(&text)), TILE_STR("attention"));
  tile_string_deinit(&text);
  if (mlirModuleIsNull(module))
    return false;
  MlirOperation kernel = TILE_NULL_OP;
  MlirBlock body = mlirModuleGetBody(module);
  TILE_FOR_EACH_OP (op, body)
    kernel = op;
  Chain c = {.b = {mlirIRRewriterCreate(context),
                   mlirOperationGetLocation(m->values.op)},
             .m = m};
  mlirOperationWalk(kernel, find_call, &c.call, MlirWalkPreOrder);
  for (int i = 0; i < m->num_outside; i++)
    c.outside[i] = mlirBlockGetArgument(tile_kernel_body(kernel), 3 + i);
  mlirRewriterBaseSetInsertionPointBefore(c.b.rw, c.call);
  bool has_chain = m->num_chain > 0 &&
                   !(m->scale_op.ptr &&
                     mlirOperationEqual(m->chain[0].nest.op, m->scale_op));
  MlirValue logits =
      has_chain ? made_by_chain(&c, 0) : mlirOperationGetOperand(c.call, 0);
  mlirValueReplaceAllUsesOfWith(result_of(c.call), logits);
  mlirRewriterBaseEraseOp(c.b.rw, c.call);
  mlirOperationRemoveFromParent(kernel);
  mlirModuleDestroy(module);
  mlirOperationWalk(kernel, localize, &kernel, MlirWalkPreOrder);
  mlirRewriterBaseSetInsertionPointAfter(c.b.rw, function);
  mlirRewriterBaseInsert(c.b.rw, kernel);
  mlirIRRewriterDestroy(c.b.rw);
  return true;
}

static void call_kernel(TileBuilder *b, const TileAttention *m,
                        const char *name) {
  MlirOperation last = m->rounded.ptr ? m->rounded : m->values.op;
  MlirValue args[3 + TILE_ATTENTION_MAX_OUTSIDE] = {
      m->inputs[0].tensor, m->inputs[1].tensor, m->inputs[2].tensor};
  memcpy(args + 3, m->outside, sizeof *args * (size_t)m->num_outside);
  mlirRewriterBaseSetInsertionPointBefore(b->rw, last);
  TileState s;
  tile_ods_begin(&s, b, "func.call");
  tile_ods_operands(&s, (TileValues){args, 3 + m->num_outside});
  tile_ods_type(&s, result_type(m));
  tile_ods_put(
      &s, "callee",
      mlirFlatSymbolRefAttrGet(tile_builder_context(b), tile_str(name)));
  mlirValueReplaceAllUsesOfWith(result_of(last),
                                result_of(tile_ods_end(&s, b)));
}

static void tell_reach(const TileAttention *m, const char *reason,
                       MlirOperation culprit) {
  bool ends = m->reach.hi < TILE_ATTENTION_FAR;
  bool begins = m->reach.lo > -TILE_ATTENTION_FAR;
  char bounds[96];
  if (reason) {
    tile_emit_remark(culprit.ptr ? culprit : m->values.op, "tile-graph/mask",
                     "every block of keys is multiplied: %s", reason);
    return;
  }
  if (!begins && !ends)
    return;
  if (begins && ends)
    snprintf(bounds, sizeof bounds, "from %lld to %lld", (long long)m->reach.lo,
             (long long)m->reach.hi);
  else
    snprintf(bounds, sizeof bounds, ends ? "up to %lld" : "from %lld",
             (long long)(ends ? m->reach.hi : m->reach.lo));
  tile_emit_remark(m->max, "tile-graph/mask",
                   "blocks of keys that no query sees are left out: a query "
                   "sees keys %s places after its own",
                   bounds);
}

bool tile_attention_form(TileBuilder *b, MlirOperation function,
                         const TileNest *values, const char *name,
                         const TileTarget *target) {
  TileAttention m;
  for (int weights = 0; weights < 2; weights++) {
    if (!match(values, weights, &m))
      continue;
    choose_sizes(&m, target);
    MlirOperation culprit;
    const char *reason = tile_attention_mask(&m, &culprit);
    tile_attention_scale(&m);
    if (!build(&m, function, name))
      continue;
    tile_emit_remark(m.values.op, "tile-graph/kernel",
                     "goes to kernel @%s: attention, blocks of %lld queries "
                     "and %lld keys",
                     name, (long long)m.block_queries, (long long)m.step_keys);
    tell_reach(&m, reason, culprit);
    b->loc = mlirOperationGetLocation(m.values.op);
    call_kernel(b, &m, name);
    return true;
  }
  return false;
}
