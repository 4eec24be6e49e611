//===- RolePlan.c - Which role of a kernel does what ----------------------===//
//
// The order of decisions (docs/Rationale/Roles.md):
//
//   1  candidates: shared tiles that only copies of unwritten tensors and
//      element loops fill;
//   2  the slice that the producer computes, per tile (RoleSlice.c);
//   3  served loops: pipelined, with a copy that TMA can do; all candidates
//      filled there, and those filled by TMA elsewhere, are taken;
//   4  groups: tiles filled in the same blocks, read by the same ops, of the
//      same depth share a channel;
//   5  places of the verbs (RolePlace.c). A group without places is tried tile
//      by tile, a tile without places is given up: back to 3.
//
// Each round of 3 to 5 gives up a tile or splits a group, so it ends.
//
//===----------------------------------------------------------------------===//

#include "Roles.h"

#include "Analysis/Index/Index.h"
#include "Dialect/ElementLoops.h"
#include "Dialect/ForeignOps.h"
#include "Tile/Ops/gpu.h"
#include "Tile/Ops/memref.h"

enum { MAX_RING_RANK = TILE_MAX_RANK, MAX_CELLS = 4096, MAX_DEPTH = 64 };

//===-- 1. Candidates -----------------------------------------------------===//

static void give_up(TileRoleBuffer *buffer, const char *code,
                    MlirOperation culprit) {
  if (!buffer->reason.code)
    buffer->reason = (TileRoleReason){.code = code, .culprit = culprit};
}

static void check_writers(TileRolePlan *plan) {
  for (int i = 0; i < plan->num_nodes; i++) {
    TileRoleNode *node = plan->nodes[i];
    for (TileRoleAccess *a = node->accesses; a; a = a->next) {
      if (!a->writes || (node->fill && node->fill->buffer == a->buffer))
        continue;
      a->buffer->is_plain = false;
      give_up(a->buffer,
              mlirOperationGetNumRegions(node->op) > 0
                  ? "tile-ws/foreign-control"
                  : "tile-ws/consumer-write",
              node->op);
    }
  }
}

static MlirOperation writer_of(const TileRolePlan *plan, MlirValue tensor) {
  for (int i = 0; i < plan->num_writes; i++)
    if (mlirValueEqual(plan->writes[i].root, tensor))
      return plan->writes[i].op;
  if (plan->unknown_write.ptr)
    return plan->unknown_write;
  return plan->writes[0].op;
}

static void check_sources(TileRolePlan *plan) {
  for (TileRoleFill *fill = plan->fills; fill; fill = fill->next) {
    if (!fill->tensor.ptr || tile_role_is_read_only(plan, fill->tensor))
      continue;
    fill->buffer->is_plain = false;
    give_up(fill->buffer, "tile-ws/source-written",
            writer_of(plan, fill->tensor));
  }
}

static bool is_inside(const TileRoleNode *node, const TileRoleNode *loop) {
  for (; node; node = tile_role_parent(node))
    if (node == loop)
      return true;
  return false;
}

// Whether `fill` may be executed after `node`.
static bool comes_after(const TileRoleFill *fill, const TileRoleNode *node) {
  bool repeats = false;
  for (const TileRoleNode *at = tile_role_parent(node); at;
       at = tile_role_parent(at))
    repeats |= at->kind != TILE_NODE_IF && is_inside(fill->node, at);
  return repeats || fill->node->id > node->id;
}

static MlirWalkResult find_meeting(MlirOperation op, void *user_data) {
  bool *found = user_data;
  *found |= tile_cluster_sync_is(op);
  return *found ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

// The consumers wait for all threads of the cluster that have not ended: the
// producer has, when nothing is left to fill.
static void check_meetings(TileRolePlan *plan) {
  for (int i = 0; i < plan->num_nodes; i++) {
    TileRoleNode *node = plan->nodes[i];
    bool meets = false;
    if (node->kind == TILE_NODE_LEAF)
      mlirOperationWalk(node->op, find_meeting, &meets, MlirWalkPreOrder);
    for (TileRoleFill *fill = plan->fills; meets && fill; fill = fill->next)
      if (comes_after(fill, node))
        give_up(fill->buffer, "tile-ws/cluster-sync", node->op);
  }
}

// Whether `op` reads the operand as a tile, or accesses elements of it.
static bool can_use_slot(MlirOperation op, MlirValue tile) {
  TileAccess access[TILE_MAX_ACCESSES];
  // A tile that is printed is no window.
  int n =
      tile_op_is(op) && !tile_print_is(op) ? tile_accesses_get(op, access) : 0;
  for (int i = 0; i < n; i++)
    if (mlirValueEqual(access[i].tile, tile))
      return true;
  return memref_load_is(op) ||
         (memref_store_is(op) && tile_parallel_around(op).op.ptr);
}

static void check_uses(TileRolePlan *plan, TileRoleBuffer *buffer,
                       MlirValue tile) {
  for (MlirOpOperand use = mlirValueGetFirstUse(tile);
       !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation op = mlirOpOperandGetOwner(use);
    TileShape shape;
    bool is_numbers = tile_region_is(op) &&
                      mlirOpOperandGetOperandNumber(use) != 0; // of a gather
    if (is_numbers)
      give_up(buffer, "tile-ws/unsupported-use", op);
    else if (tile_region_is(op) ||
             (tile_view_is(op) &&
              tile_shape_of(mlirOperationGetResult(op, 0), &shape) &&
              shape.rank < MAX_RING_RANK))
      check_uses(plan, buffer, mlirOperationGetResult(op, 0));
    else if (!can_use_slot(op, tile))
      give_up(buffer, "tile-ws/unsupported-use", op);
  }
}

static void check_shape(TileRoleBuffer *buffer) {
  if (buffer->shape.rank >= MAX_RING_RANK || buffer->num_cells > MAX_CELLS)
    give_up(buffer, "tile-ws/unsupported-use", buffer->alloc);
}

// Only tickets fill a tile, or none.
static void find_tickets(TileRolePlan *plan) {
  for (TileRoleFill *fill = plan->fills; fill; fill = fill->next)
    fill->buffer->is_ticket |= tile_role_is_ticket(fill);
  for (TileRoleFill *fill = plan->fills; fill; fill = fill->next)
    fill->buffer->is_plain &=
        fill->buffer->is_ticket == tile_role_is_ticket(fill);
}

static void find_candidates(TileRolePlan *plan) {
  for (TileRoleBuffer *b = plan->buffers; b; b = b->next)
    b->is_plain = b->num_fills > 0;
  find_tickets(plan);
  check_writers(plan);
  check_sources(plan);
  check_meetings(plan);
  for (TileRoleBuffer *b = plan->buffers; b; b = b->next) {
    check_uses(plan, b, b->value);
    check_shape(b);
  }
  for (TileRoleFill *fill = plan->fills; fill; fill = fill->next)
    fill->buffer->is_off |= fill->loop && fill->loop->is_off;
}

//===-- 2. Slices ---------------------------------------------------------===//

// What the producer decides by it copies for itself, at once: a ring would be
// filled for the consumers only, and nobody could tell that both read the same.
static void keep_owned(TileRolePlan *plan, const TileRoleNeed *need) {
  for (int i = 0; i < need->num_own; i++) {
    TileRoleBuffer *buffer =
        tile_pointer_map_get(&plan->buffer_of, need->own[i].ptr);
    if (buffer && buffer->is_ticket)
      buffer->is_asked = true;
    else if (buffer)
      give_up(buffer, "tile-ws/decides", TILE_NULL_OP);
  }
}

static bool has_reader(const TileRolePlan *plan, const TileRoleNeed *need,
                       const TileRoleBuffer *buffer) {
  for (int i = 0; i < plan->num_nodes; i++)
    for (TileRoleAccess *a = plan->nodes[i]->accesses; a; a = a->next)
      if (a->buffer == buffer && a->reads && !(need && need->forward[i]))
        return true;
  return false;
}

// What the fills of `buffer` need; NULL: those of all tiles that are taken and
// read.
static void slice(TileRolePlan *plan, const TileRoleBuffer *buffer,
                  TileRoleNeed *out_need) {
  int num_fills = 0, capacity = 0;
  TileRoleFill **fills = NULL;
  for (TileRoleFill *fill = plan->fills; fill; fill = fill->next) {
    if (buffer
            ? fill->buffer != buffer
            : !fill->buffer->is_taken || !has_reader(plan, NULL, fill->buffer))
      continue;
    TILE_ARENA_RESERVE(plan->arena, fills, num_fills, capacity);
    fills[num_fills++] = fill;
  }
  tile_role_slice(plan, fills, num_fills, out_need);
}

static void slice_candidates(TileRolePlan *plan) {
  for (TileRoleBuffer *b = plan->buffers; b; b = b->next) {
    if (!b->is_plain || b->is_off || b->reason.code)
      continue;
    TileRoleNeed need;
    slice(plan, b, &need);
    b->reason = need.reason;
    if (!need.reason.code && !b->is_ticket)
      keep_owned(plan, &need);
    int64_t own_bytes = need.reason.code ? 0 : need.own_bytes;
    plan->own_bytes = own_bytes > plan->own_bytes ? own_bytes : plan->own_bytes;
  }
}

//===-- Slots of rings ----------------------------------------------------===//

static bool int_attr(MlirOperation op, MlirStringRef name, int64_t *out) {
  MlirAttribute attr = mlirOperationGetDiscardableAttributeByName(op, name);
  if (mlirAttributeIsNull(attr))
    return false;
  *out = mlirIntegerAttrGetValueInt(attr);
  return true;
}

typedef struct {
  int64_t stage, order;
} Slot;

static bool slot_of(MlirOperation op, Slot *out) {
  return int_attr(op, TILE_STR("tile.stage"), &out->stage) &&
         int_attr(op, TILE_STR("tile.order"), &out->order);
}

static bool reads_buffer(const TileRoleNode *node,
                         const TileRoleBuffer *buffer) {
  for (const TileRoleAccess *a = node->accesses; a; a = a->next)
    if (a->reads && a->buffer == buffer)
      return true;
  return false;
}

// A planned loop says when the copy and its readers run: the tile has to live
// from one to the other. A reader that comes first in the body frees its slot
// for the copy of the same step.
static int64_t loop_depth(const TileRolePlan *plan, const TileRoleFill *fill) {
  Slot copy, reader;
  int64_t depth = 0;
  if (!slot_of(fill->node->op, &copy))
    return fill->loop->num_stages;
  for (int i = 0; i < plan->num_nodes; i++) {
    const TileRoleNode *node = plan->nodes[i];
    if (!reads_buffer(node, fill->buffer) || !is_inside(node, fill->loop->node))
      continue;
    if (!slot_of(node->op, &reader))
      return fill->loop->num_stages;
    int64_t slots = reader.stage - copy.stage + (copy.order < reader.order);
    depth = slots > depth ? slots : depth;
  }
  return depth > 0 ? depth : fill->loop->num_stages;
}

// Slots of the ring of a buffer: of its innermost pipelined loop as planned,
// else `plan->prelude_depth` inside a loop and 1 outside.
static int64_t depth_of(const TileRolePlan *plan,
                        const TileRoleBuffer *buffer) {
  int64_t depth = 1;
  for (TileRoleFill *fill = plan->fills; fill; fill = fill->next) {
    if (fill->buffer != buffer)
      continue;
    int64_t slots = 1;
    if (fill->loop)
      slots = loop_depth(plan, fill);
    for (TileRoleNode *at = tile_role_parent(fill->node); at && !fill->loop;
         at = tile_role_parent(at))
      if (at->kind == TILE_NODE_FOR || at->kind == TILE_NODE_WHILE)
        slots = plan->prelude_depth;
    depth = slots > depth ? slots : depth;
  }
  return depth;
}

// Bytes of shared memory that all rings take, and tiles that are none
// `num_copies` times, when nothing shares any: an upper bound.
static int64_t bytes_with_copies(const TileRolePlan *plan, int num_copies) {
  // Barriers, and what alignment takes: an estimate, packing has the last word.
  int64_t total_bytes = 2048 + plan->own_bytes;
  for (TileRoleBuffer *b = plan->buffers; b; b = b->next) {
    int64_t size_bytes =
        tile_shape_num_elems(&b->shape) * tile_elem_bits(b->shape.element) / 8;
    total_bytes += size_bytes * (b->is_taken ? depth_of(plan, b) : num_copies);
  }
  return total_bytes;
}

static int64_t shared_bytes(const TileRolePlan *plan) {
  return bytes_with_copies(plan, 1);
}

// Sets `plan->prelude_depth`: 2 when shared memory has room for it, else 1.
// False when there is no room for that either: rings do not share bytes with
// tiles that live at other times.
static bool solve_prelude(TileRolePlan *plan) {
  plan->prelude_depth =
      tile_kernel_number(plan->kernel, TILE_PRELUDE_SLOTS_ATTR, 2);
  int64_t most_bytes =
      plan->target->max_smem_bytes -
      tile_kernel_number(plan->kernel, TILE_RESERVED_BYTES_ATTR, 0);
  for (; plan->prelude_depth > 1; plan->prelude_depth--)
    if (shared_bytes(plan) <= most_bytes)
      return true;
  return shared_bytes(plan) <= plan->target->max_smem_bytes;
}

//===-- 3. Served loops, taken tiles --------------------------------------===//

static bool is_open(const TileRoleBuffer *buffer) {
  return buffer->is_plain && !buffer->is_off && !buffer->reason.code;
}

static bool serves(const TileRoleFill *fill) {
  return is_open(fill->buffer) &&
         (fill->instr == TILE_INSTR_Tma ||
          (fill->loop->is_required && fill->instr == TILE_INSTR_CpAsync));
}

static bool has_loop(const TileRolePlan *plan, const TileRoleBuffer *buffer) {
  for (const TileRoleFill *fill = plan->fills; fill; fill = fill->next)
    if (fill->buffer == buffer && tile_role_parent(fill->node))
      return true;
  return false;
}

// False when no loop is left.
static bool take_buffers(TileRolePlan *plan) {
  bool any = false;
  for (TileRoleLoop *loop = plan->loops; loop; loop = loop->next)
    loop->is_served = false;
  for (TileRoleFill *fill = plan->fills; fill; fill = fill->next)
    if (fill->loop && serves(fill))
      any = fill->loop->is_served = true;
  for (TileRoleBuffer *b = plan->buffers; b; b = b->next)
    b->is_taken = false;
  for (TileRoleFill *fill = plan->fills; any && fill; fill = fill->next)
    if (is_open(fill->buffer))
      fill->buffer->is_taken |= fill->buffer->is_ticket
                                    ? fill->buffer->is_asked
                                    : fill->instr == TILE_INSTR_Tma ||
                                          (fill->loop && fill->loop->is_served);
  return any;
}

// Tiles that are filled once, outside loops: they may share bytes with others
// when the consumers keep them. False when nothing changes.
static bool leave_preludes(TileRolePlan *plan) {
  bool any = false;
  if (plan->leaves_preludes)
    return false;
  plan->leaves_preludes = true;
  for (TileRoleBuffer *b = plan->buffers; b; b = b->next)
    if (b->is_taken && !b->is_ticket && !has_loop(plan, b)) {
      give_up(b, "tile-ws/shared-memory", TILE_NULL_OP);
      b->reason.figure = shared_bytes(plan);
      b->reason.limit = plan->target->max_smem_bytes;
      any = true;
    }
  return any;
}

// A producer that computes tiles takes threads, and rings of them memory:
// where there is no place for it, the consumers keep these tiles. False when
// there is none.
static bool leave_elements(TileRolePlan *plan, TileRoleReason reason) {
  bool any = false;
  for (TileRoleFill *fill = plan->fills; fill; fill = fill->next) {
    if (!tile_role_is_element_fill(fill) || !fill->buffer->is_taken)
      continue;
    fill->buffer->is_taken = false;
    give_up(fill->buffer, reason.code, reason.culprit);
    fill->buffer->reason.figure = reason.figure;
    fill->buffer->reason.limit = reason.limit;
    any = true;
  }
  return any;
}

// False when the rings of all tiles do not fit.
static bool fit_rings(TileRolePlan *plan) {
  if (solve_prelude(plan))
    return true;
  TileRoleReason reason = {.code = "tile-ws/shared-memory",
                           .figure = shared_bytes(plan),
                           .limit = plan->target->max_smem_bytes};
  return leave_elements(plan, reason) && solve_prelude(plan);
}

//===-- 4. Groups ---------------------------------------------------------===//

static bool have_same_readers(const TileRolePlan *plan,
                              const TileRoleNeed *need, const TileRoleBuffer *a,
                              const TileRoleBuffer *b) {
  for (int i = 0; i < plan->num_nodes; i++) {
    bool reads_a = false, reads_b = false;
    for (TileRoleAccess *at = plan->nodes[i]->accesses; at; at = at->next) {
      bool reads = at->reads && !need->forward[i];
      reads_a |= reads && at->buffer == a;
      reads_b |= reads && at->buffer == b;
    }
    if (reads_a != reads_b)
      return false;
  }
  return true;
}

static const TileRoleFill *next_of(const TileRoleFill *fill,
                                   const TileRoleBuffer *buffer) {
  while (fill && fill->buffer != buffer)
    fill = fill->next;
  return fill;
}

static bool have_same_homes(const TileRolePlan *plan, const TileRoleBuffer *a,
                            const TileRoleBuffer *b) {
  const TileRoleFill *fa = next_of(plan->fills, a);
  const TileRoleFill *fb = next_of(plan->fills, b);
  while (fa && fb && fa->node->home == fb->node->home) {
    fa = next_of(fa->next, a);
    fb = next_of(fb->next, b);
  }
  return !fa && !fb;
}

static bool belongs_to(const TileRolePlan *plan, const TileRoleNeed *need,
                       const TileRoleBuffer *buffer,
                       const TileRoleChannel *channel) {
  const TileRoleBuffer *first = channel->buffers[0];
  return !buffer->is_alone && !first->is_alone &&
         depth_of(plan, buffer) == channel->depth &&
         have_same_homes(plan, buffer, first) &&
         have_same_readers(plan, need, buffer, first);
}

static void channel_add(TileRolePlan *plan, const TileRoleNeed *need,
                        TileRoleBuffer *buffer) {
  int c = 0;
  while (c < plan->num_channels &&
         !belongs_to(plan, need, buffer, &plan->channels[c]))
    c++;
  TileRoleChannel *channel = &plan->channels[c];
  if (c == plan->num_channels) {
    int capacity = 0;
    for (TileRoleBuffer *b = plan->buffers; b; b = b->next)
      capacity++;
    plan->num_channels++;
    channel->buffers = TILE_ARENA_NEW(plan->arena, TileRoleBuffer *, capacity);
    channel->depth = depth_of(plan, buffer);
  }
  channel->buffers[channel->num_buffers++] = buffer;
  buffer->channel = c;
}

// Channels in the order of their first copies.
static void build_channels(TileRolePlan *plan, const TileRoleNeed *need) {
  int count = 0;
  for (TileRoleBuffer *b = plan->buffers; b; b = b->next) {
    b->channel = -1;
    count++;
  }
  plan->num_channels = 0;
  plan->channels = TILE_ARENA_NEW(plan->arena, TileRoleChannel, count);
  for (TileRoleFill *fill = plan->fills; fill; fill = fill->next)
    if (fill->buffer->is_taken && fill->buffer->channel < 0 &&
        has_reader(plan, need, fill->buffer))
      channel_add(plan, need, fill->buffer);
}

//===-- 5. Places ---------------------------------------------------------===//

static void clear_places(TileRolePlan *plan) {
  for (int i = 0; i < plan->num_nodes; i++) {
    TileRoleNode *node = plan->nodes[i];
    node->is_dead = node->fill && node->fill->buffer->is_taken &&
                    node->fill->buffer->channel < 0;
    tile_role_verbs_clear(node->before);
    tile_role_verbs_clear(node->after);
    for (int b = 0; b < node->num_blocks; b++)
      tile_role_verbs_clear(node->blocks[b].end);
    for (int role = 0; role < TILE_NUM_ROLES; role++)
      node->advances[role] = NULL;
  }
}

// False when a group has no places: it was split, or its tile given up.
static bool place_channel(TileRolePlan *plan, const TileRoleNeed *need, int c) {
  TileRoleChannel *channel = &plan->channels[c];
  TileRoleReason reason;
  if (channel->depth > MAX_DEPTH)
    reason =
        (TileRoleReason){"tile-ws/too-many-stages",
                         next_of(plan->fills, channel->buffers[0])->node->op,
                         channel->depth, MAX_DEPTH};
  else
    reason =
        tile_role_place(plan, need, channel->buffers, channel->num_buffers, c);
  if (!reason.code)
    return true;
  for (int i = 0; i < channel->num_buffers; i++)
    channel->buffers[i]->is_alone = true;
  if (channel->num_buffers == 1)
    channel->buffers[0]->reason = reason;
  if (channel->buffers[0]->is_ticket) // what depends on it is given up, too
    slice_candidates(plan);
  return false;
}

static bool place_channels(TileRolePlan *plan, const TileRoleNeed *need) {
  bool all = true;
  clear_places(plan);
  for (int c = 0; c < plan->num_channels; c++)
    all &= place_channel(plan, need, c);
  return all;
}

//===-- What the producer executes ----------------------------------------===//

// A statement with blocks is executed for what is left in it.
static bool mark_needed(TileRolePlan *plan, const TileRoleNeed *need,
                        TileRoleNode *node);

static bool mark_block(TileRolePlan *plan, const TileRoleNeed *need,
                       TileRoleBlock *block) {
  bool any = block->end[TILE_ROLE_PRODUCER].first != NULL;
  for (int i = 0; i < block->num_nodes; i++)
    any |= mark_needed(plan, need, block->nodes[i]);
  return any;
}

static bool defines_needed(const TileRoleNeed *need, const TileRoleNode *node) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(node->op); i++)
    if (tile_pointer_map_get(&need->values,
                             mlirOperationGetResult(node->op, i).ptr))
      return true;
  return false;
}

// Whether the producer has something to do at `node`.
static bool mark_needed(TileRolePlan *plan, const TileRoleNeed *need,
                        TileRoleNode *node) {
  node->is_moved =
      node->fill && node->fill->buffer->channel >= 0 && !node->is_dead;
  node->forward = need->forward[node->id];
  node->window = need->windows[node->id];
  node->is_repeated = need->nodes[node->id];
  node->is_needed =
      node->is_moved || node->is_repeated || defines_needed(need, node);
  for (int b = 0; b < node->num_blocks; b++)
    node->is_needed |= mark_block(plan, need, &node->blocks[b]);
  return node->is_needed || node->before[TILE_ROLE_PRODUCER].first ||
         node->after[TILE_ROLE_PRODUCER].first;
}

static void find_agents(TileRolePlan *plan) {
  for (TileRoleFill *fill = plan->fills; fill; fill = fill->next) {
    if (!fill->node->is_moved)
      continue;
    TileRoleChannel *channel = &plan->channels[fill->buffer->channel];
    channel->has_tma |= fill->instr == TILE_INSTR_Tma;
    channel->has_cp_async |= fill->instr == TILE_INSTR_CpAsync;
    channel->has_simt |=
        fill->instr == TILE_INSTR_Simt ||
        (fill->instr == TILE_INSTR_CpAsync &&
         tile_window_pad(tile_copy_src(tile_copy_cast(fill->node->op))).ptr);
  }
}

//===-- Warpgroups that take tiles in turn --------------------------------===//

// One group where there cannot be two, or they find no place.
static TileRoleReason solve_groups(TileRolePlan *plan,
                                   const TileRoleOptions *options) {
  plan->pingpong_reason = role_pingpong_check(plan);
  if (!plan->pingpong_reason &&
      bytes_with_copies(plan, 2) > plan->target->max_smem_bytes)
    plan->pingpong_reason = "tiles of shared memory have no place twice";
  return tile_role_budget_solve(plan, options);
}

//===-- Entry -------------------------------------------------------------===//

static void give_kernel_up(TileRolePlan *plan, MlirOperation op) {
  plan->kernel_reason =
      (TileRoleReason){.code = "tile-ws/user-sync", .culprit = op};
}

static MlirWalkResult find_sync(MlirOperation op, void *user_data) {
  TileRolePlan *plan = user_data;
  if (tile_foreign_op_needs_threads(op) ||
      tile_op_name_begins(op, "tile.barrier_") || tile_fence_proxy_is(op))
    give_kernel_up(plan, op);
  return plan->kernel_reason.code ? MlirWalkResultInterrupt
                                  : MlirWalkResultAdvance;
}

// The body of a gpu.launch has twelve arguments: block ids, thread ids, grid
// sizes and block sizes, three of each.
static void check_thread_arguments(TileRolePlan *plan) {
  for (intptr_t i = 3; gpu_launch_is(plan->kernel) && i < 12; i++) {
    bool is_thread_id = i < 6, is_block_size = i >= 9;
    MlirOpOperand use = mlirValueGetFirstUse(
        mlirBlockGetArgument(tile_kernel_body(plan->kernel), i));
    if ((is_thread_id || is_block_size) && !mlirOpOperandIsNull(use))
      give_kernel_up(plan, mlirOpOperandGetOwner(use));
  }
}

static void check_kernel(TileRolePlan *plan) {
  MlirOperation end = mlirBlockGetTerminator(tile_kernel_body(plan->kernel));
  if (mlirOperationGetNumOperands(end) > 0)
    plan->kernel_reason =
        (TileRoleReason){.code = "tile-ws/kernel-results", .culprit = end};
  else
    mlirOperationWalk(plan->kernel, find_sync, plan, MlirWalkPreOrder);
  if (!plan->kernel_reason.code)
    check_thread_arguments(plan);
}

static void plan_init(TileRolePlan *plan) {
  plan->instr.target = plan->target;
  plan->instr.num_threads = tile_kernel_num_threads(plan->kernel);
  plan->instr.in_launch = gpu_launch_is(plan->kernel);
  plan->node_of_op.arena = plan->arena;
  plan->buffer_of.arena = plan->arena;
  tile_role_tree_build(plan);
}

// False when nothing is left for a producer.
static bool channels_build(TileRolePlan *plan, TileRoleNeed *need) {
  do {
    plan->num_channels = 0;
    if (!take_buffers(plan))
      return false;
    if (!fit_rings(plan) && leave_preludes(plan))
      take_buffers(plan);
    slice(plan, NULL, need);
    build_channels(plan, need);
  } while (!place_channels(plan, need));
  return true;
}

void tile_role_plan_build(TileArena *arena, MlirOperation kernel,
                          const TileTarget *target,
                          const TileRoleOptions *options,
                          TileRolePlan *out_plan) {
  TileRolePlan *plan = out_plan;
  TileRoleNeed need;
  *plan = (TileRolePlan){.arena = arena, .kernel = kernel, .target = target};
  plan_init(plan);
  check_kernel(plan);
  if (plan->kernel_reason.code)
    return;
  find_candidates(plan);
  slice_candidates(plan);
  do {
    if (!channels_build(plan, &need))
      return;
    mark_block(plan, &need, &plan->body);
    find_agents(plan);
    plan->own = need.own;
    plan->num_own = need.num_own;
    plan->own_registers = need.own_registers;
    plan->needed = need.values;
    if (plan->num_channels > 0)
      plan->kernel_reason = solve_groups(plan, options);
  } while (plan->kernel_reason.code &&
           leave_elements(plan, plan->kernel_reason));
  plan->forwards = need.forwards;
  if (plan->kernel_reason.code)
    plan->num_channels = 0;
}
