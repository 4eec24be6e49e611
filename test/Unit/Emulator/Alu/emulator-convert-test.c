//===- emulator-convert-test.c - cvt against exhaustive tables ------------===//
//
// Every 8- and 16-bit number is converted to f32 and back; f32 numbers that
// lie between two of them are compared with a search for the nearest.
//
//===----------------------------------------------------------------------===//

#include "emulator-harness.h"

#include <math.h>

enum { BATCH = 1024 }; // threads of a launch

//===-- One conversion for many numbers -----------------------------------===//

/// out[i] = `text` of in[i], where the text converts a32 to d32 (fa to fd).
static void convert(const char *text, const uint32_t *in, uint32_t *out,
                    size_t count) {
  char ptx[2000];
  snprintf(
      ptx, sizeof ptx,
      HARNESS_HEADER
      ".entry k(.param .u64 in, .param .u64 out, .param .u32 count) {\n"
      ".reg .b64 from, to; .reg .b32 i, t, n, a32, d32; .reg .b16 a16, "
      "d16; .reg .f32 fa, fd; .reg .pred p;\n"
      "ld.param.u64 from, [in]; ld.param.u64 to, [out];\n"
      "ld.param.u32 n, [count]; mov.u32 i, %%tid.x; mov.u32 t, %%ctaid.x;\n"
      "mad.lo.u32 i, t, %d, i; setp.ge.u32 p, i, n; @p exit;\n"
      "mad.wide.u32 from, i, 4, from; mad.wide.u32 to, i, 4, to;\n"
      "ld.global.b32 a32, [from]; mov.b32 fa, a32; cvt.u16.u32 a16, a32;\n"
      "mov.b32 d32, 0; mov.b16 d16, 0; %s\n st.global.b32 [to], d32; }\n",
      BATCH, text);
  HarnessRun run = {.ptx = ptx, .block = BATCH, .num_args = 3};
  run.grid[0] = (uint32_t)((count + BATCH - 1) / BATCH);
  run.args[0].buffer =
      (HarnessBuffer){(void *)(uintptr_t)in, count * sizeof *in, "in"};
  run.args[1].buffer = (HarnessBuffer){out, count * sizeof *out, "out"};
  run.args[2].value = (uint32_t)count;
  harness_run_clean(&run);
}

//===-- Small floats to f32 -----------------------------------------------===//

static uint32_t inputs[0x10000], outputs[0x10000];

static void all_numbers(uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    inputs[i] = i;
}

static void expect_float(uint32_t bits, double expected) {
  float got = harness_f32(bits);
  if (isnan(expected))
    assert_true(isnan(got));
  else
    assert_int_equal(bits, harness_bits((float)expected));
}

static void f32_of_f16(void **state) {
  (void)state;
  all_numbers(0x10000);
  convert("cvt.f32.f16 fd, a16; mov.b32 d32, fd;", inputs, outputs, 0x10000);
  for (uint32_t i = 0; i < 0x10000; i++)
    expect_float(outputs[i], harness_small_float(i, 5, 10));
}

static void f32_of_bf16(void **state) {
  (void)state;
  all_numbers(0x10000);
  convert("cvt.f32.bf16 fd, a16; mov.b32 d32, fd;", inputs, outputs, 0x10000);
  for (uint32_t i = 0; i < 0x10000; i++)
    expect_float(outputs[i], harness_small_float(i, 8, 7));
}

/// e4m3 has no infinity: the largest exponent holds numbers, and one NaN.
static double e4m3(uint32_t bits) {
  if ((bits & 0x7f) == 0x7f)
    return (double)NAN;
  if ((bits & 0x78) == 0x78)
    return (bits & 0x80 ? -1.0 : 1.0) * ldexp(8 + (bits & 7), 5);
  return harness_small_float(bits, 4, 3);
}

static void f16_of_fp8(void **state) {
  (void)state;
  for (int is_e5m2 = 0; is_e5m2 < 2; is_e5m2++) {
    all_numbers(0x10000);
    convert(is_e5m2 ? "cvt.rn.f16x2.e5m2x2 d32, a16;"
                    : "cvt.rn.f16x2.e4m3x2 d32, a16;",
            inputs, outputs, 0x10000);
    for (uint32_t i = 0; i < 0x10000; i++)
      for (int k = 0; k < 2; k++) {
        uint32_t byte = i >> (8 * k) & 0xff;
        float got = harness_f16(outputs[i] >> (16 * k) & 0xffff);
        double expected =
            is_e5m2 ? harness_small_float(byte, 5, 2) : e4m3(byte);
        assert_true(isnan(expected) ? isnan(got) : (double)got == expected);
      }
  }
}

//===-- f32 to small floats -----------------------------------------------===//

/// Numbers at, and just beside, every number of a format and every midpoint.
static size_t numbers_around(double (*value)(uint32_t), uint32_t largest,
                             uint32_t step) {
  size_t count = 0;
  for (uint32_t i = 0; i < largest && count + 12 < 0x10000; i += step) {
    float at = (float)value(i);
    float middle = (float)((value(i) + value(i + 1)) / 2);
    float around[6] = {at,
                       middle,
                       nextafterf(middle, INFINITY),
                       nextafterf(middle, -INFINITY),
                       nextafterf(at, INFINITY),
                       -middle};
    for (int k = 0; k < 6; k++)
      inputs[count++] = harness_bits(around[k]);
  }
  return count;
}

/// Bits of the number of the format nearest to `number`, even of two; numbers
/// beyond `largest` give `overflow`.
static uint32_t nearest(double (*value)(uint32_t), uint32_t largest,
                        uint32_t overflow, double number) {
  double magnitude = fabs(number);
  uint32_t low = 0, high = largest;
  while (low < high) { // the largest number not above `magnitude`
    uint32_t middle = (low + high + 1) / 2;
    if (value(middle) <= magnitude)
      low = middle;
    else
      high = middle - 1;
  }
  if (low == largest) { // half a step further is the limit
    double limit = value(largest) + (value(largest) - value(largest - 1)) / 2;
    return magnitude < limit ? largest : overflow;
  }
  double to_low = magnitude - value(low), to_next = value(low + 1) - magnitude;
  return to_next < to_low || (to_next == to_low && low % 2) ? low + 1 : low;
}

static double value_f16(uint32_t bits) {
  return harness_small_float(bits, 5, 10);
}
static double value_bf16(uint32_t bits) {
  return harness_small_float(bits, 8, 7);
}
static double value_e5m2(uint32_t bits) {
  return harness_small_float(bits, 5, 2);
}

static void f16_of_f32(void **state) {
  (void)state;
  size_t count = numbers_around(value_f16, 0x7bff, 3);
  inputs[count++] = harness_bits(65519.996f);
  inputs[count++] = harness_bits(65520.0f);
  inputs[count++] = harness_bits(INFINITY);
  convert("cvt.rn.f16.f32 d16, fa; cvt.u32.u16 d32, d16;", inputs, outputs,
          count);
  for (size_t i = 0; i < count; i++) {
    double number = (double)harness_f32(inputs[i]);
    uint32_t expected = nearest(value_f16, 0x7bff, 0x7c00, number);
    assert_int_equal(outputs[i], expected | (signbit(number) ? 0x8000 : 0));
  }
}

static void f16_of_f32_rz(void **state) {
  (void)state;
  size_t count = numbers_around(value_f16, 0x7bff, 3);
  inputs[count++] = harness_bits(1e9f);
  convert("cvt.rz.f16.f32 d16, fa; cvt.u32.u16 d32, d16;", inputs, outputs,
          count);
  for (size_t i = 0; i < count; i++) {
    double number = fabs((double)harness_f32(inputs[i]));
    uint32_t got = outputs[i] & 0x7fff;
    assert_true(value_f16(got) <= number);
    assert_true(got == 0x7bff || value_f16(got + 1) > number);
  }
}

static void bf16_of_f32(void **state) {
  (void)state;
  size_t count = numbers_around(value_bf16, 0x7f7f, 3);
  convert("cvt.rn.bf16.f32 d16, fa; cvt.u32.u16 d32, d16;", inputs, outputs,
          count);
  for (size_t i = 0; i < count; i++) {
    double number = (double)harness_f32(inputs[i]);
    uint32_t expected = nearest(value_bf16, 0x7f7f, 0x7f80, number);
    assert_int_equal(outputs[i], expected | (signbit(number) ? 0x8000 : 0));
  }
}

static void bf16x2_of_f32(void **state) {
  (void)state;
  inputs[0] = harness_bits(1.0f);
  inputs[1] = harness_bits(-2.5f);
  convert("cvt.rn.bf16x2.f32 d32, fa, 0f40400000;", inputs, outputs, 2);
  assert_int_equal(outputs[0], 0x3f804040);
  assert_int_equal(outputs[1], 0xc0204040);
  convert("cvt.rn.relu.bf16x2.f32 d32, fa, 0f40400000;", inputs, outputs, 2);
  assert_int_equal(outputs[1], 0x00004040);
}

static void fp8_of_f32(void **state) {
  (void)state;
  for (int is_e5m2 = 0; is_e5m2 < 2; is_e5m2++) {
    double (*value)(uint32_t) = is_e5m2 ? value_e5m2 : e4m3;
    uint32_t largest = is_e5m2 ? 0x7b : 0x7e;
    size_t count = numbers_around(value, largest, 1);
    inputs[count++] = harness_bits(1e9f); // saturates
    convert(is_e5m2 ? "cvt.rn.satfinite.e5m2x2.f32 d16, fa, 0f00000000; "
                      "cvt.u32.u16 d32, d16;"
                    : "cvt.rn.satfinite.e4m3x2.f32 d16, fa, 0f00000000; "
                      "cvt.u32.u16 d32, d16;",
            inputs, outputs, count);
    for (size_t i = 0; i < count; i++) {
      double number = (double)harness_f32(inputs[i]);
      uint32_t expected = nearest(value, largest, largest, number);
      expected |= signbit(number) ? 0x80 : 0;
      assert_int_equal(outputs[i], expected << 8);
    }
  }
}

static void tf32_of_f32(void **state) {
  (void)state;
  uint32_t random = 5;
  for (uint32_t i = 0; i < BATCH; i++)
    inputs[i] = harness_random(&random) & 0xbfffffff; // finite
  convert("cvt.rna.tf32.f32 d32, fa;", inputs, outputs, BATCH);
  for (uint32_t i = 0; i < BATCH; i++) {
    float down = harness_f32(inputs[i] & ~0x1fffu);
    float up = harness_f32((inputs[i] & ~0x1fffu) + 0x2000);
    float number = harness_f32(inputs[i]), got = harness_f32(outputs[i]);
    bool takes_up = fabs((double)up - (double)number) <=
                    fabs((double)number - (double)down);
    assert_int_equal(harness_bits(got), harness_bits(takes_up ? up : down));
  }
}

//===-- Floats and integers -----------------------------------------------===//

static double round_by(char mode, double number) {
  switch (mode) {
  case 'z':
    return trunc(number);
  case 'm':
    return floor(number);
  case 'p':
    return ceil(number);
  default:
    return nearbyint(number);
  }
}

static void integers_of_f32(void **state) {
  (void)state;
  static const float special[] = {NAN,    INFINITY, -INFINITY, 1e20f,
                                  -1e20f, 2.5f,     -2.5f,     3.5f,
                                  -0.4f,  127.6f,   -129.0f};
  enum { NUM_SPECIAL = sizeof special / sizeof special[0] };
  uint32_t random = 11;
  for (uint32_t i = 0; i < BATCH; i++)
    inputs[i] = i < NUM_SPECIAL
                    ? harness_bits(special[i])
                    : harness_bits((float)(int32_t)harness_random(&random) /
                                   (float)(1u << (i % 32)));
  for (const char *mode = "izmp"; *mode; mode++) {
    char text[80];
    snprintf(text, sizeof text, "cvt.r%si.s32.f32 d32, fa;",
             *mode == 'i' ? "n" : (char[]){*mode, 0});
    convert(text, inputs, outputs, BATCH);
    for (uint32_t i = 0; i < BATCH; i++) {
      double number = round_by(*mode, (double)harness_f32(inputs[i]));
      int32_t expected = isnan(number)        ? 0
                         : number > INT32_MAX ? INT32_MAX
                         : number < INT32_MIN ? INT32_MIN
                                              : (int32_t)number;
      assert_int_equal((int32_t)outputs[i], expected);
    }
  }
  convert("cvt.rzi.u8.f32 d32, fa;", inputs, outputs, NUM_SPECIAL);
  assert_int_equal(outputs[3], 255);
  assert_int_equal(outputs[4], 0);
  assert_int_equal(outputs[9], 127);
}

static void f32_of_integers(void **state) {
  (void)state;
  uint32_t random = 3;
  for (uint32_t i = 0; i < BATCH; i++)
    inputs[i] = harness_random(&random);
  convert("cvt.rn.f32.s32 fd, a32; mov.b32 d32, fd;", inputs, outputs, BATCH);
  for (uint32_t i = 0; i < BATCH; i++)
    assert_int_equal(outputs[i], harness_bits((float)(int32_t)inputs[i]));
  convert("cvt.rz.f32.u32 fd, a32; mov.b32 d32, fd;", inputs, outputs, BATCH);
  for (uint32_t i = 0; i < BATCH; i++) {
    float got = harness_f32(outputs[i]);
    assert_true((double)got <= (double)inputs[i]);
    assert_true((double)nextafterf(got, INFINITY) > (double)inputs[i]);
  }
}

static void f32_to_integral_f32(void **state) {
  (void)state;
  static const float numbers[] = {2.5f, -2.5f, 3.5f, 0.49999997f, -7.1f};
  for (uint32_t i = 0; i < 5; i++)
    inputs[i] = harness_bits(numbers[i]);
  convert("cvt.rni.f32.f32 fd, fa; mov.b32 d32, fd;", inputs, outputs, 5);
  for (uint32_t i = 0; i < 5; i++)
    assert_int_equal(outputs[i], harness_bits(nearbyintf(numbers[i])));
  convert("cvt.rmi.f32.f32 fd, fa; mov.b32 d32, fd;", inputs, outputs, 5);
  for (uint32_t i = 0; i < 5; i++)
    assert_int_equal(outputs[i], harness_bits(floorf(numbers[i])));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(f32_of_f16),      cmocka_unit_test(f32_of_bf16),
    cmocka_unit_test(f16_of_fp8),      cmocka_unit_test(f16_of_f32),
    cmocka_unit_test(f16_of_f32_rz),   cmocka_unit_test(bf16_of_f32),
    cmocka_unit_test(bf16x2_of_f32),   cmocka_unit_test(fp8_of_f32),
    cmocka_unit_test(tf32_of_f32),     cmocka_unit_test(integers_of_f32),
    cmocka_unit_test(f32_of_integers), cmocka_unit_test(f32_to_integral_f32),
};

int main(void) { return cmocka_run_group_tests(tests, NULL, NULL); }
