//===- ExpandTickets.c - Tiles that blocks take from a counter ------------===//
//
// Consumes: `tile.next_tile`.
// Produces: a shared tile per counter, an atomic update that keeps what it
//           found there, a load, a comparison.
// Keeps:    everything else.
// Fails:    never.
// Method:   later passes know no tickets of their own: what an update finds is
//           handed to the roles by a ring, and followed by the proof, whoever
//           wrote it (docs/Rationale/Tickets.md).
//
//===----------------------------------------------------------------------===//

#include "ElementSides.h"

#include "Support/Arena.h"
#include "Support/Constants.h"
#include "Support/Diagnostics.h"
#include "Support/Iterate.h"
#include "Tile/Ops/arith.h"
#include "Tile/Ops/gpu.h"
#include "Tile/Ops/memref.h"
#include "TilePasses.h"

// The tickets of one counter pass one tile.
typedef struct {
  MlirValue counter, ticket;
} Ticket;

typedef struct {
  TileBuilder b;
  TileArena *arena;
  MlirOperation kernel;
  Ticket *tickets;
  int num_tickets, capacity;
} Expand;

static MlirValue ticket_of(Expand *e, MlirValue counter) {
  for (int i = 0; i < e->num_tickets; i++)
    if (mlirValueEqual(e->tickets[i].counter, counter))
      return e->tickets[i].ticket;
  int64_t one = 1;
  MlirContext context = mlirOperationGetContext(e->kernel);
  MlirType type =
      mlirMemRefTypeContiguousGet(mlirIntegerTypeGet(context, 32), 1, &one,
                                  tile_space_attr(context, TILE_SPACE_SHARED));
  mlirRewriterBaseSetInsertionPointToStart(e->b.rw,
                                           tile_kernel_body(e->kernel));
  TILE_ARENA_RESERVE(e->arena, e->tickets, e->num_tickets, e->capacity);
  e->tickets[e->num_tickets] =
      (Ticket){counter, tile_alloc(&e->b, .type = type)};
  return e->tickets[e->num_tickets++].ticket;
}

// The last number that is taken: of n tiles and b blocks n + b - 1.
static MlirValue last_number(TileBuilder *b, MlirValue tiles) {
  MlirValue x = gpu_grid_dim(b, .dimension = GPU_DIMENSION_x);
  MlirValue y = gpu_grid_dim(b, .dimension = GPU_DIMENSION_y);
  MlirValue z = gpu_grid_dim(b, .dimension = GPU_DIMENSION_z);
  MlirValue plane = arith_muli(b, x, y);
  MlirValue blocks = arith_muli(b, plane, z);
  MlirValue end = arith_addi(b, tiles, blocks);
  MlirValue one = tile_const_index(b, 1);
  MlirValue last = arith_subi(b, end, one);
  return arith_index_cast(
      b, .type = mlirIntegerTypeGet(tile_builder_context(b), 32), .in = last);
}

static void expand(Expand *e, TileNextTileOp next) {
  TileBuilder *b = &e->b;
  b->loc = mlirOperationGetLocation(next.op);
  MlirValue counter = tile_next_tile_counter(next);
  MlirValue tiles = tile_next_tile_tiles(next);
  MlirValue ticket = ticket_of(e, counter);
  element_rewrite_at(b, next.op);
  MlirValue last = last_number(b, tiles);
  tile_atomic_op(b, .kind = TILE_ATOMIC_KIND_Inc, .src = last, .dst = counter,
                 .old = ticket);
  MlirValue zero = tile_const_index(b, 0);
  MlirValue found = memref_load(b, .memref = ticket, .indices = {&zero, 1});
  MlirValue results[2];
  results[0] = arith_index_castui(
      b, .type = mlirIndexTypeGet(tile_builder_context(b)), .in = found);
  results[1] = arith_cmpi(b, .predicate = ARITH_CMP_I_PREDICATE_ult,
                          .lhs = results[0], .rhs = tiles);
  mlirRewriterBaseReplaceOpWithValues(b->rw, next.op, 2, results);
}

static MlirWalkResult plan_visit(MlirOperation op, void *user_data) {
  if (tile_next_tile_is(op))
    tile_op_list_add(user_data, op);
  return MlirWalkResultAdvance;
}

static MlirLogicalResult visit_kernel(MlirOperation kernel, void *user_data) {
  TileOpList ops = {.arena = user_data};
  mlirOperationWalk(kernel, plan_visit, &ops, MlirWalkPreOrder);
  Expand e = {
      .b = element_rewrite_begin(kernel), .arena = user_data, .kernel = kernel};
  for (size_t i = 0; i < ops.count; i++)
    expand(&e, tile_next_tile_cast(ops.items[i]));
  mlirIRRewriterDestroy(e.b.rw);
  return tile_success();
}

MlirLogicalResult
tile_expand_tickets_run(MlirOperation op,
                        const TileExpandTicketsOptions *options) {
  (void)options;
  return tile_kernels_visit_in_arena(op, visit_kernel);
}
