//===- Plugin.cpp - Makes libtile.so a dialect and pass plugin of mlir-opt ===//

#include "Tile/Dialect/Dialect.h"
#include "Tile/Pipeline.h"
#include "mlir/CAPI/IR.h"
#include "mlir/Config/mlir-config.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

using namespace mlir;

extern "C" MLIR_CAPI_EXPORTED DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "tile", TILE_VERSION_STRING,
          [](DialectRegistry *registry) {
            mlirDialectHandleInsertDialect(mlirGetDialectHandle__tile__(),
                                           wrap(registry));
            tile_register_all();
          }};
}

extern "C" MLIR_CAPI_EXPORTED PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "tile", TILE_VERSION_STRING,
          [] { tile_register_all(); }};
}
