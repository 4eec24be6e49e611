//===- generator-gpu-test.c - Built gpu, nvgpu, nvvm, llvm ops ------------===//
//
// Enums that are dialect attributes, optional operands in the middle of the
// list, and ODS properties, which no other bound dialect has.
//
//===----------------------------------------------------------------------===//

#include "build-check.h"

#include "Tile/Ops/arith.h"
#include "Tile/Ops/gpu.h"
#include "Tile/Ops/llvm.h"
#include "Tile/Ops/nvgpu.h"
#include "Tile/Ops/nvvm.h"

//===-- gpu ---------------------------------------------------------------===//

static void test_gpu(void **state) {
  BuildFixture *f = *state;
  TileBuilder *b = &f->builder;
  MlirValue x = build_arg(f, "f32"), n = build_arg(f, "i32");

  GPUThreadIdOp tid = gpu_thread_id_op(b, .dimension = GPU_DIMENSION_y,
                                       .upper_bound = TILE_SOME(128));
  check_op(tid.op, "%thread_id_y = gpu.thread_id  y upper_bound 128");
  assert_int_equal(gpu_thread_id_dimension(tid), GPU_DIMENSION_y);
  assert_int_equal(gpu_thread_id_upper_bound(tid), 128);
  check_op(gpu_barrier(b).op, "gpu.barrier");
  GPUShuffleOp shuffle = gpu_shuffle_op(b, x, .offset = n, .width = n,
                                        .mode = GPU_SHUFFLE_MODE_UP);
  check_op(shuffle.op, "%shuffleResult, %valid = gpu.shuffle  up %arg0, %arg1, "
                       "%arg1 : f32");
  assert_int_equal(gpu_shuffle_mode(shuffle), GPU_SHUFFLE_MODE_UP);
  assert_int_equal(mlirOperationGetNumResults(shuffle.op), 2);
  GPUAllReduceOp sum = gpu_all_reduce_op(
      b, x, .op_ = TILE_SOME(GPU_ALL_REDUCE_OPERATION_ADD), .uniform = true);
  check_op(sum.op,
           "%0 = gpu.all_reduce  add %arg0 uniform {\n} : (f32) -> f32");
  assert_int_equal(gpu_all_reduce_op_(sum), GPU_ALL_REDUCE_OPERATION_ADD);
  assert_true(gpu_all_reduce_uniform(sum));
  gpu_all_reduce_set_uniform(sum, false);
  assert_false(gpu_all_reduce_uniform(sum));
  check_module(f);
}

// Block ids, thread ids, grid and block sizes.
enum { NUM_LAUNCH_ARGS = 12 };

static void test_gpu_launch(void **state) {
  BuildFixture *f = *state;
  MlirValue n = build_arg(f, "index"), bytes = build_arg(f, "i32");
  MlirBlock body;
  MlirRegion region = build_region(&body);
  for (int i = 0; i < NUM_LAUNCH_ARGS; i++)
    mlirBlockAddArgument(body, build_type(f, "index"), f->builder.loc);
  TileBuilder in_body = build_at_end(f, body);
  gpu_terminator(&in_body);

  GPULaunchOp launch = gpu_launch_op(
      &f->builder, .gridSizeX = n, .gridSizeY = n, .gridSizeZ = n,
      .blockSizeX = n, .blockSizeY = n, .blockSizeZ = n, .body = region);
  assert_null(gpu_launch_clusterSizeX(launch).ptr);
  assert_null(gpu_launch_dynamicSharedMemorySize(launch).ptr);
  assert_int_equal(gpu_launch_asyncDependencies(launch).n, 0);
  check_module(f);

  gpu_launch_set_dynamicSharedMemorySize(launch, bytes);
  assert_same_value(gpu_launch_dynamicSharedMemorySize(launch), bytes);
  assert_null(gpu_launch_clusterSizeZ(launch).ptr);
  gpu_launch_set_gridSizeY(launch, gpu_launch_blockSizeZ(launch));
  check_op(launch.op,
           "gpu.launch blocks(%arg2, %arg3, %arg4) in (%arg8 = %arg0, "
           "%arg9 = %arg0, %arg10 = %arg0) threads(%arg5, %arg6, %arg7) in "
           "(%arg11 = %arg0, %arg12 = %arg0, %arg13 = %arg0) "
           "dynamic_shared_memory_size %arg1 {\n  gpu.terminator\n}");
  check_module(f);
  gpu_launch_set_dynamicSharedMemorySize(launch, TILE_NULL_VALUE);
  assert_null(gpu_launch_dynamicSharedMemorySize(launch).ptr);
  assert_int_equal(mlirOperationGetNumOperands(launch.op), 6);
  check_module(f);
  mlirIRRewriterDestroy(in_body.rw);
}

static void test_gpu_async_results(void **state) {
  BuildFixture *f = *state;
  MlirType type = build_type(f, "memref<8xf32, 1>");
  GPUAllocOp alloc =
      gpu_alloc_op(&f->builder, .memref_type = type,
                   .asyncToken_type = build_type(f, "!gpu.async.token"));
  check_op(alloc.op, "%memref, %asyncToken = gpu.alloc async () : "
                     "memref<8xf32, 1>");
  assert_non_null(gpu_alloc_asyncToken(alloc).ptr);
  GPUAllocOp host =
      gpu_alloc_op(&f->builder, .memref_type = build_type(f, "memref<8xf32>"),
                   .hostShared = false);
  assert_null(gpu_alloc_asyncToken(host).ptr);
  check_module(f);
}

//===-- nvgpu -------------------------------------------------------------===//

static void test_nvgpu(void **state) {
  BuildFixture *f = *state;
  TileBuilder *b = &f->builder;
  MlirValue shared =
      build_arg(f, "memref<8x32xf16, #gpu.address_space<workgroup>>");
  MlirValue global = build_arg(f, "memref<8x32xf16>");
  MlirValue i = build_arg(f, "index");

  NVGPULdMatrixOp load = nvgpu_ldmatrix_op(
      b, build_type(f, "vector<4x2xf16>"), .srcMemref = shared,
      .indices = TILE_VALUES(i, i), .transpose = true, .numTiles = 4);
  check_op(load.op,
           "%0 = nvgpu.ldmatrix %arg0[%arg2, %arg2] {numTiles = 4 : i32, "
           "transpose = true} : memref<8x32xf16, #gpu.address_space<workgroup>>"
           " -> vector<4x2xf16>");
  assert_true(nvgpu_ldmatrix_transpose(load));
  assert_int_equal(nvgpu_ldmatrix_numTiles(load), 4);

  NVGPUDeviceAsyncCopyOp copy = nvgpu_device_async_copy_op(
      b, .dst = shared, .dstIndices = TILE_VALUES(i, i), .src = global,
      .srcIndices = TILE_VALUES(i, i), .dstElements = 8, .bypassL1 = true);
  check_op(copy.op,
           "%1 = nvgpu.device_async_copy %arg1[%arg2, %arg2], %arg0[%arg2, "
           "%arg2], 8 {bypassL1} : memref<8x32xf16> to memref<8x32xf16, "
           "#gpu.address_space<workgroup>>");
  assert_same_value(nvgpu_device_async_copy_src(copy), global);
  assert_null(nvgpu_device_async_copy_srcElements(copy).ptr);
  assert_int_equal(nvgpu_device_async_copy_srcIndices(copy).start, 4);
  assert_true(nvgpu_device_async_copy_bypassL1(copy));
  MlirValue group = nvgpu_device_async_create_group(
      b, TILE_VALUES(nvgpu_device_async_copy_asyncToken(copy)));
  NVGPUDeviceAsyncWaitOp wait =
      nvgpu_device_async_wait_op(b, group, .numGroups = TILE_SOME(1));
  check_op(wait.op, "nvgpu.device_async_wait %2 {numGroups = 1 : i32}");
  assert_int_equal(nvgpu_device_async_wait_numGroups(wait), 1);
  check_module(f);
}

static void test_nvgpu_barrier(void **state) {
  BuildFixture *f = *state;
  TileBuilder *b = &f->builder;
  MlirValue i = build_arg(f, "index"), p = build_arg(f, "i1");
  MlirValue barriers = nvgpu_mbarrier_create(
      b, build_type(f, "!nvgpu.mbarrier.group<memorySpace = "
                       "#gpu.address_space<workgroup>, num_barriers = 2>"));
  check_op(nvgpu_mbarrier_init(b, barriers, .count = i, .mbarId = i).op,
           "nvgpu.mbarrier.init %0[%arg0], %arg0 : <memorySpace = "
           "#gpu.address_space<workgroup>, num_barriers = 2>");
  NVGPUMBarrierArriveExpectTxOp arrive = nvgpu_mbarrier_arrive_expect_tx(
      b, .barriers = barriers, .txcount = i, .mbarId = i, .predicate = p);
  check_op(arrive.op,
           "nvgpu.mbarrier.arrive.expect_tx %0[%arg0], %arg0, predicate = "
           "%arg1 : <memorySpace = #gpu.address_space<workgroup>, "
           "num_barriers = 2>");
  assert_same_value(nvgpu_mbarrier_arrive_expect_tx_predicate(arrive), p);
  // An optional operand at the end, without segment sizes.
  nvgpu_mbarrier_arrive_expect_tx_set_predicate(arrive, TILE_NULL_VALUE);
  assert_null(nvgpu_mbarrier_arrive_expect_tx_predicate(arrive).ptr);
  nvgpu_mbarrier_arrive_expect_tx_set_predicate(arrive, p);
  assert_same_value(nvgpu_mbarrier_arrive_expect_tx_predicate(arrive), p);
  check_module(f);
}

//===-- nvvm --------------------------------------------------------------===//

static void test_nvvm(void **state) {
  BuildFixture *f = *state;
  TileBuilder *b = &f->builder;
  MlirValue barrier = build_arg(f, "!llvm.ptr<3>"), n = build_arg(f, "i32");

  check_op(nvvm_mbarrier_init(b, .addr = barrier, .count = n).op,
           "nvvm.mbarrier.init %arg0, %arg1 : !llvm.ptr<3>, i32");
  NVVMFenceProxyOp fence =
      nvvm_fence_proxy(b, .kind = NVVM_PROXY_KIND_async_shared,
                       .space = TILE_SOME(NVVM_SHARED_SPACE_shared_cta));
  check_op(fence.op, "nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, "
                     "space = #nvvm.shared_space<cta>}");
  assert_int_equal(nvvm_fence_proxy_kind(fence), NVVM_PROXY_KIND_async_shared);
  assert_int_equal(nvvm_fence_proxy_space(fence), NVVM_SHARED_SPACE_shared_cta);
  NVVMSetMaxRegisterOp registers = nvvm_setmaxregister(
      b, .regCount = 232, .action = NVVM_SET_MAX_REGISTER_ACTION_increase);
  check_op(registers.op, "nvvm.setmaxregister  increase 232");
  assert_int_equal(nvvm_setmaxregister_regCount(registers), 232);
  assert_int_equal(nvvm_setmaxregister_action(registers),
                   NVVM_SET_MAX_REGISTER_ACTION_increase);
  check_op(nvvm_wgmma_wait_group_sync_aligned(b, .group = 1).op,
           "nvvm.wgmma.wait.group.sync.aligned 1");
  NVVMShflOp shuffle = nvvm_shfl_sync_op(b, build_type(f, "i32"), n, n, n, n,
                                         NVVM_SHFL_KIND_bfly);
  check_op(shuffle.op, "%0 = nvvm.shfl.sync  bfly %arg1, %arg1, %arg1, %arg1 : "
                       "i32 -> i32");
  assert_int_equal(nvvm_shfl_sync_kind(shuffle), NVVM_SHFL_KIND_bfly);
  assert_false(nvvm_shfl_sync_return_value_and_is_valid(shuffle));
  NVVMElectSyncOp elected = nvvm_elect_sync_op(b, build_type(f, "i1"));
  check_op(elected.op, "%1 = nvvm.elect.sync -> i1");
  check_module(f);
}

static void test_nvvm_copy(void **state) {
  BuildFixture *f = *state;
  MlirValue barrier = build_arg(f, "!llvm.ptr<3>"), n = build_arg(f, "i32");
  NVVMCpAsyncBulkTensorGlobalToSharedClusterOp copy =
      nvvm_cp_async_bulk_tensor_shared_cluster_global(
          &f->builder, .dstMem = build_arg(f, "!llvm.ptr<7>"),
          .tmaDescriptor = build_arg(f, "!llvm.ptr"),
          .coordinates = TILE_VALUES(n, n), .mbar = barrier,
          .mode = TILE_SOME(NVVM_TMA_LOAD_MODE_TILE));
  check_op(copy.op,
           "nvvm.cp.async.bulk.tensor.shared.cluster.global %arg2, %arg3, "
           "%arg0, box[%arg1, %arg1] : !llvm.ptr<7>, !llvm.ptr");
  assert_int_equal(
      nvvm_cp_async_bulk_tensor_shared_cluster_global_coordinates(copy).n, 2);
  assert_same_value(nvvm_cp_async_bulk_tensor_shared_cluster_global_mbar(copy),
                    barrier);
  assert_int_equal(nvvm_cp_async_bulk_tensor_shared_cluster_global_mode(copy),
                   NVVM_TMA_LOAD_MODE_TILE);
  nvvm_cp_async_bulk_tensor_shared_cluster_global_set_coordinates(
      copy, TILE_VALUES(n));
  assert_same_value(nvvm_cp_async_bulk_tensor_shared_cluster_global_mbar(copy),
                    barrier);
  check_module(f);
}

//===-- llvm --------------------------------------------------------------===//

static void test_llvm_properties(void **state) {
  BuildFixture *f = *state;
  TileBuilder *b = &f->builder;
  MlirValue x = build_arg(f, "i64"), p = build_arg(f, "!llvm.ptr");

  LLVMAddOp add = llvm_add_op(
      b, x, x, .overflowFlags = TILE_SOME(LLVM_INTEGER_OVERFLOW_FLAGS_nsw));
  check_op(add.op, "%0 = llvm.add %arg0, %arg0 overflow<nsw> : i64");
  assert_int_equal(llvm_add_overflowFlags(add),
                   LLVM_INTEGER_OVERFLOW_FLAGS_nsw);
  assert_int_equal(llvm_add_overflowFlags(llvm_add_op(b, x, x)),
                   LLVM_INTEGER_OVERFLOW_FLAGS_none);
  llvm_add_set_overflowFlags_attr(
      add, tile_ods_int_attr(b, LLVM_INTEGER_OVERFLOW_FLAGS_nuw, 32));
  assert_int_equal(llvm_add_overflowFlags(add),
                   LLVM_INTEGER_OVERFLOW_FLAGS_nuw);

  LLVMGEPOp gep = llvm_getelementptr_op(
      b, build_type(f, "!llvm.ptr"), .base = p,
      .dynamicIndices = TILE_VALUES(x),
      .rawConstantIndices = TILE_I32S(INT32_MIN, 3),
      .elem_type = build_type(f, "!llvm.array<8 x f32>"),
      .noWrapFlags = TILE_SOME(LLVM_GEP_NO_WRAP_FLAGS_inbounds));
  check_op(gep.op, "%2 = llvm.getelementptr inbounds %arg1[%arg0, 3] : "
                   "(!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<8 x f32>");
  assert_int_equal(llvm_getelementptr_noWrapFlags(gep) &
                       LLVM_GEP_NO_WRAP_FLAGS_inboundsFlag,
                   LLVM_GEP_NO_WRAP_FLAGS_inboundsFlag);
  assert_int_equal(llvm_getelementptr_rawConstantIndices(gep, 1), 3);
  check_module(f);
}

static void test_llvm(void **state) {
  BuildFixture *f = *state;
  TileBuilder *b = &f->builder;
  MlirValue p = build_arg(f, "!llvm.ptr"), n = build_arg(f, "i32");
  MlirType f32 = build_type(f, "f32");

  LLVMLoadOp load =
      llvm_load_op(b, f32, p, .alignment = TILE_SOME(4), .volatile_ = true,
                   .ordering = TILE_SOME(LLVM_ATOMIC_ORDERING_acquire),
                   .syncscope = "block");
  check_op(load.op, "%0 = llvm.load volatile %arg0 atomic "
                    "syncscope(\"block\") acquire {alignment = 4 : i64} : "
                    "!llvm.ptr -> f32");
  assert_int_equal(llvm_load_ordering(load), LLVM_ATOMIC_ORDERING_acquire);
  check_string(llvm_load_syncscope(load), "block");
  assert_true(llvm_load_volatile_(load));

  LLVMCallIntrinsicOp call = llvm_call_intrinsic_op(
      b, f32, .intrin = "llvm.nvvm.ex2.approx.ftz.f",
      .args = TILE_VALUES(llvm_load_res(load)), .op_bundle_sizes = {NULL, 0});
  check_op(call.op, "%1 = llvm.call_intrinsic \"llvm.nvvm.ex2.approx.ftz.f\""
                    "(%0) : (f32) -> f32");
  check_string(llvm_call_intrinsic_intrin(call), "llvm.nvvm.ex2.approx.ftz.f");
  LLVMInlineAsmOp code = llvm_inline_asm_op(
      b, .operands = TILE_VALUES(n), .asm_string = "bar.sync $0;",
      .constraints = "r", .has_side_effects = true,
      .asm_dialect = TILE_SOME(LLVM_ASM_DIALECT_AD_ATT));
  check_op(code.op, "llvm.inline_asm has_side_effects asm_dialect = att "
                    "\"bar.sync $0;\", \"r\" %arg1 : (i32) -> ()");
  assert_null(llvm_inline_asm_res(code).ptr);
  LLVMICmpOp less = llvm_icmp_op(b, LLVM_I_CMP_PREDICATE_ult, n, n);
  check_op(less.op, "%2 = llvm.icmp \"ult\" %arg1, %arg1 : i32");
  check_module(f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      BUILD_TEST(test_gpu),
      BUILD_TEST(test_gpu_launch),
      BUILD_TEST(test_gpu_async_results),
      BUILD_TEST(test_nvgpu),
      BUILD_TEST(test_nvgpu_barrier),
      BUILD_TEST(test_nvvm),
      BUILD_TEST(test_nvvm_copy),
      BUILD_TEST(test_llvm_properties),
      BUILD_TEST(test_llvm),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
