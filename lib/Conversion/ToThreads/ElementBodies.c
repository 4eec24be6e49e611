//===- ElementBodies.c - Cloned bodies of an element loop -----------------===//

#include "ElementCode.h"
#include "Support/Constants.h"
#include "Support/Iterate.h"
#include "Tile/Ops/arith.h"
#include "Tile/Ops/memref.h"
#include "Tile/Ops/scf.h"
#include "Tile/Ops/vector.h"

//===-- Code that elements share ------------------------------------------===//

// Clones the arithmetic behind a value of the body, as far as `mapping` does
// not hold it yet.
static MlirValue loop_code_clone(LoopCode *loop, MlirValue value,
                                 MlirxMapping mapping) {
  MlirValue mapped = mlirxMappingGet(mapping, value);
  if (!mlirValueEqual(mapped, value) ||
      !tile_value_is_inside(value, loop->loop.op))
    return mapped;
  MlirOperation op = mlirOpResultGetOwner(value);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
    loop_code_clone(loop, mlirOperationGetOperand(op, i), mapping);
  mlirxClone(loop->code->b.rw, op, mapping);
  return mlirxMappingGet(mapping, value);
}

void loop_code_rebase(LoopCode *loop, const TileInt *base) {
  ThreadCode *code = loop->code;
  MlirxMapping mapping = mlirxMappingCreate();
  MlirBlock body = tile_parallel_block(loop->loop);
  for (int d = 0; d < loop->rank; d++)
    mlirxMappingSet(mapping, mlirBlockGetArgument(body, d),
                    tile_int_get(&code->index, base[d]));
  for (int i = 0; i < loop->num_accesses; i++) {
    CodeAccess *access = &loop->accesses[i];
    if (access->kind != ACCESS_LINEAR)
      continue;
    for (int d = 0; d < access->shape.rank; d++) {
      int64_t constant;
      if (access->row_dims & 1u << d)
        continue;
      MlirValue value = loop_code_clone(
          loop, tile_range_at(access->access.indices, d), mapping);
      access->base[d] = mlirxConstantInt(value, &constant)
                            ? tile_int_constant(constant)
                            : tile_int_value(value);
    }
  }
  mlirxMappingDestroy(mapping);
}

//===-- Code of a guard ---------------------------------------------------===//

static MlirValue guard_of(LoopCode *loop, const Element *element) {
  MlirxMapping mapping = mlirxMappingCreate();
  MlirBlock body = tile_parallel_block(loop->loop);
  for (int d = 0; d < loop->rank; d++)
    mlirxMappingSet(mapping, mlirBlockGetArgument(body, d),
                    tile_int_get(&loop->code->index, element->at[d]));
  MlirValue holds = loop_code_clone(loop, loop->guard, mapping);
  mlirxMappingDestroy(mapping);
  return holds;
}

// Emits whether all elements of a run satisfy the guard.
static MlirValue loop_guard_build(LoopCode *loop, const Element *run) {
  MlirValue first = guard_of(loop, &run[0]);
  return loop->run == 1 ? first
                        : arith_andi(&loop->code->b, first,
                                     guard_of(loop, &run[loop->run - 1]));
}

//===-- Addresses ---------------------------------------------------------===//

/// A memref and indices into it.
typedef struct {
  MlirValue memref;
  MlirValue index[TILE_MAX_RANK];
  intptr_t rank;
} Place;

// Whether the access moves with the batch, not in its body.
static bool is_early(const LoopCode *loop, const CodeAccess *access) {
  return loop->in_guard ? access->is_early_inside : access->is_early;
}

// The index of a row that a run has in common, from what was loaded before.
static MlirValue row_of(LoopCode *loop, MlirValue index, const Element *run) {
  MlirxMapping mapping = mlirxMappingCreate();
  MlirBlock body = tile_parallel_block(loop->loop);
  for (int d = 0; d < loop->rank; d++)
    mlirxMappingSet(mapping, mlirBlockGetArgument(body, d),
                    tile_int_get(&loop->code->index, run->at[d]));
  for (int n = 0; n < loop->num_accesses; n++)
    if (is_early(loop, &loop->accesses[n]) &&
        !loop->accesses[n].access.is_store && run->values[n].ptr)
      mlirxMappingSet(mapping,
                      mlirOperationGetResult(loop->accesses[n].access.op, 0),
                      run->values[n]);
  MlirValue row = loop_code_clone(loop, index, mapping);
  mlirxMappingDestroy(mapping);
  return row;
}

static int64_t floor_div(int64_t x, int64_t by) {
  return x / by - (x % by < 0);
}

static Place place_of(LoopCode *loop, const CodeAccess *access,
                      const Element *element) {
  TileIntMath *math = &loop->code->index;
  int64_t in[3] = {element->reg, 0, 0};
  Place place = {access->storage, {{NULL}}, 1};
  if (access->kind == ACCESS_REGISTER) {
    place.index[0] =
        tile_int_get(math, tile_int_constant(access->registers[element->reg]));
    return place;
  }
  if (access->kind == ACCESS_OFFSET) {
    place.index[0] =
        tile_int_get(math, tile_layout_code_at(math, access->code, 0, in));
    return place;
  }
  place.memref = access->access.memref;
  place.rank = access->shape.rank;
  for (int d = 0; d < access->shape.rank; d++) {
    int64_t constant = 0;
    if (access->row_dims & 1u << d) {
      place.index[d] =
          row_of(loop, tile_range_at(access->access.indices, d), element);
      continue;
    }
    for (int k = 0; k < loop->rank; k++)
      constant += access->index[d].factor[k] * element->delta[k];
    if (d + 1 == access->shape.rank) // what is divided starts at a multiple
      constant = floor_div(constant, access->spread);
    place.index[d] = tile_int_get(
        math, tile_int_add(math, access->base[d], tile_int_constant(constant)));
  }
  return place;
}

//===-- Loads and stores --------------------------------------------------===//

static MlirType vector_type(const CodeAccess *access) {
  return mlirVectorTypeGet(1, &access->vector, access->shape.element);
}

// A run begins at a multiple of its bytes, whatever an element is aligned to.
static int64_t vector_bytes(const CodeAccess *access) {
  return access->vector * tile_elem_bits(access->shape.element) / 8;
}

static void load_run(LoopCode *loop, int number, Element *run) {
  const CodeAccess *access = &loop->accesses[number];
  TileBuilder *b = &loop->code->b;
  Place place = place_of(loop, access, run);
  TileValues indices = {place.index, place.rank};
  if (access->vector == 1) {
    run->values[number] =
        memref_load(b, .memref = place.memref, .indices = indices);
    return;
  }
  MlirValue loaded = vector_load(b, .type = vector_type(access),
                                 .base = place.memref, .indices = indices,
                                 .alignment = TILE_SOME(vector_bytes(access)));
  for (int64_t i = 0; i < access->vector; i++) {
    MlirValue elem =
        vector_extract(b, .source = loaded, .static_position = {&i, 1});
    for (int64_t k = 0; k < access->spread; k++)
      run[i * access->spread + k].values[number] = elem;
  }
}

static void store_run(LoopCode *loop, int number, const Element *run) {
  const CodeAccess *access = &loop->accesses[number];
  TileBuilder *b = &loop->code->b;
  Place place = place_of(loop, access, run);
  TileValues indices = {place.index, place.rank};
  if (access->vector == 1) {
    tile_store_mark_by_thread(memref_store_op(b, .value = run->values[number],
                                              .memref = place.memref,
                                              .indices = indices)
                                  .op);
    return;
  }
  MlirValue elems[MAX_VECTOR];
  for (int64_t i = 0; i < access->vector; i++)
    elems[i] = run[i].values[number];
  MlirValue joined = vector_from_elements(b, .type = vector_type(access),
                                          .elements = {elems, access->vector});
  vector_store(b, .valueToStore = joined, .base = place.memref,
               .indices = indices,
               .alignment = TILE_SOME(vector_bytes(access)));
}

//===-- Bodies ------------------------------------------------------------===//

typedef struct {
  LoopCode *loop;
  const Element *element;
  int next; // number of the access that comes next in program order
} Rewrite;

static bool is_shared(const CodeAccess *access) {
  return access->shape.space == TILE_SPACE_GLOBAL ||
         access->shape.space == TILE_SPACE_SHARED;
}

// A store that several threads would do is that of their first.
static void guard_by_owner(LoopCode *loop, MlirOperation op) {
  ThreadCode *code = loop->code;
  if (mlirValueIsNull(loop->owner))
    return;
  mlirRewriterBaseSetInsertionPointBefore(code->b.rw, op);
  tile_scf_if_begin(&code->b, loop->owner);
  MlirOperation end = mlirRewriterBaseGetOperationAfterInsertion(code->b.rw);
  mlirRewriterBaseMoveOpBefore(code->b.rw, op, end);
  tile_scf_end(&code->b);
}

// `op`, a clone, accesses what number `next` of the loop does.
static void rewrite_access(Rewrite *rewrite, MlirOperation op) {
  LoopCode *loop = rewrite->loop;
  const CodeAccess *access = &loop->accesses[rewrite->next++];
  TileBuilder *b = &loop->code->b;
  if (access->kind != ACCESS_GENERAL && !access->row_dims) {
    mlirRewriterBaseSetInsertionPointBefore(b->rw, op);
    Place place = place_of(loop, access, rewrite->element);
    // Operands: the stored value, the memref, the indices.
    intptr_t first = access->access.is_store;
    MlirValue operands[TILE_MAX_RANK + 1] = {place.memref};
    memcpy(operands + 1, place.index, sizeof place.index);
    mlirxSetOperandGroup(op, first, mlirOperationGetNumOperands(op) - first,
                         place.rank + 1, operands);
  }
  if (!access->access.is_store)
    return;
  tile_store_mark_by_thread(op);
  if (is_shared(access))
    guard_by_owner(loop, op);
}

static MlirWalkResult rewrite_op(MlirOperation op, void *user_data) {
  TileElementAccess access;
  Rewrite *rewrite = user_data;
  if (tile_element_access_get(op, &access)) {
    rewrite_access(rewrite, op);
  } else if (tile_print_is(op)) {
    tile_store_mark_by_thread(op);
    guard_by_owner(rewrite->loop, op);
  }
  return MlirWalkResultAdvance;
}

// Clones are rewritten after the clone: walks do not see what is inserted.
static MlirWalkResult find_op(MlirOperation op, void *user_data) {
  TileElementAccess access;
  if (tile_element_access_get(op, &access) || tile_print_is(op))
    tile_op_list_add(user_data, op);
  return MlirWalkResultAdvance;
}

static void rewrite_clone(Rewrite *rewrite, MlirOperation clone) {
  MlirRewriterBase rw = rewrite->loop->code->b.rw;
  TileOpList found = {.arena = rewrite->loop->code->arena};
  // Everything is emitted before what follows the clone.
  MlirOperation marker =
      mlirOpResultGetOwner(tile_const_index(&rewrite->loop->code->b, 0));
  mlirOperationWalk(clone, find_op, &found, MlirWalkPreOrder);
  for (size_t i = 0; i < found.count; i++)
    rewrite_op(found.items[i], rewrite);
  mlirRewriterBaseSetInsertionPointAfter(rw, marker);
  mlirRewriterBaseEraseOp(rw, marker);
}

static void emit_op(Rewrite *rewrite, MlirOperation op, MlirxMapping mapping);

static MlirWalkResult skip_access(MlirOperation op, void *user_data) {
  Rewrite *rewrite = user_data;
  TileElementAccess access;
  rewrite->next += tile_element_access_get(op, &access);
  return MlirWalkResultAdvance;
}

// The guard is known to hold: what it guards stands in its place.
static void emit_guarded(Rewrite *rewrite, ScfIfOp guard,
                         MlirxMapping mapping) {
  TILE_FOR_EACH_OP (op, mlirRegionGetFirstBlock(scf_if_thenRegion(guard))) {
    if (!scf_yield_is(op)) {
      emit_op(rewrite, op, mapping);
      continue;
    }
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
      mlirxMappingSet(mapping, mlirOperationGetResult(guard.op, i),
                      mlirxMappingGet(mapping, mlirOperationGetOperand(op, i)));
  }
  MlirBlock otherwise = mlirRegionGetFirstBlock(scf_if_elseRegion(guard));
  if (mlirBlockIsNull(otherwise))
    return;
  TILE_FOR_EACH_OP (op, otherwise) {
    mlirOperationWalk(op, skip_access, rewrite, MlirWalkPreOrder);
  }
}

// Both sides of a choice between values that any thread may compute, such as
// elements of fragments and constants, are computed: a branch for each element
// would only be taken apart, and put together by LLVM.
enum { MAX_CHOICE_OPS = 8 }; // of both sides, beside constants

static bool is_harmless(MlirOperation op) {
  return arith_addf_is(op) || arith_subf_is(op) || arith_mulf_is(op) ||
         arith_negf_is(op) || arith_addi_is(op) || arith_subi_is(op) ||
         arith_muli_is(op) || arith_extf_is(op) || arith_truncf_is(op) ||
         arith_cmpi_is(op) || arith_cmpf_is(op) || arith_select_is(op);
}

static bool is_choice(const Rewrite *rewrite, MlirOperation op) {
  const LoopCode *loop = rewrite->loop;
  int next = rewrite->next, count = 0;
  if (!scf_if_is(op) || mlirOperationGetNumResults(op) == 0)
    return false;
  for (intptr_t r = 0; r < 2; r++)
    TILE_FOR_EACH_OP (inner,
                      mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r))) {
      TileElementAccess access;
      bool is_access = tile_element_access_get(inner, &access);
      const CodeAccess *known = is_access ? &loop->accesses[next++] : NULL;
      bool is_element = is_access && !access.is_store && !access.is_atomic &&
                        known->kind == ACCESS_REGISTER;
      if (arith_constant_is(inner) || scf_yield_is(inner))
        continue;
      if (!is_element && (is_access || !is_harmless(inner)))
        return false;
      count++;
    }
  return count <= MAX_CHOICE_OPS;
}

// Emits one side; `out` are the values that it gives.
static void emit_side(Rewrite *rewrite, MlirOperation op, intptr_t side,
                      MlirxMapping mapping, MlirValue *out) {
  TILE_FOR_EACH_OP (inner,
                    mlirRegionGetFirstBlock(mlirOperationGetRegion(op, side))) {
    if (!scf_yield_is(inner)) {
      emit_op(rewrite, inner, mapping);
      continue;
    }
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(inner); i++)
      out[i] = mlirxMappingGet(mapping, mlirOperationGetOperand(inner, i));
  }
}

static void emit_choice(Rewrite *rewrite, MlirOperation op,
                        MlirxMapping mapping) {
  TileArena *arena = rewrite->loop->code->arena;
  TileBuilder *b = &rewrite->loop->code->b;
  intptr_t count = mlirOperationGetNumResults(op);
  MlirValue *sides[2];
  MlirValue condition =
      mlirxMappingGet(mapping, scf_if_condition(scf_if_cast(op)));
  for (intptr_t r = 0; r < 2; r++) {
    sides[r] = TILE_ARENA_NEW(arena, MlirValue, (size_t)count);
    emit_side(rewrite, op, r, mapping, sides[r]);
  }
  for (intptr_t i = 0; i < count; i++)
    mlirxMappingSet(mapping, mlirOperationGetResult(op, i),
                    arith_select(b, .condition = condition,
                                 .true_value = sides[0][i],
                                 .false_value = sides[1][i]));
}

// Values that are stored after the bodies are remembered.
static void emit_op(Rewrite *rewrite, MlirOperation op, MlirxMapping mapping) {
  TileElementAccess access;
  LoopCode *loop = rewrite->loop;
  if (loop->in_guard && loop_guard_is(loop, op)) {
    emit_guarded(rewrite, scf_if_cast(op), mapping);
    return;
  }
  if (is_choice(rewrite, op)) {
    emit_choice(rewrite, op, mapping);
    return;
  }
  if (tile_element_access_get(op, &access) &&
      is_early(loop, &loop->accesses[rewrite->next])) {
    int number = rewrite->next++;
    if (access.is_store)
      rewrite->element->values[number] =
          mlirxMappingGet(mapping, mlirOperationGetOperand(op, 0));
    else
      mlirxMappingSet(mapping, mlirOperationGetResult(op, 0),
                      rewrite->element->values[number]);
    return;
  }
  rewrite_clone(rewrite, mlirxClone(loop->code->b.rw, op, mapping));
}

static void emit_body(LoopCode *loop, const Element *element) {
  MlirBlock body = tile_parallel_block(loop->loop);
  MlirxMapping mapping = mlirxMappingCreate();
  Rewrite rewrite = {loop, element, 0};
  for (int d = 0; d < loop->rank; d++)
    mlirxMappingSet(mapping, mlirBlockGetArgument(body, d),
                    tile_int_get(&loop->code->index, element->at[d]));
  TILE_FOR_EACH_OP (op, body) {
    emit_op(&rewrite, op, mapping);
  }
  mlirxMappingDestroy(mapping);
}

//===-- A batch -----------------------------------------------------------===//

// What number `n` of the loop does, for the elements that go together. It is of
// the line of the access, not of the loop: findings and profiles name it.
static void emit_runs(LoopCode *loop, int n, Element *elements, int count) {
  const CodeAccess *access = &loop->accesses[n];
  bool is_store = access->access.is_store;
  int step = (int)(access->vector * (is_store ? 1 : access->spread));
  MlirLocation outer = loop->code->b.loc;
  loop->code->b.loc = mlirOperationGetLocation(access->access.op);
  for (int i = 0; i < count; i += step) {
    if (is_store)
      store_run(loop, n, &elements[i]);
    else
      load_run(loop, n, &elements[i]);
  }
  loop->code->b.loc = outer;
}

static void emit_batch(LoopCode *loop, Element *elements, int count) {
  bool has_stores = false;
  for (int i = 0; i < count; i++)
    elements[i].values =
        TILE_ARENA_NEW(loop->code->arena, MlirValue, loop->num_accesses + 1);
  for (int n = 0; n < loop->num_accesses; n++) {
    const CodeAccess *access = &loop->accesses[n];
    has_stores |= is_early(loop, access) && access->access.is_store;
    if (is_early(loop, access) && !access->access.is_store)
      emit_runs(loop, n, elements, count);
  }
  for (int i = 0; i < count; i++)
    emit_body(loop, &elements[i]);
  if (!has_stores)
    return;
  if (!mlirValueIsNull(loop->owner))
    tile_scf_if_begin(&loop->code->b, loop->owner);
  for (int n = 0; n < loop->num_accesses; n++) {
    const CodeAccess *access = &loop->accesses[n];
    if (is_early(loop, access) && access->access.is_store)
      emit_runs(loop, n, elements, count);
  }
  if (!mlirValueIsNull(loop->owner))
    tile_scf_end(&loop->code->b);
}

void loop_code_batch(LoopCode *loop, Element *elements, int count) {
  TileBuilder *b = &loop->code->b;
  if (!loop->guard.ptr) {
    emit_batch(loop, elements, count);
    return;
  }
  for (int i = 0; i < count; i += (int)loop->run) {
    tile_scf_if_else_begin(b, loop_guard_build(loop, &elements[i]));
    loop->in_guard = true;
    emit_batch(loop, &elements[i], (int)loop->run);
    loop->in_guard = false;
    tile_scf_else(b);
    emit_batch(loop, &elements[i], (int)loop->run);
    tile_scf_end(b);
  }
}
