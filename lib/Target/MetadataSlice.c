//===- MetadataSlice.c - What a host function computes for its launches ---===//
//
// Consumes: values of the host function, as operands of its launches.
// Produces: rows of the value table.
// Fails:    an op that docs/Metadata.md does not list; the op is named, the
//           launch is noted.
//
//===----------------------------------------------------------------------===//

#include "Target/Metadata.h"

#include "Dialect/Ops.h"
#include "Support/Diagnostics.h"
#include "Tile/Ops/affine.h"
#include "Tile/Ops/arith.h"
#include "Tile/Ops/memref.h"
#include "mlir-c/AffineExpr.h"
#include "mlir-c/AffineMap.h"
#include <math.h>
#include <stdlib.h>

enum {
  MAX_ROWS = 4096,
  MAX_DEPTH = 1000,                // of nested operands; bounds the recursion
  MAX_ANY_RANK = 2 * TILE_MAX_RANK // of memrefs that no tile is made of
};

static const char *const predicate_names[] = {
    "eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"};

enum { PREDICATE_EQ = 0, PREDICATE_SLT = 2 };

//===-- Rows --------------------------------------------------------------===//

TileSlice tile_slice_of(TileArena *arena, MlirBlock entry) {
  return (TileSlice){.arena = arena,
                     .entry = entry,
                     .keys.arena = arena,
                     .known.arena = arena};
}

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

static int row_equal(TileSlice *slice, int a, int b) {
  return add_op(slice, "arith.cmpi", "i1", PREDICATE_EQ, 2, (int[]){a, b});
}

static int row_and(TileSlice *slice, int a, int b) {
  return add_op(slice, "arith.andi", "i1", -1, 2, (int[]){a, b});
}

//===-- Arguments ---------------------------------------------------------===//

int tile_slice_arg(const TileSlice *slice, MlirValue value) {
  if (!mlirValueIsABlockArgument(value) ||
      !mlirBlockEqual(mlirBlockArgumentGetOwner(value), slice->entry))
    return -1;
  return (int)mlirBlockArgumentGetArgNumber(value);
}

static MlirType arg_type(const TileSlice *slice, int arg) {
  return mlirValueGetType(mlirBlockGetArgument(slice->entry, arg));
}

static int memref_row(TileSlice *slice, const char *op, int arg, int dim) {
  TileSliceRow row = make_row(op, "index");
  row.arg = arg;
  row.dim = dim;
  return add_row(slice, row);
}

int tile_slice_extent(TileSlice *slice, int arg, int dim) {
  MlirType type = arg_type(slice, arg);
  if (!mlirShapedTypeIsDynamicDim(type, dim))
    return tile_slice_constant(slice, mlirShapedTypeGetDimSize(type, dim));
  return memref_row(slice, "memref.dim", arg, dim);
}

int tile_slice_stride(TileSlice *slice, int arg, int dim) {
  MlirType type = arg_type(slice, arg);
  int64_t strides[MAX_ANY_RANK] = {0};
  int64_t offset = 0;
  if (mlirShapedTypeGetRank(type) <= MAX_ANY_RANK &&
      mlirLogicalResultIsSuccess(
          mlirMemRefTypeGetStridesAndOffset(type, strides, &offset)) &&
      !mlirShapedTypeIsDynamicStrideOrOffset(strides[dim]))
    return tile_slice_constant(slice, strides[dim]);
  return memref_row(slice, "memref.stride", arg, dim);
}

int tile_slice_contiguous(TileSlice *slice, int arg) {
  MlirType type = arg_type(slice, arg);
  int all = -1;
  int64_t inner = 1; // elements of the dimensions after `d`; -1: dynamic
  for (int d = (int)mlirShapedTypeGetRank(type) - 1; d >= 0; d--) {
    if (inner < 0) {
      int expected = tile_slice_binary(slice, "arith.muli",
                                       tile_slice_extent(slice, arg, d + 1),
                                       tile_slice_stride(slice, arg, d + 1));
      int is_equal =
          row_equal(slice, tile_slice_stride(slice, arg, d), expected);
      all = all < 0 ? is_equal : row_and(slice, all, is_equal);
    }
    bool is_dynamic = mlirShapedTypeIsDynamicDim(type, d);
    inner = is_dynamic || inner < 0 ? -1
                                    : inner * mlirShapedTypeGetDimSize(type, d);
  }
  return all;
}

//===-- Ops ---------------------------------------------------------------===//

static int fail(TileSlice *slice, MlirOperation op) {
  tile_emit_error_with_note(op, mlirOperationGetLocation(slice->user),
                            "needed here",
                            "cannot be computed on the host of a launch");
  return -1;
}

// The spelling of a type in the table; false when it has none.
static bool type_name(MlirType type, char out[8]) {
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
    return fail(slice, op);
  }
  return add_row(slice, row);
}

// Ops whose name and operands the table takes as they are.
static const char *const plain_ops[] = {
    "arith.addi",      "arith.subi",       "arith.muli",
    "arith.divsi",     "arith.divui",      "arith.ceildivsi",
    "arith.ceildivui", "arith.floordivsi", "arith.remsi",
    "arith.remui",     "arith.minsi",      "arith.minui",
    "arith.maxsi",     "arith.maxui",      "arith.andi",
    "arith.ori",       "arith.xori",       "arith.shli",
    "arith.shrsi",     "arith.shrui",      "arith.cmpi",
    "arith.select",    "arith.extsi",      "arith.extui",
    "arith.trunci",    "arith.index_cast", "arith.index_castui",
    "tile.num_sms"};

static const char *plain_op(MlirOperation op) {
  for (size_t i = 0; i < sizeof plain_ops / sizeof *plain_ops; i++)
    if (tile_ods_op_is(op, plain_ops[i], strlen(plain_ops[i])))
      return plain_ops[i];
  return NULL;
}

static int slice_plain(TileSlice *slice, MlirOperation op, const char *name,
                       const char *type) {
  int operands[TILE_SLICE_MAX_OPERANDS] = {0};
  int num_operands = (int)mlirOperationGetNumOperands(op);
  for (int i = 0; i < num_operands; i++) {
    operands[i] = tile_slice_value(slice, mlirOperationGetOperand(op, i));
    if (operands[i] < 0)
      return -1;
  }
  int predicate = -1;
  if (arith_cmpi_is(op))
    predicate = (int)mlirIntegerAttrGetValueInt(
        mlirOperationGetInherentAttributeByName(op, TILE_STR("predicate")));
  return add_op(slice, name, type, predicate, num_operands, operands);
}

static int slice_dim(TileSlice *slice, MlirOperation op) {
  MemRefDimOp dim = memref_dim_cast(op);
  int arg = tile_slice_arg(slice, memref_dim_source(dim));
  int64_t index = -1;
  if (arg < 0 || !mlirxConstantInt(memref_dim_index(dim), &index) ||
      index < 0 || index >= mlirShapedTypeGetRank(arg_type(slice, arg)))
    return fail(slice, op);
  return tile_slice_extent(slice, arg, (int)index);
}

//===-- Memref descriptors ------------------------------------------------===//
//
// The launcher hands over the address of the first element. So the descriptor
// of an argument is (address, offset 0) when its type leaves the offset open,
// and (address - offset, offset) when it does not.

static bool static_offset(const TileSlice *slice, int arg,
                          int64_t *out_offset) {
  int64_t strides[MAX_ANY_RANK];
  MlirType type = arg_type(slice, arg);
  if (mlirShapedTypeGetRank(type) > MAX_ANY_RANK ||
      mlirLogicalResultIsFailure(
          mlirMemRefTypeGetStridesAndOffset(type, strides, out_offset)))
    return false;
  if (mlirShapedTypeIsDynamicStrideOrOffset(*out_offset))
    *out_offset = 0;
  return true;
}

static int slice_address(TileSlice *slice, MlirOperation op) {
  int arg = tile_slice_arg(slice, mlirOperationGetOperand(op, 0));
  if (arg < 0)
    return fail(slice, op);
  TileSliceRow row = make_row("memref.pointer", "index");
  row.arg = arg;
  return add_row(slice, row);
}

static int slice_pointer(TileSlice *slice, MlirOperation op) {
  int arg = tile_slice_arg(slice, mlirOperationGetOperand(op, 0));
  int64_t offset = 0;
  if (arg < 0 || !static_offset(slice, arg, &offset))
    return fail(slice, op);
  TileSliceRow row = make_row("memref.pointer", "index");
  row.arg = arg;
  int address = add_row(slice, row);
  if (offset == 0)
    return address;
  MlirType element = mlirShapedTypeGetElementType(arg_type(slice, arg));
  int64_t bytes = offset * tile_elem_bits(element) / 8;
  return tile_slice_binary(slice, "arith.subi", address,
                           tile_slice_constant(slice, bytes));
}

// Results: base, offset, one size and then one stride per dimension.
static int slice_metadata(TileSlice *slice, MlirOperation op, MlirValue value) {
  int arg = tile_slice_arg(slice, mlirOperationGetOperand(op, 0));
  int64_t offset = 0;
  intptr_t result = mlirOpResultGetResultNumber(value);
  if (arg < 0 || result == 0 || !static_offset(slice, arg, &offset))
    return fail(slice, op);
  if (result == 1)
    return tile_slice_constant(slice, offset);
  int dim = (int)result - 2;
  int rank = (int)mlirShapedTypeGetRank(arg_type(slice, arg));
  return dim < rank ? tile_slice_extent(slice, arg, dim)
                    : tile_slice_stride(slice, arg, dim - rank);
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
  int is_negative =
      add_op(slice, "arith.cmpi", "i1", PREDICATE_SLT, 2, (int[]){rest, zero});
  int wrapped = tile_slice_binary(slice, "arith.addi", rest, b);
  return add_op(slice, "arith.select", "index", -1, 3,
                (int[]){is_negative, wrapped, rest});
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
  if (!type_name(mlirValueGetType(value), type))
    return fail(slice, op);
  const char *plain = plain_op(op);
  if (plain)
    return slice_plain(slice, op, plain, type);
  if (arith_constant_is(op))
    return slice_constant(slice, op, type);
  if (memref_dim_is(op))
    return slice_dim(slice, op);
  if (tile_address_is(op))
    return slice_address(slice, op);
  if (memref_extract_aligned_pointer_as_index_is(op))
    return slice_pointer(slice, op);
  if (memref_extract_strided_metadata_is(op))
    return slice_metadata(slice, op, value);
  if (affine_apply_is(op))
    return slice_affine(slice, op, "");
  if (affine_min_is(op))
    return slice_affine(slice, op, "arith.minsi");
  if (affine_max_is(op))
    return slice_affine(slice, op, "arith.maxsi");
  return fail(slice, op);
}

static int slice_argument(TileSlice *slice, MlirValue value) {
  int arg = tile_slice_arg(slice, value);
  char type[8];
  if (arg < 0 || !type_name(mlirValueGetType(value), type)) {
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
  TILE_ARENA_RESERVE(slice->arena, slice->known_rows, slice->known.count,
                     slice->known_capacity);
  search = tile_key_search(&slice->known, hash); // operands came in between
  slice->known_rows[tile_key_add(&search)] = (TileSliceKnown){value, row};
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
    tile_json_print_string(json, "predicate", predicate_names[row->predicate]);
  if (row->arg >= 0)
    tile_json_print_int(json, "arg", row->arg);
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
