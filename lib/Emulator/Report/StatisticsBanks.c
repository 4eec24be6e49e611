//===- StatisticsBanks.c - Bytes and bank conflicts of an instruction -----===//

#include "Emulator/Memory/Address.h"
#include "Statistics.h"

enum { NUM_BANKS = 32, BANK_BYTES = 4, WAVEFRONT_BYTES = 128 };

/// The shared addresses of the lanes of one instruction.
typedef struct {
  TileLanes lanes; // that access shared memory
  uint32_t addresses[TILE_WARP_SIZE];
  uint32_t size_bytes; // of a lane
} SharedAccess;

/// Words of the lanes [first, first + count) that go together.
typedef struct {
  uint32_t words[TILE_WARP_SIZE * 4];
  uint32_t count;
} WordSet;

static void words_add(WordSet *set, uint32_t word) {
  for (uint32_t i = 0; i < set->count; i++)
    if (set->words[i] == word)
      return;
  if (set->count < sizeof set->words / sizeof set->words[0])
    set->words[set->count++] = word;
}

/// Wavefronts of one group of lanes: the most words that one bank has to give.
static uint32_t wavefronts(const WordSet *set) {
  uint32_t in_bank[NUM_BANKS] = {0}, most = 0;
  for (uint32_t i = 0; i < set->count; i++) {
    uint32_t bank = set->words[i] % NUM_BANKS;
    in_bank[bank]++;
    most = in_bank[bank] > most ? in_bank[bank] : most;
  }
  return most;
}

static void count_conflicts(TileInsnCounts *counts,
                            const SharedAccess *access) {
  uint32_t lane_bytes =
      access->size_bytes < BANK_BYTES ? BANK_BYTES : access->size_bytes;
  uint32_t group = WAVEFRONT_BYTES / lane_bytes; // lanes that go together
  group = group ? group : 1;
  counts->num_accesses++;
  for (uint32_t first = 0; first < TILE_WARP_SIZE; first += group) {
    WordSet set = {.count = 0};
    for (uint32_t l = first; l < first + group; l++) {
      if (!tile_lane_in(access->lanes, l))
        continue;
      uint32_t begin = access->addresses[l] / BANK_BYTES;
      uint32_t end =
          (access->addresses[l] + access->size_bytes - 1) / BANK_BYTES;
      for (uint32_t word = begin; word <= end; word++)
        words_add(&set, word);
    }
    counts->num_wavefronts += wavefronts(&set);
    counts->num_ideal += (set.count + NUM_BANKS - 1) / NUM_BANKS;
  }
}

//===-- Units -------------------------------------------------------------===//

static TileByteCount byte_count(TileInsnUnit unit, bool is_shared) {
  if (unit == TILE_UNIT_ATOMIC)
    return TILE_BYTES_ATOMIC;
  if (unit == TILE_UNIT_LOAD)
    return is_shared ? TILE_BYTES_SHARED_READ : TILE_BYTES_GLOBAL_READ;
  return is_shared ? TILE_BYTES_SHARED_WRITTEN : TILE_BYTES_GLOBAL_WRITTEN;
}

static bool is_shared_space(const TileInsn *insn) {
  return insn->space == TILE_SPACE_SHARED ||
         insn->space == TILE_SPACE_SHARED_CLUSTER;
}

/// ld, st, atom, red.
static void record_data(TileRecorder *recorder, TileWarp *warp,
                        const TileInsn *insn, TileLanes lanes,
                        TileInsnUnit unit) {
  uint64_t *bytes = recorder->statistics.bytes;
  uint32_t count =
      unit == TILE_UNIT_ATOMIC || !insn->num_vec ? 1 : insn->num_vec;
  SharedAccess access = {.size_bytes = insn->as.memory.elem_bytes * count};
  if (insn->space == TILE_SPACE_PARAM || insn->space == TILE_SPACE_CONST)
    return;
  if (insn->space == TILE_SPACE_LOCAL) {
    bytes[TILE_BYTES_LOCAL] +=
        (uint64_t)access.size_bytes * tile_lane_count(lanes);
    return;
  }
  bool is_shared = is_shared_space(insn);
  TILE_FOR_LANES (l, lanes) {
    uint64_t address =
        tile_address_of(warp, insn, insn->as.memory.wide_address, l);
    bool is_here = is_shared || (insn->space == TILE_SPACE_GENERIC &&
                                 tile_address_is_shared(address));
    bytes[byte_count(unit, is_here)] += access.size_bytes;
    access.addresses[l] = (uint32_t)address;
    if (is_here)
      access.lanes |= tile_lane_bit(l);
  }
  if (access.lanes && access.size_bytes && unit != TILE_UNIT_ATOMIC)
    count_conflicts(&recorder->statistics.insns[insn - warp->kernel->code],
                    &access);
}

/// ldmatrix, stmatrix: lane r gives the address of row r.
static void record_rows(TileRecorder *recorder, TileWarp *warp,
                        const TileInsn *insn, TileLanes lanes,
                        TileInsnUnit unit) {
  enum { ROW_BYTES = 16, ROWS = 8 };
  if ((lanes & warp->live) != warp->live)
    return; // waits for the other lanes
  uint32_t num_rows = ROWS * insn->num_vec;
  SharedAccess access = {.size_bytes = ROW_BYTES};
  access.lanes =
      num_rows >= TILE_WARP_SIZE ? lanes : lanes & ((1u << num_rows) - 1);
  TILE_FOR_LANES (l, access.lanes) {
    access.addresses[l] =
        (uint32_t)tile_address_of(warp, insn, insn->as.memory.wide_address, l);
  }
  TileByteCount count = unit == TILE_UNIT_LDMATRIX ? TILE_BYTES_SHARED_READ
                                                   : TILE_BYTES_SHARED_WRITTEN;
  recorder->statistics.bytes[count] +=
      (uint64_t)ROW_BYTES * tile_lane_count(access.lanes);
  count_conflicts(&recorder->statistics.insns[insn - warp->kernel->code],
                  &access);
}

/// The write to shared memory; bytes are counted when it is issued.
static void record_cp_async(TileRecorder *recorder, TileWarp *warp,
                            const TileInsn *insn, TileLanes lanes) {
  SharedAccess access = {.lanes = lanes,
                         .size_bytes = insn->as.cp_async.size_bytes};
  TILE_FOR_LANES (l, lanes) {
    access.addresses[l] = (uint32_t)tile_address_of(
        warp, insn, insn->as.cp_async.wide_address, l);
  }
  count_conflicts(&recorder->statistics.insns[insn - warp->kernel->code],
                  &access);
}

void tile_emu_record_memory(TileRecorder *recorder, TileWarp *warp,
                            const TileInsn *insn, TileLanes lanes) {
  size_t index = (size_t)(insn - warp->kernel->code);
  TileInsnUnit unit = (TileInsnUnit)recorder->traits[index].unit;
  switch (unit) {
  case TILE_UNIT_LOAD:
  case TILE_UNIT_STORE:
  case TILE_UNIT_ATOMIC:
    record_data(recorder, warp, insn, lanes, unit);
    break;
  case TILE_UNIT_LDMATRIX:
  case TILE_UNIT_STMATRIX:
    record_rows(recorder, warp, insn, lanes, unit);
    break;
  case TILE_UNIT_CP_ASYNC:
    record_cp_async(recorder, warp, insn, lanes);
    break;
  default:
    break;
  }
}
