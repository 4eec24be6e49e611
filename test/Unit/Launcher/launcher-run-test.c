//===- launcher-run-test.c - Host functions, from JSON to driver calls ----===//
//
// Runs launch metadata on the fake driver and compares the launches that
// arrive there: variants, sizes, parameters, requirements, and every error.
//
//===----------------------------------------------------------------------===//

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "Launcher/Launcher.h"
#include "launcher-fake-cuda.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

//===-- Helpers -----------------------------------------------------------===//

enum { TEXT_BYTES = 8192 };

static const char ptx_path[] = "launcher-run-test.ptx";

static const char ptx_text[] =
    ".version 8.0 .target sm_90a .address_size 64\n"
    ".entry fast(.param .align 64 .b8 A[128], .param .u64 C) {}\n"
    ".entry slow(.param .u64 A, .param .u64 C, .param .u32 n) {}\n"
    ".entry scalars(.param .u8 a, .param .u8 b, .param .u16 c, .param .u32 d,"
    " .param .u64 e, .param .u64 f, .param .b16 g, .param .b16 h,"
    " .param .f32 i, .param .f64 j, .param .f32 k) {}\n"
    ".entry nothing() {}\n";

/// Values that the launches below may use.
static const char values_text[] =
    "{\"op\": \"constant\", \"type\": \"index\", \"value\": 1}," // 0
    "{\"op\": \"memref.dim\", \"type\": \"index\", \"arg\": 0, "
    "\"dim\": 0}," // 1
    "{\"op\": \"memref.dim\", \"type\": \"index\", \"arg\": 0, "
    "\"dim\": 1}," // 2
    "{\"op\": \"memref.stride\", \"type\": \"index\", \"arg\": 0, "
    "\"dim\": 0},"
    "{\"op\": \"constant\", \"type\": \"index\", \"value\": 2}," // 4
    "{\"op\": \"arith.muli\", \"type\": \"index\", \"operands\": [3, "
    "4]},"                                                        // 5
    "{\"op\": \"constant\", \"type\": \"index\", \"value\": 16}," // 6
    "{\"op\": \"arith.remui\", \"type\": \"index\", \"operands\": [5, "
    "6]},"                                                       // 7
    "{\"op\": \"constant\", \"type\": \"index\", \"value\": 0}," // 8
    "{\"op\": \"arith.cmpi\", \"type\": \"i1\", \"predicate\": \"eq\","
    " \"operands\": [7, 8]}," // 9: the row pitch is a multiple of 16
                              // bytes
    "{\"op\": \"argument\", \"type\": \"i32\", \"arg\": 2},"   // 10
    "{\"op\": \"constant\", \"type\": \"i32\", \"value\": 0}," // 11
    "{\"op\": \"arith.cmpi\", \"type\": \"i1\", \"predicate\": \"sge\","
    " \"operands\": [10, 11]}," // 12: n >= 0
    "{\"op\": \"arith.index_cast\", \"type\": \"index\", \"operands\": "
    "[10]},"
    "{\"op\": \"arith.divui\", \"type\": \"index\", \"operands\": [6, "
    "13]},"
    "{\"op\": \"constant\", \"type\": \"f64\", \"value\": 2.1}," // 15
    "{\"op\": \"constant\", \"type\": \"i32\", \"value\": -3},"  // 16
    "{\"op\": \"constant\", \"type\": \"i1\", \"value\": -1},"   // 17
    "{\"op\": \"constant\", \"type\": \"index\", \"value\": "
    "5000000000}";

static const char fast_variant[] =
    "{\"kernel\": \"fast\", \"requires\": [{\"value\": 9, \"text\": \"pitch of "
    "A\"}], \"grid\": [1, 2, 0], \"block\": [6, 4, 0], \"cluster\": [2, 1, 1],"
    " \"dynamic_smem_bytes\": 4096, \"params\": [{\"kind\": \"tensor_map\","
    " \"arg\": 0, \"dtype\": \"bf16\", \"dims\": [2, 1], \"strides_bytes\":"
    " [5], \"box\": [64, 8], \"elem_strides\": [1, 1], \"swizzle_bytes\": 128,"
    " \"oob\": \"zero\"}, {\"kind\": \"pointer\", \"arg\": 1}]}";

static const char slow_variant[] =
    "{\"kernel\": \"slow\", \"requires\": [], \"grid\": [1, 0, 0], \"block\":"
    " [6, 0, 0], \"dynamic_smem_bytes\": 0, \"params\": [{\"kind\":"
    " \"pointer\", \"arg\": 0}, {\"kind\": \"pointer\", \"arg\": 1}, {\"kind\":"
    " \"scalar\", \"type\": \"i32\", \"value\": 10}]}";

/// Maps of the im2col form; only rank 3 fits the three dimensions at hand.
static const char im2col_variant[] =
    "{\"kernel\": \"fast\", \"requires\": [], \"grid\": [1, 2, 0], \"block\":"
    " [6, 4, 0], \"dynamic_smem_bytes\": 0, \"params\": [{\"kind\":"
    " \"tensor_map\", \"arg\": 0, \"dtype\": \"bf16\", \"dims\": [2, 1, 1],"
    " \"strides_bytes\": [5, 5], \"pixel_box_lower\": [-1],"
    " \"pixel_box_upper\": [2], \"channels_per_pixel\": 8,"
    " \"pixels_per_column\": 100, \"elem_strides\": [1, 3, 1],"
    " \"swizzle_bytes\": 0}, {\"kind\": \"pointer\", \"arg\": 1}]}";

static FakeCuda *fake;

static int set_up(void **state) {
  (void)state;
  FILE *file = fopen(ptx_path, "wb");
  if (!file)
    return 1;
  fputs(ptx_text, file);
  fclose(file);
  void *library = dlopen(TILE_FAKE_CUDA, RTLD_NOW);
  fake = library ? dlsym(library, "fake_cuda") : NULL;
  return fake == NULL;
}

static int tear_down(void **state) {
  (void)state;
  return remove(ptx_path);
}

/// Args: A memref bf16, C memref f32 (written), n scalar i32.
static TileStatus parse(const char *requires_text, const char *launches,
                        TileHostFunction **out_function) {
  static char text[TEXT_BYTES];
  snprintf(text, sizeof text,
           "{\"format\": \"tile-host-1\", \"function\": \"f\", \"target\":"
           " \"sm_90a\", \"ptx\": \"%s\", \"args\": [{\"name\": \"A\","
           " \"kind\": \"memref\", \"dtype\": \"bf16\", \"shape\": [-1, -1],"
           " \"strides\": [-1, 1], \"offset\": -1, \"mutable\": false},"
           " {\"name\": \"C\", \"kind\": \"memref\", \"dtype\": \"f32\","
           " \"shape\": [-1], \"strides\": [1], \"offset\": 0, \"mutable\":"
           " true}, {\"name\": \"n\", \"kind\": \"scalar\", \"dtype\":"
           " \"i32\"}], \"may_alias\": false, \"requires\": [%s],"
           " \"values\": [%s], \"launches\": [%s], \"workspace\": []}",
           ptx_path, requires_text, values_text, launches);
  return tile_host_function_parse(text, strlen(text), "f.json", out_function);
}

static TileArg args[3];

static void set_good_args(void) {
  args[0] = (TileArg){.dtype = TILE_DTYPE_BF16,
                      .rank = 2,
                      .shape = {4, 6},
                      .strides = {8, 1},
                      .offset = 8,
                      .address = 0x10010};
  args[1] = (TileArg){.dtype = TILE_DTYPE_F32,
                      .rank = 1,
                      .shape = {24},
                      .strides = {1},
                      .address = 0x20000};
  args[2] = (TileArg){.is_scalar = true, .scalar = {TILE_DTYPE_I32, 300, 0}};
}

static const char *failing; // the driver call that fails, NULL: none

/// Runs a function; the calls from loading the module on are in the log.
static TileStatus run(const char *requires_text, const char *launches,
                      size_t num_params) {
  TileHostFunction *function = NULL;
  TileStatus status = parse(requires_text, launches, &function);
  if (!tile_status_is_ok(&status))
    return status;
  *fake = (FakeCuda){.num_devices = 1, .capability = 90};
  TileDeviceOptions options;
  tile_device_options_init(&options);
  options.driver_library = TILE_FAKE_CUDA;
  options.require_gpu = true;
  TileDevice *device = NULL;
  status = tile_device_open(&options, &device);
  assert_string_equal(status.message, "");
  *fake = (FakeCuda){.num_params = num_params, .failing = failing, .error = 1};
  status = tile_host_function_run(function, device, args, 3, NULL);
  fake->log[fake->log_bytes] = 0;
  size_t log_bytes = fake->log_bytes;
  tile_device_destroy(device);
  fake->log[log_bytes] = 0; // without the calls of closing
  tile_host_function_destroy(function);
  return status;
}

static void expect_run(const char *launches, size_t num_params,
                       const char *log) {
  TileStatus status = run("", launches, num_params);
  assert_string_equal(status.message, "");
  assert_string_equal(fake->log, log);
}

static void expect_error(const char *requires_text, const char *launches,
                         const char *message) {
  TileStatus status = run(requires_text, launches, 0);
  assert_int_equal(status.code, TILE_STATUS_USER_ERROR);
  assert_string_equal(status.message, message);
  assert_null(strstr(fake->log, "cuLaunchKernelEx"));
}

/// One launch with these variants.
static const char *launch_of(const char *first, const char *second) {
  static char text[TEXT_BYTES / 2];
  snprintf(text, sizeof text, "{\"variants\": [%s%s%s]}", first,
           *second ? ", " : "", second);
  return text;
}

/// `text` with its first `from` replaced.
static const char *edited(const char *text, const char *from, const char *to) {
  static char result[TEXT_BYTES / 4];
  const char *at = strstr(text, from);
  assert_non_null(at);
  snprintf(result, sizeof result, "%.*s%s%s", (int)(at - text), text, to,
           at + strlen(from));
  return result;
}

//===-- Launches ----------------------------------------------------------===//

static void test_im2col_map(void **state) {
  (void)state;
  set_good_args();
  expect_run(launch_of(im2col_variant, ""), 2,
             "cuModuleLoadDataEx .version\n"
             "cuTensorMapEncodeIm2col 9 0x10010 6x4x4 16x16 -1 2 1x3x1 8 100 0 "
             "0 2 0\n"
             "cuModuleGetFunction it fast\n"
             "cuLaunchKernelEx it 4,6,1 16,2,1 0 abababababababab 20000\n"
             "cuCtxSynchronize\n");
}

static void test_first_suitable_variant(void **state) {
  (void)state;
  set_good_args();
  expect_run(launch_of(fast_variant, slow_variant), 2,
             "cuModuleLoadDataEx .version\n"
             "cuTensorMapEncodeTiled 9 0x10010 6x4 16 64x8 1x1 0 3 2 0\n"
             "cuModuleGetFunction it fast\ncuFuncSetAttribute it 8 4096\n"
             "cuLaunchKernelEx it 4,6,1 16,2,1 4096 abababababababab 20000 "
             "attribute 4: 2,1,1\ncuCtxSynchronize\n");
  args[0].strides[0] = 7; // 14 bytes
  expect_run(launch_of(fast_variant, slow_variant), 3,
             "cuModuleLoadDataEx .version\n"
             "cuModuleGetFunction it slow\n"
             "cuLaunchKernelEx it 4,1,1 16,1,1 0 10010 20000 12c\n"
             "cuCtxSynchronize\n");
  expect_error("", launch_of(fast_variant, fast_variant),
               "f: launch 0: no variant suits the arguments: 'fast' needs: "
               "pitch of A; 'fast' needs: pitch of A");
}

// Without launches the PTX file need not even exist.
static void test_no_launch(void **state) {
  (void)state;
  set_good_args();
  assert_string_equal(run("", "", 0).message, "");
  assert_string_equal(fake->log, "");
}

static void test_two_launches(void **state) {
  (void)state;
  set_good_args();
  char launches[TEXT_BYTES / 2];
  snprintf(launches, sizeof launches,
           "{\"variants\": [%s]}, {\"variants\": [{\"kernel\": \"nothing\","
           " \"grid\": [0, 0, 0], \"block\": [0, 0, 0],"
           " \"dynamic_smem_bytes\": 0, \"params\": []}]}",
           slow_variant);
  TileStatus status = run("", launches, 0);
  assert_string_equal(status.message, "");
  assert_non_null(strstr(fake->log, "cuModuleGetFunction it slow\n"));
  assert_non_null(strstr(fake->log, "cuModuleGetFunction it nothing\n"));
}

// No block, no launch; a tensor map without elements is still one.
static void test_empty_tensors(void **state) {
  (void)state;
  set_good_args();
  args[0].shape[0] = 0;
  expect_run(launch_of(fast_variant, ""), 2, "cuModuleLoadDataEx .version\n");
  set_good_args();
  args[0].shape[1] = 0;
  TileStatus status =
      run("", launch_of(edited(fast_variant, "[1, 2, 0]", "[1, 0, 0]"), ""), 2);
  assert_string_equal(status.message, "");
  assert_non_null(strstr(fake->log, " 1x1 16 64x8 1x1 0 3 2 0\n"));
  assert_non_null(strstr(fake->log, "cuLaunchKernelEx it 4,1,1 16,2,1"));
}

static void test_every_scalar_type(void **state) {
  (void)state;
  set_good_args();
  static const char variant[] =
      "{\"kernel\": \"scalars\", \"grid\": [0, 0, 0], \"block\": [0, 0, 0],"
      " \"dynamic_smem_bytes\": 0, \"params\": ["
      "{\"kind\": \"scalar\", \"type\": \"i1\", \"value\": 17},"
      "{\"kind\": \"scalar\", \"type\": \"i8\", \"value\": 17},"
      "{\"kind\": \"scalar\", \"type\": \"i16\", \"value\": 16},"
      "{\"kind\": \"scalar\", \"type\": \"i32\", \"value\": 6},"
      "{\"kind\": \"scalar\", \"type\": \"i64\", \"value\": 16},"
      "{\"kind\": \"scalar\", \"type\": \"index\", \"value\": 18},"
      "{\"kind\": \"scalar\", \"type\": \"f16\", \"value\": 15},"
      "{\"kind\": \"scalar\", \"type\": \"bf16\", \"value\": 15},"
      "{\"kind\": \"scalar\", \"type\": \"f32\", \"value\": 15},"
      "{\"kind\": \"scalar\", \"type\": \"f64\", \"value\": 15},"
      "{\"kind\": \"scalar\", \"type\": \"f32\", \"value\": 16}]}";
  TileStatus status = run("", launch_of(variant, ""), 11);
  assert_string_equal(status.message, "");
  // 5000000000 is 0x12a05f200.
  assert_non_null(strstr(fake->log,
                         " 1 1 fffd 10 fffffffffffffffd 12a05f200 4033 "
                         "4006 40066666 4000cccccccccccd c0400000\n"));
}

//===-- Errors of running -------------------------------------------------===//

static void test_requirements(void **state) {
  (void)state;
  static const char text[] = "{\"value\": 17, \"text\": \"true\"},"
                             "{\"value\": 12, \"text\": \"n is not negative\"}";
  set_good_args();
  assert_string_equal(run(text, launch_of(slow_variant, ""), 0).message, "");
  args[2].scalar.integer = -1;
  expect_error(text, launch_of(slow_variant, ""),
               "f: the arguments do not meet: n is not negative");
}

static void test_division_by_zero(void **state) {
  (void)state;
  set_good_args();
  const char *launch =
      launch_of(edited(slow_variant, "[1, 0, 0]", "[14, 0, 0]"), "");
  args[2].scalar.integer = 4;
  assert_string_equal(run("", launch, 0).message, "");
  assert_non_null(strstr(fake->log, "cuLaunchKernelEx it 4,1,1"));
  args[2].scalar.integer = 0;
  expect_error("", launch, "f: grid x needs values[14], arith.divui by zero");
  // A value that nothing uses does no harm.
  assert_string_equal(run("", launch_of(slow_variant, ""), 0).message, "");
}

static void test_sizes_out_of_range(void **state) {
  (void)state;
  set_good_args();
  expect_error("",
               launch_of(edited(slow_variant, "[1, 0, 0]", "[0, 18, 0]"), ""),
               "f: expected grid y from 0 to 2147483647, got 5000000000");
  expect_error("",
               launch_of(edited(slow_variant, "[6, 0, 0]", "[8, 0, 0]"), ""),
               "f: expected block x from 1 to 2147483647, got 0");
  expect_error("",
               launch_of(edited(slow_variant, "[1, 0, 0]", "[16, 0, 0]"), ""),
               "f: expected grid x from 0 to 2147483647, got -3");
  expect_error("", launch_of(edited(fast_variant, "[2, 1]", "[18, 1]"), ""),
               "f: expected an extent of a tensor map from 0 to 4294967296, "
               "got 5000000000");
  expect_error("", launch_of(edited(fast_variant, "[5]", "[16]"), ""),
               "f: expected a stride of a tensor map from 0 to 1099511627775, "
               "got -3");
}

// Cut to 32 bits it would be another index.
static void test_index_too_large(void **state) {
  (void)state;
  set_good_args();
  expect_error(
      "",
      launch_of(edited(slow_variant, "\"value\": 10}", "\"value\": 18}"), ""),
      "f: expected a 32-bit scalar of the kernel from -2147483648 to "
      "2147483647, got 5000000000");
}

static void test_other_errors(void **state) {
  (void)state;
  set_good_args();
  expect_error("", launch_of(edited(slow_variant, "slow", "quick"), ""),
               "launcher-run-test.ptx: expected a kernel named 'quick', got "
               "'fast', 'slow', 'scalars', 'nothing'");
  expect_error("", launch_of(edited(slow_variant, "slow", "nothing"), ""),
               "kernel 'nothing': expected 0 parameters, got 3");
  expect_error("", launch_of(edited(slow_variant, "i32", "i64"), ""),
               "kernel 'slow': expected parameter 2 of 4 bytes, got 8");
  args[1].rank = 2;
  expect_error("", launch_of(slow_variant, ""),
               "f: argument 1 ('C'): expected rank 1, got 2");
  set_good_args();
  failing = "cuTensorMapEncodeTiled";
  expect_error("", launch_of(fast_variant, ""),
               "f: tensor map of argument 'A': cuTensorMapEncodeTiled: "
               "CUDA_ERROR_FAKE (error 1: as asked for)");
  failing = NULL;
}

//===-- Malformed metadata ------------------------------------------------===//

static const struct {
  const char *variant, *from, *to, *message; // message: after f.json: …
} malformed_launches[] = {
    {fast_variant, "\"fast\"", "7", "kernel: expected a text, got 7"},
    {fast_variant, "\"value\": 9", "\"value\": 1",
     "requires[0].value: expected the index of an i1 value, got 1"},
    {fast_variant, "\"value\": 9", "\"value\": 99",
     "requires[0].value: expected an integer from 0 to 18, got 99"},
    {fast_variant, "[1, 2, 0]", "[1, 2]",
     "grid: expected a list of 3, got [1,2]"},
    {fast_variant, "[1, 2, 0]", "[1, 2, 15]",
     "grid[2]: expected the index of an integer value, got 15"},
    {fast_variant, "[2, 1, 1]", "[0, 1, 1]",
     "cluster[0]: expected an integer from 1 to 4294967295, got 0"},
    {fast_variant, "4096", "-1",
     "dynamic_smem_bytes: expected an integer from 0 to 2147483647, got -1"},
    {fast_variant, "\"tensor_map\"", "\"texture\"",
     "params[0].kind: expected \"tensor_map\", \"pointer\" or \"scalar\", "
     "got \"texture\""},
    {fast_variant, "\"arg\": 0", "\"arg\": 2",
     "params[0].arg: expected the index of a memref, got 2"},
    {fast_variant, "bf16", "bf15",
     "params[0].dtype: expected an element type such as bf16, got \"bf15\""},
    {fast_variant, "[2, 1]", "[]",
     "params[0].dims: expected a list of 1 to 5, got []"},
    {fast_variant, "[5]", "[]",
     "params[0].strides_bytes: expected a list of 1, got []"},
    {fast_variant, "[64, 8]", "[64]",
     "params[0].box: expected a list of 2, got [64]"},
    {fast_variant, "128", "96",
     "params[0].swizzle_bytes: expected 0, 32, 64 or 128, got 96"},
    {fast_variant, "\"zero\"", "\"one\"",
     "params[0].oob: expected \"zero\" or \"nan\", got \"one\""},
    {im2col_variant, "[-1]", "[-1, 0]",
     "params[0].pixel_box_lower: expected a list of 1, got [-1,0]"},
    {im2col_variant, "[2]", "[32768]",
     "params[0].pixel_box_upper[0]: expected an integer from -32768 to "
     "32767, "
     "got 32768"},
    {im2col_variant, "\"channels_per_pixel\": 8", "\"channels_per_pixel\": 0",
     "params[0].channels_per_pixel: expected an integer from 1 to 256, got "
     "0"},
    {im2col_variant, "100", "1025",
     "params[0].pixels_per_column: expected an integer from 1 to 1024, got "
     "1025"},
    {im2col_variant, "[2, 1, 1], \"strides_bytes\": [5, 5]",
     "[2, 1], \"strides_bytes\": [5]",
     "params[0].dims: expected 3 to 5 dimensions of an image, got [2,1]"},
    {slow_variant, "\"value\": 10", "\"value\": 15",
     "params[2].value: expected the index of an integer value, got 15"},
};

static void test_malformed_launches(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof malformed_launches / sizeof *malformed_launches;
       i++) {
    char message[300];
    TileHostFunction *function = NULL;
    TileStatus status = parse(
        "",
        launch_of(edited(malformed_launches[i].variant,
                         malformed_launches[i].from, malformed_launches[i].to),
                  ""),
        &function);
    snprintf(message, sizeof message, "f.json: launches[0].variants[0].%s",
             malformed_launches[i].message);
    assert_string_equal(status.message, message);
    assert_null(function);
  }
}

static const struct {
  const char *text, *message;
} malformed_files[] = {
    {"", "f.json: line 1: not valid JSON"},
    {"{\n\"a\": [1,\n2,,]}", "f.json: line 3: not valid JSON"},
    {"[]", "f.json: format: expected a text, got nothing"},
    {"{\"format\": \"tile-host-3\"}",
     "f.json: format: expected \"tile-host-1\" or \"tile-host-2\", got "
     "\"tile-host-3\""},
    {"{\"format\": \"tile-host-1\", \"function\": \"f\"}",
     "f.json: ptx: expected a text, got nothing"},
    {"{\"format\": \"tile-host-1\", \"function\": \"f\", \"ptx\": \"p\", "
     "\"workspace\": [1]}",
     "f.json: workspace: expected an empty list, got [1]"},
    {"{\"format\": \"tile-host-1\", \"function\": \"f\", \"ptx\": \"p\", "
     "\"args\": [{\"name\": \"a\", \"kind\": \"tensor\", \"dtype\": "
     "\"f32\"}]}",
     "f.json: args[0].kind: expected \"memref\" or \"scalar\", got "
     "\"tensor\""},
    {"{\"format\": \"tile-host-1\", \"function\": \"f\", \"ptx\": \"p\", "
     "\"args\": [{\"name\": \"a\", \"kind\": \"scalar\", \"dtype\": "
     "\"complex<f32>\"}]}",
     "f.json: args[0].dtype: expected a type of integers or floats, got "
     "\"complex<f32>\""},
    {"{\"format\": \"tile-host-1\", \"function\": \"f\", \"ptx\": \"p\", "
     "\"args\": [{\"name\": \"a\", \"kind\": \"memref\", \"dtype\": "
     "\"f32\", \"shape\": [2, -2]}]}",
     "f.json: args[0].shape[1]: expected an integer from -1 to "
     "9223372036854775807, got -2"},
    {"{\"format\": \"tile-host-1\", \"function\": \"f\", \"ptx\": \"p\", "
     "\"args\": [{\"name\": \"a\", \"kind\": \"memref\", \"dtype\": "
     "\"f32\", \"shape\": [2], \"strides\": []}]}",
     "f.json: args[0].strides: expected a list of 1, got []"},
    {"{\"format\": \"tile-host-1\", \"function\": \"f\", \"ptx\": \"p\", "
     "\"args\": [{\"name\": \"a\", \"kind\": \"memref\", \"dtype\": "
     "\"f32\", \"shape\": [2], \"strides\": [1], \"offset\": 0}]}",
     "f.json: args[0].mutable: expected true or false, got nothing"},
    {"{\"format\": \"tile-host-1\", \"function\": \"f\", \"ptx\": \"p\", "
     "\"args\": 5}",
     "f.json: args: expected a list of 0 to 256, got 5"},
    {"{\"format\": \"tile-host-1\", \"function\": \"f\", \"ptx\": \"p\", "
     "\"args\": [{\"name\": \"a\", \"kind\": \"scalar\", \"dtype\": "
     "\"f31\"}]}",
     "f.json: args[0].dtype: expected an element type such as bf16, got "
     "\"f31\""},
    {"{\"format\": \"tile-host-1\", \"function\": \"f\", \"ptx\": \"p\", "
     "\"may_alias\": 1}",
     "f.json: may_alias: expected true or false, got 1"},
    {"{\"format\": \"tile-host-1\", \"function\": \"f\", \"ptx\": \"p\", "
     "\"args\": []}",
     "f.json: values: expected a list of 0 to 16384, got nothing"},
    {"{\"format\": \"tile-host-1\", \"function\": \"f\", \"ptx\": \"p\", "
     "\"args\": [], \"values\": []}",
     "f.json: launches: expected a list of 0 to 4096, got nothing"},
    {"{\"format\": \"tile-host-1\", \"function\": \"f\", \"ptx\": \"p\", "
     "\"args\": [], \"values\": [], \"launches\": [{\"variants\": []}]}",
     "f.json: launches[0].variants: expected a list of 1 to 64, got []"},
};

static void test_malformed_files(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof malformed_files / sizeof malformed_files[0];
       i++) {
    TileHostFunction *function = NULL;
    TileStatus status = tile_host_function_parse(
        malformed_files[i].text, strlen(malformed_files[i].text), "f.json",
        &function);
    assert_int_equal(status.code, TILE_STATUS_USER_ERROR);
    assert_string_equal(status.message, malformed_files[i].message);
    assert_null(function);
  }
}

// Cut anywhere or with one byte changed: an error or a function, never a crash.
static void test_damaged_files(void **state) {
  (void)state;
  TileHostFunction *function = NULL;
  char text[] = "{\"format\":\"tile-host-1\",\"function\":\"f\",\"ptx\":\"p\","
                "\"args\":[{\"name\":\"a\",\"kind\":\"memref\",\"dtype\":"
                "\"f32\",\"shape\":[2],\"strides\":[1],\"offset\":0,"
                "\"mutable\":true}],\"values\":[{\"op\":\"constant\","
                "\"type\":\"index\",\"value\":1},{\"op\":\"arith.divui\","
                "\"type\":\"index\",\"operands\":[0,0]}],\"launches\":[{"
                "\"variants\":[{\"kernel\":\"k\",\"requires\":[],\"grid\":["
                "0,1,0],\"block\":[0,0,0],\"dynamic_smem_bytes\":0,"
                "\"params\":[{\"kind\":\"pointer\",\"arg\":0}]}]}]}";
  TileStatus status =
      tile_host_function_parse(text, strlen(text), "f.json", &function);
  assert_string_equal(status.message, "");
  tile_host_function_destroy(function);
  for (size_t i = 0; i < strlen(text); i++) {
    status = tile_host_function_parse(text, i, "f.json", &function);
    assert_int_equal(status.code, TILE_STATUS_USER_ERROR);
    static const char others[] = "0-9[{\"x,";
    for (const char *other = others; *other; other++) {
      char kept = text[i];
      text[i] = *other;
      status =
          tile_host_function_parse(text, strlen(text), "f.json", &function);
      assert_true(tile_status_is_ok(&status) == (function != NULL));
      tile_host_function_destroy(function);
      text[i] = kept;
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_im2col_map),
      cmocka_unit_test(test_first_suitable_variant),
      cmocka_unit_test(test_no_launch),
      cmocka_unit_test(test_two_launches),
      cmocka_unit_test(test_empty_tensors),
      cmocka_unit_test(test_every_scalar_type),
      cmocka_unit_test(test_requirements),
      cmocka_unit_test(test_division_by_zero),
      cmocka_unit_test(test_sizes_out_of_range),
      cmocka_unit_test(test_index_too_large),
      cmocka_unit_test(test_other_errors),
      cmocka_unit_test(test_malformed_launches),
      cmocka_unit_test(test_malformed_files),
      cmocka_unit_test(test_damaged_files),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
