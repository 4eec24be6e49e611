//===- SyncBytes.c - Which thread touches which byte ----------------------===//
//
// Tiles that share a place in shared memory have elements of their own. Where
// both windows are at constant offsets, their layouts tell the bytes.
//
//===----------------------------------------------------------------------===//

#include "SyncFlow.h"

#include "Tile/Dialect/TileLayouts.h"

enum { NOBODY = UINT16_MAX };

/// The bytes of a window, element by element.
typedef struct {
  const SyncPlace *place;
  TileLayout layout; // coordinates to elements of memory
  int64_t first_byte, elem_bytes;
  int64_t offset[SYNC_MAX_DIMS];
} Bytes;

static bool bytes_of(const Flow *flow, size_t number, Bytes *out) {
  const SyncPlace *place = &flow->places[number];
  TileLayoutError error;
  TileShape shape;
  if (!place->threads || !place->threads->thread || place->rank == 0 ||
      !sync_place_is_shared(flow, number) ||
      !tile_shape_of(place->base, &shape) || shape.rank != place->rank ||
      !tile_layout_of_tile(place->base, &out->layout, &error) ||
      out->layout.in.num_axes != place->rank || out->layout.out.num_axes != 1)
    return false;
  out->place = place;
  out->first_byte = flow->shared->buffers[place->buffer].offset_bytes;
  out->elem_bytes = tile_elem_bits(shape.element) / 8;
  for (int d = 0; d < place->rank; d++) {
    const SyncSum *offset = &place->dims[d].offset;
    if (offset->num_terms || offset->modulus)
      return false;
    out->offset[d] = offset->constant;
  }
  return out->first_byte >= 0 && out->elem_bytes > 0;
}

// The first byte of an element of the window, in shared memory.
static int64_t byte_of(const Bytes *bytes, int64_t element) {
  int64_t at[TILE_LAYOUT_MAX_AXES] = {0}, position[TILE_LAYOUT_MAX_AXES];
  for (int d = bytes->place->rank - 1; d >= 0; d--) {
    at[d] = bytes->offset[d] + element % bytes->place->dims[d].size;
    element /= bytes->place->dims[d].size;
  }
  return tile_layout_eval(&bytes->layout, at, position)
             ? bytes->first_byte + position[0] * bytes->elem_bytes
             : -1;
}

bool sync_bytes_are_same(const Flow *flow, size_t now, size_t then) {
  Bytes a, b;
  if (!bytes_of(flow, now, &a) || !bytes_of(flow, then, &b))
    return false;
  int64_t size = flow->shared->buffers[a.place->buffer].size_bytes;
  uint16_t *owner = TILE_ARENA_NEW(flow->arena, uint16_t, size + 1);
  memset(owner, 0xff, (size_t)size * sizeof *owner);
  for (int64_t e = 0; e < a.place->threads->num_elems; e++) {
    int64_t first = byte_of(&a, e) - a.first_byte;
    if (first < 0 || first + a.elem_bytes > size)
      return false;
    for (int64_t i = 0; i < a.elem_bytes; i++)
      owner[first + i] = a.place->threads->thread[e];
  }
  for (int64_t e = 0; e < b.place->threads->num_elems; e++) {
    int64_t byte = byte_of(&b, e);
    if (byte < 0)
      return false;
    for (int64_t i = byte - a.first_byte;
         i < byte - a.first_byte + b.elem_bytes; i++)
      if (i >= 0 && i < size && owner[i] != NOBODY &&
          owner[i] != b.place->threads->thread[e])
        return false;
  }
  return true;
}
