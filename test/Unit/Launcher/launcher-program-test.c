//===- launcher-program-test.c - Programs of host functions, to the driver ===//
//
// Runs metadata of version 2 on the fake driver: where workspaces lie and when
// their bytes are used again, copies and fills as rows, results, and every
// error of form.
//
//===----------------------------------------------------------------------===//

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "Launcher/Host/Workspaces.h"
#include "Launcher/Launcher.h"
#include "launcher-fake-cuda.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

//===-- Helpers -----------------------------------------------------------===//

enum { TEXT_BYTES = 1 << 14 };

static const char ptx_path[] = "launcher-program-test.ptx";
static const char ptx_text[] = ".version 8.0 .target sm_90a .address_size 64\n"
                               ".entry k(.param .u64 A) {}\n";

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

/// Values by number: 0 one, 1 zero, 2 n, 3 to 5 addresses, 6 a number of
/// rounds, 7 an i1, 8 the extent of A, 9 its address, 10 a float, 11 carried,
/// 12 the global, 13 twelve, 14 an f32 variable, 15 minus one.
static const char values_text[] =
    "{\"op\": \"constant\", \"type\": \"index\", \"value\": 1},"
    "{\"op\": \"constant\", \"type\": \"index\", \"value\": 0},"
    "{\"op\": \"argument\", \"type\": \"index\", \"arg\": 1},"
    "{\"op\": \"variable\", \"type\": \"index\"},"
    "{\"op\": \"variable\", \"type\": \"index\"},"
    "{\"op\": \"variable\", \"type\": \"index\"},"
    "{\"op\": \"variable\", \"type\": \"index\"},"
    "{\"op\": \"arith.cmpi\", \"type\": \"i1\", \"predicate\": \"eq\","
    " \"operands\": [2, 1]},"
    "{\"op\": \"memref.dim\", \"type\": \"index\", \"arg\": 0, \"dim\": 0},"
    "{\"op\": \"memref.pointer\", \"type\": \"index\", \"arg\": 0},"
    "{\"op\": \"constant\", \"type\": \"f32\", \"value\": 1.5},"
    "{\"op\": \"variable\", \"type\": \"index\"},"
    "{\"op\": \"memref.global\", \"type\": \"index\", \"global\": 0},"
    "{\"op\": \"constant\", \"type\": \"index\", \"value\": 12},"
    "{\"op\": \"variable\", \"type\": \"f32\"},"
    "{\"op\": \"constant\", \"type\": \"index\", \"value\": -1}";

static const char *globals_text = "";

/// Args: A memref f32, n index.
static TileStatus parse(const char *body, const char *results,
                        TileHostFunction **out_function) {
  static char text[TEXT_BYTES];
  snprintf(text, sizeof text,
           "{\"format\": \"tile-host-2\", \"function\": \"f\", \"target\":"
           " \"sm_90a\", \"ptx\": \"%s\", \"args\": [{\"name\": \"A\","
           " \"kind\": \"memref\", \"dtype\": \"f32\", \"shape\": [-1],"
           " \"strides\": [1], \"offset\": 0, \"mutable\": true}, {\"name\":"
           " \"n\", \"kind\": \"scalar\", \"dtype\": \"index\"}], \"values\":"
           " [%s], \"launches\": [{\"variants\": [{\"kernel\": \"k\","
           " \"grid\": [0, 0, 0], \"block\": [0, 0, 0],"
           " \"dynamic_smem_bytes\": 0, \"params\": [{\"kind\": \"pointer\","
           " \"address\": 3}]}]}], \"globals\": [%s], \"body\": [%s],"
           " \"results\": [%s]}",
           ptx_path, values_text,
           *globals_text ? globals_text
                         : "{\"name\": \"g\", \"dtype\": \"f32\", \"shape\":"
                           " [2], \"data\": \"AACAPw==\"}",
           body, results);
  return tile_host_function_parse(text, strlen(text), "f.json", out_function);
}

static int64_t n; // the scalar
static int has_pools = 1;
static TileHostValue results[4];

static TileStatus run(const char *body, const char *results_text) {
  TileHostFunction *function = NULL;
  TileStatus status = parse(body, results_text, &function);
  assert_string_equal(status.message, "");
  *fake =
      (FakeCuda){.num_devices = 1, .capability = 90, .has_pools = has_pools};
  TileDeviceOptions options;
  tile_device_options_init(&options);
  options.driver_library = TILE_FAKE_CUDA;
  options.require_gpu = true;
  TileDevice *device = NULL;
  status = tile_device_open(&options, &device);
  assert_string_equal(status.message, "");
  TileDeviceModule *module = NULL;
  status = tile_device_load_module(device, ptx_path, &module);
  assert_string_equal(status.message, "");
  fake->log_bytes = 0;
  fake->log[0] = 0;
  fake->num_params = 1;
  TileArg args[] = {{.dtype = TILE_DTYPE_F32,
                     .rank = 1,
                     .shape = {12},
                     .strides = {1},
                     .address = 0x20000},
                    {.is_scalar = true, .scalar = {TILE_DTYPE_INDEX, n, 0}}};
  TileRunOptions run_options = {
      .module = module, .is_queued = true, .results = results};
  status = tile_host_function_run(function, device, args, 2, &run_options);
  size_t log_bytes = fake->log_bytes;
  tile_device_destroy(device);
  fake->log[log_bytes] = 0;
  tile_host_function_destroy(function);
  return status;
}

/// Without the lines of the global and of the pool.
static const char *calls(void) {
  const char *at = strstr(fake->log, "cuMemAllocFromPoolAsync");
  return at ? at : fake->log;
}

#define ALLOC(number, variable, size)                                          \
  "{\"op\": \"alloc\", \"where\": \"a.mlir:1:" #number                         \
  "\", \"alloc\": " #number ", \"address\": " #variable                        \
  ", \"dtype\": \"f32\", \"shape\": [" #size                                   \
  "], \"strides\": [0], \"offset\": 1}"
#define LAUNCH "{\"op\": \"launch\", \"launch\": 0}"
#define RELEASE(number) "{\"op\": \"release\", \"alloc\": " #number "}"
#define FREE(value)                                                            \
  "{\"op\": \"free\", \"where\": \"a.mlir:9:9\", \"address\": " #value "}"

//===-- Workspaces --------------------------------------------------------===//

// One block for all that are in use at a time: the third lies where the first
// one was.
static void test_reuse(void **state) {
  (void)state;
  n = 100;
  TileStatus status =
      run(ALLOC(0, 3, 2) "," LAUNCH "," ALLOC(1, 4, 13) "," RELEASE(
              0) "," ALLOC(2, 3, 2) "," LAUNCH,
          "");
  assert_string_equal(status.message, "");
  // 400 bytes, at a multiple of 256, and 48.
  assert_string_equal(calls(), "cuMemAllocFromPoolAsync 560 (nil)\n"
                               "cuModuleGetFunction it k\n"
                               "cuLaunchKernelEx it 1,1,1 1,1,1 0 900000000\n"
                               "cuLaunchKernelEx it 1,1,1 1,1,1 0 900000000\n"
                               "cuMemFreeAsync 900000000 (nil)\n");
}

// The device aligns to 256 bytes; what wants more gets it within the block.
static void test_alignment(void **state) {
  (void)state;
  n = 100;
  TileStatus status = run(
      ALLOC(0, 4,
            13) ","
                "{\"op\": \"alloc\", \"alloc\": 1, \"address\": 3, \"dtype\":"
                " \"f32\", \"shape\": [2], \"strides\": [0], \"offset\": 1,"
                " \"align_bytes\": 4096}," LAUNCH,
      "");
  assert_string_equal(status.message, "");
  // 4096 + 400 bytes, and room to begin at a multiple of 4096.
  assert_non_null(strstr(fake->log, "cuMemAllocFromPoolAsync 8336 (nil)\n"));
  assert_non_null(strstr(fake->log, "1,1,1 1,1,1 0 900001000\n"));
}

static void test_without_pools(void **state) {
  (void)state;
  n = 100;
  has_pools = 0;
  TileStatus status = run(ALLOC(0, 3, 2) "," LAUNCH, "");
  has_pools = 1;
  assert_string_equal(status.message, "");
  assert_non_null(strstr(fake->log, "cuMemAlloc 400\n"));
  assert_non_null(strstr(fake->log, "cuStreamSynchronize"));
  assert_null(strstr(fake->log, "cuMemAllocFromPoolAsync"));
}

// A workspace of each round, of which the next one has the last: two at a time.
static void test_loop(void **state) {
  (void)state;
  n = 50;
  TileStatus status = run(
      "{\"op\": \"for\", \"lower\": 1, \"upper\": 2, \"step\": 0,"
      " \"index\": 6, \"initial\": [9], \"carried\": [11], \"body\": [" ALLOC(
          0, 3, 13) "," LAUNCH "], \"next\": [3]}",
      "");
  assert_string_equal(status.message, "");
  assert_non_null(strstr(fake->log, "cuMemAllocFromPoolAsync 304 (nil)\n"));
}

// A workspace that may be returned is memory of its own; one that is not, is
// freed.
static void test_returned(void **state) {
  (void)state;
  static const char body[] =
      "{\"op\": \"alloc\", \"alloc\": 0, \"address\": 3, \"dtype\": \"f32\","
      " \"shape\": [2], \"strides\": [0], \"offset\": 1, \"returned\": true},"
      "{\"op\": \"alloc\", \"alloc\": 1, \"address\": 4, \"dtype\": \"f32\","
      " \"shape\": [2], \"strides\": [0], \"offset\": 1, \"returned\": true}";
  n = 3;
  TileStatus status =
      run(body, "{\"kind\": \"memref\", \"dtype\": \"f32\", \"address\": 3,"
                " \"shape\": [2], \"strides\": [0]},"
                "{\"kind\": \"memref\", \"dtype\": \"f32\", \"address\": 3,"
                " \"shape\": [1], \"strides\": [0]},"
                "{\"kind\": \"memref\", \"dtype\": \"f32\", \"address\": 9,"
                " \"shape\": [8], \"strides\": [0]},"
                "{\"kind\": \"scalar\", \"dtype\": \"f32\", \"value\": 10}");
  assert_string_equal(status.message, "");
  assert_true(results[0].memory == results[0].value.address);
  assert_true(results[0].memory_bytes == 12);
  assert_true(results[1].value.address == results[0].value.address);
  assert_true(results[1].memory == 0); // the first one owns it
  assert_true(results[2].value.address == 0x20000 && results[2].memory == 0);
  assert_int_equal(results[2].value.shape[0], 12);
  assert_true(results[3].value.is_scalar);
  assert_true(results[3].value.scalar.real == 1.5);
  char freed[64];
  snprintf(freed, sizeof freed, "cuMemFree %llx",
           (unsigned long long)results[0].memory);
  assert_null(strstr(fake->log, freed));
  assert_non_null(strstr(fake->log, "cuMemFree "));
}

/// Random orders of taking and freeing, against a list of bytes in use.
static void test_placing(void **state) {
  (void)state;
  enum { NUM_STEPS = 20000, MAX_LIVE = 24 };
  TileDevice device = {.ops = NULL};
  Workspaces memory = {.device = &device};
  struct {
    uint64_t start, end;
  } live[MAX_LIVE];
  int count = 0, num_frees = 0, num_takes = 0;
  uint64_t in_use = 0, most = 0, seed = 42;
  TileStatus begun = tile_workspaces_begin(&memory, true);
  assert_string_equal(begun.message, "");
  for (int step = 0; step < NUM_STEPS; step++) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    uint64_t random = seed >> 33;
    if (count == MAX_LIVE || (count > 0 && random % 2)) {
      int at = (int)(random / 2 % (uint64_t)count);
      assert_true(tile_workspaces_free(&memory, live[at].start));
      assert_false(tile_workspaces_free(&memory, live[at].start));
      in_use -= live[at].end - live[at].start;
      live[at] = live[--count];
      num_frees++;
      continue;
    }
    WorkspaceRequest request = {.alloc = step,
                                .size_bytes = random % 5000,
                                .align_bytes = UINT64_C(1) << random % 12,
                                .name = "w"};
    uint64_t address = 0;
    TileStatus status = tile_workspaces_take(&memory, &request, &address);
    assert_string_equal(status.message, "");
    assert_int_equal(address % request.align_bytes, 0);
    assert_int_equal(address % 256, 0);
    uint64_t end = address + (request.size_bytes ? request.size_bytes : 1);
    for (int i = 0; i < count; i++)
      assert_true(end <= live[i].start || live[i].end <= address);
    live[count].start = address;
    live[count++].end = end;
    in_use += end - address;
    most = in_use > most ? in_use : most;
    assert_true(end - memory.base <= memory.peak_bytes);
    num_takes++;
  }
  assert_true(num_frees > 5000 && num_takes > 5000);
  assert_true(memory.peak_bytes < 4 * most); // bytes are used again
  tile_workspaces_end(&memory);
}

//===-- Copies and fills --------------------------------------------------===//

#define COPY(shape, from, to)                                                  \
  "{\"op\": \"copy\", \"where\": \"a.mlir:5:5\", \"dtype\": \"f32\","          \
  " \"shape\": [" shape "], \"from\": {\"address\": 9, \"strides\": [" from    \
  "]}, \"to\": {\"address\": 3, \"strides\": [" to "]}}"

static void test_copies(void **state) {
  (void)state;
  n = 1000;
  // All at once; each element apart; nothing.
  TileStatus status = run(ALLOC(0, 3, 2) "," COPY("8", "0", "0") "," COPY(
                              "8", "0", "13") "," COPY("8, 1", "0, 0", "0, 0"),
                          "");
  assert_string_equal(status.message, "");
  assert_string_equal(calls(),
                      "cuMemAllocFromPoolAsync 4000 (nil)\n"
                      "cuMemcpy2DAsync 900000000+48 20000+48 1x48 (nil)\n"
                      "cuMemcpy2DAsync 900000000+48 20000+4 12x4 (nil)\n"
                      "cuMemFreeAsync 900000000 (nil)\n");
  // Rows that follow one another, to rows with gaps.
  n = 20;
  status = run("{\"op\": \"alloc\", \"alloc\": 0, \"address\": 4,"
               " \"dtype\": \"f32\", \"shape\": [13], \"strides\": [13],"
               " \"offset\": 13},"
               "{\"op\": \"alloc\", \"alloc\": 1, \"address\": 3,"
               " \"dtype\": \"f32\", \"shape\": [13], \"strides\": [2],"
               " \"offset\": 13},"
               "{\"op\": \"copy\", \"dtype\": \"f32\", \"shape\": [13, 13],"
               " \"from\": {\"address\": 4, \"strides\": [13, 0]}, \"to\":"
               " {\"address\": 3, \"strides\": [2, 0]}}",
               "");
  assert_string_equal(status.message, "");
  assert_non_null(strstr(fake->log, "cuMemcpy2DAsync 900000300+80 900000000+48 "
                                    "12x48 (nil)\n"));
  n = 4;
  status = run(ALLOC(0, 3, 2) "," COPY("8", "0", "0"), "");
  assert_string_equal(status.message,
                      "f: a.mlir:5:5: writes 48 bytes that lie in no argument, "
                      "global or workspace in use");
  assert_null(strstr(fake->log, "cuMemcpy2DAsync"));
}

static void test_fills(void **state) {
  (void)state;
  n = 1000;
  TileStatus status =
      run("{\"op\": \"fill\", \"value\": 10, \"dtype\": \"f32\", \"shape\":"
          " [8], \"to\": {\"address\": 9, \"strides\": [0]}},"
          "{\"op\": \"fill\", \"value\": 10, \"dtype\": \"f64\", \"shape\":"
          " [0], \"to\": {\"address\": 9, \"strides\": [0]}}",
          "");
  assert_string_equal(status.message, "");
  assert_non_null(strstr(fake->log, "cuMemsetD2D32Async 20000+48 3fc00000 "
                                    "1x12\n"));
  // 1.5 as an f64 is the words 0 and 3ff80000.
  assert_non_null(strstr(fake->log, "cuMemsetD2D32Async 20000+8 0 1x1\n"
                                    "cuMemsetD2D32Async 20004+8 3ff80000 "
                                    "1x1\n"));
}

//===-- Loads and loops with conditions -----------------------------------===//

#define LOAD(variable, type)                                                   \
  "{\"op\": \"load\", \"where\": \"a.mlir:3:3\", \"address\": 9, \"dtype\":"   \
  " \"" type "\", \"result\": " #variable "}"

// Nothing has been written: the plan reads it too, and what follows is planned.
static void test_early_load(void **state) {
  (void)state;
  n = 100;
  TileStatus status = run(LOAD(6, "i64") "," ALLOC(0, 3, 2) "," LAUNCH, "");
  assert_string_equal(status.message, "");
  const char *read = "cuStreamSynchronize default\ncuMemcpyDtoH 0x20000 8\n";
  const char *plan = strstr(fake->log, read);
  const char *block = strstr(fake->log, "cuMemAllocFromPoolAsync 400 (nil)\n");
  assert_true(plan && block && plan < block && strstr(block, read));
}

// A kernel may have written it: the run waits for the kernel and reads, and
// workspaces are taken one by one.
static void test_late_load(void **state) {
  (void)state;
  n = 100;
  TileStatus status =
      run(ALLOC(0, 3, 2) "," LAUNCH
                         "," LOAD(6, "i64") "," ALLOC(1, 3, 8) "," LAUNCH,
          "");
  assert_string_equal(status.message, "");
  assert_string_equal(calls(), "cuMemAllocFromPoolAsync 400 (nil)\n"
                               "cuModuleGetFunction it k\n"
                               "cuLaunchKernelEx it 1,1,1 1,1,1 0 900000000\n"
                               "cuStreamSynchronize default\n"
                               "cuMemcpyDtoH 0x20000 8\n"
                               "cuMemAllocFromPoolAsync 48 (nil)\n"
                               "cuLaunchKernelEx it 1,1,1 1,1,1 0 900000000\n"
                               "cuMemFreeAsync 900000000 (nil)\n"
                               "cuMemFreeAsync 900000000 (nil)\n");
}

static void test_load_errors(void **state) {
  (void)state;
  n = 100;
  assert_string_equal(
      run("{\"op\": \"load\", \"where\": \"a.mlir:3:3\", \"address\": 2,"
          " \"dtype\": \"i64\", \"result\": 6}",
          "")
          .message,
      "f: a.mlir:3:3: reads a number that lies in no argument, global or "
      "workspace in use");
  // What comes before the number is looked at before anything runs.
  assert_string_equal(
      run(LAUNCH "," ALLOC(0, 3, 15) "," LOAD(6, "i64"), "").message,
      "f: expected extent 0 at a.mlir:1:0 from 0 to 2147418112, got -1");
  assert_null(strstr(fake->log, "cuLaunchKernelEx"));
}

// A loop whose condition always holds ends, with or without ops.
static void test_endless(void **state) {
  (void)state;
  n = 0;
  assert_string_equal(
      run("{\"op\": \"while\", \"where\": \"a.mlir:4:4\", \"condition\": 7,"
          " \"before\": [], \"body\": []}",
          "")
          .message,
      "f: a.mlir:4:4: expected at most 10000000 ops of host code in a call");
}

//===-- Errors ------------------------------------------------------------===//

static void test_errors_of_running(void **state) {
  (void)state;
  n = 1;
  assert_string_equal(run(ALLOC(0, 3, 15), "").message,
                      "f: expected extent 0 at a.mlir:1:0 from 0 to "
                      "2147418112, got -1");
  assert_string_equal(run(ALLOC(0, 3, 2) "," FREE(3) "," FREE(3), "").message,
                      "f: a.mlir:9:9: frees memory that is no workspace, or "
                      "has been freed");
  assert_string_equal(run("{\"op\": \"require\", \"where\": \"a.mlir:2:2\","
                          " \"value\": 7, \"text\": \"n is 0\", \"actual\": 2,"
                          " \"other\": 1}",
                          "")
                          .message,
                      "f: a.mlir:2:2: expected that n is 0, it is 1, the other "
                      "one 0");
  assert_null(strstr(fake->log, "cuLaunch"));
}

static const struct {
  const char *body, *results, *message;
} malformed[] = {
    {"{\"op\": \"jump\"}", "",
     "f.json: body[0].op: expected launch, require, alloc, free, release, "
     "copy, fill, load, for, while or if, got \"jump\""},
    {"{\"op\": \"launch\", \"launch\": 1}", "",
     "f.json: body[0].launch: expected an integer from 0 to 0, got 1"},
    {ALLOC(1, 3, 0), "",
     "f.json: body[0].alloc: expected an integer from 0 to 0, got 1"},
    {ALLOC(0, 2, 0), "",
     "f.json: body[0].address: expected the index of a variable, got 2"},
    {RELEASE(0), "",
     "f.json: body[0].alloc: expected an integer from 0 to -1, got 0"},
    {FREE(10), "",
     "f.json: body[0].address: expected the index of an integer value, got "
     "10"},
    {COPY("8, 1", "0", "0, 0"), "",
     "f.json: body[0].from.strides: expected a list of 2, got [0]"},
    {"{\"op\": \"for\", \"lower\": 1, \"upper\": 2, \"step\": 0, \"index\": 2,"
     " \"body\": []}",
     "",
     "f.json: body[0].index: expected the index of a variable of the type of "
     "the bounds, got 2"},
    {"{\"op\": \"for\", \"lower\": 1, \"upper\": 2, \"step\": 0, \"index\": 6,"
     " \"carried\": [11], \"initial\": [], \"next\": [9], \"body\": []}",
     "", "f.json: body[0].initial: expected a list of 1, got []"},
    {"{\"op\": \"while\", \"condition\": 2, \"before\": [], \"body\": []}", "",
     "f.json: body[0].condition: expected the index of an i1 value, got 2"},
    {"{\"op\": \"while\", \"condition\": 7, \"before\": [], \"body\": [],"
     " \"results\": [14], \"handed_on\": [9]}",
     "",
     "f.json: body[0].handed_on[0]: expected the index of a value of the type "
     "of the variable, got 9"},
    {"{\"op\": \"while\", \"condition\": 7, \"before\": []}", "",
     "f.json: body[0].body: expected a list of 0 to 65536, got nothing"},
    {"{\"op\": \"load\", \"address\": 9, \"dtype\": \"f32\", \"result\": 6}",
     "",
     "f.json: body[0].result: expected the index of a variable of type f32, "
     "got 6"},
    {"{\"op\": \"load\", \"address\": 9, \"dtype\": \"f32\", \"result\": 10}",
     "",
     "f.json: body[0].result: expected the index of a variable of type f32, "
     "got 10"},
    {"{\"op\": \"if\", \"condition\": 7, \"then\": [], \"results\": [14],"
     " \"then_values\": [9], \"else_values\": [10]}",
     "",
     "f.json: body[0].then_values[0]: expected the index of a value of the "
     "type of the variable, got 9"},
    {"{\"op\": \"if\", \"condition\": 2, \"then\": []}", "",
     "f.json: body[0].condition: expected the index of an i1 value, got 2"},
    {"", "{\"kind\": \"scalar\", \"dtype\": \"f32\", \"value\": 2}",
     "f.json: results[0].value: expected the index of a value of type f32, "
     "got 2"},
    {"", "{\"kind\": \"tensor\", \"dtype\": \"f32\"}",
     "f.json: results[0].kind: expected \"memref\" or \"scalar\", got "
     "\"tensor\""},
};

static void test_malformed(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof malformed / sizeof *malformed; i++) {
    TileHostFunction *function = NULL;
    TileStatus status =
        parse(malformed[i].body, malformed[i].results, &function);
    assert_string_equal(status.message, malformed[i].message);
    assert_null(function);
  }
}

static void test_globals(void **state) {
  (void)state;
  static const struct {
    const char *data, *message;
  } cases[] = {
      {"AACAPwAAAEA=", ""},
      {"AACAPw==", ""}, // one for all
      {"AACAP===", "f: global 'g': expected 8 bytes or one element of 4 in "
                   "base 64, got other text"},
      {"AACA", "f: global 'g': expected 8 bytes or one element of 4 in base "
               "64, got another number"},
      {"AACAPwAAAEAAAAAA", "f: global 'g': expected 8 bytes or one element of "
                           "4 in base 64, got another number"},
      {"AACAPwAAAEAAAAAAAAAAAA==",
       "f: global 'g': expected 8 bytes or one element of 4 in base 64, got "
       "other text"},
      {"A-CAPw==", "f: global 'g': expected 8 bytes or one element of 4 in "
                   "base 64, got other text"},
  };
  n = 1;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[200];
    snprintf(text, sizeof text,
             "{\"name\": \"g\", \"dtype\": \"f32\", \"shape\": [2], \"data\": "
             "\"%s\"}",
             cases[i].data);
    globals_text = text;
    TileStatus status = run("", "{\"kind\": \"memref\", \"dtype\": \"f32\","
                                " \"address\": 12, \"shape\": [0],"
                                " \"strides\": [0]}");
    globals_text = "";
    assert_string_equal(status.message, cases[i].message);
    if (tile_status_is_ok(&status))
      assert_true(results[0].memory == 0 && results[0].value.address != 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_reuse),
      cmocka_unit_test(test_alignment),
      cmocka_unit_test(test_without_pools),
      cmocka_unit_test(test_loop),
      cmocka_unit_test(test_returned),
      cmocka_unit_test(test_placing),
      cmocka_unit_test(test_copies),
      cmocka_unit_test(test_fills),
      cmocka_unit_test(test_early_load),
      cmocka_unit_test(test_late_load),
      cmocka_unit_test(test_load_errors),
      cmocka_unit_test(test_endless),
      cmocka_unit_test(test_errors_of_running),
      cmocka_unit_test(test_malformed),
      cmocka_unit_test(test_globals),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
