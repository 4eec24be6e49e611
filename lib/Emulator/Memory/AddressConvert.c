//===- AddressConvert.c - cvta, isspacep, mapa, getctarank ----------------===//
//
// PTX ISA, "Data Movement and Conversion Instructions". Generic addresses are
// host addresses, except for the window of shared memory.
//
//===----------------------------------------------------------------------===//

#include "Address.h"
#include "Emulator/Ptx/Decode.h"

//===-- cvta --------------------------------------------------------------===//

static TileLanes cvta_shared(TileWarp *warp, const TileInsn *insn,
                             TileLanes lanes) {
  uint64_t *d = tile_u64(warp, insn->dst);
  const uint64_t *a = tile_u64(warp, insn->a);
  TILE_VECTOR(lanes, d[l] = TILE_SHARED_WINDOW + (uint32_t)a[l]);
  return 0;
}

static TileLanes cvta_to_shared(TileWarp *warp, const TileInsn *insn,
                                TileLanes lanes) {
  uint64_t *d = tile_u64(warp, insn->dst);
  const uint64_t *a = tile_u64(warp, insn->a);
  TILE_VECTOR(lanes, d[l] = a[l] - TILE_SHARED_WINDOW);
  return 0;
}

static TileLanes cvta_same(TileWarp *warp, const TileInsn *insn,
                           TileLanes lanes) {
  uint64_t *d = tile_u64(warp, insn->dst);
  const uint64_t *a = tile_u64(warp, insn->a);
  TILE_VECTOR(lanes, d[l] = a[l]);
  return 0;
}

void tile_emu_decode_cvta(TileDecoder *decoder) {
  TileInsn *insn = decoder->insn;
  TilePtxSpace space = tile_decode_space(decoder);
  bool is_shared =
      space == TILE_SPACE_SHARED || space == TILE_SPACE_SHARED_CLUSTER;
  if (tile_emu_type_bytes(tile_decode_type(decoder, 0)) != 8) {
    tile_decode_unsupported(decoder, "32-bit generic addresses");
    return;
  }
  if (!tile_decode_count(decoder, 2, 2))
    return;
  insn->dst = tile_decode_dst(decoder, 0, TILE_PTX_B64);
  insn->a = tile_decode_src(decoder, 1, TILE_PTX_B64);
  insn->exec = !is_shared                       ? cvta_same
               : tile_decode_has(decoder, "to") ? cvta_to_shared
                                                : cvta_shared;
}

//===-- isspacep ----------------------------------------------------------===//

static bool is_in_space(TileWarp *warp, uint32_t lane, TilePtxSpace space,
                        uint64_t address) {
  bool is_shared = tile_address_is_shared(address);
  uint32_t rank =
      (uint32_t)(address - TILE_SHARED_WINDOW) >> TILE_SHARED_RANK_SHIFT;
  uint32_t local_bytes = warp->kernel->local_bytes;
  uint64_t local = (uintptr_t)warp->local +
                   (uint64_t)lane * warp->kernel->local_stride_bytes;
  bool is_local = warp->local && address - local < local_bytes;
  switch (space) {
  case TILE_SPACE_SHARED:
    return is_shared && rank == warp->cta->rank;
  case TILE_SPACE_SHARED_CLUSTER:
    return is_shared;
  case TILE_SPACE_GLOBAL:
    return !is_shared && !is_local;
  case TILE_SPACE_LOCAL:
    return is_local;
  default:
    return false;
  }
}

static TileLanes isspacep(TileWarp *warp, const TileInsn *insn,
                          TileLanes lanes) {
  const uint64_t *a = tile_u64(warp, insn->a);
  TileLanes result = 0;
  TILE_FOR_LANES (l, lanes) {
    bool holds = is_in_space(warp, l, (TilePtxSpace)insn->space, a[l]);
    result |= (uint32_t)holds << l;
  }
  tile_pred_write(warp, insn->dst, lanes, result);
  return 0;
}

void tile_emu_decode_isspacep(TileDecoder *decoder) {
  TileInsn *insn = decoder->insn;
  insn->space = (uint8_t)tile_decode_space(decoder);
  if (!tile_decode_count(decoder, 2, 2))
    return;
  insn->dst = tile_decode_dst(decoder, 0, TILE_PTX_PRED);
  insn->a = tile_decode_src(decoder, 1, TILE_PTX_B64);
  insn->exec = isspacep;
}

//===-- mapa, getctarank --------------------------------------------------===//

/// The same offset in the shared memory of CTA number b of the cluster.
static TileLanes mapa_32(TileWarp *warp, const TileInsn *insn,
                         TileLanes lanes) {
  uint32_t *d = tile_u32(warp, insn->dst);
  const uint32_t *a = tile_u32(warp, insn->a), *b = tile_u32(warp, insn->b);
  TILE_VECTOR(lanes, d[l] = (a[l] & TILE_SHARED_OFFSET_MASK) |
                            b[l] << TILE_SHARED_RANK_SHIFT);
  return 0;
}

static TileLanes mapa_64(TileWarp *warp, const TileInsn *insn,
                         TileLanes lanes) {
  uint64_t *d = tile_u64(warp, insn->dst);
  const uint64_t *a = tile_u64(warp, insn->a);
  const uint32_t *b = tile_u32(warp, insn->b);
  TILE_VECTOR(lanes, d[l] = (a[l] & ~0xff000000ull) |
                            (uint64_t)(b[l] << TILE_SHARED_RANK_SHIFT));
  return 0;
}

void tile_emu_decode_mapa(TileDecoder *decoder) {
  TileInsn *insn = decoder->insn;
  TilePtxType type = tile_decode_type(decoder, 0);
  if (!tile_decode_count(decoder, 3, 3))
    return;
  insn->dst = tile_decode_dst(decoder, 0, type);
  insn->a = tile_decode_src(decoder, 1, type);
  insn->b = tile_decode_src(decoder, 2, TILE_PTX_U32);
  insn->exec = type == TILE_PTX_U64 ? mapa_64 : mapa_32;
}

static TileLanes getctarank(TileWarp *warp, const TileInsn *insn,
                            TileLanes lanes) {
  uint32_t *d = tile_u32(warp, insn->dst);
  bool is_wide = insn->type == TILE_PTX_U64;
  TILE_FOR_LANES (l, lanes) {
    uint32_t address = is_wide ? (uint32_t)tile_u64(warp, insn->a)[l]
                               : tile_u32(warp, insn->a)[l];
    d[l] = address >> TILE_SHARED_RANK_SHIFT;
  }
  return 0;
}

void tile_emu_decode_getctarank(TileDecoder *decoder) {
  TileInsn *insn = decoder->insn;
  TilePtxType type = tile_decode_type(decoder, 0);
  if (!tile_decode_count(decoder, 2, 2))
    return;
  insn->type = (uint8_t)type;
  insn->dst = tile_decode_dst(decoder, 0, TILE_PTX_U32);
  insn->a = tile_decode_src(decoder, 1, type);
  insn->exec = getctarank;
}
