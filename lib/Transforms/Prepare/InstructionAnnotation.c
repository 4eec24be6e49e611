//===- InstructionAnnotation.c - The instruction of every copy and product ===//
//
// Consumes: tile ops, the target, facts on regions.
// Produces: `instr` on every `tile.copy` and `tile.gemm`; every later pass
//           obeys it or fails. `run` on every `tile.im2col`.
// Fails:    an instruction that the user required is illegal, or none is legal.
// Method:   InstructionSelect.c decides legality; the best legal one is taken.
//
//===----------------------------------------------------------------------===//

#include "Analysis/Index/Index.h"
#include "Analysis/Instructions/Instructions.h"
#include "Dialect/Products.h"
#include "Support/Arena.h"
#include "Support/Diagnostics.h"
#include "Tile/Ops/gpu.h"
#include "TilePasses.h"

//===-- Plan --------------------------------------------------------------===//

typedef struct Choice {
  struct Choice *next; // program order
  MlirOperation op;
  TileInstr instr;
  const char *remark_code; // NULL: nothing was declined
  char remark[480];
} Choice;

typedef struct {
  TileArena *arena;
  TileInstrContext context;
  Choice *choices, **tail;
  MlirLogicalResult result;
} Plan;

static Choice *plan_add(Plan *plan, MlirOperation op, TileInstr instr) {
  Choice *choice = TILE_ARENA_NEW(plan->arena, Choice, 1);
  choice->op = op;
  choice->instr = instr;
  *plan->tail = choice;
  plan->tail = &choice->next;
  return choice;
}

//===-- Build -------------------------------------------------------------===//

static void note_declined(Choice *choice, const char *declined,
                          const TileReason *reason) {
  // What cannot apply to the op at all was not declined.
  if (!strcmp(reason->code, "spaces") || !strcmp(reason->code, "target") ||
      !strcmp(reason->code, "channel"))
    return;
  // The last variant exists because facts may be missing.
  if (!strcmp(reason->code, "tile-instr/alignment") &&
      tile_is_in_fallback_variant(choice->op))
    return;
  size_t used = strlen(choice->remark);
  snprintf(choice->remark + used, sizeof choice->remark - used, "; not %s: %s",
           declined, reason->text);
  if (!choice->remark_code)
    choice->remark_code = reason->code;
}

// An image that is gathered one element at a time.
static void note_elements(Choice *choice, TileCopyOp copy) {
  TileReason reason;
  TileShape dst;
  TileIm2colOp im2col = tile_im2col_of(tile_copy_src(copy));
  if (im2col.op.ptr && tile_shape_of(tile_copy_dst(copy), &dst) &&
      dst.space == TILE_SPACE_SHARED &&
      tile_im2col_group(im2col, tile_row_align_bytes(tile_copy_src(copy)),
                        tile_im2col_known_run(im2col, false), false,
                        &reason) == 1)
    note_declined(choice, "vectors", &reason);
}

// An H200 (driver 580.159) refused every cp.async with a policy as an illegal
// instruction in some kernels and took it in others: ptxas is wrong, and
// repaired in CUDA 13.4 (Triton, pull requests 11660 and 11848).
static void note_eviction(Choice *choice, TileCopyOp copy) {
  static const TileReason reason = {
      "tile-instr/eviction",
      "ptxas for PTX before 9.4 makes illegal instructions of cp.async with a "
      "policy; plain copies obey it"};
  if (choice->instr == TILE_INSTR_CpAsync &&
      !mlirAttributeIsNull(tile_copy_eviction_attr(copy)) &&
      tile_copy_eviction(copy) != TILE_EVICTION_Normal)
    note_declined(choice, "its L2 policy", &reason);
}

// A window most of whose rows no tensor of the kernel can have. On an H100 a
// tile of 128 rows took 1.46 times as long with 16 of them in the tensor as
// with all (bench/gpu/NOTES.md).
static void note_outside(Choice *choice, TileCopyOp copy) {
  enum { MIN_ROWS = 32 };
  TileRegionOp region = tile_region_of(tile_copy_src(copy));
  TileShape dst;
  if (choice->instr != TILE_INSTR_Tma || !region.op.ptr ||
      !tile_shape_of(tile_copy_dst(copy), &dst) ||
      dst.space != TILE_SPACE_SHARED)
    return;
  MlirType tensor = mlirValueGetType(tile_region_source(region));
  int rows = (int)mlirShapedTypeGetRank(tensor) - 1;
  for (int d = 0; d < rows; d++) {
    int64_t size = tile_region_static_sizes(region, d);
    int64_t extent = mlirShapedTypeIsDynamicDim(tensor, d)
                         ? size
                         : mlirShapedTypeGetDimSize(tensor, d);
    if (size < MIN_ROWS || size < 2 * extent || choice->remark_code)
      continue;
    choice->remark_code = "tile-instr/outside";
    snprintf(choice->remark, sizeof choice->remark,
             "; %lld of the %lld places of the window in dimension %d are "
             "outside of the tensor, which has %lld: TMA fills them with "
             "zeros, slower than it copies",
             (long long)(size - extent), (long long)size, d, (long long)extent);
  }
}

static MlirLogicalResult obey_copy(Plan *plan, TileCopyOp copy) {
  if (tile_failed(tile_instr_verify(copy.op, &plan->context, false)))
    return tile_failure();
  note_eviction(plan_add(plan, copy.op, tile_copy_instr(copy)), copy);
  return tile_success();
}

static const TileInstr best_first[] = {TILE_INSTR_Tma, TILE_INSTR_CpAsync,
                                       TILE_INSTR_Simt};

// A copy that fills a channel of the user, none of whose agents it can be.
static MlirLogicalResult refuse_copy(const Plan *plan, TileCopyOp copy) {
  enum { CAPACITY = 900 };
  char reasons[CAPACITY] = "", cure[80] = "", *at = reasons;
  for (size_t i = 0; i < 3; i++) {
    TileReason reason;
    tile_copy_instr_is_legal(copy, best_first[i], &plan->context, &reason);
    if (!strcmp(reason.code, "channel"))
      continue;
    const char *name = tile_instr_name(best_first[i]);
    if (!*cure && !strcmp(reason.code, "tile-instr/alignment"))
      snprintf(cure, sizeof cure,
               "; with instr = #tile.instr<%s> the host checks that", name);
    // Three reasons of less than 256 bytes fit.
    at += snprintf(at, (size_t)(reasons + CAPACITY - at), "; not %s: %s", name,
                   reason.text);
  }
  return tile_emit_error(copy.op,
                         "has no instruction that is an agent of the channel "
                         "that it fills%s%s",
                         reasons, cure);
}

static MlirLogicalResult choose_copy(Plan *plan, TileCopyOp copy) {
  TileReason reason;
  if (!mlirAttributeIsNull(tile_copy_instr_attr(copy)))
    return obey_copy(plan, copy);
  Choice *choice = plan_add(plan, copy.op, TILE_INSTR_Simt);
  if (!mlirAttributeIsNull(tile_copy_prefer_attr(copy))) {
    choice->instr = tile_copy_prefer(copy);
    if (tile_copy_instr_is_legal(copy, choice->instr, &plan->context,
                                 &reason)) {
      note_eviction(choice, copy);
      note_outside(choice, copy);
      return tile_success();
    }
    note_declined(choice, tile_instr_name(choice->instr), &reason);
  }
  for (size_t i = 0; i < 3; i++) {
    choice->instr = best_first[i];
    if (tile_copy_instr_is_legal(copy, choice->instr, &plan->context, &reason))
      break;
    if (choice->instr == TILE_INSTR_Simt)
      return refuse_copy(plan, copy);
    note_declined(choice, tile_instr_name(choice->instr), &reason);
  }
  if (choice->instr == TILE_INSTR_Simt)
    note_elements(choice, copy);
  note_eviction(choice, copy);
  note_outside(choice, copy);
  return tile_success();
}

static MlirLogicalResult choose_product(Plan *plan, const TileProduct *gemm) {
  TileReason wgmma, mma;
  const TileInstrContext *context = &plan->context;
  if (gemm->has_instr)
    return tile_instr_verify(gemm->op, context, false);
  if (tile_product_instr_is_legal(gemm, TILE_INSTR_Wgmma, context, &wgmma)) {
    plan_add(plan, gemm->op, TILE_INSTR_Wgmma);
    return tile_success();
  }
  if (tile_product_instr_is_legal(gemm, TILE_INSTR_Mma, context, &mma)) {
    Choice *choice = plan_add(plan, gemm->op, TILE_INSTR_Mma);
    note_declined(choice, tile_instr_name(TILE_INSTR_Wgmma), &wgmma);
    return tile_success();
  }
  if (!strcmp(wgmma.code, "target"))
    return tile_emit_error(gemm->op, "no matrix instruction is legal: mma: %s",
                           mma.text);
  return tile_emit_error(gemm->op,
                         "no matrix instruction is legal: wgmma: %s; mma: %s",
                         wgmma.text, mma.text);
}

// Only what comes from shared memory has a choice.
static MlirLogicalResult choose_atomic(Plan *plan, TileAtomicOp atomic) {
  TileReason reason;
  if (!mlirAttributeIsNull(tile_atomic_instr_attr(atomic)))
    return tile_instr_verify(atomic.op, &plan->context, false);
  if (tile_atomic_tma_is_legal(atomic, &plan->context, false, &reason)) {
    plan_add(plan, atomic.op, TILE_INSTR_Tma);
    return tile_success();
  }
  Choice *choice = plan_add(plan, atomic.op, TILE_INSTR_Simt);
  note_declined(choice, tile_instr_name(TILE_INSTR_Tma), &reason);
  return tile_success();
}

static MlirWalkResult plan_visit(MlirOperation op, void *user_data) {
  Plan *plan = user_data;
  TileProduct product;
  if (tile_copy_is(op))
    plan->result = choose_copy(plan, tile_copy_cast(op));
  else if (tile_product_of(op, &product))
    plan->result = choose_product(plan, &product);
  else if (tile_atomic_is(op))
    plan->result = choose_atomic(plan, tile_atomic_cast(op));
  return tile_failed(plan->result) ? MlirWalkResultInterrupt
                                   : MlirWalkResultAdvance;
}

//===-- Apply; cannot fail ------------------------------------------------===//

static void product_set_instr(MlirOperation op, TileInstr instr) {
  MlirAttribute attr = TileInstr_attr(mlirOperationGetContext(op), instr);
  if (tile_gemm_sp_is(op))
    tile_gemm_sp_set_instr_attr(tile_gemm_sp_cast(op), attr);
  else
    tile_gemm_set_instr_attr(tile_gemm_cast(op), attr);
}

static void choice_apply(const Choice *choice) {
  MlirAttribute instr =
      TileInstr_attr(mlirOperationGetContext(choice->op), choice->instr);
  if (tile_copy_is(choice->op))
    tile_copy_set_instr_attr(tile_copy_cast(choice->op), instr);
  else if (tile_atomic_is(choice->op))
    tile_atomic_set_instr_attr(tile_atomic_cast(choice->op), instr);
  else
    product_set_instr(choice->op, choice->instr);
  if (!choice->remark_code)
    return;
  tile_emit_remark(choice->op, choice->remark_code, "uses %s%s",
                   tile_instr_name(choice->instr), choice->remark);
}

// The loops that show it are gone when copies are lowered.
static MlirWalkResult record_run(MlirOperation op, void *user_data) {
  TileIm2colOp im2col = tile_im2col_dyn(op);
  (void)user_data;
  if (!im2col.op.ptr || !mlirAttributeIsNull(tile_im2col_run_attr(im2col)))
    return MlirWalkResultAdvance;
  MlirType i64 = mlirIntegerTypeGet(mlirOperationGetContext(op), 64);
  tile_im2col_set_run_attr(
      im2col, mlirIntegerAttrGet(i64, tile_im2col_known_run(im2col, false)));
  return MlirWalkResultAdvance;
}

//===-- Clusters ----------------------------------------------------------===//

static MlirLogicalResult check_cluster(MlirOperation kernel,
                                       const TileTarget *target) {
  int64_t extent[3];
  if (!tile_launch_cluster(kernel, extent))
    return tile_success();
  long long blocks = (long long)(extent[0] * extent[1] * extent[2]);
  if (blocks > 1 && target->max_cluster_blocks == 1)
    return tile_emit_error(
        kernel,
        "asks for clusters of %lld blocks, which %s does not "
        "have: launch without clusters, or compile for "
        "sm_90a",
        blocks, target->chip);
  if (blocks > target->max_cluster_blocks)
    tile_emit_remark(
        kernel, "tile-instr/cluster",
        "has clusters of %lld blocks; GPUs find place for %lld, and "
        "for more where nothing else is in the way",
        blocks, (long long)target->max_cluster_blocks);
  return tile_success();
}

//===-- Entry -------------------------------------------------------------===//

static MlirLogicalResult visit_kernel(MlirOperation kernel, void *user_data) {
  TileKernelRun *run = user_data;
  Plan plan = {.arena = &run->arena, .result = tile_success()};
  plan.tail = &plan.choices;
  plan.context.num_threads = tile_kernel_num_threads(kernel);
  plan.context.in_launch = gpu_launch_is(kernel);
  if (tile_failed(tile_target_resolve(kernel, run->target_option,
                                      &plan.context.target)))
    return tile_failure();
  if (tile_failed(check_cluster(kernel, plan.context.target)))
    return tile_failure();
  mlirOperationWalk(kernel, plan_visit, &plan, MlirWalkPreOrder);
  if (tile_failed(plan.result))
    return tile_failure();
  for (const Choice *choice = plan.choices; choice; choice = choice->next)
    choice_apply(choice);
  mlirOperationWalk(kernel, record_run, NULL, MlirWalkPreOrder);
  return tile_success();
}

MlirLogicalResult tile_instruction_annotation_run(
    MlirOperation op, const TileInstructionAnnotationOptions *options) {
  return tile_kernels_visit_for_target(op, visit_kernel, options->target);
}
