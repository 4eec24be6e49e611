//===- launcher-args-test.c - Argument texts and numbers ------------------===//

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "Launcher/Launcher.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

//===-- Texts -------------------------------------------------------------===//

static const struct {
  const char *text;
  TileArgTextKind kind;
  TileFill fill;
  TileDtype dtype;
  int rank;
  int64_t shape[3];
  int64_t seed; // -1: none
  int num_strides;
  int64_t strides[2], offset;
  bool is_memory_only;
} good_tensors[] = {
    {"ints:300x136:bf16",
     TILE_ARG_TEXT_FILL,
     TILE_FILL_INTS,
     TILE_DTYPE_BF16,
     2,
     {300, 136},
     -1,
     0,
     {0},
     0,
     false},
    {"normal:7:f16:42",
     TILE_ARG_TEXT_FILL,
     TILE_FILL_NORMAL,
     TILE_DTYPE_F16,
     1,
     {7},
     42,
     0,
     {0},
     0,
     false},
    {"zeros:2x3x4:f8E4M3FN",
     TILE_ARG_TEXT_FILL,
     TILE_FILL_ZEROS,
     TILE_DTYPE_F8E4M3FN,
     3,
     {2, 3, 4},
     -1,
     0,
     {0},
     0,
     false},
    {"ones::i64",
     TILE_ARG_TEXT_FILL,
     TILE_FILL_ONES,
     TILE_DTYPE_I64,
     0,
     {0},
     -1,
     0,
     {0},
     0,
     false},
    {"zeros:0x5:u8",
     TILE_ARG_TEXT_FILL,
     TILE_FILL_ZEROS,
     TILE_DTYPE_U8,
     2,
     {0, 5},
     -1,
     0,
     {0},
     0,
     false},
    {"ints:3x4:i32@6",
     TILE_ARG_TEXT_FILL,
     TILE_FILL_INTS,
     TILE_DTYPE_I32,
     2,
     {3, 4},
     -1,
     1,
     {6},
     0,
     false},
    {"ints:3x4:i32:9@6+2",
     TILE_ARG_TEXT_FILL,
     TILE_FILL_INTS,
     TILE_DTYPE_I32,
     2,
     {3, 4},
     9,
     1,
     {6},
     2,
     false},
    {"ints:3x4:i32@1x3",
     TILE_ARG_TEXT_FILL,
     TILE_FILL_INTS,
     TILE_DTYPE_I32,
     2,
     {3, 4},
     -1,
     2,
     {1, 3},
     0,
     false},
    {"ints:3x4:i32@+5",
     TILE_ARG_TEXT_FILL,
     TILE_FILL_INTS,
     TILE_DTYPE_I32,
     2,
     {3, 4},
     -1,
     0,
     {0},
     5,
     false},
    {"mem:ones:4:f32",
     TILE_ARG_TEXT_FILL,
     TILE_FILL_ONES,
     TILE_DTYPE_F32,
     1,
     {4},
     -1,
     0,
     {0},
     0,
     true},
};

static void test_good_tensors(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof good_tensors / sizeof good_tensors[0]; i++) {
    TileArgText arg;
    TileStatus status = tile_arg_text_parse(good_tensors[i].text, &arg);
    if (!tile_status_is_ok(&status))
      fail_msg("%s: %s", good_tensors[i].text, status.message);
    assert_int_equal(arg.kind, good_tensors[i].kind);
    assert_int_equal(arg.fill, good_tensors[i].fill);
    assert_int_equal(arg.dtype, good_tensors[i].dtype);
    assert_int_equal(arg.rank, good_tensors[i].rank);
    for (int d = 0; d < arg.rank; d++)
      assert_int_equal(arg.shape[d], good_tensors[i].shape[d]);
    assert_int_equal(arg.has_seed, good_tensors[i].seed >= 0);
    if (arg.has_seed)
      assert_int_equal(arg.seed, good_tensors[i].seed);
    assert_int_equal(arg.num_strides, good_tensors[i].num_strides);
    for (int d = 0; d < arg.num_strides; d++)
      assert_int_equal(arg.strides[d], good_tensors[i].strides[d]);
    assert_int_equal(arg.offset, good_tensors[i].offset);
    assert_int_equal(arg.is_memory_only, good_tensors[i].is_memory_only);
  }
}

static TileArgText parse(const char *text) {
  TileArgText arg;
  TileStatus status = tile_arg_text_parse(text, &arg);
  if (!tile_status_is_ok(&status))
    fail_msg("%s: %s", text, status.message);
  return arg;
}

static void test_good_other_texts(void **state) {
  (void)state;
  TileArgText npy = parse("dir/a.npy.d/x.npy:bf16@8+1");
  assert_int_equal(npy.kind, TILE_ARG_TEXT_NPY);
  assert_string_equal(npy.path, "dir/a.npy.d/x.npy");
  assert_true(npy.has_dtype && npy.dtype == TILE_DTYPE_BF16);
  assert_int_equal(npy.strides[0], 8);
  assert_int_equal(npy.offset, 1);
  assert_false(parse("x.npy").has_dtype);

  TileArgText same = parse("same:3");
  assert_true(same.kind == TILE_ARG_TEXT_SAME && same.arg == 3);

  TileArgText map = parse("tmap:1,136x300,272,64x128,128");
  assert_int_equal(map.kind, TILE_ARG_TEXT_TENSOR_MAP);
  assert_int_equal(map.arg, 1);
  assert_int_equal(map.map.rank, 2);
  assert_int_equal(map.map.dims[0], 136);
  assert_int_equal(map.map.dims[1], 300);
  assert_int_equal(map.map.strides_bytes[1], 272);
  assert_int_equal(map.map.box[0], 64);
  assert_int_equal(map.map.box[1], 128);
  assert_int_equal(map.map.elem_strides[1], 1);
  assert_int_equal(map.map.swizzle_bytes, 128);
  TileArgText line = parse("tmap:0,1024,,256,0");
  assert_int_equal(line.map.rank, 1);

  static const struct {
    const char *text;
    bool has_dtype, is_integer;
    TileDtype dtype;
    double real;
  } scalars[] = {
      {"42", false, true, 0, 42},
      {"-3", false, true, 0, -3},
      {"0x10", false, true, 0, 16},
      {"1.5", false, false, 0, 1.5},
      {"-2e3", false, false, 0, -2e3},
      {"i32:7", true, true, TILE_DTYPE_I32, 7},
      {"f32:1", true, true, TILE_DTYPE_F32, 1},
  };
  for (size_t i = 0; i < sizeof scalars / sizeof scalars[0]; i++) {
    TileArgText arg = parse(scalars[i].text);
    assert_int_equal(arg.kind, TILE_ARG_TEXT_SCALAR);
    assert_int_equal(arg.has_dtype, scalars[i].has_dtype);
    assert_int_equal(arg.is_integer, scalars[i].is_integer);
    assert_true(arg.real == scalars[i].real);
    if (arg.has_dtype)
      assert_int_equal(arg.dtype, scalars[i].dtype);
  }
  assert_true(isinf(parse("inf").real) && isnan(parse("f32:nan").real));
}

static const struct {
  const char *text, *message; // message NULL: `number` and the text
} bad_texts[] = {
    {"", NULL},
    {"foo", NULL},
    {"int:3:f32", NULL},
    {"1.5x", NULL},
    {" 1", NULL},
    {"ints", NULL},
    {"ints:", "expected a shape and ':' such as 300x136:, got ''"},
    {"ints:3x:f32", "expected a shape such as 300x136, got ':f32'"},
    {"ints:3y4:f32", "expected a shape and ':' such as 300x136:, got 'y4:f32'"},
    {"ints:-3:f32", "expected a shape and ':' such as 300x136:, got '-3:f32'"},
    {"ints:1x1x1x1x1x1x1x1x1:f32",
     "expected a shape such as 300x136, got '1:f32'"},
    {"ints:99999999999999999999:f32",
     "expected a shape such as 300x136, got '99999999999999999999:f32'"},
    {"ints:3", "expected a shape and ':' such as 300x136:, got ''"},
    {"ints:3:", "expected an element type such as bf16, got ''"},
    {"ints:3:bf16bf16bf16bf16bf16",
     "expected an element type such as bf16, got "
     "'bf16bf16bf16bf16bf16'"},
    {"ints:3:bf17", "expected an element type such as bf16, got 'bf17'"},
    {"ints:3:f32:", "expected a seed, got ''"},
    {"ints:3:f32:-1", "expected a seed, got '-1'"},
    {"ints:3:f32x", "expected an element type such as bf16, got 'f32x'"},
    {"ints:3:f32,", "expected nothing more, got ','"},
    {"ints:3:f32@4x", "expected strides such as 144 or 144x1 after '@', "
                      "got ''"},
    {"ints:3:f32@4+", "expected an offset in elements after '+', got ''"},
    {"ints:3:f32@4-1", "expected nothing more, got '-1'"},
    {"ints:3x4x5:f32@4x1", "expected 1 or 3 strides after '@', got 2"},
    {"ints:3:f32+1@4", "expected nothing more, got '+1@4'"},
    {"a.npy:", "expected an element type such as bf16, got ''"},
    {"a.npy:f32:3", "expected nothing more, got ':3'"},
    {"same:", "expected the index of an earlier argument, got ''"},
    {"same:1x", "expected nothing more, got 'x'"},
    {"mem:3", "expected a tensor after 'mem:', got '3'"},
    {"tmap:x", "expected the index of an earlier tensor argument and a ',', "
               "got 'x'"},
    {"tmap:0,", "expected 1 to 5 dimensions and a ',', got ''"},
    {"tmap:0,1x1x1x1x1x1,",
     "expected 1 to 5 dimensions and a ',', got '1x1x1x1x1x1,'"},
    {"tmap:0,8x8,,8x8,0", "expected 1 strides in bytes (none for the "
                          "contiguous dimension) and a ',', got ',8x8,0'"},
    {"tmap:0,8x8,16,8,0", "expected 2 box extents and a ',', got '8,0'"},
    {"tmap:0,8x8,16,8x8", "expected 2 box extents and a ',', got '8x8'"},
    {"tmap:0,8x8,16,8x8,16",
     "expected a swizzle of 0, 32, 64 or 128 bytes, got ''"},
    {"tmap:0,8x8,16,8x8,32,", "expected nothing more, got ','"},
};

static void test_bad_texts(void **state) {
  (void)state;
  static const char number[] = "expected a tensor (ints:300x136:bf16, a.npy, "
                               "…) or a number (42, 1.5, i32:42), got ";
  for (size_t i = 0; i < sizeof bad_texts / sizeof bad_texts[0]; i++) {
    TileArgText arg;
    TileStatus status = tile_arg_text_parse(bad_texts[i].text, &arg);
    char message[300];
    snprintf(message, sizeof message, "%s'%s'", number, bad_texts[i].text);
    assert_int_equal(status.code, TILE_STATUS_USER_ERROR);
    assert_string_equal(status.message,
                        bad_texts[i].message ? bad_texts[i].message : message);
  }
}

static void test_long_file_names(void **state) {
  (void)state;
  char text[700];
  TileArgText arg;
  for (int length = 511; length <= 512; length++) {
    snprintf(text, sizeof text, "%0*d.npy:f32", length - 4, 0);
    TileStatus status = tile_arg_text_parse(text, &arg);
    assert_string_equal(
        status.message,
        length == 511 ? ""
                      : "expected a file name of at most 511 bytes, got 512");
  }
}

//===-- Numbers -----------------------------------------------------------===//

static void test_numbers(void **state) {
  (void)state;
  static const struct {
    const char *text;
    TileDtype dtype;
    double want; // of the number
    const char *message;
  } numbers[] = {
      {"42", TILE_DTYPE_I32, 42, NULL},
      {"4294967295", TILE_DTYPE_I32, -1, NULL},
      {"255", TILE_DTYPE_I8, -1, NULL},
      {"255", TILE_DTYPE_U8, 255, NULL},
      {"18446744073709551614", TILE_DTYPE_U64, -2, NULL}, // the same bits
      {"18446744073709551614", TILE_DTYPE_F64, 18446744073709551614.0, NULL},
      {"0", TILE_DTYPE_I64, 0, NULL},
      {"7", TILE_DTYPE_F16, 7, NULL},
      {"0.1", TILE_DTYPE_F32, 0.1F, NULL},
      {"1", TILE_DTYPE_I1, 1, NULL},
      {"i32:4", TILE_DTYPE_I32, 4, NULL},
      {"256", TILE_DTYPE_I8, 0, "expected an i8 from -128 to 255, got 256"},
      {"-1", TILE_DTYPE_U8, 0, "expected an u8 from 0 to 255, got -1"},
      {"2", TILE_DTYPE_I1, 0, "expected an i1 from 0 to 1, got 2"},
      {"1.5", TILE_DTYPE_INDEX, 0,
       "expected an integer of type index, got 1.5"},
      {"f32:1", TILE_DTYPE_I32, 0, "expected type i32, got f32"},
      {"1", TILE_DTYPE_COMPLEX_F32, 0,
       "expected a number of integers or floats, got complex<f32>"},
  };
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
    TileArgText arg = parse(numbers[i].text);
    TileNumber number = {0};
    TileStatus status =
        tile_arg_text_make_number(&arg, &numbers[i].dtype, &number);
    if (numbers[i].message) {
      assert_string_equal(status.message, numbers[i].message);
      continue;
    }
    assert_string_equal(status.message, "");
    assert_int_equal(number.dtype, numbers[i].dtype);
    double got = tile_dtype_is_float(number.dtype) ? number.real
                                                   : (double)number.integer;
    assert_true(got == numbers[i].want);
  }
  TileArgText untyped = parse("3");
  TileNumber number = {0};
  TileStatus status = tile_arg_text_make_number(&untyped, NULL, &number);
  assert_string_equal(status.message,
                      "expected a type before the number, such as i32:42 or "
                      "f32:1.5, got none");
}

static void test_known_elements(void **state) {
  (void)state;
  static const struct {
    TileDtype dtype;
    double value;
    uint64_t bits;
  } known[] = {
      {TILE_DTYPE_F16, -1.5, 0xBE00},
      {TILE_DTYPE_BF16, -1.5, 0xBFC0},
      {TILE_DTYPE_F32, -1.5, 0xBFC00000},
      {TILE_DTYPE_F64, -1.5, 0xBFF8000000000000},
      {TILE_DTYPE_TF32, -1.5, 0xBFC00000},
      {TILE_DTYPE_F8E4M3FN, -1.5, 0xBC},
      {TILE_DTYPE_F8E5M2, -1.5, 0xBE},
      {TILE_DTYPE_I8, -3, 0xFD},
      {TILE_DTYPE_U8, 253, 0xFD},
      {TILE_DTYPE_I16, -3, 0xFFFD},
      {TILE_DTYPE_I32, -3, 0xFFFFFFFD},
      {TILE_DTYPE_U32, 4294967293, 0xFFFFFFFD},
      {TILE_DTYPE_INDEX, -3, 0xFFFFFFFFFFFFFFFD},
  };
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    uint64_t bits = 0;
    TileNumber number = tile_dtype_load(known[i].dtype, &known[i].bits);
    assert_true((tile_dtype_is_float(known[i].dtype)
                     ? number.real
                     : (double)number.integer) == known[i].value);
    number = (TileNumber){.dtype = TILE_DTYPE_F64, .real = known[i].value};
    tile_dtype_store(known[i].dtype, number, &bits);
    assert_int_equal(bits, known[i].bits);
  }
}

// Every bit pattern of the small types survives reading and writing.
static void test_elements_round_trip(void **state) {
  (void)state;
  for (int dtype = TILE_DTYPE_F16; dtype <= TILE_DTYPE_INDEX; dtype++) {
    TileDtype parsed = TILE_DTYPE_F16;
    assert_true(
        tile_dtype_from_name(tile_dtype_name((TileDtype)dtype), &parsed));
    assert_int_equal(parsed, dtype);
    size_t size_bytes = tile_dtype_size_bytes((TileDtype)dtype);
    for (uint32_t bits = 0; bits < 65536; bits++) {
      uint64_t want = bits * (size_bytes > 2 ? UINT64_C(65537) : 1);
      uint64_t got = 0;
      if (size_bytes < 8)
        want &= (UINT64_C(1) << (8 * size_bytes)) - 1;
      if (dtype == TILE_DTYPE_I1)
        want &= 1;
      if (tile_dtype_pack((TileDtype)dtype) > 1) // 2 of 4 bits, 4 of 6 bits
        want &= tile_dtype_pack((TileDtype)dtype) == 2 ? 15 : 63;
      if (dtype == TILE_DTYPE_TF32)
        want &= ~UINT64_C(0x1FFF);
      TileNumber number = tile_dtype_load((TileDtype)dtype, &want);
      if (tile_dtype_is_float((TileDtype)dtype) && isnan(number.real))
        continue;
      tile_dtype_store((TileDtype)dtype, number, &got);
      assert_int_equal(got, want);
    }
  }
  assert_false(tile_dtype_from_name("f12", &(TileDtype){0}));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_good_tensors),
      cmocka_unit_test(test_good_other_texts),
      cmocka_unit_test(test_bad_texts),
      cmocka_unit_test(test_long_file_names),
      cmocka_unit_test(test_numbers),
      cmocka_unit_test(test_known_elements),
      cmocka_unit_test(test_elements_round_trip),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
