//===- MemrefAccesses.c - Loads and stores of elements and short vectors --===//
//
// The indices of neighbours differ by constants. They are taken out of the
// 32-bit arithmetic, where LLVM could not, and become the immediate offsets of
// accesses that share one pointer.
//
//===----------------------------------------------------------------------===//

#include "Analysis/Index/Index.h"
#include "Conversion/ToNVVM/LoweredOps.h"
#include "Memories.h"

#include "Support/Constants.h"
#include "Tile/Ops/llvm.h"
#include "Tile/Ops/memref.h"
#include "Tile/Ops/vector.h"
#include "mlir-c/Dialect/LLVM.h"

//===-- Pointers ----------------------------------------------------------===//

static bool check_scalar(Lowering *l, MlirOperation op, const Memory *memory) {
  if (memory->space == TILE_SPACE_FRAGMENT) {
    lower_fail(l, op,
               "accesses one element of a fragment, which is in the registers "
               "of some thread; copy the fragment to shared memory first");
    return false;
  }
  bool is_signed = mlirTypeIsAInteger(memory->element) &&
                   !mlirIntegerTypeIsSignless(memory->element);
  if (!tile_elem_bits(memory->element) || is_signed) {
    lower_fail(l, op, "accesses elements of a type that has no lowering");
    return false;
  }
  return true;
}

// Layouts of shared tiles are no sums of their coordinates; all others are.
static bool has_sum_layout(const Memory *memory) {
  return !is_shared_memory(memory) || !memory->alloc.op.ptr;
}

// `pointer` moved by constants along each dimension of a tensor or of storage.
static MlirValue move_pointer(Lowering *l, const View *view, MlirValue pointer,
                              const int64_t *by) {
  const Memory *memory = view->memory;
  TileInt rows = tile_int_constant(0);
  int last = memory->rank - 1;
  int64_t columns = 0, stride = 1;
  for (int d = last; d >= 0; d--) {
    TileInt step = memory->space == TILE_SPACE_GLOBAL
                       ? memory->stride[d]
                       : tile_int_constant(stride);
    if (memory->space != TILE_SPACE_GLOBAL)
      stride *= memory->extent[d].constant;
    if (tile_int_is_constant(step))
      columns += by[d] * step.constant;
    else if (by[d])
      rows = tile_int_add(&l->i64, rows, tile_int_mul(&l->i64, step, by[d]));
  }
  pointer = element_pointer(l, pointer, memory->element, rows);
  if (columns < INT32_MIN || columns > INT32_MAX)
    return element_pointer(l, pointer, memory->element,
                           tile_int_value(tile_const_int(&l->b, columns, 64)));
  return element_pointer(l, pointer, memory->element,
                         tile_int_constant(columns));
}

MlirValue element_address(Lowering *l, MlirOperation op, MlirValue memref,
                          TileRange indices, Memory **out_memory) {
  Memory *memory = memory_find(l, memref);
  *out_memory = memory;
  if (!memory) {
    lower_fail(l, op,
               "accesses a memref that is neither a kernel argument nor "
               "a tile.alloc");
    return (MlirValue){NULL};
  }
  if (!check_scalar(l, op, memory))
    return (MlirValue){NULL};
  View view;
  TileInt at[TILE_MAX_RANK];
  if (!view_of(l, op, memref, &view))
    return (MlirValue){NULL};
  bool splits = has_sum_layout(memory);
  int64_t by[TILE_MAX_RANK] = {0};
  for (int d = 0; d < memory->rank; d++)
    at[d] = splits ? index_split(l, tile_range_at(indices, d), &by[d])
                   : index_operand(l, tile_range_at(indices, d));
  MlirValue pointer = view_pointer(l, op, &view, at);
  return splits && pointer.ptr ? move_pointer(l, &view, pointer, by) : pointer;
}

//===-- Elements ----------------------------------------------------------===//

// The memref of a load, a store or an update is its first operand, or the one
// after the value.
static MlirValue accessed(MlirOperation op) {
  MlirValue first = mlirOperationGetOperand(op, 0);
  return mlirTypeIsAMemRef(mlirValueGetType(first))
             ? first
             : mlirOperationGetOperand(op, 1);
}

// Complex numbers are no scalars of PTX: upstream makes structures of them.
bool serves_access(Lowering *l, MlirOperation op) {
  const Memory *memory = memory_find(l, accessed(op));
  return memory && !mlirTypeIsAComplex(memory->element);
}

static void replace(Lowering *l, MlirOperation op, MlirValue value) {
  mlirRewriterBaseReplaceAllUsesWith(l->b.rw, mlirOperationGetResult(op, 0),
                                     value);
}

void lower_memref_load(Lowering *l, MlirOperation op) {
  MemRefLoadOp load = memref_load_cast(op);
  Memory *memory;
  MlirValue pointer = element_address(l, op, memref_load_memref(load),
                                      memref_load_indices(load), &memory);
  if (!pointer.ptr)
    return;
  MlirValue value = llvm_load(&l->b, .type = type_stored(l, memory->element),
                              .addr = pointer);
  replace(l, op, element_loaded(l, value, memory->element));
}

bool is_by_thread(MlirOperation op) {
  return !mlirAttributeIsNull(mlirOperationGetDiscardableAttributeByName(
      op, TILE_STR("tile.by_thread")));
}

// A store to memory that the block shares is one store, not one per thread,
// unless it says otherwise.
void lower_memref_store(Lowering *l, MlirOperation op) {
  MemRefStoreOp store = memref_store_cast(op);
  Memory *memory;
  MlirValue pointer = element_address(l, op, memref_store_memref(store),
                                      memref_store_indices(store), &memory);
  if (!pointer.ptr)
    return;
  MlirValue value =
      element_stored(l, memref_store_value(store), memory->element);
  bool is_shared =
      memory->space == TILE_SPACE_GLOBAL || is_shared_memory(memory);
  // Else LLVM sinks all after the branch of an angle to where the element is
  // used, and operands of many elements are in registers until then.
  bool is_element = memory->space == TILE_SPACE_PRIVATE ||
                    memory->space == TILE_SPACE_FRAGMENT;
  if (is_element && mlirBlockEqual(mlirOperationGetBlock(op), l->after_angle))
    value = value_pinned(l, value);
  if (!is_shared || l->is_thread_code || is_by_thread(op)) {
    llvm_store(&l->b, .value = value, .addr = pointer);
    return;
  }
  IfBlocks blocks = if_begin(l, op, is_elected(l));
  llvm_store(&l->b, .value = value, .addr = pointer);
  if_end(l, op, blocks);
}

//===-- Vectors -----------------------------------------------------------===//
//
// Of 4, 8 or 16 bytes; Parts hold their words. LLVM makes several accesses of
// one that is aligned to less than its bytes.

static int64_t vector_bytes(MlirValue vector) {
  MlirType type = mlirValueGetType(vector);
  return mlirShapedTypeGetDimSize(type, 0) *
         tile_elem_bits(mlirShapedTypeGetElementType(type)) / 8;
}

// Whether the elements are neighbours in memory, too.
static bool lies_together(MlirOperation op, const Memory *memory,
                          int64_t bytes) {
  TileLayout layout;
  TileReason error;
  if (memory_is_linear(memory))
    return true;
  int64_t elem_bytes = tile_elem_bits(memory->element) / 8;
  return tile_layout_of_tile(memory->key, &layout, &error) &&
         tile_layout_contiguous_run(&layout, memory->rank - 1) * elem_bytes >=
             bytes &&
         tile_vector_align_bytes(op) >= bytes;
}

bool serves_vector_access(Lowering *l, MlirOperation op) {
  MlirValue vector = vector_load_is(op) ? mlirOperationGetResult(op, 0)
                                        : mlirOperationGetOperand(op, 0);
  MlirType type = mlirValueGetType(vector);
  int64_t bytes = mlirShapedTypeGetRank(type) == 1 ? vector_bytes(vector) : 0;
  Memory *memory = memory_find(l, accessed(op));
  return memory && vector_fits_parts(vector) &&
         tile_elem_bits(vector_element(vector)) ==
             tile_elem_bits(memory->element) &&
         (bytes == 4 || bytes == 8 || bytes == 16) &&
         lies_together(op, memory, bytes);
}

static int64_t vector_alignment(MlirOperation op, int64_t bytes) {
  int64_t known = tile_vector_align_bytes(op);
  return known < bytes ? known : bytes;
}

void lower_vector_load(Lowering *l, MlirOperation op) {
  enum { WORD_BYTES = 4 };
  VectorLoadOp load = vector_load_cast(op);
  MlirValue vector = mlirOperationGetResult(op, 0);
  Memory *memory;
  MlirValue pointer = element_address(l, op, vector_load_base(load),
                                      vector_load_indices(load), &memory);
  if (!pointer.ptr)
    return;
  int64_t bytes = vector_bytes(vector);
  MlirValue bits =
      llvm_load(&l->b, .type = type_bits(l, bytes), .addr = pointer,
                .alignment = TILE_SOME(vector_alignment(op, bytes)));
  MlirValue words[4];
  bits_split(l, bits, type_i32(l), bytes / WORD_BYTES, words);
  if (tile_elem_bits(memory->element) == 32)
    for (int64_t i = 0; i < bytes / WORD_BYTES; i++)
      words[i] = llvm_bitcast(&l->b, memory->element, words[i]);
  parts_add(l, vector, (int)(bytes / WORD_BYTES), words);
}

void lower_vector_store(Lowering *l, MlirOperation op) {
  VectorStoreOp store = vector_store_cast(op);
  MlirValue vector = vector_store_valueToStore(store);
  Memory *memory;
  Parts *parts = vector_parts(l, op, vector);
  if (!parts)
    return;
  MlirValue pointer = element_address(l, op, vector_store_base(store),
                                      vector_store_indices(store), &memory);
  if (!pointer.ptr)
    return;
  MlirValue words[4];
  for (int i = 0; i < parts->count; i++)
    words[i] = llvm_bitcast(&l->b, type_i32(l), parts->part[i]);
  llvm_store(&l->b, .value = bits_join(l, words, type_i32(l), parts->count),
             .addr = pointer,
             .alignment =
                 TILE_SOME(vector_alignment(op, vector_bytes(vector))));
}
