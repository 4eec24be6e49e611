//===- ProtocolValues.c - Equal values in different roles -----------------===//
//
// Roles recompute what they need, so the same number has a name in each. Two
// values are equal when they are computed alike from equal values; arguments of
// loops in lockstep when they begin equal and go on equal, which is assumed
// while it is checked.
//
//===----------------------------------------------------------------------===//

#include "ProtocolInternal.h"

enum { MAX_DEPTH = 200 };

static bool equal(ProtocolValues *v, TileProtocolScalarId a,
                  TileProtocolScalarId b, int depth);

//===-- Assumptions -------------------------------------------------------===//

static bool is_assumed(const ProtocolValues *v, TileProtocolScalarId a,
                       TileProtocolScalarId b) {
  for (int i = 0; i < v->num_assumed; i++)
    if (v->assumed[i].a == a && v->assumed[i].b == b)
      return true;
  return false;
}

static void assume(ProtocolValues *v, TileProtocolScalarId a,
                   TileProtocolScalarId b) {
  TILE_ARENA_RESERVE(v->arena, v->assumed, v->num_assumed, v->assumed_capacity);
  v->assumed[v->num_assumed].a = a;
  v->assumed[v->num_assumed++].b = b;
}

bool protocol_lockstep_push(ProtocolValues *v, const TileProtocolNode *a,
                            const TileProtocolNode *b) {
  if (v->num_lockstep == PROTOCOL_MAX_LOCKSTEP)
    return false;
  v->lockstep[v->num_lockstep].a = a;
  v->lockstep[v->num_lockstep].is_interleaved = false;
  v->lockstep[v->num_lockstep++].b = b;
  return true;
}

bool protocol_interleave_push(ProtocolValues *v, const TileProtocolNode *a,
                              const TileProtocolNode *b) {
  if (!protocol_lockstep_push(v, a, b))
    return false;
  v->lockstep[v->num_lockstep - 1].is_interleaved = true;
  return true;
}

static bool are_together(const ProtocolValues *v, const TileProtocolNode *a,
                         const TileProtocolNode *b, bool is_interleaved) {
  for (int i = v->num_lockstep - 1; i >= 0; i--) {
    bool same = v->lockstep[i].a == a && v->lockstep[i].b == b;
    bool flipped = v->lockstep[i].a == b && v->lockstep[i].b == a;
    if ((same || flipped) && v->lockstep[i].is_interleaved == is_interleaved)
      return true;
  }
  return false;
}

// Whether the loops are in the same iteration, argument for argument.
static bool in_lockstep(const ProtocolValues *v, const TileProtocolNode *a,
                        const TileProtocolNode *b) {
  return are_together(v, a, b, false);
}

//===-- Loops and branches ------------------------------------------------===//

static bool args_equal(ProtocolValues *v, const TileProtocolNode *a, int i,
                       const TileProtocolNode *b, int j, int depth) {
  return equal(v, a->inits[i], b->inits[j], depth) &&
         equal(v, a->yields[0][i], b->yields[0][j], depth);
}

static bool bounds_equal(ProtocolValues *v, const TileProtocolNode *a,
                         const TileProtocolNode *b, int depth) {
  return a->is_unsigned == b->is_unsigned &&
         equal(v, a->lower, b->lower, depth) &&
         equal(v, a->upper, b->upper, depth) &&
         equal(v, a->step, b->step, depth);
}

// Results of loops that have run: as if they ran in lockstep now.
static bool loop_results_equal(ProtocolValues *v, const TileProtocolScalar *a,
                               const TileProtocolScalar *b, int depth) {
  const TileProtocolNode *x = a->node, *y = b->node;
  int mark = v->num_lockstep;
  if (!protocol_lockstep_push(v, x, y))
    return false;
  bool result =
      x->kind == TILE_PROTOCOL_FOR
          ? bounds_equal(v, x, y, depth) &&
                equal(v, x->args[a->index], y->args[b->index], depth)
          : equal(v, x->condition, y->condition, depth) &&
                equal(v, x->passed[a->index], y->passed[b->index], depth);
  v->num_lockstep = mark;
  return result;
}

static bool results_equal(ProtocolValues *v, const TileProtocolScalar *a,
                          const TileProtocolScalar *b, int depth) {
  const TileProtocolNode *x = a->node, *y = b->node;
  if (x->kind != y->kind)
    return false;
  if (x->kind != TILE_PROTOCOL_IF)
    return loop_results_equal(v, a, b, depth);
  return equal(v, x->condition, y->condition, depth) &&
         equal(v, x->yields[0][a->index], y->yields[0][b->index], depth) &&
         equal(v, x->yields[1][a->index], y->yields[1][b->index], depth);
}

//===-- Scalars -----------------------------------------------------------===//

static bool ops_equal(ProtocolValues *v, const TileProtocolScalar *a,
                      const TileProtocolScalar *b, int depth) {
  if (a->function != b->function || a->num_args != b->num_args ||
      a->constant != b->constant)
    return false;
  int i = 0;
  while (i < a->num_args && equal(v, a->args[i], b->args[i], depth))
    i++;
  bool commutes = a->function == TILE_PROTOCOL_FN_ADD ||
                  a->function == TILE_PROTOCOL_FN_MUL;
  return i == a->num_args ||
         (commutes && equal(v, a->args[0], b->args[1], depth) &&
          equal(v, a->args[1], b->args[0], depth));
}

static bool of_kind(ProtocolValues *v, TileProtocolScalarId a_id,
                    TileProtocolScalarId b_id, int depth) {
  const TileProtocolScalar *a = &v->protocol->scalars[a_id];
  const TileProtocolScalar *b = &v->protocol->scalars[b_id];
  switch (a->kind) {
  case TILE_PROTOCOL_OPAQUE:
    return false;
  case TILE_PROTOCOL_CONST:
    return a->constant == b->constant;
  case TILE_PROTOCOL_OP:
    return ops_equal(v, a, b, depth);
  case TILE_PROTOCOL_IV:
    return are_together(v, a->node, b->node, true) ||
           (in_lockstep(v, a->node, b->node) &&
            equal(v, a->node->lower, b->node->lower, depth) &&
            equal(v, a->node->step, b->node->step, depth));
  case TILE_PROTOCOL_ARG:
    if (!in_lockstep(v, a->node, b->node))
      return false;
    assume(v, a_id, b_id);
    return args_equal(v, a->node, a->index, b->node, b->index, depth);
  case TILE_PROTOCOL_AFTER:
    return in_lockstep(v, a->node, b->node) &&
           equal(v, a->node->passed[a->index], b->node->passed[b->index],
                 depth);
  case TILE_PROTOCOL_RESULT:
    return results_equal(v, a, b, depth);
  case TILE_PROTOCOL_VARIABLE:
    return false;
  }
  return false;
}

static bool equal(ProtocolValues *v, TileProtocolScalarId a,
                  TileProtocolScalarId b, int depth) {
  const TileProtocolScalar *x = &v->protocol->scalars[a];
  if (a == b)
    return x->kind != TILE_PROTOCOL_OPAQUE || x->is_shared;
  if (depth == MAX_DEPTH || x->kind != v->protocol->scalars[b].kind)
    return false;
  if (is_assumed(v, a, b))
    return true;
  int mark = v->num_assumed;
  bool result = of_kind(v, a, b, depth + 1);
  if (!result)
    v->num_assumed = mark; // what followed from it is not known either
  return result;
}

bool protocol_values_equal(ProtocolValues *values, TileProtocolScalarId a,
                           TileProtocolScalarId b) {
  values->num_assumed = 0;
  return equal(values, a, b, 0);
}

bool protocol_decisions_equal(ProtocolValues *values, const TileProtocolNode *a,
                              const TileProtocolNode *b) {
  if (a->kind != b->kind)
    return false;
  if (a->kind == TILE_PROTOCOL_FOR)
    return a->is_unsigned == b->is_unsigned &&
           protocol_values_equal(values, a->lower, b->lower) &&
           protocol_values_equal(values, a->upper, b->upper) &&
           protocol_values_equal(values, a->step, b->step);
  int mark = values->num_lockstep;
  if (a->kind == TILE_PROTOCOL_WHILE && !protocol_lockstep_push(values, a, b))
    return false;
  bool result = protocol_values_equal(values, a->condition, b->condition);
  values->num_lockstep = mark;
  return result;
}

bool protocol_is_first_iteration(ProtocolValues *values,
                                 const TileProtocolNode *branch,
                                 const TileProtocolNode *loop) {
  const TileProtocolScalar *condition =
      &values->protocol->scalars[branch->condition];
  bool is_op = condition->kind == TILE_PROTOCOL_OP;
  bool is_less =
      is_op && condition->function == (loop->is_unsigned ? TILE_PROTOCOL_FN_ULT
                                                         : TILE_PROTOCOL_FN_LT);
  bool is_greater =
      is_op && condition->function == (loop->is_unsigned ? TILE_PROTOCOL_FN_UGT
                                                         : TILE_PROTOCOL_FN_GT);
  return (is_less || is_greater) &&
         protocol_values_equal(values, condition->args[is_greater],
                               loop->lower) &&
         protocol_values_equal(values, condition->args[is_less], loop->upper);
}
