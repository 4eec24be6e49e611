//===- DeadRead.c - Races with reads whose value nobody uses --------------===//
//
// Pipelines fetch a tile that is never multiplied, and race with whoever writes
// the buffer next. The value is luck, and nobody looks at it: such a race is
// for the pedantic, as is a read of memory that nobody wrote.
//
// A load that comes after the write marks its registers, as undefined values do
// (Undefined.h), and the race is reported when the value is used. A write that
// comes after the load asks whether the load was the last one of its thread,
// and whether any instruction has read its registers since: if so, the race is
// reported at once; if not, they are marked now. A register that was written
// again in the meantime was not used.
//
//===----------------------------------------------------------------------===//

#include "Emulator/Undefined/Undefined.h"
#include "Race.h"

#include <stdlib.h>

typedef struct {
  uint32_t load;        // that wrote it last, 0: none
  TileLanes used, held; // has been read since; is still there
} LoadedRegister;

struct TileLoads {
  LoadedRegister *registers; // by register id
  TileLoadRecord **records;  // by load; NULL: not executed
};

//===-- Which instructions ------------------------------------------------===//

static bool is_load(const TileInsn *insn) {
  bool is_shared_or_global = insn->space == TILE_SPACE_GENERIC ||
                             insn->space == TILE_SPACE_GLOBAL ||
                             insn->space == TILE_SPACE_SHARED ||
                             insn->space == TILE_SPACE_SHARED_CLUSTER;
  return insn->opcode && !(insn->flags & TILE_INSN_UNSUPPORTED) &&
         (!strncmp(insn->opcode, "ld.", 3) ||
          !strncmp(insn->opcode, "ldu.", 4) ||
          !strncmp(insn->opcode, "ldmatrix.", 9)) &&
         is_shared_or_global && insn->num_dst_regs;
}

static bool is_matrix_load(const TileInsn *insn) {
  return !strncmp(insn->opcode, "ldmatrix.", 9);
}

void tile_emu_loads_number(TileKernel *kernel) {
  bool *is_loaded = tile_emu_calloc(kernel->num_registers + 1, 1);
  for (uint32_t i = 0; i < kernel->num_insns; i++) {
    TileInsn *insn = &kernel->code[i];
    if (!is_load(insn))
      continue;
    insn->load = ++kernel->num_loads;
    for (uint32_t k = 0; k < insn->num_dst_regs; k++)
      is_loaded[insn->reg_ids[k]] = true;
  }
  for (uint32_t i = 0; i < kernel->num_insns; i++) {
    TileInsn *insn = &kernel->code[i];
    for (uint32_t k = 0; k < insn->num_regs; k++)
      insn->touches_loaded |= is_loaded[insn->reg_ids[k]];
  }
  free(is_loaded);
}

//===-- Values ------------------------------------------------------------===//

TileLoadRecord *tile_emu_load_begin(TileWarp *warp, const TileInsn *insn,
                                    TileLanes lanes) {
  const TileKernel *kernel = warp->kernel;
  if (!insn->load)
    return NULL;
  if (!warp->loads) {
    warp->loads = tile_emu_calloc(1, sizeof *warp->loads);
    warp->loads->registers = tile_emu_calloc(kernel->num_registers + 1,
                                             sizeof *warp->loads->registers);
    warp->loads->records =
        tile_emu_calloc(kernel->num_loads + 1, sizeof *warp->loads->records);
  }
  for (uint32_t i = 0; i < insn->num_dst_regs; i++) {
    LoadedRegister *reg = &warp->loads->registers[insn->reg_ids[i]];
    reg->load = insn->load;
    reg->used &= ~lanes;
    reg->held |= lanes;
  }
  TileLoadRecord **record = &warp->loads->records[insn->load];
  if (!*record)
    *record = tile_emu_calloc(1, sizeof **record);
  return *record;
}

void tile_emu_loads_touch(TileWarp *warp, const TileInsn *insn,
                          TileLanes lanes) {
  if (!warp->loads)
    return;
  for (uint32_t i = insn->num_dst_regs; i < insn->num_regs; i++)
    warp->loads->registers[insn->reg_ids[i]].used |= lanes;
  for (uint32_t i = 0; i < insn->num_dst_regs && !insn->load; i++)
    warp->loads->registers[insn->reg_ids[i]].held &= ~lanes;
}

/// What a lane loaded last with `insn`, from `memory` at `tick`: not used yet?
static bool is_unused(const TileWarp *warp, const TileInsn *insn, uint32_t lane,
                      uint32_t tick, const uint8_t *memory) {
  const TileLoadRecord *record =
      insn->load && warp->loads ? warp->loads->records[insn->load] : NULL;
  enum { ROW_BYTES = 16 };
  if (!record || record->tick[lane] != tick)
    return false;
  bool is_matrix = is_matrix_load(insn);
  uint32_t size_bytes =
      is_matrix ? ROW_BYTES
                : (uint32_t)insn->as.memory.elem_bytes * insn->num_vec;
  const uint8_t *first = record->memory[lane];
  if (memory < first || memory >= first + size_bytes)
    return false;
  TileLanes lanes = is_matrix ? TILE_ALL_LANES : tile_lane_bit(lane);
  for (uint32_t i = 0; i < insn->num_dst_regs; i++) {
    const LoadedRegister *reg = &warp->loads->registers[insn->reg_ids[i]];
    if (reg->load != insn->load || reg->used & lanes)
      return false;
  }
  return true;
}

//===-- Races -------------------------------------------------------------===//

void tile_emu_race_find(const TileRace *race) {
  TileFindingMemory *memory = &race->warp->cluster->finding_memory;
  *memory = race->memory;
  tile_emu_find_earlier(race->warp, race->earlier);
  tile_emu_find(race->warp, race->insn, race->lanes, race->kind, "%s",
                race->text);
}

/// For the pedantic; returns the origin of the value.
static uint16_t defer(const TileRace *race) {
  TileRace unused = *race;
  unused.kind = TILE_FINDING_RACE_UNUSED_PEDANTIC;
  tile_emu_race_find(&unused);
  return tile_emu_origin_of_race(race);
}

bool tile_emu_race_defer_read(const TileRace *race) {
  TileCluster *cluster = race->warp->cluster;
  if (!cluster->race_origin || tile_emu_finding_is_pedantic(race->kind))
    return false;
  *cluster->race_origin = defer(race);
  return true;
}

bool tile_emu_race_defer_write(const TileRace *race, TileEpoch epoch,
                               const uint8_t *memory) {
  TileCluster *cluster = race->warp->cluster;
  uint32_t thread = tile_epoch_agent(epoch);
  if (thread >= cluster->num_threads ||
      tile_emu_finding_is_pedantic(race->kind))
    return false;
  TileCta *cta = &cluster->ctas[thread / cluster->threads_per_cta];
  uint32_t index = thread % cluster->threads_per_cta;
  TileWarp *warp = &cta->warps[index / TILE_WARP_SIZE];
  uint32_t lane = index % TILE_WARP_SIZE;
  const TileInsn *load = race->earlier;
  if (!is_unused(warp, load, lane, tile_epoch_tick(epoch), memory))
    return false;
  uint16_t origin = defer(race);
  TileLanes lanes = is_matrix_load(load) ? warp->live : tile_lane_bit(lane);
  for (uint32_t i = 0; i < load->num_dst_regs; i++) {
    uint32_t id = load->reg_ids[i];
    tile_emu_mark_set(warp, id, lanes & warp->loads->registers[id].held,
                      origin);
  }
  return true;
}

//===-- Life --------------------------------------------------------------===//

void tile_emu_loads_reset(TileWarp *warp) {
  const TileKernel *kernel = warp->kernel;
  if (!warp->loads)
    return;
  memset(warp->loads->registers, 0,
         (kernel->num_registers + 1) * sizeof *warp->loads->registers);
  for (uint32_t i = 0; i <= kernel->num_loads; i++)
    if (warp->loads->records[i])
      *warp->loads->records[i] = (TileLoadRecord){0};
}

void tile_emu_loads_destroy(TileWarp *warp) {
  if (!warp->loads)
    return;
  for (uint32_t i = 0; i <= warp->kernel->num_loads; i++)
    free(warp->loads->records[i]);
  free(warp->loads->records);
  free(warp->loads->registers);
  free(warp->loads);
}
