//===- load-fuzz.c - Metadata and PTX to tile_module_create ---------------===//
//
// The input is metadata, a zero byte and PTX. A module that is made is asked
// for all that it knows and launched on the emulator with small tensors.
//
//===----------------------------------------------------------------------===//

#include "Tile/Run.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes);

enum { MAX_PARAMS = 16, MAX_RANK = 8, MAX_TENSOR_BYTES = 1 << 16 };

static void count_error(const TileDiagnostic *diagnostic, void *user_data) {
  *(int *)user_data += diagnostic->severity == TILE_SEVERITY_ERROR;
}

static void ask(const TileModule *module) {
  TileParamInfo param;
  TileVariantInfo variant;
  for (size_t i = 0; i <= tile_module_num_params(module); i++)
    tile_module_param(module, i, &param);
  for (size_t i = 0; i <= tile_module_num_results(module); i++)
    tile_module_result(module, i, &param);
  for (size_t i = 0; i < tile_module_num_launches(module); i++)
    for (size_t k = 0; k <= tile_module_num_variants(module, i); k++)
      if (tile_module_variant(module, i, k, &variant))
        for (size_t r = 0; r <= variant.num_requirements; r++)
          tile_module_requirement(module, i, k, r);
}

/// Extents that are open are 5. False: the tensor is too large.
static bool make_tensor(const TileParamInfo *param, void *memory,
                        int64_t shape[MAX_RANK], TileDLTensor *out) {
  int64_t num_elems = 1;
  for (int d = 0; d < param->rank; d++) {
    shape[d] = param->shape[d] < 0 ? 5 : param->shape[d];
    if (shape[d] > MAX_TENSOR_BYTES)
      return false;
    num_elems *= shape[d] ? shape[d] : 1;
    if (num_elems * 16 > MAX_TENSOR_BYTES)
      return false;
  }
  bool is_bf16 = strcmp(param->element_type, "bf16") == 0;
  uint8_t code = is_bf16 ? 4 : param->element_type[0] == 'f' ? 2 : 0;
  const char *bits = param->element_type + (is_bf16 ? 2 : 1);
  TileDLTensor tensor = {memory,
                         {1, 0}, // of DLPack: memory of the host
                         param->rank,
                         {code, (uint8_t)atoi(bits), 1},
                         shape,
                         NULL,
                         0};
  *out = tensor;
  return true;
}

static void launch(TileDevice *device, TileModule *module) {
  static int64_t shapes[MAX_PARAMS][MAX_RANK];
  TileDLTensor tensors[MAX_PARAMS];
  TileLaunchArg args[MAX_PARAMS];
  TileLaunchResult results[MAX_PARAMS];
  size_t count = tile_module_num_params(module);
  if (count > MAX_PARAMS || tile_module_num_results(module) > MAX_PARAMS)
    return;
  for (size_t i = 0; i < count; i++) {
    TileParamInfo param;
    tile_module_param(module, i, &param);
    void *memory =
        param.is_scalar ? NULL : tile_memory_alloc(device, MAX_TENSOR_BYTES);
    args[i] = tile_arg_int(3);
    if (memory) {
      memset(memory, 0, MAX_TENSOR_BYTES);
      if (!make_tensor(&param, memory, shapes[i], &tensors[i]))
        return;
      args[i] = tile_arg_tensor(&tensors[i]);
    }
  }
  tile_module_call(module, NULL, args, count, results,
                   tile_module_num_results(module));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes) {
  const uint8_t *end = memchr(data, 0, size_bytes);
  size_t metadata_bytes = end ? (size_t)(end - data) : size_bytes;
  size_t ptx_bytes = end ? size_bytes - metadata_bytes - 1 : 0;
  int num_errors = 0;
  TileEmuOptions options;
  tile_emu_options_init(&options);
  options.max_instructions = 20000;
  TileDevice *device =
      tile_device_create_emulator(&options, count_error, &num_errors);
  if (!device)
    abort();
  // With a zero byte after it, which is not counted.
  char *ptx = calloc(1, ptx_bytes + 1);
  if (ptx && ptx_bytes)
    memcpy(ptx, end + 1, ptx_bytes);
  TileModule *module = tile_module_create(device, "fuzz", (const char *)data,
                                          metadata_bytes, ptx, ptx_bytes);
  free(ptx);
  if (!module && num_errors == 0)
    abort(); // nobody was told
  if (module) {
    ask(module);
    launch(device, module);
  }
  tile_module_destroy(module);
  tile_device_destroy(device);
  return 0;
}
