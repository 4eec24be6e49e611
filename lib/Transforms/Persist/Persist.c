//===- Persist.c - Blocks that loop over tiles ----------------------------===//
//
// Consumes: launches with more blocks ("tiles") than multiprocessors.
// Produces: a grid of min(multiprocessors · blocks per multiprocessor, tiles),
//           and a loop over tiles around the body; block ids are those of the
//           tile. Where shared memory is short, epilogues in parts. A remark
//           where a launch that would gain stays as it is.
// Fails:    `persist = true` in tile.kernel_config, and it is not possible.
// Idempotent: a grid made from `tile.num_sms` is left alone.
//
//===----------------------------------------------------------------------===//

#include "Analysis/Cost/Cost.h"
#include "Analysis/Index/Index.h"
#include "Analysis/Instructions/Instructions.h"
#include "Analysis/Memory/Memory.h"
#include "Support/Constants.h"
#include "Support/Diagnostics.h"
#include "Support/Iterate.h"
#include "Support/KeyTable.h"
#include "Tile/Ops/arith.h"
#include "Tile/Ops/gpu.h"
#include "Tile/Ops/memref.h"
#include "Tile/Ops/scf.h"
#include "TilePasses.h"
#include "Transforms/Persist/BlockIds.h"
#include "Transforms/Roles/Roles.h"
#include "Transforms/Stores/Stores.h"

#include <string.h>

//===-- The plan ----------------------------------------------------------===//

// A tile is what one block of the launch computes; the blocks of a persistent
// launch stay on their multiprocessors and compute several tiles one after the
// other.

// A launch may be made persistent when its blocks may run one after the other,
// in any order, on the same threads:
//
//   - its state begins anew with each tile: tiles of shared memory do, since
//     their contents are undefined at first; mbarriers and roles do not;
//   - no block waits for another one, and none belongs to a cluster.
//
// It pays when the copies of the next tile can be under way while this one is
// stored: the kernel will have roles, and no other block on the multiprocessor
// that would fill the gap. Without roles a loop over tiles only keeps addresses
// and counters in registers. Blocks that take differently long are left to the
// scheduler of the hardware, which gives the next one to whoever is done.

// Why the launch stays as it is.
typedef struct {
  const char *code;      // "tile-persist/clusters"; NULL: no reason
  MlirOperation culprit; // the op to look at, or null
  bool is_illegal;       // else it would not pay
  int64_t figures[2];    // what the units of the text count
  const char *unit;      // NULL; or what is wanted and at most there
} TilePersistReason;

typedef struct {
  TileArena *arena;
  const TileTarget *target;
  GPULaunchOp launch;
  // No loop whose copies a producer could make run ahead: nothing is said of
  // such a launch unless it has to be persistent.
  bool is_candidate;
  bool is_persistent; // the grid is made from the multiprocessors already
  bool is_by_hand;    // blocks take tiles in steps of the grid, or by tickets
  TilePersistReason reason;
  int64_t num_tiles;     // -1: not a constant
  int64_t blocks_per_sm; // at least 1
  // Rows of a panel of tiles, or columns (tile.block_swizzle); 0: tiles in the
  // order of
  // their numbers.
  int64_t panel;
  TileRaster raster;
  TileStaging *stagings;
  // Two warpgroups are to take tiles in turn, each with staging tiles of its
  // own.
  bool is_pingpong;
} TilePersistPlan;

// What a code means, and what helps; what the figures of the reason count, if
// there are any.
typedef struct {
  const char *code, *reason, *help, *note, *units[2];
} TilePersistText;

//===-- Tiles that epilogues are stored from ------------------------------===//
//
// In a persistent launch the rings are full of the next tile while this one is
// stored, so a tile that the store passes through needs bytes of its own. Where
// they are missing, it is cut into parts.

// A copy that reads or writes all of `tile` as operand `operand`.
static TileCopyOp copy_of(MlirValue tile, intptr_t operand) {
  TileCopyOp found = {TILE_NULL_OP};
  for (MlirOpOperand use = mlirValueGetFirstUse(tile);
       !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
    if (tile_copy_is(mlirOpOperandGetOwner(use)) &&
        mlirOpOperandGetOperandNumber(use) == operand)
      found = tile_copy_cast(mlirOpOperandGetOwner(use));
  return found;
}

static int count_uses(MlirValue value) {
  int count = 0;
  for (MlirOpOperand use = mlirValueGetFirstUse(value);
       !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
    count++;
  return count;
}

// `second` follows `first` in its block, and nothing between has effects.
static bool are_neighbours(MlirOperation first, MlirOperation second) {
  MlirOperation op = mlirOperationGetNextInBlock(first);
  while (op.ptr && !mlirOperationEqual(op, second) &&
         mlirxIsMemoryEffectFree(op))
    op = mlirOperationGetNextInBlock(op);
  return op.ptr && mlirOperationEqual(op, second);
}

// The last dimension of the window is the last one of the tensor.
static bool has_last_dim(MlirValue window) {
  TileBox box;
  return tile_box_of(window, &box) && box.region.op.ptr && box.rank > 0 &&
         box.dim[box.rank - 1] >= 0;
}

// Rows of a part are whole lines of 32 bytes, and as aligned as those of the
// tile are said to be.
static int64_t unit_bytes(TileCopyOp store) {
  enum { LINE_BYTES = 32 };
  TileRegionOp region =
      tile_region_cast(mlirOpResultGetOwner(tile_copy_dst(store)));
  if (mlirAttributeIsNull(tile_region_align_attr(region)) ||
      tile_region_align(region) < LINE_BYTES)
    return LINE_BYTES;
  return tile_region_align(region);
}

static bool staging_of(TileAllocOp alloc, TileStaging *out) {
  enum { DST = 1 }; // operand number
  MlirValue tile = tile_alloc_memref(alloc);
  TileShape shape, from;
  if (!tile_shape_of(tile, &shape) || shape.space != TILE_SPACE_SHARED ||
      shape.rank < 1 || !mlirAttributeIsNull(tile_alloc_layout_attr(alloc)) ||
      count_uses(tile) != 2)
    return false;
  *out = (TileStaging){.alloc = alloc,
                       .fill = copy_of(tile, DST),
                       .store = copy_of(tile, 0),
                       .num_columns = shape.extent[shape.rank - 1]};
  if (!out->fill.op.ptr || !out->store.op.ptr ||
      !tile_shape_of(tile_copy_src(out->fill), &from) ||
      from.space != TILE_SPACE_FRAGMENT ||
      !tile_is_whole(tile_copy_src(out->fill)) ||
      !has_last_dim(tile_copy_dst(out->store)) ||
      !are_neighbours(out->fill.op, out->store.op))
    return false;
  int64_t elem_bits = tile_elem_bits(shape.element);
  out->cut = tile_staging_cut_whole(
      tile_shape_num_elems(&shape) * elem_bits / 8,
      out->num_columns * elem_bits / 8, unit_bytes(out->store));
  return true;
}

typedef struct {
  TilePersistPlan *plan;
  TileStaging **tail;
} Find;

static MlirWalkResult find_staging(MlirOperation op, void *user_data) {
  Find *find = user_data;
  TileStaging found;
  if (!tile_alloc_is(op) || !staging_of(tile_alloc_cast(op), &found))
    return MlirWalkResultAdvance;
  *find->tail = TILE_ARENA_NEW(find->plan->arena, TileStaging, 1);
  **find->tail = found;
  find->tail = &(*find->tail)->next;
  return MlirWalkResultAdvance;
}

// Cuts staging tiles until `total_bytes` of shared memory are at most
// `limit_bytes`, with `num_copies` of each staging tile where one is counted.
// False when that is not enough.
static bool solve_staging(TilePersistPlan *plan, int64_t total_bytes,
                          int num_copies, int64_t limit_bytes) {
  Find find = {plan, &plan->stagings};
  plan->stagings = NULL;
  mlirOperationWalk(plan->launch.op, find_staging, &find, MlirWalkPreOrder);
  for (TileStaging *s = plan->stagings; s; s = s->next)
    total_bytes += (num_copies - 1) * tile_staging_cut_bytes(&s->cut);
  while (total_bytes > limit_bytes) {
    TileStaging *largest = NULL;
    for (TileStaging *s = plan->stagings; s; s = s->next) {
      TileStagingCut next = s->cut;
      if (tile_staging_cut_next(&next) &&
          (!largest || tile_staging_cut_bytes(&s->cut) >
                           tile_staging_cut_bytes(&largest->cut)))
        largest = s;
    }
    if (!largest)
      return false;
    total_bytes -= num_copies * tile_staging_cut_bytes(&largest->cut);
    tile_staging_cut_next(&largest->cut);
    total_bytes += num_copies * tile_staging_cut_bytes(&largest->cut);
  }
  return true;
}

//===-- Texts -------------------------------------------------------------===//

static const TilePersistText texts[] = {
    {"tile-persist/clusters",
     "the blocks form clusters",
     "launch without clusters",
     NULL,
     {NULL, NULL}},
    {"tile-persist/user-sync",
     "the kernel holds barriers or roles of its own, whose state outlives a "
     "tile",
     "leave them to the compiler, or write the loop over tiles yourself",
     "this op",
     {NULL, NULL}},
    {"tile-persist/foreign-op",
     "the kernel holds an op of which it is not known whether it may run once "
     "per tile",
     "move it out of the kernel",
     "this op",
     {NULL, NULL}},
    {"tile-persist/waits",
     "a loop reads memory that the kernel writes: blocks may wait for each "
     "other",
     "use one kernel after the other",
     "it is read here",
     {NULL, NULL}},
    {"tile-persist/few-tiles",
     "the launch has no more blocks than the chip has multiprocessors",
     "nothing is lost, all blocks run at once",
     NULL,
     {"blocks", "multiprocessors"}},
    {"tile-persist/uneven",
     "how long a block takes depends on its number; the hardware gives the "
     "next one to whoever is done first",
     "persist = true in tile.kernel_config, if it hardly does",
     "this op",
     {NULL, NULL}},
    {"tile-persist/shared-memory",
     "the tiles that it is stored from may have no place beside the rings, "
     "which the next tile fills meanwhile",
     "fewer stages; copies from a fragment to a shared tile, and from there to "
     "the tensor next, are made in parts",
     NULL,
     {"bytes", "are left"}},
    {"tile-persist/occupancy",
     "several blocks fit on a multiprocessor, where one computes while another "
     "stores",
     "persist = true in tile.kernel_config",
     NULL,
     {"blocks", NULL}},
    {"tile-persist/no-roles",
     "it will have no roles, so that no copy of the next tile is under way "
     "while "
     "this one is stored",
     "what the remark about its loop says, or persist = true in "
     "tile.kernel_config",
     NULL,
     {NULL, NULL}},
};

// The texts of `code`, which exists.
static const TilePersistText *persist_text(const char *code) {
  size_t i = 0;
  while (strcmp(texts[i].code, code) != 0)
    i++;
  return &texts[i];
}

static void give_up(TilePersistPlan *plan, const char *code,
                    MlirOperation culprit, bool is_illegal) {
  if (plan->reason.code && (plan->reason.is_illegal || !is_illegal))
    return; // the first one; what is illegal counts more
  plan->reason = (TilePersistReason){
      .code = code, .culprit = culprit, .is_illegal = is_illegal};
}

// What does not pay, with the figures that say so.
static void give_up_for(TilePersistPlan *plan, const char *code, int64_t first,
                        int64_t second) {
  bool is_first = !plan->reason.code;
  give_up(plan, code, TILE_NULL_OP, false);
  if (!is_first)
    return;
  plan->reason.figures[0] = first;
  plan->reason.figures[1] = second;
}

//===-- The launch --------------------------------------------------------===//

static bool depends_on_sms(MlirValue value, int depth) {
  if (depth == 0 || !mlirValueIsAOpResult(value))
    return false;
  MlirOperation op = mlirOpResultGetOwner(value);
  bool found = tile_num_sms_is(op);
  for (intptr_t i = 0; !found && i < mlirOperationGetNumOperands(op); i++)
    found = depends_on_sms(mlirOperationGetOperand(op, i), depth - 1);
  return found;
}

static void read_grid(TilePersistPlan *plan) {
  enum { MAX_DEPTH = 6 }; // host arithmetic of grids is shallow
  MlirValue size[3] = {gpu_launch_gridSizeX(plan->launch),
                       gpu_launch_gridSizeY(plan->launch),
                       gpu_launch_gridSizeZ(plan->launch)};
  plan->num_tiles = 1;
  for (int i = 0; i < 3; i++) {
    int64_t extent;
    plan->is_persistent |= depends_on_sms(size[i], MAX_DEPTH);
    if (plan->num_tiles >= 0 &&
        (!mlirxConstantInt(size[i], &extent) || extent < 0 ||
         __builtin_mul_overflow(plan->num_tiles, extent, &plan->num_tiles)))
      plan->num_tiles = -1;
  }
  int64_t extent[3];
  if (!tile_launch_cluster(plan->launch.op, extent))
    return;
  give_up(plan, "tile-persist/clusters", TILE_NULL_OP, true);
}

//===-- What a scan knows -------------------------------------------------===//

typedef struct {
  TilePersistPlan *plan;
  TileInstrContext instr;
  TileIdMasks masks;
  int64_t row_bytes[2]; // copied per step and block: by x only, by y only
  bool may_have_roles;  // the kernel does not refuse
} Scan;

//===-- Is it legal? ------------------------------------------------------===//

static bool has_prefix(MlirOperation op, const char *prefix) {
  MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
  size_t length = strlen(prefix);
  return name.length >= length && !memcmp(name.data, prefix, length);
}

static bool is_global(MlirValue memref) {
  TileShape shape;
  return tile_shape_of(memref, &shape) &&
         (shape.space == TILE_SPACE_GLOBAL || shape.space == TILE_SPACE_OTHER);
}

static bool has_state(MlirOperation op) {
  static const char *const prefixes[] = {
      "tile.barrier_",     "tile.specialize", "tile.channel", "tile.grid_sync",
      "tile.cluster_sync", "tile.remote",     "nvvm.",        "nvgpu.",
      "gpu.barrier"};
  for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
    if (has_prefix(op, prefixes[i]))
      return true;
  return false;
}

// A loop that ends when another block has written something.
static MlirWalkResult find_poll(MlirOperation op, void *user_data) {
  TilePersistPlan *plan = user_data;
  bool is_update =
      (memref_atomic_rmw_is(op) || memref_generic_atomic_rmw_is(op)) &&
      !mlirOpOperandIsNull(mlirValueGetFirstUse(mlirOperationGetResult(op, 0)));
  if (memref_load_is(op) && is_global(memref_load_memref(memref_load_cast(op))))
    is_update |= tile_kernel_may_write(
        plan->launch.op,
        tile_tensor_root(memref_load_memref(memref_load_cast(op))));
  if (is_update || tile_atomic_load_is(op))
    give_up(plan, "tile-persist/waits", op, true);
  return MlirWalkResultAdvance;
}

static void check_op(TilePersistPlan *plan, MlirOperation op) {
  if (has_state(op))
    give_up(plan, "tile-persist/user-sync", op, true);
  else if (!tile_op_asks_for_ids_in_sight(op))
    give_up(plan, "tile-persist/foreign-op", op, true);
  if (scf_while_is(op))
    mlirOperationWalk(op, find_poll, plan, MlirWalkPreOrder);
}

//===-- Does it pay? ------------------------------------------------------===//

static int64_t size_bytes(MlirValue tile) {
  TileShape shape;
  if (!tile_shape_of(tile, &shape) || !tile_shape_is_static(&shape))
    return 0;
  return tile_shape_num_elems(&shape) * tile_elem_bits(shape.element) / 8;
}

static bool is_by_tma(const Scan *scan, TileCopyOp copy) {
  TileReason reason;
  if (!mlirAttributeIsNull(tile_copy_instr_attr(copy)))
    return tile_copy_instr(copy) == TILE_INSTR_Tma;
  return tile_copy_instr_is_legal(copy, TILE_INSTR_Tma, &scan->instr, &reason);
}

static void note_copy(Scan *scan, TileCopyOp copy) {
  TileBuffer to = tile_buffer_of(tile_copy_dst(copy));
  TileShape src, dst;
  if (tile_num_stages_around(copy.op) < 1 ||
      !tile_shape_of(tile_copy_src(copy), &src) ||
      !tile_shape_of(to.root, &dst) || src.space != TILE_SPACE_GLOBAL ||
      dst.space != TILE_SPACE_SHARED)
    return;
  scan->plan->is_candidate |= scan->may_have_roles && is_by_tma(scan, copy);
  int mask =
      tile_id_mask(&scan->masks, tile_copy_src(copy)) & (TILE_BY_X | TILE_BY_Y);
  if (mask == TILE_BY_X || mask == TILE_BY_Y)
    scan->row_bytes[mask == TILE_BY_Y] += size_bytes(tile_copy_src(copy));
}

static MlirWalkResult find_tile_op(MlirOperation op, void *user_data) {
  bool *found = user_data;
  *found |= tile_op_is(op) && !tile_is_name_op(op);
  return *found ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

static void check_even(Scan *scan, MlirOperation op, int mask) {
  bool found = false;
  bool decides = scf_for_is(op) || scf_if_is(op) || scf_index_switch_is(op);
  if (!(decides && mask) && !scf_while_is(op))
    return;
  mlirOperationWalk(op, find_tile_op, &found, MlirWalkPreOrder);
  if (found)
    give_up(scan->plan, "tile-persist/uneven", op, false);
}

static bool is_grid_size(const TilePersistPlan *plan, MlirValue value) {
  enum { FIRST_GRID_SIZE = 6 }; // arguments of a launch
  MlirValue size[3] = {gpu_launch_gridSizeX(plan->launch),
                       gpu_launch_gridSizeY(plan->launch),
                       gpu_launch_gridSizeZ(plan->launch)};
  MlirBlock body = tile_kernel_body(plan->launch.op);
  int64_t extent, number;
  for (intptr_t i = 0; i < 3; i++)
    if (mlirValueEqual(value, size[i]) ||
        mlirValueEqual(value,
                       mlirBlockGetArgument(body, FIRST_GRID_SIZE + i)) ||
        (mlirxConstantInt(size[i], &extent) && extent > 1 &&
         mlirxConstantInt(value, &number) && number == extent))
      return true;
  return mlirValueIsAOpResult(value) &&
         gpu_grid_dim_is(mlirOpResultGetOwner(value));
}

static bool is_made_of_grid_size(const TilePersistPlan *plan, MlirValue value,
                                 int depth) {
  bool found = is_grid_size(plan, value);
  if (found || depth == 0 || !mlirValueIsAOpResult(value) ||
      !arith_muli_is(mlirOpResultGetOwner(value)))
    return found;
  MlirOperation op = mlirOpResultGetOwner(value);
  for (intptr_t i = 0; !found && i < mlirOperationGetNumOperands(op); i++)
    found =
        is_made_of_grid_size(plan, mlirOperationGetOperand(op, i), depth - 1);
  return found;
}

static MlirWalkResult find_stages(MlirOperation op, void *user_data) {
  bool *found = user_data;
  *found |= !mlirAttributeIsNull(mlirOperationGetDiscardableAttributeByName(
      op, TILE_STR("tile.num_stages")));
  return *found ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

// The user's own loop over tiles: from a number of the block, in steps of the
// grid, around what is pipelined.
static void note_tile_loop(Scan *scan, MlirOperation op) {
  enum { MAX_DEPTH = 3 };
  ScfForOp loop = scf_for_dyn(op);
  bool is_pipelined = false, holds_pipelined = false;
  if (!loop.op.ptr || !tile_id_mask(&scan->masks, scf_for_lowerBound(loop)) ||
      !is_made_of_grid_size(scan->plan, scf_for_step(loop), MAX_DEPTH))
    return;
  find_stages(op, &is_pipelined);
  mlirOperationWalk(op, find_stages, &holds_pipelined, MlirWalkPreOrder);
  scan->plan->is_by_hand |= holds_pipelined && !is_pipelined;
}

static void note_ticket(Scan *scan, MlirOperation op) {
  TileAtomicOp atomic = tile_atomic_dyn(op);
  scan->plan->is_by_hand |= atomic.op.ptr &&
                            tile_atomic_kind(atomic) == TILE_ATOMIC_KIND_Inc &&
                            tile_atomic_old(atomic).ptr;
}

static MlirWalkResult scan_op(MlirOperation op, void *user_data) {
  Scan *scan = user_data;
  if (mlirOperationEqual(op, scan->plan->launch.op))
    return MlirWalkResultAdvance;
  int mask = tile_id_masks_note(&scan->masks, op);
  check_op(scan->plan, op);
  check_even(scan, op, mask);
  note_tile_loop(scan, op);
  note_ticket(scan, op);
  if (tile_copy_is(op))
    note_copy(scan, tile_copy_cast(op));
  return MlirWalkResultAdvance;
}

//===-- Roles -------------------------------------------------------------===//

// What later passes do to the kernel takes no warps or registers from roles, so
// what has no room for them now has none then.
static void check_roles(TilePersistPlan *plan) {
  TileRolePlan roles;
  const TileRoleOptions options = {0};
  if (plan->reason.code || !plan->is_candidate || plan->is_persistent)
    return;
  tile_role_plan_build(plan->arena, plan->launch.op, plan->target, &options,
                       &roles);
  const TileRoleReason *reason = &roles.kernel_reason;
  if (!reason->code)
    return;
  give_up_for(plan, "tile-persist/no-roles", reason->figure, reason->limit);
  plan->reason.unit = tile_role_text(reason->code)->unit;
}

//===-- Entry -------------------------------------------------------------===//

// Owner: `arena`.
static void persist_plan_build(TileArena *arena, MlirOperation launch,
                               const TileTarget *target,
                               TilePersistPlan *out_plan) {
  TilePersistPlan *plan = out_plan;
  *plan = (TilePersistPlan){
      .arena = arena, .target = target, .launch = gpu_launch_cast(launch)};
  read_grid(plan);
  Scan scan = {.plan = plan};
  scan.instr =
      (TileInstrContext){.target = target,
                         .num_threads = tile_kernel_num_threads(launch),
                         .in_launch = true,
                         .splits_pads = true};
  tile_id_masks_begin(&scan.masks, arena, launch);
  TileKernelConfigOp config = tile_kernel_config_of(launch);
  scan.may_have_roles =
      target->has_tma &&
      (!config.op.ptr ||
       mlirAttributeIsNull(tile_kernel_config_specialize_attr(config)) ||
       tile_kernel_config_specialize(config) != TILE_SPECIALIZE_Off);
  mlirOperationWalk(launch, scan_op, &scan, MlirWalkPreOrder);
  TileOccupancy occupancy;
  tile_occupancy_estimate(arena, launch, target, &occupancy);
  plan->blocks_per_sm = tile_occupancy_blocks(&occupancy);
  // Barriers, and what alignment takes, as RoleBudget.c has it.
  enum { OTHER_BYTES = 2048 };
  int64_t limit_bytes = target->max_smem_bytes - OTHER_BYTES -
                        tile_kernel_number(launch, TILE_RESERVED_BYTES_ATTR, 0);
  // Of two warpgroups that take tiles in turn each stores from tiles of its
  // own.
  plan->is_pingpong = tile_kernel_may_take_turns(launch, &scan.instr, NULL) &&
                      solve_staging(plan, occupancy.smem_bytes, 2, limit_bytes);
  if (!plan->is_pingpong &&
      !solve_staging(plan, occupancy.smem_bytes, 1, limit_bytes))
    give_up_for(plan, "tile-persist/shared-memory", occupancy.smem_bytes,
                limit_bytes);
  TileCostPersistence verdict =
      tile_cost_persistence(target, plan->num_tiles, plan->blocks_per_sm);
  if (verdict == TILE_COST_FEW_TILES)
    give_up_for(plan, "tile-persist/few-tiles", plan->num_tiles,
                target->num_sms);
  if (verdict == TILE_COST_OCCUPANCY)
    give_up_for(plan, "tile-persist/occupancy", plan->blocks_per_sm, 0);
  // Neighbours share the operand that has more bytes: both may ask for it
  // before it is there.
  bool is_column = scan.row_bytes[1] > scan.row_bytes[0];
  plan->raster = is_column ? TILE_RASTER_Column : TILE_RASTER_Row;
  plan->panel =
      tile_cost_panel(target, plan->blocks_per_sm, scan.row_bytes[is_column],
                      scan.row_bytes[!is_column]);
  check_roles(plan);
}

//===-- Report ------------------------------------------------------------===//

static MlirLogicalResult report(const TilePersistPlan *plan, bool is_required) {
  const TilePersistReason *reason = &plan->reason;
  const TilePersistText *text = persist_text(reason->code);
  MlirOperation op = plan->launch.op;
  bool has_note = reason->culprit.ptr && text->note;
  MlirLocation at = mlirOperationGetLocation(has_note ? reason->culprit : op);
  char figures[96] = "";
  if (reason->unit)
    snprintf(figures, sizeof figures, ": %lld %s, at most %lld",
             (long long)reason->figures[0], reason->unit,
             (long long)reason->figures[1]);
  for (int i = 0; i < 2 && text->units[i]; i++)
    snprintf(figures + strlen(figures), sizeof figures - strlen(figures),
             "%s %lld %s", i ? "," : ":", (long long)reason->figures[i],
             text->units[i]);
  if (is_required && has_note)
    return tile_emit_error_with_note(
        op, at, text->note, "cannot be persistent as required: %s [%s]; %s",
        text->reason, reason->code, text->help);
  if (is_required)
    return tile_emit_error(op, "cannot be persistent as required: %s [%s]; %s",
                           text->reason, reason->code, text->help);
  // The kernel of one source line is in every variant of its launch.
  if (tile_is_in_fallback_variant(op))
    return tile_success();
  if (has_note)
    tile_emit_remark_with_note(op, at, text->note, reason->code,
                               "is not persistent: %s%s; %s", text->reason,
                               figures, text->help);
  else
    tile_emit_remark(op, reason->code, "is not persistent: %s%s; %s",
                     text->reason, figures, text->help);
  return tile_success();
}

//===-- Apply; cannot fail ------------------------------------------------===//

// The grid of the launch as it was: constants, or values of the host.
typedef struct {
  const TilePersistPlan *plan;
  TileBuilder b;
  MlirBlock body;
  MlirValue extent[3]; // captured by the kernel
  MlirValue num_tiles;
} Apply;

static bool is_one(MlirValue value) {
  int64_t constant;
  return mlirxConstantInt(value, &constant) && constant == 1;
}

// A product; constants are multiplied here, for analyses to see.
static MlirValue multiply(TileBuilder *b, MlirValue x, MlirValue y) {
  int64_t a, c, product;
  if (is_one(x) || is_one(y))
    return is_one(x) ? y : x;
  if (mlirxConstantInt(x, &a) && mlirxConstantInt(y, &c) &&
      !__builtin_mul_overflow(a, c, &product))
    return tile_const_index(b, product);
  return arith_muli(b, x, y);
}

// The loop counts with 32 bits: so many tiles, and as many blocks beyond.
static void require_tiles(Apply *apply) {
  TileBuilder *b = &apply->b;
  if (apply->plan->num_tiles >= 0)
    return;
  MlirValue fits = arith_cmpi(b, .predicate = ARITH_CMP_I_PREDICATE_ule,
                              .lhs = apply->num_tiles,
                              .rhs = tile_const_index(b, (int64_t)1 << 30));
  tile_require(b, .condition = fits,
               .text = "a persistent launch has at most 2^30 tiles");
}

static void apply_grid(Apply *apply) {
  TileBuilder *b = &apply->b;
  GPULaunchOp launch = apply->plan->launch;
  apply->extent[0] = gpu_launch_gridSizeX(launch);
  apply->extent[1] = gpu_launch_gridSizeY(launch);
  apply->extent[2] = gpu_launch_gridSizeZ(launch);
  mlirRewriterBaseSetInsertionPointBefore(b->rw, launch.op);
  apply->num_tiles = multiply(
      b, multiply(b, apply->extent[0], apply->extent[1]), apply->extent[2]);
  require_tiles(apply);
  MlirValue num_sms = tile_num_sms(b);
  MlirValue blocks =
      multiply(b, num_sms, tile_const_index(b, apply->plan->blocks_per_sm));
  MlirValue one = tile_const_index(b, 1);
  gpu_launch_set_gridSizeX(launch, arith_minui(b, blocks, apply->num_tiles));
  gpu_launch_set_gridSizeY(launch, one);
  gpu_launch_set_gridSizeZ(launch, one);
}

// Number `i` of the values that stand for the ids, then for the grid.
static void replace_ids(Apply *apply, const MlirValue ids[3]) {
  enum { FIRST_GRID_SIZE = 6 }; // among the arguments of the body
  for (int i = 0; i < 3; i++) {
    mlirRewriterBaseReplaceAllUsesWith(
        apply->b.rw, mlirBlockGetArgument(apply->body, i), ids[i]);
    mlirRewriterBaseReplaceAllUsesWith(
        apply->b.rw, mlirBlockGetArgument(apply->body, FIRST_GRID_SIZE + i),
        apply->extent[i]);
  }
}

// The coordinates of tile number `tile`.
static void decode(Apply *apply, MlirValue tile, MlirValue out[3]) {
  TileBuilder *b = &apply->b;
  const MlirValue *extent = apply->extent;
  MlirValue zero = tile_const_index(b, 0), plane = tile;
  out[0] = out[1] = out[2] = zero;
  if (!is_one(extent[2])) {
    MlirValue area = multiply(b, extent[0], extent[1]);
    out[2] = is_one(area) ? tile : arith_divui(b, tile, area);
    plane = is_one(area) ? zero : arith_remui(b, tile, area);
  }
  if (is_one(extent[0])) {
    out[1] = plane;
  } else if (is_one(extent[1])) {
    out[0] = plane;
  } else if (apply->plan->panel > 0) {
    // Tiles of a plane are numbered along x, like blocks: (plane, 0) is the one
    // with that number.
    MlirOperation swizzle =
        tile_block_swizzle_op(b, .x = plane, .y = zero, .grid_x = extent[0],
                              .grid_y = extent[1],
                              .panel = TILE_SOME(apply->plan->panel),
                              .raster = TILE_SOME(apply->plan->raster))
            .op;
    out[0] = mlirOperationGetResult(swizzle, 0);
    out[1] = mlirOperationGetResult(swizzle, 1);
  } else {
    out[0] = arith_remui(b, plane, extent[0]);
    out[1] = arith_divui(b, plane, extent[0]);
  }
}

static bool stays_outside(MlirOperation op) {
  return tile_alloc_is(op) || memref_alloca_is(op) || tile_kernel_config_is(op);
}

static void apply_loop(Apply *apply) {
  TileBuilder *b = &apply->b;
  MlirOperation end = mlirBlockGetTerminator(apply->body);
  MlirType index = mlirIndexTypeGet(tile_builder_context(b));
  MlirBlock block = mlirBlockCreate(1, &index, &b->loc);
  MlirRegion region = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(region, block);
  tile_block_ids_use_arguments(b->rw, apply->plan->launch.op);

  MlirValue ids[3];
  mlirRewriterBaseSetInsertionPointToEnd(b->rw, block);
  decode(apply, mlirBlockGetArgument(block, 0), ids);
  MlirOperation yield = scf_yield(b, .results = {NULL, 0}).op;
  replace_ids(apply, ids);
  TILE_FOR_EACH_OP (op, apply->body)
    if (!stays_outside(op) && !mlirOperationEqual(op, end))
      mlirRewriterBaseMoveOpBefore(b->rw, op, yield);
  mlirRewriterBaseSetInsertionPointBefore(b->rw, end);
  ScfForOp loop = scf_for_op(b, .type = {NULL, 0},
                             .lowerBound = mlirBlockGetArgument(apply->body, 0),
                             .upperBound = apply->num_tiles,
                             .step = mlirBlockGetArgument(apply->body, 6),
                             .initArgs = {NULL, 0}, .region = region);
  mlirOperationSetDiscardableAttributeByName(
      loop.op, TILE_STR(TILE_PERSISTENT_ATTR),
      mlirUnitAttrGet(tile_builder_context(b)));
  if (apply->plan->is_pingpong)
    mlirOperationSetDiscardableAttributeByName(
        loop.op, TILE_STR(TILE_PINGPONG_ATTR),
        mlirUnitAttrGet(tile_builder_context(b)));
}

static void plan_apply(const TilePersistPlan *plan) {
  MlirOperation launch = plan->launch.op;
  Apply apply = {.plan = plan, .body = tile_kernel_body(launch)};
  apply.b = (TileBuilder){mlirIRRewriterCreate(mlirOperationGetContext(launch)),
                          mlirOperationGetLocation(launch)};
  apply_grid(&apply);
  apply_loop(&apply);
  for (const TileStaging *s = plan->stagings; s; s = s->next)
    staged_parts_apply(apply.b.rw, s);
  mlirIRRewriterDestroy(apply.b.rw);
}

//===-- The order of blocks that do not stay ------------------------------===//

static bool forms_rows_of_clusters(GPULaunchOp launch) {
  int64_t extent[3];
  return tile_launch_cluster(launch.op, extent) &&
         (extent[0] != 1 || extent[1] != 1);
}

// Whether the blocks of a launch that stays as it is should have the numbers of
// tiles: they may run at any time, and copies that they share are known.
static bool has_order(const TilePersistPlan *plan) {
  static const char *const codes[] = {
      "tile-persist/few-tiles", "tile-persist/occupancy",
      "tile-persist/shared-memory", "tile-persist/clusters",
      "tile-persist/no-roles"};
  bool is_harmless = !plan->reason.code;
  for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
    is_harmless |= plan->reason.code && !strcmp(plan->reason.code, codes[i]);
  return is_harmless && plan->is_candidate && !plan->is_by_hand &&
         !plan->is_persistent && plan->panel > 0 &&
         !forms_rows_of_clusters(plan->launch) &&
         !is_one(gpu_launch_gridSizeX(plan->launch)) &&
         !is_one(gpu_launch_gridSizeY(plan->launch));
}

static void order_apply(const TilePersistPlan *plan) {
  MlirOperation launch = plan->launch.op;
  MlirBlock body = tile_kernel_body(launch);
  TileBuilder b = {mlirIRRewriterCreate(mlirOperationGetContext(launch)),
                   mlirOperationGetLocation(launch)};
  tile_block_ids_use_arguments(b.rw, launch);
  mlirRewriterBaseSetInsertionPointToStart(b.rw, body);
  MlirValue x = gpu_block_id(&b, .dimension = GPU_DIMENSION_x);
  MlirValue y = gpu_block_id(&b, .dimension = GPU_DIMENSION_y);
  MlirOperation swizzle =
      tile_block_swizzle_op(
          &b, .x = x, .y = y, .grid_x = gpu_launch_gridSizeX(plan->launch),
          .grid_y = gpu_launch_gridSizeY(plan->launch),
          .panel = TILE_SOME(plan->panel), .raster = TILE_SOME(plan->raster))
          .op;
  for (int i = 0; i < 2; i++)
    mlirRewriterBaseReplaceAllUsesWith(b.rw, mlirBlockGetArgument(body, i),
                                       mlirOperationGetResult(swizzle, i));
  mlirIRRewriterDestroy(b.rw);
  if (!tile_is_in_fallback_variant(launch))
    tile_emit_remark(launch, "tile-persist/order",
                     "its blocks run in panels of %lld %s: neighbours share "
                     "the copy that brings more bytes; tile.block_swizzle "
                     "gives an order",
                     (long long)plan->panel,
                     plan->raster == TILE_RASTER_Row ? "rows" : "columns");
}

//===-- Entry -------------------------------------------------------------===//

static MlirWalkResult find_pipelined(MlirOperation op, void *user_data) {
  bool *found = user_data;
  *found |= !mlirAttributeIsNull(mlirOperationGetDiscardableAttributeByName(
      op, TILE_STR("tile.num_stages")));
  return *found ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

// Nothing runs ahead without a pipelined loop.
static bool is_concerned(MlirOperation kernel, TilePersistWish wish) {
  bool found = wish == TILE_PERSIST_REQUIRED;
  if (wish != TILE_PERSIST_REQUIRED)
    mlirOperationWalk(kernel, find_pipelined, &found, MlirWalkPreOrder);
  return found;
}

static MlirLogicalResult visit_kernel(MlirOperation kernel, void *user_data) {
  const TilePersistOptions *options = user_data;
  const TileTarget *target;
  if (!gpu_launch_is(kernel))
    return tile_success();
  TilePersistWish wish = tile_kernel_persist_wish(kernel);
  if (!is_concerned(kernel, wish))
    return tile_success();
  if (tile_failed(tile_target_resolve(kernel, options->target, &target)))
    return tile_failure();
  TileArena arena;
  TilePersistPlan plan;
  bool is_required = wish == TILE_PERSIST_REQUIRED;
  MlirLogicalResult result = tile_success();
  tile_arena_init(&arena);
  persist_plan_build(&arena, kernel, target, &plan);
  bool is_chosen =
      wish == TILE_PERSIST_CHOSEN && plan.is_candidate && !plan.is_by_hand;
  bool is_declined =
      plan.reason.code && (plan.reason.is_illegal || !is_required);
  bool stays = !plan.is_persistent && (is_required || is_chosen);
  if (stays && is_declined)
    result = report(&plan, is_required);
  else if (stays)
    plan_apply(&plan);
  if (!is_required && (!stays || is_declined) && has_order(&plan))
    order_apply(&plan);
  tile_arena_deinit(&arena);
  return result;
}

MlirLogicalResult tile_persist_run(MlirOperation op,
                                   const TilePersistOptions *options) {
  return tile_kernels_visit_verified(op, visit_kernel, (void *)options);
}
