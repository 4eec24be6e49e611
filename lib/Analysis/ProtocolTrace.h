//===- ProtocolTrace.h - Roles executed for one word of decisions ---------===//
#ifndef TILE_ANALYSIS_PROTOCOL_TRACE_H
#define TILE_ANALYSIS_PROTOCOL_TRACE_H

#include "ProtocolInternal.h"

//===-- Words -------------------------------------------------------------===//

typedef enum {
  WORD_PLAIN,  // every number from outside is `seed`
  WORD_DIGITS, // the digits, in the order in which numbers are first asked for
  WORD_RANDOM, // drawn from `seed`
} TraceWordKind;

enum { TRACE_MAX_DIGITS = 48 };

/// What everything that comes from outside the roles is in one run.
typedef struct {
  TraceWordKind kind;
  uint64_t seed;
  int64_t unit;  // numbers are multiples of it, so that loops with steps run
  int num_trips; // digits of numbers: from 0 to this
  int num_digits;
  uint64_t keys[TRACE_MAX_DIGITS];
  uint8_t digits[TRACE_MAX_DIGITS], bases[TRACE_MAX_DIGITS];
  bool has_overflow; // more numbers were asked for than there are digits
} TraceWord;

/// The next word of WORD_DIGITS behind one that was run; false at the end.
bool trace_word_next(TraceWord *word);

/// The largest constant step of the loops.
int64_t trace_unit(const TileProtocol *protocol);

//===-- Traces ------------------------------------------------------------===//

/// An event with the numbers that it takes. Those of `parity` and `bar_slot`
/// are 0 where the event has none.
typedef struct ProtocolStep {
  const TileProtocolNode *node;
  int32_t slot, parity, bar_slot;
  int32_t read_slots[TILE_PROTOCOL_MAX_READS];
} TraceStep;

typedef struct {
  TraceStep *steps;
  int num_steps, capacity;
} TraceRole;

enum { TRACE_MAX_CHOICES = 6 };

typedef struct {
  TraceRole roles[TILE_PROTOCOL_MAX_ROLES];
  bool is_complete; // no limit was met
  /// No decision or position came from numbers that may not be free: those
  /// that several roles have of their own, and functions that are not computed.
  bool is_certain;
  bool has_guess; // something depends on what no role computes, nor memory has
  /// Of each role: the last loop whose trips are not fixed; or NULL.
  TileProtocolChoice loops[TILE_PROTOCOL_MAX_ROLES];
  TileProtocolChoice choices[TRACE_MAX_CHOICES];
  int num_choices;
} Trace;

/// Executes all roles; `is_needed` is that of protocol_needed_scalars. Owner:
/// `arena`.
void trace_build(const TileProtocol *protocol, const bool *is_needed,
                 TileArena *arena, TraceWord *word, Trace *out);

//===-- All schedules (ProtocolExplore.c) ---------------------------------===//

/// The shortest schedule of `trace` that goes wrong; NULL when there is none,
/// or none within `*states_left`, which is counted down. Owner: `arena`.
const TileProtocolSchedule *trace_explore(const TileProtocol *protocol,
                                          const Trace *trace, TileArena *arena,
                                          int64_t *states_left);

#endif // TILE_ANALYSIS_PROTOCOL_TRACE_H
