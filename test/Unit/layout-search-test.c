//===- layout-search-test.c - The search of layout inference --------------===//
//
// Optimality against brute force, lower bounds, kernels of hundreds of ops,
// node budgets, and the pool that keeps costs. Random tables: seed in
// layout-check.h.
//
//===----------------------------------------------------------------------===//

#include "Layout/LayoutInferInternal.h"
#include "layout-check.h"
#include "layout-problems.h"

#include <string.h>

static bool solve(const TileInferProblem *p, TileArena *arena,
                  TileInferModel *m, TileInferResult *r, TileReason *e) {
  return tile_infer_build(p, arena, m, e) && tile_infer_solve(m, r, e);
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
  int optimal, infeasible;
} Counts;

// Random costs; every tenth entry becomes impossible.
static void disturb(TileInferModel *m) {
  for (int i = 0; i < m->problem->num_ops; i++)
    for (int o = 0; o < m->problem->op[i].num_operands; o++)
      for (int k = 0; k < m->table[i].num_modes; k++)
        for (int c = 0; c < TILE_INFER_MAX_CANDIDATES; c++) {
          int64_t *cost = &m->table[i].operand[o][k][c];
          *cost = rnd(10) == 0 ? TILE_INFER_NEVER : *cost % 4096 + rnd(999);
        }
}

// The lower bound of what is yet to choose never exceeds it, and is exact
// before the last buffer. |choice| is complete.
static void bound_is_admissible(const TileInferModel *m, const int *choice,
                                int64_t best) {
  int order[32], part[32], n = 0, buffers = m->problem->num_buffers;
  for (int b = 0; b < buffers; b++)
    if (m->problem->buffer[b].space != TILE_INFER_GLOBAL)
      order[n++] = b;
  const TileInferBound *bound = tile_infer_bound_create(m, order, n);
  CHECK(tile_infer_bound_rest(bound, 0, choice) <= best, "%s: bound at depth 0",
        m->problem->name);
  for (int depth = 0; depth <= n; depth++) {
    int64_t rest = 0; // of this completion
    for (int b = 0; b < buffers; b++)
      part[b] = -1;
    for (int d = 0; d < depth; d++)
      part[order[d]] = choice[order[d]];
    for (int d = depth; d < n; d++)
      rest += m->unary[order[d]][choice[order[d]]];
    for (int i = 0; i < m->problem->num_ops; i++) {
      bool open = false;
      for (int o = 0; o < m->problem->op[i].num_operands; o++) {
        int b = m->problem->op[i].operand[o].buffer;
        open |= m->problem->buffer[b].space != TILE_INFER_GLOBAL && part[b] < 0;
      }
      rest += open ? tile_infer_op_cost(m, i, choice, NULL) : 0;
    }
    int64_t least = tile_infer_bound_rest(bound, depth, choice);
    CHECK(least <= rest, "%s: bound %lld over %lld at depth %d",
          m->problem->name, (long long)least, (long long)rest, depth);
  }
}

// A budget below 200 nodes leaves the first bound none of them.
static void second_bound(const TileInferModel *m, const TileInferResult *r) {
  TileInferProblem p = *m->problem;
  TileInferModel small = *m;
  TileInferResult r2;
  small.problem = &p;
  p.node_budget = 199;
  if (!tile_infer_solve(&small, &r2, NULL) || !r2.proved)
    return;
  CHECK(r2.cost == r->cost, "%s: cost %lld", p.name, (long long)r2.cost);
  for (int b = 0; b < p.num_buffers; b++)
    CHECK(r2.choice[b] == r->choice[b], "%s: buffer %d", p.name, b);
}

// The minimum by exhaustion; -1 when there are more than `limit` points.
static int64_t exhaust(const TileInferModel *m, int64_t limit) {
  const TileInferProblem *p = m->problem;
  int64_t total = 1, best = TILE_INFER_NEVER;
  for (int b = 0; b < p->num_buffers; b++) {
    total *= p->buffer[b].space == TILE_INFER_GLOBAL ? 1 : m->domain[b].n;
    if (total > limit)
      return -1;
  }
  int *choice = TILE_ARENA_NEW(m->arena, int, p->num_buffers);
  for (int64_t k = 0; k < total; k++) {
    int64_t rest = k;
    for (int b = 0; b < p->num_buffers; b++) {
      bool is_free = p->buffer[b].space != TILE_INFER_GLOBAL;
      choice[b] = is_free ? (int)(rest % m->domain[b].n) : -1;
      rest /= is_free ? m->domain[b].n : 1;
    }
    int64_t cost = tile_infer_cost_of(m, choice);
    best = cost < best ? cost : best;
  }
  return best;
}

static void brute(const TileInferProblem *p, Counts *counts) {
  for (int round = 0; round < 18; round++) {
    TileReason e;
    TileInferModel m;
    TileInferResult r;
    TileArena arena;
    tile_arena_init(&arena);
    bool built = tile_infer_build(p, &arena, &m, &e);
    if (built && round)
      shrink(&m, 2 + (int)rnd(3));
    if (built && round > 6)
      disturb(&m);
    int64_t best = built ? exhaust(&m, 300000) : -1;
    if (best >= 0) {
      bool ok = tile_infer_solve(&m, &r, &e);
      CHECK(ok == (best < TILE_INFER_NEVER), "%s: %s", p->name, e.text);
      if (ok) {
        CHECK(r.cost == best, "%s: %lld, brute force %lld", p->name,
              (long long)r.cost, (long long)best);
        bound_is_admissible(&m, r.choice, best);
        second_bound(&m, &r);
      }
      ok ? counts->optimal++ : counts->infeasible++;
    }
    tile_arena_deinit(&arena);
  }
}

//===-- Tests -------------------------------------------------------------===//

static void test_brute_force(void **state) {
  (void)state;
  Counts counts = {0};
  for (int i = 0; i < layout_problem_count(); i++) {
    TileArena arena;
    LayoutProblem x;
    tile_arena_init(&arena);
    layout_problem_get(i, &arena, &x);
    brute(&x.problem, &counts);
    tile_arena_deinit(&arena);
  }
  CHECK(counts.optimal > 200 && counts.infeasible > 50,
        "optima %d, infeasible %d", counts.optimal, counts.infeasible);
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
    TileReason e = {""};
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
  TileReason e = {""};
  tile_arena_init(&arena);
  chain(&arena, 3, &p);
  CHECK(solve(&p, &arena, &m, &r, &e), "%s", e.text);
  int64_t shortest = r.cost, step;
  chain(&arena, 4, &p);
  CHECK(solve(&p, &arena, &m, &r, &e), "%s", e.text);
  step = r.cost - shortest;
  int order[8] = {1, 2, 3, 4, 5, 6, 7}; // all but the global buffer
  const TileInferBound *bound = tile_infer_bound_create(&m, order, 7);
  CHECK(tile_infer_bound_rest(bound, 0, r.choice) == r.cost,
        "the second bound is exact on a chain: %lld",
        (long long)tile_infer_bound_rest(bound, 0, r.choice));
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
    TileReason e = {""};
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

// Answers are kept under everything they depend on: the same layout is asked
// about with other widths, dimensions and flags, twice.
static void test_pool_keys(void **state) {
  (void)state;
  TileArena arena;
  TileLayout l[4];
  TileHwMma g = {64, 64, 64, 2, 2, 16, 16};
  int64_t shape[2] = {64, 64};
  tile_arena_init(&arena);
  TileInferPool *pool = tile_infer_pool_create(&arena);
  CHECK(tile_hw_swizzle(shape, 2, 16, 128, &l[0], NULL) &&
            tile_hw_swizzle_t(shape, 2, 16, 64, &l[1], NULL) &&
            tile_hw_mma_a(&g, &l[2], NULL) && tile_hw_mma_c(&g, &l[3], NULL),
        "layouts");
  for (int round = 0; round < 2; round++)
    for (int bits = 8; bits <= 32; bits *= 2)
      for (int i = 0; i < 4; i++) {
        int a = tile_infer_pool_add(pool, &l[i % 2]);
        int f = tile_infer_pool_add(pool, &l[2 + i / 2]);
        TileLayoutTma tma;
        TileHwDesc d;
        TileLayoutAccess x;
        TileLayoutConversion c;
        const TileLayout *s = &l[i % 2], *t = &l[2 + i / 2];
        for (int dim = 0; dim < 2; dim++) {
          bool ok = tile_layout_derive_tma(s, bits, dim, &tma, NULL);
          CHECK(tile_infer_pool_tma(pool, a, bits, dim, 0) ==
                    (ok ? tma.count : -1),
                "tma");
          ok = tile_hw_wgmma_desc(s, bits, dim, 1 - dim, 64, &d, NULL);
          CHECK(tile_infer_pool_wgmma(pool, a, bits, dim) ==
                    (ok ? d.mode + d.mn_major : -1),
                "wgmma");
          CHECK(tile_layout_shared_access(t, s, bits, dim, &x, NULL) &&
                    tile_infer_pool_shared(pool, f, a, bits, dim).cost ==
                        x.cost,
                "shared");
        }
        CHECK(tile_layout_global_access(t, bits, 16, &x, NULL) &&
                  tile_infer_pool_global(pool, f, bits) == x.cost,
              "global");
        CHECK(tile_layout_plan_conversion(t, &l[3 - i / 2], bits, &c, NULL) &&
                  tile_infer_pool_convert(
                      pool, f, tile_infer_pool_add(pool, &l[3 - i / 2]),
                      bits) == c.cost,
              "convert");
      }
  tile_arena_deinit(&arena);
}

// Matrix products do not read global memory.
static void test_global_operand(void **state) {
  (void)state;
  TileArena arena;
  TileInferProblem p;
  TileInferModel m;
  TileReason e = {""};
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
      cmocka_unit_test(test_brute_force), cmocka_unit_test(test_many_ops_apart),
      cmocka_unit_test(test_long_chain),  cmocka_unit_test(test_node_budget),
      cmocka_unit_test(test_pool_keys),   cmocka_unit_test(test_global_operand),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
