//===- Metadata.h - Shared by the files that print launch metadata --------===//
//
// The table `values` of the launch metadata (docs/Metadata.md) is a slice of
// the host function: the operands of launches and everything they are computed
// from, in dependence order.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_TARGET_METADATA_H
#define TILE_TARGET_METADATA_H

#include "Emit.h"
#include "Support/JsonWriter.h"
#include "Support/KeyTable.h"
#include <stdint.h>

//===-- The slice: MetadataSlice.c ----------------------------------------===//

enum { TILE_SLICE_MAX_OPERANDS = 3 };

/// One row. Rows are compared as a whole, so that equal values are one row.
typedef struct {
  const char *op; // static, as in docs/Metadata.md
  char type[8];
  int num_operands;
  int operands[TILE_SLICE_MAX_OPERANDS]; // rows
  int predicate;                         // arith.cmpi; else -1
  int arg, dim;                          // -1: does not apply
  bool is_float;                         // constants
  int64_t integer;
  double real;
} TileSliceRow;

typedef struct {
  MlirValue value;
  int row;
} TileSliceKnown;

/// Rows so far.
typedef struct {
  TileArena *arena;
  MlirBlock entry;
  MlirOperation user; // for errors: the launch or requirement in progress
  int depth;          // of the ops between `user` and the current one
  TileKeyTable keys;  // of the rows
  TileSliceRow *rows;
  int row_capacity;
  TileKeyTable known; // values that have a row
  TileSliceKnown *known_rows;
  int known_capacity;
} TileSlice;

/// An empty slice; borrows the entry block of the host function.
TileSlice tile_slice_of(TileArena *arena, MlirBlock entry);

/// The row of `value`; -1 after an error at the op that cannot be computed.
int tile_slice_value(TileSlice *slice, MlirValue value);

/// The number of the host function's argument that `value` is; -1: none.
int tile_slice_arg(const TileSlice *slice, MlirValue value);

/// Rows of type index that the IR does not name.
int tile_slice_constant(TileSlice *slice, int64_t value);
int tile_slice_extent(TileSlice *slice, int arg, int dim);
int tile_slice_stride(TileSlice *slice, int arg, int dim);
int tile_slice_binary(TileSlice *slice, const char *op, int a, int b);

/// An i1: the strides of the memref are those that its extents say. -1: its
/// type says so.
int tile_slice_contiguous(TileSlice *slice, int arg);

/// Prints the rows as an array of objects.
void tile_slice_print(const TileSlice *slice, TileJson *json, const char *key);

//===-- Launches: MetadataLaunches.c --------------------------------------===//

/// A host function in progress.
typedef struct {
  MlirOperation function;
  MlirBlock entry;
  const TileMetadataOptions *options;
  TileSlice slice;
  bool *is_written; // per argument: some kernel may write it
  // Arrays, in texts of their own: rows that they name are printed before them.
  TileString requires_text, launches_text;
  TileJson
    requires,
  launches;
} TileHost;

/// Prints what the object of a variant says of its gpu.launch_func `op`, and
/// notes what its kernel may write.
MlirLogicalResult tile_host_print_launch(TileHost *host, MlirOperation op,
                                         TileJson *json);

#endif // TILE_TARGET_METADATA_H
