//===- Wgmma.h - Warpgroup-level matrix products --------------------------===//
//
// Instruction: vec = registers of D, then of A when A is in registers;
// a = descriptor of A, b = descriptor of B, c = predicate scale-d, or
// TILE_NO_SLOT and imm is the constant; e = metadata of a sparse A.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_EMULATOR_WGMMA_H
#define TILE_EMULATOR_WGMMA_H

#include "Emulator/Async/Async.h"
#include "Emulator/Ptx/Decode.h"
#include "Matrix.h"

enum {
  TILE_WGMMA_ROWS = 64, // of D, 16 for each warp
  TILE_WGMMA_WARP_ROWS = 16,
  TILE_WGMMA_MAX_N = 256,
  TILE_WGMMA_MAX_A_K = 32, // 32 bytes of 8-bit elements, without zeros
  TILE_WGMMA_MAX_B_K = 64, // when A is sparse
  TILE_WGMMA_UNIT_BYTES = 16
};

/// PTX ISA, "Matrix Descriptor Format".
typedef struct {
  uint32_t start_bytes;   // bits 0-13, times 16
  uint32_t leading_bytes; // bits 16-29, times 16
  uint32_t stride_bytes;  // bits 32-45, times 16
  uint32_t base_offset;   // bits 49-51
  uint32_t mode;          // bits 62-63: 0 none, 1: 128, 2: 64, 3: 32
  uint32_t swizzle;       // the mode as tile_swizzle counts: 0 to 3
  uint32_t width;         // units of 16 bytes in a row of the pattern
} TileMatrixDescriptor;

static inline TileMatrixDescriptor tile_descriptor_decode(uint64_t bits) {
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

// PTX ISA, "Asynchronous Warpgroup Level Matrix Shared Memory Layout". Units
// of 16 bytes form rows of `width` units; eight rows form the pattern that is
// swizzled.
//
//   K-major:  unit = k, row = mn. Patterns follow each other in mn by the
//             stride, in k by the leading offset. Only without swizzle, or
//             with a sparse A and swizzle 32B, does an operand have more than
//             one pattern in k (the latter as an H200 does it).
//   MN-major: unit = mn, row = k. With swizzle, patterns follow each other in
//             mn by the leading offset and in k by the stride; without, in mn
//             by the stride and in k by the leading offset.
//
/// Offset in shared memory of the 16-byte unit with element (mn, k); `per_unit`
/// elements a unit.
static inline uint32_t
tile_descriptor_unit(const TileMatrixDescriptor *descriptor, bool is_mn_major,
                     uint32_t per_unit, uint32_t mn, uint32_t k) {
  uint32_t row_bytes = TILE_WGMMA_UNIT_BYTES * descriptor->width;
  uint32_t leading = descriptor->leading_bytes;
  uint32_t stride = descriptor->stride_bytes;
  bool is_swizzled = descriptor->swizzle != 0;
  // Both are powers of two, and this is called often.
  uint32_t unit = (is_mn_major ? mn : k) >> __builtin_ctz(per_unit);
  uint32_t pattern = unit >> __builtin_ctz(descriptor->width);
  uint32_t in_row = (unit & (descriptor->width - 1)) * TILE_WGMMA_UNIT_BYTES;
  uint32_t offset;
  if (!is_mn_major)
    offset = in_row + mn % 8 * row_bytes + mn / 8 * stride + pattern * leading;
  else
    offset = in_row + k % 8 * row_bytes +
             pattern * (is_swizzled ? leading : stride) +
             k / 8 * (is_swizzled ? stride : leading);
  return tile_swizzle(descriptor->start_bytes + offset, descriptor->swizzle);
}

/// Decoded B operands are kept until shared memory changes: the four warps of
/// a warpgroup use the same one. Element (k, n) is b[n * num_k + k].
struct TileWgmmaCache {
  float b[TILE_WGMMA_MAX_N * TILE_WGMMA_MAX_B_K];
  const TileCta *cta;
  uint64_t descriptor;
  uint32_t version, n;
  uint8_t type, k;
  bool is_mn_major;
};

/// What a warp computes. Its 16 rows lie next to each other, so that they are
/// one or two vectors of the host.
typedef struct {
  float a[TILE_WGMMA_MAX_A_K][TILE_WGMMA_WARP_ROWS];
  float d[TILE_WGMMA_MAX_N][TILE_WGMMA_WARP_ROWS];
} TileWgmmaProduct;

/// Elements that are stored of a row of A.
static inline uint32_t tile_wgmma_a_k(const TileInsn *insn) {
  return insn->as.wgmma.is_sparse ? insn->as.wgmma.k / 2u : insn->as.wgmma.k;
}

static inline TileSparsity tile_wgmma_sparsity(const TileInsn *insn) {
  TileSparsity sparsity = {
      .k = insn->as.wgmma.k,
      .elem_bits = tile_emu_matrix_elem_bits((TilePtxType)insn->type),
      .selector = insn->as.wgmma.selector};
  return sparsity;
}

TileLanes tile_emu_wgmma_issue(TileWarp *warp, const TileInsn *insn,
                               TileLanes lanes);

/// Reports registers that an instruction may not touch while wgmma is in
/// flight, and completes it then.
void tile_emu_wgmma_hazard(TileWarp *warp, const TileInsn *insn,
                           TileLanes lanes);

#endif // TILE_EMULATOR_WGMMA_H
