//===- ClusterResults.c - What clusters tell the launch, in grid order ----===//

#include "Emulator/Report/Statistics.h"
#include "Schedule.h"

#include <stdio.h>
#include <stdlib.h>

//===-- Progress ----------------------------------------------------------===//

static void add_insns(TileCluster *cluster) {
  uint64_t more = cluster->num_warp_insns - cluster->num_noted_insns;
  __atomic_fetch_add(&cluster->run->num_noted_insns, more, __ATOMIC_RELAXED);
  cluster->num_noted_insns = cluster->num_warp_insns;
}

void tile_emu_progress_step(TileCluster *cluster) {
  const TileEmuOptions *options = &cluster->emu->options;
  TileRun *run = cluster->run;
  if (!options->progress)
    return;
  add_insns(cluster);
  if (pthread_mutex_trylock(&run->progress_lock))
    return; // another host thread is telling
  TileEmuProgress progress = {
      .num_ctas_done = __atomic_load_n(&run->num_ctas_done, __ATOMIC_RELAXED),
      .num_ctas = (uint64_t)run->total_clusters * run->ctas_per_cluster,
      .num_instructions =
          __atomic_load_n(&run->num_noted_insns, __ATOMIC_RELAXED)};
  options->progress(options->progress_data, &progress);
  pthread_mutex_unlock(&run->progress_lock);
}

/// A cluster was cancelled before its launch.
static void progress_skip(TileRun *run) {
  __atomic_fetch_add(&run->num_ctas_done, run->ctas_per_cluster,
                     __ATOMIC_RELAXED);
}

/// A cluster has ended.
static void progress_end(TileCluster *cluster) {
  if (!cluster->emu->options.progress)
    return;
  add_insns(cluster);
  __atomic_fetch_add(&cluster->run->num_ctas_done, cluster->num_ctas,
                     __ATOMIC_RELAXED);
  cluster->num_noted_insns = 0; // it is used again
}

//===-- Results -----------------------------------------------------------===//

/// Of one cluster whose turn has not come yet.
typedef struct Result Result;
struct Result {
  uint32_t id;
  bool is_stopped;
  TileFindings findings;
  TileString output;
  TileEmuStats stats;
  TileStatistics statistics; // empty unless recorded
  TileString trace;
  uint64_t num_dropped_spans;
  Result *next;
};

struct TileClusterResults {
  TileRun *run;
  Result *waiting; // by ascending id
  uint32_t next_id;
  uint64_t num_insns; // of the launch, of merged clusters
  TileStatistics statistics;
  bool is_final;
  pthread_mutex_t lock;
};

TileClusterResults *tile_emu_results_create(TileRun *run) {
  TileClusterResults *results = tile_emu_calloc(1, sizeof *results);
  results->run = run;
  if (run->traits)
    tile_emu_statistics_init(&results->statistics, run->kernel->num_insns);
  pthread_mutex_init(&results->lock, NULL);
  return results;
}

static void result_destroy(Result *result) {
  tile_emu_findings_deinit(&result->findings);
  tile_string_deinit(&result->output);
  tile_string_deinit(&result->trace);
  tile_emu_statistics_deinit(&result->statistics);
  free(result);
}

/// The entry of the kernel, or a new one.
static TileKernelStatistics *entry_of(TileRun *run) {
  TileEmu *emu = run->emu;
  const TileKernel *kernel = run->kernel;
  for (uint32_t i = 0; i < emu->num_kernel_statistics; i++)
    if (!strcmp(emu->kernel_statistics[i].name, kernel->name) &&
        emu->kernel_statistics[i].statistics.num_insns == kernel->num_insns)
      return &emu->kernel_statistics[i];
  emu->kernel_statistics = tile_emu_realloc(emu->kernel_statistics,
                                            (emu->num_kernel_statistics + 1) *
                                                sizeof *emu->kernel_statistics);
  TileKernelStatistics *entry =
      &emu->kernel_statistics[emu->num_kernel_statistics++];
  *entry = (TileKernelStatistics){0};
  entry->name =
      tile_arena_strdup(&emu->names, kernel->name, strlen(kernel->name));
  entry->traits = tile_emu_traits_create(kernel);
  entry->lines = tile_emu_calloc(kernel->num_insns, sizeof *entry->lines);
  entry->opcodes = tile_emu_calloc(kernel->num_insns, sizeof *entry->opcodes);
  for (uint32_t i = 0; i < kernel->num_insns; i++) {
    const char *opcode = kernel->code[i].opcode;
    opcode = opcode ? opcode : "?";
    entry->lines[i] = kernel->code[i].line;
    entry->opcodes[i] = tile_arena_strdup(&emu->names, opcode, strlen(opcode));
  }
  tile_emu_statistics_init(&entry->statistics, kernel->num_insns);
  return entry;
}

// Adds the counts of a launch to those of its kernel.
static void statistics_keep(TileRun *run, const TileStatistics *statistics) {
  TileKernelStatistics *entry = entry_of(run);
  uint32_t num_named = entry->statistics.num_waits;
  entry->num_launches++;
  tile_emu_statistics_add(&entry->statistics, statistics);
  uint32_t num_waits = entry->statistics.num_waits;
  entry->wait_names = tile_emu_realloc(entry->wait_names,
                                       num_waits * sizeof *entry->wait_names);
  for (uint32_t i = num_named; i < num_waits; i++) {
    const TileWaitCounts *wait = &entry->statistics.waits[i];
    char name[200];
    tile_emu_wait_name(run, wait->kind, wait->object, name);
    entry->wait_names[i] =
        tile_arena_strdup(&run->emu->names, name, strlen(name));
  }
}

void tile_emu_results_destroy(TileClusterResults *results) {
  TileRun *run = results->run;
  if (run->emu->options.collect_statistics)
    statistics_keep(run, &results->statistics);
  tile_emu_statistics_deinit(&results->statistics);
  run->emu->num_traced_ctas +=
      (uint64_t)run->grid[0] * run->grid[1] * run->grid[2];
  while (results->waiting) {
    Result *result = results->waiting;
    results->waiting = result->next;
    result_destroy(result);
  }
  pthread_mutex_destroy(&results->lock);
  free(results);
}

//===-- In the order of the grid ------------------------------------------===//

/// Every cluster kept to the limit, but all together did not.
static void report_limit(TileEmu *emu) {
  char text[200];
  snprintf(text, sizeof text,
           "the clusters of the launch executed more than %llu warp "
           "instructions together",
           (unsigned long long)emu->options.max_instructions);
  TileFinding *items = tile_emu_calloc(1, sizeof *items);
  *items = (TileFinding){.kind = TILE_FINDING_INSTRUCTION_LIMIT,
                         .message = strdup(text),
                         .count = 1};
  TileFindings findings = {.items = items, .count = 1};
  tile_emu_findings_merge(&emu->findings, &findings,
                          (uint32_t)emu->options.max_findings);
}

static void merge(TileClusterResults *results, Result *result) {
  TileEmu *emu = results->run->emu;
  uint32_t max_findings = (uint32_t)emu->options.max_findings;
  emu->stats.num_warp_instructions += result->stats.num_warp_instructions;
  emu->stats.num_lane_instructions += result->stats.num_lane_instructions;
  emu->stats.num_async_ops += result->stats.num_async_ops;
  results->num_insns += result->stats.num_warp_instructions;
  if (result->output.data)
    tile_string_print(&emu->output, "%s", result->output.data);
  if (result->trace.data)
    tile_string_print(&emu->trace_events, "%s", result->trace.data);
  emu->num_dropped_spans += result->num_dropped_spans;
  if (result->statistics.insns)
    tile_emu_statistics_add(&results->statistics, &result->statistics);
  tile_emu_findings_merge(&emu->findings, &result->findings, max_findings);
  bool is_over = results->num_insns > emu->options.max_instructions;
  if (is_over && !result->is_stopped)
    report_limit(emu);
  results->is_final =
      is_over || result->is_stopped || emu->findings.count >= max_findings;
}

static void merge_ready(TileClusterResults *results) {
  while (results->waiting && results->waiting->id == results->next_id) {
    Result *result = results->waiting;
    results->waiting = result->next;
    results->next_id++;
    if (!results->is_final)
      merge(results, result);
    result_destroy(result);
  }
}

//===-- Entry -------------------------------------------------------------===//

static void take_recorded(Result *result, TileRecorder *recorder) {
  if (recorder->trace) {
    tile_emu_trace_finish(recorder);
    tile_emu_trace_print(recorder->cluster, recorder->trace, &result->trace);
    result->num_dropped_spans = recorder->trace->num_dropped;
  }
  result->statistics = recorder->statistics;
  recorder->statistics = (TileStatistics){0};
}

static void insert(TileClusterResults *results, Result *result) {
  pthread_mutex_lock(&results->lock);
  Result **at = &results->waiting;
  while (*at && (*at)->id < result->id)
    at = &(*at)->next;
  result->next = *at;
  *at = result;
  merge_ready(results);
  pthread_mutex_unlock(&results->lock);
}

void tile_emu_results_add(TileClusterResults *results, TileCluster *cluster,
                          uint32_t id) {
  Result *result = tile_emu_calloc(1, sizeof *result);
  result->id = id;
  progress_end(cluster);
  result->is_stopped = cluster->is_stopped;
  result->stats = (TileEmuStats){
      cluster->num_warp_insns, cluster->num_lane_insns, cluster->num_async_ops};
  result->findings = cluster->findings;
  result->output = cluster->output;
  cluster->findings = (TileFindings){0};
  cluster->output = (TileString){0};
  if (cluster->recorder)
    take_recorded(result, cluster->recorder);
  insert(results, result);
}

void tile_emu_results_skip(TileClusterResults *results, uint32_t id) {
  Result *result = tile_emu_calloc(1, sizeof *result);
  result->id = id;
  progress_skip(results->run);
  insert(results, result);
}

bool tile_emu_results_are_final(TileClusterResults *results) {
  pthread_mutex_lock(&results->lock);
  bool is_final = results->is_final;
  pthread_mutex_unlock(&results->lock);
  return is_final;
}
