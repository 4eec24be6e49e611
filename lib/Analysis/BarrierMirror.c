//===- BarrierMirror.c - Parities that only change together ---------------===//
//
// A variable belongs to a slot when some wait on it takes its parity from the
// variable, or when it becomes such a variable, or the other way round: as it
// is, or flipped. Everything else that depends on one fixes the parity of the
// slot, there and wherever the code may still come there.
//
//===----------------------------------------------------------------------===//

#include "BarrierMirror.h"

enum { NO_SLOT = -1, SEVERAL_SLOTS = -2 };

/// How a scalar depends on variables: flips with those of `flips`, and in
/// another way on those of `other`; bits are places.
typedef struct {
  uint64_t flips, other;
} Dependence;

typedef struct {
  const BarrierMachine *machine;
  const BarrierCodes *codes;
  const ProtocolBinding *binding;
  BarrierMirror *out;
  int role;
  int slot_of[PROTOCOL_MAX_PLACES]; // of variables
} Build;

static void put(uint32_t *set, int slot) {
  set[slot / 32] |= UINT32_C(1) << slot % 32;
}

static bool has(const uint32_t *set, int slot) {
  return set[slot / 32] >> slot % 32 & 1;
}

//===-- Dependences -------------------------------------------------------===//

static const TileProtocolScalar *scalar_of(const Build *b,
                                           TileProtocolScalarId id) {
  return &b->binding->protocol->scalars[id];
}

static bool is_odd_constant(const Build *b, TileProtocolScalarId id) {
  const TileProtocolScalar *scalar = scalar_of(b, id);
  return scalar->kind == TILE_PROTOCOL_CONST && (scalar->constant & 1);
}

static Dependence dependence_of(const Build *b, TileProtocolScalarId id);

static Dependence dependence_of_op(const Build *b,
                                   const TileProtocolScalar *scalar) {
  Dependence sum = {0, 0};
  bool flips = scalar->function == TILE_PROTOCOL_FN_CAST ||
               scalar->function == TILE_PROTOCOL_FN_XOR;
  if (scalar->function == TILE_PROTOCOL_FN_AND)
    flips = is_odd_constant(b, scalar->args[0]) ||
            is_odd_constant(b, scalar->args[1]);
  for (int i = 0; i < scalar->num_args; i++) {
    Dependence part = dependence_of(b, scalar->args[i]);
    sum.other |= part.other;
    if (flips)
      sum.flips ^= part.flips;
    else
      sum.other |= part.flips;
  }
  return sum;
}

static Dependence dependence_of(const Build *b, TileProtocolScalarId id) {
  Dependence none = {0, 0};
  if (id < 0)
    return none;
  const TileProtocolScalar *scalar = scalar_of(b, id);
  int place = b->binding->place[id];
  if (scalar->kind == TILE_PROTOCOL_VARIABLE && place >= 0)
    return (Dependence){UINT64_C(1) << place, 0};
  return scalar->kind == TILE_PROTOCOL_OP && place < 0
             ? dependence_of_op(b, scalar)
             : none;
}

// The only variable that a scalar is, or is the opposite of; or -1.
static int variable_in(const Build *b, TileProtocolScalarId id) {
  Dependence d = dependence_of(b, id);
  if (d.other || !d.flips || (d.flips & (d.flips - 1)))
    return -1;
  return __builtin_ctzll(d.flips);
}

//===-- Variables of slots ------------------------------------------------===//

// True when that is new.
static bool give(Build *b, int place, int slot) {
  int *to = &b->slot_of[place];
  if (slot == NO_SLOT || *to == slot || *to == SEVERAL_SLOTS)
    return false;
  *to = *to == NO_SLOT ? slot : SEVERAL_SLOTS;
  return true;
}

// The slot that a wait names by a constant, or -1.
static int slot_of_wait(const Build *b, const TileProtocolNode *node) {
  const TileProtocolScalar *slot = scalar_of(b, node->slot);
  const int *first = &b->machine->first_slot[node->channel];
  bool is_there = slot->kind == TILE_PROTOCOL_CONST && slot->constant >= 0 &&
                  slot->constant < first[1] - first[0];
  return is_there ? first[0] + (int)slot->constant : NO_SLOT;
}

static bool is_event(const BarrierCode *code, TileProtocolNodeKind kind) {
  return code->kind == CODE_EVENT && code->node->kind == kind;
}

static bool give_at(Build *b, const BarrierCode *code) {
  const TileProtocolNode *node = code->node;
  if (is_event(code, TILE_PROTOCOL_WAIT)) {
    int place = variable_in(b, node->parity);
    return place >= 0 && give(b, place, slot_of_wait(b, node));
  }
  if (!is_event(code, TILE_PROTOCOL_ASSIGN))
    return false;
  int to = variable_in(b, node->to), from = variable_in(b, node->from);
  if (to < 0 || from < 0)
    return false;
  bool is_new = give(b, to, b->slot_of[from]);
  return give(b, from, b->slot_of[to]) || is_new;
}

static void find_variables(Build *b) {
  for (int i = 0; i < PROTOCOL_MAX_PLACES; i++)
    b->slot_of[i] = NO_SLOT;
  for (bool is_new = true; is_new;) {
    is_new = false;
    for (int at = 0; at < b->codes->count; at++)
      is_new |= give_at(b, &b->codes->items[at]);
  }
  for (int i = 0; i < PROTOCOL_MAX_PLACES; i++)
    if (b->slot_of[i] >= 0)
      b->out->places[b->role][b->slot_of[i]] |= UINT64_C(1) << i;
}

//===-- Where parities are fixed ------------------------------------------===//

// The slots of these variables matter by themselves.
static void fix(Build *b, uint32_t *set, uint64_t places) {
  for (int i = 0; i < PROTOCOL_MAX_PLACES; i++)
    if (places >> i & 1 && b->slot_of[i] >= 0)
      put(set, b->slot_of[i]);
}

static void fix_scalar(Build *b, uint32_t *set, TileProtocolScalarId id) {
  Dependence d = dependence_of(b, id);
  fix(b, set, d.flips | d.other);
}

static void fix_wait(Build *b, uint32_t *set, const TileProtocolNode *node) {
  int slot = slot_of_wait(b, node), place = variable_in(b, node->parity);
  if (slot != NO_SLOT && place >= 0 && b->slot_of[place] == slot)
    return;
  const int *first = &b->machine->first_slot[node->channel];
  for (int i = first[0]; i < first[1]; i++)
    if (slot == NO_SLOT || i == slot)
      put(set, i);
  fix_scalar(b, set, node->parity);
}

static void fix_bind(Build *b, uint32_t *set, TileProtocolScalarId to,
                     TileProtocolScalarId from) {
  int target = variable_in(b, to), source = variable_in(b, from);
  int slot = target < 0 ? NO_SLOT : b->slot_of[target];
  if (slot >= 0 && source >= 0 && b->slot_of[source] == slot)
    return;
  fix_scalar(b, set, to);
  fix_scalar(b, set, from);
}

static void fix_event(Build *b, uint32_t *set, const TileProtocolNode *node) {
  TileProtocolScalarId slots[TILE_PROTOCOL_MAX_READS];
  int count = barrier_event_slots(node, slots);
  for (int i = 0; i < count; i++)
    fix_scalar(b, set, slots[i]);
  if (node->kind == TILE_PROTOCOL_WAIT)
    fix_wait(b, set, node);
  else if (node->kind == TILE_PROTOCOL_ASSIGN)
    fix_bind(b, set, node->to, node->from);
}

// What the code at one place fixes by itself.
static void fix_at(Build *b, uint32_t *set, const BarrierCode *code) {
  const TileProtocolNode *node = code->node;
  switch (code->kind) {
  case CODE_EVENT:
    fix_event(b, set, node);
    break;
  case CODE_BRANCH:
  case CODE_WHILE:
    fix_scalar(b, set, node->condition);
    break;
  case CODE_HEAD:
  case CODE_NEXT:
    fix_scalar(b, set, node->lower);
    fix_scalar(b, set, node->upper);
    fix_scalar(b, set, node->step);
    break;
  case CODE_BIND:
    for (int i = 0; i < code->count; i++)
      fix_bind(b, set, code->to[i], code->from[i]);
    break;
  case CODE_JUMP:
  case CODE_END:
    break;
  }
}

static bool join(uint32_t *to, const uint32_t *from, int words) {
  bool is_new = false;
  for (int i = 0; i < words; i++) {
    is_new |= (from[i] & ~to[i]) != 0;
    to[i] |= from[i];
  }
  return is_new;
}

// ... and all that may come behind it.
static void spread(const Build *b) {
  int words = b->out->set_words;
  uint32_t *fixed = b->out->fixed[b->role];
  for (bool is_new = true; is_new;) {
    is_new = false;
    for (int at = b->codes->count - 1; at >= 0; at--) {
      const BarrierCode *code = &b->codes->items[at];
      bool jumps = code->kind == CODE_JUMP;
      if (jumps || code->kind == CODE_BRANCH || code->kind == CODE_HEAD ||
          code->kind == CODE_WHILE)
        is_new |= join(fixed + at * words, fixed + code->target * words, words);
      if (!jumps && code->kind != CODE_END)
        is_new |= join(fixed + at * words, fixed + (at + 1) * words, words);
    }
  }
}

static void build_role(Build *b, TileArena *arena) {
  int words = b->out->set_words;
  uint32_t *fixed =
      TILE_ARENA_NEW(arena, uint32_t, (b->codes->count + 1) * words);
  b->out->fixed[b->role] = fixed;
  b->out->places[b->role] =
      TILE_ARENA_NEW(arena, uint64_t, b->machine->num_slots + 1);
  find_variables(b);
  for (int at = 0; at < b->codes->count; at++)
    fix_at(b, fixed + at * words, &b->codes->items[at]);
  spread(b);
}

//===-- Entry -------------------------------------------------------------===//

void barrier_mirror_build(const BarrierMachine *machine,
                          const BarrierListing *listing,
                          const ProtocolBinding *bindings, TileArena *arena,
                          BarrierMirror *out) {
  *out = (BarrierMirror){.set_words = machine->num_slots / 32 + 1};
  for (int r = 0; r < machine->protocol->num_roles; r++) {
    Build b = {.machine = machine,
               .codes = &listing->roles[r],
               .binding = &bindings[r],
               .out = out,
               .role = r};
    build_role(&b, arena);
  }
}

bool barrier_mirror_may_flip(const BarrierMirror *mirror, int num_agents,
                             const int32_t *positions, int slot) {
  for (int a = 0; a < num_agents; a++) {
    const uint32_t *fixed = mirror->fixed[barrier_role_of(a)];
    if (has(fixed + positions[a] * mirror->set_words, slot))
      return false;
  }
  return true;
}
