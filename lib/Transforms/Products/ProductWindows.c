//===- ProductWindows.c - Slots that a product under way does not read ----===//
//
// Two positions of a ring that a loop carries, each the one before plus 1 and 0
// behind the last slot, stay as far apart as they begin. So in one round the
// slot that is filled next is not the one that is read, when their first ones
// differ.
//
//===----------------------------------------------------------------------===//

#include "Analysis/Index/Index.h"
#include "ProductFlow.h"
#include "Tile/Ops/arith.h"
#include "Tile/Ops/scf.h"

// The slot of a window of a ring: the offset in the first dimension, which is
// dropped.
static MlirValue slot_of(MlirValue tile) {
  TileBuffer buffer = tile_buffer_of(tile);
  if (!buffer.region.ptr || !mlirValueEqual(buffer.base, buffer.root))
    return TILE_NULL_VALUE;
  TileRegionOp region = tile_region_cast(mlirOpResultGetOwner(buffer.region));
  return tile_region_result_dim(region, 0) < 0 &&
                 tile_region_static_sizes(region, 0) == 1
             ? tile_region_offset(region, 0).value
             : TILE_NULL_VALUE;
}

// Whether `next` is `slot + 1 == n ? 0 : slot + 1`; returns n, else 0.
static int64_t ring_size(MlirValue slot, MlirValue next) {
  int64_t zero, one, n;
  if (!mlirValueIsAOpResult(next) ||
      !arith_select_is(mlirOpResultGetOwner(next)))
    return 0;
  ArithSelectOp select = arith_select_cast(mlirOpResultGetOwner(next));
  MlirValue sum = arith_select_false_value(select);
  MlirValue is_end = arith_select_condition(select);
  if (!mlirxConstantInt(arith_select_true_value(select), &zero) || zero != 0 ||
      !mlirValueIsAOpResult(sum) || !arith_addi_is(mlirOpResultGetOwner(sum)) ||
      !mlirValueIsAOpResult(is_end) ||
      !arith_cmpi_is(mlirOpResultGetOwner(is_end)))
    return 0;
  MlirOperation add = mlirOpResultGetOwner(sum);
  ArithCmpIOp compare = arith_cmpi_cast(mlirOpResultGetOwner(is_end));
  bool is_next = mlirValueEqual(mlirOperationGetOperand(add, 0), slot) &&
                 mlirxConstantInt(mlirOperationGetOperand(add, 1), &one) &&
                 one == 1;
  return is_next && arith_cmpi_predicate(compare) == ARITH_CMP_I_PREDICATE_eq &&
                 mlirValueEqual(arith_cmpi_lhs(compare), sum) &&
                 mlirxConstantInt(arith_cmpi_rhs(compare), &n)
             ? n
             : 0;
}

typedef struct {
  int64_t first, num_slots;
} Position;

static bool position_of(MlirValue slot, MlirOperation loop, Position *out) {
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(loop, 0));
  if (!slot.ptr || !mlirValueIsABlockArgument(slot) ||
      !mlirBlockEqual(mlirBlockArgumentGetOwner(slot), body))
    return false;
  intptr_t number = mlirBlockArgumentGetArgNumber(slot);
  if (number == 0)
    return false; // the counter
  MlirValue next =
      mlirOperationGetOperand(mlirBlockGetTerminator(body), number - 1);
  MlirValue init =
      tile_range_at(scf_for_initArgs(scf_for_cast(loop)), number - 1);
  out->num_slots = ring_size(slot, next);
  return out->num_slots > 0 && mlirxConstantInt(init, &out->first);
}

bool tile_product_windows_miss(MlirValue written, MlirValue read,
                               MlirOperation loop) {
  Position a, b;
  return scf_for_is(loop) && position_of(slot_of(written), loop, &a) &&
         position_of(slot_of(read), loop, &b) && a.num_slots == b.num_slots &&
         a.first != b.first && a.first >= 0 && a.first < a.num_slots &&
         b.first >= 0 && b.first < b.num_slots;
}
