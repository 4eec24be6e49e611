//===- PrintAccesses.c - Accesses of shared tiles, with bank conflicts ----===//

#include "PrintLayouts.h"

#include "Analysis/Index/Index.h"
#include "Analysis/Memory/Memory.h"
#include "Dialect/TileLayouts.h"
#include "Layout/LayoutAccess.h"
#include "Layout/LayoutHardware.h"
#include "LayoutProblem.h"
#include <stdio.h>

void tile_print_place(MlirOperation op) {
  MlirLocation location = mlirOperationGetLocation(op);
  if (mlirLocationIsAFileLineColRange(location))
    fprintf(stderr,
            "line %d: ", mlirLocationFileLineColRangeGetStartLine(location));
}

//===-- Layouts of operands -----------------------------------------------===//

// The layout of a tile, of a slot of a ring, or of a window.
static bool layout_of(MlirValue tile, TileLayout *out) {
  TileLayoutError error;
  TileLayoutCut cut;
  TileLayoutWindow window;
  TileBuffer buffer = tile_buffer_of(tile);
  if (!tile_layout_of_tile(buffer.base, out, &error))
    return false;
  if (!buffer.region.ptr || tile_is_whole(tile))
    return true;
  if (!tile_window_cut(tile, &cut) ||
      !tile_layout_cut(out, &cut, &window, &error))
    return false;
  *out = window.layout;
  return true;
}

static const char *move_name(TileLayoutMove move) {
  static const char *const names[] = {[TILE_LAYOUT_SIMT] = "ld/st",
                                      [TILE_LAYOUT_LDMATRIX] = "ldmatrix",
                                      [TILE_LAYOUT_LDMATRIX_TRANS] =
                                          "ldmatrix.trans"};
  return names[move];
}

static void print_access(MlirOperation op, const char *what,
                         const TileLayout *fragment, const TileLayout *shared,
                         int elem_bits, bool allow_matrix) {
  TileLayoutAccess access;
  TileLayoutError error;
  MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
  tile_print_place(op);
  fprintf(stderr, "%.*s %s: ", (int)name.length, name.data, what);
  if (!tile_layout_shared_access(fragment, shared, elem_bits, allow_matrix,
                                 &access, &error)) {
    fprintf(stderr, "element by element (%s)\n", error.text);
    return;
  }
  fprintf(stderr, "%lld %s of %d elements per warp, %lld wavefronts",
          (long long)access.instructions, move_name(access.move),
          access.vec_elems, (long long)access.wavefronts);
  if (access.wavefronts > access.ideal)
    fprintf(stderr, ", %lld without bank conflicts", (long long)access.ideal);
  else
    fprintf(stderr, ", no bank conflicts");
  fprintf(stderr, "\n");
}

//===-- Ops ---------------------------------------------------------------===//

static void print_copy(MlirOperation op) {
  TileCopyOp copy = tile_copy_cast(op);
  TileShape src, dst;
  TileLayout fragment, shared;
  if (!tile_shape_of(tile_copy_src(copy), &src) ||
      !tile_shape_of(tile_copy_dst(copy), &dst))
    return;
  bool loads =
      src.space == TILE_SPACE_SHARED && dst.space == TILE_SPACE_FRAGMENT;
  bool stores =
      src.space == TILE_SPACE_FRAGMENT && dst.space == TILE_SPACE_SHARED;
  if (!loads && !stores)
    return;
  MlirValue memory = loads ? tile_copy_src(copy) : tile_copy_dst(copy);
  MlirValue registers = loads ? tile_copy_dst(copy) : tile_copy_src(copy);
  if (layout_of(memory, &shared) && layout_of(registers, &fragment))
    print_access(op, loads ? "reads" : "writes", &fragment, &shared,
                 tile_elem_bits(loads ? src.element : dst.element), false);
}

// The split among warps of an accumulator that mma.sync writes.
static bool find_split(const TileLayout *c, TileHwMma *mma) {
  int warps = (int)tile_layout_axis_size(&c->in, TILE_LAYOUT_WARP);
  for (int m = 1; m <= warps; m++) {
    TileLayout expected;
    TileLayoutError error;
    mma->warps_m = m;
    mma->warps_n = warps / m;
    if (warps % m == 0 && tile_hw_mma_c(mma, &expected, &error) &&
        tile_layout_equal(&expected, c))
      return true;
  }
  return false;
}

static void print_factors(MlirOperation op) {
  TileGemmOp gemm = tile_gemm_cast(op);
  TileShape a, c;
  TileLayout layout, fragment, shared;
  TileLayoutError error;
  bool ta = tile_gemm_transpose_a(gemm), tb = tile_gemm_transpose_b(gemm);
  if (mlirAttributeIsNull(tile_gemm_instr_attr(gemm)) ||
      tile_gemm_instr(gemm) != TILE_INSTR_Mma ||
      !tile_shape_of(tile_gemm_a(gemm), &a) ||
      !tile_shape_of(tile_gemm_c(gemm), &c) ||
      !layout_of(tile_gemm_c(gemm), &layout))
    return;
  TileHwMma mma = {.m = c.extent[0],
                   .n = c.extent[1],
                   .k = a.extent[ta ? 0 : 1],
                   .elem_bits = tile_elem_bits(a.element)};
  mma.instr_k = 256 / mma.elem_bits;
  if (!find_split(&layout, &mma))
    return;
  if (!ta && a.space == TILE_SPACE_SHARED &&
      layout_of(tile_gemm_a(gemm), &shared) &&
      tile_hw_mma_a(&mma, &fragment, &error))
    print_access(op, "reads A", &fragment, &shared, mma.elem_bits, true);
  if (layout_of(tile_gemm_b(gemm), &shared) &&
      tile_hw_mma_b(&mma, tb, &fragment, &error))
    print_access(op, "reads B", &fragment, &shared, mma.elem_bits, true);
}

// The loop runs in its layout: what a thread reads and writes of a shared tile
// are the elements of a fragment.
static void print_loop(MlirOperation op) {
  TileParallelOp loop = tile_parallel_cast(op);
  TileLoopOperand operands[TILE_MAX_LOOP_OPERANDS];
  TileLayout whole, fragment, shared;
  TileLayoutError error;
  int n = tile_loop_operands(loop, operands);
  if (!tile_layout_of_loop(loop, &whole, &error))
    return;
  for (int i = 0; i < n; i++) {
    TileShape shape;
    if (!tile_shape_of(operands[i].memref, &shape) ||
        shape.space != TILE_SPACE_SHARED ||
        operands[i].exact_dims != (1u << shape.rank) - 1 ||
        !layout_of(operands[i].memref, &shared) ||
        !tile_layout_project(&whole, operands[i].map, shape.rank, &fragment,
                             &error))
      continue;
    int bits = tile_elem_bits(shape.element);
    if (operands[i].reads)
      print_access(op, "reads", &fragment, &shared, bits, false);
    if (operands[i].writes)
      print_access(op, "writes", &fragment, &shared, bits, false);
  }
}

void tile_print_accesses(MlirOperation op) {
  if (tile_copy_is(op))
    print_copy(op);
  else if (tile_parallel_is(op))
    print_loop(op);
  else if (tile_gemm_is(op))
    print_factors(op);
}
