//===- GraphPlan.c - What each op of a block becomes ----------------------===//

#include "Transforms/Graphs/Graphs.h"

#include "Dialect/ForeignOps.h"
#include "Support/Diagnostics.h"
#include "Support/Iterate.h"
#include "Tile/Ops/memref.h"
#include "Tile/Ops/scf.h"
#include "mlir-c/AffineExpr.h"
#include "mlir-c/Dialect/Linalg.h"

//===-- Reading an op -----------------------------------------------------===//

static bool is_structured(MlirOperation op) {
  return !mlirAttributeIsNull(mlirLinalgGetIndexingMapsAttribute(op));
}

static bool is_named(MlirOperation op, const char *name) {
  return mlirStringRefEqual(mlirIdentifierStr(mlirOperationGetName(op)),
                            tile_str(name));
}

bool tile_graph_is_plain(const TileGraphOp *op, int operand) {
  bool is_taken[TILE_GRAPH_MAX_RANK] = {false};
  for (int d = 0; d < op->operands[operand].rank; d++) {
    bool is_plain;
    int loop = tile_graph_loop_of(op, operand, d, &is_plain);
    if (!is_plain || (loop < 0 && op->operands[operand].bound[d] != 1) ||
        (loop >= 0 && is_taken[loop]))
      return false;
    if (loop >= 0)
      is_taken[loop] = true;
  }
  return true;
}

static void find_loops(TileGraphOp *op) {
  for (int l = 0; l < op->num_loops; l++) {
    op->is_reduced[l] = true;
    op->bound[l] = -1;
    op->size[l] = tile_int_constant(-1);
  }
  for (int o = op->num_operands - op->num_outs; o < op->num_operands; o++)
    for (int d = 0; d < op->operands[o].rank; d++) {
      bool is_plain;
      int loop = tile_graph_loop_of(op, o, d, &is_plain);
      if (loop >= 0)
        op->is_reduced[loop] = false;
    }
}

// What an element loop may hold, and what it reads beside its operands.
static MlirLogicalResult check_body(TileGraphPlan *plan, TileGraphOp *op) {
  TILE_FOR_EACH_OP (inner, op->body) {
    if (memref_load_is(inner)) {
      TileGraphOperand table;
      if (tile_failed(tile_graph_operand_of(
              plan, inner, memref_load_memref(memref_load_cast(inner)),
              &table)))
        return tile_failure();
      if (table.tile || !mlirValueEqual(table.root, table.value))
        return tile_emit_error(inner, "reads a part of a tensor at an index of "
                                      "its own; expects the whole tensor");
      continue;
    }
    if (mlirOperationGetNumRegions(inner) > 0)
      return tile_emit_error(inner, "is control flow in the body of a linalg "
                                    "op; expects arith.select");
    if (!mlirxIsMemoryEffectFree(inner) && !mlirxIsTerminator(inner))
      return tile_emit_error(inner, "has effects in the body of a linalg op");
  }
  return tile_success();
}

static MlirLogicalResult read_maps(TileGraphOp *op, MlirAttribute maps) {
  if (mlirArrayAttrGetNumElements(maps) != op->num_operands ||
      op->num_operands > TILE_GRAPH_MAX_OPERANDS)
    return tile_emit_error(op->op, "expects at most %d operands",
                           TILE_GRAPH_MAX_OPERANDS);
  for (int i = 0; i < op->num_operands; i++)
    op->maps[i] = mlirAffineMapAttrGetValue(mlirArrayAttrGetElement(maps, i));
  op->num_loops = (int)mlirAffineMapGetNumDims(op->maps[0]);
  if (op->num_loops > TILE_GRAPH_MAX_RANK)
    return tile_emit_error(op->op, "has %d loops, expects at most %d",
                           op->num_loops, TILE_GRAPH_MAX_RANK);
  return tile_success();
}

static MlirLogicalResult read_op(TileGraphPlan *plan, MlirOperation op,
                                 TileGraphOp *out) {
  MlirAttribute maps = mlirLinalgGetIndexingMapsAttribute(op);
  *out = (TileGraphOp){.op = op};
  out->num_operands = (int)mlirOperationGetNumOperands(op);
  out->body = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
  out->num_outs =
      (int)mlirOperationGetNumOperands(mlirBlockGetTerminator(out->body));
  if (tile_failed(read_maps(out, maps)))
    return tile_failure();
  for (int i = 0; i < out->num_operands; i++)
    if (tile_failed(tile_graph_operand_of(
            plan, op, mlirOperationGetOperand(op, i), &out->operands[i])))
      return tile_failure();
  find_loops(out);
  return check_body(plan, out);
}

//===-- Extents of loops --------------------------------------------------===//

static bool is_known_size(TileInt size) {
  return !tile_int_is_constant(size) || size.constant >= 0;
}

// Extents of a product: what its instructions multiply.
static int64_t round_up(int64_t value, int64_t unit) {
  return (value + unit - 1) / unit * unit;
}

static void round_product(TileGraphOp *op) {
  enum { ROWS = 64, COLUMNS = 16, DEPTH_BYTES = 32 };
  const TileGraphProduct *product = &op->product;
  int bits = tile_elem_bits(op->operands[product->a].element);
  int64_t *bound = op->bound;
  bound[product->m] = round_up(bound[product->m], ROWS);
  bound[product->n] = round_up(bound[product->n], COLUMNS);
  bound[product->k] = round_up(bound[product->k], DEPTH_BYTES * 8 / bits);
}

static bool bound_op(TileGraphOp *op) {
  bool has_grown = false;
  for (int i = 0; i < op->num_operands; i++)
    for (int d = 0; d < op->operands[i].rank; d++) {
      TileGraphOperand *operand = &op->operands[i];
      bool is_plain;
      int loop = tile_graph_loop_of(op, i, d, &is_plain);
      if (operand->tile && operand->root_dim[d] >= 0)
        operand->bound[d] = operand->tile->bound[operand->root_dim[d]];
      if (loop < 0)
        continue;
      if (op->bound[loop] < operand->bound[d])
        op->bound[loop] = operand->bound[d];
      if (!is_known_size(op->size[loop]) ||
          (!tile_int_is_constant(op->size[loop]) &&
           tile_int_is_constant(operand->size[d]) &&
           operand->size[d].constant >= 0))
        op->size[loop] = operand->size[d];
    }
  if (op->form == TILE_GRAPH_PRODUCT)
    round_product(op);
  for (int i = 0; i < op->num_operands; i++)
    for (int d = 0; d < op->operands[i].rank; d++) {
      TileGraphOperand *operand = &op->operands[i];
      bool is_plain;
      int loop = tile_graph_loop_of(op, i, d, &is_plain);
      if (loop < 0)
        continue;
      if (operand->bound[d] < op->bound[loop] && operand->bound[d] >= 0)
        operand->bound[d] = op->bound[loop];
      if (!operand->tile || operand->root_dim[d] < 0)
        continue;
      int64_t *bound = &operand->tile->bound[operand->root_dim[d]];
      // It only grows: two dimensions of loops may follow one of the tile.
      has_grown |= *bound < op->bound[loop];
      *bound = *bound < op->bound[loop] ? op->bound[loop] : *bound;
      operand->bound[d] = *bound;
    }
  return has_grown;
}

static bool follows(const TileGraphOp *op, int operand, int loop) {
  for (int d = 0; d < op->operands[operand].rank; d++) {
    bool is_plain;
    if (tile_graph_loop_of(op, operand, d, &is_plain) == loop)
      return true;
  }
  return false;
}

//===-- Reductions --------------------------------------------------------===//

static const struct {
  const char *name;
  TileReduceKind kind;
  bool ignores_nan;
} combines[] = {
    {"arith.addf", TILE_REDUCE_KIND_Sum, false},
    {"arith.addi", TILE_REDUCE_KIND_Sum, false},
    {"arith.maximumf", TILE_REDUCE_KIND_Max, false},
    {"arith.maxnumf", TILE_REDUCE_KIND_Max, true},
    {"arith.maxsi", TILE_REDUCE_KIND_Max, false},
    {"arith.minimumf", TILE_REDUCE_KIND_Min, false},
    {"arith.minnumf", TILE_REDUCE_KIND_Min, true},
    {"arith.minsi", TILE_REDUCE_KIND_Min, false},
    {"arith.andi", TILE_REDUCE_KIND_And, false},
    {"arith.ori", TILE_REDUCE_KIND_Or, false},
    {"arith.xori", TILE_REDUCE_KIND_Xor, false},
};

static bool is_used_once(MlirValue value) {
  MlirOpOperand use = mlirValueGetFirstUse(value);
  return !mlirOpOperandIsNull(use) &&
         mlirOpOperandIsNull(mlirOpOperandGetNextUse(use));
}

static bool match_combine(const TileGraphOp *op, TileGraphCombine *out) {
  if (op->num_outs != 1)
    return false;
  MlirValue old = mlirBlockGetArgument(op->body, op->num_operands - 1);
  MlirValue yielded =
      mlirOperationGetOperand(mlirBlockGetTerminator(op->body), 0);
  if (mlirValueIsABlockArgument(yielded) || !is_used_once(old) ||
      !is_used_once(yielded))
    return false;
  MlirOperation combine = mlirOpResultGetOwner(yielded);
  if (mlirOperationGetNumOperands(combine) != 2)
    return false;
  MlirValue left = mlirOperationGetOperand(combine, 0);
  MlirValue right = mlirOperationGetOperand(combine, 1);
  if (!mlirValueEqual(left, old) && !mlirValueEqual(right, old))
    return false;
  for (size_t i = 0; i < sizeof combines / sizeof *combines; i++)
    if (is_named(combine, combines[i].name)) {
      *out = (TileGraphCombine){combines[i].kind, combine,
                                mlirValueEqual(left, old) ? right : left,
                                combines[i].ignores_nan};
      return true;
    }
  return false;
}

static bool is_reducible_type(MlirType type, TileReduceKind kind) {
  bool is_bits = kind == TILE_REDUCE_KIND_And || kind == TILE_REDUCE_KIND_Or ||
                 kind == TILE_REDUCE_KIND_Xor;
  if (tile_elem_is_float(type))
    return tile_elem_bits(type) >= 16;
  return is_bits || !mlirTypeIsAInteger(type) ||
         mlirIntegerTypeGetWidth(type) > 1;
}

// Registers of a block hold what is reduced; more than this is read in a loop.
enum { MAX_REDUCED_ELEMS = 1 << 15 };

// An operand has an element for every term: there are not more terms than what
// is read.
static bool has_term_each(const TileGraphOp *op, int operand) {
  for (int l = 0; l < op->num_loops; l++)
    if (op->bound[l] != 1 && !follows(op, operand, l))
      return false;
  return true;
}

static bool is_reduction(TileGraphOp *op) {
  if (!match_combine(op, &op->combine) ||
      !is_reducible_type(op->operands[op->num_operands - 1].element,
                         op->combine.kind) ||
      !is_reducible_type(mlirValueGetType(op->combine.term), op->combine.kind))
    return false;
  int64_t num_elems = 1;
  int num_dims = 0;
  for (int l = 0; l < op->num_loops; l++) {
    if (op->bound[l] < 1 || num_elems > MAX_REDUCED_ELEMS / op->bound[l])
      return false;
    num_elems *= op->bound[l];
    num_dims += op->bound[l] > 1;
  }
  bool is_read_once = false;
  for (int i = 0; i < op->num_operands; i++) {
    if (!op->operands[i].is_scalar && !tile_graph_is_plain(op, i))
      return false;
    is_read_once |= i < op->num_operands - 1 && has_term_each(op, i);
  }
  if (!is_read_once)
    return false;
  int last = -1; // the results lie as the loops do
  for (int d = 0; d < op->operands[op->num_operands - 1].rank; d++) {
    bool is_plain;
    int loop = tile_graph_loop_of(op, op->num_operands - 1, d, &is_plain);
    if (loop >= 0 && op->bound[loop] > 1 && loop < last)
      return false;
    if (loop >= 0 && op->bound[loop] > 1)
      last = loop;
  }
  return num_dims <= TILE_MAX_RANK;
}

//===-- Products ----------------------------------------------------------===//

// The operand that `value` is the element of, extended perhaps; -1: another.
static int factor_of(const TileGraphOp *op, MlirValue value) {
  while (!mlirValueIsABlockArgument(value)) {
    MlirOperation cast = mlirOpResultGetOwner(value);
    if (!arith_extf_is(cast) && !arith_extsi_is(cast))
      return -1;
    value = mlirOperationGetOperand(cast, 0);
  }
  int number = (int)mlirBlockArgumentGetArgNumber(value);
  return number < op->num_operands - 1 ? number : -1;
}

// Which loops are rows, columns and depth; false where one is missing or there
// are several of a kind.
static bool match_loops(const TileGraphOp *op, TileGraphProduct *p) {
  p->m = p->n = p->k = -1;
  for (int l = 0; l < op->num_loops; l++) {
    bool in_a = follows(op, p->a, l), in_b = follows(op, p->b, l);
    if (op->bound[l] == 1)
      continue;
    int *kind = op->is_reduced[l] ? &p->k : in_a ? &p->m : &p->n;
    if (op->bound[l] < 0 || *kind >= 0 || in_a + in_b == 0 ||
        (in_a && in_b) != op->is_reduced[l])
      return false;
    *kind = l;
  }
  return p->m >= 0 && p->n >= 0 && p->k >= 0;
}

static bool comes_first(const TileGraphOp *op, int operand, int loop,
                        int other) {
  for (int d = 0; d < op->operands[operand].rank; d++) {
    bool is_plain;
    int found = tile_graph_loop_of(op, operand, d, &is_plain);
    if (found == loop || found == other)
      return found == loop;
  }
  return false;
}

// The rows of tile.gemm, in names of types.
static const struct {
  const char *factor, *result;
  bool is_f8; // both factors may be any of the two
} product_types[] = {
    {"f16", "f32", false}, {"f16", "f16", false}, {"bf16", "f32", false},
    {"i8", "i32", false},  {"f8", "f32", true},   {"f8", "f16", true},
};

static bool is_type(MlirType type, const char *name) {
  const TileDtypeInfo *info = tile_elem_info(type);
  if (!info)
    return false;
  if (!strcmp(name, "f8"))
    return info->bits == 8 && tile_elem_is_float(type) && info->factor;
  return !strcmp(info->name, name);
}

static bool has_product_types(const TileGraphOp *op, TileGraphProduct *p,
                              bool is_tf32) {
  MlirType a = op->operands[p->a].element, b = op->operands[p->b].element;
  MlirType c = op->operands[op->num_operands - 1].element;
  p->is_tf32 =
      is_tf32 && is_type(a, "f32") && is_type(b, "f32") && is_type(c, "f32");
  for (size_t i = 0; i < sizeof product_types / sizeof *product_types; i++)
    if (is_type(a, product_types[i].factor) &&
        is_type(b, product_types[i].factor) &&
        is_type(c, product_types[i].result))
      return true;
  return p->is_tf32;
}

static bool is_product(const TileGraphPlan *plan, TileGraphOp *op) {
  TileGraphProduct p = {.m = -1};
  if (op->num_operands != 3 || op->combine.kind != TILE_REDUCE_KIND_Sum ||
      mlirValueIsABlockArgument(op->combine.term))
    return false;
  MlirOperation mul = mlirOpResultGetOwner(op->combine.term);
  if (!arith_mulf_is(mul) && !arith_muli_is(mul))
    return false;
  p.a = factor_of(op, mlirOperationGetOperand(mul, 0));
  p.b = factor_of(op, mlirOperationGetOperand(mul, 1));
  if (p.a < 0 || p.b < 0 || p.a == p.b)
    return false;
  for (int i = 0; i < op->num_operands; i++)
    if (op->operands[i].is_scalar || !tile_graph_is_plain(op, i))
      return false;
  if (!match_loops(op, &p) || !has_product_types(op, &p, plan->is_tf32))
    return false;
  if (!comes_first(op, 2, p.m, p.n)) // C' = B' A'
    p = (TileGraphProduct){
        .m = p.n, .n = p.m, .k = p.k, .a = p.b, .b = p.a, .is_tf32 = p.is_tf32};
  p.transpose_a = comes_first(op, p.a, p.k, p.m);
  p.transpose_b = comes_first(op, p.b, p.n, p.k);
  op->product = p;
  return true;
}

//===-- Gathered pixels ---------------------------------------------------===//

// The terms of a sum of indices; `out_has_index` when the index of the element
// is one of them. False for anything else.
static bool add_terms(MlirOperation op, MlirValue value, TileGraphOffset *out,
                      bool *out_has_index) {
  int64_t constant;
  if (mlirxConstantInt(value, &constant)) {
    out->constant += constant;
    return true;
  }
  if (!tile_value_is_inside(value, op)) {
    if (out->num_terms == TILE_GRAPH_MAX_TERMS)
      return false;
    out->terms[out->num_terms++] = value;
    return true;
  }
  if (mlirValueIsABlockArgument(value))
    return false;
  MlirOperation owner = mlirOpResultGetOwner(value);
  if (is_named(owner, "linalg.index")) {
    *out_has_index = true;
    return true;
  }
  if (arith_muli_is(owner) && out->factor == 0 &&
      mlirxConstantInt(mlirOperationGetOperand(owner, 1), &out->factor)) {
    out->scaled = mlirOperationGetOperand(owner, 0);
    return !tile_value_is_inside(out->scaled, op);
  }
  return arith_addi_is(owner) &&
         add_terms(op, mlirOperationGetOperand(owner, 0), out, out_has_index) &&
         add_terms(op, mlirOperationGetOperand(owner, 1), out, out_has_index);
}

// Where the tile begins in the whole: tiling adds it to the index of dimension
// `dim`, before anything else does.
static bool find_start(const TileGraphOp *op, int64_t dim,
                       TileGraphOffset *out) {
  MlirValue sum = TILE_NULL_VALUE;
  *out = (TileGraphOffset){.num_terms = 0};
  TILE_FOR_EACH_OP (inner, op->body)
    if (is_named(inner, "linalg.index") &&
        mlirIntegerAttrGetValueInt(mlirOperationGetInherentAttributeByName(
            inner, TILE_STR("dim"))) == dim)
      sum = mlirOperationGetResult(inner, 0);
  bool has_index = false;
  while (sum.ptr && is_used_once(sum)) {
    MlirOperation user = mlirOpOperandGetOwner(mlirValueGetFirstUse(sum));
    if (!arith_addi_is(user))
      break;
    sum = mlirOperationGetResult(user, 0);
  }
  return sum.ptr && add_terms(op->op, sum, out, &has_index) && has_index;
}

// A loop that says what tile.im2col gathers, into a tile.
static bool is_im2col(TileGraphOp *op) {
  TileGraphIm2col *im2col = &op->im2col;
  im2col->filter = mlirOperationGetDiscardableAttributeByName(
      op->op, TILE_STR(TILE_IM2COL_ATTR));
  if (mlirAttributeIsNull(im2col->filter) ||
      !mlirAttributeIsADictionary(im2col->filter) || op->num_operands != 1 ||
      op->num_loops < 2 || op->num_loops > 3 || !op->operands[0].tile)
    return false;
  TILE_FOR_EACH_OP (inner, op->body)
    if (memref_load_is(inner))
      im2col->image = memref_load_memref(memref_load_cast(inner));
  return im2col->image.ptr && find_start(op, 0, &im2col->start[0]) &&
         find_start(op, op->num_loops - 1, &im2col->start[1]) &&
         (op->num_loops == 2 || op->bound[1] == 1);
}

//===-- Choice ------------------------------------------------------------===//

static MlirLogicalResult check_parallel(const TileGraphOp *op) {
  int num_dims = 0;
  for (int l = 0; l < op->num_loops; l++) {
    if (op->is_reduced[l])
      continue;
    if (op->bound[l] < 0)
      return tile_emit_error(
          op->op,
          "has an extent in loop %d that no constant bounds: "
          "a block works on tiles of static size, so the "
          "schedule must tile it",
          l);
    num_dims += op->bound[l] > 1;
  }
  if (num_dims > TILE_MAX_RANK)
    return tile_emit_error(op->op,
                           "has %d parallel loops of more than one element, "
                           "expects at most %d; tile some to 1, or collapse",
                           num_dims, TILE_MAX_RANK);
  return tile_success();
}

static MlirLogicalResult check_operands(const TileGraphOp *op) {
  for (int i = 0; i < op->num_operands; i++) {
    const TileGraphOperand *operand = &op->operands[i];
    if (i >= op->num_operands - op->num_outs && !tile_graph_is_plain(op, i))
      return tile_emit_error(op->op, "expects results whose dimensions are "
                                     "loops of their own");
    if (!operand->is_scalar && !operand->tile &&
        operand->root_rank > TILE_MAX_RANK)
      return tile_emit_error(op->op,
                             "reads a tensor of %d dimensions, expects at most "
                             "%d; collapse some",
                             operand->root_rank, TILE_MAX_RANK);
  }
  return tile_success();
}

static bool is_plain_fill(const TileGraphOp *op) {
  if (!is_named(op->op, "linalg.fill") || !op->operands[0].is_scalar ||
      !op->operands[1].tile)
    return false;
  MlirOperation yield = mlirBlockGetTerminator(op->body);
  return mlirValueEqual(mlirOperationGetOperand(yield, 0),
                        mlirBlockGetArgument(op->body, 0));
}

// To a tile, as it is.
static bool is_plain_copy(const TileGraphOp *op) {
  return is_named(op->op, "linalg.copy") && op->operands[1].tile &&
         !op->operands[0].is_scalar &&
         mlirTypeEqual(op->operands[0].element, op->operands[1].element);
}

static MlirLogicalResult choose_form(TileGraphPlan *plan, TileGraphOp *op) {
  if (tile_failed(check_parallel(op)) || tile_failed(check_operands(op)))
    return tile_failure();
  if (op->form == TILE_GRAPH_COPY && !op->body.ptr)
    return tile_success();
  bool is_reducing = false;
  for (int l = 0; l < op->num_loops; l++)
    is_reducing |= op->is_reduced[l] && op->bound[l] != 1;
  if (is_plain_fill(op))
    op->form = TILE_GRAPH_FILL;
  else if (is_plain_copy(op))
    op->form = TILE_GRAPH_COPY;
  else if (!is_reducing)
    op->form = is_im2col(op) ? TILE_GRAPH_IM2COL : TILE_GRAPH_ELEMENTS;
  else if (match_combine(op, &op->combine) && is_product(plan, op))
    op->form = TILE_GRAPH_PRODUCT;
  else
    op->form = is_reduction(op) ? TILE_GRAPH_REDUCE : TILE_GRAPH_LOOPS;
  return tile_success();
}

//===-- Who makes factors -------------------------------------------------===//

// The op before `user` in its block that writes the tile last, where it is
// elements that nothing else changes; NULL.
static TileGraphOp *maker_of(TileGraphPlan *plan, const TileGraphOp *user,
                             const TileGraphTile *tile) {
  TileGraphOp *maker = NULL;
  for (TileGraphOp *op = plan->ops; op && op != user; op = op->next)
    for (int i = op->num_operands - op->num_outs; i < op->num_operands; i++)
      if (op->operands[i].tile == tile)
        maker = op;
  bool is_elements = maker && (maker->form == TILE_GRAPH_ELEMENTS ||
                               maker->form == TILE_GRAPH_IM2COL);
  return is_elements && maker->body.ptr && maker->num_outs == 1 &&
                 mlirBlockEqual(mlirOperationGetBlock(maker->op),
                                mlirOperationGetBlock(user->op))
             ? maker
             : NULL;
}

static void mark_maker(TileGraphPlan *plan, TileGraphOp *maker) {
  maker->is_maker = true;
  for (int i = 0; i < maker->num_operands - 1; i++) {
    TileGraphOp *before = maker->operands[i].tile
                              ? maker_of(plan, maker, maker->operands[i].tile)
                              : NULL;
    if (before && !before->is_maker)
      mark_maker(plan, before);
  }
}

static void find_makers(TileGraphPlan *plan, TileGraphOp *op) {
  for (int i = 0; i < 2 && op->form == TILE_GRAPH_PRODUCT; i++) {
    TileGraphOperand *factor = &op->operands[i];
    TileGraphOp *maker = factor->tile ? maker_of(plan, op, factor->tile) : NULL;
    if (!maker)
      continue;
    mark_maker(plan, maker);
    for (int d = 0; d < factor->rank; d++) {
      bool is_plain;
      if (tile_graph_loop_of(op, i, d, &is_plain) != op->product.k)
        continue;
      int last = maker->num_operands - 1;
      for (int e = 0; e < maker->operands[last].rank; e++)
        if (maker->operands[last].root_dim[e] == factor->root_dim[d]) {
          int loop = tile_graph_loop_of(maker, last, e, &is_plain);
          maker->cleared_loops |= loop >= 0 ? 1u << loop : 0;
          op->product.is_cleared[i] = loop >= 0;
        }
    }
  }
}

//===-- Where tiles lie ---------------------------------------------------===//

static void place_tiles(TileGraphOp *op) {
  for (int i = 0; i < op->num_operands && op->body.ptr; i++) {
    TileGraphOperand *operand = &op->operands[i];
    bool is_shared = !operand->is_scalar && !tile_graph_is_plain(op, i);
    for (int l = 0; l < op->num_loops && op->form == TILE_GRAPH_LOOPS; l++)
      is_shared |= op->is_reduced[l] && op->bound[l] != 1 && follows(op, i, l);
    if (op->form == TILE_GRAPH_PRODUCT)
      is_shared |=
          i == op->product.b || (i == op->product.a && op->product.transpose_a);
    is_shared |= op->form == TILE_GRAPH_IM2COL;
    if (is_shared && operand->tile)
      operand->tile->space = TILE_SPACE_SHARED;
  }
}

//===-- The ops of a block ------------------------------------------------===//

// A copy to a tile that is filled next: bufferization keeps what a tensor held
// where an op only says to write over it.
static void drop_dead_copies(TileGraphPlan *plan) {
  for (TileGraphOp *op = plan->ops; op; op = op->next) {
    const TileGraphOp *next = op->next;
    bool is_dead = next && op->form == TILE_GRAPH_COPY && !op->body.ptr &&
                   next->form == TILE_GRAPH_FILL && op->operands[1].tile &&
                   op->operands[1].tile == next->operands[1].tile &&
                   mlirBlockEqual(mlirOperationGetBlock(op->op),
                                  mlirOperationGetBlock(next->op));
    if (is_dead)
      op->form = TILE_GRAPH_NOTHING;
  }
}

typedef struct {
  TileGraphPlan *plan;
  MlirLogicalResult result;
} Search;

static TileGraphOp *add_op(TileGraphPlan *plan, MlirOperation op) {
  TileGraphOp *added = TILE_ARENA_NEW(plan->arena, TileGraphOp, 1);
  *added = (TileGraphOp){.op = op};
  *plan->tail = added;
  plan->tail = &added->next;
  return added;
}

// A copy is a loop of which the body yields what it reads.
static MlirLogicalResult add_copy(TileGraphPlan *plan, MlirOperation copy) {
  if (mlirValueEqual(mlirOperationGetOperand(copy, 0),
                     mlirOperationGetOperand(copy, 1)))
    return tile_success();
  TileGraphOp *op = add_op(plan, copy);
  op->form = TILE_GRAPH_COPY;
  op->num_operands = 2;
  op->num_outs = 1;
  for (int i = 0; i < 2; i++)
    if (tile_failed(tile_graph_operand_of(
            plan, copy, mlirOperationGetOperand(copy, i), &op->operands[i])))
      return tile_failure();
  op->num_loops = op->operands[1].rank;
  for (int i = 0; i < 2; i++)
    op->maps[i] = mlirAffineMapMultiDimIdentityGet(
        mlirOperationGetContext(copy), op->num_loops);
  find_loops(op);
  return tile_success();
}

static bool is_view(MlirOperation op) {
  return memref_subview_is(op) || memref_cast_is(op) ||
         memref_expand_shape_is(op) || memref_collapse_shape_is(op) ||
         memref_get_global_is(op) || memref_alloc_is(op) ||
         memref_alloca_is(op) || memref_dealloc_is(op);
}

static bool is_on_tensors(MlirOperation op) {
  return tile_op_name_begins(op, "tensor.") ||
         tile_op_name_begins(op, "bufferization.");
}

static MlirLogicalResult refuse(MlirOperation op) {
  if (tile_op_name_begins(op, "linalg."))
    return tile_emit_error(op, "is no loops with a body: decompose it, as "
                               "transform.structured.decompose_interface does");
  if (is_on_tensors(op))
    return tile_emit_error(op, "is on tensors: bufferize first");
  return tile_emit_error(op,
                         "is not understood in a kernel: expects linalg ops "
                         "on memrefs, memref.copy, memref.alloc, "
                         "memref.subview, scf.for and scalar arithmetic");
}

static bool is_control_flow(MlirOperation op) {
  return scf_for_is(op) || scf_if_is(op) || scf_while_is(op) ||
         scf_yield_is(op) || scf_condition_is(op) ||
         scf_forall_in_parallel_is(op);
}

// Elements and extents of tiles are for linalg ops alone.
static MlirLogicalResult check_use(TileGraphPlan *plan, MlirOperation op) {
  TileGraphOperand operand;
  MlirValue memref = mlirOperationGetOperand(op, memref_store_is(op));
  if (tile_failed(tile_graph_operand_of(plan, op, memref, &operand)))
    return tile_failure();
  if (operand.tile)
    return tile_emit_error(op, "is about one element or extent of a tile; "
                               "expects linalg ops on tiles, or canonicalize");
  return tile_success();
}

static MlirWalkResult add(MlirOperation op, void *user_data) {
  Search *search = user_data;
  TileGraphPlan *plan = search->plan;
  if (mlirOperationEqual(op, plan->forall))
    return MlirWalkResultAdvance;
  if (is_structured(op)) {
    search->result = read_op(plan, op, add_op(plan, op));
    return tile_failed(search->result) ? MlirWalkResultInterrupt
                                       : MlirWalkResultSkip;
  }
  if (memref_copy_is(op))
    search->result = add_copy(plan, op);
  else if (memref_dim_is(op) || memref_load_is(op) || memref_store_is(op))
    search->result = check_use(plan, op);
  else if (!is_view(op) && !is_control_flow(op) &&
           (!mlirxIsMemoryEffectFree(op) || is_on_tensors(op)))
    search->result = refuse(op);
  return tile_failed(search->result) ? MlirWalkResultInterrupt
                                     : MlirWalkResultAdvance;
}

// Extents of tiles grow until every op finds those that it needs.
static void bound_all(TileGraphPlan *plan) {
  bool has_grown = true;
  while (has_grown) {
    has_grown = false;
    for (TileGraphOp *op = plan->ops; op; op = op->next)
      has_grown |= bound_op(op);
  }
}

MlirLogicalResult tile_graph_plan(TileGraphPlan *plan) {
  plan->tail = &plan->ops;
  plan->num_equal = -1;
  plan->tiles.arena = plan->arena;
  tile_indices_init(&plan->indices, plan->arena);
  Search search = {plan, tile_success()};
  mlirOperationWalk(plan->forall, add, &search, MlirWalkPreOrder);
  if (tile_failed(search.result))
    return tile_failure();
  bound_all(plan);
  for (TileGraphOp *op = plan->ops; op; op = op->next)
    if (tile_failed(choose_form(plan, op)))
      return tile_failure();
  drop_dead_copies(plan);
  bound_all(plan);
  for (TileGraphOp *op = plan->ops; op; op = op->next) {
    find_makers(plan, op);
    place_tiles(op);
    for (int i = 0; i < op->num_operands; i++)
      tile_graph_operand_finish(plan, &op->operands[i]);
  }
  return tile_success();
}
