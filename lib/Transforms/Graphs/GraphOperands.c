//===- GraphOperands.c - What a memref in a block is ----------------------===//

#include "Transforms/Graphs/Graphs.h"

#include "Support/Diagnostics.h"
#include "Support/Iterate.h"
#include "Tile/Ops/func.h"
#include "Tile/Ops/memref.h"

//===-- Sizes -------------------------------------------------------------===//

// The constant that a size is cut at, min(128, n - i): -1: none is known.
static int64_t bound_of(TileInt size) {
  int64_t constant;
  if (tile_int_is_constant(size))
    return size.constant;
  if (mlirxConstantInt(size.value, &constant))
    return constant;
  if (mlirValueIsABlockArgument(size.value))
    return -1;
  MlirOperation min = mlirOpResultGetOwner(size.value);
  if (!arith_minsi_is(min) && !arith_minui_is(min))
    return -1;
  int64_t a = bound_of(tile_int_value(mlirOperationGetOperand(min, 0)));
  int64_t b = bound_of(tile_int_value(mlirOperationGetOperand(min, 1)));
  return a < 0 || (b >= 0 && b < a) ? b : a;
}

static bool is_same_int(TileInt a, TileInt b) {
  if (tile_int_is_constant(a) || tile_int_is_constant(b))
    return tile_int_is_constant(a) && tile_int_is_constant(b) &&
           a.constant == b.constant;
  return mlirValueEqual(a.value, b.value);
}

bool tile_graph_is_ragged(TileInt size, int64_t bound) {
  return !tile_int_is_constant(size) || size.constant != bound;
}

// Number `i` of a list that is static in part; `at` counts the others.
static TileInt static_or(MlirAttribute statics, TileRange others, int i,
                         intptr_t *at) {
  int64_t number = mlirDenseI64ArrayGetElement(statics, i);
  int64_t constant;
  if (number != mlirShapedTypeGetDynamicSize())
    return tile_int_constant(number);
  MlirValue value = tile_range_at(others, (*at)++);
  return mlirxConstantInt(value, &constant) ? tile_int_constant(constant)
                                            : tile_int_value(value);
}

//===-- Tiles -------------------------------------------------------------===//

static MlirLogicalResult check_rank(MlirOperation user, MlirType type) {
  if (!mlirShapedTypeHasRank(type) ||
      mlirShapedTypeGetRank(type) > TILE_GRAPH_MAX_RANK)
    return tile_emit_error(user, "expects memrefs of at most %d dimensions",
                           TILE_GRAPH_MAX_RANK);
  if (!tile_elem_bits(mlirShapedTypeGetElementType(type)))
    return tile_emit_error(user,
                           "expects elements of a type that tiles have: %s",
                           TILE_ELEMENT_TYPES);
  return tile_success();
}

static MlirLogicalResult add_tile(TileGraphPlan *plan, MlirOperation alloc,
                                  MlirValue value, TileGraphTile **out) {
  MlirType type = mlirValueGetType(value);
  if (tile_failed(check_rank(alloc, type)))
    return tile_failure();
  TileGraphTile *tile = TILE_ARENA_NEW(plan->arena, TileGraphTile, 1);
  tile->alloc = alloc;
  tile->element = mlirShapedTypeGetElementType(type);
  tile->rank = (int)mlirShapedTypeGetRank(type);
  tile->space = tile_space_of_attr(mlirMemRefTypeGetMemorySpace(type));
  if (tile->space == TILE_SPACE_GLOBAL)
    tile->space = TILE_SPACE_FRAGMENT;
  intptr_t at = 0;
  for (int d = 0; d < tile->rank; d++) {
    int64_t extent = mlirShapedTypeGetDimSize(type, d);
    TileInt size = tile_int_constant(extent);
    if (mlirShapedTypeIsDynamicSize(extent))
      size = tile_int_value(mlirOperationGetOperand(alloc, at++));
    tile->bound[d] = bound_of(size);
    if (tile->bound[d] < 0)
      return tile_emit_error(
          alloc,
          "has an extent in dimension %d that no constant bounds: a block "
          "holds "
          "tiles of static size, so the schedule must tile that loop",
          d);
  }
  tile_pointer_map_set(&plan->tiles, value.ptr, tile);
  TILE_ARENA_RESERVE(plan->arena, plan->tile_list, plan->num_tiles,
                     plan->tile_capacity);
  plan->tile_list[plan->num_tiles++] = tile;
  *out = tile;
  return tile_success();
}

static MlirLogicalResult whole_tile(TileGraphPlan *plan, MlirOperation alloc,
                                    TileGraphOperand *out) {
  TileGraphTile *tile = tile_pointer_map_get(&plan->tiles, out->value.ptr);
  if (!tile && tile_failed(add_tile(plan, alloc, out->value, &tile)))
    return tile_failure();
  out->tile = tile;
  out->rank = tile->rank;
  intptr_t at = 0;
  for (int d = 0; d < tile->rank; d++) {
    int64_t extent = mlirShapedTypeGetDimSize(mlirValueGetType(out->value), d);
    out->root_dim[d] = d;
    out->bound[d] = tile->bound[d];
    out->size[d] = mlirShapedTypeIsDynamicSize(extent)
                       ? tile_int_value(mlirOperationGetOperand(alloc, at++))
                       : tile_int_constant(extent);
  }
  return tile_success();
}

//===-- Windows -----------------------------------------------------------===//

static MlirLogicalResult whole_tensor(MlirOperation user,
                                      TileGraphOperand *out) {
  MlirType type = mlirValueGetType(out->value);
  if (tile_failed(check_rank(user, type)))
    return tile_failure();
  out->root = out->value;
  out->rank = out->root_rank = (int)mlirShapedTypeGetRank(type);
  for (int d = 0; d < out->rank; d++) {
    int64_t extent = mlirShapedTypeGetDimSize(type, d);
    out->root_dim[d] = d;
    out->bound[d] = mlirShapedTypeIsDynamicSize(extent) ? -1 : extent;
    out->size[d] = tile_int_constant(out->bound[d]);
    out->offset[d] = (TileGraphOffset){.num_terms = 0};
  }
  return tile_success();
}

static bool add_offset(TileGraphOffset *offset, TileInt more) {
  if (tile_int_is_constant(more)) {
    offset->constant += more.constant;
    return true;
  }
  if (offset->num_terms == TILE_GRAPH_MAX_TERMS)
    return false;
  offset->terms[offset->num_terms++] = more.value;
  return true;
}

// The dimensions that a rank-reduced view keeps, `out[d]` of the source for
// dimension d. Those of extent 1 are alike, so the first that fit do.
static bool kept_dims(MlirType type, const TileInt *size, int rank,
                      int out[TILE_GRAPH_MAX_RANK]) {
  int kept = 0, want = (int)mlirShapedTypeGetRank(type);
  for (int d = 0; d < rank; d++) {
    int64_t extent =
        kept < want ? mlirShapedTypeGetDimSize(type, kept) : INT64_MAX;
    bool is_dynamic = kept < want && mlirShapedTypeIsDynamicSize(extent);
    bool fits =
        tile_int_is_constant(size[d]) ? size[d].constant == extent : is_dynamic;
    bool may_drop = tile_int_is_constant(size[d]) && size[d].constant == 1 &&
                    rank - d > want - kept;
    if (kept < want && (fits || (is_dynamic && !may_drop)))
      out[kept++] = d;
    else if (!may_drop)
      return false;
  }
  return kept == want;
}

// A view of `base` with these sizes, which begins `start` later.
static MlirLogicalResult take_part(MlirOperation view,
                                   const TileGraphOperand *base,
                                   const TileInt *start, const TileInt *size,
                                   TileGraphOperand *out) {
  int dims[TILE_GRAPH_MAX_RANK];
  TileGraphOperand part = *base;
  part.value = out->value;
  for (int d = 0; d < base->rank; d++) {
    bool is_all = tile_int_is_constant(start[d]) && start[d].constant == 0 &&
                  (is_same_int(size[d], base->size[d]) ||
                   bound_of(size[d]) == base->bound[d]);
    if (base->tile && !is_all)
      return tile_emit_error(
          view,
          "takes a part of a tile in dimension %d: tiles are used whole, "
          "so the schedule must tile what makes it as well",
          d);
    if (!base->tile && !add_offset(&part.offset[base->root_dim[d]], start[d]))
      return tile_emit_error(
          view, "is the %dth window in a window, expects at most %d",
          TILE_GRAPH_MAX_TERMS + 1, TILE_GRAPH_MAX_TERMS);
  }
  if (!kept_dims(mlirValueGetType(out->value), size, base->rank, dims))
    return tile_emit_error(view, "internal error: drops dimensions in a way "
                                 "that is not understood");
  part.rank = (int)mlirShapedTypeGetRank(mlirValueGetType(out->value));
  for (int d = 0; d < part.rank; d++) {
    part.root_dim[d] = base->root_dim[dims[d]];
    part.size[d] = size[dims[d]];
    part.bound[d] = base->tile ? base->bound[dims[d]] : bound_of(size[dims[d]]);
  }
  *out = part;
  return tile_success();
}

static MlirLogicalResult subview(TileGraphPlan *plan, MemRefSubViewOp view,
                                 TileGraphOperand *out) {
  TileGraphOperand base;
  if (tile_failed(tile_graph_operand_of(plan, view.op,
                                        memref_subview_source(view), &base)))
    return tile_failure();
  TileInt start[TILE_GRAPH_MAX_RANK], size[TILE_GRAPH_MAX_RANK];
  intptr_t starts = 0, sizes = 0, strides = 0;
  for (int d = 0; d < base.rank; d++) {
    start[d] = static_or(memref_subview_static_offsets_attr(view),
                         memref_subview_offsets(view), d, &starts);
    size[d] = static_or(memref_subview_static_sizes_attr(view),
                        memref_subview_sizes(view), d, &sizes);
    TileInt stride = static_or(memref_subview_static_strides_attr(view),
                               memref_subview_strides(view), d, &strides);
    if (!tile_int_is_constant(stride) || stride.constant != 1)
      return tile_emit_error(view.op,
                             "expects unit strides in a kernel; a strided view "
                             "is taken before it, by the host");
  }
  return take_part(view.op, &base, start, size, out);
}

// Shapes that differ in extents of 1 alone name the same elements.
static MlirLogicalResult reshape(TileGraphPlan *plan, MlirOperation op,
                                 TileGraphOperand *out) {
  TileGraphOperand base;
  MlirType type = mlirValueGetType(out->value);
  if (tile_failed(tile_graph_operand_of(plan, op,
                                        mlirOperationGetOperand(op, 0), &base)))
    return tile_failure();
  TileGraphOperand shape = base;
  shape.value = out->value;
  shape.rank = (int)mlirShapedTypeGetRank(type);
  int from = 0, to = 0;
  while (to < shape.rank) {
    bool is_unit = mlirShapedTypeGetDimSize(type, to) == 1;
    while (!is_unit && from < base.rank && base.bound[from] == 1)
      from++;
    if (is_unit && (from == base.rank || base.bound[from] != 1)) {
      // A dimension that the source has not: any of extent 1 will do.
      shape.root_dim[to] = -1;
      shape.bound[to] = 1;
      shape.size[to++] = tile_int_constant(1);
      continue;
    }
    if (from == base.rank)
      break;
    shape.root_dim[to] = base.root_dim[from];
    shape.bound[to] = base.bound[from];
    shape.size[to++] = base.size[from++];
  }
  while (from < base.rank && base.bound[from] == 1)
    from++;
  for (int d = 0; d < shape.rank && to == shape.rank; d++) {
    int64_t extent = mlirShapedTypeGetDimSize(type, d);
    if (!mlirShapedTypeIsDynamicSize(extent) &&
        tile_graph_is_ragged(shape.size[d], extent))
      to = 0;
  }
  if (to != shape.rank || from != base.rank)
    return tile_emit_error(op, "changes a shape in a kernel: only extents of 1 "
                               "may come and go there; reshape whole tensors");
  *out = shape;
  return tile_success();
}

MlirLogicalResult tile_graph_operand_of(TileGraphPlan *plan, MlirOperation user,
                                        MlirValue value,
                                        TileGraphOperand *out) {
  MlirType type = mlirValueGetType(value);
  *out = (TileGraphOperand){.value = value};
  if (!mlirTypeIsAMemRef(type)) {
    out->is_scalar = true;
    out->element = type;
    return tile_success();
  }
  out->element = mlirShapedTypeGetElementType(type);
  if (!tile_value_is_inside(value, plan->forall))
    return whole_tensor(user, out);
  if (mlirValueIsABlockArgument(value))
    return tile_emit_error(user, "takes a memref that a loop carries; carry "
                                 "indices, or write the same buffer each time");
  MlirOperation owner = mlirOpResultGetOwner(value);
  if (memref_alloc_is(owner) || memref_alloca_is(owner))
    return whole_tile(plan, owner, out);
  if (memref_subview_is(owner))
    return subview(plan, memref_subview_cast(owner), out);
  if (memref_expand_shape_is(owner) || memref_collapse_shape_is(owner))
    return reshape(plan, owner, out);
  if (memref_cast_is(owner))
    return tile_graph_operand_of(plan, user, mlirOperationGetOperand(owner, 0),
                                 out);
  if (memref_get_global_is(owner))
    return whole_tensor(user, out);
  return tile_emit_error(owner, "makes a memref in a kernel; expects "
                                "memref.alloc, memref.subview or memref.cast");
}

//===-- Where windows end -------------------------------------------------===//

enum { MAX_TERMS = 4 * TILE_INDEX_MAX_TERMS };

typedef struct {
  TileIndexTerm terms[MAX_TERMS];
  int count;
  int64_t constant;
  bool is_exact;
} Sum;

static void sum_add_term(Sum *sum, TileIndexTerm term) {
  for (int i = 0; i < sum->count; i++) {
    if (sum->terms[i].symbol != term.symbol)
      continue;
    sum->terms[i].factor += term.factor;
    if (!sum->terms[i].factor)
      sum->terms[i] = sum->terms[--sum->count];
    return;
  }
  sum->is_exact &= sum->count < MAX_TERMS;
  if (sum->count < MAX_TERMS)
    sum->terms[sum->count++] = term;
}

static void sum_add(TileGraphPlan *plan, Sum *sum, TileInt value, int sign) {
  const TileIndex *index = tile_index_of(&plan->indices, value);
  sum->is_exact &= index->modulus == 0;
  sum->constant += sign * index->constant;
  for (int i = 0; i < index->num_terms; i++)
    sum_add_term(sum, (TileIndexTerm){index->terms[i].symbol,
                                      sign * index->terms[i].factor});
}

static bool is_extent_of(MlirValue value, MlirValue root, int dim) {
  int64_t index;
  if (mlirValueIsABlockArgument(value))
    return false;
  MemRefDimOp op = memref_dim_dyn(mlirOpResultGetOwner(value));
  return op.op.ptr && mlirValueEqual(memref_dim_source(op), root) &&
         mlirxConstantInt(memref_dim_index(op), &index) && index == dim;
}

// Two names of one number: values, or dimensions of one tensor.
static bool is_same_extent(MlirValue a, MlirValue b) {
  int64_t dim;
  if (mlirValueEqual(a, b) || mlirValueIsABlockArgument(b))
    return mlirValueEqual(a, b);
  MemRefDimOp op = memref_dim_dyn(mlirOpResultGetOwner(b));
  return op.op.ptr && mlirxConstantInt(memref_dim_index(op), &dim) &&
         is_extent_of(a, memref_dim_source(op), (int)dim);
}

// What the host has checked before the loop: tile.require of a == b.
static void find_equal(TileGraphPlan *plan) {
  MlirOperation op = plan->forall;
  while (op.ptr && !func_func_is(op)) {
    MlirBlock block = mlirOperationGetBlock(op);
    TILE_FOR_EACH_OP (before, block) {
      TileRequireOp require = tile_require_dyn(before);
      if (mlirOperationEqual(before, op) ||
          plan->num_equal == TILE_GRAPH_MAX_EQUAL)
        break;
      MlirValue condition =
          require.op.ptr ? tile_require_condition(require) : TILE_NULL_VALUE;
      if (!condition.ptr || mlirValueIsABlockArgument(condition))
        continue;
      ArithCmpIOp compare = arith_cmpi_dyn(mlirOpResultGetOwner(condition));
      if (compare.op.ptr &&
          arith_cmpi_predicate(compare) == ARITH_CMP_I_PREDICATE_eq) {
        plan->equal[plan->num_equal][0] = arith_cmpi_lhs(compare);
        plan->equal[plan->num_equal++][1] = arith_cmpi_rhs(compare);
      }
    }
    op = mlirOperationGetParentOperation(op);
  }
}

// Whether `value` is the extent of the tensor, or the host has checked that.
static bool is_known_extent(TileGraphPlan *plan, MlirValue value,
                            MlirValue root, int dim) {
  MlirValue found[TILE_GRAPH_MAX_EQUAL + 1] = {value};
  bool is_used[TILE_GRAPH_MAX_EQUAL] = {false};
  int count = 1;
  if (plan->num_equal < 0) {
    plan->num_equal = 0;
    find_equal(plan);
  }
  for (int at = 0; at < count; at++) {
    if (is_extent_of(found[at], root, dim))
      return true;
    for (int i = 0; i < 2 * plan->num_equal; i++) {
      if (is_used[i / 2] ||
          !is_same_extent(plan->equal[i / 2][i % 2], found[at]))
        continue;
      is_used[i / 2] = true;
      found[count++] = plan->equal[i / 2][1 - i % 2];
    }
  }
  return false;
}

// The extent that the type says, or that memref.alloc was given.
static bool extent_given(MlirValue root, int dim, TileInt *out) {
  MlirType type = mlirValueGetType(root);
  int64_t extent = mlirShapedTypeGetDimSize(type, dim);
  *out = tile_int_constant(extent);
  if (!mlirShapedTypeIsDynamicSize(extent))
    return true;
  if (mlirValueIsABlockArgument(root) ||
      !memref_alloc_is(mlirOpResultGetOwner(root)))
    return false;
  intptr_t number = 0;
  for (int d = 0; d < dim; d++)
    number += mlirShapedTypeIsDynamicDim(type, d);
  *out = tile_int_value(
      mlirOperationGetOperand(mlirOpResultGetOwner(root), number));
  return true;
}

// Whether offset + last is the extent of the tensor.
static bool ends_tensor(TileGraphPlan *plan, const TileGraphOperand *operand,
                        int root_dim, TileInt last) {
  const TileGraphOffset *offset = &operand->offset[root_dim];
  Sum sum = {.constant = offset->constant, .is_exact = true};
  TileInt extent;
  for (int i = 0; i < offset->num_terms; i++)
    sum_add(plan, &sum, tile_int_value(offset->terms[i]), 1);
  sum_add(plan, &sum, last, 1);
  if (!sum.is_exact)
    return false;
  if (sum.count == 1 && sum.constant == 0 && sum.terms[0].factor == 1 &&
      is_known_extent(plan, sum.terms[0].symbol->value, operand->root,
                      root_dim))
    return true;
  if (!extent_given(operand->root, root_dim, &extent))
    return false;
  sum_add(plan, &sum, extent, -1);
  return sum.is_exact && sum.count == 0 && sum.constant == 0;
}

// min(bound, last) elements, of which `last` come before the end of the tensor.
static bool is_cut(TileGraphPlan *plan, const TileGraphOperand *operand,
                   int dim) {
  TileInt size = operand->size[dim];
  int root_dim = operand->root_dim[dim];
  if (root_dim < 0 || !tile_graph_is_ragged(size, operand->bound[dim]))
    return true;
  if (ends_tensor(plan, operand, root_dim, size))
    return true;
  if (tile_int_is_constant(size) || mlirValueIsABlockArgument(size.value))
    return false;
  MlirOperation min = mlirOpResultGetOwner(size.value);
  for (int i = 0; i < 2 && (arith_minsi_is(min) || arith_minui_is(min)); i++) {
    int64_t constant;
    if (mlirxConstantInt(mlirOperationGetOperand(min, 1 - i), &constant) &&
        constant == operand->bound[dim] &&
        ends_tensor(plan, operand, root_dim,
                    tile_int_value(mlirOperationGetOperand(min, i))))
      return true;
  }
  return false;
}

void tile_graph_operand_finish(TileGraphPlan *plan, TileGraphOperand *operand) {
  for (int d = 0; d < operand->rank && !operand->is_scalar; d++)
    operand->is_cut_by_tensor[d] = operand->tile || is_cut(plan, operand, d);
}
