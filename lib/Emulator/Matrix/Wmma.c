//===- Wmma.c - wmma ------------------------------------------------------===//
//
// PTX ISA, "Matrix multiply-accumulate operation using wmma instructions".
// wmma.mma is executed as mma is, see Mma.c; fragments do not depend on
// the layout in memory, so .alayout and .blayout are only checked.
//
//===----------------------------------------------------------------------===//

#include "Emulator/Memory/Address.h"
#include "Emulator/Race/Race.h"
#include "Mma.h"

/// A matrix in memory and its fragment. `lines` are what is contiguous: rows,
/// or columns when it is column-major.
struct TileWmmaAccess {
  uint32_t num_rows, num_columns;
  uint32_t elem_bits;
  bool is_column_major;
  bool is_accumulator, is_b;
  uint32_t m, n;          // of an accumulator
  uint32_t num_registers; // of a lane
  bool has_wide_address;
};

static inline uint32_t tile_wmma_num_lines(const TileWmmaAccess *access) {
  return access->is_column_major ? access->num_columns : access->num_rows;
}
static inline uint32_t tile_wmma_line_elems(const TileWmmaAccess *access) {
  return access->is_column_major ? access->num_rows : access->num_columns;
}

//===-- wmma.load, wmma.store ---------------------------------------------===//

// PTX ISA, "wmma.load", "wmma.store", "Matrix Storage for WMMA". Which lane
// touches which element is unspecified, so every lane must be allowed to touch
// any of them: lane i takes the i-th of 32 equal parts, counted along rows (or
// columns) in memory.
//
// Instruction: vec = registers of the fragment, a = address, b = stride in
// elements; wmma = the matrix.

enum {
  MAX_BYTES = 16 * 16 * 4, // of a matrix
  ACCESS_BYTES = 16        // the most at a time
};

//===-- Elements of a dense matrix ----------------------------------------===//

static uint64_t elem_get(const uint8_t *tile, size_t index, uint32_t bits) {
  uint64_t value = 0;
  if (bits < 8)
    return tile[index * bits / 8] >> (index * bits % 8) & ((1u << bits) - 1);
  memcpy(&value, tile + index * (bits / 8), bits / 8);
  return value;
}

static void elem_put(uint8_t *tile, size_t index, uint32_t bits,
                     uint64_t value) {
  memcpy(tile + index * (bits / 8), &value, bits / 8);
}

static uint32_t elem_index(const TileWmmaAccess *access, uint32_t row,
                           uint32_t column) {
  return access->is_column_major ? column * access->num_rows + row
                                 : row * access->num_columns + column;
}

//===-- Fragments ---------------------------------------------------------===//

/// Registers of A or B, the elements in the low bits first.
static void load_multiplicand(TileWarp *warp, const TileInsn *insn,
                              const uint8_t *tile) {
  const TileWmmaAccess *access = insn->as.wmma;
  uint32_t bits = access->elem_bits, is_b = access->is_b;
  TileMmaFragment fragment = tile_mma_fragment(
      is_b ? access->num_columns : access->num_rows,
      is_b ? access->num_rows : access->num_columns, bits, access->is_b);
  uint32_t num_different = tile_mma_fragment_registers(&fragment);
  for (uint32_t reg = 0; reg < access->num_registers; reg++)
    for (uint32_t l = 0; l < TILE_WARP_SIZE; l++) {
      TileMmaPlace at =
          tile_mma_fragment_place(&fragment, l, reg % num_different);
      uint64_t value = 0;
      for (uint32_t i = 0; i < fragment.per_reg; i++) {
        uint32_t k = at.k + i;
        uint32_t index = elem_index(access, is_b ? k : at.x, is_b ? at.x : k);
        value |= elem_get(tile, index, bits) << (i * bits);
      }
      if (bits == 64)
        tile_u64(warp, insn->vec[reg])[l] = value;
      else
        tile_u32(warp, insn->vec[reg])[l] = (uint32_t)value;
    }
}

/// Accumulators; two f16 share a register.
static void move_accumulators(TileWarp *warp, const TileInsn *insn,
                              uint8_t *tile, bool is_load) {
  const TileWmmaAccess *access = insn->as.wmma;
  uint32_t bits = access->elem_bits, bytes = bits / 8;
  uint32_t per_reg = bits == 16 ? 2 : 1;
  for (uint32_t i = 0; i < access->num_registers * per_reg; i++)
    for (uint32_t l = 0; l < TILE_WARP_SIZE; l++) {
      uint32_t row, column;
      tile_mma_accumulator_place(access->m, access->n, l, i, &row, &column);
      uint32_t index = elem_index(access, row, column);
      size_t offset =
          (size_t)l * (bits == 64 ? 8 : 4) + (size_t)(i % per_reg) * bytes;
      uint8_t *reg = warp->regs + insn->vec[i / per_reg] + offset;
      uint64_t value = 0;
      if (is_load) {
        value = elem_get(tile, index, bits);
        memcpy(reg, &value, bytes);
        continue;
      }
      memcpy(&value, reg, bytes);
      elem_put(tile, index, bits, value);
    }
}

//===-- Memory ------------------------------------------------------------===//

static uint32_t total_bytes(const TileWmmaAccess *access) {
  return access->num_rows * access->num_columns * access->elem_bits / 8;
}

/// By the letter every line is aligned to the fragment of a lane. Strides of
/// any 16 bytes are accepted: the CUDA programming guide allows them.
static bool check_alignment(TileWarp *warp, const TileInsn *insn, uint32_t lane,
                            uint64_t address, uint64_t stride_bytes) {
  const TileWmmaAccess *access = insn->as.wmma;
  uint32_t fragment_bytes =
      access->num_registers * (access->elem_bits == 64 ? 8 : 4);
  uint32_t line_bytes =
      fragment_bytes < ACCESS_BYTES ? fragment_bytes : ACCESS_BYTES;
  // Both are powers of two.
  if (!(address & (fragment_bytes - 1)) && !(stride_bytes & (line_bytes - 1)))
    return true;
  tile_emu_find(warp, insn, tile_lane_bit(lane), TILE_FINDING_ALIGNMENT,
                "address 0x%llx must be a multiple of %u, and the stride of "
                "%llu bytes one of %u",
                (unsigned long long)address, fragment_bytes,
                (unsigned long long)stride_bytes, line_bytes);
  return false;
}

/// One part of a line.
static void move_part(TileWarp *warp, const TileInsn *insn, uint32_t lane,
                      uint64_t address, uint32_t size_bytes, uint8_t *tile,
                      bool is_load) {
  TileCluster *cluster = warp->cluster;
  TileCta *cta;
  uint8_t *memory =
      tile_emu_data_pointer(warp, insn, lane, address, size_bytes, &cta);
  if (!memory)
    return;
  TileShadowAccess access = {0};
  if (cta && cluster->detect_races)
    access = tile_emu_access_thread(warp, insn, lane);
  if (is_load) {
    if (cta && cluster->detect_races)
      tile_emu_shadow_read(cta, (uint32_t)(memory - cta->smem), size_bytes,
                           &access);
    else if (cluster->detect_races)
      tile_emu_global_check_now(warp, insn, lane, memory, size_bytes,
                                TILE_GLOBAL_READ);
    memcpy(tile, memory, size_bytes);
    return;
  }
  if (cta) {
    cta->smem_version++;
    if (cluster->detect_races)
      tile_emu_shadow_write(cta, (uint32_t)(memory - cta->smem), size_bytes,
                            &access);
  } else if (cluster->detect_races)
    tile_emu_global_check_now(warp, insn, lane, memory, size_bytes,
                              TILE_GLOBAL_WRITE);
  memcpy(memory, tile, size_bytes);
}

static void move_matrix(TileWarp *warp, const TileInsn *insn, TileLanes lanes,
                        uint8_t *tile, bool is_load) {
  const TileWmmaAccess *access = insn->as.wmma;
  uint64_t part_bytes = total_bytes(access) / TILE_WARP_SIZE;
  uint32_t parts_per_line = TILE_WARP_SIZE / tile_wmma_num_lines(access);
  uint32_t step_bytes =
      part_bytes < ACCESS_BYTES ? (uint32_t)part_bytes : ACCESS_BYTES;
  TILE_FOR_LANES (l, lanes) {
    uint64_t address = tile_address_of(warp, insn, access->has_wide_address, l);
    uint64_t stride_bytes =
        (uint64_t)tile_u32(warp, insn->b)[l] * access->elem_bits / 8;
    if (!check_alignment(warp, insn, l, address, stride_bytes))
      return;
    address +=
        l / parts_per_line * stride_bytes + l % parts_per_line * part_bytes;
    for (uint64_t at = 0; at < part_bytes; at += step_bytes)
      move_part(warp, insn, l, address + at, step_bytes,
                tile + l * part_bytes + at, is_load);
  }
}

/// All lanes give the same address and stride.
static void check_uniform(TileWarp *warp, const TileInsn *insn,
                          TileLanes lanes) {
  bool is_wide = insn->as.wmma->has_wide_address;
  uint32_t first = tile_lane_first(lanes);
  TILE_FOR_LANES (l, lanes) {
    if (tile_address_of(warp, insn, is_wide, l) ==
            tile_address_of(warp, insn, is_wide, first) &&
        tile_u32(warp, insn->b)[l] == tile_u32(warp, insn->b)[first])
      continue;
    tile_emu_find(warp, insn, tile_lane_bit(l), TILE_FINDING_NOT_UNIFORM,
                  "address or stride differ from those of lane %u", first);
    return;
  }
}

static TileLanes wmma_load(TileWarp *warp, const TileInsn *insn,
                           TileLanes lanes) {
  TileLanes blocked = tile_warp_converge(warp, lanes, warp->live);
  if (blocked)
    return blocked;
  tile_warp_go(warp, lanes);
  uint8_t tile[MAX_BYTES] = {0};
  check_uniform(warp, insn, lanes);
  move_matrix(warp, insn, lanes, tile, true);
  if (insn->as.wmma->is_accumulator)
    move_accumulators(warp, insn, tile, true);
  else
    load_multiplicand(warp, insn, tile);
  return 0;
}

static TileLanes wmma_store(TileWarp *warp, const TileInsn *insn,
                            TileLanes lanes) {
  TileLanes blocked = tile_warp_converge(warp, lanes, warp->live);
  if (blocked)
    return blocked;
  tile_warp_go(warp, lanes);
  warp->cluster->progress++;
  uint8_t tile[MAX_BYTES] = {0};
  check_uniform(warp, insn, lanes);
  move_accumulators(warp, insn, tile, false);
  move_matrix(warp, insn, lanes, tile, false);
  return 0;
}

//===-- Decode ------------------------------------------------------------===//

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
  insn->exec = is_load ? wmma_load : wmma_store;
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
