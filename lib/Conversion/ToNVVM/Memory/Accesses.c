//===- Accesses.c - Loads and stores of bits; conversion of elements ------===//

#include "Conversion/ToNVVM/Math/SmallFloats.h"
#include "Memories.h"

#include "Support/Constants.h"
#include "Tile/Ops/llvm.h"
#include "mlir-c/Dialect/LLVM.h"

enum { MAX_BITS_BYTES = 16, WORD_BYTES = 4 };

unsigned space_number(TileSpace space) {
  switch (space) {
  case TILE_SPACE_GLOBAL:
    return 1;
  case TILE_SPACE_SHARED:
    return 3;
  case TILE_SPACE_CLUSTER:
    return 7;
  case TILE_SPACE_FRAGMENT:
  case TILE_SPACE_PRIVATE:
  case TILE_SPACE_OTHER:
    break;
  }
  return 0;
}

static MlirType type_vector(MlirType element, int64_t count) {
  return mlirVectorTypeGet(1, &count, element);
}

MlirType type_bits(Lowering *l, int64_t size_bytes) {
  if (size_bytes == MAX_BITS_BYTES)
    return type_vector(type_i32(l), MAX_BITS_BYTES / WORD_BYTES);
  return type_int(l, 8 * size_bytes);
}

//===-- Accesses as assembly ----------------------------------------------===//
//
// A branch per access would cost more than the access: these are single
// predicated instructions. LLVM has no access with a cache policy.

// Private arrays are addressed generically.
static const char *space_text(unsigned space) {
  static const char *const texts[] = {
      [0] = "", [1] = ".global", [3] = ".shared", [7] = ".shared::cluster"};
  return texts[space];
}

typedef struct {
  unsigned space;
  int64_t size_bytes;
  MlirValue predicate, policy; // null: none
} Form;

static Form form_of(const Lowering *l, unsigned space, int64_t size_bytes,
                    MlirValue predicate) {
  Form form = {space, size_bytes, predicate, {NULL}};
  if (space == space_number(TILE_SPACE_GLOBAL))
    form.policy = l->policy;
  return form;
}

// Operands: the values, the address, the predicate, the policy.
static void access_text(const Form *form, bool is_load, char *out,
                        size_t capacity) {
  static const char *const types[] = {
      [1] = "b8", [2] = "b16", [4] = "b32", [8] = "b64"};
  bool is_vector = form->size_bytes == MAX_BITS_BYTES;
  int n = is_vector ? MAX_BITS_BYTES / WORD_BYTES : 1;
  char guard[16] = "", policy[16] = "", address[16];
  const char *value = is_vector ? "{$0, $1, $2, $3}" : "$0";
  snprintf(address, sizeof address, "[$%d]", n);
  if (form->predicate.ptr)
    snprintf(guard, sizeof guard, "@$%d ", n + 1);
  if (form->policy.ptr)
    snprintf(policy, sizeof policy, ", $%d",
             form->predicate.ptr ? n + 2 : n + 1);
  snprintf(out, capacity, "%s%s%s%s%s.%s %s, %s%s;", guard,
           is_load ? "ld" : "st", space_text(form->space),
           form->policy.ptr ? ".L2::cache_hint" : "", is_vector ? ".v4" : "",
           is_vector ? "b32" : types[form->size_bytes],
           is_load ? value : address, is_load ? address : value, policy);
}

// Zeros where the predicate does not hold.
static void load_text(const Form *form, char *out, size_t capacity) {
  static const char *const moves[] = {
      [1] = "mov.b16 $0, 0;\n",
      [2] = "mov.b16 $0, 0;\n",
      [4] = "mov.b32 $0, 0;\n",
      [8] = "mov.b64 $0, 0;\n",
      [16] =
          "mov.b32 $0, 0;\nmov.b32 $1, 0;\nmov.b32 $2, 0;\nmov.b32 $3, 0;\n"};
  char load[128];
  access_text(form, true, load, sizeof load);
  if (form->predicate.ptr)
    snprintf(out, capacity, "{\n%s%s\n}", moves[form->size_bytes], load);
  else
    snprintf(out, capacity, "%s", load);
}

// Appends predicate and policy, and their constraints.
static intptr_t form_operands(const Form *form, MlirValue *operands, intptr_t n,
                              char *constraints, size_t capacity) {
  size_t used = strlen(constraints);
  snprintf(constraints + used, capacity - used, "%s%s",
           form->predicate.ptr ? ",b" : "", form->policy.ptr ? ",l" : "");
  if (form->predicate.ptr)
    operands[n++] = form->predicate;
  if (form->policy.ptr)
    operands[n++] = form->policy;
  return n;
}

static const char *register_constraint(int64_t size_bytes) {
  return size_bytes <= 2 ? "h" : size_bytes == 4 ? "r" : "l";
}

// Addresses of shared memory have 32 bits.
static bool is_short(unsigned space) { return space == 3 || space == 7; }

static MlirValue asm_pointer(Lowering *l, MlirValue pointer, unsigned space) {
  return llvm_ptrtoint(&l->b,
                       .type = is_short(space) ? type_i32(l) : type_i64(l),
                       .arg = pointer);
}

// i8 has no register class: it travels in 16 bits.
static MlirType register_type(Lowering *l, int64_t size_bytes) {
  return type_int(l, size_bytes == 1 ? 16 : 8 * size_bytes);
}

static MlirValue load_by_text(Lowering *l, MlirValue pointer,
                              const Form *form) {
  char text[256], constraints[64];
  int64_t size_bytes = form->size_bytes;
  const char *address = is_short(form->space) ? "r" : "l";
  MlirValue operands[3] = {asm_pointer(l, pointer, form->space)};
  load_text(form, text, sizeof text);
  if (size_bytes < MAX_BITS_BYTES) {
    snprintf(constraints, sizeof constraints, "=&%s,%s",
             register_constraint(size_bytes), address);
    intptr_t n =
        form_operands(form, operands, 1, constraints, sizeof constraints);
    MlirOperation loaded =
        llvm_inline_asm_op(&l->b, .type = register_type(l, size_bytes),
                           .operands = {operands, n}, .asm_string = text,
                           .constraints = constraints, .has_side_effects = true)
            .op;
    MlirValue bits = mlirOperationGetResult(loaded, 0);
    return size_bytes == 1
               ? arith_trunci(&l->b, .type = type_int(l, 8), .in = bits)
               : bits;
  }
  snprintf(constraints, sizeof constraints, "=&r,=&r,=&r,=&r,%s", address);
  intptr_t n =
      form_operands(form, operands, 1, constraints, sizeof constraints);
  MlirType i32 = type_i32(l), words[4] = {i32, i32, i32, i32};
  MlirType packed = mlirLLVMStructTypeLiteralGet(tile_builder_context(&l->b), 4,
                                                 words, false);
  MlirOperation loaded =
      llvm_inline_asm_op(&l->b, .type = packed, .operands = {operands, n},
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

static void store_by_text(Lowering *l, MlirValue bits, MlirValue pointer,
                          const Form *form) {
  char text[256], constraints[64];
  int64_t size_bytes = form->size_bytes;
  const char *address = is_short(form->space) ? "r" : "l";
  MlirValue operands[7];
  intptr_t n = 0;
  access_text(form, false, text, sizeof text);
  if (size_bytes < MAX_BITS_BYTES) {
    snprintf(constraints, sizeof constraints, "%s,%s",
             register_constraint(size_bytes), address);
    operands[n++] =
        size_bytes == 1
            ? arith_extui(&l->b, .type = type_int(l, 16), .in = bits)
            : bits;
  } else {
    snprintf(constraints, sizeof constraints, "r,r,r,r,%s", address);
    for (int i = 0; i < 4; i++)
      operands[n++] =
          llvm_extractelement(&l->b, bits, tile_const_int(&l->b, i, 32));
  }
  operands[n++] = asm_pointer(l, pointer, form->space);
  n = form_operands(form, operands, n, constraints, sizeof constraints);
  llvm_inline_asm_op(&l->b, .operands = {operands, n}, .asm_string = text,
                     .constraints = constraints, .has_side_effects = true);
}

//===-- Accesses ----------------------------------------------------------===//

MlirValue load_bits(Lowering *l, MlirValue pointer, unsigned space,
                    int64_t size_bytes, MlirValue predicate) {
  Form form = form_of(l, space, size_bytes, predicate);
  if (predicate.ptr || form.policy.ptr)
    return load_by_text(l, pointer, &form);
  return llvm_load(&l->b, .type = type_bits(l, size_bytes), .addr = pointer,
                   .alignment = TILE_SOME(size_bytes));
}

void store_bits(Lowering *l, MlirValue bits, MlirValue pointer, unsigned space,
                int64_t size_bytes, MlirValue predicate) {
  Form form = form_of(l, space, size_bytes, predicate);
  if (predicate.ptr || form.policy.ptr)
    store_by_text(l, bits, pointer, &form);
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

// Of 4 or 6 bits: less than the byte that holds one.
static bool is_packed_float(MlirType element) {
  return small_float_is(element) &&
         tile_dtype_info_is_packed(tile_elem_info(element));
}

static MlirType type_code(Lowering *l, MlirType element) {
  return type_int(l, tile_elem_info(element)->bits);
}

MlirValue element_stored(Lowering *l, MlirValue value, MlirType element) {
  MlirType stored = type_stored(l, element);
  if (mlirTypeEqual(mlirValueGetType(value), stored))
    return value;
  if (is_packed_float(element)) {
    value = arith_bitcast(&l->b, .type = type_code(l, element), .in = value);
    return arith_extui(&l->b, .type = stored, .in = value);
  }
  return tile_elem_is_float(element)
             ? arith_bitcast(&l->b, .type = stored, .in = value)
             : arith_extui(&l->b, .type = stored, .in = value);
}

MlirValue element_loaded(Lowering *l, MlirValue value, MlirType element) {
  if (mlirTypeEqual(mlirValueGetType(value), element))
    return value;
  if (is_packed_float(element))
    value = arith_trunci(&l->b, .type = type_code(l, element), .in = value);
  return tile_elem_is_float(element)
             ? arith_bitcast(&l->b, .type = element, .in = value)
             : arith_trunci(&l->b, .type = element, .in = value);
}

static MlirValue convert_float(Lowering *l, MlirValue value, MlirType from,
                               MlirType to) {
  MlirType f32 = mlirF32TypeGet(tile_builder_context(&l->b));
  if (small_float_is(from)) { // as stored: its bits
    value = small_float_widen(l, value, from);
    from = f32;
    if (mlirTypeEqual(to, f32))
      return value;
  }
  if (small_float_is(to))
    return small_float_narrow(l, value, to);
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
