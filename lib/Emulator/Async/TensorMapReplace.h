//===- TensorMapReplace.h - Tensor maps that kernels change ---------------===//
#ifndef TILE_EMULATOR_TENSOR_MAP_REPLACE_H
#define TILE_EMULATOR_TENSOR_MAP_REPLACE_H

#include "Emulator/Machine.h"
#include "Emulator/Ptx/Decode.h"

/// tensormap.replace and tensormap.cp_fenceproxy.
void tile_emu_decode_tensormap(TileDecoder *decoder);

//===-- TensorMapReplaceProxy.c -------------------------------------------===//

/// fence.proxy.tensormap::generic
void tile_emu_decode_fence_tensormap(TileDecoder *decoder);

/// Maps of one launch that CTAs have acquired.
typedef struct TileMapProxy TileMapProxy;
TileMapProxy *tile_emu_map_proxy_create(void);
void tile_emu_map_proxy_destroy(TileMapProxy *proxy);

/// The lane uses the tensor map at `address`. Reports when the launch changed
/// it and the fences for that are missing.
void tile_emu_map_proxy_check(TileWarp *warp, const TileInsn *insn,
                              uint32_t lane, uint64_t address);
/// tensormap.cp_fenceproxy wrote the map, which is a release.
void tile_emu_map_proxy_release(TileWarp *warp, uint32_t lane);

#endif // TILE_EMULATOR_TENSOR_MAP_REPLACE_H
