//===- Layout.h - One algebra for register and memory layouts -------------===//
//
// A layout is a total function between two *digit spaces*.
//
// A space has named axes (reg, lane, warp | d0, d1, .. | o). Every axis is
// written in a mixed radix system: a list of digits, each with a prime radix
// and a stride. The value of an axis is  sum(digit * stride).
//
//   * radix-2 digits ("bits") form a vector space over F2: the image of an
//     input bit is any XOR of output bits (swizzles, fragments);
//   * odd-radix digits are matched one to one (3 stages, 192 = 64 * 3 columns)
//     or have an empty image (replication);
//   * a digit with an empty image replicates; strides that leave gaps pad.
//
// Two uses, each in the direction in which it is a total function:
//   fragment: (reg, lane, warp) -> (d0, d1, ..)   may replicate, must cover
//   memory  : (d0, d1, ..) -> o                   may leave gaps, must inject
// The access of memory by a fragment is then plain composition, no inverse.
// Offsets are in elements; the element width in bits is given where it matters.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LAYOUT_H
#define TILE_LAYOUT_H

#include "Support/Diagnostic/Reason.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  TILE_LAYOUT_MAX_DIGITS = 64,
  TILE_LAYOUT_MAX_AXES = 8,
  TILE_LAYOUT_MAX_TERMS = 24
};

/// Input axes of a fragment, in this order.
enum { TILE_LAYOUT_REG = 0, TILE_LAYOUT_LANE = 1, TILE_LAYOUT_WARP = 2 };

typedef struct {
  int axis;       // index into the axes of its space
  int radix;      // prime
  int64_t stride; // weight of the digit in its axis
} TileLayoutDigit;

typedef struct {
  int num_axes;
  char name[TILE_LAYOUT_MAX_AXES][8];
  int64_t extent[TILE_LAYOUT_MAX_AXES]; // number of axis values, gaps included
  int num_digits;                       // sorted by axis, then by stride
  TileLayoutDigit digit[TILE_LAYOUT_MAX_DIGITS];
} TileLayoutSpace;

typedef struct {
  TileLayoutSpace in, out;
  // Image of input digit i: set of output digits. For an odd radix the set has
  // at most one member, of the same radix, and no other digit hits it.
  uint64_t image[TILE_LAYOUT_MAX_DIGITS];
} TileLayout;

//===-- Builder: the free form of a layout, and of its text ---------------===//

typedef struct {
  int axis;       // output axis
  int64_t stride; // weight in that axis
} TileLayoutStep;

typedef struct {
  int axis;       // input axis
  int radix;      // any count; composite counts are split, smallest prime first
  int64_t stride; // 0: directly above what the axis already has
  int num_terms;  // 0: replication; more than 1: XOR, radix must be 2
  TileLayoutStep term[TILE_LAYOUT_MAX_TERMS];
} TileLayoutEntry;

typedef struct {
  TileLayoutSpace in, out; // axes and extents only; out extent 0 = computed
  int num_entries;
  TileLayoutEntry entry[2 * TILE_LAYOUT_MAX_DIGITS];
  bool overflow;     // too many digits
  bool may_overhang; // input axes may have more values than their extent
} TileLayoutBuilder;

/// Starts a fragment of a tile of |shape|: axes reg, lane, warp.
void tile_layout_begin_fragment(TileLayoutBuilder *b, const int64_t *shape,
                                int rank);
/// Starts a memory layout of a tile of |shape|: output axis o.
void tile_layout_begin_memory(TileLayoutBuilder *b, const int64_t *shape,
                              int rank);
/// Appends |count| values of input axis |axis| that step |dim| by |stride|.
void tile_layout_push(TileLayoutBuilder *b, int axis, int dim, int64_t stride,
                      int64_t count);
/// Appends |count| replicas.
void tile_layout_push_rep(TileLayoutBuilder *b, int axis, int64_t count);
/// Appends one bit whose image is the XOR of |n| terms.
void tile_layout_push_xor(TileLayoutBuilder *b, int axis,
                          const TileLayoutStep *terms, int n);
bool tile_layout_finish(const TileLayoutBuilder *b, TileLayout *out_layout,
                        TileReason *err);
void tile_layout_to_builder(const TileLayout *l, TileLayoutBuilder *out_b);

//===-- Evaluation and properties -----------------------------------------===//

/// Evaluates at |in| (one value per axis). False when |in| lies in a gap.
bool tile_layout_eval(const TileLayout *l, const int64_t *in, int64_t *out);
/// The |index|-th input point, counting digits low first (gaps skipped).
void tile_layout_point(const TileLayoutSpace *s, int64_t index, int64_t *out);
int64_t tile_layout_size(const TileLayoutSpace *s); // product of radices
int64_t tile_layout_axis_size(const TileLayoutSpace *s,
                              int axis); // the same, of one axis
int64_t tile_layout_span(const TileLayoutSpace *s,
                         int axis); // largest value + 1
int tile_layout_find_axis(const TileLayoutSpace *s,
                          const char *name); // -1 if absent

/// Whether |l| maps a tile to offsets, not registers to a tile.
bool tile_layout_is_memory(const TileLayout *l);
bool tile_layout_covers(
    const TileLayout *l); // every output digit combination hit
int64_t
tile_layout_replication(const TileLayout *l); // inputs per distinct output
/// Registers per thread that hold distinct elements (fragment).
int64_t tile_layout_distinct_regs(const TileLayout *l);
/// Elements along dimension `dim` of a memory layout that are stored one after
/// another, starting at every multiple of that number: a power of two.
int64_t tile_layout_contiguous_run(const TileLayout *layout, int dim);

/// Checks a memory layout: injective. A fragment: covers. Both: code can
/// compute it (tile_layout_terms). Names elements where it does not serve.
bool tile_layout_check_memory(const TileLayout *l, TileReason *err);
bool tile_layout_check_fragment(const TileLayout *l, TileReason *err);
/// Whether the axes are those of a memory layout, d0, d1, … to o, or of a
/// fragment, reg, lane and warp to d0, d1, …, with the lanes of a warp.
bool tile_layout_check_axes(const TileLayout *l, TileReason *err);

/// Canonical digit order: ascending primes inside every run that is contiguous
/// on both sides. Equal functions of the library have equal canonical forms.
void tile_layout_canonicalize(TileLayout *l);
/// Same function. Canonical forms first, then enumeration (exact).
bool tile_layout_equal(const TileLayout *a, const TileLayout *b);

//===-- Operations --------------------------------------------------------===//

/// b after a. The middle spaces must have the same axes; digit orders are
/// unified by moving digits inside contiguous runs, else "not digit aligned".
/// Where |a| overhangs, |b| must be one contiguous run; the result then means
/// nothing at points outside the tile.
bool tile_layout_compose(const TileLayout *a, const TileLayout *b,
                         TileLayout *out, TileReason *e);
/// Prepends a tile dimension of |stages|. Memory: slots |slot| elements apart
/// (0: the span rounded up to |align|). Fragment: the new registers on top.
bool tile_layout_expand(const TileLayout *l, int64_t stages, int64_t slot,
                        int64_t align, TileLayout *out, TileReason *e);
/// Drops tile dimension 0 at index 0; the left inverse of tile_layout_expand.
bool tile_layout_drop_leading(const TileLayout *l, TileLayout *out,
                              TileReason *e);
/// Tile dimension i of the result is dimension perm[i] of |l|.
bool tile_layout_transpose(const TileLayout *l, const int *perm,
                           TileLayout *out, TileReason *e);
/// Row-major reshape of the tile: same storage, other shape.
///
/// Cut both shapes into the shortest runs of dimensions with equal products,
/// from the last one on: 12x101x68 and 3x4x101x17x4 are 12 | 101 | 68. A
/// fragment may overhang in the first dimension of a run; that of the view then
/// does, too, and what is past the end of one is past the end of the other.
///
/// Errors: an extent cuts a digit; another dimension of a run overhangs; the
///         first one of the view would have a digit wholly past its end.
bool tile_layout_view(const TileLayout *l, const int64_t *shape, int rank,
                      TileLayout *out, TileReason *e);
/// Memory: same storage, elements of |to| instead of |from| bits; the last tile
/// dimension shrinks or grows. The ratio must be a power of two.
bool tile_layout_recast(const TileLayout *l, int from, int to, TileLayout *out,
                        TileReason *e);

/// The layout of the same storage as a tile of |shape| with elements of
/// |to_bits| bits, in the order of the tiles' rows (tile.view).
///
/// Errors: |shape| cuts a digit or an element; fragments of another width.
bool tile_layout_reinterpret(const TileLayout *l, int from_bits,
                             const int64_t *shape, int rank, int to_bits,
                             TileLayout *out, TileReason *e);

typedef struct {
  TileLayout layout;   // of the window, at offset 0
  int64_t add, toggle; // element offset of x = (layout(x) ^ toggle) + add
} TileLayoutWindow;
/// Window of a memory layout. Sizes must be digit aligned, offsets multiples of
/// the sizes (an SSA offset qualifies when it is known to be such a multiple);
/// where a dimension is a plain run of atoms, both need only be multiples of
/// an atom.
/// |toggle| is 0 unless the window starts inside a swizzle atom;
/// tile_layout_eval of the whole layout at the offset gives add + toggle for
/// SSA offsets too.
bool tile_layout_slice(const TileLayout *l, const int64_t *offset,
                       const int64_t *size, TileLayoutWindow *out,
                       TileReason *e);
/// A window as an op names it. Dynamic offsets are multiples of the sizes.
typedef struct {
  int64_t offset[TILE_LAYOUT_MAX_AXES];  // of each dimension of the tile
  int64_t size[TILE_LAYOUT_MAX_AXES];    // 1 where the window lacks a dimension
  bool is_dynamic[TILE_LAYOUT_MAX_AXES]; // then the offset is not known
  int64_t shape[TILE_LAYOUT_MAX_AXES];   // of the window
  int rank;                              // of the window
} TileLayoutCut;
/// tile_layout_slice for a window whose dynamic offsets only add to the offset
/// of an element: what they move, nothing else moves.
bool tile_layout_cut(const TileLayout *l, const TileLayoutCut *cut,
                     TileLayoutWindow *out, TileReason *e);
/// Sums over a fragment dimension: its digits fold into replication.
bool tile_layout_fold(const TileLayout *l, int dim, bool keep_unit_dim,
                      TileLayout *out, TileReason *e);
/// Layout of a buffer whose dimension d is loop dimension map[d] (-1: extent
/// 1), out of the layout of the loop; loop dimensions not in |map| fold.
bool tile_layout_project(const TileLayout *loop, const int *map, int rank,
                         TileLayout *out, TileReason *e);
/// Drops registers that repeat an element of other registers.
bool tile_layout_compact_regs(const TileLayout *l, TileLayout *out,
                              TileReason *e);

/// For every register of |want| the register of |have| in which the same thread
/// holds the same element. False when some thread does not hold it, or in
/// another register than others do. Both are fragments of one tile; |out_reg|
/// has room for the registers of |want|.
bool tile_layout_find_registers(const TileLayout *have, const TileLayout *want,
                                int64_t *out_reg);

//===-- Overhang: a fragment larger than its tile -------------------------===//
//
// A fragment may have more values than a tile dimension has elements, e.g. 128
// for 100 columns, by less than a factor of its top digit. Then out.extent is
// that of the tile, and an element exists where every coordinate is below it.
// Registers hold anything elsewhere: loads and stores are masked, reductions
// along the dimension begin with their neutral element there.
// tile_layout_covers speaks of all values.

/// Whether the values of |dim| exceed the tile: its coordinate needs a mask.
bool tile_layout_overhangs(const TileLayout *f, int dim);
/// Whether any dimension does.
bool tile_layout_has_overhang(const TileLayout *f);
/// Whether an evaluated point exists in the tile.
bool tile_layout_in_tile(const TileLayout *f, const int64_t *coordinate);

typedef enum {
  TILE_LAYOUT_ABSENT,  // in no thread
  TILE_LAYOUT_MASKED,  // in some threads
  TILE_LAYOUT_PRESENT, // in every thread
} TileLayoutPresence;
/// In which threads the coordinate of register |reg| in dimension |dim| is that
/// of an element. O(values that threads give the coordinate).
TileLayoutPresence tile_layout_presence(const TileLayout *f, int dim,
                                        int64_t reg);

//===-- Terms: a layout as shifts, masks, adds and XORs -------------------===//

/// One summand of an output axis: t = ((in / div) % mod) * mul, where |in| is
/// the value of |in_axis| and mod 0 means that no modulus is needed.
///
/// Where div, mod and mul are powers of two this is a shift, a mask and a
/// shift.
typedef struct {
  int out_axis, in_axis;
  int64_t div, mod, mul;
  bool is_xor;
} TileLayoutTerm;

/// The value of a constant part, see tile_layout_terms.
typedef struct {
  int64_t toggle, add;
} TileLayoutConstant;

enum { TILE_LAYOUT_MAX_CODE_TERMS = 64 };

typedef struct {
  int num_terms; // sorted by out_axis, XOR terms before the others
  TileLayoutTerm term[TILE_LAYOUT_MAX_CODE_TERMS];
  bool is_foldable[TILE_LAYOUT_MAX_AXES]; // per out axis
} TileLayoutTerms;

/// Splits |l| into terms. |constant_axes| is a mask of input axes whose values
/// are known when code is emitted, usually the registers (1 <<
/// TILE_LAYOUT_REG), or 0. They have no terms; tile_layout_constant gives their
/// part.
///
/// For one out axis let X be the XOR of its XOR terms, A the sum of the others,
/// and {toggle, add} the constant part. The rule, exact for every point:
///   value = (X ^ toggle) + A + add
/// and if |is_foldable|, so that everything but the constants is computed once:
///   value = ((X + A) ^ toggle) + add
/// Without constant axes both constants are 0 and folding the terms in order,
/// acc = is_xor ? acc ^ t : acc + t, gives the value.
/// |toggle| is 0 unless a constant axis and another one meet in one output bit
/// (a swizzle); |add| fits the immediate offset of a load.
///
/// Terms are as few as the digits allow: contiguous digits share a term.
///
/// Errors: an input axis whose strides are no divisor chain (4 and 9), XORed
/// digits whose strides share bits (a swizzle of
///         rows 136 apart), more than TILE_LAYOUT_MAX_CODE_TERMS.
bool tile_layout_terms(const TileLayout *l, unsigned constant_axes,
                       TileLayoutTerms *out, TileReason *e);
/// The constant part of |out_axis| where the axes in |constant_axes| have the
/// values |in| (one per axis; the others are not read).
TileLayoutConstant tile_layout_constant(const TileLayout *l,
                                        unsigned constant_axes, int out_axis,
                                        const int64_t *in);

//===-- Places ------------------------------------------------------------===//

/// No holder, or a gap.
enum { TILE_LAYOUT_NO_PLACE = -1 };

/// Where each element of a tile of |shape| lies, in the order of rows: of a
/// memory layout its offset in elements, of a fragment the first register that
/// holds it, plus 2^16 times its lane and 2^24 times its warp.
void tile_layout_find_places(const TileLayout *l, const int64_t *shape,
                             int rank, int64_t *out);

//===-- Text --------------------------------------------------------------===//

/// Text of |l|; known names are recognised when |elem_bits| is not 0.
/// Returns the length; the text is cut at |cap|.
int tile_layout_print(const TileLayout *l, int elem_bits, char *out, int cap);
/// Parses the text of a layout of a tile of |shape|.
bool tile_layout_parse(const char *text, const int64_t *shape, int rank,
                       int elem_bits, TileLayout *out, TileReason *e);

#ifdef __cplusplus
} // extern "C"
#endif

#endif
