//===- tile-reduce.c - mlir-reduce with the tile dialect and passes -------===//

#include "Support/LargeStack.h"
#include "Tile/Mlir.h"

int main(int argc, char **argv) {
  return tile_run_on_large_stack(tile_reduce_main, argc, argv);
}
