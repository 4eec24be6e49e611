//===- Im2col.c - Tensor maps for convolutions ----------------------------===//
//
// PTX ISA, "im2col mode". Dimensions are channels, up to three of space, and
// images. A box says where the corner of a filter may be; pixels are visited
// row by row inside of it, from the coordinates of the instruction on, over
// the ends of images. What is copied lies at the offsets of the instruction
// from there: one element of the filter.
//
// The order of pixels and what the hardware refuses were compared with an H200.
//
//===----------------------------------------------------------------------===//

#include "TmaRows.h"

#include <string.h>

static bool in_box(const TileTensorWalk *walk, int64_t lower[3],
                   int64_t upper[3]) {
  const TileEncodedMap *map = walk->map;
  bool is_inside = true;
  for (uint32_t i = 0; i + 2 < map->rank; i++) {
    lower[i] = map->lower_corner[i];
    upper[i] = (int64_t)map->last[i + 1] + map->upper_corner[i];
    is_inside = is_inside && walk->start[i + 1] >= lower[i] &&
                walk->start[i + 1] <= upper[i];
  }
  return is_inside;
}

/// Offsets are unsigned and share 16 bits.
static uint32_t max_offset(uint32_t rank) {
  return rank == 3 ? 0xffff : rank == 4 ? 0xff : 0x1f;
}

static bool check_start(const TileTensorWalk *walk, bool is_inside) {
  const TileEncodedMap *map = walk->map;
  if (!is_inside) {
    tile_emu_find(walk->warp, walk->insn, tile_lane_bit(walk->lane),
                  TILE_FINDING_TENSOR_COORDINATES,
                  "the coordinates of the first pixel are outside of the box "
                  "of the im2col map");
    return false;
  }
  for (uint32_t i = 0; i + 2 < map->rank; i++) {
    uint32_t offset = walk->offsets[i];
    if (offset <= max_offset(map->rank))
      continue;
    tile_emu_find(walk->warp, walk->insn, tile_lane_bit(walk->lane),
                  TILE_FINDING_TENSOR_COORDINATES,
                  "im2col offset %u is %u, at most %u is possible", i, offset,
                  max_offset(map->rank));
    return false;
  }
  bool leaves = false;
  for (uint32_t i = 0; walk->is_store && i + 2 < map->rank; i++)
    leaves |= map->lower_corner[i] < 0 || map->upper_corner[i] > 0;
  if (leaves)
    tile_emu_find(walk->warp, walk->insn, tile_lane_bit(walk->lane),
                  TILE_FINDING_TENSOR_COORDINATES,
                  "the box of the im2col map leaves the tensor, which a store "
                  "must not");
  return !leaves;
}

uint64_t tile_emu_im2col_num_rows(const TileEncodedMap *map) {
  return map->num_pixels;
}

bool tile_emu_im2col_rows(const TileTensorWalk *walk, TileAsyncRow *rows) {
  const TileEncodedMap *map = walk->map;
  uint32_t num_space = map->rank - 2u;
  int64_t lower[3] = {0}, upper[3] = {0};
  bool is_inside = in_box(walk, lower, upper);
  if (!check_start(walk, is_inside))
    return false;
  int64_t at[TILE_TENSOR_MAP_MAX_RANK] = {0}, pixel[3] = {0};
  int64_t image = walk->start[map->rank - 1];
  for (uint32_t i = 0; i < num_space; i++)
    pixel[i] = walk->start[i + 1];
  for (uint32_t p = 0; p < map->num_pixels; p++) {
    for (uint32_t i = 0; i < num_space; i++)
      at[i + 1] = pixel[i] + walk->offsets[i];
    at[map->rank - 1] = image;
    rows[p] = tile_emu_tensor_row(walk, at, p);
    uint32_t i = 0;
    for (; i < num_space; i++) {
      pixel[i] += map->elem_strides[i + 1];
      if (pixel[i] <= upper[i])
        break;
      pixel[i] = lower[i];
    }
    image += i == num_space;
  }
  return true;
}

//===-- Encoding ----------------------------------------------------------===//

#define REFUSE(...)                                                            \
  return tile_status_error(TILE_STATUS_USER_ERROR, __VA_ARGS__)

TileStatus tile_emu_im2col_check(const TileTensorMap *map) {
  static const int32_t limits[] = {1 << 15, 1 << 7, 1 << 4};
  if (map->rank < 3)
    REFUSE("im2col map: rank is %d, not in [3, 5]", map->rank);
  int32_t limit = limits[map->rank - 3];
  for (int i = 0; i + 2 < map->rank; i++) {
    int32_t lower = map->lower_corner[i], upper = map->upper_corner[i];
    if (lower < -limit || lower >= limit || upper < -limit || upper >= limit)
      REFUSE("im2col map: corners %d and %d of dimension %d, not in [%d, %d]",
             lower, upper, i + 1, -limit, limit - 1);
    int64_t last = (int64_t)map->dims[i + 1] - 1 + upper;
    if (last < lower)
      REFUSE("im2col map: the box is empty in dimension %d, from %d to %lld",
             i + 1, lower, (long long)last);
  }
  if (map->channels_per_pixel == 0 || map->channels_per_pixel > 256)
    REFUSE("im2col map: %u channels of a pixel, not in [1, 256]",
           map->channels_per_pixel);
  if (map->pixels_per_column == 0 || map->pixels_per_column > 1024)
    REFUSE("im2col map: %u pixels of a column, not in [1, 1024]",
           map->pixels_per_column);
  return tile_status_ok();
}

void tile_emu_im2col_encode(const TileTensorMap *map, TileEncodedMap *encoded) {
  encoded->is_im2col = true;
  encoded->num_pixels = (uint16_t)map->pixels_per_column;
  for (int i = 0; i + 2 < map->rank; i++) {
    encoded->lower_corner[i] = (int16_t)map->lower_corner[i];
    encoded->upper_corner[i] = (int16_t)map->upper_corner[i];
  }
}

//===-- Decode ------------------------------------------------------------===//

void tile_emu_decode_im2col_offsets(TileDecoder *decoder, uint32_t index,
                                    TileSlotList *list) {
  uint32_t wanted = decoder->insn->as.tma.rank - 2u;
  const TileOperand *operand =
      index < decoder->num_ops ? decoder->ops[index] : NULL;
  if (!operand || operand->kind != TILE_OPERAND_VECTOR ||
      operand->num_subs != wanted) {
    tile_decode_fail(decoder, "expected %u im2col offsets in braces", wanted);
    return;
  }
  tile_decode_list_add(decoder, list, operand, TILE_PTX_U16, false);
}
