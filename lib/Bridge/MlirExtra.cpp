//===- MlirExtra.cpp - Forwards to what mlir-c lacks ----------------------===//
//
// Each function is a direct forward to C++ MLIR; nothing is decided here.
//
//===----------------------------------------------------------------------===//

#include "Support/MlirExtra.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Rewrite.h"
#include "mlir/CAPI/Support.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/Inliner.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/OptBisect.h"

using namespace mlir;

// The C++ object behind one of our handles.
template <typename T, typename Handle> static T &as(Handle handle) {
  return *static_cast<T *>(handle.ptr);
}

// mlirModuleCreateParse gives the text no name.
MlirModule mlirxModuleParse(MlirContext context, MlirStringRef text,
                            MlirStringRef name) {
  ParserConfig config(unwrap(context));
  return wrap(parseSourceString<ModuleOp>(unwrap(text), config, unwrap(name))
                  .release());
}

//===-- LLVM's passes
//------------------------------------------------------===//

namespace {

struct Gate final : llvm::OptPassGate {
  bool (*must_end)(void *);
  void *user_data;

  Gate(bool (*must_end)(void *), void *user_data)
      : must_end(must_end), user_data(user_data) {}
  bool shouldRunPass(StringRef, StringRef) const final {
    return !must_end(user_data);
  }
  bool isEnabled() const final { return true; }
};

} // namespace

// LLVMContext::setOptPassGate has no C API.
MlirxPassGate mlirxPassGateCreate(LLVMContextRef context,
                                  bool (*must_end)(void *user_data),
                                  void *user_data) {
  auto *gate = new Gate(must_end, user_data);
  llvm::unwrap(context)->setOptPassGate(*gate);
  return {gate};
}
void mlirxPassGateDestroy(MlirxPassGate gate) {
  delete static_cast<Gate *>(gate.ptr);
}

//===-- Cloning -----------------------------------------------------------===//

// IRMapping has no C API.
MlirxMapping mlirxMappingCreate() { return {new IRMapping}; }
void mlirxMappingDestroy(MlirxMapping mapping) {
  delete &as<IRMapping>(mapping);
}

void mlirxMappingSet(MlirxMapping mapping, MlirValue from, MlirValue to) {
  as<IRMapping>(mapping).map(unwrap(from), unwrap(to));
}

MlirValue mlirxMappingGet(MlirxMapping mapping, MlirValue from) {
  return wrap(as<IRMapping>(mapping).lookupOrDefault(unwrap(from)));
}

// mlirOperationClone takes no map.
MlirOperation mlirxClone(MlirRewriterBase rewriter, MlirOperation op,
                         MlirxMapping mapping) {
  return wrap(unwrap(rewriter)->clone(*unwrap(op), as<IRMapping>(mapping)));
}

//===-- Diagnostics -------------------------------------------------------===//

// Also emits the diagnostic, when it goes out of scope.
static void attachNotes(InFlightDiagnostic diagnostic, intptr_t num_notes,
                        const MlirxNote *notes) {
  for (const MlirxNote &note : ArrayRef(notes, num_notes))
    diagnostic.attachNote(unwrap(note.location)) << unwrap(note.message);
}

// mlir-c emits errors only, and no notes.
void mlirxEmitRemark(MlirLocation location, bool isWarning,
                     MlirStringRef message, intptr_t num_notes,
                     const MlirxNote *notes) {
  auto emit = isWarning ? emitWarning(unwrap(location), "")
                        : emitRemark(unwrap(location), "");
  attachNotes(std::move(emit << unwrap(message)), num_notes, notes);
}

// Operation::emitOpError has no C API.
MlirLogicalResult mlirxEmitOpError(MlirOperation op, MlirStringRef message,
                                   intptr_t num_notes, const MlirxNote *notes) {
  attachNotes(unwrap(op)->emitOpError(unwrap(message)), num_notes, notes);
  return wrap(LogicalResult::failure());
}

//===-- Effects, traits, folding ------------------------------------------===//

static TileEffectKind effectKind(MemoryEffects::Effect *effect) {
  return isa<MemoryEffects::Read>(effect)       ? TILE_EFFECT_READ
         : isa<MemoryEffects::Write>(effect)    ? TILE_EFFECT_WRITE
         : isa<MemoryEffects::Allocate>(effect) ? TILE_EFFECT_ALLOCATE
                                                : TILE_EFFECT_FREE;
}

// MemoryEffectOpInterface has no C API for callers.
bool mlirxEffects(MlirOperation op, bool recursive, MlirxEffectFn fn,
                  void *user_data) {
  std::optional<SmallVector<MemoryEffects::EffectInstance>> effects;
  if (recursive) {
    effects = getEffectsRecursively(unwrap(op));
  } else if (auto known = dyn_cast<MemoryEffectOpInterface>(unwrap(op))) {
    effects.emplace();
    known.getEffects(*effects);
  }
  if (!effects)
    return false;
  for (const MemoryEffects::EffectInstance &effect : *effects)
    fn(effectKind(effect.getEffect()), wrap(effect.getValue()),
       wrap(effect.getResource()->getName()), user_data);
  return true;
}

// Queries of SideEffectInterfaces.h.
bool mlirxIsMemoryEffectFree(MlirOperation op) {
  return isMemoryEffectFree(unwrap(op));
}
bool mlirxIsPure(MlirOperation op) { return isPure(unwrap(op)); }
bool mlirxIsTriviallyDead(MlirOperation op) {
  return isOpTriviallyDead(unwrap(op));
}

// Traits; mlir-c asks by TypeID only where it exports one.
bool mlirxIsTerminator(MlirOperation op) {
  return unwrap(op)->hasTrait<OpTrait::IsTerminator>();
}

int mlirxGpuAddressSpace(MlirAttribute attribute) {
  auto space = dyn_cast<gpu::AddressSpaceAttr>(unwrap(attribute));
  return space ? static_cast<int>(space.getValue()) : 0;
}

// RequiresSMInterface has no C API.
intptr_t mlirxRequiredChips(MlirOperation op, bool *out_is_minimum,
                            int *out_numbers, intptr_t capacity) {
  auto needs = dyn_cast<NVVM::RequiresSMInterface>(unwrap(op));
  if (!needs)
    return 0;
  NVVM::NVVMCheckSMVersion chips = needs.getRequiredMinSMVersion();
  *out_is_minimum = !chips.archAccelerated;
  ArrayRef<int> numbers = ArrayRef(chips.smVersionList).take_front(capacity);
  llvm::copy(numbers, out_numbers);
  return static_cast<intptr_t>(numbers.size());
}

// Constant matchers have no C API.
bool mlirxConstantInt(MlirValue value, int64_t *out) {
  std::optional<int64_t> constant = getConstantIntValue(unwrap(value));
  if (constant)
    *out = *constant;
  return constant.has_value();
}

bool mlirxConstantAttr(MlirValue value, MlirAttribute *out) {
  Attribute constant;
  if (!matchPattern(unwrap(value), m_Constant(&constant)))
    return false;
  *out = wrap(constant);
  return true;
}

// These patterns have no pass, only a test pass.
void mlirxExpandGpuReductions(MlirOperation root, unsigned num_lanes) {
  // What is wider than 32 bits is left for the second round.
  for (unsigned bits : {32u, 64u}) {
    RewritePatternSet patterns(unwrap(root)->getContext());
    populateGpuAllReducePatterns(patterns);
    populateGpuBreakDownSubgroupReducePatterns(patterns, bits);
    populateGpuLowerSubgroupReduceToShufflePatterns(patterns, num_lanes, bits);
    populateGpuLowerClusteredSubgroupReduceToShufflePatterns(patterns,
                                                             num_lanes, bits);
    vector::populateVectorMultiReductionLoweringPatterns(
        patterns, vector::VectorMultiReductionLowering::InnerReduction);
    vector::populateVectorScanLoweringPatterns(patterns);
    (void)applyPatternsGreedily(unwrap(root), std::move(patterns));
  }
}

// inlineCall has no C API. The gpu dialect does not say that ops may be inlined
// into kernels.
bool mlirxInlineCall(MlirOperation call, MlirOperation callee) {
  struct IntoKernels : InlinerInterface {
    using InlinerInterface::InlinerInterface;
    bool isLegalToInline(Operation *, Operation *, bool) const final {
      return true;
    }
    bool isLegalToInline(Region *, Region *, bool, IRMapping &) const final {
      return true;
    }
    bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final {
      return true;
    }
  } interface(unwrap(call)->getContext());
  auto callable = cast<CallableOpInterface>(unwrap(callee));
  return succeeded(inlineCall(interface, InlinerConfig().getCloneCallback(),
                              cast<CallOpInterface>(unwrap(call)), callable,
                              callable.getCallableRegion()));
}

//===-- Parts of an op ----------------------------------------------------===//

// ODS properties have no C API.
static DictionaryAttr allProperties(MlirOperation op) {
  return dyn_cast_if_present<DictionaryAttr>(
      unwrap(op)->getPropertiesAsAttribute());
}

MlirAttribute mlirxProperty(MlirOperation op, MlirStringRef name) {
  DictionaryAttr all = allProperties(op);
  return wrap(all ? all.get(unwrap(name)) : Attribute());
}

void mlirxSetProperty(MlirOperation op, MlirStringRef name,
                      MlirAttribute value) {
  NamedAttrList all(allProperties(op));
  all.set(unwrap(name), unwrap(value));
  // A failure has been reported through the callback.
  (void)unwrap(op)->setPropertiesFromAttribute(
      all.getDictionary(unwrap(op)->getContext()),
      [op] { return unwrap(op)->emitOpError(); });
}

// mlirOperationSetOperands keeps their number.
void mlirxSetOperandGroup(MlirOperation op, intptr_t start, intptr_t length,
                          intptr_t num_values, const MlirValue *values) {
  SmallVector<Value> list =
      llvm::map_to_vector(ArrayRef(values, num_values),
                          [](MlirValue value) { return unwrap(value); });
  unwrap(op)->setOperands(start, length, list);
}

//===-- Blocks ------------------------------------------------------------===//

// RewriterBase::splitBlock has no C API.
MlirBlock mlirxSplitBlock(MlirRewriterBase rewriter, MlirOperation before) {
  Operation *op = unwrap(before);
  return wrap(unwrap(rewriter)->splitBlock(op->getBlock(), op->getIterator()));
}

// mlirBlockEraseArgument erases one at a time, in quadratic time.
void mlirxEraseArguments(MlirBlock block, intptr_t start, intptr_t count) {
  unwrap(block)->eraseArguments(start, count);
}

//===-- Analyses ----------------------------------------------------------===//

// DominanceInfo has no C API.
MlirxDominance mlirxDominanceCreate(MlirOperation root) {
  return {new DominanceInfo(unwrap(root))};
}
void mlirxDominanceDestroy(MlirxDominance dominance) {
  delete &as<DominanceInfo>(dominance);
}
bool mlirxDominates(MlirxDominance dominance, MlirOperation a,
                    MlirOperation b) {
  return as<DominanceInfo>(dominance).properlyDominates(unwrap(a), unwrap(b));
}
