//===- emulator-wmma-test.c - wmma.load, wmma.mma and wmma.store ----------===//
//
// Whole products, from matrices in memory to a matrix in memory: what PTX
// promises. The fragments themselves are ours to choose; one test says which
// they are.
//
//===----------------------------------------------------------------------===//

#include "emulator-product.h"

#include <limits.h>
#include <stdlib.h>

typedef enum { GLOBAL, SHARED, GENERIC_GLOBAL, GENERIC_SHARED } Space;

typedef struct {
  int m, n, k;
  ProductType a, c, d; // B is as A
  const char *modifier;
} Shape;

/// How the four matrices lie in memory.
typedef struct {
  bool is_column_major[4]; // A, B, C, D
  int padding_bytes;       // after each row or column
  Space space;
} Memory;

enum { AREA_BYTES = 8192, A = 0, B, C, D };

static Product product;
static uint8_t areas[4][AREA_BYTES];

//===-- Matrices in memory ------------------------------------------------===//

static int num_rows(const Shape *shape, int which) {
  return which == B ? shape->k : shape->m;
}
static int num_columns(const Shape *shape, int which) {
  return which == A ? shape->k : shape->n;
}
static ProductType type_of(const Shape *shape, int which) {
  return which <= B ? shape->a : which == C ? shape->c : shape->d;
}

/// Elements from a row, or column, to the next one.
static int stride_of(const Shape *shape, const Memory *memory, int which) {
  int elems = memory->is_column_major[which] ? num_rows(shape, which)
                                             : num_columns(shape, which);
  int bits = (int)product_type_bits(type_of(shape, which));
  return elems + memory->padding_bytes * 8 / bits;
}

static uint32_t index_of(const Shape *shape, const Memory *memory, int which,
                         int row, int column) {
  int stride = stride_of(shape, memory, which);
  return (uint32_t)(memory->is_column_major[which] ? column * stride + row
                                                   : row * stride + column);
}

static void put_matrices(const Shape *shape, const Memory *memory) {
  memset(areas, 0x55, sizeof areas);
  for (int which = A; which <= C; which++)
    for (int i = 0; i < num_rows(shape, which); i++)
      for (int j = 0; j < num_columns(shape, which); j++)
        product_put(areas[which], index_of(shape, memory, which, i, j),
                    type_of(shape, which),
                    which == A   ? product.a[i][j]
                    : which == B ? product.b[i][j]
                                 : product.c[i][j]);
}

//===-- Kernel ------------------------------------------------------------===//

static int num_registers(const Shape *shape, int which) {
  ProductType type = type_of(shape, which);
  int bits = (int)product_type_bits(type);
  if (which <= B && type == F16)
    return 8;
  return num_rows(shape, which) * num_columns(shape, which) * bits /
         (bits == 64 ? 64 : 32) / 32;
}

static const char *layout_name(const Memory *memory, int which) {
  return memory->is_column_major[which] ? "col" : "row";
}

/// "wmma.load.a…" or "wmma.store.d…", with a stride unless it is the default.
static char *print_access(char *at, const Shape *shape, const Memory *memory,
                          int which) {
  static const char *const spaces[] = {".global", ".shared", "", ""};
  static const char *const verbs[] = {"load.a", "load.b", "load.c", "store.d"};
  static const char *const letters[] = {"a", "b", "c", "d"};
  char list[200], stride[40] = "";
  product_registers(list, letters[which], 0, num_registers(shape, which));
  if (memory->padding_bytes && which == B)
    sprintf(stride, ", stride");
  else if (memory->padding_bytes)
    sprintf(stride, ", %d", stride_of(shape, memory, which));
  at +=
      sprintf(at, "wmma.%s.sync.aligned.%s.m%dn%dk%d%s.%s ", verbs[which],
              layout_name(memory, which), shape->m, shape->n, shape->k,
              spaces[memory->space], product_type_name(type_of(shape, which)));
  if (which == D)
    return at + sprintf(at, "[p%d], %s%s;\n", which, list, stride);
  return at + sprintf(at, "%s, [p%d]%s;\n", list, which, stride);
}

/// Copies 32 KiB between global and shared memory, as the areas lie.
static char *print_copy(char *at, bool is_load, const char *label) {
  at += sprintf(at,
                "shl.b32 i, tid, 4;\n%s: add.u32 t, s, i; shr.u32 u, i, "
                "13; cvt.u64.u32 r, i; and.b64 r, r, 8191;\n",
                label);
  for (int area = 0; area < 4; area++)
    at += sprintf(at, "setp.eq.u32 p, u, %d; @p add.u64 r, r, g%d;\n", area,
                  area);
  at += sprintf(at, is_load ? "ld.global.v4.b32 {v0, v1, v2, v3}, [r]; "
                              "st.shared.v4.b32 [t], {v0, v1, v2, v3};\n"
                            : "ld.shared.v4.b32 {v0, v1, v2, v3}, [t]; "
                              "st.global.v4.b32 [r], {v0, v1, v2, v3};\n");
  return at + sprintf(at,
                      "add.u32 i, i, 512; setp.lt.u32 p, i, 32768; "
                      "@p bra %s;\nbar.sync 0;\n",
                      label);
}

static char *print_pointers(char *at, Space space) {
  for (int area = 0; area < 4; area++) {
    if (space == GLOBAL)
      at += sprintf(at, "mov.u64 p%d, g%d;\n", area, area);
    if (space == GENERIC_GLOBAL)
      at += sprintf(at, "cvta.global.u64 p%d, g%d;\n", area, area);
    if (space == SHARED)
      at += sprintf(at, "add.u32 t, s, %d; cvt.u64.u32 p%d, t;\n",
                    area * AREA_BYTES, area);
    if (space == GENERIC_SHARED)
      at += sprintf(at,
                    "add.u32 t, s, %d; cvt.u64.u32 r, t; "
                    "cvta.shared.u64 p%d, r;\n",
                    area * AREA_BYTES, area);
  }
  return at;
}

static void print_kernel(char ptx[12000], const Shape *shape,
                         const Memory *memory) {
  char list[4][200], *at = ptx;
  bool is_shared = memory->space == SHARED || memory->space == GENERIC_SHARED;
  at += sprintf(at,
                HARNESS_HEADER
                ".visible .entry k(.param .u64 in0, .param .u64 in1, "
                ".param .u64 in2, .param .u64 in3) {\n"
                ".shared .align 32 .b8 smem[32768];\n"
                ".reg .%s a<8>, b<8>, c<8>, d<8>; .reg .b64 g<4>, p<4>, r; "
                ".reg .b32 tid, s, t, u, i, v<4>, stride; .reg .pred p;\n"
                "mov.u32 tid, %%tid.x; mov.u32 s, smem; mov.u32 stride, %d;\n",
                shape->a == F64 ? "f64" : "b32", stride_of(shape, memory, B));
  for (int area = 0; area < 4; area++)
    at += sprintf(at, "ld.param.u64 g%d, [in%d];\n", area, area);
  if (is_shared)
    at = print_copy(at, true, "IN");
  at = print_pointers(at, memory->space);
  for (int which = A; which <= C; which++)
    at = print_access(at, shape, memory, which);
  static const char *const letters[] = {"a", "b", "c", "d"};
  for (int which = A; which <= D; which++)
    product_registers(list[which], letters[which], 0,
                      num_registers(shape, which));
  bool is_bit = shape->a == B1;
  at += sprintf(at, "wmma.mma%s.sync.aligned.%s.%s.m%dn%dk%d%s.%s",
                is_bit ? shape->modifier : "", layout_name(memory, A),
                layout_name(memory, B), shape->m, shape->n, shape->k,
                shape->a == F64 ? shape->modifier : "",
                product_type_name(shape->d));
  if (shape->a != F16)
    at += sprintf(at, ".%s.%s", product_type_name(shape->a),
                  product_type_name(shape->a));
  at += sprintf(at, ".%s%s %s, %s, %s, %s;\n", product_type_name(shape->c),
                is_bit || shape->a == F64 ? "" : shape->modifier, list[D],
                list[A], list[B], list[C]);
  at = print_access(at, shape, memory, D);
  if (is_shared) {
    at += sprintf(at, "bar.sync 0;\n");
    at = print_copy(at, false, "OUT");
  }
  sprintf(at, "ret; }\n");
}

static HarnessRun run_of(const char *ptx) {
  HarnessRun run = {.ptx = ptx, .num_args = 4};
  static const char *const names[] = {"A", "B", "C", "D"};
  for (int i = 0; i < 4; i++)
    run.args[i].buffer = (HarnessBuffer){areas[i], sizeof areas[i], names[i]};
  return run;
}

//===-- Products ----------------------------------------------------------===//

static void multiply(const Shape *shape) {
  product_multiply(&product);
  for (int i = 0; i < product.m; i++)
    for (int j = 0; j < product.n; j++) {
      if (shape->a == B1) {
        bool is_xor = !strcmp(shape->modifier, ".xor.popc");
        product.d[i][j] = product.c[i][j];
        for (int k = 0; k < product.k; k++)
          product.d[i][j] += is_xor ? product.a[i][k] != product.b[k][j]
                                    : product.a[i][k] && product.b[k][j];
      }
    }
}

static void check_d(const Shape *shape, const Memory *memory) {
  for (int i = 0; i < shape->m; i++)
    for (int j = 0; j < shape->n; j++) {
      int got =
          product_get(areas[D], index_of(shape, memory, D, i, j), shape->d);
      if (got != product.d[i][j])
        print_error("m%dn%dk%d %s: row %d, column %d\n", shape->m, shape->n,
                    shape->k, product_type_name(shape->a), i, j);
      assert_int_equal(got, product.d[i][j]);
    }
}

static void check(const Shape *shape, const Memory *memory) {
  char ptx[12000];
  product_fill(&product, shape->a, shape->a, shape->m, shape->n, shape->k,
               (uint32_t)(shape->m + shape->k));
  multiply(shape);
  put_matrices(shape, memory);
  print_kernel(ptx, shape, memory);
  HarnessRun run = run_of(ptx);
  product_run(&run);
  check_d(shape, memory);
}

/// All layouts; spaces and strides take turns.
static void check_layouts(const Shape *shape) {
  bool is_free = product_type_bits(shape->a) >= 8;
  for (int layout = 0; layout < 16; layout++) {
    Memory memory = {.padding_bytes = layout % 3 * 32,
                     .space = (Space)(layout % 4)};
    for (int which = A; which <= D; which++)
      memory.is_column_major[which] = layout >> which & 1;
    bool is_row_col = !memory.is_column_major[A] && memory.is_column_major[B];
    if (is_free || is_row_col)
      check(shape, &memory);
  }
}

static void halves(void **state) {
  (void)state;
  static const int sizes[][2] = {{16, 16}, {32, 8}, {8, 32}};
  for (int i = 0; i < 3; i++)
    for (int types = 0; types < 4; types++) {
      Shape shape = {sizes[i][0],           sizes[i][1],           16, F16,
                     types & 1 ? F16 : F32, types & 2 ? F16 : F32, ""};
      check_layouts(&shape);
    }
}

static void other_floats(void **state) {
  (void)state;
  static const Shape shapes[] = {
      {16, 16, 16, BF16, F32, F32, ""}, {32, 8, 16, BF16, F32, F32, ""},
      {8, 32, 16, BF16, F32, F32, ""},  {16, 16, 8, TF32, F32, F32, ""},
      {8, 8, 4, F64, F64, F64, ""},     {8, 8, 4, F64, F64, F64, ".rz"}};
  for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
    check_layouts(&shapes[i]);
}

static void integers(void **state) {
  (void)state;
  static const Shape shapes[] = {{16, 16, 16, S8, S32, S32, ""},
                                 {32, 8, 16, S8, S32, S32, ".satfinite"},
                                 {8, 32, 16, S8, S32, S32, ""},
                                 {16, 16, 16, U8, S32, S32, ".satfinite"},
                                 {32, 8, 16, U8, S32, S32, ""},
                                 {8, 32, 16, U8, S32, S32, ""},
                                 {8, 8, 32, S4, S32, S32, ""},
                                 {8, 8, 32, U4, S32, S32, ".satfinite"},
                                 {8, 8, 128, B1, S32, S32, ".xor.popc"},
                                 {8, 8, 128, B1, S32, S32, ".and.popc"}};
  for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
    check_layouts(&shapes[i]);
}

/// Sums at the end of the range: they wrap, or stay there with .satfinite.
static void integers_saturate(void **state) {
  (void)state;
  char ptx[12000];
  static const char *const modifiers[] = {"", ".satfinite"};
  for (int i = 0; i < 2; i++) {
    Shape shape = {16, 16, 16, U8, S32, S32, modifiers[i]};
    Memory memory = {.is_column_major = {false, true, false, false}};
    product_fill(&product, U8, U8, 16, 16, 16, 8);
    memset(product.c, 0, sizeof product.c);
    product_multiply(&product);
    for (int j = 0; j < 256; j++) {
      uint32_t sum = (uint32_t)INT_MAX + (uint32_t)product.d[j / 16][j % 16];
      product.c[j / 16][j % 16] = INT_MAX;
      product.d[j / 16][j % 16] = i ? INT_MAX : (int)sum;
    }
    put_matrices(&shape, &memory);
    print_kernel(ptx, &shape, &memory);
    HarnessRun run = run_of(ptx);
    product_run(&run);
    check_d(&shape, &memory);
  }
}

//===-- Fragments ---------------------------------------------------------===//

/// As mma.m16n8k16 has them; the eight registers of f16 repeat four, or two.
static void fragments(void **state) {
  (void)state;
  static uint32_t out[32][8];
  static const char text[] = HARNESS_HEADER
      ".visible .entry k(.param .u64 a0, .param .u64 a1) {\n.reg .b32 r<8>, "
      "tid; .reg .b64 p, q; ld.param.u64 p, [a0]; ld.param.u64 q, [a1]; "
      "mov.u32 tid, %%tid.x; mad.wide.u32 q, tid, 32, q;\n"
      "wmma.load.%s.sync.aligned.%s.global.f16 {r0, r1, r2, r3, r4, r5, r6, "
      "r7}, [p];\nst.global.v4.b32 [q], {r0, r1, r2, r3}; "
      "st.global.v4.b32 [q+16], {r4, r5, r6, r7}; ret; }\n";
  for (int test = 0; test < 3; test++) {
    char ptx[1000];
    snprintf(ptx, sizeof ptx, text, test == 0 ? "a" : "b",
             test == 0   ? "row.m16n16k16"
             : test == 1 ? "col.m16n16k16"
                         : "col.m32n8k16");
    for (uint32_t i = 0; i < 256; i++) // element i is i
      memcpy(areas[0] + 2 * i, &(uint16_t){(uint16_t)i}, 2);
    HarnessRun run = {.ptx = ptx, .num_args = 2};
    run.args[0].buffer = (HarnessBuffer){areas[0], AREA_BYTES, "A"};
    run.args[1].buffer = (HarnessBuffer){out, sizeof out, "out"};
    product_run(&run);
    for (uint32_t l = 0; l < 32; l++)
      for (uint32_t reg = 0; reg < 8; reg++) {
        uint32_t r = reg % (test == 2 ? 2 : 4), x = l / 4, k = l % 4 * 2;
        x += 8 * (test == 0 ? r % 2 : r / 2);
        k += 8 * (test == 0 ? r / 2 : r % 2);
        uint32_t first = 16 * x + k;
        assert_int_equal(out[l][reg], first | (first + 1) << 16);
      }
  }
}

//===-- Mistakes ----------------------------------------------------------===//

/// A kernel around one instruction, of `warps` warps that write smem first.
static void finds(const char *instruction, uint32_t warps, const char *kind,
                  const char *text) {
  char ptx[3000];
  snprintf(ptx, sizeof ptx,
           HARNESS_HEADER
           ".visible .entry k(.param .u64 a0) { .reg .b32 r<8>, tid, s, t, u; "
           ".reg .b64 g; .reg .pred p;\n.shared .align 32 .b8 smem[4096];\n"
           "ld.param.u64 g, [a0]; mov.u32 tid, %%tid.x; mov.u32 s, smem;\n"
           "mad.lo.u32 t, tid, 16, s; mov.b32 r0, 0; mov.b32 r1, 0; "
           "mov.b32 r2, 0; mov.b32 r3, 0; mov.b32 r4, 0; mov.b32 r5, 0; "
           "mov.b32 r6, 0; mov.b32 r7, 0;\n"
           "st.shared.v4.b32 [t], {r0, r1, r2, r3};\n%s\nret; }\n",
           instruction);
  HarnessRun run = {.ptx = ptx, .block = 32 * warps, .num_args = 1};
  run.args[0].buffer = (HarnessBuffer){areas[0], 512, "A"};
  harness_run_finds(&run, kind, text);
}

#define LIST8 "{r0, r1, r2, r3, r4, r5, r6, r7}"
#define LOAD_A "wmma.load.a.sync.aligned.row.m16n16k16"

static void accesses(void **state) {
  (void)state;
  finds(LOAD_A ".global.f16 " LIST8 ", [g+16];", 1, "misaligned",
        "must be a multiple of 32");
  finds(LOAD_A ".global.f16 " LIST8 ", [g], 20;", 1, "misaligned",
        "the stride of 40 bytes one of 16");
  finds(LOAD_A ".global.f16 " LIST8 ", [g], 24;", 1, "out-of-bounds",
        "at A+528 is out of bounds: it has 512 bytes");
  finds(LOAD_A ".shared.f16 " LIST8 ", [s], 136;", 1, "out-of-bounds",
        "is outside of the shared memory");
  finds("bar.sync 0; " LOAD_A ".shared.f16 " LIST8 ", [s], 24;", 1,
        "uninitialised-read", "");
  // The other warp wrote the lower rows.
  finds(LOAD_A ".shared.f16 " LIST8 ", [s], 32;", 2, "data-race", "");
  finds("wmma.store.d.sync.aligned.row.m16n16k16.shared.f32 [s], " LIST8 ";", 2,
        "data-race", "");
  finds("wmma.store.d.sync.aligned.row.m16n16k16.global.f16 [g], "
        "{r0, r1, r2, r3};",
        2, "global-write-conflict", "");
  finds("and.b32 u, tid, 1; shl.b32 u, u, 5; add.u32 u, u, s; bar.sync 0; "
        "wmma.load.a.sync.aligned.row.m16n16k16.shared.s8 {r0, r1}, [u];",
        1, "divergence", "address or stride differ from those of lane 0");
}

static void unsupported(void **state) {
  (void)state;
  static const char *const instructions[] = {
      "wmma.load.a.sync.aligned.row.m16n16k8.shared.f16 {a0}, [smem];",
      "wmma.load.a.sync.aligned.col.m8n8k32.shared.s4 {a0}, [smem];",
      "wmma.load.c.sync.aligned.col.m8n8k32.shared.f32 {a0, a1}, [smem];",
      "wmma.load.b.sync.aligned.m16n16k16.shared.bf16 {a0, a1, a2, a3}, "
      "[smem];",
      "wmma.store.d.sync.aligned.col.m16n16k16.shared.bf16 [smem], {a0};",
      "wmma.mma.sync.aligned.row.col.m16n16k16.s32.s8.u8.s32 {d0}, {a0, a1}, "
      "{b0, b1}, {c0};",
      "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f16.f16.f32 {d0}, {a0}, "
      "{b0}, {c0};",
      "wmma.mma.sync.aligned.row.col.m16n16k8.f32.f32 {d0}, {a0}, {b0}, {c0};"};
  for (size_t i = 0; i < sizeof instructions / sizeof instructions[0]; i++)
    product_instruction_finds(instructions[i], "unsupported",
                              "no such combination of shape and types");
  static const char *const modified[] = {
      "wmma.mma.sync.aligned.row.row.m8n8k32.s32.s4.s4.s32 {d0, d1}, {a0}, "
      "{b0}, {c0, c1};",
      "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32.satfinite {d0}, {a0}, "
      "{b0}, {c0};"};
  for (size_t i = 0; i < sizeof modified / sizeof modified[0]; i++)
    product_instruction_finds(modified[i], "unsupported",
                              "layouts or modifiers this shape does not have");
  product_instruction_finds(
      "wmma.load.d.sync.aligned.row.m16n16k16.shared.f32 {a0}, [smem];",
      "unsupported", "form of wmma");
  product_instruction_fails(
      "wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {a0, a1}, [smem];",
      "2 registers where 8 are expected");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(halves),      cmocka_unit_test(other_floats),
    cmocka_unit_test(integers),    cmocka_unit_test(integers_saturate),
    cmocka_unit_test(fragments),   cmocka_unit_test(accesses),
    cmocka_unit_test(unsupported),
};

int main(void) { return cmocka_run_group_tests(tests, NULL, NULL); }
