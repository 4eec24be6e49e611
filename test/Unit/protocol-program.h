//===- protocol-program.h - Protocols written as text, and run ------------===//
#ifndef PROTOCOL_PROGRAM_H
#define PROTOCOL_PROGRAM_H

#include "Tile/Protocol.h"

enum { PROGRAM_MAX_CHANNELS = 4 };

/// Channels are the letters x, y, z, u, in this order; one slot cell each.
///
///   acq x  com x  wt x  rel x   takes and gives, positions by themselves
///   fill x  read x  readg x     in the oldest open, the last taken slot
///   readg x                     the same, a product group
///   await 1  fence  write 0  store 0  drain
///   for n { … }   if g { … } else { … }   while g { … }
///
/// Conditions and bounds are letters: the same value in all roles, but for
/// those that begin with `_`. `for 3` has a constant bound.
typedef struct {
  int depth, readers; // number of reading roles
} ProgramChannel;

typedef struct {
  int num_channels, num_roles;
  ProgramChannel channels[PROGRAM_MAX_CHANNELS];
  int producer[PROGRAM_MAX_CHANNELS];
  const char *roles[TILE_PROTOCOL_MAX_ROLES];
} Program;

/// Owner: `arena`. The text must be right.
void program_parse(const Program *program, TileArena *arena,
                   TileProtocol *out_protocol);

/// Of tile_protocol_verify.
static const TileProtocolLimits program_limits = {60, 30000};

/// What loops and guards do in one run: trip counts of `for`, and the outcomes
/// of guards, drawn from a word of bits by letter and iteration.
typedef struct {
  int trips;
  uint32_t word;
} ProgramDecisions;

/// Runs the roles with all schedules. NULL when nothing goes wrong, else what.
const char *program_explore(const TileProtocol *protocol, TileArena *arena,
                            const ProgramDecisions *decisions);

#endif // PROTOCOL_PROGRAM_H
