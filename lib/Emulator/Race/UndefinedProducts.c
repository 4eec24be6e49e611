//===- UndefinedProducts.c - Undefined values through products ------------===//
//
// In products a mark of A makes its row of D undefined, one of B its column:
// tiles are larger than matrices, and what lies beyond is not stored.
//
//===----------------------------------------------------------------------===//

#include "Emulator/Matrix/MmaShapes.h"
#include "Undefined.h"

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

void tile_emu_undefined_product(TileWarp *warp, const TileInsn *insn) {
  enum { MAX_D = 8 };
  const TileMmaShape *shape = insn->as.shape;
  if (strncmp(insn->opcode, "mma.sp", 6) == 0) // metadata
    tile_emu_undefined_use(warp, insn, insn->e, TILE_ALL_LANES);
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
void tile_emu_undefined_wgmma(TileWarp *warp, const TileInsn *insn) {
  for (uint32_t i = insn->num_regs; i < insn->num_issue_regs; i++)
    if (tile_mark(warp, insn->reg_ids[i])->lanes) // descriptors, scale-d
      tile_emu_mark_report(warp, insn->reg_ids[i],
                           tile_mark(warp, insn->reg_ids[i])->lanes, insn);
  if (insn->as.wgmma.is_sparse)
    tile_emu_undefined_use(warp, insn, insn->e, TILE_ALL_LANES);
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
