//===- Address.c - From addresses of a kernel to host memory --------------===//

#include "Address.h"
#include "Emulator/Async/Dsmem.h"
#include "Emulator/Race/Race.h"

#include <stdio.h>

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
