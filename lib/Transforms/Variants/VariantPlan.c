//===- VariantPlan.c - Which facts about tensors make kernels faster ------===//

#include "Variants.h"

#include "Transforms/Roles/Roles.h"
#include "Transforms/Stores/Stores.h"

#include "Analysis/Index/Index.h"
#include "Analysis/Memory/Memory.h"
#include "Dialect/Products.h"
#include "Support/Arithmetic.h"

// TMA needs it (PTX ISA, cp.async.bulk.tensor).
enum { MAP_ALIGN_BYTES = 16, MIN_ASYNC_BYTES = 4 };

/// What one op would gain by.
typedef struct {
  MlirValue tensor;
  MlirValue window; // null: an element loop
  TileInstr instr;
  TileTensorUse use;
  int64_t align_bytes;
  bool needs_rows; // the last extent is to be such a multiple, too
} Wish;

//===-- Tiles of products -------------------------------------------------===//

static MlirWalkResult find_factors(MlirOperation op, void *user_data) {
  TileVariantPlan *plan = user_data;
  TileProduct product;
  if (!tile_product_of(op, &product))
    return MlirWalkResultAdvance;
  MlirValue read[] = {product.a, product.b, product.e};
  for (int i = 0; i < 3; i++) {
    if (mlirValueIsNull(read[i]))
      continue;
    TILE_ARENA_RESERVE(plan->arena, plan->factors, plan->num_factors,
                       plan->factor_capacity);
    plan->factors[plan->num_factors++] = tile_buffer_of(read[i]).root;
  }
  return MlirWalkResultAdvance;
}

// Without products every load counts as much.
static TileTensorUse load_use(const TileVariantPlan *plan, MlirValue tile) {
  MlirValue root = tile_buffer_of(tile).root;
  bool is_factor = plan->num_factors == 0;
  for (int i = 0; i < plan->num_factors; i++)
    is_factor |= mlirValueEqual(plan->factors[i], root);
  return is_factor ? TILE_USE_FACTOR : TILE_USE_LOAD;
}

//===-- Copies that have to be fast ---------------------------------------===//

typedef struct {
  const TileVariantPlan *plan;
  bool found;
} Search;

static bool is_async_as_it_is(const TileVariantPlan *plan, TileCopyOp copy) {
  TileReason reason;
  return tile_copy_instr_is_legal(copy, TILE_INSTR_Tma, &plan->context,
                                  &reason) ||
         tile_copy_instr_is_legal(copy, TILE_INSTR_CpAsync, &plan->context,
                                  &reason);
}

// Copies that a producer can make as things stand.
static MlirWalkResult find_candidate(MlirOperation op, void *user_data) {
  Search *search = user_data;
  TileShape dst;
  search->found |= tile_copy_is(op) &&
                   tile_shape_of(tile_copy_dst(tile_copy_cast(op)), &dst) &&
                   dst.space == TILE_SPACE_SHARED &&
                   is_async_as_it_is(search->plan, tile_copy_cast(op));
  return search->found ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

// A loop around the copy must have roles and holds no copy for a producer.
static bool roles_demand(const TileVariantPlan *plan, TileCopyOp copy) {
  MlirOperation kernel = plan->launch.op;
  TileShape dst;
  if (!tile_shape_of(tile_copy_dst(copy), &dst) ||
      dst.space != TILE_SPACE_SHARED)
    return false;
  for (MlirOperation op = mlirOperationGetParentOperation(copy.op);
       !mlirOperationEqual(op, kernel);
       op = mlirOperationGetParentOperation(op)) {
    Search search = {plan, false};
    if (!tile_loop_requires_roles(kernel, op))
      continue;
    mlirOperationWalk(op, find_candidate, &search, MlirWalkPreOrder);
    return !search.found;
  }
  return false;
}

// Whether no kernel may do without facts about what the copy reads.
static bool is_demanded(const TileVariantPlan *plan, TileCopyOp copy) {
  TileReason reason;
  return mlirAttributeIsNull(tile_copy_instr_attr(copy))
             ? roles_demand(plan, copy)
             : !tile_copy_instr_is_legal(copy, tile_copy_instr(copy),
                                         &plan->context, &reason);
}

//===-- Wishes of ops -----------------------------------------------------===//

// The window of a tensor that a copy reads or writes.
static MlirValue window_of(TileCopyOp copy) {
  TileShape dst;
  bool is_store = tile_shape_of(tile_copy_dst(copy), &dst) &&
                  dst.space == TILE_SPACE_GLOBAL;
  return is_store ? tile_copy_dst(copy) : tile_copy_src(copy);
}

// The tensor that a host check is about: what is known of it may be known of
// its parts.
static MlirValue region_source(MlirValue tile) {
  TileBuffer buffer = tile_buffer_of(tile);
  bool is_window = buffer.region.ptr || tile_im2col_of(tile).op.ptr;
  if (is_window && buffer.region.ptr &&
      tile_view_align_bytes(buffer.root, MAP_ALIGN_BYTES) % MAP_ALIGN_BYTES ==
          0)
    return tile_tensor_behind(buffer.root);
  return is_window ? buffer.root : TILE_NULL_VALUE;
}

static bool may_use(TileCopyOp copy, TileInstr instr) {
  return mlirAttributeIsNull(tile_copy_instr_attr(copy)) ||
         tile_copy_instr(copy) == instr;
}

// Bytes of rows that make the copy asynchronous, or its accesses wider; 0:
// none does.
static int64_t async_wish(const TileVariantPlan *plan, TileCopyOp copy,
                          int64_t limit) {
  const TileInstrContext *context = &plan->context;
  TileInstrContext checked = tile_instr_context_checked(context, limit);
  TileReason reason;
  if (tile_im2col_of(tile_copy_src(copy)).op.ptr)
    return !tile_copy_instr_is_legal(copy, TILE_INSTR_CpAsync, context,
                                     &reason) &&
                   tile_copy_instr_is_legal(copy, TILE_INSTR_CpAsync, &checked,
                                            &reason)
               ? MAP_ALIGN_BYTES
               : 0;
  int64_t best = tile_copy_async_bytes(copy, context, limit);
  if (plan->is_given && may_use(copy, TILE_INSTR_CpAsync) &&
      !mlirAttributeIsNull(tile_copy_instr_attr(copy)))
    return best ? MIN_ASYNC_BYTES : 0; // all that it needs
  return best > tile_copy_async_bytes(copy, context, 0) ? best : 0;
}

// The best instruction that alignment gives the copy, when it cannot use it, or
// not as wide, as things stand.
static bool copy_wish(const TileVariantPlan *plan, TileCopyOp copy, Wish *out) {
  TileReason reason;
  TileShape dst;
  out->window = window_of(copy);
  out->tensor = region_source(out->window);
  if (!out->tensor.ptr || plan->is_given != is_demanded(plan, copy) ||
      !tile_shape_of(tile_copy_dst(copy), &dst))
    return false;
  int64_t limit = tile_tensor_align_limit(out->tensor);
  out->use = dst.space == TILE_SPACE_GLOBAL
                 ? TILE_USE_RESULT
                 : load_use(plan, tile_copy_dst(copy));
  out->instr = TILE_INSTR_Tma;
  out->align_bytes = MAP_ALIGN_BYTES;
  if (may_use(copy, TILE_INSTR_Tma)) {
    if (tile_copy_instr_is_legal(copy, TILE_INSTR_Tma, &plan->context, &reason))
      return false;
    TileInstrContext checked =
        tile_instr_context_checked(&plan->context, MAP_ALIGN_BYTES);
    if (limit >= MAP_ALIGN_BYTES &&
        tile_copy_instr_is_legal(copy, TILE_INSTR_Tma, &checked, &reason))
      return true;
  }
  out->instr = TILE_INSTR_CpAsync;
  out->align_bytes =
      may_use(copy, TILE_INSTR_CpAsync) ? async_wish(plan, copy, limit) : 0;
  return out->align_bytes > 0;
}

// A gather of single elements that would move vectors if pixels were aligned
// and channels came in whole groups. On its way to a fragment it passes a
// shared tile later, which may be filled as any other.
static bool gather_wish(const TileVariantPlan *plan, TileCopyOp copy,
                        Wish *out) {
  TileShape dst;
  MlirValue src = tile_copy_src(copy);
  TileIm2colOp im2col = tile_im2col_of(src);
  if (plan->is_given || !mlirAttributeIsNull(tile_copy_instr_attr(copy)) ||
      !im2col.op.ptr || !tile_shape_of(tile_copy_dst(copy), &dst) ||
      dst.space == TILE_SPACE_PRIVATE)
    return false;
  bool is_staged = dst.space == TILE_SPACE_FRAGMENT;
  *out = (Wish){.tensor = region_source(src),
                .window = src,
                .instr = is_staged ? TILE_INSTR_Tma : TILE_INSTR_Simt,
                .use = is_staged ? TILE_USE_LOAD : TILE_USE_ELEMENT,
                .align_bytes = MAP_ALIGN_BYTES};
  return out->tensor.ptr &&
         tile_tensor_align_limit(out->tensor) >= MAP_ALIGN_BYTES &&
         tile_im2col_group(im2col, tile_row_align_bytes(src),
                           tile_im2col_known_run(im2col, false), is_staged,
                           NULL) == 1 &&
         tile_im2col_group(im2col, MAP_ALIGN_BYTES,
                           tile_im2col_known_run(im2col, true), is_staged,
                           NULL) > 1;
}

// The same of an update from shared memory.
static bool update_wish(const TileVariantPlan *plan, TileAtomicOp atomic,
                        Wish *out) {
  TileReason reason;
  bool is_given = !mlirAttributeIsNull(tile_atomic_instr_attr(atomic));
  *out = (Wish){.tensor = region_source(tile_atomic_dst(atomic)),
                .window = tile_atomic_dst(atomic),
                .instr = TILE_INSTR_Tma,
                .use = TILE_USE_RESULT,
                .align_bytes = MAP_ALIGN_BYTES};
  return out->tensor.ptr && plan->is_given == is_given &&
         (!is_given || tile_atomic_instr(atomic) == TILE_INSTR_Tma) &&
         tile_tensor_align_limit(out->tensor) >= MAP_ALIGN_BYTES &&
         !tile_atomic_tma_is_legal(atomic, &plan->context, false, &reason) &&
         tile_atomic_tma_is_legal(atomic, &plan->context, true, &reason);
}

// What element loops read to fill a shared tile counts as a copy of it.
typedef struct {
  const TileVariantPlan *plan;
  TileTensorUse use;
} LoopUse;

static bool find_filled(const TileElementAccess *access, void *user_data) {
  LoopUse *found = user_data;
  TileShape shape;
  if (access->is_store && tile_shape_of(access->memref, &shape) &&
      shape.space == TILE_SPACE_SHARED) {
    TileTensorUse use = load_use(found->plan, access->memref);
    found->use = use < found->use ? use : found->use;
  }
  return true;
}

static TileTensorUse element_use(const TileVariantPlan *plan,
                                 const TileElementAccess *access) {
  LoopUse found = {plan, TILE_USE_ELEMENT};
  if (!access->is_store)
    tile_parallel_visit(tile_parallel_around(access->op), find_filled, &found);
  return found.use;
}

// An access in an element loop that would move vectors. No user asked for that:
// only variants may.
static bool element_wish(const TileVariantPlan *plan, MlirOperation op,
                         Wish *out) {
  TileElementAccess access;
  int64_t bytes = plan->is_given ? 0 : tile_element_wanted_bytes(op);
  if (!bytes || !tile_element_access_get(op, &access))
    return false;
  *out = (Wish){.tensor = access.memref,
                .instr = TILE_INSTR_Simt,
                .use = element_use(plan, &access),
                .align_bytes = bytes};
  return true;
}

// A copy between a fragment and a tensor that would move vectors without a
// second form for other rows: what that form holds until both meet costs
// registers, and with them blocks of a multiprocessor. Beside a product the
// accumulators decide about these.
static bool fragment_wish(const TileVariantPlan *plan, TileCopyOp copy,
                          Wish *out) {
  TileShape src, dst;
  MlirValue window = window_of(copy);
  if (plan->is_given || plan->num_factors > 0 ||
      !tile_shape_of(tile_copy_src(copy), &src) ||
      !tile_shape_of(tile_copy_dst(copy), &dst) ||
      (src.space == TILE_SPACE_FRAGMENT ? dst.space != TILE_SPACE_GLOBAL
                                        : dst.space != TILE_SPACE_FRAGMENT ||
                                              src.space != TILE_SPACE_GLOBAL))
    return false;
  *out = (Wish){.tensor = region_source(window),
                .instr = TILE_INSTR_Simt,
                .use = TILE_USE_ELEMENT,
                .align_bytes = tile_window_wanted_bytes(window),
                .needs_rows = true};
  return out->align_bytes > 0;
}

static bool wish_of(const TileVariantPlan *plan, MlirOperation op, Wish *out) {
  *out = (Wish){.instr = TILE_INSTR_Simt};
  if (tile_copy_is(op))
    return copy_wish(plan, tile_copy_cast(op), out) ||
           gather_wish(plan, tile_copy_cast(op), out) ||
           fragment_wish(plan, tile_copy_cast(op), out);
  if (tile_atomic_is(op))
    return update_wish(plan, tile_atomic_cast(op), out);
  return element_wish(plan, op, out);
}

//===-- Wishes of tensors -------------------------------------------------===//

// The box of an im2col map is not empty when a filter fits into the padded
// image.
static void need_map(TileTensorWish *tensor, TileIm2colOp im2col) {
  int64_t rank = mlirShapedTypeGetRank(mlirValueGetType(tensor->value));
  int64_t least[TILE_MAX_RANK] = {1, 1, 1, 1, 1};
  if (im2col.op.ptr) {
    TileIm2colWindow window = tile_im2col_window(im2col);
    for (int d = 0; d < window.num_dims; d++)
      least[1 + d] = window.reach[d] + 1 - window.lower[d] - window.upper[d];
  }
  for (int64_t d = 0; d < rank; d++)
    if (tensor->least[d] < least[d] || tensor->least[d] == 0)
      tensor->least[d] = least[d] > 1 ? least[d] : 1;
}

static void need_channels(TileTensorWish *tensor, TileIm2colOp im2col) {
  if (!im2col.op.ptr || !tile_im2col_run_is_open(im2col))
    return;
  int64_t run = tile_im2col_known_run(im2col, true);
  tensor->channels = tensor->channels / tile_gcd(tensor->channels, run) * run;
}

static bool has_open_pitch(MlirValue tensor) {
  MlirType type = mlirValueGetType(tensor);
  int64_t strides[TILE_MAX_RANK], offset;
  int64_t rank = mlirShapedTypeGetRank(type);
  mlirMemRefTypeGetStridesAndOffset(type, strides, &offset);
  for (int64_t d = 0; d + 1 < rank; d++)
    if (mlirShapedTypeIsDynamicStrideOrOffset(strides[d]))
      return true;
  return false;
}

// The entry of a tensor; NULL where no host check helps.
static TileTensorWish *add_wish(TileVariantPlan *plan, const Wish *wish) {
  if (tile_value_is_inside(wish->tensor, plan->launch.op) ||
      !tile_tensor_align_limit(wish->tensor))
    return NULL;
  TileTensorWish *entry = plan->tensors;
  while (entry && !mlirValueEqual(entry->value, wish->tensor))
    entry = entry->next;
  if (!entry) {
    entry = TILE_ARENA_NEW(plan->arena, TileTensorWish, 1);
    *entry = (TileTensorWish){.value = wish->tensor,
                              .use = wish->use,
                              .channels = 1,
                              .has_open_pitch = has_open_pitch(wish->tensor)};
    *plan->tail = entry;
    plan->tail = &entry->next;
  }
  if (wish->use < entry->use)
    entry->use = wish->use;
  if (wish->align_bytes > entry->align_bytes)
    entry->align_bytes = wish->align_bytes;
  entry->needs_rows |= wish->needs_rows;
  if (wish->instr == TILE_INSTR_Tma)
    need_map(entry, wish->window.ptr ? tile_im2col_of(wish->window)
                                     : (TileIm2colOp){TILE_NULL_OP});
  if (wish->window.ptr)
    need_channels(entry, tile_im2col_of(wish->window));
  return entry;
}

static MlirWalkResult visit_op(MlirOperation op, void *user_data) {
  TileVariantPlan *plan = user_data;
  Wish wish;
  TileTensorWish *entry =
      wish_of(plan, op, &wish) ? add_wish(plan, &wish) : NULL;
  if (!entry || wish.use > TILE_USE_LOAD)
    return MlirWalkResultAdvance;
  entry->is_staged |= tile_num_stages_around(op) > 0;
  TileCopyOp copy = tile_copy_dyn(op);
  if (copy.op.ptr && !tile_copy_async_bytes(copy, &plan->context, 0) &&
      tile_copy_async_bytes(copy, &plan->context, MIN_ASYNC_BYTES))
    entry->async_bytes = MIN_ASYNC_BYTES;
  return MlirWalkResultAdvance;
}

static void add_staged_stores(TileVariantPlan *plan) {
  TileStagedStore *store = tile_store_staging_build(
      plan->arena, plan->launch.op, &plan->context, true);
  for (; store; store = store->next) {
    TileReason reason;
    MlirValue window = tile_copy_dst(store->copy);
    Wish wish = {.tensor = region_source(window),
                 .window = window,
                 .instr = TILE_INSTR_Tma,
                 .use = TILE_USE_RESULT,
                 .align_bytes = MAP_ALIGN_BYTES};
    if (store->fits && wish.tensor.ptr &&
        tile_tensor_align_limit(wish.tensor) >= MAP_ALIGN_BYTES &&
        !tile_staged_store_is_legal(store->copy, &plan->context, false,
                                    &reason))
      add_wish(plan, &wish);
  }
}

void tile_variant_plan_build(TileVariantPlan *plan) {
  plan->tensors = NULL;
  plan->tail = &plan->tensors;
  plan->num_factors = 0;
  mlirOperationWalk(plan->launch.op, find_factors, plan, MlirWalkPreOrder);
  mlirOperationWalk(plan->launch.op, visit_op, plan, MlirWalkPreOrder);
  if (!plan->is_given)
    add_staged_stores(plan);
}

//===-- Combinations ------------------------------------------------------===//

// Adds a kernel if `pending` of the tensors differs from that of the kernel
// before, and from counting on nothing.
static void add_variant(TileVariantPlan *plan, const int64_t *pending) {
  int i = 0, n = plan->num_variants;
  bool is_new = n == 0, is_empty = true;
  for (TileTensorWish *t = plan->tensors; t; t = t->next, i++) {
    is_empty &= pending[i] == 0;
    is_new |= n > 0 && t->variant_bytes[n - 1] != pending[i];
  }
  if (is_empty || !is_new || n == TILE_MAX_VARIANTS - 1)
    return;
  i = 0;
  for (TileTensorWish *t = plan->tensors; t; t = t->next, i++)
    t->variant_bytes[n] = pending[i];
  plan->num_variants++;
}

// Tensors that are used as `worst`, or for something more important.
static void add_down_to(TileVariantPlan *plan, TileTensorUse worst,
                        int64_t *pending) {
  int i = 0;
  for (TileTensorWish *t = plan->tensors; t; t = t->next, i++)
    pending[i] = t->use <= worst ? t->align_bytes : 0;
  add_variant(plan, pending);
}

// Addresses alone come from allocators, which align them; those of factors are
// no reason for another kernel.
static bool can_be_missed(const TileTensorWish *t) {
  return t->use == TILE_USE_LOAD ||
         (t->use == TILE_USE_FACTOR && t->has_open_pitch);
}

// All that are loaded but one.
static void add_without(TileVariantPlan *plan, const TileTensorWish *missed,
                        int64_t *pending) {
  int i = 0;
  for (TileTensorWish *t = plan->tensors; t; t = t->next, i++)
    pending[i] = t->use <= TILE_USE_LOAD && t != missed ? t->align_bytes : 0;
  add_variant(plan, pending);
}

// Kernels in which each of the tensors that are loaded is missed, the least
// important ones first.
static void add_losses(TileVariantPlan *plan, int64_t *pending) {
  enum { MAX_MISSED = 4 };
  int num[2] = {0, 0};
  for (TileTensorWish *t = plan->tensors; t; t = t->next)
    if (can_be_missed(t))
      num[t->use == TILE_USE_FACTOR]++;
  for (int factors = 0; factors < 2; factors++) {
    // Too many would make too many kernels: they are missed together.
    bool is_many =
        num[0] + num[1] > MAX_MISSED && (!factors || num[1] > MAX_MISSED - 1);
    for (TileTensorWish *t = is_many ? NULL : plan->tensors; t; t = t->next)
      if (can_be_missed(t) && (t->use == TILE_USE_FACTOR) == factors)
        add_without(plan, t, pending);
    if (!factors && (num[0] > 1 || is_many))
      add_down_to(plan, TILE_USE_FACTOR, pending);
  }
}

// cp.async of 4 bytes is what is left to elements of 1 and 2 bytes.
static void add_narrow(TileVariantPlan *plan, int64_t *pending) {
  int i = 0;
  bool is_narrow = false;
  for (TileTensorWish *t = plan->tensors; t; t = t->next, i++) {
    pending[i] = t->has_open_pitch ? t->async_bytes : t->align_bytes;
    pending[i] = t->use <= TILE_USE_LOAD ? pending[i] : 0;
    is_narrow |= pending[i] < t->align_bytes && pending[i] > 0;
  }
  if (is_narrow)
    add_variant(plan, pending);
}

static bool has_pipeline(const TileVariantPlan *plan) {
  bool found = false;
  for (const TileTensorWish *t = plan->tensors; t; t = t->next)
    found |= t->is_staged;
  return found;
}

void tile_variant_plan_combine(TileVariantPlan *plan) {
  int count = 0;
  for (TileTensorWish *t = plan->tensors; t; t = t->next)
    count++;
  int64_t *pending = TILE_ARENA_NEW(plan->arena, int64_t, count + 1);
  plan->num_variants = 0;
  add_down_to(plan, TILE_USE_ELEMENT, pending);
  add_down_to(plan, TILE_USE_RESULT, pending);
  add_down_to(plan, TILE_USE_LOAD, pending);
  if (has_pipeline(plan)) {
    add_losses(plan, pending);
    add_narrow(plan, pending);
  }
  for (TileTensorWish *t = plan->tensors; t; t = t->next)
    t->variant_bytes[plan->num_variants] = 0;
  plan->num_variants++;
}
