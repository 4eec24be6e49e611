//===- BarrierExtract.c - Kernels as programs on barriers -----------------===//
//
// A kernel on mbarriers that no channel has becomes one program of its block,
// and one of its roles. Barriers and fences that tile-insert-sync would add
// count as if they stood there.
//
//===----------------------------------------------------------------------===//

#include "BarrierExtract.h"

#include "KernelProtocol.h"
#include "Support/Iterate.h"
#include "Support/MlirExtra.h"
#include "Tile/Ops/memref.h"
#include <string.h>

enum { SYNC_OF_ROLE = -1, WARP_THREADS = 32 };

//===-- Barriers ----------------------------------------------------------===//

int extract_row_of(const Extract *e, MlirValue barrier) {
  for (int i = 0; i < e->out->num_channels; i++)
    if (mlirValueEqual(e->barriers->rows[i], barrier))
      return i;
  return -1;
}

static TileProtocolThreads arriving_threads(MlirOperation op) {
  if (tile_barrier_expect_is(op))
    return TILE_PROTOCOL_LEADER;
  TileBarrierArriveOp arrive = tile_barrier_arrive_cast(op);
  if (mlirAttributeIsNull(tile_barrier_arrive_by_attr(arrive)))
    return TILE_PROTOCOL_ALL_THREADS;
  switch (tile_barrier_arrive_by(arrive)) {
  case TILE_ARRIVAL_Warps:
    return TILE_PROTOCOL_ALL_WARPS;
  case TILE_ARRIVAL_Leader:
    return TILE_PROTOCOL_LEADER;
  case TILE_ARRIVAL_Threads:
  case TILE_ARRIVAL_CpAsync:
    break;
  }
  return TILE_PROTOCOL_ALL_THREADS;
}

static bool is_by_cp_async(MlirOperation op) {
  if (!tile_barrier_arrive_is(op))
    return false;
  TileBarrierArriveOp arrive = tile_barrier_arrive_cast(op);
  return !mlirAttributeIsNull(tile_barrier_arrive_by_attr(arrive)) &&
         tile_barrier_arrive_by(arrive) == TILE_ARRIVAL_CpAsync;
}

static bool write_mbarrier(Writer *w, MlirOperation op) {
  bool waits = tile_barrier_wait_is(op);
  if (!waits && !tile_barrier_arrive_is(op) && !tile_barrier_expect_is(op))
    return false;
  TileProtocolNodeKind kind = waits                ? TILE_PROTOCOL_WAIT
                              : is_by_cp_async(op) ? TILE_PROTOCOL_ARRIVE_ASYNC
                                                   : TILE_PROTOCOL_ARRIVE;
  int threads = w->extract->barriers->program->num_threads[w->role];
  bool meets = !waits && arriving_threads(op) == TILE_PROTOCOL_ALL_WARPS &&
               threads == WARP_THREADS;
  if (meets) // the one warp
    extract_add_node(w, TILE_PROTOCOL_SYNC, op)->sync = SYNC_OF_ROLE;
  TileProtocolNode *node = extract_add_node(w, kind, op);
  node->channel = extract_row_of(w->extract, mlirOperationGetOperand(op, 0));
  node->slot = extract_scalar(w->extract, mlirOperationGetOperand(op, 1));
  if (waits) {
    node->parity = extract_scalar(w->extract, mlirOperationGetOperand(op, 2));
    if (tile_barrier_wait_leader(tile_barrier_wait_cast(op)))
      node->threads = TILE_PROTOCOL_LEADER;
    return true;
  }
  node->threads = meets ? TILE_PROTOCOL_LEADER : arriving_threads(op);
  node->count = extract_num_arrivals(op, threads / WARP_THREADS);
  if (tile_barrier_expect_is(op))
    node->expected_bytes =
        tile_barrier_expect_bytes(tile_barrier_expect_cast(op));
  return true;
}

static bool write_order(Writer *w, MlirOperation op) {
  if (tile_barrier_sync_is(op)) {
    TileBarrierSyncOp sync = tile_barrier_sync_cast(op);
    MlirAttribute threads = tile_barrier_sync_threads_attr(sync);
    TileProtocolNode *node = extract_add_node(w, TILE_PROTOCOL_SYNC, op);
    node->sync = SYNC_OF_ROLE;
    if (!mlirAttributeIsNull(threads)) {
      node->sync = (int)tile_barrier_sync_id(sync);
      node->count = (int)mlirIntegerAttrGetValueInt(threads);
    }
  } else if (tile_fence_proxy_is(op)) {
    extract_add_node(w, TILE_PROTOCOL_FENCE, op);
  } else if (tile_cp_async_commit_is(op)) {
    extract_add_node(w, TILE_PROTOCOL_COMMIT, op);
  } else if (tile_cp_async_wait_is(op)) {
    extract_add_node(w, TILE_PROTOCOL_COPY_WAIT, op)->count =
        (int)tile_cp_async_wait_pending(tile_cp_async_wait_cast(op));
  } else if (tile_tma_wait_is(op)) {
    TileProtocolNode *node = extract_add_node(w, TILE_PROTOCOL_STORE_WAIT, op);
    node->count = (int)tile_tma_wait_pending(tile_tma_wait_cast(op));
    node->threads = TILE_PROTOCOL_LEADER;
  } else if (tile_await_is(op)) {
    extract_add_node(w, TILE_PROTOCOL_AWAIT, op)->count =
        (int)tile_await_pending(tile_await_cast(op));
  } else {
    return false;
  }
  return true;
}

// What tile-insert-sync would put in front of the op.
static void write_point(Writer *w, MlirOperation op) {
  const TileSyncPlan *plan = w->extract->barriers->plan;
  for (size_t i = 0; i < plan->num_points; i++) {
    const TileSyncPoint *point = &plan->points[i];
    if (!mlirOperationEqual(point->before, op))
      continue;
    if (point->store_wait) {
      TileProtocolNode *node =
          extract_add_node(w, TILE_PROTOCOL_STORE_WAIT, op);
      node->count = point->pending;
      node->threads = TILE_PROTOCOL_LEADER;
    }
    if (point->fence)
      extract_add_node(w, TILE_PROTOCOL_FENCE, op);
    if (point->barrier)
      extract_add_node(w, TILE_PROTOCOL_SYNC, op)->sync = SYNC_OF_ROLE;
  }
}

//===-- Numbers in private memory -----------------------------------------===//

static bool is_number(MlirValue memref) {
  TileShape shape;
  return tile_shape_of(memref, &shape) && shape.rank == 0 &&
         shape.space == TILE_SPACE_PRIVATE;
}

static TileProtocolScalarId variable_of(Extract *e, MlirValue memref,
                                        int role) {
  BarrierTable *t = e->barriers;
  for (int i = 0; i < t->num_variables; i++)
    if (mlirValueEqual(t->variables[i].memref, memref) &&
        t->variables[i].role == role)
      return t->variables[i].scalar;
  TILE_ARENA_RESERVE(t->arena, t->variables, t->num_variables,
                     t->variable_capacity);
  t->variables[t->num_variables] = (BarrierVariable){
      memref, role,
      extract_bound(e, (MlirValue){NULL}, TILE_PROTOCOL_VARIABLE, NULL, role)};
  return t->variables[t->num_variables++].scalar;
}

static bool write_number(Writer *w, MlirOperation op) {
  Extract *e = w->extract;
  bool is_load = memref_load_is(op);
  if ((!is_load && !memref_store_is(op)) ||
      !is_number(mlirOperationGetOperand(op, is_load ? 0 : 1)))
    return false;
  TileProtocolNode *node = extract_add_node(w, TILE_PROTOCOL_ASSIGN, op);
  TileProtocolScalarId variable =
      variable_of(e, mlirOperationGetOperand(op, is_load ? 0 : 1), w->role);
  if (is_load) {
    node->from = variable;
    node->to = extract_bound(e, mlirOperationGetResult(op, 0),
                             TILE_PROTOCOL_VARIABLE, NULL, w->role);
  } else {
    node->from = extract_scalar(e, mlirOperationGetOperand(op, 0));
    node->to = variable;
  }
  return true;
}

//===-- Ops ---------------------------------------------------------------===//

static MlirWalkResult find_event(MlirOperation op, void *user_data) {
  bool *found = user_data;
  *found |= tile_barrier_wait_is(op) || tile_barrier_arrive_is(op) ||
            tile_barrier_expect_is(op) || tile_barrier_sync_is(op);
  return *found ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

bool extract_program_op(Writer *w, MlirOperation op) {
  bool has_events = false;
  write_point(w, op);
  bool is_switch =
      scf_index_switch_is(op) && mlirOperationGetNumRegions(op) > 1;
  if (scf_if_is(op) || scf_for_is(op) || scf_while_is(op) || is_switch ||
      extract_inlined_block(op).ptr)
    return extract_program_parts(w, op);
  if (tile_specialize_is(op) || write_mbarrier(w, op) || write_order(w, op) ||
      write_number(w, op) || extract_program_elements(w, op))
    return true;
  w->extract->barriers->program->is_partial |=
      tile_turn_is(op) || tile_acquire_is(op) || tile_wait_is(op);
  if (mlirOperationGetNumRegions(op) > 0)
    mlirOperationWalk(op, find_event, &has_events, MlirWalkPreOrder);
  if (has_events)
    extract_fail(w->extract, op,
                 "holds barriers in control flow that is not understood");
  extract_program_accesses(w, op);
  return true;
}

//===-- Rows --------------------------------------------------------------===//

static bool is_event(MlirOperation op) {
  return tile_barrier_wait_is(op) || tile_barrier_arrive_is(op) ||
         tile_barrier_expect_is(op) || tile_copy_is(op);
}

typedef struct {
  bool in_roles, outside, has_channel, has_uses;
  int num_inits, count;
  MlirOperation init;
} RowUses;

static RowUses uses_of_row(MlirValue row) {
  RowUses out = {0};
  for (MlirOpOperand use = mlirValueGetFirstUse(row); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    out.has_channel |= tile_channel_barriers_is(user);
    if (tile_barrier_init_is(user)) {
      out.num_inits++;
      out.init = user;
      out.count = (int)tile_barrier_init_arrivals(tile_barrier_init_cast(user));
    }
    if (!is_event(user))
      continue;
    if (tile_role_of(user).op.ptr)
      out.in_roles = true;
    else
      out.outside = true;
  }
  out.has_uses = out.in_roles || out.outside;
  return out;
}

typedef struct {
  Extract *extract;
  bool has_own; // a row that no channel has
} RowSearch;

static MlirWalkResult find_row(MlirOperation op, void *user_data) {
  RowSearch *search = user_data;
  Extract *e = search->extract;
  BarrierTable *t = e->barriers;
  if (!tile_barrier_alloc_is(op))
    return MlirWalkResultAdvance;
  MlirValue row = mlirOperationGetResult(op, 0);
  RowUses uses = uses_of_row(row);
  if (!uses.has_uses || (t->is_of_roles ? !uses.in_roles : !uses.outside))
    return MlirWalkResultAdvance;
  search->has_own |= !uses.has_channel;
  if (uses.in_roles && uses.outside)
    extract_fail(e, op, "is used by roles and outside of them");
  if (uses.num_inits != 1)
    extract_fail(e, op, "is not initialised once");
  int64_t slots = tile_barrier_type_slots(mlirValueGetType(row));
  if (slots > TILE_PROTOCOL_MAX_DEPTH)
    extract_fail(e, op, "has more slots than can be followed");
  TileProtocol *out = e->out;
  int capacity = t->row_capacity;
  TILE_ARENA_RESERVE(t->arena, t->rows, out->num_channels, t->row_capacity);
  if (capacity != t->row_capacity) {
    TileProtocolChannel *channels =
        TILE_ARENA_NEW(t->arena, TileProtocolChannel, t->row_capacity);
    for (int i = 0; i < out->num_channels; i++)
      channels[i] = out->channels[i];
    out->channels = channels;
  }
  t->rows[out->num_channels] = row;
  out->channels[out->num_channels++] =
      (TileProtocolChannel){.name = "mbarrier",
                            .depth = (int)slots,
                            .full_count = uses.count,
                            .producer = -1};
  return MlirWalkResultAdvance;
}

//===-- Initialisation ----------------------------------------------------===//

typedef struct {
  MlirValue row;
  MlirOperation found;
} UseSearch;

static MlirWalkResult find_use(MlirOperation op, void *user_data) {
  UseSearch *search = user_data;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
    if (is_event(op) &&
        mlirValueEqual(mlirOperationGetOperand(op, i), search->row)) {
      search->found = op;
      return MlirWalkResultInterrupt;
    }
  return MlirWalkResultAdvance;
}

// A use of a row in front of its init, or of one that not all threads know to
// be initialised; or null.
static MlirOperation find_early_use(Extract *e) {
  const BarrierTable *t = e->barriers;
  MlirBlock body = tile_kernel_body(e->kernel);
  for (int i = 0; i < e->out->num_channels && !e->failed.ptr; i++) {
    MlirOperation init = uses_of_row(t->rows[i]).init;
    UseSearch search = {t->rows[i], {NULL}};
    if (!mlirBlockEqual(mlirOperationGetBlock(init), body)) {
      extract_fail(e, init, "initialises barriers inside of control flow");
      return search.found;
    }
    for (MlirOperation op = mlirBlockGetFirstOperation(body);
         !mlirOperationEqual(op, init); op = mlirOperationGetNextInBlock(op)) {
      mlirOperationWalk(op, find_use, &search, MlirWalkPreOrder);
      if (search.found.ptr)
        return search.found;
    }
  }
  return t->plan->unmet;
}

//===-- Programs ----------------------------------------------------------===//

// Numbers that roles begin with.
static void write_initial(Extract *e, int role, TileProtocolBlock *block) {
  Writer w = {.extract = e, .block = block, .role = role};
  TILE_FOR_EACH_OP (op, tile_kernel_body(e->kernel)) {
    if (mlirOperationEqual(op, e->specialize))
      break;
    if (memref_store_is(op))
      write_number(&w, op);
  }
}

static void write_role(Extract *e, const char *name, int64_t num_warps,
                       MlirBlock body) {
  TileProtocol *out = e->out;
  int role = out->num_roles++;
  TileProtocolBlock initial = {0};
  e->barriers->program->num_threads[role] = WARP_THREADS * (int)num_warps;
  out->roles[role].name = name;
  extract_write_block(e, role, body, &out->roles[role].body);
  if (!e->barriers->is_of_roles)
    return;
  write_initial(e, role, &initial);
  TileProtocolBlock *block = &out->roles[role].body;
  int count = initial.num_nodes + block->num_nodes;
  TileProtocolNode **nodes =
      TILE_ARENA_NEW(e->arena, TileProtocolNode *, count + 1);
  for (int i = 0; i < count; i++)
    nodes[i] = i < initial.num_nodes ? initial.nodes[i]
                                     : block->nodes[i - initial.num_nodes];
  *block = (TileProtocolBlock){nodes, count};
}

static void write_programs(Extract *e) {
  if (!e->barriers->is_of_roles) {
    write_role(e, "block", tile_kernel_num_threads(e->kernel) / WARP_THREADS,
               tile_kernel_body(e->kernel));
    return;
  }
  MlirBlock body = tile_specialize_block(tile_specialize_cast(e->specialize));
  TILE_FOR_EACH_OP (op, body) {
    TileRoleOp role = tile_role_dyn(op);
    if (!role.op.ptr)
      continue;
    if (e->out->num_roles == TILE_PROTOCOL_MAX_ROLES) {
      extract_fail(e, op, "is one of too many roles to be followed");
      return;
    }
    MlirStringRef name = tile_role_role(role);
    write_role(e, tile_arena_strdup(e->arena, name.data, name.length),
               tile_role_warps(role),
               mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0)));
  }
}

// Barriers that some of the roles share need all of their threads.
static void check_syncs(Extract *e, const TileProtocolBlock *block, int role) {
  BarrierTable *t = e->barriers;
  for (int i = 0; i < block->num_nodes; i++) {
    const TileProtocolNode *node = block->nodes[i];
    if (node->kind == TILE_PROTOCOL_SYNC && node->sync >= 0)
      t->program->sync_agents[node->sync] |= 3u << 2 * role;
    check_syncs(e, &node->blocks[0], role);
    check_syncs(e, &node->blocks[1], role);
  }
}

static void check_sync_threads(Extract *e, const TileProtocolBlock *block) {
  const BarrierTable *t = e->barriers;
  for (int i = 0; i < block->num_nodes; i++) {
    const TileProtocolNode *node = block->nodes[i];
    int threads = 0;
    for (int r = 0; node->kind == TILE_PROTOCOL_SYNC && node->sync >= 0 &&
                    r < e->out->num_roles;
         r++)
      if (t->program->sync_agents[node->sync] & 1u << 2 * r)
        threads += t->program->num_threads[r];
    if (threads != 0 && threads != node->count)
      extract_fail(e, (MlirOperation){(void *)node->origin},
                   "meets some of the threads that execute it only");
    check_sync_threads(e, &node->blocks[0]);
    check_sync_threads(e, &node->blocks[1]);
  }
}

static bool extract_program(TileArena *arena, MlirOperation kernel,
                            bool is_of_roles, const TileSyncPlan *plan,
                            BarrierProgram *out, MlirOperation *out_early,
                            MlirOperation *out_failed,
                            const char **out_failure) {
  BarrierTable table = {
      .arena = arena, .program = out, .plan = plan, .is_of_roles = is_of_roles};
  Extract e = {.arena = arena,
               .kernel = kernel,
               .specialize = tile_kernel_specialize(kernel).op,
               .out = &out->protocol,
               .barriers = &table};
  RowSearch search = {&e, false};
  *out = (BarrierProgram){
      .protocol = {.is_of_rows = true, .is_of_block = !is_of_roles}};
  table.extract = &e;
  if (is_of_roles && !e.specialize.ptr)
    return false;
  mlirOperationWalk(kernel, find_row, &search, MlirWalkPreOrder);
  if (!search.has_own)
    return false;
  if (!e.failed.ptr) {
    *out_early = find_early_use(&e);
    write_programs(&e);
    extract_program_bytes(e.barriers);
    for (int r = 0; r < out->protocol.num_roles; r++)
      check_syncs(&e, &out->protocol.roles[r].body, r);
    for (int r = 0; r < out->protocol.num_roles; r++)
      check_sync_threads(&e, &out->protocol.roles[r].body);
  }
  *out_failed = e.failed;
  *out_failure = e.failure;
  return true;
}

static const char *role_name_of(MlirOperation op, TileArena *arena) {
  MlirStringRef name = tile_role_role(tile_role_of(op));
  return tile_arena_strdup(arena, name.data, name.length);
}

bool tile_barriers_verify(TileArena *arena, MlirOperation kernel,
                          bool is_of_roles, const TileSyncPlan *plan,
                          const TileProtocolLimits *limits,
                          TileProtocol *out_protocol,
                          TileProtocolVerdict *out_verdict,
                          MlirOperation *out_failed, const char **out_failure) {
  BarrierProgram *program = TILE_ARENA_NEW(arena, BarrierProgram, 1);
  TileProtocolNode *node = TILE_ARENA_NEW(arena, TileProtocolNode, 1);
  MlirOperation early = {NULL};
  if (!extract_program(arena, kernel, is_of_roles, plan, program, &early,
                       out_failed, out_failure))
    return false;
  *out_protocol = program->protocol;
  if (out_failed->ptr)
    return true;
  if (!early.ptr) {
    barrier_program_verify(program, limits, arena, out_verdict);
    return true;
  }
  node->origin = early.ptr;
  *out_verdict =
      (TileProtocolVerdict){.outcome = TILE_PROTOCOL_REJECTED,
                            .code = "init-unseen",
                            .text = "uses a barrier before all threads have "
                                    "met behind its initialisation",
                            .channel = -1,
                            .node = node};
  for (int r = 0; r < program->protocol.num_roles; r++)
    if (tile_role_of(early).op.ptr && strcmp(program->protocol.roles[r].name,
                                             role_name_of(early, arena)) == 0)
      out_verdict->role = r;
  return true;
}
