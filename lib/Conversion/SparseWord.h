//===- SparseWord.h - Which metadata a thread gives to mma.sp -------------===//
#ifndef TILE_CONVERSION_SPARSE_WORD_H
#define TILE_CONVERSION_SPARSE_WORD_H

#include "Conversion.h"

/// The first two elements of each group, or the first one of two: the least
/// half of a word that has positions. A half that is 0 means this one.
enum { TILE_FIRST_POSITIONS = 0x4444 };

/// Places in the metadata tile of the low and the high half of a word.
typedef struct {
  TileInt row[2], column[2];
} TileSparseWord;

/// The word of lane `lane` for 16 rows of A from `first_row` and instruction
/// `step` along K.
///
/// Source: PTX ISA, "Sparse matrix storage", sparsity selector 0.
TileSparseWord tile_sparse_word(TileIntMath *math, TileInt lane, int elem_bits,
                                TileInt first_row, int64_t step);

#endif // TILE_CONVERSION_SPARSE_WORD_H
