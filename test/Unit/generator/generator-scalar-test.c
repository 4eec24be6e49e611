//===- generator-scalar-test.c - Built arith, math, affine, vector ops ----===//
//
// Each op is built through the bindings, printed, and read back through its
// accessors. Covers inferred results, enums of both kinds, maps and arrays.
//
//===----------------------------------------------------------------------===//

#include "build-check.h"

#include "Tile/Ops/affine.h"
#include "Tile/Ops/arith.h"
#include "Tile/Ops/math.h"
#include "Tile/Ops/vector.h"

static void test_arith_integers(void **state) {
  BuildFixture *f = *state;
  TileBuilder *b = &f->builder;
  MlirValue x = build_arg(f, "i64"), y = build_arg(f, "i64");

  ArithConstantOp seven = arith_constant_op(b, build_attribute(f, "7 : i64"));
  check_op(seven.op, "%c7_i64 = arith.constant 7 : i64");
  assert_int_equal(mlirIntegerAttrGetValueInt(arith_constant_value_attr(seven)),
                   7);

  ArithAddIOp plain = arith_addi_op(b, x, y);
  check_op(plain.op, "%0 = arith.addi %arg0, %arg1 : i64");
  assert_int_equal(arith_addi_overflowFlags(plain),
                   ARITH_INTEGER_OVERFLOW_FLAGS_none);
  ArithAddIOp add = arith_addi_op(
      b, x, y,
      .overflowFlags = TILE_SOME(ARITH_INTEGER_OVERFLOW_FLAGS_nsw |
                                 ARITH_INTEGER_OVERFLOW_FLAGS_nuw));
  check_op(add.op, "%1 = arith.addi %arg0, %arg1 overflow<nsw, nuw> : i64");
  assert_int_equal(arith_addi_overflowFlags(add), 3);
  assert_same_value(arith_addi_lhs(add), x);
  assert_same_value(arith_addi_rhs(add), y);

  ArithCmpIOp less = arith_cmpi_op(b, .predicate = ARITH_CMP_I_PREDICATE_slt,
                                   .lhs = x, .rhs = y);
  check_op(less.op, "%2 = arith.cmpi slt, %arg0, %arg1 : i64");
  assert_int_equal(arith_cmpi_predicate(less), ARITH_CMP_I_PREDICATE_slt);

  ArithSelectOp select = arith_select_op(b, arith_cmpi_result(less), x, y);
  check_op(select.op, "%3 = arith.select %2, %arg0, %arg1 : i64");
  arith_select_set_true_value(select, y);
  check_op(select.op, "%3 = arith.select %2, %arg1, %arg1 : i64");
  assert_same_value(arith_select_true_value(select), y);

  ArithIndexCastOp cast = arith_index_cast_op(b, build_type(f, "index"), x);
  check_op(cast.op, "%4 = arith.index_cast %arg0 : i64 to index");
  ArithMulIOp product = arith_muli_op(b, arith_addi(b, x, y), y);
  check_op(product.op, "%6 = arith.muli %5, %arg1 : i64");
  check_module(f);
}

static void test_arith_floats(void **state) {
  BuildFixture *f = *state;
  TileBuilder *b = &f->builder;
  MlirValue x = build_arg(f, "f32"), y = build_arg(f, "f32");

  ArithAddFOp add =
      arith_addf_op(b, x, y,
                    .fastmath = TILE_SOME(ARITH_FAST_MATH_FLAGS_contract |
                                          ARITH_FAST_MATH_FLAGS_nnan));
  check_op(add.op,
           "%0 = arith.addf %arg0, %arg1 fastmath<nnan,contract> : f32");
  assert_int_equal(arith_addf_fastmath(add),
                   ARITH_FAST_MATH_FLAGS_contract | ARITH_FAST_MATH_FLAGS_nnan);
  ArithCmpFOp equal = arith_cmpf_op(b, ARITH_CMP_F_PREDICATE_OEQ, x, y);
  check_op(equal.op, "%1 = arith.cmpf oeq, %arg0, %arg1 : f32");
  ArithTruncFOp narrow =
      arith_truncf_op(b, build_type(f, "bf16"), x,
                      .roundingmode = TILE_SOME(ARITH_ROUNDING_MODE_downward));
  check_op(narrow.op, "%2 = arith.truncf %arg0 downward : f32 to bf16");
  assert_int_equal(arith_truncf_roundingmode(narrow),
                   ARITH_ROUNDING_MODE_downward);
  ArithMaximumFOp larger = arith_maximumf_op(b, x, y);
  check_op(larger.op, "%3 = arith.maximumf %arg0, %arg1 : f32");

  MathFmaOp fma = math_fma_op(
      b, x, y, x, .fastmath = TILE_SOME(ARITH_FAST_MATH_FLAGS_fast));
  check_op(fma.op, "%4 = math.fma %arg0, %arg1, %arg0 fastmath<fast> : f32");
  assert_int_equal(math_fma_fastmath(fma), ARITH_FAST_MATH_FLAGS_fast);
  MathExp2Op power = math_exp2_op(b, x);
  check_op(power.op, "%5 = math.exp2 %arg0 : f32");
  assert_same_value(math_exp2_operand(power), x);
  check_module(f);
}

static void test_casts(void **state) {
  BuildFixture *f = *state;
  TileBuilder *b = &f->builder;
  MlirValue x = build_arg(f, "f32");
  MlirOperation exp = math_exp2_op(b, x).op;

  assert_true(math_exp2_is(exp));
  assert_false(math_exp_is(exp));
  assert_false(math_exp2_is(TILE_NULL_OP));
  assert_ptr_equal(math_exp2_dyn(exp).op.ptr, exp.ptr);
  assert_ptr_equal(math_exp2_cast(exp).op.ptr, exp.ptr);
  assert_null(math_exp_dyn(exp).op.ptr);
}

static void test_affine(void **state) {
  BuildFixture *f = *state;
  TileBuilder *b = &f->builder;
  MlirValue i = build_arg(f, "index"), n = build_arg(f, "index");
  MlirAttribute map =
      build_attribute(f, "affine_map<(d0)[s0] -> (d0 * 2 + s0)>");

  AffineAffineApplyOp apply =
      affine_apply_op(b, .map = mlirAffineMapAttrGetValue(map),
                      .mapOperands = TILE_VALUES(i, n));
  check_op(apply.op,
           "%0 = affine.apply affine_map<(d0)[s0] -> (d0 * 2 + s0)>(%arg0)"
           "[%arg1]");
  assert_true(mlirAffineMapEqual(affine_apply_map(apply),
                                 mlirAffineMapAttrGetValue(map)));
  TileRange operands = affine_apply_mapOperands(apply);
  assert_int_equal(operands.n, 2);
  assert_same_value(tile_range_at(operands, 1), n);
  check_module(f);
}

static void test_vector_access(void **state) {
  BuildFixture *f = *state;
  TileBuilder *b = &f->builder;
  MlirValue m = build_arg(f, "memref<8x32xf32>"), i = build_arg(f, "index");
  MlirType row = build_type(f, "vector<4xf32>");

  VectorLoadOp load =
      vector_load_op(b, row, .base = m, .indices = TILE_VALUES(i, i),
                     .alignment = TILE_SOME(16));
  check_op(load.op, "%0 = vector.load %arg0[%arg1, %arg1] {alignment = 16 : "
                    "i64} : memref<8x32xf32>, vector<4xf32>");
  assert_int_equal(vector_load_alignment(load), 16);
  assert_false(vector_load_nontemporal(load));
  VectorStoreOp store = vector_store_op(
      b, .valueToStore = vector_load_result(load), .base = m,
      .indices = TILE_VALUES(i, i), .nontemporal = TILE_SOME(true));
  check_op(store.op, "vector.store %0, %arg0[%arg1, %arg1] {nontemporal = "
                     "true} : memref<8x32xf32>, vector<4xf32>");
  assert_true(vector_store_nontemporal(store));
  check_module(f);
}

static void test_vector_elements(void **state) {
  BuildFixture *f = *state;
  TileBuilder *b = &f->builder;
  MlirValue x = build_arg(f, "f32"), i = build_arg(f, "index");

  MlirValue v = vector_broadcast(b, build_type(f, "vector<4xf32>"), x);
  check_op(mlirOpResultGetOwner(v),
           "%0 = vector.broadcast %arg0 : f32 to vector<4xf32>");
  VectorExtractOp fixed =
      vector_extract_op(b, v, .static_position = TILE_I64S(2));
  check_op(fixed.op, "%1 = vector.extract %0[2] : f32 from vector<4xf32>");
  assert_int_equal(vector_extract_static_position_size(fixed), 1);
  assert_int_equal(vector_extract_static_position(fixed, 0), 2);
  VectorExtractOp dynamic =
      vector_extract_op(b, v, .dynamic_position = TILE_VALUES(i),
                        .static_position = TILE_I64S(INT64_MIN));
  check_op(dynamic.op,
           "%2 = vector.extract %0[%arg1] : f32 from vector<4xf32>");
  assert_int_equal(vector_extract_dynamic_position(dynamic).n, 1);
  VectorInsertOp insert =
      vector_insert_op(b, x, v, .static_position = TILE_I64S(0));
  check_op(insert.op,
           "%3 = vector.insert %arg0, %0 [0] : f32 into vector<4xf32>");

  VectorReductionOp sum = vector_reduction_op(
      b, build_type(f, "f32"), .kind = VECTOR_COMBINING_KIND_ADD, .vector = v);
  check_op(sum.op, "%4 = vector.reduction <add>, %0 : vector<4xf32> into f32");
  assert_int_equal(vector_reduction_kind(sum), VECTOR_COMBINING_KIND_ADD);
  assert_null(vector_reduction_acc(sum).ptr);
  vector_reduction_set_acc(sum, x);
  vector_reduction_set_kind_attr(
      sum,
      VectorCombiningKind_attr(f->context, VECTOR_COMBINING_KIND_MAXIMUMF));
  check_op(sum.op, "%4 = vector.reduction <maximumf>, %0, %arg0 : "
                   "vector<4xf32> into f32");
  assert_same_value(vector_reduction_acc(sum), x);
  assert_int_equal(vector_reduction_kind(sum), VECTOR_COMBINING_KIND_MAXIMUMF);
  check_module(f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      BUILD_TEST(test_arith_integers), BUILD_TEST(test_arith_floats),
      BUILD_TEST(test_casts),          BUILD_TEST(test_affine),
      BUILD_TEST(test_vector_access),  BUILD_TEST(test_vector_elements),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
