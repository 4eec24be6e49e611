//===- ElementCode.h - State of the lowering of element loops -------------===//
//
// A loop becomes the code of one thread: its elements are cloned bodies whose
// accesses are rewritten. Elements come in batches; what a batch loads at known
// places stands before its bodies, what it stores after them, so that
// neighbours move in vectors and latencies overlap. Elements are independent,
// which makes that legal.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_CONVERSION_ELEMENT_CODE_H
#define TILE_CONVERSION_ELEMENT_CODE_H

#include "Analysis/Index/Index.h"
#include "Conversion/Conversion.h"
#include "Dialect/TileLayouts.h"
#include "Support/Arena.h"

enum {
  MAX_VECTOR = 16,       // elements of an access
  MAX_VECTOR_BYTES = 16, // of an access
  MAX_BATCH = 32         // elements whose loads come first
};

//===-- The kernel --------------------------------------------------------===//

typedef struct {
  TileArena *arena;
  TileBuilder b;                                // where code is emitted
  TileIntMath index;                            // of type index
  TileInt block_thread, block_lane, block_warp; // before all ops
  int64_t num_threads;        // of those that execute the loop: its role
  TileInt thread, lane, warp; // of them
} ThreadCode;

//===-- One loop ----------------------------------------------------------===//

typedef enum {
  ACCESS_REGISTER, // of a fragment: a constant
  ACCESS_OFFSET, // of a shared tile: its layout composed with that of the loop
  ACCESS_LINEAR, // indices are linear in the parallel indices, or the same
                 // along a run
  ACCESS_GENERAL // indices are computed for each element
} AccessKind;

typedef struct {
  TileElementAccess access; // in the body of the loop
  AccessKind kind;
  TileShape shape;
  MlirValue storage;                    // REGISTER, OFFSET
  const int64_t *registers;             // REGISTER: per register of the loop
  TileLayoutCode *code;                 // OFFSET
  TileLinearIndex index[TILE_MAX_RANK]; // LINEAR
  unsigned row_dims; // LINEAR: those that are not linear, as rows are that are
                     // gathered; computed once for each run
  TileInt base[TILE_MAX_RANK]; // LINEAR: of element 0 of the batch
  int64_t spread; // LINEAR: elements of a run that load one; the last index is
                  // what is linear, divided by it
  int64_t vector; // elements that move together
  bool is_early;  // load before the bodies, store after them
  bool is_early_inside; // the same in runs that satisfy the guard
} CodeAccess;

typedef struct {
  ThreadCode *code;
  TileParallelOp loop;
  int64_t num_threads;
  int rank;
  bool has_layout;
  TileLayout layout;          // of the loop
  TileLayoutCode coordinates; // of the loop: registers are constant
  bool is_plain;              // registers add constants to coordinates
  int run_dim;     // consecutive elements are neighbours in this dimension
  int64_t run;     // that many, and they start at multiples of it
  bool runs_once;  // one thread runs an element, if several hold it
  MlirValue owner; // i1: the thread stores what several compute; null: all do
  MlirValue guard; // i1, in the body: runs that satisfy it are emitted apart;
                   // null: none is
  bool in_guard;   // such a run is being emitted
  CodeAccess *accesses; // in program order
  int num_accesses;
} LoopCode;

/// An element: a register of the loop, or a place after the first one of a
/// run.
typedef struct {
  int64_t reg;
  TileInt at[TILE_MAX_RANK];    // its coordinates
  int64_t delta[TILE_MAX_RANK]; // after the base of the batch; LINEAR only
  MlirValue *values;            // per access that is early: read or to write
} Element;

/// Decides kind and vector width of every access (ElementPlans.c).
/// Errors: at the access.
MlirLogicalResult loop_code_plan(LoopCode *loop);
/// Whether `op` is an `scf.if` of the body with the guard as its condition.
bool loop_guard_is(const LoopCode *loop, MlirOperation op);

/// Emits the indices of ACCESS_LINEAR at the coordinates `base`.
void loop_code_rebase(LoopCode *loop, const TileInt *base);

/// Emits a batch (ElementBodies.c). `values` of the elements is filled in.
void loop_code_batch(LoopCode *loop, Element *elements, int count);

#endif // TILE_CONVERSION_ELEMENT_CODE_H
