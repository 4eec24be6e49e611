//===- GridLaunch.c - Runs a kernel over a grid ---------------------------===//
//
// Host threads take cluster after cluster. What a cluster does depends on the
// seed and its number only, so the result is the same for any number of
// threads unless clusters communicate.
//
//===----------------------------------------------------------------------===//

#include "Emulator/Async/Async.h"
#include "Emulator/Race/Race.h"
#include "Emulator/Report/Findings.h"
#include "Emulator/Report/Statistics.h"
#include "Schedule.h"

#include <stdlib.h>

//===-- What the driver would refuse --------------------------------------===//

enum {
  MAX_THREADS = 1024, // of a CTA
  MAX_BLOCK_Z = 64,
  MAX_GRID_YZ = 65535
};

#define REFUSE(...)                                                            \
  return tile_status_error(TILE_STATUS_USER_ERROR, __VA_ARGS__)

static TileStatus check_block(const TileKernel *kernel,
                              const uint32_t block[3]) {
  if (block[0] == 0 || block[1] == 0 || block[2] == 0 ||
      block[0] > MAX_THREADS || block[1] > MAX_THREADS ||
      block[2] > MAX_BLOCK_Z ||
      (uint64_t)block[0] * block[1] * block[2] > MAX_THREADS)
    REFUSE("%s: block of %ux%ux%u threads", kernel->name, block[0], block[1],
           block[2]);
  uint64_t threads = (uint64_t)block[0] * block[1] * block[2];
  const uint32_t *limit = kernel->maxntid, *exact = kernel->reqntid;
  if (limit[0] && threads > (uint64_t)limit[0] * limit[1] * limit[2])
    REFUSE("%s: %llu threads in a block, .maxntid allows %llu", kernel->name,
           (unsigned long long)threads,
           (unsigned long long)limit[0] * limit[1] * limit[2]);
  if (exact[0] && memcmp(exact, block, 3 * sizeof *block) != 0)
    REFUSE("%s: block of %ux%ux%u threads, .reqntid is %ux%ux%u", kernel->name,
           block[0], block[1], block[2], exact[0], exact[1], exact[2]);
  return tile_status_ok();
}

static TileStatus check_grid(const TileRun *run) {
  const char *name = run->kernel->name;
  const uint32_t *grid = run->grid, *cluster = run->cluster;
  uint64_t ctas = (uint64_t)cluster[0] * cluster[1] * cluster[2];
  uint64_t total = (uint64_t)grid[0] * grid[1] * grid[2];
  if (grid[0] == 0 || grid[1] == 0 || grid[2] == 0 || grid[0] > INT32_MAX ||
      grid[1] > MAX_GRID_YZ || grid[2] > MAX_GRID_YZ || total > INT32_MAX)
    REFUSE("%s: grid of %ux%ux%u blocks", name, grid[0], grid[1], grid[2]);
  if (ctas == 0 || ctas > TILE_MAX_CLUSTER_CTAS)
    REFUSE("%s: cluster of %llu blocks, at most %d are possible", name,
           (unsigned long long)ctas, TILE_MAX_CLUSTER_CTAS);
  for (int axis = 0; axis < 3; axis++)
    if (grid[axis] % cluster[axis])
      REFUSE("%s: grid %ux%ux%u is not a multiple of the cluster %ux%ux%u",
             name, grid[0], grid[1], grid[2], cluster[0], cluster[1],
             cluster[2]);
  return tile_status_ok();
}

static TileStatus check_resources(const TileRun *run) {
  const char *name = run->kernel->name;
  uint64_t smem_bytes =
      (uint64_t)run->dynamic_smem_base + run->dynamic_smem_bytes;
  if (smem_bytes > TILE_SHARED_MAX_BYTES)
    REFUSE("%s: %llu bytes of shared memory, a block has %d", name,
           (unsigned long long)smem_bytes, TILE_SHARED_MAX_BYTES);
  if (run->emu->options.detect_races &&
      tile_emu_run_num_agents(run) >= TILE_AGENT_SET)
    REFUSE("%s: a cluster of %u threads is too large for race detection; "
           "switch it off",
           name, run->ctas_per_cluster * run->threads_per_cta);
  return tile_status_ok();
}

/// CTAs that may run at a time, at most.
static uint64_t num_ctas_at_a_time(const TileRun *run) {
  enum { SM_THREADS = 2048, SM_CTAS = 32 }; // of sm_90
  const TileEmuOptions *options = &run->emu->options;
  uint64_t all = (uint64_t)run->total_clusters * run->ctas_per_cluster;
  uint64_t per_sm = SM_THREADS / run->threads_per_cta;
  uint64_t count = (uint64_t)options->num_threads * run->ctas_per_cluster;
  if (run->is_co_resident)
    count = (uint64_t)options->num_sms * (per_sm < SM_CTAS ? per_sm : SM_CTAS);
  return count < all ? count : all;
}

/// Registers, local memory, and shared memory with its shadow.
static TileStatus check_memory(const TileRun *run) {
  enum { BYTES_PER_SHARED_BYTE = 12 }; // itself, chunks and bytes of TileShadow
  const TileKernel *kernel = run->kernel;
  uint64_t warp_bytes = kernel->register_file_bytes +
                        (uint64_t)kernel->local_stride_bytes * TILE_WARP_SIZE;
  uint64_t smem_bytes =
      (uint64_t)run->dynamic_smem_base + run->dynamic_smem_bytes;
  uint64_t bytes = run->warps_per_cta * warp_bytes +
                   (TILE_SHARED_FIRST + smem_bytes) * BYTES_PER_SHARED_BYTE;
  uint64_t count = num_ctas_at_a_time(run);
  uint64_t limit = run->emu->options.max_memory_bytes;
  if (bytes > limit / count)
    REFUSE("%s: %llu blocks at a time need %llu MiB for registers, local and "
           "shared memory; the limit is %llu MiB (max_memory_bytes, "
           "--max-memory)",
           kernel->name, (unsigned long long)count,
           (unsigned long long)(bytes * count >> 20),
           (unsigned long long)(limit >> 20));
  return tile_status_ok();
}

static TileStatus check_args(const TileKernel *kernel,
                             const TileEmuLaunch *launch) {
  if (launch->num_args != kernel->num_params)
    REFUSE("%s takes %u arguments, %zu are given", kernel->name,
           kernel->num_params, launch->num_args);
  for (size_t i = 0; i < launch->num_args; i++)
    if (!launch->args || !launch->args[i])
      REFUSE("%s: argument %zu is null", kernel->name, i);
  return tile_status_ok();
}

//===-- Run ---------------------------------------------------------------===//

static const TileKernel *kernel_find(const TileEmuModule *module,
                                     const char *name) {
  for (uint32_t i = 0; i < module->num_kernels; i++)
    if (!strcmp(module->kernels[i]->name, name))
      return module->kernels[i];
  return NULL;
}

/// Sizes of the launch, checked.
static TileStatus run_shape(TileRun *run, const TileEmuLaunch *launch) {
  const TileKernel *kernel = run->kernel;
  TileStatus status = check_block(kernel, launch->block);
  if (!tile_status_is_ok(&status))
    return status;
  for (int axis = 0; axis < 3; axis++) {
    uint32_t own = kernel->cluster[axis], given = launch->cluster[axis];
    run->grid[axis] = launch->grid[axis];
    run->block[axis] = launch->block[axis];
    run->cluster[axis] = given ? given : own ? own : 1;
    if (own && run->cluster[axis] != own)
      REFUSE("%s: cluster size %u, .reqnctapercluster is %u", kernel->name,
             run->cluster[axis], own);
  }
  status = check_grid(run);
  if (!tile_status_is_ok(&status))
    return status;
  for (int axis = 0; axis < 3; axis++)
    run->num_clusters[axis] = run->grid[axis] / run->cluster[axis];
  run->total_clusters =
      run->num_clusters[0] * run->num_clusters[1] * run->num_clusters[2];
  run->ctas_per_cluster = run->cluster[0] * run->cluster[1] * run->cluster[2];
  run->threads_per_cta = run->block[0] * run->block[1] * run->block[2];
  run->warps_per_cta =
      (run->threads_per_cta + TILE_WARP_SIZE - 1) / TILE_WARP_SIZE;
  if (launch->dynamic_smem_bytes > TILE_SHARED_MAX_BYTES)
    REFUSE("%s: %zu bytes of dynamic shared memory, a block has %d",
           kernel->name, launch->dynamic_smem_bytes, TILE_SHARED_MAX_BYTES);
  run->dynamic_smem_bytes = (uint32_t)launch->dynamic_smem_bytes;
  uint32_t align = kernel->dynamic_smem_align;
  run->dynamic_smem_base =
      (kernel->static_smem_bytes + align - 1) & ~(align - 1);
  status = check_resources(run);
  return tile_status_is_ok(&status) ? check_memory(run) : status;
}

static void *worker(void *user_data) {
  TileRun *run = user_data;
  TileCluster *cluster = tile_emu_cluster_create(run);
  TileSchedule *schedule = tile_emu_schedule_create();
  for (;;) {
    uint32_t id = __atomic_fetch_add(&run->next_cluster, 1, __ATOMIC_RELAXED);
    if (id >= run->total_clusters || tile_emu_results_are_final(run->results))
      break;
    tile_emu_cluster_reset(cluster, id);
    tile_emu_schedule_begin(schedule, cluster);
    while (tile_emu_schedule_turn(schedule)) {
    }
    while (tile_emu_async_force(cluster)) {
    }
    tile_emu_results_add(run->results, cluster, id);
    tile_emu_cluster_finish(cluster);
  }
  tile_emu_cluster_destroy(cluster);
  tile_emu_schedule_destroy(schedule);
  return NULL;
}

static void run_clusters(TileRun *run) {
  uint32_t num_threads = (uint32_t)run->emu->options.num_threads;
  if (num_threads > run->total_clusters)
    num_threads = run->total_clusters;
  // Who cancels which cluster, and whose number is added first, must depend on
  // the seed only.
  if (run->kernel->has_try_cancel || run->kernel->has_ordered_updates)
    num_threads = 1;
  pthread_t *threads = tile_emu_calloc(num_threads, sizeof *threads);
  uint32_t num_started = 0;
  for (uint32_t i = 1; i < num_threads; i++) // this thread works too
    if (pthread_create(&threads[num_started], NULL, worker, run) == 0)
      num_started++;
  worker(run);
  for (uint32_t i = 0; i < num_started; i++)
    pthread_join(threads[i], NULL);
  free(threads);
}

//===-- Device memory during the launch -----------------------------------===//

/// Variables of the module are memory of the device while its kernels run.
static void add_variables(TileRun *run) {
  TileEmu *emu = run->emu;
  const TileEmuModule *module = run->module;
  size_t capacity = emu->num_allocations + module->num_symbols + 1;
  emu->allocations =
      tile_emu_realloc(emu->allocations, capacity * sizeof *emu->allocations);
  for (uint32_t i = 0; i < module->num_symbols; i++) {
    const TileSymbol *symbol = &module->symbols[i];
    if ((symbol->space == TILE_SPACE_GLOBAL ||
         symbol->space == TILE_SPACE_CONST) &&
        symbol->place != TILE_NOT_PLACED)
      emu->allocations[emu->num_allocations++] =
          (TileAllocation){.memory = (uint8_t *)(uintptr_t)symbol->place,
                           .size_bytes = symbol->size_bytes,
                           .name = symbol->name};
  }
  run->workspace[0] = sizeof run->workspace;
  emu->allocations[emu->num_allocations++] =
      (TileAllocation){.memory = (uint8_t *)run->workspace,
                       .size_bytes = sizeof run->workspace,
                       .name = "grid workspace"};
}

static uint8_t *params_build(const TileKernel *kernel,
                             const TileEmuLaunch *launch) {
  uint8_t *params = tile_emu_aligned(1024, kernel->param_bytes);
  memset(params, 0, kernel->param_bytes);
  for (uint32_t i = 0; i < kernel->num_params; i++)
    memcpy(params + kernel->params[i].offset_bytes, launch->args[i],
           kernel->params[i].size_bytes);
  return params;
}

//===-- Results -----------------------------------------------------------===//

/// Makes the text of the findings of this launch. Later launches only append.
static void report_update(TileRun *run) {
  TileEmu *emu = run->emu;
  const TileFindings *findings = &emu->findings;
  emu->finding_views = tile_emu_realloc(
      emu->finding_views, findings->count * sizeof *emu->finding_views);
  for (uint32_t i = findings->first_of_launch; i < findings->count; i++) {
    TileEmuFinding *view = &emu->finding_views[i];
    tile_emu_finding_view(run, &findings->items[i], view);
    tile_string_print(&emu->report, "%s%s", emu->report.size_bytes ? "\n" : "",
                      view->text);
  }
  emu->num_finding_views = findings->count;
}

static TileStatus launch_status(const TileEmu *emu) {
  const TileFindings *findings = &emu->findings;
  if (findings->count == findings->first_of_launch)
    return findings->num_dropped ? tile_status_error(TILE_STATUS_KERNEL_FAILED,
                                                     "more than %d findings",
                                                     emu->options.max_findings)
                                 : tile_status_ok();
  return tile_status_error(TILE_STATUS_KERNEL_FAILED, "%s",
                           emu->finding_views[findings->first_of_launch].text);
}

/// What cuLaunchCooperativeKernel refuses.
static TileStatus check_room(const TileRun *run) {
  uint64_t num_ctas = (uint64_t)run->total_clusters * run->ctas_per_cluster;
  int per_sm = tile_emu_ctas_per_sm(
      run->threads_per_cta, run->dynamic_smem_base + run->dynamic_smem_bytes);
  int num_sms = run->emu->options.num_sms;
  if (num_ctas > (uint64_t)num_sms * (uint64_t)per_sm)
    REFUSE("%s: a cooperative launch of %llu blocks; %d multiprocessors have "
           "room for %d each",
           run->kernel->name, (unsigned long long)num_ctas, num_sms, per_sm);
  return tile_status_ok();
}

static void run_execute(TileRun *run, const TileEmuLaunch *launch) {
  TileEmu *emu = run->emu;
  const TileKernel *kernel = run->kernel;
  size_t num_allocations = emu->num_allocations;
  tile_emu_global_clear(emu, run->is_co_resident);
  add_variables(run);
  run->params = params_build(kernel, launch);
  run->register_template = tile_emu_aligned(64, kernel->register_file_bytes);
  tile_emu_template_build(run);
  emu->findings.first_of_launch = emu->findings.count;
  if (emu->options.collect_statistics || emu->options.trace)
    run->traits = tile_emu_traits_create(kernel);
  run->results = tile_emu_results_create(run);
  pthread_mutex_init(&run->progress_lock, NULL);
  run->map_proxy = tile_emu_map_proxy_create();
  run->global_order = tile_emu_global_order_create(run->total_clusters);
  if (run->is_co_resident)
    tile_emu_co_resident_run(run);
  else
    run_clusters(run);
  tile_emu_global_order_destroy(run->global_order);
  tile_emu_map_proxy_destroy(run->map_proxy);
  pthread_mutex_destroy(&run->progress_lock);
  tile_emu_results_destroy(run->results);
  report_update(run);
  free(run->traits);
  free(run->register_template);
  free(run->params);
  emu->num_allocations = num_allocations;
}

TileStatus tile_emu_launch(TileEmu *emu, TileEmuModule *module,
                           const char *kernel, const TileEmuLaunch *launch) {
  TileRun run = {.emu = emu, .module = module};
  run.is_co_resident = launch->co_resident || emu->options.co_resident;
  run.kernel = kernel_find(module, kernel);
  if (!run.kernel)
    REFUSE("%s has no kernel %s", module->name, kernel);
  TileStatus status = check_args(run.kernel, launch);
  if (tile_status_is_ok(&status))
    status = run_shape(&run, launch);
  if (tile_status_is_ok(&status) && launch->co_resident)
    status = check_room(&run);
  if (!tile_status_is_ok(&status))
    return status;
  run_execute(&run, launch);
  return launch_status(emu);
}
