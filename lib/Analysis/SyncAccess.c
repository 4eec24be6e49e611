//===- SyncAccess.c - What an op does to memory that threads share --------===//

#include "SyncFlow.h"

#include "Tile/Dialect/Products.h"

//===-- Buffers -----------------------------------------------------------===//

bool sync_is_shared_space(TileSpace space) {
  return space == TILE_SPACE_GLOBAL || space == TILE_SPACE_SHARED;
}

// Number of the buffer behind a tile: shared buffers first, then tensors; -1
// for memory that threads do not share.
static int buffer_index(Flow *flow, MlirValue tile) {
  TileShape shape;
  if (!tile_shape_of(tile, &shape) || !sync_is_shared_space(shape.space))
    return -1;
  TileSharedBuffer *found = tile_shared_memory_find(flow->shared, tile);
  if (found)
    return (int)(found - flow->shared->buffers);
  MlirValue root = tile_tensor_root(tile);
  size_t i = 0;
  while (i < flow->num_tensors && !mlirValueEqual(flow->tensors[i].root, root))
    i++;
  return i < flow->num_tensors ? (int)(flow->shared->num_buffers + i) : -1;
}

static bool shared_overlap(const TileSharedBuffer *x,
                           const TileSharedBuffer *y) {
  // Not packed yet: what does not live at the same time may come to share
  // bytes, and packing does not look at barriers.
  if (x->offset_bytes < 0 || y->offset_bytes < 0)
    return !tile_shared_lifetimes_overlap(x, y);
  return x->offset_bytes < y->offset_bytes + y->size_bytes &&
         y->offset_bytes < x->offset_bytes + x->size_bytes;
}

bool sync_buffers_overlap(const Flow *flow, size_t a, size_t b) {
  size_t num_shared = flow->shared->num_buffers;
  if (a == b)
    return true;
  if (a < num_shared && b < num_shared)
    return shared_overlap(&flow->shared->buffers[a], &flow->shared->buffers[b]);
  if (a < num_shared || b < num_shared)
    return false;
  return !flow->tensors[a - num_shared].is_distinct ||
         !flow->tensors[b - num_shared].is_distinct;
}

//===-- Accesses ----------------------------------------------------------===//

typedef struct {
  Flow *flow;
  Accesses *out;
} AccessWalk;

static void add_bits(AccessWalk *walk, MlirValue tile, int bits) {
  int buffer = buffer_index(walk->flow, tile);
  if (buffer < 0)
    return;
  walk->out->bits[buffer] |= (uint8_t)bits;
  walk->out->exist = true;
}

static void add_access(AccessWalk *walk, MlirValue tile, bool reads,
                       bool writes) {
  add_bits(walk, tile, (reads ? READS : 0) | (writes ? WRITES : 0));
}

static void add_effect(TileEffectKind kind, MlirValue value,
                       MlirStringRef resource, void *user_data) {
  (void)resource;
  bool reads = kind == TILE_EFFECT_READ, writes = kind == TILE_EFFECT_WRITE;
  if (!mlirValueIsNull(value) && (reads || writes))
    add_access(user_data, value, reads, writes);
}

// Ops of other dialects: by their memory effects. Where those are not known
// they may do anything with the memory that they are given.
static void add_accesses_of_other(AccessWalk *walk, MlirOperation op) {
  if (mlirxEffects(op, false, add_effect, walk))
    return;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
    add_access(walk, mlirOperationGetOperand(op, i), true, true);
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

static bool is_under_way(MlirOperation op) {
  return (tile_copy_is(op) && tile_copy_async(tile_copy_cast(op))) ||
         (tile_gemm_is(op) && tile_gemm_async(tile_gemm_cast(op)));
}

Accesses sync_accesses_of(Flow *flow, MlirOperation op) {
  Accesses out = {.bits = flow->access_bits,
                  .is_async = is_async(op),
                  .is_store = is_tma_store(op),
                  .is_under_way = is_under_way(op)};
  AccessWalk walk = {flow, &out};
  out.fills_tile = out.is_async && tile_copy_is(op) &&
                   tile_is_whole(tile_copy_dst(tile_copy_cast(op)));
  memset(out.bits, 0, flow->num_buffers);
  if (!tile_op_is(op)) {
    add_accesses_of_other(&walk, op);
    return out;
  }
  TileAccess accesses[TILE_MAX_ACCESSES];
  int n = tile_accesses_get(op, accesses);
  for (int i = 0; i < n; i++)
    if (accesses[i].is_atomic)
      add_bits(&walk, accesses[i].tile, UPDATES);
    else
      add_access(&walk, accesses[i].tile, accesses[i].reads,
                 accesses[i].writes);
  return out;
}
