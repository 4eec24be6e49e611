//===- FormConvolutions.c - Convolutions as products of gathered pixels ---===//
//
// Consumes: convolutions of linalg on tensors, the pads before them and the
//           elements after them.
// Produces: a product of two matrices: a loop gathers the pixels that the
//           filter meets at each point of the result, and says so in
//           `tile.im2col` where tile.im2col can do it. Elements after the
//           convolution run over the same points.
// Keeps:    what is no such convolution, with a remark.
// Fails:    never.
//
//===----------------------------------------------------------------------===//

#include "Transforms/Schedules/NestBuild.h"

#include "Dialect/ForeignOps.h"
#include "Support/Diagnostics.h"
#include "Support/Iterate.h"
#include "TilePasses.h"
#include "mlir-c/AffineExpr.h"

enum { MAX_PIXEL_DIMS = 3, MAX_DIMS = MAX_PIXEL_DIMS + 2, NONE = -1 };

/// An extent of the image that the filter moves along.
typedef struct {
  int point, filter;        // loops
  int dim;                  // of the image
  int64_t stride, dilation; // in pixels
  int64_t pad, pad_upper;   // zeros before and after the pixels
  int64_t extent;           // pixels
} Axis;

typedef struct {
  TileNest nest;
  Axis axes[MAX_PIXEL_DIMS];
  int num_axes;
  int batch, channel, filters; // loops; batch may be NONE
  int batch_dim, channel_dim;  // of the image
  MlirValue image, weights;    // the image without its pads
  int depth[MAX_DIMS];         // loops of the depth, as the weights have them
  int num_depth;
  bool is_depth_first; // weights: depth before filters
  bool is_joint;       // the result has its points before its filters
} Convolution;

static MlirOperation owner_of(MlirValue value) {
  return mlirValueIsABlockArgument(value) ? TILE_NULL_OP
                                          : mlirOpResultGetOwner(value);
}

static MlirBlock body_of(MlirOperation op) {
  return mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
}

//===-- Matching ----------------------------------------------------------===//

// c += a * b, of elements that are extended perhaps.
static bool is_sum_of_products(MlirOperation op) {
  int num_products = 0, num_sums = 0;
  MlirBlock body = body_of(op);
  TILE_FOR_EACH_OP (inner, body) {
    bool is_product = arith_mulf_is(inner) || arith_muli_is(inner);
    bool is_sum = arith_addf_is(inner) || arith_addi_is(inner);
    num_products += is_product;
    num_sums += is_sum;
    if (!is_product && !is_sum && !arith_extf_is(inner) &&
        !arith_extsi_is(inner) && !mlirxIsTerminator(inner))
      return false;
  }
  return num_products == 1 && num_sums == 1;
}

// The terms `loop * factor` of a sum; false for anything else.
static bool terms_of(MlirAffineExpr expr, int64_t factor, int *loops,
                     int64_t *factors, int *count) {
  if (mlirAffineExprIsADim(expr) && *count < 2) {
    loops[*count] = (int)mlirAffineDimExprGetPosition(expr);
    factors[(*count)++] = factor;
    return true;
  }
  if (!mlirAffineExprIsAAdd(expr) && !mlirAffineExprIsAMul(expr))
    return false;
  MlirAffineExpr left = mlirAffineBinaryOpExprGetLHS(expr);
  MlirAffineExpr right = mlirAffineBinaryOpExprGetRHS(expr);
  if (mlirAffineExprIsAAdd(expr))
    return terms_of(left, factor, loops, factors, count) &&
           terms_of(right, factor, loops, factors, count);
  return mlirAffineExprIsAConstant(right) &&
         terms_of(left, factor * mlirAffineConstantExprGetValue(right), loops,
                  factors, count);
}

// An extent of pixels: point * stride + filter * dilation.
static bool add_axis(Convolution *c, int dim) {
  int loops[2], count = 0;
  int64_t factors[2];
  if (!terms_of(mlirAffineMapGetResult(c->nest.maps[0], dim), 1, loops, factors,
                &count) ||
      count != 2 || c->num_axes == MAX_PIXEL_DIMS ||
      c->nest.is_reduced[loops[0]] == c->nest.is_reduced[loops[1]])
    return false;
  int point = c->nest.is_reduced[loops[0]];
  c->axes[c->num_axes++] = (Axis){.point = loops[point],
                                  .filter = loops[1 - point],
                                  .dim = dim,
                                  .stride = factors[point],
                                  .dilation = factors[1 - point]};
  return factors[0] > 0 && factors[1] > 0;
}

static bool read_image(Convolution *c) {
  c->batch = c->channel = c->batch_dim = c->channel_dim = NONE;
  for (int d = 0; d < mlirAffineMapGetNumResults(c->nest.maps[0]); d++) {
    int loop = tile_nest_loop(&c->nest, 0, d);
    if (loop < 0) {
      if (!add_axis(c, d))
        return false;
      continue;
    }
    int *kind = c->nest.is_reduced[loop] ? &c->channel : &c->batch;
    int *dim = c->nest.is_reduced[loop] ? &c->channel_dim : &c->batch_dim;
    if (*kind != NONE)
      return false;
    *kind = loop;
    *dim = d;
  }
  return c->num_axes > 0 && c->channel != NONE;
}

// The loops of the depth lie side by side, before the filters or after them.
static bool read_weights(Convolution *c) {
  int rank = (int)mlirAffineMapGetNumResults(c->nest.maps[1]);
  c->filters = NONE;
  if (rank != c->num_axes + 2)
    return false;
  for (int d = 0; d < rank; d++) {
    int loop = tile_nest_loop(&c->nest, 1, d);
    if (loop < 0)
      return false;
    if (c->nest.is_reduced[loop]) {
      c->depth[c->num_depth++] = loop;
      continue;
    }
    if (c->filters != NONE || (d != 0 && d != rank - 1))
      return false;
    c->filters = loop;
    c->is_depth_first = d != 0;
  }
  return c->filters != NONE && c->filters != c->batch;
}

// Images, points and filters; or images, filters and points.
static bool read_result(Convolution *c) {
  int rank = (int)mlirAffineMapGetNumResults(c->nest.maps[2]), d = 0;
  if (rank != c->num_axes + 1 + (c->batch != NONE))
    return false;
  if (c->batch != NONE && tile_nest_loop(&c->nest, 2, d++) != c->batch)
    return false;
  c->is_joint = tile_nest_loop(&c->nest, 2, d) != c->filters;
  if (!c->is_joint)
    d++;
  for (int a = 0; a < c->num_axes; a++)
    if (tile_nest_loop(&c->nest, 2, d++) != c->axes[a].point)
      return false;
  return !c->is_joint || tile_nest_loop(&c->nest, 2, d) == c->filters;
}

static bool has_static_extents(Convolution *c) {
  MlirType image = mlirValueGetType(mlirOperationGetOperand(c->nest.op, 0));
  for (int l = 0; l < c->nest.num_loops; l++)
    if (l != c->batch && c->nest.extent[l] < 1)
      return false;
  for (int a = 0; a < c->num_axes; a++) {
    if (mlirShapedTypeIsDynamicDim(image, c->axes[a].dim))
      return false;
    c->axes[a].extent = mlirShapedTypeGetDimSize(image, c->axes[a].dim);
  }
  return true;
}

//===-- Pads --------------------------------------------------------------===//

static bool pads_with_zero(MlirOperation pad) {
  MlirValue value =
      mlirOperationGetOperand(mlirBlockGetTerminator(body_of(pad)), 0);
  return tile_value_is_zero_bits(value);
}

// The image from before it was padded with zeros, where only pixels are added.
static void take_pads(Convolution *c) {
  MlirOperation pad = owner_of(c->image);
  if (!pad.ptr || !tile_op_name_begins(pad, "tensor.pad") ||
      !pads_with_zero(pad) || mlirOperationGetNumOperands(pad) != 1)
    return;
  MlirValue source = mlirOperationGetOperand(pad, 0);
  MlirType type = mlirValueGetType(source);
  MlirAttribute low =
      mlirOperationGetInherentAttributeByName(pad, TILE_STR("static_low"));
  MlirAttribute high =
      mlirOperationGetInherentAttributeByName(pad, TILE_STR("static_high"));
  Axis axes[MAX_PIXEL_DIMS];
  memcpy(axes, c->axes, sizeof axes);
  for (int d = 0; d < mlirShapedTypeGetRank(type); d++) {
    int64_t before = mlirDenseI64ArrayGetElement(low, d);
    int64_t after = mlirDenseI64ArrayGetElement(high, d);
    int axis = 0;
    while (axis < c->num_axes && axes[axis].dim != d)
      axis++;
    if (before < 0 || after < 0 || (axis == c->num_axes && before + after > 0))
      return;
    if (axis == c->num_axes)
      continue;
    if (mlirShapedTypeIsDynamicDim(type, d))
      return;
    axes[axis].pad = before;
    axes[axis].pad_upper = after;
    axes[axis].extent = mlirShapedTypeGetDimSize(type, d);
  }
  memcpy(c->axes, axes, sizeof axes);
  c->image = source;
}

// Why the convolution stays as it is; NULL where it is matched.
static const char *match(MlirOperation op, Convolution *out) {
  Convolution *c = out;
  *c = (Convolution){.batch = NONE};
  if (!tile_nest_of(op, &c->nest) || c->nest.num_operands != 3 ||
      c->nest.num_outs != 1 || !is_sum_of_products(op))
    return "it is no sum of products of an image and weights";
  if (!read_image(c) || !read_weights(c) || c->num_depth != c->num_axes + 1)
    return "its channels are in groups, or its filters are no matrix";
  if (!read_result(c))
    return "its result does not have the images first and the points in the "
           "order of the pixels";
  if (!has_static_extents(c))
    return "extents of pixels, channels or filters are not static";
  c->image = mlirOperationGetOperand(op, 0);
  c->weights = mlirOperationGetOperand(op, 1);
  take_pads(c);
  return NULL;
}

//===-- Shapes ------------------------------------------------------------===//

static MlirAttribute groups_attr(MlirContext context, const int *count,
                                 int num_groups) {
  MlirAttribute groups[MAX_DIMS], dims[MAX_DIMS];
  int next = 0;
  for (int g = 0; g < num_groups; g++) {
    for (int i = 0; i < count[g]; i++)
      dims[i] = mlirIntegerAttrGet(mlirIntegerTypeGet(context, 64), next++);
    groups[g] = mlirArrayAttrGet(context, count[g], dims);
  }
  return mlirArrayAttrGet(context, num_groups, groups);
}

// One dimension for each group of dimensions.
static MlirType collapsed_type(MlirType type, const int *count,
                               int num_groups) {
  int64_t shape[MAX_DIMS], dynamic = mlirShapedTypeGetDynamicSize();
  int next = 0;
  for (int g = 0; g < num_groups; g++) {
    shape[g] = 1;
    for (int i = 0; i < count[g]; i++, next++)
      shape[g] = shape[g] == dynamic || mlirShapedTypeIsDynamicDim(type, next)
                     ? dynamic
                     : shape[g] * mlirShapedTypeGetDimSize(type, next);
  }
  return mlirRankedTensorTypeGet(num_groups, shape,
                                 mlirShapedTypeGetElementType(type),
                                 (MlirAttribute){NULL});
}

static MlirValue collapse(TileBuilder *b, MlirValue value, const int *count,
                          int num_groups) {
  MlirType type = mlirValueGetType(value);
  TileState s;
  if (mlirShapedTypeGetRank(type) == num_groups)
    return value;
  tile_ods_begin(&s, b, "tensor.collapse_shape");
  tile_ods_operand(&s, value);
  tile_ods_type(&s, collapsed_type(type, count, num_groups));
  tile_ods_put(&s, "reassociation",
               groups_attr(tile_builder_context(b), count, num_groups));
  return result_of(tile_ods_end(&s, b));
}

// The inverse; `num_images` is the extent of the only dimension that may be
// dynamic.
static MlirValue expand(TileBuilder *b, MlirValue value, MlirType type,
                        const int *count, int num_groups,
                        MlirValue num_images) {
  MlirContext context = tile_builder_context(b);
  int64_t shape[MAX_DIMS];
  int rank = (int)mlirShapedTypeGetRank(type);
  TileState s;
  if (rank == num_groups)
    return value;
  tile_ods_begin(&s, b, "tensor.expand_shape");
  tile_ods_operand(&s, value);
  for (int d = 0; d < rank; d++) {
    shape[d] = mlirShapedTypeGetDimSize(type, d);
    if (mlirShapedTypeIsDynamicDim(type, d))
      tile_ods_operand(&s, num_images);
  }
  tile_ods_type(&s, type);
  tile_ods_put(&s, "reassociation", groups_attr(context, count, num_groups));
  tile_ods_put(&s, "static_output_shape",
               mlirDenseI64ArrayGet(context, rank, shape));
  return result_of(tile_ods_end(&s, b));
}

/// What the convolution becomes: loops over points, or over images, filters and
/// points, and the depth.
typedef struct {
  const Convolution *c;
  TileBuilder b;
  MlirValue num_images; // null: static, or there is one image
  int count[3];         // dimensions of the result in each of its groups
  int num_groups;
  int filters_group;
  int64_t num_points; // of an image
  int64_t depth;
} Form;

static void read_form(Form *f) {
  const Convolution *c = f->c;
  int has_batch = c->batch != NONE;
  f->num_points = f->depth = 1;
  for (int a = 0; a < c->num_axes; a++)
    f->num_points *= c->nest.extent[c->axes[a].point];
  for (int k = 0; k < c->num_depth; k++)
    f->depth *= c->nest.extent[c->depth[k]];
  f->num_groups = 0;
  if (c->is_joint)
    f->count[f->num_groups++] = has_batch + c->num_axes;
  else if (has_batch)
    f->count[f->num_groups++] = 1;
  f->filters_group = f->num_groups;
  f->count[f->num_groups++] = 1;
  if (!c->is_joint)
    f->count[f->num_groups++] = c->num_axes;
  if (has_batch && c->nest.extent[c->batch] < 0)
    f->num_images = result_of(
        make(&f->b, "tensor.dim",
             TILE_VALUES(c->image, tile_const_index(&f->b, c->batch_dim)),
             mlirIndexTypeGet(tile_builder_context(&f->b)), NULL));
}

// An empty tensor with the result's shape in groups.
static MlirValue empty_result(Form *f, MlirType element) {
  MlirType type = mlirValueGetType(result_of(f->c->nest.op));
  MlirType groups = collapsed_type(type, f->count, f->num_groups);
  MlirValue size = f->num_images;
  if (size.ptr && f->c->is_joint)
    size = arith_muli(&f->b, size, tile_const_index(&f->b, f->num_points));
  return result_of(make(&f->b, "tensor.empty",
                        (TileValues){&size, size.ptr ? 1 : 0},
                        tensor_type(groups, element), NULL));
}

//===-- Gathering pixels --------------------------------------------------===//

/// The body of the loop that gathers.
typedef struct {
  Form *f;
  TileBuilder b;                     // in the body
  MlirValue at[TILE_NEST_MAX_LOOPS]; // per loop of the convolution
} Gather;

static MlirValue constant(Gather *g, int64_t value) {
  return tile_const_index(&g->f->b, value);
}

static MlirValue index_of(Gather *g, int dim) {
  TileState s;
  MlirContext context = tile_builder_context(&g->b);
  tile_ods_begin(&s, &g->b, "linalg.index");
  tile_ods_type(&s, mlirIndexTypeGet(context));
  tile_ods_put(&s, "dim",
               mlirIntegerAttrGet(mlirIntegerTypeGet(context, 64), dim));
  return result_of(tile_ods_end(&s, &g->b));
}

// Cuts an index into those of loops, the last one is the fastest; the first may
// exceed its extent.
static void split(Gather *g, MlirValue index, const int *loops, int count) {
  for (int i = count; i-- > 0;) {
    int64_t extent = g->f->c->nest.extent[loops[i]];
    bool is_first = i == 0;
    g->at[loops[i]] =
        is_first ? index : arith_remui(&g->b, index, constant(g, extent));
    if (!is_first)
      index = arith_divui(&g->b, index, constant(g, extent));
  }
}

// Which loops the dimensions of the gathered tensor stand for: points (and
// images), depth; or images, depth, points.
static int gather_indices(Gather *g) {
  const Convolution *c = g->f->c;
  int points[1 + MAX_PIXEL_DIMS], count = 0, dim = 0;
  if (c->batch != NONE && c->is_joint)
    points[count++] = c->batch;
  for (int a = 0; a < c->num_axes; a++)
    points[count++] = c->axes[a].point;
  if (c->is_joint)
    split(g, index_of(g, dim++), points, count);
  else if (c->batch != NONE)
    g->at[c->batch] = index_of(g, dim++);
  split(g, index_of(g, dim++), c->depth, c->num_depth);
  if (!c->is_joint)
    split(g, index_of(g, dim++), points, count);
  return dim;
}

static MlirValue at_most(Gather *g, MlirValue index, MlirValue extent) {
  MlirValue last = arith_subi(&g->f->b, extent, constant(g, 1));
  return arith_minui(&g->b, index, last);
}

// The pixel, and whether it is one; null: always.
static MlirValue pixel_of(Gather *g, const Axis *axis, MlirValue *is_inside) {
  const TileNest *nest = &g->f->c->nest;
  MlirValue x = g->at[axis->point], k = g->at[axis->filter];
  int64_t reach = (nest->extent[axis->point] - 1) * axis->stride +
                  (nest->extent[axis->filter] - 1) * axis->dilation;
  if (axis->stride != 1)
    x = arith_muli(&g->b, x, constant(g, axis->stride));
  if (axis->dilation != 1)
    k = arith_muli(&g->b, k, constant(g, axis->dilation));
  x = arith_addi(&g->b, x, k);
  if (axis->pad)
    x = arith_subi(&g->b, x, constant(g, axis->pad));
  if (axis->pad || reach - axis->pad >= axis->extent) {
    MlirValue fits = arith_cmpi(&g->b, .predicate = ARITH_CMP_I_PREDICATE_ult,
                                .lhs = x, .rhs = constant(g, axis->extent));
    *is_inside = is_inside->ptr ? arith_andi(&g->b, *is_inside, fits) : fits;
  }
  return at_most(g, x, constant(g, axis->extent)); // of pads: any pixel
}

static MlirValue gathered_element(Gather *g) {
  const Convolution *c = g->f->c;
  MlirValue operands[1 + MAX_DIMS] = {c->image}, is_inside = TILE_NULL_VALUE;
  MlirType element = element_of(c->image);
  for (int a = 0; a < c->num_axes; a++)
    operands[1 + c->axes[a].dim] = pixel_of(g, &c->axes[a], &is_inside);
  operands[1 + c->channel_dim] =
      at_most(g, g->at[c->channel], constant(g, c->nest.extent[c->channel]));
  if (c->batch != NONE)
    operands[1 + c->batch_dim] =
        at_most(g, g->at[c->batch],
                g->f->num_images.ptr ? g->f->num_images
                                     : constant(g, c->nest.extent[c->batch]));
  int rank = (int)mlirShapedTypeGetRank(mlirValueGetType(c->image));
  MlirValue value =
      result_of(make(&g->b, "tensor.extract", (TileValues){operands, 1 + rank},
                     element, NULL));
  return is_inside.ptr ? arith_select(&g->b, is_inside, value,
                                      tile_const_zero(&g->f->b, element))
                       : value;
}

//===-- What tile.im2col is told ------------------------------------------===//

static MlirNamedAttribute numbers(MlirContext context, const char *name,
                                  const int64_t *values, int count) {
  return mlirNamedAttributeGet(mlirIdentifierGet(context, tile_str(name)),
                               mlirDenseI64ArrayGet(context, count, values));
}

// Zeros after the pixels so that the op has just the points of the result; -1:
// there is no such number.
static int64_t upper_pad(const Convolution *c, const Axis *axis) {
  int64_t points = c->nest.extent[axis->point];
  int64_t reach = (c->nest.extent[axis->filter] - 1) * axis->dilation + 1;
  int64_t total = axis->pad + axis->extent + axis->pad_upper;
  if (total >= reach && (total - reach) / axis->stride + 1 == points)
    return axis->pad_upper;
  return (points - 1) * axis->stride + reach - axis->pad - axis->extent;
}

// Null where tile.im2col does not gather the same: channels that are not last,
// a depth in another order.
static MlirAttribute im2col_attr(const Form *f) {
  const Convolution *c = f->c;
  MlirContext context = tile_builder_context(&f->b);
  int64_t kernel[MAX_PIXEL_DIMS], stride[MAX_PIXEL_DIMS],
      dilation[MAX_PIXEL_DIMS], pad[MAX_PIXEL_DIMS], upper[MAX_PIXEL_DIMS];
  bool is_plain = c->is_joint && c->batch_dim == 0 &&
                  c->channel_dim == c->num_axes + 1 &&
                  c->depth[c->num_depth - 1] == c->channel;
  for (int a = 0; a < c->num_axes && is_plain; a++) {
    const Axis *axis = &c->axes[a];
    kernel[a] = c->nest.extent[axis->filter];
    stride[a] = axis->stride;
    dilation[a] = axis->dilation;
    pad[a] = axis->pad;
    upper[a] = upper_pad(c, axis);
    is_plain = c->depth[a] == axis->filter && upper[a] >= 0;
  }
  if (!is_plain)
    return (MlirAttribute){NULL};
  MlirNamedAttribute entries[] = {
      numbers(context, "dilation", dilation, c->num_axes),
      numbers(context, "kernel", kernel, c->num_axes),
      numbers(context, "pad", pad, c->num_axes),
      numbers(context, "pad_upper", upper, c->num_axes),
      numbers(context, "stride", stride, c->num_axes)};
  return mlirDictionaryAttrGet(context, 5, entries);
}

// A filter of one pixel that moves by one meets the image as it is.
static bool is_image(const Convolution *c) {
  bool is_same = c->is_joint
                     ? c->channel_dim == c->num_axes + 1 - (c->batch == NONE)
                     : c->channel_dim == (c->batch != NONE);
  for (int a = 0; a < c->num_axes; a++)
    is_same &= c->nest.extent[c->axes[a].filter] == 1 &&
               c->axes[a].stride == 1 && !c->axes[a].pad &&
               c->axes[a].extent == c->nest.extent[c->axes[a].point];
  return is_same && c->batch_dim <= 0;
}

// A matrix of the pixels that each point needs, or one for each image.
static MlirValue gather(Form *f) {
  const Convolution *c = f->c;
  MlirContext context = tile_builder_context(&f->b);
  if (is_image(c)) {
    int joint[] = {c->num_axes + (c->batch != NONE), 1};
    int apart[] = {1, 1, c->num_axes}, *count = c->is_joint ? joint : apart;
    int skip = !c->is_joint && c->batch == NONE;
    return collapse(&f->b, c->image, count + skip, c->is_joint ? 2 : 3 - skip);
  }
  int64_t shape[3], dynamic = mlirShapedTypeGetDynamicSize();
  int64_t images = c->batch == NONE ? 1 : c->nest.extent[c->batch];
  int rank = 0;
  MlirValue size = f->num_images;
  if (c->is_joint)
    shape[rank++] = images < 0 ? dynamic : images * f->num_points;
  else if (c->batch != NONE)
    shape[rank++] = images < 0 ? dynamic : images;
  shape[rank++] = f->depth;
  if (!c->is_joint)
    shape[rank++] = f->num_points;
  if (size.ptr && c->is_joint)
    size = arith_muli(&f->b, size, tile_const_index(&f->b, f->num_points));
  MlirType type = mlirRankedTensorTypeGet(rank, shape, element_of(c->image),
                                          (MlirAttribute){NULL});
  MlirValue empty =
      result_of(make(&f->b, "tensor.empty",
                     (TileValues){&size, size.ptr ? 1 : 0}, type, NULL));
  MlirAttribute map =
      mlirAffineMapAttrGet(mlirAffineMapMultiDimIdentityGet(context, rank));
  TileNest loops = {.num_loops = rank};
  Gather g = {.f = f, .b = {mlirIRRewriterCreate(context), f->b.loc}};
  MlirValue arg;
  MlirRegion body = body_begin(&g.b, TILE_VALUES(empty), &arg);
  gather_indices(&g);
  make(&g.b, "linalg.yield", TILE_VALUES(gathered_element(&g)),
       (MlirType){NULL}, NULL);
  mlirIRRewriterDestroy(g.b.rw);
  MlirValue made =
      generic(&f->b, TILE_VALUES(empty), mlirArrayAttrGet(context, 1, &map),
              iterator_types(context, &loops), body);
  MlirAttribute im2col = im2col_attr(f);
  if (!mlirAttributeIsNull(im2col))
    mlirOperationSetDiscardableAttributeByName(
        mlirOpResultGetOwner(made), TILE_STR(TILE_IM2COL_ATTR), im2col);
  return made;
}

//===-- The product -------------------------------------------------------===//

static MlirAttribute map_of(MlirContext context, int num_loops,
                            const int *loops, int count) {
  MlirAffineExpr exprs[4];
  for (int i = 0; i < count; i++)
    exprs[i] = mlirAffineDimExprGet(context, loops[i]);
  return mlirAffineMapAttrGet(
      mlirAffineMapGet(context, num_loops, 0, count, exprs));
}

static MlirValue product(Form *f, MlirValue pixels, MlirValue init) {
  const Convolution *c = f->c;
  MlirContext context = tile_builder_context(&f->b);
  int depth[] = {c->num_depth, 1}, filters[] = {1, c->num_depth};
  MlirValue weights =
      collapse(&f->b, c->weights, c->is_depth_first ? depth : filters, 2);
  int num_loops = f->num_groups + 1, k = f->num_groups, n = f->filters_group;
  int out[] = {0, 1, 2};
  // Pixels: points, depth; or images, depth, points.
  int in[3] = {0, k, f->num_groups - 1};
  const int *from = c->is_joint || f->num_groups == 3 ? in : in + 1;
  int right[] = {c->is_depth_first ? k : n, c->is_depth_first ? n : k};
  MlirAttribute maps[] = {
      map_of(context, num_loops, from, c->is_joint ? 2 : f->num_groups),
      map_of(context, num_loops, right, 2),
      map_of(context, num_loops, out, f->num_groups)};
  TileNest nest = {.num_loops = num_loops};
  nest.is_reduced[k] = true;
  MlirOperation copy = mlirOperationClone(c->nest.op);
  MlirRegion body = mlirRegionCreate();
  mlirRegionTakeBody(body, mlirOperationGetRegion(copy, 0));
  mlirOperationDestroy(copy);
  return generic(&f->b, TILE_VALUES(pixels, weights, init),
                 mlirArrayAttrGet(context, 3, maps),
                 iterator_types(context, &nest), body);
}

//===-- Elements after it -------------------------------------------------===//

// Elements that are the same for every point: a vector with one for each
// filter; null for anything else.
static MlirValue vector_of(const Form *f, MlirValue tensor) {
  TileNest nest;
  MlirOperation op = owner_of(tensor);
  int filters = f->c->is_joint ? f->count[0] : f->num_groups - 2;
  if (!op.ptr || !tile_nest_of(op, &nest) || nest.num_operands != 2 ||
      nest.kind != TILE_NEST_ELEMENTS ||
      !mlirTypeIsATensor(mlirValueGetType(mlirOperationGetOperand(op, 0))) ||
      !mlirAffineMapIsIdentity(nest.maps[1]) ||
      mlirAffineMapGetNumResults(nest.maps[0]) != 1 ||
      tile_nest_loop(&nest, 0, 0) != filters)
    return TILE_NULL_VALUE;
  MlirValue yielded =
      mlirOperationGetOperand(mlirBlockGetTerminator(body_of(op)), 0);
  return mlirValueEqual(yielded, mlirBlockGetArgument(body_of(op), 0))
             ? mlirOperationGetOperand(op, 0)
             : TILE_NULL_VALUE;
}

static MlirOperation only_user(MlirValue value) {
  MlirOpOperand use = mlirValueGetFirstUse(value);
  if (mlirOpOperandIsNull(use) ||
      !mlirOpOperandIsNull(mlirOpOperandGetNextUse(use)))
    return TILE_NULL_OP;
  return mlirOpOperandGetOwner(use);
}

// Which groups of the result an operand has, as bits; -1: part of one, or in
// another order.
static int groups_of(const Form *f, const TileNest *nest, int operand) {
  int groups = 0, first = 0;
  int d = 0, rank = (int)mlirAffineMapGetNumResults(nest->maps[operand]);
  for (int g = 0; g < f->num_groups; first += f->count[g++]) {
    if (d == rank || tile_nest_loop(nest, operand, d) != first)
      continue;
    for (int i = 0; i < f->count[g]; i++, d++)
      if (d == rank || tile_nest_loop(nest, operand, d) != first + i)
        return -1;
    groups |= 1 << g;
  }
  return d == rank ? groups : -1;
}

static MlirWalkResult find_index(MlirOperation op, void *user_data) {
  if (!tile_op_name_begins(op, "linalg.index"))
    return MlirWalkResultAdvance;
  *(bool *)user_data = true;
  return MlirWalkResultInterrupt;
}

// The elements with loops over groups of dimensions; null where they cannot.
static MlirValue in_groups(Form *f, const TileNest *nest, MlirValue before,
                           MlirValue made) {
  MlirContext context = tile_builder_context(&f->b);
  MlirValue operands[TILE_NEST_MAX_OPERANDS];
  MlirAttribute maps[TILE_NEST_MAX_OPERANDS];
  int last = nest->num_operands - 1;
  bool has_index = false;
  mlirOperationWalk(nest->op, find_index, &has_index, MlirWalkPreOrder);
  if (has_index || !mlirAffineMapIsIdentity(nest->maps[last]))
    return TILE_NULL_VALUE;
  for (int i = 0; i <= last; i++)
    if (groups_of(f, nest, i) < 0)
      return TILE_NULL_VALUE;
  for (int i = 0; i <= last; i++) {
    int groups = groups_of(f, nest, i), dims[3], count[3], num = 0;
    MlirValue value = mlirOperationGetOperand(nest->op, i);
    MlirValue vector = i < last ? vector_of(f, value) : TILE_NULL_VALUE;
    if (vector.ptr)
      groups = 1 << f->filters_group;
    for (int g = 0; g < f->num_groups; g++)
      if (groups & 1 << g) {
        count[num] = f->count[g];
        dims[num++] = g;
      }
    operands[i] = mlirValueEqual(value, before) ? made
                  : vector.ptr                  ? vector
                  : i == last ? empty_result(f, element_of(value))
                  : mlirTypeIsATensor(mlirValueGetType(value))
                      ? collapse(&f->b, value, count, num)
                      : value;
    maps[i] = map_of(context, f->num_groups, dims, num);
  }
  TileNest loops = {.num_loops = f->num_groups};
  MlirOperation copy = mlirOperationClone(nest->op);
  MlirRegion body = mlirRegionCreate();
  mlirRegionTakeBody(body, mlirOperationGetRegion(copy, 0));
  mlirOperationDestroy(copy);
  return generic(&f->b, (TileValues){operands, last + 1},
                 mlirArrayAttrGet(context, last + 1, maps),
                 iterator_types(context, &loops), body);
}

// Whether the op overwrites its result without reading it.
static bool only_writes(const TileNest *nest) {
  return !tile_value_is_used(
      mlirBlockGetArgument(body_of(nest->op), nest->num_operands - 1));
}

// Elements after the convolution, one op after the other. `value` is what they
// read, `made` the same in groups; both move on.
static void follow(Form *f, MlirValue *value, MlirValue *made) {
  for (;;) {
    TileNest nest;
    MlirOperation user = only_user(*value);
    if (!user.ptr || !tile_nest_of(user, &nest) || nest.num_outs != 1 ||
        nest.kind != TILE_NEST_ELEMENTS || !only_writes(&nest))
      return;
    mlirRewriterBaseSetInsertionPointBefore(f->b.rw, user);
    f->b.loc = mlirOperationGetLocation(user);
    MlirValue next = in_groups(f, &nest, *value, *made);
    if (!next.ptr)
      return;
    *made = next;
    *value = result_of(user);
  }
}

//===-- Entry -------------------------------------------------------------===//

static bool is_zero_fill(MlirValue init) {
  MlirOperation op = owner_of(init);
  return op.ptr && tile_op_name_begins(op, "linalg.fill") &&
         tile_value_is_zero_bits(mlirOperationGetOperand(op, 0));
}

// made[.., f, ..] + bias[f]
static MlirValue add_bias(Form *f, MlirValue made, MlirValue bias) {
  MlirContext context = tile_builder_context(&f->b);
  MlirType element = element_of(made);
  TileValues operands = TILE_VALUES(made, bias, empty_result(f, element));
  int all[] = {0, 1, 2};
  MlirAttribute whole = map_of(context, f->num_groups, all, f->num_groups);
  MlirAttribute maps[] = {
      whole, map_of(context, f->num_groups, &f->filters_group, 1), whole};
  TileNest loops = {.num_loops = f->num_groups};
  TileBuilder inner = {mlirIRRewriterCreate(context), f->b.loc};
  MlirValue args[3];
  MlirRegion body = body_begin(&inner, operands, args);
  MlirValue sum = mlirTypeIsAFloat(element)
                      ? arith_addf(&inner, args[0], args[1])
                      : arith_addi(&inner, args[0], args[1]);
  make(&inner, "linalg.yield", TILE_VALUES(sum), (MlirType){NULL}, NULL);
  mlirIRRewriterDestroy(inner.rw);
  return generic(&f->b, operands, mlirArrayAttrGet(context, 3, maps),
                 iterator_types(context, &loops), body);
}

// A bias that every point begins with is added at the end: it is read once, not
// written for each of them.
static MlirValue zeros(Form *f, MlirType element) {
  MlirValue zero = tile_const_zero(&f->b, element);
  return fill(&f->b, zero, empty_result(f, element));
}

static MlirValue multiply(Form *f) {
  MlirValue init = mlirOperationGetOperand(f->c->nest.op, 2);
  MlirType element = element_of(init);
  MlirValue bias =
      tile_elem_bits(element) >= 32 ? vector_of(f, init) : TILE_NULL_VALUE;
  bool is_zero = bias.ptr || is_zero_fill(init);
  MlirValue pixels = gather(f);
  MlirValue sum = is_zero ? zeros(f, element)
                          : collapse(&f->b, init, f->count, f->num_groups);
  MlirValue made = product(f, pixels, sum);
  return bias.ptr ? add_bias(f, made, bias) : made;
}

static void rewrite(const Convolution *c) {
  MlirOperation op = c->nest.op;
  Form f = {.c = c,
            .b = {mlirIRRewriterCreate(mlirOperationGetContext(op)),
                  mlirOperationGetLocation(op)}};
  mlirRewriterBaseSetInsertionPointBefore(f.b.rw, op);
  read_form(&f);
  MlirValue made = multiply(&f), value = result_of(op);
  follow(&f, &value, &made);
  mlirRewriterBaseSetInsertionPointAfter(f.b.rw, owner_of(value));
  MlirValue result = expand(&f.b, made, mlirValueGetType(value), f.count,
                            f.num_groups, f.num_images);
  mlirValueReplaceAllUsesOfWith(value, result);
  mlirIRRewriterDestroy(f.b.rw);
}

static MlirWalkResult visit(MlirOperation op, void *user_data) {
  Convolution c;
  (void)user_data;
  if (!tile_op_name_begins(op, "linalg.") || !mlirLinalgIsAConvolutionOp(op) ||
      mlirOperationGetNumResults(op) == 0 ||
      !tile_value_is_used(result_of(op)) || mlirLinalgIsAContractionOp(op))
    return MlirWalkResultAdvance;
  const char *reason = match(op, &c);
  if (!reason)
    rewrite(&c);
  else if (is_sum_of_products(op))
    tile_emit_remark(
        op, "tile-graph/windows",
        "is no product on tensor cores, but a loop per element: %s", reason);
  return MlirWalkResultSkip;
}

MlirLogicalResult
tile_form_convolutions_run(MlirOperation op,
                           const TileFormConvolutionsOptions *options) {
  (void)options;
  mlirOperationWalk(op, visit, NULL, MlirWalkPreOrder);
  return tile_success();
}
