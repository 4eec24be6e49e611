//===- StatisticsTable.h - Rows of statistics in the order to show --------===//
#ifndef TILE_EMULATOR_STATISTICS_TABLE_H
#define TILE_EMULATOR_STATISTICS_TABLE_H

#include "Statistics.h"

/// Matrix products of one type.
typedef struct {
  char type[40]; // "f32.bf16.bf16"
  uint64_t num_warps, macs;
} TileProductTotal;

/// By multiply-adds, most first. free().
TileProductTotal *tile_emu_product_totals(const TileKernelStatistics *kernel,
                                          uint32_t *out_count);
/// Instructions that accessed shared memory, by wavefronts beyond the ideal,
/// most first, then by line. free().
uint32_t *tile_emu_bank_order(const TileKernelStatistics *kernel,
                              uint32_t *out_count);
/// Waits, by ticks, most first, then by name. free().
uint32_t *tile_emu_wait_order(const TileKernelStatistics *kernel,
                              uint32_t *out_count);

const char *tile_emu_byte_count_name(TileByteCount count);
const char *tile_emu_async_kind_name(TileAsyncKind kind);

#endif // TILE_EMULATOR_STATISTICS_TABLE_H
