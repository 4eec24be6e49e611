//===- Launcher.h - Runs compiled host functions and raw PTX kernels ------===//
//
// Plain C, no MLIR. The order of use: read a host function from its launch
// metadata (docs/Metadata.md), open a device, make tensors on the host, copy
// them to the device, run, copy back. Device memory and modules live until the
// device is closed. Objects are not thread safe; different ones are.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LAUNCHER_H
#define TILE_LAUNCHER_H

#include "Tile/Emulator.h"
#include "Tile/Run.h"
#include "Tile/Support/Dtype.h"
#include "Tile/Support/Status.h"
#include "Tile/Support/TensorMap.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { TILE_LAUNCH_MAX_RANK = 8 };

/// Kernels index with 32 bits; larger extents are refused.
#define TILE_LAUNCH_MAX_EXTENT ((INT64_C(1) << 31) - 65536)

//===-- Element types -----------------------------------------------------===//

/// The spelling in MLIR, launch metadata and arguments of tile-run.
const char *tile_dtype_name(TileDtype dtype);
/// Returns false when `name` is no element type.
bool tile_dtype_from_name(const char *name, TileDtype *out_dtype);
size_t tile_dtype_size_bytes(TileDtype dtype);
/// Memory of so many elements beside each other: those of 4 and 6 bits share
/// bytes.
uint64_t tile_dtype_run_bytes(TileDtype dtype, uint64_t num_elems);
/// Elements that fill whole bytes: 1, of 4 bits 2, of 6 bits 4.
int tile_dtype_pack(TileDtype dtype);
/// What the address of an element is a multiple of: complex numbers those of
/// their parts.
size_t tile_dtype_align_bytes(TileDtype dtype);
bool tile_dtype_is_float(TileDtype dtype);
bool tile_dtype_is_complex(TileDtype dtype);
bool tile_dtype_is_integer(TileDtype dtype);
/// The number range of an integer type; TILE_DTYPE_U64 ends at INT64_MAX.
void tile_dtype_int_range(TileDtype dtype, int64_t *out_min, int64_t *out_max);

/// The type of a tensor map over such elements; types of one byte are U8.
TileTensorMapType tile_dtype_tensor_map_type(TileDtype dtype);

enum { TILE_DTYPE_MAX_BYTES = 16 };

/// A number: `real` of floating-point types, with `imaginary` of complex ones,
/// `integer` of the others (u64 and index as the same 64 bits).
typedef struct {
  TileDtype dtype;
  int64_t integer;
  double real, imaginary;
} TileNumber;

/// Reads the element at `memory`, exactly.
TileNumber tile_dtype_load(TileDtype dtype, const void *memory);
/// Writes `number` as a `dtype`: floating point rounds to nearest even,
/// integers wrap. A floating-point number written to an integer type is cut,
/// of a complex one the imaginary part is left out.
void tile_dtype_store(TileDtype dtype, TileNumber number, void *memory);

//===-- Tensors in host memory --------------------------------------------===//

/// Element (i, j, …) is at `data` + (offset + i*strides[0] + j*strides[1] + …)
/// elements. `_deinit` frees `data`; a zeroed struct is empty and valid.
typedef struct {
  TileDtype dtype;
  int rank;
  int64_t shape[TILE_LAUNCH_MAX_RANK];
  int64_t strides[TILE_LAUNCH_MAX_RANK]; // elements, >= 0
  int64_t offset;                        // elements, >= 0
  size_t size_bytes;                     // of `data`
  unsigned char *data;
} TileTensor;

typedef enum {
  TILE_FILL_ZEROS,
  TILE_FILL_ONES,
  TILE_FILL_INTS,  // uniform in [-2, 2]; unsigned types [0, 2], i1 [0, 1]
  TILE_FILL_NORMAL // mean 0, deviation 1; not of integers
} TileFill;

/// Allocates memory for the layout in `tensor` (every field but `size_bytes`
/// and `data`) and sets every byte to 0xFF, NaN in most types, so that reads
/// and writes beside the elements are seen. Errors: names the bad number.
TileStatus tile_tensor_alloc(TileTensor *tensor);
void tile_tensor_deinit(TileTensor *tensor);
/// Row-major strides without gaps, offset 0: each stride is the product of the
/// extents after it, also when one of them is 0.
void tile_tensor_set_contiguous(TileTensor *tensor);
size_t tile_tensor_num_elems(const TileTensor *tensor);
/// Address of element `index`, counted in row-major order of the shape; not of
/// types that share bytes.
unsigned char *tile_tensor_elem(const TileTensor *tensor, size_t index);
/// Reads that element, of any type.
TileNumber tile_tensor_load(const TileTensor *tensor, size_t index);

/// Writes every element. The numbers depend on `seed`, shape and type only,
/// not on strides or machine. Errors: TILE_FILL_NORMAL of an integer type.
TileStatus tile_tensor_fill(TileTensor *tensor, TileFill fill, uint64_t seed);

/// Copies `source` into the allocated `target` of the same shape, element by
/// element. Floating point is rounded; an integer must fit the target type.
/// Errors: shapes differ, fraction or integer out of range.
TileStatus tile_tensor_convert(const TileTensor *source, TileTensor *target);

/// Compares what a kernel left in `after` with `before`, same layout. Returns
/// the element offset in memory of the first change outside the elements, or
/// anywhere when `is_read_only`; -1 when there is none.
int64_t tile_tensor_find_damage(const TileTensor *before,
                                const TileTensor *after, bool is_read_only);

/// Reads a .npy file, format 1 or 2, little endian, C order, into a new
/// contiguous tensor. Errors: names the file and what is not supported.
TileStatus tile_npy_read(const char *path, TileTensor *out_tensor);
/// Writes floats of up to 32 bits as float32 (exact), other types as they are.
TileStatus tile_npy_write(const char *path, const TileTensor *tensor);

//===-- Argument texts ----------------------------------------------------===//

typedef enum {
  TILE_ARG_TEXT_FILL,       // ints:300x136:bf16:7@144+8
  TILE_ARG_TEXT_NPY,        // a.npy, a.npy:bf16
  TILE_ARG_TEXT_SAME,       // same:0
  TILE_ARG_TEXT_SCALAR,     // 42, 1.5, i32:42
  TILE_ARG_TEXT_TENSOR_MAP, // tmap:0,136x300,272,64x128,128
} TileArgTextKind;

/// One parsed argument of the command line. Owns and borrows nothing.
typedef struct {
  TileArgTextKind kind;
  bool is_memory_only; // mem: allocated, but no kernel parameter

  TileFill fill;
  bool has_seed;
  uint64_t seed;
  int rank; // FILL: of the shape
  int64_t shape[TILE_LAUNCH_MAX_RANK];
  int num_strides; // after the @: 0 none, 1 row pitch, rank: all of them
  int64_t strides[TILE_LAUNCH_MAX_RANK]; // elements
  int64_t offset;                        // elements

  bool has_dtype; // FILL: always; NPY, SCALAR: when written
  TileDtype dtype;
  char path[512];

  bool is_integer; // SCALAR: `integer` holds the number, else `real` only
  int64_t integer;
  double real;

  int arg;           // SAME, TENSOR_MAP: index of an earlier argument
  TileTensorMap map; // TENSOR_MAP: all but type and address
} TileArgText;

/// Parses one argument; the forms are those of `tile-run --help`.
/// Errors: says which part is wrong and what is expected there.
TileStatus tile_arg_text_parse(const char *text, TileArgText *out_arg);

/// Makes the tensor of a FILL or NPY text. `dtype`: what the kernel expects,
/// NULL when unknown; a .npy file is converted to it, a FILL must say the
/// same. `default_seed` is used when the text has none.
TileStatus tile_arg_text_make_tensor(const TileArgText *arg,
                                     const TileDtype *dtype,
                                     uint64_t default_seed,
                                     TileTensor *out_tensor);

/// Makes the number of a SCALAR text, of type `dtype` when given, else of the
/// type in the text. Errors: types differ, out of range, no type known.
TileStatus tile_arg_text_make_number(const TileArgText *arg,
                                     const TileDtype *dtype,
                                     TileNumber *out_number);

//===-- Devices -----------------------------------------------------------===//

typedef struct TileDeviceModule TileDeviceModule; // owned by its device

typedef struct {
  bool emulate;               // never look for a GPU
  bool require_gpu;           // never fall back to the emulator
  const char *driver_library; // NULL: libcuda.so.1
  bool has_context;           // a GPU with a context of the caller
  void *context;              // that CUcontext; NULL: the current one
  bool prints_output;         // of kernels on the emulator, to standard output
  int num_sms;                // reported to host functions; 0: the device's
  TileEmuOptions emulator;
} TileDeviceOptions;

/// GPU when there is one, emulator with its default options.
void tile_device_options_init(TileDeviceOptions *out_options);

/// Opens the first GPU through the CUDA driver, or the emulator when there is
/// no driver or no device. Owner: the caller, tile_device_destroy.
TileStatus tile_device_open(const TileDeviceOptions *options,
                            TileDevice **out_device);

/// Why the emulator was opened although a GPU was wanted; "" otherwise.
const char *tile_device_note(const TileDevice *device);
bool tile_device_is_emulator(const TileDevice *device);
/// All findings of the emulator since opening; "" on a GPU. Borrowed until the
/// next launch.
const char *tile_device_report(const TileDevice *device);
/// Zeros on a GPU.
TileEmuStats tile_device_stats(const TileDevice *device);

/// Allocates zeroed device memory, 256-byte aligned; freed with the device, if
/// not before.
TileStatus tile_device_alloc(TileDevice *device, size_t size_bytes,
                             const char *name, uint64_t *out_address);
TileStatus tile_device_free(TileDevice *device, uint64_t address);
TileStatus tile_device_upload(TileDevice *device, uint64_t address,
                              const void *data, size_t size_bytes);
TileStatus tile_device_download(TileDevice *device, uint64_t address,
                                void *data, size_t size_bytes);
/// Loads a PTX file; on a GPU of its architecture the .cubin beside it, when
/// that is not older. Loading a path twice gives the same module.
TileStatus tile_device_load_module(TileDevice *device, const char *ptx_path,
                                   TileDeviceModule **out_module);
/// Loads `size_bytes` of PTX or, on a GPU, a cubin; `name` stands for it in
/// messages. Owner: the device, until tile_device_unload_module.
TileStatus tile_device_load_image(TileDevice *device, const char *name,
                                  const void *image, size_t size_bytes,
                                  TileDeviceModule **out_module);
void tile_device_unload_module(TileDevice *device, TileDeviceModule *module);
/// The kernels of a module, in the order of the file. Borrowed; NULL after the
/// last one.
const char *tile_device_module_kernel(const TileDeviceModule *module,
                                      size_t index);
/// Writes the 128 bytes that a kernel takes as a tensor-map parameter.
/// `out_map` is 64-byte aligned. A map with an extent of 0 describes no memory:
/// reads give zero, writes have no effect.
TileStatus tile_device_encode_tensor_map(TileDevice *device,
                                         const TileTensorMap *map,
                                         void *out_map);

/// What a kernel parameter is given.
typedef struct {
  bool is_number; // else a pointer or a tensor map
  TileDtype dtype;
} TileParamType;

typedef struct {
  const char *kernel;
  uint32_t grid[3], block[3], cluster[3];
  uint32_t dynamic_smem_bytes;
  bool is_cooperative; // all blocks run at the same time, or it is refused
  bool is_dependent;   // it waits itself for what the launch before it does
  void **params;       // one pointer per kernel parameter, to its value
  const size_t *param_sizes_bytes;
  const TileParamType *param_types; // NULL: not checked
  size_t num_params;
  void *stream;   // CUstream; NULL: the default one
  bool is_queued; // on a GPU: do not wait for the end
} TileKernelLaunch;

/// Waits for the kernels of a stream.
TileStatus tile_device_synchronize(TileDevice *device, void *stream);

/// Runs a kernel to its end, if it is not only queued. Errors: USER_ERROR for a
/// kernel that does not exist, parameters of other number, sizes or types, and
/// a launch that the device refuses; KERNEL_FAILED when the kernel misbehaved.
TileStatus tile_device_launch(TileDevice *device, TileDeviceModule *module,
                              const TileKernelLaunch *launch);

//===-- Host functions ----------------------------------------------------===//

typedef struct TileHostFunction TileHostFunction;

/// What the host function says of one argument. Owned by the function.
typedef struct {
  const char *name;
  bool is_scalar;
  bool is_mutable;
  TileDtype dtype; // what it holds: kernels may know it as integers
  int rank;
  int64_t shape[TILE_LAUNCH_MAX_RANK];   // -1: any
  int64_t strides[TILE_LAUNCH_MAX_RANK]; // elements; -1: any
  int64_t offset;                        // elements; -1: any
} TileHostParam;

/// One actual argument. The address of a tensor is that of element (0, 0, …),
/// `offset` elements after the start of its memory.
typedef struct {
  bool is_scalar;
  TileNumber scalar; // its dtype is that of the argument
  TileDtype dtype;   // tensors: the element type
  int rank;
  int64_t shape[TILE_LAUNCH_MAX_RANK];
  int64_t strides[TILE_LAUNCH_MAX_RANK]; // elements
  int64_t offset;                        // elements
  uint64_t address;                      // on the device, bytes
} TileArg;

/// Parses launch metadata. `path` names the file in messages; the PTX file is
/// found relative to its folder. Owner: the caller, _destroy.
/// Errors: names the path inside the JSON, what was expected and what is there.
TileStatus tile_host_function_parse(const char *json, size_t size_bytes,
                                    const char *path,
                                    TileHostFunction **out_function);
TileStatus tile_host_function_read(const char *path,
                                   TileHostFunction **out_function);
void tile_host_function_destroy(TileHostFunction *function);

/// Borrows from the function.
typedef struct {
  const char *name;
  size_t num_params, num_results;
} TileHostSignature;

TileHostSignature
tile_host_function_signature(const TileHostFunction *function);
const TileHostParam *tile_host_function_param(const TileHostFunction *function,
                                              size_t index);

/// Checks arguments against the function: number, kind, type, rank, static
/// extents, strides and offset, alignment, extents of at most
/// TILE_LAUNCH_MAX_EXTENT, no overlap with a written argument.
/// Errors: USER_ERROR naming the argument, what was expected and what it got.
TileStatus tile_host_function_check_args(const TileHostFunction *function,
                                         const TileArg *args, size_t num_args);

/// The launch takes this variant, counted from 1, in later runs, which fail
/// when its requirements do not hold. 0, as in the beginning: the first that
/// can. Errors: USER_ERROR when the function has no such launch or the launch
/// no such variant.
TileStatus tile_host_function_take_variant(TileHostFunction *function,
                                           size_t launch, uint64_t variant);

/// A result. Memory of an argument or of the module stays theirs; a workspace
/// of the function becomes the caller's with the first result in it.
typedef struct {
  TileArg value;
  uint64_t memory; // owned by the caller, tile_device_free; 0: none
  uint64_t memory_bytes;
} TileHostValue;

/// Receives a line without its newline.
typedef void (*TileLineFn)(const char *line, void *user_data);

typedef struct {
  TileDeviceModule *module; // NULL: the PTX file that the metadata names
  void *stream;             // CUstream; NULL: the default one
  bool is_queued;           // on a GPU: do not wait for the end
  /// One for each result of the function, filled by a run without errors; NULL:
  /// results are dropped.
  TileHostValue *results;
  /// One line per launch, and one for each thing that the best variant lacked;
  /// NULL: none.
  TileLineFn log;
  /// One line per launch that takes another variant because of that; NULL.
  TileLineFn remark;
  void *user_data; // of both
} TileRunOptions;

/// Checks the arguments, evaluates the host code and performs its launches in
/// order.
TileStatus tile_host_function_run(const TileHostFunction *function,
                                  TileDevice *device, const TileArg *args,
                                  size_t num_args,
                                  const TileRunOptions *options);

#ifdef __cplusplus
}
#endif

#endif // TILE_LAUNCHER_H
