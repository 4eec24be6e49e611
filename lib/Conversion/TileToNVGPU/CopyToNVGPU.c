//===- CopyToNVGPU.c - Global windows to shared memory by cp.async --------===//
//
// The tile is cut in chunks of 16, 8 or 4 bytes of its last dimension, numbered
// row by row; thread t copies the chunks t, t + T, t + 2T, … of T threads.
//
//   1. A chunk is inside the tensor in all dimensions but the last, or outside.
//   2. Its first element is at a multiple of its size in the last dimension, so
//      only its end can be outside: zeros are filled in there.
//   3. A chunk that is all outside reads nothing; its address is that of the
//      first element of the tensor.
//
//===----------------------------------------------------------------------===//

#include "Nvgpu.h"
#include "Tile/Analysis.h"
#include "Tile/Ops/memref.h"
#include "Tile/Ops/nvgpu.h"
#include "Tile/Support/Constants.h"
#include "Tile/Support/Diagnostics.h"

// PTX ISA, cp.async: 4, 8 or 16 bytes; only 16 can pass by the L1 cache.
enum { MAX_CHUNK_BYTES = 16, MIN_CHUNK_BYTES = 4, MAX_UNROLL = 16 };

//===-- Plan --------------------------------------------------------------===//

struct TileNvgpuCopy {
  TileSharedWindow dst;

  MlirValue src; // the tensor
  int src_rank;
  TileInt offset[TILE_MAX_RANK];   // of the window
  int64_t extent[TILE_MAX_RANK];   // of the tensor; negative: dynamic
  int tile_dim[TILE_MAX_RANK];     // -1: dropped
  bool is_inside[TILE_MAX_RANK];   // the window never leaves the tensor
  bool is_whole_last;              // the last extent is a multiple of a chunk

  int64_t chunk_elems, chunk_bytes;
  int64_t count[TILE_MAX_RANK]; // chunks per dimension of the tile
  int64_t num_chunks;
  // Every thread copies num_loops * unroll chunks; then the first `rest`
  // threads copy one more.
  int64_t num_threads, num_loops, unroll, rest;
  // Where the shared addresses are a layout of (loop, unroll, thread, element).
  bool has_access;
  TileSharedAccess access;
};

//===-- Build -------------------------------------------------------------===//

static bool last_stride_is_one(MlirType type) {
  int64_t strides[TILE_MAX_RANK], offset;
  int64_t rank = mlirShapedTypeGetRank(type);
  return rank >= 1 && rank <= TILE_MAX_RANK &&
         !tile_failed(
             mlirMemRefTypeGetStridesAndOffset(type, strides, &offset)) &&
         strides[rank - 1] == 1;
}

static bool is_zero(MlirValue pad) {
  MlirAttribute value;
  if (!mlirxConstantAttr(pad, &value))
    return false;
  if (mlirAttributeIsAFloat(value))
    return mlirFloatAttrGetValueDouble(value) == 0;
  return mlirAttributeIsAInteger(value) &&
         mlirIntegerAttrGetValueInt(value) == 0;
}

// The form that the annotation promises; anything else is left for others.
static bool is_cp_async(TileCopyOp copy) {
  TileShape src, dst;
  if (mlirAttributeIsNull(tile_copy_instr_attr(copy)) ||
      tile_copy_instr(copy) != TILE_INSTR_CpAsync ||
      !tile_shape_of(tile_copy_src(copy), &src) ||
      !tile_shape_of(tile_copy_dst(copy), &dst))
    return false;
  TileBuffer buffer = tile_buffer_of(tile_copy_src(copy));
  MlirValue pad = {NULL};
  bool keeps_rows = true;
  if (buffer.region.ptr) {
    TileRegionOp region = tile_region_cast(mlirOpResultGetOwner(buffer.region));
    MlirType type = mlirValueGetType(buffer.root);
    pad = tile_region_pad(region);
    keeps_rows = tile_region_result_dim(
                     region, (int)mlirShapedTypeGetRank(type) - 1) >= 0;
  }
  return src.space == TILE_SPACE_GLOBAL && dst.space == TILE_SPACE_SHARED &&
         mlirTypeEqual(src.element, dst.element) && keeps_rows &&
         (!pad.ptr || is_zero(pad)) &&
         last_stride_is_one(mlirValueGetType(buffer.root));
}

static void source_build(TileNvgpuCopy *copy, MlirValue tile) {
  TileBuffer buffer = tile_buffer_of(tile);
  MlirType type = mlirValueGetType(buffer.root);
  copy->src = buffer.root;
  copy->src_rank = (int)mlirShapedTypeGetRank(type);
  for (int d = 0; d < copy->src_rank; d++) {
    bool dynamic = mlirShapedTypeIsDynamicDim(type, d);
    copy->extent[d] = dynamic ? -1 : mlirShapedTypeGetDimSize(type, d);
    copy->offset[d] = tile_int_constant(0);
    copy->tile_dim[d] = d;
    if (buffer.region.ptr) {
      TileRegionOp region =
          tile_region_cast(mlirOpResultGetOwner(buffer.region));
      copy->offset[d] = tile_region_offset(region, d);
      copy->tile_dim[d] = tile_region_result_dim(region, d);
    }
    int64_t size = copy->tile_dim[d] < 0
                       ? 1
                       : copy->dst.shape.extent[copy->tile_dim[d]];
    copy->is_inside[d] = !dynamic && tile_int_is_constant(copy->offset[d]) &&
                         copy->offset[d].constant >= 0 &&
                         copy->offset[d].constant + size <= copy->extent[d];
  }
}

// Bytes that the address of every chunk of a row is a multiple of: the rows,
// and where the window starts in them.
static int64_t source_align_bytes(const TileNvgpuCopy *copy, MlirValue tile,
                                  int64_t elem_bytes) {
  TileInt offset = copy->offset[copy->src_rank - 1];
  int64_t divisor = tile_int_is_constant(offset)
                        ? offset.constant
                        : tile_index_divisor(offset.value);
  int64_t align = tile_row_align_bytes(tile);
  while (align > 1 && divisor * elem_bytes % align)
    align /= 2;
  return align;
}

// The largest chunk that source, destination and rows allow; false when cp.async
// has none so small.
static bool chunk_build(TileNvgpuCopy *copy, MlirValue tile,
                        const char **out_code, char *out_reason) {
  int last = copy->dst.shape.rank - 1;
  int64_t elem_bytes = tile_elem_bits(copy->dst.shape.element) / 8;
  int64_t row_bytes = copy->dst.shape.extent[last] * elem_bytes;
  int64_t align = source_align_bytes(copy, tile, elem_bytes);
  TileInt start = copy->dst.offset[copy->dst.dim[last]];
  int64_t run =
      tile_layout_contiguous_run(&copy->dst.full, copy->dst.dim[last]);
  while (run > 1 && (tile_int_is_constant(start)
                         ? start.constant
                         : tile_index_divisor(start.value)) %
                        run)
    run /= 2;
  int64_t bytes = MAX_CHUNK_BYTES;
  while (bytes >= MIN_CHUNK_BYTES &&
         (align % bytes || row_bytes % bytes || run * elem_bytes % bytes))
    bytes /= 2;
  *out_code = "tile-nvgpu/alignment";
  snprintf(out_reason, 200,
           "rows of the window are known to start at multiples of %lld bytes "
           "and to have %lld bytes, of which %lld are stored together",
           (long long)align, (long long)row_bytes,
           (long long)(run * elem_bytes));
  copy->chunk_bytes = bytes;
  copy->chunk_elems = bytes / elem_bytes;
  return bytes >= MIN_CHUNK_BYTES && copy->chunk_elems >= 1;
}

static void work_build(TileNvgpuCopy *copy, int64_t num_threads) {
  const TileShape *shape = &copy->dst.shape;
  copy->num_chunks = 1;
  for (int d = 0; d < shape->rank; d++) {
    copy->count[d] = shape->extent[d];
    if (d == shape->rank - 1)
      copy->count[d] /= copy->chunk_elems;
    copy->num_chunks *= copy->count[d];
  }
  int64_t full = copy->num_chunks / num_threads;
  copy->num_threads = num_threads;
  copy->rest = copy->num_chunks % num_threads;
  copy->unroll = full < MAX_UNROLL ? full : MAX_UNROLL;
  while (copy->unroll && full % copy->unroll)
    copy->unroll--;
  copy->num_loops = full ? full / copy->unroll : 0;
  copy->is_whole_last = copy->extent[copy->src_rank - 1] >= 0 &&
                        copy->extent[copy->src_rank - 1] % copy->chunk_elems ==
                            0;
}

// Chunks row by row are (loop, unroll, thread) in mixed radix: a reshape.
static void access_build(TileNvgpuCopy *copy) {
  int64_t shape[4] = {copy->num_loops, copy->unroll, copy->num_threads,
                      copy->chunk_elems};
  TileLayout linear, coordinates;
  TileLayoutError error;
  if (copy->rest || !copy->dst.is_aligned ||
      !tile_layout_view(&copy->dst.layout, shape, 4, &coordinates, &error))
    return;
  (void)linear;
  TileLayoutTerms terms;
  copy->access = (TileSharedAccess){.window = &copy->dst,
                                    .constant_axes = 1u << 1 | 1u << 3,
                                    .is_composed = true,
                                    .offsets = coordinates};
  copy->has_access = tile_layout_terms(&copy->access.offsets,
                                       copy->access.constant_axes, &terms,
                                       &error);
}
