//===- ProtocolRun.c - A role executed on sets of states ------------------===//
//
// Control is left open: both branches of a guard, any number of iterations.
// The states are finite, so loops end at a fixed point.
//
//===----------------------------------------------------------------------===//

#include "ProtocolInternal.h"

#include <assert.h>

//===-- Binding -----------------------------------------------------------===//

// `to[i]` take the values of `from[i]`, all at once.
static void bind(const ProtocolRun *run, ProtocolState *state, int count,
                 const TileProtocolScalarId *to,
                 const TileProtocolScalarId *from) {
  int32_t value[PROTOCOL_MAX_PLACES];
  int place[PROTOCOL_MAX_PLACES], num = 0;
  for (int i = 0; i < count; i++) {
    int p = run->binding.place[to[i]];
    if (p < 0)
      continue;
    assert(num < PROTOCOL_MAX_PLACES);
    place[num] = p;
    value[num++] = protocol_place_value(
        &run->binding, to[i],
        protocol_eval(&run->binding, state->bound, from[i]));
  }
  for (int i = 0; i < num; i++)
    state->bound[place[i]] = value[i];
}

// Values that are out of scope must not tell states apart.
static void unbind(const ProtocolRun *run, ProtocolState *state, int count,
                   const TileProtocolScalarId *ids) {
  for (int i = 0; i < count; i++) {
    int place = run->binding.place[ids[i]];
    if (place >= 0)
      state->bound[place] = PROTOCOL_UNBOUND;
  }
}

static int num_results(const TileProtocolNode *node) {
  return node->kind == TILE_PROTOCOL_WHILE ? node->num_passed
                                           : node->num_values;
}

static void leave_block(const ProtocolRun *run, const TileProtocolBlock *block,
                        ProtocolState *state) {
  for (int i = 0; i < block->num_nodes; i++)
    if (block->nodes[i]->kind >= TILE_PROTOCOL_IF)
      unbind(run, state, num_results(block->nodes[i]),
             block->nodes[i]->results);
}

//===-- Control -----------------------------------------------------------===//

static void run_if(ProtocolRun *run, const TileProtocolNode *node,
                   ProtocolStateSet *states) {
  ProtocolStateSet out;
  protocol_set_init(&out, run->arena);
  for (int b = 0; b < 2; b++) {
    ProtocolStateSet branch;
    protocol_set_init(&branch, run->arena);
    for (int i = 0; i < states->num_states; i++)
      protocol_set_add(&branch, &states->states[i]);
    protocol_run_block(run, &node->blocks[b], &branch);
    for (int i = 0; i < branch.num_states; i++) {
      ProtocolState state = branch.states[i];
      bind(run, &state, node->num_values, node->results, node->yields[b]);
      leave_block(run, &node->blocks[b], &state);
      protocol_set_add(&out, &state);
    }
  }
  *states = out;
}

static void set_iv(const ProtocolRun *run, const TileProtocolNode *loop,
                   ProtocolState *state, bool is_first) {
  int place =
      loop->kind == TILE_PROTOCOL_FOR ? run->binding.place[loop->iv] : -1;
  if (place < 0)
    return;
  const int32_t *bound = state->bound;
  ProtocolNumber number =
      protocol_eval(&run->binding, bound, is_first ? loop->lower : loop->iv);
  if (!is_first) {
    ProtocolNumber step = protocol_eval(&run->binding, bound, loop->step);
    number.is_known &= step.is_known && !step.modulus;
    number.value += step.value;
  }
  state->bound[place] = protocol_place_value(&run->binding, loop->iv, number);
}

// One iteration of all `todo`; for `while` the first region comes before.
static void run_iteration(ProtocolRun *run, const TileProtocolNode *loop,
                          ProtocolStateSet *todo) {
  if (loop->kind == TILE_PROTOCOL_FOR) {
    protocol_run_block(run, &loop->blocks[0], todo);
    return;
  }
  ProtocolStateSet after;
  protocol_set_init(&after, run->arena);
  protocol_run_block(run, &loop->blocks[0], todo);
  for (int i = 0; i < todo->num_states; i++) {
    ProtocolState state = todo->states[i];
    bind(run, &state, loop->num_passed, loop->after, loop->passed);
    leave_block(run, &loop->blocks[0], &state);
    protocol_set_add(&after, &state);
  }
  protocol_run_block(run, &loop->blocks[1], &after);
  *todo = after;
}

static void leave_loop(ProtocolRun *run, const TileProtocolNode *loop,
                       const ProtocolStateSet *head, ProtocolStateSet *out) {
  ProtocolStateSet last;
  bool is_while = loop->kind == TILE_PROTOCOL_WHILE;
  protocol_set_init(&last, run->arena);
  protocol_set_init(out, run->arena);
  for (int i = 0; i < head->num_states; i++)
    protocol_set_add(&last, &head->states[i]);
  if (is_while)
    protocol_run_block(run, &loop->blocks[0], &last);
  for (int i = 0; i < last.num_states; i++) {
    ProtocolState state = last.states[i];
    bind(run, &state, num_results(loop), loop->results,
         is_while ? loop->passed : loop->args);
    unbind(run, &state, loop->num_values, loop->args);
    if (is_while)
      leave_block(run, &loop->blocks[0], &state);
    else
      unbind(run, &state, 1, &loop->iv);
    protocol_set_add(out, &state);
  }
}

static void run_loop(ProtocolRun *run, const TileProtocolNode *loop,
                     ProtocolStateSet *states) {
  const TileProtocolBlock *body =
      &loop->blocks[loop->kind == TILE_PROTOCOL_WHILE];
  ProtocolStateSet head, todo;
  protocol_set_init(&head, run->arena);
  for (int i = 0; i < states->num_states; i++) {
    ProtocolState state = states->states[i];
    bind(run, &state, loop->num_values, loop->args, loop->inits);
    set_iv(run, loop, &state, true);
    protocol_set_add(&head, &state);
  }
  for (int done = 0; done < head.num_states && !proof_stopped(run->proof);) {
    protocol_set_init(&todo, run->arena);
    for (; done < head.num_states; done++)
      protocol_set_add(&todo, &head.states[done]);
    run_iteration(run, loop, &todo);
    for (int i = 0; i < todo.num_states; i++) {
      ProtocolState state = todo.states[i];
      bind(run, &state, loop->num_values, loop->args, loop->yields[0]);
      set_iv(run, loop, &state, false);
      unbind(run, &state, loop->num_passed, loop->after);
      leave_block(run, body, &state);
      protocol_set_add(&head, &state);
    }
  }
  leave_loop(run, loop, &head, states);
}

//===-- Blocks ------------------------------------------------------------===//

static void run_event(ProtocolRun *run, const TileProtocolNode *node,
                      ProtocolStateSet *states) {
  ProtocolStateSet out;
  protocol_set_init(&out, run->arena);
  for (int i = 0; i < states->num_states && !proof_stopped(run->proof); i++) {
    ProtocolState state = states->states[i];
    run->event(run, node, &state);
    protocol_set_add(&out, &state);
  }
  *states = out;
}

void protocol_run_block(ProtocolRun *run, const TileProtocolBlock *block,
                        ProtocolStateSet *states) {
  for (int i = 0; i < block->num_nodes; i++) {
    const TileProtocolNode *node = block->nodes[i];
    int64_t *num_states = &run->proof->verdict->num_states;
    if (proof_stopped(run->proof))
      break;
    if (node->kind == TILE_PROTOCOL_IF)
      run_if(run, node, states);
    else if (node->kind > TILE_PROTOCOL_IF)
      run_loop(run, node, states);
    else
      run_event(run, node, states);
    *num_states += states->num_states;
    if (states->num_states > PROTOCOL_MAX_STATES)
      proof_stop(run->proof, TILE_PROTOCOL_UNKNOWN, "too-many-states",
                 run->role, run->channel, node,
                 "the role reaches more than %d states here",
                 PROTOCOL_MAX_STATES);
  }
  if (proof_stopped(run->proof))
    protocol_set_init(states, run->arena);
}
