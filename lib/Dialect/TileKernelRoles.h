//===- TileKernelRoles.h - What roles of a kernel need of each other ------===//
#ifndef TILE_DIALECT_TILE_KERNEL_ROLES_H
#define TILE_DIALECT_TILE_KERNEL_ROLES_H

#include "Ops.h"

/// Reports named barriers for which too few threads come, turns that only begin
/// or only end, and tiles that roles access with nothing that could order them.
/// `specialize` is that of the kernel, or null.
MlirLogicalResult tile_kernel_roles_verify(MlirOperation kernel,
                                           MlirOperation specialize);

#endif // TILE_DIALECT_TILE_KERNEL_ROLES_H
