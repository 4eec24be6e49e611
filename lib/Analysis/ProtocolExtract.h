//===- ProtocolExtract.h - Roles of a kernel as a protocol ----------------===//
#ifndef TILE_ANALYSIS_PROTOCOL_EXTRACT_H
#define TILE_ANALYSIS_PROTOCOL_EXTRACT_H

#include "Tile/Analysis.h"
#include "Tile/Protocol.h"

//===-- Windows of slots (ProtocolCells.c) --------------------------------===//

enum { CELLS_MAX_CUTS = 16 };

/// A ring, cut where a window of it begins or ends.
typedef struct {
  MlirValue ring;
  int channel;
  int rank; // without the stage
  int num_cuts[TILE_MAX_RANK];
  int64_t cuts[TILE_MAX_RANK][CELLS_MAX_CUTS]; // ascending
  int first_cell;                              // of the channel
} CellsRing;

typedef struct {
  CellsRing *rings;
  int num_rings, capacity;
} Cells;

//===-- State -------------------------------------------------------------===//

/// Equal functions of equal arguments are equal values.
typedef struct {
  MlirIdentifier name;
  MlirType type;
  MlirAttribute attribute; // or null
  intptr_t result;
} ExtractFunction;

typedef struct {
  TileArena *arena;
  MlirOperation kernel, specialize;
  TileProtocol *out;
  MlirOperation *channels; // tile.channel, in program order
  Cells cells;

  int scalar_capacity;
  MlirValue *keys; // per scalar; null: made up
  ExtractFunction *functions;
  int num_functions, function_capacity;
  // Control flow, by the op that it is made of.
  TileProtocolNode **controls;
  int num_controls, control_capacity;

  MlirOperation failed; // null, or what cannot be understood
  const char *failure;
} Extract;

void extract_fail(Extract *extract, MlirOperation op, const char *failure);

/// False when the windows are too many or not static: after extract_fail.
bool extract_cells_build(Extract *extract);
/// The cells of a window of a ring; 0 when `tile` is none.
uint64_t extract_cells(const Extract *extract, MlirValue tile,
                       int *out_channel);

// ProtocolScalars.c
TileProtocolScalarId extract_scalar(Extract *extract, MlirValue value);
TileProtocolScalarId extract_constant(Extract *extract, int64_t constant);
/// Makes the scalar that stands for an argument or a result of control flow.
TileProtocolScalarId extract_bound(Extract *extract, MlirValue value,
                                   TileProtocolScalarKind kind,
                                   const TileProtocolNode *node, int index);

#endif // TILE_ANALYSIS_PROTOCOL_EXTRACT_H
