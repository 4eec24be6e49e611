//===- Address.h - From addresses of a kernel to host memory --------------===//
//
// Nothing outside emulated memory can be reached: every function checks, and
// reports and returns NULL when the access is not allowed.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_EMULATOR_ADDRESS_H
#define TILE_EMULATOR_ADDRESS_H

#include "Emulator/Machine.h"

/// Shared memory of any CTA of the cluster; sets the CTA.
uint8_t *tile_emu_shared_pointer(TileWarp *warp, const TileInsn *insn,
                                 uint32_t lane, uint32_t address,
                                 uint64_t size_bytes, TileCta **out_cta);
/// Global memory, kernel parameters, or the lane's local memory.
uint8_t *tile_emu_global_pointer(TileWarp *warp, const TileInsn *insn,
                                 uint32_t lane, uint64_t address,
                                 uint64_t size_bytes);
/// An aligned access in the state space of `insn`; the CTA is NULL unless the
/// memory is shared.
uint8_t *tile_emu_data_pointer(TileWarp *warp, const TileInsn *insn,
                               uint32_t lane, uint64_t address,
                               uint32_t size_bytes, TileCta **out_cta);

/// The allocation that has all of these bytes, or NULL.
TileAllocation *tile_emu_allocation_find(TileCluster *cluster, uint64_t address,
                                         uint64_t size_bytes);

/// A generic or global address for reports; returns `out_name`.
const char *tile_emu_address_name(const TileWarp *warp, uint32_t lane,
                                  uint64_t address, char out_name[300]);

static inline bool tile_address_is_shared(uint64_t generic) {
  return generic - TILE_SHARED_WINDOW < TILE_SHARED_WINDOW_BYTES;
}

/// Address operand `a` + offset of a lane; `is_wide`: a 64-bit register.
static inline uint64_t tile_address_of(TileWarp *warp, const TileInsn *insn,
                                       bool is_wide, uint32_t lane) {
  uint64_t base =
      is_wide ? tile_u64(warp, insn->a)[lane] : tile_u32(warp, insn->a)[lane];
  return base + (uint64_t)insn->offset;
}

typedef enum {
  TILE_ATOMIC_ADD,
  TILE_ATOMIC_MIN,
  TILE_ATOMIC_MAX,
  TILE_ATOMIC_AND,
  TILE_ATOMIC_OR,
  TILE_ATOMIC_XOR,
  TILE_ATOMIC_EXCH,
  TILE_ATOMIC_CAS,
  TILE_ATOMIC_INC,
  TILE_ATOMIC_DEC
} TileAtomicOp;

/// The new value of memory that holds `old`. Atomic.c
uint64_t tile_emu_atomic_apply(TileAtomicOp op, TilePtxType type, uint64_t old,
                               uint64_t operand, uint64_t operand2);

/// A thread loads, stores or updates shared memory of another CTA, or arrives
/// at an mbarrier there. That CTA must not exit before it knows of this.
void tile_emu_dsmem_note(TileWarp *warp, const TileInsn *insn, uint32_t lane,
                         TileCta *cta);

/// "tile+16" or "dynamic smem+4096"; returns `out_name`.
const char *tile_emu_shared_name(const TileCta *cta, uint32_t offset,
                                 char out_name[200]);

#endif // TILE_EMULATOR_ADDRESS_H
