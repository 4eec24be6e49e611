//===- ChannelsToBarriers.c - Channels of a kernel to mbarriers -----------===//
//
// Part of tile-lower-channels. A channel becomes two rows of mbarriers.
//
//   (R1) full: one arrival of the leader when TMA fills a part, one of each
//        cp.async thread when its copies have landed, one of each other thread
//        that stores. empty: one of each reading warp. Counts come from the
//        agents that the channel records, never from a use.
//   (R2) Bytes belong to a copy: each TMA copy expects its own just before it
//   is
//        issued, by the thread that issues it. Arrivals belong to the commit
//        and are made on every path. Where all copies of a round stand in the
//        block of the commit, both are one arrive.expect_tx before the
//        first.
//   (R3) What cp.async writes lands after the arrival of its thread: where the
//        asynchronous proxy reads it, the readers fence once they have waited.
//        Other fences and waits before arrivals are those of tile-insert-sync
//        (S9).
//   (R4) An acquire waits for the phase before the one of its round: the first
//        lap passes at once on fresh barriers.
//        Threads that fill nothing arrive nowhere: the others could be two laps
//        ahead, where the parity is the same again. So where TMA fills alone,
//        its leader waits alone.
//   (R5) A role that issues cp.async does not end before the last one landed.
//
//===----------------------------------------------------------------------===//

#include "ChannelsToBarriers.h"

#include "Analysis/Index/Index.h"

#include "Dialect/Products.h"
#include "Support/Constants.h"
#include "Support/Diagnostics.h"
#include "Support/Iterate.h"

enum { WARP_THREADS = 32, MAX_READERS = 32 };

//===-- Plan --------------------------------------------------------------===//

typedef struct Channel {
  struct Channel *next; // program order
  TileChannelOp op;
  TileRoleOp filler; // role that fills, or null
  TileRoleOp readers[MAX_READERS];
  int num_readers;
  int64_t full_arrivals, empty_arrivals;
  bool is_read_async; // matrix ops or TMA read its slots
  bool has_cp_async;
} Channel;

typedef struct {
  TileArena *arena;
  MlirOperation kernel;
  Channel *channels, **tail;
  MlirLogicalResult result;
} Plan;

//===-- Build: who uses a channel -----------------------------------------===//

static TileInstr instr_of(TileCopyOp copy) {
  return mlirAttributeIsNull(tile_copy_instr_attr(copy))
             ? TILE_INSTR_Simt
             : tile_copy_instr(copy);
}

static MlirLogicalResult note_filler(Channel *channel, MlirOperation user) {
  TileRoleOp role = tile_role_of(user);
  if (mlirOperationIsNull(channel->filler.op))
    channel->filler = role;
  if (mlirOperationEqual(channel->filler.op, role.op))
    return tile_success();
  return tile_emit_error_with_note(
      user, mlirOperationGetLocation(channel->filler.op),
      "the other one is here", "fills a channel that another role fills, too");
}

static MlirLogicalResult note_reader(Channel *channel, MlirOperation user) {
  TileRoleOp role = tile_role_of(user);
  for (int i = 0; i < channel->num_readers; i++)
    if (mlirOperationEqual(channel->readers[i].op, role.op))
      return tile_success();
  channel->readers[channel->num_readers++] = role;
  return tile_success();
}

static MlirLogicalResult note_copy(Channel *channel, TileCopyOp copy) {
  if (mlirOperationIsNull(tile_role_of(copy.op).op))
    return tile_emit_error(copy.op, "fills a channel outside of roles");
  if (mlirAttributeIsNull(tile_copy_instr_attr(copy)))
    return tile_emit_error(copy.op, "has no instruction; run "
                                    "tile-instruction-annotation first");
  channel->has_cp_async |= instr_of(copy) == TILE_INSTR_CpAsync;
  return note_filler(channel, copy.op);
}

static MlirLogicalResult note_user(Channel *channel, MlirOperation user) {
  if (tile_copy_is(user))
    return note_copy(channel, tile_copy_cast(user));
  if (tile_acquire_is(user) || tile_commit_is(user))
    return note_filler(channel, user);
  if (tile_wait_is(user) || tile_release_is(user))
    return note_reader(channel, user);
  return tile_emit_error(user, "takes a channel, which only tile.acquire, "
                               "tile.commit, tile.wait, tile.release and "
                               "tile.copy do");
}

//===-- Build: who touches its rings --------------------------------------===//

static bool reads_async(MlirOperation op) {
  TileProduct product;
  if (tile_product_of(op, &product))
    return product.has_instr && product.instr == TILE_INSTR_Wgmma;
  return tile_copy_is(op) && instr_of(tile_copy_cast(op)) == TILE_INSTR_Tma;
}

// Stores that no copy with `signal` makes are made by threads, too.
static MlirLogicalResult note_access(Channel *channel, MlirOperation op,
                                     const TileAccess *access) {
  channel->is_read_async |= access->reads && reads_async(op);
  bool signals = tile_copy_is(op) &&
                 !mlirValueIsNull(tile_copy_signal(tile_copy_cast(op)));
  if (!access->writes || signals)
    return tile_success();
  if (tile_channel_simt_threads(channel->op) == 0)
    return tile_emit_error_with_note(
        op, mlirOperationGetLocation(channel->op.op), "the channel is here",
        "stores to a ring of a channel that has no 'simt_threads'");
  return note_filler(channel, op);
}

static MlirLogicalResult note_uses_of_ring(Channel *channel, MlirValue tile) {
  for (MlirOpOperand use = mlirValueGetFirstUse(tile);
       !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (tile_region_is(user) && tile_failed(note_uses_of_ring(
                                    channel, mlirOperationGetResult(user, 0))))
      return tile_failure();
    TileAccess accesses[TILE_MAX_ACCESSES];
    int n = tile_accesses_get(user, accesses);
    for (int i = 0; i < n; i++)
      if (mlirValueEqual(accesses[i].tile, tile) &&
          tile_failed(note_access(channel, user, &accesses[i])))
        return tile_failure();
  }
  return tile_success();
}

//===-- Build: agents -----------------------------------------------------===//

static MlirLogicalResult check_threads(const Channel *channel, const char *name,
                                       int64_t recorded) {
  int64_t num_threads = tile_role_warps(channel->filler) * WARP_THREADS;
  if (recorded == 0 || recorded == num_threads)
    return tile_success();
  return tile_emit_error_with_note(
      channel->op.op, mlirOperationGetLocation(channel->filler.op),
      "the role is here",
      "has '%s' = %lld, and the role that fills it has %lld threads", name,
      (long long)recorded, (long long)num_threads);
}

// Ping-pong roles read every round, or every one its own.
static MlirLogicalResult check_readers(const Channel *channel) {
  int64_t recorded = tile_channel_consumer_warps(channel->op), sum = 0;
  bool alternate = channel->num_readers > 1;
  for (int i = 0; i < channel->num_readers; i++) {
    TileRoleOp role = channel->readers[i];
    sum += tile_role_warps(role);
    alternate &= tile_role_pingpong(role) && tile_role_warps(role) == recorded;
    if (mlirOperationEqual(role.op, channel->filler.op))
      return tile_emit_error_with_note(
          channel->op.op, mlirOperationGetLocation(role.op), "the role is here",
          "is filled and read by one role; a channel hands tiles from one role "
          "to others");
  }
  if (recorded == sum || alternate)
    return tile_success();
  return tile_emit_error_with_note(
      channel->op.op,
      mlirOperationGetLocation(channel->num_readers ? channel->readers[0].op
                                                    : channel->op.op),
      "a role that reads it is here",
      "has 'consumer_warps' = %lld, and the roles that read it have %lld warps",
      (long long)recorded, (long long)sum);
}

static MlirLogicalResult check_copies(const Channel *channel) {
  MlirValue value = mlirOperationGetResult(channel->op.op, 0);
  for (MlirOpOperand use = mlirValueGetFirstUse(value);
       !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    TileCopyOp copy = tile_copy_dyn(mlirOpOperandGetOwner(use));
    if (mlirOperationIsNull(copy.op))
      continue;
    TileInstr instr = instr_of(copy);
    bool has_agent = instr == TILE_INSTR_Tma ? tile_channel_tma(channel->op)
                     : instr == TILE_INSTR_CpAsync
                         ? tile_channel_cp_async_threads(channel->op) > 0
                         : tile_channel_simt_threads(channel->op) > 0;
    if (instr == TILE_INSTR_CpAsync && tile_window_pad(tile_copy_src(copy)).ptr)
      has_agent &= tile_channel_simt_threads(channel->op) > 0;
    if (!has_agent)
      return tile_emit_error_with_note(
          copy.op, mlirOperationGetLocation(channel->op.op),
          "the channel is here",
          "fills a channel that does not name the agent of its instruction");
  }
  return tile_success();
}

static MlirLogicalResult count_agents(Channel *channel) {
  int64_t cp_async = tile_channel_cp_async_threads(channel->op);
  int64_t simt = tile_channel_simt_threads(channel->op);
  if (mlirOperationIsNull(channel->filler.op) || channel->num_readers == 0)
    return tile_emit_error(channel->op.op,
                           "expects a role that fills it and one that reads "
                           "it, got %s",
                           channel->num_readers ? "none that fills it"
                                                : "none that reads it");
  if (tile_failed(check_copies(channel)) ||
      tile_failed(check_threads(channel, "cp_async_threads", cp_async)) ||
      tile_failed(check_threads(channel, "simt_threads", simt)) ||
      tile_failed(check_readers(channel)))
    return tile_failure();
  channel->full_arrivals = tile_channel_tma(channel->op) + cp_async + simt;
  channel->empty_arrivals = tile_channel_consumer_warps(channel->op);
  if (channel->full_arrivals == 0)
    return tile_emit_error(channel->op.op,
                           "expects an agent that fills it: 'tma', "
                           "'cp_async_threads' or 'simt_threads'");
  return tile_success();
}

static MlirLogicalResult plan_channel(Plan *plan, Channel *channel) {
  MlirValue value = mlirOperationGetResult(channel->op.op, 0);
  for (MlirOpOperand use = mlirValueGetFirstUse(value);
       !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
    if (tile_failed(note_user(channel, mlirOpOperandGetOwner(use))))
      return tile_failure();
  TileRange rings = tile_channel_rings(channel->op);
  for (intptr_t i = 0; i < rings.n; i++)
    if (tile_failed(note_uses_of_ring(channel, tile_range_at(rings, i))))
      return tile_failure();
  MlirOperation parent = mlirOperationGetParentOperation(channel->op.op);
  if (!mlirOperationEqual(parent, plan->kernel))
    return tile_emit_error(channel->op.op, "expects to be directly in the body "
                                           "of the kernel");
  return count_agents(channel);
}

static MlirWalkResult visit_channel(MlirOperation op, void *user_data) {
  Plan *plan = user_data;
  if (!tile_channel_is(op))
    return MlirWalkResultAdvance;
  Channel *channel = TILE_ARENA_NEW(plan->arena, Channel, 1);
  channel->op = tile_channel_cast(op);
  plan->result = plan_channel(plan, channel);
  *plan->tail = channel;
  plan->tail = &channel->next;
  return tile_failed(plan->result) ? MlirWalkResultInterrupt
                                   : MlirWalkResultAdvance;
}

//===-- Apply: one use ----------------------------------------------------===//

typedef struct {
  const Channel *channel;
  MlirValue full, empty;
  TileBuilder b;
} Rewrite;

static MlirValue slot_index(Rewrite *r, MlirValue slot) {
  int64_t constant;
  if (mlirxConstantInt(slot, &constant))
    return tile_const_index(&r->b, constant);
  return arith_index_cast(
      &r->b, .type = mlirIndexTypeGet(tile_builder_context(&r->b)), .in = slot);
}

static int64_t copy_size_bytes(TileCopyOp copy) {
  TileShape dst;
  tile_shape_of(tile_copy_dst(copy), &dst);
  return tile_shape_num_elems(&dst) * tile_elem_bits(dst.element) / 8;
}

static bool is_fill_by_tma(const Rewrite *r, MlirOperation op) {
  TileCopyOp copy = tile_copy_dyn(op);
  return !mlirOperationIsNull(copy.op) &&
         !mlirValueIsNull(tile_copy_signal(copy)) &&
         mlirValueEqual(tile_copy_signal(copy),
                        mlirOperationGetResult(r->channel->op.op, 0)) &&
         instr_of(copy) == TILE_INSTR_Tma;
}

typedef struct {
  const Rewrite *rewrite;
  bool found;
} FindFill;

static MlirWalkResult find_fill(MlirOperation op, void *user_data) {
  FindFill *find = user_data;
  find->found |= is_fill_by_tma(find->rewrite, op);
  return find->found ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

// The first TMA copy of the round that `commit` ends, when all of them stand in
// its block after the acquire (R2); else null.
static MlirOperation first_fill(const Rewrite *r, MlirOperation commit,
                                int64_t *out_bytes) {
  MlirValue value = mlirOperationGetResult(r->channel->op.op, 0);
  MlirOperation first = {NULL};
  *out_bytes = 0;
  TILE_FOR_EACH_OP (op, mlirOperationGetBlock(commit)) {
    if (mlirOperationEqual(op, commit))
      return first;
    if (tile_acquire_is(op) &&
        mlirValueEqual(mlirOperationGetOperand(op, 0), value)) {
      first = (MlirOperation){NULL};
      *out_bytes = 0;
      continue;
    }
    if (is_fill_by_tma(r, op)) {
      if (mlirOperationIsNull(first))
        first = op;
      *out_bytes += copy_size_bytes(tile_copy_cast(op));
      continue;
    }
    FindFill find = {r, false};
    if (mlirOperationGetNumRegions(op) > 0)
      mlirOperationWalk(op, find_fill, &find, MlirWalkPreOrder);
    if (find.found)
      return (MlirOperation){NULL};
  }
  return first;
}

static bool has_acquire_before(const Rewrite *r, MlirOperation commit) {
  MlirValue value = mlirOperationGetResult(r->channel->op.op, 0);
  TILE_FOR_EACH_OP (op, mlirOperationGetBlock(commit)) {
    if (mlirOperationEqual(op, commit))
      return false;
    if (tile_acquire_is(op) &&
        mlirValueEqual(mlirOperationGetOperand(op, 0), value))
      return true;
  }
  return false;
}

static void arrive(Rewrite *r, MlirValue barrier, MlirValue slot,
                   TileArrival by) {
  tile_barrier_arrive(&r->b, .barrier = barrier, .slot = slot,
                      .by = TILE_SOME(by));
}

// Bytes with the arrival of the leader, before the copies. The copies are
// still those that signal the channel.
static bool fuse_expect(Rewrite *r, TileCommitOp commit) {
  enum { MAX_EXPECT_BYTES = (1 << 20) - 1 };
  int64_t bytes;
  MlirOperation first = first_fill(r, commit.op, &bytes);
  if (mlirOperationIsNull(first) || bytes > MAX_EXPECT_BYTES ||
      !has_acquire_before(r, commit.op))
    return false;
  r->b.loc = mlirOperationGetLocation(commit.op);
  mlirRewriterBaseSetInsertionPointBefore(r->b.rw, first);
  tile_barrier_expect(&r->b, .barrier = r->full,
                      .slot = tile_copy_slot(tile_copy_cast(first)),
                      .bytes = bytes);
  for (MlirOperation op = first; !mlirOperationEqual(op, commit.op);
       op = mlirOperationGetNextInBlock(op))
    if (is_fill_by_tma(r, op))
      tile_copy_set_signal(tile_copy_cast(op), r->full);
  return true;
}

static void lower_commit(Rewrite *r, MlirOperation op) {
  TileCommitOp commit = tile_commit_cast(op);
  TileChannelOp channel = r->channel->op;
  bool leader_has_arrived = tile_channel_tma(channel) && fuse_expect(r, commit);
  mlirRewriterBaseSetInsertionPointBefore(r->b.rw, op);
  MlirValue slot = slot_index(r, tile_commit_slot(commit));
  if (tile_channel_tma(channel) && !leader_has_arrived)
    arrive(r, r->full, slot, TILE_ARRIVAL_Leader);
  if (tile_channel_cp_async_threads(channel) > 0)
    arrive(r, r->full, slot, TILE_ARRIVAL_CpAsync);
  if (tile_channel_simt_threads(channel) > 0)
    arrive(r, r->full, slot, TILE_ARRIVAL_Threads);
}

static void wait_for(Rewrite *r, MlirValue barrier, MlirValue slot,
                     MlirValue parity, bool leader) {
  tile_barrier_wait(&r->b, .barrier = barrier, .slot = slot_index(r, slot),
                    .parity = parity, .leader = leader);
}

static void lower_acquire(Rewrite *r, MlirOperation op) {
  TileAcquireOp acquire = tile_acquire_cast(op);
  MlirValue parity = arith_xori(&r->b, tile_acquire_parity(acquire),
                                tile_const_int(&r->b, 1, 32));
  TileChannelOp channel = r->channel->op;
  bool only_tma = tile_channel_cp_async_threads(channel) == 0 &&
                  tile_channel_simt_threads(channel) == 0;
  wait_for(r, r->empty, tile_acquire_slot(acquire), parity, only_tma); // (R4)
}

static void lower_wait(Rewrite *r, MlirOperation op) {
  TileWaitOp wait = tile_wait_cast(op);
  wait_for(r, r->full, tile_wait_slot(wait), tile_wait_parity(wait), false);
  if (r->channel->has_cp_async && r->channel->is_read_async) // (R3)
    tile_fence_proxy(&r->b, 0);
}

static void lower_release(Rewrite *r, MlirOperation op) {
  arrive(r, r->empty, slot_index(r, tile_release_slot(tile_release_cast(op))),
         TILE_ARRIVAL_Warps);
}

// A copy that no commit took along.
static void lower_fill(Rewrite *r, MlirOperation op) {
  TileCopyOp copy = tile_copy_cast(op);
  if (instr_of(copy) == TILE_INSTR_Tma) {
    tile_barrier_expect(&r->b, .barrier = r->full, .slot = tile_copy_slot(copy),
                        .bytes = copy_size_bytes(copy), .no_arrival = true);
    tile_copy_set_signal(copy, r->full);
    return;
  }
  tile_copy_set_signal(copy, (MlirValue){NULL});
  tile_copy_set_slot(copy, (MlirValue){NULL});
  if (instr_of(copy) == TILE_INSTR_CpAsync)
    tile_copy_set_async(copy, true);
}

//===-- Apply: a channel --------------------------------------------------===//

typedef struct {
  bool (*is)(MlirOperation op);
  void (*lower)(Rewrite *r, MlirOperation op);
  bool erases;
} Entry;

// Commits come first: they look for the copies of their round.
static const Entry entries[] = {
    {tile_commit_is, lower_commit, true},   {tile_copy_is, lower_fill, false},
    {tile_acquire_is, lower_acquire, true}, {tile_wait_is, lower_wait, true},
    {tile_release_is, lower_release, true},
};

typedef struct {
  const Entry *entry;
  Rewrite *rewrite;
} UseWalk;

static MlirWalkResult lower_use(MlirOperation op, void *user_data) {
  UseWalk *walk = user_data;
  Rewrite *r = walk->rewrite;
  MlirValue channel = mlirOperationGetResult(r->channel->op.op, 0);
  bool uses = false;
  if (!walk->entry->is(op))
    return MlirWalkResultAdvance;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
    uses |= mlirValueEqual(mlirOperationGetOperand(op, i), channel);
  if (!uses)
    return MlirWalkResultAdvance;
  r->b.loc = mlirOperationGetLocation(op);
  mlirRewriterBaseSetInsertionPointBefore(r->b.rw, op);
  walk->entry->lower(r, op);
  if (walk->entry->erases)
    mlirRewriterBaseEraseOp(r->b.rw, op);
  return MlirWalkResultAdvance;
}

static MlirValue build_barrier(TileBuilder *b, int64_t slots,
                               int64_t arrivals) {
  MlirValue barrier = tile_barrier_alloc(
      b, .type = tile_barrier_type(tile_builder_context(b), slots));
  tile_barrier_init(b, .barrier = barrier, .arrivals = arrivals);
  return barrier;
}

static void apply_channel(MlirRewriterBase rw, const Plan *plan,
                          const Channel *channel) {
  MlirOperation op = channel->op.op;
  Rewrite r = {.channel = channel, .b = {rw, mlirOperationGetLocation(op)}};
  int64_t depth = tile_channel_depth(channel->op);
  TileRange rings = tile_channel_rings(channel->op);
  mlirRewriterBaseSetInsertionPointBefore(rw, op);
  r.full = build_barrier(&r.b, depth, channel->full_arrivals);
  r.empty = build_barrier(&r.b, depth, channel->empty_arrivals);
  MlirValue *values = TILE_ARENA_NEW(plan->arena, MlirValue, rings.n);
  for (intptr_t i = 0; i < rings.n; i++)
    values[i] = tile_range_at(rings, i);
  tile_channel_barriers(&r.b, .rings = {values, rings.n}, .full = r.full,
                        .empty = r.empty);
  for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
    UseWalk walk = {&entries[i], &r};
    mlirOperationWalk(plan->kernel, lower_use, &walk, MlirWalkPostOrder);
  }
  mlirRewriterBaseEraseOp(rw, op);
}

// (R5), at the end of every role that issues cp.async for a channel.
static void drain_roles(MlirRewriterBase rw, const Plan *plan) {
  for (const Channel *c = plan->channels; c; c = c->next) {
    bool is_first = c->has_cp_async;
    for (const Channel *o = plan->channels; o != c; o = o->next)
      is_first &=
          !o->has_cp_async || !mlirOperationEqual(o->filler.op, c->filler.op);
    if (!is_first)
      continue;
    TileBuilder b = {rw, mlirOperationGetLocation(c->filler.op)};
    mlirRewriterBaseSetInsertionPointToEnd(
        rw, mlirRegionGetFirstBlock(mlirOperationGetRegion(c->filler.op, 0)));
    tile_cp_async_commit(&b, 0);
    tile_cp_async_wait(&b, .pending = 0);
  }
}

MlirLogicalResult tile_channels_to_barriers(TileArena *arena,
                                            MlirOperation kernel) {
  Plan plan = {.arena = arena, .kernel = kernel, .result = tile_success()};
  plan.tail = &plan.channels;
  mlirOperationWalk(kernel, visit_channel, &plan, MlirWalkPreOrder);
  if (tile_failed(plan.result) || !plan.channels)
    return plan.result;
  MlirRewriterBase rw = mlirIRRewriterCreate(mlirOperationGetContext(kernel));
  drain_roles(rw, &plan);
  for (const Channel *channel = plan.channels; channel; channel = channel->next)
    apply_channel(rw, &plan, channel);
  mlirIRRewriterDestroy(rw);
  return tile_success();
}
