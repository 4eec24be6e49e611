//===- TileFold.c - Canonicalisations -------------------------------------===//
//
// Windows: a `tile.region` names its root buffer and keeps constants in its
// attributes, because dependences are read off regions (TileAccess.c). So
// subviews and casts are looked through, and constant offsets are folded.
// A rewrite never makes a window that the verifier rejects: code that is never
// executed may hold offsets that leave a buffer.
//
// Ops: a condition that holds is not required, a copy of a tile to itself is
// dropped, known positions of rings are computed.
//
//===----------------------------------------------------------------------===//

#include "Dialect/Verify/TileVerify.h"
#include "Support/Constants.h"
#include "Tile/Ops/arith.h"
#include "Tile/Ops/gpu.h"
#include "Tile/Ops/memref.h"
#include "Tile/Ops/scf.h"

static MlirLogicalResult no_match(void) { return tile_failure(); }

//===-- Windows -----------------------------------------------------------===//

enum { MAX_SOURCE_RANK = 16 }; // of a buffer; a region has TILE_MAX_RANK

/// A window of a buffer: what `tile.region` and `memref.subview` have in common
/// when all strides are 1.
typedef struct {
  MlirValue source;
  int rank; // of the source
  struct {
    MlirValue value; // offset; null when it is `constant`
    int64_t constant;
    int64_t size;     // negative: dynamic
    MlirValue extent; // of a subview: its size, where that is dynamic; or null
    bool is_dropped;
    MlirValue end; // of the window by itself; or null
  } dim[MAX_SOURCE_RANK];
  bool starts_inside;   // where it has an end
  bool is_of_kernel;    // a subview that a kernel makes, no tensor of the host
  MlirValue ids, first; // that name places in dimension `by`, or null
  int64_t by;
} Window;

static MlirType window_type(const Window *w) {
  return mlirValueGetType(w->source);
}

static TileSpace window_space(const Window *w) {
  return tile_space_of_attr(mlirMemRefTypeGetMemorySpace(window_type(w)));
}

static bool window_of_region(TileRegionOp region, Window *out) {
  *out = (Window){.source = tile_region_source(region)};
  intptr_t rank = tile_region_static_sizes_size(region), next = 0;
  if (rank > MAX_SOURCE_RANK)
    return false;
  out->rank = (int)rank;
  for (int d = 0; d < rank; d++) {
    int64_t offset = tile_region_static_offsets(region, d);
    if (mlirShapedTypeIsDynamicStrideOrOffset(offset))
      out->dim[d].value = tile_range_at(tile_region_offsets(region), next++);
    else
      out->dim[d].constant = offset;
    out->dim[d].size = tile_region_static_sizes(region, d);
  }
  for (intptr_t i = 0; i < tile_region_dropped_size(region); i++)
    out->dim[tile_region_dropped(region, i)].is_dropped = true;
  for (intptr_t i = 0; i < tile_region_bounded_size(region); i++)
    out->dim[tile_region_bounded(region, i)].end =
        tile_range_at(tile_region_ends(region), i);
  out->starts_inside = tile_region_starts_inside(region);
  out->ids = tile_region_ids(region);
  out->first = tile_region_ids_offset(region);
  out->by = out->ids.ptr ? tile_region_dim(region) : 0;
  return true;
}

// Which unit dimensions a rank-reducing subview drops follows from the extents
// of its type. Where several choices fit, all name the same elements.
static bool find_dropped(MlirType type, Window *w) {
  int64_t rank = mlirShapedTypeGetRank(type), kept = 0;
  for (int d = 0; d < w->rank; d++) {
    bool must_drop =
        w->dim[d].size == 1 &&
        (kept == rank || mlirShapedTypeGetDimSize(type, kept) != 1);
    w->dim[d].is_dropped = must_drop;
    kept += !must_drop;
  }
  return kept == rank;
}

static bool window_of_subview(MemRefSubViewOp subview, Window *out) {
  *out = (Window){.source = memref_subview_source(subview)};
  for (MlirOperation parent = mlirOperationGetParentOperation(subview.op);
       parent.ptr; parent = mlirOperationGetParentOperation(parent))
    out->is_of_kernel |= tile_kernel_is(parent);
  intptr_t rank = memref_subview_static_sizes_size(subview), next = 0;
  intptr_t next_size = 0;
  if (rank > MAX_SOURCE_RANK)
    return false;
  out->rank = (int)rank;
  for (int d = 0; d < rank; d++) {
    if (memref_subview_static_strides(subview, d) != 1)
      return false;
    int64_t offset = memref_subview_static_offsets(subview, d);
    if (mlirShapedTypeIsDynamicStrideOrOffset(offset))
      out->dim[d].value =
          tile_range_at(memref_subview_offsets(subview), next++);
    else
      out->dim[d].constant = offset;
    int64_t size = memref_subview_static_sizes(subview, d);
    bool is_dynamic = mlirShapedTypeIsDynamicSize(size);
    out->dim[d].size = is_dynamic ? -1 : size;
    if (is_dynamic)
      out->dim[d].extent =
          tile_range_at(memref_subview_sizes(subview), next_size++);
  }
  return find_dropped(mlirValueGetType(memref_subview_result(subview)), out);
}

// Whether a region of this window passes its verifier.
static bool window_is_legal(const Window *w) {
  TileSpace space = window_space(w);
  int64_t num_elems = 1;
  int kept = 0;
  for (int d = 0; d < w->rank; d++) {
    int64_t size = w->dim[d].size;
    int64_t offset = mlirValueIsNull(w->dim[d].value) ? w->dim[d].constant : 0;
    int64_t extent = mlirShapedTypeGetDimSize(window_type(w), d);
    if (size < 1 || size > TILE_MAX_TILE_ELEMS / num_elems)
      return false;
    if (space != TILE_SPACE_GLOBAL &&
        !tile_verify_is_inside(offset, size, extent))
      return false;
    num_elems *= size;
    kept += !w->dim[d].is_dropped;
  }
  return space != TILE_SPACE_OTHER && kept > 0 && kept <= TILE_MAX_RANK;
}

static MlirValue window_build(TileBuilder *b, const Window *w, MlirValue pad,
                              MlirAttribute align) {
  MlirValue offsets[MAX_SOURCE_RANK];
  int64_t constants[MAX_SOURCE_RANK], sizes[MAX_SOURCE_RANK];
  int64_t dropped[MAX_SOURCE_RANK], bounded[MAX_SOURCE_RANK];
  MlirValue ends[MAX_SOURCE_RANK];
  intptr_t num_offsets = 0, num_dropped = 0, num_ends = 0;
  for (int d = 0; d < w->rank; d++) {
    bool is_constant = mlirValueIsNull(w->dim[d].value);
    constants[d] = is_constant ? w->dim[d].constant
                               : mlirShapedTypeGetDynamicStrideOrOffset();
    sizes[d] = w->dim[d].size;
    if (!is_constant)
      offsets[num_offsets++] = w->dim[d].value;
    if (w->dim[d].is_dropped)
      dropped[num_dropped++] = d;
    if (w->dim[d].end.ptr) {
      bounded[num_ends] = d;
      ends[num_ends++] = w->dim[d].end;
    }
  }
  TileOptInt align_bytes = {0};
  if (!mlirAttributeIsNull(align))
    align_bytes = (TileOptInt){true, mlirIntegerAttrGetValueInt(align)};
  TileOptInt by = {w->ids.ptr != NULL, w->by};
  return tile_region(b, .source = w->source, .offsets = {offsets, num_offsets},
                     .ends = {ends, num_ends},
                     .bounded = {num_ends ? bounded : NULL, num_ends},
                     .starts_inside = w->starts_inside && num_ends > 0,
                     .ids = w->ids, .ids_offset = w->first, .dim = by,
                     .pad = pad, .static_offsets = {constants, w->rank},
                     .static_sizes = {sizes, w->rank},
                     .dropped = {num_dropped ? dropped : NULL, num_dropped},
                     .align = align_bytes);
}

static MlirLogicalResult replace_region(TileRegionOp region, const Window *w,
                                        MlirValue pad,
                                        MlirPatternRewriter rewriter) {
  TileBuilder b = {mlirPatternRewriterAsBase(rewriter),
                   mlirOperationGetLocation(region.op)};
  MlirValue value = window_build(&b, w, pad, tile_region_align_attr(region));
  MlirOperation made = mlirOpResultGetOwner(value);
  for (intptr_t i = 0; i < mlirOperationGetNumDiscardableAttributes(region.op);
       i++) {
    MlirNamedAttribute extra =
        mlirOperationGetDiscardableAttribute(region.op, i);
    mlirOperationSetDiscardableAttributeByName(
        made, mlirIdentifierStr(extra.name), extra.attribute);
  }
  mlirRewriterBaseReplaceOpWithValues(b.rw, region.op, 1, &value);
  return tile_success();
}

//===-- tile.region -------------------------------------------------------===//

static MlirLogicalResult fold_offsets(MlirRewritePattern pattern,
                                      MlirOperation op,
                                      MlirPatternRewriter rewriter,
                                      void *user_data) {
  (void)pattern, (void)user_data;
  TileRegionOp region = tile_region_cast(op);
  Window w;
  if (!window_of_region(region, &w))
    return no_match();
  bool changed = false;
  for (int d = 0; d < w.rank; d++) {
    int64_t constant;
    if (mlirValueIsNull(w.dim[d].value) ||
        !mlirxConstantInt(w.dim[d].value, &constant) ||
        mlirShapedTypeIsDynamicStrideOrOffset(constant))
      continue;
    Window folded = w;
    folded.dim[d].value = (MlirValue){NULL};
    folded.dim[d].constant = constant;
    if (!window_is_legal(&folded))
      continue;
    w = folded;
    changed = true;
  }
  return changed ? replace_region(region, &w, tile_region_pad(region), rewriter)
                 : no_match();
}

// Whether all that reads the tile are sparse products, as metadata.
static bool is_only_metadata(MlirValue tile) {
  for (MlirOpOperand use = mlirValueGetFirstUse(tile);
       !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    TileGemmSpOp product = tile_gemm_sp_dyn(user);
    bool is_fine = false;
    if (tile_copy_is(user))
      is_fine = !mlirValueEqual(tile_copy_src(tile_copy_cast(user)), tile);
    else if (product.op.ptr)
      is_fine = !mlirValueEqual(tile_gemm_sp_a(product), tile) &&
                !mlirValueEqual(tile_gemm_sp_b(product), tile);
    else if (tile_view_is(user) || tile_region_is(user))
      is_fine = is_only_metadata(mlirOperationGetResult(user, 0));
    if (!is_fine && !tile_fill_is(user))
      return false;
  }
  return true;
}

static bool feeds_only_metadata(TileRegionOp region) {
  MlirValue window = mlirOperationGetResult(region.op, 0);
  for (MlirOpOperand use = mlirValueGetFirstUse(window);
       !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    TileCopyOp copy = tile_copy_dyn(mlirOpOperandGetOwner(use));
    TileShape dst;
    if (!copy.op.ptr || mlirValueEqual(tile_copy_dst(copy), window) ||
        !tile_shape_of(tile_copy_dst(copy), &dst) ||
        dst.space != TILE_SPACE_SHARED ||
        !is_only_metadata(tile_copy_dst(copy)))
      return false;
  }
  return true;
}

// Zeros are the default, which need not be written, and then do not rule out
// TMA and cp.async. Words of metadata that are 0 mean 0x4444 (tile.gemm_sp): a
// pad of that value is as good as zeros.
static bool is_as_zeros(MlirValue pad, TileRegionOp region) {
  int64_t value;
  if (tile_value_is_zero_bits(pad))
    return true;
  if (!mlirxConstantInt(pad, &value))
    return false;
  int bits = tile_elem_bits(mlirValueGetType(pad));
  uint64_t mask = bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;
  return bits >= 8 &&
         !(((uint64_t)value ^ UINT64_C(0x4444444444444444)) & mask) &&
         feeds_only_metadata(region);
}

static MlirLogicalResult drop_pad(MlirRewritePattern pattern, MlirOperation op,
                                  MlirPatternRewriter rewriter,
                                  void *user_data) {
  (void)pattern, (void)user_data;
  TileRegionOp region = tile_region_cast(op);
  MlirValue pad = tile_region_pad(region);
  Window w;
  if (mlirValueIsNull(pad) || !is_as_zeros(pad, region) ||
      !window_of_region(region, &w))
    return no_match();
  return replace_region(region, &w, (MlirValue){NULL}, rewriter);
}

static MlirOperation defining_op(MlirValue value) {
  return mlirValueIsAOpResult(value) ? mlirOpResultGetOwner(value)
                                     : (MlirOperation){NULL};
}

static MlirLogicalResult fold_cast(MlirRewritePattern pattern, MlirOperation op,
                                   MlirPatternRewriter rewriter,
                                   void *user_data) {
  (void)pattern, (void)user_data;
  TileRegionOp region = tile_region_cast(op);
  MemRefCastOp cast = memref_cast_dyn(defining_op(tile_region_source(region)));
  Window w;
  if (mlirOperationIsNull(cast.op) || !window_of_region(region, &w))
    return no_match();
  w.source = memref_cast_source(cast);
  if (!mlirTypeIsAMemRef(window_type(&w)) || !window_is_legal(&w))
    return no_match();
  return replace_region(region, &w, tile_region_pad(region), rewriter);
}

// Whether a part of dynamic size has all of dimension `d`.
static bool is_all_of(const Window *w, int d) {
  MlirOperation op = defining_op(w->dim[d].extent);
  int64_t dim;
  return w->is_of_kernel && !mlirOperationIsNull(op) && memref_dim_is(op) &&
         mlirValueIsNull(w->dim[d].value) && w->dim[d].constant == 0 &&
         mlirValueEqual(memref_dim_source(memref_dim_cast(op)), w->source) &&
         mlirxConstantInt(memref_dim_index(memref_dim_cast(op)), &dim) &&
         dim == d;
}

// Reads outside the subview give the pad value, so a window of the subview is
// one of its source where it provably stays inside, or where both end at the
// same places. Outside global memory, windows never leave the buffer.
static bool has_same_bounds(const Window *outer, int d, const Window *inner,
                            int k) {
  if (window_space(outer) != TILE_SPACE_GLOBAL)
    return true;
  int64_t size = outer->dim[d].size;
  if (size < 0)
    return is_all_of(outer, d);
  int64_t offset = inner->dim[k].constant;
  if (mlirValueIsNull(inner->dim[k].value) && offset >= 0 &&
      offset <= size - inner->dim[k].size)
    return true;
  return mlirValueIsNull(outer->dim[d].value) && outer->dim[d].constant == 0 &&
         size == mlirShapedTypeGetDimSize(window_type(outer), d);
}

// Ids, and what index arithmetic makes of numbers that are not negative.
static bool is_not_negative(MlirValue value, int depth) {
  enum { MAX_DEPTH = 8 };
  int64_t constant;
  if (mlirxConstantInt(value, &constant))
    return constant >= 0;
  if (depth > MAX_DEPTH)
    return false;
  if (mlirValueIsABlockArgument(value)) {
    MlirOperation parent =
        mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(value));
    if (scf_for_is(parent))
      return mlirBlockArgumentGetArgNumber(value) == 0 &&
             is_not_negative(scf_for_lowerBound(scf_for_cast(parent)),
                             depth + 1);
    return gpu_launch_is(parent); // ids and sizes
  }
  MlirOperation op = mlirOpResultGetOwner(value);
  if (gpu_block_id_is(op) || gpu_grid_dim_is(op) || memref_dim_is(op) ||
      arith_divui_is(op) || arith_remui_is(op))
    return true;
  if (!arith_addi_is(op) && !arith_muli_is(op))
    return false;
  return is_not_negative(mlirOperationGetOperand(op, 0), depth + 1) &&
         is_not_negative(mlirOperationGetOperand(op, 1), depth + 1);
}

// Whether a window that leaves the part at its end may be given an end: it does
// not begin before the part.
static bool can_end(const Window *outer, int d, const Window *inner, int k) {
  return outer->is_of_kernel && window_space(outer) == TILE_SPACE_GLOBAL &&
         !inner->dim[k].end.ptr &&
         (inner->dim[k].value.ptr ? is_not_negative(inner->dim[k].value, 0)
                                  : inner->dim[k].constant >= 0) &&
         (outer->dim[d].size >= 0 || outer->dim[d].extent.ptr);
}

static MlirValue end_of(TileBuilder *b, const Window *w, int d) {
  MlirValue size = w->dim[d].extent.ptr ? w->dim[d].extent
                                        : tile_const_index(b, w->dim[d].size);
  MlirValue offset = w->dim[d].value.ptr
                         ? w->dim[d].value
                         : tile_const_index(b, w->dim[d].constant);
  return arith_addi(b, offset, size);
}

static bool is_zero_offset(const Window *w, int d) {
  return mlirValueIsNull(w->dim[d].value) && w->dim[d].constant == 0;
}

// offset(outer, d) += offset(inner, k)
static void add_offset(TileBuilder *b, Window *outer, int d,
                       const Window *inner, int k) {
  MlirValue x = outer->dim[d].value, y = inner->dim[k].value;
  if (is_zero_offset(inner, k))
    return;
  if (mlirValueIsNull(x) && mlirValueIsNull(y)) {
    outer->dim[d].constant += inner->dim[k].constant;
    return;
  }
  if (is_zero_offset(outer, d)) {
    outer->dim[d].value = y;
    return;
  }
  if (mlirValueIsNull(x))
    x = tile_const_index(b, outer->dim[d].constant);
  if (mlirValueIsNull(y))
    y = tile_const_index(b, inner->dim[k].constant);
  outer->dim[d].value = arith_addi(b, x, y);
}

// Constant offsets are bounded so that their sum cannot overflow.
static bool can_add_offsets(const Window *outer, int d, const Window *inner,
                            int k) {
  int64_t limit = INT64_MAX / 4;
  int64_t x = outer->dim[d].constant, y = inner->dim[k].constant;
  return x < limit && x > -limit && y < limit && y > -limit;
}

static MlirLogicalResult fold_subview(MlirRewritePattern pattern,
                                      MlirOperation op,
                                      MlirPatternRewriter rewriter,
                                      void *user_data) {
  (void)pattern, (void)user_data;
  TileRegionOp region = tile_region_cast(op);
  MemRefSubViewOp subview =
      memref_subview_dyn(defining_op(tile_region_source(region)));
  Window outer, inner;
  // `align` is a fact about the subview, which says nothing of its source.
  if (mlirOperationIsNull(subview.op) ||
      !mlirAttributeIsNull(tile_region_align_attr(region)) ||
      !window_of_subview(subview, &outer) ||
      !window_of_region(region, &inner) || inner.ids.ptr)
    return no_match(); // numbers end where the subview does
  Window sum = outer; // sizes and constant offsets only, to ask before building
  bool needs_end[MAX_SOURCE_RANK] = {false};
  for (int d = 0, k = 0; d < outer.rank; d++) {
    if (outer.dim[d].is_dropped)
      continue;
    needs_end[d] = !has_same_bounds(&outer, d, &inner, k);
    if ((needs_end[d] && !can_end(&outer, d, &inner, k)) ||
        (inner.dim[k].end.ptr && !is_zero_offset(&outer, d)) ||
        !can_add_offsets(&outer, d, &inner, k))
      return no_match();
    sum.dim[d].end = inner.dim[k].end;
    sum.dim[d].size = inner.dim[k].size;
    sum.dim[d].is_dropped = inner.dim[k].is_dropped;
    sum.dim[d].constant += inner.dim[k].constant;
    if (!mlirValueIsNull(inner.dim[k].value))
      sum.dim[d].value = inner.dim[k].value;
    k++;
  }
  if (!window_is_legal(&sum))
    return no_match();
  TileBuilder b = {mlirPatternRewriterAsBase(rewriter),
                   mlirOperationGetLocation(op)};
  outer.starts_inside = true; // as parts do, and windows of them that can end
  for (int d = 0, k = 0; d < outer.rank; d++) {
    if (outer.dim[d].is_dropped)
      continue;
    outer.starts_inside &= !sum.dim[d].end.ptr || inner.starts_inside;
    outer.dim[d].end = needs_end[d] ? end_of(&b, &outer, d) : sum.dim[d].end;
    add_offset(&b, &outer, d, &inner, k++);
    outer.dim[d].size = sum.dim[d].size;
    outer.dim[d].is_dropped = sum.dim[d].is_dropped;
  }
  return replace_region(region, &outer, tile_region_pad(region), rewriter);
}

//===-- Operands of tile ops ----------------------------------------------===//

// A whole subview as operand becomes a region of the buffer behind it.
static MlirLogicalResult fold_operands(MlirRewritePattern pattern,
                                       MlirOperation op,
                                       MlirPatternRewriter rewriter,
                                       void *user_data) {
  (void)pattern, (void)user_data;
  TileBuilder b = {mlirPatternRewriterAsBase(rewriter),
                   mlirOperationGetLocation(op)};
  TileAccess access[TILE_MAX_ACCESSES];
  int num_accesses = tile_accesses_get(op, access);
  bool changed = false;
  for (int i = 0; i < num_accesses; i++) {
    MemRefSubViewOp subview = memref_subview_dyn(defining_op(access[i].tile));
    Window w;
    if (access[i].operand < 0 || mlirOperationIsNull(subview.op) ||
        !window_of_subview(subview, &w) || !window_is_legal(&w))
      continue;
    MlirValue region =
        window_build(&b, &w, (MlirValue){NULL}, (MlirAttribute){NULL});
    mlirRewriterBaseStartOpModification(b.rw, op);
    mlirOperationSetOperand(op, access[i].operand, region);
    mlirRewriterBaseFinalizeOpModification(b.rw, op);
    changed = true;
  }
  return changed ? tile_success() : no_match();
}

static MlirLogicalResult drop_self_copy(MlirRewritePattern pattern,
                                        MlirOperation op,
                                        MlirPatternRewriter rewriter,
                                        void *user_data) {
  (void)pattern, (void)user_data;
  TileCopyOp copy = tile_copy_cast(op);
  if (!mlirValueEqual(tile_copy_src(copy), tile_copy_dst(copy)) ||
      !mlirValueIsNull(tile_copy_signal(copy)))
    return no_match();
  mlirRewriterBaseEraseOp(mlirPatternRewriterAsBase(rewriter), op);
  return tile_success();
}

static MlirLogicalResult drop_requirement(MlirRewritePattern pattern,
                                          MlirOperation op,
                                          MlirPatternRewriter rewriter,
                                          void *user_data) {
  (void)pattern, (void)user_data;
  int64_t holds;
  if (!mlirxConstantInt(tile_require_condition(tile_require_cast(op)),
                        &holds) ||
      holds == 0)
    return no_match();
  mlirRewriterBaseEraseOp(mlirPatternRewriterAsBase(rewriter), op);
  return tile_success();
}

// Positions that are known at compile time: the first rounds of a ring.
static MlirLogicalResult fold_advance(MlirRewritePattern pattern,
                                      MlirOperation op,
                                      MlirPatternRewriter rewriter,
                                      void *user_data) {
  (void)pattern, (void)user_data;
  TileAdvanceOp advance = tile_advance_cast(op);
  int64_t slot, parity;
  if (!mlirxConstantInt(tile_advance_slot(advance), &slot) ||
      !mlirxConstantInt(tile_advance_parity(advance), &parity))
    return no_match();
  TileBuilder b = {mlirPatternRewriterAsBase(rewriter),
                   mlirOperationGetLocation(op)};
  bool wraps = slot + 1 == tile_advance_depth(advance);
  MlirValue next_slot = tile_const_int(&b, wraps ? 0 : slot + 1, 32);
  MlirValue next[2] = {next_slot,
                       tile_const_int(&b, wraps ? !parity : parity, 32)};
  mlirRewriterBaseReplaceOpWithValues(b.rw, op, 2, next);
  return tile_success();
}

//===-- Entry -------------------------------------------------------------===//

typedef MlirLogicalResult (*Rewrite)(MlirRewritePattern, MlirOperation,
                                     MlirPatternRewriter, void *);

static void add_pattern(MlirContext context, MlirRewritePatternSet patterns,
                        const char *op_name, Rewrite rewrite) {
  MlirRewritePatternCallbacks callbacks = {.matchAndRewrite = rewrite};
  mlirRewritePatternSetAdd(
      patterns, mlirOpRewritePatternCreate(tile_str(op_name), 1, context,
                                           callbacks, NULL, 0, NULL));
}

void tile_region_canonicalize(MlirContext ctx, MlirRewritePatternSet patterns) {
  add_pattern(ctx, patterns, "tile.region", fold_offsets);
  add_pattern(ctx, patterns, "tile.region", fold_cast);
  add_pattern(ctx, patterns, "tile.region", fold_subview);
  add_pattern(ctx, patterns, "tile.region", drop_pad);
}

void tile_copy_canonicalize(MlirContext ctx, MlirRewritePatternSet patterns) {
  add_pattern(ctx, patterns, "tile.copy", fold_operands);
  add_pattern(ctx, patterns, "tile.copy", drop_self_copy);
}

void tile_fill_canonicalize(MlirContext ctx, MlirRewritePatternSet patterns) {
  add_pattern(ctx, patterns, "tile.fill", fold_operands);
}

void tile_gemm_canonicalize(MlirContext ctx, MlirRewritePatternSet patterns) {
  add_pattern(ctx, patterns, "tile.gemm", fold_operands);
}

void tile_gemm_sp_canonicalize(MlirContext ctx,
                               MlirRewritePatternSet patterns) {
  add_pattern(ctx, patterns, "tile.gemm_sp", fold_operands);
}

void tile_advance_canonicalize(MlirContext ctx,
                               MlirRewritePatternSet patterns) {
  add_pattern(ctx, patterns, "tile.advance", fold_advance);
}

void tile_reduce_canonicalize(MlirContext ctx, MlirRewritePatternSet patterns) {
  add_pattern(ctx, patterns, "tile.reduce", fold_operands);
}

void tile_scan_canonicalize(MlirContext ctx, MlirRewritePatternSet patterns) {
  add_pattern(ctx, patterns, "tile.scan", fold_operands);
}

void tile_any_of_canonicalize(MlirContext ctx, MlirRewritePatternSet patterns) {
  add_pattern(ctx, patterns, "tile.any_of", fold_operands);
}

void tile_all_of_canonicalize(MlirContext ctx, MlirRewritePatternSet patterns) {
  add_pattern(ctx, patterns, "tile.all_of", fold_operands);
}

void tile_atomic_canonicalize(MlirContext ctx, MlirRewritePatternSet patterns) {
  add_pattern(ctx, patterns, "tile.atomic", fold_operands);
}

void tile_require_canonicalize(MlirContext ctx,
                               MlirRewritePatternSet patterns) {
  add_pattern(ctx, patterns, "tile.require", drop_requirement);
}
