//===- layout-algebra-test.c - Random layouts against enumeration ---------===//
//
// Every operation of the algebra is compared with a naive enumeration on 3,000
// rounds of random layouts (seed in layout-check.h).
//
//===----------------------------------------------------------------------===//

#include "Tile/LayoutAccess.h"
#include "Tile/LayoutHardware.h"
#include "layout-random.h"

enum { ROUNDS = 3000 };
static long viewed, sliced, recasted, boxed, kinds[5];

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
  CHECK(!tile_layout_injective(l) || most == 1, "injective");
  if (l->out.name[0][0] == 'd') {
    CHECK(tile_layout_injective(l) == (most == 1), "injective, dense");
    CHECK(tile_layout_covers(l) == (distinct == space), "covers");
    CHECK(most == least && tile_layout_replication(l) == most, "replication %d",
          most);
  }
  TileLayout inv; // gaps of a padded layout have no preimage
  if (l->out.name[0][0] == 'o' && tile_layout_injective(l) &&
      tile_layout_inverse(l, &inv, NULL)) {
    int64_t valid = 0;
    for (int64_t o = 0; o < space; o++)
      valid += tile_layout_eval(&inv, &o, x);
    CHECK(valid == n, "%lld offsets of %lld elements", (long long)valid,
          (long long)n);
  }
  free(count);
}

static void equality_and_text(const TileLayout *l, const int64_t *shape,
                              int rank) {
  char text[4000];
  TileLayout back, c = *l;
  TileLayoutError e = {""};
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
    text[rnd((unsigned)len)] = "(),:*^0d->"[rnd(10)];
    tile_layout_parse(text, shape, rank, 16, &back, &e);
  }
}

//===-- Operations --------------------------------------------------------===//

static void compose_and_inverse(const TileLayout *f, const TileLayout *s) {
  TileLayout a, i;
  TileLayoutError e = {""};
  int64_t x[TILE_LAYOUT_MAX_AXES], y[TILE_LAYOUT_MAX_AXES],
      z[TILE_LAYOUT_MAX_AXES], w[TILE_LAYOUT_MAX_AXES];
  CHECK(tile_layout_compose(f, s, &a, &e), "%s", e.text);
  bool fi = tile_layout_inverse(f, &i, NULL);
  CHECK(fi || (!tile_layout_covers(f) && !tile_layout_injective(f)),
        "inverse exists");
  for (int64_t k = 0; k < tile_layout_size(&f->in); k++) {
    tile_layout_point(&f->in, k, x);
    tile_layout_eval(f, x, y), tile_layout_eval(s, y, z),
        tile_layout_eval(&a, x, w);
    CHECK(z[0] == w[0], "compose");
    if (fi) { // f(inv(f(x))) = f(x) for both kinds
      CHECK(tile_layout_eval(&i, y, z) && tile_layout_eval(f, z, w), "gap");
      CHECK(!memcmp(w, y, sizeof(int64_t) * (size_t)f->out.num_axes),
            "f inv f");
    }
  }
  if (tile_layout_injective(s) && tile_layout_inverse(s, &i, &e))
    for (int64_t k = 0; k < tile_layout_size(&s->in); k++) {
      tile_layout_point(&s->in, k, x);
      tile_layout_eval(s, x, y);
      CHECK(tile_layout_eval(&i, y, z), "gap at %lld", (long long)y[0]);
      CHECK(!memcmp(x, z, sizeof(int64_t) * (size_t)s->in.num_axes),
            "inv s = id");
    }
}

static void product(const TileLayout *a, const TileLayout *b) {
  TileLayout p;
  TileLayoutError e = {""};
  int64_t x[4], y[4], z[4], u[4], v[4], w[4];
  if (a->in.num_axes != b->in.num_axes)
    return;
  CHECK(tile_layout_product(a, b, &p, &e), "%s", e.text);
  for (int k = 0; k < 50; k++) {
    tile_layout_point(&a->in, rnd((unsigned)tile_layout_size(&a->in)), x);
    tile_layout_point(&b->in, rnd((unsigned)tile_layout_size(&b->in)), y);
    for (int d = 0; d < a->in.num_axes; d++)
      z[d] = x[d] + y[d] * a->in.extent[d];
    tile_layout_eval(a, x, u), tile_layout_eval(b, y, v);
    CHECK(tile_layout_eval(&p, z, w), "gap");
    for (int d = 0; d < a->out.num_axes; d++)
      CHECK(w[d] == u[d] + v[d] * a->out.extent[d], "product");
  }
}

static void reshape(const TileLayout *s, const int64_t *shape, int rank) {
  TileLayout v, t, ex, dr;
  TileLayoutError e = {""};
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
  TileLayoutWindow w;
  if (tile_layout_slice(s, off, size, &w, NULL)) {
    sliced++;
    for (int64_t k = 0; k < tile_layout_size(&w.layout.in); k++) {
      tile_layout_point(&w.layout.in, k, x);
      for (int d = 0; d < rank; d++)
        y[d] = x[d] + off[d];
      tile_layout_eval(s, y, &o1), tile_layout_eval(&w.layout, x, &o2);
      CHECK(o1 == (o2 ^ w.toggle) + w.add, "slice");
    }
  }
  TileLayout wide, narrow;
  TileLayoutError e = {""};
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
  TileLayoutError e = {""};
  int dim = (int)rnd((unsigned)rank);
  if (rank < 2 || !tile_layout_fold(f, dim, false, &p, &e))
    return;
  int64_t regs = f->in.extent[0], y[4], z[4];
  for (int k = 0; k < 20; k++) {
    int64_t x[3] = {rnd((unsigned)regs), rnd((unsigned)f->in.extent[1]),
                    rnd((unsigned)f->in.extent[2])};
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

//===-- Access, conversion, TMA -------------------------------------------===//

static void vector_width(const TileLayout *f, const TileLayout *s, int bits) {
  TileLayout a;
  if (!tile_layout_compose(f, s, &a, NULL))
    return;
  int64_t regs = a.in.extent[0], threads = a.in.extent[1] * a.in.extent[2];
  if (regs > 256 || threads > 64)
    return;
  int best = 1;
  for (int v = 2; v <= 128 / bits; v *= 2) {
    bool ok = true;
    int64_t home[256];
    for (int64_t t = 0; t < threads && ok; t++) {
      int64_t o[256];
      for (int64_t r = 0; r < regs; r++)
        tile_layout_eval(
            &a, (int64_t[]){r, t % a.in.extent[1], t / a.in.extent[1]}, &o[r]);
      for (int64_t r = 0; r < regs && ok; r++) {
        if (t == 0)
          home[r] = o[r] % v;
        ok = home[r] == o[r] % v; // static position in the vector
        for (int i = 0; i < v && ok; i++) {
          bool found = false;
          for (int64_t q = 0; q < regs && !found; q++)
            found = o[q] == o[r] / v * v + i;
          ok = found;
        }
      }
    }
    if (ok)
      best = v;
  }
  int got = tile_layout_vector_width(&a, bits);
  CHECK(got <= best, "vector width %d is not possible, %d is", got, best);
  bool pure = true;
  for (int j = 0; j < a.out.num_digits; j++)
    pure &= a.out.digit[j].stride == (int64_t)1 << j;
  if (pure)
    CHECK(got == best, "vector width %d, naive %d", got, best);
}

// Wavefronts counted anew, with a bitmap per bank, over all instructions.
static void wavefronts(const TileLayout *f, const TileLayout *s, int bits) {
  TileLayout a;
  TileLayoutAccess x;
  if (!tile_layout_compose(f, s, &a, NULL) ||
      !tile_layout_shared_access(f, s, bits, false, &x, NULL))
    return;
  for (int i = 0; i < a.in.num_digits; i++)
    if (a.in.digit[i].radix != 2)
      return; // sampling is exact for pure F2 only
  int v = x.vec_elems, bytes = v * bits / 8,
      group = bytes <= 4 ? 32 : 128 / bytes;
  static bool done[4096];
  memset(done, 0, sizeof done);
  int64_t waves = 0, n = 0, o;
  for (int64_t r = 0; r < a.in.extent[0]; r++) {
    tile_layout_eval(&a, (int64_t[]){r, 0, 0}, &o);
    if (done[o / v])
      continue; // an element of a vector that was counted
    done[o / v] = true, n++;
    for (int g = 0; g < 32; g += group) {
      static bool word[4096];
      memset(word, 0, sizeof word);
      int most = 0;
      for (int l = g; l < g + group; l++) {
        tile_layout_eval(&a, (int64_t[]){r, l % a.in.extent[1], 0}, &o);
        for (int64_t b = o / v * bytes; b < (o / v + 1) * bytes; b++)
          word[b / 4] = true;
      }
      for (int bank = 0; bank < 32; bank++) {
        int load = 0;
        for (int w = bank; w < 4096; w += 32)
          load += word[w];
        most = load > most ? load : most;
      }
      waves += most;
    }
  }
  CHECK(x.instructions == n, "instructions %lld, naive %lld",
        (long long)x.instructions, (long long)n);
  CHECK(x.wavefronts == waves, "wavefronts %lld, naive %lld",
        (long long)x.wavefronts, (long long)waves);
}

// 0: nothing to do, 1: static renaming, 2: same thread, 3: same warp, 4: other.
static int naive_conversion(const TileLayout *s, const TileLayout *d) {
  int level = 0;
  int64_t y[4], z[4];
  int rank = s->out.num_axes;
  for (int64_t k = 0; k < tile_layout_size(&d->in); k++) {
    int64_t x[3];
    tile_layout_point(&d->in, k, x);
    tile_layout_eval(d, x, y);
    int need = 4;
    for (int64_t l = 0; l < s->in.extent[1]; l++)
      for (int64_t r = 0; r < s->in.extent[0]; r++) {
        int64_t q[3] = {r, l, x[2]};
        tile_layout_eval(s, q, z);
        if (memcmp(y, z, sizeof(int64_t) * (size_t)rank))
          continue;
        int n = l != x[1] ? 3 : r == x[0] ? 0 : 2;
        need = n < need ? n : need;
      }
    level = need > level ? need : level;
  }
  return level;
}

static void conversion(const TileLayout *s, const TileLayout *d) {
  TileLayoutConversion c;
  TileLayoutError e = {""};
  if (s->in.extent[0] > 64 || d->in.extent[0] > 64)
    return;
  if (!tile_layout_plan_conversion(s, d, 32, &c, &e))
    return;
  kinds[c.kind]++;
  int naive = naive_conversion(s, d);
  CHECK((c.kind == TILE_LAYOUT_CONV_NONE) == (naive == 0),
        "none: kind %d naive %d", c.kind, naive);
  CHECK((c.kind <= TILE_LAYOUT_CONV_SELECT) == (naive <= 2),
        "register: kind %d naive %d", c.kind, naive);
  if (c.kind == TILE_LAYOUT_CONV_SHUFFLE)
    CHECK(naive == 3, "shuffle: naive %d", naive);
  for (int64_t k = 0;
       k < tile_layout_size(&d->in) && c.kind != TILE_LAYOUT_CONV_SHARED; k++) {
    int64_t x[3], from[3], have[4], want[4]; // the route delivers every element
    tile_layout_point(&d->in, k, x);
    CHECK(tile_layout_eval(&c.route, x, from), "gap");
    tile_layout_eval(s, from, have), tile_layout_eval(d, x, want);
    CHECK(!memcmp(have, want, sizeof(int64_t) * (size_t)s->out.num_axes),
          "route, kind %d", c.kind);
    CHECK(from[2] == x[2] &&
              (c.kind == TILE_LAYOUT_CONV_SHUFFLE || from[1] == x[1]),
          "route crosses, kind %d", c.kind);
    CHECK(c.kind != TILE_LAYOUT_CONV_NONE || from[0] == x[0], "none");
  }
}

static void tma(const TileLayout *s, int bits, int rank) {
  TileLayoutTma t;
  TileLayoutError e = {""};
  if (!tile_layout_derive_tma(s, bits, rank - 1, &t, &e)) {
    CHECK(e.text[0], "a reason");
    return;
  }
  boxed++;
  for (int d = 0; d < rank; d++)
    CHECK(t.box[d] >= 1 && t.box[d] <= 256, "box extent %lld",
          (long long)t.box[d]);
  CHECK(!t.swizzle || t.box[rank - 1] * bits == 8 * t.swizzle, "swizzled row");
  CHECK(t.box[rank - 1] * bits % 128 == 0, "16-byte rows");
  int64_t seen = 0, at[4], o, expect;
  for (int64_t i = 0; i < t.count; i++) {
    tile_layout_eval(&t.coords, &i, at), tile_layout_eval(&t.offsets, &i, &o);
    int64_t n = 1, c[4] = {0};
    for (int d = 0; d < rank; d++)
      n *= t.box[d];
    // The box is dense: contiguous dimension first, then in the order of |s|.
    for (int64_t k = 0; k < n; k++, seen++) {
      int64_t rest = k, x[4];
      for (int d = rank - 1; d >= 0; d--)
        c[d] = rest % t.box[d], rest /= t.box[d], x[d] = at[d] + c[d];
      int64_t in_box = 0, weight = 1; // rank 2 tests: last dim, then first
      for (int d = rank - 1; d >= 0; d--)
        in_box += c[d] * weight, weight *= t.box[d];
      int64_t bit = (o + in_box) * bits, byte = bit / 8;
      if (t.swizzle)
        byte ^= byte >> 3 & (t.swizzle - 16) & 0x70;
      tile_layout_eval(s, x, &expect);
      if (rank <= 2)
        CHECK(byte * 8 + bit % 8 == expect * bits, "tma box %lld element %lld",
              (long long)i, (long long)k);
    }
  }
  CHECK(seen == tile_layout_size(&s->in), "boxes cover the tile");
}

static void test_named_tma(void **state) {
  (void)state;
  TileLayout s;
  static const int64_t shapes[][2] = {{64, 64}, {128, 192}, {176, 128},
                                      {8, 320}, {80, 96},   {512, 64}};
  for (unsigned i = 0; i < sizeof shapes / sizeof *shapes; i++)
    for (int bits = 4; bits <= 32; bits *= 2)
      for (int span = 16; span <= 128; span *= 2)
        if (tile_hw_swizzle(shapes[i], 2, bits, span, &s, NULL))
          tma(&s, bits, 2);
  tile_hw_linear((int64_t[]){8, 512}, 2, &s, NULL), tma(&s, 16, 2);
  tile_hw_linear((int64_t[]){1024, 64}, 2, &s, NULL), tma(&s, 16, 2);
  TileLayoutError e = {""};
  TileLayoutTma t;
  tile_hw_padded((int64_t[]){64, 128}, 2, 136, &s, NULL);
  CHECK(!tile_layout_derive_tma(&s, 16, 1, &t, &e), "padded must be refused");
  tile_hw_swizzle_t((int64_t[]){64, 64}, 2, 16, 128, &s, NULL);
  CHECK(!tile_layout_derive_tma(&s, 16, 1, &t, &e),
        "transposed must be refused");
}

static void test_known_conflicts(void **state) {
  (void)state;
  // ldmatrix of A from swizzle<128>: no conflict; from linear: eight-fold.
  TileHwMma g = {64, 64, 64, 1, 1, 16, 16};
  TileLayout a, s, l, p;
  TileLayoutAccess x;
  int64_t shape[2] = {64, 64};
  tile_hw_mma_a(&g, &a, NULL);
  tile_hw_swizzle(shape, 2, 16, 128, &s, NULL),
      tile_hw_linear(shape, 2, &l, NULL),
      tile_hw_padded(shape, 2, 72, &p, NULL);
  CHECK(tile_layout_shared_access(&a, &s, 16, true, &x, NULL) &&
            x.move == TILE_LAYOUT_LDMATRIX && x.wavefronts == x.ideal,
        "swizzle");
  CHECK(tile_layout_shared_access(&a, &l, 16, true, &x, NULL) &&
            x.wavefronts == 8 * x.ideal,
        "linear %lld of %lld", (long long)x.wavefronts, (long long)x.ideal);
  CHECK(tile_layout_shared_access(&a, &p, 16, true, &x, NULL) &&
            x.wavefronts == x.ideal,
        "padded");
  CHECK(tile_layout_shared_access(&a, &s, 16, false, &x, NULL) &&
            x.vec_elems == 2,
        "simt");
  tile_hw_mma_b(&g, false, &a, NULL);
  CHECK(tile_layout_shared_access(&a, &s, 16, true, &x, NULL) &&
            x.move == TILE_LAYOUT_LDMATRIX_TRANS && x.wavefronts == x.ideal,
        "trans");
}

//===-- Tests -------------------------------------------------------------===//

static void test_random_layouts(void **state) {
  (void)state;
  for (int round = 0; round < ROUNDS; round++) {
    int rank = 1 + (int)rnd(3);
    int64_t shape[3];
    TileLayout s, s2, f, g;
    Piece piece[32];
    if (random_memory(&s, shape, rank, rnd(2), rnd(2))) {
      properties(&s), equality_and_text(&s, shape, rank);
      reshape(&s, shape, rank), slice_and_recast(&s, shape, rank);
      tma(&s, 8 << rnd(3), rank);
    }
    int64_t shape2[3];
    if (random_memory(&s2, shape2, rank, false, false))
      product(&s2, &s2);
    // A fragment and a memory layout of one tile.
    int n = random_shape(shape, rank, 8, rnd(2), piece);
    bool wild = rnd(2);
    if (!random_fragment(&f, shape, rank, piece, n, 3, 1, wild) ||
        !random_fragment(&g, shape, rank, piece, n, 3, 1, wild))
      continue;
    properties(&f), equality_and_text(&f, shape, rank), project(&f, rank);
    product(&f, &f);
    if (tile_layout_covers(&f))
      conversion(&f, &g);
    TileLayoutBuilder b;
    tile_layout_begin_memory(&b, shape, rank);
    shuffle(piece, n);
    for (int i = 0, at = 1; i < n; at *= piece[i++].radix)
      b.entry[b.num_entries++] = (TileLayoutEntry){
          piece[i].dim, piece[i].radix, piece[i].stride, 1, {{0, at}}};
    CHECK(tile_layout_finish(&b, &s, NULL), "memory of the tile");
    compose_and_inverse(&f, &s);
    vector_width(&f, &s, 16);
    wavefronts(&f, &s, 8 << rnd(3));
  }
  // Every branch was taken often enough to mean something.
  CHECK(viewed > 500 && sliced > 500 && recasted > 100 && boxed > 20,
        "views %ld, slices %ld, recasts %ld, box sequences %ld", viewed, sliced,
        recasted, boxed);
  for (int k = 0; k < 5; k++)
    CHECK(kinds[k] > 10, "conversions of kind %d: %ld", k, kinds[k]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random_layouts),
      cmocka_unit_test(test_named_tma),
      cmocka_unit_test(test_known_conflicts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
