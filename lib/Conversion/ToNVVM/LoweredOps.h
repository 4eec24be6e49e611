//===- LoweredOps.h - The lowerings of ops, by file -----------------------===//
//
// What the table in TileToNVVM.c calls. Those that lower several ops come with
// the function that says which.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_CONVERSION_LOWERED_OPS_H
#define TILE_CONVERSION_LOWERED_OPS_H

#include "Lowering.h"

/// Lowers `op`; the walk erases it afterwards unless it has uses left.
typedef void (*LowerOp)(Lowering *l, MlirOperation op);

// Scalars.c
void lower_gpu_thread_id(Lowering *l, MlirOperation op);
void lower_gpu_block_id(Lowering *l, MlirOperation op);
void lower_gpu_block_dim(Lowering *l, MlirOperation op);
void lower_gpu_grid_dim(Lowering *l, MlirOperation op);
void lower_gpu_subgroup_id(Lowering *l, MlirOperation op);
void lower_gpu_subgroup_size(Lowering *l, MlirOperation op);
void lower_gpu_num_subgroups(Lowering *l, MlirOperation op);
void lower_gpu_return(Lowering *l, MlirOperation op);
void lower_memref_dim(Lowering *l, MlirOperation op);
bool serves_dim(Lowering *l, MlirOperation op);
void lower_tile_block_swizzle(Lowering *l, MlirOperation op);

// Threads.c
void lower_tile_warp_id(Lowering *l, MlirOperation op);

// Memory/TensorViews.c: of tensors; upstream lowers views of other memory
void lower_memref_subview(Lowering *l, MlirOperation op);
bool serves_subview(Lowering *l, MlirOperation op);
void lower_memref_reinterpret_cast(Lowering *l, MlirOperation op);
bool serves_reinterpret_cast(Lowering *l, MlirOperation op);
/// memref.cast, memref.assume_alignment
void lower_memref_cast(Lowering *l, MlirOperation op);
bool serves_cast(Lowering *l, MlirOperation op);
void lower_tile_tensor_at(Lowering *l, MlirOperation op);

// Copies/MapMakes.c
void lower_tile_map_place(Lowering *l, MlirOperation op);
void lower_tile_map_make(Lowering *l, MlirOperation op);

// Messages.c
void lower_tile_print(Lowering *l, MlirOperation op);
void lower_tile_assert(Lowering *l, MlirOperation op);
void lower_tile_clock(Lowering *l, MlirOperation op);

// Barriers.c
void lower_tile_barrier_alloc(Lowering *l, MlirOperation op);
void lower_tile_barrier_init(Lowering *l, MlirOperation op);
void lower_tile_barrier_arrive(Lowering *l, MlirOperation op);
void lower_tile_barrier_expect(Lowering *l, MlirOperation op);
void lower_tile_barrier_wait(Lowering *l, MlirOperation op);
void lower_tile_barrier_sync(Lowering *l, MlirOperation op);
void lower_tile_fence(Lowering *l, MlirOperation op);
void lower_tile_cluster_sync(Lowering *l, MlirOperation op);
void lower_tile_grid_sync(Lowering *l, MlirOperation op);
void lower_tile_launch_next(Lowering *l, MlirOperation op);
void lower_tile_launch_wait(Lowering *l, MlirOperation op);
void lower_tile_fence_proxy(Lowering *l, MlirOperation op);
void lower_tile_cp_async_commit(Lowering *l, MlirOperation op);
void lower_tile_cp_async_wait(Lowering *l, MlirOperation op);
void lower_tile_advance(Lowering *l, MlirOperation op);
void lower_tile_channel_barriers(Lowering *l, MlirOperation op);

// Memory/Allocations.c
void lower_gpu_dynamic_shared_memory(Lowering *l, MlirOperation op);
void lower_tile_alloc(Lowering *l, MlirOperation op);
void lower_tile_storage(Lowering *l, MlirOperation op);
void lower_tile_remote(Lowering *l, MlirOperation op);
void lower_tile_region(Lowering *l, MlirOperation op); // tile.im2col as well
void lower_tile_view(Lowering *l, MlirOperation op);
void lower_tile_kernel_config(Lowering *l, MlirOperation op);

// Memory/MemrefAccesses.c
void lower_memref_load(Lowering *l, MlirOperation op);
void lower_memref_store(Lowering *l, MlirOperation op);
void lower_vector_load(Lowering *l, MlirOperation op);
void lower_vector_store(Lowering *l, MlirOperation op);

bool serves_access(Lowering *l, MlirOperation op); // of a memory of ours
bool serves_vector_access(Lowering *l, MlirOperation op);

// Memory/Foreign.c
bool memref_select_is(MlirOperation op);
void lower_memref_select(Lowering *l, MlirOperation op);
/// Gives an op that upstream converts its memrefs and vectors as values.
void lower_foreign_operands(Lowering *l, MlirOperation op);

// Memory/Vectors.c
bool serves_vector(Lowering *l, MlirOperation op); // of packed words
void lower_vector_bitcast(Lowering *l, MlirOperation op);
void lower_vector_from_elements(Lowering *l, MlirOperation op);
void lower_vector_extract(Lowering *l, MlirOperation op);
void lower_vector_extract_strided_slice(Lowering *l, MlirOperation op);

// Math/SmallFloatOps.c
bool small_float_cast_is(MlirOperation op);
void lower_small_float_cast(Lowering *l, MlirOperation op);
void lower_tile_unpack_fp4(Lowering *l, MlirOperation op);
void lower_tile_unpack(Lowering *l, MlirOperation op);
void lower_tile_pack(Lowering *l, MlirOperation op);

// Math/IntFloatCasts.c
bool int_float_cast_is(MlirOperation op);
void lower_int_float_cast(Lowering *l, MlirOperation op);

// Math/MathFunctions.c
bool math_function_is(MlirOperation op);
bool math_native_is(MlirOperation op);
void lower_math_function(Lowering *l, MlirOperation op);

// Copies/Copies.c
void lower_tile_copy(Lowering *l, MlirOperation op);
void lower_tile_fill(Lowering *l, MlirOperation op);

// Copies/TmaCopies.c
void lower_tile_tma_wait(Lowering *l, MlirOperation op); // TmaCopies.c

// Products/WgmmaProducts.c
void lower_tile_product(Lowering *l, MlirOperation op);
void lower_tile_await(Lowering *l, MlirOperation op);

// Products/NvgpuOps.c
void lower_nvgpu_ldmatrix(Lowering *l, MlirOperation op);
void lower_nvgpu_mma_sync(Lowering *l, MlirOperation op);
void lower_nvgpu_mma_sp_sync(Lowering *l, MlirOperation op);
void lower_nvgpu_device_async_copy(Lowering *l, MlirOperation op);
void lower_nvgpu_device_async_create_group(Lowering *l, MlirOperation op);
void lower_nvgpu_device_async_wait(Lowering *l, MlirOperation op);

// Reductions/SharedReductions.c, Reductions/Scans.c, Reductions/Predicates.c
void lower_tile_reduce(Lowering *l, MlirOperation op);
void lower_tile_scan(Lowering *l, MlirOperation op);
void lower_tile_any_of(Lowering *l, MlirOperation op);
void lower_tile_all_of(Lowering *l, MlirOperation op);

// Atomics/MemrefAtomics.c
void lower_memref_atomic_rmw(Lowering *l, MlirOperation op);
void lower_memref_generic_atomic_rmw(Lowering *l, MlirOperation op);

// Atomics/Atomics.c
void lower_tile_atomic(Lowering *l, MlirOperation op);
void lower_tile_atomic_load(Lowering *l, MlirOperation op);

#endif // TILE_CONVERSION_LOWERED_OPS_H
