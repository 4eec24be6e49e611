//===- support-signal-test.c - A signal while outputs are written ---------===//
//
// All outputs or none, whoever is first. The race is decided by `stop`, which
// runs between the arrival of the signal and the end of the program.
//
//===----------------------------------------------------------------------===//

#include "Support/OutputFiles.h"
#include "Support/SignalGuard.h"
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static void make_path(const char *folder, char *out, size_t capacity) {
  snprintf(out, capacity, "%s/made/file", folder);
}

static bool exists(const char *path) {
  struct stat info;
  return stat(path, &info) == 0;
}

static void add_file(TileOutputs *outputs, const char *folder) {
  char made[128], path[128];
  snprintf(made, sizeof made, "%s/made", folder);
  make_path(folder, path, sizeof path);
  tile_outputs_init(outputs);
  TileStatus status = tile_outputs_make_folder(outputs, made);
  assert_true(tile_status_is_ok(&status));
  status = tile_outputs_write(outputs, path, true, "text", 4, NULL);
  assert_true(tile_status_is_ok(&status));
}

// What the program does while its guard already ends it.
static void commit(void *user_data) { tile_outputs_commit(user_data); }

static void end_by_signal(const char *folder) {
  TileOutputs outputs;
  TileSignalGuard guard = {
      .outputs = &outputs, .stop = commit, .stop_data = &outputs};
  tile_signals_block();
  add_file(&outputs, folder);
  tile_signal_guard_start(&guard);
  kill(getpid(), SIGTERM);
  for (;;)
    pause();
}

static void test_signal_before_commit(void **state) {
  (void)state;
  char folder[] = "/tmp/tile-signal-XXXXXX", path[128], made[128];
  int wait = 0;
  assert_non_null(mkdtemp(folder));
  pid_t child = fork();
  if (child == 0)
    end_by_signal(folder);
  assert_int_equal(waitpid(child, &wait, 0), child);
  assert_true(WIFSIGNALED(wait) && WTERMSIG(wait) == SIGTERM);
  make_path(folder, path, sizeof path);
  assert_false(exists(path));
  snprintf(made, sizeof made, "%s/made", folder);
  assert_false(exists(made));
  assert_int_equal(rmdir(folder), 0);
}

// After commit a signal changes nothing: the outputs cannot be closed.
static void test_close_after_commit(void **state) {
  (void)state;
  char folder[] = "/tmp/tile-signal-XXXXXX", path[128], made[128];
  TileOutputs outputs;
  assert_non_null(mkdtemp(folder));
  add_file(&outputs, folder);
  TileStatus status = tile_outputs_commit(&outputs);
  assert_true(tile_status_is_ok(&status));
  assert_false(tile_outputs_close(&outputs));
  make_path(folder, path, sizeof path);
  assert_int_equal(remove(path), 0);
  snprintf(made, sizeof made, "%s/made", folder);
  assert_int_equal(rmdir(made), 0);
  assert_int_equal(rmdir(folder), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_signal_before_commit),
      cmocka_unit_test(test_close_after_commit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
