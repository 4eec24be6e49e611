//===- protocol-program.c - Protocols written as text ---------------------===//

#include "protocol-program.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SCALARS = 4096, MAX_NODES = 512 };

// Positions of a role on a channel: of its next take and of its next give.
typedef struct {
  TileProtocolScalarId slot, parity;
} Position;

typedef struct {
  Position take, give;
  TileProtocolScalarId last; // slot of the last take
} Cursor;

enum { VALUES_PER_CURSOR = 5 };

typedef struct {
  const Program *program;
  TileArena *arena;
  TileProtocol *out;
  const char *at;
  int role;
  Cursor cursors[PROGRAM_MAX_CHANNELS];
  TileProtocolScalarId shared[128];
} Parser;

//===-- Words -------------------------------------------------------------===//

static bool next_word(Parser *p, char word[16]) {
  int length = 0;
  while (isspace((unsigned char)*p->at))
    p->at++;
  while (*p->at && !isspace((unsigned char)*p->at) && length < 15)
    word[length++] = *p->at++;
  word[length] = 0;
  return length > 0;
}

static bool accept(Parser *p, const char *wanted) {
  const char *mark = p->at;
  char word[16];
  if (next_word(p, word) && strcmp(word, wanted) == 0)
    return true;
  p->at = mark;
  return false;
}

//===-- Scalars -----------------------------------------------------------===//

static TileProtocolScalarId add(Parser *p, TileProtocolScalar scalar) {
  if (p->out->num_scalars == MAX_SCALARS)
    abort();
  p->out->scalars[p->out->num_scalars] = scalar;
  return p->out->num_scalars++;
}

static TileProtocolScalarId constant(Parser *p, int64_t value) {
  return add(
      p, (TileProtocolScalar){.kind = TILE_PROTOCOL_CONST, .constant = value});
}

static TileProtocolScalarId function(Parser *p, int number, int64_t extra,
                                     TileProtocolScalarId a,
                                     TileProtocolScalarId b) {
  TileProtocolScalar scalar = {.kind = TILE_PROTOCOL_OP,
                               .function = number,
                               .constant = extra,
                               .num_args = 2};
  scalar.args = TILE_ARENA_NEW(p->arena, TileProtocolScalarId, 2);
  scalar.args[0] = a;
  scalar.args[1] = b;
  return add(p, scalar);
}

static TileProtocolScalarId letter(Parser *p, const char *word) {
  if (isdigit((unsigned char)word[0]))
    return constant(p, atoi(word));
  bool is_private = word[0] == '_';
  TileProtocolScalarId *shared = &p->shared[(int)word[is_private ? 1 : 0]];
  if (!is_private && *shared >= 0)
    return *shared;
  TileProtocolScalarId id =
      add(p, (TileProtocolScalar){.kind = TILE_PROTOCOL_OPAQUE,
                                  .is_shared = !is_private,
                                  .constant = word[is_private ? 1 : 0]});
  if (!is_private)
    *shared = id;
  return id;
}

static Position advance(Parser *p, Position at, int channel) {
  int64_t depth = p->program->channels[channel].depth;
  return (Position){
      function(p, TILE_PROTOCOL_FN_ADVANCE_SLOT, depth, at.slot, at.parity),
      function(p, TILE_PROTOCOL_FN_ADVANCE_PARITY, depth, at.slot, at.parity)};
}

// All positions of a role as one row of values.
static void cursors_get(const Parser *p, TileProtocolScalarId *out) {
  for (int c = 0; c < p->program->num_channels; c++) {
    const Cursor *cursor = &p->cursors[c];
    TileProtocolScalarId values[VALUES_PER_CURSOR] = {
        cursor->take.slot, cursor->take.parity, cursor->give.slot,
        cursor->give.parity, cursor->last};
    memcpy(out + c * VALUES_PER_CURSOR, values, sizeof values);
  }
}

static void cursors_set(Parser *p, const TileProtocolScalarId *values) {
  for (int c = 0; c < p->program->num_channels; c++) {
    const TileProtocolScalarId *v = values + c * VALUES_PER_CURSOR;
    p->cursors[c] = (Cursor){{v[0], v[1]}, {v[2], v[3]}, v[4]};
  }
}

//===-- Events ------------------------------------------------------------===//

static TileProtocolNode *add_node(Parser *p, TileProtocolBlock *block,
                                  TileProtocolNodeKind kind) {
  if (!block->nodes)
    block->nodes = TILE_ARENA_NEW(p->arena, TileProtocolNode *, MAX_NODES);
  if (block->num_nodes == MAX_NODES)
    abort();
  TileProtocolNode *node = TILE_ARENA_NEW(p->arena, TileProtocolNode, 1);
  *node = (TileProtocolNode){.kind = kind, .channel = -1};
  block->nodes[block->num_nodes++] = node;
  return node;
}

static void parse_take(Parser *p, TileProtocolBlock *block, int channel,
                       bool acquires) {
  Cursor *cursor = &p->cursors[channel];
  TileProtocolNode *node = add_node(p, block, TILE_PROTOCOL_WAIT);
  node->channel = channel;
  node->side = acquires ? TILE_PROTOCOL_EMPTY : TILE_PROTOCOL_FULL;
  node->slot = cursor->take.slot;
  node->parity = acquires ? function(p, TILE_PROTOCOL_FN_XOR, 0,
                                     cursor->take.parity, constant(p, 1))
                          : cursor->take.parity;
  cursor->last = cursor->take.slot;
  cursor->take = advance(p, cursor->take, channel);
}

static void parse_give(Parser *p, TileProtocolBlock *block, int channel,
                       bool commits) {
  Cursor *cursor = &p->cursors[channel];
  TileProtocolNode *node = add_node(p, block, TILE_PROTOCOL_ARRIVE);
  node->channel = channel;
  node->side = commits ? TILE_PROTOCOL_FULL : TILE_PROTOCOL_EMPTY;
  node->slot = cursor->give.slot;
  node->count = 1;
  node->covers_stores = true;
  cursor->give = advance(p, cursor->give, channel);
}

static void parse_touch(Parser *p, TileProtocolBlock *block, int channel,
                        const char *word) {
  Cursor *cursor = &p->cursors[channel];
  bool fills = strcmp(word, "fill") == 0;
  TileProtocolNode *node =
      add_node(p, block, fills ? TILE_PROTOCOL_FILL : TILE_PROTOCOL_READ);
  if (fills) {
    node->channel = channel;
    node->slot = cursor->give.slot;
    node->cells = 1;
    node->fill = TILE_PROTOCOL_BY_STORES;
    return;
  }
  node->is_group = strcmp(word, "readg") == 0;
  node->num_reads = 1;
  node->reads[0] = (TileProtocolRead){channel, cursor->last, 1};
}

static int channel_of(char name) {
  return (int)(strchr("xyzu", name) - "xyzu");
}

static bool parse_channel_event(Parser *p, TileProtocolBlock *block,
                                const char *word) {
  static const char *const words[] = {"acq", "wt", "com", "rel"};
  char name[16];
  for (int i = 0; i < 4; i++)
    if (strcmp(word, words[i]) == 0) {
      next_word(p, name);
      (i < 2 ? parse_take : parse_give)(p, block, channel_of(name[0]),
                                        i % 2 == 0);
      return true;
    }
  if (strcmp(word, "fill") && strcmp(word, "read") && strcmp(word, "readg"))
    return false;
  next_word(p, name);
  parse_touch(p, block, channel_of(name[0]), word);
  return true;
}

static bool parse_other_event(Parser *p, TileProtocolBlock *block,
                              const char *word) {
  static const struct {
    const char *word;
    TileProtocolNodeKind kind;
    bool has_number;
  } table[] = {{"await", TILE_PROTOCOL_AWAIT, true},
               {"write", TILE_PROTOCOL_WRITE, true},
               {"store", TILE_PROTOCOL_STORE, true},
               {"fence", TILE_PROTOCOL_FENCE, false},
               {"drain", TILE_PROTOCOL_STORE_WAIT, false}};
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    char number[16];
    if (strcmp(word, table[i].word))
      continue;
    TileProtocolNode *node = add_node(p, block, table[i].kind);
    if (table[i].has_number && next_word(p, number))
      node->count = node->buffer = atoi(number);
    return true;
  }
  return false;
}

//===-- Control -----------------------------------------------------------===//

static void parse_block(Parser *p, TileProtocolBlock *block);

static int row_size(const Parser *p) {
  return p->program->num_channels * VALUES_PER_CURSOR;
}

static TileProtocolScalarId *row(Parser *p) {
  return TILE_ARENA_NEW(p->arena, TileProtocolScalarId, row_size(p) + 1);
}

static TileProtocolScalarId *bound_row(Parser *p, TileProtocolScalarKind kind,
                                       const TileProtocolNode *node) {
  TileProtocolScalarId *ids = row(p);
  for (int i = 0; i < row_size(p); i++)
    ids[i] =
        add(p, (TileProtocolScalar){.kind = kind, .node = node, .index = i});
  return ids;
}

static void parse_if(Parser *p, TileProtocolBlock *block) {
  char word[16];
  TileProtocolScalarId *before = row(p);
  TileProtocolNode *node = add_node(p, block, TILE_PROTOCOL_IF);
  next_word(p, word);
  node->condition = letter(p, word);
  node->num_values = row_size(p);
  cursors_get(p, before);
  for (int b = 0; b < 2; b++) {
    cursors_set(p, before);
    if (b == 0 || accept(p, "else")) {
      accept(p, "{");
      parse_block(p, &node->blocks[b]);
    }
    node->yields[b] = row(p);
    cursors_get(p, node->yields[b]);
  }
  node->results = bound_row(p, TILE_PROTOCOL_RESULT, node);
  cursors_set(p, node->results);
}

static void parse_loop(Parser *p, TileProtocolBlock *block, bool is_while) {
  char word[16];
  TileProtocolNode *node =
      add_node(p, block, is_while ? TILE_PROTOCOL_WHILE : TILE_PROTOCOL_FOR);
  next_word(p, word);
  node->num_values = row_size(p);
  node->inits = row(p);
  cursors_get(p, node->inits);
  node->args = bound_row(p, TILE_PROTOCOL_ARG, node);
  cursors_set(p, node->args);
  if (is_while) {
    node->condition = letter(p, word);
    node->num_passed = row_size(p);
    node->passed = node->args;
    node->after = bound_row(p, TILE_PROTOCOL_AFTER, node);
    cursors_set(p, node->after);
  } else {
    node->lower = constant(p, 0);
    node->upper = letter(p, word);
    node->step = constant(p, 1);
    node->iv =
        add(p, (TileProtocolScalar){.kind = TILE_PROTOCOL_IV, .node = node});
  }
  accept(p, "{");
  parse_block(p, &node->blocks[is_while]);
  node->yields[0] = row(p);
  cursors_get(p, node->yields[0]);
  node->results = bound_row(p, TILE_PROTOCOL_RESULT, node);
  cursors_set(p, node->results);
}

static void parse_block(Parser *p, TileProtocolBlock *block) {
  char word[16];
  while (next_word(p, word) && strcmp(word, "}")) {
    if (strcmp(word, "if") == 0)
      parse_if(p, block);
    else if (strcmp(word, "for") == 0 || strcmp(word, "while") == 0)
      parse_loop(p, block, word[0] == 'w');
    else if (!parse_channel_event(p, block, word) &&
             !parse_other_event(p, block, word))
      abort();
  }
}

//===-- Programs ----------------------------------------------------------===//

void program_parse(const Program *program, TileArena *arena,
                   TileProtocol *out_protocol) {
  static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h"};
  *out_protocol = (TileProtocol){.num_channels = program->num_channels,
                                 .num_roles = program->num_roles};
  out_protocol->scalars =
      TILE_ARENA_NEW(arena, TileProtocolScalar, MAX_SCALARS);
  out_protocol->channels =
      TILE_ARENA_NEW(arena, TileProtocolChannel, program->num_channels + 1);
  for (int c = 0; c < program->num_channels; c++)
    out_protocol->channels[c] =
        (TileProtocolChannel){.name = names[c],
                              .depth = program->channels[c].depth,
                              .full_count = 1,
                              .empty_count = program->channels[c].readers,
                              .producer = program->producer[c]};
  Parser p = {.program = program, .arena = arena, .out = out_protocol};
  for (int i = 0; i < 128; i++)
    p.shared[i] = -1;
  for (int r = 0; r < program->num_roles; r++) {
    TileProtocolScalarId zero = constant(&p, 0);
    for (int c = 0; c < program->num_channels; c++) {
      p.cursors[c] = (Cursor){{zero, zero}, {zero, zero}, zero};
      char wait[8] = "wt x", give[8] = "rel x";
      wait[3] = give[4] = "xyzu"[c];
      out_protocol->channels[c].reader_share[r] =
          strstr(program->roles[r], wait) || strstr(program->roles[r], give);
    }
    p.role = r;
    p.at = program->roles[r];
    out_protocol->roles[r].name = names[r];
    parse_block(&p, &out_protocol->roles[r].body);
  }
}
