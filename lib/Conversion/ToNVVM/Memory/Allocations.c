//===- Allocations.c - Tiles, storage and windows -------------------------===//

#include "Conversion/ToNVVM/LoweredOps.h"
#include "Memories.h"

#include "Support/Constants.h"
#include "Tile/Ops/llvm.h"
#include "Tile/Ops/nvvm.h"
#include "mlir-c/Dialect/LLVM.h"

// Registers: LLVM promotes the array when every index is a constant. It stands
// in the entry block, as promotion needs.
static MlirValue build_array(Lowering *l, MlirType element, int64_t count) {
  MlirOperation before = mlirRewriterBaseGetOperationAfterInsertion(l->b.rw);
  mlirRewriterBaseSetInsertionPointBefore(l->b.rw, l->prolog);
  MlirType stored = type_stored(l, element);
  MlirValue array =
      llvm_alloca(&l->b, .type = type_pointer(l, 0),
                  .arraySize = tile_const_int(&l->b, count, 32),
                  .alignment = TILE_SOME(16), .elem_type = stored);
  mlirRewriterBaseSetInsertionPointBefore(l->b.rw, before);
  return array;
}

static MlirValue build_shared(Lowering *l, int64_t offset_bytes) {
  MlirType i8 = mlirIntegerTypeGet(tile_builder_context(&l->b), 8);
  return element_pointer(l, smem_base(l), i8, tile_int_constant(offset_bytes));
}

static void static_extents(Memory *memory, const TileShape *shape) {
  memory->rank = shape->rank;
  for (int d = 0; d < shape->rank; d++)
    memory->extent[d] = tile_int_constant(shape->extent[d]);
}

void lower_tile_alloc(Lowering *l, MlirOperation op) {
  TileAllocOp alloc = tile_alloc_cast(op);
  MlirValue value = mlirOperationGetResult(op, 0);
  TileShape shape;
  tile_shape_of(value, &shape);
  MlirValue pointer;
  int64_t offset_bytes = 0, count = tile_shape_num_elems(&shape);
  if (shape.space == TILE_SPACE_SHARED) {
    if (mlirAttributeIsNull(tile_alloc_offset_attr(alloc))) {
      lower_fail(l, op, "has no offset; run tile-pack-shared-memory first");
      return;
    }
    offset_bytes = tile_alloc_offset(alloc);
    pointer = build_shared(l, offset_bytes);
  } else {
    if (shape.space == TILE_SPACE_FRAGMENT &&
        !tile_layout_storage_elems(value, &count)) {
      lower_fail(l, op, "has no layout; run tile-layout-inference first");
      return;
    }
    pointer = build_array(l, shape.element, count);
  }
  Memory *memory = memory_add(l, value, shape.space, shape.element, pointer);
  memory->smem_offset = offset_bytes;
  memory->alloc = alloc;
  memory->is_of_cluster = l->target->max_cluster_blocks > 1 &&
                          shape.space == TILE_SPACE_SHARED &&
                          tile_is_reached_remotely(value);
  static_extents(memory, &shape);
}

// The memory from whose start on tile-pack-shared-memory keeps as much free as
// the launch asks for.
void lower_gpu_dynamic_shared_memory(Lowering *l, MlirOperation op) {
  MlirType i8 = mlirIntegerTypeGet(tile_builder_context(&l->b), 8);
  MlirOperation read =
      llvm_inline_asm_op(&l->b, .type = type_i32(l),
                         .asm_string = "mov.u32 $0, %dynamic_smem_size;",
                         .constraints = "=r")
          .op;
  Memory *memory = memory_add(l, mlirOperationGetResult(op, 0),
                              TILE_SPACE_SHARED, i8, smem_base(l));
  memory->rank = 1;
  memory->extent[0] = tile_int_value(mlirOperationGetResult(read, 0));
}

void lower_tile_storage(Lowering *l, MlirOperation op) {
  TileStorageOp storage = tile_storage_cast(op);
  Memory *tile = memory_find(l, tile_storage_tile(storage));
  MlirValue value = mlirOperationGetResult(op, 0);
  TileShape shape;
  if (!tile || !tile_shape_of(value, &shape)) {
    lower_fail_internal(l, op, "a tile operand has no memory");
    return;
  }
  Memory *memory =
      memory_add(l, value, shape.space, tile->element, tile->pointer);
  memory->smem_offset = tile->smem_offset;
  static_extents(memory, &shape); // row-major: no alloc, no layout
}

// As upstream lowers it: static shared memory, a variable of the module.
static MlirValue build_static(Lowering *l, MlirType stored, int64_t count,
                              int number) {
  enum { ALIGN_BYTES = 16 };
  MlirContext context = tile_builder_context(&l->b);
  MlirOperation module = mlirOperationGetParentOperation(l->func);
  MlirStringRef kernel = mlirStringAttrGetValue(
      mlirOperationGetAttributeByName(l->func, TILE_STR("sym_name")));
  char name[256];
  snprintf(name, sizeof name, "%.*s_shared_%d",
           (int)(kernel.length < 200 ? kernel.length : 200), kernel.data,
           number);
  MlirOperation before = mlirRewriterBaseGetOperationAfterInsertion(l->b.rw);
  mlirRewriterBaseSetInsertionPointToStart(
      l->b.rw, mlirRegionGetFirstBlock(mlirOperationGetRegion(module, 0)));
  llvm_mlir_global(
      &l->b, .global_type = mlirLLVMArrayTypeGet(stored, (unsigned)count),
      .sym_name = tile_arena_strdup(l->arena, name, strlen(name)),
      .linkage = mlirLLVMLinkageAttrGet(context, MlirLLVMLinkageInternal),
      .alignment = TILE_SOME(ALIGN_BYTES), .addr_space = TILE_SOME(3));
  mlirRewriterBaseSetInsertionPointBefore(l->b.rw, before);
  return llvm_mlir_addressof(
      &l->b, .type = type_pointer(l, 3),
      .global_name = tile_arena_strdup(l->arena, name, strlen(name)));
}

void lower_attribution(Lowering *l, MlirValue arg, bool is_shared, int number) {
  TileShape shape;
  tile_shape_of(arg, &shape);
  int64_t count = tile_shape_num_elems(&shape);
  MlirValue pointer =
      is_shared ? build_static(l, type_stored(l, shape.element), count, number)
                : build_array(l, shape.element, count);
  static_extents(memory_add(l, arg,
                            is_shared ? TILE_SPACE_SHARED : TILE_SPACE_PRIVATE,
                            shape.element, pointer),
                 &shape); // row-major: no alloc, no layout
}

// The same pointer, with other extents and elements.
void lower_tile_view(Lowering *l, MlirOperation op) {
  MlirValue value = mlirOperationGetResult(op, 0);
  Memory *source = memory_find(l, tile_view_source(tile_view_cast(op)));
  TileShape shape;
  if (!source || !tile_shape_of(value, &shape)) {
    lower_fail_internal(l, op, "a tile operand has no memory");
    return;
  }
  Memory *memory =
      memory_add(l, value, shape.space, shape.element, source->pointer);
  memory->smem_offset = source->smem_offset;
  memory->alloc = source->alloc;
  memory->is_of_cluster = source->is_of_cluster;
  static_extents(memory, &shape);
}

// On a chip without clusters there is only one block, which has rank 0.
void lower_tile_remote(Lowering *l, MlirOperation op) {
  TileRemoteOp remote = tile_remote_cast(op);
  Memory *tile = memory_find(l, tile_remote_tile(remote));
  TileShape shape;
  if (!tile || !tile_shape_of(tile_remote_remote(remote), &shape)) {
    lower_fail_internal(l, op, "a tile operand has no memory");
    return;
  }
  TileSpace space = TILE_SPACE_SHARED;
  MlirValue pointer = tile->pointer;
  if (l->target->max_cluster_blocks > 1) {
    TileInt rank = index_operand(l, tile_remote_rank(remote));
    space = TILE_SPACE_CLUSTER;
    pointer = nvvm_mapa(&l->b, .type = type_pointer(l, space_number(space)),
                        .a = pointer, .b = tile_int_get(&l->i32, rank));
  }
  Memory *memory =
      memory_add(l, tile_remote_remote(remote), space, shape.element, pointer);
  memory->smem_offset = tile->smem_offset;
  memory->alloc = tile->alloc;
  memory->is_of_cluster = tile->is_of_cluster;
  static_extents(memory, &shape);
}

// A window is looked through by its users.
void lower_tile_region(Lowering *l, MlirOperation op) {
  (void)l;
  (void)op;
}

// Read when the function was built.
void lower_tile_kernel_config(Lowering *l, MlirOperation op) {
  (void)l;
  (void)op;
}
