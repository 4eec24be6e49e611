//===- MlirExtra.h - What mlir-c lacks and C passes need ------------------===//
//
// Implemented in lib/Bridge; each function forwards to one of C++ MLIR and
// decides nothing. The prefix is mlirx, the spelling is MLIR's. What a
// ...Create function returns lives until its ...Destroy; everything else is
// borrowed from the IR or the context.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_SUPPORT_MLIR_EXTRA_H
#define TILE_SUPPORT_MLIR_EXTRA_H

#include "Hooks.h"
#include "mlir-c/IR.h"
#include "mlir-c/Rewrite.h"
#include "llvm-c/Types.h"
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Parses a module, text or bytecode; locations of text name it `name`. Null
/// after a diagnostic.
MLIR_CAPI_EXPORTED MlirModule mlirxModuleParse(MlirContext context,
                                               MlirStringRef text,
                                               MlirStringRef name);

//===-- LLVM's passes (OptPassGate) ---------------------------------------===//

typedef struct {
  void *ptr;
} MlirxPassGate;

/// From now on a pass that LLVM may leave out is left out in `context` where
/// `must_end` says so, which is asked before each pass. The caller destroys the
/// gate after the context.
MLIR_CAPI_EXPORTED MlirxPassGate mlirxPassGateCreate(
    LLVMContextRef context, bool (*must_end)(void *user_data), void *user_data);
MLIR_CAPI_EXPORTED void mlirxPassGateDestroy(MlirxPassGate gate);

//===-- Cloning with a value map (IRMapping) ------------------------------===//

typedef struct {
  void *ptr;
} MlirxMapping;

/// An empty map; the caller destroys it.
MLIR_CAPI_EXPORTED MlirxMapping mlirxMappingCreate(void);
MLIR_CAPI_EXPORTED void mlirxMappingDestroy(MlirxMapping mapping);

/// Maps `from` to `to`; replaces an older entry.
MLIR_CAPI_EXPORTED void mlirxMappingSet(MlirxMapping mapping, MlirValue from,
                                        MlirValue to);

/// What `from` is mapped to; `from` itself when it is not mapped.
MLIR_CAPI_EXPORTED MlirValue mlirxMappingGet(MlirxMapping mapping,
                                             MlirValue from);

/// Clones `op` at the insertion point with operands taken from the map, and
/// enters its results, blocks and nested values into the map.
MLIR_CAPI_EXPORTED MlirOperation mlirxClone(MlirRewriterBase rewriter,
                                            MlirOperation op,
                                            MlirxMapping mapping);

//===-- Diagnostics -------------------------------------------------------===//

/// A note under a diagnostic; borrowed during the call.
typedef struct {
  MlirLocation location;
  MlirStringRef message;
} MlirxNote;

/// Emits a remark, or a warning, with notes.
MLIR_CAPI_EXPORTED void mlirxEmitRemark(MlirLocation location, bool is_warning,
                                        MlirStringRef message,
                                        intptr_t num_notes,
                                        const MlirxNote *notes);

/// Emits the error "'dialect.op' op <message>" with notes; shows the op where
/// the context asks for that. Returns failure.
MLIR_CAPI_EXPORTED MlirLogicalResult mlirxEmitOpError(MlirOperation op,
                                                      MlirStringRef message,
                                                      intptr_t num_notes,
                                                      const MlirxNote *notes);

//===-- Effects, traits, folding ------------------------------------------===//

/// Called once per effect. `value` is null for an effect on no value;
/// `resource` is the name of the resource.
typedef void (*MlirxEffectFn)(TileEffectKind kind, MlirValue value,
                              MlirStringRef resource, void *user_data);

/// Reports the memory effects of `op`, with `recursive` those of the ops
/// inside too. Returns false when they are not known.
MLIR_CAPI_EXPORTED bool mlirxEffects(MlirOperation op, bool recursive,
                                     MlirxEffectFn fn, void *user_data);

/// Neither reads nor writes memory; regions included.
MLIR_CAPI_EXPORTED bool mlirxIsMemoryEffectFree(MlirOperation op);

/// Free of effects and speculatable: may be moved, duplicated, erased. True
/// for most terminators as well.
MLIR_CAPI_EXPORTED bool mlirxIsPure(MlirOperation op);

/// Unused and erasable.
MLIR_CAPI_EXPORTED bool mlirxIsTriviallyDead(MlirOperation op);

/// Ends a block (trait IsTerminator).
MLIR_CAPI_EXPORTED bool mlirxIsTerminator(MlirOperation op);

/// The chips that an op of nvvm says it needs: the first `capacity` numbers of
/// those it runs on, such as 90, or with `out_is_minimum` the least one. 0 for
/// ops that do not say.
MLIR_CAPI_EXPORTED intptr_t mlirxRequiredChips(MlirOperation op,
                                               bool *out_is_minimum,
                                               int *out_numbers,
                                               intptr_t capacity);

/// Whether the value is a constant integer or index; its value.
MLIR_CAPI_EXPORTED bool mlirxConstantInt(MlirValue value, int64_t *out);

/// Whether the value is a constant of any type; its attribute.
MLIR_CAPI_EXPORTED bool mlirxConstantAttr(MlirValue value, MlirAttribute *out);

/// The number of a `#gpu.address_space`, 1 global, 2 workgroup, 3 private; 0 of
/// any other attribute.
MLIR_CAPI_EXPORTED int mlirxGpuAddressSpace(MlirAttribute attribute);

/// Expands gpu.all_reduce and gpu.subgroup_reduce below `root`, which is
/// isolated from above, to shuffles of warps of `num_lanes` threads, and
/// vector.multi_reduction and vector.scan to ops on smaller vectors, where
/// upstream's patterns can. Upstream has no pass that does.
MLIR_CAPI_EXPORTED void mlirxExpandGpuReductions(MlirOperation root,
                                                 unsigned num_lanes);

/// Clones the body of `callee`, a function, in place of `call`, whose results
/// have no uses then; the caller erases it. False, and nothing is changed,
/// where the types do not fit.
MLIR_CAPI_EXPORTED bool mlirxInlineCall(MlirOperation call,
                                        MlirOperation callee);

//===-- Parts of an op ----------------------------------------------------===//

/// An ODS property as attribute (mlir-c only knows attributes); null when the
/// op has none of that name.
MLIR_CAPI_EXPORTED MlirAttribute mlirxProperty(MlirOperation op,
                                               MlirStringRef name);

/// Sets an ODS property; emits an error at `op` and changes nothing when the
/// attribute does not fit.
MLIR_CAPI_EXPORTED void mlirxSetProperty(MlirOperation op, MlirStringRef name,
                                         MlirAttribute value);

/// Replaces `length` operands from number `start` on by any number of values.
/// Segment sizes, where the op has them, are the caller's business.
MLIR_CAPI_EXPORTED void mlirxSetOperandGroup(MlirOperation op, intptr_t start,
                                             intptr_t length,
                                             intptr_t num_values,
                                             const MlirValue *values);

//===-- Blocks ------------------------------------------------------------===//

/// Moves `before` and what follows it to a new block after its own, which then
/// lacks a terminator. Returns the new block.
MLIR_CAPI_EXPORTED MlirBlock mlirxSplitBlock(MlirRewriterBase rewriter,
                                             MlirOperation before);

/// Erases `count` unused arguments from number `start` on.
MLIR_CAPI_EXPORTED void mlirxEraseArguments(MlirBlock block, intptr_t start,
                                            intptr_t count);

//===-- Analyses; valid until the IR below `root` changes -----------------===//

typedef struct {
  void *ptr;
} MlirxDominance;

/// Dominance in all regions below `root`; the caller destroys it.
MLIR_CAPI_EXPORTED MlirxDominance mlirxDominanceCreate(MlirOperation root);
MLIR_CAPI_EXPORTED void mlirxDominanceDestroy(MlirxDominance dominance);

/// `a` always runs before `b`, and is not `b`.
MLIR_CAPI_EXPORTED bool mlirxDominates(MlirxDominance dominance,
                                       MlirOperation a, MlirOperation b);

#ifdef __cplusplus
}
#endif

#endif // TILE_SUPPORT_MLIR_EXTRA_H
