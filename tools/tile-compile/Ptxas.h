//===- Ptxas.h - Runs NVIDIA's assembler ----------------------------------===//
#ifndef TILE_TOOLS_PTXAS_H
#define TILE_TOOLS_PTXAS_H

#include "Tile/Support/Status.h"
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/// Path of ptxas: on PATH, in $CUDA_HOME/bin or in /usr/local/cuda/bin. NULL
/// when there is none. Owner: the caller, free.
char *tile_ptxas_find(void);

/// What ptxas said about one PTX file.
typedef struct {
  char *usage;    // "<kernel>: <registers, stack, …>", one line per kernel
  char *warnings; // one line each: spills, products that it serialised
                  // (messages C7508 to C7518), its own warnings
  size_t num_warnings;
} TilePtxasReport;

/// The largest kernels of our tests take it some seconds.
enum { TILE_PTXAS_MAX_SECONDS = 600 };

/// A run of ptxas that another thread may end. The program has a process group
/// of its own.
typedef struct {
  pthread_mutex_t lock;
  pid_t pid; // 0: none is running
  bool is_stopped, is_overdue;
  int max_seconds;      // after these it is killed
  const char *ptx_name; // what messages call the PTX; NULL: its path
} TilePtxasProcess;

void tile_ptxas_process_init(TilePtxasProcess *out_process);
/// Kills the program, if it runs, and waits until it is gone. None starts after
/// this.
void tile_ptxas_process_stop(TilePtxasProcess *process);
bool tile_ptxas_process_is_stopped(TilePtxasProcess *process);

/// Assembles `ptx_path` for `chip` into `cubin_path`. `process` may be NULL.
/// Errors: the program cannot be started, rejects the PTX, is killed, by us
/// when its
///         time is over, or leaves no cubin; the message holds what it printed.
/// Owner:  the caller, tile_ptxas_report_deinit in every case.
TileStatus tile_ptxas_run(const char *ptxas, const char *chip, bool line_info,
                          const char *ptx_path, const char *cubin_path,
                          TilePtxasProcess *process,
                          TilePtxasReport *out_report);
void tile_ptxas_report_deinit(TilePtxasReport *report);

#endif // TILE_TOOLS_PTXAS_H
