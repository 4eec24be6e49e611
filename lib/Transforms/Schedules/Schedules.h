//===- Schedules.h - Which ops of a graph become one kernel ---------------===//
//
// tile-form-kernels cuts a function of linalg ops on tensors into groups, each
// of which is tiled and fused as one by a schedule of the transform dialect. A
// group is found from its last op backwards (KernelGroups.c) and gets its sizes
// from its shape (KernelSizes.c).
//
//===----------------------------------------------------------------------===//
#ifndef TILE_TRANSFORMS_SCHEDULES_H
#define TILE_TRANSFORMS_SCHEDULES_H

#include "Dialect/Ops.h"
#include "Support/Build.h"
#include "Support/Iterate.h"
#include "Support/KeyTable.h"
#include "Target/Target.h"

enum {
  TILE_NEST_MAX_LOOPS = 12,
  TILE_NEST_MAX_OPERANDS = 16,
  TILE_GROUP_MAX_OPS = 160
};

/// Attributes by which schedules find what they tile.
#define TILE_ROOT_ATTR "tile.root"               // the last op of a group
#define TILE_PRODUCT_ATTR "tile.product"         // its matrix product
#define TILE_ACCUMULATOR_ATTR "tile.accumulator" // what fills the product's sum
#define TILE_FACTOR_ATTR "tile.factor"   // what makes elements of its factors
#define TILE_CARRIED_ATTR "tile.carried" // what keeps a result for a next round
#define TILE_SCHEDULE_ATTR "tile.schedule" // of the function: its name
#define TILE_BLOCK_ATTR "tile.block"       // of the function: sizes of a block
#define TILE_LOOP_ATTR "tile.loop"         // sizes of a step of the product
#define TILE_THREADS_ATTR "tile.threads"   // of a block
#define TILE_STAGES_ATTR "tile.depth_stages" // of a loop over the depth
#define TILE_SIZES_ATTR "tile.sizes"         // in a script: "block", "loop", …

/// What a linalg op does, as loops.
typedef enum {
  TILE_NEST_ELEMENTS, // every loop is parallel
  TILE_NEST_REDUCE,   // a value per element is reduced
  TILE_NEST_PRODUCT,  // a contraction with rows, columns and depth
  TILE_NEST_LOOPS     // others: windows, sorting, batches of f32
} TileNestKind;

/// The loops of a linalg op on tensors.
typedef struct {
  MlirOperation op;
  TileNestKind kind;
  int num_loops, num_operands, num_outs;
  MlirAffineMap maps[TILE_NEST_MAX_OPERANDS];
  bool is_reduced[TILE_NEST_MAX_LOOPS];
  int64_t extent[TILE_NEST_MAX_LOOPS]; // -1: dynamic
  int m, n, k;                         // of a product
} TileNest;

/// False for what is no structured op of linalg on tensors.
bool tile_nest_of(MlirOperation op, TileNest *out);
/// The loop that a dimension follows, or -1.
int tile_nest_loop(const TileNest *nest, int operand, int dim);

/// Loops of the host write what they carry from round to round where it was.
/// Errors: a loop has no number of rounds.
MlirLogicalResult tile_loops_prepare(TileBuilder *b, MlirOperation function);
/// An op on memrefs as one on tensors: what it writes is put where it was
/// written before.
MlirOperation tile_nest_raise(TileBuilder *b, MlirOperation op);
/// A loop that copies a tensor to another of its shape.
MlirValue tile_tensor_copied(TileBuilder *b, MlirValue from, MlirValue to);
/// Makes ops that groups are found in of all linalg ops of a function.
/// Errors: one is no loops with a body.
MlirLogicalResult tile_nests_prepare(TileBuilder *b, TileOpList *ops);

/// Ops on tensors that upstream's patterns leave as they are become views,
/// fills and loops.
void tile_tensors_raise(MlirOperation function);

/// Casts of every element of a tensor go to where the tensor is small: those to
/// wider types after parts and views of it, those to narrower ones before the
/// parts are joined.
void tile_casts_move(TileBuilder *b, MlirOperation function);

/// Constants that scale factors of a product scale its result instead, where
/// that is the logits of a softmax.
void tile_scales_move(TileBuilder *b, MlirOperation op);

/// What is folded at a time.
typedef enum {
  TILE_FOLD_VIEWS, // as below
  TILE_FOLD_DEPTHS // afterwards: two loops of a product's depth that lie side
                   // by side in both factors become one
} TileViewsFold;

/// A view of a view reads from the first source where one view is enough: those
/// that only move extents of one element about are gone. A product reads
/// factors from before they were transposed, collapsed or repeated for batches,
/// and writes its result where it would be transposed to. True where a product
/// was replaced, with ops that move elements beside it.
bool tile_views_fold(TileBuilder *b, MlirOperation op, TileViewsFold fold);

/// Makes one kernel of a product whose factor is a softmax of another product,
/// as a function after `function`, and calls it. What is left of the ops is
/// dead. False where the product is none of that.
bool tile_attention_form(TileBuilder *b, MlirOperation function,
                         const TileNest *values, const char *name,
                         const TileTarget *target);

enum { TILE_WHOLE = -1 };

/// An op of a group; `root_loop` is the loop of the root that one of its loops
/// follows, or TILE_WHOLE: a block does all of it.
typedef struct {
  TileNest nest;
  int root_loop[TILE_NEST_MAX_LOOPS];
  bool is_factor; // it makes elements of a factor of the product
} TileGroupOp;

/// The ops of a kernel, the root first.
typedef struct TileGroup {
  struct TileGroup *next; // program order of the roots
  TileGroupOp ops[TILE_GROUP_MAX_OPS];
  int num_ops;
  int product; // number of the op, or -1
  // Loops of the root that a block does all of: something is reduced there.
  bool is_whole[TILE_NEST_MAX_LOOPS];
  // Of the schedule:
  const char *schedule;
  int64_t block[TILE_NEST_MAX_LOOPS]; // of loops of the root; 0: not tiled
  int64_t loop[TILE_NEST_MAX_LOOPS];  // of loops of the product
  int64_t threads;
  int64_t stages; // of a loop over the depth; 0: none
} TileGroup;

/// Cuts the ops of a block into groups. Each op that was kept apart from the
/// ops that use it gets a remark.
TileGroup *tile_groups_find(TileArena *arena, MlirBlock block);
/// Whether `op` may be done again by each group that uses it: an empty tensor,
/// a constant, a fill.
bool tile_group_is_free(MlirOperation op);
/// Elements that a block holds of an op when every tiled loop has one; -1: not
/// known, or too many.
int64_t tile_group_held(const TileGroup *group, const TileGroupOp *op);
/// Chooses the schedule and its sizes, by the shape and what the chip has.
void tile_group_size(TileGroup *group, const TileTarget *target);

#endif // TILE_TRANSFORMS_SCHEDULES_H
