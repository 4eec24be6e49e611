//===- TurnConvolution.c - Channels last, moved there once ----------------===//
//
// Pixels whose channels lie side by side are gathered by TMA. Where a
// convolution has its channels first or in groups, image, weights and result
// are moved once, each by a kernel that does nothing else: a loop of threads
// that gathers reads each pixel as often as the filter has pixels. Elements
// after the convolution are done before its result is moved back, so that moves
// between two convolutions meet and go.
//
//===----------------------------------------------------------------------===//

#include "Transforms/Schedules/Convolution.h"
#include "Transforms/Schedules/NestBuild.h"

#include "Dialect/ForeignOps.h"
#include "mlir-c/AffineExpr.h"

// A depth below this many elements is gathered in so few steps that two more
// kernels take longer; rows of TMA are multiples of so many bits.
enum { MIN_DEPTH = 128, TMA_ROW_BITS = 128, MAX_FACTOR_BITS = 16 };

//===-- Moves -------------------------------------------------------------===//

static bool is_identity(const int *dims, int rank) {
  for (int d = 0; d < rank; d++)
    if (dims[d] != d)
      return false;
  return true;
}

static MlirAttribute map_of(MlirContext context, int num_loops,
                            const int *loops, int count) {
  MlirAffineExpr exprs[TILE_NEST_MAX_LOOPS];
  for (int i = 0; i < count; i++)
    exprs[i] = mlirAffineDimExprGet(context, loops[i]);
  return mlirAffineMapAttrGet(
      mlirAffineMapGet(context, num_loops, 0, count, exprs));
}

// An empty tensor whose dimension d is `dims[d]` of another one.
static MlirValue empty_moved(TileBuilder *b, MlirValue like, MlirType element,
                             const int *dims, int rank) {
  MlirType type = mlirValueGetType(like);
  int64_t shape[TILE_NEST_MAX_LOOPS];
  MlirValue sizes[TILE_NEST_MAX_LOOPS];
  intptr_t count = 0;
  for (int d = 0; d < rank; d++) {
    shape[d] = mlirShapedTypeGetDimSize(type, dims[d]);
    if (mlirShapedTypeIsDynamicDim(type, dims[d]))
      sizes[count++] = extent_of(b, like, dims[d]);
  }
  return result_of(
      make(b, "tensor.empty", (TileValues){sizes, count},
           mlirRankedTensorTypeGet(rank, shape, element, (MlirAttribute){NULL}),
           NULL));
}

// The tensor whose dimension d is `dims[d]` of `value`; from before it was
// moved, where it was.
static MlirValue moved(TileBuilder *b, MlirValue value, const int *dims,
                       int rank) {
  MlirContext context = tile_builder_context(b);
  int source[TILE_NEST_MAX_LOOPS], loops[TILE_NEST_MAX_LOOPS];
  TileNest before;
  memcpy(source, dims, sizeof *dims * (size_t)rank);
  if (tile_elements_are_moved(owner_of(value), &before)) {
    int from[TILE_NEST_MAX_LOOPS];
    for (int d = 0; d < rank; d++)
      from[tile_nest_loop(&before, 0, d)] = d;
    for (int d = 0; d < rank; d++)
      source[d] = from[dims[d]];
    value = mlirOperationGetOperand(before.op, 0);
  }
  if (is_identity(source, rank))
    return value;
  for (int d = 0; d < rank; d++)
    loops[source[d]] = d;
  MlirValue empty = empty_moved(b, value, element_of(value), source, rank);
  MlirAttribute maps[] = {
      map_of(context, rank, loops, rank),
      mlirAffineMapAttrGet(mlirAffineMapMultiDimIdentityGet(context, rank))};
  TileNest nest = {.num_loops = rank};
  TileBuilder inner = {mlirIRRewriterCreate(context), b->loc};
  MlirValue args[2];
  TileValues operands = TILE_VALUES(value, empty);
  MlirRegion body = body_begin(&inner, operands, args);
  make(&inner, "linalg.yield", TILE_VALUES(args[0]), (MlirType){NULL}, NULL);
  mlirIRRewriterDestroy(inner.rw);
  return generic(b, operands, mlirArrayAttrGet(context, 2, maps),
                 iterator_types(context, &nest), body);
}

//===-- Elements after the result -----------------------------------------===//

/// A result whose dimension d is `dims[d]` of what others expect.
typedef struct {
  const int *dims;
  int rank;
  int of[TILE_NEST_MAX_LOOPS]; // the inverse
} Turn;

// An operand of elements over the loops in their new order: those with all
// loops are moved, others are read as they are.
static MlirValue turned_operand(TileBuilder *b, const Turn *turn,
                                const TileNest *nest, int i,
                                MlirAttribute *out_map) {
  MlirContext context = tile_builder_context(b);
  MlirValue operand = mlirOperationGetOperand(nest->op, i);
  int rank = (int)mlirAffineMapGetNumResults(nest->maps[i]);
  int loops[TILE_NEST_MAX_LOOPS], dims[TILE_NEST_MAX_LOOPS];
  for (int d = 0; d < rank; d++)
    loops[d] = turn->of[tile_nest_loop(nest, i, d)];
  *out_map = map_of(context, turn->rank, loops, rank);
  if (rank != turn->rank || !mlirTypeIsATensor(mlirValueGetType(operand)))
    return operand;
  for (int d = 0; d < rank; d++)
    dims[loops[d]] = d;
  *out_map =
      mlirAffineMapAttrGet(mlirAffineMapMultiDimIdentityGet(context, rank));
  return moved(b, operand, dims, rank);
}

// The elements with their loops in the new order.
static MlirValue turned_elements(TileBuilder *b, const Turn *turn,
                                 const TileNest *nest) {
  MlirContext context = tile_builder_context(b);
  MlirValue operands[TILE_NEST_MAX_OPERANDS];
  MlirAttribute maps[TILE_NEST_MAX_OPERANDS];
  int last = nest->num_operands - 1;
  for (int i = 0; i < last; i++)
    operands[i] = turned_operand(b, turn, nest, i, &maps[i]);
  MlirValue out = mlirOperationGetOperand(nest->op, last);
  operands[last] = empty_moved(b, out, element_of(out), turn->dims, turn->rank);
  maps[last] = mlirAffineMapAttrGet(
      mlirAffineMapMultiDimIdentityGet(context, turn->rank));
  TileNest loops = {.num_loops = turn->rank};
  MlirOperation copy = mlirOperationClone(nest->op);
  MlirRegion body = mlirRegionCreate();
  mlirRegionTakeBody(body, mlirOperationGetRegion(copy, 0));
  mlirOperationDestroy(copy);
  return generic(b, (TileValues){operands, last + 1},
                 mlirArrayAttrGet(context, last + 1, maps),
                 iterator_types(context, &loops), body);
}

// A move that nobody reads would be one more user of what it reads.
static void erase_unused(TileBuilder *b, MlirValue back) {
  if (!tile_value_is_used(back) && owner_of(back).ptr)
    mlirRewriterBaseEraseOp(b->rw, owner_of(back));
}

// What is moved on is moved once.
static void move_on(TileBuilder *b, MlirValue back, const TileNest *move) {
  int dims[TILE_NEST_MAX_LOOPS];
  for (int d = 0; d < move->num_loops; d++)
    dims[tile_nest_loop(move, 0, d)] = d;
  mlirValueReplaceAllUsesOfWith(result_of(move->op),
                                moved(b, back, dims, move->num_loops));
  mlirRewriterBaseEraseOp(b->rw, move->op);
  erase_unused(b, back);
}

// Elements that follow the convolution are done on the turned result, which is
// moved back after them.
static void turn_elements(TileBuilder *b, const Turn *turn, MlirValue back,
                          bool has_groups) {
  for (;;) {
    TileNest nest;
    if (has_groups)
      tile_elements_split(b, back);
    MlirOperation user = only_user(back);
    if (!user.ptr || !tile_elements_read(user, &nest) ||
        nest.num_loops != turn->rank)
      return;
    mlirRewriterBaseSetInsertionPointBefore(b->rw, user);
    b->loc = mlirOperationGetLocation(user);
    if (tile_elements_are_moved(user, &nest)) {
      move_on(b, back, &nest);
      return;
    }
    MlirValue made = turned_elements(b, turn, &nest), before = back;
    back = moved(b, made, turn->of, turn->rank);
    mlirValueReplaceAllUsesOfWith(result_of(user), back);
    mlirRewriterBaseEraseOp(b->rw, user);
    erase_unused(b, before);
  }
}

//===-- Image, weights, result --------------------------------------------===//

// The channels as two dimensions: groups, and those of one.
static MlirValue cut_channels(TileBuilder *b, const TileConvolution *c) {
  MlirType type = mlirValueGetType(c->image);
  int rank = (int)mlirShapedTypeGetRank(type), count[TILE_MAX_IMAGE_DIMS];
  int64_t shape[TILE_MAX_IMAGE_DIMS];
  for (int d = 0, next = 0; d < rank; d++) {
    count[d] = 1 + (d == c->channel_dim);
    shape[next++] = d == c->channel_dim ? c->nest.extent[c->group]
                                        : mlirShapedTypeGetDimSize(type, d);
    if (d == c->channel_dim)
      shape[next++] = c->nest.extent[c->channel];
  }
  MlirType cut = mlirRankedTensorTypeGet(rank + 1, shape, element_of(c->image),
                                         (MlirAttribute){NULL});
  return reshape_to(b, "tensor.expand_shape", c->image, cut, count, rank);
}

// Groups and images as one dimension.
static MlirValue join_images(TileBuilder *b, MlirValue image) {
  MlirType type = mlirValueGetType(image);
  int rank = (int)mlirShapedTypeGetRank(type) - 1, count[TILE_MAX_IMAGE_DIMS];
  int64_t shape[TILE_MAX_IMAGE_DIMS];
  for (int d = 0; d < rank; d++) {
    count[d] = d == 0 ? 2 : 1;
    shape[d] = mlirShapedTypeGetDimSize(type, d + 1);
  }
  shape[0] *= mlirShapedTypeGetDimSize(type, 0);
  MlirType joined = mlirRankedTensorTypeGet(rank, shape, element_of(image),
                                            (MlirAttribute){NULL});
  return reshape_to(b, "tensor.collapse_shape", image, joined, count, rank);
}

static void turn_image(TileBuilder *b, TileConvolution *c) {
  int dims[TILE_MAX_IMAGE_DIMS], rank = 0, cut = c->channel_dim;
  bool has_groups = c->group != TILE_NO_DIM;
  bool is_cut = has_groups && c->group_dim == TILE_NO_DIM;
  MlirValue image = is_cut ? cut_channels(b, c) : c->image;
  if (has_groups)
    dims[rank++] = is_cut ? cut : c->group_dim;
  dims[rank++] = c->batch_dim + (is_cut && c->batch_dim > cut);
  for (int a = 0; a < c->num_axes; a++) {
    dims[rank++] = c->axes[a].dim + (is_cut && c->axes[a].dim > cut);
    c->axes[a].dim = a + 1;
  }
  dims[rank++] = c->channel_dim + is_cut;
  c->image = moved(b, image, dims, rank);
  if (has_groups)
    c->image = join_images(b, c->image);
  c->batch_dim = 0;
  c->channel_dim = c->num_axes + 1;
  c->group_dim = TILE_NO_DIM;
  c->has_images_of_groups = has_groups;
}

// The depth in the order of tile.im2col: the filter's pixels, then channels.
static void turn_weights(TileBuilder *b, TileConvolution *c) {
  int dims[TILE_MAX_IMAGE_DIMS], loops[TILE_MAX_IMAGE_DIMS], at = 0;
  int rank = c->num_depth + c->num_orders - 1;
  for (int a = 0; a < c->num_axes; a++)
    c->depth[a] = c->axes[a].filter;
  c->depth[c->num_depth - 1] = c->channel;
  for (int d = 0; d < rank; d++) {
    bool is_depth = c->nest.is_reduced[c->weight_loops[d]];
    loops[d] = is_depth ? c->depth[at++] : c->weight_loops[d];
    for (int e = 0; e < rank; e++)
      if (c->weight_loops[e] == loops[d])
        dims[d] = e;
  }
  memcpy(c->weight_loops, loops, sizeof *loops * (size_t)rank);
  c->weights = moved(b, c->weights, dims, rank);
}

// What the sums begin with, in the order of the turned result.
static void turn_init(TileBuilder *b, TileConvolution *c) {
  TileNest nest;
  int dims[TILE_MAX_IMAGE_DIMS], rank = 0;
  MlirOperation op = owner_of(c->init);
  if (is_zero_fill(c->init))
    return;
  rank = (int)mlirAffineMapGetNumResults(c->nest.maps[2]);
  Turn turn = {.dims = dims, .rank = rank};
  for (int d = 0; d < rank; d++)
    for (int e = 0; e < rank; e++)
      if (tile_nest_loop(&c->nest, 2, e) == c->result_loops[d])
        dims[d] = e, turn.of[e] = d;
  if (is_identity(dims, rank))
    return;
  bool is_made = op.ptr && tile_elements_read(op, &nest) &&
                 nest.num_operands == 2 && nest.num_loops == rank;
  c->init = is_made ? turned_elements(b, &turn, &nest)
                    : moved(b, c->init, dims, rank);
}

// A result with the points before the filters, which is moved back for those
// that use it.
static void turn_result(TileBuilder *b, TileConvolution *c) {
  int loops[TILE_MAX_IMAGE_DIMS], dims[TILE_MAX_IMAGE_DIMS], rank = 0;
  Turn turn = {.dims = dims};
  MlirOperation after = owner_of(c->result);
  loops[rank++] = c->batch;
  for (int a = 0; a < c->num_axes; a++)
    loops[rank++] = c->axes[a].point;
  if (c->group != TILE_NO_DIM)
    loops[rank++] = c->group;
  loops[rank++] = c->filters;
  turn.rank = rank;
  for (int d = 0; d < rank; d++)
    for (int e = 0; e < rank; e++)
      if (c->result_loops[e] == loops[d])
        dims[d] = e, turn.of[e] = d;
  mlirRewriterBaseSetInsertionPointAfter(b->rw, after);
  // Stands for the result until that is made.
  MlirValue turned =
      empty_moved(b, c->result, element_of(c->result), dims, rank);
  MlirValue back = moved(b, turned, turn.of, rank);
  mlirValueReplaceAllUsesOfWith(c->result, back);
  c->result = turned;
  c->is_joint = true;
  memcpy(c->result_loops, loops, sizeof *loops * (size_t)rank);
  turn_elements(b, &turn, back, c->group != TILE_NO_DIM);
}

//===-- Entry -------------------------------------------------------------===//

static bool can_turn(const TileConvolution *c) {
  int64_t depth = 1;
  int bits = tile_elem_bits(element_of(c->image));
  for (int k = 0; k < c->num_depth; k++)
    depth *= c->nest.extent[c->depth[k]];
  for (int a = 0; a < c->num_axes; a++)
    if (c->axes[a].extent < 0 || c->nest.extent[c->axes[a].point] < 0)
      return false;
  return c->batch != TILE_NO_DIM && bits <= MAX_FACTOR_BITS &&
         c->nest.extent[c->channel] * bits % TMA_ROW_BITS == 0 &&
         depth >= MIN_DEPTH &&
         (c->group == TILE_NO_DIM || c->nest.extent[c->batch] >= 0);
}

void tile_convolution_turn(TileBuilder *b, TileConvolution *c) {
  if (!can_turn(c) || tile_convolution_has_im2col(c) ||
      tile_convolution_is_image(c))
    return;
  mlirRewriterBaseSetInsertionPointBefore(b->rw, c->nest.op);
  turn_image(b, c);
  turn_weights(b, c);
  if (!c->is_joint) {
    turn_result(b, c);
    mlirRewriterBaseSetInsertionPointBefore(b->rw, c->nest.op);
    b->loc = mlirOperationGetLocation(c->nest.op);
    turn_init(b, c);
  }
}
