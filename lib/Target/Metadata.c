//===- Metadata.c - Host functions to launch metadata ---------------------===//
//
// Consumes: a host func.func whose launches are gpu.launch_func, in the body or
//           in regions of tile.variants, and their gpu.func kernels.
// Produces: the JSON text of docs/Metadata.md.
// Fails:    host code that the JSON cannot say: control flow around a launch,
//           effects, values that MetadataSlice.c does not know.
//
//===----------------------------------------------------------------------===//

#include "Dialect/Ops.h"
#include "Support/Diagnostics.h"
#include "Support/Iterate.h"
#include "Target/MetadataInternal.h"
#include "Target/MetadataWrites.h"
#include "Target/Symbols.h"
#include "Tile/Ops/func.h"
#include "Tile/Ops/gpu.h"
#include <stdlib.h>

//===-- Requirements ------------------------------------------------------===//

// `actual`: the row of the number that it is about; negative: none.
static void print_requirement(TileString *out, int row, MlirStringRef text,
                              int actual) {
  tile_string_print(
      out, "%s{\"value\": %d, \"text\": ", out->size_bytes ? ", " : "", row);
  tile_json_quote(out, text.data, text.length);
  if (actual >= 0)
    tile_string_print(out, ", \"actual\": %d", actual);
  tile_string_print(out, "}");
}

static MlirLogicalResult add_require(TileHost *host, TileRequireOp require,
                                     TileString *out) {
  host->slice.user = require.op;
  int row = tile_slice_value(&host->slice, tile_require_condition(require));
  MlirValue number = tile_require_actual(require);
  int actual = row >= 0 && !mlirValueIsNull(number)
                   ? tile_slice_value(&host->slice, number)
                   : -1;
  if (row < 0 || (actual < 0 && !mlirValueIsNull(number)))
    return tile_failure();
  print_requirement(out, row,
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
  TileSlice *slice = &host->slice;
  int all = -1;
  int64_t inner = 1; // elements of the dimensions behind `d`; -1: dynamic
  for (int d = (int)mlirShapedTypeGetRank(type) - 1; d >= 0; d--) {
    if (inner < 0) {
      int expected = tile_slice_binary(slice, "arith.muli",
                                       tile_slice_extent(slice, arg, d + 1),
                                       tile_slice_stride(slice, arg, d + 1));
      int is_equal =
          tile_slice_equal(slice, tile_slice_stride(slice, arg, d), expected);
      all = all < 0 ? is_equal : tile_slice_and(slice, all, is_equal);
    }
    bool is_dynamic = mlirShapedTypeIsDynamicDim(type, d);
    inner = is_dynamic || inner < 0 ? -1
                                    : inner * mlirShapedTypeGetDimSize(type, d);
  }
  if (all < 0)
    return;
  TileString text = {NULL, 0, 0}, name = {NULL, 0, 0};
  tile_host_print_arg_name(host, arg, &name);
  tile_string_print(&text, "%.*s is contiguous", (int)name.size_bytes - 2,
                    name.data + 1);
  print_requirement(&host->requires, all,
                    (MlirStringRef){text.data, text.size_bytes}, -1);
  tile_string_deinit(&text);
  tile_string_deinit(&name);
}

//===-- Launches ----------------------------------------------------------===//

static MlirOperation find_symbol(MlirOperation table, MlirStringRef name) {
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(table, 0));
  TILE_FOR_EACH_OP (op, body) {
    if (mlirStringRefEqual(tile_symbol_name(op), name))
      return op;
  }
  return (MlirOperation){NULL};
}

// The verifier of gpu.launch_func has checked that the kernel exists.
static MlirOperation find_kernel(const TileHost *host, MlirAttribute symbol) {
  MlirOperation module = mlirOperationGetParentOperation(host->function);
  MlirOperation gpu_module =
      find_symbol(module, mlirSymbolRefAttrGetRootReference(symbol));
  return find_symbol(gpu_module, mlirSymbolRefAttrGetLeafReference(symbol));
}

static void note_writes(TileHost *host, GPULaunchFuncOp launch) {
  MlirOperation kernel = find_kernel(host, gpu_launch_func_kernel_attr(launch));
  TileRange operands = gpu_launch_func_kernelOperands(launch);
  for (int i = 0; i < operands.n; i++) {
    MlirValue operand = tile_range_at(operands, i);
    int arg = tile_slice_arg(&host->slice, operand);
    if (arg >= 0 && mlirTypeIsAMemRef(mlirValueGetType(operand)) &&
        tile_kernel_may_write(kernel, i))
      host->is_written[arg] = true;
  }
}

static MlirLogicalResult constant_of(GPULaunchFuncOp launch, MlirValue value,
                                     const char *what, int64_t initial,
                                     int64_t *out_constant) {
  *out_constant = initial;
  if (mlirValueIsNull(value) || mlirxConstantInt(value, out_constant))
    return tile_success();
  return tile_emit_error(launch.op, "needs a constant %s", what);
}

static MlirLogicalResult print_extents(TileHost *host, GPULaunchFuncOp launch,
                                       TileString *out) {
  TileSlice *slice = &host->slice;
  int grid[3] = {tile_slice_value(slice, gpu_launch_func_gridSizeX(launch)),
                 tile_slice_value(slice, gpu_launch_func_gridSizeY(launch)),
                 tile_slice_value(slice, gpu_launch_func_gridSizeZ(launch))};
  int block[3] = {tile_slice_value(slice, gpu_launch_func_blockSizeX(launch)),
                  tile_slice_value(slice, gpu_launch_func_blockSizeY(launch)),
                  tile_slice_value(slice, gpu_launch_func_blockSizeZ(launch))};
  MlirValue cluster[3] = {gpu_launch_func_clusterSizeX(launch),
                          gpu_launch_func_clusterSizeY(launch),
                          gpu_launch_func_clusterSizeZ(launch)};
  tile_string_print(out, "\n      ");
  if (tile_failed(tile_host_print_rows(out, "grid", grid, 3)))
    return tile_failure();
  tile_string_print(out, ", ");
  if (tile_failed(tile_host_print_rows(out, "block", block, 3)))
    return tile_failure();
  int64_t number;
  for (int i = 0; i < 3; i++) {
    if (tile_failed(
            constant_of(launch, cluster[i], "cluster size", 1, &number)))
      return tile_failure();
    tile_string_print(out, "%s%lld", i ? ", " : ", \"cluster\": [",
                      (long long)number);
  }
  if (tile_failed(constant_of(launch,
                              gpu_launch_func_dynamicSharedMemorySize(launch),
                              "dynamic shared memory size", 0, &number)))
    return tile_failure();
  tile_string_print(out, "],\n      \"dynamic_smem_bytes\": %lld,",
                    (long long)number);
  return tile_success();
}

// `requires`: the printed requirements of the variant.
static MlirLogicalResult print_launch(TileHost *host, GPULaunchFuncOp launch,
                                      const TileString *requires,
                                      TileString *out) {
  host->slice.user = launch.op;
  if (gpu_launch_func_asyncDependencies(launch).n ||
      !mlirValueIsNull(gpu_launch_func_asyncToken(launch)))
    return tile_emit_error(launch.op, "is asynchronous; launches of a host "
                                      "function run in order");
  MlirStringRef kernel =
      mlirSymbolRefAttrGetLeafReference(gpu_launch_func_kernel_attr(launch));
  tile_string_print(out, "{\n      \"kernel\": ");
  tile_json_quote(out, kernel.data, kernel.length);
  tile_string_print(out, ",\n      \"requires\": [%s],",
                    requires->data ? requires->data : "");
  if (tile_failed(print_extents(host, launch, out)))
    return tile_failure();
  tile_string_print(out, "\n      \"params\": [");
  TileRange operands = gpu_launch_func_kernelOperands(launch);
  bool is_first = true;
  for (intptr_t i = 0; i < operands.n; i++)
    if (tile_failed(tile_host_print_operand(host, tile_range_at(operands, i),
                                            &is_first, out)))
      return tile_failure();
  tile_string_print(out, "]}");
  note_writes(host, launch);
  return tile_success();
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

static MlirLogicalResult add_variant(TileHost *host, MlirBlock block,
                                     TileString *out) {
  TileString requires = {NULL, 0, 0};
  MlirLogicalResult result = tile_success();
  MlirOperation launch = {NULL};
  TILE_FOR_EACH_OP (op, block) {
    if (tile_failed(result))
      break;
    if (tile_require_is(op))
      result = add_require(host, tile_require_cast(op), &requires);
    else if (gpu_launch_func_is(op))
      launch = op; // after the requirements, wherever they stand
    else
      result = check_host_op(op);
  }
  if (!tile_failed(result))
    result = print_launch(host, gpu_launch_func_cast(launch), &requires, out);
  tile_string_deinit(&requires);
  return result;
}

static MlirLogicalResult add_variants(TileHost *host, MlirOperation variants) {
  TileString *out = &host->launches;
  for (intptr_t i = 0; i < mlirOperationGetNumRegions(variants); i++) {
    tile_string_print(out, i ? ", " : "");
    MlirBlock block =
        mlirRegionGetFirstBlock(mlirOperationGetRegion(variants, i));
    if (tile_failed(add_variant(host, block, out)))
      return tile_failure();
  }
  return tile_success();
}

static MlirLogicalResult add_launch(TileHost *host, MlirOperation op) {
  TileString none = {NULL, 0, 0};
  tile_string_print(&host->launches, "%s\n    {\"variants\": [",
                    host->launches.size_bytes ? "," : "");
  MlirLogicalResult result = tile_variants_is(op)
                                 ? add_variants(host, op)
                                 : print_launch(host, gpu_launch_func_cast(op),
                                                &none, &host->launches);
  tile_string_print(&host->launches, "]}");
  return result;
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

static void print_values(const TileSlice *slice, TileString *out) {
  for (int i = 0; i < slice->num_rows; i++) {
    tile_string_print(out, "%s\n    ", i ? "," : "");
    tile_slice_print_row(slice, i, out);
  }
}

static MlirLogicalResult print_host(const TileHost *host, TileString *out) {
  MlirStringRef name = tile_symbol_name(host->function);
  bool may_alias =
      !mlirAttributeIsNull(mlirOperationGetDiscardableAttributeByName(
          host->function, TILE_STR("tile.may_alias")));
  tile_string_print(out, "{\n  \"format\": \"tile-host-1\",\n  \"function\": ");
  tile_json_quote(out, name.data, name.length);
  tile_string_print(
      out, ",\n  \"target\": \"%s\",\n  \"ptx\": ", host->options->chip);
  tile_json_quote(out, host->options->ptx_name,
                  strlen(host->options->ptx_name));
  tile_string_print(out, ",\n  \"args\": [");
  if (tile_failed(tile_host_print_args(host, out)))
    return tile_failure();
  tile_string_print(out, "],\n  \"may_alias\": %s,\n  \"requires\": [%s],",
                    may_alias ? "true" : "false",
                    host->requires.data ? host->requires.data : "");
  tile_string_print(out, "\n  \"values\": [");
  print_values(&host->slice, out);
  tile_string_print(out, "],\n  \"launches\": [%s],\n  \"workspace\": []\n}\n",
                    host->launches.data ? host->launches.data : "");
  return tile_success();
}

static MlirLogicalResult emit(TileHost *host, TileString *out) {
  TILE_FOR_EACH_OP (op, host->entry) {
    if (tile_failed(add_op(host, op)))
      return tile_failure();
  }
  host->slice.user = host->function;
  for (int i = 0; i < mlirBlockGetNumArguments(host->entry); i++)
    require_contiguous(host, i);
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
  size_t num_args = (size_t)mlirBlockGetNumArguments(entry);
  TileHost host = {
      .function = host_function, .entry = entry, .options = options};
  tile_slice_init(&host.slice, entry);
  host.is_written = calloc(num_args + 1, sizeof *host.is_written);
  TileString text = {NULL, 0, 0};
  MlirLogicalResult result =
      host.is_written ? emit(&host, &text)
                      : tile_emit_error(host_function, "out of memory");
  if (tile_failed(result))
    tile_string_deinit(&text);
  else
    *out_json = tile_string_take(&text);
  free(host.is_written);
  tile_slice_deinit(&host.slice);
  tile_string_deinit(&host.requires);
  tile_string_deinit(&host.launches);
  return result;
}
