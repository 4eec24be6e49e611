//===- target-ptx-join-test.c - The PTX of parts becomes one file ---------===//
//
// What is joined, and what is left to the one module of the fallback: parts
// whose files or lines say more than the join understands.
//
//===----------------------------------------------------------------------===//

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../../lib/Target/PtxPart.h"

#define HEAD "//\n.version 8.5\n.target sm_90a\n.address_size 64\n"
#define VPRINTF                                                                \
  ".extern .func  (.param .b32 r) vprintf\n(\n\t.param .b64 p\n)\n;\n"

// The text of two parts as one; "": they cannot be joined.
static void check(const char *first, const char *second, const char *expected) {
  TilePtxPart parts[2] = {{.ptx = (char *)(uintptr_t)first},
                          {.ptx = (char *)(uintptr_t)second}};
  TileString text = {NULL, 0, 0};
  bool is_ok = tile_ptx_join(parts, 2, &text);
  assert_int_equal(is_ok, *expected != 0);
  if (is_ok)
    assert_string_equal(text.data, expected);
  tile_string_deinit(&text);
}

static void test_functions(void **state) {
  (void)state;
  check(HEAD "\n.visible .entry a()\n{\n\tret;\n}\n",
        HEAD "\n.visible .entry b()\n{\n\tret;\n}\n",
        HEAD "\n.visible .entry a()\n{\n\tret;\n}\n"
             ".visible .entry b()\n{\n\tret;\n}\n");
}

static void test_declarations_once(void **state) {
  (void)state;
  check(HEAD VPRINTF ".entry a()\n{\n}\n", HEAD VPRINTF ".entry b()\n{\n}\n",
        HEAD VPRINTF ".entry a()\n{\n}\n.entry b()\n{\n}\n");
}

static void test_files_anew(void **state) {
  (void)state;
  check(HEAD ".entry a()\n{\n\t.loc\t1 3 4\n}\n\t.file\t1 \"x.mlir\"\n",
        HEAD ".entry b()\n{\n\t.loc\t1 5 6\n\t.loc\t2 7 8\n}\n"
             "\t.file\t1 \"y.mlir\"\n\t.file\t2 \"x.mlir\"\n",
        HEAD ".entry a()\n{\n\t.loc\t1 3 4\n}\n"
             ".entry b()\n{\n\t.loc\t2 5 6\n\t.loc\t1 7 8\n}\n"
             "\t.file\t1 \"x.mlir\"\n\t.file\t2 \"y.mlir\"\n");
}

static void test_not_joined(void **state) {
  (void)state;
  static const char plain[] = HEAD ".entry a()\n{\n}\n";
  // A call that was inlined, a line of a file that has no name, sections for
  // debuggers, a file out of turn, and no header.
  check(plain,
        HEAD ".entry b()\n{\n\t.loc\t1 5 6, function_name $L1, inlined_at 1 2 3"
             "\n}\n\t.file\t1 \"x.mlir\"\n",
        "");
  check(plain, HEAD ".entry b()\n{\n\t.loc\t2 5 6\n}\n\t.file\t1 \"x\"\n", "");
  check(plain, HEAD ".entry b()\n{\n}\n\t.section\t.debug_abbrev\n\t{\n\t}\n",
        "");
  check(plain, HEAD ".entry b()\n{\n}\n\t.file\t2 \"x.mlir\"\n", "");
  check(plain, ".entry b()\n{\n}\n", "");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_functions),
      cmocka_unit_test(test_declarations_once),
      cmocka_unit_test(test_files_anew),
      cmocka_unit_test(test_not_joined),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
