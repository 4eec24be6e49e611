//===- JsonReader.c - Typed access to JSON with located errors ------------===//

#include "Launcher/Host/HostFunction.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

JsonNode tile_json_field(const JsonNode *object, const char *key) {
  JsonNode node = {.json = cJSON_GetObjectItemCaseSensitive(object->json, key)};
  snprintf(node.where, sizeof node.where, "%.120s%s%s", object->where,
           *object->where ? "." : "", key);
  return node;
}

JsonNode tile_json_item(const JsonNode *array, int index) {
  JsonNode node = {.json = cJSON_GetArrayItem(array->json, index)};
  snprintf(node.where, sizeof node.where, "%.140s[%d]", array->where, index);
  return node;
}

bool tile_json_fail(JsonReader *reader, const JsonNode *node,
                    const char *format, ...) {
  enum { MAX_SHOWN = 60 };
  char what[256];
  va_list values;
  va_start(values, format);
  vsnprintf(what, sizeof what, format, values);
  va_end(values);
  char *got = node->json ? cJSON_PrintUnformatted(node->json) : NULL;
  reader->status = tile_status_error(
      TILE_STATUS_USER_ERROR, "%s: %s: expected %s, got %.*s%s", reader->path,
      *node->where ? node->where : "the file", what, MAX_SHOWN,
      got ? got : "nothing", got && strlen(got) > MAX_SHOWN ? "…" : "");
  cJSON_free(got);
  return false;
}

bool tile_json_string(JsonReader *reader, const JsonNode *node,
                      const char **out_text) {
  if (!cJSON_IsString(node->json) || !*node->json->valuestring)
    return tile_json_fail(reader, node, "a text");
  *out_text = node->json->valuestring;
  return true;
}

bool tile_json_bool(JsonReader *reader, const JsonNode *node, bool *out_value) {
  if (!cJSON_IsBool(node->json))
    return tile_json_fail(reader, node, "true or false");
  *out_value = cJSON_IsTrue(node->json);
  return true;
}

/// The largest magnitude below which every integer is a double.
static const double max_exact_integer = 9007199254740992.0; // 2^53

static bool integer_of(const cJSON *json, int64_t *out_value) {
  if (cJSON_IsNumber(json)) {
    double number = json->valuedouble;
    if (!(number > -max_exact_integer && number < max_exact_integer))
      return false;
    *out_value = (int64_t)number;
    return (double)*out_value == number;
  }
  if (!cJSON_IsString(json))
    return false;
  char *end = NULL;
  errno = 0;
  long long number = strtoll(json->valuestring, &end, 10);
  *out_value = number;
  return errno == 0 && end != json->valuestring && *end == 0;
}

bool tile_json_int(JsonReader *reader, const JsonNode *node, int64_t min,
                   int64_t max, int64_t *out_value) {
  if (cJSON_IsNumber(node->json) &&
      (node->json->valuedouble >= max_exact_integer ||
       node->json->valuedouble <= -max_exact_integer))
    return tile_json_fail(reader, node,
                          "integers of 2^53 and more to be written as text");
  int64_t value = 0;
  if (!integer_of(node->json, &value) || value < min || value > max)
    return tile_json_fail(reader, node, "an integer from %lld to %lld",
                          (long long)min, (long long)max);
  *out_value = value;
  return true;
}

bool tile_json_small_int(JsonReader *reader, const JsonNode *node, int min,
                         int max, int *out_value) {
  int64_t value = 0;
  if (!tile_json_int(reader, node, min, max, &value))
    return false;
  *out_value = (int)value;
  return true;
}

bool tile_json_array(JsonReader *reader, const JsonNode *node, int min, int max,
                     int *out_length) {
  int length = cJSON_GetArraySize(node->json);
  if (!cJSON_IsArray(node->json) || length < min || length > max) {
    if (min == max)
      return tile_json_fail(reader, node, "a list of %d", min);
    return tile_json_fail(reader, node, "a list of %d to %d", min, max);
  }
  *out_length = length;
  return true;
}

bool tile_json_dtype(JsonReader *reader, const JsonNode *node,
                     TileDtype *out_dtype) {
  const char *name = NULL;
  if (!tile_json_string(reader, node, &name))
    return false;
  if (!tile_dtype_from_name(name, out_dtype))
    return tile_json_fail(reader, node, "an element type such as bf16");
  return true;
}

bool tile_json_number_dtype(JsonReader *reader, const JsonNode *node,
                            TileDtype *out_dtype) {
  if (!tile_json_dtype(reader, node, out_dtype))
    return false;
  if (tile_dtype_is_complex(*out_dtype))
    return tile_json_fail(reader, node, "a type of integers or floats");
  return true;
}

void *tile_json_allocate(JsonReader *reader, const JsonNode *node, int count,
                         size_t item_size_bytes) {
  void *items = calloc((size_t)count + 1, item_size_bytes);
  if (!items)
    tile_json_fail(reader, node, "a list that fits in memory");
  return items;
}
