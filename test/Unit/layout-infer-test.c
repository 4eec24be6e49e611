//===- layout-infer-test.c - Layout inference -----------------------------===//
//
// Expectations per kernel, the law expand o infer = infer o expand, optimality
// against brute force, determinism.
//
//===----------------------------------------------------------------------===//

#include "layout-check.h"
#include "layout-problems.h"
#include <string.h>

static int find(const TileInferProblem *p, const char *name) {
  for (int b = 0; b < p->num_buffers; b++)
    if (p->buffer[b].space != TILE_INFER_GLOBAL &&
        !strcmp(p->buffer[b].name, name))
      return b;
  return -1;
}

static bool solve(const TileInferProblem *p, TileArena *arena,
                  TileInferModel *m, TileInferResult *r, TileLayoutError *e) {
  return tile_infer_build(p, arena, m, e) && tile_infer_solve(m, r, e);
}

//===-- The law: expand o infer = infer o expand --------------------------===//

// Prepends a stage dimension to the shared tiles and fragments in |mask|.
static void expand_problem(const TileInferProblem *p, TileArena *arena,
                           unsigned mask, int64_t stages,
                           TileInferProblem *out) {
  enum { TEXT_BYTES = 3000 };
  *out = *p;
  out->buffer = TILE_ARENA_NEW(arena, TileInferBuffer, p->num_buffers);
  for (int b = 0; b < p->num_buffers; b++) {
    TileInferBuffer *x = &out->buffer[b];
    *x = p->buffer[b];
    if (x->space == TILE_INFER_GLOBAL || !(mask >> b & 1))
      continue;
    if (x->user && strncmp(x->user, "bases", 5) == 0) {
      TileLayout l, ex; // a general user layout is expanded, then printed
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

static void law(const TileInferModel *m1, const TileInferResult *r1,
                unsigned mask, int64_t stages) {
  const TileInferProblem *p = m1->problem;
  TileInferProblem q;
  TileInferModel m2;
  TileInferResult r2;
  TileLayoutError e = {""};
  TileArena arena;
  tile_arena_init(&arena);
  expand_problem(p, &arena, mask, stages, &q);
  CHECK(solve(&q, &arena, &m2, &r2, &e), "%s expanded: %s", p->name, e.text);
  CHECK(r1->cost == r2.cost, "%s: cost %lld, expanded %lld", p->name,
        (long long)r1->cost, (long long)r2.cost);
  for (int b = 0; b < p->num_buffers; b++) {
    if (p->buffer[b].space == TILE_INFER_GLOBAL)
      continue;
    TileLayout ex = *m1->domain[b].full[r1->choice[b]];
    if (mask >> b & 1)
      CHECK(tile_layout_expand(&ex, stages, 0, 1, &ex, &e), "%s", e.text);
    CHECK(tile_layout_equal(&ex, m2.domain[b].full[r2.choice[b]]),
          "law: %s of %s, %lld stages", p->buffer[b].name, p->name,
          (long long)stages);
  }
  tile_arena_deinit(&arena);
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
  TileLayoutError e = {""};
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

typedef struct {
  int laws, optimal, infeasible, entries;
} Counts;

static void brute(const TileInferProblem *p, Counts *counts) {
  for (int round = 0; round < 12; round++) {
    TileLayoutError e;
    TileInferModel m;
    TileInferResult r;
    TileArena arena;
    tile_arena_init(&arena);
    bool built = tile_infer_build(p, &arena, &m, &e);
    if (built && round)
      shrink(&m, 2 + (int)rnd(3));
    int64_t best = built ? tile_infer_brute_force(&m, 300000) : -1;
    if (best >= 0) {
      bool ok = tile_infer_solve(&m, &r, &e);
      CHECK(ok == (best < TILE_INFER_NEVER), "%s: %s", p->name, e.text);
      if (ok)
        CHECK(r.cost == best, "%s: %lld, brute force %lld", p->name,
              (long long)r.cost, (long long)best);
      ok ? counts->optimal++ : counts->infeasible++;
    }
    tile_arena_deinit(&arena);
  }
}

//===-- Tables ------------------------------------------------------------===//

// Costs come from a pool of answers; they are those of the algebra.
static void costs_are_direct(const TileInferModel *m, TileInferResult r,
                             Counts *counts) {
  const TileInferProblem *p = m->problem;
  for (int i = 0; i < p->num_ops; i++)
    for (int o = 0; o < p->op[i].num_operands; o++) {
      const TileInferOp *op = &p->op[i];
      int b = op->operand[o].buffer, keep = r.choice[b], mode = r.mode[i];
      int weight = op->weight > 1 ? op->weight : 1;
      for (int k = 0; k < m->table[i].num_modes; k++)
        for (int c = 0; c < m->domain[b].n; c++) {
          TileLayoutConversion conv;
          int64_t have = m->table[i].operand[o][k][c];
          r.choice[b] = c, r.mode[i] = k;
          bool by_formula = op->kind == TILE_INFER_REDUCE ||
                            (op->kind == TILE_INFER_GEMM && o == 2);
          if (!by_formula && have < TILE_INFER_NEVER &&
              tile_infer_operand_conversion(m, &r, i, o, &conv)) {
            CHECK(conv.cost * weight == have,
                  "%s %s operand %d mode %d candidate %d: %lld, not %lld",
                  p->name, op->name, o, k, c, (long long)have,
                  (long long)(conv.cost * weight));
            counts->entries++;
          }
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
  law(m, r, shared, 3), law(m, r, all, 2), law(m, r, all, 5);
  law(m, r, rnd(all), 4);
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
    TileLayoutError e = {""};
    tile_arena_init(&arena);
    layout_problem_get(i, &arena, &x);
    bool ok = solve(&x.problem, &arena, &m, &r, &e);
    brute(&x.problem, &counts);
    if (x.expect_error) {
      CHECK(!ok && strstr(e.text, x.expect_error), "%s: '%s' not in '%s'",
            x.problem.name, x.expect_error, e.text);
    } else {
      CHECK(ok, "%s: %s", x.problem.name, e.text);
      CHECK(solve(&x.problem, &arena, &m2, &again, &e), "%s", e.text);
      same_result(&m, &r, &again);
      solved(&x, &m, &r, &counts);
    }
    tile_arena_deinit(&arena);
  }
  CHECK(counts.laws > 100 && counts.optimal > 200 && counts.infeasible > 50 &&
            counts.entries > 2500,
        "laws %d, optima %d, infeasible %d, entries %d", counts.laws,
        counts.optimal, counts.infeasible, counts.entries);
}

// Copies of one kernel side by side: every copy is solved as if alone.
static void repeat(const TileInferProblem *p, int times, TileArena *arena,
                   TileInferProblem *out) {
  *out = *p;
  out->num_buffers = times * p->num_buffers, out->num_ops = times * p->num_ops;
  out->buffer = TILE_ARENA_NEW(arena, TileInferBuffer, out->num_buffers);
  out->op = TILE_ARENA_NEW(arena, TileInferOp, out->num_ops);
  for (int b = 0; b < out->num_buffers; b++)
    out->buffer[b] = p->buffer[b % p->num_buffers];
  for (int i = 0; i < out->num_ops; i++) {
    TileInferOp *op = &out->op[i];
    *op = p->op[i % p->num_ops];
    const TileInferAccess *from = op->operand;
    op->operand = TILE_ARENA_NEW(arena, TileInferAccess, op->num_operands);
    for (int o = 0; o < op->num_operands; o++) {
      op->operand[o] = from[o];
      op->operand[o].buffer += i / p->num_ops * p->num_buffers;
    }
  }
}

static void test_many_ops_apart(void **state) {
  (void)state;
  enum { TIMES = 20 };
  for (int i = 0; i < layout_problem_count(); i++) {
    TileArena arena;
    LayoutProblem x;
    TileInferProblem many;
    TileInferModel m1, m2;
    TileInferResult r1, r2;
    TileLayoutError e = {""};
    tile_arena_init(&arena);
    layout_problem_get(i, &arena, &x);
    if (!x.expect_error && x.problem.num_ops > 6) {
      repeat(&x.problem, TIMES, &arena, &many);
      CHECK(solve(&x.problem, &arena, &m1, &r1, &e) &&
                solve(&many, &arena, &m2, &r2, &e),
            "%s: %s", x.problem.name, e.text);
      CHECK(r2.proved && r2.cost == TIMES * r1.cost, "%s: cost %lld",
            x.problem.name, (long long)r2.cost);
      for (int b = 0; b < many.num_buffers; b++)
        CHECK(r2.choice[b] == r1.choice[b % x.problem.num_buffers],
              "%s: buffer %d", x.problem.name, b);
    }
    tile_arena_deinit(&arena);
  }
}

// A chain of |n| element loops between a load and a matrix product's operand.
static void chain(TileArena *arena, int n, TileInferProblem *p) {
  static TileInferRole role = {"all", 4};
  *p = (TileInferProblem){.name = "chain", .num_roles = 1, .role = &role};
  p->num_buffers = n + 4, p->num_ops = n + 2;
  p->buffer = TILE_ARENA_NEW(arena, TileInferBuffer, p->num_buffers);
  p->op = TILE_ARENA_NEW(arena, TileInferOp, p->num_ops);
  for (int b = 0; b < p->num_buffers; b++) // x, f0 .. fn, B, C
    p->buffer[b] =
        (TileInferBuffer){.name = "b",
                          .space = b == 0       ? TILE_INFER_GLOBAL
                                   : b == n + 2 ? TILE_INFER_SHARED
                                                : TILE_INFER_FRAGMENT,
                          .rank = 2,
                          .shape = {64, 64},
                          .elem_bits = b == n + 3 ? 32 : 16};
  for (int i = 0; i < p->num_ops; i++) {
    bool is_gemm = i == n + 1;
    TileInferOp *op = &p->op[i];
    *op = (TileInferOp){.kind = i == 0    ? TILE_INFER_COPY
                                : is_gemm ? TILE_INFER_GEMM
                                          : TILE_INFER_PARALLEL,
                        .name = "op",
                        .num_operands = is_gemm ? 3 : 2,
                        .loop_rank = 2,
                        .loop_shape = {64, 64}};
    op->operand = TILE_ARENA_NEW(arena, TileInferAccess, op->num_operands);
    for (int o = 0; o < op->num_operands; o++)
      op->operand[o] = (TileInferAccess){
          .buffer = i + o, .write = o == op->num_operands - 1, .map = {0, 1}};
  }
}

static void test_long_chain(void **state) {
  (void)state;
  TileArena arena;
  TileInferProblem p;
  TileInferModel m;
  TileInferResult r;
  TileLayoutError e = {""};
  tile_arena_init(&arena);
  chain(&arena, 3, &p);
  CHECK(solve(&p, &arena, &m, &r, &e), "%s", e.text);
  int64_t shortest = r.cost, step;
  chain(&arena, 4, &p);
  CHECK(solve(&p, &arena, &m, &r, &e), "%s", e.text);
  step = r.cost - shortest;
  chain(&arena, 303, &p);
  CHECK(solve(&p, &arena, &m, &r, &e), "%s", e.text);
  CHECK(r.proved, "proved after %lld nodes", (long long)r.nodes);
  CHECK(r.cost == shortest + 300 * step, "cost %lld, expected %lld",
        (long long)r.cost, (long long)(shortest + 300 * step));
  tile_arena_deinit(&arena);
}

// A spent budget gives the best choice so far and says so, or an error. Below
// 200 nodes only the second bound is used; it must not change the choice.
static void budgets(int i, bool *out_unproved, bool *out_refused) {
  for (int64_t budget = 1; budget < 300; budget += 7) {
    TileArena arena;
    LayoutProblem x;
    TileInferModel m;
    TileInferResult r, full;
    TileLayoutError e = {""};
    tile_arena_init(&arena);
    layout_problem_get(i, &arena, &x);
    bool ok = solve(&x.problem, &arena, &m, &full, &e);
    x.problem.node_budget = budget;
    if (ok && tile_infer_solve(&m, &r, &e)) {
      CHECK(r.nodes <= budget, "%lld nodes", (long long)r.nodes);
      CHECK(r.cost >= full.cost, "%s, budget %lld: cost %lld", x.problem.name,
            (long long)budget, (long long)r.cost);
      for (int b = 0; b < x.problem.num_buffers && r.proved; b++)
        CHECK(r.choice[b] == full.choice[b], "%s: buffer %d", x.problem.name,
              b);
      *out_unproved |= !r.proved;
    } else if (ok) {
      CHECK(strstr(e.text, "search budget of"), "%s", e.text);
      *out_refused = true;
    }
    tile_arena_deinit(&arena);
  }
}

static void test_node_budget(void **state) {
  (void)state;
  bool unproved = false, refused = false;
  for (int i = 0; i < layout_problem_count(); i++)
    budgets(i, &unproved, &refused);
  CHECK(unproved && refused, "both ends were seen");
}

// Matrix products do not read global memory.
static void test_global_operand(void **state) {
  (void)state;
  TileArena arena;
  TileInferProblem p;
  TileInferModel m;
  TileLayoutError e = {""};
  tile_arena_init(&arena);
  chain(&arena, 1, &p);
  p.buffer[3].space = TILE_INFER_GLOBAL;
  CHECK(!tile_infer_build(&p, &arena, &m, &e) &&
            strstr(e.text, "is in global memory, copy it first"),
        "%s", e.text);
  tile_arena_deinit(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_problems),
      cmocka_unit_test(test_many_ops_apart),
      cmocka_unit_test(test_long_chain),
      cmocka_unit_test(test_node_budget),
      cmocka_unit_test(test_global_operand),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
