//===- MatrixMove.c - ldmatrix, stmatrix, movmatrix -----------------------===//
//
// PTX ISA, "Warp-level Matrix Load Instruction: ldmatrix" and following. An
// 8x8 matrix of 16-bit elements has eight rows of 16 bytes; the address of row
// r of matrix m comes from lane 8m + r. Lane l holds elements (l/4, 2(l%4))
// and (l/4, 2(l%4) + 1), with .trans those of the transposed matrix.
//
//===----------------------------------------------------------------------===//

#include "Address.h"
#include "Emulator/Ptx/Decode.h"
#include "Emulator/Race/Race.h"
#include "Emulator/Undefined/Undefined.h"

enum { MATRIX_ROWS = 8, ROW_BYTES = 16 };

typedef struct {
  uint16_t elems[MATRIX_ROWS][8];
} Matrix;

static uint32_t fragment_get(const Matrix *matrix, uint32_t lane,
                             bool transposed) {
  uint32_t row = lane / 4, column = 2 * (lane % 4);
  if (transposed)
    return matrix->elems[column][row] | (uint32_t)matrix->elems[column + 1][row]
                                            << 16;
  return matrix->elems[row][column] | (uint32_t)matrix->elems[row][column + 1]
                                          << 16;
}

static void fragment_put(Matrix *matrix, uint32_t lane, bool transposed,
                         uint32_t value) {
  uint32_t row = lane / 4, column = 2 * (lane % 4);
  uint16_t low = (uint16_t)value, high = (uint16_t)(value >> 16);
  matrix->elems[transposed ? column : row][transposed ? row : column] = low;
  matrix->elems[transposed ? column + 1 : row][transposed ? row : column + 1] =
      high;
}

/// The 16 bytes that lane `lane` points to, or NULL.
static uint8_t *row_pointer(TileWarp *warp, const TileInsn *insn, uint32_t lane,
                            TileCta **out_cta) {
  uint64_t address =
      tile_address_of(warp, insn, insn->as.memory.wide_address, lane);
  if (address % ROW_BYTES) {
    tile_emu_find(warp, insn, tile_lane_bit(lane), TILE_FINDING_ALIGNMENT,
                  "row address 0x%llx is not a multiple of 16",
                  (unsigned long long)address);
    return NULL;
  }
  if (insn->space == TILE_SPACE_GENERIC)
    address -= TILE_SHARED_WINDOW;
  return tile_emu_shared_pointer(warp, insn, lane, (uint32_t)address, ROW_BYTES,
                                 out_cta);
}

/// The lanes that hold elements of the row that lane `r` points to.
static TileLanes lanes_of_row(const TileInsn *insn, uint32_t r) {
  uint32_t row = r % MATRIX_ROWS;
  return insn->as.memory.transposed ? 0x11111111u << row / 2 : 0xfu << row * 4;
}

/// What lane `lane` holds of that row, which is at `out_begin` of it.
static TileRegisterPart part_of_row(const TileInsn *insn, uint32_t r,
                                    uint32_t lane, uint32_t *out_begin) {
  bool transposed = insn->as.memory.transposed;
  *out_begin = transposed ? lane / 4 * 2 : lane % 4 * 4;
  return (TileRegisterPart){insn->vec[r / MATRIX_ROWS], lane,
                            transposed ? r % 2 * 16 : 0, transposed ? 2 : 4};
}

/// Marks what lanes got of undefined bytes of the row at `offset` that lane
/// `r` points to.
static void mark_row(TileWarp *warp, const TileInsn *insn, uint32_t r,
                     const TileCta *cta, uint32_t offset) {
  TILE_FOR_LANES (l, lanes_of_row(insn, r)) {
    uint32_t begin;
    TileRegisterPart part = part_of_row(insn, r, l, &begin);
    tile_emu_undefined_load(warp, insn, part, cta, offset + begin);
  }
}

/// What lanes got of the row that lane `r` points to is luck.
static void mark_raced(TileWarp *warp, const TileInsn *insn, uint32_t r,
                       uint16_t *origin) {
  uint32_t id = tile_emu_mark_id(insn, insn->vec[r / MATRIX_ROWS]);
  if (id != TILE_NO_REGISTER)
    tile_emu_mark_set(warp, id, lanes_of_row(insn, r), *origin);
  *origin = 0;
}

static TileLanes ldmatrix(TileWarp *warp, const TileInsn *insn,
                          TileLanes lanes) {
  TileLanes blocked = tile_warp_converge(warp, lanes, warp->live);
  if (blocked)
    return blocked;
  tile_warp_go(warp, lanes);
  Matrix matrices[4];
  memset(matrices, 0, sizeof matrices);
  uint32_t num_rows = MATRIX_ROWS * insn->num_vec;
  TileLanes rows = num_rows == 32 ? lanes : lanes & ((1u << num_rows) - 1);
  bool detect_races = warp->cluster->detect_races;
  TileLoadRecord *record =
      detect_races ? tile_emu_load_begin(warp, insn, lanes) : NULL;
  uint16_t origin = 0; // of what is read in a race
  warp->cluster->race_origin = &origin;
  TILE_FOR_LANES (r, rows) {
    TileCta *cta;
    const uint8_t *memory = row_pointer(warp, insn, r, &cta);
    if (!memory)
      continue;
    if (record)
      tile_load_note(record, warp, r, memory);
    if (detect_races) {
      TileShadowAccess access = tile_emu_access_thread(warp, insn, r);
      tile_undefined_defer(&access);
      tile_emu_shadow_read(cta, (uint32_t)(memory - cta->smem), ROW_BYTES,
                           &access);
      if (TILE_UNLIKELY(access.has_undefined))
        mark_row(warp, insn, r, cta, (uint32_t)(memory - cta->smem));
      if (TILE_UNLIKELY(origin))
        mark_raced(warp, insn, r, &origin);
    }
    memcpy(matrices[r / MATRIX_ROWS].elems[r % MATRIX_ROWS], memory, ROW_BYTES);
  }
  warp->cluster->race_origin = NULL;
  for (uint32_t m = 0; m < insn->num_vec; m++) {
    uint32_t *d = tile_u32(warp, insn->vec[m]);
    TILE_FOR_LANES (l, lanes) {
      d[l] = fragment_get(&matrices[m], l, insn->as.memory.transposed);
    }
  }
  return 0;
}

/// Marks the bytes of the row at `offset` that got undefined elements.
static void store_row(TileWarp *warp, const TileInsn *insn, uint32_t r,
                      TileCta *cta, uint32_t offset) {
  TILE_FOR_LANES (l, lanes_of_row(insn, r)) {
    uint32_t begin;
    TileRegisterPart part = part_of_row(insn, r, l, &begin);
    tile_emu_undefined_store(warp, insn, part, cta, offset + begin);
  }
}

static TileLanes stmatrix(TileWarp *warp, const TileInsn *insn,
                          TileLanes lanes) {
  TileLanes blocked = tile_warp_converge(warp, lanes, warp->live);
  if (blocked)
    return blocked;
  tile_warp_go(warp, lanes);
  warp->cluster->progress++;
  Matrix matrices[4];
  memset(matrices, 0, sizeof matrices);
  for (uint32_t m = 0; m < insn->num_vec; m++) {
    const uint32_t *value = tile_u32(warp, insn->vec[m]);
    TILE_FOR_LANES (l, lanes) {
      fragment_put(&matrices[m], l, insn->as.memory.transposed, value[l]);
    }
  }
  uint32_t num_rows = MATRIX_ROWS * insn->num_vec;
  TileLanes rows = num_rows == 32 ? lanes : lanes & ((1u << num_rows) - 1);
  TILE_FOR_LANES (r, rows) {
    TileCta *cta;
    uint8_t *memory = row_pointer(warp, insn, r, &cta);
    if (!memory)
      continue;
    cta->smem_version++;
    if (warp->cluster->detect_races) {
      TileShadowAccess access = tile_emu_access_thread(warp, insn, r);
      uint32_t offset = (uint32_t)(memory - cta->smem);
      tile_emu_shadow_write(cta, offset, ROW_BYTES, &access);
      if (TILE_UNLIKELY(warp->num_undefined))
        store_row(warp, insn, r, cta, offset);
    }
    memcpy(memory, matrices[r / MATRIX_ROWS].elems[r % MATRIX_ROWS], ROW_BYTES);
  }
  return 0;
}

/// movmatrix.sync.aligned.m8n8.trans.b16: transposes across the warp.
static TileLanes movmatrix(TileWarp *warp, const TileInsn *insn,
                           TileLanes lanes) {
  TileLanes blocked = tile_warp_converge(warp, lanes, warp->live);
  if (blocked)
    return blocked;
  tile_warp_go(warp, lanes);
  Matrix matrix;
  memset(&matrix, 0, sizeof matrix);
  const uint32_t *a = tile_u32(warp, insn->a);
  TILE_FOR_LANES (l, lanes) {
    fragment_put(&matrix, l, false, a[l]);
  }
  uint32_t *d = tile_u32(warp, insn->dst);
  TILE_FOR_LANES (k, lanes) {
    d[k] = fragment_get(&matrix, k, true);
  }
  return 0;
}

//===-- Decode ------------------------------------------------------------===//

static void decode_rows(TileDecoder *decoder, uint32_t registers_at,
                        bool is_load) {
  static const char *const counts[] = {"x1", "x2", "x4"};
  TileInsn *insn = decoder->insn;
  int count = tile_decode_choice(decoder, counts, 3);
  tile_decode_allow(decoder, "sync aligned m8n8 x1 x2 x4 trans shared "
                             "shared::cta");
  if (!tile_decode_has(decoder, "m8n8") || count < 0 ||
      tile_decode_type(decoder, 0) != TILE_PTX_B16) {
    tile_decode_unsupported(decoder, "shape");
    return;
  }
  if (!tile_decode_count(decoder, 2, 2))
    return;
  insn->space = (uint8_t)tile_decode_space(decoder);
  insn->as.memory.transposed = tile_decode_has(decoder, "trans");
  TileSlotList list = {0};
  tile_decode_list_add(decoder, &list, decoder->ops[registers_at], TILE_PTX_B32,
                       is_load);
  tile_decode_list_finish(decoder, &list);
  if (list.count != 1u << count)
    tile_decode_fail(decoder, "%u registers where %u are expected", list.count,
                     1u << count);
  for (uint32_t i = 0; i < list.count; i++)
    if (list.slots[i] == TILE_NO_SLOT)
      tile_decode_fail(decoder, "`_` is not a register of a fragment");
  TileDecodedAddress address = tile_decode_address_a(decoder, 1 - registers_at,
                                                     (TilePtxSpace)insn->space);
  insn->as.memory.wide_address = address.is_wide;
}

void tile_emu_decode_ldmatrix(TileDecoder *decoder) {
  decoder->insn->exec = ldmatrix;
  decode_rows(decoder, 0, true);
}

void tile_emu_decode_stmatrix(TileDecoder *decoder) {
  decoder->insn->exec = stmatrix;
  decode_rows(decoder, 1, false);
}

void tile_emu_decode_movmatrix(TileDecoder *decoder) {
  TileInsn *insn = decoder->insn;
  tile_decode_allow(decoder, "sync aligned m8n8 trans");
  if (!tile_decode_count(decoder, 2, 2))
    return;
  insn->exec = movmatrix;
  insn->dst = tile_decode_dst(decoder, 0, TILE_PTX_B32);
  insn->a = tile_decode_src(decoder, 1, TILE_PTX_B32);
}
