//===- HostFunction.c - Reads launch metadata -----------------------------===//
//
// Consumes: JSON of docs/Metadata.md, formats "tile-host-1" and "tile-host-2".
// Produces: a TileHostFunction in which every index is valid.
// Fails:    the first thing that is missing or wrong, with its path.
//
//===----------------------------------------------------------------------===//

#include "Launcher/Host/HostFunction.h"
#include "Launcher/LauncherInternal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

//===-- Owns launch metadata; files and paths -----------------------------===//

//===-- Files -------------------------------------------------------------===//

static TileStatus read_stream(FILE *file, const char *path, char **out_text,
                              size_t *out_size_bytes) {
  size_t capacity = 1 << 16, size_bytes = 0;
  char *text = NULL;
  for (;;) {
    char *grown = realloc(text, capacity);
    if (!grown) {
      free(text);
      return tile_status_error(TILE_STATUS_USER_ERROR,
                               "%s: does not fit in memory", path);
    }
    text = grown;
    size_bytes += fread(text + size_bytes, 1, capacity - 1 - size_bytes, file);
    if (size_bytes < capacity - 1)
      break;
    capacity *= 2;
  }
  if (ferror(file)) { // for example a directory
    free(text);
    return tile_status_error(TILE_STATUS_USER_ERROR, "cannot read %s: %s", path,
                             strerror(errno));
  }
  text[size_bytes] = 0;
  *out_text = text;
  *out_size_bytes = size_bytes;
  return tile_status_ok();
}

TileStatus tile_file_read(const char *path, char **out_text,
                          size_t *out_size_bytes) {
  *out_text = NULL;
  *out_size_bytes = 0;
  FILE *file = fopen(path, "rb");
  if (!file)
    return tile_status_error(TILE_STATUS_USER_ERROR, "cannot read %s: %s", path,
                             strerror(errno));
  TileStatus status = read_stream(file, path, out_text, out_size_bytes);
  fclose(file);
  return status;
}

// Returns `name` relative to the folder of `path`. Owner: the caller, free.
static char *path_beside(const char *path, const char *name) {
  const char *slash = strrchr(path, '/');
  size_t folder_length = slash && *name != '/' ? (size_t)(slash + 1 - path) : 0;
  size_t name_length = strlen(name);
  char *result = malloc(folder_length + name_length + 1);
  if (!result)
    return NULL;
  memcpy(result, path, folder_length);
  memcpy(result + folder_length, name, name_length + 1);
  return result;
}

//===-- Life and access ---------------------------------------------------===//

static void destroy_launch(Launch *launch) {
  for (int i = 0; i < launch->num_variants; i++) {
    free(launch->variants[i].requirements.items);
    free(launch->variants[i].params);
  }
  free(launch->variants);
}

static void deinit_block(HostBlock *block) {
  for (int i = 0; i < block->count; i++) {
    HostOp *op = &block->items[i];
    deinit_block(&op->body);
    deinit_block(&op->otherwise);
    free(op->carried.items);
    free(op->initial.items);
    free(op->next.items);
    free(op->results.items);
    free(op->then_values.items);
    free(op->else_values.items);
    free(op->dependents.items);
    free(op->results_dependents.items);
  }
  free(block->items);
}

static void deinit_program(TileHostFunction *function) {
  deinit_block(&function->body);
  free(function->carriers.items);
  free(function->globals);
  free(function->results);
}

void tile_host_function_destroy(TileHostFunction *function) {
  if (!function)
    return;
  for (int i = 0; i < function->num_launches; i++)
    destroy_launch(&function->launches[i]);
  free(function->launches);
  deinit_program(function);
  free(function->requirements.items);
  free(function->values);
  free(function->params);
  free(function->ptx_path);
  cJSON_Delete(function->root);
  free(function);
}

TileHostSignature
tile_host_function_signature(const TileHostFunction *function) {
  return (TileHostSignature){function->name, (size_t)function->num_params,
                             (size_t)function->num_results};
}

const TileHostParam *tile_host_function_param(const TileHostFunction *function,
                                              size_t index) {
  return index < (size_t)function->num_params ? &function->params[index] : NULL;
}

static const char *const format_names[] = {"tile-host-1", "tile-host-2"};

enum { MAX_ARGS = 256, MAX_LAUNCHES = 4096, MAX_VARIANTS = 64 };

//===-- Arguments ---------------------------------------------------------===//

/// Reads numbers of which -1 means any.
static bool read_extents(JsonReader *reader, const JsonNode *node, int count,
                         int64_t *out_values) {
  for (int i = 0; i < count; i++) {
    JsonNode item = tile_json_item(node, i);
    if (!tile_json_int(reader, &item, -1, INT64_MAX, &out_values[i]))
      return false;
  }
  return true;
}

static bool read_memref(JsonReader *reader, const JsonNode *node,
                        TileHostParam *param) {
  JsonNode shape = tile_json_field(node, "shape");
  JsonNode strides = tile_json_field(node, "strides");
  JsonNode offset = tile_json_field(node, "offset");
  JsonNode is_mutable = tile_json_field(node, "mutable");
  int num_strides = 0;
  return tile_json_array(reader, &shape, 0, TILE_LAUNCH_MAX_RANK,
                         &param->rank) &&
         read_extents(reader, &shape, param->rank, param->shape) &&
         tile_json_array(reader, &strides, param->rank, param->rank,
                         &num_strides) &&
         read_extents(reader, &strides, num_strides, param->strides) &&
         tile_json_int(reader, &offset, -1, INT64_MAX, &param->offset) &&
         tile_json_bool(reader, &is_mutable, &param->is_mutable);
}

// The metadata counts what kernels know; a parameter what it holds.
static bool read_holds(JsonReader *reader, const JsonNode *node,
                       TileHostParam *param) {
  JsonNode holds = tile_json_field(node, "holds");
  if (!holds.json)
    return true;
  if (!tile_json_dtype(reader, &holds, &param->dtype))
    return false;
  const TileDtypeInfo *info = tile_dtype_info(param->dtype);
  int pack = tile_dtype_info_pack(info),
      bytes = tile_dtype_info_pack_bytes(info);
  for (int d = 0; d < param->rank && pack > 1; d++) {
    int64_t *number =
        d + 1 == param->rank ? &param->shape[d] : &param->strides[d];
    if (*number > 0)
      *number = *number / bytes * pack;
  }
  if (param->offset > 0)
    param->offset = param->offset / bytes * pack;
  return true;
}

static bool read_arg(JsonReader *reader, const JsonNode *node,
                     TileHostParam *param) {
  JsonNode name = tile_json_field(node, "name");
  JsonNode kind = tile_json_field(node, "kind");
  JsonNode dtype = tile_json_field(node, "dtype");
  const char *kind_name = NULL;
  if (!tile_json_string(reader, &name, &param->name) ||
      !tile_json_string(reader, &kind, &kind_name) ||
      !tile_json_dtype(reader, &dtype, &param->dtype))
    return false;
  param->is_scalar = strcmp(kind_name, "scalar") == 0;
  if (param->is_scalar)
    return tile_json_number_dtype(reader, &dtype, &param->dtype);
  if (strcmp(kind_name, "memref") != 0)
    return tile_json_fail(reader, &kind, "\"memref\" or \"scalar\"");
  return read_memref(reader, node, param) && read_holds(reader, node, param);
}

static bool read_args(JsonReader *reader, const JsonNode *array) {
  TileHostFunction *function = reader->function;
  int count = 0;
  if (!tile_json_array(reader, array, 0, MAX_ARGS, &count))
    return false;
  function->params =
      tile_json_allocate(reader, array, count, sizeof *function->params);
  if (!function->params)
    return false;
  function->num_params = count;
  for (int i = 0; i < count; i++) {
    JsonNode item = tile_json_item(array, i);
    if (!read_arg(reader, &item, &function->params[i]))
      return false;
  }
  return true;
}

//===-- Requirements and uses of values -----------------------------------===//

bool tile_host_requirement_read(JsonReader *reader, const JsonNode *node,
                                Requirement *out_requirement) {
  JsonNode value = tile_json_field(node, "value");
  JsonNode text = tile_json_field(node, "text");
  JsonNode actual = tile_json_field(node, "actual");
  JsonNode other = tile_json_field(node, "other");
  JsonNode where = tile_json_field(node, "where");
  out_requirement->actual = out_requirement->other = -1;
  if (!tile_host_value_use_read(reader, &value, &out_requirement->value) ||
      !tile_json_string(reader, &text, &out_requirement->text) ||
      (actual.json &&
       !tile_host_value_use_read(reader, &actual, &out_requirement->actual)) ||
      (other.json &&
       !tile_host_value_use_read(reader, &other, &out_requirement->other)) ||
      (where.json &&
       !tile_json_string(reader, &where, &out_requirement->where)))
    return false;
  if (reader->function->values[out_requirement->value].type.num_bits != 1)
    return tile_json_fail(reader, &value, "the index of an i1 value");
  return true;
}

/// Reads `requires`; a missing list is an empty one.
static bool read_requirements(JsonReader *reader, const JsonNode *object,
                              Requirements *out_requirements) {
  JsonNode array = tile_json_field(object, "requires");
  int count = 0;
  if (!array.json)
    return true;
  if (!tile_json_array(reader, &array, 0, MAX_LAUNCHES, &count))
    return false;
  out_requirements->items = tile_json_allocate(reader, &array, count,
                                               sizeof *out_requirements->items);
  if (!out_requirements->items)
    return false;
  out_requirements->count = count;
  for (int i = 0; i < count; i++) {
    JsonNode item = tile_json_item(&array, i);
    if (!tile_host_requirement_read(reader, &item, &out_requirements->items[i]))
      return false;
  }
  return true;
}

//===-- Kernel parameters -------------------------------------------------===//

/// An argument, or other memory by its address.
static bool read_memref_use(JsonReader *reader, const JsonNode *node,
                            LaunchParam *param) {
  const TileHostFunction *function = reader->function;
  JsonNode arg = tile_json_field(node, "arg");
  JsonNode address = tile_json_field(node, "address");
  param->arg = -1;
  if (address.json)
    return tile_host_value_use_read(reader, &address, &param->address);
  if (!tile_json_small_int(reader, &arg, 0, function->num_params - 1,
                           &param->arg))
    return false;
  if (function->params[param->arg].is_scalar)
    return tile_json_fail(reader, &arg, "the index of a memref");
  return true;
}

/// Reads `count` plain numbers; a missing list means all ones when allowed.
static bool read_u32s(JsonReader *reader, const JsonNode *object,
                      const char *key, int count, bool is_optional,
                      uint32_t *out_values) {
  JsonNode array = tile_json_field(object, key);
  for (int i = 0; i < count; i++)
    out_values[i] = 1;
  if (!array.json && is_optional)
    return true;
  if (!tile_json_array(reader, &array, count, count, &count))
    return false;
  for (int i = 0; i < count; i++) {
    JsonNode item = tile_json_item(&array, i);
    int64_t value = 0;
    if (!tile_json_int(reader, &item, 1, UINT32_MAX, &value))
      return false;
    out_values[i] = (uint32_t)value;
  }
  return true;
}

static bool read_value_uses(JsonReader *reader, const JsonNode *array,
                            int count, int *out_values) {
  if (!tile_json_array(reader, array, count, count, &count))
    return false;
  for (int i = 0; i < count; i++) {
    JsonNode item = tile_json_item(array, i);
    if (!tile_host_value_use_read(reader, &item, &out_values[i]))
      return false;
  }
  return true;
}

static bool read_oob(JsonReader *reader, const JsonNode *node,
                     bool *out_oob_nan) {
  JsonNode oob = tile_json_field(node, "oob");
  const char *name = "zero";
  if (oob.json && !tile_json_string(reader, &oob, &name))
    return false;
  *out_oob_nan = strcmp(name, "nan") == 0;
  if (!*out_oob_nan && strcmp(name, "zero") != 0)
    return tile_json_fail(reader, &oob, "\"zero\" or \"nan\"");
  return true;
}

static bool read_corner(JsonReader *reader, const JsonNode *object,
                        const char *key, int count, int32_t *out_values) {
  enum { LIMIT = 1 << 15 };
  JsonNode array = tile_json_field(object, key);
  if (!tile_json_array(reader, &array, count, count, &count))
    return false;
  for (int i = 0; i < count; i++) {
    JsonNode item = tile_json_item(&array, i);
    int value = 0;
    if (!tile_json_small_int(reader, &item, -LIMIT, LIMIT - 1, &value))
      return false;
    out_values[i] = value;
  }
  return true;
}

// Maps of the im2col form have pixels and channels instead of a box.
static bool read_boxes(JsonReader *reader, const JsonNode *node,
                       LaunchParam *param) {
  enum { MIN_RANK = 3, MAX_CHANNELS = 256, MAX_PIXELS = 1024 };
  JsonNode pixels = tile_json_field(node, "pixels_per_column");
  JsonNode channels = tile_json_field(node, "channels_per_pixel");
  JsonNode dims = tile_json_field(node, "dims");
  int num_pixels = 0, num_channels = 0;
  param->is_im2col = pixels.json != NULL;
  if (!param->is_im2col)
    return read_u32s(reader, node, "box", param->rank, false, param->box);
  if (param->rank < MIN_RANK)
    return tile_json_fail(reader, &dims, "3 to 5 dimensions of an image");
  if (!tile_json_small_int(reader, &pixels, 1, MAX_PIXELS, &num_pixels) ||
      !tile_json_small_int(reader, &channels, 1, MAX_CHANNELS, &num_channels))
    return false;
  param->pixels_per_column = (uint32_t)num_pixels;
  param->channels_per_pixel = (uint32_t)num_channels;
  return read_corner(reader, node, "pixel_box_lower", param->rank - 2,
                     param->lower_corner) &&
         read_corner(reader, node, "pixel_box_upper", param->rank - 2,
                     param->upper_corner);
}

static bool read_tensor_map(JsonReader *reader, const JsonNode *node,
                            LaunchParam *param) {
  JsonNode dtype = tile_json_field(node, "dtype");
  JsonNode dims = tile_json_field(node, "dims");
  JsonNode strides = tile_json_field(node, "strides_bytes");
  JsonNode swizzle = tile_json_field(node, "swizzle_bytes");
  if (!read_memref_use(reader, node, param) ||
      !tile_json_number_dtype(reader, &dtype, &param->dtype) ||
      !tile_json_array(reader, &dims, 1, TILE_TENSOR_MAP_MAX_RANK,
                       &param->rank) ||
      !read_value_uses(reader, &dims, param->rank, param->dims) ||
      !read_value_uses(reader, &strides, param->rank - 1,
                       param->strides_bytes + 1) ||
      !read_boxes(reader, node, param) ||
      !read_u32s(reader, node, "elem_strides", param->rank, true,
                 param->elem_strides) ||
      !tile_json_small_int(reader, &swizzle, 0, 128, &param->swizzle_bytes))
    return false;
  int bytes = param->swizzle_bytes;
  if (bytes != 0 && bytes != 32 && bytes != 64 && bytes != 128)
    return tile_json_fail(reader, &swizzle, "0, 32, 64 or 128");
  return read_oob(reader, node, &param->oob_nan);
}

static bool read_scalar(JsonReader *reader, const JsonNode *node,
                        LaunchParam *param) {
  const TileHostFunction *function = reader->function;
  JsonNode type = tile_json_field(node, "type");
  JsonNode value = tile_json_field(node, "value");
  if (!tile_json_number_dtype(reader, &type, &param->dtype) ||
      !tile_json_small_int(reader, &value, 0, function->num_values - 1,
                           &param->value))
    return false;
  if (function->values[param->value].type.is_float &&
      !tile_dtype_is_float(param->dtype))
    return tile_json_fail(reader, &value, "the index of an integer value");
  return true;
}

static bool read_param(JsonReader *reader, const JsonNode *node,
                       LaunchParam *param) {
  JsonNode kind = tile_json_field(node, "kind");
  const char *name = NULL;
  if (!tile_json_string(reader, &kind, &name))
    return false;
  if (strcmp(name, "tensor_map") == 0) {
    param->kind = PARAM_TENSOR_MAP;
    return read_tensor_map(reader, node, param);
  }
  if (strcmp(name, "pointer") == 0) {
    param->kind = PARAM_POINTER;
    return read_memref_use(reader, node, param);
  }
  param->kind = PARAM_SCALAR;
  if (strcmp(name, "scalar") != 0)
    return tile_json_fail(reader, &kind,
                          "\"tensor_map\", \"pointer\" or \"scalar\"");
  return read_scalar(reader, node, param);
}

//===-- Launches ----------------------------------------------------------===//

static bool read_params(JsonReader *reader, const JsonNode *object,
                        Variant *variant) {
  JsonNode array = tile_json_field(object, "params");
  int count = 0;
  if (!tile_json_array(reader, &array, 0, TILE_PTX_MAX_PARAMS, &count))
    return false;
  variant->params =
      tile_json_allocate(reader, &array, count, sizeof *variant->params);
  if (!variant->params)
    return false;
  variant->num_params = count;
  for (int i = 0; i < count; i++) {
    JsonNode item = tile_json_item(&array, i);
    if (!read_param(reader, &item, &variant->params[i]))
      return false;
  }
  return true;
}

// A field that may be left out, and is false then.
static bool read_flag(JsonReader *reader, const JsonNode *object,
                      const char *key, bool *out_value) {
  JsonNode node = tile_json_field(object, key);
  *out_value = false;
  return !node.json || tile_json_bool(reader, &node, out_value);
}

static bool read_variant(JsonReader *reader, const JsonNode *node,
                         Variant *variant) {
  JsonNode kernel = tile_json_field(node, "kernel");
  JsonNode grid = tile_json_field(node, "grid");
  JsonNode block = tile_json_field(node, "block");
  JsonNode smem = tile_json_field(node, "dynamic_smem_bytes");
  int64_t smem_bytes = 0;
  if (!tile_json_string(reader, &kernel, &variant->kernel) ||
      !read_requirements(reader, node, &variant->requirements) ||
      !read_value_uses(reader, &grid, 3, variant->grid) ||
      !read_value_uses(reader, &block, 3, variant->block) ||
      !read_u32s(reader, node, "cluster", 3, true, variant->cluster) ||
      !read_flag(reader, node, "cooperative", &variant->is_cooperative) ||
      !read_flag(reader, node, "dependent", &variant->is_dependent) ||
      !tile_json_int(reader, &smem, 0, INT32_MAX, &smem_bytes))
    return false;
  variant->dynamic_smem_bytes = (uint32_t)smem_bytes;
  return read_params(reader, node, variant);
}

static bool read_launch(JsonReader *reader, const JsonNode *node,
                        Launch *launch) {
  JsonNode array = tile_json_field(node, "variants");
  int count = 0;
  if (!tile_json_array(reader, &array, 1, MAX_VARIANTS, &count))
    return false;
  launch->variants =
      tile_json_allocate(reader, &array, count, sizeof *launch->variants);
  if (!launch->variants)
    return false;
  launch->num_variants = count;
  for (int i = 0; i < count; i++) {
    JsonNode item = tile_json_item(&array, i);
    if (!read_variant(reader, &item, &launch->variants[i]))
      return false;
  }
  return true;
}

static bool read_launches(JsonReader *reader, const JsonNode *array) {
  TileHostFunction *function = reader->function;
  int count = 0;
  if (!tile_json_array(reader, array, 0, MAX_LAUNCHES, &count))
    return false;
  function->launches =
      tile_json_allocate(reader, array, count, sizeof *function->launches);
  if (!function->launches)
    return false;
  function->num_launches = count;
  for (int i = 0; i < count; i++) {
    JsonNode item = tile_json_item(array, i);
    if (!read_launch(reader, &item, &function->launches[i]))
      return false;
  }
  return true;
}

//===-- Entry -------------------------------------------------------------===//

static bool read_head(JsonReader *reader, const JsonNode *root) {
  TileHostFunction *function = reader->function;
  JsonNode format = tile_json_field(root, "format");
  JsonNode name = tile_json_field(root, "function");
  JsonNode ptx = tile_json_field(root, "ptx");
  JsonNode workspace = tile_json_field(root, "workspace");
  const char *format_text = NULL, *ptx_name = NULL;
  if (!tile_json_string(reader, &format, &format_text))
    return false;
  bool is_known = strcmp(format_text, format_names[0]) == 0 ||
                  strcmp(format_text, format_names[1]) == 0;
  if (!is_known)
    return tile_json_fail(reader, &format, "\"%s\" or \"%s\"", format_names[0],
                          format_names[1]);
  if (!tile_json_string(reader, &name, &function->name) ||
      !tile_json_string(reader, &ptx, &ptx_name) ||
      !read_flag(reader, root, "may_alias", &function->may_alias))
    return false;
  if (workspace.json && cJSON_GetArraySize(workspace.json) > 0)
    return tile_json_fail(reader, &workspace, "an empty list");
  function->ptx_path = path_beside(reader->path, ptx_name);
  if (!function->ptx_path)
    return tile_json_fail(reader, &ptx, "a name that fits in memory");
  return true;
}

static bool read_function(JsonReader *reader) {
  JsonNode root = {.json = reader->function->root};
  JsonNode args = tile_json_field(&root, "args");
  JsonNode values = tile_json_field(&root, "values");
  JsonNode launches = tile_json_field(&root, "launches");
  return read_head(reader, &root) && read_args(reader, &args) &&
         tile_host_globals_read(reader, &root) &&
         tile_host_values_read(reader, &values) &&
         read_requirements(reader, &root, &reader->function->requirements) &&
         read_launches(reader, &launches) &&
         tile_host_program_read(reader, &root);
}

/// Counts lines up to `position`, for a message.
static int line_of(const char *text, const char *position) {
  int line = 1;
  for (; text < position; text++)
    line += *text == '\n';
  return line;
}

TileStatus tile_host_function_parse(const char *json, size_t size_bytes,
                                    const char *path,
                                    TileHostFunction **out_function) {
  *out_function = NULL;
  TileHostFunction *function = calloc(1, sizeof *function);
  if (!function)
    return tile_status_error(TILE_STATUS_USER_ERROR, "out of memory");
  const char *end = json;
  function->root = cJSON_ParseWithLengthOpts(json, size_bytes, &end, 0);
  if (!function->root) {
    free(function);
    return tile_status_error(TILE_STATUS_USER_ERROR,
                             "%s: line %d: not valid JSON", path,
                             line_of(json, end));
  }
  JsonReader reader = {
      .path = path, .function = function, .status = tile_status_ok()};
  if (!read_function(&reader)) {
    tile_host_function_destroy(function);
    return reader.status;
  }
  *out_function = function;
  return tile_status_ok();
}

TileStatus tile_host_function_read(const char *path,
                                   TileHostFunction **out_function) {
  char *text = NULL;
  size_t size_bytes = 0;
  *out_function = NULL;
  TileStatus status = tile_file_read(path, &text, &size_bytes);
  if (!tile_status_is_ok(&status))
    return status;
  status = tile_host_function_parse(text, size_bytes, path, out_function);
  free(text);
  return status;
}
