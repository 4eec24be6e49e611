//===- Address.c - From addresses of a kernel to host memory --------------===//

#include "Address.h"
#include "Emulator/Async/Async.h"
#include "Emulator/Ptx/Decode.h"
#include "Emulator/Race/Race.h"

#include <stdio.h>

const char *tile_emu_shared_name(const TileCta *cta, uint32_t offset,
                                 char out_name[200]) {
  const TileRun *run = cta->cluster->run;
  const TileKernel *kernel = run->kernel;
  for (uint32_t i = 0; i < kernel->num_shared_variables; i++) {
    const TileSharedVariable *variable = &kernel->shared_variables[i];
    uint32_t first = TILE_SHARED_FIRST + variable->offset_bytes;
    if (offset >= first && offset - first < variable->size_bytes) {
      snprintf(out_name, 200, "%.150s+%u", variable->name, offset - first);
      return out_name;
    }
  }
  uint32_t dynamic = TILE_SHARED_FIRST + run->dynamic_smem_base;
  if (offset >= dynamic)
    snprintf(out_name, 200, "dynamic smem+%u", offset - dynamic);
  else
    snprintf(out_name, 200, "smem+%u", offset - TILE_SHARED_FIRST);
  return out_name;
}

void tile_emu_dsmem_note(TileWarp *warp, const TileInsn *insn, uint32_t lane,
                         TileCta *cta) {
  if (!cta->remote)
    return;
  uint32_t thread = tile_warp_thread(warp, lane);
  cta->remote[thread] =
      (TileRemoteAccess){warp->cluster->clocks.threads[thread].tick,
                         (uint32_t)(insn - warp->kernel->code)};
}

//===-- Shared memory -----------------------------------------------------===//

uint8_t *tile_emu_shared_pointer(TileWarp *warp, const TileInsn *insn,
                                 uint32_t lane, uint32_t address,
                                 uint64_t size_bytes, TileCta **out_cta) {
  TileCluster *cluster = warp->cluster;
  uint32_t rank = address >> TILE_SHARED_RANK_SHIFT;
  uint32_t offset = address & TILE_SHARED_OFFSET_MASK;
  TileCta *cta = rank < cluster->num_ctas ? &cluster->ctas[rank] : NULL;
  if (TILE_LIKELY(cta && offset >= cta->smem_first &&
                  offset + size_bytes <= cta->smem_end)) {
    if (TILE_UNLIKELY(cta->num_exited_warps == cta->num_warps))
      tile_emu_find(warp, insn, tile_lane_bit(lane), TILE_FINDING_CLUSTER_EXIT,
                    "CTA rank %u has exited; its shared memory (0x%x) does not "
                    "exist any more",
                    rank, address);
    *out_cta = cta;
    return cta->smem + offset;
  }
  char name[200] = "another CTA";
  if (cta && offset >= cta->smem_first)
    tile_emu_shared_name(cta, offset, name);
  tile_emu_find_memory(warp, "shared", address, name);
  tile_emu_find(warp, insn, tile_lane_bit(lane), TILE_FINDING_BOUNDS_SHARED,
                "shared address 0x%x (%llu bytes) is outside of the shared "
                "memory of the CTA, [0x%x, 0x%x)",
                address, (unsigned long long)size_bytes, warp->cta->smem_first,
                warp->cta->smem_end);
  return NULL;
}

//===-- Global memory -----------------------------------------------------===//

static bool is_inside(const TileAllocation *allocation, uint64_t address,
                      uint64_t size_bytes) {
  uint64_t first = (uintptr_t)allocation->memory;
  return address >= first && size_bytes <= allocation->size_bytes &&
         address - first <= allocation->size_bytes - size_bytes;
}

TileAllocation *tile_emu_allocation_find(TileCluster *cluster, uint64_t address,
                                         uint64_t size_bytes) {
  TileEmu *emu = cluster->emu;
  if (cluster->last_allocation < emu->num_allocations) {
    TileAllocation *last = &emu->allocations[cluster->last_allocation];
    if (TILE_LIKELY(is_inside(last, address, size_bytes)))
      return last;
  }
  for (size_t i = 0; i < emu->num_allocations; i++)
    if (is_inside(&emu->allocations[i], address, size_bytes)) {
      cluster->last_allocation = i;
      return &emu->allocations[i];
    }
  return NULL;
}

static bool is_in_block(const uint8_t *block, uint64_t block_bytes,
                        uint64_t address, uint64_t size_bytes) {
  uint64_t first = (uintptr_t)block;
  return block && address >= first && size_bytes <= block_bytes &&
         address - first <= block_bytes - size_bytes;
}

/// "A+512", "8 bytes before A", or the number when no allocation is near.
/// Names instead of host addresses make reports the same in every run.
const char *tile_emu_address_name(const TileWarp *warp, uint32_t lane,
                                  uint64_t address, char out_name[300]) {
  const TileEmu *emu = warp->cluster->emu;
  uint64_t local = (uintptr_t)warp->local +
                   (uint64_t)lane * warp->kernel->local_stride_bytes;
  uint64_t params = (uintptr_t)warp->cluster->run->params;
  if (tile_address_is_shared(address)) {
    snprintf(out_name, 300, "shared 0x%x",
             (uint32_t)(address - TILE_SHARED_WINDOW));
    return out_name;
  }
  if (warp->local && address - local < warp->kernel->local_bytes) {
    snprintf(out_name, 300, "local+%llu",
             (unsigned long long)(address - local));
    return out_name;
  }
  if (address - params < warp->kernel->param_bytes) {
    snprintf(out_name, 300, "params+%llu",
             (unsigned long long)(address - params));
    return out_name;
  }
  for (size_t i = 0; i < emu->num_allocations; i++) {
    const TileAllocation *allocation = &emu->allocations[i];
    uint64_t first = (uintptr_t)allocation->memory;
    if (address < first && first - address <= TILE_GUARD_ZONE_BYTES) {
      snprintf(out_name, 300, "%llu bytes before %.200s",
               (unsigned long long)(first - address), allocation->name);
      return out_name;
    }
    if (address >= first &&
        address - first < allocation->size_bytes + TILE_GUARD_ZONE_BYTES) {
      snprintf(out_name, 300, "%.200s+%llu", allocation->name,
               (unsigned long long)(address - first));
      return out_name;
    }
  }
  snprintf(out_name, 300, "address 0x%llx", (unsigned long long)address);
  return out_name;
}

static void report_global(TileWarp *warp, const TileInsn *insn, uint32_t lane,
                          uint64_t address, uint64_t size_bytes) {
  const TileEmu *emu = warp->cluster->emu;
  char name[300], size[100] = "no allocation is there";
  for (size_t i = 0; i < emu->num_allocations; i++) {
    const TileAllocation *allocation = &emu->allocations[i];
    uint64_t first = (uintptr_t)allocation->memory;
    if (address + TILE_GUARD_ZONE_BYTES >= first &&
        address - first + TILE_GUARD_ZONE_BYTES <
            allocation->size_bytes + 2ull * TILE_GUARD_ZONE_BYTES)
      snprintf(size, sizeof size, "it has %llu bytes",
               (unsigned long long)allocation->size_bytes);
  }
  tile_emu_address_name(warp, lane, address, name);
  tile_emu_find_memory(warp, "global", 0, name);
  tile_emu_find(warp, insn, tile_lane_bit(lane), TILE_FINDING_BOUNDS_GLOBAL,
                "access of %llu bytes at %s is out of bounds: %s",
                (unsigned long long)size_bytes, name, size);
}

uint8_t *tile_emu_global_pointer(TileWarp *warp, const TileInsn *insn,
                                 uint32_t lane, uint64_t address,
                                 uint64_t size_bytes) {
  TileRun *run = warp->cluster->run;
  const uint8_t *local =
      warp->local
          ? warp->local + (size_t)lane * warp->kernel->local_stride_bytes
          : NULL;
  if (TILE_LIKELY(
          tile_emu_allocation_find(warp->cluster, address, size_bytes) ||
          is_in_block(local, warp->kernel->local_bytes, address, size_bytes) ||
          is_in_block(run->params, warp->kernel->param_bytes, address,
                      size_bytes)))
    return (uint8_t *)(uintptr_t)address;
  report_global(warp, insn, lane, address, size_bytes);
  return NULL;
}

static uint8_t *local_pointer(TileWarp *warp, const TileInsn *insn,
                              uint32_t lane, uint64_t address,
                              uint32_t size_bytes) {
  uint32_t local_bytes = warp->kernel->local_bytes;
  const uint8_t *local =
      warp->local
          ? warp->local + (size_t)lane * warp->kernel->local_stride_bytes
          : NULL;
  if (TILE_LIKELY(is_in_block(local, local_bytes, address, size_bytes)) ||
      is_in_block(warp->cluster->run->params, warp->kernel->param_bytes,
                  address, size_bytes))
    return (uint8_t *)(uintptr_t)address;
  tile_emu_find(warp, insn, tile_lane_bit(lane), TILE_FINDING_BOUNDS_LOCAL,
                "access of %u bytes at local%+lld is outside of the %u bytes "
                "of local memory",
                size_bytes, (long long)(address - (uintptr_t)local),
                local_bytes);
  return NULL;
}

//===-- Any state space ---------------------------------------------------===//

static void report_alignment(TileWarp *warp, const TileInsn *insn,
                             uint32_t lane, uint64_t address,
                             uint32_t size_bytes) {
  char name[300];
  bool is_shared = insn->space == TILE_SPACE_SHARED ||
                   insn->space == TILE_SPACE_SHARED_CLUSTER;
  if (is_shared)
    address = TILE_SHARED_WINDOW + (uint32_t)address;
  tile_emu_address_name(warp, lane, address, name);
  tile_emu_find_memory(warp, is_shared ? "shared" : "global", (uint32_t)address,
                       name);
  tile_emu_find(warp, insn, tile_lane_bit(lane), TILE_FINDING_ALIGNMENT,
                "%u-byte access at %s is not aligned", size_bytes, name);
}

static uint8_t *shared_data_pointer(TileWarp *warp, const TileInsn *insn,
                                    uint32_t lane, uint32_t address,
                                    uint32_t size_bytes, TileCta **out_cta) {
  uint8_t *memory =
      tile_emu_shared_pointer(warp, insn, lane, address, size_bytes, out_cta);
  if (TILE_LIKELY(*out_cta == warp->cta) || !memory)
    return memory;
  if (insn->space == TILE_SPACE_SHARED)
    tile_emu_find(warp, insn, tile_lane_bit(lane), TILE_FINDING_BOUNDS_CLUSTER,
                  "address 0x%x is in the shared memory of CTA rank %u, which "
                  ".shared::cta cannot reach",
                  address, (*out_cta)->rank);
  tile_emu_dsmem_note(warp, insn, lane, *out_cta);
  return memory;
}

uint8_t *tile_emu_data_pointer(TileWarp *warp, const TileInsn *insn,
                               uint32_t lane, uint64_t address,
                               uint32_t size_bytes, TileCta **out_cta) {
  *out_cta = NULL;
  if (TILE_UNLIKELY(address & ((size_bytes & (0 - size_bytes)) - 1))) {
    report_alignment(warp, insn, lane, address, size_bytes);
    return NULL;
  }
  switch (insn->space) {
  case TILE_SPACE_SHARED:
  case TILE_SPACE_SHARED_CLUSTER:
    return shared_data_pointer(warp, insn, lane, (uint32_t)address, size_bytes,
                               out_cta);
  case TILE_SPACE_GENERIC:
    if (tile_address_is_shared(address))
      return shared_data_pointer(warp, insn, lane,
                                 (uint32_t)(address - TILE_SHARED_WINDOW),
                                 size_bytes, out_cta);
    return tile_emu_global_pointer(warp, insn, lane, address, size_bytes);
  case TILE_SPACE_LOCAL:
  case TILE_SPACE_PARAM:
    return local_pointer(warp, insn, lane, address, size_bytes);
  default:
    return tile_emu_global_pointer(warp, insn, lane, address, size_bytes);
  }
}

//===-- cvta, isspacep, mapa, getctarank ----------------------------------===//

// PTX ISA, "Data Movement and Conversion Instructions". Generic addresses are
// host addresses, except for the window of shared memory.

//===-- cvta --------------------------------------------------------------===//

static TileLanes cvta_shared(TileWarp *warp, const TileInsn *insn,
                             TileLanes lanes) {
  uint64_t *d = tile_u64(warp, insn->dst);
  const uint64_t *a = tile_u64(warp, insn->a);
  TILE_VECTOR(lanes, d[l] = TILE_SHARED_WINDOW + (uint32_t)a[l]);
  return 0;
}

static TileLanes cvta_to_shared(TileWarp *warp, const TileInsn *insn,
                                TileLanes lanes) {
  uint64_t *d = tile_u64(warp, insn->dst);
  const uint64_t *a = tile_u64(warp, insn->a);
  TILE_VECTOR(lanes, d[l] = a[l] - TILE_SHARED_WINDOW);
  return 0;
}

static TileLanes cvta_same(TileWarp *warp, const TileInsn *insn,
                           TileLanes lanes) {
  uint64_t *d = tile_u64(warp, insn->dst);
  const uint64_t *a = tile_u64(warp, insn->a);
  TILE_VECTOR(lanes, d[l] = a[l]);
  return 0;
}

void tile_emu_decode_cvta(TileDecoder *decoder) {
  TileInsn *insn = decoder->insn;
  TilePtxSpace space = tile_decode_space(decoder);
  bool is_shared =
      space == TILE_SPACE_SHARED || space == TILE_SPACE_SHARED_CLUSTER;
  if (tile_emu_type_bytes(tile_decode_type(decoder, 0)) != 8) {
    tile_decode_unsupported(decoder, "32-bit generic addresses");
    return;
  }
  if (!tile_decode_count(decoder, 2, 2))
    return;
  insn->dst = tile_decode_dst(decoder, 0, TILE_PTX_B64);
  insn->a = tile_decode_src(decoder, 1, TILE_PTX_B64);
  insn->exec = !is_shared                       ? cvta_same
               : tile_decode_has(decoder, "to") ? cvta_to_shared
                                                : cvta_shared;
}

//===-- isspacep ----------------------------------------------------------===//

static bool is_in_space(TileWarp *warp, uint32_t lane, TilePtxSpace space,
                        uint64_t address) {
  bool is_shared = tile_address_is_shared(address);
  uint32_t rank =
      (uint32_t)(address - TILE_SHARED_WINDOW) >> TILE_SHARED_RANK_SHIFT;
  uint32_t local_bytes = warp->kernel->local_bytes;
  uint64_t local = (uintptr_t)warp->local +
                   (uint64_t)lane * warp->kernel->local_stride_bytes;
  bool is_local = warp->local && address - local < local_bytes;
  switch (space) {
  case TILE_SPACE_SHARED:
    return is_shared && rank == warp->cta->rank;
  case TILE_SPACE_SHARED_CLUSTER:
    return is_shared;
  case TILE_SPACE_GLOBAL:
    return !is_shared && !is_local;
  case TILE_SPACE_LOCAL:
    return is_local;
  default:
    return false;
  }
}

static TileLanes isspacep(TileWarp *warp, const TileInsn *insn,
                          TileLanes lanes) {
  const uint64_t *a = tile_u64(warp, insn->a);
  TileLanes result = 0;
  TILE_FOR_LANES (l, lanes) {
    bool holds = is_in_space(warp, l, (TilePtxSpace)insn->space, a[l]);
    result |= (uint32_t)holds << l;
  }
  tile_pred_write(warp, insn->dst, lanes, result);
  return 0;
}

void tile_emu_decode_isspacep(TileDecoder *decoder) {
  TileInsn *insn = decoder->insn;
  insn->space = (uint8_t)tile_decode_space(decoder);
  if (!tile_decode_count(decoder, 2, 2))
    return;
  insn->dst = tile_decode_dst(decoder, 0, TILE_PTX_PRED);
  insn->a = tile_decode_src(decoder, 1, TILE_PTX_B64);
  insn->exec = isspacep;
}

//===-- mapa, getctarank --------------------------------------------------===//

/// The same offset in the shared memory of CTA number b of the cluster.
static TileLanes mapa_32(TileWarp *warp, const TileInsn *insn,
                         TileLanes lanes) {
  uint32_t *d = tile_u32(warp, insn->dst);
  const uint32_t *a = tile_u32(warp, insn->a), *b = tile_u32(warp, insn->b);
  TILE_VECTOR(lanes, d[l] = (a[l] & TILE_SHARED_OFFSET_MASK) |
                            b[l] << TILE_SHARED_RANK_SHIFT);
  return 0;
}

static TileLanes mapa_64(TileWarp *warp, const TileInsn *insn,
                         TileLanes lanes) {
  uint64_t *d = tile_u64(warp, insn->dst);
  const uint64_t *a = tile_u64(warp, insn->a);
  const uint32_t *b = tile_u32(warp, insn->b);
  TILE_VECTOR(lanes, d[l] = (a[l] & ~0xff000000ull) |
                            (uint64_t)(b[l] << TILE_SHARED_RANK_SHIFT));
  return 0;
}

void tile_emu_decode_mapa(TileDecoder *decoder) {
  TileInsn *insn = decoder->insn;
  TilePtxType type = tile_decode_type(decoder, 0);
  if (!tile_decode_count(decoder, 3, 3))
    return;
  insn->dst = tile_decode_dst(decoder, 0, type);
  insn->a = tile_decode_src(decoder, 1, type);
  insn->b = tile_decode_src(decoder, 2, TILE_PTX_U32);
  insn->exec = type == TILE_PTX_U64 ? mapa_64 : mapa_32;
}

static TileLanes getctarank(TileWarp *warp, const TileInsn *insn,
                            TileLanes lanes) {
  uint32_t *d = tile_u32(warp, insn->dst);
  bool is_wide = insn->type == TILE_PTX_U64;
  TILE_FOR_LANES (l, lanes) {
    uint32_t address = is_wide ? (uint32_t)tile_u64(warp, insn->a)[l]
                               : tile_u32(warp, insn->a)[l];
    d[l] = address >> TILE_SHARED_RANK_SHIFT;
  }
  return 0;
}

void tile_emu_decode_getctarank(TileDecoder *decoder) {
  TileInsn *insn = decoder->insn;
  TilePtxType type = tile_decode_type(decoder, 0);
  if (!tile_decode_count(decoder, 2, 2))
    return;
  insn->type = (uint8_t)type;
  insn->dst = tile_decode_dst(decoder, 0, TILE_PTX_U32);
  insn->a = tile_decode_src(decoder, 1, type);
  insn->exec = getctarank;
}
