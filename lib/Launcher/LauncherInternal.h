//===- LauncherInternal.h - Shared by the files of the launcher -----------===//
#ifndef TILE_LIB_LAUNCHER_INTERNAL_H
#define TILE_LIB_LAUNCHER_INTERNAL_H

#include "Support/DtypeTable.h"
#include "Tile/Launcher.h"

//===-- Files -------------------------------------------------------------===//

/// Reads a whole file and appends a zero byte, not counted in the size.
/// Owner: the caller, free. Errors: "cannot read PATH: reason".
TileStatus tile_file_read(const char *path, char **out_text,
                          size_t *out_size_bytes);

/// Returns `name` relative to the folder of `path`. Owner: the caller, free.
char *tile_path_beside(const char *path, const char *name);

//===-- Kernels of a PTX file ---------------------------------------------===//

enum { TILE_PTX_MAX_PARAMS = 256 };

typedef struct {
  char *name;
  size_t num_params;
  size_t param_sizes_bytes[TILE_PTX_MAX_PARAMS];
  char param_types[TILE_PTX_MAX_PARAMS][8]; // ".f32"; "" for arrays
} TilePtxEntry;

/// Finds the kernels of PTX text, sizes and types of their parameters, without
/// understanding their bodies. Owner: the caller, tile_ptx_entries_destroy.
/// Errors: a parameter list that is cut off or too long.
TileStatus tile_ptx_entries_find(const char *ptx, TilePtxEntry **out_entries,
                                 size_t *out_count);
/// The bytes of a parameter of a type such as ".f32"; 0 where it is no float.
size_t tile_ptx_float_bytes(const char *type);
void tile_ptx_entries_destroy(TilePtxEntry *entries, size_t count);

//===-- Back ends ---------------------------------------------------------===//

/// What a back end implements. Each function may trust its arguments: Device.c
/// has checked names, counts and sizes.
typedef struct {
  void (*close)(TileDevice *device); // frees the device too
  TileStatus (*alloc)(TileDevice *device, size_t size_bytes, const char *name,
                      uint64_t *out_address);
  TileStatus (*upload)(TileDevice *device, uint64_t address, const void *data,
                       size_t size_bytes);
  TileStatus (*download)(TileDevice *device, uint64_t address, void *data,
                         size_t size_bytes);
  TileStatus (*load)(TileDevice *device, const char *ptx_path, const char *ptx,
                     size_t size_bytes, void **out_handle);
  void (*unload)(TileDevice *device, void *handle);
  TileStatus (*encode_tensor_map)(TileDevice *device, const TileTensorMap *map,
                                  void *out_map);
  TileStatus (*launch)(TileDevice *device, void *handle,
                       const TileKernelLaunch *launch);
} TileDeviceOps;

struct TileDeviceModule {
  TileDeviceModule *next;
  char *path;
  void *handle; // of the back end
  TilePtxEntry *entries;
  size_t num_entries;
};

/// The first member of the device struct of each back end.
struct TileDevice {
  const TileDeviceOps *ops;
  char name[128];
  char note[400]; // emulator: why there is no GPU; "" when not asked for
  int num_sms;
  TileEmu *emu;              // NULL on a GPU
  TileDeviceModule *modules; // loaded so far, newest first
};

TileStatus tile_emulator_backend_open(const TileDeviceOptions *options,
                                      TileDevice **out_device);

/// Opens the first GPU. Errors: no driver library, no device; both say so in a
/// way that explains why the emulator runs instead.
TileStatus tile_driver_backend_open(const TileDeviceOptions *options,
                                    TileDevice **out_device);

#endif // TILE_LIB_LAUNCHER_INTERNAL_H
