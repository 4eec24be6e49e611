//===- LauncherInternal.h - Shared by the files of the launcher -----------===//
#ifndef TILE_LIB_LAUNCHER_INTERNAL_H
#define TILE_LIB_LAUNCHER_INTERNAL_H

#include "Launcher.h"
#include "Support/DtypeTable.h"

/// Returns the failure of `call` from the function around it. A status that is
/// well is not copied: it has a kilobyte, and a launch makes a hundred of them.
#define TRY(call)                                                              \
  do {                                                                         \
    TileStatus tried = (call);                                                 \
    if (!tile_status_is_ok(&tried))                                            \
      return tried;                                                            \
  } while (0)

//===-- Files -------------------------------------------------------------===//

/// Reads a whole file and appends a zero byte, not counted in the size.
/// Owner: the caller, free. Errors: "cannot read PATH: reason".
TileStatus tile_file_read(const char *path, char **out_text,
                          size_t *out_size_bytes);

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
void tile_ptx_entries_destroy(TilePtxEntry *entries, size_t count);

//===-- Arguments ---------------------------------------------------------===//

/// Bytes from the first to after the last element.
static inline uint64_t tile_launch_arg_size_bytes(const TileArg *arg) {
  uint64_t last = 0;
  for (int i = 0; i < arg->rank; i++) {
    if (arg->shape[i] == 0)
      return 0;
    last += (uint64_t)(arg->shape[i] - 1) * (uint64_t)arg->strides[i];
  }
  return tile_dtype_run_bytes(arg->dtype, last + 1);
}

//===-- Back ends ---------------------------------------------------------===//

/// Rows of bytes to move on the device. A pitch is at least a row.
typedef struct {
  uint64_t to, from;
  size_t to_pitch_bytes, from_pitch_bytes, row_bytes, num_rows;
  void *stream;
} DeviceRows;

/// Rows of elements to be set to one number.
typedef struct {
  uint64_t to;
  unsigned char pattern[8]; // an element of 1, 2, 4 or 8 bytes
  size_t elem_bytes, pitch_bytes, row_elems, num_rows;
  void *stream;
} DevicePattern;

/// What a back end implements. Each function may trust its arguments: Device.c
/// has checked names, counts and sizes.
typedef struct {
  void (*close)(TileDevice *device); // frees the device too
  /// Makes the device current in this thread, and what was before again; NULL
  /// where nothing is to do.
  TileStatus (*enter)(TileDevice *device);
  void (*leave)(TileDevice *device);
  TileStatus (*alloc)(TileDevice *device, size_t size_bytes, const char *name,
                      uint64_t *out_address);
  TileStatus (*free)(TileDevice *device, uint64_t address);
  TileStatus (*upload)(TileDevice *device, uint64_t address, const void *data,
                       size_t size_bytes);
  TileStatus (*download)(TileDevice *device, uint64_t address, void *data,
                         size_t size_bytes);
  /// `image` ends with a zero byte, which is not counted.
  TileStatus (*load)(TileDevice *device, const char *name, const char *image,
                     size_t size_bytes, void **out_handle);
  void (*unload)(TileDevice *device, void *handle);
  TileStatus (*encode_tensor_map)(TileDevice *device, const TileTensorMap *map,
                                  void *out_map);
  TileStatus (*launch)(TileDevice *device, void *handle,
                       const TileKernelLaunch *launch);
  TileStatus (*synchronize)(TileDevice *device, void *stream); // NULL: no need
  TileStatus (*copy_rows)(TileDevice *device, const DeviceRows *rows);
  TileStatus (*fill_rows)(TileDevice *device, const DevicePattern *pattern);
  /// Memory for the kernels of a stream from now on until it is given back,
  /// which waits for nothing; NULL where workspaces are memory of their own.
  TileStatus (*take_workspace)(TileDevice *device, size_t size_bytes,
                               void *stream, uint64_t *out_address);
  TileStatus (*give_workspace)(TileDevice *device, uint64_t address,
                               void *stream);
} TileDeviceOps;

struct TileDeviceModule {
  TileDeviceModule *next;
  char *path;
  void *handle;          // of the back end
  TilePtxEntry *entries; // none of a cubin
  size_t num_entries;
  bool is_cubin;
  uint64_t *globals; // addresses, of the host function; NULL: not made yet
  int num_globals;
};

/// Memory that tile_memory_alloc has given.
typedef struct {
  uint64_t address, size_bytes;
} TileDeviceBlock;

/// The first member of the device struct of each back end.
struct TileDevice {
  const TileDeviceOps *ops;
  char name[128];
  char note[400]; // emulator: why there is no GPU; "" when not asked for
  char chip[16];  // "sm_90a"
  int num_sms;
  int ordinal;    // of a GPU
  int capability; // of a GPU, 10 * major + minor, 90 on Hopper; 0: emulator
  TileEmu *emu;   // NULL on a GPU
  bool prints_output;
  uint64_t empty_address;    // for tensor maps of no memory; 0: none yet
  TileDeviceModule *modules; // loaded so far, newest first
  TileDeviceBlock *blocks;   // owned
  size_t num_blocks;
  TileDiagnosticFn on_diagnostic; // of Tile/Run.h; NULL: nobody
  void *user_data;
};

/// Makes the device current in this thread until tile_device_leave.
TileStatus tile_device_enter(TileDevice *device);
void tile_device_leave(TileDevice *device);

/// Whether an image is an ELF file: a cubin.
bool tile_image_is_cubin(const void *image, size_t size_bytes);

/// The cubin beside a PTX file when a GPU of `capability` can run it and it is
/// not older, and its path in `out_path`; NULL when the PTX is to be used.
/// Owner: the caller, free.
char *tile_cubin_read_beside(const char *ptx_path, const char *ptx,
                             int capability, char *out_path, size_t path_bytes,
                             size_t *out_size_bytes);

TileStatus tile_emulator_backend_open(const TileDeviceOptions *options,
                                      TileDevice **out_device);

/// Opens the first GPU. Errors: no driver library, no device; both say so in a
/// way that explains why the emulator runs instead.
TileStatus tile_driver_backend_open(const TileDeviceOptions *options,
                                    TileDevice **out_device);

#endif // TILE_LIB_LAUNCHER_INTERNAL_H
