//===- LoopOperands.c - How an element loop indexes its buffers -----------===//

#include "Index.h"
#include "Support/Arithmetic.h"
#include "Support/Iterate.h"
#include "Tile/Ops/arith.h"
#include "Tile/Ops/scf.h"

//===-- Linear indices ----------------------------------------------------===//

static const int64_t max_factor = (int64_t)1 << 20;

static bool is_factor(int64_t x) { return x > -max_factor && x < max_factor; }

static TileLinearIndex linear(TileIndices *x, TileParallelOp loop,
                              MlirValue value) {
  const TileLinearIndex none = {0};
  const TileIndex *index = tile_index_of(x, tile_int_value(value));
  TileLinearIndex out = {.is_linear = index->modulus == 0,
                         .is_rest_known = true,
                         .rest = index->constant,
                         .rest_divisor = tile_gcd(index->constant, 0)};
  for (int i = 0; i < index->num_terms; i++) {
    const TileIndexTerm *term = &index->terms[i];
    int k = tile_parallel_index(loop, term->symbol->value);
    if (!is_factor(term->factor) ||
        (k < 0 && tile_value_is_inside(term->symbol->value, loop.op)))
      return none; // also what is the same for all: it is not known before
    if (k >= 0) {
      out.factor[k] = term->factor;
      continue;
    }
    out.is_rest_known = false;
    out.rest_divisor =
        tile_gcd(out.rest_divisor, tile_index_term_divisor(term));
  }
  return out;
}

TileLinearIndex tile_linear_index(TileParallelOp loop, MlirValue index) {
  TileArena arena;
  TileIndices indices;
  tile_arena_init(&arena);
  tile_indices_init(&indices, &arena);
  TileLinearIndex result = linear(&indices, loop, index);
  tile_arena_deinit(&arena);
  return result;
}

static TileLinearIndex scaled(TileLinearIndex x, int64_t by) {
  x.is_linear &= is_factor(by);
  for (int k = 0; k < TILE_MAX_RANK && x.is_linear; k++) {
    x.factor[k] *= by;
    x.is_linear &= is_factor(x.factor[k]);
  }
  x.rest *= by;
  x.rest_divisor *= by < 0 ? -by : by;
  return x;
}

static TileLinearIndex sum(TileLinearIndex x, TileLinearIndex y) {
  x.is_linear &= y.is_linear;
  for (int k = 0; k < TILE_MAX_RANK; k++)
    x.factor[k] += y.factor[k];
  x.is_rest_known &= y.is_rest_known;
  x.rest += y.rest;
  x.rest_divisor = tile_gcd(x.rest_divisor, y.rest_divisor);
  return x;
}

// What `op` divides by, rounding down; 0: it does not, or by no power of two.
static int64_t divisor_of(MlirOperation op, const TileLinearIndex *x) {
  int64_t by;
  bool is_shift = arith_shrui_is(op) || arith_shrsi_is(op);
  bool is_positive = x->is_rest_known && x->rest >= 0;
  for (int k = 0; k < TILE_MAX_RANK; k++)
    is_positive &= x->factor[k] >= 0;
  bool is_division = arith_divui_is(op) || arith_floordivsi_is(op) ||
                     (arith_divsi_is(op) && is_positive);
  if ((!is_shift && !is_division) ||
      !mlirxConstantInt(mlirOperationGetOperand(op, 1), &by) || by < 1 ||
      by >= (is_shift ? 8 : max_factor))
    return 0;
  by = is_shift ? (int64_t)1 << by : by;
  return tile_is_power_of_two(by) ? by : 0;
}

TileLinearIndex tile_quotient_index(TileParallelOp loop, MlirValue index,
                                    int64_t *out_divisor) {
  TileLinearIndex plain = tile_linear_index(loop, index), x, y;
  *out_divisor = 1;
  if (plain.is_linear || !mlirValueIsAOpResult(index) ||
      mlirOperationGetNumOperands(mlirOpResultGetOwner(index)) != 2)
    return plain;
  MlirOperation op = mlirOpResultGetOwner(index);
  x = tile_linear_index(loop, mlirOperationGetOperand(op, 0));
  y = tile_linear_index(loop, mlirOperationGetOperand(op, 1));
  int64_t by = x.is_linear ? divisor_of(op, &x) : 0;
  if (by) {
    *out_divisor = by;
    return x;
  }
  if (!arith_addi_is(op) || x.is_linear == y.is_linear)
    return plain;
  TileLinearIndex divided = tile_quotient_index(
      loop, mlirOperationGetOperand(op, x.is_linear), out_divisor);
  return divided.is_linear
             ? sum(divided, scaled(x.is_linear ? x : y, *out_divisor))
             : plain;
}

//===-- Operands ----------------------------------------------------------===//

typedef struct {
  TileIndices indices;
  TileParallelOp loop;
  TileLoopOperand *out;
  int count;
} Collect;

// The only parallel index of a dimension, -1 for none, -2 for anything else.
static int mapped_index(const TileLinearIndex *index) {
  int found = -1;
  for (int k = 0; k < TILE_MAX_RANK; k++) {
    if (index->factor[k] == 0)
      continue;
    if (index->factor[k] != 1 || found >= 0)
      return -2;
    found = k;
  }
  return found;
}

static bool map_access(TileIndices *x, TileParallelOp loop,
                       const TileElementAccess *access, const TileShape *shape,
                       TileLoopOperand *out) {
  unsigned used = 0;
  for (int d = 0; d < shape->rank; d++) {
    TileLinearIndex index = linear(x, loop, tile_range_at(access->indices, d));
    out->map[d] = index.is_linear ? mapped_index(&index) : -2;
    if (out->map[d] == -2)
      return false;
    int64_t extent = 1;
    if (out->map[d] >= 0) {
      if (used & 1u << out->map[d])
        return false;
      used |= 1u << out->map[d];
      extent = tile_parallel_extents(loop, out->map[d]);
    }
    if (index.is_rest_known && index.rest == 0 && shape->extent[d] == extent)
      out->exact_dims |= 1u << d;
  }
  return true;
}

static bool same_map(const TileLoopOperand *a, const TileLoopOperand *b,
                     int rank) {
  return mlirValueEqual(a->memref, b->memref) &&
         !memcmp(a->map, b->map, (size_t)rank * sizeof *a->map);
}

bool tile_loop_operand_has(TileParallelOp loop, const TileLoopOperand *operand,
                           const TileElementAccess *access) {
  TileShape shape;
  TileLoopOperand other = {.memref = access->memref};
  TileArena arena;
  TileIndices indices;
  tile_arena_init(&arena);
  tile_indices_init(&indices, &arena);
  bool has = tile_shape_of(access->memref, &shape) &&
             map_access(&indices, loop, access, &shape, &other) &&
             same_map(operand, &other, shape.rank);
  tile_arena_deinit(&arena);
  return has;
}

static bool add_operand(const TileElementAccess *access, void *user_data) {
  Collect *collect = user_data;
  TileShape shape;
  TileLoopOperand operand = {.memref = access->memref};
  if (!tile_shape_of(access->memref, &shape) ||
      shape.space == TILE_SPACE_PRIVATE ||
      !map_access(&collect->indices, collect->loop, access, &shape, &operand))
    return true;
  operand.space = shape.space;
  int i = 0;
  while (i < collect->count &&
         !same_map(&collect->out[i], &operand, shape.rank))
    i++;
  if (i == TILE_MAX_LOOP_OPERANDS)
    return true;
  if (i == collect->count)
    collect->out[collect->count++] = operand;
  TileLoopOperand *out = &collect->out[i];
  out->exact_dims &= operand.exact_dims;
  out->reads |= !access->is_store || access->is_atomic;
  out->writes |= access->is_store;
  MlirOperation parent = mlirOperationGetParentOperation(access->op);
  out->is_write_guarded |=
      access->is_store && !mlirOperationEqual(parent, collect->loop.op);
  return true;
}

int tile_loop_operands(TileParallelOp loop,
                       TileLoopOperand out[TILE_MAX_LOOP_OPERANDS]) {
  TileArena arena;
  Collect collect = {.loop = loop, .out = out};
  tile_arena_init(&arena);
  tile_indices_init(&collect.indices, &arena);
  tile_parallel_visit(loop, add_operand, &collect);
  tile_arena_deinit(&arena);
  return collect.count;
}

//===-- Loops that fill a tile --------------------------------------------===//

typedef struct {
  TileParallelOp loop;
  TileElementAccess first;
  bool found, is_plain;
} StoreSearch;

// Registers cannot be chosen at run time: sums that equal a parallel index do
// not name one.
static bool has_plain_indices(TileParallelOp loop,
                              const TileElementAccess *access) {
  for (intptr_t d = 0; d < access->indices.n; d++)
    if (tile_parallel_index(loop, tile_range_at(access->indices, d)) < 0)
      return false;
  return true;
}

static bool is_same_element(const TileElementAccess *a,
                            const TileElementAccess *b) {
  bool is_same = mlirValueEqual(a->memref, b->memref);
  for (intptr_t d = 0; is_same && d < a->indices.n; d++)
    is_same = mlirValueEqual(tile_range_at(a->indices, d),
                             tile_range_at(b->indices, d));
  return is_same;
}

static bool check_store(const TileElementAccess *access, void *user_data) {
  StoreSearch *search = user_data;
  if (!access->is_store)
    return true;
  if (!search->found)
    search->first = *access;
  search->found = true;
  search->is_plain = !access->is_atomic &&
                     has_plain_indices(search->loop, access) &&
                     is_same_element(access, &search->first);
  return search->is_plain;
}

// How many stores a path through the block makes: 2 for more, and where paths
// differ.
static int count_stores(MlirBlock block) {
  int count = 0;
  TILE_FOR_EACH_OP (op, block) {
    int in_branch[2] = {0, 0};
    count += memref_store_is(op);
    for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); r++) {
      MlirBlock inner = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r));
      in_branch[r & 1] = mlirBlockIsNull(inner) ? 0 : count_stores(inner);
    }
    bool is_same = in_branch[0] == in_branch[1];
    count += is_same && (scf_if_is(op) || !in_branch[0]) ? in_branch[0] : 2;
  }
  return count < 2 ? count : 2;
}

MlirValue tile_loop_filled_tile(TileParallelOp loop) {
  StoreSearch search = {.loop = loop};
  TileShape shape;
  tile_parallel_visit(loop, check_store, &search);
  MlirValue tile = search.first.memref;
  if (!search.found || !search.is_plain || !tile_shape_of(tile, &shape) ||
      tile_parallel_extents_size(loop) != shape.rank ||
      count_stores(tile_parallel_block(loop)) != 1)
    return TILE_NULL_VALUE;
  TileLoopOperand operands[TILE_MAX_LOOP_OPERANDS];
  int count = tile_loop_operands(loop, operands);
  for (int i = 0; i < count; i++)
    if (operands[i].writes && mlirValueEqual(operands[i].memref, tile) &&
        operands[i].exact_dims == (1u << shape.rank) - 1)
      return tile;
  return TILE_NULL_VALUE;
}
