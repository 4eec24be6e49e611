//===- generator-tile-test.c - Built tile ops, attributes and types -------===//
//
// Results inferred by a C hook, defaults that MLIR fills in, variadic regions,
// and the C functions of the dialect's own attributes and types.
//
//===----------------------------------------------------------------------===//

#include "build-check.h"

#include "Tile/Ops/arith.h"
#include "Tile/Ops/func.h"
#include "Tile/Ops/gpu.h"
#include "Tile/Ops/tile.h"
#include "TileAttrsCAPI.h"
#include "mlir-c/Diagnostics.h"

#define SHARED "memref<128x64xbf16, #gpu.address_space<workgroup>>"

static void test_alloc(void **state) {
  BuildFixture *f = *state;
  TileBuilder *b = &f->builder;
  TileAllocOp alloc = tile_alloc_op(
      b, build_type(f, SHARED),
      .layout = tile_layout_attr(f->context, TILE_STR("swizzle<128>")),
      .alignment = TILE_SOME(1024));
  check_op(alloc.op, "%0 = tile.alloc {alignment = 1024 : i64, layout = "
                     "#tile.layout<\"swizzle<128>\">} : " SHARED);
  assert_int_equal(tile_alloc_alignment(alloc), 1024);
  assert_null(tile_alloc_offset_attr(alloc).ptr);
  assert_int_equal(tile_alloc_offset(alloc), 0);
  tile_alloc_set_offset_attr(alloc, build_attribute(f, "2048 : i64"));
  assert_int_equal(tile_alloc_offset(alloc), 2048);
  tile_alloc_set_layout_attr(alloc, (MlirAttribute){NULL});
  check_op(alloc.op, "%0 = tile.alloc {alignment = 1024 : i64, offset = 2048 : "
                     "i64} : " SHARED);

  TileStorageOp storage = tile_storage_op(
      b,
      tile_alloc(b, build_type(f, SHARED),
                 .layout = tile_layout_attr(f->context, TILE_STR("linear"))));
  check_op(storage.op, "%2 = tile.storage %1 : " SHARED);
  check_module(f);
}

static void test_region(void **state) {
  BuildFixture *f = *state;
  TileBuilder *b = &f->builder;
  MlirValue a = build_arg(f, "memref<?x?x?xbf16>"), i = build_arg(f, "index"),
            pad = build_arg(f, "bf16");
  TileRegionOp region = tile_region_op(
      b, .source = a, .offsets = TILE_VALUES(i),
      .static_offsets = TILE_I64S(INT64_MIN, 0, 64),
      .static_sizes = TILE_I64S(1, 128, 64), .dropped = TILE_I64S(0));
  check_op(region.op, "%0 = tile.region %arg0[%arg1, 0, 64] [1, 128, 64] drop "
                      "[0] : memref<?x?x?xbf16>");
  MlirType type = mlirValueGetType(tile_region_region(region));
  assert_true(tile_region_type_is(type));
  assert_int_equal(tile_region_type_shape(type).n, 2);
  assert_int_equal(tile_region_type_shape(type).p[0], 128);
  assert_true(mlirTypeIsABF16(tile_region_type_elementType(type)));
  assert_null(tile_region_type_memorySpace(type).ptr);
  assert_true(mlirTypeEqual(
      type, tile_region_type(f->context, TILE_I64S(128, 64),
                             build_type(f, "bf16"), (MlirAttribute){NULL})));
  assert_int_equal(tile_region_offsets(region).n, 1);
  assert_null(tile_region_pad(region).ptr);
  assert_int_equal(tile_region_dropped_size(region), 1);

  tile_region_set_pad(region, pad);
  check_op(region.op, "%0 = tile.region %arg0[%arg1, 0, 64] [1, 128, 64] drop "
                      "[0] pad %arg2 : bf16 in : memref<?x?x?xbf16>");
  assert_same_value(tile_region_pad(region), pad);
  check_module(f);
}

static MlirLogicalResult count_errors(MlirDiagnostic diagnostic,
                                      void *user_data) {
  *(int *)user_data +=
      mlirDiagnosticGetSeverity(diagnostic) == MlirDiagnosticError;
  return mlirLogicalResultSuccess();
}

// The C hook rejects a tile without layout: it says so, and there is no op.
static void test_inference_fails(void **state) {
  BuildFixture *f = *state;
  int num_errors = 0;
  mlirContextAttachDiagnosticHandler(f->context, count_errors, &num_errors,
                                     NULL);
  TileStorageOp storage = tile_storage_op(&f->builder, build_arg(f, SHARED));
  assert_null(storage.op.ptr);
  assert_int_equal(num_errors, 1);
}

static void test_copy(void **state) {
  BuildFixture *f = *state;
  TileBuilder *b = &f->builder;
  MlirValue src = build_arg(f, "memref<128x64xbf16>"),
            dst = build_arg(f, SHARED),
            barrier = build_arg(f, "!tile.barrier<3>"),
            slot = build_arg(f, "index"),
            map = build_arg(f, "!tile.tensor_map");

  TileCopyOp copy = tile_copy(b, src, dst, .vector_width = TILE_SOME(8),
                              .prefer = TILE_SOME(TILE_INSTR_CpAsync),
                              .eviction = TILE_SOME(TILE_EVICTION_First));
  check_op(copy.op, "tile.copy %arg0 to %arg1 {eviction = "
                    "#tile.eviction<first>, prefer = #tile.instr<cp_async>, "
                    "vector_width = 8 : i64} : memref<128x64xbf16>, " SHARED);
  assert_same_value(tile_copy_src(copy), src);
  assert_same_value(tile_copy_dst(copy), dst);
  assert_null(tile_copy_signal(copy).ptr);
  assert_null(tile_copy_instr_attr(copy).ptr);
  assert_int_equal(tile_copy_prefer(copy), TILE_INSTR_CpAsync);
  assert_int_equal(tile_copy_eviction(copy), TILE_EVICTION_First);
  assert_int_equal(tile_copy_vector_width(copy), 8);

  tile_copy_set_instr_attr(copy, TileInstr_attr(f->context, TILE_INSTR_Tma));
  tile_copy_set_signal(copy, barrier);
  tile_copy_set_slot(copy, slot);
  tile_copy_set_map(copy, map);
  assert_int_equal(tile_copy_instr(copy), TILE_INSTR_Tma);
  assert_same_value(tile_copy_map(copy), map);
  assert_same_value(tile_copy_signal(copy), barrier);
  assert_same_value(tile_copy_slot(copy), slot);
  tile_copy_set_map(copy, TILE_NULL_VALUE);
  check_op(copy.op, "tile.copy %arg0 to %arg1 signal %arg2[%arg3] of "
                    "!tile.barrier<3> {eviction = #tile.eviction<first>, "
                    "instr = #tile.instr<tma>, prefer = #tile.instr<cp_async>, "
                    "vector_width = 8 : i64} : memref<128x64xbf16>, " SHARED);
  assert_same_value(tile_copy_slot(copy), slot);
}

static void test_gemm(void **state) {
  BuildFixture *f = *state;
  TileBuilder *b = &f->builder;
  MlirValue a = build_arg(f, "memref<128x64xf16, #tile.fragment>"),
            w = build_arg(f, "memref<64x64xf16, #tile.fragment>"),
            c = build_arg(f, "memref<128x64xf32, #tile.fragment>"),
            clear = build_arg(f, "i1"), zero = build_arg(f, "f32");
  TileGemmOp gemm = tile_gemm(b, a, w, c, .transpose_b = true);
  check_op(gemm.op, "tile.gemm %arg0, %arg1, %arg2 {transpose_b} : "
                    "(memref<128x64xf16, #tile.fragment>, memref<64x64xf16, "
                    "#tile.fragment>, memref<128x64xf32, #tile.fragment>)");
  // MLIR fills in the default of an attribute that was left out.
  assert_int_equal(tile_gemm_policy(gemm), TILE_WARP_POLICY_Square);
  assert_non_null(tile_gemm_policy_attr(gemm).ptr);
  assert_false(tile_gemm_transpose_a(gemm));
  assert_true(tile_gemm_transpose_b(gemm));
  assert_null(tile_gemm_precision(gemm).data);
  tile_gemm_set_clear(gemm, clear);
  assert_same_value(tile_gemm_clear(gemm), clear);
  tile_gemm_set_policy_attr(
      gemm, TileWarpPolicy_attr(f->context, TILE_WARP_POLICY_FullRow));
  assert_int_equal(tile_gemm_policy(gemm), TILE_WARP_POLICY_FullRow);
  check_op(tile_fill(b, c, zero).op,
           "tile.fill %arg2, %arg4 : memref<128x64xf32, #tile.fragment>, f32");
  check_module(f);
}

static void test_barriers(void **state) {
  BuildFixture *f = *state;
  TileBuilder *b = &f->builder;
  MlirValue slot = build_arg(f, "index"), parity = build_arg(f, "i32");
  MlirType type = tile_barrier_type(f->context, 3);
  assert_int_equal(tile_barrier_type_slots(type), 3);
  MlirValue bar = tile_barrier_alloc(b, type, .offset = TILE_SOME(64));
  check_op(mlirOpResultGetOwner(bar),
           "%0 = tile.barrier_alloc {offset = 64 : i64} : !tile.barrier<3>");
  check_op(tile_barrier_init(b, bar, 1).op,
           "tile.barrier_init %0 arrivals 1 : !tile.barrier<3>");
  TileBarrierExpectOp expect = tile_barrier_expect(b, bar, slot, 16384);
  check_op(expect.op,
           "tile.barrier_expect %0[%arg0] bytes 16384 : !tile.barrier<3>");
  assert_int_equal(tile_barrier_expect_bytes(expect), 16384);
  check_op(tile_barrier_arrive(b, bar, slot).op,
           "tile.barrier_arrive %0[%arg0] : !tile.barrier<3>");
  check_op(tile_barrier_wait(b, bar, slot, parity).op,
           "tile.barrier_wait %0[%arg0] parity %arg1 : !tile.barrier<3>");
  check_op(tile_fence_proxy(b).op, "tile.fence_proxy");
  check_op(tile_barrier_sync(b).op, "tile.barrier_sync");
  TileBarrierSyncOp part =
      tile_barrier_sync(b, .id = TILE_SOME(1), .threads = TILE_SOME(128));
  check_op(part.op, "tile.barrier_sync {id = 1 : i64, threads = 128 : i64}");
  check_module(f);
}

static void test_host(void **state) {
  BuildFixture *f = *state;
  TileBuilder *b = &f->builder;
  MlirValue x = build_arg(f, "index"), ok = build_arg(f, "i1");
  TileBlockSwizzleOp swizzle =
      tile_block_swizzle(b, x, x, x, x, .serpentine = true,
                         .raster = TILE_SOME(TILE_RASTER_Column));
  check_op(swizzle.op,
           "%new_x, %new_y = tile.block_swizzle %arg0, %arg0 of %arg0, "
           "%arg0 {raster = #tile.raster<column>, serpentine}");
  assert_int_equal(tile_block_swizzle_panel(swizzle), 8);
  assert_int_equal(tile_block_swizzle_raster(swizzle), TILE_RASTER_Column);
  assert_same_value(tile_block_swizzle_new_y(swizzle),
                    mlirOperationGetResult(swizzle.op, 1));
  TileTensorMapOp map =
      tile_tensor_map_op(b, .tensor = build_arg(f, "memref<?x?xbf16>"),
                         .box = TILE_I64S(128, 64), .swizzle = TILE_SOME(128));
  check_op(map.op, "%0 = tile.tensor_map %arg2 box [128, 64] swizzle 128 : "
                   "memref<?x?xbf16>");
  assert_int_equal(tile_tensor_map_box(map, 0), 128);
  TileRequireOp require = tile_require(b, ok, "rows are \"aligned\"");
  check_op(require.op, "tile.require %arg1, \"rows are \\22aligned\\22\"");
  check_string(tile_require_text(require), "rows are \"aligned\"");
  check_op(tile_num_sms_op(b).op, "%1 = tile.num_sms");
}

static void test_kernel_config(void **state) {
  BuildFixture *f = *state;
  MlirBlock body;
  MlirRegion region = build_region(&body);
  TileBuilder b = build_at_end(f, body);
  TileKernelConfigOp config = tile_kernel_config(
      &b, .min_blocks = TILE_SOME(2), .persist = TILE_SOME(false),
      .specialize = TILE_SOME(TILE_SPECIALIZE_Off));
  func_return(&b);
  func_func(&f->builder, "kernel", build_type(f, "() -> ()"), .body = region);
  check_op(config.op, "tile.kernel_config {min_blocks = 2 : i64, persist = "
                      "false, specialize = #tile.specialize<off>}");
  assert_int_equal(tile_kernel_config_min_blocks(config), 2);
  assert_non_null(tile_kernel_config_persist_attr(config).ptr);
  assert_false(tile_kernel_config_persist(config));
  assert_int_equal(tile_kernel_config_specialize(config), TILE_SPECIALIZE_Off);
  assert_null(tile_kernel_config_registers_attr(config).ptr);
  check_module(f);
  mlirIRRewriterDestroy(b.rw);
}

static void test_variants(void **state) {
  BuildFixture *f = *state;
  MlirBlock fast, plain;
  MlirRegion regions[] = {build_region(&fast), build_region(&plain)};
  TileVariantsOp variants =
      tile_variants(&f->builder, .variants = {regions, 2});
  assert_int_equal(mlirOperationGetNumRegions(variants.op), 2);
  for (intptr_t i = 0; i < 2; i++)
    assert_ptr_equal(
        mlirRegionGetFirstBlock(mlirOperationGetRegion(variants.op, i)).ptr,
        (i ? plain : fast).ptr);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      BUILD_TEST(test_alloc),
      BUILD_TEST(test_region),
      BUILD_TEST(test_inference_fails),
      BUILD_TEST(test_copy),
      BUILD_TEST(test_gemm),
      BUILD_TEST(test_barriers),
      BUILD_TEST(test_host),
      BUILD_TEST(test_kernel_config),
      BUILD_TEST(test_variants),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
