//===- StatisticsJson.c - Statistics as JSON ------------------------------===//

#include "JsonWriter.h"
#include "StatisticsTable.h"

#include <stdlib.h>

static void write_classes(TileJson *json, const TileKernelStatistics *kernel) {
  uint64_t num_warps[TILE_NUM_CLASSES] = {0}, num_lanes[TILE_NUM_CLASSES] = {0};
  const TileStatistics *statistics = &kernel->statistics;
  for (uint32_t i = 0; i < statistics->num_insns; i++) {
    num_warps[kernel->traits[i].class] += statistics->insns[i].num_warps;
    num_lanes[kernel->traits[i].class] += statistics->insns[i].num_lanes;
  }
  tile_emu_json_open(json, "instructions", '[');
  for (int class = 0; class < TILE_NUM_CLASSES; class++) {
    if (!num_warps[class])
      continue;
    tile_emu_json_open(json, NULL, '{');
    tile_emu_json_string(json, "class",
                         tile_emu_class_name((TileInsnClass)class));
    tile_emu_json_number(json, "warps", num_warps[class]);
    tile_emu_json_number(json, "lanes", num_lanes[class]);
    tile_emu_json_close(json, '}');
  }
  tile_emu_json_close(json, ']');
}

static void write_sums(TileJson *json, const TileStatistics *statistics) {
  tile_emu_json_open(json, "bytes", '{');
  for (int i = 0; i < TILE_NUM_BYTE_COUNTS; i++)
    tile_emu_json_number(json, tile_emu_byte_count_name((TileByteCount)i),
                         statistics->bytes[i]);
  tile_emu_json_close(json, '}');
  tile_emu_json_open(json, "asynchronous_operations", '{');
  for (int i = 0; i < TILE_NUM_ASYNC_KINDS; i++)
    tile_emu_json_number(json, tile_emu_async_kind_name((TileAsyncKind)i),
                         statistics->num_async[i]);
  tile_emu_json_close(json, '}');
}

static void write_products(TileJson *json, const TileKernelStatistics *kernel) {
  uint32_t count;
  TileProductTotal *totals = tile_emu_product_totals(kernel, &count);
  tile_emu_json_open(json, "matrix_products", '[');
  for (uint32_t i = 0; i < count; i++) {
    tile_emu_json_open(json, NULL, '{');
    tile_emu_json_string(json, "type", totals[i].type);
    tile_emu_json_number(json, "warps", totals[i].num_warps);
    tile_emu_json_number(json, "multiply_adds", totals[i].macs);
    tile_emu_json_close(json, '}');
  }
  tile_emu_json_close(json, ']');
  free(totals);
}

static void write_banks(TileJson *json, const TileKernelStatistics *kernel) {
  uint32_t count;
  uint32_t *order = tile_emu_bank_order(kernel, &count);
  tile_emu_json_open(json, "shared_memory", '[');
  for (uint32_t i = 0; i < count; i++) {
    const TileInsnCounts *insn = &kernel->statistics.insns[order[i]];
    tile_emu_json_open(json, NULL, '{');
    tile_emu_json_number(json, "ptx_line", kernel->lines[order[i]]);
    tile_emu_json_string(json, "opcode", kernel->opcodes[order[i]]);
    tile_emu_json_number(json, "accesses", insn->num_accesses);
    tile_emu_json_number(json, "wavefronts", insn->num_wavefronts);
    tile_emu_json_number(json, "ideal_wavefronts", insn->num_ideal);
    tile_emu_json_close(json, '}');
  }
  tile_emu_json_close(json, ']');
  free(order);
}

static void write_waits(TileJson *json, const TileKernelStatistics *kernel) {
  uint32_t count;
  uint32_t *order = tile_emu_wait_order(kernel, &count);
  tile_emu_json_open(json, "waits", '[');
  for (uint32_t i = 0; i < count; i++) {
    const TileWaitCounts *wait = &kernel->statistics.waits[order[i]];
    tile_emu_json_open(json, NULL, '{');
    tile_emu_json_string(json, "for", kernel->wait_names[order[i]]);
    tile_emu_json_number(json, "waits", wait->num_waits);
    tile_emu_json_number(json, "incomplete", wait->num_incomplete);
    tile_emu_json_number(json, "ticks", wait->num_ticks);
    tile_emu_json_close(json, '}');
  }
  tile_emu_json_close(json, ']');
  free(order);
}

void tile_emu_statistics_json(const TileEmu *emu, struct TileJson *json) {
  tile_emu_json_open(json, "kernels", '[');
  for (uint32_t i = 0; i < emu->num_kernel_statistics; i++) {
    const TileKernelStatistics *kernel = &emu->kernel_statistics[i];
    tile_emu_json_open(json, NULL, '{');
    tile_emu_json_string(json, "name", kernel->name);
    tile_emu_json_number(json, "launches", kernel->num_launches);
    write_classes(json, kernel);
    write_products(json, kernel);
    write_sums(json, &kernel->statistics);
    write_banks(json, kernel);
    write_waits(json, kernel);
    tile_emu_json_close(json, '}');
  }
  tile_emu_json_close(json, ']');
}
