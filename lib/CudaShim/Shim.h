//===- Shim.h - The process-wide emulated device behind libcuda -----------===//
//
// The CUDA driver API is one device for the whole process, so there is one
// state here, made at the first call and guarded by one lock. Work happens
// when it is asked for: when a call returns, its copy or kernel has ended.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_CUDA_SHIM_SHIM_H
#define TILE_LIB_CUDA_SHIM_SHIM_H

#include "CudaTypes.h"
#include "ShimOptions.h"
#include "Tile/Emulator.h"

enum {
  TILE_SHIM_DRIVER_VERSION = 13000, // of the API that is implemented
  TILE_SHIM_MAX_CONTEXTS = 64,      // on the stack of a thread
  TILE_SHIM_STATIC_SMEM_BYTES = 48 << 10,
  TILE_SHIM_MAX_SMEM_BYTES = 227 << 10
};
#define TILE_SHIM_MEMORY_BYTES (80ull << 30)

//===-- Objects -----------------------------------------------------------===//

typedef enum {
  TILE_SHIM_CONTEXT,
  TILE_SHIM_STREAM,
  TILE_SHIM_EVENT,
  TILE_SHIM_MODULE,
  TILE_SHIM_POOL
} TileShimKind;

/// First member of everything a handle points to; all live ones are a list.
typedef struct TileShimObject {
  TileShimKind kind;
  struct TileShimObject *next;
} TileShimObject;

typedef struct CuContextObject {
  TileShimObject object;
  unsigned flags;
  bool is_primary;
  uint64_t id;
} TileShimContext;

typedef struct CuStreamObject {
  TileShimObject object;
  unsigned flags;
  int priority;
  uint64_t id;
} TileShimStream;

typedef struct CuEventObject {
  TileShimObject object;
  unsigned flags;
  bool is_recorded;
  uint64_t time_ns; // when everything recorded before it had ended
} TileShimEvent;

typedef struct CuFunctionObject {
  struct CuModuleObject *module;
  const TileEmuKernelInfo *info; // borrowed from the module
  int max_dynamic_smem_bytes;
  int carveout, non_portable_cluster, cluster_policy;
} TileShimFunction;

/// A module or library: one PTX text.
typedef struct CuModuleObject {
  TileShimObject object;
  TileEmuModule *module;
  TileShimFunction *functions;
  unsigned num_functions;
  int ptx_version, target; // 90 is .target sm_90
} TileShimModule;

typedef enum {
  TILE_SHIM_MEMORY_DEVICE,
  TILE_SHIM_MEMORY_MANAGED,
  TILE_SHIM_MEMORY_HOST,
  TILE_SHIM_MEMORY_REGISTERED,
  TILE_SHIM_MEMORY_VARIABLE // of a module
} TileShimMemoryKind;

typedef struct {
  CuAddress address;
  size_t size_bytes;
  TileShimMemoryKind kind;
  unsigned flags;
  uint64_t id;
  const TileShimModule *module; // of a variable
} TileShimMemory;

//===-- State -------------------------------------------------------------===//

typedef struct {
  TileEmu *emu; // NULL before cuInit
  TileShimOptions options;
  CuResult fault; // of a kernel; every later call returns it
  TileShimObject *objects;
  TileShimContext *primary;
  unsigned num_primary_uses, primary_flags;
  TileShimMemory *memories;
  size_t num_memories;
  size_t used_bytes;
  struct CuPoolObject *default_pool; // made when it is asked for
  uint64_t next_id;
  uint64_t num_launches;
  size_t num_reported, num_output_bytes, report_length; // already printed
} TileShim;

/// Locks the state; tile_shim_leave unlocks it and returns `result`.
TileShim *tile_shim_enter(void);
CuResult tile_shim_leave(TileShim *shim, CuResult result);
/// NOT_INITIALIZED before cuInit.
CuResult tile_shim_initialised(const TileShim *shim);
/// Also INVALID_CONTEXT, and the fault of an earlier kernel.
CuResult tile_shim_ready(const TileShim *shim);
CuResult tile_shim_start(TileShim *shim);
/// The current context of the calling thread, or NULL.
TileShimContext *tile_shim_current(void);

/// The bodies of nearly all entry points.
#define TILE_SHIM_CALL_IF(check, expression)                                   \
  do {                                                                         \
    TileShim *shim = tile_shim_enter();                                        \
    CuResult result = check(shim);                                             \
    if (result == CU_SUCCESS)                                                  \
      result = (expression);                                                   \
    return tile_shim_leave(shim, result);                                      \
  } while (0)
#define TILE_SHIM_CALL(expression)                                             \
  TILE_SHIM_CALL_IF(tile_shim_ready, expression)
#define TILE_SHIM_QUERY(expression)                                            \
  TILE_SHIM_CALL_IF(tile_shim_initialised, expression)

/// One line on stderr, "tile-emu: …".
void tile_shim_say(const char *format, ...)
    __attribute__((format(printf, 1, 2)));
/// Says that the emulator has no `call` and returns NOT_SUPPORTED.
CuResult tile_shim_not_supported(const char *call);
/// Prints what a launch found and what the kernel printed.
void tile_shim_flush(TileShim *shim);

//===-- Objects and memory ------------------------------------------------===//

/// Zero-filled, in the list of live objects. NULL when out of memory.
void *tile_shim_object_create(TileShim *shim, TileShimKind kind,
                              size_t size_bytes);
void tile_shim_object_destroy(TileShim *shim, void *object);
/// Is `handle` a live object of this kind?
bool tile_shim_is(const TileShim *shim, const void *handle, TileShimKind kind);
/// Streams also have the numbers 0, 1 and 2.
bool tile_shim_is_stream(const TileShim *shim, const TileShimStream *stream);

/// The memory that `address` lies in, or NULL.
TileShimMemory *tile_shim_memory_find(TileShim *shim, CuAddress address);
/// All `size_bytes` lie in memory of the device, or nobody knows of them and
/// `may_be_host`.
bool tile_shim_memory_check(TileShim *shim, CuAddress address,
                            size_t size_bytes, bool may_be_host);
bool tile_shim_memory_add(TileShim *shim, TileShimMemory memory);
void tile_shim_memory_remove(TileShim *shim, TileShimMemory *memory);

/// Checks a function handle, which is also that of a CUkernel.
bool tile_shim_is_function(const TileShim *shim,
                           const TileShimFunction *function);

//===-- Images ------------------------------------------------------------===//

/// Finds the PTX in what cuModuleLoadData takes: text, a fat binary or its
/// wrapper, for a device of compute capability `capability` (90 is 9.0).
/// Owner: the caller, free(). Errors: says what is there instead.
CuResult tile_shim_image_ptx(const void *image, int capability, char **out_ptx,
                             size_t *out_size_bytes);
/// Decompresses a block of LZ4. False when it is damaged.
bool tile_shim_lz4_decode(const uint8_t *source, size_t source_bytes,
                          uint8_t *target, size_t target_bytes);

//===-- Device ------------------------------------------------------------===//

/// The value of a CUdevice_attribute; false when it has no such number.
bool tile_shim_attribute(const TileShim *shim, int attribute, int *out_value);
/// 90: compute capability 9.0.
int tile_shim_capability(const TileShim *shim);
const char *tile_shim_device_name(const TileShim *shim);

#endif // TILE_LIB_CUDA_SHIM_SHIM_H
