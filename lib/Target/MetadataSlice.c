//===- MetadataSlice.c - What a host function computes for its launches ---===//
//
// Consumes: scalars of the host function, as operands of its launches.
// Produces: rows of the value table.
// Fails:    an op that docs/Metadata.md does not list; the op is named, the
//           launch is noted.
//
// What memrefs are made of is in MetadataMemrefs.c.
//
//===----------------------------------------------------------------------===//

#include "Target/Metadata.h"

#include "Dialect/Ops.h"
#include "Support/Diagnostics.h"
#include "Support/MlirText.h"
#include "Tile/Ops/affine.h"
#include "Tile/Ops/arith.h"
#include "Tile/Ops/memref.h"
#include "Tile/Support/HostValueOps.h"
#include "mlir-c/AffineExpr.h"
#include "mlir-c/AffineMap.h"
#include <math.h>
#include <stdlib.h>

enum {
  MAX_ROWS = 4096,
  MAX_DEPTH = 1000 // of nested operands; bounds the recursion
};

static const char *const cmpi_predicates[] = {TILE_HOST_CMPI_PREDICATES};
static const char *const cmpf_predicates[] = {TILE_HOST_CMPF_PREDICATES};

//===-- Rows --------------------------------------------------------------===//

// As written: 0 and -0 are two numbers, a NaN is one.
static bool same_bits(double a, double b) {
  union {
    double number;
    uint64_t bits;
  } x = {a}, y = {b};
  return x.bits == y.bits;
}

static bool is_same_row(const TileSliceRow *a, const TileSliceRow *b) {
  bool is_same = strcmp(a->op, b->op) == 0 && strcmp(a->type, b->type) == 0 &&
                 a->num_operands == b->num_operands &&
                 a->predicate == b->predicate && a->arg == b->arg &&
                 a->dim == b->dim && a->integer == b->integer &&
                 same_bits(a->real, b->real);
  for (int i = 0; is_same && i < a->num_operands; i++)
    is_same = a->operands[i] == b->operands[i];
  return is_same;
}

static uint64_t hash_row(const TileSliceRow *row) {
  uint64_t hash = tile_hash_bytes(TILE_HASH_START, row->op, strlen(row->op));
  hash = tile_hash_bytes(hash, row->type, strlen(row->type));
  hash = tile_hash_word(hash, (uint64_t)row->predicate);
  hash = tile_hash_word(hash, (uint64_t)row->arg);
  hash = tile_hash_word(hash, (uint64_t)row->dim);
  hash = tile_hash_word(hash, (uint64_t)row->integer);
  hash = tile_hash_bytes(hash, &row->real, sizeof row->real);
  for (int i = 0; i < row->num_operands; i++)
    hash = tile_hash_word(hash, (uint64_t)row->operands[i]);
  return hash;
}

static int add_row(TileSlice *slice, TileSliceRow row) {
  TileKeySearch search = tile_key_search(&slice->keys, hash_row(&row));
  while (tile_key_next(&search))
    if (is_same_row(&slice->rows[search.index], &row))
      return search.index;
  if (slice->keys.count == MAX_ROWS) {
    tile_emit_error(slice->user, "needs more than %d values from the host",
                    MAX_ROWS);
    return -1;
  }
  TILE_ARENA_RESERVE(slice->arena, slice->rows, slice->keys.count,
                     slice->row_capacity);
  for (int i = 0; i < row.num_operands; i++)
    row.is_variable |= slice->rows[row.operands[i]].is_variable;
  int index = tile_key_add(&search);
  slice->rows[index] = row;
  return index;
}

static TileSliceRow make_row(const char *op, const char *type) {
  TileSliceRow row = {.op = op, .predicate = -1, .arg = -1, .dim = -1};
  snprintf(row.type, sizeof row.type, "%s", type);
  return row;
}

// A failed operand makes a failed row, so that calls can be nested.
static int add_op(TileSlice *slice, const char *op, const char *type,
                  int predicate, int num_operands, const int *operands) {
  TileSliceRow row = make_row(op, type);
  row.predicate = predicate;
  row.num_operands = num_operands;
  for (int i = 0; i < num_operands; i++) {
    if (operands[i] < 0)
      return -1;
    row.operands[i] = operands[i];
  }
  return add_row(slice, row);
}

int tile_slice_constant(TileSlice *slice, int64_t value) {
  TileSliceRow row = make_row("constant", "index");
  row.integer = value;
  return add_row(slice, row);
}

int tile_slice_binary(TileSlice *slice, const char *op, int a, int b) {
  return add_op(slice, op, "index", -1, 2, (int[]){a, b});
}

int tile_slice_compare(TileSlice *slice, TileSlicePredicate predicate, int a,
                       int b) {
  return add_op(slice, "arith.cmpi", "i1", (int)predicate, 2, (int[]){a, b});
}

int tile_slice_and(TileSlice *slice, int a, int b) {
  return add_op(slice, "arith.andi", "i1", -1, 2, (int[]){a, b});
}

int tile_slice_select(TileSlice *slice, int condition, int a, int b) {
  return add_op(slice, "arith.select", "index", -1, 3,
                (int[]){condition, a, b});
}

bool tile_slice_constant_is(const TileSlice *slice, int row, int64_t *out) {
  bool is_constant = row >= 0 && strcmp(slice->rows[row].op, "constant") == 0 &&
                     !slice->rows[row].is_float;
  if (is_constant)
    *out = slice->rows[row].integer;
  return is_constant;
}

int tile_slice_leaf(TileSlice *slice, const char *op, int arg, int dim) {
  TileSliceRow row = make_row(op, "index");
  row.arg = arg;
  row.dim = dim;
  return add_row(slice, row);
}

int tile_slice_variable(TileSlice *slice, const char *type) {
  TileSliceRow row = make_row("variable", type);
  row.integer = slice->num_variables++; // two variables are never one row
  row.is_variable = slice->is_version_2 = true;
  return add_row(slice, row);
}

//===-- Arguments ---------------------------------------------------------===//

int tile_slice_arg(const TileSlice *slice, MlirValue value) {
  if (!mlirValueIsABlockArgument(value) ||
      !mlirBlockEqual(mlirBlockArgumentGetOwner(value), slice->entry))
    return -1;
  return (int)mlirBlockArgumentGetArgNumber(value);
}

//===-- Ops ---------------------------------------------------------------===//

bool tile_slice_type_name(MlirType type, char out[8]) {
  if (mlirTypeIsAInteger(type)) {
    unsigned width = mlirIntegerTypeGetWidth(type);
    snprintf(out, 8, "i%u", width);
    return width >= 1 && width <= 64;
  }
  const TileDtypeInfo *info = tile_elem_info(type);
  bool is_known =
      info && (info->is_of_hosts || info->dtype == TILE_DTYPE_INDEX);
  snprintf(out, 8, "%s", is_known ? info->name : "");
  return is_known;
}

static int slice_constant(TileSlice *slice, MlirOperation op,
                          const char *type) {
  MlirAttribute attr = arith_constant_value_attr(arith_constant_cast(op));
  TileSliceRow row = make_row("constant", type);
  if (mlirAttributeIsAInteger(attr)) {
    row.integer = mlirIntegerAttrGetValueInt(attr);
    if (strcmp(type, "i1") == 0)
      row.integer &= 1; // true is 1 for people, -1 for two's complement
  } else if (mlirAttributeIsAFloat(attr)) {
    row.is_float = true;
    row.real = mlirFloatAttrGetValueDouble(attr);
  } else {
    return tile_slice_fail(slice, op);
  }
  return add_row(slice, row);
}

// Ops whose name and operands the table takes as they are.
typedef struct {
  const char *name;  // of the op
  const char *value; // in the table
  bool is_version_2;
} PlainOp;

#define VERSION_1(name, spelling, kind) {spelling, spelling, false},
#define VERSION_2(name, spelling, kind) {spelling, spelling, true},

static const PlainOp plain_ops[] = {
    TILE_HOST_VALUE_INTS(VERSION_1) TILE_HOST_VALUE_FLOATS(VERSION_2)
    // The same by another name.
    {"index.add", "arith.addi", false},
    {"index.sub", "arith.subi", false},
    {"index.mul", "arith.muli", false},
    {"index.divs", "arith.divsi", false},
    {"index.divu", "arith.divui", false},
    {"index.ceildivs", "arith.ceildivsi", false},
    {"index.ceildivu", "arith.ceildivui", false},
    {"index.floordivs", "arith.floordivsi", false},
    {"index.rems", "arith.remsi", false},
    {"index.remu", "arith.remui", false},
    {"index.mins", "arith.minsi", false},
    {"index.minu", "arith.minui", false},
    {"index.maxs", "arith.maxsi", false},
    {"index.maxu", "arith.maxui", false},
    {"index.and", "arith.andi", false},
    {"index.or", "arith.ori", false},
    {"index.xor", "arith.xori", false},
    {"index.shl", "arith.shli", false},
    {"index.shrs", "arith.shrsi", false},
    {"index.shru", "arith.shrui", false},
    {"index.casts", "arith.index_cast", false},
    {"index.castu", "arith.index_castui", false},
    {"index.cmp", "arith.cmpi", false}};

static const PlainOp *plain_op(MlirOperation op) {
  for (size_t i = 0; i < sizeof plain_ops / sizeof *plain_ops; i++)
    if (tile_ods_op_is(op, plain_ops[i].name, strlen(plain_ops[i].name)))
      return &plain_ops[i];
  return NULL;
}

// The number of a predicate; that of index.cmp is an enum of its own, whose
// text has a name of the table.
static int predicate_of(MlirOperation op) {
  MlirAttribute number =
      mlirOperationGetInherentAttributeByName(op, TILE_STR("predicate"));
  if (!mlirAttributeIsNull(number))
    return (int)mlirIntegerAttrGetValueInt(number);
  MlirAttribute name =
      mlirOperationGetInherentAttributeByName(op, TILE_STR("pred"));
  if (mlirAttributeIsNull(name))
    return -1;
  TileString text = {NULL, 0, 0};
  int found = -1;
  mlirAttributePrint(name, tile_string_callback, &text);
  for (int i = 0; i < TILE_SLICE_NUM_PREDICATES; i++) {
    char end[8];
    int length = snprintf(end, sizeof end, " %s>", cmpi_predicates[i]);
    if (text.size_bytes > (size_t)length &&
        !strcmp(text.data + text.size_bytes - length, end))
      found = i;
  }
  tile_string_deinit(&text);
  return found;
}

static int slice_plain(TileSlice *slice, MlirOperation op, const PlainOp *plain,
                       const char *type) {
  int operands[TILE_SLICE_MAX_OPERANDS] = {0};
  int num_operands = (int)mlirOperationGetNumOperands(op);
  if (num_operands > TILE_SLICE_MAX_OPERANDS)
    return tile_slice_fail(slice, op);
  for (int i = 0; i < num_operands; i++) {
    operands[i] = tile_slice_value(slice, mlirOperationGetOperand(op, i));
    if (operands[i] < 0)
      return -1;
  }
  slice->is_version_2 |= plain->is_version_2;
  return add_op(slice, plain->value, type, predicate_of(op), num_operands,
                operands);
}

// The extent of a dimension that only the caller knows; the last one stands for
// numbers that are none.
static int any_extent(TileSlice *slice, MlirValue memref, int index) {
  int last = (int)mlirShapedTypeGetRank(mlirValueGetType(memref)) - 1;
  int extent = index < 0 ? -1 : tile_slice_extent(slice, memref, last);
  for (int d = last - 1; d >= 0 && extent >= 0; d--) {
    int is_it = tile_slice_compare(slice, TILE_SLICE_EQ, index,
                                   tile_slice_constant(slice, d));
    extent = tile_slice_select(slice, is_it,
                               tile_slice_extent(slice, memref, d), extent);
  }
  return extent;
}

static int slice_dim(TileSlice *slice, MlirOperation op) {
  MemRefDimOp dim = memref_dim_cast(op);
  MlirValue memref = memref_dim_source(dim);
  MlirType type = mlirValueGetType(memref);
  int64_t index = -1;
  if (!mlirTypeIsAMemRef(type) || mlirShapedTypeGetRank(type) == 0)
    return tile_slice_fail(slice, op);
  if (!mlirxConstantInt(memref_dim_index(dim), &index))
    return any_extent(slice, memref,
                      tile_slice_value(slice, memref_dim_index(dim)));
  if (index < 0 || index >= mlirShapedTypeGetRank(type))
    return tile_slice_fail(slice, op);
  return tile_slice_extent(slice, memref, (int)index);
}

// Results: base, offset, one size and then one stride per dimension.
static int slice_metadata(TileSlice *slice, MlirOperation op, MlirValue value) {
  MlirValue memref = mlirOperationGetOperand(op, 0);
  intptr_t result = mlirOpResultGetResultNumber(value);
  int rank = (int)mlirShapedTypeGetRank(mlirValueGetType(memref));
  int dim = (int)result - 2;
  if (result == 0)
    return tile_slice_fail(slice, op);
  if (result == 1)
    return tile_slice_offset(slice, memref);
  return dim < rank ? tile_slice_extent(slice, memref, dim)
                    : tile_slice_stride(slice, memref, dim - rank);
}

//===-- Affine ops --------------------------------------------------------===//

typedef struct {
  TileSlice *slice;
  MlirOperation op;
  intptr_t num_dims;
} AffineWalk;

// Euclidean: the result of `a mod b` is in [0, b).
static int affine_mod(TileSlice *slice, int a, int b) {
  int rest = tile_slice_binary(slice, "arith.remsi", a, b);
  int zero = tile_slice_constant(slice, 0);
  int is_negative = tile_slice_compare(slice, TILE_SLICE_SLT, rest, zero);
  int wrapped = tile_slice_binary(slice, "arith.addi", rest, b);
  return tile_slice_select(slice, is_negative, wrapped, rest);
}

static int affine_expr(const AffineWalk *walk, MlirAffineExpr expr) {
  TileSlice *slice = walk->slice;
  if (mlirAffineExprIsAConstant(expr))
    return tile_slice_constant(slice, mlirAffineConstantExprGetValue(expr));
  if (mlirAffineExprIsADim(expr))
    return tile_slice_value(
        slice,
        mlirOperationGetOperand(walk->op, mlirAffineDimExprGetPosition(expr)));
  if (mlirAffineExprIsASymbol(expr))
    return tile_slice_value(
        slice,
        mlirOperationGetOperand(
            walk->op, walk->num_dims + mlirAffineSymbolExprGetPosition(expr)));
  int a = affine_expr(walk, mlirAffineBinaryOpExprGetLHS(expr));
  int b = affine_expr(walk, mlirAffineBinaryOpExprGetRHS(expr));
  if (a < 0 || b < 0)
    return -1;
  if (mlirAffineExprIsAAdd(expr))
    return tile_slice_binary(slice, "arith.addi", a, b);
  if (mlirAffineExprIsAMul(expr))
    return tile_slice_binary(slice, "arith.muli", a, b);
  if (mlirAffineExprIsAFloorDiv(expr))
    return tile_slice_binary(slice, "arith.floordivsi", a, b);
  if (mlirAffineExprIsACeilDiv(expr))
    return tile_slice_binary(slice, "arith.ceildivsi", a, b);
  return affine_mod(slice, a, b);
}

// `combine` joins the results of affine.min and affine.max.
static int slice_affine(TileSlice *slice, MlirOperation op,
                        const char *combine) {
  MlirAffineMap map = mlirAffineMapAttrGetValue(
      mlirOperationGetInherentAttributeByName(op, TILE_STR("map")));
  AffineWalk walk = {slice, op, mlirAffineMapGetNumDims(map)};
  int row = affine_expr(&walk, mlirAffineMapGetResult(map, 0));
  for (intptr_t i = 1; row >= 0 && i < mlirAffineMapGetNumResults(map); i++) {
    int next = affine_expr(&walk, mlirAffineMapGetResult(map, i));
    row = next < 0 ? -1 : tile_slice_binary(slice, combine, row, next);
  }
  return row;
}

//===-- Entry -------------------------------------------------------------===//

static int slice_op(TileSlice *slice, MlirOperation op, MlirValue value) {
  char type[8];
  if (slice->depth > MAX_DEPTH) {
    tile_emit_error(op, "is nested deeper than %d ops below a launch",
                    MAX_DEPTH);
    return -1;
  }
  if (!tile_slice_type_name(mlirValueGetType(value), type))
    return tile_slice_fail(slice, op);
  const PlainOp *plain = plain_op(op);
  if (plain)
    return slice_plain(slice, op, plain, type);
  if (arith_constant_is(op))
    return slice_constant(slice, op, type);
  if (memref_dim_is(op))
    return slice_dim(slice, op);
  if (tile_ods_op_is(op, "index.constant", 14))
    return tile_slice_constant(
        slice,
        mlirIntegerAttrGetValueInt(
            mlirOperationGetInherentAttributeByName(op, TILE_STR("value"))));
  if (tile_address_is(op))
    return tile_slice_pointer(slice, mlirOperationGetOperand(op, 0));
  if (memref_extract_aligned_pointer_as_index_is(op))
    return tile_slice_base(slice, mlirOperationGetOperand(op, 0));
  if (memref_extract_strided_metadata_is(op))
    return slice_metadata(slice, op, value);
  if (affine_apply_is(op))
    return slice_affine(slice, op, "");
  if (affine_min_is(op))
    return slice_affine(slice, op, "arith.minsi");
  if (affine_max_is(op))
    return slice_affine(slice, op, "arith.maxsi");
  return tile_slice_fail(slice, op);
}

static int slice_argument(TileSlice *slice, MlirValue value) {
  int arg = tile_slice_arg(slice, value);
  char type[8];
  if (arg < 0 || !tile_slice_type_name(mlirValueGetType(value), type)) {
    tile_emit_error(slice->user,
                    "takes a value of a type that the host of a launch does "
                    "not have");
    return -1;
  }
  TileSliceRow row = make_row("argument", type);
  row.arg = arg;
  return add_row(slice, row);
}

int tile_slice_value(TileSlice *slice, MlirValue value) {
  uint64_t hash = tile_hash_word(TILE_HASH_START, (uintptr_t)value.ptr);
  TileKeySearch search = tile_key_search(&slice->known, hash);
  while (tile_key_next(&search))
    if (mlirValueEqual(slice->known_rows[search.index].value, value))
      return slice->known_rows[search.index].row;
  slice->depth++;
  int row = mlirValueIsABlockArgument(value)
                ? slice_argument(slice, value)
                : slice_op(slice, mlirOpResultGetOwner(value), value);
  slice->depth--;
  if (row < 0)
    return -1;
  tile_slice_set(slice, value, row); // searches again: operands came between
  return row;
}

//===-- As JSON -----------------------------------------------------------===//

// JSON readers keep numbers as doubles: larger integers are written as text.
#define MAX_EXACT_INTEGER ((int64_t)1 << 53)

static void print_constant(const TileSliceRow *row, TileJson *json) {
  bool is_exact =
      row->integer < MAX_EXACT_INTEGER && row->integer > -MAX_EXACT_INTEGER;
  char number[32];
  if (row->is_float)
    snprintf(number, sizeof number, "%.17g", row->real);
  else
    snprintf(number, sizeof number, "%lld", (long long)row->integer);
  if (row->is_float && isnan(row->real))
    tile_json_print_string(json, "value", "nan");
  else if (row->is_float && isinf(row->real))
    tile_json_print_string(json, "value", row->real < 0 ? "-inf" : "inf");
  else if (row->is_float || is_exact)
    tile_json_print_text(json, "value", number);
  else
    tile_json_print_string(json, "value", number);
}

static void print_row(const TileSliceRow *row, TileJson *json) {
  tile_json_break(json);
  tile_json_open(json, NULL, '{');
  tile_json_print_string(json, "op", row->op);
  tile_json_print_string(json, "type", row->type);
  if (strcmp(row->op, "constant") == 0)
    print_constant(row, json);
  if (row->predicate >= 0)
    tile_json_print_string(json, "predicate",
                           strcmp(row->op, "arith.cmpf") == 0
                               ? cmpf_predicates[row->predicate]
                               : cmpi_predicates[row->predicate]);
  if (row->arg >= 0)
    tile_json_print_int(
        json, strcmp(row->op, "memref.global") == 0 ? "global" : "arg",
        row->arg);
  if (row->dim >= 0)
    tile_json_print_int(json, "dim", row->dim);
  if (row->num_operands) {
    tile_json_open(json, "operands", '[');
    for (int i = 0; i < row->num_operands; i++)
      tile_json_print_int(json, NULL, row->operands[i]);
    tile_json_close(json, ']');
  }
  tile_json_close(json, '}');
}

void tile_slice_print(const TileSlice *slice, TileJson *json, const char *key) {
  tile_json_open_as(json, key, '[', TILE_JSON_ROW);
  for (int i = 0; i < slice->keys.count; i++)
    print_row(&slice->rows[i], json);
  tile_json_close(json, ']');
}
