//===- TileKernel.c - Which ops are kernels; their threads ----------------===//

#include "ForeignOps.h"
#include "Ops.h"
#include "Support/Arena.h"
#include "Support/Diagnostics.h"
#include "Support/Iterate.h"
#include "Tile/Ops/func.h"
#include "Tile/Ops/gpu.h"

//===-- Which ops are kernels ---------------------------------------------===//

bool tile_kernel_is(MlirOperation op) {
  if (gpu_launch_is(op) || gpu_func_is(op))
    return true;
  return func_func_is(op) &&
         !mlirAttributeIsNull(mlirOperationGetDiscardableAttributeByName(
             op, TILE_STR("tile.num_threads")));
}

MlirOperation tile_kernel_around(MlirOperation op) {
  while (!mlirOperationIsNull(op) && !tile_kernel_is(op))
    op = mlirOperationGetParentOperation(op);
  return op;
}

//===-- Numbers on kernels ------------------------------------------------===//

int64_t tile_kernel_number(MlirOperation kernel, const char *name,
                           int64_t otherwise) {
  MlirAttribute attr =
      mlirOperationGetDiscardableAttributeByName(kernel, tile_str(name));
  return !mlirAttributeIsNull(attr) && mlirAttributeIsAInteger(attr)
             ? mlirIntegerAttrGetValueInt(attr)
             : otherwise;
}

void tile_kernel_set_number(MlirOperation kernel, const char *name,
                            int64_t number) {
  MlirType i64 = mlirIntegerTypeGet(mlirOperationGetContext(kernel), 64);
  mlirOperationSetDiscardableAttributeByName(kernel, tile_str(name),
                                             mlirIntegerAttrGet(i64, number));
}

void tile_kernel_note_refusal(MlirOperation kernel) {
  tile_kernel_set_number(kernel, TILE_REFUSED_ATTR,
                         tile_kernel_number(kernel, TILE_REFUSED_ATTR, 0));
}

//===-- What a kernel is made of ------------------------------------------===//

MlirBlock tile_kernel_body(MlirOperation kernel) {
  return mlirRegionGetFirstBlock(mlirOperationGetRegion(kernel, 0));
}

static int64_t launch_num_threads(GPULaunchOp launch) {
  MlirValue size[3] = {gpu_launch_blockSizeX(launch),
                       gpu_launch_blockSizeY(launch),
                       gpu_launch_blockSizeZ(launch)};
  int64_t product = 1;
  for (int i = 0; i < 3; i++) {
    int64_t extent;
    if (!mlirxConstantInt(size[i], &extent))
      return -1;
    // No block has a negative extent or overflows: 0 is as wrong as that.
    if (extent < 0 || __builtin_mul_overflow(product, extent, &product))
      return 0;
  }
  return product;
}

int64_t tile_kernel_num_threads(MlirOperation kernel) {
  if (gpu_launch_is(kernel))
    return launch_num_threads(gpu_launch_cast(kernel));
  MlirAttribute attr = mlirOperationGetDiscardableAttributeByName(
      kernel, TILE_STR("tile.num_threads"));
  if (!mlirAttributeIsNull(attr))
    return mlirIntegerAttrGetValueInt(attr);
  if (!gpu_func_is(kernel))
    return -1;
  MlirAttribute block = gpu_func_known_block_size_attr(gpu_func_cast(kernel));
  if (mlirAttributeIsNull(block))
    return -1;
  int64_t product = 1;
  for (intptr_t i = 0; i < mlirDenseArrayGetNumElements(block); i++)
    product *= mlirDenseI32ArrayGetElement(block, i);
  return product;
}

TileKernelConfigOp tile_kernel_config_of(MlirOperation kernel) {
  TILE_FOR_EACH_OP (op, tile_kernel_body(kernel)) {
    if (tile_kernel_config_is(op))
      return tile_kernel_config_cast(op);
  }
  return (TileKernelConfigOp){{NULL}};
}

TileKernelConfigOp tile_kernel_config_get(MlirOperation kernel) {
  TileKernelConfigOp config = tile_kernel_config_of(kernel);
  if (config.op.ptr)
    return config;
  TileBuilder b = {mlirIRRewriterCreate(mlirOperationGetContext(kernel)),
                   mlirOperationGetLocation(kernel)};
  mlirRewriterBaseSetInsertionPointToStart(b.rw, tile_kernel_body(kernel));
  config = tile_kernel_config(&b, .min_blocks = {false, 0});
  mlirIRRewriterDestroy(b.rw);
  return config;
}

TilePersistWish tile_kernel_persist_wish(MlirOperation kernel) {
  TileKernelConfigOp config = tile_kernel_config_of(kernel);
  if (!config.op.ptr ||
      mlirAttributeIsNull(tile_kernel_config_persist_attr(config)))
    return TILE_PERSIST_CHOSEN;
  return tile_kernel_config_persist(config) ? TILE_PERSIST_REQUIRED
                                            : TILE_PERSIST_OFF;
}

bool tile_op_is(MlirOperation op) {
  static const char prefix[] = "tile.";
  MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
  return name.length >= sizeof prefix &&
         !memcmp(name.data, prefix, sizeof prefix - 1);
}

static MlirWalkResult find_tile_op(MlirOperation op, void *user_data) {
  bool *found = user_data;
  *found |= tile_op_is(op);
  return *found ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

bool tile_kernel_has_tile_ops(MlirOperation kernel) {
  bool found = false;
  mlirOperationWalk(kernel, find_tile_op, &found, MlirWalkPreOrder);
  return found;
}

bool tile_value_is_inside(MlirValue value, MlirOperation op) {
  MlirBlock block = mlirValueIsABlockArgument(value)
                        ? mlirBlockArgumentGetOwner(value)
                        : mlirOperationGetBlock(mlirOpResultGetOwner(value));
  for (MlirOperation parent = mlirBlockGetParentOperation(block); parent.ptr;
       parent = mlirOperationGetParentOperation(parent))
    if (mlirOperationEqual(parent, op))
      return true;
  return false;
}

bool tile_kernel_makes(MlirOperation kernel, MlirValue value) {
  return tile_value_is_inside(value, kernel) &&
         !(mlirValueIsABlockArgument(value) &&
           mlirBlockEqual(mlirBlockArgumentGetOwner(value),
                          tile_kernel_body(kernel)));
}

//===-- Code of threads and code of blocks --------------------------------===//

// What each thread does by itself: updates of elements, exchanges with other
// threads, and assembly, which may name any thread.
static bool is_of_threads(MlirOperation op) {
  static const char *const names[] = {
      "gpu.all_reduce",  "gpu.shuffle",       "gpu.subgroup_reduce",
      "llvm.inline_asm", "memref.atomic_rmw", "memref.generic_atomic_rmw"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (tile_op_name_begins(op, names[i]))
      return true;
  return false;
}

static MlirWalkResult find_thread_id(MlirOperation op, void *user_data) {
  bool *found = user_data;
  *found |= is_of_threads(op);
  if (tile_foreign_op_is_thread_id(op))
    *found |= tile_value_is_used(mlirOperationGetResult(op, 0));
  return *found ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

bool tile_kernel_is_thread_code(MlirOperation kernel) {
  enum { FIRST_THREAD_ID = 3, END_THREAD_ID = 6 }; // arguments of a launch
  bool found = false;
  if (tile_kernel_has_tile_ops(kernel)) // lowering of some adds thread ids
    return false;
  for (intptr_t i = FIRST_THREAD_ID; gpu_launch_is(kernel) && i < END_THREAD_ID;
       i++)
    found |=
        tile_value_is_used(mlirBlockGetArgument(tile_kernel_body(kernel), i));
  if (!found)
    mlirOperationWalk(kernel, find_thread_id, &found, MlirWalkPreOrder);
  return found;
}

bool tile_is_in_fallback_variant(MlirOperation op) {
  for (MlirOperation child = op, parent = mlirOperationGetParentOperation(op);
       parent.ptr;
       child = parent, parent = mlirOperationGetParentOperation(parent)) {
    if (!tile_variants_is(parent))
      continue;
    intptr_t n = mlirOperationGetNumRegions(parent);
    MlirRegion first = mlirOperationGetRegion(parent, 0);
    return n > 1 && !mlirRegionEqual(first, mlirBlockGetParentRegion(
                                                mlirOperationGetBlock(child)));
  }
  return false;
}
