//===- KernelVerdict.c - What the proof says of a kernel ------------------===//

#include "KernelProgram.h"

#include <stdio.h>

static void judge(TileArena *arena, const ProofLimits *limits,
                  const TileKernelProgram *program, ProofVerdict *out) {
  *out = (ProofVerdict){.outcome = PROOF_UNKNOWN, .role = PROOF_NONE};
  if (program->failed.ptr) {
    out->code = "form";
    out->origin = program->failed.ptr;
    snprintf(out->text, sizeof out->text, "the op %s", program->failure);
  } else if (program->early.ptr) {
    out->outcome = PROOF_REJECTED;
    out->code = "init-unseen";
    out->origin = program->early.ptr;
    snprintf(out->text, sizeof out->text,
             "uses a barrier before all threads have met after its "
             "initialisation");
  } else {
    proof_verify(&program->program, limits, arena, out);
  }
}

static bool is_worse(const ProofVerdict *a, const ProofVerdict *b) {
  return a->outcome == PROOF_REJECTED ||
         (a->outcome == PROOF_UNKNOWN && b->outcome == PROOF_PROVED);
}

void tile_kernel_judge(TileArena *arena, MlirOperation kernel,
                       const TileSyncPlan *plan, const ProofLimits *limits,
                       TileKernelVerdict *out) {
  *out = (TileKernelVerdict){.verdict = {.role = PROOF_NONE}};
  for (int is_of_roles = 0;
       is_of_roles < 2 && out->verdict.outcome != PROOF_REJECTED;
       is_of_roles++) {
    TileKernelProgram program;
    ProofVerdict verdict;
    if (!tile_kernel_program(arena, kernel, is_of_roles, plan, &program))
      continue;
    judge(arena, limits, &program, &verdict);
    if (is_worse(&verdict, &out->verdict))
      *out = (TileKernelVerdict){program, verdict};
  }
}
