//===- FragmentConversions.c - Copies between fragments -------------------===//
//
// The route of a conversion (LayoutAccess.h) says for every register of the
// destination in which lane and register of the source its element lies. Pieces
// of at most 32 bits that stay together move as one. Where threads want
// different registers of a source lane, that lane sends all of them, as many as
// fit packed in one word, and the receiver takes out its own:
//
//   dst register r:  word = shfl(pack(src register q0, q1, …), lane(r, thread))
//                    r    = word >> width * (which q the thread wants)
//
//===----------------------------------------------------------------------===//

#include "Fragments.h"

#include "Layout/LayoutAccess.h"
#include "Support/Constants.h"
#include "Tile/Ops/llvm.h"
#include "Tile/Ops/nvvm.h"

enum { WARP_THREADS = 32, MAX_ELEMS_OF_WORD = 4 };

//===-- Plan --------------------------------------------------------------===//

typedef struct {
  const View *src, *dst;
  TileLayoutConversion conversion;
  bool is_same;        // both layouts are the same: no route is needed
  bool in_thread;      // no element changes its lane
  TileLayoutCode code; // of the route; registers are constants
  MlirType moved;      // the narrower of both element types
  int64_t piece_bits;
  int64_t num_regs;  // of the destination
  MlirValue *values; // of source registers, as `moved`; made on demand
} Plan;

static bool plan_build(Lowering *l, MlirOperation op, Plan *plan) {
  TileLayout from, to;
  TileReason error;
  TileInt lane = tile_int_value(lane_id(l));
  TileInt in[3] = {tile_int_constant(0), lane, tile_int_value(warp_id(l))};
  MlirType have = plan->src->memory->element, want = plan->dst->memory->element;
  plan->moved = tile_elem_bits(want) < tile_elem_bits(have) ? want : have;
  int bits = tile_elem_bits(plan->moved);
  TileLayoutReach reach = TILE_LAYOUT_REACH_NEVER;
  if (is_whole_tile(plan->src) && is_whole_tile(plan->dst) &&
      tile_layout_of_tile(plan->src->memory->key, &from, &error) &&
      tile_layout_of_tile(plan->dst->memory->key, &to, &error)) {
    plan->num_regs = tile_layout_axis_size(&to.in, TILE_LAYOUT_REG);
    plan->values = TILE_ARENA_NEW(
        l->arena, MlirValue, tile_layout_axis_size(&from.in, TILE_LAYOUT_REG));
    plan->is_same = tile_layout_equal(&from, &to);
    if (plan->is_same)
      return true;
    reach = tile_layout_plan_route(&from, &to, bits, &plan->conversion, &error);
  }
  plan->in_thread = reach == TILE_LAYOUT_REACH_THREAD;
  plan->piece_bits = (int64_t)plan->conversion.piece_elems * bits;
  if ((plan->in_thread || reach == TILE_LAYOUT_REACH_WARP) &&
      tile_layout_code_begin(&l->i32, &plan->conversion.route,
                             1u << TILE_LAYOUT_REG, in, &plan->code, &error))
    return true;
  lower_fail(l, op,
             "copies between windows or layouts of fragments; run "
             "tile-layout-inference first");
  return false;
}

//===-- Registers ---------------------------------------------------------===//

static MlirValue register_read(Lowering *l, Plan *plan, int64_t r) {
  MlirType element = plan->src->memory->element;
  if (!plan->values[r].ptr)
    plan->values[r] = convert_element(
        l,
        llvm_load(&l->b, .type = type_stored(l, element),
                  .addr = register_pointer(l, plan->src->memory, r)),
        element, plan->moved);
  return plan->values[r];
}

static void register_write(Lowering *l, const Plan *plan, int64_t r,
                           MlirValue value) {
  MlirValue converted =
      convert_element(l, value, plan->moved, plan->dst->memory->element);
  llvm_store(&l->b, .value = converted,
             .addr = register_pointer(l, plan->dst->memory, r));
}

// The piece that starts at source register `r`, as an integer of its width.
static MlirValue piece_read(Lowering *l, Plan *plan, int64_t r) {
  MlirValue elems[MAX_ELEMS_OF_WORD];
  int count = plan->conversion.piece_elems;
  for (int i = 0; i < count; i++)
    elems[i] = register_read(l, plan, r + i);
  return bits_join(l, elems, plan->moved, count);
}

static void piece_write(Lowering *l, const Plan *plan, int64_t r,
                        MlirValue piece) {
  MlirValue elems[MAX_ELEMS_OF_WORD];
  int count = plan->conversion.piece_elems;
  bits_split(l, piece, plan->moved, count, elems);
  for (int i = 0; i < count; i++)
    register_write(l, plan, r + i, elems[i]);
}

//===-- Alternatives ------------------------------------------------------===//

// The source registers from which threads take one piece.
typedef struct {
  int count;
  int64_t *registers; // ascending in order of discovery
  MlirValue index;    // i32: which of them this thread wants; null: count is 1
} Wanted;

static void wanted_add(Wanted *wanted, int64_t r) {
  for (int i = 0; i < wanted->count; i++)
    if (wanted->registers[i] == r)
      return;
  wanted->registers[wanted->count++] = r;
}

static Wanted wanted_of(Lowering *l, const Plan *plan, int64_t r) {
  const TileLayout *route = &plan->conversion.route;
  int64_t warps = route->in.extent[TILE_LAYOUT_WARP];
  int64_t at[3] = {r, 0, 0};
  Wanted wanted = {0, NULL, {NULL}};
  wanted.registers = TILE_ARENA_NEW(l->arena, int64_t, WARP_THREADS *warps);
  for (at[TILE_LAYOUT_WARP] = 0; at[TILE_LAYOUT_WARP] < warps;
       at[TILE_LAYOUT_WARP]++)
    for (at[TILE_LAYOUT_LANE] = 0; at[TILE_LAYOUT_LANE] < WARP_THREADS;
         at[TILE_LAYOUT_LANE]++) {
      int64_t from[3];
      tile_layout_eval(route, at, from);
      wanted_add(&wanted, from[TILE_LAYOUT_REG]);
    }
  if (wanted.count == 1)
    return wanted;
  MlirValue mine = tile_int_get(
      &l->i32, tile_layout_code_at(&l->i32, &plan->code, TILE_LAYOUT_REG, at));
  wanted.index = tile_const_int(&l->b, 0, 32);
  for (int i = 1; i < wanted.count; i++) {
    MlirValue is_this =
        arith_cmpi(&l->b, .predicate = ARITH_CMP_I_PREDICATE_eq, .lhs = mine,
                   .rhs = tile_const_int(&l->b, wanted.registers[i], 32));
    wanted.index = arith_select(&l->b, is_this, tile_const_int(&l->b, i, 32),
                                wanted.index);
  }
  return wanted;
}

// items[index / group], where `index` counts single alternatives.
static MlirValue pick(Lowering *l, const MlirValue *items, int count,
                      int64_t group, MlirValue index) {
  MlirValue picked = items[0];
  for (int i = 1; i < count; i++) {
    MlirValue is_here =
        arith_cmpi(&l->b, .predicate = ARITH_CMP_I_PREDICATE_uge, .lhs = index,
                   .rhs = tile_const_int(&l->b, i * group, 32));
    picked = arith_select(&l->b, is_here, items[i], picked);
  }
  return picked;
}

//===-- Inside a thread ---------------------------------------------------===//

static MlirValue select_piece(Lowering *l, Plan *plan, const Wanted *wanted) {
  MlirValue *pieces = TILE_ARENA_NEW(l->arena, MlirValue, wanted->count);
  for (int i = 0; i < wanted->count; i++)
    pieces[i] = piece_read(l, plan, wanted->registers[i]);
  return pick(l, pieces, wanted->count, 1, wanted->index);
}

//===-- Inside a warp -----------------------------------------------------===//

static MlirValue shuffle_word(Lowering *l, MlirValue word, MlirValue lane) {
  MlirValue everyone = tile_const_int(&l->b, -1, 32);
  return nvvm_shfl_sync(&l->b, .type = type_i32(l), .thread_mask = everyone,
                        .val = word, .offset = lane,
                        .mask_and_clamp =
                            tile_const_int(&l->b, WARP_THREADS - 1, 32),
                        .kind = NVVM_SHFL_KIND_idx);
}

static MlirValue shuffle_wide(Lowering *l, MlirValue piece, MlirValue lane) {
  MlirValue words[2];
  bits_split(l, piece, type_i32(l), 2, words);
  for (int i = 0; i < 2; i++)
    words[i] = shuffle_word(l, words[i], lane);
  return bits_join(l, words, type_i32(l), 2);
}

// Alternatives first … first + count - 1, the first in the low bits.
static MlirValue pack_word(Lowering *l, Plan *plan, const Wanted *wanted,
                           int first, int count) {
  MlirType word_type = type_i32(l);
  MlirValue word = {NULL};
  for (int i = 0; i < count; i++) {
    MlirValue piece = piece_read(l, plan, wanted->registers[first + i]);
    if (plan->piece_bits < WORD_BITS)
      piece = arith_extui(&l->b, .type = word_type, .in = piece);
    if (i > 0)
      piece = arith_shli(&l->b, piece,
                         tile_const_int(&l->b, i * plan->piece_bits, 32));
    word = i == 0 ? piece : arith_ori(&l->b, word, piece);
  }
  return word;
}

static MlirValue shuffle_piece(Lowering *l, Plan *plan, const Wanted *wanted,
                               MlirValue lane) {
  MlirValue *words = TILE_ARENA_NEW(l->arena, MlirValue, wanted->count);
  if (plan->piece_bits > WORD_BITS) {
    for (int i = 0; i < wanted->count; i++)
      words[i] =
          shuffle_wide(l, piece_read(l, plan, wanted->registers[i]), lane);
    return pick(l, words, wanted->count, 1, wanted->index);
  }
  int per_word = (int)(WORD_BITS / plan->piece_bits), num_words = 0;
  for (int i = 0; i < wanted->count; i += per_word) {
    int rest = wanted->count - i;
    words[num_words++] = shuffle_word(
        l, pack_word(l, plan, wanted, i, rest < per_word ? rest : per_word),
        lane);
  }
  MlirValue word = pick(l, words, num_words, per_word, wanted->index);
  if (per_word == 1)
    return word;
  if (wanted->count > 1) {
    TileInt shift = tile_int_mul(
        &l->i32, tile_int_rem(&l->i32, tile_int_value(wanted->index), per_word),
        plan->piece_bits);
    word = arith_shrui(&l->b, word, tile_int_get(&l->i32, shift));
  }
  return arith_trunci(&l->b, .type = type_int(l, plan->piece_bits), .in = word);
}

//===-- Entry -------------------------------------------------------------===//

void convert_fragment(Lowering *l, MlirOperation op, const View *src,
                      const View *dst) {
  Plan plan = {.src = src, .dst = dst};
  if (!plan_build(l, op, &plan))
    return;
  for (int64_t r = 0; plan.is_same && r < plan.num_regs; r++)
    register_write(l, &plan, r, register_read(l, &plan, r));
  for (int64_t r = 0; !plan.is_same && r < plan.num_regs;
       r += plan.conversion.piece_elems) {
    int64_t at[3] = {r, 0, 0};
    Wanted wanted = wanted_of(l, &plan, r);
    if (plan.in_thread) {
      piece_write(l, &plan, r, select_piece(l, &plan, &wanted));
      continue;
    }
    MlirValue lane =
        tile_int_get(&l->i32, tile_layout_code_at(&l->i32, &plan.code,
                                                  TILE_LAYOUT_LANE, at));
    piece_write(l, &plan, r, shuffle_piece(l, &plan, &wanted, lane));
  }
}
