//===- ElementPlans.c - How the accesses of an element loop are made ------===//

#include "Dialect/ForeignOps.h"
#include "ElementCode.h"
#include "Layout/LayoutAccess.h"
#include "Support/Diagnostics.h"
#include "Support/Iterate.h"
#include "Tile/Ops/arith.h"
#include "Tile/Ops/scf.h"

//===-- Registers and offsets ---------------------------------------------===//

// The part of the map of `access` that the loop's layout is projected by; false
// when some dimension is no plain parallel index that covers it.
static bool exact_map(const LoopCode *loop, const CodeAccess *access,
                      int map[TILE_MAX_RANK]) {
  unsigned used = 0;
  for (int d = 0; d < access->shape.rank; d++) {
    MlirValue value = tile_range_at(access->access.indices, d);
    int64_t constant;
    map[d] = tile_parallel_index(loop->loop, value);
    if (map[d] < 0) {
      if (access->shape.extent[d] != 1 || !mlirxConstantInt(value, &constant) ||
          constant != 0)
        return false;
      continue;
    }
    if (used & 1u << map[d] ||
        tile_parallel_extents(loop->loop, map[d]) != access->shape.extent[d])
      return false;
    used |= 1u << map[d];
  }
  return true;
}

// Projection drops registers that repeat: which one an element of the loop has
// is found by its coordinates in the first thread.
static int64_t find_register(const TileLayout *layout, const int64_t *at) {
  int64_t count = tile_layout_axis_size(&layout->in, TILE_LAYOUT_REG);
  for (int64_t s = 0; s < count; s++) {
    int64_t in[3] = {s, 0, 0}, out[TILE_LAYOUT_MAX_AXES];
    if (tile_layout_eval(layout, in, out) &&
        !memcmp(out, at, (size_t)layout->out.num_axes * sizeof *at))
      return s;
  }
  return -1;
}

static bool loop_registers(const LoopCode *loop, const int *map,
                           const TileLayout *want, const int64_t *of_want,
                           int64_t *out) {
  int64_t count = tile_layout_axis_size(&loop->layout.in, TILE_LAYOUT_REG);
  for (int64_t r = 0; r < count; r++) {
    int64_t in[3] = {r, 0, 0}, at[TILE_LAYOUT_MAX_AXES];
    int64_t mapped[TILE_LAYOUT_MAX_AXES] = {0};
    if (!tile_layout_eval(&loop->layout, in, at))
      return false;
    for (int d = 0; d < want->out.num_axes; d++)
      mapped[d] = map[d] < 0 ? 0 : at[map[d]];
    int64_t s = find_register(want, mapped);
    if (s < 0)
      return false;
    out[r] = of_want[s];
  }
  return true;
}

static MlirLogicalResult plan_registers(LoopCode *loop, CodeAccess *access) {
  TileArena *arena = loop->code->arena;
  MlirOperation op = access->access.op;
  TileLayout have, want;
  TileReason error = {""};
  int map[TILE_MAX_RANK];
  if (!loop->has_layout)
    return tile_emit_error(op, "accesses a fragment in a loop without layout; "
                               "run tile-layout-inference first");
  TileBuffer buffer = tile_buffer_of(access->access.memref);
  if (!tile_layout_of_tile(buffer.base, &have, &error))
    return tile_emit_error(op, "accesses a fragment without layout; run "
                               "tile-layout-inference first");
  if (!exact_map(loop, access, map) ||
      !tile_layout_project(&loop->layout, map, access->shape.rank, &want,
                           &error))
    return tile_emit_error(op, "accesses a part of a fragment; run "
                               "tile-expand-elements first");
  int64_t num_want = tile_layout_axis_size(&want.in, TILE_LAYOUT_REG);
  int64_t num_have = tile_layout_axis_size(&have.in, TILE_LAYOUT_REG);
  int64_t *of_want = TILE_ARENA_NEW(arena, int64_t, num_want + num_have);
  int64_t *registers = TILE_ARENA_NEW(
      arena, int64_t, tile_layout_axis_size(&loop->layout.in, TILE_LAYOUT_REG));
  bool serves = tile_layout_find_registers(&have, &want, of_want);
  if (serves && access->access.is_store) // every copy of it must be written
    serves = tile_layout_find_registers(&want, &have, of_want) &&
             num_have == num_want &&
             tile_layout_find_registers(&have, &want, of_want);
  if (!serves || !loop_registers(loop, map, &want, of_want, registers))
    return tile_emit_error(op,
                           "needs elements of a fragment that other threads "
                           "hold; run tile-layout-inference first");
  access->kind = ACCESS_REGISTER;
  access->registers = registers;
  return tile_success();
}

// A whole shared tile under a layout of the loop: offsets straight from
// registers, lanes and warps.
static bool plan_offset(LoopCode *loop, CodeAccess *access) {
  TileLayout shared, want, composed;
  TileLayoutTerms terms;
  TileReason error;
  int map[TILE_MAX_RANK];
  TileBuffer buffer = tile_buffer_of(access->access.memref);
  if (!loop->has_layout || !exact_map(loop, access, map) ||
      !tile_layout_of_tile(buffer.base, &shared, &error) ||
      !tile_layout_project(&loop->layout, map, access->shape.rank, &want,
                           &error) ||
      tile_layout_axis_size(&want.in, TILE_LAYOUT_REG) !=
          tile_layout_axis_size(&loop->layout.in, TILE_LAYOUT_REG) ||
      !tile_layout_compose(&want, &shared, &composed, &error) ||
      !tile_layout_terms(&composed, 1u << TILE_LAYOUT_REG, &terms, &error))
    return false;
  access->kind = ACCESS_OFFSET;
  access->code = TILE_ARENA_NEW(loop->code->arena, TileLayoutCode, 1);
  access->code->layout = composed;
  int width = tile_layout_masked_width(&want, &shared, &composed,
                                       tile_elem_bits(access->shape.element));
  access->vector = tile_layout_ordered_width(&composed, width);
  return true;
}

//===-- Linear indices ----------------------------------------------------===//

// A row that is gathered: any index before the last one that no element of
// a run changes.
static bool is_row(const LoopCode *loop, const CodeAccess *access, int d) {
  MlirValue index = tile_range_at(access->access.indices, d);
  return d + 1 < access->shape.rank && loop->run_dim < loop->rank &&
         access->shape.space == TILE_SPACE_GLOBAL &&
         !access->access.is_atomic &&
         !(tile_parallel_dependence(loop->loop, index) & 1u << loop->run_dim);
}

static bool plan_linear(LoopCode *loop, CodeAccess *access) {
  if (!loop->is_plain)
    return false;
  for (int d = 0; d < access->shape.rank; d++) {
    MlirValue index = tile_range_at(access->access.indices, d);
    access->index[d] =
        d + 1 == access->shape.rank && !access->access.is_store
            ? tile_quotient_index(loop->loop, index, &access->spread)
            : tile_linear_index(loop->loop, index);
    if (access->index[d].is_linear)
      continue;
    if (!is_row(loop, access, d))
      return false;
    access->row_dims |= 1u << d;
    access->index[d] = (TileLinearIndex){.is_linear = true};
  }
  access->kind = ACCESS_LINEAR;
  return true;
}

// Whether element k of a run is k elements after the first.
static bool runs_along(const LoopCode *loop, const CodeAccess *access) {
  int last = access->shape.rank - 1, k = loop->run_dim;
  if (last < 0 || access->index[last].factor[k] != 1)
    return false;
  for (int d = 0; d < last; d++)
    if (access->index[d].factor[k] != 0)
      return false;
  return true;
}

// Whether the last index of the first element of a run is a multiple of
// `vector`. The coordinate in the dimension of the run is one of the run.
static bool starts_at_multiple(const LoopCode *loop, const CodeAccess *access,
                               int64_t vector) {
  const TileLinearIndex *index = &access->index[access->shape.rank - 1];
  int64_t multiple = vector * access->spread;
  for (int k = 0; k < loop->rank; k++)
    if (k != loop->run_dim && index->factor[k] % multiple)
      return false;
  return index->rest_divisor % multiple == 0;
}

// Of a tensor nothing is known but what the access says.
static int64_t tensor_run(const LoopCode *loop, const CodeAccess *access) {
  int64_t run = tile_element_align_bytes(access->access.op) * 8 /
                tile_elem_bits(access->shape.element);
  int64_t most = loop->run / access->spread;
  return run < most ? run : most;
}

static int64_t linear_run(const LoopCode *loop, const CodeAccess *access) {
  if (access->shape.space == TILE_SPACE_GLOBAL)
    return tensor_run(loop, access);
  TileBuffer buffer = tile_buffer_of(access->access.memref);
  TileLayout shared;
  TileReason error;
  if (access->shape.space != TILE_SPACE_SHARED ||
      !tile_layout_of_tile(buffer.base, &shared, &error))
    return 1;
  int64_t run = tile_layout_contiguous_run(&shared, access->shape.rank - 1);
  int64_t most = loop->run / access->spread;
  return run < most ? run : most;
}

static void plan_linear_vector(const LoopCode *loop, CodeAccess *access) {
  access->vector = 1;
  if (!runs_along(loop, access))
    return;
  int64_t run = linear_run(loop, access);
  while (access->vector * 2 <= run &&
         starts_at_multiple(loop, access, access->vector * 2))
    access->vector *= 2;
}

//===-- Guards ------------------------------------------------------------===//
//
// A body that guards its accesses would move one element at a time. Where the
// first and the last element of a run satisfy the guard, and the guard is such
// that the elements between them do as well, the run moves in vectors; only
// other runs test each element.

enum { MAX_TERMS = 8 }; // conjunctions deeper than that are not looked at

bool loop_guard_is(const LoopCode *loop, MlirOperation op) {
  return loop->guard.ptr && scf_if_is(op) &&
         mlirValueEqual(scf_if_condition(scf_if_cast(op)), loop->guard) &&
         mlirOperationEqual(mlirOperationGetParentOperation(op), loop->loop.op);
}

// Whether `op` stands directly in what such an `scf.if` guards.
static bool stands_in_guard(const LoopCode *loop, MlirOperation op) {
  MlirOperation parent = mlirOperationGetParentOperation(op);
  return loop_guard_is(loop, parent) &&
         mlirBlockEqual(
             mlirOperationGetBlock(op),
             mlirRegionGetFirstBlock(scf_if_thenRegion(scf_if_cast(parent))));
}

//===-- Plan --------------------------------------------------------------===//

// Vectors of 4, 8 or 16 bytes; 64-bit elements move one at a time. A quotient
// is known along a run where vectors are.
static void clamp_vector(const LoopCode *loop, CodeAccess *access) {
  int bytes = tile_elem_bits(access->shape.element) / 8;
  int64_t vector = access->vector < 1 ? 1 : access->vector;
  while (vector > 1 && (vector * access->spread > loop->run ||
                        loop->run % (vector * access->spread) ||
                        vector * bytes > MAX_VECTOR_BYTES))
    vector /= 2;
  if (bytes > 4 || vector * bytes < 4)
    vector = 1;
  access->vector = vector;
  if (access->spread == 1 || vector > 1)
    return;
  access->kind = ACCESS_GENERAL;
  access->spread = 1;
  access->row_dims = 0;
}

static bool same_buffer(const CodeAccess *a, const CodeAccess *b) {
  if (a->shape.space != b->shape.space)
    return false;
  return a->shape.space == TILE_SPACE_GLOBAL || // they may be the same memory
         mlirValueEqual(a->access.memref, b->access.memref);
}

// A load may come before the bodies when its body stored nothing there before;
// a store after them when its body does nothing there afterwards.
static bool can_be_early(const LoopCode *loop, int number, bool in_guard) {
  const CodeAccess *access = &loop->accesses[number];
  bool is_store = access->access.is_store;
  MlirOperation op = access->access.op;
  if (access->access.is_atomic ||
      (access->kind != ACCESS_LINEAR && access->kind != ACCESS_OFFSET))
    return false;
  if (!mlirOperationEqual(mlirOperationGetParentOperation(op), loop->loop.op) &&
      !(in_guard && stands_in_guard(loop, op)))
    return false;
  for (int i = 0; i < loop->num_accesses; i++) {
    const CodeAccess *other = &loop->accesses[i];
    if (i == number || !same_buffer(access, other))
      continue;
    if (is_store ? i > number : i < number && other->access.is_store)
      return false;
  }
  return access->shape.space != TILE_SPACE_PRIVATE;
}

typedef struct {
  LoopCode *loop;
  int capacity;
} Collect;

static bool count_access(const TileElementAccess *access, void *user_data) {
  Collect *collect = user_data;
  (void)access;
  collect->capacity++;
  return true;
}

static bool add_access(const TileElementAccess *access, void *user_data) {
  Collect *collect = user_data;
  CodeAccess *out = &collect->loop->accesses[collect->loop->num_accesses++];
  out->access = *access;
  tile_shape_of(access->memref, &out->shape);
  return true;
}

// What computes the index of a row can stand where the row is loaded:
// arithmetic on what is loaded there before.
static bool row_is_early(const LoopCode *loop, MlirValue value, bool in_guard,
                         int depth) {
  if (!tile_value_is_inside(value, loop->loop.op) ||
      tile_parallel_index(loop->loop, value) >= 0)
    return true;
  if (depth == 0 || !mlirValueIsAOpResult(value))
    return false;
  MlirOperation op = mlirOpResultGetOwner(value);
  for (int i = 0; i < loop->num_accesses; i++) {
    const CodeAccess *access = &loop->accesses[i];
    if (mlirOperationEqual(access->access.op, op))
      return !access->row_dims &&
             (in_guard ? access->is_early_inside : access->is_early);
  }
  if (!tile_op_name_begins(op, "arith."))
    return false;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
    if (!row_is_early(loop, mlirOperationGetOperand(op, i), in_guard,
                      depth - 1))
      return false;
  return true;
}

enum { MAX_DEPTH = 12 }; // of index arithmetic

static bool rows_are_early(const LoopCode *loop, const CodeAccess *access,
                           bool in_guard) {
  for (int d = 0; d < access->shape.rank; d++)
    if (access->row_dims & 1u << d &&
        !row_is_early(loop, tile_range_at(access->access.indices, d), in_guard,
                      MAX_DEPTH))
      return false;
  return true;
}

// Whether `value` is the same for all elements of a run, and can be computed
// before their bodies. Asked when it is known which accesses are early.
static bool is_common(const LoopCode *loop, MlirValue value) {
  return !(tile_parallel_dependence(loop->loop, value) & 1u << loop->run_dim) &&
         row_is_early(loop, value, false, MAX_DEPTH);
}

// Signed orders are of convex sets; unsigned ones from 0 to a bound.
static bool is_interval(const LoopCode *loop, ArithCmpIOp compare) {
  TileLinearIndex lhs = tile_linear_index(loop->loop, arith_cmpi_lhs(compare));
  TileLinearIndex rhs = tile_linear_index(loop->loop, arith_cmpi_rhs(compare));
  if (!lhs.is_linear || !rhs.is_linear)
    return false;
  switch (arith_cmpi_predicate(compare)) {
  case ARITH_CMP_I_PREDICATE_slt:
  case ARITH_CMP_I_PREDICATE_sle:
  case ARITH_CMP_I_PREDICATE_sgt:
  case ARITH_CMP_I_PREDICATE_sge:
    return true;
  case ARITH_CMP_I_PREDICATE_ult:
  case ARITH_CMP_I_PREDICATE_ule:
    return rhs.factor[loop->run_dim] == 0;
  default:
    return false;
  }
}

static bool is_convex(const LoopCode *loop, MlirValue condition, int depth) {
  if (!tile_value_is_inside(condition, loop->loop.op) ||
      is_common(loop, condition))
    return true; // the same for all elements
  if (depth == 0 || !mlirValueIsAOpResult(condition))
    return false;
  MlirOperation op = mlirOpResultGetOwner(condition);
  if (arith_cmpi_is(op))
    return is_interval(loop, arith_cmpi_cast(op));
  return arith_andi_is(op) &&
         is_convex(loop, mlirOperationGetOperand(op, 0), depth - 1) &&
         is_convex(loop, mlirOperationGetOperand(op, 1), depth - 1);
}

// The condition of an `scf.if` of the body that a run satisfies when its first
// and its last element do; null for none.
static MlirValue find_guard(const LoopCode *loop) {
  TILE_FOR_EACH_OP (op, tile_parallel_block(loop->loop)) {
    ScfIfOp guard = scf_if_dyn(op);
    if (guard.op.ptr && is_convex(loop, scf_if_condition(guard), MAX_TERMS))
      return scf_if_condition(guard);
  }
  return (MlirValue){NULL};
}

// Runs that satisfy the guard are emitted apart where that makes a vector.
static void plan_order(LoopCode *loop) {
  bool has_gain = false;
  for (int i = 0; i < loop->num_accesses; i++)
    clamp_vector(loop, &loop->accesses[i]);
  for (int i = 0; i < loop->num_accesses; i++) {
    CodeAccess *access = &loop->accesses[i];
    access->is_early =
        can_be_early(loop, i, false) && rows_are_early(loop, access, false);
  }
  loop->guard = find_guard(loop);
  for (int i = 0; i < loop->num_accesses; i++) {
    CodeAccess *access = &loop->accesses[i];
    access->is_early_inside = loop->guard.ptr && can_be_early(loop, i, true) &&
                              rows_are_early(loop, access, true);
    if (!access->is_early && !access->is_early_inside)
      access->vector = 1;
    has_gain |= access->vector > 1 && !access->is_early;
  }
  if (has_gain)
    return;
  loop->guard = (MlirValue){NULL};
  for (int i = 0; i < loop->num_accesses; i++)
    if (!loop->accesses[i].is_early)
      loop->accesses[i].vector = 1;
}

MlirLogicalResult loop_code_plan(LoopCode *loop) {
  Collect collect = {loop, 0};
  tile_parallel_visit(loop->loop, count_access, &collect);
  loop->accesses =
      TILE_ARENA_NEW(loop->code->arena, CodeAccess, collect.capacity + 1);
  tile_parallel_visit(loop->loop, add_access, &collect);
  for (int i = 0; i < loop->num_accesses; i++) {
    CodeAccess *access = &loop->accesses[i];
    access->vector = access->spread = 1;
    access->kind = ACCESS_GENERAL;
    if (access->shape.space == TILE_SPACE_FRAGMENT) {
      if (tile_failed(plan_registers(loop, access)))
        return tile_failure();
      continue;
    }
    if (access->shape.space == TILE_SPACE_PRIVATE)
      continue;
    bool has_offset =
        access->shape.space == TILE_SPACE_SHARED && plan_offset(loop, access);
    if (!has_offset && plan_linear(loop, access))
      plan_linear_vector(loop, access);
  }
  plan_order(loop);
  return tile_success();
}
