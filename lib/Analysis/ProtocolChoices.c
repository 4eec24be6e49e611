//===- ProtocolChoices.c - Guards that only one role has ------------------===//
//
// A guard that no other role shares is a private choice: whatever it chooses,
// the roles must fit. One whose outcomes make the same events is no choice.
//
//===----------------------------------------------------------------------===//

#include "ProtocolWalk.h"

#include <string.h>

enum { MAX_CHOICES = 64 };

typedef struct {
  WalkList *items;
  int count;
} Choices;

//===-- Scalars of our own ------------------------------------------------===//

void walk_scalars_init(Walk *walk) {
  const TileProtocol *protocol = walk->proof->protocol;
  walk->scalars = *protocol;
  walk->scalar_capacity = protocol->num_scalars;
}

TileProtocolScalarId walk_add_scalar(Walk *walk, TileProtocolScalar scalar) {
  TileProtocol *p = &walk->scalars;
  TILE_ARENA_RESERVE(walk->arena, p->scalars, p->num_scalars,
                     walk->scalar_capacity);
  p->scalars[p->num_scalars] = scalar;
  return p->num_scalars++;
}

TileProtocolScalarId walk_add_scalars(Walk *walk, TileProtocolScalarId a,
                                      TileProtocolScalarId b) {
  const TileProtocolScalar *x = &walk->scalars.scalars[a];
  const TileProtocolScalar *y = &walk->scalars.scalars[b];
  if (x->kind == TILE_PROTOCOL_CONST && y->kind == TILE_PROTOCOL_CONST)
    return walk_add_scalar(
        walk, (TileProtocolScalar){.kind = TILE_PROTOCOL_CONST,
                                   .constant = x->constant + y->constant});
  if (x->kind == TILE_PROTOCOL_CONST && x->constant == 0)
    return b;
  if (y->kind == TILE_PROTOCOL_CONST && y->constant == 0)
    return a;
  TileProtocolScalar sum = {.kind = TILE_PROTOCOL_OP,
                            .function = TILE_PROTOCOL_FN_ADD,
                            .num_args = 2};
  sum.args = TILE_ARENA_NEW(walk->arena, TileProtocolScalarId, 2);
  sum.args[0] = a;
  sum.args[1] = b;
  return walk_add_scalar(walk, sum);
}

TileProtocolScalarId walk_multiply_scalar(Walk *walk, TileProtocolScalarId a,
                                          int64_t factor) {
  const TileProtocolScalar *x = &walk->scalars.scalars[a];
  TileProtocolScalar constant = {.kind = TILE_PROTOCOL_CONST,
                                 .constant = factor};
  if (factor == 1)
    return a;
  if (x->kind == TILE_PROTOCOL_CONST || factor == 0) {
    constant.constant = factor * x->constant;
    return walk_add_scalar(walk, constant);
  }
  TileProtocolScalar product = {.kind = TILE_PROTOCOL_OP,
                                .function = TILE_PROTOCOL_FN_MUL,
                                .num_args = 2};
  product.args = TILE_ARENA_NEW(walk->arena, TileProtocolScalarId, 2);
  product.args[0] = a;
  product.args[1] = walk_add_scalar(walk, constant);
  return walk_add_scalar(walk, product);
}

//===-- Lists -------------------------------------------------------------===//

static WalkList joined(Walk *walk, const WalkList *a, const WalkList *b) {
  WalkList out = {0};
  out.items = TILE_ARENA_NEW(walk->arena, WalkElement, a->count + b->count + 1);
  for (int i = 0; i < a->count; i++)
    out.items[out.count++] = a->items[i];
  for (int i = 0; i < b->count; i++)
    out.items[out.count++] = b->items[i];
  return out;
}

static bool same_events(const WalkList *a, const WalkList *b) {
  if (a->count != b->count)
    return false;
  for (int i = 0; i < a->count; i++)
    if (a->items[i].is_control || b->items[i].is_control ||
        a->items[i].takes != b->items[i].takes ||
        a->items[i].node->channel != b->items[i].node->channel)
      return false;
  return true;
}

static bool is_straight(const WalkList *list) {
  for (int i = 0; i < list->count; i++)
    if (list->items[i].is_control)
      return false;
  return true;
}

static void add_choice(Walk *walk, Choices *choices, const WalkList *list) {
  for (int i = 0; i < choices->count; i++)
    if (same_events(&choices->items[i], list))
      return;
  if (!choices->items)
    choices->items = TILE_ARENA_NEW(walk->arena, WalkList, MAX_CHOICES + 1);
  if (choices->count == MAX_CHOICES)
    proof_stop(walk->proof, TILE_PROTOCOL_UNKNOWN, "too-many-private-choices",
               -1, -1, NULL,
               "one role has more than %d ways through its own guards",
               MAX_CHOICES);
  else
    choices->items[choices->count++] = *list;
}

//===-- Choices -----------------------------------------------------------===//

static bool is_no_choice(Walk *walk, const WalkElement *element, WalkList *out);

// The events of a list all of whose guards are no choices.
static bool is_flat(Walk *walk, const WalkList *list, WalkList *out) {
  *out = (WalkList){0};
  for (int i = 0; i < list->count; i++) {
    WalkList one = {&list->items[i], 1}, inner;
    if (list->items[i].is_control &&
        !is_no_choice(walk, &list->items[i], &inner))
      return false;
    *out = joined(walk, out, list->items[i].is_control ? &inner : &one);
  }
  return true;
}

// A guard whose outcomes make the same events.
static bool is_no_choice(Walk *walk, const WalkElement *element,
                         WalkList *out) {
  WalkList other;
  return element->node->kind == TILE_PROTOCOL_IF &&
         is_flat(walk, &element->blocks[0], out) &&
         is_flat(walk, &element->blocks[1], &other) && same_events(out, &other);
}

// Whether another role decides the same, and does not make the same events
// either way.
static bool is_shared(Walk *walk, const WalkFront *front, int role,
                      const TileProtocolNode *branch) {
  WalkList events;
  for (int r = 0; r < walk->num_roles; r++) {
    const WalkList *list = &front->lists[r];
    for (int i = 0; i < list->count && r != role; i++)
      if (list->items[i].is_control &&
          !is_no_choice(walk, &list->items[i], &events) &&
          walk_same_decision(walk, branch, list->items[i].node))
        return true;
  }
  return false;
}

static Choices choices_of(Walk *walk, const WalkFront *front, int role,
                          const WalkList *list);

// The element itself, or what its outcomes make.
static Choices choices_of_element(Walk *walk, const WalkFront *front, int role,
                                  const WalkElement *element) {
  Choices whole = {0}, outcomes = {0};
  WalkList self = {(WalkElement *)element, 1};
  add_choice(walk, &whole, &self);
  if (!element->is_control || element->node->kind != TILE_PROTOCOL_IF)
    return whole;
  for (int b = 0; b < 2; b++) {
    Choices branch = choices_of(walk, front, role, &element->blocks[b]);
    for (int i = 0; i < branch.count; i++) {
      if (!is_straight(&branch.items[i]))
        return whole;
      add_choice(walk, &outcomes, &branch.items[i]);
    }
  }
  bool is_choice = outcomes.count > 1;
  return is_choice && is_shared(walk, front, role, element->node) ? whole
                                                                  : outcomes;
}

static Choices choices_of(Walk *walk, const WalkFront *front, int role,
                          const WalkList *list) {
  WalkList nothing = {0};
  Choices all = {0};
  add_choice(walk, &all, &nothing);
  for (int i = 0; i < list->count && !proof_stopped(walk->proof); i++) {
    Choices next = {0};
    Choices element = choices_of_element(walk, front, role, &list->items[i]);
    for (int a = 0; a < all.count; a++)
      for (int b = 0; b < element.count; b++) {
        WalkList way = joined(walk, &all.items[a], &element.items[b]);
        add_choice(walk, &next, &way);
      }
    all = next;
  }
  return all;
}

//===-- The walk over all choices -----------------------------------------===//

static void walk_choices(Walk *walk, const Choices *choices, int role,
                         WalkFront *front, const WalkSet *set, WalkSet *out) {
  if (role == walk->num_roles) {
    WalkSet copy = {0};
    for (int i = 0; i < set->count; i++)
      walk_set_add(walk, &copy, &set->items[i]);
    walk_front(walk, front, &copy);
    for (int i = 0; i < copy.count; i++)
      walk_set_add(walk, out, &copy.items[i]);
    return;
  }
  for (int i = 0; i < choices[role].count && !proof_stopped(walk->proof); i++) {
    front->lists[role] = choices[role].items[i];
    walk_choices(walk, choices, role + 1, front, set, out);
  }
}

void walk_lists(Walk *walk, const WalkFront *front, WalkSet *set) {
  Choices choices[TILE_PROTOCOL_MAX_ROLES] = {0};
  WalkFront inner = {0};
  WalkSet out = {0};
  for (int r = 0; r < walk->num_roles; r++)
    choices[r] = choices_of(walk, front, r, &front->lists[r]);
  walk_choices(walk, choices, 0, &inner, set, &out);
  *set = out;
}
