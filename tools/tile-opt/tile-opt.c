//===- tile-opt.c - mlir-opt with the tile dialect and passes -------------===//

#include "Support/LargeStack.h"
#include "Tile/Mlir.h"

static int run(int argc, char **argv) {
  tile_register_all();
  return tile_opt_main(argc, argv);
}

int main(int argc, char **argv) {
  return tile_run_on_large_stack(run, argc, argv);
}
