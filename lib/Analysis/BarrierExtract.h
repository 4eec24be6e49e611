//===- BarrierExtract.h - Kernels as programs on barriers -----------------===//
#ifndef TILE_ANALYSIS_BARRIER_EXTRACT_H
#define TILE_ANALYSIS_BARRIER_EXTRACT_H

#include "Analysis/Sync/Sync.h"
#include "BarrierProgram.h"
#include "ProtocolExtract.h"
#include "Tile/Ops/scf.h"

typedef struct {
  MlirValue memref;
  int role;
  TileProtocolScalarId scalar;
} BarrierVariable;

/// What is known of a kernel while its program is written.
typedef struct BarrierTable {
  TileArena *arena;
  Extract *extract;
  BarrierProgram *program;
  const TileSyncPlan *plan; // its points count as if they stood there
  bool is_of_roles;
  MlirValue *rows; // per channel of the protocol
  int row_capacity;
  BarrierVariable *variables;
  int num_variables, variable_capacity;
} BarrierTable;

/// Whether the op is none of control flow; writes its events.
bool extract_program_op(Writer *w, MlirOperation op);
// BarrierWindows.c
/// Writes the accesses of an op to shared tiles.
void extract_program_accesses(Writer *w, MlirOperation op);
/// The same of an element loop or of one element; false when it is neither.
bool extract_program_elements(Writer *w, MlirOperation op);
/// Writes a loop of copies as one fill of each tile; false for other ops.
bool extract_program_parts(Writer *w, MlirOperation op);
/// Finds out which of the tiles have bytes in common; behind all accesses.
void extract_program_bytes(BarrierTable *t);
/// The channel that stands for a row of mbarriers, or -1.
int extract_row_of(const Extract *extract, MlirValue barrier);

#endif // TILE_ANALYSIS_BARRIER_EXTRACT_H
