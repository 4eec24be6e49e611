//===- KernelGroups.c - Ops that become one kernel ------------------------===//
//
// From the last op backwards: an op joins the group of those that use it when
// they are all in one group and a block of the root needs a part of it that no
// other block needs.
//
//===----------------------------------------------------------------------===//

#include "Transforms/Schedules/Schedules.h"

#include "Dialect/ForeignOps.h"
#include "Support/Diagnostics.h"
#include "Support/Iterate.h"
#include "Tile/Ops/arith.h"
#include "mlir-c/AffineExpr.h"
#include "mlir-c/Dialect/Linalg.h"

//===-- Nests -------------------------------------------------------------===//

static bool is_named(MlirOperation op, const char *name) {
  return mlirStringRefEqual(mlirIdentifierStr(mlirOperationGetName(op)),
                            tile_str(name));
}

int tile_nest_loop(const TileNest *nest, int operand, int dim) {
  MlirAffineExpr expr = mlirAffineMapGetResult(nest->maps[operand], dim);
  return mlirAffineExprIsADim(expr) ? (int)mlirAffineDimExprGetPosition(expr)
                                    : -1;
}

static void read_extents(TileNest *nest) {
  for (int l = 0; l < nest->num_loops; l++) {
    nest->extent[l] = -1;
    nest->is_reduced[l] = true;
  }
  for (int i = 0; i < nest->num_operands; i++) {
    MlirType type = mlirValueGetType(mlirOperationGetOperand(nest->op, i));
    for (int d = 0; d < mlirAffineMapGetNumResults(nest->maps[i]); d++) {
      int loop = tile_nest_loop(nest, i, d);
      if (loop < 0)
        continue;
      int64_t extent = mlirShapedTypeGetDimSize(type, d);
      if (!mlirShapedTypeIsDynamicSize(extent))
        nest->extent[loop] = extent;
      if (i >= nest->num_operands - nest->num_outs)
        nest->is_reduced[loop] = false;
    }
  }
}

// Rows, columns and depth of a contraction; loops of one element do not count.
static bool find_product_loops(TileNest *nest) {
  nest->m = nest->n = nest->k = -1;
  if (nest->num_operands != 3 || !mlirLinalgIsAContractionOp(nest->op))
    return false;
  for (int l = 0; l < nest->num_loops; l++) {
    bool in[2] = {false, false};
    for (int i = 0; i < 2; i++)
      for (int d = 0; d < mlirAffineMapGetNumResults(nest->maps[i]); d++)
        in[i] |= tile_nest_loop(nest, i, d) == l;
    if (nest->extent[l] == 1 || (in[0] && in[1] && !nest->is_reduced[l]))
      continue; // a batch
    int *kind = nest->is_reduced[l] ? &nest->k : in[0] ? &nest->m : &nest->n;
    *kind = l; // the last of several is tiled, the others one by one
  }
  int num_depths = 0;
  for (int l = 0; l < nest->num_loops; l++)
    num_depths += nest->is_reduced[l] && nest->extent[l] != 1;
  return nest->m >= 0 && nest->n >= 0 && nest->k >= 0 && num_depths <= 2;
}

static bool has_plain_operands(const TileNest *nest) {
  for (int i = 0; i < nest->num_operands; i++)
    for (int d = 0; d < mlirAffineMapGetNumResults(nest->maps[i]); d++)
      if (tile_nest_loop(nest, i, d) < 0 &&
          !mlirAffineExprIsAConstant(mlirAffineMapGetResult(nest->maps[i], d)))
        return false;
  return true;
}

// Whether some operand has an element for every round of the loops.
static bool has_full_operand(const TileNest *nest) {
  for (int i = 0; i < nest->num_operands - nest->num_outs; i++) {
    unsigned found = 0;
    for (int d = 0; d < mlirAffineMapGetNumResults(nest->maps[i]); d++) {
      int loop = tile_nest_loop(nest, i, d);
      found |= loop >= 0 ? 1u << loop : 0;
    }
    for (int l = 0; l < nest->num_loops; l++)
      if (nest->extent[l] == 1)
        found |= 1u << l;
    if (found == (1u << nest->num_loops) - 1)
      return true;
  }
  return false;
}

static TileNestKind kind_of(TileNest *nest) {
  bool is_reducing = false;
  for (int l = 0; l < nest->num_loops; l++)
    is_reducing |= nest->is_reduced[l];
  if (find_product_loops(nest))
    return TILE_NEST_PRODUCT;
  if (!has_plain_operands(nest) || nest->num_outs != 1)
    return is_reducing ? TILE_NEST_LOOPS : TILE_NEST_ELEMENTS;
  if (!is_reducing)
    return TILE_NEST_ELEMENTS;
  return has_full_operand(nest) ? TILE_NEST_REDUCE : TILE_NEST_LOOPS;
}

bool tile_nest_of(MlirOperation op, TileNest *out) {
  MlirAttribute maps = mlirLinalgGetIndexingMapsAttribute(op);
  *out = (TileNest){.op = op};
  if (mlirAttributeIsNull(maps) || mlirOperationGetNumResults(op) == 0)
    return false;
  out->num_operands = (int)mlirOperationGetNumOperands(op);
  out->num_outs = (int)mlirOperationGetNumResults(op);
  if (out->num_operands > TILE_NEST_MAX_OPERANDS ||
      mlirArrayAttrGetNumElements(maps) != out->num_operands)
    return false;
  for (int i = 0; i < out->num_operands; i++)
    out->maps[i] = mlirAffineMapAttrGetValue(mlirArrayAttrGetElement(maps, i));
  out->num_loops = (int)mlirAffineMapGetNumDims(out->maps[0]);
  if (out->num_loops > TILE_NEST_MAX_LOOPS)
    return false;
  read_extents(out);
  out->kind = kind_of(out);
  return true;
}

//===-- What a block holds ------------------------------------------------===//

int64_t tile_group_held(const TileGroup *group, const TileGroupOp *op) {
  enum { MAX_HELD = 1 << 20 };
  int64_t num_elems = 1;
  for (int l = 0; l < op->nest.num_loops; l++) {
    int root = op->root_loop[l];
    if (root >= 0 && !group->is_whole[root])
      continue;
    int64_t extent = op->nest.extent[l];
    if (extent < 0 || num_elems > MAX_HELD / (extent > 0 ? extent : 1))
      return -1;
    num_elems *= extent;
  }
  return num_elems;
}

enum { MAX_ROW_ELEMS = 8192 }; // registers of 256 threads, 32 each

static bool fits(const TileGroup *group) {
  for (int i = 0; i < group->num_ops; i++) {
    int64_t held = tile_group_held(group, &group->ops[i]);
    if (held < 0 || held > MAX_ROW_ELEMS)
      return false;
  }
  return true;
}

//===-- Which part of a producer a block needs ----------------------------===//

typedef struct {
  int loop; // of the root, or TILE_WHOLE
  bool is_known;
} Relation;

static int member_number(const TileGroup *group, MlirOperation op) {
  for (int i = 0; i < group->num_ops; i++)
    if (mlirOperationEqual(group->ops[i].nest.op, op))
      return i;
  return -1;
}

// Two uses of one dimension: by a loop of the root, and as a whole, which makes
// a block do all of that loop.
static bool unify(TileGroup *group, Relation *relation, int loop) {
  if (!relation->is_known || relation->loop == loop) {
    *relation = (Relation){loop, true};
    return true;
  }
  if (relation->loop != TILE_WHOLE && loop != TILE_WHOLE)
    return false;
  int root = relation->loop == TILE_WHOLE ? loop : relation->loop;
  group->is_whole[root] = true;
  relation->loop = root;
  return true;
}

static bool relate_use(TileGroup *group, const TileGroupOp *user, int operand,
                       Relation *relations) {
  const TileNest *nest = &user->nest;
  if (operand >= nest->num_operands - nest->num_outs)
    return false; // what an op accumulates on
  for (int d = 0; d < mlirAffineMapGetNumResults(nest->maps[operand]); d++) {
    int loop = tile_nest_loop(nest, operand, d);
    if (loop < 0 && !mlirAffineExprIsAConstant(
                        mlirAffineMapGetResult(nest->maps[operand], d)))
      return false;
    if (!unify(group, &relations[d],
               loop < 0 ? TILE_WHOLE : user->root_loop[loop]))
      return false;
  }
  return true;
}

// Relations of the dimensions of the result of `op`; false where an op outside
// of the group uses it.
static bool relate(TileGroup *group, MlirOperation op, Relation *relations,
                   bool *out_is_used_outside) {
  MlirValue result = mlirOperationGetResult(op, 0);
  *out_is_used_outside = false;
  for (MlirOpOperand use = mlirValueGetFirstUse(result);
       !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    int user = member_number(group, mlirOpOperandGetOwner(use));
    *out_is_used_outside |= user < 0;
    if (user < 0 ||
        !relate_use(group, &group->ops[user],
                    (int)mlirOpOperandGetOperandNumber(use), relations))
      return false;
  }
  return true;
}

//===-- Growing a group ---------------------------------------------------===//

static void add_op(TileGroup *group, const TileNest *nest,
                   const Relation *relations) {
  TileGroupOp *op = &group->ops[group->num_ops];
  *op = (TileGroupOp){.nest = *nest}; // an op that did not join was here
  int out = nest->num_operands - 1;
  for (int l = 0; l < nest->num_loops; l++)
    op->root_loop[l] = TILE_WHOLE;
  for (int d = 0; d < mlirAffineMapGetNumResults(nest->maps[out]); d++) {
    int loop = tile_nest_loop(nest, out, d);
    if (loop >= 0)
      op->root_loop[loop] = relations[d].loop;
  }
  if (nest->kind == TILE_NEST_PRODUCT)
    group->product = group->num_ops;
  group->num_ops++;
}

// Loops of the root that the op does not follow: a block does all of them, else
// several blocks would do the op for one part.
static void claim_loops(TileGroup *group, const TileGroupOp *op) {
  const TileNest *root = &group->ops[0].nest;
  for (int r = 0; r < root->num_loops; r++) {
    bool is_followed = root->is_reduced[r] || root->extent[r] == 1;
    for (int l = 0; l < op->nest.num_loops; l++)
      is_followed |= op->root_loop[l] == r;
    if (!is_followed)
      group->is_whole[r] = true;
  }
}

static bool is_whole_somewhere(const TileGroup *group) {
  for (int l = 0; l < group->ops[0].nest.num_loops; l++)
    if (group->is_whole[l])
      return true;
  return false;
}

static bool has_kind(const TileGroup *group, TileNestKind kind) {
  for (int i = 0; i < group->num_ops; i++)
    if (group->ops[i].nest.kind == kind)
      return true;
  return false;
}

// Bits that a block reads or writes per element of the op.
static int64_t bits_of(const TileNest *nest, int operand) {
  MlirType type = mlirValueGetType(mlirOperationGetOperand(nest->op, operand));
  bool is_full =
      mlirAffineMapGetNumResults(nest->maps[operand]) == nest->num_loops;
  return is_full && mlirTypeIsATensor(type)
             ? tile_elem_bits(mlirShapedTypeGetElementType(type))
             : 0;
}

//===-- Elements of factors -----------------------------------------------===//

// Whether a kernel makes what the op reads, so that the op may follow there.
static bool follows_kernel(const TileNest *nest, int depth) {
  enum { MAX_DEPTH = 16 };
  if (depth == MAX_DEPTH)
    return true;
  for (int i = 0; i < nest->num_operands - nest->num_outs; i++) {
    TileNest input;
    MlirValue operand = mlirOperationGetOperand(nest->op, i);
    if (mlirValueIsABlockArgument(operand) ||
        tile_group_is_free(mlirOpResultGetOwner(operand)) ||
        !tile_nest_of(mlirOpResultGetOwner(operand), &input) ||
        input.kind == TILE_NEST_LOOPS)
      continue;
    if (input.kind != TILE_NEST_ELEMENTS || follows_kernel(&input, depth + 1))
      return true;
  }
  return false;
}

// How often a block may do for itself what other blocks do as well, in elements
// that a thread converts or scales.
enum { MAX_AGAIN = 16, COST_OF_FUNCTION = 4, BLOCK_EXTENT = 128 };
enum { MAX_NARROW_BITS = 16 };

static int cost_of_element(const TileNest *nest) {
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(nest->op, 0));
  TILE_FOR_EACH_OP (op, body)
    if (tile_op_name_begins(op, "math.") || arith_divf_is(op))
      return COST_OF_FUNCTION;
  return 1;
}

// Blocks in a row or column of blocks, which all need the same part of a
// factor; those that the host counts are taken to be few.
static int64_t num_again(const TileNest *product, int factor) {
  bool has_rows = false;
  for (int d = 0; d < mlirAffineMapGetNumResults(product->maps[factor]); d++)
    has_rows |= tile_nest_loop(product, factor, d) == product->m;
  int64_t extent = product->extent[has_rows ? product->n : product->m];
  return extent < 0 ? 1 : (extent + BLOCK_EXTENT - 1) / BLOCK_EXTENT;
}

// The factor of the product that the result is, or becomes by way of elements;
// -1: none. `out_is_all` says that nothing else uses it.
static int factor_of(const TileGroup *group, MlirOperation op,
                     bool *out_is_all) {
  int factor = -1;
  *out_is_all = true;
  for (MlirOpOperand use = mlirValueGetFirstUse(mlirOperationGetResult(op, 0));
       !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    int user = member_number(group, mlirOpOperandGetOwner(use)), found = -1;
    bool is_all;
    if (user >= 0 && user == group->product)
      found = (int)mlirOpOperandGetOperandNumber(use);
    else if (user >= 0 && group->ops[user].is_factor)
      found = factor_of(group, group->ops[user].nest.op, &is_all);
    *out_is_all &= found >= 0 && (factor < 0 || found == factor);
    factor = found >= 0 ? found : factor;
  }
  return factor;
}

// Why the maker of a factor is a kernel of its own; NULL when it joins.
static const char *why_factor_apart(const TileGroup *group,
                                    const TileNest *nest, int factor,
                                    bool is_all) {
  if (nest->kind != TILE_NEST_ELEMENTS)
    return "it is a factor of the product, which is read from memory";
  if (nest->num_operands == nest->num_outs)
    return NULL; // it gathers
  if (!is_all)
    return "it is a factor of the product, and used elsewhere as well";
  if (follows_kernel(nest, 0))
    return "it is a factor of the product, and may follow in the kernel that "
           "makes what it reads";
  return num_again(&group->ops[group->product].nest, factor) *
                     cost_of_element(nest) >
                 MAX_AGAIN
             ? "it is a factor of the product, which many blocks would compute "
               "again"
             : NULL;
}

// The product that makes a value, by way of elements that read nothing else of
// as many elements; null: it is none.
static MlirOperation product_behind(MlirValue value, int depth) {
  enum { MAX_DEPTH = 16 };
  TileNest nest;
  MlirOperation product = TILE_NULL_OP;
  if (depth == MAX_DEPTH || mlirValueIsABlockArgument(value) ||
      !tile_nest_of(mlirOpResultGetOwner(value), &nest))
    return TILE_NULL_OP;
  if (nest.kind == TILE_NEST_PRODUCT)
    return nest.op;
  for (int i = 0; i < nest.num_operands - nest.num_outs; i++) {
    if (!bits_of(&nest, i))
      continue;
    MlirOperation found =
        nest.kind == TILE_NEST_ELEMENTS
            ? product_behind(mlirOperationGetOperand(nest.op, i), depth + 1)
            : TILE_NULL_OP;
    if (!found.ptr || (product.ptr && !mlirOperationEqual(product, found)))
      return TILE_NULL_OP;
    product = found;
  }
  return product;
}

// Whether the group has a product, or may get another one than that: the ops of
// a block are looked at from the last one backwards.
static bool has_other_product(const TileGroup *group, MlirOperation before,
                              MlirOperation product) {
  if (group->product >= 0)
    return true;
  for (int i = 0; i < group->num_ops; i++)
    for (int k = 0; k < group->ops[i].nest.num_operands - 1; k++) {
      MlirValue operand = mlirOperationGetOperand(group->ops[i].nest.op, k);
      MlirOperation other = product_behind(operand, 0);
      if (other.ptr && !mlirOperationEqual(other, product) &&
          mlirOperationIsBeforeInBlock(mlirOpResultGetOwner(operand), before))
        return true;
    }
  return false;
}

// Elements of another product's result, of few bytes: the kernel that makes
// that does them, so that nothing wider is written.
static bool ends_other_product(const TileGroup *group, const TileNest *nest) {
  if (nest->kind != TILE_NEST_ELEMENTS ||
      bits_of(nest, nest->num_operands - 1) > MAX_NARROW_BITS)
    return false;
  MlirOperation product =
      product_behind(mlirOperationGetResult(nest->op, 0), 0);
  return product.ptr && has_other_product(group, nest->op, product);
}

// Why the producer is a kernel of its own; NULL when it joins.
static const char *why_apart(TileGroup *group, const TileNest *nest) {
  Relation relations[TILE_NEST_MAX_LOOPS] = {{0, false}};
  bool is_used_outside;
  if (group->num_ops == TILE_GROUP_MAX_OPS)
    return "the kernel has many ops already";
  if (!mlirAttributeIsNull(mlirOperationGetDiscardableAttributeByName(
          group->ops[0].nest.op, TILE_STR(TILE_CARRIED_ATTR))))
    return "the loop may read what it carries until its round ends";
  if (nest->num_outs != 1)
    return "it has several results";
  if (!relate(group, nest->op, relations, &is_used_outside))
    return is_used_outside ? "other kernels use its result as well"
                           : "blocks would need parts of it that overlap";
  if (group->ops[0].nest.kind == TILE_NEST_LOOPS ||
      nest->kind == TILE_NEST_LOOPS)
    return "windows are read from memory";
  add_op(group, nest, relations);
  const TileGroupOp *op = &group->ops[group->num_ops - 1];
  if (nest->kind == TILE_NEST_PRODUCT) {
    if (has_kind(group, TILE_NEST_REDUCE))
      return "its result is reduced, which takes whole rows";
    claim_loops(group, op);
    if (is_whole_somewhere(group))
      return "blocks would multiply for the same result";
    for (int i = 0; i < group->num_ops - 1; i++)
      if (group->ops[i].nest.kind == TILE_NEST_PRODUCT)
        return "it feeds another product";
    return NULL;
  }
  bool is_all;
  int factor = group->product < 0 ? -1 : factor_of(group, nest->op, &is_all);
  if (factor >= 0) {
    group->ops[group->num_ops - 1].is_factor = true;
    return why_factor_apart(group, nest, factor, is_all);
  }
  if (ends_other_product(group, nest))
    return "it ends another product's kernel";
  if (nest->kind == TILE_NEST_REDUCE) {
    if (group->product >= 0)
      return "a product is tiled by columns, and this takes whole rows";
    claim_loops(group, op);
  }
  bool needs_rows = has_kind(group, TILE_NEST_REDUCE);
  if (needs_rows && !fits(group))
    return "rows of it are too long for the registers of a block";
  return group->product >= 0 && is_whole_somewhere(group)
             ? "blocks would need parts of it that overlap"
             : NULL;
}

static bool try_add(TileGroup *group, const TileNest *nest,
                    const char **out_reason) {
  int num_ops = group->num_ops, product = group->product;
  bool is_whole[TILE_NEST_MAX_LOOPS];
  memcpy(is_whole, group->is_whole, sizeof is_whole);
  *out_reason = why_apart(group, nest);
  if (!*out_reason)
    return true;
  group->num_ops = num_ops;
  group->product = product;
  memcpy(group->is_whole, is_whole, sizeof is_whole);
  return false;
}

static TileGroup *start_group(TileArena *arena, const TileNest *nest) {
  TileGroup *group = TILE_ARENA_NEW(arena, TileGroup, 1);
  group->product = nest->kind == TILE_NEST_PRODUCT ? 0 : -1;
  group->num_ops = 1;
  group->ops[0].nest = *nest;
  for (int l = 0; l < nest->num_loops; l++)
    group->ops[0].root_loop[l] = nest->is_reduced[l] ? TILE_WHOLE : l;
  return group;
}

//===-- Blocks ------------------------------------------------------------===//

static bool is_fill(MlirOperation op) { return is_named(op, "linalg.fill"); }

static bool is_used_by_nests(MlirOperation op) {
  MlirOpOperand use = mlirValueGetFirstUse(mlirOperationGetResult(op, 0));
  for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    TileNest nest;
    if (!tile_nest_of(mlirOpOperandGetOwner(use), &nest))
      return false;
  }
  return true;
}

bool tile_group_is_free(MlirOperation op) {
  return is_named(op, "tensor.empty") || arith_constant_is(op) ||
         (is_fill(op) && is_used_by_nests(op));
}

// The first group that uses the result.
static TileGroup *group_using(TileGroup *groups, MlirOperation op) {
  for (TileGroup *group = groups; group; group = group->next)
    for (MlirOpOperand use =
             mlirValueGetFirstUse(mlirOperationGetResult(op, 0));
         !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
      if (member_number(group, mlirOpOperandGetOwner(use)) >= 0)
        return group;
  return NULL;
}

//===-- Elements that several kernels read --------------------------------===//

// Whether a kernel makes something of which each element is used once, so that
// the op can be done there.
static bool ends_kernel(const TileNest *nest) {
  for (int i = 0; i < nest->num_operands - nest->num_outs; i++) {
    TileNest input;
    MlirValue operand = mlirOperationGetOperand(nest->op, i);
    if (bits_of(nest, i) && !mlirValueIsABlockArgument(operand) &&
        !tile_group_is_free(mlirOpResultGetOwner(operand)) &&
        tile_nest_of(mlirOpResultGetOwner(operand), &input) &&
        (input.kind != TILE_NEST_ELEMENTS || follows_kernel(&input, 0)))
      return true;
  }
  return false;
}

static bool is_slow(const TileNest *nest) {
  static const char *const slow[] = {"math.pow", "math.sin", "math.cos",
                                     "math.erf", "math.tan", "math.a"};
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(nest->op, 0));
  TILE_FOR_EACH_OP (op, body)
    for (size_t i = 0; i < sizeof slow / sizeof *slow; i++)
      if (tile_op_name_begins(op, slow[i]) || mlirOperationGetNumRegions(op))
        return true;
  return false;
}

// Whether every kernel that uses the result may compute it for itself: that
// reads no more than a kernel of its own and they would, or there is little of
// it.
static bool is_done_again(const TileNest *nest, int num_users) {
  enum { FEW = 1 << 16 };
  int64_t num_elems = num_users, read = 0;
  int out = nest->num_operands - 1;
  if (nest->kind != TILE_NEST_ELEMENTS || nest->num_outs != 1 ||
      ends_kernel(nest))
    return false;
  for (int l = 0; l < nest->num_loops && num_elems <= FEW; l++)
    num_elems = nest->extent[l] < 0 ? FEW + 1 : num_elems * nest->extent[l];
  for (int i = 0; i < out; i++)
    read += bits_of(nest, i);
  int64_t written = bits_of(nest, out);
  return num_elems <= FEW ||
         (!is_slow(nest) &&
          num_users * read <= read + written + num_users * written);
}

/// A group before it got a copy of an op.
typedef struct {
  TileGroup *group;
  MlirOperation copy;
  int num_ops, product;
  bool is_whole[TILE_NEST_MAX_LOOPS];
} GroupCopy;

enum { MAX_COPIES = 8 };

static void move_uses(const TileGroup *group, MlirOperation from,
                      MlirOperation to) {
  MlirOpOperand use = mlirValueGetFirstUse(mlirOperationGetResult(from, 0));
  while (!mlirOpOperandIsNull(use)) {
    MlirOpOperand next = mlirOpOperandGetNextUse(use);
    MlirOperation user = mlirOpOperandGetOwner(use);
    intptr_t number = mlirOpOperandGetOperandNumber(use);
    if (member_number(group, user) >= 0)
      mlirOperationSetOperand(user, number, mlirOperationGetResult(to, 0));
    use = next;
  }
}

// The groups that use the result; -1 where something else does, or too many.
static int groups_using(TileGroup *groups, MlirOperation op, GroupCopy *out) {
  int count = 0;
  for (MlirOpOperand use = mlirValueGetFirstUse(mlirOperationGetResult(op, 0));
       !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    TileGroup *group = groups;
    while (group && member_number(group, user) < 0)
      group = group->next;
    int i = 0;
    while (i < count && out[i].group != group)
      i++;
    if (!group || i == MAX_COPIES)
      return -1;
    if (i == count)
      out[count++] = (GroupCopy){.group = group};
  }
  return count;
}

static bool try_copy(GroupCopy *copy, MlirOperation op) {
  TileNest nest;
  const char *reason;
  copy->num_ops = copy->group->num_ops;
  copy->product = copy->group->product;
  memcpy(copy->is_whole, copy->group->is_whole, sizeof copy->is_whole);
  copy->copy = mlirOperationClone(op);
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(op), op,
                                      copy->copy);
  move_uses(copy->group, op, copy->copy);
  return tile_nest_of(copy->copy, &nest) &&
         try_add(copy->group, &nest, &reason);
}

static void take_back(GroupCopy *copy, MlirOperation op) {
  copy->group->num_ops = copy->num_ops;
  copy->group->product = copy->product;
  memcpy(copy->group->is_whole, copy->is_whole, sizeof copy->is_whole);
  move_uses(copy->group, copy->copy, op);
  mlirOperationDestroy(copy->copy);
}

// Each group that uses the result gets an op of its own, or none does.
static bool copy_to_groups(TileGroup *groups, const TileNest *nest) {
  GroupCopy copies[MAX_COPIES];
  int count = groups_using(groups, nest->op, copies), made = 0;
  bool is_done = true;
  if (count < 2 || !is_done_again(nest, count))
    return false;
  while (made < count && is_done)
    is_done = try_copy(&copies[made++], nest->op);
  while (!is_done && made-- > 0)
    take_back(&copies[made], nest->op);
  if (is_done)
    mlirOperationDestroy(nest->op);
  return is_done;
}

//===-- Entry -------------------------------------------------------------===//

TileGroup *tile_groups_find(TileArena *arena, MlirBlock block) {
  TileGroup *groups = NULL;
  TilePointerMap before = {.arena = arena};
  MlirOperation last = TILE_NULL_OP;
  TILE_FOR_EACH_OP (op, block) {
    if (last.ptr)
      tile_pointer_map_set(&before, op.ptr, last.ptr);
    last = op;
  }
  for (MlirOperation op = last; op.ptr;
       op.ptr = tile_pointer_map_get(&before, op.ptr)) {
    TileNest nest;
    const char *reason = NULL;
    if (!tile_nest_of(op, &nest) || tile_group_is_free(op))
      continue;
    TileGroup *user = group_using(groups, op);
    if (user &&
        (try_add(user, &nest, &reason) || copy_to_groups(groups, &nest)))
      continue;
    TileGroup *group = start_group(arena, &nest);
    group->next = groups;
    groups = group;
    if (reason)
      tile_emit_remark(op, "tile-graph/apart",
                       "is a kernel of its own, apart from what uses it: %s",
                       reason);
  }
  return groups;
}
