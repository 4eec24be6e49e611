//===- SyncAccess.c - What an op does to memory that threads share --------===//
//
// An access touches a place: a buffer, or the window of one. Places of a buffer
// are disjoint when in some dimension the distance of their offsets is known to
// be as large as the windows, in numbers of one round (Analysis/Index/Index.h).
//
//===----------------------------------------------------------------------===//

#include "SyncFlow.h"

#include "Dialect/ForeignOps.h"
#include "Dialect/Products.h"

//===-- Windows -----------------------------------------------------------===//

static void set_box(SyncPlace *place, const TileIndexBox *box) {
  place->box = *box;
  for (int d = 0; d < box->rank; d++)
    for (int i = 0; i < box->offset[d]->num_terms; i++) {
      MlirOperation home = box->offset[d]->terms[i].symbol->home;
      if (!mlirOperationIsNull(home) && (mlirOperationIsNull(place->home) ||
                                         tile_op_is_inside(home, place->home)))
        place->home = home;
    }
}

// Whether elements with other coordinates lie in other bytes.
static bool has_own_bytes(MlirValue base, MlirType element, bool is_shared) {
  // Two elements of less than a byte may lie in one; strides may be anything.
  return tile_elem_bits(element) >= 8 &&
         (is_shared || mlirAffineMapIsIdentity(
                           mlirMemRefTypeGetAffineMap(mlirValueGetType(base))));
}

static SyncPlace place_of_tile(const Flow *flow, MlirValue tile, size_t buffer,
                               bool is_shared) {
  TileBox box;
  TileShape shape;
  bool is_box = tile_box_of(tile, &box) && !box.is_partial;
  SyncPlace place = {.tile = tile, .box.base = box.base, .buffer = buffer};
  if (!is_box || !tile_shape_of(tile, &shape) ||
      !has_own_bytes(box.base, shape.element, is_shared))
    return place;
  for (int d = 0; d < box.rank; d++)
    if (box.size[d] < 1)
      return place; // of a tensor whose size is not known
  TileIndexBox window = tile_index_box(flow->indices, &box);
  set_box(&place, &window);
  return place;
}

static SyncPlace place_of_loop(MlirValue tile, const TileIndexBox *window,
                               size_t buffer, bool is_shared) {
  SyncPlace place = {.tile = tile, .box.base = tile, .buffer = buffer};
  TileShape shape;
  if (tile_shape_of(tile, &shape) &&
      has_own_bytes(tile, shape.element, is_shared))
    set_box(&place, window);
  return place;
}

static SyncPlace place_of_slot(const Flow *flow, MlirValue barrier,
                               MlirValue slot, size_t buffer) {
  SyncPlace place = {.tile = barrier, .slot = slot, .buffer = buffer};
  TileBox box = {.base = barrier,
                 .rank = 1,
                 .offset = {tile_int_value(slot)},
                 .size = {1}};
  TileIndexBox window = tile_index_box(flow->indices, &box);
  set_box(&place, &window);
  return place;
}

//===-- Places ------------------------------------------------------------===//

// With a slot, of an mbarrier.
static int place_index(const Flow *flow, const SyncUse *use, MlirValue slot) {
  MlirOperation loop = use->window.rank ? use->op : (MlirOperation){NULL};
  for (size_t i = 0; i < flow->num_places; i++) {
    const SyncPlace *place = &flow->places[i];
    if (mlirValueEqual(place->tile, use->tile) &&
        mlirValueEqual(place->slot, slot) && place->threads == use->threads &&
        mlirOperationEqual(place->loop, loop))
      return (int)i;
  }
  return -1;
}

static bool is_shared_space(TileSpace space) {
  return space == TILE_SPACE_GLOBAL || space == TILE_SPACE_SHARED ||
         space == TILE_SPACE_CLUSTER;
}

static void add_place(Flow *flow, SyncPlace place) {
  TILE_ARENA_RESERVE(flow->arena, flow->places, flow->num_places,
                     flow->place_capacity);
  flow->places[flow->num_places++] = place;
}

// The number of a tensor, which comes to be known.
static size_t tensor_index(Flow *flow, MlirValue root) {
  for (size_t i = 0; i < flow->num_tensors; i++)
    if (mlirValueEqual(flow->tensors[i].root, root))
      return i;
  TILE_ARENA_RESERVE(flow->arena, flow->tensors, flow->num_tensors,
                     flow->tensor_capacity);
  flow->tensors[flow->num_tensors] =
      (Tensor){root, tile_tensor_is_distinct(root)};
  return flow->num_tensors++;
}

static void note_tile(Flow *flow, const SyncUse *use) {
  TileShape shape;
  if (!tile_shape_of(use->tile, &shape) || !is_shared_space(shape.space))
    return;
  TileSharedBuffer *found = tile_shared_memory_find(flow->shared, use->tile);
  size_t buffer = found ? (size_t)(found - flow->shared->buffers)
                        : flow->shared->num_buffers +
                              tensor_index(flow, tile_tensor_root(use->tile));
  SyncPlace place =
      use->window.rank
          ? place_of_loop(use->tile, &use->window, buffer, found != NULL)
          : place_of_tile(flow, use->tile, buffer, found != NULL);
  place.threads = use->threads;
  if (use->window.rank)
    place.loop = use->op;
  add_place(flow, place);
}

// One slot of an mbarrier, or all of them.
static void note_barrier(Flow *flow, MlirValue barrier, MlirValue slot) {
  TileSharedBuffer *found = tile_shared_memory_find(flow->shared, barrier);
  if (!found)
    return;
  size_t buffer = (size_t)(found - flow->shared->buffers);
  add_place(flow, mlirValueIsNull(slot)
                      ? (SyncPlace){.tile = barrier, .buffer = buffer}
                      : place_of_slot(flow, barrier, slot, buffer));
}

//===-- Accesses ----------------------------------------------------------===//

typedef struct {
  Flow *flow;
  MlirOperation op;
  Accesses *out; // its bits null: places are made
} AccessWalk;

static void add_place_bits(AccessWalk *walk, SyncUse *use, MlirValue slot,
                           int bits) {
  int place = place_index(walk->flow, use, slot);
  if (!walk->out->bits && place < 0) {
    if (tile_barrier_type_is(mlirValueGetType(use->tile)))
      note_barrier(walk->flow, use->tile, slot);
    else
      note_tile(walk->flow, use);
    place = place_index(walk->flow, use, slot);
  }
  use->place = place;
  if (!walk->out->bits || place < 0)
    return;
  walk->out->bits[place] |= (uint16_t)bits;
  walk->out->exist = true;
}

static void add_barrier_bits(AccessWalk *walk, MlirValue barrier,
                             MlirValue slot, int bits) {
  SyncUse use = {.op = walk->op, .tile = barrier};
  add_place_bits(walk, &use, slot, bits);
}

static void add_bits(AccessWalk *walk, MlirValue tile, int bits) {
  bool writes = bits & (WRITES | UPDATES);
  SyncUse *use = sync_use_of(walk->flow, walk->op, tile, writes);
  add_place_bits(walk, use, (MlirValue){NULL}, bits);
}

static void add_access(AccessWalk *walk, MlirValue tile, bool reads,
                       bool writes) {
  if (reads)
    add_bits(walk, tile, READS);
  if (writes)
    add_bits(walk, tile, WRITES);
}

static void add_effect(TileEffectKind kind, MlirValue value,
                       MlirStringRef resource, void *user_data) {
  (void)resource;
  bool reads = kind == TILE_EFFECT_READ, writes = kind == TILE_EFFECT_WRITE;
  if (!mlirValueIsNull(value) && (reads || writes))
    add_access(user_data, tile_foreign_root(value), reads, writes);
}

// Ops of other dialects: by their memory effects. Where those are not known
// they may do anything with the memory that they are given.
static void add_accesses_of_other(AccessWalk *walk) {
  MlirOperation op = walk->op;
  if (mlirxEffects(op, false, add_effect, walk))
    return;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
    add_access(walk, tile_foreign_root(mlirOperationGetOperand(op, i)), true,
               true);
}

static bool is_async(MlirOperation op) {
  TileProduct product;
  if (tile_product_of(op, &product))
    return product.instr == TILE_INSTR_Wgmma;
  if (tile_atomic_is(op))
    return !mlirAttributeIsNull(tile_atomic_instr_attr(tile_atomic_cast(op))) &&
           tile_atomic_instr(tile_atomic_cast(op)) == TILE_INSTR_Tma;
  return tile_copy_is(op) &&
         tile_copy_instr(tile_copy_cast(op)) == TILE_INSTR_Tma;
}

static bool is_tma_store(MlirOperation op) {
  TileShape dst;
  return tile_copy_is(op) && is_async(op) &&
         tile_shape_of(tile_copy_dst(tile_copy_cast(op)), &dst) &&
         dst.space == TILE_SPACE_GLOBAL;
}

TileChannelBarriersOp sync_channel_of(MlirValue barrier) {
  for (MlirOpOperand use = mlirValueGetFirstUse(barrier);
       !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (tile_channel_barriers_is(user))
      return tile_channel_barriers_cast(user);
  }
  return (TileChannelBarriersOp){{NULL}};
}

static void add_phase(AccessWalk *walk, MlirValue barrier, MlirValue slot,
                      int bits) {
  if (!walk->flow->is_in_role ||
      mlirOperationIsNull(sync_channel_of(barrier).op))
    add_barrier_bits(walk, barrier, slot, bits);
}

// (S4) Who waits for a phase reads the mbarrier, and the copies of the next
// phase overwrite it.
static void add_phases(AccessWalk *walk) {
  MlirOperation op = walk->op;
  if (tile_barrier_wait_is(op)) {
    TileBarrierWaitOp wait = tile_barrier_wait_cast(op);
    if (!tile_barrier_wait_leader(wait))
      add_phase(walk, tile_barrier_wait_barrier(wait),
                tile_barrier_wait_slot(wait), READS);
  }
  if (!tile_copy_is(op) || !is_async(op))
    return;
  TileCopyOp copy = tile_copy_cast(op);
  if (!mlirValueIsNull(tile_copy_signal(copy)))
    add_phase(walk, tile_copy_signal(copy), tile_copy_slot(copy),
              WRITES | LEADS);
}

// Whether none but the leader of the threads touches the mbarriers of `op`.
static bool is_by_leader(MlirOperation op) {
  if (tile_barrier_arrive_is(op)) {
    TileBarrierArriveOp arrive = tile_barrier_arrive_cast(op);
    return !mlirAttributeIsNull(tile_barrier_arrive_by_attr(arrive)) &&
           tile_barrier_arrive_by(arrive) == TILE_ARRIVAL_Leader;
  }
  if (tile_barrier_wait_is(op))
    return tile_barrier_wait_leader(tile_barrier_wait_cast(op));
  return tile_barrier_expect_is(op) || (tile_copy_is(op) && is_async(op));
}

// The leader initialises mbarriers; the others use them once they have met.
static void add_barriers(AccessWalk *walk) {
  MlirOperation op = walk->op;
  int bits = tile_barrier_init_is(op) ? INITIALIZES | WRITES
             : is_by_leader(op)       ? LEADS
                                      : USES;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
    if (tile_barrier_type_is(mlirValueGetType(mlirOperationGetOperand(op, i))))
      add_barrier_bits(walk, mlirOperationGetOperand(op, i), (MlirValue){NULL},
                       bits);
}

static bool is_under_way(MlirOperation op) {
  return (tile_copy_is(op) && tile_copy_async(tile_copy_cast(op))) ||
         tile_product_is_async(op);
}

// Threads load the metadata of a sparse product.
static void add_metadata(AccessWalk *walk) {
  TileProduct product;
  if (tile_product_of(walk->op, &product) && !mlirValueIsNull(product.e))
    add_bits(walk, product.e, READS | BY_THREADS);
}

static void add_all(AccessWalk *walk) {
  MlirOperation op = walk->op;
  if (!tile_op_is(op)) {
    add_accesses_of_other(walk);
    return;
  }
  TileAccess accesses[TILE_MAX_ACCESSES];
  int n = tile_accesses_get(op, accesses);
  for (int i = 0; i < n; i++)
    if (accesses[i].is_atomic)
      add_bits(walk, accesses[i].tile, UPDATES);
    else
      add_access(walk, accesses[i].tile, accesses[i].reads, accesses[i].writes);
  add_metadata(walk);
  add_phases(walk);
  if (!tile_channel_barriers_is(op))
    add_barriers(walk);
}

Accesses sync_accesses_of(Flow *flow, MlirOperation op) {
  Accesses out = {.bits = flow->access_bits,
                  .is_async = is_async(op),
                  .is_store = is_tma_store(op),
                  .is_under_way = is_under_way(op)};
  AccessWalk walk = {flow, op, &out};
  out.stores_pad = tile_copy_is(op) &&
                   tile_window_pad(tile_copy_src(tile_copy_cast(op))).ptr;
  out.fills_tile = out.is_async && tile_copy_is(op) &&
                   mlirValueIsNull(tile_copy_signal(tile_copy_cast(op))) &&
                   tile_is_whole(tile_copy_dst(tile_copy_cast(op)));
  if (out.bits)
    memset(out.bits, 0, flow->num_places * sizeof *out.bits);
  add_all(&walk);
  return out;
}
