//===- StageRows.c - Rows beside accumulators are read from shared memory -===//
//
// Consumes: copies of rows of tensors to fragments that element loops read, in
//           persistent kernels whose warpgroups can take tiles in turn only if
//           the rows take no registers, or whose element loops do little.
// Produces: the same rows in shared memory, as the tensor has them.
// Keeps:    rows that are written or read otherwise, and copies that signal,
// are
//           asynchronous, require or prefer an instruction or have a stage.
// Fails:    only on a target that cannot be resolved.
// Method:   a thread of wgmma reads a quarter of the columns of a row, such as
// a
//           bias: 48 registers for 192 columns, beside 192 of sums. The
//           producer brings a row in shared memory like factors, a tile ahead,
//           while registers are loaded when the products are done.
//
//===----------------------------------------------------------------------===//

#include "Analysis/Instructions/Instructions.h"

#include "Support/Arena.h"
#include "Support/Diagnostics.h"
#include "Support/Iterate.h"
#include "Tile/Ops/arith.h"
#include "Tile/Ops/gpu.h"
#include "Tile/Ops/memref.h"
#include "TilePasses.h"

//===-- Plan --------------------------------------------------------------===//

typedef struct Row {
  struct Row *next; // program order
  TileAllocOp alloc;
  TileCopyOp copy;
  MlirType element; // of the tensor
  bool is_light;    // what reads it does little else
} Row;

typedef struct {
  TileArena *arena;
  MlirBlock body;
  Row *rows, **tail;
  TilePointerMap allocs; // of rows
} Plan;

// Whether an element of a tensor becomes one of the fragment by a conversion
// that an element loop can do.
static bool is_widened(MlirType from, MlirType to) {
  return mlirTypeEqual(from, to) ||
         (mlirTypeIsAFloat(from) && mlirTypeIsAF32(to) &&
          tile_elem_bits(from) == 16);
}

// Rows that TMA copies: at most 256 elements, whole pieces of 16 bytes.
static bool is_row_of_tensor(TileCopyOp copy, const TileShape *row,
                             MlirType *out_element) {
  enum { MAX_BOX = 256, PIECE_BYTES = 16 };
  TileShape window;
  if (!tile_shape_of(tile_copy_src(copy), &window) ||
      window.space != TILE_SPACE_GLOBAL || window.rank != 1 ||
      window.extent[0] != row->extent[0] || row->extent[0] > MAX_BOX)
    return false;
  *out_element = window.element;
  int64_t bytes = row->extent[0] * tile_elem_bits(window.element) / 8;
  return bytes % PIECE_BYTES == 0 && is_widened(window.element, row->element);
}

// The copy that fills the row, which is otherwise only read by element loops;
// null: there is none.
static TileCopyOp fill_of(const Plan *plan, MlirValue row) {
  const TileCopyOp none = {TILE_NULL_OP};
  TileCopyOp fill = none;
  for (MlirOpOperand use = mlirValueGetFirstUse(row); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    bool is_fill = tile_copy_is(user) && !fill.op.ptr &&
                   mlirValueEqual(tile_copy_dst(tile_copy_cast(user)), row) &&
                   mlirBlockEqual(mlirOperationGetBlock(user), plan->body);
    if (is_fill)
      fill = tile_copy_cast(user);
    else if (!memref_load_is(user) ||
             !tile_parallel_is(mlirOperationGetParentOperation(user)))
      return none;
  }
  return fill;
}

// Where elements take few operations, registers that a row leaves are worth
// more than a load beside them: 128x256 and 128x128 with a bias are 1 to 4 %
// faster, with GELU some spill (bench/gpu/NOTES.md).
static bool is_light(MlirValue row) {
  enum { MAX_OPS = 8 };
  for (MlirOpOperand use = mlirValueGetFirstUse(row); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    int count = 0;
    if (!memref_load_is(user))
      continue;
    TILE_FOR_EACH_OP (op, mlirOperationGetBlock(user))
      count++;
    if (count > MAX_OPS)
      return false;
  }
  return true;
}

static void plan_alloc(Plan *plan, TileAllocOp alloc) {
  MlirValue row = tile_alloc_memref(alloc);
  TileShape shape;
  MlirType element;
  if (!tile_shape_of(row, &shape) || shape.space != TILE_SPACE_FRAGMENT ||
      shape.rank != 1 || !mlirAttributeIsNull(tile_alloc_layout_attr(alloc)))
    return;
  TileCopyOp copy = fill_of(plan, row);
  if (!copy.op.ptr || !tile_copy_is_open(copy) ||
      !is_row_of_tensor(copy, &shape, &element))
    return;
  Row *found = TILE_ARENA_NEW(plan->arena, Row, 1);
  *found = (Row){.alloc = alloc,
                 .copy = copy,
                 .element = element,
                 .is_light = is_light(row)};
  *plan->tail = found;
  plan->tail = &found->next;
  tile_pointer_map_set(&plan->allocs, alloc.op.ptr, found);
}

static void plan_build(Plan *plan, MlirOperation kernel,
                       const TileInstrContext *context) {
  TILE_FOR_EACH_OP (op, plan->body)
    if (tile_alloc_is(op))
      plan_alloc(plan, tile_alloc_cast(op));
  bool turns_need_it =
      !tile_kernel_may_take_turns(kernel, context, NULL) &&
      tile_kernel_may_take_turns(kernel, context, &plan->allocs);
  bool are_light = tile_kernel_multiplies_rings(kernel, context);
  for (const Row *row = plan->rows; row; row = row->next)
    are_light &= row->is_light;
  if (tile_kernel_persist_wish(kernel) == TILE_PERSIST_OFF ||
      (!turns_need_it && !are_light))
    plan->rows = NULL;
}

//===-- Apply; cannot fail ------------------------------------------------===//

static MlirValue build_tile(TileBuilder *b, const Row *row) {
  TileShape shape;
  tile_shape_of(tile_alloc_memref(row->alloc), &shape);
  MlirAttribute space = mlirAttributeParseGet(
      tile_builder_context(b), TILE_STR("#gpu.address_space<workgroup>"));
  mlirRewriterBaseSetInsertionPointBefore(b->rw, row->alloc.op);
  return tile_alloc(b, .type = mlirMemRefTypeContiguousGet(
                           row->element, 1, shape.extent, space));
}

// An element of the row, where the loop read one of the fragment.
static void replace_load(TileBuilder *b, MlirOperation load, MlirValue tile) {
  MlirValue old = mlirOperationGetResult(load, 0);
  MlirValue index = mlirOperationGetOperand(load, 1);
  b->loc = mlirOperationGetLocation(load);
  mlirRewriterBaseSetInsertionPointBefore(b->rw, load);
  MlirValue value = memref_load(b, .memref = tile, .indices = {&index, 1});
  if (!mlirTypeEqual(mlirValueGetType(value), mlirValueGetType(old)))
    value = arith_extf(b, .type = mlirValueGetType(old), .in = value);
  mlirRewriterBaseReplaceAllUsesWith(b->rw, old, value);
  mlirRewriterBaseEraseOp(b->rw, load);
}

static void row_apply(const Row *row) {
  MlirOperation copy = row->copy.op;
  MlirValue fragment = tile_alloc_memref(row->alloc);
  TileBuilder b = {mlirIRRewriterCreate(mlirOperationGetContext(copy)),
                   mlirOperationGetLocation(row->alloc.op)};
  MlirValue tile = build_tile(&b, row);
  tile_emit_remark(copy, "tile-stage/row",
                   "the row goes to shared memory, a tile ahead: it needs no "
                   "registers beside the sums%s; `instr` keeps it in its place",
                   row->is_light ? ""
                                 : ", and warpgroups can take tiles in turn");
  tile_copy_set_dst(row->copy, tile);
  for (MlirOpOperand use = mlirValueGetFirstUse(fragment);
       !mlirOpOperandIsNull(use); use = mlirValueGetFirstUse(fragment))
    replace_load(&b, mlirOpOperandGetOwner(use), tile);
  mlirRewriterBaseEraseOp(b.rw, row->alloc.op);
  mlirIRRewriterDestroy(b.rw);
}

//===-- Entry -------------------------------------------------------------===//

static MlirLogicalResult visit_kernel(MlirOperation kernel, void *user_data) {
  TileKernelRun *run = user_data;
  TileInstrContext context = {.num_threads = tile_kernel_num_threads(kernel),
                              .in_launch = true};
  int64_t cluster[3];
  if (!gpu_launch_is(kernel) || tile_launch_cluster(kernel, cluster))
    return tile_success();
  if (tile_failed(
          tile_target_resolve(kernel, run->target_option, &context.target)))
    return tile_failure();
  Plan plan = {.arena = &run->arena,
               .body = tile_kernel_body(kernel),
               .allocs = {.arena = &run->arena}};
  plan.tail = &plan.rows;
  plan_build(&plan, kernel, &context);
  for (const Row *row = plan.rows; row; row = row->next)
    row_apply(row);
  return tile_success();
}

MlirLogicalResult tile_stage_rows_run(MlirOperation op,
                                      const TileStageRowsOptions *options) {
  return tile_kernels_visit_for_target(op, visit_kernel, options->target);
}
