//===- StatisticsTotals.c - Statistics of all launches of a kernel --------===//

#include "Emulator/Race/Race.h"
#include "Statistics.h"

#include <stdio.h>
#include <stdlib.h>

const char *tile_emu_wait_name(const TileRun *run, TileWaitKind kind,
                               uint32_t object, char out_name[200]) {
  TileCta cta = {0}; // names depend on the run only
  TileCluster cluster = {.run = (TileRun *)run};
  cta.cluster = &cluster;
  char name[200];
  switch (kind) {
  case TILE_WAIT_MBARRIER:
    if (object < TILE_SHARED_FIRST)
      snprintf(out_name, 200, "mbarrier 0x%x", object);
    else
      snprintf(out_name, 200, "mbarrier %.180s",
               tile_emu_shared_name(&cta, object, name));
    break;
  case TILE_WAIT_BARRIER:
    snprintf(out_name, 200, "barrier %u", object);
    break;
  case TILE_WAIT_CLUSTER:
    snprintf(out_name, 200, "cluster barrier");
    break;
  case TILE_WAIT_CP_ASYNC:
    snprintf(out_name, 200, "cp.async group at ptx:%u", object);
    break;
  case TILE_WAIT_WGMMA:
    snprintf(out_name, 200, "wgmma group at ptx:%u", object);
    break;
  default:
    snprintf(out_name, 200, "bulk group at ptx:%u", object);
    break;
  }
  return out_name;
}

/// The entry of the kernel, or a new one.
static TileKernelStatistics *entry_of(TileRun *run) {
  TileEmu *emu = run->emu;
  const TileKernel *kernel = run->kernel;
  for (uint32_t i = 0; i < emu->num_kernel_statistics; i++)
    if (!strcmp(emu->kernel_statistics[i].name, kernel->name) &&
        emu->kernel_statistics[i].statistics.num_insns == kernel->num_insns)
      return &emu->kernel_statistics[i];
  emu->kernel_statistics = tile_emu_realloc(emu->kernel_statistics,
                                            (emu->num_kernel_statistics + 1) *
                                                sizeof *emu->kernel_statistics);
  TileKernelStatistics *entry =
      &emu->kernel_statistics[emu->num_kernel_statistics++];
  *entry = (TileKernelStatistics){0};
  entry->name =
      tile_arena_strdup(&emu->names, kernel->name, strlen(kernel->name));
  entry->traits = tile_emu_traits_create(kernel);
  entry->lines = tile_emu_calloc(kernel->num_insns, sizeof *entry->lines);
  entry->opcodes = tile_emu_calloc(kernel->num_insns, sizeof *entry->opcodes);
  for (uint32_t i = 0; i < kernel->num_insns; i++) {
    const char *opcode = kernel->code[i].opcode;
    opcode = opcode ? opcode : "?";
    entry->lines[i] = kernel->code[i].line;
    entry->opcodes[i] = tile_arena_strdup(&emu->names, opcode, strlen(opcode));
  }
  tile_emu_statistics_init(&entry->statistics, kernel->num_insns);
  return entry;
}

void tile_emu_statistics_keep(TileRun *run, const TileStatistics *statistics) {
  TileKernelStatistics *entry = entry_of(run);
  uint32_t num_named = entry->statistics.num_waits;
  entry->num_launches++;
  tile_emu_statistics_add(&entry->statistics, statistics);
  uint32_t num_waits = entry->statistics.num_waits;
  entry->wait_names = tile_emu_realloc(entry->wait_names,
                                       num_waits * sizeof *entry->wait_names);
  for (uint32_t i = num_named; i < num_waits; i++) {
    const TileWaitCounts *wait = &entry->statistics.waits[i];
    char name[200];
    tile_emu_wait_name(run, wait->kind, wait->object, name);
    entry->wait_names[i] =
        tile_arena_strdup(&run->emu->names, name, strlen(name));
  }
}

void tile_emu_statistics_destroy(TileEmu *emu) {
  for (uint32_t i = 0; i < emu->num_kernel_statistics; i++) {
    TileKernelStatistics *entry = &emu->kernel_statistics[i];
    tile_emu_statistics_deinit(&entry->statistics);
    free(entry->traits);
    free(entry->lines);
    free((void *)entry->opcodes);
    free((void *)entry->wait_names);
  }
  free(emu->kernel_statistics);
}
