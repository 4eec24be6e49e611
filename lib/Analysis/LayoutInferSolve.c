//===- LayoutInferSolve.c - Exact search ---------------------------------===//
//
// Depth-first branch and bound over buffers in program order. The bound of a
// partial choice adds, per op, the cheapest mode with free operands at their
// minimum: admissible, and exact once an op is fully chosen. Worst case
// exponential in the buffers of one kernel (<= 24); the node budget bounds it.
//
//===----------------------------------------------------------------------===//
#include "Tile/LayoutInfer.h"

#include <stdio.h>
#include <string.h>

enum { NODE_BUDGET = 400000 };

//===-- Costs -------------------------------------------------------------===//

static int candidates(const TileInferModel *m, int buffer) {
  return m->problem->buffer[buffer].space == TILE_INFER_GLOBAL
             ? 1
             : m->domain[buffer].n;
}

static int64_t operand_min(const TileInferModel *m, int op, int o, int mode) {
  int n = candidates(m, m->problem->op[op].operand[o].buffer);
  int64_t best = TILE_INFER_NEVER;
  for (int c = 0; c < n; c++)
    if (m->table[op].operand[o][mode][c] < best)
      best = m->table[op].operand[o][mode][c];
  return best;
}

// Cost of an op where choice[b] < 0 means "not chosen yet".
int64_t tile_infer_op_cost(const TileInferModel *m, int op, const int *choice,
                           int *out_mode) {
  const TileInferOp *x = &m->problem->op[op];
  const TileInferTable *t = &m->table[op];
  int64_t best = TILE_INFER_NEVER;
  for (int k = 0; k < t->num_modes; k++) {
    int64_t cost = t->base[k];
    for (int o = 0; o < x->num_operands && cost < best; o++) {
      int b = x->operand[o].buffer;
      int c = m->problem->buffer[b].space == TILE_INFER_GLOBAL ? 0 : choice[b];
      cost += c < 0 ? operand_min(m, op, o, k) : t->operand[o][k][c];
    }
    if (cost < best) {
      best = cost;
      if (out_mode)
        *out_mode = k;
    }
  }
  return best;
}

int64_t tile_infer_cost_of(const TileInferModel *m, const int *choice) {
  int64_t cost = 0;
  for (int i = 0; i < m->problem->num_ops; i++) {
    int64_t c = tile_infer_op_cost(m, i, choice, NULL);
    if (c >= TILE_INFER_NEVER)
      return TILE_INFER_NEVER;
    cost += c;
  }
  for (int b = 0; b < m->problem->num_buffers; b++)
    if (m->problem->buffer[b].space != TILE_INFER_GLOBAL && choice[b] >= 0)
      cost += m->unary[b][choice[b]];
  return cost;
}

//===-- Conflicts ---------------------------------------------------------===//

// Candidates of |buffer| that |op| can live with, as a mask; all if not used.
static uint32_t allowed(const TileInferModel *m, int op, int buffer) {
  const TileInferOp *x = &m->problem->op[op];
  uint32_t mask = (1u << m->domain[buffer].n) - 1;
  int choice[TILE_INFER_MAX_BUFFERS];
  for (int o = 0; o < x->num_operands; o++) {
    if (x->operand[o].buffer != buffer)
      continue;
    for (int c = 0; c < m->domain[buffer].n; c++) {
      memset(choice, -1, sizeof choice);
      choice[buffer] = c;
      if (tile_infer_op_cost(m, op, choice, NULL) >= TILE_INFER_NEVER)
        mask &= ~(1u << c);
    }
    return mask;
  }
  return mask;
}

static void name_candidate(const TileInferModel *m, int buffer, uint32_t mask,
                           char *text, int cap) {
  if (!mask)
    snprintf(text, (size_t)cap, "none");
  else
    tile_layout_print(&m->domain[buffer].full[__builtin_ctz(mask)],
                      m->problem->buffer[buffer].elem_bits, text, cap);
}

static bool report_conflict(const TileInferModel *m, int b,
                            TileLayoutError *e) {
  const TileInferProblem *p = m->problem;
  char x[64], y[64];
  for (int i = 0; i < p->num_ops; i++) {
    uint32_t mi = allowed(m, i, b);
    if (!mi && p->buffer[b].user)
      return tile_layout_fail(e, "layout %s given for %s cannot serve op %s",
                              p->buffer[b].user, p->buffer[b].name,
                              p->op[i].name);
    if (!mi)
      return tile_layout_fail(e, "op %s: no layout of %s serves it",
                              p->op[i].name, p->buffer[b].name);
    for (int j = 0; j < i; j++) {
      uint32_t mj = allowed(m, j, b);
      if (mi & mj)
        continue;
      name_candidate(m, b, mj, x, sizeof x);
      name_candidate(m, b, mi, y, sizeof y);
      return tile_layout_fail(
          e,
          "layout conflict on %s: op %s needs e.g. %s, op %s needs "
          "e.g. %s",
          p->buffer[b].name, p->op[j].name, x, p->op[i].name, y);
    }
  }
  return tile_layout_fail(e, "layout conflict on %s among more than two ops",
                          p->buffer[b].name);
}

bool tile_infer_check_conflicts(const TileInferModel *m, TileLayoutError *e) {
  for (int b = 0; b < m->problem->num_buffers; b++) {
    if (m->problem->buffer[b].space == TILE_INFER_GLOBAL)
      continue;
    uint32_t mask = (1u << m->domain[b].n) - 1;
    for (int i = 0; i < m->problem->num_ops; i++)
      mask &= allowed(m, i, b);
    if (!mask)
      return report_conflict(m, b, e);
  }
  return true;
}

//===-- Branch and bound --------------------------------------------------===//

typedef struct {
  const TileInferModel *m;
  int order[TILE_INFER_MAX_BUFFERS], n;
  int choice[TILE_INFER_MAX_BUFFERS];
  TileInferResult best;
} Search;

static void sort_by_bound(int *c, int64_t *bound, int n) {
  for (int i = 1; i < n; i++)
    for (int j = i; j > 0 && bound[j] < bound[j - 1]; j--) {
      int64_t t = bound[j];
      bound[j] = bound[j - 1], bound[j - 1] = t;
      int k = c[j];
      c[j] = c[j - 1], c[j - 1] = k;
    }
}

static void search(Search *s, int depth) {
  if (s->best.nodes++ > NODE_BUDGET)
    return;
  if (depth == s->n) {
    int64_t cost = tile_infer_cost_of(s->m, s->choice);
    if (cost < s->best.cost) {
      s->best.cost = cost;
      memcpy(s->best.choice, s->choice, sizeof s->choice);
    }
    return;
  }
  int b = s->order[depth], n = s->m->domain[b].n;
  int c[TILE_INFER_MAX_CANDIDATES];
  int64_t bound[TILE_INFER_MAX_CANDIDATES];
  for (int i = 0; i < n; i++) {
    s->choice[b] = c[i] = i;
    bound[i] = tile_infer_cost_of(s->m, s->choice);
  }
  sort_by_bound(c, bound, n);
  for (int i = 0; i < n && bound[i] < s->best.cost; i++) {
    s->choice[b] = c[i];
    search(s, depth + 1);
  }
  s->choice[b] = -1;
}

bool tile_infer_solve(const TileInferModel *m, TileInferResult *out,
                      TileLayoutError *e) {
  Search s = {.m = m};
  memset(s.choice, -1, sizeof s.choice);
  for (int b = 0; b < m->problem->num_buffers; b++)
    if (m->problem->buffer[b].space != TILE_INFER_GLOBAL)
      s.order[s.n++] = b;
  if (!tile_infer_check_conflicts(m, e))
    return false;
  s.best.cost = TILE_INFER_NEVER;
  search(&s, 0);
  if (s.best.cost >= TILE_INFER_NEVER)
    return tile_layout_fail(e, "%s: no joint choice of layouts exists",
                            m->problem->name);
  for (int i = 0; i < m->problem->num_ops; i++)
    tile_infer_op_cost(m, i, s.best.choice, &s.best.mode[i]);
  s.best.proved = s.best.nodes <= NODE_BUDGET;
  *out = s.best;
  return true;
}

int64_t tile_infer_brute_force(const TileInferModel *m, int64_t limit) {
  int64_t total = 1, best = TILE_INFER_NEVER;
  for (int b = 0; b < m->problem->num_buffers; b++) {
    total *= candidates(m, b);
    if (total > limit)
      return -1;
  }
  for (int64_t k = 0; k < total; k++) {
    int choice[TILE_INFER_MAX_BUFFERS] = {0};
    int64_t rest = k;
    for (int b = 0; b < m->problem->num_buffers; b++) {
      choice[b] = (int)(rest % candidates(m, b));
      rest /= candidates(m, b);
    }
    int64_t cost = tile_infer_cost_of(m, choice);
    if (cost < best)
      best = cost;
  }
  return best;
}
