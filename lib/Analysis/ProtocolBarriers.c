//===- ProtocolBarriers.c - Roles on mbarriers as a protocol --------------===//
//
// What `tile-lower-channels` makes of channels, and what users write by hand:
// waits, arrivals and expected bytes on two rows of mbarriers, which
// `tile.channel_barriers` ties to the rings whose slots they guard.
//
//===----------------------------------------------------------------------===//

#include "ProtocolExtract.h"

//===-- Which channel -----------------------------------------------------===//

bool extract_side(const Extract *extract, MlirOperation op, int *out_channel,
                  TileProtocolSide *out_side) {
  if (!tile_barrier_wait_is(op) && !tile_barrier_arrive_is(op) &&
      !tile_barrier_expect_is(op))
    return false;
  MlirValue barrier = mlirOperationGetOperand(op, 0);
  for (int c = 0; c < extract->out->num_channels; c++) {
    if (!tile_channel_barriers_is(extract->channels[c]))
      continue;
    TileChannelBarriersOp channel =
        tile_channel_barriers_cast(extract->channels[c]);
    bool is_full = mlirValueEqual(barrier, tile_channel_barriers_full(channel));
    if (!is_full &&
        !mlirValueEqual(barrier, tile_channel_barriers_empty(channel)))
      continue;
    *out_channel = c;
    *out_side = is_full ? TILE_PROTOCOL_FULL : TILE_PROTOCOL_EMPTY;
    return true;
  }
  return false;
}

//===-- Counts ------------------------------------------------------------===//

// Arrivals that the one initialisation of a barrier announces; 0 when there is
// none, or more than one.
static int init_count(MlirValue barrier) {
  int count = 0, num_inits = 0;
  for (MlirOpOperand use = mlirValueGetFirstUse(barrier);
       !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (!tile_barrier_init_is(user))
      continue;
    count = (int)tile_barrier_init_arrivals(tile_barrier_init_cast(user));
    num_inits++;
  }
  return num_inits == 1 ? count : 0;
}

void extract_barriers_channel(Extract *extract, MlirOperation op,
                              TileProtocolChannel *out) {
  TileChannelBarriersOp channel = tile_channel_barriers_cast(op);
  MlirValue full = tile_channel_barriers_full(channel);
  TileShape ring;
  out->full_count = init_count(full);
  out->empty_count = init_count(tile_channel_barriers_empty(channel));
  if (tile_shape_of(tile_range_first(tile_channel_barriers_rings(channel)),
                    &ring))
    out->depth = (int)ring.extent[0];
  if (!out->full_count || !out->empty_count)
    extract_fail(extract, op, "has barriers that are not initialised once");
  if (out->depth < 1 || out->depth > TILE_PROTOCOL_MAX_DEPTH)
    extract_fail(extract, op, "has more slots than can be followed");
}

int extract_num_arrivals(MlirOperation op, int num_warps) {
  if (tile_barrier_expect_is(op))
    return tile_barrier_expect_no_arrival(tile_barrier_expect_cast(op)) ? 0 : 1;
  TileBarrierArriveOp arrive = tile_barrier_arrive_cast(op);
  if (mlirAttributeIsNull(tile_barrier_arrive_by_attr(arrive)))
    return 32 * num_warps;
  switch (tile_barrier_arrive_by(arrive)) {
  case TILE_ARRIVAL_Warps:
    return num_warps;
  case TILE_ARRIVAL_Leader:
    return 1;
  case TILE_ARRIVAL_Threads:
  case TILE_ARRIVAL_CpAsync:
    break;
  }
  return 32 * num_warps;
}

//===-- Events ------------------------------------------------------------===//

static bool is_by(MlirOperation op, TileArrival by) {
  if (!tile_barrier_arrive_is(op))
    return false;
  TileBarrierArriveOp arrive = tile_barrier_arrive_cast(op);
  return mlirAttributeIsNull(tile_barrier_arrive_by_attr(arrive))
             ? by == TILE_ARRIVAL_Threads
             : tile_barrier_arrive_by(arrive) == by;
}

static int num_warps_around(MlirOperation op) {
  while (!tile_role_is(op))
    op = mlirOperationGetParentOperation(op);
  return (int)tile_role_warps(tile_role_cast(op));
}

// Whether the threads of the role have met, and done nothing since but arrive.
static bool follows_meeting(MlirOperation op) {
  bool have_met = false;
  for (MlirOperation at = mlirBlockGetFirstOperation(mlirOperationGetBlock(op));
       !mlirOperationEqual(at, op); at = mlirOperationGetNextInBlock(at))
    if (tile_barrier_sync_is(at))
      have_met = mlirAttributeIsNull(
          tile_barrier_sync_threads_attr(tile_barrier_sync_cast(at)));
    else if (!tile_barrier_arrive_is(at) && !tile_barrier_expect_is(at) &&
             !mlirxIsMemoryEffectFree(at))
      have_met = false;
  return have_met;
}

bool extract_barrier_op(Writer *w, MlirOperation op) {
  int channel = -1;
  TileProtocolSide side;
  if (!extract_side(w->extract, op, &channel, &side))
    return false;
  bool waits = tile_barrier_wait_is(op);
  TileProtocolNodeKind kind = TILE_PROTOCOL_ARRIVE;
  if (waits)
    kind = TILE_PROTOCOL_WAIT;
  else if (is_by(op, TILE_ARRIVAL_CpAsync))
    kind = TILE_PROTOCOL_ARRIVE_ASYNC;
  TileProtocolNode *node = extract_add_node(w, kind, op);
  node->channel = channel;
  node->side = side;
  node->slot = extract_scalar(w->extract, mlirOperationGetOperand(op, 1));
  if (waits) {
    node->parity = extract_scalar(w->extract, mlirOperationGetOperand(op, 2));
    return true;
  }
  node->count = extract_num_arrivals(op, num_warps_around(op));
  node->covers_stores = is_by(op, TILE_ARRIVAL_Threads);
  node->is_alone = is_by(op, TILE_ARRIVAL_Leader) && !follows_meeting(op);
  if (tile_barrier_expect_is(op))
    node->expected_bytes =
        tile_barrier_expect_bytes(tile_barrier_expect_cast(op));
  return true;
}
