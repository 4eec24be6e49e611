//===- gemm.c - A product, from a string to a number ----------------------===//
//
// Compiles a product of matrices and runs it, on a GPU or on the emulator.
// clang-format off
#include <Tile/Tile.h>
#include <stdio.h>
static const char text[] = "!h = memref<64x64xf16> !f = memref<64x64xf32> !r = memref<64x64xf32, #tile.fragment>"
  "!s = memref<64x64xf16, #gpu.address_space<workgroup>> func.func @gemm(%A: !h, %B: !h, %C: !f) {"
  "%0 = arith.constant 0 : index %1 = arith.constant 1 : index %n = arith.constant 128 : index %z = arith.constant 0.0 : f32 "
  "gpu.launch blocks(%x, %y, %w) in (%l = %1, %m = %1, %o = %1) threads(%t, %u, %v) in (%p = %n, %q = %1, %k = %1) {"
  "  %a = tile.alloc : !s %b = tile.alloc : !s %c = tile.alloc : !r tile.fill %c, %z : !r, f32 "
  "  %i = tile.region %A[%0, %0] [64, 64] : !h tile.copy %i to %a : !tile.region<64x64xf16>, !s "
  "  %j = tile.region %B[%0, %0] [64, 64] : !h tile.copy %j to %b : !tile.region<64x64xf16>, !s tile.gemm %a, %b, %c : (!s, !s, !r)"
  "  %d = tile.region %C[%0, %0] [64, 64] : !f tile.copy %c to %d : !r, !tile.region<64x64xf32> gpu.terminator } return }";
int main(void) {
  TileDevice *device = tile_device_create(tile_diagnostic_print, NULL);
  TileCompiler *compiler = tile_compiler_create(NULL);
  tile_compiler_set_diagnostics(compiler, tile_diagnostic_print, NULL);
  bool is_known = device && tile_compiler_set_chip(compiler, tile_device_chip(device));
  TileProgram *program = is_known ? tile_compile(compiler, "gemm.mlir", text, sizeof text - 1) : NULL;
  TileModule *module = program ? tile_module_load(device, program, 0) : NULL;
  if (!module) return 1;
  uint16_t ones[64 * 64]; for (int i = 0; i < 64 * 64; i++) ones[i] = 0x3c00; // 1.0 as f16
  float c = 0; int64_t shape[] = {64, 64}; void *a = tile_memory_alloc(device, sizeof ones), *d = tile_memory_alloc(device, 64 * 64 * sizeof c);
  TileDLTensor A = {a, {1, 0}, 2, {2, 16, 1}, shape, NULL, 0}, C = {d, {1, 0}, 2, {2, 32, 1}, shape, NULL, 0};
  TileLaunchArg args[] = {tile_arg_tensor(&A), tile_arg_tensor(&A), tile_arg_tensor(&C)};
  bool is_ok = tile_memory_write(device, a, ones, sizeof ones) && tile_module_launch(module, NULL, args, 3) && tile_memory_read(device, d, &c, sizeof c);
  return printf("C[0][0] = %g on the %s\n", (double)c, tile_device_name(device)), !is_ok || c != 64;
}
