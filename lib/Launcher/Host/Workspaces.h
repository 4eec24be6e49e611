//===- Workspaces.h - Workspaces of a call --------------------------------===//
//
// A host function is run twice: the first run takes and frees workspaces in
// numbers alone and finds how many bytes are in use at a time; the second one
// gets them as one block. Both place them alike, first fit.
//
// On the emulator each workspace is memory of its own in the second run, so
// that accesses beside it, or after its end, are findings. What may be returned
// is memory of its own everywhere, and so is all when the first run had to stop
// at a number that kernels compute.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_LAUNCHER_WORKSPACES_H
#define TILE_LIB_LAUNCHER_WORKSPACES_H

#include "Launcher/LauncherInternal.h"

typedef struct {
  int alloc; // number of the op
  uint64_t address, size_bytes;
  bool is_own;     // memory of its own,
  bool is_pooled;  // which the device gave for the stream
  uint64_t memory; // which begins there, before what more alignment asks for
} Workspace;

/// Set `device` and `stream`; the rest is zero to begin with.
typedef struct {
  TileDevice *device;
  void *stream;
  bool is_plan; // the first run
  bool is_open; // it has not come to the end: the second one has no block
  uint64_t base, peak_bytes, align_bytes;
  uint64_t block; // that the device gave; `base` is a multiple of `align_bytes`
  Workspace *items; // in use, sorted by address
  size_t count, capacity;
} Workspaces;

typedef struct {
  int alloc;
  uint64_t size_bytes, align_bytes;
  bool is_returned;
  const char *name; // for findings
} WorkspaceRequest;

/// Begins a run: the first one is a plan, the second one has its memory.
TileStatus tile_workspaces_begin(Workspaces *memory, bool is_plan);
/// Frees what is in use, and the block.
void tile_workspaces_end(Workspaces *memory);

TileStatus tile_workspaces_take(Workspaces *memory,
                                const WorkspaceRequest *request,
                                uint64_t *out_address);
/// Frees what begins at `address`; false when nothing does.
bool tile_workspaces_free(Workspaces *memory, uint64_t address);
/// The workspace in use that holds `address`, which may be its end; NULL.
const Workspace *tile_workspaces_find(const Workspaces *memory,
                                      uint64_t address);
/// Frees what the ops of a range have taken and no address in `kept` lies in.
void tile_workspaces_sweep(Workspaces *memory, int first_alloc, int end_alloc,
                           const uint64_t *kept, size_t num_kept);
/// Gives the workspace that begins at `address`, which is memory of its own, to
/// the caller.
void tile_workspaces_give(Workspaces *memory, uint64_t address);

#endif // TILE_LIB_LAUNCHER_WORKSPACES_H
