//===- Target.h - What each chip can do -----------------------------------===//
//
// One table. Passes ask for capabilities and limits; none compares chip names.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_TARGET_H
#define TILE_TARGET_H

#include "mlir-c/IR.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The instruction family `mma.sync`: one warp, one shape per operand width.
/// A is m x k, B is k x n; k = `k_bytes` divided by the element size.
typedef struct {
  int32_t m, n;
  int32_t k_bytes;
} TileMmaSyncShape;

/// The family `wgmma.mma_async`: one warpgroup, n any multiple of `n_step`
/// from `n_step` to `n_max`. All zero when the chip has none.
typedef struct {
  int32_t m;
  int32_t n_step, n_max;
  int32_t k_bytes;
} TileWgmmaShape;

/// Capabilities of one chip. Entries live forever and never change.
typedef struct {
  const char *chip;         // "sm_90a", as LLVM and ptxas spell it
  const char *ptx_features; // LLVM subtarget features: the PTX ISA version

  // Limits.
  int64_t max_smem_bytes;      // dynamic shared memory of a block, opted in
  int64_t sm_smem_bytes;       // shared memory of a multiprocessor
  int64_t reserved_smem_bytes; // per resident block, taken by the system
  int64_t sm_registers;        // 32-bit registers of a multiprocessor
  int64_t max_thread_registers;
  int64_t max_block_threads;
  int64_t max_sm_threads;
  int64_t max_sm_blocks;
  int64_t num_sms; // multiprocessors of the product that has the most
  int64_t max_cluster_blocks; // without opting into non-portable sizes; 1: none

  // Rates, of the same product.
  int64_t clock_mhz;        // under load
  int64_t sm_multiply_adds; // of 16-bit factors, a cycle and multiprocessor
  int64_t sm_cache_bytes;   // from the second-level cache, the same
  int64_t memory_gb_per_s;

  // Instructions.
  bool has_stmatrix;         // stmatrix
  bool has_tma;              // cp.async.bulk[.tensor], tensor maps
  bool has_map_replace;      // tensormap.replace
  bool has_wgmma;            // wgmma.mma_async
  bool has_setmaxnreg;       // setmaxnreg
  bool has_f8;               // cvt, mma.sync and mma.sp.sync of e4m3 and e5m2
  bool has_fast_mma_f8;      // mma.sync of them is not taken apart by ptxas
  bool has_mma_f64_16;       // mma.sync of f64 with 16 rows
  bool has_bf16_of_int;      // cvt.rn.bf16 of integers
  bool has_bf16_atomic;      // atom.add and red.add of bf16
  bool has_dependent_launch; // griddepcontrol
  bool has_vector_red; // red.global of .v2 and .v4, of 16-bit floats and f32
  bool has_redux;      // redux.sync of 32-bit integers

  TileMmaSyncShape mma;
  TileWgmmaShape wgmma;
} TileTarget;

/// The chip of programs that name none.
#define TILE_DEFAULT_CHIP "sm_90a"

/// The entry of `chip`, or NULL when it is not in the table.
MLIR_CAPI_EXPORTED const TileTarget *tile_target_find(const char *chip);

/// The entries in ascending order; NULL after the last one.
MLIR_CAPI_EXPORTED const TileTarget *tile_target_at(size_t index);

/// Registers that each thread of a block gets where `num_blocks` of them share
/// a multiprocessor. Warps go round its four parts, each with a quarter of the
/// registers, so a block takes as many as one of whole warpgroups: ptxas 13.0
/// gives 288 threads 168, as it gives 384.
MLIR_CAPI_EXPORTED int64_t tile_target_thread_registers(
    const TileTarget *target, int64_t num_threads, int64_t num_blocks);

/// "sm_80, sm_86, …", cut at `capacity`.
MLIR_CAPI_EXPORTED void tile_target_list(char *out, size_t capacity);

/// Finds the target of `op`: `tile.target = #nvvm.target<chip = "…">` on `op`
/// or the closest op around it, else the only entry of `targets` of a
/// `gpu.module`, else `option`, the text of a pass option (NULL or "": not
/// given), else TILE_DEFAULT_CHIP.
/// Errors: an unknown chip (lists the known ones), a target attribute that
///         names no chip, attribute and option that differ.
MLIR_CAPI_EXPORTED MlirLogicalResult tile_target_resolve(
    MlirOperation op, const char *option, const TileTarget **out_target);

#ifdef __cplusplus
}
#endif

#endif // TILE_TARGET_H
