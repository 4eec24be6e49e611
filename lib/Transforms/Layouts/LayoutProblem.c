//===- LayoutProblem.c - A kernel as a problem of layout inference --------===//
//
// IR to plain data: one buffer per `tile.alloc` that needs a layout and per
// global window, one op per tile op that touches them, in program order.
//
//===----------------------------------------------------------------------===//

#include "LayoutProblem.h"
#include "Analysis/Index/Index.h"
#include "Analysis/Instructions/Instructions.h"
#include "Analysis/Memory/Memory.h"

#include "Dialect/ForeignOps.h"
#include "Support/Diagnostics.h"
#include "Support/Iterate.h"
#include "Tile/Ops/scf.h"
#include "Tile/Ops/vector.h"
#include <stdio.h>

enum { NAME_CAPACITY = 64, LOOP_WEIGHT = 16, MAX_WEIGHT = 1 << 16 };

//===-- Growing arrays ----------------------------------------------------===//

typedef struct {
  TileArena *arena;
  TileLayoutProblem *out;
  int num_threads;
  MlirOperation *roles; // by number; null: all threads of the kernel
  int buffer_capacity, op_capacity;
  MlirLogicalResult result;
} Build;

static void *grow(TileArena *arena, void *old, size_t count, size_t capacity,
                  size_t elem_bytes) {
  void *grown = tile_arena_alloc(arena, capacity * elem_bytes);
  if (count)
    memcpy(grown, old, count * elem_bytes);
  return grown;
}

static TileInferBuffer *add_buffer(Build *build, MlirValue value) {
  TileLayoutProblem *out = build->out;
  int n = out->problem.num_buffers;
  if (n == build->buffer_capacity) {
    int capacity = n ? 2 * n : 16;
    out->problem.buffer = grow(build->arena, out->problem.buffer, (size_t)n,
                               (size_t)capacity, sizeof *out->problem.buffer);
    out->values = grow(build->arena, out->values, (size_t)n, (size_t)capacity,
                       sizeof *out->values);
    build->buffer_capacity = capacity;
  }
  out->values[n] = value;
  out->problem.num_buffers++;
  return &out->problem.buffer[n];
}

static TileInferOp *add_op(Build *build, MlirOperation op) {
  TileLayoutProblem *out = build->out;
  int n = out->problem.num_ops;
  if (n == build->op_capacity) {
    int capacity = n ? 2 * n : 16;
    out->problem.op = grow(build->arena, out->problem.op, (size_t)n,
                           (size_t)capacity, sizeof *out->problem.op);
    out->ops = grow(build->arena, out->ops, (size_t)n, (size_t)capacity,
                    sizeof *out->ops);
    build->op_capacity = capacity;
  }
  out->ops[n] = op;
  out->problem.num_ops++;
  return &out->problem.op[n];
}

//===-- Names -------------------------------------------------------------===//

// "tile.gemm in line 12": what conflicts name.
static const char *op_name(Build *build, MlirOperation op) {
  char text[NAME_CAPACITY];
  MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
  MlirLocation location = mlirOperationGetLocation(op);
  int length;
  if (mlirLocationIsAFileLineColRange(location))
    length =
        snprintf(text, sizeof text, "%.*s in line %d", (int)name.length,
                 name.data, mlirLocationFileLineColRangeGetStartLine(location));
  else
    length = snprintf(text, sizeof text, "%.*s", (int)name.length, name.data);
  return tile_arena_strdup(build->arena, text, (size_t)length);
}

//===-- Buffers -----------------------------------------------------------===//

static TileInferSpace infer_space(TileSpace space) {
  if (space == TILE_SPACE_SHARED)
    return TILE_INFER_SHARED;
  return space == TILE_SPACE_FRAGMENT ? TILE_INFER_FRAGMENT : TILE_INFER_GLOBAL;
}

static int new_buffer(Build *build, MlirValue value, const TileShape *shape) {
  char name[NAME_CAPACITY];
  tile_shape_print(shape, name, sizeof name);
  TileInferBuffer *buffer = add_buffer(build, value);
  *buffer = (TileInferBuffer){
      .name = tile_arena_strdup(build->arena, name, strlen(name)),
      .space = infer_space(shape->space),
      .rank = shape->rank,
      .elem_bits = tile_elem_bits(shape->element)};
  for (int d = 0; d < shape->rank; d++)
    buffer->shape[d] = shape->extent[d];
  return build->out->problem.num_buffers - 1;
}

static int find_buffer(const TileLayoutProblem *problem, MlirValue value) {
  for (int i = 0; i < problem->problem.num_buffers; i++)
    if (mlirValueEqual(problem->values[i], value))
      return i;
  return -1;
}

// A vector that lies in one of the pieces of 16 bytes that layouts move.
static bool is_short_vector(MlirOperation op) {
  enum { PIECE_BYTES = 16 };
  if (!vector_load_is(op) && !vector_store_is(op))
    return false;
  MlirType type = mlirValueGetType(
      vector_load_is(op) ? mlirOperationGetResult(op, 0)
                         : vector_store_valueToStore(vector_store_cast(op)));
  int64_t bytes = mlirShapedTypeGetDimSize(type, 0) *
                  tile_elem_bits(mlirShapedTypeGetElementType(type)) / 8;
  return mlirShapedTypeGetRank(type) == 1 && bytes <= PIECE_BYTES &&
         tile_vector_align_bytes(op) >= bytes;
}

static bool takes_any_layout(MlirOperation op) {
  return memref_load_is(op) || memref_store_is(op) ||
         memref_atomic_rmw_is(op) || memref_dim_is(op) || is_short_vector(op);
}

// The first op of another dialect that uses the shared tile `tile`, or a view
// of it, as a memref, and so expects row after row; null: none. Loads and
// stores of elements take any layout.
static MlirOperation foreign_user(MlirValue tile) {
  for (MlirOpOperand use = mlirValueGetFirstUse(tile);
       !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation op = mlirOpOperandGetOwner(use);
    MlirOperation inner = {NULL};
    if (tile_view_is(op) || tile_remote_is(op))
      inner = foreign_user(mlirOperationGetResult(op, 0));
    else if (!tile_op_is(op) && !takes_any_layout(op))
      inner = op;
    if (inner.ptr)
      return inner;
  }
  return (MlirOperation){NULL};
}

static void give_user_layout(Build *build, int index, TileAllocOp alloc) {
  MlirAttribute layout = tile_alloc_layout_attr(alloc);
  TileInferBuffer *buffer = &build->out->problem.buffer[index];
  if (mlirAttributeIsNull(layout)) {
    if (buffer->space == TILE_INFER_SHARED &&
        foreign_user(build->out->values[index]).ptr)
      buffer->user = "linear"; // a memref for upstream's conversions
    return;
  }
  MlirStringRef text = tile_layout_attr_text(layout);
  buffer->user = tile_arena_strdup(build->arena, text.data, text.length);
}

//===-- Roles -------------------------------------------------------------===//

// All threads of the kernel are number 0, its roles follow in their order.
static void build_roles(Build *build, MlirOperation kernel) {
  TileInferProblem *problem = &build->out->problem;
  TileSpecializeOp specialize = tile_kernel_specialize(kernel);
  int count = 1;
  if (!mlirOperationIsNull(specialize.op))
    TILE_FOR_EACH_OP (op, tile_specialize_block(specialize))
      count++;
  problem->role = TILE_ARENA_NEW(build->arena, TileInferRole, count);
  build->roles = TILE_ARENA_NEW(build->arena, MlirOperation, count);
  problem->role[problem->num_roles++] =
      (TileInferRole){"kernel", build->num_threads / 32};
  if (count == 1)
    return;
  TILE_FOR_EACH_OP (op, tile_specialize_block(specialize)) {
    TileRoleOp role = tile_role_cast(op);
    MlirStringRef name = tile_role_role(role);
    build->roles[problem->num_roles] = op;
    problem->role[problem->num_roles++] =
        (TileInferRole){tile_arena_strdup(build->arena, name.data, name.length),
                        (int)tile_role_warps(role)};
  }
}

static int role_number(const Build *build, TileRoleOp role) {
  for (int i = 1; i < build->out->problem.num_roles; i++)
    if (mlirOperationEqual(build->roles[i], role.op))
      return i;
  return 0;
}

//===-- Operands ----------------------------------------------------------===//

// The buffer that an operand constrains: its alloc when the whole tile or a
// whole slot of a ring is meant, a buffer of its own for a global window; -1
// for a window inside a tile, which any layout of the tile can serve by
// addresses.
static int buffer_of_operand(Build *build, MlirValue tile) {
  TileShape shape;
  if (!tile_shape_of(tile, &shape))
    return -1;
  if (shape.space == TILE_SPACE_GLOBAL)
    return new_buffer(build, tile, &shape);
  MlirValue base = tile_buffer_of(tile).base;
  if (shape.space == TILE_SPACE_CLUSTER) // laid out as that of its own block
    base = tile_remote_tile(tile_remote_cast(mlirOpResultGetOwner(base)));
  else if (shape.space != TILE_SPACE_SHARED &&
           shape.space != TILE_SPACE_FRAGMENT)
    return -1;
  int index = find_buffer(build->out, base);
  if (index < 0)
    return -1;
  const TileInferBuffer *buffer = &build->out->problem.buffer[index];
  if (shape.rank != buffer->rank - buffer->lead)
    return -1;
  for (int d = 0; d < shape.rank; d++)
    if (shape.extent[d] != buffer->shape[buffer->lead + d])
      return -1;
  return index;
}

//===-- Ops ---------------------------------------------------------------===//

static int weight_of(MlirOperation op) {
  int weight = 1;
  for (MlirOperation parent = mlirOperationGetParentOperation(op);
       parent.ptr && !tile_kernel_is(parent) && weight < MAX_WEIGHT;
       parent = mlirOperationGetParentOperation(parent))
    if (scf_for_is(parent) || scf_while_is(parent))
      weight *= LOOP_WEIGHT;
  return weight;
}

static TileInferVia copy_via(TileCopyOp copy) {
  switch (tile_copy_instr(copy)) {
  case TILE_INSTR_Tma:
    return TILE_INFER_TMA;
  case TILE_INSTR_CpAsync:
    return TILE_INFER_CP_ASYNC;
  default:
    return TILE_INFER_ANY;
  }
}

static int product_warps_m(const TileProduct *product, int num_threads) {
  int units = num_threads / (product->instr == TILE_INSTR_Wgmma ? 128 : 32);
  switch (product->policy) {
  case TILE_WARP_POLICY_FullRow:
    return units;
  case TILE_WARP_POLICY_FullCol:
    return 1;
  case TILE_WARP_POLICY_Square:
    break;
  }
  return 0;
}

static bool is_fragment(MlirValue tile) {
  TileShape shape;
  return tile.ptr && tile_shape_of(tile, &shape) &&
         shape.space == TILE_SPACE_FRAGMENT;
}

// A shared tile is reduced whatever its layout and that of the result.
static bool describe_reduce(TileReduceOp reduce, TileInferOp *out) {
  out->kind = TILE_INFER_REDUCE;
  out->dim = (int)tile_reduce_dim(reduce);
  return !tile_reduce_partial(reduce) && is_fragment(tile_reduce_src(reduce));
}

// A fragment scanned into another one stays where it is, at best.
static bool describe_scan(TileScanOp scan, TileInferOp *out) {
  out->kind = TILE_INFER_COPY;
  return is_fragment(tile_scan_src(scan)) && is_fragment(tile_scan_dst(scan));
}

static bool describe_op(Build *build, MlirOperation op, TileInferOp *out) {
  if (tile_scan_is(op))
    return describe_scan(tile_scan_cast(op), out);
  if (tile_fill_is(op)) {
    out->kind = TILE_INFER_FILL;
    return true;
  }
  if (tile_copy_is(op)) {
    out->kind = TILE_INFER_COPY;
    out->via = copy_via(tile_copy_cast(op));
    TileIm2colOp im2col = tile_im2col_of(tile_copy_src(tile_copy_cast(op)));
    if (im2col.op.ptr)
      out->run = tile_im2col_known_run(im2col, false);
    return true;
  }
  if (tile_reduce_is(op))
    return describe_reduce(tile_reduce_cast(op), out);
  if (tile_atomic_is(op)) {
    TileShape shape; // a scalar has none, and no layout
    TileAtomicOp atomic = tile_atomic_cast(op);
    out->kind = TILE_INFER_COPY;
    if (!mlirAttributeIsNull(tile_atomic_instr_attr(atomic)) &&
        tile_atomic_instr(atomic) == TILE_INSTR_Tma)
      out->via = TILE_INFER_TMA;
    return tile_shape_of(tile_atomic_src(atomic), &shape) ||
           is_fragment(tile_atomic_old(atomic));
  }
  TileProduct product;
  if (!tile_product_of(op, &product))
    return false;
  out->kind = TILE_INFER_GEMM;
  out->matrix =
      product.instr == TILE_INSTR_Wgmma ? TILE_INFER_WGMMA : TILE_INFER_MMA;
  out->is_sparse = product.is_sparse;
  out->ta = product.transpose_a;
  out->tb = product.transpose_b;
  out->warps_m = product_warps_m(
      &product, (int)tile_op_num_threads(op, build->num_threads));
  return true;
}

// Metadata is read by addresses, whatever its layout, and shared tiles of old
// elements are written so. Fragments of old elements are best where those of
// the source are, else where a copy to the destination wants them.
static int drop_free(MlirOperation op, TileAccess *accesses, int n) {
  if (tile_gemm_sp_is(op)) {
    memmove(accesses + 1, accesses + 2, (size_t)(n - 2) * sizeof *accesses);
    return n - 1;
  }
  if (!tile_atomic_is(op) || !tile_atomic_old(tile_atomic_cast(op)).ptr)
    return n;
  TileAccess old = accesses[n - 1], dst = accesses[n - 2];
  if (!is_fragment(old.tile))
    return n - 1;
  if (is_fragment(accesses[0].tile)) {
    accesses[1] = old;
    return 2;
  }
  accesses[0] = (TileAccess){.tile = old.tile, .operand = 2, .reads = true};
  accesses[1] = dst;
  return 2;
}

// A factor that is a window of a shared tile: a buffer of its own, whose layout
// follows from that of the tile. mma reads any window by addresses: where it
// starts at no multiple of its size, the tile is free. -1: wgmma reads no such
// window.
static int buffer_of_window(Build *build, MlirOperation op, MlirValue tile,
                            bool by_descriptor) {
  TileBuffer buffer = tile_buffer_of(tile);
  TileShape shape;
  TileLayoutCut cut;
  int source = find_buffer(build->out, buffer.base);
  if (source < 0 || !tile_shape_of(tile, &shape) || !buffer.region.ptr ||
      shape.space != TILE_SPACE_SHARED)
    return -1;
  bool is_aligned = tile_window_cut(tile, &cut);
  if (!is_aligned && by_descriptor)
    return -1;
  int index = new_buffer(build, tile, &shape);
  build->out->problem.buffer[index].is_view = true;
  if (!is_aligned)
    return index;
  TileInferOp *out = add_op(build, op);
  TileLayoutCut *kept = TILE_ARENA_NEW(build->arena, TileLayoutCut, 1);
  *kept = cut;
  *out = (TileInferOp){.kind = TILE_INFER_VIEW,
                       .name = op_name(build, op),
                       .weight = 1,
                       .num_operands = 2,
                       .cut = kept,
                       .whole_atoms = by_descriptor};
  out->operand = TILE_ARENA_NEW(build->arena, TileInferAccess, 2);
  out->operand[0].buffer = source;
  out->operand[1].buffer = index;
  return index;
}

// A window that cp.async fills.
static void note_rows(Build *build, MlirValue window, const TileInferOp *op) {
  int tile = find_buffer(build->out, tile_buffer_of(window).base);
  if (tile >= 0 && op->via == TILE_INFER_CP_ASYNC)
    build->out->problem.buffer[tile].takes_rows = true;
}

// A fragment of wide elements beside a tensor of narrow ones, between which
// vectors move whole.
static void note_vectors(Build *build, const TileInferOp *copy,
                         const TileAccess *accesses) {
  enum { VECTOR_BYTES = 16 };
  TileInferBuffer *buffers = build->out->problem.buffer;
  for (int i = 0; copy->kind == TILE_INFER_COPY && i < 2; i++) {
    TileInferBuffer *tile = &buffers[copy->operand[i].buffer];
    const TileInferBuffer *window = &buffers[copy->operand[1 - i].buffer];
    if (tile->space == TILE_INFER_FRAGMENT &&
        window->space == TILE_INFER_GLOBAL && window->elem_bits >= 8 &&
        window->elem_bits < tile->elem_bits &&
        (!tile->vector_bits || window->elem_bits < tile->vector_bits) &&
        tile_window_vector_bytes(accesses[1 - i].tile) % VECTOR_BYTES == 0)
      tile->vector_bits = window->elem_bits;
  }
}

static MlirLogicalResult describe(Build *build, MlirOperation op) {
  TileInferOp description = {0};
  TileAccess accesses[TILE_MAX_ACCESSES];
  int n = tile_accesses_get(op, accesses);
  TileProduct product;
  if (n == 0 || !describe_op(build, op, &description))
    return tile_success();
  bool is_product = tile_product_of(op, &product);
  n = drop_free(op, accesses, n);
  if ((tile_copy_is(op) &&
       mlirAttributeIsNull(tile_copy_instr_attr(tile_copy_cast(op)))) ||
      (is_product && !product.has_instr))
    return tile_emit_error(op, "has no instruction; run "
                               "tile-instruction-annotation first");
  int buffers[TILE_MAX_ACCESSES];
  for (int i = 0; i < n; i++) {
    buffers[i] = buffer_of_operand(build, accesses[i].tile);
    if (buffers[i] < 0 && is_product && i < 2)
      buffers[i] = buffer_of_window(build, op, accesses[i].tile,
                                    product.instr == TILE_INSTR_Wgmma);
    if (buffers[i] < 0 && is_product)
      return tile_emit_error(op,
                             "operand %d is a window that products do not "
                             "take: they read whole fragments, and wgmma "
                             "windows at multiples of their size",
                             accesses[i].operand);
    if (buffers[i] < 0) { // addresses serve any layout
      note_rows(build, accesses[i].tile, &description);
      return tile_success();
    }
  }
  TileInferOp *out = add_op(build, op);
  *out = description;
  out->name = op_name(build, op);
  out->role = role_number(build, tile_role_of(op));
  out->weight = weight_of(op);
  out->num_operands = n;
  out->operand = TILE_ARENA_NEW(build->arena, TileInferAccess, n);
  for (int i = 0; i < n; i++) {
    out->operand[i].buffer = buffers[i];
    out->operand[i].write = accesses[i].writes;
  }
  note_vectors(build, out, accesses);
  return tile_success();
}

// A view is a buffer whose layout follows from that of its source.
static void visit_view(Build *build, MlirOperation op) {
  MlirValue value = mlirOperationGetResult(op, 0);
  TileShape shape;
  int source = find_buffer(build->out, tile_view_source(tile_view_cast(op)));
  if (source < 0 || !tile_shape_of(value, &shape))
    return; // a private array
  int index = new_buffer(build, value, &shape);
  TileInferBuffer *buffers = build->out->problem.buffer;
  buffers[index].is_view = true;
  buffers[index].lead = buffers[source].lead;
  TileInferOp *out = add_op(build, op);
  *out = (TileInferOp){.kind = TILE_INFER_VIEW,
                       .name = op_name(build, op),
                       .weight = 1,
                       .num_operands = 2};
  out->operand = TILE_ARENA_NEW(build->arena, TileInferAccess, 2);
  out->operand[0].buffer = source;
  out->operand[1].buffer = index;
}

//===-- Element loops -----------------------------------------------------===//

// The buffer that an operand of an element loop constrains, with its map in
// |out|; -1 for none: what is indexed otherwise takes any layout.
static int buffer_of_loop_operand(Build *build, TileParallelOp loop,
                                  const TileLoopOperand *operand,
                                  TileInferAccess *out) {
  TileShape shape;
  int lead = 0, index = -1;
  tile_shape_of(operand->memref, &shape);
  if (operand->space == TILE_SPACE_GLOBAL) {
    for (int d = 0; d < shape.rank; d++)
      shape.extent[d] = operand->map[d] < 0
                            ? 1
                            : tile_parallel_extents(loop, operand->map[d]);
    index = shape.rank ? new_buffer(build, operand->memref, &shape) : -1;
  } else {
    index = find_buffer(build->out, operand->memref);
    lead = index < 0 ? 0 : build->out->problem.buffer[index].lead;
    for (int d = lead; d < shape.rank; d++)
      if (!(operand->exact_dims & 1u << d))
        return -1;
  }
  for (int d = lead; d < shape.rank; d++)
    out->map[d - lead] = operand->map[d];
  return index;
}

static const char *given_loop_layout(Build *build, TileParallelOp loop) {
  MlirAttribute attr = tile_parallel_layout_attr(loop);
  if (mlirAttributeIsNull(attr))
    return NULL;
  MlirStringRef text = tile_layout_attr_text(attr);
  return tile_arena_strdup(build->arena, text.data, text.length);
}

// A buffer that is read and written is two operands: each way has its cost.
static void describe_loop(Build *build, TileParallelOp loop) {
  TileLoopOperand operands[TILE_MAX_LOOP_OPERANDS];
  int n = tile_loop_operands(loop, operands), count = 0;
  TileInferAccess *list =
      TILE_ARENA_NEW(build->arena, TileInferAccess, 2 * TILE_MAX_LOOP_OPERANDS);
  for (int i = 0; i < n; i++) {
    TileInferAccess access = {0};
    access.buffer = buffer_of_loop_operand(build, loop, &operands[i], &access);
    if (access.buffer < 0)
      continue;
    if (operands[i].reads)
      list[count++] = access;
    access.write = true;
    if (operands[i].writes)
      list[count++] = access;
  }
  TileInferOp *out = add_op(build, loop.op);
  *out = (TileInferOp){.kind = TILE_INFER_PARALLEL,
                       .name = op_name(build, loop.op),
                       .weight = weight_of(loop.op),
                       .role = role_number(build, tile_role_of(loop.op)),
                       .num_operands = count,
                       .operand = list,
                       .loop_rank = (int)tile_parallel_extents_size(loop),
                       .user_loop = given_loop_layout(build, loop)};
  for (int d = 0; d < out->loop_rank; d++)
    out->loop_shape[d] = tile_parallel_extents(loop, d);
}

//===-- All ops -----------------------------------------------------------===//

static MlirWalkResult visit_alloc(MlirOperation op, void *user_data) {
  Build *build = user_data;
  TileShape shape;
  if (tile_view_is(op))
    visit_view(build, op);
  if (!tile_alloc_is(op) ||
      !tile_shape_of(mlirOperationGetResult(op, 0), &shape) ||
      (shape.space != TILE_SPACE_SHARED && shape.space != TILE_SPACE_FRAGMENT))
    return MlirWalkResultAdvance;
  int index = new_buffer(build, mlirOperationGetResult(op, 0), &shape);
  give_user_layout(build, index, tile_alloc_cast(op));
  build->out->problem.buffer[index].role =
      role_number(build, tile_alloc_role(tile_alloc_cast(op)));
  build->out->problem.buffer[index].lead =
      tile_num_stage_dims(tile_alloc_cast(op));
  return MlirWalkResultAdvance;
}

static MlirWalkResult visit_op(MlirOperation op, void *user_data) {
  Build *build = user_data;
  if (tile_parallel_is(op)) {
    describe_loop(build, tile_parallel_cast(op));
    return MlirWalkResultAdvance;
  }
  build->result = describe(build, op);
  return tile_failed(build->result) ? MlirWalkResultInterrupt
                                    : MlirWalkResultAdvance;
}

MlirLogicalResult tile_layout_problem_build(TileArena *arena,
                                            MlirOperation kernel,
                                            int64_t num_threads,
                                            TileLayoutProblem *out_problem) {
  *out_problem = (TileLayoutProblem){0};
  Build build = {.arena = arena,
                 .out = out_problem,
                 .num_threads = (int)num_threads,
                 .result = tile_success()};
  out_problem->problem.name = "kernel";
  build_roles(&build, kernel);
  mlirOperationWalk(kernel, visit_alloc, &build, MlirWalkPreOrder);
  mlirOperationWalk(kernel, visit_op, &build, MlirWalkPreOrder);
  return build.result;
}
