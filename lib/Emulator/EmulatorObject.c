//===- EmulatorObject.c - The emulator object: memory, options, reports ---===//

#include "Emulator/Report/Statistics.h"

#include <stdlib.h>
#include <sys/mman.h>

enum {
  DEFAULT_PRIORITY_CHANGES = 3,
  DEFAULT_MAX_FINDINGS = 200,
  DEFAULT_NUM_SMS = 132, // H100 SXM
  MAX_NUM_SMS = 65535,
  MAX_REGISTERS = 255,
  MEMORY_ALIGN = 256,
  BLOCK_ALIGN = 4096
};
#define MAX_ALLOCATION_BYTES (1ull << 37)
#define DEFAULT_MAX_INSTRUCTIONS 4000000000ull
#define DEFAULT_MAX_MEMORY_BYTES (4ull << 30)

//===-- Life --------------------------------------------------------------===//

const char *tile_emu_schedule_name(TileEmuSchedule schedule) {
  static const char *const names[] = {
      [TILE_EMU_SCHEDULE_MIXED] = "mixed",
      [TILE_EMU_SCHEDULE_EAGER] = "eager",
      [TILE_EMU_SCHEDULE_LAZY] = "lazy",
      [TILE_EMU_SCHEDULE_RANDOM] = "random",
      [TILE_EMU_SCHEDULE_PRIORITY] = "priority",
  };
  bool is_known = (size_t)schedule < sizeof names / sizeof names[0];
  return is_known ? names[schedule] : NULL;
}

void tile_emu_options_init(TileEmuOptions *out_options) {
  *out_options =
      (TileEmuOptions){.seed = 1,
                       .schedule = TILE_EMU_SCHEDULE_MIXED,
                       .detect_races = true,
                       .num_priority_changes = DEFAULT_PRIORITY_CHANGES};
}

TileStatus tile_emu_create(const TileEmuOptions *options, TileEmu **out_emu) {
  TileEmuOptions defaults;
  tile_emu_options_init(&defaults);
  if (!options)
    options = &defaults;
  *out_emu = NULL;
  if (!tile_emu_schedule_name(options->schedule))
    return tile_status_error(TILE_STATUS_USER_ERROR,
                             "unknown emulator schedule %d",
                             (int)options->schedule);
  if (options->num_threads < 0 || options->num_threads > 1024)
    return tile_status_error(TILE_STATUS_USER_ERROR,
                             "%d host threads, not in [0, 1024]",
                             options->num_threads);
  if (options->num_priority_changes < 0 ||
      options->num_priority_changes > TILE_EMU_MAX_PRIORITY_CHANGES)
    return tile_status_error(
        TILE_STATUS_USER_ERROR, "%d priority changes, not in [0, %d]",
        options->num_priority_changes, TILE_EMU_MAX_PRIORITY_CHANGES);
  if (options->num_sms < 0 || options->num_sms > MAX_NUM_SMS)
    return tile_status_error(TILE_STATUS_USER_ERROR,
                             "%d multiprocessors, not in [0, %d]",
                             options->num_sms, MAX_NUM_SMS);
  if (options->registers_per_thread < 0 ||
      options->registers_per_thread > MAX_REGISTERS)
    return tile_status_error(TILE_STATUS_USER_ERROR,
                             "%d registers a thread, not in [0, %d]",
                             options->registers_per_thread, MAX_REGISTERS);
  TileEmu *emu = tile_emu_calloc(1, sizeof *emu);
  emu->options = *options;
  if (emu->options.num_threads == 0)
    emu->options.num_threads = 1;
  if (emu->options.num_sms == 0)
    emu->options.num_sms = DEFAULT_NUM_SMS;
  if (emu->options.max_findings <= 0)
    emu->options.max_findings = DEFAULT_MAX_FINDINGS;
  if (emu->options.max_instructions == 0)
    emu->options.max_instructions = DEFAULT_MAX_INSTRUCTIONS;
  if (emu->options.max_memory_bytes == 0)
    emu->options.max_memory_bytes = DEFAULT_MAX_MEMORY_BYTES;
  pthread_mutex_init(&emu->atomics, NULL);
  tile_string_print(&emu->report, "%s", "");
  tile_string_print(&emu->output, "%s", "");
  *out_emu = emu;
  return tile_status_ok();
}

static void allocation_release(TileAllocation *allocation) {
  if (allocation->block)
    munmap(allocation->block, allocation->block_bytes);
  free(allocation->writers);
  free(allocation->writer_insns);
  free(allocation->writer_epochs);
  free(allocation->readers);
  free(allocation->line_readers);
}

static void statistics_destroy(TileEmu *emu) {
  for (uint32_t i = 0; i < emu->num_kernel_statistics; i++) {
    TileKernelStatistics *entry = &emu->kernel_statistics[i];
    tile_emu_statistics_deinit(&entry->statistics);
    free(entry->traits);
    free(entry->lines);
    free((void *)entry->opcodes);
    free((void *)entry->wait_names);
  }
  free(emu->kernel_statistics);
}

void tile_emu_destroy(TileEmu *emu) {
  if (!emu)
    return;
  for (size_t i = 0; i < emu->num_allocations; i++)
    allocation_release(&emu->allocations[i]);
  tile_emu_findings_deinit(&emu->findings);
  free(emu->finding_views);
  free(emu->allocations);
  tile_string_deinit(&emu->report);
  tile_string_deinit(&emu->output);
  tile_string_deinit(&emu->json);
  tile_string_deinit(&emu->statistics_text);
  tile_string_deinit(&emu->trace_text);
  tile_string_deinit(&emu->trace_events);
  statistics_destroy(emu);
  tile_arena_deinit(&emu->names);
  pthread_mutex_destroy(&emu->atomics);
  free(emu);
}

//===-- Memory ------------------------------------------------------------===//

#define OUT_OF_MEMORY(name, size_bytes)                                        \
  tile_status_error(TILE_STATUS_USER_ERROR,                                    \
                    "out of memory for %zu bytes of "                          \
                    "%s",                                                      \
                    size_bytes, name)

/// Adds an allocation with what race detection keeps of it.
static TileStatus allocation_add(TileEmu *emu, TileAllocation allocation,
                                 const char *name) {
  size_t num_writers = allocation.size_bytes / 2 + 2;
  if (emu->options.detect_races) {
    allocation.writers = calloc(num_writers, sizeof *allocation.writers);
    allocation.writer_insns =
        calloc(num_writers, sizeof *allocation.writer_insns);
    if (!allocation.writers || !allocation.writer_insns)
      return OUT_OF_MEMORY(name, (size_t)allocation.size_bytes);
  }
  allocation.name = tile_arena_strdup(&emu->names, name, strlen(name));
  emu->allocations = tile_emu_realloc(
      emu->allocations, (emu->num_allocations + 1) * sizeof *emu->allocations);
  emu->allocations[emu->num_allocations++] = allocation;
  return tile_status_ok();
}

TileStatus tile_emu_alloc(TileEmu *emu, size_t size_bytes, const char *name,
                          void **out_memory) {
  *out_memory = NULL;
  if (!name)
    name = "buffer";
  if (size_bytes > MAX_ALLOCATION_BYTES)
    return OUT_OF_MEMORY(name, size_bytes);
  size_t block_bytes = size_bytes + 2 * (size_t)TILE_GUARD_ZONE_BYTES;
  block_bytes = (block_bytes + BLOCK_ALIGN) / BLOCK_ALIGN * BLOCK_ALIGN;
  // Pages are zero and cost nothing until they are used.
  uint8_t *block = mmap(NULL, block_bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (block == MAP_FAILED)
    return OUT_OF_MEMORY(name, size_bytes);
  _Static_assert(TILE_GUARD_ZONE_BYTES % MEMORY_ALIGN == 0,
                 "memory is 256-byte aligned");
  TileAllocation allocation = {.memory = block + TILE_GUARD_ZONE_BYTES,
                               .size_bytes = size_bytes,
                               .block = block,
                               .block_bytes = block_bytes};
  TileStatus status = allocation_add(emu, allocation, name);
  if (tile_status_is_ok(&status))
    *out_memory = allocation.memory;
  else
    munmap(block, block_bytes);
  return status;
}

TileStatus tile_emu_map_host(TileEmu *emu, void *memory, size_t size_bytes,
                             const char *name) {
  TileAllocation allocation = {.memory = memory, .size_bytes = size_bytes};
  return allocation_add(emu, allocation, name ? name : "host memory");
}

TileStatus tile_emu_free(TileEmu *emu, void *memory) {
  for (size_t i = 0; i < emu->num_allocations; i++) {
    TileAllocation *allocation = &emu->allocations[i];
    if (allocation->memory != memory)
      continue;
    allocation_release(allocation);
    memmove(allocation, allocation + 1,
            (--emu->num_allocations - i) * sizeof *allocation);
    return tile_status_ok();
  }
  return tile_status_error(TILE_STATUS_USER_ERROR,
                           "no memory of the device begins at 0x%llx",
                           (unsigned long long)(uintptr_t)memory);
}

//===-- Results -----------------------------------------------------------===//

const char *tile_emu_report(const TileEmu *emu) { return emu->report.data; }

size_t tile_emu_num_findings(const TileEmu *emu) {
  return emu->findings.count + emu->findings.num_dropped;
}

const TileEmuFinding *tile_emu_finding(const TileEmu *emu, size_t index) {
  return index < emu->num_finding_views ? &emu->finding_views[index] : NULL;
}

const char *tile_emu_output(const TileEmu *emu) { return emu->output.data; }

TileEmuStats tile_emu_stats(const TileEmu *emu) { return emu->stats; }
