//===- TensorWindows.c - Tensors behind windows, and what lies around them ===//
//
// Which tensors may share memory; whether a window leaves its tensor. TMA and
// cp.async fill in zeros where it does: any other pad is stored by threads.
//
//===----------------------------------------------------------------------===//

#include "Index.h"

#include "Dialect/Im2col.h"
#include "Support/Arithmetic.h"
#include "Support/Iterate.h"
#include "Tile/Ops/func.h"
#include "Tile/Ops/gpu.h"
#include "Tile/Ops/memref.h"

//===-- Tensors -----------------------------------------------------------===//

// Where an address comes from: the table that it is read from, or the value
// that the host gave. Null: it is computed.
static MlirValue origin_of(MlirOperation at) {
  MlirValue address = tile_tensor_at_address(tile_tensor_at_cast(at));
  if (mlirValueIsABlockArgument(address)) {
    MlirOperation owner =
        mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(address));
    return tile_kernel_is(owner) ? address : TILE_NULL_VALUE;
  }
  MlirOperation op = mlirOpResultGetOwner(address);
  if (memref_load_is(op))
    return tile_tensor_root(memref_load_memref(memref_load_cast(op)));
  for (MlirOperation parent = mlirOperationGetParentOperation(op); parent.ptr;
       parent = mlirOperationGetParentOperation(parent))
    if (tile_kernel_is(parent))
      return TILE_NULL_VALUE;
  return address;
}

typedef struct {
  MlirValue origin, found;
} OriginSearch;

static MlirWalkResult find_origin(MlirOperation op, void *user_data) {
  OriginSearch *search = user_data;
  if (!tile_tensor_at_is(op) || !mlirValueEqual(origin_of(op), search->origin))
    return MlirWalkResultAdvance;
  search->found = mlirOperationGetResult(op, 0);
  return MlirWalkResultInterrupt;
}

// Tensors whose addresses have one origin may be one: the first one stands for
// all of them.
static MlirValue first_of_origin(MlirOperation at) {
  OriginSearch search = {.origin = origin_of(at),
                         .found = mlirOperationGetResult(at, 0)};
  MlirOperation kernel = tile_kernel_around(at);
  if (kernel.ptr)
    mlirOperationWalk(kernel, find_origin, &search, MlirWalkPreOrder);
  return search.found;
}

// Casts and views of tensors are looked through; their first operand is what
// they view.
MlirValue tile_tensor_root(MlirValue tile) {
  MlirValue root = tile_buffer_of(tile).root;
  while (mlirValueIsAOpResult(root)) {
    MlirOperation view = mlirOpResultGetOwner(root);
    if (tile_tensor_at_is(view))
      return first_of_origin(view);
    if (mlirOperationGetNumOperands(view) == 0 ||
        !mlirTypeIsAMemRef(mlirValueGetType(mlirOperationGetOperand(view, 0))))
      break;
    root = mlirOperationGetOperand(view, 0);
  }
  return root;
}

// Whether the argument of a function may share memory with others of it.
static bool may_alias(MlirOperation func, intptr_t argument) {
  MlirStringRef name = TILE_STR("tile.may_alias");
  if (!mlirAttributeIsNull(
          mlirOperationGetDiscardableAttributeByName(func, name)))
    return true;
  MlirAttribute list = func_func_arg_attrs_attr(func_func_cast(func));
  return !mlirAttributeIsNull(list) &&
         !mlirAttributeIsNull(mlirDictionaryAttrGetElementByName(
             mlirArrayAttrGetElement(list, argument), name));
}

// Nobody writes it: two values that are the same constant only read.
static bool is_constant(MemRefGetGlobalOp get) {
  MlirOperation module = get.op;
  for (MlirOperation parent = module; parent.ptr;
       parent = mlirOperationGetParentOperation(parent))
    module = parent;
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(module, 0));
  TILE_FOR_EACH_OP (op, body) {
    if (memref_global_is(op) &&
        mlirStringRefEqual(memref_global_sym_name(memref_global_cast(op)),
                           memref_get_global_name(get)))
      return memref_global_constant(memref_global_cast(op));
  }
  return false;
}

// Memory of its own that the host has before the launch.
static bool is_of_host(MlirValue root) {
  MlirOperation op = mlirOpResultGetOwner(root);
  MemRefGetGlobalOp get = memref_get_global_dyn(op);
  return memref_alloc_is(op) || memref_alloca_is(op) || gpu_alloc_is(op) ||
         (get.op.ptr && is_constant(get));
}

bool tile_tensor_is_distinct(MlirValue root) {
  if (mlirValueIsAOpResult(root) &&
      tile_tensor_at_is(mlirOpResultGetOwner(root)))
    return origin_of(mlirOpResultGetOwner(root)).ptr != NULL;
  if (!mlirValueIsABlockArgument(root))
    return is_of_host(root);
  MlirOperation parent =
      mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(root));
  if (func_func_is(parent))
    return !may_alias(parent, mlirBlockArgumentGetArgNumber(root));
  return tile_kernel_is(parent); // outlined: the attributes are gone
}

//===-- Windows -----------------------------------------------------------===//

bool tile_window_is_inside(TileRegionOp region, int dim) {
  if ((tile_region_ids(region).ptr && tile_region_dim(region) == dim) ||
      tile_region_end(region, dim).ptr)
    return false;
  int64_t extent = mlirShapedTypeGetDimSize(
      mlirValueGetType(tile_region_source(region)), dim);
  TileIndexBounds bounds = tile_index_bounds(tile_region_offset(region, dim));
  return extent >= 0 && bounds.is_known && bounds.min >= 0 &&
         bounds.max <= extent - tile_region_static_sizes(region, dim);
}

bool tile_window_starts_inside(TileRegionOp region) {
  if (tile_region_starts_inside(region))
    return true;
  for (intptr_t i = 0; i < tile_region_bounded_size(region); i++)
    if (!tile_index_is_natural(
            tile_region_offset(region, (int)tile_region_bounded(region, i))))
      return false;
  return true;
}

MlirValue tile_window_pad(MlirValue tile) {
  MlirValue none = {NULL};
  TileRegionOp region = tile_region_of(tile);
  if (!region.op.ptr || !tile_region_pad(region).ptr ||
      tile_value_is_zero_bits(tile_region_pad(region)))
    return none;
  int rank = (int)tile_region_static_sizes_size(region);
  for (int d = 0; d < rank; d++)
    if (!tile_window_is_inside(region, d))
      return tile_region_pad(region);
  return none;
}

//===-- Parts of tensors --------------------------------------------------===//

// What is known of a tensor, in bytes: its address is a multiple of the first,
// every stride but the last of the second.
typedef struct {
  int64_t address, strides;
} Alignment;

// A number of a view, of those that are not constant an operand.
static int64_t mixed_divisor(MlirAttribute constants, TileRange operands,
                             int at) {
  intptr_t operand = 0;
  for (int i = 0; i < at; i++)
    operand +=
        mlirShapedTypeIsDynamicSize(mlirDenseI64ArrayGetElement(constants, i));
  int64_t fixed = mlirDenseI64ArrayGetElement(constants, at);
  return tile_index_divisor(
      mlirShapedTypeIsDynamicSize(fixed)
          ? tile_int_value(tile_range_at(operands, operand))
          : tile_int_constant(fixed));
}

static Alignment align_subview(MemRefSubViewOp view, Alignment source,
                               int64_t elem_bytes) {
  int last = (int)memref_subview_static_sizes_size(view) - 1;
  for (int d = 0; d <= last; d++) {
    int64_t divisor = mixed_divisor(memref_subview_static_offsets_attr(view),
                                    memref_subview_offsets(view), d);
    if (divisor)
      source.address = tile_gcd(source.address, d == last ? divisor * elem_bytes
                                                          : source.strides);
  }
  return source;
}

// Of the address at which the memory behind a tensor begins. What is assumed of
// a part says something of it where the part begins there, too.
static int64_t align_memory(MlirValue tensor, MlirValue root,
                            int64_t root_align_bytes, bool *out_begins_there) {
  if (mlirValueEqual(tensor, root)) {
    *out_begins_there = true;
    return root_align_bytes;
  }
  MlirOperation op = mlirOpResultGetOwner(tensor);
  int64_t align = align_memory(mlirOperationGetOperand(op, 0), root,
                               root_align_bytes, out_begins_there);
  if (memref_subview_is(op) || memref_reinterpret_cast_is(op))
    *out_begins_there = false;
  if (!memref_assume_alignment_is(op) || !*out_begins_there)
    return align;
  int64_t assumed =
      memref_assume_alignment_alignment(memref_assume_alignment_cast(op));
  return assumed > align ? assumed : align;
}

// Its offset counts from where the memory begins.
static Alignment align_reinterpreted(MemRefReinterpretCastOp view,
                                     MlirValue root, int64_t root_align_bytes,
                                     int64_t elem_bytes) {
  bool begins_there;
  Alignment source = {.address =
                          align_memory(memref_reinterpret_cast_source(view),
                                       root, root_align_bytes, &begins_there)};
  int last = (int)memref_reinterpret_cast_static_strides_size(view) - 1;
  int64_t offset =
      mixed_divisor(memref_reinterpret_cast_static_offsets_attr(view),
                    memref_reinterpret_cast_offsets(view), 0);
  source.address = tile_gcd(source.address, offset * elem_bytes);
  for (int d = 0; d < last; d++)
    source.strides = tile_gcd(
        source.strides,
        elem_bytes *
            mixed_divisor(memref_reinterpret_cast_static_strides_attr(view),
                          memref_reinterpret_cast_strides(view), d));
  return source;
}

static Alignment align_tensor(MlirValue tensor, MlirValue root,
                              int64_t root_align_bytes, int64_t elem_bytes) {
  if (mlirValueEqual(tensor, root))
    return (Alignment){root_align_bytes, root_align_bytes};
  MlirOperation op = mlirOpResultGetOwner(tensor);
  if (memref_reinterpret_cast_is(op))
    return align_reinterpreted(memref_reinterpret_cast_cast(op), root,
                               root_align_bytes, elem_bytes);
  Alignment source = align_tensor(mlirOperationGetOperand(op, 0), root,
                                  root_align_bytes, elem_bytes);
  if (memref_subview_is(op))
    return align_subview(memref_subview_cast(op), source, elem_bytes);
  if (memref_assume_alignment_is(op)) {
    int64_t align =
        memref_assume_alignment_alignment(memref_assume_alignment_cast(op));
    source.address = source.address > align ? source.address : align;
  }
  return source;
}

int64_t tile_view_align_bytes(MlirValue tensor, int64_t root_align_bytes) {
  TileShape shape;
  if (!tile_shape_of(tensor, &shape))
    return 1;
  int64_t elem_bytes = tile_elem_bits(shape.element) / 8;
  MlirValue root = tile_tensor_behind(tensor);
  if (elem_bytes < 1 || mlirValueEqual(root, tensor))
    return root_align_bytes > elem_bytes ? root_align_bytes : elem_bytes;
  Alignment all = align_tensor(tensor, root,
                               root_align_bytes > elem_bytes ? root_align_bytes
                                                             : elem_bytes,
                               elem_bytes);
  return tile_gcd(all.address, all.strides);
}

int64_t tile_tensor_address_bytes(MlirValue tensor) {
  int64_t elem_bytes =
      tile_elem_bits(mlirShapedTypeGetElementType(mlirValueGetType(tensor))) /
      8;
  if (elem_bytes < 1)
    return 1;
  return align_tensor(tensor, tile_tensor_behind(tensor), elem_bytes,
                      elem_bytes)
      .address;
}

//===-- Rows --------------------------------------------------------------===//

int64_t tile_row_align_bytes(MlirValue tile) {
  TileShape shape;
  if (!tile_shape_of(tile, &shape))
    return 1;
  int64_t elem_bytes = tile_elem_bits(shape.element) / 8, align = elem_bytes;
  TileRegionOp region = tile_region_of(tile);
  TileIm2colOp im2col = tile_im2col_of(tile);
  if (region.op.ptr && !mlirAttributeIsNull(tile_region_align_attr(region)))
    align = tile_region_align(region);
  else if (region.op.ptr && shape.space == TILE_SPACE_GLOBAL)
    align = tile_view_align_bytes(tile_region_source(region), 0);
  else if (im2col.op.ptr &&
           !mlirAttributeIsNull(tile_im2col_align_attr(im2col)))
    align = tile_im2col_align(im2col);
  return align > elem_bytes ? align : elem_bytes;
}

int64_t tile_column_align_bytes(MlirValue tile) {
  TileRegionOp region = tile_region_of(tile);
  TileShape shape;
  if (!region.op.ptr || !tile_shape_of(tile, &shape))
    return 0;
  int last =
      (int)mlirShapedTypeGetRank(mlirValueGetType(tile_region_source(region))) -
      1;
  // Offsets may be any number: one divisor of many, before it is multiplied.
  static const int64_t most = INT64_C(1) << 32;
  int64_t divisor = tile_index_divisor(tile_region_offset(region, last));
  if (divisor > most || divisor < 0)
    divisor = tile_gcd(divisor, most);
  return divisor * tile_elem_bits(shape.element) / 8;
}

int64_t tile_row_multiple_bytes(MlirValue tile) {
  enum { MAX_BYTES = 16 }; // no access is wider
  TileRegionOp region = tile_region_of(tile);
  TileShape shape;
  if (!region.op.ptr || !tile_shape_of(tile, &shape))
    return 1;
  int64_t elem_bytes = tile_elem_bits(shape.element) / 8;
  MlirType type = mlirValueGetType(tile_region_source(region));
  int last = (int)mlirShapedTypeGetRank(type) - 1;
  if (elem_bytes < 1 || last < 0 || tile_region_end(region, last).ptr)
    return 1;
  if (!mlirShapedTypeIsDynamicDim(type, last))
    return tile_gcd(MAX_BYTES, mlirShapedTypeGetDimSize(type, last) %
                                   MAX_BYTES * elem_bytes);
  MlirAttribute known = mlirOperationGetDiscardableAttributeByName(
      region.op, TILE_STR(TILE_ROW_MULTIPLE_ATTR));
  return mlirAttributeIsNull(known) ? elem_bytes
                                    : mlirIntegerAttrGetValueInt(known);
}

int64_t tile_window_vector_bytes(MlirValue window) {
  return tile_gcd(
      tile_gcd(tile_row_align_bytes(window), tile_row_multiple_bytes(window)),
      tile_column_align_bytes(window));
}
