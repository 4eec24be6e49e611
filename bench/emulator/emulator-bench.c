//===- emulator-bench.c - Speed of the PTX emulator -----------------------===//
//
// Runs kernels of test/Emulator and prints the median, smallest and largest
// processor time of a launch in milliseconds, with and without race detection,
// and how much a launch does. Usage: emulator-bench [repetitions [number of the
// only case, from 0]]
//
//===----------------------------------------------------------------------===//

#include "Tile/Emulator.h"
#include "Tile/Support/TensorMap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_REPETITIONS = 1000, MAX_ARGS = 5 };

static double now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void check(TileStatus status) {
  if (tile_status_is_ok(&status))
    return;
  fprintf(stderr, "%s\n", status.message);
  exit((int)status.code);
}

/// Reads a module; `out_parse_ms` is the time of parsing alone.
static TileEmuModule *module_read(const char *name, double *out_parse_ms) {
  char path[500];
  snprintf(path, sizeof path, "%s/ptx/%s.ptx", TILE_EMULATOR_TEST_DIR, name);
  FILE *file = fopen(path, "rb");
  char *text = calloc(1, 1 << 20);
  if (!file || !text || !fread(text, 1, (1 << 20) - 1, file)) {
    fprintf(stderr, "cannot read %s\n", path);
    exit(1);
  }
  fclose(file);
  TileEmuModule *module = NULL;
  double begin = now_ms();
  check(tile_emu_module_parse(text, strlen(text), name, &module));
  *out_parse_ms = now_ms() - begin;
  free(text);
  return module;
}

//===-- Problems ----------------------------------------------------------===//

/// Memory and arguments of a launch; pointers stay valid as it is not copied.
typedef struct {
  void *memory[3];
  _Alignas(64) uint8_t maps[3][TILE_TENSOR_MAP_SIZE_BYTES];
  int size, no_bug;
  void *args[MAX_ARGS + 1];
  TileEmuLaunch launch;
} Problem;

typedef struct {
  const char *name, *kernel;
  int size; // M = N = K, or columns
  void (*build)(TileEmu *emu, int size, Problem *out_problem);
} Case;

/// Random bf16 in [0.5, 1).
static void *matrix_alloc(TileEmu *emu, size_t count, const char *name) {
  void *memory = NULL;
  check(tile_emu_alloc(emu, 2 * count, name, &memory));
  uint16_t *elems = memory;
  uint32_t random = 1;
  for (size_t i = 0; i < count; i++) {
    random = random * 1664525u + 1013904223u;
    elems[i] = (uint16_t)(0x3f00u | random >> 25);
  }
  return memory;
}

static void map_encode(Problem *problem, int index, uint32_t box_columns,
                       uint32_t box_rows, int swizzle_bytes) {
  uint64_t size = (uint64_t)problem->size;
  TileTensorMap map = {.type = TILE_TENSOR_MAP_BF16,
                       .rank = 2,
                       .address = (uintptr_t)problem->memory[index],
                       .dims = {size, size},
                       .strides_bytes = {0, 2 * size},
                       .box = {box_columns, box_rows},
                       .elem_strides = {1, 1},
                       .swizzle_bytes = swizzle_bytes};
  check(tile_emu_tensor_map_encode(&map, problem->maps[index]));
}

static void matrices_alloc(TileEmu *emu, int size, Problem *problem) {
  static const char *const names[] = {"A", "B", "C"};
  problem->size = size;
  for (int i = 0; i < 3; i++)
    problem->memory[i] =
        matrix_alloc(emu, (size_t)size * (size_t)size, names[i]);
}

static void ws_gemm_build(TileEmu *emu, int size, Problem *out_problem) {
  matrices_alloc(emu, size, out_problem);
  map_encode(out_problem, 0, 64, 128, 128);
  map_encode(out_problem, 1, 64, 64, 128);
  map_encode(out_problem, 2, 64, 64, 0);
  for (int i = 0; i < 3; i++)
    out_problem->args[i] = out_problem->maps[i];
  out_problem->args[3] = &out_problem->size;
  out_problem->args[4] = &out_problem->no_bug;
  out_problem->launch = (TileEmuLaunch){
      .grid = {(uint32_t)size / 64, (uint32_t)size / 128, 1},
      .block = {384, 1, 1},
      .dynamic_smem_bytes = 4 * (128 + 64) * 128 + 128 * 128 + 64,
      .num_args = 5};
}

static void ampere_gemm_build(TileEmu *emu, int size, Problem *out_problem) {
  matrices_alloc(emu, size, out_problem);
  for (int i = 0; i < 3; i++)
    out_problem->args[i] = &out_problem->memory[i];
  out_problem->args[3] = &out_problem->size;
  out_problem->args[4] = &out_problem->size;
  out_problem->args[5] = &out_problem->no_bug;
  out_problem->launch =
      (TileEmuLaunch){.grid = {(uint32_t)size / 64, (uint32_t)size / 128, 1},
                      .block = {256, 1, 1},
                      .dynamic_smem_bytes = 3 * (128 + 64) * 64,
                      .num_args = 6};
}

static void softmax_build(TileEmu *emu, int size, Problem *out_problem) {
  enum { ROWS = 64 };
  out_problem->size = size;
  for (int i = 0; i < 3; i++)
    check(tile_emu_alloc(emu, (size_t)size * ROWS * sizeof(float), "rows",
                         &out_problem->memory[i]));
  out_problem->args[0] = &out_problem->memory[0];
  out_problem->args[1] = &out_problem->memory[1];
  out_problem->args[2] = &out_problem->size;
  out_problem->args[3] = &out_problem->memory[2];
  out_problem->args[4] = &out_problem->no_bug;
  out_problem->launch = (TileEmuLaunch){
      .grid = {ROWS, 1, 1}, .block = {256, 1, 1}, .num_args = 5};
}

static const Case cases[] = {
    {"wgmma and TMA", "ws_gemm", 256, ws_gemm_build},
    {"wgmma and TMA", "ws_gemm", 1024, ws_gemm_build},
    {"mma and cp.async", "ampere_gemm", 256, ampere_gemm_build},
    {"scalar", "softmax", 2048, softmax_build},
};

//===-- Measurement -------------------------------------------------------===//

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void measure(const Case *problem_case, bool detect_races,
                    int repetitions) {
  static double times_ms[MAX_REPETITIONS];
  double parse_ms;
  TileEmuModule *module = module_read(problem_case->kernel, &parse_ms);
  TileEmuStats stats = {0};
  for (int i = 0; i < repetitions; i++) {
    TileEmuOptions options;
    tile_emu_options_init(&options);
    options.seed = (uint64_t)i + 1;
    options.detect_races = detect_races;
    TileEmu *emu = NULL;
    check(tile_emu_create(&options, &emu));
    Problem problem = {0};
    problem_case->build(emu, problem_case->size, &problem);
    problem.launch.args = problem.args;
    double begin = now_ms();
    check(tile_emu_launch(emu, module, problem_case->kernel, &problem.launch));
    times_ms[i] = now_ms() - begin;
    stats = tile_emu_stats(emu);
    tile_emu_destroy(emu);
  }
  tile_emu_module_destroy(module);
  qsort(times_ms, (size_t)repetitions, sizeof *times_ms, compare);
  printf("%-18s %5d  races %-3s  %8.2f %8.2f %8.2f ms  %6.2f M warp "
         "instructions, %6llu copies and products, parsed in %.2f ms\n",
         problem_case->name, problem_case->size, detect_races ? "on" : "off",
         times_ms[repetitions / 2], times_ms[0], times_ms[repetitions - 1],
         (double)stats.num_warp_instructions / 1e6,
         (unsigned long long)stats.num_async_ops, parse_ms);
}

int main(int argc, char **argv) {
  long repetitions = argc > 1 ? strtol(argv[1], NULL, 10) : 5;
  if (repetitions < 1 || repetitions > MAX_REPETITIONS) {
    fprintf(stderr, "1 to %d repetitions\n", MAX_REPETITIONS);
    return 1;
  }
  printf("median, smallest and largest processor time of %ld launches\n",
         repetitions);
  long only = argc > 2 ? strtol(argv[2], NULL, 10) : -1;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    if (only >= 0 && (size_t)only != i)
      continue;
    measure(&cases[i], true, (int)repetitions);
    measure(&cases[i], false, (int)repetitions);
  }
  return 0;
}
