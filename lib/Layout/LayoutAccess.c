//===- LayoutAccess.c - Vector width, bank conflicts, ldmatrix, coalescing ===//
//
// The vector width and ldmatrix tests are exact subspace tests, O(n^2).
// Wavefronts are counted on the addresses of one warp: O(instructions * 32).
//
//===----------------------------------------------------------------------===//
#include "LayoutAccess.h"
#include "LayoutHardware.h"
#include "LayoutInternal.h"
#include "Support/Arithmetic.h"

#include <string.h>

static int log2i(int64_t n) {
  int k = 0;
  while ((int64_t)1 << (k + 1) <= n)
    k++;
  return k;
}

//===-- Subspace tests ----------------------------------------------------===//

// Mask of the first k output digits, if they are the bits 1, 2, .., 2^(k-1) and
// every other stride is a multiple of 2^k; else 0.
static uint64_t low_mask(const TileLayoutSpace *o, int k) {
  for (int j = 0; j < o->num_digits; j++) {
    const TileLayoutDigit *d = &o->digit[j];
    if (j < k ? d->radix != 2 || d->stride != (int64_t)1 << j
              : d->stride % ((int64_t)1 << k))
      return 0;
  }
  return o->num_digits < k ? 0 : (1ull << k) - 1;
}

// Whether the images of the registers span the first |k| output bits.
static bool regs_span(const TileLayout *a, int k) {
  uint64_t v[2 * TILE_LAYOUT_MAX_DIGITS] = {0};
  int n = 0;
  for (int i = 0; i < a->in.num_digits; i++)
    if (a->in.digit[i].axis == TILE_LAYOUT_REG && a->in.digit[i].radix == 2)
      v[n++] = a->image[i];
  int rank = tile_layout_rank(v, n);
  for (int j = 0; j < k; j++)
    v[n++] = 1ull << j;
  return n <= TILE_LAYOUT_MAX_DIGITS && tile_layout_rank(v, n) == rank;
}

static bool threads_avoid(const TileLayout *a, uint64_t low) {
  for (int i = 0; i < a->in.num_digits; i++)
    if (a->in.digit[i].axis != TILE_LAYOUT_REG && (a->image[i] & low))
      return false;
  return true;
}

int tile_layout_vector_width(const TileLayout *a, int elem_bits) {
  int k = log2i(128 / elem_bits);
  for (; k > 0; k--) {
    uint64_t low = low_mask(&a->out, k);
    if (low && threads_avoid(a, low) && regs_span(a, k))
      break;
  }
  return 1 << k;
}

int tile_layout_ordered_width(const TileLayout *a, int width) {
  int k = 0;
  for (int i = 0; i < a->in.num_digits && 2 << k <= width; i++) {
    const TileLayoutDigit *d = &a->in.digit[i]; // ascending within an axis
    if (d->axis != TILE_LAYOUT_REG || d->radix != 2 || a->image[i] != 1ull << k)
      break;
    k++;
  }
  return 1 << k;
}

// Index of the lane digit of weight 1 << bit, or -1.
static int lane_digit(const TileLayout *a, int bit) {
  for (int i = 0; i < a->in.num_digits; i++)
    if (a->in.digit[i].axis == TILE_LAYOUT_LANE &&
        a->in.digit[i].stride == (int64_t)1 << bit)
      return i;
  return -1;
}

// Whether |a| is an 8x8 b16 matrix pattern: a memory row is 16 bytes long.
static bool matrix_pattern(const TileLayout *a, int elem_bits, bool trans) {
  if (elem_bits > 16 || (trans && elem_bits != 16))
    return false;
  int row_bits = log2i(128 / elem_bits), word = log2i(32 / elem_bits);
  uint64_t low = low_mask(&a->out, row_bits);
  if (!low || (trans ? a->in.extent[TILE_LAYOUT_REG] < 2 : !regs_span(a, word)))
    return false;
  int first = trans ? 2 : 0, in_row = trans ? 3 : 2, base = trans ? 0 : word;
  uint64_t row_lanes = 0;
  for (int b = 0; b < in_row; b++) {
    int i = lane_digit(a, first + b);
    if (i < 0 || a->image[i] != 1ull << (base + b))
      return false;
    row_lanes |= 1ull << i;
  }
  for (int i = 0; i < a->in.num_digits; i++) {
    bool reg_in_word = a->in.digit[i].axis == TILE_LAYOUT_REG && !trans;
    uint64_t may = reg_in_word ? (1ull << word) - 1 : 0;
    if (!(row_lanes >> i & 1) && (a->image[i] & low & ~may))
      return false;
  }
  return true;
}

//===-- Wavefronts and sectors by enumeration -----------------------------===//

// Register digits that enumerate the instructions of width 2^k: independent
// modulo the low k bits.
static int instruction_digits(const TileLayout *a, int k, int *digit) {
  uint64_t v[TILE_LAYOUT_MAX_DIGITS], low = (1ull << k) - 1;
  int n = 0, nv = 0;
  for (int i = 0; i < a->in.num_digits; i++) {
    if (a->in.digit[i].axis != TILE_LAYOUT_REG || !(a->image[i] & ~low))
      continue;
    if (a->in.digit[i].radix == 2) {
      v[nv] = a->image[i] & ~low;
      if (tile_layout_rank(v, nv + 1) == nv)
        continue;
      nv++;
    }
    digit[n++] = i;
  }
  return n;
}

// Wavefronts of one group of lanes: banks of 4 bytes, 32 of them.
static int group_waves(const int64_t *byte, int lanes, int bytes) {
  int64_t word[256];
  int n = 0, load[32] = {0}, most = 0;
  for (int l = 0; l < lanes; l++)
    for (int64_t w = byte[l] / 4; w <= (byte[l] + bytes - 1) / 4; w++) {
      int k = 0;
      while (k < n && word[k] != w)
        k++;
      if (k < n || n == 256)
        continue;
      word[n++] = w;
      if (++load[w & 31] > most)
        most = load[w & 31];
    }
  return most;
}

static int group_sectors(const int64_t *byte, int lanes, int bytes) {
  int64_t sector[512];
  int n = 0;
  for (int l = 0; l < lanes; l++)
    for (int64_t s = byte[l] / 32; s <= (byte[l] + bytes - 1) / 32; s++) {
      int k = 0;
      while (k < n && sector[k] != s)
        k++;
      if (k == n && n < 512)
        sector[n++] = s;
    }
  return n;
}

//===-- Counting by rank --------------------------------------------------===//

// When lanes only toggle address bits, the addresses of a group of lanes are a
// translate of a vector space over F2, and ranks replace enumeration.
typedef struct {
  int n;
  uint64_t lane[5]; // what lane bit i toggles, in the bit address
} LaneBits;

// Fills |out|; false when a lane reaches anything but address bits, or when the
// rest of the address could carry into units of |unit_bits|.
static bool lane_bits(const TileLayout *a, int elem_bits, int64_t unit_bits,
                      LaneBits *out) {
  uint64_t reached = 0;
  memset(out, 0, sizeof *out);
  for (int i = 0; i < a->in.num_digits; i++) {
    const TileLayoutDigit *d = &a->in.digit[i];
    if (d->axis != TILE_LAYOUT_LANE)
      continue;
    if (d->radix != 2 || out->n == 5)
      return false;
    for (uint64_t m = a->image[i]; m; m &= m - 1) {
      int64_t bit = a->out.digit[__builtin_ctzll(m)].stride * elem_bits;
      if (!tile_is_power_of_two(bit))
        return false;
      out->lane[out->n] |= (uint64_t)bit;
    }
    reached |= a->image[i];
    out->n++;
  }
  for (int j = 0; j < a->out.num_digits; j++) {
    const TileLayoutDigit *d = &a->out.digit[j];
    int64_t bits = d->stride * elem_bits;
    bool is_bit = d->radix == 2 && tile_is_power_of_two(bits);
    if (!(reached >> j & 1) && !is_bit && bits % unit_bits)
      return false;
  }
  return true;
}

static int rank_above(const uint64_t *v, int n, int first_bit, uint64_t mask) {
  uint64_t w[2 * TILE_LAYOUT_MAX_DIGITS];
  for (int i = 0; i < n; i++)
    w[i] = v[i] >> first_bit & mask;
  return tile_layout_rank(w, n);
}

enum {
  WORD_BITS = 32, // a bank is one word wide
  WORD_SHIFT = 5, // of a bit address
  SECTOR_BITS = 256,
  SECTOR_SHIFT = 8,
};

// Wavefronts of one group of 2^group_bits lanes: its words spread evenly over
// the banks that it reaches. The words of one vector lie in banks of their own
// and change neither side.
static int64_t linear_waves(const LaneBits *l, int group_bits) {
  int n = l->n < group_bits ? l->n : group_bits;
  int words = rank_above(l->lane, n, WORD_SHIFT, UINT64_MAX);
  return (int64_t)1 << (words - rank_above(l->lane, n, WORD_SHIFT, 31));
}

//===-- Counting ----------------------------------------------------------===//

// Instructions that are enumerated; masks differ between instructions, so more
// of them where a fragment overhangs.
enum { SAMPLES = 4, MASKED_SAMPLES = 16 };

typedef struct {
  int num_digits, digit[TILE_LAYOUT_MAX_DIGITS]; // number the instructions
  int vec_log2, bytes, group; // elements, bytes per lane; lanes per wavefront
  int64_t total;              // instructions
} Simt;

// Counts the first |tried| instructions by enumeration; lanes whose element is
// not in the tile of |f| are masked.
static void enumerate_simt(const TileLayout *f, const TileLayout *a,
                           int elem_bits, const Simt *s, int64_t tried,
                           int64_t *out_waves, int64_t *out_sectors) {
  bool masked = tile_layout_has_overhang(f);
  *out_waves = *out_sectors = 0;
  for (int64_t t = 0; t < tried; t++) {
    int64_t in[3] = {0}, byte[32], o, rest = t;
    for (int i = 0; i < s->num_digits; i++) {
      const TileLayoutDigit *d = &a->in.digit[s->digit[i]];
      in[TILE_LAYOUT_REG] += rest % d->radix * d->stride;
      rest /= d->radix;
    }
    int n = 0, first = 0; // lanes so far; those before their group
    for (int l = 0; l < 32; l++) {
      int64_t x[TILE_LAYOUT_MAX_AXES];
      in[TILE_LAYOUT_LANE] = l % a->in.extent[TILE_LAYOUT_LANE];
      if (!masked ||
          (tile_layout_eval(f, in, x) && tile_layout_in_tile(f, x))) {
        tile_layout_eval(a, in, &o);
        byte[n++] = (o >> s->vec_log2 << s->vec_log2) * elem_bits / 8;
      }
      if ((l + 1) % s->group == 0) {
        *out_waves += group_waves(byte + first, n - first, s->bytes);
        first = n;
      }
    }
    *out_sectors += group_sectors(byte, n, s->bytes);
  }
}

// Fills the counts of SIMT access of 2^k elements. Instructions are translates
// of each other when |a| is linear; else a sample of them is extrapolated.
static void count_simt(const TileLayout *f, const TileLayout *a, int elem_bits,
                       int k, bool is_shared, TileLayoutAccess *out) {
  Simt s = {.vec_log2 = k, .bytes = (1 << k) * elem_bits / 8, .total = 1};
  s.num_digits = instruction_digits(a, k, s.digit);
  for (int i = 0; i < s.num_digits; i++)
    s.total *= a->in.digit[s.digit[i]].radix;
  if (!s.bytes)
    s.bytes = 1;
  s.group = s.bytes <= 4 ? 32 : 128 / s.bytes;
  int64_t tried = 1, waves = 0, sectors = 0;
  LaneBits l;
  if (!tile_layout_has_overhang(f) &&
      lane_bits(a, elem_bits, is_shared ? WORD_BITS : SECTOR_BITS, &l)) {
    waves = linear_waves(&l, log2i(s.group)) * (32 / s.group);
    if (!is_shared)
      sectors = (int64_t)1 << rank_above(l.lane, l.n, SECTOR_SHIFT, UINT64_MAX);
  } else {
    int64_t most = tile_layout_has_overhang(f) ? MASKED_SAMPLES : SAMPLES;
    tried = s.total < most ? s.total : most;
    enumerate_simt(f, a, elem_bits, &s, tried, &waves, &sectors);
  }
  out->vec_elems = 1 << k;
  out->instructions = s.total;
  out->wavefronts = waves * s.total / tried;
  out->sectors = sectors * s.total / tried;
  out->ideal = s.total * (32 / s.group);
}

// Wavefronts of one 8x8 matrix: its eight rows of 16 bytes.
bool tile_layout_is_matrix_access(const TileLayout *access, int elem_bits) {
  return matrix_pattern(access, elem_bits, false);
}

static int matrix_waves(const TileLayout *a, int elem_bits, bool trans) {
  int64_t byte[8], o;
  int reg = -1; // the register bit that pairs two rows of a transposed matrix
  for (int i = 0; i < a->in.num_digits && reg < 0; i++)
    if (a->in.digit[i].axis == TILE_LAYOUT_REG && a->in.digit[i].radix == 2 &&
        a->image[i])
      reg = i;
  for (int r = 0; r < 8; r++) {
    int64_t in[3] = {0};
    if (trans) {
      in[TILE_LAYOUT_REG] = reg >= 0 && (r & 1) ? a->in.digit[reg].stride : 0;
      in[TILE_LAYOUT_LANE] = r >> 1;
    } else {
      in[TILE_LAYOUT_LANE] = r << 2;
    }
    tile_layout_eval(a, in, &o);
    byte[r] = o * elem_bits / 8;
  }
  return group_waves(byte, 8, 16);
}

static int64_t warps_of(const TileLayout *f) {
  return f->in.extent[TILE_LAYOUT_WARP];
}

int64_t tile_layout_distinct_regs(const TileLayout *l) {
  uint64_t v[TILE_LAYOUT_MAX_DIGITS];
  int n = 0;
  int64_t r = 1;
  for (int i = 0; i < l->in.num_digits; i++) {
    if (l->in.digit[i].axis != TILE_LAYOUT_REG)
      continue;
    if (l->in.digit[i].radix == 2)
      v[n++] = l->image[i];
    else if (l->image[i])
      r *= l->in.digit[i].radix;
  }
  return r << tile_layout_rank(v, n);
}

static bool use_matrix(const TileLayout *f, const TileLayout *a, int elem_bits,
                       bool trans, TileLayoutAccess *out) {
  if (!matrix_pattern(a, elem_bits, trans))
    return false;
  int64_t words = (tile_layout_distinct_regs(f) * elem_bits + 31) / 32;
  TileLayoutAccess m = {.move = trans ? TILE_LAYOUT_LDMATRIX_TRANS
                                      : TILE_LAYOUT_LDMATRIX};
  m.vec_elems = 32 / elem_bits;
  m.instructions = (words + 3) / 4;
  m.wavefronts = words * matrix_waves(a, elem_bits, trans);
  m.ideal = words;
  m.cost = (m.wavefronts * TILE_LAYOUT_COST_WAVE +
            m.instructions * TILE_LAYOUT_COST_ALU) *
           warps_of(f);
  if (m.cost >= out->cost)
    return false;
  *out = m;
  return true;
}

// The digits of |s| make exactly the tile, so where they hold the low offset
// bits, all or none of the elements of a vector exist; those of |a| also make
// the surplus.
int tile_layout_masked_width(const TileLayout *f, const TileLayout *s,
                             const TileLayout *a, int elem_bits) {
  int k = log2i(tile_layout_vector_width(a, elem_bits));
  while (k > 0 && tile_layout_has_overhang(f) && !low_mask(&s->out, k))
    k--;
  return 1 << k;
}

// One compare per instruction where the fragment overhangs.
static int64_t alu_per_instruction(const TileLayout *f, int64_t alu) {
  return (alu + tile_layout_has_overhang(f)) * TILE_LAYOUT_COST_ALU;
}

// Where the digits of the two do not meet, or the surplus has no place in a
// swizzle, code finds every element by its coordinates.
static bool access_by_coordinates(const TileLayout *f, TileLayoutAccess *out) {
  enum { ALU_PER_ELEMENT = 10, WAVES_PER_ELEMENT = 2 };
  int64_t regs = f->in.extent[TILE_LAYOUT_REG];
  *out = (TileLayoutAccess){.move = TILE_LAYOUT_SIMT, .vec_elems = 1};
  out->instructions = out->ideal = regs;
  out->wavefronts = regs * WAVES_PER_ELEMENT;
  out->cost = (out->wavefronts * TILE_LAYOUT_COST_WAVE +
               regs * ALU_PER_ELEMENT * TILE_LAYOUT_COST_ALU) *
              warps_of(f);
  return true;
}

bool tile_layout_shared_access(const TileLayout *f, const TileLayout *s,
                               int elem_bits, bool allow_matrix,
                               TileLayoutAccess *out, TileReason *e) {
  TileLayout a;
  if (!tile_layout_compose(f, s, &a, e))
    return access_by_coordinates(f, out);
  TileLayoutAccess r = {.move = TILE_LAYOUT_SIMT};
  count_simt(f, &a, elem_bits,
             log2i(tile_layout_masked_width(f, s, &a, elem_bits)), true, &r);
  r.cost = (r.wavefronts * TILE_LAYOUT_COST_WAVE +
            r.instructions * alu_per_instruction(f, 1)) *
           warps_of(f);
  if (allow_matrix && !tile_layout_has_overhang(f) &&
      !use_matrix(f, &a, elem_bits, false, &r))
    use_matrix(f, &a, elem_bits, true, &r);
  *out = r;
  return true;
}

bool tile_layout_global_access(const TileLayout *f, int elem_bits,
                               int row_align, TileLayoutAccess *out,
                               TileReason *e) {
  TileLayout s, a;
  int rank = f->out.num_axes;
  int64_t cols = f->out.extent[rank - 1];
  // Rows far apart, aligned as promised: no accidental contiguity of rows.
  int64_t far = 1 << 16, pitch = (cols + far - 1) / far * far;
  if (row_align < 16)
    pitch += (int64_t)row_align * 8 / elem_bits;
  if (rank == 1)
    pitch = cols;
  if (!tile_hw_padded(f->out.extent, rank, pitch, &s, e) ||
      !tile_layout_compose(f, &s, &a, e))
    return false;
  TileLayoutAccess r = {.move = TILE_LAYOUT_SIMT};
  count_simt(f, &a, elem_bits,
             log2i(tile_layout_masked_width(f, &s, &a, elem_bits)), false, &r);
  r.cost = (r.sectors * TILE_LAYOUT_COST_WAVE +
            r.instructions * alu_per_instruction(f, 4)) *
           warps_of(f);
  *out = r;
  return true;
}
