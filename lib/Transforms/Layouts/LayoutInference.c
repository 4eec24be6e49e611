//===- LayoutInference.c - A layout for every shared tile and fragment ----===//
//
// Consumes: `tile.alloc` ops, `instr` on copies and products.
// Produces: `layout` on every shared tile and fragment; for a TMA copy the
//           tensor map, whose box and swizzle follow from the layout.
// Keeps:    layouts that the user gave.
// Fails:    ops that need layouts which exclude each other (both are named), a
//           given layout that cannot serve an op, a fragment that does not fit
//           the registers, an unknown thread count.
// Method:   LayoutInfer.h: one weighted constraint problem per kernel, solved
//           exactly. Idempotent: inferred layouts become given ones.
//
//===----------------------------------------------------------------------===//

#include "Analysis/Index/Index.h"
#include "Analysis/Instructions/Instructions.h"
#include "Analysis/Memory/Memory.h"
#include "Dialect/Boxes.h"
#include "Dialect/Im2col.h"
#include "Dialect/Ops.h"
#include "Dialect/Products.h"
#include "Dialect/TileLayouts.h"
#include "KernelMaps.h"
#include "Layout/LayoutAccess.h"
#include "LayoutExchange.h"
#include "LayoutProblem.h"
#include "LayoutReductions.h"
#include "Support/Build.h"
#include "Support/Constants.h"
#include "Support/Diagnostics.h"
#include "Tile/Ops/gpu.h"
#include "TilePasses.h"

#include <stdio.h>

//===-- Tensor maps of copies by TMA --------------------------------------===//

// Part of tile-layout-inference: box and swizzle follow from the layout of the
// shared tile, the rest from the window.

// What a map is made of; the im2col form has two box extents and `pixels`.
typedef struct {
  MlirValue tensor;
  int64_t box[TILE_MAX_RANK], ends[TILE_MAX_RANK];
  bool has_ends;
  intptr_t box_rank, num_pixels; // num_pixels: 0 in the tiled form
  int64_t lower[TILE_IM2COL_MAX_DIMS], upper[TILE_IM2COL_MAX_DIMS],
      step[TILE_IM2COL_MAX_DIMS];
  int swizzle_bytes;
} Description;

// Dropped dimensions have boxes of one.
static void describe_region(TileRegionOp region, const TileLayoutTma *tma,
                            Description *out) {
  out->tensor = tile_region_source(region);
  out->box_rank = mlirShapedTypeGetRank(mlirValueGetType(out->tensor));
  for (int d = 0; d < (int)out->box_rank; d++) {
    int dim = tile_region_result_dim(region, d);
    out->box[d] = dim < 0 ? 1 : tma->box[dim];
    out->ends[d] = tile_region_end(region, d).ptr
                       ? tile_region_static_sizes(region, d)
                       : 0;
    out->has_ends |= out->ends[d] > 0;
  }
}

// The first element of the filter visits the padded image but for what the
// others reach beyond it.
static void describe_im2col(TileIm2colOp im2col, const TileLayoutTma *tma,
                            Description *out) {
  TileIm2colWindow window = tile_im2col_window(im2col);
  out->tensor = tile_im2col_image(im2col);
  out->box_rank = 2;
  out->box[0] = tma->box[0];
  out->box[1] = tma->box[1];
  out->num_pixels = window.num_dims;
  for (int d = 0; d < window.num_dims; d++) {
    out->lower[d] = -window.lower[d];
    out->upper[d] = window.upper[d] - window.reach[d];
    out->step[d] = window.stride[d];
  }
}

static bool same_list(MlirAttribute list, const int64_t *wanted,
                      intptr_t count) {
  intptr_t found =
      mlirAttributeIsNull(list) ? 0 : mlirDenseArrayGetNumElements(list);
  if (found != count)
    return false;
  for (intptr_t i = 0; i < count; i++)
    if (mlirDenseI64ArrayGetElement(list, i) != wanted[i])
      return false;
  return true;
}

static bool same_map(TileTensorMapOp map, const Description *wanted) {
  return mlirValueEqual(tile_tensor_map_tensor(map), wanted->tensor) &&
         tile_tensor_map_swizzle(map) == wanted->swizzle_bytes &&
         same_list(tile_tensor_map_box_attr(map), wanted->box,
                   wanted->box_rank) &&
         same_list(tile_tensor_map_ends_attr(map), wanted->ends,
                   wanted->has_ends ? wanted->box_rank : 0) &&
         same_list(tile_tensor_map_lower_attr(map), wanted->lower,
                   wanted->num_pixels) &&
         same_list(tile_tensor_map_upper_attr(map), wanted->upper,
                   wanted->num_pixels) &&
         same_list(tile_tensor_map_step_attr(map), wanted->step,
                   wanted->num_pixels);
}

static bool same_description(const Description *a, const Description *b) {
  size_t size = sizeof(int64_t);
  return mlirValueEqual(a->tensor, b->tensor) &&
         a->swizzle_bytes == b->swizzle_bytes && a->box_rank == b->box_rank &&
         a->has_ends == b->has_ends && a->num_pixels == b->num_pixels &&
         !memcmp(a->box, b->box, (size_t)a->box_rank * size);
}

static Description describe(MlirValue window, const TileLayoutTma *tma) {
  Description out = {.swizzle_bytes = tma->swizzle};
  TileIm2colOp im2col = tile_im2col_of(window);
  if (im2col.op.ptr)
    describe_im2col(im2col, tma, &out);
  else
    describe_region(tile_region_cast(mlirOpResultGetOwner(window)), tma, &out);
  return out;
}

//===-- Maps that the user gave -------------------------------------------===//

typedef struct {
  char chars[200];
  int length;
} Text;

static void add(Text *text, const char *word, int64_t number) {
  int room = (int)sizeof text->chars - text->length;
  int length = snprintf(text->chars + text->length, (size_t)room, word,
                        (long long)number);
  text->length += length < room ? length : room - 1;
}

static void add_list(Text *text, const char *name, const int64_t *numbers,
                     intptr_t count) {
  add(text, name, 0);
  for (intptr_t i = 0; i < count; i++)
    add(text, i ? ", %lld" : "%lld", numbers[i]);
  add(text, "]", 0);
}

static Text text_of(const Description *map) {
  Text out = {.length = 0};
  add_list(&out, "box [", map->box, map->box_rank);
  if (map->has_ends)
    add_list(&out, " ends [", map->ends, map->box_rank);
  if (map->num_pixels) {
    add_list(&out, " lower [", map->lower, map->num_pixels);
    add_list(&out, " upper [", map->upper, map->num_pixels);
    add_list(&out, " step [", map->step, map->num_pixels);
  }
  add(&out, " swizzle %lld", map->swizzle_bytes);
  return out;
}

static intptr_t read_list(MlirAttribute list, int64_t *out, intptr_t most) {
  intptr_t count =
      mlirAttributeIsNull(list) ? 0 : mlirDenseArrayGetNumElements(list);
  for (intptr_t i = 0; i < count && i < most; i++)
    out[i] = mlirDenseI64ArrayGetElement(list, i);
  return count < most ? count : most;
}

static Description read_map(TileTensorMapOp map) {
  Description out = {.swizzle_bytes = (int)tile_tensor_map_swizzle(map)};
  out.box_rank =
      read_list(tile_tensor_map_box_attr(map), out.box, TILE_MAX_RANK);
  out.has_ends =
      read_list(tile_tensor_map_ends_attr(map), out.ends, TILE_MAX_RANK) > 0;
  out.num_pixels = read_list(tile_tensor_map_lower_attr(map), out.lower,
                             TILE_IM2COL_MAX_DIMS);
  read_list(tile_tensor_map_upper_attr(map), out.upper, TILE_IM2COL_MAX_DIMS);
  read_list(tile_tensor_map_step_attr(map), out.step, TILE_IM2COL_MAX_DIMS);
  return out;
}

// Whether the map that the user gave to `op`, if it is made in sight, serves
// copies of `window`, a `tile.region` or a `tile.im2col`, by the boxes `tma`.
// Errors: reported at `op`, with what the map must be.
static MlirLogicalResult tensor_map_check(MlirOperation op, MlirValue value,
                                          MlirValue window,
                                          const TileLayoutTma *tma) {
  Description wanted = describe(window, tma);
  TileTensorMapOp map = {{NULL}};
  if (mlirValueIsAOpResult(value))
    map = tile_tensor_map_dyn(mlirOpResultGetOwner(value));
  if (!map.op.ptr || same_map(map, &wanted))
    return tile_success();
  MlirLocation place = mlirOperationGetLocation(map.op);
  if (!mlirValueEqual(tile_tensor_map_tensor(map), wanted.tensor))
    return tile_emit_error_with_note(
        op, place, "the map is here",
        "expects a tensor map of the tensor of its window, got one of another");
  Description got = read_map(map);
  return tile_emit_error_with_note(
      op, place, "the map is here",
      "expects a tensor map with %s, as the layout of the tile has it, got %s",
      text_of(&wanted).chars, text_of(&got).chars);
}

//===-- Maps that are made ------------------------------------------------===//

// The map that serves copies of `window`, a `tile.region` or a `tile.im2col`,
// by the boxes `tma`. Equal maps are one: the ops before `launch` are
// searched before one is made there.
static MlirValue tensor_map_find_or_build(TileBuilder *b, MlirOperation launch,
                                          MlirValue window,
                                          const TileLayoutTma *tma) {
  Description wanted = describe(window, tma);
  if (tile_value_is_inside(wanted.tensor, launch)) {
    wanted.tensor = tile_layout_map_sample(b, launch, wanted.tensor);
  }
  MlirBlock block = mlirOperationGetBlock(launch);
  for (MlirOperation op = mlirBlockGetFirstOperation(block);
       !mlirOperationEqual(op, launch); op = mlirOperationGetNextInBlock(op))
    if (tile_tensor_map_is(op) && same_map(tile_tensor_map_cast(op), &wanted))
      return mlirOperationGetResult(op, 0);
  mlirRewriterBaseSetInsertionPointBefore(b->rw, launch);
  TileI64s box = {wanted.box, wanted.box_rank};
  intptr_t num_pixels = wanted.num_pixels;
  if (num_pixels == 0)
    return tile_tensor_map(b, .tensor = wanted.tensor, .box = box,
                           .ends = {wanted.has_ends ? wanted.ends : NULL,
                                    wanted.has_ends ? wanted.box_rank : 0},
                           .swizzle = TILE_SOME(wanted.swizzle_bytes));
  return tile_tensor_map(b, .tensor = wanted.tensor, .box = box,
                         .lower = {wanted.lower, num_pixels},
                         .upper = {wanted.upper, num_pixels},
                         .step = {wanted.step, num_pixels},
                         .swizzle = TILE_SOME(wanted.swizzle_bytes));
}

enum { LAYOUT_TEXT_CAPACITY = 2048, NUM_FACTORS = 2 };

//===-- Plan --------------------------------------------------------------===//

// A factor of a product that lies in registers in another layout than the
// instruction reads.
typedef struct {
  MlirOperation product;
  int factor; // 0: A, 1: B
  const char *layout;
} Factor;

typedef struct {
  TileArena *arena;
  MlirOperation kernel;
  const TileTarget *target;
  int64_t num_threads;
  TileLayoutProblem problem;
  const char **layouts; // text per buffer; NULL in global memory
  TileLayoutTma *boxes; // per op; count 0: no tensor map
  Factor *factors;      // to be converted
  int num_factors;
  const TileLayout **loops; // per op; NULL: no element loop
} Plan;

//===-- Build and solve ---------------------------------------------------===//

static const char *layout_text(TileArena *arena, const TileLayout *layout,
                               const TileInferBuffer *buffer) {
  char text[LAYOUT_TEXT_CAPACITY];
  int length = tile_layout_print(layout, buffer->elem_bits, text, sizeof text);
  return tile_arena_strdup(arena, text, (size_t)length);
}

static void print_layouts(Plan *plan, const TileInferModel *model,
                          const TileInferResult *result) {
  const TileInferProblem *problem = &plan->problem.problem;
  plan->layouts =
      TILE_ARENA_NEW(plan->arena, const char *, problem->num_buffers + 1);
  for (int i = 0; i < problem->num_buffers; i++) {
    if (result->choice[i] < 0 || problem->buffer[i].is_view ||
        problem->buffer[i].space == TILE_INFER_GLOBAL)
      continue;
    plan->layouts[i] =
        layout_text(plan->arena, model->domain[i].full[result->choice[i]],
                    &problem->buffer[i]);
  }
}

static bool needs_conversion(const TileInferModel *model,
                             const TileInferResult *result, int op, int operand,
                             TileLayout *out_layout) {
  int buffer = model->problem->op[op].operand[operand].buffer;
  return model->problem->buffer[buffer].space == TILE_INFER_FRAGMENT &&
         tile_infer_operand_layout(model, result, op, operand, out_layout) &&
         !tile_layout_equal(out_layout,
                            model->domain[buffer].core[result->choice[buffer]]);
}

static void find_factors(Plan *plan, const TileInferModel *model,
                         const TileInferResult *result) {
  const TileInferProblem *problem = &plan->problem.problem;
  TileLayout layout;
  plan->factors =
      TILE_ARENA_NEW(plan->arena, Factor, NUM_FACTORS * problem->num_ops);
  for (int i = 0; i < problem->num_ops; i++)
    for (int o = 0; o < NUM_FACTORS; o++)
      if (problem->op[i].kind == TILE_INFER_GEMM &&
          needs_conversion(model, result, i, o, &layout))
        plan->factors[plan->num_factors++] = (Factor){
            plan->problem.ops[i], o,
            layout_text(plan->arena, &layout,
                        &problem->buffer[problem->op[i].operand[o].buffer])};
}

// The box sequence of a TMA copy follows from the layout of the shared side.
static MlirLogicalResult derive_box(const TileInferModel *model,
                                    const TileInferResult *result, int op,
                                    MlirOperation copy, TileLayoutTma *out) {
  const TileInferOp *description = &model->problem->op[op];
  int shared = description->operand[0].buffer;
  if (model->problem->buffer[shared].space != TILE_INFER_SHARED)
    shared = description->operand[1].buffer;
  const TileInferBuffer *buffer = &model->problem->buffer[shared];
  TileReason error;
  if (tile_layout_derive_tma(model->domain[shared].core[result->choice[shared]],
                             buffer->elem_bits, buffer->rank - buffer->lead - 1,
                             out, &error))
    return tile_success();
  return tile_emit_internal_error(
      copy, "the chosen layout does not suit TMA: %s", error.text);
}

// The global side of a TMA copy, or of an update by TMA.
static MlirValue map_window(MlirOperation op) {
  if (tile_atomic_is(op))
    return tile_atomic_dst(tile_atomic_cast(op));
  TileCopyOp copy = tile_copy_cast(op);
  TileShape dst;
  bool is_store = tile_shape_of(tile_copy_dst(copy), &dst) &&
                  dst.space == TILE_SPACE_GLOBAL;
  return is_store ? tile_copy_dst(copy) : tile_copy_src(copy);
}

// Null: the pass makes it.
static MlirValue given_map(MlirOperation op) {
  return tile_atomic_is(op) ? tile_atomic_map(tile_atomic_cast(op))
                            : tile_copy_map(tile_copy_cast(op));
}

typedef struct {
  TileInstrContext context;
  MlirLogicalResult result;
} InstrWalk;

static MlirWalkResult verify_instr(MlirOperation op, void *user_data) {
  InstrWalk *walk = user_data;
  if (tile_copy_is(op) || tile_atomic_is(op))
    walk->result = tile_instr_verify(op, &walk->context, true);
  return tile_failed(walk->result) ? MlirWalkResultInterrupt
                                   : MlirWalkResultAdvance;
}

// The annotation chose legal instructions; a user may have written others, and
// a tensor map needs more than a layout. How rows are aligned does not matter
// here; what a product cannot use, inference says itself.
static MlirLogicalResult verify_instrs(const Plan *plan) {
  InstrWalk walk = {{.target = plan->target,
                     .num_threads = plan->num_threads,
                     .in_launch = gpu_launch_is(plan->kernel)},
                    tile_success()};
  mlirOperationWalk(plan->kernel, verify_instr, &walk, MlirWalkPreOrder);
  return walk.result;
}

static bool solve(const Plan *plan, TileInferModel *out_model,
                  TileInferResult *out_result, TileReason *out_error) {
  return tile_infer_build(&plan->problem.problem, plan->arena, out_model,
                          out_error) &&
         tile_infer_solve(out_model, out_result, out_error);
}

//===-- Registers ---------------------------------------------------------===//

// What the views of a fragment cost, where they cost much.
static void remark_views(const TileInferModel *model, int i,
                         MlirOperation alloc, int64_t num_elems) {
  const TileInferBuffer *buffer = &model->problem->buffer[i];
  int64_t run = tile_infer_view_run(model, i), size = 1;
  int64_t num_threads = (int64_t)model->problem->role[buffer->role].warps * 32;
  for (int d = 0; d < buffer->rank; d++)
    size *= buffer->shape[d];
  int64_t share = (size + num_threads - 1) / num_threads;
  if (run > 1 && num_elems > 2 * share)
    tile_emit_remark(alloc, "tile-layout/view",
                     "its views leave %lld elements or more together in one "
                     "thread: each holds %lld, %lld would be its share",
                     (long long)run, (long long)num_elems, (long long)share);
}

// The same of the threads that hold the fragment: a role has what it was
// given.
static int64_t fragment_thread_registers(TileAllocOp fragment,
                                         MlirOperation kernel,
                                         const TileTarget *target,
                                         int64_t num_threads) {
  TileRoleOp role = tile_alloc_role(fragment);
  int64_t most = target->max_thread_registers, given;
  if (mlirOperationIsNull(role.op) || !target->has_setmaxnreg ||
      mlirAttributeIsNull(tile_role_registers_attr(role)))
    return tile_kernel_thread_registers(kernel, target, num_threads);
  given = tile_role_registers(role);
  return given < most ? given : most;
}

// Reports a fragment that the threads which hold it have no room for: ptxas
// keeps in local memory what is left over, which is an error where it is more
// than half. Its elements count as they lie in registers when they move in
// vectors: four bytes share one.
static MlirLogicalResult check_registers(const Plan *plan,
                                         const TileInferModel *model,
                                         const TileInferResult *result) {
  for (int i = 0; i < model->problem->num_buffers; i++) {
    const TileInferBuffer *buffer = &model->problem->buffer[i];
    if (buffer->space != TILE_INFER_FRAGMENT || buffer->is_view)
      continue;
    const TileLayout *layout = model->domain[i].full[result->choice[i]];
    int64_t num_elems = tile_layout_axis_size(&layout->in, TILE_LAYOUT_REG);
    int64_t needed = (num_elems * buffer->elem_bits + 31) / 32;
    MlirOperation alloc = mlirOpResultGetOwner(plan->problem.values[i]);
    int64_t limit = fragment_thread_registers(
        tile_alloc_cast(alloc), plan->kernel, plan->target, plan->num_threads);
    remark_views(model, i, alloc, num_elems);
    if (needed + TILE_OTHER_REGISTERS <= limit)
      continue;
    // Without roles it may fit: whoever chose them takes them back.
    if (needed > 2 * limit ||
        !mlirOperationIsNull(tile_alloc_role(tile_alloc_cast(alloc)).op))
      return tile_emit_error(
          alloc,
          "needs %lld registers per thread; %lld threads of %s have %lld each, "
          "of which %d are kept for addresses",
          (long long)needed, (long long)plan->num_threads, plan->target->chip,
          (long long)limit, TILE_OTHER_REGISTERS);
    tile_emit_remark(alloc, "tile-layout/registers",
                     "needs %lld registers per thread; %lld threads of %s have "
                     "%lld each: the rest is spilled",
                     (long long)needed, (long long)plan->num_threads,
                     plan->target->chip, (long long)limit);
  }
  return tile_success();
}

// Whether a fragment before `buffer` belongs to the same threads.
static bool is_known_role(const Plan *plan, int buffer, TileRoleOp role) {
  for (int i = 0; i < buffer; i++)
    if (plan->problem.problem.buffer[i].space == TILE_INFER_FRAGMENT &&
        !plan->problem.problem.buffer[i].is_view &&
        tile_alloc_role(
            tile_alloc_cast(mlirOpResultGetOwner(plan->problem.values[i])))
                .op.ptr == role.op.ptr)
      return true;
  return false;
}

// Several fragments that live at the same time and need more registers than
// there are may still fit, as ptxas computes values when they are needed: a
// remark. Layouts are known.
static void remark_registers(const Plan *plan) {
  const TileInferProblem *problem = &plan->problem.problem;
  for (int i = 0; i < problem->num_buffers; i++) {
    if (problem->buffer[i].space != TILE_INFER_FRAGMENT ||
        problem->buffer[i].is_view)
      continue;
    TileAllocOp alloc =
        tile_alloc_cast(mlirOpResultGetOwner(plan->problem.values[i]));
    if (is_known_role(plan, i, tile_alloc_role(alloc)))
      continue;
    int64_t limit = fragment_thread_registers(alloc, plan->kernel, plan->target,
                                              plan->num_threads);
    TileFragmentPeak peak =
        tile_fragment_peak(plan->arena, plan->kernel, alloc);
    if (peak.num_fragments > 1 && peak.num_registers > limit)
      tile_emit_remark(
          peak.op, "tile-layout/registers",
          "%d fragments that live after this op take %lld registers of each "
          "thread; %lld threads of %s have %lld each: some may be spilled",
          peak.num_fragments, (long long)peak.num_registers,
          (long long)plan->num_threads, plan->target->chip, (long long)limit);
  }
}

//===-- The plan ----------------------------------------------------------===//

static MlirLogicalResult plan_solve(Plan *plan) {
  TileInferModel model;
  TileInferResult result;
  TileReason error = {""};
  TileInferProblem *problem = &plan->problem.problem;
  bool is_solved = solve(plan, &model, &result, &error);
  if (!is_solved) { // registers alone may not reach; exchanges are remarked on
    problem->may_stage_chains = true;
    is_solved = solve(plan, &model, &result, &error);
  }
  if (!is_solved)
    return tile_emit_error(plan->kernel, "cannot infer layouts: %s",
                           error.text);
  if (tile_failed(check_registers(plan, &model, &result)))
    return tile_failure();
  print_layouts(plan, &model, &result);
  find_factors(plan, &model, &result);
  plan->boxes = TILE_ARENA_NEW(plan->arena, TileLayoutTma, problem->num_ops);
  plan->loops =
      TILE_ARENA_NEW(plan->arena, const TileLayout *, problem->num_ops + 1);
  for (int i = 0; i < problem->num_ops; i++) {
    MlirOperation op = plan->problem.ops[i];
    if (problem->op[i].kind == TILE_INFER_PARALLEL)
      plan->loops[i] = model.table[i].mode[result.mode[i]].layout;
    if (problem->op[i].kind != TILE_INFER_COPY ||
        problem->op[i].via != TILE_INFER_TMA)
      continue;
    MlirValue map = given_map(op);
    if (tile_failed(derive_box(&model, &result, i, op, &plan->boxes[i])) ||
        (map.ptr && tile_failed(tensor_map_check(op, map, map_window(op),
                                                 &plan->boxes[i]))))
      return tile_failure();
  }
  return tile_success();
}

//===-- Apply: layouts ----------------------------------------------------===//

static void apply_layouts(const Plan *plan) {
  MlirContext context = mlirOperationGetContext(plan->kernel);
  for (int i = 0; i < plan->problem.problem.num_buffers; i++) {
    if (!plan->layouts[i])
      continue;
    MlirOperation owner = mlirOpResultGetOwner(plan->problem.values[i]);
    TileAllocOp alloc = tile_alloc_cast(owner);
    if (!mlirAttributeIsNull(tile_alloc_layout_attr(alloc)))
      continue; // given by the user
    tile_alloc_set_layout_attr(
        alloc, tile_layout_attr(context, tile_str(plan->layouts[i])));
    // A place that was found for another size is none.
    tile_alloc_set_offset_attr(alloc, (MlirAttribute){NULL});
  }
}

// Layouts of tiles are known.
static void apply_loops(const Plan *plan) {
  for (int i = 0; i < plan->problem.problem.num_ops; i++)
    if (plan->loops[i])
      tile_layout_apply_loop(tile_parallel_cast(plan->problem.ops[i]),
                             plan->loops[i]);
}

//===-- Apply: windows ----------------------------------------------------===//

// What was concluded from the loops around a window is lost when they are
// lowered.
static void apply_windows(const Plan *plan) {
  const TileInferProblem *problem = &plan->problem.problem;
  for (int i = 0; i < problem->num_ops; i++) {
    if (!problem->op[i].cut)
      continue;
    MlirValue window = plan->problem.values[problem->op[i].operand[1].buffer];
    tile_region_set_on_grid(tile_region_cast(mlirOpResultGetOwner(window)),
                            true);
  }
}

//===-- Apply: tensor maps ------------------------------------------------===//

static void set_map(MlirOperation op, MlirValue map) {
  if (tile_atomic_is(op))
    tile_atomic_set_map(tile_atomic_cast(op), map);
  else
    tile_copy_set_map(tile_copy_cast(op), map);
}

// Ops of the role of number `first`, from that on, that one map serves.
static int find_users(const Plan *plan, int first, MlirOperation *out) {
  int count = 0;
  MlirOperation op = plan->problem.ops[first];
  Description wanted = describe(map_window(op), &plan->boxes[first]);
  for (int i = first; i < plan->problem.problem.num_ops; i++) {
    MlirOperation other = plan->problem.ops[i];
    if (!plan->boxes[i].count || given_map(other).ptr ||
        tile_role_of(other).op.ptr != tile_role_of(op).op.ptr)
      continue;
    Description found = describe(map_window(other), &plan->boxes[i]);
    if (same_description(&found, &wanted))
      out[count++] = other;
  }
  return count;
}

static MlirLogicalResult apply_kernel_map(TileBuilder *b, const Plan *plan,
                                          int i, MlirValue tensor,
                                          MlirValue like) {
  MlirOperation *users =
      TILE_ARENA_NEW(plan->arena, MlirOperation, plan->problem.problem.num_ops);
  TileKernelMap map = {plan->kernel, tensor, like, users,
                       find_users(plan, i, users)};
  MlirValue made;
  MlirLogicalResult result = tile_layout_make_kernel_map(b, &map, &made);
  for (int k = 0; k < map.num_users; k++)
    set_map(users[k], made);
  return result;
}

static MlirLogicalResult apply_maps(const Plan *plan) {
  TileBuilder b = {mlirIRRewriterCreate(mlirOperationGetContext(plan->kernel)),
                   mlirOperationGetLocation(plan->kernel)};
  MlirLogicalResult result = tile_success();
  for (int i = 0; i < plan->problem.problem.num_ops && !tile_failed(result);
       i++) {
    MlirOperation op = plan->problem.ops[i];
    if (!plan->boxes[i].count || given_map(op).ptr)
      continue;
    b.loc = mlirOperationGetLocation(op);
    MlirValue window = map_window(op);
    MlirValue tensor = describe(window, &plan->boxes[i]).tensor;
    MlirValue map =
        tensor_map_find_or_build(&b, plan->kernel, window, &plan->boxes[i]);
    if (tile_kernel_makes(plan->kernel, tensor))
      result = apply_kernel_map(&b, plan, i, tensor, map);
    else
      set_map(op, map);
  }
  mlirIRRewriterDestroy(b.rw);
  return result;
}

//===-- Apply: factors ----------------------------------------------------===//

// A fragment of the layout, and a copy to it before the product, which then
// reads the copy: the lowering finds the factor as the instruction reads it.
static void apply_factor(const Factor *factor) {
  MlirOperation op = factor->product;
  int operand = tile_product_operand(op, factor->factor);
  MlirContext context = mlirOperationGetContext(op);
  MlirValue source = mlirOperationGetOperand(op, operand);
  TileBuilder b = {mlirIRRewriterCreate(context), mlirOperationGetLocation(op)};
  mlirRewriterBaseSetInsertionPointBefore(b.rw, op);
  MlirValue converted =
      tile_alloc(&b, .type = mlirValueGetType(tile_buffer_of(source).base),
                 .layout = tile_layout_attr(context, tile_str(factor->layout)));
  tile_copy(&b, .src = source, .dst = converted,
            .instr = TILE_SOME(TILE_INSTR_Simt));
  mlirOperationSetOperand(op, operand, converted);
  mlirIRRewriterDestroy(b.rw);
}

//===-- Entry -------------------------------------------------------------===//

static MlirLogicalResult visit_kernel(MlirOperation kernel, void *user_data) {
  TileKernelRun *run = user_data;
  Plan plan = {.arena = &run->arena, .kernel = kernel};
  plan.num_threads = tile_kernel_num_threads(kernel);
  if (tile_failed(tile_layout_problem_build(plan.arena, kernel,
                                            plan.num_threads, &plan.problem)))
    return tile_failure();
  if (plan.problem.problem.num_buffers == 0)
    return tile_success();
  if (tile_failed(
          tile_target_resolve(kernel, run->target_option, &plan.target)) ||
      tile_failed(verify_instrs(&plan)) || tile_failed(plan_solve(&plan)))
    return tile_failure();
  apply_layouts(&plan);
  apply_loops(&plan);
  apply_windows(&plan);
  if (tile_failed(apply_maps(&plan)))
    return tile_failure();
  for (int i = 0; i < plan.num_factors; i++)
    apply_factor(&plan.factors[i]);
  tile_layout_stage_reductions(kernel);
  tile_layout_exchange_copies(kernel);
  remark_registers(&plan);
  return tile_success();
}

MlirLogicalResult
tile_layout_inference_run(MlirOperation op,
                          const TileLayoutInferenceOptions *options) {
  return tile_kernels_visit_for_target(op, visit_kernel, options->target);
}
