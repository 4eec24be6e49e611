// Each function is a direct forward to C++ MLIR; nothing is decided here.
#include "Tile/Support/MlirExtra.h"
#include "mlir-c/Diagnostics.h"
#include "mlir/Analysis/AliasAnalysis.h"
#include "mlir/Analysis/Liveness.h"
#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Rewrite.h"
#include "mlir/CAPI/Support.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"
#include <cstdarg>
using namespace mlir;
#define P(T, x) (*static_cast<T *>((x).ptr))

MlirxMapping mlirxMappingCreate() { return {new IRMapping}; }
void mlirxMappingDestroy(MlirxMapping m) { delete &P(IRMapping, m); }
void mlirxMappingSet(MlirxMapping m, MlirValue a, MlirValue b) { P(IRMapping, m).map(unwrap(a), unwrap(b)); }
MlirValue mlirxMappingGet(MlirxMapping m, MlirValue a) { return wrap(P(IRMapping, m).lookupOrDefault(unwrap(a))); }
MlirOperation mlirxClone(MlirRewriterBase rw, MlirOperation op, MlirxMapping m) { return wrap(unwrap(rw)->clone(*unwrap(op), P(IRMapping, m))); }
MlirOperation mlirxCloneWithoutRegions(MlirRewriterBase rw, MlirOperation op, MlirxMapping m) { return wrap(unwrap(rw)->cloneWithoutRegions(*unwrap(op), P(IRMapping, m))); }
void mlirxCloneRegionBefore(MlirRewriterBase rw, MlirRegion r, MlirBlock b, MlirxMapping m) { unwrap(rw)->cloneRegionBefore(*unwrap(r), *unwrap(b)->getParent(), unwrap(b)->getIterator(), P(IRMapping, m)); }

#define FORMAT(buf) char buf[1024]; { va_list ap; va_start(ap, fmt); vsnprintf(buf, sizeof buf, fmt, ap); va_end(ap); }
void mlirxEmit(MlirLocation loc, int severity, const char *fmt, ...) {
  FORMAT(s);
  switch (severity) {
  case MlirDiagnosticError: emitError(unwrap(loc), s); break;
  case MlirDiagnosticWarning: emitWarning(unwrap(loc), s); break;
  default: emitRemark(unwrap(loc), s); break;
  }
}
MlirLogicalResult mlirxOpError(MlirOperation op, const char *fmt, ...) { FORMAT(s); return wrap(LogicalResult(unwrap(op)->emitOpError(s))); }
MlirLogicalResult mlirxOpErrorNote(MlirOperation op, const char *msg, MlirLocation l, const char *note) {
  auto d = unwrap(op)->emitOpError(msg);
  d.attachNote(unwrap(l)) << note;
  return wrap(LogicalResult(d));
}

bool mlirxEffects(MlirOperation cop, bool recursive, MlirxEffectFn fn, void *user) {
  SmallVector<MemoryEffects::EffectInstance> es;
  Operation *op = unwrap(cop);
  if (recursive) {
    auto r = getEffectsRecursively(op);
    if (!r) return false;
    es = std::move(*r);
  } else if (auto i = dyn_cast<MemoryEffectOpInterface>(op)) i.getEffects(es);
  else return false;
  for (auto &e : es) {
    auto *k = e.getEffect();
    fn(isa<MemoryEffects::Read>(k) ? TILE_EFFECT_READ : isa<MemoryEffects::Write>(k) ? TILE_EFFECT_WRITE : isa<MemoryEffects::Allocate>(k) ? TILE_EFFECT_ALLOCATE : TILE_EFFECT_FREE,
       wrap(e.getValue()), wrap(e.getResource()->getName()), user);
  }
  return true;
}
bool mlirxIsMemoryEffectFree(MlirOperation op) { return isMemoryEffectFree(unwrap(op)); }
bool mlirxIsPure(MlirOperation op) { return isPure(unwrap(op)); }
bool mlirxIsSpeculatable(MlirOperation op) { return isSpeculatable(unwrap(op)); }
bool mlirxIsTriviallyDead(MlirOperation op) { return isOpTriviallyDead(unwrap(op)); }
bool mlirxIsTerminator(MlirOperation op) { return unwrap(op)->hasTrait<OpTrait::IsTerminator>(); }
bool mlirxIsIsolated(MlirOperation op) { return unwrap(op)->hasTrait<OpTrait::IsIsolatedFromAbove>(); }
intptr_t mlirxTryFold(MlirRewriterBase rw, MlirOperation op, MlirValue *out) {
  SmallVector<Value> r;
  if (failed(unwrap(rw)->tryFold(unwrap(op), r))) return -1;
  for (auto [i, v] : llvm::enumerate(r)) out[i] = wrap(v);
  return r.size();
}
bool mlirxConstantInt(MlirValue v, int64_t *out) {
  auto c = getConstantIntValue(OpFoldResult(unwrap(v)));
  if (c) *out = *c;
  return c.has_value();
}
bool mlirxConstantAttr(MlirValue v, MlirAttribute *out) {
  Attribute a;
  bool ok = matchPattern(unwrap(v), m_Constant(&a));
  if (ok) *out = wrap(a);
  return ok;
}

MlirAttribute mlirxProperty(MlirOperation op, MlirStringRef name) {
  auto d = dyn_cast_if_present<DictionaryAttr>(unwrap(op)->getPropertiesAsAttribute());
  return wrap(d ? d.get(unwrap(name)) : Attribute());
}
void mlirxSetProperty(MlirOperation op, MlirStringRef name, MlirAttribute value) {
  NamedAttrList l(dyn_cast_if_present<DictionaryAttr>(unwrap(op)->getPropertiesAsAttribute()));
  l.set(unwrap(name), unwrap(value));
  (void)unwrap(op)->setPropertiesFromAttribute(l.getDictionary(unwrap(op)->getContext()), [op] { return unwrap(op)->emitOpError(); });
}

MlirBlock mlirxSplitBlock(MlirRewriterBase rw, MlirOperation op) { return wrap(unwrap(rw)->splitBlock(unwrap(op)->getBlock(), unwrap(op)->getIterator())); }
void mlirxEraseArguments(MlirBlock b, intptr_t s, intptr_t n) { unwrap(b)->eraseArguments(s, n); }
MlirValue mlirxValueMoveLoc(MlirValue v, MlirLocation l) { unwrap(v).setLoc(unwrap(l)); return v; }

intptr_t mlirxMoveLoopInvariantCode(MlirOperation loop) { return moveLoopInvariantCode(cast<LoopLikeOpInterface>(unwrap(loop))); }
bool mlirxIsLoop(MlirOperation op) { return isa<LoopLikeOpInterface>(unwrap(op)); }
bool mlirxIsDefinedOutside(MlirOperation op, MlirValue v) { return !unwrap(op)->isAncestor(unwrap(v).getParentRegion()->getParentOp()); }
MlirLogicalResult mlirxPipelineForLoop(MlirRewriterBase rw, MlirOperation loop, const MlirxStage *s, intptr_t n, bool peel,
    MlirOperation (*pred)(MlirRewriterBase, MlirOperation, MlirValue, void *), void *user, MlirOperation *out) {
  scf::PipeliningOption o;
  o.getScheduleFn = [=](scf::ForOp, std::vector<std::pair<Operation *, unsigned>> &v) {
    for (auto &e : ArrayRef(s, n)) v.emplace_back(unwrap(e.op), e.stage);
  };
  o.peelEpilogue = peel;
  o.supportDynamicLoops = pred != nullptr;
  if (pred) o.predicateFn = [=](RewriterBase &r, Operation *op, Value p) { return unwrap(pred(wrap(&r), wrap(op), wrap(p), user)); };
  FailureOr<scf::ForOp> r = scf::pipelineForLoop(*unwrap(rw), cast<scf::ForOp>(unwrap(loop)), o);
  if (succeeded(r)) *out = wrap(r->getOperation());
  return wrap(LogicalResult(r));
}

MlirxDominance mlirxDominanceCreate(MlirOperation root) { return {new DominanceInfo(unwrap(root))}; }
void mlirxDominanceDestroy(MlirxDominance d) { delete &P(DominanceInfo, d); }
bool mlirxDominates(MlirxDominance d, MlirOperation a, MlirOperation b) { return P(DominanceInfo, d).properlyDominates(unwrap(a), unwrap(b)); }
bool mlirxValueDominates(MlirxDominance d, MlirValue a, MlirOperation b) { return P(DominanceInfo, d).properlyDominates(unwrap(a), unwrap(b)); }
MlirxLiveness mlirxLivenessCreate(MlirOperation root) { return {new Liveness(unwrap(root))}; }
void mlirxLivenessDestroy(MlirxLiveness l) { delete &P(Liveness, l); }
bool mlirxIsDeadAfter(MlirxLiveness l, MlirValue v, MlirOperation op) { return P(Liveness, l).isDeadAfter(unwrap(v), unwrap(op)); }
int mlirxAlias(MlirOperation root, MlirValue a, MlirValue b) {
  AliasAnalysis aa(unwrap(root));
  AliasResult r = aa.alias(unwrap(a), unwrap(b));
  return r.isNo() ? 0 : r.isMust() ? 2 : 1;
}
uint64_t mlirxTypeSize(MlirOperation scope, MlirType t) { return DataLayout::closest(unwrap(scope)).getTypeSize(unwrap(t)); }

MlirxTypeConverter mlirxTypeConverterCreate() { return {new TypeConverter}; }
void mlirxTypeConverterDestroy(MlirxTypeConverter c) { delete &P(TypeConverter, c); }
void mlirxTypeConverterAdd(MlirxTypeConverter c, MlirxConvertType fn, void *user) {
  P(TypeConverter, c).addConversion([=](Type t) -> std::optional<Type> {
    MlirType out{nullptr};
    if (!fn(wrap(t), &out, user)) return std::nullopt;
    return unwrap(out);
  });
}
MlirType mlirxTypeConverterConvert(MlirxTypeConverter c, MlirType t) { return wrap(P(TypeConverter, c).convertType(unwrap(t))); }
MlirxTypeConverter mlirxLLVMTypeConverterCreate(MlirContext ctx) { return {static_cast<TypeConverter *>(new LLVMTypeConverter(unwrap(ctx)))}; }
namespace { struct CTarget : ConversionTarget { MLIRContext *ctx; CTarget(MLIRContext *c) : ConversionTarget(*c), ctx(c) {} }; }
MlirxTarget mlirxTargetCreate(MlirContext ctx) { return {new CTarget(unwrap(ctx))}; }
void mlirxTargetDestroy(MlirxTarget t) { delete &P(CTarget, t); }
void mlirxTargetDialect(MlirxTarget t, const char *n, bool legal) { legal ? P(CTarget, t).addLegalDialect(n) : P(CTarget, t).addIllegalDialect(n); }
void mlirxTargetOp(MlirxTarget t, const char *n, bool legal) {
  auto &x = P(CTarget, t);
  x.setOpAction(OperationName(n, x.ctx), legal ? ConversionTarget::LegalizationAction::Legal : ConversionTarget::LegalizationAction::Illegal);
}
void mlirxTargetDynamic(MlirxTarget t, const char *n, int (*legal)(MlirOperation, void *), void *user) {
  auto &x = P(CTarget, t);
  x.addDynamicallyLegalOp(OperationName(n, x.ctx), [=](Operation *op) -> std::optional<bool> { return legal(wrap(op), user) != 0; });
}
namespace {
struct CPattern : ConversionPattern {
  MlirxConvertOp fn; MlirxTypeConverter c; void *user;
  CPattern(MlirxTypeConverter c, StringRef root, unsigned benefit, MLIRContext *ctx, MlirxConvertOp fn, void *user)
      : ConversionPattern(P(TypeConverter, c), root, benefit, ctx), fn(fn), c(c), user(user) {}
  LogicalResult matchAndRewrite(Operation *op, ArrayRef<Value> operands, ConversionPatternRewriter &rw) const override {
    SmallVector<MlirValue> v = llvm::map_to_vector(operands, [](Value x) { return wrap(x); });
    return unwrap(fn(wrap(op), v.size(), v.data(), wrap(static_cast<PatternRewriter *>(&rw)), c, user));
  }
};
} // namespace
void mlirxAddConversion(MlirRewritePatternSet set, const char *op, unsigned benefit, MlirxTypeConverter c, MlirxConvertOp fn, void *user) {
  unwrap(set)->add(std::make_unique<CPattern>(c, op, benefit, unwrap(set)->getContext(), fn, user));
}
MlirLogicalResult mlirxApplyConversion(MlirOperation op, MlirxTarget t, MlirFrozenRewritePatternSet set, bool full) {
  auto &x = P(CTarget, t);
  return wrap(full ? applyFullConversion(unwrap(op), x, *unwrap(set)) : applyPartialConversion(unwrap(op), x, *unwrap(set)));
}
