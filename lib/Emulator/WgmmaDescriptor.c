//===- WgmmaDescriptor.c - Matrices of wgmma in shared memory -------------===//
//
// PTX ISA, "Asynchronous Warpgroup Level Matrix Shared Memory Layout". Units
// of 16 bytes form rows of `width` units; eight rows form the pattern that is
// swizzled.
//
//   K-major:  unit = k, row = mn. Patterns follow each other in mn by the
//             stride; in k by one unit, or without swizzle by the leading
//             offset.
//   MN-major: unit = mn, row = k. With swizzle, patterns follow each other in
//             mn by the leading offset and in k by the stride; without, in mn
//             by the stride and in k by the leading offset.
//
//===----------------------------------------------------------------------===//

#include "Wgmma.h"

TileMatrixDescriptor tile_emu_descriptor_decode(uint64_t bits) {
  static const uint8_t swizzles[4] = {0, 3, 2, 1};
  static const uint8_t widths[4] = {1, 8, 4, 2};
  TileMatrixDescriptor descriptor = {0};
  descriptor.start_bytes = (uint32_t)(bits & 0x3fff) << 4;
  descriptor.leading_bytes = (uint32_t)(bits >> 16 & 0x3fff) << 4;
  descriptor.stride_bytes = (uint32_t)(bits >> 32 & 0x3fff) << 4;
  descriptor.base_offset = (uint32_t)(bits >> 49 & 7);
  descriptor.mode = (uint32_t)(bits >> 62);
  descriptor.swizzle = swizzles[descriptor.mode];
  descriptor.width = widths[descriptor.mode];
  return descriptor;
}

uint32_t tile_emu_descriptor_unit(const TileMatrixDescriptor *descriptor,
                                  bool is_mn_major, uint32_t per_unit,
                                  uint32_t mn, uint32_t k) {
  uint32_t row_bytes = TILE_WGMMA_UNIT_BYTES * descriptor->width;
  uint32_t leading = descriptor->leading_bytes;
  uint32_t stride = descriptor->stride_bytes;
  bool is_swizzled = descriptor->swizzle != 0;
  uint32_t offset;
  if (!is_mn_major) {
    uint32_t unit = k / per_unit;
    offset = mn % 8 * row_bytes + mn / 8 * stride +
             unit * (is_swizzled ? TILE_WGMMA_UNIT_BYTES : leading);
  } else {
    uint32_t unit = mn / per_unit, width = descriptor->width;
    uint32_t in_pattern =
        unit % width * TILE_WGMMA_UNIT_BYTES + k % 8 * row_bytes;
    offset = in_pattern + unit / width * (is_swizzled ? leading : stride) +
             k / 8 * (is_swizzled ? stride : leading);
  }
  return tile_swizzle(descriptor->start_bytes + offset, descriptor->swizzle);
}
