//===- LowerChannels.c - Barriers of asynchronous copies ------------------===//
//
// Consumes: `tile.copy` with instr = tma into shared memory, without `signal`.
// Produces: one row of mbarriers per kernel with a slot per group of copies
//           that are issued together; per group the expected bytes, the copies
//           with `signal`, and the wait. The parity of a slot lives in private
//           memory: it flips when the wait is executed, so it is right under
//           any control flow, also when the group is skipped.
// Fails:    never.
//
// Channels of pipelined loops will be lowered here as well.
//
//===----------------------------------------------------------------------===//

#include "Tile/Dialect/Ops.h"
#include "Tile/Ops/memref.h"
#include "Tile/Support/Arena.h"
#include "Tile/Support/Constants.h"
#include "Tile/Support/Diagnostics.h"
#include "Tile/Support/Iterate.h"
#include "TilePasses.h"

//===-- Plan: groups of copies --------------------------------------------===//

// mbarrier.expect_tx takes 20 bits (PTX ISA, mbarrier transaction count).
enum { MAX_EXPECT_BYTES = (1 << 20) - 1 };

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

static void plan_build(Plan *plan, MlirBlock block) {
  Group *open = NULL;
  TILE_FOR_EACH_OP (op, block) {
    if (is_load_to_group(op)) {
      int64_t size_bytes = copy_size_bytes(op);
      if (open && open->size_bytes + size_bytes <= MAX_EXPECT_BYTES) {
        open->last = op;
        open->size_bytes += size_bytes;
        continue;
      }
      open = plan_add(plan, op);
      continue;
    }
    // Index arithmetic and windows may stand between copies of one group.
    if (!mlirxIsPure(op))
      open = NULL;
    for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); r++)
      for (MlirBlock inner =
               mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r));
           inner.ptr; inner = mlirBlockGetNextInRegion(inner))
        plan_build(plan, inner);
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
  tile_barrier_sync(b, .id = {0});
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
  for (MlirOperation op = group->first; !mlirOperationEqual(op, end);) {
    MlirOperation next = mlirOperationGetNextInBlock(op);
    if (is_load_to_group(op)) {
      TileCopyOp copy = tile_copy_cast(op);
      b.loc = mlirOperationGetLocation(op);
      mlirRewriterBaseSetInsertionPointBefore(b.rw, op);
      TileCopyOp signalling =
          tile_copy(&b, .src = tile_copy_src(copy), .dst = tile_copy_dst(copy),
                    .map = tile_copy_map(copy), .signal = rewrite->barriers,
                    .slot = index, .instr = TILE_SOME(TILE_INSTR_Tma));
      tile_copy_set_eviction_attr(signalling, tile_copy_eviction_attr(copy));
      mlirRewriterBaseEraseOp(b.rw, op);
    }
    op = next;
  }

  mlirRewriterBaseSetInsertionPointBefore(b.rw, end);
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

//===-- Entry -------------------------------------------------------------===//

static MlirLogicalResult visit_kernel(MlirOperation kernel, void *user_data) {
  Plan plan = {.arena = user_data};
  plan.tail = &plan.groups;
  plan_build(&plan, tile_kernel_body(kernel));
  if (plan.num_groups)
    plan_apply(&plan, kernel);
  return tile_success();
}

MlirLogicalResult
tile_lower_channels_run(MlirOperation op,
                        const TileLowerChannelsOptions *options) {
  (void)options;
  TileArena arena;
  tile_arena_init(&arena);
  MlirLogicalResult result = tile_kernels_visit(op, visit_kernel, &arena);
  tile_arena_deinit(&arena);
  return result;
}
