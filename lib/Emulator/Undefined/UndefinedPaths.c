//===- UndefinedPaths.c - Registers that are read before they are written -===//
//
// Backwards over the blocks of a kernel: which registers are read before they
// are written on some path. Those at the entry are marked in every warp when it
// begins; all others need no record. A guarded write may not happen. Functions
// are left out: their registers get values in other ways.
//
//===----------------------------------------------------------------------===//

#include "Emulator/Matrix/Wgmma.h"
#include "Undefined.h"

#include <stdlib.h>

enum { MAX_WORDS = 1 << 22 }; // of all sets; more: nothing is found out

typedef struct {
  uint32_t first, end; // instructions
  uint32_t num_successors, successors[2];
  const TileInsn *table; // brx.idx
} Block;

typedef struct {
  const TileKernel *kernel;
  Block *blocks;
  uint32_t num_blocks;
  uint32_t *block_of; // by instruction that begins one
  uint32_t *written;  // by register: 1 + the block that wrote it last
  uint32_t *number;   // by register: 1 + its number among those that count
  uint32_t *ids;      // of those
  uint32_t count, num_words;
  uint64_t *reads, *writes; // by block: before and at all; `reads` grows
} Paths;

static bool ends_block(const TileKernel *kernel, uint32_t index) {
  return index + 1 == kernel->num_insns ||
         kernel->code[index].flags & TILE_INSN_CONTROL ||
         kernel->code[index + 1].flags & TILE_INSN_LEADER;
}

static void blocks_find(Paths *paths) {
  const TileKernel *kernel = paths->kernel;
  uint32_t first = 0;
  for (uint32_t i = 0; i < kernel->num_insns; i++) {
    if (!ends_block(kernel, i))
      continue;
    paths->block_of[first] = paths->num_blocks;
    paths->blocks[paths->num_blocks++] = (Block){.first = first, .end = i + 1};
    first = i + 1;
  }
  for (uint32_t b = 0; b < paths->num_blocks; b++) {
    Block *block = &paths->blocks[b];
    const TileInsn *last = &kernel->code[block->end - 1];
    bool is_always = last->guard == TILE_NO_SLOT;
    bool leaves = last->flags & (TILE_INSN_BRANCH | TILE_INSN_EXIT);
    if ((!leaves || !is_always) && b + 1 < paths->num_blocks)
      block->successors[block->num_successors++] = b + 1;
    if (last->flags & TILE_INSN_BRANCH_TABLE)
      block->table = last;
    else if (last->flags & TILE_INSN_BRANCH)
      block->successors[block->num_successors++] =
          paths->block_of[last->target];
  }
}

/// Registers of the instruction that it may read; brx.idx has no others.
static uint32_t num_read(const TileInsn *insn) {
  return insn->num_issue_regs > insn->num_regs ? insn->num_issue_regs
                                               : insn->num_regs;
}

/// Does the instruction read the register it writes?
static bool reads_result(const TileInsn *insn) {
  return insn->exec == tile_emu_wgmma_issue &&
         (insn->c != TILE_NO_SLOT || insn->imm != 0);
}

static void count_register(Paths *paths, uint32_t block, uint32_t id) {
  if (paths->written[id] == block + 1 || paths->number[id])
    return;
  paths->ids[paths->count++] = id;
  paths->number[id] = paths->count;
}

/// Registers that some block reads before it writes them.
static void registers_find(Paths *paths) {
  for (uint32_t b = 0; b < paths->num_blocks; b++)
    for (uint32_t i = paths->blocks[b].first; i < paths->blocks[b].end; i++) {
      const TileInsn *insn = &paths->kernel->code[i];
      uint32_t first = reads_result(insn) ? 0 : insn->num_dst_regs;
      for (uint32_t k = first; k < num_read(insn); k++)
        count_register(paths, b, insn->reg_ids[k]);
      if (insn->guard != TILE_NO_SLOT)
        count_register(paths, b, insn->guard_id);
      for (uint32_t k = 0;
           insn->guard == TILE_NO_SLOT && k < insn->num_dst_regs; k++)
        paths->written[insn->reg_ids[k]] = b + 1;
    }
}

static void set_add(uint64_t *set, uint32_t number) {
  set[number / 64] |= 1ull << number % 64;
}

static bool set_has(const uint64_t *set, uint32_t number) {
  return set[number / 64] >> number % 64 & 1;
}

static void read_note(const Paths *paths, uint64_t *reads,
                      const uint64_t *writes, uint32_t id) {
  uint32_t number = paths->number[id];
  if (number && !set_has(writes, number - 1))
    set_add(reads, number - 1);
}

static void sets_fill(Paths *paths) {
  for (uint32_t b = 0; b < paths->num_blocks; b++) {
    uint64_t *reads = paths->reads + (size_t)b * paths->num_words;
    uint64_t *writes = paths->writes + (size_t)b * paths->num_words;
    for (uint32_t i = paths->blocks[b].first; i < paths->blocks[b].end; i++) {
      const TileInsn *insn = &paths->kernel->code[i];
      uint32_t first = reads_result(insn) ? 0 : insn->num_dst_regs;
      for (uint32_t k = first; k < num_read(insn); k++)
        read_note(paths, reads, writes, insn->reg_ids[k]);
      if (insn->guard != TILE_NO_SLOT)
        read_note(paths, reads, writes, insn->guard_id);
      for (uint32_t k = 0;
           insn->guard == TILE_NO_SLOT && k < insn->num_dst_regs; k++)
        if (paths->number[insn->reg_ids[k]])
          set_add(writes, paths->number[insn->reg_ids[k]] - 1);
    }
  }
}

/// Adds what `to` reads and `block` does not write; true when that is more.
static bool flow(Paths *paths, uint32_t block, uint32_t to) {
  uint64_t *reads = paths->reads + (size_t)block * paths->num_words;
  const uint64_t *writes = paths->writes + (size_t)block * paths->num_words;
  const uint64_t *later = paths->reads + (size_t)to * paths->num_words;
  bool is_more = false;
  for (uint32_t w = 0; w < paths->num_words; w++) {
    uint64_t grown = reads[w] | (later[w] & ~writes[w]);
    is_more |= grown != reads[w];
    reads[w] = grown;
  }
  return is_more;
}

static void solve(Paths *paths) {
  bool is_more = true;
  while (is_more) {
    is_more = false;
    for (uint32_t b = paths->num_blocks; b-- > 0;) {
      const Block *block = &paths->blocks[b];
      for (uint32_t i = 0; i < block->num_successors; i++)
        is_more |= flow(paths, b, block->successors[i]);
      for (uint32_t i = 0; block->table && i < block->table->num_vec; i++)
        is_more |= flow(paths, b, paths->block_of[block->table->vec[i]]);
    }
  }
}

static void result_write(const Paths *paths, TileEmuModule *module,
                         TileKernel *kernel) {
  kernel->maybe_undefined = tile_arena_alloc(
      &module->arena, (paths->count + 1) * sizeof *kernel->maybe_undefined);
  for (uint32_t i = 0; i < paths->count; i++)
    if (set_has(paths->reads, i))
      kernel->maybe_undefined[kernel->num_maybe_undefined++] = paths->ids[i];
}

void tile_emu_undefined_paths(TileEmuModule *module, TileKernel *kernel) {
  size_t num_insns = kernel->num_insns, num_registers = kernel->num_registers;
  Paths paths = {.kernel = kernel};
  if (!num_insns)
    return;
  paths.blocks = tile_emu_calloc(num_insns, sizeof *paths.blocks);
  paths.block_of = tile_emu_calloc(num_insns + 1, sizeof *paths.block_of);
  paths.written = tile_emu_calloc(num_registers + 1, sizeof *paths.written);
  paths.number = tile_emu_calloc(num_registers + 1, sizeof *paths.number);
  paths.ids = tile_emu_calloc(num_registers + 1, sizeof *paths.ids);
  blocks_find(&paths);
  registers_find(&paths);
  paths.num_words = (paths.count + 63) / 64;
  size_t num_words = (size_t)paths.num_words * paths.num_blocks;
  if (paths.count && num_words <= MAX_WORDS) {
    paths.reads = tile_emu_calloc(num_words, sizeof *paths.reads);
    paths.writes = tile_emu_calloc(num_words, sizeof *paths.writes);
    sets_fill(&paths);
    solve(&paths);
    result_write(&paths, module, kernel);
  }
  free(paths.blocks);
  free(paths.block_of);
  free(paths.written);
  free(paths.number);
  free(paths.ids);
  free(paths.reads);
  free(paths.writes);
}
