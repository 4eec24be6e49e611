//===- Convolution.h - What a convolution of linalg is --------------------===//
//
// A convolution as tile-form-convolutions sees it: which loops and dimensions
// of its op are images, points, channels, filters and groups, whatever their
// order (MatchConvolution.c), so that it becomes a product of gathered pixels
// (FormConvolutions.c).
//
//===----------------------------------------------------------------------===//
#ifndef TILE_TRANSFORMS_CONVOLUTION_H
#define TILE_TRANSFORMS_CONVOLUTION_H

#include "Dialect/ForeignOps.h"
#include "Transforms/Schedules/Schedules.h"

enum {
  TILE_MAX_PIXEL_DIMS = 3,
  TILE_MAX_IMAGE_DIMS = TILE_MAX_PIXEL_DIMS + 3,
  TILE_MAX_RESULT_GROUPS = 4, // of dimensions of the result
  TILE_NO_DIM = -1
};

/// An extent of the image that the filter moves along.
typedef struct {
  int point, filter;        // loops
  int dim;                  // of the image
  int64_t stride, dilation; // in pixels
  int64_t pad, pad_upper;   // zeros before and after the pixels
  int64_t extent;           // pixels
} TileConvolutionAxis;

typedef enum {
  TILE_WEIGHTS_DEPTH,
  TILE_WEIGHTS_FILTERS,
  TILE_WEIGHTS_GROUP
} TileWeightsPart;

typedef struct {
  TileNest nest;
  TileConvolutionAxis axes[TILE_MAX_PIXEL_DIMS];
  int num_axes;
  int batch, channel, filters; // loops; batch may be TILE_NO_DIM
  int group;                   // loop over groups of channels, or TILE_NO_DIM
  // Of the image; a group without a dimension lies before the channels in
  // theirs.
  int batch_dim, channel_dim, group_dim;
  // The images of a group follow one another: image g * images + n is the n-th
  // one's part that group g reads.
  bool has_images_of_groups;
  MlirValue image, weights; // the image without its pads
  MlirValue init;           // what the sums begin with
  MlirValue result;         // of the op, or of the transposition after it
  // The loops that dimensions of the weights and of the result follow.
  int weight_loops[TILE_MAX_IMAGE_DIMS], result_loops[TILE_MAX_IMAGE_DIMS];
  int depth[TILE_MAX_IMAGE_DIMS]; // loops of the depth, as the weights have
                                  // them
  int num_depth;
  // Of the weights' dimensions, the loops of the depth being one.
  TileWeightsPart order[3];
  int num_orders;
  bool is_joint; // the result has its points before its filters
} TileConvolution;

/// Whether an op sums products, and does nothing else: c += a * b, of elements
/// that are extended perhaps.
bool tile_sums_products(MlirOperation op);
/// Why the convolution stays as it is; NULL where it is matched.
const char *tile_convolution_match(MlirOperation op, TileConvolution *out);
/// Whether the filter has one pixel and moves by one: it meets the image as it
/// is.
bool tile_convolution_is_image(const TileConvolution *c);
/// Whether tile.im2col gathers the pixels: channels last, in the order of the
/// depth.
bool tile_convolution_has_im2col(const TileConvolution *c);
/// Image, weights and result with the channels last, moved there once, where
/// tile.im2col gathers the pixels then; as they were elsewhere.
void tile_convolution_turn(TileBuilder *b, TileConvolution *c);

/// Whether an op only moves elements of a tensor: each dimension of its result
/// is one of the source.
bool tile_elements_are_moved(MlirOperation op, TileNest *out);
/// Elements that write each place of the result once, and do not ask where.
bool tile_elements_read(MlirOperation op, TileNest *out);

/// The loops of a window over a padded image as loops that read the image from
/// before it was padded; other ops as they are.
void tile_window_unpad(TileBuilder *b, MlirOperation op);

/// Where two dimensions of a value become one, and elements follow that are all
/// there is of it: the elements are done before. False where nothing changed.
bool tile_elements_split(TileBuilder *b, MlirValue value);

/// The op that makes a value; null for arguments.
static inline MlirOperation owner_of(MlirValue value) {
  return mlirValueIsABlockArgument(value) ? TILE_NULL_OP
                                          : mlirOpResultGetOwner(value);
}

static inline MlirBlock body_of(MlirOperation op) {
  return mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
}

static inline MlirOperation only_user(MlirValue value) {
  MlirOpOperand use = mlirValueGetFirstUse(value);
  if (mlirOpOperandIsNull(use) ||
      !mlirOpOperandIsNull(mlirOpOperandGetNextUse(use)))
    return TILE_NULL_OP;
  return mlirOpOperandGetOwner(use);
}

/// Whether a sum begins with zeros.
static inline bool is_zero_fill(MlirValue init) {
  MlirOperation op = owner_of(init);
  return op.ptr && tile_op_name_begins(op, "linalg.fill") &&
         tile_value_is_zero_bits(mlirOperationGetOperand(op, 0));
}

#endif // TILE_TRANSFORMS_CONVOLUTION_H
