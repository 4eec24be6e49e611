//===- MetadataProgram.c - What a host function does, in order ------------===//
//
// Consumes: the body of a host function; kernels are outlined, calls inlined.
// Produces: the lists `requires`, `launches`, `body` and `results` of the
//           launch metadata. `body` is needed where launches in order do not
//           say all. What is asynchronous runs in the order of the source: that
//           is one of the orders that its tokens allow.
// Fails:    an op with effects that docs/Metadata.md does not have.
//
//===----------------------------------------------------------------------===//

#include "Target/Metadata.h"

#include "Support/Diagnostics.h"
#include "Support/Iterate.h"
#include "Support/MlirText.h"
#include "Target/Symbols.h"
#include "Tile/Ops/arith.h"
#include "Tile/Ops/func.h"
#include "Tile/Ops/gpu.h"
#include "Tile/Ops/memref.h"
#include "Tile/Ops/scf.h"
#include "mlir-c/Dialect/GPU.h"

enum { MAX_DEPTH = 24 }; // of loops and branches; JSON is nested twice as deep

static MlirLogicalResult print_block(TileHost *host, const char *key,
                                     MlirBlock block);

//===-- Places ------------------------------------------------------------===//

static MlirLocation place_of(MlirLocation location) {
  for (;;) {
    if (mlirLocationIsAName(location))
      location = mlirLocationNameGetChildLoc(location);
    else if (mlirLocationIsACallSite(location))
      location = mlirLocationCallSiteGetCallee(location);
    else
      return location;
  }
}

// "gemm.mlir:12:8"; "" where nothing is known. Owner: the caller.
static TileString where_of(MlirOperation op) {
  TileString text = {NULL, 0, 0};
  MlirLocation location = place_of(mlirOperationGetLocation(op));
  if (!mlirLocationIsAFileLineColRange(location))
    return text;
  MlirStringRef file =
      mlirIdentifierStr(mlirLocationFileLineColRangeGetFilename(location));
  tile_string_print(&text, "%.*s:%d:%d", (int)file.length, file.data,
                    mlirLocationFileLineColRangeGetStartLine(location),
                    mlirLocationFileLineColRangeGetStartColumn(location));
  return text;
}

static void open_op(TileHost *host, MlirOperation op, const char *name) {
  TileString where = where_of(op);
  host->needs_body = true;
  tile_json_break(&host->body);
  tile_json_open(&host->body, NULL, '{');
  tile_json_print_string(&host->body, "op", name);
  if (where.size_bytes)
    tile_json_print_string(&host->body, "where", where.data);
  tile_string_deinit(&where);
}

static void close_op(TileHost *host) { tile_json_close(&host->body, '}'); }

//===-- Requirements ------------------------------------------------------===//

static void print_numbers(TileJson *json, const TileHostCheck *check) {
  tile_json_print_int(json, "value", check->condition);
  tile_json_print_string(json, "text", check->text);
  if (check->actual >= 0)
    tile_json_print_int(json, "actual", check->actual);
  if (check->other >= 0)
    tile_json_print_int(json, "other", check->other);
}

// What depends on the arguments alone is looked at before all.
void tile_host_print_check(TileHost *host, const TileHostCheck *check) {
  if (host->depth > 0 || host->slice.rows[check->condition].is_variable) {
    open_op(host, check->op, "require");
    print_numbers(&host->body, check);
    close_op(host);
    return;
  }
  tile_json_open(&host->requires, NULL, '{');
  print_numbers(&host->requires, check);
  if (!tile_require_is(check->op)) {
    TileString where = where_of(check->op);
    host->slice.is_version_2 = true;
    if (where.size_bytes)
      tile_json_print_string(&host->requires, "where", where.data);
    tile_string_deinit(&where);
  }
  tile_json_close(&host->requires, '}');
}

// The rows of a tile.require. Owner of the text: the caller.
static MlirLogicalResult get_require(TileHost *host, TileRequireOp require,
                                     TileHostCheck *out, TileString *out_text) {
  host->slice.user = require.op;
  MlirValue number = tile_require_actual(require);
  MlirStringRef text = mlirStringAttrGetValue(tile_require_text_attr(require));
  int row = tile_slice_value(&host->slice, tile_require_condition(require));
  int actual = row >= 0 && !mlirValueIsNull(number)
                   ? tile_slice_value(&host->slice, number)
                   : -1;
  if (row < 0 || (actual < 0 && !mlirValueIsNull(number)))
    return tile_failure();
  tile_string_append(out_text, text.data, text.length);
  *out = (TileHostCheck){require.op, row, actual, -1, out_text->data};
  return tile_success();
}

static MlirLogicalResult add_require(TileHost *host, TileRequireOp require) {
  TileHostCheck check;
  TileString text = {NULL, 0, 0};
  MlirLogicalResult result = get_require(host, require, &check, &text);
  if (!tile_failed(result))
    tile_host_print_check(host, &check);
  tile_string_deinit(&text);
  return result;
}

//===-- Ops without effect ------------------------------------------------===//

static MlirWalkResult find_launch(MlirOperation op, void *user_data) {
  if (!gpu_launch_func_is(op) && !gpu_launch_is(op))
    return MlirWalkResultAdvance;
  *(MlirOperation *)user_data = op;
  return MlirWalkResultInterrupt;
}

static void on_effect(TileEffectKind kind, MlirValue value,
                      MlirStringRef resource, void *user_data) {
  (void)value;
  (void)resource;
  *(bool *)user_data |= kind != TILE_EFFECT_READ;
}

// Everything that is none of the ops below must be without effect: its results
// are in the slice when they matter.
static MlirLogicalResult check_host_op(MlirOperation op) {
  MlirOperation launch = {NULL};
  mlirOperationWalk(op, find_launch, &launch, MlirWalkPreOrder);
  if (launch.ptr && !mlirOperationEqual(launch, op)) {
    MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
    return tile_emit_error(launch,
                           "is inside '%.*s'; a host function launches in "
                           "scf.if, scf.for and tile.variants",
                           (int)name.length, name.data);
  }
  if (launch.ptr)
    return tile_emit_internal_error(op, "has not been outlined");
  bool has_effects = false;
  if (mlirxEffects(op, true, on_effect, &has_effects) && !has_effects)
    return tile_success();
  return tile_emit_error(op, "has effects that the host side of a launch "
                             "cannot have");
}

static MlirLogicalResult add_pure(TileHost *host, MlirOperation op) {
  if (tile_host_view_is(op) &&
      tile_value_is_used(mlirOperationGetResult(op, 0)))
    return tile_host_add_view(host, op);
  return check_host_op(op);
}

//===-- Launches ----------------------------------------------------------===//

static MlirOperation launch_of_variant(MlirBlock block) {
  MlirOperation launch = {NULL};
  TILE_FOR_EACH_OP (op, block) {
    if (gpu_launch_func_is(op))
      launch = op;
  }
  return launch;
}

static MlirLogicalResult print_variant_require(TileHost *host,
                                               TileRequireOp require) {
  TileHostCheck check;
  TileString text = {NULL, 0, 0};
  MlirLogicalResult result = get_require(host, require, &check, &text);
  if (!tile_failed(result)) {
    tile_json_open(&host->launches, NULL, '{');
    print_numbers(&host->launches, &check);
    tile_json_close(&host->launches, '}');
  }
  tile_string_deinit(&text);
  return result;
}

// `block`: of a variant, with its requirements; null: a launch without any.
static MlirLogicalResult add_variant(TileHost *host, MlirOperation launch,
                                     MlirBlock block) {
  TileJson *json = &host->launches;
  MlirStringRef kernel = mlirSymbolRefAttrGetLeafReference(
      gpu_launch_func_kernel_attr(gpu_launch_func_cast(launch)));
  tile_json_open(json, NULL, '{');
  tile_json_break(json);
  tile_json_print_string_part(json, "kernel", kernel.data, kernel.length);
  tile_json_break(json);
  tile_json_open(json, "requires", '[');
  if (!mlirBlockIsNull(block))
    TILE_FOR_EACH_OP (op, block) {
      MlirLogicalResult result = tile_success();
      if (tile_require_is(op))
        result = print_variant_require(host, tile_require_cast(op));
      else if (!gpu_launch_func_is(op))
        result = add_pure(host, op);
      if (tile_failed(result))
        return tile_failure();
    }
  tile_json_close(json, ']');
  // After the requirements, wherever it stands.
  if (tile_failed(tile_host_print_launch(host, launch, json)))
    return tile_failure();
  tile_json_close(json, '}');
  return tile_success();
}

static MlirLogicalResult add_variants(TileHost *host, MlirOperation variants) {
  for (intptr_t i = 0; i < mlirOperationGetNumRegions(variants); i++) {
    MlirBlock block =
        mlirRegionGetFirstBlock(mlirOperationGetRegion(variants, i));
    if (tile_failed(add_variant(host, launch_of_variant(block), block)))
      return tile_failure();
  }
  return tile_success();
}

static MlirLogicalResult add_launch(TileHost *host, MlirOperation op) {
  TileJson *json = &host->launches;
  tile_json_break(json);
  tile_json_open(json, NULL, '{');
  tile_json_open(json, "variants", '[');
  MlirLogicalResult result = tile_variants_is(op)
                                 ? add_variants(host, op)
                                 : add_variant(host, op, (MlirBlock){NULL});
  if (tile_failed(result))
    return result;
  tile_json_close(json, ']');
  tile_json_close(json, '}');
  bool needs_body = host->needs_body || host->depth > 0;
  open_op(host, op, "launch");
  tile_json_print_int(&host->body, "launch", host->num_launches++);
  close_op(host);
  host->needs_body = needs_body;
  return tile_success();
}

//===-- Memory ------------------------------------------------------------===//

static void print_rows(TileJson *json, const char *key, const int *rows,
                       int count) {
  tile_json_open(json, key, '[');
  for (int i = 0; i < count; i++)
    tile_json_print_int(json, NULL, rows[i]);
  tile_json_close(json, ']');
}

static bool is_in_global_memory(MlirType type) {
  TileSpace space = tile_space_of_attr(mlirMemRefTypeGetMemorySpace(type));
  return mlirTypeIsAMemRef(type) && space == TILE_SPACE_GLOBAL;
}

static MlirLogicalResult refuse_memref(MlirOperation op, MlirType type) {
  TileString text = {NULL, 0, 0};
  mlirTypePrint(type, tile_string_callback, &text);
  tile_emit_error(op,
                  "is of type %s; the host of a launch has memrefs in global "
                  "memory, of ranks from 0 to %d, whose elements have a dtype",
                  text.data, TILE_HOST_MAX_RANK);
  tile_string_deinit(&text);
  return tile_failure();
}

static bool is_memref_of_host(MlirType type) {
  return mlirTypeIsAMemRef(type) && is_in_global_memory(type) &&
         mlirShapedTypeGetRank(type) <= TILE_HOST_MAX_RANK &&
         tile_elem_info(mlirShapedTypeGetElementType(type));
}

static const char *dtype_of(MlirValue memref) {
  return tile_elem_info(mlirShapedTypeGetElementType(mlirValueGetType(memref)))
      ->name;
}

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
    return refuse_memref(op, type);
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
  if (!is_memref_of_host(type))
    return refuse_memref(op, type);
  host->slice.user = op;
  TileHostMemref *parts = tile_slice_add_memref(&host->slice, memref);
  if (tile_failed(fill_workspace(host, op, sizes, parts)))
    return tile_failure();
  parts->base = tile_slice_variable(&host->slice, "index");
  int number = host->num_allocs++;
  tile_host_plan_release(host, op, number, &is_returned);
  int rank = (int)mlirShapedTypeGetRank(type);
  open_op(host, op, "alloc");
  tile_json_print_int(&host->body, "alloc", number);
  tile_json_print_int(&host->body, "address", parts->base);
  tile_json_print_string(&host->body, "dtype", dtype_of(memref));
  print_rows(&host->body, "shape", parts->sizes, rank);
  print_rows(&host->body, "strides", parts->strides, rank);
  tile_json_print_int(&host->body, "offset", parts->offset);
  if (align_bytes > 0)
    tile_json_print_int(&host->body, "align_bytes", align_bytes);
  tile_json_print_bool(&host->body, "returned", is_returned);
  close_op(host);
  return tile_success();
}

static MlirLogicalResult add_free(TileHost *host, MlirOperation op,
                                  MlirValue memref) {
  host->slice.user = op;
  int base = tile_slice_base(&host->slice, memref);
  if (base < 0)
    return tile_failure();
  open_op(host, op, "free");
  tile_json_print_int(&host->body, "address", base);
  close_op(host);
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
  print_rows(&host->body, "strides", strides, rank);
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
  tile_json_print_string(&host->body, "dtype", dtype_of(memref));
  print_rows(&host->body, "shape", sizes, rank);
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
  if (!is_memref_of_host(mlirValueGetType(from)) ||
      !is_memref_of_host(mlirValueGetType(to)))
    return refuse_memref(
        op, mlirValueGetType(is_memref_of_host(mlirValueGetType(from)) ? to
                                                                       : from));
  host->slice.user = op;
  check_extents(host, op, from, to);
  open_op(host, op, "copy");
  if (tile_failed(print_shape(host, to)) ||
      tile_failed(print_side(host, "from", from)) ||
      tile_failed(print_side(host, "to", to)))
    return tile_failure();
  close_op(host);
  tile_host_note_write(host, to);
  return tile_success();
}

static MlirLogicalResult add_fill(TileHost *host, GPUMemsetOp op) {
  MlirValue to = gpu_memset_dst(op);
  if (!is_memref_of_host(mlirValueGetType(to)))
    return refuse_memref(op.op, mlirValueGetType(to));
  host->slice.user = op.op;
  int value = tile_slice_value(&host->slice, gpu_memset_value(op));
  if (value < 0)
    return tile_failure();
  open_op(host, op.op, "fill");
  tile_json_print_int(&host->body, "value", value);
  if (tile_failed(print_shape(host, to)) ||
      tile_failed(print_side(host, "to", to)))
    return tile_failure();
  close_op(host);
  tile_host_note_write(host, to);
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
  if (!op.ptr || !is_memref_of_host(type) ||
      tile_failed(mlirMemRefTypeGetStridesAndOffset(type, strides, &offset)))
    return refuse_memref(get.op, type);
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

//===-- Values that the program sets --------------------------------------===//

/// The numbers that one value is made of: itself, or the parts of a memref that
/// its type leaves open.
typedef struct {
  int rows[2 + 2 * TILE_HOST_MAX_RANK];
  int count;
} Numbers;

static bool has_open_offset(MlirType type) {
  int64_t strides[TILE_HOST_MAX_RANK], offset = 0;
  return tile_failed(
             mlirMemRefTypeGetStridesAndOffset(type, strides, &offset)) ||
         mlirShapedTypeIsDynamicStrideOrOffset(offset);
}

static bool has_open_stride(MlirType type, int d) {
  int64_t strides[TILE_HOST_MAX_RANK], offset = 0;
  return tile_failed(
             mlirMemRefTypeGetStridesAndOffset(type, strides, &offset)) ||
         mlirShapedTypeIsDynamicStrideOrOffset(strides[d]);
}

static MlirLogicalResult get_numbers(TileHost *host, MlirValue value,
                                     Numbers *out) {
  TileSlice *slice = &host->slice;
  MlirType type = mlirValueGetType(value);
  *out = (Numbers){.count = 0};
  if (!mlirTypeIsAMemRef(type)) {
    out->rows[out->count++] = tile_slice_value(slice, value);
  } else {
    if (!is_memref_of_host(type))
      return refuse_memref(slice->user, type);
    out->rows[out->count++] = tile_slice_base(slice, value);
    if (has_open_offset(type))
      out->rows[out->count++] = tile_slice_offset(slice, value);
    for (int d = 0; d < mlirShapedTypeGetRank(type); d++) {
      if (mlirShapedTypeIsDynamicDim(type, d))
        out->rows[out->count++] = tile_slice_extent(slice, value, d);
      if (has_open_stride(type, d))
        out->rows[out->count++] = tile_slice_stride(slice, value, d);
    }
  }
  for (int i = 0; i < out->count; i++)
    if (out->rows[i] < 0)
      return tile_failure();
  return tile_success();
}

// Variables for `values`, which stand for the same: what a loop carries, and
// what it results in.
static MlirLogicalResult make_variables(TileHost *host, const MlirValue *values,
                                        int num_values, Numbers *out) {
  TileSlice *slice = &host->slice;
  MlirType type = mlirValueGetType(values[0]);
  char name[8];
  *out = (Numbers){.count = 0};
  if (!mlirTypeIsAMemRef(type)) {
    if (!tile_slice_type_name(type, name))
      return tile_emit_error(slice->user,
                             "takes a value of a type that the host of a "
                             "launch does not have");
    out->rows[out->count++] = tile_slice_variable(slice, name);
    for (int i = 0; i < num_values; i++)
      tile_slice_set(slice, values[i], out->rows[0]);
    return tile_success();
  }
  if (!is_memref_of_host(type))
    return refuse_memref(slice->user, type);
  TileHostMemref parts = {.base = tile_slice_variable(slice, "index")};
  out->rows[out->count++] = parts.base;
  if (has_open_offset(type))
    out->rows[out->count++] = parts.offset =
        tile_slice_variable(slice, "index");
  for (int d = 0; d < mlirShapedTypeGetRank(type); d++) {
    if (mlirShapedTypeIsDynamicDim(type, d))
      out->rows[out->count++] = parts.sizes[d] =
          tile_slice_variable(slice, "index");
    if (has_open_stride(type, d))
      out->rows[out->count++] = parts.strides[d] =
          tile_slice_variable(slice, "index");
  }
  for (int i = 0; i < num_values; i++)
    *tile_slice_add_memref(slice, values[i]) = parts;
  return tile_success();
}

static void append(Numbers **all, int *count, int *capacity, TileArena *arena,
                   const Numbers *numbers) {
  TILE_ARENA_RESERVE(arena, *all, *count, *capacity);
  (*all)[(*count)++] = *numbers;
}

static void print_all(TileJson *json, const char *key, const Numbers *all,
                      int count) {
  tile_json_open(json, key, '[');
  for (int i = 0; i < count; i++)
    for (int j = 0; j < all[i].count; j++)
      tile_json_print_int(json, NULL, all[i].rows[j]);
  tile_json_close(json, ']');
}

// The numbers of the operands of a yield, or of what a loop begins with.
static MlirLogicalResult print_values(TileHost *host, const char *key,
                                      MlirOperation op, intptr_t first) {
  Numbers *all = NULL, numbers;
  int count = 0, capacity = 0;
  host->slice.user = op;
  for (intptr_t i = first; i < mlirOperationGetNumOperands(op); i++) {
    if (tile_failed(
            get_numbers(host, mlirOperationGetOperand(op, i), &numbers)))
      return tile_failure();
    append(&all, &count, &capacity, host->slice.arena, &numbers);
  }
  print_all(&host->body, key, all, count);
  return tile_success();
}

//===-- Control flow ------------------------------------------------------===//

static MlirLogicalResult enter(TileHost *host, MlirOperation op) {
  host->slice.user = op;
  if (host->depth++ < MAX_DEPTH)
    return tile_success();
  return tile_emit_error(op,
                         "is nested deeper than %d loops and branches of "
                         "a host function",
                         MAX_DEPTH);
}

static MlirLogicalResult print_loop_head(TileHost *host, ScfForOp loop,
                                         MlirBlock body) {
  TileSlice *slice = &host->slice;
  Numbers *all = NULL, numbers;
  int count = 0, capacity = 0;
  int lower = tile_slice_value(slice, scf_for_lowerBound(loop));
  int upper = tile_slice_value(slice, scf_for_upperBound(loop));
  int step = tile_slice_value(slice, scf_for_step(loop));
  if (lower < 0 || upper < 0 || step < 0)
    return tile_failure();
  tile_json_print_int(&host->body, "lower", lower);
  tile_json_print_int(&host->body, "upper", upper);
  tile_json_print_int(&host->body, "step", step);
  if (scf_for_unsignedCmp(loop))
    tile_json_print_bool(&host->body, "unsigned", true);
  if (tile_failed(print_values(host, "initial", loop.op, 3)))
    return tile_failure();
  host->slice.user = loop.op;
  MlirValue index = mlirBlockGetArgument(body, 0);
  if (tile_failed(make_variables(host, &index, 1, &numbers)))
    return tile_failure();
  tile_json_print_int(&host->body, "index", numbers.rows[0]);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(loop.op); i++) {
    // After the loop the variable has what the loop results in.
    MlirValue both[2] = {mlirBlockGetArgument(body, i + 1),
                         mlirOperationGetResult(loop.op, i)};
    if (tile_failed(make_variables(host, both, 2, &numbers)))
      return tile_failure();
    append(&all, &count, &capacity, slice->arena, &numbers);
  }
  print_all(&host->body, "carried", all, count);
  return tile_success();
}

static MlirLogicalResult add_for(TileHost *host, ScfForOp loop) {
  MlirBlock body = mlirRegionGetFirstBlock(scf_for_region(loop));
  MlirOperation yield = mlirBlockGetTerminator(body);
  if (tile_failed(enter(host, loop.op)))
    return tile_failure();
  open_op(host, loop.op, "for");
  if (tile_failed(print_loop_head(host, loop, body)) ||
      tile_failed(print_block(host, "body", body)) ||
      tile_failed(print_values(host, "next", yield, 0)))
    return tile_failure();
  close_op(host);
  host->depth--;
  return tile_success();
}

static MlirLogicalResult print_branch(TileHost *host, const char *key,
                                      const char *values_key,
                                      MlirRegion region) {
  MlirBlock block = mlirRegionGetFirstBlock(region);
  if (mlirBlockIsNull(block))
    return tile_success();
  if (tile_failed(print_block(host, key, block)))
    return tile_failure();
  return print_values(host, values_key, mlirBlockGetTerminator(block), 0);
}

static MlirLogicalResult add_if(TileHost *host, ScfIfOp branch) {
  Numbers *all = NULL, numbers;
  int count = 0, capacity = 0;
  if (tile_failed(enter(host, branch.op)))
    return tile_failure();
  int condition = tile_slice_value(&host->slice, scf_if_condition(branch));
  if (condition < 0)
    return tile_failure();
  open_op(host, branch.op, "if");
  tile_json_print_int(&host->body, "condition", condition);
  if (tile_failed(print_branch(host, "then", "then_values",
                               scf_if_thenRegion(branch))) ||
      tile_failed(
          print_branch(host, "else", "else_values", scf_if_elseRegion(branch))))
    return tile_failure();
  host->slice.user = branch.op;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(branch.op); i++) {
    MlirValue result = mlirOperationGetResult(branch.op, i);
    if (tile_failed(make_variables(host, &result, 1, &numbers)))
      return tile_failure();
    append(&all, &count, &capacity, host->slice.arena, &numbers);
  }
  print_all(&host->body, "results", all, count);
  close_op(host);
  host->depth--;
  return tile_success();
}

//===-- Results -----------------------------------------------------------===//

static MlirLogicalResult print_result(TileHost *host, MlirValue value) {
  TileJson *json = &host->results;
  TileSlice *slice = &host->slice;
  MlirType type = mlirValueGetType(value);
  tile_json_break(json);
  tile_json_open(json, NULL, '{');
  if (!mlirTypeIsAMemRef(type)) {
    const TileDtypeInfo *dtype = tile_elem_info(type);
    int row = tile_slice_value(slice, value);
    if (row < 0)
      return tile_failure();
    if (!dtype)
      return tile_emit_error(slice->user,
                             "returns a scalar of a type that has no dtype");
    tile_json_print_string(json, "kind", "scalar");
    tile_json_print_string(json, "dtype", dtype->name);
    tile_json_print_int(json, "value", row);
  } else {
    if (!is_memref_of_host(type))
      return refuse_memref(slice->user, type);
    int rank = (int)mlirShapedTypeGetRank(type);
    int sizes[TILE_HOST_MAX_RANK], strides[TILE_HOST_MAX_RANK];
    int address = tile_slice_pointer(slice, value);
    bool is_known = address >= 0;
    for (int d = 0; d < rank; d++) {
      sizes[d] = tile_slice_extent(slice, value, d);
      strides[d] = tile_slice_stride(slice, value, d);
      is_known &= sizes[d] >= 0 && strides[d] >= 0;
    }
    if (!is_known)
      return tile_failure();
    tile_json_print_string(json, "kind", "memref");
    tile_json_print_string(json, "dtype", dtype_of(value));
    tile_json_print_int(json, "address", address);
    print_rows(json, "shape", sizes, rank);
    print_rows(json, "strides", strides, rank);
  }
  tile_json_close(json, '}');
  return tile_success();
}

static MlirLogicalResult add_return(TileHost *host, MlirOperation op) {
  host->slice.user = op;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
    host->has_results = true;
    if (tile_failed(print_result(host, mlirOperationGetOperand(op, i))))
      return tile_failure();
  }
  return tile_success();
}

//===-- Ops in order ------------------------------------------------------===//

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
         gpu_wait_is(op);
}

static MlirLogicalResult add_op(TileHost *host, MlirOperation op) {
  if (tile_require_is(op))
    return add_require(host, tile_require_cast(op));
  if (gpu_launch_func_is(op) || tile_variants_is(op))
    return add_launch(host, op);
  if (func_return_is(op))
    return add_return(host, op);
  if (is_memory_op(op))
    return add_memory_op(host, op);
  if (memref_get_global_is(op))
    return add_global(host, memref_get_global_cast(op));
  if (scf_for_is(op))
    return add_for(host, scf_for_cast(op));
  if (scf_if_is(op))
    return add_if(host, scf_if_cast(op));
  if (scf_yield_is(op))
    return tile_success(); // its operands are printed with the op around it
  return add_pure(host, op);
}

static void print_releases(TileHost *host, MlirOperation op) {
  const TileHostRelease *release =
      tile_pointer_map_get(&host->releases, op.ptr);
  for (; release; release = release->next) {
    tile_json_break(&host->body);
    tile_json_open(&host->body, NULL, '{');
    tile_json_print_string(&host->body, "op", "release");
    tile_json_print_int(&host->body, "alloc", release->alloc);
    tile_json_close(&host->body, '}');
  }
}

static MlirLogicalResult print_ops(TileHost *host, MlirBlock block) {
  TILE_FOR_EACH_OP (op, block) {
    if (tile_failed(add_op(host, op)))
      return tile_failure();
    print_releases(host, op);
  }
  return tile_success();
}

static MlirLogicalResult print_block(TileHost *host, const char *key,
                                     MlirBlock block) {
  tile_json_open(&host->body, key, '[');
  MlirLogicalResult result = print_ops(host, block);
  tile_json_close(&host->body, ']');
  return result;
}

MlirLogicalResult tile_host_print_program(TileHost *host) {
  return print_ops(host, host->entry);
}
