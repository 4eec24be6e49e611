//===- VerifyChannelsNotes.c - A counterexample as notes ------------------===//

#include "VerifyChannelsNotes.h"

#include "Dialect/Ops.h"
#include <stdarg.h>
#include <stdio.h>

enum { NOTE_BYTES = 256 };

static void __attribute__((format(printf, 4, 5)))
add_note(VerifyNotes *out, TileArena *arena, MlirOperation op,
         const char *format, ...) {
  char *text = TILE_ARENA_NEW(arena, char, NOTE_BYTES);
  va_list args;
  va_start(args, format);
  vsnprintf(text, NOTE_BYTES, format, args);
  va_end(args);
  out->notes[out->count++] = (MlirxNote){mlirOperationGetLocation(op),
                                         mlirStringRefCreateFromCString(text)};
}

static MlirOperation op_of(const TileProtocolNode *node) {
  return (MlirOperation){(void *)node->origin};
}

//===-- Decisions ---------------------------------------------------------===//

static void add_choice(VerifyNotes *out, TileArena *arena,
                       const TileProtocolChoice *choice) {
  MlirOperation op = op_of(choice->node);
  if (choice->node->kind == TILE_PROTOCOL_IF)
    add_note(out, arena, op, "in a run where this guard %s at first",
             choice->count ? "holds" : "does not hold");
  else
    add_note(out, arena, op, "in a run where this loop has %lld iteration%s",
             (long long)choice->count, choice->count == 1 ? "" : "s");
}

//===-- Events ------------------------------------------------------------===//

// "full[1]", with the number of the channel where there are several. A row of
// mbarriers without a channel has no sides.
static const char *barrier_text(const TileProtocol *protocol,
                                const TileProtocolMove *move, char out[48]) {
  const char *side = move->node->side == TILE_PROTOCOL_FULL ? "full" : "empty";
  if (protocol->is_of_rows) {
    snprintf(out, 48, "mbarrier %d[%d]", move->channel, move->slot);
    return out;
  }
  if (protocol->num_channels > 1)
    snprintf(out, 48, "%s[%d] of channel %d", side, move->slot, move->channel);
  else
    snprintf(out, 48, "%s[%d]", side, move->slot);
  return out;
}

// "slot 1", or "the tile"
static const char *tile_text(const TileProtocolMove *move, char out[48]) {
  snprintf(out, 48, move->slot < 0 ? "the tile" : "slot %d", move->slot);
  return out;
}

static const char *verb_text(const TileProtocol *protocol,
                             const TileProtocolMove *move, char out[128]) {
  char barrier[48], tile[48];
  const TileProtocolNode *node = move->node;
  barrier_text(protocol, move, barrier);
  tile_text(move, tile);
  switch (node->kind) {
  case TILE_PROTOCOL_WAIT:
    snprintf(out, 128, "%s %s, parity %d",
             move->waits ? "waits for ever for" : "has waited for", barrier,
             move->parity);
    break;
  case TILE_PROTOCOL_ARRIVE:
    snprintf(out, 128, "makes %d arrival%s on %s", node->count,
             node->count == 1 ? "" : "s", barrier);
    break;
  case TILE_PROTOCOL_ARRIVE_ASYNC:
    snprintf(out, 128, "has copies arrive on %s when they are done", barrier);
    break;
  case TILE_PROTOCOL_FILL:
    snprintf(out, 128, "%s %s",
             node->fill == TILE_PROTOCOL_BY_STORES ? "fills" : "begins to fill",
             tile);
    break;
  case TILE_PROTOCOL_READ:
    snprintf(out, 128, "%s %s",
             node->is_group || node->is_store ? "begins to read" : "reads",
             tile);
    break;
  case TILE_PROTOCOL_AWAIT:
  case TILE_PROTOCOL_STORE_WAIT:
    snprintf(out, 128, "has waited for all but %d %s", node->count,
             node->kind == TILE_PROTOCOL_AWAIT ? "products" : "stores");
    break;
  case TILE_PROTOCOL_SYNC:
    snprintf(out, 128, "%s other threads",
             move->waits ? "waits for ever for" : "meets");
    break;
  case TILE_PROTOCOL_COMMIT:
    snprintf(out, 128, "closes a group of copies");
    break;
  case TILE_PROTOCOL_COPY_WAIT:
    snprintf(out, 128, "has waited for its copies");
    break;
  case TILE_PROTOCOL_TURN:
    snprintf(out, 128, "%s",
             !node->is_begin ? "hands on the turn"
             : move->waits   ? "waits for ever for its turn"
                             : "has its turn");
    break;
  default: // a proxy fence
    snprintf(out, 128, "executes a proxy fence");
    break;
  }
  return out;
}

static const char *role_text(const TileProtocol *protocol, int role,
                             char out[96]) {
  if (protocol->is_of_block)
    return "the block";
  snprintf(out, 96, "role \"%s\"", protocol->roles[role].name);
  return out;
}

static void add_move(VerifyNotes *out, TileArena *arena,
                     const TileProtocol *protocol, const TileProtocolMove *move,
                     int number) {
  char verb[128], barrier[48], role[96];
  if (move->role >= 0)
    add_note(out, arena, op_of(move->node), "%d: %s %s", number,
             role_text(protocol, move->role, role),
             verb_text(protocol, move, verb));
  else if (move->node->kind == TILE_PROTOCOL_FILL)
    add_note(out, arena, op_of(move->node),
             "%d: the copy into slot %d is complete", number, move->slot);
  else
    add_note(out, arena, op_of(move->node),
             "%d: the copies are complete and arrive on %s", number,
             barrier_text(protocol, move, barrier));
}

VerifyNotes verify_notes_of(const TileProtocol *protocol,
                            const TileProtocolVerdict *verdict,
                            int64_t max_moves, TileArena *arena) {
  VerifyNotes out = {0};
  const TileProtocolSchedule *schedule = verdict->schedule;
  int first = 0;
  if (schedule->num_moves > max_moves)
    first = schedule->num_moves - (int)max_moves;
  out.notes = TILE_ARENA_NEW(arena, MlirxNote,
                             schedule->num_choices + schedule->num_moves + 3);
  if (verdict->outcome == TILE_PROTOCOL_UNKNOWN && schedule->fault)
    add_note(&out, arena, op_of(schedule->fault),
             "a run that goes wrong, if its values are possible:");
  for (int i = 0; i < schedule->num_choices; i++)
    add_choice(&out, arena, &schedule->choices[i]);
  for (int i = first; i < schedule->num_moves; i++)
    add_move(&out, arena, protocol, &schedule->moves[i], i + 1);
  if (schedule->fault)
    add_note(&out, arena, op_of(schedule->fault), "fault: %s", schedule->text);
  if (protocol->is_of_rows && verdict->other)
    add_note(&out, arena, op_of(verdict->other), "the other access is here");
  return out;
}
