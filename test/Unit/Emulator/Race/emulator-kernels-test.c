//===- emulator-kernels-test.c - Whole kernels, right and wrong -----------===//
//
// Kernels of test/Emulator: those compiled from CUDA C++ take the number of a
// planted mistake, 0 for none. Each mistake has to be reported by its name at
// every seed and schedule tried; right kernels have to be silent and give the
// right numbers.
//
//===----------------------------------------------------------------------===//

#include "emulator-harness.h"

#include <math.h>
#include <stdlib.h>

//===-- Data --------------------------------------------------------------===//

static char *read_ptx(const char *name) {
  char path[500];
  snprintf(path, sizeof path, "%s/ptx/%s.ptx", TILE_EMULATOR_TEST_DIR, name);
  FILE *file = fopen(path, "rb");
  if (!file)
    fail_msg("cannot open %s", path);
  char *text = calloc(1, 200000);
  assert_non_null(text);
  assert_true(fread(text, 1, 199999, file) > 0);
  fclose(file);
  return text;
}

static uint16_t bf16_of(float number) {
  uint32_t bits = harness_bits(number);
  return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static uint16_t *random_bf16(size_t count, uint32_t seed) {
  uint16_t *data = malloc(count * sizeof *data);
  assert_non_null(data);
  for (size_t i = 0; i < count; i++)
    data[i] = bf16_of((float)((int)(harness_random(&seed) >> 24) - 128) / 64);
  return data;
}

/// A GEMM: C[m][n] = A[m][k] * B[n][k]^T, all bf16.
typedef struct {
  int m, n, k;
  uint16_t *a, *b, *c;
} Gemm;

static Gemm gemm_make(int m, int n, int k) {
  Gemm gemm = {m, n, k, NULL, NULL, NULL};
  gemm.a = random_bf16((size_t)m * (size_t)k, 1);
  gemm.b = random_bf16((size_t)n * (size_t)k, 2);
  gemm.c = random_bf16((size_t)m * (size_t)n, 3);
  return gemm;
}

static void gemm_free(Gemm *gemm) {
  free(gemm->a);
  free(gemm->b);
  free(gemm->c);
}

static float of_bf16(uint16_t bits) {
  return harness_f32((uint32_t)bits << 16);
}

static size_t gemm_num_wrong(const Gemm *gemm) {
  size_t wrong = 0;
  for (int i = 0; i < gemm->m; i++)
    for (int j = 0; j < gemm->n; j++) {
      float sum = 0;
      for (int k = 0; k < gemm->k; k++)
        sum += of_bf16(gemm->a[i * gemm->k + k]) *
               of_bf16(gemm->b[j * gemm->k + k]);
      float error = fabsf(of_bf16(gemm->c[i * gemm->n + j]) - sum);
      wrong += !(error <= 0.01f * fabsf(sum) + 0.05f);
    }
  return wrong;
}

static HarnessArg buffer_arg(void *data, size_t size_bytes, const char *name) {
  HarnessArg arg = {.buffer = {data, size_bytes, name}};
  return arg;
}

/// A matrix of bf16 with `columns` contiguous ones.
static HarnessArg map_arg(int of, int columns, int rows, uint32_t box_columns,
                          uint32_t box_rows, int swizzle_bytes) {
  HarnessArg arg = {.map_of = of};
  arg.map = (TileTensorMap){TILE_TENSOR_MAP_BF16,
                            2,
                            0,
                            {(uint64_t)columns, (uint64_t)rows},
                            {0, (uint64_t)columns * 2},
                            {box_columns, box_rows},
                            {1, 1},
                            swizzle_bytes,
                            false};
  return arg;
}

static HarnessArg value_arg(int value) {
  HarnessArg arg = {.value = (uint32_t)value};
  return arg;
}

//===-- Planted mistakes --------------------------------------------------===//

typedef struct {
  int bug;
  const char *kind; // NULL: silent
  bool is_wrong;    // the numbers are, in every run
  bool is_pedantic;
  const char *at; // begins the opcode in a report of the kind; NULL: no report
} Mistake;

static const TileEmuSchedule schedules[] = {
    TILE_EMU_SCHEDULE_MIXED, TILE_EMU_SCHEDULE_EAGER, TILE_EMU_SCHEDULE_LAZY,
    TILE_EMU_SCHEDULE_RANDOM};

static void set_options(HarnessRun *run, uint64_t seed,
                        const Mistake *mistake) {
  tile_emu_options_init(&run->options);
  run->options.seed = seed;
  run->options.schedule = schedules[seed % 4];
  run->options.pedantic = mistake->is_pedantic;
}

/// Does a paragraph of the kind name an instruction that begins so?
static bool names_opcode(const char *report, const char *kind,
                         const char *opcode) {
  char begin[60], quoted[60];
  snprintf(begin, sizeof begin, "[%s]", kind);
  snprintf(quoted, sizeof quoted, "`%s", opcode);
  for (const char *c = report; (c = strstr(c, begin)); c++) {
    const char *end = strstr(c, "\n["), *place = strstr(c, quoted);
    if (place && (!end || place < end))
      return true;
  }
  return false;
}

/// Fails unless the launch reports what the mistake is known for.
static void check_mistake(const HarnessRun *run, const Mistake *mistake) {
  HarnessResult result = harness_run(run);
  assert_int_not_equal(result.status.code, TILE_STATUS_USER_ERROR);
  if (!mistake->kind && result.num_findings)
    fail_msg("mistake %d, seed %llu:\n%s", mistake->bug,
             (unsigned long long)run->options.seed, result.report);
  if (mistake->kind && !strstr(result.kinds, mistake->kind))
    fail_msg("mistake %d, seed %llu: no %s, but %s", mistake->bug,
             (unsigned long long)run->options.seed, mistake->kind,
             result.kinds);
  if (mistake->at && !names_opcode(result.report, mistake->kind, mistake->at))
    fail_msg("mistake %d, seed %llu: %s does not name %s:\n%s", mistake->bug,
             (unsigned long long)run->options.seed, mistake->kind, mistake->at,
             result.report);
  harness_result_deinit(&result);
}

static HarnessRun ws_gemm_run(const char *ptx, const Gemm *gemm, int bug) {
  size_t m = (size_t)gemm->m, n = (size_t)gemm->n, k = (size_t)gemm->k;
  HarnessRun run = {.ptx = ptx,
                    .grid = {(uint32_t)n / 64, (uint32_t)m / 128, 1},
                    .block = 384,
                    .smem_bytes = 4 * (128 + 64) * 128 + 128 * 128 + 64,
                    .num_args = 8,
                    .num_memory_args = 3};
  run.args[0] = buffer_arg(gemm->a, 2 * m * k, "A");
  run.args[1] = buffer_arg(gemm->b, 2 * n * k, "B");
  run.args[2] = buffer_arg(gemm->c, 2 * m * n, "C");
  run.args[3] = map_arg(0, gemm->k, gemm->m, 64, 128, 128);
  run.args[4] = map_arg(1, gemm->k, gemm->n, 64, 64, 128);
  run.args[5] = map_arg(2, gemm->n, gemm->m, 64, 64, 0);
  run.args[6] = value_arg(gemm->k);
  run.args[7] = value_arg(bug);
  return run;
}

#define WAIT "mbarrier.try_wait"
#define LOAD "cp.async.bulk.tensor.2d.shared"
#define STORE "cp.async.bulk.tensor.2d.global"
#define PRODUCT "wgmma.mma_async"
#define CVT "cvt.rn.bf16x2.f32"

static void warp_specialised_gemm(void **state) {
  (void)state;
  static const Mistake mistakes[] = {
      {0, NULL, false, false, NULL},
      // One thread of a warpgroup gives back a slot that all four warps read.
      {0, "data-race(pedantic)", false, true, LOAD},
      {1, "DEADLOCK", true, false, WAIT},
      {2, "DEADLOCK", true, false, WAIT},
      {3, "DEADLOCK", true, false, WAIT},
      {4, "mbarrier-tx", false, false, LOAD},
      {5, "data-race", false, false, LOAD},
      {6, "proxy-fence", false, false, STORE},
      {7, "async-leak(pedantic)", false, true, NULL},
      {8, "data-race", false, false, PRODUCT},
      {9, "wgmma-fence", false, false, PRODUCT},
      {10, "wgmma-register", false, false, CVT},
      {11, "data-race", false, false, PRODUCT},
      {12, "descriptor", true, false, PRODUCT},
      {13, "data-race", false, false, WAIT},
      {14, "data-race", false, false, STORE},
      {15, "DEADLOCK", true, false, WAIT},
      {16, "data-race", false, false, LOAD},
      {17, "data-race", false, false, PRODUCT},
  };
  char *ptx = read_ptx("ws_gemm");
  Gemm gemm = gemm_make(256, 128, 512);
  for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++)
    for (uint64_t seed = 1; seed <= 4; seed++) {
      // Whether a store is still reading when its CTA ends is up to chance.
      if (mistakes[i].bug == 7 &&
          schedules[seed % 4] == TILE_EMU_SCHEDULE_EAGER)
        continue;
      memset(gemm.c, 0xee, 2u * 256 * 128);
      HarnessRun run = ws_gemm_run(ptx, &gemm, mistakes[i].bug);
      set_options(&run, seed, &mistakes[i]);
      check_mistake(&run, &mistakes[i]);
      size_t wrong = gemm_num_wrong(&gemm);
      if (mistakes[i].bug == 0 || mistakes[i].is_wrong)
        assert_int_equal(wrong != 0, mistakes[i].is_wrong);
    }
  gemm_free(&gemm);
  free(ptx);
}

static HarnessRun ampere_gemm_run(const char *ptx, const Gemm *gemm, int bug) {
  size_t m = (size_t)gemm->m, n = (size_t)gemm->n, k = (size_t)gemm->k;
  HarnessRun run = {.ptx = ptx,
                    .grid = {(uint32_t)n / 64, (uint32_t)m / 128, 1},
                    .block = 256,
                    .smem_bytes = 3 * (128 + 64) * 64,
                    .num_args = 6};
  run.args[0] = buffer_arg(gemm->a, 2 * m * k, "A");
  run.args[1] = buffer_arg(gemm->b, 2 * n * k, "B");
  run.args[2] = buffer_arg(gemm->c, 2 * m * n, "C");
  run.args[3] = value_arg(gemm->n);
  run.args[4] = value_arg(gemm->k);
  run.args[5] = value_arg(bug);
  return run;
}

static void ampere_gemm(void **state) {
  (void)state;
  static const Mistake mistakes[] = {
      {0, NULL, false, false, NULL},
      {1, "data-race", false, false, "ldmatrix"},
      {2, "data-race", false, false, "ldmatrix"},
      {3, "data-race", false, false, "ldmatrix"},
      {4, NULL, true, false, NULL},
      {5, "out-of-bounds", true, false, "st.global"},
  };
  char *ptx = read_ptx("ampere_gemm");
  Gemm gemm = gemm_make(128, 128, 256);
  for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++)
    for (uint64_t seed = 1; seed <= 4; seed++) {
      memset(gemm.c, 0xee, 2u * 128 * 128);
      HarnessRun run = ampere_gemm_run(ptx, &gemm, mistakes[i].bug);
      set_options(&run, seed, &mistakes[i]);
      check_mistake(&run, &mistakes[i]);
      size_t wrong = gemm_num_wrong(&gemm);
      if (!mistakes[i].kind || mistakes[i].is_wrong)
        assert_int_equal(wrong != 0, mistakes[i].is_wrong);
    }
  gemm_free(&gemm);
  free(ptx);
}

static void product_from_registers(void **state) {
  (void)state;
  static const Mistake mistakes[] = {
      {0, NULL, false, false, NULL},
      {1, "proxy-fence", false, false, PRODUCT},
      {2, "data-race", false, false, PRODUCT},
      {3, "wgmma-register", false, false, "st.global"},
  };
  enum { N = 64 };
  static uint16_t a[N * N], b[N * N];
  static float d[N * N];
  uint32_t random = 4;
  for (int i = 0; i < N * N; i++) { // f16: 1 + k/1024, so sums are exact
    a[i] = (uint16_t)(0x3c00 | (harness_random(&random) & 15) << 6);
    b[i] = (uint16_t)(0x3c00 | (harness_random(&random) & 15) << 6);
  }
  char *ptx = read_ptx("rs_product");
  for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++)
    for (uint64_t seed = 1; seed <= 4; seed++) {
      HarnessRun run = {.ptx = ptx, .block = 128, .num_args = 4};
      run.args[0] = buffer_arg(a, sizeof a, "A");
      run.args[1] = buffer_arg(b, sizeof b, "B");
      run.args[2] = buffer_arg(d, sizeof d, "D");
      run.args[3] = value_arg(mistakes[i].bug);
      set_options(&run, seed, &mistakes[i]);
      check_mistake(&run, &mistakes[i]);
      for (int j = 0; mistakes[i].bug == 0 && j < N * N; j++) {
        float sum = 0;
        for (int k = 0; k < N; k++)
          sum += harness_f16(a[j / N * N + k]) * harness_f16(b[j % N * N + k]);
        assert_float_equal(d[j], sum, 0);
      }
    }
  free(ptx);
}

static void softmax(void **state) {
  (void)state;
  static const Mistake mistakes[] = {
      {0, NULL, false, false, NULL},
      {1, "data-race", false, false, "st.shared"},
      {2, "DEADLOCK", false, false, "bar.sync"},
      {3, "divergence", false, false, "shfl.sync"},
  };
  enum { ROWS = 3, COLUMNS = 700 };
  static float x[ROWS * COLUMNS], y[ROWS * COLUMNS];
  uint32_t random = 9;
  for (int i = 0; i < ROWS * COLUMNS; i++)
    x[i] = (float)(harness_random(&random) % 1000) / 100;
  char *ptx = read_ptx("softmax");
  for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++)
    for (uint64_t seed = 1; seed <= 4; seed++) {
      int32_t counter = 0;
      HarnessRun run = {
          .ptx = ptx, .grid = {ROWS, 1, 1}, .block = 256, .num_args = 5};
      run.args[0] = buffer_arg(x, sizeof x, "x");
      run.args[1] = buffer_arg(y, sizeof y, "y");
      run.args[2] = value_arg(COLUMNS);
      run.args[3] = buffer_arg(&counter, sizeof counter, "counter");
      run.args[4] = value_arg(mistakes[i].bug);
      set_options(&run, seed, &mistakes[i]);
      check_mistake(&run, &mistakes[i]);
      if (mistakes[i].bug)
        continue;
      assert_int_equal(counter, ROWS);
      for (int r = 0; r < ROWS; r++) {
        double sum = 0;
        for (int j = 0; j < COLUMNS; j++)
          sum += exp((double)x[r * COLUMNS + j] - 10);
        for (int j = 0; j < COLUMNS; j++) {
          double expected = exp((double)x[r * COLUMNS + j] - 10) / sum;
          assert_true(fabs((double)y[r * COLUMNS + j] - expected) < 1e-6);
        }
      }
    }
  free(ptx);
}

//===-- Kernels written by hand -------------------------------------------===//

static void check_persistent(const char *name, uint32_t cluster,
                             uint64_t num_seeds) {
  enum { M = 1024, N = 256, K = 128 }; // tiles come in groups of 8 x 1
  char *ptx = read_ptx(name);
  uint64_t unused = 0;
  Gemm gemm = gemm_make(M, N, K);
  HarnessRun run = {.ptx = ptx,
                    .grid = {2, 1, 1},
                    .block = 384,
                    .cluster = cluster,
                    .smem_bytes = 229440,
                    .num_args = 10,
                    .num_memory_args = 3};
  run.args[0] = buffer_arg(gemm.a, 2u * M * K, "A");
  run.args[1] = buffer_arg(gemm.b, 2u * N * K, "B");
  run.args[2] = buffer_arg(gemm.c, 2u * M * N, "C");
  run.args[3] = map_arg(0, K, M, 64, 128, 128);
  run.args[4] = map_arg(1, K, N, 64, 256 / cluster, 128);
  run.args[5] = map_arg(2, N, M, 64, 64, 128);
  run.args[6] = buffer_arg(&unused, sizeof unused, "unused");
  run.args[7] = value_arg(M);
  run.args[8] = value_arg(N);
  run.args[9] = value_arg(K);
  for (uint64_t seed = 1; seed <= num_seeds; seed++) {
    Mistake none = {0, NULL, false, false, NULL};
    set_options(&run, seed, &none);
    harness_run_clean(&run);
    assert_int_equal(gemm_num_wrong(&gemm), 0);
  }
  gemm_free(&gemm);
  free(ptx);
}

static void persistent_gemm(void **state) {
  (void)state;
  check_persistent("gemm_ws_persistent", 1, 2);
}

static void cluster_gemm(void **state) {
  (void)state;
  check_persistent("gemm_ws_cluster2", 2, 2);
}

/// Right numbers, but its last cp.async groups are never waited for.
static void ampere_gemm_by_hand(void **state) {
  (void)state;
  char *ptx = read_ptx("gemm80");
  Gemm gemm = gemm_make(128, 256, 128);
  HarnessRun run = {.ptx = ptx,
                    .grid = {1, 2, 1},
                    .block = 128,
                    .smem_bytes = 65536,
                    .num_args = 6};
  run.args[0] = buffer_arg(gemm.a, 2u * 128 * 128, "A");
  run.args[1] = buffer_arg(gemm.b, 2u * 256 * 128, "B");
  run.args[2] = buffer_arg(gemm.c, 2u * 128 * 256, "C");
  run.args[3] = value_arg(128);
  run.args[4] = value_arg(256);
  run.args[5] = value_arg(128);
  HarnessResult result = harness_run(&run);
  assert_string_equal(result.kinds, "async-leak ");
  assert_int_equal(gemm_num_wrong(&gemm), 0);
  harness_result_deinit(&result);
  gemm_free(&gemm);
  free(ptx);
}

//===-- Many schedules ----------------------------------------------------===//

static void run_seeds(HarnessRun *run, const Gemm *gemm) {
  static const Mistake none = {0, NULL, false, false, NULL};
  for (uint64_t seed = 1; seed <= 50; seed++) {
    memset(gemm->c, 0xee, 2u * (size_t)gemm->m * (size_t)gemm->n);
    set_options(run, seed, &none);
    harness_run_clean(run);
    assert_int_equal(gemm_num_wrong(gemm), 0);
  }
}

/// The kernels above on small problems, silent and right for 50 seeds.
static void fifty_seeds(void **state) {
  (void)state;
  char *ptx = read_ptx("ws_gemm");
  Gemm gemm = gemm_make(128, 64, 384); // more steps than slots
  HarnessRun run = ws_gemm_run(ptx, &gemm, 0);
  run_seeds(&run, &gemm);
  gemm_free(&gemm);
  free(ptx);
  ptx = read_ptx("ampere_gemm");
  gemm = gemm_make(128, 64, 160);
  run = ampere_gemm_run(ptx, &gemm, 0);
  run_seeds(&run, &gemm);
  gemm_free(&gemm);
  free(ptx);
  check_persistent("gemm_ws_persistent", 1, 50);
  check_persistent("gemm_ws_cluster2", 2, 50);
}

//===-- Attention ---------------------------------------------------------===//

enum { SEQUENCE = 256, HEAD = 128 };

/// Softmax of row `row` of Q K^T / sqrt(HEAD), times V.
static void attention_row(const uint16_t *q, const uint16_t *k,
                          const uint16_t *v, int row, double out[HEAD]) {
  double weights[SEQUENCE], sum = 0;
  for (int j = 0; j < SEQUENCE; j++) {
    double product = 0;
    for (int d = 0; d < HEAD; d++)
      product +=
          (double)of_bf16(q[row * HEAD + d]) * (double)of_bf16(k[j * HEAD + d]);
    weights[j] = exp(product / sqrt(HEAD));
    sum += weights[j];
  }
  for (int d = 0; d < HEAD; d++) {
    out[d] = 0;
    for (int j = 0; j < SEQUENCE; j++)
      out[d] += weights[j] / sum * (double)of_bf16(v[j * HEAD + d]);
  }
}

static void attention(void **state) {
  (void)state;
  enum { COUNT = SEQUENCE * HEAD, BYTES = 2 * COUNT };
  char *ptx = read_ptx("fa3_d128");
  uint16_t *q = random_bf16(COUNT, 5), *k = random_bf16(COUNT, 6);
  uint16_t *v = random_bf16(COUNT, 7), *o = random_bf16(COUNT, 8);
  HarnessRun run = {.ptx = ptx,
                    .grid = {SEQUENCE / 128, 1, 1},
                    .block = 384,
                    .smem_bytes = 32768 + 4 * 128 * 256 + 72,
                    .num_args = 9,
                    .num_memory_args = 3};
  run.args[0] = buffer_arg(q, BYTES, "Q");
  run.args[1] = buffer_arg(k, BYTES, "K");
  run.args[2] = buffer_arg(v, BYTES, "V");
  for (int i = 0; i < 3; i++)
    run.args[3 + i] = map_arg(i, HEAD, SEQUENCE, 64, 128, 128);
  run.args[6] = buffer_arg(o, BYTES, "O");
  run.args[7] = value_arg(SEQUENCE);
  // The scale of the exponent: log2(e) / sqrt(HEAD).
  run.args[8].value = harness_bits(1.4426950408889634f / sqrtf(HEAD));
  harness_run_clean(&run);
  for (int row = 0; row < SEQUENCE; row += 29) {
    double expected[HEAD];
    attention_row(q, k, v, row, expected);
    for (int d = 0; d < HEAD; d++)
      assert_true(fabs((double)of_bf16(o[row * HEAD + d]) - expected[d]) <
                  0.02);
  }
  free(q);
  free(k);
  free(v);
  free(o);
  free(ptx);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(warp_specialised_gemm),
    cmocka_unit_test(ampere_gemm),
    cmocka_unit_test(product_from_registers),
    cmocka_unit_test(softmax),
    cmocka_unit_test(persistent_gemm),
    cmocka_unit_test(cluster_gemm),
    cmocka_unit_test(ampere_gemm_by_hand),
    cmocka_unit_test(attention),
    cmocka_unit_test(fifty_seeds),
};

int main(void) { return cmocka_run_group_tests(tests, NULL, NULL); }
