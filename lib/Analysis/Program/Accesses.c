//===- Accesses.c - Shared tiles that programs access ---------------------===//
//
// A window is what an operand names of a shared tile: constant places of one
// slot of a ring, or of the whole tile.
//
//===----------------------------------------------------------------------===//

#include "ProgramBuild.h"

#include "Analysis/Index/Index.h"
#include "Analysis/Loops/Loops.h"
#include "Analysis/Memory/Memory.h"
#include "Dialect/ElementLoops.h"
#include "Dialect/Products.h"
#include "Support/Iterate.h"
#include "Tile/Ops/memref.h"
#include "Tile/Ops/scf.h"

//===-- Windows -----------------------------------------------------------===//

static int buffer_index(ProgramBuild *e, MlirValue root) {
  ProofProgram *p = e->out;
  for (int i = 0; i < p->num_buffers; i++)
    if (p->buffers[i].root == root.ptr)
      return i;
  TILE_ARENA_RESERVE(e->arena, p->buffers, p->num_buffers, p->buffer_capacity);
  p->buffers[p->num_buffers] = (ProofBuffer){root.ptr, 1, PROOF_NONE};
  return p->num_buffers++;
}

// A view of a ring may have other slots: then nobody asks what they hold.
static void name_ring(ProgramBuild *e, MlirValue ring, int empty_row) {
  ProofProgram *p = e->out;
  MlirValue root = tile_buffer_of(ring).root;
  for (int i = 0; i < p->num_buffers; i++)
    if (p->buffers[i].root == root.ptr && empty_row >= 0 &&
        p->buffers[i].num_slots == p->rows[empty_row].depth)
      p->buffers[i].empty_row = empty_row;
}

static MlirWalkResult name_rings(MlirOperation op, void *user_data) {
  ProgramBuild *e = user_data;
  TileRange rings = {0};
  int row = PROOF_NONE;
  if (tile_channel_is(op)) {
    rings = tile_channel_rings(tile_channel_cast(op));
    row = program_row_of(e, mlirOperationGetResult(op, 0), true);
  } else if (tile_channel_barriers_is(op)) {
    TileChannelBarriersOp channel = tile_channel_barriers_cast(op);
    rings = tile_channel_barriers_rings(channel);
    row = program_row_of(e, tile_channel_barriers_empty(channel), false);
  }
  for (intptr_t i = 0; i < rings.n; i++)
    name_ring(e, tile_range_at(rings, i), row);
  return MlirWalkResultAdvance;
}

void program_bytes(ProgramBuild *e) {
  ProofProgram *p = e->out;
  int n = p->num_buffers;
  p->shares = TILE_ARENA_NEW(e->arena, bool, n *n + 1);
  for (int a = 0; a < n; a++)
    for (int b = 0; b < n; b++)
      p->shares[a * n + b] =
          tile_share_bytes((MlirValue){(void *)p->buffers[a].root},
                           (MlirValue){(void *)p->buffers[b].root});
  mlirOperationWalk(e->kernel, name_rings, e, MlirWalkPreOrder);
}

static bool same_window(const ProofWindow *a, const ProofWindow *b) {
  if (a->buffer != b->buffer || a->has_slot != b->has_slot ||
      a->rank != b->rank || a->is_exact != b->is_exact)
    return false;
  for (int d = 0; d < a->rank; d++)
    if (a->offset[d] != b->offset[d] || a->size[d] != b->size[d])
      return false;
  return true;
}

static int add_window(ProgramBuild *t, const ProofWindow *window) {
  ProofProgram *p = t->out;
  for (int i = 0; i < p->num_windows; i++)
    if (same_window(&p->windows[i], window))
      return i;
  TILE_ARENA_RESERVE(t->arena, p->windows, p->num_windows, p->window_capacity);
  p->windows[p->num_windows] = *window;
  return p->num_windows++;
}

// The window that all of `shape` is, of one slot or of all.
static ProofWindow whole_window(int buffer, const TileShape *shape,
                                bool has_slot) {
  ProofWindow out = {.buffer = buffer,
                     .has_slot = has_slot,
                     .rank = shape->rank - has_slot,
                     .is_exact = true};
  for (int d = 0; d < out.rank; d++)
    out.size[d] = shape->extent[d + has_slot];
  return out;
}

static bool drops_first(TileRegionOp region) {
  return tile_region_dropped_size(region) > 0 &&
         tile_region_dropped(region, 0) == 0 &&
         tile_region_static_sizes(region, 0) == 1;
}

static void cut_window(TileRegionOp region, bool has_slot, ProofWindow *out) {
  for (int d = 0; d < out->rank; d++) {
    TileInt offset = tile_region_offset(region, d + has_slot);
    if (!tile_int_is_constant(offset)) {
      out->is_exact = false;
      continue;
    }
    out->offset[d] = offset.constant;
    out->size[d] = tile_region_static_sizes(region, d + has_slot);
  }
}

static ProofScalarId index_scalar(ProgramBuild *e, TileInt index) {
  return tile_int_is_constant(index) ? program_constant(e, index.constant)
                                     : program_scalar(e, index.value);
}

enum { MAX_SLOTS = 64 };

static bool has_slots(ProgramBuild *t, int buffer, const TileShape *root) {
  if (root->rank < 2 || root->extent[0] < 1 || root->extent[0] > MAX_SLOTS)
    return false;
  t->out->buffers[buffer].num_slots = (int)root->extent[0];
  return true;
}

// The window that a tile operand names. False when it is not shared memory.
static bool window_of_tile(ProgramBuild *t, MlirValue tile, int *out_window,
                           ProofScalarId *out_slot) {
  TileBuffer buffer = tile_buffer_of(tile);
  TileShape root, base;
  if (!tile_shape_of(buffer.root, &root) || root.space != TILE_SPACE_SHARED ||
      !tile_shape_of(buffer.base, &base))
    return false;
  int index = buffer_index(t, buffer.root);
  bool is_view = !mlirValueEqual(buffer.root, buffer.base);
  *out_slot = PROOF_ALL_SLOTS;
  if (!buffer.region.ptr) {
    ProofWindow window = whole_window(index, &root, false);
    *out_window = add_window(t, &window);
    return true;
  }
  TileRegionOp region = tile_region_cast(mlirOpResultGetOwner(buffer.region));
  bool has_slot = drops_first(region) && base.extent[0] == root.extent[0] &&
                  has_slots(t, index, &root);
  ProofWindow window = whole_window(index, &root, has_slot);
  if (!is_view)
    cut_window(region, has_slot, &window);
  else if (tile_shape_num_elems(&root) != tile_shape_num_elems(&base) ||
           !tile_is_whole_or_slot(tile))
    window.is_exact = false;
  if (has_slot)
    *out_slot = index_scalar(t, tile_region_offset(region, 0));
  *out_window = add_window(t, &window);
  return true;
}

// Cuts the window to what the elements of the loop are: each place is constant,
// or a parallel index of its own and a constant. False where it is neither.
static bool sweep_window(TileParallelOp loop, const TileElementAccess *access,
                         bool has_slot, ProofWindow *window) {
  ProofWindow swept = *window;
  unsigned used = 0;
  if (!loop.op.ptr)
    return false;
  for (int d = 0; d < window->rank; d++) {
    TileLinearIndex index =
        tile_linear_index(loop, tile_range_at(access->indices, d + has_slot));
    if (!index.is_linear || !index.is_rest_known)
      return false;
    swept.offset[d] = index.rest;
    swept.size[d] = 1;
    for (int k = 0; k < TILE_MAX_RANK; k++) {
      if (index.factor[k] == 0)
        continue;
      if (index.factor[k] != 1 || swept.size[d] != 1 || (used & 1u << k))
        return false;
      used |= 1u << k;
      swept.size[d] = tile_parallel_extents(loop, k);
    }
    if (swept.offset[d] < 0 ||
        swept.offset[d] + swept.size[d] > window->offset[d] + window->size[d])
      return false;
  }
  swept.is_exact = true;
  *window = swept;
  return true;
}

// Accesses of elements: of one slot where that is the same for all of them.
// `out_is_swept`: the elements of the loop are all of the window.
static bool window_of_element(ProgramBuild *t, const TileElementAccess *access,
                              TileParallelOp loop, int *out_window,
                              ProofScalarId *out_slot, bool *out_is_swept) {
  TileBuffer buffer = tile_buffer_of(access->memref);
  TileShape root, base;
  if (!tile_shape_of(buffer.root, &root) || root.space != TILE_SPACE_SHARED ||
      !tile_shape_of(access->memref, &base))
    return false;
  int index = buffer_index(t, buffer.root);
  *out_slot = PROOF_ALL_SLOTS;
  bool is_ring = base.rank > 1 && base.extent[0] == root.extent[0];
  MlirValue first =
      is_ring ? tile_range_first(access->indices) : (MlirValue){NULL};
  bool is_one = is_ring && (!loop.op.ptr || // an index for all elements
                            !tile_parallel_dependence(loop, first));
  bool has_slot = is_one && has_slots(t, index, &root);
  if (has_slot)
    *out_slot = program_scalar(t, first);
  ProofWindow window = whole_window(index, &root, has_slot);
  window.is_exact =
      loop.op.ptr != NULL &&
      (has_slot || (!is_one && t->out->buffers[index].num_slots == 1));
  *out_is_swept = !mlirValueEqual(buffer.root, access->memref)
                      ? false
                      : sweep_window(loop, access, has_slot, &window);
  *out_window = add_window(t, &window);
  return true;
}

//===-- Instructions ------------------------------------------------------===//

static bool is_tma(MlirOperation op) {
  TileCopyOp copy = tile_copy_dyn(op);
  TileAtomicOp atomic = tile_atomic_dyn(op);
  if (copy.op.ptr)
    return !mlirAttributeIsNull(tile_copy_instr_attr(copy)) &&
           tile_copy_instr(copy) == TILE_INSTR_Tma;
  return atomic.op.ptr &&
         !mlirAttributeIsNull(tile_atomic_instr_attr(atomic)) &&
         tile_atomic_instr(atomic) == TILE_INSTR_Tma;
}

static bool is_cp_async(TileCopyOp copy) {
  return copy.op.ptr && !mlirAttributeIsNull(tile_copy_instr_attr(copy)) &&
         tile_copy_instr(copy) == TILE_INSTR_CpAsync &&
         (tile_copy_async(copy) || tile_copy_signal(copy).ptr);
}

//===-- Tickets -----------------------------------------------------------===//
//
// Shared tiles whose slots hold one integer each, and which nothing fills but
// updates of memory, with what they find, and copies of such tiles. Whoever
// reads one of them gets the number that was left there last.

enum { MAX_PASSED = 4 };

static bool holds_tickets(MlirValue tile, int depth);

static bool leaves_ticket(MlirOperation op, MlirValue tile, int depth) {
  TileAtomicOp atomic = tile_atomic_dyn(op);
  TileCopyOp copy = tile_copy_dyn(op);
  if (atomic.op.ptr)
    return tile_atomic_old(atomic).ptr &&
           mlirValueEqual(tile_atomic_old(atomic), tile);
  return copy.op.ptr && mlirValueEqual(tile_copy_dst(copy), tile) &&
         !is_tma(op) && !is_cp_async(copy) && depth < MAX_PASSED &&
         holds_tickets(tile_buffer_of(tile_copy_src(copy)).root, depth + 1);
}

// Whether all writes by this name, or by names of it, leave tickets.
static bool is_for_tickets(MlirValue tile, int depth) {
  for (MlirOpOperand use = mlirValueGetFirstUse(tile);
       !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation op = mlirOpOperandGetOwner(use);
    TileAccess accesses[TILE_MAX_ACCESSES];
    TileElementAccess element;
    if (tile_is_name_op(op)) {
      if (!tile_region_is(op) ||
          !is_for_tickets(mlirOperationGetResult(op, 0), depth))
        return false;
      continue;
    }
    if (tile_channel_is(op) || tile_channel_barriers_is(op))
      continue;
    if (tile_element_access_get(op, &element)) {
      if (element.is_store)
        return false;
      continue;
    }
    int n = tile_accesses_get(op, accesses);
    bool writes = n == 0;
    for (int i = 0; i < n; i++)
      writes |= accesses[i].writes && mlirValueEqual(accesses[i].tile, tile);
    if (writes && !leaves_ticket(op, tile, depth))
      return false;
  }
  return true;
}

static bool holds_tickets(MlirValue root, int depth) {
  TileShape shape;
  return tile_shape_of(root, &shape) && shape.space == TILE_SPACE_SHARED &&
         mlirTypeIsAInteger(shape.element) && tile_shape_is_static(&shape) &&
         tile_shape_num_elems(&shape) ==
             (shape.rank > 1 ? shape.extent[0] : 1) &&
         is_for_tickets(root, depth);
}

// What `op` leaves in the tile, as the value of the fill that was written last.
static void note_ticket(ProgramWriter *w, MlirOperation op, MlirValue tile) {
  ProgramBuild *e = w->extract;
  TileCopyOp copy = tile_copy_dyn(op);
  ProofScalarId slot, value;
  int window;
  if (!holds_tickets(tile_buffer_of(tile).root, 0))
    return;
  if (!copy.op.ptr)
    value = program_new(e);
  else if (window_of_tile(e, tile_copy_src(copy), &window, &slot))
    value = program_held(e, window, slot);
  else
    return;
  ProofRole *role = &e->out->roles[w->role];
  ProofOp *fill = &role->ops[role->num_ops - 1];
  fill->fill.has_value = true;
  fill->fill.value = value;
}

// The result of a load becomes what it finds.
static void bind_ticket(ProgramWriter *w, const TileElementAccess *access) {
  ProgramBuild *e = w->extract;
  ProofScalarId slot, *to = program_ids(e, 1), *from = program_ids(e, 1);
  int window;
  bool is_swept;
  if (!memref_load_is(access->op) ||
      !holds_tickets(tile_buffer_of(access->memref).root, 0) ||
      !window_of_element(e, access, (TileParallelOp){TILE_NULL_OP}, &window,
                         &slot, &is_swept))
    return;
  to[0] =
      program_variable(e, mlirOperationGetResult(access->op, 0).ptr, w->role);
  from[0] = program_held(e, window, slot);
  ProofOp *bind = program_add(w, PROOF_BIND, access->op);
  bind->bind.count = 1;
  bind->bind.to = to;
  bind->bind.from = from;
}

//===-- Accesses ----------------------------------------------------------===//

// `read`: the op of the same kind that has room, or NULL.
static void write_read(ProgramWriter *w, MlirOperation op, int window,
                       ProofScalarId slot, int *read) {
  TileProduct product;
  ProofRole *role = &w->extract->out->roles[w->role];
  if (*read < 0 || role->ops[*read].read.count == PROOF_MAX_READS) {
    bool is_first = *read < 0;
    ProofOp *out = program_add(w, PROOF_READ, op);
    *read = role->num_ops - 1;
    out->read.is_product = is_first && tile_product_is_async(op);
    if (!is_first && tile_product_is_async(op))
      program_fail(w->extract, op, "reads more tiles than can be followed");
    out->read.is_async = tile_product_is_wgmma(op, &product) || is_tma(op);
    // An atomic update is over when its op is.
    out->read.is_store = tile_copy_is(op) && is_tma(op);
    if (is_tma(op) || tile_map_make_is(op))
      out->threads = PROOF_LEADER;
  }
  ProofOp *out = &role->ops[*read];
  out->read.places[out->read.count++] = (ProofPlace){window, slot};
}

// The bytes that a copy brings to the row that it signals. A channel counts
// them itself.
static int64_t copied_bytes(TileCopyOp copy) {
  TileShape shape;
  MlirOperation signal = mlirOpResultGetOwner(tile_copy_signal(copy));
  if (tile_channel_is(signal) || !tile_shape_of(tile_copy_dst(copy), &shape))
    return 0;
  return tile_shape_num_elems(&shape) * tile_elem_bits(shape.element) / 8;
}

// `is_whole`: where the window is exact, all of it is written.
static void write_fill(ProgramWriter *w, MlirOperation op, int window,
                       ProofScalarId slot, bool is_whole) {
  TileCopyOp copy = tile_copy_dyn(op);
  bool signals = copy.op.ptr && is_tma(op) && tile_copy_signal(copy).ptr;
  ProofScalarId row_slot =
      signals ? program_scalar(w->extract, tile_copy_slot(copy)) : PROOF_NONE;
  ProofOp *out = program_add(w, PROOF_FILL, op);
  out->fill.place = (ProofPlace){window, slot};
  out->fill.row = PROOF_NONE;
  out->fill.is_whole = is_whole && w->extract->out->windows[window].is_exact;
  out->fill.how = signals             ? PROOF_BY_TMA
                  : is_cp_async(copy) ? PROOF_BY_CP_ASYNC
                                      : PROOF_BY_STORES;
  // All threads wait for a copy by TMA that signals nobody.
  out->threads =
      signals || tile_map_make_is(op) ? PROOF_LEADER : PROOF_ALL_THREADS;
  if (!signals)
    return;
  out->fill.row = program_row_of(w->extract, tile_copy_signal(copy), false);
  out->fill.row_slot = row_slot;
  out->fill.bytes = copied_bytes(copy);
}

typedef struct {
  ProgramWriter *w;
  TileParallelOp loop;
  int read;    // or PROOF_NONE
  bool writes; // which of the accesses are looked at
} ElementWalk;

static bool is_store_alike(MlirOperation op, const TileElementAccess *access) {
  TileElementAccess other;
  if (!tile_element_access_get(op, &other) || !other.is_store ||
      !mlirValueEqual(other.memref, access->memref))
    return false;
  bool result = true;
  for (intptr_t i = 0; i < other.indices.n; i++)
    result &= mlirValueEqual(tile_range_at(other.indices, i),
                             tile_range_at(access->indices, i));
  return result;
}

// Whether the other side of the guard stores the same element.
static bool stores_on_other_side(MlirOperation guard, MlirBlock side,
                                 const TileElementAccess *access) {
  for (intptr_t r = 0; r < 2; r++) {
    MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(guard, r));
    if (mlirBlockIsNull(block) || mlirBlockEqual(block, side))
      continue;
    TILE_FOR_EACH_OP (op, block) {
      if (is_store_alike(op, access))
        return true;
    }
  }
  return false;
}

// Whether the element is stored whatever guards in the loop say.
static bool stores_always(TileParallelOp loop,
                          const TileElementAccess *access) {
  MlirOperation op = access->op;
  if (!access->is_store || access->is_atomic || !loop.op.ptr)
    return false;
  for (;;) {
    MlirBlock block = mlirOperationGetBlock(op);
    op = mlirOperationGetParentOperation(op);
    if (mlirOperationEqual(op, loop.op))
      return true;
    if (!scf_if_is(op) || !stores_on_other_side(op, block, access))
      return false;
  }
}

static bool visit_element(const TileElementAccess *access, void *user_data) {
  ElementWalk *walk = user_data;
  int window;
  ProofScalarId slot;
  bool is_swept;
  ProgramBuild *t = walk->w->extract;
  if (!window_of_element(t, access, walk->loop, &window, &slot, &is_swept))
    return true;
  if (!walk->writes && (!access->is_store || access->is_atomic))
    write_read(walk->w, access->op, window, slot, &walk->read);
  if (walk->writes && access->is_store)
    write_fill(walk->w, access->op, window, slot,
               is_swept && stores_always(walk->loop, access));
  return true;
}

// Of an element loop or of one element; false when it is neither.
static bool write_elements(ProgramWriter *w, MlirOperation op) {
  ElementWalk walk = {
      .w = w, .loop = tile_parallel_dyn(op), .read = PROOF_NONE};
  TileElementAccess access;
  bool is_access = tile_element_access_get(op, &access);
  if (!walk.loop.op.ptr && !is_access)
    return false;
  for (int writes = 0; writes < 2; writes++) {
    walk.writes = writes;
    if (is_access)
      visit_element(&access, &walk);
    else
      tile_parallel_visit(walk.loop, visit_element, &walk);
  }
  if (is_access)
    bind_ticket(w, &access);
  return true;
}

// Threads load the metadata of a sparse product themselves.
static bool is_metadata(MlirOperation op, MlirValue tile) {
  TileProduct product;
  return tile_product_of(op, &product) && mlirValueEqual(product.e, tile);
}

static void write_own_read(ProgramWriter *w, MlirOperation op, int window,
                           ProofScalarId slot) {
  ProofOp *out = program_add(w, PROOF_READ, op);
  out->read.places[out->read.count++] = (ProofPlace){window, slot};
}

void program_accesses(ProgramWriter *w, MlirOperation op) {
  TileAccess accesses[TILE_MAX_ACCESSES];
  int count = tile_accesses_get(op, accesses), window;
  ProofScalarId slot;
  int read = PROOF_NONE;
  if (write_elements(w, op))
    return;
  for (int writes = 0; writes < 2; writes++)
    for (int i = 0; i < count; i++) {
      if (!(writes ? accesses[i].writes : accesses[i].reads) ||
          !window_of_tile(w->extract, accesses[i].tile, &window, &slot))
        continue;
      if (writes) {
        write_fill(w, op, window, slot, !accesses[i].is_atomic);
        note_ticket(w, op, accesses[i].tile);
        continue;
      }
      if (is_metadata(op, accesses[i].tile))
        write_own_read(w, op, window, slot);
      else
        write_read(w, op, window, slot, &read);
    }
}

//===-- Loops of copies ---------------------------------------------------===//

enum { MAX_PARTS = 8 };

// Tiles that a loop fills part by part, each one fill of the box of all parts.
typedef struct {
  ProgramWriter *w;
  MlirOperation loop;
  struct {
    MlirOperation op; // one that fills a part
    MlirValue tile;
    TileCopyLoopFill fill;
    bool is_ring;
  } parts[MAX_PARTS];
  int count;
  bool is_known;
} PartWalk;

static bool is_slot_of_ring(MlirValue tile, MlirOperation loop) {
  TileBuffer buffer = tile_buffer_of(tile);
  TileRegionOp region = {TILE_NULL_OP};
  TileCopyLoopFill fill;
  if (buffer.region.ptr)
    region = tile_region_cast(mlirOpResultGetOwner(buffer.region));
  return region.op.ptr && drops_first(region) &&
         !tile_copy_loop_fill(loop, buffer.root, false, &fill);
}

static MlirWalkResult find_part(MlirOperation op, void *user_data) {
  PartWalk *walk = user_data;
  TileAccess accesses[TILE_MAX_ACCESSES];
  TileShape shape;
  int n = tile_accesses_get(op, accesses), k;
  for (int i = 0; i < n && walk->is_known; i++) {
    if (!tile_shape_of(accesses[i].tile, &shape) ||
        shape.space != TILE_SPACE_SHARED)
      continue;
    MlirValue root = tile_buffer_of(accesses[i].tile).root;
    for (k = 0; k < walk->count; k++)
      if (mlirValueEqual(tile_buffer_of(walk->parts[k].tile).root, root))
        break;
    walk->is_known = accesses[i].writes && !is_tma(op) && k < MAX_PARTS;
    if (!walk->is_known || k < walk->count)
      continue;
    walk->parts[k].op = op;
    walk->parts[k].tile = accesses[i].tile;
    walk->parts[k].is_ring = is_slot_of_ring(accesses[i].tile, walk->loop);
    walk->is_known =
        tile_copy_loop_fill(walk->loop, root, walk->parts[k].is_ring,
                            &walk->parts[k].fill) &&
        walk->parts[k].fill.is_once;
    walk->count++;
  }
  return walk->is_known ? MlirWalkResultAdvance : MlirWalkResultInterrupt;
}

static MlirWalkResult write_loads(MlirOperation op, void *user_data) {
  TileElementAccess access;
  if (tile_element_access_get(op, &access))
    write_elements(user_data, op);
  return MlirWalkResultAdvance;
}

bool program_parts(ProgramWriter *w, MlirOperation op) {
  PartWalk walk = {.w = w, .loop = op, .is_known = true};
  if (!tile_copy_loop_is(op))
    return false;
  mlirOperationWalk(op, find_part, &walk, MlirWalkPreOrder);
  if (!walk.is_known || walk.count == 0)
    return false;
  mlirOperationWalk(op, write_loads, w, MlirWalkPreOrder);
  for (int k = 0; k < walk.count; k++) {
    ProofScalarId slot;
    int number;
    ProgramBuild *t = w->extract;
    const TileCopyLoopFill *fill = &walk.parts[k].fill;
    if (!window_of_tile(t, walk.parts[k].tile, &number, &slot))
      continue;
    ProofWindow window = t->out->windows[number];
    int first = window.has_slot || walk.parts[k].is_ring;
    for (int d = 0; d < window.rank; d++) {
      window.offset[d] = fill->begin[d + first];
      window.size[d] = fill->end[d + first] - fill->begin[d + first];
    }
    window.is_exact = fill->is_sure;
    bool is_known = first == window.has_slot;
    if (is_known)
      number = add_window(t, &window);
    write_fill(w, walk.parts[k].op, number, slot, is_known);
  }
  return true;
}
