//===- BarrierTrips.h - How many iterations loops have left ---------------===//
#ifndef TILE_ANALYSIS_BARRIER_TRIPS_H
#define TILE_ANALYSIS_BARRIER_TRIPS_H

#include "BarrierProgram.h"

/// The number of steps from `lower + origin` to `upper`, which stay the same in
/// the whole run. Numbers beyond `limit` are alike for all guards.
typedef struct {
  TileProtocolScalarId lower, upper; // lower -1: 0
  int64_t origin, step;
  int limit; // 0: no guard depends on it
} BarrierTripCount;

/// A loop that begins `skips` steps behind the origin of its count.
typedef struct {
  const TileProtocolNode *loop;
  int role, count, skips;
} BarrierTripLoop;

/// Words of a state: a number for each count, then for both agents of each loop
/// what it has left.
typedef struct {
  const TileProtocol *protocol;
  BarrierTripCount *counts;
  BarrierTripLoop *loops;
  int num_counts, num_loops, count_capacity, loop_capacity;
} BarrierTrips;

/// Owner: `arena`.
void barrier_trips_build(const BarrierProgram *program, TileArena *arena,
                         BarrierTrips *out);
int barrier_trips_num_words(const BarrierTrips *trips);
/// All numbers that loops may begin with; one of them, `which`, into `words`.
int64_t barrier_trips_num_starts(const BarrierTrips *trips);
void barrier_trips_start(const BarrierTrips *trips, int32_t *words,
                         int64_t which);

/// Whether what `words` begin with is what a loop from `lower` to `upper` has.
bool barrier_trips_may_be(const BarrierTrips *trips, const int32_t *words,
                          int loop, int64_t lower, int64_t upper);

/// The induction variable that is bound at `iv` begins; goes on.
void barrier_trips_enter(const BarrierTrips *trips, int32_t *words, int agent,
                         const TileProtocolScalarId *iv);
void barrier_trips_next(const BarrierTrips *trips, int32_t *words, int agent,
                        const TileProtocolNode *loop);
/// Whether the loop goes on: 1, 0, or -1 where that is not followed.
int barrier_trips_goes_on(const BarrierTrips *trips, const int32_t *words,
                          int agent, const TileProtocolNode *loop);
/// Whether the loop may be at its limit or have more left, so that both are to
/// be looked at; then one is taken.
bool barrier_trips_is_open(const BarrierTrips *trips, const int32_t *words,
                           int agent, const TileProtocolNode *loop);
void barrier_trips_resolve(const BarrierTrips *trips, int32_t *words, int agent,
                           const TileProtocolNode *loop, bool has_more);
/// The value of a condition, 1 or 0; -1 where it depends on more.
int barrier_trips_condition(const BarrierTrips *trips, const int32_t *words,
                            int agent, TileProtocolScalarId id);

#endif // TILE_ANALYSIS_BARRIER_TRIPS_H
