//===- Windows.c - Where the elements of a window of a memory are ---------===//

#include "Analysis/Index/Index.h"
#include "Analysis/Instructions/Instructions.h"
#include "Memories.h"
#include "Support/Constants.h"
#include "Support/Iterate.h"
#include "Tile/Ops/llvm.h"

//===-- Windows that never leave their tensor -----------------------------===//

// A kernel of static shapes and a constant grid needs no checks where the tiles
// divide the tensors. Block ids, and the grid that bounds them, are gone once
// their ops are lowered: what follows from them is read before.

// Null for a window that was made since.
static const WindowFacts *window_facts_find(const Lowering *l,
                                            TileRegionOp region) {
  for (const WindowFacts *facts = l->windows; facts; facts = facts->next)
    if (mlirOperationEqual(facts->region, region.op))
      return facts;
  return NULL;
}

//===-- Windows -----------------------------------------------------------===//

// At least 0: comparisons are unsigned.
static TileInt earlier_end(Lowering *l, MlirValue end, TileInt extent) {
  MlirValue given = tile_int_get(&l->i32, index_operand(l, end));
  MlirValue first = arith_minsi(&l->b, given, tile_int_get(&l->i32, extent));
  return tile_int_value(
      arith_maxsi(&l->b, first, tile_const_int(&l->b, 0, 32)));
}

static void view_region(Lowering *l, TileRegionOp region, View *out) {
  TileRange offsets = tile_region_offsets(region);
  intptr_t next = 0;
  for (int d = 0; d < out->memory->rank; d++) {
    int64_t fixed = tile_region_static_offsets(region, d);
    out->offset[d] = mlirShapedTypeIsDynamicSize(fixed)
                         ? index_operand(l, tile_range_at(offsets, next++))
                         : tile_int_constant(fixed);
    int tile_dim = tile_region_result_dim(region, d);
    if (tile_dim >= 0)
      out->dim[tile_dim] = d;
    if (!tile_region_end(region, d).ptr)
      continue;
    out->end[d] = earlier_end(l, tile_region_end(region, d), out->end[d]);
    out->window_extent[d] = tile_region_static_sizes(region, d);
  }
  out->on_grid = tile_region_on_grid(region);
  const WindowFacts *facts = window_facts_find(l, region);
  out->column_bytes = 1;
  if (facts) {
    memcpy(out->is_inside, facts->is_inside, sizeof out->is_inside);
    out->column_bytes = facts->column_bytes;
  }
  out->pad = tile_region_pad(region);
  if (out->pad.ptr)
    out->pad = element_stored(l, out->pad, out->memory->element);
}

static bool view_numbers(Lowering *l, MlirOperation op, TileRegionOp region,
                         View *out) {
  View *ids = TILE_ARENA_NEW(l->arena, View, 1);
  out->numbers = TILE_ARENA_NEW(l->arena, PlaceNumbers, 1);
  *out->numbers =
      (PlaceNumbers){.ids = ids,
                     .first = index_operand(l, tile_region_ids_offset(region)),
                     .dim = (int)tile_region_dim(region)};
  return view_of(l, op, tile_region_ids(region), ids);
}

bool view_of(Lowering *l, MlirOperation op, MlirValue tile, View *out) {
  memset(out, 0, sizeof *out);
  TileBuffer buffer = tile_buffer_of(tile);
  out->memory = memory_find(l, buffer.base);
  if (!out->memory || !tile_shape_of(tile, &out->shape)) {
    lower_fail_internal(l, op, "a tile operand has no memory");
    return false;
  }
  out->align_bytes = tile_row_align_bytes(tile);
  out->row_bytes = tile_row_multiple_bytes(tile);
  memcpy(out->end, out->memory->extent, sizeof out->end);
  if (buffer.region.ptr) {
    TileRegionOp region = tile_region_cast(mlirOpResultGetOwner(buffer.region));
    view_region(l, region, out);
    return !tile_region_ids(region).ptr || view_numbers(l, op, region, out);
  }
  for (int d = 0; d < out->memory->rank; d++) {
    out->dim[d] = d;
    out->offset[d] = tile_int_constant(0);
  }
  return true;
}

bool is_whole_tile(const View *view) {
  TileShape whole;
  tile_shape_of(view->memory->key, &whole);
  return tile_shape_equal_extents(&whole, &view->shape);
}

//===-- Addresses ---------------------------------------------------------===//

// Where number `at` of the window points to, as i32. Past the end of the
// numbers, and where they name nothing, -1, which is outside in every
// dimension.
static MlirValue place_read(Lowering *l, const PlaceNumbers *numbers,
                            TileInt at) {
  const View *ids = numbers->ids;
  int bits = tile_elem_bits(ids->memory->element);
  TileInt index = tile_int_add(&l->i32, numbers->first, at);
  TileInt end = mlirShapedTypeIsDynamicSize(ids->shape.extent[0])
                    ? ids->memory->extent[ids->dim[0]]
                    : tile_int_constant(ids->shape.extent[0]);
  MlirValue place = tile_int_get(&l->i32, index);
  MlirValue exists =
      arith_cmpi(&l->b, .predicate = ARITH_CMP_I_PREDICATE_ult, .lhs = place,
                 .rhs = tile_int_get(&l->i32, end));
  if (ids->memory->space == TILE_SPACE_GLOBAL)
    exists = and_maybe(l, exists, global_in_bounds(l, ids, &index, 1));
  MlirValue pointer = view_pointer(l, l->func, ids, &index);
  if (!pointer.ptr)
    return tile_const_int(&l->b, -1, 32);
  MlirValue policy = l->policy; // it is that of the rows
  l->policy = (MlirValue){NULL};
  MlirValue number =
      load_bits(l, pointer, space_number(ids->memory->space), bits / 8, exists);
  l->policy = policy;
  MlirValue zero = tile_const_int(&l->b, 0, bits);
  MlirValue is_named = arith_cmpi(&l->b, .predicate = ARITH_CMP_I_PREDICATE_sge,
                                  .lhs = number, .rhs = zero);
  if (bits == 64) {
    MlirValue most = tile_const_int(&l->b, INT32_MAX, 64);
    number = arith_trunci(&l->b, .type = type_i32(l),
                          .in = arith_minsi(&l->b, number, most));
  }
  MlirValue is_read = arith_andi(&l->b, exists, is_named);
  return arith_select(&l->b, is_read, number, tile_const_int(&l->b, -1, 32));
}

// The address and the condition of an access ask for the same one.
static TileInt named_place(Lowering *l, PlaceNumbers *numbers, TileInt at) {
  MlirBlock block = mlirRewriterBaseGetInsertionBlock(l->b.rw);
  if (!numbers->has_last || numbers->last_at.value.ptr != at.value.ptr ||
      numbers->last_at.constant != at.constant ||
      !mlirBlockEqual(numbers->last_block, block)) {
    numbers->last_place = place_read(l, numbers, at);
    numbers->last_at = at;
    numbers->last_block = mlirRewriterBaseGetInsertionBlock(l->b.rw);
    numbers->has_last = true;
  }
  return tile_int_value(numbers->last_place);
}

// Tile coordinates to memory coordinates.
void memory_coordinates(Lowering *l, const View *view, const TileInt *at,
                        TileInt out[TILE_MAX_RANK]) {
  for (int d = 0; d < view->memory->rank; d++)
    out[d] = view->offset[d];
  for (int t = 0; t < view->shape.rank; t++)
    out[view->dim[t]] =
        view->numbers && view->numbers->dim == view->dim[t]
            ? named_place(l, view->numbers, at[t])
            : tile_int_add(&l->i32, view->offset[view->dim[t]], at[t]);
}

MlirValue global_pointer(Lowering *l, const View *view, const TileInt *at) {
  TileInt coordinates[TILE_MAX_RANK];
  TileInt linear = tile_int_constant(0);
  memory_coordinates(l, view, at, coordinates);
  for (int d = 0; d < view->memory->rank; d++)
    linear = tile_int_add(&l->i64, linear,
                          tile_int_mul_value(&l->i64, extend(l, coordinates[d]),
                                             view->memory->stride[d]));
  return element_pointer(l, view->memory->pointer, view->memory->element,
                         linear);
}

// 0 <= coordinate and coordinate + vector <= extent, as unsigned comparisons:
// extents are below 2^31 - 2^16, so a negative coordinate is too large.
MlirValue coordinate_in_bounds(Lowering *l, TileInt coordinate, TileInt extent,
                               int64_t vector) {
  if (tile_int_is_constant(coordinate) && tile_int_is_constant(extent) &&
      coordinate.constant >= 0 &&
      coordinate.constant + vector <= extent.constant)
    return (MlirValue){NULL};
  TileInt last =
      tile_int_add(&l->i32, coordinate, tile_int_constant(vector - 1));
  MlirValue highest = tile_int_get(&l->i32, last);
  MlirValue fits =
      arith_cmpi(&l->b, .predicate = ARITH_CMP_I_PREDICATE_ult, .lhs = highest,
                 .rhs = tile_int_get(&l->i32, extent));
  if (vector == 1)
    return fits;
  MlirValue place = tile_int_get(&l->i32, coordinate);
  MlirValue starts =
      arith_cmpi(&l->b, .predicate = ARITH_CMP_I_PREDICATE_ult, .lhs = place,
                 .rhs = tile_int_get(&l->i32, extent));
  return and_maybe(l, starts, fits);
}

// No element of the tile leaves the tensor in dimension `d`.
static bool window_is_inside(const View *view, int d) {
  if (view->numbers && view->numbers->dim == d)
    return false;
  if (view->is_inside[d])
    return true;
  TileInt offset = view->offset[d], extent = view->end[d];
  int64_t size = 1;
  for (int t = 0; t < view->shape.rank; t++)
    if (view->dim[t] == d)
      size = view->shape.extent[t];
  return tile_int_is_constant(offset) && tile_int_is_constant(extent) &&
         offset.constant >= 0 && offset.constant + size <= extent.constant;
}

MlirValue global_in_bounds(Lowering *l, const View *view, const TileInt *at,
                           int64_t vector) {
  TileInt coordinates[TILE_MAX_RANK];
  MlirValue inside = {NULL};
  memory_coordinates(l, view, at, coordinates);
  for (int d = 0; d < view->memory->rank; d++) {
    if (window_is_inside(view, d))
      continue;
    int64_t run = d == view->memory->rank - 1 ? vector : 1;
    inside = and_maybe(
        l, inside, coordinate_in_bounds(l, coordinates[d], view->end[d], run));
  }
  return inside;
}

MlirValue window_in_bounds(Lowering *l, const View *view) {
  TileInt first[TILE_MAX_RANK], last[TILE_MAX_RANK];
  if (view->numbers) // any of them may be outside
    return tile_const_int(&l->b, 0, 1);
  for (int d = 0; d < view->shape.rank; d++) {
    first[d] = tile_int_constant(0);
    last[d] = tile_int_constant(view->shape.extent[d] - 1);
  }
  MlirValue begins = global_in_bounds(l, view, first, 1);
  return and_maybe(l, begins, global_in_bounds(l, view, last, 1));
}

MlirValue global_or_strides(Lowering *l, const View *view, int64_t size_bytes) {
  int64_t elem_bytes = tile_elem_bits(view->memory->element) / 8;
  TileInt origin[TILE_MAX_RANK];
  for (int d = 0; d < view->shape.rank; d++)
    origin[d] = tile_int_constant(0);
  MlirValue low = llvm_ptrtoint(&l->b, .type = type_i64(l),
                                .arg = global_pointer(l, view, origin));
  for (int t = 0; t + 1 < view->shape.rank; t++) {
    TileInt stride =
        tile_int_mul(&l->i64, view->memory->stride[view->dim[t]], elem_bytes);
    if (tile_int_is_constant(stride) && stride.constant % size_bytes == 0)
      continue;
    low = arith_ori(&l->b, low, tile_int_get(&l->i64, stride));
  }
  return low;
}

bool has_unit_rows(const View *view) {
  int last = view->memory->rank - 1;
  TileInt stride = view->memory->stride[last];
  if (view->numbers && view->numbers->dim == last)
    return false;
  return view->memory->space == TILE_SPACE_GLOBAL &&
         view->dim[view->shape.rank - 1] == last &&
         tile_int_is_constant(stride) && stride.constant == 1;
}

MlirValue is_aligned(Lowering *l, MlirValue low, int64_t size_bytes) {
  MlirValue rest =
      arith_andi(&l->b, low, tile_const_int(&l->b, size_bytes - 1, 64));
  return arith_cmpi(&l->b, .predicate = ARITH_CMP_I_PREDICATE_eq, .lhs = rest,
                    .rhs = tile_const_int(&l->b, 0, 64));
}

bool shared_offset(Lowering *l, MlirOperation op, const View *view,
                   const TileInt *at, TileInt *out) {
  TileInt coordinates[TILE_MAX_RANK];
  TileLayout layout;
  TileReason error;
  TileLayoutCode code;
  memory_coordinates(l, view, at, coordinates);
  if (!tile_layout_of_tile(view->memory->key, &layout, &error) ||
      !tile_layout_code_begin(&l->i32, &layout, 0, coordinates, &code,
                              &error)) {
    lower_fail(l, op, "cannot address the shared tile: %s", error.text);
    return false;
  }
  *out = tile_layout_code_at(&l->i32, &code, 0, NULL);
  return true;
}

bool shared_window_place(Lowering *l, const View *view, PlacedWindow *out,
                         TileReason *error) {
  TileSharedWindow window = {.shape = view->shape};
  TileBox *box = &window.box;
  *box = (TileBox){.base = view->memory->key,
                   .rank = view->memory->rank,
                   .on_grid = view->on_grid};
  for (int d = 0; d < box->rank; d++) {
    box->offset[d] = view->offset[d];
    box->size[d] = 1; // of a dimension that is dropped
  }
  for (int t = 0; t < view->shape.rank; t++) {
    box->base_dim[t] = view->dim[t];
    box->size[view->dim[t]] = view->shape.extent[t];
  }
  if (!tile_shared_window_complete(&window, error))
    return false;
  if (!window.is_aligned || window.toggle) {
    snprintf(error->text, sizeof error->text,
             "the window starts or ends inside a unit of the layout");
    return false;
  }
  out->layout = window.layout;
  out->base = tile_int_add(&l->i32, tile_shared_window_base(&l->i32, &window),
                           tile_int_constant(window.add));
  return true;
}

static TileInt row_major(Lowering *l, const View *view, const TileInt *at) {
  TileInt coordinates[TILE_MAX_RANK], linear = tile_int_constant(0);
  memory_coordinates(l, view, at, coordinates);
  for (int d = 0; d < view->memory->rank; d++)
    linear = tile_int_add(
        &l->i32, tile_int_mul_value(&l->i32, linear, view->memory->extent[d]),
        coordinates[d]);
  return linear;
}

MlirValue view_pointer(Lowering *l, MlirOperation op, const View *view,
                       const TileInt *at) {
  const Memory *memory = view->memory;
  TileInt offset;
  if (memory->space == TILE_SPACE_GLOBAL)
    return global_pointer(l, view, at);
  bool is_tile = is_shared_memory(memory) && memory->alloc.op.ptr;
  if (!is_tile) // private arrays and storage
    offset = row_major(l, view, at);
  else if (!shared_offset(l, op, view, at, &offset))
    return (MlirValue){NULL};
  return element_pointer(l, memory->pointer, memory->element, offset);
}

bool tile_run_pointer(Lowering *l, MlirOperation op, const View *view,
                      const TileInt *at, int64_t vector, MlirValue *out_pointer,
                      MlirValue *inout_predicate) {
  if (view->im2col) {
    Im2colGroup group = im2col_group_at(l, view, at);
    *out_pointer = group.pointer;
    *inout_predicate = and_maybe(l, *inout_predicate, group.inside);
    return true;
  }
  *out_pointer = view_pointer(l, op, view, at);
  if (view->memory->space == TILE_SPACE_GLOBAL)
    *inout_predicate =
        and_maybe(l, *inout_predicate, global_in_bounds(l, view, at, vector));
  return out_pointer->ptr != NULL;
}
