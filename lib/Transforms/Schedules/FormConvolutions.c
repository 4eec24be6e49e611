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

#include "Transforms/Schedules/Convolution.h"
#include "Transforms/Schedules/NestBuild.h"

#include "Dialect/ForeignOps.h"
#include "Support/Arena.h"
#include "Support/Diagnostics.h"
#include "Support/Iterate.h"
#include "TilePasses.h"
#include "mlir-c/AffineExpr.h"

//===-- Shapes ------------------------------------------------------------===//

// One dimension for each group of dimensions.
static MlirType collapsed_type(MlirType type, const int *count,
                               int num_groups) {
  int64_t shape[TILE_MAX_IMAGE_DIMS], dynamic = mlirShapedTypeGetDynamicSize();
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
               reassociation(tile_builder_context(b), count, num_groups));
  return result_of(tile_ods_end(&s, b));
}

// The inverse; `sizes` are the extents of dimensions that are
// dynamic.
static MlirValue expand(TileBuilder *b, MlirValue value, MlirType type,
                        const int *count, int num_groups,
                        const MlirValue *sizes) {
  MlirContext context = tile_builder_context(b);
  int64_t shape[TILE_MAX_IMAGE_DIMS];
  int rank = (int)mlirShapedTypeGetRank(type);
  TileState s;
  if (rank == num_groups)
    return value;
  tile_ods_begin(&s, b, "tensor.expand_shape");
  tile_ods_operand(&s, value);
  for (int d = 0; d < rank; d++) {
    shape[d] = mlirShapedTypeGetDimSize(type, d);
    if (mlirShapedTypeIsDynamicDim(type, d))
      tile_ods_operand(&s, *sizes++);
  }
  tile_ods_type(&s, type);
  tile_ods_put(&s, "reassociation", reassociation(context, count, num_groups));
  tile_ods_put(&s, "static_output_shape",
               mlirDenseI64ArrayGet(context, rank, shape));
  return result_of(tile_ods_end(&s, b));
}

/// What the convolution becomes: loops over points, or over images, filters and
/// points, and the depth.
typedef struct {
  const TileConvolution *c;
  TileBuilder b;
  MlirValue extent[TILE_NEST_MAX_LOOPS]; // of loops; null: static
  MlirValue pixels[TILE_MAX_PIXEL_DIMS]; // of the image; null: static
  int count[TILE_MAX_RESULT_GROUPS]; // dimensions of the result in each of its
                                     // groups
  int num_groups;
  int filters_group, points_group;
  int64_t depth;
} Form;

// What only the host knows: the number of images, of points and of pixels.
static void read_extents(Form *f) {
  const TileConvolution *c = f->c;
  for (int d = 0; d < mlirAffineMapGetNumResults(c->nest.maps[2]); d++) {
    int loop = tile_nest_loop(&c->nest, 2, d);
    if (c->nest.extent[loop] < 0)
      f->extent[loop] =
          loop == c->batch
              ? extent_of(&f->b, c->image, c->batch_dim)
              : extent_of(&f->b, mlirOperationGetOperand(c->nest.op, 2), d);
  }
  for (int a = 0; a < c->num_axes; a++)
    if (c->axes[a].extent < 0)
      f->pixels[a] = extent_of(&f->b, c->image, c->axes[a].dim);
}

static void read_form(Form *f) {
  const TileConvolution *c = f->c;
  int has_batch = c->batch != TILE_NO_DIM;
  f->depth = 1;
  for (int k = 0; k < c->num_depth; k++)
    f->depth *= c->nest.extent[c->depth[k]];
  f->num_groups = f->points_group = 0;
  if (c->is_joint)
    f->count[f->num_groups++] = has_batch + c->num_axes;
  else if (has_batch)
    f->count[f->num_groups++] = 1;
  if (c->group != TILE_NO_DIM)
    f->count[f->num_groups++] = 1;
  f->filters_group = f->num_groups;
  f->count[f->num_groups++] = 1;
  if (!c->is_joint) {
    f->points_group = f->num_groups;
    f->count[f->num_groups++] = c->num_axes;
  }
  read_extents(f);
}

// The rounds of several loops together: `*out_static` is their number, and the
// result null, or it is dynamic.
static MlirValue rounds_of(Form *f, const int *loops, int count,
                           int64_t *out_static) {
  MlirValue dynamic = TILE_NULL_VALUE;
  *out_static = 1;
  for (int i = 0; i < count; i++) {
    MlirValue extent = f->extent[loops[i]];
    if (extent.ptr)
      dynamic = dynamic.ptr ? arith_muli(&f->b, dynamic, extent) : extent;
    else
      *out_static *= f->c->nest.extent[loops[i]];
  }
  if (!dynamic.ptr)
    return dynamic;
  if (*out_static != 1)
    dynamic = arith_muli(&f->b, dynamic, tile_const_index(&f->b, *out_static));
  *out_static = mlirShapedTypeGetDynamicSize();
  return dynamic;
}

// An empty tensor with the result's shape in groups.
static MlirValue empty_result(Form *f, MlirType element) {
  MlirType type = mlirValueGetType(f->c->result);
  MlirType groups = collapsed_type(type, f->count, f->num_groups);
  MlirValue sizes[TILE_MAX_RESULT_GROUPS];
  intptr_t count = 0;
  const int *loops = f->c->result_loops;
  for (int g = 0; g < f->num_groups; loops += f->count[g++]) {
    int64_t rounds;
    MlirValue size = rounds_of(f, loops, f->count[g], &rounds);
    if (size.ptr)
      sizes[count++] = size;
  }
  return result_of(make(&f->b, "tensor.empty", (TileValues){sizes, count},
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

static MlirValue extent_value(Gather *g, int loop) {
  MlirValue extent = g->f->extent[loop];
  return extent.ptr ? extent : constant(g, g->f->c->nest.extent[loop]);
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
    MlirValue extent = extent_value(g, loops[i]);
    bool is_first = i == 0;
    g->at[loops[i]] = is_first ? index : arith_remui(&g->b, index, extent);
    if (!is_first)
      index = arith_divui(&g->b, index, extent);
  }
}

// The number of a point; where the images of a group follow one another, among
// those of all groups.
static MlirValue number_of_point(Gather *g, const int *points, int count,
                                 MlirValue row) {
  const TileConvolution *c = g->f->c;
  int64_t rows = 1;
  for (int i = 0; i < count; i++)
    rows *= c->nest.extent[points[i]];
  if (!c->has_images_of_groups)
    return row;
  MlirValue group = index_of(g, 1);
  MlirValue before = arith_muli(&g->b, group, constant(g, rows));
  return arith_addi(&g->b, row, before);
}

// Which loops the dimensions of the gathered tensor stand for: points (and
// images), group, depth; or images, group, depth, points.
static int gather_indices(Gather *g) {
  const TileConvolution *c = g->f->c;
  int points[1 + TILE_MAX_PIXEL_DIMS], count = 0, dim = 0;
  if (c->batch != TILE_NO_DIM && c->is_joint)
    points[count++] = c->batch;
  for (int a = 0; a < c->num_axes; a++)
    points[count++] = c->axes[a].point;
  if (c->is_joint)
    split(g, number_of_point(g, points, count, index_of(g, dim++)), points,
          count);
  else if (c->batch != TILE_NO_DIM)
    g->at[c->batch] = index_of(g, dim++);
  if (c->group != TILE_NO_DIM)
    g->at[c->group] = index_of(g, dim++);
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
static MlirValue pixel_of(Gather *g, const TileConvolutionAxis *axis,
                          MlirValue *is_inside) {
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
  MlirValue pixels = g->f->pixels[axis - g->f->c->axes];
  bool is_static = !pixels.ptr && nest->extent[axis->point] >= 0;
  if (!pixels.ptr)
    pixels = constant(g, axis->extent);
  // Points that there are do not reach beyond the pixels and their pads.
  if (axis->pad || (is_static ? reach >= axis->extent : axis->pad_upper > 0)) {
    MlirValue fits = arith_cmpi(&g->b, .predicate = ARITH_CMP_I_PREDICATE_ult,
                                .lhs = x, .rhs = pixels);
    *is_inside = is_inside->ptr ? arith_andi(&g->b, *is_inside, fits) : fits;
  }
  return at_most(g, x, pixels); // of pads: any pixel
}

static MlirValue channel_of_group(Gather *g) {
  const TileConvolution *c = g->f->c;
  int64_t channels = c->nest.extent[c->channel];
  MlirValue first = arith_muli(&g->b, g->at[c->group], constant(g, channels));
  MlirValue channel = arith_addi(&g->b, first, g->at[c->channel]);
  return at_most(g, channel, constant(g, channels * c->nest.extent[c->group]));
}

static MlirValue image_number(Gather *g) {
  const TileConvolution *c = g->f->c;
  MlirValue images = extent_value(g, c->batch);
  if (c->has_images_of_groups)
    images = arith_muli(&g->f->b, images, extent_value(g, c->group));
  return at_most(g, g->at[c->batch], images);
}

static MlirValue gathered_element(Gather *g) {
  const TileConvolution *c = g->f->c;
  MlirValue operands[1 + TILE_MAX_IMAGE_DIMS] = {c->image},
                         is_inside = TILE_NULL_VALUE;
  MlirType element = element_of(c->image);
  for (int a = 0; a < c->num_axes; a++)
    operands[1 + c->axes[a].dim] = pixel_of(g, &c->axes[a], &is_inside);
  operands[1 + c->channel_dim] =
      c->group != TILE_NO_DIM && c->group_dim == TILE_NO_DIM &&
              !c->has_images_of_groups
          ? channel_of_group(g)
          : at_most(g, g->at[c->channel],
                    constant(g, c->nest.extent[c->channel]));
  if (c->group_dim != TILE_NO_DIM)
    operands[1 + c->group_dim] =
        at_most(g, g->at[c->group], constant(g, c->nest.extent[c->group]));
  if (c->batch != TILE_NO_DIM)
    operands[1 + c->batch_dim] = image_number(g);
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
static int64_t upper_pad(const TileConvolution *c,
                         const TileConvolutionAxis *axis) {
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
  const TileConvolution *c = f->c;
  MlirContext context = tile_builder_context(&f->b);
  int64_t kernel[TILE_MAX_PIXEL_DIMS], stride[TILE_MAX_PIXEL_DIMS],
      dilation[TILE_MAX_PIXEL_DIMS], pad[TILE_MAX_PIXEL_DIMS],
      upper[TILE_MAX_PIXEL_DIMS];
  bool is_plain = tile_convolution_has_im2col(c);
  for (int a = 0; a < c->num_axes && is_plain; a++) {
    const TileConvolutionAxis *axis = &c->axes[a];
    kernel[a] = c->nest.extent[axis->filter];
    stride[a] = axis->stride;
    dilation[a] = axis->dilation;
    pad[a] = axis->pad;
    upper[a] = axis->extent < 0 || c->nest.extent[axis->point] < 0
                   ? -1
                   : upper_pad(c, axis);
    is_plain = upper[a] >= 0;
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

// A matrix of the pixels that each point needs, or one for each image.
static MlirValue gather(Form *f) {
  const TileConvolution *c = f->c;
  MlirContext context = tile_builder_context(&f->b);
  if (tile_convolution_is_image(c)) {
    int joint[] = {c->num_axes + (c->batch != TILE_NO_DIM), 1};
    int apart[] = {1, 1, c->num_axes}, *count = c->is_joint ? joint : apart;
    int skip = !c->is_joint && c->batch == TILE_NO_DIM;
    return collapse(&f->b, c->image, count + skip, c->is_joint ? 2 : 3 - skip);
  }
  int64_t shape[TILE_MAX_RESULT_GROUPS];
  MlirValue sizes[TILE_MAX_RESULT_GROUPS];
  int points[1 + TILE_MAX_PIXEL_DIMS], num_points = 0, rank = 0;
  intptr_t num_sizes = 0;
  if (c->batch != TILE_NO_DIM && c->is_joint)
    points[num_points++] = c->batch;
  for (int a = 0; a < c->num_axes; a++)
    points[num_points++] = c->axes[a].point;
  MlirValue size = TILE_NULL_VALUE;
  if (c->is_joint)
    size = rounds_of(f, points, num_points, &shape[rank++]);
  else if (c->batch != TILE_NO_DIM)
    size = rounds_of(f, &c->batch, 1, &shape[rank++]);
  if (size.ptr)
    sizes[num_sizes++] = size;
  if (c->group != TILE_NO_DIM)
    shape[rank++] = c->nest.extent[c->group];
  shape[rank++] = f->depth;
  if (!c->is_joint) {
    size = rounds_of(f, points, num_points, &shape[rank++]);
    if (size.ptr)
      sizes[num_sizes++] = size;
  }
  MlirType type = mlirRankedTensorTypeGet(rank, shape, element_of(c->image),
                                          (MlirAttribute){NULL});
  MlirValue empty = result_of(
      make(&f->b, "tensor.empty", (TileValues){sizes, num_sizes}, type, NULL));
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
  MlirOperation op = mlirOpResultGetOwner(made);
  mlirOperationSetDiscardableAttributeByName(op, TILE_STR(TILE_CLAMPED_ATTR),
                                             mlirUnitAttrGet(context));
  if (!mlirAttributeIsNull(im2col))
    mlirOperationSetDiscardableAttributeByName(op, TILE_STR(TILE_IM2COL_ATTR),
                                               im2col);
  return made;
}

//===-- The product -------------------------------------------------------===//

static MlirAttribute map_of(MlirContext context, int num_loops,
                            const int *loops, int count) {
  MlirAffineExpr exprs[TILE_MAX_RESULT_GROUPS];
  for (int i = 0; i < count; i++)
    exprs[i] = mlirAffineDimExprGet(context, loops[i]);
  return mlirAffineMapAttrGet(
      mlirAffineMapGet(context, num_loops, 0, count, exprs));
}

static MlirValue product(Form *f, MlirValue pixels, MlirValue init) {
  const TileConvolution *c = f->c;
  MlirContext context = tile_builder_context(&f->b);
  int num_loops = f->num_groups + 1, k = f->num_groups;
  int group = c->group == TILE_NO_DIM ? TILE_NO_DIM : f->filters_group - 1;
  int count[3], right[3], out[] = {0, 1, 2, 3}, left[TILE_MAX_RESULT_GROUPS],
                          rank = 0;
  for (int i = 0; i < c->num_orders; i++) {
    count[i] = c->order[i] == TILE_WEIGHTS_DEPTH ? c->num_depth : 1;
    right[i] = c->order[i] == TILE_WEIGHTS_DEPTH   ? k
               : c->order[i] == TILE_WEIGHTS_GROUP ? group
                                                   : f->filters_group;
  }
  MlirValue weights = collapse(&f->b, c->weights, count, c->num_orders);
  // Pixels: points, depth; or images, depth, points.
  if (c->is_joint || c->batch != TILE_NO_DIM)
    left[rank++] = 0;
  if (group != TILE_NO_DIM)
    left[rank++] = group;
  left[rank++] = k;
  if (!c->is_joint)
    left[rank++] = f->points_group;
  MlirAttribute maps[] = {map_of(context, num_loops, left, rank),
                          map_of(context, num_loops, right, c->num_orders),
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
  int filters = f->c->is_joint ? f->count[0] : f->c->batch != TILE_NO_DIM;
  filters += f->c->group != TILE_NO_DIM;
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
    int groups = groups_of(f, nest, i), dims[TILE_MAX_RESULT_GROUPS],
        count[TILE_MAX_RESULT_GROUPS];
    int num = 0;
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
    if (f->c->group != TILE_NO_DIM)
      tile_elements_split(&f->b, *value);
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

// made[.., f, ..] + bias[f]
static MlirValue add_bias(Form *f, MlirValue made, MlirValue bias) {
  int first =
      f->filters_group - (mlirShapedTypeGetRank(mlirValueGetType(bias)) == 2);
  MlirContext context = tile_builder_context(&f->b);
  MlirType element = element_of(made);
  TileValues operands = TILE_VALUES(made, bias, empty_result(f, element));
  int all[] = {0, 1, 2, 3};
  MlirAttribute whole = map_of(context, f->num_groups, all, f->num_groups);
  MlirAttribute maps[] = {
      whole,
      map_of(context, f->num_groups, &all[first], f->filters_group - first + 1),
      whole};
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

// The vector that every point begins with: an element for each filter, or for
// each filter of each group where the op that repeats it was cut into groups;
// null: it is none.
static MlirValue bias_of(Form *f) {
  const TileConvolution *c = f->c;
  TileNest nest;
  MlirValue init = mlirOperationGetOperand(c->nest.op, 2);
  MlirOperation op = owner_of(init);
  bool is_cut = op.ptr && c->group != TILE_NO_DIM &&
                tile_op_name_begins(op, "tensor.expand_shape");
  if (is_cut)
    op = owner_of(mlirOperationGetOperand(op, 0));
  MlirType type = mlirValueGetType(init);
  if (!op.ptr || !tile_nest_of(op, &nest) || nest.num_operands != 2 ||
      nest.num_loops != mlirShapedTypeGetRank(type) - is_cut ||
      nest.kind != TILE_NEST_ELEMENTS ||
      !mlirTypeIsATensor(mlirValueGetType(mlirOperationGetOperand(op, 0))) ||
      mlirAffineMapGetNumResults(nest.maps[0]) != 1 ||
      !mlirAffineMapIsIdentity(nest.maps[1]) ||
      !mlirValueEqual(
          mlirOperationGetOperand(mlirBlockGetTerminator(body_of(op)), 0),
          mlirBlockGetArgument(body_of(op), 0)))
    return TILE_NULL_VALUE;
  int at = tile_nest_loop(&nest, 0, 0);
  MlirValue vector = mlirOperationGetOperand(op, 0);
  if (!is_cut)
    return tile_nest_loop(&c->nest, 2, at) == c->filters ? vector
                                                         : TILE_NULL_VALUE;
  if (tile_nest_loop(&c->nest, 2, at) != c->group ||
      tile_nest_loop(&c->nest, 2, at + 1) != c->filters)
    return TILE_NULL_VALUE;
  int64_t shape[] = {mlirShapedTypeGetDimSize(type, at),
                     mlirShapedTypeGetDimSize(type, at + 1)};
  int count[] = {2};
  return expand(&f->b, vector,
                mlirRankedTensorTypeGet(2, shape, element_of(vector),
                                        (MlirAttribute){NULL}),
                count, 1, NULL);
}

// A bias that every point begins with is added at the end: it is read once, not
// written for each of them.
static MlirValue zeros(Form *f, MlirType element) {
  MlirValue zero = tile_const_zero(&f->b, element);
  return fill(&f->b, zero, empty_result(f, element));
}

static MlirValue multiply(Form *f) {
  MlirValue init = f->c->init;
  MlirType element = element_of(init);
  MlirValue bias = tile_elem_bits(element) >= 32 ? bias_of(f) : TILE_NULL_VALUE;
  bool is_zero = bias.ptr || is_zero_fill(init);
  MlirValue pixels = gather(f);
  MlirValue sum = is_zero ? zeros(f, element)
                          : collapse(&f->b, init, f->count, f->num_groups);
  MlirValue made = product(f, pixels, sum);
  return bias.ptr ? add_bias(f, made, bias) : made;
}

static void rewrite(TileConvolution *c) {
  MlirOperation op = c->nest.op;
  Form f = {.c = c,
            .b = {mlirIRRewriterCreate(mlirOperationGetContext(op)),
                  mlirOperationGetLocation(op)}};
  tile_convolution_turn(&f.b, c);
  mlirRewriterBaseSetInsertionPointBefore(f.b.rw, op);
  read_form(&f);
  MlirValue made = multiply(&f), value = c->result;
  follow(&f, &value, &made);
  mlirRewriterBaseSetInsertionPointAfter(f.b.rw, owner_of(value));
  MlirValue sizes[TILE_MAX_IMAGE_DIMS];
  intptr_t num_sizes = 0;
  for (int d = 0; d < mlirShapedTypeGetRank(mlirValueGetType(value)); d++)
    if (f.extent[c->result_loops[d]].ptr)
      sizes[num_sizes++] = f.extent[c->result_loops[d]];
  MlirValue result =
      expand(&f.b, made, mlirValueGetType(value), f.count, f.num_groups, sizes);
  mlirValueReplaceAllUsesOfWith(value, result);
  mlirIRRewriterDestroy(f.b.rw);
}

static bool is_convolution(MlirOperation op) {
  return tile_op_name_begins(op, "linalg.") && mlirLinalgIsAConvolutionOp(op) &&
         !mlirLinalgIsAContractionOp(op);
}

// Convolutions on memrefs are convolutions on tensors.
static MlirWalkResult raise_op(MlirOperation op, void *user_data) {
  (void)user_data;
  if (!is_convolution(op) || mlirOperationGetNumResults(op) != 0 ||
      !tile_sums_products(op))
    return MlirWalkResultAdvance;
  TileBuilder b = {mlirIRRewriterCreate(mlirOperationGetContext(op)),
                   mlirOperationGetLocation(op)};
  mlirRewriterBaseSetInsertionPointBefore(b.rw, op);
  tile_nest_raise(&b, op);
  mlirIRRewriterDestroy(b.rw);
  return MlirWalkResultSkip;
}

static MlirWalkResult collect(MlirOperation op, void *user_data) {
  if (!is_convolution(op) || mlirOperationGetNumResults(op) == 0 ||
      !tile_value_is_used(result_of(op)))
    return MlirWalkResultAdvance;
  tile_op_list_add(user_data, op);
  return MlirWalkResultSkip;
}

static void form(MlirOperation op) {
  TileConvolution c;
  const char *reason = tile_convolution_match(op, &c);
  if (!reason) {
    rewrite(&c);
    return;
  }
  if (tile_sums_products(op))
    tile_emit_remark(
        op, "tile-graph/windows",
        "is no product on tensor cores, but a loop per element: %s", reason);
  TileBuilder b = {mlirIRRewriterCreate(mlirOperationGetContext(op)),
                   mlirOperationGetLocation(op)};
  tile_window_unpad(&b, op);
  mlirIRRewriterDestroy(b.rw);
}

MlirLogicalResult
tile_form_convolutions_run(MlirOperation op,
                           const TileFormConvolutionsOptions *options) {
  (void)options;
  mlirOperationWalk(op, raise_op, NULL, MlirWalkPostOrder);
  TileArena arena;
  tile_arena_init(&arena);
  TileOpList ops = {.arena = &arena};
  mlirOperationWalk(op, collect, &ops, MlirWalkPreOrder);
  for (size_t i = 0; i < ops.count; i++)
    form(ops.items[i]);
  tile_arena_deinit(&arena);
  return tile_success();
}
