//===- DialectBridge.h - C++ view of the generated tile dialect -----------===//
#ifndef TILE_BRIDGE_DIALECT_BRIDGE_H
#define TILE_BRIDGE_DIALECT_BRIDGE_H

#include "TileHooks.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Rewrite.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

#include "TileDialect.h.inc"
#include "TileEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "TileAttrs.h.inc"
#define GET_TYPEDEF_CLASSES
#include "TileTypes.h.inc"
#define GET_OP_CLASSES
#include "TileOps.h.inc"

#endif // TILE_BRIDGE_DIALECT_BRIDGE_H
