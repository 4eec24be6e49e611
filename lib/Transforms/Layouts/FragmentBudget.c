//===- FragmentBudget.c - Fragments and the registers of threads ----------===//
//
// Part of layout inference: a fragment that leaves no register for anything
// else is an error; several that do so together may still fit, as ptxas
// computes values when they are needed: a remark.
//
//===----------------------------------------------------------------------===//

#include "FragmentBudget.h"

#include "Analysis/Memory/Memory.h"
#include "Support/Diagnostics.h"

// What the views of a fragment cost, where they cost much.
static void remark_views(const TileInferModel *model, int i,
                         MlirOperation alloc, int64_t num_elems) {
  const TileInferBuffer *buffer = &model->problem->buffer[i];
  int64_t run = tile_infer_view_run(model, i), size = 1;
  int64_t num_threads = (int64_t)model->problem->role[buffer->role].warps * 32;
  for (int d = 0; d < buffer->rank; d++)
    size *= buffer->shape[d];
  int64_t share = (size + num_threads - 1) / num_threads;
  if (run > 1 && num_elems > 2 * share)
    tile_emit_remark(alloc, "tile-layout/view",
                     "its views leave %lld elements or more together in one "
                     "thread: each holds %lld, %lld would be its share",
                     (long long)run, (long long)num_elems, (long long)share);
}

MlirLogicalResult tile_fragment_budget_check(const FragmentBudget *budget,
                                             const TileInferModel *model,
                                             const TileInferResult *result) {
  for (int i = 0; i < model->problem->num_buffers; i++) {
    const TileInferBuffer *buffer = &model->problem->buffer[i];
    if (buffer->space != TILE_INFER_FRAGMENT || buffer->is_view)
      continue;
    const TileLayout *layout = model->domain[i].full[result->choice[i]];
    int64_t num_elems = tile_layout_axis_size(&layout->in, TILE_LAYOUT_REG);
    int64_t needed = (num_elems * buffer->elem_bits + 31) / 32;
    MlirOperation alloc = mlirOpResultGetOwner(budget->problem->values[i]);
    int64_t limit =
        tile_fragment_thread_registers(tile_alloc_cast(alloc), budget->kernel,
                                       budget->target, budget->num_threads);
    remark_views(model, i, alloc, num_elems);
    if (needed + TILE_OTHER_REGISTERS > limit)
      return tile_emit_error(
          alloc,
          "needs %lld registers per thread; %lld threads of %s have %lld each, "
          "of which %d are kept for addresses",
          (long long)needed, (long long)budget->num_threads,
          budget->target->chip, (long long)limit, TILE_OTHER_REGISTERS);
  }
  return tile_success();
}

// Whether a fragment before `buffer` belongs to the same threads.
static bool is_known_role(const FragmentBudget *budget, int buffer,
                          TileRoleOp role) {
  for (int i = 0; i < buffer; i++)
    if (budget->problem->problem.buffer[i].space == TILE_INFER_FRAGMENT &&
        !budget->problem->problem.buffer[i].is_view &&
        tile_alloc_role(
            tile_alloc_cast(mlirOpResultGetOwner(budget->problem->values[i])))
                .op.ptr == role.op.ptr)
      return true;
  return false;
}

void tile_fragment_budget_remark(const FragmentBudget *budget) {
  const TileInferProblem *problem = &budget->problem->problem;
  for (int i = 0; i < problem->num_buffers; i++) {
    if (problem->buffer[i].space != TILE_INFER_FRAGMENT ||
        problem->buffer[i].is_view)
      continue;
    TileAllocOp alloc =
        tile_alloc_cast(mlirOpResultGetOwner(budget->problem->values[i]));
    if (is_known_role(budget, i, tile_alloc_role(alloc)))
      continue;
    int64_t limit = tile_fragment_thread_registers(
        alloc, budget->kernel, budget->target, budget->num_threads);
    TileFragmentPeak peak =
        tile_fragment_peak(budget->arena, budget->kernel, alloc);
    if (peak.num_fragments > 1 && peak.num_registers > limit)
      tile_emit_remark(
          peak.op, "tile-layout/registers",
          "%d fragments that live behind this op take %lld registers of each "
          "thread; %lld threads of %s have %lld each: some may be spilled",
          peak.num_fragments, (long long)peak.num_registers,
          (long long)budget->num_threads, budget->target->chip,
          (long long)limit);
  }
}
