//===- StatisticsTable.c - Rows of statistics in the order to show --------===//

#include "StatisticsTable.h"

#include <stdio.h>

/// True when row `x` comes after row `y`.
typedef bool (*IsAfter)(const TileKernelStatistics *kernel, uint32_t x,
                        uint32_t y);

/// Insertion is quick enough for the rows of a kernel, and stable.
static void sort(const TileKernelStatistics *kernel, uint32_t *order,
                 uint32_t count, IsAfter is_after) {
  for (uint32_t i = 1; i < count; i++) {
    uint32_t row = order[i], at = i;
    for (; at && is_after(kernel, order[at - 1], row); at--)
      order[at] = order[at - 1];
    order[at] = row;
  }
}

//===-- Products ----------------------------------------------------------===//

TileProductTotal *tile_emu_product_totals(const TileKernelStatistics *kernel,
                                          uint32_t *out_count) {
  const TileStatistics *statistics = &kernel->statistics;
  TileProductTotal *totals =
      tile_emu_calloc(statistics->num_insns, sizeof *totals);
  uint32_t count = 0;
  for (uint32_t i = 0; i < statistics->num_insns; i++) {
    const TileInsnTraits *traits = &kernel->traits[i];
    uint64_t num_warps = statistics->insns[i].num_warps;
    if (traits->unit != TILE_UNIT_PRODUCT || !num_warps)
      continue;
    uint32_t at = 0;
    while (at < count && strcmp(totals[at].type, traits->type) != 0)
      at++;
    if (at == count)
      memcpy(totals[count++].type, traits->type, sizeof traits->type);
    totals[at].num_warps += num_warps;
    totals[at].macs += num_warps * traits->macs;
  }
  for (uint32_t i = 1; i < count; i++) {
    TileProductTotal total = totals[i];
    uint32_t at = i;
    for (; at && totals[at - 1].macs < total.macs; at--)
      totals[at] = totals[at - 1];
    totals[at] = total;
  }
  *out_count = count;
  return totals;
}

//===-- Shared memory -----------------------------------------------------===//

static uint64_t excess(const TileKernelStatistics *kernel, uint32_t row) {
  const TileInsnCounts *counts = &kernel->statistics.insns[row];
  return counts->num_wavefronts - counts->num_ideal;
}

static bool has_fewer_conflicts(const TileKernelStatistics *kernel, uint32_t x,
                                uint32_t y) {
  return excess(kernel, x) < excess(kernel, y);
}

uint32_t *tile_emu_bank_order(const TileKernelStatistics *kernel,
                              uint32_t *out_count) {
  const TileStatistics *statistics = &kernel->statistics;
  uint32_t *order = tile_emu_calloc(statistics->num_insns, sizeof *order);
  *out_count = 0;
  for (uint32_t i = 0; i < statistics->num_insns; i++)
    if (statistics->insns[i].num_accesses)
      order[(*out_count)++] = i;
  sort(kernel, order, *out_count, has_fewer_conflicts);
  return order;
}

//===-- Waits -------------------------------------------------------------===//

static bool waits_less(const TileKernelStatistics *kernel, uint32_t x,
                       uint32_t y) {
  const TileWaitCounts *waits = kernel->statistics.waits;
  if (waits[x].num_ticks != waits[y].num_ticks)
    return waits[x].num_ticks < waits[y].num_ticks;
  if (waits[x].kind != waits[y].kind)
    return waits[x].kind > waits[y].kind;
  return waits[x].object > waits[y].object;
}

uint32_t *tile_emu_wait_order(const TileKernelStatistics *kernel,
                              uint32_t *out_count) {
  *out_count = kernel->statistics.num_waits;
  uint32_t *order = tile_emu_calloc(*out_count, sizeof *order);
  for (uint32_t i = 0; i < *out_count; i++)
    order[i] = i;
  sort(kernel, order, *out_count, waits_less);
  return order;
}
