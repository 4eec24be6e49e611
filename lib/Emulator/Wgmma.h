//===- Wgmma.h - Warpgroup-level matrix products --------------------------===//
//
// Instruction: vec = registers of D, then of A when A is in registers;
// a = descriptor of A, b = descriptor of B, c = predicate scale-d, or
// TILE_NO_SLOT and imm is the constant.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_EMULATOR_WGMMA_H
#define TILE_EMULATOR_WGMMA_H

#include "Async.h"
#include "Matrix.h"

enum {
  TILE_WGMMA_ROWS = 64, // of D, 16 for each warp
  TILE_WGMMA_WARP_ROWS = 16,
  TILE_WGMMA_MAX_N = 256,
  TILE_WGMMA_MAX_K = 32, // 32 bytes of 8-bit elements
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

TileMatrixDescriptor tile_emu_descriptor_decode(uint64_t bits);

/// Offset in shared memory of the 16-byte unit with element (mn, k); `per_unit`
/// elements a unit. PTX ISA, "Shared Memory Matrix Layout".
uint32_t tile_emu_descriptor_unit(const TileMatrixDescriptor *descriptor,
                                  bool is_mn_major, uint32_t per_unit,
                                  uint32_t mn, uint32_t k);

/// Decoded B operands are kept until shared memory changes: the four warps of
/// a warpgroup use the same one.
struct TileWgmmaCache {
  float b[TILE_WGMMA_MAX_K][TILE_WGMMA_MAX_N];
  const TileCta *cta;
  uint64_t descriptor;
  uint32_t version, n;
  uint8_t type;
  bool is_mn_major;
};

TileLanes tile_emu_wgmma_fence(TileWarp *warp, const TileInsn *insn,
                               TileLanes lanes);
TileLanes tile_emu_wgmma_commit(TileWarp *warp, const TileInsn *insn,
                                TileLanes lanes);
TileLanes tile_emu_wgmma_wait(TileWarp *warp, const TileInsn *insn,
                              TileLanes lanes);
TileLanes tile_emu_wgmma_issue(TileWarp *warp, const TileInsn *insn,
                               TileLanes lanes);
/// Reports registers that an instruction may not touch while wgmma is in
/// flight, and completes it then.
void tile_emu_wgmma_hazard(TileWarp *warp, const TileInsn *insn,
                           TileLanes lanes);
/// Remembers which registers were written after the last wgmma.fence.
void tile_emu_wgmma_note_writes(TileWarp *warp, const TileInsn *insn);

#endif // TILE_EMULATOR_WGMMA_H
