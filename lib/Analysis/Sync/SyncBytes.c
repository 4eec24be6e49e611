//===- SyncBytes.c - Which thread touches which byte ----------------------===//
//
// Tiles that share a place in shared memory have elements of their own; their
// layouts tell the bytes. A window at an offset that is not a constant, such as
// a slot of a ring, is taken to be at any that it may have.
//
//===----------------------------------------------------------------------===//

#include "SyncFlow.h"

#include "Dialect/TileLayouts.h"

enum { MAX_WINDOWS = 64 };

/// The bytes of a window, element by element.
typedef struct {
  const SyncPlace *place;
  TileLayout layout; // coordinates to elements of memory
  int64_t first_byte, elem_bytes;
  // Offsets that it may have: so many, from the first on.
  int64_t first[SYNC_MAX_DIMS], count[SYNC_MAX_DIMS], num_windows;
} Bytes;

/// The thread of each byte of a buffer.
typedef struct {
  uint16_t *thread;
  int64_t first_byte, size_bytes;
  bool are_others_left_out; // bytes that have nobody yet stay so
} Owners;

static bool offsets_of(const SyncPlace *place, const TileShape *shape,
                       Bytes *out) {
  out->num_windows = 1;
  for (int d = 0; d < place->rank; d++) {
    const TileIndex *offset = place->dims[d].offset;
    bool is_constant = !offset->num_terms && !offset->modulus;
    out->first[d] = is_constant ? offset->constant : 0;
    out->count[d] =
        is_constant ? 1 : shape->extent[d] - place->dims[d].size + 1;
    if (out->count[d] < 1 || out->count[d] > MAX_WINDOWS)
      return false;
    out->num_windows *= out->count[d];
    if (out->num_windows > MAX_WINDOWS)
      return false;
  }
  return true;
}

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
  return offsets_of(place, &shape, out) && out->first_byte >= 0 &&
         out->elem_bytes > 0;
}

// The first byte of an element of a window, in shared memory; or -1.
static int64_t byte_of(const Bytes *bytes, int64_t window, int64_t element) {
  int64_t at[TILE_LAYOUT_MAX_AXES] = {0}, position[TILE_LAYOUT_MAX_AXES];
  for (int d = bytes->place->rank - 1; d >= 0; d--) {
    int64_t size = bytes->place->dims[d].size;
    at[d] = bytes->first[d] + window % bytes->count[d] + element % size;
    window /= bytes->count[d];
    element /= size;
  }
  return tile_layout_eval(&bytes->layout, at, position)
             ? bytes->first_byte + position[0] * bytes->elem_bytes
             : -1;
}

// False when a byte is another thread's.
static bool own(const Owners *owners, int64_t first_byte, int64_t num_bytes,
                uint16_t thread) {
  for (int64_t i = first_byte - owners->first_byte;
       i < first_byte - owners->first_byte + num_bytes; i++) {
    if (i < 0 || i >= owners->size_bytes)
      continue;
    bool is_free = owners->thread[i] == SYNC_NOBODY;
    if (!is_free && owners->thread[i] != thread)
      return false;
    if (is_free && !owners->are_others_left_out)
      owners->thread[i] = thread;
  }
  return true;
}

static bool own_all(const Owners *owners, const Bytes *bytes) {
  const SyncThreads *threads = bytes->place->threads;
  for (int64_t w = 0; w < bytes->num_windows; w++)
    for (int64_t e = 0; e < threads->num_elems; e++) {
      int64_t byte = byte_of(bytes, w, e);
      if (byte < 0 || threads->thread[e] == SYNC_NOBODY ||
          !own(owners, byte, bytes->elem_bytes, threads->thread[e]))
        return false;
    }
  return true;
}

bool sync_bytes_are_same(const Flow *flow, size_t now, size_t then) {
  Bytes a, b;
  if (!bytes_of(flow, now, &a) || !bytes_of(flow, then, &b))
    return false;
  TileArena scratch; // of a whole buffer, and there are many pairs
  tile_arena_init(&scratch);
  int64_t size = flow->shared->buffers[a.place->buffer].size_bytes;
  Owners owners = {TILE_ARENA_NEW(&scratch, uint16_t, size + 1), a.first_byte,
                   size, false};
  memset(owners.thread, 0xff, (size_t)size * sizeof *owners.thread);
  bool are_same = own_all(&owners, &a);
  owners.are_others_left_out = true;
  are_same = are_same && own_all(&owners, &b);
  tile_arena_deinit(&scratch);
  return are_same;
}
