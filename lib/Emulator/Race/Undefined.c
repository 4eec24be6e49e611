//===- Undefined.c - What becomes of values that nobody wrote -------------===//
//
// Right kernels load shared memory that nobody wrote: merges look one element
// too far, pipelines fetch a stage that is never multiplied. They keep halves
// of registers and rows of tiles without a value. So a load only marks its
// register, as does a path that reads one before it writes it; the marks follow
// the values, and what is reported is the first use that matters: as address,
// in a branch, or when they go to global memory. A value that is selected away
// was not used. Marks go through shared and local memory too.
//
// Registers are looked at only while a warp has any mark.
//
//===----------------------------------------------------------------------===//

#include "Undefined.h"
#include "Emulator/Matrix/MmaShapes.h"

#include <stdlib.h>

//===-- What an instruction does with its sources -------------------------===//

typedef struct {
  const char *prefix;
  TileRole role;
} RoleEntry;

static const RoleEntry roles[] = {
    {"selp.", TILE_ROLE_SELECTS},
    {"and.pred", TILE_ROLE_ANDS},
    {"or.pred", TILE_ROLE_ORS},
    {"xor.pred", TILE_ROLE_PASSES_ON},
    {"not.pred", TILE_ROLE_PASSES_ON},
    {"mov.pred", TILE_ROLE_PASSES_ON},
    {"and.", TILE_ROLE_BITS},
    {"or.", TILE_ROLE_BITS},
    {"xor.", TILE_ROLE_BITS},
    {"not.", TILE_ROLE_BITS},
    {"shl.", TILE_ROLE_BITS},
    {"shr.", TILE_ROLE_BITS},
    {"shf.", TILE_ROLE_BITS},
    {"prmt.", TILE_ROLE_BITS},
    {"bfe.", TILE_ROLE_BITS},
    {"bfi.", TILE_ROLE_BITS},
    {"lop3.b32", TILE_ROLE_BITS},
    {"copysign.", TILE_ROLE_BITS},
    {"abs.f", TILE_ROLE_BITS},
    {"neg.f", TILE_ROLE_BITS},
    {"mov.b128", TILE_ROLE_PASSES_ON},
    {"mov.", TILE_ROLE_BITS},
    {"shfl.", TILE_ROLE_SHUFFLES},
    {"vote.", TILE_ROLE_COLLECTS},
    {"match.", TILE_ROLE_COLLECTS},
    {"redux.", TILE_ROLE_COLLECTS},
    {"movmatrix.", TILE_ROLE_TRANSPOSES},
    {"stmatrix.", TILE_ROLE_STORES},
    {"st.async", TILE_ROLE_USES},
    {"st.bulk", TILE_ROLE_USES},
    {"st.", TILE_ROLE_STORES},
    {"mma.", TILE_ROLE_MULTIPLIES},
    {"wgmma.mma_async", TILE_ROLE_ACCUMULATES},
    {"ld", TILE_ROLE_USES},
    {"red", TILE_ROLE_USES},
    {"atom", TILE_ROLE_USES},
    {"wmma.", TILE_ROLE_USES},
    {"bar", TILE_ROLE_USES},
    {"mbarrier.", TILE_ROLE_USES},
    {"cp.", TILE_ROLE_USES},
    {"tensormap.", TILE_ROLE_USES},
    {"call", TILE_ROLE_USES},
    {"prefetch", TILE_ROLE_USES},
    {"discard", TILE_ROLE_USES},
    {"applypriority", TILE_ROLE_USES},
    {"fence", TILE_ROLE_USES},
    {"multimem", TILE_ROLE_USES},
    {"clusterlaunchcontrol", TILE_ROLE_USES},
};

static bool is_integer_word(const char *word) {
  return (word[0] == 'u' || word[0] == 's' || word[0] == 'b') &&
         word[1] >= '0' && word[1] <= '9';
}

/// cvt between integers moves bits; cvt of two floats packs them.
static TileRole role_of_cvt(const char *opcode) {
  if (strstr(opcode, "x2.f32"))
    return TILE_ROLE_PACKS;
  const char *last = strrchr(opcode, '.');
  const char *first = last - 1;
  while (*first != '.')
    first--;
  return is_integer_word(last + 1) && is_integer_word(first + 1) &&
                 !strstr(opcode, ".sat")
             ? TILE_ROLE_BITS
             : TILE_ROLE_PASSES_ON;
}

TileRole tile_emu_undefined_role(const char *opcode) {
  if (strncmp(opcode, "cvt.", 4) == 0)
    return role_of_cvt(opcode);
  for (size_t i = 0; i < sizeof roles / sizeof roles[0]; i++)
    if (strncmp(opcode, roles[i].prefix, strlen(roles[i].prefix)) == 0)
      return roles[i].role;
  bool is_pair = strstr(opcode, "f16x2") && strncmp(opcode, "set", 3) != 0;
  return is_pair ? TILE_ROLE_HALVES : TILE_ROLE_PASSES_ON;
}

//===-- Sources -----------------------------------------------------------===//

TileLanes tile_emu_undefined_lanes(const TileWarp *warp, const TileInsn *insn,
                                   uint32_t slot) {
  uint32_t id = tile_emu_mark_id(insn, slot);
  return id == TILE_NO_REGISTER ? 0 : tile_mark(warp, id)->lanes;
}

/// Sources with a mark in `lanes`: their lanes together, and the origin of one
/// of them.
static TileLanes sources(TileWarp *warp, const TileInsn *insn, TileLanes lanes,
                         uint16_t *out_origin) {
  TileLanes all = 0;
  for (uint32_t i = insn->num_dst_regs; i < insn->num_regs; i++) {
    uint32_t id = insn->reg_ids[i];
    TileLanes own = tile_mark(warp, id)->lanes & lanes;
    if (own && !all)
      *out_origin = tile_emu_mark_origin(warp, id, own, insn);
    all |= own;
  }
  return all;
}

static void use(TileWarp *warp, const TileInsn *insn, uint32_t id,
                TileLanes lanes) {
  TileLanes used = tile_mark(warp, id)->lanes & lanes;
  if (used)
    tile_emu_mark_report(warp, id, used, insn);
}

static void use_all(TileWarp *warp, const TileInsn *insn, TileLanes lanes) {
  for (uint32_t i = insn->num_dst_regs; i < insn->num_regs; i++)
    use(warp, insn, insn->reg_ids[i], lanes);
}

void tile_emu_undefined_use(TileWarp *warp, const TileInsn *insn, uint32_t slot,
                            TileLanes lanes) {
  uint32_t id = tile_emu_mark_id(insn, slot);
  if (id != TILE_NO_REGISTER)
    use(warp, insn, id, lanes);
}

static void use_address(TileWarp *warp, const TileInsn *insn, TileLanes lanes) {
  tile_emu_undefined_use(warp, insn, insn->a, lanes);
}

static void use_data(TileWarp *warp, const TileInsn *insn, TileLanes lanes) {
  for (uint32_t i = 0; i < insn->num_vec; i++)
    TILE_FOR_LANES (l, lanes) {
      tile_emu_undefined_data(
          warp, insn,
          (TileRegisterPart){insn->vec[i], l, 0, insn->as.memory.elem_bytes});
    }
}

/// Lanes where predicate `slot` has a value and is `value`.
static TileLanes lanes_with(TileWarp *warp, const TileInsn *insn, uint32_t slot,
                            bool value) {
  TileLanes known = ~tile_emu_undefined_lanes(warp, insn, slot);
  TileLanes pred = *tile_pred(warp, slot);
  return known & (value ? pred : ~pred);
}

/// Lanes of the result that are defined whatever the undefined sources hold.
static TileLanes decided(TileWarp *warp, const TileInsn *insn) {
  TileRole role = (TileRole)insn->role;
  if (role == TILE_ROLE_ANDS || role == TILE_ROLE_ORS) {
    bool value = role == TILE_ROLE_ORS;
    return lanes_with(warp, insn, insn->a, value != insn->as.alu.a_signed) |
           lanes_with(warp, insn, insn->b, value != insn->as.alu.b_signed);
  }
  bool is_and = strstr(insn->opcode, ".and.") != NULL;
  bool is_or = strstr(insn->opcode, ".or.") != NULL;
  if (strncmp(insn->opcode, "setp.", 5) == 0 && (is_and || is_or))
    return lanes_with(warp, insn, insn->c,
                      is_or != insn->as.compare.combine_negated);
  return 0;
}

//===-- Results -----------------------------------------------------------===//

static void results(TileWarp *warp, const TileInsn *insn, TileLanes lanes,
                    TileLanes undefined, uint16_t origin) {
  for (uint32_t i = 0; i < insn->num_dst_regs; i++) {
    tile_emu_mark_clear(warp, insn->reg_ids[i], lanes);
    tile_emu_mark_set(warp, insn->reg_ids[i], undefined, origin);
  }
}

/// What a guarded instruction writes is undefined with its guard.
static void results_guard(TileWarp *warp, const TileInsn *insn,
                          TileLanes lanes) {
  if (insn->guard == TILE_NO_SLOT)
    return;
  TileLanes undefined = tile_mark(warp, insn->guard_id)->lanes & lanes;
  if (!undefined)
    return;
  uint16_t origin = tile_emu_mark_origin(warp, insn->guard_id, undefined, insn);
  for (uint32_t i = 0; i < insn->num_dst_regs; i++)
    tile_emu_mark_set(warp, insn->reg_ids[i], undefined, origin);
}

/// Both halves of each 32-bit lane by themselves.
static void step_halves(TileWarp *warp, const TileInsn *insn, TileLanes lanes) {
  uint64_t bits[TILE_WARP_SIZE] = {0};
  uint16_t origin = 0;
  sources(warp, insn, lanes, &origin);
  for (uint32_t i = insn->num_dst_regs; i < insn->num_regs; i++)
    TILE_FOR_LANES (l, tile_mark(warp, insn->reg_ids[i])->lanes & lanes) {
      uint64_t own = tile_emu_mark_bits(warp, insn->reg_ids[i], l);
      bits[l] |= (own & 0xffffu ? 0xffffu : 0) | (own >> 16 ? 0xffff0000u : 0);
    }
  results(warp, insn, lanes, 0, 0);
  for (uint32_t i = 0; i < insn->num_dst_regs; i++)
    TILE_FOR_LANES (l, lanes) {
      tile_emu_mark_set_bits(warp, insn->reg_ids[i], l, bits[l], origin);
    }
}

/// cvt.rn.f16x2.f32 d, a, b: a becomes the upper half, b the lower one.
static void step_packs(TileWarp *warp, const TileInsn *insn, TileLanes lanes) {
  uint16_t origin = 0;
  sources(warp, insn, lanes, &origin);
  TileLanes upper = tile_emu_undefined_lanes(warp, insn, insn->a) & lanes;
  TileLanes lower = tile_emu_undefined_lanes(warp, insn, insn->b) & lanes;
  uint32_t id = tile_emu_mark_id(insn, insn->dst);
  results(warp, insn, lanes, 0, 0);
  uint32_t half_bits = warp->kernel->register_bits[id] / 2;
  uint64_t low = (1ull << half_bits) - 1;
  TILE_FOR_LANES (l, upper | lower) {
    tile_emu_mark_set_bits(warp, id, l,
                           (tile_lane_in(upper, l) ? low << half_bits : 0) |
                               (tile_lane_in(lower, l) ? low : 0),
                           origin);
  }
}

static bool is_quads(const TileInsn *insn) {
  return insn->as.shape->family == TILE_MMA_HALF && insn->as.shape->k == 4;
}

static void step_plain(TileWarp *warp, const TileInsn *insn, TileLanes lanes) {
  uint16_t origin = 0;
  TileLanes undefined = sources(warp, insn, lanes, &origin);
  if (undefined)
    undefined &= ~decided(warp, insn);
  results(warp, insn, lanes, undefined, origin);
}

static void step_transpose(TileWarp *warp, const TileInsn *insn) {
  uint16_t origin = 0;
  bool any = sources(warp, insn, TILE_ALL_LANES, &origin);
  results(warp, insn, TILE_ALL_LANES, any ? TILE_ALL_LANES : 0, origin);
}

static bool has_marks(const TileWarp *warp, const TileInsn *insn) {
  for (uint32_t i = 0; i < insn->num_regs; i++)
    if (tile_mark(warp, insn->reg_ids[i])->lanes)
      return true;
  return insn->guard != TILE_NO_SLOT && tile_mark(warp, insn->guard_id)->lanes;
}

void tile_emu_undefined_step(TileWarp *warp, const TileInsn *insn,
                             TileLanes lanes) {
  if (insn->flags & TILE_INSN_UNSUPPORTED)
    return; // has no operands, and ends the kernel
  if (!has_marks(warp, insn) && insn->role != TILE_ROLE_ACCUMULATES)
    return;
  switch ((TileRole)insn->role) {
  case TILE_ROLE_SHUFFLES:
  case TILE_ROLE_COLLECTS:
    return; // when all lanes have come
  case TILE_ROLE_MULTIPLIES:
    if (is_quads(insn))
      break;
    tile_emu_undefined_product(warp, insn);
    return;
  case TILE_ROLE_ACCUMULATES:
    tile_emu_undefined_wgmma(warp, insn);
    return;
  case TILE_ROLE_TRANSPOSES:
    step_transpose(warp, insn);
    return;
  case TILE_ROLE_BITS:
  case TILE_ROLE_SELECTS:
    tile_emu_undefined_bit_step(warp, insn, lanes);
    results_guard(warp, insn, lanes);
    return;
  case TILE_ROLE_HALVES:
    step_halves(warp, insn, lanes);
    results_guard(warp, insn, lanes);
    return;
  case TILE_ROLE_PACKS:
    step_packs(warp, insn, lanes);
    results_guard(warp, insn, lanes);
    return;
  case TILE_ROLE_STORES:
    use_address(warp, insn, lanes);
    if (insn->space == TILE_SPACE_GLOBAL) // else it depends on the address
      use_data(warp, insn, lanes);
    return;
  case TILE_ROLE_USES:
    break;
  default:
    step_plain(warp, insn, lanes);
    results_guard(warp, insn, lanes);
    return;
  }
  use_all(warp, insn, lanes);
  results(warp, insn, lanes, 0, 0);
  results_guard(warp, insn, lanes);
}

void tile_emu_undefined_shuffle(TileWarp *warp, const TileInsn *insn,
                                TileLanes lanes, const uint8_t *sources_of) {
  uint16_t origin = 0;
  if (!sources(warp, insn, TILE_ALL_LANES, &origin) && !has_marks(warp, insn))
    return;
  uint32_t id = tile_emu_mark_id(insn, insn->a);
  TileLanes moved = (tile_emu_undefined_lanes(warp, insn, insn->b) |
                     tile_emu_undefined_lanes(warp, insn, insn->c)) &
                    lanes;
  uint64_t bits[TILE_WARP_SIZE] = {0};
  TILE_FOR_LANES (l, lanes) {
    if (id != TILE_NO_REGISTER)
      bits[l] = tile_emu_mark_bits(warp, id, sources_of[l]);
  }
  results(warp, insn, lanes, moved, origin);
  if (insn->dst2 != TILE_NO_SLOT && !moved) // in range or not
    tile_emu_mark_clear(warp, tile_emu_mark_id(insn, insn->dst2), lanes);
  uint32_t to = tile_emu_mark_id(insn, insn->dst);
  TILE_FOR_LANES (k, lanes) {
    if (to != TILE_NO_REGISTER)
      tile_emu_mark_set_bits(warp, to, k, bits[k], origin);
  }
}

void tile_emu_undefined_collect(TileWarp *warp, const TileInsn *insn,
                                TileLanes lanes, TileLanes members,
                                bool is_decided) {
  uint16_t origin = 0;
  TileLanes undefined = sources(warp, insn, members, &origin);
  if (undefined || has_marks(warp, insn))
    results(warp, insn, lanes, undefined && !is_decided ? lanes : 0, origin);
}

void tile_emu_undefined_guard(TileWarp *warp, const TileInsn *insn,
                              TileLanes lanes) {
  if (insn->flags & (TILE_INSN_BRANCH_TABLE | TILE_INSN_JUMP))
    use_all(warp, insn, lanes);
  if (insn->flags & TILE_INSN_JUMP)
    results(warp, insn, lanes, 0, 0);
  if (insn->guard == TILE_NO_SLOT)
    return;
  bool is_use = insn->role == TILE_ROLE_USES ||
                insn->role == TILE_ROLE_STORES ||
                insn->flags & TILE_INSN_CONTROL;
  if (is_use)
    use(warp, insn, insn->guard_id, lanes);
}
