//===- UndefinedMarks.c - Which registers and bytes are undefined ---------===//
//
// A mark says in which lanes a register holds a value, or bits of one, that
// nobody wrote, and where that value was read first: its origin, a register, or
// bytes of shared or local memory. Marks go through memory by the number of
// their origin.
//
//===----------------------------------------------------------------------===//

#include "Emulator/Memory/Address.h"
#include "Undefined.h"

#include <stdio.h>
#include <stdlib.h>

enum { NEVER_WRITTEN = UINT16_MAX, MAX_ORIGINS = UINT16_MAX - 1 };

typedef enum { IN_REGISTER, IN_SHARED, IN_LOCAL, IN_RACE } Place;

typedef struct TileOrigin {
  Place place;
  const TileInsn *insn; // that read it first
  uint32_t id;          // of the register
  const TileCta *cta;
  uint32_t offset; // of the first byte
  TileRace *race;  // that gave it
  bool via_memory; // of the register: through shared memory
} TileOrigin;

//===-- Origins -----------------------------------------------------------===//

/// The number of an origin; those of one instruction, and register, are one.
static uint16_t origin_number(TileCluster *cluster, const TileOrigin *wanted) {
  for (uint32_t i = 0; i < cluster->num_origins; i++) {
    const TileOrigin *origin = &cluster->origins[i];
    if (origin->insn == wanted->insn && origin->place == wanted->place &&
        origin->id == wanted->id && origin->via_memory == wanted->via_memory)
      return (uint16_t)(i + 1);
  }
  if (cluster->num_origins == MAX_ORIGINS)
    return MAX_ORIGINS;
  cluster->origins = tile_emu_realloc(
      cluster->origins, (cluster->num_origins + 1) * sizeof *cluster->origins);
  cluster->origins[cluster->num_origins++] = *wanted;
  return (uint16_t)cluster->num_origins;
}

/// The same origin, of a value that comes back from shared memory.
static uint16_t via_memory(TileCluster *cluster, uint16_t number) {
  TileOrigin origin = cluster->origins[number - 1];
  if (origin.place != IN_REGISTER || origin.via_memory)
    return number;
  origin.via_memory = true;
  return origin_number(cluster, &origin);
}

uint16_t tile_emu_mark_origin(TileWarp *warp, uint32_t id, TileLanes lanes,
                              const TileInsn *insn) {
  const TileMark *mark = tile_mark(warp, id);
  uint16_t origin = mark->origins[tile_lane_first(mark->lanes & lanes)];
  if (origin)
    return origin;
  return origin_number(
      warp->cluster,
      &(TileOrigin){.place = IN_REGISTER, .insn = insn, .id = id});
}

uint16_t tile_emu_origin_of_race(const TileRace *race) {
  TileCluster *cluster = race->warp->cluster;
  TileOrigin wanted = {.place = IN_RACE, .insn = race->insn, .id = race->kind};
  uint32_t count = cluster->num_origins;
  uint16_t number = origin_number(cluster, &wanted);
  if (cluster->num_origins > count) { // a new one
    TileRace *copy = tile_emu_malloc(sizeof *copy);
    *copy = *race;
    copy->text = strdup(race->text);
    cluster->origins[number - 1].race = copy;
  }
  return number;
}

static void origins_reset(TileCluster *cluster) {
  for (uint32_t i = 0; i < cluster->num_origins; i++)
    if (cluster->origins[i].race) {
      free((char *)cluster->origins[i].race->text);
      free(cluster->origins[i].race);
    }
  free(cluster->origins);
  cluster->origins = NULL;
  cluster->num_origins = 0;
}

static const char *register_name(const TileWarp *warp, uint32_t id) {
  const char *name = warp->kernel->register_names[id];
  return name ? name : "?";
}

/// `use` does with a value of this origin what matters.
static void report(TileWarp *warp, uint16_t number, TileLanes lanes,
                   const TileInsn *use) {
  const TileOrigin origin = warp->cluster->origins[number - 1];
  // Binary searches branch on an element after the last one, and both ways
  // lead to the same result.
  bool is_branch = use->flags & TILE_INSN_CONTROL;
  TileFindingKind kind = TILE_FINDING_UNINITIALISED;
  if (origin.place == IN_REGISTER)
    kind = is_branch && origin.via_memory
               ? TILE_FINDING_UNDEFINED_REGISTER_PEDANTIC
               : TILE_FINDING_UNDEFINED_REGISTER;
  else if (is_branch && origin.place == IN_SHARED)
    kind = TILE_FINDING_UNINITIALISED_PEDANTIC;
  if (origin.place == IN_RACE) {
    char text[1200];
    TileRace race = *origin.race;
    snprintf(text, sizeof text, "%s; the value is used at ptx:%u `%s`",
             race.text, use->line, use->opcode);
    race.text = text;
    tile_emu_race_find(&race);
    return;
  }
  if (origin.place == IN_REGISTER) {
    tile_emu_find(warp, origin.insn, lanes, kind,
                  "register %s is read, but nothing on this path has written "
                  "it; the value is used at ptx:%u `%s`",
                  register_name(warp, origin.id), use->line, use->opcode);
    return;
  }
  if (origin.place == IN_LOCAL) {
    char name[64];
    snprintf(name, sizeof name, "local memory+%u", origin.offset);
    tile_emu_find_memory(warp, "local", origin.offset, name);
    tile_emu_find(warp, origin.insn, lanes, kind,
                  "read of %s, which the thread has not written; the value is "
                  "used at ptx:%u `%s`",
                  name, use->line, use->opcode);
    return;
  }
  char name[200];
  tile_emu_shared_name(origin.cta, origin.offset, name);
  tile_emu_find_memory(warp, "shared", origin.offset, name);
  tile_emu_find(warp, origin.insn, lanes, kind,
                "read of %s (shared 0x%x), which nobody has written; the value "
                "is used at ptx:%u `%s`",
                name, origin.offset, use->line, use->opcode);
}

void tile_emu_mark_report(TileWarp *warp, uint32_t id, TileLanes lanes,
                          const TileInsn *use) {
  report(warp, tile_emu_mark_origin(warp, id, lanes, use), lanes, use);
  tile_emu_mark_clear(warp, id, lanes);
}

//===-- Marks -------------------------------------------------------------===//

uint32_t tile_emu_mark_id(const TileInsn *insn, uint32_t slot) {
  for (uint32_t i = 0; i < insn->num_regs; i++)
    if (insn->reg_slots[i] == slot)
      return insn->reg_ids[i];
  return TILE_NO_REGISTER;
}

uint64_t tile_emu_mark_bits(const TileWarp *warp, uint32_t id, uint32_t lane) {
  const TileMark *mark = tile_mark(warp, id);
  if (!tile_lane_in(mark->lanes, lane))
    return 0;
  return mark->is_partial ? mark->bits[lane] : tile_emu_mark_full(warp, id);
}

static void undefined_create(TileWarp *warp) {
  if (warp->undefined)
    return;
  warp->undefined = tile_emu_calloc(1, sizeof *warp->undefined);
  warp->undefined->marks = tile_emu_calloc(warp->kernel->num_registers + 1,
                                           sizeof *warp->undefined->marks);
}

static TileMark *mark_get(TileWarp *warp, uint32_t id) {
  undefined_create(warp);
  return tile_mark(warp, id);
}

void tile_emu_mark_set(TileWarp *warp, uint32_t id, TileLanes lanes,
                       uint16_t origin) {
  if (!lanes)
    return;
  TileMark *mark = mark_get(warp, id);
  if (!mark->lanes) {
    warp->num_undefined++;
    mark->is_partial = false;
  }
  mark->lanes |= lanes;
  TILE_FOR_LANES (k, lanes) {
    mark->origins[k] = origin;
  }
  if (mark->is_partial)
    TILE_FOR_LANES (l, lanes) {
      mark->bits[l] = tile_emu_mark_full(warp, id);
    }
}

void tile_emu_mark_set_bits(TileWarp *warp, uint32_t id, uint32_t lane,
                            uint64_t bits, uint16_t origin) {
  uint64_t full = tile_emu_mark_full(warp, id);
  if (!(bits & full))
    return;
  TileMark *mark = mark_get(warp, id);
  bits |= tile_emu_mark_bits(warp, id, lane);
  bool was_partial = mark->lanes && mark->is_partial;
  bool becomes_partial = (bits & full) != full && !was_partial;
  tile_emu_mark_set(warp, id, tile_lane_bit(lane), origin);
  if (becomes_partial) {
    if (!mark->bits)
      mark->bits = tile_emu_calloc(TILE_WARP_SIZE, sizeof *mark->bits);
    for (uint32_t l = 0; l < TILE_WARP_SIZE; l++)
      mark->bits[l] = full;
    mark->is_partial = true;
  }
  if (mark->is_partial)
    mark->bits[lane] = bits & full;
}

//===-- Shared memory -----------------------------------------------------===//

static bool is_unwritten(const TileCta *cta, uint32_t at) {
  const TileShadowChunk *chunk = &cta->shadow.chunks[at / 16];
  return chunk->is_split ? !cta->shadow.bytes[at].write : !chunk->write;
}

/// By the letter, whatever becomes of the value.
static void report_unused(TileWarp *warp, const TileInsn *insn, uint32_t lane,
                          const TileCta *cta, uint32_t offset) {
  char name[200];
  tile_emu_shared_name(cta, offset, name);
  tile_emu_find_memory(warp, "shared", offset, name);
  tile_emu_find(warp, insn, tile_lane_bit(lane), TILE_FINDING_UNUSED_PEDANTIC,
                "read of %s (shared 0x%x), which nobody has written", name,
                offset);
}

void tile_emu_undefined_load(TileWarp *warp, const TileInsn *insn,
                             TileRegisterPart part, const TileCta *cta,
                             uint32_t offset) {
  uint32_t id = tile_emu_mark_id(insn, part.slot);
  if (id == TILE_NO_REGISTER)
    return;
  for (uint32_t i = 0; i < part.size_bytes; i++) {
    uint16_t origin = cta->undefined ? cta->undefined[offset + i] : 0;
    if (origin)
      origin = via_memory(warp->cluster, origin);
    if (!origin && is_unwritten(cta, offset + i)) {
      report_unused(warp, insn, part.lane, cta, offset + i);
      origin = origin_number(
          warp->cluster, &(TileOrigin){IN_SHARED, insn, 0, cta, offset + i});
    }
    if (!origin)
      continue;
    uint32_t first = part.first_bit + 8 * i;
    tile_emu_mark_set_bits(warp, id, part.lane,
                           first < 64 ? 0xffull << first : UINT64_MAX, origin);
  }
}

/// Origin of the undefined bits of byte `index` of the part; 0: all have
/// values.
static uint16_t byte_origin(TileWarp *warp, const TileInsn *insn, uint32_t id,
                            TileRegisterPart part, uint32_t index) {
  uint64_t bits = tile_emu_mark_bits(warp, id, part.lane);
  uint32_t first = part.first_bit + 8 * index;
  bool is_undefined = first < 64 ? bits >> first & 0xff : bits == UINT64_MAX;
  return is_undefined
             ? tile_emu_mark_origin(warp, id, tile_lane_bit(part.lane), insn)
             : 0;
}

static bool is_marked(const TileWarp *warp, const TileInsn *insn,
                      TileRegisterPart part, uint32_t *out_id) {
  *out_id = tile_emu_mark_id(insn, part.slot);
  return *out_id != TILE_NO_REGISTER &&
         tile_lane_in(tile_mark(warp, *out_id)->lanes, part.lane);
}

void tile_emu_undefined_store(TileWarp *warp, const TileInsn *insn,
                              TileRegisterPart part, TileCta *cta,
                              uint32_t offset) {
  uint32_t id;
  if (!is_marked(warp, insn, part, &id))
    return;
  if (!cta->undefined)
    cta->undefined = tile_emu_calloc(cta->smem_end, sizeof *cta->undefined);
  for (uint32_t i = 0; i < part.size_bytes; i++)
    cta->undefined[offset + i] = byte_origin(warp, insn, id, part, i);
}

void tile_emu_undefined_bytes(const TileCta *cta, uint32_t offset,
                              uint32_t size_bytes, TileShadowAccess *access) {
  for (uint32_t at = offset; at < offset + size_bytes; at++) {
    if (!cta->undefined[at])
      continue;
    access->has_undefined = true;
    if (access->reports_undefined)
      report(access->warp, cta->undefined[at], tile_lane_bit(access->lane),
             access->insn);
  }
}

//===-- Local memory and global memory ------------------------------------===//

static uint16_t *local_origins(TileWarp *warp, const uint8_t *memory) {
  return warp->undefined->local_origins + (memory - warp->local);
}

void tile_emu_undefined_local_load(TileWarp *warp, const TileInsn *insn,
                                   TileRegisterPart part,
                                   const uint8_t *memory) {
  uint32_t id = tile_emu_mark_id(insn, part.slot);
  const uint16_t *origins = local_origins(warp, memory);
  if (id == TILE_NO_REGISTER)
    return;
  for (uint32_t i = 0; i < part.size_bytes; i++) {
    uint16_t origin = origins[i];
    if (!origin)
      continue;
    if (origin == NEVER_WRITTEN) {
      uint32_t offset = (uint32_t)(memory + i - warp->local) %
                        warp->kernel->local_stride_bytes;
      origin = origin_number(warp->cluster,
                             &(TileOrigin){IN_LOCAL, insn, 0, NULL, offset});
    }
    uint32_t first = part.first_bit + 8 * i;
    tile_emu_mark_set_bits(warp, id, part.lane,
                           first < 64 ? 0xffull << first : UINT64_MAX, origin);
  }
}

void tile_emu_undefined_local_store(TileWarp *warp, const TileInsn *insn,
                                    TileRegisterPart part,
                                    const uint8_t *memory) {
  uint16_t *origins = local_origins(warp, memory);
  uint32_t id;
  bool has_marks = warp->num_undefined && is_marked(warp, insn, part, &id);
  for (uint32_t i = 0; i < part.size_bytes; i++)
    origins[i] = has_marks ? byte_origin(warp, insn, id, part, i) : 0;
}

void tile_emu_undefined_data(TileWarp *warp, const TileInsn *insn,
                             TileRegisterPart part) {
  uint32_t id;
  if (!is_marked(warp, insn, part, &id))
    return;
  for (uint32_t i = 0; i < part.size_bytes; i++)
    if (byte_origin(warp, insn, id, part, i)) {
      tile_emu_mark_report(warp, id, tile_lane_bit(part.lane), insn);
      return;
    }
}

void tile_emu_undefined_extend(TileWarp *warp, const TileInsn *insn,
                               TileRegisterPart part) {
  uint32_t id;
  uint32_t end = part.first_bit + 8 * part.size_bytes;
  if (end < 64 && is_marked(warp, insn, part, &id) &&
      tile_emu_mark_bits(warp, id, part.lane) >> (end - 1) & 1)
    tile_emu_mark_set_bits(warp, id, part.lane, UINT64_MAX << end,
                           tile_mark(warp, id)->origins[part.lane]);
}

//===-- Life --------------------------------------------------------------===//

static void warp_reset(TileWarp *warp) {
  const TileKernel *kernel = warp->kernel;
  warp->num_undefined = 0;
  if (warp->undefined)
    for (uint32_t i = 0; i < kernel->num_registers; i++)
      warp->undefined->marks[i].lanes = 0;
  if (!warp->cluster->detect_races)
    return;
  for (uint32_t i = 0; i < kernel->num_maybe_undefined; i++)
    tile_emu_mark_set(warp, kernel->maybe_undefined[i], warp->live, 0);
  // Calls pass arguments in local memory by other ways than stores.
  if (!warp->local || kernel->num_functions)
    return;
  size_t count = (size_t)kernel->local_stride_bytes * TILE_WARP_SIZE;
  undefined_create(warp);
  if (!warp->undefined->local_origins)
    warp->undefined->local_origins =
        tile_emu_malloc(count * sizeof *warp->undefined->local_origins);
  for (size_t i = 0; i < count; i++)
    warp->undefined->local_origins[i] = NEVER_WRITTEN;
}

static void warp_destroy(TileWarp *warp) {
  if (!warp->undefined)
    return;
  for (uint32_t i = 0; i < warp->kernel->num_registers; i++)
    free(warp->undefined->marks[i].bits);
  free(warp->undefined->local_origins);
  free(warp->undefined->marks);
  free(warp->undefined);
}

static void visit_warps(TileCluster *cluster, bool is_end) {
  for (uint32_t r = 0; r < cluster->num_ctas; r++)
    for (uint32_t i = 0; i < cluster->ctas[r].num_warps; i++) {
      TileWarp *warp = &cluster->ctas[r].warps[i];
      if (is_end)
        warp_destroy(warp);
      else
        warp_reset(warp);
    }
}

void tile_emu_undefined_reset(TileCluster *cluster) {
  origins_reset(cluster);
  visit_warps(cluster, false);
}

void tile_emu_undefined_destroy(TileCluster *cluster) {
  origins_reset(cluster);
  visit_warps(cluster, true);
}
