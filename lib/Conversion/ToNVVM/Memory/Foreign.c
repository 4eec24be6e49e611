//===- Foreign.c - What ops of other dialects see of memories and vectors -===//
//
// Memrefs and vectors of nvgpu are no SSA values in this lowering (Memories.h).
// Ops that upstream converts after it need them as such: a memref gets a
// descriptor, with indices of 64 bits, a vector its elements, just before the
// op that uses it. LLVM takes apart again what nobody needs whole.
//
//===----------------------------------------------------------------------===//

#include "Conversion/ToNVVM/LoweredOps.h"
#include "Memories.h"

#include "Dialect/ForeignOps.h"
#include "Support/Constants.h"
#include "Support/Diagnostics.h"
#include "Support/MlirExtra.h"
#include "Tile/Ops/arith.h"
#include "Tile/Ops/llvm.h"
#include "Tile/Ops/vector.h"
#include "mlir-c/Dialect/LLVM.h"

//===-- Memrefs -----------------------------------------------------------===//

// The address space of the pointers in a descriptor, as convert-gpu-to-nvvm
// numbers them.
static unsigned descriptor_space(MlirType memref, const Memory *memory) {
  if (is_shared_memory(memory))
    return space_number(memory->space);
  bool is_generic = memory->space != TILE_SPACE_GLOBAL ||
                    mlirAttributeIsNull(mlirMemRefTypeGetMemorySpace(memref));
  return is_generic ? 0 : space_number(TILE_SPACE_GLOBAL);
}

static MlirType descriptor_type(Lowering *l, unsigned space, int rank) {
  MlirType index = type_i64(l), pointer = type_pointer(l, space);
  MlirType array = mlirLLVMArrayTypeGet(index, (unsigned)rank);
  MlirType members[] = {pointer, pointer, index, array, array};
  return mlirLLVMStructTypeLiteralGet(tile_builder_context(&l->b), rank ? 5 : 3,
                                      members, false);
}

// Row-major, where the type does not say strides.
static void fill_strides(Lowering *l, const Memory *memory, TileInt *out) {
  TileInt running = tile_int_constant(1);
  for (int d = memory->rank - 1; d >= 0; d--) {
    out[d] = memory->space == TILE_SPACE_GLOBAL ? memory->stride[d] : running;
    running =
        tile_int_mul_value(&l->i64, running, extend(l, memory->extent[d]));
  }
}

bool memory_is_linear(const Memory *memory) {
  TileLayout layout, linear;
  TileReason error;
  TileAllocOp alloc = memory->alloc;
  if (!is_shared_memory(memory) || !alloc.op.ptr)
    return true;
  MlirAttribute text = tile_alloc_layout_attr(alloc);
  if (mlirAttributeIsNull(text))
    return true;
  TileShape shape;
  return tile_shape_of(mlirOperationGetResult(alloc.op, 0), &shape) &&
         tile_layout_of_alloc(alloc, &layout, &error) &&
         tile_layout_parse("linear", shape.extent, shape.rank,
                           tile_elem_bits(shape.element), &linear, &error) &&
         tile_layout_equal(&layout, &linear);
}

static bool check_memory(Lowering *l, MlirOperation op, const Memory *memory) {
  if (memory->space == TILE_SPACE_FRAGMENT) {
    lower_fail(l, op,
               "uses a fragment, whose elements are in the registers of "
               "different threads; copy it to a shared tile first");
    return false;
  }
  if (!memory_is_linear(memory)) {
    lower_fail(l, op,
               "uses a shared tile whose elements do not lie row by row; give "
               "the tile layout = #tile.layout<\"linear\">");
    return false;
  }
  return true;
}

// Upstream adds the offset that the type of a tensor states to the pointer,
// which here is that of the first element.
static int64_t stated_offset(MlirType type) {
  int64_t strides[TILE_MAX_RANK], offset = 0;
  mlirMemRefTypeGetStridesAndOffset(type, strides, &offset);
  return mlirShapedTypeIsDynamicStrideOrOffset(offset) ? 0 : offset;
}

static MlirValue moved_back(Lowering *l, const Memory *memory, int64_t offset) {
  if (!offset)
    return memory->pointer;
  TileInt by = tile_int_value(tile_const_int(&l->b, -offset, 64));
  return element_pointer(l, memory->pointer, memory->element, by);
}

static MlirValue insert(Lowering *l, MlirValue into, MlirValue value,
                        int64_t first, int64_t second) {
  int64_t position[] = {first, second};
  return llvm_insertvalue(&l->b, .container = into, .value = value,
                          .position = {position, second < 0 ? 1 : 2});
}

static MlirValue cast(Lowering *l, MlirValue value, MlirType type) {
  MlirOperationState state = mlirOperationStateGet(
      TILE_STR("builtin.unrealized_conversion_cast"), l->b.loc);
  mlirOperationStateAddOperands(&state, 1, &value);
  mlirOperationStateAddResults(&state, 1, &type);
  MlirOperation op = mlirOperationCreate(&state);
  mlirRewriterBaseInsert(l->b.rw, op);
  return mlirOperationGetResult(op, 0);
}

// What upstream's conversions make of the memref, as a value of that type.
static MlirValue memref_value(Lowering *l, MlirOperation op, MlirType type,
                              const Memory *memory) {
  if (!check_memory(l, op, memory))
    return (MlirValue){NULL};
  unsigned space = descriptor_space(type, memory);
  int64_t offset = stated_offset(type);
  MlirValue pointer = moved_back(l, memory, offset);
  if (!mlirTypeEqual(mlirValueGetType(pointer), type_pointer(l, space)))
    pointer = llvm_addrspacecast(&l->b, .type = type_pointer(l, space),
                                 .arg = pointer);
  MlirValue value =
      llvm_mlir_undef(&l->b, descriptor_type(l, space, memory->rank));
  value = insert(l, value, pointer, 0, -1);
  value = insert(l, value, pointer, 1, -1);
  value = insert(l, value, tile_const_int(&l->b, offset, 64), 2, -1);
  TileInt strides[TILE_MAX_RANK];
  fill_strides(l, memory, strides);
  for (int d = 0; d < memory->rank; d++) {
    value = insert(l, value,
                   tile_int_get(&l->i64, extend(l, memory->extent[d])), 3, d);
    value = insert(l, value, tile_int_get(&l->i64, strides[d]), 4, d);
  }
  return cast(l, value, type);
}

// convert-arith-to-llvm would select descriptors of 32 bits.
bool memref_select_is(MlirOperation op) {
  return arith_select_is(op) &&
         mlirTypeIsAMemRef(mlirValueGetType(mlirOperationGetResult(op, 0)));
}

void lower_memref_select(Lowering *l, MlirOperation op) {
  MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
  TileShape shape;
  lower_foreign_operands(l, op);
  if (tile_failed(l->result))
    return;
  const Memory any = {.space =
                          tile_shape_of(mlirOperationGetResult(op, 0), &shape)
                              ? shape.space
                              : TILE_SPACE_GLOBAL};
  MlirType descriptor = descriptor_type(l, descriptor_space(type, &any),
                                        (int)mlirShapedTypeGetRank(type));
  MlirValue arms[2];
  for (int i = 0; i < 2; i++)
    arms[i] = cast(l, mlirOperationGetOperand(op, i + 1), descriptor);
  MlirValue selected =
      llvm_select(&l->b, .condition = mlirOperationGetOperand(op, 0),
                  .trueValue = arms[0], .falseValue = arms[1]);
  mlirRewriterBaseReplaceAllUsesWith(l->b.rw, mlirOperationGetResult(op, 0),
                                     cast(l, selected, type));
}

//===-- Vectors -----------------------------------------------------------===//

static MlirValue vector_value(Lowering *l, MlirType type, const Parts *parts) {
  enum { MAX_ELEMS = MAX_PARTS * WORD_BITS / 8 };
  MlirType element = mlirShapedTypeGetElementType(type);
  int64_t per_word = elems_per_word(element);
  MlirValue elems[MAX_ELEMS];
  for (int i = 0; i < parts->count; i++) {
    MlirValue *word = &elems[i * per_word];
    if (per_word == 1)
      word[0] = mlirTypeEqual(mlirValueGetType(parts->part[i]), element)
                    ? parts->part[i]
                    : llvm_bitcast(&l->b, element, parts->part[i]);
    else
      bits_split(l, parts->part[i], element, per_word, word);
    for (int64_t j = 0; j < per_word; j++)
      word[j] = element_loaded(l, word[j], element);
  }
  return vector_from_elements(
      &l->b, .type = type,
      .elements = {elems, (intptr_t)(parts->count * per_word)});
}

//===-- Ops ---------------------------------------------------------------===//

static void note_allocation(TileEffectKind kind, MlirValue value,
                            MlirStringRef resource, void *user_data) {
  (void)value;
  (void)resource;
  *(bool *)user_data |= kind == TILE_EFFECT_ALLOCATE;
}

// Whether `op` stores to memory that it has not from the block: each thread
// allocates its own.
static bool is_of_thread(MlirOperation op) {
  bool allocates = false;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
    MlirValue root = mlirOperationGetOperand(op, i);
    if (!mlirTypeIsAMemRef(mlirValueGetType(root)))
      continue;
    root = tile_foreign_root(root);
    if (mlirValueIsAOpResult(root))
      mlirxEffects(mlirOpResultGetOwner(root), false, note_allocation,
                   &allocates);
  }
  return allocates;
}

// A write to memory that the block shares is one write, not one per thread,
// unless it says otherwise (lower_memref_store).
static void elect(Lowering *l, MlirOperation op) {
  if (l->is_thread_code || is_by_thread(op) || !tile_foreign_op_stores(op) ||
      is_of_thread(op))
    return;
  IfBlocks blocks = if_begin(l, op, is_elected(l));
  if_end(l, op, blocks);
  mlirRewriterBaseMoveOpBefore(l->b.rw, op,
                               mlirBlockGetTerminator(blocks.body));
}

void lower_foreign_operands(Lowering *l, MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
    MlirValue operand = mlirOperationGetOperand(op, i);
    MlirType type = mlirValueGetType(operand);
    const Memory *memory =
        mlirTypeIsAMemRef(type) ? memory_find(l, operand) : NULL;
    const Parts *parts =
        mlirTypeIsAVector(type) ? parts_find(l, operand) : NULL;
    MlirValue value = {NULL};
    if (memory)
      value = memref_value(l, op, type, memory);
    else if (parts)
      value = vector_value(l, type, parts);
    if (tile_failed(l->result))
      return;
    if (value.ptr)
      mlirOperationSetOperand(op, i, value);
  }
  elect(l, op);
}
