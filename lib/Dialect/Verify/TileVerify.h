//===- TileVerify.h - What the verifiers of the ops share -----------------===//
#ifndef TILE_DIALECT_TILE_VERIFY_H
#define TILE_DIALECT_TILE_VERIFY_H

#include "Dialect/Ops.h"
#include "Support/Diagnostics.h"
#include "TileHooks.h"

#include <inttypes.h>

enum {
  TILE_MAX_NESTING = 1000,           // ops around a tile op
  TILE_MAX_TILE_ELEMS = 2147483647,  // indices into a tile fit 31 bits
  TILE_MAX_MBARRIER_COUNT = 1048575, // 2^20 - 1: PTX ISA 9.0, mbarrier.init
  TILE_WARP_THREADS = 32,
  TILE_MAX_BLOCK_THREADS = 1024,
  // CUDA driver API, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED; 8
  // where it is not set.
  TILE_MAX_CLUSTER_BLOCKS = 16
};

/// A printed type, attribute or shape, cut where the buffer ends.
typedef struct {
  char chars[160];
} TileVerifyText;

TileVerifyText tile_verify_type_text(MlirType type);
TileVerifyText tile_verify_attr_text(MlirAttribute attribute);
TileVerifyText tile_verify_shape_text(const TileShape *shape);

bool tile_verify_is_power_of_two(int64_t value);

/// Whether a tile can hold elements of this type.
bool tile_verify_is_element(MlirType element);

/// What an op needs of an operand that is a tile: static and of rank `min_rank`
/// to `max_rank`, in a known memory space, of elements that tiles hold.
MlirLogicalResult tile_verify_tile(MlirOperation op, MlirValue tile,
                                   const char *name, int min_rank, int max_rank,
                                   TileShape *out_shape);

/// What an op that computes can take: shared memory, in windows too, all of a
/// fragment, and global memory where that is allowed.
MlirLogicalResult tile_verify_space(MlirOperation op, MlirValue tile,
                                    const char *name, const TileShape *shape,
                                    bool allow_global);
/// Two floats of at least 16 bits, or two integers.
MlirLogicalResult tile_verify_elements(MlirOperation op, const TileShape *src,
                                       const TileShape *dst);

/// An error unless `counter` is one i32 in global memory.
MlirLogicalResult tile_verify_counter(MlirOperation op, MlirValue counter);

/// An error unless `op` is inside a kernel.
MlirLogicalResult tile_verify_inside_kernel(MlirOperation op);
/// Reports an op in the body of a `tile.parallel`; `what` names it.
MlirLogicalResult tile_verify_outside_loop(MlirOperation op, const char *what);

/// Reports an op that is nested deeper than TILE_MAX_NESTING, or that has an
/// attribute which it does not know: a word misspelt would have no effect.
MlirLogicalResult tile_verify_op(MlirOperation op);

/// Whether [offset, offset + size) lies in [0, extent). A dynamic offset or a
/// dynamic extent is believed; a constant offset below 0 is not.
bool tile_verify_is_inside(int64_t offset, int64_t size, int64_t extent);

/// Checks that `slot`, when it is constant, is a slot of `barrier`.
MlirLogicalResult tile_verify_slot(MlirOperation op, MlirValue barrier,
                                   MlirValue slot);
/// The same for a slot of a channel, when its `tile.channel` is in sight.
MlirLogicalResult tile_verify_channel_slot(MlirOperation op, MlirValue channel,
                                           MlirValue slot);

/// Reports a tile op of a kernel with roles that takes, or is executed
/// depending on, what differs between threads.
MlirLogicalResult tile_verify_uniform(MlirOperation kernel);

#endif // TILE_DIALECT_TILE_VERIFY_H
