//===- Ptxas.c - Runs NVIDIA's assembler ----------------------------------===//
//
// ptxas prints, with -v, for each kernel:
//   ptxas info    : Compiling entry function 'gemm' for 'sm_90a'
//   ptxas info    : Function properties for gemm
//       0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
//   ptxas info    : Used 168 registers, used 1 barriers, 0 bytes cumulative …
// and messages "ptxas info    : (C7510) Potential Performance Loss: …".
//
//===----------------------------------------------------------------------===//

#define _GNU_SOURCE // pipe2
#include "Ptxas.h"

#include "Support/StringBuilder.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

//===-- Where it is -------------------------------------------------------===//

// `folder` ends at `length` bytes; empty means the current one.
static char *executable_in(const char *folder, size_t length,
                           const char *suffix) {
  TileString path = {NULL, 0, 0};
  tile_string_print(&path, "%.*s%s/ptxas", (int)length, length ? folder : ".",
                    suffix);
  char *text = tile_string_take(&path);
  if (access(text, X_OK) == 0)
    return text;
  free(text);
  return NULL;
}

char *tile_ptxas_find(void) {
  const char *folders = getenv("PATH");
  while (folders) {
    size_t length = strcspn(folders, ":");
    char *path = executable_in(folders, length, "");
    if (path)
      return path;
    folders = folders[length] ? folders + length + 1 : NULL;
  }
  const char *cuda_home = getenv("CUDA_HOME");
  if (cuda_home && *cuda_home) {
    char *path = executable_in(cuda_home, strlen(cuda_home), "/bin");
    if (path)
      return path;
  }
  static const char usual[] = "/usr/local/cuda/bin";
  return executable_in(usual, sizeof usual - 1, "");
}

//===-- Running it --------------------------------------------------------===//

void tile_ptxas_process_init(TilePtxasProcess *out_process) {
  *out_process = (TilePtxasProcess){.lock = PTHREAD_MUTEX_INITIALIZER,
                                    .max_seconds = TILE_PTXAS_MAX_SECONDS};
}

// Waits until the program is gone, without taking its number: that stays its
// own until `reap`.
static void wait_for_end(pid_t pid) {
  siginfo_t info;
  while (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT) < 0 &&
         errno == EINTR)
    ;
}

void tile_ptxas_process_stop(TilePtxasProcess *process) {
  pthread_mutex_lock(&process->lock);
  process->is_stopped = true;
  if (process->pid > 0) {
    kill(-process->pid, SIGKILL);
    wait_for_end(process->pid);
  }
  pthread_mutex_unlock(&process->lock);
}

bool tile_ptxas_process_is_stopped(TilePtxasProcess *process) {
  pthread_mutex_lock(&process->lock);
  bool is_stopped = process->is_stopped;
  pthread_mutex_unlock(&process->lock);
  return is_stopped;
}

// Gets no signal that the terminal sends to us, and none blocked or ignored
// because we do.
static void set_signals(posix_spawnattr_t *attributes) {
  sigset_t none, writes;
  sigemptyset(&none);
  sigemptyset(&writes);
  sigaddset(&writes, SIGPIPE);
  sigaddset(&writes, SIGXFSZ);
  posix_spawnattr_setpgroup(attributes, 0);
  posix_spawnattr_setsigmask(attributes, &none);
  posix_spawnattr_setsigdefault(attributes, &writes);
  posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETPGROUP |
                                           POSIX_SPAWN_SETSIGMASK |
                                           POSIX_SPAWN_SETSIGDEF);
}

static bool spawn(char *const arguments[], int out_fd, pid_t *out_pid) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  set_signals(&attributes);
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, out_fd, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out_fd, STDERR_FILENO);
  int error = posix_spawn(out_pid, arguments[0], &actions, &attributes,
                          arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  errno = error;
  return error == 0;
}

static bool start(TilePtxasProcess *process, char *const arguments[],
                  int out_fd) {
  pthread_mutex_lock(&process->lock);
  errno = EINTR;
  bool is_started =
      !process->is_stopped && spawn(arguments, out_fd, &process->pid);
  if (!is_started)
    process->pid = 0;
  pthread_mutex_unlock(&process->lock);
  return is_started;
}

static void reap(TilePtxasProcess *process, int *out_wait) {
  wait_for_end(process->pid); // only this thread changes it
  pthread_mutex_lock(&process->lock);
  while (waitpid(process->pid, out_wait, 0) < 0 && errno == EINTR)
    ;
  process->pid = 0;
  pthread_mutex_unlock(&process->lock);
}

static double now_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

// False at the deadline. A signal does not end the wait.
static bool wait_for_text(int fd, double deadline) {
  struct pollfd text = {.fd = fd, .events = POLLIN};
  for (;;) {
    double left = deadline - now_seconds();
    if (left <= 0)
      return false;
    int result = poll(&text, 1, (int)(left * 1e3) + 1);
    if (result > 0 || (result < 0 && errno != EINTR))
      return true;
  }
}

// False when the program was still writing, or silent, at the deadline.
static bool read_all(int fd, double deadline, TileString *out) {
  char chunk[4096];
  while (wait_for_text(fd, deadline)) {
    ssize_t n = read(fd, chunk, sizeof chunk);
    if (n > 0)
      tile_string_append(out, chunk, (size_t)n);
    else if (n == 0 || errno != EINTR)
      return true;
  }
  return false;
}

// A program that has closed its output may still run.
static bool has_ended(pid_t pid, double deadline) {
  const struct timespec pause = {.tv_nsec = 10000000};
  for (;;) {
    siginfo_t info = {.si_pid = 0};
    if (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT | WNOHANG) == 0 &&
        info.si_pid == pid)
      return true;
    if (now_seconds() > deadline)
      return false;
    nanosleep(&pause, NULL);
  }
}

// Runs a program to its end, or kills it when its time is over; `*out_wait` is
// as of waitpid.
static bool run_program(TilePtxasProcess *process, char *const arguments[],
                        TileString *out, int *out_wait) {
  int fds[2];
  if (pipe2(fds, O_CLOEXEC) != 0)
    return false;
  double deadline = now_seconds() + process->max_seconds;
  bool is_started = start(process, arguments, fds[1]);
  int error = errno;
  close(fds[1]);
  if (is_started) {
    process->is_overdue =
        !read_all(fds[0], deadline, out) || !has_ended(process->pid, deadline);
    if (process->is_overdue)
      kill(-process->pid, SIGKILL);
    reap(process, out_wait);
  }
  close(fds[0]);
  errno = error;
  return is_started;
}

//===-- What it said ------------------------------------------------------===//

typedef struct {
  TileString usage, warnings;
  size_t num_warnings;
  char kernel[256]; // whose properties are being printed
} Reader;

static void warn(Reader *reader, const char *line, size_t length) {
  tile_string_print(&reader->warnings, "%.*s\n", (int)length, line);
  reader->num_warnings++;
}

// Copies what stands between the first `before` and the next `after`.
static bool between(const char *line, const char *before, const char *after,
                    char *out, size_t capacity) {
  const char *start = strstr(line, before);
  if (!start)
    return false;
  start += strlen(before);
  const char *end = *after ? strstr(start, after) : start + strlen(start);
  if (!end)
    return false;
  snprintf(out, capacity, "%.*s", (int)(end - start), start);
  return true;
}

static bool has_spills(const char *line) {
  const char *stores = strstr(line, " bytes spill stores");
  if (!stores)
    return false;
  // "0 bytes stack frame, 12 bytes spill stores, 8 bytes spill loads"
  long num_stores = 0, num_loads = 0;
  const char *comma = strchr(line, ',');
  if (comma)
    num_stores = strtol(comma + 1, NULL, 10);
  comma = strchr(stores, ',');
  if (comma)
    num_loads = strtol(comma + 1, NULL, 10);
  return num_stores > 0 || num_loads > 0;
}

// C7508 to C7518: a request of the kernel that ptxas did not honour. C7519, a
// fence that it added, costs nothing.
static bool is_forbidden(const char *line) {
  const char *code = strstr(line, "(C75");
  if (!code)
    return false;
  long number = strtol(code + 2, NULL, 10);
  return number >= 7508 && number <= 7518;
}

static void read_line(Reader *reader, const char *line) {
  char text[256];
  if (between(line, "Compiling entry function '", "'", text, sizeof text) ||
      between(line, "Function properties for ", "", text, sizeof text))
    memcpy(reader->kernel, text, sizeof text);
  else if (has_spills(line)) {
    TileString message = {NULL, 0, 0};
    tile_string_print(&message, "%s: registers spilled:%s", reader->kernel,
                      line + strspn(line, " ") - (*line == ' '));
    warn(reader, message.data, message.size_bytes);
    tile_string_deinit(&message);
  } else if (strstr(line, "Used ") && strstr(line, " registers"))
    tile_string_print(&reader->usage, "%s: %s\n", reader->kernel,
                      strstr(line, "Used "));
  else if (is_forbidden(line) || strstr(line, "ptxas warning"))
    warn(reader, line, strlen(line));
}

static void read_output(const TileString *output, TilePtxasReport *out_report) {
  Reader reader = {.num_warnings = 0};
  const char *at = output->data ? output->data : "";
  while (*at) {
    size_t length = strcspn(at, "\n");
    TileString line = {NULL, 0, 0};
    tile_string_append(&line, at, length);
    read_line(&reader, line.data);
    tile_string_deinit(&line);
    at += length + (at[length] == '\n');
  }
  out_report->usage = tile_string_take(&reader.usage);
  out_report->warnings = tile_string_take(&reader.warnings);
  out_report->num_warnings = reader.num_warnings;
}

//===-- Entry -------------------------------------------------------------===//

// Whether a run that has ended left a cubin.
static TileStatus check_end(const char *ptxas, const char *ptx_name,
                            const char *cubin_path, int wait,
                            const char *output) {
  struct stat info;
  if (WIFSIGNALED(wait))
    return tile_status_error(TILE_STATUS_USER_ERROR,
                             "the assembler %s was killed by signal %d (%s)",
                             ptxas, WTERMSIG(wait), strsignal(WTERMSIG(wait)));
  if (!WIFEXITED(wait) || WEXITSTATUS(wait) != 0)
    return tile_status_error(TILE_STATUS_USER_ERROR,
                             "the assembler %s rejects %s:\n%s", ptxas,
                             ptx_name, output);
  if (stat(cubin_path, &info) != 0 || info.st_size == 0)
    return tile_status_error(
        TILE_STATUS_USER_ERROR,
        "the assembler %s says that all is well, but wrote "
        "no cubin",
        ptxas);
  return tile_status_ok();
}

TileStatus tile_ptxas_run(const char *ptxas, const char *chip, bool line_info,
                          const char *ptx_path, const char *cubin_path,
                          TilePtxasProcess *process,
                          TilePtxasReport *out_report) {
  *out_report = (TilePtxasReport){NULL, NULL, 0};
  TilePtxasProcess own;
  tile_ptxas_process_init(&own);
  TileString arch = {NULL, 0, 0}, output = {NULL, 0, 0};
  tile_string_print(&arch, "-arch=%s", chip);
  // posix_spawn takes pointers to non-const for history's sake.
  char *arguments[8];
  int n = 0;
  arguments[n++] = (char *)(size_t)ptxas;
  arguments[n++] = arch.data;
  arguments[n++] = (char *)(size_t)"-v";
  if (line_info)
    arguments[n++] = (char *)(size_t)"-lineinfo";
  arguments[n++] = (char *)(size_t)ptx_path;
  arguments[n++] = (char *)(size_t)"-o";
  arguments[n++] = (char *)(size_t)cubin_path;
  arguments[n] = NULL;

  int wait = 0;
  TileStatus status = tile_status_ok();
  if (!process)
    process = &own;
  if (!run_program(process, arguments, &output, &wait))
    status = tile_status_error(TILE_STATUS_USER_ERROR, "cannot run %s: %s",
                               ptxas, strerror(errno));
  else if (process->is_overdue)
    status =
        tile_status_error(TILE_STATUS_USER_ERROR,
                          "the assembler %s was killed: it took more than %d s "
                          "(--ptxas-timeout)",
                          ptxas, process->max_seconds);
  else
    status = check_end(ptxas, process->ptx_name ? process->ptx_name : ptx_path,
                       cubin_path, wait, output.data ? output.data : "");
  if (tile_status_is_ok(&status))
    read_output(&output, out_report);
  tile_string_deinit(&arch);
  tile_string_deinit(&output);
  return status;
}

void tile_ptxas_report_deinit(TilePtxasReport *report) {
  free(report->usage);
  free(report->warnings);
  *report = (TilePtxasReport){NULL, NULL, 0};
}
