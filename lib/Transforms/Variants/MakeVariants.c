//===- MakeVariants.c - Kernels for what the host finds out ---------------===//
//
// Consumes: launches whose best copies and element loops need facts that only
// the host knows:
//           addresses and row pitches that are multiples of 16 bytes, or of 8
//           or 4, and rows that are; tensors without extent 0, images with a
//           multiple of some channels.
// Produces: `tile.variants` with a launch for each combination of facts that
//           VariantPlan.c chooses, best first. All but the last one follow
//           `tile.require` ops and hold facts (`align` on `tile.region` and
//           `tile.im2col`, `run` there, `tile.row_multiple` on windows that
//           fragments are copied from or to, `tile.align` on accesses in
//           element loops); the last one is the launch as it was.
//           What a copy with a given instruction needs is required of every
//           call, before all; so is what a loop needs that must have
//           roles.
// Fails:    only on a target that cannot be resolved.
// Idempotent: a launch inside `tile.variants` is left alone.
//
//===----------------------------------------------------------------------===//

#include "Variants.h"

#include "Analysis/Index/Index.h"
#include "Support/Arithmetic.h"
#include "Support/Constants.h"
#include "Support/Diagnostics.h"
#include "Tile/Ops/func.h"
#include "Tile/Ops/memref.h"
#include "TilePasses.h"

//===-- Requirements; building them cannot fail ---------------------------===//

// "argument 0" or "a tensor", for the text of requirements.
static void tensor_name(MlirValue tensor, char *out, size_t capacity) {
  bool is_argument = mlirValueIsABlockArgument(tensor) &&
                     func_func_is(mlirBlockGetParentOperation(
                         mlirBlockArgumentGetOwner(tensor)));
  if (is_argument)
    snprintf(out, capacity, "argument %d",
             (int)mlirBlockArgumentGetArgNumber(tensor));
  else
    snprintf(out, capacity, "a tensor");
}

static void require_multiple(TileBuilder *b, MlirValue value, int64_t of,
                             const char *text) {
  MlirValue rest = arith_remui(b, value, tile_const_index(b, of));
  MlirValue is_zero = arith_cmpi(b, .predicate = ARITH_CMP_I_PREDICATE_eq,
                                 .lhs = rest, .rhs = tile_const_index(b, 0));
  tile_require(b, .condition = is_zero, .text = text, .actual = value);
}

static void require_extents(TileBuilder *b, const TileTensorWish *tensor,
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
    tile_require(b, .condition = reaches, .text = text, .actual = extent);
  }
}

static void require_channels(TileBuilder *b, const TileTensorWish *tensor,
                             const char *name) {
  char text[128];
  if (tensor->channels == 1)
    return;
  int64_t last = mlirShapedTypeGetRank(mlirValueGetType(tensor->value)) - 1;
  snprintf(text, sizeof text, "extent %lld of %s is a multiple of %lld",
           (long long)last, name, (long long)tensor->channels);
  require_multiple(b, memref_dim(b, tensor->value, tile_const_index(b, last)),
                   tensor->channels, text);
}

// Bytes of a row are asked for, as those of a stride are.
static void require_rows(TileBuilder *b, const TileTensorWish *tensor,
                         int64_t align_bytes, const char *name) {
  MlirType type = mlirValueGetType(tensor->value);
  int64_t last = mlirShapedTypeGetRank(type) - 1;
  int64_t elem_bytes = tile_elem_bits(mlirShapedTypeGetElementType(type)) / 8;
  char text[128];
  if (!tensor->needs_rows || !mlirShapedTypeIsDynamicDim(type, last))
    return;
  MlirValue extent = memref_dim(b, tensor->value, tile_const_index(b, last));
  snprintf(text, sizeof text, "extent %lld of %s is a multiple of %lld bytes",
           (long long)last, name, (long long)align_bytes);
  require_multiple(b, arith_muli(b, extent, tile_const_index(b, elem_bytes)),
                   align_bytes, text);
}

static void require_strides(TileBuilder *b, MlirValue tensor,
                            int64_t align_bytes, const char *name) {
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
    snprintf(text, sizeof text, "stride %lld of %s is a multiple of %lld bytes",
             (long long)d, name, (long long)align_bytes);
    require_multiple(b, bytes, align_bytes, text);
  }
}

// What one kernel counts on.
typedef struct {
  const TileTensorWish *tensors;
  int variant;
} Facts;

static void build_requirements(TileBuilder *b, const Facts *facts) {
  for (const TileTensorWish *t = facts->tensors; t; t = t->next) {
    char name[32], text[128];
    int64_t align_bytes = t->variant_bytes[facts->variant];
    if (!align_bytes)
      continue;
    tensor_name(t->value, name, sizeof name);
    snprintf(text, sizeof text, "address of %s is a multiple of %lld bytes",
             name, (long long)align_bytes);
    require_multiple(b, tile_address(b, t->value), align_bytes, text);
    require_strides(b, t->value, align_bytes, name);
    if (align_bytes < t->align_bytes)
      continue; // no map is made of it
    require_extents(b, t, name);
    require_channels(b, t, name);
    require_rows(b, t, align_bytes, name);
  }
}

//===-- Facts -------------------------------------------------------------===//

static MlirAttribute i64_attr(MlirOperation op, int64_t value) {
  return mlirIntegerAttrGet(mlirIntegerTypeGet(mlirOperationGetContext(op), 64),
                            value);
}

static void state_image(TileIm2colOp im2col, const TileTensorWish *tensor,
                        int64_t align_bytes) {
  tile_im2col_set_align_attr(im2col, i64_attr(im2col.op, align_bytes));
  if (tile_im2col_run_is_open(im2col))
    tile_im2col_set_run_attr(
        im2col,
        i64_attr(im2col.op, tile_gcd(tile_im2col_known_run(im2col, true),
                                     tensor->channels)));
}

static bool is_part_of(MlirValue tensor, MlirValue whole) {
  return mlirValueEqual(tile_tensor_behind(tensor), tile_tensor_behind(whole));
}

static void state_window(TileRegionOp region, const TileTensorWish *tensor,
                         int64_t align_bytes) {
  MlirValue window = mlirOperationGetResult(region.op, 0);
  bool is_whole = mlirValueEqual(tensor->value, tile_region_source(region));
  align_bytes = tile_view_align_bytes(tile_region_source(region), align_bytes);
  if (tile_row_align_bytes(window) < align_bytes)
    tile_region_set_align_attr(region, i64_attr(region.op, align_bytes));
  int64_t last = mlirShapedTypeGetRank(mlirValueGetType(tensor->value)) - 1;
  if (is_whole && tensor->needs_rows && align_bytes == tensor->align_bytes &&
      mlirShapedTypeIsDynamicDim(mlirValueGetType(tensor->value), last))
    mlirOperationSetDiscardableAttributeByName(
        region.op, TILE_STR(TILE_ROW_MULTIPLE_ATTR),
        i64_attr(region.op, align_bytes));
}

static MlirWalkResult state_facts(MlirOperation op, void *user_data) {
  const Facts *facts = user_data;
  TileRegionOp region = tile_region_dyn(op);
  TileIm2colOp im2col = tile_im2col_dyn(op);
  TileElementAccess access = {0};
  bool is_element =
      tile_element_wanted_bytes(op) && tile_element_access_get(op, &access);
  for (const TileTensorWish *t = facts->tensors; t; t = t->next) {
    int64_t align_bytes = t->variant_bytes[facts->variant];
    if (!align_bytes)
      continue;
    if (is_element && mlirValueEqual(t->value, access.memref))
      mlirOperationSetDiscardableAttributeByName(op, TILE_STR("tile.align"),
                                                 i64_attr(op, align_bytes));
    if (region.op.ptr && is_part_of(tile_region_source(region), t->value))
      state_window(region, t, align_bytes);
    if (im2col.op.ptr && mlirValueEqual(t->value, tile_im2col_image(im2col)) &&
        align_bytes == t->align_bytes)
      state_image(im2col, t, align_bytes);
  }
  return MlirWalkResultAdvance;
}

static MlirRegion region_with_block(void) {
  MlirRegion region = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(region, mlirBlockCreate(0, NULL, NULL));
  return region;
}

// Every kernel would need these: the call fails without.
static void apply_to_all(const TileVariantPlan *plan) {
  MlirOperation launch = plan->launch.op;
  TileBuilder b = {mlirIRRewriterCreate(mlirOperationGetContext(launch)),
                   mlirOperationGetLocation(launch)};
  Facts facts = {plan->tensors, 0};
  mlirRewriterBaseSetInsertionPointBefore(b.rw, launch);
  build_requirements(&b, &facts);
  mlirOperationWalk(launch, state_facts, &facts, MlirWalkPreOrder);
  mlirIRRewriterDestroy(b.rw);
}

// A clone of the launch that holds the facts of a variant.
static void build_variant(TileBuilder *b, const TileVariantPlan *plan,
                          int variant, MlirRegion region) {
  Facts facts = {plan->tensors, variant};
  mlirRewriterBaseSetInsertionPointToEnd(b->rw,
                                         mlirRegionGetFirstBlock(region));
  build_requirements(b, &facts);
  MlirOperation clone = mlirRewriterBaseClone(b->rw, plan->launch.op);
  mlirOperationWalk(clone, state_facts, &facts, MlirWalkPreOrder);
}

static void apply_variants(const TileVariantPlan *plan) {
  MlirOperation launch = plan->launch.op;
  TileBuilder b = {mlirIRRewriterCreate(mlirOperationGetContext(launch)),
                   mlirOperationGetLocation(launch)};
  int last = plan->num_variants - 1;
  MlirRegion regions[TILE_MAX_VARIANTS];
  for (int i = 0; i <= last; i++)
    regions[i] = region_with_block();
  MlirBlock general = mlirRegionGetFirstBlock(regions[last]);
  mlirRewriterBaseSetInsertionPointBefore(b.rw, launch);
  MlirOperation made =
      tile_variants_op(&b, .variants = {regions, plan->num_variants}).op;
  for (int i = 0; i < last; i++)
    build_variant(&b, plan, i, mlirOperationGetRegion(made, i));
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
  TileVariantPlan plan = {.arena = &run->arena,
                          .launch = gpu_launch_cast(kernel)};
  plan.context.num_threads = tile_kernel_num_threads(kernel);
  plan.context.in_launch = plan.context.splits_pads = true;
  if (!tile_kernel_has_tile_ops(kernel))
    return tile_success();
  if (tile_failed(tile_target_resolve(kernel, run->target_option,
                                      &plan.context.target)))
    return tile_failure();
  plan.is_given = true;
  tile_variant_plan_build(&plan);
  tile_variant_plan_combine(&plan);
  if (plan.tensors)
    apply_to_all(&plan);
  plan.is_given = false; // with the facts that are stated now
  tile_variant_plan_build(&plan);
  tile_variant_plan_combine(&plan);
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
