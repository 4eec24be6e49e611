//===- ClusterResults.c - What clusters leave behind, in grid order -------===//

#include "ClusterResults.h"
#include "Emulator/Report/Trace.h"
#include "Progress.h"

#include <stdio.h>
#include <stdlib.h>

/// Of one cluster whose turn has not come yet.
typedef struct Result Result;
struct Result {
  uint32_t id;
  bool is_stopped;
  TileFindings findings;
  TileBuffer output;
  TileEmuStats stats;
  TileStatistics statistics; // empty unless recorded
  TileBuffer trace;
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
  tile_emu_buffer_deinit(&result->output);
  tile_emu_buffer_deinit(&result->trace);
  tile_emu_statistics_deinit(&result->statistics);
  free(result);
}

void tile_emu_results_destroy(TileClusterResults *results) {
  TileRun *run = results->run;
  if (run->emu->options.collect_statistics)
    tile_emu_statistics_keep(run, &results->statistics);
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
  if (result->output.text)
    tile_emu_buffer_print(&emu->output, "%s", result->output.text);
  if (result->trace.text)
    tile_emu_buffer_print(&emu->trace_events, "%s", result->trace.text);
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
  tile_emu_progress_end(cluster);
  result->is_stopped = cluster->is_stopped;
  result->stats = (TileEmuStats){
      cluster->num_warp_insns, cluster->num_lane_insns, cluster->num_async_ops};
  result->findings = cluster->findings;
  result->output = cluster->output;
  cluster->findings = (TileFindings){0};
  cluster->output = (TileBuffer){0};
  if (cluster->recorder)
    take_recorded(result, cluster->recorder);
  insert(results, result);
}

void tile_emu_results_skip(TileClusterResults *results, uint32_t id) {
  Result *result = tile_emu_calloc(1, sizeof *result);
  result->id = id;
  tile_emu_progress_skip(results->run);
  insert(results, result);
}

bool tile_emu_results_are_final(TileClusterResults *results) {
  pthread_mutex_lock(&results->lock);
  bool is_final = results->is_final;
  pthread_mutex_unlock(&results->lock);
  return is_final;
}
