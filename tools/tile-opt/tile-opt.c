//===- tile-opt.c - mlir-opt with the tile dialect and passes -------------===//

#include "Tile/Pipeline.h"
#include "Tile/Support/PassSupport.h"

int main(int argc, char **argv) {
  tile_register_all();
  return tile_opt_main(argc, argv);
}
