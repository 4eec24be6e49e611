//===- SplitPads.c - Windows that are inside are read without a pad -------===//
//
// Consumes: copies to shared tiles that TMA could make but for their pad, which
//           is not zero; facts on regions, the target.
// Produces: an `scf.if` around two copies: of a window that is inside the
// tensor,
//           without a pad, and of any other, which prefers cp.async.
// Keeps:    copies that signal, are asynchronous, prefer or require another
//           instruction. Both copies have the place in the plan of a loop
//           that the one had.
// Fails:    never.
// Method:   TMA fills in zeros. Roles, pipelines and the proof know copies in
//           branches, and nothing of pads.
//
//===----------------------------------------------------------------------===//

#include "Analysis/Index/Index.h"
#include "Analysis/Instructions/Instructions.h"
#include "Support/Arena.h"
#include "Support/Constants.h"
#include "Support/Diagnostics.h"
#include "Tile/Ops/arith.h"
#include "Tile/Ops/gpu.h"
#include "Tile/Ops/memref.h"
#include "Tile/Ops/scf.h"
#include "TilePasses.h"

//===-- Plan --------------------------------------------------------------===//

typedef struct Item {
  struct Item *next; // program order
  TileCopyOp copy;
} Item;

typedef struct {
  TileArena *arena;
  TileInstrContext context;
  Item *items, **tail;
} Plan;

// Whether the user leaves the instruction open, or asks for TMA.
static bool is_open(TileCopyOp copy) {
  MlirAttribute instr = tile_copy_instr_attr(copy);
  MlirAttribute prefer = tile_copy_prefer_attr(copy);
  return !tile_copy_async(copy) && mlirValueIsNull(tile_copy_signal(copy)) &&
         (mlirAttributeIsNull(instr) ||
          tile_copy_instr(copy) == TILE_INSTR_Tma) &&
         (mlirAttributeIsNull(prefer) ||
          tile_copy_prefer(copy) == TILE_INSTR_Tma);
}

static MlirWalkResult plan_visit(MlirOperation op, void *user_data) {
  Plan *plan = user_data;
  TileCopyOp copy = tile_copy_dyn(op);
  TileReason reason;
  if (!copy.op.ptr || !is_open(copy) ||
      !tile_window_pad(tile_copy_src(copy)).ptr ||
      !tile_copy_instr_is_legal(copy, TILE_INSTR_Tma, &plan->context, &reason))
    return MlirWalkResultAdvance;
  Item *item = TILE_ARENA_NEW(plan->arena, Item, 1);
  item->copy = copy;
  *plan->tail = item;
  plan->tail = &item->next;
  return MlirWalkResultAdvance;
}

//===-- Apply; cannot fail ------------------------------------------------===//

static MlirValue compare(TileBuilder *b, ArithCmpIPredicate predicate,
                         MlirValue x, MlirValue y) {
  return arith_cmpi(b, .predicate = predicate, .lhs = x, .rhs = y);
}

// Whether the window begins and ends in the tensor, before an end of its own,
// in each dimension in which that is not known.
static MlirValue is_inside(TileBuilder *b, TileRegionOp region) {
  MlirValue source = tile_region_source(region), all = TILE_NULL_VALUE;
  int rank = (int)tile_region_static_sizes_size(region);
  for (int d = 0; d < rank; d++) {
    if (tile_window_is_inside(region, d))
      continue;
    int64_t extent = mlirShapedTypeGetDimSize(mlirValueGetType(source), d);
    MlirValue size = tile_const_index(b, tile_region_static_sizes(region, d));
    MlirValue end = extent >= 0 ? tile_const_index(b, extent)
                                : memref_dim(b, source, tile_const_index(b, d));
    if (tile_region_end(region, d).ptr)
      end = arith_minsi(b, end, tile_region_end(region, d));
    TileInt at = tile_region_offset(region, d);
    MlirValue offset =
        tile_int_is_constant(at) ? tile_const_index(b, at.constant) : at.value;
    MlirValue last = arith_subi(b, end, size);
    MlirValue begins =
        compare(b, ARITH_CMP_I_PREDICATE_sge, offset, tile_const_index(b, 0));
    MlirValue ends = compare(b, ARITH_CMP_I_PREDICATE_sle, offset, last);
    MlirValue both = arith_andi(b, begins, ends);
    all = all.ptr ? arith_andi(b, all, both) : both;
  }
  return all;
}

static MlirValue window_without_pad(TileBuilder *b, TileRegionOp region) {
  int64_t offsets[TILE_MAX_RANK], sizes[TILE_MAX_RANK], dropped[TILE_MAX_RANK];
  MlirValue values[TILE_MAX_RANK];
  TileRange dynamic = tile_region_offsets(region);
  intptr_t rank = tile_region_static_sizes_size(region);
  intptr_t num_dropped = tile_region_dropped_size(region);
  MlirAttribute align = tile_region_align_attr(region);
  for (intptr_t d = 0; d < rank; d++) {
    offsets[d] = tile_region_static_offsets(region, d);
    sizes[d] = tile_region_static_sizes(region, d);
  }
  for (intptr_t i = 0; i < num_dropped; i++)
    dropped[i] = tile_region_dropped(region, i);
  for (intptr_t i = 0; i < dynamic.n; i++)
    values[i] = tile_range_at(dynamic, i);
  return tile_region(
      b, .source = tile_region_source(region), .offsets = {values, dynamic.n},
      .static_offsets = {offsets, rank}, .static_sizes = {sizes, rank},
      .dropped = {num_dropped ? dropped : NULL, num_dropped},
      .align = {!mlirAttributeIsNull(align),
                mlirAttributeIsNull(align) ? 0
                                           : mlirIntegerAttrGetValueInt(align)},
      .on_grid = tile_region_on_grid(region));
}

// A block with `op` and nothing else.
static MlirRegion branch_of(TileBuilder *b, MlirOperation op) {
  MlirBlock block = mlirBlockCreate(0, NULL, NULL);
  MlirRegion region = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(region, block);
  mlirBlockAppendOwnedOperation(block, op);
  mlirRewriterBaseSetInsertionPointToEnd(b->rw, block);
  scf_yield(b, .results = {NULL, 0});
  return region;
}

static void split(TileBuilder *b, TileCopyOp copy) {
  MlirContext context = mlirOperationGetContext(copy.op);
  TileRegionOp region =
      tile_region_cast(mlirOpResultGetOwner(tile_copy_src(copy)));
  b->loc = mlirOperationGetLocation(copy.op);
  mlirRewriterBaseSetInsertionPointBefore(b->rw, copy.op);
  MlirValue inside = is_inside(b, region);
  MlirValue window = window_without_pad(b, region);
  TileCopyOp whole = tile_copy_cast(mlirOperationClone(copy.op));
  TileCopyOp rest = tile_copy_cast(mlirOperationClone(copy.op));
  mlirOperationSetOperand(whole.op, 0, window);
  tile_copy_set_instr_attr(rest, (MlirAttribute){NULL});
  tile_copy_set_prefer_attr(rest, TileInstr_attr(context, TILE_INSTR_CpAsync));
  MlirRegion then_region = branch_of(b, whole.op);
  MlirRegion branches[] = {then_region, branch_of(b, rest.op)};
  mlirRewriterBaseSetInsertionPointBefore(b->rw, copy.op);
  scf_if_op(b, .condition = inside, .thenRegion = branches[0],
            .elseRegion = branches[1]);
  mlirRewriterBaseEraseOp(b->rw, copy.op);
}

//===-- Entry -------------------------------------------------------------===//

static MlirLogicalResult visit_kernel(MlirOperation kernel, void *user_data) {
  TileKernelRun *run = user_data;
  Plan plan = {.arena = &run->arena,
               .context = {.num_threads = tile_kernel_num_threads(kernel),
                           .in_launch = gpu_launch_is(kernel),
                           .splits_pads = true}};
  plan.tail = &plan.items;
  if (tile_failed(tile_target_resolve(kernel, run->target_option,
                                      &plan.context.target)))
    return tile_failure();
  mlirOperationWalk(kernel, plan_visit, &plan, MlirWalkPreOrder);
  TileBuilder b = {mlirIRRewriterCreate(mlirOperationGetContext(kernel)),
                   mlirOperationGetLocation(kernel)};
  for (const Item *item = plan.items; item; item = item->next)
    split(&b, item->copy);
  mlirIRRewriterDestroy(b.rw);
  return tile_success();
}

MlirLogicalResult tile_split_pads_run(MlirOperation op,
                                      const TileSplitPadsOptions *options) {
  return tile_kernels_visit_for_target(op, visit_kernel, options->target);
}
