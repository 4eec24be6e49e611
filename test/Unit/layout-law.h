//===- layout-law.h - The law expand o infer = infer o expand -------------===//
//
// A stage dimension changes no choice: the layouts of a problem whose tiles
// have one are those of the problem without, slot by slot, at the same cost.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_TEST_UNIT_LAYOUT_LAW_H
#define TILE_TEST_UNIT_LAYOUT_LAW_H

#include "Layout/LayoutInfer.h"
#include "layout-check.h"

#include <string.h>

static inline bool layout_solve(const TileInferProblem *p, TileArena *arena,
                                TileInferModel *m, TileInferResult *r,
                                TileReason *e) {
  return tile_infer_build(p, arena, m, e) && tile_infer_solve(m, r, e);
}

// Prepends a stage dimension to the tiles in |mask|, by number of the buffer.
static inline void layout_expand_problem(const TileInferProblem *p,
                                         TileArena *arena, uint64_t mask,
                                         int64_t stages,
                                         TileInferProblem *out) {
  enum { TEXT_BYTES = 3000 };
  *out = *p;
  out->buffer = TILE_ARENA_NEW(arena, TileInferBuffer, p->num_buffers);
  for (int b = 0; b < p->num_buffers; b++) {
    TileInferBuffer *x = &out->buffer[b];
    *x = p->buffer[b];
    if (b >= 64 || x->space == TILE_INFER_GLOBAL || !(mask >> b & 1))
      continue;
    bool is_lifted = x->space == TILE_INFER_SHARED; // by its name
    if (x->user && (!is_lifted || strncmp(x->user, "bases", 5) == 0)) {
      TileLayout l, ex;
      char *text = tile_arena_alloc(arena, TEXT_BYTES);
      tile_layout_parse(x->user, x->shape, x->rank, x->elem_bits, &l, NULL);
      tile_layout_expand(&l, stages, 0, 1, &ex, NULL);
      tile_layout_print(&ex, 0, text, TEXT_BYTES);
      x->user = text;
    }
    memmove(x->shape + 1, x->shape, sizeof(int64_t) * (size_t)x->rank);
    x->shape[0] = stages;
    x->rank++, x->lead++;
  }
}

/// Checks the law for solution |r1| of |m1| and the tiles in |mask|.
static inline void layout_law_check(const TileInferModel *m1,
                                    const TileInferResult *r1, uint64_t mask,
                                    int64_t stages) {
  const TileInferProblem *p = m1->problem;
  TileInferProblem q;
  TileInferModel m2;
  TileInferResult r2;
  TileReason e = {""};
  TileArena arena;
  tile_arena_init(&arena);
  layout_expand_problem(p, &arena, mask, stages, &q);
  CHECK(layout_solve(&q, &arena, &m2, &r2, &e), "%s expanded: %s", p->name,
        e.text);
  CHECK(r1->cost == r2.cost, "%s: cost %lld, expanded %lld", p->name,
        (long long)r1->cost, (long long)r2.cost);
  for (int b = 0; b < p->num_buffers; b++) {
    if (p->buffer[b].space == TILE_INFER_GLOBAL)
      continue;
    const TileLayout *full = m2.domain[b].full[r2.choice[b]];
    TileLayout slot = *full;
    for (int k = 0; k < q.buffer[b].lead; k++)
      CHECK(tile_layout_drop_leading(&slot, &slot, &e), "%s", e.text);
    CHECK(tile_layout_equal(m1->domain[b].core[r1->choice[b]], &slot),
          "law: %s of %s, %lld stages", p->buffer[b].name, p->name,
          (long long)stages);
  }
  tile_arena_deinit(&arena);
}

#endif
