//===- ProtocolPeel.c - The first iteration of a loop ---------------------===//
//
// One role may have peeled the first iteration of a loop that another has
// whole. So a loop is also "if it runs: the first iteration, then the others".
// Both parts are copies of the loop with scalars of their own: in the first one
// what the loop binds is what it begins with, and the others begin with what
// the first one hands on. Events are not copied; the proof knows them by their
// node.
//
//===----------------------------------------------------------------------===//

#include "ProtocolWalk.h"

struct WalkPeel {
  const TileProtocolNode *loop;
  TileProtocolScalarId condition; // whether it runs; -1 for a counted one
  TileProtocolBlock body;         // the first iteration, then the others
  bool decides_quietly;           // no events where a "while" decides
  struct WalkPeel *next;
};

typedef struct NodeCopy {
  const TileProtocolNode *node;
  TileProtocolNode *made;
  struct NodeCopy *next;
} NodeCopy;

typedef struct {
  Walk *walk;
  const TileProtocolNode *root;
  TileProtocolScalarId *map; // of scalars there were; -1: not copied
  int num_scalars;
  NodeCopy *nodes;
} Copy;

//===-- Scalars -----------------------------------------------------------===//

static bool is_control(const TileProtocolNode *node) {
  return node->kind >= TILE_PROTOCOL_IF;
}

static bool is_inside(const TileProtocolNode *outer,
                      const TileProtocolNode *inner) {
  bool found = false;
  for (int b = 0; b < 2 && is_control(outer); b++)
    for (int i = 0; i < outer->blocks[b].num_nodes && !found; i++)
      found = outer->blocks[b].nodes[i] == inner ||
              is_inside(outer->blocks[b].nodes[i], inner);
  return found;
}

static Copy copy_begin(Walk *walk, const TileProtocolNode *root) {
  Copy copy = {walk, root, NULL, walk->scalars.num_scalars, NULL};
  copy.map =
      TILE_ARENA_NEW(walk->arena, TileProtocolScalarId, copy.num_scalars + 1);
  for (int i = 0; i < copy.num_scalars; i++)
    copy.map[i] = -1;
  return copy;
}

static TileProtocolNode *copy_node(Copy *copy, const TileProtocolNode *node);

static TileProtocolScalarId copy_scalar(Copy *copy, TileProtocolScalarId id);

static TileProtocolScalarId copy_function(Copy *copy, TileProtocolScalarId id) {
  TileProtocolScalar scalar = copy->walk->scalars.scalars[id];
  const TileProtocolScalarId *args = scalar.args;
  bool differs = false;
  scalar.args = TILE_ARENA_NEW(copy->walk->arena, TileProtocolScalarId,
                               scalar.num_args + 1);
  for (int i = 0; i < scalar.num_args; i++) {
    scalar.args[i] = copy_scalar(copy, args[i]);
    differs |= scalar.args[i] != args[i];
  }
  return differs ? walk_add_scalar(copy->walk, scalar) : id;
}

// The value that the copy has for `id`.
static TileProtocolScalarId copy_scalar(Copy *copy, TileProtocolScalarId id) {
  if (id >= copy->num_scalars)
    return id;
  if (copy->map[id] >= 0)
    return copy->map[id];
  const TileProtocolScalar *scalar = &copy->walk->scalars.scalars[id];
  switch (scalar->kind) {
  case TILE_PROTOCOL_OPAQUE:
  case TILE_PROTOCOL_CONST:
  case TILE_PROTOCOL_VARIABLE:
    return id;
  case TILE_PROTOCOL_OP:
    return copy->map[id] = copy_function(copy, id);
  case TILE_PROTOCOL_IV:
  case TILE_PROTOCOL_ARG:
  case TILE_PROTOCOL_AFTER:
  case TILE_PROTOCOL_RESULT:
    if (is_inside(copy->root, scalar->node))
      copy_node(copy, scalar->node); // it may be needed ahead of its place
    return copy->map[id] >= 0 ? copy->map[id] : id;
  }
  return id;
}

static TileProtocolScalarId *
copy_scalars(Copy *copy, const TileProtocolScalarId *ids, int count) {
  TileProtocolScalarId *out =
      TILE_ARENA_NEW(copy->walk->arena, TileProtocolScalarId, count + 1);
  for (int i = 0; ids && i < count; i++)
    out[i] = copy_scalar(copy, ids[i]);
  return out;
}

// Scalars that `made` binds, in place of those that its original does.
static void bind(Copy *copy, const TileProtocolNode *made,
                 TileProtocolScalarId *ids, int count) {
  for (int i = 0; ids && i < count; i++) {
    TileProtocolScalar scalar = copy->walk->scalars.scalars[ids[i]];
    scalar.node = made;
    copy->map[ids[i]] = walk_add_scalar(copy->walk, scalar);
    ids[i] = copy->map[ids[i]];
  }
}

//===-- Nodes -------------------------------------------------------------===//

static TileProtocolBlock copy_block(Copy *copy,
                                    const TileProtocolBlock *block) {
  TileProtocolBlock out = {TILE_ARENA_NEW(copy->walk->arena, TileProtocolNode *,
                                          block->num_nodes + 1),
                           block->num_nodes};
  for (int i = 0; i < block->num_nodes; i++)
    out.nodes[i] = is_control(block->nodes[i])
                       ? copy_node(copy, block->nodes[i])
                       : block->nodes[i];
  return out;
}

static TileProtocolScalarId *
clone_ids(Copy *copy, const TileProtocolScalarId *ids, int count) {
  TileProtocolScalarId *out =
      TILE_ARENA_NEW(copy->walk->arena, TileProtocolScalarId, count + 1);
  for (int i = 0; ids && i < count; i++)
    out[i] = ids[i];
  return ids ? out : NULL;
}

static int num_results(const TileProtocolNode *node) {
  return node->kind == TILE_PROTOCOL_WHILE ? node->num_passed
                                           : node->num_values;
}

// The copy of a node, which is made when it is asked for first.
static TileProtocolNode *copy_node(Copy *copy, const TileProtocolNode *node) {
  Walk *walk = copy->walk;
  for (NodeCopy *done = copy->nodes; done; done = done->next)
    if (done->node == node)
      return done->made;
  TileProtocolNode *made = TILE_ARENA_NEW(walk->arena, TileProtocolNode, 1);
  NodeCopy *entry = TILE_ARENA_NEW(walk->arena, NodeCopy, 1);
  *made = *node;
  *entry = (NodeCopy){node, made, copy->nodes};
  copy->nodes = entry;
  made->results = clone_ids(copy, node->results, num_results(node));
  bind(copy, made, made->results, num_results(node));
  if (node->kind == TILE_PROTOCOL_FOR)
    bind(copy, made, &made->iv, 1);
  if (node->kind != TILE_PROTOCOL_IF) {
    made->args = clone_ids(copy, node->args, node->num_values);
    bind(copy, made, made->args, node->num_values);
    made->after = clone_ids(copy, node->after, node->num_passed);
    bind(copy, made, made->after, node->num_passed);
    made->inits = copy_scalars(copy, node->inits, node->num_values);
  }
  if (node->kind == TILE_PROTOCOL_FOR) {
    made->lower = copy_scalar(copy, node->lower);
    made->upper = copy_scalar(copy, node->upper);
    made->step = copy_scalar(copy, node->step);
  } else {
    made->condition = copy_scalar(copy, node->condition);
  }
  made->passed = copy_scalars(copy, node->passed, node->num_passed);
  for (int b = 0; b < 2; b++) {
    made->yields[b] = copy_scalars(copy, node->yields[b], node->num_values);
    made->blocks[b] = copy_block(copy, &node->blocks[b]);
  }
  return made;
}

//===-- Peeling -----------------------------------------------------------===//

// What the loop binds is what it begins with.
static Copy begin_first(Walk *walk, const TileProtocolNode *loop) {
  Copy first = copy_begin(walk, loop);
  for (int i = 0; i < loop->num_values; i++)
    first.map[loop->args[i]] = loop->inits[i];
  if (loop->kind == TILE_PROTOCOL_FOR)
    first.map[loop->iv] = loop->lower;
  for (int i = 0; i < loop->num_passed; i++)
    first.map[loop->after[i]] = copy_scalar(&first, loop->passed[i]);
  return first;
}

static const struct WalkPeel *peel(Walk *walk, const TileProtocolNode *loop) {
  for (struct WalkPeel *done = walk->peels; done; done = done->next)
    if (done->loop == loop)
      return done;
  bool is_while = loop->kind == TILE_PROTOCOL_WHILE;
  const TileProtocolBlock *body = &loop->blocks[is_while];
  struct WalkPeel *made = TILE_ARENA_NEW(walk->arena, struct WalkPeel, 1);
  Copy first = begin_first(walk, loop);
  *made = (struct WalkPeel){.loop = loop, .condition = -1, .next = walk->peels};
  walk->peels = made;
  made->decides_quietly =
      !is_while || walk_skeleton_of(walk, &loop->blocks[0]).count == 0;
  if (is_while)
    made->condition = copy_scalar(&first, loop->condition);
  made->body = copy_block(&first, body);
  TileProtocolScalarId *inits =
      copy_scalars(&first, loop->yields[0], loop->num_values);
  Copy others = copy_begin(walk, loop);
  TileProtocolNode *rest = copy_node(&others, loop);
  rest->inits = inits;
  if (!is_while)
    rest->lower = walk_add_scalars(walk, rest->lower, rest->step);
  made->body.nodes[made->body.num_nodes++] = rest;
  return made;
}

bool walk_is_first_iteration(Walk *walk, const TileProtocolNode *branch,
                             const TileProtocolNode *loop) {
  if (loop->kind == TILE_PROTOCOL_FOR)
    return protocol_is_first_iteration(&walk->values, branch, loop);
  const struct WalkPeel *parts = peel(walk, loop);
  return parts->decides_quietly &&
         protocol_values_equal(&walk->values, branch->condition,
                               parts->condition);
}

WalkElement walk_peel(Walk *walk, const WalkElement *loop) {
  WalkElement branch = {.node = loop->node, .is_control = true};
  branch.blocks[0] = walk_skeleton_of(walk, &peel(walk, loop->node)->body);
  return branch;
}
