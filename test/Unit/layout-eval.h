//===- layout-eval.h - What the terms of a layout add up to ---------------===//
#ifndef TILE_TEST_UNIT_LAYOUT_EVAL_H
#define TILE_TEST_UNIT_LAYOUT_EVAL_H
#include "Layout/Layout.h"

// The rule of TileLayoutTerms, its second form where it applies.
static inline int64_t terms_eval(const TileLayoutTerms *terms, int out_axis,
                                 const int64_t *in,
                                 TileLayoutConstant constant) {
  int64_t xored = 0, added = 0;
  for (int i = 0; i < terms->num_terms; i++) {
    const TileLayoutTerm *t = &terms->term[i];
    if (t->out_axis != out_axis)
      continue;
    int64_t v = in[t->in_axis] / t->div;
    v = (t->mod ? v % t->mod : v) * t->mul;
    if (t->is_xor)
      xored ^= v;
    else
      added += v;
  }
  return terms->is_foldable[out_axis]
             ? ((xored + added) ^ constant.toggle) + constant.add
             : (xored ^ constant.toggle) + added + constant.add;
}
#endif
