//===- JoinConversions.c - What upstream's conversions leave apart --------===//
//
// Consumes: gpu.modules that several conversions to llvm have been run on.
// Produces: sign extensions and truncations in place of casts from one width of
//           index to another: ours are 32 bits wide, those of memrefs 64.
//           Intrinsics by name: convert-gpu-to-nvvm takes math of the llvm
//           dialect for calls of a library that it has yet to make; and
//           llvm.frem as NVPTX selects it, for the same reason.
// Keeps:    all other ops.
// Fails:    an address is used as an index, which cuts it. A second run
//           changes nothing.
//
//===----------------------------------------------------------------------===//

#include "Dialect/ForeignOps.h"
#include "Support/Constants.h"
#include "Support/Diagnostics.h"
#include "Support/Iterate.h"
#include "Tile/Ops/llvm.h"
#include "TilePasses.h"
#include <math.h>

//===-- Casts -------------------------------------------------------------===//

static const char cast_name[] = "builtin.unrealized_conversion_cast";

static MlirOperation cast_of(MlirValue value) {
  MlirOperation op = {NULL};
  if (mlirValueIsAOpResult(value))
    op = mlirOpResultGetOwner(value);
  bool is_cast = op.ptr && tile_op_name_begins(op, cast_name) &&
                 mlirOperationGetNumOperands(op) == 1 &&
                 mlirOperationGetNumResults(op) == 1;
  return is_cast ? op : (MlirOperation){NULL};
}

// Bits of an integer or of the elements of a vector of them; 0: neither.
static unsigned int_bits(MlirType type) {
  if (mlirTypeIsAVector(type))
    type = mlirShapedTypeGetElementType(type);
  return mlirTypeIsAInteger(type) ? mlirIntegerTypeGetWidth(type) : 0;
}

static bool is_index(MlirType type) {
  if (mlirTypeIsAVector(type))
    type = mlirShapedTypeGetElementType(type);
  return mlirTypeIsAIndex(type);
}

// The integer that `op` casts to an integer of another width, by way of an
// index; null: it does something else.
static MlirValue narrow_or_wide(MlirOperation op) {
  MlirValue none = {NULL};
  if (!tile_op_name_begins(op, cast_name) ||
      mlirOperationGetNumOperands(op) != 1 ||
      mlirOperationGetNumResults(op) != 1)
    return none;
  MlirValue index = mlirOperationGetOperand(op, 0);
  MlirOperation inner = cast_of(index);
  if (!inner.ptr || !is_index(mlirValueGetType(index)))
    return none;
  MlirValue value = mlirOperationGetOperand(inner, 0);
  unsigned from = int_bits(mlirValueGetType(value));
  unsigned to = int_bits(mlirValueGetType(mlirOperationGetResult(op, 0)));
  return from && to && from != to ? value : none;
}

// An address of 64 bits is an index for as long as it takes to make an integer
// of it.
static MlirLogicalResult keep_address(MlirRewriterBase rewriter,
                                      MlirOperation op, MlirValue address) {
  MlirType type = mlirValueGetType(address);
  MlirValue index = mlirOperationGetResult(op, 0);
  MlirOpOperand use;
  while (!mlirOpOperandIsNull(use = mlirValueGetFirstUse(index))) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    if ((!llvm_sext_is(user) && !llvm_zext_is(user)) ||
        !mlirTypeEqual(mlirValueGetType(mlirOperationGetResult(user, 0)), type))
      return tile_emit_error(user,
                             "uses an address as an index, which has 32 bits "
                             "in kernels; arith.index_cast it to i64 first");
    mlirRewriterBaseReplaceAllUsesWith(
        rewriter, mlirOperationGetResult(user, 0), address);
    mlirRewriterBaseEraseOp(rewriter, user);
  }
  mlirRewriterBaseEraseOp(rewriter, op);
  return tile_success();
}

static bool is_address(MlirValue value) {
  return mlirValueIsAOpResult(value) &&
         llvm_ptrtoint_is(mlirOpResultGetOwner(value));
}

static MlirLogicalResult join_cast(TileBuilder *b, MlirOperation op) {
  MlirValue value = narrow_or_wide(op), result = mlirOperationGetResult(op, 0);
  MlirType type = mlirValueGetType(result);
  bool is_wider = int_bits(type) > int_bits(mlirValueGetType(value));
  if (!is_wider && is_address(value))
    return keep_address(b->rw, op, value);
  MlirValue joined = is_wider ? llvm_sext(b, .type = type, .arg = value)
                              : llvm_trunc(b, .type = type, .arg = value);
  mlirRewriterBaseReplaceAllUsesWith(b->rw, result, joined);
  mlirRewriterBaseEraseOp(b->rw, op);
  return tile_success();
}

//===-- Intrinsics --------------------------------------------------------===//

// LLVM::…Op in configureGpuToNVVMConversionLegality (LowerGpuOpsToNVVMOps.cpp).
static bool is_taken_for_call(MlirOperation op) {
  static const char *const names[] = {
      "llvm.intr.ceil",  "llvm.intr.copysign",  "llvm.intr.cos",
      "llvm.intr.exp",   "llvm.intr.exp2",      "llvm.intr.fabs",
      "llvm.intr.floor", "llvm.intr.log",       "llvm.intr.log10",
      "llvm.intr.log2",  "llvm.intr.pow",       "llvm.intr.round",
      "llvm.intr.sin",   "llvm.intr.roundeven", "llvm.intr.sqrt"};
  MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (mlirStringRefEqual(name, tile_str(names[i])))
      return true;
  return false;
}

// A call of the intrinsic `name`; it takes the flags of `op`.
static MlirValue call_intrinsic(TileBuilder *b, MlirOperation op,
                                MlirStringRef name, intptr_t num_operands,
                                const MlirValue *operands) {
  MlirContext context = mlirOperationGetContext(op);
  MlirOperationState state =
      mlirOperationStateGet(TILE_STR("llvm.call_intrinsic"), b->loc);
  MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
  mlirOperationStateAddOperands(&state, num_operands, operands);
  const int32_t segments[2] = {(int32_t)num_operands, 0};
  const char *const keys[] = {"intrin", "operandSegmentSizes",
                              "op_bundle_sizes", "fastmathFlags"};
  MlirAttribute values[] = {
      mlirStringAttrGet(context, name),
      mlirDenseI32ArrayGet(context, 2, segments),
      mlirDenseI32ArrayGet(context, 0, NULL),
      mlirOperationGetAttributeByName(op, TILE_STR("fastmathFlags"))};
  for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
    if (mlirAttributeIsNull(values[i]))
      continue;
    MlirNamedAttribute attr = mlirNamedAttributeGet(
        mlirIdentifierGet(context, tile_str(keys[i])), values[i]);
    mlirOperationStateAddAttributes(&state, 1, &attr);
  }
  mlirOperationStateAddResults(&state, 1, &type);
  MlirOperation call = mlirOperationCreate(&state);
  mlirRewriterBaseInsert(b->rw, call);
  return mlirOperationGetResult(call, 0);
}

static void replace(TileBuilder *b, MlirOperation op, MlirValue value) {
  mlirRewriterBaseReplaceAllUsesWith(b->rw, mlirOperationGetResult(op, 0),
                                     value);
  mlirRewriterBaseEraseOp(b->rw, op);
}

// "llvm.intr.sqrt" is the intrinsic "llvm.sqrt".
static void name_intrinsic(TileBuilder *b, MlirOperation op) {
  enum { PREFIX = sizeof "llvm.intr." - 1, MAX_OPERANDS = 4 };
  MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
  MlirValue operands[MAX_OPERANDS];
  intptr_t count = mlirOperationGetNumOperands(op);
  char text[64];
  int length = snprintf(text, sizeof text, "llvm.%.*s",
                        (int)(name.length - PREFIX), name.data + PREFIX);
  for (intptr_t i = 0; i < count; i++)
    operands[i] = mlirOperationGetOperand(op, i);
  replace(b, op,
          call_intrinsic(b, op, (MlirStringRef){text, (size_t)length}, count,
                         operands));
}

// x - trunc(x / y) * y, and x where y is infinite, as NVPTX selects it.
static void expand_remainder(TileBuilder *b, MlirOperation op) {
  MlirValue x = mlirOperationGetOperand(op, 0),
            y = mlirOperationGetOperand(op, 1);
  MlirValue quotient = llvm_fdiv(b, x, y);
  MlirValue whole = call_intrinsic(b, op, TILE_STR("llvm.trunc"), 1, &quotient);
  MlirValue parts[3] = {llvm_fneg(b, whole), y, x};
  MlirValue rest = call_intrinsic(b, op, TILE_STR("llvm.fma"), 3, parts);
  MlirValue size = call_intrinsic(b, op, TILE_STR("llvm.fabs"), 1, &y);
  MlirType type = mlirValueGetType(x);
  MlirType element =
      mlirTypeIsAVector(type) ? mlirShapedTypeGetElementType(type) : type;
  MlirAttribute infinite = mlirFloatAttrDoubleGet(mlirOperationGetContext(op),
                                                  element, (double)INFINITY);
  if (mlirTypeIsAVector(type))
    infinite = mlirDenseElementsAttrSplatGet(type, infinite);
  MlirValue is_infinite =
      llvm_fcmp(b, .predicate = LLVM_F_CMP_PREDICATE_oeq, .lhs = size,
                .rhs = llvm_mlir_constant(b, .type = type, .value = infinite));
  replace(b, op,
          llvm_select(b, .condition = is_infinite, .trueValue = x,
                      .falseValue = rest));
}

//===-- Entry -------------------------------------------------------------===//

static MlirWalkResult collect(MlirOperation op, void *user_data) {
  if (is_taken_for_call(op) || llvm_frem_is(op) || narrow_or_wide(op).ptr)
    tile_op_list_add(user_data, op);
  return MlirWalkResultAdvance;
}

MlirLogicalResult
tile_join_conversions_run(MlirOperation op,
                          const TileJoinConversionsOptions *options) {
  (void)options;
  TileArena arena;
  tile_arena_init(&arena);
  TileOpList list = {.arena = &arena};
  mlirOperationWalk(op, collect, &list, MlirWalkPreOrder);
  TileBuilder b = {mlirIRRewriterCreate(mlirOperationGetContext(op)),
                   mlirOperationGetLocation(op)};
  MlirLogicalResult result = tile_success();
  for (size_t i = 0; i < list.count && !tile_failed(result); i++) {
    b.loc = mlirOperationGetLocation(list.items[i]);
    mlirRewriterBaseSetInsertionPointBefore(b.rw, list.items[i]);
    if (is_taken_for_call(list.items[i]))
      name_intrinsic(&b, list.items[i]);
    else if (llvm_frem_is(list.items[i]))
      expand_remainder(&b, list.items[i]);
    else
      result = join_cast(&b, list.items[i]);
  }
  mlirIRRewriterDestroy(b.rw);
  tile_arena_deinit(&arena);
  return result;
}
