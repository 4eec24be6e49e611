//===- Protocol.c - The verdict on a protocol -----------------------------===//

#include "ProtocolInternal.h"

#include <stdio.h>
#include <string.h>

void protocol_verdict_set(TileProtocolVerdict *verdict,
                          TileProtocolOutcome outcome, const char *code,
                          int role, const TileProtocolNode *node,
                          const char *format, va_list args) {
  verdict->outcome = outcome;
  verdict->code = code;
  verdict->role = role;
  verdict->node = node;
  vsnprintf(verdict->text, sizeof verdict->text, format, args);
}

void proof_stop(Proof *proof, TileProtocolOutcome outcome, const char *code,
                int role, int channel, const TileProtocolNode *node,
                const char *format, ...) {
  va_list args;
  if (proof_stopped(proof))
    return;
  proof->verdict->channel = channel;
  va_start(args, format);
  protocol_verdict_set(proof->verdict, outcome, code, role, node, format, args);
  va_end(args);
}

//===-- Meanings ----------------------------------------------------------===//

// The place of `node`, or where it belongs.
static int find(const ProtocolMeanings *meanings,
                const TileProtocolNode *node) {
  int low = 0, high = meanings->count;
  while (low < high) {
    int middle = (low + high) / 2;
    if (meanings->keys[middle] < node)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

ProtocolMeaning proof_meaning(const Proof *proof,
                              const TileProtocolNode *node) {
  const ProtocolMeanings *m = &proof->meanings;
  int at = find(m, node);
  return at < m->count && m->keys[at] == node ? m->meanings[at]
                                              : PROTOCOL_ROLE_NONE;
}

bool proof_note(Proof *proof, const TileProtocolNode *node,
                ProtocolMeaning meaning) {
  ProtocolMeanings *m = &proof->meanings;
  int at = find(m, node);
  if (at < m->count && m->keys[at] == node)
    return m->meanings[at] == meaning;
  if (m->count == m->capacity) {
    int capacity = m->capacity ? 2 * m->capacity : 64;
    ProtocolMeanings old = *m;
    m->keys = TILE_ARENA_NEW(proof->arena, const TileProtocolNode *, capacity);
    m->meanings = TILE_ARENA_NEW(proof->arena, ProtocolMeaning, capacity);
    if (m->count) {
      memcpy(m->keys, old.keys, sizeof *m->keys * (size_t)m->count);
      memcpy(m->meanings, old.meanings, sizeof *m->meanings * (size_t)m->count);
    }
    m->capacity = capacity;
  }
  size_t behind = (size_t)(m->count - at);
  memmove(m->keys + at + 1, m->keys + at, sizeof *m->keys * behind);
  memmove(m->meanings + at + 1, m->meanings + at, sizeof *m->meanings * behind);
  m->keys[at] = node;
  m->meanings[at] = meaning;
  m->count++;
  return true;
}

//===-- Counts ------------------------------------------------------------===//

static void check_counts(Proof *proof, int channel) {
  const TileProtocolChannel *c = &proof->protocol->channels[channel];
  int sum = 0;
  for (int r = 0; r < proof->protocol->num_roles; r++)
    sum += c->reader_share[r];
  if (c->reader_share[c->producer])
    proof_stop(proof, TILE_PROTOCOL_UNKNOWN, "own-reader", c->producer, channel,
               NULL, "one role both fills and reads the channel");
  if (c->num_sharers == 0 && sum != c->empty_count)
    proof_stop(proof, TILE_PROTOCOL_REJECTED, "count", -1, channel, NULL,
               "the empty barriers count %d arrivals, the reading roles make "
               "%d in a round",
               c->empty_count, sum);
}

// Rules that no run is needed for; of private buffers, none shows more.
static bool is_static(const TileProtocolVerdict *verdict) {
  return verdict->outcome == TILE_PROTOCOL_REJECTED &&
         (strcmp(verdict->code, "count") == 0 || verdict->is_private);
}

static void prove(Proof *proof) {
  const TileProtocol *protocol = proof->protocol;
  for (int c = 0; c < protocol->num_channels && !proof_stopped(proof); c++)
    check_counts(proof, c);
  for (int r = 0; r < protocol->num_roles && !proof_stopped(proof); r++) {
    for (int c = 0; c < protocol->num_channels && !proof_stopped(proof); c++)
      proof_check_grammar(proof, r, c);
    if (!proof_stopped(proof))
      proof_check_private(proof, r);
  }
  if (!proof_stopped(proof))
    proof_check_walk(proof);
}

// What the proof does not follow is an error where a run goes wrong.
static void reject_schedule(TileProtocolVerdict *verdict) {
  const TileProtocolSchedule *schedule = verdict->schedule;
  verdict->outcome = TILE_PROTOCOL_REJECTED;
  verdict->code = schedule->code;
  verdict->role = schedule->role;
  verdict->channel = schedule->channel;
  verdict->node = schedule->fault;
  verdict->other = NULL;
  memcpy(verdict->text, schedule->text, sizeof schedule->text);
}

void tile_protocol_verify(const TileProtocol *protocol,
                          const TileProtocolLimits *limits, TileArena *arena,
                          TileProtocolVerdict *out_verdict) {
  *out_verdict = (TileProtocolVerdict){.role = -1, .channel = -1};
  Proof proof = {.protocol = protocol, .arena = arena, .verdict = out_verdict};
  prove(&proof);
  if (out_verdict->outcome == TILE_PROTOCOL_PROVED)
    return;
  bool is_rejected = out_verdict->outcome == TILE_PROTOCOL_REJECTED;
  bool is_certain = is_static(out_verdict);
  if (out_verdict->is_private)
    return;
  ProtocolFindings found = proof_find_witness(&proof, limits, !is_certain);
  // A rule that is broken on a path that cannot be taken is no fault.
  if (is_rejected && !is_certain && !found.breaks_rule && !found.goes_wrong)
    out_verdict->outcome = TILE_PROTOCOL_UNKNOWN;
  else if (!is_rejected && found.goes_wrong)
    reject_schedule(out_verdict);
}
