//===- LayoutLoops.c - Element loops after their layout is chosen ---------===//
//
// Part of layout inference. A thread of a loop finds every element of a
// fragment in its own registers; where inference chose otherwise, it counted
// the copy that is made explicit here.
//
//===----------------------------------------------------------------------===//

#include "LayoutExchange.h"

#include "Tile/Analysis.h"
#include "Tile/Dialect/TileLayouts.h"
#include "Tile/Support/Build.h"
#include "Tile/Support/Diagnostics.h"

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
  TileLayoutError error;
  int64_t registers[MAX_REGISTERS];
  TileBuffer buffer = tile_buffer_of(operand->memref);
  if (!tile_layout_of_alloc(tile_buffer_alloc(buffer), &have, &error) ||
      tile_layout_axis_size(&have.in, TILE_LAYOUT_REG) > MAX_REGISTERS ||
      tile_layout_axis_size(&want->in, TILE_LAYOUT_REG) > MAX_REGISTERS)
    return false;
  return (!operand->reads ||
          tile_layout_find_registers(&have, want, registers)) &&
         (!operand->writes ||
          tile_layout_find_registers(want, &have, registers));
}

typedef struct {
  MlirValue from, to;
} Replacement;

static bool replace_access(const TileElementAccess *access, void *user_data) {
  const Replacement *replacement = user_data;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(access->op); i++)
    if (mlirValueEqual(mlirOperationGetOperand(access->op, i),
                       replacement->from))
      mlirOperationSetOperand(access->op, i, replacement->to);
  return true;
}

static void copy_around(TileParallelOp loop, const TileLoopOperand *operand,
                        const TileLayout *want) {
  MlirContext context = mlirOperationGetContext(loop.op);
  MlirType type = mlirValueGetType(operand->memref);
  int bits = tile_elem_bits(mlirShapedTypeGetElementType(type));
  TileBuilder b = {mlirIRRewriterCreate(context),
                   mlirOperationGetLocation(loop.op)};
  mlirRewriterBaseSetInsertionPointBefore(b.rw, loop.op);
  MlirValue fitting =
      tile_alloc(&b, .type = type, .layout = layout_attr(context, want, bits));
  // What a guard leaves out keeps its value.
  if (operand->reads || operand->is_write_guarded)
    tile_copy(&b, .src = operand->memref, .dst = fitting,
              .instr = TILE_SOME(TILE_INSTR_Simt));
  mlirRewriterBaseSetInsertionPointAfter(b.rw, loop.op);
  if (operand->writes)
    tile_copy(&b, .src = fitting, .dst = operand->memref,
              .instr = TILE_SOME(TILE_INSTR_Simt));
  Replacement replacement = {operand->memref, fitting};
  tile_parallel_visit(loop, replace_access, &replacement);
  mlirIRRewriterDestroy(b.rw);
}

//===-- Entry -------------------------------------------------------------===//

void tile_layout_apply_loop(TileParallelOp loop, const TileLayout *layout) {
  enum { ANY_ELEM_BITS = 32 }; // decides spelling only
  TileLoopOperand operands[TILE_MAX_LOOP_OPERANDS];
  int count = tile_loop_operands(loop, operands);
  MlirContext context = mlirOperationGetContext(loop.op);
  if (!should_follow(layout, has_fragments(operands, count)))
    return;
  if (mlirAttributeIsNull(tile_parallel_layout_attr(loop)))
    tile_parallel_set_layout_attr(loop,
                                  layout_attr(context, layout, ANY_ELEM_BITS));
  for (int i = 0; i < count; i++) {
    TileShape shape;
    TileLayout want;
    TileLayoutError error;
    if (operands[i].space != TILE_SPACE_FRAGMENT ||
        !tile_shape_of(operands[i].memref, &shape) ||
        !tile_layout_project(layout, operands[i].map, shape.rank, &want,
                             &error))
      continue;
    if (!is_served(&operands[i], &want))
      copy_around(loop, &operands[i], &want);
  }
}
