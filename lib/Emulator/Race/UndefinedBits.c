//===- UndefinedBits.c - Undefined bits through moves, logic and shifts ---===//
//
// Halves and bytes that share a register are packed, masked and shifted, and
// those that are left out do not count. An instruction that treats every bit by
// itself is executed several times, with the undefined bits of its sources all
// zero and all one: bits of the result that change are undefined.
//
//===----------------------------------------------------------------------===//

#include "Undefined.h"

#include <stdlib.h>

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

void tile_emu_undefined_bit_step(TileWarp *warp, const TileInsn *insn,
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
