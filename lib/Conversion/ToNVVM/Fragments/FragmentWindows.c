//===- FragmentWindows.c - Copies and fills of windows of fragments -------===//
//
// In general a thread cannot know while compiling which of its registers lie in
// a window: every register is moved element by element under its own condition.
// Where the window is cut between digits of the layout that registers and warps
// alone decide, they are known, and the window is a fragment of its own.
//
//===----------------------------------------------------------------------===//

#include "Fragments.h"

#include "Support/Constants.h"
#include "Tile/Ops/llvm.h"

//===-- Registers in a window ---------------------------------------------===//

typedef struct {
  const View *view;
  TileLayoutCode code; // coordinates of registers, threads included
  int64_t num_regs;
  MlirValue owner;
  TileInt size[TILE_MAX_RANK]; // per memory dimension; 1 where dropped
} Window;

static bool window_begin(Lowering *l, MlirOperation op, const View *view,
                         Window *out) {
  TileLayout layout;
  TileReason error;
  TileInt lane = tile_int_value(lane_id(l));
  TileInt in[3] = {tile_int_constant(0), lane, tile_int_value(warp_id(l))};
  if (!tile_layout_of_tile(view->memory->key, &layout, &error) ||
      !tile_layout_code_begin(&l->i32, &layout, 1u << TILE_LAYOUT_REG, in,
                              &out->code, &error)) {
    lower_fail_internal(l, op, "cannot address the fragment: %s", error.text);
    return false;
  }
  out->view = view;
  out->owner = fragment_owner(l, &layout);
  out->num_regs = tile_layout_axis_size(&layout.in, TILE_LAYOUT_REG);
  for (int d = 0; d < view->memory->rank; d++)
    out->size[d] = tile_int_constant(1);
  for (int t = 0; t < view->shape.rank; t++)
    out->size[view->dim[t]] = tile_int_constant(view->shape.extent[t]);
  return true;
}

// Tile coordinates of a register, and whether it lies in the window; null when
// that is known to hold.
static MlirValue window_at(Lowering *l, const Window *window, int64_t r,
                           TileInt at[TILE_MAX_RANK]) {
  const View *view = window->view;
  int64_t in[3] = {r, 0, 0};
  TileInt inside_at[TILE_MAX_RANK];
  MlirValue inside = {NULL};
  for (int d = 0; d < view->memory->rank; d++) {
    inside_at[d] = tile_int_sub(
        &l->i32, tile_layout_code_at(&l->i32, &window->code, d, in),
        view->offset[d]);
    inside = and_maybe(
        l, inside, coordinate_in_bounds(l, inside_at[d], window->size[d], 1));
  }
  for (int t = 0; t < view->shape.rank; t++)
    at[t] = inside_at[view->dim[t]];
  return inside;
}

static MlirValue register_read(Lowering *l, const Window *window, int64_t r) {
  Memory *memory = window->view->memory;
  return llvm_load(&l->b, .type = type_stored(l, memory->element),
                   .addr = register_pointer(l, memory, r));
}

// Keeps the old value outside the window.
static void register_write(Lowering *l, const Window *window, int64_t r,
                           MlirValue inside, MlirValue value) {
  if (inside.ptr)
    value = arith_select(&l->b, inside, value, register_read(l, window, r));
  llvm_store(&l->b, .value = value,
             .addr = register_pointer(l, window->view->memory, r));
}

//===-- Windows of known registers ----------------------------------------===//

//===-- Entry -------------------------------------------------------------===//

void fill_fragment_window(Lowering *l, MlirOperation op, const View *dst,
                          MlirValue value) {
  Window window;
  if (!window_begin(l, op, dst, &window))
    return;
  for (int64_t r = 0; r < window.num_regs; r++) {
    TileInt at[TILE_MAX_RANK];
    MlirValue inside = window_at(l, &window, r, at);
    register_write(l, &window, r, inside, value);
  }
}

void copy_fragment_window(Lowering *l, MlirOperation op, const View *fragment,
                          const View *other, bool to_memory) {
  Window window;
  if (!window_begin(l, op, fragment, &window))
    return;
  MlirType mine = fragment->memory->element, theirs = other->memory->element;
  unsigned space = space_number(other->memory->space);
  int64_t bytes = tile_elem_bits(theirs) / 8;
  for (int64_t r = 0; r < window.num_regs; r++) {
    TileInt at[TILE_MAX_RANK];
    MlirValue inside = window_at(l, &window, r, at), pointer, value;
    MlirValue predicate =
        to_memory ? and_maybe(l, window.owner, inside) : inside;
    if (!tile_run_pointer(l, op, other, at, 1, &pointer, &predicate))
      return;
    if (to_memory) {
      value = convert_element(l, register_read(l, &window, r), mine, theirs);
      store_bits(l, bits_join(l, &value, theirs, 1), pointer, space, bytes,
                 predicate);
      continue;
    }
    MlirValue bits = load_bits(l, pointer, space, bytes, predicate);
    bits_split(l, bits, theirs, 1, &value);
    if (predicate.ptr && other->pad.ptr)
      value = arith_select(&l->b, predicate, value, other->pad);
    register_write(l, &window, r, inside,
                   convert_element(l, value, theirs, mine));
  }
}
