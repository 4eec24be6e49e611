//===- TileAttributes.c - Discardable tile.* attributes on any op ---------===//
//
// Attributes by which users and passes talk about ops of other dialects. The
// dialect's description in TileDialect.td lists them.
//
//===----------------------------------------------------------------------===//

#include "Dialect/ArgumentNames.h"
#include "Dialect/ForeignOps.h"
#include "Dialect/Verify/TileVerify.h"
#include "Support/StringBuilder.h"
#include "Tile/Ops/func.h"
#include "Tile/Ops/llvm.h"
#include "Tile/Ops/memref.h"
#include "Tile/Ops/nvgpu.h"
#include "Tile/Ops/scf.h"

//===-- Values ------------------------------------------------------------===//

static MlirLogicalResult verify_i32(MlirOperation op, const char *name,
                                    MlirAttribute value, int64_t min) {
  bool is_i32 = mlirAttributeIsAInteger(value) &&
                mlirTypeIsAInteger(mlirAttributeGetType(value)) &&
                mlirIntegerTypeGetWidth(mlirAttributeGetType(value)) == 32;
  if (!is_i32)
    return tile_emit_error(op, "expects '%s' to be an i32, got %s", name,
                           tile_verify_attr_text(value).chars);
  int64_t number = mlirIntegerAttrGetValueInt(value);
  if (number < min)
    return tile_emit_error(
        op, "expects '%s' to be at least %" PRId64 ", got %" PRId64, name, min,
        number);
  return tile_success();
}

static MlirLogicalResult verify_on_loop(MlirOperation op, const char *name) {
  if (scf_for_is(op) || scf_while_is(op))
    return tile_success();
  if (func_func_is(op))
    return tile_emit_error(op,
                           "expects '%s' on a loop, not on a function: it "
                           "belongs to the scf.for or scf.while to pipeline",
                           name);
  return tile_emit_error(op, "expects '%s' only on scf.for and scf.while",
                         name);
}

//===-- One check per attribute -------------------------------------------===//

static MlirLogicalResult verify_num_stages(MlirOperation op, const char *name,
                                           MlirAttribute value) {
  if (tile_failed(verify_on_loop(op, name)))
    return tile_failure();
  return verify_i32(op, name, value, 0);
}

static MlirLogicalResult verify_specialize(MlirOperation op, const char *name,
                                           MlirAttribute value) {
  if (tile_failed(verify_on_loop(op, name)))
    return tile_failure();
  if (mlirAttributeIsAString(value)) {
    MlirStringRef text = mlirStringAttrGetValue(value);
    if (mlirStringRefEqual(text, TILE_STR("required")) ||
        mlirStringRefEqual(text, TILE_STR("preferred")) ||
        mlirStringRefEqual(text, TILE_STR("off")))
      return tile_success();
  }
  return tile_emit_error(
      op, "expects '%s' to be \"required\", \"preferred\" or \"off\", got %s",
      name, tile_verify_attr_text(value).chars);
}

static MlirLogicalResult verify_stage(MlirOperation op, const char *name,
                                      MlirAttribute value) {
  return verify_i32(op, name, value, 0);
}

static MlirLogicalResult verify_order(MlirOperation op, const char *name,
                                      MlirAttribute value) {
  return verify_i32(op, name, value, INT32_MIN);
}

static MlirLogicalResult verify_target(MlirOperation op, const char *name,
                                       MlirAttribute value) {
  MlirStringRef op_name = mlirIdentifierStr(mlirOperationGetName(op));
  if (!mlirStringRefEqual(op_name, TILE_STR("builtin.module")))
    return tile_emit_error(op, "expects '%s' only on builtin.module", name);
  // mlir-c has no test for this attribute; its text begins with its name.
  static const char expected[] = "#nvvm.target";
  TileVerifyText text = tile_verify_attr_text(value);
  if (strncmp(text.chars, expected, sizeof expected - 1) != 0)
    return tile_emit_error(op, "expects '%s' to be an %s, got %s", name,
                           expected, text.chars);
  return tile_success();
}

static MlirLogicalResult verify_num_threads(MlirOperation op, const char *name,
                                            MlirAttribute value) {
  if (!func_func_is(op) && !scf_forall_is(op))
    return tile_emit_error(op, "expects '%s' only on func.func and scf.forall",
                           name);
  if (!mlirAttributeIsAInteger(value))
    return tile_emit_error(op, "expects '%s' to be an integer, got %s", name,
                           tile_verify_attr_text(value).chars);
  int64_t num_threads = mlirIntegerAttrGetValueInt(value);
  if (num_threads < 1 || num_threads > TILE_MAX_BLOCK_THREADS ||
      num_threads % TILE_WARP_THREADS)
    return tile_emit_error(op,
                           "expects '%s' to be a positive multiple of %d, at "
                           "most %d, got %" PRId64,
                           name, TILE_WARP_THREADS, TILE_MAX_BLOCK_THREADS,
                           num_threads);
  return tile_success();
}

// A function, or what lowering makes of one that kernels call.
static bool is_function(MlirOperation op) {
  return func_func_is(op) || llvm_func_is(op);
}

static MlirLogicalResult verify_may_alias(MlirOperation op, const char *name,
                                          MlirAttribute value) {
  if (!is_function(op))
    return tile_emit_error(
        op, "expects '%s' only on func.func or one of its arguments", name);
  if (!mlirAttributeIsAUnit(value))
    return tile_emit_error(op, "expects '%s' to be without value, got %s", name,
                           tile_verify_attr_text(value).chars);
  return tile_success();
}

static MlirLogicalResult verify_argument_name(MlirOperation function,
                                              MlirAttribute value) {
  if (!is_function(function))
    return tile_emit_error(
        function, "expects 'tile.name' only on arguments of func.func");
  if (!mlirAttributeIsAString(value) ||
      mlirStringAttrGetValue(value).length == 0)
    return tile_emit_error(function,
                           "expects 'tile.name' to be a name in quotes, got %s",
                           tile_verify_attr_text(value).chars);
  return tile_success();
}

// Written by a pass, on what a role executed.
static MlirLogicalResult verify_warps(MlirOperation op, const char *name,
                                      MlirAttribute value) {
  enum { MAX_WARPS = TILE_MAX_BLOCK_THREADS / TILE_WARP_THREADS };
  if (mlirAttributeIsADenseI64Array(value) &&
      mlirDenseArrayGetNumElements(value) == 2) {
    int64_t first = mlirDenseI64ArrayGetElement(value, 0);
    int64_t count = mlirDenseI64ArrayGetElement(value, 1);
    if (first >= 0 && count >= 1 && count <= MAX_WARPS &&
        first <= MAX_WARPS - count)
      return tile_success();
  }
  return tile_emit_error(op,
                         "expects '%s' to be the first warp and the number of "
                         "warps out of %d, got %s",
                         name, MAX_WARPS, tile_verify_attr_text(value).chars);
}

// The number of elements that a thread may take of a row of the tile at once.
static bool is_chunk_of(MlirValue tile, int64_t chunk) {
  enum { MAX_BYTES = 16 };
  TileShape shape;
  return tile_verify_is_power_of_two(chunk) && chunk <= MAX_BYTES &&
         tile_shape_of(tile, &shape) && shape.rank > 0 &&
         shape.extent[shape.rank - 1] % chunk == 0 &&
         chunk * tile_elem_bits(shape.element) <= MAX_BYTES * 8;
}

// Written by a pass, on copies and fills whose threads it relies on.
static MlirLogicalResult verify_chunk(MlirOperation op, const char *name,
                                      MlirAttribute value) {
  if (!tile_copy_is(op) && !tile_fill_is(op))
    return tile_emit_error(op, "expects '%s' only on tile.copy and tile.fill",
                           name);
  int64_t chunk =
      mlirAttributeIsAInteger(value) ? mlirIntegerAttrGetValueInt(value) : 0;
  bool fits = tile_copy_is(op)
                  ? is_chunk_of(tile_copy_src(tile_copy_cast(op)), chunk) &&
                        is_chunk_of(tile_copy_dst(tile_copy_cast(op)), chunk)
                  : is_chunk_of(tile_fill_dst(tile_fill_cast(op)), chunk);
  if (!fits)
    return tile_emit_error(op,
                           "expects '%s' to be a power of two that divides the "
                           "rows of the tile, of 16 bytes at most, got %s",
                           name, tile_verify_attr_text(value).chars);
  return tile_success();
}

// Written by a pass, on stores of lowered element loops.
static MlirLogicalResult verify_align(MlirOperation op, const char *name,
                                      MlirAttribute value) {
  if (!memref_load_is(op) && !memref_store_is(op))
    return tile_emit_error(
        op, "expects '%s' only on memref.load and memref.store", name);
  if (!mlirAttributeIsAInteger(value) ||
      !tile_verify_is_power_of_two(mlirIntegerAttrGetValueInt(value)))
    return tile_emit_error(op, "expects '%s' to be a power of two, got %s",
                           name, tile_verify_attr_text(value).chars);
  return tile_success();
}

// Written by a pass.
static MlirLogicalResult verify_row_multiple(MlirOperation op, const char *name,
                                             MlirAttribute value) {
  if (!tile_region_is(op))
    return tile_emit_error(op, "expects '%s' only on tile.region", name);
  if (!mlirAttributeIsAInteger(value) ||
      !tile_verify_is_power_of_two(mlirIntegerAttrGetValueInt(value)))
    return tile_emit_error(op, "expects '%s' to be a power of two, got %s",
                           name, tile_verify_attr_text(value).chars);
  return tile_success();
}

static MlirLogicalResult verify_unit(MlirOperation op, const char *name,
                                     MlirAttribute value) {
  if (!mlirAttributeIsAUnit(value))
    return tile_emit_error(op, "expects '%s' to be without value, got %s", name,
                           tile_verify_attr_text(value).chars);
  return tile_success();
}

static MlirLogicalResult verify_unit_of_for(MlirOperation op, const char *name,
                                            MlirAttribute value) {
  if (!scf_for_is(op))
    return tile_emit_error(op, "expects '%s' only on scf.for", name);
  return verify_unit(op, name, value);
}

// Written by tile-compile and by passes, on kernels.
static MlirLogicalResult verify_taken_back(MlirOperation op, const char *name,
                                           MlirAttribute value) {
  if (!tile_kernel_is(op))
    return tile_emit_error(op, "expects '%s' only on kernels", name);
  if (!mlirAttributeIsAInteger(value) || mlirIntegerAttrGetValueInt(value) < 0)
    return tile_emit_error(op,
                           "expects '%s' to be a number of at least 0, got %s",
                           name, tile_verify_attr_text(value).chars);
  return tile_success();
}

static MlirLogicalResult verify_by_thread(MlirOperation op, const char *name,
                                          MlirAttribute value) {
  if (!tile_foreign_op_stores(op) && !memref_atomic_rmw_is(op) &&
      !tile_print_is(op))
    return tile_emit_error(op,
                           "expects '%s' only on tile.print and on ops of "
                           "memref and vector that store",
                           name);
  return verify_unit(op, name, value);
}

// Written by a pass: products of bytes that are 8-bit floats.
static MlirLogicalResult verify_mma_type(MlirOperation op, const char *name,
                                         MlirAttribute value) {
  if (!nvgpu_mma_sync_is(op) && !nvgpu_mma_sp_sync_is(op))
    return tile_emit_error(
        op, "expects '%s' only on nvgpu.mma.sync and nvgpu.mma.sp.sync", name);
  const TileDtypeInfo *info = mlirAttributeIsAType(value)
                                  ? tile_elem_info(mlirTypeAttrGetValue(value))
                                  : NULL;
  if (info && tile_dtype_info_is_float(info) && info->bits == 8 && info->factor)
    return tile_success();
  return tile_emit_error(op, "expects '%s' to be f8E4M3FN or f8E5M2, got %s",
                         name, tile_verify_attr_text(value).chars);
}

//===-- Entry -------------------------------------------------------------===//

// Marks and sizes by which tile-form-kernels and schedules talk.
static MlirLogicalResult
verify_schedule_mark(MlirOperation op, const char *name, MlirAttribute value) {
  (void)op, (void)name, (void)value;
  return tile_success();
}

static const struct {
  const char *name;
  MlirLogicalResult (*verify)(MlirOperation op, const char *name,
                              MlirAttribute value);
} known_attributes[] = {
    {"tile.accumulator", verify_schedule_mark},
    {"tile.align", verify_align},
    {TILE_ALTERNATE_ATTR, verify_unit_of_for},
    {"tile.block", verify_schedule_mark},
    {"tile.by_thread", verify_by_thread},
    {"tile.carried", verify_schedule_mark},
    {"tile.chunk", verify_chunk},
    {TILE_CLAMPED_ATTR, verify_schedule_mark},
    {"tile.depth_stages", verify_schedule_mark},
    {"tile.factor", verify_schedule_mark},
    {"tile.group", verify_order},
    {TILE_IM2COL_ATTR, verify_schedule_mark},
    {"tile.loop", verify_schedule_mark},
    {"tile.may_alias", verify_may_alias},
    {"tile.mma_type", verify_mma_type},
    {"tile.mma_type_b", verify_mma_type},
    {"tile.num_stages", verify_num_stages},
    {"tile.num_threads", verify_num_threads},
    {"tile.order", verify_order},
    {TILE_OWN_SMEM_ATTR, verify_taken_back},
    {TILE_PERSISTENT_ATTR, verify_unit_of_for},
    {TILE_PINGPONG_ATTR, verify_unit_of_for},
    {TILE_PRELUDE_SLOTS_ATTR, verify_taken_back},
    {"tile.product", verify_schedule_mark},
    {TILE_REFUSED_ATTR, verify_taken_back},
    {TILE_RESERVED_BYTES_ATTR, verify_taken_back},
    {"tile.root", verify_schedule_mark},
    {"tile.row_multiple", verify_row_multiple},
    {"tile.schedule", verify_schedule_mark},
    {"tile.sizes", verify_schedule_mark},
    {"tile.specialize", verify_specialize},
    {"tile.stage", verify_stage},
    {"tile.target", verify_target},
    {"tile.threads", verify_schedule_mark},
    {TILE_WARPS_ATTR, verify_warps},
};
enum { NUM_KNOWN = sizeof known_attributes / sizeof known_attributes[0] };

MlirLogicalResult tile_attribute_verify(MlirOperation op,
                                        MlirNamedAttribute attribute) {
  MlirStringRef name = mlirIdentifierStr(attribute.name);
  TileString list = {NULL, 0, 0};
  for (int i = 0; i < NUM_KNOWN; i++) {
    const char *known = known_attributes[i].name;
    if (mlirStringRefEqual(name, tile_str(known)))
      return known_attributes[i].verify(op, known, attribute.attribute);
  }
  for (int i = 0; i < NUM_KNOWN; i++)
    tile_string_print(&list, "%s%s", i ? ", " : "", known_attributes[i].name);
  MlirLogicalResult result =
      tile_emit_error(op, "has the unknown attribute '%.*s', expects one of %s",
                      (int)name.length, name.data, tile_string_text(&list));
  tile_string_deinit(&list);
  return result;
}

// The name of an element type, of which this is a tensor for hosts.
static MlirLogicalResult verify_holds(MlirOperation op, MlirAttribute value) {
  char name[16] = "";
  MlirStringRef text = mlirAttributeIsAString(value)
                           ? mlirStringAttrGetValue(value)
                           : TILE_STR("");
  if (text.length < sizeof name)
    memcpy(name, text.data, text.length);
  const TileDtypeInfo *info = tile_dtype_named(name);
  if (info && info->is_of_tiles)
    return tile_success();
  return tile_emit_error(op,
                         "expects 'tile.holds' to name an element type, got %s",
                         tile_verify_attr_text(value).chars);
}

MlirLogicalResult tile_argument_attribute_verify(MlirOperation function,
                                                 intptr_t argument,
                                                 MlirNamedAttribute attribute) {
  MlirStringRef name = mlirIdentifierStr(attribute.name);
  if (mlirStringRefEqual(name, TILE_STR("tile.may_alias")))
    return verify_may_alias(function, "tile.may_alias", attribute.attribute);
  if (mlirStringRefEqual(name, TILE_STR(TILE_NAME_ATTR)))
    return verify_argument_name(function, attribute.attribute);
  if (mlirStringRefEqual(name, TILE_STR(TILE_HOLDS_ATTR)))
    return verify_holds(function, attribute.attribute);
  return tile_emit_error(function,
                         "has the attribute '%.*s' on argument %td, expects "
                         "only tile.holds, tile.may_alias and tile.name on "
                         "arguments",
                         (int)name.length, name.data, argument);
}
