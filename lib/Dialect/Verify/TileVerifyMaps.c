//===- TileVerifyMaps.c - Constraints of tensor maps that kernels make ----===//
//
// Labels such as (C2) are those of TileMapOps.td.
//
//===----------------------------------------------------------------------===//

#include "TileVerify.h"

enum { MAP_WORDS = 16 };

static bool has_words(MlirType type, TileSpace space, int64_t rank) {
  return mlirTypeIsAMemRef(type) &&
         tile_space_of_attr(mlirMemRefTypeGetMemorySpace(type)) == space &&
         mlirShapedTypeGetRank(type) == rank &&
         !mlirShapedTypeIsDynamicDim(type, rank - 1) &&
         mlirShapedTypeGetDimSize(type, rank - 1) == MAP_WORDS &&
         mlirTypeIsAInteger(mlirShapedTypeGetElementType(type)) &&
         mlirIntegerTypeGetWidth(mlirShapedTypeGetElementType(type)) == 64;
}

static bool can_be_described(MlirType type) {
  TileShape shape;
  int64_t stride[TILE_MAX_RANK], offset;
  return tile_shape_get(type, &shape) && shape.rank >= 1 &&
         shape.space == TILE_SPACE_GLOBAL &&
         !tile_failed(
             mlirMemRefTypeGetStridesAndOffset(type, stride, &offset)) &&
         stride[shape.rank - 1] == 1;
}

MlirLogicalResult tile_map_place_verify(MlirOperation op) {
  TileMapPlaceOp place = tile_map_place_cast(op);
  MlirType maps = mlirValueGetType(tile_map_place_maps(place));
  MlirType tensor = mlirValueGetType(tile_map_place_tensor(place));
  if (tile_failed(tile_verify_op(op)))
    return tile_failure();
  if (!has_words(maps, TILE_SPACE_GLOBAL, 2)) // (C1)
    return tile_emit_error(op,
                           "expects 'maps' to be i64 in global memory, rows of "
                           "%d, got %s",
                           MAP_WORDS, tile_verify_type_text(maps).chars);
  if (!can_be_described(tensor)) // (C2)
    return tile_emit_error(op,
                           "expects a tensor in global memory, of rank 1 to %d "
                           "and with last stride 1, got %s",
                           TILE_MAX_RANK, tile_verify_type_text(tensor).chars);
  return tile_failed(tile_verify_inside_kernel(op))
             ? tile_failure()
             : tile_verify_outside_loop(op,
                                        "the place of a tensor map"); // (C3)
}

// Those of a function that is no kernel are not known.
static bool is_of_host(MlirValue map) {
  return mlirValueIsABlockArgument(map) ||
         tile_tensor_map_is(mlirOpResultGetOwner(map));
}

// (C2), where the host makes the map in sight
static bool is_alike(MlirValue like, MlirValue tensor) {
  if (mlirValueIsABlockArgument(like))
    return true;
  MlirType a = mlirValueGetType(
      tile_tensor_map_tensor(tile_tensor_map_cast(mlirOpResultGetOwner(like))));
  MlirType b = mlirValueGetType(tensor);
  return mlirShapedTypeGetRank(a) == mlirShapedTypeGetRank(b) &&
         mlirTypeEqual(mlirShapedTypeGetElementType(a),
                       mlirShapedTypeGetElementType(b));
}

MlirLogicalResult tile_map_make_verify(MlirOperation op) {
  TileMapMakeOp make = tile_map_make_cast(op);
  MlirValue map = tile_map_make_map(make), like = tile_map_make_like(make);
  MlirType stage = mlirValueGetType(tile_map_make_stage(make));
  if (tile_failed(tile_verify_op(op)))
    return tile_failure();
  if (!mlirValueIsAOpResult(map) ||
      !tile_map_place_is(mlirOpResultGetOwner(map))) // (C1)
    return tile_emit_error(
        op, "expects 'map' to be the result of a tile.map_place");
  MlirValue tensor =
      tile_map_place_tensor(tile_map_place_cast(mlirOpResultGetOwner(map)));
  if (!is_of_host(like) || !is_alike(like, tensor)) // (C2)
    return tile_emit_error(
        op,
        "expects 'like' to be a tensor map of the host, of a tensor of rank "
        "%" PRId64 " and elements of %s",
        mlirShapedTypeGetRank(mlirValueGetType(tensor)),
        tile_verify_type_text(
            mlirShapedTypeGetElementType(mlirValueGetType(tensor)))
            .chars);
  if (!has_words(stage, TILE_SPACE_SHARED, 1)) // (C3)
    return tile_emit_error(op,
                           "expects 'stage' to be %d i64 in shared memory, got "
                           "%s",
                           MAP_WORDS, tile_verify_type_text(stage).chars);
  return tile_verify_outside_loop(op, "a tensor map"); // (C4)
}
