//===- CostChoices.c - What one choice costs beside another ---------------===//

#include "Cost.h"

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

static int64_t blocks_of(int64_t extent, int64_t size) {
  return extent < 0 ? INT64_MAX / 4 : (extent + size - 1) / size;
}

//===-- Registers ---------------------------------------------------------===//

// A block too many waits for its turn, as one of any launch does.
int64_t tile_cost_blocks_per_sm(const TileTarget *target,
                                const TileCostBlock *block) {
  int64_t num_threads = block->num_threads;
  if (num_threads <= 0)
    return 1;
  int64_t registers =
      least(block->num_fragment_bits / 32 / num_threads + TILE_COST_SCALARS,
            target->max_thread_registers);
  int64_t blocks = least(target->sm_smem_bytes /
                             (block->smem_bytes + target->reserved_smem_bytes),
                         target->sm_registers / registers / num_threads);
  blocks = least(blocks, least(target->max_sm_threads / num_threads,
                               target->max_sm_blocks));
  return blocks > 1 ? blocks : 1;
}

//===-- Shapes of products ------------------------------------------------===//

// Fitted to the times that bench/history/2026-11-28-h200-3.json and -forms.json
// have: seven sizes with K from 512 to 16384, plain, with a bias, with GELU.
static const TileCostShape wgmma_shapes[] = {
    {128, 256, 256, 4, 100, 220, 250}, {128, 192, 256, 4, 99, 93, 140},
    {128, 160, 128, 5, 97, 55, 155},   {128, 128, 128, 6, 95, 70, 125},
    {128, 128, 256, 5, 95, 90, 180},   {128, 64, 128, 6, 75, 70, 160},
    {64, 128, 128, 8, 75, 70, 160},    {64, 64, 128, 8, 60, 70, 160}};

// mma.sync: not timed; the largest that fits three stages twice.
static const TileCostShape mma_shapes[] = {{128, 128, 256, 3, 100, 100, 200},
                                           {128, 64, 128, 3, 80, 100, 200},
                                           {64, 128, 128, 3, 80, 100, 200},
                                           {64, 64, 128, 3, 60, 100, 200}};

const TileCostShape *tile_cost_shape_at(bool has_wgmma, size_t index) {
  size_t count = has_wgmma ? sizeof wgmma_shapes / sizeof *wgmma_shapes
                           : sizeof mma_shapes / sizeof *mma_shapes;
  return index < count ? &(has_wgmma ? wgmma_shapes : mma_shapes)[index] : NULL;
}

static int64_t waves_of(const TileTarget *target, const TileCostShape *shape,
                        const TileCostProblem *problem) {
  int64_t blocks = blocks_of(problem->rows, shape->m) *
                   blocks_of(problem->columns, shape->n) * problem->others;
  return blocks_of(blocks, target->num_sms);
}

static int64_t product_cost(const TileTarget *target,
                            const TileCostShape *shape,
                            const TileCostProblem *problem) {
  int64_t ends =
      problem->has_elements ? shape->ends_with_elements : shape->ends;
  return waves_of(target, shape, problem) * shape->m * shape->n *
         (problem->depth * 100 / shape->percent + ends);
}

// Stages that are left beside windows in shared memory.
static int64_t stages_of(const TileCostShape *shape,
                         const TileCostProblem *problem) {
  int64_t stage_bytes = (shape->m + shape->n) * TILE_COST_DEPTH_BYTES;
  int64_t window_bytes = shape->m * shape->n * problem->shared_bits / 8;
  return shape->stages - (window_bytes + stage_bytes - 1) / stage_bytes;
}

// The sum, in whose place a result goes, and windows beside both; a thread has
// 255 registers, of which addresses take some. A right factor that lies along
// its columns comes in pieces of 128 bytes of them; of half of that 128x160
// took a quarter longer (4096³, bench/history/2026-11-28-h200-forms.json).
static bool has_room(const TileCostShape *shape,
                     const TileCostProblem *problem) {
  enum { MAX_REGISTERS = 192, SUM_BITS = 32, RESULT_BITS = 16, MIN_STAGES = 3 };
  enum { PIECE_COLUMNS = 64 };
  int64_t bits = SUM_BITS + problem->register_bits +
                 (problem->register_bits > 0 ? RESULT_BITS : 0);
  if (problem->lies_along_columns && shape->n % PIECE_COLUMNS)
    return false;
  return shape->m * shape->n / shape->num_threads * bits / 32 <=
             MAX_REGISTERS &&
         (problem->shared_bits == 0 || stages_of(shape, problem) >= MIN_STAGES);
}

TileCostCut tile_cost_cut(const TileTarget *target, bool has_wgmma,
                          const TileCostProblem *problem) {
  const TileCostShape *best = NULL, *next = NULL, *shape;
  int64_t best_cost = 0, next_cost = 0;
  for (size_t i = 0; (shape = tile_cost_shape_at(has_wgmma, i)); i++) {
    int64_t cost = product_cost(target, shape, problem);
    bool is_last = !tile_cost_shape_at(has_wgmma, i + 1); // the least room
    if (!has_room(shape, problem) && !(is_last && !best))
      continue;
    if (!best || cost < best_cost || (is_last && cost == best_cost)) {
      next = best, next_cost = best_cost;
      best = shape, best_cost = cost;
    } else if (!next || cost < next_cost) {
      next = shape, next_cost = cost;
    }
  }
  TileCostCut cut = {.shape = *best,
                     .num_waves = waves_of(target, best, problem),
                     .multiply_adds = (double)best_cost};
  int64_t stages = stages_of(best, problem);
  cut.shape.stages = stages > 2 ? stages : 2;
  if (next) {
    cut.next = *next;
    cut.next_part = (double)next_cost / (double)best_cost;
  }
  return cut;
}

//===-- Persistence and the order of tiles --------------------------------===//

TileCostPersistence tile_cost_persistence(const TileTarget *target,
                                          int64_t num_tiles,
                                          int64_t blocks_per_sm) {
  if (num_tiles >= 0 && num_tiles <= target->num_sms)
    return TILE_COST_FEW_TILES;
  return blocks_per_sm > 1 ? TILE_COST_OCCUPANCY : TILE_COST_PERSISTS;
}

// A panel of p rows and n / p columns reads p tiles by y and n / p tiles by x,
// which is least where both take the same bytes.
int64_t tile_cost_panel(const TileTarget *target, int64_t blocks_per_sm,
                        int64_t by_x_bytes, int64_t by_y_bytes) {
  int64_t num_blocks = target->num_sms * blocks_per_sm, panel = 1;
  if (!by_x_bytes || !by_y_bytes)
    return 0; // no two copies that different blocks share
  while (4 * panel * panel * by_y_bytes <= num_blocks * by_x_bytes)
    panel *= 2;
  return panel;
}

//===-- Blocks that share the depth ---------------------------------------===//

// Fitted to 40 times of products of 64 to 512 rows, whole and in two to four
// parts, in bench/gpu/NOTES.md (2026-11-28, products of few tiles). In cycles
// and bytes of a cycle.
static double split_round_cycles(const TileTarget *target,
                                 const TileCostSplit *split, int64_t parts) {
  static const double latency = 2000; // of the cache, while others ask as well
  static const double most_sm_bytes = 100, sm_share = 0.73, narrow = 0.8;
  static const double bits = 16; // of factors that rates of the table are of
  int64_t active = least(split->num_blocks * parts, target->num_sms);
  int64_t slots = parts > 1 ? split->split_stages : split->stages;
  double rate = (double)target->sm_multiply_adds * bits /
                (double)split->factor_bits *
                (split->m < 128 || split->n < 128 ? narrow : 1);
  double all_bytes =
      (double)(target->sm_cache_bytes * target->num_sms) * sm_share;
  double cycles = split->multiply_adds / rate;
  double others[] = {split->round_bytes / most_sm_bytes,
                     split->round_bytes * (double)active / all_bytes,
                     latency / (double)(slots > 1 ? slots - 1 : 1)};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    cycles = others[i] > cycles ? others[i] : cycles;
  return cycles;
}

double tile_cost_split_cycles(const TileTarget *target,
                              const TileCostSplit *split, int64_t parts) {
  // Launch, begin and end of a block; two meetings of a cluster; what the first
  // block reads of shared memory of the others.
  static const double ends = 7000, meetings = 2000, sum_bytes = 24;
  double rounds = (double)blocks_of(split->num_rounds, parts);
  double waves = (double)blocks_of(split->num_blocks * parts, target->num_sms);
  double loop = waves * rounds * split_round_cycles(target, split, parts);
  double memory = split->tensor_bytes * (double)target->clock_mhz /
                  ((double)target->memory_gb_per_s * 1000);
  double joins =
      parts > 1 ? meetings + (double)(parts - 1) * split->sum_bytes / sum_bytes
                : 0;
  return (loop > memory ? loop : memory) + ends + waves * joins;
}

int64_t tile_cost_split(const TileTarget *target, const TileCostSplit *split) {
  static const double least_gain = 1.1;
  enum { MIN_STAGES = 3 };
  int64_t best = 1;
  double best_cycles = tile_cost_split_cycles(target, split, 1) / least_gain;
  for (int64_t parts = 2; parts <= target->max_cluster_blocks; parts *= 2) {
    double cycles = tile_cost_split_cycles(target, split, parts);
    if (split->split_stages >= MIN_STAGES && cycles < best_cycles) {
      best = parts;
      best_cycles = cycles;
    }
  }
  return best;
}
