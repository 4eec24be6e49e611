//===- Plugin.cpp - libtile.so as a plugin of mlir-opt, and as mlir-opt ---===//

#include "Dialect/ArgumentNames.h"
#include "Support/SourceNesting.h"
#include "Tile/Dialect/Dialect.h"
#include "Tile/Mlir.h"
#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Pass.h"
#include "mlir/Config/mlir-config.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Tools/mlir-reduce/MlirReduceMain.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"

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

//===-- tile-opt ----------------------------------------------------------===//

// MlirOptMain of names, with a look at the text before it is parsed. Places in
// a file that is split are not those of the text.
static LogicalResult checkedMain(int argc, char **argv, StringRef input,
                                 StringRef output, DialectRegistry &registry) {
  auto config = MlirOptMainConfig::createFromCLOptions();
  bool isRead = !config.shouldListPasses() && !config.shouldShowDialects();
  auto file = isRead ? openInputFile(input) : nullptr;
  auto out = file ? openOutputFile(output) : nullptr;
  if (!out) // it knows what to say
    return MlirOptMain(argc, argv, input, output, registry);
  TileSource source = {file->getBufferStart(), file->getBufferSize(),
                       file->getBufferIdentifier().data()};
  if (config.inputSplitMarker().empty())
    config.setPassPipelineSetupFn([given = config, &source](PassManager &pm) {
      tile_argument_names_add_pass(wrap(&pm), &source);
      return given.setupPassPipeline(pm);
    });
  if (!tile_source_nesting_report(input.data(), file->getBufferStart(),
                                  file->getBufferSize()) ||
      failed(MlirOptMain(out->os(), std::move(file), registry, config)))
    return failure();
  out->keep();
  return success();
}

static void registerEverything(DialectRegistry &registry) {
  registerAllDialects(registry);
  registerAllExtensions(registry);
  registerAllToLLVMIRTranslations(registry);
  registerAllPasses();
  mlirDialectHandleInsertDialect(mlirGetDialectHandle__tile__(),
                                 wrap(&registry));
}

int tile_opt_main(int argc, char **argv) {
  DialectRegistry registry;
  registerEverything(registry);
  auto [input, output] = registerAndParseCLIOptions(
      argc, argv, "tile-opt: the tile compiler, pass by pass\n", registry);
  return asMainReturnCode(checkedMain(argc, argv, input, output, registry));
}

//===-- Other tools of upstream -------------------------------------------===//

int tile_lsp_server_main(int argc, char **argv) {
  DialectRegistry registry;
  registerEverything(registry);
  return asMainReturnCode(MlirLspServerMain(argc, argv, registry));
}

int tile_reduce_main(int argc, char **argv) {
  DialectRegistry registry;
  registerEverything(registry);
  tile_register_all();
  MLIRContext context(registry);
  return asMainReturnCode(mlirReduceMain(argc, argv, context));
}
