//===- PassBridge.cpp - Passes whose description and body are C -----------===//

#include "Support/PassSupport.h"
#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Pass.h"
#include "mlir/CAPI/Support.h"
#include "mlir/IR/DialectRegistry.h"

using namespace mlir;

namespace {

// One class for all passes: its description and its body are C.
struct TilePass : Pass {
  const TilePassDesc &desc;
  std::vector<std::function<void(char *)>> writers; // of the C struct's members

  explicit TilePass(const TilePassDesc &desc)
      : Pass(TypeID::getFromOpaquePointer(&desc), std::nullopt), desc(desc) {
    for (const TilePassOption &o : ArrayRef(desc.options, desc.num_options))
      addOption(o);
  }

  void addOption(const TilePassOption &o) {
    switch (o.kind) {
    case TILE_PASS_OPTION_INT:
      return add<Option<int64_t>>(
          o, llvm::cl::init(strtoll(o.initial, nullptr, 0)));
    case TILE_PASS_OPTION_BOOL:
      return add<Option<bool>>(o,
                               llvm::cl::init(StringRef(o.initial) == "true"));
    case TILE_PASS_OPTION_STRING:
      return add<Option<std::string>>(o,
                                      llvm::cl::init(std::string(o.initial)));
    case TILE_PASS_OPTION_INT_LIST:
      return add<ListOption<int64_t>>(o);
    }
  }

  template <typename OptionTy, typename... Args>
  void add(const TilePassOption &o, Args... args) {
    auto option = std::make_shared<OptionTy>(*this, o.name,
                                             llvm::cl::desc(o.help), args...);
    writers.push_back([option, offset = o.offset_bytes](char *out) {
      auto value = toC(*option);
      memcpy(out + offset, &value, sizeof value);
    });
  }

  // The C form of an option's value; borrows from the option.
  static int64_t toC(const Option<int64_t> &option) { return option; }
  static bool toC(const Option<bool> &option) { return option; }
  static const char *toC(const Option<std::string> &option) {
    return option.getValue().c_str();
  }
  static TilePassIntList toC(ListOption<int64_t> &option) {
    ArrayRef<int64_t> list = *option;
    return {list.data(), list.size()};
  }

  StringRef getName() const override { return desc.name; }
  StringRef getArgument() const override { return desc.argument; }
  StringRef getDescription() const override { return desc.summary; }
  bool canScheduleOn(RegisteredOperationName) const override { return true; }
  std::unique_ptr<Pass> clonePass() const override {
    return std::make_unique<TilePass>(desc);
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    for (auto *handle : ArrayRef(desc.dialects, desc.num_dialects))
      mlirDialectHandleInsertDialect(handle(), wrap(&registry));
  }
  void runOnOperation() override {
    std::vector<char> options(desc.options_size_bytes);
    for (auto &write : writers)
      write(options.data());
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
        char *text = expand(options.str().c_str(), message, sizeof message);
        if (!text)
          return onError(message);
        LogicalResult result = parsePassPipeline(text, pm);
        free(text);
        return result;
      },
      [](function_ref<void(const mlir::detail::PassOptions &)>) {});
}
