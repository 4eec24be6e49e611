//===- Undefined.c - Registers that hold what nobody wrote ----------------===//
//
// Right kernels load shared memory that nobody wrote: merges look one element
// too far, pipelines fetch a stage that is never multiplied. So `ld` and
// `ldmatrix` only mark their registers, the marks follow the values, and what
// is reported is their first use: as address, as guard, or when they are stored
// to global memory. A value that is selected away was not used. In products a
// mark of A makes its row of D undefined, one of B its column: tiles are larger
// than matrices, and what lies beyond is not stored. Marks go through shared
// memory too.
//
// Registers are looked at only while a warp has any mark.
//
//===----------------------------------------------------------------------===//

#include "Undefined.h"
#include "MmaShapes.h"

#include <stdlib.h>

typedef struct {
  TileLanes lanes; // that are undefined
  const TileInsn *insn;
  const TileCta *cta;
  uint32_t offset; // of the bytes in shared memory
} Mark;

struct TileUndefined {
  Mark *marks; // by register id
};

//===-- What an instruction does with its sources -------------------------===//

typedef enum {
  PASSES_ON, // lane by lane: arithmetic
  MIXES,     // between lanes
  SHUFFLES,  // see tile_emu_undefined_shuffle
  SELECTS,
  MULTIPLIES,
  STORES, // to shared memory
  ANDS,   // predicates: a false one decides
  ORS,    // a true one does
  USES
} Role;

typedef struct {
  const char *prefix;
  Role role;
} RoleEntry;

static const RoleEntry roles[] = {
    {"selp.", SELECTS},
    {"and.pred", ANDS},
    {"or.pred", ORS},
    {"shfl.", SHUFFLES},
    {"vote.", MIXES},
    {"movmatrix.", MIXES},
    {"st.shared.", STORES},
    {"stmatrix.", STORES},
    {"mma.sp", USES},
    {"mma.", MULTIPLIES},
    {"st", USES},
    {"ld", USES},
    {"red", USES},
    {"atom", USES},

    {"wmma.", USES},
    {"wgmma.", USES},
    {"bar", USES},
    {"mbarrier.", USES},
    {"cp.", USES},
    {"tensormap.", USES},
    {"match.", USES},
    {"call", USES},
    {"prefetch", USES},
    {"discard", USES},
    {"applypriority", USES},
    {"fence", USES},
    {"multimem", USES},
    {"clusterlaunchcontrol", USES},
};

static Role role_of(const TileInsn *insn) {
  for (size_t i = 0; i < sizeof roles / sizeof roles[0]; i++)
    if (strncmp(insn->opcode, roles[i].prefix, strlen(roles[i].prefix)) == 0)
      return roles[i].role;
  return PASSES_ON;
}

//===-- Marks -------------------------------------------------------------===//

static void mark_set(TileWarp *warp, uint32_t id, const Mark *mark,
                     TileLanes lanes) {
  Mark *own = &warp->undefined->marks[id];
  if (!own->lanes && lanes) {
    *own = *mark;
    own->lanes = 0;
    warp->num_undefined++;
  }
  own->lanes |= lanes;
}

static void mark_clear(TileWarp *warp, uint32_t id, TileLanes lanes) {
  Mark *own = &warp->undefined->marks[id];
  if (own->lanes && !(own->lanes &= ~lanes))
    warp->num_undefined--;
}

static uint32_t id_of_slot(const TileInsn *insn, uint32_t slot) {
  for (uint32_t i = 0; i < insn->num_regs; i++)
    if (insn->reg_slots[i] == slot)
      return insn->reg_ids[i];
  return TILE_NO_REGISTER;
}

static TileLanes lanes_of_slot(const TileWarp *warp, const TileInsn *insn,
                               uint32_t slot) {
  uint32_t id = id_of_slot(insn, slot);
  return id == TILE_NO_REGISTER ? 0 : warp->undefined->marks[id].lanes;
}

void tile_emu_undefined_mark(TileWarp *warp, const TileInsn *insn,
                             uint32_t slot, TileLanes lanes, const TileCta *cta,
                             uint32_t offset) {
  uint32_t id = id_of_slot(insn, slot);
  if (id == TILE_NO_REGISTER)
    return;
  if (!warp->undefined) {
    warp->undefined = tile_emu_calloc(1, sizeof *warp->undefined);
    warp->undefined->marks = tile_emu_calloc(warp->kernel->num_registers + 1,
                                             sizeof *warp->undefined->marks);
  }
  mark_set(warp, id, &(Mark){0, insn, cta, offset}, lanes);
}

static void report(TileWarp *warp, uint32_t id, TileLanes lanes,
                   const TileInsn *use, TileFindingKind kind) {
  const Mark mark = warp->undefined->marks[id];
  char name[200];
  tile_emu_shared_name(mark.cta, mark.offset, name);
  tile_emu_find_memory(warp, "shared", mark.offset, name);
  tile_emu_find(warp, mark.insn, lanes, kind,
                "read of %s (shared 0x%x), which nobody has written; the value "
                "is used at ptx:%u `%s`",
                name, mark.offset, use->line, use->opcode);
  mark_clear(warp, id, lanes);
}

//===-- Steps -------------------------------------------------------------===//

/// Sources with a mark in `lanes`: their lanes together, and one of them.
static TileLanes sources(const TileWarp *warp, const TileInsn *insn,
                         TileLanes lanes, Mark *out_mark) {
  TileLanes all = 0;
  for (uint32_t i = insn->num_dst_regs; i < insn->num_regs; i++) {
    const Mark *mark = &warp->undefined->marks[insn->reg_ids[i]];
    if (mark->lanes & lanes)
      *out_mark = *mark;
    all |= mark->lanes & lanes;
  }
  return all;
}

static void use_all(TileWarp *warp, const TileInsn *insn, TileLanes lanes) {
  for (uint32_t i = insn->num_dst_regs; i < insn->num_regs; i++) {
    uint32_t id = insn->reg_ids[i];
    TileLanes used = warp->undefined->marks[id].lanes & lanes;
    if (used)
      report(warp, id, used, insn, TILE_FINDING_UNINITIALISED);
  }
}

/// Lanes where predicate `slot` has a value and is `value`.
static TileLanes lanes_with(TileWarp *warp, const TileInsn *insn, uint32_t slot,
                            bool value) {
  TileLanes known = ~lanes_of_slot(warp, insn, slot);
  TileLanes pred = *tile_pred(warp, slot);
  return known & (value ? pred : ~pred);
}

/// Lanes of the result that are defined whatever the undefined sources hold.
static TileLanes decided(TileWarp *warp, const TileInsn *insn, Role role) {
  if (role == ANDS || role == ORS)
    return lanes_with(warp, insn, insn->a, role == ORS) |
           lanes_with(warp, insn, insn->b, role == ORS);
  if (role == SELECTS) {
    TileLanes first = lanes_with(warp, insn, insn->c, true);
    TileLanes second = lanes_with(warp, insn, insn->c, false);
    return (first & ~lanes_of_slot(warp, insn, insn->a)) |
           (second & ~lanes_of_slot(warp, insn, insn->b));
  }
  bool is_and = strstr(insn->opcode, ".and.") != NULL;
  bool is_or = strstr(insn->opcode, ".or.") != NULL;
  if (strncmp(insn->opcode, "setp.", 5) == 0 && (is_and || is_or))
    return lanes_with(warp, insn, insn->c,
                      is_or != insn->as.compare.combine_negated);
  return 0;
}

/// Lane l holds row l / 4 of A (every other register: row l / 4 + 8), column
/// l / 4 of B, and in C and D columns 2 (l % 4) and the next one of row l / 4
/// (second half of the registers: row l / 4 + 8). In all shapes but m8n8k4 of
/// f16. Returns the undefined lanes of register `index` of D.
static TileLanes product_lanes(const TileWarp *warp, const TileInsn *insn,
                               uint32_t index) {
  const TileMmaShape *shape = insn->as.shape;
  const uint32_t *a_slots = insn->vec + shape->num_d;
  const uint32_t *b_slots = a_slots + shape->num_a;
  const uint32_t *c_slots = b_slots + shape->num_b;
  bool is_tall = shape->m == 16, is_packed = shape->num_d < (is_tall ? 4 : 2);
  uint32_t half = is_tall && index >= shape->num_d / 2;
  TileLanes a = 0, b = 0, result = 0;
  for (uint32_t i = 0; i < shape->num_a; i++)
    if (!is_tall || i % 2 == half)
      a |= lanes_of_slot(warp, insn, a_slots[i]);
  for (uint32_t i = 0; i < shape->num_b; i++)
    b |= lanes_of_slot(warp, insn, b_slots[i]);
  for (uint32_t i = 0; i < shape->num_c; i++)
    if (shape->num_c != shape->num_d || i == index)
      result |= lanes_of_slot(warp, insn, c_slots[i]);
  for (uint32_t l = 0; l < TILE_WARP_SIZE; l++) {
    TileLanes row = 0xfu << (l & ~3u);
    TileLanes columns =
        is_packed ? 0xffu << l % 4 * 8 : 0xfu << (2 * (l % 4) + index % 2) * 4;
    if (a & row || b & columns)
      result |= tile_lane_bit(l);
  }
  return result;
}

static void step_product(TileWarp *warp, const TileInsn *insn) {
  enum { MAX_D = 8 };
  const TileMmaShape *shape = insn->as.shape;
  TileLanes undefined[MAX_D];
  Mark mark = {0};
  sources(warp, insn, TILE_ALL_LANES, &mark);
  for (uint32_t j = 0; j < shape->num_d && j < MAX_D; j++)
    undefined[j] = product_lanes(warp, insn, j);
  for (uint32_t j = 0; j < shape->num_d && j < MAX_D; j++) {
    uint32_t id = id_of_slot(insn, insn->vec[j]);
    if (id == TILE_NO_REGISTER)
      continue;
    mark_clear(warp, id, TILE_ALL_LANES);
    mark_set(warp, id, &mark, undefined[j]);
  }
}

static bool is_quads(const TileInsn *insn) {
  return insn->as.shape->family == TILE_MMA_HALF && insn->as.shape->k == 4;
}

/// Only the address is used; tile_emu_undefined_store takes care of the data.
static void use_address(TileWarp *warp, const TileInsn *insn, TileLanes lanes) {
  uint32_t id = id_of_slot(insn, insn->a);
  TileLanes used =
      id == TILE_NO_REGISTER ? 0 : warp->undefined->marks[id].lanes & lanes;
  if (used)
    report(warp, id, used, insn, TILE_FINDING_UNINITIALISED);
}

void tile_emu_undefined_store(const TileWarp *warp, const TileInsn *insn,
                              uint32_t slot, TileLanes lanes, TileCta *cta,
                              uint32_t offset, uint32_t size_bytes) {
  if (!(lanes_of_slot(warp, insn, slot) & lanes))
    return;
  if (!cta->undefined)
    cta->undefined = tile_emu_calloc(cta->smem_end, 1);
  memset(cta->undefined + offset, 1, size_bytes);
}

void tile_emu_undefined_load(const TileCta *cta, uint32_t offset,
                             uint32_t size_bytes, TileAccess *access) {
  for (uint32_t at = offset; at < offset + size_bytes; at++) {
    if (!cta->undefined[at] || !access->defers_uninitialised)
      continue;
    if (at < access->undefined_begin)
      access->undefined_begin = at;
    access->undefined_end = at + 1;
  }
}

/// What `insn` writes in `lanes` is undefined in those of them.
static void results(TileWarp *warp, const TileInsn *insn, TileLanes lanes,
                    Mark *mark, TileLanes undefined) {
  bool has_guard = insn->guard != TILE_NO_SLOT;
  TileLanes guarded =
      has_guard ? warp->undefined->marks[insn->guard_id].lanes & lanes : 0;
  if (guarded && !undefined)
    *mark = warp->undefined->marks[insn->guard_id];
  for (uint32_t i = 0; i < insn->num_dst_regs; i++) {
    mark_clear(warp, insn->reg_ids[i], lanes);
    mark_set(warp, insn->reg_ids[i], mark, undefined | guarded);
  }
}

void tile_emu_undefined_step(TileWarp *warp, const TileInsn *insn,
                             TileLanes lanes) {
  if (insn->flags & TILE_INSN_UNSUPPORTED)
    return; // has no operands, and ends the kernel
  Role role = role_of(insn);
  if (role == MULTIPLIES && is_quads(insn))
    role = USES;
  if (role == MULTIPLIES) {
    step_product(warp, insn);
    return;
  }
  if (role == SHUFFLES)
    return;
  if (role == USES)
    use_all(warp, insn, lanes);
  else if (role == STORES)
    use_address(warp, insn, lanes);
  Mark mark = {0};
  bool has_result = role != USES && role != STORES;
  TileLanes undefined = has_result ? sources(warp, insn, lanes, &mark) : 0;
  if (undefined && role == MIXES)
    undefined = lanes;
  else if (undefined)
    undefined &= ~decided(warp, insn, role);
  results(warp, insn, lanes, &mark, undefined);
}

void tile_emu_undefined_shuffle(TileWarp *warp, const TileInsn *insn,
                                TileLanes lanes, const uint8_t *sources_of) {
  Mark mark = {0};
  sources(warp, insn, TILE_ALL_LANES, &mark);
  TileLanes value = lanes_of_slot(warp, insn, insn->a);
  TileLanes undefined =
      lanes_of_slot(warp, insn, insn->b) | lanes_of_slot(warp, insn, insn->c);
  TILE_FOR_LANES (l, lanes) {
    if (tile_lane_in(value, sources_of[l]))
      undefined |= tile_lane_bit(l);
  }
  results(warp, insn, lanes, &mark, undefined & lanes);
}

/// Binary searches branch on an element behind the last one, and both ways lead
/// to the same result: a branch is no use but for the pedantic. What a guarded
/// instruction writes is undefined with its guard.
void tile_emu_undefined_guard(TileWarp *warp, const TileInsn *insn,
                              TileLanes lanes) {
  if (insn->flags & (TILE_INSN_BRANCH_TABLE | TILE_INSN_JUMP))
    use_all(warp, insn, lanes);
  if (insn->guard == TILE_NO_SLOT)
    return;
  const Mark mark = warp->undefined->marks[insn->guard_id];
  TileLanes undefined = mark.lanes & lanes;
  if (!undefined)
    return;
  bool is_use = role_of(insn) == USES || role_of(insn) == STORES;
  if (insn->flags & TILE_INSN_CONTROL)
    report(warp, insn->guard_id, undefined, insn,
           TILE_FINDING_UNINITIALISED_PEDANTIC);
  else if (is_use)
    report(warp, insn->guard_id, undefined, insn, TILE_FINDING_UNINITIALISED);
}

//===-- Life --------------------------------------------------------------===//

void tile_emu_undefined_reset(TileWarp *warp) {
  warp->num_undefined = 0;
  if (warp->undefined)
    memset(warp->undefined->marks, 0,
           (warp->kernel->num_registers + 1) * sizeof *warp->undefined->marks);
}

void tile_emu_undefined_destroy(TileWarp *warp) {
  if (warp->undefined)
    free(warp->undefined->marks);
  free(warp->undefined);
}
