//===- Run.h - Compiled kernels on a GPU or on the emulator ---------------===//
//
// libtile-run. Plain C11 and C++17, no MLIR, no CUDA header. Metadata and PTX
// or cubin come from memory; the CUDA driver is opened when a GPU is asked for.
//
// The library never exits, prints, reads the environment or writes a file.
// Functions may be called from several threads at a time on different devices;
// a device and its modules are one object. A GPU's context is current only
// inside of a call, whatever was current before is again afterwards.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_RUN_H
#define TILE_RUN_H

#include "Tile/Diagnostic.h"
#include "Tile/Emulator.h"

#ifdef __cplusplus
extern "C" {
#endif

//===-- Devices -----------------------------------------------------------===//

/// A GPU with one context, or an emulator.
typedef struct TileDevice TileDevice;

/// The first GPU with its primary context, or the emulator where there is none.
/// `on_diagnostic` is told what goes wrong with the device and its modules, and
/// what kernels print on the emulator; NULL: nobody.
/// Errors: NULL. Owner: the caller, tile_device_destroy.
TILE_API TileDevice *tile_device_create(TileDiagnosticFn on_diagnostic,
                                        void *user_data);
/// The GPU of a CUcontext, which the caller keeps until the device is
/// destroyed; NULL: the context that is current.
TILE_API TileDevice *tile_device_create_cuda(void *context,
                                             TileDiagnosticFn on_diagnostic,
                                             void *user_data);
/// An emulator; `options` NULL means its default. Memory of the program is
/// memory of the device.
TILE_API TileDevice *tile_device_create_emulator(const TileEmuOptions *options,
                                                 TileDiagnosticFn on_diagnostic,
                                                 void *user_data);
/// Frees memory and modules of the device. NULL is allowed.
TILE_API void tile_device_destroy(TileDevice *device);

/// "emulator" or the product name of the GPU. Borrowed from the device.
TILE_API const char *tile_device_name(const TileDevice *device);
/// What to compile for, "sm_90a". Borrowed from the device.
TILE_API const char *tile_device_chip(const TileDevice *device);
TILE_API int tile_device_num_sms(const TileDevice *device);
/// The emulator, whose findings Tile/Emulator.h gives; NULL on a GPU. Borrowed.
TILE_API TileEmu *tile_device_emulator(const TileDevice *device);

/// Memory of the device, zeroed; NULL after an error. On the emulator it is
/// memory of the program. Owner: the device, until tile_memory_free.
TILE_API void *tile_memory_alloc(TileDevice *device, size_t size_bytes);
TILE_API bool tile_memory_free(TileDevice *device, void *memory);
/// Copies to and from the device. Both wait for kernels of the default stream.
TILE_API bool tile_memory_write(TileDevice *device, void *memory,
                                const void *data, size_t size_bytes);
TILE_API bool tile_memory_read(TileDevice *device, const void *memory,
                               void *data, size_t size_bytes);
/// Waits for what was launched on a CUstream, NULL the default one. Errors:
/// those of the kernels.
TILE_API bool tile_device_wait(TileDevice *device, void *stream);

//===-- Modules -----------------------------------------------------------===//

/// One host function and its kernels, loaded.
typedef struct TileModule TileModule;

/// Loads a function from its metadata and its image: PTX, or on a GPU a cubin.
/// `name` stands for it in messages. Texts are copied.
/// Errors: NULL; metadata or image are not understood, the image is for another
///         chip, or the driver is older than the PTX.
/// Owner:  the caller, tile_module_destroy, before its device.
TILE_API TileModule *tile_module_create(TileDevice *device, const char *name,
                                        const void *metadata,
                                        size_t metadata_bytes,
                                        const void *image, size_t image_bytes);
TILE_API void tile_module_destroy(TileModule *module);

/// The name of the host function. Owned by the module, as all texts below.
TILE_API const char *tile_module_name(const TileModule *module);
TILE_API size_t tile_module_num_params(const TileModule *module);

/// What an argument has to be. Later versions may add members at the end.
typedef struct {
  const char *name;
  bool is_scalar;           // else a tensor
  bool is_mutable;          // a kernel writes it
  const char *element_type; // "bf16"
  int rank;
  const int64_t *shape;   // -1: any
  const int64_t *strides; // elements; -1: any
} TileParamInfo;

/// Returns false when there is no such parameter.
TILE_API bool tile_module_param(const TileModule *module, size_t index,
                                TileParamInfo *out_info);

/// What the function returns: none, as most do, or some.
TILE_API size_t tile_module_num_results(const TileModule *module);
/// Returns false when there is no such result. Its name is "", extents and
/// strides are any.
TILE_API bool tile_module_result(const TileModule *module, size_t index,
                                 TileParamInfo *out_info);

TILE_API size_t tile_module_num_launches(const TileModule *module);
/// Variants of a launch, tried in order.
TILE_API size_t tile_module_num_variants(const TileModule *module,
                                         size_t launch);
/// What a launch may take. Later versions may add members at the end.
typedef struct {
  const char *kernel;
  size_t num_requirements; // of the arguments
  uint32_t cluster[3];
  uint32_t dynamic_smem_bytes;
} TileVariantInfo;

/// Returns false when there is no such variant; they count from 0.
TILE_API bool tile_module_variant(const TileModule *module, size_t launch,
                                  size_t variant, TileVariantInfo *out_info);
/// "A is contiguous"; NULL after the last.
TILE_API const char *tile_module_requirement(const TileModule *module,
                                             size_t launch, size_t variant,
                                             size_t index);

//===-- Launches ----------------------------------------------------------===//

/// DLTensor of dlpack.h, for programs that do not have that header: the same
/// members at the same places.
typedef struct {
  void *data;
  struct {
    int32_t type, id;
  } device; // kDLCPU = 1, kDLCUDA = 2
  int32_t ndim;
  struct {
    /// Codes: 0 int, 1 unsigned, 2 float, 4 bfloat, 5 complex, 6 bool.
    uint8_t code, bits;
    uint16_t lanes;
  } dtype;
  int64_t *shape;
  int64_t *strides; // elements; NULL: rows without gaps
  uint64_t byte_offset;
} TileDLTensor;

typedef enum { TILE_ARG_TENSOR, TILE_ARG_INT, TILE_ARG_FLOAT } TileArgKind;

/// One argument.
typedef struct {
  TileArgKind kind;
  const void *tensor; // a DLTensor or TileDLTensor
  int64_t integer;
  double real;
} TileLaunchArg;

static inline TileLaunchArg tile_arg_tensor(const void *dl_tensor) {
  TileLaunchArg arg = {TILE_ARG_TENSOR, dl_tensor, 0, 0};
  return arg;
}
static inline TileLaunchArg tile_arg_int(int64_t value) {
  TileLaunchArg arg = {TILE_ARG_INT, NULL, value, (double)value};
  return arg;
}
static inline TileLaunchArg tile_arg_float(double value) {
  TileLaunchArg arg = {TILE_ARG_FLOAT, NULL, 0, value};
  return arg;
}

/// Checks the arguments against the function, takes the first variant of each
/// launch whose requirements hold, and launches on `stream`, a CUstream (NULL:
/// the default one), without waiting. Tensors lie in memory of the device; the
/// caller keeps them until the kernels have ended, arguments and shapes until
/// the call returns. On the emulator tensors lie in any memory, and the kernels
/// have ended when the call returns.
/// Workspaces of the function come from the device, one block for all that are
/// in use at a time, and are free for later calls on the stream. A function
/// that reads numbers of tensors (docs/Metadata.md, `load`) waits for the
/// stream there. Errors: false; an argument is not as the function wants it,
/// the launch is
///         refused, or the function returns something. Those of a kernel on a
///         GPU come with tile_device_wait.
TILE_API bool tile_module_launch(TileModule *module, void *stream,
                                 const TileLaunchArg *args, size_t num_args);

/// A result.
typedef struct {
  TileArgKind kind;
  TileDLTensor tensor; // shape and strides are those below; NULL data: scalar
  int64_t integer;     // TILE_ARG_INT
  double real;         // TILE_ARG_FLOAT
  int64_t shape[8], strides[8];
  /// Memory that the caller owns now and gives to tile_memory_free when the
  /// kernels that use it have ended; the device frees what is left. NULL: the
  /// tensor lies in memory of an argument, of an earlier result, or of the
  /// module, whose data lives as long as it does.
  void *memory;
} TileLaunchResult;

/// The same for functions that return something. `out_results` has room for as
/// many as the function has, which is `num_results`; tensors point into it, and
/// their elements are there when the kernels have ended. After an error nothing
/// is owned by the caller.
TILE_API bool tile_module_call(TileModule *module, void *stream,
                               const TileLaunchArg *args, size_t num_args,
                               TileLaunchResult *out_results,
                               size_t num_results);

#ifdef __cplusplus
}
#endif

#endif // TILE_RUN_H
