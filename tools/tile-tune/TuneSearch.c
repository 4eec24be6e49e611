//===- TuneSearch.c - What is tried, in which order -----------------------===//
//
// Enumerates, ranks by the model, and compiles the best side by side, a
// compiler in each thread. What does not compile is out, with the reason of the
// compiler; so is what ptxas spills or serialises.
//
//===----------------------------------------------------------------------===//

#include "TuneRun.h"

#include "Support/StringBuilder.h"
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_COMBINATIONS = 400000, MAX_ALIKE = 2 };

//===-- The program -------------------------------------------------------===//

static void print_diagnostic(const TileDiagnostic *diagnostic,
                             void *user_data) {
  (void)user_data;
  tile_diagnostic_print(diagnostic, stderr);
}

static bool read_text(TuneRun *run) {
  TileString text = {NULL, 0, 0};
  char chunk[16384];
  FILE *file = fopen(run->options.input, "rb");
  while (file && !feof(file) && !ferror(file))
    tile_string_append(&text, chunk, fread(chunk, 1, sizeof chunk, file));
  if (!file || ferror(file)) {
    fprintf(stderr, "tile-tune: error: cannot read %s: %s\n",
            run->options.input, strerror(errno));
    if (file)
      fclose(file);
    tile_string_deinit(&text);
    return false;
  }
  fclose(file);
  run->text_bytes = text.size_bytes;
  run->text = tile_string_take(&text);
  return true;
}

static bool copy_axis(TuneRun *run, const TileTunable *tunable) {
  TuneAxis *axis = &run->axes[run->num_axes++];
  axis->name = strdup(tunable->name);
  axis->value = tunable->value;
  for (size_t i = 0; i < tunable->num_values; i++) {
    axis->values[i] = tunable->values[i];
    if (tunable->labels)
      axis->labels[i] = strdup(tunable->labels[tunable->values[i]]);
  }
  axis->num_values = tunable->num_values;
  return true;
}

static bool value_from_text(const TuneAxis *axis, const char *text,
                            size_t length, int64_t *out) {
  for (size_t i = 0; axis->labels[0] && i < axis->num_values; i++)
    if (strlen(axis->labels[i]) == length &&
        !strncmp(axis->labels[i], text, length)) {
      *out = axis->values[i];
      return true;
    }
  char *end;
  *out = strtoll(text, &end, 10);
  return !axis->labels[0] && end == text + length && length > 0 && *out >= 0;
}

// "m=64,128": the values of one, whatever would be tried otherwise.
static bool apply_try(TuneRun *run, const char *text) {
  size_t length = strcspn(text, "=");
  TuneAxis *axis = NULL;
  for (size_t i = 0; i < run->num_axes; i++)
    if (strlen(run->axes[i].name) == length &&
        !strncmp(run->axes[i].name, text, length))
      axis = &run->axes[i];
  if (!axis) {
    fprintf(stderr,
            "tile-tune: error: nothing is called '%.*s'; --list names what may "
            "be chosen\n",
            (int)length, text);
    return false;
  }
  const TuneAxis before = *axis;
  const char *at = text + length + 1;
  size_t count = 0;
  memset(axis->labels, 0, sizeof axis->labels);
  bool is_ok = true;
  for (bool more = true; is_ok && more; count++) {
    size_t part = strcspn(at, ",");
    is_ok = count < TUNE_MAX_VALUES &&
            value_from_text(&before, at, part, &axis->values[count]);
    if (!is_ok) {
      fprintf(stderr, "tile-tune: error: '%.*s' is no value of %s\n", (int)part,
              at, axis->name);
      break;
    }
    for (size_t i = 0; before.labels[0] && i < before.num_values; i++)
      if (before.values[i] == axis->values[count])
        axis->labels[count] = strdup(before.labels[i]);
    more = at[part] == ',';
    at += part + 1;
  }
  for (size_t i = 0; i < TUNE_MAX_VALUES; i++)
    free(before.labels[i]);
  axis->num_values = count;
  return is_ok;
}

bool tune_read_args(TuneRun *run) {
  for (size_t i = 0; i < run->options.num_args; i++) {
    TileStatus status =
        tile_arg_text_parse(run->options.args[i], &run->args[i]);
    if (!tile_status_is_ok(&status)) {
      fprintf(stderr, "tile-tune: error: argument %zu: %s\n", i,
              status.message);
      return false;
    }
  }
  return true;
}

bool tune_open(TuneRun *run) {
  TileTunable tunable;
  if (!read_text(run) || !tune_read_args(run))
    return false;
  run->compiler = tile_compiler_create(NULL);
  if (!run->compiler) {
    fprintf(stderr, "tile-tune: error: out of memory\n");
    return false;
  }
  tile_compiler_set_diagnostics(run->compiler, print_diagnostic, NULL);
  if (!tile_compiler_set_chip(run->compiler, run->options.target))
    return false;
  run->tuning = tile_tuning_create(run->compiler, run->options.input, run->text,
                                   run->text_bytes);
  if (!run->tuning)
    return false;
  run->function = strdup(tile_tuning_function(run->tuning));
  for (size_t i = 0;
       i < TUNE_MAX_CHOICES && tile_tuning_tunable(run->tuning, i, &tunable);
       i++)
    copy_axis(run, &tunable);
  if (run->num_axes == 0) {
    fprintf(
        stderr,
        "tile-tune: error: @%s has nothing that may be chosen: no size of a "
        "tile of which all uses are understood\n",
        run->function);
    return false;
  }
  for (size_t i = 0; i < run->options.num_tries; i++)
    if (!apply_try(run, run->options.tries[i]))
      return false;
  return true;
}

//===-- Texts -------------------------------------------------------------===//

void tune_print_values(const TuneRun *run, const TuneConfig *config, char *out,
                       size_t capacity) {
  size_t used = 0;
  out[0] = '\0';
  for (size_t i = 0; i < run->num_axes && used + 1 < capacity; i++) {
    const TuneAxis *axis = &run->axes[i];
    const char *label = NULL;
    for (size_t k = 0; k < axis->num_values; k++)
      if (axis->values[k] == config->values[i])
        label = axis->labels[k];
    int length =
        label ? snprintf(out + used, capacity - used, "%s%s=%s", i ? " " : "",
                         axis->name, label)
              : snprintf(out + used, capacity - used, "%s%s=%lld", i ? " " : "",
                         axis->name, (long long)config->values[i]);
    used += (size_t)length;
  }
}

//===-- Enumeration -------------------------------------------------------===//

static void tensors_of(const TuneRun *run, TileTuningArg *out) {
  for (size_t i = 0; i < run->options.num_args; i++) {
    const TileArgText *arg = &run->args[i];
    if (arg->kind == TILE_ARG_TEXT_SAME)
      arg = &run->args[arg->arg];
    out[i] = (TileTuningArg){.rank = arg->kind == TILE_ARG_TEXT_FILL ? arg->rank
                                                                     : 0};
    for (int d = 0; d < out[i].rank && d < 8; d++)
      out[i].shape[d] = arg->shape[d];
  }
}

static int compare(const void *a, const void *b) {
  const TuneConfig *x = a, *y = b;
  if (x->cost.us != y->cost.us)
    return x->cost.us < y->cost.us ? -1 : 1;
  for (int i = 0; i < TUNE_MAX_CHOICES; i++)
    if (x->values[i] != y->values[i])
      return x->values[i] < y->values[i] ? -1 : 1;
  return 0;
}

// Warpgroups that take turns have 128 threads each, whatever the launch has.
static bool is_turn_of_many(const TuneRun *run, const TuneConfig *config) {
  enum { GROUP_THREADS = 128 };
  bool takes_turns = config->cost.form && !strcmp(config->cost.form, "turns");
  for (size_t i = 0; takes_turns && i < run->num_axes; i++)
    if (!strcmp(run->axes[i].name, "threads") &&
        config->values[i] > GROUP_THREADS &&
        run->axes[i].values[0] == GROUP_THREADS)
      return true;
  return false;
}

// Whether a form that is chosen anyhow is named.
static bool is_said_twice(const TuneRun *run, const TuneConfig *config,
                          const TileTuningArg *args) {
  if (is_turn_of_many(run, config))
    return true;
  for (size_t i = 0; i < run->num_axes; i++) {
    if (strcmp(run->axes[i].name, "form") || config->values[i] == 0 ||
        run->axes[i].values[0] != 0)
      continue;
    TuneConfig chosen = *config;
    chosen.values[i] = 0;
    return tile_tuning_estimate(run->tuning, chosen.values, args,
                                run->options.num_args, &chosen.cost) &&
           chosen.cost.form && config->cost.form &&
           !strcmp(chosen.cost.form, config->cost.form);
  }
  return false;
}

static bool add_config(TuneRun *run, const TuneConfig *config,
                       size_t *capacity) {
  if (run->num_configs == *capacity) {
    *capacity = *capacity ? 2 * *capacity : 256;
    TuneConfig *grown = realloc(run->configs, *capacity * sizeof *run->configs);
    if (!grown) {
      fprintf(stderr, "tile-tune: error: out of memory\n");
      return false;
    }
    run->configs = grown;
  }
  run->configs[run->num_configs++] = *config;
  return true;
}

// Counts through all combinations.
static bool step(const TuneRun *run, size_t *at) {
  for (size_t i = run->num_axes; i-- > 0;) {
    if (++at[i] < run->axes[i].num_values)
      return true;
    at[i] = 0;
  }
  return false;
}

static bool is_given(const TuneRun *run, const TuneConfig *config) {
  for (size_t i = 0; i < run->num_axes; i++)
    if (config->values[i] != run->axes[i].value)
      return false;
  return true;
}

static void tell_illegal(const TuneRun *run, const TuneConfig *config) {
  char text[400];
  tune_print_values(run, config, text, sizeof text);
  if (run->options.is_verbose)
    fprintf(stderr, "tile-tune: %s: %s\n", text, config->cost.reason);
}

static bool enumerate(TuneRun *run) {
  size_t at[TUNE_MAX_CHOICES] = {0}, capacity = 0;
  TileTuningArg args[TUNE_MAX_ARGS];
  tensors_of(run, args);
  do {
    TuneConfig config = {.rank = 0};
    for (size_t i = 0; i < run->num_axes; i++)
      config.values[i] = run->axes[i].values[at[i]];
    if (run->num_tried++ == MAX_COMBINATIONS) {
      fprintf(stderr,
              "tile-tune: note: only the first %d combinations were looked at; "
              "--try bounds what is tried\n",
              MAX_COMBINATIONS);
      break;
    }
    if (!tile_tuning_estimate(run->tuning, config.values, args,
                              run->options.num_args, &config.cost))
      return false;
    config.is_given = is_given(run, &config);
    if (config.cost.reason && !config.is_given) {
      run->num_illegal++;
      tell_illegal(run, &config);
    } else if (config.is_given || !is_said_twice(run, &config, args)) {
      if (!add_config(run, &config, &capacity))
        return false;
    }
  } while (step(run, at));
  return true;
}

//===-- The shortlist -----------------------------------------------------===//

// Whether two differ in slots alone, of which the model knows least.
static bool are_alike(const TuneRun *run, const TuneConfig *a,
                      const TuneConfig *b) {
  for (size_t i = 0; i < run->num_axes; i++)
    if (a->values[i] != b->values[i] && strcmp(run->axes[i].name, "stages") &&
        strcmp(run->axes[i].name, "min_blocks"))
      return false;
  return true;
}

// What is compiled next: the best that are not yet, so that `run->options.top`
// are not out in the end.
static size_t choose(TuneRun *run) {
  size_t good = 0, chosen = 0, top = (size_t)run->options.top;
  for (size_t i = 0; i < run->num_configs; i++)
    good += run->configs[i].is_chosen && !run->configs[i].verdict[0];
  for (size_t i = 0; i < run->num_configs; i++) {
    TuneConfig *config = &run->configs[i];
    int alike = 0;
    for (size_t k = 0; top && k < i; k++)
      alike += run->configs[k].is_chosen && !run->configs[k].verdict[0] &&
               are_alike(run, &run->configs[k], config);
    bool is_wanted =
        !top || config->is_given || (good < top && alike < MAX_ALIKE);
    if (config->is_chosen || !is_wanted)
      continue;
    config->is_chosen = true;
    good++;
    chosen++;
  }
  return chosen;
}

static void drop_rest(TuneRun *run) {
  size_t kept = 0;
  for (size_t i = 0; i < run->num_configs; i++)
    if (run->configs[i].is_chosen)
      run->configs[kept++] = run->configs[i];
  run->num_configs = kept;
}

static bool rank(TuneRun *run) {
  if (!enumerate(run))
    return false;
  if (run->num_configs == 0) {
    fprintf(stderr,
            "tile-tune: error: none of %zu combinations is legal; --verbose "
            "says why\n",
            run->num_tried);
    return false;
  }
  qsort(run->configs, run->num_configs, sizeof *run->configs, compare);
  for (size_t i = 0; i < run->num_configs; i++)
    run->configs[i].rank = (int)i + 1;
  return true;
}

//===-- Compiling ---------------------------------------------------------===//

typedef struct {
  TuneRun *run;
  char **texts; // of the configurations
  atomic_size_t next;
} Shop;

static void keep_first(const TileDiagnostic *diagnostic, void *user_data) {
  TuneConfig *config = user_data;
  bool is_serial = diagnostic->severity == TILE_SEVERITY_WARNING &&
                   diagnostic->code && !strcmp(diagnostic->code, "ptxas");
  if (config->verdict[0] ||
      (diagnostic->severity != TILE_SEVERITY_ERROR && !is_serial))
    return;
  snprintf(config->verdict, sizeof config->verdict, "%s", diagnostic->text);
  config->verdict[strcspn(config->verdict, "\n")] = '\0';
}

static char *copy_bytes(TileBytes bytes, size_t *out_bytes) {
  char *copy = bytes.data ? malloc(bytes.size_bytes + 1) : NULL;
  if (copy)
    memcpy(copy, bytes.data, bytes.size_bytes + 1);
  *out_bytes = copy ? bytes.size_bytes : 0;
  return copy;
}

static void take_program(TuneRun *run, TuneConfig *config,
                         const TileProgram *program) {
  size_t function = 0;
  const char *name;
  while ((name = tile_program_name(program, function)) &&
         strcmp(name, run->function))
    function++;
  const TileKernelResources *kernel;
  uint64_t spills = 0;
  for (size_t k = 0; (kernel = tile_program_resources(program, function, k));
       k++) {
    spills += kernel->spill_store_bytes + kernel->spill_load_bytes;
    if (kernel->num_registers > config->num_registers)
      config->num_registers = kernel->num_registers;
  }
  if (spills > 0 && !config->verdict[0])
    snprintf(config->verdict, sizeof config->verdict, "ptxas spills %llu bytes",
             (unsigned long long)spills);
  unsigned image = run->ptxas ? TILE_PRODUCT_CUBIN : TILE_PRODUCT_PTX;
  config->json =
      copy_bytes(tile_program_product(program, function, TILE_PRODUCT_METADATA),
                 &config->json_bytes);
  config->image = copy_bytes(tile_program_product(program, function, image),
                             &config->image_bytes);
  config->is_compiled = config->json && config->image;
}

// Arguments of whole rows need the first variant alone.
static void set_options(const TuneRun *run, TileCompiler *compiler) {
  static const unsigned first = 1;
  bool is_plain = run->options.num_args > 0;
  for (size_t i = 0; i < run->options.num_args; i++) {
    const TileArgText *arg = &run->args[i];
    enum { LINE = 16 };
    int64_t row = arg->rank > 0 ? arg->shape[arg->rank - 1] : LINE;
    is_plain &= arg->num_strides == 0 && arg->offset == 0 && row % LINE == 0;
  }
  tile_compiler_set_chip(compiler, run->options.target);
  tile_compiler_set_remarks(compiler, false);
  tile_compiler_set_line_info(compiler, false);
  if (is_plain)
    tile_compiler_set_variants(compiler, &first, 1);
  tile_compiler_set_products(
      compiler, TILE_PRODUCT_METADATA |
                    (run->ptxas ? TILE_PRODUCT_CUBIN : TILE_PRODUCT_PTX));
  tile_compiler_set_ptxas(compiler, run->ptxas, 0);
}

static void *compile_some(void *user_data) {
  Shop *shop = user_data;
  TuneRun *run = shop->run;
  TileCompiler *compiler = tile_compiler_create(NULL);
  size_t i;
  if (!compiler)
    return NULL;
  set_options(run, compiler);
  while ((i = atomic_fetch_add(&shop->next, 1)) < run->num_configs) {
    TuneConfig *config = &run->configs[i];
    if (!shop->texts[i])
      continue;
    config->is_tried = true;
    tile_compiler_set_diagnostics(compiler, keep_first, config);
    TileProgram *program = tile_compile(compiler, run->options.input,
                                        shop->texts[i], strlen(shop->texts[i]));
    if (program)
      take_program(run, config, program);
    else if (!config->verdict[0])
      snprintf(config->verdict, sizeof config->verdict, "does not compile");
    tile_program_destroy(program);
  }
  tile_compiler_destroy(compiler);
  return NULL;
}

static void compile_chosen(TuneRun *run) {
  enum { MAX_THREADS = 256 };
  pthread_t threads[MAX_THREADS];
  Shop shop = {.run = run};
  shop.texts = calloc(run->num_configs + 1, sizeof *shop.texts);
  for (size_t i = 0; shop.texts && i < run->num_configs; i++)
    if (run->configs[i].is_chosen && !run->configs[i].is_tried)
      shop.texts[i] =
          strdup(tile_tuning_apply(run->tuning, run->configs[i].values));
  int count = 0, most = run->options.threads;
  while (shop.texts && count + 1 < most && (size_t)count < run->num_configs &&
         !pthread_create(&threads[count], NULL, compile_some, &shop))
    count++;
  if (shop.texts)
    compile_some(&shop);
  for (int i = 0; i < count; i++)
    pthread_join(threads[i], NULL);
  for (size_t i = 0; shop.texts && i < run->num_configs; i++)
    free(shop.texts[i]);
  free(shop.texts);
}

bool tune_search(TuneRun *run) {
  enum { MAX_ROUNDS = 8 };
  if (!rank(run))
    return false;
  for (int i = 0; i < MAX_ROUNDS && choose(run) > 0; i++)
    if (!run->options.has_no_compile)
      compile_chosen(run);
  drop_rest(run);
  return true;
}
