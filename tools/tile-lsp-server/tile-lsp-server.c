//===- tile-lsp-server.c - mlir-lsp-server with the tile dialect ----------===//

#include "Support/LargeStack.h"
#include "Tile/Mlir.h"

int main(int argc, char **argv) {
  return tile_run_on_large_stack(tile_lsp_server_main, argc, argv);
}
