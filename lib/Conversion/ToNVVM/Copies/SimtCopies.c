//===- SimtCopies.c - Copies and fills, chunk by chunk --------------------===//
//
// The tile is cut in chunks of consecutive elements of its last dimension; the
// threads of the block take them in turn. Loads of a batch are issued before
// its stores. Private memory belongs to one thread: to fill it every thread
// copies the whole tile, out of it one elected thread does. From the matrix of
// a convolution, and from gathered windows, the chunks can also be moved by
// cp.async; other windows of tensors are by way of nvgpu.
//
//===----------------------------------------------------------------------===//

#include "Analysis/Instructions/Instructions.h"
#include "Copies.h"

#include "Analysis/Memory/Memory.h"
#include "Support/Constants.h"
#include "Tile/Ops/llvm.h"
#include "Tile/Ops/nvvm.h"

enum { MAX_BATCH = 8, MAX_VECTOR_BYTES = 16 };
enum { MIN_ASYNC_BITS = 32 }; // PTX ISA, cp.async: 4, 8 or 16 bytes

//===-- Plan --------------------------------------------------------------===//

typedef struct {
  const View *src, *dst; // src is null for a fill
  MlirValue value;       // of a fill, as stored
  int64_t vector;        // elements per chunk
  int64_t num_chunks;
  int64_t num_threads; // that share the chunks
  bool only_elected;
  bool is_cp_async;
} Plan;

static void plan_vector(Plan *plan, int64_t vector) {
  plan->vector = vector;
  plan->num_chunks = tile_shape_num_elems(&plan->dst->shape) / vector;
}

static void plan_threads(Lowering *l, Plan *plan) {
  bool into = plan->dst->memory->space == TILE_SPACE_PRIVATE;
  bool from = plan->src && plan->src->memory->space == TILE_SPACE_PRIVATE;
  plan->num_threads = into || from ? 1 : l->num_threads;
  plan->only_elected = from && !into;
}

//===-- One chunk ---------------------------------------------------------===//

static void chunk_coordinates(Lowering *l, const Plan *plan, TileInt chunk,
                              TileInt at[TILE_MAX_RANK]) {
  const TileShape *shape = &plan->dst->shape;
  for (int d = shape->rank - 1; d >= 0; d--) {
    bool is_last = d == shape->rank - 1;
    int64_t count =
        is_last ? shape->extent[d] / plan->vector : shape->extent[d];
    TileInt digit = d == 0 ? chunk : tile_int_rem(&l->i32, chunk, count);
    chunk = tile_int_div(&l->i32, chunk, count);
    at[d] = is_last ? tile_int_mul(&l->i32, digit, plan->vector) : digit;
  }
}

static MlirValue chunk_load(Lowering *l, MlirOperation op, const Plan *plan,
                            const TileInt *at, MlirValue active) {
  if (!plan->src)
    return (MlirValue){NULL};
  const View *src = plan->src;
  int64_t bytes = plan->vector * tile_elem_bits(src->memory->element) / 8;
  MlirValue pointer, predicate = active;
  if (!tile_run_pointer(l, op, src, at, plan->vector, &pointer, &predicate))
    return (MlirValue){NULL};
  bool is_private = src->memory->space == TILE_SPACE_PRIVATE;
  MlirValue bits = load_bits(l, pointer, space_number(src->memory->space),
                             bytes, is_private ? (MlirValue){NULL} : predicate);
  if (!src->pad.ptr || !predicate.ptr)
    return bits;
  MlirValue pads[MAX_VECTOR_BYTES];
  for (int64_t i = 0; i < plan->vector; i++)
    pads[i] = src->pad;
  MlirValue pad = bits_join(l, pads, src->memory->element, plan->vector);
  return arith_select(&l->b, predicate, bits, pad);
}

static MlirValue chunk_convert(Lowering *l, const Plan *plan, MlirValue bits) {
  MlirType to = plan->dst->memory->element;
  MlirValue elems[MAX_VECTOR_BYTES];
  if (!plan->src) {
    for (int64_t i = 0; i < plan->vector; i++)
      elems[i] = plan->value;
    return bits_join(l, elems, to, plan->vector);
  }
  MlirType from = plan->src->memory->element;
  if (mlirTypeEqual(from, to))
    return bits;
  bits_split(l, bits, from, plan->vector, elems);
  for (int64_t i = 0; i < plan->vector; i++)
    elems[i] = convert_element(l, elems[i], from, to);
  return bits_join(l, elems, to, plan->vector);
}

static void chunk_store(Lowering *l, MlirOperation op, const Plan *plan,
                        const TileInt *at, MlirValue bits, MlirValue active) {
  const View *dst = plan->dst;
  int64_t bytes = plan->vector * tile_elem_bits(dst->memory->element) / 8;
  MlirValue pointer, predicate = active;
  if (!tile_run_pointer(l, op, dst, at, plan->vector, &pointer, &predicate))
    return;
  bool is_private = dst->memory->space == TILE_SPACE_PRIVATE;
  store_bits(l, chunk_convert(l, plan, bits), pointer,
             space_number(dst->memory->space), bytes,
             is_private ? (MlirValue){NULL} : predicate);
}

// What lies past the end of a row, and rows that are not there, are filled with
// zeros: the source is then shorter than the chunk.
static void row_copy_async(Lowering *l, const View *src, const TileInt *at,
                           MlirValue dst, int64_t count) {
  const Memory *tensor = src->memory;
  int last = tensor->rank - 1;
  int64_t elem_bytes = tile_elem_bits(tensor->element) / 8;
  TileInt coordinates[TILE_MAX_RANK];
  MlirValue pointer = global_pointer(l, src, at);
  MlirValue inside = global_in_bounds(l, src, at, 1);
  memory_coordinates(l, src, at, coordinates);
  MlirValue left = tile_int_get(
      &l->i32, tile_int_sub(&l->i32, src->end[last], coordinates[last]));
  MlirValue elems = arith_minui(&l->b, left, tile_const_int(&l->b, count, 32));
  MlirValue bytes = tile_int_get(
      &l->i32, tile_int_mul(&l->i32, tile_int_value(elems), elem_bytes));
  MlirValue source = arith_select(&l->b, inside, pointer, tensor->pointer);
  nvvm_cp_async_shared_global(
      &l->b, .dst = dst, .src = source, .size = count * elem_bytes,
      .modifier = count * elem_bytes == 16 ? NVVM_LOAD_CACHE_MODIFIER_KIND_CG
                                           : NVVM_LOAD_CACHE_MODIFIER_KIND_CA,
      .cpSize =
          arith_select(&l->b, inside, bytes, tile_const_int(&l->b, 0, 32)));
}

static void gathered_copy_async(Lowering *l, const View *src, const TileInt *at,
                                MlirValue dst, int64_t count) {
  if (src->im2col)
    im2col_copy_async(l, src, at, dst, count);
  else
    row_copy_async(l, src, at, dst, count);
}

// An asynchronous copy has no predicate: inactive threads pass it by. Nothing
// of an enclosing loop may be split, so an anchor stands for `op`.
static void chunk_copy_async(Lowering *l, MlirOperation op, const Plan *plan,
                             const TileInt *at, MlirValue active) {
  MlirValue dst = view_pointer(l, op, plan->dst, at);
  if (!dst.ptr)
    return;
  if (!active.ptr) {
    gathered_copy_async(l, plan->src, at, dst, plan->vector);
    return;
  }
  MlirOperation anchor = anchor_begin(l);
  IfBlocks blocks = if_begin(l, anchor, active);
  gathered_copy_async(l, plan->src, at, dst, plan->vector);
  if_end(l, anchor, blocks);
  anchor_end(l, anchor);
}

//===-- All chunks --------------------------------------------------------===//

// Chunks `first` + i * threads for i < batch; the last batch may overhang.
static void emit_batch(Lowering *l, MlirOperation op, const Plan *plan,
                       TileInt first, int64_t batch) {
  TileInt at[MAX_BATCH][TILE_MAX_RANK];
  MlirValue bits[MAX_BATCH], active[MAX_BATCH];
  bool overhangs = plan->num_chunks % plan->num_threads != 0;
  for (int64_t i = 0; i < batch && !mlirLogicalResultIsFailure(l->result);
       i++) {
    TileInt chunk =
        tile_int_add(&l->i32, first, tile_int_constant(i * plan->num_threads));
    active[i] = (MlirValue){NULL};
    if (overhangs) {
      MlirValue own = tile_int_get(&l->i32, chunk);
      active[i] =
          arith_cmpi(&l->b, .predicate = ARITH_CMP_I_PREDICATE_ult, .lhs = own,
                     .rhs = tile_const_int(&l->b, plan->num_chunks, 32));
    }
    chunk_coordinates(l, plan, chunk, at[i]);
    if (plan->is_cp_async)
      chunk_copy_async(l, op, plan, at[i], active[i]);
    else
      bits[i] = chunk_load(l, op, plan, at[i], active[i]);
  }
  for (int64_t i = 0; !plan->is_cp_async && i < batch &&
                      !mlirLogicalResultIsFailure(l->result);
       i++)
    chunk_store(l, op, plan, at[i], bits[i], active[i]);
}

static int64_t largest_batch(int64_t rounds) {
  int64_t batch = MAX_BATCH;
  while (rounds % batch)
    batch--;
  return batch;
}

static void emit_chunks(Lowering *l, MlirOperation op, const Plan *plan) {
  int64_t rounds =
      (plan->num_chunks + plan->num_threads - 1) / plan->num_threads;
  int64_t batch = largest_batch(rounds);
  TileInt me = plan->num_threads == 1 ? tile_int_constant(0)
                                      : tile_int_value(thread_id(l));
  if (rounds == batch) {
    emit_batch(l, op, plan, me, batch);
    return;
  }
  LoopBlocks loop = loop_begin(l, op, rounds / batch);
  TileInt step = tile_int_mul(&l->i32, tile_int_value(loop.counter),
                              batch * plan->num_threads);
  emit_batch(l, op, plan, tile_int_add(&l->i32, me, step), batch);
  loop_end(l, op, loop);
}

// A loop splits the block before an op: inside a branch an anchor stands
// for `op`.
static void emit_in_branch(Lowering *l, const Plan *plan) {
  MlirOperation anchor = anchor_begin(l);
  emit_chunks(l, anchor, plan);
  anchor_end(l, anchor);
}

static void emit_plan(Lowering *l, MlirOperation op, const Plan *plan) {
  if (!plan->only_elected) {
    emit_chunks(l, op, plan);
    return;
  }
  IfBlocks blocks = if_begin(l, op, is_elected(l));
  emit_in_branch(l, plan);
  if_end(l, op, blocks);
}

// Whether all rows of the window begin and end where accesses of `vector`
// elements do.
static MlirValue rows_fit(Lowering *l, const View *view, int64_t vector) {
  int last = view->memory->rank - 1;
  int64_t elem_bytes = tile_elem_bits(view->memory->element) / 8;
  MlirValue low = global_or_strides(l, view, vector * elem_bytes);
  if (!view->is_inside[last]) {
    TileInt end = extend(l, view->end[last]);
    TileInt length = tile_int_sub(&l->i64, end, extend(l, view->offset[last]));
    low = arith_ori(
        &l->b, low,
        tile_int_get(&l->i64, tile_int_mul(&l->i64, length, elem_bytes)));
  }
  return is_aligned(l, low, vector * elem_bytes);
}

// Where more could move together than is known to, a kernel that writes a
// tensor looks. What it reads, cp.async or TMA read where that is known to be
// aligned; looking at the rest would cost the registers of two loops in every
// pipeline.
static void emit_widest(Lowering *l, MlirOperation op, const Plan *plan) {
  Plan fast = *plan;
  plan_vector(&fast, tile_chunk_of(op).hoped);
  if (plan->num_threads == 1 || fast.vector <= plan->vector) {
    emit_plan(l, op, plan);
    return;
  }
  ElseBlocks blocks = if_else_begin(l, op, rows_fit(l, plan->dst, fast.vector));
  emit_in_branch(l, &fast);
  else_begin(l, blocks);
  emit_in_branch(l, plan);
  else_end(l, op, blocks);
}

//===-- Entry -------------------------------------------------------------===//

void lower_simt_copy(Lowering *l, MlirOperation op, const View *src,
                     const View *dst) {
  TileCopyOp copy = tile_copy_cast(op);
  Plan plan = {.src = src,
               .dst = dst,
               .is_cp_async = tile_copy_instr(copy) == TILE_INSTR_CpAsync};
  plan_vector(&plan, tile_chunk_of(op).known);
  plan_threads(l, &plan);
  if (plan.is_cp_async &&
      plan.vector * tile_elem_bits(dst->memory->element) < MIN_ASYNC_BITS) {
    lower_fail(l, op,
               "cannot use cp_async: the layout of the tile, or what is known "
               "of the image, allows accesses of %lld bits only",
               (long long)(plan.vector * tile_elem_bits(dst->memory->element)));
    return;
  }
  emit_widest(l, op, &plan);
  if (!plan.is_cp_async || tile_copy_async(copy))
    return;
  nvvm_cp_async_commit_group(&l->b, 0);
  nvvm_cp_async_wait_group(&l->b, 0);
}

void lower_simt_fill(Lowering *l, MlirOperation op, const View *dst,
                     MlirValue value) {
  Plan plan = {.dst = dst, .value = value};
  plan_vector(&plan, tile_chunk_of(op).known);
  plan_threads(l, &plan);
  emit_widest(l, op, &plan);
}
