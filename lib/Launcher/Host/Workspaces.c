//===- Workspaces.c - Workspaces of a call --------------------------------===//

#include "Launcher/Host/Workspaces.h"

#include <stdlib.h>
#include <string.h>

enum {
  ALIGN_BYTES = 256, // of every workspace, as of what a driver gives
  JUNK_BYTE = 0xFF   // NaN in most types: reads of what nobody wrote are seen
};

/// Addresses of the first run. The block and what is memory of its own lie
/// apart.
#define PLAN_BASE (UINT64_C(1) << 52)
#define PLAN_OWN_BASE (UINT64_C(1) << 54)
#define MAX_BYTES (UINT64_C(1) << 46)

static uint64_t round_up(uint64_t number, uint64_t align) {
  return (number + align - 1) & ~(align - 1);
}

//===-- Life --------------------------------------------------------------===//

static TileStatus take(const Workspaces *memory, uint64_t size_bytes,
                       uint64_t *out_address) {
  TileDevice *device = memory->device;
  TileStatus status = tile_device_enter(device);
  if (!tile_status_is_ok(&status))
    return status;
  status = device->ops->take_workspace(device, size_bytes, memory->stream,
                                       out_address);
  tile_device_leave(device);
  return status;
}

static void give(const Workspaces *memory, uint64_t address) {
  TileDevice *device = memory->device;
  TileStatus status = tile_device_enter(device);
  if (!tile_status_is_ok(&status))
    return; // the driver frees all at the end of the process
  status = device->ops->give_workspace(device, address, memory->stream);
  tile_device_leave(device);
}

static TileStatus take_block(Workspaces *memory) {
  // The device aligns to ALIGN_BYTES alone. All lie as in the plan, whose base
  // is a multiple of everything.
  uint64_t size_bytes = memory->peak_bytes + memory->align_bytes - ALIGN_BYTES;
  TileStatus status = take(memory, size_bytes, &memory->block);
  memory->base = round_up(memory->block, memory->align_bytes);
  return status;
}

TileStatus tile_workspaces_begin(Workspaces *memory, bool is_plan) {
  memory->is_plan = is_plan;
  memory->count = 0;
  memory->base = is_plan ? PLAN_BASE : 0;
  memory->block = 0;
  if (is_plan || memory->is_open || memory->device->emu ||
      memory->peak_bytes == 0)
    return tile_status_ok();
  return take_block(memory);
}

static void free_own(const Workspaces *memory, const Workspace *item) {
  if (!item->is_own || memory->is_plan)
    return;
  if (item->is_pooled)
    give(memory, item->memory);
  else
    tile_device_free(memory->device, item->memory);
}

void tile_workspaces_end(Workspaces *memory) {
  for (size_t i = 0; i < memory->count; i++)
    free_own(memory, &memory->items[i]);
  if (memory->block)
    give(memory, memory->block);
  free(memory->items);
  memory->items = NULL;
  memory->count = 0;
}

//===-- Placing -----------------------------------------------------------===//

/// The first gap of the block, or the end of what is in use.
static uint64_t first_fit(const Workspaces *memory, uint64_t size_bytes,
                          uint64_t align_bytes) {
  uint64_t at = round_up(memory->base, align_bytes);
  for (size_t i = 0; i < memory->count; i++) {
    const Workspace *item = &memory->items[i];
    if (item->is_own || item->address + item->size_bytes <= at)
      continue;
    if (at + size_bytes <= item->address)
      break;
    at = round_up(item->address + item->size_bytes, align_bytes);
  }
  return at;
}

/// Keeps the list sorted. Errors: out of memory.
static TileStatus insert(Workspaces *memory, const Workspace *workspace) {
  if (memory->count == memory->capacity) {
    size_t capacity = memory->capacity ? 2 * memory->capacity : 16;
    Workspace *grown = realloc(memory->items, capacity * sizeof *grown);
    if (!grown)
      return tile_status_error(TILE_STATUS_USER_ERROR, "out of memory");
    memory->items = grown;
    memory->capacity = capacity;
  }
  size_t at = memory->count++;
  for (; at > 0 && memory->items[at - 1].address > workspace->address; at--)
    memory->items[at] = memory->items[at - 1];
  memory->items[at] = *workspace;
  return tile_status_ok();
}

static TileStatus take_own(Workspaces *memory, const WorkspaceRequest *request,
                           Workspace *workspace) {
  workspace->is_own = true;
  if (memory->is_plan) {
    const Workspace *last =
        memory->count ? &memory->items[memory->count - 1] : NULL;
    uint64_t end = last ? last->address + last->size_bytes : 0;
    workspace->address = round_up(end > PLAN_OWN_BASE ? end + 1 : PLAN_OWN_BASE,
                                  request->align_bytes);
    return tile_status_ok();
  }
  uint64_t size_bytes =
      workspace->size_bytes + request->align_bytes - ALIGN_BYTES;
  workspace->is_pooled = !request->is_returned && !memory->device->emu;
  TileStatus status =
      workspace->is_pooled
          ? take(memory, size_bytes, &workspace->memory)
          : tile_device_alloc(memory->device, size_bytes, request->name,
                              &workspace->memory);
  workspace->address = round_up(workspace->memory, request->align_bytes);
  if (tile_status_is_ok(&status) && memory->device->emu)
    memset((void *)(uintptr_t)workspace->memory, JUNK_BYTE, size_bytes);
  return status;
}

/// Keeps how many bytes are in use. The second run needs no more than the plan,
/// unless host code goes by addresses.
static TileStatus note_end(Workspaces *memory, const WorkspaceRequest *request,
                           uint64_t end_address) {
  uint64_t end = end_address - memory->base;
  uint64_t most = memory->is_plan ? MAX_BYTES : memory->peak_bytes;
  if (end > most)
    return tile_status_error(TILE_STATUS_USER_ERROR,
                             "%s: with it %llu bytes are in use, expected at "
                             "most %llu",
                             request->name, (unsigned long long)end,
                             (unsigned long long)most);
  if (end > memory->peak_bytes)
    memory->peak_bytes = end;
  if (request->align_bytes > memory->align_bytes)
    memory->align_bytes = request->align_bytes;
  return tile_status_ok();
}

TileStatus tile_workspaces_take(Workspaces *memory,
                                const WorkspaceRequest *request,
                                uint64_t *out_address) {
  WorkspaceRequest own = *request;
  if (own.align_bytes < ALIGN_BYTES)
    own.align_bytes = ALIGN_BYTES;
  // What has no bytes still has a place of its own, to be freed by.
  uint64_t size_bytes = own.size_bytes > 0 ? own.size_bytes : 1;
  Workspace workspace = {.alloc = own.alloc, .size_bytes = size_bytes};
  bool is_own = own.is_returned ||
                (!memory->is_plan && (memory->is_open || memory->device->emu));
  TileStatus status = tile_status_ok();
  if (is_own)
    status = take_own(memory, &own, &workspace);
  else
    workspace.address = first_fit(memory, size_bytes, own.align_bytes);
  if (tile_status_is_ok(&status)) {
    status = insert(memory, &workspace);
    if (!tile_status_is_ok(&status))
      free_own(memory, &workspace);
  }
  *out_address = workspace.address;
  return is_own || !tile_status_is_ok(&status)
             ? status
             : note_end(memory, &own, workspace.address + size_bytes);
}

//===-- Freeing -----------------------------------------------------------===//

static void remove_at(Workspaces *memory, size_t index, bool is_freed) {
  Workspace item = memory->items[index];
  memory->count--;
  memmove(&memory->items[index], &memory->items[index + 1],
          (memory->count - index) * sizeof item);
  if (is_freed)
    free_own(memory, &item);
}

static size_t index_of(const Workspaces *memory, uint64_t address) {
  size_t i = 0;
  while (i < memory->count && memory->items[i].address != address)
    i++;
  return i;
}

bool tile_workspaces_free(Workspaces *memory, uint64_t address) {
  size_t index = index_of(memory, address);
  if (index == memory->count)
    return false;
  remove_at(memory, index, true);
  return true;
}

void tile_workspaces_give(Workspaces *memory, uint64_t address) {
  size_t index = index_of(memory, address);
  if (index < memory->count)
    remove_at(memory, index, false);
}

//===-- Looking -----------------------------------------------------------===//

static bool holds(const Workspace *workspace, uint64_t address) {
  return address >= workspace->address &&
         address - workspace->address <= workspace->size_bytes;
}

const Workspace *tile_workspaces_find(const Workspaces *memory,
                                      uint64_t address) {
  // From the end: an address between two is the start of the later one.
  for (size_t i = memory->count; i-- > 0;)
    if (holds(&memory->items[i], address))
      return &memory->items[i];
  return NULL;
}

void tile_workspaces_sweep(Workspaces *memory, int first_alloc, int end_alloc,
                           const uint64_t *kept, size_t num_kept) {
  for (size_t i = memory->count; i-- > 0;) {
    const Workspace *item = &memory->items[i];
    bool is_kept = item->alloc < first_alloc || item->alloc >= end_alloc;
    for (size_t k = 0; k < num_kept && !is_kept; k++)
      is_kept = holds(item, kept[k]);
    if (!is_kept)
      remove_at(memory, i, true);
  }
}
