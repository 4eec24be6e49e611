//===- HostValuesRead.c - The table of values, from JSON ------------------===//
//
// Checks form and types, so that evaluation can fail only by division by zero
// or a shift too far.
//
//===----------------------------------------------------------------------===//

#include "Launcher/Host/HostFunction.h"
#include "Support/DtypeTable.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_VALUES = 16384 };

#define INFO(name, spelling, kind)                                             \
  [VALUE_##name] = {spelling, TILE_HOST_##kind},
const ValueOpInfo tile_value_ops[VALUE_NUM_OPS] = {TILE_HOST_VALUE_OPS(INFO)};
#undef INFO

static const char *const cmpi_predicates[] = {TILE_HOST_CMPI_PREDICATES, NULL};
static const char *const cmpf_predicates[] = {TILE_HOST_CMPF_PREDICATES, NULL};

//===-- Types -------------------------------------------------------------===//

static bool is_int_of(ValueType type, int num_bits) {
  return !type.is_float && type.num_bits == num_bits;
}

static bool parse_type(const char *name, ValueType *out_type) {
  *out_type = (ValueType){.num_bits = 64};
  if (strcmp(name, "index") == 0)
    return true;
  if (name[0] == 'i') {
    char *end = NULL;
    long num_bits = strtol(name + 1, &end, 10);
    out_type->num_bits = (int)num_bits;
    return name[1] >= '1' && name[1] <= '9' && *end == 0 && num_bits <= 64;
  }
  out_type->is_float = true;
  return tile_dtype_from_name(name, &out_type->format) &&
         tile_dtype_info(out_type->format)->is_of_hosts;
}

static ValueType type_of_dtype(TileDtype dtype) {
  ValueType type = {.is_float = tile_dtype_is_float(dtype), .format = dtype};
  if (!type.is_float)
    type.num_bits = tile_dtype_info(dtype)->bits;
  return type;
}

//===-- Fields of an entry ------------------------------------------------===//

static bool read_float_constant(JsonReader *reader, const JsonNode *node,
                                Value *value) {
  double number = 0;
  if (cJSON_IsNumber(node->json)) {
    number = node->json->valuedouble;
  } else {
    char *end = NULL;
    const char *text =
        cJSON_IsString(node->json) ? node->json->valuestring : "";
    number = strtod(text, &end); // knows inf and nan, which JSON lacks
    if (end == text || *end)
      return tile_json_fail(reader, node, "a number, \"inf\" or \"nan\"");
  }
  TileNumber real = {.dtype = TILE_DTYPE_F64, .real = number};
  unsigned char bytes[8];
  tile_dtype_store(value->type.format, real, bytes);
  value->real = tile_dtype_load(value->type.format, bytes).real;
  return true;
}

static bool read_constant(JsonReader *reader, const JsonNode *node,
                          Value *value) {
  JsonNode field = tile_json_field(node, "value");
  if (value->type.is_float)
    return read_float_constant(reader, &field, value);
  int64_t max = INT64_MAX;
  if (value->type.num_bits < 64)
    max = (INT64_C(1) << (value->type.num_bits - 1)) - 1;
  // As an i1, true is -1; people write 1.
  return tile_json_int(reader, &field, -max - 1,
                       value->type.num_bits == 1 ? 1 : max, &value->integer);
}

/// Reads `arg`, which must be a scalar or a memref.
static bool read_arg(JsonReader *reader, const JsonNode *node, bool is_scalar,
                     Value *value) {
  const TileHostFunction *function = reader->function;
  JsonNode field = tile_json_field(node, "arg");
  if (!tile_json_small_int(reader, &field, 0, function->num_params - 1,
                           &value->arg))
    return false;
  if (function->params[value->arg].is_scalar != is_scalar)
    return tile_json_fail(reader, &field, "the index of a %s",
                          is_scalar ? "scalar" : "memref");
  return true;
}

static bool read_dim(JsonReader *reader, const JsonNode *node, Value *value) {
  if (!read_arg(reader, node, false, value))
    return false;
  JsonNode field = tile_json_field(node, "dim");
  int rank = reader->function->params[value->arg].rank;
  return tile_json_small_int(reader, &field, 0, rank - 1, &value->dim);
}

static bool read_operands(JsonReader *reader, const JsonNode *node, int index,
                          int count, Value *value) {
  JsonNode list = tile_json_field(node, "operands");
  int length = 0;
  if (!tile_json_array(reader, &list, count, count, &length))
    return false;
  for (int i = 0; i < count; i++) {
    JsonNode item = tile_json_item(&list, i);
    if (!tile_json_small_int(reader, &item, 0, index - 1, &value->operands[i]))
      return false;
  }
  return true;
}

static bool read_predicate(JsonReader *reader, const JsonNode *node,
                           Value *value) {
  JsonNode field = tile_json_field(node, "predicate");
  bool is_float = value->op == VALUE_CMPF;
  const char *const *names = is_float ? cmpf_predicates : cmpi_predicates;
  const char *name = NULL;
  if (!tile_json_string(reader, &field, &name))
    return false;
  for (int i = 0; names[i]; i++) {
    if (strcmp(name, names[i]) == 0) {
      value->predicate = i;
      return true;
    }
  }
  return tile_json_fail(reader, &field, "%s",
                        is_float ? "a predicate of arith.cmpf, such as olt"
                                 : "eq, ne, slt, sle, sgt, sge, ult, ule, ugt "
                                   "or uge");
}

//===-- Rules of an entry -------------------------------------------------===//

int tile_value_num_operands(ValueOp op) {
  switch (tile_value_ops[op].kind) {
  case TILE_HOST_LEAF:
    return 0;
  case TILE_HOST_INT_BINARY:
  case TILE_HOST_CMPI:
  case TILE_HOST_FLOAT_BINARY:
  case TILE_HOST_CMPF:
    return 2;
  case TILE_HOST_SELECT:
  case TILE_HOST_FLOAT_FMA:
    return 3;
  default:
    return 1;
  }
}

static bool read_leaf(JsonReader *reader, const JsonNode *node, Value *value) {
  if (value->op == VALUE_CONSTANT)
    return read_constant(reader, node, value);
  if (value->op == VALUE_ARGUMENT) {
    if (!read_arg(reader, node, true, value))
      return false;
    TileDtype dtype = reader->function->params[value->arg].dtype;
    if (!tile_value_types_equal(value->type, type_of_dtype(dtype)))
      return tile_json_fail(reader, node, "the type of the argument, %s",
                            tile_dtype_name(dtype));
    return true;
  }
  if (value->op == VALUE_VARIABLE)
    return true;
  if (!is_int_of(value->type, 64))
    return tile_json_fail(reader, node, "type index");
  if (value->op == VALUE_NUM_SMS)
    return true;
  if (value->op == VALUE_GLOBAL) {
    JsonNode field = tile_json_field(node, "global");
    return tile_json_small_int(reader, &field, 0,
                               reader->function->num_globals - 1, &value->arg);
  }
  if (value->op == VALUE_POINTER)
    return read_arg(reader, node, false, value);
  return read_dim(reader, node, value);
}

/// Casts: the only operand must have the width that the op asks for.
static bool is_cast_valid(ValueOp op, ValueType from, ValueType to) {
  if (from.is_float || to.is_float)
    return false;
  if (op == VALUE_TRUNCI)
    return from.num_bits > to.num_bits;
  if (op == VALUE_INDEX_CAST || op == VALUE_INDEX_CASTUI)
    return from.num_bits == 64 || to.num_bits == 64;
  return from.num_bits < to.num_bits;
}

static bool are_types_valid(const Value *values, const Value *value) {
  ValueType own = value->type;
  ValueType first = values[value->operands[0]].type;
  ValueType second = values[value->operands[1]].type;
  ValueType third = values[value->operands[2]].type;
  bool is_first = tile_value_types_equal(first, own);
  bool is_second = tile_value_types_equal(second, own);
  switch (tile_value_ops[value->op].kind) {
  case TILE_HOST_INT_BINARY:
    return !own.is_float && is_first && is_second;
  case TILE_HOST_CMPI:
    return is_int_of(own, 1) && !first.is_float &&
           tile_value_types_equal(first, second);
  case TILE_HOST_CMPF:
    return is_int_of(own, 1) && first.is_float &&
           tile_value_types_equal(first, second);
  case TILE_HOST_SELECT:
    return is_int_of(first, 1) && is_second &&
           tile_value_types_equal(third, own);
  case TILE_HOST_INT_CAST:
    return is_cast_valid(value->op, first, own);
  case TILE_HOST_INT_UNARY:
    return !own.is_float && is_first;
  case TILE_HOST_FLOAT_UNARY:
    return own.is_float && is_first;
  case TILE_HOST_FLOAT_BINARY:
    return own.is_float && is_first && is_second;
  case TILE_HOST_FLOAT_FMA:
    return own.is_float && is_first && is_second &&
           tile_value_types_equal(third, own);
  case TILE_HOST_FLOAT_CAST:
    return own.is_float && first.is_float;
  case TILE_HOST_TO_FLOAT:
    return own.is_float && !first.is_float;
  default:
    return !own.is_float && first.is_float;
  }
}

static bool read_op(JsonReader *reader, const JsonNode *node, Value *value) {
  JsonNode field = tile_json_field(node, "op");
  const char *name = NULL;
  if (!tile_json_string(reader, &field, &name))
    return false;
  for (int i = 0; i < VALUE_NUM_OPS; i++) {
    if (strcmp(name, tile_value_ops[i].name) == 0) {
      value->op = (ValueOp)i;
      return true;
    }
  }
  return tile_json_fail(reader, &field, "an op of docs/Metadata.md");
}

static bool read_value(JsonReader *reader, const JsonNode *node, int index) {
  Value *value = &reader->function->values[index];
  if (!read_op(reader, node, value))
    return false;
  JsonNode type = tile_json_field(node, "type");
  const char *type_name = NULL;
  if (!tile_json_string(reader, &type, &type_name))
    return false;
  if (!parse_type(type_name, &value->type))
    return tile_json_fail(reader, &type,
                          "index, i1 to i64, f16, bf16, f32 or f64");
  int count = tile_value_num_operands(value->op);
  if (count == 0)
    return read_leaf(reader, node, value);
  if (!read_operands(reader, node, index, count, value))
    return false;
  if ((value->op == VALUE_CMPI || value->op == VALUE_CMPF) &&
      !read_predicate(reader, node, value))
    return false;
  if (!are_types_valid(reader->function->values, value))
    return tile_json_fail(reader, node, "operands whose types suit %s",
                          tile_value_ops[value->op].name);
  return true;
}

//===-- Uses
//----------------------------------------------------------------===//

bool tile_host_value_use_read(JsonReader *reader, const JsonNode *node,
                              int *out_value) {
  const TileHostFunction *function = reader->function;
  if (!tile_json_small_int(reader, node, 0, function->num_values - 1,
                           out_value))
    return false;
  if (function->values[*out_value].type.is_float)
    return tile_json_fail(reader, node, "the index of an integer value");
  return true;
}

//===-- Entry -------------------------------------------------------------===//

bool tile_host_values_read(JsonReader *reader, const JsonNode *array) {
  TileHostFunction *function = reader->function;
  int count = 0;
  if (!tile_json_array(reader, array, 0, MAX_VALUES, &count))
    return false;
  function->values = calloc((size_t)count + 1, sizeof *function->values);
  if (!function->values)
    return tile_json_fail(reader, array, "a table that fits in memory");
  function->num_values = count;
  for (int i = 0; i < count; i++) {
    JsonNode item = tile_json_item(array, i);
    if (!read_value(reader, &item, i))
      return false;
  }
  return true;
}
