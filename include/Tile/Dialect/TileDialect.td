//===- TileDialect.td - The dialect and the base class of its ops ---------===//
//
// Every hook of an op of this dialect is C. Setting `hasVerifier`, `hasFolder`,
// `hasCanonicalizer`, `hasRegionVerifier`, `cEffects` or `cInfer` makes the
// generated C++ method forward to `tile_<op>_<hook>`, whose prototype the
// generator writes to TileHooks.h. No C++ is written per op.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_DIALECT_TD
#define TILE_DIALECT_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/BuiltinTypes.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/CommonTypeConstraints.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/ViewLikeInterface.td"

def Tile_Dialect : Dialect {
  let name = "tile";
  let cppNamespace = "::tile";
  let summary = "GPU kernels written on tiles";
  let description = [{
    A kernel author writes copies, matrix products and reductions on *tiles*:
    rectangular pieces of tensors that live in shared memory or are spread over
    the registers of the threads of a block. The ops mean what they would mean
    if one thread executed the program from top to bottom; the compiler chooses
    instructions, layouts, pipelines and synchronisation.

    Kernels are the bodies of `gpu.launch` inside a host `func.func`. Tensors
    are ordinary memrefs. Memory spaces: none is global memory,
    `#gpu.address_space<workgroup>` is a shared tile, `#tile.fragment` a tile
    spread over registers, `#gpu.address_space<private>` memory of one thread,
    `#tile.cluster` a shared tile of any block of the cluster (`tile.remote`).

    Attributes of ops of any dialect:

    | attribute | value | on |
    |---|---|---|
    | `tile.num_stages` | i32, at least 0 | `scf.for`, `scf.while` |
    | `tile.specialize` | "required", "preferred" or "off" | `scf.for`, `scf.while` |
    | `tile.stage` | i32, at least 0 | ops of a pipelined loop |
    | `tile.order`, `tile.group` | i32 | ops of a pipelined loop |
    | `tile.target` | `#nvvm.target` | `builtin.module` |
    | `tile.own_smem_bytes` | integer, at least 0 | a launch, by `tile-pack-shared-memory`: the bytes that `gpu.dynamic_shared_memory` is about, before the shared tiles |
    | `tile.prelude_slots`, `tile.reserved_bytes` | integer, at least 0 | a kernel, by `tile-compile` where a choice is taken back: the most slots of tiles that are filled outside pipelined loops; bytes of shared memory that passes need beyond earlier estimates |
    | `tile.refused` | integer, at least 0 | a kernel, by the pass that fails for it: bytes of shared memory that are too many |
    | `tile.persistent` | unit | an `scf.for`, by `tile-persist`: its rounds are blocks, so what they do to tensors is in no order |
    | `tile.pingpong` | unit | such a loop, by `tile-persist`: two warpgroups are to take its rounds in turn |
    | `tile.alternate` | unit | an `scf.for`, by `tile-alternate-registers`: its body stands there twice, with registers of its own for each round of a pair |
    | `tile.num_threads` | a multiple of 32 from 32 to 1024 | `func.func`; `scf.forall` of blocks, which becomes a kernel |
    | `tile.schedule` | a string | a `func.func` that becomes a kernel, by `tile-form-kernels`: the name of the script that tiles it |
    | `tile.block`, `tile.loop`, `tile.threads`, `tile.depth_stages` | `array<i64>`, `array<i64>`, an integer, an integer | the same function: sizes of a block in the loops of its last op, of a step in those of its product, threads, stages of the loop over the depth |
    | `tile.root`, `tile.product`, `tile.accumulator` | unit | linalg ops of such a function: the last one, the product, what fills its sum |
    | `tile.carried` | unit | a linalg op, by `tile-form-kernels`: it keeps what a loop of the host carries, as a kernel of its own |
    | `tile.sizes` | "block", "loop", "stages" or "mapping" | an op of a script: which of the sizes it gets |
    | `tile.warps` | `array<i64: first, count>`: the warps of the role that it was in | ops, by `tile-lower-roles` |
    | `tile.by_thread` | unit | an op of memref or vector that stores, or `tile.print`, that every thread does, not one of the block |
    | `tile.chunk` | i64, a power of two | a `tile.copy` or `tile.fill`, by `tile-insert-sync`: elements of a row that a thread takes at once. Chunks are numbered row by row; thread t takes t, t + T, … |
    | `tile.mma_type` | `f8E4M3FN` or `f8E5M2`: what the bytes are | `nvgpu.mma.sync`, `nvgpu.mma.sp.sync`, by `convert-tile-to-nvgpu` |
    | `tile.mma_type_b` | the same of the right factor, where it differs | as `tile.mma_type` |
    | `tile.align` | i64, a power of two | a `memref.load` or `memref.store` in an element loop: the address of the tensor and every stride but the last are multiples of so many bytes |
    | `tile.row_multiple` | i64, a power of two | a `tile.region`, by `tile-make-variants`: the last extent of its source is a multiple of so many bytes |
    | `tile.may_alias` | unit | `func.func`, or an argument of it |
    | `tile.name` | a string | an argument of a `func.func`, by the parser where it is missing: what launch metadata calls it |

    Tile ops are nested at most 1,000 ops deep.
  }];
  let extraClassDeclaration = "void registerTypes();";
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  // The arith, gpu and memref dialects are loaded by the bridge.
}

// A view gives another shape to the buffer that is its first operand.
class Tile_Op<string mnemonic, list<Trait> traits = [], bit isView = 0>
    : Op<Tile_Dialect, mnemonic, traits #
         !if(isView, [DeclareOpInterfaceMethods<ViewLikeOpInterface>], [])> {
  string cName = "tile_" # !subst(".", "_", mnemonic);
  bit cEffects = 0; // MemoryEffectsOpInterface::getEffects
  bit cInfer = 0;   // InferTypeOpInterface::inferReturnTypes
  let extraClassDefinition =
    !if(isView, "::mlir::Value $cppClass::getViewSource() { return getOperation()->getOperand(0); }\n", "") #
    !if(hasVerifier, "::llvm::LogicalResult $cppClass::verify() { return ::tile::callVerify(" # cName # "_verify, *this); }\n", "") #
    !if(hasRegionVerifier, "::llvm::LogicalResult $cppClass::verifyRegions() { return ::tile::callVerify(" # cName # "_verify_regions, *this); }\n", "") #
    !if(hasFolder, "::mlir::OpFoldResult $cppClass::fold(FoldAdaptor a) { return ::tile::callFold(" # cName # "_fold, *this, a.getOperands()); }\n", "") #
    !if(hasCanonicalizer, "void $cppClass::getCanonicalizationPatterns(::mlir::RewritePatternSet &s, ::mlir::MLIRContext *c) { " # cName # "_canonicalize(wrap(c), wrap(&s)); }\n", "") #
    !if(cEffects, "void $cppClass::getEffects(::llvm::SmallVectorImpl<::mlir::MemoryEffects::EffectInstance> &e) { " # cName # "_effects(wrap(getOperation()), TileEffects{&e}); }\n", "") #
    !if(cInfer, "::llvm::LogicalResult $cppClass::inferReturnTypes(::mlir::MLIRContext *c, ::std::optional<::mlir::Location> l, ::mlir::ValueRange v, ::mlir::DictionaryAttr d, ::mlir::OpaqueProperties p, ::mlir::RegionRange, ::llvm::SmallVectorImpl<::mlir::Type> &t) { return ::tile::callInfer<$cppClass>(" # cName # "_infer, c, l, v, d, p, t); }\n", "");
}

#endif // TILE_DIALECT_TD
