//===- emulator-tensormap-test.c - Tensor maps that kernels change --------===//

#include "emulator-harness.h"

enum { ROWS = 12, COLUMNS = 16, BOX_ROWS = 4, BOX_COLUMNS = 8 };
static uint32_t tensor[3 * ROWS * COLUMNS], out[3 * BOX_ROWS * BOX_COLUMNS];
static uint32_t maps[2 * 32];

/// One warp. `g` is a map in global memory, `m` one in shared memory, `t` the
/// tensor; `tile` has room for a box, whose first byte is element (x, y).
#define KERNEL(body)                                                           \
  HARNESS_HEADER                                                               \
  ".entry k(.param .u64 tensor, .param .u64 out, .param .u64 maps, "           \
  ".param .align 64 .b8 map[128]) {\n"                                         \
  ".shared .align 128 .b8 smap[128]; .shared .align 128 .b8 tile[128]; "       \
  ".shared .align 8 .b64 bar;\n"                                               \
  ".reg .b64 t, to, g, at, r, d<2>; .reg .b32 tid, m, s, w, x, y, n, phase, "  \
  "v<4>; .reg .pred p, q;\n"                                                   \
  "ld.param.u64 t, [tensor]; ld.param.u64 to, [out]; ld.param.u64 g, [maps]; " \
  "mov.u32 tid, %tid.x; mov.u32 m, smap; mov.u32 s, tile; mul.wide.u32 r, "    \
  "tid, 4; add.u64 to, to, r; mov.u32 x, 4; mov.u32 y, 1; mov.u32 phase, 0;\n" \
  "setp.ne.u32 p, tid, 0; @p bra READY; mbarrier.init.shared.b64 [bar], 1;\n"  \
  "READY: bar.sync 0;\n" body "\nret; }\n"
/// Loads the box with the map at `address` and copies it to `to`.
#define USE(address, label)                                                    \
  "@p bra " label ";\nmbarrier.arrive.expect_tx.shared.b64 _, [bar], 128;\n"   \
  "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::"             \
  "complete_tx::bytes [s], [" address ", {x, y}], [bar];\n" label              \
  ": mbarrier.try_wait.parity.shared.b64 q, [bar], phase; @!q bra " label      \
  ";\nmad.lo.u32 w, tid, 4, s; ld.shared.u32 v0, [w]; st.global.u32 [to], "    \
  "v0; add.u64 to, to, 128; xor.b32 phase, phase, 1;\n"

/// Zeros in shared memory.
#define ZERO_MAP                                                               \
  "mad.lo.u32 w, tid, 4, m; mov.u32 v0, 0; st.shared.u32 [w], v0; "            \
  "bar.warp.sync -1;\n"
/// The parameter in shared memory.
#define COPY_MAP                                                               \
  "mov.u64 at, map; mul.wide.u32 r, tid, 4; add.u64 at, at, r; "               \
  "ld.u32 v0, [at]; mad.lo.u32 w, tid, 4, m; st.shared.u32 [w], v0; "          \
  "bar.warp.sync -1;\n"
#define SET(field, type, value)                                                \
  "@!p tensormap.replace.tile." field ".shared::cta.b1024." type               \
  " [m], " value ";\n"
#define PUBLISH                                                                \
  "bar.warp.sync -1;\n"                                                        \
  "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu." \
  "sync.aligned [g], [m], 128;\n"
#define ACQUIRE "fence.proxy.tensormap::generic.acquire.gpu [g], 128;\n"

static const TileTensorMap plain_map = {.type = TILE_TENSOR_MAP_U32,
                                        .rank = 2,
                                        .dims = {COLUMNS, ROWS},
                                        .strides_bytes = {0, 4 * COLUMNS},
                                        .box = {BOX_COLUMNS, BOX_ROWS},
                                        .elem_strides = {1, 1}};

static HarnessRun make_run(const char *ptx) {
  HarnessRun run = {.ptx = ptx, .num_args = 4};
  for (uint32_t i = 0; i < sizeof tensor / 4; i++)
    tensor[i] = i + 1;
  memset(out, 0, sizeof out);
  memset(maps, 0, sizeof maps);
  run.args[0].buffer = (HarnessBuffer){tensor, sizeof tensor, "tensor"};
  run.args[1].buffer = (HarnessBuffer){out, sizeof out, "out"};
  run.args[2].buffer = (HarnessBuffer){maps, sizeof maps, "maps"};
  run.args[3].map = plain_map;
  return run;
}

static void finds(const char *ptx, const char *kind, const char *text) {
  HarnessRun run = make_run(ptx);
  harness_run_finds(&run, kind, text);
}

/// Box number `box` of the output is at (x, y) of tensor number `number`, which
/// has so many rows and columns; the next row of the box is `step` rows on.
static void check_box(int box, int number, int rows, int columns, int step) {
  for (int r = 0; r < BOX_ROWS; r++)
    for (int c = 0; c < BOX_COLUMNS; c++) {
      int row = 1 + r * step, column = 4 + c;
      bool is_inside = row < rows && column < columns;
      int from = number * ROWS * COLUMNS + row * COLUMNS + column;
      uint32_t expected = is_inside ? tensor[from] : 0;
      assert_int_equal(out[(box * BOX_ROWS + r) * BOX_COLUMNS + c], expected);
    }
}

//===-- Fields ------------------------------------------------------------===//

/// Every field of a map that begins as zeros; with driver numbers as values.
#define ALL_FIELDS                                                             \
  SET("global_address", "b64", "t")                                            \
  SET("rank", "b32", "1")                                                      \
  SET("box_dim", "b32", "0, 8")                                                \
  SET("box_dim", "b32", "1, 4")                                                \
  SET("global_dim", "b32", "0, 16")                                            \
  SET("global_dim", "b32", "1, 12")                                            \
  "mov.u64 d0, 64;\n" SET("global_stride", "b64", "0, d0")                     \
      SET("elemtype", "b32", "2") SET("interleave_layout", "b32", "0")         \
          SET("swizzle_mode", "b32", "0") SET("fill_mode", "b32", "0")

static void encoded_by_the_kernel(void **state) {
  (void)state;
  HarnessRun run =
      make_run(KERNEL(ZERO_MAP ALL_FIELDS PUBLISH ACQUIRE USE("g", "WAIT")));
  harness_run_clean(&run);
  check_box(0, 0, ROWS, COLUMNS, 1);
}

/// Element strides and box: 8 rows of which every second one is copied.
static void strides_and_box(void **state) {
  (void)state;
  HarnessRun run = make_run(KERNEL(COPY_MAP SET("box_dim", "b32", "1, 8") SET(
      "element_stride", "b32", "1, 2") SET("global_address", "b64", "t")
                                       PUBLISH ACQUIRE USE("g", "WAIT")));
  harness_run_clean(&run);
  check_box(0, 0, ROWS, COLUMNS, 2);
}

/// Loads of TF32 round to 10 bits, of two that are as near to the even one.
static void rounded_to_tf32(void **state) {
  (void)state;
  enum { ONE = 0x3f800000, HALF_UNIT = 0x1000 };
  HarnessRun run = make_run(KERNEL(COPY_MAP SET("global_address", "b64", "t")
                                       SET("elemtype", "b32", "11")
                                           PUBLISH ACQUIRE USE("g", "WAIT")));
  for (uint32_t i = 0; i < sizeof tensor / 4; i++)
    tensor[i] = ONE + i * (HALF_UNIT / 2);
  harness_run_clean(&run);
  for (uint32_t i = 0; i < BOX_ROWS * BOX_COLUMNS; i++) {
    uint32_t from = (1 + i / BOX_COLUMNS) * COLUMNS + 4 + i % BOX_COLUMNS;
    uint32_t units = from / 4, rest = from % 4; // in halves of HALF_UNIT
    units += rest == 3 || (rest == 2 && units % 2);
    assert_int_equal(out[i], ONE + units * 2 * HALF_UNIT);
  }
}

/// As grouped products do: one map, several tensors.
static void several_tensors(void **state) {
  (void)state;
#define NEXT(label)                                                            \
  "add.u64 t, t, 768;\n" SET("global_address", "b64", "t")                     \
      SET("global_dim", "b32", "0, 8") SET("global_dim", "b32", "1, 3")        \
          PUBLISH ACQUIRE USE("g", label)
  HarnessRun run = make_run(KERNEL(COPY_MAP SET("global_address", "b64", "t")
                                       PUBLISH ACQUIRE USE("g", "WAIT0")
                                           NEXT("WAIT1") NEXT("WAIT2")));
  harness_run_clean(&run);
  check_box(0, 0, ROWS, COLUMNS, 1);
  check_box(1, 1, 3, 8, 1);
  check_box(2, 2, 3, 8, 1);
}

/// In global memory, one thread does everything.
static void in_global_memory(void **state) {
  (void)state;
#define COPY_TO_GLOBAL                                                         \
  "mov.u64 at, map; mul.wide.u32 r, tid, 4; add.u64 at, at, r; "               \
  "ld.u32 v0, [at]; add.u64 r, g, r; st.global.u32 [r], v0; "                  \
  "fence.proxy.tensormap::generic.release.gpu; bar.warp.sync -1;\n"
#define SET_GLOBAL                                                             \
  "@!p tensormap.replace.tile.global_address.global.b1024.b64 [g], t;\n"
#define RELEASE "fence.proxy.tensormap::generic.release.gpu;\n"
  HarnessRun run = make_run(KERNEL(
      COPY_TO_GLOBAL
      "add.u64 t, t, 768;\n" SET_GLOBAL RELEASE ACQUIRE USE("g", "WAIT")));
  harness_run_clean(&run);
  check_box(0, 1, ROWS, COLUMNS, 1);
  // Through generic addresses, too.
  run = make_run(KERNEL(COPY_TO_GLOBAL
                        "@!p tensormap.replace.tile.global_address.b1024.b64 "
                        "[g], t;\n" RELEASE ACQUIRE USE("g", "WAIT")));
  harness_run_clean(&run);
  check_box(0, 0, ROWS, COLUMNS, 1);
}

//===-- Fences ------------------------------------------------------------===//

static void missing_fences(void **state) {
  (void)state;
  finds(KERNEL(ZERO_MAP ALL_FIELDS PUBLISH USE("g", "WAIT")),
        "tensor-map-fence", "maps+0 was changed in this launch, and no thread");
  finds(KERNEL(COPY_TO_GLOBAL SET_GLOBAL ACQUIRE USE("g", "WAIT")),
        "tensor-map-fence",
        "did not execute fence.proxy.tensormap::generic."
        "release");
  finds(KERNEL(COPY_TO_GLOBAL SET_GLOBAL RELEASE USE("g", "WAIT")),
        "tensor-map-fence", "no thread of the CTA executed");
  // Fences that come too early do not help.
  finds(KERNEL(COPY_TO_GLOBAL ACQUIRE SET_GLOBAL RELEASE USE("g", "WAIT")),
        "tensor-map-fence", "no thread of the CTA executed");
  finds(KERNEL(COPY_TO_GLOBAL RELEASE SET_GLOBAL ACQUIRE USE("g", "WAIT")),
        "tensor-map-fence", "did not execute");
  // A second change needs its own fences.
  finds(KERNEL(COPY_MAP SET("global_address", "b64",
                            "t") PUBLISH ACQUIRE USE("g", "WAIT0")
                   SET("global_dim", "b32", "1, 3") PUBLISH USE("g", "WAIT1")),
        "tensor-map-fence", "no thread of the CTA executed");
  // Ordinary stores change maps as well.
  finds(KERNEL(COPY_TO_GLOBAL USE("g", "WAIT")), "tensor-map-fence",
        "no thread of the CTA executed");
}

/// A copy may read its map until its data have arrived.
static void overwritten_under_way(void **state) {
  (void)state;
#define CHANGE                                                                 \
  "add.u64 t, t, 768;\n" SET_GLOBAL RELEASE ACQUIRE "bar.warp.sync -1;\n"
#define ISSUE                                                                  \
  "@p bra GO;\nmbarrier.arrive.expect_tx.shared.b64 _, [bar], 128;\n"          \
  "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::"             \
  "complete_tx::bytes [s], [g, {x, y}], [bar];\nGO:\n"
#define ARRIVED                                                                \
  "WAIT: mbarrier.try_wait.parity.shared.b64 q, [bar], phase; @!q bra WAIT;\n"
  HarnessRun run =
      make_run(KERNEL(COPY_TO_GLOBAL ACQUIRE ISSUE CHANGE ARRIVED));
  run.options.schedule = TILE_EMU_SCHEDULE_LAZY;
  harness_run_finds(&run, "tensor-map-fence", "was overwritten while");
  run = make_run(KERNEL(COPY_TO_GLOBAL ACQUIRE ISSUE ARRIVED CHANGE));
  run.options.schedule = TILE_EMU_SCHEDULE_LAZY;
  harness_run_clean(&run);
}

/// Another thread may execute the acquire, if the user knows of it.
static void acquired_by_another_thread(void **state) {
  (void)state;
#define OTHER(fence, sync)                                                     \
  KERNEL(COPY_MAP SET("global_address", "b64", "t") PUBLISH                    \
         "setp.eq.u32 q, tid, 7; @!q bra OVER;\n" fence                        \
         "OVER:\n" sync USE("g", "WAIT"))
  HarnessRun run = make_run(OTHER(ACQUIRE, "bar.sync 0;\n"));
  harness_run_clean(&run);
  finds(OTHER(ACQUIRE, ""), "tensor-map-fence",
        "by another thread is not ordered before this use");
}

/// A map that only the host wrote needs none.
static void unchanged_maps(void **state) {
  (void)state;
  HarnessRun run = make_run(
      KERNEL("mov.u64 at, map;\n" ACQUIRE "fence.proxy.tensormap::generic."
             "acquire.sys [at], 128;\n" USE("at", "WAIT")));
  run.args[3].map_of = 0;
  harness_run_clean(&run);
  check_box(0, 0, ROWS, COLUMNS, 1);
}

//===-- Mistakes ----------------------------------------------------------===//

static void values(void **state) {
  (void)state;
  static const struct {
    const char *ptx, *text;
  } cases[] = {
      {KERNEL(COPY_MAP SET("rank", "b32", "5")), "new value 5"},
      {KERNEL(COPY_MAP SET("box_dim", "b32", "0, 257")), "new value 257"},
      {KERNEL(COPY_MAP SET("box_dim", "b32", "0, 0")), "new value 0"},
      {KERNEL(COPY_MAP SET("element_stride", "b32", "1, 9")), "new value 9"},
      {KERNEL(COPY_MAP SET("elemtype", "b32", "13")), "new value 13"},
      {KERNEL(COPY_MAP SET("swizzle_mode", "b32", "4")), "new value 4"},
      {KERNEL(COPY_MAP SET("interleave_layout", "b32", "1")), "new value 1"},
      {KERNEL(COPY_MAP "add.u64 t, t, 8;\n" SET("global_address", "b64", "t")),
       "new value "},
      {KERNEL(COPY_MAP
              "mov.u64 d0, 24;\n" SET("global_stride", "b64", "0, d0")),
       "new value 24"},
      {KERNEL("mad.lo.u32 w, tid, 4, m; st.shared.u32 [w], s; "
              "bar.warp.sync -1;\n" SET("rank", "b32", "1")),
       "neither a tensor map nor zeros"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    finds(cases[i].ptx, "tensor-map", cases[i].text);
  finds(KERNEL(SET("rank", "b32", "1")), "uninitialised-read", "smap+0");
  finds(KERNEL("add.u32 m, m, 64;\n" SET("rank", "b32", "1")), "misaligned",
        "128-byte access");
  // What makes no map in the end.
  finds(KERNEL(COPY_MAP SET("box_dim", "b32", "0, 3")
                   PUBLISH ACQUIRE USE("g", "WAIT")),
        "tensor-map", "maps+0 holds a tensor map with impossible values");
  finds(
      KERNEL(COPY_MAP SET("rank", "b32", "2") PUBLISH ACQUIRE USE("g", "WAIT")),
      "tensor-map", "tensor map of rank 3");
  finds(KERNEL("@!p tensormap.replace.tile.swizzle_atomicity.shared::cta.b1024."
               "b32 [m], 1;"),
        "unsupported", "a field of sm_100 and later");
}

/// im2col maps cannot be changed.
static void only_tiled_maps(void **state) {
  (void)state;
  HarnessRun run = make_run(KERNEL(COPY_MAP SET("rank", "b32", "1")));
  TileTensorMap *map = &run.args[3].map;
  *map = (TileTensorMap){.type = TILE_TENSOR_MAP_U32,
                         .rank = 3,
                         .dims = {16, 3, 4},
                         .strides_bytes = {0, 64, 192},
                         .is_im2col = true,
                         .channels_per_pixel = 4,
                         .pixels_per_column = 2};
  harness_run_finds(&run, "tensor-map", "only tiled ones can be changed");
}

static void malformed(void **state) {
  (void)state;
  harness_parse_fails(KERNEL(SET("global_stride", "b64", "4, d0")),
                      "ordinal 4, not in [0, 3]");
  harness_parse_fails(KERNEL(SET("box_dim", "b32", "5, 1")),
                      "ordinal 5, not in [0, 4]");
  harness_parse_fails(
      KERNEL("fence.proxy.tensormap::generic.acquire.gpu [g], 64;"),
      "the size must be 128");
  harness_parse_fails(
      KERNEL("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic."
             "release.gpu.sync.aligned [g], [m], 64;"),
      "the size must be 128");
}

/// All lanes of the warp copy the map together.
static void copied_by_some_lanes(void **state) {
  (void)state;
  finds(KERNEL(COPY_MAP "@p bra OVER; setp.eq.u32 q, tid, 0;\n" PUBLISH
                        "OVER: bar.sync 0;\n"),
        "DEADLOCK", "waits for the other lanes");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(encoded_by_the_kernel),
    cmocka_unit_test(strides_and_box),
    cmocka_unit_test(rounded_to_tf32),
    cmocka_unit_test(several_tensors),
    cmocka_unit_test(in_global_memory),
    cmocka_unit_test(missing_fences),
    cmocka_unit_test(overwritten_under_way),
    cmocka_unit_test(acquired_by_another_thread),
    cmocka_unit_test(unchanged_maps),
    cmocka_unit_test(values),
    cmocka_unit_test(only_tiled_maps),
    cmocka_unit_test(malformed),
    cmocka_unit_test(copied_by_some_lanes),
};

int main(void) { return cmocka_run_group_tests(tests, NULL, NULL); }
