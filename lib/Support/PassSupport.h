//===- PassSupport.h - Descriptors of passes written in C -----------------===//
//
// The generator turns Passes.td into one TilePassDesc per pass; the bridge
// turns a descriptor into an mlir::Pass. Nobody writes these by hand.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_SUPPORT_PASS_SUPPORT_H
#define TILE_SUPPORT_PASS_SUPPORT_H

#include "mlir-c/IR.h"
#include "mlir-c/Pass.h"
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  TILE_PASS_OPTION_INT,
  TILE_PASS_OPTION_BOOL,
  TILE_PASS_OPTION_STRING,
  TILE_PASS_OPTION_INT_LIST
} TilePassOptionKind;

/// Value of a list option; borrowed for the duration of the run.
typedef struct {
  const int64_t *data;
  size_t size;
} TilePassIntList;

/// One option of a pass.
typedef struct {
  const char *name;
  TilePassOptionKind kind;
  size_t offset_bytes; // of the member in the options struct
  const char *help;
  const char *initial; // default value as text
} TilePassOption;

/// A pass that runs on any op.
typedef struct {
  const char *argument; // flag without dashes
  const char *name;
  const char *summary;
  size_t options_size_bytes;
  const TilePassOption *options;
  size_t num_options;
  MlirDialectHandle (*const *dialects)(void); // dependent dialects
  size_t num_dialects;
  MlirLogicalResult (*run)(MlirOperation op, const void *options);
} TilePassDesc;

/// Registers a pass with MLIR's global registry. `desc` must be static.
MLIR_CAPI_EXPORTED void tile_register_pass(const TilePassDesc *desc);

/// Registers a pipeline `--argument="options"`. `expand` returns a malloc'ed
/// textual pipeline relative to its anchor, or NULL for bad options after it
/// has written a message of at most `capacity` bytes.
typedef char *(*TilePipelineExpand)(const char *options, char *out_message,
                                    size_t capacity);
MLIR_CAPI_EXPORTED void tile_register_pipeline(const char *argument,
                                               const char *summary,
                                               TilePipelineExpand expand);

#ifdef __cplusplus
}
#endif

#endif // TILE_SUPPORT_PASS_SUPPORT_H
