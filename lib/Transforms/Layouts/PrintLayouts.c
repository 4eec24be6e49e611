//===- PrintLayouts.c - Layouts as grids, accesses with their conflicts ---===//
//
// Consumes: `tile.alloc` ops with layouts, the ops on them.
// Produces: text on the standard error stream.
// Keeps:    everything.
// Fails:    never; a tile without layout is said to have none.
//
//===----------------------------------------------------------------------===//

#include "Analysis/Index/Index.h"
#include "Analysis/Memory/Memory.h"
#include "Dialect/TileLayouts.h"
#include "Layout/LayoutAccess.h"
#include "Layout/LayoutHardware.h"
#include "LayoutProblem.h"
#include "Support/Diagnostics.h"
#include "TilePasses.h"
#include <stdio.h>
#include <stdlib.h>

static void print_place(MlirOperation op) {
  MlirLocation location = mlirOperationGetLocation(op);
  if (mlirLocationIsAFileLineColRange(location))
    fprintf(stderr,
            "line %d: ", mlirLocationFileLineColRangeGetStartLine(location));
}

//===-- Grids -------------------------------------------------------------===//
//
// Rows and columns of the last two dimensions, a grid for each of the first few
// places of the others. A cell is a run of columns that lie together.

typedef struct {
  const TileShape *shape;
  const int64_t *places; // of all elements
  bool is_fragment;
  int elem_bits;
  int64_t first[TILE_LAYOUT_MAX_AXES]; // place in the other dimensions
  int64_t rows, columns, run;
} Grid;

enum { MAX_RUN_BYTES = 16, MAX_GRIDS = 4 };

static int64_t place_of(const Grid *grid, int64_t row, int64_t column) {
  int64_t outer = 0;
  for (int d = 0; d + 2 < grid->shape->rank; d++)
    outer = outer * grid->shape->extent[d] + grid->first[d];
  return grid->places[(outer * grid->rows + row) * grid->columns + column];
}

// The longest run of which every row is made.
static int64_t find_run(const Grid *grid) {
  int64_t run = MAX_RUN_BYTES * 8 / grid->elem_bits;
  for (; run > 1; run /= 2) {
    bool fits = grid->columns % run == 0;
    for (int64_t r = 0; r < grid->rows && fits; r++)
      for (int64_t c = 0; c < grid->columns && fits; c++)
        fits = c % run == 0 ||
               place_of(grid, r, c) == place_of(grid, r, c - 1) + 1;
    if (fits)
      break;
  }
  return run;
}

static void print_cell(const Grid *grid, int64_t row, int64_t column) {
  int64_t place = place_of(grid, row, column);
  if (!grid->is_fragment) {
    int64_t byte = place * grid->elem_bits / 8;
    fprintf(stderr, " %6lld:b%-2lld", (long long)byte,
            (long long)(byte / 4 % 32));
  } else if (place == TILE_LAYOUT_NO_PLACE) {
    fprintf(stderr, " %12s", "-");
  } else {
    char text[32];
    snprintf(text, sizeof text, "w%lld.t%lld.r%lld", (long long)(place >> 24),
             (long long)(place >> 16 & 0xFF), (long long)(place & 0xFFFF));
    fprintf(stderr, " %12s", text);
  }
}

static void print_grid(const Grid *grid, int64_t max_rows,
                       int64_t max_columns) {
  int64_t cells = grid->columns / grid->run;
  int64_t shown = cells < max_columns ? cells : max_columns;
  fprintf(stderr, "      ");
  for (int64_t c = 0; c < shown; c++)
    fprintf(stderr, " %*lld", grid->is_fragment ? 12 : 10,
            (long long)(c * grid->run));
  fprintf(stderr, "%s\n", shown < cells ? " ..." : "");
  for (int64_t r = 0; r < grid->rows && r < max_rows; r++) {
    fprintf(stderr, "%6lld", (long long)r);
    for (int64_t c = 0; c < shown; c++)
      print_cell(grid, r, c * grid->run);
    fprintf(stderr, "%s\n", shown < cells ? " ..." : "");
  }
  if (max_rows < grid->rows)
    fprintf(stderr, "   ... (%lld rows)\n", (long long)grid->rows);
}

//===-- Tiles -------------------------------------------------------------===//

enum { LAYOUT_TEXT_CAPACITY = 2048 };

typedef struct {
  int64_t max_rows, max_columns;
} Run;

static void print_header(MlirOperation op, const TileShape *shape,
                         const TileLayout *layout) {
  char text[64], layout_text[LAYOUT_TEXT_CAPACITY] = "none";
  tile_shape_print(shape, text, sizeof text);
  if (layout)
    tile_layout_print(layout, tile_elem_bits(shape->element), layout_text,
                      sizeof layout_text);
  print_place(op);
  fprintf(stderr, "%s %s%s, layout %s\n", tile_space_name(shape->space), text,
          tile_view_is(op) ? ", a view" : "", layout_text);
}

static void print_fragment_facts(const TileLayout *layout) {
  fprintf(stderr,
          "  %lld registers in %lld threads, every element held %lld times; "
          "w warp, t lane, r register\n",
          (long long)tile_layout_axis_size(&layout->in, TILE_LAYOUT_REG),
          (long long)(tile_layout_axis_size(&layout->in, TILE_LAYOUT_LANE) *
                      tile_layout_axis_size(&layout->in, TILE_LAYOUT_WARP)),
          (long long)tile_layout_replication(layout));
}

// The `index`-th grid of the tile.
static void print_slice(const Run *run, Grid *grid, int64_t index) {
  const TileShape *shape = grid->shape;
  for (int d = shape->rank - 3; d >= 0; d--) {
    grid->first[d] = index % shape->extent[d];
    index /= shape->extent[d];
  }
  if (shape->rank > 2) {
    fprintf(stderr, "  [");
    for (int d = 0; d + 2 < shape->rank; d++)
      fprintf(stderr, "%lld, ", (long long)grid->first[d]);
    fprintf(stderr, "row, column]\n");
  }
  grid->run = find_run(grid);
  print_grid(grid, run->max_rows, run->max_columns);
}

static void print_grids(const Run *run, Grid *grid) {
  int64_t count = 1;
  for (int d = 0; d + 2 < grid->shape->rank; d++)
    count *= grid->shape->extent[d];
  for (int64_t i = 0; i < count && i < MAX_GRIDS; i++)
    print_slice(run, grid, i);
  if (count > MAX_GRIDS)
    fprintf(stderr, "  ... (%lld grids)\n", (long long)count);
}

// A tile, or a view of one.
static void print_tile(const Run *run, MlirOperation op) {
  TileShape shape;
  TileLayout layout;
  TileReason error;
  MlirValue value = mlirOperationGetResult(op, 0);
  if (!tile_shape_of(value, &shape) ||
      (shape.space != TILE_SPACE_SHARED && shape.space != TILE_SPACE_FRAGMENT))
    return;
  bool has_layout = tile_layout_of_tile(value, &layout, &error);
  print_header(op, &shape, has_layout ? &layout : NULL);
  if (shape.rank == 0 || !has_layout)
    return;
  Grid grid = {.shape = &shape,
               .is_fragment = shape.space == TILE_SPACE_FRAGMENT,
               .elem_bits = tile_elem_bits(shape.element),
               .rows = shape.rank > 1 ? shape.extent[shape.rank - 2] : 1,
               .columns = shape.extent[shape.rank - 1]};
  if (grid.is_fragment)
    print_fragment_facts(&layout);
  else
    fprintf(stderr, "  %lld bytes; offset of the first byte, b bank\n",
            (long long)(tile_layout_span(&layout.out, 0) * grid.elem_bits / 8));
  int64_t *places =
      calloc((size_t)tile_shape_num_elems(&shape), sizeof *places);
  if (!places)
    return;
  tile_layout_find_places(&layout, shape.extent, shape.rank, places);
  grid.places = places;
  print_grids(run, &grid);
  free(places);
}

//===-- Layouts of operands -----------------------------------------------===//

// The layout of a tile, of a slot of a ring, or of a window.
static bool layout_of(MlirValue tile, TileLayout *out) {
  TileReason error;
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
  TileReason error;
  MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
  print_place(op);
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
    TileReason error;
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
  TileReason error;
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
  TileReason error;
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

static void print_accesses(MlirOperation op) {
  if (tile_copy_is(op))
    print_copy(op);
  else if (tile_parallel_is(op))
    print_loop(op);
  else if (tile_gemm_is(op))
    print_factors(op);
}

//===-- Entry -------------------------------------------------------------===//

static MlirWalkResult visit_tile(MlirOperation op, void *user_data) {
  if (tile_alloc_is(op) || tile_view_is(op))
    print_tile(user_data, op);
  return MlirWalkResultAdvance;
}

static MlirWalkResult visit_op(MlirOperation op, void *user_data) {
  (void)user_data;
  print_accesses(op);
  return MlirWalkResultAdvance;
}

static MlirLogicalResult visit_kernel(MlirOperation kernel, void *user_data) {
  mlirOperationWalk(kernel, visit_tile, user_data, MlirWalkPreOrder);
  mlirOperationWalk(kernel, visit_op, user_data, MlirWalkPreOrder);
  return tile_success();
}

MlirLogicalResult
tile_print_layouts_run(MlirOperation op,
                       const TilePrintLayoutsOptions *options) {
  Run run = {.max_rows = options->rows, .max_columns = options->columns};
  return tile_kernels_visit_verified(op, visit_kernel, &run);
}
