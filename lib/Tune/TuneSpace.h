//===- TuneSpace.h - Sizes of a program that may be others ----------------===//
#ifndef TILE_TUNE_SPACE_H
#define TILE_TUNE_SPACE_H

#include "Dialect/Ops.h"
#include "Support/Arena.h"
#include "Support/KeyTable.h"
#include "Target/Target.h"
#include "Tile/Ops/gpu.h"
#include "Tile/Tune.h"

//===-- Places of sizes ---------------------------------------------------===//

/// A number in the program: an extent of what an op makes, or a constant
/// operand. Those that must be equal are in one class.
typedef struct {
  MlirOperation op;
  int slot;               // an extent, or TUNE_USE + number of the operand
  int parent;             // union-find
  int64_t value;          // in the program; < 0: there is none
  bool is_frozen;         // of the class: it has to stay
  bool has_tile, has_use; // of the class: an extent of a tile, a constant
  int tunable;            // of the class, or -1
} TuneNode;

enum { TUNE_USE = 8, TUNE_NO_NODE = -1 };

typedef enum {
  TUNE_SIZE,    // a class of sizes
  TUNE_THREADS, // of a block
  TUNE_STAGES,  // of its pipelined loops
  TUNE_FORM,    // how blocks and warpgroups come to tiles
  TUNE_BLOCKS,  // that must fit on a multiprocessor
  TUNE_ENTRY    // of an array attribute that sizes a kernel of a graph
} TuneKind;

/// Values of TUNE_FORM.
enum {
  TUNE_FORM_CHOSEN,
  TUNE_FORM_COOPERATIVE,
  TUNE_FORM_TURNS,
  TUNE_FORM_BLOCKS
};

enum { TUNE_MAX_VALUES = 16, TUNE_MAX_TUNABLES = 24 };

typedef struct {
  TuneKind kind;
  const char *name; // of the arena
  int64_t value;
  int64_t values[TUNE_MAX_VALUES];
  size_t num_values;
  const char *const *labels;
  int node;            // TUNE_SIZE, TUNE_THREADS: one of the class
  MlirOperation owner; // the launch, or the function of a graph's kernel
  const char *attr;    // TUNE_ENTRY
  int entry;
} TuneChoice;

typedef struct {
  TileArena *arena;
  const TileTarget *target;
  MlirOperation function; // of the host
  TuneNode *nodes;
  int num_nodes, capacity;
  TilePointerMap first;  // op to number of its first node + 1
  TilePointerMap coords; // value to number of the node that it steps by + 1
  TilePointerMap masks;  // value to the block ids that it depends on
  TuneChoice choices[TUNE_MAX_TUNABLES];
  size_t num_choices;
} TuneSpace;

/// Finds the sizes of the kernels in `function` and how they hang together,
/// then what may be chosen. Memory: `space->arena`.
void tune_space_build(TuneSpace *space);

/// The node of an extent or operand of `op`, or TUNE_NO_NODE.
int tune_node_of(const TuneSpace *space, MlirOperation op, int slot);
/// The one that stands for its class.
int tune_node_root(TuneSpace *space, int node);
/// What a node is, where tunables have these values.
int64_t tune_node_value(TuneSpace *space, int node, const int64_t *values);

/// Adds a choice. `candidates` end with 0; the value of the program is put
/// among them.
void tune_space_add(TuneSpace *space, const TuneChoice *choice,
                    const int64_t *candidates);

/// Writes values into the program.
void tune_space_apply(TuneSpace *space, const int64_t *values);

/// What the model thinks of the program with these values: launches, and
/// kernels of graphs that have products.
void tune_cost(TuneSpace *space, const int64_t *values,
               const TileTuningArg *args, size_t num_args,
               TileTuningCost *out_cost);

/// Adds the choices of a function that tile-form-kernels has made, if it is
/// one.
void tune_graph_kernel(TuneSpace *space, MlirOperation function);

#endif // TILE_TUNE_SPACE_H
