//===- FoldViews.c - Products that read through views ---------------------===//
//
// Front ends transpose and reshape tensors so that a product has the form of a
// batch of matrices. A product can name its dimensions in any order, so none of
// that has to happen in memory.
//
//===----------------------------------------------------------------------===//

#include "Transforms/Schedules/NestBuild.h"

#include "Dialect/ForeignOps.h"
#include "Support/Iterate.h"
#include "mlir-c/AffineExpr.h"

/// A product that is rewritten.
typedef struct {
  TileNest nest;
  MlirValue operands[3];
  MlirAffineMap maps[3];
  int num_loops;
  bool is_reduced[TILE_NEST_MAX_LOOPS];
} Product;

static MlirOperation owner_of(MlirValue value) {
  return mlirValueIsABlockArgument(value) ? TILE_NULL_OP
                                          : mlirOpResultGetOwner(value);
}

static MlirOperation only_user(MlirValue value) {
  MlirOpOperand use = mlirValueGetFirstUse(value);
  if (mlirOpOperandIsNull(use) ||
      !mlirOpOperandIsNull(mlirOpOperandGetNextUse(use)))
    return TILE_NULL_OP;
  return mlirOpOperandGetOwner(use);
}

static Product product_of(const TileNest *nest) {
  Product p = {.nest = *nest, .num_loops = nest->num_loops};
  for (int i = 0; i < 3; i++) {
    p.operands[i] = mlirOperationGetOperand(nest->op, i);
    p.maps[i] = nest->maps[i];
  }
  memcpy(p.is_reduced, nest->is_reduced, sizeof p.is_reduced);
  return p;
}

//===-- Views of views ----------------------------------------------------===//

static bool is_view(MlirOperation op) {
  return op.ptr && (tile_op_name_begins(op, "tensor.collapse_shape") ||
                    tile_op_name_begins(op, "tensor.expand_shape"));
}

// How many dimensions of `from` each one of `to` has, in order; false where it
// is none that only joins dimensions, or extents are dynamic.
static bool find_joined(MlirType from, MlirType to, int *out_count) {
  intptr_t at = 0, rank = mlirShapedTypeGetRank(from);
  intptr_t num_groups = mlirShapedTypeGetRank(to);
  if (!mlirShapedTypeHasStaticShape(from) || !mlirShapedTypeHasStaticShape(to))
    return false;
  for (intptr_t g = 0; g < num_groups; g++) {
    int64_t extent = mlirShapedTypeGetDimSize(to, g), found = 1;
    out_count[g] = 0;
    while (at < rank && (out_count[g] == 0 || found < extent)) {
      found *= mlirShapedTypeGetDimSize(from, at++);
      out_count[g]++;
    }
    if (out_count[g] == 0 || found != extent)
      return false;
  }
  for (; at < rank; at++) { // extents of one element at the end
    if (num_groups == 0 || mlirShapedTypeGetDimSize(from, at) != 1)
      return false;
    out_count[num_groups - 1]++;
  }
  return true;
}

static void compose_view(TileBuilder *b, MlirOperation view) {
  int count[TILE_NEST_MAX_LOOPS];
  MlirValue source = mlirOperationGetOperand(view, 0);
  if (!is_view(owner_of(source)))
    return;
  while (is_view(owner_of(source)))
    source = mlirOperationGetOperand(owner_of(source), 0);
  MlirType from = mlirValueGetType(source);
  MlirType to = mlirValueGetType(result_of(view));
  intptr_t rank = mlirShapedTypeGetRank(from);
  intptr_t new_rank = mlirShapedTypeGetRank(to);
  if (rank > TILE_NEST_MAX_LOOPS || new_rank > TILE_NEST_MAX_LOOPS)
    return;
  b->loc = mlirOperationGetLocation(view);
  mlirRewriterBaseSetInsertionPointBefore(b->rw, view);
  MlirValue made = source;
  if (!mlirTypeEqual(from, to)) {
    if (rank > new_rank && find_joined(from, to, count))
      made = reshape_to(b, "tensor.collapse_shape", source, to, count,
                        (int)new_rank);
    else if (rank < new_rank && find_joined(to, from, count))
      made = reshape_to(b, "tensor.expand_shape", source, to, count, (int)rank);
    else
      return;
  }
  mlirValueReplaceAllUsesOfWith(result_of(view), made);
}

//===-- Permutations ------------------------------------------------------===//

// Whether the op only moves elements: `out[perm(i)] = in[i]`.
static bool is_permutation(MlirOperation op, TileNest *out) {
  if (!op.ptr || !tile_nest_of(op, out) || out->num_operands != 2 ||
      out->kind != TILE_NEST_ELEMENTS || out->num_outs != 1 ||
      !mlirAttributeIsNull(mlirOperationGetDiscardableAttributeByName(
          op, TILE_STR(TILE_CARRIED_ATTR))))
    return false;
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
  MlirValue yielded = mlirOperationGetOperand(mlirBlockGetTerminator(body), 0);
  return mlirValueEqual(yielded, mlirBlockGetArgument(body, 0)) &&
         mlirAffineMapIsPermutation(out->maps[0]) &&
         mlirAffineMapIsPermutation(out->maps[1]);
}

// The dimension of the other side of a permutation: `from` is 0 or 1.
static int other_dim(const TileNest *move, int from, int dim) {
  int loop = tile_nest_loop(move, from, dim);
  for (int d = 0; d < move->num_loops; d++)
    if (tile_nest_loop(move, 1 - from, d) == loop)
      return d;
  return -1;
}

// Whether the op repeats elements along some dimensions of its result.
static bool repeats_elements(MlirOperation op) {
  TileNest nest;
  if (!op.ptr || !tile_nest_of(op, &nest) || nest.num_operands != 2 ||
      nest.kind != TILE_NEST_ELEMENTS)
    return false;
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
  MlirValue yielded = mlirOperationGetOperand(mlirBlockGetTerminator(body), 0);
  return mlirValueEqual(yielded, mlirBlockGetArgument(body, 0)) &&
         mlirAffineMapIsProjectedPermutation(nest.maps[0]) &&
         mlirAffineMapGetNumResults(nest.maps[0]) < nest.num_loops;
}

static bool has_loop(const Product *p, int operand, intptr_t loop) {
  for (int d = 0; d < mlirAffineMapGetNumResults(p->maps[operand]); d++) {
    MlirAffineExpr expr = mlirAffineMapGetResult(p->maps[operand], d);
    if (mlirAffineExprIsADim(expr) &&
        mlirAffineDimExprGetPosition(expr) == loop)
      return true;
  }
  return false;
}

// Whether the op repeats what the batches share: the other factor has the loops
// of the dimensions that it adds.
static bool is_shared_by_batches(const Product *p, int i, TileNest *out) {
  MlirOperation op = owner_of(p->operands[i]);
  if (!repeats_elements(op) || !tile_nest_of(op, out) ||
      !mlirAffineMapIsPermutation(out->maps[1]))
    return false;
  for (int d = 0; d < out->num_loops; d++) {
    int loop = tile_nest_loop(out, 1, d);
    bool is_new = true;
    for (int s = 0; s < mlirAffineMapGetNumResults(out->maps[0]); s++)
      is_new &= tile_nest_loop(out, 0, s) != loop;
    MlirAffineExpr expr = mlirAffineMapGetResult(p->maps[i], d);
    if (!is_new)
      continue;
    if (!mlirAffineExprIsADim(expr) ||
        p->is_reduced[mlirAffineDimExprGetPosition(expr)] ||
        !has_loop(p, 1 - i, mlirAffineDimExprGetPosition(expr)))
      return false;
  }
  return true;
}

// A factor is read from before it was moved, or repeated for the batches.
static bool fold_factor(Product *p, int i) {
  TileNest move;
  if (!is_permutation(owner_of(p->operands[i]), &move) &&
      !is_shared_by_batches(p, i, &move))
    return false;
  MlirAffineExpr exprs[TILE_NEST_MAX_LOOPS];
  int rank = (int)mlirAffineMapGetNumResults(move.maps[0]);
  for (int d = 0; d < rank; d++)
    exprs[d] = mlirAffineMapGetResult(p->maps[i], other_dim(&move, 0, d));
  p->maps[i] = mlirAffineMapGet(mlirAffineMapGetContext(p->maps[i]),
                                p->num_loops, 0, rank, exprs);
  p->operands[i] = mlirOperationGetOperand(move.op, 0);
  return true;
}

//===-- Reshapes ----------------------------------------------------------===//

// Extents that a loop is the product of; count 0: it stays.
typedef struct {
  int count;
  int64_t extent[TILE_NEST_MAX_LOOPS];
} Split;

// The groups of a collapse_shape, each with its extents in the source; false
// for another op, and where two extents of a group are not known.
static bool groups_of(MlirOperation op, Split *out) {
  if (!op.ptr || !tile_op_name_begins(op, "tensor.collapse_shape"))
    return false;
  MlirAttribute groups =
      mlirOperationGetInherentAttributeByName(op, TILE_STR("reassociation"));
  MlirType type = mlirValueGetType(mlirOperationGetOperand(op, 0));
  for (intptr_t g = 0; g < mlirArrayAttrGetNumElements(groups); g++) {
    MlirAttribute group = mlirArrayAttrGetElement(groups, g);
    int num_dynamic = 0;
    out[g].count = (int)mlirArrayAttrGetNumElements(group);
    for (int i = 0; i < out[g].count; i++) {
      intptr_t dim = (intptr_t)mlirIntegerAttrGetValueInt(
          mlirArrayAttrGetElement(group, i));
      num_dynamic += mlirShapedTypeIsDynamicDim(type, dim);
      out[g].extent[i] = mlirShapedTypeGetDimSize(type, dim);
    }
    if (num_dynamic > 1)
      return false;
  }
  return true;
}

static bool is_same_split(const Split *a, const Split *b) {
  return a->count == b->count &&
         !memcmp(a->extent, b->extent, sizeof *a->extent * (size_t)a->count);
}

// Extents of one element aside.
static int num_real(const Split *split) {
  int count = 0;
  for (int i = 0; i < split->count; i++)
    count += split->extent[i] != 1;
  return count;
}

// What the reshapes of both factors say of the loops; false where they
// disagree, or nothing is reshaped.
static bool find_splits(const Product *p, Split *out_splits) {
  bool is_split = false;
  for (int i = 0; i < 2; i++) {
    Split groups[TILE_NEST_MAX_LOOPS];
    MlirOperation view = owner_of(p->operands[i]);
    // Repeated heads stay one loop: attention knows what they share.
    if (!groups_of(view, groups) ||
        repeats_elements(owner_of(mlirOperationGetOperand(view, 0))))
      continue;
    for (int d = 0; d < mlirAffineMapGetNumResults(p->maps[i]); d++) {
      MlirAffineExpr expr = mlirAffineMapGetResult(p->maps[i], d);
      if (num_real(&groups[d]) < 2)
        continue;
      if (!mlirAffineExprIsADim(expr))
        return false;
      Split *split = &out_splits[mlirAffineDimExprGetPosition(expr)];
      if (split->count && !is_same_split(split, &groups[d]))
        return false;
      *split = groups[d];
      is_split = true;
    }
  }
  return is_split;
}

// Whether the groups of a collapse_shape are what becomes of its dimensions.
static bool undoes(const Product *p, int i, const Split *splits) {
  Split groups[TILE_NEST_MAX_LOOPS];
  if (!groups_of(owner_of(p->operands[i]), groups))
    return false;
  for (int d = 0; d < mlirAffineMapGetNumResults(p->maps[i]); d++) {
    MlirAffineExpr expr = mlirAffineMapGetResult(p->maps[i], d);
    const Split *split = &splits[mlirAffineDimExprGetPosition(expr)];
    if (groups[d].count > 1 ? !is_same_split(&groups[d], split)
                            : split->count > 1)
      return false;
  }
  return true;
}

typedef struct {
  int rank, count[TILE_NEST_MAX_LOOPS]; // before; dimensions of each after
  int num_dims;
  int64_t shape[TILE_NEST_MAX_LOOPS]; // after
} Expansion;

// What becomes of a tensor that follows `map`; false where it is too large.
static bool expansion_of(MlirValue tensor, MlirAffineMap map,
                         const Split *splits, Expansion *out) {
  MlirType type = mlirValueGetType(tensor);
  *out = (Expansion){.rank = (int)mlirShapedTypeGetRank(type)};
  for (int d = 0; d < out->rank; d++) {
    const Split *split =
        &splits[mlirAffineDimExprGetPosition(mlirAffineMapGetResult(map, d))];
    out->count[d] = split->count > 1 ? split->count : 1;
    if (out->num_dims + out->count[d] > TILE_MAX_RANK)
      return false;
    for (int i = 0; i < out->count[d]; i++)
      out->shape[out->num_dims++] = split->count > 1
                                        ? split->extent[i]
                                        : mlirShapedTypeGetDimSize(type, d);
  }
  return true;
}

static MlirValue reshaped(TileBuilder *b, const char *name, MlirValue value,
                          const Expansion *e, bool expand) {
  MlirContext context = tile_builder_context(b);
  MlirType element = element_of(value);
  int64_t shape[TILE_NEST_MAX_LOOPS];
  int rank = 0;
  for (int d = 0, at = 0; d < e->rank; d++) { // of the collapsed tensor
    bool is_dynamic = false;
    shape[rank] = 1;
    for (int i = 0; i < e->count[d]; i++, at++) {
      is_dynamic |= mlirShapedTypeIsDynamicSize(e->shape[at]);
      shape[rank] *= is_dynamic ? 1 : e->shape[at];
    }
    if (is_dynamic)
      shape[rank] = mlirShapedTypeGetDynamicSize();
    rank++;
  }
  MlirType type = mlirRankedTensorTypeGet(expand ? e->num_dims : rank,
                                          expand ? e->shape : shape, element,
                                          (MlirAttribute){NULL});
  if (mlirTypeEqual(type, mlirValueGetType(value)))
    return value;
  TileState s;
  tile_ods_begin(&s, b, name);
  tile_ods_operand(&s, value);
  tile_ods_type(&s, type);
  tile_ods_put(&s, "reassociation", reassociation(context, e->count, e->rank));
  if (expand)
    tile_ods_put(&s, "static_output_shape",
                 mlirDenseI64ArrayGet(context, e->num_dims, e->shape));
  return result_of(tile_ods_end(&s, b));
}

// The map with each split loop replaced by as many as it has extents.
static MlirAffineMap split_map(MlirAffineMap map, const Split *splits,
                               const int *first, int num_loops) {
  MlirContext context = mlirAffineMapGetContext(map);
  MlirAffineExpr exprs[TILE_NEST_MAX_LOOPS];
  int count = 0;
  for (int d = 0; d < mlirAffineMapGetNumResults(map); d++) {
    intptr_t loop =
        mlirAffineDimExprGetPosition(mlirAffineMapGetResult(map, d));
    int parts = splits[loop].count > 1 ? splits[loop].count : 1;
    for (int i = 0; i < parts; i++)
      exprs[count++] = mlirAffineDimExprGet(context, first[loop] + i);
  }
  return mlirAffineMapGet(context, num_loops, 0, count, exprs);
}

// The zeros that the product starts from, for another shape, whose dynamic
// extents are `sizes`; null: not zeros.
static MlirValue zeros_like(TileBuilder *b, MlirValue init, MlirType type,
                            TileValues sizes) {
  MlirOperation op = owner_of(init);
  if (!op.ptr || !tile_op_name_begins(op, "linalg.fill") ||
      !tile_value_is_zero_bits(mlirOperationGetOperand(op, 0)))
    return TILE_NULL_VALUE;
  MlirValue empty = result_of(make(b, "tensor.empty", sizes, type, NULL));
  return fill(b, mlirOperationGetOperand(op, 0), empty);
}

static bool has_plain_maps(const Product *p) {
  for (int i = 0; i < 3; i++)
    for (int d = 0; d < mlirAffineMapGetNumResults(p->maps[i]); d++)
      if (!mlirAffineExprIsADim(mlirAffineMapGetResult(p->maps[i], d)))
        return false;
  return true;
}

// Elements that only this product reads may be made in its kernel, where no
// view can stand between the two.
static bool is_made_for(const Product *p, int i) {
  TileNest maker, move;
  MlirOperation op = owner_of(p->operands[i]);
  return op.ptr && tile_nest_of(op, &maker) &&
         maker.kind == TILE_NEST_ELEMENTS && !is_permutation(op, &move) &&
         only_user(p->operands[i]).ptr;
}

static bool has_dynamic(const Expansion *e) {
  for (int d = 0; d < e->num_dims; d++)
    if (mlirShapedTypeIsDynamicSize(e->shape[d]))
      return true;
  return false;
}

static int loop_of(MlirAffineMap map, int dim) {
  return (int)mlirAffineDimExprGetPosition(mlirAffineMapGetResult(map, dim));
}

// The extent of part `part` of a loop that is split, in the factor before it
// was collapsed; null: it was not, or does not follow the loop.
static MlirValue extent_before(TileBuilder *b, const Product *p, int i,
                               const Split *splits, int loop, int part) {
  int first = 0;
  if (!undoes(p, i, splits))
    return TILE_NULL_VALUE;
  MlirValue source = mlirOperationGetOperand(owner_of(p->operands[i]), 0);
  for (int d = 0; d < mlirAffineMapGetNumResults(p->maps[i]); d++) {
    int other = loop_of(p->maps[i], d);
    if (other == loop)
      return extent_of(b, source, first + part);
    first += splits[other].count > 1 ? splits[other].count : 1;
  }
  return TILE_NULL_VALUE;
}

// How loops would be split so that the factors are read from before they were
// collapsed, and what becomes of the operands; false where they stay.
static bool plan_split(const Product *p, Split *splits, Expansion *expansions) {
  if (!has_plain_maps(p) || !find_splits(p, splits))
    return false;
  for (int i = 0; i < 3; i++)
    if (!expansion_of(p->operands[i], p->maps[i], splits, &expansions[i]) ||
        (i < 2 && expansions[i].num_dims > expansions[i].rank &&
         (is_made_for(p, i) ||
          (!undoes(p, i, splits) && has_dynamic(&expansions[i])))))
      return false;
  return true;
}

// The dynamic extents of the expanded result, in order: those of the factors
// before they were collapsed, or of the result.
static TileValues expanded_sizes(TileBuilder *b, const Product *p,
                                 const Split *splits, const Expansion *e,
                                 MlirValue *sizes) {
  intptr_t count = 0;
  for (int d = 0, at = 0; d < e->rank; at += e->count[d++]) {
    int loop = loop_of(p->maps[2], d);
    for (int part = 0; part < e->count[d]; part++) {
      if (!mlirShapedTypeIsDynamicSize(e->shape[at + part]))
        continue;
      sizes[count] = TILE_NULL_VALUE;
      for (int i = 0; i < 2 && e->count[d] > 1 && !sizes[count].ptr; i++)
        sizes[count] = extent_before(b, p, i, splits, loop, part);
      if (!sizes[count].ptr)
        sizes[count] = extent_of(b, p->operands[2], d);
      count++;
    }
  }
  return (TileValues){sizes, count};
}

// Splits loops so that the factors are read from before they were collapsed.
// `out_expansion` says how the result is to be collapsed.
static bool split_loops(TileBuilder *b, Product *p, Expansion *out_expansion) {
  Split splits[TILE_NEST_MAX_LOOPS] = {{0}};
  Expansion expansions[3];
  int first[TILE_NEST_MAX_LOOPS], num_loops = 0;
  bool is_reduced[TILE_NEST_MAX_LOOPS];
  if (!plan_split(p, splits, expansions))
    return false;
  for (int l = 0; l < p->num_loops; l++) {
    int parts = splits[l].count > 1 ? splits[l].count : 1;
    first[l] = num_loops;
    if (num_loops + parts > TILE_NEST_MAX_LOOPS)
      return false;
    for (int i = 0; i < parts; i++)
      is_reduced[num_loops++] = p->is_reduced[l];
  }
  MlirValue sizes[TILE_NEST_MAX_LOOPS];
  MlirValue init =
      zeros_like(b, p->operands[2],
                 mlirRankedTensorTypeGet(
                     expansions[2].num_dims, expansions[2].shape,
                     element_of(p->operands[2]), (MlirAttribute){NULL}),
                 expanded_sizes(b, p, splits, &expansions[2], sizes));
  if (!init.ptr)
    return false;
  for (int i = 0; i < 2; i++) {
    if (undoes(p, i, splits))
      p->operands[i] = mlirOperationGetOperand(owner_of(p->operands[i]), 0);
    else if (expansions[i].num_dims > expansions[i].rank)
      p->operands[i] = reshaped(b, "tensor.expand_shape", p->operands[i],
                                &expansions[i], true);
  }
  p->operands[2] = init;
  for (int i = 0; i < 3; i++)
    p->maps[i] = split_map(p->maps[i], splits, first, num_loops);
  p->num_loops = num_loops;
  memcpy(p->is_reduced, is_reduced, sizeof is_reduced);
  *out_expansion = expansions[2];
  return true;
}

//===-- The result --------------------------------------------------------===//

static MlirValue build(TileBuilder *b, const Product *p) {
  MlirContext context = tile_builder_context(b);
  TileNest nest = {.num_loops = p->num_loops};
  MlirAttribute maps[3];
  memcpy(nest.is_reduced, p->is_reduced, sizeof nest.is_reduced);
  for (int i = 0; i < 3; i++)
    maps[i] = mlirAffineMapAttrGet(p->maps[i]);
  MlirOperation copy = mlirOperationClone(p->nest.op);
  MlirRegion body = mlirRegionCreate();
  mlirRegionTakeBody(body, mlirOperationGetRegion(copy, 0));
  mlirOperationDestroy(copy);
  return generic(b, (TileValues){p->operands, 3},
                 mlirArrayAttrGet(context, 3, maps),
                 iterator_types(context, &nest), body);
}

// Users that expand the result as it was collapsed take it as it is.
static void replace(TileBuilder *b, MlirValue old, MlirValue made,
                    const Expansion *e) {
  MlirOpOperand use = mlirValueGetFirstUse(old);
  while (!mlirOpOperandIsNull(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    use = mlirOpOperandGetNextUse(use);
    if (!tile_op_name_begins(user, "tensor.expand_shape") ||
        !mlirTypeEqual(mlirValueGetType(result_of(user)),
                       mlirValueGetType(made)))
      continue;
    mlirValueReplaceAllUsesOfWith(result_of(user), made);
    mlirRewriterBaseEraseOp(b->rw, user);
  }
  if (tile_value_is_used(old))
    mlirValueReplaceAllUsesOfWith(
        old, reshaped(b, "tensor.collapse_shape", made, e, false));
}

// The only user moves elements: the product writes where it would move them.
static bool fold_result(TileBuilder *b, Product *p, MlirValue result) {
  TileNest move;
  MlirOperation user = only_user(result);
  if (!is_permutation(user, &move))
    return false;
  mlirRewriterBaseSetInsertionPointBefore(b->rw, user);
  MlirType type = mlirValueGetType(mlirOperationGetOperand(user, 1));
  MlirValue sizes[TILE_NEST_MAX_LOOPS];
  intptr_t num_sizes = 0;
  for (int d = 0; d < move.num_loops; d++)
    if (mlirShapedTypeIsDynamicDim(type, d))
      sizes[num_sizes++] = extent_of(b, p->operands[2], other_dim(&move, 1, d));
  MlirValue init =
      zeros_like(b, p->operands[2], type, (TileValues){sizes, num_sizes});
  if (!init.ptr)
    return false;
  MlirAffineExpr exprs[TILE_NEST_MAX_LOOPS];
  for (int d = 0; d < move.num_loops; d++)
    exprs[d] = mlirAffineMapGetResult(p->maps[2], other_dim(&move, 1, d));
  p->maps[2] = mlirAffineMapGet(mlirAffineMapGetContext(p->maps[2]),
                                p->num_loops, 0, move.num_loops, exprs);
  p->operands[2] = init;
  MlirValue made = build(b, p);
  mlirValueReplaceAllUsesOfWith(result_of(user), made);
  mlirRewriterBaseEraseOp(b->rw, user);
  mlirRewriterBaseEraseOp(b->rw, mlirOpResultGetOwner(result));
  return true;
}

static bool fold_product(TileBuilder *b, const TileNest *nest) {
  Product p = product_of(nest);
  Expansion expansion = {0};
  mlirRewriterBaseSetInsertionPointBefore(b->rw, nest->op);
  bool is_changed = false;
  for (int i = 0; i < 2; i++) { // what was moved after it was collapsed
    TileNest move;
    is_changed |=
        is_permutation(owner_of(p.operands[i]), &move) && fold_factor(&p, i);
  }
  bool is_split = split_loops(b, &p, &expansion);
  is_changed |= is_split;
  for (int i = 0; i < 2; i++)
    is_changed |= fold_factor(&p, i);
  MlirValue result = result_of(nest->op);
  if (is_changed) {
    MlirValue made = build(b, &p);
    if (is_split)
      replace(b, result, made, &expansion);
    else
      mlirValueReplaceAllUsesOfWith(result, made);
    mlirRewriterBaseEraseOp(b->rw, nest->op);
    p.nest.op = mlirOpResultGetOwner(made);
    result = made;
  }
  return fold_result(b, &p, result) || is_changed;
}

// Whether a product is before the elements that will have the shape of the view
// by itself, once it reads factors from before they were collapsed.
static bool comes_expanded(MlirValue tensor, MlirType shape) {
  enum { MAX_OPS = 8 };
  TileNest nest;
  for (int i = 0; i < MAX_OPS; i++) {
    MlirOperation op = owner_of(tensor);
    if (!op.ptr || !tile_nest_of(op, &nest))
      return false;
    if (nest.kind == TILE_NEST_PRODUCT)
      break;
    tensor = mlirOperationGetOperand(op, 0);
  }
  if (nest.kind != TILE_NEST_PRODUCT)
    return false;
  Split splits[TILE_NEST_MAX_LOOPS] = {{0}};
  Expansion expansions[3];
  Product p = product_of(&nest);
  if (!plan_split(&p, splits, expansions) ||
      expansions[2].num_dims != mlirShapedTypeGetRank(shape))
    return false;
  for (int d = 0; d < expansions[2].num_dims; d++)
    if (mlirShapedTypeGetDimSize(shape, d) != expansions[2].shape[d])
      return false;
  return true;
}

// A view that expands what elements made: they are made of expanded tensors, so
// that the view comes to the product before them.
static bool may_hoist(MlirOperation view, TileNest *out) {
  MlirValue source = mlirOperationGetOperand(view, 0);
  MlirOperation maker = owner_of(source);
  if (!tile_op_name_begins(view, "tensor.expand_shape") || !maker.ptr ||
      !tile_nest_of(maker, out) || out->kind != TILE_NEST_ELEMENTS ||
      out->num_outs != 1 || out->num_operands != 2 ||
      tile_op_name_begins(maker, "linalg.fill") || !only_user(source).ptr ||
      !tile_value_is_used(result_of(view)) ||
      !comes_expanded(source, mlirValueGetType(result_of(view))))
    return false;
  for (int i = 0; i < 2; i++)
    if (!mlirAffineMapIsIdentity(out->maps[i]) ||
        !mlirTypeIsATensor(mlirValueGetType(mlirOperationGetOperand(maker, i))))
      return false;
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(maker, 0));
  TILE_FOR_EACH_OP (inner, body)
    if (tile_op_name_begins(inner, "linalg.index"))
      return false;
  return true;
}

static void hoist_view(TileBuilder *b, MlirOperation view) {
  TileNest nest;
  MlirValue sizes[TILE_NEST_MAX_LOOPS];
  MlirContext context = mlirOperationGetContext(view);
  MlirType type = mlirValueGetType(result_of(view));
  int rank = (int)mlirShapedTypeGetRank(type);
  intptr_t num_sizes = mlirOperationGetNumOperands(view) - 1;
  if (rank > TILE_NEST_MAX_LOOPS || !may_hoist(view, &nest))
    return;
  mlirRewriterBaseSetInsertionPointBefore(b->rw, view);
  for (intptr_t i = 0; i < num_sizes; i++)
    sizes[i] = mlirOperationGetOperand(view, 1 + i);
  MlirValue in = mlirOperationGetOperand(nest.op, 0);
  MlirOperation before = mlirOperationClone(view);
  mlirOperationSetOperand(before, 0, in);
  mlirValueSetType(result_of(before), tensor_type(type, element_of(in)));
  mlirRewriterBaseInsert(b->rw, before);
  MlirValue expanded = result_of(before);
  MlirValue empty = result_of(
      make(b, "tensor.empty", (TileValues){sizes, num_sizes}, type, NULL));
  MlirAttribute map =
      mlirAffineMapAttrGet(mlirAffineMapMultiDimIdentityGet(context, rank));
  MlirAttribute maps[] = {map, map};
  TileNest loops = {.num_loops = rank};
  MlirOperation copy = mlirOperationClone(nest.op);
  MlirRegion body = mlirRegionCreate();
  mlirRegionTakeBody(body, mlirOperationGetRegion(copy, 0));
  mlirOperationDestroy(copy);
  MlirValue made = generic(b, TILE_VALUES(expanded, empty),
                           mlirArrayAttrGet(context, 2, maps),
                           iterator_types(context, &loops), body);
  mlirValueReplaceAllUsesOfWith(result_of(view), made);
  mlirRewriterBaseEraseOp(b->rw, view);
  mlirRewriterBaseEraseOp(b->rw, nest.op); // only the view used it
  tile_views_fold(b, owner_of(expanded), TILE_FOLD_VIEWS);
}

//===-- Depths of several dimensions --------------------------------------===//

// The dimension of a factor that follows a loop; -1.
static int dim_of(const Product *p, int i, int loop) {
  for (int d = 0; d < mlirAffineMapGetNumResults(p->maps[i]); d++) {
    MlirAffineExpr expr = mlirAffineMapGetResult(p->maps[i], d);
    if (mlirAffineExprIsADim(expr) &&
        mlirAffineDimExprGetPosition(expr) == loop)
      return d;
  }
  return -1;
}

// Whether both factors have the two loops side by side, so that one loop runs
// through both; extents are known.
static bool lie_together(const Product *p, int first, int second) {
  if (!p->is_reduced[first] || !p->is_reduced[second])
    return false;
  for (int i = 0; i < 2; i++) {
    int d = dim_of(p, i, first);
    if (d < 0 || dim_of(p, i, second) != d + 1 || is_made_for(p, i) ||
        !mlirShapedTypeHasStaticShape(mlirValueGetType(p->operands[i])))
      return false;
  }
  return true;
}

// The factor with dimension `dim` and the next as one.
static MlirValue with_joined(TileBuilder *b, MlirValue factor, int dim) {
  MlirType type = mlirValueGetType(factor);
  int64_t shape[TILE_NEST_MAX_LOOPS];
  int count[TILE_NEST_MAX_LOOPS], rank = (int)mlirShapedTypeGetRank(type);
  for (int d = 0; d + 1 < rank; d++) {
    count[d] = d == dim ? 2 : 1;
    shape[d] = mlirShapedTypeGetDimSize(type, d > dim ? d + 1 : d);
  }
  shape[dim] *= mlirShapedTypeGetDimSize(type, dim + 1);
  MlirType joined = mlirRankedTensorTypeGet(rank - 1, shape, element_of(factor),
                                            (MlirAttribute){NULL});
  return reshape_to(b, "tensor.collapse_shape", factor, joined, count,
                    rank - 1);
}

// The map without a loop, which one before it runs through.
static MlirAffineMap map_without(MlirAffineMap map, int loop) {
  MlirContext context = mlirAffineMapGetContext(map);
  MlirAffineExpr exprs[TILE_NEST_MAX_LOOPS];
  intptr_t count = 0;
  for (intptr_t d = 0; d < mlirAffineMapGetNumResults(map); d++) {
    MlirAffineExpr expr = mlirAffineMapGetResult(map, d);
    intptr_t at =
        mlirAffineExprIsADim(expr) ? mlirAffineDimExprGetPosition(expr) : -1;
    if (at != loop)
      exprs[count++] = at > loop ? mlirAffineDimExprGet(context, at - 1) : expr;
  }
  return mlirAffineMapGet(context, mlirAffineMapGetNumDims(map) - 1, 0, count,
                          exprs);
}

static void join_loops(TileBuilder *b, Product *p, int first, int second) {
  for (int i = 0; i < 2; i++)
    p->operands[i] = with_joined(b, p->operands[i], dim_of(p, i, first));
  for (int i = 0; i < 3; i++)
    p->maps[i] = map_without(p->maps[i], second);
  p->num_loops--;
  for (int l = second; l < p->num_loops; l++)
    p->is_reduced[l] = p->is_reduced[l + 1];
}

static bool join_depths(TileBuilder *b, const TileNest *nest) {
  MlirOperation op = nest->op;
  Product p = product_of(nest);
  mlirRewriterBaseSetInsertionPointBefore(b->rw, op);
  for (int first = 0; first < p.num_loops; first++)
    for (int second = 0; second < p.num_loops; second++)
      if (first != second && lie_together(&p, first, second)) {
        join_loops(b, &p, first, second);
        first = second = 0; // loops have other numbers
      }
  if (p.num_loops == nest->num_loops)
    return false;
  MlirValue made = build(b, &p);
  mlirValueReplaceAllUsesOfWith(result_of(op), made);
  mlirRewriterBaseEraseOp(b->rw, op);
  for (int i = 0; i < 2; i++)
    if (is_view(owner_of(p.operands[i])))
      compose_view(b, owner_of(p.operands[i]));
  return true;
}

//===-- Moves ------------------------------------------------------------===//

// Whether only the kernel that moves the elements touches both tensors: what is
// done with elements before or after goes with them.
static bool moves_alone(const TileNest *move) {
  TileNest nest;
  MlirOperation maker = owner_of(mlirOperationGetOperand(move->op, 0));
  if (maker.ptr && tile_nest_of(maker, &nest))
    return false;
  for (MlirOpOperand use = mlirValueGetFirstUse(result_of(move->op));
       !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
    if (tile_nest_of(mlirOpOperandGetOwner(use), &nest) &&
        nest.kind != TILE_NEST_PRODUCT)
      return false;
  return true;
}

// Dimensions that lie side by side before and after are one: rows are long.
static void join_moved(TileBuilder *b, const TileNest *move) {
  MlirContext context = mlirOperationGetContext(move->op);
  MlirValue source = mlirOperationGetOperand(move->op, 0);
  MlirType type = mlirValueGetType(source);
  MlirType made_type = mlirValueGetType(result_of(move->op));
  int rank = move->num_loops, num_groups = 0;
  int group_of[TILE_NEST_MAX_LOOPS], count[TILE_NEST_MAX_LOOPS];
  int64_t shape[TILE_NEST_MAX_LOOPS], moved_shape[TILE_NEST_MAX_LOOPS];
  MlirAffineExpr exprs[TILE_NEST_MAX_LOOPS];
  for (int d = 0; d < rank; d++) { // of the source
    int at = other_dim(move, 0, d);
    bool follows = d > 0 && other_dim(move, 0, d - 1) == at - 1;
    num_groups += !follows;
    int g = num_groups - 1;
    group_of[at] = g;
    count[g] = follows ? count[g] + 1 : 1;
    shape[g] = (follows ? shape[g] : 1) * mlirShapedTypeGetDimSize(type, d);
  }
  if (num_groups == rank)
    return;
  int moved_count[TILE_NEST_MAX_LOOPS];
  for (int d = 0, g = -1; d < rank; d++) { // of the result
    bool is_next = d == 0 || group_of[d] != group_of[d - 1];
    g += is_next;
    moved_count[g] = is_next ? 1 : moved_count[g] + 1;
    moved_shape[g] = shape[group_of[d]];
    exprs[group_of[d]] = mlirAffineDimExprGet(context, g);
  }
  MlirType element = element_of(source);
  MlirValue joined =
      reshape_to(b, "tensor.collapse_shape", source,
                 mlirRankedTensorTypeGet(num_groups, shape, element,
                                         (MlirAttribute){NULL}),
                 count, num_groups);
  MlirValue empty =
      result_of(make(b, "tensor.empty", (TileValues){NULL, 0},
                     mlirRankedTensorTypeGet(num_groups, moved_shape, element,
                                             (MlirAttribute){NULL}),
                     NULL));
  MlirAttribute maps[] = {mlirAffineMapAttrGet(mlirAffineMapGet(
                              context, num_groups, 0, num_groups, exprs)),
                          mlirAffineMapAttrGet(mlirAffineMapMultiDimIdentityGet(
                              context, num_groups))};
  TileNest nest = {.num_loops = num_groups};
  TileBuilder inner = {mlirIRRewriterCreate(context), b->loc};
  MlirValue args[2];
  TileValues operands = TILE_VALUES(joined, empty);
  MlirRegion body = body_begin(&inner, operands, args);
  make(&inner, "linalg.yield", TILE_VALUES(args[0]), (MlirType){NULL}, NULL);
  mlirIRRewriterDestroy(inner.rw);
  MlirValue made = generic(b, operands, mlirArrayAttrGet(context, 2, maps),
                           iterator_types(context, &nest), body);
  mlirValueReplaceAllUsesOfWith(result_of(move->op),
                                reshape_to(b, "tensor.expand_shape", made,
                                           made_type, moved_count, num_groups));
  mlirRewriterBaseEraseOp(b->rw, move->op);
}

static bool join_move(TileBuilder *b, MlirOperation op) {
  TileNest move;
  MlirOperation init = owner_of(
      mlirOperationGetOperand(op, mlirOperationGetNumOperands(op) - 1));
  if (!is_permutation(op, &move) ||
      !mlirShapedTypeHasStaticShape(mlirValueGetType(result_of(op))) ||
      !init.ptr || !tile_op_name_begins(init, "tensor.empty") ||
      !mlirAffineMapIsIdentity(move.maps[1]) || !moves_alone(&move))
    return false;
  mlirRewriterBaseSetInsertionPointBefore(b->rw, op);
  join_moved(b, &move);
  return true;
}

bool tile_views_fold(TileBuilder *b, MlirOperation op, TileViewsFold fold) {
  TileNest nest;
  b->loc = mlirOperationGetLocation(op);
  if (is_view(op)) {
    compose_view(b, op);
    hoist_view(b, op);
    return false; // the views stand beside the new ones
  }
  if (!tile_nest_of(op, &nest))
    return false;
  if (fold == TILE_FOLD_VIEWS)
    return nest.kind == TILE_NEST_PRODUCT && fold_product(b, &nest);
  if (nest.kind == TILE_NEST_ELEMENTS)
    return join_move(b, op);
  return nest.num_operands == 3 && mlirLinalgIsAContractionOp(op) &&
         join_depths(b, &nest);
}
