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
#include "Emulator/Matrix/Mma.h"

#include <stdlib.h>

//===-- Bit by bit --------------------------------------------------------===//

// Halves and bytes that share a register are packed, masked and shifted, and
// those that are left out do not count. An instruction that treats every bit by
// itself is executed several times, with the undefined bits of its sources all
// zero and all one: bits of the result that change are undefined.

enum { MAX_SOURCES = 3 }; // that are told apart; packs may have more

typedef struct {
  TileWarp *warp;
  const TileInsn *insn;
  TileLanes lanes;
  const uint32_t *ids, *slots;
  uint32_t marked[2 * TILE_WARP_SIZE]; // sources with marks, by their index
  uint32_t num_marked;
  uint8_t *saved; // all registers of the instruction, as they are
} Probe;

//===-- Registers of any width --------------------------------------------===//

static uint32_t lane_bytes(const TileWarp *warp, uint32_t id) {
  uint32_t bits = warp->kernel->register_bits[id];
  return bits <= 32 ? 4 : bits / 8;
}

static bool is_predicate(const TileWarp *warp, uint32_t id) {
  return warp->kernel->register_bits[id] == 1;
}

static size_t register_bytes(const TileWarp *warp, uint32_t id) {
  return is_predicate(warp, id) ? sizeof(TileLanes)
                                : (size_t)TILE_WARP_SIZE * lane_bytes(warp, id);
}

static uint64_t value_get(const TileWarp *warp, uint32_t id, uint32_t slot,
                          uint32_t lane) {
  uint64_t value = 0;
  const uint8_t *reg = warp->regs + slot;
  if (is_predicate(warp, id))
    return tile_lane_in(*(const TileLanes *)reg, lane);
  uint32_t size_bytes = lane_bytes(warp, id);
  memcpy(&value, reg + (size_t)lane * size_bytes,
         size_bytes < 8 ? size_bytes : 8);
  return value & tile_emu_mark_full(warp, id);
}

static void value_set(TileWarp *warp, uint32_t id, uint32_t slot, uint32_t lane,
                      uint64_t value) {
  if (is_predicate(warp, id)) {
    tile_pred_write(warp, slot, tile_lane_bit(lane),
                    value ? TILE_ALL_LANES : 0);
    return;
  }
  uint32_t size_bytes = lane_bytes(warp, id);
  memcpy(warp->regs + slot + (size_t)lane * size_bytes, &value,
         size_bytes < 8 ? size_bytes : 8);
}

static void registers_move(Probe *probe, bool is_save) {
  uint8_t *at = probe->saved;
  for (uint32_t i = 0; i < probe->insn->num_regs; i++) {
    uint8_t *reg = probe->warp->regs + probe->slots[i];
    size_t size_bytes = register_bytes(probe->warp, probe->ids[i]);
    memcpy(is_save ? at : reg, is_save ? reg : at, size_bytes);
    at += size_bytes;
  }
}

//===-- Probing -----------------------------------------------------------===//

/// Undefined bits of marked source i become ones where bit i of `ones` is set,
/// else zeros.
static void sources_set(Probe *probe, uint32_t ones) {
  TileWarp *warp = probe->warp;
  for (uint32_t i = 0; i < probe->num_marked; i++) {
    uint32_t id = probe->ids[probe->marked[i]];
    uint32_t slot = probe->slots[probe->marked[i]];
    bool is_one = ones >> (i < MAX_SOURCES ? i : MAX_SOURCES - 1) & 1;
    TILE_FOR_LANES (l, tile_mark(warp, id)->lanes & probe->lanes) {
      uint64_t bits = tile_emu_mark_bits(warp, id, l);
      uint64_t value = value_get(warp, id, slot, l);
      value_set(warp, id, slot, l, is_one ? value | bits : value & ~bits);
    }
  }
}

/// Adds the bits in which results differ from `first`, or notes them there.
static void results_compare(const Probe *probe, bool is_first, uint64_t *first,
                            uint64_t *differ) {
  for (uint32_t i = 0; i < probe->insn->num_dst_regs; i++)
    for (uint32_t l = 0; l < TILE_WARP_SIZE; l++) {
      uint64_t value =
          value_get(probe->warp, probe->ids[i], probe->slots[i], l);
      uint32_t at = i * TILE_WARP_SIZE + l;
      if (is_first)
        first[at] = value;
      else
        differ[at] |= value ^ first[at];
    }
}

/// Lanes in which an operand that says how bits move is undefined.
static TileLanes undefined_controls(const TileWarp *warp,
                                    const TileInsn *insn) {
  static const struct {
    const char *prefix;
    bool b, c, e;
  } controls[] = {
      {"shl.", true, false, false},  {"shr.", true, false, false},
      {"bfe.", true, true, false},   {"bfi.", false, true, true},
      {"shf.", false, true, false},  {"prmt.", false, true, false},
      {"selp.", false, true, false},
  };
  TileLanes lanes = 0;
  for (size_t i = 0; i < sizeof controls / sizeof controls[0]; i++) {
    if (strncmp(insn->opcode, controls[i].prefix, strlen(controls[i].prefix)))
      continue;
    if (controls[i].b)
      lanes |= tile_emu_undefined_lanes(warp, insn, insn->b);
    if (controls[i].c)
      lanes |= tile_emu_undefined_lanes(warp, insn, insn->c);
    if (controls[i].e)
      lanes |= tile_emu_undefined_lanes(warp, insn, insn->e);
  }
  return lanes;
}

static void sources_find(Probe *probe) {
  const TileInsn *insn = probe->insn;
  for (uint32_t i = insn->num_dst_regs; i < insn->num_regs; i++) {
    const TileMark *mark = tile_mark(probe->warp, insn->reg_ids[i]);
    bool is_known = !(mark->lanes & probe->lanes);
    for (uint32_t k = 0; k < probe->num_marked; k++)
      is_known |= insn->reg_ids[probe->marked[k]] == insn->reg_ids[i];
    if (!is_known)
      probe->marked[probe->num_marked++] = i;
  }
}

static void probe_run(Probe *probe, uint64_t *first, uint64_t *differ) {
  uint32_t num_told_apart =
      probe->num_marked < MAX_SOURCES ? probe->num_marked : MAX_SOURCES;
  size_t size_bytes = 0;
  for (uint32_t i = 0; i < probe->insn->num_regs; i++)
    size_bytes += register_bytes(probe->warp, probe->ids[i]);
  probe->saved = tile_emu_malloc(size_bytes);
  registers_move(probe, true);
  for (uint32_t ones = 0; ones < 1u << num_told_apart; ones++) {
    sources_set(probe, ones);
    probe->insn->exec(probe->warp, probe->insn, probe->lanes);
    results_compare(probe, ones == 0, first, differ);
    registers_move(probe, false);
  }
  free(probe->saved);
}

static void undefined_bit_step(TileWarp *warp, const TileInsn *insn,
                               TileLanes lanes) {
  Probe probe = {warp, insn, lanes, insn->reg_ids, insn->reg_slots, {0}, 0, 0};
  sources_find(&probe);
  uint16_t origin = probe.num_marked
                        ? tile_emu_mark_origin(
                              warp, insn->reg_ids[probe.marked[0]], lanes, insn)
                        : 0;
  TileLanes moved = undefined_controls(warp, insn) & lanes;
  size_t count = (size_t)insn->num_dst_regs * TILE_WARP_SIZE;
  uint64_t *first = tile_emu_calloc(2 * count + 1, sizeof *first);
  uint64_t *differ = first + count;
  if (probe.num_marked)
    probe_run(&probe, first, differ);
  for (uint32_t i = 0; i < insn->num_dst_regs; i++) {
    uint32_t id = insn->reg_ids[i];
    tile_emu_mark_clear(warp, id, lanes);
    tile_emu_mark_set(warp, id, moved, origin);
    TILE_FOR_LANES (l, lanes & ~moved) {
      tile_emu_mark_set_bits(warp, id, l, differ[i * TILE_WARP_SIZE + l],
                             origin);
    }
  }
  free(first);
}

static void use(TileWarp *warp, const TileInsn *insn, uint32_t id,
                TileLanes lanes) {
  TileLanes used = tile_mark(warp, id)->lanes & lanes;
  if (used)
    tile_emu_mark_report(warp, id, used, insn);
}

/// `insn` needs the value of the register at `slot`, one of its own.
static void undefined_use(TileWarp *warp, const TileInsn *insn, uint32_t slot,
                          TileLanes lanes) {
  uint32_t id = tile_emu_mark_id(insn, slot);
  if (id != TILE_NO_REGISTER)
    use(warp, insn, id, lanes);
}

//===-- Products ----------------------------------------------------------===//

// In products a mark of A makes its row of D undefined, one of B its column:
// tiles are larger than matrices, and what lies beyond is not stored.

static TileLanes lanes_of(const TileWarp *warp, const TileInsn *insn,
                          const uint32_t *slots, uint32_t first, uint32_t step,
                          uint32_t count) {
  TileLanes lanes = 0;
  for (uint32_t i = first; i < count; i += step)
    lanes |= tile_emu_undefined_lanes(warp, insn, slots[i]);
  return lanes;
}

/// Lane l holds row l / 4 of A (every other register: row l / 4 + 8), column
/// l / 4 of B, and in C and D columns 2 (l % 4) and the next one of row l / 4
/// (second half of the registers: row l / 4 + 8). In all shapes but m8n8k4 of
/// f16. Returns the undefined lanes of register `index` of D.
static TileLanes product_lanes(const TileWarp *warp, const TileInsn *insn,
                               uint32_t index) {
  const TileMmaShape *shape = insn->as.shape;
  const uint32_t *a_slots = insn->vec + shape->num_d;
  const uint32_t *b_slots = a_slots + shape->num_a;
  const uint32_t *c_slots = b_slots + shape->num_b;
  bool is_tall = shape->m == 16, is_packed = shape->num_d < (is_tall ? 4 : 2);
  uint32_t half = is_tall && index >= shape->num_d / 2;
  TileLanes a =
      lanes_of(warp, insn, a_slots, half, is_tall ? 2 : 1, shape->num_a);
  TileLanes b = lanes_of(warp, insn, b_slots, 0, 1, shape->num_b);
  TileLanes result = shape->num_c == shape->num_d
                         ? lanes_of(warp, insn, c_slots, index, 1, index + 1)
                         : lanes_of(warp, insn, c_slots, 0, 1, shape->num_c);
  for (uint32_t l = 0; l < TILE_WARP_SIZE; l++) {
    TileLanes row = 0xfu << (l & ~3u);
    TileLanes columns =
        is_packed ? 0xffu << l % 4 * 8 : 0xfu << (2 * (l % 4) + index % 2) * 4;
    if (a & row || b & columns)
      result |= tile_lane_bit(l);
  }
  return result;
}

static uint16_t any_origin(TileWarp *warp, const TileInsn *insn,
                           uint32_t first) {
  for (uint32_t i = first; i < insn->num_regs; i++)
    if (tile_mark(warp, insn->reg_ids[i])->lanes)
      return tile_emu_mark_origin(warp, insn->reg_ids[i], TILE_ALL_LANES, insn);
  return 0;
}

/// Origin of the value that is added to, when it is undefined; else `other`.
static uint16_t origin_of(TileWarp *warp, const TileInsn *insn, uint32_t slot,
                          uint16_t other) {
  return tile_emu_undefined_lanes(warp, insn, slot)
             ? tile_emu_mark_origin(warp, tile_emu_mark_id(insn, slot),
                                    TILE_ALL_LANES, insn)
             : other;
}

static void result_set(TileWarp *warp, const TileInsn *insn, uint32_t slot,
                       TileLanes undefined, uint16_t origin) {
  uint32_t id = tile_emu_mark_id(insn, slot);
  if (id == TILE_NO_REGISTER)
    return;
  tile_emu_mark_clear(warp, id, TILE_ALL_LANES);
  tile_emu_mark_set(warp, id, undefined, origin);
}

/// mma and wgmma.
static void undefined_product(TileWarp *warp, const TileInsn *insn) {
  enum { MAX_D = 8 };
  const TileMmaShape *shape = insn->as.shape;
  if (strncmp(insn->opcode, "mma.sp", 6) == 0) // metadata
    undefined_use(warp, insn, insn->e, TILE_ALL_LANES);
  TileLanes undefined[MAX_D];
  uint16_t origins[MAX_D];
  uint16_t origin = any_origin(warp, insn, insn->num_dst_regs);
  const uint32_t *c_slots =
      insn->vec + shape->num_d + shape->num_a + shape->num_b;
  for (uint32_t j = 0; j < shape->num_d && j < MAX_D; j++) {
    undefined[j] = product_lanes(warp, insn, j);
    origins[j] = shape->num_c == shape->num_d
                     ? origin_of(warp, insn, c_slots[j], origin)
                     : origin;
  }
  for (uint32_t j = 0; j < shape->num_d && j < MAX_D; j++)
    result_set(warp, insn, insn->vec[j], undefined[j], origins[j]);
}

/// The registers of D keep their marks unless scale-d clears them; A in
/// registers adds rows: of its four registers the first and third hold row
/// l / 4, the others row l / 4 + 8; of D two registers (packed halves: one) of
/// each row follow one another.
static void undefined_wgmma(TileWarp *warp, const TileInsn *insn) {
  for (uint32_t i = insn->num_regs; i < insn->num_issue_regs; i++)
    if (tile_mark(warp, insn->reg_ids[i])->lanes) // descriptors, scale-d
      tile_emu_mark_report(warp, insn->reg_ids[i],
                           tile_mark(warp, insn->reg_ids[i])->lanes, insn);
  if (insn->as.wgmma.is_sparse)
    undefined_use(warp, insn, insn->e, TILE_ALL_LANES);
  bool accumulates =
      insn->c == TILE_NO_SLOT ? insn->imm != 0 : *tile_pred(warp, insn->c) & 1;
  uint32_t num_d = insn->as.wgmma.num_d, num_a = insn->as.wgmma.num_a;
  uint32_t per_row = insn->as.wgmma.d_type == TILE_PTX_F16 ? 1 : 2;
  uint16_t origin =
      any_origin(warp, insn, accumulates ? 0 : insn->num_dst_regs);
  TileLanes rows[2] = {0, 0};
  for (uint32_t i = 0; i < num_a; i++) {
    TileLanes a = tile_emu_undefined_lanes(warp, insn, insn->vec[num_d + i]);
    for (uint32_t l = 0; l < TILE_WARP_SIZE; l++)
      if (a & 0xfu << (l & ~3u))
        rows[i % 2] |= tile_lane_bit(l);
  }
  for (uint32_t i = 0; i < num_d; i++) {
    TileLanes old =
        accumulates ? tile_emu_undefined_lanes(warp, insn, insn->vec[i]) : 0;
    uint16_t own = old ? origin_of(warp, insn, insn->vec[i], origin) : origin;
    result_set(warp, insn, insn->vec[i], old | rows[i / per_row % 2], own);
  }
}

//===-- Sources -----------------------------------------------------------===//

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

static void use_all(TileWarp *warp, const TileInsn *insn, TileLanes lanes) {
  for (uint32_t i = insn->num_dst_regs; i < insn->num_regs; i++)
    use(warp, insn, insn->reg_ids[i], lanes);
}

static void use_address(TileWarp *warp, const TileInsn *insn, TileLanes lanes) {
  undefined_use(warp, insn, insn->a, lanes);
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
    undefined_product(warp, insn);
    return;
  case TILE_ROLE_ACCUMULATES:
    undefined_wgmma(warp, insn);
    return;
  case TILE_ROLE_TRANSPOSES:
    step_transpose(warp, insn);
    return;
  case TILE_ROLE_BITS:
  case TILE_ROLE_SELECTS:
    undefined_bit_step(warp, insn, lanes);
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
