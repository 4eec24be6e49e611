//===- TuneOptions.c - The command line of tile-tune ----------------------===//

#include "TuneOptions.h"

#include "Tile/Compiler.h"
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
    "usage: tile-tune [options] <in.mlir> [argument ...]\n"
    "\n"
    "Looks for the best sizes of tiles and choices of a kernel. It finds what\n"
    "may be chosen by itself, ranks all that is legal by the compiler's model "
    "of\n"
    "cost, compiles the best, and measures them where there is a GPU.\n"
    "\n"
    "The arguments are those of tile-run, one for each of the host function:\n"
    "normal:4096x4096:bf16, zeros:4096x4096:f32, 0.5.\n"
    "\n"
    "  --list             print what may be chosen, and stop\n"
    "  --try=NAME=LIST    values to be tried of one, such as m=64,128\n"
    "  --top=N|all        how many of the ranking are compiled (default 16)\n"
    "  --show=N           rows of the table (default 12)\n"
    "  -o FILE            write the program with the best values\n"
    "  --json=FILE        write all that was seen\n"
    "  --target=CHIP      chip to compile for, if the program does not say\n"
    "  --no-gpu           measure nothing, even where there is a GPU\n"
    "  --no-compile       rank by the model alone\n"
    "  --turns=N          times that each is measured, in turns (default 9)\n"
    "  --threads=N        compilations at a time (default: processors)\n"
    "  --ptxas=PATH|off   assembler; it tells registers and spills\n"
    "  --cache=DIR|off    results of earlier runs (default:\n"
    "                     $XDG_CACHE_HOME/tile-tune or ~/.cache/tile-tune)\n"
    "  --build=DIR        write what is compiled, to be measured elsewhere\n"
    "  --from=DIR         measure what --build wrote; needs no program\n"
    "  -v, --verbose      say why each one is left out\n"
    "  --version, --help\n"
    "\n"
    "Exit status: 0 found, 1 not: wrong input, nothing to choose, nothing "
    "legal.\n";

enum {
  OPT_LIST = 256,
  OPT_TRY,
  OPT_TOP,
  OPT_SHOW,
  OPT_JSON,
  OPT_TARGET,
  OPT_NO_GPU,
  OPT_NO_COMPILE,
  OPT_TURNS,
  OPT_THREADS,
  OPT_PTXAS,
  OPT_CACHE,
  OPT_BUILD,
  OPT_FROM,
  OPT_VERSION,
  OPT_HELP
};

static const struct option long_options[] = {
    {"list", no_argument, NULL, OPT_LIST},
    {"try", required_argument, NULL, OPT_TRY},
    {"top", required_argument, NULL, OPT_TOP},
    {"show", required_argument, NULL, OPT_SHOW},
    {"json", required_argument, NULL, OPT_JSON},
    {"target", required_argument, NULL, OPT_TARGET},
    {"no-gpu", no_argument, NULL, OPT_NO_GPU},
    {"no-compile", no_argument, NULL, OPT_NO_COMPILE},
    {"turns", required_argument, NULL, OPT_TURNS},
    {"threads", required_argument, NULL, OPT_THREADS},
    {"ptxas", required_argument, NULL, OPT_PTXAS},
    {"cache", required_argument, NULL, OPT_CACHE},
    {"build", required_argument, NULL, OPT_BUILD},
    {"from", required_argument, NULL, OPT_FROM},
    {"verbose", no_argument, NULL, 'v'},
    {"version", no_argument, NULL, OPT_VERSION},
    {"help", no_argument, NULL, OPT_HELP},
    {NULL, 0, NULL, 0}};

static bool take_number(const char *name, int least, int most, int *out) {
  char *end;
  long number = strtol(optarg, &end, 10);
  if (end == optarg || *end || number < least || number > most) {
    fprintf(stderr,
            "tile-tune: --%s expects a number from %d to %d, got '%s'\n", name,
            least, most, optarg);
    return false;
  }
  *out = (int)number;
  return true;
}

static bool take_try(TuneOptions *options) {
  const char *equals = strchr(optarg, '=');
  if (!equals || equals == optarg || !equals[1] ||
      options->num_tries == TUNE_MAX_TRIES) {
    fprintf(stderr, "tile-tune: --try expects NAME=VALUE,VALUE, got '%s'\n",
            optarg);
    return false;
  }
  options->tries[options->num_tries++] = optarg;
  return true;
}

// Options that take a text.
static bool take_text(int option, TuneOptions *options) {
  const struct {
    int option;
    const char **target;
  } texts[] = {{'o', &options->output},        {OPT_JSON, &options->json},
               {OPT_TARGET, &options->target}, {OPT_PTXAS, &options->ptxas},
               {OPT_CACHE, &options->cache},   {OPT_BUILD, &options->build},
               {OPT_FROM, &options->from}};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    if (texts[i].option == option) {
      *texts[i].target = optarg;
      return true;
    }
  return false;
}

static bool take_option(int option, TuneOptions *options) {
  enum { MANY = 100000, MOST_THREADS = 256, MOST_TURNS = 1000 };
  switch (option) {
  case 'v':
    return options->is_verbose = true;
  case OPT_LIST:
    return options->lists = true;
  case OPT_NO_GPU:
    return options->has_no_gpu = true;
  case OPT_NO_COMPILE:
    return options->has_no_compile = true;
  case OPT_TRY:
    return take_try(options);
  case OPT_TOP:
    if (!strcmp(optarg, "all"))
      return options->top = 0, true;
    return take_number("top", 1, MANY, &options->top);
  case OPT_SHOW:
    return take_number("show", 1, MANY, &options->shown);
  case OPT_TURNS:
    return take_number("turns", 3, MOST_TURNS, &options->turns);
  case OPT_THREADS:
    return take_number("threads", 1, MOST_THREADS, &options->threads);
  default:
    if (take_text(option, options))
      return true;
    fprintf(stderr, "tile-tune: see --help\n"); // getopt has said why
    return false;
  }
}

static bool check(TuneOptions *options) {
  options->has_no_ptxas = options->ptxas && !strcmp(options->ptxas, "off");
  options->has_no_cache = options->cache && !strcmp(options->cache, "off");
  if (!options->input && !options->from) {
    fprintf(stderr, "tile-tune: expects a program; see --help\n");
    return false;
  }
  if (options->build && options->from) {
    fprintf(stderr, "tile-tune: --build and --from exclude each other\n");
    return false;
  }
  return true;
}

TuneParse tune_options_parse(int argc, char **argv, TuneOptions *out_options) {
  int option;
  long processors = sysconf(_SC_NPROCESSORS_ONLN);
  *out_options = (TuneOptions){.top = 16,
                               .shown = 12,
                               .turns = 9,
                               .threads = processors > 1 ? (int)processors : 1};
  while ((option = getopt_long(argc, argv, "o:v", long_options, NULL)) != -1) {
    if (option == OPT_HELP) {
      fputs(help, stdout);
      return TUNE_EXIT_OK;
    }
    if (option == OPT_VERSION) {
      printf("tile-tune %s\n", tile_version());
      return TUNE_EXIT_OK;
    }
    if (!take_option(option, out_options))
      return TUNE_EXIT_ERROR;
  }
  if (optind < argc && !out_options->from)
    out_options->input = argv[optind++];
  for (; optind < argc; optind++) {
    if (out_options->num_args == TUNE_MAX_ARGS) {
      fprintf(stderr, "tile-tune: expects at most %d arguments\n",
              TUNE_MAX_ARGS);
      return TUNE_EXIT_ERROR;
    }
    out_options->args[out_options->num_args++] = argv[optind];
  }
  return check(out_options) ? TUNE_PARSED : TUNE_EXIT_ERROR;
}
