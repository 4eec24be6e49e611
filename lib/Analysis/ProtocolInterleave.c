//===- ProtocolInterleave.c - Loops whose iterations go round -------------===//
//
// One role runs over (lower, upper, step); each of n others over every n-th of
// these iterations: (lower + j * step, upper, n * step). Iteration by iteration
// the one meets the next of the others; the loops may end behind any of them.
//
//===----------------------------------------------------------------------===//

#include "ProtocolWalk.h"

typedef struct {
  unsigned whole; // roles that run over all iterations
  int leader;     // one of them
  int parts[TILE_PROTOCOL_MAX_ROLES];
  int num_parts;
} Interleave;

//===-- Which loops -------------------------------------------------------===//

static const TileProtocolNode *loop_at(const WalkFront *front, int role) {
  const WalkElement *next = walk_next_of(front, role);
  bool is_loop =
      next && next->is_control && next->node->kind == TILE_PROTOCOL_FOR;
  return is_loop ? next->node : NULL;
}

// Whether `a` is `base + factor * step`, as a product or as a sum.
static bool is_multiple(Walk *walk, TileProtocolScalarId a,
                        TileProtocolScalarId base, TileProtocolScalarId step,
                        int factor) {
  TileProtocolScalarId product = walk_multiply_scalar(walk, step, factor);
  TileProtocolScalarId sum = base;
  for (int i = 0; i < factor; i++)
    sum = walk_add_scalars(walk, sum, step);
  return protocol_values_equal(&walk->values, a,
                               walk_add_scalars(walk, base, product)) ||
         protocol_values_equal(&walk->values, a, sum);
}

static bool is_step(Walk *walk, TileProtocolScalarId a,
                    TileProtocolScalarId step, int factor) {
  TileProtocolScalarId sum = step;
  for (int i = 1; i < factor; i++)
    sum = walk_add_scalars(walk, sum, step);
  return protocol_values_equal(&walk->values, a,
                               walk_multiply_scalar(walk, step, factor)) ||
         protocol_values_equal(&walk->values, a, sum);
}

// The role that is at part `j` of `count`; -1: none.
static int find_part(Walk *walk, const WalkFront *front,
                     const TileProtocolNode *whole, int j, int count) {
  for (int r = 0; r < walk->num_roles; r++) {
    const TileProtocolNode *loop = loop_at(front, r);
    if (loop && loop != whole && loop->is_unsigned == whole->is_unsigned &&
        protocol_values_equal(&walk->values, loop->upper, whole->upper) &&
        is_step(walk, loop->step, whole->step, count) &&
        is_multiple(walk, loop->lower, whole->lower, whole->step, j))
      return r;
  }
  return -1;
}

static bool find_parts(Walk *walk, const WalkFront *front, int leader,
                       int count, Interleave *out) {
  const TileProtocolNode *whole = loop_at(front, leader);
  *out = (Interleave){.leader = leader, .num_parts = count};
  unsigned parts = 0;
  for (int j = 0; j < count; j++) {
    out->parts[j] = find_part(walk, front, whole, j, count);
    if (out->parts[j] < 0)
      return false;
    parts |= 1u << out->parts[j];
  }
  for (int r = 0; r < walk->num_roles; r++) {
    const TileProtocolNode *loop = loop_at(front, r);
    if (loop && walk_same_decision(walk, whole, loop))
      out->whole |= 1u << r;
    else if (!(parts & 1u << r) && walk_comes_later(walk, front, r, whole))
      return false;
  }
  return true;
}

static bool find(Walk *walk, const WalkFront *front, Interleave *out) {
  for (int leader = 0; leader < walk->num_roles; leader++)
    for (int count = 2; count < walk->num_roles; count++)
      if (loop_at(front, leader) && find_parts(walk, front, leader, count, out))
        return true;
  return false;
}

//===-- The walk ----------------------------------------------------------===//

static void push_lockstep(Walk *walk, const WalkFront *front,
                          const Interleave *i, int part) {
  const TileProtocolNode *mine = loop_at(front, part);
  for (int r = 0; r < walk->num_roles; r++) {
    if (!(i->whole & 1u << r))
      continue;
    protocol_interleave_push(&walk->values, loop_at(front, r), mine);
    for (int q = r + 1; q < walk->num_roles; q++)
      if (i->whole & 1u << q)
        protocol_lockstep_push(&walk->values, loop_at(front, r),
                               loop_at(front, q));
  }
}

// One iteration of all of them and of part `j`.
static void walk_iteration(Walk *walk, const WalkFront *front,
                           const Interleave *i, int j, WalkSet *set) {
  WalkFront body = {0};
  int mark = walk->values.num_lockstep;
  for (int r = 0; r < walk->num_roles; r++)
    if ((i->whole & 1u << r) || r == i->parts[j])
      body.lists[r] = walk_next_of(front, r)->blocks[0];
  push_lockstep(walk, front, i, i->parts[j]);
  walk_lists(walk, &body, set);
  walk->values.num_lockstep = mark;
}

bool walk_interleaved(Walk *walk, WalkFront *front, WalkSet *set) {
  Interleave i;
  WalkSet heads[TILE_PROTOCOL_MAX_ROLES] = {{0}};
  int done[TILE_PROTOCOL_MAX_ROLES] = {0};
  if (!find(walk, front, &i))
    return false;
  walk->num_outside += walk->num_roles; // others may go on: no deadlock is sure
  walk_set_add_all(walk, &heads[0], set);
  for (bool is_new = true; is_new && !proof_stopped(walk->proof);) {
    is_new = false;
    for (int j = 0; j < i.num_parts; j++) {
      WalkSet todo = {0};
      for (; done[j] < heads[j].count; done[j]++)
        walk_set_add(walk, &todo, &heads[j].items[done[j]]);
      if (todo.count == 0)
        continue;
      is_new = true;
      walk_iteration(walk, front, &i, j, &todo);
      walk_set_add_all(walk, &heads[(j + 1) % i.num_parts], &todo);
    }
  }
  *set = (WalkSet){0};
  for (int j = 0; j < i.num_parts; j++) {
    walk_set_add_all(walk, set, &heads[j]);
    front->at[i.parts[j]]++;
  }
  for (int r = 0; r < walk->num_roles; r++)
    front->at[r] += (i.whole & 1u << r) != 0;
  walk->num_outside -= walk->num_roles;
  return true;
}
