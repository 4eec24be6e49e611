//===- replay.c - Runs a fuzz target on files, without libFuzzer ----------===//
//
//   fuzz-NAME [--mutants=N] [--seed=S] [--last=PATH] FILE...
//
// Each file as it is, then N mutants of it: bytes and pieces that are changed,
// left out, repeated or taken from the other files. --last writes an input to
// a file before it is run, so that what crashes is there afterwards. An input
// that takes more than two minutes ends the program, too.
//
//===----------------------------------------------------------------------===//

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes);

enum { MAX_FILE_BYTES = 1 << 20, MAX_FILES = 256, MAX_SECONDS = 120 };

typedef struct {
  uint8_t *data;
  size_t size_bytes;
} Text;

static uint64_t state = 1;

static size_t draw(size_t count) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return count ? (size_t)(state % count) : 0;
}

//===-- Mutants -----------------------------------------------------------===//

static void take_out(Text *text, size_t at, size_t size_bytes) {
  memmove(text->data + at, text->data + at + size_bytes,
          text->size_bytes - at - size_bytes);
  text->size_bytes -= size_bytes;
}

static void put_in(Text *text, size_t at, const uint8_t *piece,
                   size_t size_bytes) {
  if (text->size_bytes + size_bytes > MAX_FILE_BYTES)
    return;
  memmove(text->data + at + size_bytes, text->data + at, text->size_bytes - at);
  memcpy(text->data + at, piece, size_bytes);
  text->size_bytes += size_bytes;
}

/// A piece of a file, at most 32 bytes and now and then more.
static size_t draw_piece(const Text *from, size_t *out_at) {
  *out_at = draw(from->size_bytes);
  size_t most = draw(8) ? 32 : 2048;
  size_t left = from->size_bytes - *out_at;
  return 1 + draw(left < most ? left : most);
}

static void mutate(Text *text, const Text *others, int num_others) {
  static const char *const words[] = {
      "0",    "-1",         "9223372036854775807",
      "?",    "4294967296", "%",
      "\"",   "}",          "{",
      "[",    "]",          "(",
      "f32",  "i1",         "index",
      "null", "1e999",      "\xff\xfe",
      "true", "f64x",       "18446744073709551616"};
  uint8_t piece[4096];
  size_t at = 0, from = 0, size_bytes = 0;
  if (text->size_bytes == 0)
    return;
  size_bytes = draw_piece(text, &at);
  if (at + size_bytes > text->size_bytes)
    size_bytes = text->size_bytes - at;
  switch (draw(6)) {
  case 0:
    text->data[at] ^= (uint8_t)(1u << draw(8));
    break;
  case 1:
    text->data[at] = (uint8_t)draw(256);
    break;
  case 2:
    take_out(text, at, size_bytes);
    break;
  case 3:
    memcpy(piece, text->data + at, size_bytes);
    put_in(text, draw(text->size_bytes), piece, size_bytes);
    break;
  case 4: {
    const char *word = words[draw(sizeof words / sizeof *words)];
    put_in(text, at, (const uint8_t *)word, strlen(word));
    break;
  }
  default: {
    const Text *other = &others[draw((size_t)num_others)];
    if (other->size_bytes == 0)
      break;
    size_bytes = draw_piece(other, &from);
    if (from + size_bytes > other->size_bytes)
      size_bytes = other->size_bytes - from;
    memcpy(piece, other->data + from, size_bytes);
    put_in(text, at, piece, size_bytes);
  }
  }
}

//===-- Running -----------------------------------------------------------===//

static void run(const Text *text, const char *last) {
  FILE *file = last ? fopen(last, "wb") : NULL;
  if (file) {
    fwrite(text->data, 1, text->size_bytes, file);
    fclose(file);
  }
  alarm(MAX_SECONDS);
  LLVMFuzzerTestOneInput(text->data, text->size_bytes);
  alarm(0);
}

static int read_text(const char *path, Text *out) {
  FILE *file = fopen(path, "rb");
  out->data = malloc(MAX_FILE_BYTES);
  if (!file || !out->data) {
    fprintf(stderr, "cannot open %s\n", path);
    return 1;
  }
  out->size_bytes = fread(out->data, 1, MAX_FILE_BYTES, file);
  fclose(file);
  return 0;
}

static void run_mutants(const Text *files, int num_files, long num_mutants,
                        const char *last) {
  Text text = {malloc(MAX_FILE_BYTES), 0};
  for (int i = 0; i < num_files && text.data; i++)
    for (long k = 0; k < num_mutants; k++) {
      memcpy(text.data, files[i].data, files[i].size_bytes);
      text.size_bytes = files[i].size_bytes;
      for (size_t edits = 1 + draw(draw(4) ? 2 : 8); edits > 0; edits--)
        mutate(&text, files, num_files);
      run(&text, last);
    }
  free(text.data);
}

int main(int argc, char **argv) {
  static Text files[MAX_FILES];
  const char *last = NULL;
  long num_mutants = 0;
  int num_files = 0, status = 0;
  for (int i = 1; i < argc && status == 0; i++) {
    if (strncmp(argv[i], "--mutants=", 10) == 0)
      num_mutants = strtol(argv[i] + 10, NULL, 10);
    else if (strncmp(argv[i], "--seed=", 7) == 0)
      state = strtoull(argv[i] + 7, NULL, 10) * 2 + 1;
    else if (strncmp(argv[i], "--last=", 7) == 0)
      last = argv[i] + 7;
    else if (num_files < MAX_FILES)
      status = read_text(argv[i], &files[num_files++]);
  }
  for (int i = 0; i < num_files && status == 0; i++)
    run(&files[i], last);
  if (status == 0)
    run_mutants(files, num_files, num_mutants, last);
  for (int i = 0; i < num_files; i++)
    free(files[i].data);
  return status;
}
