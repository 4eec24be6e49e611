//===- Atomics.h - Atomic updates of elements and of tiles ----------------===//
#ifndef TILE_CONVERSION_ATOMICS_H
#define TILE_CONVERSION_ATOMICS_H

#include "Conversion/ToNVVM/Memory/Memories.h"

//===-- Atomic updates (AtomicUpdates.c) ----------------------------------===//

/// What updates elements of a window of global or shared memory.
typedef struct {
  MlirOperation op; // code with branches is emitted before it
  const View *dst;
  TileAtomicKind kind;
  MlirType element;
  bool is_unsigned; // max and min of integers
} Update;

/// Elements that one instruction can update, at most `limit`: a power of two.
int64_t update_width(const Lowering *l, const Update *update, int64_t limit);
/// Updates `count` neighbours in the last dimension, as `dst` stores them, from
/// `pointer` on, where `predicate` (null: true) holds. `count` is a width of
/// the update, and `pointer` aligned to its bytes.
void update_run(Lowering *l, const Update *update, MlirValue pointer,
                const MlirValue *stored, int64_t count, MlirValue predicate);
/// Updates one element; returns what was there, as it is stored.
MlirValue update_fetch(Lowering *l, const Update *update, MlirValue pointer,
                       MlirValue stored);

// TmaAtomics.c
void update_by_tma(Lowering *l, TileAtomicOp atomic, const View *src,
                   const View *dst);

#endif // TILE_CONVERSION_ATOMICS_H
