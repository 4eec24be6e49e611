//===- TileTypes.td - Types of the tile dialect ---------------------------===//
#ifndef TILE_TYPES_TD
#define TILE_TYPES_TD

include "Tile/Dialect/TileDialect.td"

class Tile_Type<string name, string typeMnemonic, list<Trait> traits = []>
    : TypeDef<Tile_Dialect, name, traits> {
  let mnemonic = typeMnemonic;
}

// `128x64x`: static extents with the trailing separator that the element type
// follows.
def Tile_Extents : ArrayRefParameter<"int64_t", "static extents"> {
  let parser = "::tile::parseExtents($_parser)";
  let printer = "::tile::printExtents($_printer, $_self)";
}

def Tile_RegionType : Tile_Type<"Region", "region"> {
  let summary = "window of a buffer";
  let description = [{
    What `tile.region` makes: static extents, the element type, and the memory
    space of the buffer. Only tile ops take it; it is never a block argument or
    a yielded value.

    Example: `!tile.region<128x64xbf16>`,
    `!tile.region<64x64xf16, #gpu.address_space<workgroup>>`.
  }];
  let parameters = (ins Tile_Extents:$shape, "::mlir::Type":$elementType,
                        OptionalParameter<"::mlir::Attribute">:$memorySpace);
  let assemblyFormat = "`<` $shape `` $elementType (`,` $memorySpace^)? `>`";
}

def Tile_BarrierType : Tile_Type<"Barrier", "barrier"> {
  let summary = "a row of mbarriers in shared memory";
  let description = [{
    The result of `tile.barrier_alloc`: as many mbarriers as the type says.

    Example: `!tile.barrier<4>`.
  }];
  let parameters = (ins "int64_t":$slots);
  let assemblyFormat = "`<` $slots `>`";
}

def Tile_ChannelType : Tile_Type<"Channel", "channel"> {
  let summary = "rings of shared memory that one role fills and another reads";
  let description = [{
    The result of `tile.channel`.

    Example: `!tile.channel`.
  }];
}

def Tile_TensorMapType : Tile_Type<"TensorMap", "tensor_map"> {
  let summary = "a TMA tensor map";
  let description = [{
    The result of `tile.tensor_map`, made on the host: a launch that uses it gets it
    as a parameter, by value. The result of `tile.map_place`: in global memory, made
    by the kernel.

    Example: `!tile.tensor_map`.
  }];
}

def Tile_Tile : AnyTypeOf<[AnyMemRef, Tile_RegionType],
                          "tile: a memref or a region">;

def Tile_Signal : AnyTypeOf<[Tile_BarrierType, Tile_ChannelType],
                            "a row of mbarriers or a channel">;

#endif // TILE_TYPES_TD
