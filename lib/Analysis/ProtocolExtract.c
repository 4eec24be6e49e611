//===- ProtocolExtract.c - Roles of a kernel as a protocol ----------------===//
//
// `tile.role` ops on channels become trees of events. A commit is all the
// arrivals that the agents of its channel make; a position is the slot and the
// parity that the op takes.
//
//===----------------------------------------------------------------------===//

#include "BarrierExtract.h"

#include "Analysis/Index/Index.h"
#include "Analysis/Loops/Loops.h"
#include "Dialect/Products.h"
#include "KernelProtocol.h"
#include "Support/Iterate.h"
#include "Support/MlirExtra.h"
#include "Tile/Ops/scf.h"
#include <string.h>

void extract_fail(Extract *extract, MlirOperation op, const char *failure) {
  if (extract->failed.ptr)
    return;
  extract->failed = op;
  extract->failure = failure;
}

//===-- Blocks ------------------------------------------------------------===//

TileProtocolNode *extract_add_node(Writer *w, TileProtocolNodeKind kind,
                                   MlirOperation op) {
  TileProtocolBlock *block = w->block;
  TILE_ARENA_RESERVE(w->extract->arena, block->nodes, block->num_nodes,
                     w->capacity);
  TileProtocolNode *node =
      TILE_ARENA_NEW(w->extract->arena, TileProtocolNode, 1);
  *node = (TileProtocolNode){.kind = kind, .origin = op.ptr, .channel = -1};
  block->nodes[block->num_nodes++] = node;
  return node;
}

//===-- Channels ----------------------------------------------------------===//

static int channel_of(const Extract *extract, MlirValue channel) {
  for (int c = 0; c < extract->out->num_channels; c++)
    if (mlirOperationEqual(extract->channels[c], mlirOpResultGetOwner(channel)))
      return c;
  return -1;
}

static TileProtocolNode *add_position(Writer *w, TileProtocolNodeKind kind,
                                      TileProtocolSide side, MlirOperation op) {
  TileProtocolNode *node = extract_add_node(w, kind, op);
  node->channel = channel_of(w->extract, mlirOperationGetOperand(op, 0));
  node->side = side;
  node->slot = extract_scalar(w->extract, mlirOperationGetOperand(op, 1));
  node->parity = extract_scalar(w->extract, mlirOperationGetOperand(op, 2));
  return node;
}

TileProtocolScalarId extract_combined(Writer *w, TileProtocolFunction function,
                                      TileProtocolScalarId a,
                                      TileProtocolScalarId b) {
  Extract *e = w->extract;
  MlirValue none = {NULL};
  TileProtocolScalarId id = extract_bound(e, none, TILE_PROTOCOL_OP, NULL, 0);
  TileProtocolScalar *scalar = &e->out->scalars[id];
  scalar->function = (int)function;
  scalar->num_args = 2;
  scalar->args = TILE_ARENA_NEW(e->arena, TileProtocolScalarId, 2);
  scalar->args[0] = a;
  scalar->args[1] = b;
  return id;
}

// Waits of the producer are for the other parity.
static TileProtocolScalarId flipped(Writer *w, TileProtocolScalarId parity) {
  return extract_combined(w, TILE_PROTOCOL_FN_XOR, parity,
                          extract_constant(w->extract, 1));
}

static int or_zero(MlirAttribute attribute) {
  return mlirAttributeIsNull(attribute)
             ? 0
             : (int)mlirIntegerAttrGetValueInt(attribute);
}

static int num_tma(TileChannelOp channel) {
  return tile_channel_tma(channel) ? 1 : 0;
}

static int full_count(TileChannelOp channel) {
  int count = num_tma(channel) +
              or_zero(tile_channel_cp_async_threads_attr(channel)) +
              or_zero(tile_channel_simt_threads_attr(channel));
  return count ? count : 1; // a channel that nothing fills is still committed
}

static void write_commit(Writer *w, MlirOperation op) {
  TileChannelOp channel =
      tile_channel_cast(mlirOpResultGetOwner(mlirOperationGetOperand(op, 0)));
  int simt = or_zero(tile_channel_simt_threads_attr(channel));
  int cp_async = or_zero(tile_channel_cp_async_threads_attr(channel));
  int others = full_count(channel) - simt - cp_async;
  if (simt) {
    extract_add_node(w, TILE_PROTOCOL_FENCE, op);
    TileProtocolNode *arrive =
        add_position(w, TILE_PROTOCOL_ARRIVE, TILE_PROTOCOL_FULL, op);
    arrive->count = simt;
    arrive->covers_stores = true;
  }
  if (cp_async)
    add_position(w, TILE_PROTOCOL_ARRIVE_ASYNC, TILE_PROTOCOL_FULL, op)->count =
        cp_async;
  if (others)
    add_position(w, TILE_PROTOCOL_ARRIVE, TILE_PROTOCOL_FULL, op)->count =
        others;
}

static void write_release(Writer *w, MlirOperation op) {
  int channel = channel_of(w->extract, mlirOperationGetOperand(op, 0));
  add_position(w, TILE_PROTOCOL_ARRIVE, TILE_PROTOCOL_EMPTY, op)->count =
      w->extract->out->channels[channel].reader_share[w->role];
}

//===-- Reads and fills ---------------------------------------------------===//

static TileProtocolScalarId slot_of(Extract *extract, MlirValue tile) {
  MlirValue region = tile_buffer_of(tile).region;
  TileInt slot =
      tile_region_offset(tile_region_cast(mlirOpResultGetOwner(region)), 0);
  return tile_int_is_constant(slot) ? extract_constant(extract, slot.constant)
                                    : extract_scalar(extract, slot.value);
}

static bool is_instr(MlirAttribute attribute, TileInstr wanted, TileInstr is) {
  return !mlirAttributeIsNull(attribute) && is == wanted;
}

static bool reads_by_async_proxy(MlirOperation op) {
  TileProduct product;
  if (tile_product_is_wgmma(op, &product))
    return true;
  TileCopyOp copy = tile_copy_dyn(op);
  return copy.op.ptr && is_instr(tile_copy_instr_attr(copy), TILE_INSTR_Tma,
                                 tile_copy_instr(copy));
}

static void write_reads(Writer *w, MlirOperation op, const TileAccess *accesses,
                        int count) {
  TileProtocolNode *node = NULL;
  bool is_group = tile_product_is_async(op);
  if (is_group) {
    node = extract_add_node(w, TILE_PROTOCOL_READ, op);
    node->is_group = true;
  }
  for (int i = 0; i < count; i++) {
    int channel = -1;
    uint64_t cells = 0;
    if (!accesses[i].reads ||
        !extract_cells(w->extract, accesses[i].tile, false, &channel, &cells))
      continue;
    if (!node)
      node = extract_add_node(w, TILE_PROTOCOL_READ, op);
    if (node->num_reads == TILE_PROTOCOL_MAX_READS) {
      extract_fail(w->extract, op, "reads more slots than can be followed");
      return;
    }
    node->reads[node->num_reads++] = (TileProtocolRead){
        channel, slot_of(w->extract, accesses[i].tile), cells};
    node->is_async = reads_by_async_proxy(op);
    // Of a channel the compiler waits for the store before it releases.
    node->is_store |= tile_copy_is(op) && node->is_async &&
                      tile_channel_barriers_is(w->extract->channels[channel]);
  }
}

// Asynchronous copies say so: TMA by what it signals, cp.async by `async` or by
// the channel whose commit covers it.
static TileProtocolFillKind fill_kind(MlirOperation op) {
  TileCopyOp copy = tile_copy_dyn(op);
  if (!copy.op.ptr || mlirAttributeIsNull(tile_copy_instr_attr(copy)))
    return TILE_PROTOCOL_BY_STORES;
  bool signals = tile_copy_signal(copy).ptr;
  if (tile_copy_instr(copy) == TILE_INSTR_Tma && signals)
    return TILE_PROTOCOL_BY_TMA;
  bool is_async = signals || tile_copy_async(copy);
  return tile_copy_instr(copy) == TILE_INSTR_CpAsync && is_async
             ? TILE_PROTOCOL_BY_CP_ASYNC
             : TILE_PROTOCOL_BY_STORES;
}

static void write_signal(Writer *w, TileCopyOp copy, TileProtocolNode *node) {
  TileShape shape;
  node->bar_slot = extract_scalar(w->extract, tile_copy_slot(copy));
  // A channel counts its bytes itself.
  if (tile_channel_barriers_is(w->extract->channels[node->channel]) &&
      tile_shape_of(tile_copy_dst(copy), &shape))
    node->copied_bytes =
        tile_shape_num_elems(&shape) * tile_elem_bits(shape.element) / 8;
}

static void write_fills(Writer *w, MlirOperation op, const TileAccess *accesses,
                        int count) {
  for (int i = 0; i < count; i++) {
    int channel = -1;
    uint64_t cells = 0;
    if (!accesses[i].writes ||
        !extract_cells(w->extract, accesses[i].tile, true, &channel, &cells))
      continue;
    TileProtocolNode *node = extract_add_node(w, TILE_PROTOCOL_FILL, op);
    node->channel = channel;
    node->slot = slot_of(w->extract, accesses[i].tile);
    node->cells = cells;
    node->fill = fill_kind(op);
    if (node->fill == TILE_PROTOCOL_BY_TMA)
      write_signal(w, tile_copy_cast(op), node);
  }
}

//===-- Control flow ------------------------------------------------------===//

TileProtocolScalarId *extract_ids(Extract *e, intptr_t count) {
  return TILE_ARENA_NEW(e->arena, TileProtocolScalarId, count + 1);
}

static void write_operands(Extract *e, MlirOperation op, intptr_t first,
                           intptr_t count, TileProtocolScalarId *out) {
  for (intptr_t i = 0; i < count; i++)
    out[i] = extract_scalar(e, mlirOperationGetOperand(op, first + i));
}

static void write_results(Extract *e, MlirOperation op,
                          TileProtocolNode *node) {
  intptr_t count = mlirOperationGetNumResults(op);
  node->results = extract_ids(e, count);
  for (intptr_t i = 0; i < count; i++)
    node->results[i] = extract_bound(e, mlirOperationGetResult(op, i),
                                     TILE_PROTOCOL_RESULT, node, (int)i);
}

static MlirBlock entry_of(MlirOperation op, intptr_t region) {
  return mlirRegionGetFirstBlock(mlirOperationGetRegion(op, region));
}

void extract_branch(Writer *w, MlirOperation op, intptr_t region,
                    TileProtocolNode *node, int b) {
  Extract *e = w->extract;
  MlirBlock block = entry_of(op, region);
  if (mlirBlockIsNull(block))
    return;
  extract_write_block(e, w->role, block, &node->blocks[b]);
  node->yields[b] = extract_ids(e, node->num_values);
  write_operands(e, mlirBlockGetTerminator(block), 0, node->num_values,
                 node->yields[b]);
}

static void write_if(Writer *w, MlirOperation op) {
  TileProtocolNode *node = extract_add_node(w, TILE_PROTOCOL_IF, op);
  node->condition = extract_scalar(w->extract, mlirOperationGetOperand(op, 0));
  node->num_values = (int)mlirOperationGetNumResults(op);
  for (int b = 0; b < 2; b++)
    extract_branch(w, op, b, node, b);
  write_results(w->extract, op, node);
}

static void write_for(Writer *w, MlirOperation op) {
  Extract *e = w->extract;
  ScfForOp loop = scf_for_cast(op);
  TileProtocolNode *node = extract_add_node(w, TILE_PROTOCOL_FOR, op);
  MlirBlock body = entry_of(op, 0);
  TileRange inits = scf_for_initArgs(loop);
  node->lower = extract_scalar(e, scf_for_lowerBound(loop));
  node->upper = extract_scalar(e, scf_for_upperBound(loop));
  node->step = extract_scalar(e, scf_for_step(loop));
  node->is_unsigned = scf_for_unsignedCmp(loop);
  node->num_values = (int)inits.n;
  node->inits = extract_ids(e, inits.n);
  node->args = extract_ids(e, inits.n);
  node->yields[0] = extract_ids(e, inits.n);
  node->iv = extract_bound(e, mlirBlockGetArgument(body, 0), TILE_PROTOCOL_IV,
                           node, 0);
  for (int i = 0; i < node->num_values; i++) {
    node->inits[i] = extract_scalar(e, tile_range_at(inits, i));
    node->args[i] = extract_bound(e, mlirBlockGetArgument(body, i + 1),
                                  TILE_PROTOCOL_ARG, node, i);
  }
  extract_write_block(e, w->role, body, &node->blocks[0]);
  write_operands(e, mlirBlockGetTerminator(body), 0, node->num_values,
                 node->yields[0]);
  write_results(e, op, node);
}

// A loop that copies slots part by part is one fill of each.
typedef struct {
  Writer *w;
  MlirOperation loop;
  MlirValue windows[TILE_MAX_ACCESSES];                     // one of each ring
  bool has[TILE_MAX_ACCESSES][TILE_PROTOCOL_BY_STORES + 1]; // how it is filled
  int count;
  bool is_known;
} PartFills;

static MlirWalkResult find_part(MlirOperation op, void *user_data) {
  PartFills *parts = user_data;
  TileElementAccess element;
  TileAccess accesses[TILE_MAX_ACCESSES];
  bool is_view;
  int n = tile_accesses_get(op, accesses);
  if (tile_element_access_get(op, &element))
    parts->is_known &=
        !extract_ring_of(parts->w->extract, element.memref, &is_view);
  for (int i = 0; i < n; i++) {
    MlirValue base = tile_buffer_of(accesses[i].tile).base;
    if (!extract_ring_of(parts->w->extract, base, &is_view))
      continue;
    int k = 0;
    while (k < parts->count &&
           !mlirValueEqual(tile_buffer_of(parts->windows[k]).base, base))
      k++;
    parts->is_known &= accesses[i].writes && k < TILE_MAX_ACCESSES &&
                       fill_kind(op) != TILE_PROTOCOL_BY_TMA;
    if (!parts->is_known)
      return MlirWalkResultInterrupt;
    parts->windows[k] = accesses[i].tile;
    parts->has[k][fill_kind(op)] = true;
    parts->count += k == parts->count;
  }
  return MlirWalkResultAdvance;
}

static bool write_parts(Writer *w, MlirOperation op) {
  PartFills parts = {.w = w, .loop = op, .is_known = true};
  TileCopyLoopFill fills[TILE_MAX_ACCESSES];
  bool is_view;
  if (!tile_copy_loop_is(op))
    return false;
  mlirOperationWalk(op, find_part, &parts, MlirWalkPreOrder);
  for (int k = 0; k < parts.count; k++)
    parts.is_known &=
        tile_copy_loop_fill(op, tile_buffer_of(parts.windows[k]).base, true,
                            &fills[k]) &&
        fills[k].is_once;
  if (!parts.is_known || parts.count == 0)
    return false;
  for (int k = 0; k < parts.count; k++) {
    const CellsRing *ring = extract_ring_of(
        w->extract, tile_buffer_of(parts.windows[k]).base, &is_view);
    int64_t size[TILE_MAX_RANK];
    for (int d = 0; d < ring->rank; d++)
      size[d] = fills[k].end[d + 1] - fills[k].begin[d + 1];
    uint64_t cells = fills[k].is_sure
                         ? extract_window_cells(ring, fills[k].begin + 1, size)
                         : 0;
    for (int kind = 0; kind <= TILE_PROTOCOL_BY_STORES; kind++) {
      if (!parts.has[k][kind])
        continue;
      TileProtocolNode *node = extract_add_node(w, TILE_PROTOCOL_FILL, op);
      node->channel = ring->channel;
      node->slot = slot_of(w->extract, parts.windows[k]);
      node->cells = cells;
      node->fill = (TileProtocolFillKind)kind;
      cells = 0; // of all kinds together
    }
  }
  return true;
}

static void write_while(Writer *w, MlirOperation op) {
  Extract *e = w->extract;
  TileProtocolNode *node = extract_add_node(w, TILE_PROTOCOL_WHILE, op);
  MlirBlock before = entry_of(op, 0), after = entry_of(op, 1);
  node->num_values = (int)mlirOperationGetNumOperands(op);
  node->num_passed = (int)mlirOperationGetNumResults(op);
  node->inits = extract_ids(e, node->num_values);
  node->args = extract_ids(e, node->num_values);
  node->yields[0] = extract_ids(e, node->num_values);
  node->passed = extract_ids(e, node->num_passed);
  node->after = extract_ids(e, node->num_passed);
  write_operands(e, op, 0, node->num_values, node->inits);
  for (int i = 0; i < node->num_values; i++)
    node->args[i] = extract_bound(e, mlirBlockGetArgument(before, i),
                                  TILE_PROTOCOL_ARG, node, i);
  for (int i = 0; i < node->num_passed; i++)
    node->after[i] = extract_bound(e, mlirBlockGetArgument(after, i),
                                   TILE_PROTOCOL_AFTER, node, i);
  extract_write_block(e, w->role, before, &node->blocks[0]);
  MlirOperation condition = mlirBlockGetTerminator(before);
  node->condition = extract_scalar(e, mlirOperationGetOperand(condition, 0));
  write_operands(e, condition, 1, node->num_passed, node->passed);
  extract_write_block(e, w->role, after, &node->blocks[1]);
  write_operands(e, mlirBlockGetTerminator(after), 0, node->num_values,
                 node->yields[0]);
  write_results(e, op, node);
}

//===-- Ops ---------------------------------------------------------------===//

static bool is_named(MlirOperation op, const char *name) {
  return mlirStringRefEqual(mlirIdentifierStr(mlirOperationGetName(op)),
                            mlirStringRefCreateFromCString(name));
}

typedef struct {
  const Extract *extract;
  bool found;
} VerbSearch;

// Ops on channels, and what names their rings.
static MlirWalkResult find_verb(MlirOperation op, void *user_data) {
  VerbSearch *search = user_data;
  bool *found = &search->found, is_view;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
    *found |= extract_ring_of(search->extract, mlirOperationGetOperand(op, i),
                              &is_view) != NULL;
  *found |= tile_acquire_is(op) || tile_commit_is(op) || tile_wait_is(op) ||
            tile_release_is(op) || tile_barrier_wait_is(op) ||
            tile_barrier_arrive_is(op) || tile_barrier_expect_is(op);
  return *found ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

static void write_other(Writer *w, MlirOperation op) {
  TileAccess accesses[TILE_MAX_ACCESSES];
  int count = tile_accesses_get(op, accesses);
  VerbSearch search = {w->extract, false};
  if (mlirOperationGetNumRegions(op) > 0)
    mlirOperationWalk(op, find_verb, &search, MlirWalkPreOrder);
  if (search.found)
    extract_fail(w->extract, op,
                 "holds channel ops in control flow that is not understood");
  write_reads(w, op, accesses, count);
  write_fills(w, op, accesses, count);
}

static void write_ops(Writer *w, MlirBlock block);

static void write_op(Writer *w, MlirOperation op) {
  if (w->extract->barriers
          ? extract_program_op(w, op)
          : extract_barrier_op(w, op) || extract_elements(w, op))
    return;
  if (extract_inlined_block(op).ptr) {
    write_ops(w, extract_inlined_block(op));
  } else if (scf_if_is(op)) {
    write_if(w, op);
  } else if (scf_index_switch_is(op) && mlirOperationGetNumRegions(op) > 1) {
    extract_switch(w, scf_index_switch_cast(op), 0);
  } else if (scf_for_is(op)) {
    if (!write_parts(w, op))
      write_for(w, op);
  } else if (scf_while_is(op)) {
    write_while(w, op);
  } else if (tile_acquire_is(op)) {
    TileProtocolNode *node =
        add_position(w, TILE_PROTOCOL_WAIT, TILE_PROTOCOL_EMPTY, op);
    node->parity = flipped(w, node->parity);
  } else if (tile_wait_is(op)) {
    add_position(w, TILE_PROTOCOL_WAIT, TILE_PROTOCOL_FULL, op);
  } else if (tile_commit_is(op)) {
    write_commit(w, op);
  } else if (tile_release_is(op)) {
    write_release(w, op);
  } else if (tile_tma_wait_is(op)) {
    extract_add_node(w, TILE_PROTOCOL_STORE_WAIT, op)->count =
        (int)tile_tma_wait_pending(tile_tma_wait_cast(op));
  } else if (tile_fence_proxy_is(op)) {
    extract_add_node(w, TILE_PROTOCOL_FENCE, op);
  } else if (tile_cp_async_wait_is(op)) {
    // Which copies are done when some may be under way is not followed.
    if (tile_cp_async_wait_pending(tile_cp_async_wait_cast(op)) == 0)
      extract_add_node(w, TILE_PROTOCOL_COPY_WAIT, op);
  } else if (tile_turn_is(op)) {
    extract_add_node(w, TILE_PROTOCOL_TURN, op)->is_begin =
        tile_turn_edge(tile_turn_cast(op)) == TILE_TURN_Begin;
  } else if (is_named(op, "tile.await")) {
    MlirAttribute pending = mlirOperationGetAttributeByName(
        op, mlirStringRefCreateFromCString("pending"));
    extract_add_node(w, TILE_PROTOCOL_AWAIT, op)->count = or_zero(pending);
  } else {
    write_other(w, op);
  }
}

static void write_ops(Writer *w, MlirBlock block) {
  TILE_FOR_EACH_OP (op, block) {
    if (w->extract->failed.ptr)
      return;
    write_op(w, op);
  }
}

void extract_write_block(Extract *extract, int role, MlirBlock block,
                         TileProtocolBlock *out) {
  Writer w = {.extract = extract, .block = out, .role = role};
  write_ops(&w, block);
}

//===-- Roles and channels ------------------------------------------------===//

typedef struct {
  Extract *extract;
  int role;
  int num_warps;
} Sides;

// Who commits fills, who waits or releases reads. Barriers: who arrives on the
// full one fills, who arrives on the empty one reads.
static bool find_side(const Extract *extract, MlirOperation op, int num_warps,
                      int *out_channel, bool *out_fills, int *out_share) {
  TileProtocolSide side;
  *out_share = num_warps;
  *out_fills = tile_acquire_is(op) || tile_commit_is(op);
  if (*out_fills || tile_wait_is(op) || tile_release_is(op)) {
    *out_channel = channel_of(extract, mlirOperationGetOperand(op, 0));
    return true;
  }
  if (!extract_side(extract, op, out_channel, &side))
    return false;
  bool waits = tile_barrier_wait_is(op);
  *out_fills = waits == (side == TILE_PROTOCOL_EMPTY);
  *out_share = waits ? 0 : extract_num_arrivals(op, num_warps);
  return true;
}

static MlirWalkResult find_sides(MlirOperation op, void *user_data) {
  Sides *sides = user_data;
  int index = -1, share = 0;
  bool fills = false;
  if (!find_side(sides->extract, op, sides->num_warps, &index, &fills, &share))
    return MlirWalkResultAdvance;
  TileProtocolChannel *channel = &sides->extract->out->channels[index];
  int *mine = &channel->reader_share[sides->role];
  if (!fills)
    *mine = share > *mine ? share : *mine;
  else if (channel->producer < 0)
    channel->producer = sides->role;
  else if (channel->producer != sides->role)
    extract_fail(sides->extract, op, "fills a channel that another role fills");
  return MlirWalkResultAdvance;
}

static bool is_channel(MlirOperation op) {
  return tile_channel_is(op) || tile_channel_barriers_is(op);
}

TileRange extract_rings(const Extract *extract, int channel) {
  MlirOperation op = extract->channels[channel];
  return tile_channel_is(op)
             ? tile_channel_rings(tile_channel_cast(op))
             : tile_channel_barriers_rings(tile_channel_barriers_cast(op));
}

static void describe_channel(Extract *extract, MlirOperation op,
                             TileProtocolChannel *out) {
  *out = (TileProtocolChannel){.name = "channel", .producer = -1};
  if (!tile_channel_is(op)) {
    extract_barriers_channel(extract, op, out);
    return;
  }
  TileChannelOp channel = tile_channel_cast(op);
  out->depth = (int)tile_channel_depth(channel);
  out->full_count = full_count(channel);
  out->empty_count = or_zero(tile_channel_consumer_warps_attr(channel));
}

static MlirWalkResult find_channels(MlirOperation op, void *user_data) {
  Extract *extract = user_data;
  TileProtocol *out = extract->out;
  if (tile_specialize_is(op))
    extract->specialize = op;
  if (!is_channel(op))
    return MlirWalkResultAdvance;
  if (out->channels) { // second walk
    extract->channels[out->num_channels] = op;
    describe_channel(extract, op, &out->channels[out->num_channels]);
  }
  out->num_channels++;
  return MlirWalkResultAdvance;
}

static void write_channels(Extract *extract) {
  TileProtocol *out = extract->out;
  mlirOperationWalk(extract->kernel, find_channels, extract, MlirWalkPreOrder);
  int count = out->num_channels;
  out->channels =
      TILE_ARENA_NEW(extract->arena, TileProtocolChannel, count + 1);
  extract->channels = TILE_ARENA_NEW(extract->arena, MlirOperation, count + 1);
  out->num_channels = 0;
  mlirOperationWalk(extract->kernel, find_channels, extract, MlirWalkPreOrder);
}

// Roles that take turns and each make all the arrivals of a round read
// different rounds.
static int num_sharers(const TileProtocol *protocol,
                       const TileProtocolChannel *channel) {
  int count = 0;
  for (int r = 0; r < protocol->num_roles; r++) {
    if (channel->reader_share[r] == 0)
      continue;
    count++;
    if (!protocol->roles[r].takes_turns ||
        channel->reader_share[r] != channel->empty_count)
      return 0;
  }
  return count > 1 ? count : 0;
}

// The number of arrivals is recorded, or follows from the roles.
static void complete_channels(Extract *extract) {
  TileProtocol *out = extract->out;
  for (int c = 0; c < out->num_channels; c++) {
    TileProtocolChannel *channel = &out->channels[c];
    int sum = 0;
    for (int r = 0; r < out->num_roles; r++)
      sum += channel->reader_share[r];
    if (channel->producer < 0 || sum == 0)
      extract_fail(extract, extract->channels[c],
                   channel->producer < 0 ? "is filled by no role"
                                         : "is read by no role");
    if (channel->empty_count == 0)
      channel->empty_count = sum;
    channel->num_sharers = num_sharers(out, channel);
  }
}

static void write_roles(Extract *extract) {
  TileProtocol *out = extract->out;
  MlirBlock body = entry_of(extract->specialize, 0);
  TILE_FOR_EACH_OP (op, body) {
    TileRoleOp role = tile_role_dyn(op);
    if (!role.op.ptr)
      continue;
    if (out->num_roles == TILE_PROTOCOL_MAX_ROLES) {
      extract_fail(extract, op, "is one of too many roles to be followed");
      return;
    }
    MlirStringRef name = tile_role_role(role);
    Sides sides = {extract, out->num_roles, (int)tile_role_warps(role)};
    if (tile_role_pingpong(role)) {
      TileProtocolRole *self = &out->roles[out->num_roles];
      self->takes_turns = true;
      tile_turns_of(role, &self->first_turn);
      self->num_turns = (int)tile_role_warps(role) / 4;
    }
    out->roles[out->num_roles++].name =
        tile_arena_strdup(extract->arena, name.data, name.length);
    mlirOperationWalk(op, find_sides, &sides, MlirWalkPreOrder);
  }
  complete_channels(extract);
  if (extract->failed.ptr || !extract_cells_build(extract))
    return;
  int role = 0;
  TILE_FOR_EACH_OP (op, body)
    if (tile_role_is(op)) {
      extract_write_block(extract, role, entry_of(op, 0),
                          &out->roles[role].body);
      role++;
    }
}

bool tile_protocol_extract(TileArena *arena, MlirOperation kernel,
                           TileProtocol *out_protocol,
                           MlirOperation *out_failed,
                           const char **out_failure) {
  *out_protocol = (TileProtocol){0};
  *out_failed = (MlirOperation){NULL};
  Extract extract = {.arena = arena, .kernel = kernel, .out = out_protocol};
  write_channels(&extract);
  if (!extract.specialize.ptr || out_protocol->num_channels == 0)
    return false;
  write_roles(&extract);
  *out_failed = extract.failed;
  *out_failure = extract.failure;
  return true;
}
