//===- TuneRun.h - Configurations and what became of them -----------------===//
#ifndef TILE_TUNE_RUN_H
#define TILE_TUNE_RUN_H

#include "TuneOptions.h"

#include "Launcher/Launcher.h"
#include "Tile/Tune.h"

enum { TUNE_MAX_CHOICES = 24, TUNE_MAX_VALUES = 16 };

/// A configuration: one value of each tunable.
typedef struct {
  int64_t values[TUNE_MAX_CHOICES];
  TileTuningCost cost; // of the model; its texts are static
  int rank;            // by the model, from 1
  bool is_given;       // the program as it is
  bool is_chosen;      // to be compiled, or compiled
  bool is_tried;       // compiled, or found not to compile
  char verdict[200];   // why it is out; "": it is not
  bool is_compiled;
  char *json, *image; // owned: what runs
  size_t json_bytes, image_bytes;
  int num_registers;          // of ptxas; 0: unknown
  double us, low_us, high_us; // median and quartiles; 0: not measured
} TuneConfig;

/// What may be chosen. Owned texts.
typedef struct {
  char *name;
  int64_t value;
  int64_t values[TUNE_MAX_VALUES];
  char *labels[TUNE_MAX_VALUES]; // owned; NULL: numbers
  size_t num_values;
} TuneAxis;

typedef struct {
  TuneOptions options;
  TileCompiler *compiler;
  TileTuning *tuning;
  char *text; // owned: the program
  size_t text_bytes;
  char *function; // owned
  char *ptxas;    // owned; NULL: none
  TuneAxis axes[TUNE_MAX_CHOICES];
  size_t num_axes;
  TileArgText args[TUNE_MAX_ARGS];
  TuneConfig *configs; // by rank
  size_t num_configs;
  size_t num_tried, num_illegal; // of all combinations
  char *measured_on; // owned: name of the GPU; NULL: nothing measured
  bool is_cached;
} TuneRun;

//===-- TuneSearch.c ------------------------------------------------------===//

/// Reads the program and the arguments, and what may be chosen.
/// Errors: false after a message.
bool tune_open(TuneRun *run);
/// Reads the texts of the arguments of the command line. Errors: false after a
/// message.
bool tune_read_args(TuneRun *run);
/// Leaves the configurations that were looked at: enumerates, leaves out what
/// cannot be, ranks by the model, compiles the best and the program as it is,
/// several at a time, and others in place of those that the compiler refuses.
/// Errors: false after a message; nothing is legal.
bool tune_search(TuneRun *run);
/// "m=128 n=256 …", cut at `capacity`.
void tune_print_values(const TuneRun *run, const TuneConfig *config, char *out,
                       size_t capacity);

//===-- TuneMeasure.c -----------------------------------------------------===//

/// Measures what is compiled, if there is a GPU. False after a message when the
/// arguments cannot be made.
bool tune_measure(TuneRun *run);

//===-- TuneStore.c -------------------------------------------------------===//

/// Reads the results of an earlier run of the same; false: there are none. With
/// `from`, what --build wrote; false after a message.
bool tune_load(TuneRun *run);
/// Keeps the results in the cache, where that can be written; writes those and
/// the compiled configurations where the options want them.
/// Errors: false after a message.
bool tune_save(const TuneRun *run);
void tune_run_deinit(TuneRun *run);

#endif // TILE_TUNE_RUN_H
