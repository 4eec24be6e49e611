//===- emulator-statistics-test.c - Classes, bytes, banks, waits ----------===//

#include "emulator-harness.h"

#include "Emulator/Report/Statistics.h"

#include <stdlib.h>

//===-- Opcodes -----------------------------------------------------------===//

typedef struct {
  const char *opcode;
  TileInsnClass class;
  TileInsnUnit unit;
  uint64_t macs;
  const char *type;
} Opcode;

static void classes_of_opcodes(void **state) {
  (void)state;
  static const Opcode cases[] = {
      {"add.s32", TILE_CLASS_INTEGER, TILE_UNIT_NONE, 0, ""},
      {"fma.rn.f32", TILE_CLASS_FLOAT, TILE_UNIT_NONE, 0, ""},
      {"fma.rn.bf16x2", TILE_CLASS_FLOAT, TILE_UNIT_NONE, 0, ""},
      {"mov.b32", TILE_CLASS_MOVE, TILE_UNIT_NONE, 0, ""},
      {"ld.global.v4.f32", TILE_CLASS_GLOBAL, TILE_UNIT_LOAD, 0, ""},
      {"ld.shared.u32", TILE_CLASS_SHARED, TILE_UNIT_LOAD, 0, ""},
      {"ld.param.u64", TILE_CLASS_PARAM, TILE_UNIT_LOAD, 0, ""},
      {"st.u32", TILE_CLASS_GENERIC, TILE_UNIT_STORE, 0, ""},
      {"red.global.add.f32", TILE_CLASS_ATOMIC, TILE_UNIT_ATOMIC, 0, ""},
      {"redux.sync.add.s32", TILE_CLASS_WARP, TILE_UNIT_NONE, 0, ""},
      {"bar.sync", TILE_CLASS_SYNC, TILE_UNIT_WAIT, 0, ""},
      {"bar.arrive", TILE_CLASS_SYNC, TILE_UNIT_NONE, 0, ""},
      {"bar.warp.sync", TILE_CLASS_SYNC, TILE_UNIT_NONE, 0, ""},
      {"bra.uni", TILE_CLASS_CONTROL, TILE_UNIT_NONE, 0, ""},
      {"cp.async.cg.shared.global", TILE_CLASS_ASYNC_COPY, TILE_UNIT_CP_ASYNC,
       0, ""},
      {"cp.async.commit_group", TILE_CLASS_SYNC, TILE_UNIT_NONE, 0, ""},
      {"cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::"
       "bytes",
       TILE_CLASS_ASYNC_COPY, TILE_UNIT_BULK, 0, ""},
      {"mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32",
       TILE_CLASS_MATRIX_PRODUCT, TILE_UNIT_PRODUCT, 2048,
       "row.col.f32.bf16.bf16.f32"},
      {"wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16",
       TILE_CLASS_MATRIX_PRODUCT, TILE_UNIT_PRODUCT, 16 * 256 * 16,
       "f32.f16.f16"},
      {"wgmma.mma_async.sp.sync.aligned.m64n256k32.f32.f16.f16",
       TILE_CLASS_MATRIX_PRODUCT, TILE_UNIT_PRODUCT, 16 * 256 * 16,
       "f32.f16.f16"},
      {"mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32",
       TILE_CLASS_MATRIX_PRODUCT, TILE_UNIT_PRODUCT, 2048,
       "row.col.f32.f16.f16.f32"},
      {"mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32",
       TILE_CLASS_MATRIX_PRODUCT, TILE_UNIT_PRODUCT, 4 * 256,
       "row.col.f32.f16.f16.f32"},
      {"mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64",
       TILE_CLASS_MATRIX_PRODUCT, TILE_UNIT_PRODUCT, 256,
       "row.col.f64.f64.f64.f64"},
      {"wgmma.fence.sync.aligned", TILE_CLASS_SYNC, TILE_UNIT_NONE, 0, ""},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    TileInsnTraits traits = tile_emu_insn_traits(cases[i].opcode);
    if (traits.class != cases[i].class || traits.unit != cases[i].unit)
      fail_msg("%s: class %u, unit %u", cases[i].opcode, traits.class,
               traits.unit);
    assert_int_equal(traits.macs, cases[i].macs);
    assert_string_equal(traits.type, cases[i].type);
  }
  for (int class = 0; class < TILE_NUM_CLASSES; class++)
    assert_non_null(tile_emu_class_name((TileInsnClass)class));
}

//===-- Launches ----------------------------------------------------------===//

/// Keeps the counts of the only kernel, by line.
typedef struct {
  TileInsnCounts by_line[64];
  TileStatistics sums; // `insns` is not set
  TileWaitCounts waits[16];
  char wait_names[16][200];
  char *text, *json;
  uint64_t num_launches;
} Kept;

static void inspect(TileEmu *emu, void *user_data) {
  Kept *kept = user_data;
  assert_int_equal(emu->num_kernel_statistics, 1);
  const TileKernelStatistics *kernel = &emu->kernel_statistics[0];
  kept->num_launches = kernel->num_launches;
  kept->sums = kernel->statistics;
  kept->sums.insns = NULL;
  for (uint32_t i = 0; i < kernel->statistics.num_insns; i++)
    if (kernel->lines[i] < 64)
      kept->by_line[kernel->lines[i]] = kernel->statistics.insns[i];
  assert_true(kernel->statistics.num_waits <= 16);
  for (uint32_t i = 0; i < kernel->statistics.num_waits; i++) {
    kept->waits[i] = kernel->statistics.waits[i];
    snprintf(kept->wait_names[i], 200, "%s", kernel->wait_names[i]);
  }
  kept->text = strdup(tile_emu_statistics_text(emu));
  kept->json = strdup(tile_emu_report_json(emu, NULL));
}

static void run_kept(HarnessRun *run, Kept *kept) {
  memset(kept, 0, sizeof *kept);
  tile_emu_options_init(&run->options);
  run->options.collect_statistics = true;
  run->inspect = inspect;
  run->user_data = kept;
  harness_run_clean(run);
}

static void kept_deinit(Kept *kept) {
  free(kept->text);
  free(kept->json);
}

static void contains(const char *text, const char *part) {
  if (!strstr(text, part))
    fail_msg("expected \"%s\" in\n%s", part, text);
}

//===-- Banks -------------------------------------------------------------===//

/// One store to `tile` + lane * stride, on line 10.
static void check_banks(const char *insn, uint32_t stride, uint64_t wavefronts,
                        uint64_t ideal) {
  char ptx[1500];
  snprintf(ptx, sizeof ptx,
           HARNESS_HEADER
           ".entry k() { .reg .b32 t, a, r<4>; .reg .b64 d; .reg .b16 h;\n"
           ".shared .align 128 .b8 tile[8192];\n"
           "mov.u32 t, %%tid.x; mov.u32 a, tile; mov.b32 r0, 0;\n"
           "mov.b32 r1, 0; mov.b32 r2, 0; mov.b32 r3, 0; mov.b64 d, 0;\n"
           "mov.b16 h, 0;\n"
           "mad.lo.u32 a, t, %u, a;\n"
           "%s;\n"
           "ret; }",
           stride, insn);
  Kept kept;
  HarnessRun run = {.ptx = ptx};
  run_kept(&run, &kept);
  const TileInsnCounts *counts = &kept.by_line[10];
  if (counts->num_wavefronts != wavefronts || counts->num_ideal != ideal)
    fail_msg("%s, stride %u: %llu wavefronts, ideal %llu", insn, stride,
             (unsigned long long)counts->num_wavefronts,
             (unsigned long long)counts->num_ideal);
  assert_int_equal(counts->num_accesses, 1);
  kept_deinit(&kept);
}

static void bank_conflicts(void **state) {
  (void)state;
  check_banks("st.shared.u32 [a], r0", 4, 1, 1);
  check_banks("st.shared.u32 [a], r0", 8, 2, 1);
  check_banks("st.shared.u32 [a], r0", 128, 32, 1);
  check_banks("st.shared.u32 [a], r0", 132, 1, 1); // padded
  check_banks("st.shared.u16 [a], h", 2, 1, 1);    // two lanes a word
  check_banks("st.shared.u16 [a], h", 64, 16, 1);
  check_banks("st.shared.u64 [a], d", 8, 2, 2);
  check_banks("st.shared.u64 [a], d", 128, 32, 2);
  check_banks("st.shared.v4.u32 [a], {r0, r1, r2, r3}", 16, 4, 4);
  check_banks("st.shared.v4.u32 [a], {r0, r1, r2, r3}", 128, 32, 4);
  check_banks("stmatrix.sync.aligned.m8n8.x4.shared.b16 [a], {r0, r1, r2, r3}",
              16, 4, 4);
  check_banks("stmatrix.sync.aligned.m8n8.x4.shared.b16 [a], {r0, r1, r2, r3}",
              128, 32, 4);
  check_banks("stmatrix.sync.aligned.m8n8.x2.shared.b16 [a], {r0, r1}", 144, 2,
              2);
}

/// All lanes read one word.
static void broadcasts_do_not_conflict(void **state) {
  (void)state;
  static const char reader[] = HARNESS_HEADER
      ".entry k() { .reg .b32 t, v; .shared .align 4 .b8 tile[256];\n"
      ".reg .pred p; mov.u32 t, %tid.x; setp.eq.u32 p, t, 0;\n"
      "@p st.shared.u32 [tile], t;\n"
      "bar.sync 0;\n"
      "ld.shared.u32 v, [tile];\n"
      "ret; }";
  Kept kept;
  HarnessRun read = {.ptx = reader};
  run_kept(&read, &kept);
  assert_int_equal(kept.by_line[8].num_wavefronts, 1);
  assert_int_equal(kept.by_line[8].num_lanes, 32);
  assert_int_equal(kept.sums.bytes[TILE_BYTES_SHARED_READ], 128);
  assert_int_equal(kept.sums.bytes[TILE_BYTES_SHARED_WRITTEN], 4);
  kept_deinit(&kept);
}

//===-- Bytes -------------------------------------------------------------===//

static const char copier[] = HARNESS_HEADER
    ".entry k(.param .u64 in, .param .u64 out) {\n"
    ".reg .b32 t, a, v, w; .reg .b64 from, to, g; .reg .pred p;\n"
    ".shared .align 16 .b8 tile[1024]; .local .align 8 .b8 own[16];\n"
    "ld.param.u64 from, [in]; ld.param.u64 to, [out]; mov.u32 t, %tid.x;\n"
    "mad.wide.u32 g, t, 16, from; mov.u32 a, tile; mad.lo.u32 a, t, 16, a;\n"
    "setp.lt.u32 p, t, 16;\n"
    "@p cp.async.cg.shared.global [a], [g], 16;\n" // line 10
    "@!p cp.async.ca.shared.global [a], [g], 16, 8;\n"
    "cp.async.wait_all;\n"
    "ld.shared.u32 v, [a]; st.local.u32 [own], v;\n"
    "mad.wide.u32 g, t, 4, to; st.global.u32 [g], v;\n"
    "mov.u64 g, tile; cvta.shared.u64 g, g; ld.u32 w, [g];\n"
    "red.global.add.u32 [to], 0;\n"
    "ret; }";

static void bytes_by_space(void **state) {
  (void)state;
  uint32_t in[128] = {1}, out[32] = {0};
  Kept kept;
  HarnessRun run = {.ptx = copier, .num_args = 2};
  run.args[0].buffer = (HarnessBuffer){in, sizeof in, "in"};
  run.args[1].buffer = (HarnessBuffer){out, sizeof out, "out"};
  memset(&kept, 0, sizeof kept);
  tile_emu_options_init(&run.options);
  run.options.collect_statistics = true;
  run.options.detect_races = false; // of all lanes reading what lane 0 copied
  run.inspect = inspect;
  run.user_data = &kept;
  harness_run_clean(&run);
  const uint64_t *bytes = kept.sums.bytes;
  assert_int_equal(bytes[TILE_BYTES_GLOBAL_READ], 16 * 16 + 16 * 8);
  assert_int_equal(bytes[TILE_BYTES_CP_ASYNC], 32 * 16);
  assert_int_equal(bytes[TILE_BYTES_SHARED_READ], 2 * 128);
  assert_int_equal(bytes[TILE_BYTES_LOCAL], 128);
  assert_int_equal(bytes[TILE_BYTES_GLOBAL_WRITTEN], 128);
  assert_int_equal(bytes[TILE_BYTES_ATOMIC], 128);
  assert_int_equal(kept.sums.num_async[TILE_ASYNC_CP_ASYNC], 2);
  assert_int_equal(kept.by_line[10].num_wavefronts, 2);
  assert_int_equal(kept.by_line[10].num_lanes, 16);
  contains(kept.text, "statistics of k, 1 launch\n");
  contains(kept.text, "cp.async, into shared");
  contains(kept.json, "\"cp.async, into shared\": 512");
  contains(kept.json, "\"ideal_wavefronts\": 2");
  kept_deinit(&kept);
}

//===-- Waits -------------------------------------------------------------===//

// Warp 1 is late at the mbarrier; both meet at barrier 2.
static const char late[] = HARNESS_HEADER
    ".entry k() { .reg .b32 t, n; .reg .b64 s; .reg .pred p, q, r;\n"
    ".shared .align 8 .b64 full[2];\n"
    "mov.u32 t, %tid.x; setp.eq.u32 p, t, 0; mov.u32 n, 0;\n"
    "@p mbarrier.init.shared.b64 [full+8], 1;\n"
    "bar.sync 0;\n"
    "setp.lt.u32 q, t, 32; @q bra WAIT;\n"
    "LOOP: add.u32 n, n, 1; setp.lt.u32 r, n, 2000; @r bra LOOP;\n"
    "setp.eq.u32 p, t, 32; @p mbarrier.arrive.shared.b64 s, [full+8];\n"
    "WAIT:\n"
    "mbarrier.try_wait.parity.shared.b64 r, [full+8], 0;\n"
    "@!r bra WAIT;\n"
    "bar.sync 2;\n"
    "ret; }";

static void waits_by_barrier(void **state) {
  (void)state;
  Kept kept;
  HarnessRun run = {.ptx = late, .block = 64};
  run_kept(&run, &kept);
  bool is_found = false;
  for (int i = 0; i < 16 && kept.waits[i].num_waits; i++) {
    const TileWaitCounts *wait = &kept.waits[i];
    if (wait->kind == TILE_WAIT_BARRIER) {
      assert_true(wait->object == 0 || wait->object == 2);
      assert_int_equal(wait->num_waits, 2);
      assert_int_equal(wait->num_incomplete, 1);
      continue;
    }
    assert_int_equal(wait->kind, TILE_WAIT_MBARRIER);
    assert_string_equal(kept.wait_names[i], "mbarrier full+8");
    assert_int_equal(wait->num_waits, 2); // the late warp does not wait
    assert_int_equal(wait->num_incomplete, 1);
    assert_true(wait->num_ticks > 1000);
    is_found = true;
  }
  assert_true(is_found);
  contains(kept.text, "mbarrier full+8");
  contains(kept.json, "\"for\": \"mbarrier full+8\"");
  kept_deinit(&kept);
}

static void inspect_nothing(TileEmu *emu, void *user_data) {
  (void)user_data;
  assert_string_equal(tile_emu_statistics_text(emu), "");
  assert_null(strstr(tile_emu_report_json(emu, NULL), "\"kernels\""));
}

static void nothing_unless_wanted(void **state) {
  (void)state;
  HarnessRun run = {.ptx = late, .block = 64, .inspect = inspect_nothing};
  harness_run_clean(&run);
}

// An instruction without operands that looks like a load.
static const char odd[] = HARNESS_HEADER
    ".entry k() { .reg .b32 v; .reg .pred p; setp.ne.u32 p, 0, 0;\n"
    "@p ld.shared.strange.u32 v, [v]; ret; }";

static void unsupported_instructions(void **state) {
  (void)state;
  Kept kept;
  HarnessRun run = {.ptx = odd};
  run_kept(&run, &kept);
  kept_deinit(&kept);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(classes_of_opcodes),
      cmocka_unit_test(bank_conflicts),
      cmocka_unit_test(broadcasts_do_not_conflict),
      cmocka_unit_test(bytes_by_space),
      cmocka_unit_test(waits_by_barrier),
      cmocka_unit_test(nothing_unless_wanted),
      cmocka_unit_test(unsupported_instructions),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
