//===- sample-passes.td - Passes for the tests of the generator -----------===//

include "mlir/Pass/PassBase.td"

def SecondByName : Pass<"tile-second-by-name", ""> {
  let summary = "comes \"first\"";
  let dependentDialects = ["arith", "tile"];
  let options = [
    Option<"maxSteps", "max-steps", "int64_t", "7", "upper bound">,
    Option<"chip", "chip", "std::string", "\"sm_80\"", "target">,
    Option<"verbose", "verbose", "bool", "false", "say more">,
    ListOption<"sizes", "sizes", "int64_t", "extents">
  ];
}

def ConvertTileToABC : Pass<"convert-tile-to-abc", ""> {
  let summary = "comes last";
}
