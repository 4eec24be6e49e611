//===- protocol-random-test.c - Verdicts against all schedules ------------===//
//
// Random programs of two or three roles, right ones and mutants of them. What
// is proved is run with all schedules under several decisions, and must show no
// fault; right programs must be proved.
//
//===----------------------------------------------------------------------===//

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "protocol-program.h"
#include <stdio.h>
#include <string.h>

enum { MAX_WORDS = 96, WORD_BYTES = 12, TEXT_BYTES = MAX_WORDS * WORD_BYTES };

//===-- Random ------------------------------------------------------------===//

typedef struct {
  uint64_t state;
} Random;

static unsigned below(Random *random, unsigned limit) {
  random->state = random->state * 6364136223846793005u + 1442695040888963407u;
  return (unsigned)((random->state >> 33) % limit);
}

//===-- Programs ----------------------------------------------------------===//

typedef struct {
  char words[MAX_WORDS][WORD_BYTES];
  int count;
} Text;

static void put(Text *text, const char *word, char name) {
  if (text->count < MAX_WORDS)
    snprintf(text->words[text->count++], WORD_BYTES, word, name);
}

typedef struct {
  Random *random;
  int num_channels, num_readers;
  Text producer, readers[2];
} Source;

static void put_all(Source *s, const char *word, char name) {
  put(&s->producer, word, name);
  for (int r = 0; r < s->num_readers; r++)
    put(&s->readers[r], word, name);
}

static void put_round(Source *s) {
  char name = "xyz"[below(s->random, (unsigned)s->num_channels)];
  put(&s->producer, "acq %c", name);
  put(&s->producer, "fill %c", name);
  put(&s->producer, "com %c", name);
  for (int r = 0; r < s->num_readers; r++) {
    bool is_guarded = below(s->random, 6) == 0;
    put(&s->readers[r], "wt %c", name);
    if (is_guarded)
      put(&s->readers[r], "if _p {", 0);
    put(&s->readers[r], "read %c", name);
    if (is_guarded)
      put(&s->readers[r], "}", 0);
    put(&s->readers[r], "rel %c", name);
  }
}

static void put_block(Source *s, int depth) {
  static const char *const heads[] = {"for n {", "for m {", "for 2 {",
                                      "if g {",  "if h {",  "while w {"};
  for (unsigned i = below(s->random, 4) + 1; i > 0; i--) {
    if (depth == 0 || below(s->random, 2)) {
      put_round(s);
      continue;
    }
    unsigned head = below(s->random, 6);
    put_all(s, heads[head], 0);
    put_block(s, depth - 1);
    if ((head == 3 || head == 4) && below(s->random, 2)) {
      put_all(s, "} else {", 0);
      put_block(s, depth - 1);
    }
    put_all(s, "}", 0);
  }
}

static bool is_event(const char *word) {
  return !strchr(word, '{') && !strchr(word, '}');
}

static void drop_word(Text *text, unsigned at) {
  memmove(text->words[at], text->words[at + 1],
          ((size_t)text->count - at - 1) * WORD_BYTES);
  text->count--;
}

static void insert_word(Text *text, unsigned at, const char *word) {
  char copy[WORD_BYTES];
  snprintf(copy, sizeof copy, "%s", word);
  memmove(text->words[at + 1], text->words[at],
          ((size_t)text->count - at) * WORD_BYTES);
  memcpy(text->words[at], copy, WORD_BYTES);
  text->count++;
}

// Drops, doubles or moves an event, or decides on another value.
static void mutate(Random *random, Text *text) {
  unsigned at = below(random, (unsigned)text->count), kind = below(random, 6);
  char *word = text->words[at];
  if (text->count + 1 >= MAX_WORDS)
    return;
  if (!is_event(word)) {
    char *name = strchr(word, ' ');
    if (word[0] != '}' && kind == 0)
      name[1] = name[1] == 'n'   ? 'm'
                : name[1] == 'g' ? 'h'
                : name[1] == '2' ? '3'
                                 : name[1];
    return;
  }
  if (kind == 0) {
    drop_word(text, at);
  } else if (kind == 1) {
    insert_word(text, at, word);
  } else {
    char moved[WORD_BYTES];
    memcpy(moved, word, WORD_BYTES);
    drop_word(text, at);
    unsigned distance = below(random, 6) + 1;
    at = below(random, 2) ? at + distance : at < distance ? 0 : at - distance;
    insert_word(text, at > (unsigned)text->count ? (unsigned)text->count : at,
                moved);
  }
}

typedef struct {
  TileProtocolNode *nodes[256];
  const TileProtocolBlock *blocks[256];
  int count;
} Nodes;

static void collect(const TileProtocolBlock *block, Nodes *out) {
  for (int i = 0; i < block->num_nodes; i++) {
    TileProtocolNode *node = block->nodes[i];
    if (node->kind <= TILE_PROTOCOL_READ && out->count < 256) {
      out->blocks[out->count] = block;
      out->nodes[out->count++] = node;
    }
    collect(&node->blocks[0], out);
    collect(&node->blocks[1], out);
  }
}

static TileProtocolScalarId *slot_of(TileProtocolNode *node) {
  return node->num_reads ? &node->reads[0].slot : &node->slot;
}

// Gives an event the slot or parity of another one beside it.
static void mutate_position(Random *random, TileProtocol *protocol) {
  Nodes nodes = {.count = 0};
  unsigned role = below(random, (unsigned)protocol->num_roles);
  collect(&protocol->roles[role].body, &nodes);
  if (nodes.count == 0)
    return;
  unsigned i = below(random, (unsigned)nodes.count);
  unsigned j = below(random, (unsigned)nodes.count);
  TileProtocolNode *to = nodes.nodes[i], *from = nodes.nodes[j];
  if (nodes.blocks[i] != nodes.blocks[j])
    return;
  if (to->kind == TILE_PROTOCOL_WAIT && from->kind == TILE_PROTOCOL_WAIT &&
      below(random, 2))
    to->parity = from->parity;
  else
    *slot_of(to) = *slot_of(from);
}

static void join(const Text *text, char out[TEXT_BYTES]) {
  int length = 0;
  out[0] = 0;
  for (int i = 0; i < text->count; i++)
    length += snprintf(out + length, (size_t)(TEXT_BYTES - length), "%s ",
                       text->words[i]);
}

//===-- Trials ------------------------------------------------------------===//

typedef struct {
  int proved, refused, faulty, missed;
  int shown; // faulty ones of which the verdict has a schedule
} Tally;

static const char *find_fault(const TileProtocol *protocol) {
  static const ProgramDecisions decisions[] = {{0, 1}, {1, 2}, {2, 3},
                                               {3, 4}, {5, 5}, {4, 6}};
  for (size_t i = 0; i < sizeof decisions / sizeof *decisions; i++) {
    TileArena arena;
    tile_arena_init(&arena);
    const char *fault = program_explore(protocol, &arena, &decisions[i]);
    tile_arena_deinit(&arena);
    if (fault)
      return fault;
  }
  return NULL;
}

static void judge(Random *random, const Program *program, bool is_right,
                  Tally *tally) {
  TileArena arena;
  TileProtocol protocol;
  TileProtocolVerdict verdict;
  tile_arena_init(&arena);
  program_parse(program, &arena, &protocol);
  if (!is_right && below(random, 3) == 0)
    mutate_position(random, &protocol);
  tile_protocol_verify(&protocol, &program_limits, &arena, &verdict);
  bool is_proved = verdict.outcome == TILE_PROTOCOL_PROVED;
  const char *fault = find_fault(&protocol);
  tally->proved += is_proved;
  tally->refused += !is_proved;
  tally->faulty += fault != NULL;
  tally->shown += fault && verdict.schedule;
  if ((fault && is_proved) || (is_right && !is_proved)) {
    tally->missed++;
    print_error("%s: %s (%s)\n", fault ? fault : "no fault",
                is_proved ? "proved" : verdict.code, verdict.text);
    for (int r = 0; r < program->num_roles; r++)
      print_error("  %s\n", program->roles[r]);
  }
  tile_arena_deinit(&arena);
}

static void trial(Random *random, bool mutates, Tally *tally) {
  static char texts[3][TEXT_BYTES];
  Source source = {.random = random};
  Program program = {0};
  source.num_channels = (int)below(random, 3) + 1;
  source.num_readers = below(random, 4) == 0 ? 2 : 1;
  put_block(&source, 2);
  if (source.producer.count == MAX_WORDS ||
      source.readers[0].count == MAX_WORDS ||
      source.readers[1].count == MAX_WORDS)
    return;
  program.num_channels = source.num_channels;
  program.num_roles = source.num_readers + 1;
  for (int c = 0; c < program.num_channels; c++)
    program.channels[c] =
        (ProgramChannel){(int)below(random, 3) + 1, source.num_readers};
  Text *all[3] = {&source.producer, &source.readers[0], &source.readers[1]};
  for (unsigned i = mutates ? below(random, 3) + 1 : 0; i > 0; i--)
    mutate(random, all[below(random, (unsigned)program.num_roles)]);
  for (int r = 0; r < program.num_roles; r++) {
    join(all[r], texts[r]);
    program.roles[r] = texts[r];
  }
  // A channel that nobody uses has no arrivals.
  for (int c = 0; c < program.num_channels; c++) {
    char wait[8] = "wt x", give[8] = "rel x";
    wait[3] = give[4] = "xyz"[c];
    program.channels[c].readers = 0;
    for (int r = 0; r < program.num_roles; r++)
      program.channels[c].readers +=
          strstr(texts[r], wait) || strstr(texts[r], give);
  }
  judge(random, &program, !mutates, tally);
}

static void test_right_programs(void **state) {
  (void)state;
  Random random = {1};
  Tally tally = {0};
  for (int i = 0; i < 200; i++)
    trial(&random, false, &tally);
  assert_int_equal(tally.missed, 0);
  assert_int_equal(tally.faulty, 0);
  assert_true(tally.proved > 150);
}

static void test_mutants(void **state) {
  (void)state;
  Random random = {2};
  Tally tally = {0};
  for (int i = 0; i < 3000; i++)
    trial(&random, true, &tally);
  print_message("%d proved, %d refused, %d faulty, %d shown\n", tally.proved,
                tally.refused, tally.faulty, tally.shown);
  assert_int_equal(tally.missed, 0);
  assert_true(tally.faulty > 800);
  assert_true(tally.proved > 100); // moves that do no harm
  // Of the others guards differ from iteration to iteration, which values from
  // outside the roles do not.
  assert_true(tally.shown > tally.faulty * 8 / 10);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_right_programs),
      cmocka_unit_test(test_mutants),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
