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
#include "Tile/Ops/cf.h"
#include "Tile/Ops/func.h"
#include "Tile/Ops/gpu.h"
#include "Tile/Ops/memref.h"
#include "Tile/Ops/scf.h"
#include "mlir-c/Dialect/GPU.h"

enum { MAX_DEPTH = 24 }; // of loops and branches; JSON is nested twice as deep

static MlirLogicalResult print_block(TileHost *host, const char *key,
                                     MlirBlock block);

//===-- Requirements ------------------------------------------------------===//

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

static MlirLogicalResult add_assert(TileHost *host, ControlFlowAssertOp op) {
  host->slice.user = op.op;
  int row = tile_slice_value(&host->slice, cf_assert_arg(op));
  if (row < 0)
    return tile_failure();
  MlirStringRef message = mlirStringAttrGetValue(cf_assert_msg_attr(op));
  TileString text = {NULL, 0, 0};
  tile_string_print(&text, "the assertion '%.*s' holds", (int)message.length,
                    message.data);
  TileHostCheck check = {op.op, row, -1, -1, text.data};
  tile_host_print_check(host, &check);
  tile_string_deinit(&text);
  return tile_success();
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
                           "scf.if, scf.for, scf.while and tile.variants",
                           (int)name.length, name.data);
  }
  if (launch.ptr)
    return tile_emit_internal_error(op, "has not been outlined");
  bool has_effects = false;
  if (mlirxEffects(op, true, on_effect, &has_effects) && !has_effects)
    return tile_success();
  return tile_emit_error(op, "has effects that the host side of a launch "
                             "cannot have; docs/Metadata.md lists those that "
                             "it can");
}

// Of memref.extract_strided_metadata the first result alone is a memref.
static bool is_used(MlirOperation op) {
  intptr_t count =
      memref_distinct_objects_is(op) ? mlirOperationGetNumResults(op) : 1;
  for (intptr_t i = 0; i < count; i++)
    if (tile_value_is_used(mlirOperationGetResult(op, i)))
      return true;
  return false;
}

// Without a rank a memref has no parts; nothing of version 2 takes one.
static bool loses_rank(MlirOperation op) {
  return memref_cast_is(op) && mlirTypeIsAUnrankedMemRef(mlirValueGetType(
                                   mlirOperationGetResult(op, 0)));
}

static MlirLogicalResult add_pure(TileHost *host, MlirOperation op) {
  if (tile_host_view_is(op) && is_used(op) && !loses_rank(op))
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
    tile_host_print_check_numbers(&host->launches, &check);
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
  tile_host_open_op(host, op, "launch");
  tile_json_print_int(&host->body, "launch", host->num_launches++);
  tile_host_close_op(host);
  host->needs_body = needs_body;
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
    if (!tile_host_memref_is(type))
      return tile_host_refuse_memref(slice->user, type);
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
  if (!tile_host_memref_is(type))
    return tile_host_refuse_memref(slice->user, type);
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
  tile_host_open_op(host, loop.op, "for");
  if (tile_failed(print_loop_head(host, loop, body)) ||
      tile_failed(print_block(host, "body", body)) ||
      tile_failed(print_values(host, "next", yield, 0)))
    return tile_failure();
  tile_host_close_op(host);
  host->depth--;
  return tile_success();
}

// Variables for what a region begins with, or an op results in.
static MlirLogicalResult print_variables(TileHost *host, const char *key,
                                         MlirOperation op, MlirBlock block,
                                         bool are_results) {
  Numbers *all = NULL, numbers;
  int count = 0, capacity = 0;
  host->slice.user = op;
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); i++) {
    MlirValue both[2] = {mlirBlockGetArgument(block, i)};
    if (are_results)
      both[1] = mlirOperationGetResult(op, i);
    if (tile_failed(make_variables(host, both, are_results ? 2 : 1, &numbers)))
      return tile_failure();
    append(&all, &count, &capacity, host->slice.arena, &numbers);
  }
  print_all(&host->body, key, all, count);
  return tile_success();
}

// The part before the condition, and what it hands on.
static MlirLogicalResult print_before(TileHost *host, ScfWhileOp loop) {
  MlirBlock before = mlirRegionGetFirstBlock(scf_while_before(loop));
  MlirOperation end = mlirBlockGetTerminator(before);
  if (tile_failed(print_values(host, "initial", loop.op, 0)) ||
      tile_failed(print_variables(host, "carried", loop.op, before, false)) ||
      tile_failed(print_block(host, "before", before)))
    return tile_failure();
  host->slice.user = end;
  int condition =
      tile_slice_value(&host->slice, mlirOperationGetOperand(end, 0));
  if (condition < 0)
    return tile_failure();
  tile_json_print_int(&host->body, "condition", condition);
  return print_values(host, "handed_on", end, 1);
}

static MlirLogicalResult add_while(TileHost *host, ScfWhileOp loop) {
  MlirBlock after = mlirRegionGetFirstBlock(scf_while_after(loop));
  if (tile_failed(enter(host, loop.op)))
    return tile_failure();
  tile_host_open_op(host, loop.op, "while");
  if (tile_failed(print_before(host, loop)) ||
      tile_failed(print_variables(host, "results", loop.op, after, true)) ||
      tile_failed(print_block(host, "body", after)) ||
      tile_failed(print_values(host, "next", mlirBlockGetTerminator(after), 0)))
    return tile_failure();
  tile_host_close_op(host);
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
  tile_host_open_op(host, branch.op, "if");
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
  tile_host_close_op(host);
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
    if (!tile_host_memref_is(type))
      return tile_host_refuse_memref(slice->user, type);
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
    tile_json_print_string(json, "dtype", tile_host_dtype_of(value));
    tile_json_print_int(json, "address", address);
    tile_host_print_rows(json, "shape", sizes, rank);
    tile_host_print_rows(json, "strides", strides, rank);
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

static MlirLogicalResult add_op(TileHost *host, MlirOperation op) {
  if (tile_require_is(op))
    return add_require(host, tile_require_cast(op));
  if (cf_assert_is(op))
    return add_assert(host, cf_assert_cast(op));
  if (gpu_launch_func_is(op) || tile_variants_is(op))
    return add_launch(host, op);
  if (func_return_is(op))
    return add_return(host, op);
  MlirLogicalResult result;
  if (tile_host_add_memory_op(host, op, &result))
    return result;
  if (scf_for_is(op))
    return add_for(host, scf_for_cast(op));
  if (scf_if_is(op))
    return add_if(host, scf_if_cast(op));
  if (scf_while_is(op))
    return add_while(host, scf_while_cast(op));
  if (scf_yield_is(op) || scf_condition_is(op))
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
