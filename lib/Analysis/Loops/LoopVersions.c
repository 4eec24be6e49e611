//===- LoopVersions.c - Which buffers each iteration may have for itself --===//
//
// A shared tile may have a version per iteration when no value passes through
// it from one iteration to another, into the loop or out of it:
//
//   (V1) every read in the loop is covered by writes before it in the same
//        iteration, on every path that leads to the read;
//   (V2) every read elsewhere follows, in its block, a write of the whole tile
//        that is not before the loop;
//   (V3) only tile ops, windows, views, and loads and stores of elements use
//        it, and a slot more of each view has a rank that tiles may have;
//   (V4) no two copies from tensors write the same part of it in one iteration:
//        asynchronous ones of one slot land in any order.
//
//===----------------------------------------------------------------------===//

#include "Analysis/Index/Index.h"
#include "Dialect/ElementLoops.h"
#include "Loops.h"
#include "Tile/Ops/memref.h"

//===-- Boxes -------------------------------------------------------------===//

// The window of `tile` in its buffer; false when an offset is not constant, and
// for windows of views, whose elements have other indices.
static bool box_of(MlirValue tile, TileBox *out) {
  TileShape shape;
  return tile_shape_of(tile_buffer_of(tile).root, &shape) &&
         tile_shape_is_static(&shape) && tile_box_in_root(tile, out) &&
         tile_box_is_constant(out);
}

// What an access touches.
static bool box_of_access(const TileLoopAccess *access, TileBox *out) {
  if (!box_of(access->tile, out))
    return false;
  for (int d = 0; d < out->rank && access->part; d++)
    tile_box_set_range(out, d, access->part->begin[d], access->part->end[d]);
  return true;
}

static bool box_meets(const TileBox *a, const TileBox *b) {
  return tile_boxes_overlap_as_named(a, b) != TILE_OVERLAP_NONE;
}

//===-- Cover -------------------------------------------------------------===//

typedef struct {
  const TileLoopBody *body;
  int buffer, reader; // statement that reads
  MlirValue tile;     // what it reads
} Read;

static bool is_prefix(const TileGuard *path, int length,
                      const TileStatement *s) {
  if (length > s->num_guards)
    return false;
  for (int g = 0; g < length; g++)
    if (!mlirOperationEqual(path[g].op, s->guards[g].op) ||
        path[g].branch != s->guards[g].branch)
      return false;
  return true;
}

// The next sure write of the buffer before the reader, from `*statement` on, on
// exactly the path given.
static bool next_write(const Read *read, const TileGuard *path, int length,
                       int *statement, int *access) {
  const TileLoopBody *body = read->body;
  for (int i = *statement; i < read->reader; i++, *access = 0) {
    const TileStatement *s = &body->statements[i];
    if (s->num_guards != length || !is_prefix(path, length, s))
      continue;
    for (int a = *access; a < s->num_accesses; a++)
      if (s->accesses[a].buffer == read->buffer && s->accesses[a].writes &&
          s->accesses[a].is_sure) {
        *statement = i;
        *access = a + 1;
        return true;
      }
  }
  return false;
}

static bool is_covered(const Read *read, const TileBox *box,
                       const TileGuard *path, int length);

// The parts of `box` outside `write`, at most two for each dimension.
static bool rest_is_covered(const Read *read, TileBox box, const TileBox *write,
                            const TileGuard *path, int length) {
  for (int d = 0; d < box.rank; d++) {
    TileBox part = box;
    int64_t begin = box.offset[d].constant, end = begin + box.size[d];
    int64_t first = write->offset[d].constant, last = first + write->size[d];
    if (begin < first) {
      tile_box_set_range(&part, d, begin, first);
      if (!is_covered(read, &part, path, length))
        return false;
      begin = first;
    }
    if (end > last) {
      tile_box_set_range(&part, d, last, end);
      if (!is_covered(read, &part, path, length))
        return false;
      end = last;
    }
    tile_box_set_range(&box, d, begin, end);
  }
  return true;
}

// The writes in both branches of an `scf.if` cover together.
static bool branches_cover(const Read *read, const TileBox *box,
                           const TileGuard *path, int length) {
  TileGuard inner[32];
  if (length + 1 >= (int)(sizeof inner / sizeof *inner))
    return false; // safe: the buffer is merely not versioned
  for (int g = 0; g < length; g++)
    inner[g] = path[g];
  for (int i = 0; i < read->reader; i++) {
    const TileStatement *s = &read->body->statements[i];
    const TileStatement *reader = &read->body->statements[read->reader];
    if (s->num_guards <= length || !is_prefix(path, length, s) ||
        s->guards[length].branch != 0)
      continue;
    inner[length] = s->guards[length];
    if (is_prefix(inner, length + 1, reader))
      continue; // the reader is in this branch itself
    bool both = is_covered(read, box, inner, length + 1);
    inner[length].branch = 1;
    if (both && is_covered(read, box, inner, length + 1))
      return true;
  }
  return false;
}

// Whether writes on this path before the reader fill `box`. Ends: every level
// of recursion has a smaller box or a longer path.
static bool is_covered(const Read *read, const TileBox *box,
                       const TileGuard *path, int length) {
  int statement = 0, access = 0;
  while (next_write(read, path, length, &statement, &access)) {
    TileBox write;
    if (box_of_access(&read->body->statements[statement].accesses[access - 1],
                      &write) &&
        box_meets(box, &write))
      return rest_is_covered(read, *box, &write, path, length);
  }
  return branches_cover(read, box, path, length);
}

// The same window, written before on a path that leads here.
static bool is_rewritten(const Read *read) {
  const TileStatement *reader = &read->body->statements[read->reader];
  for (int length = 0; length <= reader->num_guards; length++) {
    int statement = 0, access = 0;
    while (next_write(read, reader->guards, length, &statement, &access)) {
      const TileLoopAccess *write =
          &read->body->statements[statement].accesses[access - 1];
      if (!write->part && mlirValueEqual(write->tile, read->tile))
        return true;
    }
  }
  return false;
}

static bool read_is_covered(const Read *read) {
  const TileStatement *reader = &read->body->statements[read->reader];
  TileBox box;
  if (is_rewritten(read))
    return true;
  // A window that moves lies somewhere in the whole tile.
  if (!box_of(read->tile, &box) &&
      !box_of(tile_buffer_of(read->tile).root, &box))
    return false;
  for (int length = 0; length <= reader->num_guards; length++)
    if (is_covered(read, &box, reader->guards, length))
      return true;
  return false;
}

//===-- Uses elsewhere ----------------------------------------------------===//

static bool reads_tile(MlirOperation op, MlirValue root, bool *out_writes) {
  TileAccess accesses[TILE_MAX_ACCESSES];
  int n = tile_accesses_get(op, accesses);
  bool reads =
      memref_load_is(op) &&
      mlirValueEqual(
          tile_buffer_of(memref_load_memref(memref_load_cast(op))).root, root);
  *out_writes = false;
  for (int i = 0; i < n; i++) {
    if (!mlirValueEqual(tile_buffer_of(accesses[i].tile).root, root))
      continue;
    reads |= accesses[i].reads;
    *out_writes |= accesses[i].writes &&
                   mlirValueEqual(accesses[i].tile, root); // all of it
  }
  return reads;
}

// (V2) for one user outside the loop.
static bool is_local_use(MlirOperation user, MlirValue root,
                         MlirOperation loop) {
  bool writes;
  if (!reads_tile(user, root, &writes))
    return true;
  MlirBlock block = mlirOperationGetBlock(user);
  bool found = false;
  for (MlirOperation op = mlirBlockGetFirstOperation(block);
       !mlirOperationEqual(op, user); op = mlirOperationGetNextInBlock(op)) {
    if (tile_op_is_inside(loop, op))
      found = false;
    reads_tile(op, root, &writes);
    found |= writes;
  }
  return found;
}

// Checks the users of `value`, a tile, a window or a view of it; null when they
// agree with (V2) and (V3), else the first one that does not.
static MlirOperation find_foreign_use(MlirValue value, MlirValue root,
                                      MlirOperation loop,
                                      const char **out_code) {
  for (MlirOpOperand use = mlirValueGetFirstUse(value);
       !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    TileAccess accesses[TILE_MAX_ACCESSES];
    TileElementAccess element;
    TileShape shape;
    *out_code = "tile-pipeline/rank";
    if (tile_view_is(user) &&
        (!tile_shape_of(mlirOperationGetResult(user, 0), &shape) ||
         shape.rank == TILE_MAX_RANK))
      return user;
    *out_code = "tile-pipeline/use";
    if (tile_region_is(user) || tile_view_is(user)) {
      MlirOperation foreign = find_foreign_use(mlirOperationGetResult(user, 0),
                                               root, loop, out_code);
      if (foreign.ptr)
        return foreign;
      continue;
    }
    if (tile_accesses_get(user, accesses) == 0 &&
        !tile_element_access_get(user, &element))
      return user;
    *out_code = "tile-pipeline/used-outside";
    if (!tile_op_is_inside(user, loop) && !is_local_use(user, root, loop))
      return user;
  }
  return (MlirOperation){NULL};
}

//===-- Entry -------------------------------------------------------------===//

// (V1); null when it holds, else the op that reads what was not written.
static MlirOperation find_stale_read(const TileLoopBody *body, int buffer) {
  for (int i = 0; i < body->num_statements; i++) {
    const TileStatement *s = &body->statements[i];
    for (int a = 0; a < s->num_accesses; a++) {
      if (s->accesses[a].buffer != buffer || !s->accesses[a].reads)
        continue;
      Read read = {body, buffer, i, s->accesses[a].tile};
      if (!read_is_covered(&read))
        return s->op;
    }
  }
  return (MlirOperation){NULL};
}

static bool copies_meet(const TileStatement *a, const TileStatement *b,
                        int buffer) {
  for (int i = 0; i < a->num_accesses; i++)
    for (int j = 0; j < b->num_accesses; j++) {
      const TileLoopAccess *x = &a->accesses[i], *y = &b->accesses[j];
      TileBox first, second;
      if (x->buffer == buffer && y->buffer == buffer && x->writes &&
          y->writes &&
          (!box_of_access(x, &first) || !box_of_access(y, &second) ||
           box_meets(&first, &second)))
        return true;
    }
  return false;
}

// A copy that may be asynchronous.
static bool is_fetch(MlirOperation op) {
  TileShape src;
  if (tile_copy_loop_is(op))
    return true;
  return tile_copy_is(op) &&
         tile_shape_of(tile_copy_src(tile_copy_cast(op)), &src) &&
         src.space == TILE_SPACE_GLOBAL;
}

// (V4); null when it holds, else the second copy.
static MlirOperation find_second_copy(const TileLoopBody *body, int buffer) {
  for (int i = 0; i < body->num_statements; i++)
    for (int j = i + 1; j < body->num_statements; j++) {
      const TileStatement *a = &body->statements[i], *b = &body->statements[j];
      if (is_fetch(a->op) && is_fetch(b->op) &&
          !tile_statements_exclude(a, b) && copies_meet(a, b, buffer))
        return b->op;
    }
  return (MlirOperation){NULL};
}

// (V1) to (V3), of registers.
static bool is_renewed(const TileLoopBody *body, int buffer) {
  MlirValue root = body->buffers[buffer].root;
  const char *code;
  return body->buffers[buffer].space == TILE_SPACE_FRAGMENT &&
         body->buffers[buffer].is_written &&
         !find_foreign_use(root, root, body->loop.op, &code).ptr &&
         !find_stale_read(body, buffer).ptr;
}

void tile_loop_versions_find(TileLoopBody *body) {
  for (int i = 0; i < body->num_buffers; i++) {
    TileLoopBuffer *buffer = &body->buffers[i];
    TileAllocOp alloc = tile_buffer_alloc((TileBuffer){buffer->root, {NULL}});
    TileShape shape;
    buffer->is_renewed = is_renewed(body, i);
    if (buffer->space != TILE_SPACE_SHARED || !buffer->is_written ||
        mlirOperationIsNull(alloc.op) || !tile_shape_of(buffer->root, &shape))
      continue;
    buffer->blame = (MlirOperation){NULL};
    if (shape.rank == TILE_MAX_RANK) {
      buffer->code = "tile-pipeline/rank";
      buffer->blame = alloc.op;
      continue;
    }
    buffer->blame = find_foreign_use(buffer->root, buffer->root, body->loop.op,
                                     &buffer->code);
    if (buffer->blame.ptr)
      continue;
    buffer->blame = find_stale_read(body, i);
    buffer->code = buffer->blame.ptr ? "tile-pipeline/stale-read" : NULL;
    if (!buffer->code) {
      buffer->blame = find_second_copy(body, i);
      buffer->code = buffer->blame.ptr ? "tile-pipeline/overwritten" : NULL;
    }
    buffer->is_versioned = !buffer->code;
  }
}
