//===- StandardStreams.c - A failed print is a failure --------------------===//

#include "StandardStreams.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

void tile_streams_open(void) {
  // open takes the lowest number that is free. Opened the wrong way round, so
  // that reads and writes fail.
  for (int fd = 0; fd <= 2; fd++)
    if (fcntl(fd, F_GETFD) < 0 && errno == EBADF &&
        open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) != fd)
      return;
}

// `is_written` is what the call that has set errno returned.
static TileStatus status_of(bool is_written) {
  if (is_written && !ferror(stdout))
    return tile_status_ok();
  return tile_status_error(TILE_STATUS_USER_ERROR,
                           "cannot write standard output: %s",
                           errno ? strerror(errno) : "a write has failed");
}

TileStatus tile_stdout_write(const char *text) {
  errno = 0;
  return status_of(fputs(text, stdout) >= 0);
}

TileStatus tile_stdout_flush(void) {
  errno = 0;
  return status_of(fflush(stdout) == 0);
}
