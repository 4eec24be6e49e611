// mlirx.h: what mlir-c 22 lacks and C passes need.
#pragma once
#include <stdbool.h>
#include "mlir-c/IR.h"
#include "mlir-c/Pass.h"
#include "mlir-c/Rewrite.h"
#include "Tile/Support/Hooks.h"
#ifdef __cplusplus
extern "C" {
#endif
#define MLIRX(T) typedef struct { void *ptr; } T
MLIRX(MlirxMapping); MLIRX(MlirxDominance); MLIRX(MlirxLiveness); MLIRX(MlirxTypeConverter); MLIRX(MlirxTarget);
#define X MLIR_CAPI_EXPORTED

// --- cloning with a value map (IRMapping)
X MlirxMapping mlirxMappingCreate(void);
X void mlirxMappingDestroy(MlirxMapping m);
X void mlirxMappingSet(MlirxMapping m, MlirValue from, MlirValue to);
X MlirValue mlirxMappingGet(MlirxMapping m, MlirValue from);            // from itself when unmapped
X MlirOperation mlirxClone(MlirRewriterBase rw, MlirOperation op, MlirxMapping m);
X MlirOperation mlirxCloneWithoutRegions(MlirRewriterBase rw, MlirOperation op, MlirxMapping m);
X void mlirxCloneRegionBefore(MlirRewriterBase rw, MlirRegion from, MlirBlock before, MlirxMapping m);

// --- diagnostics: severity as in MlirDiagnosticSeverity; op variants honour --mlir-print-op-on-diagnostic
X void mlirxEmit(MlirLocation loc, int severity, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
X MlirLogicalResult mlirxOpError(MlirOperation op, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
X MlirLogicalResult mlirxOpErrorNote(MlirOperation op, const char *msg, MlirLocation noteLoc, const char *note);

// --- effects, traits, folding
typedef void (*MlirxEffectFn)(TileEffectKind kind, MlirValue value, MlirStringRef resource, void *user);
X bool mlirxEffects(MlirOperation op, bool recursive, MlirxEffectFn fn, void *user);   // false: unknown effects
X bool mlirxIsMemoryEffectFree(MlirOperation op);
X bool mlirxIsPure(MlirOperation op);
X bool mlirxIsSpeculatable(MlirOperation op);
X bool mlirxIsTriviallyDead(MlirOperation op);
X bool mlirxIsTerminator(MlirOperation op);
X bool mlirxIsIsolated(MlirOperation op);
X intptr_t mlirxTryFold(MlirRewriterBase rw, MlirOperation op, MlirValue *results);    // >0: op folded, erase it
X bool mlirxConstantInt(MlirValue v, int64_t *out);
X bool mlirxConstantAttr(MlirValue v, MlirAttribute *out);

// --- ODS Property arguments (mlir-c only knows attributes)
X MlirAttribute mlirxProperty(MlirOperation op, MlirStringRef name);
X void mlirxSetProperty(MlirOperation op, MlirStringRef name, MlirAttribute value);

// --- blocks
X MlirBlock mlirxSplitBlock(MlirRewriterBase rw, MlirOperation before);
X void mlirxEraseArguments(MlirBlock b, intptr_t start, intptr_t n);
X MlirValue mlirxValueMoveLoc(MlirValue v, MlirLocation loc);

// --- loops
X intptr_t mlirxMoveLoopInvariantCode(MlirOperation loop);
X bool mlirxIsLoop(MlirOperation op);
X bool mlirxIsDefinedOutside(MlirOperation op, MlirValue v);
typedef struct { MlirOperation op; unsigned stage; } MlirxStage;
X MlirLogicalResult mlirxPipelineForLoop(MlirRewriterBase rw, MlirOperation loop, const MlirxStage *s, intptr_t n, bool peelEpilogue,
    MlirOperation (*predicate)(MlirRewriterBase, MlirOperation, MlirValue, void *), void *user, MlirOperation *out);

// --- analyses
X MlirxDominance mlirxDominanceCreate(MlirOperation root);
X void mlirxDominanceDestroy(MlirxDominance d);
X bool mlirxDominates(MlirxDominance d, MlirOperation a, MlirOperation b);
X bool mlirxValueDominates(MlirxDominance d, MlirValue a, MlirOperation b);
X MlirxLiveness mlirxLivenessCreate(MlirOperation root);
X void mlirxLivenessDestroy(MlirxLiveness l);
X bool mlirxIsDeadAfter(MlirxLiveness l, MlirValue v, MlirOperation op);
X int mlirxAlias(MlirOperation root, MlirValue a, MlirValue b);                         // 0 no, 1 may, 2 must
X uint64_t mlirxTypeSize(MlirOperation scope, MlirType t);

// --- dialect conversion
typedef bool (*MlirxConvertType)(MlirType t, MlirType *out, void *user);                // false: not mine
X MlirxTypeConverter mlirxTypeConverterCreate(void);
X void mlirxTypeConverterDestroy(MlirxTypeConverter c);
X void mlirxTypeConverterAdd(MlirxTypeConverter c, MlirxConvertType fn, void *user);
X MlirType mlirxTypeConverterConvert(MlirxTypeConverter c, MlirType t);
X MlirxTypeConverter mlirxLLVMTypeConverterCreate(MlirContext ctx);
X MlirxTarget mlirxTargetCreate(MlirContext ctx);
X void mlirxTargetDestroy(MlirxTarget t);
X void mlirxTargetDialect(MlirxTarget t, const char *name, bool legal);
X void mlirxTargetOp(MlirxTarget t, const char *name, bool legal);
X void mlirxTargetDynamic(MlirxTarget t, const char *opName, int (*legal)(MlirOperation, void *), void *user);
typedef MlirLogicalResult (*MlirxConvertOp)(MlirOperation op, intptr_t n, const MlirValue *operands, MlirPatternRewriter rw, MlirxTypeConverter c, void *user);
X void mlirxAddConversion(MlirRewritePatternSet set, const char *opName, unsigned benefit, MlirxTypeConverter c, MlirxConvertOp fn, void *user);
X MlirLogicalResult mlirxApplyConversion(MlirOperation op, MlirxTarget t, MlirFrozenRewritePatternSet set, bool full);
#undef X
#ifdef __cplusplus
}
#endif
