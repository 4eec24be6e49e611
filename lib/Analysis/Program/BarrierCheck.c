//===- BarrierCheck.c - Barriers whose phases can never end ---------------===//
//
// Asks of every mbarrier of a kernel, also of one that no channel has, whether
// it is initialised, and once, and whether the arrivals that its ops make can
// add up to what it counts.
//
//===----------------------------------------------------------------------===//

#include "BarrierCheck.h"

#include "ProgramBuild.h"
#include "Support/Iterate.h"
#include "Tile/Ops/scf.h"

#include <stdio.h>

enum { MAX_KINDS = 8, MAX_COUNT = 4096 };

typedef struct {
  MlirOperation first; // in program order, of waits and arrivals
  int num_inits, num_waits;
  int64_t count; // of the initialisation
  MlirOperation init;
  MlirOperation init_again; // one that finds a barrier there, or null
  int arrivals[MAX_KINDS];  // that ops make, all different
  int num_kinds;
  bool has_more_kinds; // or arrivals that no op of its own makes
} Uses;

static void add_kind(Uses *uses, int arrivals) {
  for (int i = 0; i < uses->num_kinds; i++)
    if (uses->arrivals[i] == arrivals)
      return;
  if (uses->num_kinds == MAX_KINDS)
    uses->has_more_kinds = true;
  else
    uses->arrivals[uses->num_kinds++] = arrivals;
}

static void note_first(Uses *uses, MlirOperation op) {
  if (!uses->first.ptr)
    uses->first = op;
}

typedef struct {
  MlirValue barrier;
  int64_t kernel_threads;
  Uses uses;
} Survey;

// What is no op of barriers may arrive, too.
static bool is_other_use(MlirOperation op) {
  TileCopyOp copy = tile_copy_dyn(op);
  if (copy.op.ptr)
    return mlirAttributeIsNull(tile_copy_instr_attr(copy)) ||
           tile_copy_instr(copy) != TILE_INSTR_Tma;
  return !tile_barrier_init_is(op) && !tile_barrier_wait_is(op) &&
         !tile_barrier_arrive_is(op) && !tile_barrier_expect_is(op) &&
         !tile_channel_barriers_is(op);
}

static bool has_other_use(MlirValue barrier) {
  for (MlirOpOperand use = mlirValueGetFirstUse(barrier);
       !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
    if (is_other_use(mlirOpOperandGetOwner(use)))
      return true;
  return false;
}

static bool is_in_loop(MlirOperation op) {
  MlirOperation parent = mlirOperationGetParentOperation(op);
  for (; !mlirOperationIsNull(parent) && !tile_kernel_is(parent);
       parent = mlirOperationGetParentOperation(parent))
    if (scf_for_is(parent) || scf_while_is(parent))
      return true;
  return false;
}

static MlirWalkResult visit_use(MlirOperation op, void *user_data) {
  Survey *s = user_data;
  Uses *uses = &s->uses;
  bool arrives = tile_barrier_arrive_is(op) || tile_barrier_expect_is(op);
  bool is_use = arrives || tile_barrier_init_is(op) || tile_barrier_wait_is(op);
  if (!is_use || !mlirValueEqual(mlirOperationGetOperand(op, 0), s->barrier))
    return MlirWalkResultAdvance;
  if (tile_barrier_init_is(op)) {
    if (uses->num_inits++ > 0 && uses->init.ptr &&
        mlirBlockEqual(mlirOperationGetBlock(uses->init),
                       mlirOperationGetBlock(op)))
      uses->init_again = op;
    if (is_in_loop(op))
      uses->init_again = op;
    uses->init = op;
    uses->count = tile_barrier_init_arrivals(tile_barrier_init_cast(op));
    return MlirWalkResultAdvance;
  }
  note_first(uses, op);
  uses->num_waits += !arrives;
  if (arrives) {
    int64_t threads = tile_op_num_threads(op, s->kernel_threads);
    int arrivals = program_num_arrivals(op, (int)((threads + 31) / 32));
    if (arrivals > 0) // an expect may bring bytes alone
      add_kind(uses, arrivals);
  }
  return MlirWalkResultAdvance;
}

// Whether the arrivals of some ops, each executed any number of times, make
// exactly `count`.
static bool adds_up(const Uses *uses) {
  bool can[MAX_COUNT + 1] = {true};
  if (uses->has_more_kinds || uses->count > MAX_COUNT)
    return true; // not looked at
  for (int64_t sum = 1; sum <= uses->count; sum++)
    for (int k = 0; k < uses->num_kinds && !can[sum]; k++)
      can[sum] = sum >= uses->arrivals[k] && can[sum - uses->arrivals[k]];
  return can[uses->count];
}

static bool report(TileBarrierFault *out, MlirOperation op, const char *code,
                   MlirOperation alloc) {
  out->op = op;
  out->code = code;
  out->alloc = alloc;
  return true;
}

static bool check(const Survey *s, MlirOperation alloc, TileBarrierFault *out) {
  const Uses *uses = &s->uses;
  if (!uses->first.ptr)
    return false;
  // PTX ISA, mbarrier.init: undefined where a valid mbarrier is.
  if (uses->init_again.ptr) {
    snprintf(out->text, sizeof out->text,
             "initialises a barrier again, in a loop or behind another one");
    return report(out, uses->init_again, "initialised-again", alloc);
  }
  if (uses->num_inits == 0) {
    snprintf(out->text, sizeof out->text,
             "uses a barrier that nothing initialises");
    return report(out, uses->first, "not-initialised", alloc);
  }
  if (uses->num_waits == 0 || uses->num_inits > 1 || adds_up(uses))
    return false;
  int length = snprintf(out->text, sizeof out->text,
                        "counts %lld arrivals in a phase, which the ops that "
                        "arrive never add up to: they make",
                        (long long)uses->count);
  for (int i = 0; i < uses->num_kinds; i++)
    length += snprintf(out->text + length, sizeof out->text - (size_t)length,
                       " %d", uses->arrivals[i]);
  if (uses->num_kinds == 0)
    snprintf(out->text + length, sizeof out->text - (size_t)length, " none");
  return report(out, uses->init, "never-completes", alloc);
}

typedef struct {
  MlirOperation kernel;
  TileBarrierFault *out;
  bool found;
} Search;

static MlirWalkResult visit_alloc(MlirOperation op, void *user_data) {
  Search *search = user_data;
  if (!tile_barrier_alloc_is(op))
    return MlirWalkResultAdvance;
  Survey s = {.barrier = mlirOperationGetResult(op, 0),
              .kernel_threads = tile_kernel_num_threads(search->kernel)};
  s.uses.has_more_kinds = has_other_use(s.barrier);
  mlirOperationWalk(search->kernel, visit_use, &s, MlirWalkPreOrder);
  search->found = check(&s, op, search->out);
  return search->found ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

bool tile_barriers_check(MlirOperation kernel, TileBarrierFault *out_fault) {
  Search search = {kernel, out_fault, false};
  mlirOperationWalk(kernel, visit_alloc, &search, MlirWalkPreOrder);
  return search.found;
}
