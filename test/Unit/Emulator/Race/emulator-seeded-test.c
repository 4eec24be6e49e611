//===- emulator-seeded-test.c - Planted mistakes, found by kind and line --===//
//
// Kernels of test/Emulator/seeded use one newer instruction each and are right:
// they have to be silent and give the right numbers. Each row below changes one
// place, and the report has to name the rule and the line at every seed and
// schedule. Line: of the instruction that begins with `at`.
//
//===----------------------------------------------------------------------===//

#include "emulator-harness.h"

#include <stdbool.h>
#include <stdlib.h>

enum { NUM_WORDS = 1024, MAX_TEXT = 20000 };

static uint32_t in[NUM_WORDS], out[NUM_WORDS], maps[32];

//===-- Kernels -----------------------------------------------------------===//

typedef struct {
  const char *name;
  uint32_t grid, block, cluster;
  bool is_co_resident;
  enum { NO_MAP, REPLACED_MAP, IM2COL_MAP } map;
  uint32_t (*expected)(uint32_t index); // of out[index]
  uint32_t num_results;
} Kernel;

/// Words of CTA r go to CTA r + 1.
static uint32_t copied(uint32_t i) { return in[(i + 192) % 256]; }
static uint32_t reduced(uint32_t i) { return in[i] + in[i ^ 64]; }
/// Box of 8 x 4 at (4, 1) of a tensor of 16 columns.
static uint32_t boxed(uint32_t i) { return in[(1 + i / 8) * 16 + 4 + i % 8]; }
static uint32_t same(uint32_t i) { return in[i]; }
static uint32_t exchanged(uint32_t i) { return 100 + i; }
static uint32_t summed(uint32_t i) { return i * (i + 1) / 2; }
/// The product of a matrix of ones with itself, in f32.
static uint32_t product(uint32_t i) { return harness_bits(i < 512 ? 16 : 0); }
/// 16 ones of a row of A by columns of ones, but B is 0.5: k of 32, half of A.
static uint32_t sparse(uint32_t i) { return harness_bits(i < 512 ? 16 : 0); }
/// The same with itself, dense, k of 16, twice.
static uint32_t twice(uint32_t i) { return harness_bits(i < 512 ? 32 : 0); }
/// Copied, then in reverse.
static uint32_t mirrored(uint32_t i) { return in[i < 64 ? i : 127 - i]; }
static uint32_t incremented(uint32_t i) { return in[63 - i] + 1; }
/// Of the next CTA, and two sums of 1 to 4.
static uint32_t halo(uint32_t i) { return i < 256 ? in[(i + 64) % 256] : 20; }
/// 64 threads over 16 bins; two warps add 5.
static uint32_t counted(uint32_t i) { return i < 64 ? 14 : 0; }
/// Of six rows.
static uint32_t added(uint32_t i) {
  return in[i] + in[i + 32] + in[i + 64] + in[i + 96] + in[i + 128] +
         in[i + 160];
}
/// Pixels 1 to 8 of 8 channels.
static uint32_t pixels(uint32_t i) { return in[8 + i]; }

static const Kernel kernels[] = {
    {"dsmem_copy", 4, 64, 4, false, NO_MAP, copied, 256},
    {"dsmem_reduce", 2, 64, 2, false, NO_MAP, reduced, 128},
    {"map_replace", 1, 32, 1, false, REPLACED_MAP, boxed, 32},
    {"register_pool", 1, 256, 1, false, NO_MAP, same, 128},
    {"grid_exchange", 8, 64, 1, true, NO_MAP, exchanged, 8},
    {"recursion", 1, 32, 1, false, NO_MAP, summed, 32},
    {"wmma_tile", 1, 64, 1, false, NO_MAP, product, 512},
    {"sparse_product", 1, 128, 1, false, NO_MAP, sparse, 512},
    {"wgmma_reuse", 1, 128, 1, false, NO_MAP, twice, 512},
    {"bulk_exchange", 1, 64, 1, false, NO_MAP, mirrored, 128},
    {"global_exchange", 1, 64, 1, false, NO_MAP, incremented, 64},
    {"global_halo", 4, 64, 1, false, NO_MAP, halo, 257},
    {"shared_atomics", 1, 64, 1, false, NO_MAP, counted, 64},
    {"im2col_load", 1, 32, 1, false, IM2COL_MAP, pixels, 64},
    {"mbarrier_ring", 1, 64, 1, false, NO_MAP, same, 192},
    {"phase_leader", 1, 64, 1, false, NO_MAP, same, 384},
    {"bulk_ring", 1, 64, 1, false, NO_MAP, added, 32},
};

static char *read_kernel(const Kernel *kernel) {
  char path[500];
  snprintf(path, sizeof path, "%s/seeded/%s.ptx", TILE_EMULATOR_TEST_DIR,
           kernel->name);
  FILE *file = fopen(path, "rb");
  if (!file)
    fail_msg("cannot open %s", path);
  char *text = calloc(1, MAX_TEXT);
  assert_non_null(text);
  assert_true(fread(text, 1, MAX_TEXT - 1, file) > 0);
  fclose(file);
  return text;
}

static TileTensorMap map_of(const Kernel *kernel) {
  TileTensorMap map = {.type = TILE_TENSOR_MAP_U32,
                       .rank = 2,
                       .dims = {16, 12},
                       .strides_bytes = {0, 64},
                       .box = {8, 4},
                       .elem_strides = {1, 1, 1}};
  if (kernel->map == IM2COL_MAP) {
    map.rank = 3;
    map.dims[0] = 8, map.dims[1] = 16, map.dims[2] = 2;
    map.strides_bytes[1] = 32, map.strides_bytes[2] = 512;
    map.is_im2col = true;
    map.channels_per_pixel = 8;
    map.pixels_per_column = 8;
  }
  return map;
}

/// Numbers, or for products ones: f16 in A and B.
static void fill_input(const Kernel *kernel) {
  bool is_product = kernel->expected == product || kernel->expected == sparse ||
                    kernel->expected == twice;
  uint32_t seed = 7;
  for (uint32_t i = 0; i < NUM_WORDS; i++)
    in[i] = is_product                      ? 0x3c003c00u
            : kernel->expected == exchanged ? 0
                                            : harness_random(&seed);
  memset(out, 0, sizeof out);
}

static HarnessRun make_run(const Kernel *kernel, const char *ptx,
                           uint64_t seed) {
  HarnessRun run = {.ptx = ptx,
                    .grid = {kernel->grid, 1, 1},
                    .block = kernel->block,
                    .cluster = kernel->cluster,
                    .num_args = 2};
  fill_input(kernel);
  run.args[0].buffer = (HarnessBuffer){in, sizeof in, "in"};
  run.args[1].buffer = (HarnessBuffer){out, sizeof out, "out"};
  if (kernel->map == REPLACED_MAP)
    run.args[run.num_args++].buffer =
        (HarnessBuffer){maps, sizeof maps, "maps"};
  if (kernel->map)
    run.args[run.num_args++].map = map_of(kernel);
  tile_emu_options_init(&run.options);
  run.options.seed = seed;
  run.options.schedule = (TileEmuSchedule)(seed % 5);
  run.options.co_resident = kernel->is_co_resident;
  return run;
}

static void right_kernels(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++) {
    char *ptx = read_kernel(&kernels[i]);
    for (uint64_t seed = 1; seed <= 50; seed++) {
      HarnessRun run = make_run(&kernels[i], ptx, seed);
      harness_run_clean(&run);
      for (uint32_t k = 0; k < kernels[i].num_results; k++)
        if (out[k] != kernels[i].expected(k))
          fail_msg("%s, seed %u: word %u is 0x%x, not 0x%x", kernels[i].name,
                   (uint32_t)seed, k, out[k], kernels[i].expected(k));
    }
    free(ptx);
  }
}

//===-- Mistakes ----------------------------------------------------------===//

typedef struct {
  const char *kernel, *from, *to; // the first `from` becomes `to`
  // Either line; `or_at` may be NULL. No kind: it is none.
  const char *kind, *at, *or_at;
} Mistake;

#define CLUSTER_BARRIER                                                        \
  "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n"
#define PROXY_FENCE "fence.proxy.async.shared::cta;\n"
#define WAIT "mbarrier.try_wait"
#define BULK "cp.async.bulk."

static const Mistake mistakes[] = {
    // Copies between CTAs.
    {"dsmem_copy", PROXY_FENCE, "", "proxy-fence", BULK},
    {"dsmem_copy", "[full], 256", "[full], 272", "DEADLOCK", WAIT},
    {"dsmem_copy", "[full], 256", "[full], 240", "mbarrier-tx", BULK},
    {"dsmem_copy", "%r13;\n" CLUSTER_BARRIER, "%r13;\n", "cluster-exit", BULK},
    {"dsmem_copy", "%r11, [%r10]", "%r11, [%r9]", "mbarrier", BULK},
    {"dsmem_copy", "%r11, 256", "%r11, 250", "misaligned", BULK},
    {"dsmem_copy", "%r11, 256", "%r11, 512", "out-of-bounds", BULK},
    {"dsmem_copy", "[full], 0;", "[full], 1;", "data-race", "ld.shared.u32",
     BULK},
    {"dsmem_copy", "[full], 1;", "[full], 2;", "DEADLOCK", WAIT},
    {"dsmem_copy", "and.b32 %r6, %r6, 3", "mov.u32 %r6, 0", "data-race", BULK},
    {"dsmem_copy", "MEET:\n" CLUSTER_BARRIER, "MEET:\n", "mbarrier", BULK},
    {"dsmem_copy", "and.b32 %r6, %r6, 3", "and.b32 %r6, %r6, 7",
     "out-of-bounds", BULK},
    // Reductions in other CTAs.
    {"dsmem_reduce", "[full], 256", "[full], 252", "mbarrier-tx", "red.async"},
    {"dsmem_reduce", "@!%p2 bra WAIT;\n", "", "data-race", "ld.shared.u32"},
    {"dsmem_reduce", "mapa.shared::cluster.u32 %r9, %r8, %r6",
     "mov.u32 %r9, %r8", "mbarrier", "red.async"},
    {"dsmem_reduce", "[%r10], %r7", "[%r10+2], %r7", "misaligned", "red.async"},
    {"dsmem_reduce", "WAIT:\n", "setp.eq.u32 %p3, %r2, 1;\n@%p3 ret;\nWAIT:\n",
     "cluster-exit", "red.async"},
    {"dsmem_reduce", "MEET:\n" CLUSTER_BARRIER, "MEET:\nbar.sync 0;\n",
     "data-race", "red.async"},
    // Tensor maps that the kernel changes.
    {"map_replace", "fence.proxy.tensormap::generic.acquire.gpu [%rd3], 128;\n",
     "", "tensor-map-fence", BULK},
    {"map_replace", "[%r4], %r2;\nbar.warp.sync -1;\n", "[%r4], %r2;\n",
     "data-race", "tensormap.replace"},
    {"map_replace", "[full], 128", "[full], 64", "mbarrier-tx", BULK},
    {"map_replace", "[%r3], 1, 6;", "[%r3], 1, 0;", "tensor-map",
     "tensormap.replace.tile.global_dim"},
    {"map_replace", "[%r3], %rd1;", "[%r3], 4096;", "out-of-bounds", BULK},
    // Registers of warps.
    {"register_pool", "setmaxnreg.dec.sync.aligned.u32 40;\n", "", "DEADLOCK",
     "setmaxnreg.inc"},
    {"register_pool", "u32 216", "u32 224", "DEADLOCK", "setmaxnreg.inc"},
    {"register_pool", "u32 216;",
     "u32 216;\nsetmaxnreg.inc.sync.aligned.u32 208;", "setmaxnreg",
     "setmaxnreg.inc.sync.aligned.u32 208"},
    {"register_pool", "u32 40", "u32 136", "setmaxnreg", "setmaxnreg.dec"},
    {"register_pool", "[full], 128", "[full], 129", "DEADLOCK", WAIT},
    // CTAs that meet.
    {"grid_exchange", "[%rd1], 1;", "[%rd1], 0;", "no-progress", "ld.acquire"},
    {"grid_exchange", "@%p2 bra SPIN;\n", "", "global-write-conflict",
     "st.global.u32 [%rd6]", "st.global.u32 [%rd4]"},
    // Calls.
    {"recursion", "and.b32 %r2, %r1, 31", "add.u32 %r2, %r1, 600",
     "stack-overflow", "call (value), sum"},
    {"recursion", "add.u64 %rd3, %rd3, 0", "add.u64 %rd3, %rd3, 8", "bad-call",
     "call (value), %rd3"},
    {"recursion", "[%rd1+12], %r1", "[%rd1+65536], %r1", "out-of-bounds",
     "st.local"},
    // wmma.
    {"wmma_tile", "MEET:\nbar.sync 0;\n", "MEET:\n", "data-race", "wmma.load.a",
     "st.shared.v4"},
    {"wmma_tile", "%r3, 16", "%r3, 64", "out-of-bounds", "wmma.load.a"},
    {"wmma_tile", "[%r2], %r3", "[%r2+4], %r3", "misaligned", "wmma.load.a"},
    {"wmma_tile", "%r9, 1024", "%r9, 0", "global-write-conflict", "wmma.store"},
    // Sparse products.
    {"sparse_product", PROXY_FENCE, "", "proxy-fence", "wgmma.mma_async"},
    {"sparse_product", "0x44444444", "0", "sparse-metadata", "wgmma.mma_async"},
    {"sparse_product", "wgmma.fence.sync.aligned;\n", "", "wgmma-fence",
     "wgmma.mma_async"},
    {"sparse_product", "wgmma.wait_group.sync.aligned 0;\n", "",
     "wgmma-register", "st.global.v4"},
    {"sparse_product", "commit_group.sync.aligned;\n",
     "commit_group.sync.aligned;\nadd.u32 %r5, %r5, 0;\n", "wgmma-register",
     "add.u32 %r5"},
    {"sparse_product", "commit_group.sync.aligned;\n",
     "commit_group.sync.aligned;\nadd.u32 %r6, %r6, 0;\n", "wgmma-register",
     "add.u32 %r6"},
    {"sparse_product", "bar.sync 0;\n", "", "data-race", "wgmma.mma_async"},
    {"sparse_product", "tile;", "tile+256;", "out-of-bounds", "st.shared"},
    // Memory of factors that is used again: every warp waits for its own part.
    {"wgmma_reuse", "LOOP:\nbar.sync 0;\n", "LOOP:\n", "data-race",
     "st.shared.u16"},
    {"wgmma_reuse", "MEET:\nbar.sync 0;\n", "MEET:\n", "data-race",
     "st.shared.v4.f32"},
    {"wgmma_reuse", "wgmma.wait_group.sync.aligned 0;\n", "", "data-race",
     "st.shared.u16"},
    // Reads of global memory.
    {"bulk_exchange", "cp.async.bulk.wait_group 0;\n", "", "data-race",
     "ld.global.u32 %r6"},
    {"bulk_exchange", "wait_group 0", "wait_group.read 0", "data-race",
     "ld.global.u32 %r6"},
    {"bulk_exchange", "MEET:\nbar.sync 0;\n", "MEET:\n", "data-race",
     "ld.global.u32 %r6", BULK "global"},
    {"global_exchange", "MEET:\nbar.sync 0;\n", "MEET:\n", "data-race",
     "ld.global.u32 %r6", "st.global.u32 [%rd4]"},
    {"global_exchange", "AGAIN:\nbar.sync 0;\n", "AGAIN:\n", "data-race",
     "st.global.u32 [%rd4+0]", "ld.global.u32 %r6"},
    {"global_halo", "%rd4, %rd2, %rd3", "%rd4, %rd1, %rd3", "data-race",
     "st.global.u32 [%rd4]", "ld.global.u32 %r5"},
    {"global_halo",
     "atom.global.add.u32 %r7, [%rd2+1296], 1;\nsetp.ne.u32 %p2, %r7, 3",
     "setp.ne.u32 %p2, %r2, 3", "data-race", "ld.global.v4.u32",
     "st.global.u32 [%rd6"},
    {"global_halo", "atom.global.add.u32 %r7, [%rd2+1296], 1;\n",
     "ld.global.u32 %r7, [%rd2+1296];\nred.global.add.u32 [%rd2+1296], 1;\n",
     "data-race", "ld.global.u32 %r7", "red.global.add.u32 [%rd2+1296]"},
    // Atomics and plain accesses.
    {"shared_atomics", "CLEAR:\nbar.sync 0;\n", "CLEAR:\n", "data-race",
     "atom.shared.add", "@!%p1 st.shared"},
    {"shared_atomics", "MEET:\nbar.sync 0;\n", "MEET:\n", "data-race",
     "ld.shared.u32 %r11", "atom.shared.add"},
    {"shared_atomics", "[sum], %r9;\nfence.acq_rel.cta;\n", "[sum], %r9;\n",
     "data-race", "ld.shared.u32 %r9", "st.shared.u32 [sum], %r9"},
    // im2col.
    {"im2col_load", "[full], 256", "[full], 288", "DEADLOCK", WAIT},
    {"im2col_load", "bar.warp.sync -1;\n", "", "data-race", WAIT},
    {"im2col_load",
     "global.im2col.mbarrier::complete_tx::bytes [%r2], [%rd3, {%r3, %r3, "
     "%r3}], [full], {%h1}",
     "global.tile.mbarrier::complete_tx::bytes [%r2], [%rd3, {%r3, %r3, %r3}], "
     "[full]",
     "tensor-map", BULK},
    // Rings of mbarriers.
    {"mbarrier_ring", "[%r5], 32", "[%r5], 31", "data-race", "st.shared.u32"},
    {"mbarrier_ring", "[%r4], 32", "[%r4], 33", "DEADLOCK",
     "mbarrier.try_wait.parity.shared.b64 %p3, [%r4]"},
    {"mbarrier_ring", "@!%p3 bra EMPTY;\n", "", "data-race", "st.shared.u32"},
    {"mbarrier_ring",
     "ld.shared.u32 %r9, [%r3];\nst.global.u32 [%rd2], %r9;\n"
     "mbarrier.arrive.shared.b64 _, [%r5];\n",
     "mbarrier.arrive.shared.b64 _, [%r5];\nld.shared.u32 %r9, [%r3];\n"
     "st.global.u32 [%rd2], %r9;\n",
     "data-race", "st.shared.u32"},
    {"mbarrier_ring", "xor.b32 %r8, %r7, 1", "mov.u32 %r8, %r7", "DEADLOCK",
     "mbarrier.try_wait.parity.shared.b64 %p3, [%r5]"},
    // An arrival does not wait for loads; the three others do.
    {"bulk_ring", PROXY_FENCE, "", "proxy-fence", BULK},
    {"bulk_ring", PROXY_FENCE "mbar", "bar.warp.sync -1;\nmbar", "proxy-fence",
     BULK},
    {"bulk_ring", PROXY_FENCE "mbarrier.arrive.shared.b64 _, [%r5];\n",
     "mbarrier.arrive.shared.b64 _, [%r5];\n" PROXY_FENCE, "proxy-fence", BULK},
    {"bulk_ring", PROXY_FENCE "mbarrier.arrive.shared.b64 _, [%r5];\n",
     "mbarrier.arrive.shared.b64 _, [%r5];\nmembar.cta;\n", "proxy-fence",
     BULK},
    {"bulk_ring", PROXY_FENCE, "bar.sync 1, 32;\n"},
    {"bulk_ring", PROXY_FENCE, "membar.cta;\n"},
    {"bulk_ring", PROXY_FENCE, "st.global.u32 [%rd2], %r10;\n"},
    // Phases that somebody may miss; data races are elsewhere.
    {"phase_leader", "NEXT:\nbar.sync 0;\n", "NEXT:\n", "mbarrier-phase", BULK,
     "mbarrier.try_wait.parity.shared.b64 %p2, [%r4], %r7"},
    {"phase_leader", "NEXT:\nbar.sync 0;\n", "NEXT:\nbar.warp.sync -1;\n",
     "mbarrier-phase", BULK,
     "mbarrier.try_wait.parity.shared.b64 %p2, [%r4], %r7"},
    {"phase_leader", "[%r5], 32;", "[%r5], 1;", "mbarrier-phase",
     "mbarrier.test_wait"},
};

static const Kernel *kernel_find(const char *name) {
  const Kernel *kernel = kernels;
  while (strcmp(kernel->name, name))
    kernel++;
  return kernel;
}

static char *mutate(const char *text, const Mistake *mistake) {
  const char *place = strstr(text, mistake->from);
  if (!place)
    fail_msg("%s has no \"%s\"", mistake->kernel, mistake->from);
  char *result = calloc(1, MAX_TEXT + 500);
  assert_non_null(result);
  snprintf(result, MAX_TEXT + 500, "%.*s%s%s", (int)(place - text), text,
           mistake->to, place + strlen(mistake->from));
  return result;
}

/// Of the first line that begins with `at`.
static uint32_t line_of(const char *text, const char *at) {
  uint32_t line = 1;
  for (const char *c = text; c; c = strchr(c, '\n') + 1, line++)
    if (!strncmp(c, at, strlen(at)))
      return line;
  return 0;
}

/// Does a paragraph of this kind name the line?
static bool names_line(const char *report, const char *kind, uint32_t line) {
  char begin[60], place[30];
  snprintf(begin, sizeof begin, "[%s]", kind);
  int length = snprintf(place, sizeof place, "ptx:%u", line);
  for (const char *c = report; (c = strstr(c, begin)); c++) {
    const char *end = strstr(c, "\n[");
    end = end ? end : c + strlen(c);
    for (const char *p = c; (p = strstr(p, place)) && p < end; p++)
      if (p[length] < '0' || p[length] > '9')
        return true;
  }
  return false;
}

/// Is the mistake, in `ptx`, found in this run?
static bool is_found(const Mistake *mistake, const char *ptx, uint64_t seed) {
  HarnessRun run = make_run(kernel_find(mistake->kernel), ptx, seed);
  run.options.max_instructions = 3000000;
  if (!mistake->kind) {
    harness_run_clean(&run);
    return true;
  }
  uint32_t line = line_of(ptx, mistake->at);
  assert_int_not_equal(line, 0);
  HarnessResult result = harness_run(&run);
  bool found = names_line(result.report, mistake->kind, line) ||
               (mistake->or_at && names_line(result.report, mistake->kind,
                                             line_of(ptx, mistake->or_at)));
  if (!found)
    print_error("%s, \"%s\", seed %u: no %s at ptx:%u, but %s\n%s",
                mistake->kernel, mistake->from, (uint32_t)seed, mistake->kind,
                line, result.kinds, result.report);
  harness_result_deinit(&result);
  return found;
}

static void planted_mistakes(void **state) {
  (void)state;
  size_t num_missed = 0;
  for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++) {
    char *text = read_kernel(kernel_find(mistakes[i].kernel));
    char *ptx = mutate(text, &mistakes[i]);
    for (uint64_t seed = 1; seed <= 5; seed++)
      num_missed += !is_found(&mistakes[i], ptx, seed);
    free(text);
    free(ptx);
  }
  assert_int_equal(num_missed, 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(right_kernels),
    cmocka_unit_test(planted_mistakes),
};

int main(void) { return cmocka_run_group_tests(tests, NULL, NULL); }
