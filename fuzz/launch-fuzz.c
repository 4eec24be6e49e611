//===- launch-fuzz.c - Any launch of a fixed kernel -----------------------===//
//
// Grids, blocks, clusters, shared memory, arguments and tensor maps come from
// the input. The kernel reads through a tensor map, indexes with its arguments
// and meets at barriers.
//
//===----------------------------------------------------------------------===//

#include "Tile/Emulator.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes);

static const char ptx[] =
    ".version 9.0\n.target sm_90a\n.address_size 64\n"
    ".extern .shared .align 128 .b8 dynamic[];\n"
    ".entry k(.param .align 64 .b8 map[128], .param .u64 out, .param .u32 n,\n"
    "         .param .u32 x, .param .u32 y) {\n"
    ".reg .b32 t, i, v, a, cx, cy, r; .reg .b64 to, at, m;\n"
    ".reg .pred p, q, w; .shared .align 8 .b64 full;\n"
    "mov.u32 t, %tid.x; setp.eq.u32 p, t, 0; mov.b64 m, map;\n"
    "ld.param.u64 to, [out]; ld.param.u32 i, [n]; ld.param.u32 cx, [x];\n"
    "ld.param.u32 cy, [y]; mov.u32 r, %cluster_ctarank;\n"
    "@p mbarrier.init.shared.b64 [full], 1;\n"
    "@p fence.mbarrier_init.release.cluster;\n"
    "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n"
    "@p mbarrier.arrive.expect_tx.shared.b64 _, [full], i;\n"
    "@p cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx"
    "::bytes [dynamic], [m, {cx, cy}], [full];\n"
    "WAIT: mbarrier.try_wait.parity.shared.b64 w, [full], 0; @!w bra WAIT;\n"
    "mov.u32 a, dynamic; mad.lo.u32 a, t, 4, a; ld.shared.u32 v, [a];\n"
    "mul.wide.u32 at, t, 4; add.u64 at, at, to; st.global.u32 [at], v;\n"
    "setp.lt.u32 q, t, cy; @q bar.sync 1;\n"
    "bar.sync 0; ret; }\n";

enum { BUFFER_BYTES = 8192 };

/// Takes numbers off the input; zeros when it is used up.
typedef struct {
  const uint8_t *data;
  size_t size_bytes;
} Input;

static uint64_t take(Input *input, size_t size_bytes) {
  uint64_t number = 0;
  if (size_bytes > input->size_bytes)
    size_bytes = input->size_bytes;
  if (size_bytes)
    memcpy(&number, input->data, size_bytes);
  input->data += size_bytes;
  input->size_bytes -= size_bytes;
  return number;
}

/// Mostly small, sometimes anything.
static uint32_t take_size(Input *input) {
  uint32_t first = (uint32_t)take(input, 1);
  return first == 255 ? (uint32_t)take(input, 4) : first;
}

static TileTensorMap take_map(Input *input, void *buffer) {
  TileTensorMap map = {.address = (uintptr_t)buffer};
  map.type = (TileTensorMapType)(take(input, 1) % 16);
  map.rank = (int)(take(input, 1) % 8);
  map.address += take(input, 1);
  for (int i = 0; i < TILE_TENSOR_MAP_MAX_RANK; i++) {
    map.dims[i] = take_size(input);
    map.strides_bytes[i] = take_size(input) * (take(input, 1) & 1 ? 16u : 1u);
    map.box[i] = take_size(input);
    map.elem_strides[i] = (uint32_t)(1 + take(input, 1) % 9);
  }
  map.swizzle_bytes = (int)(take(input, 1) % 5) * 32;
  return map;
}

static void fuzz_launch(TileEmu *emu, TileEmuModule *module, Input *input) {
  void *buffer = NULL;
  TileStatus status = tile_emu_alloc(emu, BUFFER_BYTES, "buffer", &buffer);
  if (!tile_status_is_ok(&status))
    abort();
  TileTensorMap map = take_map(input, buffer);
  _Alignas(64) uint8_t encoded[TILE_TENSOR_MAP_SIZE_BYTES] = {0};
  status = tile_emu_tensor_map_encode(&map, encoded);
  uint64_t pointer = (uintptr_t)buffer + take_size(input);
  uint32_t n = take_size(input), x = take_size(input), y = take_size(input);
  void *args[] = {encoded, &pointer, &n, &x, &y};
  TileEmuLaunch launch = {.args = args};
  launch.num_args = take(input, 1) % 16 ? 5 : take(input, 1) % 6;
  if (take(input, 1) == 255)
    args[take(input, 1) % 5] = NULL;
  for (int i = 0; i < 3; i++) {
    launch.grid[i] = take_size(input);
    launch.block[i] = take_size(input);
    launch.cluster[i] = (uint32_t)(take(input, 1) % 5);
  }
  launch.dynamic_smem_bytes = take_size(input) * (size_t)64;
  uint64_t num_ctas =
      (uint64_t)launch.grid[0] * launch.grid[1] * launch.grid[2];
  if (num_ctas * launch.block[0] * launch.block[1] > 512)
    launch.grid[0] = 0; // nothing wrong with it, it only takes long
  status = tile_emu_launch(emu, module, "k", &launch);
  (void)status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes) {
  Input input = {data, size_bytes};
  TileEmuOptions options;
  tile_emu_options_init(&options);
  uint64_t choice = take(&input, 1);
  options.max_instructions = 20000;
  options.seed = take(&input, 1);
  options.detect_races = choice & 1;
  options.pedantic = choice & 2;
  options.trace = options.collect_statistics = choice & 4;
  options.schedule = (TileEmuSchedule)(choice >> 3 & 7);
  options.num_priority_changes = (int)(choice >> 6);
  TileEmuModule *module = NULL;
  TileStatus status =
      tile_emu_module_parse(ptx, strlen(ptx), "fixed.ptx", &module);
  if (!tile_status_is_ok(&status))
    abort();
  TileEmu *emu = NULL;
  status = tile_emu_create(&options, &emu);
  if (tile_status_is_ok(&status))
    fuzz_launch(emu, module, &input);
  tile_emu_destroy(emu);
  tile_emu_module_destroy(module);
  return 0;
}
