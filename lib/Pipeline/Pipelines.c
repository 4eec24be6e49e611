//===- Pipelines.c - The compiler on one screen ---------------------------===//

#include "Tile/Pipeline.h"

#include "Tile/Support/PassSupport.h"
#include "TilePasses.h"

void tile_register_all(void) { tile_register_passes(); }
