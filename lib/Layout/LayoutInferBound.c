//===- LayoutInferBound.c - What the buffers yet to choose will add -------===//
//
// Mini-buckets (Dechter and Rish, 2003). Buffers are eliminated from the last
// to the first of the search order. Eliminating one adds up the functions whose
// last buffer it is - ops, and messages of later eliminations - and keeps the
// minimum over its candidates as a message over the other buffers. At most
// MAX_SCOPE buffers meet in one sum; what does not fit is minimised apart, and
// an op with more buffers sees the first ones at their minimum, so the result
// is a lower bound, exact on chains and trees of small ops.
//
// O(buffers * candidates^MAX_SCOPE * modes) time.
//
//===----------------------------------------------------------------------===//
#include "LayoutInferInternal.h"

#include <assert.h>

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
