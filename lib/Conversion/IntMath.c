//===- IntMath.c - Integer arithmetic that folds; layouts as code ---------===//

#include "Conversion.h"

#include "Support/Constants.h"

//===-- Arithmetic --------------------------------------------------------===//

// Constants wrap at the width that the emitted code will have: index is lowered
// to 32 bits.
static int64_t wrap(const TileIntMath *math, int64_t value) {
  if (mlirTypeIsAInteger(math->type) &&
      mlirIntegerTypeGetWidth(math->type) == 64)
    return value;
  return (int32_t)(uint32_t)value;
}

MlirValue tile_int_get(TileIntMath *math, TileInt x) {
  if (!tile_int_is_constant(x))
    return x.value;
  return arith_constant(math->b, mlirIntegerAttrGet(math->type, x.constant));
}

TileInt tile_int_add(TileIntMath *math, TileInt x, TileInt y) {
  if (tile_int_is_constant(x) && tile_int_is_constant(y))
    return tile_int_constant(wrap(math, x.constant + y.constant));
  if (tile_int_is_constant(x) && x.constant == 0)
    return y;
  if (tile_int_is_constant(y) && y.constant == 0)
    return x;
  MlirValue left = tile_int_get(math, x);
  return tile_int_value(arith_addi(math->b, left, tile_int_get(math, y)));
}

TileInt tile_int_sub(TileIntMath *math, TileInt x, TileInt y) {
  if (tile_int_is_constant(y))
    return tile_int_add(math, x, tile_int_constant(-y.constant));
  MlirValue left = tile_int_get(math, x);
  return tile_int_value(arith_subi(math->b, left, tile_int_get(math, y)));
}

TileInt tile_int_mul_value(TileIntMath *math, TileInt x, TileInt y) {
  if (tile_int_is_constant(y))
    return tile_int_mul(math, x, y.constant);
  if (tile_int_is_constant(x))
    return tile_int_mul(math, y, x.constant);
  return tile_int_value(arith_muli(math->b, x.value, y.value));
}

TileInt tile_int_mul(TileIntMath *math, TileInt x, int64_t factor) {
  if (tile_int_is_constant(x))
    return tile_int_constant(wrap(math, x.constant * factor));
  if (factor == 0)
    return tile_int_constant(0);
  if (factor == 1)
    return x;
  MlirValue by = tile_int_get(math, tile_int_constant(factor));
  return tile_int_value(arith_muli(math->b, x.value, by));
}

TileInt tile_int_xor(TileIntMath *math, TileInt x, TileInt y) {
  if (tile_int_is_constant(x) && tile_int_is_constant(y))
    return tile_int_constant(x.constant ^ y.constant);
  if (tile_int_is_constant(x) && x.constant == 0)
    return y;
  if (tile_int_is_constant(y) && y.constant == 0)
    return x;
  MlirValue left = tile_int_get(math, x);
  return tile_int_value(arith_xori(math->b, left, tile_int_get(math, y)));
}

TileInt tile_int_div(TileIntMath *math, TileInt x, int64_t divisor) {
  if (divisor == 1)
    return x;
  if (tile_int_is_constant(x))
    return tile_int_constant(
        (int64_t)((uint32_t)x.constant / (uint32_t)divisor));
  MlirValue by = tile_int_get(math, tile_int_constant(divisor));
  return tile_int_value(arith_divui(math->b, x.value, by));
}

TileInt tile_int_rem(TileIntMath *math, TileInt x, int64_t divisor) {
  if (divisor == 1)
    return tile_int_constant(0);
  if (tile_int_is_constant(x))
    return tile_int_constant(
        (int64_t)((uint32_t)x.constant % (uint32_t)divisor));
  MlirValue by = tile_int_get(math, tile_int_constant(divisor));
  return tile_int_value(arith_remui(math->b, x.value, by));
}

//===-- Layouts as code ---------------------------------------------------===//

static TileInt term_emit(TileIntMath *math, const TileLayoutTerm *term,
                         const TileInt *in) {
  TileInt value = tile_int_div(math, in[term->in_axis], term->div);
  if (term->mod)
    value = tile_int_rem(math, value, term->mod);
  return tile_int_mul(math, value, term->mul);
}

bool tile_layout_code_begin(TileIntMath *math, const TileLayout *layout,
                            unsigned constant_axes, const TileInt *in,
                            TileLayoutCode *out_code, TileReason *out_error) {
  out_code->layout = *layout;
  out_code->constant_axes = constant_axes;
  if (!tile_layout_terms(layout, constant_axes, &out_code->terms, out_error))
    return false;
  for (int axis = 0; axis < layout->out.num_axes; axis++)
    out_code->xors[axis] = out_code->sums[axis] = tile_int_constant(0);
  for (int i = 0; i < out_code->terms.num_terms; i++) {
    const TileLayoutTerm *term = &out_code->terms.term[i];
    TileInt value = term_emit(math, term, in);
    TileInt *part = term->is_xor ? &out_code->xors[term->out_axis]
                                 : &out_code->sums[term->out_axis];
    *part = term->is_xor ? tile_int_xor(math, *part, value)
                         : tile_int_add(math, *part, value);
  }
  // Where constants may be applied last, everything else is one value.
  for (int axis = 0; axis < layout->out.num_axes; axis++) {
    if (constant_axes && !out_code->terms.is_foldable[axis])
      continue;
    out_code->xors[axis] =
        tile_int_add(math, out_code->xors[axis], out_code->sums[axis]);
    out_code->sums[axis] = tile_int_constant(0);
  }
  return true;
}

TileInt tile_layout_code_at(TileIntMath *math, const TileLayoutCode *code,
                            int out_axis, const int64_t *in) {
  TileLayoutConstant constant = {0, 0};
  if (code->constant_axes)
    constant =
        tile_layout_constant(&code->layout, code->constant_axes, out_axis, in);
  TileInt value = tile_int_xor(math, code->xors[out_axis],
                               tile_int_constant(constant.toggle));
  value = tile_int_add(math, value, code->sums[out_axis]);
  return tile_int_add(math, value, tile_int_constant(constant.add));
}
