//===- Seen.c - States that a proof has seen ------------------------------===//

#include "Seen.h"

#include <string.h>

enum { FIRST_BUCKETS = 256 };

void proof_seen_init(ProofSeen *seen, bool merges, TileArena *arena) {
  *seen = (ProofSeen){.arena = arena, .merges = merges};
}

//===-- States as words ---------------------------------------------------===//

typedef struct {
  int32_t *words;
  int count;
} Writer;

static void put(Writer *w, int64_t value) {
  w->words[w->count++] = (int32_t)value;
}

static void put_long(Writer *w, int64_t value) {
  put(w, (int64_t)((uint64_t)value & UINT32_MAX));
  put(w, (int64_t)((uint64_t)value >> 32));
}

static int64_t take(Writer *w) { return w->words[w->count++]; }

static int64_t take_long(Writer *w) {
  uint64_t low = (uint32_t)take(w), high = (uint32_t)take(w);
  return (int64_t)(high << 32 | low);
}

static int max_words(const ProofContext *c) {
  int count = c->machine.num_words + 8 + c->machine.num_agents;
  for (int a = 0; a < c->machine.num_agents; a++)
    count += c->needs.roles[proof_role_of(a)].count;
  return count + 9 * PROOF_MAX_SYMBOLS + 5 * PROOF_MAX_BOUNDS +
         2 * PROOF_MAX_TRUTHS + 4 * PROOF_MAX_ENTRIES;
}

static void put_names(Writer *w, const ProofState *s) {
  put(w, s->num_symbols);
  for (int i = 0; i < s->num_symbols; i++) {
    const ProofSymbol *symbol = &s->symbols[i];
    put(w, symbol->number.is_known | symbol->number.is_least << 1);
    put_long(w, symbol->number.value);
    put_long(w, symbol->number.modulus);
    put_long(w, symbol->step);
    put_long(w, symbol->modulus);
  }
  put(w, s->num_bounds);
  for (int i = 0; i < s->num_bounds; i++) {
    put(w, s->bounds[i].form);
    put_long(w, s->bounds[i].low);
    put_long(w, s->bounds[i].high);
  }
  put(w, s->num_truths);
  for (int i = 0; i < s->num_truths; i++) {
    put(w, s->truths[i].term);
    put(w, s->truths[i].holds);
  }
  put(w, s->num_entries);
  for (int i = 0; i < s->num_entries; i++) {
    put(w, s->entries[i].class_number);
    put(w, s->entries[i].start);
    put(w, s->entries[i].value);
    put(w, s->entries[i].agents);
  }
}

static void take_names(Writer *w, ProofState *s) {
  s->num_symbols = (int)take(w);
  for (int i = 0; i < s->num_symbols; i++) {
    ProofSymbol *symbol = &s->symbols[i];
    int64_t flags = take(w);
    symbol->number.is_known = flags & 1;
    symbol->number.is_least = flags >> 1 & 1;
    symbol->number.value = take_long(w);
    symbol->number.modulus = take_long(w);
    symbol->step = take_long(w);
    symbol->modulus = take_long(w);
  }
  s->num_bounds = (int)take(w);
  for (int i = 0; i < s->num_bounds; i++) {
    s->bounds[i].form = (ProofTermId)take(w);
    s->bounds[i].low = take_long(w);
    s->bounds[i].high = take_long(w);
  }
  s->num_truths = (int)take(w);
  for (int i = 0; i < s->num_truths; i++) {
    s->truths[i].term = (ProofTermId)take(w);
    s->truths[i].holds = take(w) != 0;
  }
  s->num_entries = (int)take(w);
  for (int i = 0; i < s->num_entries; i++) {
    s->entries[i].class_number = (int)take(w);
    s->entries[i].start = (ProofTermId)take(w);
    s->entries[i].value = (ProofTermId)take(w);
    s->entries[i].agents = (unsigned)take(w);
  }
}

// The words of the machine that do not say what somebody knows come first.
static int write_state(int32_t *words, const ProofContext *c,
                       const ProofState *s) {
  Writer w = {words, 0};
  for (int a = 0; a < c->machine.num_agents; a++) {
    const ProofVariables *v = &c->needs.roles[proof_role_of(a)];
    put(&w, s->pc[a]);
    for (int i = 0; i < v->count; i++)
      put(&w, s->values[a][i]);
  }
  put_names(&w, s);
  memcpy(words + w.count, s->words, sizeof *words * (size_t)c->machine.active);
  return w.count + c->machine.active;
}

void proof_seen_restore(const ProofSeen *seen, int index, const ProofContext *c,
                        ProofState *s) {
  Writer w = {seen->items[index].words, 0};
  for (int a = 0; a < c->machine.num_agents; a++) {
    const ProofVariables *v = &c->needs.roles[proof_role_of(a)];
    s->pc[a] = (int)take(&w);
    for (int i = 0; i < v->count; i++)
      s->values[a][i] = (ProofTermId)take(&w);
  }
  take_names(&w, s);
  memcpy(s->words, w.words + w.count,
         sizeof *s->words * (size_t)c->machine.num_words);
}

//===-- The table ---------------------------------------------------------===//

static uint64_t hash_of(const int32_t *words, int count) {
  uint64_t hash = UINT64_C(1469598103934665603);
  for (int i = 0; i < count; i++)
    hash = (hash ^ (uint32_t)words[i]) * UINT64_C(1099511628211);
  return hash ^ hash >> 32;
}

// The bucket of a state with these words, and with `more` what agents know,
// that covers it; or where it belongs.
static int *bucket_of(const ProofSeen *seen, const ProofContext *c,
                      const int32_t *words, int count, const int32_t *more) {
  size_t mask = (size_t)seen->num_buckets - 1;
  for (size_t at = hash_of(words, count) & mask;; at = (at + 1) & mask) {
    int *bucket = &seen->buckets[at];
    if (!*bucket)
      return bucket;
    const ProofKept *kept = &seen->items[*bucket - 1];
    if (kept->num_words != count ||
        memcmp(kept->words, words, sizeof *words * (size_t)count) != 0)
      continue;
    if (!more ||
        proof_machine_covers(&c->machine,
                             kept->words + count - c->machine.active, more))
      return bucket;
  }
}

static void insert(ProofSeen *seen, int index) {
  const ProofKept *kept = &seen->items[index];
  size_t mask = (size_t)seen->num_buckets - 1;
  size_t at = hash_of(kept->words, kept->num_words) & mask;
  while (seen->buckets[at])
    at = (at + 1) & mask;
  seen->buckets[at] = index + 1;
}

static void grow(ProofSeen *seen) {
  seen->num_buckets = seen->num_buckets ? 4 * seen->num_buckets : FIRST_BUCKETS;
  seen->buckets = TILE_ARENA_NEW(seen->arena, int, seen->num_buckets);
  for (int i = 0; i < seen->count; i++)
    insert(seen, i);
}

void proof_seen_keep(ProofSeen *seen, const ProofContext *c,
                     const ProofState *s) {
  const ProofMachine *m = &c->machine;
  size_t more = sizeof *s->words * (size_t)(m->num_words - m->active);
  if (!seen->scratch)
    seen->scratch = TILE_ARENA_NEW(seen->arena, int32_t, max_words(c));
  int count = write_state(seen->scratch, c, s);
  if (2 * seen->count >= seen->num_buckets)
    grow(seen);
  int *bucket =
      bucket_of(seen, c, seen->scratch, count, seen->merges ? NULL : s->words);
  if (*bucket && !seen->merges)
    return;
  if (*bucket) {
    ProofKept *kept = &seen->items[*bucket - 1];
    int32_t *words = kept->words + kept->num_words - m->active;
    if (proof_machine_covers(m, words, s->words))
      return;
    proof_machine_merge(m, words, s->words);
    memcpy(words + m->active, s->words + m->active, more);
    kept->is_open = true;
    return;
  }
  int32_t *words =
      TILE_ARENA_NEW(seen->arena, int32_t, count + m->num_words - m->active);
  memcpy(words, seen->scratch, sizeof *words * (size_t)count);
  memcpy(words + count, s->words + m->active, more);
  seen->num_words += (size_t)(count + m->num_words - m->active);
  TILE_ARENA_RESERVE(seen->arena, seen->items, seen->count, seen->capacity);
  seen->items[seen->count] = (ProofKept){words, count, true};
  *bucket = ++seen->count;
}
