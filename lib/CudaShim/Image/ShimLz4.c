//===- ShimLz4.c - Decompresses a block of LZ4 ----------------------------===//
//
// Source: LZ4 block format description, version of 2022. A block is a sequence
// of literals and matches:
//
//   token  high 4 bits: number of literals, low 4 bits: match length - 4;
//          15 means that bytes to be added follow, up to one below 255
//   literals
//   offset of the match, 2 bytes; the last sequence ends after its literals
//
//===----------------------------------------------------------------------===//

#include "CudaShim/Shim.h"

#include <string.h>

typedef struct {
  const uint8_t *at, *end;
} Input;

/// The 4 bits of a token, or the long form. False at the end of the input.
static bool read_length(Input *input, unsigned bits, size_t *out_length) {
  *out_length = bits;
  if (bits < 15)
    return true;
  while (input->at < input->end) {
    uint8_t byte = *input->at++;
    *out_length += byte;
    if (byte < 255)
      return true;
  }
  return false;
}

bool tile_shim_lz4_decode(const uint8_t *source, size_t source_bytes,
                          uint8_t *target, size_t target_bytes) {
  enum { MIN_MATCH = 4 };
  Input input = {source, source + source_bytes};
  size_t done = 0, length = 0;
  while (input.at < input.end) {
    uint8_t token = *input.at++;
    if (!read_length(&input, token >> 4, &length) ||
        length > (size_t)(input.end - input.at) || length > target_bytes - done)
      return false;
    memcpy(target + done, input.at, length);
    done += length;
    input.at += length;
    if (input.at == input.end)
      break;
    if (input.end - input.at < 2)
      return false;
    size_t offset = input.at[0] | (size_t)input.at[1] << 8;
    input.at += 2;
    if (!read_length(&input, token & 15, &length))
      return false;
    length += MIN_MATCH;
    if (offset == 0 || offset > done || length > target_bytes - done)
      return false;
    for (size_t i = 0; i < length; i++, done++) // may overlap itself
      target[done] = target[done - offset];
  }
  return done == target_bytes;
}
