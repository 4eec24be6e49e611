//===- Atomics.c - Tiles combined with memory, atomically -----------------===//
//
// One thread updates an element, however many hold a copy. A fragment updates
// what its registers hold, in vectors where neighbours lie side by side: there
// are two arms then under one uniform branch, because vectors need a window
// inside the tensor with aligned rows. Shared tiles and scalars are dealt to
// the threads of the block, or to those whose registers get the old elements.
//
//===----------------------------------------------------------------------===//

#include "Atomics.h"
#include "Conversion/ToNVVM/Fragments/Fragments.h"
#include "Conversion/ToNVVM/LoweredOps.h"
#include "Conversion/ToNVVM/Reductions/Reductions.h"

#include "Dialect/ElementLoops.h"
#include "Layout/LayoutAccess.h"
#include "Layout/LayoutHardware.h"
#include "Support/Constants.h"
#include "Tile/Ops/llvm.h"

enum { MAX_WIDTH = 8, MAX_UNROLLED_ROUNDS = 4 };

//===-- Windows that vectors can update -----------------------------------===//

// What an update takes, and where the elements before it go.
typedef struct {
  const View *src; // null: a scalar
  MlirValue value; // the scalar, as `dst` stores it
  const View *old; // null: nobody asks
} Tiles;

static bool is_fragment(const View *view) {
  return view && view->memory->space == TILE_SPACE_FRAGMENT;
}

//===-- The elements before -----------------------------------------------===//

// Zero where `predicate` (null: true) does not hold.
static MlirValue fetch_old(Lowering *l, const Update *update, MlirValue pointer,
                           MlirValue stored, MlirValue predicate) {
  if (!predicate.ptr)
    return update_fetch(l, update, pointer, stored);
  MlirType type = type_stored(l, update->element);
  MlirValue old = local_variable(l, type);
  local_set(l, old, llvm_mlir_zero(&l->b, type));
  MlirOperation anchor = anchor_begin(l);
  IfBlocks blocks = if_begin(l, anchor, predicate);
  local_set(l, old, update_fetch(l, update, pointer, stored));
  if_end(l, anchor, blocks);
  anchor_end(l, anchor);
  return local_get(l, old, type);
}

// What `dst` stores of an element of a shared tile or a scalar.
static MlirValue read_element(Lowering *l, const Update *update,
                              const Tiles *tiles, const TileInt *at,
                              MlirValue exists) {
  if (!tiles->src)
    return tiles->value;
  return convert_element(l, element_load(l, update->op, tiles->src, at, exists),
                         tiles->src->memory->element, update->element);
}

// In the registers of `frame`: the source, or else the elements before.
static void fetch_registers(Lowering *l, const Update *update,
                            const Tiles *tiles, const Fragment *frame) {
  bool is_global = update->dst->memory->space == TILE_SPACE_GLOBAL;
  MlirValue owner = fragment_owner(l, &frame->layout);
  int64_t num_regs = tile_layout_axis_size(&frame->layout.in, TILE_LAYOUT_REG);
  for (int64_t r = 0; r < num_regs && !mlirLogicalResultIsFailure(l->result);
       r++) {
    TileInt at[TILE_MAX_RANK];
    MlirValue exists = owner;
    if (tile_fragment_repeats(&frame->layout, r) ||
        !tile_fragment_mask_build(&l->i32, &frame->code, TILE_ALL_DIMS, r,
                                  &exists))
      continue;
    fragment_coordinates(l, frame, r, at);
    MlirValue predicate = exists;
    if (is_global)
      predicate = and_maybe(l, exists, global_in_bounds(l, update->dst, at, 1));
    MlirValue pointer = view_pointer(l, update->op, update->dst, at);
    if (!pointer.ptr)
      return;
    MlirValue stored =
        is_fragment(tiles->src)
            ? convert_element(l, fragment_read(l, frame, r),
                              tiles->src->memory->element, update->element)
            : read_element(l, update, tiles, at, exists);
    MlirValue old = fetch_old(l, update, pointer, stored, predicate);
    if (is_fragment(tiles->old))
      llvm_store(&l->b, .value = old,
                 .addr = register_pointer(l, tiles->old->memory, r));
    else
      element_write(l, update->op, tiles->old, at, old, exists);
  }
}

// Whether the threads that update elements are those that keep the old ones.
static bool old_suits(const Tiles *tiles, const Fragment *frame) {
  TileLayout layout;
  TileReason error;
  return !is_fragment(tiles->old) ||
         (tile_layout_of_tile(tiles->old->memory->key, &layout, &error) &&
          tile_layout_replication(&layout) == 1 &&
          tile_layout_equal(&layout, &frame->layout));
}

static void fetch_by_fragment(Lowering *l, const Update *update,
                              const Tiles *tiles) {
  Fragment frame;
  if (!fragment_begin(l, update->op,
                      is_fragment(tiles->src) ? tiles->src : tiles->old,
                      &frame))
    return;
  if (old_suits(tiles, &frame))
    fetch_registers(l, update, tiles, &frame);
  else
    lower_fail(l, update->op,
               "gives old elements to threads that do not update them; run "
               "tile-layout-inference first");
}

//===-- From a fragment ---------------------------------------------------===//

// Registers r … r + n - 1 for multiples r of n hold neighbours in the last
// dimension: elements that a row-major tile keeps side by side.
static int64_t fragment_run(const Fragment *fragment, int elem_bits) {
  const TileShape *shape = &fragment->view->shape;
  TileLayout rows, access;
  TileReason error;
  if (!tile_hw_linear(shape->extent, shape->rank, &rows, &error) ||
      !tile_layout_compose(&fragment->layout, &rows, &access, &error))
    return 1;
  int width =
      tile_layout_masked_width(&fragment->layout, &rows, &access, elem_bits);
  return tile_layout_ordered_width(&access, width);
}

static void update_registers(Lowering *l, const Update *update,
                             const Fragment *src, MlirValue owner,
                             int64_t width, bool check) {
  MlirType from = src->view->memory->element;
  int64_t num_regs = tile_layout_axis_size(&src->layout.in, TILE_LAYOUT_REG);
  for (int64_t r = 0; r < num_regs && !mlirLogicalResultIsFailure(l->result);
       r += width) {
    TileInt at[TILE_MAX_RANK];
    MlirValue stored[MAX_WIDTH], predicate = owner;
    if (tile_fragment_repeats(&src->layout, r) ||
        !tile_fragment_mask_build(&l->i32, &src->code, TILE_ALL_DIMS, r,
                                  &predicate))
      continue;
    fragment_coordinates(l, src, r, at);
    if (check)
      predicate =
          and_maybe(l, predicate, global_in_bounds(l, update->dst, at, 1));
    MlirValue pointer = view_pointer(l, update->op, update->dst, at);
    if (!pointer.ptr)
      return;
    for (int64_t i = 0; i < width; i++)
      stored[i] = convert_element(l, fragment_read(l, src, r + i), from,
                                  update->element);
    update_run(l, update, pointer, stored, width, predicate);
  }
}

static void update_from_fragment(Lowering *l, Update *update, const View *src) {
  Fragment from;
  if (!fragment_begin(l, update->op, src, &from))
    return;
  MlirValue owner = fragment_owner(l, &from.layout);
  bool is_global = update->dst->memory->space == TILE_SPACE_GLOBAL;
  int bits = tile_elem_bits(update->element);
  int64_t width = 1;
  if (has_unit_rows(update->dst))
    width = update_width(l, update, fragment_run(&from, bits));
  if (width == 1) {
    update_registers(l, update, &from, owner, 1, is_global);
    return;
  }
  int64_t size_bytes = width * bits / 8;
  MlirValue is_inside = window_in_bounds(l, update->dst);
  MlirValue fast = and_maybe(
      l, is_inside,
      is_aligned(l, global_or_strides(l, update->dst, size_bytes), size_bytes));
  ElseBlocks blocks = if_else_begin(l, update->op, fast);
  update_registers(l, update, &from, owner, width, false);
  else_begin(l, blocks);
  update_registers(l, update, &from, owner, 1, true);
  else_end(l, update->op, blocks);
}

//===-- From a shared tile or a scalar ------------------------------------===//

// Row-major over the tile.
static void element_coordinates(Lowering *l, const TileShape *shape,
                                TileInt number, TileInt at[TILE_MAX_RANK]) {
  for (int d = shape->rank - 1; d >= 0; d--) {
    at[d] = d == 0 ? number : tile_int_rem(&l->i32, number, shape->extent[d]);
    number = tile_int_div(&l->i32, number, shape->extent[d]);
  }
}

static void update_element(Lowering *l, const Update *update,
                           const Tiles *tiles, TileInt first) {
  TileInt at[TILE_MAX_RANK];
  const TileShape *shape = &update->dst->shape;
  int64_t num_elems = tile_shape_num_elems(shape);
  TileInt number = tile_int_add(&l->i32, tile_int_value(thread_id(l)), first);
  MlirValue predicate = {NULL}, pointer;
  if (num_elems % l->num_threads) {
    MlirValue own = tile_int_get(&l->i32, number);
    predicate =
        arith_cmpi(&l->b, .predicate = ARITH_CMP_I_PREDICATE_ult, .lhs = own,
                   .rhs = tile_const_int(&l->b, num_elems, 32));
  }
  element_coordinates(l, shape, number, at);
  MlirValue exists = predicate;
  if (!tile_run_pointer(l, update->op, update->dst, at, 1, &pointer,
                        &predicate))
    return;
  MlirValue stored = read_element(l, update, tiles, at, exists);
  if (!tiles->old) {
    update_run(l, update, pointer, &stored, 1, predicate);
    return;
  }
  MlirValue old = fetch_old(l, update, pointer, stored, predicate);
  element_write(l, update->op, tiles->old, at, old, exists);
}

static void update_by_threads(Lowering *l, const Update *update,
                              const Tiles *tiles) {
  int64_t num_elems = tile_shape_num_elems(&update->dst->shape);
  int64_t rounds = (num_elems + l->num_threads - 1) / l->num_threads;
  if (rounds <= MAX_UNROLLED_ROUNDS) {
    for (int64_t i = 0; i < rounds; i++)
      update_element(l, update, tiles, tile_int_constant(i * l->num_threads));
    return;
  }
  LoopBlocks loop = loop_begin(l, update->op, rounds);
  Update inner = *update;
  inner.op = anchor_begin(l);
  update_element(
      l, &inner, tiles,
      tile_int_mul(&l->i32, tile_int_value(loop.counter), l->num_threads));
  anchor_end(l, inner.op);
  loop_end(l, update->op, loop);
}

//===-- Orders ------------------------------------------------------------===//
//
// tile-insert-sync has threads meet before a release and after an acquire. One
// instruction for one element has the order itself. Otherwise the accesses are
// relaxed, and every thread fences: PTX ISA, "Memory Consistency Model",
// release and acquire patterns. A fence before makes a sequentially consistent
// access of one that acquires and releases.

static void fence(Lowering *l, const Update *update, LLVMAtomicOrdering order) {
  llvm_fence_op(&l->b, .ordering = order, .syncscope = update_scope(update));
}

// Returns whether a fence has to follow.
static bool order_begin(Lowering *l, Update *update, bool has_old) {
  TileOrdering wanted = update->order;
  bool is_one = tile_shape_num_elems(&update->dst->shape) == 1;
  bool is_direct = is_one && update_is_direct(l, update, has_old);
  if (!is_direct)
    update->order.releases = update->order.acquires = false;
  if (update->is_load)
    update->order.releases = false;
  if (wanted.is_total)
    fence(l, update, LLVM_ATOMIC_ORDERING_seq_cst);
  else if (wanted.releases && !is_direct)
    fence(l, update, LLVM_ATOMIC_ORDERING_acq_rel);
  return wanted.acquires && !is_direct;
}

static void order_end(Lowering *l, const Update *update, bool fences) {
  if (fences)
    fence(l, update, LLVM_ATOMIC_ORDERING_acq_rel);
}

//===-- Entry -------------------------------------------------------------===//

static void update_tile(Lowering *l, Update *update, const Tiles *tiles) {
  bool has_old_regs = is_fragment(tiles->old);
  if (has_old_regs || (tiles->old && is_fragment(tiles->src)))
    fetch_by_fragment(l, update, tiles);
  else if (is_fragment(tiles->src))
    update_from_fragment(l, update, tiles->src);
  else
    update_by_threads(l, update, tiles);
}

void lower_tile_atomic(Lowering *l, MlirOperation op) {
  TileAtomicOp atomic = tile_atomic_cast(op);
  MlirValue source = tile_atomic_src(atomic), before = tile_atomic_old(atomic);
  TileShape shape;
  View src, dst, old;
  Tiles tiles = {0};
  if (!view_of(l, op, tile_atomic_dst(atomic), &dst) ||
      (before.ptr && !view_of(l, op, before, &old)))
    return;
  Update update = {.op = op,
                   .dst = &dst,
                   .kind = tile_atomic_kind(atomic),
                   .element = dst.memory->element};
  tile_ordering_of(op, &update.order);
  if (tile_atomic_compare(atomic).ptr)
    update.compare =
        element_stored(l, tile_atomic_compare(atomic), update.element);
  if (before.ptr)
    tiles.old = &old;
  if (!tile_shape_of(source, &shape))
    tiles.value = element_stored(l, source, update.element);
  else if (view_of(l, op, source, &src))
    tiles.src = &src;
  else
    return;
  bool is_tma = !mlirAttributeIsNull(tile_atomic_instr_attr(atomic)) &&
                tile_atomic_instr(atomic) == TILE_INSTR_Tma;
  if (is_tma) {
    update_by_tma(l, atomic, &src, &dst);
    return;
  }
  bool fences = order_begin(l, &update, before.ptr != NULL);
  update_tile(l, &update, &tiles);
  order_end(l, &update, fences);
}

void lower_tile_atomic_load(Lowering *l, MlirOperation op) {
  TileAtomicLoadOp load = tile_atomic_load_cast(op);
  View src, dst;
  if (!view_of(l, op, tile_atomic_load_src(load), &src) ||
      !view_of(l, op, tile_atomic_load_dst(load), &dst))
    return;
  Tiles tiles = {.old = &dst};
  Update update = {
      .op = op, .dst = &src, .element = src.memory->element, .is_load = true};
  tile_ordering_of(op, &update.order);
  bool fences = order_begin(l, &update, true);
  update_tile(l, &update, &tiles);
  order_end(l, &update, fences);
}

void lower_tile_fence(Lowering *l, MlirOperation op) {
  TileOrdering order;
  tile_ordering_of(op, &order);
  llvm_fence_op(&l->b,
                .ordering = order.is_total ? LLVM_ATOMIC_ORDERING_seq_cst
                                           : LLVM_ATOMIC_ORDERING_acq_rel,
                .syncscope = order.is_system ? "" : "device");
}
