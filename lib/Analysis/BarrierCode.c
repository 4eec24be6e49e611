//===- BarrierCode.c - Programs on barriers, flat -------------------------===//
//
// Decisions of different roles are in one class when they are taken on equal
// values, in blocks that are in step: those are taken together, and stay so.
//
//===----------------------------------------------------------------------===//

#include "BarrierCode.h"

//===-- Equal decisions ---------------------------------------------------===//

typedef struct {
  TileArena *arena;
  BarrierListing *out;
  ProtocolValues values;
  const TileProtocolNode **nodes; // that have a class
  int *classes;
  int num_nodes, node_capacity, class_capacity;
} Match;

static int class_of(const Match *m, const TileProtocolNode *node) {
  for (int i = 0; i < m->num_nodes; i++)
    if (m->nodes[i] == node)
      return m->classes[i];
  return -1;
}

static void set_class(Match *m, const TileProtocolNode *node, int role,
                      int number) {
  BarrierListing *out = m->out;
  if (number < 0) {
    number = out->num_decisions;
    TILE_ARENA_RESERVE(m->arena, out->deciders, out->num_decisions,
                       m->class_capacity);
    out->deciders[out->num_decisions++] = 0;
  }
  int capacity = m->node_capacity;
  TILE_ARENA_RESERVE(m->arena, m->nodes, m->num_nodes, m->node_capacity);
  if (capacity != m->node_capacity) {
    int *classes = TILE_ARENA_NEW(m->arena, int, m->node_capacity);
    for (int i = 0; i < m->num_nodes; i++)
      classes[i] = m->classes[i];
    m->classes = classes;
  }
  m->nodes[m->num_nodes] = node;
  m->classes[m->num_nodes++] = number;
  out->deciders[number] |= 1u << role;
}

static bool is_control(const TileProtocolNode *node) {
  return node->kind >= TILE_PROTOCOL_IF;
}

static void match_blocks(Match *m, const TileProtocolBlock *mine, int role,
                         const TileProtocolBlock *theirs);

static void match_inner(Match *m, const TileProtocolNode *mine, int role,
                        const TileProtocolNode *theirs) {
  int mark = m->values.num_lockstep;
  if (mine->kind != TILE_PROTOCOL_IF &&
      !protocol_lockstep_push(&m->values, mine, theirs))
    return;
  for (int b = 0; b < 2; b++)
    match_blocks(m, &mine->blocks[b], role, &theirs->blocks[b]);
  m->values.num_lockstep = mark;
}

// Pairs what comes in the same order in two blocks that are in step.
static void match_blocks(Match *m, const TileProtocolBlock *mine, int role,
                         const TileProtocolBlock *theirs) {
  int next = 0;
  for (int i = 0; i < mine->num_nodes; i++) {
    const TileProtocolNode *node = mine->nodes[i];
    if (!is_control(node))
      continue;
    for (int k = next; k < theirs->num_nodes; k++) {
      const TileProtocolNode *other = theirs->nodes[k];
      int number = is_control(other) ? class_of(m, other) : -1;
      int known = class_of(m, node);
      bool is_taken =
          number >= 0 && known < 0 && m->out->deciders[number] >> role & 1;
      if (number < 0 || is_taken || (known >= 0 && known != number) ||
          !protocol_decisions_equal(&m->values, node, other))
        continue;
      if (known < 0)
        set_class(m, node, role, number);
      match_inner(m, node, role, other);
      next = k + 1;
      break;
    }
  }
}

static void class_rest(Match *m, const TileProtocolBlock *block, int role) {
  for (int i = 0; i < block->num_nodes; i++) {
    const TileProtocolNode *node = block->nodes[i];
    if (!is_control(node))
      continue;
    if (class_of(m, node) < 0)
      set_class(m, node, role, -1);
    class_rest(m, &node->blocks[0], role);
    class_rest(m, &node->blocks[1], role);
  }
}

//===-- Code --------------------------------------------------------------===//

typedef struct {
  TileArena *arena;
  BarrierCodes *out;
  const Match *match;
} Flatten;

static int emit(Flatten *f, BarrierCode code) {
  TILE_ARENA_RESERVE(f->arena, f->out->items, f->out->count, f->out->capacity);
  f->out->items[f->out->count] = code;
  return f->out->count++;
}

static void emit_bind(Flatten *f, int count, const TileProtocolScalarId *to,
                      const TileProtocolScalarId *from) {
  if (count > 0)
    emit(f, (BarrierCode){
                .kind = CODE_BIND, .count = count, .to = to, .from = from});
}

static void emit_next(Flatten *f, const TileProtocolNode *node) {
  int first = f->out->count;
  emit_bind(f, node->num_values, node->args, node->yields[0]);
  if (f->out->count > first)
    f->out->items[first].is_next = true;
}

static int emit_decision(Flatten *f, BarrierCodeKind kind,
                         const TileProtocolNode *node) {
  return emit(f, (BarrierCode){.kind = kind,
                               .node = node,
                               .decision = class_of(f->match, node)});
}

static void flatten_block(Flatten *f, const TileProtocolBlock *block);

static void flatten_if(Flatten *f, const TileProtocolNode *node) {
  int branch = emit_decision(f, CODE_BRANCH, node), jump = -1;
  for (int b = 0; b < 2; b++) {
    flatten_block(f, &node->blocks[b]);
    emit_bind(f, node->num_values, node->results, node->yields[b]);
    if (b == 0) {
      jump = emit(f, (BarrierCode){.kind = CODE_JUMP});
      f->out->items[branch].target = f->out->count;
    }
  }
  f->out->items[jump].target = f->out->count;
}

static void flatten_for(Flatten *f, const TileProtocolNode *node) {
  emit_bind(f, node->num_values, node->args, node->inits);
  emit_bind(f, 1, &node->iv, &node->lower);
  int head = emit_decision(f, CODE_HEAD, node);
  flatten_block(f, &node->blocks[0]);
  emit_next(f, node);
  emit(f, (BarrierCode){.kind = CODE_NEXT, .node = node});
  emit(f, (BarrierCode){.kind = CODE_JUMP, .target = head});
  f->out->items[head].target = f->out->count;
  emit_bind(f, node->num_values, node->results, node->args);
}

static void flatten_while(Flatten *f, const TileProtocolNode *node) {
  emit_bind(f, node->num_values, node->args, node->inits);
  int head = f->out->count;
  flatten_block(f, &node->blocks[0]);
  int decision = emit_decision(f, CODE_WHILE, node);
  emit_bind(f, node->num_passed, node->after, node->passed);
  flatten_block(f, &node->blocks[1]);
  emit_next(f, node);
  emit(f, (BarrierCode){.kind = CODE_JUMP, .target = head});
  f->out->items[decision].target = f->out->count;
  emit_bind(f, node->num_passed, node->results, node->passed);
}

static void flatten_block(Flatten *f, const TileProtocolBlock *block) {
  for (int i = 0; i < block->num_nodes; i++) {
    const TileProtocolNode *node = block->nodes[i];
    if (node->kind == TILE_PROTOCOL_IF)
      flatten_if(f, node);
    else if (node->kind == TILE_PROTOCOL_FOR)
      flatten_for(f, node);
    else if (node->kind == TILE_PROTOCOL_WHILE)
      flatten_while(f, node);
    else
      emit(f, (BarrierCode){.kind = CODE_EVENT, .node = node});
  }
}

void barrier_listing_build(const BarrierProgram *program, TileArena *arena,
                           BarrierListing *out) {
  const TileProtocol *p = &program->protocol;
  *out = (BarrierListing){0};
  Match m = {.arena = arena, .out = out};
  m.values = (ProtocolValues){.protocol = p, .arena = arena};
  for (int r = 0; r < p->num_roles; r++) {
    for (int other = 0; other < r; other++)
      match_blocks(&m, &p->roles[r].body, r, &p->roles[other].body);
    class_rest(&m, &p->roles[r].body, r);
  }
  for (int r = 0; r < p->num_roles; r++) {
    Flatten f = {arena, &out->roles[r], &m};
    flatten_block(&f, &p->roles[r].body);
    emit(&f, (BarrierCode){.kind = CODE_END});
  }
}

int barrier_event_slots(const TileProtocolNode *node,
                        TileProtocolScalarId out[TILE_PROTOCOL_MAX_READS]) {
  int count = 0;
  switch (node->kind) {
  case TILE_PROTOCOL_WAIT:
  case TILE_PROTOCOL_ARRIVE:
  case TILE_PROTOCOL_ARRIVE_ASYNC:
    out[count++] = node->slot;
    break;
  case TILE_PROTOCOL_FILL:
    out[count++] = node->slot;
    if (node->fill == TILE_PROTOCOL_BY_TMA && node->barrier >= 0)
      out[count++] = node->bar_slot;
    break;
  case TILE_PROTOCOL_READ:
    while (count < node->num_reads) {
      out[count] = node->reads[count].slot;
      count++;
    }
    break;
  default:
    break;
  }
  return count;
}
