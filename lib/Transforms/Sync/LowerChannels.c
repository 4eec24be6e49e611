//===- LowerChannels.c - Barriers of asynchronous copies ------------------===//
//
// Consumes: `tile.copy` with instr = tma into shared memory, without `signal`.
// Produces: one row of mbarriers per kernel with a slot per group of copies
//           that are issued together; per group the expected bytes, the copies
//           with `signal`, and the wait. The parity of a slot lives in private
//           memory: it flips when the wait is executed, so it is right under
//           any control flow, also when the group is skipped.
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
} Group;

typedef struct {
  TileArena *arena;
  Group *groups, **tail;
  int num_groups;
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
  *group = (Group){NULL, op, op, copy_size_bytes(op)};
  *plan->tail = group;
  plan->tail = &group->next;
  plan->num_groups++;
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

typedef struct {
  MlirRewriterBase rw;
  MlirValue barriers; // one slot per group
} Rewrite;

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

static void group_apply(Rewrite *rewrite, const Group *group, int slot,
                        MlirValue phase) {
  TileBuilder b = {rewrite->rw, mlirOperationGetLocation(group->first)};
  mlirRewriterBaseSetInsertionPointBefore(b.rw, group->first);
  MlirValue index = tile_const_index(&b, slot);
  tile_barrier_expect(&b, .barrier = rewrite->barriers, .slot = index,
                      .bytes = group->size_bytes);

  MlirOperation end = mlirOperationGetNextInBlock(group->last);
  for (MlirOperation op = group->first; !mlirOperationEqual(op, end);
       op = mlirOperationGetNextInBlock(op)) {
    if (!is_load_to_group(op))
      continue;
    tile_copy_set_signal(tile_copy_cast(op), rewrite->barriers);
    tile_copy_set_slot(tile_copy_cast(op), index);
  }

  b.loc = mlirOperationGetLocation(group->last);
  mlirRewriterBaseSetInsertionPointAfter(b.rw, group->last);
  MlirValue parity = memref_load(&b, .memref = phase);
  tile_barrier_wait(&b, .barrier = rewrite->barriers, .slot = index,
                    .parity = parity);
  MlirValue flipped = arith_xori(&b, parity, tile_const_int(&b, 1, 32));
  memref_store(&b, .value = flipped, .memref = phase);
}

static void plan_apply(const Plan *plan, MlirOperation kernel) {
  MlirBlock body = tile_kernel_body(kernel);
  Rewrite rewrite = {mlirIRRewriterCreate(mlirOperationGetContext(kernel)),
                     {NULL}};
  TileBuilder b = {rewrite.rw, mlirOperationGetLocation(kernel)};
  int slot = 0;
  for (const Group *group = plan->groups; group; group = group->next, slot++) {
    mlirRewriterBaseSetInsertionPointToStart(b.rw, body);
    MlirValue phase = build_phase(&b);
    if (slot == 0) {
      mlirRewriterBaseSetInsertionPointToStart(b.rw, body);
      rewrite.barriers = build_barriers(&b, plan->num_groups);
    }
    group_apply(&rewrite, group, slot, phase);
  }
  mlirIRRewriterDestroy(rewrite.rw);
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
  if (plan.num_groups)
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
