//===- VerifyChannels.c - Proof that roles and channels fit together ------===//
//
// Consumes: `tile.specialize` with `tile.channel`s; mbarriers without one, of
//           roles and of blocks.
// Produces: nothing.
// Fails:    an mbarrier can never complete; a rule
//           of the protocol is broken, or roles deadlock. What can be
//           neither proved nor refuted gets a remark of one line, or with
//           `strict` an error. Notes of an error show a schedule that goes
//           wrong, where one is found.
//           With `synced`, a barrier, fence or wait of tile-insert-sync lacks.
// Method:   Protocol.h; of mbarriers without a channel BarrierMachine.c.
//
//===----------------------------------------------------------------------===//

#include "Analysis/KernelProtocol.h"
#include "Analysis/Sync/Sync.h"
#include "Support/Diagnostics.h"
#include "TilePasses.h"
#include "VerifyChannelsNotes.h"
#include "VerifyPrograms.h"

typedef struct {
  const TileVerifyChannelsOptions *options;
} Run;

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

static MlirOperation role_op(MlirOperation kernel, int role) {
  FindRole find = {role, kernel};
  if (role >= 0)
    mlirOperationWalk(kernel, find_role, &find, MlirWalkPreOrder);
  return find.found;
}

// Where the user should look: the op of the event, else its role.
static MlirOperation place_of(MlirOperation kernel,
                              const TileProtocol *protocol,
                              const TileProtocolVerdict *verdict) {
  MlirOperation op =
      protocol->is_of_block ? kernel : role_op(kernel, verdict->role);
  if (verdict->node)
    op.ptr = (void *)verdict->node->origin;
  return op;
}

// "role "consumer"", or "the block"
static const char *role_name(const TileProtocol *protocol, int role,
                             TileArena *arena) {
  enum { NAME_BYTES = 128 };
  char *name = TILE_ARENA_NEW(arena, char, NAME_BYTES);
  if (protocol->is_of_block)
    return "the block";
  snprintf(name, NAME_BYTES, "role \"%s\"",
           role >= 0 ? protocol->roles[role].name : "all");
  return name;
}

// "; for example when the loop in line 12 runs 3 times"
static void print_witness(const TileProtocolVerdict *verdict, char *out,
                          size_t capacity) {
  out[0] = '\0';
  if (!verdict->witness_loop)
    return;
  MlirOperation loop = {(void *)verdict->witness_loop->origin};
  MlirLocation location = mlirOperationGetLocation(loop);
  if (mlirLocationIsAFileLineColRange(location))
    snprintf(out, capacity,
             "; for example when the loop in line %d runs %lld times",
             mlirLocationFileLineColRangeGetStartLine(location),
             (long long)verdict->witness_trips);
}

// The other role of a deadlock, then the schedule.
static VerifyNotes notes_of(const Run *run, const TileProtocol *protocol,
                            const TileProtocolVerdict *verdict,
                            TileArena *arena) {
  VerifyNotes out = {0};
  MlirxNote *other = TILE_ARENA_NEW(arena, MlirxNote, 1);
  if (verdict->schedule && run->options->schedule)
    return verify_notes_of(protocol, verdict, run->options->max_events, arena);
  if (verdict->outcome != TILE_PROTOCOL_REJECTED || !verdict->other)
    return out;
  MlirOperation op = {(void *)verdict->other->origin};
  *other = (MlirxNote){mlirOperationGetLocation(op),
                       mlirStringRefCreateFromCString(
                           protocol->is_of_rows ? "the other access is here"
                                                : "another role is here")};
  return (VerifyNotes){other, 1};
}

static MlirLogicalResult report(const Run *run, MlirOperation kernel,
                                const TileProtocol *protocol,
                                const TileProtocolVerdict *verdict,
                                TileArena *arena) {
  MlirOperation op = place_of(kernel, protocol, verdict);
  const char *role = role_name(protocol, verdict->role, arena);
  char code[64], witness[96];
  if (verdict->outcome == TILE_PROTOCOL_PROVED)
    return tile_success();
  bool is_error =
      verdict->outcome == TILE_PROTOCOL_REJECTED || run->options->strict;
  VerifyNotes notes = {0}; // a run that nobody has seen to be possible is none
  if (is_error)
    notes = notes_of(run, protocol, verdict, arena);
  snprintf(code, sizeof code, "tile-verify/%s", verdict->code);
  print_witness(verdict, witness, sizeof witness);
  if (verdict->outcome == TILE_PROTOCOL_REJECTED)
    return tile_emit_error_with_notes(op, notes.count, notes.notes,
                                      "[%s] breaks the protocol of %s: %s%s",
                                      code, role, verdict->text, witness);
  if (is_error)
    return tile_emit_error_with_notes(op, notes.count, notes.notes,
                                      "[%s] cannot be proved for %s: %s", code,
                                      role, verdict->text);
  tile_emit_remark(op, code,
                   "is not proved, and may well be right: the proof for %s "
                   "stops at \"%s\"; tile-run --emulate checks a run",
                   role, verdict->text);
  return tile_success();
}

static MlirLogicalResult report_failure(const Run *run, MlirOperation op,
                                        const char *failure) {
  if (run->options->strict)
    return tile_emit_error(op, "[tile-verify/form] cannot be proved: the op %s",
                           failure);
  tile_emit_remark(op, "tile-verify/form",
                   "is not proved, and may well be right: the proof does not "
                   "follow an op that %s; tile-run --emulate checks a run",
                   failure);
  return tile_success();
}

//===-- Entry -------------------------------------------------------------===//

static MlirLogicalResult check_barriers(MlirOperation kernel) {
  TileBarrierFault fault;
  if (!tile_barriers_check(kernel, &fault))
    return tile_success();
  return tile_emit_error_with_note(
      fault.op, mlirOperationGetLocation(fault.alloc), "the barrier is here",
      "[tile-verify/%s] %s", fault.code, fault.text);
}

// mbarriers that no channel has: of the block, then of its roles.
static MlirLogicalResult check_programs(const Run *run, MlirOperation kernel,
                                        const TileSyncPlan *plan,
                                        TileArena *arena) {
  TileProtocolLimits limits = {run->options->max_runs,
                               run->options->max_states};
  for (int is_of_roles = 0; is_of_roles < 2; is_of_roles++) {
    TileProtocol protocol;
    TileProtocolVerdict verdict;
    MlirOperation failed;
    const char *failure = NULL;
    MlirLogicalResult result = tile_success();
    if (!tile_barriers_verify(arena, kernel, is_of_roles, plan, &limits,
                              &protocol, &verdict, &failed, &failure))
      continue;
    if (failed.ptr)
      result = report_failure(run, failed, failure);
    else
      result = report(run, kernel, &protocol, &verdict, arena);
    if (tile_failed(result))
      return result;
  }
  return tile_success();
}

static MlirLogicalResult check_channels(const Run *run, MlirOperation kernel,
                                        TileArena *arena, bool *out_has_any) {
  TileProtocol protocol;
  TileProtocolVerdict verdict;
  MlirOperation failed;
  const char *failure = NULL;
  *out_has_any =
      tile_protocol_extract(arena, kernel, &protocol, &failed, &failure);
  if (!*out_has_any)
    return tile_success();
  if (failed.ptr)
    return report_failure(run, failed, failure);
  TileProtocolLimits limits = {run->options->max_runs,
                               run->options->max_states};
  tile_protocol_verify(&protocol, &limits, arena, &verdict);
  return report(run, kernel, &protocol, &verdict, arena);
}

// lib/Proof judges all barriers at once. What slots of channels hold it does
// not ask, so channels are judged as well; and what it cannot prove is asked of
// the proofs of channels and of mbarriers without one.
static MlirLogicalResult check_barriers_and_channels(const Run *run,
                                                     MlirOperation kernel,
                                                     const TileSyncPlan *plan,
                                                     TileArena *arena) {
  VerifyPrograms programs = {.verdict = {.outcome = PROOF_UNKNOWN}};
  bool has_channels = false;
  if (run->options->own)
    verify_programs_judge(arena, kernel, plan, run->options, &programs);
  if (tile_failed(check_channels(run, kernel, arena, &has_channels)))
    return tile_failure();
  if (run->options->own && programs.verdict.outcome != PROOF_PROVED &&
      tile_failed(check_programs(run, kernel, plan, arena)))
    return tile_failure();
  if (programs.has_programs && programs.verdict.outcome == PROOF_REJECTED)
    return verify_programs_report(arena, kernel, &programs, run->options);
  return tile_success();
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
  if (tile_failed(check_barriers_and_channels(run, kernel, &counted, arena)))
    return tile_failure();
  if (!run->options->synced || tile_sync_check(kernel, &plan, &fault))
    return tile_success();
  return tile_emit_error(fault.op, "[tile-verify/%s] %s", fault.code,
                         fault.text);
}

static MlirLogicalResult visit_kernel(MlirOperation kernel, void *user_data) {
  const Run *run = user_data;
  TileArena arena;
  if (tile_failed(check_barriers(kernel)))
    return tile_failure();
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
