//===- MetadataSlice.h - What a host function computes for its launches ---===//
//
// The table `values` of the launch metadata (docs/Metadata.md): the operands of
// launches and everything they are computed from, in dependence order.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_TARGET_METADATA_SLICE_H
#define TILE_LIB_TARGET_METADATA_SLICE_H

#include "Support/StringBuilder.h"
#include "mlir-c/IR.h"
#include <stdbool.h>
#include <stdint.h>

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

/// Rows so far. `_init` borrows the entry block of the host function.
typedef struct {
  MlirBlock entry;
  MlirOperation user; // for errors: the launch or requirement in progress
  int depth;          // of the ops between `user` and the current one
  TileSliceRow *rows;
  int num_rows, row_capacity;
  TileSliceKnown *known;
  int num_known, known_capacity;
} TileSlice;

void tile_slice_init(TileSlice *slice, MlirBlock entry);
void tile_slice_deinit(TileSlice *slice);

/// The row of `value`; -1 after an error at the op that cannot be computed.
int tile_slice_value(TileSlice *slice, MlirValue value);

/// The number of the host function's argument that `value` is; -1: none.
int tile_slice_arg(const TileSlice *slice, MlirValue value);

/// Rows that the IR does not name. All are of type index but `_equal` (i1).
int tile_slice_constant(TileSlice *slice, int64_t value);
int tile_slice_extent(TileSlice *slice, int arg, int dim);
int tile_slice_stride(TileSlice *slice, int arg, int dim);
int tile_slice_binary(TileSlice *slice, const char *op, int a, int b);
int tile_slice_equal(TileSlice *slice, int a, int b);
int tile_slice_and(TileSlice *slice, int a, int b);

/// Appends the row as one JSON object.
void tile_slice_print_row(const TileSlice *slice, int row, TileString *out);

#endif // TILE_LIB_TARGET_METADATA_SLICE_H
