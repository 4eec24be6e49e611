//===- Loops.h - Loops of copies ------------------------------------------===//
#ifndef TILE_ANALYSIS_LOOPS_H
#define TILE_ANALYSIS_LOOPS_H

#include "Dialect/Ops.h"

/// Whether `op` is an `scf.for` that does nothing but copy from tensors to
/// parts of shared tiles, fill parts, under conditions, and compute what that
/// takes.
bool tile_copy_loop_is(MlirOperation op);
/// And all of its copies are to be done by cp.async, none is under way, and all
/// may be at once: no two of its writes go to one place, but on paths that
/// exclude each other.
bool tile_copy_loop_is_cp_async(MlirOperation op);
/// Whether threads load and store some of its copies themselves.
bool tile_copy_loop_is_plain(MlirOperation op);
/// Makes all copies in it asynchronous: a group behind the loop takes them in.
void tile_copy_loop_set_async(MlirOperation op);

/// What a loop of copies fills of one tile: a box, in elements, of which each
/// iteration fills a part that no other does.
typedef struct {
  int64_t begin[TILE_MAX_RANK], end[TILE_MAX_RANK];
  bool is_sure; // on every path
  bool is_once; // at most once on every path
} TileCopyLoopFill;
/// False when `op` is no loop of copies, its bounds are not constant, or what
/// it writes of the tile `root` has another form. `is_ring`: of one slot of a
/// ring, which dimension 0 names; the box has no numbers for that.
bool tile_copy_loop_fill(MlirOperation op, MlirValue root, bool is_ring,
                         TileCopyLoopFill *out_fill);

#endif // TILE_ANALYSIS_LOOPS_H
