//===- emulator-harness.c - Runs PTX snippets in unit tests ---------------===//

#include "emulator-harness.h"

#include <math.h>
#include <stdlib.h>

//===-- Modules -----------------------------------------------------------===//

static TileEmuModule *parse(const char *ptx) {
  TileEmuModule *module = NULL;
  TileStatus status =
      tile_emu_module_parse(ptx, strlen(ptx), "test.ptx", &module);
  if (!tile_status_is_ok(&status))
    fail_msg("%s", status.message);
  return module;
}

void harness_parse_fails(const char *ptx, const char *text) {
  TileEmuModule *module = NULL;
  TileStatus status =
      tile_emu_module_parse(ptx, strlen(ptx), "test.ptx", &module);
  assert_int_equal(status.code, TILE_STATUS_USER_ERROR);
  assert_null(module);
  if (!strstr(status.message, text))
    fail_msg("expected \"%s\" in \"%s\"", text, status.message);
}

//===-- Launches ----------------------------------------------------------===//

typedef struct {
  void *pointers[HARNESS_MAX_ARGS];
  _Alignas(64) uint8_t maps[HARNESS_MAX_ARGS][TILE_TENSOR_MAP_SIZE_BYTES];
  void *args[HARNESS_MAX_ARGS];
} Arguments;

static void arguments_build(TileEmu *emu, const HarnessRun *run,
                            Arguments *arguments) {
  for (size_t i = 0; i < run->num_args; i++) {
    const HarnessBuffer *buffer = &run->args[i].buffer;
    if (!buffer->data)
      continue;
    TileStatus status = tile_emu_alloc(emu, buffer->size_bytes, buffer->name,
                                       &arguments->pointers[i]);
    assert_true(tile_status_is_ok(&status));
    memcpy(arguments->pointers[i], buffer->data, buffer->size_bytes);
  }
  for (size_t i = 0; i < run->num_args; i++) {
    const HarnessArg *arg = &run->args[i];
    if (arg->buffer.data)
      arguments->args[i] = &arguments->pointers[i];
    else if (arg->map.rank) {
      TileTensorMap map = arg->map;
      map.address = (uintptr_t)arguments->pointers[arg->map_of];
      TileStatus status = tile_emu_tensor_map_encode(&map, arguments->maps[i]);
      if (!tile_status_is_ok(&status))
        fail_msg("%s", status.message);
      arguments->args[i] = arguments->maps[i];
    } else
      arguments->args[i] = (void *)(uintptr_t)&arg->value;
  }
}

static void result_fill(const TileEmu *emu, HarnessResult *result) {
  result->report = strdup(tile_emu_report(emu));
  result->output = strdup(tile_emu_output(emu));
  result->num_findings = tile_emu_num_findings(emu);
  result->stats = tile_emu_stats(emu);
  const TileEmuFinding *finding;
  for (size_t i = 0; (finding = tile_emu_finding(emu, i)); i++)
    if (!strstr(result->kinds, finding->kind) &&
        strlen(result->kinds) + strlen(finding->kind) + 2 <
            sizeof result->kinds) {
      strcat(result->kinds, finding->kind);
      strcat(result->kinds, " ");
    }
}

HarnessResult harness_run(const HarnessRun *run) {
  HarnessResult result = {0};
  TileEmuModule *module = parse(run->ptx);
  TileEmuOptions options = run->options;
  if (options.seed == 0) {
    tile_emu_options_init(&options);
    options.pedantic = run->options.pedantic;
  }
  TileEmu *emu = NULL;
  TileStatus status = tile_emu_create(&options, &emu);
  assert_true(tile_status_is_ok(&status));
  Arguments arguments = {0};
  arguments_build(emu, run, &arguments);
  TileEmuLaunch launch = {
      .block = {run->block ? run->block : 32, 1, 1},
      .cluster = {run->cluster, run->cluster ? 1 : 0, run->cluster ? 1 : 0},
      .dynamic_smem_bytes = run->smem_bytes,
      .args = arguments.args + run->num_memory_args,
      .num_args = run->num_args - run->num_memory_args};
  for (int i = 0; i < 3; i++)
    launch.grid[i] = run->grid[i] ? run->grid[i] : 1;
  result.status = tile_emu_launch(
      emu, module, tile_emu_module_kernel(module, 0)->name, &launch);
  for (size_t i = 0; i < run->num_args; i++)
    if (run->args[i].buffer.data)
      memcpy(run->args[i].buffer.data, arguments.pointers[i],
             run->args[i].buffer.size_bytes);
  result_fill(emu, &result);
  if (run->inspect)
    run->inspect(emu, run->user_data);
  tile_emu_destroy(emu);
  tile_emu_module_destroy(module);
  return result;
}

void harness_result_deinit(HarnessResult *result) {
  free(result->report);
  free(result->output);
  *result = (HarnessResult){0};
}

void harness_run_clean(const HarnessRun *run) {
  HarnessResult result = harness_run(run);
  if (result.status.code != TILE_STATUS_OK)
    fail_msg("%s\n%s", result.status.message, result.report);
  harness_result_deinit(&result);
}

void harness_run_finds(const HarnessRun *run, const char *kind,
                       const char *text) {
  HarnessResult result = harness_run(run);
  assert_int_equal(result.status.code, TILE_STATUS_KERNEL_FAILED);
  if (!strstr(result.kinds, kind) || !strstr(result.report, text))
    fail_msg("expected [%s] with \"%s\" in\n%s", kind, text, result.report);
  harness_result_deinit(&result);
}

//===-- Instructions of one warp ------------------------------------------===//

static const char lanes_prologue[] = HARNESS_HEADER
    ".visible .entry k(.param .u64 in, .param .u64 out)\n"
    "{\n"
    ".reg .b64 base, at, a64, b64, c64, e64, d64, r<16>;\n"
    ".reg .b32 tid, a32, b32, c32, e32, d32, w<16>;\n"
    ".reg .b16 a16, b16, c16, e16, d16, h<16>;\n"
    ".reg .f32 fa, fb, fc, fe, fd, f<16>;\n"
    ".reg .f64 da, db, dc, de, dd;\n"
    ".reg .pred pa, pb, p, q;\n"
    "mov.u32 tid, %tid.x;\n"
    "ld.param.u64 base, [in];\n"
    "mad.wide.u32 at, tid, 32, base;\n"
    "ld.global.v2.b64 {a64, b64}, [at];\n"
    "ld.global.v2.b64 {c64, e64}, [at+16];\n"
    "cvt.u32.u64 a32, a64; cvt.u32.u64 b32, b64;\n"
    "cvt.u32.u64 c32, c64; cvt.u32.u64 e32, e64;\n"
    "cvt.u16.u64 a16, a64; cvt.u16.u64 b16, b64;\n"
    "cvt.u16.u64 c16, c64; cvt.u16.u64 e16, e64;\n"
    "mov.b32 fa, a32; mov.b32 fb, b32; mov.b32 fc, c32; mov.b32 fe, e32;\n"
    "mov.b64 da, a64; mov.b64 db, b64; mov.b64 dc, c64; mov.b64 de, e64;\n"
    "and.b32 w0, a32, 1; setp.ne.u32 pa, w0, 0;\n"
    "and.b32 w0, b32, 1; setp.ne.u32 pb, w0, 0;\n"
    "mov.b64 d64, 0; mov.b32 d32, 0; mov.b16 d16, 0;\n"
    "mov.f32 fd, 0f00000000; mov.f64 dd, 0d0000000000000000;\n"
    "setp.ne.u32 p, 0, 0; setp.ne.u32 q, 0, 0;\n";

static const char lanes_epilogue[] =
    "\nld.param.u64 base, [out];\n"
    "mad.wide.u32 at, tid, 40, base;\n"
    "st.global.b64 [at], d64; st.global.f64 [at+8], dd;\n"
    "st.global.b32 [at+16], d32; st.global.f32 [at+20], fd;\n"
    "cvt.u32.u16 w0, d16; st.global.b32 [at+24], w0;\n"
    "selp.u32 w0, 1, 0, p; st.global.b32 [at+28], w0;\n"
    "selp.u32 w0, 1, 0, q; st.global.b32 [at+32], w0;\n"
    "ret;\n}\n";

void harness_lanes(const char *text,
                   const HarnessOperands operands[HARNESS_LANES],
                   HarnessResults out_results[HARNESS_LANES]) {
  size_t size_bytes =
      sizeof lanes_prologue + strlen(text) + sizeof lanes_epilogue;
  char *ptx = malloc(size_bytes);
  assert_non_null(ptx);
  snprintf(ptx, size_bytes, "%s%s%s", lanes_prologue, text, lanes_epilogue);
  HarnessOperands in[HARNESS_LANES];
  memcpy(in, operands, sizeof in);
  memset(out_results, 0, HARNESS_LANES * sizeof *out_results);
  HarnessRun run = {.ptx = ptx, .num_args = 2};
  run.args[0].buffer = (HarnessBuffer){in, sizeof in, "in"};
  run.args[1].buffer =
      (HarnessBuffer){out_results, HARNESS_LANES * sizeof *out_results, "out"};
  harness_run_clean(&run);
  free(ptx);
}

uint32_t harness_random(uint32_t *state) {
  uint32_t x = *state;
  x ^= x << 13;
  x ^= x >> 17;
  x ^= x << 5;
  *state = x;
  return x * 0x9E3779B1u;
}

static uint64_t random64(uint32_t *state) {
  uint64_t high = harness_random(state);
  return high << 32 | harness_random(state);
}

void harness_operands(uint32_t seed, HarnessOperands out[HARNESS_LANES]) {
  static const uint64_t special[] = {0,
                                     1,
                                     2,
                                     31,
                                     32,
                                     33,
                                     63,
                                     64,
                                     0x7f,
                                     0x80,
                                     0xff,
                                     0x7fff,
                                     0x8000,
                                     0xffff,
                                     0x7fffffff,
                                     0x80000000,
                                     0xffffffff,
                                     0x7fffffffffffffff,
                                     0x8000000000000000,
                                     0xffffffffffffffff};
  enum { NUM_SPECIAL = sizeof special / sizeof special[0] };
  uint32_t state = seed * 7919 + 1;
  for (uint32_t l = 0; l < HARNESS_LANES; l++) {
    uint64_t *fields[] = {&out[l].a, &out[l].b, &out[l].c, &out[l].e};
    for (int i = 0; i < 4; i++) {
      bool is_special = harness_random(&state) % 3 == 0;
      *fields[i] = is_special ? special[harness_random(&state) % NUM_SPECIAL]
                              : random64(&state);
    }
  }
}

void harness_float_operands(uint32_t seed, HarnessOperands out[HARNESS_LANES]) {
  static const float special[] = {0.0f,   -0.0f,    1.0f,      -1.0f,
                                  0.5f,   INFINITY, -INFINITY, NAN,
                                  1e-40f, 3e38f,    65504.0f};
  enum { NUM_SPECIAL = sizeof special / sizeof special[0] };
  uint32_t state = seed * 104729 + 1;
  for (uint32_t l = 0; l < HARNESS_LANES; l++) {
    uint64_t *fields[] = {&out[l].a, &out[l].b, &out[l].c, &out[l].e};
    for (int i = 0; i < 4; i++) {
      float number = (float)(int32_t)harness_random(&state) / 65536.0f;
      if (harness_random(&state) % 4 == 0)
        number = special[harness_random(&state) % NUM_SPECIAL];
      *fields[i] = harness_bits(number);
    }
  }
}

double harness_small_float(uint32_t bits, int exponent_bits,
                           int mantissa_bits) {
  int exponent = (int)(bits >> mantissa_bits) & ((1 << exponent_bits) - 1);
  int mantissa = (int)bits & ((1 << mantissa_bits) - 1);
  int bias = (1 << (exponent_bits - 1)) - 1;
  double sign = bits >> (exponent_bits + mantissa_bits) & 1 ? -1.0 : 1.0;
  if (exponent == (1 << exponent_bits) - 1)
    return mantissa ? (double)NAN : sign * (double)INFINITY;
  if (exponent == 0)
    return sign * ldexp(mantissa, 1 - bias - mantissa_bits);
  return sign * ldexp(mantissa + (1 << mantissa_bits),
                      exponent - bias - mantissa_bits);
}
