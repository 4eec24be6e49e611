//===- layout-problems.c - Kernels as inference problems ------------------===//
#include "layout-problems.h"

#include <assert.h>
#include <string.h>

enum { MAX_BUFFERS = 24, MAX_OPS = 24, MAX_ROLES = 4, MAX_OPERANDS = 3 };

//===-- Builders ----------------------------------------------------------===//

static int role(TileInferProblem *p, const char *name, int warps) {
  assert(p->num_roles < MAX_ROLES);
  p->role[p->num_roles] = (TileInferRole){name, warps};
  return p->num_roles++;
}

static int buf(TileInferProblem *p, const char *name, TileInferSpace space,
               int role_index, int bits, int rank, const int64_t *shape,
               int lead) {
  assert(p->num_buffers < MAX_BUFFERS);
  TileInferBuffer *b = &p->buffer[p->num_buffers];
  *b = (TileInferBuffer){.name = name,
                         .space = space,
                         .role = role_index,
                         .elem_bits = bits,
                         .rank = rank,
                         .lead = lead};
  memcpy(b->shape, shape, sizeof(int64_t) * (size_t)rank);
  return p->num_buffers++;
}
#define SHAPE(...)                                                             \
  (int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), (int64_t[]) {     \
    __VA_ARGS__                                                                \
  }
#define GLOBAL(name, bits, ...)                                                \
  buf(p, name, TILE_INFER_GLOBAL, 0, bits, SHAPE(__VA_ARGS__), 0)
#define SHARED(name, bits, ...)                                                \
  buf(p, name, TILE_INFER_SHARED, 0, bits, SHAPE(__VA_ARGS__), 0)
#define RING(name, bits, ...)                                                  \
  buf(p, name, TILE_INFER_SHARED, 0, bits, SHAPE(__VA_ARGS__), 1)
#define FRAG(name, role, bits, ...)                                            \
  buf(p, name, TILE_INFER_FRAGMENT, role, bits, SHAPE(__VA_ARGS__), 0)

static TileInferOp *op(TileInferProblem *p, TileInferKind kind,
                       const char *name, int r, int n, const int *buffers) {
  assert(p->num_ops < MAX_OPS && n <= MAX_OPERANDS);
  TileInferOp *o = &p->op[p->num_ops++];
  TileInferAccess *operand = o->operand;
  *o = (TileInferOp){.kind = kind, .name = name, .role = r, .num_operands = n};
  o->operand = operand;
  for (int i = 0; i < n; i++)
    o->operand[i].buffer = buffers[i];
  return o;
}

static TileInferOp *copy(TileInferProblem *p, const char *name, int r, int src,
                         int dst) {
  TileInferOp *o = op(p, TILE_INFER_COPY, name, r, 2, (int[]){src, dst});
  o->operand[1].write = true;
  return o;
}

static TileInferOp *gemm(TileInferProblem *p, const char *name, int r,
                         TileInferMatrix mat, int a, int b, int c) {
  TileInferOp *o = op(p, TILE_INFER_GEMM, name, r, 3, (int[]){a, b, c});
  o->matrix = mat;
  o->operand[2].write = true;
  return o;
}

static TileInferOp *reduce(TileInferProblem *p, const char *name, int r,
                           int src, int dst, int dim) {
  TileInferOp *o = op(p, TILE_INFER_REDUCE, name, r, 2, (int[]){src, dst});
  o->dim = dim;
  o->operand[1].write = true;
  return o;
}

// A loop over |rows| x |cols|: buffers of rank 2 are indexed (i, j), of rank 1
// by i. The last one is written.
static TileInferOp *loop(TileInferProblem *p, const char *name, int r,
                         int64_t rows, int64_t cols, int n,
                         const int *buffers) {
  TileInferOp *o = op(p, TILE_INFER_PARALLEL, name, r, n, buffers);
  o->loop_rank = cols ? 2 : 1;
  o->loop_shape[0] = rows, o->loop_shape[1] = cols;
  for (int i = 0; i < n; i++)
    for (int d = 0; d < 2; d++)
      o->operand[i].map[d] = d;
  o->operand[n - 1].write = true;
  return o;
}

//===-- Matrix products ---------------------------------------------------===//

static void gemm_ss_of(TileInferProblem *p, const char *user_a, int bits,
                       bool tb) {
  int prod = role(p, "producer", 1), cons = role(p, "consumer", 8);
  int64_t bk = 1024 / bits;
  int ga = GLOBAL("A", bits, 128, bk),
      gb = GLOBAL("B", bits, tb ? 128 : bk, tb ? bk : 128);
  int as = RING("As", bits, 3, 128, bk);
  int bs = RING("Bs", bits, 3, tb ? 128 : bk, tb ? bk : 128);
  int acc = FRAG("acc", cons, 32, 128, 128), c = GLOBAL("C", 16, 128, 128);
  p->buffer[as].user = user_a;
  copy(p, "copyA", prod, ga, as), copy(p, "copyB", prod, gb, bs);
  gemm(p, "gemm", cons, TILE_INFER_WGMMA, as, bs, acc)->tb = tb;
  copy(p, "store", cons, acc, c);
}
static void gemm_ss(TileInferProblem *p) { gemm_ss_of(p, NULL, 16, false); }
static void gemm_fp8(TileInferProblem *p) { gemm_ss_of(p, NULL, 8, true); }
static void gemm_fp8_mn(TileInferProblem *p) { gemm_ss_of(p, NULL, 8, false); }
static void gemm_sw64(TileInferProblem *p) {
  gemm_ss_of(p, "swizzle<64>", 16, false);
}
static void gemm_pad(TileInferProblem *p) {
  gemm_ss_of(p, "padded<72>", 16, false);
}
static void gemm_overlap(TileInferProblem *p) {
  gemm_ss_of(p, "bases<d0=(o:8192*3), d1=(o:60*128), d2=(o:1*64) -> o:24576>",
             16, false);
}
static void gemm_alias(TileInferProblem *p) {
  gemm_ss_of(p, "bases<d0=(0*3), d1=(o:64*128), d2=(o:1*64) -> o:8192>", 16,
             false);
}

static void
gemm_stage_store(TileInferProblem *p) { // epilogue through shared and TMA
  gemm_ss_of(p, NULL, 16, true);
  p->num_ops--;
  int cs = SHARED("Cs", 16, 128, 128), cons = 1, acc = 4, c = 5;
  copy(p, "stage", cons, acc, cs);
  copy(p, "store", cons, cs, c)->via = TILE_INFER_TMA;
}

static void gemm_mma_of(TileInferProblem *p, int64_t bk, int64_t bn,
                        const char *user) {
  int r = role(p, "all", 4);
  int ga = GLOBAL("A", 16, 128, bk), gb = GLOBAL("B", 16, bk, bn);
  int as = RING("As", 16, 3, 128, bk), bs = RING("Bs", 16, 3, bk, bn);
  int acc = FRAG("acc", r, 32, 128, bn), c = GLOBAL("C", 16, 128, bn);
  p->buffer[as].user = user;
  copy(p, "copyA", r, ga, as)->via = TILE_INFER_CP_ASYNC;
  copy(p, "copyB", r, gb, bs)->via = TILE_INFER_CP_ASYNC;
  gemm(p, "gemm", r, TILE_INFER_MMA, as, bs, acc)->warps_m = 2;
  copy(p, "store", r, acc, c);
}
static void gemm_mma(TileInferProblem *p) { gemm_mma_of(p, 32, 128, NULL); }
static void gemm_mma_odd(TileInferProblem *p) { gemm_mma_of(p, 64, 192, NULL); }
static void gemm_mma_80(TileInferProblem *p) { gemm_mma_of(p, 64, 80, NULL); }
static void gemm_mma_pad(TileInferProblem *p) {
  gemm_mma_of(p, 64, 128, "padded<72>");
}

static void
gemm_rs(TileInferProblem *p) { // A is int8, scaled into bf16 registers
  int prod = role(p, "producer", 1), cons = role(p, "consumer", 4);
  int ga = GLOBAL("Aq", 8, 64, 128), gb = GLOBAL("B", 16, 128, 128);
  int as = RING("Aqs", 8, 2, 64, 128), bs = RING("Bs", 16, 2, 128, 128);
  int gs = GLOBAL("scale", 32, 64);
  int aq = FRAG("Aqf", cons, 8, 64, 128), sc = FRAG("sc", cons, 32, 64);
  int af = FRAG("Af", cons, 16, 64, 128), acc = FRAG("acc", cons, 32, 64, 128);
  copy(p, "copyA", prod, ga, as), copy(p, "copyB", prod, gb, bs);
  copy(p, "scales", cons, gs, sc);
  copy(p, "load", cons, as, aq);
  loop(p, "dequant", cons, 64, 128, 3, (int[]){aq, sc, af});
  gemm(p, "gemm", cons, TILE_INFER_WGMMA, af, bs, acc);
}

static void attention_of(TileInferProblem *p, int bits, int64_t bn, int64_t d) {
  int prod = role(p, "producer", 1), cons = role(p, "consumer", 8);
  int gq = GLOBAL("Q", bits, 128, d), gk = GLOBAL("K", bits, bn, d);
  int gv = GLOBAL("V", bits, bn, d), go = GLOBAL("O", 16, 128, d);
  int qs = SHARED("Qs", bits, 128, d), ks = RING("Ks", bits, 2, bn, d);
  int vs = RING("Vs", bits, 2, bn, d);
  int s = FRAG("S", cons, 32, 128, bn), pf = FRAG("P", cons, bits, 128, bn);
  int mx = FRAG("m", cons, 32, 128), sum = FRAG("l", cons, 32, 128);
  int o = FRAG("Oacc", cons, 32, 128, d), os = SHARED("Os", 16, 128, d);
  copy(p, "copyQ", prod, gq, qs)->via = TILE_INFER_TMA;
  copy(p, "copyK", prod, gk, ks), copy(p, "copyV", prod, gv, vs);
  gemm(p, "QK", cons, TILE_INFER_WGMMA, qs, ks, s)->tb = true;
  reduce(p, "rowmax", cons, s, mx, 1);
  loop(p, "exp", cons, 128, bn, 3, (int[]){s, mx, s});
  reduce(p, "rowsum", cons, s, sum, 1);
  loop(p, "rescale", cons, 128, d, 3, (int[]){o, mx, o});
  copy(p, "cast", cons, s, pf);
  gemm(p, "PV", cons, TILE_INFER_WGMMA, pf, vs, o);
  loop(p, "divide", cons, 128, d, 3, (int[]){o, sum, o});
  copy(p, "stage", cons, o, os);
  copy(p, "store", cons, os, go)->via = TILE_INFER_TMA;
  for (int i = 1; i < p->num_ops - 3; i++)
    p->op[i].weight = 16; // the loop over K and V
}
static void attention(TileInferProblem *p) { attention_of(p, 16, 128, 128); }
static void attention_176(TileInferProblem *p) {
  attention_of(p, 16, 176, 128);
}
static void attention_f8(TileInferProblem *p) { attention_of(p, 8, 128, 64); }

//===-- Element-wise, reductions, transposes ------------------------------===//

static void reduce_of(TileInferProblem *p, int64_t rows, int64_t cols,
                      int bits) {
  int r = role(p, "all", 4);
  int g = GLOBAL("X", bits, rows, cols), x = FRAG("x", r, bits, rows, cols);
  int y = FRAG("y", r, 32, rows), gy = GLOBAL("Y", 32, rows);
  copy(p, "load", r, g, x);
  reduce(p, "sum", r, x, y, 1);
  loop(p, "norm", r, rows, cols, 3, (int[]){x, y, x});
  copy(p, "store", r, x, g);
  copy(p, "stats", r, y, gy);
}
static void reduce_80(TileInferProblem *p) { reduce_of(p, 64, 80, 32); }
static void reduce_96(TileInferProblem *p) { reduce_of(p, 32, 96, 16); }
static void reduce_176(TileInferProblem *p) { reduce_of(p, 16, 176, 16); }
static void reduce_100(TileInferProblem *p) { reduce_of(p, 128, 100, 32); }

static void elementwise(TileInferProblem *p) {
  int r = role(p, "all", 4);
  int a = GLOBAL("A", 16, 64, 192), b = GLOBAL("B", 32, 64, 192);
  int x = FRAG("x", r, 16, 64, 192), y = FRAG("y", r, 32, 64, 192);
  copy(p, "loadA", r, a, x), copy(p, "loadB", r, b, y);
  loop(p, "add", r, 64, 192, 3, (int[]){x, y, x});
  copy(p, "store", r, x, a);
}

static void reduce_cols(TileInferProblem *p) { // over rows, across warps
  int r = role(p, "all", 8);
  int g = GLOBAL("X", 32, 96, 128), x = FRAG("x", r, 32, 96, 128);
  int y = FRAG("y", r, 32, 128), gy = GLOBAL("Y", 32, 128);
  copy(p, "load", r, g, x);
  reduce(p, "colsum", r, x, y, 0);
  copy(p, "stats", r, y, gy);
}

static void gemm_3wg(TileInferProblem *p) {
  int prod = role(p, "producer", 1), cons = role(p, "consumer", 12);
  int ga = GLOBAL("A", 16, 192, 64), gb = GLOBAL("B", 16, 176, 64);
  int as = RING("As", 16, 3, 192, 64), bs = RING("Bs", 16, 3, 176, 64);
  int acc = FRAG("acc", cons, 32, 192, 176), c = GLOBAL("C", 32, 192, 176);
  copy(p, "copyA", prod, ga, as), copy(p, "copyB", prod, gb, bs);
  gemm(p, "gemm", cons, TILE_INFER_WGMMA, as, bs, acc)->tb = true;
  copy(p, "store", cons, acc, c);
}

static void
user_fragment(TileInferProblem *p) { // the annotation costs a conversion
  int r = role(p, "all", 4);
  int x = SHARED("As", 16, 64, 64), y = SHARED("Bs", 16, 64, 64);
  int acc = FRAG("acc", r, 32, 64, 64), v = FRAG("v", r, 32, 64, 64);
  int c = GLOBAL("C", 32, 64, 64);
  p->buffer[v].user = "bases<reg=(d1:1*4, d0:8*8), lane=(d1:4*16, d0:1), "
                      "warp=(d0:2*4) -> d0:64, d1:64>";
  gemm(p, "gemm", r, TILE_INFER_WGMMA, x, y, acc);
  copy(p, "move", r, acc, v);
  copy(p, "store", r, v, c);
}

static void transpose(TileInferProblem *p) {
  int r = role(p, "all", 4);
  int a = GLOBAL("A", 16, 64, 64), b = GLOBAL("B", 16, 64, 64);
  int s = SHARED("s", 16, 64, 64), t = SHARED("t", 16, 64, 64);
  copy(p, "load", r, a, s)->via = TILE_INFER_TMA;
  op(p, TILE_INFER_TRANSPOSE, "transpose", r, 2, (int[]){s, t})
      ->operand[1]
      .write = true;
  copy(p, "store", r, t, b)->via = TILE_INFER_TMA;
}

static void
gdn(TileInferProblem *p) { // scale K by a gate into a second tile, gemm
  int prod = role(p, "producer", 1), cons = role(p, "consumer", 4);
  int gk = GLOBAL("K", 16, 64, 128), gv = GLOBAL("V", 16, 64, 128);
  int gg = GLOBAL("G", 32, 64);
  int ks = RING("Ks", 16, 2, 64, 128), vs = RING("Vs", 16, 2, 64, 128);
  int gf = FRAG("g", cons, 32, 64), kg = SHARED("Kg", 16, 64, 128);
  int st = FRAG("state", cons, 32, 128, 128);
  copy(p, "copyK", prod, gk, ks), copy(p, "copyV", prod, gv, vs);
  copy(p, "gate", cons, gg, gf);
  loop(p, "scale", cons, 64, 128, 3, (int[]){ks, gf, kg});
  gemm(p, "outer", cons, TILE_INFER_WGMMA, kg, vs, st)->ta = true;
}

static void two_uses_of(TileInferProblem *p, int bits) {
  int r = role(p, "all", 4);
  int64_t n = 128;
  int gx = GLOBAL("X", bits, n, n), x = SHARED("X", bits, n, n);
  int gy = GLOBAL("Y", bits, n, n), y = SHARED("Y", bits, n, n);
  int c1 = FRAG("C1", r, 32, n, n), c2 = FRAG("C2", r, 32, n, n);
  copy(p, "copyX", r, gx, x), copy(p, "copyY", r, gy, y);
  gemm(p, "gemmN", r, TILE_INFER_WGMMA, x, y, c1)->tb = true;
  TileInferOp *o = gemm(p, "gemmT", r, TILE_INFER_WGMMA, x, y, c2);
  o->ta = true, o->tb = true;
}
static void two_uses(TileInferProblem *p) { two_uses_of(p, 16); }
static void two_uses_f8(TileInferProblem *p) { two_uses_of(p, 8); }

// Two accumulators share a fragment but their gemms split warps differently.
static void warp_conflict(TileInferProblem *p) {
  int r = role(p, "all", 8);
  int x = SHARED("X", 16, 128, 64), y = SHARED("Y", 16, 64, 128);
  int c = FRAG("C", r, 32, 128, 128);
  gemm(p, "gemm1", r, TILE_INFER_WGMMA, x, y, c)->warps_m = 2;
  gemm(p, "gemm2", r, TILE_INFER_WGMMA, x, y, c)->warps_m = 1;
}

static void producer_of(TileInferProblem *p, int warps) { // cp.async producer
  int prod = role(p, "producer", warps), cons = role(p, "consumer", 8);
  int ga = GLOBAL("A", 16, 128, 64), gb = GLOBAL("B", 16, 128, 64);
  int as = RING("As", 16, 3, 128, 64), bs = RING("Bs", 16, 3, 128, 64);
  int acc = FRAG("acc", cons, 32, 128, 128);
  copy(p, "copyA", prod, ga, as)->via = TILE_INFER_CP_ASYNC;
  copy(p, "copyB", prod, gb, bs)->via = TILE_INFER_CP_ASYNC;
  gemm(p, "gemm", cons, TILE_INFER_WGMMA, as, bs, acc)->tb = true;
}
static void producer_32(TileInferProblem *p) { producer_of(p, 1); }
static void producer_128(TileInferProblem *p) { producer_of(p, 4); }

// One shared tile is read next to global memory (no ldmatrix) and next to
// registers; a second of the same shape has other elements.
static void two_readers(TileInferProblem *p) {
  int r = role(p, "all", 4);
  int ga = GLOBAL("A", 16, 64, 64), gb = GLOBAL("B", 8, 64, 64);
  int gc = GLOBAL("C", 16, 64, 64);
  int s = SHARED("s", 16, 64, 64), t = SHARED("t", 8, 64, 64);
  int x = FRAG("x", r, 16, 64, 64), y = FRAG("y", r, 8, 64, 64);
  copy(p, "loadA", r, ga, s), copy(p, "loadB", r, gb, t);
  copy(p, "readA", r, s, x), copy(p, "readB", r, t, y);
  loop(p, "mix", r, 64, 64, 3, (int[]){x, y, s});
  loop(p, "store", r, 64, 64, 3, (int[]){s, t, gc});
}

static void bad_cover(TileInferProblem *p) {
  int r = role(p, "all", 1);
  int g = GLOBAL("X", 32, 64), x = FRAG("x", r, 32, 64);
  p->buffer[x].user = "bases<reg=(), lane=(d0:1*32), warp=() -> d0:64>";
  copy(p, "load", r, g, x);
}

//===-- Table -------------------------------------------------------------===//

static const struct {
  const char *name;
  void (*build)(TileInferProblem *);
  const char *expect_error;
  int64_t cost; // of the best choice
} examples[] = {
    {"gemm_ss", gemm_ss, NULL, 11312},
    {"gemm_fp8", gemm_fp8, NULL, 11296},
    {"gemm_fp8_mn_major", gemm_fp8_mn, NULL, 15408},
    {"gemm_user_swizzle64", gemm_sw64, NULL, 11392},
    {"gemm_user_padded", gemm_pad, "cannot serve op gemm", 0},
    {"gemm_user_overlap", gemm_overlap, "not injective: strides overlap", 0},
    {"gemm_user_alias", gemm_alias, "not injective: 3 elements", 0},
    {"gemm_staged_store", gemm_stage_store, NULL, 3200},
    {"gemm_mma", gemm_mma, NULL, 13536},
    {"gemm_mma_192", gemm_mma_odd, NULL, 24116},
    {"gemm_mma_80", gemm_mma_80, NULL, 12588},
    {"gemm_mma_user_padded", gemm_mma_pad, NULL, 17352},
    {"gemm_rs_dequant", gemm_rs, NULL, 2488},
    {"attention", attention, NULL, 123808},
    {"attention_176", attention_176, NULL, 157888},
    {"attention_fp8", attention_f8, NULL, 114912},
    {"reduce_64x80", reduce_80, NULL, 6072},
    {"reduce_32x96", reduce_96, NULL, 1948},
    {"reduce_16x176", reduce_176, NULL, 1960},
    {"reduce_128x100", reduce_100, NULL, 16160},
    {"reduce_columns", reduce_cols, NULL, 8216},
    {"gemm_3_warpgroups", gemm_3wg, NULL, 22976},
    {"user_fragment", user_fragment, NULL, 4816},
    {"elementwise_192", elementwise, NULL, 14400},
    {"transpose", transpose, NULL, 2848},
    {"gdn_chain", gdn, NULL, 3728},
    {"two_uses_bf16", two_uses, NULL, 7232},
    {"two_uses_fp8", two_uses_f8, "layout conflict on X: op gemmN", 0},
    {"warp_conflict", warp_conflict, "layout conflict on C: op gemm1", 0},
    {"producer_32", producer_32, NULL, 7488},
    {"producer_128", producer_128, NULL, 7488},
    {"two_readers", two_readers, NULL, 2568},
    {"user_not_covering", bad_cover, "does not cover", 0},
};

int layout_problem_count(void) {
  return (int)(sizeof examples / sizeof *examples);
}

static void problem_init(TileArena *arena, const char *name,
                         TileInferProblem *p) {
  *p = (TileInferProblem){.name = name};
  p->buffer = TILE_ARENA_NEW(arena, TileInferBuffer, MAX_BUFFERS);
  p->role = TILE_ARENA_NEW(arena, TileInferRole, MAX_ROLES);
  p->op = TILE_ARENA_NEW(arena, TileInferOp, MAX_OPS);
  for (int i = 0; i < MAX_OPS; i++)
    p->op[i].operand = TILE_ARENA_NEW(arena, TileInferAccess, MAX_OPERANDS);
}

void layout_problem_get(int i, TileArena *arena, LayoutProblem *out) {
  problem_init(arena, examples[i].name, &out->problem);
  examples[i].build(&out->problem);
  out->expect_error = examples[i].expect_error;
  out->cost = examples[i].cost;
}
