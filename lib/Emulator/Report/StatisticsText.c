//===- StatisticsText.c - Statistics as tables ----------------------------===//

#include "StatisticsTable.h"

#include <stdlib.h>

typedef unsigned long long Number;

static void print_classes(const TileKernelStatistics *kernel,
                          TileBuffer *buffer) {
  TileInsnCounts sums[TILE_NUM_CLASSES] = {{0}};
  const TileStatistics *statistics = &kernel->statistics;
  for (uint32_t i = 0; i < statistics->num_insns; i++) {
    TileInsnCounts *sum = &sums[kernel->traits[i].class];
    sum->num_warps += statistics->insns[i].num_warps;
    sum->num_lanes += statistics->insns[i].num_lanes;
  }
  tile_emu_buffer_print(buffer, "  %-34s %14s %16s\n", "instructions", "warps",
                        "lanes");
  for (int class = 0; class < TILE_NUM_CLASSES; class++)
    if (sums[class].num_warps)
      tile_emu_buffer_print(buffer, "    %-32s %14llu %16llu\n",
                            tile_emu_class_name((TileInsnClass)class),
                            (Number)sums[class].num_warps,
                            (Number)sums[class].num_lanes);
}

const char *tile_emu_byte_count_name(TileByteCount count) {
  static const char *const names[TILE_NUM_BYTE_COUNTS] = {
      [TILE_BYTES_GLOBAL_READ] = "global read",
      [TILE_BYTES_GLOBAL_WRITTEN] = "global written",
      [TILE_BYTES_SHARED_READ] = "shared read by ld, ldmatrix",
      [TILE_BYTES_WGMMA_READ] = "shared read by wgmma",
      [TILE_BYTES_SHARED_WRITTEN] = "shared written by st, stmatrix",
      [TILE_BYTES_LOCAL] = "local read and written",
      [TILE_BYTES_ATOMIC] = "atomics",
      [TILE_BYTES_BULK_LOADED] = "TMA and bulk, into shared",
      [TILE_BYTES_BULK_STORED] = "TMA and bulk, from shared",
      [TILE_BYTES_CP_ASYNC] = "cp.async, into shared",
  };
  return names[count];
}

const char *tile_emu_async_kind_name(TileAsyncKind kind) {
  switch (kind) {
  case TILE_ASYNC_LOAD:
    return "TMA and bulk loads";
  case TILE_ASYNC_STORE:
    return "TMA and bulk stores";
  case TILE_ASYNC_CP_ASYNC:
    return "cp.async of a warp";
  case TILE_ASYNC_CP_ASYNC_ARRIVE:
    return "cp.async arrivals";
  case TILE_ASYNC_WGMMA:
    return "wgmma of a warp";
  case TILE_ASYNC_REMOTE:
    return "copies and stores between CTAs";
  default:
    return "others";
  }
}

static void print_bytes(const TileStatistics *statistics, TileBuffer *buffer) {
  bool any = false;
  for (int i = 0; i < TILE_NUM_BYTE_COUNTS; i++) {
    if (!statistics->bytes[i])
      continue;
    if (!any)
      tile_emu_buffer_print(buffer, "  bytes\n");
    any = true;
    tile_emu_buffer_print(buffer, "    %-32s %14llu\n",
                          tile_emu_byte_count_name((TileByteCount)i),
                          (Number)statistics->bytes[i]);
  }
}

static void print_async(const TileStatistics *statistics, TileBuffer *buffer) {
  bool any = false;
  for (int i = 0; i < TILE_NUM_ASYNC_KINDS; i++) {
    if (!statistics->num_async[i])
      continue;
    if (!any)
      tile_emu_buffer_print(buffer, "  asynchronous operations\n");
    any = true;
    tile_emu_buffer_print(buffer, "    %-32s %14llu\n",
                          tile_emu_async_kind_name((TileAsyncKind)i),
                          (Number)statistics->num_async[i]);
  }
}

static void print_products(const TileKernelStatistics *kernel,
                           TileBuffer *buffer) {
  uint32_t count;
  TileProductTotal *totals = tile_emu_product_totals(kernel, &count);
  for (uint32_t i = 0; i < count; i++) {
    if (i == 0)
      tile_emu_buffer_print(buffer, "  %-34s %14s %16s\n", "matrix products",
                            "warps", "multiply-adds");
    tile_emu_buffer_print(buffer, "    %-32s %14llu %16llu\n", totals[i].type,
                          (Number)totals[i].num_warps, (Number)totals[i].macs);
  }
  free(totals);
}

static void print_banks(const TileKernelStatistics *kernel,
                        TileBuffer *buffer) {
  enum { MAX_ROWS = 20 };
  uint32_t count;
  uint32_t *order = tile_emu_bank_order(kernel, &count);
  if (count)
    tile_emu_buffer_print(buffer, "  %-34s %14s %12s %12s %6s\n",
                          "shared memory, by conflicts", "accesses",
                          "wavefronts", "ideal", "ratio");
  for (uint32_t i = 0; i < count && i < MAX_ROWS; i++) {
    const TileInsnCounts *insn = &kernel->statistics.insns[order[i]];
    double ratio = insn->num_ideal
                       ? (double)insn->num_wavefronts / (double)insn->num_ideal
                       : 1.0;
    tile_emu_buffer_print(
        buffer, "    ptx:%-6u %-21.40s %14llu %12llu %12llu %6.2f\n",
        kernel->lines[order[i]], kernel->opcodes[order[i]],
        (Number)insn->num_accesses, (Number)insn->num_wavefronts,
        (Number)insn->num_ideal, ratio);
  }
  if (count > MAX_ROWS)
    tile_emu_buffer_print(buffer, "    and %u more\n", count - MAX_ROWS);
  free(order);
}

static void print_waits(const TileKernelStatistics *kernel,
                        TileBuffer *buffer) {
  enum { MAX_ROWS = 40 };
  uint32_t count;
  uint32_t *order = tile_emu_wait_order(kernel, &count);
  if (count)
    tile_emu_buffer_print(buffer, "  %-34s %14s %12s %12s\n",
                          "waits of warps, by ticks waited", "waits",
                          "incomplete", "ticks");
  for (uint32_t i = 0; i < count && i < MAX_ROWS; i++) {
    const TileWaitCounts *wait = &kernel->statistics.waits[order[i]];
    tile_emu_buffer_print(buffer, "    %-32.60s %14llu %12llu %12llu\n",
                          kernel->wait_names[order[i]], (Number)wait->num_waits,
                          (Number)wait->num_incomplete,
                          (Number)wait->num_ticks);
  }
  if (count > MAX_ROWS)
    tile_emu_buffer_print(buffer, "    and %u more\n", count - MAX_ROWS);
  free(order);
}

const char *tile_emu_statistics_text(TileEmu *emu) {
  tile_emu_buffer_deinit(&emu->statistics_text);
  TileBuffer *buffer = &emu->statistics_text;
  tile_emu_buffer_print(buffer, "%s", "");
  for (uint32_t i = 0; i < emu->num_kernel_statistics; i++) {
    const TileKernelStatistics *kernel = &emu->kernel_statistics[i];
    tile_emu_buffer_print(buffer, "statistics of %s, %llu launch%s\n",
                          kernel->name, (Number)kernel->num_launches,
                          kernel->num_launches == 1 ? "" : "es");
    print_classes(kernel, buffer);
    print_products(kernel, buffer);
    print_bytes(&kernel->statistics, buffer);
    print_async(&kernel->statistics, buffer);
    print_banks(kernel, buffer);
    print_waits(kernel, buffer);
  }
  return buffer->text;
}
