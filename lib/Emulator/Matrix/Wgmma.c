//===- Wgmma.c - wgmma: issue, groups, registers in flight ----------------===//
//===//
//
// PTX ISA, "Asynchronous Warpgroup-Level Matrix Instructions". What registers
// in flight allow is in WgmmaRegisters.c.
//
//===----------------------------------------------------------------------===//

#include "Wgmma.h"
#include "Emulator/Ptx/Decode.h"
#include "Emulator/Race/Race.h"
#include "Matrix.h"

//===-- Registers in flight -----------------------------------------------===//

// PTX ISA, wgmma.wait_group: the registers of an operation may not be touched
// before it has been waited for. Those are its accumulators, A in registers,
// and the metadata of a sparse A, which the ISA does not mention and an H200
// reads as late (docs/Rationale/SparseProducts.md). What counts is the wait,
// not when the operation happens to run. Descriptors and scale-d are read when
// it is issued.
//
// Copies of registers may read them, because ptxas removes or serialises them.

static const char *register_name(const TileWarp *warp, uint32_t id) {
  const char *name = warp->kernel->register_names[id];
  return name ? name : "?";
}

//===-- Which are in flight -----------------------------------------------===//

static void mark(TileWarp *warp, const TileInsn *insn) {
  for (uint32_t i = 0; i < insn->num_regs; i++)
    warp->wgmma.in_flight[insn->reg_ids[i]] |=
        i < insn->num_dst_regs ? TILE_IN_FLIGHT_WRITE : TILE_IN_FLIGHT_READ;
}

static const TileInsn *kept(const TileWarp *warp, uint32_t number) {
  return warp->wgmma.kept[number % TILE_MAX_KEPT];
}

/// Operations before number `end` have been waited for.
static void wgmma_retire(TileWarp *warp, uint32_t end) {
  TileWgmmaState *wgmma = &warp->wgmma;
  if (wgmma->num_retired >= end)
    return;
  for (; wgmma->num_retired < end; wgmma->num_retired++) {
    const TileInsn *insn = kept(warp, wgmma->num_retired);
    for (uint32_t i = 0; insn && i < insn->num_regs; i++)
      wgmma->in_flight[insn->reg_ids[i]] = 0;
  }
  for (uint32_t i = end; i < wgmma->num_issued; i++)
    if (kept(warp, i))
      mark(warp, kept(warp, i));
}

/// The operation is issued; null: it failed and does nothing.
static void wgmma_keep(TileWarp *warp, const TileInsn *insn) {
  TileWgmmaState *wgmma = &warp->wgmma;
  if (wgmma->num_issued - wgmma->num_retired == TILE_MAX_KEPT)
    wgmma_retire(warp, wgmma->num_retired + 1);
  wgmma->kept[wgmma->num_issued++ % TILE_MAX_KEPT] = insn;
  if (insn)
    mark(warp, insn);
}

//===-- Findings ----------------------------------------------------------===//

// What the youngest operation in flight that names the register does with it.
static const TileInsn *find_user(const TileWarp *warp, uint32_t id,
                                 const char **out_use) {
  const TileWgmmaState *wgmma = &warp->wgmma;
  for (uint32_t n = wgmma->num_issued; n-- > wgmma->num_retired;) {
    const TileInsn *insn = kept(warp, n);
    for (uint32_t i = 0; insn && i < insn->num_regs; i++) {
      if (insn->reg_ids[i] != id)
        continue;
      uint32_t num_d = insn->num_dst_regs, num_a = insn->as.wgmma.num_a;
      *out_use = i < num_d           ? "accumulates in it"
                 : i < num_d + num_a ? "reads A from it"
                                     : "reads its metadata from it";
      return insn;
    }
  }
  return NULL;
}

static void report(TileWarp *warp, const TileInsn *insn, TileLanes lanes,
                   uint32_t id, bool is_write) {
  const char *use = "uses it";
  const TileInsn *user = find_user(warp, id, &use);
  tile_emu_find(warp, insn, lanes, TILE_FINDING_WGMMA_REGISTER,
                "register %s is %s while a wgmma.mma_async that %s is in "
                "flight, ptx:%u",
                register_name(warp, id), is_write ? "written" : "read", use,
                user ? user->line : 0);
}

void tile_emu_wgmma_hazard(TileWarp *warp, const TileInsn *insn,
                           TileLanes lanes) {
  const uint8_t *in_flight = warp->wgmma.in_flight;
  bool is_wgmma = insn->flags & TILE_INSN_WGMMA;
  for (uint32_t i = 0; i < insn->num_regs; i++) {
    uint32_t id = insn->reg_ids[i];
    bool is_write = i < insn->num_dst_regs;
    bool is_written_there = in_flight[id] & TILE_IN_FLIGHT_WRITE;
    bool is_read_there = in_flight[id] & TILE_IN_FLIGHT_READ;
    if (!in_flight[id])
      continue;
    // wgmma in order may accumulate into the same registers, and registers
    // that wgmma only reads may be read by others.
    bool is_fine = is_wgmma ? (is_write ? !is_read_there : !is_written_there)
                            : !is_write && !is_written_there;
    if (is_fine)
      continue;
    if (is_write || !(insn->flags & TILE_INSN_COPY))
      report(warp, insn, lanes, id, is_write);
    tile_emu_async_drain_wgmma(warp);
    wgmma_retire(warp, warp->wgmma.num_issued);
    return;
  }
}

//===-- Sparse A ----------------------------------------------------------===//

// PTX ISA, "wgmma.mma_async.sp". A has half of its elements in registers or
// shared memory, where it looks like the A of a dense wgmma; every warp has
// the metadata of its 16 rows, as mma.sp has it. Fences, groups, races and
// registers in flight are those of dense wgmma.

static void wgmma_sparse_decode(TileDecoder *decoder) {
  int64_t selector = tile_decode_immediate(decoder, 4);
  decoder->insn->e = tile_decode_src(decoder, 3, TILE_PTX_B32);
  decoder->insn->as.wgmma.selector =
      selector >= 0 && selector < 4 ? (uint8_t)selector : 4;
}

/// Copies the metadata of the warp after the registers of A, and checks it.
/// wgmma.fence does not concern it.
static void wgmma_sparse_issue(TileAsyncOp *op) {
  const TileInsn *insn = op->insn;
  TileSparsity sparsity = tile_wgmma_sparsity(insn);
  const uint32_t *metadata = tile_u32(op->warp, insn->e);
  size_t num_words = (size_t)insn->as.wgmma.num_a * TILE_WARP_SIZE;
  tile_emu_sparsity_check(op->warp, insn, &sparsity, metadata);
  op->as.wgmma.a_fragment = tile_emu_realloc(
      op->as.wgmma.a_fragment, (num_words + TILE_WARP_SIZE) * sizeof(uint32_t));
  memcpy(op->as.wgmma.a_fragment + num_words, metadata,
         TILE_WARP_SIZE * sizeof(uint32_t));
}

//===-- fence, commit_group, wait_group -----------------------------------===//

static TileLanes wgmma_fence(TileWarp *warp, const TileInsn *insn,
                             TileLanes lanes) {
  (void)insn;
  TileLanes blocked = tile_warp_converge(warp, lanes, warp->live);
  if (blocked)
    return blocked;
  warp->wgmma.fence_number++;
  warp->wgmma.has_fenced = true;
  return 0;
}

static TileLanes wgmma_commit(TileWarp *warp, const TileInsn *insn,
                              TileLanes lanes) {
  (void)insn;
  TileLanes blocked = tile_warp_converge(warp, lanes, warp->live);
  if (blocked)
    return blocked;
  TileWgmmaState *wgmma = &warp->wgmma;
  wgmma->group_ends[wgmma->num_groups++ % TILE_MAX_GROUPS] = wgmma->num_issued;
  return 0;
}

/// Kernels let one warp tell others that a slot is free, so the operations of
/// all four warps are over by then. What may rely on that is decided in Race.c.
static TileLanes wgmma_wait(TileWarp *warp, const TileInsn *insn,
                            TileLanes lanes) {
  TileLanes blocked = tile_warp_converge(warp, lanes, warp->live);
  if (blocked)
    return blocked;
  const TileWgmmaState *wgmma = &warp->wgmma;
  int64_t groups = (int64_t)wgmma->num_groups - insn->imm;
  uint32_t needed =
      groups > 0 ? wgmma->group_ends[(groups - 1) % TILE_MAX_GROUPS] : 0;
  uint32_t first = warp->index & ~3u;
  for (uint32_t i = first; i < first + 4 && i < warp->cta->num_warps; i++)
    if (warp->cta->warps[i].wgmma.num_done < needed) {
      TILE_FOR_LANES (l, lanes) {
        tile_warp_wait(warp, l, TILE_WAIT_WGMMA, 0, 0);
      }
      return lanes;
    }
  tile_warp_go(warp, lanes);
  wgmma_retire(warp, needed);
  TileClocks *clocks = &warp->cluster->clocks;
  uint32_t agent = tile_agent_of_warp(clocks, warp->cta->rank, warp->index);
  if (warp->cluster->detect_races)
    tile_clocks_end_loads(clocks, warp->first_thread, lanes);
  if (warp->cluster->detect_races &&
      clocks->waited[agent - clocks->first_wgmma] < needed)
    clocks->waited[agent - clocks->first_wgmma] = needed;
  return 0;
}

//===-- Checks of mma_async -----------------------------------------------===//

/// A multiplicand in shared memory.
typedef struct {
  const char *what; // "wgmma A "
  TileMatrixDescriptor descriptor;
  uint64_t bits;
  bool is_mn_major;
  uint32_t per_unit; // elements in 16 bytes
  uint32_t first_mn, num_mn, num_k;
} Operand;

static void check_fence(TileWarp *warp, const TileInsn *insn, TileLanes lanes) {
  TileWgmmaState *wgmma = &warp->wgmma;
  if (!wgmma->has_fenced) {
    tile_emu_find(warp, insn, lanes, TILE_FINDING_WGMMA_FENCE,
                  "wgmma.mma_async without a wgmma.fence before it");
    wgmma->has_fenced = true;
  }
  // Metadata after them needs no fence.
  uint32_t num_fragment = insn->as.wgmma.num_d + insn->as.wgmma.num_a;
  for (uint32_t i = 0; i < insn->num_regs && i < num_fragment; i++) {
    uint32_t id = insn->reg_ids[i];
    if (wgmma->written_at[id] != wgmma->fence_number)
      continue;
    tile_emu_find(warp, insn, lanes, TILE_FINDING_WGMMA_FENCE_REGISTER,
                  "register %s of wgmma was written after the last "
                  "wgmma.fence",
                  register_name(warp, id));
    return;
  }
}

/// First byte after an operand, rounded up to what swizzling may touch. Offsets
/// only grow with mn and k.
static uint64_t end_bound(const Operand *operand) {
  const TileMatrixDescriptor *descriptor = &operand->descriptor;
  uint64_t row_bytes = (uint64_t)TILE_WGMMA_UNIT_BYTES * descriptor->width;
  uint64_t leading = descriptor->leading_bytes;
  uint64_t stride = descriptor->stride_bytes;
  bool is_swizzled = descriptor->swizzle != 0;
  uint64_t end = descriptor->start_bytes + 8 * row_bytes;
  if (!operand->is_mn_major) {
    uint64_t units = operand->num_k / operand->per_unit;
    end += (operand->num_mn - 1) / 8 * stride +
           (units - 1) / descriptor->width * leading;
    if (is_swizzled) // the start may be inside of a pattern
      end += (uint64_t)(units - 1) * TILE_WGMMA_UNIT_BYTES;
  } else {
    uint64_t units = operand->num_mn / operand->per_unit;
    end += (units - 1) / descriptor->width * (is_swizzled ? leading : stride) +
           (operand->num_k - 1) / 8 * (is_swizzled ? stride : leading);
  }
  return (end + 127) & ~127ull;
}

/// Is the whole operand inside of the CTA's shared memory?
static bool check_bounds(TileWarp *warp, const TileInsn *insn,
                         const Operand *operand) {
  const TileMatrixDescriptor *descriptor = &operand->descriptor;
  const TileCta *cta = warp->cta;
  if (descriptor->base_offset)
    tile_emu_find(warp, insn, 1, TILE_FINDING_DESCRIPTOR,
                  "%sdescriptor: base offset %u is not modelled", operand->what,
                  descriptor->base_offset);
  if ((descriptor->start_bytes & ~127u) >= cta->smem_first &&
      end_bound(operand) <= cta->smem_end)
    return true;
  uint32_t mn_step = operand->is_mn_major ? operand->per_unit : 1;
  uint32_t k_step = operand->is_mn_major ? 1 : operand->per_unit;
  uint32_t low = UINT32_MAX, high = 0;
  for (uint32_t mn = 0; mn < operand->num_mn; mn += mn_step)
    for (uint32_t k = 0; k < operand->num_k; k += k_step) {
      uint32_t unit = tile_descriptor_unit(descriptor, operand->is_mn_major,
                                           operand->per_unit, mn, k);
      low = unit < low ? unit : low;
      high = unit + TILE_WGMMA_UNIT_BYTES > high ? unit + TILE_WGMMA_UNIT_BYTES
                                                 : high;
    }
  if (low >= cta->smem_first && high <= cta->smem_end)
    return true;
  tile_emu_find(warp, insn, 1, TILE_FINDING_BOUNDS_SHARED,
                "%sreads shared [0x%x, 0x%x) outside of [0x%x, 0x%x) "
                "(descriptor 0x%016llx: start 0x%x, leading offset %u, stride "
                "offset %u, swizzle mode %u)",
                operand->what, low, high, cta->smem_first, cta->smem_end,
                (unsigned long long)operand->bits, descriptor->start_bytes,
                descriptor->leading_bytes, descriptor->stride_bytes,
                descriptor->mode);
  return false;
}

static void check_layout(TileWarp *warp, const TileInsn *insn,
                         const Operand *operand) {
  static const char *const names[] = {"none", "32B", "64B", "128B"};
  uint32_t chunk = operand->descriptor.start_bytes / 16;
  uint8_t layout = warp->cta->shadow.chunks[chunk].layout;
  if (layout && layout - 1u != operand->descriptor.swizzle)
    tile_emu_find(warp, insn, 1, TILE_FINDING_DESCRIPTOR_SWIZZLE,
                  "%sdescriptor says swizzle %s, but TMA wrote the tile with "
                  "swizzle %s",
                  operand->what, names[operand->descriptor.swizzle],
                  names[(layout - 1u) & 3]);
}

/// Lanes whose clocks differ have to be checked separately; three are enough
/// to notice that not all of them waited.
static TileLanes lanes_to_check(const TileWarp *warp) {
  const TileThreadClock *threads =
      &warp->cluster->clocks.threads[warp->first_thread];
  TileLanes lanes = 1;
  TILE_FOR_LANES (l, warp->live) {
    if (threads[l].causal != threads[0].causal ||
        threads[l].fenced != threads[0].fenced)
      lanes |= tile_lane_bit(l);
    if (tile_lane_count(lanes) > 3)
      break;
  }
  return lanes;
}

static uint32_t units_of(const Operand *operand, uint32_t *out_offsets) {
  uint32_t mn_step = operand->is_mn_major ? operand->per_unit : 1;
  uint32_t k_step = operand->is_mn_major ? 1 : operand->per_unit;
  uint32_t end = operand->first_mn + operand->num_mn, count = 0;
  for (uint32_t mn = operand->first_mn; mn < end; mn += mn_step)
    for (uint32_t k = 0; k < operand->num_k; k += k_step)
      out_offsets[count++] = tile_descriptor_unit(
          &operand->descriptor, operand->is_mn_major, operand->per_unit, mn, k);
  return count;
}

/// Have the lanes of `warp` seen exactly what those of the other warp have?
static bool knows_the_same(const TileWarp *warp, const TileWarp *other) {
  const TileThreadClock *threads = warp->cluster->clocks.threads;
  const TileThreadClock *own = &threads[warp->first_thread];
  const TileThreadClock *theirs = &threads[other->first_thread];
  return own->causal == theirs->causal && own->fenced == theirs->fenced;
}

/// Warps of a warpgroup read the same B in one operation. What the first of
/// them found in order is so for another one that has seen the same, or what
/// the first has seen by now, which is no less. Not so for what a thread wrote,
/// which that thread itself need not wait for.
static bool is_checked(const TileWarp *warp, const TileInsn *insn,
                       const Operand *b, TileEpoch epoch, TileLanes lanes) {
  const TileWgmmaChecked *checked = &warp->cta->wgmma_checked;
  return lanes == 1 && checked->warp && checked->insn == insn &&
         checked->descriptor == b->bits && checked->epoch == epoch &&
         checked->num_changes == warp->cta->shadow.num_changes &&
         knows_the_same(warp, checked->warp);
}

static void check_races(TileWarp *warp, const TileInsn *insn,
                        const Operand *operand, uint32_t number, bool is_b) {
  enum { MAX_UNITS = TILE_WGMMA_MAX_N * TILE_WGMMA_MAX_B_K / 8 };
  uint32_t offsets[MAX_UNITS];
  // Each warp reads its own rows of A. All of them read B: one epoch for it.
  const TileClocks *clocks = &warp->cluster->clocks;
  uint32_t agent = tile_agent_of_warp(clocks, warp->cta->rank, warp->index);
  if (is_b)
    agent = tile_agent_of_warpgroup(clocks, agent);
  TileEpoch epoch = tile_epoch(agent, number + 1);
  TileLanes lanes = lanes_to_check(warp);
  if (is_b && is_checked(warp, insn, operand, epoch, lanes))
    return;
  uint32_t count = units_of(operand, offsets);
  bool met_thread = false;
  TILE_FOR_LANES (l, lanes) {
    TileShadowAccess access =
        tile_emu_access_async(warp, insn, l, epoch, true, operand->what);
    tile_emu_shadow_read_units(warp->cta, offsets, count, &access);
    met_thread |= access.met_thread;
  }
  if (is_b)
    warp->cta->wgmma_checked = (TileWgmmaChecked){
        insn, operand->bits, epoch, warp->cta->shadow.num_changes,
        lanes == 1 && !met_thread ? warp : NULL};
}

/// Warps that run ahead must issue what the others issued.
static void check_same(TileWarp *warp, const TileInsn *insn, TileLanes lanes,
                       uint32_t number) {
  const TileCta *cta = warp->cta;
  uint32_t first = warp->index & ~3u;
  if (first + 4 > cta->num_warps)
    tile_emu_find(warp, insn, lanes, TILE_FINDING_DIVERGENCE_WGMMA,
                  "wgmma needs a full warpgroup of four warps");
  for (uint32_t i = first; i < first + 4 && i < cta->num_warps; i++)
    for (const TileAsyncOp *op = cta->warps[i].wgmma.first; op;
         op = op->as.wgmma.next)
      if (op->as.wgmma.number == number && op->insn != insn) {
        tile_emu_find(warp, insn, lanes, TILE_FINDING_DIVERGENCE_WGMMA,
                      "warp %u of the warpgroup executes another wgmma here, "
                      "ptx:%u",
                      i, op->insn->line);
        return;
      }
}

/// The descriptor in a 64-bit register, which must be the same in all lanes.
static uint64_t uniform_descriptor(TileWarp *warp, const TileInsn *insn,
                                   uint32_t slot) {
  const uint64_t *values = tile_u64(warp, slot);
  for (uint32_t l = 1; l < warp->num_lanes; l++)
    if (values[l] != values[0]) {
      tile_emu_find(warp, insn, tile_lane_bit(l), TILE_FINDING_DESCRIPTOR,
                    "descriptor 0x%016llx differs from that of lane 0, "
                    "0x%016llx",
                    (unsigned long long)values[l],
                    (unsigned long long)values[0]);
      break;
    }
  return values[0];
}

//===-- mma_async ---------------------------------------------------------===//

/// All checks of the operands in shared memory; false: do not run it.
static bool check_operands(TileWarp *warp, const TileInsn *insn, Operand *a,
                           Operand *b) {
  bool detect_races = warp->cluster->detect_races;
  uint32_t number = warp->wgmma.num_issued;
  bool has_a = insn->as.wgmma.num_a == 0;
  if ((has_a && !check_bounds(warp, insn, a)) || !check_bounds(warp, insn, b))
    return false;
  if (has_a)
    check_layout(warp, insn, a);
  check_layout(warp, insn, b);
  if (detect_races && has_a) {
    a->first_mn = TILE_WGMMA_WARP_ROWS * (warp->index % 4);
    a->num_mn = TILE_WGMMA_WARP_ROWS;
    check_races(warp, insn, a, number, false);
  }
  if (detect_races)
    check_races(warp, insn, b, number, true);
  return true;
}

TileLanes tile_emu_wgmma_issue(TileWarp *warp, const TileInsn *insn,
                               TileLanes lanes) {
  TileLanes blocked = tile_warp_converge(warp, lanes, warp->live);
  if (blocked)
    return blocked;
  tile_warp_go(warp, lanes);
  TileWgmmaState *wgmma = &warp->wgmma;
  uint32_t per_unit = 128 / tile_emu_matrix_elem_bits((TilePtxType)insn->type);
  Operand a = {.what = "wgmma A ", .num_mn = TILE_WGMMA_ROWS};
  Operand b = {.what = "wgmma B ", .num_mn = insn->as.wgmma.n};
  a.per_unit = b.per_unit = per_unit;
  a.num_k = tile_wgmma_a_k(insn);
  b.num_k = insn->as.wgmma.k;
  a.is_mn_major = insn->as.wgmma.transpose_a;
  b.is_mn_major = insn->as.wgmma.transpose_b;
  if (!insn->as.wgmma.num_a)
    a.bits = uniform_descriptor(warp, insn, insn->a);
  b.bits = uniform_descriptor(warp, insn, insn->b);
  a.descriptor = tile_descriptor_decode(a.bits);
  b.descriptor = tile_descriptor_decode(b.bits);
  check_fence(warp, insn, lanes);
  uint32_t number = wgmma->num_issued;
  if (!check_operands(warp, insn, &a, &b)) {
    wgmma_keep(warp, NULL);
    wgmma->num_done++;
    return 0;
  }
  check_same(warp, insn, lanes, number);
  TileAsyncOp *op = tile_emu_async_create(warp, insn, TILE_ASYNC_WGMMA, 0);
  op->lanes = lanes;
  op->as.wgmma.number = number;
  op->as.wgmma.a = a.bits;
  op->as.wgmma.b = b.bits;
  op->as.wgmma.accumulate =
      insn->c == TILE_NO_SLOT ? insn->imm != 0 : *tile_pred(warp, insn->c) & 1;
  uint32_t num_a = insn->as.wgmma.num_a;
  if (num_a) { // the registers are read when it is issued
    op->as.wgmma.a_fragment =
        tile_emu_malloc(num_a * sizeof(uint32_t) * TILE_WARP_SIZE);
    for (uint32_t i = 0; i < num_a; i++)
      memcpy(op->as.wgmma.a_fragment + (size_t)i * TILE_WARP_SIZE,
             tile_u32(warp, insn->vec[insn->as.wgmma.num_d + i]),
             TILE_WARP_SIZE * sizeof(uint32_t));
  }
  if (insn->as.wgmma.is_sparse)
    wgmma_sparse_issue(op);
  wgmma_keep(warp, insn);
  tile_emu_async_issue(op);
  return 0;
}

//===-- Decode ------------------------------------------------------------===//

static bool is_byte(TilePtxType type) {
  return type == TILE_PTX_S8 || type == TILE_PTX_U8;
}

/// D, A, B.
static bool has_legal_types(const TileDecoder *decoder) {
  TilePtxType d = tile_decode_type(decoder, 0);
  TilePtxType a = tile_decode_type(decoder, 1);
  TilePtxType b = tile_decode_type(decoder, 2);
  bool is_half_d = d == TILE_PTX_F16, is_float_d = d == TILE_PTX_F32;
  switch (a) {
  case TILE_PTX_F16:
    return b == a && (is_half_d || is_float_d);
  case TILE_PTX_BF16:
  case TILE_PTX_TF32:
    return b == a && is_float_d;
  case TILE_PTX_E4M3:
  case TILE_PTX_E5M2:
    return (b == TILE_PTX_E4M3 || b == TILE_PTX_E5M2) &&
           (is_half_d || is_float_d);
  default:
    return is_byte(a) && is_byte(b) && d == TILE_PTX_S32;
  }
}

static bool check_shape(TileDecoder *decoder, TilePtxType type, uint32_t n,
                        uint32_t k) {
  uint32_t bits = tile_emu_matrix_elem_bits(type);
  bool has_n = !is_byte(type) || n % 16 == 0 || n == 8 || n == 24;
  if (!has_legal_types(decoder) || !has_n) {
    tile_decode_unsupported(decoder, "no such combination of shape and types");
    return false;
  }
  uint32_t k_bits = decoder->insn->as.wgmma.is_sparse ? 512 : 256;
  if (n >= 8 && n <= TILE_WGMMA_MAX_N && n % 8 == 0 && k * bits == k_bits)
    return true;
  tile_decode_fail(decoder, "no such shape");
  return false;
}

/// scale-d, then imm-scale-a, imm-scale-b, imm-trans-a, imm-trans-b, of which
/// integers have none and tf32 and fp8 only the first two.
static void decode_scales(TileDecoder *decoder, uint32_t at) {
  TileInsn *insn = decoder->insn;
  bool negated;
  if (decoder->ops[at]->kind == TILE_OPERAND_PREDICATE) {
    insn->c = tile_decode_pred_src(decoder, at, &negated);
    if (negated)
      tile_decode_unsupported(decoder, "negated scale-d");
  } else {
    insn->c = TILE_NO_SLOT;
    insn->imm = tile_decode_immediate(decoder, at);
  }
  at++;
  if (decoder->num_ops >= at + 2) {
    bool negate_a = tile_decode_immediate(decoder, at++) < 0;
    bool negate_b = tile_decode_immediate(decoder, at++) < 0;
    insn->as.wgmma.negate_product = negate_a != negate_b;
  }
  bool has_transpose =
      insn->type == TILE_PTX_F16 || insn->type == TILE_PTX_BF16;
  if (has_transpose && !insn->as.wgmma.num_a && decoder->num_ops > at)
    insn->as.wgmma.transpose_a = tile_decode_immediate(decoder, at++) != 0;
  if (has_transpose && decoder->num_ops > at)
    insn->as.wgmma.transpose_b = tile_decode_immediate(decoder, at++) != 0;
  if (decoder->num_ops != at)
    tile_decode_fail(decoder, "%u operands where %u are expected",
                     decoder->num_ops, at);
}

static void decode_mma_async(TileDecoder *decoder) {
  TileInsn *insn = decoder->insn;
  uint32_t shape[3] = {0};
  bool has_shape =
      tile_decode_shape(decoder, shape) && shape[0] == TILE_WGMMA_ROWS;
  uint32_t n = shape[1], k = shape[2];
  TilePtxType d_type = tile_decode_type(decoder, 0);
  TilePtxType a_type = tile_decode_type(decoder, 1);
  bool is_sparse = tile_decode_has(decoder, "sp");
  uint32_t scales_at = is_sparse ? 5 : 3;
  insn->as.wgmma.is_sparse = is_sparse;
  if (!has_shape || decoder->num_types != 3) {
    tile_decode_unsupported(decoder, "form of wgmma");
    return;
  }
  if (!tile_decode_count(decoder, scales_at + 1, scales_at + 5) ||
      !check_shape(decoder, a_type, n, k))
    return;
  insn->type = (uint8_t)a_type;
  insn->type2 = (uint8_t)tile_decode_type(decoder, 2);
  insn->as.wgmma.n = (uint16_t)n;
  insn->as.wgmma.k = (uint8_t)k;
  insn->as.wgmma.d_type = (uint8_t)d_type;
  insn->as.wgmma.satfinite = tile_decode_has(decoder, "satfinite");
  TileSlotList list = {0};
  tile_decode_list_add(decoder, &list, decoder->ops[0], TILE_PTX_B32, true);
  uint32_t num_d = list.count;
  if (num_d != (d_type == TILE_PTX_F16 ? n / 4 : n / 2))
    tile_decode_fail(decoder, "%u accumulator registers for n = %u", num_d, n);
  if (decoder->ops[1]->kind == TILE_OPERAND_VECTOR) {
    tile_decode_list_add(decoder, &list, decoder->ops[1], TILE_PTX_B32, false);
    if (list.count - num_d != 4)
      tile_decode_fail(decoder, "A has four registers");
  }
  if (is_sparse)
    wgmma_sparse_decode(decoder);
  // Fragments and metadata stay in use; descriptors and scale-d are read when
  // it is issued: compilers of others write them in the next round.
  uint32_t num_kept_registers = decoder->num_registers;
  if (decoder->ops[1]->kind != TILE_OPERAND_VECTOR)
    insn->a = tile_decode_src(decoder, 1, TILE_PTX_B64);
  for (uint32_t i = 0; i < list.count; i++)
    if (list.slots[i] == TILE_NO_SLOT)
      tile_decode_fail(decoder, "`_` is not a register of a fragment");
  insn->as.wgmma.num_d = (uint8_t)num_d;
  insn->as.wgmma.num_a = (uint8_t)(list.count - num_d);
  insn->b = tile_decode_src(decoder, 2, TILE_PTX_B64);
  tile_decode_list_finish(decoder, &list);
  decode_scales(decoder, scales_at);
  decoder->num_issue_registers = decoder->num_registers;
  decoder->num_registers = num_kept_registers;
  insn->exec = tile_emu_wgmma_issue;
}

void tile_emu_decode_wgmma(TileDecoder *decoder) {
  TileInsn *insn = decoder->insn;
  const char *form = decoder->num_words > 1 ? decoder->words[1] : "";
  decoder->parser->kernel->has_wgmma = true;
  insn->flags |= TILE_INSN_WGMMA;
  if (!strcmp(form, "fence"))
    insn->exec = wgmma_fence;
  else if (!strcmp(form, "commit_group"))
    insn->exec = wgmma_commit;
  else if (!strcmp(form, "wait_group")) {
    insn->imm = tile_decode_immediate(decoder, 0);
    insn->exec = wgmma_wait;
  } else if (!strcmp(form, "mma_async"))
    decode_mma_async(decoder);
  else
    tile_decode_unsupported(decoder, "form of wgmma");
}
