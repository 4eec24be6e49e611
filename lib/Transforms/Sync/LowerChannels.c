//===- LowerChannels.c - Barriers of asynchronous copies ------------------===//
//
// Consumes: `tile.copy` with instr = tma into shared memory, without `signal`.
// Produces: one row of mbarriers per kernel with a slot per group of copies
//           that are issued together; per group the expected bytes, the copies
//           with `signal`, and the wait. The parity of a slot lives in private
//           memory: it flips when the wait is executed, so it is right under
//           any control flow, also when the group is skipped. Where a role
//           says that a group is there by an arrival, the copies complete on
//           that barrier, and the role goes on.
//           TMA stores become `async`. Channels become mbarriers:
//           ChannelsToBarriers.c.
// Fails:    a kernel that tile_kernel_verify rejects; agents of a channel that
//           are not what its roles do.
//
//===----------------------------------------------------------------------===//

#include "ChannelsToBarriers.h"
#include "Dialect/Ops.h"
#include "Support/Arena.h"
#include "Support/Constants.h"
#include "Support/Diagnostics.h"
#include "Support/Iterate.h"
#include "Tile/Ops/memref.h"
#include "TilePasses.h"

//===-- Plan: groups of copies --------------------------------------------===//

// mbarrier.expect_tx takes 20 bits (PTX ISA, mbarrier transaction count).
enum { MAX_EXPECT_BYTES = (1 << 20) - 1 };

// Copies of one block that may be in flight at the same time: they fill
// different tiles. Only pure ops stand between them.
typedef struct Group {
  struct Group *next; // program order
  MlirOperation first, last;
  int64_t size_bytes;
  MlirOperation arrive; // that tells others, or null
} Group;

typedef struct {
  TileArena *arena;
  Group *groups, **tail;
  int num_waits; // groups that are waited for where they are issued
} Plan;

//===-- Build: IR to plan -------------------------------------------------===//

static bool is_load_to_group(MlirOperation op) {
  if (!tile_copy_is(op))
    return false;
  TileCopyOp copy = tile_copy_cast(op);
  TileShape dst;
  return !mlirAttributeIsNull(tile_copy_instr_attr(copy)) &&
         tile_copy_instr(copy) == TILE_INSTR_Tma &&
         !tile_copy_signal(copy).ptr &&
         tile_shape_of(tile_copy_dst(copy), &dst) &&
         dst.space == TILE_SPACE_SHARED;
}

static int64_t copy_size_bytes(MlirOperation op) {
  TileShape dst;
  tile_shape_of(tile_copy_dst(tile_copy_cast(op)), &dst);
  return tile_shape_num_elems(&dst) * tile_elem_bits(dst.element) / 8;
}

static Group *plan_add(Plan *plan, MlirOperation op) {
  Group *group = TILE_ARENA_NEW(plan->arena, Group, 1);
  *group = (Group){.first = op, .last = op, .size_bytes = copy_size_bytes(op)};
  *plan->tail = group;
  plan->tail = &group->next;
  plan->num_waits++;
  return group;
}

// The tile that a copy fills.
static MlirValue destination(MlirOperation copy) {
  return tile_buffer_of(tile_copy_dst(tile_copy_cast(copy))).root;
}

static bool group_takes(const Group *group, MlirOperation copy) {
  if (group->size_bytes + copy_size_bytes(copy) > MAX_EXPECT_BYTES)
    return false;
  for (MlirOperation op = group->first; !mlirOperationEqual(op, copy);
       op = mlirOperationGetNextInBlock(op))
    if (is_load_to_group(op) &&
        mlirValueEqual(destination(op), destination(copy)))
      return false; // which of the two came last would be open
  return true;
}

//===-- Groups that an arrival completes ----------------------------------===//

typedef struct {
  const Group *group;
  bool is_alone;
} Touch;

// Other ops than TMA loads may need the data where they stand.
static MlirWalkResult find_touch(MlirOperation op, void *user_data) {
  Touch *touch = user_data;
  TileAccess access[TILE_MAX_ACCESSES];
  int n = is_load_to_group(op) ? 0 : tile_accesses_get(op, access);
  MlirOperation end = mlirOperationGetNextInBlock(touch->group->last);
  for (MlirOperation copy = touch->group->first; !mlirOperationEqual(copy, end);
       copy = mlirOperationGetNextInBlock(copy))
    for (int i = 0; i < n && is_load_to_group(copy); i++)
      touch->is_alone &= !mlirValueEqual(tile_buffer_of(access[i].tile).root,
                                         destination(copy));
  return touch->is_alone ? MlirWalkResultAdvance : MlirWalkResultInterrupt;
}

static bool is_before(MlirValue value, MlirOperation op) {
  return !mlirValueIsAOpResult(value) ||
         !mlirBlockEqual(mlirOperationGetBlock(mlirOpResultGetOwner(value)),
                         mlirOperationGetBlock(op)) ||
         mlirOperationIsBeforeInBlock(mlirOpResultGetOwner(value), op);
}

// Whether the role waits in this block before it fills the tiles again.
static bool waits_before(MlirOperation op) {
  TILE_FOR_EACH_OP (before, mlirOperationGetBlock(op)) {
    if (mlirOperationEqual(before, op))
      return false;
    if (tile_barrier_wait_is(before))
      return true;
  }
  return false;
}

// A role that only fills the tiles, once others let it, and arrives next: the
// barrier it arrives at may count the bytes as well.
static bool completes(MlirOperation op, const Group *group) {
  TileBarrierArriveOp arrive = tile_barrier_arrive_dyn(op);
  TileRoleOp role = tile_role_of(op);
  if (!arrive.op.ptr || !role.op.ptr || tile_barrier_arrive_rank(arrive).ptr ||
      !is_before(tile_barrier_arrive_slot(arrive), group->first) ||
      !waits_before(group->first))
    return false;
  Touch touch = {group, true};
  mlirOperationWalk(role.op, find_touch, &touch, MlirWalkPreOrder);
  return touch.is_alone;
}

static void plan_build(Plan *plan, MlirBlock block) {
  Group *open = NULL;
  TILE_FOR_EACH_OP (op, block) {
    if (is_load_to_group(op)) {
      if (!open || !group_takes(open, op)) {
        open = plan_add(plan, op);
        continue;
      }
      open->last = op;
      open->size_bytes += copy_size_bytes(op);
      continue;
    }
    if (open && completes(op, open)) {
      open->arrive = op;
      plan->num_waits--;
    }
    if (!mlirxIsMemoryEffectFree(op))
      open = NULL;
    for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); r++) {
      MlirBlock inner = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r));
      if (!mlirBlockIsNull(inner)) // an scf.if may lack its second block
        plan_build(plan, inner);
    }
  }
}

//===-- Apply: plan to IR; cannot fail ------------------------------------===//

static MlirValue build_phase(TileBuilder *b) {
  MlirContext context = tile_builder_context(b);
  MlirType type =
      mlirMemRefTypeContiguousGet(mlirIntegerTypeGet(context, 32), 0, NULL,
                                  tile_space_attr(context, TILE_SPACE_PRIVATE));
  MlirValue phase = tile_alloc(b, .type = type);
  memref_store(b, .value = tile_const_int(b, 0, 32), .memref = phase);
  return phase;
}

static MlirValue build_barriers(TileBuilder *b, int num_slots) {
  MlirType type = tile_barrier_type(tile_builder_context(b), num_slots);
  MlirValue barriers = tile_barrier_alloc(b, .type = type);
  tile_barrier_init(b, .barrier = barriers, .arrivals = 1);
  return barriers;
}

static void group_signal(TileBuilder *b, const Group *group, MlirValue barriers,
                         MlirValue slot) {
  b->loc = mlirOperationGetLocation(group->first);
  mlirRewriterBaseSetInsertionPointBefore(b->rw, group->first);
  tile_barrier_expect(b, .barrier = barriers, .slot = slot,
                      .bytes = group->size_bytes,
                      .no_arrival = group->arrive.ptr != NULL);
  MlirOperation end = mlirOperationGetNextInBlock(group->last);
  for (MlirOperation op = group->first; !mlirOperationEqual(op, end);
       op = mlirOperationGetNextInBlock(op)) {
    if (!is_load_to_group(op))
      continue;
    tile_copy_set_signal(tile_copy_cast(op), barriers);
    tile_copy_set_slot(tile_copy_cast(op), slot);
  }
}

static void group_wait(TileBuilder *b, const Group *group, MlirValue barriers,
                       MlirValue slot, MlirValue phase) {
  b->loc = mlirOperationGetLocation(group->last);
  mlirRewriterBaseSetInsertionPointAfter(b->rw, group->last);
  MlirValue parity = memref_load(b, .memref = phase);
  tile_barrier_wait(b, .barrier = barriers, .slot = slot, .parity = parity);
  MlirValue flipped = arith_xori(b, parity, tile_const_int(b, 1, 32));
  memref_store(b, .value = flipped, .memref = phase);
}

static void plan_apply(const Plan *plan, MlirOperation kernel) {
  MlirBlock body = tile_kernel_body(kernel);
  TileBuilder b = {mlirIRRewriterCreate(mlirOperationGetContext(kernel)),
                   mlirOperationGetLocation(kernel)};
  MlirValue barriers = TILE_NULL_VALUE; // one slot per group that is waited for
  int num_slots = 0;
  for (const Group *group = plan->groups; group; group = group->next) {
    TileBarrierArriveOp arrive = {group->arrive};
    if (group->arrive.ptr) {
      group_signal(&b, group, tile_barrier_arrive_barrier(arrive),
                   tile_barrier_arrive_slot(arrive));
      continue;
    }
    mlirRewriterBaseSetInsertionPointToStart(b.rw, body);
    MlirValue phase = build_phase(&b);
    if (num_slots == 0) {
      mlirRewriterBaseSetInsertionPointToStart(b.rw, body);
      barriers = build_barriers(&b, plan->num_waits);
    }
    mlirRewriterBaseSetInsertionPointBefore(b.rw, group->first);
    MlirValue slot = tile_const_index(&b, num_slots++);
    group_signal(&b, group, barriers, slot);
    group_wait(&b, group, barriers, slot, phase);
  }
  mlirIRRewriterDestroy(b.rw);
}

// Nobody waits for a TMA store where it is issued: tile-insert-sync puts the
// wait before what needs it, in the same role, arrivals included.
static MlirWalkResult release_store(MlirOperation op, void *user_data) {
  (void)user_data;
  TileCopyOp copy = tile_copy_dyn(op);
  TileShape dst;
  if (!copy.op.ptr || mlirAttributeIsNull(tile_copy_instr_attr(copy)) ||
      tile_copy_instr(copy) != TILE_INSTR_Tma || tile_copy_async(copy) ||
      !tile_shape_of(tile_copy_dst(copy), &dst) ||
      dst.space != TILE_SPACE_GLOBAL)
    return MlirWalkResultAdvance;
  tile_copy_set_async(copy, true);
  return MlirWalkResultAdvance;
}

//===-- Entry -------------------------------------------------------------===//

static MlirLogicalResult visit_kernel(MlirOperation kernel, void *user_data) {
  Plan plan = {.arena = user_data};
  plan.tail = &plan.groups;
  if (tile_failed(tile_channels_to_barriers(plan.arena, kernel)))
    return tile_failure();
  plan_build(&plan, tile_kernel_body(kernel));
  if (plan.groups)
    plan_apply(&plan, kernel);
  mlirOperationWalk(kernel, release_store, NULL, MlirWalkPreOrder);
  return tile_success();
}

MlirLogicalResult
tile_lower_channels_run(MlirOperation op,
                        const TileLowerChannelsOptions *options) {
  (void)options;
  return tile_kernels_visit_in_arena(op, visit_kernel);
}
