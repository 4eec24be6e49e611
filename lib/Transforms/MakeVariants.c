//===- MakeVariants.c - A fast launch, and one that needs nothing ---------===//
//
// Consumes: launches whose best copies and element loops need facts that only
// the host knows:
//           addresses and row pitches that are multiples of 16 bytes, tensors
//           without extent 0, images with a multiple of some channels.
// Produces: `tile.variants` with two launches. The first follows `tile.require`
//           ops and holds the facts (`align` on `tile.region` and
//           `tile.im2col`, `run` there, `tile.align` on accesses in element
//           loops); the second is the launch as it was.
//           Where tensors are only stored from registers, a launch between them
//           needs nothing of these: pitches of results are often odd where
//           those of factors are not. What a copy with a given instruction
//           needs is required of every call, in front of all; so is what a
//           loop needs that must have roles.
// Fails:    only on a target that cannot be resolved.
// Idempotent: a launch inside `tile.variants` is left alone.
//
//===----------------------------------------------------------------------===//

#include "../Analysis/RolePlan.h"
#include "../Analysis/StoreStaging.h"

#include "Tile/Ops/gpu.h"
#include "Tile/Ops/memref.h"
#include "Tile/Support/Arithmetic.h"
#include "Tile/Support/Constants.h"
#include "Tile/Support/Diagnostics.h"
#include "TilePasses.h"

// TMA and the widest cp.async need it (PTX ISA, cp.async.bulk.tensor,
// cp.async).
enum { FAST_ALIGN_BYTES = 16 };

//===-- Plan: tensors whose alignment matters -----------------------------===//

typedef struct Tensor {
  struct Tensor *next; // order of first use
  MlirValue value;
  // Least extents; 1 where a tensor map is made of it, and more where filters
  // must fit into the image.
  int64_t least[TILE_MAX_RANK];
  int64_t channels; // of an image: a multiple of it; 1: any number
  bool is_staged;   // only tile-stage-stores wants facts of it
} Tensor;

typedef struct {
  TileArena *arena;
  TileInstrContext context;
  GPULaunchOp launch;
  bool is_given; // looks at copies that have to be fast, else at the others
  bool leaves_staged; // states nothing of tensors that staged stores want
  Tensor *tensors, **tail;
} Plan;

//===-- Build -------------------------------------------------------------===//

static MlirValue region_source(MlirValue tile) {
  TileBuffer buffer = tile_buffer_of(tile);
  bool is_window = buffer.region.ptr || tile_im2col_of(tile).op.ptr;
  return is_window ? buffer.root : (MlirValue){NULL};
}

// The window of a tensor that a copy reads or writes.
static MlirValue window_of(TileCopyOp copy) {
  TileShape dst;
  bool is_store = tile_shape_of(tile_copy_dst(copy), &dst) &&
                  dst.space == TILE_SPACE_GLOBAL;
  return is_store ? tile_copy_dst(copy) : tile_copy_src(copy);
}

// A stride that is static and no multiple can never satisfy the condition.
static bool strides_can_align(MlirValue tensor) {
  MlirType type = mlirValueGetType(tensor);
  int64_t strides[TILE_MAX_RANK], offset;
  int64_t rank = mlirShapedTypeGetRank(type);
  if (rank > TILE_MAX_RANK ||
      tile_failed(mlirMemRefTypeGetStridesAndOffset(type, strides, &offset)))
    return false;
  int64_t elem_bytes = tile_elem_bits(mlirShapedTypeGetElementType(type)) / 8;
  for (int64_t d = 0; d + 1 < rank; d++)
    if (!mlirShapedTypeIsDynamicStrideOrOffset(strides[d]) &&
        strides[d] * elem_bytes % FAST_ALIGN_BYTES)
      return false;
  return true;
}

// Copies that a producer can make as things stand.
typedef struct {
  const Plan *plan;
  bool found;
} Search;

static MlirWalkResult find_candidate(MlirOperation op, void *user_data) {
  Search *search = user_data;
  const TileInstrContext *context = &search->plan->context;
  TileInstrReason reason;
  TileShape dst;
  search->found |=
      tile_copy_is(op) &&
      tile_shape_of(tile_copy_dst(tile_copy_cast(op)), &dst) &&
      dst.space == TILE_SPACE_SHARED &&
      (tile_copy_instr_is_legal(tile_copy_cast(op), TILE_INSTR_Tma, context,
                                &reason) ||
       tile_copy_instr_is_legal(tile_copy_cast(op), TILE_INSTR_CpAsync, context,
                                &reason));
  return search->found ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

// Whether no variant may do without facts about what the copy reads: it has an
// instruction, or a loop around it must have roles and holds no copy for a
// producer.
static bool is_demanded(const Plan *plan, TileCopyOp copy) {
  MlirOperation kernel = plan->launch.op;
  TileShape dst;
  if (!mlirAttributeIsNull(tile_copy_instr_attr(copy)))
    return true;
  if (!tile_shape_of(tile_copy_dst(copy), &dst) ||
      dst.space != TILE_SPACE_SHARED)
    return false;
  for (MlirOperation op = mlirOperationGetParentOperation(copy.op);
       !mlirOperationEqual(op, kernel);
       op = mlirOperationGetParentOperation(op)) {
    Search search = {plan, false};
    if (!tile_loop_requires_roles(kernel, op))
      continue;
    mlirOperationWalk(op, find_candidate, &search, MlirWalkPreOrder);
    return !search.found;
  }
  return false;
}

// The instruction that the copy would use if its rows were aligned, when it
// cannot use it as things stand.
static bool wants_facts(const Plan *plan, TileCopyOp copy,
                        TileInstr *out_instr) {
  static const TileInstr fast[] = {TILE_INSTR_Tma, TILE_INSTR_CpAsync};
  TileInstrReason reason;
  bool has_instr = !mlirAttributeIsNull(tile_copy_instr_attr(copy));
  if (plan->is_given != is_demanded(plan, copy))
    return false;
  for (int i = 0; i < 2; i++) {
    if (has_instr && tile_copy_instr(copy) != fast[i])
      continue;
    if (tile_copy_instr_is_legal(copy, fast[i], &plan->context, &reason))
      return false;
    if (tile_copy_instr_is_legal_if_aligned(copy, fast[i], &plan->context,
                                            &reason)) {
      *out_instr = fast[i];
      return true;
    }
  }
  return false;
}

// A gather of single elements that would move vectors if pixels were aligned
// and channels came in whole groups. On its way to a fragment it passes a
// shared tile later, which may be filled as any other.
static bool gather_wants_facts(const Plan *plan, TileCopyOp copy,
                               TileInstr *out_instr) {
  TileShape dst;
  MlirValue src = tile_copy_src(copy);
  TileIm2colOp im2col = tile_im2col_of(src);
  if (plan->is_given || !mlirAttributeIsNull(tile_copy_instr_attr(copy)) ||
      !im2col.op.ptr || !tile_shape_of(tile_copy_dst(copy), &dst) ||
      dst.space == TILE_SPACE_PRIVATE)
    return false;
  bool is_staged = dst.space == TILE_SPACE_FRAGMENT;
  *out_instr = is_staged ? TILE_INSTR_Tma : TILE_INSTR_Simt;
  return tile_im2col_group(im2col, tile_row_align_bytes(src),
                           tile_im2col_known_run(im2col, false), is_staged,
                           NULL) == 1 &&
         tile_im2col_group(im2col, FAST_ALIGN_BYTES,
                           tile_im2col_known_run(im2col, true), is_staged,
                           NULL) > 1;
}

// The same of an update from shared memory.
static bool update_wants_facts(const Plan *plan, TileAtomicOp atomic) {
  TileInstrReason reason;
  bool is_given = !mlirAttributeIsNull(tile_atomic_instr_attr(atomic));
  return plan->is_given == is_given &&
         (!is_given || tile_atomic_instr(atomic) == TILE_INSTR_Tma) &&
         !tile_atomic_tma_is_legal(atomic, &plan->context, false, &reason) &&
         tile_atomic_tma_is_legal(atomic, &plan->context, true, &reason);
}

// The window whose alignment matters, or null.
static MlirValue wanted_window(const Plan *plan, MlirOperation op,
                               TileInstr *out_instr) {
  if (tile_copy_is(op) &&
      (wants_facts(plan, tile_copy_cast(op), out_instr) ||
       gather_wants_facts(plan, tile_copy_cast(op), out_instr)))
    return window_of(tile_copy_cast(op));
  *out_instr = TILE_INSTR_Tma;
  if (tile_atomic_is(op) && update_wants_facts(plan, tile_atomic_cast(op)))
    return tile_atomic_dst(tile_atomic_cast(op));
  return (MlirValue){NULL};
}

// The box of an im2col map is not empty when a filter fits into the padded
// image.
static void need_map(Tensor *tensor, TileIm2colOp im2col) {
  int64_t rank = mlirShapedTypeGetRank(mlirValueGetType(tensor->value));
  int64_t least[TILE_MAX_RANK] = {1, 1, 1, 1, 1};
  if (im2col.op.ptr) {
    TileIm2colWindow window = tile_im2col_window(im2col);
    for (int d = 0; d < window.num_dims; d++)
      least[1 + d] = window.reach[d] + 1 - window.lower[d] - window.upper[d];
  }
  for (int64_t d = 0; d < rank; d++)
    if (tensor->least[d] < least[d] || tensor->least[d] == 0)
      tensor->least[d] = least[d] > 1 ? least[d] : 1;
}

static void need_channels(Tensor *tensor, TileIm2colOp im2col) {
  if (!im2col.op.ptr || !tile_im2col_run_is_open(im2col))
    return;
  int64_t run = tile_im2col_known_run(im2col, true);
  tensor->channels = tensor->channels / tile_gcd(tensor->channels, run) * run;
}

// The entry of a tensor; NULL where no host check helps.
static Tensor *find_or_add(Plan *plan, MlirValue tensor) {
  if (!tensor.ptr || tile_value_is_inside(tensor, plan->launch.op) ||
      !strides_can_align(tensor))
    return NULL;
  Tensor *entry = plan->tensors;
  while (entry && !mlirValueEqual(entry->value, tensor))
    entry = entry->next;
  if (!entry) {
    entry = TILE_ARENA_NEW(plan->arena, Tensor, 1);
    *entry = (Tensor){.value = tensor, .channels = 1, .is_staged = true};
    *plan->tail = entry;
    plan->tail = &entry->next;
  }
  return entry;
}

// The tensor of an access in an element loop that would move vectors; null when
// there is nothing to gain. No user asked for that: only variants may.
static MlirValue element_tensor(const Plan *plan, MlirOperation op) {
  TileElementAccess access;
  bool wants = !plan->is_given && tile_element_wants_alignment(op) &&
               tile_element_access_get(op, &access);
  return wants ? access.memref : (MlirValue){NULL};
}

static MlirWalkResult plan_visit(MlirOperation op, void *user_data) {
  Plan *plan = user_data;
  TileInstr instr = TILE_INSTR_Simt;
  MlirValue window = wanted_window(plan, op, &instr);
  Tensor *entry = find_or_add(plan, window.ptr ? region_source(window)
                                               : element_tensor(plan, op));
  if (!entry)
    return MlirWalkResultAdvance;
  entry->is_staged = false;
  if (!window.ptr)
    return MlirWalkResultAdvance;
  if (instr == TILE_INSTR_Tma)
    need_map(entry, tile_im2col_of(window));
  need_channels(entry, tile_im2col_of(window));
  return MlirWalkResultAdvance;
}

static void plan_staged_stores(Plan *plan) {
  TileStagedStore *store = tile_store_staging_build(
      plan->arena, plan->launch.op, &plan->context, true);
  for (; store; store = store->next) {
    TileInstrReason reason;
    if (!store->fits ||
        tile_staged_store_is_legal(store->copy, &plan->context, false, &reason))
      continue;
    Tensor *entry =
        find_or_add(plan, region_source(tile_copy_dst(store->copy)));
    if (entry)
      need_map(entry, (TileIm2colOp){TILE_NULL_OP});
  }
}

static void plan_tensors(Plan *plan) {
  plan->tensors = NULL;
  plan->tail = &plan->tensors;
  mlirOperationWalk(plan->launch.op, plan_visit, plan, MlirWalkPreOrder);
  if (!plan->is_given)
    plan_staged_stores(plan);
}

// Whether a launch without the facts that only staged stores want is another
// one, and needs some.
static bool has_middle(const Plan *plan) {
  bool is_staged = false, is_other = false;
  for (const Tensor *t = plan->tensors; t; t = t->next) {
    is_staged |= t->is_staged;
    is_other |= !t->is_staged;
  }
  return is_staged && is_other;
}

//===-- Apply; cannot fail ------------------------------------------------===//

// "argument 0" or "a tensor", for the text of requirements.
static void tensor_name(MlirValue tensor, char *out, size_t capacity) {
  if (mlirValueIsABlockArgument(tensor))
    snprintf(out, capacity, "argument %d",
             (int)mlirBlockArgumentGetArgNumber(tensor));
  else
    snprintf(out, capacity, "a tensor");
}

static void require_multiple(TileBuilder *b, MlirValue bytes,
                             const char *text) {
  MlirValue rest = arith_remui(b, bytes, tile_const_index(b, FAST_ALIGN_BYTES));
  MlirValue is_zero = arith_cmpi(b, .predicate = ARITH_CMP_I_PREDICATE_eq,
                                 .lhs = rest, .rhs = tile_const_index(b, 0));
  tile_require(b, .condition = is_zero, .text = text);
}

static void require_extents(TileBuilder *b, const Tensor *tensor,
                            const char *name) {
  MlirType type = mlirValueGetType(tensor->value);
  char text[128];
  for (int64_t d = 0; d < mlirShapedTypeGetRank(type); d++) {
    if (!mlirShapedTypeIsDynamicDim(type, d) || tensor->least[d] == 0)
      continue;
    MlirValue extent = memref_dim(b, tensor->value, tile_const_index(b, d));
    MlirValue reaches =
        arith_cmpi(b, .predicate = ARITH_CMP_I_PREDICATE_ugt, .lhs = extent,
                   .rhs = tile_const_index(b, tensor->least[d] - 1));
    if (tensor->least[d] == 1)
      snprintf(text, sizeof text, "extent %lld of %s is not 0", (long long)d,
               name);
    else
      snprintf(text, sizeof text, "extent %lld of %s is at least %lld",
               (long long)d, name, (long long)tensor->least[d]);
    tile_require(b, .condition = reaches, .text = text);
  }
}

static void require_channels(TileBuilder *b, const Tensor *tensor,
                             const char *name) {
  char text[128];
  if (tensor->channels == 1)
    return;
  int64_t last = mlirShapedTypeGetRank(mlirValueGetType(tensor->value)) - 1;
  MlirValue rest =
      arith_remui(b, memref_dim(b, tensor->value, tile_const_index(b, last)),
                  tile_const_index(b, tensor->channels));
  MlirValue is_zero = arith_cmpi(b, .predicate = ARITH_CMP_I_PREDICATE_eq,
                                 .lhs = rest, .rhs = tile_const_index(b, 0));
  snprintf(text, sizeof text, "extent %lld of %s is a multiple of %lld",
           (long long)last, name, (long long)tensor->channels);
  tile_require(b, .condition = is_zero, .text = text);
}

static void require_strides(TileBuilder *b, MlirValue tensor,
                            const char *name) {
  MlirType type = mlirValueGetType(tensor);
  int64_t rank = mlirShapedTypeGetRank(type);
  int64_t elem_bytes = tile_elem_bits(mlirShapedTypeGetElementType(type)) / 8;
  int64_t strides[TILE_MAX_RANK], offset;
  MlirOperation metadata = {NULL};
  char text[128];
  mlirMemRefTypeGetStridesAndOffset(type, strides, &offset);
  for (int64_t d = 0; d + 1 < rank; d++) {
    if (!mlirShapedTypeIsDynamicStrideOrOffset(strides[d]))
      continue;
    if (!metadata.ptr)
      metadata = memref_extract_strided_metadata_op(b, tensor).op;
    // Results: base, offset, extents, strides.
    MlirValue stride = mlirOperationGetResult(metadata, 2 + rank + d);
    MlirValue bytes = arith_muli(b, stride, tile_const_index(b, elem_bytes));
    snprintf(text, sizeof text, "stride %lld of %s is a multiple of %d bytes",
             (long long)d, name, FAST_ALIGN_BYTES);
    require_multiple(b, bytes, text);
  }
}

static void build_requirements(TileBuilder *b, const Plan *plan) {
  for (const Tensor *t = plan->tensors; t; t = t->next) {
    char name[32], text[128];
    if (plan->leaves_staged && t->is_staged)
      continue;
    tensor_name(t->value, name, sizeof name);
    snprintf(text, sizeof text, "address of %s is a multiple of %d bytes", name,
             FAST_ALIGN_BYTES);
    require_multiple(b, tile_address(b, t->value), text);
    require_strides(b, t->value, name);
    require_extents(b, t, name);
    require_channels(b, t, name);
  }
}

static MlirAttribute i64_attr(MlirOperation op, int64_t value) {
  return mlirIntegerAttrGet(mlirIntegerTypeGet(mlirOperationGetContext(op), 64),
                            value);
}

static MlirWalkResult state_facts(MlirOperation op, void *user_data) {
  const Plan *plan = user_data;
  TileRegionOp region = tile_region_dyn(op);
  TileIm2colOp im2col = tile_im2col_dyn(op);
  TileElementAccess access = {0};
  bool is_element =
      tile_element_wants_alignment(op) && tile_element_access_get(op, &access);
  for (const Tensor *t = plan->tensors; t; t = t->next) {
    if (plan->leaves_staged && t->is_staged)
      continue;
    if (is_element && mlirValueEqual(t->value, access.memref))
      mlirOperationSetDiscardableAttributeByName(
          op, TILE_STR("tile.align"), i64_attr(op, FAST_ALIGN_BYTES));
    if (region.op.ptr && mlirValueEqual(t->value, tile_region_source(region)))
      tile_region_set_align_attr(region, i64_attr(op, FAST_ALIGN_BYTES));
    if (!im2col.op.ptr || !mlirValueEqual(t->value, tile_im2col_image(im2col)))
      continue;
    tile_im2col_set_align_attr(im2col, i64_attr(op, FAST_ALIGN_BYTES));
    if (tile_im2col_run_is_open(im2col))
      tile_im2col_set_run_attr(
          im2col, i64_attr(op, tile_gcd(tile_im2col_known_run(im2col, true),
                                        t->channels)));
  }
  return MlirWalkResultAdvance;
}

static MlirRegion region_with_block(void) {
  MlirRegion region = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(region, mlirBlockCreate(0, NULL, NULL));
  return region;
}

// Both variants would need these: the call fails without.
static void apply_to_all(const Plan *plan) {
  MlirOperation launch = plan->launch.op;
  TileBuilder b = {mlirIRRewriterCreate(mlirOperationGetContext(launch)),
                   mlirOperationGetLocation(launch)};
  mlirRewriterBaseSetInsertionPointBefore(b.rw, launch);
  build_requirements(&b, plan);
  mlirOperationWalk(launch, state_facts, (void *)plan, MlirWalkPreOrder);
  mlirIRRewriterDestroy(b.rw);
}

// A clone of the launch that holds the facts of the plan.
static void build_fast(TileBuilder *b, const Plan *plan, MlirRegion region) {
  mlirRewriterBaseSetInsertionPointToEnd(b->rw,
                                         mlirRegionGetFirstBlock(region));
  build_requirements(b, plan);
  MlirOperation clone = mlirRewriterBaseClone(b->rw, plan->launch.op);
  mlirOperationWalk(clone, state_facts, (void *)plan, MlirWalkPreOrder);
}

static void apply_variants(const Plan *plan) {
  enum { MAX_VARIANTS = 3 };
  MlirOperation launch = plan->launch.op;
  TileBuilder b = {mlirIRRewriterCreate(mlirOperationGetContext(launch)),
                   mlirOperationGetLocation(launch)};
  intptr_t count = has_middle(plan) ? MAX_VARIANTS : MAX_VARIANTS - 1;
  MlirRegion regions[MAX_VARIANTS];
  for (intptr_t i = 0; i < count; i++)
    regions[i] = region_with_block();
  MlirBlock general = mlirRegionGetFirstBlock(regions[count - 1]);
  mlirRewriterBaseSetInsertionPointBefore(b.rw, launch);
  MlirOperation made = tile_variants_op(&b, .variants = {regions, count}).op;
  build_fast(&b, plan, mlirOperationGetRegion(made, 0));
  if (count == MAX_VARIANTS) {
    Plan others = *plan;
    others.leaves_staged = true;
    build_fast(&b, &others, mlirOperationGetRegion(made, 1));
  }
  mlirOperationRemoveFromParent(launch);
  mlirBlockAppendOwnedOperation(general, launch);
  mlirIRRewriterDestroy(b.rw);
}

//===-- Entry -------------------------------------------------------------===//

typedef struct {
  TileArena arena;
  const char *target_option;
} Run;

static bool is_in_variants(MlirOperation op) {
  MlirOperation parent = mlirOperationGetParentOperation(op);
  return tile_variants_is(parent);
}

static MlirLogicalResult visit_kernel(MlirOperation kernel, void *user_data) {
  Run *run = user_data;
  if (!gpu_launch_is(kernel) || is_in_variants(kernel) ||
      mlirOperationGetNumResults(kernel) > 0)
    return tile_success();
  Plan plan = {.arena = &run->arena, .launch = gpu_launch_cast(kernel)};
  plan.context.num_threads = tile_kernel_num_threads(kernel);
  plan.context.in_launch = plan.context.splits_pads = true;
  if (!tile_kernel_has_tile_ops(kernel))
    return tile_success();
  if (tile_failed(tile_target_resolve(kernel, run->target_option,
                                      &plan.context.target)))
    return tile_failure();
  plan.is_given = true;
  plan_tensors(&plan);
  if (plan.tensors)
    apply_to_all(&plan);
  plan.is_given = false; // with the facts that are stated now
  plan_tensors(&plan);
  if (plan.tensors)
    apply_variants(&plan);
  return tile_success();
}

MlirLogicalResult
tile_make_variants_run(MlirOperation op,
                       const TileMakeVariantsOptions *options) {
  Run run = {.target_option = options->target};
  tile_arena_init(&run.arena);
  MlirLogicalResult result = tile_kernels_visit(op, visit_kernel, &run);
  tile_arena_deinit(&run.arena);
  return result;
}
