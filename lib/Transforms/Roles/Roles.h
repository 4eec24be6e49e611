//===- Roles.h - Which role of a kernel does what, and its program --------===//
//
// tile-ws-tiled (WsTiled.c) reads the kernel into a tree of statements
// (RoleTree.c), and plans (RolePlan.c): which copies a producer takes over,
// what it has to compute for that (RoleSlice.c), the channels that couple it to
// the consumers, where both wait and arrive (RolePlace.c), warps and registers
// (RoleBudget.c). All of that is data about the kernel as it stands. Then each
// role is written (RoleEmit.c, RoleSlots.c).
//
// The tree has one node per op of a structured block, with the blocks of
// scf.for, scf.if and scf.while below their node. Any other op with regions is
// one statement.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_TRANSFORMS_ROLES_H
#define TILE_TRANSFORMS_ROLES_H

#include "Analysis/Instructions/Instructions.h"
#include "Dialect/Boxes.h"
#include "Support/Build.h"
#include "Support/KeyTable.h"

//===-- Channels and their verbs ------------------------------------------===//

typedef enum {
  TILE_ROLE_CONSUMER,
  TILE_ROLE_PRODUCER,
  TILE_NUM_ROLES
} TileRoleKind;

typedef enum {
  TILE_VERB_ACQUIRE,
  TILE_VERB_COMMIT,
  TILE_VERB_WAIT,
  TILE_VERB_RELEASE
} TileVerbKind;

/// The role that says the verb.
static inline TileRoleKind tile_verb_role(TileVerbKind kind) {
  return kind <= TILE_VERB_COMMIT ? TILE_ROLE_PRODUCER : TILE_ROLE_CONSUMER;
}
/// Whether the position moves on after the verb.
static inline bool tile_verb_advances(TileVerbKind kind) {
  return kind == TILE_VERB_COMMIT || kind == TILE_VERB_RELEASE;
}

typedef struct TileRoleVerb {
  struct TileRoleVerb *next; // the order in which they are said
  TileVerbKind kind;
  int channel;
} TileRoleVerb;

typedef struct {
  TileRoleVerb *first, **tail;
} TileRoleVerbs;

/// No verbs of any role.
static inline void
tile_role_verbs_clear(TileRoleVerbs verbs[/*TILE_NUM_ROLES*/]) {
  for (int role = 0; role < TILE_NUM_ROLES; role++)
    verbs[role] = (TileRoleVerbs){NULL, &verbs[role].first};
}

//===-- Statements --------------------------------------------------------===//

typedef struct TileRoleNode TileRoleNode;
typedef struct TileRoleBuffer TileRoleBuffer;
typedef struct TileRoleFill TileRoleFill;

typedef struct {
  TileRoleNode *owner; // NULL: the body of the kernel
  MlirBlock block;     // null: an scf.if without else
  TileRoleNode **nodes;
  int num_nodes; // without the terminator
  TileRoleVerbs end[TILE_NUM_ROLES];
} TileRoleBlock;

typedef enum {
  TILE_NODE_LEAF,
  TILE_NODE_FOR,  // one block
  TILE_NODE_IF,   // two blocks
  TILE_NODE_WHILE // two blocks: condition and body
} TileRoleNodeKind;

/// An access to a shared tile; the box is one of tile_box_around.
typedef struct TileRoleAccess {
  struct TileRoleAccess *next;
  TileRoleBuffer *buffer;
  TileBox box;
  bool reads, writes;
} TileRoleAccess;

struct TileRoleNode {
  TileRoleBlock *home;
  MlirOperation op;
  TileRoleNodeKind kind;
  int id;         // program order
  int index;      // in `home`
  int num_blocks; // 0 to 2
  TileRoleBlock blocks[2];
  TileRoleAccess *accesses; // of a leaf, the ops inside included
  TileRoleFill *fill;       // it fills a shared tile from tensors, or NULL

  // The plan.
  TileRoleVerbs before[TILE_NUM_ROLES], after[TILE_NUM_ROLES];
  uint8_t *advances[TILE_NUM_ROLES]; // per channel: a position moves inside
  TileRoleFill *forward; // reads what this fill copies, from where it copies
  MlirValue window; // of a tensor, which the producer reads in place of the
                    // fragment that a predicate names; or null
  bool is_moved;    // a fill that only the producer executes
  bool is_dead;     // a fill that nobody needs
  bool is_needed;   // the producer executes it (too)
  bool is_repeated; // on tiles of its own
};

//===-- Tiles, copies, loops ----------------------------------------------===//

/// Why something stays as it is; the texts are in RoleReasons.c.
typedef struct {
  const char *code;      // "tile-ws/stale-read"; NULL: no reason
  MlirOperation culprit; // the op to look at, or null
  int64_t figure, limit; // what there would be, and the most there may be
} TileRoleReason;

typedef struct TileRoleLoop {
  struct TileRoleLoop *next; // program order
  TileRoleNode *node;
  int64_t num_stages; // at least 1
  bool is_required, is_off;
  bool is_served; // copies of it are the producer's
  bool had_fill;  // it is the innermost one around some fill
  bool had_tma;   // some copy in it is one that TMA can do
  bool had_cp_async;
} TileRoleLoop;

/// A copy from global memory into a shared tile, an element loop that computes
/// all of one from tensors, a fill of what a loop or a branch copies otherwise,
/// or a ticket: an atomic update that keeps what it found.
struct TileRoleFill {
  TileRoleFill *next; // program order
  TileRoleNode *node;
  TileRoleBuffer *buffer;
  TileBox box;
  TileInstr instr;
  MlirValue tensor;   // root of the source; null: no copy
  TileRoleLoop *loop; // innermost pipelined loop around it, or NULL
};

struct TileRoleBuffer {
  TileRoleBuffer *next; // program order
  MlirOperation alloc;
  MlirValue value;
  TileShape shape;
  int num_fills;
  TileRoleReason reason; // why it is no candidate
  bool is_plain;         // only copies of unwritten tensors and loops fill it
  bool is_off;           // filled in a loop that wants no roles
  bool is_taken;         // the consumers no longer fill it
  bool is_alone;         // shares no channel
  bool is_ticket;        // only tickets fill it
  bool is_asked;         // ticket: a copy depends on it
  int channel;           // when taken; -1: nobody reads it
  // Coordinates at which boxes begin or end, ascending, per dimension; cells
  // are the boxes between neighbours.
  int64_t *cuts[TILE_MAX_RANK];
  int num_cuts[TILE_MAX_RANK];
  int64_t num_cells;
  int64_t first_cell; // in its group
};

typedef struct {
  TileRoleBuffer **buffers; // program order of their allocs
  int num_buffers;
  int64_t depth;
  bool has_tma, has_cp_async, has_simt;
} TileRoleChannel;

//===-- The plan ----------------------------------------------------------===//

typedef struct {
  MlirValue root;
  MlirOperation op; // writes it
  TileRoleNode *node;
} TileRoleWrite;

typedef struct {
  TileArena *arena;
  MlirOperation kernel;
  const TileTarget *target;
  TileInstrContext instr;

  TileRoleBlock body;
  TileRoleNode **nodes; // by id
  int num_nodes;
  TilePointerMap node_of_op; // of ops of structured blocks
  TilePointerMap buffer_of;  // by value
  TileRoleBuffer *buffers, **buffers_tail;
  TileRoleFill *fills, **fills_tail;
  TileRoleLoop *loops, **loops_tail;
  TileRoleWrite *writes; // of global and private memory
  int num_writes, writes_capacity;
  MlirOperation unknown_write; // may write any tensor, or null
  TileRoleReason kernel_reason;

  TileRoleChannel *channels; // none: the kernel stays as it is
  int num_channels;
  int64_t prelude_depth;   // slots of tiles filled outside pipelined loops
  bool leaves_preludes;    // those of no loop at all stay with the consumers
  TilePointerMap forwards; // loads in element loops: as TileRoleNode::forward
  TilePointerMap needed;   // values that the producer computes
  MlirValue *own;          // tiles that it has as well, and fills itself
  int num_own;
  int64_t own_bytes;     // of shared memory, at most
  int64_t own_registers; // of all its threads
  /// Groups of computing warps that take tiles in turn; 1: all warps compute
  /// each tile together.
  int64_t num_groups;
  const char *pingpong_reason; // why there is one group; NULL: nobody asked
  int64_t num_warps[TILE_NUM_ROLES]; // of all groups
  int64_t registers[TILE_NUM_ROLES]; // per thread; 0: not moved
  int64_t consumer_registers;        // that a thread of the consumer may use
} TileRolePlan;

/// Options of the plan.
typedef struct {
  int64_t producer_warps; // 0: chosen
} TileRoleOptions;

/// Plans roles for a kernel that has passed tile_kernel_verify and holds
/// pipelined loops. The kernel is not changed. `out_plan->num_channels` is 0
/// when it has to stay as it is; reasons are in the plan either way.
/// Owner: `arena`.
void tile_role_plan_build(TileArena *arena, MlirOperation kernel,
                          const TileTarget *target,
                          const TileRoleOptions *options,
                          TileRolePlan *out_plan);

/// RoleTree.c: whether a loop, pipelined, must have roles: by its own word, or
/// that of the kernel where it does not say "off".
bool tile_loop_requires_roles(MlirOperation kernel, MlirOperation loop);

/// What a code of a reason means: what stands in the way, what helps, and what
/// to say of the culprit; of what its figures count, or NULL.
typedef struct {
  const char *code, *reason, *help, *note, *unit;
} TileRoleText;
/// The texts of `code`, which exists.
const TileRoleText *tile_role_text(const char *code);

//===-- Parts of the planner ----------------------------------------------===//

/// RoleTree.c: statements, tiles, accesses and their cells, copies, loops.
void tile_role_tree_build(TileRolePlan *plan);
/// The statement that `op` is or is inside of; NULL outside the kernel's body.
TileRoleNode *tile_role_node_of(const TileRolePlan *plan, MlirOperation op);
static inline TileRoleNode *tile_role_parent(const TileRoleNode *node) {
  return node->home->owner;
}

/// Whether an element loop fills, and not a copy.
bool tile_role_is_element_fill(const TileRoleFill *fill);
/// Whether an atomic update does, of a tensor that nobody else uses. Executed
/// once: the producer does, and passes it on.
bool tile_role_is_ticket(const TileRoleFill *fill);

/// Whether nothing in the kernel writes the tensor behind `memref`.
bool tile_role_is_read_only(const TileRolePlan *plan, MlirValue memref);
/// Adds the cells of `box` to `set`, which is indexed from `first_cell` on.
void tile_role_cells_add(const TileRoleBuffer *buffer, const TileBox *box,
                         uint8_t *set);

/// RoleSlice.c: what the producer has to compute.
typedef struct {
  TileRolePlan *plan;
  TilePointerMap values;
  uint8_t *nodes;          // by id: executed by the producer for its effect
  uint8_t *controls;       // by id: bounds or condition are needed
  TileRoleFill **forward;  // by id; of an element loop: one of several
  TilePointerMap forwards; // as TileRolePlan::forwards
  TilePointerMap is_own;   // roots of tiles that the producer has as well
  MlirValue *own;          // those in fragments and shared memory
  int num_own, own_capacity;
  struct TileRoleNeedItem *items;
  int num_items, items_capacity;
  MlirValue *windows; // by id: as TileRoleNode::window
  // Registers of all threads, at least one for each element, and bytes of
  // shared memory that the producer's own tiles take.
  int64_t own_registers, own_bytes;
  TileRoleReason reason; // the first failure
} TileRoleNeed;
/// Owner: the arena of the plan. Sets `reason` when the producer cannot know
/// what the fills need.
void tile_role_slice(TileRolePlan *plan, TileRoleFill *const *fills,
                     int num_fills, TileRoleNeed *out_need);

/// RolePlace.c: finds the places of the verbs of one group of tiles that
/// become a channel, and enters them as those of channel number `channel`.
/// Reads that `need` forwards do not count. Enters nothing and gives a reason
/// when there are no such places.
TileRoleReason tile_role_place(TileRolePlan *plan, const TileRoleNeed *need,
                               TileRoleBuffer **buffers, int num_buffers,
                               int channel);

/// RolePingpong.c: NULL where two warpgroups may take the tiles of the kernel
/// in turn, else why not.
const char *role_pingpong_check(const TileRolePlan *plan);

/// Threads that compute a tile.
static inline int64_t tile_role_tile_threads(const TileRolePlan *plan) {
  return plan->num_groups > 1 ? TILE_WARPGROUP_THREADS
                              : plan->instr.num_threads;
}

/// RoleBudget.c: groups, warps and registers of the roles: two groups unless
/// `pingpong_reason` says why not, which is set where they have no place.
/// Returns a reason when the block has no place for a producer, else none.
TileRoleReason tile_role_budget_solve(TileRolePlan *plan,
                                      const TileRoleOptions *options);

//===-- The program of a role ---------------------------------------------===//

/// Where a role stands in a channel.
typedef struct {
  MlirValue slot, parity; // i32
  MlirValue index;        // the slot as index; null: not made yet
} RolePosition;

/// What both roles share.
typedef struct {
  const TileRolePlan *plan;
  TilePointerMap ring_of; // TileRoleBuffer to the MlirValue of its ring
  MlirValue *channels;    // by number
  uint8_t *is_shared;     // by statement: stands before the roles
  TilePointerMap own_of;  // shared tile to the MlirValue that the producer has
} RoleShared;

typedef struct {
  const RoleShared *shared;
  const TileRolePlan *plan;
  TileRoleKind role;
  TileBuilder b;
  MlirxMapping map; // from the kernel to the role
  RolePosition *positions;
} RoleEmitter;

/// RoleEmit.c: emits the statements of `block` at the end of `into`.
void role_emit_block(RoleEmitter *e, const TileRoleBlock *block,
                     MlirBlock into);
/// The value of the role for one of the kernel.
static inline MlirValue role_value(const RoleEmitter *e, MlirValue value) {
  return mlirxMappingGet(e->map, value);
}

/// RoleSlots.c: makes `op`, a clone of the statement's op at the insertion
/// point, use slots of rings where it uses tiles that became rings.
void role_use_slots(RoleEmitter *e, MlirOperation op);
/// The slot of the current position of a channel, as index.
MlirValue role_slot_index(RoleEmitter *e, int channel);
/// The slot of a tile that became a ring, as window.
MlirValue role_slot(RoleEmitter *e, const TileRoleBuffer *buffer);
/// Emits a read of a tile as a read of the tensor that the tile copies.
void role_emit_forwarded(RoleEmitter *e, const TileRoleNode *node);
/// Makes the clone of `loop`, an element loop of the kernel, do that for its
/// loads. Moves the insertion point to the end of the block.
void role_forward_loads(RoleEmitter *e, MlirOperation loop);

/// RoleRotate.c: decides which loops of the consumer stay pipelined, and says
/// why of the others that hold dependent products; whether its warpgroups take
/// turns.
void role_rotate(const TileRolePlan *plan, MlirOperation role);

/// RolePingpong.c: makes two of `role`, the consumer of a plan with two groups,
/// and of the shared tiles that it has.
void role_pingpong_apply(const TileRolePlan *plan, MlirRewriterBase rewriter,
                         MlirOperation role);

#endif // TILE_TRANSFORMS_ROLES_H
