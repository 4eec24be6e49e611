//===- PipelineLag.c - A product under way beside the next copies ---------===//
//
// Without roles the threads that multiply also copy. A copy in front of the
// product of its step overwrites the slot of the product before, which it has
// to await: nothing overlaps. Behind it, and into the slot of the product
// before all the same, that one has had a whole step, and the product of the
// step is under way during the copies and the next wait:
//
//   step   wait i; product i; await product i - 1; copies i + S
//
// So the copies move behind the products, and the ring keeps the slot that the
// plan counts for copies in front. For loops that only multiply what TMA
// copies; sums that others use are awaited in their iteration anyway.
//
//===----------------------------------------------------------------------===//

#include "SoftwarePipeline.h"

#include "Dialect/Products.h"

static bool is_tma_copy(MlirOperation op) {
  return tile_copy_is(op) &&
         !mlirAttributeIsNull(tile_copy_instr_attr(tile_copy_cast(op))) &&
         tile_copy_instr(tile_copy_cast(op)) == TILE_INSTR_Tma &&
         mlirValueIsNull(tile_copy_signal(tile_copy_cast(op)));
}

// Whether all statements are copies of the first stage, or products of the last
// one behind them.
static bool suits(const Pipeline *p) {
  const TileLoopPlan *plan = &p->loop->plan;
  int32_t last_copy = INT32_MIN, first_product = INT32_MAX;
  if (p->form != PIPELINE_GUARDED || !p->kernel.ptr ||
      !scf_for_is(p->loop->body.loop.op) ||
      pipeline_is_in_role(p->loop->body.loop.op))
    return false;
  for (int i = 0; i < plan->num_items; i++) {
    const TilePlanItem *item = &plan->items[i];
    const TileStatement *s = &p->loop->body.statements[i];
    TileProduct product;
    if (is_tma_copy(s->op) && item->group >= 0 && item->stage == 0) {
      last_copy = item->order > last_copy ? item->order : last_copy;
    } else if (tile_product_is_wgmma(s->op, &product) && !product.is_async &&
               s->num_guards == 0 && item->stage == p->last_stage) {
      first_product = item->order < first_product ? item->order : first_product;
    } else {
      return false;
    }
  }
  return last_copy > INT32_MIN && first_product < INT32_MAX &&
         last_copy < first_product;
}

void pipeline_lag(Pipeline *p) {
  TileLoopPlan *plan = &p->loop->plan;
  int32_t last = INT32_MIN, first = INT32_MAX;
  p->has_lag = suits(p);
  if (!p->has_lag)
    return;
  for (int i = 0; i < plan->num_items; i++) {
    last = plan->items[i].order > last ? plan->items[i].order : last;
    first = plan->items[i].order < first ? plan->items[i].order : first;
  }
  for (int i = 0; i < plan->num_items; i++)
    if (is_tma_copy(p->loop->body.statements[i].op))
      plan->items[i].order += last - first + 1;
}
