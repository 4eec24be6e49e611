//===- ShimState.c - The one device of the process ------------------------===//
//
// Holds the only mutable globals of this library, since the driver API has no
// object that could: the state behind a lock and each thread's contexts.
//
//===----------------------------------------------------------------------===//

#include "Shim.h"
#include "ShimContext.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

//===-- The globals -------------------------------------------------------===//

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static TileShim state;
static _Thread_local TileShimContexts contexts;

TileShim *tile_shim_enter(void) {
  pthread_mutex_lock(&lock);
  return &state;
}

CuResult tile_shim_leave(TileShim *shim, CuResult result) {
  (void)shim;
  pthread_mutex_unlock(&lock);
  return result;
}

TileShimContexts *tile_shim_contexts(void) { return &contexts; }

TileShimContext *tile_shim_current(void) {
  return contexts.count ? contexts.stack[contexts.count - 1] : NULL;
}

CuResult tile_shim_initialised(const TileShim *shim) {
  return shim->emu ? CU_SUCCESS : CU_NOT_INITIALIZED;
}

CuResult tile_shim_ready(const TileShim *shim) {
  if (!shim->emu)
    return CU_NOT_INITIALIZED;
  if (shim->fault)
    return shim->fault;
  return tile_shim_is(shim, tile_shim_current(), TILE_SHIM_CONTEXT)
             ? CU_SUCCESS
             : CU_INVALID_CONTEXT;
}

//===-- Text --------------------------------------------------------------===//

void tile_shim_say(const char *format, ...) {
  char text[1200];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  fflush(stdout); // what the program said comes first
  fprintf(stderr, "tile-emu: %s\n", text);
}

CuResult tile_shim_not_supported(const char *call) {
  tile_shim_say("%s is not supported by the emulator", call);
  return CU_NOT_SUPPORTED;
}

// The file gets a byte at once, so that it is right even if the program is
// killed: F, something was found; W, a file was not written.
static void tell_caller(char what) {
  const char *path = getenv(TILE_SHIM_RESULT_VARIABLE);
  FILE *file = path ? fopen(path, "ab") : NULL;
  if (!file)
    return;
  fputc(what, file);
  fclose(file);
}

void tile_shim_flush(TileShim *shim) {
  const char *output = tile_emu_output(shim->emu);
  size_t length = strlen(output);
  if (length > shim->num_output_bytes) {
    fputs(output + shim->num_output_bytes, stdout);
    shim->num_output_bytes = length;
  }
  const char *report = tile_emu_report(shim->emu);
  length = strlen(report);
  if (length > shim->report_length) {
    fflush(stdout);
    fprintf(stderr, "%s%s", report + shim->report_length,
            report[length - 1] == '\n' ? "" : "\n");
    shim->report_length = length;
  }
  size_t num_findings = tile_emu_num_findings(shim->emu);
  if (num_findings > shim->num_reported)
    tell_caller('F');
  shim->num_reported = num_findings;
}

//===-- Start and end -----------------------------------------------------===//

static void write_file(const char *path, const char *text) {
  FILE *file = path ? fopen(path, "wb") : NULL;
  bool is_written = file && fputs(text, file) >= 0 && fflush(file) == 0;
  int reason = errno;
  if (file)
    fclose(file);
  errno = reason;
  if (!path || is_written)
    return;
  tile_shim_say("%s: cannot write: %s", path, strerror(errno));
  tell_caller('W');
}

static void finish(void) {
  TileShim *shim = tile_shim_enter();
  const TileShimOptions *options = &shim->options;
  if (options->stats) {
    fflush(stdout);
    fputs(tile_emu_statistics_text(shim->emu), stderr);
  }
  if (options->report_path)
    write_file(options->report_path, tile_emu_report_json(shim->emu, NULL));
  if (options->profile_path)
    write_file(options->profile_path, tile_emu_trace_json(shim->emu));
  tile_shim_leave(shim, CU_SUCCESS);
}

static TileStatus read_options(TileShim *shim) {
  tile_shim_options_init(&shim->options);
  const char *given = getenv(TILE_SHIM_OPTIONS_VARIABLE);
  TileStatus status = tile_status_ok();
  if (!given)
    return status;
  char *rest = shim->options.text = strdup(given);
  if (!rest)
    return tile_status_error(TILE_STATUS_USER_ERROR, "out of memory");
  for (char *line;
       tile_status_is_ok(&status) && (line = strtok_r(rest, "\n", &rest));)
    status = tile_shim_option_parse(&shim->options, line);
  return status;
}

CuResult tile_shim_start(TileShim *shim) {
  if (shim->emu)
    return CU_SUCCESS;
  TileStatus status = read_options(shim);
  if (tile_status_is_ok(&status))
    status = tile_emu_create(&shim->options.emulator, &shim->emu);
  if (!tile_status_is_ok(&status)) {
    tile_shim_say("%s: %s", TILE_SHIM_OPTIONS_VARIABLE, status.message);
    return CU_UNKNOWN;
  }
  atexit(finish);
  return CU_SUCCESS;
}

//===-- Objects -----------------------------------------------------------===//

void *tile_shim_object_create(TileShim *shim, TileShimKind kind,
                              size_t size_bytes) {
  TileShimObject *object = calloc(1, size_bytes);
  if (!object)
    return NULL;
  object->kind = kind;
  object->next = shim->objects;
  shim->objects = object;
  return object;
}

void tile_shim_object_destroy(TileShim *shim, void *object) {
  TileShimObject **link = &shim->objects;
  while (*link && *link != object)
    link = &(*link)->next;
  if (*link) {
    *link = (*link)->next;
    free(object);
  }
}

bool tile_shim_is(const TileShim *shim, const void *handle, TileShimKind kind) {
  const TileShimObject *object = shim->objects;
  while (object && object != handle)
    object = object->next;
  return object && object->kind == kind;
}

bool tile_shim_is_stream(const TileShim *shim, const TileShimStream *stream) {
  enum { LAST_NUMBER = 2 }; // default, legacy, per thread
  return (uintptr_t)stream <= LAST_NUMBER ||
         tile_shim_is(shim, stream, TILE_SHIM_STREAM);
}
