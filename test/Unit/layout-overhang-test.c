//===- layout-overhang-test.c - Fragments larger than their tile ----------===//
//
// Random fragments that overhang random tiles: composition, masks, vectors,
// wavefronts and conversions are those of the elements that exist. Inference
// uses such fragments where sizes do not divide.
//
//===----------------------------------------------------------------------===//

#include "Layout/LayoutInferInternal.h"
#include "layout-eval.h"
#include "layout-problems.h"
#include "layout-random.h"

enum { ROUNDS = 4000 };

typedef struct {
  int overhanging, composed, refused, wide, waves, routes;
  int presence[3];
} Counts;

static bool same(const int64_t *x, const int64_t *y, int n) {
  return !memcmp(x, y, sizeof *x * (size_t)n);
}

//===-- Laws --------------------------------------------------------------===//

// (S o F)(x) = S(F(x)) for every element that exists, also as terms.
static void composition(const TileLayout *f, const TileLayout *s, Counts *n) {
  enum { REGISTERS = 1u << TILE_LAYOUT_REG };
  TileLayout a;
  TileLayoutTerms t;
  TileReason e = {""};
  if (!tile_layout_compose(f, s, &a, &e)) {
    CHECK(strstr(e.text, "overhangs, but is no contiguous run") ||
              strstr(e.text, "not digit aligned"),
          "%s", e.text);
    n->refused++;
    return;
  }
  n->composed++;
  bool split = tile_layout_terms(&a, REGISTERS, &t, NULL);
  for (int64_t k = 0; k < tile_layout_size(&f->in); k++) {
    int64_t x[3], y[TILE_LAYOUT_MAX_AXES], o, want;
    tile_layout_point(&f->in, k, x);
    CHECK(tile_layout_eval(f, x, y), "gap");
    if (!tile_layout_in_tile(f, y))
      continue;
    CHECK(tile_layout_eval(s, y, &want) && tile_layout_eval(&a, x, &o) &&
              o == want,
          "point %lld: %lld, not %lld", (long long)k, (long long)o,
          (long long)want);
    TileLayoutConstant c = tile_layout_constant(&a, REGISTERS, 0, x);
    CHECK(!split || terms_eval(&t, 0, x, c) == want, "terms");
  }
}

// In which threads the coordinate of a register is that of an element.
static void presence(const TileLayout *f, Counts *n) {
  int64_t threads =
      f->in.extent[TILE_LAYOUT_LANE] * f->in.extent[TILE_LAYOUT_WARP];
  for (int64_t r = 0; r < f->in.extent[TILE_LAYOUT_REG]; r++)
    for (int d = 0; d < f->out.num_axes; d++) {
      int64_t present = 0, y[TILE_LAYOUT_MAX_AXES];
      for (int64_t t = 0; t < threads; t++) {
        int64_t lanes = f->in.extent[TILE_LAYOUT_LANE];
        tile_layout_eval(f, (int64_t[]){r, t % lanes, t / lanes}, y);
        present += y[d] < f->out.extent[d];
      }
      TileLayoutPresence want = present == threads ? TILE_LAYOUT_PRESENT
                                : present          ? TILE_LAYOUT_MASKED
                                                   : TILE_LAYOUT_ABSENT;
      CHECK(tile_layout_presence(f, d, r) == want, "register %lld, dim %d",
            (long long)r, d);
      n->presence[want]++;
    }
}

// Stages, text, projections keep the overhang.
static void other_operations(const TileLayout *f, const int64_t *shape,
                             int rank) {
  TileLayout ex, dr, back;
  TileReason e = {""};
  char text[4000];
  CHECK(tile_layout_expand(f, 3, 0, 1, &ex, &e) &&
            tile_layout_drop_leading(&ex, &dr, &e),
        "%s", e.text);
  CHECK(tile_layout_equal(&dr, f), "drop(expand) = id");
  tile_layout_print(f, 0, text, sizeof text);
  CHECK(tile_layout_parse(text, shape, rank, 16, &back, &e) &&
            tile_layout_equal(f, &back),
        "%s: %s", text, e.text);
  CHECK(tile_layout_check_fragment(f, &e) == tile_layout_covers(f) ||
            strstr(e.text, "XORed digits"),
        "values behind the end count like others: %s", e.text);
  for (int d = 0; d < rank && rank > 1; d++) {
    TileLayout p;
    CHECK(tile_layout_fold(f, d, true, &p, &e), "%s", e.text);
    for (int k = 0; k < rank; k++)
      CHECK(tile_layout_overhangs(&p, k) ==
                (k != d && tile_layout_overhangs(f, k)),
            "fold of %d", d);
  }
}

//===-- Accesses ----------------------------------------------------------===//

// Row-major memory of a tile with room for the surplus: nothing aliases.
static bool roomy_memory(TileLayout *l, const int64_t *shape,
                         const int64_t *padded, int rank) {
  TileLayoutBuilder b;
  int64_t stride = 1;
  tile_layout_begin_memory(&b, shape, rank);
  for (int d = rank - 1; d >= 0; stride *= padded[d--])
    tile_layout_push(&b, d, 0, stride, shape[d]);
  return tile_layout_finish(&b, l, NULL);
}

// Vectors are whole, and wavefronts are those of the lanes that take part.
static void access(const TileLayout *f, const TileLayout *s, int bits,
                   Counts *n) {
  enum { MAX_WORDS = 4096 };
  TileLayout a;
  TileLayoutAccess x;
  if (!tile_layout_compose(f, s, &a, NULL) ||
      !tile_layout_shared_access(f, s, bits, true, &x, NULL) ||
      x.instructions > 16 || a.out.extent[0] * bits / 32 > MAX_WORDS)
    return;
  CHECK(x.move == TILE_LAYOUT_SIMT, "matrix moves have no masks");
  int64_t regs = a.in.extent[0], waves = 0, v = x.vec_elems;
  int64_t bytes = v * bits / 8, group = bytes <= 4 ? 32 : 128 / bytes;
  static bool done[1 << 14], word[MAX_WORDS];
  memset(done, 0, sizeof done);
  for (int64_t r = 0; r < regs; r++) {
    int64_t o, y[TILE_LAYOUT_MAX_AXES];
    tile_layout_eval(&a, (int64_t[]){r, 0, 0}, &o);
    bool counted = done[o / v];
    done[o / v] = true;
    for (int64_t g = 0; g < 32 && !counted; g += group) {
      int load[32] = {0}, most = 0;
      memset(word, 0, sizeof word);
      for (int64_t l = g; l < g + group; l++) {
        int64_t in[3] = {r, l % a.in.extent[1], 0};
        tile_layout_eval(f, in, y), tile_layout_eval(&a, in, &o);
        for (int64_t b = o / v * bytes;
             tile_layout_in_tile(f, y) && b < (o / v + 1) * bytes; b++) {
          load[b / 4 % 32] += !word[b / 4];
          word[b / 4] = true;
        }
      }
      for (int bank = 0; bank < 32; bank++)
        most = load[bank] > most ? load[bank] : most;
      waves += most;
    }
    // All or none of a vector exists.
    for (int64_t q = 0; q < regs && v > 1; q++) {
      int64_t o2, y2[TILE_LAYOUT_MAX_AXES], in[3] = {r, 0, 0};
      tile_layout_eval(&a, in, &o), tile_layout_eval(f, in, y);
      in[0] = q;
      tile_layout_eval(&a, in, &o2), tile_layout_eval(f, in, y2);
      CHECK(o / v != o2 / v ||
                tile_layout_in_tile(f, y) == tile_layout_in_tile(f, y2),
            "a vector of %lld is cut", (long long)v);
      n->wide += o / v == o2 / v && q != r;
    }
  }
  CHECK(x.wavefronts == waves, "wavefronts %lld, naive %lld",
        (long long)x.wavefronts, (long long)waves);
  int64_t alu = 1 + tile_layout_has_overhang(f); // a mask per instruction
  CHECK(x.cost == (waves * TILE_LAYOUT_COST_WAVE + x.instructions * alu) *
                      f->in.extent[TILE_LAYOUT_WARP],
        "cost %lld", (long long)x.cost);
  n->waves++;
}

// A route delivers every element of the destination.
static void conversion(const TileLayout *src, const TileLayout *dst,
                       Counts *n) {
  TileLayoutConversion c;
  TileReason e = {""};
  if (!tile_layout_covers(src) || !tile_layout_covers(dst))
    return;
  if (!tile_layout_plan_conversion(src, dst, 32, &c, &e)) {
    CHECK(e.text[0], "a reason");
    return;
  }
  for (int64_t k = 0;
       k < tile_layout_size(&dst->in) && c.kind != TILE_LAYOUT_CONV_SHARED;
       k++) {
    int64_t x[3], from[3], have[4], want[4];
    tile_layout_point(&dst->in, k, x);
    tile_layout_eval(dst, x, want);
    tile_layout_eval(&c.route, x, from), tile_layout_eval(src, from, have);
    CHECK(same(have, want, src->out.num_axes), "route, kind %d", c.kind);
    n->routes++;
  }
}

static void test_random_fragments(void **state) {
  (void)state;
  Counts n = {0};
  for (int round = 0; round < ROUNDS; round++) {
    int rank = 1 + (int)rnd(3);
    int64_t shape[3], padded[3];
    Piece piece[32], exact[32];
    TileLayout f, g, s;
    int digits = overhanging_shape(shape, padded, rank, piece), m = 0;
    if (!random_fragment(&f, shape, rank, piece, digits, 3, 1, false) ||
        !random_fragment(&g, shape, rank, piece, digits, 3, 1, false))
      continue;
    n.overhanging += tile_layout_has_overhang(&f);
    for (int d = 0; d < rank; d++) // the digits of the memory
      for (int64_t at = 1, left = shape[d], p = 2; left > 1;) {
        while (left % p)
          p++;
        exact[m++] = (Piece){d, at, (int)p};
        at *= p, left /= p;
      }
    other_operations(&f, shape, rank), presence(&f, &n);
    conversion(&f, &g, &n);
    if (rnd(2)) // row-major, rows padded or not
      CHECK(tile_hw_padded(shape, rank, shape[rank - 1] + rnd(3) * 4, &s, NULL),
            "padded");
    else
      dense_memory(&s, shape, rank, exact, m, rnd(2));
    composition(&f, &s, &n);
    CHECK(roomy_memory(&s, shape, padded, rank), "memory");
    access(&f, &s, 8 << rnd(3), &n);
  }
  CHECK(n.overhanging > 1500 && n.composed > 1000 && n.refused > 300 &&
            n.wide > 100 && n.waves > 500 && n.routes > 1000,
        "overhanging %d, composed %d, refused %d, wide %d, waves %d, routes %d",
        n.overhanging, n.composed, n.refused, n.wide, n.waves, n.routes);
  for (int k = 0; k < 3; k++)
    CHECK(n.presence[k] > 100, "presence %d: %d", k, n.presence[k]);
}

//===-- Known layouts -----------------------------------------------------===//

static void fragment(const char *text, int64_t rows, int64_t cols,
                     TileLayout *out) {
  TileReason e = {""};
  CHECK(tile_layout_parse(text, (int64_t[]){rows, cols}, 2, 16, out, &e), "%s",
        e.text);
}

// The swizzled low bits stay as they are; the chunks above them, and the rows
// above the atom, are runs that may be cut anew.
static void test_swizzles_widen(void **state) {
  (void)state;
  TileLayout f, s;
  Counts n = {0};
  fragment("bases<reg=(d1:1*8, d0:4*8), lane=(d1:8*32), warp=(d0:1*4) -> "
           "d0:24, d1:192>",
           24, 192, &f);
  CHECK(tile_hw_swizzle((int64_t[]){24, 192}, 2, 16, 128, &s, NULL), "swizzle");
  composition(&f, &s, &n);
  CHECK(n.composed == 1, "24 of 32 rows, 192 of 256 columns");
}

// Where the digits differ inside the swizzle there is no run, whether its bits
// are XORed with others or not in order.
static void test_swizzles_refuse(void **state) {
  (void)state;
  TileLayout f, s, a;
  TileReason e = {""};
  fragment("bases<reg=(d1:1*81), lane=(d0:1*8, 0*4), warp=() -> d0:8, d1:64>",
           8, 64, &f);
  CHECK(tile_hw_swizzle((int64_t[]){8, 64}, 2, 16, 128, &s, NULL) &&
            !tile_layout_compose(&f, &s, &a, &e) &&
            strstr(e.text, "axis d1 overhangs, but is no contiguous run"),
        "81 for 64 swizzled columns: %s", e.text);
  fragment("bases<reg=(d1:1*3, d1:3), lane=(0*32), warp=() -> d0:1, d1:4>", 1,
           4, &f);
  CHECK(tile_layout_parse("bases<d0=(), d1=(o:1^o:4, o:2) -> o:8>",
                          (int64_t[]){1, 4}, 2, 16, &s, &e) &&
            !tile_layout_compose(&f, &s, &a, &e) &&
            strstr(e.text, "axis d1 overhangs, but is no contiguous run"),
        "6 for 4 columns that are no run: %s", e.text);
  fragment("bases<reg=(d0:1*27), lane=(d1:1*32), warp=(d1:32*2) -> "
           "d0:24, d1:64>",
           24, 64, &f);
  CHECK(tile_hw_swizzle((int64_t[]){24, 64}, 2, 16, 128, &s, NULL) &&
            !tile_layout_compose(&f, &s, &a, &e) &&
            strstr(e.text, "axis d0 overhangs, but is no contiguous run"),
        "27 for 24 swizzled rows: %s", e.text);
  fragment("bases<reg=(d0:1*8, d1:1*3, d1:3*3, d1:36*3), lane=(d1:9*4, 0*8), "
           "warp=() -> d0:8, d1:96>",
           8, 96, &f);
  CHECK(tile_hw_swizzle((int64_t[]){8, 96}, 2, 16, 64, &s, NULL) &&
            !tile_layout_compose(&f, &s, &a, &e) &&
            strstr(e.text, "axis d1 overhangs, but is no contiguous run"),
        "108 for 96 swizzled columns: %s", e.text);
}

//===-- Inference ---------------------------------------------------------===//

// load, row sum, scale, store of rows x cols.
static void row_sums(TileArena *arena, int64_t rows, int64_t cols, int bits,
                     TileInferProblem *p) {
  static TileInferRole role = {"all", 4};
  static const TileInferKind kinds[4] = {TILE_INFER_COPY, TILE_INFER_REDUCE,
                                         TILE_INFER_PARALLEL, TILE_INFER_COPY};
  static const int operands[4][3] = {{0, 1}, {1, 2}, {1, 2, 1}, {1, 0}};
  *p = (TileInferProblem){.name = "row_sums", .num_roles = 1, .role = &role};
  p->num_buffers = 3, p->num_ops = 4;
  p->buffer = TILE_ARENA_NEW(arena, TileInferBuffer, 3);
  p->op = TILE_ARENA_NEW(arena, TileInferOp, 4);
  for (int b = 0; b < 3; b++)
    p->buffer[b] =
        (TileInferBuffer){.name = b == 0   ? "X"
                                  : b == 1 ? "x"
                                           : "sum",
                          .space = b ? TILE_INFER_FRAGMENT : TILE_INFER_GLOBAL,
                          .rank = b == 2 ? 1 : 2,
                          .shape = {rows, cols},
                          .elem_bits = b == 2 ? 32 : bits};
  for (int i = 0; i < 4; i++) {
    int num = i == 2 ? 3 : 2;
    p->op[i] = (TileInferOp){.kind = kinds[i],
                             .name = "op",
                             .num_operands = num,
                             .dim = 1,
                             .loop_rank = 2,
                             .loop_shape = {rows, cols}};
    p->op[i].operand = TILE_ARENA_NEW(arena, TileInferAccess, num);
    for (int o = 0; o < num; o++)
      p->op[i].operand[o] = (TileInferAccess){
          .buffer = operands[i][o], .write = o == num - 1, .map = {0, 1}};
  }
}

// The fragment of the best choice, its cost.
static int64_t best(TileInferProblem *p, TileArena *arena, TileLayout *out) {
  TileInferModel m;
  TileInferResult r;
  TileReason e = {""};
  CHECK(tile_infer_build(p, arena, &m, &e) && tile_infer_solve(&m, &r, &e),
        "%s", e.text);
  for (int b = 1; b < p->num_buffers; b++)
    CHECK(tile_layout_covers(m.domain[b].full[r.choice[b]]), "covers");
  *out = *m.domain[1].core[r.choice[1]];
  return r.cost;
}

// 100 = 4 * 25 columns; prime columns; prime rows and columns; a power of two
// has nothing to gain. The most registers are those of the next size that 128
// threads share without a rest.
static void test_inference(void **state) {
  (void)state;
  static const struct {
    int64_t rows, cols, most_regs;
    bool gains;
  } cases[] = {{128, 100, 128, true}, {64, 101, 56, true}, {97, 101, 91, true},
               {97, 128, 100, true},  {5, 36, 4, true},    {64, 128, 64, false},
               {128, 96, 96, false}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    TileArena arena;
    TileInferProblem p;
    TileLayout wide, staged;
    tile_arena_init(&arena);
    row_sums(&arena, cases[i].rows, cases[i].cols, 32, &p);
    int64_t cost = best(&p, &arena, &wide);
    CHECK(tile_layout_has_overhang(&wide) == cases[i].gains &&
              wide.in.extent[TILE_LAYOUT_REG] <= cases[i].most_regs,
          "%lldx%lld: %lld registers", (long long)cases[i].rows,
          (long long)cases[i].cols, (long long)wide.in.extent[TILE_LAYOUT_REG]);
    // Stage dimensions change neither.
    memmove(p.buffer[1].shape + 1, p.buffer[1].shape, 2 * sizeof(int64_t));
    p.buffer[1].shape[0] = 3, p.buffer[1].rank++, p.buffer[1].lead++;
    CHECK(best(&p, &arena, &staged) == cost &&
              tile_layout_equal(&staged, &wide),
          "the law: expand o infer = infer o expand");
    tile_arena_deinit(&arena);
  }
}

// A user may write such a fragment.
static void test_user_fragment(void **state) {
  (void)state;
  TileArena arena;
  TileInferProblem p;
  TileInferModel m;
  TileReason e = {""};
  tile_arena_init(&arena);
  row_sums(&arena, 128, 100, 32, &p);
  p.buffer[1].user = "bases<reg=(d1:1*4, d0:4*32), lane=(d1:4*32), "
                     "warp=(d0:1*4) -> d0:128, d1:100>";
  CHECK(tile_infer_build(&p, &arena, &m, &e) && m.domain[1].n == 1, "%s",
        e.text);
  // 128 registers get the neutral element and are summed; 32 sums pass 5 lanes.
  int64_t per_warp = 2 * 128 * TILE_LAYOUT_COST_ALU +
                     32 * 5 * (TILE_LAYOUT_COST_SHFL + TILE_LAYOUT_COST_ALU);
  CHECK(m.table[1].mode[0].base == 4 * per_warp, "reduction: %lld",
        (long long)m.table[1].mode[0].base);
  p.buffer[1].user = "bases<reg=(d1:1*4, d0:4*32), lane=(d1:4, 0*2, d1:16*8), "
                     "warp=(d0:1*4) -> d0:128, d1:100>";
  CHECK(!tile_infer_build(&p, &arena, &m, &e) &&
            strstr(e.text, "layout does not cover the tile: 8192 of 16384"),
        "an overhang that does not cover: %s", e.text);
  p.buffer[1].user = "bases<reg=(d1:1*8, d0:4*32), lane=(d1:8*32), "
                     "warp=(d0:1*4) -> d0:128, d1:100>";
  CHECK(!tile_infer_build(&p, &arena, &m, &e) &&
            strstr(e.text, "does not follow 256 values"),
        "half of the values would be surplus: %s", e.text);
  tile_arena_deinit(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random_fragments),
      cmocka_unit_test(test_swizzles_widen),
      cmocka_unit_test(test_swizzles_refuse),
      cmocka_unit_test(test_inference),
      cmocka_unit_test(test_user_fragment),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
