//===- Collective.c - shfl, vote, match, redux, elect, activemask ---------===//
//
// PTX ISA, "Parallel Synchronization and Communication Instructions". They
// wait for the lanes of their member mask, but order no memory accesses. Lanes
// that give different masks meet in groups, one for each mask.
//
//===----------------------------------------------------------------------===//

#include "Emulator/Alu/NarrowFloat.h"
#include "Emulator/Machine.h"
#include "Emulator/Ptx/Decode.h"
#include "Emulator/Undefined/Undefined.h"

/// What lanes with the same member mask do together: `lanes` are there,
/// `members` those of them that the mask names.
typedef void (*Together)(TileWarp *warp, const TileInsn *insn, TileLanes lanes,
                         TileLanes members);

/// Waits for the members of one mask; returns the lanes to block.
static TileLanes meet(TileWarp *warp, const TileInsn *insn, TileLanes lanes,
                      TileLanes members) {
  TileLanes exited = members & ~warp->live;
  if (exited && warp->num_lanes == TILE_WARP_SIZE)
    tile_emu_find(warp, insn, lanes, TILE_FINDING_DIVERGENCE,
                  "the member mask 0x%08x names exited lanes 0x%08x", members,
                  exited);
  TileLanes blocked = tile_warp_converge(warp, lanes, members & warp->live);
  if (blocked)
    return blocked;
  tile_warp_go(warp, lanes);
  if (lanes & ~members)
    tile_emu_find(warp, insn, lanes & ~members, TILE_FINDING_DIVERGENCE,
                  "lane is not in the member mask 0x%08x", members);
  return 0;
}

/// Every member mask in `slot` is a group of its own, which waits for its own
/// members. Returns the lanes to block.
static TileLanes collect(TileWarp *warp, const TileInsn *insn, TileLanes lanes,
                         uint32_t slot, Together together) {
  TileLanes blocked = 0, same;
  for (TileLanes left = lanes; left; left &= ~same) {
    same = tile_lanes_alike(warp, slot, left);
    TileLanes members = tile_u32(warp, slot)[tile_lane_first(same)];
    TileLanes waits = meet(warp, insn, same, members);
    blocked |= waits;
    if (!waits)
      together(warp, insn, same, members & same);
  }
  return blocked;
}

//===-- shfl --------------------------------------------------------------===//

typedef enum { UP, DOWN, BUTTERFLY, INDEX } ShuffleMode;

/// The lane that lane `l` reads from; false when that is out of its segment.
static bool shuffle_source(ShuffleMode mode, uint32_t l, uint32_t b, uint32_t c,
                           uint32_t *out_source) {
  uint32_t clamp = c & 31, segment = c >> 8 & 31;
  uint32_t max = (l & segment) | (clamp & ~segment);
  uint32_t min = l & segment;
  b &= 31;
  switch (mode) {
  case UP:
    *out_source = l - b;
    return (int32_t)(l - b) >= (int32_t)max;
  case DOWN:
    *out_source = l + b;
    break;
  case BUTTERFLY:
    *out_source = l ^ b;
    break;
  default:
    *out_source = min | (b & ~segment);
    break;
  }
  return *out_source <= max;
}

static void shfl_together(TileWarp *warp, const TileInsn *insn, TileLanes lanes,
                          TileLanes members) {
  (void)members;
  const uint32_t *a = tile_u32(warp, insn->a), *b = tile_u32(warp, insn->b);
  const uint32_t *c = tile_u32(warp, insn->c);
  uint32_t result[TILE_WARP_SIZE];
  uint8_t sources[TILE_WARP_SIZE];
  TileLanes in_range = 0;
  TILE_FOR_LANES (l, lanes) {
    uint32_t source;
    if (shuffle_source((ShuffleMode)insn->as.collective.mode, l, b[l], c[l],
                       &source))
      in_range |= tile_lane_bit(l);
    else
      source = l;
    source &= 31;
    if (!tile_lane_in(lanes, source))
      tile_emu_find(warp, insn, tile_lane_bit(l), TILE_FINDING_DIVERGENCE,
                    "reads from the inactive lane %u", source);
    sources[l] = (uint8_t)source;
    result[l] = a[source];
  }
  if (TILE_UNLIKELY(warp->num_undefined))
    tile_emu_undefined_shuffle(warp, insn, lanes, sources);
  tile_loads_end_by_use(warp, lanes);
  uint32_t *d = tile_u32(warp, insn->dst);
  TILE_FOR_LANES (k, lanes) {
    d[k] = result[k];
  }
  if (insn->dst2 != TILE_NO_SLOT)
    tile_pred_write(warp, insn->dst2, lanes, in_range);
}

static TileLanes shfl(TileWarp *warp, const TileInsn *insn, TileLanes lanes) {
  return collect(warp, insn, lanes, insn->e, shfl_together);
}

void tile_emu_decode_shfl(TileDecoder *decoder) {
  static const char *const modes[] = {"up", "down", "bfly", "idx"};
  TileInsn *insn = decoder->insn;
  int mode = tile_decode_choice(decoder, modes, 4);
  tile_decode_allow(decoder, "sync up down bfly idx");
  if (mode < 0 || !tile_decode_has(decoder, "sync")) {
    tile_decode_unsupported(decoder, "mode");
    return;
  }
  if (!tile_decode_count(decoder, 5, 5))
    return;
  insn->as.collective.mode = (uint8_t)mode;
  insn->dst = tile_decode_dst(decoder, 0, TILE_PTX_B32);
  insn->dst2 = tile_decode_pair_pred(decoder, 0);
  insn->a = tile_decode_src(decoder, 1, TILE_PTX_B32);
  insn->b = tile_decode_src(decoder, 2, TILE_PTX_U32);
  insn->c = tile_decode_src(decoder, 3, TILE_PTX_U32);
  insn->e = tile_decode_src(decoder, 4, TILE_PTX_U32);
  insn->exec = shfl;
}

//===-- vote --------------------------------------------------------------===//

enum { ALL, ANY, UNI, BALLOT };

/// Does a lane with a value decide what `any` and `all` say?
static bool is_vote_decided(const TileWarp *warp, const TileInsn *insn,
                            TileLanes members, TileLanes yes) {
  TileLanes known = members & ~tile_emu_undefined_lanes(warp, insn, insn->a);
  return insn->as.collective.mode == ANY   ? (known & yes) != 0
         : insn->as.collective.mode == ALL ? (known & ~yes) != 0
                                           : false;
}

static void vote_together(TileWarp *warp, const TileInsn *insn, TileLanes lanes,
                          TileLanes members) {
  TileLanes yes = *tile_pred(warp, insn->a);
  if (insn->as.collective.negated)
    yes = ~yes;
  yes &= members;
  if (TILE_UNLIKELY(warp->num_undefined))
    tile_emu_undefined_collect(warp, insn, lanes, members,
                               is_vote_decided(warp, insn, members, yes));
  if (insn->as.collective.mode == BALLOT) {
    uint32_t *d = tile_u32(warp, insn->dst);
    TILE_VECTOR(lanes, d[l] = yes);
    return;
  }
  bool result = yes != 0; // any
  if (insn->as.collective.mode == ALL)
    result = yes == members;
  else if (insn->as.collective.mode == UNI)
    result = yes == members || yes == 0;
  tile_pred_write(warp, insn->dst, lanes, result ? TILE_ALL_LANES : 0);
}

static TileLanes vote(TileWarp *warp, const TileInsn *insn, TileLanes lanes) {
  return collect(warp, insn, lanes, insn->b, vote_together);
}

void tile_emu_decode_vote(TileDecoder *decoder) {
  static const char *const modes[] = {"all", "any", "uni", "ballot"};
  TileInsn *insn = decoder->insn;
  int mode = tile_decode_choice(decoder, modes, 4);
  if (mode < 0 || !tile_decode_has(decoder, "sync")) {
    tile_decode_unsupported(decoder, "mode");
    return;
  }
  if (!tile_decode_count(decoder, 3, 3))
    return;
  insn->as.collective.mode = (uint8_t)mode;
  insn->dst = tile_decode_dst(decoder, 0,
                              mode == BALLOT ? TILE_PTX_B32 : TILE_PTX_PRED);
  insn->a = tile_decode_pred_src(decoder, 1, &insn->as.collective.negated);
  insn->b = tile_decode_src(decoder, 2, TILE_PTX_U32);
  insn->exec = vote;
}

//===-- match -------------------------------------------------------------===//

static void match_together(TileWarp *warp, const TileInsn *insn,
                           TileLanes lanes, TileLanes members) {
  bool is_wide = insn->as.collective.elem_bytes == 8;
  bool is_all = insn->as.collective.mode == ALL;
  if (TILE_UNLIKELY(warp->num_undefined))
    tile_emu_undefined_collect(warp, insn, lanes, members, false);
  uint64_t value[TILE_WARP_SIZE];
  TILE_FOR_LANES (l, lanes) {
    value[l] =
        is_wide ? tile_u64(warp, insn->a)[l] : tile_u32(warp, insn->a)[l];
  }
  uint32_t *d = tile_u32(warp, insn->dst);
  TileLanes all_equal = 0;
  TILE_FOR_LANES (k, lanes) {
    TileLanes equal = 0;
    TILE_FOR_LANES (other, members) {
      equal |= value[other] == value[k] ? tile_lane_bit(other) : 0;
    }
    if (equal == members)
      all_equal |= tile_lane_bit(k);
    d[k] = is_all && equal != members ? 0 : equal;
  }
  if (insn->dst2 != TILE_NO_SLOT)
    tile_pred_write(warp, insn->dst2, lanes, all_equal);
}

static TileLanes match(TileWarp *warp, const TileInsn *insn, TileLanes lanes) {
  return collect(warp, insn, lanes, insn->b, match_together);
}

void tile_emu_decode_match(TileDecoder *decoder) {
  TileInsn *insn = decoder->insn;
  TilePtxType type = tile_decode_type(decoder, 0);
  if (!tile_decode_count(decoder, 3, 3))
    return;
  insn->as.collective.mode = tile_decode_has(decoder, "all") ? ALL : ANY;
  insn->as.collective.elem_bytes = (uint8_t)tile_emu_type_bytes(type);
  insn->dst = tile_decode_dst(decoder, 0, TILE_PTX_B32);
  insn->dst2 = tile_decode_pair_pred(decoder, 0);
  insn->a = tile_decode_src(decoder, 1, type);
  insn->b = tile_decode_src(decoder, 2, TILE_PTX_U32);
  insn->exec = match;
}

//===-- redux -------------------------------------------------------------===//

typedef enum { ADD, MIN, MAX, AND, OR, XOR } Reduction;

static bool is_less(TilePtxType type, uint32_t x, uint32_t y) {
  if (type == TILE_PTX_S32)
    return (int32_t)x < (int32_t)y;
  if (type == TILE_PTX_F32)
    return tile_f32_of_bits(x) < tile_f32_of_bits(y);
  return x < y;
}

static uint32_t combine(Reduction reduction, TilePtxType type, uint32_t x,
                        uint32_t y) {
  switch (reduction) {
  case ADD:
    return x + y;
  case MIN:
    return is_less(type, y, x) ? y : x;
  case MAX:
    return is_less(type, x, y) ? y : x;
  case AND:
    return x & y;
  case OR:
    return x | y;
  default:
    return x ^ y;
  }
}

static void redux_together(TileWarp *warp, const TileInsn *insn,
                           TileLanes lanes, TileLanes members) {
  if (TILE_UNLIKELY(warp->num_undefined))
    tile_emu_undefined_collect(warp, insn, lanes, members, false);
  const uint32_t *a = tile_u32(warp, insn->a);
  uint32_t result = a[tile_lane_first(lanes)];
  TILE_FOR_LANES (other, lanes & (lanes - 1)) {
    result = combine((Reduction)insn->as.collective.mode,
                     (TilePtxType)insn->type, result, a[other]);
  }
  uint32_t *d = tile_u32(warp, insn->dst);
  TILE_VECTOR(lanes, d[l] = result);
}

static TileLanes redux(TileWarp *warp, const TileInsn *insn, TileLanes lanes) {
  return collect(warp, insn, lanes, insn->b, redux_together);
}

void tile_emu_decode_redux(TileDecoder *decoder) {
  static const char *const reductions[] = {"add", "min", "max",
                                           "and", "or",  "xor"};
  TileInsn *insn = decoder->insn;
  int reduction = tile_decode_choice(decoder, reductions, 6);
  tile_decode_allow(decoder, "sync add min max and or xor");
  if (reduction < 0) {
    tile_decode_unsupported(decoder, "operation");
    return;
  }
  if (!tile_decode_count(decoder, 3, 3))
    return;
  insn->type = (uint8_t)tile_decode_type(decoder, 0);
  insn->as.collective.mode = (uint8_t)reduction;
  insn->dst = tile_decode_dst(decoder, 0, TILE_PTX_B32);
  insn->a = tile_decode_src(decoder, 1, TILE_PTX_B32);
  insn->b = tile_decode_src(decoder, 2, TILE_PTX_U32);
  insn->exec = redux;
}

//===-- activemask, elect -------------------------------------------------===//

static TileLanes activemask(TileWarp *warp, const TileInsn *insn,
                            TileLanes lanes) {
  uint32_t *d = tile_u32(warp, insn->dst);
  TILE_VECTOR(lanes, d[l] = lanes);
  return 0;
}

void tile_emu_decode_activemask(TileDecoder *decoder) {
  decoder->insn->dst = tile_decode_dst(decoder, 0, TILE_PTX_B32);
  decoder->insn->exec = activemask;
}

/// elect.sync d|p, mask: p is true in one lane, d is its number.
static void elect_together(TileWarp *warp, const TileInsn *insn,
                           TileLanes lanes, TileLanes members) {
  uint32_t leader = tile_lane_first(members ? members : lanes);
  uint32_t *d = tile_u32(warp, insn->dst);
  TILE_VECTOR(lanes, d[l] = leader);
  tile_pred_write(warp, insn->dst2, lanes, tile_lane_bit(leader));
}

static TileLanes elect(TileWarp *warp, const TileInsn *insn, TileLanes lanes) {
  return collect(warp, insn, lanes, insn->b, elect_together);
}

void tile_emu_decode_elect(TileDecoder *decoder) {
  TileInsn *insn = decoder->insn;
  if (!tile_decode_count(decoder, 2, 2))
    return;
  insn->dst = tile_decode_dst(decoder, 0, TILE_PTX_B32);
  insn->dst2 = tile_decode_pair_pred(decoder, 0);
  insn->b = tile_decode_src(decoder, 1, TILE_PTX_U32);
  insn->exec = elect;
  if (insn->dst2 == TILE_NO_SLOT)
    tile_decode_fail(decoder, "a predicate is required after `|`");
}
