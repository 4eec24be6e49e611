//===- Ops.h - Typed handles of the tile dialect, and what they share -----===//
//
// The handles, accessors and builders of each op are generated; this header
// adds the questions that many passes ask about tiles.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_DIALECT_OPS_H
#define TILE_DIALECT_OPS_H

#include "Support/Arena.h"
#include "Support/DtypeTable.h"
#include "Tile/Ops/tile.h"
#include "TileAttrsCAPI.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { TILE_MAX_RANK = 5 };

//===-- Tile types --------------------------------------------------------===//

typedef enum {
  TILE_SPACE_GLOBAL,
  TILE_SPACE_SHARED,
  TILE_SPACE_FRAGMENT,
  TILE_SPACE_PRIVATE,
  TILE_SPACE_CLUSTER, // shared, of some block of the cluster
  TILE_SPACE_OTHER
} TileSpace;

/// Shape, element type and memory space of a memref or region type.
typedef struct {
  int rank;
  int64_t extent[TILE_MAX_RANK]; // elements; negative: dynamic
  MlirType element;
  TileSpace space;
} TileShape;

/// False when `type` is neither a ranked memref nor a region, or its rank
/// exceeds TILE_MAX_RANK.
bool tile_shape_get(MlirType type, TileShape *out_shape);
static inline bool tile_shape_of(MlirValue value, TileShape *out_shape) {
  return tile_shape_get(mlirValueGetType(value), out_shape);
}
bool tile_shape_is_static(const TileShape *shape);
/// Whether numbers name places of the window (tile.region with `ids`).
bool tile_window_is_gathered(MlirValue tile);
/// Whether it is open how the rectangle moves: nobody has named an instruction,
/// a stage or a barrier.
bool tile_copy_is_open(TileCopyOp copy);
/// Whether `ids` is what a gathered operand of `op` is named by.
bool tile_accesses_by_number(MlirOperation op, MlirValue ids);
bool tile_shape_equal_extents(const TileShape *a, const TileShape *b);
/// Product of the extents; the shape is static.
int64_t tile_shape_num_elems(const TileShape *shape);
/// "128x64xbf16", cut at `capacity`.
void tile_shape_print(const TileShape *shape, char *out, size_t capacity);

/// The row of an element type in the table of all (Support/DtypeTable.h). Null
/// where there is none: integers of other widths, signed ones of MLIR, floats
/// that the table lacks.
const TileDtypeInfo *tile_elem_info(MlirType element);
/// Width in bits as stored: i1 takes 8. 0 when the type is not an element type.
int tile_elem_bits(MlirType element);
/// Which types these are, as a part of a sentence, an argument of messages.
#define TILE_ELEMENT_TYPES                                                     \
  "f64, f32, f16, bf16, f8E4M3FN, f8E5M2, f8E8M0FNU, f6E3M2FN, f6E2M3FN, "     \
  "f4E2M1FN, an integer of 8, 16, 32 or 64 bits, signless or unsigned, i1 or " \
  "i4"
bool tile_elem_is_float(MlirType element);
/// How many elements of at most 8 bits a word holds: a power of two.
int tile_word_num_elems(MlirType word, MlirType element);
/// Whether `value` is a constant of which every bit is 0: what hardware fills
/// in and starts sums from. -0.0 is not.
bool tile_value_is_zero_bits(MlirValue value);
/// The type in which elements of `a` and `b` are combined: f64 or f32, i64 or
/// i32. Both are floats or both integers.
MlirType tile_accumulator_type(MlirType a, MlirType b);
TileSpace tile_space_of_attr(MlirAttribute memory_space);
const char *tile_space_name(TileSpace space);
MlirAttribute tile_space_attr(MlirContext context, TileSpace space);

//===-- Buffers and windows -----------------------------------------------===//

/// The buffer behind a tile operand. Windows (`tile.region`), views
/// (`tile.view`) and blocks of the cluster (`tile.remote`) are looked through.
typedef struct {
  MlirValue root;   // memref: tile.alloc, or a global tensor
  MlirValue region; // the tile.region looked through, or null
  MlirValue base;   // what coordinates count in: `root`, or a view of it
} TileBuffer;

/// The `tile.region` that a tile operand is the result of, or null.
TileRegionOp tile_region_of(MlirValue tile);
/// Whether `op` names memory that its first operand is, and accesses nothing:
/// a window, a view, or that tile of another block.
bool tile_is_name_op(MlirOperation op);
/// Whether `op` is a copy that writes tiles of several blocks.
bool tile_is_multicast(MlirOperation op);
/// Whether `op` is such a copy, or arrives at a barrier of another block.
bool tile_signals_cluster(MlirOperation op);
/// Whether other blocks of the cluster may reach the shared tile that `tile`
/// is, or is a view or window of: a `tile.remote` or a multicast copy names it.
bool tile_is_reached_remotely(MlirValue tile);

TileBuffer tile_buffer_of(MlirValue tile);
/// Parts of tensors that a kernel makes (`memref.subview`,
/// `memref.reinterpret_cast`, `memref.cast`, `memref.assume_alignment`) are
/// tensors of their own, made by one of these ops.
bool tile_tensor_part_is(MlirOperation op);
/// What such a tensor is a part of, or itself.
MlirValue tile_tensor_behind(MlirValue tensor);
/// Whether `tile` is all of its base.
bool tile_is_whole(MlirValue tile);
/// The `tile.alloc` of a buffer, or a null handle.
TileAllocOp tile_buffer_alloc(TileBuffer buffer);

//===-- Access regions ----------------------------------------------------===//
//
// The only dependence oracle: what a tile op reads and writes.

typedef struct {
  MlirValue tile; // operand: memref or region
  int operand;    // its number; -1: an element loop captures it
  bool reads, writes;
  bool is_atomic; // in one step: in any order with other such accesses
} TileAccess;

enum { TILE_MAX_ACCESSES = 64 };

/// Accesses of `op` in operand order; 0 when `op` is not a tile op on memory.
/// An element loop (`tile.parallel`) has those of its body, one per buffer that
/// threads share or that lies in registers: it is one op, nobody looks inside.
int tile_accesses_get(MlirOperation op, TileAccess out[TILE_MAX_ACCESSES]);

//===-- Orders ------------------------------------------------------------===//

/// What an op orders, as other blocks see it, of the accesses of its block.
typedef struct {
  bool releases; // those before it happen before it
  bool acquires; // those after it happen after it
  bool is_total; // as all such ops do, in one order
  /// Others than the blocks of the launch see it, so that tensors which the
  /// kernel does not write count as well.
  bool is_system;
} TileOrdering;

/// False when `op` orders nothing.
bool tile_ordering_of(MlirOperation op, TileOrdering *out);

//===-- Roles and channels ------------------------------------------------===//

/// The role around `op`, or a null handle.
TileRoleOp tile_role_of(MlirOperation op);
/// Warps of the block before those of the role.
int64_t tile_role_first_warp(TileRoleOp role);
/// Warps of all roles together.
int64_t tile_specialize_num_warps(TileSpecializeOp specialize);
/// Warpgroups of the block that take turns; `out_first` is the number of the
/// first one of `role` among them.
int tile_turns_of(TileRoleOp role, int *out_first);
/// The roles of a `tile.specialize`.
MlirBlock tile_specialize_block(TileSpecializeOp specialize);
/// The `tile.specialize` of a kernel, or a null handle.
TileSpecializeOp tile_kernel_specialize(MlirOperation kernel);

/// Warps of the block that execute an op together.
typedef struct {
  int64_t first, count;
} TileWarps;
/// Written by tile-lower-roles on what was inside a role: first warp, count.
#define TILE_WARPS_ATTR "tile.warps"
/// Schedules keep them, conversion reads them: what a loop that gathers pixels
/// does, and that it reads only what is there.
#define TILE_IM2COL_ATTR "tile.im2col"
#define TILE_CLAMPED_ATTR "tile.clamped"
/// Of a loop whose rounds are blocks (tile-persist).
#define TILE_PERSISTENT_ATTR "tile.persistent"
/// Of such a loop: two warpgroups are to take its rounds in turn.
#define TILE_PINGPONG_ATTR "tile.pingpong"
/// Of a loop whose body stands there twice (tile-alternate-registers).
#define TILE_ALTERNATE_ATTR "tile.alternate"
/// The warps of the role that `op` belongs to; false outside roles.
bool tile_role_warps_of(MlirOperation op, TileWarps *out_warps);
/// Threads that execute `op`: those of its role, else those of the kernel.
int64_t tile_op_num_threads(MlirOperation op, int64_t kernel_threads);

/// The role that a fragment belongs to: the one around its `tile.alloc`, else
/// that of an op that uses it; a null handle when it belongs to all threads.
TileRoleOp tile_alloc_role(TileAllocOp alloc);
/// An op that uses the fragment outside of its role, or null.
MlirOperation tile_alloc_user_of_other_role(TileAllocOp alloc);

/// The `tile.channel` that made the channel, or a null handle.
TileChannelOp tile_channel_of(MlirValue channel);

//===-- Kernels -----------------------------------------------------------===//

/// Whether `op` is a kernel: a `gpu.launch`, a `gpu.func`, or a `func.func`
/// with `tile.num_threads`.
bool tile_kernel_is(MlirOperation op);
/// The kernel that `op` is, or is in; null outside of kernels.
MlirOperation tile_kernel_around(MlirOperation op);
/// Calls `visit` on every kernel under `root` that has a body, in program
/// order. Stops at the first failure and returns it.
typedef MlirLogicalResult (*TileKernelVisitor)(MlirOperation kernel,
                                               void *user_data);
MlirLogicalResult tile_kernels_visit(MlirOperation root,
                                     TileKernelVisitor visit, void *user_data);
/// The same for kernels with tile ops, after tile_kernel_verify: those without
/// are no business of a pass on tiles.
MlirLogicalResult tile_kernels_visit_verified(MlirOperation root,
                                              TileKernelVisitor visit,
                                              void *user_data);
/// The same; `user_data` of `visit` is a TileArena that ends with the call.
MlirLogicalResult tile_kernels_visit_in_arena(MlirOperation root,
                                              TileKernelVisitor visit);
/// What a pass that needs the target knows of its run.
typedef struct {
  TileArena arena;
  const char *target_option; // see tile_target_resolve
} TileKernelRun;
/// The same; `user_data` of `visit` is a TileKernelRun that ends with the call.
MlirLogicalResult tile_kernels_visit_for_target(MlirOperation root,
                                                TileKernelVisitor visit,
                                                const char *target_option);
/// Warns of attributes in `root` that no op reads and whose names are close to
/// some that are read, such as `num_stages` on a loop.
void tile_ignored_attributes_warn(MlirOperation root);

/// Whether `op` is inside one of several variants of a launch, and not the
/// first: what is missing there is no news.
bool tile_is_in_fallback_variant(MlirOperation op);
/// Whether `op` belongs to the tile dialect.
bool tile_op_is(MlirOperation op);
/// Whether the body holds an op of the tile dialect.
bool tile_kernel_has_tile_ops(MlirOperation kernel);
/// Whether the body, without tile ops, asks which thread executes it: it says
/// what each thread does, while any other kernel says what the block does.
bool tile_kernel_is_thread_code(MlirOperation kernel);
/// Threads per block of a kernel; -1 when not a constant.
MLIR_CAPI_EXPORTED int64_t tile_kernel_num_threads(MlirOperation kernel);
/// Whether the kernel is a launch of clusters; their extents, 1 without, -1
/// where one is not constant.
bool tile_launch_cluster(MlirOperation kernel, int64_t out_extent[3]);
/// The entry block of the body.
MlirBlock tile_kernel_body(MlirOperation kernel);
/// The `tile.kernel_config` of the body, or a null handle.
TileKernelConfigOp tile_kernel_config_of(MlirOperation kernel);
/// The same, made at the begin of the body where there is none.
MLIR_CAPI_EXPORTED TileKernelConfigOp
tile_kernel_config_get(MlirOperation kernel);
/// What the kernel says of itself: `persist` of its tile.kernel_config.
typedef enum {
  TILE_PERSIST_CHOSEN, // by the compiler
  TILE_PERSIST_REQUIRED,
  TILE_PERSIST_OFF
} TilePersistWish;
TilePersistWish tile_kernel_persist_wish(MlirOperation kernel);
static inline bool tile_value_is_used(MlirValue value) {
  return !mlirOpOperandIsNull(mlirValueGetFirstUse(value));
}
/// Whether `value` is defined in a region of `op`, at any depth.
bool tile_value_is_inside(MlirValue value, MlirOperation op);
/// Whether `kernel` makes `value` itself: it is inside, and no argument of it.
bool tile_kernel_makes(MlirOperation kernel, MlirValue value);

/// Written by tile-compile where it takes back what passes chose
/// (Pipeline/Choices.h), on kernels: bytes of shared memory that later passes
/// were seen to need beyond the estimates of earlier ones, and the most slots
/// of tiles that are filled outside pipelined loops.
#define TILE_RESERVED_BYTES_ATTR "tile.reserved_bytes"
#define TILE_PRELUDE_SLOTS_ATTR "tile.prelude_slots"
/// Written by tile-pack-shared-memory on a launch whose kernel uses
/// gpu.dynamic_shared_memory: how many bytes come before the shared tiles.
#define TILE_OWN_SMEM_ATTR "tile.own_smem_bytes"
/// Written on a kernel by the pass that fails for it: bytes of shared memory
/// that are too many, or 0.
#define TILE_REFUSED_ATTR "tile.refused"
/// The integer attribute `name` of a kernel, or `otherwise`.
MLIR_CAPI_EXPORTED int64_t tile_kernel_number(MlirOperation kernel,
                                              const char *name,
                                              int64_t otherwise);
MLIR_CAPI_EXPORTED void
tile_kernel_set_number(MlirOperation kernel, const char *name, int64_t number);
/// Sets TILE_REFUSED_ATTR to 0 where it is not there.
void tile_kernel_note_refusal(MlirOperation kernel);

/// Checks what no single op can. Says nothing about kernels that say what each
/// thread does. Any other kernel has regions of one block: what is read off
/// program order holds there. Beside tile ops it also
///
/// - has a constant number of threads per block, a multiple of 32 and at most
///   1024, uses no thread ids and block sizes, and holds no other kernel;
/// - names tiles by the values that stand for them: results of `tile.alloc`,
///   tensors from outside, arguments of the kernel. None passes through casts,
///   selections or loops, so one tile has one name.
///
/// Errors: reported at the kernel, or at the op inside it.
MLIR_CAPI_EXPORTED MlirLogicalResult tile_kernel_verify(MlirOperation kernel);

#ifdef __cplusplus
}
#endif

#endif // TILE_DIALECT_OPS_H
