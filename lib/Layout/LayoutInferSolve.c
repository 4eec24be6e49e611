//===- LayoutInferSolve.c - Exact search ----------------------------------===//
//
// Buffers that no op connects are solved apart. Within a component: depth-first
// branch and bound over buffers in program order. The bound of a partial choice
// adds, per op, the cheapest mode with free operands at their minimum:
// admissible, and exact once an op is fully chosen. A choice changes the bounds
// of the ops that use the buffer only, so a node costs O(their modes).
//
// When that bound does not end the search soon, it is begun anew with a second
// one (LayoutInferBound.c), which sees conversions that no single op explains.
// It prunes more but leaves the order alone, so the first best choice in that
// order is found either way.
//
// Worst case exponential in the buffers of a component. The node budget bounds
// it: when it ends the best choice found so far is the result, not `proved`.
// A component gets what the budget holds, divided by the components left.
//
//===----------------------------------------------------------------------===//

#include "LayoutInferInternal.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

//===-- What the buffers yet to choose will add ---------------------------===//

// Mini-buckets (Dechter and Rish, 2003). Buffers are eliminated from the last
// to the first of the search order. Eliminating one adds up the functions whose
// last buffer it is - ops, and messages of later eliminations - and keeps the
// minimum over its candidates as a message over the other buffers. At most
// MAX_SCOPE buffers meet in one sum; what does not fit is minimised apart, and
// an op with more buffers sees the first ones at their minimum, so the result
// is a lower bound, exact on chains and trees of small ops.
//
// O(buffers * candidates^MAX_SCOPE * modes) time.

enum { MAX_SCOPE = 3 };

// A set of search positions, ascending.
typedef struct {
  int n, at[MAX_SCOPE];
} Scope;

typedef struct {
  Scope scope; // at most MAX_SCOPE - 1
  int from;    // the position that was eliminated
  int64_t *table;
} Message;

struct TileInferBound {
  const TileInferModel *m;
  const int *order;
  int n;
  int *position; // per buffer, -1 if not of this component
  int *choice;   // scratch, -1 outside an enumeration
  int num_messages, cap_messages;
  Message *message;
  int *first_alive, *alive; // messages that count at a depth
};

static int size_at(const TileInferBound *b, int position) {
  return b->m->domain[b->order[position]].n;
}

//===-- Functions ---------------------------------------------------------===//

// An op, or a message if |op| is negative.
typedef struct {
  int op, message;
  Scope scope;
} Function;

static bool scope_add(Scope *s, int position) {
  int i = s->n;
  for (int k = 0; k < s->n; k++)
    if (s->at[k] == position)
      return true;
  if (s->n == MAX_SCOPE)
    return false;
  for (; i > 0 && s->at[i - 1] > position; i--)
    s->at[i] = s->at[i - 1];
  s->at[i] = position, s->n++;
  return true;
}

// The last MAX_SCOPE buffers of an op.
static Scope op_scope(const TileInferBound *b, int op) {
  const TileInferOp *x = &b->m->problem->op[op];
  Scope s = {0};
  for (int round = 0; round < MAX_SCOPE; round++) {
    int last = -1;
    for (int o = 0; o < x->num_operands; o++) {
      int p = b->position[x->operand[o].buffer];
      bool lower = s.n == 0 || p < s.at[0];
      if (lower && p > last)
        last = p;
    }
    if (last >= 0)
      scope_add(&s, last);
  }
  return s;
}

static int64_t message_value(const TileInferBound *b, const Message *x,
                             const int *choice) {
  int64_t index = 0;
  for (int k = 0; k < x->scope.n; k++) {
    int c = choice[b->order[x->scope.at[k]]];
    assert(c >= 0 && "a message is read before its buffers are chosen");
    index = index * size_at(b, x->scope.at[k]) + c;
  }
  return x->table[index];
}

static int64_t function_value(const TileInferBound *b, const Function *f) {
  return f->op >= 0 ? tile_infer_op_cost(b->m, f->op, b->choice, NULL)
                    : message_value(b, &b->message[f->message], b->choice);
}

//===-- Elimination -------------------------------------------------------===//

// Minimum over the candidates of |position| of the sum of |f|; the other
// buffers of the scope are chosen.
static int64_t minimise(TileInferBound *b, int position, const Function *f,
                        int n, bool with_unary) {
  int buffer = b->order[position];
  int64_t best = TILE_INFER_NEVER;
  for (int c = 0; c < size_at(b, position); c++) {
    int64_t sum = with_unary ? b->m->unary[buffer][c] : 0;
    b->choice[buffer] = c;
    for (int i = 0; i < n && sum < best; i++)
      sum += function_value(b, &f[i]);
    if (sum < best)
      best = sum;
  }
  b->choice[buffer] = -1;
  return best;
}

static Message *new_message(TileInferBound *b) {
  if (b->num_messages == b->cap_messages) {
    int cap = b->cap_messages ? 2 * b->cap_messages : 64;
    Message *grown = TILE_ARENA_NEW(b->m->arena, Message, cap);
    for (int i = 0; i < b->num_messages; i++)
      grown[i] = b->message[i];
    b->message = grown, b->cap_messages = cap;
  }
  return &b->message[b->num_messages++];
}

// Sends the minimum of one mini-bucket to the buffers of |scope| but the last.
static void eliminate(TileInferBound *b, const Scope *scope, const Function *f,
                      int n, bool with_unary) {
  int position = scope->at[scope->n - 1];
  Message x = {.scope = *scope, .from = position};
  x.scope.n--;
  int64_t size = 1;
  for (int k = 0; k < x.scope.n; k++)
    size *= size_at(b, x.scope.at[k]);
  x.table = TILE_ARENA_NEW(b->m->arena, int64_t, size);
  for (int64_t i = 0; i < size; i++) {
    int64_t rest = i;
    for (int k = x.scope.n - 1; k >= 0; k--) {
      int at = x.scope.at[k];
      b->choice[b->order[at]] = (int)(rest % size_at(b, at));
      rest /= size_at(b, at);
    }
    x.table[i] = minimise(b, position, f, n, with_unary);
  }
  for (int k = 0; k < x.scope.n; k++)
    b->choice[b->order[x.scope.at[k]]] = -1;
  *new_message(b) = x;
}

// First fit: functions share a mini-bucket while the union of their scopes is
// small enough. |f| is reordered.
static void eliminate_all(TileInferBound *b, int position, Function *f, int n) {
  bool with_unary = true;
  for (int done = 0; done < n || with_unary;) {
    Scope scope = {1, {position}};
    int end = done;
    for (int i = done; i < n; i++) {
      Scope joined = scope;
      bool fits = true;
      for (int k = 0; k < f[i].scope.n; k++)
        fits &= scope_add(&joined, f[i].scope.at[k]);
      if (!fits)
        continue;
      Function t = f[i];
      f[i] = f[end], f[end++] = t;
      scope = joined;
    }
    eliminate(b, &scope, f + done, end - done, with_unary);
    with_unary = false;
    done = end;
  }
}

//===-- Entry -------------------------------------------------------------===//

// At depth d the positions below d are chosen. A message counts when its buffer
// is not chosen and those of its scope are.
static bool is_alive(const Message *x, int depth) {
  int last = x->scope.n ? x->scope.at[x->scope.n - 1] : -1;
  return x->from >= depth && last < depth;
}

static void list_alive(TileInferBound *b) {
  int total = 0;
  b->first_alive = TILE_ARENA_NEW(b->m->arena, int, b->n + 2);
  for (int fill = 0; fill < 2; fill++) {
    total = 0;
    for (int d = 0; d <= b->n; d++) {
      b->first_alive[d] = total;
      for (int i = 0; i < b->num_messages; i++)
        if (is_alive(&b->message[i], d)) {
          if (fill)
            b->alive[total] = i;
          total++;
        }
    }
    b->first_alive[b->n + 1] = total;
    if (!fill)
      b->alive = TILE_ARENA_NEW(b->m->arena, int, total);
  }
}

TileInferBound *tile_infer_bound_create(const TileInferModel *m,
                                        const int *order, int n) {
  const TileInferProblem *p = m->problem;
  TileInferBound *b = TILE_ARENA_NEW(m->arena, TileInferBound, 1);
  *b = (TileInferBound){.m = m, .order = order, .n = n};
  b->position = TILE_ARENA_NEW(m->arena, int, p->num_buffers);
  b->choice = TILE_ARENA_NEW(m->arena, int, p->num_buffers);
  for (int i = 0; i < p->num_buffers; i++)
    b->position[i] = b->choice[i] = -1;
  for (int i = 0; i < n; i++)
    b->position[order[i]] = i;
  Scope *scope = TILE_ARENA_NEW(m->arena, Scope, p->num_ops);
  for (int i = 0; i < p->num_ops; i++)
    scope[i] = op_scope(b, i);
  for (int at = n - 1; at >= 0; at--) {
    int num = 0;
    Function *f =
        TILE_ARENA_NEW(m->arena, Function, p->num_ops + b->num_messages + 1);
    for (int i = 0; i < p->num_ops; i++)
      if (scope[i].n && scope[i].at[scope[i].n - 1] == at)
        f[num++] = (Function){i, -1, scope[i]};
    for (int i = 0; i < b->num_messages; i++) {
      const Scope *s = &b->message[i].scope;
      if (s->n && s->at[s->n - 1] == at)
        f[num++] = (Function){-1, i, *s};
    }
    eliminate_all(b, at, f, num);
  }
  list_alive(b);
  return b;
}

int64_t tile_infer_bound_rest(const TileInferBound *b, int depth,
                              const int *choice) {
  int64_t sum = 0;
  for (int i = b->first_alive[depth]; i < b->first_alive[depth + 1]; i++)
    sum += message_value(b, &b->message[b->alive[i]], choice);
  return sum;
}

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

// |minimum|, if not NULL, holds operand_min of [operand][mode].
static int64_t op_cost(const TileInferModel *m, int op, const int *choice,
                       int64_t (*minimum)[TILE_INFER_MAX_MODES],
                       int *out_mode) {
  const TileInferOp *x = &m->problem->op[op];
  const TileInferTable *t = &m->table[op];
  int64_t best = TILE_INFER_NEVER;
  for (int k = 0; k < t->num_modes; k++) {
    int64_t cost = t->mode[k].base;
    for (int o = 0; o < x->num_operands && cost < best; o++) {
      int b = x->operand[o].buffer;
      int c = m->problem->buffer[b].space == TILE_INFER_GLOBAL ? 0 : choice[b];
      if (c >= 0)
        cost += t->operand[o][k][c];
      else
        cost += minimum ? minimum[o][k] : operand_min(m, op, o, k);
    }
    if (cost < best) {
      best = cost;
      if (out_mode)
        *out_mode = k;
    }
  }
  return best;
}

int64_t tile_infer_op_cost(const TileInferModel *m, int op, const int *choice,
                           int *out_mode) {
  return op_cost(m, op, choice, NULL, out_mode);
}

int64_t tile_infer_cost_of(const TileInferModel *m, const int *choice) {
  int64_t cost = 0;
  for (int i = 0; i < m->problem->num_ops; i++) {
    int64_t c = op_cost(m, i, choice, NULL, NULL);
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

// An array of -1 per buffer.
static int *no_choice(const TileInferModel *m) {
  int *choice = TILE_ARENA_NEW(m->arena, int, m->problem->num_buffers);
  for (int b = 0; b < m->problem->num_buffers; b++)
    choice[b] = -1;
  return choice;
}

static uint32_t all_candidates(const TileInferModel *m, int buffer) {
  return UINT32_MAX >> (TILE_INFER_MAX_CANDIDATES - m->domain[buffer].n);
}

// Candidates of |buffer| that |op| can live with, as a mask; all if not used.
// |choice| is -1 everywhere.
static uint32_t allowed(const TileInferModel *m, int op, int buffer,
                        int *choice) {
  const TileInferOp *x = &m->problem->op[op];
  uint32_t mask = all_candidates(m, buffer);
  bool used = false;
  for (int o = 0; o < x->num_operands; o++)
    used |= x->operand[o].buffer == buffer;
  for (int c = 0; used && c < m->domain[buffer].n; c++) {
    choice[buffer] = c;
    if (op_cost(m, op, choice, NULL, NULL) >= TILE_INFER_NEVER)
      mask &= ~(1u << c);
  }
  choice[buffer] = -1;
  return mask;
}

static void name_candidate(const TileInferModel *m, int buffer, uint32_t mask,
                           char *text, int cap) {
  snprintf(text, (size_t)cap, "none");
  if (mask &&
      tile_layout_print(m->domain[buffer].full[__builtin_ctz(mask)],
                        m->problem->buffer[buffer].elem_bits, text, cap) >= cap)
    snprintf(text + cap - 4, 4, "...");
}

// Why nothing serves |op|: the buffer of which no mode takes any candidate, |b|
// where several exclude each other.
static int culprit_of(const TileInferModel *m, int op, int b) {
  const TileInferOp *x = &m->problem->op[op];
  for (int o = 0; o < x->num_operands; o++) {
    bool is_served = false;
    for (int k = 0; k < m->table[op].num_modes; k++)
      is_served |= operand_min(m, op, o, k) < TILE_INFER_NEVER;
    if (!is_served)
      return x->operand[o].buffer;
  }
  return b;
}

static bool report_unserved(const TileInferModel *m, int op, int b,
                            TileReason *e) {
  const TileInferBuffer *buffer = &m->problem->buffer[culprit_of(m, op, b)];
  if (buffer->user)
    return tile_refuse(e, "", "layout %s given for %s cannot serve op %s",
                       buffer->user, buffer->name, m->problem->op[op].name);
  return tile_refuse(e, "", "op %s: no layout of %s serves it",
                     m->problem->op[op].name, buffer->name);
}

static bool report_conflict(const TileInferModel *m, int b, int *choice,
                            TileReason *e) {
  const TileInferProblem *p = m->problem;
  char x[88], y[88];
  for (int i = 0; i < p->num_ops; i++) {
    uint32_t mi = allowed(m, i, b, choice);
    if (!mi)
      return report_unserved(m, i, b, e);
    for (int j = 0; j < i; j++) {
      uint32_t mj = allowed(m, j, b, choice);
      if (mi & mj)
        continue;
      name_candidate(m, b, mj, x, sizeof x);
      name_candidate(m, b, mi, y, sizeof y);
      return tile_refuse(
          e, "",
          "layout conflict on %s: op %s needs e.g. %s, op %s needs "
          "e.g. %s",
          p->buffer[b].name, p->op[j].name, x, p->op[i].name, y);
    }
  }
  return tile_refuse(e, "", "layout conflict on %s among more than two ops",
                     p->buffer[b].name);
}

// Names the two ops (or the annotation and the op) that cannot agree.
static bool check_conflicts(const TileInferModel *m, TileReason *e) {
  int *choice = no_choice(m);
  for (int b = 0; b < m->problem->num_buffers; b++) {
    if (m->problem->buffer[b].space == TILE_INFER_GLOBAL)
      continue;
    uint32_t mask = all_candidates(m, b);
    for (int i = 0; i < m->problem->num_ops; i++)
      mask &= allowed(m, i, b, choice);
    if (!mask)
      return report_conflict(m, b, choice, e);
  }
  return true;
}

//===-- Connected components ----------------------------------------------===//

typedef struct {
  const TileInferModel *m;
  int64_t (**minimum)[TILE_INFER_MAX_MODES]; // per op, [operand][mode]
  int *first_op, *ops;     // ops of buffer b: ops[first_op[b] .. first_op[b+1])
  int *component;          // per buffer
  int *order, num_ordered; // buffers of the component that is solved
  int *choice, *best_choice;
  int64_t *cost;               // per op, under |choice|
  int64_t best_cost;           // of the component
  const TileInferBound *bound; // or NULL
  int *last_position;          // per op, in |order|; -1 in other components
  int64_t nodes, max_nodes;
} Search;

static void list_ops(Search *s) {
  const TileInferProblem *p = s->m->problem;
  TileArena *arena = s->m->arena;
  int total = 0;
  for (int i = 0; i < p->num_ops; i++)
    total += p->op[i].num_operands;
  s->first_op = TILE_ARENA_NEW(arena, int, p->num_buffers + 1);
  s->ops = TILE_ARENA_NEW(arena, int, total);
  int n = 0;
  for (int b = 0; b < p->num_buffers; b++) {
    s->first_op[b] = n;
    for (int i = 0; i < p->num_ops; i++) {
      bool used = false;
      for (int o = 0; o < p->op[i].num_operands; o++)
        used |= p->op[i].operand[o].buffer == b;
      if (used)
        s->ops[n++] = i;
    }
  }
  s->first_op[p->num_buffers] = n;
}

// Numbers the components by their first buffer; returns how many.
static int label_components(Search *s) {
  const TileInferProblem *p = s->m->problem;
  int count = 0, n = p->num_buffers;
  int *stack = TILE_ARENA_NEW(s->m->arena, int, n);
  s->component = no_choice(s->m);
  for (int b = 0; b < n; b++) {
    if (s->component[b] >= 0 || p->buffer[b].space == TILE_INFER_GLOBAL)
      continue;
    int top = 0;
    stack[top++] = b, s->component[b] = count;
    while (top) {
      int x = stack[--top];
      for (int i = s->first_op[x]; i < s->first_op[x + 1]; i++) {
        const TileInferOp *op = &p->op[s->ops[i]];
        for (int o = 0; o < op->num_operands; o++) {
          int y = op->operand[o].buffer;
          if (p->buffer[y].space != TILE_INFER_GLOBAL && s->component[y] < 0)
            stack[top++] = y, s->component[y] = count;
        }
      }
    }
    count++;
  }
  return count;
}

//===-- Branch and bound --------------------------------------------------===//

// One node in PLAIN_SHARE may be spent before the second bound is built.
enum { PLAIN_SHARE = 200 };

static void sort_by_bound(int *c, int64_t *bound, int n) {
  for (int i = 1; i < n; i++)
    for (int j = i; j > 0 && bound[j] < bound[j - 1]; j--) {
      int64_t t = bound[j];
      bound[j] = bound[j - 1], bound[j - 1] = t;
      int k = c[j];
      c[j] = c[j - 1], c[j - 1] = k;
    }
}

// Costs of the ops of |b| under the present choice, summed; kept if asked.
static int64_t costs_around(Search *s, int b, bool keep) {
  int64_t sum = 0;
  for (int i = s->first_op[b]; i < s->first_op[b + 1]; i++) {
    int op = s->ops[i];
    int64_t c = op_cost(s->m, op, s->choice, s->minimum[op], NULL);
    if (keep)
      s->cost[op] = c;
    if (c >= TILE_INFER_NEVER)
      return TILE_INFER_NEVER;
    sum += c;
  }
  return sum;
}

// Whether the second bound proves that the choice at |depth| cannot be better.
// |exact| is the cost of the ops and buffers before it; the ops that this
// choice completes are added to it.
static bool is_hopeless(const Search *s, int depth, int64_t *exact) {
  int b = s->order[depth];
  *exact += s->m->unary[b][s->choice[b]];
  for (int i = s->first_op[b]; i < s->first_op[b + 1]; i++)
    if (s->last_position[s->ops[i]] == depth)
      *exact += s->cost[s->ops[i]];
  return s->bound &&
         *exact + tile_infer_bound_rest(s->bound, depth + 1, s->choice) >=
             s->best_cost;
}

// |bound| is that of the choices so far, |exact| the part of it that is final.
static void search(Search *s, int depth, int64_t bound, int64_t exact) {
  if (s->nodes++ >= s->max_nodes)
    return;
  if (depth == s->num_ordered) {
    s->best_cost = bound;
    for (int i = 0; i < depth; i++)
      s->best_choice[s->order[i]] = s->choice[s->order[i]];
    return;
  }
  int b = s->order[depth], n = s->m->domain[b].n;
  int c[TILE_INFER_MAX_CANDIDATES];
  int64_t next[TILE_INFER_MAX_CANDIDATES], rest = bound;
  for (int i = s->first_op[b]; i < s->first_op[b + 1]; i++)
    rest -= s->cost[s->ops[i]];
  for (int i = 0; i < n; i++) {
    s->choice[b] = c[i] = i;
    int64_t around = costs_around(s, b, false);
    next[i] = around >= TILE_INFER_NEVER ? TILE_INFER_NEVER
                                         : rest + around + s->m->unary[b][i];
  }
  sort_by_bound(c, next, n);
  for (int i = 0; i < n && next[i] < s->best_cost; i++) {
    s->choice[b] = c[i];
    costs_around(s, b, true);
    int64_t final = exact;
    if (!is_hopeless(s, depth, &final))
      search(s, depth + 1, next[i], final);
  }
  s->choice[b] = -1;
  costs_around(s, b, true);
}

static void init_search(const TileInferModel *m, Search *s) {
  const TileInferProblem *p = m->problem;
  TileArena *a = m->arena;
  *s = (Search){.m = m};
  list_ops(s);
  s->choice = no_choice(m), s->best_choice = no_choice(m);
  s->order = TILE_ARENA_NEW(a, int, p->num_buffers);
  s->cost = TILE_ARENA_NEW(a, int64_t, p->num_ops);
  s->last_position = TILE_ARENA_NEW(a, int, p->num_ops);
  s->minimum = tile_arena_alloc(a, sizeof *s->minimum * (size_t)p->num_ops);
  for (int i = 0; i < p->num_ops; i++) {
    const TileInferOp *op = &p->op[i];
    s->minimum[i] =
        tile_arena_alloc(a, sizeof *s->minimum[i] * (size_t)op->num_operands);
    for (int o = 0; o < op->num_operands; o++)
      for (int k = 0; k < m->table[i].num_modes; k++)
        s->minimum[i][o][k] = operand_min(m, i, o, k);
    s->cost[i] = op_cost(m, i, s->choice, s->minimum[i], NULL);
    s->last_position[i] = -1;
  }
}

// Lists the buffers of component |k|; returns the bound of the empty choice.
static int64_t enter_component(Search *s, int k) {
  const TileInferProblem *p = s->m->problem;
  int64_t bound = 0;
  s->num_ordered = 0;
  for (int b = 0; b < p->num_buffers; b++)
    if (s->component[b] == k) {
      for (int i = s->first_op[b]; i < s->first_op[b + 1]; i++) {
        if (s->last_position[s->ops[i]] < 0)
          bound += s->cost[s->ops[i]];
        s->last_position[s->ops[i]] = s->num_ordered;
      }
      s->order[s->num_ordered++] = b;
    }
  return bound;
}

// Solves component |k|; false when nothing was found.
static bool solve_component(Search *s, int k, int64_t max_nodes) {
  int64_t bound = enter_component(s, k);
  s->best_cost = TILE_INFER_NEVER;
  s->bound = NULL;
  s->nodes = 0, s->max_nodes = max_nodes / PLAIN_SHARE;
  if (bound >= TILE_INFER_NEVER)
    return false;
  search(s, 0, bound, 0);
  if (s->nodes > s->max_nodes) {
    s->bound = tile_infer_bound_create(s->m, s->order, s->num_ordered);
    s->nodes = s->max_nodes, s->max_nodes = max_nodes;
    search(s, 0, bound, 0);
  }
  return s->best_cost < TILE_INFER_NEVER;
}

bool tile_infer_solve(const TileInferModel *m, TileInferResult *out,
                      TileReason *e) {
  const TileInferProblem *p = m->problem;
  int64_t budget = p->node_budget ? p->node_budget : TILE_INFER_NODE_BUDGET;
  if (!check_conflicts(m, e))
    return false;
  Search s;
  init_search(m, &s);
  int components = label_components(&s);
  TileInferResult r = {.proved = true};
  for (int k = 0; k < components; k++) {
    bool found = solve_component(&s, k, (budget - r.nodes) / (components - k));
    bool spent = s.nodes > s.max_nodes;
    r.nodes += spent ? s.max_nodes : s.nodes;
    r.proved &= !spent;
    if (!found && spent)
      return tile_refuse(
          e, "", "%s: the search budget of %lld nodes found no joint choice",
          p->name, (long long)budget);
    if (!found)
      return tile_refuse(e, "", "%s: no joint choice of layouts exists",
                         p->name);
  }
  r.choice = s.best_choice;
  r.mode = TILE_ARENA_NEW(m->arena, int, p->num_ops);
  r.cost = tile_infer_cost_of(m, r.choice);
  if (r.cost >= TILE_INFER_NEVER) // an op on global memory only
    return tile_refuse(e, "", "%s: no joint choice of layouts exists", p->name);
  for (int i = 0; i < p->num_ops; i++)
    op_cost(m, i, r.choice, NULL, &r.mode[i]);
  *out = r;
  return true;
}
