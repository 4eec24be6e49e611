//===- GraphEmit.c - Tiles, copies, element loops, reductions, products ---===//

#include "Transforms/Graphs/Graphs.h"

#include "Support/Iterate.h"
#include "Tile/Ops/memref.h"
#include "Tile/Ops/scf.h"
#include "mlir-c/AffineExpr.h"
#include <math.h>

//===-- Regions -----------------------------------------------------------===//

static MlirRegion region_begin(TileBuilder *b, intptr_t num_indices,
                               TileValues carried) {
  MlirType index = mlirIndexTypeGet(tile_builder_context(b));
  MlirBlock block = mlirBlockCreate(0, NULL, NULL);
  for (intptr_t i = 0; i < num_indices; i++)
    mlirBlockAddArgument(block, index, b->loc);
  for (intptr_t i = 0; i < carried.n; i++)
    mlirBlockAddArgument(block, mlirValueGetType(carried.p[i]), b->loc);
  MlirRegion region = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(region, block);
  mlirRewriterBaseSetInsertionPointToEnd(b->rw, block);
  return region;
}

static MlirValue region_index(MlirRegion region, intptr_t number) {
  return mlirBlockGetArgument(mlirRegionGetFirstBlock(region), number);
}

//===-- An element loop being built ---------------------------------------===//

typedef enum {
  UNUSED,
  SCALAR,
  TILE,  // a tile, or a copy of the window
  DIRECT // elements of the tensor
} How;

typedef struct {
  How how;
  TileGraphView view; // of TILE
} Access;

typedef struct {
  TileGraphEmit *emit;
  TileGraphOp *op;
  Access accesses[TILE_GRAPH_MAX_OPERANDS];
  MlirValue index[TILE_GRAPH_MAX_RANK]; // of loops
} Loop;

static MlirValue expr_value(Loop *loop, MlirAffineExpr expr) {
  TileBuilder *b = &loop->emit->b;
  if (mlirAffineExprIsADim(expr))
    return loop->index[mlirAffineDimExprGetPosition(expr)];
  if (mlirAffineExprIsAConstant(expr))
    return tile_const_index(b, mlirAffineConstantExprGetValue(expr));
  MlirValue x = expr_value(loop, mlirAffineBinaryOpExprGetLHS(expr));
  MlirValue y = expr_value(loop, mlirAffineBinaryOpExprGetRHS(expr));
  if (mlirAffineExprIsAAdd(expr))
    return arith_addi(b, x, y);
  if (mlirAffineExprIsAMul(expr))
    return arith_muli(b, x, y);
  if (mlirAffineExprIsAMod(expr)) // of indices, which are not negative
    return arith_remui(b, x, y);
  return mlirAffineExprIsAFloorDiv(expr) ? arith_divui(b, x, y)
                                         : arith_ceildivui(b, x, y);
}

// The indices of an element of operand `i`.
static int element_indices(Loop *loop, int i, MlirValue *out) {
  const TileGraphOperand *operand = &loop->op->operands[i];
  const Access *access = &loop->accesses[i];
  TileBuilder *b = &loop->emit->b;
  if (access->how == DIRECT) {
    MlirValue at[TILE_GRAPH_MAX_RANK] = {{NULL}};
    for (int d = 0; d < operand->rank; d++)
      if (operand->root_dim[d] >= 0)
        at[operand->root_dim[d]] =
            expr_value(loop, mlirAffineMapGetResult(loop->op->maps[i], d));
    for (int r = 0; r < operand->root_rank; r++)
      out[r] = tile_graph_offset_value(loop->emit, &operand->offset[r], at[r]);
    return operand->root_rank;
  }
  int rank = 0;
  for (int d = 0; d < operand->rank; d++)
    if (access->view.dim[d] >= 0)
      out[rank++] =
          expr_value(loop, mlirAffineMapGetResult(loop->op->maps[i], d));
  if (rank == 0)
    out[rank++] = tile_const_index(b, 0);
  return rank;
}

static MlirValue element_memref(const Loop *loop, int i) {
  return loop->accesses[i].how == DIRECT ? loop->op->operands[i].root
                                         : loop->accesses[i].view.memref;
}

static MlirValue load_element(Loop *loop, int i) {
  MlirValue at[TILE_GRAPH_MAX_RANK];
  if (loop->accesses[i].how == SCALAR)
    return loop->op->operands[i].value;
  int rank = element_indices(loop, i, at);
  return memref_load(&loop->emit->b, .memref = element_memref(loop, i),
                     .indices = {at, rank});
}

static void store_element(Loop *loop, int i, MlirValue value) {
  MlirValue at[TILE_GRAPH_MAX_RANK];
  int rank = element_indices(loop, i, at);
  memref_store(&loop->emit->b, .value = value,
               .memref = element_memref(loop, i), .indices = {at, rank});
}

static bool is_used(const TileGraphOp *op, int i) {
  return !op->body.ptr || tile_value_is_used(mlirBlockGetArgument(op->body, i));
}

//===-- The body of an op -------------------------------------------------===//

static bool is_index(MlirOperation op) {
  return mlirStringRefEqual(mlirIdentifierStr(mlirOperationGetName(op)),
                            TILE_STR("linalg.index"));
}

// Copies the body but for `left_out` and the yield. `outs` stand for what was
// there before.
static MlirxMapping clone_body(Loop *loop, const MlirValue *outs,
                               MlirOperation left_out) {
  TileGraphOp *op = loop->op;
  MlirxMapping map = mlirxMappingCreate();
  int num_ins = op->num_operands - op->num_outs;
  for (int i = 0; i < op->num_operands; i++)
    if (is_used(op, i) && (i < num_ins || outs))
      mlirxMappingSet(map, mlirBlockGetArgument(op->body, i),
                      i < num_ins ? load_element(loop, i) : outs[i - num_ins]);
  TILE_FOR_EACH_OP (inner, op->body) {
    if (mlirxIsTerminator(inner) ||
        (left_out.ptr && mlirOperationEqual(inner, left_out)))
      continue;
    if (!is_index(inner)) {
      mlirxClone(loop->emit->b.rw, inner, map);
      continue;
    }
    int64_t dim = mlirIntegerAttrGetValueInt(
        mlirOperationGetInherentAttributeByName(inner, TILE_STR("dim")));
    mlirxMappingSet(map, mlirOperationGetResult(inner, 0), loop->index[dim]);
  }
  return map;
}

// What the body yields for these `outs`.
static void yielded(Loop *loop, const MlirValue *outs, MlirValue *out) {
  TileGraphOp *op = loop->op;
  if (!op->body.ptr) {
    out[0] = load_element(loop, 0);
    return;
  }
  MlirOperation yield = mlirBlockGetTerminator(op->body);
  MlirxMapping map = clone_body(loop, outs, TILE_NULL_OP);
  for (int o = 0; o < op->num_outs; o++)
    out[o] = mlirxMappingGet(map, mlirOperationGetOperand(yield, o));
  mlirxMappingDestroy(map);
}

//===-- Loops of one element ----------------------------------------------===//

// The extent of a loop: a size, or that of a tensor.
static MlirValue loop_size(Loop *loop, int l) {
  TileGraphOp *op = loop->op;
  TileBuilder *b = &loop->emit->b;
  if (!tile_int_is_constant(op->size[l]) || op->size[l].constant >= 0)
    return tile_graph_int_value(loop->emit, op->size[l]);
  for (int i = 0; i < op->num_operands; i++)
    for (int d = 0; d < op->operands[i].rank; d++) {
      bool is_plain;
      if (tile_graph_loop_of(op, i, d, &is_plain) == l && !op->operands[i].tile)
        return memref_dim(b, op->operands[i].root,
                          tile_const_index(b, op->operands[i].root_dim[d]));
    }
  return tile_const_index(b, op->bound[l]);
}

static bool is_looped(const TileGraphOp *op, int l) {
  return op->is_reduced[l] && op->bound[l] != 1;
}

static void reduce_element(Loop *loop, int l, MlirValue *outs) {
  TileGraphOp *op = loop->op;
  TileBuilder *b = &loop->emit->b;
  while (l < op->num_loops && !is_looped(op, l))
    l++;
  if (l == op->num_loops) {
    MlirValue next[TILE_GRAPH_MAX_OPERANDS];
    yielded(loop, outs, next);
    memcpy(outs, next, sizeof *next * (size_t)op->num_outs);
    return;
  }
  MlirBlock outer = mlirRewriterBaseGetInsertionBlock(b->rw);
  MlirValue zero = tile_const_index(b, 0), one = tile_const_index(b, 1);
  MlirValue end = loop_size(loop, l);
  TileValues carried = {outs, op->num_outs};
  MlirType types[TILE_GRAPH_MAX_OPERANDS];
  MlirValue initial[TILE_GRAPH_MAX_OPERANDS];
  for (int o = 0; o < op->num_outs; o++) {
    types[o] = mlirValueGetType(outs[o]);
    initial[o] = outs[o];
  }
  MlirRegion body = region_begin(b, 1, carried);
  loop->index[l] = region_index(body, 0);
  for (int o = 0; o < op->num_outs; o++)
    outs[o] = region_index(body, 1 + o);
  reduce_element(loop, l + 1, outs);
  scf_yield_op(b, {outs, op->num_outs});
  mlirRewriterBaseSetInsertionPointToEnd(b->rw, outer);
  ScfForOp made = scf_for_op(
      b, .type = {types, op->num_outs}, .lowerBound = zero, .upperBound = end,
      .step = one, .initArgs = {initial, op->num_outs}, .region = body);
  for (int o = 0; o < op->num_outs; o++)
    outs[o] = mlirOperationGetResult(made.op, o);
}

// i1: every index of the loops in `mask` is one of an element; null where that
// is known.
static MlirValue inside(Loop *loop, unsigned mask) {
  TileGraphOp *op = loop->op;
  TileBuilder *b = &loop->emit->b;
  MlirValue all = TILE_NULL_VALUE;
  for (int l = 0; l < op->num_loops; l++) {
    if (!(mask & 1u << l) || !tile_graph_is_ragged(op->size[l], op->bound[l]))
      continue;
    MlirValue fits =
        arith_cmpi(b, .predicate = ARITH_CMP_I_PREDICATE_slt,
                   .lhs = loop->index[l], .rhs = loop_size(loop, l));
    all = all.ptr ? arith_andi(b, all, fits) : fits;
  }
  return all;
}

static void do_element(Loop *loop) {
  TileGraphOp *op = loop->op;
  TileBuilder *b = &loop->emit->b;
  int num_ins = op->num_operands - op->num_outs;
  MlirValue outs[TILE_GRAPH_MAX_OPERANDS];
  bool is_looping = op->form == TILE_GRAPH_LOOPS;
  for (int o = 0; o < op->num_outs && op->body.ptr; o++)
    if (is_looping || is_used(op, num_ins + o))
      outs[o] = load_element(loop, num_ins + o);
  if (is_looping)
    reduce_element(loop, 0, outs);
  else {
    MlirValue next[TILE_GRAPH_MAX_OPERANDS];
    yielded(loop, outs, next);
    memcpy(outs, next, sizeof *next * (size_t)op->num_outs);
  }
  MlirValue kept =
      op->cleared_loops ? inside(loop, op->cleared_loops) : TILE_NULL_VALUE;
  if (kept.ptr)
    outs[0] = arith_select(b, kept, outs[0],
                           tile_const_zero(b, mlirValueGetType(outs[0])));
  for (int o = 0; o < op->num_outs; o++)
    store_element(loop, num_ins + o, outs[o]);
}

// Opens a tile.parallel over the loops in `mask`; one element where all extents
// are 1.
static MlirRegion begin_parallel(Loop *loop, unsigned mask,
                                 TileGraphView *out_view) {
  TileGraphOp *op = loop->op;
  TileBuilder *b = &loop->emit->b;
  int64_t bound[TILE_GRAPH_MAX_RANK];
  for (int l = 0; l < op->num_loops; l++)
    bound[l] = mask & 1u << l ? op->bound[l] : 1;
  *out_view = tile_graph_view_of_bounds(op->num_loops, bound);
  MlirRegion region = region_begin(b, out_view->rank, (TileValues){NULL, 0});
  for (int l = 0; l < op->num_loops; l++)
    loop->index[l] = out_view->dim[l] >= 0
                         ? region_index(region, out_view->dim[l])
                         : tile_const_index(b, 0);
  return region;
}

static void end_parallel(Loop *loop, MlirRegion region,
                         const TileGraphView *view) {
  TileBuilder *b = &loop->emit->b;
  mlirRewriterBaseSetInsertionPointBefore(b->rw, loop->op->op);
  tile_parallel_op(b, .extents = {view->extent, view->rank}, .body = region);
}

static unsigned parallel_loops(const TileGraphOp *op) {
  unsigned mask = 0;
  for (int l = 0; l < op->num_loops; l++)
    mask |= (unsigned)!op->is_reduced[l] << l;
  return mask;
}

//===-- How operands are read and written ---------------------------------===//

enum { MAX_STAGED_BYTES = 48 << 10 };

// Worth a shared tile: several elements of the loop read each of the operand.
static bool is_reused(const TileGraphOp *op, int i) {
  bool is_followed[TILE_GRAPH_MAX_RANK] = {false};
  for (int d = 0; d < op->operands[i].rank; d++) {
    bool is_plain;
    int l = tile_graph_loop_of(op, i, d, &is_plain);
    if (l >= 0)
      is_followed[l] = true;
  }
  for (int l = 0; l < op->num_loops; l++)
    if (!op->is_reduced[l] && op->bound[l] > 1 && !is_followed[l])
      return true;
  return false;
}

static bool may_stage(const TileGraphOp *op, int i) {
  const TileGraphOperand *operand = &op->operands[i];
  int64_t bytes = tile_elem_bits(operand->element) / 8;
  int num_dims = 0;
  for (int d = 0; d < operand->rank; d++) {
    if (operand->bound[d] < 0 || bytes > MAX_STAGED_BYTES)
      return false;
    bytes *= operand->bound[d];
    num_dims += operand->bound[d] != 1;
  }
  return operand->root_rank > 0 && num_dims <= TILE_MAX_RANK &&
         tile_graph_is_plain(op, i) &&
         (op->form != TILE_GRAPH_LOOPS ||
          (is_reused(op, i) && bytes <= MAX_STAGED_BYTES));
}

static bool has_product(const TileGraphPlan *plan) {
  for (const TileGraphOp *op = plan->ops; op; op = op->next)
    if (op->form == TILE_GRAPH_PRODUCT)
      return true;
  return false;
}

// Whether elements of a product's sum meet the window. They lie as the sum
// does, in pieces of 16 bytes; TMA moves whole rows, while the product runs.
static bool meets_product(const TileGraphEmit *emit, const TileGraphOp *op,
                          const TileGraphOperand *operand) {
  enum { WARPGROUP_ROWS = 64, MAX_BITS = 16 };
  int num_dims = 0;
  for (int d = 0; d < operand->rank; d++) {
    num_dims += operand->bound[d] != 1;
    if (operand->bound[d] != 1 && operand->bound[d] < WARPGROUP_ROWS)
      return false;
  }
  MlirOperation parent = mlirBlockGetParentOperation(
      mlirRewriterBaseGetInsertionBlock(emit->b.rw));
  return has_product(emit->plan) && num_dims == 2 && !op->is_maker &&
         !operand->tile && !scf_for_is(parent) &&
         tile_elem_bits(operand->element) <= MAX_BITS;
}

// Whether neighbours in the window are none in the loop: threads that follow
// one of both would read or write single elements of many rows. Beside a
// product there may be no room for it.
static bool is_turned(const TileGraphEmit *emit, const TileGraphOp *op, int i) {
  const TileGraphOperand *operand = &op->operands[i];
  int last = operand->rank - 1, fastest = op->num_loops;
  int64_t bytes = tile_elem_bits(operand->element) / 8;
  bool is_plain;
  for (int d = 0; d < operand->rank && bytes <= MAX_STAGED_BYTES; d++)
    bytes *= operand->bound[d];
  while (last >= 0 && operand->bound[last] == 1)
    last--;
  int loop = last < 0 ? -1 : tile_graph_loop_of(op, i, last, &is_plain);
  for (int l = 0; l < op->num_loops; l++)
    if (op->bound[l] > 1)
      fastest = l;
  return op->form == TILE_GRAPH_ELEMENTS && !operand->tile && loop >= 0 &&
         loop != fastest && tile_graph_has_rows(operand) &&
         bytes <= MAX_STAGED_BYTES && !has_product(emit->plan);
}

static void choose_input(Loop *loop, int i) {
  TileGraphOp *op = loop->op;
  TileGraphOperand *operand = &op->operands[i];
  Access *access = &loop->accesses[i];
  access->how = !is_used(op, i) ? UNUSED : operand->is_scalar ? SCALAR : TILE;
  if (access->how != TILE)
    return;
  if (!operand->tile && !may_stage(op, i)) {
    access->how = DIRECT;
    return;
  }
  bool is_shared = op->form == TILE_GRAPH_LOOPS ||
                   (op->is_maker && tile_graph_has_rows(operand)) ||
                   is_turned(loop->emit, op, i) ||
                   meets_product(loop->emit, op, operand);
  access->view =
      tile_graph_stage(loop->emit, operand, operand->bound,
                       is_shared ? TILE_SPACE_SHARED : TILE_SPACE_FRAGMENT);
}

static bool is_cut(const TileGraphOperand *operand) {
  bool is_cut = operand->root_rank > 0;
  for (int d = 0; d < operand->rank; d++)
    is_cut &= operand->is_cut_by_tensor[d];
  return is_cut;
}

static void choose_output(Loop *loop, int i) {
  TileGraphOp *op = loop->op;
  TileGraphOperand *operand = &op->operands[i];
  Access *access = &loop->accesses[i];
  access->how = TILE;
  access->view = tile_graph_view_of_bounds(operand->rank, operand->bound);
  bool is_read =
      op->form == TILE_GRAPH_LOOPS || (op->body.ptr && is_used(op, i));
  if (operand->tile)
    access->view.memref = operand->tile->tile;
  else if (!is_cut(operand))
    access->how = DIRECT;
  else if (is_read)
    access->view = tile_graph_stage(loop->emit, operand, operand->bound,
                                    TILE_SPACE_FRAGMENT);
  else
    access->view.memref = tile_graph_alloc(
        loop->emit, &access->view, operand->element, TILE_SPACE_FRAGMENT);
}

static void write_back(TileGraphEmit *emit, const TileGraphOperand *operand,
                       const TileGraphView *view) {
  if (!operand->tile)
    tile_copy(&emit->b, .src = view->memref,
              .dst = tile_graph_window(emit, operand, view));
}

// Whether the body reads tensors where it likes: only elements that there are
// do so. A loop that gathers pixels never leaves the image (`tile.clamped`).
static bool reads_anywhere(const TileGraphOp *op) {
  if (!op->body.ptr ||
      !mlirAttributeIsNull(mlirOperationGetDiscardableAttributeByName(
          op->op, TILE_STR(TILE_CLAMPED_ATTR))))
    return false;
  TILE_FOR_EACH_OP (inner, op->body)
    if (memref_load_is(inner))
      return true;
  return false;
}

static void emit_elements(TileGraphEmit *emit, TileGraphOp *op) {
  Loop loop = {.emit = emit, .op = op};
  TileBuilder *b = &emit->b;
  int num_ins = op->num_operands - op->num_outs;
  bool is_direct = reads_anywhere(op);
  for (int i = 0; i < op->num_operands; i++) {
    if (i < num_ins)
      choose_input(&loop, i);
    else
      choose_output(&loop, i);
    is_direct |= loop.accesses[i].how == DIRECT;
  }
  TileGraphView view;
  MlirRegion region = begin_parallel(&loop, parallel_loops(op), &view);
  MlirBlock block = mlirRegionGetFirstBlock(region);
  MlirValue condition =
      is_direct ? inside(&loop, parallel_loops(op)) : TILE_NULL_VALUE;
  if (!condition.ptr) {
    do_element(&loop);
  } else {
    MlirRegion then = region_begin(b, 0, (TileValues){NULL, 0});
    do_element(&loop);
    scf_yield_op(b, {NULL, 0});
    MlirRegion otherwise = mlirRegionCreate();
    if (op->cleared_loops) {
      mlirRegionDestroy(otherwise);
      otherwise = region_begin(b, 0, (TileValues){NULL, 0});
      store_element(&loop, num_ins,
                    tile_const_zero(b, op->operands[num_ins].element));
      scf_yield_op(b, {NULL, 0});
    }
    mlirRewriterBaseSetInsertionPointToEnd(b->rw, block);
    scf_if_op(b, .condition = condition, .thenRegion = then,
              .elseRegion = otherwise);
  }
  end_parallel(&loop, region, &view);
  for (int i = num_ins; i < op->num_operands; i++)
    if (loop.accesses[i].how == TILE)
      write_back(emit, &op->operands[i], &loop.accesses[i].view);
}

//===-- Reductions --------------------------------------------------------===//

// What changes nothing when it takes part.
static MlirValue neutral(TileBuilder *b, TileReduceKind kind, MlirType type) {
  bool is_max = kind == TILE_REDUCE_KIND_Max,
       is_min = kind == TILE_REDUCE_KIND_Min;
  if (tile_elem_is_float(type)) {
    double value = is_max ? -INFINITY : is_min ? INFINITY : 0.0;
    return arith_constant(b, .value = mlirFloatAttrDoubleGet(
                                 tile_builder_context(b), type, value));
  }
  unsigned width = mlirIntegerTypeGetWidth(type);
  int64_t least = (int64_t)(UINT64_MAX << (width - 1));
  int64_t value = is_max                         ? least
                  : is_min                       ? ~least
                  : kind == TILE_REDUCE_KIND_And ? -1
                                                 : 0;
  return tile_const_of(b, type, value);
}

static bool is_ragged_reduced(const TileGraphOp *op) {
  bool is_ragged = false;
  for (int l = 0; l < op->num_loops; l++)
    is_ragged |=
        op->is_reduced[l] && tile_graph_is_ragged(op->size[l], op->bound[l]);
  return is_ragged;
}

// The operand whose elements are reduced as they are, in the order of loops;
// -1.
static int reduced_operand(const TileGraphOp *op) {
  if (op->combine.ignores_nan || is_ragged_reduced(op) ||
      !mlirValueIsABlockArgument(op->combine.term))
    return -1;
  int i = (int)mlirBlockArgumentGetArgNumber(op->combine.term);
  if (op->operands[i].is_scalar || op->operands[i].rank != op->num_loops)
    return -1;
  for (int d = 0; d < op->num_loops; d++) {
    bool is_plain;
    if (tile_graph_loop_of(op, i, d, &is_plain) != d)
      return -1;
  }
  return i;
}

// A fragment of the terms; what is outside changes nothing.
static TileGraphView compute_terms(TileGraphEmit *emit, TileGraphOp *op) {
  Loop loop = {.emit = emit, .op = op};
  TileBuilder *b = &emit->b;
  MlirType type = mlirValueGetType(op->combine.term);
  for (int i = 0; i < op->num_operands - 1; i++)
    choose_input(&loop, i);
  unsigned all = (1u << op->num_loops) - 1;
  TileGraphView view;
  MlirRegion region = begin_parallel(&loop, all, &view);
  view.memref = tile_graph_alloc(emit, &view, type, TILE_SPACE_FRAGMENT);
  MlirxMapping map = clone_body(&loop, NULL, op->combine.combine);
  MlirValue term = mlirxMappingGet(map, op->combine.term);
  mlirxMappingDestroy(map);
  MlirValue takes_part = inside(&loop, all & ~parallel_loops(op));
  if (op->combine.ignores_nan) {
    MlirValue is_number = arith_cmpf(b, .predicate = ARITH_CMP_F_PREDICATE_ORD,
                                     .lhs = term, .rhs = term);
    takes_part =
        takes_part.ptr ? arith_andi(b, takes_part, is_number) : is_number;
  }
  if (takes_part.ptr)
    term =
        arith_select(b, takes_part, term, neutral(b, op->combine.kind, type));
  MlirValue at[TILE_MAX_RANK];
  for (int d = 0; d < view.rank; d++)
    at[d] = region_index(region, d);
  memref_store(b, .value = term, .memref = view.memref,
               .indices = {at, view.rank});
  end_parallel(&loop, region, &view);
  return view;
}

// Takes one loop after the other, the last first, into a tile without it.
static void reduce_into(TileGraphEmit *emit, TileGraphOp *op,
                        TileGraphView source, const TileGraphView *target,
                        bool clear) {
  MlirType type =
      tile_accumulator_type(mlirValueGetType(op->combine.term),
                            op->operands[op->num_operands - 1].element);
  int left = 0;
  for (int l = 0; l < op->num_loops; l++)
    left += is_looped(op, l);
  int64_t bound[TILE_GRAPH_MAX_RANK];
  memcpy(bound, op->bound, sizeof bound);
  for (int l = op->num_loops - 1; l >= 0; l--) {
    if (!is_looped(op, l))
      continue;
    int64_t dim = source.dim[l];
    bound[l] = 1;
    TileGraphView next = tile_graph_view_of_bounds(op->num_loops, bound);
    bool is_last = --left == 0;
    next.memref =
        is_last ? target->memref
                : tile_graph_alloc(emit, &next, type, TILE_SPACE_FRAGMENT);
    tile_reduce(&emit->b, .kind = op->combine.kind, .src = source.memref,
                .dst = next.memref, .dim = dim, .clear = clear || !is_last);
    source = next;
  }
}

// target = maxnumf(target, numbers), or minnumf: where the old value is NaN,
// the number counts.
static void combine_numbers(TileGraphEmit *emit, TileGraphOp *op,
                            const TileGraphView *target, MlirValue numbers) {
  TileBuilder *b = &emit->b;
  Loop loop = {.emit = emit, .op = op};
  MlirRegion region = region_begin(b, target->rank, (TileValues){NULL, 0});
  MlirValue at[TILE_MAX_RANK];
  for (int d = 0; d < target->rank; d++)
    at[d] = region_index(region, d);
  TileValues indices = {at, target->rank};
  MlirValue x = memref_load(b, .memref = target->memref, .indices = indices);
  MlirValue y = memref_load(b, .memref = numbers, .indices = indices);
  MlirValue both = op->combine.kind == TILE_REDUCE_KIND_Max
                       ? arith_maxnumf(b, x, y)
                       : arith_minnumf(b, x, y);
  memref_store(b, .value = both, .memref = target->memref, .indices = indices);
  end_parallel(&loop, region, target);
}

static void emit_reduce(TileGraphEmit *emit, TileGraphOp *op) {
  TileGraphOperand *out = &op->operands[op->num_operands - 1];
  TileGraphView target =
      tile_graph_stage(emit, out, out->bound, TILE_SPACE_FRAGMENT);
  int whole = reduced_operand(op);
  TileGraphView source =
      whole < 0
          ? compute_terms(emit, op)
          : tile_graph_stage(emit, &op->operands[whole],
                             op->operands[whole].bound, TILE_SPACE_FRAGMENT);
  TileGraphView numbers = target;
  if (op->combine.ignores_nan)
    numbers.memref =
        tile_graph_alloc(emit, &target, out->element, TILE_SPACE_FRAGMENT);
  reduce_into(emit, op, source, &numbers, op->combine.ignores_nan);
  if (op->combine.ignores_nan)
    combine_numbers(emit, op, &target, numbers.memref);
  write_back(emit, out, &target);
}

//===-- Products ----------------------------------------------------------===//

// Rows or columns of a factor that are not there become 0: a pad does it for
// windows that end with their tensor.
static void clear_depth(TileGraphEmit *emit, TileGraphOp *op, int i,
                        const TileGraphView *view) {
  const TileGraphOperand *operand = &op->operands[i];
  int k = op->product.k;
  TileBuilder *b = &emit->b;
  for (int d = 0; d < operand->rank; d++) {
    bool is_plain;
    if (op->product.is_cleared[i] ||
        tile_graph_loop_of(op, i, d, &is_plain) != k ||
        !tile_graph_is_ragged(op->size[k], op->bound[k]) ||
        (!operand->tile && operand->is_cut_by_tensor[d]))
      continue;
    Loop loop = {.emit = emit, .op = op};
    MlirRegion region = region_begin(b, view->rank, (TileValues){NULL, 0});
    MlirValue at[2] = {region_index(region, 0), region_index(region, 1)};
    loop.index[k] = at[view->dim[d]];
    MlirValue x =
        memref_load(b, .memref = view->memref, .indices = {at, view->rank});
    MlirValue is_inside = inside(&loop, 1u << k);
    MlirValue kept =
        arith_select(b, is_inside, x, tile_const_zero(b, operand->element));
    memref_store(b, .value = kept, .memref = view->memref,
                 .indices = {at, view->rank});
    end_parallel(&loop, region, view);
  }
}

static TileGraphView factor(TileGraphEmit *emit, TileGraphOp *op, int i) {
  TileGraphOperand *operand = &op->operands[i];
  TileGraphView view =
      tile_graph_stage(emit, operand, operand->bound, TILE_SPACE_SHARED);
  clear_depth(emit, op, i, &view);
  return view;
}

// Elements of the window alone, where others follow in the tensor.
static void write_inside(TileGraphEmit *emit, TileGraphOp *op,
                         const TileGraphView *view) {
  int out = op->num_operands - 1;
  TileGraphOperand *operand = &op->operands[out];
  TileBuilder *b = &emit->b;
  if (operand->tile || is_cut(operand)) {
    write_back(emit, operand, view);
    return;
  }
  Loop loop = {.emit = emit, .op = op};
  TileGraphView space;
  MlirRegion region = begin_parallel(&loop, parallel_loops(op), &space);
  MlirBlock block = mlirRegionGetFirstBlock(region);
  MlirValue condition = inside(&loop, parallel_loops(op));
  MlirRegion then = region_begin(b, 0, (TileValues){NULL, 0});
  loop.accesses[out] = (Access){TILE, *view};
  MlirValue x = load_element(&loop, out);
  loop.accesses[out].how = DIRECT;
  store_element(&loop, out, x);
  scf_yield_op(b, {NULL, 0});
  mlirRewriterBaseSetInsertionPointToEnd(b->rw, block);
  scf_if_op(b, .condition = condition, .thenRegion = then);
  end_parallel(&loop, region, &space);
}

static void emit_product(TileGraphEmit *emit, TileGraphOp *op) {
  TileBuilder *b = &emit->b;
  const TileGraphProduct *p = &op->product;
  TileGraphOperand *out = &op->operands[2];
  TileGraphView a = factor(emit, op, p->a), right = factor(emit, op, p->b);
  TileGraphView c =
      tile_graph_stage(emit, out, out->bound, TILE_SPACE_FRAGMENT);
  MlirValue acc = c.memref;
  bool is_elsewhere = out->tile && out->tile->space != TILE_SPACE_FRAGMENT;
  if (is_elsewhere) {
    acc = tile_graph_alloc(emit, &c, out->element, TILE_SPACE_FRAGMENT);
    tile_copy(b, .src = c.memref, .dst = acc);
  }
  tile_gemm_op(b, .a = a.memref, .b = right.memref, .c = acc,
               .transpose_a = p->transpose_a, .transpose_b = p->transpose_b,
               .precision = p->is_tf32 ? "tf32" : NULL);
  if (is_elsewhere)
    tile_copy(b, .src = acc, .dst = c.memref);
  write_inside(emit, op, &c);
}

//===-- Ops ---------------------------------------------------------------===//

static bool is_whole(const TileGraphOperand *operand) {
  for (int d = 0; d < operand->rank; d++)
    if (!operand->is_cut_by_tensor[d] || operand->bound[d] < 0)
      return false;
  return true;
}

// By way of a fragment where both are tensors.
static void emit_copy(TileGraphEmit *emit, TileGraphOp *op) {
  TileGraphOperand *src = &op->operands[0], *dst = &op->operands[1];
  if (!mlirTypeEqual(src->element, dst->element) || !is_whole(dst) ||
      (!dst->tile && dst->root_rank == 0) ||
      (!src->tile && src->root_rank == 0)) {
    emit_elements(emit, op);
    return;
  }
  TileGraphView to = tile_graph_view_of_bounds(dst->rank, dst->bound);
  MlirValue target = dst->tile ? dst->tile->tile : TILE_NULL_VALUE;
  MlirValue source =
      src->tile || !dst->tile
          ? tile_graph_stage(emit, src, src->bound, TILE_SPACE_FRAGMENT).memref
          : tile_graph_window(emit, src, &to);
  if (!target.ptr)
    target = tile_graph_window(emit, dst, &to);
  tile_copy(&emit->b, .src = source, .dst = target);
}

// Numbers of the attribute that describes the filter.
static TileI64s filter_numbers(const TileGraphIm2col *im2col, const char *name,
                               int64_t values[TILE_MAX_RANK]) {
  MlirAttribute numbers =
      mlirDictionaryAttrGetElementByName(im2col->filter, tile_str(name));
  intptr_t count = mlirDenseArrayGetNumElements(numbers);
  for (intptr_t i = 0; i < count; i++)
    values[i] = mlirDenseI64ArrayGetElement(numbers, i);
  return (TileI64s){values, count};
}

static void emit_im2col(TileGraphEmit *emit, TileGraphOp *op) {
  const TileGraphIm2col *im2col = &op->im2col;
  const TileGraphTile *tile = op->operands[0].tile;
  int64_t extents[] = {tile->bound[0], tile->bound[tile->rank - 1]};
  int64_t numbers[5][TILE_MAX_RANK];
  MlirValue start[2];
  for (int i = 0; i < 2; i++)
    start[i] =
        tile_graph_offset_value(emit, &im2col->start[i], TILE_NULL_VALUE);
  MlirValue pixels =
      tile_im2col(&emit->b, .image = im2col->image, .row = start[0],
                  .column = start[1], .static_sizes = {extents, 2},
                  .kernel = filter_numbers(im2col, "kernel", numbers[0]),
                  .stride = filter_numbers(im2col, "stride", numbers[1]),
                  .dilation = filter_numbers(im2col, "dilation", numbers[2]),
                  .pad = filter_numbers(im2col, "pad", numbers[3]),
                  .pad_upper = filter_numbers(im2col, "pad_upper", numbers[4]));
  tile_copy(&emit->b, .src = pixels, .dst = tile->tile);
}

void tile_graph_op_emit(TileGraphEmit *emit, TileGraphOp *op) {
  emit->b.loc = mlirOperationGetLocation(op->op);
  mlirRewriterBaseSetInsertionPointBefore(emit->b.rw, op->op);
  switch (op->form) {
  case TILE_GRAPH_NOTHING:
    break;
  case TILE_GRAPH_COPY:
    emit_copy(emit, op);
    break;
  case TILE_GRAPH_FILL:
    tile_fill(&emit->b, .dst = op->operands[1].tile->tile,
              .value = op->operands[0].value);
    break;
  case TILE_GRAPH_IM2COL:
    emit_im2col(emit, op);
    break;
  case TILE_GRAPH_ELEMENTS:
  case TILE_GRAPH_LOOPS:
    emit_elements(emit, op);
    break;
  case TILE_GRAPH_REDUCE:
    emit_reduce(emit, op);
    break;
  case TILE_GRAPH_PRODUCT:
    emit_product(emit, op);
    break;
  }
}
