//===- Attention.c - Two products around a softmax as one kernel ----------===//
//
// No tiling of upstream's makes the running softmax of flash attention, so the
// kernel is written here, as linalg ops on tensors in blocks of queries and
// steps of keys. Between the first product and the softmax any elements may be
// computed: scales, masks, biases.
//
//===----------------------------------------------------------------------===//

#include "Transforms/Schedules/NestBuild.h"

#include "Dialect/ForeignOps.h"
#include "Support/Diagnostics.h"
#include "Support/Iterate.h"
#include "Support/MlirText.h"
#include "Tile/Ops/func.h"
#include "Tile/Ops/math.h"
#include "mlir-c/AffineExpr.h"

enum { MAX_CHAIN = 24, MAX_OUTSIDE = 12, QUERIES = 64, KEYS = 64, MAX_DEPTH = 256 };

typedef struct {
  TileNest nest;
  int score_dim[TILE_NEST_MAX_LOOPS]; // of the scores, per loop
} ChainOp;

typedef struct {
  TileNest scores, values; // the two products
  int weights;             // operand of `values` that the softmax makes
  MlirValue logits;        // what the softmax is of
  MlirOperation max, sum, rounded; // `rounded`: what follows the second product
  int rank, key, query;    // of the logits
  ChainOp chain[MAX_CHAIN]; // from the last to the first
  int num_chain;
  MlirValue outside[MAX_OUTSIDE]; // tensors that the chain reads
  int num_outside;
} Match;

static MlirOperation owner_of(MlirValue value) {
  return mlirValueIsABlockArgument(value) ? TILE_NULL_OP
                                          : mlirOpResultGetOwner(value);
}

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
    return scalar_of_tensor(mlirOperationGetOperand(
        nest, mlirBlockArgumentGetArgNumber(value)));
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
  while (scalar.op.ptr && (arith_extf_is(scalar.op) || arith_truncf_is(scalar.op)))
    scalar = operand_of(scalar, 0);
  return scalar;
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
static bool match_softmax(Match *m) {
  static const char *const adds[] = {"arith.addf", NULL};
  static const char *const maxima[] = {"arith.maximumf", "arith.maxnumf", NULL};
  Scalar quotient = without_casts(scalar_of_tensor(
      mlirOperationGetOperand(m->values.op, m->weights)));
  if (!quotient.op.ptr || !arith_divf_is(quotient.op))
    return false;
  Scalar exponential = without_casts(operand_of(quotient, 0));
  m->sum = reduction_of(without_casts(operand_of(quotient, 1)).leaf, adds);
  if (!exponential.op.ptr || !math_exp_is(exponential.op) || !m->sum.ptr ||
      !is_same_scalar(without_casts(scalar_of_tensor(
                          mlirOperationGetOperand(m->sum, 0))),
                      exponential))
    return false;
  Scalar difference = without_casts(operand_of(exponential, 0));
  if (!difference.op.ptr || !arith_subf_is(difference.op))
    return false;
  m->max = reduction_of(operand_of(difference, 1).leaf, maxima);
  if (!m->max.ptr)
    return false;
  m->logits = mlirOperationGetOperand(m->max, 0);
  return is_same_scalar(scalar_of_tensor(m->logits),
                        operand_of(difference, 0)) &&
         mlirTypeIsAF32(element_of(m->logits));
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

static int dim_following(const TileNest *nest, int operand, int loop) {
  for (int d = 0; d < mlirAffineMapGetNumResults(nest->maps[operand]); d++)
    if (tile_nest_loop(nest, operand, d) == loop)
      return d;
  return -1;
}

// Ops between the first product and the softmax, from the last one on; their
// loops in terms of the dimensions of the logits.
static bool match_chain(Match *m, MlirValue tensor, const int *score_dim) {
  ChainOp op = {.nest = {.num_loops = 0}};
  MlirOperation owner = owner_of(tensor);
  if (owner.ptr && tile_nest_of(owner, &op.nest) &&
      op.nest.kind == TILE_NEST_PRODUCT) {
    for (int d = 0; d < m->rank; d++)
      if (score_dim[d] != d)
        return false;
    if (m->scores.op.ptr && !mlirOperationEqual(m->scores.op, owner))
      return false;
    m->scores = op.nest;
    return true;
  }
  if (!owner.ptr || op.nest.kind != TILE_NEST_ELEMENTS ||
      op.nest.num_outs != 1 || !op.nest.op.ptr ||
      tile_op_name_begins(owner, "linalg.fill") || m->num_chain == MAX_CHAIN) {
    for (int i = 0; i < m->num_outside; i++)
      if (mlirValueEqual(m->outside[i], tensor))
        return true;
    if (m->num_outside == MAX_OUTSIDE)
      return false;
    m->outside[m->num_outside++] = tensor;
    return true;
  }
  int last = op.nest.num_operands - 1;
  for (int d = 0; d < mlirAffineMapGetNumResults(op.nest.maps[last]); d++) {
    int loop = tile_nest_loop(&op.nest, last, d);
    if (loop < 0)
      return false;
    op.score_dim[loop] = score_dim[d];
  }
  for (int i = 0; i < m->num_chain; i++)
    if (mlirOperationEqual(m->chain[i].nest.op, owner))
      return !memcmp(m->chain[i].score_dim, op.score_dim,
                     sizeof *op.score_dim * (size_t)op.nest.num_loops);
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
static int logit_of_value_loop(const Match *m, int loop) {
  int dim = dim_following(&m->values, m->weights, loop);
  return dim; // the weights have the dimensions of the logits
}

static bool match_dims(Match *m) {
  m->key = reduced_dim(m->max);
  if (m->key < 0 || m->key != reduced_dim(m->sum))
    return false;
  m->query = -1;
  for (int d = 0; d < m->rank; d++) {
    int loop = tile_nest_loop(&m->scores, 2, d);
    bool in_a = dim_following(&m->scores, 0, loop) >= 0;
    bool in_b = dim_following(&m->scores, 1, loop) >= 0;
    if (d == m->key ? in_a == in_b : !in_a && !in_b)
      return false;
    if (d == m->key || (in_a && in_b))
      continue;
    if (m->query >= 0)
      return false;
    m->query = d;
  }
  int key_loop = tile_nest_loop(&m->values, m->weights, m->key);
  return m->query >= 0 && key_loop >= 0 && m->values.is_reduced[key_loop];
}

// Depth and columns of values lie in a block whole; nothing else is reduced.
static bool has_fitting_sizes(const Match *m) {
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

static bool is_at(MlirOperation op, const Match *m) {
  return mlirOperationEqual(op, m->values.op);
}

// Whether everything that follows from the scores ends in the second product.
// Maps in between keep the dimensions of the logits in place.
static bool ends_in_values(const Match *m, MlirValue tensor, int depth) {
  MlirOpOperand use = mlirValueGetFirstUse(tensor);
  for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    TileNest nest;
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (is_at(user, m))
      continue;
    if (depth > MAX_CHAIN || !tile_nest_of(user, &nest) ||
        nest.num_outs != 1 ||
        (nest.kind != TILE_NEST_ELEMENTS && nest.kind != TILE_NEST_REDUCE) ||
        mlirShapedTypeGetRank(mlirValueGetType(tensor)) > nest.num_loops)
      return false;
    // A tensor of all dimensions is read as it lies.
    int operand = (int)mlirOpOperandGetOperandNumber(use);
    for (int d = 0; d < m->rank && mlirShapedTypeGetRank(
                                       mlirValueGetType(tensor)) == m->rank;
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

static bool match(const TileNest *values, int weights, Match *m) {
  int dims[TILE_NEST_MAX_LOOPS];
  *m = (Match){.values = *values, .weights = weights};
  m->rank = (int)mlirShapedTypeGetRank(
      mlirValueGetType(mlirOperationGetOperand(values->op, weights)));
  for (int d = 0; d < m->rank; d++)
    dims[d] = d;
  if (!match_softmax(m) ||
      mlirShapedTypeGetRank(mlirValueGetType(m->logits)) != m->rank ||
      !match_chain(m, m->logits, dims) || !m->scores.op.ptr ||
      !match_dims(m) || !has_fitting_sizes(m) || !starts_at_zero(&m->scores) ||
      !starts_at_zero(&m->values) ||
      !mlirTypeIsAF32(element_of(mlirOperationGetResult(values->op, 0))) ||
      !ends_in_values(m, mlirOperationGetResult(m->scores.op, 0), 0))
    return false;
  for (int i = 0; i < 2; i++) // tensor cores, or else three kernels are better
    if (tile_elem_bits(element_of(mlirOperationGetOperand(m->scores.op, i))) > 16 ||
        tile_elem_bits(element_of(mlirOperationGetOperand(values->op, i))) > 16)
      return false;
  m->rounded = rounding_after(mlirOperationGetResult(values->op, 0));
  return true;
}

//===-- The kernel as text ------------------------------------------------===//

typedef enum { WHOLE = -1 } Role; // else a dimension of the logits

typedef struct {
  const Match *m;
  TileString text;
} Writer;

static void print_type(TileString *out, MlirType type) {
  mlirTypePrint(type, tile_string_callback, out);
}

// The dimension of the logits that dimension `dim` of an operand follows.
static int role_of_factor(const Match *m, int operand, int dim) {
  int loop = tile_nest_loop(&m->scores, operand, dim);
  for (int d = 0; d < m->rank; d++)
    if (tile_nest_loop(&m->scores, 2, d) == loop)
      return d;
  return WHOLE;
}

static int role_of_value(const Match *m, int operand, int dim) {
  int loop = tile_nest_loop(&m->values, operand, dim);
  int role = dim_following(&m->values, m->weights, loop);
  return role < 0 ? WHOLE : role;
}

typedef int (*RoleFn)(const Match *m, int operand, int dim);

static int role_of_logit(const Match *m, int operand, int dim) {
  (void)m, (void)operand;
  return dim;
}

// Rows are the logits without keys.
static int role_of_row(const Match *m, int operand, int dim) {
  (void)operand;
  return dim < m->key ? dim : dim + 1;
}

// "1x?x64xf32": a block of a tensor.
static void print_block_type(Writer *w, MlirType like, int rank, RoleFn role,
                             int operand, MlirType element) {
  tile_string_print(&w->text, "tensor<");
  for (int d = 0; d < rank; d++) {
    int r = role(w->m, operand, d);
    if (r == WHOLE)
      tile_string_print(&w->text, "%lldx",
                        (long long)mlirShapedTypeGetDimSize(like, d));
    else
      tile_string_print(&w->text, r == w->m->key || r == w->m->query ? "?x"
                                                                      : "1x");
  }
  print_type(&w->text, element);
  tile_string_print(&w->text, ">");
}

static void print_dynamic_sizes(Writer *w, int rank, RoleFn role,
                                int operand) {
  const char *comma = "";
  for (int d = 0; d < rank; d++) {
    int r = role(w->m, operand, d);
    if (r != w->m->key && r != w->m->query)
      continue;
    tile_string_print(&w->text, "%s%s", comma,
                      r == w->m->key ? "%kn" : "%qn");
    comma = ", ";
  }
}

// "[%i0, %q, 0] [1, %qn, 64] [1, 1, 1]"
static void print_window(Writer *w, MlirType like, int rank, RoleFn role,
                         int operand) {
  const Match *m = w->m;
  for (int part = 0; part < 3; part++) {
    tile_string_print(&w->text, part ? " [" : "[");
    for (int d = 0; d < rank; d++) {
      int r = role(m, operand, d);
      if (d)
        tile_string_print(&w->text, ", ");
      if (part == 2)
        tile_string_print(&w->text, "1");
      else if (r == WHOLE)
        tile_string_print(&w->text, "%lld",
                          part ? (long long)mlirShapedTypeGetDimSize(like, d)
                               : 0LL);
      else if (r == m->key || r == m->query)
        tile_string_print(&w->text, "%%%s%s", r == m->key ? "k" : "q",
                          part ? "n" : "");
      else if (part)
        tile_string_print(&w->text, "1");
      else
        tile_string_print(&w->text, "%%i%d", r);
    }
    tile_string_print(&w->text, "]");
  }
}

static MlirType type_of_factor(const Match *m, int i) {
  return mlirValueGetType(mlirOperationGetOperand(m->scores.op, i));
}

static MlirType type_of_values(const Match *m) {
  return mlirValueGetType(
      mlirOperationGetOperand(m->values.op, 1 - m->weights));
}

static int rank_of(MlirType type) { return (int)mlirShapedTypeGetRank(type); }

static void print_slice(Writer *w, const char *name, const char *source,
                        MlirType type, RoleFn role, int operand) {
  tile_string_print(&w->text, "%%%s = tensor.extract_slice %%%s", name, source);
  print_window(w, type, rank_of(type), role, operand);
  tile_string_print(&w->text, " : ");
  print_type(&w->text, type);
  tile_string_print(&w->text, " to ");
  print_block_type(w, type, rank_of(type), role, operand,
                   mlirShapedTypeGetElementType(type));
  tile_string_print(&w->text, "\n");
}

static void print_maps(Writer *w, const TileNest *nest) {
  tile_string_print(&w->text, "[");
  for (int i = 0; i < 3; i++) {
    tile_string_print(&w->text, i ? ", affine_map<" : "affine_map<");
    mlirAffineMapPrint(nest->maps[i], tile_string_callback, &w->text);
    tile_string_print(&w->text, ">");
  }
  tile_string_print(&w->text, "]");
}

// The kinds of tensors in the kernel.
typedef enum { LOGITS, ROWS, RESULT } Kind;

static void print_kind(Writer *w, Kind kind, MlirType element) {
  const Match *m = w->m;
  MlirType result = mlirValueGetType(mlirOperationGetResult(m->values.op, 0));
  if (kind == RESULT)
    print_block_type(w, result, rank_of(result), role_of_value, 2, element);
  else
    print_block_type(w, result, kind == LOGITS ? m->rank : m->rank - 1,
                     kind == LOGITS ? role_of_logit : role_of_row, 0, element);
}

static void print_empty(Writer *w, const char *name, Kind kind,
                        MlirType element) {
  const Match *m = w->m;
  MlirType result = mlirValueGetType(mlirOperationGetResult(m->values.op, 0));
  tile_string_print(&w->text, "%%%s = tensor.empty(", name);
  print_dynamic_sizes(w,
                      kind == RESULT   ? rank_of(result)
                      : kind == LOGITS ? m->rank
                                       : m->rank - 1,
                      kind == RESULT   ? role_of_value
                      : kind == LOGITS ? role_of_logit
                                       : role_of_row,
                      2);
  tile_string_print(&w->text, ") : ");
  print_kind(w, kind, element);
  tile_string_print(&w->text, "\n");
}

// The map of a kind in loops over the dimensions of `loops`.
static void print_map(Writer *w, Kind loops, Kind kind) {
  const Match *m = w->m;
  MlirType result = mlirValueGetType(mlirOperationGetResult(m->values.op, 0));
  int rank = loops == RESULT ? rank_of(result)
                             : loops == LOGITS ? m->rank : m->rank - 1;
  tile_string_print(&w->text, "affine_map<(");
  for (int d = 0; d < rank; d++)
    tile_string_print(&w->text, "%sd%d", d ? ", " : "", d);
  tile_string_print(&w->text, ") -> (");
  const char *comma = "";
  for (int d = 0; d < (kind == ROWS ? m->rank - 1 : rank); d++) {
    int at = d;
    if (kind == ROWS && loops == LOGITS)
      at = role_of_row(m, 0, d);
    for (int r = 0; r < rank && kind == ROWS && loops == RESULT; r++)
      if (role_of_value(m, 2, r) == role_of_row(m, 0, d))
        at = r;
    tile_string_print(&w->text, "%sd%d", comma, at);
    comma = ", ";
  }
  tile_string_print(&w->text, ")>");
}

/// Loops over a kind of tensor, whose operands are kinds of f32.
typedef struct {
  const char *name, *init;
  Kind loops, out;
  const char *ins[2];
  Kind kinds[2];
  int num_ins;
  bool is_reduction;
  const char *body; // of %a, %b and the old %o; yields %y
  MlirType element; // of the result
} Loops;

static void print_loops(Writer *w, const Loops *l) {
  MlirContext context = mlirOperationGetContext(w->m->values.op);
  MlirType f32 = mlirF32TypeGet(context);
  MlirType result =
      mlirValueGetType(mlirOperationGetResult(w->m->values.op, 0));
  int rank = l->loops == RESULT   ? rank_of(result)
             : l->loops == LOGITS ? w->m->rank
                                  : w->m->rank - 1;
  tile_string_print(&w->text, "%%%s = linalg.generic {indexing_maps = [",
                    l->name);
  for (int i = 0; i < l->num_ins; i++) {
    print_map(w, l->loops, l->kinds[i]);
    tile_string_print(&w->text, ", ");
  }
  print_map(w, l->loops, l->out);
  tile_string_print(&w->text, "], iterator_types = [");
  for (int d = 0; d < rank; d++)
    tile_string_print(&w->text, "%s\"%s\"", d ? ", " : "",
                      l->is_reduction && d == w->m->key ? "reduction"
                                                        : "parallel");
  tile_string_print(&w->text, "]} ins(");
  for (int i = 0; i < l->num_ins; i++)
    tile_string_print(&w->text, "%s%%%s", i ? ", " : "", l->ins[i]);
  tile_string_print(&w->text, " : ");
  for (int i = 0; i < l->num_ins; i++) {
    tile_string_print(&w->text, i ? ", " : "");
    print_kind(w, l->kinds[i], f32);
  }
  tile_string_print(&w->text, ") outs(%%%s : ", l->init);
  print_kind(w, l->out, l->element);
  tile_string_print(&w->text, ") {\n^bb0(%%a: f32, %s%%o: ",
                    l->num_ins > 1 ? "%b: f32, " : "");
  print_type(&w->text, l->element);
  tile_string_print(&w->text, "):\n%s\nlinalg.yield %%y : ", l->body);
  print_type(&w->text, l->element);
  tile_string_print(&w->text, "\n} -> ");
  print_kind(w, l->out, l->element);
  tile_string_print(&w->text, "\n");
}

static void print_fill(Writer *w, const char *name, Kind kind,
                       const char *value) {
  MlirType f32 = mlirF32TypeGet(mlirOperationGetContext(w->m->values.op));
  char empty[32];
  snprintf(empty, sizeof empty, "%se", name);
  print_empty(w, empty, kind, f32);
  tile_string_print(&w->text, "%%%s = linalg.fill ins(%%%s : f32) outs(%%%s : ",
                    name, value, empty);
  print_kind(w, kind, f32);
  tile_string_print(&w->text, ") -> ");
  print_kind(w, kind, f32);
  tile_string_print(&w->text, "\n");
}

static void print_product(Writer *w, const char *name, const TileNest *nest,
                          const char *const *ins, const char *init,
                          bool is_scores) {
  const Match *m = w->m;
  MlirType f32 = mlirF32TypeGet(mlirOperationGetContext(m->values.op));
  tile_string_print(&w->text, "%%%s = linalg.contract indexing_maps = ", name);
  print_maps(w, nest);
  tile_string_print(&w->text, " ins(%%%s, %%%s : ", ins[0], ins[1]);
  for (int i = 0; i < 2; i++) {
    MlirType type = mlirValueGetType(mlirOperationGetOperand(nest->op, i));
    tile_string_print(&w->text, i ? ", " : "");
    print_block_type(w, type, rank_of(type),
                     is_scores ? role_of_factor : role_of_value, i,
                     mlirShapedTypeGetElementType(type));
  }
  tile_string_print(&w->text, ") outs(%%%s : ", init);
  print_kind(w, is_scores ? LOGITS : RESULT, f32);
  tile_string_print(&w->text, ") -> ");
  print_kind(w, is_scores ? LOGITS : RESULT, f32);
  tile_string_print(&w->text, "\n");
}

// Where the numbers of extents come from: a factor has every batch, query, key.
static void print_extents(Writer *w) {
  const Match *m = w->m;
  for (int d = 0; d < m->rank; d++)
    for (int i = 0, is_found = 0; i < 2 && !is_found; i++) {
      MlirType type = type_of_factor(m, i);
      for (int k = 0; k < rank_of(type) && !is_found; k++) {
        if (role_of_factor(m, i, k) != d)
          continue;
        tile_string_print(&w->text,
                          "%%x%d = arith.constant %d : index\n"
                          "%%n%d = tensor.dim %%f%d, %%x%d : ",
                          d, k, d, i, d);
        print_type(&w->text, type);
        tile_string_print(&w->text, "\n");
        is_found = 1;
      }
    }
}

static MlirType result_type(const Match *m) {
  return mlirValueGetType(
      mlirOperationGetResult(m->rounded.ptr ? m->rounded : m->values.op, 0));
}

// Round after round: the greatest logit so far, sums that are relative to it.
static void print_step(Writer *w) {
  const Match *m = w->m;
  MlirType f32 = mlirF32TypeGet(mlirOperationGetContext(m->values.op));
  MlirType weights =
      element_of(mlirOperationGetOperand(m->values.op, m->weights));
  int query_side = 0;
  for (int k = 0; k < rank_of(type_of_factor(m, 1)); k++)
    if (role_of_factor(m, 1, k) == m->query)
      query_side = 1;
  tile_string_print(&w->text, "%%kn = affine.min affine_map<(d0)[s0] -> (-d0 + "
                              "s0, %d)>(%%k)[%%n%d]\n",
                    KEYS, m->key);
  print_slice(w, "ks", query_side ? "f0" : "f1",
              type_of_factor(m, 1 - query_side), role_of_factor,
              1 - query_side);
  print_slice(w, "vs", "v", type_of_values(m), role_of_value, 1 - m->weights);
  print_fill(w, "s0", LOGITS, "zero");
  const char *factors[] = {query_side ? "ks" : "qc", query_side ? "qc" : "ks"};
  print_product(w, "s1", &m->scores, factors, "s0", true);
  tile_string_print(&w->text, "%%s2 = func.call @chain(%%s1");
  for (int d = 0; d < m->rank; d++)
    tile_string_print(&w->text, d == m->key     ? ", %%k, %%kn"
                                : d == m->query ? ", %%q, %%qn"
                                                : ", %%i%d, %%one",
                      d);
  tile_string_print(&w->text, ") : (");
  print_kind(w, LOGITS, f32);
  for (int d = 0; d < 2 * m->rank; d++)
    tile_string_print(&w->text, ", index");
  tile_string_print(&w->text, ") -> ");
  print_kind(w, LOGITS, f32);
  tile_string_print(&w->text, "\n");
  print_empty(w, "re", ROWS, f32);
  print_empty(w, "pe", LOGITS, f32);
  print_empty(w, "we", LOGITS, weights);
  const Loops loops[] = {
      {"m1", "mx", LOGITS, ROWS, {"s2"}, {LOGITS}, 1, true,
       "%y = arith.maximumf %a, %o : f32", f32},
      // Rows of which every logit is -inf have no weights, not NaN.
      {"mz", "re", ROWS, ROWS, {"m1"}, {ROWS}, 1, false,
       "%c = arith.cmpf oeq, %a, %low : f32\n"
       "%y = arith.select %c, %zero, %a : f32", f32},
      {"r", "re", ROWS, ROWS, {"mx", "mz"}, {ROWS, ROWS}, 2, false,
       "%d = arith.subf %a, %b : f32\n%y = math.exp %d : f32", f32},
      {"p", "pe", LOGITS, LOGITS, {"s2", "mz"}, {LOGITS, ROWS}, 2, false,
       "%d = arith.subf %a, %b : f32\n%y = math.exp %d : f32", f32},
      {"l0", "re", ROWS, ROWS, {"sm", "r"}, {ROWS, ROWS}, 2, false,
       "%y = arith.mulf %a, %b : f32", f32},
      {"l1", "l0", LOGITS, ROWS, {"p"}, {LOGITS}, 1, true,
       "%y = arith.addf %a, %o : f32", f32},
      {"a0", "ae", RESULT, RESULT, {"acc", "r"}, {RESULT, ROWS}, 2, false,
       "%y = arith.mulf %a, %b : f32", f32},
  };
  print_empty(w, "ae", RESULT, f32);
  for (size_t i = 0; i < sizeof loops / sizeof *loops; i++)
    print_loops(w, &loops[i]);
  TileString cast = {NULL, 0, 0};
  tile_string_print(&cast, "%%y = arith.truncf %%a : f32 to ");
  print_type(&cast, weights);
  const Loops round = {"w", "we", LOGITS, LOGITS, {"p"}, {LOGITS}, 1, false,
                       tile_string_text(&cast), weights};
  print_loops(w, &round);
  tile_string_deinit(&cast);
  const char *parts[] = {m->weights ? "vs" : "w", m->weights ? "w" : "vs"};
  print_product(w, "a1", &m->values, parts, "a0", false);
}

static void print_carried(Writer *w) {
  MlirType f32 = mlirF32TypeGet(mlirOperationGetContext(w->m->values.op));
  print_kind(w, RESULT, f32);
  tile_string_print(&w->text, ", ");
  print_kind(w, ROWS, f32);
  tile_string_print(&w->text, ", ");
  print_kind(w, ROWS, f32);
}

static void print_block(Writer *w) {
  const Match *m = w->m;
  MlirType f32 = mlirF32TypeGet(mlirOperationGetContext(m->values.op));
  int query_side = 0;
  for (int k = 0; k < rank_of(type_of_factor(m, 1)); k++)
    if (role_of_factor(m, 1, k) == m->query)
      query_side = 1;
  MlirType queries = type_of_factor(m, query_side);
  tile_string_print(&w->text, "%%qn = affine.min affine_map<(d0)[s0] -> (-d0 + "
                              "s0, %d)>(%%q)[%%n%d]\n",
                    QUERIES, m->query);
  print_slice(w, "qs", query_side ? "f1" : "f0", queries, role_of_factor,
              query_side);
  tile_string_print(&w->text, "%%qe = bufferization.alloc_tensor(");
  print_dynamic_sizes(w, rank_of(queries), role_of_factor, query_side);
  tile_string_print(&w->text,
                    ") {memory_space = #gpu.address_space<workgroup>} : ");
  MlirType element = mlirShapedTypeGetElementType(queries);
  print_block_type(w, queries, rank_of(queries), role_of_factor, query_side,
                   element);
  tile_string_print(&w->text, "\n%%qc = linalg.copy ins(%%qs : ");
  print_block_type(w, queries, rank_of(queries), role_of_factor, query_side,
                   element);
  tile_string_print(&w->text, ") outs(%%qe : ");
  print_block_type(w, queries, rank_of(queries), role_of_factor, query_side,
                   element);
  tile_string_print(&w->text, ") -> ");
  print_block_type(w, queries, rank_of(queries), role_of_factor, query_side,
                   element);
  tile_string_print(&w->text, "\n");
  print_fill(w, "acc0", RESULT, "zero");
  print_fill(w, "mx0", ROWS, "low");
  print_fill(w, "sm0", ROWS, "zero");
  tile_string_print(&w->text,
                    "%%last:3 = scf.for %%k = %%c0 to %%n%d step %%step "
                    "iter_args(%%acc = %%acc0, %%mx = %%mx0, %%sm = %%sm0) -> (",
                    m->key);
  print_carried(w);
  tile_string_print(&w->text, ") {\n");
  print_step(w);
  tile_string_print(&w->text, "scf.yield %%a1, %%m1, %%l1 : ");
  print_carried(w);
  tile_string_print(&w->text, "\n} {tile.num_stages = 2 : i32}\n");
  MlirType out = mlirShapedTypeGetElementType(result_type(m));
  TileString body = {NULL, 0, 0};
  tile_string_print(&body, "%%%s = arith.divf %%a, %%b : f32",
                    m->rounded.ptr ? "d" : "y");
  if (m->rounded.ptr) {
    tile_string_print(&body, "\n%%y = arith.truncf %%d : f32 to ");
    print_type(&body, out);
  }
  print_empty(w, "oe", RESULT, out);
  const Loops divide = {"res", "oe", RESULT, RESULT, {"last#0", "last#2"},
                        {RESULT, ROWS}, 2, false, tile_string_text(&body), out};
  print_loops(w, &divide);
  tile_string_deinit(&body);
  (void)f32;
}

static void print_kernel(Writer *w, const char *name) {
  const Match *m = w->m;
  MlirType result = result_type(m);
  TileString *t = &w->text;
  tile_string_print(t, "func.func private @chain(");
  print_kind(w, LOGITS, mlirF32TypeGet(mlirOperationGetContext(m->values.op)));
  for (int d = 0; d < 2 * m->rank; d++)
    tile_string_print(t, ", index");
  tile_string_print(t, ") -> ");
  print_kind(w, LOGITS, mlirF32TypeGet(mlirOperationGetContext(m->values.op)));
  tile_string_print(t, "\nfunc.func private @%s(%%f0: ", name);
  print_type(t, type_of_factor(m, 0));
  tile_string_print(t, ", %%f1: ");
  print_type(t, type_of_factor(m, 1));
  tile_string_print(t, ", %%v: ");
  print_type(t, type_of_values(m));
  for (int i = 0; i < m->num_outside; i++) {
    tile_string_print(t, ", %%t%d: ", i);
    print_type(t, mlirValueGetType(m->outside[i]));
  }
  tile_string_print(t, ") -> ");
  print_type(t, result);
  tile_string_print(t, " {\n%%zero = arith.constant 0.0 : f32\n"
                       "%%low = arith.constant 0xFF800000 : f32\n"
                       "%%c0 = arith.constant 0 : index\n"
                       "%%one = arith.constant 1 : index\n"
                       "%%step = arith.constant %d : index\n",
                    KEYS);
  print_extents(w);
  tile_string_print(t, "%%init = tensor.empty(");
  const char *comma = "";
  for (int d = 0; d < rank_of(result); d++)
    if (mlirShapedTypeIsDynamicDim(result, d)) {
      tile_string_print(t, "%s%%n%d", comma, role_of_value(m, 2, d));
      comma = ", ";
    }
  tile_string_print(t, ") : ");
  print_type(t, result);
  tile_string_print(t, "\n%%out = scf.forall (");
  for (int part = 0; part < 4; part++) { // the queries are the fastest
    tile_string_print(t, part == 0   ? ""
                         : part == 1 ? ") = ("
                         : part == 2 ? ") to ("
                                     : ") step (");
    for (int d = 0; d < m->rank; d++) {
      if (d == m->key || d == m->query)
        continue;
      tile_string_print(t, part == 0   ? "%%i%d, "
                           : part == 1 ? "0, "
                           : part == 2 ? "%%n%d, "
                                       : "1, ",
                        d);
    }
    tile_string_print(t, part == 0   ? "%%q"
                         : part == 1 ? "0"
                         : part == 2 ? "%%n%d"
                                     : "%d",
                      part == 2 ? m->query : QUERIES);
  }
  tile_string_print(t, ") shared_outs(%%dst = %%init) -> (");
  print_type(t, result);
  tile_string_print(t, ") {\n");
  print_block(w);
  tile_string_print(t, "scf.forall.in_parallel {\n"
                       "tensor.parallel_insert_slice %%res into %%dst");
  print_window(w, result, rank_of(result), role_of_value, 2);
  tile_string_print(t, " : ");
  print_kind(w, RESULT, mlirShapedTypeGetElementType(result));
  tile_string_print(t, " into ");
  print_type(t, result);
  tile_string_print(t, "\n}\n} {mapping = [");
  for (int d = m->rank - 2; d >= 0; d--) { // a dimension each but for the keys
    static const char *const axes[] = {"x", "y", "z"};
    if (m->rank - 1 <= 3)
      tile_string_print(t, "#gpu.block<%s>", axes[d]);
    else
      tile_string_print(t, "#gpu.block<linear_dim_%d>", d);
    tile_string_print(t, d ? ", " : "");
  }
  tile_string_print(t, "], tile.num_threads = 128 : i64}\nreturn %%out : ");
  print_type(t, result);
  tile_string_print(t, "\n}\n");
}

//===-- The ops between ---------------------------------------------------===//

typedef struct {
  TileBuilder b;
  const Match *m;
  MlirOperation call; // in place of them
  MlirValue outside[MAX_OUTSIDE];
  MlirValue made[MAX_CHAIN]; // per op of the chain
} Chain;

static MlirValue start_of(const Chain *c, int dim) {
  return mlirOperationGetOperand(c->call, 1 + 2 * dim);
}

static bool is_dynamic_dim(const Match *m, int dim) {
  return dim == m->key || dim == m->query;
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
    bool is_dynamic = is_dynamic_dim(c->m, dims[d]);
    offsets[d] = dynamic;
    operands[1 + d] = start_of(c, dims[d]);
    sizes[d] = shape[d] = is_dynamic ? dynamic : 1;
    strides[d] = 1;
    if (is_dynamic)
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

static MlirValue empty_block(Chain *c, const ChainOp *op) {
  const TileNest *nest = &op->nest;
  int last = nest->num_operands - 1, count = 0;
  int64_t shape[TILE_NEST_MAX_LOOPS];
  MlirValue sizes[TILE_NEST_MAX_LOOPS];
  int rank = (int)mlirAffineMapGetNumResults(nest->maps[last]);
  for (int d = 0; d < rank; d++) {
    int dim = op->score_dim[tile_nest_loop(nest, last, d)];
    bool is_dynamic = is_dynamic_dim(c->m, dim);
    shape[d] = is_dynamic ? mlirShapedTypeGetDynamicSize() : 1;
    if (is_dynamic)
      sizes[count++] = mlirOperationGetOperand(c->call, 2 + 2 * dim);
  }
  MlirType element = element_of(mlirOperationGetOperand(nest->op, last));
  return result_of(make(&c->b, "tensor.empty", (TileValues){sizes, count},
                        mlirRankedTensorTypeGet(rank, shape, element,
                                                (MlirAttribute){NULL}),
                        NULL));
}

static MlirValue chain_operand(Chain *c, const ChainOp *op, int i) {
  const Match *m = c->m;
  MlirValue value = mlirOperationGetOperand(op->nest.op, i);
  int dims[TILE_NEST_MAX_LOOPS];
  if (!mlirTypeIsATensor(mlirValueGetType(value)))
    return value;
  if (mlirOperationEqual(owner_of(value), m->scores.op))
    return mlirOperationGetOperand(c->call, 0);
  for (int k = 0; k < m->num_chain; k++)
    if (owner_of(value).ptr &&
        mlirOperationEqual(m->chain[k].nest.op, owner_of(value)))
      return c->made[k];
  for (int d = 0; d < mlirAffineMapGetNumResults(op->nest.maps[i]); d++)
    dims[d] = op->score_dim[tile_nest_loop(&op->nest, i, d)];
  for (int k = 0; k < m->num_outside; k++)
    if (mlirValueEqual(m->outside[k], value))
      return window(c, c->outside[k], dims);
  return value;
}

typedef struct {
  Chain *chain;
  const ChainOp *op;
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

static MlirValue copy_chain_op(Chain *c, const ChainOp *op) {
  MlirValue operands[TILE_NEST_MAX_OPERANDS];
  MlirAttribute maps[TILE_NEST_MAX_OPERANDS];
  MlirContext context = tile_builder_context(&c->b);
  int last = op->nest.num_operands - 1;
  for (int i = 0; i < last; i++)
    operands[i] = chain_operand(c, op, i);
  operands[last] = empty_block(c, op);
  for (int i = 0; i <= last; i++)
    maps[i] = mlirAffineMapAttrGet(op->nest.maps[i]);
  MlirOperation copy = mlirOperationClone(op->nest.op);
  MlirRegion body = mlirRegionCreate();
  mlirRegionTakeBody(body, mlirOperationGetRegion(copy, 0));
  mlirOperationDestroy(copy);
  MlirValue made = generic(&c->b, (TileValues){operands, last + 1},
                           mlirArrayAttrGet(context, last + 1, maps),
                           iterator_types(context, &op->nest), body);
  Shift shift = {c, op};
  mlirOperationWalk(mlirOpResultGetOwner(made), shift_index, &shift,
                    MlirWalkPreOrder);
  return made;
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

static bool build(const Match *m, MlirOperation function, const char *name) {
  Writer w = {.m = m};
  MlirContext context = mlirOperationGetContext(function);
  print_kernel(&w, name);
  MlirModule module = mlirxModuleParse(
      context, tile_str(tile_string_text(&w.text)), TILE_STR("attention"));
  tile_string_deinit(&w.text);
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
  for (int i = m->num_chain; i-- > 0;)
    c.made[i] = copy_chain_op(&c, &m->chain[i]);
  mlirValueReplaceAllUsesOfWith(result_of(c.call),
                                m->num_chain
                                    ? c.made[0]
                                    : mlirOperationGetOperand(c.call, 0));
  mlirRewriterBaseEraseOp(c.b.rw, c.call);
  mlirOperationRemoveFromParent(kernel);
  mlirModuleDestroy(module);
  mlirOperationWalk(kernel, localize, &kernel, MlirWalkPreOrder);
  mlirRewriterBaseSetInsertionPointAfter(c.b.rw, function);
  mlirRewriterBaseInsert(c.b.rw, kernel);
  mlirIRRewriterDestroy(c.b.rw);
  return true;
}

static void call_kernel(TileBuilder *b, const Match *m, const char *name) {
  MlirOperation last = m->rounded.ptr ? m->rounded : m->values.op;
  MlirValue args[3 + MAX_OUTSIDE] = {
      mlirOperationGetOperand(m->scores.op, 0),
      mlirOperationGetOperand(m->scores.op, 1),
      mlirOperationGetOperand(m->values.op, 1 - m->weights)};
  memcpy(args + 3, m->outside, sizeof *args * (size_t)m->num_outside);
  mlirRewriterBaseSetInsertionPointBefore(b->rw, last);
  TileState s;
  tile_ods_begin(&s, b, "func.call");
  tile_ods_operands(&s, (TileValues){args, 3 + m->num_outside});
  tile_ods_type(&s, result_type(m));
  tile_ods_put(&s, "callee",
               mlirFlatSymbolRefAttrGet(tile_builder_context(b),
                                        tile_str(name)));
  mlirValueReplaceAllUsesOfWith(result_of(last),
                                result_of(tile_ods_end(&s, b)));
}

bool tile_attention_form(TileBuilder *b, MlirOperation function,
                         const TileNest *values, const char *name) {
  Match m;
  for (int weights = 0; weights < 2; weights++) {
    if (!match(values, weights, &m) || !build(&m, function, name))
      continue;
    tile_emit_remark(m.values.op, "tile-graph/kernel",
                     "goes to kernel @%s: attention, blocks of %d queries and "
                     "%d keys",
                     name, QUERIES, KEYS);
    b->loc = mlirOperationGetLocation(m.values.op);
    call_kernel(b, &m, name);
    return true;
  }
  return false;
}
