//===- launcher-driver-test.c - The CUDA driver path on a fake driver -----===//
//
// The launcher opens launcher-fake-cuda.c as its driver; each test compares the
// calls that it noted. So the GPU path runs on machines without a GPU.
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
#include <sys/stat.h>
#include <unistd.h>
#include <utime.h>

//===-- Helpers -----------------------------------------------------------===//

static FakeCuda *fake_get(void) {
  void *library = dlopen(TILE_FAKE_CUDA, RTLD_NOW);
  FakeCuda *fake = library ? dlsym(library, "fake_cuda") : NULL;
  if (!fake)
    fail_msg("%s", dlerror());
  return fake;
}

static void fake_clear(void) {
  FakeCuda *fake = fake_get();
  *fake = (FakeCuda){.num_devices = 1, .capability = 90};
}

static void expect_log(const char *log) {
  assert_string_equal(fake_get()->log, log);
  fake_get()->log_bytes = 0;
  fake_get()->log[0] = 0;
}

static TileStatus open_gpu(TileDevice **out_device) {
  TileDeviceOptions options;
  tile_device_options_init(&options);
  options.driver_library = TILE_FAKE_CUDA;
  options.require_gpu = true;
  return tile_device_open(&options, out_device);
}

/// Opens the fake GPU and forgets the calls of doing so.
static TileDevice *open_quietly(void) {
  TileDevice *device = NULL;
  TileStatus status = open_gpu(&device);
  assert_string_equal(status.message, "");
  fake_get()->log_bytes = 0;
  fake_get()->log[0] = 0;
  return device;
}

static void write_text(const char *path, const char *text) {
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
}

static const char ptx_text[] =
    ".version 8.0\n.target sm_90a\n.entry k(.param .u32 n, .param .u64 a) {}\n";

static void load(TileDevice *device, const char *path,
                 TileDeviceModule **out_module) {
  TileStatus status = tile_device_load_module(device, path, out_module);
  assert_string_equal(status.message, "");
}

//===-- Opening -----------------------------------------------------------===//

static void test_open_and_close(void **state) {
  (void)state;
  fake_clear();
  TileDevice *device = NULL;
  TileStatus status = open_gpu(&device);
  assert_string_equal(status.message, "");
  assert_string_equal(tile_device_name(device), "Fake GPU");
  assert_int_equal(tile_device_num_sms(device), 78);
  assert_false(tile_device_is_emulator(device));
  assert_string_equal(tile_device_report(device), "");
  assert_int_equal(tile_device_stats(device).num_warp_instructions, 0);
  expect_log("cuInit 0\ncuDeviceGetCount\ncuDeviceGet 0\ncuDeviceGetName 40\n"
             "cuDeviceGetAttribute 16 40\ncuDeviceGetAttribute 75 40\n"
             "cuDeviceGetAttribute 76 40\ncuDevicePrimaryCtxRetain 40\n");
  tile_device_destroy(device);
  expect_log("cuDevicePrimaryCtxRelease 40\n");
}

static void test_every_failure_of_opening(void **state) {
  (void)state;
  static const struct {
    const char *failing;
    int error; // -1: the function does not exist
    const char *message;
  } failures[] = {
      {"cuInit", 100,
       "cannot start the CUDA driver: CUDA_ERROR_FAKE (error 100: as asked "
       "for)"},
      {"cuInit", 999,
       "cannot start the CUDA driver: unknown CUDA error (error 999: no text)"},
      {"cuDeviceGetCount", 3,
       "cannot start the CUDA driver: CUDA_ERROR_FAKE (error 3: as asked for)"},
      {"cuDeviceGet", 3,
       "cuDeviceGet: CUDA_ERROR_FAKE (error 3: as asked for)"},
      {"cuDeviceGetName", 3,
       "cannot read the GPU's attributes: CUDA_ERROR_FAKE (error 3: as asked "
       "for)"},
      {"cuDeviceGetAttribute", 3,
       "cannot read the GPU's attributes: CUDA_ERROR_FAKE (error 3: as asked "
       "for)"},
      {"cuDevicePrimaryCtxRetain", 2,
       "cannot get the GPU's context: CUDA_ERROR_FAKE (error 2: as asked for)"},
      {"cuTensorMapEncodeTiled", -1,
       TILE_FAKE_CUDA ": the driver has no cuTensorMapEncodeTiled (error "
                      "500)"},
  };
  for (size_t i = 0; i < sizeof failures / sizeof failures[0]; i++) {
    fake_clear();
    fake_get()->failing = failures[i].failing;
    fake_get()->error = failures[i].error;
    TileDevice *device = NULL;
    TileStatus status = open_gpu(&device);
    assert_int_equal(status.code, TILE_STATUS_USER_ERROR);
    assert_string_equal(status.message, failures[i].message);
    assert_null(device);
  }
  fake_clear();
  fake_get()->num_devices = 0;
  TileDevice *device = NULL;
  TileStatus status = open_gpu(&device);
  assert_string_equal(status.message, "the CUDA driver finds no GPU");
}

// Without a driver, without a device or with an old driver: the emulator.
static void test_fallback(void **state) {
  (void)state;
  static const struct {
    const char *library, *note;
  } cases[] = {
      {"libtile-no-such-driver.so", "cannot open the CUDA driver: "},
      {"libm.so.6", "libm.so.6: expected a driver of CUDA 12.0 or newer, got "
                    "an older one"},
      {TILE_FAKE_CUDA, "the CUDA driver finds no GPU"},
  };
  fake_clear();
  fake_get()->num_devices = 0;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    TileDeviceOptions options;
    tile_device_options_init(&options);
    options.driver_library = cases[i].library;
    TileDevice *device = NULL;
    TileStatus status = tile_device_open(&options, &device);
    assert_string_equal(status.message, "");
    assert_true(tile_device_is_emulator(device));
    assert_int_equal(tile_device_num_sms(device), 132);
    assert_int_equal(
        strncmp(tile_device_note(device), cases[i].note, strlen(cases[i].note)),
        0);
    tile_device_destroy(device);

    options.require_gpu = true;
    status = tile_device_open(&options, &device);
    assert_int_equal(status.code, TILE_STATUS_USER_ERROR);
    assert_int_equal(
        strncmp(status.message, cases[i].note, strlen(cases[i].note)), 0);
  }
  TileDeviceOptions options;
  tile_device_options_init(&options);
  options.emulate = true;
  options.num_sms = 7;
  options.driver_library = TILE_FAKE_CUDA;
  TileDevice *device = NULL;
  TileStatus status = tile_device_open(&options, &device);
  assert_string_equal(status.message, "");
  assert_true(tile_device_is_emulator(device));
  assert_int_equal(tile_device_num_sms(device), 7);
  assert_string_equal(tile_device_note(device), "");
  tile_device_destroy(device);
}

//===-- Memory ------------------------------------------------------------===//

static void test_memory(void **state) {
  (void)state;
  fake_clear();
  TileDevice *device = open_quietly();
  uint64_t address = 0, second = 0;
  TileStatus status = tile_device_alloc(device, 300, "A", &address);
  assert_string_equal(status.message, "");
  status = tile_device_alloc(device, 0, "empty", &second);
  assert_string_equal(status.message, "");
  char expected[400], text[4] = "abc", back[4] = "";
  status = tile_device_upload(device, address + 5, text, 4);
  assert_string_equal(status.message, "");
  status = tile_device_download(device, address + 5, back, 4);
  assert_string_equal(back, "abc");
  status = tile_device_download(device, address, back, 0);
  assert_string_equal(status.message, "");
  tile_device_destroy(device);
  snprintf(expected, sizeof expected,
           "cuMemAlloc 300\ncuMemsetD8 0x%llx 0 300\ncuMemAlloc 1\n"
           "cuMemsetD8 0x%llx 0 1\ncuMemcpyHtoD 0x%llx 4\n"
           "cuMemcpyDtoH 0x%llx 4\ncuMemFree 0x%llx\ncuMemFree 0x%llx\n"
           "cuDevicePrimaryCtxRelease 40\n",
           (unsigned long long)address, (unsigned long long)second,
           (unsigned long long)address + 5, (unsigned long long)address + 5,
           (unsigned long long)address, (unsigned long long)second);
  expect_log(expected);
}

static void test_memory_failures(void **state) {
  (void)state;
  static const struct {
    const char *failing, *message;
  } failures[] = {
      {"cuMemAlloc", "cannot allocate 8 bytes for 'A': CUDA_ERROR_FAKE (error "
                     "2: as asked for)"},
      {"cuMemsetD8", "cannot allocate 8 bytes for 'A': CUDA_ERROR_FAKE (error "
                     "2: as asked for)"},
      {"cuMemcpyHtoD",
       "cannot copy to the GPU: CUDA_ERROR_FAKE (error 2: as asked for)"},
      {"cuMemcpyDtoH",
       "cannot copy from the GPU: CUDA_ERROR_FAKE (error 2: as asked for)"},
  };
  for (size_t i = 0; i < sizeof failures / sizeof failures[0]; i++) {
    fake_clear();
    TileDevice *device = open_quietly();
    fake_get()->failing = failures[i].failing;
    fake_get()->error = 2;
    uint64_t address = 0, data = 0;
    TileStatus status = tile_device_alloc(device, 8, "A", &address);
    if (tile_status_is_ok(&status))
      status = tile_device_upload(device, address, &data, sizeof data);
    if (tile_status_is_ok(&status))
      status = tile_device_download(device, address, &data, sizeof data);
    assert_string_equal(status.message, failures[i].message);
    tile_device_destroy(device);
  }
}

//===-- Modules -----------------------------------------------------------===//

/// Sets the time of a file to `seconds` after 1970.
static void set_time(const char *path, long seconds) {
  struct utimbuf times = {.actime = seconds, .modtime = seconds};
  assert_int_equal(utime(path, &times), 0);
}

static void expect_image(TileDevice *device, const char *path,
                         const char *image) {
  char log[64];
  TileDeviceModule *module = NULL;
  load(device, path, &module);
  snprintf(log, sizeof log, "cuModuleLoadDataEx %s\n", image);
  expect_log(log);
}

// The cubin is taken when it is for this chip and not older than the PTX.
static void test_choice_of_cubin(void **state) {
  (void)state;
  static const struct {
    int capability;
    long cubin_seconds; // 0: no such file
    const char *image;
  } cases[] = {{90, 1000, "CUBIN"},
               {90, 1001, "CUBIN"},
               {90, 999, ".version"},
               {90, 0, ".version"}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    char ptx[64], cubin[64];
    snprintf(ptx, sizeof ptx, "launcher-driver-%d.ptx", (int)getpid());
    snprintf(cubin, sizeof cubin, "launcher-driver-%d.cubin", (int)getpid());
    write_text(ptx, ptx_text);
    set_time(ptx, 1000);
    if (cases[i].cubin_seconds > 0) {
      write_text(cubin, "CUBIN ");
      set_time(cubin, cases[i].cubin_seconds);
    }
    fake_clear();
    fake_get()->capability = cases[i].capability;
    TileDevice *device = open_quietly();
    expect_image(device, ptx, cases[i].image);
    TileDeviceModule *module = NULL;
    load(device, ptx, &module); // again: nothing is loaded
    expect_log("");
    assert_string_equal(tile_device_module_kernel(module, 0), "k");
    assert_null(tile_device_module_kernel(module, 1));
    tile_device_destroy(device);
    expect_log("cuModuleUnload it\ncuDevicePrimaryCtxRelease 40\n");
    assert_int_equal(fake_get()->num_pushed, 0);
    remove(ptx);
    remove(cubin);
  }
}

// PTX of sm_90a runs on that chip alone, and new PTX needs a new driver: both
// errors say what to do.
static void test_images_for_others(void **state) {
  (void)state;
  static const struct {
    int capability, error;
    const char *target, *message;
  } cases[] = {
      {100, 0, "sm_90a",
       "text: is PTX for sm_90a, which this GPU (Fake GPU, sm_100) does not "
       "run; compile it for sm_100a"},
      {80, 0, "sm_90",
       "text: is PTX for sm_90, which this GPU (Fake GPU, sm_80) does not run; "
       "compile it for sm_80"},
      {75, 0, "sm_80",
       "text: is PTX for sm_80, which this GPU (Fake GPU, sm_75) does not run; "
       "compile it for a GPU of sm_80 or later"},
      {120, 0, "sm_80", ""},
      {90, 222, "sm_90a",
       "text: is PTX 8.6, which the driver, of CUDA 12.4, is too old for; "
       "install a newer driver, or load a cubin that ptxas made"}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    char ptx[200];
    fake_clear();
    fake_get()->capability = cases[i].capability;
    TileDevice *device = open_quietly();
    fake_get()->failing = cases[i].error ? "cuModuleLoadDataEx" : NULL;
    fake_get()->error = cases[i].error;
    snprintf(ptx, sizeof ptx, ".version 8.6\n.target %s\n.entry k() {}\n",
             cases[i].target);
    TileDeviceModule *module = NULL;
    TileStatus status =
        tile_device_load_image(device, "text", ptx, strlen(ptx), &module);
    assert_string_equal(status.message, cases[i].message);
    assert_int_equal(!module, *cases[i].message != 0);
    tile_device_destroy(device);
    assert_int_equal(fake_get()->num_pushed, 0);
  }
}

static void test_module_failures(void **state) {
  (void)state;
  fake_clear();
  TileDevice *device = open_quietly();
  TileDeviceModule *module = NULL;
  TileStatus status = tile_device_load_module(device, "missing.ptx", &module);
  assert_string_equal(status.message,
                      "cannot read missing.ptx: No such file or directory");

  char ptx[64], message[256];
  snprintf(ptx, sizeof ptx, "launcher-driver-%d.ptx", (int)getpid());
  write_text(ptx, "hello");
  status = tile_device_load_module(device, ptx, &module);
  snprintf(message, sizeof message,
           "%s: expected PTX text, found no kernel (.entry)", ptx);
  assert_string_equal(status.message, message);

  write_text(ptx, ptx_text);
  fake_get()->failing = "cuModuleLoadDataEx";
  fake_get()->error = 218;
  fake_get()->jit_log = "line 3;\nbad opcode";
  status = tile_device_load_module(device, ptx, &module);
  snprintf(message, sizeof message,
           "%s: cannot load: line 3; bad opcode: CUDA_ERROR_FAKE (error 218: "
           "as asked for)",
           ptx);
  assert_string_equal(status.message, message);
  assert_int_equal(status.code, TILE_STATUS_USER_ERROR);
  remove(ptx);
  tile_device_destroy(device);
}

//===-- Tensor maps -------------------------------------------------------===//

static const struct {
  TileTensorMap map;
  const char *log;
} map_cases[] = {
    {{.type = TILE_TENSOR_MAP_BF16,
      .rank = 2,
      .address = 0x1230,
      .dims = {136, 300},
      .strides_bytes = {0, 272},
      .box = {64, 128},
      .elem_strides = {1, 2},
      .swizzle_bytes = 128},
     "cuTensorMapEncodeTiled 9 0x1230 136x300 272 64x128 1x2 0 3 2 0\n"},
    {{.type = TILE_TENSOR_MAP_F32,
      .rank = 3,
      .address = 0x1230,
      .dims = {8, 9, 10},
      .strides_bytes = {0, 32, 288},
      .box = {8, 1, 2},
      .elem_strides = {1, 1, 1},
      .swizzle_bytes = 32,
      .oob_nan = true},
     "cuTensorMapEncodeTiled 7 0x1230 8x9x10 32x288 8x1x2 1x1x1 0 1 2 1\n"},
    {{.type = TILE_TENSOR_MAP_U8,
      .rank = 1,
      .address = 0x1230,
      .dims = {64},
      .box = {64},
      .elem_strides = {1},
      .swizzle_bytes = 64},
     "cuTensorMapEncodeTiled 0 0x1230 64 64 1 0 2 2 0\n"},
    {{.type = TILE_TENSOR_MAP_F16,
      .rank = 4,
      .address = 0x1230,
      .dims = {64, 7, 9, 2},
      .strides_bytes = {0, 128, 896, 8064},
      .elem_strides = {1, 2, 3, 1},
      .swizzle_bytes = 64,
      .is_im2col = true,
      .lower_corner = {-1, -2},
      .upper_corner = {0, 3},
      .channels_per_pixel = 32,
      .pixels_per_column = 128},
     "cuTensorMapEncodeIm2col 6 0x1230 64x7x9x2 128x896x8064 -1x-2 0x3 1x2x3x1 "
     "32 128 0 2 2 0\n"},
};

static void test_tensor_maps(void **state) {
  (void)state;
  fake_clear();
  TileDevice *device = open_quietly();
  for (size_t i = 0; i < sizeof map_cases / sizeof map_cases[0]; i++) {
    _Alignas(64) unsigned char map[TILE_TENSOR_MAP_SIZE_BYTES] = {0};
    TileStatus status =
        tile_device_encode_tensor_map(device, &map_cases[i].map, map);
    assert_string_equal(status.message, "");
    assert_int_equal(map[0] & map[127], 0xAB);
    expect_log(map_cases[i].log);
  }
  // The driver refuses extents of 0; such a map gets memory of its own.
  TileTensorMap empty = map_cases[0].map;
  empty.dims[1] = 0;
  _Alignas(64) unsigned char map[TILE_TENSOR_MAP_SIZE_BYTES];
  TileStatus status = tile_device_encode_tensor_map(device, &empty, map);
  assert_string_equal(status.message, "");
  assert_non_null(strstr(fake_get()->log, "cuMemAlloc 16\n"));
  assert_non_null(strstr(fake_get()->log, " 1x1 16 64x128 1x2 0 3 2 0\n"));

  fake_get()->failing = "cuTensorMapEncodeTiled";
  fake_get()->error = 1;
  status = tile_device_encode_tensor_map(device, &map_cases[0].map, map);
  assert_string_equal(
      status.message,
      "cuTensorMapEncodeTiled: CUDA_ERROR_FAKE (error 1: as asked for)");
  tile_device_destroy(device);
}

//===-- Launches ----------------------------------------------------------===//

typedef struct {
  TileDevice *device;
  TileDeviceModule *module;
  TileKernelLaunch launch;
  void *params[2];
  size_t sizes_bytes[2];
  uint64_t values[2];
} LaunchCase;

/// A good launch of the kernel of `ptx_text`. Undone by close_launch.
static void open_launch(LaunchCase *c) {
  char ptx[64];
  snprintf(ptx, sizeof ptx, "launcher-driver-%d.ptx", (int)getpid());
  write_text(ptx, ptx_text);
  fake_clear();
  fake_get()->num_params = 2;
  *c = (LaunchCase){.device = open_quietly(),
                    .sizes_bytes = {4, 8},
                    .values = {300, 0x123456789}};
  load(c->device, ptx, &c->module);
  expect_log("cuModuleLoadDataEx .version\n");
  remove(ptx);
  for (int i = 0; i < 2; i++)
    c->params[i] = &c->values[i];
  c->launch = (TileKernelLaunch){.kernel = "k",
                                 .grid = {4, 6, 2},
                                 .block = {128, 2, 1},
                                 .cluster = {1, 1, 1},
                                 .dynamic_smem_bytes = 1000,
                                 .params = c->params,
                                 .param_sizes_bytes = c->sizes_bytes,
                                 .num_params = 2};
}

// The driver is asked for a kernel once, and told what it needs once.
static void test_launch(void **state) {
  (void)state;
  LaunchCase c;
  open_launch(&c);
  TileStatus status = tile_device_launch(c.device, c.module, &c.launch);
  assert_string_equal(status.message, "");
  expect_log("cuModuleGetFunction it k\ncuFuncSetAttribute it 8 1000\n"
             "cuLaunchKernelEx it 4,6,2 128,2,1 1000 12c 123456789\n"
             "cuCtxSynchronize\n");
  c.launch.cluster[0] = 4;
  c.launch.cluster[1] = 2;
  status = tile_device_launch(c.device, c.module, &c.launch);
  assert_string_equal(status.message, "");
  expect_log("cuLaunchKernelEx it 4,6,2 128,2,1 1000 12c 123456789 attribute "
             "4: 4,2,1\ncuCtxSynchronize\n");
  c.launch.cluster[2] = 2; // 16 blocks: not portable
  status = tile_device_launch(c.device, c.module, &c.launch);
  assert_string_equal(status.message, "");
  expect_log("cuFuncSetAttribute it 14 1\n"
             "cuLaunchKernelEx it 4,6,2 128,2,1 1000 12c 123456789 attribute "
             "4: 4,2,2\ncuCtxSynchronize\n");
  c.launch.dynamic_smem_bytes = 2000;
  c.launch.cluster[0] = c.launch.cluster[1] = c.launch.cluster[2] = 1;
  status = tile_device_launch(c.device, c.module, &c.launch);
  assert_string_equal(status.message, "");
  expect_log("cuFuncSetAttribute it 8 2000\n"
             "cuLaunchKernelEx it 4,6,2 128,2,1 2000 12c 123456789\n"
             "cuCtxSynchronize\n");
  tile_device_destroy(c.device);
}

// Cooperative launches, and those that wait for the one before by themselves.
static void test_launch_manner(void **state) {
  (void)state;
  LaunchCase c;
  open_launch(&c);
  c.launch.is_cooperative = true;
  TileStatus status = tile_device_launch(c.device, c.module, &c.launch);
  assert_string_equal(status.message, "");
  expect_log("cuModuleGetFunction it k\ncuFuncSetAttribute it 8 1000\n"
             "cuLaunchKernelEx it 4,6,2 128,2,1 1000 12c 123456789 attribute "
             "2: 1,0,0\ncuCtxSynchronize\n");
  c.launch.is_dependent = true;
  c.launch.cluster[0] = 2;
  status = tile_device_launch(c.device, c.module, &c.launch);
  assert_string_equal(status.message, "");
  expect_log("cuLaunchKernelEx it 4,6,2 128,2,1 1000 12c 123456789 attribute "
             "4: 2,1,1 attribute 2: 1,0,0 attribute 6: 1,0,0\n"
             "cuCtxSynchronize\n");
  tile_device_destroy(c.device);
}

static void test_launch_failures(void **state) {
  (void)state;
  static const struct {
    const char *failing;
    int error;
    TileStatusCode code;
  } failures[] = {
      {"cuModuleGetFunction", 500, TILE_STATUS_USER_ERROR},
      {"cuFuncSetAttribute", 1, TILE_STATUS_USER_ERROR},
      {"cuLaunchKernelEx", 701, TILE_STATUS_USER_ERROR},
      {"cuCtxSynchronize", 700, TILE_STATUS_KERNEL_FAILED},
      {"cuCtxSynchronize", 719, TILE_STATUS_KERNEL_FAILED},
  };
  for (size_t i = 0; i < sizeof failures / sizeof failures[0]; i++) {
    LaunchCase c;
    char message[128];
    open_launch(&c);
    fake_get()->failing = failures[i].failing;
    fake_get()->error = failures[i].error;
    TileStatus status = tile_device_launch(c.device, c.module, &c.launch);
    snprintf(message, sizeof message,
             "kernel 'k': CUDA_ERROR_FAKE (error %d: as asked for)",
             failures[i].error);
    assert_string_equal(status.message, message);
    assert_int_equal(status.code, failures[i].code);
    tile_device_destroy(c.device);
  }
}

/// Expects that the launch is refused before the driver sees it.
static void expect_refused(LaunchCase *c, const char *message) {
  char whole[300];
  snprintf(whole, sizeof whole, "kernel '%s': %s", c->launch.kernel, message);
  TileStatus status = tile_device_launch(c->device, c->module, &c->launch);
  assert_int_equal(status.code, TILE_STATUS_USER_ERROR);
  assert_string_equal(status.message, whole);
  expect_log("");
  tile_device_destroy(c->device);
  open_launch(c);
}

static void test_bad_launches(void **state) {
  (void)state;
  LaunchCase c;
  open_launch(&c);
  c.launch.num_params = 1;
  expect_refused(&c, "expected 2 parameters, got 1");
  c.sizes_bytes[1] = 2;
  expect_refused(&c, "expected parameter 1 of 8 bytes, got 2");
  c.launch.grid[1] = 65536;
  expect_refused(&c, "expected grid y from 1 to 65535, got 65536");
  c.launch.grid[0] = 0;
  expect_refused(&c, "expected grid x from 1 to 2147483647, got 0");
  c.launch.block[2] = 65;
  expect_refused(&c, "expected block z from 1 to 64, got 65");
  c.launch.block[1] = 9;
  expect_refused(&c, "expected at most 1024 threads in a block, got 1152");
  c.launch.cluster[1] = 4;
  expect_refused(&c, "expected cluster y to divide the grid of 6, got 4");

  c.launch.cluster[2] = 0;
  expect_refused(&c, "expected cluster z to divide the grid of 2, got 0");

  c.launch.kernel = "other";
  char message[200];
  snprintf(message, sizeof message,
           "launcher-driver-%d.ptx: expected a kernel named 'other', got 'k'",
           (int)getpid());
  TileStatus status = tile_device_launch(c.device, c.module, &c.launch);
  assert_string_equal(status.message, message);
  tile_device_destroy(c.device);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_open_and_close),
      cmocka_unit_test(test_every_failure_of_opening),
      cmocka_unit_test(test_fallback),
      cmocka_unit_test(test_memory),
      cmocka_unit_test(test_memory_failures),
      cmocka_unit_test(test_choice_of_cubin),
      cmocka_unit_test(test_images_for_others),
      cmocka_unit_test(test_module_failures),
      cmocka_unit_test(test_tensor_maps),
      cmocka_unit_test(test_launch),
      cmocka_unit_test(test_launch_manner),
      cmocka_unit_test(test_launch_failures),
      cmocka_unit_test(test_bad_launches),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
