//===- ProtocolWalk.c - All roles at once: no deadlock, nothing left over -===//
//
// Under the grammar every wait is for something that stays true, so all
// schedules of one word of decisions end alike and one of them decides. Roles
// run eagerly until they wait or decide; decisions on equal values are taken
// together. What is kept is how far each reader is behind its producer, which
// is finite, so loops end at a fixed point.
//
//===----------------------------------------------------------------------===//

#include "ProtocolWalk.h"

#include <string.h>

//===-- Skeletons ---------------------------------------------------------===//

static bool element_of(Walk *walk, const TileProtocolNode *node,
                       WalkElement *out) {
  *out = (WalkElement){.node = node};
  if (node->kind == TILE_PROTOCOL_TURN) {
    out->takes = node->is_begin;
    return true;
  }
  if (node->kind < TILE_PROTOCOL_IF) {
    ProtocolMeaning meaning = proof_meaning(walk->proof, node);
    out->takes = meaning == PROTOCOL_TAKES;
    return meaning == PROTOCOL_TAKES || meaning == PROTOCOL_GIVES;
  }
  out->is_control = true;
  out->blocks[0] = walk_skeleton_of(walk, &node->blocks[0]);
  out->blocks[1] = walk_skeleton_of(walk, &node->blocks[1]);
  return out->blocks[0].count + out->blocks[1].count > 0;
}

WalkList walk_skeleton_of(Walk *walk, const TileProtocolBlock *block) {
  WalkList list = {0};
  list.items = TILE_ARENA_NEW(walk->arena, WalkElement, block->num_nodes + 1);
  for (int i = 0; i < block->num_nodes; i++)
    if (element_of(walk, block->nodes[i], &list.items[list.count]))
      list.count++;
  return list;
}

//===-- Leads -------------------------------------------------------------===//

// The lead of a reading role; those of a channel stand together.
static int lead_of(const Walk *walk, int channel, int role) {
  int lead = walk->first_lead[channel];
  for (int r = 0; r < role; r++)
    lead += walk->proof->protocol->channels[channel].reader_share[r] > 0;
  return lead;
}

// The one turn goes round among all warpgroups that take turns.
static bool step_turn(const Walk *walk, int role, bool begins,
                      WalkLeads *leads) {
  const TileProtocolRole *roles = walk->proof->protocol->roles;
  int count = 0;
  for (int r = 0; r < walk->num_roles; r++)
    count += roles[r].num_turns;
  if (begins && leads->turn != roles[role].first_turn)
    return false;
  leads->turn =
      begins
          ? WALK_IN_TURN
          : (uint8_t)((roles[role].first_turn + roles[role].num_turns) % count);
  return true;
}

// Whether the slot of the next round is not released yet: `depth` rounds ago
// it was that of one of the sharers.
static bool shared_slot_is_held(const TileProtocolChannel *c, int first,
                                const WalkLeads *leads) {
  int k = c->num_sharers, next = leads->next_take[first];
  int owner = ((next - c->depth) % k + k) % k;
  int since = (next - 1 - owner + k) % k + 1; // its last round
  int ahead = leads->ahead[first + owner];
  return ahead > 0 && since + k * (ahead - 1) >= c->depth;
}

static bool step_shared(const TileProtocolChannel *c, int first,
                        const WalkElement *element, WalkLeads *leads) {
  uint8_t *next =
      element->takes ? &leads->next_take[first] : &leads->next_give[first];
  if (element->takes && shared_slot_is_held(c, first, leads))
    return false;
  if (element->takes)
    leads->ahead[first + *next]++;
  else
    leads->ready[first + *next]++;
  *next = (uint8_t)((*next + 1) % c->num_sharers);
  return true;
}

// False when the event has to wait.
static bool step(const Walk *walk, int role, const WalkElement *element,
                 WalkLeads *leads) {
  int channel = element->node->channel;
  if (element->node->kind == TILE_PROTOCOL_TURN)
    return step_turn(walk, role, element->takes, leads);
  const TileProtocolChannel *c = &walk->proof->protocol->channels[channel];
  int first = walk->first_lead[channel], end = walk->first_lead[channel + 1];
  if (role != c->producer) {
    int mine = lead_of(walk, channel, role);
    if (!element->takes) {
      leads->ahead[mine]--;
      return true;
    }
    if (leads->ready[mine] == 0)
      return false;
    leads->ready[mine]--;
    return true;
  }
  if (c->num_sharers > 1)
    return step_shared(c, first, element, leads);
  for (int i = first; i < end && element->takes; i++)
    if (leads->ahead[i] >= c->depth)
      return false;
  for (int i = first; i < end; i++) {
    leads->ahead[i] += element->takes;
    leads->ready[i] += !element->takes;
  }
  return true;
}

bool walk_set_add(Walk *walk, WalkSet *set, const WalkLeads *leads) {
  for (int i = 0; i < set->count; i++)
    if (memcmp(&set->items[i], leads, sizeof *leads) == 0)
      return false;
  TILE_ARENA_RESERVE(walk->arena, set->items, set->count, set->capacity);
  set->items[set->count++] = *leads;
  walk->proof->verdict->num_states++;
  return true;
}

void walk_set_add_all(Walk *walk, WalkSet *set, const WalkSet *from) {
  for (int i = 0; i < from->count; i++)
    walk_set_add(walk, set, &from->items[i]);
}

//===-- Eager execution ---------------------------------------------------===//

const WalkElement *walk_next_of(const WalkFront *front, int role) {
  const WalkList *list = &front->lists[role];
  return front->at[role] < list->count ? &list->items[front->at[role]] : NULL;
}

// Runs all roles until each waits, decides or ends.
static void run_eagerly(const Walk *walk, WalkFront *front, WalkLeads *leads) {
  for (bool moved = true; moved;) {
    moved = false;
    for (int r = 0; r < walk->num_roles; r++) {
      const WalkElement *element = walk_next_of(front, r);
      while (element && !element->is_control && step(walk, r, element, leads)) {
        front->at[r]++;
        moved = true;
        element = walk_next_of(front, r);
      }
    }
  }
}

//===-- Decisions ---------------------------------------------------------===//

// Whether two roles decide the same: alike, or one has peeled the first
// iteration of a loop that the other has whole.
bool walk_same_decision(Walk *walk, const TileProtocolNode *a,
                        const TileProtocolNode *b) {
  if (a->kind == TILE_PROTOCOL_IF && b->kind > TILE_PROTOCOL_IF)
    return walk_is_first_iteration(walk, a, b);
  if (a->kind > TILE_PROTOCOL_IF && b->kind == TILE_PROTOCOL_IF)
    return walk_is_first_iteration(walk, b, a);
  return protocol_decisions_equal(&walk->values, a, b);
}

bool walk_comes_later(Walk *walk, const WalkFront *front, int role,
                      const TileProtocolNode *node) {
  const WalkList *list = &front->lists[role];
  for (int i = front->at[role]; i < list->count; i++)
    if (list->items[i].is_control &&
        walk_same_decision(walk, node, list->items[i].node))
      return true;
  return false;
}

// The roles that take the decision which `leader` is at: 0 when it cannot be
// taken now, because a role that takes part is not there yet or nobody else
// takes part.
static unsigned participants(Walk *walk, const WalkFront *front, int leader) {
  const TileProtocolNode *node = walk_next_of(front, leader)->node;
  unsigned roles = 1u << leader;
  for (int r = 0; r < walk->num_roles; r++) {
    const WalkElement *next = walk_next_of(front, r);
    if (r == leader)
      continue;
    if (next && next->is_control && walk_same_decision(walk, node, next->node))
      roles |= 1u << r;
    else if (walk_comes_later(walk, front, r, node))
      return 0;
  }
  return (roles & (roles - 1)) ? roles : 0;
}

static void enter(unsigned roles, const WalkElement *elements, int block,
                  WalkFront *out) {
  memset(out, 0, sizeof *out);
  for (int r = 0; r < TILE_PROTOCOL_MAX_ROLES; r++)
    if (roles & (1u << r))
      out->lists[r] = elements[r].blocks[block];
}

static void decide_branch(Walk *walk, unsigned roles,
                          const WalkElement *elements, WalkSet *set) {
  WalkSet out = {0};
  for (int block = 0; block < 2; block++) {
    WalkSet branch = {0};
    WalkFront inner;
    walk_set_add_all(walk, &branch, set);
    enter(roles, elements, block, &inner);
    walk_lists(walk, &inner, &branch);
    walk_set_add_all(walk, &out, &branch);
  }
  *set = out;
}

static void push_lockstep(Walk *walk, unsigned roles,
                          const WalkElement *elements) {
  for (int a = 0; a < walk->num_roles; a++)
    for (int b = a + 1; b < walk->num_roles; b++)
      if ((roles & (1u << a)) && (roles & (1u << b)))
        protocol_lockstep_push(&walk->values, elements[a].node,
                               elements[b].node);
}

static void decide_loop(Walk *walk, unsigned roles, const WalkElement *elements,
                        bool is_while, WalkSet *set) {
  WalkFront before, body;
  WalkSet head = {0};
  int mark = walk->values.num_lockstep;
  push_lockstep(walk, roles, elements);
  enter(roles, elements, 0, &before);
  enter(roles, elements, is_while ? 1 : 0, &body);
  walk_set_add_all(walk, &head, set);
  for (int done = 0; done < head.count && !proof_stopped(walk->proof);) {
    WalkSet todo = {0};
    for (; done < head.count; done++)
      walk_set_add(walk, &todo, &head.items[done]);
    if (is_while)
      walk_lists(walk, &before, &todo);
    walk_lists(walk, &body, &todo);
    walk_set_add_all(walk, &head, &todo);
  }
  *set = head;
  if (is_while)
    walk_lists(walk, &before, set);
  walk->values.num_lockstep = mark;
}

static int count_outside(const Walk *walk, const WalkFront *front,
                         unsigned roles) {
  int count = 0;
  for (int r = 0; r < walk->num_roles; r++)
    count += !(roles & (1u << r)) && walk_next_of(front, r);
  return count;
}

// The decision of `roles`, for all its outcomes; moves the front behind it.
static void decide(Walk *walk, WalkFront *front, unsigned roles, WalkSet *set) {
  WalkElement elements[TILE_PROTOCOL_MAX_ROLES] = {0};
  bool has_branch = false, is_while = false;
  int num_outside = count_outside(walk, front, roles);
  for (int r = 0; r < walk->num_roles; r++)
    if (roles & (1u << r)) {
      elements[r] = *walk_next_of(front, r);
      has_branch |= elements[r].node->kind == TILE_PROTOCOL_IF;
      is_while |= elements[r].node->kind == TILE_PROTOCOL_WHILE;
      front->at[r]++;
    }
  for (int r = 0; r < walk->num_roles && has_branch; r++)
    if ((roles & (1u << r)) && elements[r].node->kind > TILE_PROTOCOL_IF)
      elements[r] = walk_peel(walk, &elements[r]);
  walk->num_outside += num_outside;
  if (has_branch)
    decide_branch(walk, roles, elements, set);
  else
    decide_loop(walk, roles, elements, is_while, set);
  walk->num_outside -= num_outside;
}

//===-- Stuck -------------------------------------------------------------===//

static void report_stuck(Walk *walk, const WalkFront *front) {
  const WalkElement *waiting = NULL, *deciding = NULL, *other = NULL;
  int waits = -1, decides = -1;
  for (int r = walk->num_roles - 1; r >= 0; r--) {
    const WalkElement *next = walk_next_of(front, r);
    if (!next)
      continue;
    if (next->is_control) {
      deciding = next;
      decides = r;
    } else {
      other = waiting;
      waiting = next;
      waits = r;
    }
  }
  const TileProtocolRole *roles = walk->proof->protocol->roles;
  if (waiting && !deciding && walk->num_outside == 0)
    proof_stop(walk->proof, TILE_PROTOCOL_REJECTED, "deadlock", waits,
               waiting->node->channel, waiting->node,
               "no role that could end this wait goes on");
  else if (waiting)
    proof_stop(walk->proof, TILE_PROTOCOL_UNKNOWN, "out-of-step", waits,
               waiting->node->channel, waiting->node,
               "waits here while role \"%s\" is at a decision that the others "
               "do not share",
               decides < 0 ? "another" : roles[decides].name);
  else
    proof_stop(
        walk->proof, TILE_PROTOCOL_UNKNOWN, "different-decision", decides, -1,
        deciding->node,
        "decides here on a value that no other role is seen to decide on "
        "as well");
  if (waiting && (deciding || other))
    walk->proof->verdict->other = deciding ? deciding->node : other->node;
}

//===-- The walk ----------------------------------------------------------===//

typedef struct {
  WalkFront front;
  WalkSet set;
} Group;

// States that stopped at the same places go on together.
static int group_states(Walk *walk, const WalkFront *front, const WalkSet *set,
                        Group **out) {
  int count = 0;
  *out = TILE_ARENA_NEW(walk->arena, Group, set->count + 1);
  for (int i = 0; i < set->count; i++) {
    WalkFront at = *front;
    WalkLeads leads = set->items[i];
    int g = 0;
    run_eagerly(walk, &at, &leads);
    while (g < count && memcmp((*out)[g].front.at, at.at, sizeof at.at) != 0)
      g++;
    if (g == count) {
      (*out)[count].front = at;
      (*out)[count++].set = (WalkSet){0};
    }
    walk_set_add(walk, &(*out)[g].set, &leads);
  }
  return count;
}

static bool is_done(const Walk *walk, const WalkFront *front) {
  for (int r = 0; r < walk->num_roles; r++)
    if (walk_next_of(front, r))
      return false;
  return true;
}

void walk_front(Walk *walk, const WalkFront *front, WalkSet *set) {
  WalkSet out = {0};
  Group *groups;
  int count = group_states(walk, front, set, &groups);
  for (int g = 0; g < count && !proof_stopped(walk->proof); g++) {
    unsigned roles = 0;
    for (int r = 0; r < walk->num_roles && !roles; r++) {
      const WalkElement *next = walk_next_of(&groups[g].front, r);
      if (next && next->is_control)
        roles = participants(walk, &groups[g].front, r);
    }
    if (!roles && walk_interleaved(walk, &groups[g].front, &groups[g].set)) {
      if (!proof_stopped(walk->proof))
        walk_front(walk, &groups[g].front, &groups[g].set);
    } else if (roles) {
      decide(walk, &groups[g].front, roles, &groups[g].set);
      if (!proof_stopped(walk->proof))
        walk_front(walk, &groups[g].front, &groups[g].set);
    } else if (!is_done(walk, &groups[g].front)) {
      report_stuck(walk, &groups[g].front);
    }
    walk_set_add_all(walk, &out, &groups[g].set);
  }
  *set = out;
}

//===-- Entry -------------------------------------------------------------===//

static bool count_leads(Walk *walk) {
  const TileProtocol *protocol = walk->proof->protocol;
  int count = 0;
  for (int c = 0; c < protocol->num_channels; c++) {
    walk->first_lead[c] = count;
    for (int r = 0; r < protocol->num_roles; r++)
      count += protocol->channels[c].reader_share[r] > 0;
    if (count > WALK_MAX_LEADS)
      return false;
  }
  walk->first_lead[protocol->num_channels] = count;
  return true;
}

static void check_end(Walk *walk, const WalkSet *set) {
  const TileProtocol *protocol = walk->proof->protocol;
  for (int i = 0; i < set->count; i++)
    for (int c = 0; c < protocol->num_channels; c++)
      for (int l = walk->first_lead[c]; l < walk->first_lead[c + 1]; l++)
        if (set->items[i].ahead[l] || set->items[i].ready[l])
          proof_stop(walk->proof, TILE_PROTOCOL_REJECTED, "unbalanced", -1, c,
                     NULL,
                     "at the end %d rounds are not waited for and %d not "
                     "released",
                     set->items[i].ready[l], set->items[i].ahead[l]);
}

void proof_check_walk(Proof *proof) {
  TileArena scratch;
  tile_arena_init(&scratch);
  Walk walk = {.proof = proof,
               .arena = &scratch,
               .num_roles = proof->protocol->num_roles};
  walk_scalars_init(&walk);
  walk.values = (ProtocolValues){.protocol = &walk.scalars, .arena = &scratch};
  walk.first_lead =
      TILE_ARENA_NEW(&scratch, int, proof->protocol->num_channels + 1);
  if (!count_leads(&walk)) {
    proof_stop(proof, TILE_PROTOCOL_UNKNOWN, "too-many-channels", -1, -1, NULL,
               "more than %d pairs of channels and readers", WALK_MAX_LEADS);
  } else {
    WalkFront front = {0};
    WalkSet set = {0};
    WalkLeads start;
    memset(&start, 0, sizeof start);
    for (int r = 0; r < walk.num_roles; r++)
      front.lists[r] = walk_skeleton_of(&walk, &proof->protocol->roles[r].body);
    walk_set_add(&walk, &set, &start);
    walk_lists(&walk, &front, &set);
    if (!proof_stopped(proof))
      check_end(&walk, &set);
  }
  tile_arena_deinit(&scratch);
}
