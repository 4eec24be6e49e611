//===- MetadataViews.c - Memrefs that are made of others ------------------===//
//
// Consumes: memref ops of a host function that touch no memory.
// Produces: the parts of their results, as rows of the value table, and
//           conditions where a result may not fit what it is made of.
// Fails:    parts that are computed of what the host does not know.
//
// A view is numbers: the metadata has no views, only addresses, extents and
// strides (docs/Rationale/HostPrograms.md).
//
//===----------------------------------------------------------------------===//

#include "Target/Metadata.h"

#include "Support/Diagnostics.h"
#include "Tile/Ops/arith.h"
#include "Tile/Ops/memref.h"
#include "mlir-c/AffineExpr.h"
#include "mlir-c/AffineMap.h"

typedef struct {
  TileHost *host;
  TileSlice *slice;
  MlirOperation op;
  MlirValue source, result;
  TileHostMemref *parts; // of the result
  int source_rank, rank;
} View;

//===-- Rows; what is known now is not left to run time -------------------===//

static int add(TileSlice *slice, int a, int b) {
  int64_t x, y;
  bool is_known = tile_slice_constant_is(slice, a, &x);
  if (is_known && x == 0)
    return b;
  if (tile_slice_constant_is(slice, b, &y) && (y == 0 || is_known))
    return y == 0 ? a : tile_slice_constant(slice, x + y);
  return tile_slice_binary(slice, "arith.addi", a, b);
}

static int multiply(TileSlice *slice, int a, int b) {
  int64_t x, y;
  bool is_known = tile_slice_constant_is(slice, a, &x);
  if (is_known && (x == 0 || x == 1))
    return x == 0 ? a : b;
  if (tile_slice_constant_is(slice, b, &y) && (y == 0 || y == 1 || is_known))
    return y == 0   ? b
           : y == 1 ? a
                    : tile_slice_constant(slice,
                                          (int64_t)((uint64_t)x * (uint64_t)y));
  return tile_slice_binary(slice, "arith.muli", a, b);
}

// Number `i` of a list of which some are attributes and the others operands.
static int mixed(const View *view, MlirAttribute statics, TileRange dynamics,
                 int i) {
  intptr_t operand = 0;
  int64_t number = mlirDenseI64ArrayGetElement(statics, i);
  if (!mlirShapedTypeIsDynamicSize(number))
    return tile_slice_constant(view->slice, number);
  for (int j = 0; j < i; j++)
    operand +=
        mlirShapedTypeIsDynamicSize(mlirDenseI64ArrayGetElement(statics, j));
  return tile_slice_value(view->slice, tile_range_at(dynamics, operand));
}

//===-- Conditions --------------------------------------------------------===//

// A condition that is a constant expression has been checked by the verifier.
static void check(const View *view, int condition, const char *text, int actual,
                  int other) {
  TileHostCheck it = {view->op, condition, actual, other, text};
  if (condition >= 0)
    tile_host_print_check(view->host, &it);
}

static void check_not_negative(const View *view, const char *what, int dim,
                               int number) {
  char text[80];
  int64_t known;
  if (tile_slice_constant_is(view->slice, number, &known))
    return;
  snprintf(text, sizeof text, "%s %d of memref.subview is not negative", what,
           dim);
  int zero = tile_slice_constant(view->slice, 0);
  check(view, tile_slice_compare(view->slice, TILE_SLICE_SGE, number, zero),
        text, number, -1);
}

// After the last element of a dimension.
static int end_of_some(TileSlice *slice, int offset, int size, int step) {
  int64_t by;
  if (tile_slice_constant_is(slice, step, &by) && by == 1)
    return add(slice, offset, size);
  int last = add(slice, size, tile_slice_constant(slice, -1));
  return add(slice, add(slice, offset, multiply(slice, last, step)),
             tile_slice_constant(slice, 1));
}

// The end of a dimension of a subview, which without elements may be anywhere.
static int end_of(TileSlice *slice, int offset, int size, int step) {
  int64_t count;
  bool is_known = tile_slice_constant_is(slice, size, &count);
  if (is_known && count > 0)
    return end_of_some(slice, offset, size, step);
  int zero = tile_slice_constant(slice, 0);
  if (is_known)
    return zero;
  int end = end_of_some(slice, offset, size, step);
  return tile_slice_select(
      slice, tile_slice_compare(slice, TILE_SLICE_EQ, size, zero), zero, end);
}

static void check_window(const View *view, int dim, int offset, int size,
                         int step) {
  TileSlice *slice = view->slice;
  int64_t known, first, count, by;
  char text[80];
  int extent = tile_slice_extent(slice, view->source, dim);
  bool knows_first = tile_slice_constant_is(slice, offset, &first);
  bool knows_step = tile_slice_constant_is(slice, step, &by);
  bool is_static = knows_first && knows_step &&
                   tile_slice_constant_is(slice, size, &count) &&
                   tile_slice_constant_is(slice, extent, &known);
  bool is_whole =
      knows_first && first == 0 && knows_step && by == 1 && size == extent;
  if (is_static || is_whole)
    return;
  check_not_negative(view, "offset", dim, offset);
  check_not_negative(view, "size", dim, size);
  snprintf(text, sizeof text,
           "dimension %d of memref.subview ends within the tensor", dim);
  int end = end_of(slice, offset, size, step);
  check(view, tile_slice_compare(slice, TILE_SLICE_SLE, end, extent), text, end,
        extent);
}

// A number that the type of the result says and that of the source leaves open.
static void check_equal(const View *view, const char *what, int dim, int row,
                        int64_t expected) {
  char text[120];
  int64_t known;
  if (tile_slice_constant_is(view->slice, row, &known))
    return;
  snprintf(text, sizeof text, "%s %d of the source of memref.cast is %lld",
           what, dim, (long long)expected);
  int number = tile_slice_constant(view->slice, expected);
  check(view, tile_slice_compare(view->slice, TILE_SLICE_EQ, row, number), text,
        row, -1);
}

// Kernels derive the strides of such memrefs from the extents.
static void check_contiguous(const View *view) {
  MlirType to = mlirValueGetType(view->result);
  MlirType from = mlirValueGetType(view->source);
  if (!mlirAffineMapIsIdentity(mlirMemRefTypeGetAffineMap(to)) ||
      (mlirAffineMapIsIdentity(mlirMemRefTypeGetAffineMap(from)) &&
       memref_cast_is(view->op)))
    return;
  check(view, tile_slice_contiguous(view->slice, view->result),
        "rows follow one another without gaps", -1, -1);
}

//===-- Ops ---------------------------------------------------------------===//

static void take_base(const View *view) {
  view->parts->base = tile_slice_base(view->slice, view->source);
  view->parts->offset = tile_slice_offset(view->slice, view->source);
}

static void add_same(const View *view) {
  take_base(view);
  for (int d = 0; d < view->rank; d++) {
    view->parts->sizes[d] = tile_slice_extent(view->slice, view->source, d);
    view->parts->strides[d] = tile_slice_stride(view->slice, view->source, d);
  }
}

static void add_cast(const View *view) {
  MlirType type = mlirValueGetType(view->result);
  int64_t strides[TILE_HOST_MAX_RANK], offset = 0;
  add_same(view);
  for (int d = 0; d < view->rank; d++)
    if (!mlirShapedTypeIsDynamicDim(type, d))
      check_equal(view, "extent", d, view->parts->sizes[d],
                  mlirShapedTypeGetDimSize(type, d));
  if (tile_failed(mlirMemRefTypeGetStridesAndOffset(type, strides, &offset)))
    return;
  for (int d = 0; d < view->rank; d++)
    if (!mlirShapedTypeIsDynamicStrideOrOffset(strides[d]))
      check_equal(view, "stride", d, view->parts->strides[d], strides[d]);
  check_contiguous(view);
}

// Which dimensions of its source a subview keeps.
typedef struct {
  int source_rank, rank;
  const int64_t *sizes, *strides; // of the source, before any is left out
  MlirType type;                  // of the result
  const int64_t *wanted_strides;  // of the result
  int dims[TILE_HOST_MAX_RANK];   // by dimension of the result
} Keep;

// Extents and strides that both sides say must agree.
static bool may_be(const Keep *keep, int from, int to) {
  bool is_open = mlirShapedTypeIsDynamicDim(keep->type, to);
  int64_t stride = keep->wanted_strides[to];
  bool is_size =
      is_open ? mlirShapedTypeIsDynamicSize(keep->sizes[from])
              : keep->sizes[from] == mlirShapedTypeGetDimSize(keep->type, to);
  return is_size && (mlirShapedTypeIsDynamicStrideOrOffset(stride) ||
                     stride == keep->strides[from]);
}

// Those that are left out have an extent of 1.
static bool match_dims(Keep *keep, int from, int to) {
  if (from == keep->source_rank)
    return to == keep->rank;
  if (to < keep->rank && may_be(keep, from, to)) {
    keep->dims[to] = from;
    if (match_dims(keep, from + 1, to + 1))
      return true;
  }
  return keep->sizes[from] == 1 && match_dims(keep, from + 1, to);
}

static MlirLogicalResult add_subview(const View *view) {
  TileSlice *slice = view->slice;
  MemRefSubViewOp op = memref_subview_cast(view->op);
  int64_t known_sizes[TILE_HOST_MAX_RANK], known_strides[TILE_HOST_MAX_RANK];
  int64_t wanted[TILE_HOST_MAX_RANK], offset = 0;
  int sizes[TILE_HOST_MAX_RANK], strides[TILE_HOST_MAX_RANK];
  take_base(view);
  for (int d = 0; d < view->source_rank; d++) {
    int first = mixed(view, memref_subview_static_offsets_attr(op),
                      memref_subview_offsets(op), d);
    int step = mixed(view, memref_subview_static_strides_attr(op),
                     memref_subview_strides(op), d);
    int stride = tile_slice_stride(slice, view->source, d);
    sizes[d] = mixed(view, memref_subview_static_sizes_attr(op),
                     memref_subview_sizes(op), d);
    strides[d] = multiply(slice, stride, step);
    view->parts->offset =
        add(slice, view->parts->offset, multiply(slice, first, stride));
    known_sizes[d] = memref_subview_static_sizes(op, d);
    if (!tile_slice_constant_is(slice, strides[d], &known_strides[d]))
      known_strides[d] = mlirShapedTypeGetDynamicStrideOrOffset();
    if (first < 0 || step < 0 || sizes[d] < 0)
      return tile_failure();
    check_window(view, d, first, sizes[d], step);
  }
  Keep keep = {.source_rank = view->source_rank,
               .rank = view->rank,
               .sizes = known_sizes,
               .strides = known_strides,
               .type = mlirValueGetType(view->result),
               .wanted_strides = wanted};
  if (tile_failed(
          mlirMemRefTypeGetStridesAndOffset(keep.type, wanted, &offset)) ||
      !match_dims(&keep, 0, 0))
    return tile_emit_internal_error(view->op, "leaves out unknown dimensions");
  for (int d = 0; d < view->rank; d++) {
    view->parts->sizes[d] = sizes[keep.dims[d]];
    view->parts->strides[d] = strides[keep.dims[d]];
  }
  return tile_success();
}

// Offset and strides count from the base of the source, not from its offset.
static void add_reinterpret(const View *view) {
  MemRefReinterpretCastOp op = memref_reinterpret_cast_cast(view->op);
  view->parts->base = tile_slice_base(view->slice, view->source);
  view->parts->offset =
      mixed(view, memref_reinterpret_cast_static_offsets_attr(op),
            memref_reinterpret_cast_offsets(op), 0);
  for (int d = 0; d < view->rank; d++) {
    view->parts->sizes[d] =
        mixed(view, memref_reinterpret_cast_static_sizes_attr(op),
              memref_reinterpret_cast_sizes(op), d);
    view->parts->strides[d] =
        mixed(view, memref_reinterpret_cast_static_strides_attr(op),
              memref_reinterpret_cast_strides(op), d);
  }
  check_contiguous(view);
}

// The members of group `dim` of an array of arrays: dimensions that follow one
// another.
static void group_of(MlirAttribute groups, int dim, int *out_first,
                     int *out_count) {
  MlirAttribute group = mlirArrayAttrGetElement(groups, dim);
  *out_count = (int)mlirArrayAttrGetNumElements(group);
  *out_first =
      *out_count
          ? (int)mlirIntegerAttrGetValueInt(mlirArrayAttrGetElement(group, 0))
          : 0;
}

// The stride of a group is that of its last dimension that has one: where the
// extent is 1 it may be any.
static int collapsed_stride(const View *view, int first, int count) {
  TileSlice *slice = view->slice;
  int one = tile_slice_constant(slice, 1);
  int stride = tile_slice_stride(slice, view->source, first);
  for (int d = first + 1; d < first + count; d++) {
    int extent = tile_slice_extent(slice, view->source, d);
    int64_t known = 0;
    bool is_known = tile_slice_constant_is(slice, extent, &known);
    if (is_known && known == 1)
      continue;
    int own = tile_slice_stride(slice, view->source, d);
    stride =
        is_known
            ? own
            : tile_slice_select(
                  slice, tile_slice_compare(slice, TILE_SLICE_EQ, extent, one),
                  stride, own);
  }
  return stride;
}

static void add_collapse(const View *view) {
  MlirAttribute groups = memref_collapse_shape_reassociation_attr(
      memref_collapse_shape_cast(view->op));
  take_base(view);
  for (int d = 0; d < view->rank; d++) {
    int first, count;
    group_of(groups, d, &first, &count);
    int size = tile_slice_extent(view->slice, view->source, first);
    for (int i = first + 1; i < first + count; i++)
      size = multiply(view->slice, size,
                      tile_slice_extent(view->slice, view->source, i));
    view->parts->sizes[d] = size;
    view->parts->strides[d] = collapsed_stride(view, first, count);
  }
}

static void add_expand(const View *view) {
  MemRefExpandShapeOp op = memref_expand_shape_cast(view->op);
  TileSlice *slice = view->slice;
  MlirAttribute groups = memref_expand_shape_reassociation_attr(op);
  take_base(view);
  for (int d = 0; d < view->rank; d++) { // of a source of rank 0
    view->parts->sizes[d] =
        mixed(view, memref_expand_shape_static_output_shape_attr(op),
              memref_expand_shape_output_shape(op), d);
    view->parts->strides[d] = tile_slice_constant(slice, 1);
  }
  for (int g = 0; g < view->source_rank; g++) {
    int first, count;
    group_of(groups, g, &first, &count);
    int stride = tile_slice_stride(slice, view->source, g);
    int all = tile_slice_constant(slice, 1);
    for (int d = first + count - 1; d >= first; d--) {
      view->parts->strides[d] = stride;
      stride = multiply(slice, stride, view->parts->sizes[d]);
      all = multiply(slice, all, view->parts->sizes[d]);
    }
    int64_t known;
    int extent = tile_slice_extent(slice, view->source, g);
    if (all == extent || tile_slice_constant_is(slice, extent, &known))
      continue;
    check(view, tile_slice_compare(slice, TILE_SLICE_EQ, all, extent),
          "the extents of memref.expand_shape multiply to that of the source",
          all, -1);
  }
}

static void add_transpose(const View *view) {
  MlirAffineMap map =
      memref_transpose_permutation(memref_transpose_cast(view->op));
  take_base(view);
  for (int d = 0; d < view->rank; d++) {
    int from =
        (int)mlirAffineDimExprGetPosition(mlirAffineMapGetResult(map, d));
    view->parts->sizes[d] = tile_slice_extent(view->slice, view->source, from);
    view->parts->strides[d] =
        tile_slice_stride(view->slice, view->source, from);
  }
}

// Bytes as elements of another type: the base moves, the layout has no gaps.
static void add_view(const View *view) {
  MemRefViewOp op = memref_view_cast(view->op);
  TileSlice *slice = view->slice;
  MlirType type = mlirValueGetType(view->result);
  intptr_t operand = 0;
  int stride = tile_slice_constant(slice, 1);
  view->parts->base = add(slice, tile_slice_pointer(slice, view->source),
                          tile_slice_value(slice, memref_view_byte_shift(op)));
  view->parts->offset = tile_slice_constant(slice, 0);
  for (int d = 0; d < view->rank; d++)
    view->parts->sizes[d] =
        mlirShapedTypeIsDynamicDim(type, d)
            ? tile_slice_value(slice,
                               tile_range_at(memref_view_sizes(op), operand++))
            : tile_slice_constant(slice, mlirShapedTypeGetDimSize(type, d));
  for (int d = view->rank - 1; d >= 0; d--) {
    view->parts->strides[d] = stride;
    stride = multiply(slice, stride, view->parts->sizes[d]);
  }
  int elem_bytes = tile_elem_bits(mlirShapedTypeGetElementType(type)) / 8;
  int end =
      add(slice, tile_slice_value(slice, memref_view_byte_shift(op)),
          multiply(slice, stride, tile_slice_constant(slice, elem_bytes)));
  int extent = tile_slice_extent(slice, view->source, 0);
  int64_t known_end, known;
  if (tile_slice_constant_is(slice, end, &known_end) &&
      tile_slice_constant_is(slice, extent, &known) && known_end <= known)
    return;
  check(view, tile_slice_compare(slice, TILE_SLICE_SLE, end, extent),
        "memref.view ends within the bytes", end, extent);
}

// One of two memrefs of the same type.
static void add_select(const View *view) {
  TileSlice *slice = view->slice;
  MlirValue a = view->source, b = mlirOperationGetOperand(view->op, 2);
  int condition = tile_slice_value(slice, mlirOperationGetOperand(view->op, 0));
  view->parts->base = tile_slice_select(
      slice, condition, tile_slice_base(slice, a), tile_slice_base(slice, b));
  view->parts->offset =
      tile_slice_select(slice, condition, tile_slice_offset(slice, a),
                        tile_slice_offset(slice, b));
  for (int d = 0; d < view->rank; d++) {
    view->parts->sizes[d] =
        tile_slice_select(slice, condition, tile_slice_extent(slice, a, d),
                          tile_slice_extent(slice, b, d));
    view->parts->strides[d] =
        tile_slice_select(slice, condition, tile_slice_stride(slice, a, d),
                          tile_slice_stride(slice, b, d));
  }
}

//===-- Entry -------------------------------------------------------------===//

static MlirLogicalResult add_parts(const View *view) {
  MlirOperation op = view->op;
  if (memref_cast_is(op))
    add_cast(view);
  else if (memref_subview_is(op))
    return add_subview(view);
  else if (memref_reinterpret_cast_is(op))
    add_reinterpret(view);
  else if (memref_collapse_shape_is(op))
    add_collapse(view);
  else if (memref_expand_shape_is(op))
    add_expand(view);
  else if (memref_transpose_is(op))
    add_transpose(view);
  else if (memref_view_is(op))
    add_view(view);
  else if (arith_select_is(op))
    add_select(view);
  else if (memref_extract_strided_metadata_is(op)) {
    view->parts->base = tile_slice_base(view->slice, view->source);
    view->parts->offset = tile_slice_constant(view->slice, 0);
  } else
    add_same(view);
  return tile_success();
}

static MlirLogicalResult add_result(TileHost *host, MlirOperation op,
                                    intptr_t source, intptr_t result) {
  View view = {.host = host, .slice = &host->slice, .op = op};
  view.source = mlirOperationGetOperand(op, source);
  view.result = mlirOperationGetResult(op, result);
  MlirType from = mlirValueGetType(view.source);
  MlirType to = mlirValueGetType(view.result);
  if (!mlirTypeIsAMemRef(from) || !mlirTypeIsAMemRef(to) ||
      mlirShapedTypeGetRank(from) > TILE_HOST_MAX_RANK ||
      mlirShapedTypeGetRank(to) > TILE_HOST_MAX_RANK)
    return tile_emit_error(op,
                           "is of a memref that the host of a launch does not "
                           "have: one of a rank from 0 to %d",
                           TILE_HOST_MAX_RANK);
  view.source_rank = (int)mlirShapedTypeGetRank(from);
  view.rank = (int)mlirShapedTypeGetRank(to);
  host->slice.user = op;
  if (!tile_slice_has_memref(view.slice, view.source)) {
    tile_slice_base(view.slice, view.source); // which reports it
    return tile_failure();
  }
  TileHostMemref *parts = tile_slice_add_memref(view.slice, view.result);
  view.parts = parts;
  if (tile_failed(add_parts(&view)))
    return tile_failure();
  bool is_known = parts->base >= 0 && parts->offset >= 0;
  for (int d = 0; d < view.rank; d++)
    is_known &= parts->sizes[d] >= 0 && parts->strides[d] >= 0;
  return is_known ? tile_success() : tile_failure();
}

MlirLogicalResult tile_host_add_view(TileHost *host, MlirOperation op) {
  if (!memref_distinct_objects_is(op))
    return add_result(host, op, arith_select_is(op) ? 1 : 0, 0);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
    if (tile_failed(add_result(host, op, i, i)))
      return tile_failure();
  return tile_success();
}
