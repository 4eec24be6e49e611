//===- MetadataInternal.h - Shared by the files that print metadata -------===//
#ifndef TILE_LIB_TARGET_METADATA_INTERNAL_H
#define TILE_LIB_TARGET_METADATA_INTERNAL_H

#include "Emit.h"
#include "Support/JsonWriter.h"
#include "Target/MetadataSlice.h"

/// A host function in progress.
typedef struct {
  MlirOperation function;
  MlirBlock entry;
  const TileMetadataOptions *options;
  TileSlice slice;
  bool *is_written; // per argument: some kernel may write it
  TileString
    requires;          // of the function: objects, comma separated
  TileString launches; // objects, comma separated
} TileHost;

enum { TILE_DTYPE_NAME_BYTES = 16 };

/// The launcher's name of an element or scalar type; false when it has none.
bool tile_host_dtype_name(MlirType type, char out_name[TILE_DTYPE_NAME_BYTES]);

/// Appends the objects of `args`.
MlirLogicalResult tile_host_print_args(const TileHost *host, TileString *out);
/// Appends the name of an argument as a JSON string.
void tile_host_print_arg_name(const TileHost *host, int arg, TileString *out);

/// Appends `"key": [row, …]`. Fails without a message when a row is negative:
/// the slice has reported it.
MlirLogicalResult tile_host_print_rows(TileString *out, const char *key,
                                       const int *rows, int count);

/// Appends the objects of `params` that a launch operand becomes.
MlirLogicalResult tile_host_print_operand(TileHost *host, MlirValue operand,
                                          bool *is_first, TileString *out);

#endif // TILE_LIB_TARGET_METADATA_INTERNAL_H
