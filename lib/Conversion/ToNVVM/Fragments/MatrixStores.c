//===- MatrixStores.c - Fragments to shared tiles by stmatrix -------------===//
//
// Registers r … r+7 of a warp are four matrices of eight rows of 16 bytes, two
// registers of a lane each. A lane gives the address of one row: lane 8 i + j
// that of row j of matrix i. In the composed layout of the fragment and the
// shared tile that is a matter of renaming digits:
//
//   row j        the lanes that hold it       lane 4, 8, 16  ->  lane 1, 2, 4
//   matrix i     the registers that hold it   reg  2, 4      ->  lane 8, 16
//
//===----------------------------------------------------------------------===//

#include "Fragments.h"

#include "Analysis/Index/Index.h"
#include "Layout/LayoutAccess.h"
#include "Tile/Ops/llvm.h"
#include "Tile/Ops/nvvm.h"

enum { MATRIX_REGISTERS = 8, ROW_ELEMS = 8, WORD_ELEMS = 2 };

static int digit_of(const TileLayout *layout, int axis, int64_t stride) {
  for (int i = 0; i < layout->in.num_digits; i++) {
    const TileLayoutDigit *digit = &layout->in.digit[i];
    if (digit->axis == axis && digit->stride == stride && digit->radix == 2)
      return i;
  }
  return -1;
}

// The offset of the row whose address a lane gives.
static bool row_layout(const TileLayout *access, TileLayout *out) {
  static const struct {
    int axis, to_lane;
    int64_t stride;
  } moves[] = {{TILE_LAYOUT_LANE, 1, 4},
               {TILE_LAYOUT_LANE, 2, 8},
               {TILE_LAYOUT_LANE, 4, 16},
               {TILE_LAYOUT_REG, 8, 2},
               {TILE_LAYOUT_REG, 16, 4}};
  *out = *access;
  for (size_t i = 0; i < sizeof moves / sizeof *moves; i++) {
    int from = digit_of(access, moves[i].axis, moves[i].stride);
    int to = digit_of(access, TILE_LAYOUT_LANE, moves[i].to_lane);
    if (from < 0 || to < 0)
      return false;
    out->image[to] = access->image[from];
    if (moves[i].axis == TILE_LAYOUT_REG)
      out->image[from] = 0;
  }
  out->image[digit_of(access, TILE_LAYOUT_REG, 1)] = 0;
  return true;
}

static void store_group(Lowering *l, const MatrixStore *store, int64_t r,
                        MlirValue pointer) {
  Memory *from = store->fragment->memory;
  MlirType theirs = store->other->memory->element;
  MlirValue words[MATRIX_REGISTERS / WORD_ELEMS];
  for (int w = 0; w < MATRIX_REGISTERS / WORD_ELEMS; w++) {
    MlirValue elems[WORD_ELEMS];
    for (int i = 0; i < WORD_ELEMS; i++) {
      MlirValue value =
          llvm_load(&l->b, .type = type_stored(l, from->element),
                    .addr = register_pointer(l, from, r + w * WORD_ELEMS + i));
      elems[i] = convert_element(l, value, from->element, theirs);
    }
    words[w] = bits_join(l, elems, theirs, WORD_ELEMS);
  }
  nvvm_stmatrix_op(&l->b, .ptr = pointer,
                   .sources = {words, sizeof words / sizeof *words},
                   .layout = NVVM_MMA_LAYOUT_row,
                   .shape = mlirAttributeParseGet(
                       tile_builder_context(&l->b),
                       TILE_STR("#nvvm.ld_st_matrix_shape<m = 8, n = 8>")),
                   .eltType = NVVM_LD_ST_MATRIX_ELT_TYPE_B16);
}

bool store_matrices(Lowering *l, const MatrixStore *store) {
  TileLayout rows;
  TileReason error;
  TileLayoutCode code;
  TileInt lane = tile_int_value(lane_id(l));
  TileInt in[3] = {tile_int_constant(0), lane, tile_int_value(warp_id(l))};
  MlirType element = store->other->memory->element;
  if (!l->target->has_stmatrix || tile_elem_bits(element) != 16 ||
      store->num_regs % MATRIX_REGISTERS ||
      !tile_layout_is_matrix_access(store->access, 16) ||
      tile_layout_ordered_width(store->access, WORD_ELEMS) != WORD_ELEMS ||
      tile_index_divisor(store->base) % ROW_ELEMS ||
      !row_layout(store->access, &rows) ||
      !tile_layout_code_begin(&l->i32, &rows, 1u << TILE_LAYOUT_REG, in, &code,
                              &error))
    return false;
  // What is left out is left out by groups: the digits below 8 are all in the
  // window, or a group would have no four matrices.
  for (int64_t r = 0; store->is_outside && r < store->num_regs; r++)
    if (store->is_outside[r] !=
        store->is_outside[r / MATRIX_REGISTERS * MATRIX_REGISTERS])
      return false;
  for (int64_t r = 0; r < store->num_regs; r += MATRIX_REGISTERS) {
    int64_t at[3] = {r, 0, 0};
    if (store->is_outside && store->is_outside[r])
      continue;
    TileInt offset = tile_int_add(
        &l->i32, tile_layout_code_at(&l->i32, &code, 0, at), store->base);
    store_group(
        l, store, r,
        element_pointer(l, store->other->memory->pointer, element, offset));
  }
  return true;
}
