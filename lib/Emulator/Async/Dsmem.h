//===- Dsmem.h - Shared memory of other CTAs of the cluster ---------------===//
#ifndef TILE_EMULATOR_DSMEM_H
#define TILE_EMULATOR_DSMEM_H

#include "Async.h"
#include "Emulator/Ptx/Decode.h"

/// A thread loads, stores or updates shared memory of another CTA, or arrives
/// at an mbarrier there. That CTA must not exit before it knows of this.
void tile_emu_dsmem_note(TileWarp *warp, const TileInsn *insn, uint32_t lane,
                         TileCta *cta);
/// The CTA exits: reports accesses and copies it did not wait for.
void tile_emu_dsmem_check_exit(TileCta *cta);

/// Shared memory of `cta` that an operation writes asynchronously, and the
/// mbarrier that learns of it.
typedef struct {
  uint32_t address, size_bytes;
  uint32_t mbarrier;   // address
  uint8_t reduction;   // 1 + TileAtomicOp, 0: plain write
  TilePtxType type;    // of a reduction
  bool is_async_proxy; // of the write
  const char *what;    // "st.async ", …
} TileRemoteWrite;

/// An operation with everything checked, not yet issued; NULL after a report.
TileAsyncOp *tile_emu_remote_create(TileWarp *warp, const TileInsn *insn,
                                    uint32_t lane,
                                    const TileRemoteWrite *write);
/// Part of what the operation does. True when it is complete.
bool tile_emu_remote_step(TileAsyncOp *op);

/// cp.async.bulk and cp.reduce.async.bulk between CTAs. The address of the
/// mbarrier is the last operand but a cache policy.
void tile_emu_decode_bulk_remote(TileDecoder *decoder);
/// st.async and red.async. StAsync.c
void tile_emu_decode_st_async(TileDecoder *decoder);
void tile_emu_decode_red_async(TileDecoder *decoder);

/// The reduction named in the opcode as 1 + TileAtomicOp, for shared memory;
/// 0 and a decoding error when there is none.
uint8_t tile_decode_shared_reduction(TileDecoder *decoder, TilePtxType type);

#endif // TILE_EMULATOR_DSMEM_H
