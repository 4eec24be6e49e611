//===- NvgpuOps.c - ldmatrix, mma.sync and cp.async -----------------------===//

#include "Conversion/ToNVVM/LoweredOps.h"
#include "MmaOperands.h"

#include "Support/Constants.h"
#include "Tile/Ops/llvm.h"
#include "Tile/Ops/nvgpu.h"
#include "Tile/Ops/nvvm.h"
#include "Tile/Ops/vector.h"
#include "mlir-c/Dialect/LLVM.h"

//===-- ldmatrix ----------------------------------------------------------===//

static MlirAttribute parse(Lowering *l, const char *text) {
  return mlirAttributeParseGet(tile_builder_context(&l->b), tile_str(text));
}

static MlirType type_struct(Lowering *l, intptr_t count, MlirType member) {
  MlirType members[MAX_PARTS];
  for (intptr_t i = 0; i < count; i++)
    members[i] = member;
  return mlirLLVMStructTypeLiteralGet(tile_builder_context(&l->b), count,
                                      members, false);
}

static MlirValue member_of(Lowering *l, MlirValue container, MlirType type,
                           int64_t i) {
  return llvm_extractvalue(&l->b, .type = type, .container = container,
                           .position = {&i, 1});
}

// Pointer to an element of the storage of a shared tile.
static MlirValue storage_pointer(Lowering *l, MlirOperation op,
                                 MlirValue storage, TileRange indices) {
  Memory *memory = memory_find(l, storage);
  if (!memory || memory->space != TILE_SPACE_SHARED || indices.n != 1) {
    lower_fail(l, op, "expects the storage of a shared tile");
    return (MlirValue){NULL};
  }
  int64_t constant;
  TileInt index = index_split(l, tile_range_at(indices, 0), &constant);
  MlirValue pointer =
      element_pointer(l, memory->pointer, memory->element, index);
  return element_pointer(l, pointer, memory->element,
                         tile_int_constant(constant));
}

void lower_nvgpu_ldmatrix(Lowering *l, MlirOperation op) {
  NVGPULdMatrixOp load = nvgpu_ldmatrix_cast(op);
  int count = (int)nvgpu_ldmatrix_numTiles(load);
  MlirValue pointer = storage_pointer(l, op, nvgpu_ldmatrix_srcMemref(load),
                                      nvgpu_ldmatrix_indices(load));
  if (!pointer.ptr)
    return;
  MlirType word = type_i32(l);
  MlirValue loaded = nvvm_ldmatrix(
      &l->b, .type = count == 1 ? word : type_struct(l, count, word),
      .ptr = pointer, .num = count,
      .layout = nvgpu_ldmatrix_transpose(load) ? NVVM_MMA_LAYOUT_col
                                               : NVVM_MMA_LAYOUT_row,
      .shape = parse(l, "#nvvm.ld_st_matrix_shape<m = 8, n = 8>"),
      .eltType = NVVM_LD_ST_MATRIX_ELT_TYPE_B16);
  MlirValue part[MAX_PARTS] = {loaded};
  MlirType element = vector_element(mlirOperationGetResult(op, 0));
  for (int i = 0; i < count; i++) {
    if (count > 1)
      part[i] = member_of(l, loaded, word, i);
    if (elems_per_word(element) == 1)
      part[i] = llvm_bitcast(&l->b, element, part[i]);
  }
  parts_add(l, mlirOperationGetResult(op, 0), count, part);
}

//===-- mma.sync ----------------------------------------------------------===//

// The word of a fragment as nvvm.mma.sync has it: pairs of f16 are vectors,
// what else goes in is i32.
static MlirType multiplicand_type(Lowering *l, MlirType element) {
  int64_t pair = 2;
  return mlirTypeIsAF16(element) ? mlirVectorTypeGet(1, &pair, element)
                                 : type_i32(l);
}

static MlirType accumulator_type(Lowering *l, MlirType element) {
  return elems_per_word(element) == 1 ? element : multiplicand_type(l, element);
}

static void cast_parts(Lowering *l, const Parts *parts, MlirType type,
                       MlirValue *out) {
  for (int i = 0; i < parts->count; i++)
    out[i] = mlirTypeEqual(mlirValueGetType(parts->part[i]), type)
                 ? parts->part[i]
                 : llvm_bitcast(&l->b, type, parts->part[i]);
}

static NVVMMMATypes mma_type(MlirType element) {
  enum { COUNT = sizeof NVVMMMATypes_cases / sizeof *NVVMMMATypes_cases };
  const char *factor = tile_elem_info(element)->factor;
  int i = 0;
  while (i < COUNT - 1 && strcmp(NVVMMMATypes_cases[i].s, factor) != 0)
    i++;
  return (NVVMMMATypes)NVVMMMATypes_cases[i].v;
}

static MlirAttribute mma_shape(Lowering *l, MlirAttribute shape) {
  int64_t extent[3];
  for (intptr_t i = 0; i < 3; i++)
    extent[i] = mlirIntegerAttrGetValueInt(mlirArrayAttrGetElement(shape, i));
  char text[96];
  snprintf(text, sizeof text, "#nvvm.shape<m = %lld, n = %lld, k = %lld>",
           (long long)extent[0], (long long)extent[1], (long long)extent[2]);
  return parse(l, text);
}

// What dense and sparse products have in common.
typedef struct {
  const Parts *a, *b, *c;
  MlirType sum;      // a word of C, as the instruction has it
  MlirType output;   // element of C
  MlirType operands; // a word of A and B
  MlirValue words[3][MAX_PARTS];
  MlirType float8[2]; // of A and B; null of other types
  TileOptInt type, overflow;
} Mma;

static void read_float8(MlirOperation op, MlirType out[2]) {
  MlirAttribute a =
      mlirOperationGetDiscardableAttributeByName(op, TILE_STR("tile.mma_type"));
  MlirAttribute b = mlirOperationGetDiscardableAttributeByName(
      op, TILE_STR("tile.mma_type_b"));
  if (a.ptr)
    out[0] = out[1] = mlirTypeAttrGetValue(a);
  if (b.ptr)
    out[1] = mlirTypeAttrGetValue(b);
}

// A product of 8-bit floats; `metadata` is null when A is dense.
static MlirValue float8_product(Lowering *l, const Mma *mma,
                                const Parts *metadata) {
  const Float8Product product = {
      .format_a = mma->float8[0],
      .format_b = mma->float8[1],
      .a = mma->words[0],
      .b = mma->words[1],
      .c = mma->words[2],
      .num_c = mma->c->count,
      .metadata = metadata ? metadata->part[0] : (MlirValue){NULL},
      .result = type_struct(l, mma->c->count, mma->sum)};
  return float8_multiply(l, &product);
}

static bool mma_build(Lowering *l, MlirOperation op, MlirValue a, MlirValue b,
                      MlirValue c, Mma *out) {
  out->a = vector_parts(l, op, a);
  out->b = out->a ? vector_parts(l, op, b) : NULL;
  out->c = out->b ? vector_parts(l, op, c) : NULL;
  if (!out->c)
    return false;
  MlirType input = vector_element(a);
  out->output = vector_element(c);
  out->operands = multiplicand_type(l, input);
  out->sum = accumulator_type(l, out->output);
  cast_parts(l, out->a, out->operands, out->words[0]);
  cast_parts(l, out->b, out->operands, out->words[1]);
  cast_parts(l, out->c, out->sum, out->words[2]);
  out->float8[0] = out->float8[1] = (MlirType){NULL};
  read_float8(op, out->float8);
  out->type = (TileOptInt)TILE_SOME(mma_type(input));
  out->overflow = (TileOptInt){false, 0};
  if (mlirTypeIsAInteger(input))
    out->overflow = (TileOptInt)TILE_SOME(NVVM_MMA_INT_OVERFLOW_wrapped);
  return true;
}

static void mma_add_parts(Lowering *l, MlirOperation op, const Mma *mma,
                          MlirValue result) {
  MlirValue part[MAX_PARTS];
  MlirType packed = elems_per_word(mma->output) == 1 ? mma->sum : type_i32(l);
  for (int i = 0; i < mma->c->count; i++) {
    part[i] = member_of(l, result, mma->sum, i);
    if (!mlirTypeEqual(mma->sum, packed))
      part[i] = llvm_bitcast(&l->b, packed, part[i]);
  }
  parts_add(l, mlirOperationGetResult(op, 0), mma->c->count, part);
}

void lower_nvgpu_mma_sync(Lowering *l, MlirOperation op) {
  NVGPUMmaSyncOp sync = nvgpu_mma_sync_cast(op);
  Mma mma;
  if (!mma_build(l, op, nvgpu_mma_sync_matrixA(sync),
                 nvgpu_mma_sync_matrixB(sync), nvgpu_mma_sync_matrixC(sync),
                 &mma))
    return;
  if (mma.float8[0].ptr) {
    mma_add_parts(l, op, &mma, float8_product(l, &mma, NULL));
    return;
  }
  MlirValue result = nvvm_mma_sync(
      &l->b, .type = type_struct(l, mma.c->count, mma.sum),
      .shape = mma_shape(l, nvgpu_mma_sync_mmaShape_attr(sync)),
      .intOverflowBehavior = mma.overflow, .layoutA = NVVM_MMA_LAYOUT_row,
      .layoutB = NVVM_MMA_LAYOUT_col, .multiplicandAPtxType = mma.type,
      .multiplicandBPtxType = mma.type,
      .operandA = {mma.words[0], mma.a->count},
      .operandB = {mma.words[1], mma.b->count},
      .operandC = {mma.words[2], mma.c->count});
  mma_add_parts(l, op, &mma, result);
}

void lower_nvgpu_mma_sp_sync(Lowering *l, MlirOperation op) {
  NVGPUMmaSparseSyncOp sync = nvgpu_mma_sp_sync_cast(op);
  Mma mma;
  if (!mma_build(l, op, nvgpu_mma_sp_sync_matrixA(sync),
                 nvgpu_mma_sp_sync_matrixB(sync),
                 nvgpu_mma_sp_sync_matrixC(sync), &mma))
    return;
  const Parts *metadata =
      vector_parts(l, op, nvgpu_mma_sp_sync_sparseMetadata(sync));
  if (!metadata)
    return;
  if (mma.float8[0].ptr) {
    mma_add_parts(l, op, &mma, float8_product(l, &mma, metadata));
    return;
  }
  MlirValue result = nvvm_mma_sp_sync(
      &l->b, .type = type_struct(l, mma.c->count, mma.sum),
      .shape = mma_shape(l, nvgpu_mma_sp_sync_mmaShape_attr(sync)),
      .intOverflowBehavior = mma.overflow, .multiplicandAPtxType = mma.type,
      .multiplicandBPtxType = mma.type,
      .operandA = {mma.words[0], mma.a->count},
      .operandB = {mma.words[1], mma.b->count},
      .operandC = {mma.words[2], mma.c->count},
      .sparseMetadata = metadata->part[0],
      .sparsitySelector =
          tile_const_int(&l->b, nvgpu_mma_sp_sync_sparsitySelector(sync), 32));
  mma_add_parts(l, op, &mma, result);
}

//===-- cp.async ----------------------------------------------------------===//

// Pointer to an element of a tensor: first the part that differs between
// threads, then what constants add, which many copies share.
static MlirValue tensor_pointer(Lowering *l, MlirOperation op, MlirValue tensor,
                                TileRange indices) {
  Memory *memory = memory_find(l, tensor);
  if (!memory || memory->space != TILE_SPACE_GLOBAL ||
      indices.n != memory->rank) {
    lower_fail(l, op, "expects a tensor that is an argument of the kernel");
    return (MlirValue){NULL};
  }
  TileIntMath *math = &l->i64;
  TileInt linear = tile_int_constant(0), more = tile_int_constant(0);
  for (int d = 0; d < memory->rank; d++) {
    int64_t constant;
    TileInt index = index_split(l, tile_range_at(indices, d), &constant);
    TileInt stride = memory->stride[d];
    linear = tile_int_add(math, linear,
                          tile_int_mul_value(math, extend(l, index), stride));
    more = tile_int_add(math, more, tile_int_mul(math, stride, constant));
  }
  MlirValue pointer =
      element_pointer(l, memory->pointer, memory->element, linear);
  return element_pointer(l, pointer, memory->element, more);
}

void lower_nvgpu_device_async_copy(Lowering *l, MlirOperation op) {
  NVGPUDeviceAsyncCopyOp copy = nvgpu_device_async_copy_cast(op);
  MlirType element = vector_element(nvgpu_device_async_copy_dst(copy));
  int64_t elem_bytes = tile_elem_bits(element) / 8;
  MlirValue dst = storage_pointer(l, op, nvgpu_device_async_copy_dst(copy),
                                  nvgpu_device_async_copy_dstIndices(copy));
  if (!dst.ptr)
    return;
  MlirValue src = tensor_pointer(l, op, nvgpu_device_async_copy_src(copy),
                                 nvgpu_device_async_copy_srcIndices(copy));
  if (!src.ptr)
    return;
  MlirValue elems = nvgpu_device_async_copy_srcElements(copy);
  MlirValue bytes = {NULL};
  if (elems.ptr)
    bytes = tile_int_get(
        &l->i32, tile_int_mul(&l->i32, index_operand(l, elems), elem_bytes));
  nvvm_cp_async_shared_global(
      &l->b, .dst = dst, .src = src,
      .size = nvgpu_device_async_copy_dstElements(copy) * elem_bytes,
      .modifier = nvgpu_device_async_copy_bypassL1(copy)
                      ? NVVM_LOAD_CACHE_MODIFIER_KIND_CG
                      : NVVM_LOAD_CACHE_MODIFIER_KIND_CA,
      .cpSize = bytes);
}

// All copies that the thread issued before: the tokens only say which.
void lower_nvgpu_device_async_create_group(Lowering *l, MlirOperation op) {
  (void)op;
  nvvm_cp_async_commit_group(&l->b, 0);
}

void lower_nvgpu_device_async_wait(Lowering *l, MlirOperation op) {
  nvvm_cp_async_wait_group(&l->b, nvgpu_device_async_wait_numGroups(
                                      nvgpu_device_async_wait_cast(op)));
}
