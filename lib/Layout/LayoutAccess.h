//===- LayoutAccess.h - What an access, a conversion or a TMA copy costs --===//
//
// Costs are integers, in quarter cycles of one SM, summed over the warps that
// take part: shared wavefront 4, shuffle 4, ALU instruction 1, barrier 120.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LAYOUT_ACCESS_H
#define TILE_LAYOUT_ACCESS_H

#include "Layout.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  TILE_LAYOUT_COST_WAVE = 4,
  TILE_LAYOUT_COST_SHFL = 4,
  TILE_LAYOUT_COST_ALU = 1,
  TILE_LAYOUT_COST_BAR = 120
};

//===-- Register <-> shared or global -------------------------------------===//

typedef enum {
  TILE_LAYOUT_SIMT,
  TILE_LAYOUT_LDMATRIX,
  TILE_LAYOUT_LDMATRIX_TRANS
} TileLayoutMove;

typedef struct {
  TileLayoutMove move;  // best legal instruction (ldmatrix also means stmatrix)
  int vec_elems;        // elements per thread and SIMT instruction
  int64_t instructions; // per warp
  int64_t wavefronts;   // per warp, all instructions
  int64_t ideal;        // the same without conflicts
  int64_t sectors;      // global: 32-byte sectors per warp, all instructions
  int64_t cost;         // all warps
} TileLayoutAccess;

/// |f| moves the tile from or to shared layout |s|. |allow_matrix| permits
/// ldmatrix / stmatrix. Layouts that do not compose are an estimate: elements
/// are found by their coordinates.
bool tile_layout_shared_access(const TileLayout *f, const TileLayout *s,
                               int elem_bits, bool allow_matrix,
                               TileLayoutAccess *out, TileReason *e);
/// The same for row-major global memory whose last tile dimension is
/// contiguous; |row_align| is the alignment of a row in bytes (16 if TMA-able).
bool tile_layout_global_access(const TileLayout *f, int elem_bits,
                               int row_align, TileLayoutAccess *out,
                               TileReason *e);
/// Whether ldmatrix and stmatrix move the composed access (reg, lane, warp) ->
/// o: matrices of eight rows of 16 bytes, four lanes of 32 bits a row.
bool tile_layout_is_matrix_access(const TileLayout *access, int elem_bits);
/// Widest vector of the composed access (reg, lane, warp) -> o, in elements.
int tile_layout_vector_width(const TileLayout *access, int elem_bits);
/// The same, at most |width|, where registers r, r + 1, … hold the elements of
/// a vector in this order.
int tile_layout_ordered_width(const TileLayout *access, int width);
/// The same as tile_layout_vector_width of |access|, of memory |s| by |f|,
/// where |f| may overhang: of every vector all elements exist or none.
int tile_layout_masked_width(const TileLayout *f, const TileLayout *s,
                             const TileLayout *access, int elem_bits);

//===-- Fragment to fragment ----------------------------------------------===//

typedef enum {
  TILE_LAYOUT_CONV_NONE,     // the destination is contained in the source
  TILE_LAYOUT_CONV_REGISTER, // other register numbers only, same thread
  TILE_LAYOUT_CONV_SELECT, // same thread, register number depends on the thread
  TILE_LAYOUT_CONV_SHUFFLE, // inside the warp
  TILE_LAYOUT_CONV_SHARED,  // through shared memory
} TileLayoutConvKind;

typedef struct {
  TileLayoutConvKind kind;
  int64_t alu, shuffles; // per warp
  int piece_elems;    // all but SHARED: elements that move together in order,
                      // at most 32 bits or 1
  TileLayout route;   // all but SHARED: destination (reg, lane, warp) ->
                      // the source (reg, lane, warp) that holds its element
  TileLayout staging; // TILE_LAYOUT_CONV_SHARED: the staging layout
  TileLayoutAccess store, load;
  int64_t shared_bytes;
  int64_t cost; // all warps
} TileLayoutConversion;

bool tile_layout_plan_conversion(const TileLayout *src, const TileLayout *dst,
                                 int elem_bits, TileLayoutConversion *out,
                                 TileReason *e);
/// How far an element moves in a conversion.
typedef enum {
  TILE_LAYOUT_REACH_NEVER,  // tiles or warps differ
  TILE_LAYOUT_REACH_THREAD, // between registers of a thread
  TILE_LAYOUT_REACH_WARP,   // between lanes of a warp
  TILE_LAYOUT_REACH_CTA,    // across warps
} TileLayoutReach;
/// Plans a conversion without shared memory; fills |out| for THREAD and WARP.
TileLayoutReach tile_layout_plan_route(const TileLayout *src,
                                       const TileLayout *dst, int elem_bits,
                                       TileLayoutConversion *out,
                                       TileReason *e);
const char *tile_layout_conv_name(TileLayoutConvKind kind);

//===-- TMA ---------------------------------------------------------------===//

enum { TILE_LAYOUT_MAX_BOX_RANK = 5 };

typedef struct {
  int swizzle; // 128, 64, 32, 0 = none
  int rank;    // tile dimensions
  int64_t
      box[TILE_LAYOUT_MAX_AXES]; // extents, indexed like the tile dimensions
  int64_t count;                 // boxes in the sequence
  // Box i starts at tile coordinate |step|(i) and at element offset |at|(i):
  // one digit layout (i) -> (d0.., o), so both are unrolled by evaluation.
  TileLayout coords, offsets;
} TileLayoutTma;

/// Derives the box sequence that fills (or drains) |s| from a global tile whose
/// dimension |contiguous| (usually the last) has stride 1.
bool tile_layout_derive_tma(const TileLayout *s, int elem_bits, int contiguous,
                            TileLayoutTma *out, TileReason *e);

#ifdef __cplusplus
} // extern "C"
#endif

#endif
