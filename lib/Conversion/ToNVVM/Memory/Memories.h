//===- Memories.h - Memories, windows, addresses, accesses ----------------===//
//
// What memref-like values became, where the elements of a window of one are,
// and the loads and stores of them.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_CONVERSION_MEMORY_H
#define TILE_CONVERSION_MEMORY_H

#include "Conversion/ToNVVM/Lowering.h"
#include "Dialect/Im2col.h"
#include "Dialect/TileLayouts.h"

//===-- Memory ------------------------------------------------------------===//

/// What a memref-like value became.
typedef struct Memory {
  struct Memory *next;
  MlirValue key; // the memref, barrier or storage in the original IR
  TileSpace space;
  MlirType element;    // as in the memref
  MlirValue pointer;   // ptr<1> global, ptr<3> shared, ptr<7> of the cluster,
                       // ptr private, fragment
  int64_t smem_offset; // shared: bytes from the start of the arena
  int rank;
  TileInt extent[TILE_MAX_RANK]; // i32
  TileInt stride[TILE_MAX_RANK]; // i64, in elements; shared and private: unused
  TileAllocOp alloc;             // after shared tiles and fragments, or null
  bool is_of_cluster;            // other blocks may reach it
  MlirValue *registers;          // fragment: pointer to each, made on demand
  int64_t num_registers;
} Memory;

/// Of this block, or of another one of its cluster.
static inline bool is_shared_memory(const Memory *memory) {
  return memory->space == TILE_SPACE_SHARED ||
         memory->space == TILE_SPACE_CLUSTER;
}

/// Whether its elements lie row after row, as upstream's conversions expect
/// (Foreign.c).
bool memory_is_linear(const Memory *memory);

/// A `tile.im2col` whose numbers are in registers; in the arena.
typedef struct Im2colWindow Im2colWindow;

struct View;

/// What names the places of a gathered window, and the last one that was read.
typedef struct {
  const struct View *ids;
  TileInt first; // i32
  int dim;       // of the memory
  bool has_last;
  TileInt last_at;      // tile coordinate
  MlirValue last_place; // i32, -1: none
  MlirBlock last_block;
} PlaceNumbers;

/// A tile operand: a window of a memory.
typedef struct View {
  Memory *memory;
  TileShape shape;               // of the tile
  int dim[TILE_MAX_RANK];        // memory dimension of every tile dimension
  TileInt offset[TILE_MAX_RANK]; // i32, per memory dimension
  MlirValue pad;                 // as stored; null: zero
  // Known: where every row begins is a multiple of so many bytes; the last
  // extent of the memory is; the column of the window is, 0: it is column 0.
  int64_t align_bytes, row_bytes, column_bytes;
  bool on_grid; // offsets are known to be multiples of the sizes
  bool is_inside[TILE_MAX_RANK]; // per memory dimension: it never leaves it
  TileInt end[TILE_MAX_RANK]; // i32, per memory dimension: of the window or the
                              // memory, which comes first
  // Per memory dimension: 0, or where the window has an end of its own, how
  // many places it has.
  int64_t window_extent[TILE_MAX_RANK];
  // Of a tile.im2col, which is no rectangle of its memory; only copies read it.
  // Else null.
  const Im2colWindow *im2col;
  PlaceNumbers *numbers; // of a gathered window; in the arena; or null
} View;

//===-- Values that are several registers ---------------------------------===//

enum { MAX_PARTS = 8, WORD_BITS = 32 };

/// A vector value of the nvgpu ops, as scalars or packed 32-bit registers.
typedef struct Parts {
  struct Parts *next;
  MlirValue key;
  int count;
  MlirValue part[MAX_PARTS];
} Parts;

//===-- Tables and pointers (Memories.c) ----------------------------------===//

Memory *memory_add(Lowering *l, MlirValue key, TileSpace space,
                   MlirType element, MlirValue pointer);
Memory *memory_find(Lowering *l, MlirValue key);
/// Memory that a gpu.func declares beside its arguments, number `number` of
/// them, for the block or for each thread.
void lower_attribution(Lowering *l, MlirValue arg, bool is_shared, int number);
/// The dynamic shared memory of the module of the kernel.
MlirValue smem_base(Lowering *l);
TileInt index_operand(Lowering *l, MlirValue index); // as i32
TileInt extend(Lowering *l, TileInt i32);            // to i64
/// Splits an index into an SSA part, as i32, and a constant, which then is the
/// immediate offset of the access: LLVM cannot take it out of 32-bit
/// arithmetic.
TileInt index_split(Lowering *l, MlirValue index, int64_t *out_constant);
/// Pointer to element `index` of storage of `element`s.
MlirValue element_pointer(Lowering *l, MlirValue base, MlirType element,
                          TileInt index);
/// Pointer to register `r` of a fragment.
MlirValue register_pointer(Lowering *l, Memory *memory, int64_t r);

//===-- Windows (Windows.c) -----------------------------------------------===//

/// False after an error at `op`.
bool view_of(Lowering *l, MlirOperation op, MlirValue tile, View *out);
/// Where a window of a shared tile is: element x at layout(x) + base.
typedef struct {
  TileLayout layout; // of the shape of the window
  TileInt base;      // i32, in elements of the storage
} PlacedWindow;
/// False where the window has no layout of its own; `error` says why.
bool shared_window_place(Lowering *l, const View *view, PlacedWindow *out,
                         TileReason *error);
/// Whether the view is all of its memory.
bool is_whole_tile(const View *view);
/// Pointer to the element of a global window at tile coordinates `at`.
MlirValue global_pointer(Lowering *l, const View *view, const TileInt *at);
/// Memory coordinates of tile coordinates, one per memory dimension; -1 where a
/// number names nothing.
void memory_coordinates(Lowering *l, const View *view, const TileInt *at,
                        TileInt out[TILE_MAX_RANK]);
/// 0 <= coordinate and coordinate + vector <= extent; null: known to hold.
MlirValue coordinate_in_bounds(Lowering *l, TileInt coordinate, TileInt extent,
                               int64_t vector);
/// Whether `at`, and `vector` - 1 elements after it, are inside the tensor;
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
/// Pointer to the run of `vector` elements at tile coordinates `at` of global,
/// shared or private memory; conjoins the condition under which it may be
/// accessed to the predicate (null: true). False after an error at `op`.
bool tile_run_pointer(Lowering *l, MlirOperation op, const View *view,
                      const TileInt *at, int64_t vector, MlirValue *out_pointer,
                      MlirValue *inout_predicate);

//===-- Windows that never leave their tensor -----------------------------===//

/// What follows from how the offsets of a window are computed.
typedef struct WindowFacts {
  struct WindowFacts *next;
  MlirOperation region;
  bool is_inside[TILE_MAX_RANK]; // per dimension of the source
  int64_t column_bytes;
} WindowFacts;

//===-- Windows of the matrix of a convolution (Im2colWindows.c) ----------===//

/// Emits what all elements of the window have in common.
const Im2colWindow *im2col_window_build(Lowering *l, TileIm2colOp im2col,
                                        const Memory *image);

/// Where a group is in the image.
typedef struct {
  MlirValue pointer; // ptr<1>
  MlirValue inside;  // i1: the first element is in the image
  TileInt channel;   // of the first element
} Im2colGroup;
/// At tile coordinates `at`.
Im2colGroup im2col_group_at(Lowering *l, const View *view, const TileInt *at);

/// cp.async of `count` elements at tile coordinates `at` to `dst`, ptr<3>.
void im2col_copy_async(Lowering *l, const View *view, const TileInt *at,
                       MlirValue dst, int64_t count);

/// Operands of cp.async.bulk.tensor in im2col mode, contiguous dimension first.
typedef struct {
  intptr_t rank;                        // of the image
  MlirValue coordinates[TILE_MAX_RANK]; // i32: c, w (, h (, d)), n of the first
                                        // pixel
  MlirValue offsets[TILE_IM2COL_MAX_DIMS]; // i16: w (, h (, d)) of the element
                                           // of the filter, rank - 2
} Im2colBox;
/// Of the box that begins at constant tile coordinates `box_at`.
void im2col_box_at(Lowering *l, const View *view, const int64_t *box_at,
                   Im2colBox *out);

//===-- Runs of bytes, and conversion of elements (Accesses.c) ------------===//

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

//===-- Vectors (Memories.c, Vectors.c) -----------------------------------===//

static inline MlirType vector_element(MlirValue vector) {
  return mlirShapedTypeGetElementType(mlirValueGetType(vector));
}

static inline int64_t elems_per_word(MlirType element) {
  return WORD_BITS / tile_elem_bits(element);
}

Parts *parts_add(Lowering *l, MlirValue key, int count, const MlirValue *part);
Parts *parts_find(Lowering *l, MlirValue key);
/// Whether a vector is one that Parts hold.
bool vector_fits_parts(MlirValue vector);
/// The words of an operand; null after an error.
Parts *vector_parts(Lowering *l, MlirOperation op, MlirValue vector);

//===-- Elements of memrefs (MemrefAccesses.c) ----------------------------===//

/// Whether every thread does it, not one of the block.
bool is_by_thread(MlirOperation op);
/// Pointer to one element of a memref that is no tile operand. Null after an
/// error.
MlirValue element_address(Lowering *l, MlirOperation op, MlirValue memref,
                          TileRange indices, Memory **out_memory);

//===-- mbarriers (Barriers.c) --------------------------------------------===//

MlirValue barrier_slot_pointer(Lowering *l, MlirValue barrier, MlirValue slot);

#endif // TILE_CONVERSION_MEMORY_H
