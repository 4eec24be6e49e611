//===- PassBridge.cpp - Passes whose description and body are C -----------===//

#include "Tile/Dialect/Dialect.h"
#include "Tile/Support/PassSupport.h"
#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Pass.h"
#include "mlir/CAPI/Support.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

using namespace mlir;

namespace {

struct TilePass : Pass {
  const TilePassDesc &desc;
  std::vector<std::unique_ptr<Option<int64_t>>> ints;
  std::vector<std::unique_ptr<Option<bool>>> bools;
  std::vector<std::unique_ptr<Option<std::string>>> strings;
  std::vector<std::unique_ptr<ListOption<int64_t>>> lists;

  explicit TilePass(const TilePassDesc &desc)
      : Pass(TypeID::getFromOpaquePointer(&desc),
             desc.op_name ? std::optional<StringRef>(desc.op_name)
                          : std::nullopt),
        desc(desc) {
    for (const TilePassOption &o : ArrayRef(desc.options, desc.num_options))
      addOption(o);
  }

  void addOption(const TilePassOption &o) {
    llvm::cl::desc help(o.help);
    switch (o.kind) {
    case TILE_PASS_OPTION_INT:
      ints.emplace_back(new Option<int64_t>(
          *this, o.name, help, llvm::cl::init(strtoll(o.initial, nullptr, 0))));
      break;
    case TILE_PASS_OPTION_BOOL:
      bools.emplace_back(new Option<bool>(
          *this, o.name, help, llvm::cl::init(StringRef(o.initial) == "true")));
      break;
    case TILE_PASS_OPTION_STRING:
      strings.emplace_back(new Option<std::string>(
          *this, o.name, help, llvm::cl::init(std::string(o.initial))));
      break;
    case TILE_PASS_OPTION_INT_LIST:
      lists.emplace_back(new ListOption<int64_t>(*this, o.name, help));
      break;
    }
  }

  // Writes the option values into the C struct that the descriptor describes.
  void fillOptions(char *out) {
    size_t i = 0, b = 0, s = 0, l = 0;
    for (const TilePassOption &o : ArrayRef(desc.options, desc.num_options)) {
      void *member = out + o.offset_bytes;
      switch (o.kind) {
      case TILE_PASS_OPTION_INT:
        *static_cast<int64_t *>(member) = *ints[i++];
        break;
      case TILE_PASS_OPTION_BOOL:
        *static_cast<bool *>(member) = *bools[b++];
        break;
      case TILE_PASS_OPTION_STRING:
        *static_cast<const char **>(member) = strings[s++]->getValue().c_str();
        break;
      case TILE_PASS_OPTION_INT_LIST: {
        ArrayRef<int64_t> list = **lists[l++];
        *static_cast<TilePassIntList *>(member) = {list.data(), list.size()};
        break;
      }
      }
    }
  }

  StringRef getName() const override { return desc.name; }
  StringRef getArgument() const override { return desc.argument; }
  StringRef getDescription() const override { return desc.summary; }
  bool canScheduleOn(RegisteredOperationName name) const override {
    return !desc.op_name || name.getStringRef() == desc.op_name;
  }
  std::unique_ptr<Pass> clonePass() const override {
    return std::make_unique<TilePass>(desc);
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    for (auto *handle : ArrayRef(desc.dialects, desc.num_dialects))
      mlirDialectHandleInsertDialect(handle(), wrap(&registry));
  }
  void runOnOperation() override {
    std::vector<char> options(desc.options_size_bytes);
    fillOptions(options.data());
    if (!desc.run(wrap(getOperation()), options.data()).value)
      signalPassFailure();
  }
};

} // namespace

void tile_register_pass(const TilePassDesc *desc) {
  registerPass([desc]() -> std::unique_ptr<Pass> {
    return std::make_unique<TilePass>(*desc);
  });
}

void tile_register_pipeline(const char *argument, const char *summary,
                            TilePipelineExpand expand) {
  registerPassPipeline(
      argument, summary,
      [expand](OpPassManager &pm, StringRef options,
               function_ref<LogicalResult(const Twine &)> onError) {
        char message[512] = {0};
        char *text =
            expand(options.str().c_str(), message, sizeof message);
        if (!text)
          return onError(message);
        LogicalResult result = parsePassPipeline(text, pm);
        free(text);
        return result;
      },
      [](function_ref<void(const mlir::detail::PassOptions &)>) {});
}

int tile_opt_main(int argc, char **argv) {
  DialectRegistry registry;
  registerAllDialects(registry);
  registerAllExtensions(registry);
  registerAllToLLVMIRTranslations(registry);
  registerAllPasses();
  mlirDialectHandleInsertDialect(mlirGetDialectHandle__tile__(),
                                 wrap(&registry));
  return asMainReturnCode(
      MlirOptMain(argc, argv, "tile-opt: the tile compiler, pass by pass\n",
                  registry));
}
