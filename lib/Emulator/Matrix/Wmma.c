//===- Wmma.c - Decodes wmma ----------------------------------------------===//
//
// PTX ISA, "Matrix multiply-accumulate operation using wmma instructions".
// wmma.mma is executed as mma is, see MmaShapes.c; fragments do not depend on
// the layout in memory, so .alayout and .blayout are only checked.
//
//===----------------------------------------------------------------------===//

#include "Wmma.h"

//===-- wmma.mma ----------------------------------------------------------===//

static void decode_product(TileDecoder *decoder) {
  TileMmaShape shape;
  if (tile_emu_mma_shape_decode(decoder, TILE_MMA_WMMA, &shape) &&
      tile_decode_count(decoder, 4, 4))
    tile_emu_mma_operands_decode(decoder, &shape);
}

//===-- wmma.load, wmma.store ---------------------------------------------===//

/// Accumulators have the types of a family that has this shape.
static bool is_accumulator_type(TilePtxType type, uint32_t m, uint32_t n,
                                uint32_t k) {
  static const TileMmaFamily of_float[] = {TILE_MMA_HALF, TILE_MMA_TF32};
  static const TileMmaFamily of_integer[] = {TILE_MMA_BYTE, TILE_MMA_NIBBLE,
                                             TILE_MMA_BIT};
  TileMmaForm form = TILE_MMA_WMMA;
  if (type == TILE_PTX_F16)
    return tile_emu_mma_has_shape(form, TILE_MMA_HALF, m, n, k);
  if (type == TILE_PTX_F64)
    return tile_emu_mma_has_shape(form, TILE_MMA_DOUBLE, m, n, k);
  for (uint32_t i = 0; type == TILE_PTX_F32 && i < 2; i++)
    if (tile_emu_mma_has_shape(form, of_float[i], m, n, k))
      return true;
  for (uint32_t i = 0; type == TILE_PTX_S32 && i < 3; i++)
    if (tile_emu_mma_has_shape(form, of_integer[i], m, n, k))
      return true;
  return false;
}

static uint32_t count_registers(const TileWmmaAccess *access, uint32_t num_k,
                                TilePtxType type) {
  if (access->is_accumulator) {
    uint32_t count = access->m * access->n / TILE_WARP_SIZE;
    return type == TILE_PTX_F16 ? count / 2 : count;
  }
  if (type == TILE_PTX_F16)
    return 8; // elements are repeated
  TileMmaFragment fragment =
      tile_mma_fragment(access->is_b ? access->n : access->m, num_k,
                        access->elem_bits, access->is_b);
  return tile_mma_fragment_registers(&fragment);
}

/// `what`: 'a', 'b', 'c' or 'd'. False: unsupported.
static bool decode_access(const TileDecoder *decoder, char what,
                          TileWmmaAccess *access, TilePtxType *out_type) {
  uint32_t mnk[3] = {0};
  TileMmaFamily family;
  if (!tile_decode_shape(decoder, mnk) ||
      !tile_emu_mma_elem_decode(decoder, out_type, &access->elem_bits))
    return false;
  uint32_t k = mnk[2];
  access->m = mnk[0];
  access->n = mnk[1];
  access->is_accumulator = what == 'c' || what == 'd';
  access->is_b = what == 'b';
  access->num_rows = what == 'b' ? k : access->m;
  access->num_columns = what == 'a' ? k : access->n;
  access->is_column_major = tile_decode_has(decoder, "col");
  if (access->is_column_major == tile_decode_has(decoder, "row"))
    return false;
  if (access->is_accumulator) {
    if (!is_accumulator_type(*out_type, access->m, access->n, k))
      return false;
  } else {
    if (!tile_emu_mma_family_of(*out_type, access->elem_bits, &family) ||
        !tile_emu_mma_has_shape(TILE_MMA_WMMA, family, access->m, access->n, k))
      return false;
    if (access->elem_bits < 8 && access->is_column_major != access->is_b)
      return false;
  }
  access->num_registers = count_registers(access, k, *out_type);
  return true;
}

static void decode_fragment(TileDecoder *decoder, TileWmmaAccess *access,
                            uint32_t index, bool is_load) {
  TilePtxType type = access->elem_bits == 64 ? TILE_PTX_F64 : TILE_PTX_B32;
  TileSlotList list = {0};
  tile_decode_list_add(decoder, &list, decoder->ops[index], type, is_load);
  if (list.count != access->num_registers)
    tile_decode_fail(decoder, "%u registers where %u are expected", list.count,
                     access->num_registers);
  for (uint32_t i = 0; i < list.count; i++)
    if (list.slots[i] == TILE_NO_SLOT)
      tile_decode_fail(decoder, "`_` is not a register of a fragment");
  tile_decode_list_finish(decoder, &list);
}

static void decode_memory(TileDecoder *decoder, char what) {
  TileInsn *insn = decoder->insn;
  TileWmmaAccess access = {0};
  TilePtxType type;
  tile_decode_allow(decoder,
                    "load store a b c d sync aligned row col m16n16k16 "
                    "m32n8k16 m8n32k16 m16n16k8 m8n8k4 m8n8k32 m8n8k128 s4 u4 "
                    "b1 global shared shared::cta");
  if (!decode_access(decoder, what, &access, &type)) {
    tile_decode_unsupported(decoder, "no such combination of shape and types");
    return;
  }
  if (!tile_decode_count(decoder, 2, 3))
    return;
  bool is_load = what != 'd';
  insn->type = (uint8_t)type;
  insn->space = (uint8_t)tile_decode_space(decoder);
  decode_fragment(decoder, &access, is_load ? 0 : 1, is_load);
  TileDecodedAddress address = tile_decode_address_a(decoder, is_load ? 1 : 0,
                                                     (TilePtxSpace)insn->space);
  access.has_wide_address = address.is_wide;
  insn->b = decoder->num_ops > 2
                ? tile_decode_src(decoder, 2, TILE_PTX_B32)
                : tile_emu_constant_slot(decoder->parser, TILE_CONSTANT_VALUE,
                                         4, tile_wmma_line_elems(&access));
  TileWmmaAccess *kept =
      tile_arena_alloc(&decoder->parser->module->arena, sizeof *kept);
  *kept = access;
  insn->as.wmma = kept;
  insn->exec = is_load ? tile_emu_wmma_load : tile_emu_wmma_store;
}

void tile_emu_decode_wmma(TileDecoder *decoder) {
  const char *form = decoder->num_words > 1 ? decoder->words[1] : "";
  const char *what = decoder->num_words > 2 ? decoder->words[2] : "";
  bool is_letter = what[0] && !what[1];
  if (!strcmp(form, "mma"))
    decode_product(decoder);
  else if (!strcmp(form, "load") && is_letter && strchr("abc", what[0]))
    decode_memory(decoder, what[0]);
  else if (!strcmp(form, "store") && is_letter && what[0] == 'd')
    decode_memory(decoder, 'd');
  else
    tile_decode_unsupported(decoder, "form of wmma");
}
