//===- build-check.c - Fixture of the tests that build ops ----------------===//

#include "build-check.h"

#include "Tile/Dialect/Dialect.h"
#include "mlir-c/RegisterEverything.h"
#include <stdlib.h>

static MlirOperation test_body(BuildFixture *f) {
  MlirOperationState state = mlirOperationStateGet(
      mlirStringRefCreateFromCString("test.body"), f->builder.loc);
  MlirRegion region = build_region(&f->body);
  mlirOperationStateAddOwnedRegions(&state, 1, &region);
  return mlirOperationCreate(&state);
}

int build_setup(void **state) {
  BuildFixture *f = calloc(1, sizeof *f);
  assert_non_null(f);
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  mlirRegisterAllDialects(registry);
  mlirDialectHandleInsertDialect(mlirGetDialectHandle__tile__(), registry);
  f->context = mlirContextCreateWithRegistry(registry, false);
  mlirDialectRegistryDestroy(registry);
  mlirContextLoadAllAvailableDialects(f->context);
  mlirContextSetAllowUnregisteredDialects(f->context, true);
  f->builder.loc = mlirLocationUnknownGet(f->context);
  f->module = mlirModuleCreateEmpty(f->builder.loc);
  mlirBlockAppendOwnedOperation(mlirModuleGetBody(f->module), test_body(f));
  f->builder = build_at_end(f, f->body);
  *state = f;
  return 0;
}

int build_teardown(void **state) {
  BuildFixture *f = *state;
  mlirIRRewriterDestroy(f->builder.rw);
  mlirModuleDestroy(f->module);
  mlirContextDestroy(f->context);
  free(f);
  return 0;
}

MlirType build_type(BuildFixture *f, const char *text) {
  MlirType type = mlirTypeParseGet(f->context, tile_str(text));
  assert_non_null(type.ptr);
  return type;
}

MlirAttribute build_attribute(BuildFixture *f, const char *text) {
  MlirAttribute attribute = mlirAttributeParseGet(f->context, tile_str(text));
  assert_non_null(attribute.ptr);
  return attribute;
}

MlirValue build_arg(BuildFixture *f, const char *type) {
  return mlirBlockAddArgument(f->body, build_type(f, type), f->builder.loc);
}

MlirRegion build_region(MlirBlock *out_block) {
  MlirRegion region = mlirRegionCreate();
  *out_block = mlirBlockCreate(0, NULL, NULL);
  mlirRegionAppendOwnedBlock(region, *out_block);
  return region;
}

TileBuilder build_at_end(BuildFixture *f, MlirBlock block) {
  TileBuilder builder = {mlirIRRewriterCreate(f->context), f->builder.loc};
  mlirRewriterBaseSetInsertionPointToEnd(builder.rw, block);
  return builder;
}

typedef struct {
  char text[4096];
  size_t length;
} Text;

static void text_append(MlirStringRef s, void *user_data) {
  Text *out = user_data;
  assert_true(out->length + s.length < sizeof out->text);
  memcpy(out->text + out->length, s.data, s.length);
  out->length += s.length;
}

void check_op(MlirOperation op, const char *text) {
  Text printed = {{0}, 0};
  assert_non_null(op.ptr);
  mlirOperationPrint(op, text_append, &printed);
  assert_string_equal(printed.text, text);
}

void check_module(BuildFixture *f) {
  assert_true(mlirOperationVerify(mlirModuleGetOperation(f->module)));
}

void check_string(MlirStringRef actual, const char *expected) {
  assert_int_equal(actual.length, strlen(expected));
  assert_memory_equal(actual.data, expected, actual.length);
}
