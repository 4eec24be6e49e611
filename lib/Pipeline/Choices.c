//===- Choices.c - What the compiler chose and takes back -----------------===//

#include "Pipeline/Choices.h"

#include "Dialect/Ops.h"
#include "Support/Arena.h"
#include "Support/Diagnostics.h"
#include "Support/Iterate.h"
#include "Support/StringBuilder.h"
#include <stdlib.h>

static const char num_stages_name[] = "tile.num_stages";
enum { MAX_ESTIMATES = 3 };

//===-- Kernels -----------------------------------------------------------===//

typedef struct {
  size_t wanted, count;
  MlirOperation found;
} FindKernel;

static MlirWalkResult visit_kernel(MlirOperation op, void *user_data) {
  FindKernel *find = user_data;
  if (!tile_kernel_is(op))
    return MlirWalkResultAdvance;
  if (find->count++ == find->wanted)
    find->found = op;
  return MlirWalkResultSkip;
}

// Passes keep the number of kernels and their order, as does outlining.
static MlirOperation kernel_at(MlirModule module, size_t number) {
  FindKernel find = {.wanted = number};
  mlirOperationWalk(mlirModuleGetOperation(module), visit_kernel, &find,
                    MlirWalkPreOrder);
  return find.found;
}

static size_t count_kernels(MlirModule module) {
  FindKernel find = {.wanted = SIZE_MAX};
  mlirOperationWalk(mlirModuleGetOperation(module), visit_kernel, &find,
                    MlirWalkPreOrder);
  return find.count;
}

//===-- One tile for loops one after the other ----------------------------===//

// A shared tile, with the first and the last op of the kernel's body that use
// it or hold such an op; -1: none.
typedef struct {
  TileAllocOp alloc;
  int first, last;
} Tile;

typedef struct {
  TileArena arena;
  Tile *tiles; // program order
  int num_tiles, capacity;
  int position; // in the body
} Tiles;

// What a user says of a tile is said of that one.
static bool is_plain(TileAllocOp alloc) {
  TileShape shape;
  return tile_shape_of(tile_alloc_memref(alloc), &shape) &&
         shape.space == TILE_SPACE_SHARED &&
         mlirAttributeIsNull(tile_alloc_layout_attr(alloc)) &&
         mlirAttributeIsNull(tile_alloc_alignment_attr(alloc)) &&
         mlirAttributeIsNull(tile_alloc_offset_attr(alloc));
}

// Windows and views are no uses; their users are.
static MlirWalkResult note_uses(MlirOperation op, void *user_data) {
  Tiles *tiles = user_data;
  intptr_t count = tile_is_name_op(op) ? 0 : mlirOperationGetNumOperands(op);
  for (intptr_t i = 0; i < count; i++) {
    MlirValue root = tile_buffer_of(mlirOperationGetOperand(op, i)).root;
    for (int t = 0; t < tiles->num_tiles; t++) {
      Tile *tile = &tiles->tiles[t];
      if (!mlirValueEqual(tile_alloc_memref(tile->alloc), root))
        continue;
      tile->first = tile->first < 0 ? tiles->position : tile->first;
      tile->last = tiles->position;
    }
  }
  return MlirWalkResultAdvance;
}

static void tiles_build(MlirOperation kernel, Tiles *out) {
  *out = (Tiles){.num_tiles = 0};
  tile_arena_init(&out->arena);
  TILE_FOR_EACH_OP (op, tile_kernel_body(kernel)) {
    out->position++;
    if (tile_alloc_is(op) && is_plain(tile_alloc_cast(op))) {
      TILE_ARENA_RESERVE(&out->arena, out->tiles, out->num_tiles,
                         out->capacity);
      out->tiles[out->num_tiles++] = (Tile){tile_alloc_cast(op), -1, -1};
    }
    mlirOperationWalk(op, note_uses, out, MlirWalkPreOrder);
  }
}

// The first tile that may stand for tile `number`, or NULL.
static Tile *find_earlier(Tiles *tiles, int number) {
  const Tile *tile = &tiles->tiles[number];
  MlirType type = mlirValueGetType(tile_alloc_memref(tile->alloc));
  for (int i = 0; i < number; i++) {
    Tile *earlier = &tiles->tiles[i];
    if (earlier->last >= 0 && earlier->last < tile->first &&
        mlirTypeEqual(mlirValueGetType(tile_alloc_memref(earlier->alloc)),
                      type))
      return earlier;
  }
  return NULL;
}

// Where two tiles of one type are used one after the other in the body of the
// kernel, one stands for both: with roles the loops share its ring. Returns how
// many are saved; with `is_dry` nothing changes.
static int share_tiles(MlirOperation kernel, bool is_dry) {
  Tiles tiles;
  int count = 0;
  tiles_build(kernel, &tiles);
  for (int i = 0; i < tiles.num_tiles; i++) {
    Tile *tile = &tiles.tiles[i], *earlier = find_earlier(&tiles, i);
    if (!earlier)
      continue;
    count++;
    earlier->last = tile->last;
    tile->last = -1;
    if (is_dry)
      continue;
    mlirValueReplaceAllUsesOfWith(tile_alloc_memref(tile->alloc),
                                  tile_alloc_memref(earlier->alloc));
    mlirOperationDestroy(tile->alloc.op);
  }
  tile_arena_deinit(&tiles.arena);
  return count;
}

//===-- What a kernel has -------------------------------------------------===//

// Seen in the kernel as it was, or as a pass refused it.
typedef struct {
  bool has_roles, has_turns, has_persistent_loop;
  bool requires_roles;
  int64_t max_stages; // of loops that no plan of the user bounds from below
} Facts;

static MlirWalkResult find_stage(MlirOperation op, void *user_data) {
  bool *found = user_data;
  *found |= !mlirAttributeIsNull(
      mlirOperationGetDiscardableAttributeByName(op, TILE_STR("tile.stage")));
  return *found ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

// The stages of a loop that may have fewer; 0: it has none, or the user has
// planned it.
static int64_t stages_of(MlirOperation op) {
  bool is_planned = false;
  MlirAttribute stages =
      mlirOperationGetDiscardableAttributeByName(op, tile_str(num_stages_name));
  if (mlirAttributeIsNull(stages) || !mlirAttributeIsAInteger(stages))
    return 0;
  mlirOperationWalk(op, find_stage, &is_planned, MlirWalkPreOrder);
  return is_planned ? 0 : mlirIntegerAttrGetValueInt(stages);
}

static MlirWalkResult note_fact(MlirOperation op, void *user_data) {
  Facts *facts = user_data;
  facts->has_roles |= tile_specialize_is(op);
  facts->has_turns |=
      tile_role_is(op) && tile_role_pingpong(tile_role_cast(op));
  facts->has_persistent_loop |=
      !mlirAttributeIsNull(mlirOperationGetDiscardableAttributeByName(
          op, TILE_STR(TILE_PERSISTENT_ATTR)));
  MlirAttribute wish = mlirOperationGetDiscardableAttributeByName(
      op, TILE_STR("tile.specialize"));
  facts->requires_roles |=
      !mlirAttributeIsNull(wish) && mlirAttributeIsAString(wish) &&
      mlirStringRefEqual(mlirStringAttrGetValue(wish), TILE_STR("required"));
  int64_t stages = stages_of(op);
  if (stages > facts->max_stages)
    facts->max_stages = stages;
  return MlirWalkResultAdvance;
}

static Facts facts_of(MlirOperation kernel) {
  Facts facts = {.has_roles = false};
  TileKernelConfigOp config = tile_kernel_config_of(kernel);
  facts.requires_roles =
      config.op.ptr &&
      !mlirAttributeIsNull(tile_kernel_config_specialize_attr(config)) &&
      tile_kernel_config_specialize(config) == TILE_SPECIALIZE_Required;
  mlirOperationWalk(kernel, note_fact, &facts, MlirWalkPreOrder);
  return facts;
}

static bool says_rotate(MlirOperation kernel) {
  TileKernelConfigOp config = tile_kernel_config_of(kernel);
  return config.op.ptr &&
         !mlirAttributeIsNull(tile_kernel_config_rotate_attr(config));
}

//===-- Plan: which one ---------------------------------------------------===//

typedef struct {
  MlirOperation before; // the kernel before all choices
  Facts had, has;       // there, and where it was refused
  int64_t excess_bytes; // of shared memory; 0: another reason
} Refusal;

// What a kernel has that is refused, of its own or by a choice of a pass.
static bool is_ours(const Refusal *refusal, TileChoice choice) {
  bool has_our_roles = refusal->has.has_roles && !refusal->had.has_roles;
  switch (choice) {
  case TILE_CHOICE_TURNS:
    return has_our_roles && refusal->has.has_turns;
  case TILE_CHOICE_ROTATION:
    return refusal->had.max_stages > 0 && !says_rotate(refusal->before);
  case TILE_CHOICE_PERSISTENCE:
    return refusal->has.has_persistent_loop &&
           !refusal->had.has_persistent_loop &&
           tile_kernel_persist_wish(refusal->before) == TILE_PERSIST_CHOSEN;
  case TILE_CHOICE_TILES:
    return has_our_roles && share_tiles(refusal->before, true) > 0;
  case TILE_CHOICE_PRELUDES:
    return has_our_roles;
  case TILE_CHOICE_ROLES:
    return has_our_roles && !refusal->had.requires_roles;
  default:
    return true;
  }
}

// One stage less, but two with roles, since in one slot nothing runs ahead, and
// one with roles that the user requires. Without stages copies stay where they
// stand, and their tiles may share bytes with what lives between two of them.
static bool take_stage(TileKernelChoices *kernel, const Refusal *refusal) {
  int64_t least = refusal->has.has_roles || refusal->had.requires_roles;
  if (is_ours(refusal, TILE_CHOICE_ROLES))
    least = 2;
  int64_t stages = kernel->is_off[TILE_CHOICE_STAGES] ? kernel->max_stages
                                                      : refusal->had.max_stages;
  if (stages <= least)
    return false;
  kernel->max_stages = stages - 1;
  return true;
}

static void forget(TileKernelChoices *kernel) {
  for (int i = 0; i < TILE_NUM_CHOICES; i++)
    free(kernel->reasons[i]);
  *kernel = (TileKernelChoices){.max_stages = 0};
}

static bool take(TileKernelChoices *kernel, TileChoice choice,
                 const Refusal *refusal, const char *reason) {
  if (kernel->was_tried[choice] || !is_ours(refusal, choice) ||
      (choice == TILE_CHOICE_STAGES && !take_stage(kernel, refusal)))
    return false;
  // Without rings there is room again for what was taken back before.
  if (choice == TILE_CHOICE_ROLES)
    forget(kernel);
  if (choice == TILE_CHOICE_ESTIMATE) {
    kernel->reserved_bytes += refusal->excess_bytes;
    kernel->num_estimates++;
  }
  kernel->is_off[choice] = true;
  kernel->was_tried[choice] = choice == TILE_CHOICE_ESTIMATE
                                  ? kernel->num_estimates == MAX_ESTIMATES
                                  : choice != TILE_CHOICE_STAGES;
  if (!kernel->reasons[choice])
    kernel->reasons[choice] = strdup(reason);
  return true;
}

// The order: what costs least comes first.
static bool choose(TileKernelChoices *kernel, const Refusal *refusal,
                   const char *reason, TileChoice *out_choice) {
  static const TileChoice for_memory[] = {
      TILE_CHOICE_TILES,    TILE_CHOICE_ESTIMATE, TILE_CHOICE_PERSISTENCE,
      TILE_CHOICE_PRELUDES, TILE_CHOICE_STAGES,   TILE_CHOICE_ROLES};
  static const TileChoice for_others[] = {
      TILE_CHOICE_TURNS, TILE_CHOICE_ROTATION, TILE_CHOICE_PERSISTENCE,
      TILE_CHOICE_ROLES};
  bool is_memory = refusal->excess_bytes > 0;
  const TileChoice *order = is_memory ? for_memory : for_others;
  size_t count = is_memory ? sizeof for_memory / sizeof *for_memory
                           : sizeof for_others / sizeof *for_others;
  for (size_t i = 0; i < count; i++)
    if (take(kernel, *out_choice = order[i], refusal, reason))
      return true;
  return false;
}

//===-- Take back ---------------------------------------------------------===//

void tile_choices_begin(TileChoices *choices, MlirModule module) {
  choices->before = mlirModuleFromOperation(
      mlirOperationClone(mlirModuleGetOperation(module)));
  choices->num_kernels = count_kernels(module);
  choices->kernels = calloc(choices->num_kernels + 1, sizeof *choices->kernels);
  choices->last = TILE_NUM_CHOICES;
}

// What was taken back last is not what stood in the way.
static void give_again(TileChoices *choices) {
  TileKernelChoices *kernel = &choices->kernels[choices->last_kernel];
  TileChoice last = choices->last;
  if (last == TILE_NUM_CHOICES || last == TILE_CHOICE_ROLES)
    return;
  kernel->was_tried[last] = true;
  if (last == TILE_CHOICE_STAGES) {
    Facts had = facts_of(kernel_at(choices->before, choices->last_kernel));
    if (++kernel->max_stages < had.max_stages)
      return; // more of them helped
  }
  kernel->is_off[last] = false;
  free(kernel->reasons[last]);
  kernel->reasons[last] = NULL;
  if (last == TILE_CHOICE_ESTIMATE)
    kernel->reserved_bytes = 0;
}

static bool take_from(TileChoices *choices, size_t number, MlirOperation failed,
                      const char *message) {
  MlirOperation before = kernel_at(choices->before, number);
  Refusal refusal = {.before = before,
                     .had = facts_of(before),
                     .has = facts_of(failed),
                     .excess_bytes =
                         tile_kernel_number(failed, TILE_REFUSED_ATTR, 0)};
  choices->last_kernel = number;
  return choose(&choices->kernels[number], &refusal, message, &choices->last);
}

// Whether a pass says that it has refused the kernel.
static bool is_refused(MlirOperation kernel) {
  return tile_kernel_number(kernel, TILE_REFUSED_ATTR, -1) >= 0;
}

bool tile_choices_take_back(TileChoices *choices, MlirModule failed,
                            const char *message) {
  if (mlirModuleIsNull(choices->before) ||
      count_kernels(failed) != choices->num_kernels)
    return false;
  if (choices->last_failure && !strcmp(choices->last_failure, message) &&
      is_refused(kernel_at(failed, choices->last_kernel)))
    give_again(choices);
  free(choices->last_failure);
  choices->last_failure = strdup(message);
  for (size_t i = 0; i < choices->num_kernels; i++) {
    MlirOperation kernel = kernel_at(failed, i);
    if (is_refused(kernel) && take_from(choices, i, kernel, message))
      return true;
  }
  return false;
}

void tile_choices_deinit(TileChoices *choices) {
  for (size_t i = 0; i < choices->num_kernels; i++)
    forget(&choices->kernels[i]);
  free(choices->kernels);
  free(choices->last_failure);
  if (!mlirModuleIsNull(choices->before))
    mlirModuleDestroy(choices->before);
  *choices = (TileChoices){.num_kernels = 0};
}

//===-- Apply -------------------------------------------------------------===//

static MlirWalkResult bound_stages(MlirOperation op, void *user_data) {
  const int64_t *max_stages = user_data;
  if (stages_of(op) > *max_stages)
    mlirOperationSetDiscardableAttributeByName(
        op, tile_str(num_stages_name),
        mlirIntegerAttrGet(mlirIntegerTypeGet(mlirOperationGetContext(op), 32),
                           *max_stages));
  return MlirWalkResultAdvance;
}

static void kernel_apply(const TileKernelChoices *choices,
                         MlirOperation kernel) {
  MlirContext context = mlirOperationGetContext(kernel);
  int64_t max_stages = choices->max_stages;
  MlirAttribute no = mlirBoolAttrGet(context, false);
  if (choices->is_off[TILE_CHOICE_TURNS])
    tile_kernel_config_set_partition_attr(
        tile_kernel_config_get(kernel),
        TilePartition_attr(context, TILE_PARTITION_Cooperative));
  if (choices->is_off[TILE_CHOICE_ROTATION])
    tile_kernel_config_set_rotate_attr(tile_kernel_config_get(kernel), no);
  if (choices->is_off[TILE_CHOICE_PERSISTENCE])
    tile_kernel_config_set_persist_attr(tile_kernel_config_get(kernel), no);
  if (choices->is_off[TILE_CHOICE_ROLES])
    tile_kernel_config_set_specialize_attr(
        tile_kernel_config_get(kernel),
        TileSpecialize_attr(context, TILE_SPECIALIZE_Off));
  if (choices->is_off[TILE_CHOICE_TILES])
    share_tiles(kernel, false);
  if (choices->is_off[TILE_CHOICE_PRELUDES])
    tile_kernel_set_number(kernel, TILE_PRELUDE_SLOTS_ATTR, 1);
  if (choices->reserved_bytes > 0)
    tile_kernel_set_number(kernel, TILE_RESERVED_BYTES_ATTR,
                           choices->reserved_bytes);
  if (choices->is_off[TILE_CHOICE_STAGES])
    mlirOperationWalk(kernel, bound_stages, &max_stages, MlirWalkPreOrder);
}

//===-- Report ------------------------------------------------------------===//

// Of "'gpu.launch' op needs …; tile.num_stages = 1 fits": "needs …", and
// whether the kernel is what the message is about.
static bool shorten(char *reason) {
  static const char advice[] = "; tile.num_stages = ";
  static const char *const heads[] = {"'gpu.launch' op ", "'gpu.func' op ",
                                      "'func.func' op "};
  char *end = strstr(reason, advice);
  if (end)
    *end = '\0';
  for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
    size_t length = strlen(heads[i]);
    if (strncmp(reason, heads[i], length))
      continue;
    memmove(reason, reason + length, strlen(reason + length) + 1);
    return true;
  }
  return false;
}

static void report(MlirOperation kernel, TileChoice choice,
                   const TileKernelChoices *choices) {
  static const struct {
    const char *code, *text;
  } list[] = {
      [TILE_CHOICE_TURNS] = {"tile-choice/turns",
                             "its computing warpgroups do not take turns"},
      [TILE_CHOICE_ROTATION] = {"tile-choice/rotation", "multiplies in order"},
      [TILE_CHOICE_TILES] = {"tile-choice/tiles",
                             "has one ring for tiles of several loops, one "
                             "after the other"},
      [TILE_CHOICE_ESTIMATE] = {"tile-choice/estimate",
                                "is planned with more shared memory for later "
                                "passes"},
      [TILE_CHOICE_PERSISTENCE] = {"tile-choice/persistence",
                                   "is not persistent"},
      [TILE_CHOICE_PRELUDES] = {"tile-choice/preludes",
                                "has one slot for each tile that is filled "
                                "outside pipelined loops"},
      [TILE_CHOICE_STAGES] = {"tile-choice/stages", "has fewer stages"},
      [TILE_CHOICE_ROLES] = {"tile-choice/roles", "has no roles"},
  };
  char *reason = strdup(choices->reasons[choice]);
  char figure[48] = "";
  if (choice == TILE_CHOICE_STAGES)
    snprintf(figure, sizeof figure, ", at most %lld",
             (long long)choices->max_stages);
  if (choice == TILE_CHOICE_ESTIMATE)
    snprintf(figure, sizeof figure, ", %lld bytes",
             (long long)choices->reserved_bytes);
  const char *otherwise =
      shorten(reason) ? "otherwise it" : "otherwise it does not compile:";
  tile_emit_remark(kernel, list[choice].code, "%s%s: %s %s", list[choice].text,
                   figure, otherwise, reason);
  free(reason);
}

static void report_kernel(MlirOperation kernel,
                          const TileKernelChoices *choices) {
  for (int i = 0; i < TILE_NUM_CHOICES; i++)
    if (choices->is_off[i])
      report(kernel, (TileChoice)i, choices);
}

MlirModule tile_choices_apply(const TileChoices *choices) {
  MlirModule module = mlirModuleFromOperation(
      mlirOperationClone(mlirModuleGetOperation(choices->before)));
  for (size_t i = 0; i < choices->num_kernels; i++) {
    MlirOperation kernel = kernel_at(module, i);
    kernel_apply(&choices->kernels[i], kernel);
    report_kernel(kernel, &choices->kernels[i]);
  }
  return module;
}
