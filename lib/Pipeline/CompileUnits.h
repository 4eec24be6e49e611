//===- CompileUnits.h - What becomes one PTX file -------------------------===//
#ifndef TILE_LIB_PIPELINE_COMPILE_UNITS_H
#define TILE_LIB_PIPELINE_COMPILE_UNITS_H

#include "Support/StringBuilder.h"
#include "Target/Target.h"
#include "mlir-c/IR.h"

#include <stdlib.h>

/// A host function with the gpu.modules that it launches from, or one
/// gpu.module that no host function launches from.
typedef struct {
  MlirOperation host; // null: a gpu.module alone
  char *name;         // owned; a safe file name
  const TileTarget *target;
  MlirOperation *gpu_modules; // owned, in the order of the first launch
  size_t num_gpu_modules;
  char *json; // owned, NULL until made
} TileUnit;

typedef struct {
  TileUnit *items;
  size_t count;
} TileUnits;

/// Finds the units of an outlined module, in the order of the source, and makes
/// the names of its kernels unique.
/// Errors: nothing to compile, a name that is no file name, no target, a
///         launch whose kernel is not in a gpu.module.
MlirLogicalResult tile_units_find(MlirOperation module, TileUnits *out_units);
static inline void tile_units_deinit(TileUnits *units) {
  for (size_t i = 0; i < units->count; i++) {
    free(units->items[i].name);
    free(units->items[i].gpu_modules);
    free(units->items[i].json);
  }
  free(units->items);
  *units = (TileUnits){NULL, 0};
}

/// Checks that every launched kernel is an entry of the PTX.
MlirLogicalResult tile_unit_check_entries(const TileUnit *unit,
                                          const char *ptx);

#endif // TILE_LIB_PIPELINE_COMPILE_UNITS_H
