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

#define _GNU_SOURCE // pipe2, memfd_create
#include "Api/Ptxas.h"

#include "Support/StringBuilder.h"
#include "Target/PhaseTimer.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

// Kernels of one text by several threads.
#define SPLIT_OPTION "-split-compile"

//===-- Running it --------------------------------------------------------===//

/// How a run ended beside its exit status.
typedef enum { RUN_ENDED, RUN_OVERDUE, RUN_STOPPED } RunEnd;

/// One run of the assembler.
typedef struct {
  const TilePtxasJob *job;
  double end_ms; // after which it is killed
  pid_t pid;
  int text_fds[2];      // what it says; read, write
  int ptx_fd, cubin_fd; // memory, -1: none
  TileString output;
} Run;

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

// The numbers of the files are those that the command line names; nothing else
// of the program is inherited beyond what the program lets inherit.
static bool add_files(posix_spawn_file_actions_t *actions, const Run *run) {
  return posix_spawn_file_actions_adddup2(actions, run->text_fds[1],
                                          STDOUT_FILENO) == 0 &&
         posix_spawn_file_actions_adddup2(actions, run->text_fds[1],
                                          STDERR_FILENO) == 0 &&
         posix_spawn_file_actions_adddup2(actions, run->ptx_fd, run->ptx_fd) ==
             0 &&
         posix_spawn_file_actions_adddup2(actions, run->cubin_fd,
                                          run->cubin_fd) == 0;
}

static bool spawn(Run *run, char *const arguments[]) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  set_signals(&attributes);
  posix_spawn_file_actions_init(&actions);
  int error = ENOMEM;
  if (add_files(&actions, run))
    error = posix_spawn(&run->pid, arguments[0], &actions, &attributes,
                        arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  uint64_t max_bytes = run->job->limits->max_memory_bytes;
  struct rlimit memory = {max_bytes, max_bytes};
  if (error == 0 && max_bytes)
    prlimit(run->pid, RLIMIT_AS, &memory, NULL);
  errno = error;
  return error == 0;
}

static RunEnd check_end(const Run *run) {
  char text[160];
  if (tile_limits_reached(run->job->limits, text, sizeof text))
    return RUN_STOPPED;
  return tile_now_ms() > run->end_ms ? RUN_OVERDUE : RUN_ENDED;
}

// Reads until the program has closed its output or must end.
static RunEnd read_all(Run *run) {
  enum { PAUSE_MS = 20 };
  char chunk[4096];
  for (;;) {
    struct pollfd text = {.fd = run->text_fds[0], .events = POLLIN};
    RunEnd end = check_end(run);
    if (end != RUN_ENDED)
      return end;
    if (poll(&text, 1, PAUSE_MS) <= 0)
      continue;
    ssize_t n = read(run->text_fds[0], chunk, sizeof chunk);
    if (n > 0)
      tile_string_append(&run->output, chunk, (size_t)n);
    else if (n == 0 || errno != EINTR)
      return RUN_ENDED;
  }
}

// A program that has closed its output may still run.
static RunEnd wait_for_end(const Run *run) {
  const struct timespec pause = {.tv_nsec = 5000000};
  for (;;) {
    siginfo_t info = {.si_pid = 0};
    if (waitid(P_PID, (id_t)run->pid, &info, WEXITED | WNOWAIT | WNOHANG) < 0 ||
        info.si_pid == run->pid)
      return RUN_ENDED;
    RunEnd end = check_end(run);
    if (end != RUN_ENDED)
      return end;
    nanosleep(&pause, NULL);
  }
}

// Runs the program to its end, or kills it; `*out_wait` is as of waitpid. False
// when it cannot be started.
static bool run_program(Run *run, char *const arguments[], RunEnd *out_end,
                        int *out_wait) {
  bool is_started = spawn(run, arguments);
  int error = errno;
  close(run->text_fds[1]);
  run->text_fds[1] = -1;
  if (is_started) {
    *out_end = read_all(run);
    if (*out_end == RUN_ENDED)
      *out_end = wait_for_end(run);
    if (*out_end != RUN_ENDED)
      kill(-run->pid, SIGKILL);
    while (waitpid(run->pid, out_wait, 0) < 0 && errno == EINTR)
      ;
  }
  errno = error;
  return is_started;
}

//===-- What it said ------------------------------------------------------===//

typedef struct {
  TilePtxasReport *report;
  TileKernelResources kernel; // whose properties are being printed
} Reader;

static const char *keep(Reader *reader, const char *text) {
  return tile_arena_strdup(&reader->report->arena, text, strlen(text));
}

static void warn(Reader *reader, const char *text) {
  TilePtxasReport *report = reader->report;
  TILE_ARENA_RESERVE(&report->arena, report->warnings, report->num_warnings,
                     report->max_warnings);
  report->warnings[report->num_warnings++] = keep(reader, text);
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

// The number that stands right before `words`.
static uint64_t number_before(const char *line, const char *words) {
  const char *at = strstr(line, words);
  if (!at)
    return 0;
  while (at > line && at[-1] >= '0' && at[-1] <= '9')
    at--;
  return strtoull(at, NULL, 10);
}

// "0 bytes stack frame, 12 bytes spill stores, 8 bytes spill loads"
static void read_stack(Reader *reader, const char *line) {
  TileKernelResources *kernel = &reader->kernel;
  kernel->stack_bytes = number_before(line, " bytes stack frame");
  kernel->spill_store_bytes = number_before(line, " bytes spill stores");
  kernel->spill_load_bytes = number_before(line, " bytes spill loads");
  if (!kernel->spill_store_bytes && !kernel->spill_load_bytes)
    return;
  TileString message = {NULL, 0, 0};
  tile_string_print(&message, "%s: registers spilled:%s",
                    kernel->kernel ? kernel->kernel : "",
                    line + strspn(line, " ") - (*line == ' '));
  warn(reader, message.data);
  tile_string_deinit(&message);
}

static void read_usage(Reader *reader, const char *used) {
  TilePtxasReport *report = reader->report;
  TileKernelResources kernel = reader->kernel;
  kernel.text = keep(reader, used);
  kernel.num_registers = (int)number_before(used, " registers");
  if (!kernel.kernel)
    kernel.kernel = "";
  TILE_ARENA_RESERVE(&report->arena, report->kernels, report->num_kernels,
                     report->max_kernels);
  report->kernels[report->num_kernels++] = kernel;
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
  const char *used = strstr(line, "Used ");
  if (between(line, "Compiling entry function '", "'", text, sizeof text) ||
      between(line, "Function properties for ", "", text, sizeof text))
    reader->kernel = (TileKernelResources){.kernel = keep(reader, text)};
  else if (strstr(line, " bytes spill stores"))
    read_stack(reader, line);
  else if (used && strstr(line, " registers"))
    read_usage(reader, used);
  else if (is_forbidden(line) || strstr(line, "ptxas warning"))
    warn(reader, line);
}

static void read_output(const char *at, TilePtxasReport *report) {
  Reader reader = {.report = report};
  while (*at) {
    size_t length = strcspn(at, "\n");
    TileString line = {NULL, 0, 0};
    tile_string_append(&line, at, length);
    read_line(&reader, line.data);
    tile_string_deinit(&line);
    at += length + (at[length] == '\n');
  }
}

//===-- Memory ------------------------------------------------------------===//

static bool write_all(int fd, const char *data, size_t size_bytes) {
  while (size_bytes > 0) {
    ssize_t n = write(fd, data, size_bytes);
    if (n < 0 && errno != EINTR)
      return false;
    data += n > 0 ? n : 0;
    size_bytes -= n > 0 ? (size_t)n : 0;
  }
  return true;
}

static bool open_memory(Run *run) {
  run->ptx_fd = memfd_create("ptx", MFD_CLOEXEC);
  run->cubin_fd = memfd_create("cubin", MFD_CLOEXEC);
  return run->ptx_fd >= 0 && run->cubin_fd >= 0 &&
         write_all(run->ptx_fd, run->job->ptx, strlen(run->job->ptx)) &&
         pipe2(run->text_fds, O_CLOEXEC) == 0;
}

static void close_memory(Run *run) {
  int fds[] = {run->ptx_fd, run->cubin_fd, run->text_fds[0], run->text_fds[1]};
  for (size_t i = 0; i < sizeof fds / sizeof *fds; i++)
    if (fds[i] >= 0)
      close(fds[i]);
  tile_string_deinit(&run->output);
}

// A cubin is an ELF file.
static bool read_cubin(const Run *run, TilePtxasReport *report) {
  static const char elf[] = {0x7f, 'E', 'L', 'F'};
  struct stat info;
  if (fstat(run->cubin_fd, &info) != 0 || info.st_size <= 0)
    return false;
  size_t size_bytes = (size_t)info.st_size, done = 0;
  char *cubin = malloc(size_bytes);
  while (cubin && done < size_bytes) {
    ssize_t n =
        pread(run->cubin_fd, cubin + done, size_bytes - done, (off_t)done);
    if (n <= 0 && errno != EINTR)
      break;
    done += n > 0 ? (size_t)n : 0;
  }
  report->cubin = cubin;
  report->cubin_bytes = done;
  return cubin && done == size_bytes && size_bytes >= sizeof elf &&
         memcmp(cubin, elf, sizeof elf) == 0;
}

//===-- Entry -------------------------------------------------------------===//

static TileStatus judge(const Run *run, RunEnd end, int wait,
                        TilePtxasReport *report) {
  const TilePtxasJob *job = run->job;
  char text[160] = "";
  if (end == RUN_STOPPED) {
    tile_limits_reached(job->limits, text, sizeof text);
    return tile_status_error(TILE_STATUS_USER_ERROR,
                             "the assembler %s was killed: the compilation %s",
                             job->ptxas, text);
  }
  if (end == RUN_OVERDUE)
    return tile_status_error(TILE_STATUS_USER_ERROR,
                             "the assembler %s was killed: it took more than "
                             "%u s",
                             job->ptxas, job->max_seconds);
  if (WIFSIGNALED(wait))
    return tile_status_error(
        TILE_STATUS_USER_ERROR, "the assembler %s was killed by signal %d (%s)",
        job->ptxas, WTERMSIG(wait), strsignal(WTERMSIG(wait)));
  if (!WIFEXITED(wait) || WEXITSTATUS(wait) != 0)
    return tile_status_error(TILE_STATUS_USER_ERROR,
                             "the assembler %s rejects %s.ptx:\n%s", job->ptxas,
                             job->name, tile_string_text(&run->output));
  if (!read_cubin(run, report))
    return tile_status_error(
        TILE_STATUS_USER_ERROR,
        "the assembler %s says that all is well, but wrote no cubin",
        job->ptxas);
  read_output(tile_string_text(&run->output), report);
  return tile_status_ok();
}

// With several threads, where `num_threads` is more than one.
static TileStatus assemble(Run *run, int num_threads, TilePtxasReport *report) {
  const TilePtxasJob *job = run->job;
  char arch[64], in[64], out[64], split[64], verbose[] = "-v",
                                             lines[] = "-lineinfo", to[] = "-o";
  int wait = 0, n = 0;
  RunEnd end = RUN_ENDED;
  if (!open_memory(run))
    return tile_status_error(TILE_STATUS_USER_ERROR,
                             "no memory for the assembler %s: %s", job->ptxas,
                             strerror(errno));
  snprintf(arch, sizeof arch, "-arch=%s", job->chip);
  snprintf(split, sizeof split, SPLIT_OPTION "=%d", num_threads);
  snprintf(in, sizeof in, "/proc/self/fd/%d", run->ptx_fd);
  snprintf(out, sizeof out, "/proc/self/fd/%d", run->cubin_fd);
  // posix_spawn takes pointers to non-const for history's sake.
  char *arguments[9];
  arguments[n++] = (char *)(size_t)job->ptxas;
  arguments[n++] = arch;
  arguments[n++] = verbose;
  if (job->line_info)
    arguments[n++] = lines;
  if (num_threads > 1)
    arguments[n++] = split;
  arguments[n++] = in;
  arguments[n++] = to;
  arguments[n++] = out;
  arguments[n] = NULL;
  if (!run_program(run, arguments, &end, &wait))
    return tile_status_error(TILE_STATUS_USER_ERROR, "cannot run %s: %s",
                             job->ptxas, strerror(errno));
  return judge(run, end, wait, report);
}

// Older assemblers: "ptxas fatal   : Unknown option '-split-compile'".
static bool lacks_threads(const Run *run) {
  const char *text = tile_string_text(&run->output);
  return strstr(text, "Unknown option") && strstr(text, SPLIT_OPTION);
}

static Run begin_run(const TilePtxasJob *job) {
  return (Run){.job = job,
               .end_ms = tile_now_ms() + 1e3 * job->max_seconds,
               .text_fds = {-1, -1},
               .ptx_fd = -1,
               .cubin_fd = -1};
}

TileStatus tile_ptxas_run(const TilePtxasJob *job,
                          TilePtxasReport *out_report) {
  int num_threads = job->limits->max_memory_bytes ? 1 : job->num_threads;
  *out_report = (TilePtxasReport){.num_warnings = 0};
  Run run = begin_run(job);
  TileStatus status = assemble(&run, num_threads, out_report);
  if (num_threads > 1 && !tile_status_is_ok(&status) && lacks_threads(&run)) {
    close_memory(&run);
    run = begin_run(job);
    status = assemble(&run, 1, out_report);
  }
  close_memory(&run);
  return status;
}

void tile_ptxas_report_deinit(TilePtxasReport *report) {
  free(report->cubin);
  tile_arena_deinit(&report->arena);
  *report = (TilePtxasReport){.num_warnings = 0};
}
