//===- BarrierProgram.h - Threads, mbarriers and shared tiles -------------===//
//
// What a block, or its roles, does with mbarriers that no channel has. The
// trees are those of Protocol.h: a channel is one row of mbarriers (its full
// side), a fill or a read names a window of a shared tile in place of a channel
// and in place of cells.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_ANALYSIS_BARRIER_PROGRAM_H
#define TILE_ANALYSIS_BARRIER_PROGRAM_H

#include "ProtocolTrace.h"

enum {
  BARRIER_MAX_RANK = 5,
  BARRIER_ALL_SLOTS = -1,
  BARRIER_MAX_SYNCS = 16 // named barriers (PTX ISA, barrier)
};

/// A part of a shared tile: of one of its slots, or of all.
typedef struct {
  int buffer;
  bool has_slot;
  int rank; // without the dimension of slots
  int64_t offset[BARRIER_MAX_RANK], size[BARRIER_MAX_RANK];
  bool is_exact; // else it may be less than that
} BarrierWindow;

typedef struct {
  TileProtocol protocol;
  BarrierWindow *windows;
  int num_windows, window_capacity;
  const void **buffers; // roots
  int *num_slots;       // of each
  int num_buffers, buffer_capacity;
  bool *shares; // by two buffers: whether they may have bytes in common
  int num_threads[TILE_PROTOCOL_MAX_ROLES];
  unsigned sync_agents[BARRIER_MAX_SYNCS]; // that a named barrier is for
  bool is_partial; // some things that order threads are not seen
} BarrierProgram;

/// Whether two buffers may have bytes in common.
static inline bool barrier_buffers_overlap(const BarrierProgram *program, int a,
                                           int b) {
  return a == b ||
         (program->shares && program->shares[a * program->num_buffers + b]);
}

/// Judges a program for all trip counts and schedules; what is not proved is
/// executed for small ones. Memory comes from `arena`.
void barrier_program_verify(const BarrierProgram *program,
                            const TileProtocolLimits *limits, TileArena *arena,
                            TileProtocolVerdict *out_verdict);

#endif // TILE_ANALYSIS_BARRIER_PROGRAM_H
