//===- pipeline-choices-test.c - What is taken back, in which order -------===//
//
// Kernels as passes refuse them, with `tile.refused`; what is taken back is
// read off the kernel to go on with, and off the remarks.
//
//===----------------------------------------------------------------------===//

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../../lib/Pipeline/Choices.h"
#include "Tile/Dialect/Dialect.h"
#include "mlir-c/Diagnostics.h"
#include "mlir-c/RegisterEverything.h"
#include <stdio.h>
#include <string.h>

static MlirContext context;
static char remarks[4096];

static void append(MlirStringRef piece, void *user_data) {
  char *text = user_data;
  snprintf(text + strlen(text), sizeof remarks - strlen(text), "%.*s",
           (int)piece.length, piece.data);
}

static MlirLogicalResult note_remark(MlirDiagnostic diagnostic, void *unused) {
  (void)unused;
  mlirDiagnosticPrint(diagnostic, append, remarks);
  append((MlirStringRef){"\n", 1}, remarks);
  return mlirLogicalResultSuccess();
}

// A kernel with `config`, the marks of passes, and a body.
static MlirModule module_of(const char *mark, const char *body) {
  char text[2048];
  snprintf(text, sizeof text,
           "func.func @k(%%v: f32, %%n: index) attributes {tile.num_threads = "
           "160 : i32%s} {\n"
           "  %%c0 = arith.constant 0 : index\n"
           "  %%c1 = arith.constant 1 : index\n%s  return\n}\n",
           mark, body);
  MlirModule module =
      mlirModuleCreateParse(context, mlirStringRefCreateFromCString(text));
  assert_false(mlirModuleIsNull(module));
  return module;
}

static const char loops[] =
    "  %a = tile.alloc : memref<64xf32, #gpu.address_space<workgroup>>\n"
    "  %b = tile.alloc : memref<64xf32, #gpu.address_space<workgroup>>\n"
    "  scf.for %i = %c0 to %n step %c1 {\n"
    "    tile.fill %a, %v : memref<64xf32, #gpu.address_space<workgroup>>, "
    "f32\n"
    "  } {tile.num_stages = 4 : i32}\n"
    "  scf.for %i = %c0 to %n step %c1 {\n"
    "    tile.fill %b, %v : memref<64xf32, #gpu.address_space<workgroup>>, "
    "f32\n"
    "  } {tile.num_stages = 3 : i32}\n";

// What passes made of it: roles that take turns in a persistent loop.
static const char refused[] =
    "  scf.for %i = %c0 to %n step %c1 {\n  } {tile.persistent}\n"
    "  tile.specialize {\n"
    "    tile.role \"consumer\" warps 4 pingpong {\n    }\n"
    "    tile.role \"producer\" warps 1 {\n    }\n  }\n";
static const char refused_without_roles[] = "";

static bool take(TileChoices *choices, const char *mark, const char *body,
                 const char *message) {
  MlirModule failed = module_of(mark, body);
  bool has_taken = tile_choices_take_back(choices, failed, message);
  mlirModuleDestroy(failed);
  return has_taken;
}

// Whether the next module holds `text`; the remarks are those of it.
static void expect(const TileChoices *choices, const char *text) {
  char program[4096] = "";
  remarks[0] = '\0';
  MlirModule module = tile_choices_apply(choices);
  mlirOperationPrint(mlirModuleGetOperation(module), append, program);
  mlirModuleDestroy(module);
  if (!strstr(program, text))
    fail_msg("no '%s' in\n%s", text, program);
}

static void expect_remark(const char *text) {
  if (!strstr(remarks, text))
    fail_msg("no '%s' in\n%s", text, remarks);
}

static TileChoices begin(const char *config) {
  char body[2048];
  snprintf(body, sizeof body, "  tile.kernel_config {%s}\n%s", config, loops);
  MlirModule module = module_of("", body);
  TileChoices choices = {{NULL}};
  tile_choices_begin(&choices, module);
  mlirModuleDestroy(module);
  return choices;
}

static const char short_of_16[] = ", tile.refused = 16 : i64";
static const char other[] = ", tile.refused = 0 : i64";

static void test_memory(void **state) {
  (void)state;
  TileChoices choices = begin("");
  assert_true(take(&choices, short_of_16, refused, "'func.func' op needs 9"));
  expect(&choices, "tile.fill %0, %arg0 : memref<64xf32, "
                   "#gpu.address_space<workgroup>>, f32\n    } "
                   "{tile.num_stages = 3");
  expect_remark("[tile-choice/tiles] has one ring for tiles of several loops, "
                "one after the other: otherwise it needs 9\n");
  assert_true(take(&choices, short_of_16, refused,
                   "'func.func' op needs 8; tile.num_stages = 2 fits"));
  expect(&choices, "tile.reserved_bytes = 16 : i64");
  expect_remark("[tile-choice/estimate] is planned with more shared memory for "
                "later passes, 16 bytes: otherwise it needs 8\n");
  // The estimate has not helped: it is as it was.
  assert_true(take(&choices, short_of_16, refused,
                   "'func.func' op needs 8; tile.num_stages = 2 fits"));
  expect(&choices, "persist = false");
  assert_null(strstr(remarks, "tile-choice/estimate"));
  expect_remark("[tile-choice/persistence] is not persistent: otherwise it ");
  assert_true(take(&choices, short_of_16, refused, "needs 7"));
  expect(&choices, "tile.prelude_slots = 1");
  expect_remark("[tile-choice/preludes] has one slot for each tile that is "
                "filled outside pipelined loops: otherwise it does not "
                "compile: needs 7\n");
  assert_true(take(&choices, short_of_16, refused, "needs 6"));
  expect(&choices, "tile.num_stages = 3");
  expect_remark("[tile-choice/stages] has fewer stages, at most 3: ");
  assert_true(take(&choices, short_of_16, refused, "needs 5"));
  expect(&choices, "tile.num_stages = 2");
  assert_true(take(&choices, short_of_16, refused, "needs 4"));
  // All the rest is given again.
  expect(&choices, "kernel_config {specialize = #tile.specialize<off>}");
  expect(&choices, "tile.num_stages = 4");
  expect_remark("[tile-choice/roles] has no roles: otherwise it ");
  assert_null(strstr(remarks, "tile-choice/stages"));
  const char *messages[] = {"a", "b", "c", "d", "e", "f", "g"};
  for (int i = 0; i < 7; i++) // three estimates, four stages
    assert_true(
        take(&choices, short_of_16, refused_without_roles, messages[i]));
  expect(&choices, "tile.num_stages = 0");
  assert_false(take(&choices, short_of_16, refused_without_roles, "h"));
  tile_choices_deinit(&choices);
}

static void test_others(void **state) {
  (void)state;
  TileChoices choices = begin("");
  assert_true(take(&choices, other, refused, "is wrong"));
  expect(&choices, "partition = #tile.partition<cooperative>");
  expect_remark("[tile-choice/turns] its computing warpgroups do not take "
                "turns: otherwise it does not compile: is wrong\n");
  assert_true(take(&choices, other, refused, "is wrong"));
  expect(&choices, "rotate = false");
  assert_null(strstr(remarks, "tile-choice/turns"));
  expect_remark("[tile-choice/rotation] multiplies in order: otherwise it does "
                "not compile: is wrong\n");
  assert_true(take(&choices, other, refused, "is wrong as well"));
  expect(&choices, "persist = false");
  assert_true(take(&choices, other, refused, "is wrong, too"));
  expect(&choices, "specialize = #tile.specialize<off>");
  assert_true(take(&choices, other, refused_without_roles, "is still wrong"));
  expect(&choices, "rotate = false");
  assert_false(take(&choices, other, refused_without_roles, "is wrong still"));
  tile_choices_deinit(&choices);
}

// What the user has written stays, and so do kernels that nobody refuses.
static void test_wishes(void **state) {
  (void)state;
  TileChoices choices = begin("persist = true, rotate = true, "
                              "specialize = #tile.specialize<required>");
  assert_false(take(&choices, "", refused, "is wrong"));
  assert_true(take(&choices, other, refused, "is wrong"));
  expect(&choices, "partition = #tile.partition<cooperative>");
  assert_false(take(&choices, other, refused, "is wrong"));
  // Stages are a wish: tiles, preludes, three estimates, all stages but one.
  const char *messages[] = {"a", "b", "c", "d", "e", "f", "g", "h"};
  for (int i = 0; i < 8; i++)
    assert_true(take(&choices, short_of_16, refused, messages[i]));
  expect(&choices, "tile.num_stages = 1");
  assert_false(take(&choices, short_of_16, refused, "i"));
  tile_choices_deinit(&choices);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_memory),
                                     cmocka_unit_test(test_others),
                                     cmocka_unit_test(test_wishes)};
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  mlirRegisterAllDialects(registry);
  mlirDialectHandleInsertDialect(mlirGetDialectHandle__tile__(), registry);
  context = mlirContextCreateWithRegistry(registry, false);
  mlirDialectRegistryDestroy(registry);
  mlirContextAttachDiagnosticHandler(context, note_remark, NULL, NULL);
  int result = cmocka_run_group_tests(tests, NULL, NULL);
  mlirContextDestroy(context);
  return result;
}
