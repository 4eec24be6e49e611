//===- Metadata.h - Shared by the files that print launch metadata --------===//
//
// The table `values` of the launch metadata (docs/Metadata.md) is a slice of
// the host function: the operands of launches and everything they are computed
// from, in dependence order.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_TARGET_METADATA_H
#define TILE_TARGET_METADATA_H

#include "Dialect/KernelParams.h"
#include "Dialect/Ops.h"
#include "Emit.h"
#include "Support/Diagnostics.h"
#include "Support/JsonWriter.h"
#include "Support/KeyTable.h"
#include <stdint.h>

//===-- The slice: MetadataSlice.c ----------------------------------------===//

enum { TILE_SLICE_MAX_OPERANDS = 3 };

/// Of integers, numbered as in the arith dialect.
typedef enum {
  TILE_SLICE_EQ = 0,
  TILE_SLICE_NE = 1,
  TILE_SLICE_SLT = 2,
  TILE_SLICE_SLE = 3,
  TILE_SLICE_SGE = 5,
  TILE_SLICE_NUM_PREDICATES = 10
} TileSlicePredicate;

/// One row. Rows are compared as a whole, so that equal values are one row.
typedef struct {
  const char *op; // static, as in docs/Metadata.md
  char type[8];
  int num_operands;
  int operands[TILE_SLICE_MAX_OPERANDS]; // rows
  int predicate;                         // comparisons; else -1
  int arg, dim;                          // -1: does not apply
  bool is_float;                         // constants
  bool is_variable; // depends on what the program sets while it runs
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
  MlirOperation user; // for errors: what needs the current row
  int depth;          // of the ops between `user` and the current one
  TileKeyTable keys;  // of the rows
  TileSliceRow *rows;
  int row_capacity;
  TileKeyTable known; // values that have a row
  TileSliceKnown *known_rows;
  int known_capacity;
  TilePointerMap memrefs; // TileHostMemref of values
  int num_variables;
  bool is_version_2; // some row is none of version 1
} TileSlice;

/// An empty slice; borrows the entry block of the host function.
static inline TileSlice tile_slice_of(TileArena *arena, MlirBlock entry) {
  return (TileSlice){.arena = arena,
                     .entry = entry,
                     .keys.arena = arena,
                     .known.arena = arena,
                     .memrefs.arena = arena};
}

/// The row of `value`; -1 after an error at the op that cannot be computed.
int tile_slice_value(TileSlice *slice, MlirValue value);

/// Says that `value`, which has none yet, has this row.
static inline void tile_slice_set(TileSlice *slice, MlirValue value, int row) {
  uint64_t hash = tile_hash_word(TILE_HASH_START, (uintptr_t)value.ptr);
  TileKeySearch search = tile_key_search(&slice->known, hash);
  while (tile_key_next(&search))
    ; // values of other rows that have the same hash
  TILE_ARENA_RESERVE(slice->arena, slice->known_rows, slice->known.count,
                     slice->known_capacity);
  slice->known_rows[tile_key_add(&search)] = (TileSliceKnown){value, row};
}

/// Emits that `op` cannot be computed, with a note at the user. Returns -1.
static inline int tile_slice_fail(TileSlice *slice, MlirOperation op) {
  if (mlirOperationEqual(op, slice->user))
    tile_emit_error(op, "cannot be computed on the host of a launch; "
                        "docs/Metadata.md lists what can");
  else
    tile_emit_error_with_note(op, mlirOperationGetLocation(slice->user),
                              "needed here",
                              "cannot be computed on the host of a launch; "
                              "docs/Metadata.md lists what can");
  return -1;
}

/// The spelling of a type in the table; false when it has none.
bool tile_slice_type_name(MlirType type, char out[8]);

/// The number of the host function's argument that `value` is; -1: none.
int tile_slice_arg(const TileSlice *slice, MlirValue value);

// Rows that the IR does not name. They are of type index, comparisons and
// their conjunctions of type i1. A failed operand, -1, makes a failed row, so
// that calls can be nested.
int tile_slice_constant(TileSlice *slice, int64_t value);
int tile_slice_binary(TileSlice *slice, const char *op, int a, int b);
int tile_slice_compare(TileSlice *slice, TileSlicePredicate predicate, int a,
                       int b);
int tile_slice_and(TileSlice *slice, int a, int b);
int tile_slice_select(TileSlice *slice, int condition, int a, int b);
/// `arg`, `dim`: -1 where they do not apply.
int tile_slice_leaf(TileSlice *slice, const char *op, int arg, int dim);
/// One that the program sets while it runs.
int tile_slice_variable(TileSlice *slice, const char *type);

bool tile_slice_constant_is(const TileSlice *slice, int row, int64_t *out);

/// Prints the rows as an array of objects.
void tile_slice_print(const TileSlice *slice, TileJson *json, const char *key);

//===-- Memrefs: MetadataMemrefs.c ----------------------------------------===//

enum { TILE_HOST_MAX_RANK = TILE_KERNEL_PARAM_MAX_RANK };

/// What a memref of the host is made of, as rows; arguments have none of it.
typedef struct {
  int base;                        // an address in bytes
  int offset;                      // of the first element, in elements
  int sizes[TILE_HOST_MAX_RANK];   // also of static extents
  int strides[TILE_HOST_MAX_RANK]; // in elements
} TileHostMemref;

/// Whether parts of `memref` are known: it is an argument or was added.
bool tile_slice_has_memref(const TileSlice *slice, MlirValue memref);
/// Room for the parts of `memref`, which has none yet.
TileHostMemref *tile_slice_add_memref(TileSlice *slice, MlirValue memref);

// Parts of an argument or of a memref that was added; -1 after an error at the
// op that made another one.
int tile_slice_extent(TileSlice *slice, MlirValue memref, int dim);
int tile_slice_stride(TileSlice *slice, MlirValue memref, int dim);
int tile_slice_base(TileSlice *slice, MlirValue memref);
int tile_slice_offset(TileSlice *slice, MlirValue memref);
/// The address of the first element.
int tile_slice_pointer(TileSlice *slice, MlirValue memref);

/// Whether the host of a launch has memrefs of the type; the error otherwise;
/// the name of the type of their elements.
bool tile_host_memref_is(MlirType type);
MlirLogicalResult tile_host_refuse_memref(MlirOperation op, MlirType type);
const char *tile_host_dtype_of(MlirValue memref);

/// An i1: the strides of the memref are those that its extents say. -1: its
/// type says so.
int tile_slice_contiguous(TileSlice *slice, MlirValue memref);

//===-- Host functions ----------------------------------------------------===//

/// A memref.global that the function uses.
typedef struct TileHostGlobal TileHostGlobal;
struct TileHostGlobal {
  TileHostGlobal *next; // in the order of use
  MlirOperation op;
};

/// What is to be released after an op: workspaces that nothing uses later.
typedef struct TileHostRelease TileHostRelease;
struct TileHostRelease {
  TileHostRelease *next;
  int alloc; // its number
};

/// A host function in progress.
typedef struct {
  MlirOperation function;
  MlirBlock entry;
  const TileMetadataOptions *options;
  TileSlice slice;
  bool *is_written; // per argument: some kernel may write it
  // Arrays, in texts of their own: rows that they name are printed before them.
  TileString requires_text, launches_text, body_text, results_text;
  TileJson
    requires,
  launches, body, results;
  int depth; // of ops with regions around the current one
  int num_launches, num_allocs;
  bool needs_body; // launches in order do not say all
  bool has_results;
  TileHostGlobal *globals, **globals_end;
  TilePointerMap releases; // TileHostRelease of ops
} TileHost;

/// Prints what the object of a variant says of its gpu.launch_func `op`, and
/// notes what its kernel may write: MetadataLaunches.c.
MlirLogicalResult tile_host_print_launch(TileHost *host, MlirOperation op,
                                         TileJson *json);

/// Adds the memref that `op` makes of others; what is not known now is checked
/// at run time: MetadataViews.c.
MlirLogicalResult tile_host_add_view(TileHost *host, MlirOperation op);

/// Whether `op` makes a memref of others, without touching memory:
/// MetadataAliases.c, as what follows.
bool tile_host_view_is(MlirOperation op);
/// Notes that what `memref` is a view of is written.
void tile_host_note_write(TileHost *host, MlirValue memref);
/// The same of memrefs whose addresses `number` is computed from.
void tile_host_note_addresses(TileHost *host, MlirValue number);
/// When a new workspace is used last, and whether it is returned.
void tile_host_plan_release(TileHost *host, MlirOperation alloc, int number,
                            bool *out_is_returned);

/// Prints the program of the function: MetadataProgram.c.
MlirLogicalResult tile_host_print_program(TileHost *host);

/// Adds an op that takes, frees, moves, reads or sets memory; false: it is none
/// of these: MetadataMemory.c.
bool tile_host_add_memory_op(TileHost *host, MlirOperation op,
                             MlirLogicalResult *out_result);

/// Begins the object of an op in `body`: MetadataBody.c, as what follows.
void tile_host_open_op(TileHost *host, MlirOperation op, const char *name);
void tile_host_close_op(TileHost *host);
void tile_host_print_rows(TileJson *json, const char *key, const int *rows,
                          int count);
/// A condition that must hold where the program has come to. `actual`, `other`:
/// numbers that it is about, -1 where there are none.
typedef struct {
  MlirOperation op;
  int condition, actual, other;
  const char *text;
} TileHostCheck;
void tile_host_print_check(TileHost *host, const TileHostCheck *check);
void tile_host_print_check_numbers(TileJson *json, const TileHostCheck *check);

/// Prints the globals of the function as an array: MetadataGlobals.c.
MlirLogicalResult tile_host_print_globals(const TileHost *host, TileJson *json);

#endif // TILE_TARGET_METADATA_H
