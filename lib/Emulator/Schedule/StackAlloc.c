//===- StackAlloc.c - alloca, stacksave, stackrestore ---------------------===//
//
// PTX ISA, "Stack Manipulation Instructions". What a function has allocated is
// free again when it returns, or when the stack is restored.
//
//===----------------------------------------------------------------------===//

#include "Emulator/Ptx/DeviceFunction.h"

enum { POISON = 0xff, DEFAULT_ALIGN = 8, MAX_ALIGN = 64 };

static uint8_t *stack_of(TileWarp *warp, uint32_t lane) {
  const TileKernel *kernel = warp->kernel;
  return warp->local + (size_t)lane * kernel->local_stride_bytes +
         kernel->stack_first;
}

static void overflow(TileWarp *warp, const TileInsn *insn, uint32_t lane,
                     uint64_t size_bytes) {
  tile_emu_find(warp, insn, tile_lane_bit(lane), TILE_FINDING_STACK,
                "alloca of %llu bytes with %u bytes in use; the emulator has "
                "%d for a thread",
                (unsigned long long)size_bytes,
                *tile_emu_stack_bytes(warp->calls, lane), TILE_STACK_BYTES);
  warp->cluster->is_stopped = true;
}

static TileLanes stack_alloc(TileWarp *warp, const TileInsn *insn,
                             TileLanes lanes) {
  uint64_t align = (uint64_t)insn->imm;
  TILE_FOR_LANES (l, lanes) {
    uint32_t *used = tile_emu_stack_bytes(warp->calls, l);
    uint64_t size_bytes = tile_u64(warp, insn->a)[l];
    uint64_t first = (*used + align - 1) & ~(align - 1);
    if (first > TILE_STACK_BYTES || size_bytes > TILE_STACK_BYTES - first) {
      overflow(warp, insn, l, size_bytes);
      continue;
    }
    uint8_t *memory = stack_of(warp, l) + first;
    memset(memory, POISON, size_bytes);
    *used = (uint32_t)(first + size_bytes);
    tile_u64(warp, insn->dst)[l] = (uintptr_t)memory;
  }
  return 0;
}

static TileLanes stack_save(TileWarp *warp, const TileInsn *insn,
                            TileLanes lanes) {
  TILE_FOR_LANES (l, lanes) {
    tile_u64(warp, insn->dst)[l] =
        (uintptr_t)stack_of(warp, l) + *tile_emu_stack_bytes(warp->calls, l);
  }
  return 0;
}

static TileLanes stack_restore(TileWarp *warp, const TileInsn *insn,
                               TileLanes lanes) {
  TILE_FOR_LANES (l, lanes) {
    uint32_t *used = tile_emu_stack_bytes(warp->calls, l);
    uint64_t wanted = tile_u64(warp, insn->a)[l] - (uintptr_t)stack_of(warp, l);
    if (wanted <= *used) {
      *used = (uint32_t)wanted;
      continue;
    }
    tile_emu_find(warp, insn, tile_lane_bit(l), TILE_FINDING_STACK,
                  "stackrestore to 0x%llx, which is not below the top of the "
                  "stack",
                  (unsigned long long)tile_u64(warp, insn->a)[l]);
  }
  return 0;
}

void tile_emu_decode_stack(TileDecoder *decoder) {
  TileInsn *insn = decoder->insn;
  bool is_alloca = !strcmp(decoder->words[0], "alloca");
  bool is_save = !strcmp(decoder->words[0], "stacksave");
  tile_decode_allow(decoder, "");
  if (tile_emu_type_bytes(tile_decode_type(decoder, 0)) != 8) {
    tile_decode_unsupported(decoder, "type");
    return;
  }
  if (!tile_decode_count(decoder, is_alloca ? 2 : 1, is_alloca ? 3 : 1))
    return;
  decoder->parser->kernel->has_stack = true;
  if (is_alloca || is_save)
    insn->dst = tile_decode_dst(decoder, 0, TILE_PTX_B64);
  if (!is_save)
    insn->a = tile_decode_src(decoder, is_alloca ? 1 : 0, TILE_PTX_B64);
  insn->imm =
      decoder->num_ops == 3 ? tile_decode_immediate(decoder, 2) : DEFAULT_ALIGN;
  if (insn->imm < 1 || (insn->imm & (insn->imm - 1)))
    tile_decode_fail(decoder, "an alignment is a power of two, not %lld",
                     (long long)insn->imm);
  if (insn->imm > MAX_ALIGN)
    tile_decode_unsupported(decoder, "an alignment above 64");
  insn->exec = is_alloca ? stack_alloc : is_save ? stack_save : stack_restore;
}
