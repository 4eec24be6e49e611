//===- embedded.c - A program with the emulator in it ---------------------===//
//
// usage: embedded FILE.ptx
//
// Knows the installed header and library only. Runs axpy on 100 floats.
//
//===----------------------------------------------------------------------===//

#include <Tile/Emulator.h>

#include <stdio.h>
#include <stdlib.h>

static void check(TileStatus status) {
  if (tile_status_is_ok(&status))
    return;
  fprintf(stderr, "embedded: %s\n", status.message);
  exit(status.code);
}

int main(int argc, char **argv) {
  static char text[1 << 16];
  FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
  size_t size_bytes = file ? fread(text, 1, sizeof text, file) : 0;
  TileEmuModule *module;
  TileEmu *emu;
  TileEmuOptions options;
  tile_emu_options_init(&options);
  check(tile_emu_create(&options, &emu));
  check(tile_emu_module_parse(text, size_bytes, "axpy", &module));
  void *x, *y;
  check(tile_emu_alloc(emu, 100 * sizeof(float), "x", &x));
  check(tile_emu_alloc(emu, 100 * sizeof(float), "y", &y));
  for (int i = 0; i < 100; i++)
    ((float *)x)[i] = (float)i;
  unsigned count = 100;
  float factor = 2;
  void *args[] = {&count, &factor, &x, &y};
  TileEmuLaunch launch = {
      .grid = {2, 1, 1}, .block = {64, 1, 1}, .args = args, .num_args = 4};
  check(tile_emu_launch(emu, module, "axpy", &launch));
  printf("y[99] = %g, findings: %zu\n", (double)((float *)y)[99],
         tile_emu_num_findings(emu));
  tile_emu_module_destroy(module);
  tile_emu_destroy(emu);
  return 0;
}
