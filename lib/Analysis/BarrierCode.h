//===- BarrierCode.h - Programs on barriers, flat -------------------------===//
#ifndef TILE_ANALYSIS_BARRIER_CODE_H
#define TILE_ANALYSIS_BARRIER_CODE_H

#include "BarrierProgram.h"

typedef enum {
  CODE_EVENT,
  CODE_BRANCH, // decides `node`, an IF: goes on, or to `target`
  CODE_HEAD,   // decides whether the FOR `node` goes on, or to `target`
  CODE_WHILE,  // the same of a WHILE, behind its first block
  CODE_JUMP,   // to `target`
  CODE_BIND,   // `to` become `from`, all at once
  CODE_NEXT,   // the induction variable of `node` grows by its step
  CODE_END,
} BarrierCodeKind;

typedef struct {
  BarrierCodeKind kind;
  const TileProtocolNode *node;
  int target, count;
  int decision; // class of a decision: equal ones are taken together
  bool is_next; // CODE_BIND: for the next iteration
  const TileProtocolScalarId *to, *from;
} BarrierCode;

typedef struct {
  BarrierCode *items;
  int count, capacity;
} BarrierCodes;

typedef struct {
  BarrierCodes roles[TILE_PROTOCOL_MAX_ROLES];
  unsigned *deciders; // per class: roles that have it
  int num_decisions;
} BarrierListing;

/// Owner: `arena`.
void barrier_listing_build(const BarrierProgram *program, TileArena *arena,
                           BarrierListing *out);

/// The scalars that say which slots of rows and tiles an event uses; how many.
int barrier_event_slots(const TileProtocolNode *node,
                        TileProtocolScalarId out[TILE_PROTOCOL_MAX_READS]);

#endif // TILE_ANALYSIS_BARRIER_CODE_H
