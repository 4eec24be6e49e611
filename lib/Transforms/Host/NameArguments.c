//===- NameArguments.c - Names the arguments of host functions ------------===//
//
// Consumes: functions as they were parsed.
// Produces: `tile.name` on arguments whose location has a name.
// Fails:    never.
// Idempotent: arguments that have a name keep it.
//
//===----------------------------------------------------------------------===//

#include "Dialect/ArgumentNames.h"
#include "Support/Diagnostics.h"
#include "TilePasses.h"

MlirLogicalResult
tile_name_arguments_run(MlirOperation op,
                        const TileNameArgumentsOptions *options) {
  TileSource unknown = {NULL, 0, NULL};
  (void)options;
  tile_argument_names_fill(op, &unknown);
  return tile_success();
}
