//===- emulator-copy-test.c - cp.async, bulk copies and TMA ---------------===//

#include "emulator-harness.h"

static void fill_random(void *data, size_t size_bytes, uint32_t seed) {
  uint8_t *bytes = data;
  for (size_t i = 0; i < size_bytes; i++)
    bytes[i] = (uint8_t)harness_random(&seed);
}

//===-- cp.async ----------------------------------------------------------===//

enum { CP_BYTES = 16 * 32 };
static uint8_t in[4096], out[65536];

/// Copies `in` to shared memory as `copies` says and then to `out`.
#define CP_KERNEL(copies)                                                      \
  HARNESS_HEADER                                                               \
  ".entry k(.param .u64 in, .param .u64 out) {\n"                              \
  ".shared .align 16 .b8 s[512]; .shared .align 8 .b64 bar; "                  \
  ".reg .b64 from, to, r0; .reg .b32 tid, to32, n, w<8>; .reg .pred p, q;\n"   \
  "ld.param.u64 from, [in]; ld.param.u64 to, [out]; mov.u32 tid, %tid.x;\n"    \
  "mul.wide.u32 r0, tid, 16; add.u64 from, from, r0; add.u64 to, to, r0;\n"    \
  "mov.u32 to32, s; mad.lo.u32 to32, tid, 16, to32;\n" copies                  \
  "\nld.shared.v4.b32 {w0, w1, w2, w3}, [to32];\n"                             \
  "st.global.v4.b32 [to], {w0, w1, w2, w3};\nret; }"

static HarnessRun cp_run(const char *ptx) {
  HarnessRun run = {.ptx = ptx, .num_args = 2};
  fill_random(in, CP_BYTES, 3);
  memset(out, 0, CP_BYTES);
  run.args[0].buffer = (HarnessBuffer){in, CP_BYTES, "in"};
  run.args[1].buffer = (HarnessBuffer){out, CP_BYTES, "out"};
  return run;
}

static void cp_async_sizes(void **state) {
  (void)state;
  static const char *const kernels[] = {
      CP_KERNEL("cp.async.cg.shared.global [to32], [from], 16;\n"
                "cp.async.commit_group; cp.async.wait_group 0;"),
      CP_KERNEL("cp.async.ca.shared.global [to32], [from], 8;\n"
                "cp.async.ca.shared.global [to32+8], [from+8], 4;\n"
                "cp.async.ca.shared.global [to32+12], [from+12], 4;\n"
                "cp.async.wait_all;"),
  };
  for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++) {
    HarnessRun run = cp_run(kernels[i]);
    harness_run_clean(&run);
    assert_memory_equal(in, out, CP_BYTES);
  }
}

/// Bytes beyond src-size are zero.
static void cp_async_fills_zeros(void **state) {
  (void)state;
  HarnessRun run =
      cp_run(CP_KERNEL("and.b32 n, tid, 15;\n"
                       "cp.async.cg.shared.global [to32], [from], 16, n;\n"
                       "cp.async.wait_all;"));
  harness_run_clean(&run);
  for (int i = 0; i < CP_BYTES; i++)
    assert_int_equal(out[i], i % 16 < (i / 16 & 15) ? in[i] : 0);
  HarnessRun ignored =
      cp_run(CP_KERNEL("setp.gt.u32 p, tid, 7;\n"
                       "cp.async.cg.shared.global [to32], [from], 16, p;\n"
                       "cp.async.wait_all;"));
  harness_run_clean(&ignored);
  for (int i = 0; i < CP_BYTES; i++)
    assert_int_equal(out[i], i / 16 > 7 ? 0 : in[i]);
}

/// Two groups in flight; waiting for all but one completes the first.
static void cp_async_groups(void **state) {
  (void)state;
#define TWO_GROUPS(pending)                                                    \
  CP_KERNEL("cp.async.ca.shared.global [to32], [from], 8;\n"                   \
            "cp.async.commit_group;\n"                                         \
            "cp.async.ca.shared.global [to32+8], [from+8], 8;\n"               \
            "cp.async.commit_group;\ncp.async.wait_group " pending ";\n"       \
            "ld.shared.v2.b32 {w0, w1}, [to32]; st.global.b32 [to], w0;\n"     \
            "cp.async.wait_group 0;")
  HarnessRun run = cp_run(TWO_GROUPS("1"));
  harness_run_clean(&run);
  assert_memory_equal(in, out, CP_BYTES);
  HarnessRun early = cp_run(TWO_GROUPS("2"));
  harness_run_finds(&early, "data-race", "by cp.async by thread");
}

static void cp_async_needs_barrier_for_others(void **state) {
  (void)state;
#define NEIGHBOUR(sync)                                                        \
  CP_KERNEL("cp.async.cg.shared.global [to32], [from], 16;\n"                  \
            "cp.async.wait_all;\n" sync "xor.b32 to32, to32, 16;")
  HarnessRun run = cp_run(NEIGHBOUR("bar.sync 0;\n"));
  harness_run_clean(&run);
  HarnessRun racy = cp_run(NEIGHBOUR(""));
  harness_run_finds(&racy, "data-race", "by cp.async by thread");
}

static void cp_async_arrives_at_mbarrier(void **state) {
  (void)state;
#define ARRIVE(form, count)                                                    \
  CP_KERNEL("setp.ne.u32 p, tid, 0; @p bra READY;\n"                           \
            "mbarrier.init.shared.b64 [bar], " count ";\n"                     \
            "READY: bar.sync 0;\n"                                             \
            "cp.async.cg.shared.global [to32], [from], 16;\n"                  \
            "cp.async.mbarrier.arrive" form ".shared.b64 [bar];\n"             \
            "TRY: mbarrier.try_wait.parity.shared.b64 q, [bar], 0;\n"          \
            "@!q bra TRY;\n")
  HarnessRun run = cp_run(ARRIVE(".noinc", "32"));
  harness_run_clean(&run);
  assert_memory_equal(in, out, CP_BYTES);
}

static void cp_async_mistakes(void **state) {
  (void)state;
  HarnessRun misaligned =
      cp_run(CP_KERNEL("cp.async.cg.shared.global [to32], [from+8], 16;\n"
                       "cp.async.wait_all;"));
  harness_run_finds(&misaligned, "misaligned", "copy of 16 bytes");
  HarnessRun leak = cp_run(
      CP_KERNEL("st.shared.v4.b32 [to32], {w0, w1, w2, w3};\n"
                "ld.shared.v4.b32 {w0, w1, w2, w3}, [to32];\n"
                "cp.async.cg.shared.global [to32], [from], 16;\nret;\n"));
  tile_emu_options_init(&leak.options);
  leak.options.schedule = TILE_EMU_SCHEDULE_LAZY;
  harness_run_finds(&leak, "async-leak", "still writes its shared memory");
  HarnessRun bounds =
      cp_run(CP_KERNEL("cp.async.cg.shared.global [to32], [from+512], 16;\n"
                       "cp.async.wait_all;"));
  harness_run_finds(&bounds, "out-of-bounds", "in+512");
}

//===-- Tensor maps -------------------------------------------------------===//

/// The rules for tiles, written for a reader: byte `at` of the box in shared
/// memory is element (column, row, plane) of the box, moved by the swizzle.
static uint32_t swizzled(uint32_t offset, int swizzle_bytes) {
  uint32_t mask = swizzle_bytes == 128  ? 7
                  : swizzle_bytes == 64 ? 3
                  : swizzle_bytes == 32 ? 1
                                        : 0;
  uint32_t unit = offset / 16, row = offset / 128;
  return (unit ^ (row & mask)) * 16 + offset % 16;
}

typedef struct {
  TileTensorMap map; // 3 dimensions
  uint32_t elem_bytes;
  int32_t start[3];
} Box;

/// What shared memory holds after the load.
static void expected_tile(const Box *box, const uint8_t *tensor,
                          uint8_t *tile) {
  const uint32_t *size = box->map.box;
  const uint64_t *dims = box->map.dims;
  uint32_t at = 0;
  for (uint32_t z = 0; z < size[2]; z++)
    for (uint32_t y = 0; y < size[1]; y++)
      for (uint32_t x = 0; x < size[0]; x++)
        for (uint32_t byte = 0; byte < box->elem_bytes; byte++, at++) {
          int64_t i = box->start[0] + (int64_t)x;
          int64_t j = box->start[1] + (int64_t)y;
          int64_t k = box->start[2] + (int64_t)z;
          bool is_inside = i >= 0 && i < (int64_t)dims[0] && j >= 0 &&
                           j < (int64_t)dims[1] && k >= 0 &&
                           k < (int64_t)dims[2];
          uint64_t from = (uint64_t)i * box->elem_bytes +
                          (uint64_t)j * box->map.strides_bytes[1] +
                          (uint64_t)k * box->map.strides_bytes[2] + byte;
          uint8_t fill = box->map.oob_nan ? (byte % 2 ? 0x7f : 0xf7) : 0;
          tile[swizzled(at, box->map.swizzle_bytes)] =
              is_inside ? tensor[from] : fill;
        }
}

/// Loads a box with TMA and copies shared memory out word by word.
static const char load_kernel[] = HARNESS_HEADER
    ".extern .shared .align 1024 .b8 smem[];\n"
    ".entry k(.param .u64 t, .param .align 64 .b8 map[128], .param .u64 out,\n"
    " .param .u32 size, .param .u32 x, .param .u32 y, .param .u32 z) {\n"
    ".shared .align 8 .b64 bar; .reg .b64 to, m, r; .reg .b32 tid, s, n, i, "
    "w, cx, cy, cz; .reg .pred p, q;\n"
    "ld.param.u64 to, [out]; ld.param.u32 n, [size]; ld.param.u32 cx, [x];\n"
    "ld.param.u32 cy, [y]; ld.param.u32 cz, [z]; mov.u32 tid, %tid.x;\n"
    "mov.u32 s, smem; mov.u64 m, map; setp.ne.u32 p, tid, 0;\n"
    "@p bra READY;\nmbarrier.init.shared.b64 [bar], 1;\n"
    "READY: bar.sync 0;\n@p bra WAIT;\n"
    "mbarrier.arrive.expect_tx.shared.b64 _, [bar], n;\n"
    "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::"
    "complete_tx::bytes [s], [m, {cx, cy, cz}], [bar];\n"
    "WAIT: mbarrier.try_wait.parity.shared.b64 q, [bar], 0;\n@!q bra WAIT;\n"
    "shl.b32 i, tid, 2;\n"
    "COPY: setp.ge.u32 q, i, n; @q ret; add.u32 w, s, i;\n"
    "ld.shared.u32 w, [w]; cvt.u64.u32 r, i; add.u64 r, to, r;\n"
    "st.global.u32 [r], w; add.u32 i, i, 128; bra COPY; }";

static uint8_t tensor[1 << 16], tile[1 << 16];

static uint32_t box_bytes(const Box *box) {
  return box->map.box[0] * box->map.box[1] * box->map.box[2] * box->elem_bytes;
}

static HarnessRun load_run(const Box *box) {
  HarnessRun run = {.ptx = load_kernel, .num_args = 7, .smem_bytes = 1 << 16};
  uint32_t size_bytes = box_bytes(box);
  run.args[0].buffer = (HarnessBuffer){tensor, sizeof tensor, "tensor"};
  run.args[1].map = box->map;
  run.args[2].buffer = (HarnessBuffer){out, size_bytes, "out"};
  run.args[3].value = size_bytes;
  for (int i = 0; i < 3; i++)
    run.args[4 + i].value = (uint32_t)box->start[i];
  return run;
}

static void check_load(const Box *box) {
  fill_random(tensor, sizeof tensor, 17);
  HarnessRun run = load_run(box);
  harness_run_clean(&run);
  expected_tile(box, tensor, tile);
  assert_memory_equal(out, tile, box_bytes(box));
}

/// 3 planes of 40 rows of 64 elements of 2 bytes, rows 144 bytes apart.
static Box standard_box(int swizzle_bytes, uint32_t columns) {
  return (Box){.map = {TILE_TENSOR_MAP_BF16,
                       3,
                       0,
                       {64, 40, 3},
                       {0, 144, 144 * 48},
                       {columns, 16, 2},
                       {1, 1, 1},
                       swizzle_bytes,
                       false},
               .elem_bytes = 2,
               .start = {0, 8, 1}};
}

static void tma_swizzles(void **state) {
  (void)state;
  static const int swizzles[] = {0, 32, 64, 128};
  for (int i = 0; i < 4; i++) {
    uint32_t columns = i ? (uint32_t)swizzles[i] / 2 : 48;
    Box box = standard_box(swizzles[i], columns);
    check_load(&box);
  }
}

static void tma_out_of_bounds(void **state) {
  (void)state;
  static const int32_t starts[][3] = {{-8, 0, 0},  {40, 32, 2}, {0, -5, -1},
                                      {104, 0, 0}, {0, 39, 1},  {-64, -20, 5}};
  for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++) {
    Box box = standard_box(i % 2 ? 64 : 0, 32);
    memcpy(box.start, starts[i], sizeof box.start);
    check_load(&box);
    box.map.oob_nan = true;
    check_load(&box);
  }
}

static void tma_single_bytes(void **state) {
  (void)state;
  Box box = {.map = {TILE_TENSOR_MAP_U8,
                     3,
                     0,
                     {100, 30, 2},
                     {0, 112, 112 * 32},
                     {32, 9, 2},
                     {1, 1, 1},
                     0,
                     false},
             .elem_bytes = 1,
             .start = {80, 25, 0}};
  check_load(&box);
}

/// Every second row of the tensor.
static void tma_element_strides(void **state) {
  (void)state;
  Box box = standard_box(0, 32);
  box.map.box[1] = 16;
  box.map.elem_strides[1] = 2;
  fill_random(tensor, sizeof tensor, 5);
  HarnessRun run = load_run(&box);
  uint32_t size_bytes = 32 * 8 * 2 * 2;
  run.args[3].value = size_bytes;
  harness_run_clean(&run);
  for (uint32_t z = 0; z < 2; z++)
    for (uint32_t y = 0; y < 8; y++)
      assert_memory_equal(out + (z * 8 + y) * 64,
                          tensor + (z + 1) * 144 * 48 + (8 + 2 * y) * 144, 64);
}

static void tma_mistakes(void **state) {
  (void)state;
  Box box = standard_box(128, 64);
  HarnessRun small = load_run(&box);
  small.args[3].value -= 64;
  harness_run_finds(&small, "mbarrier-tx", "64 bytes more than expected");
  HarnessRun large = load_run(&box);
  large.args[3].value += 64;
  harness_run_finds(&large, "DEADLOCK", "tx-count 64, copies in flight 0");
  // Pieces of the copy are one entry of the history, beside the expect_tx.
  harness_run_finds(&large, "DEADLOCK", " parts by TMA (ptx:");
  char expect[100];
  snprintf(expect, sizeof expect, "phase 0: expect_tx %u by thread 0 (ptx:",
           (uint32_t)large.args[3].value);
  harness_run_finds(&large, "DEADLOCK", expect);
  HarnessRun smem = load_run(&box);
  smem.smem_bytes = 2048;
  harness_run_finds(&smem, "out-of-bounds", "outside of the shared memory");
  HarnessRun rank = load_run(&box);
  rank.args[1].map.rank = 2;
  harness_run_finds(&rank, "tensor-map", "tensor map of rank 2");
}

static void tensor_map_rules(void **state) {
  (void)state;
  static const struct {
    TileTensorMap map;
    const char *message;
  } cases[] = {
      {{TILE_TENSOR_MAP_F16, 0, 0, {1}, {0}, {8}, {1}, 0, false}, "rank is 0"},
      {{TILE_TENSOR_MAP_F16, 1, 8, {1}, {0}, {8}, {1}, 0, false},
       "not 16-byte aligned"},
      {{TILE_TENSOR_MAP_F16, 1, 0, {0}, {0}, {8}, {1}, 0, false},
       "dimension 0 is 0"},
      {{TILE_TENSOR_MAP_F16, 2, 0, {8, 8}, {0, 24}, {8, 8}, {1, 1}, 0, false},
       "stride 1 is 24"},
      {{TILE_TENSOR_MAP_F16, 1, 0, {8}, {0}, {257}, {1}, 0, false},
       "box 0 is 257"},
      {{TILE_TENSOR_MAP_F16, 1, 0, {8}, {0}, {4}, {1}, 0, false},
       "inner box has 8 bytes"},
      {{TILE_TENSOR_MAP_F16, 1, 0, {8}, {0}, {64}, {1}, 64, false},
       "more than the swizzle"},
      {{TILE_TENSOR_MAP_F16, 1, 0, {8}, {0}, {8}, {1}, 48, false},
       "swizzle of 48"},
      {{TILE_TENSOR_MAP_U16, 1, 0, {8}, {0}, {8}, {1}, 0, true}, "NaN fill"},
      {{TILE_TENSOR_MAP_F16, 1, 0, {8}, {0}, {8}, {9}, 0, false},
       "element stride 0 is 9"},
      {{(TileTensorMapType)40, 1, 0, {8}, {0}, {8}, {1}, 0, false},
       "element type 40"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    _Alignas(64) uint8_t encoded[TILE_TENSOR_MAP_SIZE_BYTES];
    TileStatus status = tile_emu_tensor_map_encode(&cases[i].map, encoded);
    assert_int_equal(status.code, TILE_STATUS_USER_ERROR);
    if (!strstr(status.message, cases[i].message))
      fail_msg("expected \"%s\" in \"%s\"", cases[i].message, status.message);
  }
}

//===-- Stores and reductions ---------------------------------------------===//

/// Fills 8 rows of 32 f32 with 1000 row + column and stores them with `op`.
#define STORE_KERNEL(op, fence, wait)                                          \
  HARNESS_HEADER                                                               \
  ".extern .shared .align 1024 .b8 smem[];\n"                                  \
  ".entry k(.param .u64 t, .param .align 64 .b8 map[128], .param .u32 x, "     \
  ".param .u32 y) {\n"                                                         \
  ".reg .b64 m, g; .reg .b32 tid, s, w, i, cx, cy, size; .reg .f32 f; "        \
  ".reg .pred p;\n"                                                            \
  "mov.u32 tid, %tid.x; mov.u32 s, smem; mov.u64 m, map; "                     \
  "ld.param.u64 g, [t]; ld.param.u32 cx, [x]; ld.param.u32 cy, [y]; "          \
  "mov.u32 size, 1024; mov.u32 i, 0;\n"                                        \
  "FILL: mad.lo.u32 w, i, 1000, tid; cvt.rn.f32.u32 f, w; "                    \
  "mad.lo.u32 w, i, 32, tid; shl.b32 w, w, 2; add.u32 w, w, s; "               \
  "st.shared.f32 [w], f; add.u32 i, i, 1; setp.lt.u32 p, i, 8; @p bra "        \
  "FILL;\n" fence "bar.sync 0; setp.ne.u32 p, tid, 0; @p ret;\n" op            \
  ";\ncp.async.bulk.commit_group;\n" wait "ret; }"
#define FENCE "fence.proxy.async.shared::cta;\n"
#define WAIT "cp.async.bulk.wait_group 0;\n"
#define TENSOR_STORE                                                           \
  "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group "                \
  "[m, {cx, cy}], [s]"

/// Fills 21 columns of 5 rows; `swizzle` is 0x70 for 128 bytes, else 0.
#define PART_KERNEL(op)                                                        \
  HARNESS_HEADER                                                               \
  ".extern .shared .align 1024 .b8 smem[];\n"                                  \
  ".entry k(.param .u64 t, .param .align 64 .b8 map[128], .param .u32 x, "     \
  ".param .u32 y, .param .u32 swizzle) {\n"                                    \
  ".reg .b64 m; .reg .b32 tid, s, w, v, i, cx, cy, mask; .reg .pred p;\n"      \
  "mov.u32 tid, %tid.x; mov.u32 s, smem; mov.u64 m, map; "                     \
  "ld.param.u32 cx, [x]; ld.param.u32 cy, [y]; ld.param.u32 mask, [swizzle]; " \
  "mov.u32 i, 0; setp.gt.u32 p, tid, 20; @p bra DONE;\n"                       \
  "FILL: mad.lo.u32 w, i, 32, tid; shl.b32 w, w, 2; shr.u32 v, w, 3; "         \
  "and.b32 v, v, mask; xor.b32 w, w, v; add.u32 w, w, s; "                     \
  "st.shared.u32 [w], i; add.u32 i, i, 1; setp.lt.u32 p, i, 5; @p bra "        \
  "FILL;\nDONE: " FENCE "bar.sync 0; setp.ne.u32 p, tid, 0; @p ret;\n" op      \
  ";\ncp.async.bulk.commit_group;\n" WAIT "ret; }"

enum { COLUMNS = 40, ROWS = 12 };
static float matrix[ROWS * COLUMNS];

static HarnessRun store_run(const char *ptx, int32_t x, int32_t y) {
  for (int i = 0; i < ROWS * COLUMNS; i++)
    matrix[i] = 0.5f;
  HarnessRun run = {.ptx = ptx, .num_args = 4, .smem_bytes = 1024};
  run.args[0].buffer = (HarnessBuffer){matrix, sizeof matrix, "matrix"};
  run.args[1].map = (TileTensorMap){TILE_TENSOR_MAP_F32,
                                    2,
                                    0,
                                    {COLUMNS, ROWS},
                                    {0, COLUMNS * 4},
                                    {32, 8},
                                    {1, 1},
                                    0,
                                    false};
  run.args[2].value = (uint32_t)x;
  run.args[3].value = (uint32_t)y;
  return run;
}

/// Only the part of the box that is in the tensor is written.
static void check_store(const char *ptx, int32_t x, int32_t y, float old) {
  HarnessRun run = store_run(ptx, x, y);
  harness_run_clean(&run);
  for (int row = 0; row < ROWS; row++)
    for (int column = 0; column < COLUMNS; column++) {
      int r = row - y, c = column - x;
      bool is_in_box = r >= 0 && r < 8 && c >= 0 && c < 32;
      float expected = is_in_box ? (float)(1000 * r + c) + old : 0.5f;
      assert_float_equal(matrix[row * COLUMNS + column], expected, 0);
    }
}

static void tma_stores(void **state) {
  (void)state;
  static const char store[] = STORE_KERNEL(TENSOR_STORE, FENCE, WAIT);
  check_store(store, 0, 0, 0);
  check_store(store, 16, 3, 0);
  check_store(store, 4, 10, 0);
  check_store(store, 48, 0, 0);
}

/// Of a row that ends within 16 bytes the hardware writes all of these.
static void tma_stores_pieces(void **state) {
  (void)state;
  enum { SHORT_ROW = 21, END_OF_PIECE = 24 };
  HarnessRun run = store_run(STORE_KERNEL(TENSOR_STORE, FENCE, WAIT), 0, 0);
  run.args[1].map.dims[0] = SHORT_ROW;
  harness_run_clean(&run);
  for (int column = 0; column < COLUMNS; column++) {
    float expected = column < END_OF_PIECE ? (float)column : 0.5f;
    assert_float_equal(matrix[column], expected, 0);
  }
}

/// Nobody writes the part of the box that lies outside of the tensor, and
/// nobody needs to: columns after a row, rows after the last one.
static void tma_stores_leave_out_what_is_outside(void **state) {
  (void)state;
  static const char *const kernels[] = {
      PART_KERNEL(TENSOR_STORE),
      PART_KERNEL("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile."
                  "bulk_group [m, {cx, cy}], [s]"),
  };
  for (int swizzle_bytes = 0; swizzle_bytes <= 128; swizzle_bytes += 128)
    for (int i = 0; i < 2; i++) {
      HarnessRun run = store_run(kernels[i], 0, 0);
      run.args[1].map.dims[0] = 21;
      run.args[1].map.dims[1] = 5;
      run.args[1].map.swizzle_bytes = swizzle_bytes;
      run.num_args = 5;
      run.args[4].value = swizzle_bytes ? 0x70 : 0;
      harness_run_clean(&run);
      HarnessRun wide = run; // column 21 is inside now
      wide.args[1].map.dims[0] = 22;
      harness_run_finds(&wide, "uninitialised-read", "TMA store read of");
      HarnessRun tall = run;
      tall.args[1].map.dims[1] = 6;
      harness_run_finds(&tall, "uninitialised-read", "TMA store read of");
    }
}

static void tma_reductions(void **state) {
  (void)state;
  check_store(STORE_KERNEL("cp.reduce.async.bulk.tensor.2d.global.shared::cta."
                           "add.tile.bulk_group [m, {cx, cy}], [s]",
                           FENCE, WAIT),
              4, 2, 0.5f);
}

static void bulk_stores(void **state) {
  (void)state;
  HarnessRun run = store_run(
      STORE_KERNEL("cp.async.bulk.global.shared::cta.bulk_group [g+16], [s], "
                   "size",
                   FENCE, WAIT),
      0, 0);
  harness_run_clean(&run);
  for (int i = 0; i < 256; i++)
    assert_float_equal(matrix[4 + i], (float)(1000 * (i / 32) + i % 32), 0);
  HarnessRun reduce = store_run(
      STORE_KERNEL("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 "
                   "[g], [s], size",
                   FENCE, WAIT),
      0, 0);
  harness_run_clean(&reduce);
  assert_float_equal(matrix[33], 1001.5f, 0);
}

static void store_mistakes(void **state) {
  (void)state;
  HarnessRun fence = store_run(STORE_KERNEL(TENSOR_STORE, "", WAIT), 0, 0);
  harness_run_finds(&fence, "proxy-fence", "TMA store read of dynamic smem+0");
  HarnessRun leak = store_run(STORE_KERNEL(TENSOR_STORE, FENCE, ""), 0, 0);
  tile_emu_options_init(&leak.options);
  leak.options.pedantic = true;
  leak.options.schedule = TILE_EMU_SCHEDULE_LAZY;
  harness_run_finds(&leak, "async-leak(pedantic)",
                    "still reads its shared memory");
  HarnessRun quiet = store_run(STORE_KERNEL(TENSOR_STORE, FENCE, ""), 0, 0);
  harness_run_clean(&quiet);
  // Writing the buffer again before the store has read it.
  HarnessRun reuse = store_run(
      STORE_KERNEL(TENSOR_STORE, FENCE, "st.shared.u32 [s], tid;\n" WAIT), 0,
      0);
  harness_run_finds(&reuse, "data-race", "by bulk store by thread 0");
  HarnessRun reuse_after = store_run(
      STORE_KERNEL(TENSOR_STORE, FENCE,
                   "cp.async.bulk.wait_group.read 0; st.shared.u32 [s], "
                   "tid;\n" WAIT),
      0, 0);
  harness_run_clean(&reuse_after);
}

//===-- Multicast ---------------------------------------------------------===//

static void multicast_reaches_all(void **state) {
  (void)state;
  static uint32_t result[4 * 64];
  fill_random(in, 256, 9);
  HarnessRun run = {
      .ptx = HARNESS_HEADER
      ".extern .shared .align 128 .b8 smem[];\n"
      ".entry k(.param .u64 in, .param .u64 out) {\n"
      ".shared .align 8 .b64 bar; .reg .b64 from, to, r; .reg .b32 tid, s, w, "
      "rank; .reg .b16 mask; .reg .pred p, q;\n"
      "ld.param.u64 from, [in]; ld.param.u64 to, [out]; mov.u32 tid, %tid.x;\n"
      "mov.u32 s, smem; mov.u32 rank, %cluster_ctarank; mov.b16 mask, 11;\n"
      "setp.ne.u32 p, tid, 0; @p bra READY;\n"
      "mbarrier.init.shared.b64 [bar], 1;\n"
      "fence.mbarrier_init.release.cluster;\n"
      "mbarrier.arrive.expect_tx.shared.b64 _, [bar], 256;\n"
      "READY: barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n"
      "setp.ne.u32 q, rank, 1; or.pred q, p, q; @q bra WAIT;\n"
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes."
      "multicast::cluster [s], [from], 256, [bar], mask;\n"
      "WAIT: setp.eq.u32 q, rank, 2; @q bra END;\n"
      "TRY: mbarrier.try_wait.parity.shared.b64 q, [bar], 0;\n@!q bra TRY;\n"
      "mad.lo.u32 w, tid, 4, s; ld.shared.u32 w, [w];\n"
      "mad.lo.u32 rank, rank, 64, tid; mul.wide.u32 r, rank, 4;\n"
      "add.u64 to, to, r; st.global.u32 [to], w;\n"
      "END: barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned; }",
      .grid = {4, 1, 1},
      .block = 64,
      .cluster = 4,
      .smem_bytes = 256,
      .num_args = 2};
  run.args[0].buffer = (HarnessBuffer){in, 256, "in"};
  run.args[1].buffer = (HarnessBuffer){result, sizeof result, "out"};
  // The mask leaves out rank 2, whose mbarrier so still expects 256 bytes.
  harness_run_finds(&run, "mbarrier-tx", "waits for 256 more bytes");
  for (int rank = 0; rank < 4; rank++)
    if (rank != 2)
      assert_memory_equal(result + 64 * rank, in, 256);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(cp_async_sizes),
    cmocka_unit_test(cp_async_fills_zeros),
    cmocka_unit_test(cp_async_groups),
    cmocka_unit_test(cp_async_needs_barrier_for_others),
    cmocka_unit_test(cp_async_arrives_at_mbarrier),
    cmocka_unit_test(cp_async_mistakes),
    cmocka_unit_test(tma_swizzles),
    cmocka_unit_test(tma_out_of_bounds),
    cmocka_unit_test(tma_single_bytes),
    cmocka_unit_test(tma_element_strides),
    cmocka_unit_test(tma_mistakes),
    cmocka_unit_test(tensor_map_rules),
    cmocka_unit_test(tma_stores),
    cmocka_unit_test(tma_stores_pieces),
    cmocka_unit_test(tma_stores_leave_out_what_is_outside),
    cmocka_unit_test(tma_reductions),
    cmocka_unit_test(bulk_stores),
    cmocka_unit_test(store_mistakes),
    cmocka_unit_test(multicast_reaches_all),
};

int main(void) { return cmocka_run_group_tests(tests, NULL, NULL); }
