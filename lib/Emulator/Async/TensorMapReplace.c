//===- TensorMapReplace.c - Tensor maps that kernels change ---------------===//
//
// PTX ISA, "tensormap.replace", "tensormap.cp_fenceproxy". Kernels change
// fields of a tensor map in shared or global memory. A map of zeros is a valid
// start: every field has the value that is encoded as 0.
//
// Replace: a = map, b = new value, imm = ordinal or immediate value.
// Copy: a = destination in global memory, b + offset2 = source.
//
//===----------------------------------------------------------------------===//

#include "Async.h"
#include "Emulator/Memory/Address.h"
#include "Emulator/Race/Race.h"

//===-- Replacement -------------------------------------------------------===//

typedef enum {
  FIELD_GLOBAL_ADDRESS,
  FIELD_RANK,
  FIELD_BOX_DIM,
  FIELD_GLOBAL_DIM,
  FIELD_GLOBAL_STRIDE,
  FIELD_ELEMENT_STRIDE,
  FIELD_ELEMTYPE,
  FIELD_INTERLEAVE_LAYOUT,
  FIELD_SWIZZLE_MODE,
  FIELD_FILL_MODE,
  NUM_FIELDS
} Field;

/// By the number that stands for them in .elemtype.
static const struct {
  uint8_t type;
  bool flushes_denormals;
} elem_types[] = {
    {TILE_PTX_U8, false},  {TILE_PTX_U16, false},  {TILE_PTX_U32, false},
    {TILE_PTX_S32, false}, {TILE_PTX_U64, false},  {TILE_PTX_S64, false},
    {TILE_PTX_F16, false}, {TILE_PTX_F32, false},  {TILE_PTX_F32, true},
    {TILE_PTX_F64, false}, {TILE_PTX_BF16, false}, {TILE_PTX_TF32, false},
    {TILE_PTX_TF32, true},
};

enum { NUM_ELEM_TYPES = sizeof elem_types / sizeof elem_types[0] };

//===-- Fields ------------------------------------------------------------===//

/// What a map of zeros stands for.
static void map_begin(TileEncodedMap *map) {
  *map = (TileEncodedMap){
      .magic = TILE_TENSOR_MAP_MAGIC, .type = TILE_PTX_U8, .rank = 1};
  for (int i = 0; i < TILE_TENSOR_MAP_MAX_RANK; i++) {
    map->box[i] = 1;
    map->elem_strides[i] = 1;
  }
}

static bool is_zero(const uint8_t *bytes) {
  for (int i = 0; i < TILE_TENSOR_MAP_SIZE_BYTES; i++)
    if (bytes[i])
      return false;
  return true;
}

/// The largest value of the field; the smallest is 0 or 1.
static uint64_t field_max(Field field) {
  switch (field) {
  case FIELD_RANK:
    return TILE_TENSOR_MAP_MAX_RANK - 1;
  case FIELD_BOX_DIM:
    return 256;
  case FIELD_ELEMENT_STRIDE:
    return 8;
  case FIELD_ELEMTYPE:
    return NUM_ELEM_TYPES - 1;
  case FIELD_INTERLEAVE_LAYOUT:
    return 0;
  case FIELD_SWIZZLE_MODE:
    return 3;
  case FIELD_FILL_MODE:
    return 1;
  case FIELD_GLOBAL_STRIDE:
    return (1ull << 40) - 1;
  default:
    return UINT64_MAX;
  }
}

static bool is_legal(Field field, uint64_t value) {
  bool has_zero = field != FIELD_BOX_DIM && field != FIELD_ELEMENT_STRIDE &&
                  field != FIELD_GLOBAL_DIM;
  bool has_unit = field == FIELD_GLOBAL_STRIDE || field == FIELD_GLOBAL_ADDRESS;
  return value <= field_max(field) && (value || has_zero) &&
         !(has_unit && value % 16);
}

static void field_set(TileEncodedMap *map, Field field, uint32_t ordinal,
                      uint64_t value) {
  switch (field) {
  case FIELD_GLOBAL_ADDRESS:
    map->address = value;
    break;
  case FIELD_RANK:
    map->rank = (uint8_t)(value + 1);
    break;
  case FIELD_BOX_DIM:
    map->box[ordinal] = (uint16_t)value;
    break;
  case FIELD_GLOBAL_DIM:
    map->last[ordinal] = (uint32_t)(value - 1);
    break;
  case FIELD_GLOBAL_STRIDE:
    map->strides_bytes[ordinal] = value;
    break;
  case FIELD_ELEMENT_STRIDE:
    map->elem_strides[ordinal] = (uint8_t)value;
    break;
  case FIELD_ELEMTYPE:
    map->type = elem_types[value].type;
    map->flushes_denormals = elem_types[value].flushes_denormals;
    break;
  case FIELD_INTERLEAVE_LAYOUT:
    map->interleave = (uint8_t)value;
    break;
  case FIELD_SWIZZLE_MODE:
    map->swizzle = (uint8_t)value;
    break;
  default:
    map->fills_nan = (uint8_t)value;
    break;
  }
}

//===-- tensormap.replace -------------------------------------------------===//

/// The map as bytes of memory that the lane may change.
static uint8_t *map_memory(TileWarp *warp, const TileInsn *insn, uint32_t lane,
                           TileCta **out_cta) {
  uint64_t address =
      tile_address_of(warp, insn, insn->as.memory.wide_address, lane);
  return tile_emu_data_pointer(warp, insn, lane, address,
                               TILE_TENSOR_MAP_SIZE_BYTES, out_cta);
}

static void note_access(TileWarp *warp, const TileInsn *insn, uint32_t lane,
                        TileCta *cta, const uint8_t *memory) {
  TileCluster *cluster = warp->cluster;
  cluster->progress++;
  if (cta)
    cta->smem_version++;
  if (!cluster->detect_races)
    return;
  TileShadowAccess access = tile_emu_access_thread(warp, insn, lane);
  if (cta) {
    uint32_t offset = (uint32_t)(memory - cta->smem);
    tile_emu_shadow_read(cta, offset, TILE_TENSOR_MAP_SIZE_BYTES, &access);
    tile_emu_shadow_write(cta, offset, TILE_TENSOR_MAP_SIZE_BYTES, &access);
  } else
    tile_emu_global_check(warp, insn, lane, memory, TILE_TENSOR_MAP_SIZE_BYTES,
                          access.epoch, TILE_GLOBAL_WRITE);
}

static void replace_one(TileWarp *warp, const TileInsn *insn, uint32_t lane) {
  Field field = (Field)insn->as.memory.op;
  TileCta *cta;
  uint8_t *memory = map_memory(warp, insn, lane, &cta);
  if (!memory)
    return;
  note_access(warp, insn, lane, cta, memory);
  uint64_t value = insn->as.memory.reg_bytes == 8
                       ? tile_u64(warp, insn->b)[lane]
                       : tile_u32(warp, insn->b)[lane];
  TileEncodedMap map;
  memcpy(&map, memory, sizeof map);
  if (is_zero(memory))
    map_begin(&map);
  if (map.magic != TILE_TENSOR_MAP_MAGIC || map.is_im2col) {
    tile_emu_find(warp, insn, tile_lane_bit(lane), TILE_FINDING_TENSOR_MAP,
                  "the memory holds %s",
                  map.magic != TILE_TENSOR_MAP_MAGIC
                      ? "neither a tensor map nor zeros"
                      : "an im2col map; only tiled ones can be changed");
    return;
  }
  if (!is_legal(field, value)) {
    tile_emu_find(warp, insn, tile_lane_bit(lane), TILE_FINDING_TENSOR_MAP,
                  "new value %llu is not possible", (unsigned long long)value);
    return;
  }
  field_set(&map, field, (uint32_t)insn->imm, value);
  memcpy(memory, &map, sizeof map);
}

static TileLanes replace(TileWarp *warp, const TileInsn *insn,
                         TileLanes lanes) {
  TILE_FOR_LANES (l, lanes) {
    replace_one(warp, insn, l);
  }
  return 0;
}

//===-- tensormap.cp_fenceproxy -------------------------------------------===//

/// The whole warp copies. Shared memory counts as read by the lane that wrote
/// it last, if that is one of them: no other one needs to see the map.
static uint32_t reading_lane(const TileWarp *warp, const TileCta *cta,
                             uint32_t offset) {
  const TileShadowChunk *chunk = &cta->shadow.chunks[offset / 16];
  uint32_t agent = tile_epoch_agent(
      chunk->is_split ? cta->shadow.bytes[offset].write : chunk->write);
  uint32_t lane = agent - warp->first_thread;
  return agent >= warp->first_thread && lane < warp->num_lanes
             ? lane
             : tile_lane_first(warp->live);
}

static TileLanes copy_fenceproxy(TileWarp *warp, const TileInsn *insn,
                                 TileLanes lanes) {
  TileLanes blocked = tile_warp_converge(warp, lanes, warp->live);
  if (blocked)
    return blocked;
  tile_warp_go(warp, lanes);
  uint32_t first = tile_lane_first(lanes);
  uint64_t to = tile_u64(warp, insn->a)[first] + (uint64_t)insn->offset;
  uint64_t from = insn->as.memory.wide_address ? tile_u64(warp, insn->b)[first]
                                               : tile_u32(warp, insn->b)[first];
  TileCta *cta;
  uint8_t *source = tile_emu_shared_pointer(
      warp, insn, first, (uint32_t)(from + (uint64_t)insn->offset2),
      TILE_TENSOR_MAP_SIZE_BYTES, &cta);
  uint8_t *memory = tile_emu_global_pointer(warp, insn, first, to,
                                            TILE_TENSOR_MAP_SIZE_BYTES);
  if (!source || !memory)
    return 0;
  warp->cluster->progress++;
  if (warp->cluster->detect_races) {
    uint32_t offset = (uint32_t)(source - cta->smem);
    uint32_t lane = reading_lane(warp, cta, offset);
    TileShadowAccess access = tile_emu_access_thread(warp, insn, lane);
    tile_emu_shadow_read(cta, offset, TILE_TENSOR_MAP_SIZE_BYTES, &access);
    tile_emu_global_check(warp, insn, lane, memory, TILE_TENSOR_MAP_SIZE_BYTES,
                          access.epoch, TILE_GLOBAL_WRITE);
    tile_emu_map_proxy_release(warp, lane);
    // All lanes executed the copy, so each of them knows of it.
    tile_emu_clock_join_lanes(&warp->cluster->clocks, warp->first_thread,
                              lanes);
  }
  memcpy(memory, source, TILE_TENSOR_MAP_SIZE_BYTES);
  return 0;
}

//===-- Decode ------------------------------------------------------------===//

static void decode_replace(TileDecoder *decoder) {
  static const char *const fields[NUM_FIELDS] = {
      [FIELD_GLOBAL_ADDRESS] = "global_address",
      [FIELD_RANK] = "rank",
      [FIELD_BOX_DIM] = "box_dim",
      [FIELD_GLOBAL_DIM] = "global_dim",
      [FIELD_GLOBAL_STRIDE] = "global_stride",
      [FIELD_ELEMENT_STRIDE] = "element_stride",
      [FIELD_ELEMTYPE] = "elemtype",
      [FIELD_INTERLEAVE_LAYOUT] = "interleave_layout",
      [FIELD_SWIZZLE_MODE] = "swizzle_mode",
      [FIELD_FILL_MODE] = "fill_mode",
  };
  TileInsn *insn = decoder->insn;
  int field = tile_decode_choice(decoder, fields, NUM_FIELDS);
  if (field < 0) {
    tile_decode_unsupported(decoder, "a field of sm_100 and later");
    return;
  }
  bool is_wide = field == FIELD_GLOBAL_ADDRESS || field == FIELD_GLOBAL_STRIDE;
  bool has_ordinal = field >= FIELD_BOX_DIM && field <= FIELD_ELEMENT_STRIDE;
  if (!tile_decode_count(decoder, 2u + has_ordinal, 2u + has_ordinal))
    return;
  insn->space = (uint8_t)tile_decode_space(decoder);
  insn->as.memory.op = (uint8_t)field;
  insn->as.memory.reg_bytes = is_wide ? 8 : 4;
  TileDecodedAddress address =
      tile_decode_address_a(decoder, 0, (TilePtxSpace)insn->space);
  insn->as.memory.wide_address = address.is_wide;
  insn->b = tile_decode_src(decoder, 1u + has_ordinal,
                            is_wide ? TILE_PTX_B64 : TILE_PTX_B32);
  if (has_ordinal)
    insn->imm = tile_decode_immediate(decoder, 1);
  int64_t count =
      TILE_TENSOR_MAP_MAX_RANK - (field == FIELD_GLOBAL_STRIDE ? 1 : 0);
  if (insn->imm < 0 || insn->imm >= count)
    tile_decode_fail(decoder, "ordinal %lld, not in [0, %lld]",
                     (long long)insn->imm, (long long)count - 1);
  insn->exec = replace;
}

static void decode_copy(TileDecoder *decoder) {
  TileInsn *insn = decoder->insn;
  if (!tile_decode_count(decoder, 3, 3))
    return;
  TileDecodedAddress to = tile_decode_address_a(decoder, 0, TILE_SPACE_GLOBAL);
  TileDecodedAddress from =
      tile_decode_address(decoder, decoder->ops[1], TILE_SPACE_SHARED);
  if (!to.is_wide)
    tile_decode_fail(decoder, "a global address has 64 bits");
  if (tile_decode_immediate(decoder, 2) != TILE_TENSOR_MAP_SIZE_BYTES)
    tile_decode_fail(decoder, "the size must be %d",
                     TILE_TENSOR_MAP_SIZE_BYTES);
  insn->b = from.slot;
  insn->offset2 = from.offset;
  insn->as.memory.wide_address = from.is_wide;
  insn->exec = copy_fenceproxy;
}

void tile_emu_decode_tensormap(TileDecoder *decoder) {
  if (decoder->num_words > 1 && !strcmp(decoder->words[1], "cp_fenceproxy"))
    decode_copy(decoder);
  else
    decode_replace(decoder);
}
