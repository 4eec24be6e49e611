//===- Findings.h - What the emulator reports about a kernel --------------===//
//
// A finding is one rule broken at one instruction, or at several that come from
// one line of the source: where that is not known, at instructions that have
// the same opcode and meet accesses of the same opcode. It is recorded once
// with its first occurrence; later ones only add lanes, instructions and a
// count. Every cluster records its own; ClusterResults.c puts them together in
// the order of the grid, so that reports do not depend on host threads. Text is
// made when the launch has ended.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_EMULATOR_FINDINGS_H
#define TILE_EMULATOR_FINDINGS_H

#include "Emulator/Ptx/Ptx.h"
#include "Support/StringBuilder.h"

typedef struct TileCluster TileCluster;
typedef struct TileRun TileRun;

/// Finer than the names in brackets: every kind has its own likely cause.
typedef enum {
  TILE_FINDING_RACE,
  TILE_FINDING_RACE_OVERLAP,
  TILE_FINDING_RACE_MBARRIER_INIT,
  TILE_FINDING_RACE_WARPGROUP,
  TILE_FINDING_RACE_PEDANTIC,
  TILE_FINDING_PROXY,
  TILE_FINDING_PROXY_PEDANTIC,
  TILE_FINDING_PROXY_LOAD,
  TILE_FINDING_UNINITIALISED,
  TILE_FINDING_UNINITIALISED_PEDANTIC,
  TILE_FINDING_UNDEFINED_REGISTER,
  TILE_FINDING_UNDEFINED_REGISTER_PEDANTIC,
  TILE_FINDING_UNUSED_PEDANTIC,
  TILE_FINDING_RACE_UNUSED_PEDANTIC,
  TILE_FINDING_BOUNDS_SHARED,
  TILE_FINDING_BOUNDS_GLOBAL,
  TILE_FINDING_BOUNDS_LOCAL,
  TILE_FINDING_BOUNDS_TABLE,
  TILE_FINDING_BOUNDS_CLUSTER,
  TILE_FINDING_ALIGNMENT,
  TILE_FINDING_DEADLOCK,
  TILE_FINDING_LIVELOCK,
  TILE_FINDING_LIVELOCK_ALONE,
  TILE_FINDING_NO_PROGRESS,
  TILE_FINDING_NO_PROGRESS_ALONE,
  TILE_FINDING_NO_PROGRESS_TOGETHER,
  TILE_FINDING_DEADLOCK_QUEUE,
  TILE_FINDING_INSTRUCTION_LIMIT,
  TILE_FINDING_MBARRIER_ABSENT,
  TILE_FINDING_MBARRIER_COUNT,
  TILE_FINDING_MBARRIER_OPERAND,
  TILE_FINDING_MBARRIER_REINIT,
  TILE_FINDING_MBARRIER_OVERWRITE,
  TILE_FINDING_PHASE_MISSED,
  TILE_FINDING_PHASE_MISSED_PEDANTIC,
  TILE_FINDING_PHASE_EARLY,
  TILE_FINDING_TX_TOO_SMALL,
  TILE_FINDING_TX_PENDING,
  TILE_FINDING_BARRIER,
  TILE_FINDING_WGMMA_REGISTER,
  TILE_FINDING_WGMMA_FENCE,
  TILE_FINDING_WGMMA_FENCE_REGISTER,
  TILE_FINDING_DIVERGENCE,
  TILE_FINDING_DIVERGENCE_WGMMA,
  TILE_FINDING_NOT_UNIFORM,
  TILE_FINDING_EXIT_PEDANTIC,
  TILE_FINDING_DESCRIPTOR,
  TILE_FINDING_DESCRIPTOR_SWIZZLE,
  TILE_FINDING_SPARSE_METADATA,
  TILE_FINDING_TENSOR_MAP,
  TILE_FINDING_TENSOR_COORDINATES,
  TILE_FINDING_MAP_PROXY,
  TILE_FINDING_UNSUPPORTED,
  TILE_FINDING_TRAP,
  TILE_FINDING_LEAK_WRITE,
  TILE_FINDING_LEAK_READ_PEDANTIC,
  TILE_FINDING_GLOBAL_CONFLICT,
  TILE_FINDING_GLOBAL_RACE,
  TILE_FINDING_RACE_TEST_PEDANTIC,
  TILE_FINDING_STACK,
  TILE_FINDING_CALL,
  TILE_FINDING_CLUSTER_EXIT,
  TILE_FINDING_CLUSTER_CANCEL,
  TILE_FINDING_REGISTER_COUNT,
  TILE_FINDING_REGISTERS_PEDANTIC,
  TILE_FINDING_NUM_KINDS
} TileFindingKind;

/// A set of kinds.
enum { TILE_FINDING_WORD_BITS = 32 };
typedef struct {
  uint32_t words[(TILE_FINDING_NUM_KINDS + TILE_FINDING_WORD_BITS - 1) /
                 TILE_FINDING_WORD_BITS];
} TileFindingSet;

static inline bool tile_finding_set_has(const TileFindingSet *set,
                                        TileFindingKind kind) {
  return set->words[kind / TILE_FINDING_WORD_BITS] >>
             kind % TILE_FINDING_WORD_BITS &
         1;
}
static inline void tile_finding_set_add(TileFindingSet *set,
                                        TileFindingKind kind) {
  set->words[kind / TILE_FINDING_WORD_BITS] |= (uint32_t)1
                                               << kind % TILE_FINDING_WORD_BITS;
}

/// The memory a finding is about.
typedef struct {
  const char *space; // "shared", "global", …; NULL: none
  uint64_t offset;   // shared memory only
  char name[200];    // "tile+16"
} TileFindingMemory;

typedef struct {
  TileFindingKind kind;
  char *message; // first occurrence, with history
  char *place;   // instruction, CTA and warp; NULL when the message has it
  const TileInsn *insn;
  const TileWarp *warp;
  uint32_t ctaid[3], warp_index;
  TileLanes lanes;
  uint64_t count;
  TileFindingMemory memory;
  const TileInsn *earlier; // access that this one meets; NULL: none
  const TileInsn **others; // instructions of the same group, in order
  uint32_t num_others;
} TileFinding;

typedef struct {
  TileFinding *items;
  uint32_t count;
  uint64_t num_dropped; // beyond the limit of the options
  uint32_t first_of_launch;
} TileFindings;

void tile_emu_findings_deinit(TileFindings *findings);

/// Adds those of a cluster, which are moved, to those of the device.
void tile_emu_findings_merge(TileFindings *findings, TileFindings *others,
                             uint32_t max_findings);

/// Reports a broken rule at `insn` (NULL: at the end of a CTA) for `lanes`.
void tile_emu_find(TileWarp *warp, const TileInsn *insn, TileLanes lanes,
                   TileFindingKind kind, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/// True when the finding would be a new one; a caller that has to do work for
/// the message asks first. Otherwise counts the occurrence.
bool tile_emu_find_is_new(TileWarp *warp, const TileInsn *insn, TileLanes lanes,
                          TileFindingKind kind);

/// Says which memory the next finding of the warp's cluster is about; forgotten
/// by the next tile_emu_find, new or not.
void tile_emu_find_memory(TileWarp *warp, const char *space, uint64_t offset,
                          const char *name);

/// Says which earlier access the next finding is about; forgotten likewise.
void tile_emu_find_earlier(TileWarp *warp, const TileInsn *insn);

/// Reports something about a whole cluster, with a text that has everything.
void tile_emu_find_in_cluster(TileCluster *cluster, TileFindingKind kind,
                              const char *text);

/// "ptx:12 (gemm.cu:7) `opcode`" for reports; returns `out_text`.
const char *tile_emu_insn_where(const TileEmuModule *module,
                                const TileInsn *insn, char out_text[256]);

const char *tile_emu_finding_name(TileFindingKind kind);
const char *tile_emu_finding_cause(TileFindingKind kind);
bool tile_emu_finding_is_pedantic(TileFindingKind kind);

//===-- Findings as data --------------------------------------------------===//

/// Fills what tile_emu_finding returns. All texts are copied: the module may
/// be destroyed after the launch.
void tile_emu_finding_view(const TileRun *run, const TileFinding *finding,
                           TileEmuFinding *out_view);

#endif // TILE_EMULATOR_FINDINGS_H
