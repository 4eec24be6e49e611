//===- Reductions.h - What reductions and scans share ---------------------===//
#ifndef TILE_CONVERSION_REDUCTIONS_H
#define TILE_CONVERSION_REDUCTIONS_H

#include "Conversion/ToNVVM/Memory/Memories.h"

//===-- Combining two values (Combines.c) ---------------------------------===//

typedef enum {
  COMBINE_ADD,
  COMBINE_MAX,
  COMBINE_MIN,
  COMBINE_AND,
  COMBINE_OR,
  COMBINE_XOR
} CombineKind;

/// How two elements become one, and in which type.
typedef struct {
  CombineKind kind;
  bool takes_abs; // of what is read, not of results
  MlirType type;  // f32, f64, i32 or i64
} Combine;

Combine combine_of_reduce(TileReduceKind kind, MlirType src, MlirType dst);
Combine combine_of_scan(TileScanKind kind, MlirType src, MlirType dst);
/// A stored `element` as an operand.
MlirValue combine_take(Lowering *l, const Combine *combine, MlirValue stored,
                       MlirType element);
/// The same of an earlier result: without the absolute value.
MlirValue combine_take_result(Lowering *l, const Combine *combine,
                              MlirValue stored, MlirType element);
MlirValue combine(Lowering *l, const Combine *combine, MlirValue x,
                  MlirValue y);
/// What changes no other operand, of `combine->type`.
MlirValue combine_neutral(Lowering *l, const Combine *combine);
/// The value as `element` is stored.
MlirValue combine_stored(Lowering *l, const Combine *combine, MlirValue value,
                         MlirType element);

//===-- Between lanes (Combines.c) ----------------------------------------===//

/// The value of another lane of the run of `group` lanes (a power of two).
/// `offset` is the distance (bfly, up) or the lane in the run (idx). Every lane
/// of the warp executes it.
MlirValue lane_exchange_xor(Lowering *l, MlirValue value, int64_t offset);
MlirValue lane_exchange_up(Lowering *l, MlirValue value, int64_t offset,
                           int64_t group);
MlirValue lane_broadcast(Lowering *l, MlirValue value, int64_t lane,
                         int64_t group);
/// Combines the values of all lanes that differ in bits of `mask` only; all of
/// them get the result, smallest distance first.
MlirValue combine_lanes(Lowering *l, const Combine *combine, MlirValue value,
                        unsigned mask);

//===-- Lines of shared tiles (Lines.c) -----------------------------------===//

/// The threads of the block take the lines of a tile along `dim` in turn, each
/// line by a run of `group` lanes.
typedef struct {
  TileShape shape;
  int dim;
  int64_t extent;    // along dim
  int64_t num_lines; // product of the other extents
  int64_t group;     // lanes per line: a power of two, at most `extent`
  int64_t per_round; // lines that the block takes at once
  int64_t num_rounds;
} Lines;

void lines_plan(Lowering *l, const TileShape *shape, int dim, Lines *out);

/// One line, and one lane of its run.
typedef struct {
  TileInt at[TILE_MAX_RANK]; // coordinates; `dim` is the caller's
  TileInt lane;              // in the run
  MlirValue active;          // the line exists; null: known
} Line;

/// Emits `body` for every line of every run. All threads execute it, also those
/// whose line does not exist: they work on the first one and store nothing.
typedef void (*LineBody)(Lowering *l, MlirOperation op, const Lines *lines,
                         const Line *line, void *user_data);
void lines_emit(Lowering *l, MlirOperation op, const Lines *lines,
                LineBody body, void *user_data);

//===-- Elements ----------------------------------------------------------===//

/// The element of shared memory at `at`, as stored; anything where `predicate`
/// (null: true) does not hold.
MlirValue element_load(Lowering *l, MlirOperation op, const View *view,
                       const TileInt *at, MlirValue predicate);
/// Stores it where `predicate` holds (null: always).
void element_write(Lowering *l, MlirOperation op, const View *view,
                   const TileInt *at, MlirValue stored, MlirValue predicate);

// FragmentReductions.c
void reduce_from_fragment(Lowering *l, TileReduceOp reduce, const View *src,
                          const View *dst);
void reduce_into_fragment(Lowering *l, TileReduceOp reduce, const View *src,
                          const View *dst);

// FragmentScans.c
/// Scans a fragment into one of the same layout, without shared memory.
void scan_fragment(Lowering *l, TileScanOp scan, const View *src,
                   const View *dst);

#endif // TILE_CONVERSION_REDUCTIONS_H
