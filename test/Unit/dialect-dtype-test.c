//===- dialect-dtype-test.c - Types of MLIR and the table of element types ===//

#include "Dialect/Ops.h"
#include "Dialect/Verify/TileVerify.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static MlirType parsed(MlirContext context, const char *text) {
  MlirType type =
      mlirTypeParseGet(context, mlirStringRefCreateFromCString(text));
  assert_false(mlirTypeIsNull(type));
  return type;
}

// Of every row but tf32, which is an f32 for MLIR; "u8" is "ui8" there.
static void every_row_is_a_type(void **state) {
  MlirContext context = {*state};
  for (int i = 0; i < TILE_NUM_DTYPES; i++) {
    const TileDtypeInfo *info = tile_dtype_info((TileDtype)i);
    char text[16];
    snprintf(text, sizeof text, "%s%s", info->name[0] == 'u' ? "ui" : "",
             info->name + (info->name[0] == 'u'));
    const TileDtypeInfo *found = tile_elem_info(parsed(context, text));
    assert_ptr_equal(found, i == TILE_DTYPE_TF32 ? NULL : info);
  }
}

static void other_types_have_no_row(void **state) {
  static const char *const others[] = {"i2",   "i33",  "si8",
                                       "f80",  "tf32", "f8E5M2FNUZ",
                                       "none", "i128", "vector<2xf16>"};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    assert_null(tile_elem_info(parsed((MlirContext){*state}, others[i])));
    assert_int_equal(tile_elem_bits(parsed((MlirContext){*state}, others[i])),
                     0);
  }
}

static void sizes_are_those_in_memory(void **state) {
  assert_int_equal(tile_elem_bits(parsed((MlirContext){*state}, "i1")), 8);
  assert_int_equal(tile_elem_bits(parsed((MlirContext){*state}, "bf16")), 16);
  assert_int_equal(tile_elem_bits(parsed((MlirContext){*state}, "index")), 0);
}

// The message that lists what tiles hold names each float.
static void the_message_lists_them(void **state) {
  (void)state;
  for (int i = 0; i < TILE_NUM_DTYPES; i++) {
    const TileDtypeInfo *info = tile_dtype_info((TileDtype)i);
    if (!tile_dtype_info_is_float(info))
      continue;
    bool is_listed = false;
    for (const char *at = TILE_ELEMENT_TYPES; at && !is_listed;
         at = strchr(at, ' '), at = at ? at + 1 : NULL)
      is_listed = strcspn(at, ", ") == strlen(info->name) &&
                  strncmp(at, info->name, strlen(info->name)) == 0;
    assert_int_equal(is_listed, info->is_of_tiles);
  }
}

int main(void) {
  MlirContext context = mlirContextCreate();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_prestate(every_row_is_a_type, context.ptr),
      cmocka_unit_test_prestate(other_types_have_no_row, context.ptr),
      cmocka_unit_test_prestate(sizes_are_those_in_memory, context.ptr),
      cmocka_unit_test_prestate(the_message_lists_them, context.ptr),
  };
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  mlirContextDestroy(context);
  return failed;
}
