//===- PtxJoin.c - The PTX of parts becomes one file ----------------------===//
//
// Consumes: texts of LLVM's NVPTX back end for one chip, whose names differ but
//           for those of external declarations, which are alike.
// Produces: the header of the first; of each part the declarations that are new
//           and its functions; the names of source files at the end.
// Fails:    a part has sections for debuggers.
//
//===----------------------------------------------------------------------===//

#include "PtxPart.h"

#include "Support/Arena.h"
#include "Support/Lists.h"
#include <stdlib.h>
#include <string.h>

/// A piece of text, borrowed from a part.
typedef struct {
  const char *data;
  size_t size_bytes;
} Piece;

typedef struct {
  TileArena arena;
  Piece *externs; // declarations so far
  size_t num_externs, max_externs;
  Piece *files; // names of source files with their quotes; number: index + 1
  size_t num_files, max_files;
  size_t *numbers; // those of the part's files in the whole; by number
  size_t num_numbers, max_numbers;
  bool has_trailer;
  TileString *out;
} Joint;

static const char header_end[] = ".address_size 64\n";
static const char trailer[] = "\t.section\t.debug_macinfo\t{\t}\n";
static const char section_start[] = "\t.section\t";
static const char file_start[] = "\t.file\t";
static const char loc_start[] = "\t.loc\t";
static const char extern_start[] = ".extern ";

static bool begins(const char *text, const char *prefix) {
  return strncmp(text, prefix, strlen(prefix)) == 0;
}

static size_t line_bytes(const char *line) {
  size_t length = strcspn(line, "\n");
  return length + (line[length] == '\n');
}

// Whether the piece is in the list, which gets it; `*out_index` is its place.
static bool add(Joint *joint, Piece **items, size_t *count, size_t *max,
                Piece piece, size_t *out_index) {
  for (size_t i = 0; i < *count; i++) {
    *out_index = i;
    if ((*items)[i].size_bytes == piece.size_bytes &&
        !memcmp((*items)[i].data, piece.data, piece.size_bytes))
      return true;
  }
  TILE_ARENA_RESERVE(&joint->arena, *items, *count, *max);
  *out_index = *count;
  (*items)[(*count)++] = piece;
  return false;
}

//===-- Source files ------------------------------------------------------===//

// "\t.file\t3 \"a.mlir\"": notes which number the name has in the whole.
static bool take_file(Joint *joint, const char *line) {
  char *end;
  size_t number = strtoul(line + strlen(file_start), &end, 10);
  if (*end != ' ' || number != joint->num_numbers + 1)
    return false;
  size_t index;
  Piece name = {end + 1, strcspn(end + 1, "\n")};
  add(joint, &joint->files, &joint->num_files, &joint->max_files, name, &index);
  TILE_ARENA_RESERVE(&joint->arena, joint->numbers, joint->num_numbers,
                     joint->max_numbers);
  joint->numbers[joint->num_numbers++] = index + 1;
  return true;
}

// Reads the end of a part; false when it holds more than names of files.
static bool take_trailer(Joint *joint, const char *at) {
  joint->num_numbers = 0;
  for (; *at; at += line_bytes(at)) {
    if (begins(at, trailer))
      joint->has_trailer = true;
    else if (*at != '\n' && !(begins(at, file_start) && take_file(joint, at)))
      return false;
  }
  return true;
}

static const char *find_trailer(const char *ptx) {
  const char *at = ptx;
  while (*at && !begins(at, section_start) && !begins(at, file_start))
    at += line_bytes(at);
  return at;
}

// "\t.loc\t1 32 3"
static bool write_loc(const Joint *joint, const char *line) {
  char *end;
  size_t number = strtoul(line + strlen(loc_start), &end, 10);
  size_t rest_bytes = line_bytes(end);
  // An inlined call names a file once more.
  if (number < 1 || number > joint->num_numbers || memchr(end, ',', rest_bytes))
    return false;
  tile_string_print(joint->out, "%s%zu", loc_start, joint->numbers[number - 1]);
  tile_string_append(joint->out, end, rest_bytes);
  return true;
}

//===-- Parts -------------------------------------------------------------===//

// A declaration ends with the first semicolon.
static size_t write_extern(Joint *joint, const char *at) {
  size_t index, size_bytes = strcspn(at, ";");
  size_bytes += line_bytes(at + size_bytes);
  Piece piece = {at, size_bytes};
  if (!add(joint, &joint->externs, &joint->num_externs, &joint->max_externs,
           piece, &index))
    tile_string_append(joint->out, at, size_bytes);
  return size_bytes;
}

static bool write_part(Joint *joint, const char *ptx, bool is_first) {
  const char *end = find_trailer(ptx);
  const char *at = strstr(ptx, header_end);
  if (!at || !take_trailer(joint, end))
    return false;
  at += strlen(header_end);
  if (is_first)
    tile_string_append(joint->out, ptx, (size_t)(at - ptx));
  bool has_code = is_first; // no empty lines before it in others
  while (at < end) {
    if (begins(at, extern_start)) {
      at += write_extern(joint, at);
      continue;
    }
    size_t size_bytes = line_bytes(at);
    has_code |= *at == '{';
    if (begins(at, loc_start) && !write_loc(joint, at))
      return false;
    if (!begins(at, loc_start) && (has_code || *at != '\n'))
      tile_string_append(joint->out, at, size_bytes);
    at += size_bytes;
  }
  return true;
}

bool tile_ptx_join(const TilePtxPart *parts, size_t count, TileString *out) {
  Joint joint = {.out = out};
  bool is_ok = true;
  for (size_t i = 0; i < count && is_ok; i++)
    is_ok = write_part(&joint, parts[i].ptx, i == 0);
  if (joint.has_trailer)
    tile_string_append(out, trailer, strlen(trailer));
  for (size_t i = 0; i < joint.num_files; i++)
    tile_string_print(out, "%s%zu %.*s\n", file_start, i + 1,
                      (int)joint.files[i].size_bytes, joint.files[i].data);
  tile_arena_deinit(&joint.arena);
  return is_ok;
}
