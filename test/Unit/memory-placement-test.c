//===- memory-placement-test.c - Shared buffers against brute force -------===//
//
// Random sizes, alignments, lifetimes and roles. Of two buffers that some
// moment finds alive no byte is shared, whatever the code says of lifetimes;
// and the sum of all is compared with the best that any order gives.
//
//===----------------------------------------------------------------------===//

#include "layout-check.h"

#include "Analysis/Memory/Memory.h"

#include <stdbool.h>

enum {
  ROUNDS = 3000,
  MAX_BUFFERS = 6,
  MOMENTS = 8,
  NUM_ROLES = 3, // the first one is none
};

// A first fit that knows no lifetimes to come may waste half.
static const int64_t most_per_best = 2;

static int64_t draw(int64_t below) { return rnd((unsigned)below); }

// Ops are only compared here.
static MlirOperation op_number(int64_t number) {
  static char ops[MAX_BUFFERS + NUM_ROLES];
  return (MlirOperation){number < 0 ? NULL : &ops[number]};
}

static TileSharedBuffer random_buffer(int number) {
  int64_t first = draw(MOMENTS), role = draw(2) ? draw(NUM_ROLES) : 0;
  return (TileSharedBuffer){
      .op = op_number(number),
      .size_bytes = 8 * (1 + draw(64)),
      .align_bytes = INT64_C(8) << 2 * draw(3),
      .first = first,
      .last = first + draw(MOMENTS - first),
      .last_read = -1,
      .role = op_number(role ? MAX_BUFFERS + role : -1),
  };
}

// Moment by moment; roles run at any time to each other.
static bool live_together(const TileSharedBuffer *a,
                          const TileSharedBuffer *b) {
  if (a->role.ptr && b->role.ptr && a->role.ptr != b->role.ptr)
    return true;
  for (int64_t moment = 0; moment < MOMENTS; moment++)
    if (moment >= a->first && moment <= a->last && moment >= b->first &&
        moment <= b->last)
      return true;
  return false;
}

static bool share_bytes(const TileSharedBuffer *a, const TileSharedBuffer *b) {
  int64_t a_end = a->offset_bytes + a->size_bytes;
  int64_t b_end = b->offset_bytes + b->size_bytes;
  return a->offset_bytes < b_end && b->offset_bytes < a_end;
}

//===-- The best of all orders --------------------------------------------===//

// The lowest aligned offset at which a buffer meets none of those before it.
static int64_t lowest_end(TileSharedBuffer *const *order, int count) {
  TileSharedBuffer *buffer = order[count];
  for (buffer->offset_bytes = 0;; buffer->offset_bytes += buffer->align_bytes) {
    bool is_free = true;
    for (int i = 0; i < count; i++)
      is_free &=
          !live_together(order[i], buffer) || !share_bytes(order[i], buffer);
    if (is_free)
      return buffer->offset_bytes + buffer->size_bytes;
  }
}

// Of a best placement, by ascending offsets, none lies lower than in this one:
// so some order is as good.
static int64_t best_bytes(TileSharedBuffer **order, int placed, int count,
                          int64_t bytes) {
  int64_t best = INT64_MAX;
  if (placed == count)
    return bytes;
  for (int i = placed; i < count; i++) {
    TileSharedBuffer *next = order[i];
    order[i] = order[placed];
    order[placed] = next;
    int64_t end = lowest_end(order, placed);
    int64_t rest =
        best_bytes(order, placed + 1, count, end > bytes ? end : bytes);
    best = rest < best ? rest : best;
    order[placed] = order[i];
    order[i] = next;
  }
  return best;
}

//===-- Tests -------------------------------------------------------------===//

// Whether a buffer would meet another one, or the start, one step lower.
static bool is_as_low_as_can_be(const TileSharedBuffer *buffers, int count,
                                int number) {
  TileSharedBuffer lower = buffers[number];
  bool is_low = lower.offset_bytes == 0;
  lower.offset_bytes -= lower.align_bytes;
  for (int i = 0; i < count; i++)
    is_low |= i != number && live_together(&buffers[i], &lower) &&
              share_bytes(&buffers[i], &lower);
  return is_low;
}

static void check_random(TileArena *arena, int64_t *inout_percent) {
  TileSharedBuffer buffers[MAX_BUFFERS], copies[MAX_BUFFERS];
  TileSharedBuffer *order[MAX_BUFFERS];
  int count = 1 + (int)draw(MAX_BUFFERS);
  int64_t end = 0;
  for (int i = 0; i < count; i++) {
    buffers[i] = copies[i] = random_buffer(i);
    order[i] = &copies[i];
  }
  TileSharedMemory memory = {.buffers = buffers, .num_buffers = (size_t)count};
  tile_shared_memory_place(arena, &memory);
  for (int i = 0; i < count; i++) {
    const TileSharedBuffer *a = &buffers[i];
    CHECK(a->offset_bytes >= 0 && a->offset_bytes % a->align_bytes == 0,
          "offset %d of alignment %d", (int)a->offset_bytes,
          (int)a->align_bytes);
    end = a->offset_bytes + a->size_bytes > end
              ? a->offset_bytes + a->size_bytes
              : end;
    CHECK(is_as_low_as_can_be(buffers, count, i), "a gap before byte %d",
          (int)a->offset_bytes);
    for (int k = 0; k < i; k++)
      CHECK(!live_together(a, &buffers[k]) || !share_bytes(a, &buffers[k]),
            "buffers that live from %d to %d and from %d to %d share bytes",
            (int)a->first, (int)a->last, (int)buffers[k].first,
            (int)buffers[k].last);
  }
  CHECK(end == memory.total_bytes, "%d bytes in all, not %d", (int)end,
        (int)memory.total_bytes);
  int64_t best = best_bytes(order, 0, count, 0);
  CHECK(end >= best && end <= most_per_best * best, "%d bytes; the best is %d",
        (int)end, (int)best);
  if (100 * end / best > *inout_percent)
    *inout_percent = 100 * end / best;
}

// A ring that its reader has read to the end, and what the reader has then.
static void check_ring(void) {
  TileSharedBuffer ring = random_buffer(0), after = random_buffer(1);
  char full;
  ring.is_ring = true;
  ring.full = (MlirValue){&full};
  ring.reader = after.role = op_number(MAX_BUFFERS + 1);
  ring.role = op_number(-1);
  ring.last_read = draw(MOMENTS);
  bool follows = after.first > ring.last_read;
  ring.is_drained = draw(2);
  CHECK(tile_shared_follows_ring(&after, &ring) == follows, "%d behind %d",
        (int)after.first, (int)ring.last_read);
  CHECK(tile_shared_lifetimes_overlap(&after, &ring) ==
            (live_together(&after, &ring) && !(follows && ring.is_drained)),
        "a ring read until %d, a buffer from %d", (int)ring.last_read,
        (int)after.first);
  ring.has_other_uses = true;
  CHECK(!tile_shared_follows_ring(&after, &ring), "others use the ring, %s",
        "too");
}

static void placements_are_sound_and_short(void **user_data) {
  (void)user_data;
  int64_t worst_percent = 0;
  for (int i = 0; i < ROUNDS; i++) {
    TileArena arena;
    tile_arena_init(&arena);
    check_random(&arena, &worst_percent);
    tile_arena_deinit(&arena);
  }
  print_message("at most %d %% of the best\n", (int)worst_percent);
}

static void what_follows_a_ring_may_use_it(void **user_data) {
  (void)user_data;
  for (int i = 0; i < ROUNDS; i++)
    check_ring();
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(placements_are_sound_and_short),
      cmocka_unit_test(what_follows_a_ring_may_use_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
