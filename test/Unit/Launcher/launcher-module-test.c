//===- launcher-module-test.c - Tile/Run.h on the emulator ----------------===//
//
// Argument: the folder of axpy.ptx and axpy.json.
//
//===----------------------------------------------------------------------===//

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "Tile/Run.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

//===-- Helpers -----------------------------------------------------------===//

static const char *folder;
static char json[1 << 14], ptx[1 << 14];

/// What a device has said.
typedef struct {
  char text[4000];
  size_t num_errors;
} Said;

static void note(const TileDiagnostic *diagnostic, void *user_data) {
  Said *said = user_data;
  size_t length = strlen(said->text);
  snprintf(said->text + length, sizeof said->text - length, "%s: %s\n",
           diagnostic->code, diagnostic->text);
  said->num_errors += diagnostic->severity == TILE_SEVERITY_ERROR;
}

static void read_text(const char *name, char *out, size_t capacity) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  out[fread(out, 1, capacity - 1, file)] = 0;
  fclose(file);
}

static TileDevice *open_device(Said *said) {
  *said = (Said){.num_errors = 0};
  TileDevice *device = tile_device_create_emulator(NULL, note, said);
  assert_non_null(device);
  return device;
}

static TileModule *load(TileDevice *device) {
  return tile_module_create(device, "axpy.json", json, strlen(json), ptx,
                            strlen(ptx));
}

enum { COUNT = 100 };

static TileDLTensor tensor(void *data, int64_t *shape) {
  TileDLTensor made = {.data = data,
                       .device = {1, 0},
                       .ndim = 1,
                       .dtype = {2, 32, 1},
                       .shape = shape};
  return made;
}

//===-- Launches ----------------------------------------------------------===//

static void run_axpy(TileDevice *device, float factor) {
  float x[COUNT], y[COUNT];
  int64_t shape[1] = {COUNT};
  for (int i = 0; i < COUNT; i++)
    x[i] = (float)i, y[i] = 1;
  TileDLTensor tx = tensor(x, shape), ty = tensor(y, shape);
  TileLaunchArg args[] = {tile_arg_float((double)factor), tile_arg_tensor(&tx),
                          tile_arg_tensor(&ty)};
  TileModule *module = load(device);
  assert_non_null(module);
  assert_true(tile_module_launch(module, NULL, args, 3));
  assert_true(tile_device_wait(device, NULL));
  for (int i = 0; i < COUNT; i++)
    assert_true(y[i] == 1 + factor * (float)i);
  tile_module_destroy(module);
}

static void test_memory_of_the_program(void **state) {
  (void)state;
  Said said;
  TileDevice *device = open_device(&said);
  assert_string_equal(tile_device_chip(device), "sm_90a");
  run_axpy(device, 2);
  run_axpy(device, 3); // the memory of the first launch is forgotten
  assert_string_equal(said.text, "");
  assert_int_equal(tile_emu_num_findings(tile_device_emulator(device)), 0);
  tile_device_destroy(device);
}

static void test_memory_of_the_device(void **state) {
  (void)state;
  Said said;
  float x[COUNT], y[COUNT];
  int64_t shape[1] = {COUNT};
  TileDevice *device = open_device(&said);
  TileModule *module = load(device);
  void *dx = tile_memory_alloc(device, sizeof x);
  void *dy = tile_memory_alloc(device, sizeof y);
  for (int i = 0; i < COUNT; i++)
    x[i] = (float)i;
  assert_true(tile_memory_write(device, dx, x, sizeof x));
  // The same code runs on a GPU: what the device gave is of the device.
  TileDLTensor tx = tensor(dx, shape), ty = tensor(dy, shape);
  tx.device.type = ty.device.type = 2;
  TileLaunchArg args[] = {tile_arg_int(2), tile_arg_tensor(&tx),
                          tile_arg_tensor(&ty)};
  assert_true(tile_module_launch(module, NULL, args, 3));
  assert_true(tile_memory_read(device, dy, y, sizeof y));
  assert_true(y[COUNT - 1] == 2 * (COUNT - 1));
  assert_string_equal(said.text, "");

  assert_false(tile_memory_read(device, dy, y, sizeof y + 1));
  assert_false(tile_memory_write(device, x, y, 4));
  assert_int_equal(said.num_errors, 2);
  assert_true(tile_memory_free(device, dx));
  assert_false(tile_memory_free(device, dx));
  assert_int_equal(said.num_errors, 3);
  tile_module_destroy(module);
  tile_device_destroy(device);
}

static void test_bad_arguments(void **state) {
  (void)state;
  Said said;
  float x[COUNT] = {0}, y[COUNT];
  int64_t shape[1] = {COUNT}, negative[1] = {-1};
  static const char *const messages[] = {
      "expected 3 arguments, got 2",
      "expected a tensor, got a number",
      "expected element type f32 (DLPack code 2, 32 bits), got code 0, 32 bits",
      "expected a tensor of rank 1, got none",
      "expected a tensor in memory of the program",
      "expected memory for 400 bytes, got NULL",
      "expected extent 0 from 0 to",
      "expected memory of its own because it is written",
      "expected stride 0 from 0 up, got -1"};
  for (size_t i = 0; i < sizeof messages / sizeof *messages; i++) {
    TileDevice *device = open_device(&said);
    TileModule *module = load(device);
    TileDLTensor tx = tensor(x, shape), ty = tensor(y, shape);
    TileLaunchArg args[] = {tile_arg_float(2), tile_arg_tensor(&tx),
                            tile_arg_tensor(&ty)};
    if (i == 1)
      args[1] = tile_arg_int(1);
    if (i == 2)
      tx.dtype.code = 0;
    if (i == 3)
      args[1] = tile_arg_tensor(NULL);
    if (i == 4)
      tx.device.type = 2;
    if (i == 5)
      tx.data = NULL;
    if (i == 6)
      tx.shape = negative;
    if (i == 7)
      ty.data = x;
    if (i == 8)
      tx.strides = negative;
    assert_false(tile_module_launch(module, NULL, args, i == 0 ? 2 : 3));
    if (!strstr(said.text, messages[i]))
      fail_msg("expected '%s' in '%s'", messages[i], said.text);
    tile_module_destroy(module);
    tile_device_destroy(device);
  }
}

// DLPack has a code of its own for complex numbers; two floats are none.
static void test_complex_tensors(void **state) {
  (void)state;
  static const char was[] = "\"name\": \"x\", \"kind\": \"memref\", "
                            "\"dtype\": \"f32\"";
  static const char is[] = "\"name\": \"x\", \"kind\": \"memref\", "
                           "\"dtype\": \"complex<f32>\"";
  Said said;
  char text[sizeof json + sizeof is];
  const char *at = strstr(json, was);
  float x[2 * COUNT] = {0}, y[COUNT] = {0};
  int64_t shape[1] = {COUNT};
  assert_non_null(at);
  int length = snprintf(text, sizeof text, "%.*s%s%s", (int)(at - json), json,
                        is, at + sizeof was - 1);
  TileDevice *device = open_device(&said);
  TileModule *module = tile_module_create(device, "axpy", text, (size_t)length,
                                          ptx, strlen(ptx));
  assert_non_null(module);
  TileDLTensor tx = tensor(x, shape), ty = tensor(y, shape);
  TileLaunchArg args[] = {tile_arg_float(2), tile_arg_tensor(&tx),
                          tile_arg_tensor(&ty)};
  assert_false(tile_module_launch(module, NULL, args, 3));
  assert_non_null(strstr(said.text, "expected element type complex<f32> "
                                    "(DLPack code 5, 64 bits), got code 2"));
  tx.dtype.code = 5;
  tx.dtype.bits = 64;
  assert_true(tile_module_launch(module, NULL, args, 3));
  tx.data = (char *)x + 4; // a multiple of the parts is enough
  shape[0] = COUNT - 1;
  assert_true(tile_module_launch(module, NULL, args, 3));
  tile_module_destroy(module);
  tile_device_destroy(device);
}

//===-- Queries -----------------------------------------------------------===//

static void test_queries(void **state) {
  (void)state;
  Said said;
  TileParamInfo param;
  TileVariantInfo variant;
  TileDevice *device = open_device(&said);
  TileModule *module = load(device);
  assert_string_equal(tile_module_name(module), "axpy");
  assert_int_equal(tile_module_num_params(module), 3);
  assert_true(tile_module_param(module, 2, &param));
  assert_string_equal(param.element_type, "f32");
  assert_true(param.is_mutable);
  assert_int_equal(param.shape[0], -1);
  assert_false(tile_module_param(module, 3, &param));
  assert_int_equal(tile_module_num_launches(module), 1);
  assert_int_equal(tile_module_num_variants(module, 1), 0);
  assert_true(tile_module_variant(module, 0, 0, &variant));
  assert_string_equal(variant.kernel, "axpy");
  assert_null(tile_module_requirement(module, 0, 0, variant.num_requirements));
  tile_module_destroy(module);
  tile_device_destroy(device);
}

//===-- Bad images and metadata -------------------------------------------===//

static void test_garbage(void **state) {
  (void)state;
  Said said;
  TileDevice *device = open_device(&said);
  size_t json_bytes = strlen(json), ptx_bytes = strlen(ptx);
  for (size_t cut = 0; cut < json_bytes - 3; cut += 7)
    assert_null(tile_module_create(device, "cut", json, cut, ptx, ptx_bytes));
  for (size_t cut = 0; cut + 8 < ptx_bytes; cut += 7) {
    TileModule *module =
        tile_module_create(device, "cut", json, json_bytes, ptx, cut);
    assert_null(module);
    said.text[0] = 0;
  }
  assert_null(tile_module_create(device, NULL, NULL, 0, ptx, ptx_bytes));
  assert_null(tile_module_create(device, NULL, json, json_bytes, NULL, 0));
  assert_non_null(strstr(said.text, "got no image"));
  said.text[0] = 0;
  assert_null(tile_module_create(device, NULL, json, json_bytes,
                                 "\177ELF with more", 15));
  assert_non_null(strstr(said.text, "got a cubin"));
  assert_true(said.num_errors > 100);
  tile_device_destroy(device);
}

//===-- Threads -----------------------------------------------------------===//

static void *run_alone(void *user_data) {
  Said *said = user_data;
  TileDevice *device = open_device(said);
  for (int i = 1; i <= 5; i++)
    run_axpy(device, (float)i);
  tile_device_destroy(device);
  return NULL;
}

static void test_threads(void **state) {
  (void)state;
  enum { THREADS = 4 };
  pthread_t threads[THREADS];
  static Said said[THREADS];
  for (int i = 0; i < THREADS; i++)
    assert_int_equal(pthread_create(&threads[i], NULL, run_alone, &said[i]), 0);
  for (int i = 0; i < THREADS; i++) {
    pthread_join(threads[i], NULL);
    assert_string_equal(said[i].text, "");
  }
}

//===-- Results -----------------------------------------------------------===//

/// a * x + 1 in a workspace that is returned, twice: the second result is its
/// first element. And the number of elements, and a.
static const char returning[] =
    "{\"format\": \"tile-host-2\", \"function\": \"scaled\","
    " \"target\": \"sm_80\", \"ptx\": \"axpy.ptx\", \"args\": ["
    "{\"name\": \"a\", \"kind\": \"scalar\", \"dtype\": \"f32\"},"
    "{\"name\": \"x\", \"kind\": \"memref\", \"dtype\": \"f32\","
    " \"shape\": [-1], \"strides\": [1], \"offset\": -1, \"mutable\":"
    " false}], \"values\": ["
    "{\"op\": \"memref.dim\", \"type\": \"index\", \"arg\": 1,"
    " \"dim\": 0},"
    "{\"op\": \"constant\", \"type\": \"index\", \"value\": 64},"
    "{\"op\": \"constant\", \"type\": \"index\", \"value\": 1},"
    "{\"op\": \"arith.ceildivui\", \"type\": \"index\","
    " \"operands\": [0, 1]},"
    "{\"op\": \"arith.index_cast\", \"type\": \"i32\","
    " \"operands\": [0]},"
    "{\"op\": \"argument\", \"type\": \"f32\", \"arg\": 0},"
    "{\"op\": \"variable\", \"type\": \"index\"},"
    "{\"op\": \"constant\", \"type\": \"f32\", \"value\": 1},"
    "{\"op\": \"constant\", \"type\": \"index\", \"value\": 0}],"
    " \"launches\": [{\"variants\": [{\"kernel\": \"axpy\","
    " \"grid\": [3, 2, 2], \"block\": [1, 2, 2], \"dynamic_smem_bytes\":"
    " 0, \"params\": ["
    "{\"kind\": \"scalar\", \"type\": \"i32\", \"value\": 4},"
    "{\"kind\": \"scalar\", \"type\": \"f32\", \"value\": 5},"
    "{\"kind\": \"pointer\", \"arg\": 1},"
    "{\"kind\": \"pointer\", \"address\": 6}]}]}], \"body\": ["
    "{\"op\": \"alloc\", \"alloc\": 0, \"address\": 6, \"dtype\":"
    " \"f32\", \"shape\": [0], \"strides\": [2], \"offset\": 8,"
    " \"returned\": true},"
    "{\"op\": \"fill\", \"value\": 7, \"dtype\": \"f32\", \"shape\":"
    " [0], \"to\": {\"address\": 6, \"strides\": [2]}},"
    "{\"op\": \"launch\", \"launch\": 0}], \"results\": ["
    "{\"kind\": \"memref\", \"dtype\": \"f32\", \"address\": 6,"
    " \"shape\": [0], \"strides\": [2]},"
    "{\"kind\": \"memref\", \"dtype\": \"f32\", \"address\": 6,"
    " \"shape\": [2], \"strides\": [2]},"
    "{\"kind\": \"scalar\", \"dtype\": \"index\", \"value\": 0},"
    "{\"kind\": \"scalar\", \"dtype\": \"f32\", \"value\": 5}]}";

static void test_results(void **state) {
  (void)state;
  Said said;
  float x[COUNT], y[COUNT];
  int64_t shape[1] = {COUNT};
  TileLaunchResult results[4];
  TileParamInfo info;
  TileDevice *device = open_device(&said);
  TileModule *module = tile_module_create(device, "scaled", returning,
                                          strlen(returning), ptx, strlen(ptx));
  assert_string_equal(said.text, "");
  assert_int_equal(tile_module_num_results(module), 4);
  assert_true(tile_module_result(module, 1, &info));
  assert_true(!info.is_scalar && info.rank == 1 && info.shape[0] == -1);
  assert_string_equal(info.element_type, "f32");
  assert_false(tile_module_result(module, 4, &info));
  for (int i = 0; i < COUNT; i++)
    x[i] = (float)i;
  TileDLTensor tx = tensor(x, shape);
  TileLaunchArg args[] = {tile_arg_float(3), tile_arg_tensor(&tx)};
  assert_true(tile_module_call(module, NULL, args, 2, results, 4));
  assert_true(tile_device_wait(device, NULL));
  // The first result owns the memory, and the device knows it.
  assert_ptr_equal(results[0].memory, results[0].tensor.data);
  assert_ptr_equal(results[1].tensor.data, results[0].tensor.data);
  assert_null(results[1].memory);
  assert_int_equal(results[0].tensor.shape[0], COUNT);
  assert_int_equal(results[1].tensor.shape[0], 1);
  assert_int_equal(results[0].tensor.dtype.bits, 32);
  assert_true(tile_memory_read(device, results[0].memory, y, sizeof y));
  for (int i = 0; i < COUNT; i++)
    assert_true(y[i] == 3 * (float)i + 1);
  assert_int_equal(results[2].integer, COUNT);
  assert_true(results[3].kind == TILE_ARG_FLOAT && results[3].real == 3);
  // A result is an argument like any other.
  args[1] = tile_arg_tensor(&results[0].tensor);
  TileLaunchResult next[4];
  assert_true(tile_module_call(module, NULL, args, 2, next, 4));
  assert_true(tile_memory_read(device, next[0].memory, y, sizeof y));
  assert_true(y[1] == 13);
  assert_true(tile_memory_free(device, results[0].memory));
  assert_false(tile_memory_free(device, results[0].memory));
  said.text[0] = 0;
  // What is not freed goes with the device.
  assert_false(tile_module_launch(module, NULL, args, 2));
  assert_string_equal(said.text, "launch: scaled: returns 4 results, which "
                                 "tile_module_call gives\n");
  said.text[0] = 0;
  assert_false(tile_module_call(module, NULL, args, 2, next, 3));
  assert_string_equal(said.text, "launch: scaled: expected room for 4 results, "
                                 "got 3\n");
  tile_module_destroy(module);
  tile_device_destroy(device);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_memory_of_the_program),
      cmocka_unit_test(test_memory_of_the_device),
      cmocka_unit_test(test_bad_arguments),
      cmocka_unit_test(test_complex_tensors),
      cmocka_unit_test(test_queries),
      cmocka_unit_test(test_results),
      cmocka_unit_test(test_garbage),
      cmocka_unit_test(test_threads),
  };
  folder = argc > 1 ? argv[1] : ".";
  read_text("axpy.json", json, sizeof json);
  read_text("axpy.ptx", ptx, sizeof ptx);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
