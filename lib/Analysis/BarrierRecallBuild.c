//===- BarrierRecallBuild.c - Facts that decisions depend on --------------===//
//
// The facts are the conditions of all decisions, and what these conditions were
// in terms of the numbers before: a condition of n, where n becomes n + 1, was
// that of n + 1. Facts that no decision can tell are left out, so the row of
// n, n + 1, n + 2, ... ends where copies are issued.
//
//===----------------------------------------------------------------------===//

#include "BarrierRecall.h"

#include <string.h>

enum { MAX_CANDIDATES = 1024 };

// A loop that counts from `lower` to `upper`.
typedef struct {
  TileProtocolScalarId iv;
  BarrierTermId lower, upper;
  int less; // the function that it decides by
} Counted;

typedef struct {
  BarrierRecall *out;
  TileArena *arena;
  const BarrierProgram *program;
  const BarrierListing *listing;
  int capacity;
  int *generation; // of each fact: iterations in front of a decision
  int max_generations;
  int *fact_of; // per term, + 1
  int fact_of_capacity;
  Counted *counted;
  int num_counted, counted_capacity;
  BarrierTermId *steps; // of loops: positive
  int num_steps, step_capacity;
} Build;

static const BarrierTerm *term_at(const Build *b, BarrierTermId id) {
  return &b->out->terms.items[id];
}

//===-- Loops that count --------------------------------------------------===//

static bool is_step(const Build *b, BarrierTermId id) {
  for (int i = 0; i < b->num_steps; i++)
    if (b->steps[i] == id)
      return true;
  return false;
}

// A constant and steps, none of them negative.
static bool is_ahead(const Build *b, BarrierTermId id) {
  if (id == BARRIER_NO_TERM)
    return false;
  const BarrierTerm *term = term_at(b, id);
  if (term->kind == BARRIER_TERM_CONST)
    return term->constant >= 0;
  if (term->kind != BARRIER_TERM_SUM)
    return is_step(b, id);
  bool result = term->constant >= 0;
  for (int i = 0; i < term->num_args && result; i++)
    result = term->factors[i] > 0 && is_step(b, term->args[i]);
  return result;
}

static void find_counted(Build *b, const BarrierCodes *codes) {
  BarrierTerms *t = &b->out->terms;
  for (int i = 0; i < codes->count; i++) {
    const TileProtocolNode *node = codes->items[i].node;
    if (codes->items[i].kind != CODE_HEAD)
      continue;
    Counted counted = {.iv = node->iv,
                       .lower = barrier_term_of(t, node->lower),
                       .upper = barrier_term_of(t, node->upper),
                       .less = node->is_unsigned ? TILE_PROTOCOL_FN_ULT
                                                 : TILE_PROTOCOL_FN_LT};
    BarrierTermId step = barrier_term_of(t, node->step);
    if (counted.lower == BARRIER_NO_TERM || counted.upper == BARRIER_NO_TERM ||
        step == BARRIER_NO_TERM)
      continue;
    TILE_ARENA_RESERVE(b->arena, b->counted, b->num_counted,
                       b->counted_capacity);
    b->counted[b->num_counted++] = counted;
    if (term_at(b, step)->kind != BARRIER_TERM_CONST && !is_step(b, step)) {
      TILE_ARENA_RESERVE(b->arena, b->steps, b->num_steps, b->step_capacity);
      b->steps[b->num_steps++] = step;
    }
  }
}

// Whether `value` is a number that the loop counts to, or would: a few steps
// from its induction variable or lower bound.
static bool is_counted(const Build *b, const Counted *loop,
                       BarrierTermId value) {
  BarrierTerms *t = &b->out->terms;
  if (is_ahead(b, value) && is_ahead(b, loop->lower))
    return true;
  const BarrierTermId from[2] = {barrier_term_of(t, loop->iv), loop->lower};
  for (int i = 0; i < 2; i++) {
    bool is_signed = loop->less == TILE_PROTOCOL_FN_LT;
    if (is_ahead(b, barrier_term_sum(t, value, -1, from[i])) ||
        (is_signed && is_ahead(b, barrier_term_sum(t, from[i], -1, value))))
      return true;
  }
  return false;
}

//===-- Facts -------------------------------------------------------------===//

static RecallLiteral literal_of(Build *b, BarrierTermId term, int generation);

// Sets that `upper - n > ahead` is `n + ahead < upper`, where `n < upper`, of a
// loop that decides by `function`.
static void set_distance(Build *b, RecallLiteral *parts, int function,
                         const BarrierTerm *less, int generation) {
  BarrierTerms *t = &b->out->terms;
  for (int i = 0; i < b->num_counted; i++) {
    Counted loop = b->counted[i];
    BarrierTermId from = barrier_term_sum(t, loop.upper, -1, less->args[1]);
    bool is_itself = function == TILE_PROTOCOL_FN_ULT &&
                     less->args[1] == loop.upper; // upper - 0 > ahead
    if (loop.less != function || is_itself || from == BARRIER_NO_TERM ||
        !is_counted(b, &loop, from))
      continue;
    const BarrierTermId first[2] = {from, loop.upper};
    const BarrierTermId second[2] = {
        barrier_term_sum(t, from, 1, less->args[0]), loop.upper};
    parts[0] =
        literal_of(b, barrier_term_call(t, function, 0, 2, first), generation);
    parts[1] =
        literal_of(b, barrier_term_call(t, function, 0, 2, second), generation);
    return;
  }
}

static void set_distances(Build *b, RecallFact *fact, const BarrierTerm *less,
                          int generation) {
  if (!is_ahead(b, less->args[0]))
    return;
  fact->kind = RECALL_IMPLIED;
  set_distance(b, &fact->parts[0], TILE_PROTOCOL_FN_LT, less, generation);
  set_distance(b, &fact->parts[2], TILE_PROTOCOL_FN_ULT, less, generation);
  if (fact->parts[0].fact == RECALL_NOTHING &&
      fact->parts[2].fact == RECALL_NOTHING)
    fact->kind = RECALL_PLAIN;
}

static void set_parts(Build *b, RecallFact *fact, int generation) {
  BarrierTerm term = *term_at(b, fact->term);
  if (term.kind != BARRIER_TERM_CALL)
    return;
  switch (term.function) {
  case TILE_PROTOCOL_FN_AND:
    fact->kind = RECALL_AND;
    break;
  case TILE_PROTOCOL_FN_OR:
    fact->kind = RECALL_OR;
    break;
  case TILE_PROTOCOL_FN_SELECT:
    fact->kind = RECALL_SELECT;
    break;
  case TILE_PROTOCOL_FN_ULT:
    set_distances(b, fact, &term, generation);
    return;
  default:
    return;
  }
  for (int i = 0; i < term.num_args; i++)
    fact->parts[i] = literal_of(b, term.args[i], generation);
}

static int add_fact(Build *b, BarrierTermId term, int generation) {
  BarrierRecall *r = b->out;
  if (b->fact_of_capacity <= term) {
    int more = 2 * term + 64;
    b->fact_of = tile_arena_copy(b->arena, b->fact_of,
                                 sizeof(int) * (size_t)b->fact_of_capacity,
                                 sizeof(int) * (size_t)more);
    b->fact_of_capacity = more;
  }
  if (b->fact_of[term])
    return b->fact_of[term] - 1;
  if (r->num_facts == MAX_CANDIDATES || generation > b->max_generations)
    return RECALL_NOTHING;
  int capacity = b->capacity, index = r->num_facts;
  TILE_ARENA_RESERVE(b->arena, r->facts, r->num_facts, b->capacity);
  if (capacity != b->capacity)
    b->generation =
        tile_arena_copy(b->arena, b->generation, sizeof(int) * (size_t)capacity,
                        sizeof(int) * (size_t)b->capacity);
  r->facts[index].term = term;
  b->generation[index] = generation;
  b->fact_of[term] = ++r->num_facts;
  RecallFact fact = {.term = term};
  for (int i = 0; i < RECALL_MAX_PARTS; i++)
    fact.parts[i].fact = RECALL_NOTHING;
  set_parts(b, &fact, generation);
  r->facts[index] = fact;
  return index;
}

static RecallLiteral literal_of(Build *b, BarrierTermId term, int generation) {
  if (term == BARRIER_NO_TERM)
    return (RecallLiteral){RECALL_NOTHING, false};
  const BarrierTerm *at = term_at(b, term);
  if (at->kind == BARRIER_TERM_CONST)
    return (RecallLiteral){RECALL_TRUE, !(at->constant & 1)};
  if (at->kind != BARRIER_TERM_NOT)
    return (RecallLiteral){add_fact(b, term, generation), false};
  return (RecallLiteral){add_fact(b, at->args[0], generation), true};
}

//===-- Conditions --------------------------------------------------------===//

static BarrierTermId condition_of(Build *b, const BarrierCode *code) {
  BarrierTerms *t = &b->out->terms;
  if (code->kind == CODE_BRANCH || code->kind == CODE_WHILE)
    return barrier_term_of(t, code->node->condition);
  if (code->kind != CODE_HEAD)
    return BARRIER_NO_TERM;
  const BarrierTermId args[2] = {barrier_term_of(t, code->node->iv),
                                 barrier_term_of(t, code->node->upper)};
  return barrier_term_call(
      t, code->node->is_unsigned ? TILE_PROTOCOL_FN_ULT : TILE_PROTOCOL_FN_LT,
      0, 2, args);
}

static void find_conditions(Build *b, int role) {
  const BarrierCodes *codes = &b->listing->roles[role];
  b->out->codes[role] = TILE_ARENA_NEW(b->arena, RecallCode, codes->count + 1);
  for (int i = 0; i < codes->count; i++)
    b->out->codes[role][i].condition =
        literal_of(b, condition_of(b, &codes->items[i]), 0);
}

//===-- Replacements ------------------------------------------------------===//

// Scalars that get new numbers at once.
typedef struct {
  int count;
  const TileProtocolScalarId *to;
  BarrierTermId *from;
  bool is_end;  // of a loop: terms of `to` become terms of `from`
  bool is_next; // of a loop
  bool is_back; // what is not stable may change
} Change;

static void set_change(Build *b, Change *change, int count,
                       const TileProtocolScalarId *to,
                       const TileProtocolScalarId *from) {
  change->count = count;
  change->to = to;
  change->from = TILE_ARENA_NEW(b->arena, BarrierTermId, count + 1);
  for (int i = 0; i < count; i++)
    change->from[i] = barrier_term_of(&b->out->terms, from[i]);
}

// The number that a loop of constant bounds ends with.
static void set_end(Build *b, Change *change, const TileProtocolNode *loop) {
  BarrierTerms *t = &b->out->terms;
  const BarrierTermId bounds[3] = {barrier_term_of(t, loop->lower),
                                   barrier_term_of(t, loop->upper),
                                   barrier_term_of(t, loop->step)};
  int64_t numbers[3];
  for (int i = 0; i < 3; i++) {
    if (bounds[i] == BARRIER_NO_TERM ||
        term_at(b, bounds[i])->kind != BARRIER_TERM_CONST)
      return;
    numbers[i] = term_at(b, bounds[i])->constant;
    if (numbers[i] < 0 || numbers[i] > INT32_MAX)
      return;
  }
  int64_t lower = numbers[0], upper = numbers[1], step = numbers[2];
  if (step == 0)
    return;
  int64_t trips = lower < upper ? (upper - lower + step - 1) / step : 0;
  change->count = 1;
  change->to = &loop->iv;
  change->from = TILE_ARENA_NEW(b->arena, BarrierTermId, 1);
  change->from[0] = barrier_term_constant(t, lower + trips * step);
  change->is_end = true;
}

static Change change_of(Build *b, const BarrierCodes *codes, int index) {
  BarrierTerms *t = &b->out->terms;
  const BarrierCode *code = &codes->items[index];
  const TileProtocolNode *node = code->node;
  Change change = {0};
  switch (code->kind) {
  case CODE_BIND:
    set_change(b, &change, code->count, code->to, code->from);
    change.is_next = code->is_next;
    break;
  case CODE_NEXT:
    set_change(b, &change, 1, &node->iv, &node->iv);
    change.is_next = true;
    change.from[0] = barrier_term_sum(t, barrier_term_of(t, node->iv), 1,
                                      barrier_term_of(t, node->step));
    break;
  case CODE_EVENT:
    if (node->kind == TILE_PROTOCOL_ASSIGN)
      set_change(b, &change, 1, &node->to, &node->from);
    break;
  case CODE_HEAD:
    set_end(b, &change, node);
    break;
  case CODE_JUMP:
    change.is_back = code->target <= index;
    break;
  default:
    break;
  }
  return change;
}

static void add_move(Build *b, RecallCode *code, int fact, RecallLiteral from) {
  TILE_ARENA_RESERVE(b->arena, code->moves, code->num_moves,
                     code->move_capacity);
  code->moves[code->num_moves++] = (RecallMove){fact, from};
}

static void add_moves(Build *b, RecallCode *code, const Change *change,
                      int fact) {
  const RecallLiteral nothing = {RECALL_NOTHING, false};
  BarrierTerms *t = &b->out->terms;
  BarrierTermId term = b->out->facts[fact].term;
  if (change->is_back && term_at(b, term)->has_unstable)
    add_move(b, code, fact, nothing);
  BarrierTermId other =
      barrier_term_replace(t, term, change->count, change->to, change->from);
  if (other == term)
    return;
  RecallLiteral literal =
      literal_of(b, other, b->generation[fact] + change->is_next);
  if (!change->is_end)
    add_move(b, code, fact, literal);
  else if (literal.fact >= 0)
    add_move(b, code, literal.fact, (RecallLiteral){fact, literal.is_negated});
}

// Facts are added as they are met.
static void find_moves(Build *b) {
  int num_roles = b->program->protocol.num_roles;
  Change *changes[TILE_PROTOCOL_MAX_ROLES];
  for (int r = 0; r < num_roles; r++) {
    const BarrierCodes *codes = &b->listing->roles[r];
    changes[r] = TILE_ARENA_NEW(b->arena, Change, codes->count + 1);
    for (int i = 0; i < codes->count; i++) {
      changes[r][i] = change_of(b, codes, i);
      b->out->codes[r][i].is_end = changes[r][i].is_end;
    }
  }
  for (int fact = 0; fact < b->out->num_facts; fact++)
    for (int r = 0; r < num_roles; r++)
      for (int i = 0; i < b->listing->roles[r].count; i++)
        if (changes[r][i].count > 0 || changes[r][i].is_back)
          add_moves(b, &b->out->codes[r][i], &changes[r][i], fact);
}

//===-- Facts that can be known -------------------------------------------===//

typedef struct {
  bool can[MAX_CANDIDATES]; // be known
  int number[MAX_CANDIDATES];
  bool has_changed;
} Reach;

static bool can_be(const Reach *reach, RecallLiteral literal) {
  return literal.fact == RECALL_TRUE ||
         (literal.fact >= 0 && reach->can[literal.fact]);
}

static void reach_fact(const Build *b, Reach *reach, int fact) {
  if (fact < 0 || reach->can[fact])
    return;
  reach->can[fact] = reach->has_changed = true;
  for (int i = 0;
       i < RECALL_MAX_PARTS && b->out->facts[fact].kind != RECALL_PLAIN; i++)
    reach_fact(b, reach, b->out->facts[fact].parts[i].fact);
}

// Decisions tell facts, and facts those that they become.
static void reach_facts(const Build *b, Reach *reach) {
  int num_roles = b->program->protocol.num_roles;
  for (int r = 0; r < num_roles; r++)
    for (int i = 0; i < b->listing->roles[r].count; i++)
      reach_fact(b, reach, b->out->codes[r][i].condition.fact);
  for (reach->has_changed = true; reach->has_changed;) {
    reach->has_changed = false;
    for (int r = 0; r < num_roles; r++)
      for (int i = 0; i < b->listing->roles[r].count; i++) {
        const RecallCode *code = &b->out->codes[r][i];
        for (int m = 0; m < code->num_moves; m++)
          if (can_be(reach, code->moves[m].from))
            reach_fact(b, reach, code->moves[m].fact);
      }
  }
}

static RecallLiteral renumbered(const Reach *reach, RecallLiteral literal) {
  if (literal.fact >= 0)
    literal.fact = reach->number[literal.fact];
  return literal;
}

static void renumber_code(const Reach *reach, RecallCode *code) {
  int count = 0;
  code->condition = renumbered(reach, code->condition);
  for (int i = 0; i < code->num_moves; i++) {
    RecallMove move = code->moves[i];
    move.fact = reach->number[move.fact];
    move.from = renumbered(reach, move.from);
    if (move.fact >= 0)
      code->moves[count++] = move;
  }
  code->num_moves = count;
}

static void keep_reached(Build *b) {
  Reach *reach = TILE_ARENA_NEW(b->arena, Reach, 1);
  BarrierRecall *out = b->out;
  int count = 0;
  reach_facts(b, reach);
  for (int i = 0; i < out->num_facts; i++) {
    bool keeps = reach->can[i] && count < RECALL_MAX_FACTS;
    reach->number[i] = keeps ? count++ : RECALL_NOTHING;
    if (keeps)
      out->facts[reach->number[i]] = out->facts[i];
  }
  out->num_facts = count;
  for (int i = 0; i < count; i++)
    for (int k = 0; k < RECALL_MAX_PARTS; k++)
      out->facts[i].parts[k] = renumbered(reach, out->facts[i].parts[k]);
  for (int r = 0; r < b->program->protocol.num_roles; r++)
    for (int i = 0; i < b->listing->roles[r].count; i++)
      renumber_code(reach, &out->codes[r][i]);
}

//===-- Facts that follow -------------------------------------------------===//

// Of `n < upper` of a loop that counts: which loop, else -1.
static int counted_by(const Build *b, BarrierTermId id) {
  const BarrierTerm *term = term_at(b, id);
  for (int i = 0; i < b->num_counted && term->kind == BARRIER_TERM_CALL; i++)
    if (term->function == b->counted[i].less &&
        term->args[1] == b->counted[i].upper &&
        is_counted(b, &b->counted[i], term->args[0]))
      return i;
  return -1;
}

static void set_follows(Build *b) {
  BarrierRecall *r = b->out;
  for (int i = 0; i < r->num_facts; i++) {
    int loop = counted_by(b, r->facts[i].term);
    for (int k = 0; k < r->num_facts && loop >= 0; k++) {
      const BarrierTerm *a = term_at(b, r->facts[i].term);
      const BarrierTerm *c = term_at(b, r->facts[k].term);
      if (i == k || c->kind != BARRIER_TERM_CALL ||
          c->function != a->function || c->args[1] != a->args[1] ||
          counted_by(b, r->facts[k].term) < 0 ||
          !is_ahead(b, barrier_term_sum(&r->terms, c->args[0], -1,
                                        term_at(b, r->facts[i].term)->args[0])))
        continue;
      r->facts[k].below[i / 32] |= UINT32_C(1) << i % 32;
      r->facts[i].above[k / 32] |= UINT32_C(1) << k % 32;
    }
  }
}

//===-- Facts that matter -------------------------------------------------===//

static void add_live(const BarrierRecall *r, uint32_t *live,
                     RecallLiteral literal) {
  if (literal.fact < 0 || live[literal.fact / 32] >> literal.fact % 32 & 1)
    return;
  const RecallFact *fact = &r->facts[literal.fact];
  live[literal.fact / 32] |= UINT32_C(1) << literal.fact % 32;
  for (int i = 0; i < RECALL_MAX_PARTS && fact->kind != RECALL_PLAIN; i++)
    add_live(r, live, fact->parts[i]);
}

static void add_all(uint32_t *to, const uint32_t *from) {
  for (int w = 0; w < RECALL_WORDS; w++)
    to[w] |= from[w];
}

// What matters in front of moves, when `after` does behind them.
static void live_before(const BarrierRecall *r, const RecallCode *code,
                        const uint32_t *after, uint32_t *out) {
  uint32_t kept[RECALL_WORDS];
  memcpy(kept, after, sizeof kept);
  for (int i = 0; i < code->num_moves; i++) {
    const RecallMove *move = &code->moves[i];
    if (!(after[move->fact / 32] >> move->fact % 32 & 1))
      continue;
    add_live(r, out, move->from);
    if (!code->is_end)
      kept[move->fact / 32] &= ~(UINT32_C(1) << move->fact % 32);
  }
  add_all(out, kept);
}

static void update_live(const BarrierRecall *r, const BarrierCodes *codes,
                        int role, int index, uint32_t *live) {
  const BarrierCode *code = &codes->items[index];
  RecallCode *all = r->codes[role];
  bool decides = code->kind >= CODE_BRANCH && code->kind <= CODE_WHILE;
  if (decides)
    add_live(r, live, all[index].condition);
  if (decides || code->kind == CODE_JUMP)
    live_before(r, &all[index], all[code->target].live, live);
  if (decides)
    add_all(live, all[index + 1].live);
  else if (code->kind != CODE_JUMP && code->kind != CODE_END)
    live_before(r, &all[index], all[index + 1].live, live);
}

static void set_live(const BarrierRecall *r, const BarrierCodes *codes,
                     int role) {
  for (bool has_changed = true; has_changed;) {
    has_changed = false;
    for (int i = codes->count - 1; i >= 0; i--) {
      uint32_t live[RECALL_WORDS] = {0};
      update_live(r, codes, role, i, live);
      if (memcmp(live, r->codes[role][i].live, sizeof live) == 0)
        continue;
      memcpy(r->codes[role][i].live, live, sizeof live);
      has_changed = true;
    }
  }
}

// How many iterations copies are issued ahead, at most.
static int max_ahead(const BarrierProgram *program) {
  int ahead = 0;
  for (int c = 0; c < program->protocol.num_channels; c++)
    if (program->protocol.channels[c].depth > ahead)
      ahead = program->protocol.channels[c].depth;
  for (int i = 0; i < program->num_buffers; i++)
    if (program->num_slots[i] > ahead)
      ahead = program->num_slots[i];
  return ahead;
}

//===-- Entry -------------------------------------------------------------===//

void barrier_recall_build(const BarrierProgram *program,
                          const BarrierListing *listing, TileArena *arena,
                          BarrierRecall *out) {
  *out = (BarrierRecall){0};
  Build b = {
      .out = out, .arena = arena, .program = program, .listing = listing};
  b.max_generations = max_ahead(program) + 1;
  barrier_terms_init(&out->terms, &program->protocol, arena);
  for (int r = 0; r < program->protocol.num_roles; r++)
    find_counted(&b, &listing->roles[r]);
  for (int r = 0; r < program->protocol.num_roles; r++)
    find_conditions(&b, r);
  find_moves(&b);
  keep_reached(&b);
  set_follows(&b);
  for (int r = 0; r < program->protocol.num_roles; r++)
    set_live(out, &listing->roles[r], r);
}
