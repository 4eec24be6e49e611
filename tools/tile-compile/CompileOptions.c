//===- CompileOptions.c - The command line of tile-compile ----------------===//

#include "CompileOptions.h"

#include "Tile/Compiler.h"
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SECONDS = 1000000, MAX_THREADS = 1000 };

static const char help[] =
    "usage: tile-compile [options] <in.mlir | ->\n"
    "\n"
    "Compiles every host function of an MLIR file to <function>.ptx and\n"
    "<function>.json (docs/Metadata.md), and to <function>.cubin when ptxas "
    "is\n"
    "found.\n"
    "\n"
    "  --target=CHIP      chip to compile for, if the module does not say\n"
    "                     (default %s); one of\n"
    "                     %s\n"
    "  -o DIR             folder of the outputs, made when needed (default "
    ".);\n"
    "                     '-' prints text to standard output\n"
    "  --emit=LIST        comma list of mlir, llvm, ptx, json, cubin\n"
    "                     (default ptx,json and, with ptxas, cubin)\n"
    "  --variants=LIST    compile only these variants of each launch, from 1\n"
    "  --schedule=FILE    scripts of the transform dialect that tile graphs\n"
    "                     of linalg ops, before those of the library\n"
    "  --ptxas=PATH|off   assembler to use (default: PATH, $CUDA_HOME/bin,\n"
    "                     /usr/local/cuda/bin)\n"
    "  --ptxas-timeout=SECONDS   after which it is killed (default 600)\n"
    "  --threads=N        that translate and assemble at the same time "
    "(default "
    "1)\n"
    "  --werror           treat warnings, those of ptxas too, as errors\n"
    "  --no-line-info     leave source lines out of the PTX\n"
    "  --no-remarks       do not print remarks\n"
    "  --verify-each      verify the program after each pass; the same with\n"
    "                     TILE_VERIFY_EACH in the environment\n"
    "  --save-temps=DIR   write the program after each stage to DIR\n"
    "  --print-pipeline   print the passes and stop\n"
    "  -v, --verbose      print instructions, shared memory, registers, times\n"
    "  --version, --help\n"
    "\n"
    "Exit status: 0 compiled, 1 not; then no output file has been touched.\n";

enum {
  OPT_TARGET = 256,
  OPT_EMIT,
  OPT_VARIANTS,
  OPT_SCHEDULE,
  OPT_PTXAS,
  OPT_PTXAS_TIMEOUT,
  OPT_THREADS,
  OPT_WERROR,
  OPT_NO_LINE_INFO,
  OPT_NO_REMARKS,
  OPT_VERIFY_EACH,
  OPT_SAVE_TEMPS,
  OPT_PRINT_PIPELINE,
  OPT_VERSION,
  OPT_HELP
};

static const struct option long_options[] = {
    {"target", required_argument, NULL, OPT_TARGET},
    {"emit", required_argument, NULL, OPT_EMIT},
    {"variants", required_argument, NULL, OPT_VARIANTS},
    {"schedule", required_argument, NULL, OPT_SCHEDULE},
    {"ptxas", required_argument, NULL, OPT_PTXAS},
    {"ptxas-timeout", required_argument, NULL, OPT_PTXAS_TIMEOUT},
    {"threads", required_argument, NULL, OPT_THREADS},
    {"werror", no_argument, NULL, OPT_WERROR},
    {"no-line-info", no_argument, NULL, OPT_NO_LINE_INFO},
    {"no-remarks", no_argument, NULL, OPT_NO_REMARKS},
    {"verify-each", no_argument, NULL, OPT_VERIFY_EACH},
    {"save-temps", required_argument, NULL, OPT_SAVE_TEMPS},
    {"print-pipeline", no_argument, NULL, OPT_PRINT_PIPELINE},
    {"verbose", no_argument, NULL, 'v'},
    {"version", no_argument, NULL, OPT_VERSION},
    {"help", no_argument, NULL, OPT_HELP},
    {NULL, 0, NULL, 0}};

static const struct {
  const char *name;
  unsigned flag;
} products[] = {{"mlir", TILE_PRODUCT_MLIR},
                {"llvm", TILE_PRODUCT_LLVM},
                {"ptx", TILE_PRODUCT_PTX},
                {"json", TILE_PRODUCT_METADATA},
                {"cubin", TILE_PRODUCT_CUBIN}};

static bool parse_emit(const char *list, unsigned *out_emit) {
  *out_emit = 0;
  while (true) {
    size_t length = strcspn(list, ",");
    unsigned flag = 0;
    for (size_t i = 0; i < sizeof products / sizeof *products; i++)
      if (strlen(products[i].name) == length &&
          strncmp(products[i].name, list, length) == 0)
        flag = products[i].flag;
    if (!flag) {
      fprintf(stderr,
              "tile-compile: --emit expects mlir, llvm, ptx, json or cubin, "
              "got '%.*s'\n",
              (int)length, list);
      return false;
    }
    *out_emit |= flag;
    if (!list[length])
      return true;
    list += length + 1;
  }
}

static bool parse_variants(const char *text, CompileOptions *options) {
  enum { MAX_VARIANTS = sizeof options->variants / sizeof *options->variants };
  const char *at = text;
  options->num_variants = 0;
  do {
    char *end;
    unsigned long number = strtoul(at, &end, 10);
    if (end == at || (*end && *end != ',') || number < 1 || number > 1000 ||
        options->num_variants == MAX_VARIANTS) {
      fprintf(stderr,
              "tile-compile: --variants expects numbers from 1, at most %d of "
              "them, got '%s'\n",
              MAX_VARIANTS, text);
      return false;
    }
    options->variants[options->num_variants++] = (unsigned)number;
    at = *end ? end + 1 : NULL;
  } while (at);
  return true;
}

// `what`: the option and what it counts.
static bool parse_count(const char *what, const char *text, int max, int *out) {
  char *end;
  long count = strtol(text, &end, 10);
  if (end == text || *end || count < 1 || count > max) {
    fprintf(stderr, "tile-compile: %s, from 1 to %d, got '%s'\n", what, max,
            text);
    return false;
  }
  *out = (int)count;
  return true;
}

static void list_chips(char *out, size_t capacity) {
  const char *chip;
  size_t used = 0;
  for (size_t i = 0; (chip = tile_chip_at(i)) && used < capacity; i++)
    used += (size_t)snprintf(out + used, capacity - used, "%s%s", i ? ", " : "",
                             chip);
}

static void print_help(void) {
  char chips[128] = "";
  list_chips(chips, sizeof chips);
  printf(help, tile_chip_default(), chips);
}

static bool is_chip(const char *name) {
  const char *chip;
  for (size_t i = 0; (chip = tile_chip_at(i)); i++)
    if (!strcmp(chip, name))
      return true;
  return false;
}

// Returns false after a message; `*out_exit` when the program is done.
static bool take_option(int option, CompileOptions *options, bool *out_exit) {
  switch (option) {
  case 'o':
    options->output = optarg;
    return true;
  case 'v':
    options->is_verbose = true;
    return true;
  case OPT_TARGET:
    options->target = optarg;
    return true;
  case OPT_EMIT:
    options->has_emit = true;
    return parse_emit(optarg, &options->emit);
  case OPT_VARIANTS:
    return parse_variants(optarg, options);
  case OPT_PTXAS:
    options->ptxas_choice =
        strcmp(optarg, "off") == 0 ? PTXAS_OFF : PTXAS_GIVEN;
    options->ptxas = optarg;
    return true;
  case OPT_PTXAS_TIMEOUT:
    return parse_count("--ptxas-timeout expects seconds", optarg, MAX_SECONDS,
                       &options->ptxas_max_seconds);
  case OPT_THREADS:
    return parse_count("--threads expects a number", optarg, MAX_THREADS,
                       &options->num_threads);
  case OPT_WERROR:
    options->warnings_are_errors = true;
    return true;
  case OPT_SCHEDULE:
    options->schedule = optarg;
    return true;
  case OPT_NO_LINE_INFO:
    options->line_info = false;
    return true;
  case OPT_NO_REMARKS:
    options->hide_remarks = true;
    return true;
  case OPT_VERIFY_EACH:
    return options->verify_each = true;
  case OPT_SAVE_TEMPS:
    options->save_temps = optarg;
    return true;
  case OPT_PRINT_PIPELINE:
    options->print_pipeline = true;
    return true;
  case OPT_VERSION:
    printf("tile-compile %s\n", tile_version());
    *out_exit = true;
    return true;
  case OPT_HELP:
    print_help();
    *out_exit = true;
    return true;
  default: // getopt has printed a message
    fprintf(stderr, "tile-compile: see --help\n");
    return false;
  }
}

static bool check(const CompileOptions *options) {
  if (options->target && !is_chip(options->target)) {
    char chips[128] = "";
    list_chips(chips, sizeof chips);
    fprintf(stderr, "tile-compile: unknown target '%s'; known chips are %s\n",
            options->target, chips);
    return false;
  }
  bool wants_cubin = options->has_emit && (options->emit & TILE_PRODUCT_CUBIN);
  if (wants_cubin && options->ptxas_choice == PTXAS_OFF) {
    fprintf(stderr, "tile-compile: --emit=cubin needs ptxas\n");
    return false;
  }
  if (wants_cubin && strcmp(options->output, "-") == 0) {
    fprintf(stderr,
            "tile-compile: a cubin cannot be printed to standard output\n");
    return false;
  }
  return true;
}

static bool take_input(int argc, char **argv, CompileOptions *options) {
  if (argc - optind == 1) {
    options->input = argv[optind];
    return true;
  }
  if (options->print_pipeline && argc == optind)
    return true;
  fprintf(stderr, "tile-compile: expects one input file, got %d; see --help\n",
          argc - optind);
  return false;
}

ParseResult compile_options_parse(int argc, char **argv,
                                  CompileOptions *out_options) {
  *out_options = (CompileOptions){
      .output = ".",
      .emit = TILE_PRODUCT_PTX | TILE_PRODUCT_METADATA | TILE_PRODUCT_CUBIN,
      .line_info = true,
      .verify_each = getenv("TILE_VERIFY_EACH") != NULL};
  int option;
  while ((option = getopt_long(argc, argv, "o:v", long_options, NULL)) != -1) {
    bool is_done = false;
    if (!take_option(option, out_options, &is_done))
      return PARSED_EXIT_ERROR;
    if (is_done)
      return PARSED_EXIT_OK;
  }
  if (!take_input(argc, argv, out_options) || !check(out_options))
    return PARSED_EXIT_ERROR;
  return PARSED;
}
