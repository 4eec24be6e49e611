//===- launcher-values-test.c - The value table of launch metadata --------===//
//
// Builds JSON text with one operation, parses and evaluates it, and compares
// with arithmetic on 128 bits.
//
//===----------------------------------------------------------------------===//

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "Launcher/Host/HostFunction.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef __int128 Wide;

enum { TEXT_BYTES = 4096 };

//===-- Helpers -----------------------------------------------------------===//

/// Wraps entries of `values` into a function with a memref and a scalar.
static TileStatus parse_values(const char *values, TileHostFunction **out) {
  char text[TEXT_BYTES];
  snprintf(text, sizeof text,
           "{\"format\": \"tile-host-1\", \"function\": \"f\", \"ptx\": "
           "\"f.ptx\", \"args\": [{\"name\": \"A\", \"kind\": \"memref\", "
           "\"dtype\": \"f32\", \"shape\": [-1, -1], \"strides\": [-1, 1], "
           "\"offset\": 0, \"mutable\": true}, {\"name\": \"n\", \"kind\": "
           "\"scalar\", \"dtype\": \"i32\"}, {\"name\": \"x\", \"kind\": "
           "\"scalar\", \"dtype\": \"f32\"}], \"values\": [%s], "
           "\"launches\": []}",
           values);
  return tile_host_function_parse(text, strlen(text), "f.json", out);
}

static const TileArg args[3] = {
    {.dtype = TILE_DTYPE_F32,
     .rank = 2,
     .shape = {300, 136},
     .strides = {144, 1},
     .address = 0x7F0012345670},
    {.is_scalar = true, .scalar = {TILE_DTYPE_I32, -7, 0}},
    {.is_scalar = true, .scalar = {TILE_DTYPE_F32, 0, 2.5}},
};

/// Evaluates a table and returns its last value.
static ValueResult evaluate(const char *values) {
  TileHostFunction *function = NULL;
  TileStatus status = parse_values(values, &function);
  if (!tile_status_is_ok(&status))
    fail_msg("%s", status.message);
  ValueResult results[16];
  assert_true(function->num_values > 0 && function->num_values <= 16);
  ValueInputs inputs = {.function = function, .args = args, .num_sms = 132};
  tile_host_values_evaluate(&inputs, results);
  ValueResult last = results[function->num_values - 1];
  tile_host_function_destroy(function);
  return last;
}

static ValueResult evaluate_binary(const char *op, const char *extra,
                                   const char *type, const char *result_type,
                                   int64_t a, int64_t b) {
  char values[1024];
  snprintf(values, sizeof values,
           "{\"op\": \"constant\", \"type\": \"%s\", \"value\": \"%lld\"}, "
           "{\"op\": \"constant\", \"type\": \"%s\", \"value\": \"%lld\"}, "
           "{\"op\": \"arith.%s\", \"type\": \"%s\", \"operands\": [0, 1]%s}",
           type, (long long)a, type, (long long)b, op, result_type, extra);
  return evaluate(values);
}

static int64_t wrap(Wide value, int num_bits) {
  Wide modulus = (Wide)1 << num_bits;
  Wide low = (value % modulus + modulus) % modulus;
  return (int64_t)(low >= modulus / 2 ? low - modulus : low);
}

static uint64_t unsigned_of(Wide value, int num_bits) {
  Wide modulus = (Wide)1 << num_bits;
  return (uint64_t)((value % modulus + modulus) % modulus);
}

//===-- Every operation against 128 bits ----------------------------------===//

static Wide floor_of(Wide a, Wide b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

/// Returns false when the operation has no result.
static bool naive_binary(const char *op, Wide a, Wide b, int num_bits,
                         Wide *out) {
  Wide ua = unsigned_of(a, num_bits), ub = unsigned_of(b, num_bits);
  bool is_shift = strncmp(op, "sh", 2) == 0;
  bool is_division = strstr(op, "div") || strncmp(op, "rem", 3) == 0;
  if ((is_division && b == 0) || (is_shift && ub >= num_bits))
    return false;
  if (strcmp(op, "addi") == 0)
    *out = a + b;
  else if (strcmp(op, "subi") == 0)
    *out = a - b;
  else if (strcmp(op, "muli") == 0)
    *out = a * b;
  else if (strcmp(op, "divsi") == 0)
    *out = a / b;
  else if (strcmp(op, "divui") == 0)
    *out = ua / ub;
  else if (strcmp(op, "ceildivsi") == 0)
    *out = -floor_of(-a, b);
  else if (strcmp(op, "ceildivui") == 0)
    *out = (ua + ub - 1) / ub;
  else if (strcmp(op, "floordivsi") == 0)
    *out = floor_of(a, b);
  else if (strcmp(op, "remsi") == 0)
    *out = a - a / b * b;
  else if (strcmp(op, "remui") == 0)
    *out = ua % ub;
  else if (strcmp(op, "minsi") == 0)
    *out = a < b ? a : b;
  else if (strcmp(op, "minui") == 0)
    *out = ua < ub ? ua : ub;
  else if (strcmp(op, "maxsi") == 0)
    *out = a > b ? a : b;
  else if (strcmp(op, "maxui") == 0)
    *out = ua > ub ? ua : ub;
  else if (strcmp(op, "andi") == 0)
    *out = a & b;
  else if (strcmp(op, "ori") == 0)
    *out = a | b;
  else if (strcmp(op, "xori") == 0)
    *out = a ^ b;
  else if (strcmp(op, "shli") == 0)
    *out = ua * ((Wide)1 << ub);
  else if (strcmp(op, "shrsi") == 0)
    *out = floor_of(a, (Wide)1 << ub);
  else
    *out = ua / ((Wide)1 << ub);
  return true;
}

static bool naive_compare(const char *predicate, Wide a, Wide b, int num_bits) {
  if (predicate[0] == 'u') {
    a = unsigned_of(a, num_bits);
    b = unsigned_of(b, num_bits);
  }
  if (strcmp(predicate, "eq") == 0)
    return a == b;
  if (strcmp(predicate, "ne") == 0)
    return a != b;
  switch (predicate[1] << 8 | predicate[2]) {
  case 'l' << 8 | 't':
    return a < b;
  case 'l' << 8 | 'e':
    return a <= b;
  case 'g' << 8 | 't':
    return a > b;
  default:
    return a >= b;
  }
}

static const struct {
  const char *name;
  int num_bits;
} types[] = {{"index", 64}, {"i64", 64}, {"i32", 32}, {"i16", 16}, {"i8", 8}};

enum { NUM_TYPES = sizeof types / sizeof types[0], NUM_SAMPLES = 9 };

/// The interesting numbers of a width.
static void sample(int num_bits, int64_t *out) {
  int64_t max = (int64_t)(UINT64_MAX >> (65 - num_bits));
  const int64_t samples[NUM_SAMPLES] = {0, 1, 2, -1, -2, 7, -7, max, -max - 1};
  memcpy(out, samples, sizeof samples);
}

static void test_binary_operations(void **state) {
  (void)state;
  static const char *const ops[] = {
      "addi",      "subi",      "muli",       "divsi", "divui",
      "ceildivsi", "ceildivui", "floordivsi", "remsi", "remui",
      "minsi",     "minui",     "maxsi",      "maxui", "andi",
      "ori",       "xori",      "shli",       "shrsi", "shrui"};
  for (size_t op = 0; op < sizeof ops / sizeof ops[0]; op++) {
    for (int t = 0; t < NUM_TYPES; t++) {
      int num_bits = types[t].num_bits;
      int64_t samples[NUM_SAMPLES];
      sample(num_bits, samples);
      for (int i = 0; i < NUM_SAMPLES * NUM_SAMPLES; i++) {
        int64_t a = samples[i / NUM_SAMPLES], b = samples[i % NUM_SAMPLES];
        ValueResult got =
            evaluate_binary(ops[op], "", types[t].name, types[t].name, a, b);
        Wide want = 0;
        bool is_defined = naive_binary(ops[op], a, b, num_bits, &want);
        if (got.failed_at != (is_defined ? -1 : 2) ||
            (is_defined && got.bits != unsigned_of(want, num_bits)))
          fail_msg("%s %s %lld, %lld: got 0x%llx, expected %lld", ops[op],
                   types[t].name, (long long)a, (long long)b,
                   (unsigned long long)got.bits,
                   (long long)wrap(want, num_bits));
      }
    }
  }
}

static void test_comparisons(void **state) {
  (void)state;
  static const char *const predicates[] = {"eq",  "ne",  "slt", "sle", "sgt",
                                           "sge", "ult", "ule", "ugt", "uge"};
  for (int p = 0; p < 10; p++) {
    char extra[64];
    snprintf(extra, sizeof extra, ", \"predicate\": \"%s\"", predicates[p]);
    for (int t = 0; t < NUM_TYPES; t++) {
      int64_t samples[NUM_SAMPLES];
      sample(types[t].num_bits, samples);
      for (int i = 0; i < NUM_SAMPLES * NUM_SAMPLES; i++) {
        int64_t a = samples[i / NUM_SAMPLES], b = samples[i % NUM_SAMPLES];
        ValueResult got =
            evaluate_binary("cmpi", extra, types[t].name, "i1", a, b);
        bool want = naive_compare(predicates[p], a, b, types[t].num_bits);
        if (got.bits != want)
          fail_msg("%s %s %lld, %lld: got %d", predicates[p], types[t].name,
                   (long long)a, (long long)b, (int)got.bits);
      }
    }
  }
}

static void test_casts(void **state) {
  (void)state;
  static const struct {
    const char *op, *from, *to;
    int64_t value;
    uint64_t want;
  } casts[] = {
      {"extsi", "i8", "i32", -3, 0xFFFFFFFD},
      {"extui", "i8", "i32", -3, 0xFD},
      {"extsi", "i1", "i16", 1, 0xFFFF},
      {"extui", "i1", "i16", 1, 1},
      {"trunci", "i32", "i8", 0x12345, 0x45},
      {"trunci", "i64", "i1", 6, 0},
      {"index_cast", "i32", "index", -5, UINT64_MAX - 4},
      {"index_cast", "index", "i32", -5, 0xFFFFFFFB},
      {"index_castui", "i32", "index", -5, 0xFFFFFFFB},
  };
  for (size_t i = 0; i < sizeof casts / sizeof casts[0]; i++) {
    char values[512];
    snprintf(values, sizeof values,
             "{\"op\": \"constant\", \"type\": \"%s\", \"value\": %lld}, "
             "{\"op\": \"arith.%s\", \"type\": \"%s\", \"operands\": [0]}",
             casts[i].from, (long long)casts[i].value, casts[i].op,
             casts[i].to);
    assert_int_equal(evaluate(values).bits, casts[i].want);
  }
}

static void test_leaves(void **state) {
  (void)state;
  assert_int_equal(evaluate("{\"op\": \"memref.dim\", \"type\": \"index\", "
                            "\"arg\": 0, \"dim\": 1}")
                       .bits,
                   136);
  assert_int_equal(evaluate("{\"op\": \"memref.stride\", \"type\": \"index\", "
                            "\"arg\": 0, \"dim\": 0}")
                       .bits,
                   144);
  assert_int_equal(evaluate("{\"op\": \"memref.pointer\", \"type\": "
                            "\"index\", \"arg\": 0}")
                       .bits,
                   0x7F0012345670);
  assert_int_equal(
      evaluate("{\"op\": \"tile.num_sms\", \"type\": \"index\"}").bits, 132);
  // Kept in 32 bits: -7 of the argument.
  assert_int_equal(evaluate("{\"op\": \"argument\", \"type\": \"i32\", "
                            "\"arg\": 1}")
                       .bits,
                   0xFFFFFFF9);
  assert_true(evaluate("{\"op\": \"argument\", \"type\": \"f32\", "
                       "\"arg\": 2}")
                  .real == 2.5);
  assert_true(evaluate("{\"op\": \"constant\", \"type\": \"f32\", "
                       "\"value\": 0.1}")
                  .real == 0.1F);
  assert_int_equal(evaluate("{\"op\": \"constant\", \"type\": \"i64\", "
                            "\"value\": \"9223372036854775807\"}")
                       .bits,
                   INT64_MAX);
}

#define CONSTANT(type, value)                                                  \
  "{\"op\": \"constant\", \"type\": \"" type "\", \"value\": " value "}, "

// A division by zero in the branch that is not selected is no error, because
// host code guards divisions with selects.
static void test_failures_travel_and_stop_at_select(void **state) {
  (void)state;
  static const char table[] = CONSTANT("index", "0") CONSTANT("index", "5")
      CONSTANT("i1", "%d") "{\"op\": \"arith.divui\", \"type\": \"index\", "
                           "\"operands\": [1, 0]}, "
                           "{\"op\": \"arith.addi\", \"type\": \"index\", "
                           "\"operands\": [3, 1]}, "
                           "{\"op\": \"arith.select\", \"type\": \"index\", "
                           "\"operands\": [2, 4, 1]}";
  char values[1024];
  snprintf(values, sizeof values, table, 1);
  assert_int_equal(evaluate(values).failed_at, 3);
  snprintf(values, sizeof values, table, 0);
  assert_int_equal(evaluate(values).failed_at, -1);
  assert_int_equal(evaluate(values).bits, 5);
}

//===-- Malformed tables --------------------------------------------------===//

static const struct {
  const char *values, *message;
} malformed_tables[] = {
    {"{\"op\": \"arith.addx\", \"type\": \"f32\"}",
     "f.json: values[0].op: expected an op of docs/Metadata.md, got "
     "\"arith.addx\""},
    {"{\"type\": \"f32\"}", "f.json: values[0].op: expected a text, got "
                            "nothing"},
    {"{\"op\": \"constant\", \"type\": \"i65\", \"value\": 1}",
     "f.json: values[0].type: expected index, i1 to i64, f16, bf16, f32 or "
     "f64, got \"i65\""},
    {"{\"op\": \"constant\", \"type\": \"i8\", \"value\": 128}",
     "f.json: values[0].value: expected an integer from -128 to 127, got "
     "128"},
    {"{\"op\": \"constant\", \"type\": \"i8\", \"value\": 1.5}",
     "f.json: values[0].value: expected an integer from -128 to 127, got "
     "1.5"},
    {"{\"op\": \"constant\", \"type\": \"i64\", \"value\": "
     "1e300}",
     "f.json: values[0].value: expected integers of 2^53 and more to be "
     "written as text, got 1e+300"},
    {"{\"op\": \"constant\", \"type\": \"f32\", \"value\": \"one\"}",
     "f.json: values[0].value: expected a number, \"inf\" or \"nan\", got "
     "\"one\""},
    {"{\"op\": \"memref.dim\", \"type\": \"index\", \"arg\": 0, \"dim\": 2}",
     "f.json: values[0].dim: expected an integer from 0 to 1, got 2"},
    {"{\"op\": \"memref.dim\", \"type\": \"index\", \"arg\": 1, \"dim\": 0}",
     "f.json: values[0].arg: expected the index of a memref, got 1"},
    {"{\"op\": \"argument\", \"type\": \"i32\", \"arg\": 0}",
     "f.json: values[0].arg: expected the index of a scalar, got 0"},
    {"{\"op\": \"argument\", \"type\": \"i32\", \"arg\": 9}",
     "f.json: values[0].arg: expected an integer from 0 to 2, got 9"},
    {"{\"op\": \"argument\", \"type\": \"i64\", \"arg\": 1}",
     "f.json: values[0]: expected the type of the argument, i32, got "
     "{\"op\":\"argument\",\"type\":\"i64\",\"arg\":1}"},
    {"{\"op\": \"tile.num_sms\", \"type\": \"i32\"}",
     "f.json: values[0]: expected type index, got "
     "{\"op\":\"tile.num_sms\",\"type\":\"i32\"}"},
    {CONSTANT("i8", "1") "{\"op\": \"arith.addi\", \"type\": \"i8\", "
                         "\"operands\": [0, 1]}",
     "f.json: values[1].operands[1]: expected an integer from 0 to 0, got "
     "1"},
    {CONSTANT("i8", "1") "{\"op\": \"arith.addi\", \"type\": \"i8\", "
                         "\"operands\": [0]}",
     "f.json: values[1].operands: expected a list of 2, got [0]"},
    {CONSTANT("i8", "1") "{\"op\": \"arith.addi\", \"type\": \"i16\", "
                         "\"operands\": [0, 0]}",
     "f.json: values[1]: expected operands whose types suit arith.addi, got "
     "{\"op\":\"arith.addi\",\"type\":\"i16\",\"operands\":[0,0]}"},
    {CONSTANT("i8", "1") "{\"op\": \"arith.cmpi\", \"type\": \"i1\", "
                         "\"predicate\": \"lt\", \"operands\": [0, 0]}",
     "f.json: values[1].predicate: expected eq, ne, slt, sle, sgt, sge, ult, "
     "ule, ugt or uge, got \"lt\""},
    {CONSTANT("i8", "1") "{\"op\": \"arith.select\", \"type\": \"i8\", "
                         "\"operands\": [0, 0, 0]}",
     "f.json: values[1]: expected operands whose types suit arith.select, "
     "got {\"op\":\"arith.select\",\"type\":\"i8\",\"operands\":[0,0,0]}"},
    {CONSTANT("i8", "1") "{\"op\": \"arith.trunci\", \"type\": \"i8\", "
                         "\"operands\": [0]}",
     "f.json: values[1]: expected operands whose types suit arith.trunci, "
     "got {\"op\":\"arith.trunci\",\"type\":\"i8\",\"operands\":[0]}"},
    {CONSTANT("f32", "1") "{\"op\": \"arith.addi\", \"type\": \"f32\", "
                          "\"operands\": [0, 0]}",
     "f.json: values[1]: expected operands whose types suit arith.addi, got "
     "{\"op\":\"arith.addi\",\"type\":\"f32\",\"operands\":[0,0]}"},
};

static void test_malformed_tables(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof malformed_tables / sizeof malformed_tables[0];
       i++) {
    TileHostFunction *function = NULL;
    TileStatus status = parse_values(malformed_tables[i].values, &function);
    assert_int_equal(status.code, TILE_STATUS_USER_ERROR);
    assert_string_equal(status.message, malformed_tables[i].message);
    assert_null(function);
  }
}

// A double cannot tell 2^53 from its neighbour, so the number may be wrong.
static void test_large_integers(void **state) {
  (void)state;
  static const struct {
    const char *value;
    bool is_good;
  } cases[] = {
      {"9007199254740991", true},
      {"9007199254740992", false},
      {"-9007199254740991", true},
      {"-9007199254740992", false},
      {"\"9007199254740993\"", true},
      {"\"-9223372036854775808\"", true},
      {"\"9223372036854775808\"", false},
      {"\"12x\"", false},
      {"\"\"", false},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    char values[256];
    TileHostFunction *function = NULL;
    snprintf(values, sizeof values,
             "{\"op\": \"constant\", \"type\": \"i64\", \"value\": %s}",
             cases[i].value);
    TileStatus status = parse_values(values, &function);
    assert_int_equal(tile_status_is_ok(&status), cases[i].is_good);
    if (cases[i].is_good) {
      const char *digits = cases[i].value + (*cases[i].value == '"');
      assert_int_equal(evaluate(values).bits, strtoll(digits, NULL, 10));
    }
    tile_host_function_destroy(function);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_binary_operations),
      cmocka_unit_test(test_comparisons),
      cmocka_unit_test(test_casts),
      cmocka_unit_test(test_leaves),
      cmocka_unit_test(test_failures_travel_and_stop_at_select),
      cmocka_unit_test(test_malformed_tables),
      cmocka_unit_test(test_large_integers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
