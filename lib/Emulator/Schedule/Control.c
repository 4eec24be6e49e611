//===- Control.c - exit, trap, and instructions without effect ------------===//

#include "Emulator/Ptx/DeviceFunction.h"

static TileLanes nothing(TileWarp *warp, const TileInsn *insn,
                         TileLanes lanes) {
  (void)warp, (void)insn, (void)lanes;
  return 0;
}

/// ret and exit: the interpreter itself ends the lanes.
void tile_emu_decode_exit(TileDecoder *decoder) {
  if (decoder->parser->function && !strcmp(decoder->words[0], "ret")) {
    tile_emu_decode_function_return(decoder);
    return;
  }
  decoder->insn->flags |= TILE_INSN_EXIT;
  decoder->insn->exec = nothing;
}

static TileLanes trap(TileWarp *warp, const TileInsn *insn, TileLanes lanes) {
  tile_emu_find(warp, insn, lanes, TILE_FINDING_TRAP, "trap");
  warp->cluster->is_stopped = true;
  return 0;
}

void tile_emu_decode_trap(TileDecoder *decoder) { decoder->insn->exec = trap; }

/// Prefetches, cache control, griddepcontrol, nanosleep: performance only.
void tile_emu_decode_hint(TileDecoder *decoder) { decoder->is_hint = true; }

/// The policy is opaque to kernels and only a hint.
static TileLanes createpolicy(TileWarp *warp, const TileInsn *insn,
                              TileLanes lanes) {
  uint64_t *d = tile_u64(warp, insn->dst);
  TILE_VECTOR(lanes, d[l] = 0);
  return 0;
}

void tile_emu_decode_createpolicy(TileDecoder *decoder) {
  enum { FIRST_TARGET = 80 };
  if (decoder->parser->target < FIRST_TARGET)
    tile_decode_fail(decoder, "needs sm_80 or later as .target");
  decoder->insn->dst = tile_decode_dst(decoder, 0, TILE_PTX_B64);
  decoder->insn->exec = createpolicy;
}
