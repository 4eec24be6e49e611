//===- LayoutHardware.c - Layouts that the hardware fixes -----------------===//
//
// Sources: PTX ISA, sections on mma.sync, wgmma, ldmatrix and matrix
// descriptors; the metadata layouts agree with CUTLASS (ELayout_64x64, 64x32,
// 64x16). layout-hardware-test.c enumerates every layout against those
// formulas.
//
//===----------------------------------------------------------------------===//
#include "LayoutHardware.h"
#include "LayoutInternal.h"

#include <string.h>

//===-- Memory ------------------------------------------------------------===//

bool tile_hw_padded(const int64_t *shape, int rank, int64_t pitch,
                    TileLayout *out, TileReason *e) {
  TileLayoutBuilder b;
  tile_layout_begin_memory(&b, shape, rank);
  int64_t stride = 1;
  for (int d = rank - 1; d >= 0; d--) {
    tile_layout_push(&b, d, 0, stride, shape[d]);
    stride *= d == rank - 1 ? pitch : shape[d];
  }
  b.out.extent[0] = stride;
  return tile_layout_finish(&b, out, e);
}

bool tile_hw_linear(const int64_t *shape, int rank, TileLayout *out,
                    TileReason *e) {
  return tile_hw_padded(shape, rank, shape[rank - 1], out, e);
}

bool tile_hw_swizzle(const int64_t *shape, int rank, int elem_bits, int span,
                     TileLayout *out, TileReason *e) {
  if (rank < 2)
    return tile_refuse(e, "", "swizzle: rank %d, needs 2", rank);
  int64_t rows = shape[rank - 2], cols = shape[rank - 1];
  int64_t chunk = (int64_t)span * 8 / elem_bits;
  if (rows % 8 || cols % chunk)
    return tile_refuse(e, "",
                       "swizzle<%d>: tile %lldx%lld needs rows %% 8 == 0 and "
                       "columns %% %lld == 0",
                       span, (long long)rows, (long long)cols,
                       (long long)chunk);
  TileLayoutBuilder b;
  tile_layout_begin_memory(&b, shape, rank);
  tile_layout_push(&b, rank - 1, 0, 1, chunk);
  tile_layout_push(&b, rank - 1, 0, rows * chunk, cols / chunk);
  // Three row bits first: they sit below the address bits 10.
  for (int r = 0; r < 3; r++) {
    int64_t byte = (int64_t)span << r; // address bit of this row bit
    bool xored = byte >= 128; // at most 4 * span, so always inside the atom
    TileLayoutStep t[2] = {{0, chunk << r}, {0, (chunk << r) / 8}};
    tile_layout_push_xor(&b, rank - 2, t, xored ? 2 : 1);
  }
  tile_layout_push(&b, rank - 2, 0, chunk * 8, rows / 8);
  int64_t stride = rows * cols;
  for (int d = rank - 3; d >= 0; d--) {
    tile_layout_push(&b, d, 0, stride, shape[d]);
    stride *= shape[d];
  }
  b.out.extent[0] = stride;
  return tile_layout_finish(&b, out, e);
}

bool tile_hw_swizzle_t(const int64_t *shape, int rank, int elem_bits, int span,
                       TileLayout *out, TileReason *e) {
  int64_t flipped[TILE_LAYOUT_MAX_AXES];
  int perm[TILE_LAYOUT_MAX_AXES];
  if (rank < 2 || rank > TILE_LAYOUT_MAX_AXES)
    return tile_refuse(e, "", "swizzle: rank %d, needs 2", rank);
  for (int d = 0; d < rank; d++) {
    perm[d] = d < rank - 2 ? d : 2 * rank - 3 - d;
    flipped[d] = shape[perm[d]];
  }
  TileLayout l;
  return tile_hw_swizzle(flipped, rank, elem_bits, span, &l, e) &&
         tile_layout_transpose(&l, perm, out, e);
}

//===-- wgmma descriptors -------------------------------------------------===//

// Offset of (mn, k) in bytes, other dimensions at 0.
static int64_t at(const TileLayout *s, int bits, int mn_dim, int k_dim,
                  int64_t mn, int64_t k) {
  int64_t in[TILE_LAYOUT_MAX_AXES] = {0}, o;
  in[mn_dim] = mn, in[k_dim] = k;
  tile_layout_eval(s, in, &o);
  return o * bits / 8;
}

// The atom of |span| bytes x 8: |i| runs along the contiguous dimension.
static int64_t atom(int span, int bits, int64_t i, int64_t row) {
  int64_t byte = row * span + i * bits / 8;
  return byte ^ ((byte >> 3) & (span - 16) & ~15ll & 0x70);
}

// Outside the atom nothing may be XORed: the instruction adds strides there.
static bool plain_outside(const TileLayout *s, int fast, int slow,
                          int64_t chunk) {
  for (int i = 0; i < s->in.num_digits; i++) {
    const TileLayoutDigit *d = &s->in.digit[i];
    bool inside = (d->axis == fast && d->stride < chunk) ||
                  (d->axis == slow && d->stride < 8);
    if (!inside && (s->image[i] & (s->image[i] - 1)))
      return false;
  }
  return true;
}

static bool atom_fits(const TileLayout *s, int bits, int fast, int slow,
                      int span) {
  int64_t chunk = (int64_t)span * 8 / bits;
  if (s->in.extent[fast] % chunk || s->in.extent[slow] % 8)
    return false;
  for (int64_t r = 0; r < 8; r++)
    for (int64_t i = 0; i < chunk; i++)
      if (at(s, bits, fast, slow, i, r) != atom(span, bits, i, r))
        return false;
  return plain_outside(s, fast, slow, chunk);
}

// Stride in bytes of steps of |step| along |dim|, if uniform over |extent|.
static bool uniform(const TileLayout *s, int bits, int dim, int other,
                    int64_t step, int64_t extent, int64_t *out) {
  *out = extent > step ? at(s, bits, dim, other, step, 0) : 0;
  for (int64_t i = 0; i < extent; i += step)
    if (at(s, bits, dim, other, i, 0) != i / step * *out)
      return false;
  return true;
}

static bool k_major_desc(const TileLayout *s, int bits, int mn, int k,
                         int64_t rows, TileHwDesc *d) {
  int64_t chunk = (int64_t)d->mode * 8 / bits, instr = 256 / bits;
  int64_t extent = s->in.extent[k];
  if (!uniform(s, bits, mn, k, 8, rows, &d->sbo) ||
      !uniform(s, bits, k, mn, chunk, extent, &d->k_chunk) || extent % instr)
    return false;
  if (d->mode == 16) { // one instruction spans two core matrices
    d->lbo = d->k_chunk;
    d->k_step = 2 * d->k_chunk, d->k_chunk = 0;
    d->steps_in_chunk = (int)(extent / instr);
    return true;
  }
  d->k_step = 32;
  d->steps_in_chunk = (int)(chunk / instr);
  return true;
}

static bool mn_major_desc(const TileLayout *s, int bits, int mn, int k,
                          int64_t rows, TileHwDesc *d) {
  int64_t chunk = (int64_t)d->mode * 8 / bits, instr = 256 / bits;
  int64_t extent = s->in.extent[k], per_mn, per_k;
  if (bits != 16 || extent % instr ||
      !uniform(s, bits, mn, k, chunk, rows, &per_mn) ||
      !uniform(s, bits, k, mn, 8, extent, &per_k))
    return false;
  bool none = d->mode == 16; // the roles of the two fields are exchanged
  d->lbo = none ? per_k : per_mn;
  d->sbo = none ? per_mn : per_k;
  d->k_step = per_k * (instr / 8);
  d->steps_in_chunk = (int)(extent / instr);
  return true;
}

bool tile_hw_wgmma_desc(const TileLayout *s, int elem_bits, int mn_dim,
                        int k_dim, int64_t rows, TileHwDesc *out,
                        TileReason *e) {
  static const int modes[] = {128, 64, 32, 16};
  for (int i = 0; i < 4; i++)
    for (int mn_major = 0; mn_major < 2; mn_major++) {
      TileHwDesc d = {.mode = modes[i], .mn_major = mn_major};
      int fast = mn_major ? mn_dim : k_dim, slow = mn_major ? k_dim : mn_dim;
      if (!atom_fits(s, elem_bits, fast, slow, d.mode))
        continue;
      if (mn_major ? mn_major_desc(s, elem_bits, mn_dim, k_dim, rows, &d)
                   : k_major_desc(s, elem_bits, mn_dim, k_dim, rows, &d)) {
        *out = d;
        return true;
      }
    }
  return tile_refuse(
      e, "",
      "wgmma: layout of the %lldx%lld operand (%d-bit) matches no "
      "descriptor mode%s",
      (long long)s->in.extent[0], (long long)s->in.extent[1], elem_bits,
      elem_bits == 16 ? "" : "; M/N-major needs 16-bit elements");
}

uint64_t tile_hw_desc_encode(const TileHwDesc *d, uint32_t shared_address) {
  static const uint64_t code[] = {[0] = 0, [1] = 3, [2] = 2, [4] = 1};
  uint64_t mode = d->mode == 16 ? 0 : code[d->mode / 32];
  return (uint64_t)(shared_address >> 4 & 0x3FFF) |
         (uint64_t)(d->lbo >> 4 & 0x3FFF) << 16 |
         (uint64_t)(d->sbo >> 4 & 0x3FFF) << 32 | mode << 62;
}

//===-- wgmma fragments ---------------------------------------------------===//

bool tile_hw_wgmma_acc(int64_t m, int64_t n, int wg_m, int wg_n,
                       TileLayout *out, TileReason *e) {
  if (wg_m < 1 || wg_n < 1 || m % (64 * (int64_t)wg_m) ||
      n % (8 * (int64_t)wg_n))
    return tile_refuse(e, "",
                       "wgmma: %lldx%lld is not %dx%d warpgroups of 64x8",
                       (long long)m, (long long)n, wg_m, wg_n);
  int64_t shape[2] = {m, n}, per_m = m / wg_m, per_n = n / wg_n;
  TileLayoutBuilder b;
  tile_layout_begin_fragment(&b, shape, 2);
  tile_layout_push(&b, TILE_LAYOUT_REG, 1, 1, 2);
  tile_layout_push(&b, TILE_LAYOUT_REG, 0, 8, 2);
  tile_layout_push(&b, TILE_LAYOUT_REG, 1, 8, per_n / 8);
  tile_layout_push(&b, TILE_LAYOUT_REG, 0, 64, per_m / 64);
  tile_layout_push(&b, TILE_LAYOUT_LANE, 1, 2, 4);
  tile_layout_push(&b, TILE_LAYOUT_LANE, 0, 1, 8);
  tile_layout_push(&b, TILE_LAYOUT_WARP, 0, 16, 4);
  tile_layout_push(&b, TILE_LAYOUT_WARP, 0, per_m, wg_m);
  tile_layout_push(&b, TILE_LAYOUT_WARP, 1, per_n, wg_n);
  return tile_layout_finish(&b, out, e);
}

bool tile_hw_wgmma_a(int64_t m, int64_t k, int elem_bits, int wg_m, int wg_n,
                     TileLayout *out, TileReason *e) {
  int64_t p = 32 / elem_bits, shape[2] = {m, k};
  if (wg_m < 1 || m % (64 * (int64_t)wg_m) || k % (8 * p))
    return tile_refuse(e, "",
                       "wgmma: A %lldx%lld is not %d warpgroups of 64x%lld",
                       (long long)m, (long long)k, wg_m, (long long)(8 * p));
  int64_t per_m = m / wg_m;
  TileLayoutBuilder b;
  tile_layout_begin_fragment(&b, shape, 2);
  tile_layout_push(&b, TILE_LAYOUT_REG, 1, 1, p);
  tile_layout_push(&b, TILE_LAYOUT_REG, 0, 8, 2);
  tile_layout_push(&b, TILE_LAYOUT_REG, 1, 4 * p, k / (4 * p));
  tile_layout_push(&b, TILE_LAYOUT_REG, 0, 64, per_m / 64);
  tile_layout_push(&b, TILE_LAYOUT_LANE, 1, p, 4);
  tile_layout_push(&b, TILE_LAYOUT_LANE, 0, 1, 8);
  tile_layout_push(&b, TILE_LAYOUT_WARP, 0, 16, 4);
  tile_layout_push(&b, TILE_LAYOUT_WARP, 0, per_m, wg_m);
  tile_layout_push_rep(&b, TILE_LAYOUT_WARP, wg_n);
  return tile_layout_finish(&b, out, e);
}

//===-- mma.sync fragments ------------------------------------------------===//

// Elements of a word, or one of two words.
static int64_t mma_packed(const TileHwMma *g) {
  return g->elem_bits > 32 ? 1 : 32 / g->elem_bits;
}

static bool mma_fits(const TileHwMma *g, TileReason *e) {
  int64_t p = mma_packed(g);
  if (g->instr_k != 4 * p && g->instr_k != 8 * p)
    return tile_refuse(e, "", "mma: k%d does not exist for %d-bit elements",
                       g->instr_k, g->elem_bits);
  if (g->m % (16 * (int64_t)g->warps_m) || g->n % (8 * (int64_t)g->warps_n) ||
      g->k % g->instr_k)
    return tile_refuse(e, "",
                       "mma: %lldx%lldx%lld is not %dx%d warps of 16x8x%d",
                       (long long)g->m, (long long)g->n, (long long)g->k,
                       g->warps_m, g->warps_n, g->instr_k);
  return true;
}

// Which numbers of K the registers and lanes of a factor have. The sum does not
// ask for their order as long as A and B agree. Of f64, lanes have 0, 1, 4 and
// 5 of 8 and registers the rest, where K is a multiple of 8: so a half warp
// reads all banks of tiles with swizzles of 64 bytes, whichever dimension is
// contiguous in them.

static bool mma_splits_k(const TileHwMma *g) {
  return g->elem_bits == 64 && g->k % 8 == 0;
}

static void push_k_registers(TileLayoutBuilder *b, const TileHwMma *g,
                             int dim) {
  int64_t p = mma_packed(g);
  if (mma_splits_k(g)) {
    tile_layout_push(b, TILE_LAYOUT_REG, dim, 2, 2);
    tile_layout_push(b, TILE_LAYOUT_REG, dim, 8, g->k / 8);
  } else {
    tile_layout_push(b, TILE_LAYOUT_REG, dim, 4 * p, g->k / (4 * p));
  }
}

static void push_k_lanes(TileLayoutBuilder *b, const TileHwMma *g, int dim) {
  if (mma_splits_k(g)) {
    tile_layout_push(b, TILE_LAYOUT_LANE, dim, 1, 2);
    tile_layout_push(b, TILE_LAYOUT_LANE, dim, 4, 2);
  } else {
    tile_layout_push(b, TILE_LAYOUT_LANE, dim, mma_packed(g), 4);
  }
}

bool tile_hw_mma_a(const TileHwMma *g, TileLayout *out, TileReason *e) {
  if (!mma_fits(g, e))
    return false;
  int64_t p = mma_packed(g), shape[2] = {g->m, g->k};
  int64_t per_m = g->m / g->warps_m;
  TileLayoutBuilder b;
  tile_layout_begin_fragment(&b, shape, 2);
  tile_layout_push(&b, TILE_LAYOUT_REG, 1, 1, p);
  tile_layout_push(&b, TILE_LAYOUT_REG, 0, 8, 2);
  push_k_registers(&b, g, 1);
  tile_layout_push(&b, TILE_LAYOUT_REG, 0, 16, per_m / 16);
  push_k_lanes(&b, g, 1);
  tile_layout_push(&b, TILE_LAYOUT_LANE, 0, 1, 8);
  tile_layout_push(&b, TILE_LAYOUT_WARP, 0, per_m, g->warps_m);
  tile_layout_push_rep(&b, TILE_LAYOUT_WARP, g->warps_n);
  return tile_layout_finish(&b, out, e);
}

bool tile_hw_mma_b(const TileHwMma *g, bool b_nk, TileLayout *out,
                   TileReason *e) {
  if (!mma_fits(g, e))
    return false;
  int kd = b_nk, nd = !b_nk;
  int64_t p = mma_packed(g), per_n = g->n / g->warps_n, shape[2];
  shape[kd] = g->k, shape[nd] = g->n;
  TileLayoutBuilder b;
  tile_layout_begin_fragment(&b, shape, 2);
  tile_layout_push(&b, TILE_LAYOUT_REG, kd, 1, p);
  push_k_registers(&b, g, kd);
  tile_layout_push(&b, TILE_LAYOUT_REG, nd, 8, per_n / 8);
  push_k_lanes(&b, g, kd);
  tile_layout_push(&b, TILE_LAYOUT_LANE, nd, 1, 8);
  tile_layout_push_rep(&b, TILE_LAYOUT_WARP, g->warps_m);
  tile_layout_push(&b, TILE_LAYOUT_WARP, nd, per_n, g->warps_n);
  return tile_layout_finish(&b, out, e);
}

bool tile_hw_mma_c(const TileHwMma *g, TileLayout *out, TileReason *e) {
  if (!mma_fits(g, e))
    return false;
  int64_t per_m = g->m / g->warps_m, per_n = g->n / g->warps_n;
  int64_t shape[2] = {g->m, g->n};
  TileLayoutBuilder b;
  tile_layout_begin_fragment(&b, shape, 2);
  tile_layout_push(&b, TILE_LAYOUT_REG, 1, 1, 2);
  tile_layout_push(&b, TILE_LAYOUT_REG, 0, 8, 2);
  tile_layout_push(&b, TILE_LAYOUT_REG, 1, 8, per_n / 8);
  tile_layout_push(&b, TILE_LAYOUT_REG, 0, 16, per_m / 16);
  tile_layout_push(&b, TILE_LAYOUT_LANE, 1, 2, 4);
  tile_layout_push(&b, TILE_LAYOUT_LANE, 0, 1, 8);
  tile_layout_push(&b, TILE_LAYOUT_WARP, 0, per_m, g->warps_m);
  tile_layout_push(&b, TILE_LAYOUT_WARP, 1, per_n, g->warps_n);
  return tile_layout_finish(&b, out, e);
}
