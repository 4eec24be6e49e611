//===- VerifyChannels.c - Proof that roles and channels fit together ------===//
//
// Consumes: `tile.specialize` with `tile.channel`s; mbarriers without one, of
//           roles and of blocks.
// Produces: nothing.
// Fails:    an mbarrier is not initialised, or twice; a rule of the
//           protocol is broken, or roles deadlock. What can be
//           neither proved nor refuted gets a remark of one line, or with
//           `strict` an error. Notes of an error show a schedule that goes
//           wrong, where one is found.
//           With `synced`, a barrier, fence or wait of tile-insert-sync lacks.
// Method:   lib/Proof; docs/Rationale/Proof.md.
//
//===----------------------------------------------------------------------===//

#include "Analysis/Program/KernelProgram.h"
#include "Analysis/Sync/Sync.h"
#include "Support/Diagnostics.h"
#include "Support/MlirExtra.h"
#include "TilePasses.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

//===-- Notes -------------------------------------------------------------===//

typedef struct {
  MlirxNote *notes;
  intptr_t count;
} Notes;

enum { NOTE_BYTES = 256 };

static void __attribute__((format(printf, 4, 5)))
add_note(Notes *out, TileArena *arena, MlirOperation op, const char *format,
         ...) {
  char *text = TILE_ARENA_NEW(arena, char, NOTE_BYTES);
  va_list args;
  va_start(args, format);
  vsnprintf(text, NOTE_BYTES, format, args);
  va_end(args);
  out->notes[out->count++] = (MlirxNote){mlirOperationGetLocation(op),
                                         mlirStringRefCreateFromCString(text)};
}

static MlirOperation op_of(const void *origin) {
  return (MlirOperation){(void *)origin};
}

//===-- Decisions ---------------------------------------------------------===//

static void add_choice(Notes *out, TileArena *arena,
                       const ProofChoice *choice) {
  MlirOperation op = op_of(choice->origin);
  if (!choice->is_loop)
    add_note(out, arena, op, "in a run where this guard %s at first",
             choice->count ? "holds" : "does not hold");
  else
    add_note(out, arena, op, "in a run where this loop has %lld iteration%s",
             (long long)choice->count, choice->count == 1 ? "" : "s");
}

//===-- Events ------------------------------------------------------------===//

enum { VERB_BYTES = 128 };

// What an event is about: "mbarrier 2[1]", "full 0[1]" of a channel, "slot 1",
// or "the tile".
static void print_object(const ProofProgram *program, const ProofMove *move,
                         char out[48]) {
  if (move->op->kind == PROOF_WAIT || move->op->kind == PROOF_ARRIVE)
    snprintf(out, 48, "%s %d[%d]", program->rows[move->place].name,
             program->rows[move->place].number, move->slot);
  else
    snprintf(out, 48, move->slot < 0 ? "the tile" : "slot %d", move->slot);
}

// Of an event that is about nothing, or has no number.
static const char *plain_verb(const ProofMove *move) {
  const ProofOp *op = move->op;
  switch (op->kind) {
  case PROOF_FILL:
    return op->fill.how == PROOF_BY_STORES ? "fills" : "begins to fill";
  case PROOF_READ:
    return op->read.is_product || op->read.is_store ? "begins to read"
                                                    : "reads";
  case PROOF_SYNC:
    return move->waits ? "waits for ever for other threads"
                       : "meets other threads";
  case PROOF_CLOSE:
    return "closes a group of copies";
  case PROOF_TURN:
    return !op->turn.begins ? "hands on the turn"
           : move->waits    ? "waits for ever for its turn"
                            : "has its turn";
  default:
    return "executes a proxy fence";
  }
}

static void print_verb(const ProofProgram *program, const ProofMove *move,
                       char out[VERB_BYTES]) {
  static const char *const under_way[] = {"products", "stores",
                                          "groups of copies"};
  const ProofOp *op = move->op;
  char object[48];
  print_object(program, move, object);
  if (op->kind == PROOF_WAIT)
    snprintf(out, VERB_BYTES, "%s %s, parity %d",
             move->waits ? "waits for ever for" : "has waited for", object,
             move->parity);
  else if (op->kind == PROOF_ARRIVE && op->arrive.is_async)
    snprintf(out, VERB_BYTES, "has copies arrive on %s when they are done",
             object);
  else if (op->kind == PROOF_ARRIVE)
    snprintf(out, VERB_BYTES, "makes %d arrival%s on %s", op->arrive.count,
             op->arrive.count == 1 ? "" : "s", object);
  else if (op->kind == PROOF_AWAIT)
    snprintf(out, VERB_BYTES, "has waited for all but %d %s", op->await.pending,
             under_way[op->await.kind]);
  else if (op->kind == PROOF_FILL || op->kind == PROOF_READ)
    snprintf(out, VERB_BYTES, "%s %s", plain_verb(move), object);
  else
    snprintf(out, VERB_BYTES, "%s", plain_verb(move));
}

static void add_move(Notes *out, TileArena *arena, const ProofProgram *program,
                     const ProofMove *move, int number) {
  char verb[VERB_BYTES];
  print_verb(program, move, verb);
  if (program->is_of_block)
    add_note(out, arena, op_of(move->op->origin), "%d: the block %s", number,
             verb);
  else
    add_note(out, arena, op_of(move->op->origin), "%d: role \"%s\" %s", number,
             program->roles[move->role].name, verb);
}

static Notes notes_of(const ProofProgram *program, const ProofVerdict *verdict,
                      int64_t max_moves, TileArena *arena) {
  Notes out = {0};
  const ProofSchedule *schedule = verdict->schedule;
  int first = 0;
  if (schedule->num_moves > max_moves)
    first = schedule->num_moves - (int)max_moves;
  out.notes = TILE_ARENA_NEW(arena, MlirxNote,
                             schedule->num_choices + schedule->num_moves + 3);
  if (verdict->outcome == PROOF_UNKNOWN && verdict->origin)
    add_note(&out, arena, op_of(verdict->origin),
             "a run that goes wrong, if its values are possible:");
  for (int i = 0; i < schedule->num_choices; i++)
    add_choice(&out, arena, &schedule->choices[i]);
  for (int i = first; i < schedule->num_moves; i++)
    add_move(&out, arena, program, &schedule->moves[i], i + 1);
  if (verdict->origin && verdict->outcome == PROOF_REJECTED)
    add_note(&out, arena, op_of(verdict->origin), "fault: %s", verdict->text);
  if (verdict->other)
    add_note(&out, arena, op_of(verdict->other), "the other access is here");
  return out;
}

//===-- Report ------------------------------------------------------------===//

// Where the user should look: the op of the event, else its role.
static MlirOperation place_of(MlirOperation kernel, const ProofProgram *program,
                              const ProofVerdict *verdict) {
  if (verdict->origin)
    return op_of(verdict->origin);
  return verdict->role >= 0 && !program->is_of_block
             ? op_of(program->roles[verdict->role].origin)
             : kernel;
}

// "role "consumer"", or "the block"
static const char *role_name(const ProofProgram *program, int role,
                             TileArena *arena) {
  enum { NAME_BYTES = 128 };
  char *name = TILE_ARENA_NEW(arena, char, NAME_BYTES);
  if (program->is_of_block)
    return "the block";
  snprintf(name, NAME_BYTES, "role \"%s\"",
           role >= 0 ? program->roles[role].name : "all");
  return name;
}

static MlirLogicalResult report_fault(const TileKernelVerdict *judged,
                                      MlirOperation op, const Notes *notes,
                                      TileArena *arena) {
  const ProofVerdict *verdict = &judged->verdict;
  return tile_emit_error_with_notes(
      op, notes->count, notes->notes,
      "[tile-verify/%s] breaks the protocol of %s: %s", verdict->code,
      role_name(&judged->program, verdict->role, arena), verdict->text);
}

// A run that nobody has seen to be possible is no fault.
static MlirLogicalResult report_unknown(const TileKernelVerdict *judged,
                                        MlirOperation op, const Notes *notes,
                                        bool is_strict, TileArena *arena) {
  const ProofVerdict *verdict = &judged->verdict;
  char code[64];
  snprintf(code, sizeof code, "tile-verify/%s", verdict->code);
  const char *role = role_name(&judged->program, verdict->role, arena);
  bool is_followed = strcmp(verdict->code, PROGRAM_NOT_FOLLOWED) != 0;
  if (is_strict && !is_followed)
    return tile_emit_error(op, "[%s] cannot be proved: the op %s", code,
                           verdict->text);
  if (is_strict)
    return tile_emit_error_with_notes(op, notes->count, notes->notes,
                                      "[%s] cannot be proved for %s: %s", code,
                                      role, verdict->text);
  if (!is_followed)
    tile_emit_remark(op, code,
                     "is not proved, and may well be right: the proof does not "
                     "follow an op that %s; tile-run --emulate checks a run",
                     verdict->text);
  else
    tile_emit_remark(op, code,
                     "is not proved, and may well be right: the proof for %s "
                     "stops at \"%s\"; tile-run --emulate checks a run",
                     role, verdict->text);
  return tile_success();
}

// Emits an error for a rejection, with the schedule that goes wrong; for what
// is neither proved nor wrong a remark, or an error with `strict`. Fails after
// an error.
static MlirLogicalResult report(TileArena *arena, MlirOperation kernel,
                                const TileKernelVerdict *judged,
                                const TileVerifyChannelsOptions *options) {
  const ProofProgram *program = &judged->program;
  const ProofVerdict *verdict = &judged->verdict;
  Notes notes = {0};
  if (verdict->outcome == PROOF_PROVED)
    return tile_success();
  if (verdict->schedule && options->schedule)
    notes = notes_of(program, verdict, options->max_events, arena);
  MlirOperation op = place_of(kernel, program, verdict);
  if (verdict->outcome == PROOF_REJECTED)
    return report_fault(judged, op, &notes, arena);
  return report_unknown(judged, op, &notes, options->strict, arena);
}

//===-- Entry -------------------------------------------------------------===//

static MlirLogicalResult
check_programs(const TileVerifyChannelsOptions *options, MlirOperation kernel,
               const TileSyncPlan *plan, TileArena *arena) {
  const ProofLimits limits = {options->max_runs, options->max_states};
  TileKernelVerdict judged;
  tile_kernel_judge(arena, kernel, plan, &limits, &judged);
  return report(arena, kernel, &judged, options);
}

// What tile-insert-sync would add: it counts as if it stood there, or, once
// that pass has run, must be nothing.
static MlirLogicalResult
check_with_plan(const TileVerifyChannelsOptions *options, MlirOperation kernel,
                TileArena *arena) {
  const char *chip = options->target ? options->target : "";
  const TileTarget *target = NULL;
  TileSyncPlan plan, counted;
  TileSyncFault fault;
  if (*chip && tile_failed(tile_target_resolve(kernel, chip, &target)))
    return tile_failure();
  tile_sync_plan_build(arena, kernel, target, &plan);
  counted = plan;
  if (options->synced)
    counted.num_points = 0;
  else
    counted.unmet = TILE_NULL_OP;
  if (tile_failed(check_programs(options, kernel, &counted, arena)))
    return tile_failure();
  if (!options->synced || tile_sync_check(kernel, &plan, &fault))
    return tile_success();
  return tile_emit_error(fault.op, "[tile-verify/%s] %s", fault.code,
                         fault.text);
}

static MlirLogicalResult visit_kernel(MlirOperation kernel, void *user_data) {
  const TileVerifyChannelsOptions *options = user_data;
  TileArena arena;
  tile_arena_init(&arena);
  MlirLogicalResult result = check_with_plan(options, kernel, &arena);
  tile_arena_deinit(&arena);
  return result;
}

MlirLogicalResult
tile_verify_channels_run(MlirOperation op,
                         const TileVerifyChannelsOptions *options) {
  return tile_kernels_visit_verified(op, visit_kernel, (void *)options);
}
