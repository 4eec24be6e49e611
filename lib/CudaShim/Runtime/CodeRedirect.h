//===- CodeRedirect.h - Lets functions of a program jump elsewhere --------===//
//
// The first instruction of a function becomes a jump to an island of code near
// it, which jumps on to any address. So no byte after the function changes,
// however short it is.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_CUDA_SHIM_CODE_REDIRECT_H
#define TILE_LIB_CUDA_SHIM_CODE_REDIRECT_H

#include "Tile/Support/Status.h"

#include <stddef.h>
#include <stdint.h>

enum {
  TILE_ISLAND_BYTES = 16, // the instructions and an address
  TILE_MAX_JUMP_BYTES = 5
};

typedef enum { TILE_CODE_X86_64, TILE_CODE_AARCH64, TILE_CODE_OTHER } TileCode;

/// The instruction set that this library was compiled for.
TileCode tile_code_host(void);
/// Bytes of a near jump, 0 for TILE_CODE_OTHER.
size_t tile_code_jump_bytes(TileCode code);
/// Writes a jump for the place `from` to `to`. False when that is too far.
bool tile_code_encode_jump(TileCode code, uint64_t from, uint64_t to,
                           uint8_t out_bytes[TILE_MAX_JUMP_BYTES]);
/// Writes code that jumps to `target` from anywhere, without a register that
/// the called function may read.
void tile_code_encode_island(TileCode code, uint64_t target,
                             uint8_t out_bytes[TILE_ISLAND_BYTES]);

/// One function that shall jump; both addresses are those of this process.
typedef struct {
  uintptr_t from, to;
  size_t size_bytes; // of the function at `from`
  const char *name;  // for messages; borrowed
} TileRedirect;

/// Redirects functions. They lie in code that is mapped for reading and
/// execution, and nothing runs in their pages meanwhile: not this code either.
/// Errors, before anything changes: TILE_CODE_OTHER, a function shorter than a
/// jump, no memory near them. Then: memory that cannot be made writable or
/// executable; the program must not go on.
TileStatus tile_code_redirect(TileCode code, const TileRedirect *redirects,
                              size_t count);

#endif // TILE_LIB_CUDA_SHIM_CODE_REDIRECT_H
