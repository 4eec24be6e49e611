//===- GemmToNVGPU.c - Products by ldmatrix and mma.sync ------------------===//
//
// A warp multiplies its rows of A by its columns of B, 16 x 8 at a time. The
// fragments of A are loaded once per step of K, those of B once per pair of
// columns; products run to and fro in both directions, so that each shares an
// operand with the one before.
//
//        n: 0 1 | 2 3          A fragments of a step: one ldmatrix.x4 per 16
//   m 0     0 1   7 6          rows. B fragments: one ldmatrix.x4 per two
//   m 1     3 2   4 5          tiles of 8 columns, x2 for a last odd one.
//
// Rows of ldmatrix are 16 bytes that are stored together. Where the layout has
// them along M or N, 16-bit elements are transposed on the way; where it has
// none, every element is loaded by itself. A factor in registers lies as the
// instruction reads it.
//
//===----------------------------------------------------------------------===//

#include "Analysis/Index/Index.h"
#include "Layout/LayoutHardware.h"
#include "Nvgpu.h"
#include "Support/Constants.h"
#include "Support/Diagnostics.h"
#include "Support/StringBuilder.h"
#include "Tile/Ops/llvm.h"
#include "Tile/Ops/memref.h"
#include "Tile/Ops/nvgpu.h"
#include "Tile/Ops/nvvm.h"
#include "Tile/Ops/vector.h"
#include "mlir-c/Dialect/LLVM.h"

// PTX ISA, mma.sync.m16n8k*: registers of a thread per 16 x 8 of C.
enum { MMA_M = 16, MMA_N = 8, MMA_C_REGS = 4, ROW_BYTES = 16, WORD_BITS = 32 };
// ldmatrix: the lanes that give the rows of the third and fourth matrix.
enum { UPPER_LANES = 16, WARP_THREADS = 32 };
enum { A, B };

//===-- Plan --------------------------------------------------------------===//

// How fragments of A or B reach registers.
typedef struct {
  bool in_registers; // a fragment: it has no window
  MlirValue tile;    // the whole tile
  TileSharedWindow window;
  TileSharedAccess access;
  int mn_dim, k_dim;  // dimensions of the stored tile
  bool by_matrix;     // ldmatrix; else element by element
  bool is_transposed; // ldmatrix.trans
  bool in_pairs;      // B: the access covers two tiles of 8 columns
} Operand;

struct TileNvgpuGemm {
  TileProduct product;
  MlirType input[2], output; // element types
  TileHwMma shape;
  int64_t per_m, per_n;              // of a warp
  int64_t m_tiles, n_tiles, k_steps; // of 16, 8 and instr_k
  int64_t packed;                    // elements per 32-bit register
  Operand operand[2];
  TileSharedWindow metadata; // of a sparse A
};

//===-- Build: the product ------------------------------------------------===//

static bool is_float8(MlirType type) {
  return tile_elem_is_float(type) && tile_elem_bits(type) == 8;
}

// f64, of which a step has 4 along K.
static bool is_double(const TileNvgpuGemm *gemm) {
  return gemm->shape.elem_bits > WORD_BITS;
}

static bool can_be_factor(const TileShape *shape) {
  return shape->space == TILE_SPACE_SHARED ||
         shape->space == TILE_SPACE_FRAGMENT;
}

static bool gemm_is_ours(MlirOperation op, TileNvgpuGemm *gemm) {
  TileProduct *product = &gemm->product;
  TileShape a, b, c;
  tile_product_of(op, product);
  if (!product->has_instr || product->instr != TILE_INSTR_Mma ||
      !tile_shape_of(product->a, &a) || !tile_shape_of(product->b, &b) ||
      !tile_shape_of(product->c, &c) || !can_be_factor(&a) ||
      !can_be_factor(&b) || c.space != TILE_SPACE_FRAGMENT)
    return false;
  gemm->input[A] = a.element;
  gemm->input[B] = b.element;
  gemm->output = c.element;
  gemm->shape.m = c.extent[0];
  gemm->shape.n = c.extent[1];
  gemm->shape.k = a.extent[!product->transpose_a];
  gemm->shape.elem_bits = tile_elem_bits(a.element);
  gemm->packed = is_double(gemm) ? 1 : WORD_BITS / gemm->shape.elem_bits;
  gemm->shape.instr_k = (int)((is_double(gemm) ? 4 : 8) * gemm->packed);
  // The types that nvgpu.mma.sync has, and 8-bit floats: see multiplicand.
  return tile_product_types_fit(product, a.element, b.element, c.element);
}

// How many parts of the rows and columns of C the warps have.
static void warps_count(const TileLayout *c, TileHwMma *shape) {
  shape->warps_m = shape->warps_n = 1;
  for (int i = 0; i < c->in.num_digits; i++) {
    if (c->in.digit[i].axis != TILE_LAYOUT_WARP || !c->image[i])
      continue;
    int dim = c->out.digit[__builtin_ctzll(c->image[i])].axis;
    *(dim == 0 ? &shape->warps_m : &shape->warps_n) *= c->in.digit[i].radix;
  }
}

static MlirLogicalResult accumulator_build(TileNvgpuGemm *gemm,
                                           int64_t num_threads) {
  MlirOperation op = gemm->product.op;
  MlirValue sums = tile_buffer_of(gemm->product.c).base;
  TileLayout layout, expected;
  TileReason error;
  if (!tile_layout_of_tile(sums, &layout, &error))
    return tile_emit_error(op, "expects an accumulator with a layout");
  warps_count(&layout, &gemm->shape);
  int64_t num_warps = (int64_t)gemm->shape.warps_m * gemm->shape.warps_n;
  if (!tile_hw_mma_c(&gemm->shape, &expected, &error) ||
      !tile_layout_equal(&layout, &expected))
    return tile_emit_error(op,
                           "expects an accumulator that %dx%d warps hold "
                           "as mma.sync does",
                           gemm->shape.warps_m, gemm->shape.warps_n);
  if (num_warps * WARP_THREADS != num_threads)
    return tile_emit_error(op,
                           "expects an accumulator that all %lld threads "
                           "hold, got %lld warps",
                           (long long)num_threads, (long long)num_warps);
  gemm->per_m = gemm->shape.m / gemm->shape.warps_m;
  gemm->per_n = gemm->shape.n / gemm->shape.warps_n;
  gemm->m_tiles = gemm->per_m / MMA_M;
  gemm->n_tiles = gemm->per_n / MMA_N;
  gemm->k_steps = gemm->shape.k / gemm->shape.instr_k;
  return tile_success();
}

//===-- Build: operands ---------------------------------------------------===//

// Matrices of B along K that an instruction takes: a sparse A has twice the K.
static int64_t b_matrices(const TileNvgpuGemm *gemm) {
  return INT64_C(2) * tile_product_k_ratio(&gemm->product);
}

// The addresses that lanes give to ldmatrix: register = tile + tiles * step of
// K, to the first element of a row of 16 bytes.
static void push_rows(TileLayoutBuilder *b, const TileNvgpuGemm *gemm,
                      const Operand *operand, int which) {
  int64_t row = ROW_BYTES * 8 / gemm->shape.elem_bits;
  int mn = operand->mn_dim, k = operand->k_dim;
  int64_t tile = which == A ? MMA_M : operand->in_pairs ? 2 * MMA_N : MMA_N;
  int64_t per_mn = which == A ? gemm->per_m : gemm->per_n;
  tile_layout_push(b, TILE_LAYOUT_REG, mn, tile, per_mn / tile);
  tile_layout_push(b, TILE_LAYOUT_REG, k,
                   row * (which == B ? b_matrices(gemm) : 2), gemm->k_steps);
  // Lanes 0-7 give the rows of the first 8 x 8 matrix, and so on. Matrices of A
  // go along M first, those of B along K.
  tile_layout_push(b, TILE_LAYOUT_LANE, operand->is_transposed ? k : mn, 1, 8);
  if (which == A) {
    tile_layout_push(b, TILE_LAYOUT_LANE, mn, 8, 2);
    tile_layout_push(b, TILE_LAYOUT_LANE, k, row, 2);
  } else {
    tile_layout_push(b, TILE_LAYOUT_LANE, k, row, b_matrices(gemm));
    if (gemm->product.is_sparse)
      return;
    if (operand->in_pairs)
      tile_layout_push(b, TILE_LAYOUT_LANE, mn, MMA_N, 2);
    else
      tile_layout_push_rep(b, TILE_LAYOUT_LANE, 2);
  }
}

static void push_warps(TileLayoutBuilder *b, const TileNvgpuGemm *gemm,
                       const Operand *operand, int which) {
  if (which == A) {
    tile_layout_push(b, TILE_LAYOUT_WARP, operand->mn_dim, gemm->per_m,
                     gemm->shape.warps_m);
    tile_layout_push_rep(b, TILE_LAYOUT_WARP, gemm->shape.warps_n);
  } else {
    tile_layout_push_rep(b, TILE_LAYOUT_WARP, gemm->shape.warps_m);
    tile_layout_push(b, TILE_LAYOUT_WARP, operand->mn_dim, gemm->per_n,
                     gemm->shape.warps_n);
  }
}

// Elements of the fragments, in the order of registers.
static bool elements_layout(const TileNvgpuGemm *gemm, const Operand *operand,
                            int which, TileLayout *out, TileReason *error) {
  static const int exchanged[2] = {1, 0};
  TileLayout layout;
  if (which == B) {
    TileHwMma shape = gemm->shape;
    shape.k *= tile_product_k_ratio(&gemm->product);
    return tile_hw_mma_b(&shape, operand->k_dim == 1, out, error);
  }
  if (!tile_hw_mma_a(&gemm->shape, &layout, error))
    return false;
  if (operand->k_dim == 0)
    return tile_layout_transpose(&layout, exchanged, out, error);
  *out = layout;
  return true;
}

// Rows of 16 bytes along a dimension of the window.
static bool has_rows(const TileNvgpuGemm *gemm, const TileSharedWindow *window,
                     int dim) {
  int64_t row = ROW_BYTES * 8 / gemm->shape.elem_bits;
  int at = window->box.base_dim[dim];
  return tile_index_divisor(window->box.offset[at]) % row == 0 &&
         tile_layout_contiguous_run(&window->full, at) >= row;
}

// Inference converts a fragment that lies otherwise.
static MlirLogicalResult fragment_build(const TileNvgpuGemm *gemm, int which) {
  const Operand *operand = &gemm->operand[which];
  TileLayout layout, expected;
  TileReason error;
  if (tile_layout_of_tile(operand->tile, &layout, &error) &&
      elements_layout(gemm, operand, which, &expected, &error) &&
      tile_layout_equal(&layout, &expected))
    return tile_success();
  return tile_emit_error(gemm->product.op,
                         "expects operand %d in registers as %dx%d warps of "
                         "mma.sync read it; run tile-layout-inference first",
                         which, gemm->shape.warps_m, gemm->shape.warps_n);
}

static MlirLogicalResult operand_build(TileNvgpuGemm *gemm, int which) {
  Operand *operand = &gemm->operand[which];
  MlirValue tile = which == A ? gemm->product.a : gemm->product.b;
  TileShape shape;
  TileReason error;
  operand->k_dim =
      which == A ? !gemm->product.transpose_a : gemm->product.transpose_b;
  operand->mn_dim = !operand->k_dim;
  operand->tile = tile_buffer_of(tile).base;
  operand->in_registers =
      tile_shape_of(tile, &shape) && shape.space == TILE_SPACE_FRAGMENT;
  if (operand->in_registers)
    return fragment_build(gemm, which);
  if (!tile_shared_window_get(tile, &operand->window, &error))
    return tile_emit_error(gemm->product.op, "cannot address operand %d: %s",
                           which, error.text);
  operand->is_transposed = !has_rows(gemm, &operand->window, operand->k_dim) &&
                           gemm->packed == 2 &&
                           has_rows(gemm, &operand->window, operand->mn_dim);
  operand->by_matrix =
      operand->is_transposed ||
      (!is_double(gemm) && has_rows(gemm, &operand->window, operand->k_dim));
  operand->in_pairs = which == B && operand->by_matrix &&
                      gemm->n_tiles % 2 == 0 && !gemm->product.is_sparse;
  TileLayout coordinates;
  bool is_built;
  if (operand->by_matrix) {
    TileLayoutBuilder b;
    tile_layout_begin_fragment(&b, operand->window.shape.extent, 2);
    push_rows(&b, gemm, operand, which);
    push_warps(&b, gemm, operand, which);
    is_built = tile_layout_finish(&b, &coordinates, &error);
  } else {
    is_built = elements_layout(gemm, operand, which, &coordinates, &error);
  }
  if (!is_built)
    return tile_emit_internal_error(gemm->product.op, "operand %d: %s", which,
                                    error.text);
  tile_shared_access_plan(&operand->window, &coordinates, 1u << TILE_LAYOUT_REG,
                          &operand->access);
  return tile_success();
}

static MlirLogicalResult metadata_build(TileNvgpuGemm *gemm) {
  TileReason error;
  if (!gemm->product.is_sparse ||
      tile_shared_window_get(gemm->product.e, &gemm->metadata, &error))
    return tile_success();
  return tile_emit_error(gemm->product.op, "cannot address the metadata: %s",
                         error.text);
}

MlirLogicalResult tile_nvgpu_gemm_plan(TileArena *arena, MlirOperation op,
                                       int64_t num_threads,
                                       TileNvgpuGemm **out_gemm) {
  TileNvgpuGemm *gemm = TILE_ARENA_NEW(arena, TileNvgpuGemm, 1);
  *out_gemm = NULL;
  if (!gemm_is_ours(op, gemm))
    return tile_success();
  if (tile_failed(accumulator_build(gemm, num_threads)) ||
      tile_failed(operand_build(gemm, A)) ||
      tile_failed(operand_build(gemm, B)) || tile_failed(metadata_build(gemm)))
    return tile_failure();
  *out_gemm = gemm;
  return tile_success();
}

//===-- Apply: fragments --------------------------------------------------===//

typedef struct {
  TileNvgpuRewrite *rewrite;
  const TileNvgpuGemm *gemm;
  MlirValue storage[2];
  TileSharedCode code[2];
  MlirValue is_upper; // lanes 16 to 31; null where B comes in pairs
  MlirValue *a;       // fragments of a step, per tile of rows
  MlirValue *c;       // fragments, row by row
} Emitter;

static MlirType fragment_type(const Emitter *e, int which, int64_t registers) {
  int64_t shape[2] = {registers, e->gemm->packed};
  return mlirVectorTypeGet(2, shape, e->gemm->input[which]);
}

static MlirAttribute i64_array(const Emitter *e, intptr_t count,
                               const int64_t *values) {
  enum { MAX_VALUES = 3 };
  MlirContext context = tile_builder_context(&e->rewrite->b);
  MlirType type = mlirIntegerTypeGet(context, 64);
  MlirAttribute attrs[MAX_VALUES];
  for (intptr_t i = 0; i < count; i++)
    attrs[i] = mlirIntegerAttrGet(type, values[i]);
  return mlirArrayAttrGet(context, count, attrs);
}

static MlirValue load_matrices(Emitter *e, int which, int64_t count,
                               TileInt offset) {
  TileNvgpuRewrite *r = e->rewrite;
  return nvgpu_ldmatrix(&r->b, .type = fragment_type(e, which, count),
                        .srcMemref = e->storage[which],
                        .indices = TILE_VALUES(tile_int_get(&r->index, offset)),
                        .transpose = e->gemm->operand[which].is_transposed,
                        .numTiles = count);
}

static TileInt offset_at(Emitter *e, int which, int64_t reg) {
  int64_t in[3] = {[TILE_LAYOUT_REG] = reg};
  if (e->gemm->operand[which].in_registers)
    return tile_int_constant(reg);
  return tile_shared_code_at(&e->rewrite->index, &e->code[which], in);
}

// A fragment of `registers` words, element by element from register `reg`.
static MlirValue load_elements(Emitter *e, int which, int64_t registers,
                               int64_t reg) {
  enum { MAX_ELEMS = 16 };
  MlirValue elems[MAX_ELEMS];
  TileNvgpuRewrite *r = e->rewrite;
  intptr_t count = (intptr_t)(registers * e->gemm->packed);
  for (intptr_t i = 0; i < count; i++) {
    MlirValue offset = tile_int_get(&r->index, offset_at(e, which, reg + i));
    elems[i] = memref_load(&r->b, .memref = e->storage[which],
                           .indices = TILE_VALUES(offset));
  }
  return vector_from_elements(&r->b, .type = fragment_type(e, which, registers),
                              .elements = {elems, count});
}

static MlirValue load_a(Emitter *e, int64_t m_tile, int64_t step) {
  const TileNvgpuGemm *gemm = e->gemm;
  if (gemm->operand[A].by_matrix)
    return load_matrices(e, A, 4,
                         offset_at(e, A, m_tile + gemm->m_tiles * step));
  int64_t step_regs = 4 * gemm->packed;
  return load_elements(e, A, 4, step_regs * (step + gemm->k_steps * m_tile));
}

// Fragments of tiles `n_tile` and, if there is one, `n_tile` + 1.
static void load_b(Emitter *e, int64_t n_tile, int64_t step, MlirValue out[2]) {
  const TileNvgpuGemm *gemm = e->gemm;
  TileNvgpuRewrite *r = e->rewrite;
  bool is_pair = n_tile + 1 < gemm->n_tiles;
  if (!gemm->operand[B].by_matrix) {
    int64_t step_regs = 2 * gemm->packed;
    for (int i = 0; i <= is_pair; i++)
      out[i] = load_elements(e, B, 2,
                             step_regs * (step + gemm->k_steps * (n_tile + i)));
    return;
  }
  if (!is_pair) {
    out[0] =
        load_matrices(e, B, 2, offset_at(e, B, n_tile + gemm->n_tiles * step));
    return;
  }
  TileInt offset;
  if (gemm->operand[B].in_pairs) {
    offset = offset_at(e, B, n_tile / 2 + gemm->n_tiles / 2 * step);
  } else {
    TileInt lower = offset_at(e, B, n_tile + gemm->n_tiles * step);
    TileInt upper = offset_at(e, B, n_tile + 1 + gemm->n_tiles * step);
    MlirValue row = tile_int_get(&r->index, upper);
    offset = tile_int_value(
        arith_select(&r->b, e->is_upper, row, tile_int_get(&r->index, lower)));
  }
  MlirValue both = load_matrices(e, B, 4, offset);
  for (int64_t i = 0; i < 2; i++)
    out[i] = vector_extract_strided_slice(
        &r->b, .type = fragment_type(e, B, 2), .source = both,
        .offsets = i64_array(e, 2, (int64_t[]){2 * i, 0}),
        .sizes = i64_array(e, 2, (int64_t[]){2, e->gemm->packed}),
        .strides = i64_array(e, 2, (int64_t[]){1, 1}));
}

//===-- Apply: accumulators -----------------------------------------------===//

static MlirType accumulator_type(const Emitter *e) {
  int64_t shape[2] = {2, 2};
  return mlirVectorTypeGet(2, shape, e->gemm->output);
}

static MlirValue zero(Emitter *e) {
  MlirType type = e->gemm->output;
  MlirContext context = tile_builder_context(&e->rewrite->b);
  return arith_constant(&e->rewrite->b,
                        mlirTypeIsAInteger(type)
                            ? mlirIntegerAttrGet(type, 0)
                            : mlirFloatAttrDoubleGet(context, type, 0));
}

static int64_t num_accumulators(const TileNvgpuGemm *gemm) {
  return gemm->m_tiles * gemm->n_tiles;
}

static MlirValue build_accumulators_storage(Emitter *e) {
  return tile_storage(&e->rewrite->b, tile_buffer_of(e->gemm->product.c).base);
}

static void load_accumulators(Emitter *e, MlirValue storage) {
  TileNvgpuRewrite *r = e->rewrite;
  MlirValue clear = e->gemm->product.clear, none = {NULL};
  if (clear.ptr)
    none = zero(e);
  for (int64_t i = 0; i < num_accumulators(e->gemm); i++) {
    MlirValue elems[MMA_C_REGS];
    for (int64_t j = 0; j < MMA_C_REGS; j++) {
      MlirValue index = tile_const_index(&r->b, MMA_C_REGS * i + j);
      elems[j] =
          memref_load(&r->b, .memref = storage, .indices = TILE_VALUES(index));
      if (clear.ptr)
        elems[j] = arith_select(&r->b, clear, none, elems[j]);
    }
    e->c[i] = vector_from_elements(&r->b, .type = accumulator_type(e),
                                   .elements = {elems, MMA_C_REGS});
  }
}

static void store_accumulators(Emitter *e, MlirValue storage) {
  TileNvgpuRewrite *r = e->rewrite;
  for (int64_t i = 0; i < num_accumulators(e->gemm); i++)
    for (int64_t j = 0; j < MMA_C_REGS; j++) {
      int64_t position[2] = {j / 2, j % 2};
      MlirValue elem = vector_extract(&r->b, .source = e->c[i],
                                      .static_position = {position, 2});
      MlirValue index = tile_const_index(&r->b, MMA_C_REGS * i + j);
      memref_store(&r->b, .value = elem, .memref = storage,
                   .indices = TILE_VALUES(index));
    }
}

//===-- Apply: products ---------------------------------------------------===//

// A fragment as nvgpu has it. It knows no 8-bit floats: they go as bytes, and
// attributes of the product say what they are.
static MlirValue multiplicand(Emitter *e, MlirValue fragment, int which) {
  if (!is_float8(e->gemm->input[which]))
    return fragment;
  TileNvgpuRewrite *r = e->rewrite;
  int64_t registers = mlirShapedTypeGetDimSize(mlirValueGetType(fragment), 0);
  int64_t shape[2] = {registers, e->gemm->packed};
  MlirType byte = mlirIntegerTypeGet(tile_builder_context(&r->b), 8);
  return vector_bitcast(&r->b, .type = mlirVectorTypeGet(2, shape, byte),
                        .source = fragment);
}

static void mark_float8(const Emitter *e, MlirValue product) {
  const MlirType *input = e->gemm->input;
  MlirOperation op = mlirOpResultGetOwner(product);
  if (is_float8(input[A]))
    mlirOperationSetDiscardableAttributeByName(op, TILE_STR("tile.mma_type"),
                                               mlirTypeAttrGet(input[A]));
  if (!mlirTypeEqual(input[A], input[B]))
    mlirOperationSetDiscardableAttributeByName(op, TILE_STR("tile.mma_type_b"),
                                               mlirTypeAttrGet(input[B]));
}

static void multiply(Emitter *e, MlirValue a, MlirValue b, MlirValue *c) {
  int64_t shape[3] = {MMA_M, MMA_N, e->gemm->shape.instr_k};
  MlirValue factor_a = multiplicand(e, a, A);
  *c = nvgpu_mma_sync(&e->rewrite->b, .type = accumulator_type(e),
                      .matrixA = factor_a, .matrixB = multiplicand(e, b, B),
                      .matrixC = *c, .mmaShape = i64_array(e, 3, shape),
                      .tf32Enabled = mlirTypeIsAF32(e->gemm->input[A]));
  mark_float8(e, *c);
}

static void emit_step(Emitter *e, int64_t step) {
  const TileNvgpuGemm *gemm = e->gemm;
  for (int64_t m = 0; m < gemm->m_tiles; m++)
    e->a[m] = load_a(e, m, step);
  for (int64_t n = 0; n < gemm->n_tiles; n += 2) {
    MlirValue b[2];
    load_b(e, n, step, b);
    int64_t width = gemm->n_tiles - n < 2 ? 1 : 2;
    bool goes_up = n / 2 % 2;
    for (int64_t i = 0; i < gemm->m_tiles; i++) {
      int64_t m = goes_up ? gemm->m_tiles - 1 - i : i;
      for (int64_t j = 0; j < width; j++) {
        int64_t side = i % 2 ? width - 1 - j : j;
        multiply(e, e->a[m], b[side], &e->c[m * gemm->n_tiles + n + side]);
      }
    }
  }
}

//===-- Apply: sparse products --------------------------------------------===//

static void multiply_sparse(Emitter *e, MlirValue a, MlirValue b,
                            MlirValue metadata, MlirValue *c) {
  int64_t shape[3] = {MMA_M, MMA_N, INT64_C(2) * e->gemm->shape.instr_k};
  MlirValue factor_a = multiplicand(e, a, A);
  *c = nvgpu_mma_sp_sync(&e->rewrite->b, .type = accumulator_type(e),
                         .matrixA = factor_a, .matrixB = multiplicand(e, b, B),
                         .matrixC = *c, .sparseMetadata = metadata,
                         .mmaShape = i64_array(e, 3, shape),
                         .sparsitySelector = TILE_SOME(0),
                         .tf32Enabled = mlirTypeIsAF32(e->gemm->input[A]));
  mark_float8(e, *c);
}

static MlirValue load_sparse_b(Emitter *e, int64_t n_tile, int64_t step) {
  enum { WORDS = 4 };
  const TileNvgpuGemm *gemm = e->gemm;
  if (gemm->operand[B].by_matrix)
    return load_matrices(e, B, WORDS,
                         offset_at(e, B, n_tile + gemm->n_tiles * step));
  return load_elements(e, B, WORDS,
                       WORDS * gemm->packed * (step + gemm->k_steps * n_tile));
}

static void emit_sparse_step(Emitter *e, int64_t step) {
  const TileNvgpuGemm *gemm = e->gemm;
  MlirValue *metadata =
      TILE_ARENA_NEW(e->rewrite->arena, MlirValue, gemm->m_tiles);
  TileInt row = tile_int_mul(
      &e->rewrite->index,
      tile_int_rem(&e->rewrite->index, e->rewrite->warp, gemm->shape.warps_m),
      gemm->per_m);
  for (int64_t m = 0; m < gemm->m_tiles; m++) {
    e->a[m] = load_a(e, m, step);
    metadata[m] = tile_nvgpu_sparse_metadata(
        e->rewrite, &gemm->metadata, gemm->shape.elem_bits,
        tile_int_add(&e->rewrite->index, row, tile_int_constant(MMA_M * m)),
        step);
  }
  for (int64_t n = 0; n < gemm->n_tiles; n++) {
    MlirValue b = load_sparse_b(e, n, step);
    for (int64_t i = 0; i < gemm->m_tiles; i++) {
      int64_t m = n % 2 ? gemm->m_tiles - 1 - i : i;
      multiply_sparse(e, e->a[m], b, metadata[m], &e->c[m * gemm->n_tiles + n]);
    }
  }
}

//===-- Apply: products of f64 --------------------------------------------===//

// PTX ISA, mma of f64: m8n8k4 of all chips has an element of A and of B per
// thread, and two of a row of C; two of them are the 16 rows that fragments
// have elsewhere. m16n8k8 and m16n8k16, of newer chips, take the registers of
// several steps of m16n8k4 one after the other:
//
//   A  a0 a1 | a2 a3 | ...   rows g, g + 8 at k = t; at k = t + 4; ...
//   B  b0    | b1    | ...   k = t; t + 4; ... of column g
//
// The factor of which a warp has less stays in registers for a group of steps,
// the other one comes tile by tile.

enum { DOUBLE_ROWS = 2, DOUBLE_STEPS = 4, MAX_DOUBLES = 4 + 8 + 4 };

static MlirValue load_element(Emitter *e, int which, int64_t reg) {
  TileNvgpuRewrite *r = e->rewrite;
  MlirValue offset = tile_int_get(&r->index, offset_at(e, which, reg));
  return memref_load(&r->b, .memref = e->storage[which],
                     .indices = TILE_VALUES(offset));
}

static int64_t doubles_per_step(int which) {
  return which == A ? DOUBLE_ROWS : 1;
}

// Registers of A or B of a tile of C, for `steps` steps.
static void load_doubles(Emitter *e, int which, int64_t tile, int64_t step,
                         int64_t steps, MlirValue *out) {
  int64_t per_step = doubles_per_step(which);
  int64_t first = per_step * (step + e->gemm->k_steps * tile);
  for (int64_t i = 0; i < per_step * steps; i++)
    out[i] = load_element(e, which, first + i);
}

static MlirType doubles_type(const Emitter *e, int64_t count) {
  MlirType types[MMA_C_REGS];
  for (int64_t i = 0; i < count; i++)
    types[i] = e->gemm->output;
  return mlirLLVMStructTypeLiteralGet(tile_builder_context(&e->rewrite->b),
                                      count, types, false);
}

static void extract_doubles(Emitter *e, MlirValue from, int64_t count,
                            MlirValue *c) {
  for (int64_t i = 0; i < count; i++)
    c[i] = llvm_extractvalue(&e->rewrite->b, .type = e->gemm->output,
                             .container = from, .position = {&i, 1});
}

static void multiply_8_rows(Emitter *e, MlirValue a, MlirValue b,
                            MlirValue *c) {
  TileBuilder *build = &e->rewrite->b;
  MlirValue result = nvvm_mma_sync(
      build, .type = doubles_type(e, 2),
      .shape =
          mlirAttributeParseGet(tile_builder_context(build),
                                TILE_STR("#nvvm.shape<m = 8, n = 8, k = 4>")),
      .layoutA = NVVM_MMA_LAYOUT_row, .layoutB = NVVM_MMA_LAYOUT_col,
      .multiplicandAPtxType = TILE_SOME(NVVM_MMA_TYPES_f64),
      .multiplicandBPtxType = TILE_SOME(NVVM_MMA_TYPES_f64),
      .operandA = {&a, 1}, .operandB = {&b, 1}, .operandC = {c, 2});
  extract_doubles(e, result, 2, c);
}

static void print_registers(TileString *text, int64_t first, int64_t count) {
  for (int64_t i = 0; i < count; i++)
    tile_string_print(text, "%s$%d", i ? ", " : ", {", (int)(first + i));
  tile_string_print(text, "}");
}

// In assembly: nvvm.mma.sync has no such shapes.
static void multiply_16_rows(Emitter *e, int64_t steps, const MlirValue *a,
                             const MlirValue *b, MlirValue *c) {
  const struct {
    const MlirValue *values;
    int64_t count;
  } parts[] = {{a, DOUBLE_ROWS * steps}, {b, steps}, {c, MMA_C_REGS}};
  MlirValue operands[MAX_DOUBLES];
  int64_t count = 0;
  TileString text = {0}, constraints = {0};
  tile_string_print(&text,
                    "mma.sync.aligned.m16n8k%d.row.col.f64.f64.f64.f64 "
                    "{$0, $1, $2, $3}",
                    (int)(e->gemm->shape.instr_k * steps));
  tile_string_print(&constraints, "=d,=d,=d,=d");
  for (int p = 0; p < 3; p++) {
    print_registers(&text, MMA_C_REGS + count, parts[p].count);
    for (int64_t i = 0; i < parts[p].count; i++) {
      operands[count++] = parts[p].values[i];
      tile_string_print(&constraints, ",d");
    }
  }
  tile_string_print(&text, ";");
  MlirOperation op =
      llvm_inline_asm_op(&e->rewrite->b, .type = doubles_type(e, MMA_C_REGS),
                         .operands = {operands, count},
                         .asm_string = tile_string_text(&text),
                         .constraints = tile_string_text(&constraints))
          .op;
  tile_string_deinit(&text);
  tile_string_deinit(&constraints);
  extract_doubles(e, mlirOperationGetResult(op, 0), MMA_C_REGS, c);
}

// `c`: the elements of a tile.
static void multiply_doubles(Emitter *e, int64_t steps, const MlirValue *a,
                             const MlirValue *b, MlirValue *c) {
  if (e->rewrite->target->has_mma_f64_16) {
    multiply_16_rows(e, steps, a, b, c);
    return;
  }
  for (int64_t i = 0; i < DOUBLE_ROWS; i++)
    multiply_8_rows(e, a[i], *b, c + 2 * i);
}

// What one instruction takes of the `left` steps.
static int64_t steps_at_once(const Emitter *e, int64_t left) {
  int64_t steps = e->rewrite->target->has_mma_f64_16 ? DOUBLE_STEPS : 1;
  while (steps > left)
    steps /= 2;
  return steps;
}

static void emit_double_steps(Emitter *e, int64_t step, int64_t steps,
                              MlirValue *c) {
  const TileNvgpuGemm *gemm = e->gemm;
  int64_t tiles[2] = {[A] = gemm->m_tiles, [B] = gemm->n_tiles};
  int kept = gemm->per_m <= gemm->per_n ? A : B, other = !kept;
  int64_t size = doubles_per_step(kept) * steps;
  MlirValue *all =
      TILE_ARENA_NEW(e->rewrite->arena, MlirValue, tiles[kept] * size);
  for (int64_t i = 0; i < tiles[kept]; i++)
    load_doubles(e, kept, i, step, steps, all + i * size);
  for (int64_t i = 0; i < tiles[other]; i++) {
    MlirValue one[DOUBLE_ROWS * DOUBLE_STEPS];
    load_doubles(e, other, i, step, steps, one);
    for (int64_t j = 0; j < tiles[kept]; j++) {
      int64_t m = kept == A ? j : i, n = kept == A ? i : j;
      const MlirValue *kept_one = all + j * size;
      multiply_doubles(e, steps, kept == A ? kept_one : one,
                       kept == A ? one : kept_one,
                       &c[MMA_C_REGS * (m * gemm->n_tiles + n)]);
    }
  }
}

static void emit_doubles(Emitter *e, MlirValue storage) {
  TileNvgpuRewrite *r = e->rewrite;
  const TileNvgpuGemm *gemm = e->gemm;
  int64_t count = MMA_C_REGS * num_accumulators(gemm);
  MlirValue *c = TILE_ARENA_NEW(r->arena, MlirValue, count);
  MlirValue clear = gemm->product.clear, none = {NULL};
  if (clear.ptr)
    none = zero(e);
  for (int64_t i = 0; i < count; i++) {
    MlirValue index = tile_const_index(&r->b, i);
    c[i] = memref_load(&r->b, .memref = storage, .indices = TILE_VALUES(index));
    if (clear.ptr)
      c[i] = arith_select(&r->b, clear, none, c[i]);
  }
  for (int64_t step = 0, steps; step < gemm->k_steps; step += steps) {
    steps = steps_at_once(e, gemm->k_steps - step);
    emit_double_steps(e, step, steps, c);
  }
  for (int64_t i = 0; i < count; i++) {
    MlirValue index = tile_const_index(&r->b, i);
    memref_store(&r->b, .value = c[i], .memref = storage,
                 .indices = TILE_VALUES(index));
  }
}

void tile_nvgpu_gemm_apply(TileNvgpuRewrite *rewrite,
                           const TileNvgpuGemm *gemm) {
  Emitter e = {.rewrite = rewrite, .gemm = gemm};
  TileIntMath *math = &rewrite->index;
  TileInt in[3] = {[TILE_LAYOUT_LANE] = rewrite->lane,
                   [TILE_LAYOUT_WARP] = rewrite->warp};
  e.a = TILE_ARENA_NEW(rewrite->arena, MlirValue, gemm->m_tiles);
  e.c = TILE_ARENA_NEW(rewrite->arena, MlirValue, num_accumulators(gemm));
  for (int which = A; which <= B; which++) {
    const Operand *operand = &gemm->operand[which];
    e.storage[which] = tile_storage(&rewrite->b, operand->tile);
    if (!operand->in_registers)
      tile_shared_code_begin(math, &operand->access, in, &e.code[which]);
  }
  if (gemm->operand[B].by_matrix && !gemm->operand[B].in_pairs &&
      !gemm->product.is_sparse) {
    MlirValue lane = tile_int_get(math, rewrite->lane);
    e.is_upper = arith_cmpi(&rewrite->b, .predicate = ARITH_CMP_I_PREDICATE_uge,
                            .lhs = lane,
                            .rhs = tile_const_index(&rewrite->b, UPPER_LANES));
  }
  MlirValue storage = build_accumulators_storage(&e);
  if (is_double(gemm)) {
    emit_doubles(&e, storage);
    return;
  }
  load_accumulators(&e, storage);
  for (int64_t step = 0; step < gemm->k_steps; step++)
    if (gemm->product.is_sparse)
      emit_sparse_step(&e, step);
    else
      emit_step(&e, step);
  store_accumulators(&e, storage);
}
