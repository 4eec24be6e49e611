//===- SharedPlacement.c - Where shared buffers lie -----------------------===//
//
// Buffers that live at the same time have bytes of their own: each lies at the
// lowest offset that is left, the strictest alignment first.
//
//===----------------------------------------------------------------------===//

#include "Memory.h"

//===-- Who may lie on whom -----------------------------------------------===//

bool tile_shared_follows_ring(const TileSharedBuffer *buffer,
                              const TileSharedBuffer *ring) {
  return ring->is_ring && !mlirValueIsNull(ring->full) &&
         !mlirOperationIsNull(ring->reader) && !ring->has_other_uses &&
         !buffer->is_ring && !buffer->is_barrier && !buffer->is_throughout &&
         mlirOperationEqual(buffer->role, ring->reader) &&
         buffer->first > ring->last_read;
}

bool tile_shared_lifetimes_overlap(const TileSharedBuffer *a,
                                   const TileSharedBuffer *b) {
  if ((a->is_drained && tile_shared_follows_ring(b, a)) ||
      (b->is_drained && tile_shared_follows_ring(a, b)))
    return false;
  bool are_in_roles =
      !mlirOperationIsNull(a->role) && !mlirOperationIsNull(b->role);
  if (are_in_roles && !mlirOperationEqual(a->role, b->role))
    return true;
  return a->first <= b->last && b->first <= a->last;
}

bool tile_shared_bytes_overlap(const TileSharedBuffer *a,
                               const TileSharedBuffer *b) {
  if (mlirOperationEqual(a->op, b->op))
    return true;
  if (a->offset_bytes < 0 || b->offset_bytes < 0)
    return !tile_shared_lifetimes_overlap(a, b);
  return a->offset_bytes < b->offset_bytes + b->size_bytes &&
         b->offset_bytes < a->offset_bytes + a->size_bytes;
}

//===-- Offsets -----------------------------------------------------------===//

// Puts `buffer` at the lowest aligned offset where it meets no placed buffer
// that lives at the same time. Ends after at most one step per placed buffer.
static void first_fit(TileSharedBuffer *const *placed, size_t num_placed,
                      TileSharedBuffer *buffer) {
  buffer->offset_bytes = 0;
  for (bool moved = true; moved;) {
    moved = false;
    for (size_t i = 0; i < num_placed; i++) {
      const TileSharedBuffer *other = placed[i];
      if (!tile_shared_lifetimes_overlap(buffer, other) ||
          !tile_shared_bytes_overlap(buffer, other))
        continue;
      int64_t end = other->offset_bytes + other->size_bytes;
      buffer->offset_bytes = (end + buffer->align_bytes - 1) /
                             buffer->align_bytes * buffer->align_bytes;
      moved = true;
    }
  }
}

// Strictest alignment first keeps padding out; program order breaks ties.
static void sort_by_alignment(TileSharedBuffer **order, size_t count) {
  for (size_t i = 1; i < count; i++) {
    TileSharedBuffer *item = order[i];
    size_t j = i;
    for (; j > 0 && order[j - 1]->align_bytes < item->align_bytes; j--)
      order[j] = order[j - 1];
    order[j] = item;
  }
}

void tile_shared_memory_place(TileArena *arena, TileSharedMemory *memory) {
  size_t count = memory->num_buffers;
  TileSharedBuffer **order = TILE_ARENA_NEW(arena, TileSharedBuffer *, count);
  for (size_t i = 0; i < count; i++)
    order[i] = &memory->buffers[i];
  sort_by_alignment(order, count);
  memory->total_bytes = 0;
  for (size_t i = 0; i < count; i++) {
    first_fit(order, i, order[i]);
    int64_t end = order[i]->offset_bytes + order[i]->size_bytes;
    if (end > memory->total_bytes)
      memory->total_bytes = end;
  }
}
