//===- Accesses.c - Loads and stores of bits; conversion of elements ------===//

#include "Lowering.h"

#include "Tile/Ops/llvm.h"
#include "Tile/Support/Constants.h"
#include "mlir-c/Dialect/LLVM.h"

enum { MAX_BITS_BYTES = 16, WORD_BYTES = 4 };

unsigned space_number(TileSpace space) {
  switch (space) {
  case TILE_SPACE_GLOBAL:
    return 1;
  case TILE_SPACE_SHARED:
    return 3;
  case TILE_SPACE_FRAGMENT:
  case TILE_SPACE_PRIVATE:
  case TILE_SPACE_OTHER:
    break;
  }
  return 0;
}

static MlirType type_int(Lowering *l, int64_t bits) {
  return mlirIntegerTypeGet(tile_builder_context(&l->b), (unsigned)bits);
}

static MlirType type_vector(MlirType element, int64_t count) {
  return mlirVectorTypeGet(1, &count, element);
}

MlirType type_bits(Lowering *l, int64_t size_bytes) {
  if (size_bytes == MAX_BITS_BYTES)
    return type_vector(type_i32(l), MAX_BITS_BYTES / WORD_BYTES);
  return type_int(l, 8 * size_bytes);
}

//===-- Predicated accesses -----------------------------------------------===//
//
// A branch per access would cost more than the access: these are single
// predicated instructions.

// Private arrays are addressed generically.
static const char *space_text(unsigned space) {
  static const char *const texts[] = {
      [0] = "", [1] = ".global", [3] = ".shared"};
  return texts[space];
}

static void access_text(unsigned space, int64_t size_bytes, bool is_load,
                        char *out, size_t capacity) {
  const char *where = space_text(space);
  static const char *const types[] = {
      [1] = "b8", [2] = "b16", [4] = "b32", [8] = "b64"};
  static const char *const moves[] = {
      [1] = "b16", [2] = "b16", [4] = "b32", [8] = "b64"};
  if (size_bytes == MAX_BITS_BYTES && is_load)
    snprintf(out, capacity,
             "{\nmov.b32 $0, 0;\nmov.b32 $1, 0;\nmov.b32 $2, 0;\n"
             "mov.b32 $3, 0;\n@$5 ld%s.v4.b32 {$0, $1, $2, $3}, [$4];\n}",
             where);
  else if (size_bytes == MAX_BITS_BYTES)
    snprintf(out, capacity, "@$5 st%s.v4.b32 [$4], {$0, $1, $2, $3};", where);
  else if (is_load)
    snprintf(out, capacity, "{\nmov.%s $0, 0;\n@$2 ld%s.%s $0, [$1];\n}",
             moves[size_bytes], where, types[size_bytes]);
  else
    snprintf(out, capacity, "@$2 st%s.%s [$1], $0;", where, types[size_bytes]);
}

static const char *register_constraint(int64_t size_bytes) {
  return size_bytes <= 2 ? "h" : size_bytes == 4 ? "r" : "l";
}

static MlirValue asm_pointer(Lowering *l, MlirValue pointer, unsigned space) {
  return llvm_ptrtoint(&l->b, .type = space == 3 ? type_i32(l) : type_i64(l),
                       .arg = pointer);
}

// i8 has no register class: it travels in 16 bits.
static MlirType register_type(Lowering *l, int64_t size_bytes) {
  return type_int(l, size_bytes == 1 ? 16 : 8 * size_bytes);
}

static MlirValue load_predicated(Lowering *l, MlirValue pointer, unsigned space,
                                 int64_t size_bytes, MlirValue predicate) {
  char text[256], constraints[64];
  const char *address = space == 3 ? "r" : "l";
  access_text(space, size_bytes, true, text, sizeof text);
  MlirValue operands[2] = {asm_pointer(l, pointer, space), predicate};
  if (size_bytes < MAX_BITS_BYTES) {
    snprintf(constraints, sizeof constraints, "=&%s,%s,b",
             register_constraint(size_bytes), address);
    MlirOperation loaded =
        llvm_inline_asm_op(&l->b, .type = register_type(l, size_bytes),
                           .operands = {operands, 2}, .asm_string = text,
                           .constraints = constraints, .has_side_effects = true)
            .op;
    MlirValue bits = mlirOperationGetResult(loaded, 0);
    return size_bytes == 1
               ? arith_trunci(&l->b, .type = type_int(l, 8), .in = bits)
               : bits;
  }
  snprintf(constraints, sizeof constraints, "=&r,=&r,=&r,=&r,%s,b", address);
  MlirType i32 = type_i32(l), words[4] = {i32, i32, i32, i32};
  MlirType packed = mlirLLVMStructTypeLiteralGet(tile_builder_context(&l->b), 4,
                                                 words, false);
  MlirOperation loaded =
      llvm_inline_asm_op(&l->b, .type = packed, .operands = {operands, 2},
                         .asm_string = text, .constraints = constraints,
                         .has_side_effects = true)
          .op;
  MlirValue result = llvm_mlir_undef(&l->b, type_bits(l, size_bytes));
  for (int64_t i = 0; i < 4; i++) {
    MlirValue word = llvm_extractvalue(
        &l->b, .type = i32, .container = mlirOperationGetResult(loaded, 0),
        .position = {&i, 1});
    result =
        llvm_insertelement(&l->b, result, word, tile_const_int(&l->b, i, 32));
  }
  return result;
}

static void store_predicated(Lowering *l, MlirValue bits, MlirValue pointer,
                             unsigned space, int64_t size_bytes,
                             MlirValue predicate) {
  char text[256], constraints[64];
  const char *address = space == 3 ? "r" : "l";
  access_text(space, size_bytes, false, text, sizeof text);
  MlirValue operands[6];
  intptr_t n = 0;
  if (size_bytes < MAX_BITS_BYTES) {
    snprintf(constraints, sizeof constraints, "%s,%s,b",
             register_constraint(size_bytes), address);
    operands[n++] =
        size_bytes == 1
            ? arith_extui(&l->b, .type = type_int(l, 16), .in = bits)
            : bits;
  } else {
    snprintf(constraints, sizeof constraints, "r,r,r,r,%s,b", address);
    for (int i = 0; i < 4; i++)
      operands[n++] =
          llvm_extractelement(&l->b, bits, tile_const_int(&l->b, i, 32));
  }
  operands[n++] = asm_pointer(l, pointer, space);
  operands[n++] = predicate;
  llvm_inline_asm_op(&l->b, .operands = {operands, n}, .asm_string = text,
                     .constraints = constraints, .has_side_effects = true);
}

//===-- Accesses ----------------------------------------------------------===//

MlirValue load_bits(Lowering *l, MlirValue pointer, unsigned space,
                    int64_t size_bytes, MlirValue predicate) {
  if (predicate.ptr)
    return load_predicated(l, pointer, space, size_bytes, predicate);
  return llvm_load(&l->b, .type = type_bits(l, size_bytes), .addr = pointer,
                   .alignment = TILE_SOME(size_bytes));
}

void store_bits(Lowering *l, MlirValue bits, MlirValue pointer, unsigned space,
                int64_t size_bytes, MlirValue predicate) {
  if (predicate.ptr)
    store_predicated(l, bits, pointer, space, size_bytes, predicate);
  else
    llvm_store(&l->b, .value = bits, .addr = pointer,
               .alignment = TILE_SOME(size_bytes));
}

void bits_split(Lowering *l, MlirValue bits, MlirType element, int64_t count,
                MlirValue *out) {
  MlirType stored = type_stored(l, element);
  if (count == 1) {
    out[0] = llvm_bitcast(&l->b, stored, bits);
    return;
  }
  MlirValue vector = llvm_bitcast(&l->b, type_vector(stored, count), bits);
  for (int64_t i = 0; i < count; i++)
    out[i] = llvm_extractelement(&l->b, vector, tile_const_int(&l->b, i, 32));
}

MlirValue bits_join(Lowering *l, const MlirValue *elems, MlirType element,
                    int64_t count) {
  MlirType stored = type_stored(l, element);
  MlirType bits = type_bits(l, count * tile_elem_bits(element) / 8);
  if (count == 1)
    return llvm_bitcast(&l->b, bits, elems[0]);
  MlirValue vector = llvm_mlir_undef(&l->b, type_vector(stored, count));
  for (int64_t i = 0; i < count; i++)
    vector = llvm_insertelement(&l->b, vector, elems[i],
                                tile_const_int(&l->b, i, 32));
  return llvm_bitcast(&l->b, bits, vector);
}

//===-- Conversion --------------------------------------------------------===//

MlirValue element_stored(Lowering *l, MlirValue value, MlirType element) {
  MlirType stored = type_stored(l, element);
  if (mlirTypeEqual(mlirValueGetType(value), stored))
    return value;
  return tile_elem_is_float(element)
             ? arith_bitcast(&l->b, .type = stored, .in = value)
             : arith_extui(&l->b, .type = stored, .in = value);
}

MlirValue element_loaded(Lowering *l, MlirValue value, MlirType element) {
  if (mlirTypeEqual(mlirValueGetType(value), element))
    return value;
  return tile_elem_is_float(element)
             ? arith_bitcast(&l->b, .type = element, .in = value)
             : arith_trunci(&l->b, .type = element, .in = value);
}

static MlirValue convert_float(Lowering *l, MlirValue value, MlirType from,
                               MlirType to) {
  MlirType f32 = mlirF32TypeGet(tile_builder_context(&l->b));
  if (float8_is(from)) { // as stored: its bits
    value = float8_widen(l, value, from);
    from = f32;
    if (mlirTypeEqual(to, f32))
      return value;
  }
  if (float8_is(to))
    return float8_narrow(l, value, to);
  unsigned have = mlirFloatTypeGetWidth(from), want = mlirFloatTypeGetWidth(to);
  if (have < want)
    return arith_extf(&l->b, .type = to, .in = value);
  if (have > want)
    return arith_truncf(&l->b, .type = to, .in = value);
  // f16 <-> bf16: neither holds the other, f32 holds both.
  MlirValue wide = arith_extf(&l->b, .type = f32, .in = value);
  return arith_truncf(&l->b, .type = to, .in = wide);
}

MlirValue convert_element(Lowering *l, MlirValue value, MlirType from,
                          MlirType to) {
  if (mlirTypeEqual(from, to))
    return value;
  if (tile_elem_is_float(from))
    return convert_float(l, value, from, to);
  MlirType have = type_stored(l, from), want = type_stored(l, to);
  unsigned have_bits = mlirIntegerTypeGetWidth(have),
           want_bits = mlirIntegerTypeGetWidth(want);
  if (mlirIntegerTypeGetWidth(to) == 1) { // the low bit, stored as 0 or 1
    MlirValue one = tile_const_int(&l->b, 1, (int)have_bits);
    value = arith_andi(&l->b, value, one);
  }
  if (have_bits == want_bits)
    return value;
  if (have_bits > want_bits)
    return arith_trunci(&l->b, .type = want, .in = value);
  // i1 is stored as 0 or 1; other integers are signed.
  if (mlirIntegerTypeGetWidth(from) == 1)
    return arith_extui(&l->b, .type = want, .in = value);
  return arith_extsi(&l->b, .type = want, .in = value);
}
