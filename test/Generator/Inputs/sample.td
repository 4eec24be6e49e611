//===- sample.td - A small dialect for the tests of the generator ---------===//

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/CommonTypeConstraints.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

def Tile_Dialect : Dialect {
  let name = "tile";
  let cppNamespace = "::tile";
}

class Sample_Op<string mnemonic, list<Trait> traits = []>
    : Op<Tile_Dialect, mnemonic, traits> {
  string cName = "tile_" # mnemonic;
  bit cEffects = 0;
  bit cInfer = 0;
}

def Sample_Color : I32EnumAttr<"Color", "", [
    I32EnumAttrCase<"DarkRed", 0, "dark_red">, I32EnumAttrCase<"Blue", 4, "blue">]> {
  let cppNamespace = "::tile";
  let genSpecializedAttr = 0;
}
def Sample_ColorAttr : EnumAttr<Tile_Dialect, Sample_Color, "color"> {
  let assemblyFormat = "`<` $value `>`";
}
def Sample_Bits : I32BitEnumAttr<"Bits", "", [
    I32BitEnumAttrCaseNone<"none">, I32BitEnumAttrCaseBit<"low", 0>,
    I32BitEnumAttrCaseBit<"high", 3>]> {
  let cppNamespace = "::tile";
  let separator = "|";
}

// The defs stand in another order than their names.
def Sample_ZebraOp : Sample_Op<"zebra", [SameOperandsAndResultType]> {
  let summary = "an op with\n   an inferred result";
  let arguments = (ins I32:$lhs, I32:$default);
  let results = (outs I32:$out);
  let hasVerifier = 1;
}

def Sample_AntOp : Sample_Op<"ant", [AttrSizedOperandSegments]> {
  let arguments = (ins Variadic<Index>:$first_group, AnyType:$middle,
                       Optional<I1>:$last,
                       Sample_ColorAttr:$color, OptionalAttr<Sample_Bits>:$bits,
                       DefaultValuedAttr<I64Attr, "3">:$count, UnitAttr:$fast,
                       OptionalAttr<StrAttr>:$note, DenseI32ArrayAttr:$sizes);
  let results = (outs AnyType:$middle, Variadic<I1>:$others);
  let regions = (region AnyRegion:$body, VariadicRegion<AnyRegion>:$more);
  let successors = (successor AnySuccessor:$next);
  let hasFolder = 1;
  let cEffects = 1;
}

def Sample_MatchOp : Sample_Op<"match", [AllTypesMatch<["in", "out"]>]> {
  let arguments = (ins AnyType:$in);
  let results = (outs AnyType:$out);
}

def Sample_TwinsOp : Sample_Op<"twins", [SameVariadicOperandSize]> {
  let arguments = (ins Variadic<Index>:$a, Index:$mid, Variadic<Index>:$b);
}

def Sample_PointAttr : AttrDef<Tile_Dialect, "Point"> {
  let mnemonic = "point";
  let parameters = (ins "int64_t":$x, ArrayRefParameter<"int64_t">:$rest);
}
