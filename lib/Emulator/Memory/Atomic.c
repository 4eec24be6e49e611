//===- Atomic.c - atom and red --------------------------------------------===//
//
// PTX ISA, "atom", "red". Each is one step. .sem decides who is ordered after
// whom; .scope changes nothing.
//
// There are no updates of bytes, and few of 16 bits: programs update the word
// that holds them and leave its other bytes as they are, by compare-and-swap of
// words that differ in the element only, or by a red with an operand that is
// neutral elsewhere. Such an update touches what it can change: the other bytes
// may be anybody's, and may lie after the end of an allocation, which no
// hardware allocator ends within a word.
//
//===----------------------------------------------------------------------===//

#include "Address.h"
#include "Emulator/Alu/NarrowFloat.h"
#include "Emulator/Async/Async.h"
#include "Emulator/Race/Race.h"

enum { MAX_UPDATE_BYTES = 16 }; // of a vector, or of b128

//===-- Operations --------------------------------------------------------===//

static double f64_of_bits(uint64_t bits) {
  double number;
  memcpy(&number, &bits, sizeof number);
  return number;
}

static uint64_t bits_of_f64(double number) {
  uint64_t bits;
  memcpy(&bits, &number, sizeof bits);
  return bits;
}

static uint32_t add_f16(uint32_t x, uint32_t y) {
  return tile_f16_of_f32(tile_f32_of_f16(x & 0xffff) +
                         tile_f32_of_f16(y & 0xffff));
}

static uint32_t add_bf16(uint32_t x, uint32_t y) {
  return tile_bf16_of_f32(tile_f32_of_bf16(x & 0xffff) +
                          tile_f32_of_bf16(y & 0xffff));
}

static uint64_t add(TilePtxType type, uint64_t x, uint64_t y) {
  uint32_t a = (uint32_t)x, b = (uint32_t)y;
  switch (type) {
  case TILE_PTX_F32:
    return tile_bits_of_f32(tile_f32_of_bits(a) + tile_f32_of_bits(b));
  case TILE_PTX_F64:
    return bits_of_f64(f64_of_bits(x) + f64_of_bits(y));
  case TILE_PTX_F16:
    return add_f16(a, b);
  case TILE_PTX_BF16:
    return add_bf16(a, b);
  case TILE_PTX_F16X2:
    return add_f16(a, b) | add_f16(a >> 16, b >> 16) << 16;
  case TILE_PTX_BF16X2:
    return add_bf16(a, b) | add_bf16(a >> 16, b >> 16) << 16;
  default:
    return x + y;
  }
}

static bool less(TilePtxType type, uint64_t x, uint64_t y) {
  switch (type) {
  case TILE_PTX_S32:
    return (int32_t)x < (int32_t)y;
  case TILE_PTX_S64:
    return (int64_t)x < (int64_t)y;
  case TILE_PTX_F32:
    return tile_f32_of_bits((uint32_t)x) < tile_f32_of_bits((uint32_t)y);
  case TILE_PTX_F64:
    return f64_of_bits(x) < f64_of_bits(y);
  case TILE_PTX_F16:
    return tile_f32_of_f16((uint32_t)x) < tile_f32_of_f16((uint32_t)y);
  case TILE_PTX_BF16:
    return tile_f32_of_bf16((uint32_t)x) < tile_f32_of_bf16((uint32_t)y);
  default:
    return x < y;
  }
}

static uint64_t pick(TileAtomicOp op, TilePtxType type, uint64_t old,
                     uint64_t operand) {
  if (type == TILE_PTX_F16X2 || type == TILE_PTX_BF16X2) {
    TilePtxType half = type == TILE_PTX_F16X2 ? TILE_PTX_F16 : TILE_PTX_BF16;
    return pick(op, half, old & 0xffff, operand & 0xffff) |
           pick(op, half, old >> 16 & 0xffff, operand >> 16 & 0xffff) << 16;
  }
  bool old_is_less = less(type, old, operand);
  return old_is_less == (op == TILE_ATOMIC_MIN) ? old : operand;
}

uint64_t tile_emu_atomic_apply(TileAtomicOp op, TilePtxType type, uint64_t old,
                               uint64_t operand, uint64_t operand2) {
  switch (op) {
  case TILE_ATOMIC_ADD:
    return add(type, old, operand);
  case TILE_ATOMIC_MIN:
  case TILE_ATOMIC_MAX:
    return pick(op, type, old, operand);
  case TILE_ATOMIC_AND:
    return old & operand;
  case TILE_ATOMIC_OR:
    return old | operand;
  case TILE_ATOMIC_XOR:
    return old ^ operand;
  case TILE_ATOMIC_EXCH:
    return operand;
  case TILE_ATOMIC_CAS:
    return old == operand ? operand2 : old;
  case TILE_ATOMIC_INC:
    return (uint32_t)old >= (uint32_t)operand ? 0 : old + 1;
  default: // dec
    return (uint32_t)old == 0 || (uint32_t)old > (uint32_t)operand ? operand
                                                                   : old - 1;
  }
}

//===-- Execution ---------------------------------------------------------===//

static uint64_t register_value(TileWarp *warp, uint32_t slot, uint32_t lane,
                               uint32_t elem_bytes) {
  if (elem_bytes == 8)
    return tile_u64(warp, slot)[lane];
  uint32_t value = tile_u32(warp, slot)[lane];
  return elem_bytes == 2 ? value & 0xffff : value;
}

/// exch and cas of 16 bytes. Returns whether memory changed.
static bool swap_b128(TileWarp *warp, const TileInsn *insn, uint32_t lane,
                      uint8_t *memory) {
  uint64_t old[2], next[2];
  memcpy(old, memory, sizeof old);
  tile_u128_copy(next, 0, tile_u64(warp, insn->vec[0]), lane);
  if (insn->as.memory.op == TILE_ATOMIC_CAS) {
    bool is_same = !memcmp(old, next, sizeof old);
    tile_u128_copy(next, 0, is_same ? tile_u64(warp, insn->c) : old,
                   is_same ? lane : 0);
  }
  memcpy(memory, next, sizeof next);
  if (insn->dst != TILE_NO_SLOT)
    tile_u128_copy(tile_u64(warp, insn->dst), lane, old, 0);
  return memcmp(old, next, sizeof old) != 0;
}

/// Returns whether memory changed.
static bool atom_elem(TileWarp *warp, const TileInsn *insn, uint32_t lane,
                      uint32_t index, uint8_t *memory) {
  uint32_t elem_bytes = insn->as.memory.elem_bytes;
  if (elem_bytes == 16)
    return swap_b128(warp, insn, lane, memory);
  uint64_t old = 0;
  memcpy(&old, memory, elem_bytes);
  uint64_t operand = register_value(warp, insn->vec[index], lane, elem_bytes);
  uint64_t operand2 = insn->as.memory.op == TILE_ATOMIC_CAS
                          ? register_value(warp, insn->c, lane, elem_bytes)
                          : 0;
  uint64_t result =
      tile_emu_atomic_apply((TileAtomicOp)insn->as.memory.op,
                            (TilePtxType)insn->type, old, operand, operand2);
  memcpy(memory, &result, elem_bytes);
  uint32_t dst = insn->dst;
  if (insn->num_vec > 1 && dst != TILE_NO_SLOT)
    dst = insn->vec[insn->num_vec + index];
  if (dst != TILE_NO_SLOT && elem_bytes == 8)
    tile_u64(warp, dst)[lane] = old;
  else if (dst != TILE_NO_SLOT)
    tile_u32(warp, dst)[lane] = (uint32_t)old;
  return memcmp(&old, &result, elem_bytes) != 0;
}

/// Updates that read the word plainly before often are right: they compare, or
/// only ever go one way. Who says .relaxed, or what else is meant, has strong
/// loads for that.
static bool is_test(const TileInsn *insn) {
  if (insn->as.memory.is_strong)
    return false;
  switch ((TileAtomicOp)insn->as.memory.op) {
  case TILE_ATOMIC_ADD:
  case TILE_ATOMIC_INC:
  case TILE_ATOMIC_DEC:
  case TILE_ATOMIC_XOR:
    return false;
  default:
    return true;
  }
}

/// A bit for each byte that the update can change. All, where it can change
/// none but gives back a value: then it is a load of the word.
static uint32_t touched_bytes(TileWarp *warp, const TileInsn *insn,
                              uint32_t lane) {
  uint32_t elem_bytes = insn->as.memory.elem_bytes;
  uint32_t all = (uint32_t)((1ull << elem_bytes * insn->num_vec) - 1);
  TileAtomicOp op = (TileAtomicOp)insn->as.memory.op;
  bool is_cas = op == TILE_ATOMIC_CAS;
  bool is_bitwise =
      op == TILE_ATOMIC_AND || op == TILE_ATOMIC_OR || op == TILE_ATOMIC_XOR;
  bool is_red = insn->dst == TILE_NO_SLOT;
  if (insn->num_vec > 1 || elem_bytes > 8 ||
      !(is_cas || (is_bitwise && is_red)))
    return all;
  uint64_t changes = register_value(warp, insn->vec[0], lane, elem_bytes);
  if (is_cas)
    changes ^= register_value(warp, insn->c, lane, elem_bytes);
  else if (op == TILE_ATOMIC_AND)
    changes = ~changes;
  uint32_t touched = 0;
  for (uint32_t i = 0; i < elem_bytes; i++)
    touched |= (uint32_t)((changes >> 8 * i & 0xff) != 0) << i;
  return touched || is_red ? touched : all;
}

/// Calls a check for each run of touched bytes.
static void check_touched(TileWarp *warp, const TileInsn *insn, uint32_t lane,
                          const uint8_t *memory, uint32_t touched,
                          TileCta *cta) {
  for (uint32_t first = 0; touched >> first;) {
    uint32_t size_bytes = 0;
    while (touched >> first >> size_bytes & 1)
      size_bytes++;
    if (size_bytes && cta) {
      TileShadowAccess access = tile_emu_access_thread(warp, insn, lane);
      tile_emu_shadow_atomic(cta, (uint32_t)(memory - cta->smem) + first,
                             size_bytes, &access, is_test(insn));
    } else if (size_bytes) {
      tile_emu_global_check_now(warp, insn, lane, memory + first, size_bytes,
                                is_test(insn) ? TILE_GLOBAL_TEST
                                              : TILE_GLOBAL_ATOMIC);
    }
    first += size_bytes ? size_bytes : 1;
  }
}

/// Acquires, is checked and recorded, and then releases.
static void order_update(TileWarp *warp, const TileInsn *insn, uint32_t lane,
                         const uint8_t *memory, uint32_t touched,
                         TileCta *cta) {
  bool is_load = insn->dst != TILE_NO_SLOT; // red learns nothing
  tile_emu_word_meet(warp, lane, memory, is_load, false, false);
  if (!cta)
    tile_emu_order_meet(warp, memory, is_load, false);
  check_touched(warp, insn, lane, memory, touched, cta);
  if (!cta)
    tile_emu_order_meet(warp, memory, false, true);
  tile_emu_word_meet(warp, lane, memory, false, true, insn->as.memory.releases);
}

/// Whether `byte`, near `known` that exists, exists.
static bool has_byte(TileWarp *warp, const TileCta *cta, const uint8_t *known,
                     const uint8_t *byte) {
  TileCluster *cluster = warp->cluster;
  if (cta)
    return byte >= cta->smem + cta->smem_first &&
           byte < cta->smem + cta->smem_end;
  return tile_emu_allocation_find(cluster, (uintptr_t)byte, 1) ||
         !tile_emu_allocation_find(cluster, (uintptr_t)known, 1); // local
}

/// The word at `address`, of which the touched bytes, if any, have to exist; or
/// NULL after a report.
static uint8_t *word_pointer(TileWarp *warp, const TileInsn *insn,
                             uint32_t lane, uint64_t address, uint32_t touched,
                             TileCta **out_cta) {
  uint32_t elem_bytes = insn->as.memory.elem_bytes;
  uint32_t size_bytes = elem_bytes * insn->num_vec;
  uint32_t first = touched ? (uint32_t)__builtin_ctz(touched) : 0;
  uint32_t end = touched ? 32 - (uint32_t)__builtin_clz(touched) : 1;
  if (end - first == size_bytes || address % elem_bytes)
    return tile_emu_data_pointer(warp, insn, lane, address, size_bytes,
                                 out_cta);
  uint8_t *memory =
      tile_emu_data_pointer(warp, insn, lane, address + first, 1, out_cta);
  if (!memory ||
      (end - first > 1 &&
       !tile_emu_data_pointer(warp, insn, lane, address + end - 1, 1, out_cta)))
    return NULL;
  return memory - first;
}

/// Returns whether memory changed. Bytes that do not exist are 0.
static bool atom_word(TileWarp *warp, const TileInsn *insn, uint32_t lane,
                      uint8_t *memory, uint32_t touched, const TileCta *cta) {
  uint8_t word[8] = {0};
  uint32_t elem_bytes = insn->as.memory.elem_bytes;
  const uint8_t *known = memory + (touched ? __builtin_ctz(touched) : 0);
  for (uint32_t i = 0; i < elem_bytes; i++)
    if (touched >> i & 1 || has_byte(warp, cta, known, memory + i))
      word[i] = memory[i];
  bool is_changed = atom_elem(warp, insn, lane, 0, word);
  for (uint32_t i = 0; i < elem_bytes; i++)
    if (touched >> i & 1)
      memory[i] = word[i];
  return is_changed;
}

static TileLanes atom(TileWarp *warp, const TileInsn *insn, TileLanes lanes) {
  TileCluster *cluster = warp->cluster;
  uint32_t elem_bytes = insn->as.memory.elem_bytes;
  uint32_t size_bytes = elem_bytes * insn->num_vec;
  bool is_wide = insn->as.memory.wide_address;
  bool any_change = false; // an update may only poll
  tile_loads_end_by_use(warp, lanes);
  pthread_mutex_lock(&cluster->emu->atomics);
  TILE_FOR_LANES (l, lanes) {
    uint64_t address = tile_address_of(warp, insn, is_wide, l);
    uint32_t touched = touched_bytes(warp, insn, l);
    TileCta *cta;
    uint8_t *memory = word_pointer(warp, insn, l, address, touched, &cta);
    if (!memory)
      continue;
    if (cta)
      cta->smem_version++;
    if (cluster->detect_races)
      order_update(warp, insn, l, memory, touched, cta);
    if (touched >> (size_bytes - 1) == 0 || !(touched & 1)) {
      any_change |= atom_word(warp, insn, l, memory, touched, cta);
      continue;
    }
    for (uint32_t i = 0; i < insn->num_vec; i++)
      any_change |=
          atom_elem(warp, insn, l, i, memory + (size_t)i * elem_bytes);
  }
  pthread_mutex_unlock(&cluster->emu->atomics);
  if (any_change)
    tile_cluster_wake(cluster);
  return 0;
}

//===-- Decode ------------------------------------------------------------===//

static const char *const operations[] = {"add", "min",  "max", "and", "or",
                                         "xor", "exch", "cas", "inc", "dec"};

/// Sums of integers, minima and the like come out the same in any order, when
/// nobody asks what was there before.
static bool is_ordered(const TileInsn *insn) {
  int op = insn->as.memory.op;
  bool is_swap = op == TILE_ATOMIC_EXCH || op == TILE_ATOMIC_CAS ||
                 op == TILE_ATOMIC_INC || op == TILE_ATOMIC_DEC;
  bool is_float = tile_emu_type_is_float((TilePtxType)insn->type) ||
                  insn->type == TILE_PTX_F16X2 || insn->type == TILE_PTX_BF16X2;
  bool is_rounded = op == TILE_ATOMIC_ADD && is_float;
  return is_swap || is_rounded || insn->dst != TILE_NO_SLOT;
}

/// Operands from `first` on: address, value, and for cas the new value.
static void decode_update(TileDecoder *decoder, uint32_t first) {
  TileInsn *insn = decoder->insn;
  TilePtxSpace space = tile_decode_space(decoder);
  TilePtxType type = tile_decode_type(decoder, 0);
  int op = tile_decode_choice(decoder, operations, 10);
  tile_decode_allow(
      decoder, "global shared shared::cta shared::cluster add min max and or "
               "xor exch cas inc dec relaxed acquire release acq_rel cta "
               "cluster gpu sys noftz v2 v4 v8 L2::cache_hint");
  uint32_t elem_bytes = tile_emu_type_bytes(type);
  bool is_swap = op == TILE_ATOMIC_EXCH || op == TILE_ATOMIC_CAS;
  if (op < 0 || elem_bytes < 2 || (elem_bytes > 8 && !is_swap)) {
    tile_decode_unsupported(decoder, "operation or type");
    return;
  }
  bool is_cas = op == TILE_ATOMIC_CAS;
  if (!tile_decode_count_hinted(decoder, first + 2u + is_cas,
                                first + 2u + is_cas))
    return;
  insn->space = (uint8_t)space;
  insn->type = (uint8_t)type;
  insn->as.memory.op = (uint8_t)op;
  static const char *const semantics[] = {"relaxed", "acquire", "release",
                                          "acq_rel"};
  insn->as.memory.is_strong = tile_decode_choice(decoder, semantics, 4) >= 0;
  insn->as.memory.releases = tile_decode_has(decoder, "release") ||
                             tile_decode_has(decoder, "acq_rel");
  insn->as.memory.elem_bytes = (uint8_t)elem_bytes;
  TileDecodedAddress address = tile_decode_address_a(decoder, first, space);
  insn->as.memory.wide_address = address.is_wide;
  TileSlotList list = {0};
  tile_decode_list_add(decoder, &list, decoder->ops[first + 1], type, false);
  uint32_t count = list.count;
  if ((count != 1 && count != 2 && count != 4 && count != 8) ||
      count * elem_bytes > MAX_UPDATE_BYTES)
    tile_decode_fail(decoder, "%u elements of %u bytes", count, elem_bytes);
  insn->dst = TILE_NO_SLOT;
  if (first && count == 1 && decoder->ops[0]->kind != TILE_OPERAND_SINK)
    insn->dst = tile_decode_dst(decoder, 0, type);
  else if (first && count > 1) {
    tile_decode_list_add(decoder, &list, decoder->ops[0], type, true);
    insn->dst = 0; // the destinations follow the sources in the list
    if (list.count != 2 * count)
      tile_decode_fail(decoder, "result and value differ in length");
  }
  tile_decode_list_finish(decoder, &list);
  insn->num_vec = (uint16_t)count;
  if (is_cas)
    insn->c = tile_decode_src(decoder, first + 2, type);
  bool is_shared = space != TILE_SPACE_GLOBAL && space != TILE_SPACE_GENERIC;
  decoder->parser->kernel->has_ordered_updates |=
      !is_shared && is_ordered(insn);
  insn->exec = atom;
}

void tile_emu_decode_atom(TileDecoder *decoder) { decode_update(decoder, 1); }

void tile_emu_decode_red(TileDecoder *decoder) { decode_update(decoder, 0); }
