//===- FormKernels.c - A graph of linalg ops as calls of kernels ----------===//
//
// Consumes: functions that hold linalg ops on tensors or memrefs.
// Produces: for each kernel a private function with its ops, the name of its
//           schedule and its sizes, and a call of it; products with sums of
//           f32.
// Keeps:    ops on tensors that are no linalg ops: what the host does.
// Fails:    an op of linalg is no loops with a body.
//
//===----------------------------------------------------------------------===//

#include "Transforms/Schedules/NestBuild.h"

#include "Dialect/ForeignOps.h"
#include "Support/Diagnostics.h"
#include "Support/Iterate.h"
#include "Support/StringBuilder.h"
#include "Tile/Ops/func.h"
#include "Tile/Ops/scf.h"
#include "TilePasses.h"
#include <stdio.h>

static bool is_linalg(MlirOperation op) {
  return tile_op_name_begins(op, "linalg.") && !mlirxIsTerminator(op);
}

//===-- linalg ops of the host --------------------------------------------===//

static MlirWalkResult collect(MlirOperation op, void *user_data) {
  if (scf_forall_is(op) || tile_kernel_is(op))
    return MlirWalkResultSkip;
  if (!is_linalg(op))
    return MlirWalkResultAdvance;
  tile_op_list_add(user_data, op);
  return MlirWalkResultSkip;
}

//===-- Sums of f32 -------------------------------------------------------===//

// The zeros that a product starts from, or null.
static MlirOperation zero_fill(MlirValue init) {
  if (mlirValueIsABlockArgument(init))
    return TILE_NULL_OP;
  MlirOperation op = mlirOpResultGetOwner(init);
  return tile_op_name_begins(op, "linalg.fill") &&
                 tile_value_is_zero_bits(mlirOperationGetOperand(op, 0))
             ? op
             : TILE_NULL_OP;
}

static MlirValue zeros_like(TileBuilder *b, MlirValue init, MlirType element) {
  MlirValue zero = tile_const_zero(b, element);
  return fill(b, zero, empty_like(b, init, element));
}

// Tensor cores sum in f32, and so do front ends on GPUs: the sum is rounded
// once.
static void widen_product(TileBuilder *b, const TileNest *nest) {
  MlirContext context = tile_builder_context(b);
  MlirType f32 = mlirF32TypeGet(context);
  MlirValue init = mlirOperationGetOperand(nest->op, 2);
  MlirType narrow = element_of(init);
  MlirValue sum =
      zero_fill(init).ptr ? zeros_like(b, init, f32) : converted(b, init, f32);
  TileValues operands = TILE_VALUES(mlirOperationGetOperand(nest->op, 0),
                                    mlirOperationGetOperand(nest->op, 1), sum);
  TileBuilder inner = {mlirIRRewriterCreate(context), b->loc};
  MlirValue args[3];
  MlirRegion body = body_begin(&inner, operands, args);
  MlirValue left = cast_float(&inner, args[0], f32);
  MlirValue product =
      arith_mulf(&inner, left, cast_float(&inner, args[1], f32));
  make(&inner, "linalg.yield",
       TILE_VALUES(arith_addf(&inner, args[2], product)), (MlirType){NULL},
       NULL);
  mlirIRRewriterDestroy(inner.rw);
  MlirValue wide =
      generic(b, operands, mlirLinalgGetIndexingMapsAttribute(nest->op),
              iterator_types(context, nest), body);
  mlirValueReplaceAllUsesOfWith(result_of(nest->op),
                                converted(b, wide, narrow));
  mlirRewriterBaseEraseOp(b->rw, nest->op);
}

// A contraction, of a vector too, or a window that sums products, as
// convolutions in groups do.
static bool sums_products(const TileNest *nest) {
  if (nest->kind == TILE_NEST_PRODUCT)
    return true;
  if (nest->kind == TILE_NEST_ELEMENTS || nest->num_operands != 3 ||
      nest->num_outs != 1)
    return false;
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(nest->op, 0));
  int num_products = 0, num_sums = 0;
  TILE_FOR_EACH_OP (op, body) {
    num_products += arith_mulf_is(op);
    num_sums += arith_addf_is(op);
    if (!arith_mulf_is(op) && !arith_addf_is(op) && !arith_extf_is(op) &&
        !mlirxIsTerminator(op))
      return false;
  }
  return num_products == 1 && num_sums == 1;
}

static bool is_narrow(const TileNest *nest) {
  MlirType type = element_of(result_of(nest->op));
  MlirType factor = element_of(mlirOperationGetOperand(nest->op, 0));
  return tile_elem_is_float(type) && mlirFloatTypeGetWidth(type) < 32 &&
         tile_elem_is_float(factor);
}

//===-- What is read and written in place ---------------------------------===//

static MlirWalkResult add_any(MlirOperation op, void *user_data) {
  tile_op_list_add(user_data, op);
  return mlirOperationGetNumRegions(op) && is_linalg(op)
             ? MlirWalkResultSkip
             : MlirWalkResultAdvance;
}

// What was moved, filled or reshaped for products before is nobody's now.
static void erase_dead(TileBuilder *b, MlirOperation function,
                       TileOpList *ops) {
  ops->count = 0;
  mlirOperationWalk(function, add_any, ops, MlirWalkPreOrder);
  for (size_t i = ops->count; i-- > 1;) // users come later
    if (mlirxIsTriviallyDead(ops->items[i]))
      mlirRewriterBaseEraseOp(b->rw, ops->items[i]);
}

// The extent of a dimension by those of what a view is of; null: it is no view.
static MlirValue extent_of_view(TileBuilder *b, MlirOperation view,
                                int64_t dim) {
  MlirValue source = mlirOperationGetOperand(view, 0);
  MlirType type = mlirValueGetType(result_of(view));
  if (tile_op_name_begins(view, "tensor.expand_shape")) {
    intptr_t number = 1;
    for (int64_t d = 0; d < dim; d++)
      number += mlirShapedTypeIsDynamicDim(type, d);
    return mlirOperationGetOperand(view, number);
  }
  if (!tile_op_name_begins(view, "tensor.collapse_shape"))
    return TILE_NULL_VALUE;
  MlirAttribute group = mlirArrayAttrGetElement(
      mlirOperationGetInherentAttributeByName(view, TILE_STR("reassociation")),
      dim);
  MlirValue product = TILE_NULL_VALUE;
  MlirType from = mlirValueGetType(source);
  for (intptr_t i = 0; i < mlirArrayAttrGetNumElements(group); i++) {
    int64_t d = mlirIntegerAttrGetValueInt(mlirArrayAttrGetElement(group, i));
    MlirValue extent =
        mlirShapedTypeIsDynamicDim(from, d)
            ? extent_of(b, source, d)
            : tile_const_index(b, mlirShapedTypeGetDimSize(from, d));
    product = product.ptr ? arith_muli(b, product, extent) : extent;
  }
  return product;
}

// Extents that the host asks of what kernels make are those that it was made
// with: nothing else may use what lies between two products.
static void resolve_extents(TileBuilder *b, MlirOperation function,
                            TileOpList *ops) {
  ops->count = 0;
  mlirOperationWalk(function, add_any, ops, MlirWalkPreOrder);
  for (size_t i = 0; i < ops->count; i++) {
    MlirOperation op = ops->items[i];
    int64_t dim;
    if (!tile_op_name_begins(op, "tensor.dim") ||
        !mlirxConstantInt(mlirOperationGetOperand(op, 1), &dim))
      continue;
    MlirValue tensor = mlirOperationGetOperand(op, 0);
    if (mlirValueIsABlockArgument(tensor) || dim < 0 ||
        dim >= mlirShapedTypeGetRank(mlirValueGetType(tensor)) ||
        !mlirShapedTypeIsDynamicDim(mlirValueGetType(tensor), dim))
      continue;
    b->loc = mlirOperationGetLocation(op);
    mlirRewriterBaseSetInsertionPointBefore(b->rw, op);
    MlirOperation maker = mlirOpResultGetOwner(tensor);
    MlirValue extent =
        is_structured(maker) || tile_op_name_begins(maker, "tensor.empty")
            ? extent_of(b, tensor, dim)
            : extent_of_view(b, maker, dim);
    if (extent.ptr)
      mlirValueReplaceAllUsesOfWith(result_of(op), extent);
  }
  erase_dead(b, function, ops);
}

// Every product reads and writes in place of what moves elements; what moves
// them may be gone after each, so the ops are looked for anew.
static void fold_views(TileBuilder *b, MlirOperation function,
                       TileOpList *ops) {
  bool is_changed = true;
  ops->count = 0;
  mlirOperationWalk(function, add_any, ops, MlirWalkPreOrder);
  for (size_t i = 0; i < ops->count; i++)
    if (!is_linalg(ops->items[i]))
      tile_views_fold(b, ops->items[i], TILE_FOLD_VIEWS);
  erase_dead(b, function, ops);
  while (is_changed) {
    is_changed = false;
    ops->count = 0;
    mlirOperationWalk(function, collect, ops, MlirWalkPreOrder);
    for (size_t i = 0; i < ops->count && !is_changed; i++)
      is_changed = tile_views_fold(b, ops->items[i], TILE_FOLD_VIEWS);
  }
  for (size_t i = 0; i < ops->count; i++)
    tile_views_fold(b, ops->items[i], TILE_FOLD_DEPTHS);
}

// The loops whose result is put into a memref that nothing else uses, where
// they start from an empty tensor: they may write to the memref. `out_view`
// has the shape that is put, or is null.
static MlirOperation writer_of(MlirOperation put, MlirOperation *out_view) {
  TileNest nest;
  MlirValue tensor = mlirOperationGetOperand(put, 0);
  MlirValue memref = mlirOperationGetOperand(put, 1);
  *out_view = TILE_NULL_OP;
  if (!mlirValueIsABlockArgument(tensor) &&
      tile_op_name_begins(mlirOpResultGetOwner(tensor),
                          "tensor.expand_shape") &&
      mlirOpOperandIsNull(
          mlirOpOperandGetNextUse(mlirValueGetFirstUse(tensor)))) {
    *out_view = mlirOpResultGetOwner(tensor);
    tensor = mlirOperationGetOperand(*out_view, 0);
  }
  if (mlirValueIsABlockArgument(tensor) || !mlirValueIsABlockArgument(memref) ||
      !mlirTypeIsAMemRef(mlirValueGetType(memref)))
    return TILE_NULL_OP;
  MlirOperation op = mlirOpResultGetOwner(tensor);
  MlirOpOperand use = mlirValueGetFirstUse(memref);
  MlirOpOperand last = mlirValueGetFirstUse(tensor);
  if (!mlirOpOperandIsNull(mlirOpOperandGetNextUse(use)) ||
      !mlirOpOperandIsNull(mlirOpOperandGetNextUse(last)) ||
      !tile_nest_of(op, &nest) || nest.num_outs != 1 ||
      nest.kind == TILE_NEST_PRODUCT)
    return TILE_NULL_OP;
  MlirValue init = mlirOperationGetOperand(op, nest.num_operands - 1);
  return !mlirValueIsABlockArgument(init) &&
                 tile_op_name_begins(mlirOpResultGetOwner(init), "tensor.empty")
             ? op
             : TILE_NULL_OP;
}

static MlirWalkResult write_in_place(MlirOperation put, void *user_data) {
  static const char *const attrs[] = {"restrict", "writable"};
  TileBuilder *b = user_data;
  if (!tile_op_name_begins(put, "bufferization.materialize_in_destination"))
    return MlirWalkResultAdvance;
  MlirOperation view, op = writer_of(put, &view);
  if (!op.ptr)
    return MlirWalkResultAdvance;
  b->loc = mlirOperationGetLocation(op);
  mlirRewriterBaseSetInsertionPointBefore(b->rw, op);
  MlirValue place =
      result_of(make(b, "bufferization.to_tensor",
                     TILE_VALUES(mlirOperationGetOperand(put, 1)),
                     mlirValueGetType(mlirOperationGetOperand(put, 0)), attrs));
  if (view.ptr) {
    TileState s;
    tile_ods_begin(&s, b, "tensor.collapse_shape");
    tile_ods_operand(&s, place);
    tile_ods_type(&s, mlirValueGetType(result_of(op)));
    tile_ods_put(&s, "reassociation",
                 mlirOperationGetInherentAttributeByName(
                     view, TILE_STR("reassociation")));
    place = result_of(tile_ods_end(&s, b));
  }
  mlirOperationSetOperand(op, mlirOperationGetNumOperands(op) - 1, place);
  return MlirWalkResultAdvance;
}

static void move_scales(TileBuilder *b, MlirOperation function,
                        TileOpList *ops) {
  ops->count = 0;
  mlirOperationWalk(function, collect, ops, MlirWalkPreOrder);
  for (size_t i = 0; i < ops->count; i++)
    tile_scales_move(b, ops->items[i]);
}

static MlirStringRef symbol_of(MlirOperation function) {
  return mlirStringAttrGetValue(
      mlirOperationGetInherentAttributeByName(function, TILE_STR("sym_name")));
}

static void form_attention(TileBuilder *b, MlirOperation function,
                           TileOpList *ops, const TileTarget *target) {
  int number = 0;
  MlirStringRef name = symbol_of(function);
  ops->count = 0;
  mlirOperationWalk(function, collect, ops, MlirWalkPreOrder);
  for (size_t i = 0; i < ops->count; i++) {
    TileNest nest;
    char text[256];
    snprintf(text, sizeof text, "%.*s_attention_%d", (int)name.length,
             name.data, number);
    if (tile_nest_of(ops->items[i], &nest) && nest.kind == TILE_NEST_PRODUCT)
      number += tile_attention_form(b, function, &nest, text, target);
  }
}

static void widen_products(TileBuilder *b, MlirOperation function,
                           TileOpList *ops) {
  ops->count = 0;
  mlirOperationWalk(function, collect, ops, MlirWalkPreOrder);
  for (size_t i = 0; i < ops->count; i++) {
    TileNest nest;
    b->loc = mlirOperationGetLocation(ops->items[i]);
    mlirRewriterBaseSetInsertionPointBefore(b->rw, ops->items[i]);
    if (tile_nest_of(ops->items[i], &nest) && sums_products(&nest) &&
        is_narrow(&nest))
      widen_product(b, &nest);
  }
}

//===-- Results that no kernel makes --------------------------------------===//

static MlirWalkResult find_kernel(MlirOperation op, void *user_data) {
  if (!is_linalg(op) && !scf_forall_is(op) && !tile_kernel_is(op) &&
      !tile_op_name_begins(op, "func.call"))
    return MlirWalkResultAdvance;
  *(bool *)user_data = true;
  return MlirWalkResultInterrupt;
}

// Arguments, views of them and what the host joins are copied to the results: a
// host function launches one kernel or more.
static void copy_results(TileBuilder *b, MlirOperation function) {
  bool has_kernel = false;
  MlirOperation end = mlirBlockGetTerminator(tile_kernel_body(function));
  mlirOperationWalk(function, find_kernel, &has_kernel, MlirWalkPreOrder);
  if (has_kernel)
    return;
  b->loc = mlirOperationGetLocation(end);
  mlirRewriterBaseSetInsertionPointBefore(b->rw, end);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(end); i++) {
    MlirValue value = mlirOperationGetOperand(end, i);
    MlirType type = mlirValueGetType(value);
    if (mlirTypeIsARankedTensor(type) && mlirShapedTypeGetRank(type) > 0)
      mlirOperationSetOperand(
          end, i,
          tile_tensor_copied(b, value,
                             empty_like(b, value, element_of(value))));
  }
}

//===-- A function per kernel ---------------------------------------------===//

typedef struct {
  TileBuilder b; // at the end of the body
  MlirBlock body;
  MlirxMapping map;
  MlirValue args[TILE_GROUP_MAX_OPS * 4]; // what the call gives
  intptr_t num_args;
  MlirOperation free[TILE_GROUP_MAX_OPS * 4]; // that were copied
  MlirValue copies[TILE_GROUP_MAX_OPS * 4];
  int num_free;
} Outline;

static MlirValue import(Outline *out, MlirValue value);

static MlirValue import_free(Outline *out, MlirOperation op) {
  for (int i = 0; i < out->num_free; i++)
    if (mlirOperationEqual(out->free[i], op))
      return out->copies[i];
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
    import(out, mlirOperationGetOperand(op, i));
  MlirOperation copy = mlirxClone(out->b.rw, op, out->map);
  if (out->num_free < TILE_GROUP_MAX_OPS * 4) {
    out->free[out->num_free] = op;
    out->copies[out->num_free++] = result_of(copy);
  }
  return result_of(copy);
}

// The value in the function: an argument, or a copy of what is free.
static MlirValue import(Outline *out, MlirValue value) {
  MlirValue known = mlirxMappingGet(out->map, value);
  if (!mlirValueEqual(known, value))
    return known;
  if (!mlirValueIsABlockArgument(value) &&
      tile_group_is_free(mlirOpResultGetOwner(value)))
    return import_free(out, mlirOpResultGetOwner(value));
  MlirValue arg =
      mlirBlockAddArgument(out->body, mlirValueGetType(value), out->b.loc);
  out->args[out->num_args++] = value;
  mlirxMappingSet(out->map, value, arg);
  return arg;
}

typedef struct {
  Outline *out;
  MlirOperation op;
} Capture;

// Values from outside that the body of the op uses.
static MlirWalkResult import_captured(MlirOperation op, void *user_data) {
  Capture *capture = user_data;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
    MlirValue value = mlirOperationGetOperand(op, i);
    if (!tile_value_is_inside(value, capture->op))
      import(capture->out, value);
  }
  return MlirWalkResultAdvance;
}

static void mark(MlirOperation op, const char *name) {
  mlirOperationSetDiscardableAttributeByName(
      op, tile_str(name), mlirUnitAttrGet(mlirOperationGetContext(op)));
}

// What fills the sum of the product.
static void mark_accumulator(MlirOperation product) {
  MlirValue init = mlirOperationGetOperand(product, 2);
  if (!mlirValueIsABlockArgument(init) &&
      tile_op_name_begins(mlirOpResultGetOwner(init), "linalg.fill"))
    mark(mlirOpResultGetOwner(init), TILE_ACCUMULATOR_ATTR);
}

// The members stand in the group from the last to the first.
static MlirOperation copy_ops(Outline *out, const TileGroup *group) {
  MlirOperation copy = TILE_NULL_OP;
  for (int i = group->num_ops - 1; i >= 0; i--) {
    MlirOperation op = group->ops[i].nest.op;
    Capture capture = {out, op};
    out->b.loc = mlirOperationGetLocation(op);
    mlirOperationWalk(op, import_captured, &capture, MlirWalkPreOrder);
    copy = mlirxClone(out->b.rw, op, out->map);
    if (i == group->product) {
      mark(copy, TILE_PRODUCT_ATTR);
      mark_accumulator(copy);
    }
    if (group->ops[i].is_factor)
      mark(copy, TILE_FACTOR_ATTR);
  }
  mark(copy, TILE_ROOT_ATTR);
  return copy;
}

static MlirAttribute sizes_attr(MlirContext context, const int64_t *sizes,
                                int count) {
  return mlirDenseI64ArrayGet(context, count, sizes);
}

static void set(MlirOperation op, const char *name, MlirAttribute attr) {
  mlirOperationSetDiscardableAttributeByName(op, tile_str(name), attr);
}

static void write_schedule(MlirOperation function, const TileGroup *group) {
  MlirContext context = mlirOperationGetContext(function);
  const TileGroupOp *root = &group->ops[0];
  const TileGroupOp *stepped =
      &group->ops[group->product < 0 ? 0 : group->product];
  set(function, TILE_SCHEDULE_ATTR,
      mlirStringAttrGet(context, tile_str(group->schedule)));
  set(function, TILE_BLOCK_ATTR,
      sizes_attr(context, group->block, root->nest.num_loops));
  set(function, TILE_LOOP_ATTR,
      sizes_attr(context, group->loop, stepped->nest.num_loops));
  set(function, TILE_THREADS_ATTR,
      mlirIntegerAttrGet(mlirIntegerTypeGet(context, 64), group->threads));
  if (group->stages)
    set(function, TILE_STAGES_ATTR,
        mlirIntegerAttrGet(mlirIntegerTypeGet(context, 32), group->stages));
}

static MlirOperation make_function(Outline *out, MlirOperation root,
                                   const char *name) {
  MlirContext context = tile_builder_context(&out->b);
  MlirType inputs[TILE_GROUP_MAX_OPS * 4], results[TILE_NEST_MAX_OPERANDS];
  MlirValue values[TILE_NEST_MAX_OPERANDS];
  intptr_t num_results = mlirOperationGetNumResults(root);
  for (intptr_t i = 0; i < out->num_args; i++)
    inputs[i] = mlirValueGetType(out->args[i]);
  for (intptr_t i = 0; i < num_results; i++) {
    values[i] = mlirOperationGetResult(root, i);
    results[i] = mlirValueGetType(values[i]);
  }
  make(&out->b, "func.return", (TileValues){values, num_results},
       (MlirType){NULL}, NULL);
  TileState s;
  tile_ods_begin(&s, &out->b, "func.func");
  tile_ods_put(&s, "sym_name", mlirStringAttrGet(context, tile_str(name)));
  tile_ods_put(&s, "sym_visibility",
               mlirStringAttrGet(context, TILE_STR("private")));
  tile_ods_put(&s, "function_type",
               mlirTypeAttrGet(mlirFunctionTypeGet(
                   context, out->num_args, inputs, num_results, results)));
  MlirRegion region = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(region, out->body);
  tile_ods_region(&s, region);
  return mlirOperationCreate(&s.st);
}

static void tell_kernel(const TileGroup *group, const char *name) {
  TileString sizes = {NULL, 0, 0};
  const TileNest *root = &group->ops[0].nest;
  for (int l = 0; l < root->num_loops; l++)
    if (!root->is_reduced[l])
      tile_string_print(&sizes, group->block[l] ? "%s%lld" : "%sall",
                        l ? " x " : "", (long long)group->block[l]);
  for (int i = 0; i < group->num_ops; i++)
    tile_emit_remark(group->ops[i].nest.op, "tile-graph/kernel",
                     "goes to kernel @%s: schedule '%s', blocks of %s", name,
                     group->schedule, tile_string_text(&sizes));
  tile_string_deinit(&sizes);
}

// Replaces the ops of the group by a call of a function that holds them.
static void outline(MlirOperation function, TileGroup *group,
                    const char *name) {
  MlirContext context = mlirOperationGetContext(function);
  MlirOperation root = group->ops[0].nest.op;
  Outline out = {
      .b = {mlirIRRewriterCreate(context), mlirOperationGetLocation(root)},
      .body = mlirBlockCreate(0, NULL, NULL),
      .map = mlirxMappingCreate()};
  tell_kernel(group, name);
  mlirRewriterBaseSetInsertionPointToEnd(out.b.rw, out.body);
  MlirOperation copy = copy_ops(&out, group);
  MlirOperation kernel = make_function(&out, copy, name);
  write_schedule(kernel, group);
  out.b.loc = mlirOperationGetLocation(root);
  mlirRewriterBaseSetInsertionPointAfter(out.b.rw, function);
  mlirRewriterBaseInsert(out.b.rw, kernel);
  mlirRewriterBaseSetInsertionPointBefore(out.b.rw, root);
  TileState s;
  tile_ods_begin(&s, &out.b, "func.call");
  tile_ods_operands(&s, (TileValues){out.args, out.num_args});
  for (intptr_t i = 0; i < mlirOperationGetNumResults(root); i++)
    tile_ods_type(&s, mlirValueGetType(mlirOperationGetResult(root, i)));
  tile_ods_put(&s, "callee", mlirFlatSymbolRefAttrGet(context, tile_str(name)));
  MlirOperation call = tile_ods_end(&s, &out.b);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(root); i++)
    mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(root, i),
                                  mlirOperationGetResult(call, i));
  for (int i = 0; i < group->num_ops; i++)
    mlirRewriterBaseEraseOp(out.b.rw, group->ops[i].nest.op);
  mlirxMappingDestroy(out.map);
  mlirIRRewriterDestroy(out.b.rw);
}

//===-- Functions ---------------------------------------------------------===//

// What callers give is theirs.
static void protect_arguments(MlirOperation function) {
  MlirContext context = mlirOperationGetContext(function);
  MlirBlock body = tile_kernel_body(function);
  MlirAttribute all =
      mlirOperationGetInherentAttributeByName(function, TILE_STR("arg_attrs"));
  MlirAttribute attrs[TILE_GROUP_MAX_OPS * 4];
  intptr_t count = mlirBlockGetNumArguments(body);
  MlirNamedAttribute not_writable = mlirNamedAttributeGet(
      mlirIdentifierGet(context, TILE_STR("bufferization.writable")),
      mlirBoolAttrGet(context, 0));
  if (count > TILE_GROUP_MAX_OPS * 4)
    return;
  for (intptr_t i = 0; i < count; i++) {
    MlirNamedAttribute named[32];
    intptr_t num = 0;
    MlirAttribute old = {NULL};
    if (!mlirAttributeIsNull(all))
      old = mlirArrayAttrGetElement(all, i);
    for (; old.ptr && num < mlirDictionaryAttrGetNumElements(old) && num < 31;
         num++)
      named[num] = mlirDictionaryAttrGetElement(old, num);
    bool is_said = old.ptr && mlirDictionaryAttrGetElementByName(
                                  old, TILE_STR("bufferization.writable"))
                                  .ptr;
    if (!is_said &&
        mlirTypeIsATensor(mlirValueGetType(mlirBlockGetArgument(body, i))))
      named[num++] = not_writable;
    attrs[i] = mlirDictionaryAttrGet(context, num, named);
  }
  mlirOperationSetInherentAttributeByName(
      function, TILE_STR("arg_attrs"), mlirArrayAttrGet(context, count, attrs));
}

// Cuts one block of the host into kernels.
static void form_block(MlirOperation function, TileArena *arena,
                       MlirBlock block, const TileTarget *target, int *number) {
  MlirStringRef name = symbol_of(function);
  for (TileGroup *group = tile_groups_find(arena, block); group;
       group = group->next) {
    char text[256];
    tile_group_size(group, target);
    snprintf(text, sizeof text, "%.*s_%s_%d", (int)name.length, name.data,
             group->schedule, (*number)++);
    outline(function, group, text);
  }
}

static MlirLogicalResult form(MlirOperation function,
                              const TileTarget *target) {
  TileArena arena;
  tile_arena_init(&arena);
  TileOpList ops = {.arena = &arena};
  TileBuilder b = {mlirIRRewriterCreate(mlirOperationGetContext(function)),
                   mlirOperationGetLocation(function)};
  copy_results(&b, function);
  MlirLogicalResult result = tile_loops_prepare(&b, function);
  mlirOperationWalk(function, collect, &ops, MlirWalkPreOrder);
  if (!tile_failed(result))
    result = tile_nests_prepare(&b, &ops);
  if (!tile_failed(result)) {
    tile_casts_move(&b, function);
    move_scales(&b, function, &ops);
    resolve_extents(&b, function, &ops);
    fold_views(&b, function, &ops);
    resolve_extents(&b, function, &ops);
    widen_products(&b, function, &ops);
    mlirOperationWalk(function, write_in_place, &b, MlirWalkPreOrder);
    erase_dead(&b, function, &ops);
    form_attention(&b, function, &ops, target);
    erase_dead(&b, function, &ops);
  }
  if (ops.count)
    protect_arguments(function);
  ops.count = 0;
  mlirOperationWalk(function, collect, &ops, MlirWalkPreOrder);
  MlirBlock *blocks = TILE_ARENA_NEW(&arena, MlirBlock, ops.count + 1);
  size_t num_blocks = 0;
  for (size_t i = 0; i < ops.count; i++) {
    MlirBlock block = mlirOperationGetBlock(ops.items[i]);
    size_t k = 0;
    while (k < num_blocks && !mlirBlockEqual(blocks[k], block))
      k++;
    if (k == num_blocks)
      blocks[num_blocks++] = block;
  }
  int number = 0;
  for (size_t i = 0; i < num_blocks && !tile_failed(result); i++)
    form_block(function, &arena, blocks[i], target, &number);
  if (number) // what each kernel does for itself
    erase_dead(&b, function, &ops);
  mlirIRRewriterDestroy(b.rw);
  tile_arena_deinit(&arena);
  return result;
}

MlirLogicalResult tile_form_kernels_run(MlirOperation op,
                                        const TileFormKernelsOptions *options) {
  const TileTarget *target;
  if (tile_failed(tile_target_resolve(op, options->target, &target)))
    return tile_failure();
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
  MlirLogicalResult result = tile_success();
  TILE_FOR_EACH_OP (function, body) {
    bool has_body =
        func_func_is(function) && tile_kernel_body(function).ptr &&
        mlirAttributeIsNull(mlirOperationGetDiscardableAttributeByName(
            function, TILE_STR(TILE_SCHEDULE_ATTR)));
    if (has_body && !tile_failed(result))
      result = form(function, target);
  }
  return result;
}
