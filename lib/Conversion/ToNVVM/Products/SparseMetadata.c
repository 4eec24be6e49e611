//===- SparseMetadata.c - Metadata words of wgmma.sp ----------------------===//

#include "MmaOperands.h"

#include "Support/Constants.h"
#include "Tile/Ops/llvm.h"
#include "mlir-c/BuiltinAttributes.h"

// A half that is 0 means 0x4444, the least of those that have positions.
static MlirValue with_positions(Lowering *l, MlirValue word) {
  int64_t count = 2;
  MlirType pair = mlirVectorTypeGet(
      1, &count, mlirIntegerTypeGet(tile_builder_context(&l->b), 16));
  MlirValue least = arith_constant(
      &l->b, .value = mlirDenseElementsAttrSplatGet(
                 pair, mlirIntegerAttrGet(mlirShapedTypeGetElementType(pair),
                                          TILE_FIRST_POSITIONS)));
  MlirValue halves_of = llvm_bitcast(&l->b, .type = pair, .arg = word);
  return llvm_bitcast(&l->b, .type = type_i32(l),
                      .arg = arith_maxui(&l->b, halves_of, least));
}

MlirValue sparse_metadata_word(Lowering *l, MlirOperation op,
                               const View *metadata, int elem_bits,
                               TileInt first_row, int64_t step) {
  TileSparseWord word = tile_sparse_word(&l->i32, tile_int_value(lane_id(l)),
                                         elem_bits, first_row, step);
  MlirValue halves[2];
  for (int i = 0; i < 2; i++) {
    TileInt at[2] = {word.row[i], word.column[i]};
    MlirValue pointer = view_pointer(l, op, metadata, at);
    MlirValue bits = load_bits(l, pointer, 3, 2, (MlirValue){NULL});
    halves[i] = arith_extui(&l->b, .type = type_i32(l), .in = bits);
  }
  return with_positions(
      l,
      arith_ori(&l->b, halves[0],
                arith_shli(&l->b, halves[1], tile_const_int(&l->b, 16, 32))));
}

MlirValue sparse_packed_word(Lowering *l, MlirOperation op,
                             const View *metadata, TileInt rows, int64_t word) {
  enum { ROWS = 64, WARPS = 4, LANES = 32, WORD_BYTES = 4 };
  TileInt warp = tile_int_rem(&l->i32, tile_int_value(warp_id(l)), WARPS);
  TileInt block = tile_int_div(&l->i32, rows, ROWS);
  TileInt first = tile_int_mul(&l->i32, warp, LANES);
  TileInt at[3] = {block, tile_int_constant(word),
                   tile_int_add(&l->i32, first, tile_int_value(lane_id(l)))};
  return with_positions(l, load_bits(l, view_pointer(l, op, metadata, at), 3,
                                     WORD_BYTES, (MlirValue){NULL}));
}
