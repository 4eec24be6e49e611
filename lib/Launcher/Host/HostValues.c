//===- HostValues.c - Evaluates the table of values -----------------------===//
//
// The integer operations of the arith dialect on up to 64 bits, wrapping.
//
//===----------------------------------------------------------------------===//

#include "Launcher/Host/HostFunction.h"

#include <assert.h>

static uint64_t mask_of(int num_bits) { return UINT64_MAX >> (64 - num_bits); }

static int64_t sign_extend(uint64_t bits, int num_bits) {
  uint64_t sign_bit = UINT64_C(1) << (num_bits - 1);
  return (int64_t)((bits ^ sign_bit) - sign_bit);
}

int64_t tile_value_result_bits_signed(const Value *value,
                                      const ValueResult *result) {
  return sign_extend(result->bits, value->type.num_bits);
}

int64_t tile_value_result_signed(const Value *value,
                                 const ValueResult *result) {
  if (value->type.num_bits == 1)
    return (int64_t)result->bits;
  return sign_extend(result->bits, value->type.num_bits);
}

TileNumber tile_value_result_number(const Value *value,
                                    const ValueResult *result) {
  if (value->type.is_float)
    return (TileNumber){.dtype = TILE_DTYPE_F64, .real = result->real};
  return (TileNumber){.dtype = TILE_DTYPE_I64,
                      .integer = tile_value_result_signed(value, result)};
}

//===-- Division ----------------------------------------------------------===//

/// Quotient towards zero. The one overflow, min / -1, wraps to min.
static int64_t divide(int64_t a, int64_t b) {
  return b == -1 ? (int64_t)(0 - (uint64_t)a) : a / b;
}

static int64_t remainder_of(int64_t a, int64_t b) {
  return b == -1 ? 0 : a % b;
}

static int64_t ceil_divide(int64_t a, int64_t b) {
  bool rounds_up = remainder_of(a, b) != 0 && (a < 0) == (b < 0);
  return divide(a, b) + rounds_up;
}

static int64_t floor_divide(int64_t a, int64_t b) {
  bool rounds_down = remainder_of(a, b) != 0 && (a < 0) != (b < 0);
  return divide(a, b) - rounds_down;
}

/// Returns false when the divisor is zero.
static bool compute_division(ValueOp op, uint64_t a, uint64_t b, int num_bits,
                             uint64_t *out_bits) {
  int64_t sa = sign_extend(a, num_bits), sb = sign_extend(b, num_bits);
  if (b == 0)
    return false;
  switch (op) {
  case VALUE_DIVSI:
    *out_bits = (uint64_t)divide(sa, sb);
    break;
  case VALUE_DIVUI:
    *out_bits = a / b;
    break;
  case VALUE_CEILDIVSI:
    *out_bits = (uint64_t)ceil_divide(sa, sb);
    break;
  case VALUE_CEILDIVUI:
    *out_bits = a / b + (a % b != 0);
    break;
  case VALUE_FLOORDIVSI:
    *out_bits = (uint64_t)floor_divide(sa, sb);
    break;
  case VALUE_REMSI:
    *out_bits = (uint64_t)remainder_of(sa, sb);
    break;
  default:
    assert(op == VALUE_REMUI);
    *out_bits = a % b;
    break;
  }
  return true;
}

//===-- The other binary operations ---------------------------------------===//

/// Returns false when the shift is by the width or more.
static bool compute_shift(ValueOp op, uint64_t a, uint64_t b, int num_bits,
                          uint64_t *out_bits) {
  if (b >= (uint64_t)num_bits)
    return false;
  if (op == VALUE_SHLI)
    *out_bits = a << b;
  else if (op == VALUE_SHRUI)
    *out_bits = a >> b;
  else // of a negative number: complement, shift in zeros, complement
    *out_bits = sign_extend(a, num_bits) < 0
                    ? ~(~(uint64_t)sign_extend(a, num_bits) >> b)
                    : a >> b;
  return true;
}

static uint64_t compute_choice(ValueOp op, uint64_t a, uint64_t b,
                               int num_bits) {
  bool is_less_signed = sign_extend(a, num_bits) < sign_extend(b, num_bits);
  switch (op) {
  case VALUE_MINSI:
    return is_less_signed ? a : b;
  case VALUE_MAXSI:
    return is_less_signed ? b : a;
  case VALUE_MINUI:
    return a < b ? a : b;
  default:
    assert(op == VALUE_MAXUI);
    return a < b ? b : a;
  }
}

/// Returns false when the result is undefined.
static bool compute_binary(ValueOp op, uint64_t a, uint64_t b, int num_bits,
                           uint64_t *out_bits) {
  switch (op) {
  case VALUE_ADDI:
    *out_bits = a + b;
    return true;
  case VALUE_SUBI:
    *out_bits = a - b;
    return true;
  case VALUE_MULI:
    *out_bits = a * b;
    return true;
  case VALUE_ANDI:
    *out_bits = a & b;
    return true;
  case VALUE_ORI:
    *out_bits = a | b;
    return true;
  case VALUE_XORI:
    *out_bits = a ^ b;
    return true;
  case VALUE_SHLI:
  case VALUE_SHRSI:
  case VALUE_SHRUI:
    return compute_shift(op, a, b, num_bits, out_bits);
  case VALUE_MINSI:
  case VALUE_MINUI:
  case VALUE_MAXSI:
  case VALUE_MAXUI:
    *out_bits = compute_choice(op, a, b, num_bits);
    return true;
  default:
    return compute_division(op, a, b, num_bits, out_bits);
  }
}

static bool compare(ValuePredicate predicate, uint64_t a, uint64_t b,
                    int num_bits) {
  int64_t sa = sign_extend(a, num_bits), sb = sign_extend(b, num_bits);
  switch (predicate) {
  case PREDICATE_EQ:
    return a == b;
  case PREDICATE_NE:
    return a != b;
  case PREDICATE_SLT:
    return sa < sb;
  case PREDICATE_SLE:
    return sa <= sb;
  case PREDICATE_SGT:
    return sa > sb;
  case PREDICATE_SGE:
    return sa >= sb;
  case PREDICATE_ULT:
    return a < b;
  case PREDICATE_ULE:
    return a <= b;
  case PREDICATE_UGT:
    return a > b;
  default:
    assert(predicate == PREDICATE_UGE);
    return a >= b;
  }
}

//===-- Integers of one operand -------------------------------------------===//

static uint64_t compute_unary(ValueOp op, uint64_t a, int num_bits) {
  uint64_t count = 0;
  switch (op) {
  case VALUE_ABSI:
    return sign_extend(a, num_bits) < 0 ? 0 - a : a;
  case VALUE_CTLZ:
    for (int bit = num_bits - 1; bit >= 0 && !(a >> bit & 1); bit--)
      count++;
    return count;
  case VALUE_CTTZ:
    for (int bit = 0; bit < num_bits && !(a >> bit & 1); bit++)
      count++;
    return count;
  default:
    assert(op == VALUE_CTPOP);
    for (int bit = 0; bit < num_bits; bit++)
      count += a >> bit & 1;
    return count;
  }
}

//===-- One entry ---------------------------------------------------------===//

static ValueResult compute_leaf(const ValueInputs *inputs, const Value *value,
                                const ValueResult *old) {
  const TileArg *args = inputs->args;
  ValueResult result = {.failed_at = -1, .real = value->real};
  switch (value->op) {
  case VALUE_CONSTANT:
    result.bits = (uint64_t)value->integer;
    break;
  case VALUE_ARGUMENT:
    result.bits = (uint64_t)args[value->arg].scalar.integer;
    result.real = args[value->arg].scalar.real;
    break;
  case VALUE_DIM:
    result.bits = (uint64_t)args[value->arg].shape[value->dim];
    break;
  case VALUE_STRIDE:
    result.bits = (uint64_t)args[value->arg].strides[value->dim];
    break;
  case VALUE_POINTER:
    result.bits = args[value->arg].address;
    break;
  case VALUE_GLOBAL:
    result.bits = inputs->globals ? inputs->globals[value->arg] : 0;
    break;
  case VALUE_VARIABLE:
    return *old;
  default:
    assert(value->op == VALUE_NUM_SMS);
    result.bits = (uint64_t)inputs->num_sms;
    break;
  }
  return result;
}

static ValueResult compute_ints(const Value *value, const Value *operand,
                                const ValueResult *const operands[3],
                                int index) {
  ValueResult result = {.failed_at = -1, .bits = operands[0]->bits};
  int from_bits = operand->type.num_bits;
  uint64_t a = operands[0]->bits;
  switch (tile_value_ops[value->op].kind) {
  case TILE_HOST_INT_CAST: // the caller cuts to the width
    if (value->op == VALUE_EXTSI || value->op == VALUE_INDEX_CAST)
      result.bits = (uint64_t)sign_extend(a, from_bits);
    return result;
  case TILE_HOST_INT_UNARY:
    result.bits = compute_unary(value->op, a, from_bits);
    return result;
  case TILE_HOST_CMPI:
    result.bits = compare((ValuePredicate)value->predicate, a,
                          operands[1]->bits, from_bits);
    return result;
  default:
    if (!compute_binary(value->op, a, operands[1]->bits, from_bits,
                        &result.bits))
      result.failed_at = index;
    return result;
  }
}

static bool is_of_floats(TileHostValueKind kind) {
  return (kind >= TILE_HOST_FLOAT_UNARY && kind <= TILE_HOST_TO_INT);
}

static ValueResult compute_inner(const TileHostFunction *function, int index,
                                 const ValueResult *results) {
  const Value *value = &function->values[index];
  TileHostValueKind kind = tile_value_ops[value->op].kind;
  const ValueResult *operands[3];
  for (int i = 0; i < 3; i++)
    operands[i] = &results[value->operands[i]];
  if (operands[0]->failed_at >= 0)
    return *operands[0];
  if (kind == TILE_HOST_SELECT)
    return *operands[operands[0]->bits ? 1 : 2];
  for (int i = 1; i < 3; i++) // those that an op lacks are value 0, a leaf
    if (i < tile_value_num_operands(value->op) && operands[i]->failed_at >= 0)
      return *operands[i];
  const Value *operand = &function->values[value->operands[0]];
  if (!is_of_floats(kind))
    return compute_ints(value, operand, operands, index);
  ValueResult result = {.failed_at = -1};
  if (!tile_value_compute_float(value, operand, operands, &result))
    result.failed_at = index;
  return result;
}

static void compute(const ValueInputs *inputs, int index,
                    ValueResult *results) {
  const Value *value = &inputs->function->values[index];
  results[index] = tile_value_ops[value->op].kind == TILE_HOST_LEAF
                       ? compute_leaf(inputs, value, &results[index])
                       : compute_inner(inputs->function, index, results);
  if (!value->type.is_float)
    results[index].bits &= mask_of(value->type.num_bits);
}

void tile_host_values_update(const ValueInputs *inputs, const int *list,
                             int count, ValueResult *results) {
  for (int i = 0; i < count; i++)
    compute(inputs, list[i], results);
}

void tile_host_values_evaluate(const ValueInputs *inputs,
                               ValueResult *out_results) {
  for (int i = 0; i < inputs->function->num_values; i++) {
    out_results[i] = (ValueResult){.failed_at = -1}; // of variables
    compute(inputs, i, out_results);
  }
}
