//===- layout-infer-test.c - Layout inference -----------------------------===//
//
// Expectations per kernel, the law expand o infer = infer o expand, costs
// against the algebra, determinism.
//
//===----------------------------------------------------------------------===//

#include "Layout/LayoutInferInternal.h"
#include "layout-check.h"
#include "layout-law.h"
#include "layout-problems.h"
#include <string.h>

static int find(const TileInferProblem *p, const char *name) {
  for (int b = 0; b < p->num_buffers; b++)
    if (p->buffer[b].space != TILE_INFER_GLOBAL &&
        !strcmp(p->buffer[b].name, name))
      return b;
  return -1;
}

//===-- Expectations ------------------------------------------------------===//

static void layout_is(const TileInferModel *m, const TileInferResult *r,
                      const char *buffer, const char *want) {
  char text[3000] = "";
  int b = find(m->problem, buffer);
  if (b >= 0)
    tile_layout_print(m->domain[b].full[r->choice[b]],
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
  CHECK(tile_layout_plan_conversion(m->domain[s].core[r->choice[s]], &a,
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
  TileReason e = {""};
  for (int b = 0; b < m->problem->num_buffers; b++) {
    const TileInferBuffer *x = &m->problem->buffer[b];
    if (x->space == TILE_INFER_GLOBAL)
      continue;
    const TileLayout *l = m->domain[b].full[r->choice[b]];
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

typedef struct {
  int laws, entries;
} Counts;

//===-- Tables ------------------------------------------------------------===//

// From the layout of the fragment to `want`, or back where the op writes it.
static bool conversion(const TileInferModel *m, const TileInferResult *r, int i,
                       int o, const TileLayout *want,
                       TileLayoutConversion *out) {
  const TileInferOp *op = &m->problem->op[i];
  int b = op->operand[o].buffer, bits = m->problem->buffer[b].elem_bits;
  const TileLayout *have = m->domain[b].core[r->choice[b]];
  bool write = op->operand[o].write;
  const TileLayout *src = write ? want : have, *dst = write ? have : want;
  if (!tile_infer_stays_in_warp(m, op))
    return tile_layout_plan_conversion(src, dst, bits, out, NULL);
  TileLayoutReach reach = tile_layout_plan_route(src, dst, bits, out, NULL);
  return reach == TILE_LAYOUT_REACH_THREAD || reach == TILE_LAYOUT_REACH_WARP;
}

// What the algebra says about an entry of a table; -1 if it is no plan's cost.
static int64_t direct_cost(const TileInferModel *m, const TileInferResult *r,
                           int i, int o) {
  const TileInferOp *op = &m->problem->op[i];
  int b = op->operand[o].buffer;
  const TileInferBuffer *x = &m->problem->buffer[b];
  TileLayoutConversion conv;
  TileLayoutAccess access;
  TileLayout f;
  if (m->table[i].mode[r->mode[i]].kind == TILE_INFER_MODE_TMA &&
      x->space == TILE_INFER_SHARED) {
    TileLayoutTma tma;
    return tile_layout_derive_tma(m->domain[b].core[r->choice[b]], x->elem_bits,
                                  x->rank - x->lead - 1, &tma, NULL)
               ? 16 * tma.count
               : -1;
  }
  if (!tile_infer_operand_layout(m, r, i, o, &f))
    return -1;
  if (x->space == TILE_INFER_FRAGMENT)
    return conversion(m, r, i, o, &f, &conv) ? conv.cost : -1;
  if (x->space == TILE_INFER_GLOBAL)
    return tile_layout_global_access(&f, x->elem_bits, 16, &access, NULL)
               ? access.cost
               : -1;
  bool allow_matrix = true;
  for (int k = 0; k < op->num_operands; k++)
    allow_matrix &=
        m->problem->buffer[op->operand[k].buffer].space != TILE_INFER_GLOBAL;
  return tile_layout_shared_access(&f, m->domain[b].core[r->choice[b]],
                                   x->elem_bits, allow_matrix, &access, NULL)
             ? access.cost
             : -1;
}

// Costs come from a pool of answers; they are those of the algebra.
static void costs_are_direct(const TileInferModel *m, TileInferResult r,
                             Counts *counts) {
  const TileInferProblem *p = m->problem;
  for (int i = 0; i < p->num_ops; i++)
    for (int o = 0; o < p->op[i].num_operands; o++) {
      const TileInferOp *op = &p->op[i];
      int b = op->operand[o].buffer, keep = r.choice[b], mode = r.mode[i];
      int weight = op->weight > 1 ? op->weight : 1;
      bool global = p->buffer[b].space == TILE_INFER_GLOBAL;
      bool by_formula = op->kind == TILE_INFER_GEMM && o == 2;
      for (int k = 0; k < m->table[i].num_modes && !by_formula; k++)
        for (int c = 0; c < (global ? 1 : m->domain[b].n); c++) {
          int64_t have = m->table[i].operand[o][k][c];
          r.choice[b] = c, r.mode[i] = k;
          int64_t want = direct_cost(m, &r, i, o);
          if (have >= TILE_INFER_NEVER || want < 0)
            continue;
          const TileInferMode *x = &m->table[i].mode[k];
          if (op->kind == TILE_INFER_REDUCE && // as it is, or by shared memory
              (o == 0 ? x->index == c : have == 0))
            want = 0;
          else if (op->kind == TILE_INFER_REDUCE && want > 0)
            want += 2 * TILE_LAYOUT_COST_BAR; // results go by shared memory
          CHECK(want * weight == have,
                "%s %s operand %d mode %d candidate %d: %lld, not %lld",
                p->name, op->name, o, k, c, (long long)have,
                (long long)(want * weight));
          counts->entries++;
        }
      r.choice[b] = keep, r.mode[i] = mode;
    }
}

//===-- Tests -------------------------------------------------------------===//

static void same_result(const TileInferModel *m, const TileInferResult *x,
                        const TileInferResult *y) {
  CHECK(x->cost == y->cost && x->nodes == y->nodes && x->proved == y->proved,
        "%s: deterministic", m->problem->name);
  for (int b = 0; b < m->problem->num_buffers; b++)
    CHECK(x->choice[b] == y->choice[b], "choice of buffer %d", b);
  for (int i = 0; i < m->problem->num_ops; i++)
    CHECK(x->mode[i] == y->mode[i], "mode of op %d", i);
}

static void solved(const LayoutProblem *x, const TileInferModel *m,
                   const TileInferResult *r, Counts *counts) {
  const TileInferProblem *p = &x->problem;
  CHECK(r->cost == x->cost, "%s: cost %lld, expected %lld", p->name,
        (long long)r->cost, (long long)x->cost);
  CHECK(r->proved && !m->dropped, "%s: within the limits", p->name);
  validity(m, r), expectations(m, r), costs_are_direct(m, *r, counts);
  unsigned all = (1u << p->num_buffers) - 1, shared = 0;
  for (int b = 0; b < p->num_buffers; b++)
    shared |= (unsigned)(p->buffer[b].space == TILE_INFER_SHARED) << b;
  layout_law_check(m, r, shared, 3), layout_law_check(m, r, all, 2),
      layout_law_check(m, r, all, 5);
  layout_law_check(m, r, rnd(all), 4);
  counts->laws += 4;
}

static void test_problems(void **state) {
  (void)state;
  Counts counts = {0};
  for (int i = 0; i < layout_problem_count(); i++) {
    TileArena arena;
    LayoutProblem x;
    TileInferModel m, m2;
    TileInferResult r, again;
    TileReason e = {""};
    tile_arena_init(&arena);
    layout_problem_get(i, &arena, &x);
    bool ok = layout_solve(&x.problem, &arena, &m, &r, &e);
    if (x.expect_error) {
      CHECK(!ok && strstr(e.text, x.expect_error), "%s: '%s' not in '%s'",
            x.problem.name, x.expect_error, e.text);
    } else {
      CHECK(ok, "%s: %s", x.problem.name, e.text);
      CHECK(layout_solve(&x.problem, &arena, &m2, &again, &e), "%s", e.text);
      same_result(&m, &r, &again);
      solved(&x, &m, &r, &counts);
    }
    tile_arena_deinit(&arena);
  }
  CHECK(counts.laws > 100 && counts.entries > 2500, "laws %d, entries %d",
        counts.laws, counts.entries);
}

// As many candidates as a buffer can have: 35 fragments of given layouts, which
// permute the bits of a row, are copied to one that has none.
static void test_many_candidates(void **state) {
  (void)state;
  enum { GIVEN = 35, BITS = 6 };
  static char text[GIVEN][160];
  TileInferRole role = {"all", 1};
  TileInferBuffer buffers[GIVEN + 1];
  TileInferOp ops[GIVEN];
  TileInferAccess operands[GIVEN][2];
  TileInferProblem p = {.name = "many",
                        .num_buffers = GIVEN + 1,
                        .num_ops = GIVEN,
                        .num_roles = 1,
                        .buffer = buffers,
                        .op = ops,
                        .role = &role};
  for (int i = 0; i <= GIVEN; i++)
    buffers[i] = (TileInferBuffer){.name = "F",
                                   .space = TILE_INFER_FRAGMENT,
                                   .rank = 2,
                                   .shape = {32, 64},
                                   .elem_bits = 32};
  for (int i = 0; i < GIVEN; i++) {
    int length = snprintf(text[i], sizeof text[i], "bases<reg=("), x = i / BITS;
    for (int k = 0; k < BITS; k++) // bit x is XORed with bit i % BITS
      length += snprintf(text[i] + length, sizeof text[i] - (size_t)length,
                         k == x && i % BITS != x ? "d1:%d^d1:%d" : "d1:%d",
                         1 << k, 1 << i % BITS),
          length += k + 1 < BITS
                        ? snprintf(text[i] + length,
                                   sizeof text[i] - (size_t)length, ", ")
                        : 0;
    snprintf(text[i] + length, sizeof text[i] - (size_t)length,
             "), lane=(d0:1*32), warp=() -> d0:32, d1:64>");
    buffers[i].user = text[i];
    operands[i][0] = (TileInferAccess){.buffer = i};
    operands[i][1] = (TileInferAccess){.buffer = GIVEN, .write = true};
    ops[i] = (TileInferOp){.kind = TILE_INFER_COPY,
                           .name = "copy",
                           .num_operands = 2,
                           .operand = operands[i]};
  }
  TileArena arena;
  TileInferModel m;
  TileInferResult r;
  TileReason e = {""};
  tile_arena_init(&arena);
  CHECK(tile_infer_build(&p, &arena, &m, &e), "%s", e.text);
  CHECK(m.domain[GIVEN].n == TILE_INFER_MAX_CANDIDATES && m.dropped > 0,
        "%d candidates", m.domain[GIVEN].n);
  CHECK(tile_infer_solve(&m, &r, &e), "%s", e.text);
  tile_arena_deinit(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_problems),
      cmocka_unit_test(test_many_candidates),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
