//===- Metadata.c - Host functions to launch metadata ---------------------===//
//
// Consumes: a host func.func whose launches are gpu.launch_func, in the body or
//           in regions of tile.variants, and their gpu.func kernels.
// Produces: the JSON text of docs/Metadata.md.
// Fails:    host code that the JSON cannot say; the files beside this one name
//           the op.
//
//===----------------------------------------------------------------------===//

#include "Target/Metadata.h"
#include "Dialect/ArgumentNames.h"
#include "Dialect/KernelParams.h"
#include "Dialect/Ops.h"
#include "Support/Build.h"
#include "Support/Diagnostics.h"
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
  if (!dtype || tile_dtype_info_is_complex(dtype))
    return false;
  tile_json_print_string(json, "kind", "scalar");
  tile_json_print_string(json, "dtype", dtype->name);
  return true;
}

// Owner: the caller, tile_string_deinit.
static TileString arg_name(const TileHost *host, int arg) {
  MlirStringRef name = tile_argument_name(host->function, arg);
  TileString result = {NULL, 0, 0};
  if (name.length)
    tile_string_append(&result, name.data, name.length);
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
    MlirStringRef holds = tile_argument_holds(host->function, arg);
    if (holds.length)
      tile_json_print_string_part(json, "holds", holds.data, holds.length);
    tile_json_close(json, '}');
    return tile_success();
  }
  TileString text = {NULL, 0, 0};
  mlirTypePrint(type, tile_string_callback, &text);
  tile_emit_error(host->function,
                  "has argument #%d of type %s; a host function takes "
                  "memrefs in global memory, integers and floats",
                  arg, text.data);
  tile_string_deinit(&text);
  return tile_failure();
}

//===-- Requirements ------------------------------------------------------===//

// Kernels derive the strides of a memref without a stated layout from its
// extents, so the launcher must not accept others.
static void require_contiguous(TileHost *host, int arg) {
  MlirValue value = mlirBlockGetArgument(host->entry, arg);
  MlirType type = mlirValueGetType(value);
  if (!mlirTypeIsAMemRef(type) ||
      !mlirAffineMapIsIdentity(mlirMemRefTypeGetAffineMap(type)))
    return;
  int row = tile_slice_contiguous(&host->slice, value);
  if (row < 0)
    return;
  TileString text = arg_name(host, arg);
  tile_string_print(&text, " is contiguous");
  tile_json_open(&host->requires, NULL, '{');
  tile_json_print_int(&host->requires, "value", row);
  tile_json_print_string_part(&host->requires, "text", text.data,
                              text.size_bytes);
  tile_json_close(&host->requires, '}');
  tile_string_deinit(&text);
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

// Version 1 where it can say all, for launchers that know no other.
static MlirLogicalResult print_host(const TileHost *host, TileString *out) {
  bool is_version_2 = host->needs_body || host->has_results || host->globals ||
                      host->slice.is_version_2;
  MlirStringRef name = tile_symbol_name(host->function);
  bool may_alias =
      !mlirAttributeIsNull(mlirOperationGetDiscardableAttributeByName(
          host->function, TILE_STR("tile.may_alias")));
  TileJson json = {.out = out};
  tile_json_open(&json, NULL, '{');
  tile_json_print_string(&json, "format",
                         is_version_2 ? "tile-host-2" : "tile-host-1");
  tile_json_print_string_part(&json, "function", name.data, name.length);
  tile_json_print_string(&json, "target", host->options->chip);
  tile_json_print_string(&json, "ptx", host->options->ptx_name);
  if (tile_failed(print_args(host, &json)))
    return tile_failure();
  tile_json_print_bool(&json, "may_alias", may_alias);
  tile_json_print_text(&json, "requires", host->requires_text.data);
  tile_slice_print(&host->slice, &json, "values");
  tile_json_print_text(&json, "launches", host->launches_text.data);
  if (host->globals && tile_failed(tile_host_print_globals(host, &json)))
    return tile_failure();
  if (host->needs_body || host->has_results)
    tile_json_print_text(&json, "body", host->body_text.data);
  if (host->has_results)
    tile_json_print_text(&json, "results", host->results_text.data);
  if (!is_version_2) {
    tile_json_open(&json, "workspace", '[');
    tile_json_close(&json, ']');
  }
  tile_json_close(&json, '}');
  return tile_success();
}

static MlirLogicalResult emit(TileHost *host, TileString *out) {
  TileJson *lists[] = {&host->requires, &host->launches, &host->body,
                       &host->results};
  enum { NUM_LISTS = sizeof lists / sizeof *lists };
  for (int i = 0; i < NUM_LISTS; i++)
    tile_json_open(lists[i], NULL, '[');
  if (tile_failed(tile_host_print_program(host)))
    return tile_failure();
  host->slice.user = host->function;
  for (int i = 0; i < mlirBlockGetNumArguments(host->entry); i++)
    require_contiguous(host, i);
  for (int i = 0; i < NUM_LISTS; i++)
    tile_json_close(lists[i], ']');
  return print_host(host, out);
}

static MlirWalkResult find_launch(MlirOperation op, void *user_data) {
  if (!gpu_launch_func_is(op) && !gpu_launch_is(op))
    return MlirWalkResultAdvance;
  *(bool *)user_data = true;
  return MlirWalkResultInterrupt;
}

bool tile_host_function_is(MlirOperation op) {
  bool has_launch = false;
  if (func_func_is(op))
    mlirOperationWalk(op, find_launch, &has_launch, MlirWalkPreOrder);
  return has_launch;
}

static TileJson list_in(TileString *text) {
  return (TileJson){.out = text, .layout = TILE_JSON_ROW, .indent = 2};
}

MlirLogicalResult tile_metadata_emit(MlirOperation host_function,
                                     const TileMetadataOptions *options,
                                     char **out_json) {
  MlirRegion body = mlirOperationGetRegion(host_function, 0);
  MlirBlock entry = mlirRegionGetFirstBlock(body);
  if (!mlirBlockIsNull(mlirBlockGetNextInRegion(entry)))
    return tile_emit_error(host_function,
                           "has branches; a host function branches by scf.if, "
                           "scf.for and scf.while");
  TileArena arena;
  tile_arena_init(&arena);
  TileHost host = {
      .function = host_function, .entry = entry, .options = options};
  host.slice = tile_slice_of(&arena, entry);
  host.releases.arena = &arena;
  host.requires = list_in(&host.requires_text);
  host.launches = list_in(&host.launches_text);
  host.body = list_in(&host.body_text);
  host.results = list_in(&host.results_text);
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
  tile_string_deinit(&host.body_text);
  tile_string_deinit(&host.results_text);
  return result;
}
