//===- RegisterPool.c - setmaxnreg ----------------------------------------===//
//
// PTX ISA, "setmaxnreg". The registers of a CTA are a pool: .dec gives the
// registers of a warp back, .inc waits until there are enough. How many a
// thread has at first is .maxnreg, or what fits when the CTA has a
// multiprocessor for itself; a kernel that says neither leaves it open, and
// then nothing is counted.
//
//===----------------------------------------------------------------------===//

#include "Decode.h"
#include "Machine.h"

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
  if (!old) // not counted
    return 0;
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

uint32_t tile_emu_registers_per_thread(const TileKernel *kernel,
                                       uint32_t threads_per_cta) {
  if (kernel->maxnreg)
    return kernel->maxnreg / GRANULE * GRANULE;
  if (!kernel->maxntid[0] && !kernel->reqntid[0])
    return 0;
  uint32_t count = SM_REGISTERS / threads_per_cta;
  return (count < MAX_COMPILED ? count : MAX_COMPILED) / GRANULE * GRANULE;
}

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
  insn->exec = setmaxnreg;
}
