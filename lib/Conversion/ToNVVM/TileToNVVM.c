//===- TileToNVVM.c - Kernels to the llvm and nvvm dialects ---------------===//
//
// Consumes: `gpu.func` kernels inside a `gpu.module`, control flow in `cf`.
// Produces: `llvm.func` kernels with the parameters of KernelParams.h. Scalar
//           arithmetic and branches stay in `arith` and `cf` for the upstream
//           conversions that follow (index is 32 bits wide there).
//           Ops of other dialects stay, on memrefs and vectors (Foreign.c).
// Fails:    an op without a lowering on this path, by name.
// Method:   docs/Rationale/Lowering.md. One function per op; Lowering.h holds
//           the state.
//
//===----------------------------------------------------------------------===//

#include "LoweredOps.h"
#include "Memory/Memories.h"

#include "Analysis/Index/Index.h"
#include "Analysis/Memory/Memory.h"
#include "Dialect/ForeignOps.h"
#include "Dialect/KernelParams.h"
#include "Support/Constants.h"
#include "Support/Diagnostics.h"
#include "Support/Iterate.h"
#include "Tile/Ops/gpu.h"
#include "Tile/Ops/llvm.h"
#include "Tile/Ops/memref.h"
#include "Tile/Ops/nvgpu.h"
#include "Tile/Ops/vector.h"
#include "TilePasses.h"
#include "mlir-c/Dialect/LLVM.h"

//===-- The table ---------------------------------------------------------===//

typedef struct {
  bool (*is)(MlirOperation op);
  LowerOp lower;
  bool (*serves)(Lowering *l,
                 MlirOperation op); // else upstream does; null: all
} LowerEntry;

static const LowerEntry table[] = {
    {small_float_cast_is, lower_small_float_cast},
    {int_float_cast_is, lower_int_float_cast},
    {math_function_is, lower_math_function},
    {gpu_block_dim_is, lower_gpu_block_dim},
    {gpu_block_id_is, lower_gpu_block_id},
    {gpu_dynamic_shared_memory_is, lower_gpu_dynamic_shared_memory},
    {gpu_grid_dim_is, lower_gpu_grid_dim},
    {gpu_num_subgroups_is, lower_gpu_num_subgroups},
    {gpu_return_is, lower_gpu_return},
    {gpu_subgroup_id_is, lower_gpu_subgroup_id},
    {gpu_subgroup_size_is, lower_gpu_subgroup_size},
    {gpu_thread_id_is, lower_gpu_thread_id},
    {memref_assume_alignment_is, lower_memref_cast, serves_cast},
    {memref_cast_is, lower_memref_cast, serves_cast},
    {memref_dim_is, lower_memref_dim, serves_dim},
    {memref_load_is, lower_memref_load, serves_access},
    {memref_store_is, lower_memref_store, serves_access},
    {memref_reinterpret_cast_is, lower_memref_reinterpret_cast,
     serves_reinterpret_cast},
    {memref_select_is, lower_memref_select},
    {memref_subview_is, lower_memref_subview, serves_subview},
    {memref_atomic_rmw_is, lower_memref_atomic_rmw, serves_access},
    {memref_generic_atomic_rmw_is, lower_memref_generic_atomic_rmw,
     serves_access},
    {tile_all_of_is, lower_tile_all_of},
    {tile_advance_is, lower_tile_advance},
    {tile_alloc_is, lower_tile_alloc},
    {tile_assert_is, lower_tile_assert},
    {tile_any_of_is, lower_tile_any_of},
    {tile_atomic_is, lower_tile_atomic},
    {tile_atomic_load_is, lower_tile_atomic_load},
    {tile_barrier_alloc_is, lower_tile_barrier_alloc},
    {tile_barrier_arrive_is, lower_tile_barrier_arrive},
    {tile_barrier_expect_is, lower_tile_barrier_expect},
    {tile_barrier_init_is, lower_tile_barrier_init},
    {tile_await_is, lower_tile_await},
    {tile_barrier_sync_is, lower_tile_barrier_sync},
    {tile_barrier_wait_is, lower_tile_barrier_wait},
    {tile_block_swizzle_is, lower_tile_block_swizzle},
    {tile_channel_barriers_is, lower_tile_channel_barriers},
    {tile_clock_is, lower_tile_clock},
    {tile_cluster_sync_is, lower_tile_cluster_sync},
    {tile_copy_is, lower_tile_copy},
    {tile_cp_async_commit_is, lower_tile_cp_async_commit},
    {tile_cp_async_wait_is, lower_tile_cp_async_wait},
    {tile_fence_is, lower_tile_fence},
    {tile_fence_proxy_is, lower_tile_fence_proxy},
    {tile_fill_is, lower_tile_fill},
    {tile_gemm_is, lower_tile_product},
    {tile_gemm_sp_is, lower_tile_product},
    {tile_grid_sync_is, lower_tile_grid_sync},
    {tile_im2col_is, lower_tile_region},
    {tile_kernel_config_is, lower_tile_kernel_config},
    {tile_launch_next_is, lower_tile_launch_next},
    {tile_launch_wait_is, lower_tile_launch_wait},
    {tile_map_make_is, lower_tile_map_make},
    {tile_map_place_is, lower_tile_map_place},
    {tile_reduce_is, lower_tile_reduce},
    {tile_print_is, lower_tile_print},
    {tile_region_is, lower_tile_region},
    {tile_remote_is, lower_tile_remote},
    {tile_view_is, lower_tile_view},
    {tile_scan_is, lower_tile_scan},
    {tile_storage_is, lower_tile_storage},
    {tile_tensor_at_is, lower_tile_tensor_at},
    {tile_tma_wait_is, lower_tile_tma_wait},
    {tile_pack_is, lower_tile_pack},
    {tile_unpack_is, lower_tile_unpack},
    {tile_unpack_fp4_is, lower_tile_unpack_fp4},
    {tile_warp_id_is, lower_tile_warp_id},
    {nvgpu_device_async_copy_is, lower_nvgpu_device_async_copy},
    {nvgpu_device_async_create_group_is, lower_nvgpu_device_async_create_group},
    {nvgpu_device_async_wait_is, lower_nvgpu_device_async_wait},
    {nvgpu_ldmatrix_is, lower_nvgpu_ldmatrix},
    {nvgpu_mma_sync_is, lower_nvgpu_mma_sync},
    {nvgpu_mma_sp_sync_is, lower_nvgpu_mma_sp_sync},
    {vector_bitcast_is, lower_vector_bitcast, serves_vector},
    {vector_extract_is, lower_vector_extract, serves_vector},
    {vector_extract_strided_slice_is, lower_vector_extract_strided_slice,
     serves_vector},
    {vector_from_elements_is, lower_vector_from_elements, serves_vector},
    {vector_load_is, lower_vector_load, serves_vector_access},
    {vector_store_is, lower_vector_store, serves_vector_access},
};

static LowerOp find_lowering(Lowering *l, MlirOperation op) {
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (table[i].is(op))
      return !table[i].serves || table[i].serves(l, op) ? table[i].lower : NULL;
  return NULL;
}

// Upstream has conversions for other dialects, which run after this pass. Those
// of math call a library that is not there, and an op with regions is
// structured control flow that nobody took apart.
static bool needs_lowering(MlirOperation op) {
  static const char *const dialects[] = {"tile.", "nvgpu.", "math.", "scf.",
                                         "affine."};
  if (mlirOperationGetNumRegions(op) > 0)
    return true;
  if (math_native_is(op))
    return false;
  for (size_t i = 0; i < sizeof dialects / sizeof *dialects; i++)
    if (tile_op_name_begins(op, dialects[i]))
      return true;
  return false;
}

//===-- The function ------------------------------------------------------===//

enum { MAX_ARGUMENTS = 128 };

typedef struct {
  MlirType *types; // of the llvm.func
  MlirAttribute *attrs;
  intptr_t count;
  intptr_t num_inputs, num_workgroup; // of the gpu.func, which memories follow
  int counts[MAX_ARGUMENTS]; // parameters of every argument of the gpu.func
} Signature;

static MlirType param_type(Lowering *l, const TileKernelParam *param) {
  switch (param->kind) {
  case TILE_KERNEL_PARAM_TENSOR_MAP:
    return type_pointer(l, 0);
  case TILE_KERNEL_PARAM_POINTER:
    return type_pointer(l, 1);
  case TILE_KERNEL_PARAM_EXTENT:
  case TILE_KERNEL_PARAM_STRIDE:
  case TILE_KERNEL_PARAM_SCALAR:
    break;
  }
  return param->type;
}

// A tensor map is passed by value and must stay in the parameter space.
static MlirAttribute param_attr(Lowering *l, const TileKernelParam *param) {
  MlirStringRef text =
      param->kind == TILE_KERNEL_PARAM_TENSOR_MAP
          ? TILE_STR("{llvm.byval = !llvm.struct<(array<16 x i64>)>, "
                     "llvm.align = 64 : i64, nvvm.grid_constant}")
          : TILE_STR("{}");
  return mlirAttributeParseGet(tile_builder_context(&l->b), text);
}

// Memory that a kernel declares comes after its arguments.
static bool check_attributions(Lowering *l, MlirOperation func,
                               intptr_t num_inputs) {
  MlirBlock entry = tile_kernel_body(func);
  for (intptr_t i = num_inputs; i < mlirBlockGetNumArguments(entry); i++) {
    TileShape shape;
    if (tile_shape_of(mlirBlockGetArgument(entry, i), &shape) &&
        tile_shape_num_elems(&shape) > 0)
      continue;
    lower_fail(l, func, "has an attribution without a static shape");
    return false;
  }
  return true;
}

static bool build_signature(Lowering *l, MlirOperation func, Signature *out) {
  MlirBlock entry = tile_kernel_body(func);
  intptr_t num_args =
      mlirFunctionTypeGetNumInputs(gpu_func_function_type(gpu_func_cast(func)));
  out->num_inputs = num_args;
  out->num_workgroup = tile_kernel_number(func, "workgroup_attributions", 0);
  if (num_args > MAX_ARGUMENTS) {
    lower_fail(l, func, "has %d arguments, at most %d are supported",
               (int)num_args, MAX_ARGUMENTS);
    return false;
  }
  if (!check_attributions(l, func, num_args))
    return false;
  size_t capacity = (size_t)num_args * TILE_KERNEL_MAX_PARAMS + 1;
  out->types = TILE_ARENA_NEW(l->arena, MlirType, capacity);
  out->attrs = TILE_ARENA_NEW(l->arena, MlirAttribute, capacity);
  out->count = 0;
  for (intptr_t i = 0; i < num_args; i++) {
    TileKernelParam params[TILE_KERNEL_MAX_PARAMS];
    MlirType type = mlirValueGetType(mlirBlockGetArgument(entry, i));
    out->counts[i] = tile_kernel_params_of_type(type, params);
    if (out->counts[i] < 0) {
      lower_fail(l, func, "argument %d cannot be passed to a kernel", (int)i);
      return false;
    }
    for (int k = 0; k < out->counts[i]; k++) {
      out->types[out->count] = param_type(l, &params[k]);
      out->attrs[out->count++] = param_attr(l, &params[k]);
    }
  }
  return true;
}

static void set_attr(MlirOperation op, const char *name, MlirAttribute value) {
  mlirOperationSetDiscardableAttributeByName(op, tile_str(name), value);
}

// PTX ISA, .reqntid and .minnctapersm; setmaxnreg is ignored without them.
static void set_kernel_attrs(Lowering *l, MlirOperation func,
                             TileKernelConfigOp config) {
  MlirContext context = tile_builder_context(&l->b);
  int32_t block[3];
  for (int i = 0; i < 3; i++)
    block[i] = (int32_t)l->block_size[i];
  int64_t min_blocks = 1;
  if (config.op.ptr &&
      !mlirAttributeIsNull(tile_kernel_config_min_blocks_attr(config)))
    min_blocks = tile_kernel_config_min_blocks(config);
  set_attr(func, "gpu.kernel", mlirUnitAttrGet(context)); // for launch_func
  set_attr(func, "nvvm.kernel", mlirUnitAttrGet(context));
  if (block[0])
    set_attr(func, "nvvm.reqntid", mlirDenseI32ArrayGet(context, 3, block));
  set_attr(func, "nvvm.minctasm", mlirIntegerAttrGet(l->i32.type, min_blocks));
  if (config.op.ptr &&
      !mlirAttributeIsNull(tile_kernel_config_registers_attr(config)))
    set_attr(
        func, "nvvm.maxnreg",
        mlirIntegerAttrGet(l->i32.type, tile_kernel_config_registers(config)));
}

static MlirOperation build_function(Lowering *l, MlirOperation func,
                                    const Signature *signature) {
  MlirContext context = tile_builder_context(&l->b);
  MlirStringRef name = mlirStringAttrGetValue(
      mlirOperationGetAttributeByName(func, TILE_STR("sym_name")));
  mlirRewriterBaseSetInsertionPointBefore(l->b.rw, func);
  LLVMLLVMFuncOp lowered = llvm_func_op(
      &l->b, .sym_name = tile_arena_strdup(l->arena, name.data, name.length),
      .function_type =
          mlirLLVMFunctionTypeGet(mlirLLVMVoidTypeGet(context),
                                  signature->count, signature->types, false),
      .linkage = mlirLLVMLinkageAttrGet(context, MlirLLVMLinkageExternal),
      .CConv = mlirLLVMCConvAttrGet(context, MlirLLVMCConvC),
      .arg_attrs =
          mlirArrayAttrGet(context, signature->count, signature->attrs));
  set_kernel_attrs(l, lowered.op, tile_kernel_config_of(func));
  mlirRegionTakeBody(mlirOperationGetRegion(lowered.op, 0),
                     mlirOperationGetRegion(func, 0));
  return lowered.op;
}

//===-- Arguments ---------------------------------------------------------===//

// Strides that are not passed follow from the layout of the type.
static void memref_strides(Lowering *l, Memory *memory, MlirType type,
                           MlirValue *dynamic) {
  int64_t strides[TILE_KERNEL_PARAM_MAX_RANK], offset;
  mlirMemRefTypeGetStridesAndOffset(type, strides, &offset);
  bool identity = mlirAffineMapIsIdentity(mlirMemRefTypeGetAffineMap(type));
  TileInt running = tile_int_constant(1);
  for (int d = memory->rank - 1; d >= 0; d--) {
    if (identity) {
      memory->stride[d] = running;
      running =
          tile_int_mul_value(&l->i64, running, extend(l, memory->extent[d]));
    } else {
      memory->stride[d] = mlirShapedTypeIsDynamicStrideOrOffset(strides[d])
                              ? tile_int_value(dynamic[d])
                              : tile_int_constant(strides[d]);
    }
  }
}

static void lower_memref_argument(Lowering *l, MlirValue arg,
                                  const TileKernelParam *params, int count,
                                  MlirBlock entry, intptr_t first) {
  MlirType type = mlirValueGetType(arg);
  Memory *memory =
      memory_add(l, arg, TILE_SPACE_GLOBAL, mlirShapedTypeGetElementType(type),
                 mlirBlockGetArgument(entry, first));
  MlirValue strides[TILE_KERNEL_PARAM_MAX_RANK] = {{NULL}};
  memory->rank = (int)mlirShapedTypeGetRank(type);
  if (memory->rank > TILE_MAX_RANK) {
    lower_fail(l, l->func, "a tensor has rank %d, at most %d is supported",
               memory->rank, TILE_MAX_RANK);
    return;
  }
  for (int d = 0; d < memory->rank; d++)
    memory->extent[d] = tile_int_constant(mlirShapedTypeGetDimSize(type, d));
  for (int k = 1; k < count; k++) {
    MlirValue value = mlirBlockGetArgument(entry, first + k);
    if (params[k].kind == TILE_KERNEL_PARAM_EXTENT)
      memory->extent[params[k].dim] = tile_int_value(value);
    else
      strides[params[k].dim] = value;
  }
  memref_strides(l, memory, type, strides);
}

static void lower_argument(Lowering *l, MlirValue arg, MlirBlock entry,
                           intptr_t first) {
  TileKernelParam params[TILE_KERNEL_MAX_PARAMS];
  int count = tile_kernel_params_of_type(mlirValueGetType(arg), params);
  MlirValue value = mlirBlockGetArgument(entry, first);
  switch (params[0].kind) {
  case TILE_KERNEL_PARAM_POINTER:
    lower_memref_argument(l, arg, params, count, entry, first);
    break;
  case TILE_KERNEL_PARAM_TENSOR_MAP:
    memory_add(l, arg, TILE_SPACE_OTHER, (MlirType){NULL}, value);
    break;
  default:
    if (mlirTypeIsAIndex(mlirValueGetType(arg)))
      value =
          arith_index_cast(&l->b, .type = mlirValueGetType(arg), .in = value);
    mlirRewriterBaseReplaceAllUsesWith(l->b.rw, arg, value);
    break;
  }
}

// Adds the new parameters after the old ones, which are erased at the end.
static void lower_arguments(Lowering *l, const Signature *signature,
                            intptr_t num_old) {
  MlirBlock entry = tile_kernel_body(l->func);
  for (intptr_t i = 0; i < signature->count; i++)
    mlirBlockAddArgument(entry, signature->types[i], l->b.loc);
  mlirRewriterBaseSetInsertionPointToStart(l->b.rw, entry);
  l->prolog = llvm_mlir_undef_op(&l->b, l->i32.type).op;
  mlirRewriterBaseSetInsertionPointBefore(l->b.rw, l->prolog);
  intptr_t first = num_old;
  for (intptr_t i = 0; i < num_old && !tile_failed(l->result); i++) {
    MlirValue arg = mlirBlockGetArgument(entry, i);
    intptr_t number = i - signature->num_inputs;
    if (number < 0) {
      lower_argument(l, arg, entry, first);
      first += signature->counts[i];
    } else {
      lower_attribution(l, arg, number < signature->num_workgroup, (int)number);
    }
  }
}

//===-- The walk ----------------------------------------------------------===//

// What becomes part of the kernel when `op` is lowered.
static void collect_code(MlirOperation op, TileOpList *list) {
  MlirBlock code = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
  TILE_FOR_EACH_OP (inner, code) {
    if (!memref_atomic_yield_is(inner))
      tile_op_list_add(list, inner);
  }
}

static void collect_ops(Lowering *l, TileOpList *list) {
  MlirRegion body = mlirOperationGetRegion(l->func, 0);
  for (MlirBlock block = mlirRegionGetFirstBlock(body); block.ptr;
       block = mlirBlockGetNextInRegion(block)) {
    TILE_FOR_EACH_OP (op, block) {
      tile_op_list_add(list, op);
      if (memref_generic_atomic_rmw_is(op))
        collect_code(op, list);
    }
  }
}

// What a lowered op computed is gone: an op of another dialect that uses it
// cannot be served.
static bool check_unused(Lowering *l, MlirOperation op) {
  MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++) {
    MlirOpOperand use = mlirValueGetFirstUse(mlirOperationGetResult(op, i));
    if (mlirOpOperandIsNull(use))
      continue;
    lower_fail(l, mlirOpOperandGetOwner(use),
               "uses a value of '%.*s', which has no lowering for it",
               (int)name.length, name.data);
    return false;
  }
  return true;
}

// The same for tensors and tensor maps; scalar arguments have been replaced.
static bool check_arguments_unused(Lowering *l, intptr_t num_old) {
  for (intptr_t i = 0; i < num_old; i++) {
    MlirOpOperand use = mlirValueGetFirstUse(
        mlirBlockGetArgument(tile_kernel_body(l->func), i));
    if (mlirOpOperandIsNull(use))
      continue;
    lower_fail(l, mlirOpOperandGetOwner(use),
               "uses argument %d of the kernel, which has no lowering for it",
               (int)i);
    return false;
  }
  return true;
}

// Threads count from the first warp of the role that `op` was in.
static void enter_role(Lowering *l, MlirOperation op) {
  TileWarps warps;
  bool is_in_role = tile_role_warps_of(op, &warps);
  l->first_warp = is_in_role ? warps.first : 0;
  l->num_threads = tile_op_num_threads(op, l->kernel_threads);
}

// Clusters of blocks are a matter of the chip: LLVM ends the process over them.
static bool check_clusters(Lowering *l, MlirOperation op) {
  if (!tile_op_name_begins(op, "gpu.cluster_") ||
      l->target->max_cluster_blocks > 1)
    return true;
  lower_fail(l, op, "asks for clusters of blocks, which %s does not have",
             l->target->chip);
  return false;
}

static void lower_body(Lowering *l) {
  TileOpList list = {.arena = l->arena};
  warps_meet(l);
  collect_ops(l, &list);
  size_t num_lowered = 0; // lowered ops move to the front of the list
  for (size_t i = 0; i < list.count && !tile_failed(l->result); i++) {
    MlirOperation op = list.items[i];
    LowerOp lower = find_lowering(l, op);
    if (!check_clusters(l, op))
      break;
    if (!lower && needs_lowering(op)) {
      lower_fail(l, op, "has no lowering to nvvm");
      break;
    }
    l->b.loc = mlirOperationGetLocation(op);
    mlirRewriterBaseSetInsertionPointBefore(l->b.rw, op);
    enter_role(l, op);
    if (!lower) {
      lower_foreign_operands(l, op);
      continue;
    }
    lower(l, op);
    list.items[num_lowered++] = op;
  }
  if (tile_failed(l->result))
    return;
  for (size_t i = num_lowered; i > 0 && !tile_failed(l->result); i--)
    if (check_unused(l, list.items[i - 1]))
      mlirRewriterBaseEraseOp(l->b.rw, list.items[i - 1]);
  if (tile_failed(l->result))
    return;
  mlirRewriterBaseEraseOp(l->b.rw, l->prolog);
}

static void read_block_size(Lowering *l, MlirOperation func) {
  MlirAttribute known = gpu_func_known_block_size_attr(gpu_func_cast(func));
  for (int i = 0; i < 3; i++)
    l->block_size[i] = 1;
  if (mlirAttributeIsNull(known)) {
    l->block_size[0] = tile_kernel_num_threads(func);
  } else {
    for (int i = 0; i < 3; i++)
      l->block_size[i] = mlirDenseI32ArrayGetElement(known, i);
  }
  l->kernel_threads = l->block_size[0] * l->block_size[1] * l->block_size[2];
  if (l->kernel_threads < 1) {
    if (tile_kernel_has_tile_ops(func)) {
      lower_fail(l, func, "needs a constant block size");
      return;
    }
    l->kernel_threads = MAX_WARPS * 32; // threads know their own
    for (int i = 0; i < 3; i++)
      l->block_size[i] = 0;
  }
  l->thread_registers =
      tile_kernel_thread_registers(func, l->target, l->kernel_threads);
}

//===-- Entry -------------------------------------------------------------===//

// The state points into itself, so it has a place of its own.
static Lowering *create(TileArena *arena, MlirOperation func,
                        const TileTarget *target) {
  MlirContext context = mlirOperationGetContext(func);
  Lowering *l = TILE_ARENA_NEW(arena, Lowering, 1);
  l->arena = arena;
  l->target = target;
  l->b = (TileBuilder){mlirIRRewriterCreate(context),
                       mlirOperationGetLocation(func)};
  l->i32 = (TileIntMath){&l->b, mlirIntegerTypeGet(context, 32)};
  l->i64 = (TileIntMath){&l->b, mlirIntegerTypeGet(context, 64)};
  l->func = func;
  l->is_thread_code =
      tile_kernel_is_thread_code(func) ||
      (!tile_kernel_has_tile_ops(func) && tile_kernel_num_threads(func) < 1);
  l->result = tile_success();
  return l;
}

// Reads the facts about the windows of a kernel, while its block ids and its
// grid can be seen.
static void window_facts_collect(Lowering *l, MlirOperation func) {
  MlirRegion body = mlirOperationGetRegion(func, 0);
  for (MlirBlock block = mlirRegionGetFirstBlock(body); block.ptr;
       block = mlirBlockGetNextInRegion(block)) {
    TILE_FOR_EACH_OP (op, block) {
      if (!tile_region_is(op))
        continue;
      TileRegionOp region = tile_region_cast(op);
      MlirType type = mlirValueGetType(tile_region_source(region));
      if (!mlirTypeIsAMemRef(type) ||
          mlirShapedTypeGetRank(type) > TILE_MAX_RANK)
        continue;
      WindowFacts *facts = TILE_ARENA_NEW(l->arena, WindowFacts, 1);
      facts->region = op;
      for (int d = 0; d < (int)mlirShapedTypeGetRank(type); d++)
        facts->is_inside[d] = tile_window_is_inside(region, d);
      facts->column_bytes =
          tile_column_align_bytes(mlirOperationGetResult(op, 0));
      facts->next = l->windows;
      l->windows = facts;
    }
  }
}

static MlirLogicalResult lower_kernel(TileArena *arena, MlirOperation func,
                                      const TileTarget *target) {
  Lowering *l = create(arena, func, target);
  Signature signature;
  read_block_size(l, func);
  if (!tile_failed(l->result) && build_signature(l, func, &signature)) {
    intptr_t num_old = mlirBlockGetNumArguments(tile_kernel_body(func));
    window_facts_collect(l, func);
    l->func = build_function(l, func, &signature);
    mlirRewriterBaseEraseOp(l->b.rw, func);
    lower_arguments(l, &signature, num_old);
    if (!tile_failed(l->result))
      lower_body(l);
    if (!tile_failed(l->result) && check_arguments_unused(l, num_old))
      mlirxEraseArguments(tile_kernel_body(l->func), 0, num_old);
    if (!tile_failed(l->result))
      tile_code_tidy(arena, l->func);
  }
  mlirIRRewriterDestroy(l->b.rw);
  return l->result;
}

typedef struct {
  TileArena *arena;
  const char *target_option;
} Run;

static MlirLogicalResult visit_kernel(MlirOperation kernel, void *user_data) {
  Run *run = user_data;
  if (!gpu_func_is(kernel))
    return tile_success();
  if (mlirAttributeIsNull(
          mlirOperationGetAttributeByName(kernel, TILE_STR("gpu.kernel")))) {
    if (!tile_kernel_has_tile_ops(kernel))
      return tile_success(); // upstream converts functions
    return tile_emit_error(kernel, "is no kernel and holds tile ops: what "
                                   "kernels call is inlined first");
  }
  const TileTarget *target;
  if (tile_failed(tile_target_resolve(kernel, run->target_option, &target)))
    return tile_failure();
  return lower_kernel(run->arena, kernel, target);
}

static MlirWalkResult number_spaces(MlirOperation op, void *user_data) {
  (void)user_data;
  if (!gpu_module_is(op))
    return MlirWalkResultAdvance;
  tile_number_memory_spaces(op);
  return MlirWalkResultSkip;
}

MlirLogicalResult
tile_convert_to_nvvm_run(MlirOperation op,
                         const TileConvertToNVVMOptions *options) {
  if (gpu_func_is(op))
    return tile_emit_error(op, "is replaced by convert-tile-to-nvvm, which "
                               "therefore runs on its gpu.module");
  TileArena arena;
  tile_arena_init(&arena);
  Run run = {&arena, options->target};
  MlirLogicalResult result = tile_kernels_visit(op, visit_kernel, &run);
  tile_arena_deinit(&arena);
  if (!tile_failed(result))
    mlirOperationWalk(op, number_spaces, NULL, MlirWalkPreOrder);
  return result;
}
