//===- MetadataArgs.c - Arguments of a host function ----------------------===//

#include "Dialect/KernelParams.h"
#include "Support/Build.h"
#include "Support/Diagnostics.h"
#include "Support/MlirText.h"
#include "Target/MetadataInternal.h"
#include <stdlib.h>

// The spelling of an element or scalar type; false when the launcher has none.
bool tile_host_dtype_name(MlirType type, char out_name[TILE_DTYPE_NAME_BYTES]) {
  static const char *const known[] = {
      "f16", "bf16", "f32", "f64", "f8E4M3FN", "f8E5M2", "i1",  "i8",
      "i16", "i32",  "i64", "u8",  "u16",      "u32",    "u64", "index"};
  TileString text = {NULL, 0, 0};
  mlirTypePrint(type, tile_string_callback, &text);
  char *printed = tile_string_take(&text);
  // MLIR says ui8 where the launcher says u8.
  const char *name = strncmp(printed, "ui", 2) == 0 ? printed + 1 : printed;
  char buffer[TILE_DTYPE_NAME_BYTES];
  if (name != printed)
    snprintf(buffer, sizeof buffer, "u%s", printed + 2);
  else
    snprintf(buffer, sizeof buffer, "%s", printed);
  free(printed);
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (strcmp(buffer, known[i]) == 0) {
      memcpy(out_name, buffer, sizeof buffer);
      return true;
    }
  return false;
}

static int64_t known_or_any(int64_t extent, bool is_dynamic) {
  return is_dynamic ? -1 : extent;
}

static bool print_memref(MlirType type, bool is_written, TileString *out) {
  int64_t strides[TILE_KERNEL_PARAM_MAX_RANK] = {0};
  int64_t offset = 0;
  TileKernelParam params[TILE_KERNEL_MAX_PARAMS];
  char dtype[TILE_DTYPE_NAME_BYTES];
  if (tile_kernel_params_of_type(type, params) < 0 ||
      !tile_host_dtype_name(mlirShapedTypeGetElementType(type), dtype) ||
      mlirLogicalResultIsFailure(
          mlirMemRefTypeGetStridesAndOffset(type, strides, &offset)))
    return false;
  int rank = (int)mlirShapedTypeGetRank(type);
  tile_string_print(
      out, "\"kind\": \"memref\", \"dtype\": \"%s\", \"shape\": [", dtype);
  for (int d = 0; d < rank; d++)
    tile_string_print(
        out, "%s%lld", d ? ", " : "",
        (long long)known_or_any(mlirShapedTypeGetDimSize(type, d),
                                mlirShapedTypeIsDynamicDim(type, d)));
  tile_string_print(out, "], \"strides\": [");
  for (int d = 0; d < rank; d++)
    tile_string_print(
        out, "%s%lld", d ? ", " : "",
        (long long)known_or_any(
            strides[d], mlirShapedTypeIsDynamicStrideOrOffset(strides[d])));
  tile_string_print(out, "], \"offset\": %lld, \"mutable\": %s",
                    (long long)known_or_any(
                        offset, mlirShapedTypeIsDynamicStrideOrOffset(offset)),
                    is_written ? "true" : "false");
  return true;
}

static bool print_scalar(MlirType type, TileString *out) {
  char dtype[TILE_DTYPE_NAME_BYTES];
  bool is_number = mlirTypeIsAIndex(type) || mlirTypeIsAInteger(type) ||
                   mlirTypeIsAFloat(type);
  if (!is_number || !tile_host_dtype_name(type, dtype))
    return false;
  tile_string_print(out, "\"kind\": \"scalar\", \"dtype\": \"%s\"", dtype);
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

void tile_host_print_arg_name(const TileHost *host, int arg, TileString *out) {
  MlirLocation location =
      mlirValueGetLocation(mlirBlockGetArgument(host->entry, arg));
  const char *name = NULL;
  size_t length = 0;
  if (name_in_source(host->options, location, &name, &length))
    tile_json_quote(out, name, length);
  else
    tile_string_print(out, "\"arg%d\"", arg);
}

MlirLogicalResult tile_host_print_args(const TileHost *host, TileString *out) {
  int count = (int)mlirBlockGetNumArguments(host->entry);
  for (int i = 0; i < count; i++) {
    MlirType type = mlirValueGetType(mlirBlockGetArgument(host->entry, i));
    tile_string_print(out, "%s\n    {\"name\": ", i ? "," : "");
    tile_host_print_arg_name(host, i, out);
    tile_string_print(out, ", ");
    bool is_memref = mlirTypeIsAMemRef(type);
    if (is_memref ? !print_memref(type, host->is_written[i], out)
                  : !print_scalar(type, out)) {
      TileString text = {NULL, 0, 0};
      mlirTypePrint(type, tile_string_callback, &text);
      tile_emit_error(host->function,
                      "has argument #%d of type %s; a host function takes "
                      "memrefs in global memory and scalars",
                      i, text.data);
      tile_string_deinit(&text);
      return tile_failure();
    }
    tile_string_print(out, "}");
  }
  return tile_success();
}
