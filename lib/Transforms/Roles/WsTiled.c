//===- WsTiled.c - Producer and consumer roles ----------------------------===//
//
// Consumes: loops with `tile.num_stages`, planned or not; `instr` on copies.
//           Without it, the earlier passes have not run: those whose work
//           roles need, do it first.
// Produces: rings, channels, positions, `tile.specialize` with the roles
//           "consumer" and "producer"; the launch has the threads of both. A
//           remark for each copy and each loop that stays as it was.
// Fails:    roles are required and cannot be made.
// Method:   docs/Rationale/Roles.md; RolePlan.c is the plan.
// Idempotent: a kernel with `tile.specialize` is left alone.
//
//===----------------------------------------------------------------------===//

#include "Roles.h"

#include "Analysis/Memory/Memory.h"
#include "Support/Constants.h"
#include "Support/Diagnostics.h"
#include "Tile/Ops/func.h"
#include "Tile/Ops/gpu.h"
#include "Tile/Ops/memref.h"
#include "Tile/Ops/scf.h"
#include "TilePasses.h"

//===-- Build: is the kernel a case for roles? ----------------------------===//

typedef struct {
  MlirOperation kernel, required; // a loop that must have roles, or null
  bool has_pipelined_loop, has_roles;
  bool has_open_copy; // tile-instruction-annotation has not seen the kernel
} Survey;

static MlirWalkResult survey_op(MlirOperation op, void *user_data) {
  Survey *survey = user_data;
  survey->has_roles |= tile_specialize_is(op) || tile_channel_is(op);
  survey->has_open_copy |=
      tile_copy_is(op) &&
      mlirAttributeIsNull(tile_copy_instr_attr(tile_copy_cast(op)));
  if (!scf_for_is(op) && !scf_while_is(op))
    return MlirWalkResultAdvance;
  MlirAttribute stages = mlirOperationGetDiscardableAttributeByName(
      op, TILE_STR("tile.num_stages"));
  if (mlirAttributeIsNull(stages) || mlirIntegerAttrGetValueInt(stages) < 1)
    return MlirWalkResultAdvance;
  survey->has_pipelined_loop = true;
  if (!survey->required.ptr && tile_loop_requires_roles(survey->kernel, op))
    survey->required = op;
  return MlirWalkResultAdvance;
}

static TileSpecialize wish_of(TileKernelConfigOp config) {
  return config.op.ptr && !mlirAttributeIsNull(
                              tile_kernel_config_specialize_attr(config))
             ? tile_kernel_config_specialize(config)
             : TILE_SPECIALIZE_Preferred;
}

//===-- Report ------------------------------------------------------------===//

static MlirLogicalResult report_no_loop(MlirOperation kernel) {
  TileKernelConfigOp config = tile_kernel_config_of(kernel);
  if (wish_of(config) != TILE_SPECIALIZE_Required)
    return tile_success();
  return tile_emit_error(config.op, "requires roles, which are made of a loop "
                                    "with tile.num_stages of at least 1, and "
                                    "the kernel has none");
}

static MlirLogicalResult report(bool is_required, MlirOperation op,
                                TileRoleReason reason, const char *what) {
  const TileRoleText *text = tile_role_text(reason.code);
  bool has_note = reason.culprit.ptr && text->note;
  MlirLocation at = mlirOperationGetLocation(has_note ? reason.culprit : op);
  char figures[96] = "";
  if (text->unit)
    snprintf(figures, sizeof figures, ": %lld %s, at most %lld",
             (long long)reason.figure, text->unit, (long long)reason.limit);
  if (is_required && has_note)
    return tile_emit_error_with_note(op, at, text->note,
                                     "cannot make the roles that are required: "
                                     "%s%s [%s]; %s",
                                     text->reason, figures, reason.code,
                                     text->help);
  if (is_required)
    return tile_emit_error(op,
                           "cannot make the roles that are required: %s%s "
                           "[%s]; %s",
                           text->reason, figures, reason.code, text->help);
  // The loop of one source line is in every variant of its launch.
  if (tile_is_in_fallback_variant(op))
    return tile_success();
  if (has_note)
    tile_emit_remark_with_note(op, at, text->note, reason.code, "%s: %s%s; %s",
                               what, text->reason, figures, text->help);
  else
    tile_emit_remark(op, reason.code, "%s: %s%s; %s", what, text->reason,
                     figures, text->help);
  return tile_success();
}

// The copy of `buffer` that a producer would have made asynchronous: the first
// one in a pipelined loop, else the first one outside of loops.
static const TileRoleFill *reported_fill(const TileRolePlan *plan,
                                         const TileRoleBuffer *buffer) {
  const TileRoleFill *outside = NULL;
  for (const TileRoleFill *fill = plan->fills; fill; fill = fill->next) {
    if (fill->buffer != buffer || fill->instr == TILE_INSTR_Simt)
      continue;
    if (fill->loop && !fill->loop->is_off)
      return fill;
    if (!outside && !tile_role_parent(fill->node))
      outside = fill;
  }
  return outside;
}

static bool is_satisfied(const TileRolePlan *plan, const TileRoleLoop *loop) {
  for (const TileRoleFill *fill = plan->fills; fill; fill = fill->next)
    if (fill->loop == loop && fill->buffer->is_taken && plan->num_channels)
      return true;
  return loop->is_off;
}

static bool is_around(const TileRoleLoop *outer, const TileRoleLoop *inner) {
  const TileRoleNode *at = tile_role_parent(inner->node);
  while (at && at != outer->node)
    at = tile_role_parent(at);
  return at != NULL;
}

// Whether the loop fills nothing itself, and its inner loops are spoken of.
static bool only_nests(const TileRolePlan *plan, const TileRoleLoop *loop) {
  bool nests = false, is_served = false;
  for (const TileRoleLoop *l = plan->loops; l; l = l->next)
    if (is_around(loop, l)) {
      nests = true;
      is_served |= is_satisfied(plan, l);
    }
  return !loop->had_fill && (is_served || (nests && !loop->is_required));
}

static const char *code_of_loop(const TileRoleLoop *loop) {
  if (loop->had_tma)
    return "tile-ws/nothing-left";
  if (loop->had_cp_async)
    return "tile-ws/no-candidate";
  return loop->had_fill ? "tile-ws/no-async" : "tile-ws/no-tile";
}

// Element loops of loops that the producer serves: who runs them.
static void report_elements(const TileRolePlan *plan) {
  for (const TileRoleFill *fill = plan->fills; fill; fill = fill->next) {
    MlirOperation op = fill->node->op;
    if (!tile_role_is_element_fill(fill) || !fill->loop ||
        !fill->loop->is_served || plan->num_channels == 0 ||
        tile_is_in_fallback_variant(op))
      continue;
    if (fill->node->is_moved)
      tile_emit_remark(op, "tile-ws/element-producer",
                       "runs in the producer, which gets %lld warps for it",
                       (long long)plan->num_warps[TILE_ROLE_PRODUCER]);
    else if (fill->buffer->reason.code)
      (void)report(false, op, fill->buffer->reason,
                   "the computing warps keep this element loop");
  }
}

static void report_tickets(const TileRolePlan *plan) {
  for (const TileRoleFill *fill = plan->fills; fill; fill = fill->next)
    if (tile_role_is_ticket(fill) && fill->node->is_moved &&
        plan->num_channels > 0 && !tile_is_in_fallback_variant(fill->node->op))
      tile_emit_remark(fill->node->op, "tile-ws/ticket",
                       "the producer does this update once, and passes what it "
                       "found to the computing warps through a ring of %lld",
                       (long long)plan->channels[fill->buffer->channel].depth);
}

static MlirLogicalResult plan_report(const TileRolePlan *plan) {
  MlirLogicalResult result = tile_success();
  report_elements(plan);
  report_tickets(plan);
  for (const TileRoleBuffer *b = plan->buffers; b; b = b->next) {
    const TileRoleFill *fill = reported_fill(plan, b);
    if (fill && b->reason.code &&
        tile_failed(report(fill->loop && fill->loop->is_required,
                           fill->node->op, b->reason,
                           "the computing warps keep this copy")))
      result = tile_failure();
  }
  for (const TileRoleLoop *loop = plan->loops; loop; loop = loop->next) {
    TileRoleReason reason = plan->kernel_reason;
    if (!reason.code)
      reason.code = code_of_loop(loop);
    if (!tile_failed(result) && !is_satisfied(plan, loop) &&
        !only_nests(plan, loop) &&
        tile_failed(report(loop->is_required, loop->node->op, reason,
                           "this loop runs without roles")))
      result = tile_failure();
  }
  return result;
}

//===-- Apply; cannot fail ------------------------------------------------===//

typedef struct {
  const TileRolePlan *plan;
  MlirOperation kernel;
  TileBuilder b;
  RoleShared shared;
} Apply;

static bool is_defined_before(const Apply *apply, MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
    MlirValue value = mlirOperationGetOperand(op, i);
    if (!mlirValueIsAOpResult(value))
      continue; // of the kernel: this is the level of its body
    const TileRoleNode *node =
        tile_role_node_of(apply->plan, mlirOpResultGetOwner(value));
    if (node && !apply->shared.is_shared[node->id])
      return false;
  }
  return true;
}

static bool is_shared_alloc(const Apply *apply, const TileRoleNode *node) {
  TileShape shape = {.space = TILE_SPACE_OTHER};
  if (memref_alloca_is(node->op))
    return true;
  if (!tile_alloc_is(node->op))
    return false;
  MlirValue value = mlirOperationGetResult(node->op, 0);
  const TileRoleBuffer *buffer =
      tile_pointer_map_get(&apply->plan->buffer_of, value.ptr);
  tile_shape_of(value, &shape);
  return shape.space != TILE_SPACE_FRAGMENT && !(buffer && buffer->is_taken);
}

// What both roles may use without executing it: allocations, and the scalars
// that the kernel begins with.
static void find_shared(Apply *apply) {
  const TileRolePlan *plan = apply->plan;
  bool is_prefix = true;
  for (int i = 0; i < plan->body.num_nodes; i++) {
    TileRoleNode *node = plan->body.nodes[i];
    bool is_alloc = tile_alloc_is(node->op);
    bool is_shared =
        is_shared_alloc(apply, node) || tile_kernel_config_is(node->op);
    bool reads_constant =
        memref_load_is(node->op) && !node->accesses &&
        tile_role_is_read_only(plan,
                               memref_load_memref(memref_load_cast(node->op)));
    if (!is_shared && is_prefix && !is_alloc && node->kind == TILE_NODE_LEAF)
      is_shared = is_defined_before(apply, node->op) &&
                  (reads_constant || tile_launch_wait_is(node->op) ||
                   mlirxIsMemoryEffectFree(node->op));
    apply->shared.is_shared[node->id] = is_shared;
    is_prefix &= is_shared || is_alloc;
  }
}

//===-- Rings and channels ------------------------------------------------===//

static MlirValue build_ring(Apply *apply, const TileRoleBuffer *buffer,
                            int64_t depth) {
  int64_t extent[TILE_MAX_RANK] = {depth};
  for (int d = 0; d < buffer->shape.rank; d++)
    extent[d + 1] = buffer->shape.extent[d];
  TileAllocOp alloc = tile_alloc_cast(buffer->alloc);
  MlirType type = mlirMemRefTypeContiguousGet(
      buffer->shape.element, buffer->shape.rank + 1, extent,
      mlirMemRefTypeGetMemorySpace(mlirValueGetType(buffer->value)));
  TileBuilder b = apply->b;
  b.loc = mlirOperationGetLocation(buffer->alloc);
  MlirValue ring = tile_alloc(&b, .type = type);
  TileAllocOp made = tile_alloc_cast(mlirOpResultGetOwner(ring));
  MlirAttribute layout = tile_ring_layout(alloc, depth);
  if (layout.ptr)
    tile_alloc_set_layout_attr(made, layout);
  if (!mlirAttributeIsNull(tile_alloc_alignment_attr(alloc)))
    tile_alloc_set_alignment_attr(made, tile_alloc_alignment_attr(alloc));
  return ring;
}

static void build_channel(Apply *apply, int c) {
  const TileRoleChannel *channel = &apply->plan->channels[c];
  MlirValue *rings =
      TILE_ARENA_NEW(apply->plan->arena, MlirValue, channel->num_buffers);
  int64_t threads = 32 * apply->plan->num_warps[TILE_ROLE_PRODUCER];
  for (int i = 0; i < channel->num_buffers; i++) {
    rings[i] = build_ring(apply, channel->buffers[i], channel->depth);
    tile_pointer_map_set(&apply->shared.ring_of, channel->buffers[i],
                         &rings[i]);
  }
  apply->shared.channels[c] = tile_channel(
      &apply->b, .rings = {rings, channel->num_buffers},
      .depth = channel->depth, .tma = channel->has_tma,
      .cp_async_threads = {channel->has_cp_async, threads},
      .simt_threads = {channel->has_simt, threads},
      .consumer_warps = {true, apply->plan->num_warps[TILE_ROLE_CONSUMER] /
                                   apply->plan->num_groups});
}

static void build_own(Apply *apply) {
  for (int i = 0; i < apply->plan->num_own; i++) {
    MlirValue tile = apply->plan->own[i];
    TileShape shape;
    if (!tile_shape_of(tile, &shape) || shape.space != TILE_SPACE_SHARED)
      continue;
    MlirValue *own = TILE_ARENA_NEW(apply->plan->arena, MlirValue, 1);
    MlirxMapping map = mlirxMappingCreate();
    *own = mlirOperationGetResult(
        mlirxClone(apply->b.rw, mlirOpResultGetOwner(tile), map), 0);
    mlirxMappingDestroy(map);
    tile_pointer_map_set(&apply->shared.own_of, tile.ptr, own);
  }
}

//===-- Roles -------------------------------------------------------------===//

typedef struct {
  TileArena *arena;
  MlirOperation *ops; // program order
  int num_ops, capacity;
} OpList;

static MlirWalkResult list_op(MlirOperation op, void *user_data) {
  OpList *list = user_data;
  TILE_ARENA_RESERVE(list->arena, list->ops, list->num_ops, list->capacity);
  list->ops[list->num_ops++] = op;
  return MlirWalkResultAdvance;
}

// What only the other role uses.
static void erase_dead(Apply *apply, MlirOperation role) {
  OpList list = {apply->plan->arena, NULL, 0, 0};
  mlirOperationWalk(role, list_op, &list, MlirWalkPreOrder);
  for (int i = list.num_ops - 1; i > 0; i--)
    if (mlirxIsTriviallyDead(list.ops[i]))
      mlirRewriterBaseEraseOp(apply->b.rw, list.ops[i]);
}

static void emit_role(Apply *apply, TileRoleKind kind, MlirBlock into) {
  static const char *const names[] = {"consumer", "producer"};
  const TileRolePlan *plan = apply->plan;
  MlirRegion region = mlirRegionCreate();
  MlirBlock body = mlirBlockCreate(0, NULL, NULL);
  mlirRegionAppendOwnedBlock(region, body);
  mlirRewriterBaseSetInsertionPointToEnd(apply->b.rw, into);
  MlirOperation role =
      tile_role_op(
          &apply->b, .role = names[kind],
          .warps = kind == TILE_ROLE_CONSUMER
                       ? plan->num_warps[kind] / plan->num_groups
                       : plan->num_warps[kind],
          .registers = {plan->registers[kind] > 0, plan->registers[kind]},
          .body = region)
          .op;
  RoleEmitter e = {.shared = &apply->shared,
                   .plan = plan,
                   .role = kind,
                   .b = apply->b,
                   .map = mlirxMappingCreate()};
  e.positions = TILE_ARENA_NEW(plan->arena, RolePosition, plan->num_channels);
  mlirRewriterBaseSetInsertionPointToEnd(e.b.rw, body);
  MlirValue zero = tile_const_int(&e.b, 0, 32);
  for (int c = 0; c < plan->num_channels; c++)
    e.positions[c] = (RolePosition){zero, zero, TILE_NULL_VALUE};
  role_emit_block(&e, &plan->body, body);
  mlirxMappingDestroy(e.map);
  erase_dead(apply, role);
  if (kind == TILE_ROLE_CONSUMER)
    role_rotate(plan, role);
  if (kind == TILE_ROLE_CONSUMER && plan->num_groups > 1)
    role_pingpong_apply(plan, apply->b.rw, role);
}

//===-- The kernel --------------------------------------------------------===//

static void set_threads(Apply *apply, int64_t num_threads) {
  MlirContext context = mlirOperationGetContext(apply->kernel);
  MlirOperation kernel = apply->kernel;
  MlirStringRef name = TILE_STR("tile.num_threads");
  if (gpu_launch_is(kernel)) {
    GPULaunchOp launch = gpu_launch_cast(kernel);
    TileBuilder b = {apply->b.rw, mlirOperationGetLocation(kernel)};
    mlirRewriterBaseSetInsertionPointBefore(b.rw, kernel);
    MlirValue one = tile_const_index(&b, 1);
    gpu_launch_set_blockSizeX(launch, tile_const_index(&b, num_threads));
    gpu_launch_set_blockSizeY(launch, one);
    gpu_launch_set_blockSizeZ(launch, one);
  }
  if (!mlirAttributeIsNull(
          mlirOperationGetDiscardableAttributeByName(kernel, name)))
    mlirOperationSetDiscardableAttributeByName(
        kernel, name,
        mlirIntegerAttrGet(mlirIntegerTypeGet(context, 32), num_threads));
  if (gpu_func_is(kernel) &&
      !mlirAttributeIsNull(
          gpu_func_known_block_size_attr(gpu_func_cast(kernel)))) {
    int32_t size[3] = {(int32_t)num_threads, 1, 1};
    gpu_func_set_known_block_size_attr(gpu_func_cast(kernel),
                                       mlirDenseI32ArrayGet(context, 3, size));
  }
}

static void erase_body(Apply *apply) {
  const TileRoleBlock *body = &apply->plan->body;
  for (int i = body->num_nodes - 1; i >= 0; i--)
    if (!apply->shared.is_shared[body->nodes[i]->id])
      mlirRewriterBaseEraseOp(apply->b.rw, body->nodes[i]->op);
}

static void plan_apply(const TileRolePlan *plan) {
  Apply apply = {.plan = plan, .kernel = plan->kernel};
  apply.b =
      (TileBuilder){mlirIRRewriterCreate(mlirOperationGetContext(plan->kernel)),
                    mlirOperationGetLocation(plan->kernel)};
  apply.shared.plan = plan;
  apply.shared.ring_of.arena = plan->arena;
  apply.shared.own_of.arena = plan->arena;
  apply.shared.channels =
      TILE_ARENA_NEW(plan->arena, MlirValue, plan->num_channels);
  apply.shared.is_shared =
      TILE_ARENA_NEW(plan->arena, uint8_t, plan->num_nodes);
  find_shared(&apply);
  mlirRewriterBaseSetInsertionPointBefore(
      apply.b.rw, mlirBlockGetTerminator(tile_kernel_body(plan->kernel)));
  for (int c = 0; c < plan->num_channels; c++)
    build_channel(&apply, c);
  build_own(&apply);
  MlirRegion region = mlirRegionCreate();
  MlirBlock roles = mlirBlockCreate(0, NULL, NULL);
  mlirRegionAppendOwnedBlock(region, roles);
  tile_specialize(&apply.b, .body = region);
  for (int kind = 0; kind < TILE_NUM_ROLES; kind++)
    emit_role(&apply, (TileRoleKind)kind, roles);
  erase_body(&apply);
  set_threads(&apply, 32 * (plan->num_warps[TILE_ROLE_CONSUMER] +
                            plan->num_warps[TILE_ROLE_PRODUCER]));
  mlirIRRewriterDestroy(apply.b.rw);
}

//===-- Passes that did not run -------------------------------------------===//

// Whether roles may be made of the kernel; `*out_target` is set then, unless
// the result is a failure.
static bool wants_roles(const Survey *survey, const char *option,
                        const TileTarget **out_target,
                        MlirLogicalResult *out_result) {
  *out_result = tile_target_resolve(survey->kernel, option, out_target);
  return !tile_failed(*out_result) &&
         wish_of(tile_kernel_config_of(survey->kernel)) !=
             TILE_SPECIALIZE_Off &&
         ((*out_target)->has_tma || survey->required.ptr);
}

// Which copies a producer can make depends on facts that variants state; copies
// below a switch, and to tiles that are cleared before, cannot move. These
// passes leave alone what they have seen, or what needs nothing of them.
static MlirLogicalResult prepare_kernel(MlirOperation kernel, void *user_data) {
  const TileWsTiledOptions *options = user_data;
  Survey survey = {.kernel = kernel};
  const TileTarget *target;
  MlirLogicalResult result;
  mlirOperationWalk(kernel, survey_op, &survey, MlirWalkPreOrder);
  if (survey.has_roles || !survey.has_pipelined_loop || !survey.has_open_copy)
    return tile_success();
  if (!wants_roles(&survey, options->target, &target, &result))
    return result;
  TileExpandSwitchesOptions switches = {0};
  TileSinkFillsOptions fills = {0};
  TileMakeVariantsOptions variants = {.target = options->target};
  if (tile_failed(tile_expand_switches_run(kernel, &switches)) ||
      tile_failed(tile_sink_fills_run(kernel, &fills)))
    return tile_failure();
  return tile_make_variants_run(kernel, &variants);
}

// A loop over tiles cannot come around roles any more, and TMA copies no pads.
static MlirLogicalResult prepare_body(MlirOperation kernel,
                                      const TileWsTiledOptions *options) {
  TilePersistOptions persist = {.target = options->target};
  if (tile_kernel_persist_wish(kernel) == TILE_PERSIST_REQUIRED &&
      tile_failed(tile_persist_run(kernel, &persist)))
    return tile_failure();
  TileSplitPadsOptions pads = {.target = options->target};
  return tile_split_pads_run(kernel, &pads);
}

//===-- Entry -------------------------------------------------------------===//

static MlirLogicalResult visit_kernel(MlirOperation kernel, void *user_data) {
  const TileWsTiledOptions *options = user_data;
  Survey survey = {.kernel = kernel};
  const TileTarget *target;
  mlirOperationWalk(kernel, survey_op, &survey, MlirWalkPreOrder);
  if (survey.has_roles)
    return tile_success();
  if (!survey.has_pipelined_loop)
    return report_no_loop(kernel);
  if (tile_failed(tile_target_resolve(kernel, options->target, &target)))
    return tile_failure();
  if (wish_of(tile_kernel_config_of(kernel)) == TILE_SPECIALIZE_Off)
    return survey.required.ptr
               ? report(true, survey.required,
                        (TileRoleReason){.code = "tile-ws/off"}, NULL)
               : tile_success();
  if (!target->has_tma && !survey.required.ptr)
    return tile_success(); // makes roles when it has to
  if (survey.has_open_copy && tile_failed(prepare_body(kernel, options)))
    return tile_failure();

  TileArena arena;
  TileRolePlan plan;
  TileRoleOptions role_options = {options->producer_warps};
  tile_arena_init(&arena);
  tile_role_plan_build(&arena, kernel, target, &role_options, &plan);
  MlirLogicalResult result = plan_report(&plan);
  if (!tile_failed(result) && plan.num_channels > 0)
    plan_apply(&plan);
  tile_arena_deinit(&arena);
  return result;
}

MlirLogicalResult tile_ws_tiled_run(MlirOperation op,
                                    const TileWsTiledOptions *options) {
  MlirLogicalResult result =
      tile_kernels_visit_verified(op, prepare_kernel, (void *)options);
  return tile_failed(result)
             ? result
             : tile_kernels_visit_verified(op, visit_kernel, (void *)options);
}
