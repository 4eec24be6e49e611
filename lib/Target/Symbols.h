//===- Symbols.h - Names of functions and modules -------------------------===//
#ifndef TILE_LIB_TARGET_SYMBOLS_H
#define TILE_LIB_TARGET_SYMBOLS_H

#include "Support/Build.h"

/// The symbol name of `op`, borrowed from its attribute; "" when it has none.
/// It is inherent to some ops and discardable on others, gpu.func among them.
static inline MlirStringRef tile_symbol_name(MlirOperation op) {
  MlirAttribute name =
      mlirOperationGetAttributeByName(op, TILE_STR("sym_name"));
  return mlirAttributeIsNull(name) ? TILE_STR("")
                                   : mlirStringAttrGetValue(name);
}

#endif // TILE_LIB_TARGET_SYMBOLS_H
