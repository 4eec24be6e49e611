//===- MatchConvolution.c - Which dimensions of a convolution are what ----===//

#include "Transforms/Schedules/Convolution.h"
#include "Transforms/Schedules/NestBuild.h"

#include "Support/Iterate.h"
#include "mlir-c/AffineExpr.h"

//===-- Matching ----------------------------------------------------------===//

bool tile_sums_products(MlirOperation op) {
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
static bool add_axis(TileConvolution *c, int dim) {
  int loops[2], count = 0;
  int64_t factors[2];
  if (!terms_of(mlirAffineMapGetResult(c->nest.maps[0], dim), 1, loops, factors,
                &count) ||
      count != 2 || c->num_axes == TILE_MAX_PIXEL_DIMS ||
      c->nest.is_reduced[loops[0]] == c->nest.is_reduced[loops[1]])
    return false;
  int point = c->nest.is_reduced[loops[0]];
  c->axes[c->num_axes++] =
      (TileConvolutionAxis){.point = loops[point],
                            .filter = loops[1 - point],
                            .dim = dim,
                            .stride = factors[point],
                            .dilation = factors[1 - point]};
  return factors[0] > 0 && factors[1] > 0;
}

static bool follows(const TileNest *nest, int operand, int loop) {
  for (int d = 0; d < mlirAffineMapGetNumResults(nest->maps[operand]); d++)
    if (tile_nest_loop(nest, operand, d) == loop)
      return true;
  return false;
}

static bool read_image(TileConvolution *c) {
  c->batch = c->channel = c->batch_dim = c->channel_dim = TILE_NO_DIM;
  c->group = c->group_dim = TILE_NO_DIM;
  for (int d = 0; d < mlirAffineMapGetNumResults(c->nest.maps[0]); d++) {
    int loop = tile_nest_loop(&c->nest, 0, d);
    if (loop < 0) {
      if (!add_axis(c, d))
        return false;
      continue;
    }
    bool is_group = !c->nest.is_reduced[loop] && follows(&c->nest, 1, loop);
    int *kind = c->nest.is_reduced[loop] ? &c->channel
                : is_group               ? &c->group
                                         : &c->batch;
    int *dim = c->nest.is_reduced[loop] ? &c->channel_dim
               : is_group               ? &c->group_dim
                                        : &c->batch_dim;
    if (*kind != TILE_NO_DIM)
      return false;
    *kind = loop;
    *dim = d;
  }
  return c->num_axes > 0 && c->channel != TILE_NO_DIM;
}

// The loops of the depth lie side by side, beside the filters and the group.
static bool read_weights(TileConvolution *c) {
  int rank = (int)mlirAffineMapGetNumResults(c->nest.maps[1]);
  c->filters = TILE_NO_DIM;
  c->num_depth = c->num_orders = 0;
  if (rank != c->num_axes + 2 + (c->group != TILE_NO_DIM))
    return false;
  for (int d = 0; d < rank; d++) {
    int loop = c->weight_loops[d];
    TileWeightsPart what = TILE_WEIGHTS_FILTERS;
    if (loop < 0)
      return false;
    if (c->nest.is_reduced[loop]) {
      c->depth[c->num_depth++] = loop;
      what = TILE_WEIGHTS_DEPTH;
    } else if (loop == c->group) {
      what = TILE_WEIGHTS_GROUP;
    } else if (c->filters == TILE_NO_DIM) {
      c->filters = loop;
    } else {
      return false;
    }
    bool is_more = what == TILE_WEIGHTS_DEPTH && c->num_orders &&
                   c->order[c->num_orders - 1] == TILE_WEIGHTS_DEPTH;
    if (!is_more && c->num_orders == 2 + (c->group != TILE_NO_DIM))
      return false;
    if (!is_more)
      c->order[c->num_orders++] = what;
  }
  return c->filters != TILE_NO_DIM && c->filters != c->batch;
}

// The group, where there is one, and the filters.
static bool reads_filters(const TileConvolution *c, int *d) {
  if (c->group != TILE_NO_DIM && c->result_loops[(*d)++] != c->group)
    return false;
  return c->result_loops[(*d)++] == c->filters;
}

// Images, points and filters; or images, filters and points.
static bool read_result(TileConvolution *c) {
  int rank = (int)mlirAffineMapGetNumResults(c->nest.maps[2]), d = 0;
  int first = c->group != TILE_NO_DIM ? c->group : c->filters;
  if (rank !=
      c->num_axes + 1 + (c->batch != TILE_NO_DIM) + (c->group != TILE_NO_DIM))
    return false;
  if (c->batch != TILE_NO_DIM && c->result_loops[d++] != c->batch)
    return false;
  c->is_joint = c->result_loops[d] != first;
  if (!c->is_joint && !reads_filters(c, &d))
    return false;
  for (int a = 0; a < c->num_axes; a++)
    if (c->result_loops[d++] != c->axes[a].point)
      return false;
  return !c->is_joint || reads_filters(c, &d);
}

static bool is_point(const TileConvolution *c, int loop) {
  for (int a = 0; a < c->num_axes; a++)
    if (c->axes[a].point == loop)
      return true;
  return false;
}

static bool has_static_extents(const TileConvolution *c) {
  for (int l = 0; l < c->nest.num_loops; l++)
    if (l != c->batch && c->nest.extent[l] < (is_point(c, l) ? -1 : 1))
      return false;
  return true;
}

// Pixels of an image; -1: only the host knows.
static int64_t pixels_of(MlirType type, int dim) {
  return mlirShapedTypeIsDynamicDim(type, dim)
             ? -1
             : mlirShapedTypeGetDimSize(type, dim);
}

static void read_pixels(TileConvolution *c) {
  for (int a = 0; a < c->num_axes; a++)
    c->axes[a].extent = pixels_of(mlirValueGetType(c->image), c->axes[a].dim);
}

//===-- Groups ------------------------------------------------------------===//

// The image from before its channels were cut into groups.
static void take_groups(TileConvolution *c) {
  MlirOperation expand = owner_of(c->image);
  if (c->group == TILE_NO_DIM || c->channel_dim != c->group_dim + 1 ||
      !expand.ptr || !tile_op_name_begins(expand, "tensor.expand_shape"))
    return;
  MlirAttribute dims = mlirOperationGetInherentAttributeByName(
      expand, TILE_STR("reassociation"));
  intptr_t rank = mlirArrayAttrGetNumElements(dims);
  if (rank != mlirShapedTypeGetRank(mlirValueGetType(c->image)) - 1)
    return; // another dimension is cut, too
  if (mlirArrayAttrGetNumElements(
          mlirArrayAttrGetElement(dims, c->group_dim)) != 2)
    return;
  for (int a = 0; a < c->num_axes; a++)
    c->axes[a].dim -= c->axes[a].dim > c->group_dim;
  c->batch_dim -= c->batch_dim > c->group_dim;
  c->channel_dim = c->group_dim;
  c->group_dim = TILE_NO_DIM;
  c->image = mlirOperationGetOperand(expand, 0);
}

//===-- Pads --------------------------------------------------------------===//

static bool pads_with_zero(MlirOperation pad) {
  MlirValue value =
      mlirOperationGetOperand(mlirBlockGetTerminator(body_of(pad)), 0);
  return tile_value_is_zero_bits(value);
}

// The image from before it was padded with zeros, where only pixels are added.
static void take_pads(TileConvolution *c) {
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
  TileConvolutionAxis axes[TILE_MAX_PIXEL_DIMS];
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
    axes[axis].pad = before;
    axes[axis].pad_upper = after;
    axes[axis].extent = pixels_of(type, d);
  }
  memcpy(c->axes, axes, sizeof axes);
  c->image = source;
}

//===-- Transpositions ----------------------------------------------------===//

bool tile_elements_are_moved(MlirOperation op, TileNest *out) {
  if (!op.ptr || !tile_nest_of(op, out) || out->num_operands != 2 ||
      out->num_outs != 1 || out->kind != TILE_NEST_ELEMENTS ||
      !mlirAffineMapIsPermutation(out->maps[0]) ||
      !mlirAffineMapIsIdentity(out->maps[1]) ||
      !mlirTypeIsATensor(mlirValueGetType(mlirOperationGetOperand(op, 0))))
    return false;
  MlirValue yielded =
      mlirOperationGetOperand(mlirBlockGetTerminator(body_of(op)), 0);
  return mlirValueEqual(yielded, mlirBlockGetArgument(body_of(op), 0));
}

// The image from before it was transposed.
static void take_image(TileConvolution *c) {
  TileNest move;
  int moved[TILE_MAX_IMAGE_DIMS];
  if (!tile_elements_are_moved(owner_of(c->image), &move) ||
      move.num_loops > TILE_MAX_IMAGE_DIMS)
    return;
  for (int d = 0; d < move.num_loops; d++)
    moved[tile_nest_loop(&move, 0, d)] = d;
  for (int a = 0; a < c->num_axes; a++)
    c->axes[a].dim = moved[c->axes[a].dim];
  int *dims[] = {&c->batch_dim, &c->channel_dim, &c->group_dim};
  for (int i = 0; i < 3; i++)
    if (*dims[i] != TILE_NO_DIM)
      *dims[i] = moved[*dims[i]];
  c->image = mlirOperationGetOperand(move.op, 0);
}

// The weights from before they were transposed, and the result as it is
// transposed to, where the image does not have its channels last anyway.
static void take_weights_and_result(TileConvolution *c) {
  TileNest move;
  int loops[TILE_MAX_IMAGE_DIMS];
  if (tile_elements_are_moved(owner_of(c->weights), &move)) {
    memcpy(loops, c->weight_loops, sizeof loops);
    for (int d = 0; d < move.num_loops; d++)
      c->weight_loops[d] = loops[tile_nest_loop(&move, 0, d)];
    c->weights = mlirOperationGetOperand(move.op, 0);
  }
  MlirOperation user = only_user(c->result);
  if (is_zero_fill(c->init) && user.ptr &&
      tile_elements_are_moved(user, &move) &&
      mlirValueEqual(mlirOperationGetOperand(user, 0), c->result)) {
    memcpy(loops, c->result_loops, sizeof loops);
    for (int d = 0; d < move.num_loops; d++)
      c->result_loops[tile_nest_loop(&move, 0, d)] = loops[d];
    c->result = result_of(user);
  }
}

//===-- Forms -------------------------------------------------------------===//

bool tile_convolution_is_image(const TileConvolution *c) {
  bool is_same = c->is_joint ? c->channel_dim ==
                                   c->num_axes + 1 - (c->batch == TILE_NO_DIM)
                             : c->channel_dim == (c->batch != TILE_NO_DIM);
  for (int a = 0; a < c->num_axes; a++)
    is_same &= (!a || c->axes[a].dim > c->axes[a - 1].dim) &&
               c->nest.extent[c->axes[a].filter] == 1 &&
               c->axes[a].stride == 1 && !c->axes[a].pad &&
               c->axes[a].extent >= 0 &&
               c->axes[a].extent == c->nest.extent[c->axes[a].point];
  return is_same && c->batch_dim <= 0 && c->group == TILE_NO_DIM;
}

bool tile_convolution_has_im2col(const TileConvolution *c) {
  bool is_ordered = c->is_joint && c->batch_dim == 0 &&
                    (c->group == TILE_NO_DIM || c->has_images_of_groups) &&
                    c->channel_dim == c->num_axes + 1 &&
                    c->depth[c->num_depth - 1] == c->channel;
  for (int a = 0; a < c->num_axes && is_ordered; a++)
    is_ordered = c->depth[a] == c->axes[a].filter && c->axes[a].dim == a + 1;
  return is_ordered;
}

//===-- Entry -------------------------------------------------------------===//

static void read_loops(const TileNest *nest, int operand, int *loops) {
  for (int d = 0; d < mlirAffineMapGetNumResults(nest->maps[operand]) &&
                  d < TILE_MAX_IMAGE_DIMS;
       d++)
    loops[d] = tile_nest_loop(nest, operand, d);
}

static bool has_channels_last(const TileConvolution *c) {
  return c->channel_dim ==
         mlirShapedTypeGetRank(mlirValueGetType(c->image)) - 1;
}

static bool reads_all(TileConvolution *c) {
  return read_weights(c) && c->num_depth == c->num_axes + 1 && read_result(c);
}

// What was moved before and after is moved by the product.
static void take_moves(TileConvolution *c) {
  bool has_pads = false;
  take_groups(c);
  take_pads(c);
  for (int a = 0; a < c->num_axes; a++)
    has_pads |= c->axes[a].pad || c->axes[a].pad_upper;
  take_image(c);
  if (!has_pads)
    take_pads(c);
  TileConvolution moved = *c;
  take_weights_and_result(&moved);
  if (!has_channels_last(c) && reads_all(&moved))
    *c = moved;
}

const char *tile_convolution_match(MlirOperation op, TileConvolution *out) {
  TileConvolution *c = out;
  *c = (TileConvolution){.batch = TILE_NO_DIM};
  if (!tile_nest_of(op, &c->nest) || c->nest.num_operands != 3 ||
      c->nest.num_outs != 1 || !tile_sums_products(op))
    return "it is no sum of products of an image and weights";
  bool has_image = read_image(c);
  read_loops(&c->nest, 1, c->weight_loops);
  read_loops(&c->nest, 2, c->result_loops);
  if (c->group != TILE_NO_DIM && c->channel == TILE_NO_DIM)
    return "each channel has filters of its own";
  if (!has_image || !read_weights(c) || c->num_depth != c->num_axes + 1)
    return "its filters are no matrix";
  if (c->group != TILE_NO_DIM && c->nest.extent[c->filters] == 1)
    return "each channel has filters of its own";
  if (!read_result(c))
    return "its result does not have the images first and the points in the "
           "order of the pixels";
  if (!has_static_extents(c))
    return "extents of channels or filters are not static";
  c->image = mlirOperationGetOperand(op, 0);
  read_pixels(c);
  c->weights = mlirOperationGetOperand(op, 1);
  c->init = mlirOperationGetOperand(op, 2);
  c->result = result_of(op);
  take_moves(c);
  return NULL;
}
