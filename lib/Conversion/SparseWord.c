//===- SparseWord.c - Which metadata a thread gives to mma.sp -------------===//
//
// A warp multiplies 16 rows, and a quad of lanes has the metadata of two of
// them, `lane / 4` and that plus 8:
//
//   16, 32 bits   lane % 2 = 0, 1: columns 2 * step, 2 * step + 1 of the tile;
//                 low half for the first row, high half for the second one.
//                 Selector 0 takes lanes 0 and 1 of the quad; 2 and 3 repeat.
//   8 bits        lane % 2: which row; lane / 2 % 2: which pair of the four
//                 columns of the step, both halves of one word.
//
// Packed metadata has these words, those of four warps and four columns
// together, in the order of the 128 threads. With 16 and 32 bits lanes 2 and 3
// of a quad have columns 2 and 3, which selector 1 takes in the next step.
//
//===----------------------------------------------------------------------===//

#include "Conversion.h"

TileSparseWord tile_sparse_word(TileIntMath *math, TileInt lane, int elem_bits,
                                TileInt first_row, int64_t step) {
  TileInt row = tile_int_add(math, first_row, tile_int_div(math, lane, 4));
  TileInt low = tile_int_rem(math, lane, 2);
  TileSparseWord word;
  if (elem_bits == 8) {
    TileInt pair = tile_int_rem(math, tile_int_div(math, lane, 2), 2);
    word.row[0] = word.row[1] =
        tile_int_add(math, row, tile_int_mul(math, low, 8));
    word.column[0] = tile_int_add(math, tile_int_mul(math, pair, 2),
                                  tile_int_constant(4 * step));
    word.column[1] = tile_int_add(math, word.column[0], tile_int_constant(1));
    return word;
  }
  word.row[0] = row;
  word.row[1] = tile_int_add(math, row, tile_int_constant(8));
  word.column[0] = word.column[1] =
      tile_int_add(math, low, tile_int_constant(2 * step));
  return word;
}

void tile_sparse_packed_word(TileIntMath *math, TileInt lane, int elem_bits,
                             TileInt first_row, int64_t step,
                             TileInt out_at[3]) {
  enum { ROWS = 64, WARP_ROWS = 16, LANES = 32 };
  TileInt warp =
      tile_int_div(math, tile_int_rem(math, first_row, ROWS), WARP_ROWS);
  TileInt place = lane;
  int64_t steps = tile_sparse_packed_steps(elem_bits);
  if (steps > 1) {
    TileInt quad = tile_int_mul(math, tile_int_div(math, lane, 4), 4);
    place = tile_int_add(math,
                         tile_int_add(math, quad, tile_int_rem(math, lane, 2)),
                         tile_int_constant(2 * (step % steps)));
  }
  out_at[0] = tile_int_div(math, first_row, ROWS);
  out_at[1] = tile_int_constant(step / steps);
  out_at[2] = tile_int_add(math, tile_int_mul(math, warp, LANES), place);
}
