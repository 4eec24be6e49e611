//===- ChunkWidth.c - Elements that a thread copies at once ---------------===//
//
// A copy or fill of memory is cut in chunks of consecutive elements of the last
// dimension, numbered row by row; thread t takes the chunks t, t + T, … of T
// threads. How wide they are follows from what is known of both sides, and
// decides which thread touches which element: tile-insert-sync asks before the
// lowerings do, and where barriers rest on the answer writes it to the op.
//
//===----------------------------------------------------------------------===//

#include "Analysis/Index/Index.h"
#include "Instructions.h"

#include "Dialect/TileLayouts.h"
#include "Support/Arithmetic.h"
#include "Support/Diagnostics.h"

enum { MAX_CHUNK_BYTES = 16 };
enum { MIN_ASYNC_BYTES = 4 }; // PTX ISA, cp.async: 4, 8 or 16 bytes

//===-- Sides -------------------------------------------------------------===//

// The last dimension of a tile, and of the memory that it is a window of.
typedef struct {
  MlirValue tile, base;
  MlirType type; // of the base
  TileShape shape;
  int64_t elem_bytes;
  bool is_last_dim;   // the one is the other
  bool is_last_named; // by numbers, element by element
  TileInt offset;     // in the memory
  bool is_inside;     // it is known not to leave the memory
  bool has_end;       // the window ends by itself
} Side;

static bool side_of(MlirValue tile, Side *out) {
  TileBox box;
  if (!tile_box_of(tile, &box) || !tile_shape_of(tile, &out->shape) ||
      out->shape.rank < 1 || box.rank < 1)
    return false;
  int last = box.rank - 1;
  MlirType type = mlirValueGetType(box.base);
  *out = (Side){
      .tile = tile,
      .base = box.base,
      .type = type,
      .shape = out->shape,
      .elem_bytes = tile_elem_bits(mlirShapedTypeGetElementType(type)) / 8,
      .is_last_dim = box.dim[last] >= 0,
      .is_last_named = box.region.op.ptr && tile_region_ids(box.region).ptr &&
                       tile_region_dim(box.region) == last,
      .offset = box.offset[last],
      .has_end = box.region.op.ptr && tile_region_end(box.region, last).ptr,
      .is_inside =
          box.region.op.ptr && tile_window_is_inside(box.region, last)};
  return out->elem_bytes > 0;
}

static bool starts_at_multiple(const Side *side, int64_t of) {
  return tile_index_divisor(side->offset) % of == 0;
}

static int last_dim(const Side *side) {
  return (int)mlirShapedTypeGetRank(side->type) - 1;
}

// The elements of a row of the memory are a multiple of `of`.
static bool extent_is_multiple(const Side *side, int64_t of) {
  return mlirShapedTypeGetDimSize(side->type, last_dim(side)) % of == 0;
}

static bool has_unit_stride(const Side *side) {
  int64_t strides[TILE_MAX_RANK], offset;
  int last = last_dim(side);
  return last >= 0 && last < TILE_MAX_RANK &&
         !tile_failed(
             mlirMemRefTypeGetStridesAndOffset(side->type, strides, &offset)) &&
         strides[last] == 1;
}

//===-- Chunks of loads and stores ----------------------------------------===//

// Whether every row of a window of a tensor is known to begin and end where
// accesses of `chunk` elements do.
static bool rows_are_known_to_fit(const Side *side, int64_t chunk) {
  return tile_row_align_bytes(side->tile) % (chunk * side->elem_bytes) == 0 &&
         starts_at_multiple(side, chunk) && !side->has_end &&
         !mlirShapedTypeIsDynamicDim(side->type, last_dim(side)) &&
         extent_is_multiple(side, chunk);
}

// Whether it may turn out so: constants do not say otherwise.
static bool rows_may_fit(const Side *side, int64_t chunk) {
  if (!tile_int_is_constant(side->offset))
    return true;
  return side->offset.constant % chunk == 0 &&
         (side->is_inside || side->has_end ||
          mlirShapedTypeIsDynamicDim(side->type, last_dim(side)) ||
          extent_is_multiple(side, chunk));
}

// Elements that one access of this side may take; `may_fit`: where nothing says
// that the rows of a tensor do not fit.
static int64_t side_chunk(MlirValue tile, bool may_fit) {
  Side side;
  TileLayout layout;
  TileReason error;
  if (!side_of(tile, &side) || !side.is_last_dim || side.is_last_named)
    return 1;
  int64_t chunk = MAX_CHUNK_BYTES / side.elem_bytes;
  if (side.shape.space == TILE_SPACE_GLOBAL) {
    if (!has_unit_stride(&side))
      return 1;
    while (chunk > 1 && !(may_fit ? rows_may_fit(&side, chunk)
                                  : rows_are_known_to_fit(&side, chunk)))
      chunk /= 2;
    return chunk;
  }
  bool is_shared = side.shape.space == TILE_SPACE_SHARED ||
                   side.shape.space == TILE_SPACE_CLUSTER;
  if (!is_shared || !tile_layout_of_tile(side.base, &layout, &error))
    return 1;
  int64_t run = tile_layout_contiguous_run(&layout, last_dim(&side));
  while (chunk > 1 && (run % chunk || !starts_at_multiple(&side, chunk)))
    chunk /= 2;
  return chunk;
}

static int64_t source_chunk(TileCopyOp copy, bool may_fit) {
  MlirValue src = tile_copy_src(copy);
  TileIm2colOp im2col = tile_im2col_of(src);
  if (!im2col.op.ptr)
    return side_chunk(src, may_fit);
  bool is_async = tile_copy_instr(copy) == TILE_INSTR_CpAsync;
  return tile_im2col_group(im2col, tile_row_align_bytes(src),
                           tile_im2col_known_run(im2col, false), is_async,
                           NULL);
}

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

static int64_t plain_chunk(MlirOperation op, MlirValue dst, bool may_fit) {
  TileShape shape;
  int64_t chunk = side_chunk(dst, may_fit);
  TileCopyOp copy = tile_copy_dyn(op);
  if (copy.op.ptr) {
    chunk = least(chunk, source_chunk(copy, may_fit));
    if (!mlirAttributeIsNull(tile_copy_vector_width_attr(copy)))
      chunk = least(chunk, tile_copy_vector_width(copy));
  }
  if (!tile_shape_of(dst, &shape) || shape.rank < 1)
    return 1;
  while (shape.extent[shape.rank - 1] % chunk)
    chunk /= 2;
  return chunk;
}

// What tile-insert-sync wrote, or 0.
static int64_t given_chunk(MlirOperation op) {
  MlirAttribute chunk =
      mlirOperationGetDiscardableAttributeByName(op, TILE_STR(TILE_CHUNK_ATTR));
  return mlirAttributeIsNull(chunk) ? 0 : mlirIntegerAttrGetValueInt(chunk);
}

//===-- Chunks of cp.async ------------------------------------------------===//

bool tile_cp_async_chunk(TileCopyOp copy, TileCpAsyncChunk *out) {
  Side src, dst;
  TileLayout layout;
  TileReason error;
  *out = (TileCpAsyncChunk){0};
  if (!side_of(tile_copy_src(copy), &src) ||
      !side_of(tile_copy_dst(copy), &dst) ||
      !tile_layout_of_tile(dst.base, &layout, &error))
    return false;
  int64_t bytes = MAX_CHUNK_BYTES, run = 1;
  out->row_bytes = dst.shape.extent[dst.shape.rank - 1] * dst.elem_bytes;
  out->align_bytes = tile_row_align_bytes(src.tile);
  while (out->align_bytes > 1 &&
         tile_index_divisor(src.offset) * src.elem_bytes % out->align_bytes)
    out->align_bytes /= 2;
  if (dst.is_last_dim)
    run = tile_layout_contiguous_run(&layout, last_dim(&dst));
  while (run > 1 && !starts_at_multiple(&dst, run))
    run /= 2;
  out->run_bytes = run * dst.elem_bytes;
  while (bytes >= MIN_ASYNC_BYTES &&
         (out->align_bytes % bytes || out->row_bytes % bytes ||
          out->run_bytes % bytes))
    bytes /= 2;
  int64_t given = given_chunk(copy.op);
  out->bytes = given ? given * dst.elem_bytes : bytes;
  return out->bytes >= MIN_ASYNC_BYTES;
}

// i1 has no packed form that cp.async could copy.
static bool is_for_cp_async(TileCopyOp copy) {
  TileShape shape;
  return !mlirAttributeIsNull(tile_copy_instr_attr(copy)) &&
         tile_copy_instr(copy) == TILE_INSTR_CpAsync &&
         !tile_im2col_of(tile_copy_src(copy)).op.ptr &&
         tile_shape_of(tile_copy_dst(copy), &shape) &&
         !(mlirTypeIsAInteger(shape.element) &&
           mlirIntegerTypeGetWidth(shape.element) < 8);
}

//===-- Entry -------------------------------------------------------------===//

TileChunk tile_chunk_of(MlirOperation op) {
  TileCopyOp copy = tile_copy_dyn(op);
  TileCpAsyncChunk async;
  Side dst;
  MlirValue tile =
      copy.op.ptr ? tile_copy_dst(copy) : tile_fill_dst(tile_fill_cast(op));
  int64_t given = given_chunk(op);
  if (given)
    return (TileChunk){given, given};
  if (!side_of(tile, &dst))
    return (TileChunk){1, 1};
  if (copy.op.ptr && is_for_cp_async(copy) && tile_cp_async_chunk(copy, &async))
    return (TileChunk){async.bytes / dst.elem_bytes,
                       async.bytes / dst.elem_bytes};
  int64_t known = plain_chunk(op, tile, false);
  int64_t hoped = dst.shape.space == TILE_SPACE_GLOBAL
                      ? plain_chunk(op, tile, true)
                      : known;
  return (TileChunk){known, hoped};
}
