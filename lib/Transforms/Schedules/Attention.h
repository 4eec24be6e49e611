//===- Attention.h - Two products around a softmax ------------------------===//
#ifndef TILE_TRANSFORMS_ATTENTION_H
#define TILE_TRANSFORMS_ATTENTION_H

#include "Support/StringBuilder.h"
#include "Transforms/Schedules/NestBuild.h"

enum { TILE_ATTENTION_MAX_CHAIN = 24, TILE_ATTENTION_MAX_OUTSIDE = 12 };

typedef struct {
  TileNest nest;
  int score_dim[TILE_NEST_MAX_LOOPS]; // of the scores, per loop
} TileAttentionOp;

/// Beyond every difference of places.
#define TILE_ATTENTION_FAR ((int64_t)1 << 40)

/// Keys that a query sees: those for which key - query is in these bounds.
typedef struct {
  int64_t lo, hi;
} TileReach;

/// A tensor that a product reads.
typedef struct {
  MlirValue tensor;
  // Per dimension: how many batches of the product share an element of it.
  int64_t num_sharing[TILE_NEST_MAX_LOOPS];
} TileAttentionInput;

typedef struct {
  TileNest scores, values;         // the two products
  TileAttentionInput inputs[3];    // factors of `scores`, values
  int weights;                     // operand of `values` that the softmax makes
  MlirValue logits;                // what the softmax is of
  MlirOperation max, sum, rounded; // `rounded`: what follows the second product
  int rank, key, query;            // of the logits
  TileAttentionOp chain[TILE_ATTENTION_MAX_CHAIN]; // from the last to the first
  int num_chain;
  int score_dim[TILE_NEST_MAX_LOOPS]; // of the logits, per dimension of what
                                      // the first product made
  MlirValue outside[TILE_ATTENTION_MAX_OUTSIDE]; // tensors that the chain reads
  int num_outside;
  TileReach reach; // all keys that have a weight
  double hidden;   // a logit of the others
  // Logits are `scale` times what the chain makes; the op that multiplies is
  // left out of it; null: there is none.
  bool is_bounded; // every logit is a scaled score, or -inf
  double scale;
  MlirOperation scale_op;
  int64_t block_queries, step_keys; // how many at a time
  int64_t num_threads;
} TileAttention;

static inline int dim_following(const TileNest *nest, int operand, int loop) {
  for (int d = 0; d < mlirAffineMapGetNumResults(nest->maps[operand]); d++)
    if (tile_nest_loop(nest, operand, d) == loop)
      return d;
  return -1;
}

static inline int rank_of(MlirType type) {
  return (int)mlirShapedTypeGetRank(type);
}

/// Elements of a dimension of the logits that a step has; -1: it may be cut by
/// the end of the tensor.
static inline int64_t tile_attention_part(const TileAttention *m, int dim) {
  if (dim != m->key && dim != m->query)
    return 1;
  int64_t size = dim == m->key ? m->step_keys : m->block_queries;
  MlirType type = mlirValueGetType(m->logits);
  int64_t extent = mlirShapedTypeGetDimSize(type, dim);
  if (mlirShapedTypeIsDynamicDim(type, dim))
    return -1;
  return extent <= size ? extent : extent % size ? -1 : size;
}

static inline MlirType result_type(const TileAttention *m) {
  return mlirValueGetType(
      mlirOperationGetResult(m->rounded.ptr ? m->rounded : m->values.op, 0));
}

/// Finds which keys a query sees. Returns why each step is needed although keys
/// are hidden, at an op that decides it; NULL where all is known.
const char *tile_attention_mask(TileAttention *attention,
                                MlirOperation *out_culprit);

/// Finds what scores are multiplied by, and whether -inf is all that is beside
/// them.
void tile_attention_scale(TileAttention *attention);

/// Writes a module with the function `name`, which calls @chain in place of the
/// ops between the first product and the softmax.
void tile_attention_print(const TileAttention *attention, const char *name,
                          TileString *out);

#endif // TILE_TRANSFORMS_ATTENTION_H
