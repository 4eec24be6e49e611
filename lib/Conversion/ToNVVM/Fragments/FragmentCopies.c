//===- FragmentCopies.c - Copies between fragments and memory -------------===//
//
// Registers r, r+1, … that hold consecutive elements of the last dimension move
// together. Towards global memory each vector has its own condition where it is
// known to lie in the tensor as a whole or not at all. Else there are two arms
// under one uniform branch: a tile that lies inside the tensor, with rows
// aligned to the vector, moves in vectors without conditions; any other moves
// element by element, each with its own condition. Registers whose element the
// tile does not have stay silent.
//
//===----------------------------------------------------------------------===//

#include "Fragments.h"

#include "Analysis/Index/Index.h"
#include "Layout/LayoutAccess.h"
#include "Support/Constants.h"
#include "Tile/Ops/cf.h"
#include "Tile/Ops/llvm.h"

enum {
  MAX_VECTOR = 16,
  MAX_VECTOR_BYTES = 16,
  REGISTER_BITS = 32,
  FULL_ROW = 8 // elements of 16 bits that stmatrix moves at once
};

//===-- Plan --------------------------------------------------------------===//

typedef struct {
  const View *fragment, *other;
  bool to_memory;      // from the fragment; false: into it
  TileLayout layout;   // of the fragment
  TileLayoutCode code; // its coordinates, registers constant
  MlirValue owner;     // threads that hold the first replica; null: all
  int64_t num_regs, vector;
  int64_t limit;             // of the vector, in elements
  bool has_lines;            // rows and columns recur among the registers
  const uint8_t *is_outside; // of the window, per register; NULL: none is
  MlirValue has_warp;        // registers in the window; null: each warp has
  bool *is_piece; // an access of less than 32 bits begins with the register;
                  // NULL: elements have more, or are stored
} Plan;

// Registers r … r+vector-1 hold neighbours in the last dimension, and every
// other digit moves it by multiples of `vector`.
static int64_t fragment_vector(const TileLayout *layout, int last,
                               int64_t limit) {
  int64_t vector = 1;
  for (; vector < limit; vector *= 2) {
    bool found = false;
    for (int i = 0; i < layout->in.num_digits; i++) {
      const TileLayoutDigit *in = &layout->in.digit[i];
      uint64_t image = layout->image[i];
      bool is_register =
          in->axis == TILE_LAYOUT_REG && in->stride == vector && in->radix == 2;
      for (uint64_t rest = image; rest; rest &= rest - 1) {
        const TileLayoutDigit *out = &layout->out.digit[__builtin_ctzll(rest)];
        if (out->axis != last || out->stride != vector)
          continue;
        if (!is_register || image & (image - 1))
          return vector; // another digit moves this bit
        found = true;
      }
    }
    if (!found)
      break;
  }
  return vector;
}

// What the digit is in the window.
static int64_t digit_in_window(const TileLayoutDigit *digit, const View *view) {
  return view->offset[digit->axis].constant / digit->stride % digit->radix;
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
    MlirValue own = tile_int_get(&l->i32, value);
    inside = and_maybe(
        l, inside,
        arith_cmpi(
            &l->b, .predicate = ARITH_CMP_I_PREDICATE_eq, .lhs = own,
            .rhs = tile_const_int(&l->b, digit_in_window(digit, view), 32)));
  }
  return inside;
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

// A window at constant multiples of its size, whose registers are the same in
// each thread that has any. False where it is no such window.
static bool fragment_window_cut(Lowering *l, const View *fragment,
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

// False when nothing is left to do: the copy failed, or is done.
static bool plan_build(Lowering *l, MlirOperation op, Plan *plan) {
  TileReason error;
  if (!tile_layout_of_tile(plan->fragment->memory->key, &plan->layout,
                           &error)) {
    lower_fail_internal(l, op, "the fragment has no layout: %s", error.text);
    return false;
  }
  TileLayout whole = plan->layout;
  FragmentCut cut = {.layout = whole};
  if (!is_whole_tile(plan->fragment) &&
      !fragment_window_cut(l, plan->fragment, &whole, &cut)) {
    copy_fragment_window(l, op, plan->fragment, plan->other, plan->to_memory);
    return false;
  }
  plan->layout = cut.layout;
  plan->is_outside = cut.is_outside;
  plan->has_warp = cut.has_warp;
  TileInt lane = tile_int_value(lane_id(l));
  TileInt in[3] = {tile_int_constant(0), lane, tile_int_value(warp_id(l))};
  if (!tile_layout_code_begin(&l->i32, &plan->layout, 1u << TILE_LAYOUT_REG, in,
                              &plan->code, &error)) {
    lower_fail_internal(l, op, "cannot address the fragment: %s", error.text);
    return false;
  }
  plan->num_regs = tile_layout_axis_size(&plan->layout.in, TILE_LAYOUT_REG);
  if (plan->to_memory)
    plan->owner = fragment_owner(l, &whole);
  int last = plan->fragment->shape.rank - 1;
  int64_t elem_bytes = tile_elem_bits(plan->other->memory->element) / 8;
  int64_t limit = MAX_VECTOR_BYTES / elem_bytes;
  MlirAttribute width = tile_copy_vector_width_attr(tile_copy_cast(op));
  if (!mlirAttributeIsNull(width) && mlirIntegerAttrGetValueInt(width) < limit)
    limit = mlirIntegerAttrGetValueInt(width);
  plan->limit = limit;
  plan->vector = tile_fragment_run(&plan->layout, last,
                                   fragment_vector(&plan->layout, last, limit));
  if (!plan->to_memory &&
      tile_elem_bits(plan->fragment->memory->element) < REGISTER_BITS)
    plan->is_piece = TILE_ARENA_NEW(l->arena, bool, plan->num_regs);
  return true;
}

static bool is_outside(const Plan *plan, int64_t r) {
  return plan->is_outside && plan->is_outside[r];
}

// Who moves register `r`, as far as the dimensions `dims` tell: threads that
// hold an element of the tile, and store no copy. False: nobody.
static bool mover_of(Lowering *l, const Plan *plan, int dims, int64_t r,
                     MlirValue *out_predicate) {
  *out_predicate = plan->owner;
  if (is_outside(plan, r))
    return false;
  return tile_fragment_mask_build(&l->i32, &plan->code, dims, r, out_predicate);
}

//===-- Registers ---------------------------------------------------------===//

static MlirValue register_read(Lowering *l, const Plan *plan, int64_t r) {
  MlirType element = plan->fragment->memory->element;
  return llvm_load(&l->b, .type = type_stored(l, element),
                   .addr = register_pointer(l, plan->fragment->memory, r));
}

static void register_write(Lowering *l, const Plan *plan, int64_t r,
                           MlirValue value) {
  llvm_store(&l->b, .value = value,
             .addr = register_pointer(l, plan->fragment->memory, r));
}

static void register_coordinates(Lowering *l, const Plan *plan, int64_t r,
                                 TileInt at[TILE_MAX_RANK]) {
  int64_t in[3] = {r, 0, 0};
  for (int d = 0; d < plan->fragment->shape.rank; d++)
    at[d] = tile_layout_code_at(&l->i32, &plan->code, d, in);
}

// Moves registers from or to neighbours at `pointer`.
static void move_registers(Lowering *l, const Plan *plan, const int64_t *regs,
                           int64_t count, MlirValue pointer,
                           MlirValue predicate) {
  MlirType mine = plan->fragment->memory->element,
           theirs = plan->other->memory->element;
  unsigned space = space_number(plan->other->memory->space);
  int64_t bytes = count * tile_elem_bits(theirs) / 8;
  MlirValue elems[MAX_VECTOR];
  if (plan->to_memory) {
    for (int64_t i = 0; i < count; i++)
      elems[i] =
          convert_element(l, register_read(l, plan, regs[i]), mine, theirs);
    store_bits(l, bits_join(l, elems, theirs, count), pointer, space, bytes,
               predicate);
    return;
  }
  MlirValue bits = load_bits(l, pointer, space, bytes, predicate);
  bits_split(l, bits, theirs, count, elems);
  for (int64_t i = 0; i < count; i++) {
    if (predicate.ptr && plan->other->pad.ptr)
      elems[i] = arith_select(&l->b, predicate, elems[i], plan->other->pad);
    register_write(l, plan, regs[i],
                   convert_element(l, elems[i], theirs, mine));
  }
  if (plan->is_piece && bytes * 8 < REGISTER_BITS)
    plan->is_piece[regs[0]] = true;
}

// Moves registers r … r + count - 1.
static void move_run(Lowering *l, const Plan *plan, int64_t r, int64_t count,
                     MlirValue pointer, MlirValue predicate) {
  int64_t regs[MAX_VECTOR];
  for (int64_t i = 0; i < count; i++)
    regs[i] = r + i;
  move_registers(l, plan, regs, count, pointer, predicate);
}

//===-- Global memory -----------------------------------------------------===//
//
// Coordinates are a thread-dependent part plus constants of the register. Rows
// (all dimensions but the last) recur in many registers, and so do columns:
// pointer and bounds of each are computed once.

enum { MAX_LINES = 256 };

typedef struct {
  int64_t delta[TILE_MAX_RANK]; // constants of the dimensions but the last
  MlirValue pointer;            // to the element at column constant 0
  MlirValue mover;              // who moves it, as far as rows tell; null: all
  bool exists;                  // in some thread
} Row;

typedef struct {
  int64_t delta;
  MlirValue inside; // of the tensor; null: known
} Column;

typedef struct {
  int num_rows, num_columns;
  Row rows[MAX_LINES];
  Column columns[MAX_LINES];
} Lines;

static int last_dim(const Plan *plan) {
  assert(plan->fragment->shape.rank > 0 && "a copy has a tile of rank 1");
  return plan->fragment->shape.rank - 1;
}

static void register_delta(const Plan *plan, int64_t r,
                           int64_t delta[TILE_MAX_RANK]) {
  int64_t in[3] = {r, 0, 0};
  for (int d = 0; d < plan->fragment->shape.rank; d++)
    delta[d] =
        tile_layout_constant(&plan->layout, 1u << TILE_LAYOUT_REG, d, in).add;
}

// Registers and threads meet in no bit: constants are plain summands.
static bool has_plain_constants(const Plan *plan) {
  for (int64_t r = 0; r < plan->num_regs; r++) {
    int64_t in[3] = {r, 0, 0};
    for (int d = 0; d < plan->fragment->shape.rank; d++)
      if (tile_layout_constant(&plan->layout, 1u << TILE_LAYOUT_REG, d, in)
              .toggle)
        return false;
  }
  return true;
}

static void tile_coordinates(Lowering *l, const Plan *plan,
                             const int64_t *delta, TileInt at[TILE_MAX_RANK]) {
  TileInt base[TILE_MAX_RANK];
  register_coordinates(l, plan, 0, base);
  for (int d = 0; d < plan->fragment->shape.rank; d++)
    at[d] = tile_int_add(&l->i32, base[d], tile_int_constant(delta[d]));
}

// Bounds of the memory dimensions from `first` up to `end`.
static MlirValue dims_in_bounds(Lowering *l, const View *view,
                                const TileInt *at, int first, int end) {
  TileInt coordinates[TILE_MAX_RANK];
  MlirValue inside = {NULL};
  memory_coordinates(l, view, at, coordinates);
  for (int d = first; d < end; d++)
    if (!view->is_inside[d])
      inside = and_maybe(
          l, inside, coordinate_in_bounds(l, coordinates[d], view->end[d], 1));
  return inside;
}

static const Row *row_of(Lowering *l, const Plan *plan, Lines *lines, int64_t r,
                         const int64_t *delta, bool check) {
  int last = last_dim(plan);
  for (int i = 0; i < lines->num_rows; i++)
    if (!memcmp(lines->rows[i].delta, delta, (size_t)last * sizeof *delta))
      return &lines->rows[i];
  Row *row = &lines->rows[lines->num_rows++];
  TileInt at[TILE_MAX_RANK];
  memcpy(row->delta, delta, sizeof row->delta);
  row->delta[last] = 0;
  tile_coordinates(l, plan, row->delta, at);
  row->exists = mover_of(l, plan, (1 << last) - 1, r, &row->mover);
  row->pointer = global_pointer(l, plan->other, at);
  if (check)
    row->mover = and_maybe(
        l, row->mover,
        dims_in_bounds(l, plan->other, at, 0, plan->other->memory->rank - 1));
  return row;
}

static const Column *column_of(Lowering *l, const Plan *plan, Lines *lines,
                               int64_t delta) {
  for (int i = 0; i < lines->num_columns; i++)
    if (lines->columns[i].delta == delta)
      return &lines->columns[i];
  Column *column = &lines->columns[lines->num_columns++];
  int rank = plan->other->memory->rank;
  int64_t deltas[TILE_MAX_RANK] = {0};
  TileInt at[TILE_MAX_RANK];
  column->delta = deltas[last_dim(plan)] = delta;
  tile_coordinates(l, plan, deltas, at);
  column->inside = dims_in_bounds(l, plan->other, at, rank - 1, rank);
  return column;
}

// The column after the last one that the tile and the tensor have.
static TileInt last_column(Lowering *l, const Plan *plan) {
  const View *view = plan->other;
  int last = last_dim(plan), dim = view->memory->rank - 1;
  TileInt extent = view->end[dim];
  if (!tile_layout_overhangs(&plan->layout, last))
    return extent;
  TileInt end = tile_int_add(&l->i32, view->offset[dim],
                             tile_int_constant(view->shape.extent[last]));
  MlirValue in_tile = tile_int_get(&l->i32, end);
  return tile_int_value(
      arith_minsi(&l->b, .lhs = in_tile, .rhs = tile_int_get(&l->i32, extent)));
}

// Rows of a ragged tile, element by element.
static void store_ragged(Lowering *l, const Plan *plan) {
  Lines *lines = TILE_ARENA_NEW(l->arena, Lines, 1);
  RaggedRow *rows = TILE_ARENA_NEW(l->arena, RaggedRow, MAX_LINES);
  const View *view = plan->other;
  int last = last_dim(plan), dim = view->memory->rank - 1;
  int64_t origin[TILE_MAX_RANK] = {0};
  TileInt at[TILE_MAX_RANK], coordinates[TILE_MAX_RANK];
  tile_coordinates(l, plan, origin, at);
  memory_coordinates(l, view, at, coordinates);
  TileInt extent = last_column(l, plan);
  for (int64_t r = 0; r < plan->num_regs; r++) {
    int64_t delta[TILE_MAX_RANK] = {0};
    if (is_outside(plan, r))
      continue;
    register_delta(plan, r, delta);
    const Row *line = row_of(l, plan, lines, r, delta, true);
    RaggedRow *row = &rows[line - lines->rows];
    if (!line->exists)
      continue;
    if (!row->elems) {
      row->elems = TILE_ARENA_NEW(l->arena, RaggedElem, plan->num_regs);
      row->pointer = line->pointer;
      row->column = coordinates[dim];
      row->extent = extent;
      row->inside = line->mover;
    }
    MlirValue value =
        convert_element(l, register_read(l, plan, r),
                        plan->fragment->memory->element, view->memory->element);
    row->elems[row->count++] = (RaggedElem){value, delta[last]};
  }
  for (int i = 0; i < lines->num_rows; i++)
    if (rows[i].count)
      store_ragged_row(l, &rows[i]);
}

static int count_rows(const Plan *plan) {
  int count = 0, last = last_dim(plan);
  for (int64_t r = 0; r < plan->num_regs && count <= MAX_LINES; r++) {
    int64_t delta[TILE_MAX_RANK] = {0}, other[TILE_MAX_RANK] = {0};
    register_delta(plan, r, delta);
    bool is_new = true;
    for (int64_t q = 0; q < r && is_new; q++) {
      register_delta(plan, q, other);
      is_new = memcmp(delta, other, (size_t)last * sizeof *delta) != 0;
    }
    count += is_new;
  }
  return count;
}

// Without a common structure: every register on its own.
static void move_scattered(Lowering *l, const Plan *plan, bool check) {
  for (int64_t r = 0; r < plan->num_regs; r++) {
    TileInt at[TILE_MAX_RANK];
    MlirValue predicate;
    if (!mover_of(l, plan, TILE_ALL_DIMS, r, &predicate))
      continue;
    register_coordinates(l, plan, r, at);
    MlirValue pointer = global_pointer(l, plan->other, at);
    if (check)
      predicate =
          and_maybe(l, predicate, global_in_bounds(l, plan->other, at, 1));
    move_run(l, plan, r, 1, pointer, predicate);
  }
}

static void move_global(Lowering *l, const Plan *plan, int64_t vector,
                        bool check) {
  int last = last_dim(plan);
  if (!plan->has_lines) {
    move_scattered(l, plan, check);
    return;
  }
  if (check && vector == 1 && plan->to_memory &&
      count_rows(plan) <= MAX_LINES) {
    store_ragged(l, plan);
    return;
  }
  Lines *lines = TILE_ARENA_NEW(l->arena, Lines, 1);
  for (int64_t r = 0; r < plan->num_regs; r += vector) {
    int64_t delta[TILE_MAX_RANK] = {0};
    if (is_outside(plan, r))
      continue;
    register_delta(plan, r, delta);
    if (lines->num_rows == MAX_LINES || lines->num_columns == MAX_LINES)
      lines->num_rows = lines->num_columns = 0; // start over: only slower
    const Row *row = row_of(l, plan, lines, r, delta, check);
    MlirValue predicate = row->mover;
    if (!row->exists || !tile_fragment_mask_build(&l->i32, &plan->code,
                                                  1 << last, r, &predicate))
      continue;
    if (check)
      predicate = and_maybe(l, predicate,
                            column_of(l, plan, lines, delta[last])->inside);
    MlirValue pointer =
        element_pointer(l, row->pointer, plan->other->memory->element,
                        tile_int_constant(delta[last]));
    move_run(l, plan, r, vector, pointer, predicate);
  }
}

// The vectors of the tile start at multiples of their size: the tensor does,
// all its strides are such multiples, and so is the offset of the window in its
// last dimension. Null: known.
static MlirValue rows_are_aligned(Lowering *l, const Plan *plan) {
  const View *view = plan->other;
  int64_t elem_bytes = tile_elem_bits(view->memory->element) / 8;
  int64_t bytes = plan->vector * elem_bytes;
  if (plan->vector == 1)
    return (MlirValue){NULL};
  TileInt low;
  if (view->align_bytes % bytes == 0) {
    TileInt offset = view->offset[view->memory->rank - 1];
    if (tile_int_is_constant(offset) && offset.constant % plan->vector == 0)
      return (MlirValue){NULL};
    low = tile_int_mul(&l->i64, extend(l, offset), elem_bytes);
  } else {
    low = tile_int_value(global_or_strides(l, view, bytes));
  }
  return is_aligned(l, tile_int_get(&l->i64, low), bytes);
}

// No end of a row cuts a vector of the tile, and all begin at multiples of
// their size.
static bool vectors_are_whole(const Plan *plan) {
  const View *view = plan->other;
  int64_t bytes = plan->vector * tile_elem_bits(view->memory->element) / 8;
  return plan->vector > 1 && !view->numbers && view->align_bytes % bytes == 0 &&
         view->row_bytes % bytes == 0 && view->column_bytes % bytes == 0;
}

static void copy_global(Lowering *l, MlirOperation op, Plan *plan) {
  plan->has_lines = has_unit_rows(plan->other) && has_plain_constants(plan);
  if (!plan->has_lines)
    plan->vector = 1;
  MlirValue inside = window_in_bounds(l, plan->other);
  if (vectors_are_whole(plan)) {
    move_global(l, plan, plan->vector, inside.ptr != NULL);
    return;
  }
  MlirValue fast = and_maybe(l, inside, rows_are_aligned(l, plan));
  if (!fast.ptr) {
    move_global(l, plan, plan->vector, false);
    return;
  }
  ElseBlocks blocks = if_else_begin(l, op, fast);
  move_global(l, plan, plan->vector, false);
  else_begin(l, blocks);
  move_global(l, plan, 1, inside.ptr != NULL);
  else_end(l, op, blocks);
}

//===-- Shared memory -----------------------------------------------------===//

// A window: coordinates first, then the layout, element by element.
static void copy_shared_window(Lowering *l, MlirOperation op,
                               const Plan *plan) {
  for (int64_t r = 0; r < plan->num_regs; r++) {
    TileInt at[TILE_MAX_RANK];
    MlirValue predicate;
    if (!mover_of(l, plan, TILE_ALL_DIMS, r, &predicate))
      continue;
    register_coordinates(l, plan, r, at);
    MlirValue pointer = view_pointer(l, op, plan->other, at);
    if (!pointer.ptr)
      return;
    move_run(l, plan, r, 1, pointer, predicate);
  }
}

// A window with a layout: composed, it gives offsets straight from registers.
static void copy_shared(Lowering *l, MlirOperation op, Plan *plan) {
  PlacedWindow shared;
  TileLayout access;
  TileReason error;
  TileLayoutCode code;
  TileInt lane = tile_int_value(lane_id(l));
  TileInt in[3] = {tile_int_constant(0), lane, tile_int_value(warp_id(l))};
  if (!shared_window_place(l, plan->other, &shared, &error) ||
      !tile_layout_compose(&plan->layout, &shared.layout, &access, &error) ||
      !tile_layout_code_begin(&l->i32, &access, 1u << TILE_LAYOUT_REG, in,
                              &code, &error)) {
    copy_shared_window(l, op, plan);
    return;
  }
  MatrixStore matrices = {plan->fragment,   plan->other, plan->num_regs,
                          plan->is_outside, &access,     shared.base};
  bool is_own = plan->other->memory->space == TILE_SPACE_SHARED;
  if (is_own && plan->to_memory && !plan->owner.ptr &&
      plan->limit >= FULL_ROW && !tile_layout_has_overhang(&plan->layout) &&
      store_matrices(l, &matrices))
    return;
  int bits = tile_elem_bits(plan->other->memory->element);
  int64_t vector =
      tile_layout_masked_width(&plan->layout, &shared.layout, &access, bits);
  while (vector > plan->limit || tile_index_divisor(shared.base) % vector)
    vector /= 2;
  bool *done = TILE_ARENA_NEW(l->arena, bool, plan->num_regs);
  for (int64_t r = 0; r < plan->num_regs; r++) {
    int64_t regs[MAX_VECTOR], at[3] = {0, 0, 0};
    MlirValue predicate;
    if (done[r] || !mover_of(l, plan, TILE_ALL_DIMS, r, &predicate))
      continue;
    tile_fragment_vector(&plan->layout, &access, plan->is_outside, r, vector,
                         regs);
    for (int64_t i = 0; i < vector; i++)
      done[regs[i]] = true;
    at[0] = regs[0];
    TileInt offset = tile_int_add(
        &l->i32, tile_layout_code_at(&l->i32, &code, 0, at), shared.base);
    MlirValue pointer = element_pointer(l, plan->other->memory->pointer,
                                        plan->other->memory->element, offset);
    move_registers(l, plan, regs, vector, pointer, predicate);
  }
}

//===-- Private memory ----------------------------------------------------===//

// Every thread reads the elements that it holds from its own array. The other
// direction needs elements of other threads: layout inference takes it through
// shared memory.
static void copy_private(Lowering *l, MlirOperation op, const Plan *plan) {
  for (int64_t r = 0; r < plan->num_regs; r++) {
    TileInt at[TILE_MAX_RANK];
    MlirValue predicate;
    if (!mover_of(l, plan, TILE_ALL_DIMS, r, &predicate))
      continue;
    register_coordinates(l, plan, r, at);
    move_run(l, plan, r, 1, view_pointer(l, op, plan->other, at), predicate);
  }
}

//===-- Entry -------------------------------------------------------------===//

static void move_fragment(Lowering *l, MlirOperation op, Plan *plan) {
  switch (plan->other->memory->space) {
  case TILE_SPACE_GLOBAL:
    copy_global(l, op, plan);
    break;
  case TILE_SPACE_SHARED:
  case TILE_SPACE_CLUSTER:
    copy_shared(l, op, plan);
    break;
  case TILE_SPACE_PRIVATE:
    if (!plan->to_memory) {
      copy_private(l, op, plan);
      break;
    }
    lower_fail(l, op,
               "copies a fragment to private memory; run "
               "tile-layout-inference first");
    break;
  default:
    lower_fail_internal(l, op, "a copy between a fragment and %s",
                        tile_space_name(plan->other->memory->space));
  }
}

void lower_fragment_copy(Lowering *l, MlirOperation op, const View *src,
                         const View *dst) {
  bool from = src->memory->space == TILE_SPACE_FRAGMENT,
       to = dst->memory->space == TILE_SPACE_FRAGMENT;
  const View *fragment = from ? src : dst, *other = from ? dst : src;
  if (from && to) {
    convert_fragment(l, op, src, dst);
    return;
  }
  Plan plan = {.fragment = fragment, .other = other, .to_memory = from};
  if (!plan_build(l, op, &plan))
    return;
  if (!plan.has_warp.ptr) {
    move_fragment(l, op, &plan);
    if (plan.is_piece)
      fragment_remark_pieces(l, op, plan.is_piece, plan.num_regs);
    return;
  }
  // The copy may branch again: it becomes one of the warps that have a part.
  IfBlocks blocks = if_begin(l, op, plan.has_warp);
  MlirOperation end = cf_br(&l->b, .dest = blocks.after).op;
  mlirRewriterBaseMoveOpBefore(l->b.rw, op, end);
  mlirRewriterBaseSetInsertionPointBefore(l->b.rw, op);
  move_fragment(l, op, &plan);
}
