//===- LayoutHardware.h - Layouts that the hardware fixes -----------------===//
//
// Units: elements unless a name says bits or bytes. Tile dimensions of operands
// are given in storage order: |k_dim| and |mn_dim| say which is which.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LAYOUT_HARDWARE_H
#define TILE_LAYOUT_HARDWARE_H

#include "Layout.h"

#ifdef __cplusplus
extern "C" {
#endif

//===-- Memory ------------------------------------------------------------===//

/// Row-major, dense.
bool tile_hw_linear(const int64_t *shape, int rank, TileLayout *out,
                    TileReason *e);
/// Row-major with |pitch| elements between rows of the last dimension.
bool tile_hw_padded(const int64_t *shape, int rank, int64_t pitch,
                    TileLayout *out, TileReason *e);
/// 128/64/32-byte swizzle of the last two dimensions: columns are cut in chunks
/// of |span| bytes, a chunk is rows x span bytes, 16-byte units are XORed with
/// the row bits at byte address bits 7..9. span 16: core matrices, no swizzle.
/// Leading dimensions are lifted: densest slots.
bool tile_hw_swizzle(const int64_t *shape, int rank, int elem_bits, int span,
                     TileLayout *out, TileReason *e);
/// The same with the last two dimensions exchanged: stored transposed.
bool tile_hw_swizzle_t(const int64_t *shape, int rank, int elem_bits, int span,
                       TileLayout *out, TileReason *e);

typedef struct {
  int mode;         // 128, 64, 32 or 16 (none)
  bool mn_major;    // the contiguous dimension is M or N
  int64_t lbo, sbo; // bytes, before the shift by 4; lbo 0 = ignored
  int64_t k_step;   // bytes to the next instruction along K, within the chunk
  int64_t k_chunk;  // bytes to the next chunk along K; 0 if there is one chunk
  int steps_in_chunk; // instructions along K before k_chunk applies
} TileHwDesc;
/// Descriptor of a wgmma shared operand: |rows| = 64 for A, instruction N for
/// B. Derived from the layout itself by evaluation, not from its name.
bool tile_hw_wgmma_desc(const TileLayout *s, int elem_bits, int mn_dim,
                        int k_dim, int64_t rows, TileHwDesc *out,
                        TileReason *e);
uint64_t tile_hw_desc_encode(const TileHwDesc *d, uint32_t shared_address);

//===-- Fragments ---------------------------------------------------------===//

/// wgmma accumulator m x n over wg_m x wg_n warpgroups.
bool tile_hw_wgmma_acc(int64_t m, int64_t n, int wg_m, int wg_n,
                       TileLayout *out, TileReason *e);
/// wgmma A operand in registers, m x k.
bool tile_hw_wgmma_a(int64_t m, int64_t k, int elem_bits, int wg_m, int wg_n,
                     TileLayout *out, TileReason *e);

typedef struct {
  int64_t m, n, k; // the tile
  int warps_m, warps_n;
  int elem_bits; // of A and B: 8, 16 or 32 (tf32); 4 for s4/u4
  int instr_k;   // 4p or 8p, p = 32 / elem_bits, at least 1
} TileHwMma;
/// mma.sync m16n8k{instr_k}. A is [m][k]; B is [k][n] or, |b_nk|, [n][k].
bool tile_hw_mma_a(const TileHwMma *g, TileLayout *out, TileReason *e);
bool tile_hw_mma_b(const TileHwMma *g, bool b_nk, TileLayout *out,
                   TileReason *e);
bool tile_hw_mma_c(const TileHwMma *g, TileLayout *out, TileReason *e);
/// Whether wgmma.mma_async.sp reads B with a descriptor of |mode|: it takes 64
/// bytes along K at once, which narrower atoms along K do not hold together.
static inline bool tile_hw_wgmma_sp_reads(int mode, bool mn_major) {
  return mn_major || mode >= 64;
}

#ifdef __cplusplus
} // extern "C"
#endif

#endif
