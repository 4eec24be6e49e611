//===- ProtocolElements.c - What element loops do to slots ----------------===//
//
// An element of a ring is indexed by its slot, which is the same for all
// elements of the loop, and by places in it. A place that is one parallel index
// plus a constant sweeps a window. Stores under a guard fill nothing for sure,
// but where both branches store.
//
//===----------------------------------------------------------------------===//

#include "ProtocolExtract.h"

#include "Analysis/Index/Index.h"
#include "Dialect/ElementLoops.h"
#include "Support/Iterate.h"
#include "Tile/Ops/scf.h"

enum { MAX_TOUCHED = 8 };

typedef struct {
  int channel;
  TileProtocolScalarId slot;
  uint64_t reads;
  bool is_read, is_written;
} Touched;

typedef struct {
  Extract *extract;
  TileParallelOp loop;
  Touched touched[MAX_TOUCHED];
  int num_touched;
} Elements;

/// Cells that each touched slot surely has been filled in.
typedef struct {
  uint64_t cells[MAX_TOUCHED];
} Filled;

//===-- Windows -----------------------------------------------------------===//

bool extract_element_window(TileParallelOp loop, MlirOperation op, int rank,
                            int64_t *offset, int64_t *size) {
  TileElementAccess access;
  unsigned used = 0;
  if (!tile_element_access_get(op, &access))
    return false;
  for (int d = 0; d < rank; d++) {
    TileLinearIndex index =
        tile_linear_index(loop, tile_range_at(access.indices, d + 1));
    if (!index.is_linear || !index.is_rest_known)
      return false;
    offset[d] = index.rest;
    size[d] = 1;
    for (int k = 0; k < TILE_MAX_RANK; k++) {
      if (index.factor[k] == 0)
        continue;
      if (index.factor[k] != 1 || size[d] != 1 || (used & 1u << k))
        return false;
      used |= 1u << k;
      size[d] = tile_parallel_extents(loop, k);
    }
  }
  return true;
}

//===-- Accesses ----------------------------------------------------------===//

static bool same_slot(const Extract *e, TileProtocolScalarId a,
                      TileProtocolScalarId b) {
  const TileProtocolScalar *x = &e->out->scalars[a], *y = &e->out->scalars[b];
  return a == b ||
         (x->kind == TILE_PROTOCOL_CONST && y->kind == TILE_PROTOCOL_CONST &&
          x->constant == y->constant);
}

static int touch(Elements *e, MlirOperation op, int channel, MlirValue index) {
  Extract *extract = e->extract;
  if (e->loop.op.ptr && tile_parallel_dependence(e->loop, index)) {
    extract_fail(extract, op,
                 "uses a slot that differs from element to "
                 "element");
    return -1;
  }
  TileProtocolScalarId slot = extract_scalar(extract, index);
  for (int i = 0; i < e->num_touched; i++)
    if (e->touched[i].channel == channel &&
        same_slot(extract, e->touched[i].slot, slot))
      return i;
  if (e->num_touched == MAX_TOUCHED) {
    extract_fail(extract, op, "is in an element loop that uses too many slots");
    return -1;
  }
  e->touched[e->num_touched] = (Touched){.channel = channel, .slot = slot};
  return e->num_touched++;
}

static void visit_access(Elements *e, const TileElementAccess *access,
                         Filled *filled) {
  int64_t offset[TILE_MAX_RANK], size[TILE_MAX_RANK];
  bool is_view;
  const CellsRing *ring = extract_ring_of(e->extract, access->memref, &is_view);
  if (!ring)
    return;
  bool is_window =
      !is_view && e->loop.op.ptr &&
      extract_element_window(e->loop, access->op, ring->rank, offset, size);
  int i =
      touch(e, access->op, ring->channel, tile_range_at(access->indices, 0));
  if (i < 0)
    return;
  if (!access->is_store) {
    e->touched[i].is_read = true;
    e->touched[i].reads |= is_window ? extract_window_cells(ring, offset, size)
                                     : extract_ring_cells(ring);
    return;
  }
  e->touched[i].is_written = true;
  if (is_window && !access->is_atomic)
    filled->cells[i] |= extract_window_cells(ring, offset, size);
}

static void visit_block(Elements *e, MlirBlock block, Filled *filled);

static void visit_op(Elements *e, MlirOperation op, Filled *filled) {
  TileElementAccess access;
  Filled inner[2] = {{{0}}};
  if (tile_element_access_get(op, &access))
    visit_access(e, &access, filled);
  for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); r++) {
    MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r));
    for (; !mlirBlockIsNull(block); block = mlirBlockGetNextInRegion(block))
      visit_block(e, block, &inner[r & 1]);
  }
  for (int i = 0; i < MAX_TOUCHED && scf_if_is(op); i++)
    filled->cells[i] |= inner[0].cells[i] & inner[1].cells[i];
}

static void visit_block(Elements *e, MlirBlock block, Filled *filled) {
  TILE_FOR_EACH_OP (op, block) {
    visit_op(e, op, filled);
  }
}

//===-- Entry -------------------------------------------------------------===//

bool extract_elements(Writer *w, MlirOperation op) {
  TileElementAccess access;
  Elements e = {.extract = w->extract, .loop = tile_parallel_dyn(op)};
  Filled filled = {{0}};
  TileProtocolNode *read = NULL;
  if (e.loop.op.ptr)
    visit_block(&e, tile_parallel_block(e.loop), &filled);
  else if (tile_element_access_get(op, &access))
    visit_access(&e, &access, &filled);
  else
    return false;
  for (int i = 0; i < e.num_touched; i++) {
    const Touched *t = &e.touched[i];
    if (!t->is_read)
      continue;
    if (!read)
      read = extract_add_node(w, TILE_PROTOCOL_READ, op);
    if (read->num_reads == TILE_PROTOCOL_MAX_READS) {
      extract_fail(w->extract, op, "reads more slots than can be followed");
      return true;
    }
    read->reads[read->num_reads++] =
        (TileProtocolRead){t->channel, t->slot, t->reads};
  }
  for (int i = 0; i < e.num_touched; i++) {
    if (!e.touched[i].is_written)
      continue;
    TileProtocolNode *node = extract_add_node(w, TILE_PROTOCOL_FILL, op);
    node->channel = e.touched[i].channel;
    node->slot = e.touched[i].slot;
    node->cells = filled.cells[i];
    node->fill = TILE_PROTOCOL_BY_STORES;
  }
  return true;
}
