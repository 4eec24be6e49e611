//===- Scalars.c - Values of the IR as scalars of a program ---------------===//

#include "Analysis/Index/Index.h"
#include "Analysis/Loops/RepeatedOps.h"
#include "Dialect/ElementLoops.h"
#include "ProgramBuild.h"
#include "Support/MlirExtra.h"
#include "Tile/Ops/arith.h"
#include "Tile/Ops/func.h"
#include "Tile/Ops/gpu.h"
#include "Tile/Ops/memref.h"
#include "Tile/Ops/scf.h"

#include <string.h>

//===-- The table ---------------------------------------------------------===//

// The scalar that stands for `key`, or -1.
static ProofScalarId scalar_known(const ProgramBuild *e, const void *key) {
  return (ProofScalarId)(intptr_t)tile_pointer_map_get(&e->known, key) - 1;
}

static void note(ProgramBuild *e, const void *key, ProofScalarId id) {
  tile_pointer_map_set(&e->known, key, (void *)(intptr_t)(id + 1));
}

// `key`: of the value that it stands for, or NULL.
static ProofScalarId add_scalar(ProgramBuild *e, const void *key,
                                ProofScalar scalar) {
  ProofProgram *out = e->out;
  TILE_ARENA_RESERVE(e->arena, out->scalars, out->num_scalars,
                     out->scalar_capacity);
  out->scalars[out->num_scalars] = scalar;
  if (key)
    note(e, key, out->num_scalars);
  return out->num_scalars++;
}

ProofScalarId program_constant(ProgramBuild *e, int64_t constant) {
  return add_scalar(
      e, NULL, (ProofScalar){.kind = PROOF_CONSTANT, .constant = constant});
}

ProofScalarId program_variable(ProgramBuild *e, const void *key, int role) {
  ProofScalarId known = scalar_known(e, key);
  if (known >= 0 && e->out->scalars[known].kind == PROOF_VARIABLE)
    return known;
  return add_scalar(e, key,
                    (ProofScalar){.kind = PROOF_VARIABLE, .role = role});
}

ProofScalarId program_combined(ProgramBuild *e, ProofFunction function,
                               ProofScalarId a, ProofScalarId b) {
  ProofScalarId *args = program_ids(e, 2);
  args[0] = a;
  args[1] = b;
  return add_scalar(e, NULL,
                    (ProofScalar){.kind = PROOF_FUNCTION,
                                  .function = (int)function,
                                  .num_args = 2,
                                  .args = args});
}

ProofScalarId program_held(ProgramBuild *e, int window, ProofScalarId slot) {
  ProofScalar held = {.kind = PROOF_HELD, .constant = window};
  if (slot != PROOF_ALL_SLOTS) {
    held.args = program_ids(e, 1);
    held.args[0] = slot;
    held.num_args = 1;
  }
  return add_scalar(e, NULL, held);
}

ProofScalarId program_new(ProgramBuild *e) {
  return add_scalar(e, NULL, (ProofScalar){.kind = PROOF_NEW});
}

//===-- Functions ---------------------------------------------------------===//

static int integer_function(MlirOperation op) {
  static const struct {
    bool (*is)(MlirOperation op);
    int function;
  } table[] = {
      {arith_addi_is, PROOF_ADD},          {arith_subi_is, PROOF_SUB},
      {arith_muli_is, PROOF_MUL},          {arith_divui_is, PROOF_DIV},
      {arith_divsi_is, PROOF_DIV},         {arith_remui_is, PROOF_REM},
      {arith_remsi_is, PROOF_REM},         {arith_andi_is, PROOF_AND},
      {arith_xori_is, PROOF_XOR},          {arith_ori_is, PROOF_OR},
      {arith_minsi_is, PROOF_MIN},         {arith_maxsi_is, PROOF_MAX},
      {arith_ceildivsi_is, PROOF_CEILDIV}, {arith_ceildivui_is, PROOF_CEILDIV},
      {arith_select_is, PROOF_SELECT},     {arith_index_cast_is, PROOF_CAST},
      {arith_index_castui_is, PROOF_CAST}, {arith_shli_is, PROOF_SHL},
      {arith_shrui_is, PROOF_SHR},
  };
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (table[i].is(op))
      return table[i].function;
  if (arith_extui_is(op))
    return PROOF_CAST;
  return PROOF_OTHER;
}

// Ops whose value depends on operands, attributes and result type only.
static bool is_plain_function(MlirOperation op) {
  static const char *const names[] = {
      "gpu.block_id", "gpu.grid_dim", "gpu.block_dim",
      "affine.apply", "affine.min",   "affine.max",
      "memref.dim",   "tile.region",  "tile.block_swizzle"};
  MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (mlirStringRefEqual(name, mlirStringRefCreateFromCString(names[i])))
      return true;
  return false;
}

static bool has_prefix(MlirOperation op, const char *prefix) {
  MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
  size_t length = strlen(prefix);
  return name.length > length && memcmp(name.data, prefix, length) == 0;
}

static int number_of(ProgramBuild *extract, const ProgramFunction *key) {
  size_t size_bytes = sizeof *key->words * (size_t)key->num_words;
  for (int i = 0; i < extract->num_functions; i++) {
    const ProgramFunction *known = &extract->functions[i];
    if (known->num_words == key->num_words &&
        memcmp(known->words, key->words, size_bytes) == 0)
      return PROOF_OTHER + i;
  }
  TILE_ARENA_RESERVE(extract->arena, extract->functions, extract->num_functions,
                     extract->function_capacity);
  extract->functions[extract->num_functions] = *key;
  return PROOF_OTHER + extract->num_functions++;
}

static void add_word(ProgramBuild *e, ProgramFunction *f, const void *word) {
  TILE_ARENA_RESERVE(e->arena, f->words, f->num_words, f->capacity);
  f->words[f->num_words++] = (intptr_t)word;
}

// Attributes that say how an op does what it does, and plans.
static bool is_manner(MlirNamedAttribute attribute) {
  static const char *const names[] = {"instr", "layout", "prefer", "eviction",
                                      "offset"};
  MlirStringRef name = mlirIdentifierStr(attribute.name);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (mlirStringRefEqual(name, mlirStringRefCreateFromCString(names[i])))
      return true;
  return name.length > 5 && !memcmp(name.data, "tile.", 5);
}

static void add_name(ProgramBuild *e, ProgramFunction *f, MlirOperation op) {
  add_word(e, f, mlirOperationGetName(op).ptr);
  for (intptr_t i = 0; i < mlirOperationGetNumAttributes(op); i++) {
    MlirNamedAttribute attribute = mlirOperationGetAttribute(op, i);
    if (is_manner(attribute))
      continue;
    add_word(e, f, attribute.name.ptr);
    add_word(e, f, attribute.attribute.ptr);
  }
}

static int function_number(ProgramBuild *e, MlirOperation op, intptr_t result) {
  ProgramFunction f = {0};
  add_name(e, &f, op);
  add_word(e, &f, mlirValueGetType(mlirOperationGetResult(op, result)).ptr);
  add_word(e, &f, (void *)result);
  return number_of(e, &f);
}

//===-- Reads of memory that nobody writes --------------------------------===//

typedef struct {
  MlirValue root;
  bool is_written;
} Writes;

static MlirWalkResult visit_write(MlirOperation op, void *user_data) {
  Writes *writes = user_data;
  TileAccess accesses[TILE_MAX_ACCESSES];
  int n = tile_accesses_get(op, accesses);
  for (int i = 0; i < n; i++)
    writes->is_written |=
        accesses[i].writes &&
        mlirValueEqual(tile_tensor_root(accesses[i].tile), writes->root);
  TileElementAccess element;
  if (tile_element_access_get(op, &element) && element.is_store)
    writes->is_written |=
        mlirValueEqual(tile_tensor_root(element.memref), writes->root);
  return writes->is_written ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

static bool is_read_only(const ProgramBuild *extract, MlirValue memref) {
  TileShape shape;
  Writes writes = {.root = tile_tensor_root(memref)};
  if (!tile_shape_of(memref, &shape) || shape.space != TILE_SPACE_GLOBAL ||
      !tile_tensor_is_distinct(writes.root))
    return false;
  mlirOperationWalk(extract->kernel, visit_write, &writes, MlirWalkPreOrder);
  return !writes.is_written;
}

//===-- Values ------------------------------------------------------------===//

// What `tile`, as `reader` finds it, is a function of; -1 when that is not
// known.
static ProofScalarId contents_of(ProgramBuild *extract, MlirValue tile,
                                 MlirOperation reader);

// Whether it is a tile of the kernel, or an array of its threads, of which is
// asked what it holds.
static bool is_of_kernel(const TileShape *shape) {
  return shape->space == TILE_SPACE_FRAGMENT ||
         shape->space == TILE_SPACE_SHARED ||
         (shape->space == TILE_SPACE_PRIVATE && shape->rank > 0);
}

// What a predicate or a load of an element finds in a tile of its role; -1 when
// that is not known.
static ProofScalarId tile_read(ProgramBuild *extract, MlirOperation op) {
  bool reads = memref_load_is(op) || tile_any_of_is(op) || tile_all_of_is(op);
  TileShape shape;
  if (!reads || !tile_shape_of(mlirOperationGetOperand(op, 0), &shape) ||
      !is_of_kernel(&shape))
    return -1;
  return contents_of(extract, mlirOperationGetOperand(op, 0), op);
}

static bool is_function(const ProgramBuild *extract, MlirOperation op) {
  if (memref_load_is(op))
    return is_read_only(extract, memref_load_memref(memref_load_cast(op)));
  if (tile_any_of_is(op) || tile_all_of_is(op))
    return is_read_only(extract, mlirOperationGetOperand(op, 0));
  if (has_prefix(op, "arith.") || has_prefix(op, "math."))
    return mlirxIsMemoryEffectFree(op) && mlirOperationGetNumRegions(op) == 0;
  return is_plain_function(op);
}

// Whether its results may be any numbers: memory and the launch.
static bool is_input(MlirOperation op) {
  return memref_load_is(op) || memref_dim_is(op) || tile_any_of_is(op) ||
         tile_all_of_is(op) || has_prefix(op, "gpu.");
}

static bool is_bit(MlirValue value) {
  MlirType type = mlirValueGetType(value);
  return mlirTypeIsAInteger(type) && mlirIntegerTypeGetWidth(type) == 1;
}

// A condition as a number: 1 or -1 where it holds, else 0.
static bool is_extension(MlirOperation op) {
  return (arith_extui_is(op) || arith_extsi_is(op) || arith_index_cast_is(op) ||
          arith_index_castui_is(op)) &&
         is_bit(mlirOperationGetOperand(op, 0));
}

static ProofScalarId add_extended(ProgramBuild *e, MlirValue value) {
  MlirOperation op = mlirOpResultGetOwner(value);
  bool is_unsigned = arith_extui_is(op) || arith_index_castui_is(op);
  ProofScalarId *args = program_ids(e, 3);
  args[0] = program_scalar(e, mlirOperationGetOperand(op, 0));
  args[1] = program_constant(e, is_unsigned ? 1 : -1);
  args[2] = program_constant(e, 0);
  return add_scalar(e, value.ptr,
                    (ProofScalar){.kind = PROOF_FUNCTION,
                                  .function = PROOF_SELECT,
                                  .num_args = 3,
                                  .args = args});
}

static ProofScalarId add_comparison(ProgramBuild *e, MlirValue value) {
  static const struct {
    ProofFunction function;
    bool swaps, negates;
  } table[] = {
      [ARITH_CMP_I_PREDICATE_eq] = {PROOF_EQ, false, false},
      [ARITH_CMP_I_PREDICATE_ne] = {PROOF_EQ, false, true},
      [ARITH_CMP_I_PREDICATE_slt] = {PROOF_LT, false, false},
      [ARITH_CMP_I_PREDICATE_sle] = {PROOF_LT, true, true},
      [ARITH_CMP_I_PREDICATE_sgt] = {PROOF_LT, true, false},
      [ARITH_CMP_I_PREDICATE_sge] = {PROOF_LT, false, true},
      [ARITH_CMP_I_PREDICATE_ult] = {PROOF_ULT, false, false},
      [ARITH_CMP_I_PREDICATE_ule] = {PROOF_ULT, true, true},
      [ARITH_CMP_I_PREDICATE_ugt] = {PROOF_ULT, true, false},
      [ARITH_CMP_I_PREDICATE_uge] = {PROOF_ULT, false, true},
  };
  MlirOperation op = mlirOpResultGetOwner(value);
  size_t row = arith_cmpi_predicate(arith_cmpi_cast(op));
  bool swaps = table[row].swaps;
  ProofScalarId a = program_scalar(e, mlirOperationGetOperand(op, swaps));
  ProofScalarId b = program_scalar(e, mlirOperationGetOperand(op, !swaps));
  ProofScalarId out = program_combined(e, table[row].function, a, b);
  if (table[row].negates)
    out = program_combined(e, PROOF_XOR, out, program_constant(e, -1));
  note(e, value.ptr, out);
  return out;
}

// `memory`: what the first operand holds, or -1.
static ProofScalarId add_op(ProgramBuild *extract, MlirValue value,
                            ProofScalarId memory) {
  MlirOperation op = mlirOpResultGetOwner(value);
  intptr_t result = mlirOpResultGetResultNumber(value);
  ProofScalar scalar = {.kind = PROOF_FUNCTION,
                        .is_free = memory < 0 && is_input(op)};
  intptr_t num_operands = mlirOperationGetNumOperands(op);
  if (tile_advance_is(op)) {
    scalar.function = result ? PROOF_ADVANCE_PARITY : PROOF_ADVANCE_SLOT;
    scalar.constant = tile_advance_depth(tile_advance_cast(op));
    num_operands = result ? 2 : 1;
  } else {
    scalar.function = integer_function(op);
    if (scalar.function == PROOF_OTHER)
      scalar.function = function_number(extract, op, result);
    if (scalar.function == PROOF_CAST) // with a sign or without
      scalar.constant = function_number(extract, op, result);
  }
  scalar.num_args = (int)num_operands;
  scalar.args = TILE_ARENA_NEW(extract->arena, ProofScalarId, num_operands + 1);
  for (intptr_t i = 0; i < num_operands; i++)
    scalar.args[i] =
        i == 0 && memory >= 0
            ? memory
            : program_scalar(extract, mlirOperationGetOperand(op, i));
  return add_scalar(extract, value.ptr, scalar);
}

//===-- What is not understood --------------------------------------------===//

// What the counter of a loop stands for: an induction variable, or the loop.
static const void *counter_key(MlirOperation op) {
  if (!scf_for_is(op))
    return op.ptr;
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
  return mlirBlockGetArgument(body, 0).ptr;
}

// The counters of the loops around a value, up to the role; how many.
static int counters_around(const ProgramBuild *e, MlirValue value,
                           ProofScalarId *out, int capacity) {
  int count = 0;
  MlirBlock block = mlirValueIsABlockArgument(value)
                        ? mlirBlockArgumentGetOwner(value)
                        : mlirOperationGetBlock(mlirOpResultGetOwner(value));
  for (MlirOperation op = mlirBlockGetParentOperation(block);
       op.ptr && !mlirOperationEqual(op, e->kernel);
       op = mlirOperationGetParentOperation(op)) {
    ProofScalarId counter = scalar_known(e, counter_key(op));
    if (counter >= 0 && count < capacity)
      out[count++] = counter;
  }
  return count;
}

// A value of its own in each iteration; or one in the whole run.
static ProofScalarId add_unknown(ProgramBuild *e, MlirValue value) {
  enum { MAX_LOOPS = 12 };
  ProofScalarId counters[MAX_LOOPS];
  int count = counters_around(e, value, counters, MAX_LOOPS);
  bool is_shared =
      e->is_of_roles && !tile_value_is_inside(value, e->specialize);
  if (is_shared || (!e->is_of_roles && count == 0))
    return add_scalar(e, value.ptr,
                      (ProofScalar){.kind = PROOF_INPUT,
                                    .is_free = !mlirValueIsAOpResult(value)});
  ProofScalar scalar = {
      .kind = PROOF_FUNCTION, .num_args = count, .args = program_ids(e, count)};
  ProgramFunction itself = {0};
  add_word(e, &itself, value.ptr);
  scalar.function = number_of(e, &itself);
  memcpy(scalar.args, counters, sizeof *counters * (size_t)count);
  return add_scalar(e, value.ptr, scalar);
}

ProofScalarId program_scalar(ProgramBuild *e, MlirValue value) {
  int64_t constant;
  ProofScalarId known = scalar_known(e, value.ptr);
  if (known >= 0)
    return known;
  if (mlirxConstantInt(value, &constant))
    return add_scalar(
        e, value.ptr,
        (ProofScalar){.kind = PROOF_CONSTANT, .constant = constant});
  if (!mlirValueIsAOpResult(value))
    return add_unknown(e, value);
  MlirOperation op = mlirOpResultGetOwner(value);
  MlirBlock inlined = program_inlined_block(op);
  if (inlined.ptr)
    return program_scalar(
        e, mlirOperationGetOperand(mlirBlockGetTerminator(inlined),
                                   mlirOpResultGetResultNumber(value)));
  if (is_extension(op))
    return add_extended(e, value);
  if (arith_cmpi_is(op))
    return add_comparison(e, value);
  ProofScalarId memory = tile_read(e, op);
  if (memory >= 0 || tile_advance_is(op) || is_function(e, op))
    return add_op(e, value, memory);
  return add_unknown(e, value);
}

//===-- What the tiles of a role hold -------------------------------------===//

// Roles repeat what they need on tiles of their own. So what such a tile holds
// is a function of what it was computed from: of the op that wrote it last,
// seen from the reader, of the numbers that this op uses, and of what the tiles
// that it reads hold. A copy of a whole tile makes its target what its source
// is, and whether any of a tile holds is asked of what was folded into it as
// well.
//
//   (H1) who writes the tile is seen: a writer before the reader in a block
//        around it; no writer in another role; none behind the reader in a loop
//        around it that has not written before;
//   (H2) ops give the same whatever threads execute them (RepeatedOps.h);
//   (H3) what nobody wrote holds anything, which programs do not ask for.

enum { UNKNOWN = -1, MAX_NESTED = 64 };

//===-- Writers -----------------------------------------------------------===//

typedef struct {
  TileArena *arena;
  MlirOperation *ops;
  int num_ops, capacity;
  bool is_known; // false: an op whose effect on the tile is not
} Writers;

static void find_writers(Writers *writers, MlirValue tile) {
  for (MlirOpOperand use = mlirValueGetFirstUse(tile);
       !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation op = mlirOpOperandGetOwner(use);
    TileAccess access[TILE_MAX_ACCESSES];
    if (tile_is_name_op(op)) {
      find_writers(writers, mlirOperationGetResult(op, 0));
      continue;
    }
    // The body of an element loop is in the loop.
    MlirOperation whole = tile_parallel_around(op).op;
    if (!whole.ptr)
      whole = op;
    int n = tile_repeated_accesses(op, access);
    bool writes = false;
    for (int i = 0; i < n; i++)
      writes |= access[i].writes && mlirValueEqual(access[i].tile, tile);
    writers->is_known &= n > 0;
    if (!writes)
      continue;
    TILE_ARENA_RESERVE(writers->arena, writers->ops, writers->num_ops,
                       writers->capacity);
    writers->ops[writers->num_ops++] = whole;
  }
}

MlirOperation program_ancestor_in(MlirBlock block, MlirOperation op) {
  while (op.ptr && !mlirBlockEqual(mlirOperationGetBlock(op), block))
    op = mlirOperationGetParentOperation(op);
  return op;
}

// The last op before `at`, in its block, that writes or may write.
static MlirOperation last_writer(const Writers *writers, MlirOperation at) {
  MlirBlock block = mlirOperationGetBlock(at);
  MlirOperation found = {NULL};
  for (int i = 0; i < writers->num_ops; i++) {
    MlirOperation op = program_ancestor_in(block, writers->ops[i]);
    if (op.ptr && mlirOperationIsBeforeInBlock(op, at) &&
        (!found.ptr || mlirOperationIsBeforeInBlock(found, op)))
      found = op;
  }
  return found;
}

static bool writes_inside(const Writers *writers, MlirOperation outer) {
  for (int i = 0; i < writers->num_ops; i++)
    for (MlirOperation op = writers->ops[i]; op.ptr;
         op = mlirOperationGetParentOperation(op))
      if (mlirOperationEqual(op, outer))
        return true;
  return false;
}

static bool is_of_other_role(MlirOperation writer, MlirOperation reader) {
  MlirOperation other = tile_role_of(writer).op;
  return other.ptr && !mlirOperationEqual(other, tile_role_of(reader).op);
}

// (H1) False when another role writes, too. Private arrays each has itself.
static bool is_of_one_role(Writers *writers, MlirOperation reader,
                           bool is_private) {
  int count = 0;
  for (int i = 0; i < writers->num_ops; i++) {
    bool is_other = is_of_other_role(writers->ops[i], reader);
    if (is_other && !is_private)
      return false;
    if (!is_other)
      writers->ops[count++] = writers->ops[i];
  }
  writers->num_ops = count;
  return true;
}

//===-- What a writer makes -----------------------------------------------===//

typedef struct {
  ProgramBuild *extract;
  MlirOperation predicate; // which asks the tile itself; else null
  int depth;
} Contents;

static ProofScalarId held_by(Contents *c, MlirValue tile, MlirOperation at);

static MlirWalkResult find_odd(MlirOperation op, void *user_data) {
  bool *is_odd = user_data;
  if (tile_op_is_repeatable(op))
    return tile_parallel_is(op) ? MlirWalkResultSkip : MlirWalkResultAdvance;
  *is_odd |= !mlirxIsTerminator(op) && !tile_any_of_is(op) &&
             !tile_all_of_is(op) && !tile_alloc_is(op) &&
             !tile_barrier_sync_is(op) && !scf_for_is(op) && !scf_if_is(op) &&
             !scf_while_is(op) && !tile_is_name_op(op) &&
             !mlirxIsMemoryEffectFree(op);
  TileAccess access[TILE_MAX_ACCESSES];
  if (tile_repeated_accesses(op, access) == 1 && !access[0].writes)
    *is_odd = false;
  return *is_odd ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

// Whether the element loop stores every element of `tile`, and reads none.
static bool fills_by_loop(TileParallelOp loop, MlirValue tile) {
  TileLoopOperand operands[TILE_MAX_LOOP_OPERANDS];
  TileShape shape;
  bool fills = false;
  int n = tile_loop_operands(loop, operands);
  if (!tile_shape_of(tile, &shape))
    return false;
  for (int i = 0; i < n; i++) {
    if (!mlirValueEqual(operands[i].memref, tile))
      continue;
    if (operands[i].reads)
      return false;
    fills |= operands[i].writes && !operands[i].is_write_guarded &&
             operands[i].exact_dims == (1u << shape.rank) - 1;
  }
  return fills;
}

// Whether what `tile` held before makes no difference to what `op` makes.
static bool overwrites(MlirOperation op, MlirValue tile) {
  TileAccess access[TILE_MAX_ACCESSES];
  if (!mlirValueEqual(tile, tile_buffer_of(tile).root))
    return false;
  if (tile_parallel_is(op))
    return fills_by_loop(tile_parallel_cast(op), tile);
  if (!tile_op_is_repeatable(op) || memref_store_is(op))
    return false;
  int n = tile_accesses_get(op, access);
  bool reads = false;
  for (int i = 0; i < n; i++)
    reads |= access[i].reads && mlirValueEqual(access[i].tile, tile);
  return !reads;
}

// What an op does, and those inside it, whatever the values from outside are.
// How they do it is not compared: layouts and instructions of copies.
typedef struct {
  ProgramBuild *extract;
  ProgramFunction function;
  TilePointerMap numbers; // of values: from outside below 0
  MlirValue *values;      // from outside, by their first uses
  int num_values, capacity;
  intptr_t num_inside;
} Deed;

static void add_use(Deed *d, MlirValue value) {
  const void *number = tile_pointer_map_get(&d->numbers, value.ptr);
  if (!number) {
    TILE_ARENA_RESERVE(d->extract->arena, d->values, d->num_values,
                       d->capacity);
    d->values[d->num_values++] = value;
    number = (void *)(intptr_t)-d->num_values;
    tile_pointer_map_set(&d->numbers, value.ptr, (void *)number);
    add_word(d->extract, &d->function, mlirValueGetType(value).ptr);
  }
  add_word(d->extract, &d->function, number);
}

static void add_definition(Deed *d, MlirValue value) {
  add_word(d->extract, &d->function, mlirValueGetType(value).ptr);
  tile_pointer_map_set(&d->numbers, value.ptr, (void *)++d->num_inside);
}

static MlirWalkResult describe(MlirOperation op, void *user_data) {
  Deed *d = user_data;
  add_name(d->extract, &d->function, op);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
    add_use(d, mlirOperationGetOperand(op, i));
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
    add_definition(d, mlirOperationGetResult(op, i));
  for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); r++) {
    MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r));
    for (intptr_t i = 0; block.ptr && i < mlirBlockGetNumArguments(block); i++)
      add_definition(d, mlirBlockGetArgument(block, i));
  }
  return MlirWalkResultAdvance;
}

static Deed deed_of(ProgramBuild *e, MlirOperation op) {
  Deed out = {.extract = e, .numbers.arena = e->arena};
  mlirOperationWalk(op, describe, &out, MlirWalkPreOrder);
  return out;
}

// What it makes of value `part` of those from outside, which are `args`.
static ProofScalarId made_function(Deed *d, intptr_t part,
                                   ProofScalarId *args) {
  add_word(d->extract, &d->function, (void *)part);
  return add_scalar(
      d->extract, NULL,
      (ProofScalar){.kind = PROOF_FUNCTION,
                    .function = number_of(d->extract, &d->function),
                    .args = args,
                    .num_args = d->num_values});
}

// What the whole of `root` becomes by a copy, or UNKNOWN.
static ProofScalarId copied(Contents *c, MlirOperation op, MlirValue root) {
  TileShape from, to;
  if (!tile_copy_is(op))
    return UNKNOWN;
  MlirValue src = tile_copy_src(tile_copy_cast(op));
  if (!mlirValueEqual(tile_copy_dst(tile_copy_cast(op)), root) ||
      !tile_shape_of(src, &from) || !tile_shape_of(root, &to) ||
      !tile_shape_equal_extents(&from, &to) ||
      !mlirTypeEqual(from.element, to.element))
    return UNKNOWN;
  return held_by(c, src, op);
}

// What is folded into all of `root` the way the predicate folds, or UNKNOWN.
static ProofScalarId folded(Contents *c, MlirOperation op, MlirValue root) {
  TileReduceOp reduce = tile_reduce_dyn(op);
  if (!c->predicate.ptr || !reduce.op.ptr || !tile_reduce_clear(reduce) ||
      !mlirValueEqual(tile_reduce_dst(reduce), root) ||
      tile_reduce_kind(reduce) != (tile_any_of_is(c->predicate)
                                       ? TILE_REDUCE_KIND_Or
                                       : TILE_REDUCE_KIND_And))
    return UNKNOWN;
  return held_by(c, tile_reduce_src(reduce), op);
}

// What `op`, with regions or without, leaves in `root`.
static ProofScalarId made_by(Contents *c, MlirOperation op, MlirValue root) {
  ProgramBuild *extract = c->extract;
  bool is_odd = false;
  ProofScalarId same = copied(c, op, root);
  if (same == UNKNOWN)
    same = folded(c, op, root);
  if (same != UNKNOWN)
    return same;
  c->predicate.ptr = NULL;
  mlirOperationWalk(op, find_odd, &is_odd, MlirWalkPreOrder);
  if (is_odd)
    return UNKNOWN;
  Deed deed = deed_of(extract, op);
  ProofScalarId *args = program_ids(extract, deed.num_values);
  int written = 0;
  for (int i = 0; i < deed.num_values; i++) {
    MlirValue value = deed.values[i];
    TileShape shape;
    if (mlirValueEqual(tile_buffer_of(value).root, root))
      written = i;
    if (!tile_shape_of(value, &shape))
      args[i] = program_scalar(extract, value);
    else
      args[i] = overwrites(op, value) ? program_constant(extract, 0)
                                      : held_by(c, value, op);
    if (args[i] == UNKNOWN)
      return UNKNOWN;
  }
  return made_function(&deed, written, args);
}

//===-- What a tile holds -------------------------------------------------===//

static bool is_loop(MlirOperation op) {
  return scf_for_is(op) || scf_while_is(op);
}

static ProofScalarId held_by_root(Contents *c, MlirValue root,
                                  MlirOperation at) {
  Writers writers = {.arena = c->extract->arena, .is_known = true};
  TileShape shape = {.space = TILE_SPACE_OTHER};
  tile_shape_of(root, &shape);
  find_writers(&writers, root);
  if (!writers.is_known ||
      !is_of_one_role(&writers, at, shape.space == TILE_SPACE_PRIVATE))
    return UNKNOWN;
  for (; at.ptr && !mlirOperationEqual(at, c->extract->kernel);
       at = mlirOperationGetParentOperation(at)) {
    MlirOperation op = last_writer(&writers, at);
    if (op.ptr)
      return made_by(c, op, root);
    MlirOperation outer = mlirOperationGetParentOperation(at);
    if (is_loop(outer) && writes_inside(&writers, outer))
      return UNKNOWN;
  }
  return program_constant(c->extract, 0); // (H3)
}

static ProofScalarId held_by(Contents *c, MlirValue tile, MlirOperation at) {
  TileShape shape = {.space = TILE_SPACE_OTHER};
  MlirValue root = tile_buffer_of(tile).root;
  tile_shape_of(root, &shape);
  if (shape.space == TILE_SPACE_GLOBAL)
    return is_read_only(c->extract, root) ? program_scalar(c->extract, tile)
                                          : UNKNOWN;
  if (!is_of_kernel(&shape) || ++c->depth > MAX_NESTED)
    return UNKNOWN;
  if (mlirValueEqual(tile, root))
    return held_by_root(c, root, at);
  c->predicate.ptr = NULL;
  Deed cut = deed_of(c->extract, mlirOpResultGetOwner(tile));
  ProofScalarId *args = program_ids(c->extract, cut.num_values);
  args[0] = held_by(c, cut.values[0], at); // what it cuts comes first
  for (int i = 1; i < cut.num_values; i++)
    args[i] = program_scalar(c->extract, cut.values[i]);
  return args[0] == UNKNOWN ? UNKNOWN : made_function(&cut, 0, args);
}

static ProofScalarId contents_of(ProgramBuild *extract, MlirValue tile,
                                 MlirOperation reader) {
  bool is_predicate = tile_any_of_is(reader) || tile_all_of_is(reader);
  Contents contents = {extract, reader, 0};
  if (!is_predicate)
    contents.predicate.ptr = NULL;
  return held_by(&contents, tile, reader);
}
