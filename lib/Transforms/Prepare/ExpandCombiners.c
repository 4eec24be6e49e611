//===- ExpandCombiners.c - Reductions and scans by a body as loops --------===//
//
// Consumes: `tile.reduce_by`, `tile.scan_by`, `tile.reduce_all`.
// Produces: element loops. Several elements of a loop take a line, each a run
// of
//           it: for a reduction every G-th state, for a scan neighbours. What
//           they have goes to scratch tiles, and is combined there.
// Keeps:    everything else.
// Fails:    never.
// Method:   one element of a loop is one thread, so its run is an `scf.for`
// over
//           memory. Fragments are copied to shared tiles first.
//
//     line     0 1 2 3 4 5 6 7 8 9        G = 4
//     reduce   a b c d a b c d a b        who takes a state
//     scan     a a a b b b c c c d
//
//===----------------------------------------------------------------------===//

#include "ElementSides.h"

#include "Analysis/Loops/Loops.h"
#include "Dialect/TileCombine.h"
#include "Support/Arena.h"
#include "Support/Constants.h"
#include "Support/Diagnostics.h"
#include "Support/Iterate.h"
#include "Support/MlirExtra.h"
#include "Tile/Ops/memref.h"
#include "Tile/Ops/scf.h"
#include "TilePasses.h"

enum { MAX_PARTS = 5, MIN_RUNS = 8 }; // parts: four sources and a position

typedef struct {
  TileBuilder *b;
  TileCombine combine;
  TileShape shape;            // of a source
  MlirValue srcs[MAX_PARTS];  // no fragments
  MlirValue dsts[MAX_PARTS];  // of a scan: no fragments
  MlirValue runs[MAX_PARTS];  // scratch: what each run of a line becomes
  int num_parts;              // of a state
  int64_t num_runs, run_size; // of a line
  bool runs_come_first;       // in the loop and in the scratch tiles
} Expand;

typedef struct {
  MlirValue part[MAX_PARTS];
} State;

//===-- Index arithmetic --------------------------------------------------===//

static MlirValue constant(Expand *e, int64_t value) {
  return tile_const_index(e->b, value);
}

static MlirValue sum(Expand *e, MlirValue a, MlirValue b) {
  return arith_addi(e->b, a, b);
}

//===-- States ------------------------------------------------------------===//

// The state at number `position` of the line `line`, which has no coordinate in
// the dimension that is combined.
static void state_coordinates(Expand *e, const MlirValue *line,
                              MlirValue position, MlirValue *out) {
  for (int s = 0, d = 0; s < e->shape.rank; s++)
    out[s] = s == e->combine.dim ? position : line[d++];
}

// Where number `number` of a scan is.
static MlirValue scan_position(Expand *e, MlirValue number) {
  int64_t extent = e->shape.extent[e->combine.dim];
  return e->combine.is_reversed
             ? arith_subi(e->b, constant(e, extent - 1), number)
             : number;
}

static State state_read(Expand *e, const MlirValue *line, MlirValue position) {
  State state;
  MlirValue at[TILE_MAX_RANK];
  state_coordinates(e, line, position, at);
  for (int i = 0; i < e->num_parts; i++) {
    MlirType type = tile_combine_type(&e->combine, i);
    ElementSide side;
    if (i >= e->combine.srcs.n) {
      state.part[i] = arith_index_cast(e->b, .type = type, .in = position);
      continue;
    }
    element_side_build(e->b, e->srcs[i], at, &side);
    state.part[i] = element_convert(e->b, element_side_read(e->b, &side), type);
  }
  return state;
}

static State states_combine(Expand *e, State first, State second) {
  MlirxMapping mapping = mlirxMappingCreate();
  State result;
  for (int i = 0; i < e->num_parts; i++) {
    mlirxMappingSet(mapping, mlirBlockGetArgument(e->combine.body, i),
                    first.part[i]);
    mlirxMappingSet(mapping,
                    mlirBlockGetArgument(e->combine.body, i + e->num_parts),
                    second.part[i]);
  }
  TILE_FOR_EACH_OP (op, e->combine.body)
    if (!tile_yield_is(op))
      mlirxClone(e->b->rw, op, mapping);
  MlirOperation yield = mlirBlockGetTerminator(e->combine.body);
  for (int i = 0; i < e->num_parts; i++)
    result.part[i] =
        mlirxMappingGet(mapping, mlirOperationGetOperand(yield, i));
  mlirxMappingDestroy(mapping);
  return result;
}

// Of a line of a reduction, where `position` is null, or at a place of a scan.
static void result_side(Expand *e, int i, const MlirValue *line,
                        MlirValue position, ElementSide *out) {
  TileShape dst;
  MlirValue at[TILE_MAX_RANK];
  tile_shape_of(e->dsts[i], &dst);
  if (dst.rank == e->shape.rank)
    state_coordinates(e, line, position.ptr ? position : constant(e, 0), at);
  else
    memcpy(at, line, sizeof(MlirValue) * (size_t)dst.rank);
  element_side_build(e->b, e->dsts[i], at, out);
}

static State result_read(Expand *e, const MlirValue *line, MlirValue position) {
  State state;
  for (int i = 0; i < e->num_parts; i++) {
    ElementSide side;
    result_side(e, i, line, position, &side);
    state.part[i] = element_convert(e->b, element_side_read(e->b, &side),
                                    tile_combine_type(&e->combine, i));
  }
  return state;
}

static void result_write(Expand *e, const MlirValue *line, MlirValue position,
                         State state) {
  for (int i = 0; i < e->num_parts; i++) {
    ElementSide side;
    result_side(e, i, line, position, &side);
    element_side_write(e->b, &side,
                       element_convert(e->b, state.part[i], side.element));
  }
}

//===-- Runs in scratch tiles ---------------------------------------------===//

// Rows of runs have an odd number of elements where lanes read one below the
// other.
static void build_runs(Expand *e) {
  TileShape shape = e->shape;
  int dim = e->combine.dim, d = e->runs_come_first;
  for (int s = 0; s < e->shape.rank; s++)
    if (s != dim)
      shape.extent[d++] = e->shape.extent[s];
  shape.extent[e->runs_come_first ? 0 : shape.rank - 1] =
      e->runs_come_first ? e->num_runs : e->num_runs | 1;
  for (int i = 0; i < e->num_parts; i++) {
    MlirType type = mlirMemRefTypeContiguousGet(
        tile_combine_type(&e->combine, i), shape.rank, shape.extent,
        tile_space_attr(tile_builder_context(e->b), TILE_SPACE_SHARED));
    e->runs[i] = tile_alloc(e->b, .type = type);
  }
}

static void run_coordinates(Expand *e, const MlirValue *line, MlirValue run,
                            MlirValue *out) {
  int rank = e->shape.rank;
  memcpy(out + e->runs_come_first, line,
         sizeof(MlirValue) * (size_t)(rank - 1));
  out[e->runs_come_first ? 0 : rank - 1] = run;
}

static State run_read(Expand *e, const MlirValue *line, MlirValue run) {
  State state;
  MlirValue at[TILE_MAX_RANK];
  run_coordinates(e, line, run, at);
  for (int i = 0; i < e->num_parts; i++)
    state.part[i] =
        memref_load(e->b, .memref = e->runs[i], .indices = {at, e->shape.rank});
  return state;
}

static void run_write(Expand *e, const MlirValue *line, MlirValue run,
                      State state) {
  MlirValue at[TILE_MAX_RANK];
  run_coordinates(e, line, run, at);
  for (int i = 0; i < e->num_parts; i++)
    memref_store(e->b, .value = state.part[i], .memref = e->runs[i],
                 .indices = {at, e->shape.rank});
}

//===-- Loops -------------------------------------------------------------===//

/// An element loop over lines, or over runs of lines, that is being built.
typedef struct {
  MlirRegion body;
  MlirBlock block;
  int64_t extent[TILE_MAX_RANK];
  int rank;
  MlirValue line[TILE_MAX_RANK], run; // run: null in a loop over lines
} Loop;

// `num_runs`: of each line, or 0.
static Loop loop_begin(Expand *e, int64_t num_runs) {
  Loop loop = {.rank = 0};
  int dims[TILE_MAX_RANK], num_lines_dims = 0;
  for (int s = 0; s < e->shape.rank; s++)
    if (s != e->combine.dim)
      dims[num_lines_dims++] = s;
  bool runs_first = num_runs > 0 && e->runs_come_first;
  if (runs_first)
    loop.extent[loop.rank++] = num_runs;
  for (int d = 0; d < num_lines_dims; d++)
    loop.extent[loop.rank++] = e->shape.extent[dims[d]];
  if (num_runs > 0 && !runs_first)
    loop.extent[loop.rank++] = num_runs;
  if (loop.rank == 0)
    loop.extent[loop.rank++] = 1;
  loop.body = element_region_begin(e->b, loop.rank);
  loop.block = mlirRegionGetFirstBlock(loop.body);
  for (int d = 0; d < num_lines_dims; d++)
    loop.line[d] = mlirBlockGetArgument(loop.block, d + runs_first);
  if (num_runs > 0)
    loop.run = mlirBlockGetArgument(loop.block, runs_first ? 0 : loop.rank - 1);
  return loop;
}

static void loop_end(Expand *e, const Loop *loop) {
  mlirRewriterBaseSetInsertionPointBefore(e->b->rw, e->combine.op);
  tile_parallel_op(e->b, .extents = {loop->extent, loop->rank},
                   .body = loop->body);
}

typedef State (*NextState)(Expand *e, const MlirValue *line, MlirValue number,
                           State before);

// `scf.for` from `first` to `end` that carries a state, which it begins with.
static State fold(Expand *e, const MlirValue *line, MlirValue first,
                  MlirValue end, MlirValue step, State begin, NextState next) {
  MlirBlock outer = mlirRewriterBaseGetInsertionBlock(e->b->rw);
  MlirType types[MAX_PARTS];
  MlirRegion body = element_region_begin(e->b, 1);
  MlirBlock block = mlirRegionGetFirstBlock(body);
  State carried, result;
  for (int i = 0; i < e->num_parts; i++) {
    types[i] = tile_combine_type(&e->combine, i);
    carried.part[i] = mlirBlockAddArgument(block, types[i], e->b->loc);
  }
  carried = next(e, line, mlirBlockGetArgument(block, 0), carried);
  scf_yield_op(e->b, {carried.part, e->num_parts});
  mlirRewriterBaseSetInsertionPointToEnd(e->b->rw, outer);
  ScfForOp loop =
      scf_for_op(e->b, .type = {types, e->num_parts}, .lowerBound = first,
                 .upperBound = end, .step = step,
                 .initArgs = {begin.part, e->num_parts}, .region = body);
  for (int i = 0; i < e->num_parts; i++)
    result.part[i] = mlirOperationGetResult(loop.op, i);
  return result;
}

static State next_of_line(Expand *e, const MlirValue *line, MlirValue number,
                          State before) {
  return states_combine(e, before, state_read(e, line, number));
}

static State next_of_runs(Expand *e, const MlirValue *line, MlirValue number,
                          State before) {
  return states_combine(e, before, run_read(e, line, number));
}

//===-- tile.reduce_by ----------------------------------------------------===//

static void store_line(Expand *e, const MlirValue *line, State state) {
  MlirValue none = {NULL};
  if (e->combine.folds)
    state = states_combine(e, result_read(e, line, none), state);
  result_write(e, line, none, state);
}

static void expand_reduce(Expand *e) {
  int64_t extent = e->shape.extent[e->combine.dim];
  bool has_runs = e->num_runs > 1;
  if (has_runs)
    build_runs(e);
  Loop loop = loop_begin(e, has_runs ? e->num_runs : 0);
  MlirValue first = has_runs ? loop.run : constant(e, 0);
  MlirValue step = constant(e, e->num_runs);
  State state = state_read(e, loop.line, first);
  MlirValue second = sum(e, first, step);
  state = fold(e, loop.line, second, constant(e, extent), step, state,
               next_of_line);
  if (has_runs)
    run_write(e, loop.line, loop.run, state);
  else
    store_line(e, loop.line, state);
  loop_end(e, &loop);
  if (!has_runs)
    return;
  loop = loop_begin(e, 0);
  state = run_read(e, loop.line, constant(e, 0));
  MlirValue one = constant(e, 1);
  MlirValue end = constant(e, e->num_runs);
  store_line(e, loop.line,
             fold(e, loop.line, one, end, constant(e, 1), state, next_of_runs));
  loop_end(e, &loop);
}

//===-- tile.scan_by ------------------------------------------------------===//

static State next_of_scan(Expand *e, const MlirValue *line, MlirValue number,
                          State before) {
  MlirValue position = scan_position(e, number);
  State state = states_combine(e, before, state_read(e, line, position));
  result_write(e, line, position, state);
  return state;
}

static State next_of_totals(Expand *e, const MlirValue *line, MlirValue number,
                            State before) {
  State state = states_combine(e, before, run_read(e, line, number));
  run_write(e, line, number, state);
  return state;
}

// What each run of a line begins with, put before its own states: all runs but
// the first.
static void add_runs_before(Expand *e) {
  int64_t extent = e->shape.extent[e->combine.dim];
  Loop loop = loop_begin(e, extent);
  MlirValue run = arith_divui(e->b, loop.run, constant(e, e->run_size));
  MlirBlock outer = mlirRewriterBaseGetInsertionBlock(e->b->rw);
  MlirValue is_later = arith_cmpi(e->b, .predicate = ARITH_CMP_I_PREDICATE_ne,
                                  .lhs = run, .rhs = constant(e, 0));
  MlirRegion then = element_region_begin(e->b, 0);
  MlirValue position = scan_position(e, loop.run);
  State before = run_read(e, loop.line, arith_subi(e->b, run, constant(e, 1)));
  State state = result_read(e, loop.line, position);
  result_write(e, loop.line, position, states_combine(e, before, state));
  scf_yield_op(e->b, {NULL, 0});
  mlirRewriterBaseSetInsertionPointToEnd(e->b->rw, outer);
  scf_if_op(e->b, .condition = is_later, .thenRegion = then);
  loop_end(e, &loop);
}

static void expand_scan(Expand *e) {
  int64_t extent = e->shape.extent[e->combine.dim];
  bool has_runs = e->num_runs > 1;
  if (has_runs)
    build_runs(e);
  Loop loop = loop_begin(e, has_runs ? e->num_runs : 0);
  MlirValue first = constant(e, 0), end = constant(e, extent);
  if (has_runs) {
    first = arith_muli(e->b, loop.run, constant(e, e->run_size));
    end = arith_minui(e->b, sum(e, first, constant(e, e->run_size)), end);
  }
  MlirValue position = scan_position(e, first);
  State state = state_read(e, loop.line, position);
  result_write(e, loop.line, position, state);
  MlirValue second = sum(e, first, constant(e, 1));
  state = fold(e, loop.line, second, end, constant(e, 1), state, next_of_scan);
  if (has_runs)
    run_write(e, loop.line, loop.run, state);
  loop_end(e, &loop);
  if (!has_runs)
    return;
  loop = loop_begin(e, 0);
  state = run_read(e, loop.line, constant(e, 0));
  MlirValue one = constant(e, 1);
  end = constant(e, e->num_runs);
  fold(e, loop.line, one, end, constant(e, 1), state, next_of_totals);
  loop_end(e, &loop);
  add_runs_before(e);
}

//===-- Tiles and runs ----------------------------------------------------===//

static bool is_fragment(MlirValue tile) {
  TileShape shape;
  return tile_shape_of(tile, &shape) && shape.space == TILE_SPACE_FRAGMENT;
}

static MlirValue shared_alike(Expand *e, MlirValue tile) {
  TileShape shape;
  tile_shape_of(tile, &shape);
  MlirType type = mlirMemRefTypeContiguousGet(
      shape.element, shape.rank, shape.extent,
      tile_space_attr(tile_builder_context(e->b), TILE_SPACE_SHARED));
  return tile_alloc(e->b, .type = type);
}

static void take_tiles(Expand *e) {
  e->num_parts = (int)e->combine.dsts.n;
  tile_shape_of(tile_range_at(e->combine.srcs, 0), &e->shape);
  for (int i = 0; i < e->combine.srcs.n; i++) {
    MlirValue src = e->srcs[i] = tile_range_at(e->combine.srcs, i);
    if (!is_fragment(src))
      continue;
    e->srcs[i] = shared_alike(e, src);
    tile_copy(e->b, .src = src, .dst = e->srcs[i]);
  }
  for (int i = 0; i < e->num_parts; i++) {
    MlirValue dst = e->dsts[i] = tile_range_at(e->combine.dsts, i);
    if (e->combine.is_scan && is_fragment(dst))
      e->dsts[i] = shared_alike(e, dst);
  }
}

static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

// So many runs that every thread has one, if lines are long; more where the
// states of a line are neighbours, which lanes then read side by side.
static void deal_runs(Expand *e, int64_t num_threads) {
  int64_t extent = e->shape.extent[e->combine.dim];
  int64_t num_lines = tile_shape_num_elems(&e->shape) / extent;
  e->runs_come_first = e->combine.dim != e->shape.rank - 1;
  int64_t wanted = num_threads / num_lines;
  int64_t least = e->runs_come_first ? 1 : MIN_RUNS;
  wanted = smaller(wanted < least ? least : wanted, extent);
  e->num_runs = 1;
  while (2 * e->num_runs <= wanted)
    e->num_runs *= 2;
  if (!e->combine.is_scan)
    return;
  // Runs of an odd number of words begin in different banks.
  e->run_size = (extent + e->num_runs - 1) / e->num_runs | 1;
  e->num_runs = (extent + e->run_size - 1) / e->run_size;
}

static int64_t tile_bytes(MlirValue tile) {
  TileShape shape;
  tile_shape_of(tile, &shape);
  return tile_shape_num_elems(&shape) * tile_elem_bits(shape.element) / 8;
}

// What the user could keep out of registers.
static void remark_fragments(const Expand *e) {
  int64_t size_bytes = 0;
  for (int i = 0; i < e->combine.srcs.n; i++)
    if (!mlirValueEqual(e->srcs[i], tile_range_at(e->combine.srcs, i)))
      size_bytes += tile_bytes(e->srcs[i]);
  for (int i = 0; i < e->num_parts; i++)
    if (!mlirValueEqual(e->dsts[i], tile_range_at(e->combine.dsts, i)))
      size_bytes += tile_bytes(e->dsts[i]);
  if (size_bytes > 0)
    tile_emit_remark(e->combine.op, "tile-combine/scratch",
                     "takes its fragments through %lld bytes of shared memory",
                     (long long)size_bytes);
}

static void expand_combine(TileBuilder *b, const TileCombine *combine,
                           int64_t num_threads) {
  Expand e = {.b = b, .combine = *combine};
  take_tiles(&e);
  deal_runs(&e, num_threads);
  remark_fragments(&e);
  if (combine->is_scan)
    expand_scan(&e);
  else
    expand_reduce(&e);
  for (int i = 0; combine->is_scan && i < e.num_parts; i++) {
    MlirValue dst = tile_range_at(combine->dsts, i);
    if (is_fragment(dst))
      tile_copy(b, .src = e.dsts[i], .dst = dst);
  }
  mlirRewriterBaseEraseOp(b->rw, combine->op);
}

//===-- tile.reduce_all ---------------------------------------------------===//

static MlirValue build_tile(TileBuilder *b, MlirType element,
                            const TileShape *shape, int rank, TileSpace space) {
  int64_t one = 1;
  return tile_alloc(b,
                    .type = mlirMemRefTypeContiguousGet(
                        element, rank ? rank : 1, rank ? shape->extent : &one,
                        tile_space_attr(tile_builder_context(b), space)));
}

static void expand_all(TileBuilder *b, TileReduceAllOp reduce) {
  TileShape shape;
  MlirValue tile = tile_reduce_all_src(reduce);
  MlirType result = mlirValueGetType(mlirOperationGetResult(reduce.op, 0));
  TileReduceKind kind = tile_reduce_all_kind(reduce);
  tile_shape_of(tile, &shape);
  MlirType type = tile_accumulator_type(shape.element, result);
  for (int rank = shape.rank - 1; rank >= 0; rank--) {
    MlirValue dst = build_tile(b, rank ? type : result, &shape, rank,
                               rank ? TILE_SPACE_FRAGMENT : TILE_SPACE_SHARED);
    tile_reduce(b, .kind = kind, .src = tile, .dst = dst, .dim = rank,
                .clear = true);
    kind = tile_reduce_kind_of_results(kind);
    tile = dst;
  }
  MlirValue zero = tile_const_index(b, 0);
  MlirValue value = memref_load(b, .memref = tile, .indices = {&zero, 1});
  mlirRewriterBaseReplaceOpWithValues(b->rw, reduce.op, 1, &value);
}

//===-- Entry -------------------------------------------------------------===//

static MlirWalkResult plan_visit(MlirOperation op, void *user_data) {
  TileCombine combine;
  if (!tile_combine_of(op, &combine) && !tile_reduce_all_is(op))
    return MlirWalkResultAdvance;
  tile_op_list_add(user_data, op);
  return MlirWalkResultSkip;
}

static MlirLogicalResult visit_kernel(MlirOperation kernel, void *user_data) {
  TileOpList ops = {.arena = user_data};
  mlirOperationWalk(kernel, plan_visit, &ops, MlirWalkPreOrder);
  TileBuilder b = element_rewrite_begin(kernel);
  for (size_t i = 0; i < ops.count; i++) {
    TileCombine combine;
    element_rewrite_at(&b, ops.items[i]);
    if (tile_combine_of(ops.items[i], &combine))
      expand_combine(&b, &combine, tile_kernel_num_threads(kernel));
    else
      expand_all(&b, tile_reduce_all_cast(ops.items[i]));
  }
  mlirIRRewriterDestroy(b.rw);
  return tile_success();
}

MlirLogicalResult
tile_expand_combiners_run(MlirOperation op,
                          const TileExpandCombinersOptions *options) {
  (void)options;
  return tile_kernels_visit_in_arena(op, visit_kernel);
}
