//===- bridge-extra-test.c - What Support/MlirExtra.h adds to mlir-c ------===//

#include "build-check.h"

#include "Tile/Ops/arith.h"
#include "Tile/Ops/func.h"
#include "Tile/Ops/memref.h"
#include "Tile/Ops/scf.h"
#include "Tile/Ops/tile.h"
#include "mlir-c/Diagnostics.h"

//===-- Cloning -----------------------------------------------------------===//

static void test_clone(void **state) {
  BuildFixture *f = *state;
  TileBuilder *b = &f->builder;
  MlirValue x = build_arg(f, "i32"), y = build_arg(f, "i32");
  MlirOperation add = arith_addi_op(b, x, x).op;
  MlirOperation twice = arith_muli_op(b, mlirOperationGetResult(add, 0), x).op;

  MlirxMapping mapping = mlirxMappingCreate();
  assert_same_value(mlirxMappingGet(mapping, x), x);
  mlirxMappingSet(mapping, x, y);
  assert_same_value(mlirxMappingGet(mapping, x), y);
  MlirOperation add_clone = mlirxClone(b->rw, add, mapping);
  check_op(add_clone, "%2 = arith.addi %arg1, %arg1 : i32");
  // The results of a clone enter the map.
  check_op(mlirxClone(b->rw, twice, mapping),
           "%3 = arith.muli %2, %arg1 : i32");
  mlirxMappingDestroy(mapping);
  check_module(f);
}

static void test_clone_regions(void **state) {
  BuildFixture *f = *state;
  MlirValue c = build_arg(f, "i1");
  MlirBlock body;
  MlirRegion region = build_region(&body);
  TileBuilder in_body = build_at_end(f, body);
  MlirValue one = arith_constant(&in_body, build_attribute(f, "1 : i32"));
  scf_yield(&in_body);
  MlirOperation guard = scf_if_op(&f->builder, c, region).op;

  MlirxMapping mapping = mlirxMappingCreate();
  MlirOperation whole = mlirxClone(f->builder.rw, guard, mapping);
  check_op(whole, "scf.if %arg0 {\n  %c1_i32 = arith.constant 1 : i32\n}");
  assert_false(mlirValueEqual(mlirxMappingGet(mapping, one), one));
  mlirxMappingDestroy(mapping);
  mlirIRRewriterDestroy(in_body.rw);
}

//===-- Diagnostics -------------------------------------------------------===//

typedef struct {
  MlirDiagnosticSeverity severity;
  intptr_t num_notes;
  char text[512];
} Seen;

static void append(MlirStringRef s, void *user_data) {
  Seen *seen = user_data;
  size_t used = strlen(seen->text);
  assert_true(used + s.length < sizeof seen->text);
  memcpy(seen->text + used, s.data, s.length);
}

static MlirLogicalResult see(MlirDiagnostic diagnostic, void *user_data) {
  Seen *seen = user_data;
  seen->severity = mlirDiagnosticGetSeverity(diagnostic);
  seen->num_notes = mlirDiagnosticGetNumNotes(diagnostic);
  mlirDiagnosticPrint(diagnostic, append, seen);
  for (intptr_t i = 0; i < seen->num_notes; i++) {
    append(TILE_STR("|"), seen);
    mlirDiagnosticPrint(mlirDiagnosticGetNote(diagnostic, i), append, seen);
  }
  return mlirLogicalResultSuccess();
}

static void test_diagnostics(void **state) {
  BuildFixture *f = *state;
  MlirOperation add =
      arith_addi_op(&f->builder, build_arg(f, "i32"), build_arg(f, "i32")).op;
  MlirxNote notes[] = {{f->builder.loc, TILE_STR("first")},
                       {f->builder.loc, TILE_STR("second")}};
  Seen seen = {0};
  MlirDiagnosticHandlerID id =
      mlirContextAttachDiagnosticHandler(f->context, see, &seen, NULL);

  mlirxEmitRemark(f->builder.loc, false, TILE_STR("declined"), 2, notes);
  assert_int_equal(seen.severity, MlirDiagnosticRemark);
  assert_string_equal(seen.text, "declined|first|second");

  seen = (Seen){0};
  MlirLogicalResult result =
      mlirxEmitOpError(add, TILE_STR("is wrong"), 1, notes);
  assert_true(mlirLogicalResultIsFailure(result));
  assert_int_equal(seen.severity, MlirDiagnosticError);
  assert_non_null(strstr(seen.text, "'arith.addi' op is wrong"));
  assert_non_null(strstr(seen.text, "|first"));
  mlirContextDetachDiagnosticHandler(f->context, id);
}

//===-- Effects, traits, folding ------------------------------------------===//

typedef struct {
  int num_reads, num_writes, num_others;
  MlirValue written;
} Effects;

static void count_effect(TileEffectKind kind, MlirValue value,
                         MlirStringRef resource, void *user_data) {
  Effects *effects = user_data;
  check_string(resource, "<Default>");
  if (kind == TILE_EFFECT_READ) {
    effects->num_reads++;
  } else if (kind == TILE_EFFECT_WRITE) {
    effects->num_writes++;
    effects->written = value;
  } else {
    effects->num_others++;
  }
}

static void test_effects(void **state) {
  BuildFixture *f = *state;
  TileBuilder *b = &f->builder;
  MlirValue src = build_arg(f, "memref<8x8xf32>"),
            dst = build_arg(f, "memref<8x8xf32, #tile.fragment>"),
            c = build_arg(f, "i1");
  Effects effects = {0};
  // Effects that a C hook of our dialect reports.
  TileCopyOp copy = tile_copy(b, src, dst);
  assert_true(mlirxEffects(copy.op, false, count_effect, &effects));
  assert_int_equal(effects.num_reads, 1);
  assert_int_equal(effects.num_writes, 1);
  assert_int_equal(effects.num_others, 0);
  assert_same_value(effects.written, dst);

  MlirBlock body;
  MlirRegion region = build_region(&body);
  TileBuilder in_body = build_at_end(f, body);
  tile_copy(&in_body, src, dst);
  scf_yield(&in_body);
  MlirOperation guard = scf_if_op(b, c, region).op;
  effects = (Effects){0};
  assert_false(mlirxEffects(guard, false, count_effect, &effects));
  assert_true(mlirxEffects(guard, true, count_effect, &effects));
  assert_int_equal(effects.num_writes, 1);
  assert_false(mlirxIsMemoryEffectFree(guard));
  // Nothing is known about an unregistered op.
  MlirOperation unknown =
      mlirBlockGetFirstOperation(mlirModuleGetBody(f->module));
  assert_false(mlirxEffects(unknown, true, count_effect, &effects));
  mlirIRRewriterDestroy(in_body.rw);
}

static void test_traits(void **state) {
  BuildFixture *f = *state;
  TileBuilder *b = &f->builder;
  MlirValue x = build_arg(f, "i32"), m = build_arg(f, "memref<8xi32>"),
            i = build_arg(f, "index");
  MlirOperation add = arith_addi_op(b, x, x).op;
  MlirOperation divide = arith_divsi_op(b, x, x).op;
  MlirOperation load = memref_load_op(b, m, TILE_VALUES(i)).op;
  MlirOperation store = memref_store_op(b, x, m, TILE_VALUES(i)).op;

  assert_true(mlirxIsPure(add));
  assert_true(mlirxIsMemoryEffectFree(add) && mlirxIsTriviallyDead(add));
  // Division may trap, so it is not moved; unused, it may go.
  assert_false(mlirxIsPure(divide));
  assert_true(mlirxIsMemoryEffectFree(divide) && mlirxIsTriviallyDead(divide));
  assert_false(mlirxIsMemoryEffectFree(load));
  assert_true(mlirxIsTriviallyDead(load));
  assert_false(mlirxIsTriviallyDead(store));
  assert_false(mlirxIsTerminator(store));
  assert_true(mlirxIsTerminator(scf_yield(b).op));
}

static void test_constants(void **state) {
  BuildFixture *f = *state;
  TileBuilder *b = &f->builder;
  MlirValue x = build_arg(f, "index");
  MlirValue three = arith_constant(b, build_attribute(f, "3 : index"));
  MlirValue half = arith_constant(b, build_attribute(f, "0.5 : f32"));
  int64_t number = 0;
  MlirAttribute attribute;

  assert_true(mlirxConstantInt(three, &number));
  assert_int_equal(number, 3);
  assert_false(mlirxConstantInt(x, &number));
  assert_false(mlirxConstantInt(half, &number));
  assert_true(mlirxConstantAttr(half, &attribute));
  assert_true(mlirAttributeEqual(attribute, build_attribute(f, "0.5 : f32")));
  assert_false(mlirxConstantAttr(x, &attribute));
}

//===-- Blocks and analyses -----------------------------------------------===//

static void test_blocks(void **state) {
  BuildFixture *f = *state;
  TileBuilder *b = &f->builder;
  MlirValue x = build_arg(f, "i32");
  build_arg(f, "i64");
  build_arg(f, "f32");
  MlirValue y = build_arg(f, "i16");
  MlirOperation first = arith_addi_op(b, x, x).op;
  MlirOperation second = arith_addi_op(b, y, y).op;

  mlirxEraseArguments(f->body, 1, 2);
  assert_int_equal(mlirBlockGetNumArguments(f->body), 2);
  assert_same_value(mlirBlockGetArgument(f->body, 1), y);
  MlirBlock rest = mlirxSplitBlock(b->rw, second);
  assert_ptr_equal(mlirBlockGetNextInRegion(f->body).ptr, rest.ptr);
  assert_ptr_equal(mlirOperationGetBlock(first).ptr, f->body.ptr);
  assert_ptr_equal(mlirOperationGetBlock(second).ptr, rest.ptr);
  assert_null(mlirOperationGetNextInBlock(first).ptr);
}

static void test_analyses(void **state) {
  BuildFixture *f = *state;
  MlirBlock block;
  MlirRegion region = build_region(&block);
  MlirValue x =
      mlirBlockAddArgument(block, build_type(f, "i32"), f->builder.loc);
  TileBuilder b = build_at_end(f, block);
  MlirOperation first = arith_addi_op(&b, x, x).op;
  MlirValue sum = mlirOperationGetResult(first, 0);
  MlirOperation second = arith_muli_op(&b, sum, x).op;
  func_return(&b);
  // The order of the body's own ops means nothing to MLIR: it is a graph.
  MlirOperation function =
      func_func_op(&f->builder, "function", build_type(f, "(i32) -> ()"),
                   .body = region)
          .op;

  MlirxDominance dominance = mlirxDominanceCreate(function);
  assert_true(mlirxDominates(dominance, first, second));
  assert_false(mlirxDominates(dominance, second, first));
  assert_false(mlirxDominates(dominance, first, first));
  mlirxDominanceDestroy(dominance);
  mlirIRRewriterDestroy(b.rw);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      BUILD_TEST(test_clone),       BUILD_TEST(test_clone_regions),
      BUILD_TEST(test_diagnostics), BUILD_TEST(test_effects),
      BUILD_TEST(test_traits),      BUILD_TEST(test_constants),
      BUILD_TEST(test_blocks),      BUILD_TEST(test_analyses),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
