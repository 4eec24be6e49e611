//===- AluMove.c - mov ----------------------------------------------------===//
//
// PTX ISA, "mov": copies, addresses of variables, special registers, and
// packing or unpacking vectors.
//
//===----------------------------------------------------------------------===//

#include "Emulator/Machine.h"
#include "Emulator/Ptx/Decode.h"

static TileLanes mov_32(TileWarp *warp, const TileInsn *insn, TileLanes lanes) {
  uint32_t *d = tile_u32(warp, insn->dst);
  const uint32_t *a = tile_u32(warp, insn->a);
  TILE_VECTOR(lanes, d[l] = a[l]);
  return 0;
}

static TileLanes mov_64(TileWarp *warp, const TileInsn *insn, TileLanes lanes) {
  uint64_t *d = tile_u64(warp, insn->dst);
  const uint64_t *a = tile_u64(warp, insn->a);
  TILE_VECTOR(lanes, d[l] = a[l]);
  return 0;
}

static TileLanes mov_128(TileWarp *warp, const TileInsn *insn,
                         TileLanes lanes) {
  uint64_t *d = tile_u64(warp, insn->dst);
  const uint64_t *a = tile_u64(warp, insn->a);
  TILE_FOR_LANES (l, lanes) {
    tile_u128_copy(d, l, a, l);
  }
  return 0;
}

static TileLanes mov_pred(TileWarp *warp, const TileInsn *insn,
                          TileLanes lanes) {
  TileLanes value = *tile_pred(warp, insn->a);
  tile_pred_write(warp, insn->dst, lanes, insn->imm ? ~value : value);
  return 0;
}

/// mov.pred p, %is_explicit_cluster
static TileLanes mov_special_pred(TileWarp *warp, const TileInsn *insn,
                                  TileLanes lanes) {
  TileLanes value = tile_u32(warp, insn->a)[0] ? TILE_ALL_LANES : 0;
  tile_pred_write(warp, insn->dst, lanes, value);
  return 0;
}

/// %clock and its kin: steps of the scheduler, scaled to look like cycles.
static TileLanes mov_clock(TileWarp *warp, const TileInsn *insn,
                           TileLanes lanes) {
  uint64_t clock = warp->cluster->tick * 16;
  bool is_wide = tile_emu_type_register_bytes((TilePtxType)insn->type) == 8;
  TILE_FOR_LANES (l, lanes) {
    if (is_wide)
      tile_u64(warp, insn->dst)[l] = clock;
    else
      tile_u32(warp, insn->dst)[l] = (uint32_t)clock;
  }
  return 0;
}

//===-- Vectors -----------------------------------------------------------===//

static uint64_t elem_mask(uint32_t elem_bits) {
  return elem_bits == 64 ? UINT64_MAX : (1ull << elem_bits) - 1;
}

/// mov.b64 %d, {%lo, %hi}: the first element is the least significant.
static TileLanes mov_pack(TileWarp *warp, const TileInsn *insn,
                          TileLanes lanes) {
  uint32_t bits = insn->as.pack.elem_bits;
  uint64_t mask = elem_mask(bits);
  TILE_FOR_LANES (l, lanes) {
    uint64_t words[2] = {0, 0};
    for (uint32_t i = 0; i < insn->num_vec; i++) {
      uint64_t elem = bits == 64 ? tile_u64(warp, insn->vec[i])[l]
                                 : tile_u32(warp, insn->vec[i])[l];
      uint32_t at = i * bits;
      words[at / 64] |= (elem & mask) << (at % 64);
    }
    if (insn->as.pack.total_bytes == 16) {
      tile_u128_copy(tile_u64(warp, insn->dst), l, words, 0);
    } else if (insn->as.pack.total_bytes == 8)
      tile_u64(warp, insn->dst)[l] = words[0];
    else
      tile_u32(warp, insn->dst)[l] = (uint32_t)words[0];
  }
  return 0;
}

/// mov.b64 {%lo, %hi}, %a
static TileLanes mov_unpack(TileWarp *warp, const TileInsn *insn,
                            TileLanes lanes) {
  uint32_t bits = insn->as.pack.elem_bits;
  uint64_t mask = elem_mask(bits);
  TILE_FOR_LANES (l, lanes) {
    uint64_t words[2] = {0, 0};
    if (insn->as.pack.total_bytes == 16) {
      tile_u128_copy(words, 0, tile_u64(warp, insn->a), l);
    } else if (insn->as.pack.total_bytes == 8)
      words[0] = tile_u64(warp, insn->a)[l];
    else
      words[0] = tile_u32(warp, insn->a)[l];
    for (uint32_t i = 0; i < insn->num_vec; i++) {
      uint32_t at = i * bits;
      uint64_t elem = words[at / 64] >> (at % 64) & mask;
      if (insn->vec[i] == TILE_NO_SLOT)
        continue;
      if (bits == 64)
        tile_u64(warp, insn->vec[i])[l] = elem;
      else
        tile_u32(warp, insn->vec[i])[l] = (uint32_t)elem;
    }
  }
  return 0;
}

static TilePtxType bits_type(uint32_t bits) {
  switch (bits) {
  case 8:
    return TILE_PTX_B8;
  case 16:
    return TILE_PTX_B16;
  case 32:
    return TILE_PTX_B32;
  case 64:
    return TILE_PTX_B64;
  default:
    return TILE_PTX_NONE;
  }
}

/// mov.v4.u32 {a, b, c, d}, %tid; the same registers may be on both sides.
static TileLanes mov_elems(TileWarp *warp, const TileInsn *insn,
                           TileLanes lanes) {
  enum { MAX_ELEMS = 8 };
  uint32_t count = insn->num_vec / 2u;
  bool is_wide = insn->as.pack.elem_bits == 64;
  uint64_t mask = elem_mask(insn->as.pack.elem_bits);
  TILE_FOR_LANES (l, lanes) {
    uint64_t elems[MAX_ELEMS];
    for (uint32_t i = 0; i < count; i++) {
      uint32_t slot = insn->vec[count + i];
      elems[i] = is_wide ? tile_u64(warp, slot)[l] : tile_u32(warp, slot)[l];
    }
    for (uint32_t i = 0; i < count; i++) {
      if (insn->vec[i] == TILE_NO_SLOT)
        continue;
      if (is_wide)
        tile_u64(warp, insn->vec[i])[l] = elems[i];
      else
        tile_u32(warp, insn->vec[i])[l] = (uint32_t)(elems[i] & mask);
    }
  }
  return 0;
}

/// mov.v2 to mov.v8: `count` elements on both sides.
static void decode_elems(TileDecoder *decoder, TilePtxType type,
                         uint32_t count) {
  const TileOperand *to = decoder->ops[0], *from = decoder->ops[1];
  uint32_t bits = 8 * tile_emu_type_bytes(type);
  if (to->kind != TILE_OPERAND_VECTOR || to->num_subs != count ||
      from->num_subs != count || bits_type(bits) == TILE_PTX_NONE) {
    tile_decode_fail(decoder, "two vectors of %u elements are expected", count);
    return;
  }
  TileSlotList list = {0};
  tile_decode_list_add(decoder, &list, to, type, true);
  tile_decode_list_add(decoder, &list, from,
                       from->is_special ? TILE_PTX_B32 : type, false);
  tile_decode_list_finish(decoder, &list);
  decoder->insn->as.pack.elem_bits = (uint8_t)bits;
  decoder->insn->exec = mov_elems;
}

static void decode_vector(TileDecoder *decoder, TilePtxType type) {
  TileInsn *insn = decoder->insn;
  bool is_unpack = decoder->ops[0]->kind == TILE_OPERAND_VECTOR;
  const TileOperand *vector = decoder->ops[is_unpack ? 0 : 1];
  uint32_t total_bytes = tile_emu_type_bytes(type);
  uint32_t bits = vector->num_subs ? 8 * total_bytes / vector->num_subs : 0;
  TilePtxType elem = bits_type(bits);
  if (elem == TILE_PTX_NONE || bits * vector->num_subs != 8 * total_bytes) {
    tile_decode_fail(decoder, "%u elements do not fill %u bits",
                     vector->num_subs, 8 * total_bytes);
    return;
  }
  insn->as.pack.elem_bits = (uint8_t)bits;
  insn->as.pack.total_bytes = (uint8_t)total_bytes;
  TileSlotList list = {0};
  tile_decode_list_add(decoder, &list, vector, elem, is_unpack);
  tile_decode_list_finish(decoder, &list);
  if (is_unpack) {
    insn->exec = mov_unpack;
    insn->a = tile_decode_src(decoder, 1, type);
  } else {
    insn->exec = mov_pack;
    insn->dst = tile_decode_dst(decoder, 0, type);
  }
}

//===-- Entry -------------------------------------------------------------===//

void tile_emu_decode_mov(TileDecoder *decoder) {
  TileInsn *insn = decoder->insn;
  TilePtxType type = tile_decode_type(decoder, 0);
  static const char *const lengths[] = {"v2", "v4", "v8"};
  int length = tile_decode_choice(decoder, lengths, 3);
  tile_decode_allow(decoder, "v2 v4 v8");
  if (type == TILE_PTX_NONE) {
    tile_decode_unsupported(decoder, "type");
    return;
  }
  if (!tile_decode_count(decoder, 2, 2))
    return;
  insn->type = (uint8_t)type;
  if (length >= 0) {
    decode_elems(decoder, type, 2u << length);
    return;
  }
  if (decoder->ops[0]->kind == TILE_OPERAND_VECTOR ||
      decoder->ops[1]->kind == TILE_OPERAND_VECTOR) {
    decode_vector(decoder, type);
    return;
  }
  if (type == TILE_PTX_PRED) {
    bool negated;
    insn->exec = mov_pred;
    insn->dst = tile_decode_dst(decoder, 0, type);
    if (decoder->ops[1]->is_special) {
      insn->exec = mov_special_pred;
      insn->a = tile_decode_src(decoder, 1, TILE_PTX_B32);
      return;
    }
    insn->a = tile_decode_pred_src(decoder, 1, &negated);
    insn->imm = negated;
    return;
  }
  uint32_t register_bytes = tile_emu_type_register_bytes(type);
  insn->dst = tile_decode_dst(decoder, 0, type);
  if (decoder->ops[1]->is_clock) {
    insn->exec = mov_clock;
    return;
  }
  insn->a = tile_decode_src(decoder, 1, type);
  insn->exec = register_bytes == 16  ? mov_128
               : register_bytes == 8 ? mov_64
                                     : mov_32;
  insn->flags |= TILE_INSN_COPY;
}
