//===- Nvgpu.h - What the lowerings to nvgpu share ------------------------===//
#ifndef TILE_CONVERSION_NVGPU_H
#define TILE_CONVERSION_NVGPU_H

#include "Analysis/Memory/Memory.h"
#include "Conversion/Conversion.h"
#include "Dialect/Products.h"
#include "Dialect/TileLayouts.h"
#include "Support/Arena.h"
#include "Target/Target.h"

//===-- The rewrite of one kernel (TileToNVGPU.c) -------------------------===//

typedef struct {
  TileArena *arena;
  const TileTarget *target;
  TileBuilder b;     // before the op that is being lowered
  TileIntMath index; // of type index
  int64_t num_threads;
  TileInt thread;     // in the block; before all ops
  TileInt lane, warp; // the same, where the kernel holds products
} TileNvgpuRewrite;

//===-- Copies (CopyToNVGPU.c) --------------------------------------------===//

typedef struct TileNvgpuCopy TileNvgpuCopy;

typedef enum {
  TILE_NVGPU_COPY_OTHER,  // no cp.async copy that nvgpu can say: left as it is
  TILE_NVGPU_COPY_SIMT,   // cp.async cannot do it, ordinary accesses can
  TILE_NVGPU_COPY_NAMED,  // of rows that numbers name: its chunks are noted
  TILE_NVGPU_COPY_LOWERED // to nvgpu
} TileNvgpuCopyKind;

typedef struct {
  TileNvgpuCopyKind kind;
  TileNvgpuCopy *copy; // TILE_NVGPU_COPY_LOWERED
  int64_t chunk_elems; // TILE_NVGPU_COPY_NAMED: that a thread takes at once
  const char *code;    // TILE_NVGPU_COPY_SIMT: of the remark, and its text
  char reason[200];
} TileNvgpuCopyPlan;

/// Decides how `op`, a `tile.copy`, is lowered.
/// Errors: reported at `op`.
/// Owner:  `arena`.
MlirLogicalResult tile_nvgpu_copy_plan(TileArena *arena, MlirOperation op,
                                       int64_t num_threads,
                                       TileNvgpuCopyPlan *out_plan);

/// Tokens of asynchronous copies that wait for their group.
typedef struct {
  MlirValue *values;
  intptr_t count, capacity;
} TileNvgpuTokens;

/// Emits the copy. Adds the tokens of those asynchronous copies that are in
/// scope after it.
void tile_nvgpu_copy_apply(TileNvgpuRewrite *rewrite, const TileNvgpuCopy *copy,
                           TileNvgpuTokens *tokens);

//===-- Products (GemmToNVGPU.c) ------------------------------------------===//

typedef struct TileNvgpuGemm TileNvgpuGemm;

/// Decides how `op`, a `tile.gemm`, is lowered; null when it is not ours.
/// Errors: reported at `op`.
/// Owner:  `arena`.
MlirLogicalResult tile_nvgpu_gemm_plan(TileArena *arena, MlirOperation op,
                                       int64_t num_threads,
                                       TileNvgpuGemm **out_gemm);
void tile_nvgpu_gemm_apply(TileNvgpuRewrite *rewrite,
                           const TileNvgpuGemm *gemm);

//===-- Metadata of sparse products (MetadataToNVGPU.c) -------------------===//

/// The metadata word of this thread, as vector<2xi16>, for 16 rows from
/// `first_row` of the tile and step `step` along K (PTX ISA, mma.sp, selector
/// 0).
MlirValue tile_nvgpu_sparse_metadata(TileNvgpuRewrite *rewrite,
                                     const TileSharedWindow *metadata,
                                     int elem_bits, TileInt first_row,
                                     int64_t step);

#endif // TILE_CONVERSION_NVGPU_H
