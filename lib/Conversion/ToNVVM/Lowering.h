//===- Lowering.h - State of the lowering of one kernel -------------------===//
//
// The lowering is a walk over the ops of a kernel whose control flow is in
// `cf`. Each op has one `lower_<op>` function. Scalar integer arithmetic is
// emitted in `arith` on i32 (i64 for global addresses); upstream conversions
// turn it into `llvm` afterwards. Memref-like values are not SSA values any
// more: a side table holds what is known of them.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_CONVERSION_LOWERING_H
#define TILE_CONVERSION_LOWERING_H

#include "Conversion/Conversion.h"
#include "Dialect/Products.h"
#include "Dialect/TileLayouts.h"
#include "Support/Arena.h"
#include "Target/Target.h"

//===-- Memory ------------------------------------------------------------===//

/// What a memref-like value became.
typedef struct Memory {
  struct Memory *next;
  MlirValue key; // the memref, barrier or storage in the original IR
  TileSpace space;
  MlirType element;    // as in the memref
  MlirValue pointer;   // ptr<1> global, ptr<3> shared, ptr private, fragment
  int64_t smem_offset; // shared: bytes from the start of the arena
  int rank;
  TileInt extent[TILE_MAX_RANK]; // i32
  TileInt stride[TILE_MAX_RANK]; // i64, in elements; shared and private: unused
  TileAllocOp alloc;             // behind shared tiles and fragments, or null
  MlirValue *registers;          // fragment: pointer to each, made on demand
  int64_t num_registers;
} Memory;

/// A tile operand: a window of a memory.
typedef struct {
  Memory *memory;
  TileShape shape;               // of the tile
  int dim[TILE_MAX_RANK];        // memory dimension of every tile dimension
  TileInt offset[TILE_MAX_RANK]; // i32, per memory dimension
  MlirValue pad;                 // as stored; null: zero
  int64_t align_bytes;           // of rows, known
  bool on_grid; // offsets are known to be multiples of the sizes
  bool is_inside[TILE_MAX_RANK]; // per memory dimension: it never leaves it
  // Of a tile.im2col, which is no rectangle of its memory; only copies read it.
  // Else null.
  const struct Im2colWindow *im2col;
} View;

/// What follows from how the offsets of a window are computed.
typedef struct WindowFacts {
  struct WindowFacts *next;
  MlirOperation region;
  bool is_inside[TILE_MAX_RANK]; // per dimension of the source
} WindowFacts;

//===-- Values that are several registers ---------------------------------===//

enum { MAX_PARTS = 8 };

/// A vector value of the nvgpu ops, as scalars or packed 32-bit registers.
typedef struct Parts {
  struct Parts *next;
  MlirValue key;
  int count;
  MlirValue part[MAX_PARTS];
} Parts;

//===-- The lowering ------------------------------------------------------===//

enum { MAX_WARPS = 32 }; // of a block

typedef struct {
  TileArena *arena;
  const TileTarget *target;
  TileBuilder b; // before the op that is being lowered
  TileIntMath i32, i64;
  MlirOperation func;    // the llvm.func
  MlirOperation prolog;  // marker in the entry block: what dominates all goes
                         // in front of it
  int64_t block_size[3]; // threads
  int64_t kernel_threads;
  int64_t thread_registers;        // what ptxas gives each at launch
  int64_t first_warp, num_threads; // of those that execute the op: its role
  bool is_thread_code;             // scalar stores are those of every thread
  // i32, made on demand; by the first warp of those that execute the op.
  MlirValue thread_id[MAX_WARPS], warp_id[MAX_WARPS], lane_id;
  MlirValue print_array; // arguments of vprintf, made on demand
  // Policies of L2 by TileEviction, made on demand (i64), and that with which
  // the op that is being lowered accesses global memory (null: none).
  MlirValue policies[3], policy;
  Memory *memories;
  Parts *parts;
  WindowFacts *windows;
  MlirLogicalResult result; // failure: an error was emitted
} Lowering;

/// Lowers `op`; the walk erases it afterwards unless it has uses left.
typedef void (*LowerOp)(Lowering *l, MlirOperation op);

// TileToNVVM.c
MlirType type_i1(Lowering *l);
MlirType type_i32(Lowering *l);
MlirType type_i64(Lowering *l);
MlirType type_pointer(Lowering *l, unsigned address_space);
/// The type in which an element is stored: i1 and 8-bit floats are i8.
MlirType type_stored(Lowering *l, MlirType element);
/// Reports a failure of the lowering at `op`.
void lower_fail(Lowering *l, MlirOperation op, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/// The same for what only we can fix.
void lower_fail_internal(Lowering *l, MlirOperation op, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// Threads.c: ids, and code that not every thread executes
MlirValue thread_id(Lowering *l); // linear in the block, or in the role
MlirValue lane_id(Lowering *l);
MlirValue warp_id(Lowering *l); // in the block or the role; uniform in the warp
/// Branches and loops split the block in front of an op; this op stands where
/// no other does.
MlirOperation anchor_begin(Lowering *l);
/// Ends it: what follows is emitted behind.
void anchor_end(Lowering *l, MlirOperation anchor);
/// Code emitted until `if_end` runs where `condition` (i1) holds.
typedef struct {
  MlirBlock body, after;
} IfBlocks;
IfBlocks if_begin(Lowering *l, MlirOperation op, MlirValue condition);
void if_end(Lowering *l, MlirOperation op, IfBlocks blocks);
/// Two arms: emit the first, call `else_begin`, emit the second, `else_end`.
typedef struct {
  MlirBlock then_body, else_body, after;
} ElseBlocks;
ElseBlocks if_else_begin(Lowering *l, MlirOperation op, MlirValue condition);
void else_begin(Lowering *l, ElseBlocks blocks);
void else_end(Lowering *l, MlirOperation op, ElseBlocks blocks);
/// Code emitted until `loop_end` runs `count` >= 1 times; returns the counter.
typedef struct {
  MlirBlock body, after;
  MlirValue counter; // i32
  int64_t count;
} LoopBlocks;
LoopBlocks loop_begin(Lowering *l, MlirOperation op, int64_t count);
void loop_end(Lowering *l, MlirOperation op, LoopBlocks blocks);
/// True in one thread of the block, or of the role.
MlirValue is_elected(Lowering *l);

// Memories.c: tables, windows, addresses
Memory *memory_add(Lowering *l, MlirValue key, TileSpace space,
                   MlirType element, MlirValue pointer);
Memory *memory_find(Lowering *l, MlirValue key);
/// The dynamic shared memory of the module of the kernel.
MlirValue smem_base(Lowering *l);
TileInt index_operand(Lowering *l, MlirValue index); // as i32
TileInt extend(Lowering *l, TileInt i32);            // to i64
/// Splits an index into an SSA part, as i32, and a constant, which then is the
/// immediate offset of the access: LLVM cannot take it out of 32-bit
/// arithmetic.
TileInt index_split(Lowering *l, MlirValue index, int64_t *out_constant);
/// False after an error at `op`.
bool view_of(Lowering *l, MlirOperation op, MlirValue tile, View *out);
/// Where a window of a shared tile is: element x at layout(x) + base.
typedef struct {
  TileLayout layout; // of the shape of the window
  TileInt base;      // i32, in elements of the storage
} PlacedWindow;
/// False where the window has no layout of its own; `error` says why.
bool shared_window_place(Lowering *l, const View *view, PlacedWindow *out,
                         TileLayoutError *error);
/// Reads the facts about the windows of a kernel, while its block ids and its
/// grid can be seen.
void window_facts_collect(Lowering *l, MlirOperation func);
/// Null for a window that was made since.
const WindowFacts *window_facts_find(const Lowering *l, TileRegionOp region);
/// Whether the view is all of its memory.
bool is_whole_tile(const View *view);
/// Pointer to element `index` of storage of `element`s.
MlirValue element_pointer(Lowering *l, MlirValue base, MlirType element,
                          TileInt index);
/// Pointer to register `r` of a fragment.
MlirValue register_pointer(Lowering *l, Memory *memory, int64_t r);
/// Pointer to the element of a global window at tile coordinates `at`.
MlirValue global_pointer(Lowering *l, const View *view, const TileInt *at);
/// Memory coordinates of tile coordinates, one per memory dimension.
void memory_coordinates(Lowering *l, const View *view, const TileInt *at,
                        TileInt out[TILE_MAX_RANK]);
/// 0 <= coordinate and coordinate + vector <= extent; null: known to hold.
MlirValue coordinate_in_bounds(Lowering *l, TileInt coordinate, TileInt extent,
                               int64_t vector);
/// Whether `at`, and `vector` - 1 elements behind it, are inside the tensor;
/// null when that is known.
MlirValue global_in_bounds(Lowering *l, const View *view, const TileInt *at,
                           int64_t vector);
/// Whether the whole global window is inside the tensor; null when that is
/// known.
MlirValue window_in_bounds(Lowering *l, const View *view);
/// Address of a global window, or-ed with all its strides but the last, in
/// bytes; strides that are known multiples of `size_bytes` are left out.
MlirValue global_or_strides(Lowering *l, const View *view, int64_t size_bytes);
/// Whether neighbours in a row of a global window are neighbours in memory.
bool has_unit_rows(const View *view);
/// Whether the bytes counted in `low` (i64) are a multiple of `size_bytes`, a
/// power of two: i1.
MlirValue is_aligned(Lowering *l, MlirValue low, int64_t size_bytes);
/// Element offset in the storage of a shared tile at tile coordinates `at`.
bool shared_offset(Lowering *l, MlirOperation op, const View *view,
                   const TileInt *at, TileInt *out);
/// Pointer to the element of a window at tile coordinates `at`: in a tensor, a
/// shared tile, a private array or storage. Null after an error at `op`.
MlirValue view_pointer(Lowering *l, MlirOperation op, const View *view,
                       const TileInt *at);
MlirValue and_maybe(Lowering *l, MlirValue a, MlirValue b); // null: true

// CachePolicies.c
/// Until the end all loads, stores and TMA copies of global memory have the
/// policy of `eviction` (null: none).
void cache_policy_begin(Lowering *l, MlirAttribute eviction);
void cache_policy_end(Lowering *l);

// Accesses.c: loads and stores of runs of bytes, conversion of elements
/// Loads `size_bytes` (1, 2, 4, 8, 16) as i8 … i64 or vector<4xi32>. With a
/// predicate, zero where it is false.
MlirValue load_bits(Lowering *l, MlirValue pointer, unsigned space,
                    int64_t size_bytes, MlirValue predicate);
void store_bits(Lowering *l, MlirValue bits, MlirValue pointer, unsigned space,
                int64_t size_bytes, MlirValue predicate);
MlirType type_bits(Lowering *l, int64_t size_bytes);
/// `bits` <-> elements of a type.
void bits_split(Lowering *l, MlirValue bits, MlirType element, int64_t count,
                MlirValue *out);
MlirValue bits_join(Lowering *l, const MlirValue *elems, MlirType element,
                    int64_t count);
/// A value of type `element` as memory holds it: i1 is 0 or 1 in a byte, an
/// 8-bit float its bits.
MlirValue element_stored(Lowering *l, MlirValue value, MlirType element);
/// The other way round.
MlirValue element_loaded(Lowering *l, MlirValue value, MlirType element);
/// Converts an element as `tile.copy` does: floats round to nearest even.
MlirValue convert_element(Lowering *l, MlirValue value, MlirType from,
                          MlirType to);
unsigned space_number(TileSpace space); // LLVM address space

// SimtCopies.c
/// Pointer to the run of `vector` elements at tile coordinates `at` of global,
/// shared or private memory; conjoins the condition under which it may be
/// accessed to the predicate (null: true). False after an error at `op`.
bool tile_run_pointer(Lowering *l, MlirOperation op, const View *view,
                      const TileInt *at, int64_t vector, MlirValue *out_pointer,
                      MlirValue *inout_predicate);

// Fragments.c
/// Holds in the threads that have the first copy of what several hold; null: no
/// element is held twice.
MlirValue fragment_owner(Lowering *l, const TileLayout *layout);
/// Remarks on a copy to a fragment in more pieces of less than 32 bits than
/// threads have registers: ptxas keeps together only what came in one access.
/// `is_piece`: per register, whether such an access begins with it.
void fragment_remark_pieces(const Lowering *l, MlirOperation op,
                            const bool *is_piece, int64_t num_regs);

// FragmentConversions.c
/// Copies a whole fragment to another one, whatever layouts they have, as long
/// as no element changes its warp.
void convert_fragment(Lowering *l, MlirOperation op, const View *src,
                      const View *dst);

// MatrixStores.c
typedef struct {
  const View *fragment, *other;
  int64_t num_regs;
  const uint8_t *is_outside; // per register: not to be stored; NULL: none is
  const TileLayout *access;  // from (reg, lane, warp) to shared memory
  TileInt base;              // to be added, in elements
} MatrixStore;
/// Stores a fragment, every element once, to a shared tile by stmatrix. False,
/// with nothing emitted, where that does not fit.
bool store_matrices(Lowering *l, const MatrixStore *store);

// FragmentWindows.c
typedef struct {
  TileLayout layout; // of the window
  /// Per register of the whole fragment; register r inside is at `layout(r)`.
  const uint8_t *is_outside;
  MlirValue has_warp; // the warp has elements of the window; null: each has
} FragmentCut;
/// A window at constant multiples of its size, whose registers are the same in
/// each thread that has any. False where it is no such window.
bool fragment_window_cut(Lowering *l, const View *fragment,
                         const TileLayout *whole, FragmentCut *out);
void fill_fragment_window(Lowering *l, MlirOperation op, const View *dst,
                          MlirValue value);
void copy_fragment_window(Lowering *l, MlirOperation op, const View *fragment,
                          const View *other, bool to_memory);

// SparseMetadata.c
/// The metadata word (i32) that this thread gives to an instruction with a
/// sparse A of 16 rows per warp from `first_row` (i32, of the tile) and step
/// `step` along K, selector 0. `metadata` can be addressed.
MlirValue sparse_metadata_word(Lowering *l, MlirOperation op,
                               const View *metadata, int elem_bits,
                               TileInt first_row, int64_t step);

// RaggedRows.c: guarded stores
typedef struct {
  MlirValue value; // as stored
  int64_t delta;   // columns behind `column`
} RaggedElem;
/// Elements of one row of a tensor, each stored where its column is inside.
typedef struct {
  int count;
  RaggedElem *elems;
  MlirValue pointer; // ptr<1>, to the element at `column`
  TileInt column;    // i32, of the tensor
  TileInt extent;    // i32, columns of the tensor
  MlirValue inside;  // i1, the row is; null: it is known to be
} RaggedRow;
void store_ragged_row(Lowering *l, const RaggedRow *row);

// NvgpuOps.c and others: vectors
Parts *parts_add(Lowering *l, MlirValue key, int count, const MlirValue *part);
Parts *parts_find(Lowering *l, MlirValue key);
/// The words of an operand; null after an error.
Parts *vector_parts(Lowering *l, MlirOperation op, MlirValue vector);

//===-- Lowerings, by file ------------------------------------------------===//

// Scalars.c
void lower_gpu_thread_id(Lowering *l, MlirOperation op);
void lower_gpu_block_id(Lowering *l, MlirOperation op);
void lower_gpu_block_dim(Lowering *l, MlirOperation op);
void lower_gpu_grid_dim(Lowering *l, MlirOperation op);
void lower_gpu_return(Lowering *l, MlirOperation op);
void lower_memref_dim(Lowering *l, MlirOperation op);
void lower_tile_block_swizzle(Lowering *l, MlirOperation op);
// MemrefAccesses.c
void lower_memref_load(Lowering *l, MlirOperation op);
void lower_memref_store(Lowering *l, MlirOperation op);
/// Whether every thread does it, not one of the block.
bool is_by_thread(MlirOperation op);
/// Pointer to one element of a memref that is no tile operand. Null after an
/// error.
MlirValue element_address(Lowering *l, MlirOperation op, MlirValue memref,
                          TileRange indices, Memory **out_memory);
void lower_memref_atomic_rmw(Lowering *l, MlirOperation op);
void lower_vector_load(Lowering *l, MlirOperation op);
void lower_vector_store(Lowering *l, MlirOperation op);
// SmallFloats.c: 8-bit floats as bits (i8)
bool float8_is(MlirType type);
MlirValue float8_widen(Lowering *l, MlirValue byte, MlirType from); // to f32
/// From any wider float; rounds once, saturates.
MlirValue float8_narrow(Lowering *l, MlirValue value, MlirType to);
// Exactly: four numbers of a word to two words of two f16 each.
void float8_widen_word(Lowering *l, MlirValue four, MlirType from,
                       MlirValue out[2]);
bool float8_cast_is(MlirOperation op);
void lower_float8_cast(Lowering *l, MlirOperation op);
bool float8_math_is(MlirOperation op);
void lower_float8_math(Lowering *l, MlirOperation op);
void lower_tile_unpack_fp4(Lowering *l, MlirOperation op);
// IntFloatCasts.c
bool int_float_cast_is(MlirOperation op);
void lower_int_float_cast(Lowering *l, MlirOperation op);
// MathFunctions.c
bool math_function_is(MlirOperation op);
bool math_native_is(MlirOperation op);
void lower_math_function(Lowering *l, MlirOperation op);
/// Whether |x| is a number from `least` on.
MlirValue math_is_normal(Lowering *l, MlirValue x, double least);
// Messages.c
void lower_tile_print(Lowering *l, MlirOperation op);
void lower_tile_assert(Lowering *l, MlirOperation op);
// Allocations.c
void lower_tile_alloc(Lowering *l, MlirOperation op);
void lower_tile_storage(Lowering *l, MlirOperation op);
void lower_tile_region(Lowering *l, MlirOperation op); // tile.im2col as well
void lower_tile_view(Lowering *l, MlirOperation op);
void lower_tile_kernel_config(Lowering *l, MlirOperation op);
// Barriers.c
void lower_tile_barrier_alloc(Lowering *l, MlirOperation op);
void lower_tile_barrier_init(Lowering *l, MlirOperation op);
void lower_tile_barrier_arrive(Lowering *l, MlirOperation op);
void lower_tile_barrier_expect(Lowering *l, MlirOperation op);
void lower_tile_barrier_wait(Lowering *l, MlirOperation op);
void lower_tile_barrier_sync(Lowering *l, MlirOperation op);
void lower_tile_fence_proxy(Lowering *l, MlirOperation op);
void lower_tile_cp_async_commit(Lowering *l, MlirOperation op);
void lower_tile_cp_async_wait(Lowering *l, MlirOperation op);
void lower_tile_tma_wait(Lowering *l, MlirOperation op); // TmaCopies.c
void lower_tile_advance(Lowering *l, MlirOperation op);
void lower_tile_channel_barriers(Lowering *l, MlirOperation op);
// Threads.c
void lower_tile_warp_id(Lowering *l, MlirOperation op);
MlirValue barrier_slot_pointer(Lowering *l, MlirValue barrier, MlirValue slot);
// Copies.c, SimtCopies.c, FragmentCopies.c, TmaCopies.c
void lower_tile_copy(Lowering *l, MlirOperation op);
void lower_tile_fill(Lowering *l, MlirOperation op);
void lower_simt_copy(Lowering *l, MlirOperation op, const View *src,
                     const View *dst);
void lower_fragment_copy(Lowering *l, MlirOperation op, const View *src,
                         const View *dst);
void lower_tma_copy(Lowering *l, MlirOperation op, const View *src,
                    const View *dst);
// WgmmaProducts.c
void lower_tile_product(Lowering *l, MlirOperation op);
void lower_tile_await(Lowering *l, MlirOperation op);
// SharedReductions.c, FragmentReductions.c
void lower_tile_reduce(Lowering *l, MlirOperation op);
// Scans.c, Predicates.c, Atomics.c
void lower_tile_scan(Lowering *l, MlirOperation op);
void lower_tile_any_of(Lowering *l, MlirOperation op);
void lower_tile_all_of(Lowering *l, MlirOperation op);
void lower_tile_atomic(Lowering *l, MlirOperation op);
// NvgpuOps.c
void lower_nvgpu_ldmatrix(Lowering *l, MlirOperation op);
void lower_vector_bitcast(Lowering *l, MlirOperation op);

/// C + A * B of a warp, m16n8k32, k64 when A is sparse: words as PTX ISA,
/// mma.sync, has them.
typedef struct {
  MlirType format_a, format_b; // f8E4M3FN or f8E5M2
  const MlirValue *a, *b;      // 4 and 2 words; sparse 4 and 4
  const MlirValue *c;
  int num_c;          // 4 f32, or 2 pairs of f16 (dense only)
  MlirValue metadata; // a word; null when A is dense
  MlirType result;    // struct like C
} Float8Product;

MlirValue float8_multiply(Lowering *l, const Float8Product *product);
void lower_nvgpu_mma_sync(Lowering *l, MlirOperation op);
void lower_nvgpu_mma_sp_sync(Lowering *l, MlirOperation op);
void lower_nvgpu_device_async_copy(Lowering *l, MlirOperation op);
void lower_nvgpu_device_async_create_group(Lowering *l, MlirOperation op);
void lower_nvgpu_device_async_wait(Lowering *l, MlirOperation op);
void lower_vector_from_elements(Lowering *l, MlirOperation op);
void lower_vector_extract(Lowering *l, MlirOperation op);
void lower_vector_extract_strided_slice(Lowering *l, MlirOperation op);

#endif // TILE_CONVERSION_LOWERING_H
