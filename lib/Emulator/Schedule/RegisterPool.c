//===- RegisterPool.c - setmaxnreg ----------------------------------------===//
//
// PTX ISA, "setmaxnreg". The registers of a CTA are a pool: .dec gives the
// registers of a warp back, .inc waits until there are enough. On an H200 the
// pool is what the CTA got at launch, however many registers the multiprocessor
// has left, and warps that exit give nothing back.
//
// How many a thread has at launch is what ptxas 13.0 makes it: .maxnreg, or
// what is left with .minnctapersm CTAs on a multiprocessor, but never more than
// the largest setmaxnreg.inc asks for. Without either directive ptxas ignores
// the instruction, and nothing is counted.
//
//===----------------------------------------------------------------------===//

#include "Emulator/Machine.h"
#include "Emulator/Ptx/Decode.h"
#include "Schedule.h"

enum {
  MIN_REGISTERS = 24,
  MAX_REGISTERS = 256,
  MAX_COMPILED = 255,       // that the compiler gives a thread
  SM_REGISTERS = 64 * 1024, // CUDA C++ Programming Guide, 9.0
  GRANULE = 8
};

static TileLanes setmaxnreg(TileWarp *warp, const TileInsn *insn,
                            TileLanes lanes) {
  TileLanes blocked = tile_warp_converge(warp, lanes, warp->live);
  if (blocked)
    return blocked;
  TileCta *cta = warp->cta;
  uint32_t old = warp->num_registers, wanted = (uint32_t)insn->imm;
  if (!old) { // not counted
    tile_emu_find(warp, insn, lanes, TILE_FINDING_REGISTERS_PEDANTIC,
                  "ptxas ignores setmaxnreg here, as it does not know the "
                  "number of registers at launch");
    return 0;
  }
  bool is_inc = insn->as.alu.mode;
  if (is_inc ? wanted < old : wanted > old) {
    tile_emu_find(warp, insn, lanes, TILE_FINDING_REGISTER_COUNT,
                  "setmaxnreg.%s to %u registers, the warp has %u",
                  is_inc ? "inc" : "dec", wanted, old);
    tile_warp_go(warp, lanes);
    return 0;
  }
  if (is_inc && (wanted - old) * TILE_WARP_SIZE > cta->num_free_registers) {
    TILE_FOR_LANES (l, lanes) {
      tile_warp_wait(warp, l, TILE_WAIT_REGISTERS, wanted, 0);
    }
    return lanes;
  }
  tile_warp_go(warp, lanes);
  cta->num_free_registers += old * TILE_WARP_SIZE;
  cta->num_free_registers -= wanted * TILE_WARP_SIZE;
  warp->num_registers = wanted;
  tile_cluster_wake(warp->cluster);
  return 0;
}

//===-- At launch ---------------------------------------------------------===//

static uint32_t smaller(uint32_t x, uint32_t y) { return x < y ? x : y; }

static uint32_t compiled_registers(const TileKernel *kernel) {
  const uint32_t *size = kernel->reqntid[0] ? kernel->reqntid : kernel->maxntid;
  uint32_t count = MAX_COMPILED;
  if (size[0] && kernel->minnctapersm)
    count = smaller(count,
                    SM_REGISTERS /
                        (size[0] * size[1] * size[2] * kernel->minnctapersm) /
                        GRANULE * GRANULE);
  else if (!kernel->maxnreg)
    return 0;
  if (kernel->maxnreg)
    count = smaller(count, kernel->maxnreg);
  if (kernel->max_inc_registers)
    count = smaller(count, kernel->max_inc_registers);
  return count;
}

uint32_t tile_emu_registers_per_thread(const TileRun *run) {
  uint32_t count = (uint32_t)run->emu->options.registers_per_thread;
  if (!count)
    count = compiled_registers(run->kernel);
  return (count + GRANULE - 1) / GRANULE * GRANULE; // as they are allocated
}

//===-- At the end
//----------------------------------------------------------===//

/// The four warps of a warpgroup must execute the same setmaxnreg.
void tile_emu_registers_check_exit(TileCta *cta) {
  for (uint32_t i = 0; i < cta->num_warps; i++) {
    const TileWarp *first = &cta->warps[i & ~3u];
    if (cta->warps[i].num_registers != first->num_registers) {
      tile_emu_find(&cta->warps[i], NULL, 0, TILE_FINDING_REGISTER_COUNT,
                    "warps %u and %u of a warpgroup end with %u and %u "
                    "registers a thread: all four must execute setmaxnreg",
                    first->index, i, first->num_registers,
                    cta->warps[i].num_registers);
      return;
    }
  }
}

//===-- Decode ------------------------------------------------------------===//

void tile_emu_decode_setmaxnreg(TileDecoder *decoder) {
  TileInsn *insn = decoder->insn;
  tile_decode_allow(decoder, "inc dec sync aligned");
  int64_t count = tile_decode_immediate(decoder, 0);
  if (count < MIN_REGISTERS || count > MAX_REGISTERS || count % GRANULE)
    tile_decode_fail(decoder,
                     "%lld registers, not a multiple of %d in [%d, %d]",
                     (long long)count, GRANULE, MIN_REGISTERS, MAX_REGISTERS);
  insn->imm = count;
  insn->as.alu.mode = tile_decode_has(decoder, "inc");
  TileKernel *kernel = decoder->parser->kernel;
  if (insn->as.alu.mode && count > kernel->max_inc_registers)
    kernel->max_inc_registers = (uint32_t)count;
  insn->exec = setmaxnreg;
}
