//===- emulator-im2col-test.c - im2col, gather4 and element types of TMA --===//

#include "emulator-harness.h"

#include <stdlib.h>

enum { CHANNELS = 8, MAX_ELEMS = 1 << 14, OUT_BYTES = 1 << 15 };
static uint32_t tensor[MAX_ELEMS], out[OUT_BYTES / 4];

/// One copy of a tensor of 32-bit elements, four channels a pixel.
typedef struct {
  TileTensorMap map;
  int32_t start[5];
  uint32_t offsets[3];
} Case;

//===-- A naive version ---------------------------------------------------===//

/// Index of the element in the tensor, or -1 outside of it.
static int64_t element(const TileTensorMap *map, const int64_t *at) {
  int64_t index = 0;
  for (int dim = map->rank - 1; dim >= 0; dim--) {
    if (at[dim] < 0 || at[dim] >= (int64_t)map->dims[dim])
      return -1;
    index = index * (int64_t)map->dims[dim] + at[dim];
  }
  return index;
}

/// Where pixel number `pixel` is: the filter moves through the box from
/// where it starts, the width fastest, and on to the next image.
static void pixel_at(const Case *c, uint32_t pixel, int64_t at[5]) {
  const TileTensorMap *map = &c->map;
  for (int i = 0; i < 5; i++)
    at[i] = c->start[i];
  while (pixel--) {
    int dim = 1;
    for (; dim < map->rank - 1; dim++) {
      int64_t last = (int64_t)map->dims[dim] - 1 + map->upper_corner[dim - 1];
      at[dim] += map->elem_strides[dim];
      if (at[dim] <= last)
        break;
      at[dim] = map->lower_corner[dim - 1];
    }
    at[map->rank - 1] += dim == map->rank - 1;
  }
  for (int i = 1; i < map->rank - 1; i++)
    at[i] += c->offsets[i - 1];
}

static int64_t pixel_element(const Case *c, uint32_t pixel, uint32_t channel) {
  int64_t at[5];
  pixel_at(c, pixel, at);
  at[0] += channel;
  return element(&c->map, at);
}

//===-- Kernels -----------------------------------------------------------===//

/// `copy` from or to `s`, with the map at `m`, coordinates c0 to c4, offsets o0
/// to o2 and the mbarrier `bar`; then shared memory goes to `out`.
#define LOAD_KERNEL(copy)                                                      \
  HARNESS_HEADER                                                               \
  ".extern .shared .align 1024 .b8 smem[];\n"                                  \
  ".entry k(.param .u64 t, .param .align 64 .b8 map[128], .param .u64 out, "   \
  ".param .u32 size, .param .align 4 .b8 at[32]) {\n"                          \
  ".shared .align 8 .b64 bar; .reg .b64 to, m, r; .reg .b32 tid, s, n, i, w, " \
  "c<5>, x<3>; .reg .b16 o<3>; .reg .pred p, q;\n"                             \
  "ld.param.u64 to, [out]; ld.param.u32 n, [size]; mov.u32 tid, %tid.x; "      \
  "mov.u32 s, smem; mov.u64 m, map;\n"                                         \
  "ld.param.u32 c0, [at]; ld.param.u32 c1, [at+4]; ld.param.u32 c2, [at+8]; "  \
  "ld.param.u32 c3, [at+12]; ld.param.u32 c4, [at+16]; ld.param.u32 x0, "      \
  "[at+20]; ld.param.u32 x1, [at+24]; ld.param.u32 x2, [at+28];\n"             \
  "cvt.u16.u32 o0, x0; cvt.u16.u32 o1, x1; cvt.u16.u32 o2, x2;\n"              \
  "setp.ne.u32 p, tid, 0; @p bra READY;\n"                                     \
  "mbarrier.init.shared.b64 [bar], 1;\nREADY: bar.sync 0;\n@p bra WAIT;\n"     \
  "mbarrier.arrive.expect_tx.shared.b64 _, [bar], n;\n" copy ";\n"             \
  "WAIT: mbarrier.try_wait.parity.shared.b64 q, [bar], 0;\n@!q bra WAIT;\n"    \
  "shl.b32 i, tid, 2;\n"                                                       \
  "COPY: setp.ge.u32 q, i, n; @q ret; add.u32 w, s, i;\n"                      \
  "ld.shared.u32 w, [w]; cvt.u64.u32 r, i; add.u64 r, to, r;\n"                \
  "st.global.u32 [r], w; add.u32 i, i, 128; bra COPY; }"
#define IM2COL(rank, coords, offsets)                                          \
  LOAD_KERNEL("cp.async.bulk.tensor." rank                                     \
              ".shared::cluster.global.im2col.mbarrier::complete_tx::bytes "   \
              "[s], [m, {" coords "}], [bar], {" offsets "}")

static const char *const load_kernels[] = {
    IM2COL("3d", "c0, c1, c2", "o0"),
    IM2COL("4d", "c0, c1, c2, c3", "o0, o1"),
    IM2COL("5d", "c0, c1, c2, c3, c4", "o0, o1, o2"),
};

/// Word i of shared memory is i + 1.
#define STORE_KERNEL(copy)                                                     \
  HARNESS_HEADER                                                               \
  ".extern .shared .align 1024 .b8 smem[];\n"                                  \
  ".entry k(.param .u64 t, .param .align 64 .b8 map[128], .param .u64 out, "   \
  ".param .u32 size, .param .align 4 .b8 at[32]) {\n"                          \
  ".reg .b64 m; .reg .b32 tid, s, n, i, w, v, c<5>; .reg .pred p;\n"           \
  "ld.param.u32 n, [size]; mov.u32 tid, %tid.x; mov.u32 s, smem; "             \
  "mov.u64 m, map; ld.param.u32 c0, [at]; ld.param.u32 c1, [at+4]; "           \
  "ld.param.u32 c2, [at+8]; ld.param.u32 c3, [at+12]; ld.param.u32 c4, "       \
  "[at+16]; mov.u32 i, tid;\n"                                                 \
  "FILL: shl.b32 w, i, 2; setp.ge.u32 p, w, n; @p bra DONE; "                  \
  "add.u32 w, s, w; add.u32 v, i, 1; st.shared.u32 [w], v; "                   \
  "add.u32 i, i, 32; bra FILL;\nDONE: fence.proxy.async.shared::cta;\n"        \
  "bar.sync 0; setp.ne.u32 p, tid, 0; @p ret;\n" copy ";\n"                    \
  "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; ret; }"
#define NO_OFFSETS(rank, coords)                                               \
  STORE_KERNEL("cp.async.bulk.tensor." rank                                    \
               ".global.shared::cta.im2col_no_offs.bulk_group "                \
               "[m, {" coords "}], [s]")

static const char *const store_kernels[] = {
    NO_OFFSETS("3d", "c0, c1, c2"),
    NO_OFFSETS("4d", "c0, c1, c2, c3"),
    NO_OFFSETS("5d", "c0, c1, c2, c3, c4"),
};

/// The launcher of the harness knows buffers, maps and numbers; coordinates
/// are bytes of a parameter.
static HarnessResult run_case(const char *ptx, const Case *c,
                              uint32_t size_bytes) {
  TileEmuModule *module = NULL;
  TileStatus status =
      tile_emu_module_parse(ptx, strlen(ptx), "test.ptx", &module);
  if (!tile_status_is_ok(&status))
    fail_msg("%s", status.message);
  TileEmu *emu = NULL;
  assert_true(
      (status = tile_emu_create(NULL, &emu), tile_status_is_ok(&status)));
  void *memory = NULL, *result = NULL;
  tile_emu_alloc(emu, sizeof tensor, "tensor", &memory);
  tile_emu_alloc(emu, sizeof out, "out", &result);
  memcpy(memory, tensor, sizeof tensor);
  TileTensorMap map = c->map;
  map.address = (uintptr_t)memory;
  _Alignas(64) uint8_t encoded[TILE_TENSOR_MAP_SIZE_BYTES];
  status = tile_emu_tensor_map_encode(&map, encoded);
  if (!tile_status_is_ok(&status))
    fail_msg("%s", status.message);
  uint32_t at[8];
  memcpy(at, c->start, sizeof c->start);
  memcpy(at + 5, c->offsets, sizeof c->offsets);
  void *args[] = {&memory, encoded, &result, &size_bytes, at};
  TileEmuLaunch launch = {.grid = {1, 1, 1},
                          .block = {32, 1, 1},
                          .dynamic_smem_bytes = OUT_BYTES,
                          .args = args,
                          .num_args = 5};
  HarnessResult run = {0};
  run.status = tile_emu_launch(emu, module, "k", &launch);
  run.report = strdup(tile_emu_report(emu));
  memcpy(tensor, memory, sizeof tensor);
  memcpy(out, result, sizeof out);
  tile_emu_destroy(emu);
  tile_emu_module_destroy(module);
  return run;
}

static void run_clean(const char *ptx, const Case *c, uint32_t size_bytes) {
  HarnessResult run = run_case(ptx, c, size_bytes);
  if (run.status.code != TILE_STATUS_OK)
    fail_msg("%s", run.report);
  harness_result_deinit(&run);
}

static void run_finds(const char *ptx, const Case *c, uint32_t size_bytes,
                      const char *text) {
  HarnessResult run = run_case(ptx, c, size_bytes);
  if (!strstr(run.report, text))
    fail_msg("expected \"%s\" in \"%s\"", text, run.report);
  harness_result_deinit(&run);
}

//===-- Random cases ------------------------------------------------------===//

static int32_t between(uint32_t *seed, int32_t low, int32_t high) {
  return low + (int32_t)(harness_random(seed) % (uint32_t)(high - low + 1));
}

static uint32_t column_bytes(const Case *c) {
  return c->map.pixels_per_column * 16;
}

/// Stores may not leave the tensor.
static Case random_case(uint32_t *seed, bool is_store) {
  Case c = {.map = {.type = TILE_TENSOR_MAP_U32,
                    .rank = between(seed, 3, 5),
                    .is_im2col = true,
                    .channels_per_pixel = 4}};
  TileTensorMap *map = &c.map;
  uint64_t stride = 4;
  for (int dim = 0; dim < map->rank; dim++) {
    bool is_space = dim > 0 && dim < map->rank - 1;
    map->dims[dim] = dim == 0   ? CHANNELS
                     : is_space ? (uint64_t)between(seed, 3, 8)
                                : (uint64_t)between(seed, 1, 3);
    map->strides_bytes[dim] = stride;
    stride *= map->dims[dim];
    map->elem_strides[dim] = is_space ? (uint32_t)between(seed, 1, 3) : 1;
    if (!is_space) {
      c.start[dim] = dim ? between(seed, 0, (int32_t)map->dims[dim] - 1)
                         : 4 * between(seed, 0, 1);
      continue;
    }
    int32_t last = (int32_t)map->dims[dim] - 1;
    int32_t lower = is_store ? between(seed, 0, 1) : between(seed, -3, 1);
    int32_t upper = is_store ? between(seed, -1, 0) : between(seed, -3, 2);
    if (last + upper < lower)
      upper = lower - last;
    map->lower_corner[dim - 1] = lower;
    map->upper_corner[dim - 1] = upper;
    c.start[dim] = between(seed, lower, last + upper);
    c.offsets[dim - 1] = is_store ? 0 : (uint32_t)between(seed, 0, 3);
  }
  map->pixels_per_column = (uint32_t)between(seed, 1, 80);
  return c;
}

static void fill_tensor(void) {
  for (uint32_t i = 0; i < MAX_ELEMS; i++)
    tensor[i] = i + 1;
}

static void loads(void **state) {
  (void)state;
  uint32_t seed = 3;
  for (int i = 0; i < 300; i++) {
    Case c = random_case(&seed, false);
    fill_tensor();
    run_clean(load_kernels[c.map.rank - 3], &c, column_bytes(&c));
    for (uint32_t p = 0; p < c.map.pixels_per_column; p++)
      for (uint32_t k = 0; k < 4; k++)
        assert_int_equal(out[4 * p + k], pixel_element(&c, p, k) + 1);
  }
}

static void stores(void **state) {
  (void)state;
  uint32_t seed = 7;
  static uint32_t expected[MAX_ELEMS];
  for (int i = 0; i < 100; i++) {
    Case c = random_case(&seed, true);
    memset(tensor, 0, sizeof tensor);
    memset(expected, 0, sizeof expected);
    run_clean(store_kernels[c.map.rank - 3], &c, column_bytes(&c));
    for (uint32_t p = 0; p < c.map.pixels_per_column; p++)
      for (uint32_t k = 0; k < 4; k++) {
        int64_t index = pixel_element(&c, p, k);
        if (index >= 0)
          expected[index] = 4 * p + k + 1;
      }
    assert_memory_equal(tensor, expected, sizeof tensor);
  }
}

/// What an H200 copies: the first channel of each pixel.
static void as_on_hardware(void **state) {
  (void)state;
  static const uint32_t five[] = {0, 0, 2137, 2145, 2153, 2161, 2169, 2177,
                                  0, 0, 2193, 2201, 2209, 2217, 2225, 2233,
                                  0, 0, 2249, 2257, 2265, 2273, 2281, 2289,
                                  0, 0, 2305, 2313, 2321, 2329, 2337, 2345,
                                  0, 0, 0,    0,    0,    0,    0,    0};
  Case c = {.map = {.type = TILE_TENSOR_MAP_U32,
                    .rank = 5,
                    .dims = {8, 7, 7, 7, 3},
                    .strides_bytes = {0, 32, 224, 1568, 10976},
                    .elem_strides = {1, 1, 1, 1, 1},
                    .is_im2col = true,
                    .lower_corner = {0, 1, -2},
                    .upper_corner = {1, 2, -2},
                    .channels_per_pixel = 4,
                    .pixels_per_column = 40},
            .start = {0, 6, 8, 3, 0},
            .offsets = {1, 2, 1}};
  fill_tensor();
  run_clean(load_kernels[2], &c, column_bytes(&c));
  for (int p = 0; p < 40; p++)
    assert_int_equal(out[4 * p], five[p]);
}

static Case small_case(void) {
  return (Case){.map = {.type = TILE_TENSOR_MAP_U32,
                        .rank = 4,
                        .dims = {CHANNELS, 6, 5, 3},
                        .strides_bytes = {0, 32, 192, 960},
                        .elem_strides = {1, 1, 1, 1},
                        .is_im2col = true,
                        .lower_corner = {-1, 0},
                        .upper_corner = {-1, 1},
                        .channels_per_pixel = 4,
                        .pixels_per_column = 12},
                .start = {0, 2, 2, 1}};
}

/// Swizzled as the boxes of tiled maps are; out of bounds is NaN.
static void swizzle_and_fill(void **state) {
  (void)state;
  for (int mode = 0; mode < 3; mode++) {
    Case c = small_case();
    c.map.type = TILE_TENSOR_MAP_F32;
    c.map.oob_nan = true;
    c.map.channels_per_pixel = 8;
    c.map.swizzle_bytes = mode == 0 ? 0 : 16 << mode;
    fill_tensor();
    run_clean(load_kernels[1], &c, 2 * column_bytes(&c));
    for (uint32_t p = 0; p < 12; p++)
      for (uint32_t k = 0; k < 8; k++) {
        uint32_t unit = (8 * p + k) / 4;
        uint32_t mask = mode == 0 ? 0 : mode == 1 ? 1 : 3;
        uint32_t place = (unit ^ (unit / 8 & mask)) * 4 + k % 4;
        int64_t index = pixel_element(&c, p, k);
        assert_int_equal(out[place], index < 0 ? 0x7ff77ff7 : index + 1);
      }
  }
}

//===-- Mistakes ----------------------------------------------------------===//

static void coordinates(void **state) {
  (void)state;
  static const struct {
    int32_t start[4];
    uint32_t offset;
    const char *text; // NULL: allowed, and nothing is in the tensor
  } cases[] = {
      {{8, 2, 2, 1}, 0, NULL},
      {{-4, 2, 2, 1}, 0, NULL},
      {{0, 2, 2, -2}, 0, NULL},
      {{0, 2, 2, 3}, 0, NULL},
      {{0, 2, 2, 1}, 255, NULL},
      {{6, 2, 2, 1}, 0, "at element 6, byte 24 of a row"},
      {{-3, 2, 2, 1}, 0, "at element -3, byte -12 of a row"},
      {{0, -2, 2, 1}, 0, "outside of the box of the im2col map"},
      {{0, 5, 2, 1}, 0, "outside of the box of the im2col map"},
      {{0, 2, -1, 1}, 0, "outside of the box of the im2col map"},
      {{0, 2, 6, 1}, 0, "outside of the box of the im2col map"},
      {{0, 2, 2, 1}, 256, "im2col offset 0 is 256, at most 255"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    Case c = small_case();
    memcpy(c.start, cases[i].start, sizeof cases[i].start);
    c.offsets[0] = cases[i].offset;
    fill_tensor();
    if (cases[i].text) {
      run_finds(load_kernels[1], &c, column_bytes(&c), cases[i].text);
      continue;
    }
    run_clean(load_kernels[1], &c, column_bytes(&c));
    for (uint32_t k = 0; k < column_bytes(&c) / 4; k++)
      assert_int_equal(out[k], 0);
  }
}

static void store_coordinates(void **state) {
  (void)state;
  Case c = small_case();
  run_finds(store_kernels[1], &c, column_bytes(&c), "leaves the tensor");
  c.map.lower_corner[0] = c.map.upper_corner[1] = 0;
  run_clean(store_kernels[1], &c, column_bytes(&c));
  c.start[3] = -1;
  run_finds(store_kernels[1], &c, column_bytes(&c),
            "coordinate 3 of a store is -1");
}

static void wrong_kind_of_map(void **state) {
  (void)state;
  Case c = small_case();
  run_finds(load_kernels[0], &c, column_bytes(&c), "tensor map of rank 4");
  run_finds(LOAD_KERNEL("cp.async.bulk.tensor.4d.shared::cluster.global.tile."
                        "mbarrier::complete_tx::bytes [s], [m, {c0, c1, c2, "
                        "c3}], [bar]"),
            &c, column_bytes(&c), "im2col tensor map in an instruction for");
  c.map.is_im2col = false;
  memcpy(c.map.box, (uint32_t[]){4, 3, 2, 1}, 4 * sizeof(uint32_t));
  run_finds(load_kernels[1], &c, 96, "tiled tensor map in an instruction for");
}

static void refused_instructions(void **state) {
  (void)state;
  harness_parse_fails(IM2COL("4d", "c0, c1, c2, c3", "o0"),
                      "expected 2 im2col offsets");
  harness_parse_fails(LOAD_KERNEL("cp.async.bulk.tensor.4d.shared::cluster."
                                  "global.im2col.mbarrier::complete_tx::bytes "
                                  "[s], [m, {c0, c1, c2, c3}], [bar]"),
                      "operands");
  Case c = small_case();
  run_finds(LOAD_KERNEL("cp.async.bulk.tensor.4d.shared::cluster.global."
                        "im2col::w.mbarrier::complete_tx::bytes [s], [m, {c0, "
                        "c1, c2, c3}], [bar], {o0, o1}"),
            &c, column_bytes(&c), "im2col::w is of sm_100 and later");
}

static void map_rules(void **state) {
  (void)state;
  static const struct {
    int rank;
    int32_t lower, upper;
    uint32_t channels, pixels, elem_stride;
    const char *message; // NULL: the driver takes it
  } cases[] = {
      {4, -1, -1, 8, 64, 1, NULL},
      {3, -32768, 0, 8, 64, 1, NULL},
      {4, 0, 127, 8, 64, 1, NULL},
      {5, -16, 0, 8, 64, 1, NULL},
      {4, 0, 0, 256, 1024, 8, NULL},
      {4, 5, -10, 8, 64, 1, NULL}, // a box of one pixel
      {2, 0, 0, 8, 64, 1, "rank is 2, not in [3, 5]"},
      {3, -32769, 0, 8, 64, 1, "not in [-32768, 32767]"},
      {4, 0, 128, 8, 64, 1, "not in [-128, 127]"},
      {5, -17, 0, 8, 64, 1, "not in [-16, 15]"},
      {4, 5, -11, 8, 64, 1, "is empty in dimension 1"},
      {4, 0, 0, 0, 64, 1, "0 channels"},
      {4, 0, 0, 264, 64, 1, "264 channels"},
      {4, 0, 0, 4, 64, 1, "inner box has 8 bytes"},
      {4, 0, 0, 8, 0, 1, "0 pixels"},
      {4, 0, 0, 8, 1025, 1, "1025 pixels"},
      {4, 0, 0, 8, 64, 9, "element stride"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    TileTensorMap map = {.type = TILE_TENSOR_MAP_F16,
                         .rank = cases[i].rank,
                         .dims = {512, 16, 16, 16, 16},
                         .strides_bytes = {0, 1024, 16384, 262144, 4194304},
                         .is_im2col = true,
                         .channels_per_pixel = cases[i].channels,
                         .pixels_per_column = cases[i].pixels};
    for (int k = 0; k < 3; k++) {
      map.lower_corner[k] = cases[i].lower;
      map.upper_corner[k] = cases[i].upper;
      map.elem_strides[k + 1] = cases[i].elem_stride;
    }
    _Alignas(64) uint8_t encoded[TILE_TENSOR_MAP_SIZE_BYTES];
    TileStatus status = tile_emu_tensor_map_encode(&map, encoded);
    const char *message = cases[i].message;
    if (!message)
      assert_int_equal(status.code, TILE_STATUS_OK);
    else if (status.code == TILE_STATUS_OK || !strstr(status.message, message))
      fail_msg("expected \"%s\" in \"%s\"", message, status.message);
  }
}

//===-- gather4 and scatter4 ----------------------------------------------===//

static Case rows_case(void) {
  return (Case){.map = {.type = TILE_TENSOR_MAP_U32,
                        .rank = 2,
                        .dims = {24, 40},
                        .strides_bytes = {0, 96},
                        .box = {16, 1},
                        .elem_strides = {1, 1}},
                .start = {12, 7, 0, 39, 7}};
}

static void gather(void **state) {
  (void)state;
  Case c = rows_case();
  fill_tensor();
  c.start[2] = 40; // outside
  run_clean(LOAD_KERNEL("cp.async.bulk.tensor.2d.shared::cluster.global.tile::"
                        "gather4.mbarrier::complete_tx::bytes [s], [m, {c0, "
                        "c1, c2, c3, c4}], [bar]"),
            &c, 256);
  for (int r = 0; r < 4; r++)
    for (int k = 0; k < 16; k++) {
      int32_t row = c.start[1 + r], column = 12 + k;
      bool is_inside = row < 40 && column < 24;
      assert_int_equal(out[16 * r + k], is_inside ? row * 24 + column + 1 : 0);
    }
}

static void scatter(void **state) {
  (void)state;
  static const char kernel[] = STORE_KERNEL(
      "cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group "
      "[m, {c0, c1, c2, c3, c4}], [s]");
  Case c = rows_case();
  c.start[4] = 8;
  memset(tensor, 0, sizeof tensor);
  run_clean(kernel, &c, 256);
  for (int row = 0; row < 40; row++)
    for (int column = 0; column < 24; column++) {
      uint32_t expected = 0;
      for (int r = 0; r < 4; r++)
        if (row == c.start[1 + r] && column >= 12)
          expected = (uint32_t)(16 * r + column - 12 + 1);
      assert_int_equal(tensor[row * 24 + column], expected);
    }
  c.map.box[1] = 2;
  run_finds(kernel, &c, 256, "2 rows in the box of the tensor map");
}

//===-- Element types -----------------------------------------------------===//

static const char linear_load[] =
    LOAD_KERNEL("cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::"
                "complete_tx::bytes [s], [m, {c0}], [bar]");
static const char linear_add[] = STORE_KERNEL(
    "cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.tile.bulk_group "
    "[m, {c0}], [s]");

static Case linear_case(TileTensorMapType type) {
  return (Case){.map = {.type = type,
                        .rank = 1,
                        .dims = {64},
                        .box = {8},
                        .elem_strides = {1}}};
}

/// As on an H200: loads of TF32 maps round, others copy bits.
static void tf32_rounds(void **state) {
  (void)state;
  static const uint32_t bits[8] = {0x00000001, 0x80000123, 0x3f801fff,
                                   0x3f801000, 0x3f803000, 0x7f801001,
                                   0x3fffffff, 0x40498752};
  static const uint32_t rounded[8] = {0x00000000, 0x80000000, 0x3f802000,
                                      0x3f800000, 0x3f804000, 0x7fffe000,
                                      0x40000000, 0x40498000};
  static const TileTensorMapType types[] = {
      TILE_TENSOR_MAP_F32, TILE_TENSOR_MAP_F32_FTZ, TILE_TENSOR_MAP_TF32,
      TILE_TENSOR_MAP_TF32_FTZ};
  for (int i = 0; i < 4; i++) {
    Case c = linear_case(types[i]);
    memcpy(tensor, bits, sizeof bits);
    run_clean(linear_load, &c, 32);
    assert_memory_equal(out, i < 2 ? bits : rounded, sizeof bits);
  }
}

/// Reductions flush denormals when the type says so.
static void ftz_flushes(void **state) {
  (void)state;
  for (int flushes = 0; flushes < 2; flushes++) {
    Case c =
        linear_case(flushes ? TILE_TENSOR_MAP_F32_FTZ : TILE_TENSOR_MAP_F32);
    for (int i = 0; i < 8; i++)
      tensor[i] = 3; // shared memory has i + 1, both are denormals
    run_clean(linear_add, &c, 32);
    for (uint32_t i = 0; i < 8; i++)
      assert_int_equal(tensor[i], flushes ? 0 : 3 + i + 1);
  }
  Case c = linear_case(TILE_TENSOR_MAP_TF32); // adds as f32
  for (int i = 0; i < 8; i++)
    tensor[i] = 0x3f800001;
  run_clean(linear_add, &c, 32);
  assert_int_equal(tensor[0], 0x3f800001);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(loads),
    cmocka_unit_test(stores),
    cmocka_unit_test(as_on_hardware),
    cmocka_unit_test(swizzle_and_fill),
    cmocka_unit_test(coordinates),
    cmocka_unit_test(store_coordinates),
    cmocka_unit_test(wrong_kind_of_map),
    cmocka_unit_test(refused_instructions),
    cmocka_unit_test(map_rules),
    cmocka_unit_test(gather),
    cmocka_unit_test(scatter),
    cmocka_unit_test(tf32_rounds),
    cmocka_unit_test(ftz_flushes),
};

int main(void) { return cmocka_run_group_tests(tests, NULL, NULL); }
