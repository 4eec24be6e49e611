//===- LayoutInferViews.c - Fragments that are seen in several shapes -----===//
//
// Views of a fragment move nothing: thread and register of an element are the
// same in each shape. In the row-major order of the elements every shape has
// its ends, the products of its last extents:
//
//   101x68     1        68      6868
//   101x4x17   1   17   68      6868
//   6868       1                6868
//
// The parts between them are spread over the threads: 101 | 4 | 17. A part
// that ends where every shape has an end may overhang: what is past its end
// is so in each shape. Others are exact. 60x100 and 100x60 have ends that do
// not divide each other: 6000 is 20 | 15 | 20, with the greatest common divisor
// below, the least common multiple above, and between them what is cut in two
// ways and therefore lies in the registers of each thread, in one run.
//
//===----------------------------------------------------------------------===//
#include "LayoutInferInternal.h"

enum { MAX_ENDS = 64 };

//===-- The shapes of a storage -------------------------------------------===//

// The op that makes `buffer` a view of a whole tile; NULL for other buffers.
static const TileInferOp *view_op(const TileInferProblem *p, int buffer) {
  for (int i = 0; i < p->num_ops; i++)
    if (p->op[i].kind == TILE_INFER_VIEW && !p->op[i].cut &&
        p->op[i].operand[1].buffer == buffer)
      return &p->op[i];
  return NULL;
}

static int storage_of(const TileInferProblem *p, int buffer) {
  const TileInferOp *op = p->buffer[buffer].is_view ? view_op(p, buffer) : NULL;
  return op ? storage_of(p, op->operand[0].buffer) : buffer;
}

bool tile_infer_view_takes(const TileInferModel *m, int buffer,
                           const TileLayout *l) {
  const TileInferProblem *p = m->problem;
  int storage = storage_of(p, buffer);
  for (int i = 0; i < p->num_buffers; i++) {
    const TileInferBuffer *b = &p->buffer[i];
    TileLayout seen;
    if (i != buffer && (b->is_view || i == storage) &&
        storage_of(p, i) == storage &&
        !tile_layout_view(l, b->shape, b->rank, &seen, NULL))
      return false;
  }
  return true;
}

//===-- Ends --------------------------------------------------------------===//

typedef struct {
  int64_t at[MAX_ENDS]; // ascending
  int shapes[MAX_ENDS]; // how many shapes have it
  int n, num_shapes;
} Ends;

static bool add_end(Ends *ends, int64_t at) {
  int i = 0;
  while (i < ends->n && ends->at[i] < at)
    i++;
  if (i < ends->n && ends->at[i] == at) {
    ends->shapes[i]++;
    return true;
  }
  if (ends->n == MAX_ENDS)
    return false;
  for (int k = ends->n++; k > i; k--)
    ends->at[k] = ends->at[k - 1], ends->shapes[k] = ends->shapes[k - 1];
  ends->at[i] = at, ends->shapes[i] = 1;
  return true;
}

static bool add_shape(Ends *ends, const int64_t *shape, int rank) {
  int64_t at = 1;
  bool has_room = add_end(ends, at);
  for (int d = rank - 1; d >= 0; d--)
    if (shape[d] > 1)
      has_room = add_end(ends, at *= shape[d]) && has_room;
  ends->num_shapes++;
  return has_room;
}

static bool collect_ends(const TileInferProblem *p, int storage, Ends *out) {
  bool has_room = true;
  *out = (Ends){.n = 0};
  for (int i = 0; i < p->num_buffers; i++)
    if ((i == storage || p->buffer[i].is_view) && storage_of(p, i) == storage)
      has_room =
          add_shape(out, p->buffer[i].shape, p->buffer[i].rank) && has_room;
  return has_room;
}

// Whether end `i` divides those after it, and those before it divide it.
static bool is_clean(const Ends *ends, int i) {
  for (int k = 0; k < ends->n; k++) {
    int64_t low = ends->at[k < i ? k : i], high = ends->at[k < i ? i : k];
    if (high % low)
      return false;
  }
  return true;
}

//===-- Parts -------------------------------------------------------------===//

static int64_t common_divisor(int64_t a, int64_t b) {
  return b ? common_divisor(b, a % b) : a;
}

// Appends a part above those known; the caller turns their order round.
static bool push_part(TileInferExtents *x, int64_t extent, bool is_exact,
                      bool is_whole) {
  if (extent == 1)
    return true;
  if (x->rank == TILE_LAYOUT_MAX_AXES)
    return false;
  x->exact |= (unsigned)is_exact << x->rank;
  x->whole |= (unsigned)is_whole << x->rank;
  x->extent[x->rank++] = extent;
  return true;
}

// Between the clean ends `first` and `last`.
static bool push_parts(const Ends *ends, int first, int last,
                       TileInferExtents *x) {
  int64_t from = ends->at[first], to = ends->at[last];
  bool is_exact = ends->shapes[last] < ends->num_shapes;
  if (last == first + 1)
    return push_part(x, to / from, is_exact, false);
  int64_t low = ends->at[first + 1], high = low;
  for (int i = first + 2; i < last; i++) {
    low = common_divisor(low, ends->at[i]);
    high *= ends->at[i] / common_divisor(high, ends->at[i]);
  }
  return push_part(x, low / from, true, false) &&
         push_part(x, high / low, true, true) &&
         push_part(x, to / high, is_exact, false);
}

static TileInferExtents reversed(const TileInferExtents *x) {
  TileInferExtents r = {.rank = x->rank};
  for (int d = 0; d < x->rank; d++) {
    int to = x->rank - 1 - d;
    r.extent[to] = x->extent[d];
    r.exact |= (x->exact >> d & 1) << to;
    r.whole |= (x->whole >> d & 1) << to;
  }
  return r;
}

bool tile_infer_view_parts(const TileInferModel *m, int buffer,
                           TileInferExtents *out) {
  Ends ends;
  TileInferExtents x = {.rank = 0};
  if (m->problem->buffer[buffer].lead ||
      !collect_ends(m->problem, storage_of(m->problem, buffer), &ends) ||
      ends.num_shapes < 2)
    return false;
  for (int first = 0, i = 1; i < ends.n; i++) {
    if (!is_clean(&ends, i))
      continue;
    if (!push_parts(&ends, first, i, &x))
      return false;
    first = i;
  }
  *out = reversed(&x);
  return x.rank > 0;
}

int64_t tile_infer_view_run(const TileInferModel *m, int buffer) {
  const TileInferProblem *p = m->problem;
  int64_t run = 1, lanes = 32, warps = p->role[p->buffer[buffer].role].warps;
  TileInferExtents x;
  if (!tile_infer_view_parts(m, buffer, &x))
    return run;
  for (int d = 0; d < x.rank; d++) {
    int64_t extent = x.extent[d], divisor;
    bool is_spread = !(x.whole >> d & 1);
    while (is_spread && (divisor = common_divisor(extent, lanes * warps)) > 1)
      extent /= divisor;
    if (x.exact >> d & 1)
      run *= extent;
  }
  return run;
}
