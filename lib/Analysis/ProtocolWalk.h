//===- ProtocolWalk.h - State of the joint walk ---------------------------===//
#ifndef TILE_ANALYSIS_PROTOCOL_WALK_H
#define TILE_ANALYSIS_PROTOCOL_WALK_H

#include "ProtocolInternal.h"

enum { WALK_MAX_LEADS = 32 };

/// How far a producer is ahead of each reader: rounds acquired and not
/// released, rounds committed and not waited for.
/// Of channels whose rounds readers share: who has the round that is acquired
/// and committed next, at the channel's first lead.
typedef struct {
  uint8_t ahead[WALK_MAX_LEADS], ready[WALK_MAX_LEADS];
  uint8_t next_take[WALK_MAX_LEADS], next_give[WALK_MAX_LEADS];
  uint8_t turn; // warpgroup whose turn it is, or WALK_IN_TURN
} WalkLeads;

enum { WALK_IN_TURN = UINT8_MAX };

typedef struct {
  WalkLeads *items;
  int count, capacity;
} WalkSet;

struct WalkElement;

/// What is left of a block: takes and gives, and control that holds some.
typedef struct {
  struct WalkElement *items;
  int count;
} WalkList;

typedef struct WalkElement {
  const TileProtocolNode *node;
  bool is_control;
  bool takes;         // an event: a take, else a give
  WalkList blocks[2]; // control
} WalkElement;

/// Where each role is in its list.
typedef struct {
  WalkList lists[TILE_PROTOCOL_MAX_ROLES];
  int at[TILE_PROTOCOL_MAX_ROLES];
} WalkFront;

typedef struct {
  Proof *proof;
  TileArena *arena;
  int num_roles;
  int num_outside; // roles with more to do that the decision at hand leaves out
  int *first_lead; // per channel, and the end
  struct WalkPeel *peels; // loops whose first iteration was taken out
  TileProtocol scalars;   // the protocol, with scalars of our own behind
  int scalar_capacity;
  ProtocolValues values;
} Walk;

bool walk_set_add(Walk *walk, WalkSet *set, const WalkLeads *leads);
void walk_set_add_all(Walk *walk, WalkSet *set, const WalkSet *from);
/// The next element of a role; NULL at the end of its list.
const WalkElement *walk_next_of(const WalkFront *front, int role);
/// Whether a role takes the decision of `node` at, or behind, its next element.
bool walk_comes_later(Walk *walk, const WalkFront *front, int role,
                      const TileProtocolNode *node);
bool walk_same_decision(Walk *walk, const TileProtocolNode *a,
                        const TileProtocolNode *b);
/// Walks from `front` to the end of all lists, for every state of `set`.
void walk_front(Walk *walk, const WalkFront *front, WalkSet *set);

/// What of a block takes and gives rounds, and control that holds some.
WalkList walk_skeleton_of(Walk *walk, const TileProtocolBlock *block);

// ProtocolPeel.c
/// Whether the branch asks if the loop runs at all.
bool walk_is_first_iteration(Walk *walk, const TileProtocolNode *branch,
                             const TileProtocolNode *loop);
/// A loop as "if it runs: the first iteration, then the others".
WalkElement walk_peel(Walk *walk, const WalkElement *loop);

// ProtocolChoices.c
/// The same, after guards that only one role has were taken apart: each of
/// their outcomes must do.
void walk_lists(Walk *walk, const WalkFront *front, WalkSet *set);
void walk_scalars_init(Walk *walk);
TileProtocolScalarId walk_add_scalar(Walk *walk, TileProtocolScalar scalar);
/// A scalar that is the sum of two.
TileProtocolScalarId walk_add_scalars(Walk *walk, TileProtocolScalarId a,
                                      TileProtocolScalarId b);

/// The product with a constant.
TileProtocolScalarId walk_multiply_scalar(Walk *walk, TileProtocolScalarId a,
                                          int64_t factor);

// ProtocolInterleave.c
/// Whether one role is at a loop whose iterations other roles share by turns;
/// then walks all their iterations, and moves the front behind the loops.
bool walk_interleaved(Walk *walk, WalkFront *front, WalkSet *set);

#endif // TILE_ANALYSIS_PROTOCOL_WALK_H
