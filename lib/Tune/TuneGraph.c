//===- TuneGraph.c - Sizes of kernels that are made of graphs -------------===//
//
// tile-form-kernels writes the sizes of a kernel on its function; the passes
// after it take them from there. So they can be others.
//
//===----------------------------------------------------------------------===//

#include "TuneSpace.h"

#include "Tile/Ops/func.h"
#include "Transforms/Schedules/Schedules.h"

#include <stdio.h>
#include <string.h>

// tile-form-kernels writes sizes on functions; what comes after it takes them.
static void add_entry(TuneSpace *space, MlirOperation function,
                      const char *attr, int entry, const char *name,
                      const int64_t *candidates) {
  MlirAttribute sizes =
      mlirOperationGetDiscardableAttributeByName(function, tile_str(attr));
  if (mlirAttributeIsNull(sizes))
    return;
  bool is_number = mlirAttributeIsAInteger(sizes);
  if (!is_number && entry >= mlirDenseArrayGetNumElements(sizes))
    return;
  int64_t value = is_number ? mlirIntegerAttrGetValueInt(sizes)
                            : mlirDenseI64ArrayGetElement(sizes, entry);
  MlirStringRef symbol = mlirStringAttrGetValue(
      mlirOperationGetAttributeByName(function, TILE_STR("sym_name")));
  char full[160];
  if (value <= 1)
    return;
  snprintf(full, sizeof full, "%.*s.%s", (int)symbol.length, symbol.data, name);
  TuneChoice choice = {.kind = TUNE_ENTRY,
                       .name =
                           tile_arena_strdup(space->arena, full, strlen(full)),
                       .value = value,
                       .owner = function,
                       .attr = attr,
                       .entry = entry};
  tune_space_add(space, &choice, candidates);
}

void tune_graph_kernel(TuneSpace *space, MlirOperation function) {
  static const int64_t blocks[] = {64, 128, 192, 256, -1};
  static const int64_t depths[] = {32, 64, 128, -1};
  static const int64_t threads[] = {128, 256, 384, -1};
  static const int64_t stages[] = {2, 3, 4, 5, 6, 8, -1};
  static const int64_t rows[] = {1, 2, 4, 8, 16, -1};
  MlirAttribute schedule = mlirOperationGetDiscardableAttributeByName(
      function, TILE_STR(TILE_SCHEDULE_ATTR));
  if (mlirAttributeIsNull(schedule))
    return;
  bool is_product = !strncmp(mlirStringAttrGetValue(schedule).data, "product",
                             strlen("product"));
  MlirAttribute sizes = mlirOperationGetDiscardableAttributeByName(
      function, TILE_STR(TILE_BLOCK_ATTR));
  for (int i = 0;
       !mlirAttributeIsNull(sizes) && i < mlirDenseArrayGetNumElements(sizes);
       i++) {
    char name[16];
    snprintf(name, sizeof name, "block%d", i);
    add_entry(space, function, TILE_BLOCK_ATTR, i, name,
              is_product ? blocks : rows);
  }
  for (int i = 0; is_product && i < 8; i++)
    add_entry(space, function, TILE_LOOP_ATTR, i, "depth", depths);
  add_entry(space, function, TILE_THREADS_ATTR, 0, "threads", threads);
  add_entry(space, function, TILE_STAGES_ATTR, 0, "stages", stages);
}
