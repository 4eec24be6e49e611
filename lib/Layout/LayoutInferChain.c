//===- LayoutInferChain.c - Accumulators that become factors --------------===//
//
// In attention the accumulator of one product, cast, is the left factor of the
// next. The tile is as large as the accumulator, so shared memory would cost
// more than the product: such a step may move elements between the registers of
// a warp only. This is a rule, not a cost. Where no partition of the products
// obeys it, the caller lifts it for the whole problem.
//
//===----------------------------------------------------------------------===//
#include "LayoutInferInternal.h"

enum { NUM_FACTORS = 2, ACCUMULATOR = 2 };

static bool is_fragment(const TileInferProblem *p, int buffer) {
  return p->buffer[buffer].space == TILE_INFER_FRAGMENT;
}

static bool is_element_loop(const TileInferOp *op) {
  return op->kind == TILE_INFER_COPY || op->kind == TILE_INFER_TRANSPOSE ||
         op->kind == TILE_INFER_PARALLEL;
}

// Operand 1 of a copy or a transpose is what it writes.
static bool writes(const TileInferOp *op, int o) {
  return op->kind == TILE_INFER_PARALLEL ? op->operand[o].write : o == 1;
}

static bool is_accumulator(const TileInferProblem *p, int buffer) {
  for (int i = 0; i < p->num_ops; i++)
    if (p->op[i].kind == TILE_INFER_GEMM &&
        p->op[i].operand[ACCUMULATOR].buffer == buffer)
      return true;
  return false;
}

static bool is_factor(const TileInferProblem *p, int buffer) {
  for (int i = 0; i < p->num_ops; i++)
    for (int o = 0; o < NUM_FACTORS && p->op[i].kind == TILE_INFER_GEMM; o++)
      if (p->op[i].operand[o].buffer == buffer)
        return true;
  return false;
}

static bool reads_accumulator(const TileInferProblem *p,
                              const TileInferOp *op) {
  for (int o = 0; o < op->num_operands; o++)
    if (!writes(op, o) && is_fragment(p, op->operand[o].buffer) &&
        is_accumulator(p, op->operand[o].buffer))
      return true;
  return false;
}

// An accumulator, or what an element loop makes of one.
static bool carries_accumulator(const TileInferProblem *p, int buffer) {
  if (is_accumulator(p, buffer))
    return true;
  for (int i = 0; i < p->num_ops; i++)
    for (int o = 0; o < p->op[i].num_operands && is_element_loop(&p->op[i]);
         o++)
      if (writes(&p->op[i], o) && p->op[i].operand[o].buffer == buffer &&
          reads_accumulator(p, &p->op[i]))
        return true;
  return false;
}

bool tile_infer_stays_in_warp(const TileInferModel *m, const TileInferOp *op) {
  const TileInferProblem *p = m->problem;
  if (p->may_stage_chains)
    return false;
  for (int o = 0; o < NUM_FACTORS && op->kind == TILE_INFER_GEMM; o++)
    if (is_fragment(p, op->operand[o].buffer) &&
        carries_accumulator(p, op->operand[o].buffer))
      return true;
  if (!is_element_loop(op) || !reads_accumulator(p, op))
    return false;
  for (int o = 0; o < op->num_operands; o++)
    if (writes(op, o) && is_fragment(p, op->operand[o].buffer) &&
        is_factor(p, op->operand[o].buffer))
      return true;
  return false;
}
