//===- MetadataAliases.c - What memrefs of the host share memory ----------===//
//
// Backwards, from a memref that is written to the arguments that it may be;
// forwards, from a workspace to its last use. Both follow views, loops and
// branches, and take what may be for what is.
//
//===----------------------------------------------------------------------===//

#include "Target/Metadata.h"

#include "Support/Iterate.h"
#include "Tile/Ops/arith.h"
#include "Tile/Ops/func.h"
#include "Tile/Ops/gpu.h"
#include "Tile/Ops/memref.h"
#include "Tile/Ops/scf.h"

static bool is_memref(MlirValue value) {
  return mlirTypeIsAMemRef(mlirValueGetType(value));
}

//===-- Views -------------------------------------------------------------===//

bool tile_host_view_is(MlirOperation op) {
  return memref_cast_is(op) || memref_memory_space_cast_is(op) ||
         memref_assume_alignment_is(op) || memref_distinct_objects_is(op) ||
         memref_subview_is(op) || memref_reinterpret_cast_is(op) ||
         memref_collapse_shape_is(op) || memref_expand_shape_is(op) ||
         memref_transpose_is(op) || memref_view_is(op) ||
         memref_extract_strided_metadata_is(op) ||
         (arith_select_is(op) &&
          mlirTypeIsAMemRef(mlirValueGetType(mlirOperationGetResult(op, 0))));
}

//===-- Values that were seen ---------------------------------------------===//

typedef struct {
  TileArena *arena;
  TilePointerMap seen;
  MlirValue *items; // memrefs, in the order in which they were met
  int count, capacity;
} Values;

static void add(Values *values, MlirValue value) {
  if (!is_memref(value) || tile_pointer_map_get(&values->seen, value.ptr))
    return;
  tile_pointer_map_set(&values->seen, value.ptr, values);
  TILE_ARENA_RESERVE(values->arena, values->items, values->count,
                     values->capacity);
  values->items[values->count++] = value;
}

static MlirOperation end_of_region(MlirOperation op, intptr_t region) {
  MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, region));
  return mlirBlockIsNull(block) ? TILE_NULL_OP : mlirBlockGetTerminator(block);
}

static MlirBlock block_of_region(MlirOperation op, intptr_t region) {
  return mlirRegionGetFirstBlock(mlirOperationGetRegion(op, region));
}

static bool is_before_block(MlirOperation loop, MlirBlock block) {
  return mlirBlockEqual(block, block_of_region(loop, 0));
}

//===-- Backwards ---------------------------------------------------------===//

// Number `i` of what a loop carries: where it begins, and the next one.
static void add_carried(Values *values, ScfForOp loop, intptr_t i) {
  add(values, tile_range_at(scf_for_initArgs(loop), i));
  add(values, mlirOperationGetOperand(end_of_region(loop.op, 0), i));
}

// What the condition of a while loop hands on, to its body and as results.
static void add_handed_on(Values *values, MlirOperation loop, intptr_t i) {
  add(values, mlirOperationGetOperand(end_of_region(loop, 0), i + 1));
}

static void add_sources_of_argument(Values *values, MlirValue value) {
  MlirBlock block = mlirBlockArgumentGetOwner(value);
  MlirOperation op = mlirBlockGetParentOperation(block);
  intptr_t number = mlirBlockArgumentGetArgNumber(value);
  if (scf_for_is(op) && number > 0) {
    add_carried(values, scf_for_cast(op), number - 1);
  } else if (scf_while_is(op) && is_before_block(op, block)) {
    add(values, mlirOperationGetOperand(op, number));
    add(values, mlirOperationGetOperand(end_of_region(op, 1), number));
  } else if (scf_while_is(op)) {
    add_handed_on(values, op, number);
  }
}

static void add_sources(Values *values, MlirValue value) {
  if (mlirValueIsABlockArgument(value)) {
    add_sources_of_argument(values, value);
    return;
  }
  MlirOperation op = mlirOpResultGetOwner(value);
  intptr_t number = mlirOpResultGetResultNumber(value);
  if (tile_host_view_is(op)) {
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
      add(values, mlirOperationGetOperand(op, i));
  } else if (scf_for_is(op)) {
    add_carried(values, scf_for_cast(op), number);
  } else if (scf_while_is(op)) {
    add_handed_on(values, op, number);
  } else if (scf_if_is(op)) {
    for (intptr_t r = 0; r < 2; r++)
      add(values, mlirOperationGetOperand(end_of_region(op, r), number));
  }
}

void tile_host_note_write(TileHost *host, MlirValue memref) {
  Values values = {.arena = host->slice.arena, .seen.arena = host->slice.arena};
  add(&values, memref);
  for (int i = 0; i < values.count; i++) {
    int arg = tile_slice_arg(&host->slice, values.items[i]);
    if (arg >= 0)
      host->is_written[arg] = true;
    else
      add_sources(&values, values.items[i]);
  }
}

//===-- Addresses ---------------------------------------------------------===//
//
// What a kernel is given as a number it may write, or keep for a later one.

enum { MAX_ARITHMETIC = 16 }; // ops between an address and a launch

static bool is_address(MlirOperation op) {
  return tile_address_is(op) || memref_extract_aligned_pointer_as_index_is(op);
}

static void note_addresses(TileHost *host, MlirValue number, int depth) {
  if (!mlirValueIsAOpResult(number) || depth > MAX_ARITHMETIC)
    return;
  MlirOperation op = mlirOpResultGetOwner(number);
  if (is_address(op))
    tile_host_note_write(host, mlirOperationGetOperand(op, 0));
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
    note_addresses(host, mlirOperationGetOperand(op, i), depth + 1);
}

void tile_host_note_addresses(TileHost *host, MlirValue number) {
  note_addresses(host, number, 0);
}

static bool reaches_launch(MlirValue number, int depth) {
  if (depth > MAX_ARITHMETIC)
    return true;
  for (MlirOpOperand use = mlirValueGetFirstUse(number);
       !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation op = mlirOpOperandGetOwner(use);
    if (gpu_launch_func_is(op) || memref_store_is(op))
      return true;
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
      if (reaches_launch(mlirOperationGetResult(op, i), depth + 1))
        return true;
  }
  return false;
}

// Whether a kernel may find the memory by its address: it lives to the end.
static bool escapes(MlirOperation op) {
  return is_address(op) && reaches_launch(mlirOperationGetResult(op, 0), 0);
}

//===-- Forwards ----------------------------------------------------------===//

// What one use of a memref makes of it.
static void add_results(Values *values, MlirOperation op, intptr_t operand) {
  MlirOperation parent = mlirOperationGetParentOperation(op);
  if (tile_host_view_is(op)) {
    bool has_more = memref_distinct_objects_is(op);
    add(values, mlirOperationGetResult(op, has_more ? operand : 0));
  } else if (scf_for_is(op) && operand >= 3) { // bounds and step come first
    MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
    add(values, mlirBlockGetArgument(body, operand - 2));
    add(values, mlirOperationGetResult(op, operand - 3));
  } else if (scf_while_is(op)) {
    add(values, mlirBlockGetArgument(block_of_region(op, 0), operand));
  } else if (scf_condition_is(op) && operand > 0) {
    add(values, mlirBlockGetArgument(block_of_region(parent, 1), operand - 1));
    add(values, mlirOperationGetResult(parent, operand - 1));
  } else if (scf_yield_is(op) && scf_while_is(parent)) {
    add(values, mlirBlockGetArgument(block_of_region(parent, 0), operand));
  } else if (scf_yield_is(op)) {
    add(values, mlirOperationGetResult(parent, operand));
    if (scf_for_is(parent))
      add(values, mlirBlockGetArgument(mlirOperationGetBlock(op), operand + 1));
  }
}

// The op of `block` that holds `op`, or is it; null: none.
static MlirOperation ancestor_in(MlirOperation op, MlirBlock block) {
  while (op.ptr && !mlirBlockEqual(mlirOperationGetBlock(op), block))
    op = mlirOperationGetParentOperation(op);
  return op;
}

typedef struct {
  MlirBlock block;    // holds all uses so far, at any depth
  MlirOperation last; // the op of it that holds the last one
  bool is_returned, is_freed, escapes;
} Life;

// What a yield hands on may be used wherever the op around it has results, and
// in the next iteration.
static void note_use(Life *life, MlirOperation op) {
  if (scf_yield_is(op) || scf_condition_is(op))
    op = mlirOperationGetParentOperation(op);
  life->is_returned |= func_return_is(op);
  life->is_freed |= memref_dealloc_is(op) || gpu_dealloc_is(op);
  life->escapes |= escapes(op);
  MlirOperation ancestor = ancestor_in(op, life->block);
  while (!ancestor.ptr) {
    MlirOperation parent = mlirBlockGetParentOperation(life->block);
    life->block = mlirOperationGetBlock(parent);
    life->last = parent;
    ancestor = ancestor_in(op, life->block);
  }
  if (!mlirOperationEqual(ancestor, life->last) &&
      mlirOperationIsBeforeInBlock(life->last, ancestor))
    life->last = ancestor;
}

void tile_host_plan_release(TileHost *host, MlirOperation alloc, int number,
                            bool *out_is_returned) {
  TileArena *arena = host->slice.arena;
  Values values = {.arena = arena, .seen.arena = arena};
  Life life = {.block = mlirOperationGetBlock(alloc), .last = alloc};
  add(&values, mlirOperationGetResult(alloc, 0));
  for (int i = 0; i < values.count; i++)
    for (MlirOpOperand use = mlirValueGetFirstUse(values.items[i]);
         !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
      MlirOperation op = mlirOpOperandGetOwner(use);
      add_results(&values, op, (intptr_t)mlirOpOperandGetOperandNumber(use));
      note_use(&life, op);
    }
  *out_is_returned = life.is_returned;
  if (life.is_returned || life.is_freed || life.escapes)
    return;
  TileHostRelease *release = TILE_ARENA_NEW(arena, TileHostRelease, 1);
  *release = (TileHostRelease){
      .next = tile_pointer_map_get(&host->releases, life.last.ptr),
      .alloc = number};
  tile_pointer_map_set(&host->releases, life.last.ptr, release);
}
