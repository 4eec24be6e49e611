//===- ArgText.c - Arguments of tile-run as text --------------------------===//
//
//   tensor  [mem:]FILL:SHAPE:DTYPE[:SEED][LAYOUT]   FILL: ints normal zeros
//   ones
//           [mem:]FILE.npy[:DTYPE][LAYOUT]
//           [mem:]same:ARG
//   LAYOUT  @[STRIDES][+OFFSET]                     in elements
//   scalar  [DTYPE:]NUMBER
//   map     tmap:ARG,DIMS,STRIDES_BYTES,BOX,SWIZZLE_BYTES
//
// SHAPE, STRIDES, DIMS, … are numbers with an x between them.
//
//===----------------------------------------------------------------------===//

#include "Launcher.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

//===-- Pieces ------------------------------------------------------------===//

/// The text that is left to read. A piece that matches moves `at` past it.
typedef struct {
  const char *at;
} Cursor;

static bool accept(Cursor *cursor, const char *word) {
  size_t length = strlen(word);
  if (strncmp(cursor->at, word, length) != 0)
    return false;
  cursor->at += length;
  return true;
}

/// Reads decimal digits only: no sign, no blank.
static bool accept_count(Cursor *cursor, int64_t *out_count) {
  if (!isdigit((unsigned char)*cursor->at))
    return false;
  char *end = NULL;
  errno = 0;
  long long count = strtoll(cursor->at, &end, 10);
  if (errno != 0)
    return false;
  cursor->at = end;
  *out_count = count;
  return true;
}

/// Reads 3x4x5; nothing gives length 0. Returns false on anything malformed.
static bool accept_list(Cursor *cursor, int max_length, int64_t *out_values,
                        int *out_length) {
  *out_length = 0;
  if (!isdigit((unsigned char)*cursor->at))
    return true;
  do {
    if (*out_length == max_length ||
        !accept_count(cursor, &out_values[*out_length]))
      return false;
    ++*out_length;
  } while (accept(cursor, "x"));
  return true;
}

static bool accept_dtype(Cursor *cursor, TileDtype *out_dtype) {
  char name[16];
  size_t length = 0;
  while (isalnum((unsigned char)cursor->at[length]) ||
         (cursor->at[length] && strchr("<>", cursor->at[length])))
    length++;
  if (length >= sizeof name)
    return false;
  memcpy(name, cursor->at, length);
  name[length] = 0;
  if (!tile_dtype_from_name(name, out_dtype))
    return false;
  cursor->at += length;
  return true;
}

static TileStatus expected(const char *what, const Cursor *cursor) {
  return tile_status_error(TILE_STATUS_USER_ERROR, "expected %s, got '%s'",
                           what, cursor->at);
}

static TileStatus expect_end(const Cursor *cursor) {
  return *cursor->at ? expected("nothing more", cursor) : tile_status_ok();
}

//===-- Tensors -----------------------------------------------------------===//

static TileStatus parse_layout(Cursor *cursor, TileArgText *out_arg) {
  if (!accept(cursor, "@"))
    return expect_end(cursor);
  if (!accept_list(cursor, TILE_LAUNCH_MAX_RANK, out_arg->strides,
                   &out_arg->num_strides))
    return expected("strides such as 144 or 144x1 after '@'", cursor);
  if (accept(cursor, "+") && !accept_count(cursor, &out_arg->offset))
    return expected("an offset in elements after '+'", cursor);
  return expect_end(cursor);
}

static TileStatus parse_fill(Cursor *cursor, TileArgText *out_arg) {
  out_arg->kind = TILE_ARG_TEXT_FILL;
  out_arg->has_dtype = true;
  if (!accept_list(cursor, TILE_LAUNCH_MAX_RANK, out_arg->shape,
                   &out_arg->rank))
    return expected("a shape such as 300x136", cursor);
  if (!accept(cursor, ":"))
    return expected("a shape and ':' such as 300x136:", cursor);
  if (!accept_dtype(cursor, &out_arg->dtype))
    return expected("an element type such as bf16", cursor);
  int64_t seed = 0;
  if (accept(cursor, ":")) {
    if (!accept_count(cursor, &seed))
      return expected("a seed", cursor);
    out_arg->has_seed = true;
    out_arg->seed = (uint64_t)seed;
  }
  TileStatus status = parse_layout(cursor, out_arg);
  if (!tile_status_is_ok(&status))
    return status;
  if (out_arg->num_strides > 1 && out_arg->num_strides != out_arg->rank)
    return tile_status_error(TILE_STATUS_USER_ERROR,
                             "expected 1 or %d strides after '@', got %d",
                             out_arg->rank, out_arg->num_strides);
  return status;
}

/// Returns the end of "….npy" when the text is a file name, else NULL.
static const char *find_npy_end(const char *text) {
  for (const char *at = strstr(text, ".npy"); at; at = strstr(at + 1, ".npy")) {
    const char *end = at + strlen(".npy");
    if (*end == 0 || *end == ':' || *end == '@')
      return end;
  }
  return NULL;
}

static TileStatus parse_npy(Cursor *cursor, const char *end,
                            TileArgText *out_arg) {
  out_arg->kind = TILE_ARG_TEXT_NPY;
  size_t length = (size_t)(end - cursor->at);
  if (length >= sizeof out_arg->path)
    return tile_status_error(TILE_STATUS_USER_ERROR,
                             "expected a file name of at most %zu bytes, got "
                             "%zu",
                             sizeof out_arg->path - 1, length);
  memcpy(out_arg->path, cursor->at, length);
  out_arg->path[length] = 0;
  cursor->at = end;
  if (accept(cursor, ":")) {
    if (!accept_dtype(cursor, &out_arg->dtype))
      return expected("an element type such as bf16", cursor);
    out_arg->has_dtype = true;
  }
  return parse_layout(cursor, out_arg);
}

static TileStatus parse_same(Cursor *cursor, TileArgText *out_arg) {
  out_arg->kind = TILE_ARG_TEXT_SAME;
  int64_t arg = 0;
  if (!accept_count(cursor, &arg) || arg > INT32_MAX)
    return expected("the index of an earlier argument", cursor);
  out_arg->arg = (int)arg;
  return expect_end(cursor);
}

//===-- Tensor maps -------------------------------------------------------===//

/// Reads a list and the comma after it, of `length` numbers of at most `max`.
static TileStatus parse_map_list(Cursor *cursor, const char *what, int length,
                                 int64_t max, int64_t *out_values) {
  const char *start = cursor->at;
  int got_length = 0;
  bool is_valid =
      accept_list(cursor, TILE_TENSOR_MAP_MAX_RANK, out_values, &got_length) &&
      accept(cursor, ",");
  for (int i = 0; is_valid && i < got_length; i++)
    is_valid = out_values[i] <= max;
  if (!is_valid || got_length != length)
    return tile_status_error(TILE_STATUS_USER_ERROR,
                             "expected %d %s and a ',', got '%s'", length, what,
                             start);
  return tile_status_ok();
}

static TileStatus parse_tensor_map(Cursor *cursor, TileArgText *out_arg) {
  out_arg->kind = TILE_ARG_TEXT_TENSOR_MAP;
  TileTensorMap *map = &out_arg->map;
  int64_t arg = 0, swizzle_bytes = 0;
  int64_t dims[TILE_TENSOR_MAP_MAX_RANK] = {0};
  int64_t strides_bytes[TILE_TENSOR_MAP_MAX_RANK] = {0};
  int64_t box[TILE_TENSOR_MAP_MAX_RANK] = {0};

  if (!accept_count(cursor, &arg) || arg > INT32_MAX || !accept(cursor, ","))
    return expected("the index of an earlier tensor argument and a ','",
                    cursor);
  out_arg->arg = (int)arg;
  const char *start = cursor->at;
  if (!accept_list(cursor, TILE_TENSOR_MAP_MAX_RANK, dims, &map->rank) ||
      map->rank == 0 || !accept(cursor, ","))
    return tile_status_error(TILE_STATUS_USER_ERROR,
                             "expected 1 to %d dimensions and a ',', got '%s'",
                             TILE_TENSOR_MAP_MAX_RANK, start);
  TileStatus status = parse_map_list(
      cursor, "strides in bytes (none for the contiguous dimension)",
      map->rank - 1, INT64_MAX, strides_bytes);
  if (tile_status_is_ok(&status))
    status = parse_map_list(cursor, "box extents", map->rank, UINT32_MAX, box);
  if (!tile_status_is_ok(&status))
    return status;
  if (!accept_count(cursor, &swizzle_bytes) ||
      (swizzle_bytes != 0 && swizzle_bytes != 32 && swizzle_bytes != 64 &&
       swizzle_bytes != 128))
    return expected("a swizzle of 0, 32, 64 or 128 bytes", cursor);

  map->swizzle_bytes = (int)swizzle_bytes;
  for (int i = 0; i < map->rank; i++) {
    map->dims[i] = (uint64_t)dims[i];
    map->strides_bytes[i] = i == 0 ? 0 : (uint64_t)strides_bytes[i - 1];
    map->box[i] = (uint32_t)box[i];
    map->elem_strides[i] = 1;
  }
  return expect_end(cursor);
}

//===-- Scalars -----------------------------------------------------------===//

static TileStatus parse_scalar(Cursor *cursor, TileArgText *out_arg) {
  out_arg->kind = TILE_ARG_TEXT_SCALAR;
  Cursor typed = *cursor;
  if (accept_dtype(&typed, &out_arg->dtype) && accept(&typed, ":")) {
    out_arg->has_dtype = true;
    *cursor = typed;
  }
  static const char what[] =
      "a tensor (ints:300x136:bf16, a.npy, …) or a number (42, 1.5, i32:42)";
  if (!*cursor->at || isspace((unsigned char)*cursor->at))
    return expected(what, cursor);

  char *end = NULL;
  errno = 0;
  long long integer = strtoll(cursor->at, &end, 0);
  out_arg->real = (double)integer;
  if (errno == ERANGE && integer > 0) { // unsigned numbers of 64 bits
    errno = 0;
    unsigned long long bits = strtoull(cursor->at, &end, 0);
    integer = (long long)bits;
    out_arg->real = (double)bits;
  }
  out_arg->is_integer = *end == 0 && end != cursor->at && errno == 0;
  if (out_arg->is_integer) {
    out_arg->integer = integer;
    return tile_status_ok();
  }
  out_arg->real = strtod(cursor->at, &end);
  return *end || end == cursor->at ? expected(what, cursor) : tile_status_ok();
}

//===-- Entry -------------------------------------------------------------===//

TileStatus tile_arg_text_parse(const char *text, TileArgText *out_arg) {
  static const char *const fills[] = {
      [TILE_FILL_ZEROS] = "zeros:",
      [TILE_FILL_ONES] = "ones:",
      [TILE_FILL_INTS] = "ints:",
      [TILE_FILL_NORMAL] = "normal:",
  };
  *out_arg = (TileArgText){0};
  Cursor cursor = {text};
  out_arg->is_memory_only = accept(&cursor, "mem:");
  for (int i = 0; i < (int)(sizeof fills / sizeof fills[0]); i++) {
    if (accept(&cursor, fills[i])) {
      out_arg->fill = (TileFill)i;
      return parse_fill(&cursor, out_arg);
    }
  }
  if (accept(&cursor, "same:"))
    return parse_same(&cursor, out_arg);
  const char *npy_end = find_npy_end(cursor.at);
  if (npy_end)
    return parse_npy(&cursor, npy_end, out_arg);
  if (out_arg->is_memory_only)
    return expected("a tensor after 'mem:'", &cursor);
  if (accept(&cursor, "tmap:"))
    return parse_tensor_map(&cursor, out_arg);
  return parse_scalar(&cursor, out_arg);
}
