//===- ChipNeeds.c - Which chips have the instruction of an op ------------===//
//
// Upstream's ops say some of their needs (RequiresSMInterface), the table has
// the others. What neither knows LLVM finds: then the op is looked for that has
// the name of the intrinsic.
//
// Source of the table: [PTX] PTX ISA 9.0, "Target ISA Notes" of the
// instruction.
//
//===----------------------------------------------------------------------===//

#include "ChipNeeds.h"

#include "Dialect/ForeignOps.h"
#include "Support/Diagnostics.h"
#include "Tile/Ops/gpu.h"
#include "Tile/Ops/llvm.h"
#include "Tile/Ops/nvvm.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_CHIPS = 4 };

// The least chip, or those with an `a` that have it.
typedef struct {
  bool is_minimum;
  int numbers[MAX_CHIPS]; // 90 means sm_90; ends with 0 before MAX_CHIPS
} Needs;

typedef struct {
  const char *name; // how the names of ops begin
  bool (*applies)(MlirOperation op);
  Needs needs;
} Rule;

//===-- The table ---------------------------------------------------------===//

static bool is_not_alias(MlirOperation op) {
  NVVMFenceProxyOp fence = nvvm_fence_proxy_dyn(op);
  return !fence.op.ptr || nvvm_fence_proxy_kind(fence) != NVVM_PROXY_KIND_alias;
}

static bool is_float_reduction(MlirOperation op) {
  MlirType type =
      mlirValueGetType(nvvm_redux_sync_val(nvvm_redux_sync_cast(op)));
  return mlirTypeIsAFloat(type);
}

static bool is_rounded_to_even(MlirOperation op) {
  return nvvm_convert_float_to_tf32_rnd(nvvm_convert_float_to_tf32_cast(op)) !=
         NVVM_FP_ROUNDING_MODE_RNA;
}

#define FROM(number)                                                           \
  {                                                                            \
    true, { number }                                                           \
  }
#define ONLY(...)                                                              \
  {                                                                            \
    false, { __VA_ARGS__ }                                                     \
  }

static const Rule rules[] = {
    {"nvvm.elect.sync", NULL, FROM(90)},
    {"nvvm.cluster.arrive", NULL, FROM(90)},
    {"nvvm.read.ptx.sreg.cluster", NULL, FROM(90)},
    {"nvvm.read.ptx.sreg.nclusterid", NULL, FROM(90)},
    {"nvvm.fence.sc.cluster", NULL, FROM(90)},
    {"nvvm.fence.mbarrier.init", NULL, FROM(90)},
    {"nvvm.fence.sync_restrict", NULL, FROM(90)},
    {"nvvm.fence.proxy", is_not_alias, FROM(90)},
    {"nvvm.griddepcontrol", NULL, FROM(90)},
    {"nvvm.cp.async.bulk", NULL, FROM(90)},
    {"nvvm.stmatrix", NULL, FROM(90)},
    {"nvvm.mbarrier.try_wait", NULL, FROM(90)},
    {"nvvm.mbarrier.expect_tx", NULL, FROM(90)},
    {"nvvm.mbarrier.complete_tx", NULL, FROM(90)},
    {"nvvm.mbarrier.arrive.expect_tx", NULL, FROM(90)},
    {"nvvm.mbarrier.arrive_drop.expect_tx", NULL, FROM(90)},
    {"nvvm.convert.float.to.tf32", is_rounded_to_even, FROM(90)},
    {"nvvm.convert.f32x2.to.f8x2", NULL, FROM(89)},
    {"nvvm.convert.f16x2.to.f8x2", NULL, FROM(89)},
    {"nvvm.st.bulk", NULL, FROM(100)},
    {"nvvm.wgmma.mma_async", NULL, ONLY(90)},
    {"nvvm.setmaxregister", NULL, ONLY(90, 100)},
    {"nvvm.redux.sync", is_float_reduction, ONLY(100, 103)},
    {"nvvm.convert.bf16x2.to.f8x2", NULL, ONLY(100, 101, 103, 120)},
    {"nvvm.convert.f32x2.to.f6x2", NULL, ONLY(100, 101, 103, 120)},
    {"nvvm.convert.f32x2.to.f4x2", NULL, ONLY(100, 101, 103, 120)},
    {"nvvm.tcgen05", NULL, ONLY(100, 101, 103)},
};

enum { NUM_RULES = sizeof rules / sizeof *rules };

//===-- Checking ----------------------------------------------------------===//

// "sm_90a" is 90, and specific.
static int chip_number(const TileTarget *target, bool *out_is_specific) {
  char *end;
  long number = strtol(target->chip + strlen("sm_"), &end, 10);
  *out_is_specific = *end == 'a';
  return (int)number;
}

static bool is_met(const Needs *needs, const TileTarget *target) {
  bool is_specific;
  int number = chip_number(target, &is_specific);
  if (needs->is_minimum)
    return number >= needs->numbers[0];
  for (int i = 0; is_specific && i < MAX_CHIPS; i++)
    if (needs->numbers[i] == number)
      return true;
  return false;
}

static MlirLogicalResult report(MlirOperation op, const Needs *needs,
                                const TileTarget *target) {
  char text[80];
  int length = 0, i = 0;
  if (needs->is_minimum)
    snprintf(text, sizeof text, "sm_%d or newer", needs->numbers[0]);
  for (; !needs->is_minimum && i < MAX_CHIPS && needs->numbers[i]; i++)
    length += snprintf(text + length, sizeof text - (size_t)length, "%ssm_%da",
                       i ? " or " : "", needs->numbers[i]);
  return tile_emit_error(op, "needs %s, and the kernel is compiled for %s",
                         text, target->chip);
}

static MlirLogicalResult check_op(MlirOperation op, const TileTarget *target) {
  Needs needs = {false, {0}};
  if (!tile_op_name_begins(op, "nvvm."))
    return tile_success();
  if (mlirxRequiredChips(op, &needs.is_minimum, needs.numbers, MAX_CHIPS) &&
      !is_met(&needs, target))
    return report(op, &needs, target);
  for (int i = 0; i < NUM_RULES; i++)
    if (tile_op_name_begins(op, rules[i].name) &&
        (!rules[i].applies || rules[i].applies(op)) &&
        !is_met(&rules[i].needs, target))
      return report(op, &rules[i].needs, target);
  return tile_success();
}

typedef struct {
  const TileTarget *target; // of the gpu.module
  MlirLogicalResult result;
} Check;

static MlirWalkResult check(MlirOperation op, void *user_data) {
  Check *state = user_data;
  if (tile_gpu_module_is_foreign(op))
    return MlirWalkResultSkip;
  if (gpu_module_is(op))
    state->result = tile_target_resolve(op, NULL, &state->target);
  else if (state->target)
    state->result = check_op(op, state->target);
  return tile_failed(state->result) ? MlirWalkResultInterrupt
                                    : MlirWalkResultAdvance;
}

MlirLogicalResult tile_chip_needs_check(MlirOperation module) {
  Check state = {NULL, tile_success()};
  mlirOperationWalk(module, check, &state, MlirWalkPreOrder);
  return state.result;
}

//===-- What LLVM has found -----------------------------------------------===//

typedef struct {
  const char *name; // of the intrinsic, "llvm.nvvm.elect.sync"
  size_t length;
  MlirOperation found;
  size_t found_length;
} Search;

static char plain(char c) { return c == '_' ? '.' : c; }

// Names of ops spell some dots of those of intrinsics as lines.
static bool begins_alike(const char *name, size_t length, MlirStringRef start) {
  if (start.length > length)
    return false;
  for (size_t i = 0; i < start.length; i++)
    if (plain(name[i]) != plain(start.data[i]))
      return false;
  return true;
}

static MlirWalkResult look_at(MlirOperation op, void *user_data) {
  Search *search = user_data;
  static const char llvm[] = "llvm.";
  size_t skipped = sizeof llvm - 1;
  MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
  if (llvm_call_intrinsic_is(op)) {
    name = mlirStringAttrGetValue(
        mlirOperationGetAttributeByName(op, TILE_STR("intrin")));
    skipped = 0;
  } else if (!tile_op_name_begins(op, "nvvm.")) {
    return MlirWalkResultAdvance;
  }
  if (name.length <= search->found_length ||
      !begins_alike(search->name + skipped, search->length - skipped, name))
    return MlirWalkResultAdvance;
  search->found = op;
  search->found_length = name.length;
  return MlirWalkResultAdvance;
}

bool tile_chip_needs_report(const MlirOperation *gpu_modules,
                            size_t num_gpu_modules, const TileTarget *target,
                            const char *reason) {
  static const char start[] = "Cannot select: intrinsic %llvm.";
  if (strncmp(reason, start, sizeof start - 1) != 0)
    return false;
  Search search = {.name = reason + sizeof start - 1 - strlen("llvm.")};
  search.length = strcspn(search.name, " \n");
  for (size_t i = 0; i < num_gpu_modules; i++)
    mlirOperationWalk(gpu_modules[i], look_at, &search, MlirWalkPreOrder);
  if (!search.found.ptr)
    return false;
  tile_emit_error(search.found, "becomes %.*s, for which %s has no instruction",
                  (int)search.length, search.name, target->chip);
  return true;
}
