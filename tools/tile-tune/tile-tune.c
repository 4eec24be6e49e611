//===- tile-tune.c - The best sizes and choices of a kernel ---------------===//
//
// Reads, ranks, compiles, measures, and prints a table; see --help.
//
//===----------------------------------------------------------------------===//

#include "TuneRun.h"

#include "../tile-compile/FindPtxas.h"
#include "Support/OutputFiles.h"
#include "Support/StandardStreams.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

//===-- The table ---------------------------------------------------------===//

static bool is_out(const TuneConfig *config) { return config->verdict[0]; }

static int compare_measured(const void *a, const void *b) {
  const TuneConfig *x = *(const TuneConfig *const *)a;
  const TuneConfig *y = *(const TuneConfig *const *)b;
  if (is_out(x) != is_out(y))
    return is_out(x) ? 1 : -1;
  if (x->us != y->us)
    return x->us < y->us ? -1 : 1;
  return x->rank - y->rank;
}

// By the time that counts. Owner: the caller, free.
static const TuneConfig **sorted(const TuneRun *run) {
  const TuneConfig **list = calloc(run->num_configs + 1, sizeof *list);
  for (size_t i = 0; list && i < run->num_configs; i++)
    list[i] = &run->configs[i];
  if (list)
    qsort(list, run->num_configs, sizeof *list, compare_measured);
  return list;
}

static void print_row(const TuneRun *run, const TuneConfig *config) {
  char values[400];
  tune_print_values(run, config, values, sizeof values);
  printf("%4d %9.1f ", config->rank, config->cost.us);
  if (config->us > 0)
    printf("%9.1f [%.1f, %.1f] ", config->us, config->low_us, config->high_us);
  printf(" %-8s %-11s %6lld", config->cost.bound ? config->cost.bound : "",
         config->cost.form ? config->cost.form : "",
         (long long)config->cost.smem_bytes);
  if (config->num_registers)
    printf(" %3d", config->num_registers);
  printf("  %s%s%s%s\n", values, config->is_given ? " (as given)" : "",
         is_out(config) ? ": " : "", config->verdict);
}

static void print_table(const TuneRun *run, const TuneConfig **list) {
  size_t shown = (size_t)run->options.shown;
  printf("@%s: %zu combinations, %zu cannot be, %zu looked at\n", run->function,
         run->num_tried, run->num_illegal, run->num_configs);
  if (run->measured_on)
    printf("measured on %s%s: microseconds, [quartiles] of %d turns\n",
           run->measured_on, run->is_cached ? ", by an earlier run" : "",
           run->options.turns);
  else
    printf("the ranking is the model's: nothing was measured\n");
  printf("rank  model µs %s bound    form          smem%s  choices\n",
         run->measured_on ? " measured µs" : "", run->ptxas ? " regs" : "");
  for (size_t i = 0; i < run->num_configs && i < shown; i++)
    print_row(run, list[i]);
  for (size_t i = shown; i < run->num_configs; i++)
    if (list[i]->is_given)
      print_row(run, list[i]);
}

//===-- The run -----------------------------------------------------------===//

static void print_tunables(const TuneRun *run) {
  for (size_t i = 0; i < run->num_axes; i++) {
    const TuneAxis *axis = &run->axes[i];
    printf("%s:", axis->name);
    for (size_t k = 0; k < axis->num_values; k++) {
      bool is_given = axis->values[k] == axis->value;
      if (axis->labels[k])
        printf(" %s%s", axis->labels[k], is_given ? "*" : "");
      else
        printf(" %lld%s", (long long)axis->values[k], is_given ? "*" : "");
    }
    printf("\n");
  }
}

static bool write_best(TuneRun *run, const TuneConfig *best) {
  const char *path = run->options.output;
  if (!path || !run->tuning)
    return true;
  const char *text = tile_tuning_apply(run->tuning, best->values);
  TileStatus status = tile_file_write(path, text, strlen(text));
  if (!tile_status_is_ok(&status))
    fprintf(stderr, "tile-tune: error: %s\n", status.message);
  return tile_status_is_ok(&status);
}

// What is printed comes before what is written, and a failed print is a
// failure.
static bool flush(void) {
  TileStatus status = tile_stdout_flush();
  if (!tile_status_is_ok(&status))
    fprintf(stderr, "tile-tune: error: %s\n", status.message);
  return tile_status_is_ok(&status);
}

static bool finish(TuneRun *run) {
  const TuneConfig **list = sorted(run);
  bool is_ok = list != NULL;
  if (is_ok && is_out(list[0])) {
    fprintf(stderr,
            "tile-tune: error: none of %zu configurations is legal; "
            "the first: %s\n",
            run->num_configs, list[0]->verdict);
    is_ok = false;
  }
  if (is_ok) {
    print_table(run, list);
    is_ok = flush() && write_best(run, list[0]);
  }
  free(list);
  return is_ok && tune_save(run);
}

static bool find(TuneRun *run) {
  const TuneOptions *options = &run->options;
  if (options->from)
    return tune_load(run) && tune_measure(run) && finish(run);
  if (!options->has_no_ptxas && !options->has_no_compile)
    run->ptxas = options->ptxas ? strdup(options->ptxas) : ptxas_find();
  if (!tune_open(run))
    return false;
  if (options->lists) {
    print_tunables(run);
    return flush();
  }
  if (tune_load(run))
    return finish(run);
  return tune_search(run) && (options->build || tune_measure(run)) &&
         finish(run);
}

int main(int argc, char **argv) {
  TuneRun run = {.text = NULL};
  tile_streams_open();
  switch (tune_options_parse(argc, argv, &run.options)) {
  case TUNE_PARSED:
    break;
  case TUNE_EXIT_OK:
    return flush() ? 0 : 1;
  case TUNE_EXIT_ERROR:
    return 1;
  }
  bool is_found = find(&run);
  tune_run_deinit(&run);
  return is_found ? 0 : 1;
}
