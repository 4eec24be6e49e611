//===- Interpreter.c - Executes the instructions of a warp ----------------===//
//
// Lanes at the same instruction execute together. A warp that is not diverged
// has one program counter; otherwise every lane has its own, the lanes with
// the smallest one go first (which reconverges structured code) and now and
// then a random group. Groups are formed anew at the start of basic blocks.
//
//===----------------------------------------------------------------------===//

#include "Emulator/Async/Async.h"
#include "Emulator/Matrix/Wgmma.h"
#include "Emulator/Ptx/DeviceFunction.h"
#include "Emulator/Race/Race.h"
#include "Emulator/Report/Statistics.h"
#include "Emulator/Sync/Sync.h"
#include "Emulator/Undefined/Undefined.h"
#include "Schedule.h"

/// Lanes that execute together.
typedef struct {
  TileWarp *warp;
  TileLanes lanes;
  uint32_t pc;
  bool is_diverged;
} Group;

//===-- Forming groups ----------------------------------------------------===//

static TileLanes converging_lanes(const TileWarp *warp) {
  TileLanes candidates = warp->live & warp->waiting, result = 0;
  if (!candidates)
    return 0;
  for (uint32_t l = 0; l < TILE_WARP_SIZE; l++)
    result |= (uint32_t)(warp->wait[l].kind == TILE_WAIT_CONVERGE) << l;
  return result & candidates;
}

static TileLanes lanes_at(const TileWarp *warp, TileLanes candidates,
                          uint32_t pc) {
  TileLanes result = 0;
  for (uint32_t l = 0; l < TILE_WARP_SIZE; l++)
    result |= (uint32_t)(warp->pc[l] == pc) << l;
  return result & candidates;
}

static uint32_t choose_pc(TileWarp *warp, TileLanes ready) {
  TileCluster *cluster = warp->cluster;
  if (tile_cluster_random(cluster) % 16 == 0) {
    uint64_t skip = tile_cluster_random(cluster) % tile_lane_count(ready);
    TileLanes rest = ready;
    while (skip--)
      rest &= rest - 1;
    return warp->pc[tile_lane_first(rest)];
  }
  if (warp->calls) // those that have left a function wait for the others
    ready = tile_emu_call_stacks_deepest(warp->calls, ready);
  uint32_t smallest = UINT32_MAX;
  for (uint32_t l = 0; l < TILE_WARP_SIZE; l++) {
    uint32_t pc = warp->pc[l] | ((ready >> l & 1) - 1); // others: the largest
    smallest = pc < smallest ? pc : smallest;
  }
  return smallest;
}

static bool group_choose(TileWarp *warp, Group *out_group) {
  *out_group = (Group){warp, warp->live, warp->uniform_pc, false};
  if (warp->is_uniform)
    return true;
  TileLanes converging = converging_lanes(warp);
  if (warp->waiting && warp->seen_version != warp->cluster->version)
    warp->waiting &= converging; // the others try again
  warp->seen_version = warp->cluster->version;
  TileLanes ready = warp->live & ~warp->waiting;
  if (!ready)
    return false;
  out_group->pc = choose_pc(warp, ready);
  out_group->lanes = lanes_at(warp, ready | converging, out_group->pc);
  warp->waiting &= ~out_group->lanes;
  out_group->is_diverged = out_group->lanes != warp->live;
  if (!out_group->is_diverged) {
    warp->is_uniform = true;
    warp->waiting = 0;
  }
  return true;
}

static void lanes_set_pc(TileWarp *warp, TileLanes lanes, uint32_t pc) {
  TILE_FOR_LANES (l, lanes) {
    warp->pc[l] = pc;
  }
}

static void group_save(const Group *group) {
  TileWarp *warp = group->warp;
  if (!group->is_diverged && group->lanes == warp->live) {
    warp->is_uniform = true;
    warp->uniform_pc = group->pc;
    return;
  }
  warp->is_uniform = false;
  lanes_set_pc(warp, group->lanes, group->pc);
}

//===-- Exit --------------------------------------------------------------===//

static void find_early_exit(TileCta *cta, uint32_t thread, uint32_t insn) {
  TileCluster *cluster = cta->cluster;
  TileCta *other = &cluster->ctas[thread / cluster->threads_per_cta];
  uint32_t in_cta = thread % cluster->threads_per_cta;
  TileWarp *warp = &other->warps[in_cta / TILE_WARP_SIZE];
  tile_emu_find(warp, &warp->kernel->code[insn],
                tile_lane_bit(in_cta % TILE_WARP_SIZE),
                TILE_FINDING_CLUSTER_EXIT,
                "CTA rank %u does not wait for this access to its shared "
                "memory before it exits",
                cta->rank);
}

/// Has any thread of the CTA seen what `agent` did up to `tick`?
static bool is_seen(const TileCta *cta, uint32_t agent, uint32_t tick) {
  const TileCluster *cluster = cta->cluster;
  const TileThreadClock *threads =
      &cluster->clocks.threads[cta->rank * cluster->threads_per_cta];
  for (uint32_t i = 0; i < cluster->threads_per_cta; i++)
    if (threads[i].causal->ticks[agent] >= tick)
      return true;
  return false;
}

static void check_accesses(TileCta *cta) {
  const TileCluster *cluster = cta->cluster;
  for (uint32_t thread = 0; thread < cluster->num_threads; thread++) {
    const TileRemoteAccess *access = &cta->remote[thread];
    if (access->tick && !is_seen(cta, thread, access->tick))
      find_early_exit(cta, thread, access->insn);
  }
  for (uint32_t i = 0; i < cta->num_remote_ops; i++) {
    const TileRemoteOp *op = &cta->remote_ops[i];
    if (!is_seen(cta, op->agent, op->tick))
      find_early_exit(cta, op->thread, op->insn);
  }
}

// The CTA exits: reports accesses and copies it did not wait for.
static void dsmem_check_exit(TileCta *cta) {
  TileCluster *cluster = cta->cluster;
  for (uint32_t i = 0; i < cluster->num_async; i++) {
    const TileAsyncOp *op = cluster->async_ops[i];
    if (op->kind != TILE_ASYNC_REMOTE)
      continue;
    if (op->cta == cta || op->as.remote.source == cta)
      tile_emu_find(op->warp, op->insn, op->lanes, TILE_FINDING_CLUSTER_EXIT,
                    "CTA rank %u exits while this operation still %s its "
                    "shared memory",
                    cta->rank, op->cta == cta ? "writes" : "reads");
  }
  if (cta->remote)
    check_accesses(cta);
}

static void check_leaks(TileCta *cta) {
  TileCluster *cluster = cta->cluster;
  dsmem_check_exit(cta);
  tile_emu_registers_check_exit(cta);
  for (uint32_t i = 0; i < cluster->num_async; i++) {
    const TileAsyncOp *op = cluster->async_ops[i];
    bool writes = (op->kind == TILE_ASYNC_LOAD &&
                   tile_lane_in(op->as.load.cta_mask, cta->rank)) ||
                  (op->kind == TILE_ASYNC_CP_ASYNC && op->cta == cta);
    bool reads =
        op->kind == TILE_ASYNC_STORE && op->cta == cta && !op->as.store.staged;
    if (writes)
      tile_emu_find(op->warp, op->insn, op->lanes, TILE_FINDING_LEAK_WRITE,
                    "the CTA exits while this copy still writes its shared "
                    "memory");
    else if (reads)
      tile_emu_find(op->warp, op->insn, op->lanes,
                    TILE_FINDING_LEAK_READ_PEDANTIC,
                    "the CTA exits while this copy still reads its shared "
                    "memory");
  }
  for (uint32_t i = 0; i < cta->num_mbarriers; i++) {
    const TileMbarrier *mbarrier = &cta->mbarriers[i];
    if (mbarrier->is_live && mbarrier->tx_bytes)
      tile_emu_find(&cta->warps[0], NULL, 0, TILE_FINDING_TX_PENDING,
                    "the CTA exits while mbarrier 0x%x waits for %lld more "
                    "bytes",
                    mbarrier->offset, (long long)mbarrier->tx_bytes);
  }
}

static void lanes_exit(TileWarp *warp, TileLanes lanes) {
  TileCluster *cluster = warp->cluster;
  TileCta *cta = warp->cta;
  uint32_t num_arrived = 0;
  TILE_FOR_LANES (l, lanes) {
    num_arrived += cluster->barrier.num_arrived &&
                   warp->cluster_phase[l] == cluster->barrier.phase;
  }
  warp->live &= ~lanes;
  tile_cluster_wake(cluster);
  tile_emu_cluster_barrier_leave(cluster, tile_lane_count(lanes), num_arrived);
  // Those that wait for the exited lanes at a warp-wide instruction try again.
  TileLanes converging = converging_lanes(warp);
  if (converging) {
    warp->waiting &= ~converging;
    warp->is_uniform = false;
  }
  tile_emu_barrier_recheck(cta);
  if (warp->live)
    return;
  cluster->num_live_warps--;
  if (++cta->num_exited_warps == cta->num_warps)
    check_leaks(cta);
}

//===-- Control flow; true when the group goes on -------------------------===//

static bool step_exit(Group *group, TileLanes lanes) {
  if (lanes) {
    lanes_exit(group->warp, lanes);
    group->lanes &= ~lanes;
    if (!group->lanes) {
      group->warp->is_uniform = false;
      return false;
    }
  }
  group->pc++;
  return true;
}

static uint32_t table_target(TileWarp *warp, const TileInsn *insn,
                             uint32_t lane) {
  uint32_t index = tile_u32(warp, insn->a)[lane];
  if (index < insn->num_vec)
    return insn->vec[index];
  tile_emu_find(warp, insn, tile_lane_bit(lane), TILE_FINDING_BOUNDS_TABLE,
                "index %u of a table with %u entries", index, insn->num_vec);
  return insn->vec[0];
}

static bool step_branch(Group *group, const TileInsn *insn, TileLanes lanes) {
  TileWarp *warp = group->warp;
  if (!lanes) {
    group->pc++;
    return true;
  }
  uint32_t target = insn->target;
  bool is_common = true;
  if (insn->flags & TILE_INSN_BRANCH_TABLE) {
    target = table_target(warp, insn, tile_lane_first(lanes));
    TILE_FOR_LANES (l, lanes) {
      warp->pc[l] = table_target(warp, insn, l);
      is_common &= warp->pc[l] == target;
    }
  } else
    lanes_set_pc(warp, lanes, target);
  if (is_common && lanes == group->lanes) {
    group->pc = target;
    return true;
  }
  lanes_set_pc(warp, group->lanes & ~lanes, group->pc + 1);
  warp->is_uniform = false;
  return false;
}

/// Instructions that set the program counters themselves.
static bool step_jump(Group *group, const TileInsn *insn, TileLanes lanes) {
  TileWarp *warp = group->warp;
  if (!lanes) {
    group->pc++;
    return true;
  }
  lanes_set_pc(warp, group->lanes & ~lanes, group->pc + 1);
  insn->exec(warp, insn, lanes);
  uint32_t target = warp->pc[tile_lane_first(lanes)];
  if (lanes_at(warp, group->lanes, target) == group->lanes) {
    group->pc = target;
    return true;
  }
  warp->is_uniform = false;
  return false;
}

/// `blocked` lanes wait at this instruction. True when others go on.
static bool step_block(Group *group, TileLanes blocked) {
  TileWarp *warp = group->warp;
  lanes_set_pc(warp, blocked, group->pc);
  warp->is_uniform = false;
  TileLanes others = group->lanes & ~blocked;
  if (warp->wait[tile_lane_first(blocked)].kind == TILE_WAIT_CONVERGE) {
    TileLanes met =
        lanes_at(warp, converging_lanes(warp) & ~blocked, group->pc);
    if (met) { // lanes that were already here: try again together
      warp->waiting &= ~met;
      lanes_set_pc(warp, others, group->pc + 1);
      return false;
    }
  }
  warp->waiting |= blocked;
  warp->seen_version = warp->cluster->version;
  group->is_diverged = true;
  group->lanes = others;
  return others;
}

//===-- Entry -------------------------------------------------------------===//

// Remembers which registers were written after the last wgmma.fence.
static void wgmma_note_writes(TileWarp *warp, const TileInsn *insn) {
  TileWgmmaState *wgmma = &warp->wgmma;
  if (insn->flags & TILE_INSN_COPY) { // inherits from its source
    if (insn->num_regs)
      wgmma->written_at[insn->reg_ids[0]] =
          insn->num_regs > 1 ? wgmma->written_at[insn->reg_ids[1]] : 0;
    return;
  }
  for (uint32_t i = 0; i < insn->num_dst_regs; i++)
    wgmma->written_at[insn->reg_ids[i]] = wgmma->fence_number;
}

static inline void check_wgmma(TileWarp *warp, const TileInsn *insn,
                               TileLanes lanes) {
  if (TILE_UNLIKELY(warp->wgmma.num_issued != warp->wgmma.num_retired))
    tile_emu_wgmma_hazard(warp, insn, lanes);
  if (!(insn->flags & TILE_INSN_WGMMA))
    wgmma_note_writes(warp, insn);
}

/// Executes an ordinary instruction; false when no lane goes on.
static inline bool step_execute(Group *group, const TileInsn *insn,
                                TileLanes lanes) {
  TileWarp *warp = group->warp;
  if (warp->kernel->has_wgmma)
    check_wgmma(warp, insn, lanes);
  TileRecorder *recorder = warp->cluster->recorder;
  if (TILE_UNLIKELY(recorder != NULL))
    tile_emu_record_memory(recorder, warp, insn, lanes);
  if (TILE_UNLIKELY(warp->num_undefined))
    tile_emu_undefined_step(warp, insn, lanes);
  TileLanes blocked = insn->exec(warp, insn, lanes);
  if (TILE_UNLIKELY(recorder != NULL))
    tile_emu_record_insn(recorder, warp, insn, lanes, blocked);
  if (TILE_UNLIKELY(group->is_diverged))
    tile_warp_go(warp, lanes & ~blocked);
  if (TILE_UNLIKELY(blocked) && !step_block(group, blocked))
    return false;
  group->pc++;
  return true;
}

void tile_emu_warp_run(TileWarp *warp, uint32_t quantum) {
  Group group;
  if (!group_choose(warp, &group))
    return;
  TileCluster *cluster = warp->cluster;
  const TileInsn *code = warp->kernel->code;
  uint64_t num_warp_insns = 0, num_lane_insns = 0;
  bool goes_on = true;
  while (goes_on && quantum-- && !cluster->is_stopped) {
    const TileInsn *insn = &code[group.pc];
    if (TILE_UNLIKELY(group.is_diverged) && num_warp_insns &&
        (insn->flags & TILE_INSN_LEADER))
      break;
    TileLanes lanes = group.lanes;
    if (TILE_UNLIKELY(warp->num_undefined))
      tile_emu_undefined_guard(warp, insn, lanes);
    if (insn->guard != TILE_NO_SLOT) {
      TileLanes guard = *tile_pred(warp, insn->guard);
      lanes &= insn->guard_negated ? ~guard : guard;
    }
    if (insn->touches_loaded)
      tile_emu_loads_touch(warp, insn, lanes);
    num_warp_insns++;
    num_lane_insns += tile_lane_count(lanes);
    if (TILE_UNLIKELY(cluster->recorder != NULL) &&
        (!lanes || insn->flags & TILE_INSN_CONTROL))
      tile_emu_record_insn(cluster->recorder, warp, insn, lanes, 0);
    if (TILE_UNLIKELY(insn->flags & TILE_INSN_EXIT))
      goes_on = step_exit(&group, lanes);
    else if (insn->flags & TILE_INSN_BRANCH)
      goes_on = step_branch(&group, insn, lanes);
    else if (TILE_UNLIKELY(insn->flags & TILE_INSN_JUMP))
      goes_on = step_jump(&group, insn, lanes);
    else if (TILE_LIKELY(lanes))
      goes_on = step_execute(&group, insn, lanes);
    else
      group.pc++;
  }
  if (goes_on)
    group_save(&group);
  cluster->num_warp_insns += num_warp_insns;
  cluster->num_lane_insns += num_lane_insns;
}
