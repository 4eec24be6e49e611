//===- TuneOptions.h - The command line of tile-tune ----------------------===//
#ifndef TILE_TUNE_OPTIONS_H
#define TILE_TUNE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

enum { TUNE_MAX_ARGS = 64, TUNE_MAX_TRIES = 24 };

/// Texts are borrowed from the command line.
typedef struct {
  const char *input;  // the program; with `from` none
  const char *output; // where the best program goes; NULL: nowhere
  const char *target; // NULL: the program says
  const char *cache;  // folder; NULL: the usual one
  const char *ptxas;  // path; NULL: to be found
  const char *build;  // folder that compiled configurations go to; NULL
  const char *from;   // folder that they are read from; NULL
  const char *json;   // file for the results; NULL: none
  const char *args[TUNE_MAX_ARGS];
  size_t num_args;
  const char *tries[TUNE_MAX_TRIES]; // "m=64,128"
  size_t num_tries;
  int top;     // of the ranking are compiled; 0: all
  int shown;   // rows of the table
  int threads; // that compile
  int turns;   // of the measurement
  bool has_no_cache, has_no_ptxas, has_no_gpu, has_no_compile;
  bool lists; // what may be chosen, and stops
  bool is_verbose;
} TuneOptions;

typedef enum { TUNE_PARSED, TUNE_EXIT_OK, TUNE_EXIT_ERROR } TuneParse;

TuneParse tune_options_parse(int argc, char **argv, TuneOptions *out_options);

#endif // TILE_TUNE_OPTIONS_H
