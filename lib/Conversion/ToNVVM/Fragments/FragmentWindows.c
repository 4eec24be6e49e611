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
  TileLayoutError error;
  TileInt in[3] = {tile_int_constant(0), tile_int_value(lane_id(l)),
                   tile_int_value(warp_id(l))};
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

// Digits of the coordinates that say which window an element is in; false when
// the window cuts a digit.
static bool find_window_digits(const TileLayout *whole, const View *view,
                               uint64_t *out_digits) {
  *out_digits = 0;
  for (int i = 0; i < whole->out.num_digits; i++) {
    const TileLayoutDigit *digit = &whole->out.digit[i];
    int64_t size = view->shape.extent[digit->axis];
    if (digit->stride >= size)
      *out_digits |= (uint64_t)1 << i;
    else if (digit->stride * digit->radix > size)
      return false;
  }
  return true;
}

// The layout without these digits.
static void drop_digits(TileLayout *layout, const View *view, uint64_t digits) {
  TileLayout whole = *layout;
  layout->out.num_digits = 0;
  memset(layout->image, 0, sizeof layout->image);
  for (int d = 0; d < view->shape.rank; d++)
    layout->out.extent[d] = view->shape.extent[d];
  for (int i = 0; i < whole.out.num_digits; i++) {
    if (digits >> i & 1)
      continue;
    int to = layout->out.num_digits++;
    layout->out.digit[to] = whole.out.digit[i];
    for (int k = 0; k < whole.in.num_digits; k++)
      layout->image[k] |= (whole.image[k] >> i & 1) << to;
  }
}

static bool has_constant_place(const TileLayout *whole, const View *view) {
  if (view->shape.rank != view->memory->rank || tile_layout_has_overhang(whole))
    return false;
  for (int d = 0; d < view->shape.rank; d++)
    if (view->dim[d] != d || !tile_int_is_constant(view->offset[d]) ||
        view->offset[d].constant % view->shape.extent[d] ||
        view->offset[d].constant + view->shape.extent[d] > whole->out.extent[d])
      return false;
  return true;
}

// Splits the digits into those that registers decide and those that one digit
// of the warp does each; false when lanes have a say, or several.
static bool split_digits(const TileLayout *whole, uint64_t digits,
                         uint64_t *out_by_register, uint64_t *out_by_warp) {
  *out_by_register = *out_by_warp = 0;
  for (int k = 0; k < whole->in.num_digits; k++) {
    uint64_t image = whole->image[k];
    int axis = whole->in.digit[k].axis;
    if (!(image & digits))
      continue;
    if (axis == TILE_LAYOUT_LANE || (image & ~digits))
      return false;
    if (axis == TILE_LAYOUT_REG) {
      *out_by_register |= image;
      continue;
    }
    if ((image & (image - 1)) || (image & *out_by_warp))
      return false;
    *out_by_warp |= image;
  }
  return !(*out_by_register & *out_by_warp);
}

// What the digit is in the window.
static int64_t digit_in_window(const TileLayoutDigit *digit, const View *view) {
  return view->offset[digit->axis].constant / digit->stride % digit->radix;
}

// Whether register `r` is outside, as far as registers decide.
static bool is_register_outside(const TileLayout *whole, const View *view,
                                uint64_t digits, int64_t r) {
  int64_t in[3] = {r, 0, 0}, at[TILE_LAYOUT_MAX_AXES] = {0};
  tile_layout_eval(whole, in, at);
  for (int i = 0; i < whole->out.num_digits; i++) {
    const TileLayoutDigit *digit = &whole->out.digit[i];
    if ((digits >> i & 1) && at[digit->axis] / digit->stride % digit->radix !=
                                 digit_in_window(digit, view))
      return true;
  }
  return false;
}

// Whether the warp has elements of the window; null: every one has.
static MlirValue warp_is_inside(Lowering *l, const TileLayout *whole,
                                const View *view, uint64_t digits) {
  MlirValue inside = {NULL};
  for (int k = 0; k < whole->in.num_digits; k++) {
    const TileLayoutDigit *warp = &whole->in.digit[k];
    if (!(whole->image[k] & digits))
      continue;
    TileInt value = tile_int_rem(
        &l->i32,
        tile_int_div(&l->i32, tile_int_value(warp_id(l)), warp->stride),
        warp->radix);
    const TileLayoutDigit *digit =
        &whole->out.digit[__builtin_ctzll(whole->image[k])];
    inside =
        and_maybe(l, inside,
                  arith_cmpi(&l->b, .predicate = ARITH_CMP_I_PREDICATE_eq,
                             .lhs = tile_int_get(&l->i32, value),
                             .rhs = tile_const_int(
                                 &l->b, digit_in_window(digit, view), 32)));
  }
  return inside;
}

bool fragment_window_cut(Lowering *l, const View *fragment,
                         const TileLayout *whole, FragmentCut *out) {
  uint64_t digits, by_register, by_warp;
  if (!has_constant_place(whole, fragment) ||
      !find_window_digits(whole, fragment, &digits) ||
      !split_digits(whole, digits, &by_register, &by_warp))
    return false;
  int64_t num_regs = tile_layout_axis_size(&whole->in, TILE_LAYOUT_REG);
  uint8_t *is_outside = TILE_ARENA_NEW(l->arena, uint8_t, num_regs + 1);
  for (int64_t r = 0; r < num_regs; r++)
    is_outside[r] = is_register_outside(whole, fragment, by_register, r);
  *out = (FragmentCut){*whole, is_outside,
                       warp_is_inside(l, whole, fragment, by_warp)};
  drop_digits(&out->layout, fragment, digits);
  return true;
}

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
