//===- FragmentRegisters.c - Registers that fragments take from a thread --===//
//
// A fragment lives from a write that does not depend on what it held to the
// last op before the next such write, and through a loop whose body finds in it
// what an earlier iteration left. ptxas is free to compute a value again or
// later than the program does, so that the sum of what lives at one place is
// what a thread may need, and what one fragment holds is what it does need.
//
//===----------------------------------------------------------------------===//

#include "Analysis/Index/Index.h"
#include "Dialect/TileLayouts.h"
#include "Memory.h"
#include "Support/Iterate.h"
#include "Support/Lists.h"
#include "Tile/Ops/scf.h"

//===-- What threads have -------------------------------------------------===//

int64_t tile_kernel_thread_registers(MlirOperation kernel,
                                     const TileTarget *target,
                                     int64_t num_threads) {
  TileKernelConfigOp config = tile_kernel_config_of(kernel);
  int64_t blocks = 1;
  if (config.op.ptr &&
      !mlirAttributeIsNull(tile_kernel_config_registers_attr(config)))
    return tile_kernel_config_registers(config);
  if (config.op.ptr &&
      !mlirAttributeIsNull(tile_kernel_config_min_blocks_attr(config)))
    blocks = tile_kernel_config_min_blocks(config);
  return tile_target_thread_registers(target, num_threads, blocks);
}

//===-- What fragments take -----------------------------------------------===//

typedef struct {
  int64_t position;
  bool starts; // what the fragment held before does not matter
} Use;

typedef struct {
  TileAllocOp alloc;
  MlirOperation role; // null: all threads
  int64_t elems, registers;
  Use *uses; // program order
  size_t num_uses, capacity;
} Fragment;

typedef struct {
  int64_t first, last; // positions inside
} Loop;

typedef struct {
  TileArena *arena;
  Fragment *fragments;
  size_t num_fragments, fragment_capacity;
  Loop *loops;
  size_t num_loops, loop_capacity;
  MlirOperation *ops; // by position
  size_t num_ops, op_capacity;
} Lives;

static void add_fragment(Lives *lives, TileAllocOp alloc) {
  MlirValue value = mlirOperationGetResult(alloc.op, 0);
  TileShape shape;
  int64_t elems;
  if (!tile_shape_of(value, &shape) || shape.space != TILE_SPACE_FRAGMENT ||
      !tile_layout_storage_elems(value, &elems))
    return;
  TILE_ARENA_RESERVE(lives->arena, lives->fragments, lives->num_fragments,
                     lives->fragment_capacity);
  lives->fragments[lives->num_fragments++] = (Fragment){
      .alloc = alloc,
      .role = tile_alloc_role(alloc).op,
      .elems = elems,
      .registers = (elems * tile_elem_bits(shape.element) + 31) / 32};
}

bool tile_copy_comes_in_pieces(MlirOperation op) {
  enum { WORD_BYTES = 4 };
  TileShape src;
  if (!tile_copy_is(op))
    return false;
  MlirValue source = tile_copy_src(tile_copy_cast(op));
  return tile_shape_of(source, &src) && src.space == TILE_SPACE_GLOBAL &&
         tile_row_align_bytes(source) < WORD_BYTES;
}

static void add_use(Lives *lives, const TileAccess *access, MlirOperation op) {
  TileAllocOp alloc = tile_buffer_alloc(tile_buffer_of(access->tile));
  bool is_branch = scf_if_is(mlirOperationGetParentOperation(op));
  for (size_t i = 0; i < lives->num_fragments; i++) {
    Fragment *fragment = &lives->fragments[i];
    if (!mlirOperationEqual(fragment->alloc.op, alloc.op))
      continue;
    TILE_ARENA_RESERVE(lives->arena, fragment->uses, fragment->num_uses,
                       fragment->capacity);
    fragment->uses[fragment->num_uses++] =
        (Use){(int64_t)lives->num_ops,
              !access->reads && !is_branch && tile_is_whole(access->tile)};
    if (access->writes && tile_copy_comes_in_pieces(op))
      fragment->registers = fragment->elems;
  }
}

static void collect(Lives *lives, MlirBlock block) {
  TILE_FOR_EACH_OP (op, block) {
    TileAccess accesses[TILE_MAX_ACCESSES];
    int n = tile_accesses_get(op, accesses);
    if (tile_alloc_is(op))
      add_fragment(lives, tile_alloc_cast(op));
    for (int i = 0; i < n; i++)
      if (accesses[i].reads)
        add_use(lives, &accesses[i], op);
    for (int i = 0; i < n; i++)
      if (accesses[i].writes && !accesses[i].reads)
        add_use(lives, &accesses[i], op);
    TILE_ARENA_RESERVE(lives->arena, lives->ops, lives->num_ops,
                       lives->op_capacity);
    lives->ops[lives->num_ops++] = op;
    if (tile_parallel_is(op))
      continue;
    Loop loop = {.first = (int64_t)lives->num_ops};
    for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); r++)
      for (MlirBlock inner =
               mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r));
           inner.ptr; inner = mlirBlockGetNextInRegion(inner))
        collect(lives, inner);
    loop.last = (int64_t)lives->num_ops - 1;
    if (!scf_for_is(op) && !scf_while_is(op))
      continue;
    TILE_ARENA_RESERVE(lives->arena, lives->loops, lives->num_loops,
                       lives->loop_capacity);
    lives->loops[lives->num_loops++] = loop;
  }
}

// Where the fragment lives: `out_is_live[p]` after the op at `p`.
static void find_life(const Lives *lives, const Fragment *fragment,
                      uint8_t *out_is_live) {
  memset(out_is_live, 0, lives->num_ops);
  for (size_t i = 1; i < fragment->num_uses; i++)
    if (!fragment->uses[i].starts)
      memset(out_is_live + fragment->uses[i - 1].position, 1,
             (size_t)(fragment->uses[i].position -
                      fragment->uses[i - 1].position));
  for (size_t k = 0; k < lives->num_loops; k++) {
    const Loop *loop = &lives->loops[k];
    size_t i = 0;
    while (i < fragment->num_uses && fragment->uses[i].position < loop->first)
      i++;
    if (i < fragment->num_uses && fragment->uses[i].position <= loop->last &&
        !fragment->uses[i].starts)
      memset(out_is_live + loop->first, 1,
             (size_t)(loop->last + 1 - loop->first));
  }
}

//===-- Entry -------------------------------------------------------------===//

static bool is_of_role(const Fragment *fragment, MlirOperation role) {
  return fragment->role.ptr == role.ptr;
}

TileFragmentPeak tile_fragment_peak(TileArena *arena, MlirOperation kernel,
                                    TileAllocOp fragment) {
  Lives lives = {.arena = arena};
  TileFragmentPeak peak = {.num_registers = 0};
  MlirOperation role = tile_alloc_role(fragment).op;
  collect(&lives, tile_kernel_body(kernel));
  int64_t *sum = TILE_ARENA_NEW(arena, int64_t, lives.num_ops + 1);
  int *count = TILE_ARENA_NEW(arena, int, lives.num_ops + 1);
  uint8_t *is_live = TILE_ARENA_NEW(arena, uint8_t, lives.num_ops + 1);
  for (size_t i = 0; i < lives.num_fragments; i++) {
    if (!is_of_role(&lives.fragments[i], role))
      continue;
    find_life(&lives, &lives.fragments[i], is_live);
    for (size_t p = 0; p < lives.num_ops; p++)
      if (is_live[p])
        sum[p] += lives.fragments[i].registers, count[p]++;
  }
  for (size_t p = 0; p < lives.num_ops; p++)
    if (sum[p] > peak.num_registers)
      peak = (TileFragmentPeak){lives.ops[p], sum[p], count[p]};
  return peak;
}
