//===- ChoicesTiles.c - One tile for loops one after the other ------------===//

#include "Dialect/Ops.h"
#include "Pipeline/Choices.h"
#include "Support/Arena.h"
#include "Support/Iterate.h"

// A shared tile, with the first and the last op of the kernel's body that use
// it or hold such an op; -1: none.
typedef struct {
  TileAllocOp alloc;
  int first, last;
} Tile;

typedef struct {
  TileArena arena;
  Tile *tiles; // program order
  int num_tiles, capacity;
  int position; // in the body
} Tiles;

// What a user says of a tile is said of that one.
static bool is_plain(TileAllocOp alloc) {
  TileShape shape;
  return tile_shape_of(tile_alloc_memref(alloc), &shape) &&
         shape.space == TILE_SPACE_SHARED &&
         mlirAttributeIsNull(tile_alloc_layout_attr(alloc)) &&
         mlirAttributeIsNull(tile_alloc_alignment_attr(alloc)) &&
         mlirAttributeIsNull(tile_alloc_offset_attr(alloc));
}

// Windows and views are no uses; their users are.
static MlirWalkResult note_uses(MlirOperation op, void *user_data) {
  Tiles *tiles = user_data;
  intptr_t count = tile_region_is(op) || tile_view_is(op)
                       ? 0
                       : mlirOperationGetNumOperands(op);
  for (intptr_t i = 0; i < count; i++) {
    MlirValue root = tile_buffer_of(mlirOperationGetOperand(op, i)).root;
    for (int t = 0; t < tiles->num_tiles; t++) {
      Tile *tile = &tiles->tiles[t];
      if (!mlirValueEqual(tile_alloc_memref(tile->alloc), root))
        continue;
      tile->first = tile->first < 0 ? tiles->position : tile->first;
      tile->last = tiles->position;
    }
  }
  return MlirWalkResultAdvance;
}

static void tiles_build(MlirOperation kernel, Tiles *out) {
  *out = (Tiles){.num_tiles = 0};
  tile_arena_init(&out->arena);
  TILE_FOR_EACH_OP (op, tile_kernel_body(kernel)) {
    out->position++;
    if (tile_alloc_is(op) && is_plain(tile_alloc_cast(op))) {
      TILE_ARENA_RESERVE(&out->arena, out->tiles, out->num_tiles,
                         out->capacity);
      out->tiles[out->num_tiles++] = (Tile){tile_alloc_cast(op), -1, -1};
    }
    mlirOperationWalk(op, note_uses, out, MlirWalkPreOrder);
  }
}

// The first tile that may stand for tile `number`, or NULL.
static Tile *find_earlier(Tiles *tiles, int number) {
  const Tile *tile = &tiles->tiles[number];
  MlirType type = mlirValueGetType(tile_alloc_memref(tile->alloc));
  for (int i = 0; i < number; i++) {
    Tile *earlier = &tiles->tiles[i];
    if (earlier->last >= 0 && earlier->last < tile->first &&
        mlirTypeEqual(mlirValueGetType(tile_alloc_memref(earlier->alloc)),
                      type))
      return earlier;
  }
  return NULL;
}

int tile_choices_share_tiles(MlirOperation kernel, bool is_dry) {
  Tiles tiles;
  int count = 0;
  tiles_build(kernel, &tiles);
  for (int i = 0; i < tiles.num_tiles; i++) {
    Tile *tile = &tiles.tiles[i], *earlier = find_earlier(&tiles, i);
    if (!earlier)
      continue;
    count++;
    earlier->last = tile->last;
    tile->last = -1;
    if (is_dry)
      continue;
    mlirValueReplaceAllUsesOfWith(tile_alloc_memref(tile->alloc),
                                  tile_alloc_memref(earlier->alloc));
    mlirOperationDestroy(tile->alloc.op);
  }
  tile_arena_deinit(&tiles.arena);
  return count;
}
