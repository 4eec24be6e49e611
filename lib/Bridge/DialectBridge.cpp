//===- DialectBridge.cpp - Registers the dialect; adaptors to the C hooks -===//
//
// Ops and hooks; types and attributes are in TypeBridge.cpp. Nothing here names
// an op: ODS generates the methods that call these adaptors.
//
//===----------------------------------------------------------------------===//

#include "Tile/Dialect/Dialect.h"
#include "TileHooks.h"
#include "mlir-c/Dialect/Arith.h"
#include "mlir-c/Dialect/GPU.h"
#include "mlir-c/Dialect/MemRef.h"
#include "mlir/Bytecode/BytecodeImplementation.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Registration.h"
#include "mlir/CAPI/Rewrite.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/TypeSwitch.h"

#include "TileDialect.h.inc"
#include "TileEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "TileAttrs.h.inc"
#define GET_TYPEDEF_CLASSES
#include "TileTypes.h.inc"
#define GET_OP_CLASSES
#include "TileOps.h.inc"

using namespace mlir;

//===-- Adaptors ----------------------------------------------------------===//

namespace tile {

static LogicalResult callVerify(MlirLogicalResult (*hook)(MlirOperation),
                                Operation *op) {
  return success(hook(wrap(op)).value);
}

static OpFoldResult callFold(TileFold (*hook)(MlirOperation, intptr_t,
                                              const MlirAttribute *),
                             Operation *op, ArrayRef<Attribute> constants) {
  TileFold result =
      hook(wrap(op), constants.size(),
           reinterpret_cast<const MlirAttribute *>(constants.data()));
  if (result.attr.ptr)
    return unwrap(result.attr);
  return result.value.ptr ? OpFoldResult(unwrap(result.value)) : OpFoldResult();
}

template <typename OpTy>
static LogicalResult
callInfer(MlirLogicalResult (*hook)(const TileInferInput *, MlirType *),
          MLIRContext *context, std::optional<Location> location,
          ValueRange operands, DictionaryAttr attributes,
          OpaqueProperties properties, SmallVectorImpl<Type> &types) {
  SmallVector<MlirValue> values =
      llvm::map_to_vector(operands, [](Value v) { return wrap(v); });
  Attribute dict = attributes;
  if (properties)
    dict = OpTy::getPropertiesAsAttr(
        context, *properties.as<typename OpTy::Properties *>());
  Location loc = location.value_or(UnknownLoc::get(context));
  TileInferInput input = {wrap(context), wrap(loc), (intptr_t)values.size(),
                          values.data(), wrap(dict)};
  MlirType type = {nullptr};
  if (!hook(&input, &type).value)
    return failure();
  types.push_back(unwrap(type));
  return success();
}

// `(%i, %j) in [128, 64] { … }`: one index per extent.
static ParseResult parseElementLoop(OpAsmParser &parser,
                                    DenseI64ArrayAttr &extents, Region &body) {
  SmallVector<OpAsmParser::Argument> indices;
  if (parser.parseArgumentList(indices, AsmParser::Delimiter::Paren) ||
      parser.parseKeyword("in") ||
      parser.parseCustomAttributeWithFallback(extents, Type()))
    return failure();
  for (OpAsmParser::Argument &index : indices)
    index.type = parser.getBuilder().getIndexType();
  return parser.parseRegion(body, indices);
}

static void printElementLoop(OpAsmPrinter &printer, Operation *,
                             DenseI64ArrayAttr extents, Region &body) {
  printer << '(';
  printer.printOperands(body.getArguments());
  printer << ") in ";
  printer.printStrippedAttrOrType(extents);
  printer << ' ';
  printer.printRegion(body, /*printEntryBlockArgs=*/false);
}

} // namespace tile

//===-- Generated definitions ---------------------------------------------===//

#include "TileDialect.cpp.inc"
#define GET_OP_CLASSES
#include "TileOps.cpp.inc"

//===-- Dialect -----------------------------------------------------------===//

namespace {
// Tile ops mean the same wherever a function is inlined.
struct TileInlinerInterface : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final {
    return true;
  }
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const final {
    return true;
  }
};
} // namespace

namespace {
// Bytecode says which version of the dialect it is of; text has none.
struct TileBytecodeInterface : BytecodeDialectInterface {
  explicit TileBytecodeInterface(Dialect *dialect)
      : BytecodeDialectInterface(dialect) {}
  struct Version : DialectVersion {};
  void writeVersion(DialectBytecodeWriter &writer) const final {
    writer.writeVarInt(TILE_BYTECODE_VERSION);
  }
  std::unique_ptr<DialectVersion>
  readVersion(DialectBytecodeReader &reader) const final {
    uint64_t version;
    if (failed(reader.readVarInt(version)))
      return nullptr;
    if (version <= TILE_BYTECODE_VERSION)
      return std::make_unique<Version>();
    reader.emitError() << "bytecode has version " << version
                       << " of the tile dialect, this library knows up to "
                       << uint64_t(TILE_BYTECODE_VERSION);
    return nullptr;
  }
};
} // namespace

void tile::TileDialect::initialize() {
  // Not ODS's `dependentDialects`: that takes the C++ headers of the dialects.
  for (auto *handle :
       {mlirGetDialectHandle__arith__, mlirGetDialectHandle__gpu__,
        mlirGetDialectHandle__memref__})
    mlirDialectHandleLoadDialect(handle(), wrap(getContext()));
  registerTypes();
  addOperations<
#define GET_OP_LIST
#include "TileOps.cpp.inc"
      >();
  addInterfaces<TileInlinerInterface, TileBytecodeInterface>();
}

Operation *tile::TileDialect::materializeConstant(OpBuilder &builder,
                                                  Attribute value, Type type,
                                                  Location location) {
  return getContext()->getLoadedDialect("arith")->materializeConstant(
      builder, value, type, location);
}

LogicalResult
tile::TileDialect::verifyOperationAttribute(Operation *op,
                                            NamedAttribute attribute) {
  return success(tile_attribute_verify(wrap(op), {wrap(attribute.getName()),
                                                  wrap(attribute.getValue())})
                     .value);
}

LogicalResult tile::TileDialect::verifyRegionArgAttribute(
    Operation *op, unsigned, unsigned argument, NamedAttribute attribute) {
  return success(tile_argument_attribute_verify(
                     wrap(op), argument,
                     {wrap(attribute.getName()), wrap(attribute.getValue())})
                     .value);
}

//===-- C API -------------------------------------------------------------===//

MLIR_DEFINE_CAPI_DIALECT_REGISTRATION(Tile, tile, tile::TileDialect)
