//===- WsEmit.h - Writing the program of a role ---------------------------===//
//
// Shared by the files of tile-ws-tiled. A role is emitted by one walk over the
// statements of the kernel (Analysis/RolePlan.h): verbs at their places, the
// ops that the role executes, and control flow that carries the positions of
// the channels which move in it.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_TRANSFORMS_WS_EMIT_H
#define TILE_TRANSFORMS_WS_EMIT_H

#include "RolePlan.h"
#include "Support/Build.h"

/// Where a role stands in a channel.
typedef struct {
  MlirValue slot, parity; // i32
  MlirValue index;        // the slot as index; null: not made yet
} WsPosition;

/// What both roles share.
typedef struct {
  const TileRolePlan *plan;
  TilePointerMap ring_of; // TileRoleBuffer to the MlirValue of its ring
  MlirValue *channels;    // by number
  uint8_t *is_shared;     // by statement: stands before the roles
  TilePointerMap own_of;  // shared tile to the MlirValue that the producer has
} WsShared;

typedef struct {
  const WsShared *shared;
  const TileRolePlan *plan;
  TileRoleKind role;
  TileBuilder b;
  MlirxMapping map; // from the kernel to the role
  WsPosition *positions;
} WsEmit;

/// WsEmit.c: emits the statements of `block` at the end of `into`.
void ws_emit_block(WsEmit *e, const TileRoleBlock *block, MlirBlock into);
/// The value of the role for one of the kernel.
static inline MlirValue ws_value(const WsEmit *e, MlirValue value) {
  return mlirxMappingGet(e->map, value);
}
/// Copies of the attributes of `op` that the role keeps.
void ws_keep_attributes(WsEmit *e, MlirOperation op, MlirOperation *clone);

/// WsControl.c: emits a statement with blocks at the end of `into`.
void ws_emit_control(WsEmit *e, const TileRoleNode *node, MlirBlock into);

/// WsRotate.c: decides which loops of the consumer stay pipelined, and says why
/// of the others that hold dependent products; whether its warpgroups take
/// turns.
void ws_rotate(const TileRolePlan *plan, MlirOperation role);

/// WsSlots.c: makes `op`, a clone of the statement's op at the insertion point,
/// use slots of rings where it uses tiles that became rings.
void ws_use_slots(WsEmit *e, MlirOperation op);
/// Makes `op`, a clone at the insertion point, use the producer's own tiles.
void ws_use_own(WsEmit *e, MlirOperation op);
/// The slot of the current position of a channel, as index.
MlirValue ws_slot_index(WsEmit *e, int channel);
/// Emits a read of a tile as a read of the tensor that the tile copies.
void ws_emit_forwarded(WsEmit *e, const TileRoleNode *node);
/// Makes the clone of `loop`, an element loop of the kernel, do that for its
/// loads. Moves the insertion point to the end of the block.
void ws_forward_loads(WsEmit *e, MlirOperation loop);

#endif // TILE_TRANSFORMS_WS_EMIT_H
