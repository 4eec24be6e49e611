//===- ptx-parse-fuzz.c - Any text as PTX, and runs what is accepted ------===//
//
// Parsing takes bounded time and memory, and no kernel reads or writes outside
// of its own memory, whatever the text says. The last byte chooses options.
// Text that does not begin with a dot is the body of a kernel with registers,
// shared memory and a buffer, so that instructions are reached quickly.
//
//===----------------------------------------------------------------------===//

#include "Tile/Emulator.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes);

enum {
  MAX_KERNELS = 2,
  MAX_PARAMS = 16,
  MAX_INSTRUCTIONS = 4000,
  BUFFER_BYTES = 4096,
  MAX_PARAM_BYTES = 512
};

typedef struct {
  _Alignas(64) uint8_t bytes[MAX_PARAM_BYTES];
} Param;

/// Pointers to a buffer for what may be one, tensor maps for what is as large.
static void fill_param(const TileEmuParam *param, void *buffer, Param *out) {
  memset(out, 0, sizeof *out);
  if (param->size_bytes == sizeof buffer)
    memcpy(out->bytes, &buffer, sizeof buffer);
  else if (param->size_bytes == 4)
    out->bytes[0] = 16;
  if (param->size_bytes != TILE_TENSOR_MAP_SIZE_BYTES)
    return;
  TileTensorMap map = {.type = TILE_TENSOR_MAP_BF16,
                       .rank = 2,
                       .address = (uintptr_t)buffer,
                       .dims = {32, 32},
                       .strides_bytes = {0, 64},
                       .box = {32, 8},
                       .elem_strides = {1, 1}};
  TileStatus status = tile_emu_tensor_map_encode(&map, out->bytes);
  if (!tile_status_is_ok(&status))
    abort();
}

static void launch(TileEmu *emu, TileEmuModule *module,
                   const TileEmuKernelInfo *kernel, void *buffer) {
  Param params[MAX_PARAMS];
  void *args[MAX_PARAMS];
  if (kernel->num_params > MAX_PARAMS)
    return;
  for (size_t i = 0; i < kernel->num_params; i++) {
    if (kernel->params[i].size_bytes > MAX_PARAM_BYTES)
      return;
    fill_param(&kernel->params[i], buffer, &params[i]);
    args[i] = params[i].bytes;
  }
  TileEmuLaunch launch = {.grid = {2, 1, 1},
                          .block = {40, 1, 1},
                          .dynamic_smem_bytes = 2048,
                          .args = args,
                          .num_args = kernel->num_params};
  if (kernel->reqntid[0])
    memcpy(launch.block, kernel->reqntid, sizeof launch.block);
  if (kernel->cluster[0])
    memcpy(launch.grid, kernel->cluster, sizeof launch.grid);
  TileStatus status = tile_emu_launch(emu, module, kernel->name, &launch);
  (void)status; // anything but a crash is fine
}

static void run(TileEmuModule *module, uint8_t choice) {
  TileEmuOptions options;
  tile_emu_options_init(&options);
  options.max_instructions = MAX_INSTRUCTIONS;
  options.pedantic = choice & 1;
  options.detect_races = !(choice & 2);
  options.collect_statistics = options.trace = choice & 4;
  options.schedule = (TileEmuSchedule)(choice >> 3 & 3);
  TileEmu *emu = NULL;
  TileStatus status = tile_emu_create(&options, &emu);
  if (!tile_status_is_ok(&status))
    abort();
  void *buffer = NULL;
  status = tile_emu_alloc(emu, BUFFER_BYTES, "buffer", &buffer);
  if (!tile_status_is_ok(&status))
    abort();
  size_t num_kernels = tile_emu_module_num_kernels(module);
  for (size_t i = 0; i < num_kernels && i < MAX_KERNELS; i++)
    launch(emu, module, tile_emu_module_kernel(module, i), buffer);
  if (!tile_emu_report_json(emu, NULL) || !tile_emu_statistics_text(emu) ||
      !tile_emu_trace_json(emu))
    abort();
  tile_emu_destroy(emu);
}

static const char prologue[] =
    ".version 9.0\n.target sm_90a\n.address_size 64\n"
    ".extern .shared .align 128 .b8 dynamic[];\n"
    ".entry k(.param .align 64 .b8 map[128], .param .u64 in, .param .u64 out)\n"
    "{ .reg .b16 h<8>; .reg .b32 r<8>; .reg .b64 d<8>; .reg .f32 f<8>;\n"
    ".reg .f64 g<8>; .reg .pred p<4>; .reg .b128 q<2>; .reg .b64 m;\n"
    ".shared .align 128 .b8 s[2048]; .shared .align 8 .b64 bar[2];\n"
    ".local .align 8 .b8 own[64];\n"
    "ld.param.u64 d0, [in]; ld.param.u64 d1, [out]; mov.b64 m, map;\n"
    "mov.u32 r0, %tid.x; mov.u32 r1, s; mad.lo.u32 r2, r0, 16, r1;\n"
    "mad.wide.u32 d2, r0, 16, d0; setp.eq.u32 p0, r0, 0; mov.u64 d3, own;\n"
    "mov.u32 r3, 0; mov.b64 d4, 0; mov.f32 f0, 0f3f800000; mov.b16 h0, 1;\n"
    "mov.f64 g0, 0d3ff0000000000000; setp.ne.u32 p1, 0, 0;\n"
    "@p0 mbarrier.init.shared.b64 [bar], 1; bar.sync 0;\n";
static const char epilogue[] = "\nret; }\n";

/// Text to parse: the input, or the input as the body of a kernel. free().
static char *text_of(const uint8_t *data, size_t size_bytes,
                     size_t *out_size_bytes) {
  bool is_body = size_bytes && *data != '.' && *data != '/';
  size_t before = is_body ? sizeof prologue - 1 : 0;
  size_t after = is_body ? sizeof epilogue - 1 : 0;
  char *text = malloc(before + size_bytes + after + 1);
  if (!text)
    abort();
  memcpy(text, prologue, before);
  if (size_bytes)
    memcpy(text + before, data, size_bytes);
  memcpy(text + before + size_bytes, epilogue, after);
  *out_size_bytes = before + size_bytes + after;
  return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes) {
  TileEmuModule *module = NULL;
  size_t text_bytes;
  char *text = text_of(data, size_bytes, &text_bytes);
  // A copy of exactly this size: reading past the end is seen.
  char *exact = malloc(text_bytes ? text_bytes : 1);
  if (!exact)
    abort();
  memcpy(exact, text, text_bytes);
  free(text);
  TileStatus status =
      tile_emu_module_parse(exact, text_bytes, "fuzz.ptx", &module);
  free(exact);
  if (!tile_status_is_ok(&status))
    return module ? abort(), 0 : 0;
  run(module, size_bytes ? data[size_bytes - 1] : 0);
  tile_emu_module_destroy(module);
  return 0;
}
