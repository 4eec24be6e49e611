//===- support-keys-test.c - Interned keys --------------------------------===//
//
// The table of interned keys: equal keys have one number, numbers are in the
// order of insertion, keys of one hash are told apart.
//
//===----------------------------------------------------------------------===//

#include "Support/KeyTable.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { NUM_KEYS = 5000 };

typedef struct {
  TileKeyTable table;
  int keys[NUM_KEYS];
} Numbers;

// `num_hashes`: few make keys collide.
static int intern(Numbers *numbers, int key, int num_hashes) {
  uint64_t hash = tile_hash_word(TILE_HASH_START, (uint64_t)(key % num_hashes));
  TileKeySearch search = tile_key_search(&numbers->table, hash);
  while (tile_key_next(&search))
    if (numbers->keys[search.index] == key)
      return search.index;
  int index = tile_key_add(&search);
  numbers->keys[index] = key;
  return index;
}

static void check(int num_keys, int num_hashes) {
  static Numbers numbers;
  memset(&numbers, 0, sizeof numbers);
  TileArena arena;
  tile_arena_init(&arena);
  numbers.table.arena = &arena;
  for (int round = 0; round < 2; round++)
    for (int i = 0; i < num_keys; i++)
      assert_int_equal(intern(&numbers, 3 * i + 1, num_hashes), i);
  assert_int_equal(numbers.table.count, num_keys);
  tile_arena_deinit(&arena);
}

static void numbers_in_order(void **state) {
  (void)state;
  check(NUM_KEYS, 1 << 20);
}

static void one_hash(void **state) {
  (void)state;
  check(300, 1);
  check(300, 7);
}

static void bytes_have_an_order(void **state) {
  (void)state;
  assert_true(tile_hash_bytes(TILE_HASH_START, "ab", 2) !=
              tile_hash_bytes(TILE_HASH_START, "ba", 2));
}

static void pointers_have_values(void **state) {
  (void)state;
  static int items[1000], others[1000];
  TileArena arena;
  tile_arena_init(&arena);
  TilePointerMap map = {.arena = &arena};
  assert_null(tile_pointer_map_get(&map, &items[0]));
  for (int i = 0; i < 1000; i += 2)
    tile_pointer_map_set(&map, &items[i], &others[i]);
  for (int i = 0; i < 1000; i += 4) // what is set again is replaced
    tile_pointer_map_set(&map, &items[i], &items[i]);
  assert_int_equal(map.keys.count, 500);
  for (int i = 0; i < 1000; i++)
    assert_ptr_equal(tile_pointer_map_get(&map, &items[i]), i % 2 ? NULL
                                                            : i % 4
                                                                ? &others[i]
                                                                : &items[i]);
  tile_arena_deinit(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_in_order),
      cmocka_unit_test(one_hash),
      cmocka_unit_test(bytes_have_an_order),
      cmocka_unit_test(pointers_have_values),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
