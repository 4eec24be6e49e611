//===- HostProgramRead.c - The program of a host function, from JSON ------===//
//
// Consumes: `globals`, `body` and `results` of docs/Metadata.md.
// Produces: ops in which every number of a value, launch or workspace is valid
//           and has the type that the op asks for.
// Fails:    the first thing that is missing or wrong, with its path.
//
//===----------------------------------------------------------------------===//

#include "Launcher/Host/HostFunction.h"
#include "Launcher/LauncherInternal.h"

#include <stdlib.h>
#include <string.h>

enum {
  MAX_OPS = 1 << 16,   // of one block
  MAX_NESTED = 64,     // blocks
  MAX_NUMBERS = 4096,  // that an op sets
  MAX_GLOBALS = 65536, // by number
  MAX_RESULTS = 256
};

static bool read_block(JsonReader *reader, const JsonNode *array, int depth,
                       HostBlock *block);

//===-- Fields ------------------------------------------------------------===//

static bool read_use(JsonReader *reader, const JsonNode *object,
                     const char *key, int *out_value) {
  JsonNode field = tile_json_field(object, key);
  return tile_host_value_use_read(reader, &field, out_value);
}

/// A list of values of any type; a missing one is empty.
static bool read_list(JsonReader *reader, const JsonNode *object,
                      const char *key, ValueList *list) {
  JsonNode array = tile_json_field(object, key);
  int count = 0;
  if (!array.json)
    return true;
  if (!tile_json_array(reader, &array, 0, MAX_NUMBERS, &count))
    return false;
  list->items = tile_json_allocate(reader, &array, count, sizeof *list->items);
  if (!list->items)
    return false;
  list->count = count;
  for (int i = 0; i < count; i++) {
    JsonNode item = tile_json_item(&array, i);
    if (!tile_json_small_int(reader, &item, 0, reader->function->num_values - 1,
                             &list->items[i]))
      return false;
  }
  return true;
}

/// As many integers as a memref has dimensions.
static bool read_dims(JsonReader *reader, const JsonNode *object,
                      const char *key, int rank, int *out_values) {
  JsonNode array = tile_json_field(object, key);
  if (!tile_json_array(reader, &array, rank, rank, &rank))
    return false;
  for (int i = 0; i < rank; i++) {
    JsonNode item = tile_json_item(&array, i);
    if (!tile_host_value_use_read(reader, &item, &out_values[i]))
      return false;
  }
  return true;
}

static bool read_shape(JsonReader *reader, const JsonNode *node, HostOp *op) {
  JsonNode dtype = tile_json_field(node, "dtype");
  JsonNode shape = tile_json_field(node, "shape");
  return tile_json_dtype(reader, &dtype, &op->dtype) &&
         tile_json_array(reader, &shape, 0, TILE_LAUNCH_MAX_RANK, &op->rank) &&
         read_dims(reader, node, "shape", op->rank, op->shape);
}

static bool read_side(JsonReader *reader, const JsonNode *node, const char *key,
                      int rank, int *out_address, int *out_strides) {
  JsonNode side = tile_json_field(node, key);
  return read_use(reader, &side, "address", out_address) &&
         read_dims(reader, &side, "strides", rank, out_strides);
}

/// Values that the op sets are variables of the types of what they are set to.
static bool check_sets(JsonReader *reader, const JsonNode *node,
                       const char *key, const ValueList *variables,
                       const ValueList *sources) {
  const Value *values = reader->function->values;
  JsonNode list = tile_json_field(node, key);
  if (variables->count != sources->count)
    return tile_json_fail(reader, &list, "a list of %d", variables->count);
  for (int i = 0; i < variables->count; i++) {
    const Value *to = &values[variables->items[i]];
    const Value *from = &values[sources->items[i]];
    JsonNode item = tile_json_item(&list, i);
    if (to->op != VALUE_VARIABLE ||
        !tile_value_types_equal(to->type, from->type))
      return tile_json_fail(reader, &item,
                            "the index of a value of the type of the variable");
  }
  return true;
}

//===-- What depends on variables -----------------------------------------===//

static bool depends(const Value *value, const bool *is_changed) {
  for (int i = 0; i < tile_value_num_operands(value->op); i++)
    if (is_changed[value->operands[i]])
      return true;
  return false;
}

/// Lists the values that are computed of the variables, in order. `single` is
/// one more of them; -1: none.
static bool find_dependents(JsonReader *reader, const JsonNode *node,
                            const ValueList *variables, int single,
                            ValueList *out) {
  const TileHostFunction *function = reader->function;
  bool *is_changed = tile_json_allocate(reader, node, function->num_values,
                                        sizeof *is_changed);
  out->items = tile_json_allocate(reader, node, function->num_values,
                                  sizeof *out->items);
  if (!is_changed || !out->items) {
    free(is_changed);
    return false;
  }
  for (int i = 0; i < variables->count; i++)
    is_changed[variables->items[i]] = true;
  if (single >= 0)
    is_changed[single] = true;
  for (int i = 0; i < function->num_values; i++)
    if (depends(&function->values[i], is_changed)) {
      is_changed[i] = true;
      out->items[out->count++] = i;
    }
  free(is_changed);
  int *fitting =
      realloc(out->items, ((size_t)out->count + 1) * sizeof *fitting);
  out->items = fitting ? fitting : out->items;
  return true;
}

static bool add_carriers(JsonReader *reader, const JsonNode *node,
                         const ValueList *variables) {
  ValueList *all = &reader->function->carriers;
  size_t count = (size_t)all->count + (size_t)variables->count;
  int *grown = realloc(all->items, (count + 1) * sizeof *grown);
  if (!grown)
    return tile_json_fail(reader, node, "a list that fits in memory");
  all->items = grown;
  for (int i = 0; i < variables->count; i++)
    all->items[all->count++] = variables->items[i];
  return true;
}

//===-- Ops ---------------------------------------------------------------===//

static bool read_launch(JsonReader *reader, const JsonNode *node, HostOp *op) {
  JsonNode launch = tile_json_field(node, "launch");
  return tile_json_small_int(reader, &launch, 0,
                             reader->function->num_launches - 1, &op->launch);
}

static bool read_alloc(JsonReader *reader, const JsonNode *node, HostOp *op) {
  enum { MAX_ALIGN_LOG2 = 20 };
  TileHostFunction *function = reader->function;
  JsonNode number = tile_json_field(node, "alloc");
  JsonNode align = tile_json_field(node, "align_bytes");
  JsonNode returned = tile_json_field(node, "returned");
  JsonNode address = tile_json_field(node, "address");
  int next = function->num_allocs;
  op->align_bytes = 1;
  if (!tile_json_small_int(reader, &number, next, next, &op->alloc) ||
      !read_use(reader, node, "address", &op->address) ||
      !read_shape(reader, node, op) ||
      !read_dims(reader, node, "strides", op->rank, op->to_strides) ||
      !read_use(reader, node, "offset", &op->offset) ||
      (align.json &&
       !tile_json_int(reader, &align, 1, INT64_C(1) << MAX_ALIGN_LOG2,
                      &op->align_bytes)) ||
      (returned.json && !tile_json_bool(reader, &returned, &op->is_returned)))
    return false;
  if (op->align_bytes & (op->align_bytes - 1))
    return tile_json_fail(reader, &align, "a power of two");
  if (function->values[op->address].op != VALUE_VARIABLE)
    return tile_json_fail(reader, &address, "the index of a variable");
  function->num_allocs++;
  ValueList none = {NULL, 0};
  return find_dependents(reader, node, &none, op->address, &op->dependents);
}

static bool read_release(JsonReader *reader, const JsonNode *node, HostOp *op) {
  JsonNode number = tile_json_field(node, "alloc");
  return tile_json_small_int(reader, &number, 0,
                             reader->function->num_allocs - 1, &op->alloc);
}

static bool read_fill(JsonReader *reader, const JsonNode *node, HostOp *op) {
  JsonNode value = tile_json_field(node, "value");
  const Value *values = reader->function->values;
  if (!tile_json_small_int(reader, &value, 0, reader->function->num_values - 1,
                           &op->value) ||
      !read_shape(reader, node, op) ||
      !read_side(reader, node, "to", op->rank, &op->to, op->to_strides))
    return false;
  if (tile_dtype_is_complex(op->dtype) ||
      values[op->value].type.is_float != tile_dtype_is_float(op->dtype))
    return tile_json_fail(reader, &value, "the index of a value of type %s",
                          tile_dtype_name(op->dtype));
  return true;
}

static bool read_for(JsonReader *reader, const JsonNode *node, int depth,
                     HostOp *op) {
  JsonNode body = tile_json_field(node, "body");
  JsonNode is_unsigned = tile_json_field(node, "unsigned");
  JsonNode index = tile_json_field(node, "index");
  const Value *values = reader->function->values;
  if (!read_use(reader, node, "lower", &op->lower) ||
      !read_use(reader, node, "upper", &op->upper) ||
      !read_use(reader, node, "step", &op->step) ||
      !read_use(reader, node, "index", &op->index) ||
      (is_unsigned.json &&
       !tile_json_bool(reader, &is_unsigned, &op->is_unsigned)) ||
      !read_list(reader, node, "initial", &op->initial) ||
      !read_list(reader, node, "carried", &op->carried) ||
      !read_list(reader, node, "next", &op->next) ||
      !check_sets(reader, node, "initial", &op->carried, &op->initial) ||
      !check_sets(reader, node, "next", &op->carried, &op->next))
    return false;
  ValueType type = values[op->index].type;
  if (values[op->index].op != VALUE_VARIABLE ||
      !tile_value_types_equal(type, values[op->lower].type) ||
      !tile_value_types_equal(type, values[op->upper].type) ||
      !tile_value_types_equal(type, values[op->step].type))
    return tile_json_fail(reader, &index,
                          "the index of a variable of the type of the bounds");
  op->first_alloc = reader->function->num_allocs;
  if (!read_block(reader, &body, depth + 1, &op->body))
    return false;
  op->end_alloc = reader->function->num_allocs;
  return add_carriers(reader, node, &op->carried) &&
         find_dependents(reader, node, &op->carried, op->index,
                         &op->dependents);
}

static bool check_condition(JsonReader *reader, const JsonNode *node,
                            const HostOp *op) {
  JsonNode condition = tile_json_field(node, "condition");
  return reader->function->values[op->value].type.num_bits == 1 ||
         tile_json_fail(reader, &condition, "the index of an i1 value");
}

static bool read_if(JsonReader *reader, const JsonNode *node, int depth,
                    HostOp *op) {
  JsonNode then = tile_json_field(node, "then");
  JsonNode otherwise = tile_json_field(node, "else");
  if (!read_use(reader, node, "condition", &op->value) ||
      !read_block(reader, &then, depth + 1, &op->body) ||
      (otherwise.json &&
       !read_block(reader, &otherwise, depth + 1, &op->otherwise)) ||
      !read_list(reader, node, "results", &op->results) ||
      !read_list(reader, node, "then_values", &op->then_values) ||
      !read_list(reader, node, "else_values", &op->else_values) ||
      !check_sets(reader, node, "then_values", &op->results,
                  &op->then_values) ||
      !check_sets(reader, node, "else_values", &op->results, &op->else_values))
    return false;
  if (!check_condition(reader, node, op))
    return false;
  return add_carriers(reader, node, &op->results) &&
         find_dependents(reader, node, &op->results, -1, &op->dependents);
}

// `initial`, `carried`: before `before`; `handed_on`, `results`: before `body`.
static bool read_while_lists(JsonReader *reader, const JsonNode *node,
                             HostOp *op) {
  return read_list(reader, node, "initial", &op->initial) &&
         read_list(reader, node, "carried", &op->carried) &&
         read_list(reader, node, "next", &op->next) &&
         read_list(reader, node, "handed_on", &op->then_values) &&
         read_list(reader, node, "results", &op->results) &&
         check_sets(reader, node, "initial", &op->carried, &op->initial) &&
         check_sets(reader, node, "next", &op->carried, &op->next) &&
         check_sets(reader, node, "handed_on", &op->results, &op->then_values);
}

static bool read_while(JsonReader *reader, const JsonNode *node, int depth,
                       HostOp *op) {
  JsonNode before = tile_json_field(node, "before");
  JsonNode body = tile_json_field(node, "body");
  if (!read_use(reader, node, "condition", &op->value) ||
      !read_while_lists(reader, node, op))
    return false;
  if (!check_condition(reader, node, op))
    return false;
  op->first_alloc = reader->function->num_allocs;
  if (!read_block(reader, &before, depth + 1, &op->otherwise) ||
      !read_block(reader, &body, depth + 1, &op->body))
    return false;
  op->end_alloc = reader->function->num_allocs;
  return add_carriers(reader, node, &op->carried) &&
         add_carriers(reader, node, &op->results) &&
         find_dependents(reader, node, &op->carried, -1, &op->dependents) &&
         find_dependents(reader, node, &op->results, -1,
                         &op->results_dependents);
}

static bool read_load(JsonReader *reader, const JsonNode *node, HostOp *op) {
  JsonNode dtype = tile_json_field(node, "dtype");
  JsonNode result = tile_json_field(node, "result");
  const Value *values = reader->function->values;
  if (!read_use(reader, node, "address", &op->address) ||
      !tile_json_number_dtype(reader, &dtype, &op->dtype) ||
      !tile_json_small_int(reader, &result, 0, reader->function->num_values - 1,
                           &op->result))
    return false;
  if (values[op->result].op != VALUE_VARIABLE ||
      values[op->result].type.is_float != tile_dtype_is_float(op->dtype))
    return tile_json_fail(reader, &result, "the index of a variable of type %s",
                          tile_dtype_name(op->dtype));
  reader->function->has_load = true;
  ValueList none = {NULL, 0};
  return find_dependents(reader, node, &none, op->result, &op->dependents);
}

static const struct {
  const char *name;
  HostOpKind kind;
} op_names[] = {{"launch", HOST_LAUNCH},
                {"require", HOST_REQUIRE},
                {"alloc", HOST_ALLOC},
                {"free", HOST_FREE},
                {"release", HOST_RELEASE},
                {"copy", HOST_COPY},
                {"fill", HOST_FILL},
                {"load", HOST_LOAD},
                {"for", HOST_FOR},
                {"while", HOST_WHILE},
                {"if", HOST_IF}};

static bool read_kind(JsonReader *reader, const JsonNode *node, HostOp *op) {
  JsonNode field = tile_json_field(node, "op");
  JsonNode where = tile_json_field(node, "where");
  const char *name = NULL;
  op->where = "";
  if (!tile_json_string(reader, &field, &name) ||
      (where.json && !tile_json_string(reader, &where, &op->where)))
    return false;
  for (size_t i = 0; i < sizeof op_names / sizeof *op_names; i++) {
    if (strcmp(name, op_names[i].name) == 0) {
      op->kind = op_names[i].kind;
      return true;
    }
  }
  return tile_json_fail(reader, &field,
                        "launch, require, alloc, free, release, copy, fill, "
                        "load, for, while or if");
}

static bool read_op(JsonReader *reader, const JsonNode *node, int depth,
                    HostOp *op) {
  if (!read_kind(reader, node, op))
    return false;
  switch (op->kind) {
  case HOST_LAUNCH:
    return read_launch(reader, node, op);
  case HOST_REQUIRE:
    return tile_host_requirement_read(reader, node, &op->requirement);
  case HOST_ALLOC:
    return read_alloc(reader, node, op);
  case HOST_FREE:
    return read_use(reader, node, "address", &op->address);
  case HOST_RELEASE:
    return read_release(reader, node, op);
  case HOST_COPY:
    return read_shape(reader, node, op) &&
           read_side(reader, node, "from", op->rank, &op->from,
                     op->from_strides) &&
           read_side(reader, node, "to", op->rank, &op->to, op->to_strides);
  case HOST_FILL:
    return read_fill(reader, node, op);
  case HOST_LOAD:
    return read_load(reader, node, op);
  case HOST_FOR:
    return read_for(reader, node, depth, op);
  case HOST_WHILE:
    return read_while(reader, node, depth, op);
  default:
    return read_if(reader, node, depth, op);
  }
}

static bool read_block(JsonReader *reader, const JsonNode *array, int depth,
                       HostBlock *block) {
  int count = 0;
  if (depth > MAX_NESTED)
    return tile_json_fail(reader, array, "at most %d blocks in one another",
                          MAX_NESTED);
  if (!tile_json_array(reader, array, 0, MAX_OPS, &count))
    return false;
  block->items = tile_json_allocate(reader, array, count, sizeof *block->items);
  if (!block->items)
    return false;
  block->count = count;
  for (int i = 0; i < count; i++) {
    JsonNode item = tile_json_item(array, i);
    if (!read_op(reader, &item, depth, &block->items[i]))
      return false;
  }
  return true;
}

//===-- Globals and results -----------------------------------------------===//

static bool read_global(JsonReader *reader, const JsonNode *node,
                        HostGlobal *global) {
  enum { MAX_ALIGN_LOG2 = 20 };
  static const int64_t max_elems = INT64_C(1) << 40;
  JsonNode name = tile_json_field(node, "name");
  JsonNode dtype = tile_json_field(node, "dtype");
  JsonNode shape = tile_json_field(node, "shape");
  JsonNode align = tile_json_field(node, "align_bytes");
  JsonNode data = tile_json_field(node, "data");
  int rank = 0;
  int64_t num_elems = 1;
  global->align_bytes = 1;
  if (!tile_json_string(reader, &name, &global->name) ||
      !tile_json_dtype(reader, &dtype, &global->dtype) ||
      !tile_json_array(reader, &shape, 0, TILE_LAUNCH_MAX_RANK, &rank) ||
      (align.json &&
       !tile_json_int(reader, &align, 1, INT64_C(1) << MAX_ALIGN_LOG2,
                      &global->align_bytes)) ||
      (data.json && !tile_json_string(reader, &data, &global->data)))
    return false;
  for (int i = 0; i < rank; i++) {
    JsonNode item = tile_json_item(&shape, i);
    int64_t extent = 0;
    if (!tile_json_int(reader, &item, 0, TILE_LAUNCH_MAX_EXTENT, &extent))
      return false;
    if (__builtin_mul_overflow(num_elems, extent, &num_elems) ||
        num_elems > max_elems)
      return tile_json_fail(reader, &shape, "at most %lld elements",
                            (long long)max_elems);
  }
  global->num_elems = (size_t)num_elems;
  return true;
}

bool tile_host_globals_read(JsonReader *reader, const JsonNode *root) {
  TileHostFunction *function = reader->function;
  JsonNode array = tile_json_field(root, "globals");
  int count = 0;
  if (!array.json)
    return true;
  if (!tile_json_array(reader, &array, 0, MAX_GLOBALS, &count))
    return false;
  function->globals =
      tile_json_allocate(reader, &array, count, sizeof *function->globals);
  if (!function->globals)
    return false;
  function->num_globals = count;
  for (int i = 0; i < count; i++) {
    JsonNode item = tile_json_item(&array, i);
    if (!read_global(reader, &item, &function->globals[i]))
      return false;
  }
  return true;
}

static bool read_result(JsonReader *reader, const JsonNode *node,
                        HostResult *result) {
  JsonNode kind = tile_json_field(node, "kind");
  JsonNode dtype = tile_json_field(node, "dtype");
  JsonNode shape = tile_json_field(node, "shape");
  JsonNode value = tile_json_field(node, "value");
  const Value *values = reader->function->values;
  const char *name = NULL;
  if (!tile_json_string(reader, &kind, &name) ||
      !tile_json_dtype(reader, &dtype, &result->dtype))
    return false;
  result->is_scalar = strcmp(name, "scalar") == 0;
  if (!result->is_scalar && strcmp(name, "memref") != 0)
    return tile_json_fail(reader, &kind, "\"memref\" or \"scalar\"");
  if (!result->is_scalar)
    return read_use(reader, node, "address", &result->value) &&
           tile_json_array(reader, &shape, 0, TILE_LAUNCH_MAX_RANK,
                           &result->rank) &&
           read_dims(reader, node, "shape", result->rank, result->shape) &&
           read_dims(reader, node, "strides", result->rank, result->strides);
  if (!tile_json_small_int(reader, &value, 0, reader->function->num_values - 1,
                           &result->value))
    return false;
  if (tile_dtype_is_complex(result->dtype) ||
      values[result->value].type.is_float != tile_dtype_is_float(result->dtype))
    return tile_json_fail(reader, &value, "the index of a value of type %s",
                          tile_dtype_name(result->dtype));
  return true;
}

static bool read_results(JsonReader *reader, const JsonNode *root) {
  TileHostFunction *function = reader->function;
  JsonNode array = tile_json_field(root, "results");
  int count = 0;
  if (!array.json)
    return true;
  if (!tile_json_array(reader, &array, 0, MAX_RESULTS, &count))
    return false;
  function->results =
      tile_json_allocate(reader, &array, count, sizeof *function->results);
  if (!function->results)
    return false;
  function->num_results = count;
  for (int i = 0; i < count; i++) {
    JsonNode item = tile_json_item(&array, i);
    if (!read_result(reader, &item, &function->results[i]))
      return false;
  }
  return true;
}

//===-- Entry -------------------------------------------------------------===//

bool tile_host_program_read(JsonReader *reader, const JsonNode *root) {
  TileHostFunction *function = reader->function;
  JsonNode body = tile_json_field(root, "body");
  function->has_body = body.json != NULL;
  return (!body.json || read_block(reader, &body, 0, &function->body)) &&
         read_results(reader, root);
}
