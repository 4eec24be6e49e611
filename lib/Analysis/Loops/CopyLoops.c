//===- CopyLoops.c - Loops that copy a tile part by part ------------------===//
//
// Rows that are gathered by an index are copied one by one, in a loop around
// the copy of a row. Such a loop is one fill of the tile: its iterations fill
// parts that follow each other, of a size that is the distance between them.
//
//===----------------------------------------------------------------------===//

#include "Analysis/Index/Index.h"
#include "Loops.h"
#include "Support/Iterate.h"
#include "Tile/Ops/arith.h"
#include "Tile/Ops/memref.h"
#include "Tile/Ops/scf.h"

//===-- Which loops -------------------------------------------------------===//

static TileSpace space_of(MlirValue tile) {
  TileShape shape = {.space = TILE_SPACE_OTHER};
  tile_shape_of(tile, &shape);
  return shape.space;
}

static bool is_fetch(MlirOperation op) {
  TileCopyOp copy = tile_copy_dyn(op);
  return copy.op.ptr && space_of(tile_copy_src(copy)) == TILE_SPACE_GLOBAL &&
         space_of(tile_copy_dst(copy)) == TILE_SPACE_SHARED;
}

// The tile that a copy or a fill in a copy loop writes, or null.
static MlirValue written_by(MlirOperation op) {
  if (is_fetch(op))
    return tile_copy_dst(tile_copy_cast(op));
  if (tile_fill_is(op) &&
      space_of(tile_fill_dst(tile_fill_cast(op))) == TILE_SPACE_SHARED)
    return tile_fill_dst(tile_fill_cast(op));
  return TILE_NULL_VALUE;
}

typedef struct {
  MlirOperation loop;
  int num_copies;
  bool is_pure;     // nothing else is done
  bool is_cp_async; // by copies that are not asynchronous yet
  bool has_simt;
} CopyScan;

static MlirWalkResult scan_op(MlirOperation op, void *user_data) {
  CopyScan *scan = user_data;
  if (mlirOperationEqual(op, scan->loop) || mlirxIsTerminator(op))
    return MlirWalkResultAdvance;
  if (is_fetch(op)) {
    TileCopyOp copy = tile_copy_cast(op);
    scan->num_copies++;
    scan->has_simt |= !mlirAttributeIsNull(tile_copy_instr_attr(copy)) &&
                      tile_copy_instr(copy) == TILE_INSTR_Simt;
    scan->is_cp_async &= !mlirAttributeIsNull(tile_copy_instr_attr(copy)) &&
                         tile_copy_instr(copy) == TILE_INSTR_CpAsync &&
                         !tile_copy_signal(copy).ptr && !tile_copy_async(copy);
  } else {
    scan->is_pure &= written_by(op).ptr || scf_if_is(op) ||
                     memref_load_is(op) || mlirxIsMemoryEffectFree(op);
  }
  return scan->is_pure ? MlirWalkResultAdvance : MlirWalkResultInterrupt;
}

typedef struct {
  MlirValue root;
  bool found;
} Writer;

static MlirWalkResult find_writer(MlirOperation op, void *user_data) {
  Writer *writer = user_data;
  MlirValue tile = written_by(op);
  writer->found |=
      tile.ptr && mlirValueEqual(tile_buffer_of(tile).root, writer->root);
  return writer->found ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

// A loop that reads what it has copied is no fill.
static MlirWalkResult check_load(MlirOperation op, void *user_data) {
  CopyScan *scan = user_data;
  if (!memref_load_is(op))
    return MlirWalkResultAdvance;
  MlirValue memref = memref_load_memref(memref_load_cast(op));
  Writer writer = {tile_buffer_of(memref).root, false};
  if (space_of(memref) == TILE_SPACE_SHARED)
    mlirOperationWalk(scan->loop, find_writer, &writer, MlirWalkPreOrder);
  scan->is_pure &= !writer.found;
  return MlirWalkResultAdvance;
}

static bool scan_loop(MlirOperation op, CopyScan *out) {
  *out = (CopyScan){op, 0, true, true, false};
  if (!scf_for_is(op) || mlirOperationGetNumResults(op) > 0)
    return false;
  mlirOperationWalk(op, scan_op, out, MlirWalkPreOrder);
  if (out->is_pure && out->num_copies > 0)
    mlirOperationWalk(op, check_load, out, MlirWalkPreOrder);
  return out->is_pure && out->num_copies > 0;
}

bool tile_copy_loop_is(MlirOperation op) {
  CopyScan scan;
  return scan_loop(op, &scan);
}

bool tile_copy_loop_is_plain(MlirOperation op) {
  CopyScan scan;
  return scan_loop(op, &scan) && scan.has_simt;
}

static MlirWalkResult set_async(MlirOperation op, void *user_data) {
  (void)user_data;
  if (is_fetch(op))
    tile_copy_set_async(tile_copy_cast(op), true);
  return MlirWalkResultAdvance;
}

void tile_copy_loop_set_async(MlirOperation op) {
  mlirOperationWalk(op, set_async, NULL, MlirWalkPreOrder);
}

//===-- What a loop fills -------------------------------------------------===//

enum { MAX_DEPTH = 8 }; // of what the index of a slot is computed from

typedef struct {
  MlirOperation loop;
  MlirValue counter;
  int64_t lower, step, count; // of iterations
  MlirValue root;
  bool is_ring; // dimension 0 is the slot
  TileCopyLoopFill *out;
  bool found, is_regular;
  bool is_apart;       // no two iterations write the same place
  TileIndices indices; // while the body is walked
} Sweep;

static bool is_invariant(const Sweep *sweep, MlirValue value, int depth) {
  if (!tile_value_is_inside(value, sweep->loop))
    return true;
  if (depth == 0 || !mlirValueIsAOpResult(value))
    return false;
  MlirOperation op = mlirOpResultGetOwner(value);
  bool is_pure =
      mlirxIsMemoryEffectFree(op) && mlirOperationGetNumRegions(op) == 0;
  for (intptr_t i = 0; is_pure && i < mlirOperationGetNumOperands(op); i++)
    is_pure = is_invariant(sweep, mlirOperationGetOperand(op, i), depth - 1);
  return is_pure;
}

// Adds the window that an op of the body writes: each has the same parts.
static void add_window(Sweep *sweep, MlirValue window) {
  TileBox box;
  TileShape shape;
  TileCopyLoopFill fill = {0};
  bool has_swept = false, is_apart = sweep->count == 1;
  if (!tile_box_in_root(window, &box) || !box.region.op.ptr ||
      !tile_shape_of(box.root, &shape)) {
    sweep->is_regular = false;
    sweep->is_apart &= is_apart;
    return;
  }
  if (sweep->is_ring && !tile_int_is_constant(box.offset[0]))
    sweep->is_regular &= is_invariant(sweep, box.offset[0].value, MAX_DEPTH);
  for (int d = sweep->is_ring; d < shape.rank; d++) {
    int64_t size = box.size[d];
    const TileIndex *offset = tile_index_of(&sweep->indices, box.offset[d]);
    int64_t factor;
    bool is_linear = tile_index_is_affine(offset, sweep->counter, &factor);
    int64_t distance = factor * sweep->step;
    bool is_swept = is_linear && distance == size && !has_swept;
    sweep->is_regular &= is_linear && (distance == 0 || is_swept);
    has_swept |= is_swept;
    is_apart |= is_linear && (distance >= size || -distance >= size);
    fill.begin[d] = factor * sweep->lower + offset->constant;
    fill.end[d] = fill.begin[d] + (is_swept ? size * sweep->count : size);
    sweep->is_regular &= fill.begin[d] >= 0 && fill.end[d] <= shape.extent[d];
  }
  for (int d = 0; d < shape.rank && sweep->found; d++)
    sweep->is_regular &= fill.begin[d] == sweep->out->begin[d] &&
                         fill.end[d] == sweep->out->end[d];
  sweep->is_regular &= has_swept || sweep->count == 1;
  sweep->is_apart &= is_apart;
  *sweep->out = fill;
  sweep->found = true;
}

typedef struct {
  int least, most; // writes on the paths
} Writes;

static Writes count_writes(Sweep *sweep, MlirBlock block) {
  Writes writes = {0, 0};
  TILE_FOR_EACH_OP (op, block) {
    MlirValue tile = written_by(op);
    if (tile.ptr && mlirValueEqual(tile_buffer_of(tile).root, sweep->root)) {
      add_window(sweep, tile);
      writes.least++;
      writes.most++;
    }
    Writes branch[2] = {{0, 0}, {0, 0}};
    for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); r++) {
      MlirBlock inner = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r));
      if (!mlirBlockIsNull(inner))
        branch[r & 1] = count_writes(sweep, inner);
    }
    writes.least += branch[branch[1].least < branch[0].least].least;
    writes.most += branch[branch[1].most > branch[0].most].most;
  }
  return writes;
}

static MlirBlock body_of(MlirOperation op) {
  return mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
}

// False where not all numbers are known: those that are not are 0.
static bool begin_sweep(MlirOperation op, Sweep *sweep) {
  int64_t upper;
  ScfForOp loop = scf_for_cast(op);
  sweep->loop = op;
  sweep->counter = mlirBlockGetArgument(body_of(op), 0);
  sweep->is_regular = sweep->is_apart = true;
  *sweep->out = (TileCopyLoopFill){0};
  if (!mlirxConstantInt(scf_for_step(loop), &sweep->step) || sweep->step <= 0 ||
      sweep->step > INT32_MAX) {
    sweep->step = 0;
    return false;
  }
  if (!mlirxConstantInt(scf_for_lowerBound(loop), &sweep->lower) ||
      !mlirxConstantInt(scf_for_upperBound(loop), &upper) || sweep->lower < 0 ||
      upper <= sweep->lower || upper > INT32_MAX)
    return false;
  sweep->count = (upper - sweep->lower + sweep->step - 1) / sweep->step;
  return true;
}

static Writes sweep_body(Sweep *sweep) {
  TileArena arena;
  tile_arena_init(&arena);
  tile_indices_init(&sweep->indices, &arena);
  Writes writes = count_writes(sweep, body_of(sweep->loop));
  tile_arena_deinit(&arena);
  return writes;
}

bool tile_copy_loop_fill(MlirOperation op, MlirValue root, bool is_ring,
                         TileCopyLoopFill *out_fill) {
  Sweep sweep = {.root = root, .is_ring = is_ring, .out = out_fill};
  if (!tile_copy_loop_is(op) || !begin_sweep(op, &sweep))
    return false;
  Writes writes = sweep_body(&sweep);
  out_fill->is_sure = writes.least > 0;
  out_fill->is_once = writes.most == 1;
  return sweep.found && sweep.is_regular;
}

//===-- Copies that may be in flight together -----------------------------===//

// Copies to one place land in any order.
static MlirWalkResult check_apart(MlirOperation op, void *user_data) {
  CopyScan *scan = user_data;
  MlirValue tile = written_by(op);
  if (!tile.ptr)
    return MlirWalkResultAdvance;
  TileCopyLoopFill fill;
  Sweep sweep = {.root = tile_buffer_of(tile).root, .out = &fill};
  (void)begin_sweep(scan->loop, &sweep);
  Writes writes = sweep_body(&sweep);
  scan->is_cp_async &= sweep.is_apart && writes.most <= 1;
  return scan->is_cp_async ? MlirWalkResultAdvance : MlirWalkResultInterrupt;
}

bool tile_copy_loop_is_cp_async(MlirOperation op) {
  CopyScan scan;
  if (!scan_loop(op, &scan) || !scan.is_cp_async)
    return false;
  mlirOperationWalk(op, check_apart, &scan, MlirWalkPreOrder);
  return scan.is_cp_async;
}
