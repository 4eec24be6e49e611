//===- layout-infer-test.c - Layout inference -----------------------------===//
//
// Expectations per kernel, the law expand o infer = infer o expand, optimality
// against brute force, determinism.
//
//===----------------------------------------------------------------------===//

#include "layout-check.h"
#include "layout-problems.h"
#include <string.h>

static TileInferModel *m1, *m2;

static int find(const TileInferProblem *p, const char *name) {
  for (int b = 0; b < p->num_buffers; b++)
    if (p->buffer[b].space != TILE_INFER_GLOBAL &&
        !strcmp(p->buffer[b].name, name))
      return b;
  return -1;
}

static bool solve(const TileInferProblem *p, TileInferModel *m,
                  TileInferResult *r, TileLayoutError *e) {
  return tile_infer_build(p, m, e) && tile_infer_solve(m, r, e);
}

//===-- The law: expand o infer = infer o expand --------------------------===//

// Prepends a stage dimension to the shared tiles and fragments in |mask|.
static void expand_problem(const TileInferProblem *p, unsigned mask,
                           int64_t stages, TileInferProblem *out,
                           char text[][3000]) {
  *out = *p;
  for (int b = 0; b < p->num_buffers; b++) {
    TileInferBuffer *x = &out->buffer[b];
    if (x->space == TILE_INFER_GLOBAL || !(mask >> b & 1))
      continue;
    if (x->user && strncmp(x->user, "bases", 5) == 0) {
      TileLayout l, ex; // a general user layout is expanded, then printed
      tile_layout_parse(x->user, x->shape, x->rank, x->elem_bits, &l, NULL);
      tile_layout_expand(&l, stages, 0, 1, &ex, NULL);
      tile_layout_print(&ex, 0, text[b], 3000);
      x->user = text[b];
    }
    memmove(x->shape + 1, x->shape, sizeof(int64_t) * (size_t)x->rank);
    x->shape[0] = stages;
    x->rank++, x->lead++;
  }
}

static void law(const TileInferProblem *p, const TileInferResult *r1,
                unsigned mask, int64_t stages) {
  static char text[TILE_INFER_MAX_BUFFERS][3000];
  TileInferProblem q;
  TileInferResult r2;
  TileLayoutError e = {""};
  expand_problem(p, mask, stages, &q, text);
  CHECK(solve(&q, m2, &r2, &e), "%s expanded: %s", p->name, e.text);
  CHECK(r1->cost == r2.cost, "%s: cost %lld, expanded %lld", p->name,
        (long long)r1->cost, (long long)r2.cost);
  for (int b = 0; b < p->num_buffers; b++) {
    if (p->buffer[b].space == TILE_INFER_GLOBAL)
      continue;
    TileLayout ex = m1->domain[b].full[r1->choice[b]];
    if (mask >> b & 1)
      CHECK(tile_layout_expand(&ex, stages, 0, 1, &ex, &e), "%s", e.text);
    CHECK(tile_layout_equal(&ex, &m2->domain[b].full[r2.choice[b]]),
          "law: %s of %s, %lld stages", p->buffer[b].name, p->name,
          (long long)stages);
  }
}

//===-- Expectations ------------------------------------------------------===//

static void layout_is(const TileInferModel *m, const TileInferResult *r,
                      const char *buffer, const char *want) {
  char text[3000] = "";
  int b = find(m->problem, buffer);
  if (b >= 0)
    tile_layout_print(&m->domain[b].full[r->choice[b]],
                      m->problem->buffer[b].elem_bits, text, sizeof text);
  CHECK(!strcmp(text, want), "%s %s: %s, not %s", m->problem->name, buffer,
        text, want);
}

static void attention(const TileInferModel *m, const TileInferResult *r,
                      const char *want_kind) {
  int s = find(m->problem, "S"), p = find(m->problem, "P");
  TileLayoutConversion c;
  // From the accumulator to the A operand of PV, whatever buffers lie between.
  TileLayout a;
  const TileInferBuffer *b = &m->problem->buffer[p];
  CHECK(tile_hw_wgmma_a(b->shape[0], b->shape[1], b->elem_bits, 2, 1, &a, NULL),
        "A");
  CHECK(tile_layout_plan_conversion(&m->domain[s].core[r->choice[s]], &a,
                                    b->elem_bits, &c, NULL),
        "plan");
  CHECK(!strcmp(tile_layout_conv_name(c.kind), want_kind), "%s: P by %s",
        m->problem->name, tile_layout_conv_name(c.kind));
}

static void expectations(const TileInferModel *m, const TileInferResult *r) {
  const char *n = m->problem->name;
  if (!strcmp(n, "gemm_ss")) {
    layout_is(m, r, "As", "swizzle<128>"),
        layout_is(m, r, "Bs", "swizzle<128>");
    layout_is(m, r, "acc", "wgmma<128x128,wg=2x1>");
  } else if (!strcmp(n, "gemm_mma_192")) {
    layout_is(m, r, "acc", "mma<128x192,warps=2x2>");
  } else if (!strcmp(n, "gemm_user_swizzle64")) {
    layout_is(m, r, "As", "swizzle<64>");
  } else if (!strcmp(n, "attention") || !strcmp(n, "attention_176")) {
    attention(m, r, "none");
    layout_is(
        m, r, "m",
        "bases<reg=(d0:8), lane=(0*4, d0:1*8), warp=(d0:16*8) -> d0:128>");
  } else if (!strcmp(n, "attention_fp8")) {
    attention(m, r, "warp shuffle");
    layout_is(m, r, "Vs", "swizzle<128,t>");
  } else if (!strcmp(n, "gdn_chain")) {
    layout_is(m, r, "Kg", "swizzle<128>");
  } else if (!strcmp(n, "two_uses_bf16")) {
    layout_is(m, r, "X", "swizzle<128>");
  } else if (!strcmp(n, "gemm_3_warpgroups")) {
    layout_is(m, r, "acc", "wgmma<192x176,wg=3x1>");
  } else if (!strcmp(n, "gemm_rs_dequant")) {
    layout_is(m, r, "Af", "wgmma<64x128,wg=1x1>");
  }
}

static void validity(const TileInferModel *m, const TileInferResult *r) {
  TileLayoutError e = {""};
  for (int b = 0; b < m->problem->num_buffers; b++) {
    const TileInferBuffer *x = &m->problem->buffer[b];
    if (x->space == TILE_INFER_GLOBAL)
      continue;
    const TileLayout *l = &m->domain[b].full[r->choice[b]];
    CHECK(x->space == TILE_INFER_SHARED ? tile_layout_check_memory(l, &e)
                                        : tile_layout_check_fragment(l, &e),
          "%s: %s", x->name, e.text);
    char text[3000];
    TileLayout back;
    tile_layout_print(l, x->elem_bits, text, sizeof text);
    CHECK(tile_layout_parse(text, x->shape, x->rank, x->elem_bits, &back, &e) &&
              tile_layout_equal(l, &back),
          "%s: %s", text, e.text);
  }
}

//===-- Brute force -------------------------------------------------------===//

static void shrink(TileInferModel *m, int keep) { // random subset of candidates
  for (int b = 0; b < m->problem->num_buffers; b++) {
    TileInferDomain *d = &m->domain[b];
    while (d->n > keep) {
      int k = (int)rnd((unsigned)d->n);
      d->n--;
      for (int c = k; c < d->n; c++) {
        d->full[c] = d->full[c + 1], d->core[c] = d->core[c + 1];
        m->unary[b][c] = m->unary[b][c + 1];
        for (int i = 0; i < m->problem->num_ops; i++)
          for (int o = 0; o < m->problem->op[i].num_operands; o++)
            if (m->problem->op[i].operand[o].buffer == b)
              for (int k2 = 0; k2 < m->table[i].num_modes; k2++)
                m->table[i].operand[o][k2][c] =
                    m->table[i].operand[o][k2][c + 1];
      }
    }
  }
}

static long optimal, infeasible;
static void brute(const TileInferProblem *p) {
  for (int round = 0; round < 12; round++) {
    TileLayoutError e;
    TileInferResult r;
    if (!tile_infer_build(p, m2, &e))
      return;
    if (round)
      shrink(m2, 2 + (int)rnd(3));
    int64_t best = tile_infer_brute_force(m2, 300000);
    if (best < 0)
      continue;
    bool ok = tile_infer_solve(m2, &r, &e);
    CHECK(ok == (best < TILE_INFER_NEVER), "%s: %s", p->name, e.text);
    if (ok)
      CHECK(r.cost == best, "%s: %lld, brute force %lld", p->name,
            (long long)r.cost, (long long)best);
    ok ? optimal++ : infeasible++;
  }
}

static void test_problems(void **state) {
  (void)state;
  m1 = malloc(sizeof *m1), m2 = malloc(sizeof *m2);
  int laws = 0;
  for (int i = 0; i < layout_problem_count(); i++) {
    LayoutProblem x;
    TileInferResult r, again;
    TileLayoutError e = {""};
    layout_problem_get(i, &x);
    const TileInferProblem *p = &x.problem;
    bool ok = solve(p, m1, &r, &e);
    brute(p);
    if (x.expect_error) {
      CHECK(!ok && strstr(e.text, x.expect_error), "%s: '%s' not in '%s'",
            p->name, x.expect_error, e.text);
      continue;
    }
    CHECK(ok, "%s: %s", p->name, e.text);
    if (!ok)
      continue;
    validity(m1, &r), expectations(m1, &r);
    CHECK(solve(p, m2, &again, &e) && !memcmp(&r, &again, sizeof r),
          "deterministic");
    unsigned all = (1u << p->num_buffers) - 1, shared = 0;
    for (int b = 0; b < p->num_buffers; b++)
      shared |= (unsigned)(p->buffer[b].space == TILE_INFER_SHARED) << b;
    law(p, &r, shared, 3), law(p, &r, all, 2), law(p, &r, all, 5),
        law(p, &r, rnd(all), 4);
    laws += 4;
  }
  CHECK(laws > 100 && optimal > 200 && infeasible > 50,
        "laws %d, optima %ld, infeasible %ld", laws, optimal, infeasible);
  free(m1), free(m2);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_problems)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
