//===- MmaShapesDecode.c - Decodes mma and what is common with wmma -------===//
//
// PTX ISA, "Warp-level Matrix Multiply-Accumulate Instructions": the tables
// of shapes and types. Everything that is not in them is unsupported.
//
//===----------------------------------------------------------------------===//

#include "MmaShapes.h"

#include <fenv.h>
#include <stdio.h>

//===-- What there is -----------------------------------------------------===//

/// Shapes of a family, by TileMmaForm.
static const char *const shapes[TILE_MMA_NUM_FAMILIES][3] = {
    [TILE_MMA_HALF] = {"m8n8k4 m16n8k8 m16n8k16", "m16n8k16 m16n8k32",
                       "m16n16k16 m32n8k16 m8n32k16"},
    [TILE_MMA_BF16] = {"m16n8k8 m16n8k16", "m16n8k16 m16n8k32",
                       "m16n16k16 m32n8k16 m8n32k16"},
    [TILE_MMA_TF32] = {"m16n8k4 m16n8k8", "m16n8k8 m16n8k16", "m16n16k8"},
    [TILE_MMA_FP8] = {"m16n8k16 m16n8k32", "m16n8k64", ""},
    [TILE_MMA_BYTE] = {"m8n8k16 m16n8k16 m16n8k32", "m16n8k32 m16n8k64",
                       "m16n16k16 m32n8k16 m8n32k16"},
    [TILE_MMA_NIBBLE] = {"m8n8k32 m16n8k32 m16n8k64", "m16n8k64 m16n8k128",
                         "m8n8k32"},
    [TILE_MMA_BIT] = {"m8n8k128 m16n8k128 m16n8k256", "", "m8n8k128"},
    [TILE_MMA_DOUBLE] = {"m8n8k4 m16n8k4 m16n8k8 m16n8k16", "", "m8n8k4"},
};

static const char modifiers[] =
    "mma sync aligned row col satfinite rn rz rm rp xor and popc sp "
    "sp::ordered_metadata s4 u4 b1 m8n8k4 m8n8k16 m8n8k32 m8n8k128 m16n8k4 "
    "m16n8k8 m16n8k16 m16n8k32 m16n8k64 m16n8k128 m16n8k256 m16n16k16 "
    "m32n8k16 m8n32k16 m16n16k8";

typedef struct {
  const char *word;
  TilePtxType type;
  uint32_t bits;
  TileMmaFamily family; // NUM_FAMILIES: of accumulators only
} Elem;

static const Elem elems[] = {
    {"f16", TILE_PTX_F16, 16, TILE_MMA_HALF},
    {"bf16", TILE_PTX_BF16, 16, TILE_MMA_BF16},
    {"tf32", TILE_PTX_TF32, 32, TILE_MMA_TF32},
    {"e4m3", TILE_PTX_E4M3, 8, TILE_MMA_FP8},
    {"e5m2", TILE_PTX_E5M2, 8, TILE_MMA_FP8},
    {"s8", TILE_PTX_S8, 8, TILE_MMA_BYTE},
    {"u8", TILE_PTX_U8, 8, TILE_MMA_BYTE},
    {"s4", TILE_PTX_S8, 4, TILE_MMA_NIBBLE},
    {"u4", TILE_PTX_U8, 4, TILE_MMA_NIBBLE},
    {"b1", TILE_PTX_U8, 1, TILE_MMA_BIT},
    {"f64", TILE_PTX_F64, 64, TILE_MMA_DOUBLE},
    {"f32", TILE_PTX_F32, 32, TILE_MMA_NUM_FAMILIES},
    {"s32", TILE_PTX_S32, 32, TILE_MMA_NUM_FAMILIES},
};

enum { NUM_ELEMS = sizeof elems / sizeof elems[0], MAX_WORDS = 4 };

static const Elem *elem_find(const char *word) {
  for (size_t i = 0; i < NUM_ELEMS; i++)
    if (!strcmp(word, elems[i].word))
      return &elems[i];
  return NULL;
}

bool tile_emu_mma_has_shape(TileMmaForm form, TileMmaFamily family, uint32_t m,
                            uint32_t n, uint32_t k) {
  char name[32];
  int length = snprintf(name, sizeof name, "m%un%uk%u", m, n, k);
  if (family >= TILE_MMA_NUM_FAMILIES)
    return false;
  const char *list = shapes[family][form];
  for (const char *at = list; (at = strstr(at, name)); at += length) {
    bool ends = at[length] == ' ' || at[length] == 0;
    if ((at == list || at[-1] == ' ') && ends)
      return true;
  }
  return false;
}

//===-- Words -------------------------------------------------------------===//

bool tile_emu_mma_elem_decode(const TileDecoder *decoder, TilePtxType *out_type,
                              uint32_t *out_bits) {
  for (uint32_t i = 1; i < decoder->num_words; i++) {
    const Elem *elem = elem_find(decoder->words[i]);
    if (!elem)
      continue;
    *out_type = elem->type;
    *out_bits = elem->bits;
    return true;
  }
  return false;
}

bool tile_emu_mma_family_of(TilePtxType type, uint32_t elem_bits,
                            TileMmaFamily *out_family) {
  for (size_t i = 0; i < NUM_ELEMS; i++)
    if (elems[i].type == type && elems[i].bits == elem_bits) {
      *out_family = elems[i].family;
      return *out_family != TILE_MMA_NUM_FAMILIES;
    }
  return false;
}

/// D, A, B, C; wmma leaves A and B out when they are f16.
static bool decode_types(TileDecoder *decoder, TileMmaShape *shape) {
  const Elem *types[MAX_WORDS];
  uint32_t count = 0;
  for (uint32_t i = 1; i < decoder->num_words; i++) {
    const Elem *elem = elem_find(decoder->words[i]);
    if (elem && count == MAX_WORDS)
      return false;
    if (elem)
      types[count++] = elem;
  }
  if (shape->form == TILE_MMA_WMMA && count == 2) {
    types[3] = types[1];
    types[1] = types[2] = elem_find("f16");
  } else if (count != 4 || (shape->form == TILE_MMA_WMMA &&
                            types[1]->family == TILE_MMA_HALF))
    return false;
  if (types[1]->family != types[2]->family ||
      types[1]->family == TILE_MMA_NUM_FAMILIES)
    return false;
  shape->family = types[1]->family;
  shape->elem_bits = types[1]->bits;
  shape->d_type = types[0]->type;
  shape->a_type = types[1]->type;
  shape->b_type = types[2]->type;
  shape->c_type = types[3]->type;
  return true;
}

static bool has_legal_types(const TileMmaShape *shape) {
  TilePtxType c = shape->c_type, d = shape->d_type;
  bool is_mixed = shape->a_type != shape->b_type;
  if (is_mixed && shape->form == TILE_MMA_WMMA)
    return false;
  bool is_half_d = d == TILE_PTX_F16, is_half_c = c == TILE_PTX_F16;
  switch (shape->family) {
  case TILE_MMA_HALF:
    if ((!is_half_d && d != TILE_PTX_F32) || (!is_half_c && c != TILE_PTX_F32))
      return false;
    if (shape->form == TILE_MMA_WMMA)
      return true;
    return shape->k == 4 ? !is_half_d || is_half_c : c == d;
  case TILE_MMA_FP8:
    return c == d &&
           (d == TILE_PTX_F32 || (is_half_d && shape->form == TILE_MMA_DENSE));
  case TILE_MMA_BF16:
  case TILE_MMA_TF32:
    return c == TILE_PTX_F32 && d == TILE_PTX_F32;
  case TILE_MMA_DOUBLE:
    return c == TILE_PTX_F64 && d == TILE_PTX_F64;
  default:
    return c == TILE_PTX_S32 && d == TILE_PTX_S32;
  }
}

/// Only m8n8k4 and wmma of whole bytes have a choice.
static bool decode_layouts(const TileDecoder *decoder, TileMmaShape *shape) {
  bool is_column[2] = {false, false};
  uint32_t count = 0;
  for (uint32_t i = 1; i < decoder->num_words; i++) {
    bool is_col = !strcmp(decoder->words[i], "col");
    if (!is_col && strcmp(decoder->words[i], "row"))
      continue;
    if (count == 2)
      return false;
    is_column[count++] = is_col;
  }
  shape->a_is_column_major = is_column[0];
  shape->b_is_column_major = is_column[1];
  bool is_free = shape->form == TILE_MMA_WMMA
                     ? shape->elem_bits >= 8
                     : shape->family == TILE_MMA_HALF && shape->k == 4;
  return count == 2 && (is_free || (!is_column[0] && is_column[1]));
}

static bool decode_modifiers(const TileDecoder *decoder, TileMmaShape *shape) {
  static const char *const roundings[] = {"rn", "rz", "rm", "rp"};
  static const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD,
                              FE_UPWARD};
  bool is_integer =
      shape->family == TILE_MMA_BYTE || shape->family == TILE_MMA_NIBBLE;
  bool is_bit = shape->family == TILE_MMA_BIT;
  int rounding = tile_decode_choice(decoder, roundings, 4);
  shape->rounding = rounding < 0 ? FE_TONEAREST : modes[rounding];
  shape->is_saturating = tile_decode_has(decoder, "satfinite");
  shape->is_xor = tile_decode_has(decoder, "xor");
  bool has_and = tile_decode_has(decoder, "and");
  bool has_operation =
      tile_decode_has(decoder, "popc") && shape->is_xor != has_and;
  bool has_any = tile_decode_has(decoder, "popc") || shape->is_xor || has_and;
  return (is_integer || !shape->is_saturating) &&
         (shape->family == TILE_MMA_DOUBLE || rounding < 0) &&
         (is_bit ? has_operation : !has_any);
}

//===-- Registers ---------------------------------------------------------===//

static uint32_t accumulator_registers(const TileMmaShape *shape,
                                      TilePtxType type) {
  uint32_t count = shape->m * shape->n / TILE_WARP_SIZE;
  if (shape->family == TILE_MMA_HALF && shape->k == 4) // four products
    count *= 4;
  return type == TILE_PTX_F16 ? count / 2 : count;
}

static void count_registers(TileMmaShape *shape) {
  uint32_t a_k = shape->form == TILE_MMA_SPARSE ? shape->k / 2 : shape->k;
  TileMmaFragment a = tile_mma_fragment(shape->m, a_k, shape->elem_bits, false);
  TileMmaFragment b =
      tile_mma_fragment(shape->n, shape->k, shape->elem_bits, true);
  shape->num_a = tile_mma_fragment_registers(&a);
  shape->num_b = tile_mma_fragment_registers(&b);
  if (shape->family == TILE_MMA_HALF && shape->form == TILE_MMA_WMMA)
    shape->num_a = shape->num_b = 8; // elements are repeated
  if (shape->family == TILE_MMA_HALF && shape->k == 4)
    shape->num_a = shape->num_b = 2;
  shape->num_c = accumulator_registers(shape, shape->c_type);
  shape->num_d = accumulator_registers(shape, shape->d_type);
}

bool tile_emu_mma_shape_decode(TileDecoder *decoder, TileMmaForm form,
                               TileMmaShape *out_shape) {
  *out_shape = (TileMmaShape){.form = form};
  tile_decode_allow(decoder, modifiers);
  if (decoder->unsupported_reason)
    return false;
  uint32_t mnk[3] = {0};
  bool has_shape = tile_decode_shape(decoder, mnk);
  out_shape->m = mnk[0];
  out_shape->n = mnk[1];
  out_shape->k = mnk[2];
  if (!has_shape || !decode_types(decoder, out_shape) ||
      !tile_emu_mma_has_shape(form, out_shape->family, out_shape->m,
                              out_shape->n, out_shape->k) ||
      !has_legal_types(out_shape)) {
    tile_decode_unsupported(decoder, "no such combination of shape and types");
    return false;
  }
  if (!decode_layouts(decoder, out_shape) ||
      !decode_modifiers(decoder, out_shape)) {
    tile_decode_unsupported(decoder,
                            "layouts or modifiers this shape does not have");
    return false;
  }
  count_registers(out_shape);
  return true;
}

//===-- Operands ----------------------------------------------------------===//

static TileExec executor(const TileMmaShape *shape) {
  if (shape->form == TILE_MMA_SPARSE)
    return tile_emu_mma_sparse_run;
  if (shape->family == TILE_MMA_BIT)
    return tile_emu_mma_bits_run;
  if (shape->family == TILE_MMA_DOUBLE)
    return tile_emu_mma_double_run;
  if (shape->family == TILE_MMA_HALF && shape->k == 4)
    return tile_emu_mma_quads_run;
  return tile_emu_mma_shape_run;
}

bool tile_emu_mma_operands_decode(TileDecoder *decoder,
                                  const TileMmaShape *shape) {
  static const char *const names[] = {"D", "A", "B", "C"};
  uint32_t counts[] = {shape->num_d, shape->num_a, shape->num_b, shape->num_c};
  TileInsn *insn = decoder->insn;
  TilePtxType type =
      shape->family == TILE_MMA_DOUBLE ? TILE_PTX_F64 : TILE_PTX_B32;
  TileSlotList list = {0};
  for (uint32_t i = 0; i < 4; i++) {
    uint32_t before = list.count;
    tile_decode_list_add(decoder, &list, decoder->ops[i], type, i == 0);
    if (list.count - before != counts[i]) {
      tile_decode_fail(decoder, "%u registers of %s where %u are expected",
                       list.count - before, names[i], counts[i]);
      return false;
    }
  }
  for (uint32_t i = 0; i < list.count; i++)
    if (list.slots[i] == TILE_NO_SLOT) {
      tile_decode_fail(decoder, "`_` is not a register of a fragment");
      return false;
    }
  tile_decode_list_finish(decoder, &list);
  TileMmaShape *kept =
      tile_arena_alloc(&decoder->parser->module->arena, sizeof *kept);
  *kept = *shape;
  insn->as.shape = kept;
  insn->exec = executor(shape);
  return true;
}

void tile_emu_decode_mma(TileDecoder *decoder) {
  if (tile_decode_has(decoder, "sp") ||
      tile_decode_has(decoder, "sp::ordered_metadata")) {
    tile_emu_decode_mma_sparse(decoder);
    return;
  }
  TileMmaShape shape;
  if (!tile_emu_mma_shape_decode(decoder, TILE_MMA_DENSE, &shape) ||
      !tile_decode_count(decoder, 4, 4))
    return;
  tile_emu_mma_operands_decode(decoder, &shape);
}
