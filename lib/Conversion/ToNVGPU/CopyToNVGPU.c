//===- CopyToNVGPU.c - Global windows to shared memory by cp.async --------===//
//
// The tile is cut in chunks of 16, 8 or 4 bytes of its last dimension, numbered
// row by row; thread t copies the chunks t, t + T, t + 2T, … of T threads.
//
//   1. A chunk is inside the tensor in all dimensions but the last, or outside.
//   2. Its first element is at a multiple of its size in the last dimension, so
//      only its end can be outside: zeros are filled in there.
//   3. A chunk that is all outside reads nothing; its address is that of the
//      first element of the tensor.
//   4. With a pad other than zero a window that is inside is copied without any
//      condition. Of one that is not, the chunks that are inside are copied,
//      and the others loaded and stored, element by element.
//
//===----------------------------------------------------------------------===//

#include "Analysis/Index/Index.h"
#include "Analysis/Instructions/Instructions.h"
#include "Dialect/Im2col.h"
#include "Nvgpu.h"
#include "Support/Constants.h"
#include "Support/Diagnostics.h"
#include "Tile/Ops/memref.h"
#include "Tile/Ops/nvgpu.h"

// PTX ISA, cp.async: 4, 8 or 16 bytes; only 16 can pass by the L1 cache.
enum { MAX_CHUNK_BYTES = 16, MAX_UNROLL = 16 };

// Axes of the work of a copy: chunk = (loop * unrolled + unroll) * T + thread.
enum { LOOP, UNROLL, THREAD, ELEMENT, NUM_WORK_AXES };

//===-- Plan --------------------------------------------------------------===//

struct TileNvgpuCopy {
  TileSharedWindow dst;

  MlirValue src; // the tensor
  int src_rank;
  TileInt offset[TILE_MAX_RANK]; // of the window
  int64_t extent[TILE_MAX_RANK]; // of the tensor; negative: dynamic
  MlirValue end[TILE_MAX_RANK];  // of the window, if it has one; or null
  int tile_dim[TILE_MAX_RANK];   // -1: dropped
  bool is_inside[TILE_MAX_RANK]; // the window never leaves the tensor

  int64_t chunk_elems, chunk_bytes;
  int64_t count[TILE_MAX_RANK]; // chunks per dimension of the tile
  int64_t num_chunks;
  // Every thread copies num_loops * unroll chunks; then the first `rest`
  // threads copy one more.
  int64_t num_threads, num_loops, unroll, rest;
  // Where the shared addresses are a layout of the work axes.
  bool has_access;
  TileSharedAccess access;

  MlirValue pad; // other than zero; or null
  const TileNvgpuCopy
      *inside; // with a pad: the copy of a window that is inside
};

//===-- Build: what is ours -----------------------------------------------===//

static bool last_stride_is_one(MlirType type) {
  int64_t strides[TILE_MAX_RANK], offset;
  int64_t rank = mlirShapedTypeGetRank(type);
  return rank >= 1 && rank <= TILE_MAX_RANK &&
         !tile_failed(
             mlirMemRefTypeGetStridesAndOffset(type, strides, &offset)) &&
         strides[rank - 1] == 1;
}

// Rows of the window are runs of the tensor.
static bool source_is_ours(MlirValue tile) {
  TileBox box;
  return tile_box_of(tile, &box) &&
         last_stride_is_one(mlirValueGetType(box.root)) &&
         box.dim[box.rank - 1] >= 0;
}

static bool copy_is_ours(TileCopyOp copy) {
  TileShape src, dst;
  return !mlirAttributeIsNull(tile_copy_instr_attr(copy)) &&
         tile_copy_instr(copy) == TILE_INSTR_CpAsync &&
         tile_shape_of(tile_copy_src(copy), &src) &&
         tile_shape_of(tile_copy_dst(copy), &dst) &&
         src.space == TILE_SPACE_GLOBAL && dst.space == TILE_SPACE_SHARED &&
         mlirTypeEqual(src.element, dst.element) &&
         !tile_im2col_of(tile_copy_src(copy)).op.ptr &&
         !tile_window_is_gathered(tile_copy_src(copy)) &&
         source_is_ours(tile_copy_src(copy));
}

//===-- Build: how it is done ---------------------------------------------===//

static void source_build(TileNvgpuCopy *copy, MlirValue tile) {
  TileBox box;
  tile_box_of(tile, &box);
  MlirType type = mlirValueGetType(box.root);
  copy->src = box.root;
  copy->src_rank = box.rank;
  for (int d = 0; d < copy->src_rank; d++) {
    bool is_dynamic = mlirShapedTypeIsDynamicDim(type, d);
    copy->extent[d] = is_dynamic ? -1 : mlirShapedTypeGetDimSize(type, d);
    if (box.region.op.ptr)
      copy->end[d] = tile_region_end(box.region, d);
    if (copy->end[d].ptr)
      copy->extent[d] = -1;
    copy->offset[d] = box.offset[d];
    copy->tile_dim[d] = box.dim[d];
    copy->is_inside[d] =
        box.region.op.ptr ? tile_window_is_inside(box.region, d) : !is_dynamic;
  }
  copy->pad = tile_window_pad(tile);
}

static void refuse_chunk(const TileCpAsyncChunk *chunk,
                         TileNvgpuCopyPlan *out_plan) {
  out_plan->code = "tile-nvgpu/alignment";
  snprintf(out_plan->reason, sizeof out_plan->reason,
           "rows of the window are known to start at multiples of %lld "
           "bytes; they have %lld bytes, stored in runs of %lld; cp.async "
           "needs 4 of each",
           (long long)chunk->align_bytes, (long long)chunk->row_bytes,
           (long long)chunk->run_bytes);
}

// False when there is no chunk that cp.async can copy.
static bool chunk_build(TileNvgpuCopy *copy, TileCopyOp op,
                        TileNvgpuCopyPlan *out_plan) {
  const TileShape *shape = &copy->dst.shape;
  TileCpAsyncChunk chunk;
  if (!tile_cp_async_chunk(op, &chunk)) {
    refuse_chunk(&chunk, out_plan);
    return false;
  }
  copy->chunk_bytes = chunk.bytes;
  copy->chunk_elems = chunk.bytes / (tile_elem_bits(shape->element) / 8);
  // nvgpu counts the bits of the element type, and i1 is stored in a byte.
  if (mlirTypeIsAInteger(shape->element) &&
      mlirIntegerTypeGetWidth(shape->element) < 8) {
    out_plan->code = "tile-nvgpu/type";
    snprintf(out_plan->reason, sizeof out_plan->reason,
             "nvgpu has no asynchronous copy of i1");
    return false;
  }
  return true;
}

static void work_build(TileNvgpuCopy *copy, int64_t num_threads) {
  const TileShape *shape = &copy->dst.shape;
  copy->num_chunks = 1;
  for (int d = 0; d < shape->rank; d++) {
    copy->count[d] = shape->extent[d];
    if (d == shape->rank - 1)
      copy->count[d] /= copy->chunk_elems;
    copy->num_chunks *= copy->count[d];
  }
  int64_t full = copy->num_chunks / num_threads;
  copy->num_threads = num_threads;
  copy->rest = copy->num_chunks % num_threads;
  copy->unroll = full < MAX_UNROLL ? full : MAX_UNROLL;
  while (copy->unroll && full % copy->unroll)
    copy->unroll--;
  copy->num_loops = full ? full / copy->unroll : 0;
}

// Chunks are numbered row by row, so (loop, unroll, thread, element) is a
// reshape of the tile.
static void access_build(TileNvgpuCopy *copy) {
  int64_t shape[NUM_WORK_AXES] = {
      [LOOP] = copy->num_loops,
      [UNROLL] = copy->unroll,
      [THREAD] = copy->num_threads,
      [ELEMENT] = copy->chunk_elems,
  };
  TileSharedAccess *access = &copy->access;
  TileReason error;
  TileLayoutTerms terms;
  access->window = &copy->dst;
  access->constant_axes = 1u << UNROLL | 1u << ELEMENT;
  access->is_composed = true;
  copy->has_access = copy->rest == 0 && copy->dst.is_aligned &&
                     tile_layout_view(&copy->dst.layout, shape, NUM_WORK_AXES,
                                      &access->offsets, &error) &&
                     tile_layout_terms(&access->offsets, access->constant_axes,
                                       &terms, &error);
}

// A window that leaves its tensor is rare: its code is short.
static void split_build(TileArena *arena, TileNvgpuCopy *copy) {
  TileNvgpuCopy *inside = TILE_ARENA_NEW(arena, TileNvgpuCopy, 1);
  *inside = *copy;
  inside->pad = TILE_NULL_VALUE;
  inside->access.window = &inside->dst;
  for (int d = 0; d < copy->src_rank; d++)
    inside->is_inside[d] = true;
  copy->inside = inside;
  copy->num_loops *= copy->unroll;
  copy->unroll = copy->num_loops ? 1 : 0;
  access_build(copy);
}

// A gathered window is read where it is lowered. How wide follows from loops
// that are gone by then.
static void named_plan(TileCopyOp copy, TileNvgpuCopyPlan *out_plan) {
  TileCpAsyncChunk chunk;
  TileShape dst;
  if (mlirAttributeIsNull(tile_copy_instr_attr(copy)) ||
      !tile_shape_of(tile_copy_dst(copy), &dst) ||
      dst.space != TILE_SPACE_SHARED)
    return;
  out_plan->kind = TILE_NVGPU_COPY_NAMED;
  if (tile_copy_instr(copy) != TILE_INSTR_CpAsync) {
    out_plan->chunk_elems = tile_chunk_of(copy.op).known;
  } else if (tile_cp_async_chunk(copy, &chunk)) {
    out_plan->chunk_elems = chunk.bytes * 8 / tile_elem_bits(dst.element);
  } else {
    out_plan->kind = TILE_NVGPU_COPY_SIMT;
    refuse_chunk(&chunk, out_plan);
  }
}

MlirLogicalResult tile_nvgpu_copy_plan(TileArena *arena, MlirOperation op,
                                       int64_t num_threads,
                                       TileNvgpuCopyPlan *out_plan) {
  TileCopyOp copy_op = tile_copy_cast(op);
  TileReason error;
  out_plan->kind = TILE_NVGPU_COPY_OTHER;
  if (tile_window_is_gathered(tile_copy_src(copy_op)))
    named_plan(copy_op, out_plan);
  if (!copy_is_ours(copy_op))
    return tile_success();
  TileNvgpuCopy *copy = TILE_ARENA_NEW(arena, TileNvgpuCopy, 1);
  if (!tile_shared_window_get(tile_copy_dst(copy_op), &copy->dst, &error))
    return tile_emit_error(op, "cannot address its destination: %s",
                           error.text);
  source_build(copy, tile_copy_src(copy_op));
  out_plan->kind = TILE_NVGPU_COPY_SIMT;
  if (!chunk_build(copy, copy_op, out_plan))
    return tile_success();
  work_build(copy, num_threads);
  access_build(copy);
  if (copy->pad.ptr)
    split_build(arena, copy);
  out_plan->kind = TILE_NVGPU_COPY_LOWERED;
  out_plan->copy = copy;
  return tile_success();
}

//===-- Apply -------------------------------------------------------------===//

// A coordinate of the tile: a constant added to what the thread decides.
typedef struct {
  TileInt base;
  int64_t step;
} Coordinate;

// What is known of a coordinate in the tensor, for the next chunk that has it.
typedef struct {
  bool is_set;
  Coordinate key;      // in the tile
  TileInt start;       // in the tensor, of the base
  TileInt coordinate;  // in the tensor
  MlirValue is_inside; // null: always
  MlirValue num_elems; // last dimension: of a chunk that starts inside
} Place;

typedef struct {
  TileNvgpuRewrite *rewrite;
  const TileNvgpuCopy *copy;
  MlirValue storage;
  TileInt extent[TILE_MAX_RANK]; // of the tensor, where it matters
  Place place[TILE_MAX_RANK];    // per dimension of the tensor
  // Chunk of this thread and its digits, per dimension of the tile; those
  // before `top` have one chunk.
  int top;
  TileInt first, quotient[TILE_MAX_RANK], digit[TILE_MAX_RANK], column;
  TileSharedCode code;
} Emitter;

static MlirValue compare_below(TileNvgpuRewrite *r, TileInt x, TileInt limit) {
  MlirValue first = tile_int_get(&r->index, x);
  return arith_cmpi(&r->b, .predicate = ARITH_CMP_I_PREDICATE_ult, .lhs = first,
                    .rhs = tile_int_get(&r->index, limit));
}

static bool same_int(TileInt x, TileInt y) {
  return x.value.ptr == y.value.ptr && x.constant == y.constant;
}

// Splits `first` once; chunks a constant apart then mostly differ in constants.
static void first_split(Emitter *e) {
  TileIntMath *math = &e->rewrite->index;
  int last = e->copy->dst.shape.rank - 1;
  TileInt rest = e->first;
  assert(last >= 0 && last < TILE_MAX_RANK && "tiles have rank 1 to 5");
  for (int d = last; d > e->top; d--) {
    e->digit[d] = tile_int_rem(math, rest, e->copy->count[d]);
    rest = tile_int_div(math, rest, e->copy->count[d]);
    e->quotient[d] = rest;
  }
  e->digit[e->top] = rest;
  e->column = tile_int_mul(math, e->digit[last], e->copy->chunk_elems);
}

// Tile coordinates of chunk `first` + `step`. Low digits stay as long as the
// step is a multiple of what they count; then they carry.
static void chunk_coordinates(Emitter *e, int64_t step,
                              Coordinate out[TILE_MAX_RANK]) {
  TileIntMath *math = &e->rewrite->index;
  const int64_t *count = e->copy->count;
  int last = e->copy->dst.shape.rank - 1, d = last;
  assert(last >= 0 && last < TILE_MAX_RANK && "tiles have rank 1 to 5");
  for (int unit = 0; unit < e->top; unit++)
    out[unit] = (Coordinate){tile_int_constant(0), 0};
  for (; d > e->top && step % count[d] == 0; d--) {
    out[d] = (Coordinate){e->digit[d], 0};
    step /= count[d];
  }
  if (d == e->top) {
    out[d] = (Coordinate){e->digit[d], step};
  } else {
    TileInt rest = tile_int_add(math, d == last ? e->first : e->quotient[d + 1],
                                tile_int_constant(step));
    for (; d > e->top; d--) {
      out[d] = (Coordinate){tile_int_rem(math, rest, count[d]), 0};
      rest = tile_int_div(math, rest, count[d]);
    }
    out[d] = (Coordinate){rest, 0};
  }
  out[last].base =
      same_int(out[last].base, e->digit[last])
          ? e->column
          : tile_int_mul(math, out[last].base, e->copy->chunk_elems);
  out[last].step *= e->copy->chunk_elems;
}

// Elements of a chunk at `coordinate` that are inside, if it starts inside.
static MlirValue chunk_elems_inside(Emitter *e, TileInt coordinate) {
  const TileNvgpuCopy *copy = e->copy;
  TileNvgpuRewrite *r = e->rewrite;
  TileInt chunk = tile_int_constant(copy->chunk_elems);
  int64_t extent = copy->extent[copy->src_rank - 1];
  if (extent >= 0 && extent % copy->chunk_elems == 0)
    return tile_int_get(&r->index, chunk);
  TileInt left =
      tile_int_sub(&r->index, e->extent[copy->src_rank - 1], coordinate);
  MlirValue num_left = tile_int_get(&r->index, left);
  return arith_minui(&r->b, num_left, tile_int_get(&r->index, chunk));
}

static const Place *place_get(Emitter *e, int d, Coordinate at) {
  const TileNvgpuCopy *copy = e->copy;
  TileIntMath *math = &e->rewrite->index;
  Place *place = &e->place[d];
  bool has_start = place->is_set && same_int(place->key.base, at.base);
  if (has_start && place->key.step == at.step)
    return place;
  TileInt start =
      has_start ? place->start : tile_int_add(math, copy->offset[d], at.base);
  *place = (Place){.is_set = true, .key = at, .start = start};
  place->coordinate = tile_int_add(math, start, tile_int_constant(at.step));
  if (!copy->is_inside[d]) {
    place->is_inside =
        compare_below(e->rewrite, place->coordinate, e->extent[d]);
    if (d == copy->src_rank - 1)
      place->num_elems = chunk_elems_inside(e, place->coordinate);
  }
  return place;
}

// A chunk: where it is in the tensor, and how much of it.
typedef struct {
  MlirValue indices[TILE_MAX_RANK];
  MlirValue inside;    // whether its first element is; null: all of it is
  MlirValue num_elems; // inside, if the first one is
  TileInt offset;      // in the storage
} Chunk;

static Chunk chunk_at(Emitter *e, const Coordinate *at, TileInt offset) {
  const TileNvgpuCopy *copy = e->copy;
  TileNvgpuRewrite *r = e->rewrite;
  Chunk chunk = {.inside = {NULL}, .offset = offset};
  const Place *place = NULL;
  for (int d = 0; d < copy->src_rank; d++) {
    Coordinate origin = {tile_int_constant(0), 0};
    place =
        place_get(e, d, copy->tile_dim[d] < 0 ? origin : at[copy->tile_dim[d]]);
    chunk.indices[d] = tile_int_get(&r->index, place->coordinate);
    if (place->is_inside.ptr)
      chunk.inside = chunk.inside.ptr
                         ? arith_andi(&r->b, chunk.inside, place->is_inside)
                         : place->is_inside;
  }
  if (chunk.inside.ptr)
    chunk.num_elems = place->num_elems.ptr
                          ? place->num_elems
                          : tile_const_index(&r->b, copy->chunk_elems);
  return chunk;
}

static MlirValue copy_async(Emitter *e, const Chunk *chunk,
                            MlirValue num_elems) {
  const TileNvgpuCopy *copy = e->copy;
  TileNvgpuRewrite *r = e->rewrite;
  return nvgpu_device_async_copy(
      &r->b, .dst = e->storage,
      .dstIndices = TILE_VALUES(tile_int_get(&r->index, chunk->offset)),
      .src = copy->src, .srcIndices = {chunk->indices, copy->src_rank},
      .dstElements = copy->chunk_elems, .srcElements = num_elems,
      .bypassL1 = copy->chunk_bytes == MAX_CHUNK_BYTES);
}

static void store_element(Emitter *e, MlirValue value, TileInt offset) {
  TileNvgpuRewrite *r = e->rewrite;
  MlirValue index = tile_int_get(&r->index, offset);
  tile_store_mark_by_thread(memref_store_op(&r->b, .value = value,
                                            .memref = e->storage,
                                            .indices = TILE_VALUES(index))
                                .op);
}

// The elements of a chunk that are in the tensor, and the pad.
static void store_elements(Emitter *e, Chunk chunk) {
  const TileNvgpuCopy *copy = e->copy;
  TileNvgpuRewrite *r = e->rewrite;
  MlirValue *column = &chunk.indices[copy->src_rank - 1];
  MlirValue zero = tile_const_index(&r->b, 0);
  TileInt count =
      tile_int_value(arith_select(&r->b, chunk.inside, chunk.num_elems, zero));
  TileInt i = tile_int_value(tile_scf_for_begin(&r->b, copy->chunk_elems));
  TileInt offset = tile_int_add(&r->index, chunk.offset, i);
  tile_scf_if_else_begin(&r->b, compare_below(r, i, count));
  *column = tile_int_get(&r->index,
                         tile_int_add(&r->index, tile_int_value(*column), i));
  store_element(e,
                memref_load(&r->b, .memref = copy->src,
                            .indices = {chunk.indices, copy->src_rank}),
                offset);
  tile_scf_else(&r->b);
  store_element(e, copy->pad, offset);
  tile_scf_end(&r->b);
  tile_scf_end(&r->b);
}

// One chunk at `at` of the tile, to `offset` of the storage. Returns its token;
// null: it has none that is seen outside.
static MlirValue emit_chunk(Emitter *e, const Coordinate *at, TileInt offset) {
  const TileNvgpuCopy *copy = e->copy;
  TileNvgpuRewrite *r = e->rewrite;
  Chunk chunk = chunk_at(e, at, offset);
  if (!chunk.inside.ptr)
    return copy_async(e, &chunk, TILE_NULL_VALUE);
  if (copy->pad.ptr) {
    MlirValue is_full = arith_cmpi(
        &r->b, .predicate = ARITH_CMP_I_PREDICATE_eq, .lhs = chunk.num_elems,
        .rhs = tile_const_index(&r->b, copy->chunk_elems));
    tile_scf_if_else_begin(&r->b, arith_andi(&r->b, chunk.inside, is_full));
    copy_async(e, &chunk, TILE_NULL_VALUE);
    tile_scf_else(&r->b);
    store_elements(e, chunk);
    tile_scf_end(&r->b);
    return TILE_NULL_VALUE;
  }
  MlirValue zero = tile_const_index(&r->b, 0);
  MlirValue count = arith_select(&r->b, chunk.inside, chunk.num_elems, zero);
  for (int d = 0; d < copy->src_rank; d++)
    if (!copy->is_inside[d])
      chunk.indices[d] =
          arith_select(&r->b, chunk.inside, chunk.indices[d], zero);
  return copy_async(e, &chunk, count);
}

static TileInt storage_offset(Emitter *e, int64_t unroll,
                              const Coordinate *at) {
  TileIntMath *math = &e->rewrite->index;
  const TileNvgpuCopy *copy = e->copy;
  if (copy->has_access) {
    int64_t in[NUM_WORK_AXES] = {[UNROLL] = unroll};
    return tile_shared_code_at(math, &e->code, in);
  }
  TileInt coordinates[TILE_MAX_RANK];
  for (int d = 0; d < copy->dst.shape.rank; d++)
    coordinates[d] =
        tile_int_add(math, at[d].base, tile_int_constant(at[d].step));
  return tile_shared_window_at(math, &copy->dst, coordinates);
}

static MlirValue emit_step(Emitter *e, int64_t unroll) {
  Coordinate at[TILE_MAX_RANK];
  chunk_coordinates(e, unroll * e->copy->num_threads, at);
  return emit_chunk(e, at, storage_offset(e, unroll, at));
}

// What was computed inside a region is not known after it.
static void forget(Emitter *e) { memset(e->place, 0, sizeof e->place); }

static void add_token(TileArena *arena, TileNvgpuTokens *tokens,
                      MlirValue token) {
  TILE_ARENA_RESERVE(arena, tokens->values, tokens->count, tokens->capacity);
  tokens->values[tokens->count++] = token;
}

static void emit_loops(Emitter *e, TileNvgpuTokens *tokens) {
  const TileNvgpuCopy *copy = e->copy;
  TileNvgpuRewrite *r = e->rewrite;
  bool is_loop = copy->num_loops > 1;
  TileInt in[NUM_WORK_AXES] = {[THREAD] = r->thread};
  e->first = r->thread;
  if (is_loop) {
    in[LOOP] = tile_int_value(tile_scf_for_begin(&r->b, copy->num_loops));
    TileInt done =
        tile_int_mul(&r->index, in[LOOP], copy->unroll * copy->num_threads);
    e->first = tile_int_add(&r->index, r->thread, done);
  }
  first_split(e);
  if (copy->has_access)
    tile_shared_code_begin(&r->index, &copy->access, in, &e->code);
  for (int64_t unroll = 0; unroll < copy->unroll; unroll++) {
    MlirValue token = emit_step(e, unroll);
    if (tokens && !is_loop)
      add_token(r->arena, tokens, token);
  }
  if (is_loop) {
    tile_scf_end(&r->b);
    forget(e);
  }
}

static void emit_rest(Emitter *e) {
  const TileNvgpuCopy *copy = e->copy;
  TileNvgpuRewrite *r = e->rewrite;
  MlirValue takes_part =
      compare_below(r, r->thread, tile_int_constant(copy->rest));
  tile_scf_if_begin(&r->b, takes_part);
  e->first = r->thread;
  first_split(e);
  emit_step(e, copy->num_loops * copy->unroll);
  tile_scf_end(&r->b);
}

static void emit_all(Emitter *e, const TileNvgpuCopy *copy,
                     TileNvgpuTokens *tokens) {
  e->copy = copy;
  forget(e);
  if (copy->num_loops)
    emit_loops(e, tokens);
  if (copy->rest)
    emit_rest(e);
}

// Whether all of the window is in the tensor.
static MlirValue is_window_inside(Emitter *e) {
  const TileNvgpuCopy *copy = e->copy;
  TileNvgpuRewrite *r = e->rewrite;
  MlirValue all = {NULL};
  for (int d = 0; d < copy->src_rank; d++) {
    if (copy->is_inside[d])
      continue;
    int64_t size =
        copy->tile_dim[d] < 0 ? 1 : copy->dst.shape.extent[copy->tile_dim[d]];
    TileInt last =
        tile_int_sub(&r->index, e->extent[d], tile_int_constant(size));
    MlirValue offset = tile_int_get(&r->index, copy->offset[d]);
    MlirValue begins =
        arith_cmpi(&r->b, .predicate = ARITH_CMP_I_PREDICATE_sge, .lhs = offset,
                   .rhs = tile_const_index(&r->b, 0));
    MlirValue ends =
        arith_cmpi(&r->b, .predicate = ARITH_CMP_I_PREDICATE_sle, .lhs = offset,
                   .rhs = tile_int_get(&r->index, last));
    MlirValue both = arith_andi(&r->b, begins, ends);
    all = all.ptr ? arith_andi(&r->b, all, both) : both;
  }
  return all;
}

// The end of the window or that of the tensor, which comes first, at least 0.
static TileInt window_end(TileBuilder *b, const TileNvgpuCopy *copy, int d) {
  MlirType type = mlirValueGetType(copy->src);
  MlirValue extent =
      mlirShapedTypeIsDynamicDim(type, d)
          ? memref_dim(b, copy->src, tile_const_index(b, d))
          : tile_const_index(b, mlirShapedTypeGetDimSize(type, d));
  MlirValue end = arith_minsi(b, copy->end[d], extent);
  return tile_int_value(arith_maxsi(b, end, tile_const_index(b, 0)));
}

void tile_nvgpu_copy_apply(TileNvgpuRewrite *rewrite, const TileNvgpuCopy *copy,
                           TileNvgpuTokens *tokens) {
  Emitter e = {.rewrite = rewrite, .copy = copy};
  while (e.top + 1 < copy->dst.shape.rank && copy->count[e.top] == 1)
    e.top++;
  TileBuilder *b = &rewrite->b;
  e.storage = tile_storage(b, copy->dst.box.base);
  for (int d = 0; d < copy->src_rank; d++) {
    if (copy->is_inside[d])
      continue;
    if (copy->end[d].ptr) {
      e.extent[d] = window_end(b, copy, d);
      continue;
    }
    e.extent[d] =
        copy->extent[d] >= 0
            ? tile_int_constant(copy->extent[d])
            : tile_int_value(memref_dim(b, copy->src, tile_const_index(b, d)));
  }
  if (!copy->pad.ptr) {
    emit_all(&e, copy, tokens);
    return;
  }
  tile_scf_if_else_begin(b, is_window_inside(&e));
  emit_all(&e, copy->inside, NULL);
  tile_scf_else(b);
  emit_all(&e, copy, NULL);
  tile_scf_end(b);
}
