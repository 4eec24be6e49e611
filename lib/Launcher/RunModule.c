//===- RunModule.c - Modules and launches of Tile/Run.h -------------------===//

#include "Host/HostFunction.h"
#include "RunDevice.h"
#include "Support/Diagnostic/DiagnosticFormat.h"

#include <stdlib.h>
#include <string.h>

//===-- DLPack tensors and numbers as arguments ---------------------------===//

// Source of the numbers: dlpack.h, version 1.1.

enum {
  DL_CPU = 1,
  DL_CUDA = 2,
  DL_CUDA_HOST = 3,
  DL_CUDA_MANAGED = 13,

  DL_INT = 0,
  DL_UINT = 1,
  DL_FLOAT = 2,
  DL_BFLOAT = 4,
  DL_COMPLEX = 5,
  DL_BOOL = 6,
  DL_F8E4M3FN = 10,
  DL_F8E5M2 = 12,
  DL_F8E8M0FNU = 14,
  DL_F6E2M3FN = 15,
  DL_F6E3M2FN = 16,
  DL_F4E2M1FN = 17
};

//===-- Element types -----------------------------------------------------===//

/// The code of a type in DLPack.
static int code_of(TileDtype dtype) {
  switch (dtype) {
  case TILE_DTYPE_BF16:
    return DL_BFLOAT;
  case TILE_DTYPE_F8E4M3FN:
    return DL_F8E4M3FN;
  case TILE_DTYPE_F8E5M2:
    return DL_F8E5M2;
  case TILE_DTYPE_F8E8M0FNU:
    return DL_F8E8M0FNU;
  case TILE_DTYPE_F6E2M3FN:
    return DL_F6E2M3FN;
  case TILE_DTYPE_F6E3M2FN:
    return DL_F6E3M2FN;
  case TILE_DTYPE_F4E2M1FN:
    return DL_F4E2M1FN;
  case TILE_DTYPE_U8:
  case TILE_DTYPE_U16:
  case TILE_DTYPE_U32:
  case TILE_DTYPE_U64:
    return DL_UINT;
  case TILE_DTYPE_I1:
    return DL_BOOL;
  case TILE_DTYPE_COMPLEX_F32:
  case TILE_DTYPE_COMPLEX_F64:
    return DL_COMPLEX;
  default:
    return tile_dtype_is_float(dtype) ? DL_FLOAT : DL_INT;
  }
}

/// How many elements an item of such a tensor has: those of 4 and 6 bits are
/// each an item, or come in vectors or bytes that hold whole ones. 0: the
/// tensor is not of that type.
static int packed_lanes(const TileDLTensor *tensor, TileDtype dtype) {
  int bits = tile_dtype_info(dtype)->bits, pack = tile_dtype_pack(dtype);
  int lanes = tensor->dtype.lanes, code = tensor->dtype.code;
  bool is_byte = (code == DL_UINT || code == DL_INT) && lanes == 1 &&
                 tensor->dtype.bits == 8;
  if (is_byte)
    return bits == 4 ? pack : 0;
  bool is_it = code == code_of(dtype) && tensor->dtype.bits == bits;
  return is_it && (lanes == 1 || lanes == pack) ? lanes : 0;
}

/// Integers have no sign in MLIR, and bytes may be whatever has one byte:
/// versions of DLPack before 1.1 have no floats of 8 bits.
static bool is_type(const TileDLTensor *tensor, TileDtype dtype) {
  int code = tensor->dtype.code;
  if (tile_dtype_pack(dtype) > 1)
    return packed_lanes(tensor, dtype) > 0;
  if (tensor->dtype.lanes != 1 ||
      tensor->dtype.bits != 8 * tile_dtype_size_bytes(dtype))
    return false;
  bool is_integer = code == DL_UINT || code == DL_INT;
  if (code == code_of(dtype) || (is_integer && code_of(dtype) == DL_INT))
    return true;
  return code == DL_UINT && tensor->dtype.bits == 8;
}

//===-- Tensors -----------------------------------------------------------===//

static TileStatus check_device(const TileDevice *device,
                               const TileDLTensor *tensor, uint64_t address) {
  int type = tensor->device.type;
  bool is_of_program = type == DL_CPU || type == DL_CUDA_HOST;
  bool is_of_gpu =
      type == DL_CUDA || type == DL_CUDA_HOST || type == DL_CUDA_MANAGED;
  if (tile_device_owns(device, address) ||
      (device->emu ? is_of_program : is_of_gpu))
    return tile_status_ok();
  return tile_status_error(
      TILE_STATUS_USER_ERROR,
      "expected a tensor in memory of the %s (DLPack device %s), got device "
      "%d; tile_memory_alloc gives such memory",
      device->emu ? "program" : "GPU", device->emu ? "1" : "2", type);
}

/// Shape and strides; strides that are not given are those of rows without
/// gaps.
static TileStatus read_layout(const TileDLTensor *tensor, TileArg *arg) {
  static const double max_elems = 1e14; // more than any memory
  double last = 0;
  int64_t next = 1;
  for (int i = arg->rank - 1; i >= 0; i--) {
    int64_t extent = tensor->shape[i];
    int64_t stride = tensor->strides ? tensor->strides[i] : next;
    if (extent < 0 || extent > TILE_LAUNCH_MAX_EXTENT)
      return tile_status_error(
          TILE_STATUS_USER_ERROR, "expected extent %d from 0 to %lld, got %lld",
          i, (long long)TILE_LAUNCH_MAX_EXTENT, (long long)extent);
    if (stride < 0)
      return tile_status_error(TILE_STATUS_USER_ERROR,
                               "expected stride %d from 0 up, got %lld", i,
                               (long long)stride);
    last += (double)extent * (double)stride;
    if (last > max_elems)
      return tile_status_error(TILE_STATUS_USER_ERROR,
                               "is larger than any memory");
    arg->shape[i] = extent;
    arg->strides[i] = stride;
    next = stride * (extent > 0 ? extent : 1);
  }
  return tile_status_ok();
}

/// Bits of an element in memory.
static int tensor_bits(TileDtype dtype) {
  return tile_dtype_pack(dtype) > 1 ? tile_dtype_info(dtype)->bits
                                    : 8 * (int)tile_dtype_size_bytes(dtype);
}

/// Extents and strides of items as those of elements.
static void count_packed(const TileDLTensor *tensor, TileArg *arg) {
  int lanes =
      tile_dtype_pack(arg->dtype) > 1 ? packed_lanes(tensor, arg->dtype) : 1;
  for (int i = 0; i < arg->rank && lanes > 1; i++) {
    int64_t *number = i + 1 == arg->rank ? &arg->shape[i] : &arg->strides[i];
    *number *= lanes;
  }
}

static TileStatus read_tensor(const TileDevice *device,
                              const TileHostParam *param,
                              const TileDLTensor *tensor, TileArg *arg) {
  if (!tensor || tensor->ndim != param->rank ||
      (param->rank > 0 && !tensor->shape))
    return tile_status_error(TILE_STATUS_USER_ERROR,
                             "expected a tensor of rank %d, got %s%d",
                             param->rank, tensor ? "rank " : "none, rank ",
                             tensor ? tensor->ndim : 0);
  if (!is_type(tensor, param->dtype))
    return tile_status_error(
        TILE_STATUS_USER_ERROR,
        "expected element type %s (DLPack code %d, %d bits), got code %d, %d "
        "bits, %d lanes",
        tile_dtype_name(param->dtype), code_of(param->dtype),
        tensor_bits(param->dtype), tensor->dtype.code, tensor->dtype.bits,
        tensor->dtype.lanes);
  arg->dtype = param->dtype;
  arg->rank = param->rank;
  arg->address = (uint64_t)(uintptr_t)tensor->data + tensor->byte_offset;
  // What lies before the first element is part of a tensor only where its type
  // says so.
  if (param->offset > 0)
    arg->offset = (int64_t)(tensor->byte_offset * 8 /
                            (uint64_t)tensor_bits(param->dtype));
  TRY(read_layout(tensor, arg));
  count_packed(tensor, arg);
  uint64_t size_bytes = tile_launch_arg_size_bytes(arg);
  if (size_bytes == 0)
    return tile_status_ok();
  if (!tensor->data)
    return tile_status_error(TILE_STATUS_USER_ERROR,
                             "expected memory for %llu bytes, got NULL",
                             (unsigned long long)size_bytes);
  return check_device(device, tensor, arg->address);
}

//===-- Results -----------------------------------------------------------===//

// Makes a result of what a function returned. The memory is not adopted.
static void launch_result_make(const TileDevice *device,
                               const TileHostValue *value,
                               TileLaunchResult *out_result) {
  const TileArg *arg = &value->value;
  *out_result = (TileLaunchResult){.integer = arg->scalar.integer,
                                   .real = arg->scalar.real,
                                   .memory = (void *)(uintptr_t)value->memory};
  if (arg->is_scalar) {
    bool is_float = tile_dtype_is_float(arg->scalar.dtype);
    out_result->kind = is_float ? TILE_ARG_FLOAT : TILE_ARG_INT;
    if (!is_float)
      out_result->real = (double)arg->scalar.integer;
    return;
  }
  out_result->kind = TILE_ARG_TENSOR;
  memcpy(out_result->shape, arg->shape, sizeof out_result->shape);
  memcpy(out_result->strides, arg->strides, sizeof out_result->strides);
  TileDLTensor *tensor = &out_result->tensor;
  tensor->data = (void *)(uintptr_t)arg->address;
  tensor->device.type = device->emu ? DL_CPU : DL_CUDA;
  tensor->device.id = device->ordinal;
  tensor->ndim = arg->rank;
  tensor->dtype.code = (uint8_t)code_of(arg->dtype);
  tensor->dtype.bits = (uint8_t)tensor_bits(arg->dtype);
  tensor->dtype.lanes = 1;
  tensor->shape = out_result->shape;
  tensor->strides = out_result->strides;
}

//===-- Numbers -----------------------------------------------------------===//

static TileStatus read_number(const TileHostParam *param,
                              const TileLaunchArg *given, TileArg *arg) {
  bool is_float = tile_dtype_is_float(param->dtype);
  int64_t min = 0, max = 0;
  arg->is_scalar = true;
  arg->scalar = (TileNumber){
      .dtype = param->dtype, .integer = given->integer, .real = given->real};
  if (is_float)
    return tile_status_ok();
  if (given->kind == TILE_ARG_FLOAT)
    return tile_status_error(TILE_STATUS_USER_ERROR,
                             "expected an integer of type %s, got the float %g",
                             tile_dtype_name(param->dtype), given->real);
  tile_dtype_int_range(param->dtype, &min, &max);
  if (given->integer >= min && given->integer <= max)
    return tile_status_ok();
  return tile_status_error(TILE_STATUS_USER_ERROR,
                           "expected a %s from %lld to %lld, got %lld",
                           tile_dtype_name(param->dtype), (long long)min,
                           (long long)max, (long long)given->integer);
}

// Makes `out_arg` of what the program gives for a parameter.
// Errors: not a tensor, an element type or a place that cannot be, a number
//         that the type does not hold.
static TileStatus launch_arg_read(const TileDevice *device,
                                  const TileHostParam *param,
                                  const TileLaunchArg *given,
                                  TileArg *out_arg) {
  *out_arg = (TileArg){.is_scalar = false};
  if (param->is_scalar != (given->kind != TILE_ARG_TENSOR))
    return tile_status_error(TILE_STATUS_USER_ERROR, "expected a %s, got a %s",
                             param->is_scalar ? "number" : "tensor",
                             param->is_scalar ? "tensor" : "number");
  return param->is_scalar ? read_number(param, given, out_arg)
                          : read_tensor(device, param, given->tensor, out_arg);
}

struct TileModule {
  TileDevice *device;
  TileHostFunction *function;
  TileDeviceModule *image; // NULL: nothing is launched
};

//===-- Loading -----------------------------------------------------------===//

/// Whether the image has the kernels that the metadata launches.
static TileStatus check_kernels(const TileModule *module, const char *name) {
  const TileHostFunction *function = module->function;
  if (!module->image || module->image->num_entries == 0)
    return tile_status_ok(); // a cubin: the driver looks
  for (int i = 0; i < function->num_launches; i++) {
    for (int v = 0; v < function->launches[i].num_variants; v++) {
      const char *kernel = function->launches[i].variants[v].kernel, *found;
      size_t k = 0;
      while ((found = tile_device_module_kernel(module->image, k)) &&
             strcmp(found, kernel) != 0)
        k++;
      if (!found)
        return tile_status_error(TILE_STATUS_USER_ERROR,
                                 "%s: expected the kernel '%s' in the PTX; are "
                                 "metadata and PTX of one compilation?",
                                 name, kernel);
    }
  }
  return tile_status_ok();
}

static TileStatus load(TileModule *module, const char *name,
                       const void *metadata, size_t metadata_bytes,
                       const void *image, size_t image_bytes) {
  TileStatus status = tile_host_function_parse(metadata, metadata_bytes, name,
                                               &module->function);
  if (tile_status_is_ok(&status) && module->function->num_launches > 0)
    status = tile_device_load_image(module->device, name, image, image_bytes,
                                    &module->image);
  if (tile_status_is_ok(&status))
    status = check_kernels(module, name);
  return status;
}

TileModule *tile_module_create(TileDevice *device, const char *name,
                               const void *metadata, size_t metadata_bytes,
                               const void *image, size_t image_bytes) {
  TileModule *module = calloc(1, sizeof *module);
  TileStatus status = tile_status_ok();
  name = name ? name : "module";
  if (!module)
    status = tile_status_error(TILE_STATUS_USER_ERROR, "out of memory");
  else if (!metadata || !image)
    status = tile_status_error(TILE_STATUS_USER_ERROR,
                               "%s: expected metadata and PTX or a cubin, got "
                               "no %s",
                               name, metadata ? "image" : "metadata");
  if (module)
    module->device = device;
  if (tile_status_is_ok(&status))
    status = load(module, name, metadata, metadata_bytes, image, image_bytes);
  if (tile_device_tell(device, &status, "load"))
    return module;
  tile_module_destroy(module);
  return NULL;
}

void tile_module_destroy(TileModule *module) {
  if (!module)
    return;
  if (module->image)
    tile_device_unload_module(module->device, module->image);
  tile_host_function_destroy(module->function);
  free(module);
}

//===-- Queries -----------------------------------------------------------===//

const char *tile_module_name(const TileModule *module) {
  return module->function->name;
}

size_t tile_module_num_params(const TileModule *module) {
  return (size_t)module->function->num_params;
}

bool tile_module_param(const TileModule *module, size_t index,
                       TileParamInfo *out_info) {
  const TileHostParam *param =
      tile_host_function_param(module->function, index);
  if (!param)
    return false;
  *out_info = (TileParamInfo){.name = param->name,
                              .is_scalar = param->is_scalar,
                              .is_mutable = param->is_mutable,
                              .element_type = tile_dtype_name(param->dtype),
                              .rank = param->rank,
                              .shape = param->shape,
                              .strides = param->strides};
  return true;
}

size_t tile_module_num_results(const TileModule *module) {
  return (size_t)module->function->num_results;
}

bool tile_module_result(const TileModule *module, size_t index,
                        TileParamInfo *out_info) {
  static const int64_t any[TILE_LAUNCH_MAX_RANK] = {-1, -1, -1, -1,
                                                    -1, -1, -1, -1};
  if (index >= tile_module_num_results(module))
    return false;
  const HostResult *result = &module->function->results[index];
  *out_info = (TileParamInfo){.name = "",
                              .is_scalar = result->is_scalar,
                              .is_mutable = true,
                              .element_type = tile_dtype_name(result->dtype),
                              .rank = result->rank,
                              .shape = any,
                              .strides = any};
  return true;
}

size_t tile_module_num_launches(const TileModule *module) {
  return (size_t)module->function->num_launches;
}

size_t tile_module_num_variants(const TileModule *module, size_t launch) {
  return launch < tile_module_num_launches(module)
             ? (size_t)module->function->launches[launch].num_variants
             : 0;
}

static const Variant *variant_at(const TileModule *module, size_t launch,
                                 size_t variant) {
  return variant < tile_module_num_variants(module, launch)
             ? &module->function->launches[launch].variants[variant]
             : NULL;
}

bool tile_module_variant(const TileModule *module, size_t launch,
                         size_t variant, TileVariantInfo *out_info) {
  const Variant *found = variant_at(module, launch, variant);
  if (!found)
    return false;
  *out_info =
      (TileVariantInfo){.kernel = found->kernel,
                        .num_requirements = (size_t)found->requirements.count,
                        .dynamic_smem_bytes = found->dynamic_smem_bytes};
  memcpy(out_info->cluster, found->cluster, sizeof out_info->cluster);
  return true;
}

const char *tile_module_requirement(const TileModule *module, size_t launch,
                                    size_t variant, size_t index) {
  const Variant *found = variant_at(module, launch, variant);
  return found && index < (size_t)found->requirements.count
             ? found->requirements.items[index].text
             : NULL;
}

//===-- Launches ----------------------------------------------------------===//

static TileStatus read_args(const TileModule *module,
                            const TileLaunchArg *given, TileArg *args) {
  const TileHostFunction *function = module->function;
  for (int i = 0; i < function->num_params; i++) {
    const TileHostParam *param = &function->params[i];
    TileStatus status =
        launch_arg_read(module->device, param, &given[i], &args[i]);
    if (!tile_status_is_ok(&status))
      return tile_status_error(status.code, "%s: argument %d ('%s'): %.800s",
                               function->name, i, param->name, status.message);
  }
  return tile_status_ok();
}

/// Makes tensors in memory of the program known to the emulator.
static TileStatus map_tensors(const TileModule *module, const TileArg *args,
                              bool *is_mapped) {
  TileDevice *device = module->device;
  for (int i = 0; i < module->function->num_params; i++) {
    uint64_t size_bytes =
        args[i].is_scalar ? 0 : tile_launch_arg_size_bytes(&args[i]);
    if (size_bytes == 0 || tile_device_owns(device, args[i].address))
      continue;
    TileStatus status =
        tile_emu_map_host(device->emu, (void *)(uintptr_t)args[i].address,
                          size_bytes, module->function->params[i].name);
    if (!tile_status_is_ok(&status))
      return status;
    is_mapped[i] = true;
  }
  return tile_status_ok();
}

static void tell_remark(const char *line, void *user_data) {
  const TileDevice *device = user_data;
  tile_diagnostic_send(device->on_diagnostic, device->user_data,
                       TILE_SEVERITY_REMARK, "variant", line);
}

static TileStatus run(const TileModule *module, void *stream,
                      const TileArg *args, TileHostValue *results) {
  TileDevice *device = module->device;
  TileRunOptions options = {.module = module->image,
                            .stream = stream,
                            .is_queued = true,
                            .results = results,
                            .remark = tell_remark,
                            .user_data = device};
  return tile_host_function_run(module->function, device, args,
                                tile_module_num_params(module), &options);
}

static TileStatus run_on_emulator(const TileModule *module, void *stream,
                                  const TileArg *args, TileHostValue *results) {
  TileDevice *device = module->device;
  size_t num_args = tile_module_num_params(module);
  TRY(tile_host_function_check_args(module->function, args, num_args));
  bool *is_mapped = calloc(num_args + 1, sizeof *is_mapped);
  TileStatus status =
      is_mapped ? map_tensors(module, args, is_mapped)
                : tile_status_error(TILE_STATUS_USER_ERROR, "out of memory");
  if (tile_status_is_ok(&status))
    status = run(module, stream, args, results);
  for (size_t i = 0; is_mapped && i < num_args; i++)
    if (is_mapped[i])
      tile_emu_free(device->emu, (void *)(uintptr_t)args[i].address);
  free(is_mapped);
  return status;
}

static TileStatus launch_with(const TileModule *module, void *stream,
                              const TileLaunchArg *given, TileArg *args,
                              TileHostValue *results) {
  TRY(read_args(module, given, args));
  return module->device->emu ? run_on_emulator(module, stream, args, results)
                             : run(module, stream, args, results);
}

static TileStatus launch(const TileModule *module, void *stream,
                         const TileLaunchArg *given, size_t num_args,
                         TileHostValue *results) {
  size_t count = tile_module_num_params(module);
  if (num_args != count)
    return tile_status_error(TILE_STATUS_USER_ERROR,
                             "%s: expected %zu arguments, got %zu",
                             module->function->name, count, num_args);
  TileArg *args = malloc((count + 1) * sizeof *args); // each is set when read
  TileStatus status =
      args ? launch_with(module, stream, given, args, results)
           : tile_status_error(TILE_STATUS_USER_ERROR, "out of memory");
  free(args);
  return status;
}

bool tile_module_launch(TileModule *module, void *stream,
                        const TileLaunchArg *args, size_t num_args) {
  int num_results = module->function->num_results;
  TileStatus status =
      num_results == 0
          ? launch(module, stream, args, num_args, NULL)
          : tile_status_error(TILE_STATUS_USER_ERROR,
                              "%s: returns %d results, which tile_module_call "
                              "gives",
                              module->function->name, num_results);
  return tile_device_tell(module->device, &status, "launch");
}

static TileStatus take_results(const TileModule *module,
                               const TileHostValue *values, size_t count,
                               TileLaunchResult *out_results) {
  TileStatus status = tile_status_ok();
  for (size_t i = 0; i < count; i++) {
    launch_result_make(module->device, &values[i], &out_results[i]);
    if (!values[i].memory)
      continue;
    TileStatus adopted = tile_device_adopt(module->device, values[i].memory,
                                           values[i].memory_bytes);
    if (!tile_status_is_ok(&adopted))
      status = adopted;
  }
  return status;
}

static TileStatus call(const TileModule *module, void *stream,
                       const TileLaunchArg *args, size_t num_args,
                       TileLaunchResult *out_results, size_t num_results) {
  size_t count = tile_module_num_results(module);
  if (num_results != count)
    return tile_status_error(TILE_STATUS_USER_ERROR,
                             "%s: expected room for %zu results, got %zu",
                             module->function->name, count, num_results);
  TileHostValue *values = calloc(count + 1, sizeof *values);
  if (!values)
    return tile_status_error(TILE_STATUS_USER_ERROR, "out of memory");
  TileStatus status = launch(module, stream, args, num_args, values);
  if (tile_status_is_ok(&status))
    status = take_results(module, values, count, out_results);
  free(values);
  return status;
}

bool tile_module_call(TileModule *module, void *stream,
                      const TileLaunchArg *args, size_t num_args,
                      TileLaunchResult *out_results, size_t num_results) {
  TileStatus status =
      call(module, stream, args, num_args, out_results, num_results);
  return tile_device_tell(module->device, &status, "launch");
}
