//===- Build.h - Runtime under the generated op bindings ------------------===//
//
// Header only. Generated headers (Tile/Ops/<dialect>.h) hold per op a handle
// type, accessors and a builder; they call the functions below.
//
//   MlirValue s = arith_addi(&b, x, y);
//   memref_store(&b, .value = v, .memref = m, .indices = TILE_VALUES(i, j));
//   TileCopyOp copy = tile_copy_dyn(op); // copy.op.ptr is null for another op
//
// An argument that ODS calls optional may be left out; an optional number or
// enumerator is given as TILE_SOME(3). A builder ends with a null op when
// MLIR cannot infer its result types, after MLIR has said why.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_SUPPORT_BUILD_H
#define TILE_SUPPORT_BUILD_H

#include "Lists.h"
#include "MlirExtra.h"
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
#define TILE_NULL_OP ((MlirOperation){NULL})
#define TILE_NULL_VALUE ((MlirValue){NULL})

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

/// Value number `i` of the run, counted from 0; `i` must be below `n`.
static inline MlirValue tile_range_at(TileRange r, intptr_t i) {
  return r.results ? mlirOperationGetResult(r.op, r.start + i)
                   : mlirOperationGetOperand(r.op, r.start + i);
}

/// The first value of the run; a null value when it is empty.
static inline MlirValue tile_range_first(TileRange r) {
  return r.n ? tile_range_at(r, 0) : TILE_NULL_VALUE;
}

//===-- Queries -----------------------------------------------------------===//

static inline bool tile_ods_op_is(MlirOperation op, const char *name,
                                  size_t length) {
  if (!op.ptr)
    return false;
  MlirStringRef s = mlirIdentifierStr(mlirOperationGetName(op));
  return s.length == length && memcmp(s.data, name, length) == 0;
}

static inline MlirAttribute tile_ods_get_attribute(MlirOperation op,
                                                   const char *name) {
  return mlirOperationGetInherentAttributeByName(op, tile_str(name));
}

static inline void tile_ods_set_attribute(MlirOperation op, const char *name,
                                          MlirAttribute value) {
  mlirOperationSetInherentAttributeByName(op, tile_str(name), value);
}

static inline MlirAttribute tile_ods_get_property(MlirOperation op,
                                                  const char *name) {
  return mlirxProperty(op, tile_str(name));
}

static inline void tile_ods_set_property(MlirOperation op, const char *name,
                                         MlirAttribute value) {
  mlirxSetProperty(op, tile_str(name), value);
}

static inline void tile_ods_set_unit(MlirOperation op, const char *name,
                                     bool value) {
  MlirAttribute unit = {NULL};
  if (value)
    unit = mlirUnitAttrGet(mlirOperationGetContext(op));
  tile_ods_set_attribute(op, name, unit);
}

static inline int32_t tile_ods_seg_size(MlirOperation op, const char *name,
                                        intptr_t i) {
  return mlirDenseI32ArrayGetElement(tile_ods_get_attribute(op, name), i);
}

static inline intptr_t tile_ods_seg_start(MlirOperation op, const char *name,
                                          intptr_t i) {
  MlirAttribute sizes = tile_ods_get_attribute(op, name);
  intptr_t start = 0;
  for (intptr_t k = 0; k < i; ++k)
    start += mlirDenseI32ArrayGetElement(sizes, k);
  return start;
}

// Group `i` of an op whose attribute gives the size of every group.
static inline TileRange tile_ods_operand_segment(MlirOperation op, intptr_t i) {
  const char *name = "operandSegmentSizes";
  return (TileRange){op, false, tile_ods_seg_start(op, name, i),
                     tile_ods_seg_size(op, name, i)};
}

static inline TileRange tile_ods_result_segment(MlirOperation op, intptr_t i) {
  const char *name = "resultSegmentSizes";
  return (TileRange){op, true, tile_ods_seg_start(op, name, i),
                     tile_ods_seg_size(op, name, i)};
}

// A group of an op without that attribute: all `num_variadic` groups of
// variable size share what the `num_single` fixed values leave, equally. The
// two numbers `before` count the groups that precede.
static inline TileRange tile_ods_operand_group(MlirOperation op,
                                               intptr_t single_before,
                                               intptr_t variadic_before,
                                               intptr_t num_single,
                                               intptr_t num_variadic) {
  intptr_t rest = mlirOperationGetNumOperands(op) - num_single;
  intptr_t size = rest / num_variadic;
  return (TileRange){op, false, single_before + variadic_before * size, size};
}

static inline TileRange tile_ods_result_group(MlirOperation op,
                                              intptr_t single_before,
                                              intptr_t variadic_before,
                                              intptr_t num_single,
                                              intptr_t num_variadic) {
  intptr_t rest = mlirOperationGetNumResults(op) - num_single;
  intptr_t size = rest / num_variadic;
  return (TileRange){op, true, single_before + variadic_before * size, size};
}

// Replaces an operand group. `segment`: its number in operandSegmentSizes, -1
// without that attribute. Defined in lib/Support/EnumText.c.
MLIR_CAPI_EXPORTED void tile_ods_set_operands(TileRange group, int segment,
                                              TileValues values);

// The same for an optional operand; a null value removes it.
static inline void tile_ods_set_operand(TileRange group, int segment,
                                        MlirValue value) {
  tile_ods_set_operands(group, segment,
                        (TileValues){&value, value.ptr ? 1 : 0});
}

//===-- Reading attributes; an absent one gives zero or a null value ------===//

static inline bool tile_ods_bool_value(MlirAttribute a) {
  return a.ptr && mlirBoolAttrGetValue(a);
}

static inline int64_t tile_ods_int_value(MlirAttribute a) {
  return a.ptr ? mlirIntegerAttrGetValueInt(a) : 0;
}

static inline MlirStringRef tile_ods_str_value(MlirAttribute a) {
  return a.ptr ? mlirStringAttrGetValue(a) : (MlirStringRef){NULL, 0};
}

static inline MlirStringRef tile_ods_sym_value(MlirAttribute a) {
  return a.ptr ? mlirFlatSymbolRefAttrGetValue(a) : (MlirStringRef){NULL, 0};
}

static inline MlirType tile_ods_type_value(MlirAttribute a) {
  return a.ptr ? mlirTypeAttrGetValue(a) : (MlirType){NULL};
}

static inline MlirAffineMap tile_ods_map_value(MlirAttribute a) {
  return a.ptr ? mlirAffineMapAttrGetValue(a) : (MlirAffineMap){NULL};
}

static inline intptr_t tile_ods_array_size(MlirAttribute a) {
  return a.ptr ? mlirDenseArrayGetNumElements(a) : 0;
}

//===-- Making attributes -------------------------------------------------===//

static inline MlirAttribute tile_ods_int_attr_in(MlirContext context, int64_t v,
                                                 int width) {
  // Width 0 stands for index.
  return mlirIntegerAttrGet(width ? mlirIntegerTypeGet(context, (unsigned)width)
                                  : mlirIndexTypeGet(context),
                            v);
}

static inline MlirAttribute tile_ods_int_attr(const TileBuilder *b, int64_t v,
                                              int width) {
  return tile_ods_int_attr_in(tile_builder_context(b), v, width);
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
MLIR_CAPI_EXPORTED MlirAttribute tile_ods_enum_attr(
    MlirContext context, const char *prefix, const TileEnumCase *cases,
    int num_cases, int64_t value, const char *separator);
MLIR_CAPI_EXPORTED int64_t tile_ods_enum_value(MlirAttribute attribute,
                                               int prefix_length,
                                               const TileEnumCase *cases,
                                               int num_cases,
                                               const char *separator);

//===-- Operation state ---------------------------------------------------===//

// Initialises the argument struct of a builder. The designator keeps both
// compilers from warning about members that are left out.
#define TILE_ODS_ARGS(T, ...) ((T){.first = 0, __VA_ARGS__})

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
  assert(t.ptr && "result type missing");
  mlirOperationStateAddResults(&s->st, 1, &t);
}

static inline void tile_ods_type_opt(TileState *s, MlirType t) {
  if (t.ptr)
    mlirOperationStateAddResults(&s->st, 1, &t);
}

static inline void tile_ods_types(TileState *s, TileTypes t) {
  if (t.n)
    mlirOperationStateAddResults(&s->st, t.n, t.p);
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

static inline MlirContext tile_ods_context(const TileState *s) {
  return mlirLocationGetContext(s->st.location);
}

// Adds an attribute; a null one is left out.
static inline void tile_ods_put(TileState *s, const char *name,
                                MlirAttribute a) {
  if (!a.ptr)
    return;
  MlirNamedAttribute named = mlirNamedAttributeGet(
      mlirIdentifierGet(tile_ods_context(s), tile_str(name)), a);
  mlirOperationStateAddAttributes(&s->st, 1, &named);
}

static inline void tile_ods_attr(TileState *s, const TileBuilder *b,
                                 const char *name, MlirAttribute a) {
  (void)b;
  tile_ods_put(s, name, a);
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
  tile_ods_put(s, name, mlirDenseI32ArrayGet(tile_builder_context(b), n, v));
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

//===-- Typed attributes of an operation state ----------------------------===//
//
// Null pointers, null handles and numbers without value are left out.

static inline void tile_ods_put_unit(TileState *s, const char *name, bool v) {
  if (v)
    tile_ods_put(s, name, mlirUnitAttrGet(tile_ods_context(s)));
}

static inline void tile_ods_put_bool(TileState *s, const char *name, bool v) {
  tile_ods_put(s, name, mlirBoolAttrGet(tile_ods_context(s), v));
}

static inline void tile_ods_put_bool_opt(TileState *s, const char *name,
                                         TileOptInt v) {
  if (v.has)
    tile_ods_put_bool(s, name, v.v != 0);
}

static inline void tile_ods_put_int(TileState *s, const char *name, int64_t v,
                                    int width) {
  tile_ods_put(s, name, tile_ods_int_attr_in(tile_ods_context(s), v, width));
}

static inline void tile_ods_put_int_opt(TileState *s, const char *name,
                                        TileOptInt v, int width) {
  if (v.has)
    tile_ods_put_int(s, name, v.v, width);
}

static inline void tile_ods_put_str(TileState *s, const char *name,
                                    const char *v) {
  if (v)
    tile_ods_put(s, name, mlirStringAttrGet(tile_ods_context(s), tile_str(v)));
}

static inline void tile_ods_put_sym(TileState *s, const char *name,
                                    const char *v) {
  if (v)
    tile_ods_put(s, name,
                 mlirFlatSymbolRefAttrGet(tile_ods_context(s), tile_str(v)));
}

static inline void tile_ods_put_type(TileState *s, const char *name,
                                     MlirType v) {
  if (v.ptr)
    tile_ods_put(s, name, mlirTypeAttrGet(v));
}

static inline void tile_ods_put_map(TileState *s, const char *name,
                                    MlirAffineMap v) {
  if (v.ptr)
    tile_ods_put(s, name, mlirAffineMapAttrGet(v));
}

static inline void tile_ods_put_i64s(TileState *s, const char *name,
                                     TileI64s v) {
  tile_ods_put(s, name, mlirDenseI64ArrayGet(tile_ods_context(s), v.n, v.p));
}

static inline void tile_ods_put_i64s_opt(TileState *s, const char *name,
                                         TileI64s v) {
  if (v.p)
    tile_ods_put_i64s(s, name, v);
}

static inline void tile_ods_put_i32s(TileState *s, const char *name,
                                     TileI32s v) {
  tile_ods_put(s, name, mlirDenseI32ArrayGet(tile_ods_context(s), v.n, v.p));
}

static inline void tile_ods_put_i32s_opt(TileState *s, const char *name,
                                         TileI32s v) {
  if (v.p)
    tile_ods_put_i32s(s, name, v);
}

#endif // TILE_SUPPORT_BUILD_H
