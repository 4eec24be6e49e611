//===- RaceReport.c - Explains a race in words ----------------------------===//

#include "DeadRead.h"

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

const char *tile_emu_agent_name(const TileCluster *cluster, TileEpoch epoch,
                                char out_name[100]) {
  const TileClocks *clocks = &cluster->clocks;
  bool is_test;
  if (tile_epoch_is_atomic(clocks, epoch))
    epoch = tile_epoch_of_thread(clocks, epoch, &is_test);
  uint32_t agent = tile_epoch_agent(epoch), tick = tile_epoch_tick(epoch);
  uint32_t per_cta = cluster->threads_per_cta;
  if (agent < cluster->num_threads) {
    if (cluster->num_ctas > 1)
      snprintf(out_name, 100, "thread %u of CTA rank %u", agent % per_cta,
               agent / per_cta);
    else
      snprintf(out_name, 100, "thread %u", agent);
  } else if (clocks->first_cp_async && agent < clocks->first_wgmma) {
    snprintf(out_name, 100, "cp.async by thread %u (batch %u)",
             (agent - clocks->first_cp_async) % per_cta, tick - 1);
  } else if (agent >= clocks->first_mbarrier) {
    snprintf(out_name, 100, "TMA/bulk copy (mbarrier #%u, phase %u)",
             agent - clocks->first_mbarrier, tick - 1);
  } else if (clocks->first_bulk && agent >= clocks->first_bulk_write) {
    uint32_t index = agent - clocks->first_bulk_write;
    const TileCta *cta = &cluster->ctas[index / TILE_BULK_WRITERS];
    uint32_t thread = cta->bulk_writers[index % TILE_BULK_WRITERS] - 1;
    snprintf(out_name, 100, "bulk store by thread %u (group %u)",
             thread % per_cta, tick - 1);
  } else if (clocks->first_bulk && agent >= clocks->first_bulk) {
    snprintf(out_name, 100, "bulk store by thread %u (group %u)",
             (agent - clocks->first_bulk) % per_cta, tick - 1);
  } else if (agent >= clocks->first_warpgroup) {
    snprintf(out_name, 100, "wgmma #%u of warpgroup %u", tick - 1,
             (agent - clocks->first_warpgroup) % clocks->num_warpgroups);
  } else {
    snprintf(out_name, 100, "wgmma #%u of warp %u", tick - 1,
             (agent - clocks->first_wgmma) %
                 (clocks->num_warpgroups * TILE_WARPGROUP_WARPS));
  }
  return out_name;
}

bool tile_emu_race_report(TileCta *cta, uint32_t offset,
                          const TileAccess *access, bool is_write,
                          const TileEarlier *earlier, TileFindingKind kind) {
  TileLanes lane = tile_lane_bit(access->lane);
  if (!tile_emu_find_is_new(access->warp, access->insn, lane, kind))
    return true;
  const TileRun *run = cta->cluster->run;
  const TileInsn *insn = &run->kernel->code[earlier->insn];
  char name[200], agent[100], where[256], text[1000];
  tile_emu_shared_name(cta, offset, name);
  tile_emu_agent_name(cta->cluster, earlier->epoch, agent);
  tile_emu_insn_where(run->module, insn, where);
  bool was_atomic = tile_epoch_is_atomic(&cta->cluster->clocks, earlier->epoch);
  const char *verb = access->is_atomic && !access->is_bulk && is_write
                         ? "atomic update"
                     : is_write ? "write"
                                : "read";
  if (kind == TILE_FINDING_PROXY || kind == TILE_FINDING_PROXY_PEDANTIC)
    snprintf(text, sizeof text,
             "%s%s of %s (shared 0x%x) through the async proxy comes after the "
             "generic-proxy write by %s at %s, but no proxy fence lies between "
             "them",
             access->what, verb, name, offset, agent, where);
  else
    snprintf(text, sizeof text,
             "%s%s of %s (shared 0x%x) is not ordered after the %s by %s at %s",
             access->what, verb, name, offset,
             kind == TILE_FINDING_RACE_OVERLAP ? "overlapping write"
             : was_atomic                      ? "atomic update"
             : earlier->is_write               ? "write"
                                               : "read",
             agent, where);
  TileRace race = {access->warp,           access->insn, lane, kind,
                   {"shared", offset, ""}, insn,         text};
  snprintf(race.memory.name, sizeof race.memory.name, "%s", name);
  bool was_read = is_write && !earlier->is_write && !was_atomic;
  bool is_deferred =
      is_write ? was_read && tile_emu_race_defer_write(&race, earlier->epoch,
                                                       cta->smem + offset)
               : !access->is_bulk && tile_emu_race_defer_read(&race);
  if (!is_deferred)
    tile_emu_race_find(&race);
  return !is_deferred;
}
