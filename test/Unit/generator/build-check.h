//===- build-check.h - Fixture of the tests that build ops ----------------===//
//
// Each test gets a fresh context with every dialect, an insertion point inside
// an op `test.body`, and values that are arguments of its block: %arg0, %arg1.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_TEST_BUILD_CHECK_H
#define TILE_TEST_BUILD_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "Support/Build.h"

typedef struct {
  MlirContext context;
  MlirModule module;
  MlirBlock body; // of `test.body`
  TileBuilder builder;
} BuildFixture;

/// cmocka setup and teardown; `*state` is the BuildFixture.
int build_setup(void **state);
int build_teardown(void **state);

/// Parses a type, an attribute; fails the test when the text is wrong.
MlirType build_type(BuildFixture *f, const char *text);
MlirAttribute build_attribute(BuildFixture *f, const char *text);

/// A new argument of the body.
MlirValue build_arg(BuildFixture *f, const char *type);

/// A new region with one empty block, and that block. The region belongs to
/// the op that is built with it.
MlirRegion build_region(MlirBlock *out_block);

/// A builder at the end of a block; the caller destroys its rewriter.
TileBuilder build_at_end(BuildFixture *f, MlirBlock block);

/// The op prints as `text`, seen from the module.
void check_op(MlirOperation op, const char *text);

/// The whole module verifies.
void check_module(BuildFixture *f);

/// Compares a string that need not end with a zero byte.
void check_string(MlirStringRef actual, const char *expected);

#define assert_same_value(a, b) assert_true(mlirValueEqual((a), (b)))

#define BUILD_TEST(name)                                                       \
  cmocka_unit_test_setup_teardown(name, build_setup, build_teardown)

#endif // TILE_TEST_BUILD_CHECK_H
