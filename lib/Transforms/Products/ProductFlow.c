//===- ProductFlow.c - Products under way, and where they are awaited -----===//
//
// wgmma groups of a warpgroup complete in order, so a wait is a count: how many
// of the youngest may still be under way. A forward data-flow analysis keeps,
// for each product that may be under way, how many products have been issued
// after it: the least over all paths. An op that needs a product complete
// waits with that number:
//
//   (W1) any use of the accumulator but as the accumulator of a further wgmma
//        product of the same shape;
//   (W2) a write of a factor's buffer, in shared memory or in registers; in a
//        loop one of a window that the products of the same round do not read
//        needs those of earlier rounds only;
//   (W3) the release of a slot of a ring that holds a factor; a late release
//        stands after further products, which do not read the slot;
//   (W4) an arrival on a barrier, the begin of roles, the end of the kernel or
//        of a role, and what is not known;
//   (W5) a guard that a need stands in and the product does not, and the end of
//        a guard that the product stands in: its accumulators would differ
//        between the paths.
//
// A product is asynchronous only where it overlaps: another product is issued,
// or registers or other memory are worked on, while it is under way.
//
//===----------------------------------------------------------------------===//

#include "Products.h"

#include "Analysis/Index/Index.h"
#include "Dialect/Products.h"
#include "Support/Iterate.h"
#include "Tile/Ops/scf.h"
#include <assert.h>

//===-- Products ----------------------------------------------------------===//

enum { MAX_AGE = 7 }; // the oldest counts as this, which waits for more

// A product that has to be complete before a guard, but for its executions
// younger than `from`.
typedef struct Need {
  MlirOperation guard;
  int product, from;
  struct Need *next;
} Need;

typedef struct {
  TileArena *arena;
  TileProductFlow *out;
  int capacity;
  Need *needs;
  bool is_decided;   // awaits are those of the kernel
  bool grew;         // an await was added, or waits for more
  bool has_new_need; // awaits found before it may be too many
} Flow;

static MlirValue root_of(MlirValue tile) { return tile_buffer_of(tile).root; }

static MlirWalkResult collect(MlirOperation op, void *user_data) {
  Flow *flow = user_data;
  TileProductFlow *out = flow->out;
  TileProduct product;
  if (!tile_product_is_wgmma(op, &product) ||
      (flow->is_decided && !product.is_async))
    return MlirWalkResultAdvance;
  TILE_ARENA_RESERVE(flow->arena, out->products, out->num_products,
                     flow->capacity);
  out->products[out->num_products++] =
      (TileFlowProduct){.op = op,
                        .a = root_of(product.a),
                        .b = root_of(product.b),
                        .c = root_of(product.c),
                        .is_async = true};
  return MlirWalkResultAdvance;
}

static int find_product(const TileProductFlow *flow, MlirOperation op) {
  for (int i = 0; i < flow->num_products; i++)
    if (mlirOperationEqual(flow->products[i].op, op))
      return i;
  return -1;
}

//===-- State -------------------------------------------------------------===//

typedef struct {
  uint8_t *ages; // per product, a set
} State;

static State state_create(Flow *flow) {
  return (State){
      TILE_ARENA_NEW(flow->arena, uint8_t, flow->out->num_products + 1)};
}

static void state_assign(const Flow *flow, State to, State from) {
  memcpy(to.ages, from.ages, (size_t)flow->out->num_products);
}

// True when `to` grew.
static bool state_join(const Flow *flow, State to, State from) {
  bool grew = false;
  for (int i = 0; i < flow->out->num_products; i++) {
    grew |= (from.ages[i] & ~to.ages[i]) != 0;
    to.ages[i] |= from.ages[i];
  }
  return grew;
}

// The least age that is at least `from`; MAX_AGE + 1 when there is none.
static int least_age(uint8_t ages, int from) {
  for (int age = from; age <= MAX_AGE; age++)
    if (ages & (1u << age))
      return age;
  return MAX_AGE + 1;
}

// One more product has been issued.
static uint8_t grow_older(uint8_t ages) {
  return (uint8_t)(((unsigned)ages << 1) | (ages & (1u << MAX_AGE)));
}

//===-- What an op needs --------------------------------------------------===//

static int lateness_of(const TileProductFlow *flow, MlirOperation op) {
  for (int i = 0; i < flow->num_late_releases; i++)
    if (mlirOperationEqual(flow->late_releases[i].op, op))
      return flow->late_releases[i].lateness;
  return 0;
}

static bool channel_has_ring(MlirValue channel, MlirValue ring) {
  if (!mlirValueIsAOpResult(channel))
    return true;
  TileChannelOp op = tile_channel_dyn(mlirOpResultGetOwner(channel));
  if (mlirOperationIsNull(op.op))
    return true;
  TileRange rings = tile_channel_rings(op);
  for (intptr_t i = 0; i < rings.n; i++)
    if (mlirValueEqual(root_of(tile_range_at(rings, i)), ring))
      return true;
  return false;
}

// The next product of a chain takes the accumulator as it is: instructions of
// one shape may share registers (PTX ISA, wgmma.wait_group).
static bool continues(const TileProductFlow *flow, MlirOperation op,
                      const TileFlowProduct *product) {
  int next = find_product(flow, op);
  TileProduct a, b;
  TileShape x, y;
  if (next < 0 || !mlirValueEqual(flow->products[next].c, product->c))
    return false;
  tile_product_of(op, &a);
  tile_product_of(product->op, &b);
  return mlirValueEqual(a.c, b.c) && a.policy == b.policy &&
         a.is_sparse == b.is_sparse && tile_shape_of(a.a, &x) &&
         tile_shape_of(b.a, &y) && mlirTypeEqual(x.element, y.element);
}

static MlirWalkResult find_nested(MlirOperation op, void *user_data) {
  const TileProductFlow **flow = user_data;
  if (find_product(*flow, op) < 0)
    return MlirWalkResultAdvance;
  *flow = NULL;
  return MlirWalkResultInterrupt;
}

// Whether two windows of one tile have no element in common in any one round of
// the loop around both. So the slot that is filled next is not the one that is
// read: both are carried by the loop, and stay as far apart as they begin.
static bool windows_miss(MlirValue written, MlirValue read,
                         MlirOperation loop) {
  TileBox a, b;
  TileArena arena;
  TileIndices indices;
  tile_arena_init(&arena);
  tile_indices_init(&indices, &arena);
  bool miss = tile_box_of(written, &a) && tile_box_of(read, &b) &&
              tile_boxes_overlap(&indices, &a, &b, TILE_AGE_SAME, loop) ==
                  TILE_OVERLAP_NONE;
  tile_arena_deinit(&arena);
  return miss;
}

// The youngest age of the product that the write needs complete. Products
// before `op` in its round of a loop are issued on all paths, so what is older
// than their number is of another round: that much is needed when the product
// misses what `op` writes in its own round.
static int products_of_round(const TileProductFlow *flow, MlirOperation op,
                             MlirValue written,
                             const TileFlowProduct *product) {
  MlirBlock body = mlirOperationGetBlock(product->op);
  MlirOperation loop = mlirOperationGetParentOperation(product->op);
  TileProduct factors;
  int count = 0;
  bool is_behind = false;
  if (!scf_for_is(loop) || !tile_op_is_in_block(op, body))
    return 0;
  while (!mlirBlockEqual(mlirOperationGetBlock(op), body))
    op = mlirOperationGetParentOperation(op);
  for (MlirOperation at = mlirBlockGetFirstOperation(body);
       !mlirOperationEqual(at, op); at = mlirOperationGetNextInBlock(at)) {
    const TileProductFlow *nested = flow;
    int i = find_product(flow, at);
    is_behind |= mlirOperationEqual(at, product->op);
    count += i >= 0 && flow->products[i].is_async;
    if (mlirOperationGetNumRegions(at) > 0)
      mlirOperationWalk(at, find_nested, &nested, MlirWalkPreOrder);
    if (!nested)
      return 0;
  }
  tile_product_of(product->op, &factors);
  MlirValue read =
      mlirValueEqual(root_of(written), product->a) ? factors.a : factors.b;
  return is_behind && product->a.ptr != product->b.ptr &&
                 windows_miss(written, read, loop)
             ? count
             : 0;
}

// The youngest age of the product that the access needs complete, or
// MAX_AGE + 1.
static int access_needs(const TileProductFlow *flow, MlirOperation op,
                        const TileAccess *access,
                        const TileFlowProduct *product) {
  MlirValue root = root_of(access->tile);
  if (mlirValueEqual(root, product->c)) // (W1)
    return continues(flow, op, product) ? MAX_AGE + 1 : 0;
  if (access->writes && (mlirValueEqual(root, product->a) || // (W2)
                         mlirValueEqual(root, product->b)))
    return products_of_round(flow, op, access->tile, product);
  return MAX_AGE + 1;
}

//===-- Guards ------------------------------------------------------------===//

// One of the regions runs, once, or none.
static bool is_guard(MlirOperation op) {
  return scf_if_is(op) || scf_index_switch_is(op);
}

// The outermost guard around `op` that `product` stands outside of, or `op`.
static MlirOperation leave_guards(MlirOperation op, MlirOperation product) {
  MlirOperation outermost = op;
  while (!tile_op_is_in_block(product, mlirOperationGetBlock(op))) {
    op = mlirOperationGetParentOperation(op);
    if (is_guard(op))
      outermost = op;
  }
  return outermost;
}

// (W5)
static bool is_end_of_guard(MlirOperation op, MlirOperation product) {
  return scf_yield_is(op) && is_guard(mlirOperationGetParentOperation(op)) &&
         tile_op_is_in_block(product, mlirOperationGetBlock(op));
}

static bool is_end(MlirOperation op) {
  MlirOperation parent = mlirOperationGetParentOperation(op);
  return mlirxIsTerminator(op) &&
         (tile_kernel_is(parent) || tile_role_is(parent));
}

// The executions of the product that `op` itself needs complete: those that
// are at least as old as the result.
static int own_need(const TileProductFlow *flow, MlirOperation op,
                    const TileFlowProduct *product) {
  TileAccess accesses[TILE_MAX_ACCESSES];
  int n = tile_accesses_get(op, accesses), least = MAX_AGE + 1;
  for (int i = 0; i < n; i++) {
    int age = access_needs(flow, op, &accesses[i], product);
    least = age < least ? age : least;
  }
  if (tile_release_is(op)) { // (W3)
    MlirValue channel = tile_release_channel(tile_release_cast(op));
    int lateness = lateness_of(flow, op);
    if (lateness < least && (channel_has_ring(channel, product->a) ||
                             channel_has_ring(channel, product->b)))
      least = lateness;
  }
  if (tile_barrier_arrive_is(op) || tile_commit_is(op) ||
      tile_specialize_is(op) || is_end(op) || // (W4)
      is_end_of_guard(op, product->op))       // (W5)
    return 0;
  return least;
}

// The guard before which product `i` is awaited for the sake of what is
// inside.
static Need *find_need(const Flow *flow, MlirOperation guard, int product) {
  for (Need *need = flow->needs; need; need = need->next)
    if (need->product == product && mlirOperationEqual(need->guard, guard))
      return need;
  return NULL;
}

// The least age of product `i` that has to be complete before `op`. What
// is needed in a guard is noted for the next round.
static int needed_age(Flow *flow, MlirOperation op, int i, uint8_t ages) {
  const TileFlowProduct *product = &flow->out->products[i];
  if (!ages)
    return MAX_AGE + 1;
  Need *noted = find_need(flow, op, i);
  int from = own_need(flow->out, op, product);
  if (noted && noted->from < from)
    from = noted->from;
  int needed = least_age(ages, from);
  if (needed > MAX_AGE)
    return needed;
  MlirOperation guard = leave_guards(op, product->op);
  if (mlirOperationEqual(guard, op))
    return needed;
  Need *need = find_need(flow, guard, i);
  if (need && need->from <= from)
    return MAX_AGE + 1;
  if (!need) {
    need = TILE_ARENA_NEW(flow->arena, Need, 1);
    *need = (Need){guard, i, from, flow->needs};
    flow->needs = need;
  }
  need->from = from;
  flow->has_new_need = true;
  return MAX_AGE + 1;
}

//===-- Awaits ------------------------------------------------------------===//

static TileFlowAwait *find_await(const TileProductFlow *flow,
                                 MlirOperation before) {
  for (int i = 0; i < flow->num_awaits; i++)
    if (mlirOperationEqual(flow->awaits[i].before, before))
      return &flow->awaits[i];
  return NULL;
}

static TileFlowAwait *get_await(Flow *flow, MlirOperation before, int pending) {
  TileProductFlow *out = flow->out;
  TileFlowAwait *found = find_await(out, before);
  if (found) {
    if (pending < found->pending) {
      found->pending = pending;
      flow->grew = true;
    }
    return found;
  }
  TILE_ARENA_RESERVE(flow->arena, out->awaits, out->num_awaits,
                     out->await_capacity);
  flow->grew = true;
  found = &out->awaits[out->num_awaits++];
  int n = out->num_products + 1;
  *found = (TileFlowAwait){.before = before,
                           .pending = pending,
                           .completes = TILE_ARENA_NEW(flow->arena, bool, n),
                           .leaves = TILE_ARENA_NEW(flow->arena, bool, n)};
  return found;
}

// What waits in a kernel that is decided: tile.await, and a synchronous product
// for itself and all before it.
static void await_decided(const TileProductFlow *flow, MlirOperation op,
                          State state) {
  TileProduct product;
  int64_t pending = MAX_AGE + 1;
  if (tile_await_is(op))
    pending = tile_await_pending(tile_await_cast(op));
  else if (tile_product_is_wgmma(op, &product) && !product.is_async)
    pending = 0;
  for (int i = 0; i < flow->num_products && pending <= MAX_AGE; i++)
    state.ages[i] &= (uint8_t)((1u << pending) - 1);
}

static void await(const TileProductFlow *flow, const TileFlowAwait *point,
                  State state) {
  assert(point->pending >= 0 && point->pending <= MAX_AGE);
  uint8_t kept = (uint8_t)((1u << point->pending) - 1);
  for (int i = 0; i < flow->num_products; i++) {
    point->leaves[i] |= (state.ages[i] & kept) != 0;
    point->completes[i] |= (state.ages[i] & ~kept) != 0;
    state.ages[i] &= kept;
  }
}

//===-- Transfer ----------------------------------------------------------===//

// Work that a product under way gives time for.
static bool is_work(MlirOperation op) {
  TileAccess accesses[TILE_MAX_ACCESSES];
  int n = tile_accesses_get(op, accesses);
  for (int i = 0; i < n; i++) {
    TileShape shape;
    if (tile_shape_of(accesses[i].tile, &shape) &&
        shape.space == TILE_SPACE_FRAGMENT)
      return true;
  }
  return false;
}

static void transfer_op(Flow *flow, MlirOperation op, State state) {
  TileProductFlow *out = flow->out;
  int pending = MAX_AGE + 1, issued = find_product(out, op);
  if (mlirxIsMemoryEffectFree(op) && !mlirxIsTerminator(op))
    return;
  if (flow->is_decided)
    await_decided(out, op, state);
  for (int i = 0; i < out->num_products && !flow->is_decided; i++) {
    int needed = needed_age(flow, op, i, state.ages[i]);
    pending = needed < pending ? needed : pending;
  }
  TileFlowAwait *point =
      pending <= MAX_AGE ? get_await(flow, op, pending) : find_await(out, op);
  if (point)
    await(out, point, state);
  bool overlaps = is_work(op);
  if (issued >= 0)
    out->products[issued].own |= state.ages[issued];
  for (int i = 0; i < out->num_products; i++) {
    out->products[i].overlaps |= overlaps && state.ages[i];
    if (issued >= 0 && out->products[issued].is_async)
      state.ages[i] = grow_older(state.ages[i]);
  }
  if (issued >= 0 && out->products[issued].is_async)
    state.ages[issued] |= 1;
}

static void transfer_block(Flow *flow, MlirBlock block, State state);

static void transfer_region(Flow *flow, MlirOperation op, intptr_t r,
                            State state) {
  MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r));
  if (block.ptr)
    transfer_block(flow, block, state);
}

// An empty region is a branch that does nothing.
static void transfer_guard(Flow *flow, MlirOperation op, State state) {
  State before = state_create(flow), branch = state_create(flow);
  state_assign(flow, before, state);
  transfer_region(flow, op, 0, state);
  for (intptr_t r = 1; r < mlirOperationGetNumRegions(op); r++) {
    state_assign(flow, branch, before);
    transfer_region(flow, op, r, branch);
    state_join(flow, state, branch);
  }
}

// Blocks of which nothing is known: in any order, any number of times.
static void transfer_blocks(Flow *flow, MlirOperation op, State state) {
  State round = state_create(flow);
  bool grew;
  do {
    grew = false;
    for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); r++)
      for (MlirBlock block =
               mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r));
           block.ptr; block = mlirBlockGetNextInRegion(block)) {
        state_assign(flow, round, state);
        transfer_block(flow, block, round);
        grew |= state_join(flow, state, round);
      }
  } while (grew);
}

// Any number of rounds; the state only grows, by at most MAX_AGE + 1 ages for
// each product.
static void transfer_loop(Flow *flow, MlirOperation op, State state) {
  State round = state_create(flow);
  do {
    state_assign(flow, round, state);
    for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); r++)
      transfer_region(flow, op, r, round);
  } while (state_join(flow, state, round));
}

// Roles begin with nothing under way, each on its own.
static void transfer_roles(Flow *flow, MlirOperation op) {
  TILE_FOR_EACH_OP (role,
                    mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0))) {
    State state = state_create(flow);
    transfer_region(flow, role, 0, state);
    for (int i = 0; i < flow->out->num_products; i++)
      flow->out->products[i].is_left |= state.ages[i] != 0;
  }
}

static void transfer_block(Flow *flow, MlirBlock block, State state) {
  TILE_FOR_EACH_OP (op, block) {
    transfer_op(flow, op, state);
    if (is_guard(op))
      transfer_guard(flow, op, state);
    else if (tile_specialize_is(op))
      transfer_roles(flow, op);
    else if (scf_for_is(op) || scf_while_is(op))
      transfer_loop(flow, op, state);
    else if (!tile_parallel_is(op))
      transfer_blocks(flow, op, state);
  }
}

//===-- Which products stay synchronous -----------------------------------===//

// True when some product was found to gain nothing.
static bool drop_useless(TileProductFlow *flow) {
  bool dropped = false;
  for (int i = 0; i < flow->num_products; i++) {
    TileFlowProduct *product = &flow->products[i];
    if (!product->is_async || (product->overlaps && !product->is_left))
      continue;
    product->is_async = false;
    dropped = true;
  }
  return dropped;
}

void tile_product_flow_build(TileArena *arena, MlirOperation kernel,
                             TileProductFlow *out) {
  Flow flow = {.arena = arena, .out = out};
  mlirOperationWalk(kernel, collect, &flow, MlirWalkPreOrder);
  // Ends: each round takes at least one product away.
  do {
    out->num_awaits = 0;
    flow.needs = NULL;
    // Needs only come; for the same needs awaits only come and wait for more,
    // at most MAX_AGE times each.
    do {
      if (flow.has_new_need)
        out->num_awaits = 0;
      flow.grew = flow.has_new_need = false;
      for (int i = 0; i < out->num_products; i++)
        out->products[i].overlaps = false;
      size_t size_bytes = sizeof(bool) * (size_t)out->num_products;
      for (int i = 0; i < out->num_awaits; i++) {
        memset(out->awaits[i].completes, 0, size_bytes);
        memset(out->awaits[i].leaves, 0, size_bytes);
      }
      transfer_block(&flow, tile_kernel_body(kernel), state_create(&flow));
    } while (flow.grew || flow.has_new_need);
  } while (drop_useless(out));
}

void tile_product_flow_read(TileArena *arena, MlirOperation kernel,
                            TileProductFlow *out) {
  Flow flow = {.arena = arena, .out = out, .is_decided = true};
  *out = (TileProductFlow){0};
  mlirOperationWalk(kernel, collect, &flow, MlirWalkPreOrder);
  if (out->num_products > 0)
    transfer_block(&flow, tile_kernel_body(kernel), state_create(&flow));
}
