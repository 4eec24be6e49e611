//===- Tma.c - Bulk and tensor copies -------------------------------------===//
//
// PTX ISA, "cp.async.bulk", "cp.async.bulk.tensor", "cp.reduce.async.bulk".
// A box is a list of rows, each contiguous in global memory. Everything is
// checked here; AsyncEngine.c decides when the rows move.
//
// Instruction: a = shared memory, b = global memory or tensor map, c = size,
// e + imm = mbarrier, dst2 = CTA mask, vec = coordinates.
//
//===----------------------------------------------------------------------===//

#include "Async.h"
#include "Emulator/Machine.h"
#include "Emulator/Memory/Address.h"
#include "Emulator/Ptx/Decode.h"
#include "Emulator/Race/Race.h"
#include "Emulator/Sync/Sync.h"

#include <string.h>

typedef enum {
  TILE_TENSOR_TILED,
  TILE_TENSOR_IM2COL,
  TILE_TENSOR_GATHER // and scatter
} TileTensorMode;

enum { TILE_GATHER_ROWS = 4, TILE_TENSOR_MAX_COORDINATES = 5 };

/// The operands of one lane.
typedef struct {
  TileWarp *warp;
  const TileInsn *insn;
  uint32_t lane;
  bool is_store;
  const TileEncodedMap *map;
  uint32_t shared; // offset of the first row in shared memory
  int32_t start[TILE_TENSOR_MAX_COORDINATES];
  uint32_t offsets[3]; // im2col
} TileTensorWalk;

//===-- Rows --------------------------------------------------------------===//

// After the last of the elements that are copied. An H200 cuts what is stored
// in pieces of 16 bytes: it writes all of the last one.
static int64_t piece_end(const TileTensorWalk *walk, int64_t end,
                         int64_t elem_bytes) {
  enum { PIECE_BYTES = 16 };
  end += walk->start[0];
  while (walk->is_store && end * elem_bytes % PIECE_BYTES)
    end++;
  return end - walk->start[0];
}

static int64_t clamp(int64_t value, int64_t min, int64_t max) {
  return value < min ? min : value > max ? max : value;
}

/// Row number `index`, at `at` in the dimensions after the first.
static TileAsyncRow tensor_row(const TileTensorWalk *walk, const int64_t *at,
                               uint32_t index) {
  const TileEncodedMap *map = walk->map;
  int64_t elem_bytes = tile_emu_type_bytes((TilePtxType)map->type);
  uint32_t row_bytes = map->box[0] * (uint32_t)elem_bytes;
  int64_t start = walk->start[0];
  int64_t first = start < 0 ? -start : 0;
  int64_t inside = (int64_t)map->last[0] + 1 - start;
  int64_t end = clamp(piece_end(walk, inside, elem_bytes), first, map->box[0]);
  uint64_t global = map->address + (uint64_t)((start + first) * elem_bytes);
  for (uint32_t dim = 1; dim < map->rank; dim++) {
    if (at[dim] < 0 || at[dim] > (int64_t)map->last[dim])
      end = first; // nothing of the row exists
    global += (uint64_t)at[dim] * map->strides_bytes[dim - 1];
  }
  if (end == first)
    first = end = 0;
  inside = clamp(inside, first, end);
  return (TileAsyncRow){(uint8_t *)(uintptr_t)global,
                        walk->shared + index * row_bytes,
                        row_bytes,
                        (uint32_t)(first * elem_bytes),
                        (uint32_t)(end * elem_bytes),
                        (uint32_t)(inside * elem_bytes)};
}

//===-- Rows in im2col mode -----------------------------------------------===//

// PTX ISA, "im2col mode". Dimensions are channels, up to three of space, and
// images. A box says where the corner of a filter may be; pixels are visited
// row by row inside of it, from the coordinates of the instruction on, over
// the ends of images. What is copied lies at the offsets of the instruction
// from there: one element of the filter.
//
// The order of pixels and what the hardware refuses were compared with an H200.

static bool in_box(const TileTensorWalk *walk, int64_t lower[3],
                   int64_t upper[3]) {
  const TileEncodedMap *map = walk->map;
  bool is_inside = true;
  for (uint32_t i = 0; i + 2 < map->rank; i++) {
    lower[i] = map->lower_corner[i];
    upper[i] = (int64_t)map->last[i + 1] + map->upper_corner[i];
    is_inside = is_inside && walk->start[i + 1] >= lower[i] &&
                walk->start[i + 1] <= upper[i];
  }
  return is_inside;
}

/// Offsets are unsigned and share 16 bits.
static uint32_t max_offset(uint32_t rank) {
  return rank == 3 ? 0xffff : rank == 4 ? 0xff : 0x1f;
}

static bool check_start(const TileTensorWalk *walk, bool is_inside) {
  const TileEncodedMap *map = walk->map;
  if (!is_inside) {
    tile_emu_find(walk->warp, walk->insn, tile_lane_bit(walk->lane),
                  TILE_FINDING_TENSOR_COORDINATES,
                  "the coordinates of the first pixel are outside of the box "
                  "of the im2col map");
    return false;
  }
  for (uint32_t i = 0; i + 2 < map->rank; i++) {
    uint32_t offset = walk->offsets[i];
    if (offset <= max_offset(map->rank))
      continue;
    tile_emu_find(walk->warp, walk->insn, tile_lane_bit(walk->lane),
                  TILE_FINDING_TENSOR_COORDINATES,
                  "im2col offset %u is %u, at most %u is possible", i, offset,
                  max_offset(map->rank));
    return false;
  }
  bool leaves = false;
  for (uint32_t i = 0; walk->is_store && i + 2 < map->rank; i++)
    leaves |= map->lower_corner[i] < 0 || map->upper_corner[i] > 0;
  if (leaves)
    tile_emu_find(walk->warp, walk->insn, tile_lane_bit(walk->lane),
                  TILE_FINDING_TENSOR_COORDINATES,
                  "the box of the im2col map leaves the tensor, which a store "
                  "must not");
  return !leaves;
}

static uint64_t im2col_num_rows(const TileEncodedMap *map) {
  return map->num_pixels;
}

static bool im2col_rows(const TileTensorWalk *walk, TileAsyncRow *rows) {
  const TileEncodedMap *map = walk->map;
  uint32_t num_space = map->rank - 2u;
  int64_t lower[3] = {0}, upper[3] = {0};
  bool is_inside = in_box(walk, lower, upper);
  if (!check_start(walk, is_inside))
    return false;
  int64_t at[TILE_TENSOR_MAP_MAX_RANK] = {0}, pixel[3] = {0};
  int64_t image = walk->start[map->rank - 1];
  for (uint32_t i = 0; i < num_space; i++)
    pixel[i] = walk->start[i + 1];
  for (uint32_t p = 0; p < map->num_pixels; p++) {
    for (uint32_t i = 0; i < num_space; i++)
      at[i + 1] = pixel[i] + walk->offsets[i];
    at[map->rank - 1] = image;
    rows[p] = tensor_row(walk, at, p);
    uint32_t i = 0;
    for (; i < num_space; i++) {
      pixel[i] += map->elem_strides[i + 1];
      if (pixel[i] <= upper[i])
        break;
      pixel[i] = lower[i];
    }
    image += i == num_space;
  }
  return true;
}

//===-- Decode ------------------------------------------------------------===//

static void decode_im2col_offsets(TileDecoder *decoder, uint32_t index,
                                  TileSlotList *list) {
  uint32_t wanted = decoder->insn->as.tma.rank - 2u;
  const TileOperand *operand =
      index < decoder->num_ops ? decoder->ops[index] : NULL;
  if (!operand || operand->kind != TILE_OPERAND_VECTOR ||
      operand->num_subs != wanted) {
    tile_decode_fail(decoder, "expected %u im2col offsets in braces", wanted);
    return;
  }
  tile_decode_list_add(decoder, list, operand, TILE_PTX_U16, false);
}

//===-- Rows in gather mode -----------------------------------------------===//

// PTX ISA, ".tile::scatter4 and .tile::gather4 modes", of sm_100. The first
// coordinate is that of the columns, the others are four rows.

static bool gather_rows(const TileTensorWalk *walk, TileAsyncRow *rows) {
  const TileEncodedMap *map = walk->map;
  if (map->box[1] != 1) {
    tile_emu_find(walk->warp, walk->insn, tile_lane_bit(walk->lane),
                  TILE_FINDING_TENSOR_MAP,
                  "%u rows in the box of the tensor map, not 1 as four single "
                  "rows need",
                  map->box[1]);
    return false;
  }
  for (uint32_t r = 0; r < TILE_GATHER_ROWS; r++) {
    int64_t at[TILE_TENSOR_MAP_MAX_RANK] = {0, walk->start[1 + r]};
    rows[r] = tensor_row(walk, at, r);
  }
  return true;
}

/// What out of bounds reads give when the map says NaN: every 16 bits of all
/// types, as an H200 writes them.
#define OOB_NAN 0x7ff77ff7u

//===-- Rows --------------------------------------------------------------===//

static void check_alignment(TileWarp *warp, const TileInsn *insn, uint32_t lane,
                            uint32_t address, uint32_t align,
                            const char *what) {
  if (address % align)
    tile_emu_find(warp, insn, tile_lane_bit(lane), TILE_FINDING_ALIGNMENT,
                  "%s 0x%x is not a multiple of %u", what, address, align);
}

static const TileEncodedMap *get_map(TileWarp *warp, const TileInsn *insn,
                                     uint32_t lane) {
  uint64_t address = tile_u64(warp, insn->b)[lane] + (uint64_t)insn->offset2;
  const uint8_t *memory = tile_emu_global_pointer(warp, insn, lane, address,
                                                  TILE_TENSOR_MAP_SIZE_BYTES);
  char name[300];
  if (!memory)
    return NULL;
  if (address % 64) {
    tile_emu_find(warp, insn, tile_lane_bit(lane), TILE_FINDING_ALIGNMENT,
                  "tensor map at %s is not 64-byte aligned",
                  tile_emu_address_name(warp, lane, address, name));
    return NULL;
  }
  tile_emu_map_proxy_check(warp, insn, lane, address);
  const TileEncodedMap *map = (const TileEncodedMap *)memory;
  if (!tile_emu_encoded_map_is_valid(map)) {
    tile_emu_find(warp, insn, tile_lane_bit(lane), TILE_FINDING_TENSOR_MAP,
                  map->magic == TILE_TENSOR_MAP_MAGIC
                      ? "%s holds a tensor map with impossible values"
                      : "%s does not hold a tensor map",
                  tile_emu_address_name(warp, lane, address, name));
    return NULL;
  }
  if (map->rank != insn->as.tma.rank) {
    tile_emu_find(warp, insn, tile_lane_bit(lane), TILE_FINDING_TENSOR_MAP,
                  "tensor map of rank %u in an instruction for %u dimensions",
                  map->rank, insn->as.tma.rank);
    return NULL;
  }
  if (map->is_im2col != (insn->as.tma.mode == TILE_TENSOR_IM2COL)) {
    tile_emu_find(warp, insn, tile_lane_bit(lane), TILE_FINDING_TENSOR_MAP,
                  "%s tensor map in an instruction for %s ones",
                  map->is_im2col ? "im2col" : "tiled",
                  map->is_im2col ? "tiled" : "im2col");
    return NULL;
  }
  return map;
}

static void tiled_rows(const TileTensorWalk *walk, TileAsyncRow *rows,
                       uint32_t num_rows) {
  const TileEncodedMap *map = walk->map;
  uint32_t index[TILE_TENSOR_MAP_MAX_RANK] = {0};
  for (uint32_t r = 0; r < num_rows; r++) {
    int64_t at[TILE_TENSOR_MAP_MAX_RANK] = {0};
    for (uint32_t dim = 1; dim < map->rank; dim++)
      at[dim] = walk->start[dim] + (int64_t)index[dim] * map->elem_strides[dim];
    rows[r] = tensor_row(walk, at, r);
    for (uint32_t dim = 1; dim < map->rank; dim++) {
      if (++index[dim] < tile_encoded_map_count(map, dim))
        break;
      index[dim] = 0;
    }
  }
}

/// Rules that the hardware enforces with an illegal instruction.
static bool check_coordinates(const TileTensorWalk *walk) {
  const TileInsn *insn = walk->insn;
  int64_t elem_bytes = tile_emu_type_bytes((TilePtxType)walk->map->type);
  if (walk->start[0] * elem_bytes % 16) {
    tile_emu_find(walk->warp, insn, tile_lane_bit(walk->lane),
                  TILE_FINDING_TENSOR_COORDINATES,
                  "the box begins at element %d, byte %lld of a row, which is "
                  "not a multiple of 16",
                  walk->start[0], (long long)(walk->start[0] * elem_bytes));
    return false;
  }
  uint32_t count = insn->as.tma.mode == TILE_TENSOR_GATHER
                       ? 1 + TILE_GATHER_ROWS
                       : insn->as.tma.rank;
  for (uint32_t i = 0; walk->is_store && i < count; i++)
    if (walk->start[i] < 0) {
      tile_emu_find(walk->warp, insn, tile_lane_bit(walk->lane),
                    TILE_FINDING_TENSOR_COORDINATES,
                    "coordinate %u of a store is %d; it must not be negative",
                    i, walk->start[i]);
      return false;
    }
  return true;
}

static uint64_t count_rows(const TileInsn *insn, const TileEncodedMap *map) {
  if (insn->as.tma.mode == TILE_TENSOR_IM2COL)
    return im2col_num_rows(map);
  if (insn->as.tma.mode == TILE_TENSOR_GATHER)
    return TILE_GATHER_ROWS;
  uint64_t num_rows = 1;
  for (uint32_t dim = 1; dim < map->rank; dim++)
    num_rows *= tile_encoded_map_count(map, dim);
  return num_rows;
}

static bool fill_rows(const TileTensorWalk *walk, TileAsyncOp *op) {
  if (!check_coordinates(walk))
    return false;
  switch ((TileTensorMode)walk->insn->as.tma.mode) {
  case TILE_TENSOR_IM2COL:
    return im2col_rows(walk, op->rows);
  case TILE_TENSOR_GATHER:
    return gather_rows(walk, op->rows);
  default:
    tiled_rows(walk, op->rows, op->num_rows);
    return true;
  }
}

static TileAsyncOp *tensor_op(TileWarp *warp, const TileInsn *insn,
                              uint32_t lane, TileAsyncKind kind,
                              uint32_t shared) {
  const TileEncodedMap *map = get_map(warp, insn, lane);
  if (!map)
    return NULL;
  uint32_t elem_bytes = tile_emu_type_bytes((TilePtxType)map->type);
  uint32_t row_bytes = map->box[0] * elem_bytes;
  uint64_t num_rows = count_rows(insn, map);
  if (num_rows * row_bytes > TILE_SHARED_MAX_BYTES) {
    tile_emu_find(warp, insn, tile_lane_bit(lane), TILE_FINDING_TENSOR_MAP,
                  "a box of %llu bytes does not fit into shared memory",
                  (unsigned long long)(num_rows * row_bytes));
    return NULL;
  }
  TileAsyncOp *op = tile_emu_async_create(warp, insn, kind, (uint32_t)num_rows);
  op->lane = lane;
  op->lanes = tile_lane_bit(lane);
  op->swizzle = map->swizzle;
  op->map = (const uint8_t *)map;
  memcpy(op->map_bytes, map, sizeof op->map_bytes);
  op->size_bytes = (uint32_t)num_rows * row_bytes;
  bool is_tf32 = map->type == TILE_PTX_TF32;
  op->is_tf32 = is_tf32 && kind == TILE_ASYNC_LOAD;
  if (map->fills_nan)
    op->fill_pattern = OOB_NAN;
  if (kind == TILE_ASYNC_STORE) {
    op->as.store.type = is_tf32 ? TILE_PTX_F32 : map->type;
    op->as.store.flushes_denormals = map->flushes_denormals;
  }
  TileTensorWalk walk = {.warp = warp,
                         .insn = insn,
                         .lane = lane,
                         .is_store = kind == TILE_ASYNC_STORE,
                         .map = map,
                         .shared = shared & TILE_SHARED_OFFSET_MASK};
  bool is_im2col_load = insn->as.tma.mode == TILE_TENSOR_IM2COL &&
                        insn->num_vec > insn->as.tma.rank;
  uint32_t num_start = is_im2col_load ? insn->as.tma.rank : insn->num_vec;
  for (uint32_t i = 0; i < num_start; i++)
    walk.start[i] = (int32_t)tile_u32(warp, insn->vec[i])[lane];
  for (uint32_t i = num_start; i < insn->num_vec; i++)
    walk.offsets[i - num_start] = tile_u32(warp, insn->vec[i])[lane] & 0xffff;
  if (fill_rows(&walk, op))
    return op;
  tile_emu_async_destroy(op);
  return NULL;
}

/// cp.async.bulk without a tensor: one row.
static TileAsyncOp *bulk_op(TileWarp *warp, const TileInsn *insn, uint32_t lane,
                            TileAsyncKind kind, uint32_t shared) {
  uint32_t size_bytes = tile_u32(warp, insn->c)[lane];
  uint64_t global = tile_u64(warp, insn->b)[lane] + (uint64_t)insn->offset2;
  if (size_bytes % 16 || global % 16) {
    char name[300];
    tile_emu_find(warp, insn, tile_lane_bit(lane), TILE_FINDING_ALIGNMENT,
                  "bulk copy of %u bytes at %s: both must be multiples of 16",
                  size_bytes, tile_emu_address_name(warp, lane, global, name));
    return NULL;
  }
  TileAsyncOp *op = tile_emu_async_create(warp, insn, kind, 1);
  op->lane = lane;
  op->lanes = tile_lane_bit(lane);
  op->size_bytes = size_bytes;
  op->rows[0] = (TileAsyncRow){(uint8_t *)(uintptr_t)global,
                               shared & TILE_SHARED_OFFSET_MASK,
                               size_bytes,
                               0,
                               size_bytes,
                               size_bytes};
  if (kind == TILE_ASYNC_STORE)
    op->as.store.type = insn->type;
  return op;
}

/// The operation of one lane with all addresses checked, or NULL.
static TileAsyncOp *copy_op(TileWarp *warp, const TileInsn *insn, uint32_t lane,
                            TileAsyncKind kind, uint32_t shared) {
  bool is_tensor = insn->as.tma.is_tensor;
  check_alignment(warp, insn, lane, shared, is_tensor ? 128 : 16,
                  is_tensor ? "shared memory address of TMA"
                            : "shared memory address of a bulk copy");
  TileAsyncOp *op = is_tensor ? tensor_op(warp, insn, lane, kind, shared)
                              : bulk_op(warp, insn, lane, kind, shared);
  if (!op)
    return NULL;
  bool is_valid = tile_emu_shared_pointer(warp, insn, lane, shared,
                                          op->size_bytes, &op->cta);
  if (is_valid && kind == TILE_ASYNC_STORE && op->cta != warp->cta) {
    tile_emu_find(warp, insn, tile_lane_bit(lane), TILE_FINDING_BOUNDS_CLUSTER,
                  "source 0x%x is not in the CTA's own shared memory", shared);
    is_valid = false;
  }
  for (uint32_t r = 0; is_valid && r < op->num_rows; r++) {
    const TileAsyncRow *row = &op->rows[r];
    if (row->end > row->first)
      is_valid = tile_emu_global_pointer(
          warp, insn, lane, (uintptr_t)row->global, row->end - row->first);
  }
  if (is_valid)
    return op;
  tile_emu_async_destroy(op);
  return NULL;
}

//===-- Loads -------------------------------------------------------------===//

static uint32_t mbarrier_address(TileWarp *warp, const TileInsn *insn,
                                 uint32_t lane) {
  uint64_t base = insn->as.tma.wide_mbarrier ? tile_u64(warp, insn->e)[lane]
                                             : tile_u32(warp, insn->e)[lane];
  return (uint32_t)(base + (uint64_t)insn->imm);
}

/// The CTAs that get the data; 0 when the mask is wrong.
static uint32_t destination_mask(TileWarp *warp, const TileInsn *insn,
                                 const TileAsyncOp *op, uint32_t mbarrier) {
  TileCluster *cluster = warp->cluster;
  TileLanes lane = tile_lane_bit(op->lane);
  if (!insn->as.tma.is_multicast) {
    if (mbarrier >> TILE_SHARED_RANK_SHIFT != op->cta->rank)
      tile_emu_find(warp, insn, lane, TILE_FINDING_MBARRIER_OPERAND,
                    "mbarrier 0x%x is not in the CTA of the destination, rank "
                    "%u",
                    mbarrier, op->cta->rank);
    return 1u << op->cta->rank;
  }
  uint32_t mask = tile_u32(warp, insn->dst2)[op->lane] & 0xffff;
  if (mask == 0 || mask >> cluster->num_ctas) {
    tile_emu_find(warp, insn, lane, TILE_FINDING_BOUNDS_CLUSTER,
                  "CTA mask 0x%x in a cluster of %u", mask, cluster->num_ctas);
    return 0;
  }
  return mask;
}

// The same for all rows of a copy.
static void global_check_rows(const TileAsyncOp *op, TileEpoch epoch,
                              TileGlobalUse use) {
  for (uint32_t r = 0; r < op->num_rows; r++) {
    const TileAsyncRow *row = &op->rows[r];
    if (row->end > row->first)
      tile_emu_global_check(op->warp, op->insn, op->lane, row->global,
                            row->end - row->first, epoch, use);
  }
}

static void load_one(TileWarp *warp, const TileInsn *insn, uint32_t lane) {
  TileCluster *cluster = warp->cluster;
  uint32_t shared =
      (uint32_t)tile_address_of(warp, insn, insn->as.tma.wide_address, lane);
  TileAsyncOp *op = copy_op(warp, insn, lane, TILE_ASYNC_LOAD, shared);
  if (!op)
    return;
  uint32_t address = mbarrier_address(warp, insn, lane);
  uint32_t offset = address & TILE_SHARED_OFFSET_MASK;
  op->as.load.mbarrier = offset;
  op->as.load.cta_mask = destination_mask(warp, insn, op, address);
  TileMbarrier *mbarriers[TILE_MAX_CLUSTER_CTAS];
  bool is_valid = op->as.load.cta_mask != 0;
  TILE_FOR_LANES (rank, op->as.load.cta_mask) {
    mbarriers[rank] = tile_emu_mbarrier_get(
        warp, insn, lane, rank << TILE_SHARED_RANK_SHIFT | offset);
    is_valid = is_valid && mbarriers[rank];
  }
  if (!is_valid) {
    tile_emu_async_destroy(op);
    return;
  }
  TILE_FOR_LANES (k, op->as.load.cta_mask) {
    TileMbarrier *mbarrier = mbarriers[k];
    op->as.load.phases[k] = mbarrier->phase;
    mbarrier->num_in_flight[mbarrier->phase & 1]++;
    mbarrier->bytes_in_flight[mbarrier->phase & 1] += op->size_bytes;
    if (!cluster->detect_races)
      continue;
    tile_emu_phase_begin(warp, lane, mbarrier);
    TileShadowAccess access = tile_emu_access_async(
        warp, insn, lane, tile_epoch(mbarrier->agent, mbarrier->phase + 1),
        true, "TMA ");
    access.layout = insn->as.tma.is_tensor ? (uint8_t)(op->swizzle + 1) : 0;
    tile_emu_shadow_write(&cluster->ctas[k], shared & TILE_SHARED_OFFSET_MASK,
                          op->size_bytes, &access);
    if (k == tile_lane_first(op->as.load.cta_mask))
      global_check_rows(op, access.epoch, TILE_GLOBAL_READ);
  }
  tile_emu_async_issue(op);
}

static TileLanes tma_load(TileWarp *warp, const TileInsn *insn,
                          TileLanes lanes) {
  TILE_FOR_LANES (l, lanes) {
    load_one(warp, insn, l);
  }
  return 0;
}

//===-- Stores ------------------------------------------------------------===//

/// Kernels let a whole warp issue the same store; that is one operation.
static bool is_same_store(TileWarp *warp, const TileInsn *insn, uint32_t x,
                          uint32_t y) {
  bool is_wide = insn->as.tma.wide_address;
  if (insn->as.tma.reduction ||
      tile_address_of(warp, insn, is_wide, x) !=
          tile_address_of(warp, insn, is_wide, y) ||
      tile_u64(warp, insn->b)[x] != tile_u64(warp, insn->b)[y] ||
      warp->bulk_group[x] != warp->bulk_group[y])
    return false;
  if (!insn->as.tma.is_tensor)
    return tile_u32(warp, insn->c)[x] == tile_u32(warp, insn->c)[y];
  for (uint32_t i = 0; i < insn->num_vec; i++)
    if (tile_u32(warp, insn->vec[i])[x] != tile_u32(warp, insn->vec[i])[y])
      return false;
  return true;
}

/// Agent of the bulk stores of a thread that have written global memory, or 0:
/// only some threads of a CTA have one.
static uint32_t write_agent(TileWarp *warp, uint32_t lane, bool may_add) {
  TileCta *cta = warp->cta;
  uint32_t thread = tile_warp_thread(warp, lane);
  uint32_t first = warp->cluster->clocks.first_bulk_write;
  for (uint32_t i = 0; i < TILE_BULK_WRITERS; i++) {
    if (!cta->bulk_writers[i] && may_add)
      cta->bulk_writers[i] = thread + 1;
    if (cta->bulk_writers[i] == thread + 1)
      return first + cta->rank * TILE_BULK_WRITERS + i;
  }
  return 0;
}

/// Reads what the store writes to the tensor: what lies outside of it goes
/// nowhere, and nobody needs to have written it.
static void read_rows(const TileAsyncOp *op, TileShadowAccess *access) {
  enum { UNIT_BYTES = 16 }; // of swizzling
  for (uint32_t r = 0; r < op->num_rows; r++) {
    const TileAsyncRow *row = &op->rows[r];
    uint32_t at = row->first;
    while (at < row->tensor_end) {
      uint32_t place = tile_swizzle(row->shared + at, op->swizzle);
      uint32_t end = at + UNIT_BYTES - place % UNIT_BYTES;
      if (!op->swizzle || end > row->tensor_end)
        end = row->tensor_end;
      tile_emu_shadow_read(op->cta, place, end - at, access);
      at = end;
    }
  }
}

/// The read of shared memory, and the write to global memory.
static void check_store(TileAsyncOp *op) {
  const TileClocks *clocks = &op->warp->cluster->clocks;
  uint32_t agent = clocks->first_bulk + tile_warp_thread(op->warp, op->lane);
  uint32_t tick = op->as.store.group + 1;
  TileShadowAccess access =
      tile_emu_access_async(op->warp, op->insn, op->lane,
                            tile_epoch(agent, tick), true, "TMA store ");
  access.reports_undefined = true;
  read_rows(op, &access);
  uint32_t writer = write_agent(op->warp, op->lane, true);
  global_check_rows(op, tile_epoch(writer ? writer : agent, tick),
                    op->as.store.reduction ? TILE_GLOBAL_ATOMIC
                                           : TILE_GLOBAL_WRITE);
}

static TileAsyncOp *store_one(TileWarp *warp, const TileInsn *insn,
                              uint32_t lane) {
  uint32_t shared =
      (uint32_t)tile_address_of(warp, insn, insn->as.tma.wide_address, lane);
  TileAsyncOp *op = copy_op(warp, insn, lane, TILE_ASYNC_STORE, shared);
  if (!op)
    return NULL;
  op->as.store.group = warp->bulk_group[lane];
  op->as.store.reduction = insn->as.tma.reduction;
  if (warp->cluster->detect_races)
    check_store(op);
  return op;
}

static TileLanes tma_store(TileWarp *warp, const TileInsn *insn,
                           TileLanes lanes) {
  TileAsyncOp *ops[TILE_WARP_SIZE];
  uint32_t num_ops = 0;
  TILE_FOR_LANES (l, lanes) {
    TileAsyncOp *same = NULL;
    for (uint32_t i = 0; i < num_ops && !same; i++)
      if (is_same_store(warp, insn, ops[i]->lane, l))
        same = ops[i];
    TileAsyncOp *op = same ? same : store_one(warp, insn, l);
    if (same)
      same->lanes |= tile_lane_bit(l);
    else if (op)
      ops[num_ops++] = op;
  }
  for (uint32_t i = 0; i < num_ops; i++)
    tile_emu_async_issue(ops[i]); // now that all lanes have joined
  return 0;
}

//===-- Bulk groups -------------------------------------------------------===//

static TileLanes bulk_commit(TileWarp *warp, const TileInsn *insn,
                             TileLanes lanes) {
  (void)insn;
  TILE_FOR_LANES (l, lanes) {
    warp->bulk_group[l]++;
  }
  return 0;
}

/// All but the last N groups that this thread has committed; other threads'
/// groups do not matter.
static TileLanes bulk_wait(TileWarp *warp, const TileInsn *insn,
                           TileLanes lanes) {
  TileCluster *cluster = warp->cluster;
  TileLanes blocked = 0;
  TILE_FOR_LANES (l, lanes) {
    int64_t before = (int64_t)warp->bulk_group[l] - insn->imm;
    if (tile_emu_async_is_pending(warp, l, TILE_ASYNC_STORE, before,
                                  insn->as.wait.is_read)) {
      tile_warp_wait(warp, l, TILE_WAIT_BULK, 0, 0);
      blocked |= tile_lane_bit(l);
      continue;
    }
    warp->wait[l].kind = TILE_WAIT_NONE;
    uint32_t thread = tile_warp_thread(warp, l);
    if (before <= 0 || !cluster->detect_races || !cluster->clocks.first_bulk)
      continue;
    tile_emu_clock_advance(&cluster->clocks, thread,
                           cluster->clocks.first_bulk + thread,
                           (uint32_t)before);
    uint32_t writer = insn->as.wait.is_read ? 0 : write_agent(warp, l, false);
    if (writer)
      tile_emu_clock_advance(&cluster->clocks, thread, writer,
                             (uint32_t)before);
  }
  return blocked;
}

//===-- Decode ------------------------------------------------------------===//

static const char modifiers[] =
    "async bulk tensor reduce 1d 2d 3d 4d 5d shared::cluster shared::cta "
    "global tile im2col im2col_no_offs tile::gather4 tile::scatter4 "
    "mbarrier::complete_tx::bytes multicast::cluster bulk_group "
    "L2::cache_hint cta_group::1 add min max and or xor inc dec noftz relaxed "
    "gpu";

/// `[map, {x, y}]` or `[global]`, into b, offset2 and vec.
static void decode_global(TileDecoder *decoder, uint32_t index) {
  TileInsn *insn = decoder->insn;
  const TileOperand *operand = decoder->ops[index];
  TileDecodedAddress address =
      tile_decode_address(decoder, operand, TILE_SPACE_GLOBAL);
  if (!address.is_wide)
    tile_decode_fail(decoder, "a global address has 64 bits");
  insn->b = address.slot;
  insn->offset2 = address.offset;
  if (!insn->as.tma.is_tensor)
    return;
  static const char *const ranks[] = {"1d", "2d", "3d", "4d", "5d"};
  uint32_t rank = 1u + (uint32_t)tile_decode_choice(decoder, ranks, 5);
  bool is_im2col = tile_decode_has(decoder, "im2col") ||
                   tile_decode_has(decoder, "im2col_no_offs");
  bool is_gather = tile_decode_has(decoder, "tile::gather4") ||
                   tile_decode_has(decoder, "tile::scatter4");
  uint32_t wanted = is_gather ? 1 + TILE_GATHER_ROWS : rank;
  insn->as.tma.rank = (uint8_t)rank;
  insn->as.tma.mode = is_im2col   ? TILE_TENSOR_IM2COL
                      : is_gather ? TILE_TENSOR_GATHER
                                  : TILE_TENSOR_TILED;
  if (operand->num_subs != 2 || operand->subs[1].kind != TILE_OPERAND_VECTOR ||
      operand->subs[1].num_subs != wanted || (is_gather && rank != 2) ||
      (is_im2col && rank < 3)) {
    tile_decode_fail(decoder, "expected %u coordinates in braces", wanted);
    return;
  }
  TileSlotList list = {0};
  tile_decode_list_add(decoder, &list, &operand->subs[1], TILE_PTX_S32, false);
  if (tile_decode_has(decoder, "im2col")) // after the mbarrier
    decode_im2col_offsets(decoder, 3, &list);
  tile_decode_list_finish(decoder, &list);
}

/// [shared], [global …], (size,) [mbarrier] (, mask) (, policy)
static void decode_load(TileDecoder *decoder) {
  TileInsn *insn = decoder->insn;
  bool is_tensor = insn->as.tma.is_tensor;
  uint32_t at = is_tensor ? 2 : 3;
  uint32_t num_infos = tile_decode_has(decoder, "im2col"); // its offsets
  bool has_mask = tile_decode_has(decoder, "multicast::cluster");
  uint32_t count = at + 1 + num_infos + has_mask;
  if (!tile_decode_count_hinted(decoder, count, count))
    return;
  TileDecodedAddress shared =
      tile_decode_address_a(decoder, 0, TILE_SPACE_SHARED);
  insn->as.tma.wide_address = shared.is_wide;
  decode_global(decoder, 1);
  if (!is_tensor)
    insn->c = tile_decode_src(decoder, 2, TILE_PTX_U32);
  TileDecodedAddress mbarrier =
      tile_decode_address(decoder, decoder->ops[at], TILE_SPACE_SHARED);
  insn->e = mbarrier.slot;
  insn->imm = mbarrier.offset;
  insn->as.tma.wide_mbarrier = mbarrier.is_wide;
  insn->as.tma.is_multicast = has_mask;
  if (insn->as.tma.is_multicast)
    insn->dst2 = tile_decode_src(decoder, at + 1 + num_infos, TILE_PTX_U16);
  insn->exec = tma_load;
}

/// [global …], [shared] (, size) (, policy)
static void decode_store(TileDecoder *decoder) {
  static const char *const reductions[] = {"add", "min",  "max", "and", "or",
                                           "xor", "exch", "cas", "inc", "dec"};
  TileInsn *insn = decoder->insn;
  bool is_tensor = insn->as.tma.is_tensor;
  uint32_t count = is_tensor ? 2 : 3;
  if (!tile_decode_count_hinted(decoder, count, count))
    return;
  decode_global(decoder, 0);
  TileDecodedAddress shared =
      tile_decode_address_a(decoder, 1, TILE_SPACE_SHARED);
  insn->as.tma.wide_address = shared.is_wide;
  if (!is_tensor)
    insn->c = tile_decode_src(decoder, 2, TILE_PTX_U32);
  if (tile_decode_has(decoder, "reduce")) {
    insn->as.tma.reduction =
        (uint8_t)(1 + tile_decode_choice(decoder, reductions, 10));
    insn->type = (uint8_t)tile_decode_type(decoder, 0);
    bool has_type = is_tensor || tile_emu_type_bytes((TilePtxType)insn->type);
    if (!insn->as.tma.reduction || !has_type)
      tile_decode_unsupported(decoder, "reduction");
    // The elements of a tensor are known when it runs.
    decoder->parser->kernel->has_ordered_updates |=
        tile_decode_has(decoder, "add") &&
        (is_tensor || tile_emu_type_is_float((TilePtxType)insn->type));
  }
  decoder->parser->kernel->has_bulk_store = true;
  insn->exec = tma_store;
}

void tile_emu_decode_cp_async_bulk(TileDecoder *decoder) {
  TileInsn *insn = decoder->insn;
  const char *opcode = decoder->opcode;
  if (!strncmp(opcode, "cp.async.bulk.prefetch", 22)) {
    decoder->is_hint = true;
    return;
  }
  if (!strcmp(opcode, "cp.async.bulk.commit_group")) {
    insn->exec = bulk_commit;
    return;
  }
  if (!strncmp(opcode, "cp.async.bulk.wait_group", 24)) {
    insn->imm = tile_decode_immediate(decoder, 0);
    insn->as.wait.is_read = tile_decode_has(decoder, "read");
    insn->exec = bulk_wait;
    return;
  }
  if (tile_decode_has(decoder, "im2col::w") ||
      tile_decode_has(decoder, "im2col::w::128"))
    tile_decode_unsupported(decoder, "im2col::w is of sm_100 and later");
  tile_decode_allow(decoder, modifiers);
  if (decoder->unsupported_reason)
    return;
  insn->as.tma.is_tensor = tile_decode_has(decoder, "tensor");
  if (tile_decode_has(decoder, "bulk_group"))
    decode_store(decoder);
  else if (tile_decode_has(decoder, "global"))
    decode_load(decoder);
  else
    tile_emu_decode_bulk_remote(decoder);
}
