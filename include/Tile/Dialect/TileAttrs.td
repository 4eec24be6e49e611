//===- TileAttrs.td - Attributes of the tile dialect ----------------------===//
#ifndef TILE_ATTRS_TD
#define TILE_ATTRS_TD

include "Tile/Dialect/TileDialect.td"

class Tile_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Tile_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

class Tile_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::tile";
  let genSpecializedAttr = 0;
}

def Tile_FragmentAttr : Tile_Attr<"Fragment", "fragment"> {
  let summary = "memory space of a tile spread over registers";
  let description = [{
    A memref in this space is a tile whose elements are held in the registers of
    the threads that compute. Which thread holds which element is the layout of
    its `tile.alloc`.
  }];
  let assemblyFormat = "";
}

def Tile_ClusterAttr : Tile_Attr<"Cluster", "cluster"> {
  let summary = "memory space of the shared tiles of a cluster";
  let description = [{
    Shared memory of whichever block of the cluster a `tile.remote` names.
  }];
  let assemblyFormat = "";
}

def Tile_LayoutAttr : Tile_Attr<"Layout", "layout"> {
  let summary = "placement of the elements of a tile";
  let description = [{
    The text is read by the layout algebra together with the shape and element
    type of the `tile.alloc` that carries it: `linear`, `padded<136>`,
    `swizzle<128>`, `wgmma<128x128,wg=2x1>`, `mma<128x128,warps=2x2>`, or the
    general form `bases<…>`. Shared tiles map elements to offsets and must be
    injective; fragments map (register, lane, warp) to elements and must cover
    the tile.

    Example: `#tile.layout<"swizzle<128>">`.
  }];
  let parameters = (ins StringRefParameter<"layout text">:$text);
  let assemblyFormat = "`<` $text `>`";
}

def Tile_Instr : Tile_Enum<"Instr", "instruction that carries out an op", [
    I32EnumAttrCase<"Simt", 0, "simt">, I32EnumAttrCase<"CpAsync", 1, "cp_async">,
    I32EnumAttrCase<"Tma", 2, "tma">, I32EnumAttrCase<"Mma", 3, "mma">,
    I32EnumAttrCase<"Wgmma", 4, "wgmma">]>;
def Tile_InstrAttr : EnumAttr<Tile_Dialect, Tile_Instr, "instr"> {
  let assemblyFormat = "`<` $value `>`";
}

def Tile_WarpPolicy : Tile_Enum<"WarpPolicy", "how warps share the rows and columns of a product", [
    I32EnumAttrCase<"Square", 0, "square">, I32EnumAttrCase<"FullRow", 1, "full_row">,
    I32EnumAttrCase<"FullCol", 2, "full_col">]>;
def Tile_WarpPolicyAttr : EnumAttr<Tile_Dialect, Tile_WarpPolicy, "warp_policy"> {
  let assemblyFormat = "`<` $value `>`";
}

def Tile_Eviction : Tile_Enum<"Eviction", "L2 eviction priority of a global access", [
    I32EnumAttrCase<"Normal", 0, "normal">, I32EnumAttrCase<"First", 1, "first">,
    I32EnumAttrCase<"Last", 2, "last">]>;
def Tile_EvictionAttr : EnumAttr<Tile_Dialect, Tile_Eviction, "eviction"> {
  let assemblyFormat = "`<` $value `>`";
}

def Tile_Raster : Tile_Enum<"Raster", "order in which a panel of blocks is visited", [
    I32EnumAttrCase<"Row", 0, "row">, I32EnumAttrCase<"Column", 1, "column">]>;
def Tile_RasterAttr : EnumAttr<Tile_Dialect, Tile_Raster, "raster"> {
  let assemblyFormat = "`<` $value `>`";
}

def Tile_Specialize : Tile_Enum<"Specialize", "whether warps are split into roles", [
    I32EnumAttrCase<"Preferred", 0, "preferred">, I32EnumAttrCase<"Required", 1, "required">,
    I32EnumAttrCase<"Off", 2, "off">]>;
def Tile_SpecializeAttr : EnumAttr<Tile_Dialect, Tile_Specialize, "specialize"> {
  let assemblyFormat = "`<` $value `>`";
}

def Tile_Partition : Tile_Enum<"Partition", "how computing warpgroups share the work", [
    I32EnumAttrCase<"Cooperative", 0, "cooperative">, I32EnumAttrCase<"Pingpong", 1, "pingpong">]>;
def Tile_PartitionAttr : EnumAttr<Tile_Dialect, Tile_Partition, "partition"> {
  let assemblyFormat = "`<` $value `>`";
}

#endif // TILE_ATTRS_TD
