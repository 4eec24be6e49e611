//===- KernelMaps.h - Tensor maps of tensors that a kernel makes ----------===//
#ifndef TILE_TRANSFORMS_KERNEL_MAPS_H
#define TILE_TRANSFORMS_KERNEL_MAPS_H

#include "Dialect/Ops.h"
#include "Support/Lists.h"

/// What a map of one tensor is made for.
typedef struct {
  MlirOperation launch;
  MlirValue tensor, like; // `like`: the map of the host that it is a copy of
  const MlirOperation *users; // copies and updates of one role, at least one
  int num_users;
} TileKernelMap;

/// Memory of the host for one map of each block, and the ops that make the map
/// before the first of its users. Loads that fill a ring may be under way when
/// the tensor changes: their slots are acquired first. Errors: reported at a
/// user where its slot cannot be told.
MlirLogicalResult tile_layout_make_kernel_map(TileBuilder *b,
                                              const TileKernelMap *map,
                                              MlirValue *out_map);

/// A tensor of the host that a map can be made of which others are copies of:
/// of the rank and elements of `tensor`.
MlirValue tile_layout_map_sample(TileBuilder *b, MlirOperation launch,
                                 MlirValue tensor);

#endif // TILE_TRANSFORMS_KERNEL_MAPS_H
