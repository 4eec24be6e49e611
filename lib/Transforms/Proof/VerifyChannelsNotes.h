//===- VerifyChannelsNotes.h - A counterexample as notes ------------------===//
#ifndef TILE_TRANSFORMS_VERIFY_CHANNELS_NOTES_H
#define TILE_TRANSFORMS_VERIFY_CHANNELS_NOTES_H

#include "Support/MlirExtra.h"
#include "Tile/Protocol.h"

typedef struct {
  MlirxNote *notes;
  intptr_t count;
} VerifyNotes;

/// How the decisions go, then one event per note where its op is, at most
/// `max_moves` of the last ones, then what is wrong. Owner: `arena`.
VerifyNotes verify_notes_of(const TileProtocol *protocol,
                            const TileProtocolVerdict *verdict,
                            int64_t max_moves, TileArena *arena);

#endif // TILE_TRANSFORMS_VERIFY_CHANNELS_NOTES_H
