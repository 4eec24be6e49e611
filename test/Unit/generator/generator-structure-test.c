//===- generator-structure-test.c - Built func, cf, scf, memref ops -------===//
//
// Regions, successors, symbols, and operand groups: given by segment sizes,
// by the rest of the operands, changed after the op was built.
//
//===----------------------------------------------------------------------===//

#include "build-check.h"

#include "Tile/Ops/arith.h"
#include "Tile/Ops/cf.h"
#include "Tile/Ops/func.h"
#include "Tile/Ops/memref.h"
#include "Tile/Ops/scf.h"

//===-- Functions and branches --------------------------------------------===//

static MlirBlock append_block(BuildFixture *f, MlirRegion region,
                              const char *arg_type) {
  MlirType type = build_type(f, arg_type);
  MlirBlock block = mlirBlockCreate(1, &type, &f->builder.loc);
  mlirRegionAppendOwnedBlock(region, block);
  return block;
}

// An op takes the blocks of the region it is built with.
static void check_holds(MlirRegion region, MlirBlock block) {
  assert_ptr_equal(mlirRegionGetFirstBlock(region).ptr, block.ptr);
}

static void test_function(void **state) {
  BuildFixture *f = *state;
  MlirRegion region = mlirRegionCreate();
  MlirBlock entry = append_block(f, region, "i1");
  MlirBlock left = append_block(f, region, "i1");
  MlirBlock right = append_block(f, region, "i1");
  MlirValue c = mlirBlockGetArgument(entry, 0);

  TileBuilder in_entry = build_at_end(f, entry);
  ControlFlowCondBranchOp branch = cf_cond_br_op(
      &in_entry, c, .trueDestOperands = TILE_VALUES(c),
      .falseDestOperands = TILE_VALUES(c), .branch_weights = TILE_I32S(7, 1),
      .trueDest = left, .falseDest = right);
  TileBuilder in_left = build_at_end(f, left);
  cf_assert(&in_left, c, "is \"true\"");
  ControlFlowBranchOp jump = cf_br_op(&in_left, TILE_VALUES(c), right);
  TileBuilder in_right = build_at_end(f, right);
  func_return(&in_right, TILE_VALUES(c));
  // Unregistered ops hide the symbols around them, so this is not in the body.
  TileBuilder at_top = build_at_end(f, mlirModuleGetBody(f->module));
  FuncFuncOp function = func_func_op(
      &at_top, "choose", build_type(f, "(i1) -> i1"),
      .sym_visibility = "private", .no_inline = true, .body = region);

  check_op(function.op, "func.func private @choose(%arg0: i1) -> i1 "
                        "attributes {no_inline} {\n"
                        "  cf.cond_br %arg0 weights([7, 1]), ^bb1(%arg0 : i1), "
                        "^bb2(%arg0 : i1)\n"
                        "^bb1(%0: i1):  // pred: ^bb0\n"
                        "  cf.assert %arg0, \"is \\22true\\22\"\n"
                        "  cf.br ^bb2(%arg0 : i1)\n"
                        "^bb2(%1: i1):  // 2 preds: ^bb0, ^bb1\n"
                        "  return %arg0 : i1\n"
                        "}");
  check_string(func_func_sym_name(function), "choose");
  check_string(func_func_sym_visibility(function), "private");
  assert_true(func_func_no_inline(function));
  check_holds(func_func_body(function), entry);
  assert_ptr_equal(cf_cond_br_trueDest(branch).ptr, left.ptr);
  assert_ptr_equal(cf_cond_br_falseDest(branch).ptr, right.ptr);
  assert_int_equal(cf_cond_br_branch_weights(branch, 0), 7);
  assert_ptr_equal(cf_br_dest(jump).ptr, right.ptr);

  MlirValue argument = arith_constant(&at_top, build_attribute(f, "true"));
  FuncCallOp call =
      func_call_op(&at_top, .type = TILE_TYPES(build_type(f, "i1")),
                   .callee = "choose", .operands = TILE_VALUES(argument));
  check_op(call.op, "%0 = func.call @choose(%true) : (i1) -> i1");
  check_string(func_call_callee(call), "choose");
  check_module(f);
  mlirIRRewriterDestroy(at_top.rw);
  mlirIRRewriterDestroy(in_entry.rw);
  mlirIRRewriterDestroy(in_left.rw);
  mlirIRRewriterDestroy(in_right.rw);
}

//===-- Structured control flow -------------------------------------------===//

static void yield(BuildFixture *f, MlirBlock block, MlirValue value) {
  TileBuilder b = build_at_end(f, block);
  scf_yield(&b, TILE_VALUES(value));
  mlirIRRewriterDestroy(b.rw);
}

static void test_scf_for(void **state) {
  BuildFixture *f = *state;
  MlirValue n = build_arg(f, "index"), x = build_arg(f, "f32");
  MlirBlock body;
  MlirRegion region = build_region(&body);
  mlirBlockAddArgument(body, build_type(f, "index"), f->builder.loc);
  MlirValue carried =
      mlirBlockAddArgument(body, build_type(f, "f32"), f->builder.loc);
  yield(f, body, carried);

  ScfForOp loop = scf_for_op(
      &f->builder, .type = TILE_TYPES(build_type(f, "f32")), .lowerBound = n,
      .upperBound = n, .step = n, .initArgs = TILE_VALUES(x), .region = region);
  check_op(loop.op, "%0 = scf.for %arg2 = %arg0 to %arg0 step %arg0 "
                    "iter_args(%arg3 = %arg1) -> (f32) {\n"
                    "  scf.yield %arg3 : f32\n"
                    "}");
  assert_int_equal(scf_for_initArgs(loop).n, 1);
  assert_same_value(tile_range_first(scf_for_initArgs(loop)), x);
  assert_int_equal(scf_for_results(loop).n, 1);
  check_holds(scf_for_region(loop), body);
  assert_false(scf_for_unsignedCmp(loop));
  scf_for_set_unsignedCmp(loop, true);
  assert_true(scf_for_unsignedCmp(loop));
  check_module(f);
}

static void test_scf_if(void **state) {
  BuildFixture *f = *state;
  MlirValue c = build_arg(f, "i1"), x = build_arg(f, "f32"),
            y = build_arg(f, "f32");
  MlirBlock yes, no, empty;
  MlirRegion then_region = build_region(&yes), else_region = build_region(&no);
  yield(f, yes, x);
  yield(f, no, y);

  ScfIfOp op = scf_if_op(&f->builder, c, then_region, else_region);
  check_op(op.op, "%0 = scf.if %arg0 -> (f32) {\n"
                  "  scf.yield %arg1 : f32\n"
                  "} else {\n"
                  "  scf.yield %arg2 : f32\n"
                  "}");
  assert_int_equal(scf_if_results(op).n, 1);
  check_holds(scf_if_thenRegion(op), yes);
  check_holds(scf_if_elseRegion(op), no);

  // A region that is left out is there, and empty.
  MlirRegion lone = build_region(&empty);
  TileBuilder b = build_at_end(f, empty);
  scf_yield(&b);
  ScfIfOp guard = scf_if_op(&f->builder, c, lone);
  check_op(guard.op, "scf.if %arg0 {\n}");
  assert_null(mlirRegionGetFirstBlock(scf_if_elseRegion(guard)).ptr);
  check_module(f);
  mlirIRRewriterDestroy(b.rw);
}

static void test_scf_switch(void **state) {
  BuildFixture *f = *state;
  MlirValue i = build_arg(f, "index");
  MlirBlock blocks[3];
  MlirRegion regions[3];
  for (int k = 0; k < 3; k++) {
    regions[k] = build_region(&blocks[k]);
    yield(f, blocks[k], i);
  }
  ScfIndexSwitchOp op = scf_index_switch_op(
      &f->builder, .type = TILE_TYPES(build_type(f, "index")), .arg = i,
      .cases = TILE_I64S(2, 5), .defaultRegion = regions[0],
      .caseRegions = {&regions[1], 2});
  check_op(op.op, "%0 = scf.index_switch %arg0 -> index \n"
                  "case 2 {\n"
                  "  scf.yield %arg0 : index\n"
                  "}\n"
                  "case 5 {\n"
                  "  scf.yield %arg0 : index\n"
                  "}\n"
                  "default {\n"
                  "  scf.yield %arg0 : index\n"
                  "}");
  assert_int_equal(scf_index_switch_cases_size(op), 2);
  assert_int_equal(scf_index_switch_cases(op, 1), 5);
  check_module(f);
}

static void test_scf_while(void **state) {
  BuildFixture *f = *state;
  MlirValue c = build_arg(f, "i1");
  MlirType i1 = build_type(f, "i1");
  MlirBlock head, tail;
  MlirRegion before = build_region(&head), after = build_region(&tail);
  MlirValue again = mlirBlockAddArgument(head, i1, f->builder.loc);
  yield(f, tail, mlirBlockAddArgument(tail, i1, f->builder.loc));
  TileBuilder b = build_at_end(f, head);
  ScfConditionOp condition = scf_condition_op(&b, again, TILE_VALUES(again));

  ScfWhileOp op =
      scf_while_op(&f->builder, TILE_TYPES(i1), TILE_VALUES(c), before, after);
  check_op(op.op, "%0 = scf.while (%arg1 = %arg0) : (i1) -> i1 {\n"
                  "  scf.condition(%arg1) %arg1 : i1\n"
                  "} do {\n"
                  "^bb0(%arg1: i1):\n"
                  "  scf.yield %arg1 : i1\n"
                  "}");
  assert_same_value(scf_condition_condition(condition), again);
  assert_int_equal(scf_condition_args(condition).n, 1);
  check_holds(scf_while_before(op), head);
  check_holds(scf_while_after(op), tail);
  check_module(f);
  mlirIRRewriterDestroy(b.rw);
}

//===-- Buffers -----------------------------------------------------------===//

static void test_memref(void **state) {
  BuildFixture *f = *state;
  TileBuilder *b = &f->builder;
  MlirValue i = build_arg(f, "index"), j = build_arg(f, "index"),
            x = build_arg(f, "f32");

  MemRefAllocOp alloc = memref_alloc_op(b, build_type(f, "memref<?x64xf32>"),
                                        .dynamicSizes = TILE_VALUES(i),
                                        .alignment = TILE_SOME(128));
  check_op(alloc.op, "%alloc = memref.alloc(%arg0) {alignment = 128 : i64} : "
                     "memref<?x64xf32>");
  assert_int_equal(memref_alloc_dynamicSizes(alloc).n, 1);
  assert_int_equal(memref_alloc_symbolOperands(alloc).n, 0);
  assert_int_equal(memref_alloc_alignment(alloc), 128);
  MlirValue m = memref_alloc_memref(alloc);
  MemRefDimOp dim = memref_dim_op(b, m, i);
  check_op(dim.op, "%dim = memref.dim %alloc, %arg0 : memref<?x64xf32>");
  MemRefStoreOp store =
      memref_store_op(b, .value = x, .memref = m, .indices = TILE_VALUES(i, j));
  check_op(store.op, "memref.store %arg2, %alloc[%arg0, %arg1] : "
                     "memref<?x64xf32>");
  assert_same_value(tile_range_at(memref_store_indices(store), 1), j);
  memref_store_set_indices(store, TILE_VALUES(j, j));
  check_op(store.op, "memref.store %arg2, %alloc[%arg1, %arg1] : "
                     "memref<?x64xf32>");
  MemRefAtomicRMWOp atomic = memref_atomic_rmw_op(
      b, ARITH_ATOMIC_RMW_KIND_maximumf, x, m, TILE_VALUES(i, j));
  check_op(atomic.op, "%0 = memref.atomic_rmw maximumf %arg2, "
                      "%alloc[%arg0, %arg1] : (f32, memref<?x64xf32>) -> f32");
  assert_int_equal(memref_atomic_rmw_kind(atomic),
                   ARITH_ATOMIC_RMW_KIND_maximumf);
  MemRefLoadOp load = memref_load_op(b, m, TILE_VALUES(i, i));
  check_op(load.op, "%1 = memref.load %alloc[%arg0, %arg0] : memref<?x64xf32>");
  check_module(f);
}

static void test_memref_subview(void **state) {
  BuildFixture *f = *state;
  MlirValue m = build_arg(f, "memref<64x64xf32>"), i = build_arg(f, "index"),
            j = build_arg(f, "index");
  MemRefSubViewOp op = memref_subview_op(
      &f->builder,
      build_type(f, "memref<8x16xf32, strided<[64, 1], offset: ?>>"),
      .source = m, .offsets = TILE_VALUES(i),
      .static_offsets = TILE_I64S(INT64_MIN, 32),
      .static_sizes = TILE_I64S(8, 16), .static_strides = TILE_I64S(1, 1));
  check_op(op.op, "%subview = memref.subview %arg0[%arg1, 32] [8, 16] [1, 1] : "
                  "memref<64x64xf32> to "
                  "memref<8x16xf32, strided<[64, 1], offset: ?>>");
  assert_int_equal(memref_subview_offsets(op).n, 1);
  assert_int_equal(memref_subview_sizes(op).n, 0);
  assert_int_equal(memref_subview_static_sizes(op, 1), 16);

  // Operands and the sizes of their segments change together.
  memref_subview_set_offsets(op, TILE_VALUES(j, i));
  memref_subview_set_static_offsets_attr(
      op, build_attribute(f, "array<i64: -9223372036854775808, "
                             "-9223372036854775808>"));
  check_op(op.op, "%subview = memref.subview %arg0[%arg2, %arg1] [8, 16] "
                  "[1, 1] : memref<64x64xf32> to "
                  "memref<8x16xf32, strided<[64, 1], offset: ?>>");
  assert_int_equal(memref_subview_offsets(op).n, 2);
  assert_int_equal(memref_subview_offsets(op).start, 1);
  assert_int_equal(memref_subview_strides(op).n, 0);
  assert_int_equal(memref_subview_strides(op).start, 3);
  check_module(f);
}

static void test_memref_global(void **state) {
  BuildFixture *f = *state;
  TileBuilder at_top = build_at_end(f, mlirModuleGetBody(f->module));
  MemRefGlobalOp global = memref_global_op(
      &at_top, .sym_name = "table", .sym_visibility = "private",
      .type = build_type(f, "memref<2xf32>"),
      .initial_value = build_attribute(f, "dense<[1.0, 2.0]> : tensor<2xf32>"),
      .constant = true, .alignment = TILE_SOME(16));
  check_op(global.op, "memref.global \"private\" constant @table : "
                      "memref<2xf32> = dense<[1.000000e+00, 2.000000e+00]> "
                      "{alignment = 16 : i64}");
  check_string(memref_global_sym_name(global), "table");
  assert_true(memref_global_constant(global));
  assert_true(mlirTypeEqual(memref_global_type(global),
                            build_type(f, "memref<2xf32>")));
  MemRefGetGlobalOp get = memref_get_global_op(
      &at_top, build_type(f, "memref<2xf32>"), .name = "table");
  check_op(get.op, "%0 = memref.get_global @table : memref<2xf32>");
  check_string(memref_get_global_name(get), "table");

  check_module(f);
  mlirIRRewriterDestroy(at_top.rw);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      BUILD_TEST(test_function),       BUILD_TEST(test_scf_for),
      BUILD_TEST(test_scf_if),         BUILD_TEST(test_scf_switch),
      BUILD_TEST(test_scf_while),      BUILD_TEST(test_memref),
      BUILD_TEST(test_memref_subview), BUILD_TEST(test_memref_global),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
