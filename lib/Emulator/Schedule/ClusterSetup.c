//===- ClusterSetup.c - State of a cluster before its first instruction ---===//
//
// Shared memory and registers begin as NaN, so that nobody depends on zeros.
//
//===----------------------------------------------------------------------===//

#include "Emulator/Matrix/Wgmma.h"
#include "Emulator/Ptx/DeviceFunction.h"
#include "Emulator/Race/Race.h"
#include "Emulator/Report/Statistics.h"
#include "Emulator/Sync/Sync.h"
#include "Emulator/Undefined/Undefined.h"
#include "Schedule.h"

#include <stdlib.h>

enum {
  POISON = 0xff,
  MBARRIER_AGENTS = 192, // of a CTA; further mbarriers share one
  SMEM_SLACK = 256
};

static uint32_t smem_end(const TileRun *run) {
  return TILE_SHARED_FIRST + run->dynamic_smem_base + run->dynamic_smem_bytes;
}

//===-- Agents of race detection ------------------------------------------===//

static uint32_t agents_layout(const TileRun *run, TileClocks *clocks) {
  const TileKernel *kernel = run->kernel;
  uint32_t num_threads = run->ctas_per_cluster * run->threads_per_cta;
  uint32_t next = num_threads;
  clocks->first_cp_async = clocks->first_bulk = 0;
  if (kernel->has_cp_async) {
    clocks->first_cp_async = next;
    next += num_threads;
  }
  clocks->first_wgmma = next;
  clocks->num_warpgroups = tile_num_warpgroups(run->warps_per_cta);
  clocks->threads_per_cta = run->threads_per_cta;
  uint32_t num_warpgroups = run->ctas_per_cluster * clocks->num_warpgroups;
  next += num_warpgroups * TILE_WARPGROUP_WARPS;
  clocks->first_warpgroup = next;
  next += num_warpgroups;
  clocks->end_warpgroup = next;
  if (kernel->has_bulk_store) {
    clocks->first_bulk = next;
    clocks->first_bulk_write = next + num_threads;
    next += num_threads + run->ctas_per_cluster * TILE_BULK_WRITERS;
  }
  clocks->first_mbarrier = next;
  next += run->ctas_per_cluster * MBARRIER_AGENTS;
  clocks->num_agents = (next + 15) & ~15u;
  clocks->num_threads = num_threads;
  bool has_room = clocks->num_agents + 2 * num_threads < TILE_AGENT_SET;
  clocks->first_atomic = has_room ? clocks->num_agents : 0;
  return clocks->num_agents;
}

uint32_t tile_emu_run_num_agents(const TileRun *run) {
  TileClocks clocks;
  return agents_layout(run, &clocks);
}

//===-- Constants of the register file ------------------------------------===//

static void fill(uint8_t *regs, const TileConstant *constant,
                 const uint64_t values[TILE_WARP_SIZE]) {
  for (uint32_t l = 0; l < TILE_WARP_SIZE; l++) {
    uint8_t *to = regs + constant->slot + (size_t)l * constant->size_bytes;
    memset(to, 0, constant->size_bytes);
    memcpy(to, &values[l], constant->size_bytes < 8 ? 4 : 8);
  }
}

static void fill_same(uint8_t *regs, const TileConstant *constant,
                      uint64_t value) {
  uint64_t values[TILE_WARP_SIZE];
  for (uint32_t l = 0; l < TILE_WARP_SIZE; l++)
    values[l] = value;
  fill(regs, constant, values);
}

void tile_emu_template_build(TileRun *run) {
  const TileKernel *kernel = run->kernel;
  uint8_t *regs = run->register_template;
  memset(regs, POISON, kernel->register_file_bytes);
  for (uint32_t i = 0; i < kernel->num_constants; i++) {
    const TileConstant *constant = &kernel->constants[i];
    switch ((TileConstantKind)constant->kind) {
    case TILE_CONSTANT_VALUE:
      fill_same(regs, constant, constant->value);
      break;
    case TILE_CONSTANT_SHARED:
      fill_same(regs, constant, TILE_SHARED_FIRST + constant->value);
      break;
    case TILE_CONSTANT_SHARED_DYNAMIC:
      fill_same(regs, constant,
                TILE_SHARED_FIRST + run->dynamic_smem_base + constant->value);
      break;
    case TILE_CONSTANT_PARAM:
      fill_same(regs, constant, (uintptr_t)run->params + constant->value);
      break;
    case TILE_CONSTANT_LOCAL:
    case TILE_CONSTANT_SPECIAL:
    case TILE_CONSTANT_SCRATCH:
      break; // differ between warps or have no value
    }
  }
}

/// Elements of the triples: 0 x, 1 y, 2 z.
static uint64_t triple_value(const TileWarp *warp, uint32_t thread,
                             uint64_t special) {
  const TileRun *run = warp->cluster->run;
  const TileCta *cta = warp->cta;
  uint32_t axis = (uint32_t)special % 3, bx = run->block[0], by = run->block[1];
  switch (special - axis) {
  case TILE_SPECIAL_TID:
    return axis == 0   ? thread % bx
           : axis == 1 ? thread / bx % by
                       : thread / bx / by;
  case TILE_SPECIAL_NTID:
    return run->block[axis];
  case TILE_SPECIAL_CTAID:
    return cta->ctaid[axis];
  case TILE_SPECIAL_NCTAID:
    return run->grid[axis];
  case TILE_SPECIAL_CLUSTERID:
    return cta->ctaid[axis] / run->cluster[axis];
  case TILE_SPECIAL_NCLUSTERID:
    return run->num_clusters[axis];
  case TILE_SPECIAL_CLUSTER_CTAID:
    return cta->ctaid[axis] % run->cluster[axis];
  default:
    return run->cluster[axis];
  }
}

// The multiprocessor that the CTA runs on.
static uint32_t cta_sm(const TileCta *cta) {
  const TileRun *run = cta->cluster->run;
  uint32_t place = run->residence
                       ? cta->cluster->slot * run->ctas_per_cluster + cta->rank
                       : tile_emu_cta_number(cta);
  return place % (uint32_t)run->emu->options.num_sms;
}

static uint64_t special_value(const TileWarp *warp, uint32_t l,
                              uint64_t special) {
  const TileRun *run = warp->cluster->run;
  const TileCta *cta = warp->cta;
  if (special < TILE_SPECIAL_CLUSTER_CTARANK)
    return triple_value(warp, warp->index * TILE_WARP_SIZE + l, special);
  switch ((TileSpecial)special) {
  case TILE_SPECIAL_CLUSTER_CTARANK:
    return cta->rank;
  case TILE_SPECIAL_CLUSTER_NCTARANK:
    return run->ctas_per_cluster;
  case TILE_SPECIAL_IS_EXPLICIT_CLUSTER:
    return run->ctas_per_cluster > 1;
  case TILE_SPECIAL_LANEID:
    return l;
  case TILE_SPECIAL_WARPID:
    return warp->index;
  case TILE_SPECIAL_NWARPID:
    return run->warps_per_cta;
  case TILE_SPECIAL_SMID:
    return cta_sm(cta);
  case TILE_SPECIAL_NSMID:
    return (uint32_t)run->emu->options.num_sms;
  case TILE_SPECIAL_LANEMASK_EQ:
    return 1ull << l;
  case TILE_SPECIAL_LANEMASK_LT:
    return (1ull << l) - 1;
  case TILE_SPECIAL_LANEMASK_LE:
    return (2ull << l) - 1;
  case TILE_SPECIAL_LANEMASK_GT:
    return ~((2ull << l) - 1) & TILE_ALL_LANES;
  case TILE_SPECIAL_LANEMASK_GE:
    return ~((1ull << l) - 1) & TILE_ALL_LANES;
  case TILE_SPECIAL_DYNAMIC_SMEM_SIZE:
    return run->dynamic_smem_bytes;
  case TILE_SPECIAL_RESERVED_END:
    return TILE_SHARED_FIRST;
  case TILE_SPECIAL_TOTAL_SMEM_SIZE:
    return run->dynamic_smem_base + run->dynamic_smem_bytes;
  case TILE_SPECIAL_WORKSPACE_HIGH:
    return (uintptr_t)run->workspace >> 32;
  case TILE_SPECIAL_WORKSPACE_LOW:
    return (uintptr_t)run->workspace & UINT32_MAX;
  default:
    return 0;
  }
}

static void fill_constants(TileWarp *warp) {
  const TileKernel *kernel = warp->kernel;
  uint64_t values[TILE_WARP_SIZE];
  for (uint32_t i = 0; i < kernel->num_constants; i++) {
    const TileConstant *constant = &kernel->constants[i];
    bool is_shared = constant->kind == TILE_CONSTANT_SHARED ||
                     constant->kind == TILE_CONSTANT_SHARED_DYNAMIC;
    uint32_t base = constant->kind == TILE_CONSTANT_SHARED_DYNAMIC
                        ? warp->cluster->run->dynamic_smem_base
                        : 0;
    if (!is_shared && constant->kind != TILE_CONSTANT_LOCAL &&
        constant->kind != TILE_CONSTANT_SPECIAL)
      continue;
    for (uint32_t l = 0; l < TILE_WARP_SIZE; l++) {
      if (is_shared)
        values[l] = (uint64_t)warp->cta->rank << TILE_SHARED_RANK_SHIFT |
                    (TILE_SHARED_FIRST + base + constant->value);
      else if (constant->kind == TILE_CONSTANT_LOCAL)
        values[l] = (uintptr_t)warp->local +
                    (uint64_t)l * kernel->local_stride_bytes + constant->value;
      else
        values[l] = special_value(warp, l, constant->value);
    }
    fill(warp->regs, constant, values);
  }
}

//===-- Shadow of shared memory -------------------------------------------===//

static size_t num_chunks(uint32_t smem_bytes) {
  return smem_bytes / TILE_SHADOW_CHUNK_BYTES + 1;
}

static void shadow_init(TileShadow *shadow, uint32_t smem_bytes) {
  size_t count = num_chunks(smem_bytes);
  shadow->chunks = tile_emu_calloc(count, sizeof *shadow->chunks);
  shadow->bytes =
      tile_emu_malloc(count * TILE_SHADOW_CHUNK_BYTES * sizeof *shadow->bytes);
  shadow->mbarrier = tile_emu_calloc(2 * count, sizeof *shadow->mbarrier);
}

static void shadow_clear(TileShadow *shadow, uint32_t smem_bytes) {
  size_t count = num_chunks(smem_bytes);
  memset(shadow->chunks, 0, count * sizeof *shadow->chunks);
  memset(shadow->mbarrier, 0, 2 * count * sizeof *shadow->mbarrier);
}

static void shadow_deinit(TileShadow *shadow) {
  free(shadow->chunks);
  free(shadow->bytes);
  free(shadow->mbarrier);
}

//===-- Create and destroy ------------------------------------------------===//

static void warp_create(TileWarp *warp, TileCta *cta, uint32_t index) {
  TileRun *run = cta->cluster->run;
  const TileKernel *kernel = run->kernel;
  warp->cta = cta;
  warp->cluster = cta->cluster;
  warp->kernel = kernel;
  warp->index = index;
  warp->first_thread = cta->rank * run->threads_per_cta + index * 32;
  uint32_t left = run->threads_per_cta - index * TILE_WARP_SIZE;
  warp->num_lanes = left < TILE_WARP_SIZE ? left : TILE_WARP_SIZE;
  warp->regs = tile_emu_aligned(64, kernel->register_file_bytes);
  warp->wgmma.in_flight = tile_emu_calloc(kernel->num_registers + 1, 1);
  warp->wgmma.written_at =
      tile_emu_calloc(kernel->num_registers + 1, sizeof(uint32_t));
  if (kernel->has_wgmma)
    warp->wgmma.kept = tile_emu_calloc(TILE_MAX_KEPT, sizeof(TileInsn *));
  warp->calls = tile_emu_call_stacks_create(kernel);
  if (kernel->local_bytes)
    warp->local = tile_emu_aligned(64, (size_t)kernel->local_stride_bytes *
                                           TILE_WARP_SIZE);
}

TileCluster *tile_emu_cluster_create(TileRun *run) {
  TileCluster *cluster = tile_emu_calloc(1, sizeof *cluster);
  cluster->run = run;
  cluster->emu = run->emu;
  cluster->num_ctas = run->ctas_per_cluster;
  cluster->threads_per_cta = run->threads_per_cta;
  cluster->num_threads = cluster->num_ctas * cluster->threads_per_cta;
  cluster->detect_races = run->emu->options.detect_races;
  cluster->ctas = tile_emu_calloc(cluster->num_ctas, sizeof *cluster->ctas);
  cluster->reported =
      tile_emu_calloc(run->kernel->num_insns, sizeof *cluster->reported);
  for (uint32_t r = 0; r < cluster->num_ctas; r++) {
    TileCta *cta = &cluster->ctas[r];
    cta->cluster = cluster;
    cta->rank = r;
    cta->num_warps = run->warps_per_cta;
    cta->smem_first = TILE_SHARED_FIRST;
    cta->smem_end = smem_end(run);
    cta->smem = tile_emu_aligned(128, cta->smem_end + SMEM_SLACK);
    shadow_init(&cta->shadow, cta->smem_end + SMEM_SLACK);
    cta->mbarriers =
        tile_emu_calloc(TILE_MAX_MBARRIERS, sizeof *cta->mbarriers);
    cta->warps = tile_emu_calloc(cta->num_warps, sizeof *cta->warps);
    if (cluster->detect_races && cluster->num_ctas > 1)
      cta->remote = tile_emu_calloc(cluster->num_threads, sizeof *cta->remote);
    for (uint32_t i = 0; i < cta->num_warps; i++)
      warp_create(&cta->warps[i], cta, i);
  }
  cluster->recorder = tile_emu_recorder_create(cluster);
  return cluster;
}

void tile_emu_cluster_destroy(TileCluster *cluster) {
  tile_emu_undefined_destroy(cluster);
  for (uint32_t r = 0; r < cluster->num_ctas; r++) {
    TileCta *cta = &cluster->ctas[r];
    for (uint32_t i = 0; i < cta->num_warps; i++) {
      TileWarp *warp = &cta->warps[i];
      free(warp->regs);
      free(warp->wgmma.in_flight);
      free(warp->wgmma.written_at);
      free(warp->wgmma.kept);
      free(warp->local);
      tile_emu_call_stacks_destroy(warp->calls);
      tile_emu_loads_destroy(warp);
    }
    shadow_deinit(&cta->shadow);
    free(cta->warps);
    free(cta->mbarriers);
    free(cta->remote);
    free(cta->remote_ops);
    free(cta->smem);
    free(cta->undefined);
  }
  tile_emu_read_sets_destroy(cluster);
  free(cluster->wgmma_cache);
  tile_emu_recorder_destroy(cluster->recorder);
  free(cluster->async_ops);
  free(cluster->reported);
  free(cluster->ctas);
  free(cluster);
}

//===-- Reset and finish --------------------------------------------------===//

static void warp_reset(TileWarp *warp) {
  const TileKernel *kernel = warp->kernel;
  TileWgmmaState *wgmma = &warp->wgmma;
  warp->live = warp->num_lanes == TILE_WARP_SIZE ? TILE_ALL_LANES
                                                 : (1u << warp->num_lanes) - 1;
  warp->waiting = warp->timed_out = warp->fenced = warp->carry = 0;
  warp->num_registers = tile_emu_registers_per_thread(warp->cluster->run);
  warp->is_uniform = true;
  warp->uniform_pc = 0;
  warp->seen_version = 0;
  memset(warp->wait, 0, sizeof warp->wait);
  memset(warp->num_false_polls, 0, sizeof warp->num_false_polls);
  memset(warp->cluster_phase, 0xff, sizeof warp->cluster_phase);
  memset(warp->bulk_group, 0, sizeof warp->bulk_group);
  memset(warp->map_released, 0, sizeof warp->map_released);
  memset(&warp->cp_async, 0, sizeof warp->cp_async);
  memset(wgmma->in_flight, 0, kernel->num_registers + 1);
  memset(wgmma->written_at, 0,
         (kernel->num_registers + 1) * sizeof *wgmma->written_at);
  *wgmma = (TileWgmmaState){.in_flight = wgmma->in_flight,
                            .written_at = wgmma->written_at,
                            .kept = wgmma->kept,
                            .fence_number = 1};
  tile_emu_call_stacks_reset(warp->calls);
  tile_emu_loads_reset(warp);
  if (warp->local)
    memset(warp->local, POISON,
           (size_t)kernel->local_stride_bytes * TILE_WARP_SIZE);
  memcpy(warp->regs, warp->cluster->run->register_template,
         kernel->register_file_bytes);
  fill_constants(warp);
}

static void cta_reset(TileCta *cta, const uint32_t first_ctaid[3]) {
  const uint32_t *size = cta->cluster->run->cluster;
  cta->ctaid[0] = first_ctaid[0] + cta->rank % size[0];
  cta->ctaid[1] = first_ctaid[1] + cta->rank / size[0] % size[1];
  cta->ctaid[2] = first_ctaid[2] + cta->rank / size[0] / size[1];
  memset(cta->smem, POISON, cta->smem_end + SMEM_SLACK);
  shadow_clear(&cta->shadow, cta->smem_end + SMEM_SLACK);
  free(cta->undefined);
  cta->undefined = NULL;
  cta->num_mbarriers = 0;
  cta->num_exited_warps = 0;
  cta->num_free_registers = 0;
  cta->num_remote_ops = 0;
  cta->wgmma_checked.warp = NULL;
  memset(cta->bulk_writers, 0, sizeof cta->bulk_writers);
  cta->has_seen_failed_cancel = false;
  if (cta->remote)
    memset(cta->remote, 0, cta->cluster->num_threads * sizeof *cta->remote);
  cta->smem_version++;
  for (uint32_t i = 0; i < cta->num_warps; i++)
    warp_reset(&cta->warps[i]);
}

void tile_emu_cluster_reset(TileCluster *cluster, uint32_t id) {
  const TileRun *run = cluster->run;
  const uint32_t *count = run->num_clusters;
  cluster->first_ctaid[0] = id % count[0] * run->cluster[0];
  cluster->first_ctaid[1] = id / count[0] % count[1] * run->cluster[1];
  cluster->first_ctaid[2] = id / count[0] / count[1] * run->cluster[2];
  // The state of the generator must not be zero.
  cluster->random_state = ((run->emu->options.seed * 0x9E3779B97F4A7C15ull) ^
                           ((uint64_t)(id + 1) * 0xD1B54A32D192ED03ull)) |
                          1ull << 63;
  for (uint32_t i = 0; i < 4; i++)
    tile_cluster_random(cluster);
  cluster->tick = cluster->version = 1;
  cluster->progress = 0;
  cluster->is_stopped = false;
  cluster->num_live_threads = cluster->num_threads;
  cluster->num_live_warps = cluster->num_ctas * run->warps_per_cta;
  cluster->num_warp_insns = cluster->num_lane_insns = 0;
  cluster->num_async_ops = 0;
  cluster->num_mbarrier_agents = 0;
  cluster->finding_memory.space = NULL;
  memset(cluster->reported, 0,
         run->kernel->num_insns * sizeof *cluster->reported);
  cluster->barrier = (TileClusterBarrier){0};
  agents_layout(run, &cluster->clocks);
  if (cluster->detect_races)
    tile_emu_clocks_init(&cluster->clocks, cluster->num_threads);
  for (uint32_t r = 0; r < cluster->num_ctas; r++)
    cta_reset(&cluster->ctas[r], cluster->first_ctaid);
  tile_emu_undefined_reset(cluster);
  tile_emu_recorder_reset(cluster->recorder, id);
}

void tile_emu_cluster_finish(TileCluster *cluster) {
  TileClocks *clocks = &cluster->clocks;
  for (uint32_t i = 0; i < cluster->num_async; i++)
    tile_emu_async_destroy(cluster->async_ops[i]);
  cluster->num_async = 0;
  for (uint32_t r = 0; r < cluster->num_ctas; r++) {
    TileCta *cta = &cluster->ctas[r];
    for (uint32_t i = 0; i < cta->num_mbarriers; i++) {
      tile_emu_sync_deinit(clocks, &cta->mbarriers[i].sync);
      tile_emu_phase_deinit(&cta->mbarriers[i]);
    }
    tile_emu_barriers_deinit(cta);
  }
  free(cluster->seen);
  cluster->seen = NULL;
  tile_emu_sync_deinit(clocks, &cluster->barrier.sync);
  tile_emu_read_sets_clear(cluster);
  tile_emu_clocks_deinit(cluster);
}
