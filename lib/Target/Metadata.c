//===- Metadata.c - Host functions to launch metadata ---------------------===//
//
// Consumes: a host func.func whose launches are gpu.launch_func, in the body or
//           in regions of tile.variants, and their gpu.func kernels.
// Produces: the JSON text of docs/Metadata.md.
// Fails:    host code that the JSON cannot say: control flow around a launch,
//           effects, values that MetadataSlice.c does not know.
//
//===----------------------------------------------------------------------===//

#include "Target/Metadata.h"
#include "Dialect/KernelParams.h"
#include "Dialect/Ops.h"
#include "Support/Build.h"
#include "Support/Diagnostics.h"
#include "Support/Iterate.h"
#include "Support/MlirText.h"
#include "Target/Symbols.h"
#include "Tile/Ops/func.h"
#include "Tile/Ops/gpu.h"
#include <string.h>

//===-- Arguments ---------------------------------------------------------===//

static int64_t known_or_any(int64_t extent, bool is_dynamic) {
  return is_dynamic ? -1 : extent;
}

static bool print_memref(MlirType type, bool is_written, TileJson *json) {
  int64_t strides[TILE_KERNEL_PARAM_MAX_RANK] = {0};
  int64_t offset = 0;
  TileKernelParam params[TILE_KERNEL_MAX_PARAMS];
  const TileDtypeInfo *dtype =
      tile_elem_info(mlirShapedTypeGetElementType(type));
  if (tile_kernel_params_of_type(type, params) < 0 || !dtype ||
      mlirLogicalResultIsFailure(
          mlirMemRefTypeGetStridesAndOffset(type, strides, &offset)))
    return false;
  int rank = (int)mlirShapedTypeGetRank(type);
  tile_json_print_string(json, "kind", "memref");
  tile_json_print_string(json, "dtype", dtype->name);
  tile_json_open(json, "shape", '[');
  for (int d = 0; d < rank; d++)
    tile_json_print_int(json, NULL,
                        known_or_any(mlirShapedTypeGetDimSize(type, d),
                                     mlirShapedTypeIsDynamicDim(type, d)));
  tile_json_close(json, ']');
  tile_json_open(json, "strides", '[');
  for (int d = 0; d < rank; d++)
    tile_json_print_int(
        json, NULL,
        known_or_any(strides[d],
                     mlirShapedTypeIsDynamicStrideOrOffset(strides[d])));
  tile_json_close(json, ']');
  tile_json_print_int(
      json, "offset",
      known_or_any(offset, mlirShapedTypeIsDynamicStrideOrOffset(offset)));
  tile_json_print_bool(json, "mutable", is_written);
  return true;
}

static bool print_scalar(MlirType type, TileJson *json) {
  const TileDtypeInfo *dtype = tile_elem_info(type);
  if (!dtype)
    return false;
  tile_json_print_string(json, "kind", "scalar");
  tile_json_print_string(json, "dtype", dtype->name);
  return true;
}

// `%A` in the source is argument "A". Locations lead there.
static bool name_in_source(const TileMetadataOptions *options,
                           MlirLocation location, const char **out_name,
                           size_t *out_length) {
  if (mlirLocationIsAName(location)) {
    MlirStringRef name = mlirIdentifierStr(mlirLocationNameGetName(location));
    *out_name = name.data;
    *out_length = name.length;
    return name.length > 0;
  }
  if (!options->source || !mlirLocationIsAFileLineColRange(location))
    return false;
  int line = mlirLocationFileLineColRangeGetStartLine(location);
  int column = mlirLocationFileLineColRangeGetStartColumn(location);
  const char *at = options->source, *end = at + options->source_size_bytes;
  for (int i = 1; i < line && at < end; i++) {
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    at = newline ? newline + 1 : end;
  }
  if (column < 1 || end - at <= column || at[column - 1] != '%')
    return false;
  static const char letters[] = "abcdefghijklmnopqrstuvwxyz"
                                "ABCDEFGHIJKLMNOPQRSTUVWXYZ_$.-0123456789";
  *out_name = at + column;
  size_t length = 0;
  while (*out_name + length < end && strchr(letters, (*out_name)[length]))
    length++;
  *out_length = length;
  return length > 0 && !strchr("0123456789", (*out_name)[0]);
}

// Owner: the caller, tile_string_deinit.
static TileString arg_name(const TileHost *host, int arg) {
  MlirLocation location =
      mlirValueGetLocation(mlirBlockGetArgument(host->entry, arg));
  TileString result = {NULL, 0, 0};
  const char *name = NULL;
  size_t length = 0;
  if (name_in_source(host->options, location, &name, &length))
    tile_string_append(&result, name, length);
  else
    tile_string_print(&result, "arg%d", arg);
  return result;
}

static MlirLogicalResult print_arg(const TileHost *host, int arg,
                                   TileJson *json) {
  MlirType type = mlirValueGetType(mlirBlockGetArgument(host->entry, arg));
  TileString name = arg_name(host, arg);
  tile_json_break(json);
  tile_json_open(json, NULL, '{');
  tile_json_print_string_part(json, "name", name.data, name.size_bytes);
  tile_string_deinit(&name);
  if (mlirTypeIsAMemRef(type) ? print_memref(type, host->is_written[arg], json)
                              : print_scalar(type, json)) {
    tile_json_close(json, '}');
    return tile_success();
  }
  TileString text = {NULL, 0, 0};
  mlirTypePrint(type, tile_string_callback, &text);
  tile_emit_error(host->function,
                  "has argument #%d of type %s; a host function takes "
                  "memrefs in global memory and scalars",
                  arg, text.data);
  tile_string_deinit(&text);
  return tile_failure();
}

//===-- Requirements ------------------------------------------------------===//

// `actual`: the row of the number that it is about; negative: none.
static void print_requirement(TileJson *json, int row, MlirStringRef text,
                              int actual) {
  tile_json_open(json, NULL, '{');
  tile_json_print_int(json, "value", row);
  tile_json_print_string_part(json, "text", text.data, text.length);
  if (actual >= 0)
    tile_json_print_int(json, "actual", actual);
  tile_json_close(json, '}');
}

static MlirLogicalResult add_require(TileHost *host, TileRequireOp require,
                                     TileJson *json) {
  host->slice.user = require.op;
  int row = tile_slice_value(&host->slice, tile_require_condition(require));
  MlirValue number = tile_require_actual(require);
  int actual = row >= 0 && !mlirValueIsNull(number)
                   ? tile_slice_value(&host->slice, number)
                   : -1;
  if (row < 0 || (actual < 0 && !mlirValueIsNull(number)))
    return tile_failure();
  print_requirement(json, row,
                    mlirStringAttrGetValue(tile_require_text_attr(require)),
                    actual);
  return tile_success();
}

// Kernels derive the strides of a memref without a stated layout from its
// extents, so the launcher must not accept others.
static void require_contiguous(TileHost *host, int arg) {
  MlirType type = mlirValueGetType(mlirBlockGetArgument(host->entry, arg));
  if (!mlirTypeIsAMemRef(type) ||
      !mlirAffineMapIsIdentity(mlirMemRefTypeGetAffineMap(type)))
    return;
  int row = tile_slice_contiguous(&host->slice, arg);
  if (row < 0)
    return;
  TileString text = arg_name(host, arg);
  tile_string_print(&text, " is contiguous");
  print_requirement(&host->requires, row,
                    (MlirStringRef){text.data, text.size_bytes}, -1);
  tile_string_deinit(&text);
}

//===-- The body of the host function -------------------------------------===//

static MlirWalkResult find_launch(MlirOperation op, void *user_data) {
  if (!gpu_launch_func_is(op) && !gpu_launch_is(op))
    return MlirWalkResultAdvance;
  *(MlirOperation *)user_data = op;
  return MlirWalkResultInterrupt;
}

static MlirOperation first_launch(MlirOperation root) {
  MlirOperation launch = {NULL};
  mlirOperationWalk(root, find_launch, &launch, MlirWalkPreOrder);
  return launch;
}

static void on_effect(TileEffectKind kind, MlirValue value,
                      MlirStringRef resource, void *user_data) {
  (void)value;
  (void)resource;
  *(bool *)user_data |= kind != TILE_EFFECT_READ;
}

// Everything that is neither launch nor requirement must be without effect: its
// results are in the slice when they matter.
static MlirLogicalResult check_host_op(MlirOperation op) {
  MlirOperation launch = first_launch(op);
  if (launch.ptr && !mlirOperationEqual(launch, op)) {
    MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
    return tile_emit_error(launch,
                           "is inside '%.*s'; a host function launches "
                           "unconditionally, or in tile.variants",
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

static MlirOperation launch_of_variant(MlirBlock block) {
  MlirOperation launch = {NULL};
  TILE_FOR_EACH_OP (op, block) {
    if (gpu_launch_func_is(op))
      launch = op;
  }
  return launch;
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
        result = add_require(host, tile_require_cast(op), json);
      else if (!gpu_launch_func_is(op))
        result = check_host_op(op);
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
  return tile_success();
}

static MlirLogicalResult add_op(TileHost *host, MlirOperation op) {
  if (tile_require_is(op))
    return add_require(host, tile_require_cast(op), &host->requires);
  if (gpu_launch_func_is(op) || tile_variants_is(op))
    return add_launch(host, op);
  if (func_return_is(op)) {
    if (mlirOperationGetNumOperands(op) == 0)
      return tile_success();
    return tile_emit_error(op, "returns values; a host function returns none");
  }
  return check_host_op(op);
}

//===-- Entry -------------------------------------------------------------===//

static MlirLogicalResult print_args(const TileHost *host, TileJson *json) {
  tile_json_open_as(json, "args", '[', TILE_JSON_ROW);
  for (int i = 0; i < mlirBlockGetNumArguments(host->entry); i++)
    if (tile_failed(print_arg(host, i, json)))
      return tile_failure();
  tile_json_close(json, ']');
  return tile_success();
}

static MlirLogicalResult print_host(const TileHost *host, TileString *out) {
  MlirStringRef name = tile_symbol_name(host->function);
  bool may_alias =
      !mlirAttributeIsNull(mlirOperationGetDiscardableAttributeByName(
          host->function, TILE_STR("tile.may_alias")));
  TileJson json = {.out = out};
  tile_json_open(&json, NULL, '{');
  tile_json_print_string(&json, "format", "tile-host-1");
  tile_json_print_string_part(&json, "function", name.data, name.length);
  tile_json_print_string(&json, "target", host->options->chip);
  tile_json_print_string(&json, "ptx", host->options->ptx_name);
  if (tile_failed(print_args(host, &json)))
    return tile_failure();
  tile_json_print_bool(&json, "may_alias", may_alias);
  tile_json_print_text(&json, "requires", host->requires_text.data);
  tile_slice_print(&host->slice, &json, "values");
  tile_json_print_text(&json, "launches", host->launches_text.data);
  tile_json_open(&json, "workspace", '[');
  tile_json_close(&json, ']');
  tile_json_close(&json, '}');
  return tile_success();
}

static MlirLogicalResult emit(TileHost *host, TileString *out) {
  tile_json_open(&host->requires, NULL, '[');
  tile_json_open(&host->launches, NULL, '[');
  TILE_FOR_EACH_OP (op, host->entry) {
    if (tile_failed(add_op(host, op)))
      return tile_failure();
  }
  host->slice.user = host->function;
  for (int i = 0; i < mlirBlockGetNumArguments(host->entry); i++)
    require_contiguous(host, i);
  tile_json_close(&host->requires, ']');
  tile_json_close(&host->launches, ']');
  return print_host(host, out);
}

bool tile_host_function_is(MlirOperation op) {
  return func_func_is(op) && first_launch(op).ptr;
}

MlirLogicalResult tile_metadata_emit(MlirOperation host_function,
                                     const TileMetadataOptions *options,
                                     char **out_json) {
  MlirRegion body = mlirOperationGetRegion(host_function, 0);
  MlirBlock entry = mlirRegionGetFirstBlock(body);
  if (!mlirBlockIsNull(mlirBlockGetNextInRegion(entry)))
    return tile_emit_error(host_function,
                           "has branches; a host function is straight-line");
  TileArena arena;
  tile_arena_init(&arena);
  TileHost host = {
      .function = host_function, .entry = entry, .options = options};
  host.slice = tile_slice_of(&arena, entry);
  host.requires = (TileJson){
      .out = &host.requires_text, .layout = TILE_JSON_ROW, .indent = 2};
  host.launches = (TileJson){
      .out = &host.launches_text, .layout = TILE_JSON_ROW, .indent = 2};
  host.is_written =
      TILE_ARENA_NEW(&arena, bool, mlirBlockGetNumArguments(entry) + 1);
  TileString text = {NULL, 0, 0};
  MlirLogicalResult result = emit(&host, &text);
  if (tile_failed(result))
    tile_string_deinit(&text);
  else
    *out_json = tile_string_take(&text);
  tile_arena_deinit(&arena);
  tile_string_deinit(&host.requires_text);
  tile_string_deinit(&host.launches_text);
  return result;
}
