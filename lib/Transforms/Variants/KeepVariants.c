//===- KeepVariants.c - Only the variants that are asked for --------------===//

#include "Transforms/Variants/KeepVariants.h"

#include "Dialect/Ops.h"
#include "Support/Diagnostics.h"
#include "Support/StringBuilder.h"
#include "Tile/Ops/gpu.h"
#include <stdlib.h>

typedef struct {
  const unsigned *numbers;
  size_t count;
  MlirLogicalResult result;
} Wanted;

static bool is_wanted(const Wanted *wanted, intptr_t number) {
  for (size_t i = 0; i < wanted->count; i++)
    if (wanted->numbers[i] == (uintptr_t)number)
      return true;
  return false;
}

static MlirWalkResult report(MlirOperation op, intptr_t num_variants,
                             Wanted *wanted) {
  TileString list = {NULL, 0, 0};
  for (size_t i = 0; i < wanted->count; i++)
    tile_string_print(&list, "%s%u", i ? ", " : "", wanted->numbers[i]);
  wanted->result = tile_emit_error(
      op, "has %lld variants, and none of those that are asked for: %s",
      (long long)num_variants, list.data);
  tile_string_deinit(&list);
  return MlirWalkResultInterrupt;
}

// An op with the wanted regions takes the place of the old one.
static void replace(MlirOperation op, MlirRegion *kept, intptr_t num_kept) {
  TileBuilder b = {mlirIRRewriterCreate(mlirOperationGetContext(op)),
                   mlirOperationGetLocation(op)};
  mlirRewriterBaseSetInsertionPointBefore(b.rw, op);
  MlirOperation made = tile_variants_op(&b, .variants = {kept, num_kept}).op;
  intptr_t num_attributes = mlirOperationGetNumDiscardableAttributes(op);
  for (intptr_t i = 0; i < num_attributes; i++) {
    MlirNamedAttribute attribute = mlirOperationGetDiscardableAttribute(op, i);
    mlirOperationSetDiscardableAttributeByName(
        made, mlirIdentifierStr(attribute.name), attribute.attribute);
  }
  mlirIRRewriterDestroy(b.rw);
  mlirOperationDestroy(op);
}

static MlirWalkResult keep(MlirOperation op, void *user_data) {
  Wanted *wanted = user_data;
  if (!tile_variants_is(op)) {
    bool is_alone = gpu_launch_is(op) &&
                    !tile_variants_is(mlirOperationGetParentOperation(op));
    return is_alone && !is_wanted(wanted, 1) ? report(op, 1, wanted)
                                             : MlirWalkResultAdvance;
  }
  intptr_t count = mlirOperationGetNumRegions(op), num_kept = 0;
  MlirRegion *kept = malloc((size_t)(count + 1) * sizeof *kept);
  for (intptr_t i = 0; kept && i < count; i++)
    if (is_wanted(wanted, i + 1)) {
      kept[num_kept] = mlirRegionCreate();
      mlirRegionTakeBody(kept[num_kept++], mlirOperationGetRegion(op, i));
    }
  MlirWalkResult result = MlirWalkResultSkip;
  if (num_kept == 0)
    result = report(op, count, wanted);
  else
    replace(op, kept, num_kept);
  free(kept);
  return result;
}

MlirLogicalResult tile_variants_keep(MlirOperation module,
                                     const unsigned *numbers, size_t count) {
  Wanted wanted = {numbers, count, tile_success()};
  if (count)
    mlirOperationWalk(module, keep, &wanted, MlirWalkPreOrder);
  return wanted.result;
}
