//===- Memories.c - What memrefs became, and pointers into it -------------===//

#include "Memories.h"

#include "Support/Constants.h"
#include "Tile/Ops/gpu.h"
#include "Tile/Ops/llvm.h"
#include "mlir-c/Dialect/LLVM.h"

//===-- The table ---------------------------------------------------------===//

Memory *memory_add(Lowering *l, MlirValue key, TileSpace space,
                   MlirType element, MlirValue pointer) {
  Memory *memory = TILE_ARENA_NEW(l->arena, Memory, 1);
  memory->key = key;
  memory->space = space;
  memory->element = element;
  memory->pointer = pointer;
  memory->next = l->memories;
  l->memories = memory;
  return memory;
}

Memory *memory_find(Lowering *l, MlirValue key) {
  for (Memory *memory = l->memories; memory; memory = memory->next)
    if (mlirValueEqual(memory->key, key))
      return memory;
  return NULL;
}

//===-- Shared memory -----------------------------------------------------===//

static const char smem_name[] = "tile_smem";

// The arena must be external: LLVM 22 demotes a private zero-sized shared
// global to a static one of one byte.
static void find_or_build_arena(Lowering *l) {
  MlirOperation module = mlirOperationGetParentOperation(l->func);
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(module, 0));
  for (MlirOperation op = mlirBlockGetFirstOperation(body); op.ptr;
       op = mlirOperationGetNextInBlock(op))
    if (llvm_mlir_global_is(op) &&
        mlirStringRefEqual(llvm_mlir_global_sym_name(llvm_mlir_global_cast(op)),
                           tile_str(smem_name)))
      return;
  MlirContext context = tile_builder_context(&l->b);
  MlirType type = mlirLLVMArrayTypeGet(mlirIntegerTypeGet(context, 8), 0);
  mlirRewriterBaseSetInsertionPointToStart(l->b.rw, body);
  llvm_mlir_global(&l->b, .global_type = type, .sym_name = smem_name,
                   .linkage =
                       mlirLLVMLinkageAttrGet(context, MlirLLVMLinkageExternal),
                   .alignment = TILE_SOME(1024), .addr_space = TILE_SOME(3));
}

MlirValue smem_base(Lowering *l) {
  MlirBlock block = mlirRewriterBaseGetInsertionBlock(l->b.rw);
  MlirOperation before = mlirRewriterBaseGetOperationAfterInsertion(l->b.rw);
  find_or_build_arena(l);
  if (before.ptr)
    mlirRewriterBaseSetInsertionPointBefore(l->b.rw, before);
  else
    mlirRewriterBaseSetInsertionPointToEnd(l->b.rw, block);
  return llvm_mlir_addressof(&l->b, .type = type_pointer(l, 3),
                             .global_name = smem_name);
}

//===-- Indices -----------------------------------------------------------===//

TileInt index_operand(Lowering *l, MlirValue index) {
  int64_t constant;
  if (mlirxConstantInt(index, &constant))
    return tile_int_constant(constant);
  if (mlirTypeEqual(mlirValueGetType(index), type_i32(l)))
    return tile_int_value(index);
  if (mlirValueIsAOpResult(index)) {
    MlirOperation cast = mlirOpResultGetOwner(index);
    if (arith_index_cast_is(cast)) {
      MlirValue source = mlirOperationGetOperand(cast, 0);
      if (mlirTypeEqual(mlirValueGetType(source), type_i32(l)))
        return tile_int_value(source);
    }
  }
  return tile_int_value(
      arith_index_cast(&l->b, .type = type_i32(l), .in = index));
}

TileInt index_split(Lowering *l, MlirValue index, int64_t *out_constant) {
  *out_constant = 0;
  if (mlirValueIsAOpResult(index)) {
    MlirOperation add = mlirOpResultGetOwner(index);
    for (intptr_t i = 0; i < 2 && arith_addi_is(add); i++)
      if (mlirxConstantInt(mlirOperationGetOperand(add, i), out_constant))
        return index_operand(l, mlirOperationGetOperand(add, 1 - i));
  }
  return index_operand(l, index);
}

TileInt extend(Lowering *l, TileInt i32) {
  if (tile_int_is_constant(i32))
    return i32;
  return tile_int_value(
      arith_extsi(&l->b, .type = type_i64(l), .in = i32.value));
}

//===-- Addresses ---------------------------------------------------------===//

MlirValue element_pointer(Lowering *l, MlirValue base, MlirType element,
                          TileInt index) {
  MlirType type = mlirValueGetType(base);
  if (tile_int_is_constant(index)) {
    if (index.constant == 0)
      return base;
    int32_t fixed = (int32_t)index.constant;
    return llvm_getelementptr(&l->b, .type = type, .base = base,
                              .rawConstantIndices = {&fixed, 1},
                              .elem_type = type_stored(l, element));
  }
  int32_t dynamic = INT32_MIN; // LLVM dialect: the next dynamic index
  return llvm_getelementptr(&l->b, .type = type, .base = base,
                            .dynamicIndices = TILE_VALUES(index.value),
                            .rawConstantIndices = {&dynamic, 1},
                            .elem_type = type_stored(l, element));
}

// One pointer per register, in the entry block: every use shares it.
static void build_registers(Lowering *l, Memory *memory) {
  MlirOperation before = mlirRewriterBaseGetOperationAfterInsertion(l->b.rw);
  MlirBlock block = mlirRewriterBaseGetInsertionBlock(l->b.rw);
  tile_layout_storage_elems(memory->key, &memory->num_registers);
  memory->registers =
      TILE_ARENA_NEW(l->arena, MlirValue, memory->num_registers);
  mlirRewriterBaseSetInsertionPointBefore(l->b.rw, l->prolog);
  for (int64_t r = 0; r < memory->num_registers; r++)
    memory->registers[r] = element_pointer(l, memory->pointer, memory->element,
                                           tile_int_constant(r));
  if (before.ptr)
    mlirRewriterBaseSetInsertionPointBefore(l->b.rw, before);
  else
    mlirRewriterBaseSetInsertionPointToEnd(l->b.rw, block);
}

MlirValue register_pointer(Lowering *l, Memory *memory, int64_t r) {
  if (!memory->registers)
    build_registers(l, memory);
  return memory->registers[r];
}
