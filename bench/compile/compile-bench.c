//===- compile-bench.c - Where the compiler spends its time ---------------===//
//
// Compiles one file many times in this process and prints the median of each
// phase, what our passes cost beside everything between text and PTX, and the
// time of the whole tile-compile process without ptxas. Processor time is given
// as well: it does not depend on what else the machine does.
//
//===----------------------------------------------------------------------===//

#include "Tile/Compiler.h"
#include <errno.h>
#include <getopt.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

extern char **environ;

enum { MAX_RUNS = 1000, MAX_PHASES = 64 };

typedef struct {
  const char *input, *target, *tool;
  int num_runs;
  bool line_info;
  double ms[MAX_PHASES][MAX_RUNS];
  const char *names[MAX_PHASES];
  size_t num_names;
} Bench;

static double now_ms(void) {
  struct timespec now;
  timespec_get(&now, TIME_UTC);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *values, int count) {
  qsort(values, (size_t)count, sizeof *values, compare);
  return count % 2 ? values[count / 2]
                   : (values[count / 2 - 1] + values[count / 2]) / 2;
}

//===-- In this process ---------------------------------------------------===//

static bool compile_once(Bench *bench, TileCompiler *compiler, int run) {
  TileProgram *program = tile_compile_file(compiler, bench->input);
  const char *phase;
  double ms;
  size_t count = 0;
  for (; program && run >= 0 && count < MAX_PHASES &&
         (phase = tile_program_phase(program, count, &ms));
       count++) {
    bench->names[count] = phase;
    bench->ms[count][run] = ms;
  }
  if (count)
    bench->num_names = count;
  tile_program_destroy(program);
  return program != NULL;
}

static bool is_ours(const char *name) {
  return strncmp(name, "tile-", 5) == 0 || strcmp(name, "metadata") == 0 ||
         strncmp(name, "convert-tile-", 13) == 0;
}

static void print_table(Bench *bench) {
  double total_ms = 0, ours_ms = 0;
  for (size_t i = 0; i < bench->num_names; i++) {
    double ms = median(bench->ms[i], bench->num_runs);
    total_ms += ms;
    ours_ms += is_ours(bench->names[i]) ? ms : 0;
    printf("%9.3f ms  %s%.*s\n", ms, is_ours(bench->names[i]) ? "* " : "  ",
           (int)strcspn(bench->names[i], "{"), bench->names[i]);
  }
  printf("%9.3f ms    parse to PTX\n", total_ms);
  printf("%9.3f ms    our passes (*), %.1f %% of parse to PTX\n", ours_ms,
         total_ms > 0 ? 100 * ours_ms / total_ms : 0);
}

//===-- The whole process -------------------------------------------------===//

static double timeval_ms(struct timeval time) {
  return (double)time.tv_sec * 1e3 + (double)time.tv_usec * 1e-3;
}

static double run_tool(const Bench *bench, double *out_cpu_ms) {
  char target[64];
  snprintf(target, sizeof target, "--target=%s", bench->target);
  char *arguments[] = {(char *)(size_t)bench->tool,
                       (char *)(size_t)bench->input,
                       target,
                       (char *)(size_t)"--ptxas=off",
                       (char *)(size_t)"--no-remarks",
                       (char *)(size_t)"-o",
                       (char *)(size_t)"-",
                       NULL};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", 1, 0);
  double start = now_ms();
  pid_t pid;
  int status = -1;
  struct rusage usage = {0};
  if (posix_spawn(&pid, bench->tool, &actions, NULL, arguments, environ) == 0)
    while (wait4(pid, &status, 0, &usage) < 0 && errno == EINTR)
      ;
  *out_cpu_ms = timeval_ms(usage.ru_utime) + timeval_ms(usage.ru_stime);
  posix_spawn_file_actions_destroy(&actions);
  return status == 0 ? now_ms() - start : -1;
}

static bool bench_process(Bench *bench) {
  double *ms = bench->ms[0], *cpu_ms = bench->ms[1];
  for (int i = 0; i < bench->num_runs; i++) {
    ms[i] = run_tool(bench, &cpu_ms[i]);
    if (ms[i] < 0) {
      fprintf(stderr, "compile-bench: %s fails\n", bench->tool);
      return false;
    }
  }
  printf("%9.3f ms    whole process without ptxas\n",
         median(ms, bench->num_runs));
  printf("%9.3f ms    processor time of it\n", median(cpu_ms, bench->num_runs));
  return true;
}

//===-- Entry -------------------------------------------------------------===//

static bool run_bench(Bench *bench) {
  double start = now_ms();
  TileCompiler *compiler = tile_compiler_create(NULL);
  if (!compiler)
    return false;
  tile_compiler_set_diagnostics(compiler, tile_diagnostic_print, NULL);
  tile_compiler_set_remarks(compiler, false);
  tile_compiler_set_line_info(compiler, bench->line_info);
  if (!tile_compiler_set_chip(compiler, bench->target))
    return false;
  double create_ms = now_ms() - start;
  start = now_ms();
  bool is_ok = compile_once(bench, compiler, -1); // dialects, NVPTX, caches
  double first_ms = now_ms() - start;
  clock_t cpu_start = clock();
  for (int i = 0; is_ok && i < bench->num_runs; i++)
    is_ok = compile_once(bench, compiler, i);
  double cpu_ms = (double)(clock() - cpu_start) * 1e3 / CLOCKS_PER_SEC;
  tile_compiler_destroy(compiler);
  if (!is_ok)
    return false;
  printf("%9.3f ms    create the compiler\n", create_ms);
  printf("%9.3f ms    first compilation\n", first_ms);
  printf("median of %d further ones:\n", bench->num_runs);
  print_table(bench);
  printf("%9.3f ms    processor time of one compilation\n",
         cpu_ms / bench->num_runs);
  return !bench->tool || bench_process(bench);
}

int main(int argc, char **argv) {
  static const struct option options[] = {
      {"target", required_argument, NULL, 't'},
      {"runs", required_argument, NULL, 'r'},
      {"tool", required_argument, NULL, 'x'},
      {"no-line-info", no_argument, NULL, 'l'},
      {NULL, 0, NULL, 0}};
  Bench *bench = calloc(1, sizeof *bench);
  if (!bench)
    return 1;
  bench->target = "sm_90a";
  bench->num_runs = 20;
  bench->line_info = true;
  bool is_ok = true;
  for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;)
    switch (option) {
    case 't':
      bench->target = optarg;
      break;
    case 'r':
      bench->num_runs = atoi(optarg);
      break;
    case 'x':
      bench->tool = optarg;
      break;
    case 'l':
      bench->line_info = false;
      break;
    default:
      is_ok = false;
    }
  if (!is_ok || argc - optind != 1 || bench->num_runs < 1 ||
      bench->num_runs > MAX_RUNS) {
    fprintf(stderr,
            "usage: compile-bench [--target=CHIP] [--runs=N, at most "
            "%d] [--no-line-info] [--tool=tile-compile] in.mlir\n",
            MAX_RUNS);
    free(bench);
    return 1;
  }
  bench->input = argv[optind];
  is_ok = run_bench(bench);
  free(bench);
  return is_ok ? 0 : 1;
}
