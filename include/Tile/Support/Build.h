//===- Build.h - Runtime under the generated op bindings ------------------===//
//
// Header only. Generated headers (Tile/Ops/<dialect>.h) hold one handle type,
// accessors and a builder per op; they call the functions below.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_SUPPORT_BUILD_H
#define TILE_SUPPORT_BUILD_H

#include "Tile/Support/Lists.h"
#include "Tile/Support/MlirExtra.h"
#include "mlir-c/AffineMap.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"
#include "mlir-c/IR.h"
#include "mlir-c/Rewrite.h"
#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define TILE_STR(lit) ((MlirStringRef){(lit), sizeof(lit) - 1})

static inline MlirStringRef tile_str(const char *s) {
  return (MlirStringRef){s, strlen(s)};
}

/// Where ops are built (the rewriter's insertion point) and with which
/// location.
typedef struct {
  MlirRewriterBase rw;
  MlirLocation loc;
} TileBuilder;

static inline MlirContext tile_builder_context(const TileBuilder *b) {
  return mlirLocationGetContext(b->loc);
}

/// A run of operands or results of one operation.
typedef struct {
  MlirOperation op;
  bool results;
  intptr_t start, n;
} TileRange;

static inline MlirValue tile_range_at(TileRange r, intptr_t i) {
  return r.results ? mlirOperationGetResult(r.op, r.start + i)
                   : mlirOperationGetOperand(r.op, r.start + i);
}

//===-- Queries -----------------------------------------------------------===//

static inline bool tile_ods_op_is(MlirOperation op, const char *name,
                                  size_t length) {
  if (!op.ptr)
    return false;
  MlirStringRef s = mlirIdentifierStr(mlirOperationGetName(op));
  return s.length == length && memcmp(s.data, name, length) == 0;
}

static inline int32_t tile_ods_seg_size(MlirOperation op, const char *name,
                                        intptr_t i) {
  MlirAttribute a = mlirOperationGetInherentAttributeByName(op, tile_str(name));
  return mlirDenseI32ArrayGetElement(a, i);
}

static inline intptr_t tile_ods_seg_start(MlirOperation op, const char *name,
                                          intptr_t i) {
  MlirAttribute a = mlirOperationGetInherentAttributeByName(op, tile_str(name));
  intptr_t start = 0;
  for (intptr_t k = 0; k < i; ++k)
    start += mlirDenseI32ArrayGetElement(a, k);
  return start;
}

//===-- Operation state ---------------------------------------------------===//

enum { TILE_ODS_MAX_PROPERTIES = 8 };

typedef struct {
  MlirOperationState st;
  int num_properties;
  MlirNamedAttribute properties[TILE_ODS_MAX_PROPERTIES];
} TileState;

static inline void tile_ods_begin(TileState *s, const TileBuilder *b,
                                  const char *name) {
  s->st = mlirOperationStateGet(tile_str(name), b->loc);
  s->num_properties = 0;
}

static inline void tile_ods_operand(TileState *s, MlirValue v) {
  assert(v.ptr && "required operand missing");
  mlirOperationStateAddOperands(&s->st, 1, &v);
}

static inline void tile_ods_operand_opt(TileState *s, MlirValue v) {
  if (v.ptr)
    mlirOperationStateAddOperands(&s->st, 1, &v);
}

static inline void tile_ods_operands(TileState *s, TileValues v) {
  if (v.n)
    mlirOperationStateAddOperands(&s->st, v.n, v.p);
}

static inline void tile_ods_type(TileState *s, MlirType t) {
  mlirOperationStateAddResults(&s->st, 1, &t);
}

static inline void tile_ods_types(TileState *s, TileTypes t) {
  if (t.n)
    mlirOperationStateAddResults(&s->st, t.n, t.p);
}

static inline void tile_ods_attr(TileState *s, const TileBuilder *b,
                                 const char *name, MlirAttribute a) {
  if (!a.ptr)
    return;
  MlirNamedAttribute named = mlirNamedAttributeGet(
      mlirIdentifierGet(tile_builder_context(b), tile_str(name)), a);
  mlirOperationStateAddAttributes(&s->st, 1, &named);
}

// ODS Property arguments cannot be given at creation through mlir-c; they are
// set on the finished op.
static inline void tile_ods_prop(TileState *s, const TileBuilder *b,
                                 const char *name, MlirAttribute a) {
  assert(s->num_properties < TILE_ODS_MAX_PROPERTIES);
  s->properties[s->num_properties++] = mlirNamedAttributeGet(
      mlirIdentifierGet(tile_builder_context(b), tile_str(name)), a);
}

static inline void tile_ods_segments(TileState *s, const TileBuilder *b,
                                     const char *name, const int32_t *v,
                                     intptr_t n) {
  tile_ods_attr(s, b, name, mlirDenseI32ArrayGet(tile_builder_context(b), n, v));
}

static inline void tile_ods_region(TileState *s, MlirRegion r) {
  if (!r.ptr)
    r = mlirRegionCreate();
  mlirOperationStateAddOwnedRegions(&s->st, 1, &r);
}

static inline void tile_ods_regions(TileState *s, TileRegions r) {
  if (r.n)
    mlirOperationStateAddOwnedRegions(&s->st, r.n, r.p);
}

static inline void tile_ods_succ(TileState *s, MlirBlock b) {
  mlirOperationStateAddSuccessors(&s->st, 1, &b);
}

static inline void tile_ods_succs(TileState *s, TileBlocks b) {
  if (b.n)
    mlirOperationStateAddSuccessors(&s->st, b.n, b.p);
}

static inline void tile_ods_infer(TileState *s) {
  mlirOperationStateEnableResultTypeInference(&s->st);
}

// Null when result types could not be inferred; MLIR has said why.
static inline MlirOperation tile_ods_end(TileState *s, const TileBuilder *b) {
  MlirOperation op = mlirOperationCreate(&s->st);
  for (int i = 0; op.ptr && i < s->num_properties; ++i)
    mlirxSetProperty(op, mlirIdentifierStr(s->properties[i].name),
                     s->properties[i].attribute);
  if (op.ptr)
    mlirRewriterBaseInsert(b->rw, op);
  return op;
}

//===-- Attributes --------------------------------------------------------===//

// width 0: index.
static inline MlirAttribute tile_ods_int_attr(const TileBuilder *b, int64_t v,
                                              int width) {
  MlirContext ctx = tile_builder_context(b);
  return mlirIntegerAttrGet(width ? mlirIntegerTypeGet(ctx, (unsigned)width)
                                  : mlirIndexTypeGet(ctx),
                            v);
}

static inline int64_t tile_ods_int_value(MlirAttribute a) {
  return mlirIntegerAttrGetValueInt(a);
}

static inline MlirAttribute tile_ods_str_attr(const TileBuilder *b,
                                              const char *s) {
  return mlirStringAttrGet(tile_builder_context(b), tile_str(s));
}

static inline MlirAttribute tile_ods_sym_attr(const TileBuilder *b,
                                              const char *s) {
  return mlirFlatSymbolRefAttrGet(tile_builder_context(b), tile_str(s));
}

typedef struct {
  int64_t v;
  const char *s;
} TileEnumCase;

// Enum attributes that are dialect attributes go through their text: mlir-c
// has no other way to them. Defined in lib/Support/EnumText.c.
MlirAttribute tile_ods_enum_attr(MlirContext context, const char *prefix,
                                 const TileEnumCase *cases, int num_cases,
                                 int64_t value, const char *separator);
int64_t tile_ods_enum_value(MlirAttribute attribute, int prefix_length,
                            const TileEnumCase *cases, int num_cases,
                            const char *separator);

#endif // TILE_SUPPORT_BUILD_H
