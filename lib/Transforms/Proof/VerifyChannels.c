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

//===-- What is said of a verdict -----------------------------------------===//

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

// "mbarrier 2[1]", or "full 0[1]" of a channel
static const char *row_text(const ProofProgram *program, const ProofMove *move,
                            char out[48]) {
  const ProofRow *row = &program->rows[move->place];
  snprintf(out, 48, "%s %d[%d]", row->name, row->number, move->slot);
  return out;
}

// "slot 1", or "the tile"
static const char *tile_text(const ProofMove *move, char out[48]) {
  snprintf(out, 48, move->slot < 0 ? "the tile" : "slot %d", move->slot);
  return out;
}

static void arrive_text(const ProofOp *op, const char *row, char out[128]) {
  if (op->arrive.is_async)
    snprintf(out, 128, "has copies arrive on %s when they are done", row);
  else
    snprintf(out, 128, "makes %d arrival%s on %s", op->arrive.count,
             op->arrive.count == 1 ? "" : "s", row);
}

static void await_text(const ProofOp *op, char out[128]) {
  static const char *const what[] = {"products", "stores", "groups of copies"};
  snprintf(out, 128, "has waited for all but %d %s", op->await.pending,
           what[op->await.kind]);
}

static const char *verb_text(const ProofProgram *program, const ProofMove *move,
                             char out[128]) {
  char text[48];
  const ProofOp *op = move->op;
  switch (op->kind) {
  case PROOF_WAIT:
    snprintf(out, 128, "%s %s, parity %d",
             move->waits ? "waits for ever for" : "has waited for",
             row_text(program, move, text), move->parity);
    break;
  case PROOF_ARRIVE:
    arrive_text(op, row_text(program, move, text), out);
    break;
  case PROOF_FILL:
    snprintf(out, 128, "%s %s",
             op->fill.how == PROOF_BY_STORES ? "fills" : "begins to fill",
             tile_text(move, text));
    break;
  case PROOF_READ:
    snprintf(out, 128, "%s %s",
             op->read.is_product || op->read.is_store ? "begins to read"
                                                      : "reads",
             tile_text(move, text));
    break;
  case PROOF_AWAIT:
    await_text(op, out);
    break;
  case PROOF_SYNC:
    snprintf(out, 128, "%s other threads",
             move->waits ? "waits for ever for" : "meets");
    break;
  case PROOF_CLOSE:
    snprintf(out, 128, "closes a group of copies");
    break;
  case PROOF_TURN:
    snprintf(out, 128, "%s",
             !op->turn.begins ? "hands on the turn"
             : move->waits    ? "waits for ever for its turn"
                              : "has its turn");
    break;
  default:
    snprintf(out, 128, "executes a proxy fence");
    break;
  }
  return out;
}

static void add_move(Notes *out, TileArena *arena, const ProofProgram *program,
                     const ProofMove *move, int number) {
  char verb[128];
  verb_text(program, move, verb);
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

typedef struct {
  int role;
  MlirOperation found;
} FindRole;

static MlirWalkResult find_role(MlirOperation op, void *user_data) {
  FindRole *find = user_data;
  if (!tile_role_is(op) || find->role-- > 0)
    return MlirWalkResultAdvance;
  find->found = op;
  return MlirWalkResultInterrupt;
}

// Where the user should look: the op of the event, else its role.
static MlirOperation place_of(MlirOperation kernel, const ProofProgram *program,
                              const ProofVerdict *verdict) {
  FindRole find = {verdict->role, kernel};
  if (verdict->origin)
    return (MlirOperation){(void *)verdict->origin};
  if (verdict->role >= 0 && !program->is_of_block)
    mlirOperationWalk(kernel, find_role, &find, MlirWalkPreOrder);
  return find.found;
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

// "; for example when the loop in line 12 runs 3 times"
static void print_witness(const ProofVerdict *verdict, char *out,
                          size_t capacity) {
  out[0] = '\0';
  if (!verdict->schedule || !verdict->schedule->loop.origin)
    return;
  const ProofChoice *choice = &verdict->schedule->loop;
  MlirLocation location =
      mlirOperationGetLocation((MlirOperation){(void *)choice->origin});
  if (mlirLocationIsAFileLineColRange(location))
    snprintf(out, capacity,
             "; for example when the loop in line %d runs %lld times",
             mlirLocationFileLineColRangeGetStartLine(location),
             (long long)choice->count);
}

static MlirLogicalResult report_fault(const TileKernelVerdict *judged,
                                      MlirOperation op, const Notes *notes,
                                      TileArena *arena) {
  const ProofVerdict *verdict = &judged->verdict;
  char witness[96];
  print_witness(verdict, witness, sizeof witness);
  return tile_emit_error_with_notes(
      op, notes->count, notes->notes,
      "[tile-verify/%s] breaks the protocol of %s: %s%s", verdict->code,
      role_name(&judged->program, verdict->role, arena), verdict->text,
      witness);
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

typedef struct {
  const TileVerifyChannelsOptions *options;
} Run;

//===-- Entry -------------------------------------------------------------===//

static MlirLogicalResult check_programs(const Run *run, MlirOperation kernel,
                                        const TileSyncPlan *plan,
                                        TileArena *arena) {
  const ProofLimits limits = {run->options->max_runs, run->options->max_states};
  TileKernelVerdict judged;
  tile_kernel_judge(arena, kernel, plan, &limits, &judged);
  return report(arena, kernel, &judged, run->options);
}

// What tile-insert-sync would add: it counts as if it stood there, or, once
// that pass has run, must be nothing.
static MlirLogicalResult check_with_plan(const Run *run, MlirOperation kernel,
                                         TileArena *arena) {
  const char *chip = run->options->target ? run->options->target : "";
  const TileTarget *target = NULL;
  TileSyncPlan plan, counted;
  TileSyncFault fault;
  if (*chip && tile_failed(tile_target_resolve(kernel, chip, &target)))
    return tile_failure();
  tile_sync_plan_build(arena, kernel, target, &plan);
  counted = plan;
  if (run->options->synced)
    counted.num_points = 0;
  else
    counted.unmet = TILE_NULL_OP;
  if (tile_failed(check_programs(run, kernel, &counted, arena)))
    return tile_failure();
  if (!run->options->synced || tile_sync_check(kernel, &plan, &fault))
    return tile_success();
  return tile_emit_error(fault.op, "[tile-verify/%s] %s", fault.code,
                         fault.text);
}

static MlirLogicalResult visit_kernel(MlirOperation kernel, void *user_data) {
  const Run *run = user_data;
  TileArena arena;
  tile_arena_init(&arena);
  MlirLogicalResult result = check_with_plan(run, kernel, &arena);
  tile_arena_deinit(&arena);
  return result;
}

MlirLogicalResult
tile_verify_channels_run(MlirOperation op,
                         const TileVerifyChannelsOptions *options) {
  Run run = {.options = options};
  return tile_kernels_visit_verified(op, visit_kernel, &run);
}
