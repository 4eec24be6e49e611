//===- launcher-tensor-test.c - Tensors made from argument texts ----------===//

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "Launcher/Launcher.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static TileArgText parse(const char *text) {
  TileArgText arg;
  TileStatus status = tile_arg_text_parse(text, &arg);
  if (!tile_status_is_ok(&status))
    fail_msg("%s: %s", text, status.message);
  return arg;
}

//===-- Tensors -----------------------------------------------------------===//

static TileTensor make(const char *text, uint64_t default_seed) {
  TileArgText arg = parse(text);
  TileTensor tensor;
  TileStatus status =
      tile_arg_text_make_tensor(&arg, NULL, default_seed, &tensor);
  if (!tile_status_is_ok(&status))
    fail_msg("%s: %s", text, status.message);
  return tensor;
}

static TileNumber element(const TileTensor *tensor, size_t index) {
  return tile_dtype_load(tensor->dtype, tile_tensor_elem(tensor, index));
}

static double value(const TileTensor *tensor, size_t index) {
  TileNumber number = element(tensor, index);
  return tile_dtype_is_float(tensor->dtype) ? number.real
                                            : (double)number.integer;
}

// Each of the numbers is there, about equally often, and nothing else.
static void test_ints(void **state) {
  (void)state;
  static const struct {
    const char *text;
    int min, max;
  } fills[] = {
      {"ints:5000:bf16", -2, 2}, {"ints:5000:f8E5M2", -2, 2},
      {"ints:5000:i8", -2, 2},   {"ints:5000:index", -2, 2},
      {"ints:5000:u16", 0, 2},   {"ints:5000:i1", 0, 1},
  };
  for (size_t i = 0; i < sizeof fills / sizeof fills[0]; i++) {
    TileTensor tensor = make(fills[i].text, 1);
    int counts[5] = {0};
    for (size_t e = 0; e < 5000; e++) {
      double v = value(&tensor, e);
      assert_true(v == floor(v) && v >= fills[i].min && v <= fills[i].max);
      counts[(int)v + 2]++;
    }
    int expected = 5000 / (fills[i].max - fills[i].min + 1);
    for (int v = fills[i].min; v <= fills[i].max; v++)
      assert_in_range(counts[v + 2], expected * 9 / 10, expected * 11 / 10);
    tile_tensor_deinit(&tensor);
  }
}

// Both parts are drawn, and a real number has no other.
static void test_complex_numbers(void **state) {
  (void)state;
  TileNumber one = {.dtype = TILE_DTYPE_F64, .real = 1.5};
  unsigned char bytes[TILE_DTYPE_MAX_BYTES];
  double sums[2] = {0, 0}, squares[2] = {0, 0};
  TileTensor tensor = make("normal:5000:complex<f64>", 1);
  for (size_t e = 0; e < 5000; e++) {
    TileNumber number = element(&tensor, e);
    sums[0] += number.real, squares[0] += number.real * number.real;
    sums[1] += number.imaginary;
    squares[1] += number.imaginary * number.imaginary;
  }
  for (int i = 0; i < 2; i++)
    assert_true(fabs(sums[i] / 5000) < 0.1 &&
                fabs(squares[i] / 5000 - 1) < 0.1);
  tile_tensor_deinit(&tensor);
  tensor = make("ones:2:complex<f32>", 1);
  assert_true(element(&tensor, 1).real == 1 &&
              element(&tensor, 1).imaginary == 0);
  tile_tensor_deinit(&tensor);
  tile_dtype_store(TILE_DTYPE_COMPLEX_F32, one, bytes);
  assert_true(tile_dtype_load(TILE_DTYPE_COMPLEX_F32, bytes).real == 1.5);
  assert_int_equal(tile_dtype_align_bytes(TILE_DTYPE_COMPLEX_F64), 8);
}

static void test_normal_numbers(void **state) {
  (void)state;
  const double count = 20000;
  TileTensor tensor = make("normal:20000:f32", 3);
  double sum = 0, squares = 0, products = 0, last = 0; // of neighbours
  int num_within_one = 0;
  for (size_t i = 0; i < tile_tensor_num_elems(&tensor); i++) {
    double v = value(&tensor, i);
    sum += v;
    squares += v * v;
    products += v * last;
    last = v;
    num_within_one += fabs(v) < 1;
  }
  assert_true(fabs(sum / count) < 0.03);
  assert_true(fabs(squares / count - 1) < 0.04);
  assert_true(fabs(products / count) < 0.03);
  assert_true(fabs((double)num_within_one / count - 0.683) < 0.02);
  tile_tensor_deinit(&tensor);
}

static bool has_same_values(const TileTensor *a, const TileTensor *b) {
  for (size_t i = 0; i < tile_tensor_num_elems(a); i++) {
    if (value(a, i) != value(b, i))
      return false;
  }
  return true;
}

// The numbers depend on the seed, not on the layout.
static void test_seeds(void **state) {
  (void)state;
  TileTensor a = make("ints:6x7:f32", 5), b = make("ints:6x7:f32:5", 1);
  TileTensor c = make("ints:6x7:f32:6", 5), d = make("ints:6x7:f32@1x9+3", 5);
  assert_true(has_same_values(&a, &b));
  assert_false(has_same_values(&a, &c));
  assert_true(has_same_values(&a, &d));
  tile_tensor_deinit(&a);
  tile_tensor_deinit(&b);
  tile_tensor_deinit(&c);
  tile_tensor_deinit(&d);
}

static void test_layouts(void **state) {
  (void)state;
  static const struct {
    const char *text;
    int64_t strides[3], offset, num_slots; // slots: elements of the memory
  } layouts[] = {
      {"zeros:3x4x5:u8", {20, 5, 1}, 0, 60},
      {"zeros:3x4x5:u8@8", {32, 8, 1}, 0, 64 + 24 + 5},
      {"zeros:3x4x5:u8@8+7", {32, 8, 1}, 7, 64 + 24 + 5 + 7},
      {"zeros:3x4x5:u8@1x3x12", {1, 3, 12}, 0, 60},
      {"zeros:4:u8@3", {3}, 0, 10},
      {"zeros:0x4:u8@9", {9, 1}, 0, 0},
      {"zeros:3x0x4:u8", {0, 4, 1}, 0, 0},
      {"zeros::u8", {0}, 0, 1},
  };
  for (size_t i = 0; i < sizeof layouts / sizeof layouts[0]; i++) {
    TileTensor tensor = make(layouts[i].text, 1);
    for (int d = 0; d < tensor.rank; d++)
      assert_int_equal(tensor.strides[d], layouts[i].strides[d]);
    assert_int_equal(tensor.offset, layouts[i].offset);
    assert_int_equal(tensor.size_bytes, layouts[i].num_slots);
    size_t num_zeros = 0;
    for (size_t b = 0; b < tensor.size_bytes; b++) {
      assert_true(tensor.data[b] == 0 || tensor.data[b] == 0xFF);
      num_zeros += tensor.data[b] == 0;
    }
    assert_int_equal(num_zeros, tile_tensor_num_elems(&tensor));
    tile_tensor_deinit(&tensor);
  }
}

static void test_bad_tensors(void **state) {
  (void)state;
  static const struct {
    const char *text, *message;
  } bad[] = {
      {"normal:4:i32", "'normal' needs a floating-point type, got i32"},
      {"zeros:4294967296x4294967296:f32",
       "tensor is too large for this machine"},
      {"zeros:4:f32@9223372036854775807",
       "tensor is too large for this machine"},
      {"missing.npy", "cannot read missing.npy: No such file or directory"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    TileArgText arg = parse(bad[i].text);
    TileTensor tensor;
    TileStatus status = tile_arg_text_make_tensor(&arg, NULL, 1, &tensor);
    assert_int_equal(status.code, TILE_STATUS_USER_ERROR);
    assert_string_equal(status.message, bad[i].message);
    assert_null(tensor.data);
  }
  TileArgText arg = parse("zeros:4:f32");
  TileTensor tensor;
  TileDtype bf16 = TILE_DTYPE_BF16;
  TileStatus status = tile_arg_text_make_tensor(&arg, &bf16, 1, &tensor);
  assert_string_equal(status.message, "expected element type bf16, got f32");
}

// Texts cannot say negative numbers, callers of the library can.
static void test_bad_layouts(void **state) {
  (void)state;
  const TileTensor good = {
      .dtype = TILE_DTYPE_F32, .rank = 2, .shape = {3, 4}, .strides = {4, 1}};
  TileTensor tensor = good;
  tensor.shape[1] = -4;
  assert_string_equal(tile_tensor_alloc(&tensor).message,
                      "extent 1 is -4, expected at least 0");
  tensor = good;
  tensor.strides[1] = -4;
  assert_string_equal(tile_tensor_alloc(&tensor).message,
                      "stride 1 is -4, expected at least 0");
  tensor = good;
  tensor.offset = -1;
  assert_string_equal(tile_tensor_alloc(&tensor).message,
                      "offset is -1, expected at least 0");
  TileTensor other = good;
  other.shape[0] = 2;
  assert_string_equal(tile_tensor_convert(&good, &other).message,
                      "the shapes differ");
}

static void test_damage(void **state) {
  (void)state;
  TileTensor before = make("ints:3x4:i16@6+2", 1);
  TileTensor after = make("ints:3x4:i16@6+2", 1);
  assert_int_equal(tile_tensor_find_damage(&before, &after, false), -1);
  assert_int_equal(tile_tensor_find_damage(&before, &after, true), -1);
  tile_tensor_elem(&after, 5)[0] ^= 1; // an element: row 1, column 1
  assert_int_equal(tile_tensor_find_damage(&before, &after, false), -1);
  assert_int_equal(tile_tensor_find_damage(&before, &after, true), 9);
  after.data[2 * 7 + 1] ^= 1; // the gap after row 0
  assert_int_equal(tile_tensor_find_damage(&before, &after, false), 7);
  after.data[1] ^= 1; // before the first element
  assert_int_equal(tile_tensor_find_damage(&before, &after, false), 0);
  tile_tensor_deinit(&before);
  tile_tensor_deinit(&after);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_ints),
      cmocka_unit_test(test_normal_numbers),
      cmocka_unit_test(test_seeds),
      cmocka_unit_test(test_layouts),
      cmocka_unit_test(test_bad_tensors),
      cmocka_unit_test(test_bad_layouts),
      cmocka_unit_test(test_damage),
      cmocka_unit_test(test_complex_numbers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
