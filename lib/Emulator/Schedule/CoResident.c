//===- CoResident.c - Runs clusters at the same time ----------------------===//
//
// The device has places for some clusters. They are taken in the order of the
// grid; when a cluster ends, the next one gets its place. All of it happens in
// one host thread and depends on the seed only.
//
// Clusters whose last turns changed nothing are visited less often. When none
// changes anything for long, the kernel spins: either all clusters are there
// and wait for something that never happens, or they wait for clusters that
// have not got a place.
//
//===----------------------------------------------------------------------===//

#include "Emulator/Race/Race.h"
#include "Schedule.h"

#include <stdlib.h>

enum {
  // CUDA C++ Programming Guide, "Compute Capabilities", 9.0.
  SM_WARPS = 64,
  SM_CTAS = 32,
  SM_REGISTERS = 64 << 10,
  SM_SHARED_BYTES = 228 << 10,
  CTA_SHARED_OVERHEAD_BYTES = 1024,
  MAX_TURNS = 16, // of a visit
  // Instructions without progress after which the kernel is thought to spin:
  // clusters get fewer turns each when there are many.
  SPIN_INSNS = 2000000,
  SPIN_INSNS_PER_CLUSTER = 300000,
  MAX_PRINTED_CLUSTERS = 4
};

typedef struct {
  TileCluster *cluster;
  TileSchedule *schedule;
  uint32_t id;
  bool is_active, is_idle; // idle: the last visit changed nothing
} Slot;

typedef struct {
  TileRun *run;
  Slot *slots;
  uint32_t num_slots, num_active;
  uint64_t random_state;
  uint64_t idle_insns;
} Simulation;

//===-- Room on the device ------------------------------------------------===//

static uint32_t smaller(uint32_t x, uint32_t y) { return x < y ? x : y; }

int tile_emu_ctas_per_sm(uint32_t threads_per_cta, size_t smem_bytes) {
  uint32_t num_warps = (threads_per_cta + TILE_WARP_SIZE - 1) / TILE_WARP_SIZE;
  if (num_warps == 0 || num_warps > TILE_MAX_CTA_WARPS ||
      smem_bytes > TILE_SHARED_MAX_BYTES)
    return 0;
  uint32_t by_smem =
      SM_SHARED_BYTES / ((uint32_t)smem_bytes + CTA_SHARED_OVERHEAD_BYTES);
  return (int)smaller(smaller(SM_CTAS, SM_WARPS / num_warps), by_smem);
}

static uint32_t ctas_per_sm(const TileRun *run) {
  int count = tile_emu_ctas_per_sm(
      run->threads_per_cta, run->dynamic_smem_base + run->dynamic_smem_bytes);
  return count ? (uint32_t)count : 1;
}

//===-- Visits ------------------------------------------------------------===//

static uint64_t next_random(Simulation *simulation) {
  uint64_t x = simulation->random_state;
  x ^= x << 13;
  x ^= x >> 7;
  x ^= x << 17;
  simulation->random_state = x;
  return (x * 0x2545F4914F6CDD1Dull) >> 16;
}

static Slot *choose_slot(Simulation *simulation) {
  uint32_t num_busy = 0;
  for (uint32_t i = 0; i < simulation->num_slots; i++)
    num_busy += simulation->slots[i].is_active && !simulation->slots[i].is_idle;
  bool only_busy = num_busy && next_random(simulation) % 4;
  uint32_t count = only_busy ? num_busy : simulation->num_active;
  uint64_t skip = next_random(simulation) % count;
  for (Slot *slot = simulation->slots;; slot++)
    if (slot->is_active && !(only_busy && slot->is_idle) && skip-- == 0)
      return slot;
}

static void slot_begin(Simulation *simulation, Slot *slot) {
  TileRun *run = simulation->run;
  slot->id = run->next_cluster++;
  slot->is_active = true;
  slot->is_idle = false;
  run->residence->slots[slot->id] = slot->cluster->slot;
  tile_emu_order_begin(run->residence->order, slot->cluster->slot);
  tile_emu_cluster_reset(slot->cluster, slot->id);
  tile_emu_schedule_begin(slot->schedule, slot->cluster);
  simulation->num_active++;
}

static void slot_end(Simulation *simulation, Slot *slot) {
  while (tile_emu_async_force(slot->cluster)) {
  }
  tile_emu_results_add(simulation->run->results, slot->cluster, slot->id);
  tile_emu_cluster_finish(slot->cluster);
  slot->is_active = false;
  simulation->num_active--;
}

/// False when the cluster has ended.
static bool visit(Simulation *simulation, Slot *slot) {
  TileCluster *cluster = slot->cluster;
  uint64_t progress = cluster->progress, num_insns = cluster->num_warp_insns;
  bool goes_on = true;
  uint64_t turns = 1 + next_random(simulation) % MAX_TURNS;
  while (goes_on && turns--)
    goes_on = tile_emu_schedule_turn(slot->schedule);
  slot->is_idle = cluster->progress == progress;
  if (!slot->is_idle || !goes_on)
    simulation->idle_insns = 0;
  else
    simulation->idle_insns += cluster->num_warp_insns - num_insns;
  if (simulation->idle_insns > TILE_IMPATIENCE_INSNS)
    tile_emu_async_force(cluster);
  return goes_on;
}

//===-- Nothing happens ---------------------------------------------------===//

static void report_spinning(Simulation *simulation) {
  TileRun *run = simulation->run;
  bool is_queue = run->next_cluster < run->total_clusters;
  Slot *first = NULL;
  for (uint32_t i = 0; i < simulation->num_slots; i++) {
    Slot *slot = &simulation->slots[i];
    if (slot->is_active && (!first || slot->id < first->id))
      first = slot;
  }
  uint32_t size = run->ctas_per_cluster;
  TileString text = {0};
  if (is_queue)
    tile_string_print(
        &text,
        "the CTAs on the device wait, and %u of %u have not started: %d "
        "multiprocessors have room for %u CTAs each, %u in all\n",
        (run->total_clusters - run->next_cluster) * size,
        run->total_clusters * size, run->emu->options.num_sms,
        run->residence->ctas_per_sm, run->residence->num_slots * size);
  else
    tile_string_print(&text,
                      "the %u CTAs that have not ended wait, and nothing "
                      "changes\n",
                      simulation->num_active * size);
  uint32_t num_printed = 0;
  for (uint32_t i = 0; i < simulation->num_slots; i++) {
    if (simulation->slots[i].is_active && num_printed++ < MAX_PRINTED_CLUSTERS)
      tile_emu_deadlock_print(simulation->slots[i].cluster, NULL, &text);
  }
  if (num_printed > MAX_PRINTED_CLUSTERS)
    tile_string_print(&text, "and %u more clusters\n",
                      num_printed - MAX_PRINTED_CLUSTERS);
  text.data[text.size_bytes - 1] = 0; // the last newline
  tile_emu_find_in_cluster(first->cluster,
                           is_queue ? TILE_FINDING_DEADLOCK_QUEUE
                                    : TILE_FINDING_NO_PROGRESS_TOGETHER,
                           text.data);
  first->cluster->is_stopped = true;
  tile_string_deinit(&text);
}

//===-- Entry -------------------------------------------------------------===//

/// Until all clusters have ended, or one cannot end.
static void simulate(Simulation *simulation) {
  TileRun *run = simulation->run;
  bool is_over = false;
  while (!is_over) {
    for (uint32_t i = 0; i < simulation->num_slots; i++)
      if (!simulation->slots[i].is_active &&
          run->next_cluster < run->total_clusters)
        slot_begin(simulation, &simulation->slots[i]);
    Slot *slot = choose_slot(simulation);
    if (!visit(simulation, slot)) {
      is_over = slot->cluster->is_stopped;
      slot_end(simulation, slot);
      is_over = is_over || tile_emu_results_are_final(run->results) ||
                (simulation->num_active == 0 &&
                 run->next_cluster == run->total_clusters);
    }
    uint64_t limit =
        SPIN_INSNS + (uint64_t)SPIN_INSNS_PER_CLUSTER * simulation->num_active;
    if (!is_over && simulation->idle_insns > limit) {
      report_spinning(simulation);
      is_over = true;
    }
  }
  for (uint32_t i = 0; i < simulation->num_slots; i++)
    if (simulation->slots[i].is_active)
      slot_end(simulation, &simulation->slots[i]);
}

void tile_emu_co_resident_run(TileRun *run) {
  TileResidence residence = {.ctas_per_sm = ctas_per_sm(run)};
  uint32_t room = (uint32_t)run->emu->options.num_sms * residence.ctas_per_sm /
                  run->ctas_per_cluster;
  residence.num_slots = smaller(room ? room : 1, run->total_clusters);
  residence.slots =
      tile_emu_calloc(run->total_clusters, sizeof *residence.slots);
  residence.order = tile_emu_order_create(residence.num_slots);
  run->residence = &residence;
  Simulation simulation = {.run = run, .num_slots = residence.num_slots};
  simulation.random_state =
      (run->emu->options.seed * 0x9E3779B97F4A7C15ull) | 1ull << 63;
  simulation.slots =
      tile_emu_calloc(simulation.num_slots, sizeof *simulation.slots);
  for (uint32_t i = 0; i < simulation.num_slots; i++) {
    simulation.slots[i].cluster = tile_emu_cluster_create(run);
    simulation.slots[i].cluster->slot = i;
    simulation.slots[i].schedule = tile_emu_schedule_create();
  }
  simulate(&simulation);
  for (uint32_t i = 0; i < simulation.num_slots; i++) {
    tile_emu_cluster_destroy(simulation.slots[i].cluster);
    tile_emu_schedule_destroy(simulation.slots[i].schedule);
  }
  free(simulation.slots);
  tile_emu_order_destroy(residence.order);
  free(residence.slots);
  run->residence = NULL;
}
