//===- launcher-npy-test.c - .npy files -----------------------------------===//

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "Launcher/Launcher.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

//===-- Helpers -----------------------------------------------------------===//

/// A name for a file of this process, in the current directory.
static const char *file_name(char *buffer, size_t buffer_bytes) {
  snprintf(buffer, buffer_bytes, "launcher-npy-%d.npy", (int)getpid());
  return buffer;
}

/// Writes a file of format `version` with this header text and data.
static void write_file(const char *path, int version, const char *header,
                       const void *data, size_t size_bytes) {
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  size_t length = strlen(header);
  unsigned char lead[12] = {0x93, 'N', 'U', 'M', 'P', 'Y'};
  lead[6] = (unsigned char)version;
  lead[8] = (unsigned char)(length & 0xFF);
  lead[9] = (unsigned char)(length >> 8);
  fwrite(lead, 1, version == 1 ? 10 : 12, file);
  fwrite(header, 1, length, file);
  fwrite(data, 1, size_bytes, file);
  fclose(file);
}

static TileTensor make_tensor(TileDtype dtype, int rank, const int64_t *shape,
                              int64_t gap) {
  TileTensor tensor = {.dtype = dtype, .rank = rank};
  for (int i = 0; i < rank; i++)
    tensor.shape[i] = shape[i];
  tile_tensor_set_contiguous(&tensor);
  for (int i = 0; i < rank; i++)
    tensor.strides[i] *= 1 + gap;
  tensor.offset = gap;
  TileStatus status = tile_tensor_alloc(&tensor);
  assert_true(tile_status_is_ok(&status));
  status = tile_tensor_fill(&tensor, TILE_FILL_INTS, 7);
  assert_true(tile_status_is_ok(&status));
  return tensor;
}

//===-- Tests -------------------------------------------------------------===//

// Every type, rank 0 to 3, with and without gaps: the same numbers return.
static void test_round_trip(void **state) {
  (void)state;
  static const int64_t shape[3] = {3, 1, 5};
  char path[64];
  file_name(path, sizeof path);
  for (int dtype = TILE_DTYPE_F16; dtype <= TILE_DTYPE_INDEX; dtype++) {
    for (int rank = 0; rank <= 3; rank++) {
      TileTensor tensor =
          make_tensor((TileDtype)dtype, rank, shape, (rank + dtype) % 2);
      TileStatus status = tile_npy_write(path, &tensor);
      assert_true(tile_status_is_ok(&status));
      TileTensor stored = {0};
      status = tile_npy_read(path, &stored);
      if (!tile_status_is_ok(&status))
        fail_msg("%s", status.message);
      bool is_small_float = tile_dtype_is_float(tensor.dtype) &&
                            tile_dtype_size_bytes(tensor.dtype) <= 4;
      TileDtype expected = is_small_float              ? TILE_DTYPE_F32
                           : dtype == TILE_DTYPE_INDEX ? TILE_DTYPE_I64
                           : dtype == TILE_DTYPE_I4    ? TILE_DTYPE_I8
                                                       : (TileDtype)dtype;
      assert_int_equal(stored.dtype, expected);
      assert_int_equal(stored.rank, rank);
      TileTensor back =
          make_tensor((TileDtype)dtype, rank, shape, (rank + dtype) % 2);
      status = tile_tensor_fill(&back, TILE_FILL_ZEROS, 0);
      assert_true(tile_status_is_ok(&status));
      status = tile_tensor_convert(&stored, &back);
      if (!tile_status_is_ok(&status))
        fail_msg("%s", status.message);
      assert_memory_equal(back.data, tensor.data, tensor.size_bytes);
      tile_tensor_deinit(&tensor);
      tile_tensor_deinit(&stored);
      tile_tensor_deinit(&back);
    }
  }
  remove(path);
}

// What NumPy itself writes, byte by byte, for arange(6, dtype=int16).
static void test_bytes_of_numpy(void **state) {
  (void)state;
  char path[64];
  file_name(path, sizeof path);
  int64_t shape[2] = {2, 3};
  TileTensor tensor = make_tensor(TILE_DTYPE_I16, 2, shape, 0);
  TileStatus status = tile_npy_write(path, &tensor);
  assert_true(tile_status_is_ok(&status));
  char bytes[256] = {0};
  FILE *file = fopen(path, "rb");
  size_t size_bytes = fread(bytes, 1, sizeof bytes, file);
  fclose(file);
  assert_int_equal(size_bytes, 128 + 12);
  assert_memory_equal(bytes, "\x93NUMPY\x01\x00\x76\x00", 10);
  assert_memory_equal(bytes + 10,
                      "{'descr': '<i2', 'fortran_order': False, "
                      "'shape': (2, 3), }  ",
                      61);
  assert_int_equal(bytes[127], '\n');
  assert_memory_equal(bytes + 128, tensor.data, 12);
  tile_tensor_deinit(&tensor);
  remove(path);
}

static void test_version_2_and_spacing(void **state) {
  (void)state;
  char path[64];
  file_name(path, sizeof path);
  static const int32_t data[3] = {1, -2, 3};
  write_file(path, 2, "{'shape':(3,),'fortran_order':True,'descr': '<i4'}\n",
             data, sizeof data);
  TileTensor tensor = {0};
  TileStatus status = tile_npy_read(path, &tensor);
  assert_string_equal(status.message, "");
  assert_int_equal(tensor.rank, 1);
  assert_memory_equal(tensor.data, data, sizeof data);
  tile_tensor_deinit(&tensor);
  remove(path);
}

static void test_bad_files(void **state) {
  (void)state;
  static const struct {
    int version;
    const char *header, *message;
  } bad[] = {
      {1, "{'descr': '>f4', 'fortran_order': False, 'shape': (1,), }",
       "expected a little-endian number type such as '<f4' as descr, got "
       "'>f4'"},
      {1, "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }",
       "expected a little-endian number type such as '<f4' as descr, got ''"},
      {1, "{'descr': '<f4', 'fortran_order': True, 'shape': (1, 1), }",
       "expected C order, got Fortran order; save numpy.ascontiguousarray(x)"},
      {1, "{'descr': '<f4', 'shape': (1, 1), }",
       "malformed fortran_order in the .npy header"},
      {1, "{'descr': '<f4', 'fortran_order': False, 'shape': (1",
       "malformed shape in the .npy header"},
      {1, "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }",
       "malformed shape in the .npy header"},
      {1, "{'descr': '<f4', 'fortran_order': False, }",
       "malformed shape in the .npy header"},
      {1,
       "{'descr': '<f4', 'fortran_order': False, 'shape': "
       "(1,1,1,1,1,1,1,1,1)}",
       "expected at most 8 dimensions, got more"},
      {1, "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }",
       "expected 12 bytes of data, got 8"},
      {3, "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }",
       "expected .npy format 1 or 2, got 3"},
  };
  static const float data[2] = {1, 2};
  char path[64], message[256];
  file_name(path, sizeof path);
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    write_file(path, bad[i].version, bad[i].header, data, sizeof data);
    TileTensor tensor;
    TileStatus status = tile_npy_read(path, &tensor);
    snprintf(message, sizeof message, "%s: %s", path, bad[i].message);
    assert_int_equal(status.code, TILE_STATUS_USER_ERROR);
    assert_string_equal(status.message, message);
    assert_null(tensor.data);
  }
  remove(path);
}

static void test_unwritable_file(void **state) {
  (void)state;
  int64_t shape[1] = {1};
  TileTensor tensor = make_tensor(TILE_DTYPE_F32, 1, shape, 0);
  TileStatus status = tile_npy_write("no-such-folder/a.npy", &tensor);
  assert_string_equal(
      status.message,
      "cannot write no-such-folder/a.npy: No such file or directory");
  status = tile_npy_write("/dev/full", &tensor);
  assert_string_equal(status.message,
                      "cannot write /dev/full: No space left on device");
  tile_tensor_deinit(&tensor);
}

static void test_cut_files(void **state) {
  (void)state;
  static const char whole[] = "\x93NUMPY\x01\x00\x20\x00{'descr'";
  char path[64], message[256];
  file_name(path, sizeof path);
  for (size_t length = 0; length < sizeof whole; length++) {
    FILE *file = fopen(path, "wb");
    fwrite(whole, 1, length, file);
    fclose(file);
    TileTensor tensor;
    TileStatus status = tile_npy_read(path, &tensor);
    snprintf(message, sizeof message, "%s: %s", path,
             length < 10 ? "not a .npy file"
                         : "the file ends inside its header");
    assert_string_equal(status.message, message);
  }
  remove(path);
}

static void test_conversions(void **state) {
  (void)state;
  static const struct {
    TileDtype from, to;
    double value;
    const char *message;
  } conversions[] = {
      {TILE_DTYPE_F32, TILE_DTYPE_BF16, 1.5, ""},
      {TILE_DTYPE_I64, TILE_DTYPE_F16, 3, ""},
      {TILE_DTYPE_I32, TILE_DTYPE_U8, 255, ""},
      {TILE_DTYPE_I32, TILE_DTYPE_U8, 256,
       "element 0 is 256, expected 0 to 255"},
      {TILE_DTYPE_I32, TILE_DTYPE_I8, -129,
       "element 0 is -129, expected -128 to 127"},
      {TILE_DTYPE_F32, TILE_DTYPE_I32, 1,
       "cannot convert f32 to i32 without loss"},
  };
  for (size_t i = 0; i < sizeof conversions / sizeof conversions[0]; i++) {
    int64_t shape[1] = {1};
    TileTensor from = make_tensor(conversions[i].from, 1, shape, 0);
    TileTensor to = make_tensor(conversions[i].to, 1, shape, 0);
    TileNumber number = {TILE_DTYPE_F64, 0, conversions[i].value};
    tile_dtype_store(from.dtype, number, from.data);
    TileStatus status = tile_tensor_convert(&from, &to);
    assert_string_equal(status.message, conversions[i].message);
    TileNumber got = tile_dtype_load(to.dtype, to.data);
    if (tile_status_is_ok(&status))
      assert_true(
          (tile_dtype_is_float(to.dtype) ? got.real : (double)got.integer) ==
          conversions[i].value);
    tile_tensor_deinit(&from);
    tile_tensor_deinit(&to);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_round_trip),
      cmocka_unit_test(test_bytes_of_numpy),
      cmocka_unit_test(test_version_2_and_spacing),
      cmocka_unit_test(test_bad_files),
      cmocka_unit_test(test_unwritable_file),
      cmocka_unit_test(test_cut_files),
      cmocka_unit_test(test_conversions),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
