//===- PtxEntry.c - Kernels of a PTX file and their parameters ------------===//
//
// Understands just enough: comments, `.entry NAME ( .param … )`. So that a
// launch with wrong parameters is an error on every device, not a wild read.
//
//===----------------------------------------------------------------------===//

#include "LauncherInternal.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  const char *at;
  char token[256]; // the last one read; "" at the end
} Scanner;

static bool is_word(char c) {
  return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '.' ||
         c == '%';
}

static void skip_blanks_and_comments(Scanner *scanner) {
  for (;;) {
    while (isspace((unsigned char)*scanner->at))
      scanner->at++;
    if (strncmp(scanner->at, "//", 2) == 0) {
      scanner->at += strcspn(scanner->at, "\n");
    } else if (strncmp(scanner->at, "/*", 2) == 0) {
      const char *end = strstr(scanner->at + 2, "*/");
      scanner->at = end ? end + 2 : scanner->at + strlen(scanner->at);
    } else {
      return;
    }
  }
}

/// Reads a word or a single other character. Words that do not fit are cut:
/// none of the words looked for is that long.
static void next_token(Scanner *scanner) {
  skip_blanks_and_comments(scanner);
  const char *start = scanner->at;
  while (is_word(*scanner->at))
    scanner->at++;
  if (scanner->at == start && *start)
    scanner->at++;
  size_t length = (size_t)(scanner->at - start);
  if (length >= sizeof scanner->token)
    length = sizeof scanner->token - 1;
  memcpy(scanner->token, start, length);
  scanner->token[length] = 0;
}

static bool is_token(const Scanner *scanner, const char *text) {
  return strcmp(scanner->token, text) == 0;
}

size_t tile_ptx_float_bytes(const char *type) {
  for (int i = 0; i < TILE_NUM_DTYPES && type[0] == '.'; i++) {
    const TileDtypeInfo *info = tile_dtype_info((TileDtype)i);
    if (tile_dtype_info_is_float(info) && strcmp(type + 1, info->ptx) == 0)
      return (size_t)info->size_bytes;
  }
  return 0;
}

/// The bytes of a PTX type such as .u64; 0 when the token is no type.
static size_t type_size_bytes(const char *token) {
  size_t float_bytes = tile_ptx_float_bytes(token);
  if (float_bytes > 0)
    return float_bytes;
  if (token[0] != '.' || token[1] == 0 || !strchr("bus", token[1]))
    return 0;
  char *end = NULL;
  long num_bits = strtol(token + 2, &end, 10);
  bool is_size = num_bits == 8 || num_bits == 16 || num_bits == 32 ||
                 num_bits == 64 || num_bits == 128;
  return is_size && *end == 0 ? (size_t)num_bits / 8 : 0;
}

/// Reads one parameter up to the comma or parenthesis after it. The scanner
/// stands at `.param`.
static size_t scan_param(Scanner *scanner, char out_type[8]) {
  size_t size_bytes = 0;
  out_type[0] = 0;
  while (!is_token(scanner, ",") && !is_token(scanner, ")") &&
         *scanner->token) {
    size_t type_bytes = type_size_bytes(scanner->token);
    if (type_bytes > 0) {
      size_bytes = type_bytes;
      memcpy(out_type, scanner->token, strlen(scanner->token) + 1);
    }
    bool is_array = is_token(scanner, "[");
    next_token(scanner);
    if (is_array) {
      size_bytes *= (size_t)strtoul(scanner->token, NULL, 10);
      out_type[0] = 0;
    }
  }
  return size_bytes;
}

/// Reads an entry from the end of `.entry`.
static TileStatus scan_entry(Scanner *scanner, TilePtxEntry *out_entry) {
  next_token(scanner);
  out_entry->name = strdup(scanner->token);
  out_entry->num_params = 0;
  if (!out_entry->name)
    return tile_status_error(TILE_STATUS_USER_ERROR, "out of memory");
  next_token(scanner);
  if (!is_token(scanner, "(")) // PTX allows an entry without a list
    return tile_status_ok();
  while (!is_token(scanner, ")") && *scanner->token) {
    next_token(scanner);
    if (!is_token(scanner, ".param"))
      continue;
    if (out_entry->num_params == TILE_PTX_MAX_PARAMS)
      return tile_status_error(TILE_STATUS_USER_ERROR,
                               "kernel '%s': expected at most %d parameters",
                               out_entry->name, TILE_PTX_MAX_PARAMS);
    size_t index = out_entry->num_params++;
    out_entry->param_sizes_bytes[index] =
        scan_param(scanner, out_entry->param_types[index]);
  }
  if (!*scanner->token)
    return tile_status_error(TILE_STATUS_USER_ERROR,
                             "the parameter list of kernel '%s' is cut off",
                             out_entry->name);
  return tile_status_ok();
}

/// Makes room for one more entry.
static TilePtxEntry *append(TilePtxEntry **entries, size_t *count) {
  TilePtxEntry *grown = realloc(*entries, (*count + 1) * sizeof *grown);
  if (!grown)
    return NULL;
  *entries = grown;
  grown[*count] = (TilePtxEntry){0};
  return &grown[(*count)++];
}

TileStatus tile_ptx_entries_find(const char *ptx, TilePtxEntry **out_entries,
                                 size_t *out_count) {
  *out_entries = NULL;
  *out_count = 0;
  TileStatus status = tile_status_ok();
  Scanner scanner = {.at = ptx};
  next_token(&scanner);
  while (*scanner.token && tile_status_is_ok(&status)) {
    if (is_token(&scanner, ".entry")) {
      TilePtxEntry *entry = append(out_entries, out_count);
      status = entry
                   ? scan_entry(&scanner, entry)
                   : tile_status_error(TILE_STATUS_USER_ERROR, "out of memory");
    } else {
      next_token(&scanner);
    }
  }
  if (!tile_status_is_ok(&status)) {
    tile_ptx_entries_destroy(*out_entries, *out_count);
    *out_entries = NULL;
    *out_count = 0;
  }
  return status;
}

void tile_ptx_entries_destroy(TilePtxEntry *entries, size_t count) {
  for (size_t i = 0; i < count; i++)
    free(entries[i].name);
  free(entries);
}
