//===- ProtocolEval.c - Slots and parities, executed ----------------------===//
//
// Positions are computed exactly; counters that have no bound are kept modulo a
// number that is large enough for `counter mod depth` and for its parity.
//
//===----------------------------------------------------------------------===//

#include "ProtocolInternal.h"
#include "Support/Arithmetic.h"

//===-- Numbers -----------------------------------------------------------===//

static ProtocolNumber unknown(void) { return (ProtocolNumber){0}; }

static ProtocolNumber known(int64_t value, int64_t modulus) {
  if (modulus) {
    value %= modulus;
    value += value < 0 ? modulus : 0;
  }
  return (ProtocolNumber){true, value, modulus, false};
}

static bool is_at_least(ProtocolNumber x) { return !x.modulus || x.is_least; }

// A sum of numbers of which the least value is known.
static ProtocolNumber sum(ProtocolNumber a, ProtocolNumber b) {
  int64_t value = a.value + b.value, modulus = tile_gcd(a.modulus, b.modulus);
  if (modulus && value >= 0 && is_at_least(a) && is_at_least(b))
    return (ProtocolNumber){true, value, modulus, true};
  return known(value, modulus);
}

static ProtocolNumber product(ProtocolNumber a, ProtocolNumber b) {
  const int64_t limit = INT64_C(1) << 31;
  if (a.modulus && b.modulus)
    return unknown();
  int64_t factor = a.modulus ? b.value : a.value;
  int64_t modulus = a.modulus + b.modulus;
  if (factor < 0 || factor >= limit || a.value >= limit || b.value >= limit ||
      modulus >= limit)
    return unknown();
  return known(a.value * b.value, modulus * factor);
}

// x = value + t * modulus, with x and t not negative.
static ProtocolNumber quotient(ProtocolNumber a, ProtocolNumber b) {
  if (b.modulus || b.value <= 0 || a.value < 0 || a.modulus % b.value)
    return unknown();
  ProtocolNumber out = known(a.value / b.value, a.modulus / b.value);
  if (!a.modulus || !a.is_least)
    return out;
  return (ProtocolNumber){true, a.value / b.value, a.modulus / b.value, true};
}

static ProtocolNumber remainder_of(ProtocolNumber a, ProtocolNumber b) {
  if (b.modulus || b.value <= 0 || a.value < 0 || a.modulus % b.value)
    return unknown();
  return known(a.value % b.value, 0);
}

static bool is_shift(ProtocolNumber x) {
  enum { MAX_SHIFT = 30 };
  return !x.modulus && x.value >= 0 && x.value <= MAX_SHIFT;
}

static bool is_mask(ProtocolNumber x) {
  return !x.modulus && x.value > 0 && (x.value & (x.value + 1)) == 0;
}

static ProtocolNumber conjunction(ProtocolNumber a, ProtocolNumber b) {
  if (!a.modulus && !b.modulus)
    return known(a.value & b.value, 0);
  if (is_mask(b))
    return remainder_of(a, known(b.value + 1, 0));
  return is_mask(a) ? remainder_of(b, known(a.value + 1, 0)) : unknown();
}

static int64_t compare(int function, int64_t a, int64_t b) {
  uint64_t x = (uint64_t)a, y = (uint64_t)b;
  switch (function) {
  case TILE_PROTOCOL_FN_EQ:
    return a == b;
  case TILE_PROTOCOL_FN_NE:
    return a != b;
  case TILE_PROTOCOL_FN_LT:
    return a < b;
  case TILE_PROTOCOL_FN_LE:
    return a <= b;
  case TILE_PROTOCOL_FN_GT:
    return a > b;
  case TILE_PROTOCOL_FN_GE:
    return a >= b;
  case TILE_PROTOCOL_FN_ULT:
    return x < y;
  case TILE_PROTOCOL_FN_ULE:
    return x <= y;
  case TILE_PROTOCOL_FN_UGT:
    return x > y;
  default:
    return x >= y;
  }
}

// Of `a`, which is `a.value` or more, and an exact number.
static ProtocolNumber compare_least(int function, ProtocolNumber a, int64_t b) {
  bool is_above = a.value > b, is_not_below = a.value >= b;
  switch (function) {
  case TILE_PROTOCOL_FN_EQ:
    return is_above ? known(0, 0) : unknown();
  case TILE_PROTOCOL_FN_NE:
    return is_above ? known(1, 0) : unknown();
  case TILE_PROTOCOL_FN_LT:
  case TILE_PROTOCOL_FN_ULT:
    return is_not_below ? known(0, 0) : unknown();
  case TILE_PROTOCOL_FN_GE:
  case TILE_PROTOCOL_FN_UGE:
    return is_not_below ? known(1, 0) : unknown();
  case TILE_PROTOCOL_FN_LE:
  case TILE_PROTOCOL_FN_ULE:
    return is_above ? known(0, 0) : unknown();
  case TILE_PROTOCOL_FN_GT:
  case TILE_PROTOCOL_FN_UGT:
    return is_above ? known(1, 0) : unknown();
  default:
    return unknown();
  }
}

// Functions of which nothing is known unless both numbers are exact.
static ProtocolNumber of_exact(int function, int64_t a, int64_t b) {
  switch (function) {
  case TILE_PROTOCOL_FN_XOR:
    return known(a ^ b, 0);
  case TILE_PROTOCOL_FN_OR:
    return known(a | b, 0);
  case TILE_PROTOCOL_FN_MIN:
    return known(a < b ? a : b, 0);
  case TILE_PROTOCOL_FN_MAX:
    return known(a > b ? a : b, 0);
  case TILE_PROTOCOL_FN_CEILDIV:
    return a >= 0 && b > 0 ? known((a + b - 1) / b, 0) : unknown();
  default:
    return known(compare(function, a, b), 0);
  }
}

static ProtocolNumber of_two(int function, ProtocolNumber a, ProtocolNumber b) {
  switch (function) {
  case TILE_PROTOCOL_FN_ADD:
    return sum(a, b);
  case TILE_PROTOCOL_FN_SUB:
    return known(a.value - b.value, tile_gcd(a.modulus, b.modulus));
  case TILE_PROTOCOL_FN_MUL:
    return product(a, b);
  case TILE_PROTOCOL_FN_DIV:
    return quotient(a, b);
  case TILE_PROTOCOL_FN_REM:
    return remainder_of(a, b);
  case TILE_PROTOCOL_FN_AND:
    return conjunction(a, b);
  case TILE_PROTOCOL_FN_SHL:
    return is_shift(b) ? product(a, known(INT64_C(1) << b.value, 0))
                       : unknown();
  case TILE_PROTOCOL_FN_SHR:
    return is_shift(b) ? quotient(a, known(INT64_C(1) << b.value, 0))
                       : unknown();
  default:
    if (a.modulus && a.is_least && !b.modulus && b.value >= 0)
      return compare_least(function, a, b.value);
    return a.modulus || b.modulus ? unknown()
                                  : of_exact(function, a.value, b.value);
  }
}

//===-- Scalars -----------------------------------------------------------===//

static ProtocolNumber advance(const TileProtocolScalar *scalar,
                              const ProtocolNumber *args) {
  int64_t depth = scalar->constant;
  bool wraps = args[0].value + 1 == depth;
  if (args[0].modulus)
    return unknown();
  if (scalar->function == TILE_PROTOCOL_FN_ADVANCE_SLOT)
    return known(wraps ? 0 : args[0].value + 1, 0);
  return args[1].modulus ? unknown() : known(args[1].value ^ wraps, 0);
}

static ProtocolNumber choose(const ProtocolNumber *args) {
  const ProtocolNumber *a = &args[1], *b = &args[2];
  if (args[0].is_known && !args[0].modulus)
    return args[0].value ? *a : *b;
  bool same = a->is_known && b->is_known && a->value == b->value &&
              a->modulus == b->modulus;
  return same ? *a : unknown();
}

ProtocolNumber protocol_apply(const TileProtocolScalar *scalar,
                              const ProtocolNumber *args) {
  if (scalar->function >= TILE_PROTOCOL_FN_OTHER)
    return unknown();
  if (scalar->function == TILE_PROTOCOL_FN_SELECT)
    return choose(args);
  for (int i = 0; i < scalar->num_args; i++)
    if (!args[i].is_known)
      return unknown();
  if (scalar->function <= TILE_PROTOCOL_FN_ADVANCE_PARITY)
    return advance(scalar, args);
  return scalar->function == TILE_PROTOCOL_FN_CAST
             ? args[0]
             : of_two(scalar->function, args[0], args[1]);
}

static ProtocolNumber eval_op(const ProtocolBinding *binding,
                              const int32_t *bound,
                              const TileProtocolScalar *scalar) {
  ProtocolNumber args[PROTOCOL_MAX_ARGS] = {{0}};
  if (scalar->num_args > PROTOCOL_MAX_ARGS)
    return unknown();
  for (int i = 0; i < scalar->num_args; i++)
    args[i] = protocol_eval(binding, bound, scalar->args[i]);
  return protocol_apply(scalar, args);
}

ProtocolNumber protocol_eval(const ProtocolBinding *binding,
                             const int32_t *bound, TileProtocolScalarId id) {
  const TileProtocolScalar *scalar = &binding->protocol->scalars[id];
  if (scalar->kind == TILE_PROTOCOL_CONST)
    return known(scalar->constant, 0);
  int place = binding->place[id];
  if (scalar->kind == TILE_PROTOCOL_OP && place < 0)
    return eval_op(binding, bound, scalar);
  if (place < 0 || bound[place] == PROTOCOL_UNBOUND)
    return unknown();
  int32_t value = bound[place];
  if (!binding->threshold)
    return known(value, binding->modulus[id]);
  bool is_exact = !binding->modulus[id] || value < binding->threshold;
  return (ProtocolNumber){true, value, is_exact ? 0 : binding->modulus[id],
                          !is_exact};
}

// Counters beyond this are no positions.
enum { MAX_EXACT = 4096 };

// Exact below the threshold, then what it is modulo from there on.
static int32_t threshold_value(ProtocolNumber number, int64_t modulus,
                               int64_t threshold) {
  if (number.value < 0 || number.modulus % modulus ||
      (number.modulus && !(number.is_least && number.value >= threshold)))
    return PROTOCOL_UNBOUND;
  if (number.value < threshold)
    return (int32_t)number.value;
  return (int32_t)(threshold + (number.value - threshold) % modulus);
}

int32_t protocol_place_value(const ProtocolBinding *binding,
                             TileProtocolScalarId id, ProtocolNumber number) {
  int64_t modulus = binding->modulus[id];
  if (!number.is_known)
    return PROTOCOL_UNBOUND;
  if (modulus && binding->threshold)
    return threshold_value(number, modulus, binding->threshold);
  if (modulus)
    return number.modulus % modulus
               ? PROTOCOL_UNBOUND
               : (int32_t)known(number.value, modulus).value;
  bool fits = !number.modulus && number.value <= MAX_EXACT &&
              number.value >= -MAX_EXACT;
  return fits ? (int32_t)number.value : PROTOCOL_UNBOUND;
}
