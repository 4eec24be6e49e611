//===- TileEmuExec.c - Runs a CUDA program on the emulator ----------------===//
//
// Starts the program with our libcuda.so.1 and libcudart on its library path
// and waits for it. The libraries take their options from the environment and
// add to a file when a kernel did something wrong.
//
//===----------------------------------------------------------------------===//

#include "CudaShim/ShimOptions.h"
#include "EmuExecHelp.h"
#include "Support/StandardStreams.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { EXIT_FINDINGS = 2, EXIT_SIGNAL = 128, MAX_PATH = 4096 };

typedef struct {
  char options[1 << 16]; // for the libraries: one in a line
  uint64_t seed, num_seeds;
  bool wants_help, wants_version;
  char **program; // and its arguments
} Request;

//===-- Command line ------------------------------------------------------===//

static int fail(const char *format, const char *a, const char *b) {
  fprintf(stderr, "tile-emu-exec: ");
  fprintf(stderr, format, a, b);
  fputc('\n', stderr);
  return EXIT_FAILURE;
}

static TileStatus parse_seeds(const char *value, uint64_t *out_count) {
  char *end = NULL;
  errno = 0;
  *out_count = strtoull(value, &end, 10);
  if (*value >= '0' && *value <= '9' && !*end && errno == 0 && *out_count > 0 &&
      *out_count <= UINT32_MAX)
    return tile_status_ok();
  return tile_status_error(TILE_STATUS_USER_ERROR,
                           "--seeds: expected a number from 1 to %u, got '%s'",
                           UINT32_MAX, value);
}

static TileStatus add_option(Request *request, TileShimOptions *options,
                             const char *text) {
  static const char seeds[] = "--seeds=";
  if (strncmp(text, seeds, strlen(seeds)) == 0)
    return parse_seeds(text + strlen(seeds), &request->num_seeds);
  TileStatus status = tile_shim_option_parse(options, text);
  size_t length = strlen(request->options);
  if (tile_status_is_ok(&status) &&
      (strchr(text, '\n') ||
       length + strlen(text) + 2 > sizeof request->options / 2))
    return tile_status_error(TILE_STATUS_USER_ERROR,
                             "the options are too long");
  if (tile_status_is_ok(&status))
    snprintf(request->options + length, sizeof request->options - length,
             "%s\n", text);
  return status;
}

/// Options end at the first word that is none.
static TileStatus parse(char **argv, Request *request) {
  TileShimOptions options;
  tile_shim_options_init(&options);
  TileStatus status = tile_status_ok();
  request->num_seeds = 1;
  for (argv++; *argv && tile_status_is_ok(&status); argv++) {
    if (strcmp(*argv, "--help") == 0 || strcmp(*argv, "-h") == 0)
      request->wants_help = true;
    else if (strcmp(*argv, "--version") == 0)
      request->wants_version = true;
    else if (strcmp(*argv, "--") == 0) {
      argv++;
      break;
    } else if (**argv == '-')
      status = add_option(request, &options, *argv);
    else
      break;
  }
  request->program = argv;
  request->seed = options.emulator.seed;
  if (tile_status_is_ok(&status) && !*argv && !request->wants_help &&
      !request->wants_version)
    return tile_status_error(TILE_STATUS_USER_ERROR,
                             "expected a program; see tile-emu-exec --help");
  return status;
}

//===-- Environment -------------------------------------------------------===//

/// The folder of our libraries, found from where this program is.
static bool find_libraries(char out_folder[MAX_PATH]) {
  char self[MAX_PATH], library[MAX_PATH + 20];
  ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  if (length <= 0)
    return false;
  self[length] = 0;
  for (int i = 0; i < 2; i++) { // the file name, then "bin"
    char *slash = strrchr(self, '/');
    if (slash)
      *slash = 0;
  }
  struct stat info;
  if (snprintf(out_folder, MAX_PATH, "%s/lib/emu", self) >= MAX_PATH)
    return false;
  snprintf(library, sizeof library, "%s/libcuda.so.1", out_folder);
  return stat(library, &info) == 0;
}

static void prepend(const char *variable, const char *value, char separator) {
  const char *old = getenv(variable);
  size_t size = strlen(value) + (old ? strlen(old) : 0) + 2;
  char *text = malloc(size);
  if (!text)
    return;
  if (old && *old)
    snprintf(text, size, "%s%c%s", value, separator, old);
  else
    snprintf(text, size, "%s", value);
  setenv(variable, text, 1);
  free(text);
}

/// LD_PRELOAD as well: a program may name folders of its own for libraries,
/// which go before LD_LIBRARY_PATH, or hold a runtime that is to be replaced.
static void set_environment(const char *folder) {
  char libraries[2 * MAX_PATH + 60];
  snprintf(libraries, sizeof libraries,
           "%s/libcuda.so.1:%s/libtile-static-cudart.so", folder, folder);
  prepend("LD_LIBRARY_PATH", folder, ':');
  prepend("LD_PRELOAD", libraries, ':');
}

//===-- Run ---------------------------------------------------------------===//

static int wait_for(pid_t child) {
  int status = 0;
  signal(SIGINT, SIG_IGN); // the program decides
  signal(SIGQUIT, SIG_IGN);
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  signal(SIGINT, SIG_DFL);
  signal(SIGQUIT, SIG_DFL);
  if (WIFSIGNALED(status)) {
    fail("%s was ended by a signal: %s", "the program",
         strsignal(WTERMSIG(status)));
    return EXIT_SIGNAL + WTERMSIG(status);
  }
  return WEXITSTATUS(status);
}

/// What the libraries told: see Shim.h.
static void read_result(const char *path, bool *out_found,
                        bool *out_unwritten) {
  FILE *file = fopen(path, "rb");
  for (int what; file && (what = fgetc(file)) != EOF;) {
    *out_found |= what == 'F';
    *out_unwritten |= what == 'W';
  }
  if (file)
    fclose(file);
}

/// Runs the program once. `seed` is added to the options when not 0.
static int run_once(const Request *request, uint64_t seed, bool *out_found) {
  char result[] = "/tmp/tile-emu-XXXXXX", options[1 << 16];
  int file = mkstemp(result);
  if (file < 0)
    return fail("%s: %s", "cannot make a temporary file", strerror(errno));
  close(file);
  snprintf(options, sizeof options, "%s", request->options);
  if (seed)
    snprintf(options + strlen(options), 40, "--seed=%llu\n",
             (unsigned long long)seed);
  setenv(TILE_SHIM_OPTIONS_VARIABLE, options, 1);
  setenv(TILE_SHIM_RESULT_VARIABLE, result, 1);
  pid_t child = fork();
  if (child == 0) {
    char folder[MAX_PATH];
    if (find_libraries(folder))
      set_environment(folder);
    execvp(request->program[0], request->program);
    fail("%s: %s", request->program[0], strerror(errno));
    _exit(127);
  }
  int status = child < 0
                   ? fail("%s: %s", "cannot start a process", strerror(errno))
                   : wait_for(child);
  bool has_unwritten = false;
  read_result(result, out_found, &has_unwritten);
  unlink(result);
  return status == 0 && has_unwritten ? EXIT_FAILURE : status;
}

static int run(const Request *request) {
  for (uint64_t i = 0; i < request->num_seeds; i++) {
    bool has_findings = false, has_seeds = request->num_seeds > 1;
    uint64_t seed = request->seed + i;
    int status = run_once(request, has_seeds ? seed : 0, &has_findings);
    if (status == 0 && !has_findings)
      continue;
    if (has_seeds)
      fprintf(stderr, "tile-emu-exec: failed with --seed=%llu\n",
              (unsigned long long)seed);
    if (has_findings && status == 0)
      return EXIT_FINDINGS;
    return status;
  }
  return EXIT_SUCCESS;
}

// The exit status after the last print.
static int flush(void) {
  TileStatus status = tile_stdout_flush();
  return tile_status_is_ok(&status) ? EXIT_SUCCESS
                                    : fail("%s%s", status.message, "");
}

// The exit status.
static int execute(char **argv, Request *request) {
  char folder[MAX_PATH];
  TileStatus status = parse(argv, request);
  if (!tile_status_is_ok(&status))
    return fail("%s%s", status.message, "");
  if (request->wants_help) {
    emu_exec_print_help();
    return flush();
  }
  if (request->wants_version) {
    printf("tile-emu-exec %s\n", TILE_VERSION);
    return flush();
  }
  if (!find_libraries(folder))
    return fail("%s%s", "cannot find lib/emu/libcuda.so.1 beside bin/", "");
  return run(request);
}

int main(int argc, char **argv) {
  (void)argc;
  Request *request = calloc(1, sizeof *request);
  if (!request)
    return fail("%s%s", "out of memory", "");
  int exit_status = execute(argv, request);
  free(request);
  return exit_status;
}
