//===- WgmmaProducts.c - Products by wgmma.mma_async ----------------------===//
//
// A warpgroup owns a block of C; it is cut in pieces of 64 rows and at most 256
// columns, each a run of registers of the accumulator layout. Per piece and
// step along K one instruction reads B, and A where it is shared, through
// descriptors, which follow from the shared layouts; A may be four registers
// instead. A product with `async` is issued only: tile.await waits for it.
//
//===----------------------------------------------------------------------===//

#include "Conversion/ToNVVM/LoweredOps.h"
#include "MmaOperands.h"

#include "Dialect/Products.h"
#include "Layout/LayoutHardware.h"
#include "Support/Constants.h"
#include "Support/StringBuilder.h"
#include "Tile/Ops/llvm.h"
#include "Tile/Ops/nvvm.h"
#include "mlir-c/Dialect/LLVM.h"

enum {
  INSTR_M = 64,
  MAX_INSTR_N = 256,
  MAX_TOTAL = 256, // accumulators of a thread
  A_WORDS = 4,     // of a thread, per instruction
  MAX_WORD_ELEMS = 4
};

//===-- Plan --------------------------------------------------------------===//

typedef struct {
  const View *view;
  TileHwDesc desc;
  PlacedWindow placed;
  int mn_dim, k_dim;
  int64_t group_stride; // bytes between the blocks of two warpgroups
  MlirValue base;       // i32: first 16-byte unit of the block, 14 bits
} Operand;

typedef struct {
  TileProduct gemm;
  View a_view, b_view, c_view;
  View e_view; // of a sparse A
  Operand a, b;
  int64_t m, n, k;            // the tile, k as A stores it
  int64_t groups_m, groups_n; // warpgroups along M and N
  int64_t block_m, block_n;   // of one warpgroup
  int64_t instr_n, instr_k;   // k as A stores it
  int64_t num_regs;           // accumulators of a thread
  MlirType element;           // of A; that of B is as wide
  bool is_integer;            // s32 accumulators
  bool a_in_registers;
  bool is_async;
  bool overwrites; // C is never read
} Plan;

// Rows of C per warpgroup and how many warpgroups share M and N: read off the
// warp digits of the accumulator layout.
static bool plan_partition(Lowering *l, MlirOperation op, Plan *plan) {
  TileLayout layout, expected;
  TileReason error;
  int64_t groups = l->num_threads / 128;
  if (!tile_layout_of_tile(plan->c_view.memory->key, &layout, &error)) {
    lower_fail_internal(l, op, "the accumulator has no layout: %s", error.text);
    return false;
  }
  for (int64_t rows = 1; rows <= groups; rows++) {
    if (groups % rows ||
        !tile_hw_wgmma_acc(plan->m, plan->n, (int)rows, (int)(groups / rows),
                           &expected, &error) ||
        !tile_layout_equal(&layout, &expected))
      continue;
    plan->groups_m = rows;
    plan->groups_n = groups / rows;
    plan->block_m = plan->m / rows;
    plan->block_n = plan->n / plan->groups_n;
    plan->num_regs = tile_layout_axis_size(&layout.in, TILE_LAYOUT_REG);
    return true;
  }
  lower_fail(l, op,
             "the layout of the accumulator is no wgmma layout of %lld "
             "warpgroups",
             (long long)groups);
  return false;
}

// The widest instruction that divides the block; 0 if there is none. Several
// pieces must start at multiples of a swizzle atom of 64 elements.
static int64_t widest_n(int64_t block_n, bool is_integer) {
  // PTX ISA: integer products have n = 8, 24 and multiples of 16.
  if (is_integer && block_n % 16 && block_n != 8 && block_n != 24)
    return 0;
  if (block_n <= MAX_INSTR_N)
    return block_n;
  int64_t n = MAX_INSTR_N;
  while (n > 0 && block_n % n)
    n -= 64;
  return n;
}

static int64_t layout_bytes(const TileLayout *layout, int mn_dim, int k_dim,
                            int64_t mn, int64_t k, int bits) {
  int64_t in[2], offset = 0;
  in[mn_dim] = mn;
  in[k_dim] = k;
  tile_layout_eval(layout, in, &offset);
  return offset * bits / 8;
}

static bool plan_operand(Lowering *l, MlirOperation op, Plan *plan,
                         Operand *operand, const View *view, bool mn_is_last,
                         int64_t rows, int64_t block) {
  TileReason error;
  int bits = tile_elem_bits(plan->element);
  operand->view = view;
  operand->mn_dim = mn_is_last ? 1 : 0;
  operand->k_dim = mn_is_last ? 0 : 1;
  if (!shared_window_place(l, view, &operand->placed, &error) ||
      !tile_hw_wgmma_desc(&operand->placed.layout, bits, operand->mn_dim,
                          operand->k_dim, rows, &operand->desc, &error)) {
    lower_fail(l, op, "an operand does not suit wgmma: %s", error.text);
    return false;
  }
  int64_t extent = operand->placed.layout.in.extent[operand->mn_dim];
  int64_t atom = (int64_t)operand->desc.mode * 8 / bits;
  if (operand->desc.mn_major && block < extent && block % atom) {
    lower_fail(l, op,
               "an operand does not suit wgmma: blocks of %lld elements start "
               "inside swizzle atoms of %lld",
               (long long)block, (long long)atom);
    return false;
  }
  operand->group_stride =
      block < extent ? layout_bytes(&operand->placed.layout, operand->mn_dim,
                                    operand->k_dim, block, 0, bits)
                     : 0;
  return true;
}

// A in registers lies as the instruction reads it: inference converts it.
static bool plan_fragment_a(Lowering *l, MlirOperation op, const Plan *plan) {
  static const int exchanged[2] = {1, 0};
  TileLayout layout, expected;
  TileReason error;
  if (is_whole_tile(&plan->a_view) &&
      tile_layout_of_tile(plan->a_view.memory->key, &layout, &error) &&
      tile_hw_wgmma_a(plan->m, plan->k, tile_elem_bits(plan->element),
                      (int)plan->groups_m, (int)plan->groups_n, &expected,
                      &error) &&
      (!plan->gemm.transpose_a ||
       tile_layout_transpose(&expected, exchanged, &expected, &error)) &&
      tile_layout_equal(&layout, &expected))
    return true;
  lower_fail(l, op,
             "the layout of A is not that of a wgmma factor of %lldx%lld "
             "warpgroups; run tile-layout-inference first",
             (long long)plan->groups_m, (long long)plan->groups_n);
  return false;
}

static bool plan_build(Lowering *l, MlirOperation op, Plan *plan) {
  const TileProduct *gemm = &plan->gemm;
  tile_product_of(op, &plan->gemm);
  if (!view_of(l, op, gemm->a, &plan->a_view) ||
      !view_of(l, op, gemm->b, &plan->b_view) ||
      !view_of(l, op, gemm->c, &plan->c_view) ||
      (gemm->is_sparse && !view_of(l, op, gemm->e, &plan->e_view)))
    return false;
  TileInt zero = tile_int_constant(0), origin[3] = {zero, zero, zero}, offset;
  if (gemm->is_sparse && !shared_offset(l, op, &plan->e_view, origin, &offset))
    return false;
  bool ta = gemm->transpose_a, tb = gemm->transpose_b;
  plan->m = plan->c_view.shape.extent[0];
  plan->n = plan->c_view.shape.extent[1];
  plan->k = plan->a_view.shape.extent[ta ? 0 : 1];
  plan->element = plan->a_view.shape.element;
  plan->is_integer = mlirTypeIsAInteger(plan->element);
  plan->instr_k = 256 / tile_elem_bits(plan->element);
  if (!plan_partition(l, op, plan))
    return false;
  plan->instr_n = widest_n(plan->block_n, plan->is_integer);
  if (plan->instr_n == 0) {
    lower_fail(
        l, op,
        "a warpgroup owns %lld columns, which no wgmma divides: more than "
        "%d must be a multiple of 64, for integers of 16",
        (long long)plan->block_n, MAX_INSTR_N);
    return false;
  }
  if (plan->num_regs > MAX_TOTAL) {
    lower_fail(l, op,
               "needs %lld accumulators per thread, a thread has %d "
               "registers",
               (long long)plan->num_regs, MAX_TOTAL - 1);
    return false;
  }
  int64_t clear;
  plan->overwrites =
      gemm->clear.ptr && mlirxConstantInt(gemm->clear, &clear) && clear != 0;
  plan->is_async = plan->gemm.is_async;
  plan->a_in_registers = plan->a_view.shape.space == TILE_SPACE_FRAGMENT;
  return (plan->a_in_registers
              ? plan_fragment_a(l, op, plan)
              : plan_operand(l, op, plan, &plan->a, &plan->a_view, ta, INSTR_M,
                             plan->block_m)) &&
         plan_operand(l, op, plan, &plan->b, &plan->b_view, !tb, plan->instr_n,
                      plan->block_n);
}

//===-- Descriptors -------------------------------------------------------===//

// The address field of the block of this warpgroup: 14 bits, in units of 16
// bytes (PTX ISA, matrix descriptor).
static void operand_base(Lowering *l, Operand *operand, TileInt group) {
  MlirValue address = llvm_ptrtoint(&l->b, .type = type_i32(l),
                                    .arg = operand->view->memory->pointer);
  int64_t elem_bytes = tile_elem_bits(operand->view->shape.element) / 8;
  TileInt block =
      tile_int_add(&l->i32, tile_int_value(address),
                   tile_int_mul(&l->i32, group, operand->group_stride));
  block = tile_int_add(&l->i32, block,
                       tile_int_mul(&l->i32, operand->placed.base, elem_bytes));
  MlirValue own = tile_int_get(&l->i32, block);
  MlirValue masked = arith_andi(&l->b, own, tile_const_int(&l->b, 0x3FFFF, 32));
  operand->base = arith_shrui(&l->b, masked, tile_const_int(&l->b, 4, 32));
}

// The descriptor `offset_bytes` after the block: the low word moves, all else
// is constant.
static MlirValue descriptor(Lowering *l, const Operand *operand,
                            int64_t offset_bytes) {
  uint64_t fixed = tile_hw_desc_encode(&operand->desc, 0);
  TileInt unit = tile_int_add(&l->i32, tile_int_value(operand->base),
                              tile_int_constant(offset_bytes >> 4));
  MlirValue low = arith_extui(&l->b, .type = type_i64(l),
                              .in = tile_int_get(&l->i32, unit));
  return arith_ori(&l->b, low, tile_const_int(&l->b, (int64_t)fixed, 64));
}

static MlirValue operand_descriptor(Lowering *l, const Plan *plan,
                                    const Operand *operand, int64_t mn,
                                    int64_t k) {
  int64_t bytes =
      layout_bytes(&operand->placed.layout, operand->mn_dim, operand->k_dim, mn,
                   k, tile_elem_bits(plan->element));
  return descriptor(l, operand, bytes);
}

//===-- Code --------------------------------------------------------------===//
//
// One block of assembly: fence, every instruction, commit, wait. Its outputs
// exist only after the wait, so nothing that reads them can move above it. An
// asynchronous product leaves the wait to tile.await, which is a block of
// assembly that takes the accumulators in and gives them out.

// Operands of the block: accumulators (outputs, then tied inputs unless they
// are overwritten), descriptors or registers of A per row piece and step,
// descriptors of B per column piece and step, scale-d.
typedef struct {
  int64_t rows, cols, steps; // pieces of C, instructions along K
  int64_t a_words;           // operands per instruction that are A
  int64_t e_steps;           // instructions along K that share a word of E
  int64_t first_a, first_b, first_e, scale;
  intptr_t count;
  MlirValue *values; // inputs only
} Operands;

// Word `word` of the factor of row piece `i` and step `k`: the layout counts
// words of a step, then steps, then pieces.
static MlirValue fragment_word(Lowering *l, const Plan *plan, int64_t i,
                               int64_t k, int64_t word) {
  MlirValue elems[MAX_WORD_ELEMS];
  int64_t count = 32 / tile_elem_bits(plan->element);
  int64_t first = ((i * plan->k / plan->instr_k + k) * A_WORDS + word) * count;
  for (int64_t e = 0; e < count; e++)
    elems[e] =
        llvm_load(&l->b, .type = type_stored(l, plan->element),
                  .addr = register_pointer(l, plan->a_view.memory, first + e));
  return bits_join(l, elems, plan->element, count);
}

static void collect_a(Lowering *l, const Plan *plan, Operands *out) {
  for (int64_t i = 0; i < out->rows; i++)
    for (int64_t k = 0; k < out->steps; k++)
      for (int64_t word = 0; word < out->a_words; word++)
        out->values[out->count++] =
            plan->a_in_registers
                ? fragment_word(l, plan, i, k, word)
                : operand_descriptor(l, plan, &plan->a, i * INSTR_M,
                                     k * plan->instr_k);
}

static bool is_packed(const Plan *plan) {
  return plan->gemm.is_sparse && plan->e_view.shape.rank == 3;
}

// Metadata of the rows of this warp, per row piece and word along K.
static void collect_metadata(Lowering *l, Plan *plan, Operands *out) {
  TileInt warp = tile_int_value(warp_id(l));
  TileInt group =
      tile_int_rem(&l->i32, tile_int_div(&l->i32, warp, 4), plan->groups_m);
  TileInt first = tile_int_mul(&l->i32, group, plan->block_m);
  TileInt in_warp =
      tile_int_mul(&l->i32, tile_int_rem(&l->i32, warp, 4), INSTR_M / 4);
  for (int64_t i = 0; i < out->rows; i++)
    for (int64_t k = 0; k < out->steps; k += out->e_steps) {
      TileInt rows =
          tile_int_add(&l->i32, first, tile_int_constant(i * INSTR_M));
      out->values[out->count++] =
          is_packed(plan)
              ? sparse_packed_word(l, plan->gemm.op, &plan->e_view, rows,
                                   k / out->e_steps)
              : sparse_metadata_word(l, plan->gemm.op, &plan->e_view,
                                     tile_elem_bits(plan->element),
                                     tile_int_add(&l->i32, rows, in_warp), k);
    }
}

static Operands collect_operands(Lowering *l, Plan *plan) {
  Operands out = {.rows = plan->block_m / INSTR_M,
                  .cols = plan->block_n / plan->instr_n,
                  .steps = plan->k / plan->instr_k,
                  .a_words = plan->a_in_registers ? A_WORDS : 1,
                  .e_steps = 1};
  if (is_packed(plan))
    out.e_steps = tile_sparse_packed_steps(tile_elem_bits(plan->element));
  int64_t num_inputs = plan->num_regs +
                       (out.rows * (out.a_words + 1) + out.cols) * out.steps +
                       1;
  out.values = TILE_ARENA_NEW(l->arena, MlirValue, num_inputs);
  for (int64_t r = 0; r < plan->num_regs && !plan->overwrites; r++)
    out.values[out.count++] =
        llvm_load(&l->b, .type = plan->c_view.shape.element,
                  .addr = register_pointer(l, plan->c_view.memory, r));
  out.first_a = plan->num_regs + out.count;
  collect_a(l, plan, &out);
  out.first_b = plan->num_regs + out.count;
  for (int64_t j = 0; j < out.cols; j++)
    for (int64_t k = 0; k < out.steps; k++)
      out.values[out.count++] = operand_descriptor(
          l, plan, &plan->b, j * plan->instr_n,
          k * plan->instr_k * tile_product_k_ratio(&plan->gemm));
  out.first_e = plan->num_regs + out.count;
  if (plan->gemm.is_sparse)
    collect_metadata(l, plan, &out);
  MlirValue one = tile_const_int(&l->b, 1, 32);
  MlirValue clear = plan->gemm.clear;
  out.scale = plan->num_regs + out.count;
  out.values[out.count++] =
      clear.ptr ? arith_select(&l->b, clear, tile_const_int(&l->b, 0, 32), one)
                : one;
  return out;
}

// Registers of piece (i, j): the layout counts 64-row pieces outermost, then
// groups of eight columns with four registers each.
static int64_t piece_register(const Plan *plan, int64_t i, int64_t j) {
  return i * plan->block_n / 2 + j * plan->instr_n / 2;
}

// PTX ISA, wgmma.mma_async. The first step along K scales C by scale-d.
static void instruction_text(const Plan *plan, const Operands *operands,
                             int64_t i, int64_t j, int64_t k,
                             TileString *text) {
  int64_t first = piece_register(plan, i, j);
  tile_string_print(
      text, "wgmma.mma_async%s.sync.aligned.m64n%lldk%lld.%s.%s.%s {",
      plan->gemm.is_sparse ? ".sp" : "", (long long)plan->instr_n,
      (long long)plan->instr_k * tile_product_k_ratio(&plan->gemm),
      plan->is_integer ? "s32" : "f32",
      tile_elem_info(plan->a_view.shape.element)->factor,
      tile_elem_info(plan->b_view.shape.element)->factor);
  for (int64_t r = 0; r < plan->instr_n / 2; r++)
    tile_string_print(text, "%s$%lld", r ? ", " : "", (long long)(first + r));
  long long a =
      operands->first_a + (i * operands->steps + k) * operands->a_words;
  if (plan->a_in_registers)
    tile_string_print(text, "}, {$%lld, $%lld, $%lld, $%lld}", a, a + 1, a + 2,
                      a + 3);
  else
    tile_string_print(text, "}, $%lld", a);
  tile_string_print(text, ", $%lld",
                    (long long)(operands->first_b + j * operands->steps + k));
  if (plan->gemm.is_sparse) // metadata, and the selector of its lanes
    tile_string_print(
        text, ", $%lld, %d",
        (long long)(operands->first_e +
                    (i * operands->steps + k) / operands->e_steps),
        (int)(k % operands->e_steps));
  tile_string_print(text, ", %s", k == 0 ? "p" : "q");
  if (!plan->is_integer)
    tile_string_print(text, ", 1, 1"); // neither operand is negated
  if (tile_elem_bits(plan->element) == 16 && !plan->a_in_registers)
    tile_string_print(text, ", %d", plan->a.desc.mn_major);
  if (tile_elem_bits(plan->element) == 16)
    tile_string_print(text, ", %d", plan->b.desc.mn_major);
  tile_string_print(text, ";\n");
}

static void block_text(const Plan *plan, const Operands *operands,
                       TileString *text) {
  long long scale = operands->scale;
  tile_string_print(text,
                    "{\n.reg .pred p, q;\nsetp.ne.b32 p, $%lld, 0;\n"
                    "setp.eq.b32 q, $%lld, $%lld;\nwgmma.fence.sync.aligned;\n",
                    scale, scale, scale);
  for (int64_t k = 0; k < operands->steps; k++)
    for (int64_t i = 0; i < operands->rows; i++)
      for (int64_t j = 0; j < operands->cols; j++)
        instruction_text(plan, operands, i, j, k, text);
  tile_string_print(text, "wgmma.commit_group.sync.aligned;\n%s}",
                    plan->is_async ? "" : "wgmma.wait_group.sync.aligned 0;\n");
}

// Outputs that are inputs too: "=f,…,0,1,…", then descriptors and scale-d. What
// is overwritten is no input, so that no older value lives up to here; then no
// other input may share its registers.
static void constraints_text(const Plan *plan, const Operands *operands,
                             TileString *text) {
  for (int64_t r = 0; r < plan->num_regs; r++)
    tile_string_print(text, "%s=%s%s", r ? "," : "",
                      plan->overwrites ? "&" : "",
                      plan->is_integer ? "r" : "f");
  for (int64_t r = 0; r < plan->num_regs && !plan->overwrites; r++)
    tile_string_print(text, ",%lld", (long long)r);
  for (int64_t i = 0; i < operands->rows * operands->steps * operands->a_words;
       i++)
    tile_string_print(text, plan->a_in_registers ? ",r" : ",l");
  for (int64_t i = 0; i < operands->cols * operands->steps; i++)
    tile_string_print(text, ",l");
  for (int64_t i = 0;
       i < operands->rows * operands->steps / operands->e_steps &&
       plan->gemm.is_sparse;
       i++)
    tile_string_print(text, ",r");
  tile_string_print(text, ",r");
}

static MlirType accumulators_type(Lowering *l, const Plan *plan) {
  MlirType types[MAX_TOTAL];
  for (int64_t i = 0; i < plan->num_regs; i++)
    types[i] = plan->c_view.shape.element;
  return mlirLLVMStructTypeLiteralGet(tile_builder_context(&l->b),
                                      plan->num_regs, types, false);
}

static void emit_gemm(Lowering *l, Plan *plan) {
  TileInt group = tile_int_constant(0);
  if (plan->groups_m * plan->groups_n > 1)
    group = tile_int_div(&l->i32, tile_int_value(warp_id(l)), 4);
  if (!plan->a_in_registers)
    operand_base(l, &plan->a, tile_int_rem(&l->i32, group, plan->groups_m));
  operand_base(l, &plan->b, tile_int_div(&l->i32, group, plan->groups_m));

  Operands operands = collect_operands(l, plan);
  TileString text = {0}, constraints = {0};
  block_text(plan, &operands, &text);
  constraints_text(plan, &operands, &constraints);
  MlirOperation block =
      llvm_inline_asm_op(&l->b, .type = accumulators_type(l, plan),
                         .operands = {operands.values, operands.count},
                         .asm_string = tile_string_text(&text),
                         .constraints = tile_string_text(&constraints),
                         .has_side_effects = true)
          .op;
  tile_string_deinit(&text);
  tile_string_deinit(&constraints);
  for (int64_t r = 0; r < plan->num_regs; r++) {
    MlirValue value = llvm_extractvalue(
        &l->b, .type = plan->c_view.shape.element,
        .container = mlirOperationGetResult(block, 0), .position = {&r, 1});
    llvm_store(&l->b, .value = value,
               .addr = register_pointer(l, plan->c_view.memory, r));
  }
}

//===-- Entry -------------------------------------------------------------===//

void lower_tile_product(Lowering *l, MlirOperation op) {
  Plan plan = {0};
  tile_product_of(op, &plan.gemm);
  if (!plan.gemm.has_instr) {
    lower_fail(l, op,
               "has no instruction; run tile-instruction-annotation "
               "first");
    return;
  }
  if (plan.gemm.instr != TILE_INSTR_Wgmma) {
    lower_fail(l, op, "uses mma; run convert-tile-to-nvgpu first");
    return;
  }
  if (plan_build(l, op, &plan))
    emit_gemm(l, &plan);
}

static int64_t num_registers(const Memory *memory) {
  TileLayout layout;
  TileReason error;
  return memory && tile_layout_of_tile(memory->key, &layout, &error)
             ? tile_layout_axis_size(&layout.in, TILE_LAYOUT_REG)
             : 0;
}

// One word that depends on all registers of the fragments; null when there are
// none.
static MlirValue fold_registers(Lowering *l, TileRange fragments) {
  MlirValue word = TILE_NULL_VALUE;
  for (intptr_t i = 0; i < fragments.n; i++) {
    Memory *memory = memory_find(l, tile_range_at(fragments, i));
    int64_t count = num_registers(memory);
    for (int64_t r = 0; r < count; r++) {
      MlirValue next = llvm_load(&l->b, .type = type_i32(l),
                                 .addr = register_pointer(l, memory, r));
      word = word.ptr ? arith_xori(&l->b, word, next) : next;
    }
  }
  return word;
}

// ptxas moves a wait up to the products, before work that could be done
// meanwhile (seen with 12.x and 13.0). Not over a branch that depends on the
// work, which nothing takes: the word is compared with a NaN that no arithmetic
// makes. Should it be equal, a thread sleeps for a nanosecond.
static void hold_text(TileString *text, long long operand) {
  tile_string_print(
      text,
      "{\n.reg .pred p;\nsetp.ne.b32 p, $%lld, 0x7fa5a5a5;\n@p bra "
      "WORKED;\nnanosleep.u32 1;\nWORKED:\n",
      operand);
}

// The wait takes the accumulators in and gives them out, so that LLVM moves
// nothing that reads them above it; they stay in their registers. `word`, if
// any, is computed before.
static void emit_wait(Lowering *l, Memory *memory, MlirType element,
                      int64_t num_regs, int64_t pending, MlirValue word) {
  MlirValue values[MAX_TOTAL + 1];
  MlirType types[MAX_TOTAL];
  intptr_t num_values = num_regs;
  TileString text = {0}, constraints = {0};
  for (int64_t r = 0; r < num_regs; r++) {
    types[r] = element;
    values[r] = llvm_load(&l->b, .type = element,
                          .addr = register_pointer(l, memory, r));
    tile_string_print(&constraints, "%s=%s", r ? "," : "",
                      mlirTypeIsAInteger(element) ? "r" : "f");
  }
  for (int64_t r = 0; r < num_regs; r++)
    tile_string_print(&constraints, ",%lld", (long long)r);
  if (word.ptr) {
    values[num_values++] = word;
    tile_string_print(&constraints, ",r");
    hold_text(&text, 2 * num_regs);
  }
  tile_string_print(&text, "wgmma.wait_group.sync.aligned %lld;%s",
                    (long long)pending, word.ptr ? "\n}" : "");
  MlirType type = mlirLLVMStructTypeLiteralGet(tile_builder_context(&l->b),
                                               num_regs, types, false);
  MlirOperation block =
      llvm_inline_asm_op(&l->b, .type = type, .operands = {values, num_values},
                         .asm_string = tile_string_text(&text),
                         .constraints = tile_string_text(&constraints),
                         .has_side_effects = true)
          .op;
  tile_string_deinit(&text);
  tile_string_deinit(&constraints);
  for (int64_t r = 0; r < num_regs; r++) {
    MlirValue value = llvm_extractvalue(
        &l->b, .type = element, .container = mlirOperationGetResult(block, 0),
        .position = {&r, 1});
    llvm_store(&l->b, .value = value, .addr = register_pointer(l, memory, r));
  }
}

void lower_tile_await(Lowering *l, MlirOperation op) {
  TileAwaitOp await = tile_await_cast(op);
  if (!l->target->has_wgmma) {
    lower_fail(l, op, "waits for wgmma, which %s does not have",
               l->target->chip);
    return;
  }
  TileRange range = tile_await_accumulators(await);
  MlirValue word = fold_registers(l, tile_await_after(await));
  for (intptr_t i = 0; i < range.n; i++) {
    Memory *memory = memory_find(l, tile_range_at(range, i));
    int64_t num_regs = num_registers(memory);
    TileShape shape;
    tile_shape_of(tile_range_at(range, i), &shape);
    if (num_regs == 0)
      return; // the product of this accumulator has said why
    emit_wait(l, memory, shape.element, num_regs, tile_await_pending(await),
              i == 0 ? word : TILE_NULL_VALUE);
  }
  if (range.n == 0)
    nvvm_wgmma_wait_group_sync_aligned(&l->b,
                                       .group = tile_await_pending(await));
}
