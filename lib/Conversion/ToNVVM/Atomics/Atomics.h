//===- Atomics.h - Atomic updates of elements and of tiles ----------------===//
#ifndef TILE_CONVERSION_ATOMICS_H
#define TILE_CONVERSION_ATOMICS_H

#include "Conversion/ToNVVM/Memory/Memories.h"

//===-- Atomic updates (AtomicUpdates.c) ----------------------------------===//

/// What updates elements of a window of global or shared memory.
typedef struct Update Update;
struct Update {
  MlirOperation op; // code with branches is emitted before it
  const View *dst;
  TileAtomicKind kind;
  MlirType element;
  bool is_unsigned;  // max and min of integers
  bool is_load;      // nothing is updated
  MlirValue compare; // of an exchange: only of this element, as it is stored
  // What the instructions say, where the update is one of one element; fences
  // around it say the rest (order_begin).
  TileOrdering order;
  /// What follows the element `was`, both as they are stored; null: what `kind`
  /// says.
  MlirValue (*next)(Lowering *l, const Update *update, MlirValue was);
};

/// Who can see the memory that is updated, as LLVM names it; "" is the system.
static inline const char *update_scope(const Update *update) {
  const Memory *memory = update->dst->memory;
  if (memory->space == TILE_SPACE_GLOBAL)
    return update->order.is_system ? "" : "device";
  return memory->is_of_cluster ? "cluster" : "block";
}
/// Whether one instruction does what `update_fetch` (or, where no old value is
/// asked for, `update_run` of one element) does, so that it can have an order.
bool update_is_direct(const Lowering *l, const Update *update, bool has_old);

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
