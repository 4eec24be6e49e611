//===- TileAttributeNames.c - Attributes that nobody reads ----------------===//
//
// MLIR keeps attributes that no op declares. `num_stages` without its prefix is
// such a one: legal, and without effect. Those whose name is close to one of
// ours get a warning. Ops of this dialect refuse what they do not have.
//
//===----------------------------------------------------------------------===//

#include "Ops.h"
#include "Support/Build.h"
#include "Support/Diagnostics.h"
#include "Tile/Ops/func.h"
#include "Tile/Ops/scf.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>

//===-- Names -------------------------------------------------------------===//

enum { NAME_BYTES = 48 };

// Lower case, without what separates words.
static void plain_name(MlirStringRef name, char out[NAME_BYTES]) {
  size_t used = 0;
  for (size_t i = 0; i < name.length && used < NAME_BYTES - 1; i++)
    if (isalnum((unsigned char)name.data[i]))
      out[used++] = (char)tolower((unsigned char)name.data[i]);
  out[used] = '\0';
}

static int least(int a, int b) { return a < b ? a : b; }

// The fewest letters to insert, remove or replace.
static int distance_of(const char *a, const char *b) {
  int row[NAME_BYTES];
  int a_length = (int)strlen(a), b_length = (int)strlen(b);
  for (int j = 0; j <= b_length; j++)
    row[j] = j;
  for (int i = 1; i <= a_length; i++) {
    int diagonal = row[0];
    row[0] = i;
    for (int j = 1; j <= b_length; j++) {
      int replaced = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = least(replaced, least(row[j], row[j - 1]) + 1);
    }
  }
  return row[b_length];
}

typedef enum { SAME, CLOSE, NUM_MATCHES } Match;

// A typo in a long name is still that name; short ones have many neighbours.
static bool is_match(MlirStringRef written, const char *name, Match match) {
  enum { LETTERS_PER_TYPO = 5 };
  char a[NAME_BYTES], b[NAME_BYTES];
  plain_name(written, a);
  plain_name(tile_str(name), b);
  int most = match == SAME ? 0 : (int)strlen(b) / LETTERS_PER_TYPO;
  return distance_of(a, b) <= most;
}

//===-- Where names are read ----------------------------------------------===//

static bool is_loop(MlirOperation op) {
  return scf_for_is(op) || scf_while_is(op);
}

static bool is_launch_or_loop(MlirOperation op) {
  return tile_kernel_is(op) || is_loop(op);
}

static bool is_func(MlirOperation op) { return func_func_is(op); }

static bool is_any(MlirOperation op) {
  (void)op;
  return true;
}

// The first entry that fits counts.
static const struct {
  const char *name;
  bool (*is_on)(MlirOperation op);
  const char *attribute; // what is read, when it is an attribute there
  const char *cure;
} places[] = {
    {"num_stages", is_loop, "tile.num_stages", "'tile.num_stages'"},
    {"stages", is_loop, "tile.num_stages", "'tile.num_stages'"},
    {"pipeline_stages", is_loop, "tile.num_stages", "'tile.num_stages'"},
    {"specialize", is_loop, "tile.specialize", "'tile.specialize'"},
    {"stage", is_any, "tile.stage", "'tile.stage'"},
    {"order", is_any, "tile.order", "'tile.order'"},
    {"group", is_any, "tile.group", "'tile.group'"},
    {"num_threads", is_func, "tile.num_threads", "'tile.num_threads'"},
    {"specialize", is_launch_or_loop, NULL,
     "tile.kernel_config {specialize = …} in the kernel"},
    {"persist", is_launch_or_loop, NULL,
     "tile.kernel_config {persist = …} in the kernel"},
    {"persistent", is_launch_or_loop, NULL,
     "tile.kernel_config {persist = …} in the kernel"},
    {"producer_warps", is_launch_or_loop, NULL,
     "tile.kernel_config {producer_warps = …} in the kernel"},
    {"min_blocks", is_launch_or_loop, NULL,
     "tile.kernel_config {min_blocks = …} in the kernel"},
    {"registers", is_launch_or_loop, NULL,
     "tile.kernel_config {registers = …} in the kernel"},
    {"rotate", is_launch_or_loop, NULL,
     "tile.kernel_config {rotate = …} in the kernel"},
    {"partition", is_launch_or_loop, NULL,
     "tile.kernel_config {partition = …} in the kernel"},
    {"split", is_launch_or_loop, NULL,
     "tile.kernel_config {split = …} in the kernel"},
};

static void warn(MlirOperation op, MlirStringRef written, const char *cure) {
  tile_emit_warning_with_notes(op, 0, NULL, "tile-attribute/ignored",
                               "'%.*s' is not read here; write %s",
                               (int)written.length, written.data, cure);
}

static bool has_attribute(MlirOperation op, const char *name) {
  return name &&
         !mlirAttributeIsNull(
             mlirOperationGetDiscardableAttributeByName(op, tile_str(name)));
}

// Whether the name has a place that fits.
static bool check_places(MlirOperation op, MlirStringRef written, Match match) {
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    if (!places[i].is_on(op) || !is_match(written, places[i].name, match))
      continue;
    if (!has_attribute(op, places[i].attribute))
      warn(op, written, places[i].cure);
    return true;
  }
  return false;
}

static void check_name(MlirOperation op, MlirStringRef written) {
  bool is_found = memchr(written.data, '.', written.length); // of a dialect
  for (Match match = SAME; match < NUM_MATCHES && !is_found; match++)
    is_found = check_places(op, written, match);
}

//===-- Entry -------------------------------------------------------------===//

static MlirWalkResult visit(MlirOperation op, void *user_data) {
  (void)user_data;
  intptr_t count = mlirOperationGetNumDiscardableAttributes(op);
  if (count == 0 || !(tile_kernel_around(op).ptr || func_func_is(op)) ||
      tile_is_in_fallback_variant(op))
    return MlirWalkResultAdvance;
  for (intptr_t i = 0; i < count; i++)
    check_name(op, mlirIdentifierStr(
                       mlirOperationGetDiscardableAttribute(op, i).name));
  return MlirWalkResultAdvance;
}

void tile_ignored_attributes_warn(MlirOperation root) {
  mlirOperationWalk(root, visit, NULL, MlirWalkPreOrder);
}
