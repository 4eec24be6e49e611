//===- WgmmaSparse.c - wgmma with a sparse A ------------------------------===//
//
// PTX ISA, "wgmma.mma_async.sp". A has half of its elements in registers or
// shared memory, where it looks like the A of a dense wgmma; every warp has
// the metadata of its 16 rows, as mma.sp has it. Fences, groups, races and
// registers in flight are those of dense wgmma.
//
//===----------------------------------------------------------------------===//

#include "MmaSparse.h"
#include "Wgmma.h"

static TileSparsity sparsity_of(const TileInsn *insn) {
  TileSparsity sparsity = {
      .k = insn->as.wgmma.k,
      .elem_bits = tile_emu_matrix_elem_bits((TilePtxType)insn->type),
      .selector = insn->as.wgmma.selector};
  return sparsity;
}

void tile_emu_wgmma_sparse_decode(TileDecoder *decoder) {
  int64_t selector = tile_decode_immediate(decoder, 4);
  decoder->insn->e = tile_decode_src(decoder, 3, TILE_PTX_B32);
  decoder->insn->as.wgmma.selector =
      selector >= 0 && selector < 4 ? (uint8_t)selector : 4;
}

void tile_emu_wgmma_sparse_issue(TileAsyncOp *op) {
  const TileInsn *insn = op->insn;
  TileSparsity sparsity = sparsity_of(insn);
  const uint32_t *metadata = tile_u32(op->warp, insn->e);
  size_t num_words = (size_t)insn->as.wgmma.num_a * TILE_WARP_SIZE;
  tile_emu_sparsity_check(op->warp, insn, &sparsity, metadata);
  op->as.wgmma.a_fragment = tile_emu_realloc(
      op->as.wgmma.a_fragment, (num_words + TILE_WARP_SIZE) * sizeof(uint32_t));
  memcpy(op->as.wgmma.a_fragment + num_words, metadata,
         TILE_WARP_SIZE * sizeof(uint32_t));
}

void tile_emu_wgmma_sparse_multiply(const TileAsyncOp *op,
                                    TileWgmmaProduct *product,
                                    const TileWgmmaCache *b) {
  const TileInsn *insn = op->insn;
  TileSparsity sparsity = sparsity_of(insn);
  TileSparsePlaces places;
  size_t num_words = (size_t)insn->as.wgmma.num_a * TILE_WARP_SIZE;
  tile_emu_sparsity_places(&sparsity, op->as.wgmma.a_fragment + num_words,
                           &places);
  for (uint32_t column = 0; column < insn->as.wgmma.n; column++) {
    float *sum = product->d[column];
    const float *from = &b->b[column * insn->as.wgmma.k];
    for (uint32_t i = 0; i < tile_wgmma_a_k(insn); i++)
      for (uint32_t row = 0; row < TILE_WGMMA_WARP_ROWS; row++)
        sum[row] += product->a[i][row] * from[places.k[row][i]];
  }
}
