//===- Device.c - What the GPU and the emulator have in common ------------===//

#include "LauncherInternal.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

//===-- Kernels of a PTX file and their parameters ------------------------===//

// Understands just enough: comments, `.entry NAME ( .param … )`. So that a
// launch with wrong parameters is an error on every device, not a wild read.

typedef struct {
  const char *at;
  char token[256]; // the last one read; "" at the end
} Scanner;

static bool is_word(char c) {
  return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '.' ||
         c == '%';
}

static void skip_blanks_and_comments(Scanner *scanner) {
  for (;;) {
    while (isspace((unsigned char)*scanner->at))
      scanner->at++;
    if (strncmp(scanner->at, "//", 2) == 0) {
      scanner->at += strcspn(scanner->at, "\n");
    } else if (strncmp(scanner->at, "/*", 2) == 0) {
      const char *end = strstr(scanner->at + 2, "*/");
      scanner->at = end ? end + 2 : scanner->at + strlen(scanner->at);
    } else {
      return;
    }
  }
}

/// Reads a word or a single other character. Words that do not fit are cut:
/// none of the words looked for is that long.
static void next_token(Scanner *scanner) {
  skip_blanks_and_comments(scanner);
  const char *start = scanner->at;
  while (is_word(*scanner->at))
    scanner->at++;
  if (scanner->at == start && *start)
    scanner->at++;
  size_t length = (size_t)(scanner->at - start);
  if (length >= sizeof scanner->token)
    length = sizeof scanner->token - 1;
  memcpy(scanner->token, start, length);
  scanner->token[length] = 0;
}

static bool is_token(const Scanner *scanner, const char *text) {
  return strcmp(scanner->token, text) == 0;
}

// The bytes of a parameter of a type such as ".f32"; 0 where it is no float.
static size_t ptx_float_bytes(const char *type) {
  for (int i = 0; i < TILE_NUM_DTYPES && type[0] == '.'; i++) {
    const TileDtypeInfo *info = tile_dtype_info((TileDtype)i);
    if (tile_dtype_info_is_float(info) && strcmp(type + 1, info->ptx) == 0)
      return (size_t)info->size_bytes;
  }
  return 0;
}

/// The bytes of a PTX type such as .u64; 0 when the token is no type.
static size_t type_size_bytes(const char *token) {
  size_t float_bytes = ptx_float_bytes(token);
  if (float_bytes > 0)
    return float_bytes;
  if (token[0] != '.' || token[1] == 0 || !strchr("bus", token[1]))
    return 0;
  char *end = NULL;
  long num_bits = strtol(token + 2, &end, 10);
  bool is_size = num_bits == 8 || num_bits == 16 || num_bits == 32 ||
                 num_bits == 64 || num_bits == 128;
  return is_size && *end == 0 ? (size_t)num_bits / 8 : 0;
}

/// Reads one parameter up to the comma or parenthesis after it. The scanner
/// stands at `.param`.
static size_t scan_param(Scanner *scanner, char out_type[8]) {
  size_t size_bytes = 0;
  out_type[0] = 0;
  while (!is_token(scanner, ",") && !is_token(scanner, ")") &&
         *scanner->token) {
    size_t type_bytes = type_size_bytes(scanner->token);
    if (type_bytes > 0) {
      size_bytes = type_bytes;
      memcpy(out_type, scanner->token, strlen(scanner->token) + 1);
    }
    bool is_array = is_token(scanner, "[");
    next_token(scanner);
    if (is_array) {
      size_bytes *= (size_t)strtoul(scanner->token, NULL, 10);
      out_type[0] = 0;
    }
  }
  return size_bytes;
}

/// Reads an entry from the end of `.entry`.
static TileStatus scan_entry(Scanner *scanner, TilePtxEntry *out_entry) {
  next_token(scanner);
  out_entry->name = strdup(scanner->token);
  out_entry->num_params = 0;
  if (!out_entry->name)
    return tile_status_error(TILE_STATUS_USER_ERROR, "out of memory");
  next_token(scanner);
  if (!is_token(scanner, "(")) // PTX allows an entry without a list
    return tile_status_ok();
  while (!is_token(scanner, ")") && *scanner->token) {
    next_token(scanner);
    if (!is_token(scanner, ".param"))
      continue;
    if (out_entry->num_params == TILE_PTX_MAX_PARAMS)
      return tile_status_error(TILE_STATUS_USER_ERROR,
                               "kernel '%s': expected at most %d parameters",
                               out_entry->name, TILE_PTX_MAX_PARAMS);
    size_t index = out_entry->num_params++;
    out_entry->param_sizes_bytes[index] =
        scan_param(scanner, out_entry->param_types[index]);
  }
  if (!*scanner->token)
    return tile_status_error(TILE_STATUS_USER_ERROR,
                             "the parameter list of kernel '%s' is cut off",
                             out_entry->name);
  return tile_status_ok();
}

/// Makes room for one more entry.
static TilePtxEntry *append(TilePtxEntry **entries, size_t *count) {
  TilePtxEntry *grown = realloc(*entries, (*count + 1) * sizeof *grown);
  if (!grown)
    return NULL;
  *entries = grown;
  grown[*count] = (TilePtxEntry){0};
  return &grown[(*count)++];
}

// Finds the kernels of PTX text, sizes and types of their parameters, without
// understanding their bodies. Owner: the caller, tile_ptx_entries_destroy.
// Errors: a parameter list that is cut off or too long.
TileStatus tile_ptx_entries_find(const char *ptx, TilePtxEntry **out_entries,
                                 size_t *out_count) {
  *out_entries = NULL;
  *out_count = 0;
  TileStatus status = tile_status_ok();
  Scanner scanner = {.at = ptx};
  next_token(&scanner);
  while (*scanner.token && tile_status_is_ok(&status)) {
    if (is_token(&scanner, ".entry")) {
      TilePtxEntry *entry = append(out_entries, out_count);
      status = entry
                   ? scan_entry(&scanner, entry)
                   : tile_status_error(TILE_STATUS_USER_ERROR, "out of memory");
    } else {
      next_token(&scanner);
    }
  }
  if (!tile_status_is_ok(&status)) {
    tile_ptx_entries_destroy(*out_entries, *out_count);
    *out_entries = NULL;
    *out_count = 0;
  }
  return status;
}

void tile_ptx_entries_destroy(TilePtxEntry *entries, size_t count) {
  for (size_t i = 0; i < count; i++)
    free(entries[i].name);
  free(entries);
}

//===-- Opening -----------------------------------------------------------===//

void tile_device_options_init(TileDeviceOptions *out_options) {
  *out_options = (TileDeviceOptions){0};
  tile_emu_options_init(&out_options->emulator);
}

TileStatus tile_device_open(const TileDeviceOptions *options,
                            TileDevice **out_device) {
  *out_device = NULL;
  if (options->emulate)
    return tile_emulator_backend_open(options, out_device);
  TileStatus status = tile_driver_backend_open(options, out_device);
  if (tile_status_is_ok(&status) || options->require_gpu)
    return status;
  TileStatus fallback = tile_emulator_backend_open(options, out_device);
  if (tile_status_is_ok(&fallback))
    snprintf((*out_device)->note, sizeof(*out_device)->note, "%.399s",
             status.message);
  return fallback;
}

TileStatus tile_device_enter(TileDevice *device) {
  return device->ops->enter ? device->ops->enter(device) : tile_status_ok();
}

void tile_device_leave(TileDevice *device) {
  if (device->ops->leave)
    device->ops->leave(device);
}

static void destroy_module(TileDeviceModule *module) {
  if (!module)
    return;
  tile_ptx_entries_destroy(module->entries, module->num_entries);
  free(module->globals);
  free(module->path);
  free(module);
}

void tile_device_destroy(TileDevice *device) {
  if (!device)
    return;
  while (device->modules)
    tile_device_unload_module(device, device->modules);
  free(device->blocks);
  device->ops->close(device);
}

const char *tile_device_name(const TileDevice *device) { return device->name; }

const char *tile_device_chip(const TileDevice *device) { return device->chip; }

const char *tile_device_note(const TileDevice *device) { return device->note; }

int tile_device_num_sms(const TileDevice *device) { return device->num_sms; }

bool tile_device_is_emulator(const TileDevice *device) {
  return device->emu != NULL;
}

const char *tile_device_report(const TileDevice *device) {
  return device->emu ? tile_emu_report(device->emu) : "";
}

TileEmu *tile_device_emulator(const TileDevice *device) { return device->emu; }

TileEmuStats tile_device_stats(const TileDevice *device) {
  return device->emu ? tile_emu_stats(device->emu) : (TileEmuStats){0};
}

//===-- Memory ------------------------------------------------------------===//

TileStatus tile_device_alloc(TileDevice *device, size_t size_bytes,
                             const char *name, uint64_t *out_address) {
  TileStatus status = tile_device_enter(device);
  if (!tile_status_is_ok(&status))
    return status;
  // Empty tensors need an address of their own too.
  status = device->ops->alloc(device, size_bytes > 0 ? size_bytes : 1, name,
                              out_address);
  tile_device_leave(device);
  return status;
}

TileStatus tile_device_free(TileDevice *device, uint64_t address) {
  TileStatus status = tile_device_enter(device);
  if (!tile_status_is_ok(&status))
    return status;
  status = device->ops->free(device, address);
  tile_device_leave(device);
  return status;
}

TileStatus tile_device_upload(TileDevice *device, uint64_t address,
                              const void *data, size_t size_bytes) {
  TileStatus status =
      size_bytes > 0 ? tile_device_enter(device) : tile_status_ok();
  if (size_bytes == 0 || !tile_status_is_ok(&status))
    return status;
  status = device->ops->upload(device, address, data, size_bytes);
  tile_device_leave(device);
  return status;
}

TileStatus tile_device_download(TileDevice *device, uint64_t address,
                                void *data, size_t size_bytes) {
  TileStatus status =
      size_bytes > 0 ? tile_device_enter(device) : tile_status_ok();
  if (size_bytes == 0 || !tile_status_is_ok(&status))
    return status;
  status = device->ops->download(device, address, data, size_bytes);
  tile_device_leave(device);
  return status;
}

TileStatus tile_device_synchronize(TileDevice *device, void *stream) {
  if (!device->ops->synchronize)
    return tile_status_ok();
  TileStatus status = tile_device_enter(device);
  if (!tile_status_is_ok(&status))
    return status;
  status = device->ops->synchronize(device, stream);
  tile_device_leave(device);
  return status;
}

static TileStatus encode(TileDevice *device, const TileTensorMap *map,
                         void *out_map) {
  TRY(tile_device_enter(device));
  TileStatus status = device->ops->encode_tensor_map(device, map, out_map);
  tile_device_leave(device);
  return status;
}

TileStatus tile_device_encode_tensor_map(TileDevice *device,
                                         const TileTensorMap *map,
                                         void *out_map) {
  bool is_empty = false;
  for (int i = 0; i < map->rank; i++)
    is_empty |= map->dims[i] == 0;
  if (!is_empty)
    return encode(device, map, out_map);

  // The driver refuses extents of 0. A map of one zeroed element behaves the
  // same: everything else is out of bounds, which reads as zero too.
  TileTensorMap one = *map;
  TileStatus status = tile_status_ok();
  if (!device->empty_address)
    status = tile_device_alloc(device, 16, "empty tensor map",
                               &device->empty_address);
  one.address = device->empty_address;
  for (int i = 0; i < map->rank; i++) {
    one.dims[i] = 1;
    one.strides_bytes[i] = 16;
  }
  if (!tile_status_is_ok(&status))
    return status;
  return encode(device, &one, out_map);
}

//===-- Modules -----------------------------------------------------------===//

static TileStatus find_entries(const char *name, const char *ptx,
                               TileDeviceModule *module) {
  TileStatus status =
      tile_ptx_entries_find(ptx, &module->entries, &module->num_entries);
  if (tile_status_is_ok(&status) && module->num_entries == 0)
    status = tile_status_error(TILE_STATUS_USER_ERROR,
                               "expected PTX text, found no kernel (.entry)");
  if (tile_status_is_ok(&status))
    return status;
  TileStatus located =
      tile_status_error(status.code, "%s: %.900s", name, status.message);
  return located;
}

/// Loads an image that ends with a zero byte. `entries_of`: the PTX that a
/// cubin was made of; NULL: the image itself, or unknown.
static TileStatus load(TileDevice *device, const char *name, const char *image,
                       size_t size_bytes, const char *entries_of,
                       TileDeviceModule *module) {
  module->is_cubin = tile_image_is_cubin(image, size_bytes);
  const char *ptx = entries_of ? entries_of : module->is_cubin ? NULL : image;
  TileStatus status =
      ptx ? find_entries(module->path, ptx, module) : tile_status_ok();
  if (tile_status_is_ok(&status))
    status = tile_device_enter(device);
  if (!tile_status_is_ok(&status))
    return status;
  status = device->ops->load(device, name, image, size_bytes, &module->handle);
  tile_device_leave(device);
  return status;
}

static TileStatus make_module(const char *name, TileDeviceModule **out_module) {
  *out_module = calloc(1, sizeof **out_module);
  if (*out_module)
    (*out_module)->path = strdup(name);
  if (*out_module && (*out_module)->path)
    return tile_status_ok();
  destroy_module(*out_module);
  return tile_status_error(TILE_STATUS_USER_ERROR, "out of memory");
}

/// Keeps a module that is loaded; the device owns it.
static TileStatus keep(TileDevice *device, TileDeviceModule *module,
                       TileStatus status, TileDeviceModule **out_module) {
  *out_module = NULL;
  if (!tile_status_is_ok(&status)) {
    destroy_module(module);
    return status;
  }
  module->next = device->modules;
  device->modules = module;
  *out_module = module;
  return status;
}

TileStatus tile_device_load_image(TileDevice *device, const char *name,
                                  const void *image, size_t size_bytes,
                                  TileDeviceModule **out_module) {
  TileDeviceModule *module = NULL;
  *out_module = NULL;
  TileStatus status = make_module(name, &module);
  if (!tile_status_is_ok(&status))
    return status;
  char *copy = malloc(size_bytes + 1);
  if (copy) {
    memcpy(copy, image, size_bytes);
    copy[size_bytes] = 0;
    status = load(device, name, copy, size_bytes, NULL, module);
  } else {
    status = tile_status_error(TILE_STATUS_USER_ERROR, "out of memory");
  }
  free(copy);
  return keep(device, module, status, out_module);
}

TileStatus tile_device_load_module(TileDevice *device, const char *ptx_path,
                                   TileDeviceModule **out_module) {
  enum { PATH_BYTES = 4096 };
  for (*out_module = device->modules; *out_module;
       *out_module = (*out_module)->next) {
    if (strcmp((*out_module)->path, ptx_path) == 0)
      return tile_status_ok();
  }
  char *ptx = NULL, cubin_path[PATH_BYTES];
  size_t ptx_bytes = 0, cubin_bytes = 0;
  TileDeviceModule *module = NULL;
  TileStatus status = tile_file_read(ptx_path, &ptx, &ptx_bytes);
  if (tile_status_is_ok(&status))
    status = make_module(ptx_path, &module);
  if (!tile_status_is_ok(&status)) {
    free(ptx);
    return status;
  }
  char *cubin =
      tile_cubin_read_beside(ptx_path, ptx, device->capability, cubin_path,
                             sizeof cubin_path, &cubin_bytes);
  status = cubin ? load(device, cubin_path, cubin, cubin_bytes, ptx, module)
                 : load(device, ptx_path, ptx, ptx_bytes, NULL, module);
  free(cubin);
  free(ptx);
  return keep(device, module, status, out_module);
}

void tile_device_unload_module(TileDevice *device, TileDeviceModule *module) {
  TileDeviceModule **link = &device->modules;
  while (*link && *link != module)
    link = &(*link)->next;
  if (!*link)
    return;
  *link = module->next;
  for (int i = 0; i < module->num_globals; i++)
    tile_device_free(device, module->globals[i]);
  TileStatus status = tile_device_enter(device);
  if (tile_status_is_ok(&status)) {
    device->ops->unload(device, module->handle);
    tile_device_leave(device);
  }
  destroy_module(module);
}

const char *tile_device_module_kernel(const TileDeviceModule *module,
                                      size_t index) {
  return index < module->num_entries ? module->entries[index].name : NULL;
}

//===-- Launches ----------------------------------------------------------===//

static const TilePtxEntry *find_entry(const TileDeviceModule *module,
                                      const char *kernel) {
  for (size_t i = 0; i < module->num_entries; i++) {
    if (strcmp(module->entries[i].name, kernel) == 0)
      return &module->entries[i];
  }
  return NULL;
}

static TileStatus missing_kernel(const TileDeviceModule *module,
                                 const char *kernel) {
  char names[400] = "";
  for (size_t i = 0; i < module->num_entries; i++) {
    size_t length = strlen(names);
    snprintf(names + length, sizeof names - length, "%s'%s'", i > 0 ? ", " : "",
             module->entries[i].name);
  }
  return tile_status_error(TILE_STATUS_USER_ERROR,
                           "%s: expected a kernel named '%s', got %s",
                           module->path, kernel, names);
}

/// Does a parameter declared as `type` take `given`, which has its size? `.b32`
/// takes all numbers of its width, `.u32` and `.s32` integers, `.f32` a float;
/// pointers are integers of 64 bits.
static bool is_type_taken(const char *type, const TileParamType *given) {
  bool is_float = given->is_number && tile_dtype_is_float(given->dtype);
  if (ptx_float_bytes(type) > 0)
    return is_float &&
           strcmp(type + 1, tile_dtype_info(given->dtype)->ptx) == 0;
  return type[0] == 0 || type[1] == 'b' || !is_float;
}

static TileStatus check_type(const TilePtxEntry *entry, size_t index,
                             const TileParamType *given) {
  const char *type = entry->param_types[index];
  if (is_type_taken(type, given))
    return tile_status_ok();
  bool takes_float = ptx_float_bytes(type) > 0;
  return tile_status_error(
      TILE_STATUS_USER_ERROR,
      "kernel '%s': expected parameter %zu, a %s, as %s%s%s, got %s%s",
      entry->name, index, type,
      takes_float ? "a float, " : "an integer or a pointer",
      takes_float ? type + 1 : "", takes_float ? ":NUMBER" : "",
      given->is_number ? "a number of type " : "a pointer",
      given->is_number ? tile_dtype_name(given->dtype) : "");
}

static TileStatus check_params(const TilePtxEntry *entry,
                               const TileKernelLaunch *launch) {
  if (entry->num_params != launch->num_params)
    return tile_status_error(
        TILE_STATUS_USER_ERROR, "kernel '%s': expected %zu parameters, got %zu",
        entry->name, entry->num_params, launch->num_params);
  for (size_t i = 0; i < entry->num_params; i++) {
    if (entry->param_sizes_bytes[i] != launch->param_sizes_bytes[i])
      return tile_status_error(
          TILE_STATUS_USER_ERROR,
          "kernel '%s': expected parameter %zu of %zu bytes, got %zu",
          entry->name, i, entry->param_sizes_bytes[i],
          launch->param_sizes_bytes[i]);
    if (!launch->param_types)
      continue;
    TileStatus status = check_type(entry, i, &launch->param_types[i]);
    if (!tile_status_is_ok(&status))
      return status;
  }
  return tile_status_ok();
}

/// The limits that every GPU has had since sm_30; others are the device's.
/// Source: CUDA C++ Programming Guide 12, Compute Capabilities.
static TileStatus check_config(const TileKernelLaunch *launch) {
  static const uint32_t max_grid[3] = {INT32_MAX, 65535, 65535};
  static const uint32_t max_block[3] = {1024, 1024, 64};
  enum { MAX_THREADS = 1024 };
  uint64_t num_threads = 1;
  for (int i = 0; i < 3; i++) {
    if (launch->grid[i] == 0 || launch->grid[i] > max_grid[i])
      return tile_status_error(
          TILE_STATUS_USER_ERROR,
          "kernel '%s': expected grid %c from 1 to %u, got %u", launch->kernel,
          'x' + i, max_grid[i], launch->grid[i]);
    if (launch->block[i] == 0 || launch->block[i] > max_block[i])
      return tile_status_error(
          TILE_STATUS_USER_ERROR,
          "kernel '%s': expected block %c from 1 to %u, got %u", launch->kernel,
          'x' + i, max_block[i], launch->block[i]);
    if (launch->cluster[i] == 0 || launch->grid[i] % launch->cluster[i] != 0)
      return tile_status_error(TILE_STATUS_USER_ERROR,
                               "kernel '%s': expected cluster %c to divide the "
                               "grid of %u, got %u",
                               launch->kernel, 'x' + i, launch->grid[i],
                               launch->cluster[i]);
    num_threads *= launch->block[i];
  }
  if (num_threads > MAX_THREADS)
    return tile_status_error(
        TILE_STATUS_USER_ERROR,
        "kernel '%s': expected at most %d threads in a block, got %llu",
        launch->kernel, MAX_THREADS, (unsigned long long)num_threads);
  return tile_status_ok();
}

TileStatus tile_device_launch(TileDevice *device, TileDeviceModule *module,
                              const TileKernelLaunch *launch) {
  const TilePtxEntry *entry = find_entry(module, launch->kernel);
  bool is_known = module->num_entries > 0; // else the driver looks
  if (!entry && is_known)
    return missing_kernel(module, launch->kernel);
  if (entry)
    TRY(check_params(entry, launch));
  TRY(check_config(launch));
  TRY(tile_device_enter(device));
  TileStatus status = device->ops->launch(device, module->handle, launch);
  tile_device_leave(device);
  return status;
}
