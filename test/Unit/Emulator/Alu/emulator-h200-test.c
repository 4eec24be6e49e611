//===- emulator-h200-test.c - Arithmetic has the bits of an H200 ----------===//
//
// test/Emulator/h200/arithmetic.txt has instructions and a hash of what an H200
// (driver 580.159.04) computed for the operands below, in all 512 threads. NaNs
// of f64, and of halves that come from wider floats, count as one.
//
//===----------------------------------------------------------------------===//

#include "emulator-harness.h"

#include <stdbool.h>
#include <stdlib.h>

enum { NUM_THREADS = 512, MAX_CASES = 1200, MAX_TEXT = 1 << 20 };

//===-- Operands ----------------------------------------------------------===//

static const uint32_t f32_values[] = {
    0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x807fffff,
    0x00800000, 0x3f800000, 0xbf800000, 0x3f000000, 0x7f7fffff, 0xff7fffff,
    0x7f800000, 0xff800000, 0x7fc00000, 0xffc00001, 0x7f800001, 0x3f7fffff,
    0x40490fdb, 0x4b000000, 0x4f000000, 0xcf000000, 0x5f000000, 0x33800000,
    0x38800000, 0x387fffff, 0x33000000, 0x477fe000, 0x477ff000, 0x7f7f8000,
    0x43e00000, 0x43e80000, 0x47600000, 0x3fc00000, 0x40200000, 0xc0200000,
    0x00400000};
static const uint16_t half_values[] = {
    0x0000, 0x8000, 0x0001, 0x8001, 0x03ff, 0x83ff, 0x0400, 0x3c00, 0xbc00,
    0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0xfff7, 0x7ff7, 0x3bff, 0x3f80,
    0xbf80, 0x7f7f, 0x7f80, 0xff80, 0x7fc0, 0x0040, 0x007f, 0x0080, 0x8080};
static const uint64_t f64_values[] = {
    0x0000000000000000, 0x8000000000000000, 0x3ff0000000000000,
    0xbff0000000000000, 0x3fe0000000000000, 0x0000123456789abc,
    0x8000123456789abc, 0x0000000000000001, 0x7fe1ccf385ebc8a0,
    0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000,
    0x3ff8000000000000, 0x4004000000000000, 0xc004000000000000,
    0x4202a05f20000000, 0xc202a05f20000000, 0x41f0000000080000,
    0x43e0218aa4d21800, 0xc3e0218aa4d21800, 0x36a6d601ad376ab9,
    0x47eff933c78cdfad, 0x47f07548fa50e4a1, 0x37a16c262777579c,
    0x40effc0000000000, 0x40effe0000000000, 0x40effdfcccccccd0};

#define PICK(values, state)                                                    \
  (values)[next(state) % (sizeof(values) / sizeof((values)[0]))]

static uint64_t next(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return *state >> 33;
}

/// Bits, special and moderate numbers of every format, small integers.
static uint64_t operand_make(uint32_t thread, uint64_t *state) {
  uint64_t value;
  switch (thread % 8) {
  case 0:
    value = next(state) << 33;
    value ^= next(state) << 2;
    return value ^ next(state);
  case 1:
  case 2:
    value = PICK(f32_values, state);
    return value | (uint64_t)PICK(f32_values, state) << 32;
  case 3:
    value = next(state) & 0x7fffff;
    value |= (110 + next(state) % 34) << 23;
    value |= (next(state) & 1) << 31;
    return value | next(state) << 32;
  case 4:
    value = PICK(half_values, state);
    value |= (uint64_t)PICK(half_values, state) << 16;
    return value | next(state) << 32;
  case 5:
    return PICK(f64_values, state);
  case 6:
    value = next(state) << 21;
    value = (value ^ next(state)) & ((1ull << 52) - 1);
    value |= (983 + next(state) % 80) << 52;
    return value | (next(state) & 1) << 63;
  default:
    return next(state) % 81 - 40;
  }
}

//===-- Cases -------------------------------------------------------------===//

typedef struct {
  uint64_t hash;
  const char *statement; // in the text
} Case;

/// The result of the last instruction: its type by register name, and the
/// predicate after `|`.
static void result_parse(const char *statement, char out_kind[4],
                         char out_pred[4]) {
  const char *at = statement;
  for (const char *next_one; (next_one = strstr(at, "; "));)
    at = next_one + 2;
  at = strchr(at, ' ') + 1;
  size_t length = 0;
  if (*at == '%')
    for (at++; length < 3 && at[length] >= 'a' && at[length] <= 'z'; length++)
      out_kind[length] = at[length];
  else
    out_kind[length++] = 'p'; // `_`
  out_kind[length] = 0;
  size_t end = strcspn(at, ",|");
  out_pred[0] = 0;
  if (at[end] == '|')
    snprintf(out_pred, 4, "%.3s", at + end + 1);
}

static void case_print(char *ptx, const char *statement) {
  static const char *const results[][2] = {
      {"r", "cvt.u64.u32 v, %r0;"},
      {"h", "cvt.u64.u16 v, %h0;"},
      {"f", "mov.b32 w, %f0; cvt.u64.u32 v, w;"},
      {"fd", "mov.b64 v, %fd0;"},
      {"rd", "mov.b64 v, %rd0;"},
      {"p", "selp.u32 w, 1, 0, %p0; cvt.u64.u32 v, w;"}};
  char kind[4], pred[4];
  result_parse(statement, kind, pred);
  char *at = ptx + strlen(ptx);
  at += sprintf(at,
                "and.b32 w, %%r1, 1; setp.ne.u32 %%p1, w, 0;\n"
                "and.b32 w, %%r2, 1; setp.ne.u32 %%p2, w, 0;\n"
                "setp.ne.u32 %%p0, w, w; mov.b32 %%r0, 0; mov.b16 %%h0, 0;\n"
                "mov.b32 %%f0, 0; mov.b64 %%fd0, 0; mov.b64 %%rd0, 0;\n%s\n",
                statement);
  for (size_t i = 0; i < sizeof results / sizeof results[0]; i++)
    if (!strcmp(results[i][0], kind))
      at += sprintf(at, "%s\n", results[i][1]);
  if (pred[0])
    at += sprintf(at,
                  "selp.u32 w, 2, 0, %s; cvt.u64.u32 %%rd5, w;\n"
                  "shl.b64 %%rd5, %%rd5, 40; or.b64 v, v, %%rd5;\n",
                  pred);
  sprintf(at, "st.global.u64 [to], v; add.u64 to, to, stride;\n");
}

static char *kernel_make(const Case *cases, size_t count) {
  char *ptx = calloc(1, MAX_TEXT);
  assert_non_null(ptx);
  strcpy(ptx, HARNESS_HEADER
         ".entry k(.param .u64 in, .param .u64 out) {\n"
         ".reg .b32 %r<10>; .reg .b64 %rd<10>; .reg .b16 %h<10>;\n"
         ".reg .f32 %f<10>; .reg .f64 %fd<10>; .reg .pred %p<10>;\n"
         ".reg .b64 to, from, v, stride; .reg .b32 t, w;\n"
         "ld.param.u64 from, [in]; ld.param.u64 to, [out];\n"
         "mov.u32 t, %tid.x; mov.u64 stride, 4096;\n"
         "mul.wide.u32 v, t, 32; add.u64 from, from, v;\n"
         "mul.wide.u32 v, t, 8; add.u64 to, to, v;\n"
         "ld.global.v2.u64 {%rd1, %rd2}, [from];\n"
         "ld.global.v2.u64 {%rd3, %rd4}, [from+16];\n");
  for (int i = 1; i <= 4; i++)
    sprintf(ptx + strlen(ptx),
            "cvt.u32.u64 %%r%d, %%rd%d; cvt.u16.u64 %%h%d, %%rd%d;\n"
            "mov.b32 %%f%d, %%r%d; mov.b64 %%fd%d, %%rd%d;\n",
            i, i, i, i, i, i, i, i);
  for (size_t i = 0; i < count; i++)
    case_print(ptx, cases[i].statement);
  strcat(ptx, "ret; }\n");
  return ptx;
}

static size_t cases_read(char *text, Case *out_cases) {
  char path[500];
  snprintf(path, sizeof path, "%s/h200/arithmetic.txt", TILE_EMULATOR_TEST_DIR);
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  assert_true(fread(text, 1, MAX_TEXT - 1, file) > 0);
  fclose(file);
  size_t count = 0;
  for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
    assert_true(count < MAX_CASES);
    out_cases[count++] = (Case){strtoull(line, NULL, 16), line + 17};
  }
  return count;
}

//===-- Comparison --------------------------------------------------------===//

static uint64_t one_nan(const char *statement, uint64_t value) {
  char kind[4], pred[4];
  result_parse(statement, kind, pred);
  if (!strcmp(kind, "fd") && (value & INT64_MAX) > 0x7ff0000000000000u)
    return 0x7ff8000000000000u;
  if (!strcmp(kind, "f") && (value & INT32_MAX) > 0x7f800000u)
    return INT32_MAX;
  bool is_half = !strncmp(statement, "cvt", 3) && !strcmp(kind, "h");
  bool is_bf16 = strstr(statement, ".bf16.f");
  if (is_half && is_bf16 && (value & INT16_MAX) > 0x7f80u)
    return INT16_MAX;
  if (is_half && !is_bf16 && strstr(statement, ".f16.f") &&
      (value & INT16_MAX) > 0x7c00u)
    return INT16_MAX;
  return value;
}

/// FNV-1a of the results, least significant bytes first.
static uint64_t hash_of(const char *statement, const uint64_t *values) {
  uint64_t hash = 14695981039346656037u;
  for (size_t i = 0; i < NUM_THREADS; i++) {
    uint64_t value = one_nan(statement, values[i]);
    for (int byte = 0; byte < 8; byte++)
      hash = (hash ^ (value >> (8 * byte) & 255)) * 1099511628211u;
  }
  return hash;
}

static void arithmetic(void **state) {
  (void)state;
  static Case cases[MAX_CASES];
  static uint64_t operands[NUM_THREADS][4];
  uint64_t random = 1;
  for (uint32_t i = 0; i < NUM_THREADS; i++)
    for (int k = 0; k < 4; k++)
      operands[i][k] = operand_make(i, &random);
  char *text = calloc(1, MAX_TEXT);
  assert_non_null(text);
  size_t count = cases_read(text, cases), num_wrong = 0;
  assert_true(count > 900);
  char *ptx = kernel_make(cases, count);
  uint64_t *results = calloc(count * NUM_THREADS, sizeof *results);
  assert_non_null(results);
  HarnessRun run = {.ptx = ptx, .block = NUM_THREADS, .num_args = 2};
  run.args[0].buffer = (HarnessBuffer){operands, sizeof operands, "in"};
  run.args[1].buffer =
      (HarnessBuffer){results, count * NUM_THREADS * sizeof *results, "out"};
  harness_run_clean(&run);
  for (size_t i = 0; i < count; i++)
    if (hash_of(cases[i].statement, results + i * NUM_THREADS) !=
        cases[i].hash) {
      print_error("%s\n", cases[i].statement);
      num_wrong++;
    }
  assert_int_equal(num_wrong, 0);
  free(results);
  free(ptx);
  free(text);
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(arithmetic)};

int main(void) { return cmocka_run_group_tests(tests, NULL, NULL); }
