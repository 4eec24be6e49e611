//===- AsyncCopy.c - Moves the bytes of asynchronous copies ---------------===//

#include "Async.h"
#include "Emulator/Memory/Address.h"

#include <stdlib.h>

enum { UNIT_BYTES = 16 }; // of swizzling
#define TF32_NAN 0x7fffe000u

//===-- Global to shared --------------------------------------------------===//

static void copy_bytes(const TileAsyncOp *op, const TileAsyncRow *row,
                       uint8_t *to, uint32_t first, uint32_t count) {
  uint8_t pattern[4];
  memcpy(pattern, &op->fill_pattern, sizeof pattern);
  for (uint32_t i = first; i < first + count; i++)
    to[i - first] = i >= row->first && i < row->end
                        ? row->global[i - row->first]
                        : pattern[i % 4];
}

/// Rounds what a row brought, to nearest even, as loads of TF32 maps do.
static void round_tf32(const TileAsyncOp *op, const TileAsyncRow *row,
                       TileCta *cta) {
  for (uint32_t at = row->first; at < row->end; at += 4) {
    uint8_t *to = cta->smem + tile_swizzle(row->shared + at, op->swizzle);
    uint32_t bits;
    memcpy(&bits, to, sizeof bits);
    bool is_nan = (bits & 0x7fffffff) > 0x7f800000;
    bits = is_nan ? TF32_NAN : (bits + 0xfff + (bits >> 13 & 1)) & ~0x1fffu;
    memcpy(to, &bits, sizeof bits);
  }
}

static void copy_in(const TileAsyncOp *op, const TileAsyncRow *row,
                    TileCta *cta) {
  uint8_t *smem = cta->smem;
  cta->smem_version++;
  bool is_whole = row->first == 0 && row->end == row->size_bytes;
  if (!op->swizzle) {
    if (is_whole)
      memcpy(smem + row->shared, row->global, row->size_bytes);
    else
      copy_bytes(op, row, smem + row->shared, 0, row->size_bytes);
    return;
  }
  for (uint32_t at = 0; at < row->size_bytes; at += UNIT_BYTES) {
    uint8_t *to = smem + tile_swizzle(row->shared + at, op->swizzle);
    if (at >= row->first && at + UNIT_BYTES <= row->end)
      memcpy(to, row->global + (at - row->first), UNIT_BYTES);
    else
      copy_bytes(op, row, to, at, UNIT_BYTES);
  }
}

void tile_emu_copy_in(const TileAsyncOp *op, const TileAsyncRow *row,
                      TileCta *cta) {
  copy_in(op, row, cta);
  if (TILE_UNLIKELY(op->is_tf32))
    round_tf32(op, row, cta);
}

//===-- Shared to global --------------------------------------------------===//

void tile_emu_store_read(TileAsyncOp *op) {
  const uint8_t *smem = op->cta->smem;
  uint8_t *to = op->as.store.staged = tile_emu_malloc(op->size_bytes);
  for (uint32_t r = 0; r < op->num_rows; r++) {
    const TileAsyncRow *row = &op->rows[r];
    if (!op->swizzle)
      memcpy(to, smem + row->shared, row->size_bytes);
    else
      for (uint32_t at = 0; at < row->size_bytes; at += UNIT_BYTES)
        memcpy(to + at, smem + tile_swizzle(row->shared + at, op->swizzle),
               UNIT_BYTES);
    to += row->size_bytes;
  }
}

static uint64_t flush(const TileAsyncOp *op, uint64_t bits) {
  bool is_denormal = (bits & 0x7f800000) == 0;
  return op->as.store.flushes_denormals && is_denormal ? 0 : bits;
}

static void reduce_row(const TileAsyncOp *op, const TileAsyncRow *row,
                       const uint8_t *from) {
  TilePtxType type = (TilePtxType)op->as.store.type;
  TileAtomicOp reduction = (TileAtomicOp)(op->as.store.reduction - 1);
  uint32_t elem_bytes = tile_emu_type_bytes(type);
  for (uint32_t at = row->first; at + elem_bytes <= row->end;
       at += elem_bytes) {
    uint8_t *to = row->global + (at - row->first);
    uint64_t old = 0, operand = 0;
    memcpy(&old, to, elem_bytes);
    memcpy(&operand, from + at, elem_bytes);
    uint64_t result = tile_emu_atomic_apply(reduction, type, flush(op, old),
                                            flush(op, operand), 0);
    result = flush(op, result);
    memcpy(to, &result, elem_bytes);
  }
}

static void write_row(const TileAsyncRow *row, const uint8_t *from) {
  memcpy(row->global, from + row->first, row->end - row->first);
}

void tile_emu_store_write(TileAsyncOp *op) {
  pthread_mutex_t *lock = &op->warp->cluster->emu->atomics;
  bool is_reduction = op->as.store.reduction != 0;
  const uint8_t *from = op->as.store.staged;
  if (is_reduction)
    pthread_mutex_lock(lock);
  for (uint32_t r = 0; r < op->num_rows; r++) {
    const TileAsyncRow *row = &op->rows[r];
    if (row->end > row->first) {
      if (is_reduction)
        reduce_row(op, row, from);
      else
        write_row(row, from);
    }
    from += row->size_bytes;
  }
  if (is_reduction)
    pthread_mutex_unlock(lock);
}
