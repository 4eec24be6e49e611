//===- dialect-boxes-test.c - Boxes against sets of elements --------------===//

#include "Dialect/Boxes.h"
#include "Tile/Dialect/Dialect.h"
#include "mlir-c/RegisterEverything.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

//===-- Constant boxes of two dimensions ----------------------------------===//

enum { SIDE = 5, MAX_BOXES = 256 };

typedef struct {
  TileBox box[MAX_BOXES];
  int count;
} Boxes;

// Every box of a square.
static Boxes all_boxes(void) {
  Boxes all = {.count = 0};
  for (int i = 0; i < SIDE * SIDE * SIDE * SIDE; i++) {
    TileBox box = {.rank = 2};
    int64_t y = i % SIDE, x = i / SIDE % SIDE, rows = i / SIDE / SIDE % SIDE,
            columns = i / SIDE / SIDE / SIDE;
    if (!rows || !columns || y + rows > SIDE || x + columns > SIDE)
      continue;
    tile_box_set_range(&box, 0, y, y + rows);
    tile_box_set_range(&box, 1, x, x + columns);
    assert_true(all.count < MAX_BOXES);
    all.box[all.count++] = box;
  }
  return all;
}

// A bit for each element.
static uint32_t elements_of(const TileBox *box) {
  uint32_t set = 0;
  for (int e = 0; e < SIDE * SIDE; e++) {
    int64_t y = e / SIDE - box->offset[0].constant,
            x = e % SIDE - box->offset[1].constant;
    if (y >= 0 && y < box->size[0] && x >= 0 && x < box->size[1])
      set |= (uint32_t)1 << e;
  }
  return set;
}

static void overlap_is_that_of_sets(void **state) {
  (void)state;
  Boxes all = all_boxes();
  for (int i = 0; i < all.count; i++)
    for (int k = 0; k < all.count; k++) {
      TileBox a = all.box[i], b = all.box[k];
      uint32_t x = elements_of(&a), y = elements_of(&b);
      TileOverlap expected = x == y  ? TILE_OVERLAP_SAME
                             : x & y ? TILE_OVERLAP_SOME
                                     : TILE_OVERLAP_NONE;
      assert_int_equal(tile_boxes_overlap_as_named(&a, &b), expected);
      assert_int_equal(tile_box_contains(&a, &b), (y & ~x) == 0);
      a.is_partial = true; // names some of it: only nothing in common is sure
      assert_int_equal(tile_boxes_overlap_as_named(&a, &b),
                       x & y ? TILE_OVERLAP_MAYBE : TILE_OVERLAP_NONE);
      assert_false(tile_box_contains(&a, &b));
    }
}

// A distance that is known up to a multiple: of every such distance, none.
static void ranges_apart_are_apart_at_every_distance(void **state) {
  (void)state;
  for (int i = 0; i < 12 * 9 * 4 * 4; i++) {
    TileDistance at = {i / 16 / 9 - 6, i / 16 % 9};
    int64_t now = 1 + i % 4, then = 1 + i / 4 % 4;
    bool may_meet = false;
    for (int64_t n = -20; n <= 20; n++) {
      int64_t distance = at.constant + n * at.modulus;
      may_meet |= distance < then && -distance < now;
    }
    TileOverlap overlap = tile_ranges_overlap(at, now, then);
    assert_int_equal(overlap != TILE_OVERLAP_NONE, may_meet);
    assert_int_equal(overlap == TILE_OVERLAP_SAME,
                     !at.constant && !at.modulus && now == then);
  }
}

//===-- Boxes of operands -------------------------------------------------===//

#define TILE "memref<3x8x16xf16, #gpu.address_space<workgroup>>"

static const char module_text[] =
    "func.func @f(%i: index) {\n"
    "  %t = tile.alloc : " TILE "\n"
    "  %v = tile.view %t : " TILE " to memref<24x16xf16, "
    "#gpu.address_space<workgroup>>\n"
    "  %a = tile.region %t[1, 2, 4] [1, 4, 8] drop [0] : " TILE "\n"
    "  %b = tile.region %t[%i, 2, 4] [1, 4, 8] drop [0] : " TILE "\n"
    "  %c = tile.region %v[4, 0] [4, 16] : memref<24x16xf16, "
    "#gpu.address_space<workgroup>>\n"
    "  return\n"
    "}\n";

static void check_box(const TileBox *box, bool is_partial,
                      const int64_t first[3], const int64_t size[3]) {
  assert_int_equal(box->rank, 3);
  assert_int_equal(box->is_partial, is_partial);
  for (int d = 0; d < 3; d++) {
    assert_true(tile_int_is_constant(box->offset[d]));
    assert_int_equal(box->offset[d].constant, first[d]);
    assert_int_equal(box->size[d], size[d]);
  }
}

static void boxes_lie_around_operands(void **state) {
  static const int64_t zero[3] = {0, 0, 0}, whole[3] = {3, 8, 16},
                       first[3] = {1, 2, 4}, size[3] = {1, 4, 8},
                       slots[3] = {0, 2, 4}, all_slots[3] = {3, 4, 8};
  MlirContext context = {*state};
  MlirModule module = mlirModuleCreateParse(
      context, mlirStringRefCreateFromCString(module_text));
  assert_false(mlirModuleIsNull(module));
  MlirOperation func = mlirBlockGetFirstOperation(mlirModuleGetBody(module));
  MlirValue value[5];
  MlirOperation op = mlirBlockGetFirstOperation(
      mlirRegionGetFirstBlock(mlirOperationGetRegion(func, 0)));
  for (int i = 0; i < 5; i++, op = mlirOperationGetNextInBlock(op))
    value[i] = mlirOperationGetResult(op, 0);
  TileBox box;
  assert_true(tile_box_around(value[0], &box));
  check_box(&box, false, zero, whole);
  assert_true(tile_box_around(value[1], &box)); // a whole view
  check_box(&box, false, zero, whole);
  assert_true(tile_box_around(value[2], &box));
  check_box(&box, false, first, size);
  assert_int_equal(box.dim[0], -1);
  assert_int_equal(box.dim[2], 1);
  assert_int_equal(box.base_dim[1], 2);
  assert_true(tile_box_around(value[3], &box)); // of any slot
  check_box(&box, true, slots, all_slots);
  assert_true(tile_box_around(value[4], &box)); // a window of a view
  check_box(&box, true, zero, whole);
  mlirModuleDestroy(module);
}

int main(void) {
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  mlirRegisterAllDialects(registry);
  mlirDialectHandleInsertDialect(mlirGetDialectHandle__tile__(), registry);
  MlirContext context = mlirContextCreateWithRegistry(registry, false);
  mlirDialectRegistryDestroy(registry);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(overlap_is_that_of_sets),
      cmocka_unit_test(ranges_apart_are_apart_at_every_distance),
      cmocka_unit_test_prestate(boxes_lie_around_operands, context.ptr),
  };
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  mlirContextDestroy(context);
  return failed;
}
