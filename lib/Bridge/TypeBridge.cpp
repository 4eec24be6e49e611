//===- TypeBridge.cpp - Types and attributes, and their C API -------------===//
//
// Below all C code: what the C API of MLIR would give for types of its own.
//
//===----------------------------------------------------------------------===//

#include "Support/Hooks.h"
#include "TileAttrsCAPI.h"
#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

#include "TileDialect.h.inc"
#include "TileEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "TileAttrs.h.inc"
#define GET_TYPEDEF_CLASSES
#include "TileTypes.h.inc"

using namespace mlir;

namespace tile {

static FailureOr<SmallVector<int64_t>> parseExtents(AsmParser &parser) {
  SmallVector<int64_t> extents;
  if (failed(parser.parseDimensionList(extents, /*allowDynamic=*/false)))
    return failure();
  return extents;
}

static void printExtents(AsmPrinter &printer, ArrayRef<int64_t> extents) {
  for (int64_t extent : extents)
    printer << extent << 'x';
}

} // namespace tile

#include "TileEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "TileAttrs.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "TileTypes.cpp.inc"

void tile::TileDialect::registerTypes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "TileAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "TileTypes.cpp.inc"
      >();
}

//===-- C API -------------------------------------------------------------===//

void tile_effects_add(TileEffects effects, TileEffectKind kind,
                      MlirOperation op, intptr_t operand) {
  auto &out = *static_cast<SmallVectorImpl<MemoryEffects::EffectInstance> *>(
      effects.ptr);
  MemoryEffects::Effect *const table[] = {
      MemoryEffects::Read::get(), MemoryEffects::Write::get(),
      MemoryEffects::Allocate::get(), MemoryEffects::Free::get()};
  if (operand < 0)
    out.emplace_back(table[kind]);
  else
    out.emplace_back(table[kind], &unwrap(op)->getOpOperand(operand));
}

static TileI64s toI64s(ArrayRef<int64_t> list) {
  return {list.data(), (intptr_t)list.size()};
}

#include "TileAttrsCAPI.cpp.inc"
