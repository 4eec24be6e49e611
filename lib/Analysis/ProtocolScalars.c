//===- ProtocolScalars.c - Values of the IR as scalars of a protocol ------===//

#include "ProtocolExtract.h"

#include "Analysis/Index/Index.h"
#include "Dialect/ElementLoops.h"
#include "Support/MlirExtra.h"
#include "Tile/Ops/arith.h"
#include "Tile/Ops/func.h"
#include "Tile/Ops/gpu.h"
#include "Tile/Ops/memref.h"
#include "Tile/Ops/scf.h"
#include <string.h>

//===-- The table ---------------------------------------------------------===//

static TileProtocolScalarId find_scalar(const Extract *extract,
                                        MlirValue value) {
  for (int i = 0; i < extract->out->num_scalars; i++)
    if (extract->keys[i].ptr == value.ptr)
      return i;
  return -1;
}

static TileProtocolScalarId add_scalar(Extract *extract, MlirValue key,
                                       TileProtocolScalar scalar) {
  TileProtocol *out = extract->out;
  if (out->num_scalars == extract->scalar_capacity) {
    int capacity = extract->scalar_capacity ? 2 * extract->scalar_capacity : 64;
    size_t count = (size_t)out->num_scalars;
    TileProtocolScalar *scalars =
        TILE_ARENA_NEW(extract->arena, TileProtocolScalar, capacity);
    MlirValue *keys = TILE_ARENA_NEW(extract->arena, MlirValue, capacity);
    if (count) {
      memcpy(scalars, out->scalars, sizeof *scalars * count);
      memcpy(keys, extract->keys, sizeof *keys * count);
    }
    out->scalars = scalars;
    extract->keys = keys;
    extract->scalar_capacity = capacity;
  }
  extract->keys[out->num_scalars] = key;
  out->scalars[out->num_scalars] = scalar;
  return out->num_scalars++;
}

TileProtocolScalarId extract_constant(Extract *extract, int64_t constant) {
  return add_scalar(
      extract, (MlirValue){NULL},
      (TileProtocolScalar){.kind = TILE_PROTOCOL_CONST, .constant = constant});
}

TileProtocolScalarId extract_bound(Extract *extract, MlirValue value,
                                   TileProtocolScalarKind kind,
                                   const TileProtocolNode *node, int index) {
  return add_scalar(
      extract, value,
      (TileProtocolScalar){.kind = kind, .node = node, .index = index});
}

//===-- Functions ---------------------------------------------------------===//

static int comparison(ArithCmpIPredicate predicate) {
  switch (predicate) {
  case ARITH_CMP_I_PREDICATE_eq:
    return TILE_PROTOCOL_FN_EQ;
  case ARITH_CMP_I_PREDICATE_ne:
    return TILE_PROTOCOL_FN_NE;
  case ARITH_CMP_I_PREDICATE_slt:
    return TILE_PROTOCOL_FN_LT;
  case ARITH_CMP_I_PREDICATE_sle:
    return TILE_PROTOCOL_FN_LE;
  case ARITH_CMP_I_PREDICATE_sgt:
    return TILE_PROTOCOL_FN_GT;
  case ARITH_CMP_I_PREDICATE_sge:
    return TILE_PROTOCOL_FN_GE;
  case ARITH_CMP_I_PREDICATE_ult:
    return TILE_PROTOCOL_FN_ULT;
  case ARITH_CMP_I_PREDICATE_ule:
    return TILE_PROTOCOL_FN_ULE;
  case ARITH_CMP_I_PREDICATE_ugt:
    return TILE_PROTOCOL_FN_UGT;
  case ARITH_CMP_I_PREDICATE_uge:
    return TILE_PROTOCOL_FN_UGE;
  }
  return TILE_PROTOCOL_FN_OTHER;
}

static int integer_function(MlirOperation op) {
  static const struct {
    bool (*is)(MlirOperation op);
    int function;
  } table[] = {
      {arith_addi_is, TILE_PROTOCOL_FN_ADD},
      {arith_subi_is, TILE_PROTOCOL_FN_SUB},
      {arith_muli_is, TILE_PROTOCOL_FN_MUL},
      {arith_divui_is, TILE_PROTOCOL_FN_DIV},
      {arith_divsi_is, TILE_PROTOCOL_FN_DIV},
      {arith_remui_is, TILE_PROTOCOL_FN_REM},
      {arith_remsi_is, TILE_PROTOCOL_FN_REM},
      {arith_andi_is, TILE_PROTOCOL_FN_AND},
      {arith_xori_is, TILE_PROTOCOL_FN_XOR},
      {arith_ori_is, TILE_PROTOCOL_FN_OR},
      {arith_minsi_is, TILE_PROTOCOL_FN_MIN},
      {arith_maxsi_is, TILE_PROTOCOL_FN_MAX},
      {arith_ceildivsi_is, TILE_PROTOCOL_FN_CEILDIV},
      {arith_ceildivui_is, TILE_PROTOCOL_FN_CEILDIV},
      {arith_select_is, TILE_PROTOCOL_FN_SELECT},
      {arith_index_cast_is, TILE_PROTOCOL_FN_CAST},
      {arith_index_castui_is, TILE_PROTOCOL_FN_CAST},
      {arith_extui_is, TILE_PROTOCOL_FN_CAST},
      {arith_shli_is, TILE_PROTOCOL_FN_SHL},
      {arith_shrui_is, TILE_PROTOCOL_FN_SHR},
  };
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (table[i].is(op))
      return table[i].function;
  if (arith_cmpi_is(op))
    return comparison(arith_cmpi_predicate(arith_cmpi_cast(op)));
  return TILE_PROTOCOL_FN_OTHER;
}

// Ops whose value depends on operands, result type and one attribute only.
static const char *attribute_name(MlirOperation op) {
  static const struct {
    const char *op, *attribute;
  } table[] = {{"arith.cmpi", "predicate"},
               {"arith.cmpf", "predicate"},
               {"gpu.block_id", "dimension"},
               {"gpu.grid_dim", "dimension"},
               {"gpu.block_dim", "dimension"},
               {"affine.apply", "map"},
               {"affine.min", "map"},
               {"affine.max", "map"},
               {"tile.region", "static_offsets"}};
  MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (mlirStringRefEqual(name, mlirStringRefCreateFromCString(table[i].op)))
      return table[i].attribute;
  return NULL;
}

static bool has_prefix(MlirOperation op, const char *prefix) {
  MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
  size_t length = strlen(prefix);
  return name.length > length && memcmp(name.data, prefix, length) == 0;
}

static int number_of(Extract *extract, ExtractFunction key) {
  for (int i = 0; i < extract->num_functions; i++) {
    const ExtractFunction *known = &extract->functions[i];
    if (mlirIdentifierEqual(known->name, key.name) &&
        known->type.ptr == key.type.ptr && known->result == key.result &&
        known->likeness == key.likeness &&
        known->attribute.ptr == key.attribute.ptr)
      return TILE_PROTOCOL_FN_OTHER + i;
  }
  TILE_ARENA_RESERVE(extract->arena, extract->functions, extract->num_functions,
                     extract->function_capacity);
  extract->functions[extract->num_functions] = key;
  return TILE_PROTOCOL_FN_OTHER + extract->num_functions++;
}

static int function_number(Extract *extract, MlirOperation op,
                           intptr_t result) {
  const char *name = attribute_name(op);
  ExtractFunction key = {
      .name = mlirOperationGetName(op),
      .type = mlirValueGetType(mlirOperationGetResult(op, result)),
      .result = result};
  if (name)
    key.attribute = mlirxProperty(op, mlirStringRefCreateFromCString(name));
  return number_of(extract, key);
}

TileProtocolScalarId extract_function(Extract *extract, MlirOperation op,
                                      int likeness, int part,
                                      TileProtocolScalarId *args,
                                      int num_args) {
  ExtractFunction key = {.name = mlirOperationGetName(op),
                         .result = part,
                         .likeness = 1 + likeness};
  return add_scalar(extract, (MlirValue){NULL},
                    (TileProtocolScalar){.kind = TILE_PROTOCOL_OP,
                                         .function = number_of(extract, key),
                                         .args = args,
                                         .num_args = num_args});
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

bool extract_is_read_only(const Extract *extract, MlirValue memref) {
  TileShape shape;
  Writes writes = {.root = tile_tensor_root(memref)};
  if (!tile_shape_of(memref, &shape) || shape.space != TILE_SPACE_GLOBAL ||
      !tile_tensor_is_distinct(writes.root))
    return false;
  mlirOperationWalk(extract->kernel, visit_write, &writes, MlirWalkPreOrder);
  return !writes.is_written;
}

//===-- Private arrays ----------------------------------------------------===//

static bool uses_inside(MlirOperation op, MlirValue memref) {
  for (MlirOpOperand use = mlirValueGetFirstUse(memref);
       !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    while (user.ptr && !mlirOperationEqual(user, op))
      user = mlirOperationGetParentOperation(user);
    if (user.ptr)
      return true;
  }
  return false;
}

static bool same_place(MlirOperation load, MlirOperation store) {
  intptr_t rank = mlirOperationGetNumOperands(load) - 1;
  for (intptr_t i = 0; i < rank; i++)
    if (!mlirValueEqual(mlirOperationGetOperand(load, 1 + i),
                        mlirOperationGetOperand(store, 2 + i)))
      return false;
  return true;
}

// What was stored last in the block where the load is: a local of the user.
// Null when it is not seen.
static MlirValue stored_value(MlirOperation load) {
  MlirValue memref = memref_load_memref(memref_load_cast(load));
  MlirBlock block = mlirOperationGetBlock(load);
  MlirOperation found = {NULL};
  for (MlirOperation op = mlirBlockGetFirstOperation(block);
       !mlirOperationEqual(op, load); op = mlirOperationGetNextInBlock(op))
    if (!memref_load_is(op) && uses_inside(op, memref))
      found = op;
  if (!found.ptr || !memref_store_is(found) || !same_place(load, found))
    return (MlirValue){NULL};
  return memref_store_value(memref_store_cast(found));
}

// The one store of the role, or of the block, to the array that `load` reads:
// in every iteration of a loop in front of the load, at the loop's index. Null
// when it is not so.
static MlirOperation table_store(MlirOperation load) {
  MlirOperation role = tile_role_of(load).op, found = {NULL};
  MlirValue memref = memref_load_memref(memref_load_cast(load));
  TileShape shape;
  if (!tile_shape_of(memref, &shape) || shape.space != TILE_SPACE_PRIVATE ||
      shape.rank != 1)
    return found;
  for (MlirOpOperand use = mlirValueGetFirstUse(memref);
       !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    bool is_mine = mlirOperationEqual(tile_role_of(user).op, role);
    if (memref_load_is(user) || (!is_mine && tile_role_of(user).op.ptr))
      continue;
    if (found.ptr || !is_mine || !memref_store_is(user))
      return (MlirOperation){NULL};
    found = user;
  }
  return found;
}

static bool is_before(MlirOperation loop, MlirOperation op) {
  MlirBlock block = mlirOperationGetBlock(loop);
  while (!mlirBlockEqual(mlirOperationGetBlock(op), block))
    op = mlirOperationGetParentOperation(op);
  for (MlirOperation next = mlirOperationGetNextInBlock(loop); next.ptr;
       next = mlirOperationGetNextInBlock(next))
    if (mlirOperationEqual(next, op))
      return true;
  return false;
}

static bool is_table_load(MlirOperation load, MlirOperation *out_store) {
  MlirOperation store = *out_store = table_store(load);
  if (!store.ptr)
    return false;
  MlirOperation loop = mlirOperationGetParentOperation(store);
  MlirOperation outer = mlirOperationGetParentOperation(loop);
  return scf_for_is(loop) &&
         (tile_role_is(outer) || gpu_launch_is(outer) || func_func_is(outer)) &&
         mlirValueEqual(
             mlirOperationGetOperand(store, 2),
             mlirBlockGetArgument(mlirOperationGetBlock(store), 0)) &&
         is_before(loop, load);
}

//===-- Values ------------------------------------------------------------===//

// What a predicate or a load of an element finds in a tile of its role; -1 when
// that is not known.
static TileProtocolScalarId tile_read(Extract *extract, MlirOperation op) {
  bool reads = memref_load_is(op) || tile_any_of_is(op) || tile_all_of_is(op);
  TileShape shape;
  if (!reads || !tile_shape_of(mlirOperationGetOperand(op, 0), &shape) ||
      (shape.space != TILE_SPACE_FRAGMENT && shape.space != TILE_SPACE_SHARED))
    return -1;
  return extract_contents(extract, mlirOperationGetOperand(op, 0), op);
}

static bool is_function(const Extract *extract, MlirOperation op) {
  if (memref_load_is(op))
    return extract_is_read_only(extract,
                                memref_load_memref(memref_load_cast(op)));
  if (tile_any_of_is(op) || tile_all_of_is(op))
    return extract_is_read_only(extract, mlirOperationGetOperand(op, 0));
  if (has_prefix(op, "arith.") || has_prefix(op, "math."))
    return mlirxIsMemoryEffectFree(op) && mlirOperationGetNumRegions(op) == 0;
  return attribute_name(op) || memref_dim_is(op);
}

// Whether its results may be any numbers: memory and the launch.
static bool is_input(MlirOperation op) {
  return memref_load_is(op) || memref_dim_is(op) || tile_any_of_is(op) ||
         tile_all_of_is(op) || has_prefix(op, "gpu.");
}

// `memory`: what the first operand holds, or -1.
static TileProtocolScalarId add_op(Extract *extract, MlirValue value,
                                   TileProtocolScalarId memory) {
  MlirOperation op = mlirOpResultGetOwner(value);
  intptr_t result = mlirOpResultGetResultNumber(value);
  TileProtocolScalar scalar = {.kind = TILE_PROTOCOL_OP,
                               .is_free = memory < 0 && is_input(op)};
  intptr_t num_operands = mlirOperationGetNumOperands(op);
  if (tile_advance_is(op)) {
    scalar.function = result ? TILE_PROTOCOL_FN_ADVANCE_PARITY
                             : TILE_PROTOCOL_FN_ADVANCE_SLOT;
    scalar.constant = tile_advance_depth(tile_advance_cast(op));
    num_operands = result ? 2 : 1;
  } else {
    scalar.function = integer_function(op);
    if (scalar.function == TILE_PROTOCOL_FN_OTHER)
      scalar.function = function_number(extract, op, result);
    if (scalar.function == TILE_PROTOCOL_FN_CAST) // with a sign or without
      scalar.constant = function_number(extract, op, result);
  }
  scalar.num_args = (int)num_operands;
  scalar.args =
      TILE_ARENA_NEW(extract->arena, TileProtocolScalarId, num_operands + 1);
  for (intptr_t i = 0; i < num_operands; i++)
    scalar.args[i] =
        i == 0 && memory >= 0
            ? memory
            : extract_scalar(extract, mlirOperationGetOperand(op, i));
  return add_scalar(extract, value, scalar);
}

// `value` of an iteration, where its index is `index`; -1 when it is more than
// a function of that.
static TileProtocolScalarId at_index(Extract *extract, MlirValue value,
                                     MlirBlock body, MlirValue index) {
  if (mlirValueEqual(value, mlirBlockGetArgument(body, 0)))
    return extract_scalar(extract, index);
  MlirOperation loop = mlirBlockGetParentOperation(body);
  if (!tile_value_is_inside(value, loop))
    return extract_scalar(extract, value);
  if (!mlirValueIsAOpResult(value) ||
      !is_function(extract, mlirOpResultGetOwner(value)))
    return -1;
  TileProtocolScalarId known = extract_scalar(extract, value);
  TileProtocolScalar scalar = extract->out->scalars[known];
  MlirOperation op = mlirOpResultGetOwner(value);
  if (scalar.kind != TILE_PROTOCOL_OP)
    return scalar.kind == TILE_PROTOCOL_CONST ? known : -1;
  TileProtocolScalarId *args =
      TILE_ARENA_NEW(extract->arena, TileProtocolScalarId, scalar.num_args + 1);
  for (int i = 0; i < scalar.num_args; i++) {
    args[i] = at_index(extract, mlirOperationGetOperand(op, i), body, index);
    if (args[i] < 0)
      return -1;
  }
  scalar.args = args;
  return add_scalar(extract, (MlirValue){NULL}, scalar);
}

// What the role stored at the index of the load; -1 when that is not followed.
static TileProtocolScalarId table_value(Extract *extract, MlirOperation load) {
  MlirOperation store;
  if (!memref_load_is(load) || !is_table_load(load, &store))
    return -1;
  return at_index(extract, memref_store_value(memref_store_cast(store)),
                  mlirOperationGetBlock(store),
                  mlirOperationGetOperand(load, 1));
}

MlirBlock extract_inlined_block(MlirOperation op) {
  MlirBlock none = {NULL};
  if (!scf_execute_region_is(op))
    return none;
  MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
  return mlirBlockIsNull(mlirBlockGetNextInRegion(block)) ? block : none;
}

static bool is_in_loop(const Extract *extract, MlirValue value) {
  MlirBlock block = mlirValueIsABlockArgument(value)
                        ? mlirBlockArgumentGetOwner(value)
                        : mlirOperationGetBlock(mlirOpResultGetOwner(value));
  for (MlirOperation op = mlirBlockGetParentOperation(block);
       op.ptr && !mlirOperationEqual(op, extract->kernel);
       op = mlirOperationGetParentOperation(op))
    if (scf_for_is(op) || scf_while_is(op))
      return true;
  return false;
}

TileProtocolScalarId extract_scalar(Extract *extract, MlirValue value) {
  int64_t constant;
  TileProtocolScalarId known = find_scalar(extract, value);
  if (known >= 0)
    return known;
  if (mlirxConstantInt(value, &constant))
    return add_scalar(extract, value,
                      (TileProtocolScalar){.kind = TILE_PROTOCOL_CONST,
                                           .constant = constant});
  if (mlirValueIsAOpResult(value)) {
    MlirOperation op = mlirOpResultGetOwner(value);
    MlirValue stored =
        memref_load_is(op) ? stored_value(op) : (MlirValue){NULL};
    if (stored.ptr)
      return extract_scalar(extract, stored);
    TileProtocolScalarId table = table_value(extract, op);
    if (table >= 0)
      return table;
    MlirBlock inlined = extract_inlined_block(op);
    if (inlined.ptr)
      return extract_scalar(
          extract, mlirOperationGetOperand(mlirBlockGetTerminator(inlined),
                                           mlirOpResultGetResultNumber(value)));
    TileProtocolScalarId memory = tile_read(extract, op);
    if (memory >= 0 || tile_advance_is(op) || is_function(extract, op))
      return add_op(extract, value, memory);
  }
  return add_scalar(
      extract, value,
      (TileProtocolScalar){
          .kind = TILE_PROTOCOL_OPAQUE,
          .is_fixed = !is_in_loop(extract, value),
          .is_free = !mlirValueIsAOpResult(value),
          .is_shared = !tile_value_is_inside(value, extract->specialize)});
}
