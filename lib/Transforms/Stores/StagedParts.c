//===- StagedParts.c - Epilogues that are stored in parts -----------------===//
//
//   copy %acc to %C           copy %acc[0, 0 : w]  to %C0
//   copy %C to %c[n]          copy %C0 to %c[n]
//                             copy %acc[0, w : 2w] to %C1
//                             copy %C1 to %c[n + w]
//                             copy … to %C0, and so on
//
//===----------------------------------------------------------------------===//

#include "Stores.h"

#include "Analysis/Index/Index.h"
#include "Analysis/Loops/Loops.h"
#include "Support/Constants.h"

enum { MAX_PLACES = 2 };

typedef struct {
  const TileStaging *staging;
  TileBuilder b;
  int64_t width; // columns of a part
  MlirValue place[MAX_PLACES];
} Cut;

static void build_places(Cut *cut) {
  MlirValue tile = tile_alloc_memref(cut->staging->alloc);
  TileShape shape;
  tile_shape_of(tile, &shape);
  shape.extent[shape.rank - 1] = cut->width;
  MlirType type = mlirMemRefTypeContiguousGet(
      shape.element, shape.rank, shape.extent,
      mlirMemRefTypeGetMemorySpace(mlirValueGetType(tile)));
  mlirRewriterBaseSetInsertionPointBefore(cut->b.rw, cut->staging->alloc.op);
  for (int i = 0; i < cut->staging->cut.num_places; i++) {
    MlirOperation made =
        mlirRewriterBaseClone(cut->b.rw, cut->staging->alloc.op);
    cut->place[i] = mlirOperationGetResult(made, 0);
    mlirValueSetType(cut->place[i], type);
  }
}

// Columns of the fragment.
static MlirValue build_source(Cut *cut, int64_t column) {
  MlirValue fragment = tile_copy_src(cut->staging->fill);
  TileShape shape;
  int64_t offset[TILE_MAX_RANK] = {0};
  tile_shape_of(fragment, &shape);
  offset[shape.rank - 1] = column;
  shape.extent[shape.rank - 1] = cut->width;
  return tile_region(&cut->b, .source = fragment, .offsets = {NULL, 0},
                     .static_offsets = {offset, shape.rank},
                     .static_sizes = {shape.extent, shape.rank});
}

// The same columns of the window of the tensor.
static MlirValue build_target(Cut *cut, int64_t column) {
  TileRegionOp old = tile_region_cast(
      mlirOpResultGetOwner(tile_copy_dst(cut->staging->store)));
  int rank =
      (int)mlirShapedTypeGetRank(mlirValueGetType(tile_region_source(old)));
  int64_t offset[TILE_MAX_RANK], size[TILE_MAX_RANK], dropped[TILE_MAX_RANK],
      bounded[TILE_MAX_RANK];
  MlirValue dynamic[TILE_MAX_RANK], ends[TILE_MAX_RANK];
  intptr_t num_ends = tile_region_bounded_size(old);
  intptr_t num_dynamic = 0, num_dropped = tile_region_dropped_size(old);
  for (int d = 0; d < rank; d++) {
    TileInt at = tile_region_offset(old, d);
    bool is_last = d == rank - 1;
    size[d] = is_last ? cut->width : tile_region_static_sizes(old, d);
    offset[d] = tile_int_is_constant(at)
                    ? at.constant + (is_last ? column : 0)
                    : mlirShapedTypeGetDynamicStrideOrOffset();
    if (tile_int_is_constant(at))
      continue;
    if (is_last && column)
      at.value =
          arith_addi(&cut->b, at.value, tile_const_index(&cut->b, column));
    dynamic[num_dynamic++] = at.value;
  }
  for (intptr_t i = 0; i < num_dropped; i++)
    dropped[i] = tile_region_dropped(old, i);
  for (intptr_t i = 0; i < num_ends; i++) {
    bounded[i] = tile_region_bounded(old, i);
    ends[i] = tile_range_at(tile_region_ends(old), i);
  }
  TileOptInt align = {!mlirAttributeIsNull(tile_region_align_attr(old)),
                      tile_region_align(old)};
  return tile_region(
      &cut->b, .source = tile_region_source(old),
      .offsets = {dynamic, num_dynamic}, .static_offsets = {offset, rank},
      .static_sizes = {size, rank}, .dropped = {dropped, num_dropped},
      .ends = {ends, num_ends},
      .bounded = {num_ends ? bounded : NULL, num_ends},
      .starts_inside = tile_region_starts_inside(old), .align = align,
      .on_grid = tile_region_on_grid(old));
}

static void build_part(Cut *cut, int64_t part) {
  const TileStaging *staging = cut->staging;
  MlirValue place = cut->place[part % staging->cut.num_places];
  MlirValue source = build_source(cut, part * cut->width);
  MlirOperation fill = mlirRewriterBaseClone(cut->b.rw, staging->fill.op);
  tile_copy_set_src(tile_copy_cast(fill), source);
  tile_copy_set_dst(tile_copy_cast(fill), place);
  MlirValue target = build_target(cut, part * cut->width);
  MlirOperation store = mlirRewriterBaseClone(cut->b.rw, staging->store.op);
  tile_copy_set_src(tile_copy_cast(store), place);
  tile_copy_set_dst(tile_copy_cast(store), target);
}

void staged_parts_apply(MlirRewriterBase rewriter, const TileStaging *staging) {
  tile_plan_around_drop(staging->store.op);
  if (staging->cut.num_parts == 1)
    return;
  Cut cut = {.staging = staging,
             .b = {rewriter, mlirOperationGetLocation(staging->store.op)},
             .width = staging->num_columns / staging->cut.num_parts};
  build_places(&cut);
  mlirRewriterBaseSetInsertionPointBefore(rewriter, staging->store.op);
  for (int64_t i = 0; i < staging->cut.num_parts; i++)
    build_part(&cut, i);
  mlirRewriterBaseEraseOp(rewriter, staging->store.op);
  mlirRewriterBaseEraseOp(rewriter, staging->fill.op);
  mlirRewriterBaseEraseOp(rewriter, staging->alloc.op);
}
