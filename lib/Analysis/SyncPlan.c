//===- SyncPlan.c - Where threads meet and writers fence ------------------===//
//
// A forward data-flow analysis over a kernel. The state holds, per buffer, what
// threads may have done since they last met. Rules:
//
//   (S1) A generic access after a generic write of the same bytes, or a generic
//        write after a generic read, needs a barrier: the threads may differ.
//   (S2) An asynchronous access (wgmma operand, TMA) after a generic write
//        needs a proxy fence by the writers and then a barrier (PTX ISA,
//        "Async proxy").
//   (S3) A write of any kind after an asynchronous or generic read needs a
//        barrier; no fence, because a read leaves nothing to be made visible.
//   (S4) A wait on an mbarrier completes the copies that signal it for every
//        thread that waits: what follows needs no barrier.
//   (S5) A barrier without a fence orders generic writes but leaves them
//        unfenced; the fence may then follow it.
//
// Decisions only grow, and the state is a finite set: the fixpoint over loops
// ends after at most (4 bits per buffer + decisions) rounds.
//
//===----------------------------------------------------------------------===//

#include "Tile/Analysis.h"

#include "Tile/Ops/memref.h"
#include "Tile/Ops/scf.h"
#include "Tile/Support/Iterate.h"

//===-- State -------------------------------------------------------------===//

// Per buffer, a set of these.
enum {
  GENERIC_READ = 1,
  GENERIC_WRITE = 2,
  ASYNC_READ = 4,
  ASYNC_WRITE = 8, // issued, not yet waited for
  UNFENCED = 16    // written by the generic proxy since the last fence
};
enum { SINCE_BARRIER = GENERIC_READ | GENERIC_WRITE | ASYNC_READ };

typedef struct {
  uint8_t *bits; // one entry per buffer
} State;

typedef struct {
  TileArena *arena;
  TileSyncPlan *plan;
  TileSharedMemory *shared;
  MlirValue *globals; // tensors, behind the shared buffers
  size_t num_globals, num_buffers;
} Flow;

static State state_create(Flow *flow) {
  return (State){TILE_ARENA_NEW(flow->arena, uint8_t, flow->num_buffers + 1)};
}

static void state_assign(const Flow *flow, State to, State from) {
  memcpy(to.bits, from.bits, flow->num_buffers);
}

// Joins `from` into `to`; true when `to` grew.
static bool state_join(const Flow *flow, State to, State from) {
  bool grew = false;
  for (size_t i = 0; i < flow->num_buffers; i++) {
    grew |= (from.bits[i] & ~to.bits[i]) != 0;
    to.bits[i] |= from.bits[i];
  }
  return grew;
}

static void state_barrier(const Flow *flow, State state) {
  for (size_t i = 0; i < flow->num_buffers; i++)
    state.bits[i] &= (uint8_t)~SINCE_BARRIER;
}

static void state_fence(const Flow *flow, State state) {
  for (size_t i = 0; i < flow->num_buffers; i++)
    state.bits[i] &= (uint8_t)~UNFENCED;
}

//===-- Buffers -----------------------------------------------------------===//

// Number of the buffer behind a tile: shared buffers first, then tensors; -1
// for memory that threads do not share.
static int buffer_index(Flow *flow, MlirValue tile) {
  TileBuffer buffer = tile_buffer_of(tile);
  TileShape shape;
  if (!tile_shape_of(buffer.root, &shape))
    return -1;
  if (shape.space == TILE_SPACE_SHARED) {
    TileSharedBuffer *found = tile_shared_memory_find(flow->shared, tile);
    return found ? (int)(found - flow->shared->buffers) : -1;
  }
  if (shape.space != TILE_SPACE_GLOBAL)
    return -1;
  for (size_t i = 0; i < flow->num_globals; i++)
    if (mlirValueEqual(flow->globals[i], buffer.root))
      return (int)(flow->shared->num_buffers + i);
  return -1;
}

static bool buffers_overlap(const Flow *flow, int a, int b) {
  size_t num_shared = flow->shared->num_buffers;
  if (a == b)
    return true;
  if ((size_t)a >= num_shared || (size_t)b >= num_shared)
    return false; // tensors are disjoint (architecture: arguments of a kernel)
  const TileSharedBuffer *x = &flow->shared->buffers[a],
                         *y = &flow->shared->buffers[b];
  if (x->offset_bytes < 0 || y->offset_bytes < 0)
    return false; // not packed yet: every buffer has bytes of its own
  return x->offset_bytes < y->offset_bytes + y->size_bytes &&
         y->offset_bytes < x->offset_bytes + x->size_bytes;
}

//===-- Accesses ----------------------------------------------------------===//

typedef struct {
  int buffer;
  bool reads, writes, is_async;
} Access;

enum { MAX_ACCESSES = TILE_MAX_ACCESSES };

static bool is_async(MlirOperation op) {
  if (tile_gemm_is(op))
    return tile_gemm_instr(tile_gemm_cast(op)) == TILE_INSTR_Wgmma;
  return tile_copy_is(op) &&
         tile_copy_instr(tile_copy_cast(op)) == TILE_INSTR_Tma;
}

static int accesses_of_scalar(Flow *flow, MlirOperation op, Access *out) {
  bool is_load = memref_load_is(op), is_store = memref_store_is(op);
  if (!is_load && !is_store)
    return 0;
  MlirValue memref = is_load ? memref_load_memref(memref_load_cast(op))
                             : memref_store_memref(memref_store_cast(op));
  int buffer = buffer_index(flow, memref);
  if (buffer < 0)
    return 0;
  out[0] = (Access){buffer, is_load, is_store, false};
  return 1;
}

static int accesses_of(Flow *flow, MlirOperation op, Access out[MAX_ACCESSES]) {
  TileAccess accesses[TILE_MAX_ACCESSES];
  int n = tile_accesses_get(op, accesses), count = 0;
  if (n == 0)
    return accesses_of_scalar(flow, op, out);
  for (int i = 0; i < n; i++) {
    int buffer = buffer_index(flow, accesses[i].tile);
    if (buffer >= 0)
      out[count++] =
          (Access){buffer, accesses[i].reads, accesses[i].writes, is_async(op)};
  }
  return count;
}

//===-- Transfer ----------------------------------------------------------===//

typedef struct {
  bool barrier, fence;
} Need;

// What must stand before `access`, given what happened to one other buffer.
static Need need_against(const Access *access, uint8_t before) {
  Need need = {false, false};
  if (before & GENERIC_WRITE) // (S1), (S2)
    need.barrier = true;
  if (access->writes && before & (GENERIC_READ | ASYNC_READ)) // (S3)
    need.barrier = true;
  if (access->is_async && before & UNFENCED) // (S2), (S5)
    need.fence = true;
  return need;
}

static Need need_before(const Flow *flow, const Access *accesses, int count,
                        State state) {
  Need need = {false, false};
  for (int i = 0; i < count; i++)
    for (size_t b = 0; b < flow->num_buffers; b++) {
      if (!state.bits[b] || !buffers_overlap(flow, accesses[i].buffer, (int)b))
        continue;
      Need one = need_against(&accesses[i], state.bits[b]);
      need.barrier |= one.barrier;
      need.fence |= one.fence;
    }
  return need;
}

static TileSyncPoint *find_point(const TileSyncPlan *plan, MlirOperation op) {
  for (size_t i = 0; i < plan->num_points; i++)
    if (mlirOperationEqual(plan->points[i].before, op))
      return &plan->points[i];
  return NULL;
}

static TileSyncPoint *get_point(Flow *flow, MlirOperation op) {
  TileSyncPlan *plan = flow->plan;
  TileSyncPoint *point = find_point(plan, op);
  if (point)
    return point;
  if (plan->num_points == plan->capacity) {
    size_t capacity = plan->capacity ? 2 * plan->capacity : 16;
    TileSyncPoint *grown = TILE_ARENA_NEW(flow->arena, TileSyncPoint, capacity);
    if (plan->num_points)
      memcpy(grown, plan->points, plan->num_points * sizeof *grown);
    plan->points = grown;
    plan->capacity = capacity;
  }
  point = &plan->points[plan->num_points++];
  *point = (TileSyncPoint){.before = op};
  return point;
}

static void complete_copies(const Flow *flow, State state) { // (S4)
  for (size_t i = 0; i < flow->num_buffers; i++)
    state.bits[i] &= (uint8_t)~ASYNC_WRITE;
}

static void perform(MlirOperation op, const Access *access, State state) {
  uint8_t *bits = &state.bits[access->buffer];
  if (access->is_async) {
    if (access->reads)
      *bits |= ASYNC_READ;
    if (access->writes && tile_copy_is(op))
      *bits |= ASYNC_WRITE;
    return;
  }
  if (access->reads)
    *bits |= GENERIC_READ;
  if (access->writes)
    *bits |= GENERIC_WRITE | UNFENCED;
}

static void transfer_op(Flow *flow, MlirOperation op, State state) {
  if (tile_barrier_sync_is(op)) {
    if (mlirAttributeIsNull(
            tile_barrier_sync_threads_attr(tile_barrier_sync_cast(op))))
      state_barrier(flow, state); // of all threads; partial ones order less
    return;
  }
  if (tile_fence_proxy_is(op)) {
    state_fence(flow, state);
    return;
  }
  if (tile_barrier_wait_is(op)) {
    complete_copies(flow, state);
    return;
  }
  Access accesses[MAX_ACCESSES];
  int count = accesses_of(flow, op, accesses);
  if (count == 0)
    return;
  Need need = need_before(flow, accesses, count, state);
  TileSyncPoint *point = find_point(flow->plan, op);
  if (need.barrier || need.fence || point) {
    point = get_point(flow, op);
    point->barrier |= need.barrier;
    point->fence |= need.fence;
    if (point->fence)
      state_fence(flow, state);
    if (point->barrier)
      state_barrier(flow, state);
  }
  for (int i = 0; i < count; i++)
    perform(op, &accesses[i], state);
}

//===-- Control flow ------------------------------------------------------===//

static void transfer_block(Flow *flow, MlirBlock block, State state);

static void transfer_region(Flow *flow, MlirRegion region, State state) {
  for (MlirBlock block = mlirRegionGetFirstBlock(region); block.ptr;
       block = mlirBlockGetNextInRegion(block))
    transfer_block(flow, block, state);
}

// Either branch may run; without an else, neither.
static void transfer_if(Flow *flow, MlirOperation op, State state) {
  State before = state_create(flow), branch = state_create(flow);
  state_assign(flow, before, state);
  bool has_else =
      mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 1)).ptr != NULL;
  transfer_region(flow, mlirOperationGetRegion(op, 0), state);
  state_assign(flow, branch, before);
  if (has_else)
    transfer_region(flow, mlirOperationGetRegion(op, 1), branch);
  state_join(flow, state, branch);
}

// Any number of rounds over all regions, none included.
static void transfer_loop(Flow *flow, MlirOperation op, State state) {
  State round = state_create(flow);
  do {
    state_assign(flow, round, state);
    for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); r++)
      transfer_region(flow, mlirOperationGetRegion(op, r), round);
  } while (state_join(flow, state, round));
}

// The first region runs at least once, and the loop ends behind it.
static void transfer_while(Flow *flow, MlirOperation op, State state) {
  State round = state_create(flow), end = state_create(flow);
  do {
    state_assign(flow, round, state);
    transfer_region(flow, mlirOperationGetRegion(op, 0), round);
    state_assign(flow, end, round);
    transfer_region(flow, mlirOperationGetRegion(op, 1), round);
  } while (state_join(flow, state, round));
  state_assign(flow, state, end);
}

static void transfer_block(Flow *flow, MlirBlock block, State state) {
  TILE_FOR_EACH_OP (op, block) {
    transfer_op(flow, op, state);
    if (scf_if_is(op))
      transfer_if(flow, op, state);
    else if (scf_while_is(op))
      transfer_while(flow, op, state);
    else if (mlirOperationGetNumRegions(op) > 0)
      transfer_loop(flow, op, state);
  }
}

//===-- Entry -------------------------------------------------------------===//

typedef struct {
  Flow *flow;
  size_t capacity;
} GlobalWalk;

static void note_global(GlobalWalk *walk, MlirValue value) {
  TileShape shape;
  Flow *flow = walk->flow;
  MlirValue root = tile_buffer_of(value).root;
  if (!tile_shape_of(root, &shape) || shape.space != TILE_SPACE_GLOBAL)
    return;
  for (size_t i = 0; i < flow->num_globals; i++)
    if (mlirValueEqual(flow->globals[i], root))
      return;
  if (flow->num_globals == walk->capacity) {
    walk->capacity = walk->capacity ? 2 * walk->capacity : 8;
    MlirValue *grown = TILE_ARENA_NEW(flow->arena, MlirValue, walk->capacity);
    if (flow->num_globals)
      memcpy(grown, flow->globals, flow->num_globals * sizeof *grown);
    flow->globals = grown;
  }
  flow->globals[flow->num_globals++] = root;
}

static MlirWalkResult find_globals(MlirOperation op, void *user_data) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
    note_global(user_data, mlirOperationGetOperand(op, i));
  return MlirWalkResultAdvance;
}

// Offsets that the packing pass wrote; -1 when it has not run.
static void read_offsets(TileSharedMemory *shared) {
  for (size_t i = 0; i < shared->num_buffers; i++) {
    TileSharedBuffer *buffer = &shared->buffers[i];
    MlirAttribute offset =
        buffer->is_barrier
            ? tile_barrier_alloc_offset_attr(
                  tile_barrier_alloc_cast(buffer->op))
            : tile_alloc_offset_attr(tile_alloc_cast(buffer->op));
    buffer->offset_bytes =
        mlirAttributeIsNull(offset) ? -1 : mlirIntegerAttrGetValueInt(offset);
  }
}

void tile_sync_plan_build(TileArena *arena, MlirOperation kernel,
                          TileSyncPlan *out_plan) {
  TileSharedMemory shared;
  tile_shared_memory_build(arena, kernel, &shared);
  read_offsets(&shared);
  *out_plan = (TileSyncPlan){0};
  Flow flow = {.arena = arena, .plan = out_plan, .shared = &shared};
  GlobalWalk walk = {&flow, 0};
  mlirOperationWalk(kernel, find_globals, &walk, MlirWalkPreOrder);
  flow.num_buffers = shared.num_buffers + flow.num_globals;
  transfer_block(&flow, tile_kernel_body(kernel), state_create(&flow));
}
