//===- protocol-verify-test.c - Verdicts on single protocols --------------===//

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "protocol-program.h"
#include <stdio.h>
#include <string.h>

static TileProtocolVerdict verdict_within(const Program *program,
                                          TileProtocolLimits limits) {
  TileArena arena;
  TileProtocol protocol;
  TileProtocolVerdict verdict;
  tile_arena_init(&arena);
  program_parse(program, &arena, &protocol);
  tile_protocol_verify(&protocol, &limits, &arena, &verdict);
  tile_arena_deinit(&arena);
  return verdict;
}

static TileProtocolVerdict verdict_of(const Program *program) {
  return verdict_within(program, program_limits);
}

// What the proof alone says, without a search for runs that go wrong.
static TileProtocolVerdict proof_of(const Program *program) {
  return verdict_within(program, (TileProtocolLimits){0, 0});
}

// One channel of a depth, its producer and its reader.
static TileProtocolVerdict verdict_of_pair(int depth, const char *producer,
                                           const char *reader) {
  Program program = {.num_channels = 1,
                     .num_roles = 2,
                     .channels = {{depth, 1}},
                     .roles = {producer, reader}};
  return verdict_of(&program);
}

static void expect(TileProtocolVerdict verdict, TileProtocolOutcome outcome,
                   const char *code, const char *text) {
  assert_string_equal(verdict.code ? verdict.code : "", code);
  assert_int_equal(verdict.outcome, outcome);
  assert_non_null(strstr(verdict.text, text));
}

static const char fills[] = "for n { acq x fill x com x }";

static void test_proved(void **state) {
  (void)state;
  for (int depth = 1; depth <= 5; depth++) {
    expect(verdict_of_pair(depth, fills, "for n { wt x read x rel x }"),
           TILE_PROTOCOL_PROVED, "", "");
    expect(verdict_of_pair(depth,
                           "for m { for n { acq x fill x com x } } "
                           "while g { if h { acq x fill x com x } }",
                           "for m { for n { wt x read x rel x } } "
                           "while g { if h { wt x read x rel x } }"),
           TILE_PROTOCOL_PROVED, "", "");
  }
}

// A product in flight holds its slot: two slots are needed, and the release
// comes one round late.
static void test_products_in_flight(void **state) {
  (void)state;
  static const char late[] = "if n { wt x readg x for m { wt x readg x await 1 "
                             "rel x } await 0 rel x }";
  static const char producer[] =
      "if n { acq x fill x com x for m { acq x fill x com x } }";
  expect(verdict_of_pair(2, producer, late), TILE_PROTOCOL_PROVED, "", "");
  expect(verdict_of_pair(3, producer, late), TILE_PROTOCOL_PROVED, "", "");
  expect(verdict_of_pair(1, producer, late), TILE_PROTOCOL_REJECTED,
         "self-wait", "only the role itself");
  expect(verdict_of_pair(2, fills, "for n { wt x readg x await 1 rel x }"),
         TILE_PROTOCOL_REJECTED, "release-in-flight",
         "releases a slot that a product in flight still reads");
  // Of one slot the last product counts.
  expect(verdict_of_pair(2, fills,
                         "for n { wt x for m { readg x } await 0 rel x }"),
         TILE_PROTOCOL_PROVED, "", "");
  expect(verdict_of_pair(2, fills,
                         "for n { wt x for m { readg x } await 1 rel x }"),
         TILE_PROTOCOL_REJECTED, "release-in-flight", "");
  char many[16 * 16] = "";
  for (int i = 0; i < 16; i++)
    strcat(many, "wt x readg x ");
  Program long_flight = {.num_channels = 1,
                         .num_roles = 2,
                         .channels = {{20, 1}},
                         .roles = {fills, many}};
  expect(proof_of(&long_flight), TILE_PROTOCOL_UNKNOWN, "too-many-in-flight",
         "products in flight may read more than 15 slots, or as many stores");
}

static void test_three_roles(void **state) {
  (void)state;
  Program program = {.num_channels = 2,
                     .num_roles = 3,
                     .channels = {{2, 2}, {1, 1}},
                     .roles = {"for n { acq x fill x com x } for m { acq y "
                               "fill y com y }",
                               "for n { wt x read x rel x }",
                               "for n { wt x rel x } for m { wt y read y rel "
                               "y }"}};
  expect(verdict_of(&program), TILE_PROTOCOL_PROVED, "", "");
  program.roles[1] = "for m { wt x read x rel x }";
  expect(proof_of(&program), TILE_PROTOCOL_UNKNOWN, "out-of-step",
         "waits here while role \"another\" is at a decision");
  expect(verdict_of(&program), TILE_PROTOCOL_REJECTED, "deadlock",
         "0: no role goes on");
  program.channels[0].depth = 8;
  program.roles[0] =
      "for 3 { acq x fill x com x } for m { acq y fill y com y }";
  program.roles[2] = "for 3 { wt x rel x } for m { wt y read y rel y }";
  program.roles[1] = "for n { wt x read x rel x }";
  expect(proof_of(&program), TILE_PROTOCOL_UNKNOWN, "out-of-step", "waits");
  expect(verdict_of(&program), TILE_PROTOCOL_REJECTED, "deadlock",
         "0: no role goes on");
  program.roles[1] = "for n { wt x read x }";
  expect(verdict_of(&program), TILE_PROTOCOL_REJECTED, "self-wait", "");
}

// What the proof does not follow is executed.
static void test_other_bounds(void **state) {
  (void)state;
  Program program = {.num_channels = 1,
                     .num_roles = 2,
                     .channels = {{2, 1}},
                     .roles = {fills, "for m { wt x read x rel x }"}};
  expect(proof_of(&program), TILE_PROTOCOL_UNKNOWN, "different-decision",
         "decides here on a value that no other role is seen to decide on as "
         "well");
  expect(verdict_of(&program), TILE_PROTOCOL_REJECTED, "deadlock",
         "0: no role goes on");
  // Values that two roles have of their own may be the same.
  program.roles[0] = "for _k { acq x fill x com x }";
  program.roles[1] = "for _m { wt x read x rel x }";
  expect(verdict_of(&program), TILE_PROTOCOL_UNKNOWN, "different-decision",
         "decides here");
  program.roles[0] = "if _g { acq x fill x com x }";
  program.roles[1] = "if _h { wt x read x rel x }";
  assert_int_equal(verdict_of(&program).outcome, TILE_PROTOCOL_UNKNOWN);
}

//===-- Schedules ---------------------------------------------------------===//

// The events of a schedule: "p:wait0 p:fill0 +:done0 c:read0", and the fault.
static void print_schedule(const TileProtocol *protocol,
                           const TileProtocolSchedule *schedule, char *out,
                           size_t capacity) {
  static const char *const verbs[] = {[TILE_PROTOCOL_WAIT] = "wait",
                                      [TILE_PROTOCOL_ARRIVE] = "arrive",
                                      [TILE_PROTOCOL_FILL] = "fill",
                                      [TILE_PROTOCOL_READ] = "read",
                                      [TILE_PROTOCOL_AWAIT] = "await"};
  size_t length = 0;
  out[0] = 0;
  for (int i = 0; i < schedule->num_moves; i++) {
    const TileProtocolMove *move = &schedule->moves[i];
    length += (size_t)snprintf(
        out + length, capacity - length, "%s:%s%d%s ",
        move->role < 0 ? "+" : protocol->roles[move->role].name,
        move->role < 0 ? "done" : verbs[move->node->kind], move->slot,
        move->waits ? "!" : "");
  }
  snprintf(out + length, capacity - length, "%s", schedule->code);
}

// The shortest schedules of faults of each kind; the producer is "a".
static void test_schedules(void **state) {
  (void)state;
  static const struct {
    int depth;
    const char *producer, *reader, *schedule;
  } cases[] = {
      {1, "for n { acq x fill x com x }", "for m { wt x read x rel x }",
       "b:wait0! deadlock"},
      {1, "for n { acq x com x }", "for n { wt x read x rel x }",
       "a:wait0 a:arrive0 b:wait0 b:read0 unfilled"},
      {2, "for n { acq x fill x com x }", "for n { read x wt x rel x }",
       "b:read0 unfilled"},
      {1, "for n { acq x fill x com x }",
       "for n { wt x readg x rel x } await 0",
       "a:wait0 a:fill0 a:arrive0 b:wait0 b:read0 b:arrive0 a:wait0 a:fill0 "
       "overwritten"},
      {1, "for n { acq x fill x com x com x }", "for n { wt x read x rel x }",
       "a:wait0 a:fill0 a:arrive0 a:arrive0 b:wait0! deadlock"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    TileArena arena;
    TileProtocol protocol;
    TileProtocolVerdict verdict;
    char text[1024] = "";
    Program program = {.num_channels = 1,
                       .num_roles = 2,
                       .channels = {{cases[i].depth, 1}},
                       .roles = {cases[i].producer, cases[i].reader}};
    tile_arena_init(&arena);
    program_parse(&program, &arena, &protocol);
    tile_protocol_verify(&protocol, &program_limits, &arena, &verdict);
    if (verdict.schedule)
      print_schedule(&protocol, verdict.schedule, text, sizeof text);
    assert_string_equal(text, cases[i].schedule);
    tile_arena_deinit(&arena);
  }
}

static void test_private_choices(void **state) {
  (void)state;
  expect(verdict_of_pair(2, fills,
                         "for n { wt x if _g { read x } else { } rel x }"),
         TILE_PROTOCOL_PROVED, "", "");
  expect(verdict_of_pair(2, fills,
                         "for n { if _g { wt x read x rel x } else { wt x rel "
                         "x } }"),
         TILE_PROTOCOL_PROVED, "", "");
  expect(verdict_of_pair(2, fills, "for n { if _g { wt x read x rel x } }"),
         TILE_PROTOCOL_REJECTED, "deadlock", "no role that could end");
  expect(verdict_of_pair(2, "acq x fill x com x", "if _g { wt x rel x }"),
         TILE_PROTOCOL_REJECTED, "unbalanced",
         "at the end 1 rounds are not waited for");
}

// A guard that is a choice in one role only, though both have it.
static void test_choice_of_one_role(void **state) {
  (void)state;
  Program program = {
      .num_channels = 2,
      .num_roles = 2,
      .channels = {{1, 1}, {1, 1}},
      .roles = {"acq y fill y com y if g { acq x fill x com x } else { acq x "
                "fill x com x }",
                "wt y read y if g { rel y wt x } else { wt x rel y } read x "
                "rel x"}};
  expect(proof_of(&program), TILE_PROTOCOL_PROVED, "", "");
}

static void test_stuck(void **state) {
  (void)state;
  Program program = {.num_channels = 2,
                     .num_roles = 2,
                     .channels = {{1, 1}, {1, 1}},
                     .roles = {"acq x com x acq x com x acq y com y",
                               "wt y wt x rel x wt x rel x rel y"}};
  expect(verdict_of(&program), TILE_PROTOCOL_REJECTED, "deadlock",
         "no role that could end this wait goes on");
  program.roles[0] = "if g { } else { acq x com x acq x com x acq y com y }";
  program.roles[1] = "if g { } else { wt y wt x rel x wt x rel x rel y }";
  expect(verdict_of(&program), TILE_PROTOCOL_REJECTED, "deadlock",
         "no role that could end this wait goes on");
  program.roles[0] = "for n { acq y com y } acq x com x";
  program.roles[1] = "wt x rel x for n { wt y rel y }";
  expect(proof_of(&program), TILE_PROTOCOL_UNKNOWN, "out-of-step",
         "waits here while role \"a\" is at a decision that the others do not "
         "share");
  expect(verdict_of(&program), TILE_PROTOCOL_REJECTED, "deadlock",
         "0: no role goes on");
}

static void test_private_buffers(void **state) {
  (void)state;
  static const char reader[] = "for n { wt x read x rel x }";
  static const struct {
    const char *text, *code, *message;
  } cases[] = {
      {"for n { wt x rel x drain write 0 fence store 0 } drain", "", ""},
      {"for n { wt x rel x write 0 store 0 drain }", "missing-proxy-fence",
       "an asynchronous store reads a tile that was written without a proxy "
       "fence behind the writes"},
      {"for n { wt x rel x write 0 fence store 0 } drain",
       "store-source-overwritten",
       "writes a tile that an asynchronous store may still read"},
      {"for n { wt x rel x write 0 fence store 0 write 1 fence store 1 drain } "
       "write 1 fence store 1",
       "exit-with-store",
       "ends while an asynchronous store may still read a tile"},
  };
  (void)reader;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    TileProtocolVerdict verdict =
        verdict_of_pair(2, "for n { acq x com x }", cases[i].text);
    expect(verdict,
           cases[i].code[0] ? TILE_PROTOCOL_REJECTED : TILE_PROTOCOL_PROVED,
           cases[i].code, cases[i].message);
  }
}

static void test_odd_forms(void **state) {
  (void)state;
  Program own = {.num_channels = 1,
                 .num_roles = 2,
                 .channels = {{2, 1}},
                 .roles = {"for n { acq x com x } wt x rel x", ""}};
  expect(proof_of(&own), TILE_PROTOCOL_UNKNOWN, "own-reader",
         "one role both fills and reads the channel");
  // An acquire whose position depends on which way was taken.
  TileProtocolVerdict verdict = verdict_of_pair(
      2, fills, "for n { wt x read x rel x } if _g { wt x } else { }");
  assert_int_not_equal(verdict.outcome, TILE_PROTOCOL_PROVED);
}

// The same wait is the next round on one path and a held one on the other.
static void test_mixed_meaning(void **state) {
  (void)state;
  TileArena arena;
  TileProtocol protocol;
  TileProtocolVerdict verdict;
  Program program = {.num_channels = 1,
                     .num_roles = 2,
                     .channels = {{2, 1}},
                     .roles = {"acq x fill x com x",
                               "if _g { wt x } else { } wt x read x rel x"}};
  tile_arena_init(&arena);
  program_parse(&program, &arena, &protocol);
  // The second wait is for the first round on both paths.
  const TileProtocolBlock *body = &protocol.roles[1].body;
  body->nodes[1]->slot = body->nodes[0]->blocks[0].nodes[0]->slot;
  body->nodes[1]->parity = body->nodes[0]->blocks[0].nodes[0]->parity;
  body->nodes[2]->reads[0].slot = body->nodes[1]->slot;
  tile_protocol_verify(&protocol, &program_limits, &arena, &verdict);
  expect(verdict, TILE_PROTOCOL_UNKNOWN, "mixed-meaning",
         "means different things on different paths: taking a round on one, "
         "nothing new on another");
  body->nodes[1]->slot = 0;
  protocol.scalars[0] = (TileProtocolScalar){.kind = TILE_PROTOCOL_OPAQUE};
  tile_protocol_verify(&protocol, &program_limits, &arena, &verdict);
  expect(verdict, TILE_PROTOCOL_UNKNOWN, "position",
         "the slot or parity is not a number that can be followed");
  tile_arena_deinit(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_proved),
      cmocka_unit_test(test_products_in_flight),
      cmocka_unit_test(test_three_roles),
      cmocka_unit_test(test_other_bounds),
      cmocka_unit_test(test_schedules),
      cmocka_unit_test(test_private_choices),
      cmocka_unit_test(test_choice_of_one_role),
      cmocka_unit_test(test_stuck),
      cmocka_unit_test(test_private_buffers),
      cmocka_unit_test(test_odd_forms),
      cmocka_unit_test(test_mixed_meaning),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
