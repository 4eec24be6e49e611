//===- WgmmaRegisters.c - Registers of wgmma in flight --------------------===//
//
// PTX ISA, wgmma.wait_group: the registers of an operation may not be touched
// before it has been waited for. Those are its accumulators, A in registers,
// and the metadata of a sparse A, which the ISA does not mention and an H200
// reads as late (docs/Rationale/SparseProducts.md). What counts is the wait,
// not when the operation happens to run. Descriptors and scale-d are read when
// it is issued.
//
// Copies of registers may read them, because ptxas removes or serialises them.
//
//===----------------------------------------------------------------------===//

#include "Wgmma.h"

const char *tile_emu_register_name(const TileWarp *warp, uint32_t id) {
  const char *name = warp->kernel->register_names[id];
  return name ? name : "?";
}

//===-- Which are in flight -----------------------------------------------===//

static void mark(TileWarp *warp, const TileInsn *insn) {
  for (uint32_t i = 0; i < insn->num_regs; i++)
    warp->wgmma.in_flight[insn->reg_ids[i]] |=
        i < insn->num_dst_regs ? TILE_IN_FLIGHT_WRITE : TILE_IN_FLIGHT_READ;
}

static const TileInsn *kept(const TileWarp *warp, uint32_t number) {
  return warp->wgmma.kept[number % TILE_MAX_KEPT];
}

void tile_emu_wgmma_keep(TileWarp *warp, const TileInsn *insn) {
  TileWgmmaState *wgmma = &warp->wgmma;
  if (wgmma->num_issued - wgmma->num_retired == TILE_MAX_KEPT)
    tile_emu_wgmma_retire(warp, wgmma->num_retired + 1);
  wgmma->kept[wgmma->num_issued++ % TILE_MAX_KEPT] = insn;
  if (insn)
    mark(warp, insn);
}

void tile_emu_wgmma_retire(TileWarp *warp, uint32_t end) {
  TileWgmmaState *wgmma = &warp->wgmma;
  if (wgmma->num_retired >= end)
    return;
  for (; wgmma->num_retired < end; wgmma->num_retired++) {
    const TileInsn *insn = kept(warp, wgmma->num_retired);
    for (uint32_t i = 0; insn && i < insn->num_regs; i++)
      wgmma->in_flight[insn->reg_ids[i]] = 0;
  }
  for (uint32_t i = end; i < wgmma->num_issued; i++)
    if (kept(warp, i))
      mark(warp, kept(warp, i));
}

//===-- Findings ----------------------------------------------------------===//

// What the youngest operation in flight that names the register does with it.
static const TileInsn *find_user(const TileWarp *warp, uint32_t id,
                                 const char **out_use) {
  const TileWgmmaState *wgmma = &warp->wgmma;
  for (uint32_t n = wgmma->num_issued; n-- > wgmma->num_retired;) {
    const TileInsn *insn = kept(warp, n);
    for (uint32_t i = 0; insn && i < insn->num_regs; i++) {
      if (insn->reg_ids[i] != id)
        continue;
      uint32_t num_d = insn->num_dst_regs, num_a = insn->as.wgmma.num_a;
      *out_use = i < num_d           ? "accumulates in it"
                 : i < num_d + num_a ? "reads A from it"
                                     : "reads its metadata from it";
      return insn;
    }
  }
  return NULL;
}

static void report(TileWarp *warp, const TileInsn *insn, TileLanes lanes,
                   uint32_t id, bool is_write) {
  const char *use = "uses it";
  const TileInsn *user = find_user(warp, id, &use);
  tile_emu_find(warp, insn, lanes, TILE_FINDING_WGMMA_REGISTER,
                "register %s is %s while a wgmma.mma_async that %s is in "
                "flight, ptx:%u",
                tile_emu_register_name(warp, id), is_write ? "written" : "read",
                use, user ? user->line : 0);
}

void tile_emu_wgmma_hazard(TileWarp *warp, const TileInsn *insn,
                           TileLanes lanes) {
  const uint8_t *in_flight = warp->wgmma.in_flight;
  bool is_wgmma = insn->flags & TILE_INSN_WGMMA;
  for (uint32_t i = 0; i < insn->num_regs; i++) {
    uint32_t id = insn->reg_ids[i];
    bool is_write = i < insn->num_dst_regs;
    bool is_written_there = in_flight[id] & TILE_IN_FLIGHT_WRITE;
    bool is_read_there = in_flight[id] & TILE_IN_FLIGHT_READ;
    if (!in_flight[id])
      continue;
    // wgmma in order may accumulate into the same registers, and registers
    // that wgmma only reads may be read by others.
    bool is_fine = is_wgmma ? (is_write ? !is_read_there : !is_written_there)
                            : !is_write && !is_written_there;
    if (is_fine)
      continue;
    if (is_write || !(insn->flags & TILE_INSN_COPY))
      report(warp, insn, lanes, id, is_write);
    tile_emu_async_drain_wgmma(warp);
    tile_emu_wgmma_retire(warp, warp->wgmma.num_issued);
    return;
  }
}

void tile_emu_wgmma_note_writes(TileWarp *warp, const TileInsn *insn) {
  TileWgmmaState *wgmma = &warp->wgmma;
  if (insn->flags & TILE_INSN_COPY) { // inherits from its source
    if (insn->num_regs)
      wgmma->written_at[insn->reg_ids[0]] =
          insn->num_regs > 1 ? wgmma->written_at[insn->reg_ids[1]] : 0;
    return;
  }
  for (uint32_t i = 0; i < insn->num_dst_regs; i++)
    wgmma->written_at[insn->reg_ids[i]] = wgmma->fence_number;
}
