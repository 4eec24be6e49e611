//===- CostKernel.c - How long a whole kernel takes -----------------------===//
//
// A block spends its loop in products, element loops and copies, which overlap
// as far as its form lets them, and what comes before and after the loop, which
// a block beside it or the other warpgroup may hide. Blocks run in waves. Below
// that no kernel moves its tensors faster than the memory.
//
//===----------------------------------------------------------------------===//

#include "Cost.h"

static const double lanes = 128; // additions of f32 a cycle [CC]
// From a request to data of the second-level cache; of a kernel, and of a
// block, that does nothing; of the barriers of a slot. In cycles.
static const double latency = 900, of_launch = 4500, of_block = 700;
static const double of_round = 10;
// Of the rate of products where blocks on a multiprocessor run side by side:
// bench/history/2026-11-27-h200.json, `min_blocks` 2 beside warpgroups in turn.
static const double side_by_side = 0.93;
enum {
  FACTOR_BITS = 16,      // that rates of the target table are of
  COPY_THREAD_BYTES = 64 // of a thread that copies plainly, under way
};

static double larger(double a, double b) { return a > b ? a : b; }
static double smaller(double a, double b) { return a < b ? a : b; }

//===-- The loop of a block -----------------------------------------------===//

// The timed shape that is closest to the one of `work`: not larger, and as many
// multiply-adds as possible.
static const TileCostShape *shape_of(const TileTarget *target,
                                     const TileCostWork *work) {
  const TileCostShape *found = NULL, *last = NULL, *shape;
  bool takes_turns = work->form == TILE_COST_TURNS;
  for (size_t i = 0; (shape = tile_cost_shape_at(target->has_wgmma, i)); i++) {
    bool fits = shape->m * shape->n <= work->m * work->n;
    // Of the timed ones those of 128x256 alone are cooperative.
    bool is_form = !takes_turns || shape->m * shape->n < 128 * 256;
    if (fits && is_form &&
        (!found || shape->m * shape->n > found->m * found->n))
      found = shape;
    last = shape;
  }
  return found ? found : last;
}

// Of the rate of the target table. A tile reads its factors from shared memory
// for each product, so that narrow ones wait for it.
static double rate_of(const TileTarget *target, const TileCostWork *work) {
  const TileCostShape *shape = shape_of(target, work);
  double part = (double)shape->percent / 100;
  double timed = (double)(shape->m * shape->n),
         has = (double)(work->m * work->n);
  if (has < timed) // smaller than all that were timed
    part *= has / timed;
  if (target->has_wgmma && work->m % target->wgmma.m)
    part *= (double)work->m /
            (double)((work->m / target->wgmma.m + 1) * target->wgmma.m);
  return part;
}

static double product_cycles(const TileTarget *target,
                             const TileCostWork *work) {
  if (work->multiply_adds <= 0)
    return 0;
  double peak = (double)(target->sm_multiply_adds * FACTOR_BITS) /
                larger(work->multiply_bits, 1);
  return work->multiply_adds / (peak * rate_of(target, work));
}

typedef struct {
  double products, elements, copies; // cycles of a block alone
  double loop, ends;
} Cycles;

// Element loops run beside products where something else multiplies meanwhile.
static double overlap(double products, double elements, int64_t num_groups) {
  double more = larger(products, elements), less = smaller(products, elements);
  return num_groups > 1 ? more + less / 4 : more + less;
}

// So much longer, because the slots that are under way last no longer than a
// request takes.
static double wait_of(const Cycles *cycles, const TileCostWork *work,
                      int64_t blocks_per_sm) {
  double rounds = larger((double)work->num_rounds, 1);
  double ahead = larger((double)work->stages - 1, 0.5) *
                 (double)blocks_per_sm; // slots under way
  double round =
      larger(cycles->products + cycles->elements, cycles->copies) / rounds;
  double part = latency / larger(ahead * round, 1);
  double wait = larger(0, latency / ahead - round) / larger(round, 1);
  return 1 + part * part / 4 + wait + of_round / larger(round, 1);
}

// Before the first product and after the last: as timed, longer where the tile
// is stored in parts because rings leave little room.
static double end_cycles(const TileTarget *target, const TileCostWork *work) {
  double ends = of_block + work->end_elements / lanes +
                work->end_bytes / (double)target->sm_cache_bytes;
  if (work->m > 0) {
    const TileCostShape *shape = shape_of(target, work);
    double free_bytes =
        (double)(target->max_smem_bytes - work->block.smem_bytes);
    double parts = (double)work->store_bytes / larger(free_bytes, 8192);
    double steps = (double)shape->ends * (double)(work->m * work->n) /
                   (double)target->sm_multiply_adds;
    ends = larger(ends, steps) * (parts > 1 ? smaller(1 + parts / 8, 2) : 1);
  }
  return ends;
}

static Cycles cycles_of(const TileTarget *target, const TileCostWork *work,
                        int64_t blocks_per_sm) {
  enum { GROUP_THREADS = 128 };
  int64_t groups = work->block.num_threads / GROUP_THREADS * blocks_per_sm;
  Cycles cycles = {.products = product_cycles(target, work),
                   .elements = work->loop_elements / lanes,
                   .copies = work->loop_bytes / (double)target->sm_cache_bytes};
  if (work->form == TILE_COST_TURNS)
    groups = 2;
  cycles.loop =
      larger(overlap(cycles.products, cycles.elements, groups), cycles.copies);
  if (work->num_rounds > 0)
    cycles.loop *= wait_of(&cycles, work, blocks_per_sm);
  if (work->m > 0 && blocks_per_sm > 1)
    cycles.loop /= side_by_side;
  cycles.ends = end_cycles(target, work);
  return cycles;
}

//===-- Blocks ------------------------------------------------------------===//

// Cycles of the busiest multiprocessor.
static double grid_cycles(const TileTarget *target, const TileCostWork *work,
                          const Cycles *cycles, int64_t blocks_per_sm,
                          int64_t *out_waves) {
  int64_t most = (work->num_blocks + target->num_sms - 1) / target->num_sms;
  int64_t waves = (most + blocks_per_sm - 1) / blocks_per_sm;
  *out_waves = most;
  double loops = (double)most * cycles->loop;
  switch (work->form) {
  case TILE_COST_TURNS: // the other warpgroup multiplies; the last one waits
    return larger(loops + cycles->ends, (double)most * cycles->ends) +
           (double)most * cycles->ends / 4;
  case TILE_COST_COOPERATIVE:
    return loops + (double)most * cycles->ends;
  case TILE_COST_BLOCKS:
    break;
  }
  double ends = (double)waves * cycles->ends;
  return blocks_per_sm > 1 ? loops + ends
                           : loops + (double)most * (cycles->ends + of_block);
}

// Bytes under way keep the memory busy.
static double memory_part(const TileTarget *target, const TileCostWork *work,
                          int64_t blocks_per_sm, double us_per_byte) {
  const double latency_us = 0.8;
  double slots = work->stages > 1 ? (double)work->stages : 1;
  double plain = (double)(work->block.num_threads * COPY_THREAD_BYTES);
  double of_block_bytes = work->stages > 1 ? work->round_bytes * slots
                                           : smaller(work->round_bytes, plain);
  double under_way =
      of_block_bytes * (double)blocks_per_sm * (double)target->num_sms;
  double wanted = latency_us / us_per_byte;
  return smaller(1, larger(under_way, 1) / wanted);
}

TileCost tile_cost_kernel(const TileTarget *target, const TileCostWork *work) {
  double mhz = (double)target->clock_mhz;
  TileCost cost = {.blocks_per_sm = 1, .bound = "ends"};
  if (work->form == TILE_COST_BLOCKS)
    cost.blocks_per_sm = tile_cost_blocks_per_sm(target, &work->block);
  int64_t most_blocks =
      (work->num_blocks + target->num_sms - 1) / target->num_sms;
  if (cost.blocks_per_sm > most_blocks)
    cost.blocks_per_sm = most_blocks > 1 ? most_blocks : 1;
  Cycles cycles = cycles_of(target, work, cost.blocks_per_sm);
  double us_per_byte = 1.0 / ((double)target->memory_gb_per_s * 1000);
  double total =
      grid_cycles(target, work, &cycles, cost.blocks_per_sm, &cost.num_waves);
  double most = (double)cost.num_waves;
  cost.products_us = most * cycles.products / mhz;
  cost.elements_us = most * cycles.elements / mhz;
  cost.cache_us = most * cycles.copies / mhz;
  cost.memory_us = work->tensor_bytes * us_per_byte /
                   memory_part(target, work, cost.blocks_per_sm, us_per_byte);
  cost.ends_us = larger(total / mhz - most * cycles.loop / mhz, 0);
  // What is shorter is not hidden in whole.
  cost.us = larger(total / mhz, cost.memory_us) +
            smaller(total / mhz, cost.memory_us) / 16 + of_launch / mhz;
  double longest = cost.ends_us;
  const struct {
    const char *name;
    double us;
  } parts[] = {{"products", cost.products_us},
               {"elements", cost.elements_us},
               {"cache", cost.cache_us},
               {"memory", cost.memory_us}};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    if (parts[i].us > longest) {
      longest = parts[i].us;
      cost.bound = parts[i].name;
    }
  return cost;
}
