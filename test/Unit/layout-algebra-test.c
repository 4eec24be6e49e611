//===- layout-algebra-test.c - Random layouts against enumeration ---------===//
//
// Every operation of the algebra is compared with a naive enumeration on 3,000
// rounds of random layouts (seed in layout-check.h).
//
//===----------------------------------------------------------------------===//

#include "Layout/LayoutHardware.h"
#include "Layout/LayoutInternal.h"
#include "layout-random.h"

enum { ROUNDS = 3000 };
static long viewed, sliced, sliced_anywhere, recasted;

static int64_t ev(const TileLayout *l, const int64_t *in) {
  int64_t out[TILE_LAYOUT_MAX_AXES], flat = 0;
  if (!tile_layout_eval(l, in, out))
    return -1;
  for (int a = 0; a < l->out.num_axes; a++)
    flat = flat * l->out.extent[a] + out[a];
  return flat;
}

//===-- Properties --------------------------------------------------------===//

static void properties(const TileLayout *l) {
  int64_t n = tile_layout_size(&l->in), space = 1, x[TILE_LAYOUT_MAX_AXES],
          distinct = 0;
  for (int a = 0; a < l->out.num_axes; a++)
    space *= l->out.extent[a];
  int *count = calloc((size_t)space + 1, sizeof *count);
  int most = 0, least = 1 << 30;
  for (int64_t i = 0; i < n; i++) {
    tile_layout_point(&l->in, i, x);
    int64_t v = ev(l, x);
    CHECK(v >= 0 && v < space, "value %lld of %lld", (long long)v,
          (long long)space);
    distinct += count[v]++ == 0;
  }
  for (int64_t v = 0; v < space; v++)
    if (count[v]) {
      most = count[v] > most ? count[v] : most;
      least = count[v] < least ? count[v] : least;
    }
  // Overlapping strides may still be injective: the check is then conservative.
  bool injective =
      tile_layout_replication(l) == 1 && tile_layout_nested(&l->out);
  CHECK(!injective || most == 1, "injective");
  if (l->out.name[0][0] == 'd') {
    CHECK(injective == (most == 1), "injective, dense");
    CHECK(tile_layout_covers(l) == (distinct == space), "covers");
    CHECK(most == least && tile_layout_replication(l) == most, "replication %d",
          most);
  }
  free(count);
}

static void equality_and_text(const TileLayout *l, const int64_t *shape,
                              int rank) {
  char text[4000];
  TileLayout back, c = *l;
  TileReason e = {""};
  tile_layout_canonicalize(&c);
  CHECK(tile_layout_equal(l, &c), "canonical form is the same function");
  int64_t n = tile_layout_size(&l->in), x[TILE_LAYOUT_MAX_AXES];
  for (int64_t i = 0; i < n; i++) {
    tile_layout_point(&l->in, i, x);
    CHECK(ev(l, x) == ev(&c, x), "canonical");
  }
  CHECK(tile_layout_print(l, 0, text, sizeof text) < (int)sizeof text, "long");
  CHECK(tile_layout_parse(text, shape, rank, 16, &back, &e) &&
            tile_layout_equal(l, &back),
        "%s: %s", text, e.text);
  CHECK(back.out.extent[0] == l->out.extent[0], "extent");
  tile_layout_print(l, 16, text, sizeof text);
  CHECK(tile_layout_parse(text, shape, rank, 16, &back, &e) &&
            tile_layout_equal(l, &back),
        "%s: %s", text, e.text);
  for (int k = 0; k < 4;
       k++) { // damaged text is refused or parsed, never crashes
    size_t len = strlen(text);
    char damage = "(),:*^0d->"[rnd(10)];
    text[rnd((unsigned)len)] = damage;
    tile_layout_parse(text, shape, rank, 16, &back, &e);
  }
}

//===-- Operations --------------------------------------------------------===//

static void compose(const TileLayout *f, const TileLayout *s) {
  TileLayout a;
  TileReason e = {""};
  int64_t x[TILE_LAYOUT_MAX_AXES], y[TILE_LAYOUT_MAX_AXES],
      z[TILE_LAYOUT_MAX_AXES], w[TILE_LAYOUT_MAX_AXES];
  CHECK(tile_layout_compose(f, s, &a, &e), "%s", e.text);
  for (int64_t k = 0; k < tile_layout_size(&f->in); k++) {
    tile_layout_point(&f->in, k, x);
    tile_layout_eval(f, x, y), tile_layout_eval(s, y, z),
        tile_layout_eval(&a, x, w);
    CHECK(z[0] == w[0], "compose");
  }
}

static void reshape(const TileLayout *s, const int64_t *shape, int rank) {
  TileLayout v, t, ex, dr;
  TileReason e = {""};
  int64_t x[TILE_LAYOUT_MAX_AXES], y[TILE_LAYOUT_MAX_AXES],
      n = tile_layout_size(&s->in), o1, o2;
  int perm[3] = {rank - 1, rank > 2 ? 0 : 0, 1};
  CHECK(tile_layout_transpose(s, perm, &t, &e), "%s", e.text);
  CHECK(tile_layout_expand(s, 3, 0, 8, &ex, &e) &&
            tile_layout_drop_leading(&ex, &dr, &e),
        "%s", e.text);
  CHECK(tile_layout_equal(&dr, s), "drop(expand) = id");
  int64_t slot = (s->out.extent[0] + 7) / 8 * 8;
  int64_t other[3] = {1, 1, n}; // random other shape
  for (int d = 0; d < 2; d++)
    for (int p = 2; p <= 5; p++)
      while (other[2] % p == 0 && rnd(3) == 0)
        other[2] /= p, other[d] *= p;
  bool ok = tile_layout_view(s, other, 3, &v, NULL);
  viewed += ok;
  for (int64_t k = 0; k < n; k++) {
    tile_layout_point(&s->in, k, x);
    tile_layout_eval(s, x, &o1);
    for (int d = 0; d < rank; d++)
      y[d] = x[perm[d]];
    tile_layout_eval(&t, y, &o2);
    CHECK(o1 == o2, "transpose");
    y[0] = (int64_t)rnd(3);
    memcpy(y + 1, x, sizeof(int64_t) * (size_t)rank);
    CHECK(tile_layout_eval(&ex, y, &o2) && o2 == o1 + y[0] * slot, "expand");
    int64_t flat = 0;
    for (int d = 0; d < rank; d++)
      flat = flat * shape[d] + x[d];
    y[2] = flat % other[2], y[1] = flat / other[2] % other[1];
    y[0] = flat / other[2] / other[1];
    if (ok)
      CHECK(tile_layout_eval(&v, y, &o2) && o1 == o2, "view");
  }
}

// Every element of a window lies where the whole layout has it.
static bool slice(const TileLayout *s, const int64_t *off, const int64_t *size,
                  int rank) {
  int64_t x[3], y[3], o1, o2;
  TileLayoutWindow w;
  if (!tile_layout_slice(s, off, size, &w, NULL))
    return false;
  for (int64_t k = 0; k < tile_layout_size(&w.layout.in); k++) {
    tile_layout_point(&w.layout.in, k, x);
    for (int d = 0; d < rank; d++)
      y[d] = x[d] + off[d];
    tile_layout_eval(s, y, &o1), tile_layout_eval(&w.layout, x, &o2);
    CHECK(o1 == (o2 ^ w.toggle) + w.add, "slice");
  }
  return true;
}

static void slice_and_recast(const TileLayout *s, const int64_t *shape,
                             int rank) {
  int64_t off[3], size[3], x[3], y[3], o1, o2, o3;
  for (int d = 0; d < rank; d++) {
    size[d] = shape[d];
    for (int p = 2; p <= 5; p++)
      if (size[d] % p == 0 && rnd(2))
        size[d] /= p;
    off[d] = size[d] * (int64_t)rnd((unsigned)(shape[d] / size[d]));
  }
  sliced += slice(s, off, size, rank);
  for (int d = 0; d < rank; d++) { // ends that are no multiples
    int64_t unit = size[d], count = shape[d] / unit;
    size[d] = unit * (1 + (int64_t)rnd((unsigned)count));
    off[d] = unit * (int64_t)rnd((unsigned)(count - size[d] / unit + 1));
  }
  sliced_anywhere += slice(s, off, size, rank);
  TileLayout wide, narrow;
  TileReason e = {""};
  CHECK(tile_layout_recast(s, 16, 8, &narrow, &e), "%s", e.text);
  CHECK(tile_layout_recast(&narrow, 8, 16, &wide, &e) &&
            tile_layout_equal(&wide, s),
        "recast back: %s", e.text);
  bool can = tile_layout_recast(s, 8, 16, &wide, NULL);
  recasted += can;
  for (int64_t k = 0; k < tile_layout_size(&s->in); k++) {
    tile_layout_point(&s->in, k, x);
    tile_layout_eval(s, x, &o1);
    memcpy(y, x, sizeof y);
    y[rank - 1] = 2 * x[rank - 1] + 1;
    tile_layout_eval(&narrow, y, &o2);
    CHECK(o2 == 2 * o1 + 1, "recast narrow");
    y[rank - 1] = x[rank - 1] / 2;
    if (can)
      CHECK(tile_layout_eval(&wide, y, &o3) && o3 == o1 / 2 &&
                o1 % 2 == x[rank - 1] % 2,
            "wide");
  }
}

static void project(const TileLayout *f, int rank) {
  TileLayout p;
  TileReason e = {""};
  int dim = (int)rnd((unsigned)rank);
  if (rank < 2 || !tile_layout_fold(f, dim, false, &p, &e))
    return;
  int64_t y[4], z[4];
  for (int k = 0; k < 20; k++) {
    int64_t x[3];
    for (int a = 0; a < 3; a++)
      x[a] = rnd((unsigned)f->in.extent[a]);
    tile_layout_eval(f, x, y);
    for (int d = dim; d + 1 < rank; d++)
      y[d] = y[d + 1];
    bool found = false;
    for (int64_t r = 0; r < p.in.extent[0] && !found; r++) {
      int64_t q[3] = {r, x[1], x[2]};
      tile_layout_eval(&p, q, z);
      found = !memcmp(y, z, sizeof(int64_t) * (size_t)(rank - 1));
    }
    CHECK(found, "fold keeps the row in the thread");
  }
  CHECK(tile_layout_distinct_regs(&p) == p.in.extent[0], "compact");
}

//===-- Tests -------------------------------------------------------------===//

static void test_random_layouts(void **state) {
  (void)state;
  for (int round = 0; round < ROUNDS; round++) {
    int rank = 1 + (int)rnd(3);
    bool odd = rnd(2), wild = rnd(2);
    int64_t shape[3];
    TileLayout s, f;
    Piece piece[32];
    if (random_memory(&s, shape, rank, odd, wild)) {
      properties(&s), equality_and_text(&s, shape, rank);
      reshape(&s, shape, rank), slice_and_recast(&s, shape, rank);
    }
    int n = random_shape(shape, rank, 8, rnd(2), piece);
    if (!random_fragment(&f, shape, rank, piece, n, 3, 1, rnd(2)))
      continue;
    properties(&f), equality_and_text(&f, shape, rank), project(&f, rank);
    dense_memory(&s, shape, rank, piece, n, false);
    compose(&f, &s);
  }
  // Every branch was taken often enough to mean something.
  CHECK(viewed > 500 && sliced > 500 && sliced_anywhere > 200 && recasted > 100,
        "views %ld, slices %ld and %ld, recasts %ld", viewed, sliced,
        sliced_anywhere, recasted);
}

//===-- Tests -------------------------------------------------------------===//

// What a builder cannot hold is an error, not another layout.
static void test_limits(void **state) {
  (void)state;
  TileLayoutBuilder b;
  TileLayoutStep step[24];
  TileLayout f, s, a, r;
  TileReason e = {""};
  int64_t shape[2] = {1 << 24, 1};
  tile_layout_begin_fragment(&b, shape, 2);
  for (int i = 0; i < 24; i++)
    step[i] = (TileLayoutStep){0, (int64_t)1 << i};
  tile_layout_push_xor(&b, TILE_LAYOUT_REG, step, 24);
  CHECK(tile_layout_finish(&b, &f, &e), "%s", e.text);
  tile_layout_begin_memory(&b, shape, 2);
  for (int i = 0; i < 24; i++)
    tile_layout_push_xor(
        &b, 0,
        (TileLayoutStep[]){{0, (int64_t)1 << 2 * i}, {0, (int64_t)2 << 2 * i}},
        2);
  CHECK(tile_layout_finish(&b, &s, &e) && tile_layout_compose(&f, &s, &a, &e),
        "%s", e.text);
  CHECK(!tile_layout_compact_regs(&a, &r, &e) &&
            strstr(e.text, "or 24 XORed terms"),
        "%s", e.text);
  tile_layout_begin_memory(&b, (int64_t[]){8}, 1);
  for (int i = 0; i < 3; i++) {
    tile_layout_push(&b, 0, 0, 1 << i, 2);
    b.entry[i].stride = i ? 3 : 1;
  }
  CHECK(!tile_layout_finish(&b, &s, &e) &&
            strstr(e.text, "strides of an input axis overlap"),
        "%s", e.text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random_layouts),
      cmocka_unit_test(test_limits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
