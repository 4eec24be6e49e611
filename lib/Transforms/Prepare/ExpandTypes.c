//===- ExpandTypes.c - Elements of coded types as integers ----------------===//
//
// Consumes: tiles and tensors of elements of 4 and 6 bits and of unsigned
//           integers; `tile.alloc`, `tile.region`, `tile.copy`, `tile.fill`,
//           `memref.load` and `memref.store` of them, `memref.dim`, and
//           `memref.alloc` of host functions.
// Produces: the same of signless integers, bytes where elements are packed:
//           copies that do not convert stay copies. What converts is an element
//           loop; a loop that stores packed elements stores bytes of their own,
//           and one after it packs them. Host functions note on their
//           arguments what these hold.
// Keeps:    everything else.
// Fails:    other ops of such elements; extents, offsets and strides in the
//           last dimension that are not known to fill whole bytes; packed
//           stores to what is no shared tile.
// Method:   first everything is looked at; then types change in place, windows
//           with them, and last the ops that touch elements. Idempotent.
//
//===----------------------------------------------------------------------===//

#include "Analysis/Index/Index.h"
#include "CodedTypes.h"
#include "Dialect/ArgumentNames.h"
#include "Dialect/Boxes.h"
#include "Dialect/ForeignOps.h"
#include "ElementSides.h"
#include "Support/Arena.h"
#include "Support/Constants.h"
#include "Support/Diagnostics.h"
#include "Support/Iterate.h"
#include "Tile/Ops/func.h"
#include "Tile/Ops/gpu.h"
#include "Tile/Ops/memref.h"
#include "TilePasses.h"
#include "mlir-c/Dialect/Func.h"

//===-- What is there -----------------------------------------------------===//

// A loop that stores to a packed tile, and the bytes it stores to.
typedef struct {
  MlirOperation loop;
  CodedValue *tile;
  MlirValue bytes;
  bool is_partial; // under a condition: what is not stored, stays
} PackedStores;

typedef struct {
  TileArena *arena;
  CodedValue *values;
  size_t count, capacity;
  TileOpList functions, regions, numbers, accesses, moves;
  PackedStores *stores;
  size_t num_stores, stores_capacity;
  MlirLogicalResult result;
} Plan;

static CodedValue *find(const Plan *plan, MlirValue value) {
  for (size_t i = 0; i < plan->count; i++)
    if (mlirValueEqual(plan->values[i].value, value))
      return &plan->values[i];
  return NULL;
}

static void plan_value(Plan *plan, MlirValue value, MlirOperation op) {
  CodedValue coded;
  MlirLogicalResult result = tile_success();
  if (!coded_value_get(value, op, &coded, &result))
    return;
  TILE_ARENA_RESERVE(plan->arena, plan->values, plan->count, plan->capacity);
  plan->values[plan->count++] = coded;
  if (tile_failed(result))
    plan->result = result;
}

static MlirWalkResult plan_values(MlirOperation op, void *user_data) {
  Plan *plan = user_data;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
    plan_value(plan, mlirOperationGetResult(op, i), op);
  for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); r++)
    for (MlirBlock block =
             mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r));
         block.ptr; block = mlirBlockGetNextInRegion(block))
      for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); i++)
        plan_value(plan, mlirBlockGetArgument(block, i), op);
  return tile_failed(plan->result) ? MlirWalkResultInterrupt
                                   : MlirWalkResultAdvance;
}

//===-- May it be? --------------------------------------------------------===//

static MlirLogicalResult check_whole(MlirOperation op, const CodedValue *source,
                                     const char *what, TileInt at) {
  int64_t divisor =
      tile_int_is_constant(at) ? at.constant : tile_index_divisor(at);
  if (divisor % source->pack == 0)
    return tile_success();
  return tile_emit_error(
      op,
      "expects the last %s of elements of type %s to be a multiple of %d, "
      "which fill whole bytes, and to be written so, such as %%i * %d",
      what, source->info->name, source->pack, 16 * source->pack);
}

static MlirLogicalResult check_region(MlirOperation op,
                                      const CodedValue *source) {
  TileRegionOp region = tile_region_cast(op);
  int last = source->was.rank - 1;
  MlirValue pad = tile_region_pad(region), end = tile_region_end(region, last);
  if (pad.ptr && !tile_value_is_zero_bits(pad))
    return tile_emit_error(op, "expects no pad but 0 of elements of type %s",
                           source->info->name);
  if (!coded_value_is_packed(source))
    return tile_success();
  bool is_gathered =
      tile_region_ids(region).ptr && (int)tile_region_dim(region) == last;
  if (is_gathered || tile_region_result_dim(region, last) < 0)
    return tile_emit_error(op,
                           "cannot name single elements of type %s in the last "
                           "dimension: they share bytes",
                           source->info->name);
  if (end.ptr &&
      tile_failed(check_whole(op, source, "end", tile_int_value(end))))
    return tile_failure();
  return check_whole(op, source, "offset", tile_region_offset(region, last));
}

static MlirOperation loop_around(MlirOperation op) {
  while (op.ptr && !tile_parallel_is(op))
    op = mlirOperationGetParentOperation(op);
  return op;
}

static MlirLogicalResult check_store(Plan *plan, MlirOperation op,
                                     CodedValue *tile) {
  MlirOperation loop = loop_around(op);
  if (!coded_value_is_packed(tile))
    return tile_success();
  if (!loop.ptr || tile->was.space != TILE_SPACE_SHARED ||
      !mlirValueIsAOpResult(tile->value) ||
      !tile_alloc_is(mlirOpResultGetOwner(tile->value)))
    return tile_emit_error(
        op,
        "stores an element of type %s to what is no shared tile: neighbours "
        "share bytes; store to a shared tile in tile.parallel, and copy that",
        tile->info->name);
  bool is_partial =
      !mlirOperationEqual(mlirOperationGetParentOperation(op), loop);
  for (size_t i = 0; i < plan->num_stores; i++)
    if (mlirOperationEqual(plan->stores[i].loop, loop) &&
        plan->stores[i].tile == tile) {
      plan->stores[i].is_partial |= is_partial;
      return tile_success();
    }
  TILE_ARENA_RESERVE(plan->arena, plan->stores, plan->num_stores,
                     plan->stores_capacity);
  plan->stores[plan->num_stores++] =
      (PackedStores){loop, tile, {NULL}, is_partial};
  return tile_success();
}

static MlirLogicalResult check_dim(MlirOperation op, const CodedValue *source) {
  int64_t dim;
  if (!coded_value_is_packed(source) ||
      mlirxConstantInt(mlirOperationGetOperand(op, 1), &dim))
    return tile_success();
  return tile_emit_error(op,
                         "expects a constant dimension of elements of "
                         "type %s",
                         source->info->name);
}

static MlirLogicalResult check_alloc(MlirOperation op,
                                     const CodedValue *result) {
  intptr_t count = mlirOperationGetNumOperands(op);
  if (!coded_value_is_packed(result) || count == 0 ||
      result->was.extent[result->was.rank - 1] >= 0)
    return tile_success();
  return check_whole(op, result, "extent",
                     tile_int_value(mlirOperationGetOperand(op, count - 1)));
}

// The first coded operand or result.
static CodedValue *coded_of(const Plan *plan, MlirOperation op) {
  CodedValue *found = NULL;
  for (intptr_t i = 0; !found && i < mlirOperationGetNumOperands(op); i++)
    found = find(plan, mlirOperationGetOperand(op, i));
  for (intptr_t i = 0; !found && i < mlirOperationGetNumResults(op); i++)
    found = find(plan, mlirOperationGetResult(op, i));
  return found;
}

static MlirLogicalResult plan_op(Plan *plan, MlirOperation op,
                                 CodedValue *coded) {
  if (tile_alloc_is(op) || memref_dealloc_is(op))
    return tile_success();
  if (tile_region_is(op)) {
    tile_op_list_add(&plan->regions, op);
    return check_region(op,
                        find(plan, tile_region_source(tile_region_cast(op))));
  }
  if (memref_dim_is(op)) {
    tile_op_list_add(&plan->numbers, op);
    return check_dim(op, coded);
  }
  if (memref_alloc_is(op)) {
    tile_op_list_add(&plan->numbers, op);
    return check_alloc(op, coded);
  }
  if (memref_load_is(op)) {
    tile_op_list_add(&plan->accesses, op);
    return tile_success();
  }
  if (memref_store_is(op)) {
    tile_op_list_add(&plan->accesses, op);
    return check_store(plan, op, coded);
  }
  if (tile_copy_is(op) || tile_fill_is(op)) {
    tile_op_list_add(&plan->moves, op);
    return tile_success();
  }
  return tile_emit_error(op,
                         "does not take elements of type %s; copy them to a "
                         "tile of another type, or convert them in "
                         "tile.parallel",
                         coded->info->name);
}

static MlirWalkResult plan_ops(MlirOperation op, void *user_data) {
  Plan *plan = user_data;
  CodedValue *coded = coded_of(plan, op);
  if (func_func_is(op) || gpu_func_is(op))
    tile_op_list_add(&plan->functions, op);
  if (coded && tile_failed(plan_op(plan, op, coded)))
    plan->result = tile_failure();
  return tile_failed(plan->result) ? MlirWalkResultInterrupt
                                   : MlirWalkResultAdvance;
}

//===-- Functions and types -----------------------------------------------===//

static void change_function(const Plan *plan, MlirOperation function) {
  MlirRegion body = mlirOperationGetRegion(function, 0);
  MlirBlock entry = mlirRegionGetFirstBlock(body);
  if (!entry.ptr)
    return;
  MlirContext context = mlirOperationGetContext(function);
  MlirStringRef name = TILE_STR("function_type");
  MlirType type = mlirTypeAttrGetValue(
      mlirOperationGetInherentAttributeByName(function, name));
  intptr_t count = mlirFunctionTypeGetNumInputs(type),
           num_results = mlirFunctionTypeGetNumResults(type);
  MlirType *types = TILE_ARENA_NEW(plan->arena, MlirType, count + 1);
  MlirType *results = TILE_ARENA_NEW(plan->arena, MlirType, num_results + 1);
  for (intptr_t i = 0; i < num_results; i++)
    results[i] = mlirFunctionTypeGetResult(type, i);
  for (intptr_t i = 0; i < count; i++) {
    types[i] = mlirFunctionTypeGetInput(type, i);
    const CodedValue *coded = find(plan, mlirBlockGetArgument(entry, i));
    if (!coded)
      continue;
    types[i] = coded->now;
    if (func_func_is(function))
      mlirFuncSetArgAttr(
          function, i, TILE_STR(TILE_HOLDS_ATTR),
          mlirStringAttrGet(context, tile_str(coded->info->name)));
  }
  mlirOperationSetInherentAttributeByName(
      function, name,
      mlirTypeAttrGet(
          mlirFunctionTypeGet(context, count, types, num_results, results)));
}

static void change_types(const Plan *plan) {
  for (size_t i = 0; i < plan->functions.count; i++)
    change_function(plan, plan->functions.items[i]);
  for (size_t i = 0; i < plan->count; i++)
    mlirValueSetType(plan->values[i].value, plan->values[i].now);
}

//===-- Windows and extents -----------------------------------------------===//

static MlirType element_now(const CodedValue *coded) {
  TileShape shape;
  tile_shape_get(coded->now, &shape);
  return shape.element;
}

static MlirValue in_bytes(TileBuilder *b, const CodedValue *coded,
                          MlirValue elems) {
  MlirValue groups = arith_divui(b, elems, tile_const_index(b, coded->pack));
  return coded->pack_bytes == 1
             ? groups
             : arith_muli(b, groups, tile_const_index(b, coded->pack_bytes));
}

static MlirAttribute last_in_bytes(const CodedValue *coded,
                                   MlirAttribute array) {
  int64_t values[TILE_MAX_RANK];
  intptr_t count = mlirDenseArrayGetNumElements(array);
  for (intptr_t i = 0; i < count; i++)
    values[i] = mlirDenseI64ArrayGetElement(array, i);
  if (!mlirShapedTypeIsDynamicStrideOrOffset(values[count - 1]))
    values[count - 1] = values[count - 1] / coded->pack * coded->pack_bytes;
  return mlirDenseI64ArrayGet(mlirAttributeGetContext(array), count, values);
}

static void change_region(TileBuilder *b, const Plan *plan, MlirOperation op) {
  TileRegionOp region = tile_region_cast(op);
  const CodedValue *source = find(plan, tile_region_source(region));
  int last = source->was.rank - 1;
  MlirValue pad = tile_region_pad(region), end = tile_region_end(region, last);
  element_rewrite_at(b, op);
  if (pad.ptr)
    tile_region_set_pad(region, tile_const_zero(b, element_now(source)));
  if (!coded_value_is_packed(source))
    return;
  TileInt offset = tile_region_offset(region, last);
  TileRange offsets = tile_region_offsets(region);
  if (!tile_int_is_constant(offset)) // of dynamic offsets it is the last one
    mlirOperationSetOperand(op, offsets.start + offsets.n - 1,
                            in_bytes(b, source, offset.value));
  if (end.ptr) { // and of ends
    TileRange ends = tile_region_ends(region);
    mlirOperationSetOperand(op, ends.start + ends.n - 1,
                            in_bytes(b, source, end));
  }
  tile_region_set_static_offsets_attr(
      region, last_in_bytes(source, tile_region_static_offsets_attr(region)));
  tile_region_set_static_sizes_attr(
      region, last_in_bytes(source, tile_region_static_sizes_attr(region)));
}

static void change_number(TileBuilder *b, const Plan *plan, MlirOperation op) {
  CodedValue *coded = coded_of(plan, op);
  int64_t dim = 0;
  if (!coded_value_is_packed(coded))
    return;
  element_rewrite_at(b, op);
  if (memref_alloc_is(op)) {
    intptr_t last = mlirOperationGetNumOperands(op) - 1;
    if (coded->was.extent[coded->was.rank - 1] < 0)
      mlirOperationSetOperand(
          op, last, in_bytes(b, coded, mlirOperationGetOperand(op, last)));
    return;
  }
  mlirxConstantInt(mlirOperationGetOperand(op, 1), &dim);
  if (dim + 1 != coded->was.rank)
    return;
  mlirRewriterBaseSetInsertionPointAfter(b->rw, op);
  MlirValue bytes = memref_dim(b, mlirOperationGetOperand(op, 0),
                               mlirOperationGetOperand(op, 1));
  if (coded->pack_bytes > 1)
    bytes = arith_divui(b, bytes, tile_const_index(b, coded->pack_bytes));
  mlirRewriterBaseReplaceAllUsesWith(
      b->rw, mlirOperationGetResult(op, 0),
      arith_muli(b, bytes, tile_const_index(b, coded->pack)));
  mlirRewriterBaseEraseOp(b->rw, op);
}

//===-- Values of unsigned types ------------------------------------------===//

static bool is_cast(MlirOperation op) {
  return tile_op_name_begins(op, "builtin.unrealized_conversion_cast") &&
         mlirOperationGetNumOperands(op) == 1 &&
         mlirOperationGetNumResults(op) == 1;
}

static MlirValue cast_to(TileBuilder *b, MlirValue value, MlirType type) {
  if (mlirTypeEqual(mlirValueGetType(value), type))
    return value;
  if (mlirValueIsAOpResult(value)) {
    MlirOperation from = mlirOpResultGetOwner(value);
    if (is_cast(from) &&
        mlirTypeEqual(mlirValueGetType(mlirOperationGetOperand(from, 0)), type))
      return mlirOperationGetOperand(from, 0);
  }
  MlirOperationState state = mlirOperationStateGet(
      TILE_STR("builtin.unrealized_conversion_cast"), b->loc);
  mlirOperationStateAddOperands(&state, 1, &value);
  mlirOperationStateAddResults(&state, 1, &type);
  MlirOperation cast = mlirOperationCreate(&state);
  mlirRewriterBaseInsert(b->rw, cast);
  return mlirOperationGetResult(cast, 0);
}

// Casts of `value` to the type of `by` are `by`.
static void replace_casts(TileBuilder *b, MlirValue value, MlirValue by) {
  MlirOpOperand use = mlirValueGetFirstUse(value);
  while (!mlirOpOperandIsNull(use)) {
    MlirOperation op = mlirOpOperandGetOwner(use);
    use = mlirOpOperandGetNextUse(use);
    if (!is_cast(op) ||
        !mlirTypeEqual(mlirValueGetType(mlirOperationGetResult(op, 0)),
                       mlirValueGetType(by)))
      continue;
    mlirRewriterBaseReplaceAllUsesWith(b->rw, mlirOperationGetResult(op, 0),
                                       by);
    mlirRewriterBaseEraseOp(b->rw, op);
  }
}

//===-- Elements ----------------------------------------------------------===//

static MlirType int_type(TileBuilder *b, int bits) {
  return mlirIntegerTypeGet(tile_builder_context(b), (unsigned)bits);
}

static bool is_packed_type(const CodedValue *coded) {
  return coded && tile_dtype_info_is_packed(coded->info);
}

// The type that an element of `tile` has as a value.
static MlirType element_type(MlirValue tile, const CodedValue *coded) {
  if (is_packed_type(coded))
    return coded->was.element;
  TileShape shape;
  tile_shape_of(tile, &shape);
  return shape.element;
}

//===-- Bytes -------------------------------------------------------------===//

static MlirValue element_byte(TileBuilder *b, const CodedValue *coded,
                              MlirValue value) {
  return is_packed_type(coded)
             ? tile_pack(b, .type = int_type(b, 8), .elements = {&value, 1})
             : value;
}

static MlirValue element_of_byte(TileBuilder *b, const CodedValue *coded,
                                 MlirValue byte) {
  return is_packed_type(coded)
             ? tile_unpack(b, .type = coded->was.element, .word = byte,
                           .index = tile_const_index(b, 0))
             : byte;
}

// Byte `number` of those that hold element `at`.
static MlirValue byte_at(TileBuilder *b, const CodedValue *coded, MlirValue at,
                         int number, bool is_group) {
  MlirValue group =
      is_group ? at : arith_divui(b, at, tile_const_index(b, coded->pack));
  if (coded->pack_bytes > 1)
    group = arith_muli(b, group, tile_const_index(b, coded->pack_bytes));
  return number ? arith_addi(b, group, tile_const_index(b, number)) : group;
}

static ElementSide side_of_byte(TileBuilder *b, MlirValue tile,
                                const CodedValue *coded, const MlirValue *at,
                                int number, bool is_group) {
  MlirValue places[TILE_MAX_RANK];
  int rank = coded->was.rank;
  ElementSide side;
  for (int d = 0; d < rank; d++)
    places[d] = at[d];
  places[rank - 1] = byte_at(b, coded, at[rank - 1], number, is_group);
  element_side_build(b, tile, places, &side);
  return side;
}

//===-- Reads -------------------------------------------------------------===//

// A memref that is no window is read where the loop says, as memref.load does.
static MlirValue side_read(TileBuilder *b, MlirValue tile, ElementSide *side) {
  if (mlirTypeIsAMemRef(mlirValueGetType(tile)))
    side->is_global = false;
  return element_side_read(b, side);
}

// Element `at` of a tile operand or memref, of which `coded` is what is known,
// null for others; what is outside a tensor gives 0. Of a packed type it is a
// value of that type, of an unsigned one a signless integer.
static MlirValue element_read(TileBuilder *b, MlirValue tile,
                              const CodedValue *coded, const MlirValue *at) {
  ElementSide side;
  if (!coded || !coded_value_is_packed(coded)) {
    element_side_build(b, tile, at, &side);
    return element_of_byte(b, coded, side_read(b, tile, &side));
  }
  MlirValue word = {NULL};
  MlirType i32 = int_type(b, 32);
  for (int i = 0; i < coded->pack_bytes; i++) {
    side = side_of_byte(b, tile, coded, at, i, false);
    MlirValue byte = side_read(b, tile, &side);
    if (coded->pack_bytes > 1)
      byte = arith_extui(b, .type = i32, .in = byte);
    word = i == 0
               ? byte
               : arith_ori(b, word,
                           arith_shli(b, byte, tile_const_int(b, 8 * i, 32)));
  }
  return tile_unpack(b, .type = coded->was.element, .word = word,
                     .index = at[coded->was.rank - 1]);
}

//===-- Writes ------------------------------------------------------------===//

// To memory that is not packed.
static void element_write(TileBuilder *b, MlirValue tile,
                          const CodedValue *coded, const MlirValue *at,
                          MlirValue value) {
  ElementSide side;
  element_side_build(b, tile, at, &side);
  element_side_write(b, &side, element_byte(b, coded, value));
}

// `elements` fill whole bytes of packed memory: number `at` of them in the last
// dimension.
static void elements_write(TileBuilder *b, MlirValue tile,
                           const CodedValue *coded, const MlirValue *at,
                           const MlirValue *elements) {
  int bytes = coded->pack_bytes;
  MlirValue word = tile_pack(b, .type = int_type(b, bytes > 1 ? 32 : 8),
                             .elements = {(MlirValue *)elements, coded->pack});
  for (int i = 0; i < bytes; i++) {
    MlirValue byte = word;
    if (i > 0)
      byte = arith_shrui(b, byte, tile_const_int(b, 8 * i, 32));
    if (bytes > 1)
      byte = arith_trunci(b, .type = int_type(b, 8), .in = byte);
    ElementSide side = side_of_byte(b, tile, coded, at, i, true);
    element_side_write(b, &side, byte);
  }
}

//===-- Conversion --------------------------------------------------------===//

// As tile.copy converts.
static MlirValue element_converted(TileBuilder *b, MlirValue value,
                                   const CodedValue *from, MlirType to) {
  MlirType have = mlirValueGetType(value);
  bool is_unsigned = from && from->info->kind == TILE_NUMBER_UNSIGNED;
  if (is_unsigned &&
      mlirIntegerTypeGetWidth(have) < mlirIntegerTypeGetWidth(to))
    return arith_extui(b, .type = to, .in = value);
  return element_convert(b, value, to);
}

//===-- Accesses ----------------------------------------------------------===//

static void change_load(TileBuilder *b, const CodedValue *coded,
                        MlirOperation op) {
  MemRefLoadOp load = memref_load_cast(op);
  TileRange indices = memref_load_indices(load);
  MlirValue at[TILE_MAX_RANK], result = mlirOperationGetResult(op, 0);
  for (int d = 0; d < coded->was.rank; d++)
    at[d] = tile_range_at(indices, d);
  MlirValue value = element_read(b, memref_load_memref(load), coded, at);
  if (!mlirTypeEqual(mlirValueGetType(value), coded->was.element)) {
    replace_casts(b, result, value);
    if (tile_value_is_used(result))
      value = cast_to(b, value, coded->was.element);
  }
  if (tile_value_is_used(result))
    mlirRewriterBaseReplaceAllUsesWith(b->rw, result, value);
  mlirRewriterBaseEraseOp(b->rw, op);
}

static MlirValue bytes_of(const Plan *plan, MlirOperation loop,
                          const CodedValue *tile) {
  for (size_t i = 0; i < plan->num_stores; i++)
    if (mlirOperationEqual(plan->stores[i].loop, loop) &&
        plan->stores[i].tile == tile)
      return plan->stores[i].bytes;
  return tile->value;
}

static void change_store(TileBuilder *b, const Plan *plan,
                         const CodedValue *coded, MlirOperation op) {
  MemRefStoreOp store = memref_store_cast(op);
  TileRange indices = memref_store_indices(store);
  MlirValue at[TILE_MAX_RANK], value = memref_store_value(store);
  MlirType now = element_now(coded);
  for (int d = 0; d < coded->was.rank; d++)
    at[d] = tile_range_at(indices, d);
  if (tile_dtype_info_is_packed(coded->info))
    value = element_byte(b, coded, value);
  else
    value = cast_to(b, value, now);
  MlirValue memref = coded_value_is_packed(coded)
                         ? bytes_of(plan, loop_around(op), coded)
                         : coded->value;
  memref_store(b, .value = value, .memref = memref,
               .indices = {at, coded->was.rank});
  mlirRewriterBaseEraseOp(b->rw, op);
}

//===-- Loops over elements -----------------------------------------------===//

typedef struct {
  MlirValue tile;
  const CodedValue *coded; // null: of another type
} Side;

// A shared tile of the shape of `like`, outside of all loops around `op`: of
// its type, or of a byte for each element where `is_bytes`.
static Side shared_like(TileBuilder *b, MlirOperation op,
                        const CodedValue *like, bool is_bytes,
                        CodedValue *out) {
  MlirContext context = tile_builder_context(b);
  int rank = like->was.rank;
  int64_t extent[TILE_MAX_RANK];
  for (int d = 0; d < rank; d++)
    extent[d] = like->was.extent[d];
  if (!is_bytes && tile_dtype_info_is_packed(like->info))
    extent[rank - 1] = extent[rank - 1] / tile_dtype_info_pack(like->info) *
                       tile_dtype_info_pack_bytes(like->info);
  *out = *like;
  out->was.space = TILE_SPACE_SHARED;
  out->pack = is_bytes ? 1 : tile_dtype_info_pack(like->info);
  out->pack_bytes = is_bytes ? 1 : tile_dtype_info_pack_bytes(like->info);
  out->now =
      mlirMemRefTypeContiguousGet(element_now(like), rank, extent,
                                  tile_space_attr(context, TILE_SPACE_SHARED));
  mlirRewriterBaseSetInsertionPointBefore(b->rw, element_statement_of(op));
  out->value = tile_alloc(b, .type = out->now);
  mlirRewriterBaseSetInsertionPointBefore(b->rw, op);
  return (Side){out->value, out};
}

// A loop that is being built, and the place where it goes.
typedef struct {
  MlirBlock block;
  MlirOperation next; // null: at the end
  MlirRegion body;
} Loop;

static Loop begin_loop(TileBuilder *b, int rank, MlirValue *out_at) {
  Loop loop = {mlirRewriterBaseGetInsertionBlock(b->rw),
               mlirRewriterBaseGetOperationAfterInsertion(b->rw),
               element_region_begin(b, rank)};
  for (int d = 0; d < rank; d++)
    out_at[d] = mlirBlockGetArgument(mlirRegionGetFirstBlock(loop.body), d);
  return loop;
}

static void end_loop(TileBuilder *b, const Loop *loop, const TileShape *shape) {
  mlirRewriterBaseSetInsertionPointToEnd(b->rw, loop->block);
  if (loop->next.ptr)
    mlirRewriterBaseSetInsertionPointBefore(b->rw, loop->next);
  tile_parallel_op(b, .extents = {shape->extent, shape->rank},
                   .body = loop->body);
}

static void element_loop(TileBuilder *b, Side src, Side dst) {
  TileShape shape;
  tile_shape_of(dst.tile, &shape);
  if (dst.coded)
    shape = dst.coded->was;
  MlirValue at[TILE_MAX_RANK];
  Loop loop = begin_loop(b, shape.rank, at);
  MlirValue value = element_read(b, src.tile, src.coded, at);
  value =
      element_converted(b, value, src.coded, element_type(dst.tile, dst.coded));
  element_write(b, dst.tile, dst.coded, at, value);
  end_loop(b, &loop, &shape);
}

// To packed memory; `value`, unless null, is every element.
static void pack_loop(TileBuilder *b, Side src, Side dst, MlirValue value) {
  enum { MAX_PACK = 4 };
  TileShape shape = dst.coded->was;
  int last = shape.rank - 1, pack = dst.coded->pack;
  shape.extent[last] /= pack;
  MlirValue at[TILE_MAX_RANK], elements[MAX_PACK];
  Loop loop = begin_loop(b, shape.rank, at);
  MlirValue group = at[last];
  MlirValue first = arith_muli(b, group, tile_const_index(b, pack));
  for (int i = 0; i < pack; i++) {
    at[last] = i ? arith_addi(b, first, tile_const_index(b, i)) : first;
    elements[i] =
        value.ptr
            ? value
            : element_converted(b, element_read(b, src.tile, src.coded, at),
                                src.coded, dst.coded->was.element);
  }
  at[last] = group;
  elements_write(b, dst.tile, dst.coded, at, elements);
  end_loop(b, &loop, &shape);
}

//===-- Copies ------------------------------------------------------------===//

static bool is_packed(Side side) {
  return side.coded && coded_value_is_packed(side.coded);
}

static bool is_of(Side side, TileSpace space) {
  TileShape shape;
  return tile_shape_of(side.tile, &shape) && shape.space == space;
}

// Elements that are converted, by way of shared tiles where one side is packed
// and in global memory, so that the other part is a copy as others.
static void change_copy(TileBuilder *b, const Plan *plan, MlirOperation op) {
  TileCopyOp copy = tile_copy_cast(op);
  Side src = {tile_copy_src(copy), find(plan, tile_copy_src(copy))};
  Side dst = {tile_copy_dst(copy), find(plan, tile_copy_dst(copy))};
  CodedValue *made = TILE_ARENA_NEW(plan->arena, CodedValue, 3);
  bool is_same = src.coded && dst.coded && src.coded->info == dst.coded->info;
  if (is_same && src.coded->pack == dst.coded->pack)
    return;
  element_rewrite_at(b, op);
  if (is_packed(src) && is_of(src, TILE_SPACE_GLOBAL)) {
    Side staged = shared_like(b, op, src.coded, false, &made[0]);
    tile_copy(b, .src = src.tile, .dst = staged.tile);
    src = staged;
  }
  if (!is_packed(dst)) {
    element_loop(b, src, dst);
    mlirRewriterBaseEraseOp(b->rw, op);
    return;
  }
  if (is_of(src, TILE_SPACE_FRAGMENT)) { // places in registers are constants
    Side bytes = shared_like(b, op, dst.coded, true, &made[1]);
    element_loop(b, src, bytes);
    src = bytes;
  }
  Side packed = is_of(dst, TILE_SPACE_GLOBAL)
                    ? shared_like(b, op, dst.coded, false, &made[2])
                    : dst;
  pack_loop(b, src, packed, TILE_NULL_VALUE);
  if (is_of(dst, TILE_SPACE_GLOBAL))
    tile_copy(b, .src = packed.tile, .dst = dst.tile);
  mlirRewriterBaseEraseOp(b->rw, op);
}

static void change_fill(TileBuilder *b, const Plan *plan, MlirOperation op) {
  TileFillOp fill = tile_fill_cast(op);
  const CodedValue *dst = find(plan, tile_fill_dst(fill));
  MlirValue value = tile_fill_value(fill);
  MlirType now = element_now(dst);
  bool is_zero = tile_value_is_zero_bits(value);
  element_rewrite_at(b, op);
  if (!is_zero && dst->pack_bytes > 1) {
    pack_loop(b, (Side){{NULL}, NULL}, (Side){dst->value, dst}, value);
    mlirRewriterBaseEraseOp(b->rw, op);
    return;
  }
  MlirValue twice[2] = {value, value};
  if (is_zero)
    value = tile_const_zero(b, now);
  else if (!tile_dtype_info_is_packed(dst->info))
    value = cast_to(b, value, now);
  else
    value = tile_pack(b, .type = now, .elements = {twice, dst->pack});
  mlirOperationSetOperand(op, 1, value);
}

//===-- Loops that store packed elements ----------------------------------===//

static void begin_stores(TileBuilder *b, const Plan *plan,
                         PackedStores *stores) {
  CodedValue *made = TILE_ARENA_NEW(plan->arena, CodedValue, 1);
  element_rewrite_at(b, stores->loop);
  Side bytes = shared_like(b, stores->loop, stores->tile, true, made);
  stores->bytes = bytes.tile;
  if (stores->is_partial)
    element_loop(b, (Side){stores->tile->value, stores->tile}, bytes);
  mlirRewriterBaseSetInsertionPointAfter(b->rw, stores->loop);
  pack_loop(b, bytes, (Side){stores->tile->value, stores->tile},
            TILE_NULL_VALUE);
}

//===-- Entry -------------------------------------------------------------===//

static void apply(Plan *plan, MlirOperation root) {
  TileBuilder b = element_rewrite_begin(root);
  change_types(plan);
  for (size_t i = 0; i < plan->regions.count; i++)
    change_region(&b, plan, plan->regions.items[i]);
  for (size_t i = 0; i < plan->numbers.count; i++)
    change_number(&b, plan, plan->numbers.items[i]);
  for (size_t i = 0; i < plan->num_stores; i++)
    begin_stores(&b, plan, &plan->stores[i]);
  for (size_t i = 0; i < plan->accesses.count; i++) {
    MlirOperation op = plan->accesses.items[i];
    element_rewrite_at(&b, op);
    if (memref_load_is(op))
      change_load(&b, coded_of(plan, op), op);
    else
      change_store(&b, plan, coded_of(plan, op), op);
  }
  for (size_t i = 0; i < plan->moves.count; i++) {
    if (tile_copy_is(plan->moves.items[i]))
      change_copy(&b, plan, plan->moves.items[i]);
    else
      change_fill(&b, plan, plan->moves.items[i]);
  }
  mlirIRRewriterDestroy(b.rw);
}

MlirLogicalResult tile_expand_types_run(MlirOperation op,
                                        const TileExpandTypesOptions *options) {
  TileArena arena;
  (void)options;
  tile_arena_init(&arena);
  Plan plan = {.arena = &arena, .result = tile_success()};
  plan.functions.arena = plan.regions.arena = plan.numbers.arena = &arena;
  plan.accesses.arena = plan.moves.arena = &arena;
  mlirOperationWalk(op, plan_values, &plan, MlirWalkPreOrder);
  if (plan.count && !tile_failed(plan.result))
    mlirOperationWalk(op, plan_ops, &plan, MlirWalkPreOrder);
  if (plan.count && !tile_failed(plan.result))
    apply(&plan, op);
  MlirLogicalResult result = plan.result;
  tile_arena_deinit(&arena);
  return result;
}
