//===- MetadataMemory.c - Memory that a host function uses ----------------===//
//
// Consumes: ops of a host function that take, free, move, read and set memory.
// Produces: ops of the list `body`, and the parts of the memrefs they make.
// Fails:    a memref that the host of a launch does not have.
//
//===----------------------------------------------------------------------===//

#include "Target/Metadata.h"

#include "Support/Diagnostics.h"
#include "Support/Iterate.h"
#include "Support/MlirText.h"
#include "Target/Symbols.h"
#include "Tile/Ops/gpu.h"
#include "Tile/Ops/memref.h"

//===-- Memory ------------------------------------------------------------===//

// The parts of a new workspace: rows without gaps, unless its type says
// otherwise.
static MlirLogicalResult fill_workspace(TileHost *host, MlirOperation op,
                                        TileRange sizes,
                                        TileHostMemref *parts) {
  MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
  int64_t strides[TILE_HOST_MAX_RANK], offset = 0;
  int rank = (int)mlirShapedTypeGetRank(type);
  intptr_t operand = 0;
  if (tile_failed(mlirMemRefTypeGetStridesAndOffset(type, strides, &offset)) ||
      mlirShapedTypeIsDynamicStrideOrOffset(offset))
    return tile_host_refuse_memref(op, type);
  int stride = tile_slice_constant(&host->slice, 1);
  parts->offset = tile_slice_constant(&host->slice, offset);
  for (int d = rank - 1; d >= 0; d--)
    if (mlirShapedTypeIsDynamicDim(type, d))
      operand++;
  for (int d = rank - 1; d >= 0; d--) {
    bool is_open = mlirShapedTypeIsDynamicDim(type, d);
    parts->sizes[d] =
        is_open
            ? tile_slice_value(&host->slice, tile_range_at(sizes, --operand))
            : tile_slice_constant(&host->slice,
                                  mlirShapedTypeGetDimSize(type, d));
    parts->strides[d] = mlirShapedTypeIsDynamicStrideOrOffset(strides[d])
                            ? stride
                            : tile_slice_constant(&host->slice, strides[d]);
    if (parts->sizes[d] < 0)
      return tile_failure();
    if (d > 0)
      stride = tile_slice_binary(&host->slice, "arith.muli", parts->strides[d],
                                 parts->sizes[d]);
  }
  return tile_success();
}

static MlirLogicalResult add_alloc(TileHost *host, MlirOperation op,
                                   TileRange sizes, int64_t align_bytes) {
  MlirValue memref = mlirOperationGetResult(op, 0);
  MlirType type = mlirValueGetType(memref);
  bool is_returned;
  if (!tile_host_memref_is(type))
    return tile_host_refuse_memref(op, type);
  host->slice.user = op;
  TileHostMemref *parts = tile_slice_add_memref(&host->slice, memref);
  if (tile_failed(fill_workspace(host, op, sizes, parts)))
    return tile_failure();
  parts->base = tile_slice_variable(&host->slice, "index");
  int number = host->num_allocs++;
  tile_host_plan_release(host, op, number, &is_returned);
  int rank = (int)mlirShapedTypeGetRank(type);
  tile_host_open_op(host, op, "alloc");
  tile_json_print_int(&host->body, "alloc", number);
  tile_json_print_int(&host->body, "address", parts->base);
  tile_json_print_string(&host->body, "dtype", tile_host_dtype_of(memref));
  tile_host_print_rows(&host->body, "shape", parts->sizes, rank);
  tile_host_print_rows(&host->body, "strides", parts->strides, rank);
  tile_json_print_int(&host->body, "offset", parts->offset);
  if (align_bytes > 0)
    tile_json_print_int(&host->body, "align_bytes", align_bytes);
  tile_json_print_bool(&host->body, "returned", is_returned);
  tile_host_close_op(host);
  return tile_success();
}

static MlirLogicalResult add_free(TileHost *host, MlirOperation op,
                                  MlirValue memref) {
  host->slice.user = op;
  int base = tile_slice_base(&host->slice, memref);
  if (base < 0)
    return tile_failure();
  tile_host_open_op(host, op, "free");
  tile_json_print_int(&host->body, "address", base);
  tile_host_close_op(host);
  return tile_success();
}

static MlirLogicalResult print_side(TileHost *host, const char *key,
                                    MlirValue memref) {
  int strides[TILE_HOST_MAX_RANK];
  int rank = (int)mlirShapedTypeGetRank(mlirValueGetType(memref));
  int address = tile_slice_pointer(&host->slice, memref);
  if (address < 0)
    return tile_failure();
  for (int d = 0; d < rank; d++) {
    strides[d] = tile_slice_stride(&host->slice, memref, d);
    if (strides[d] < 0)
      return tile_failure();
  }
  tile_json_open(&host->body, key, '{');
  tile_json_print_int(&host->body, "address", address);
  tile_host_print_rows(&host->body, "strides", strides, rank);
  tile_json_close(&host->body, '}');
  return tile_success();
}

static MlirLogicalResult print_shape(TileHost *host, MlirValue memref) {
  int sizes[TILE_HOST_MAX_RANK];
  int rank = (int)mlirShapedTypeGetRank(mlirValueGetType(memref));
  for (int d = 0; d < rank; d++) {
    sizes[d] = tile_slice_extent(&host->slice, memref, d);
    if (sizes[d] < 0)
      return tile_failure();
  }
  tile_json_print_string(&host->body, "dtype", tile_host_dtype_of(memref));
  tile_host_print_rows(&host->body, "shape", sizes, rank);
  return tile_success();
}

// Both sides have one shape; extents that only the host knows are compared.
static void check_extents(TileHost *host, MlirOperation op, MlirValue from,
                          MlirValue to) {
  TileSlice *slice = &host->slice;
  int rank = (int)mlirShapedTypeGetRank(mlirValueGetType(from));
  for (int d = 0; d < rank; d++) {
    int a = tile_slice_extent(slice, from, d);
    int b = tile_slice_extent(slice, to, d);
    char text[80];
    if (a == b || a < 0 || b < 0)
      continue;
    snprintf(text, sizeof text, "extent %d of both sides is the same", d);
    TileHostCheck check = {op, tile_slice_compare(slice, TILE_SLICE_EQ, a, b),
                           a, b, text};
    tile_host_print_check(host, &check);
  }
}

static MlirLogicalResult add_copy(TileHost *host, MlirOperation op,
                                  MlirValue from, MlirValue to) {
  if (!tile_host_memref_is(mlirValueGetType(from)) ||
      !tile_host_memref_is(mlirValueGetType(to)))
    return tile_host_refuse_memref(
        op, mlirValueGetType(
                tile_host_memref_is(mlirValueGetType(from)) ? to : from));
  host->slice.user = op;
  check_extents(host, op, from, to);
  tile_host_open_op(host, op, "copy");
  if (tile_failed(print_shape(host, to)) ||
      tile_failed(print_side(host, "from", from)) ||
      tile_failed(print_side(host, "to", to)))
    return tile_failure();
  tile_host_close_op(host);
  tile_host_note_write(host, to);
  return tile_success();
}

static MlirLogicalResult add_fill(TileHost *host, GPUMemsetOp op) {
  MlirValue to = gpu_memset_dst(op);
  if (!tile_host_memref_is(mlirValueGetType(to)))
    return tile_host_refuse_memref(op.op, mlirValueGetType(to));
  host->slice.user = op.op;
  int value = tile_slice_value(&host->slice, gpu_memset_value(op));
  if (value < 0)
    return tile_failure();
  tile_host_open_op(host, op.op, "fill");
  tile_json_print_int(&host->body, "value", value);
  if (tile_failed(print_shape(host, to)) ||
      tile_failed(print_side(host, "to", to)))
    return tile_failure();
  tile_host_close_op(host);
  tile_host_note_write(host, to);
  return tile_success();
}

//===-- Single elements ---------------------------------------------------===//

// The address of an element; `first`: the operand that is the first index.
static int element_address(TileHost *host, MlirOperation op, MlirValue memref,
                           intptr_t first) {
  TileSlice *slice = &host->slice;
  int64_t bytes =
      tile_elem_bits(mlirShapedTypeGetElementType(mlirValueGetType(memref))) /
      8;
  int elems = tile_slice_constant(slice, 0);
  for (int d = 0; d < mlirShapedTypeGetRank(mlirValueGetType(memref)); d++) {
    int index = tile_slice_value(slice, mlirOperationGetOperand(op, first + d));
    int stride = tile_slice_stride(slice, memref, d);
    elems = tile_slice_binary(
        slice, "arith.addi", elems,
        tile_slice_binary(slice, "arith.muli", index, stride));
  }
  return tile_slice_binary(
      slice, "arith.addi", tile_slice_pointer(slice, memref),
      tile_slice_binary(slice, "arith.muli", elems,
                        tile_slice_constant(slice, bytes)));
}

// Nobody who uses the number would know another one.
static MlirLogicalResult add_load(TileHost *host, MemRefLoadOp op) {
  MlirValue memref = memref_load_memref(op);
  MlirValue number = mlirOperationGetResult(op.op, 0);
  char type[8];
  if (!tile_value_is_used(number))
    return tile_success();
  if (!tile_host_memref_is(mlirValueGetType(memref)))
    return tile_host_refuse_memref(op.op, mlirValueGetType(memref));
  host->slice.user = op.op;
  if (!tile_slice_type_name(mlirValueGetType(number), type))
    return tile_emit_error(op.op, "loads a number of a type that the host of a "
                                  "launch does not have");
  int address = element_address(host, op.op, memref, 1);
  if (address < 0)
    return tile_failure();
  int row = tile_slice_variable(&host->slice, type);
  tile_slice_set(&host->slice, number, row);
  tile_host_open_op(host, op.op, "load");
  tile_json_print_int(&host->body, "result", row);
  tile_json_print_string(&host->body, "dtype", tile_host_dtype_of(memref));
  tile_json_print_int(&host->body, "address", address);
  tile_host_close_op(host);
  return tile_success();
}

// A fill of one element.
static MlirLogicalResult add_store(TileHost *host, MemRefStoreOp op) {
  MlirValue memref = memref_store_memref(op);
  if (!tile_host_memref_is(mlirValueGetType(memref)))
    return tile_host_refuse_memref(op.op, mlirValueGetType(memref));
  host->slice.user = op.op;
  int value = tile_slice_value(&host->slice, memref_store_value(op));
  int address = value < 0 ? -1 : element_address(host, op.op, memref, 2);
  if (address < 0)
    return tile_failure();
  tile_host_open_op(host, op.op, "fill");
  tile_json_print_int(&host->body, "value", value);
  tile_json_print_string(&host->body, "dtype", tile_host_dtype_of(memref));
  tile_host_print_rows(&host->body, "shape", NULL, 0);
  tile_json_open(&host->body, "to", '{');
  tile_json_print_int(&host->body, "address", address);
  tile_host_print_rows(&host->body, "strides", NULL, 0);
  tile_json_close(&host->body, '}');
  tile_host_close_op(host);
  tile_host_note_write(host, memref);
  return tile_success();
}

//===-- Globals -----------------------------------------------------------===//

static MlirOperation find_global(const TileHost *host, MlirStringRef name) {
  MlirOperation module = mlirOperationGetParentOperation(host->function);
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(module, 0));
  TILE_FOR_EACH_OP (op, body) {
    if (memref_global_is(op) && mlirStringRefEqual(tile_symbol_name(op), name))
      return op;
  }
  return TILE_NULL_OP;
}

static MlirLogicalResult add_global(TileHost *host, MemRefGetGlobalOp get) {
  MlirValue memref = mlirOperationGetResult(get.op, 0);
  MlirType type = mlirValueGetType(memref);
  int64_t strides[TILE_HOST_MAX_RANK], offset;
  MlirOperation op = find_global(host, memref_get_global_name(get));
  int number = 0;
  if (!op.ptr || !tile_host_memref_is(type) ||
      tile_failed(mlirMemRefTypeGetStridesAndOffset(type, strides, &offset)))
    return tile_host_refuse_memref(get.op, type);
  TileHostGlobal **at = &host->globals;
  for (; *at && !mlirOperationEqual((*at)->op, op); at = &(*at)->next)
    number++;
  if (!*at) {
    *at = TILE_ARENA_NEW(host->slice.arena, TileHostGlobal, 1);
    **at = (TileHostGlobal){NULL, op};
  }
  host->slice.is_version_2 = true;
  TileHostMemref *parts = tile_slice_add_memref(&host->slice, memref);
  parts->base = tile_slice_leaf(&host->slice, "memref.global", number, -1);
  parts->offset = tile_slice_constant(&host->slice, offset);
  for (int d = 0; d < mlirShapedTypeGetRank(type); d++) {
    parts->sizes[d] =
        tile_slice_constant(&host->slice, mlirShapedTypeGetDimSize(type, d));
    parts->strides[d] = tile_slice_constant(&host->slice, strides[d]);
  }
  return tile_success();
}
//===-- Ops ---------------------------------------------------------------===//

static bool is_alloc(MlirOperation op) {
  return memref_alloc_is(op) || memref_alloca_is(op) || gpu_alloc_is(op);
}

static MlirLogicalResult add_any_alloc(TileHost *host, MlirOperation op) {
  if (gpu_alloc_is(op)) {
    GPUAllocOp alloc = gpu_alloc_cast(op);
    if (gpu_alloc_hostShared(alloc))
      return tile_emit_error(op, "is shared with the host; the host side of a "
                                 "launch has memory of the device alone");
    return add_alloc(host, op, gpu_alloc_dynamicSizes(alloc), 0);
  }
  if (memref_alloca_is(op)) {
    MemRefAllocaOp alloca = memref_alloca_cast(op);
    return add_alloc(host, op, memref_alloca_dynamicSizes(alloca),
                     memref_alloca_alignment(alloca));
  }
  MemRefAllocOp alloc = memref_alloc_cast(op);
  return add_alloc(host, op, memref_alloc_dynamicSizes(alloc),
                   memref_alloc_alignment(alloc));
}

// What is about speed alone, or about memory of the host that the device sees:
// memrefs are in memory of the device.
static bool has_no_effect(MlirOperation op) {
  return gpu_host_register_is(op) || gpu_host_unregister_is(op) ||
         memref_prefetch_is(op);
}

static MlirLogicalResult add_memory_op(TileHost *host, MlirOperation op) {
  if (is_alloc(op))
    return add_any_alloc(host, op);
  if (memref_copy_is(op))
    return add_copy(host, op, memref_copy_source(memref_copy_cast(op)),
                    memref_copy_target(memref_copy_cast(op)));
  if (gpu_memcpy_is(op))
    return add_copy(host, op, gpu_memcpy_src(gpu_memcpy_cast(op)),
                    gpu_memcpy_dst(gpu_memcpy_cast(op)));
  if (gpu_memset_is(op))
    return add_fill(host, gpu_memset_cast(op));
  if (memref_load_is(op))
    return add_load(host, memref_load_cast(op));
  if (memref_store_is(op))
    return add_store(host, memref_store_cast(op));
  if (memref_get_global_is(op))
    return add_global(host, memref_get_global_cast(op));
  if (has_no_effect(op))
    return tile_success();
  if (gpu_wait_is(op))
    return tile_success(); // all that runs before has an earlier place
  return add_free(host, op,
                  memref_dealloc_is(op)
                      ? memref_dealloc_memref(memref_dealloc_cast(op))
                      : gpu_dealloc_memref(gpu_dealloc_cast(op)));
}

static bool is_memory_op(MlirOperation op) {
  return is_alloc(op) || memref_dealloc_is(op) || gpu_dealloc_is(op) ||
         memref_copy_is(op) || gpu_memcpy_is(op) || gpu_memset_is(op) ||
         gpu_wait_is(op) || memref_load_is(op) || memref_store_is(op) ||
         memref_get_global_is(op) || has_no_effect(op);
}

bool tile_host_add_memory_op(TileHost *host, MlirOperation op,
                             MlirLogicalResult *out_result) {
  if (!is_memory_op(op))
    return false;
  *out_result = add_memory_op(host, op);
  return true;
}
