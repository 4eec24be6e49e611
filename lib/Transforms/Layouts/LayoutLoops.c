//===- LayoutLoops.c - Element loops after their layout is chosen ---------===//
//
// Part of layout inference. A thread of a loop finds every element of a
// fragment in its own registers; where inference chose otherwise, it counted
// the copy that is made explicit here.
//
//===----------------------------------------------------------------------===//

#include "LayoutExchange.h"

#include "Analysis/Index/Index.h"
#include "Dialect/TileLayouts.h"
#include "Support/Build.h"
#include "Support/Diagnostics.h"

enum {
  LAYOUT_TEXT_CAPACITY = 2048,
  MAX_REGISTERS = 1024, // of a fragment
  MAX_UNROLL = 32 // elements per thread of a loop that touches no fragment
};

static MlirAttribute layout_attr(MlirContext context, const TileLayout *layout,
                                 int elem_bits) {
  char text[LAYOUT_TEXT_CAPACITY];
  int length = tile_layout_print(layout, elem_bits, text, sizeof text);
  return tile_layout_attr(context, (MlirStringRef){text, (size_t)length});
}

static bool has_fragments(const TileLoopOperand *operands, int count) {
  for (int i = 0; i < count; i++)
    if (operands[i].space == TILE_SPACE_FRAGMENT)
      return true;
  return false;
}

// Without fragments any thread may run any element: a loop of chunks is shorter
// than code for each register, and needs no threads that do the same twice.
static bool should_follow(const TileLayout *layout, bool has_fragments) {
  return has_fragments ||
         (tile_layout_axis_size(&layout->in, TILE_LAYOUT_REG) <= MAX_UNROLL &&
          tile_layout_replication(layout) == 1);
}

//===-- Fragments that do not fit -----------------------------------------===//

static bool is_served(const TileLoopOperand *operand, const TileLayout *want) {
  TileLayout have;
  TileReason error;
  int64_t registers[MAX_REGISTERS];
  TileBuffer buffer = tile_buffer_of(operand->memref);
  if (!tile_layout_of_tile(buffer.base, &have, &error) ||
      tile_layout_axis_size(&have.in, TILE_LAYOUT_REG) > MAX_REGISTERS ||
      tile_layout_axis_size(&want->in, TILE_LAYOUT_REG) > MAX_REGISTERS)
    return false;
  return (!operand->reads ||
          tile_layout_find_registers(&have, want, registers)) &&
         (!operand->writes ||
          tile_layout_find_registers(want, &have, registers));
}

typedef struct {
  TileParallelOp loop;
  const TileLoopOperand *from;
  MlirValue to;
} Replacement;

// Accesses of the same fragment by other indices have a copy of their own.
static bool replace_access(const TileElementAccess *access, void *user_data) {
  const Replacement *replacement = user_data;
  if (!tile_loop_operand_has(replacement->loop, replacement->from, access))
    return true;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(access->op); i++)
    if (mlirValueEqual(mlirOperationGetOperand(access->op, i),
                       replacement->from->memref))
      mlirOperationSetOperand(access->op, i, replacement->to);
  return true;
}

// The loop accesses a tile of its own instead of `operand`.
static void copy_around(TileParallelOp loop, const TileLoopOperand *operand,
                        MlirType type, MlirAttribute layout) {
  TileBuilder b = {mlirIRRewriterCreate(mlirOperationGetContext(loop.op)),
                   mlirOperationGetLocation(loop.op)};
  mlirRewriterBaseSetInsertionPointBefore(b.rw, loop.op);
  MlirValue fitting = tile_alloc(&b, .type = type, .layout = layout);
  // What a guard leaves out keeps its value.
  if (operand->reads || operand->is_write_guarded)
    tile_copy(&b, .src = operand->memref, .dst = fitting,
              .instr = TILE_SOME(TILE_INSTR_Simt));
  mlirRewriterBaseSetInsertionPointAfter(b.rw, loop.op);
  if (operand->writes)
    tile_copy(&b, .src = fitting, .dst = operand->memref,
              .instr = TILE_SOME(TILE_INSTR_Simt));
  Replacement replacement = {loop, operand, fitting};
  tile_parallel_visit(loop, replace_access, &replacement);
  mlirIRRewriterDestroy(b.rw);
}

//===-- Elements that must run once ---------------------------------------===//

// A loop that reads memory which it writes, or updates it: where several
// threads run an element, one of them would read what another has written.
typedef struct {
  TileParallelOp loop;
  MlirValue written; // root of what a store writes; null: look for one
  TileSpace space;
  bool is_found;
} Rereads;

static bool is_in_block_memory(TileSpace space) {
  return space == TILE_SPACE_GLOBAL || space == TILE_SPACE_SHARED ||
         space == TILE_SPACE_CLUSTER;
}

static bool may_be_same(const Rereads *search, MlirValue root,
                        TileSpace space) {
  return mlirValueEqual(root, search->written) ||
         (space == TILE_SPACE_GLOBAL && search->space == TILE_SPACE_GLOBAL &&
          !(tile_tensor_is_distinct(root) &&
            tile_tensor_is_distinct(search->written)));
}

static bool find_load(const TileElementAccess *access, void *user_data) {
  Rereads *search = user_data;
  TileShape shape;
  search->is_found |=
      !access->is_store && tile_shape_of(access->memref, &shape) &&
      may_be_same(search, tile_tensor_root(access->memref), shape.space);
  return !search->is_found;
}

static bool find_store(const TileElementAccess *access, void *user_data) {
  Rereads *search = user_data;
  TileShape shape;
  if (!access->is_store || !tile_shape_of(access->memref, &shape) ||
      !is_in_block_memory(shape.space))
    return true;
  search->written = tile_tensor_root(access->memref);
  search->space = shape.space;
  search->is_found |= access->is_atomic;
  if (!search->is_found)
    tile_parallel_visit(search->loop, find_load, search);
  return !search->is_found;
}

static bool rereads(TileParallelOp loop) {
  Rereads search = {.loop = loop};
  tile_parallel_visit(loop, find_store, &search);
  return search.is_found;
}

// One thread writes each element to a shared tile, from which all get it.
static void write_shared(TileParallelOp loop, const TileLoopOperand *operand) {
  MlirContext context = mlirOperationGetContext(loop.op);
  TileShape shape;
  tile_shape_of(operand->memref, &shape);
  MlirType type =
      mlirMemRefTypeContiguousGet(shape.element, shape.rank, shape.extent,
                                  tile_space_attr(context, TILE_SPACE_SHARED));
  copy_around(loop, operand, type,
              tile_layout_attr(context, TILE_STR("linear")));
  int bits = tile_elem_bits(shape.element);
  tile_emit_remark(loop.op, "tile-layout/scratch",
                   "reads memory that it writes, and several threads run each "
                   "element, as its fragments lie: one of them passes what it "
                   "stores through %lld bytes of shared memory",
                   (long long)(tile_shape_num_elems(&shape) * bits / 8));
}

//===-- Entry -------------------------------------------------------------===//

void tile_layout_apply_loop(TileParallelOp loop, const TileLayout *layout) {
  enum { ANY_ELEM_BITS = 32 }; // decides spelling only
  TileLoopOperand operands[TILE_MAX_LOOP_OPERANDS];
  int count = tile_loop_operands(loop, operands);
  MlirContext context = mlirOperationGetContext(loop.op);
  if (!should_follow(layout, has_fragments(operands, count)))
    return;
  bool must_run_once = tile_layout_replication(layout) > 1 && rereads(loop);
  if (mlirAttributeIsNull(tile_parallel_layout_attr(loop)))
    tile_parallel_set_layout_attr(loop,
                                  layout_attr(context, layout, ANY_ELEM_BITS));
  for (int i = 0; i < count; i++) {
    TileShape shape;
    TileLayout want;
    TileReason error;
    if (operands[i].space != TILE_SPACE_FRAGMENT ||
        !tile_shape_of(operands[i].memref, &shape) ||
        !tile_layout_project(layout, operands[i].map, shape.rank, &want,
                             &error))
      continue;
    if (must_run_once && operands[i].writes)
      write_shared(loop, &operands[i]);
    else if (!is_served(&operands[i], &want))
      copy_around(loop, &operands[i], mlirValueGetType(operands[i].memref),
                  layout_attr(context, &want, tile_elem_bits(shape.element)));
  }
}
