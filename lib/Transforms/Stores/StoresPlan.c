//===- StoresPlan.c - Which accumulators are stored by TMA ----------------===//

#include "Stores.h"
#include "Support/KeyTable.h"

#include "Analysis/Memory/Memory.h"

//===-- Staging tiles in parts --------------------------------------------===//

TileStagingCut tile_staging_cut_whole(int64_t size_bytes, int64_t row_bytes,
                                      int64_t unit_bytes) {
  return (TileStagingCut){size_bytes, row_bytes, unit_bytes, 1, 1};
}

int64_t tile_staging_cut_bytes(const TileStagingCut *cut) {
  return cut->size_bytes / cut->num_parts * cut->num_places;
}

// Rows of a part are rows of a swizzle, or several.
static bool can_cut(const TileStagingCut *cut, int64_t num_parts) {
  enum { SWIZZLE_BYTES = 128 };
  int64_t width_bytes = cut->row_bytes / num_parts;
  return cut->row_bytes % num_parts == 0 &&
         width_bytes % cut->unit_bytes == 0 &&
         (width_bytes % SWIZZLE_BYTES == 0 || SWIZZLE_BYTES % width_bytes == 0);
}

// The next larger number of parts, at least 3; 0: there is none.
static int64_t next_parts(const TileStagingCut *cut) {
  int64_t most = cut->row_bytes / cut->unit_bytes;
  for (int64_t n = cut->num_parts < 2 ? 3 : cut->num_parts + 1; n <= most; n++)
    if (can_cut(cut, n))
      return n;
  return 0;
}

bool tile_staging_cut_next(TileStagingCut *cut) {
  bool is_whole = cut->num_parts == 1;
  int64_t num_parts = next_parts(cut);
  if ((is_whole || cut->num_places == 2) && num_parts) {
    cut->num_parts = num_parts;
    cut->num_places = 2;
    return true;
  }
  if (is_whole && can_cut(cut, 2)) {
    cut->num_parts = 2;
    return true;
  }
  bool has_two = cut->num_places == 2;
  cut->num_places = 1;
  return has_two;
}

//===-- The scan ----------------------------------------------------------===//

typedef struct {
  TileArena *arena;
  const TileInstrContext *context;
  bool is_aligned;
  TilePointerMap accumulators; // allocations
  bool has_changed;
  TileOccupancy occupancy;
  int64_t blocks;         // that the launch has on a multiprocessor
  int64_t reserved_bytes; // to be left beside what parts would leave
  int num_copies;         // of each staging tile that there may be
  TileStagedStore *stores, **tail;
} Scan;

//===-- Accumulators ------------------------------------------------------===//

static const void *alloc_of(MlirValue tile) {
  return tile_buffer_alloc(tile_buffer_of(tile)).op.ptr;
}

static bool is_accumulator(const Scan *scan, MlirValue tile) {
  const void *alloc = alloc_of(tile);
  return alloc && tile_pointer_map_get(&scan->accumulators, alloc);
}

static void add_accumulator(Scan *scan, MlirValue tile) {
  const void *alloc = alloc_of(tile);
  if (!alloc || tile_pointer_map_get(&scan->accumulators, alloc))
    return;
  tile_pointer_map_set(&scan->accumulators, alloc, scan);
  scan->has_changed = true;
}

static bool is_matrix(MlirValue tile) {
  TileShape shape;
  return tile_shape_of(tile, &shape) && shape.rank == 2 &&
         shape.space == TILE_SPACE_FRAGMENT;
}

// Products write accumulators, and what is computed from them element by
// element lies as they do.
static MlirWalkResult note_accumulators(MlirOperation op, void *user_data) {
  Scan *scan = user_data;
  TileProduct product;
  TileAccess access[TILE_MAX_ACCESSES];
  if (tile_product_of(op, &product))
    add_accumulator(scan, product.c);
  if (!tile_parallel_is(op) && !tile_copy_is(op))
    return MlirWalkResultAdvance;
  int n = tile_accesses_get(op, access);
  bool reads = false;
  for (int i = 0; i < n; i++)
    reads |= access[i].reads && is_accumulator(scan, access[i].tile);
  for (int i = 0; reads && i < n; i++)
    if (access[i].writes && is_matrix(access[i].tile))
      add_accumulator(scan, access[i].tile);
  return MlirWalkResultAdvance;
}

static void find_accumulators(Scan *scan, MlirOperation launch) {
  do {
    scan->has_changed = false;
    mlirOperationWalk(launch, note_accumulators, scan, MlirWalkPreOrder);
  } while (scan->has_changed);
}

//===-- Parts -------------------------------------------------------------===//

static int64_t unused_bytes(const Scan *scan) {
  const TileTarget *target = scan->context->target;
  int64_t most =
      target->sm_smem_bytes / scan->blocks - target->reserved_smem_bytes;
  if (most > target->max_smem_bytes)
    most = target->max_smem_bytes;
  return most - scan->occupancy.smem_bytes;
}

// Smaller parts than fit, or none, until what later passes were short of is
// left.
static void reserve(Scan *scan, TileStagedStore *store) {
  int64_t had_bytes = tile_staging_cut_bytes(&store->cut), left_bytes = 0;
  while (store->fits && left_bytes < scan->reserved_bytes) {
    store->fits = tile_staging_cut_next(&store->cut);
    left_bytes = had_bytes;
    if (store->fits)
      left_bytes -= tile_staging_cut_bytes(&store->cut);
  }
  scan->reserved_bytes -= left_bytes;
}

// The largest that fits. Other blocks keep their place. A row of a part is a
// row of the widest swizzle, or more of them; of the next one where rows of the
// tile are not made of the widest (160 columns of two bytes).
static void choose_parts(Scan *scan, TileStagedStore *store,
                         const TileShape *shape) {
  enum { ROW_BYTES = 128, SHORT_ROW_BYTES = 64 };
  enum { BARRIER_BYTES = 1024 }; // mbarriers, and alignment between tiles
  int64_t row_bytes = shape->extent[1] * tile_elem_bits(shape->element) / 8;
  store->unused_bytes = unused_bytes(scan) - BARRIER_BYTES;
  store->cut = tile_staging_cut_whole(shape->extent[0] * row_bytes, row_bytes,
                                      row_bytes % ROW_BYTES ? SHORT_ROW_BYTES
                                                            : ROW_BYTES);
  do
    store->fits = scan->num_copies * tile_staging_cut_bytes(&store->cut) <=
                  store->unused_bytes;
  while (!store->fits && tile_staging_cut_next(&store->cut));
  reserve(scan, store);
  if (store->fits)
    scan->occupancy.smem_bytes +=
        scan->num_copies * tile_staging_cut_bytes(&store->cut);
}

//===-- Copies ------------------------------------------------------------===//

static MlirWalkResult visit_copy(MlirOperation op, void *user_data) {
  Scan *scan = user_data;
  TileCopyOp copy = tile_copy_dyn(op);
  TileReason reason;
  TileShape shape;
  if (!copy.op.ptr || !mlirAttributeIsNull(tile_copy_instr_attr(copy)) ||
      !is_matrix(tile_copy_src(copy)) || !tile_is_whole(tile_copy_src(copy)) ||
      !is_accumulator(scan, tile_copy_src(copy)) ||
      !tile_shape_of(tile_copy_dst(copy), &shape) ||
      !tile_staged_store_is_legal(copy, scan->context, scan->is_aligned,
                                  &reason))
    return MlirWalkResultAdvance;
  TileStagedStore *store = TILE_ARENA_NEW(scan->arena, TileStagedStore, 1);
  *store = (TileStagedStore){.copy = copy};
  choose_parts(scan, store, &shape);
  *scan->tail = store;
  scan->tail = &store->next;
  return MlirWalkResultAdvance;
}

//===-- Entry -------------------------------------------------------------===//

TileStagedStore *tile_store_staging_build(TileArena *arena,
                                          MlirOperation launch,
                                          const TileInstrContext *context,
                                          bool is_aligned) {
  Scan scan = {.arena = arena, .context = context, .is_aligned = is_aligned};
  if (!context->target->has_tma)
    return NULL;
  scan.accumulators.arena = arena;
  scan.tail = &scan.stores;
  find_accumulators(&scan, launch);
  tile_occupancy_estimate(arena, launch, context->target, &scan.occupancy);
  scan.blocks = tile_occupancy_blocks(&scan.occupancy);
  // A launch whose blocks fill a multiprocessor may become persistent.
  scan.num_copies =
      scan.blocks == 1 && tile_kernel_may_take_turns(launch, context, NULL) ? 2
                                                                            : 1;
  scan.reserved_bytes = tile_kernel_number(launch, TILE_RESERVED_BYTES_ATTR, 0);
  mlirOperationWalk(launch, visit_copy, &scan, MlirWalkPreOrder);
  return scan.stores;
}
