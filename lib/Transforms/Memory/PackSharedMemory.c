//===- PackSharedMemory.c - One arena for shared tiles and barriers -------===//
//
// Consumes: `tile.alloc` in shared memory and `tile.barrier_alloc`.
// Produces: `offset` on each, and the dynamic shared memory of a gpu.launch.
//           What the launch asked for itself comes first, where the kernel uses
//           it by gpu.dynamic_shared_memory.
//           Where there is no room otherwise, tiles of a role lie in rings that
//           it has read to the end, and tiles that each iteration of a loop
//           writes first share bytes with others of its body.
// Fails:    more shared memory than a block of the target may use; a kernel
//           that tile_kernel_verify rejects.
//
//===----------------------------------------------------------------------===//

#include "Analysis/Memory/Memory.h"
#include "Analysis/Program/KernelProgram.h"
#include "Support/Constants.h"
#include "Support/Diagnostics.h"
#include "Tile/Ops/gpu.h"
#include "TilePasses.h"

// A swizzle repeats every so many bytes.
enum { OWN_ALIGN_BYTES = 1024 };

//===-- Build and verify --------------------------------------------------===//

// Whether each fill of each ring is waited for, on every path.
static bool is_proved(TileArena *arena, MlirOperation kernel,
                      const TileTarget *target) {
  TileSyncPlan plan;
  TileKernelVerdict judged;
  const ProofLimits limits = {.max_states = 2000}; // a proof or nothing
  tile_sync_plan_build(arena, kernel, target, &plan);
  plan.unmet = TILE_NULL_OP;
  tile_kernel_judge(arena, kernel, &plan, &limits, &judged);
  return judged.verdict.outcome == PROOF_PROVED;
}

static void place_after(TileKernelRun *run, int64_t first_bytes,
                        TileSharedMemory *memory) {
  tile_shared_memory_place(&run->arena, memory);
  for (size_t i = 0; i < memory->num_buffers; i++)
    memory->buffers[i].offset_bytes += first_bytes;
  memory->total_bytes += first_bytes;
}

static void memory_place(TileKernelRun *run, MlirOperation kernel,
                         const TileTarget *target, TileSharedMemory *memory) {
  int64_t first_bytes = tile_kernel_number(kernel, TILE_OWN_SMEM_ATTR, 0);
  place_after(run, first_bytes, memory);
  if (memory->total_bytes <= target->max_smem_bytes ||
      !is_proved(&run->arena, kernel, target))
    return;
  for (size_t i = 0; i < memory->num_buffers; i++)
    memory->buffers[i].is_drained = memory->buffers[i].is_ring;
  place_after(run, first_bytes, memory);
}

//===-- Memory of the user ------------------------------------------------===//

static MlirWalkResult find_dynamic(MlirOperation op, void *user_data) {
  MlirOperation *found = user_data;
  if (!gpu_dynamic_shared_memory_is(op))
    return MlirWalkResultAdvance;
  *found = op;
  return MlirWalkResultInterrupt;
}

// Notes on the launch how much of its dynamic shared memory is its own; once,
// before this pass writes the size of all.
static MlirLogicalResult note_own_memory(MlirOperation kernel) {
  MlirOperation user = {NULL};
  mlirOperationWalk(kernel, find_dynamic, &user, MlirWalkPreOrder);
  if (!gpu_launch_is(kernel) || !user.ptr ||
      tile_kernel_number(kernel, TILE_OWN_SMEM_ATTR, -1) >= 0)
    return tile_success();
  MlirValue size = gpu_launch_dynamicSharedMemorySize(gpu_launch_cast(kernel));
  int64_t size_bytes = 0;
  if (size.ptr && !mlirxConstantInt(size, &size_bytes))
    return tile_emit_error_with_note(
        kernel, mlirOperationGetLocation(user), "it is used here",
        "expects a constant size of its dynamic shared memory beside shared "
        "tiles, which lie after it");
  tile_kernel_set_number(kernel, TILE_OWN_SMEM_ATTR,
                         (size_bytes + OWN_ALIGN_BYTES - 1) / OWN_ALIGN_BYTES *
                             OWN_ALIGN_BYTES);
  return tile_success();
}

static const TileSharedBuffer *largest(const TileSharedMemory *memory) {
  const TileSharedBuffer *best = NULL;
  for (size_t i = 0; i < memory->num_buffers; i++)
    if (!best || memory->buffers[i].size_bytes > best->size_bytes)
      best = &memory->buffers[i];
  return best;
}

// Whether the box is one slot of a ring: its first dimension has one element
// and is dropped. `out_slot` is which.
static bool box_slot(const TileBox *box, TileInt *out_slot) {
  if (box->rank < 2 || box->size[0] != 1 || box->dim[0] >= 0)
    return false;
  *out_slot = box->offset[0];
  return true;
}

// Slots of a tile that is used slot by slot, as pipelines do; else 1.
static int64_t num_slots(const TileSharedBuffer *buffer) {
  TileShape shape;
  if (!tile_alloc_is(buffer->op))
    return 1;
  MlirValue tile = mlirOperationGetResult(buffer->op, 0);
  if (!tile_shape_of(tile, &shape) || shape.rank < 2)
    return 1;
  for (MlirOpOperand use = mlirValueGetFirstUse(tile);
       !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation op = mlirOpOperandGetOwner(use);
    TileBox box;
    TileInt slot;
    bool is_slot = tile_region_is(op) &&
                   tile_box_of(mlirOperationGetResult(op, 0), &box) &&
                   box_slot(&box, &slot);
    if (!is_slot && !tile_channel_is(op) && !tile_channel_barriers_is(op))
      return 1;
  }
  return shape.extent[0];
}

// The most slots with which the deepest pipeline fits; 0: there is none, or it
// does not fit with any number.
static int64_t slots_that_fit(TileKernelRun *run, MlirOperation kernel,
                              const TileTarget *target,
                              const TileSharedMemory *memory) {
  int64_t most = 1;
  for (size_t i = 0; i < memory->num_buffers; i++) {
    int64_t slots = num_slots(&memory->buffers[i]);
    most = slots > most ? slots : most;
  }
  for (int64_t fewer = most - 1; fewer > 0; fewer--) {
    TileSharedMemory smaller = *memory;
    smaller.buffers =
        TILE_ARENA_NEW(&run->arena, TileSharedBuffer, memory->num_buffers);
    for (size_t i = 0; i < memory->num_buffers; i++) {
      TileSharedBuffer *buffer = &smaller.buffers[i];
      *buffer = memory->buffers[i];
      int64_t slots = num_slots(buffer);
      if (slots > fewer)
        buffer->size_bytes = (buffer->size_bytes + slots - 1) / slots * fewer;
    }
    memory_place(run, kernel, target, &smaller);
    if (smaller.total_bytes <= target->max_smem_bytes)
      return fewer;
  }
  return 0;
}

static MlirLogicalResult check_limit(TileKernelRun *run, MlirOperation kernel,
                                     const TileSharedMemory *memory,
                                     const TileTarget *target) {
  if (memory->total_bytes <= target->max_smem_bytes)
    return tile_success();
  const TileSharedBuffer *buffer = largest(memory);
  char note[128];
  snprintf(note, sizeof note,
           "the largest of %zu shared buffers takes %lld bytes",
           memory->num_buffers, (long long)buffer->size_bytes);
  char advice[64] = "";
  int64_t slots = slots_that_fit(run, kernel, target, memory);
  tile_kernel_set_number(kernel, TILE_REFUSED_ATTR,
                         memory->total_bytes - target->max_smem_bytes);
  if (slots > 0)
    snprintf(advice, sizeof advice, "; tile.num_stages = %lld fits",
             (long long)slots);
  return tile_emit_error_with_note(
      kernel, mlirOperationGetLocation(buffer->op), note,
      "needs %lld bytes of shared memory; a block of %s has at most %lld%s",
      (long long)memory->total_bytes, target->chip,
      (long long)target->max_smem_bytes, advice);
}

//===-- Apply -------------------------------------------------------------===//

static bool launch_has_smem(GPULaunchOp launch, int64_t size_bytes) {
  MlirValue size = gpu_launch_dynamicSharedMemorySize(launch);
  int64_t constant;
  return size.ptr && mlirxConstantInt(size, &constant) &&
         constant == size_bytes;
}

static void memory_apply(const TileSharedMemory *memory, MlirOperation kernel) {
  MlirContext context = mlirOperationGetContext(kernel);
  MlirType i64 = mlirIntegerTypeGet(context, 64);
  for (size_t i = 0; i < memory->num_buffers; i++) {
    const TileSharedBuffer *buffer = &memory->buffers[i];
    MlirAttribute offset = mlirIntegerAttrGet(i64, buffer->offset_bytes);
    if (buffer->is_barrier)
      tile_barrier_alloc_set_offset_attr(tile_barrier_alloc_cast(buffer->op),
                                         offset);
    else
      tile_alloc_set_offset_attr(tile_alloc_cast(buffer->op), offset);
  }
  if (!gpu_launch_is(kernel) || memory->total_bytes == 0 ||
      launch_has_smem(gpu_launch_cast(kernel), memory->total_bytes))
    return;
  TileBuilder b = {mlirIRRewriterCreate(context),
                   mlirOperationGetLocation(kernel)};
  mlirRewriterBaseSetInsertionPointBefore(b.rw, kernel);
  gpu_launch_set_dynamicSharedMemorySize(
      gpu_launch_cast(kernel), tile_const_int(&b, memory->total_bytes, 32));
  mlirIRRewriterDestroy(b.rw);
}

//===-- Entry -------------------------------------------------------------===//

static MlirLogicalResult visit_kernel(MlirOperation kernel, void *user_data) {
  TileKernelRun *run = user_data;
  TileSharedMemory memory;
  tile_shared_memory_build(&run->arena, kernel, false, &memory);
  if (memory.num_buffers == 0)
    return tile_success();
  if (tile_failed(note_own_memory(kernel)))
    return tile_failure();
  const TileTarget *target;
  if (tile_failed(tile_target_resolve(kernel, run->target_option, &target)))
    return tile_failure();
  memory_place(run, kernel, target, &memory);
  if (memory.total_bytes > target->max_smem_bytes) {
    tile_shared_memory_build(&run->arena, kernel, true, &memory);
    memory_place(run, kernel, target, &memory);
  }
  if (tile_failed(check_limit(run, kernel, &memory, target)))
    return tile_failure();
  memory_apply(&memory, kernel);
  return tile_success();
}

MlirLogicalResult
tile_pack_shared_memory_run(MlirOperation op,
                            const TilePackSharedMemoryOptions *options) {
  return tile_kernels_visit_for_target(op, visit_kernel, options->target);
}
