//===- HostGlobals.c - Data that a host function brings along -------------===//
//
// Consumes: `globals` of the launch metadata, values in base 64 (RFC 4648).
// Produces: memory of the device, which lives as long as the module.
// Fails:    text that is no base 64, or of another length than the type says.
//
//===----------------------------------------------------------------------===//

#include "Launcher/Host/HostFunction.h"
#include "Launcher/LauncherInternal.h"

#include <stdlib.h>
#include <string.h>

//===-- Text --------------------------------------------------------------===//

static int digit_of(char c) {
  if (c >= 'A' && c <= 'Z')
    return c - 'A';
  if (c >= 'a' && c <= 'z')
    return c - 'a' + 26;
  if (c >= '0' && c <= '9')
    return c - '0' + 52;
  return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/// Decodes at most `capacity` bytes. False when the text is no base 64, or has
/// more.
static bool decode(const char *text, unsigned char *out, size_t capacity,
                   size_t *out_count) {
  size_t length = strlen(text), count = 0;
  if (length % 4)
    return false;
  for (size_t i = 0; i < length; i += 4) {
    bool is_last = i + 4 == length;
    int padding = is_last ? (text[i + 2] == '=') + (text[i + 3] == '=') : 0;
    if (padding == 2 ? text[i + 3] != '=' : padding == 1 && text[i + 3] != '=')
      return false;
    unsigned word = 0;
    for (int k = 0; k < 4; k++) {
      int digit = k >= 4 - padding ? 0 : digit_of(text[i + (size_t)k]);
      if (digit < 0)
        return false;
      word = word << 6 | (unsigned)digit;
    }
    for (int k = 0; k < 3 - padding; k++) {
      if (count == capacity)
        return false;
      out[count++] = (unsigned char)(word >> (16 - 8 * k));
    }
  }
  *out_count = count;
  return true;
}

//===-- Values ------------------------------------------------------------===//

static size_t size_of(const HostGlobal *global) {
  return global->num_elems * tile_dtype_size_bytes(global->dtype);
}

/// One element stands for all.
static void repeat(const HostGlobal *global, unsigned char *bytes) {
  size_t elem_bytes = tile_dtype_size_bytes(global->dtype);
  for (size_t i = 1; i < global->num_elems; i++)
    memcpy(bytes + i * elem_bytes, bytes, elem_bytes);
}

static TileStatus upload(const TileHostFunction *function, TileDevice *device,
                         const HostGlobal *global, uint64_t address) {
  size_t size_bytes = size_of(global), count = 0;
  size_t elem_bytes = tile_dtype_size_bytes(global->dtype);
  unsigned char *bytes = malloc(size_bytes + elem_bytes);
  if (!bytes)
    return tile_status_error(TILE_STATUS_USER_ERROR,
                             "%s: not enough memory for global '%.100s', %zu "
                             "bytes",
                             function->name, global->name, size_bytes);
  bool is_read = decode(global->data, bytes, size_bytes + elem_bytes, &count);
  if (is_read && count == elem_bytes)
    repeat(global, bytes);
  TileStatus status =
      is_read && (count == size_bytes || count == elem_bytes)
          ? tile_device_upload(device, address, bytes, size_bytes)
          : tile_status_error(TILE_STATUS_USER_ERROR,
                              "%s: global '%.100s': expected %zu bytes or one "
                              "element of %zu in base 64, got %s",
                              function->name, global->name, size_bytes,
                              elem_bytes,
                              is_read ? "another number" : "other text");
  free(bytes);
  return status;
}

static TileStatus make(const TileHostFunction *function, TileDevice *device,
                       const HostGlobal *global, uint64_t *out_address) {
  char name[160];
  snprintf(name, sizeof name, "global '%.100s'", global->name);
  TileStatus status =
      tile_device_alloc(device, size_of(global), name, out_address);
  if (!tile_status_is_ok(&status))
    return status;
  if (*out_address % (uint64_t)global->align_bytes)
    return tile_status_error(TILE_STATUS_USER_ERROR,
                             "%s: %s: expected an alignment that the device "
                             "gives, got %lld bytes",
                             function->name, name,
                             (long long)global->align_bytes);
  return global->data ? upload(function, device, global, *out_address)
                      : tile_status_ok();
}

//===-- Entry -------------------------------------------------------------===//

TileStatus tile_host_globals_load(const TileHostFunction *function,
                                  TileDevice *device, TileDeviceModule *module,
                                  const uint64_t **out_addresses) {
  TileStatus status = tile_status_ok();
  if (!module->globals) {
    module->globals =
        calloc((size_t)function->num_globals + 1, sizeof *module->globals);
    if (!module->globals)
      return tile_status_error(TILE_STATUS_USER_ERROR, "out of memory");
  }
  // What could not be made is tried again by the next call.
  while (module->num_globals < function->num_globals &&
         tile_status_is_ok(&status)) {
    int number = module->num_globals;
    uint64_t address = 0;
    status = make(function, device, &function->globals[number], &address);
    if (tile_status_is_ok(&status))
      module->globals[module->num_globals++] = address;
    else if (address)
      tile_device_free(device, address);
  }
  *out_addresses = module->globals;
  return status;
}
