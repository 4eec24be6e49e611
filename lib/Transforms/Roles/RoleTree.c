//===- RoleTree.c - The statements, tiles and copies of a kernel ----------===//
//
// First part of the plan of roles (RolePlan.c): reads the kernel into plain
// lists and decides nothing.
//
//===----------------------------------------------------------------------===//

#include "Roles.h"

#include "Analysis/Index/Index.h"
#include "Analysis/Loops/Loops.h"
#include "Dialect/Boxes.h"
#include "Dialect/ElementLoops.h"
#include "Support/Iterate.h"
#include "Tile/Ops/cf.h"
#include "Tile/Ops/gpu.h"
#include "Tile/Ops/memref.h"
#include "Tile/Ops/scf.h"
#include <string.h>

//===-- Accesses ----------------------------------------------------------===//
//
// Tile ops say it by their access regions, scalar loads and stores by their
// operands, any other op by its effects. An op that may write anything makes
// every tensor a written one.

// The box of a shared tile that an operand names; nobody asks for others.
static TileBox box_of(MlirValue tile) {
  TileBox box = {.rank = 0};
  tile_box_around(tile, &box);
  return box;
}

// A part of a view may be anywhere in the tile.
static TileBox box_of_element(MlirValue memref, TileRange indices) {
  MlirValue root = tile_buffer_of(memref).root;
  TileBox box = box_of(root);
  bool is_viewed = !mlirValueEqual(memref, root);
  box.is_partial = is_viewed;
  for (int d = 0; d < box.rank && !is_viewed; d++) {
    int64_t index = -1;
    bool is_constant =
        d < indices.n && mlirxConstantInt(tile_range_at(indices, d), &index);
    if (is_constant && index >= 0 && index < box.size[d])
      tile_box_set_range(&box, d, index, index + 1);
    else
      box.is_partial = true;
  }
  return box;
}

//===-- Accesses ----------------------------------------------------------===//

typedef struct {
  TileRolePlan *plan;
  TileRoleNode *node;
  MlirOperation op; // the one looked at: the statement or an op inside
} Scan;

static void add_write(Scan *scan, MlirValue memref) {
  TileRolePlan *plan = scan->plan;
  TILE_ARENA_RESERVE(plan->arena, plan->writes, plan->num_writes,
                     plan->writes_capacity);
  plan->writes[plan->num_writes++] =
      (TileRoleWrite){tile_tensor_root(memref), scan->op, scan->node};
}

static void add_access(Scan *scan, MlirValue memref, TileBox box, bool reads,
                       bool writes) {
  TileRoleBuffer *buffer = tile_pointer_map_get(
      &scan->plan->buffer_of, tile_buffer_of(memref).root.ptr);
  if (!buffer) {
    if (writes)
      add_write(scan, memref);
    return;
  }
  TileRoleAccess *access = TILE_ARENA_NEW(scan->plan->arena, TileRoleAccess, 1);
  *access = (TileRoleAccess){NULL, buffer, box, reads, writes};
  TileRoleAccess **tail = &scan->node->accesses;
  while (*tail)
    tail = &(*tail)->next;
  *tail = access;
}

static void add_effect(TileEffectKind kind, MlirValue value,
                       MlirStringRef resource, void *user_data) {
  Scan *scan = user_data;
  TileShape shape;
  (void)resource;
  if (kind != TILE_EFFECT_READ && kind != TILE_EFFECT_WRITE)
    return;
  if (!value.ptr || !tile_shape_of(value, &shape)) {
    if (kind == TILE_EFFECT_WRITE && !scan->plan->unknown_write.ptr)
      scan->plan->unknown_write = scan->op;
    return;
  }
  add_access(scan, value, box_of(value), kind == TILE_EFFECT_READ,
             kind == TILE_EFFECT_WRITE);
}

static void scan_effects(Scan *scan) {
  MlirOperation op = scan->op;
  // Text and traps leave memory alone.
  if (gpu_printf_is(op) || cf_assert_is(op) ||
      mlirOperationGetNumRegions(op) > 0 || mlirxIsMemoryEffectFree(op))
    return;
  if (mlirxEffects(op, false, add_effect, scan))
    return;
  if (!scan->plan->unknown_write.ptr)
    scan->plan->unknown_write = op;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
    MlirValue value = mlirOperationGetOperand(op, i);
    TileShape shape;
    if (tile_shape_of(value, &shape))
      add_access(scan, value, box_of(value), true, true);
  }
}

static MlirWalkResult scan_op(MlirOperation op, void *user_data) {
  Scan *scan = user_data;
  TileElementAccess element;
  TileOrdering ordering;
  scan->op = op;
  // Who waits for others than the blocks of the launch reads what they wrote;
  // for the launch before it each role waits.
  if (tile_ordering_of(op, &ordering) && ordering.is_system &&
      !tile_launch_wait_is(op) && !scan->plan->unknown_write.ptr)
    scan->plan->unknown_write = op;
  if (tile_op_is(op)) {
    TileAccess access[TILE_MAX_ACCESSES];
    // What a loop over elements does is what the ops in it do.
    int n = tile_parallel_is(op) ? 0 : tile_accesses_get(op, access);
    for (int i = 0; i < n; i++)
      add_access(scan, access[i].tile, box_of(access[i].tile), access[i].reads,
                 access[i].writes);
  } else if (tile_element_access_get(op, &element)) {
    add_access(scan, element.memref,
               box_of_element(element.memref, element.indices),
               !element.is_store || element.is_atomic, element.is_store);
  } else {
    scan_effects(scan);
  }
  return MlirWalkResultAdvance;
}

static void accesses_build(TileRolePlan *plan, TileRoleNode *node) {
  Scan scan = {plan, node, node->op};
  mlirOperationWalk(node->op, scan_op, &scan, MlirWalkPreOrder);
}

//===-- Read-only tensors -------------------------------------------------===//

static bool may_overlap(MlirValue a, MlirValue b) {
  return mlirValueEqual(a, b) || !tile_tensor_is_distinct(a) ||
         !tile_tensor_is_distinct(b);
}

bool tile_role_is_read_only(const TileRolePlan *plan, MlirValue memref) {
  MlirValue root = tile_tensor_root(memref);
  TileShape shape;
  if (plan->unknown_write.ptr)
    return false;
  for (int i = 0; i < plan->num_writes; i++) {
    MlirValue written = plan->writes[i].root;
    if (tile_shape_of(written, &shape) && shape.space != TILE_SPACE_GLOBAL &&
        shape.space != TILE_SPACE_OTHER)
      continue;
    if (may_overlap(root, written))
      return false;
  }
  return true;
}

//===-- Statements --------------------------------------------------------===//

static TileRoleNodeKind kind_of(MlirOperation op) {
  if (scf_for_is(op))
    return TILE_NODE_FOR;
  if (scf_if_is(op))
    return TILE_NODE_IF;
  return scf_while_is(op) ? TILE_NODE_WHILE : TILE_NODE_LEAF;
}

typedef struct {
  TileRolePlan *plan;
  int capacity; // of plan->nodes
} TreeBuild;

static void node_register(TreeBuild *build, TileRoleNode *node) {
  TileRolePlan *plan = build->plan;
  TILE_ARENA_RESERVE(plan->arena, plan->nodes, plan->num_nodes,
                     build->capacity);
  node->id = plan->num_nodes;
  plan->nodes[plan->num_nodes++] = node;
  tile_pointer_map_set(&plan->node_of_op, node->op.ptr, node);
}

static void block_build(TreeBuild *build, TileRoleBlock *block,
                        TileRoleNode *owner, MlirBlock from);

static void node_build(TreeBuild *build, TileRoleNode *node) {
  static const int num_blocks[] = {[TILE_NODE_LEAF] = 0,
                                   [TILE_NODE_FOR] = 1,
                                   [TILE_NODE_IF] = 2,
                                   [TILE_NODE_WHILE] = 2};
  node->kind = kind_of(node->op);
  node->num_blocks = num_blocks[node->kind];
  tile_role_verbs_clear(node->before);
  tile_role_verbs_clear(node->after);
  node_register(build, node);
  for (int i = 0; i < node->num_blocks; i++)
    block_build(build, &node->blocks[i], node,
                mlirRegionGetFirstBlock(mlirOperationGetRegion(node->op, i)));
}

static void block_build(TreeBuild *build, TileRoleBlock *block,
                        TileRoleNode *owner, MlirBlock from) {
  block->owner = owner;
  block->block = from;
  tile_role_verbs_clear(block->end);
  if (mlirBlockIsNull(from))
    return;
  int count = 0;
  MlirOperation end = mlirBlockGetTerminator(from);
  TILE_FOR_EACH_OP (op, from)
    count += !mlirOperationEqual(op, end);
  block->nodes = TILE_ARENA_NEW(build->plan->arena, TileRoleNode *, count);
  TILE_FOR_EACH_OP (op, from) {
    if (mlirOperationEqual(op, end))
      continue;
    TileRoleNode *node = TILE_ARENA_NEW(build->plan->arena, TileRoleNode, 1);
    node->home = block;
    node->op = op;
    node->index = block->num_nodes;
    block->nodes[block->num_nodes++] = node;
    node_build(build, node);
  }
}

TileRoleNode *tile_role_node_of(const TileRolePlan *plan, MlirOperation op) {
  for (; op.ptr && !mlirOperationEqual(op, plan->kernel);
       op = mlirOperationGetParentOperation(op)) {
    TileRoleNode *node = tile_pointer_map_get(&plan->node_of_op, op.ptr);
    if (node)
      return node;
  }
  return NULL;
}

//===-- Tiles -------------------------------------------------------------===//

static MlirWalkResult find_tile(MlirOperation op, void *user_data) {
  TileRolePlan *plan = user_data;
  TileShape shape;
  if (!tile_alloc_is(op))
    return MlirWalkResultAdvance;
  MlirValue value = mlirOperationGetResult(op, 0);
  if (!tile_shape_of(value, &shape) || shape.space != TILE_SPACE_SHARED)
    return MlirWalkResultAdvance;
  TileRoleBuffer *buffer = TILE_ARENA_NEW(plan->arena, TileRoleBuffer, 1);
  buffer->alloc = op;
  buffer->value = value;
  buffer->shape = shape;
  buffer->channel = -1;
  *plan->buffers_tail = buffer;
  plan->buffers_tail = &buffer->next;
  tile_pointer_map_set(&plan->buffer_of, value.ptr, buffer);
  return MlirWalkResultAdvance;
}

//===-- Loops -------------------------------------------------------------===//

static bool has_text(MlirAttribute attr, const char *text) {
  return !mlirAttributeIsNull(attr) && mlirAttributeIsAString(attr) &&
         mlirStringRefEqual(mlirStringAttrGetValue(attr), tile_str(text));
}

static bool kernel_requires_roles(MlirOperation kernel) {
  TileKernelConfigOp config = tile_kernel_config_of(kernel);
  return config.op.ptr &&
         !mlirAttributeIsNull(tile_kernel_config_specialize_attr(config)) &&
         tile_kernel_config_specialize(config) == TILE_SPECIALIZE_Required;
}

bool tile_loop_requires_roles(MlirOperation kernel, MlirOperation loop) {
  MlirAttribute stages = mlirOperationGetDiscardableAttributeByName(
      loop, TILE_STR("tile.num_stages"));
  MlirAttribute wish = mlirOperationGetDiscardableAttributeByName(
      loop, TILE_STR("tile.specialize"));
  return !mlirAttributeIsNull(stages) &&
         mlirIntegerAttrGetValueInt(stages) >= 1 &&
         (has_text(wish, "required") ||
          (kernel_requires_roles(kernel) && !has_text(wish, "off")));
}

static void loop_build(TileRolePlan *plan, TileRoleNode *node) {
  MlirAttribute stages = mlirOperationGetDiscardableAttributeByName(
      node->op, TILE_STR("tile.num_stages"));
  if (mlirAttributeIsNull(stages) || mlirIntegerAttrGetValueInt(stages) < 1)
    return;
  MlirAttribute wish = mlirOperationGetDiscardableAttributeByName(
      node->op, TILE_STR("tile.specialize"));
  TileRoleLoop *loop = TILE_ARENA_NEW(plan->arena, TileRoleLoop, 1);
  loop->node = node;
  loop->num_stages = mlirIntegerAttrGetValueInt(stages);
  loop->is_off = has_text(wish, "off");
  loop->is_required = tile_loop_requires_roles(plan->kernel, node->op);
  *plan->loops_tail = loop;
  plan->loops_tail = &loop->next;
}

static TileRoleLoop *innermost_loop(const TileRolePlan *plan,
                                    const TileRoleNode *node) {
  for (TileRoleNode *at = tile_role_parent(node); at; at = tile_role_parent(at))
    for (TileRoleLoop *loop = plan->loops; loop; loop = loop->next)
      if (loop->node == at)
        return loop;
  return NULL;
}

//===-- Copies ------------------------------------------------------------===//

// What tile-instruction-annotation wrote, or would write.
static TileInstr instr_of(const TileRolePlan *plan, TileCopyOp copy) {
  TileReason reason;
  if (!mlirAttributeIsNull(tile_copy_instr_attr(copy)))
    return tile_copy_instr(copy);
  TileInstr order[] = {TILE_INSTR_Tma, TILE_INSTR_Tma, TILE_INSTR_CpAsync};
  if (!mlirAttributeIsNull(tile_copy_prefer_attr(copy)))
    order[0] = tile_copy_prefer(copy);
  for (int i = 0; i < 3; i++)
    if (tile_copy_instr_is_legal(copy, order[i], &plan->instr, &reason))
      return order[i];
  return TILE_INSTR_Simt;
}

typedef struct {
  TileRolePlan *plan;
  TileRoleNode *node;
} Fills;

// Of `op`, which fills `tile`.
static void fill_add(const Fills *fills, MlirOperation op, MlirValue tile,
                     MlirValue tensor, TileInstr instr) {
  TileRolePlan *plan = fills->plan;
  TileRoleBuffer *buffer =
      tile_pointer_map_get(&plan->buffer_of, tile_buffer_of(tile).root.ptr);
  if (!buffer)
    return;
  TileRoleFill *fill = TILE_ARENA_NEW(plan->arena, TileRoleFill, 1);
  fill->node = fills->node;
  fill->buffer = buffer;
  fill->box = box_of(tile);
  fill->instr = instr;
  fill->tensor = tensor;
  fill->loop = innermost_loop(plan, fills->node);
  if (fill->loop) {
    fill->loop->had_fill = true;
    fill->loop->had_tma |= fill->instr == TILE_INSTR_Tma;
    fill->loop->had_cp_async |= fill->instr == TILE_INSTR_CpAsync;
  }
  buffer->num_fills++;
  // A copy inside a statement is a fill that cannot be moved.
  if (mlirOperationEqual(op, fills->node->op))
    fills->node->fill = fill;
  *plan->fills_tail = fill;
  plan->fills_tail = &fill->next;
}

static MlirWalkResult fill_build(MlirOperation op, void *user_data) {
  Fills *fills = user_data;
  TileShape src;
  if (!tile_copy_is(op))
    return MlirWalkResultAdvance;
  TileCopyOp copy = tile_copy_cast(op);
  if (tile_shape_of(tile_copy_src(copy), &src) &&
      src.space == TILE_SPACE_GLOBAL)
    fill_add(fills, op, tile_copy_dst(copy),
             tile_tensor_root(tile_copy_src(copy)),
             instr_of(fills->plan, copy));
  return MlirWalkResultAdvance;
}

typedef struct {
  MlirValue root;
  bool found;
} FetchSearch;

static MlirWalkResult find_fetch(MlirOperation op, void *user_data) {
  FetchSearch *search = user_data;
  TileShape src;
  search->found |=
      tile_copy_is(op) &&
      tile_shape_of(tile_copy_src(tile_copy_cast(op)), &src) &&
      src.space == TILE_SPACE_GLOBAL &&
      mlirValueEqual(tile_buffer_of(tile_copy_dst(tile_copy_cast(op))).root,
                     search->root);
  return search->found ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

// Whether `op` copies from a tensor to the tile `root`.
static bool fetches(MlirOperation op, MlirValue root) {
  FetchSearch search = {root, false};
  mlirOperationWalk(op, find_fetch, &search, MlirWalkPreOrder);
  return search.found;
}

// A fill with a constant of what a loop or a branch copies otherwise.
static void constant_fill_build(const Fills *fills) {
  MlirOperation op = fills->node->op;
  if (!tile_fill_is(op))
    return;
  MlirValue tile = tile_fill_dst(tile_fill_cast(op));
  MlirValue root = tile_buffer_of(tile).root;
  for (const TileRoleNode *at = tile_role_parent(fills->node); at;
       at = tile_role_parent(at))
    if (tile_copy_loop_is(at->op) ||
        (at->kind == TILE_NODE_IF && fetches(at->op, root))) {
      fill_add(fills, op, tile, TILE_NULL_VALUE, TILE_INSTR_Simt);
      return;
    }
}

//===-- Tickets -----------------------------------------------------------===//

// Whether all that uses the tensor, by any name, are tickets.
static bool is_for_tickets(MlirValue tensor) {
  for (MlirOpOperand use = mlirValueGetFirstUse(tensor);
       !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation op = mlirOpOperandGetOwner(use);
    TileAtomicOp atomic = tile_atomic_dyn(op);
    bool is_ticket = atomic.op.ptr && tile_atomic_old(atomic).ptr;
    if (tile_is_name_op(op) ? !is_for_tickets(mlirOperationGetResult(op, 0))
                            : !is_ticket && !memref_dim_is(op))
      return false;
  }
  return true;
}

// An atomic update of a number in a tensor that keeps what it found in all of a
// tile, and orders nothing.
static void ticket_build(const Fills *fills) {
  TileAtomicOp atomic = tile_atomic_dyn(fills->node->op);
  TileOrdering ordering;
  TileShape src;
  if (!atomic.op.ptr || !tile_atomic_old(atomic).ptr ||
      tile_ordering_of(atomic.op, &ordering) ||
      tile_shape_of(tile_atomic_src(atomic), &src) ||
      !tile_is_whole(tile_atomic_old(atomic)))
    return;
  MlirValue counter = tile_tensor_root(tile_atomic_dst(atomic));
  if (tile_tensor_is_distinct(counter) && is_for_tickets(counter))
    fill_add(fills, atomic.op, tile_atomic_old(atomic), TILE_NULL_VALUE,
             TILE_INSTR_Simt);
}

bool tile_role_is_ticket(const TileRoleFill *fill) {
  return tile_atomic_is(fill->node->op);
}

//===-- Element loops -----------------------------------------------------===//

typedef struct {
  MlirValue tile;
  bool reads_tensor, computes; // of what the consumers have computed
} Sources;

// Whether the kernel computes what is in the fragment: a loop that reads it is
// part of that.
static bool is_computed(MlirValue fragment) {
  for (MlirOpOperand use = mlirValueGetFirstUse(fragment);
       !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation op = mlirOpOperandGetOwner(use);
    TileAccess access[TILE_MAX_ACCESSES];
    TileElementAccess element;
    TileShape src;
    bool is_load = tile_copy_is(op) &&
                   tile_shape_of(tile_copy_src(tile_copy_cast(op)), &src) &&
                   src.space == TILE_SPACE_GLOBAL;
    if (is_load || (tile_element_access_get(op, &element) && !element.is_store))
      continue;
    int n = tile_accesses_get(op, access);
    bool writes = n == 0;
    for (int i = 0; i < n; i++)
      writes |= access[i].writes && mlirValueEqual(access[i].tile, fragment);
    if (writes)
      return true;
  }
  return false;
}

static bool find_source(const TileElementAccess *access, void *user_data) {
  Sources *sources = user_data;
  TileShape shape = {.space = TILE_SPACE_OTHER};
  tile_shape_of(access->memref, &shape);
  if (access->is_store)
    return true;
  sources->reads_tensor |= shape.space == TILE_SPACE_GLOBAL;
  sources->computes |=
      tile_buffer_of(access->memref).root.ptr == sources->tile.ptr ||
      (shape.space == TILE_SPACE_FRAGMENT && is_computed(access->memref));
  return true;
}

// An element loop that computes all of a tile, from tensors among others.
static void element_fill_build(const Fills *fills) {
  MlirOperation op = fills->node->op;
  if (!tile_parallel_is(op))
    return;
  TileParallelOp loop = tile_parallel_cast(op);
  MlirValue tile = tile_loop_filled_tile(loop);
  if (!tile.ptr)
    return;
  Sources sources = {.tile = tile_buffer_of(tile).root};
  tile_parallel_visit(loop, find_source, &sources);
  if (sources.reads_tensor && !sources.computes)
    fill_add(fills, op, tile, TILE_NULL_VALUE, TILE_INSTR_Simt);
}

bool tile_role_is_element_fill(const TileRoleFill *fill) {
  return tile_parallel_is(fill->node->op);
}

//===-- Cells -------------------------------------------------------------===//
//
// Whether a read finds all it reads filled is a question about sets of
// elements. The boxes that occur cut a tile into few cells; sets of those are
// exact.

static void add_cut(TileRolePlan *plan, TileRoleBuffer *buffer, int dim,
                    int64_t at) {
  int count = buffer->num_cuts[dim], place = 0;
  int64_t *cuts = buffer->cuts[dim];
  while (place < count && cuts[place] < at)
    place++;
  if (place < count && cuts[place] == at)
    return;
  // Grown one by one: a tile has a handful.
  int64_t *larger = TILE_ARENA_NEW(plan->arena, int64_t, count + 1);
  for (int i = 0; i < count; i++)
    larger[i + (i >= place)] = cuts[i];
  larger[place] = at;
  buffer->cuts[dim] = larger;
  buffer->num_cuts[dim] = count + 1;
}

static void add_cuts(TileRolePlan *plan, TileRoleBuffer *buffer,
                     const TileBox *box) {
  for (int d = 0; d < buffer->shape.rank; d++) {
    add_cut(plan, buffer, d, box->offset[d].constant);
    add_cut(plan, buffer, d, box->offset[d].constant + box->size[d]);
  }
}

// Boxes that loops of copies fill part by part.
static void add_sweeps(TileRolePlan *plan, const TileRoleNode *node) {
  TileCopyLoopFill fill;
  for (TileRoleBuffer *b = plan->buffers; b; b = b->next) {
    if (!tile_copy_loop_fill(node->op, b->value, false, &fill))
      continue;
    TileBox box = {.rank = b->shape.rank};
    for (int d = 0; d < box.rank; d++)
      tile_box_set_range(&box, d, fill.begin[d], fill.end[d]);
    add_cuts(plan, b, &box);
  }
}

static void cells_build(TileRolePlan *plan) {
  for (TileRoleBuffer *b = plan->buffers; b; b = b->next)
    for (int d = 0; d < b->shape.rank; d++) {
      add_cut(plan, b, d, 0);
      add_cut(plan, b, d, b->shape.extent[d]);
    }
  for (int i = 0; i < plan->num_nodes; i++)
    for (TileRoleAccess *a = plan->nodes[i]->accesses; a; a = a->next)
      add_cuts(plan, a->buffer, &a->box);
  for (int i = 0; i < plan->num_nodes; i++)
    if (plan->nodes[i]->kind == TILE_NODE_FOR)
      add_sweeps(plan, plan->nodes[i]);
  for (TileRoleBuffer *b = plan->buffers; b; b = b->next) {
    b->num_cells = 1;
    for (int d = 0; d < b->shape.rank; d++)
      b->num_cells *= b->num_cuts[d] - 1;
  }
}

void tile_role_cells_add(const TileRoleBuffer *buffer, const TileBox *box,
                         uint8_t *set) {
  for (int64_t cell = 0; cell < buffer->num_cells; cell++) {
    int64_t rest = cell;
    bool is_inside = true;
    for (int d = buffer->shape.rank - 1; d >= 0; d--) {
      int64_t cells = buffer->num_cuts[d] - 1;
      int64_t at = buffer->cuts[d][rest % cells];
      rest /= cells;
      int64_t first = box->offset[d].constant;
      is_inside &= at >= first && at < first + box->size[d];
    }
    if (is_inside)
      set[buffer->first_cell + cell] = 1;
  }
}

//===-- Entry -------------------------------------------------------------===//

void tile_role_tree_build(TileRolePlan *plan) {
  TreeBuild build = {plan, 0};
  plan->buffers_tail = &plan->buffers;
  plan->fills_tail = &plan->fills;
  plan->loops_tail = &plan->loops;
  mlirOperationWalk(plan->kernel, find_tile, plan, MlirWalkPreOrder);
  block_build(&build, &plan->body, NULL, tile_kernel_body(plan->kernel));
  for (int i = 0; i < plan->num_nodes; i++)
    loop_build(plan, plan->nodes[i]);
  for (int i = 0; i < plan->num_nodes; i++) {
    TileRoleNode *node = plan->nodes[i];
    if (node->kind != TILE_NODE_LEAF)
      continue;
    Fills fills = {plan, node};
    mlirOperationWalk(node->op, fill_build, &fills, MlirWalkPreOrder);
    element_fill_build(&fills);
    constant_fill_build(&fills);
    ticket_build(&fills);
    accesses_build(plan, node);
  }
  cells_build(plan);
}
