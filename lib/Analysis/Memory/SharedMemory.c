//===- SharedMemory.c - Sizes and lifetimes of shared buffers -------------===//

#include "Dialect/Products.h"
#include "Memory.h"

#include "Dialect/ForeignOps.h"
#include "Dialect/TileLayouts.h"
#include "Support/Iterate.h"
#include "Tile/Ops/scf.h"

//===-- Collect -----------------------------------------------------------===//

enum {
  // cp.async.bulk.tensor needs 128-byte aligned shared memory; a swizzle
  // repeats every 1024 bytes (PTX ISA, tensor swizzling modes).
  TMA_ALIGN_BYTES = 128,
  SWIZZLE_ALIGN_BYTES = 1024,
  BARRIER_SIZE_BYTES = 8
};

int64_t tile_shared_align_bytes(const TileLayout *layout) {
  for (int i = 0; i < layout->in.num_digits; i++)
    if (layout->image[i] & (layout->image[i] - 1))
      return SWIZZLE_ALIGN_BYTES;
  return TMA_ALIGN_BYTES;
}

static bool buffer_of_alloc(TileAllocOp alloc, TileSharedBuffer *out) {
  MlirValue value = mlirOperationGetResult(alloc.op, 0);
  TileShape shape;
  if (!tile_shape_of(value, &shape) || shape.space != TILE_SPACE_SHARED)
    return false;
  int64_t elem_bytes = tile_elem_bits(shape.element) / 8;
  *out = (TileSharedBuffer){.op = alloc.op,
                            .size_bytes =
                                tile_shape_num_elems(&shape) * elem_bytes,
                            .align_bytes = TMA_ALIGN_BYTES,
                            // Nobody here knows when other blocks are done.
                            .is_throughout = tile_is_reached_remotely(value)};
  TileLayout layout;
  TileReason error;
  if (tile_layout_of_alloc(alloc, &layout, &error)) {
    out->size_bytes = tile_layout_span(&layout.out, 0) * elem_bytes;
    out->align_bytes = tile_shared_align_bytes(&layout);
  }
  if (!mlirAttributeIsNull(tile_alloc_alignment_attr(alloc)) &&
      tile_alloc_alignment(alloc) > out->align_bytes)
    out->align_bytes = tile_alloc_alignment(alloc);
  return true;
}

static bool buffer_of_op(MlirOperation op, TileSharedBuffer *out) {
  if (tile_alloc_is(op))
    return buffer_of_alloc(tile_alloc_cast(op), out);
  if (!tile_barrier_alloc_is(op))
    return false;
  int64_t slots =
      tile_barrier_type_slots(mlirValueGetType(mlirOperationGetResult(op, 0)));
  *out = (TileSharedBuffer){.op = op,
                            .size_bytes = slots * BARRIER_SIZE_BYTES,
                            .align_bytes = BARRIER_SIZE_BYTES,
                            .is_barrier = true};
  return true;
}

typedef struct {
  TileArena *arena;
  TileSharedMemory *out;
  size_t capacity;
  int64_t position; // of the op being visited, in program order
  bool is_tight;
} Collect;

static void collect_add(Collect *collect, TileSharedBuffer buffer) {
  TileSharedMemory *out = collect->out;
  TILE_ARENA_RESERVE(collect->arena, out->buffers, out->num_buffers,
                     collect->capacity);
  out->buffers[out->num_buffers++] = buffer;
}

static TileSharedBuffer *find_buffer(TileSharedMemory *memory,
                                     MlirOperation op) {
  for (size_t i = 0; i < memory->num_buffers; i++)
    if (mlirOperationEqual(memory->buffers[i].op, op))
      return &memory->buffers[i];
  return NULL;
}

TileSharedBuffer *tile_shared_memory_find(TileSharedMemory *memory,
                                          MlirValue tile) {
  TileBuffer buffer = tile_buffer_of(tile_foreign_root(tile));
  if (!mlirValueIsAOpResult(buffer.root))
    return NULL;
  return find_buffer(memory, mlirOpResultGetOwner(buffer.root));
}

//===-- Lifetimes ---------------------------------------------------------===//

static bool may_repeat(MlirOperation op) {
  // Everything with regions may run them again, but these.
  return mlirOperationGetNumRegions(op) > 0 && !scf_if_is(op) &&
         !tile_specialize_is(op) && !tile_role_is(op);
}

static void extend(TileSharedBuffer *buffer, int64_t first, int64_t last) {
  if (buffer->first < 0 || first < buffer->first)
    buffer->first = first;
  if (last > buffer->last)
    buffer->last = last;
}

// Whether `op` writes all of the tile and reads nothing of it.
static bool overwrites(MlirOperation op, const TileSharedBuffer *buffer) {
  MlirValue tile = mlirOperationGetResult(buffer->op, 0), dst;
  if (tile_copy_is(op) &&
      !mlirValueEqual(tile_buffer_of(tile_copy_src(tile_copy_cast(op))).root,
                      tile))
    dst = tile_copy_dst(tile_copy_cast(op));
  else if (tile_fill_is(op))
    dst = tile_fill_dst(tile_fill_cast(op));
  else
    return false;
  return mlirValueEqual(tile_buffer_of(dst).root, tile) &&
         tile_is_whole_or_slot(dst) &&
         tile_num_stage_dims(tile_alloc_cast(buffer->op)) == 0;
}

// The loop around `op`, which may stand under conditions in its body, or null.
static MlirOperation loop_around(MlirOperation op) {
  MlirOperation parent = mlirOperationGetParentOperation(op);
  while (scf_if_is(parent))
    parent = mlirOperationGetParentOperation(parent);
  return scf_for_is(parent) || scf_while_is(parent) ? parent
                                                    : (MlirOperation){NULL};
}

// The block that runs first in each iteration, which the rest follows.
static bool begins_iteration(MlirBlock block, MlirOperation loop) {
  MlirRegion region = mlirOperationGetRegion(loop, 0);
  return mlirBlockEqual(block, mlirRegionGetFirstBlock(region));
}

// The first use in a loop. Where it writes all, and what follows in the loop
// does not run without it, no iteration needs what the one before it left.
static void note_first(TileSharedBuffer *buffer, MlirOperation op) {
  if (buffer->first < 0 && !buffer->is_barrier && overwrites(op, buffer)) {
    buffer->fresh_in = loop_around(op);
    buffer->fresh_block = mlirOperationGetBlock(op);
  }
  if (buffer->fresh_in.ptr && !buffer->loop_last &&
      !begins_iteration(buffer->fresh_block, buffer->fresh_in) &&
      !tile_op_is_in_block(op, buffer->fresh_block))
    buffer->fresh_in = (MlirOperation){NULL};
}

// After the loop, its last value counts.
static void note_use_behind(TileSharedBuffer *buffer) {
  if (buffer->loop_last > 0)
    extend(buffer, buffer->loop_first, buffer->loop_last);
  buffer->loop_first = buffer->loop_last = 0;
}

// Roles run at the same time: what two of them use lives throughout, and what
// one of them uses lives while the others do.
static void note_role(TileSharedBuffer *buffer, MlirOperation op) {
  MlirOperation role = tile_role_of(op).op;
  if (mlirOperationIsNull(role))
    return;
  buffer->is_throughout |= !mlirOperationIsNull(buffer->role) &&
                           !mlirOperationEqual(buffer->role, role);
  buffer->role = role;
}

// The barriers of a channel order who may touch its rings.
static bool is_channel(MlirOperation op) {
  return tile_channel_is(op) || tile_channel_barriers_is(op);
}

// A copy that completes on an mbarrier writes until somebody has waited for it,
// also when nobody reads what it brings.
static void note_signal(Collect *collect, TileCopyOp copy) {
  TileSharedBuffer *buffer =
      tile_shared_memory_find(collect->out, tile_copy_dst(copy));
  if (buffer && !mlirValueIsNull(tile_copy_signal(copy)))
    buffer->in_flight = copy.op;
}

static bool slots_differ(MlirValue a, MlirValue b) {
  int64_t x, y;
  return mlirxConstantInt(a, &x) && mlirxConstantInt(b, &y) && x != y;
}

static void note_wait(Collect *collect, TileBarrierWaitOp wait) {
  for (size_t i = 0; i < collect->out->num_buffers; i++) {
    TileSharedBuffer *buffer = &collect->out->buffers[i];
    if (mlirOperationIsNull(buffer->in_flight))
      continue;
    TileCopyOp copy = tile_copy_cast(buffer->in_flight);
    if (!mlirValueEqual(tile_copy_signal(copy),
                        tile_barrier_wait_barrier(wait)) ||
        slots_differ(tile_copy_slot(copy), tile_barrier_wait_slot(wait)))
      continue;
    extend(buffer, collect->position, collect->position);
    buffer->in_flight = (MlirOperation){NULL};
  }
}

// What a role does to a ring: fills it, reads it, or waits for fills.
static void note_ring_use(Collect *collect, TileSharedBuffer *ring,
                          MlirOperation op) {
  MlirOperation role = tile_role_of(op).op;
  if (mlirOperationIsNull(role))
    return;
  bool is_fill = tile_copy_is(op) &&
                 tile_shared_memory_find(
                     collect->out, tile_copy_dst(tile_copy_cast(op))) == ring;
  MlirOperation *user = is_fill ? &ring->filler : &ring->reader;
  ring->has_other_uses |=
      !mlirOperationIsNull(*user) && !mlirOperationEqual(*user, role);
  *user = role;
  ring->has_other_uses |= mlirOperationEqual(ring->reader, ring->filler);
  if (!is_fill)
    ring->last_read = collect->position;
}

// A product under way reads its factors until somebody has waited for it. Of
// several the innermost op in a block that holds all of them stands for them.
static void note_product(Collect *collect, MlirOperation op,
                         const TileProduct *product) {
  MlirValue factors[] = {product->a, product->b};
  for (int i = 0; i < 2; i++) {
    TileSharedBuffer *buffer =
        tile_shared_memory_find(collect->out, factors[i]);
    if (!buffer)
      continue;
    MlirOperation all = op;
    while (buffer->under_way.ptr &&
           !tile_op_is_in_block(buffer->under_way, mlirOperationGetBlock(all)))
      all = mlirOperationGetParentOperation(all);
    buffer->under_way = all;
  }
}

static void note_await(Collect *collect, TileAwaitOp await) {
  for (size_t i = 0; i < collect->out->num_buffers; i++) {
    TileSharedBuffer *buffer = &collect->out->buffers[i];
    if (!buffer->under_way.ptr)
      continue;
    extend(buffer, collect->position, collect->position);
    if (buffer->is_ring)
      note_ring_use(collect, buffer, await.op);
    // One in a loop or a branch may not run where the product has.
    if (tile_await_pending(await) == 0 &&
        tile_op_is_in_block(buffer->under_way, mlirOperationGetBlock(await.op)))
      buffer->under_way = (MlirOperation){NULL};
  }
}

// Slots that nobody reads are waited for as well.
static void note_ring_wait(Collect *collect, TileBarrierWaitOp wait) {
  for (size_t i = 0; i < collect->out->num_buffers; i++) {
    TileSharedBuffer *ring = &collect->out->buffers[i];
    if (ring->is_ring &&
        mlirValueEqual(ring->full, tile_barrier_wait_barrier(wait)))
      note_ring_use(collect, ring, wait.op);
  }
}

static void note_rings(Collect *collect, TileChannelBarriersOp channel) {
  TileRange rings = tile_channel_barriers_rings(channel);
  for (intptr_t i = 0; i < rings.n; i++) {
    TileSharedBuffer *ring =
        tile_shared_memory_find(collect->out, tile_range_at(rings, i));
    if (!ring)
      continue;
    ring->has_other_uses |= !mlirValueIsNull(ring->full);
    ring->full = tile_channel_barriers_full(channel);
  }
}

static void note_use(Collect *collect, MlirOperation op, MlirValue tile) {
  TileSharedBuffer *buffer = tile_shared_memory_find(collect->out, tile);
  if (!buffer)
    return;
  note_first(buffer, op);
  note_use_behind(buffer);
  extend(buffer, collect->position, collect->position);
  note_role(buffer, op);
  buffer->is_ring |= is_channel(op) && !buffer->is_barrier;
  if (buffer->is_ring)
    note_ring_use(collect, buffer, op);
}

static void note_uses(Collect *collect, MlirOperation op) {
  TileProduct product;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
    MlirValue operand = mlirOperationGetOperand(op, i);
    note_use(collect, op, operand);
    if (tile_window_is_gathered(operand))
      note_use(collect, op, tile_region_ids(tile_region_of(operand)));
  }
  if (tile_channel_barriers_is(op))
    note_rings(collect, tile_channel_barriers_cast(op));
  if (tile_copy_is(op))
    note_signal(collect, tile_copy_cast(op));
  if (tile_barrier_wait_is(op)) {
    note_wait(collect, tile_barrier_wait_cast(op));
    note_ring_wait(collect, tile_barrier_wait_cast(op));
  }
  if (tile_product_of(op, &product) && product.is_async)
    note_product(collect, op, &product);
  if (tile_await_is(op))
    note_await(collect, tile_await_cast(op));
}

// Whether the last iteration of `loop` leaves nothing of the buffer for the
// next one: it has written all of it first, and nothing is under way.
static bool is_fresh(const TileSharedBuffer *buffer, MlirOperation loop) {
  return mlirOperationEqual(buffer->fresh_in, loop) &&
         mlirOperationIsNull(buffer->in_flight) &&
         mlirOperationIsNull(buffer->under_way) && buffer->last > buffer->first;
}

static void collect_block(Collect *collect, MlirBlock block);

static void collect_regions(Collect *collect, MlirOperation op) {
  int64_t begin = collect->position;
  size_t outside = collect->out->num_buffers;
  for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); r++)
    for (MlirBlock block =
             mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r));
         block.ptr; block = mlirBlockGetNextInRegion(block))
      collect_block(collect, block);
  if (!may_repeat(op))
    return;
  // A buffer from outside that the loop touches holds its value across
  // iterations: it lives as long as the loop.
  for (size_t i = 0; i < outside; i++) {
    TileSharedBuffer *buffer = &collect->out->buffers[i];
    if (collect->is_tight && is_fresh(buffer, op)) {
      buffer->loop_first = begin;
      buffer->loop_last = collect->position;
    }
    if (buffer->last >= begin && !buffer->loop_last)
      extend(buffer, begin, collect->position);
    if (buffer->last_read >= begin)
      buffer->last_read = collect->position;
  }
}

static void collect_block(Collect *collect, MlirBlock block) {
  TILE_FOR_EACH_OP (op, block) {
    collect->position++;
    TileSharedBuffer buffer;
    if (buffer_of_op(op, &buffer)) {
      buffer.first = buffer.last = buffer.last_read = -1;
      collect_add(collect, buffer);
    }
    // Windows and views are no accesses; their users are.
    if (!tile_is_name_op(op))
      note_uses(collect, op);
    collect_regions(collect, op);
  }
}

void tile_shared_memory_build(TileArena *arena, MlirOperation kernel,
                              bool is_tight, TileSharedMemory *out_memory) {
  *out_memory = (TileSharedMemory){0};
  Collect collect = {.arena = arena, .out = out_memory, .is_tight = is_tight};
  collect_block(&collect, tile_kernel_body(kernel));
  for (size_t i = 0; i < out_memory->num_buffers; i++) {
    TileSharedBuffer *buffer = &out_memory->buffers[i];
    // Barriers are initialised once and hold state: they live throughout.
    if (buffer->is_barrier || buffer->is_ring || buffer->is_throughout)
      extend(buffer, 0, collect.position);
    if (!mlirOperationIsNull(buffer->in_flight))
      extend(buffer, collect.position, collect.position);
  }
}

//===-- Offsets that are there --------------------------------------------===//

// The offset that the packing pass wrote; -1 when it has not run.
static void read_offset(TileSharedBuffer *buffer) {
  MlirAttribute offset =
      buffer->is_barrier
          ? tile_barrier_alloc_offset_attr(tile_barrier_alloc_cast(buffer->op))
          : tile_alloc_offset_attr(tile_alloc_cast(buffer->op));
  buffer->offset_bytes =
      mlirAttributeIsNull(offset) ? -1 : mlirIntegerAttrGetValueInt(offset);
}

static bool packed_buffer_of(MlirValue tile, TileSharedBuffer *out) {
  MlirValue root = tile_buffer_of(tile).root;
  if (!mlirValueIsAOpResult(root) ||
      !buffer_of_op(mlirOpResultGetOwner(root), out))
    return false;
  read_offset(out);
  return true;
}

bool tile_share_bytes(MlirValue a, MlirValue b) {
  TileSharedBuffer x, y;
  return packed_buffer_of(a, &x) && packed_buffer_of(b, &y) &&
         tile_shared_bytes_overlap(&x, &y);
}

// Rings whose bytes are used again.
static void find_drained(TileSharedMemory *shared) {
  for (size_t i = 0; i < shared->num_buffers; i++)
    for (size_t k = 0; k < shared->num_buffers; k++) {
      TileSharedBuffer *ring = &shared->buffers[i];
      const TileSharedBuffer *other = &shared->buffers[k];
      bool is_packed = ring->offset_bytes >= 0 && other->offset_bytes >= 0;
      ring->is_drained |=
          ring->is_ring && tile_shared_follows_ring(other, ring) &&
          (!is_packed || tile_shared_bytes_overlap(ring, other));
    }
}

void tile_shared_memory_read_offsets(TileSharedMemory *memory) {
  for (size_t i = 0; i < memory->num_buffers; i++)
    read_offset(&memory->buffers[i]);
  find_drained(memory);
}
