//===- MetadataGlobals.c - Data that a host function brings along ---------===//
//
// Consumes: the memref.global ops that a host function uses.
// Produces: the array `globals` of the launch metadata: types, and the values
//           in base 64 (RFC 4648), as they lie in memory.
// Fails:    a global whose values cannot be read.
//
//===----------------------------------------------------------------------===//

#include "Target/Metadata.h"

#include "Support/Diagnostics.h"
#include "Support/MlirText.h"
#include "Target/Symbols.h"
#include "Tile/Ops/memref.h"
#include <stdlib.h>

//===-- Bytes -------------------------------------------------------------===//

static void print_base64(TileString *out, const unsigned char *bytes,
                         size_t count) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                               "abcdefghijklmnopqrstuvwxyz0123456789+/";
  enum { BATCH = 1024 };
  char text[4 * BATCH];
  size_t length = 0;
  for (size_t i = 0; i < count; i += 3) {
    size_t rest = count - i < 3 ? count - i : 3;
    unsigned word = (unsigned)bytes[i] << 16;
    word |= rest > 1 ? (unsigned)bytes[i + 1] << 8 : 0;
    word |= rest > 2 ? bytes[i + 2] : 0;
    text[length++] = digits[word >> 18];
    text[length++] = digits[word >> 12 & 63];
    text[length++] = rest > 1 ? digits[word >> 6 & 63] : '=';
    text[length++] = rest > 2 ? digits[word & 63] : '=';
    if (length == sizeof text || i + 3 >= count) {
      tile_string_append(out, text, length);
      length = 0;
    }
  }
}

// Booleans are packed in an attribute and bytes in memory.
static bool get_bools(MlirAttribute values, intptr_t count,
                      unsigned char *bytes) {
  for (intptr_t i = 0; i < count; i++)
    bytes[i] = mlirDenseElementsAttrGetBoolValue(values, i);
  return true;
}

typedef struct {
  const unsigned char *bytes;
  unsigned char *owned;
  size_t count;
} Data;

// What mlir-c cannot read of a resource it prints: four bytes of alignment and
// then the values, in hexadecimal.
static bool get_resource(MlirOperation op, Data *out) {
  enum { HEAD_DIGITS = 8 };
  TileString text = {NULL, 0, 0};
  MlirOperation alone = mlirOperationClone(op); // resources come with a file
  mlirOperationPrint(alone, tile_string_callback, &text);
  mlirOperationDestroy(alone);
  const char *at = text.data ? strstr(text.data, ": \"0x") : NULL;
  size_t digits = 0;
  if (at) {
    at += strlen(": \"0x");
    digits = strspn(at, "0123456789abcdefABCDEF");
  }
  bool is_read = digits >= HEAD_DIGITS && digits % 2 == 0 && at[digits] == '"';
  out->count = is_read ? (digits - HEAD_DIGITS) / 2 : 0;
  out->owned = calloc(out->count + 1, 1);
  out->bytes = out->owned;
  for (size_t i = 0; out->owned && i < out->count; i++) {
    char pair[3] = {at[HEAD_DIGITS + 2 * i], at[HEAD_DIGITS + 2 * i + 1], 0};
    out->owned[i] = (unsigned char)strtoul(pair, NULL, 16);
  }
  tile_string_deinit(&text);
  return is_read && out->owned;
}

// One element where all are alike. False when the attribute is of no kind that
// holds its values.
static bool get_data(MlirOperation op, MlirAttribute values, MlirType element,
                     Data *out) {
  bool is_bool =
      mlirTypeIsAInteger(element) && mlirIntegerTypeGetWidth(element) == 1;
  if (mlirAttributeIsADenseResourceElements(values))
    return get_resource(op, out);
  if (!mlirAttributeIsADenseElements(values))
    return false;
  intptr_t count = mlirElementsAttrGetNumElements(values);
  if (mlirDenseElementsAttrIsSplat(values) && count > 0)
    count = 1;
  out->count = (size_t)count * (size_t)tile_elem_bits(element) / 8;
  if (!is_bool) {
    out->bytes = mlirDenseElementsAttrGetRawData(values);
    return true;
  }
  out->owned = calloc((size_t)count + 1, 1);
  out->bytes = out->owned;
  return out->owned && get_bools(values, count, out->owned);
}

//===-- Globals -----------------------------------------------------------===//

static MlirLogicalResult print_values(MlirOperation op, MlirAttribute values,
                                      TileJson *json) {
  MlirType element =
      mlirShapedTypeGetElementType(memref_global_type(memref_global_cast(op)));
  Data data = {.count = 0};
  TileString text = {NULL, 0, 0};
  if (!get_data(op, values, element, &data)) {
    free(data.owned);
    return tile_emit_error(op, "has values that the host of a launch cannot "
                               "read: expects dense or dense_resource ones");
  }
  tile_string_append(&text, "\"", 1);
  print_base64(&text, data.bytes, data.count);
  tile_string_append(&text, "\"", 1);
  tile_json_print_text(json, "data", text.data);
  tile_string_deinit(&text);
  free(data.owned);
  return tile_success();
}

static MlirLogicalResult print_global(MlirOperation op, TileJson *json) {
  MemRefGlobalOp global = memref_global_cast(op);
  MlirStringRef name = tile_symbol_name(op);
  MlirType type = memref_global_type(global);
  MlirAttribute values = memref_global_initial_value_attr(global);
  tile_json_break(json);
  tile_json_open(json, NULL, '{');
  tile_json_print_string_part(json, "name", name.data, name.length);
  tile_json_print_string(
      json, "dtype", tile_elem_info(mlirShapedTypeGetElementType(type))->name);
  tile_json_open(json, "shape", '[');
  for (int d = 0; d < mlirShapedTypeGetRank(type); d++)
    tile_json_print_int(json, NULL, mlirShapedTypeGetDimSize(type, d));
  tile_json_close(json, ']');
  if (memref_global_alignment(global) > 0)
    tile_json_print_int(json, "align_bytes", memref_global_alignment(global));
  bool has_values =
      !mlirAttributeIsNull(values) && !mlirAttributeIsAUnit(values);
  if (has_values && tile_failed(print_values(op, values, json)))
    return tile_failure();
  tile_json_close(json, '}');
  return tile_success();
}

MlirLogicalResult tile_host_print_globals(const TileHost *host,
                                          TileJson *json) {
  tile_json_open_as(json, "globals", '[', TILE_JSON_ROW);
  for (const TileHostGlobal *global = host->globals; global;
       global = global->next)
    if (tile_failed(print_global(global->op, json)))
      return tile_failure();
  tile_json_close(json, ']');
  return tile_success();
}
