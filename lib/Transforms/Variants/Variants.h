//===- Variants.h - Which facts about tensors make kernels faster ---------===//
//
// The plan of tile-make-variants (VariantPlan.c): what the host may find out
// about the tensors of a launch, and for which combinations of it a kernel is
// made. How many there are, and why these: docs/Rationale/Variants.md.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_TRANSFORMS_VARIANTS_H
#define TILE_TRANSFORMS_VARIANTS_H

#include "Analysis/Instructions/Instructions.h"
#include "Support/Arena.h"
#include "Tile/Ops/gpu.h"

enum { TILE_MAX_VARIANTS = 10 };

/// What a tensor is to a launch, the most important use first.
typedef enum {
  TILE_USE_FACTOR,  // a product reads shared tiles that it fills
  TILE_USE_LOAD,    // copies or element loops fill other shared tiles from it
  TILE_USE_RESULT,  // TMA stores or adds to it
  TILE_USE_ELEMENT, // other element loops, gathers and copies of fragments
                    // access it in vectors
} TileTensorUse;

/// A tensor of which facts would help.
typedef struct TileTensorWish {
  struct TileTensorWish *next; // order of first use
  MlirValue value;
  TileTensorUse use;
  int64_t align_bytes; // of address and strides, that would be best: 4, 8 or 16
  int64_t async_bytes; // 4: with these cp.async is legal, and not without; or 0
  bool has_open_pitch; // some stride but the last is dynamic
  bool is_staged;      // copies ahead of a loop's iterations read it
  bool needs_rows;     // its last extent is to be such a multiple, too
  // Least extents; 1 where a tensor map is made of it, and more where filters
  // must fit into the image. They, and `channels`, go with 16 bytes.
  int64_t least[TILE_MAX_RANK];
  int64_t channels; // of an image: a multiple of it; 1: any number
  // Bytes that each kernel counts on; 0: it counts on nothing.
  int64_t variant_bytes[TILE_MAX_VARIANTS];
} TileTensorWish;

typedef struct {
  TileArena *arena;
  TileInstrContext context;
  GPULaunchOp launch;
  bool is_given; // looks at copies that have to be fast, else at the others
  TileTensorWish *tensors, **tail;
  int num_variants;   // the last one counts on nothing
  MlirValue *factors; // roots of the tiles that products read
  int num_factors, factor_capacity;
} TileVariantPlan;

/// Fills in `tensors`. With `is_given` those that every call must have aligned:
/// the others wait until their facts are stated.
void tile_variant_plan_build(TileVariantPlan *plan);

/// Decides for which combinations of facts there is a kernel, best first.
void tile_variant_plan_combine(TileVariantPlan *plan);

#endif // TILE_TRANSFORMS_VARIANTS_H
