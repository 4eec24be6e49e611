//===- Undefined.h - Registers that hold what nobody wrote ----------------===//
#ifndef TILE_EMULATOR_UNDEFINED_H
#define TILE_EMULATOR_UNDEFINED_H

#include "Emulator/Race/Race.h"

/// What an instruction does with undefined sources; of TileInsn.role.
typedef enum {
  TILE_ROLE_PASSES_ON, // lane by lane: arithmetic
  TILE_ROLE_BITS,      // bit by bit: moves, logic, shifts
  TILE_ROLE_HALVES,    // by halves of 16 bits
  TILE_ROLE_PACKS,     // two floats become the halves of the result
  TILE_ROLE_COLLECTS,  // between lanes; see tile_emu_undefined_collect
  TILE_ROLE_SHUFFLES,  // see tile_emu_undefined_shuffle
  TILE_ROLE_TRANSPOSES,
  TILE_ROLE_SELECTS,
  TILE_ROLE_MULTIPLIES,
  TILE_ROLE_ACCUMULATES, // wgmma
  TILE_ROLE_STORES,      // only the address is used
  TILE_ROLE_ANDS,        // predicates: a false one decides
  TILE_ROLE_ORS,         // a true one does
  TILE_ROLE_USES
} TileRole;

/// Fills kernel->maybe_undefined: registers that some path from the entry reads
/// before anything writes them.
void tile_emu_undefined_paths(TileEmuModule *module, TileKernel *kernel);

/// Prepares a read of shared memory whose uninitialised bytes are noted in
/// `access`, to be marked by tile_emu_undefined_load, instead of reported.
static inline void tile_undefined_defer(TileShadowAccess *access) {
  access->defers_uninitialised = true;
}

/// A part of a register, and bytes of memory.
typedef struct {
  uint32_t slot, lane, first_bit, size_bytes;
} TileRegisterPart;

/// The part, of a destination of `insn`, got the bytes of `cta` at `offset`.
void tile_emu_undefined_load(TileWarp *warp, const TileInsn *insn,
                             TileRegisterPart part, const TileCta *cta,
                             uint32_t offset);
/// The part, of a source of `insn`, was written to them.
void tile_emu_undefined_store(TileWarp *warp, const TileInsn *insn,
                              TileRegisterPart part, TileCta *cta,
                              uint32_t offset);
/// The same for local memory of the warp.
void tile_emu_undefined_local_load(TileWarp *warp, const TileInsn *insn,
                                   TileRegisterPart part,
                                   const uint8_t *memory);
void tile_emu_undefined_local_store(TileWarp *warp, const TileInsn *insn,
                                    TileRegisterPart part,
                                    const uint8_t *memory);
/// The part, of a source of `insn`, goes to global memory.
void tile_emu_undefined_data(TileWarp *warp, const TileInsn *insn,
                             TileRegisterPart part);
/// The part was extended with its sign.
void tile_emu_undefined_extend(TileWarp *warp, const TileInsn *insn,
                               TileRegisterPart part);
/// cta->undefined is not NULL: notes in `access` that some of the bytes hold
/// undefined values, or reports them, when they leave shared memory.
void tile_emu_undefined_bytes(const TileCta *cta, uint32_t offset,
                              uint32_t size_bytes, TileShadowAccess *access);

/// Before an instruction is executed, when warp->num_undefined is not 0.
void tile_emu_undefined_step(TileWarp *warp, const TileInsn *insn,
                             TileLanes lanes);
/// While a shuffle is executed: lane l takes the value of lane sources_of[l].
void tile_emu_undefined_shuffle(TileWarp *warp, const TileInsn *insn,
                                TileLanes lanes, const uint8_t *sources_of);
/// While vote, match or redux is executed: `lanes` get a value that `members`
/// make; `decided`: it is the same whatever the undefined ones hold.
void tile_emu_undefined_collect(TileWarp *warp, const TileInsn *insn,
                                TileLanes lanes, TileLanes members,
                                bool decided);
/// Before the guard of an instruction is looked at, and before a branch.
void tile_emu_undefined_guard(TileWarp *warp, const TileInsn *insn,
                              TileLanes lanes);

/// Before the first instruction of a cluster.
void tile_emu_undefined_reset(TileCluster *cluster);
void tile_emu_undefined_destroy(TileCluster *cluster);

//===-- Marks, for the files of this unit ---------------------------------===//

typedef struct {
  TileLanes lanes; // with undefined bits
  bool is_partial; // `bits` counts, else all bits of a lane are
  // By lane; 0: the register itself, which nobody wrote.
  uint16_t origins[TILE_WARP_SIZE];
  uint64_t *bits; // by lane; NULL: not needed yet
} TileMark;

struct TileUndefined {
  TileMark *marks;         // by register id
  uint16_t *local_origins; // by byte of local memory; 0: defined; NULL: all
};

/// Is it known which local memory is undefined?
static inline bool tile_undefined_has_local(const TileWarp *warp) {
  return warp->undefined && warp->undefined->local_origins;
}

static inline TileMark *tile_mark(const TileWarp *warp, uint32_t id) {
  return &warp->undefined->marks[id];
}
uint32_t tile_emu_mark_id(const TileInsn *insn, uint32_t slot);
/// Lanes in which the register at `slot`, one of `insn`, is undefined.
static inline TileLanes tile_emu_undefined_lanes(const TileWarp *warp,
                                                 const TileInsn *insn,
                                                 uint32_t slot) {
  uint32_t id = tile_emu_mark_id(insn, slot);
  return id == TILE_NO_REGISTER ? 0 : tile_mark(warp, id)->lanes;
}
static inline uint64_t tile_emu_mark_full(const TileWarp *warp, uint32_t id) {
  uint32_t bits = warp->kernel->register_bits[id];
  return bits >= 64 ? UINT64_MAX : (1ull << bits) - 1;
}
/// Undefined bits of a lane.
uint64_t tile_emu_mark_bits(const TileWarp *warp, uint32_t id, uint32_t lane);
void tile_emu_mark_set(TileWarp *warp, uint32_t id, TileLanes lanes,
                       uint16_t origin);
/// The bits of one lane, in addition to those it has.
void tile_emu_mark_set_bits(TileWarp *warp, uint32_t id, uint32_t lane,
                            uint64_t bits, uint16_t origin);
static inline void tile_emu_mark_clear(TileWarp *warp, uint32_t id,
                                       TileLanes lanes) {
  TileMark *mark = tile_mark(warp, id);
  if (mark->lanes && !(mark->lanes &= ~lanes))
    warp->num_undefined--;
}
/// Where the value of the first marked one of `lanes` comes from, which `insn`
/// reads.
uint16_t tile_emu_mark_origin(TileWarp *warp, uint32_t id, TileLanes lanes,
                              const TileInsn *insn);
/// Reports what `use` does with the marked register, and takes the mark off.
void tile_emu_mark_report(TileWarp *warp, uint32_t id, TileLanes lanes,
                          const TileInsn *use);

#endif // TILE_EMULATOR_UNDEFINED_H
