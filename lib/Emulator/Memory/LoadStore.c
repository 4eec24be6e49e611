//===- LoadStore.c - ld and st --------------------------------------------===//
//
// PTX ISA, "ld", "st". Execution is sequentially consistent: .volatile,
// .relaxed, .acquire, .release and cache hints change no values. They decide
// what is a race and who is ordered after whom.
//
//===----------------------------------------------------------------------===//

#include "Address.h"
#include "Emulator/Async/Async.h"
#include "Emulator/Race/Race.h"
#include "Emulator/Undefined/Undefined.h"

//===-- Elements ----------------------------------------------------------===//

static inline uint64_t extend(uint64_t value, uint32_t elem_bytes) {
  uint32_t unused = 64 - 8 * elem_bytes;
  return (uint64_t)((int64_t)(value << unused) >> unused);
}

/// Element `index` of memory into lane `l` of register `slot`.
static inline void load_elem(TileWarp *warp, const TileInsn *insn,
                             const uint8_t *memory, uint32_t index,
                             uint32_t slot, uint32_t l) {
  uint32_t elem_bytes = insn->as.memory.elem_bytes;
  memory += (size_t)index * elem_bytes;
  if (elem_bytes == 16) {
    memcpy(&tile_u64(warp, slot)[2 * (size_t)l], memory, 16);
    return;
  }
  uint64_t value = 0;
  switch (elem_bytes) {
  case 1:
    value = *memory;
    break;
  case 2:
    memcpy(&value, memory, 2);
    break;
  case 4:
    memcpy(&value, memory, 4);
    break;
  default:
    memcpy(&value, memory, 8);
    break;
  }
  if (insn->as.memory.sign_extend)
    value = extend(value, elem_bytes);
  if (insn->as.memory.reg_bytes == 8)
    tile_u64(warp, slot)[l] = value;
  else
    tile_u32(warp, slot)[l] = (uint32_t)value;
}

static inline void store_elem(TileWarp *warp, const TileInsn *insn,
                              uint8_t *memory, uint32_t index, uint32_t slot,
                              uint32_t l) {
  uint32_t elem_bytes = insn->as.memory.elem_bytes;
  memory += (size_t)index * elem_bytes;
  const uint8_t *reg =
      warp->regs + slot + (size_t)l * insn->as.memory.reg_bytes;
  switch (elem_bytes) { // little endian: the low bytes come first
  case 1:
    *memory = *reg;
    break;
  case 2:
    memcpy(memory, reg, 2);
    break;
  case 4:
    memcpy(memory, reg, 4);
    break;
  case 8:
    memcpy(memory, reg, 8);
    break;
  default:
    memcpy(memory, reg, 16);
    break;
  }
}

/// Nobody else can access it.
static bool is_private_space(const TileInsn *insn) {
  return insn->space == TILE_SPACE_LOCAL || insn->space == TILE_SPACE_PARAM;
}

static bool is_local(const TileWarp *warp, const uint8_t *memory) {
  size_t size_bytes = (size_t)warp->kernel->local_stride_bytes * TILE_WARP_SIZE;
  return warp->local && memory >= warp->local &&
         memory < warp->local + size_bytes;
}

//===-- ld ----------------------------------------------------------------===//

static void load_nothing(TileWarp *warp, const TileInsn *insn, uint32_t l) {
  static const uint8_t zeros[32] = {0};
  for (uint32_t i = 0; i < insn->num_vec; i++)
    if (insn->vec[i] != TILE_NO_SLOT)
      load_elem(warp, insn, zeros, 0, insn->vec[i], l);
}

/// Marks what lane `l` got of undefined bytes at `memory`; `cta` is NULL in
/// local memory.
static void mark_undefined(TileWarp *warp, const TileInsn *insn, uint32_t l,
                           const TileCta *cta, const uint8_t *memory) {
  uint32_t elem_bytes = insn->as.memory.elem_bytes;
  for (uint32_t i = 0; i < insn->num_vec; i++) {
    TileRegisterPart part = {insn->vec[i], l, 0, elem_bytes};
    const uint8_t *elem = memory + (size_t)i * elem_bytes;
    if (cta)
      tile_emu_undefined_load(warp, insn, part, cta,
                              (uint32_t)(elem - cta->smem));
    else
      tile_emu_undefined_local_load(warp, insn, part, elem);
    if (insn->as.memory.sign_extend)
      tile_emu_undefined_extend(warp, insn, part);
  }
}

/// What lane `l` stores is undefined there, too, or is used.
static void store_undefined(TileWarp *warp, const TileInsn *insn, uint32_t l,
                            TileCta *cta, const uint8_t *memory) {
  uint32_t elem_bytes = insn->as.memory.elem_bytes;
  bool has_local = !cta && is_local(warp, memory);
  if (has_local ? !tile_undefined_has_local(warp) : !warp->num_undefined)
    return;
  for (uint32_t i = 0; i < insn->num_vec; i++) {
    TileRegisterPart part = {insn->vec[i], l, 0, elem_bytes};
    const uint8_t *elem = memory + (size_t)i * elem_bytes;
    if (cta)
      tile_emu_undefined_store(warp, insn, part, cta,
                               (uint32_t)(elem - cta->smem));
    else if (has_local)
      tile_emu_undefined_local_store(warp, insn, part, elem);
    else
      tile_emu_undefined_data(warp, insn, part);
  }
}

/// What the lanes got is luck.
static void mark_raced(TileWarp *warp, const TileInsn *insn, TileLanes lanes,
                       uint16_t *origin) {
  for (uint32_t i = 0; i < insn->num_dst_regs; i++)
    tile_emu_mark_set(warp, insn->reg_ids[i], lanes, *origin);
  *origin = 0;
}

static TileLanes ld(TileWarp *warp, const TileInsn *insn, TileLanes lanes) {
  uint32_t size_bytes = insn->as.memory.elem_bytes * insn->num_vec;
  bool is_wide = insn->as.memory.wide_address;
  bool detect_races = warp->cluster->detect_races;
  bool is_private = is_private_space(insn);
  TileLoadRecord *record =
      detect_races ? tile_emu_load_begin(warp, insn, lanes) : NULL;
  uint16_t origin = 0; // of what is read in a race
  warp->cluster->race_origin = &origin;
  TILE_FOR_LANES (l, lanes) {
    uint64_t address = tile_address_of(warp, insn, is_wide, l);
    TileCta *cta;
    const uint8_t *memory =
        tile_emu_data_pointer(warp, insn, l, address, size_bytes, &cta);
    if (TILE_UNLIKELY(!memory)) {
      load_nothing(warp, insn, l);
      continue;
    }
    if (record)
      tile_load_note(record, warp, l, memory);
    if (insn->as.memory.is_strong)
      tile_emu_word_meet(warp, l, memory, true, false, false);
    if (cta && detect_races) {
      TileShadowAccess access = tile_emu_access_thread(warp, insn, l);
      access.is_atomic =
          insn->as.memory.is_strong && !insn->as.memory.is_volatile;
      uint32_t offset = (uint32_t)(memory - cta->smem);
      tile_undefined_defer(&access);
      tile_emu_shadow_read(cta, offset, size_bytes, &access);
      if (TILE_UNLIKELY(access.has_undefined))
        mark_undefined(warp, insn, l, cta, memory);
    } else if (TILE_UNLIKELY(warp->local != NULL) && !cta &&
               is_local(warp, memory) && tile_undefined_has_local(warp))
      mark_undefined(warp, insn, l, NULL, memory);
    if (insn->as.memory.is_strong && !cta)
      tile_emu_order_meet(warp, memory, true, false);
    else if (detect_races && !cta && !is_private)
      tile_emu_global_check_now(warp, insn, l, memory, size_bytes,
                                TILE_GLOBAL_READ);
    if (TILE_UNLIKELY(origin))
      mark_raced(warp, insn, tile_lane_bit(l), &origin);
    for (uint32_t i = 0; i < insn->num_vec; i++)
      if (insn->vec[i] != TILE_NO_SLOT)
        load_elem(warp, insn, memory, i, insn->vec[i], l);
  }
  warp->cluster->race_origin = NULL;
  return 0;
}

/// ld.param of a kernel parameter: the same for all lanes.
static TileLanes ld_param(TileWarp *warp, const TileInsn *insn,
                          TileLanes lanes) {
  const uint8_t *memory = warp->cluster->run->params + insn->offset;
  for (uint32_t i = 0; i < insn->num_vec; i++)
    TILE_FOR_LANES (l, lanes)
      if (insn->vec[i] != TILE_NO_SLOT)
        load_elem(warp, insn, memory, i, insn->vec[i], l);
  return 0;
}

//===-- st ----------------------------------------------------------------===//

/// Will the bytes in memory be others? Who writes what is there already
/// conflicts with nobody: flags that many threads set.
static bool store_changes(TileWarp *warp, const TileInsn *insn,
                          const uint8_t *memory, uint32_t size_bytes,
                          uint32_t l) {
  uint8_t bytes[128];
  if (size_bytes > sizeof bytes)
    return true;
  for (uint32_t i = 0; i < insn->num_vec; i++)
    store_elem(warp, insn, bytes, i, insn->vec[i], l);
  return memcmp(bytes, memory, size_bytes) != 0;
}

static TileLanes st(TileWarp *warp, const TileInsn *insn, TileLanes lanes) {
  TileCluster *cluster = warp->cluster;
  uint32_t size_bytes = insn->as.memory.elem_bytes * insn->num_vec;
  bool is_wide = insn->as.memory.wide_address;
  bool detect_races = cluster->detect_races;
  bool is_private = is_private_space(insn);
  cluster->progress += !is_private;
  if (!is_private)
    tile_loads_end_by_use(warp, lanes);
  TILE_FOR_LANES (l, lanes) {
    uint64_t address = tile_address_of(warp, insn, is_wide, l);
    TileCta *cta;
    uint8_t *memory =
        tile_emu_data_pointer(warp, insn, l, address, size_bytes, &cta);
    if (TILE_UNLIKELY(!memory))
      continue;
    if (cta) {
      cta->smem_version++;
      if (detect_races) {
        TileShadowAccess access = tile_emu_access_thread(warp, insn, l);
        uint32_t offset = (uint32_t)(memory - cta->smem);
        access.is_idle = !store_changes(warp, insn, memory, size_bytes, l);
        if (insn->as.memory.is_strong && !insn->as.memory.is_volatile)
          tile_emu_shadow_atomic(cta, offset, size_bytes, &access, true);
        else
          tile_emu_shadow_write(cta, offset, size_bytes, &access);
      }
    } else if (detect_races && !is_private && !insn->as.memory.is_strong) {
      bool is_change = store_changes(warp, insn, memory, size_bytes, l);
      tile_emu_global_check_now(warp, insn, l, memory, size_bytes,
                                is_change ? TILE_GLOBAL_WRITE
                                          : TILE_GLOBAL_STORE_UNCHANGED);
    }
    if (TILE_UNLIKELY(warp->num_undefined || warp->local))
      store_undefined(warp, insn, l, cta, memory);
    if (insn->as.memory.is_strong && !cta)
      tile_emu_order_meet(warp, memory, false, true);
    if (insn->as.memory.is_strong)
      tile_emu_word_meet(warp, l, memory, false, true,
                         insn->as.memory.releases);
    for (uint32_t i = 0; i < insn->num_vec; i++)
      store_elem(warp, insn, memory, i, insn->vec[i], l);
  }
  return 0;
}

//===-- Decode ------------------------------------------------------------===//

static const char modifiers[] =
    "global shared shared::cta shared::cluster local param param::entry "
    "param::func const v2 v4 v8 volatile relaxed acquire release weak mmio "
    "cta cluster gpu sys nc ca cg cs lu cv wb wt L1::evict_normal "
    "L1::evict_unchanged L1::evict_first L1::evict_last L1::no_allocate "
    "L2::cache_hint L2::64B L2::128B L2::256B L2::evict_last L2::evict_normal "
    "L2::evict_first";

/// Type of the registers of the data operand, which may be wider than the
/// memory.
static TilePtxType data_register_type(const TileOperand *operand,
                                      TilePtxType type) {
  if (operand->kind == TILE_OPERAND_VECTOR) {
    for (uint32_t i = 0; i < operand->num_subs; i++)
      if (operand->subs[i].kind == TILE_OPERAND_REGISTER)
        return data_register_type(&operand->subs[i], type);
    return type;
  }
  bool is_wider = operand->kind == TILE_OPERAND_REGISTER &&
                  tile_emu_type_register_bytes(operand->type) == 8 &&
                  tile_emu_type_bytes(type) < 8;
  return is_wider ? TILE_PTX_B64 : type;
}

static uint32_t vector_length(const TileDecoder *decoder) {
  static const char *const lengths[] = {"v2", "v4", "v8"};
  int choice = tile_decode_choice(decoder, lengths, 3);
  return choice < 0 ? 1 : 2u << choice;
}

/// Data operand number `index`; the address is the other one.
static TileDecodedAddress decode_memory(TileDecoder *decoder, uint32_t index,
                                        bool is_load) {
  TileInsn *insn = decoder->insn;
  TileDecodedAddress address = {0};
  TilePtxSpace space = tile_decode_space(decoder);
  TilePtxType type = tile_decode_type(decoder, 0);
  uint32_t elem_bytes = tile_emu_type_bytes(type);
  insn->space = (uint8_t)space;
  insn->type = (uint8_t)type;
  tile_decode_allow(decoder, modifiers);
  if (elem_bytes == 0) {
    tile_decode_fail(decoder, "no type");
    return address;
  }
  if (!tile_decode_count_hinted(decoder, 2, 2))
    return address;
  const TileOperand *data = decoder->ops[index];
  TilePtxType reg_type = data_register_type(data, type);
  TileSlotList list = {0};
  tile_decode_list_add(decoder, &list, data, reg_type, is_load);
  tile_decode_list_finish(decoder, &list);
  if (list.count != vector_length(decoder) || list.count * elem_bytes > 32)
    tile_decode_fail(decoder, "%u registers where %u are expected", list.count,
                     vector_length(decoder));
  static const char *const priorities[] = {"L2::evict_first", "L2::evict_last",
                                           "L2::evict_normal"};
  if (tile_decode_choice(decoder, priorities, 3) >= 0 &&
      list.count * elem_bytes != 32)
    tile_decode_fail(decoder, ".L2::evict_* takes 32 bytes; smaller accesses "
                              "have .L2::cache_hint");
  static const char *const strong[] = {"volatile", "relaxed", "acquire",
                                       "release", "mmio"};
  insn->as.memory.is_strong = tile_decode_choice(decoder, strong, 5) >= 0;
  insn->as.memory.is_volatile = tile_decode_has(decoder, "volatile");
  insn->as.memory.releases = tile_decode_has(decoder, "release");
  insn->as.memory.elem_bytes = (uint8_t)elem_bytes;
  insn->as.memory.reg_bytes = (uint8_t)tile_emu_type_register_bytes(reg_type);
  insn->as.memory.sign_extend = tile_emu_type_is_signed(type);
  address = tile_decode_address_a(decoder, 1 - index, space);
  insn->as.memory.wide_address = address.is_wide;
  return address;
}

void tile_emu_decode_ld(TileDecoder *decoder) {
  TileInsn *insn = decoder->insn;
  TileDecodedAddress address = decode_memory(decoder, 0, true);
  insn->exec = ld;
  if (!address.is_param)
    return;
  uint64_t size_bytes = (uint64_t)insn->as.memory.elem_bytes * insn->num_vec;
  uint64_t param_bytes = decoder->parser->kernel->param_bytes;
  if (insn->offset < 0 || (uint64_t)insn->offset > param_bytes ||
      param_bytes - (uint64_t)insn->offset < size_bytes)
    tile_decode_fail(decoder, "outside of the parameters");
  insn->exec = ld_param;
}

void tile_emu_decode_st(TileDecoder *decoder) {
  TileDecodedAddress address = decode_memory(decoder, 1, false);
  if (address.is_param)
    tile_decode_fail(decoder, "kernel parameters cannot be written");
  decoder->insn->exec = st;
}
