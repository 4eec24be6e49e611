//===- RoleBudget.c - Warps and registers of roles ------------------------===//

#include "Roles.h"

#include "Analysis/Cost/Cost.h"

//===-- Warps and registers -----------------------------------------------===//

enum {
  WARP_THREADS = 32,
  GROUP_WARPS = 4,
  // setmaxnreg: multiples of 8 from 24 to 256 (PTX ISA, setmaxnreg).
  STEP = 8,
  LEAST = 24,
  // A producer that computes addresses for each of its threads, or makes tensor
  // maps and keeps what they describe.
  ADDRESSES = 40,
  // The same beside products of f64, whose chunks of 16 bytes are two elements.
  DOUBLE_ADDRESSES = 64,
  // Factors of products of f64 that wait in registers: 16 numbers of K of what
  // a warp has of both.
  DOUBLE_FACTORS = 40,
  // One whose threads load and store: chunks under way, addresses and
  // conditions of each (with fewer registers ptxas 13.0 spills up to 128
  // bytes).
  CHUNKS = 80,
  // One that computes elements: 32 that have been loaded, addresses, masks.
  ELEMENTS = 96,
  // Registers of a thread of a producer of one warp that are for its own tiles.
  MOST_OWN = 16
};

static MlirWalkResult add_fragment(MlirOperation op, void *user_data) {
  int64_t *num_bits = user_data;
  TileShape shape;
  if (tile_alloc_is(op) &&
      tile_shape_of(mlirOperationGetResult(op, 0), &shape) &&
      shape.space == TILE_SPACE_FRAGMENT)
    *num_bits += tile_shape_num_elems(&shape) * tile_elem_bits(shape.element);
  return MlirWalkResultAdvance;
}

// Registers of a computing thread for all fragments at once.
static int64_t fragment_registers(const TileRolePlan *plan,
                                  int64_t num_threads) {
  int64_t num_bits = 0;
  if (plan->num_groups > 1)
    return tile_turns_registers(plan->kernel);
  mlirOperationWalk(plan->kernel, add_fragment, &num_bits, MlirWalkPreOrder);
  return (num_bits / 32 + num_threads - 1) / num_threads;
}

static MlirWalkResult find_doubles(MlirOperation op, void *user_data) {
  bool *out = user_data;
  TileShape c;
  *out = *out || (tile_gemm_is(op) &&
                  tile_shape_of(tile_gemm_c(tile_gemm_cast(op)), &c) &&
                  tile_elem_bits(c.element) == 64);
  return *out ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

static bool multiplies_doubles(const TileRolePlan *plan) {
  bool result = false;
  mlirOperationWalk(plan->kernel, find_doubles, &result, MlirWalkPreOrder);
  return result;
}

// Registers of a computing thread for fragments and factors of products.
static int64_t tile_registers(const TileRolePlan *plan, int64_t num_threads) {
  return fragment_registers(plan, num_threads) +
         (multiplies_doubles(plan) ? DOUBLE_FACTORS : 0);
}

static int64_t wanted_registers(const TileRolePlan *plan, int64_t num_threads) {
  return tile_registers(plan, num_threads) + TILE_COST_SCALARS;
}

// Registers of a block: what the launch gives every thread, times the threads.
static int64_t launch_registers(const TileRolePlan *plan, int64_t num_threads) {
  TileKernelConfigOp config = tile_kernel_config_of(plan->kernel);
  int64_t blocks = 1;
  if (config.op.ptr &&
      !mlirAttributeIsNull(tile_kernel_config_min_blocks_attr(config)))
    blocks = tile_kernel_config_min_blocks(config);
  return tile_target_thread_registers(plan->target, num_threads, blocks);
}

static bool is_bounded_by_user(const TileRolePlan *plan) {
  TileKernelConfigOp config = tile_kernel_config_of(plan->kernel);
  return config.op.ptr &&
         !mlirAttributeIsNull(tile_kernel_config_registers_attr(config));
}

// ptxas compiles an instruction for the registers of the launch, whatever
// setmaxnreg says later: wgmma takes its accumulators and so many more
// (ptxas 13.0, message C7602).
enum { PRODUCT_OPERANDS = 26 };

static MlirWalkResult add_product(MlirOperation op, void *user_data) {
  int64_t *least = user_data;
  TileShape c;
  if (!tile_gemm_is(op) || !tile_shape_of(tile_gemm_c(tile_gemm_cast(op)), &c))
    return MlirWalkResultAdvance;
  TileGemmOp gemm = tile_gemm_cast(op);
  if (!mlirAttributeIsNull(tile_gemm_instr_attr(gemm)) &&
      tile_gemm_instr(gemm) != TILE_INSTR_Wgmma)
    return MlirWalkResultAdvance;
  // One instruction has 64 rows and at most 256 columns on 128 threads.
  int64_t columns = c.extent[1] < 256 ? c.extent[1] : 256;
  int64_t registers =
      columns / 2 * tile_elem_bits(c.element) / 32 + PRODUCT_OPERANDS;
  *least = registers > *least ? registers : *least;
  return MlirWalkResultAdvance;
}

static int64_t product_registers(const TileRolePlan *plan) {
  int64_t least = 0;
  if (plan->target->has_wgmma && plan->instr.num_threads % 128 == 0)
    mlirOperationWalk(plan->kernel, add_product, &least, MlirWalkPreOrder);
  return least;
}

static bool products_fit(const TileRolePlan *plan, int64_t num_warps) {
  return product_registers(plan) <=
         launch_registers(plan, num_warps * WARP_THREADS);
}

static bool computes_tiles(const TileRolePlan *plan) {
  for (TileRoleFill *fill = plan->fills; fill; fill = fill->next)
    if (fill->node->is_moved && tile_role_is_element_fill(fill))
      return true;
  return false;
}

// Registers of a consumer where producers have `least` each: sum of threads
// times registers <= registers of the block.
static int64_t consumer_share(const TileRolePlan *plan, int64_t consumer_warps,
                              int64_t producer_warps, int64_t least) {
  int64_t warps = consumer_warps + producer_warps;
  int64_t each = launch_registers(plan, warps * WARP_THREADS);
  int64_t most =
      (warps * each - producer_warps * least) / consumer_warps / STEP * STEP;
  return most < TILE_COST_MOST_REGISTERS ? most : TILE_COST_MOST_REGISTERS;
}

static bool has_plain_copies(const TileRolePlan *plan) {
  for (TileRoleFill *fill = plan->fills; fill; fill = fill->next)
    if (fill->node->is_moved && fill->instr == TILE_INSTR_Simt &&
        !tile_role_is_ticket(fill))
      return true;
  return false;
}

// Tickets are one number at a time.
static bool is_only_tma(const TileRolePlan *plan) {
  for (TileRoleFill *fill = plan->fills; fill; fill = fill->next)
    if (fill->node->is_moved && fill->instr != TILE_INSTR_Tma &&
        !tile_role_is_ticket(fill))
      return false;
  return true;
}

// Whether a map describes a tensor that the kernel makes.
static bool makes_maps(const TileRolePlan *plan) {
  for (TileRoleFill *fill = plan->fills; fill; fill = fill->next) {
    MlirOperation op = fill->node->op;
    if (!fill->node->is_moved || fill->instr != TILE_INSTR_Tma ||
        !tile_copy_is(op))
      continue;
    TileRegionOp window = tile_region_of(tile_copy_src(tile_copy_cast(op)));
    if (window.op.ptr &&
        tile_kernel_makes(plan->kernel, tile_region_source(window)))
      return true;
  }
  return false;
}

static void solve_registers(TileRolePlan *plan, bool only_tma) {
  int64_t consumers = plan->num_warps[TILE_ROLE_CONSUMER] * WARP_THREADS;
  int64_t producers = plan->num_warps[TILE_ROLE_PRODUCER] * WARP_THREADS;
  int64_t wanted = wanted_registers(plan, tile_role_tile_threads(plan));
  int64_t each = launch_registers(plan, consumers + producers);
  bool is_lean = only_tma && plan->num_own == 0 && !makes_maps(plan);
  bool has_doubles = multiplies_doubles(plan);
  int64_t least = computes_tiles(plan)     ? ELEMENTS
                  : has_plain_copies(plan) ? CHUNKS
                  : is_lean                ? (has_doubles ? ADDRESSES : LEAST)
                  : has_doubles            ? DOUBLE_ADDRESSES
                                           : ADDRESSES;
  least += (plan->own_registers / producers + STEP - 1) / STEP * STEP;
  int64_t most = consumer_share(plan, plan->num_warps[TILE_ROLE_CONSUMER],
                                plan->num_warps[TILE_ROLE_PRODUCER], least);
  if (least > each || most <= each || wanted <= each)
    return; // what the launch gives is enough
  plan->registers[TILE_ROLE_CONSUMER] = most;
  plan->registers[TILE_ROLE_PRODUCER] = least;
}

// Whether a producer that copies plainly takes registers that computing threads
// want, and nobody has asked for it. What they want is an estimate: hardly more
// are too few.
static bool starves_consumers(const TileRolePlan *plan) {
  int64_t given = plan->registers[TILE_ROLE_CONSUMER];
  for (TileRoleFill *fill = plan->fills; fill; fill = fill->next)
    if (fill->loop && fill->loop->is_required)
      return false;
  return given && has_plain_copies(plan) && !computes_tiles(plan) &&
         wanted_registers(plan, tile_role_tile_threads(plan)) + STEP > given;
}

// Warps of the producer that the kernel asks for, or else the options; 0: none.
static int64_t asked_producers(const TileRolePlan *plan,
                               const TileRoleOptions *options) {
  TileKernelConfigOp config = tile_kernel_config_of(plan->kernel);
  if (config.op.ptr &&
      !mlirAttributeIsNull(tile_kernel_config_producer_warps_attr(config)))
    return tile_kernel_config_producer_warps(config);
  return options->producer_warps;
}

// One thread issues TMA, a warp computes a guard of a few elements. A warpgroup
// is worth its place when it can hand registers to warps that want more than a
// launch with one warp gives them. What computes tiles waits for memory: it has
// as many threads as those that multiply, as far as there is room for two
// warpgroups.
static int64_t chosen_producers(const TileRolePlan *plan, bool only_tma,
                                bool can_move) {
  enum { MOST_WARPS = 2 * GROUP_WARPS };
  int64_t consumers = plan->num_warps[TILE_ROLE_CONSUMER];
  int64_t all = (consumers + MOST_WARPS) * WARP_THREADS;
  if (computes_tiles(plan) && consumers >= MOST_WARPS &&
      all <= plan->target->max_block_threads &&
      products_fit(plan, consumers + MOST_WARPS) &&
      wanted_registers(plan, tile_role_tile_threads(plan)) <=
          consumer_share(plan, consumers, MOST_WARPS, ELEMENTS))
    return MOST_WARPS;
  bool is_group = only_tma && can_move &&
                  products_fit(plan, consumers + GROUP_WARPS) &&
                  tile_registers(plan, tile_role_tile_threads(plan)) +
                          TILE_COST_LEAST_SCALARS >
                      launch_registers(plan, (consumers + 1) * WARP_THREADS);
  bool is_small = plan->own_registers <= MOST_OWN * WARP_THREADS;
  return !only_tma || is_group || !is_small ? GROUP_WARPS : 1;
}

// Registers that a thread of the consumer may use.
static int64_t consumer_registers(const TileRolePlan *plan) {
  int64_t warps =
      plan->num_warps[TILE_ROLE_CONSUMER] + plan->num_warps[TILE_ROLE_PRODUCER];
  int64_t given = plan->registers[TILE_ROLE_CONSUMER];
  if (is_bounded_by_user(plan))
    return tile_kernel_config_registers(tile_kernel_config_of(plan->kernel));
  return given ? given : launch_registers(plan, warps * WARP_THREADS);
}

static TileRoleReason solve(TileRolePlan *plan,
                            const TileRoleOptions *options) {
  bool only_tma = is_only_tma(plan);
  int64_t consumers =
      plan->num_groups * tile_role_tile_threads(plan) / WARP_THREADS;
  bool can_move = plan->target->has_setmaxnreg &&
                  consumers % GROUP_WARPS == 0 && !is_bounded_by_user(plan);
  plan->num_warps[TILE_ROLE_CONSUMER] = consumers;
  for (int role = 0; role < TILE_NUM_ROLES; role++)
    plan->registers[role] = 0;
  int64_t producers = chosen_producers(plan, only_tma, can_move);
  int64_t asked = asked_producers(plan, options);
  if (asked > 0)
    producers = asked;
  if (producers < GROUP_WARPS && computes_tiles(plan))
    return (TileRoleReason){.code = "tile-ws/few-producer-warps"};
  plan->num_warps[TILE_ROLE_PRODUCER] = producers;
  int64_t threads = (consumers + producers) * WARP_THREADS;
  if (threads > plan->target->max_block_threads)
    return (TileRoleReason){.code = "tile-ws/too-many-threads",
                            .figure = threads,
                            .limit = plan->target->max_block_threads};
  if (!products_fit(plan, consumers + producers))
    return (TileRoleReason){.code = "tile-ws/too-few-registers",
                            .figure = product_registers(plan),
                            .limit = launch_registers(plan, threads)};
  if (can_move && producers % GROUP_WARPS == 0)
    solve_registers(plan, only_tma);
  plan->consumer_registers = consumer_registers(plan);
  if (asked == 0 && starves_consumers(plan))
    return (TileRoleReason){
        .code = "tile-ws/plain-registers",
        .figure = wanted_registers(plan, tile_role_tile_threads(plan)),
        .limit = plan->registers[TILE_ROLE_CONSUMER]};
  return (TileRoleReason){.code = NULL};
}

TileRoleReason tile_role_budget_solve(TileRolePlan *plan,
                                      const TileRoleOptions *options) {
  plan->num_groups = 1;
  if (!plan->pingpong_reason) {
    plan->num_groups = 2;
    TileRoleReason reason = solve(plan, options);
    if (!reason.code &&
        tile_turns_registers(plan->kernel) + TILE_COST_LEAST_SCALARS <=
            plan->consumer_registers)
      return reason;
    plan->num_groups = 1;
    plan->pingpong_reason = "a warpgroup has too few registers for a tile";
  }
  return solve(plan, options);
}
