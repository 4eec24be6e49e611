//===- CompileOptions.h - The command line of tile-compile ----------------===//
#ifndef TILE_COMPILE_COMPILE_OPTIONS_H
#define TILE_COMPILE_COMPILE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

typedef enum { PTXAS_FIND, PTXAS_GIVEN, PTXAS_OFF } PtxasChoice;

/// Texts are borrowed from the command line.
typedef struct {
  const char *input;      // "-": standard input
  const char *output;     // folder; "-": standard output
  const char *target;     // NULL: the module says
  const char *save_temps; // folder, or NULL
  const char *ptxas;      // PTXAS_GIVEN
  PtxasChoice ptxas_choice;
  int ptxas_max_seconds; // 0: not said
  int num_threads;       // 0: not said
  unsigned emit;         // TILE_PRODUCT_*
  unsigned variants[32]; // of each launch, from 1
  size_t num_variants;   // 0: all
  bool has_emit;         // said by the user
  bool is_verbose;
  bool warnings_are_errors;
  bool line_info;
  bool verify_each;
  const char *schedule; // file of scripts; NULL: none
  bool hide_remarks;
  bool print_pipeline;
} CompileOptions;

typedef enum { PARSED, PARSED_EXIT_OK, PARSED_EXIT_ERROR } ParseResult;

/// Parses the command line; `--help` and `--version` print and exit, a wrong
/// option prints one line.
ParseResult compile_options_parse(int argc, char **argv,
                                  CompileOptions *out_options);

#endif // TILE_COMPILE_COMPILE_OPTIONS_H
