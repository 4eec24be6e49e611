//===- Lines.c - Work on the lines of a shared tile -----------------------===//
//
// A line is what remains when all coordinates but one are fixed. A run of lanes
// takes a line, the block takes as many lines at once as it has runs. Where the
// dimension is the last one, lanes stand side by side in memory; else lines do,
// and a line gets more than one lane only where threads would be idle.
//
//===----------------------------------------------------------------------===//

#include "Reductions.h"

#include "Analysis/Memory/Memory.h"
#include "Support/Constants.h"
#include "Tile/Ops/llvm.h"

void lines_plan(Lowering *l, const TileShape *shape, int dim, Lines *out) {
  TileLineDeal deal = tile_line_deal(shape, dim, l->num_threads);
  *out = (Lines){.shape = *shape,
                 .dim = dim,
                 .extent = deal.extent,
                 .num_lines = deal.num_lines,
                 .group = deal.group,
                 .per_round = deal.per_round,
                 .num_rounds = deal.num_rounds};
}

// Coordinates of the line, row-major over all dimensions but `dim`.
static void line_coordinates(Lowering *l, const Lines *lines, TileInt number,
                             TileInt at[TILE_MAX_RANK]) {
  int first = lines->dim == 0 ? 1 : 0;
  for (int d = lines->shape.rank - 1; d >= 0; d--) {
    at[d] = tile_int_constant(0);
    if (d == lines->dim)
      continue;
    int64_t extent = lines->shape.extent[d];
    at[d] = d == first ? number : tile_int_rem(&l->i32, number, extent);
    number = tile_int_div(&l->i32, number, extent);
  }
}

static void emit_round(Lowering *l, MlirOperation op, const Lines *lines,
                       TileInt first, LineBody body, void *user_data) {
  TileInt thread = tile_int_value(thread_id(l));
  Line line = {.lane = tile_int_rem(&l->i32, thread, lines->group)};
  TileInt number =
      tile_int_add(&l->i32, first, tile_int_div(&l->i32, thread, lines->group));
  if (lines->num_rounds * lines->per_round > lines->num_lines) {
    MlirValue mine = tile_int_get(&l->i32, number);
    line.active =
        arith_cmpi(&l->b, .predicate = ARITH_CMP_I_PREDICATE_ult, .lhs = mine,
                   .rhs = tile_const_int(&l->b, lines->num_lines, 32));
    number = tile_int_value(
        arith_select(&l->b, line.active, mine, tile_const_int(&l->b, 0, 32)));
  }
  line_coordinates(l, lines, number, line.at);
  body(l, op, lines, &line, user_data);
}

void lines_emit(Lowering *l, MlirOperation op, const Lines *lines,
                LineBody body, void *user_data) {
  if (lines->num_rounds == 1) {
    emit_round(l, op, lines, tile_int_constant(0), body, user_data);
    return;
  }
  LoopBlocks loop = loop_begin(l, op, lines->num_rounds);
  MlirOperation anchor = anchor_begin(l);
  TileInt first =
      tile_int_mul(&l->i32, tile_int_value(loop.counter), lines->per_round);
  emit_round(l, anchor, lines, first, body, user_data);
  anchor_end(l, anchor);
  loop_end(l, op, loop);
}

//===-- Elements ----------------------------------------------------------===//

MlirValue element_load(Lowering *l, MlirOperation op, const View *view,
                       const TileInt *at, MlirValue predicate) {
  MlirType element = view->memory->element;
  MlirValue pointer = view_pointer(l, op, view, at), stored;
  if (!pointer.ptr)
    return llvm_mlir_undef(&l->b, type_stored(l, element));
  MlirValue bits = load_bits(l, pointer, space_number(view->memory->space),
                             tile_elem_bits(element) / 8, predicate);
  bits_split(l, bits, element, 1, &stored);
  return stored;
}

void element_write(Lowering *l, MlirOperation op, const View *view,
                   const TileInt *at, MlirValue stored, MlirValue predicate) {
  MlirType element = view->memory->element;
  MlirValue pointer = view_pointer(l, op, view, at);
  if (pointer.ptr)
    store_bits(l, bits_join(l, &stored, element, 1), pointer,
               space_number(view->memory->space), tile_elem_bits(element) / 8,
               predicate);
}
