//===- Hooks.h - Types of the C hooks that ODS forwards to ----------------===//
#ifndef TILE_SUPPORT_HOOKS_H
#define TILE_SUPPORT_HOOKS_H

#include "mlir-c/IR.h"
#include "mlir-c/Rewrite.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Result of a C folder: neither member set means "did not fold".
typedef struct {
  MlirAttribute attr;
  MlirValue value;
} TileFold;

/// Sink of memory effects, valid during the hook.
typedef struct {
  void *ptr;
} TileEffects;

typedef enum {
  TILE_EFFECT_READ,
  TILE_EFFECT_WRITE,
  TILE_EFFECT_ALLOCATE,
  TILE_EFFECT_FREE
} TileEffectKind;

/// Adds an effect on operand number `operand` of `op`; -1: on no value.
MLIR_CAPI_EXPORTED void tile_effects_add(TileEffects effects,
                                         TileEffectKind kind, MlirOperation op,
                                         intptr_t operand);

/// What a type-inference hook sees. All members are borrowed.
typedef struct {
  MlirContext context;
  MlirLocation location;
  intptr_t num_operands;
  const MlirValue *operands;
  MlirAttribute attributes; // dictionary of the inherent attributes
} TileInferInput;

/// Verifies a discardable `tile.*` attribute of an op of any dialect.
/// Implemented in lib/Dialect.
MlirLogicalResult tile_attribute_verify(MlirOperation op,
                                        MlirNamedAttribute attribute);

/// The same for an attribute of an argument of a function of any dialect.
MlirLogicalResult tile_argument_attribute_verify(MlirOperation function,
                                                 intptr_t argument,
                                                 MlirNamedAttribute attribute);

#ifdef __cplusplus
}
#endif

#endif // TILE_SUPPORT_HOOKS_H
