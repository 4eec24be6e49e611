//===- ProtocolExtract.h - Roles of a kernel as a protocol ----------------===//
#ifndef TILE_ANALYSIS_PROTOCOL_EXTRACT_H
#define TILE_ANALYSIS_PROTOCOL_EXTRACT_H

#include "Analysis/Loops/RepeatedOps.h"
#include "Dialect/ElementLoops.h"
#include "Tile/Ops/scf.h"
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
  int likeness; // of ops on tiles: 1 + the number of those that are alike
} ExtractFunction;

typedef struct {
  TileArena *arena;
  MlirOperation kernel, specialize;
  TileProtocol *out;
  MlirOperation *channels; // tile.channel or tile.channel_barriers, in order
  Cells cells;

  int scalar_capacity;
  MlirValue *keys; // per scalar; null: made up
  ExtractFunction *functions;
  int num_functions, function_capacity;
  TileRepeatedOp *repeated; // one of those that are alike
  int num_repeated, repeated_capacity;
  // Control flow, by the op that it is made of.
  TileProtocolNode **controls;
  int num_controls, control_capacity;

  struct BarrierTable *barriers; // of a program on barriers; else NULL

  MlirOperation failed; // null, or what cannot be understood
  const char *failure;
} Extract;

/// A block that is being written.
typedef struct {
  Extract *extract;
  TileProtocolBlock *block;
  int capacity, role;
} Writer;

TileProtocolNode *extract_add_node(Writer *w, TileProtocolNodeKind kind,
                                   MlirOperation op);
/// Writes the events of a block.
void extract_write_block(Extract *extract, int role, MlirBlock block,
                         TileProtocolBlock *out);
/// The rings of a channel in either form.
TileRange extract_rings(const Extract *extract, int channel);

//===-- Barriers (ProtocolBarriers.c) -------------------------------------===//

/// The channel and side whose barrier `op` uses; false when it uses none.
bool extract_side(const Extract *extract, MlirOperation op, int *out_channel,
                  TileProtocolSide *out_side);
/// Counts and depth of a `tile.channel_barriers`.
void extract_barriers_channel(Extract *extract, MlirOperation op,
                              TileProtocolChannel *out);
/// Whether the op is one on barriers; writes its events.
bool extract_barrier_op(Writer *w, MlirOperation op);
/// Arrivals of a `tile.barrier_arrive` or `tile.barrier_expect` of a role.
int extract_num_arrivals(MlirOperation op, int num_warps);

void extract_fail(Extract *extract, MlirOperation op, const char *failure);

/// False when the windows are too many or not static: after extract_fail.
bool extract_cells_build(Extract *extract);
/// The cells of a window of a ring or of a view of it, those that it has for
/// sure when it `writes`, else all that it may have. False when `tile` is none.
bool extract_cells(const Extract *extract, MlirValue tile, bool writes,
                   int *out_channel, uint64_t *out_cells);
/// NULL when `value` is no ring of a channel, and no view of one.
const CellsRing *extract_ring_of(const Extract *extract, MlirValue value,
                                 bool *out_is_view);
uint64_t extract_ring_cells(const CellsRing *ring);
/// The cells inside a window of the slots of `ring`.
uint64_t extract_window_cells(const CellsRing *ring, const int64_t *offset,
                              const int64_t *size);

//===-- Element loops (ProtocolElements.c) --------------------------------===//

/// The window of a slot that the accesses `op` of all elements sweep together;
/// false when they do not, or it is not known. `rank` is that of the slot.
bool extract_element_window(TileParallelOp loop, MlirOperation op, int rank,
                            int64_t *offset, int64_t *size);
/// Whether the op is an element loop, or accesses one element of a ring;
/// writes its events.
bool extract_elements(Writer *w, MlirOperation op);

//===-- Control flow (ProtocolExtract.c, ProtocolSwitch.c) ----------------===//

/// Room for so many scalars.
TileProtocolScalarId *extract_ids(Extract *extract, intptr_t count);
/// A function of two scalars.
TileProtocolScalarId extract_combined(Writer *w, TileProtocolFunction function,
                                      TileProtocolScalarId a,
                                      TileProtocolScalarId b);
/// Writes branch `b` of `node`, which has its number of values: a region of
/// `op`, which may be empty.
void extract_branch(Writer *w, MlirOperation op, intptr_t region,
                    TileProtocolNode *node, int b);
/// Writes case `i` and those behind it; there is a case `i`.
TileProtocolNode *extract_switch(Writer *w, ScfIndexSwitchOp op, intptr_t i);

// ProtocolScalars.c
TileProtocolScalarId extract_scalar(Extract *extract, MlirValue value);
TileProtocolScalarId extract_constant(Extract *extract, int64_t constant);
/// The block of an `scf.execute_region` of one block, which is executed where
/// it stands; null for all other ops.
MlirBlock extract_inlined_block(MlirOperation op);
/// Makes the scalar that stands for an argument or a result of control flow.
TileProtocolScalarId extract_bound(Extract *extract, MlirValue value,
                                   TileProtocolScalarKind kind,
                                   const TileProtocolNode *node, int index);
/// What member `part` of the ops that are like number `likeness`, `op` one of
/// them, makes of `args`: of as many scalars, owned by the arena.
TileProtocolScalarId extract_function(Extract *extract, MlirOperation op,
                                      int likeness, int part,
                                      TileProtocolScalarId *args, int num_args);
/// Whether nobody in the kernel writes the tensor.
bool extract_is_read_only(const Extract *extract, MlirValue memref);

//===-- Contents of tiles (ProtocolContents.c) ----------------------------===//

/// What `tile`, as `reader` finds it, is a function of; -1 when that is not
/// known.
TileProtocolScalarId extract_contents(Extract *extract, MlirValue tile,
                                      MlirOperation reader);

#endif // TILE_ANALYSIS_PROTOCOL_EXTRACT_H
