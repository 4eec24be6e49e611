//===- BarrierProving.h - A program on barriers that is being proved ------===//
#ifndef TILE_ANALYSIS_BARRIER_PROVING_H
#define TILE_ANALYSIS_BARRIER_PROVING_H

#include "BarrierAlike.h"
#include "BarrierCode.h"
#include "BarrierMirror.h"
#include "BarrierNumbers.h"
#include "BarrierProof.h"
#include "BarrierRecall.h"
#include "ProtocolInternal.h"
#include "ProtocolSeen.h"

/// A state is: where each agent is in its code, the numbers and the facts that
/// it knows, and the words of the machine.
typedef struct {
  const BarrierProgram *program;
  TileArena *arena;
  BarrierListing listing;
  BarrierMachine machine;
  BarrierFault fault;
  ProtocolBinding bindings[TILE_PROTOCOL_MAX_ROLES];
  int first_bound[BARRIER_MAX_AGENTS];              // word of each agent
  const uint64_t *numbers[TILE_PROTOCOL_MAX_ROLES]; // that matter
  BarrierMirror mirror;
  BarrierAlike alike;
  int first_alike; // word
  BarrierRecall recall;
  int first_recall; // word
  bool has_bounds;  // bounds of loops are guessed
  int first_word;   // of the machine
  int num_words;
  bool is_impossible; // the state that runs
  bool merges;        // states whose agents are at the same places
  ProtocolSeen states;
  TileProtocolVerdict *verdict;
} BarrierProving;

/// Gives up: the verdict is unknown, for this reason. The first one counts.
void barrier_proving_stop(BarrierProving *proving, const char *code, int role,
                          const TileProtocolNode *node, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
bool barrier_proving_is_over(const BarrierProving *proving);
ProtocolNumber barrier_number_of(const BarrierProving *proving,
                                 const int32_t *state, int agent,
                                 TileProtocolScalarId id);

/// Lays out the words of a state. False after a stop.
bool barrier_proving_lay_out(BarrierProving *proving);
/// How many states a run may begin with.
int64_t barrier_proving_num_starts(BarrierProving *proving);
/// Writes one of them into `state`.
void barrier_proving_start(const BarrierProving *proving, int64_t which,
                           int32_t *state);

#endif // TILE_ANALYSIS_BARRIER_PROVING_H
