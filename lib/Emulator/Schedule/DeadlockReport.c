//===- DeadlockReport.c - Where everybody is when nothing moves -----------===//

#include "Emulator/Sync/Sync.h"
#include "Schedule.h"

#include <stdlib.h>

//===-- Who could still end a wait ----------------------------------------===//

// A barrier that nobody completes lacks arrivals, an mbarrier arrivals or
// bytes. For every mbarrier that is waited for, the report names the threads
// that arrived lately and where they are now; and for every instruction that
// arrives somewhere, the warps whose control flow can still get there.

//===-- Sets of warps -----------------------------------------------------===//

/// "warp 3", "warps 0-3, 8".
static void print_warps(TileString *buffer, const bool *is_in,
                        uint32_t num_warps) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < num_warps; i++)
    count += is_in[i];
  tile_string_print(buffer, count == 1 ? "warp" : "warps");
  const char *separator = " ";
  for (uint32_t i = 0; i < num_warps; i++) {
    if (!is_in[i])
      continue;
    uint32_t last = i;
    while (last + 1 < num_warps && is_in[last + 1])
      last++;
    tile_string_print(buffer, "%s%u", separator, i);
    if (last > i)
      tile_string_print(buffer, "-%u", last);
    separator = ", ";
    i = last;
  }
}

/// Warps that exited.
static void deadlock_exits(const TileCta *cta, TileString *buffer) {
  bool is_in[TILE_MAX_CTA_WARPS] = {false};
  bool any = false;
  for (uint32_t i = 0; i < cta->num_warps; i++) {
    is_in[i] = cta->warps[i].live == 0;
    any |= is_in[i];
  }
  if (!any)
    return;
  if (cta->cluster->num_ctas > 1)
    tile_string_print(buffer, "  CTA rank %u ", cta->rank);
  else
    tile_string_print(buffer, "  ");
  print_warps(buffer, is_in, cta->num_warps);
  tile_string_print(buffer, ": exited\n");
}

//===-- Threads that arrived before ---------------------------------------===//

static void print_now(const TileWarp *warp, uint32_t lane, TileString *buffer) {
  const TileInsn *insn = &warp->kernel->code[warp->pc[lane]];
  if (!tile_lane_in(warp->live, lane))
    tile_string_print(buffer, "it has exited");
  else if (!tile_lane_in(warp->waiting, lane))
    tile_string_print(buffer, "it runs at ptx:%u", insn->line);
  else if (warp->wait[lane].kind == TILE_WAIT_MBARRIER)
    tile_string_print(buffer, "it waits for mbarrier 0x%x at ptx:%u",
                      warp->wait[lane].object, insn->line);
  else
    tile_string_print(buffer, "it waits at ptx:%u", insn->line);
}

/// Who arrived lately, and where they are now.
static void deadlock_arrived(const TileCluster *cluster,
                             const TileMbarrier *mbarrier, TileString *buffer) {
  enum { MAX_THREADS = 4 };
  uint32_t printed[MAX_THREADS], num_printed = 0, first = 0;
  if (mbarrier->num_events > TILE_MBARRIER_HISTORY)
    first = mbarrier->num_events - TILE_MBARRIER_HISTORY;
  for (uint32_t i = mbarrier->num_events; i-- > first;) {
    const TileMbarrierEvent *event =
        &mbarrier->history[i % TILE_MBARRIER_HISTORY];
    if (event->kind == TILE_EVENT_INIT)
      break;
    uint32_t actor = event->last_actor;
    bool is_known =
        event->kind != TILE_EVENT_ARRIVE || actor >= cluster->num_threads;
    for (uint32_t k = 0; k < num_printed; k++)
      is_known |= printed[k] == actor;
    if (is_known || num_printed == MAX_THREADS)
      continue;
    printed[num_printed++] = actor;
    uint32_t thread = actor % cluster->threads_per_cta;
    const TileCta *cta = &cluster->ctas[actor / cluster->threads_per_cta];
    tile_string_print(buffer, "        thread %u last arrived in phase %u%s; ",
                      thread, event->phase,
                      event->phase == mbarrier->phase ? ", the current one"
                                                      : "");
    print_now(&cta->warps[thread / TILE_WARP_SIZE], thread % TILE_WARP_SIZE,
              buffer);
    tile_string_print(buffer, "\n");
  }
  if (!num_printed)
    tile_string_print(buffer, "        no thread has arrived since its init\n");
}

//===-- Instructions that arrive or copy ----------------------------------===//

/// Which instructions can be executed after others.
typedef struct {
  const TileKernel *kernel;
  bool *is_reached; // by instruction
  uint32_t *stack;
  uint32_t depth;
} Reach;

static void reach_push(Reach *reach, uint32_t index) {
  if (index >= reach->kernel->num_insns || reach->is_reached[index])
    return;
  reach->is_reached[index] = true;
  reach->stack[reach->depth++] = index;
}

/// Everything that the live lanes of `warp` can still get to.
static void reach_from(Reach *reach, const TileWarp *warp) {
  const TileKernel *kernel = reach->kernel;
  memset(reach->is_reached, 0, kernel->num_insns * sizeof *reach->is_reached);
  TILE_FOR_LANES (l, warp->live) {
    reach_push(reach, warp->pc[l]);
  }
  while (reach->depth) {
    uint32_t index = reach->stack[--reach->depth];
    const TileInsn *insn = &kernel->code[index];
    if (insn->flags & TILE_INSN_JUMP) // anywhere
      for (uint32_t i = 0; i < kernel->num_insns; i++)
        reach_push(reach, i);
    bool is_always = insn->guard == TILE_NO_SLOT;
    bool is_exit = insn->flags & TILE_INSN_EXIT;
    if (insn->flags & TILE_INSN_BRANCH_TABLE)
      for (uint32_t i = 0; i < insn->num_vec; i++)
        reach_push(reach, insn->vec[i]);
    else if (insn->flags & TILE_INSN_BRANCH)
      reach_push(reach, insn->target);
    if (!is_always || (!is_exit && !(insn->flags & TILE_INSN_BRANCH)))
      reach_push(reach, index + 1);
  }
}

/// bar.sync, barrier.cta.arrive, barrier.cluster.arrive, …
static bool arrives_at_barrier(const TileInsn *insn) {
  return insn->opcode &&
         (!strncmp(insn->opcode, "bar.", 4) ||
          !strncmp(insn->opcode, "barrier.", 8)) &&
         strncmp(insn->opcode, "bar.warp", 8) != 0 &&
         strncmp(insn->opcode, "barrier.cluster.wait", 20) != 0;
}

static bool arrives_at_mbarrier(const TileInsn *insn) {
  return insn->opcode && (!strncmp(insn->opcode, "mbarrier.arrive", 15) ||
                          strstr(insn->opcode, ".mbarrier.arrive") ||
                          strstr(insn->opcode, ".mbarrier::arrive") ||
                          strstr(insn->opcode, ".mbarrier::complete_tx"));
}

/// Does a lane wait at the instruction, having arrived there?
static bool waits_at(const TileWarp *warp, size_t index) {
  TILE_FOR_LANES (l, warp->live & warp->waiting) {
    if (warp->pc[l] == index && warp->wait[l].kind != TILE_WAIT_CONVERGE)
      return true;
  }
  return false;
}

static void print_arrival(const TileCluster *cluster, const TileInsn *insn,
                          const bool *reached, TileString *buffer) {
  const TileRun *run = cluster->run;
  char where[256];
  bool can_come[TILE_MAX_CTA_WARPS] = {false};
  bool is_here[TILE_MAX_CTA_WARPS] = {false};
  bool any_come = false, any_here = false;
  size_t index = (size_t)(insn - run->kernel->code);
  uint32_t num_warps = cluster->ctas[0].num_warps;
  uint32_t total_warps = num_warps * cluster->num_ctas;
  for (uint32_t w = 0; w < total_warps; w++) {
    uint32_t i = w % num_warps;
    bool waits = waits_at(&cluster->ctas[w / num_warps].warps[i], index);
    bool comes = !waits && reached[(size_t)w * run->kernel->num_insns + index];
    is_here[i] |= waits;
    can_come[i] |= comes;
    any_here |= waits;
    any_come |= comes;
  }
  tile_string_print(buffer,
                    "    %s: ", tile_emu_insn_where(run->module, insn, where));
  if (any_here) {
    print_warps(buffer, is_here, num_warps);
    tile_string_print(buffer, " waiting here, ");
  }
  if (any_come)
    print_warps(buffer, can_come, num_warps);
  tile_string_print(buffer, any_come   ? " can still get there\n"
                            : any_here ? "nobody else can get there\n"
                                       : "nobody can get there any more\n");
}

typedef struct {
  const TileCluster *cluster;
  bool *reached; // by warp of the cluster and instruction
  TileString *buffer;
} Arrivals;

static void print_arrivals(const Arrivals *arrivals, const char *title,
                           bool (*arrives)(const TileInsn *)) {
  enum { MAX_ARRIVALS = 12 };
  const TileKernel *kernel = arrivals->cluster->run->kernel;
  uint32_t num_arrivals = 0;
  for (uint32_t i = 0; i < kernel->num_insns; i++) {
    if (!arrives(&kernel->code[i]) || num_arrivals++ >= MAX_ARRIVALS)
      continue;
    if (num_arrivals == 1)
      tile_string_print(arrivals->buffer, "  instructions that %s:\n", title);
    print_arrival(arrivals->cluster, &kernel->code[i], arrivals->reached,
                  arrivals->buffer);
  }
  if (num_arrivals > MAX_ARRIVALS)
    tile_string_print(arrivals->buffer, "    and %u more\n",
                      num_arrivals - MAX_ARRIVALS);
}

/// Who can still get to an instruction that arrives.
static void deadlock_arrivals(const TileCluster *cluster, bool at_mbarriers,
                              bool at_barriers, TileString *buffer) {
  const TileKernel *kernel = cluster->run->kernel;
  uint32_t num_warps = cluster->ctas[0].num_warps;
  size_t total = (size_t)num_warps * cluster->num_ctas;
  bool *reached = tile_emu_calloc(total * kernel->num_insns, sizeof *reached);
  Reach reach = {.kernel = kernel};
  reach.stack = tile_emu_calloc(kernel->num_insns, sizeof *reach.stack);
  for (uint32_t w = 0; w < total; w++) {
    reach.is_reached = reached + (size_t)w * kernel->num_insns;
    reach_from(&reach, &cluster->ctas[w / num_warps].warps[w % num_warps]);
  }
  Arrivals arrivals = {cluster, reached, buffer};
  if (at_barriers)
    print_arrivals(&arrivals, "arrive at barriers", arrives_at_barrier);
  if (at_mbarriers)
    print_arrivals(&arrivals, "arrive or copy", arrives_at_mbarrier);
  free(reach.stack);
  free(reached);
}

//===-- Where everybody is ------------------------------------------------===//

typedef struct {
  TileCluster *cluster;
  TileString *buffer;
  /// mbarriers already printed, by CTA.
  bool printed[TILE_MAX_CLUSTER_CTAS][TILE_MAX_MBARRIERS];
  bool any_mbarrier, any_barrier;
} Report;

static TileMbarrier *mbarrier_at(TileCluster *cluster, uint32_t address,
                                 TileCta **out_cta) {
  uint32_t rank = address >> TILE_SHARED_RANK_SHIFT;
  uint32_t offset = address & TILE_SHARED_OFFSET_MASK;
  if (rank >= cluster->num_ctas)
    return NULL;
  *out_cta = &cluster->ctas[rank];
  uint16_t index = (*out_cta)->shadow.mbarrier[offset / 8];
  return index ? &(*out_cta)->mbarriers[index - 1] : NULL;
}

static void print_mbarrier_wait(Report *report, const TileWait *wait,
                                const char *where) {
  TileString *buffer = report->buffer;
  if (wait->phase < 2)
    tile_string_print(buffer, "waits for parity %u of mbarrier 0x%x at %s\n",
                      wait->phase, wait->object, where);
  else
    tile_string_print(buffer,
                      "waits with a state token for mbarrier 0x%x at %s\n",
                      wait->object, where);
  TileCta *cta;
  TileMbarrier *mbarrier = mbarrier_at(report->cluster, wait->object, &cta);
  if (!mbarrier)
    return;
  bool *printed = &report->printed[cta->rank][mbarrier - cta->mbarriers];
  if (!*printed) {
    tile_emu_mbarrier_print(cta, mbarrier, buffer);
    deadlock_arrived(report->cluster, mbarrier, buffer);
  }
  *printed = report->any_mbarrier = true;
}

static void print_wait(Report *report, const TileWarp *warp,
                       const TileWait *wait, const char *where) {
  TileString *buffer = report->buffer;
  switch (wait->kind) {
  case TILE_WAIT_MBARRIER:
    print_mbarrier_wait(report, wait, where);
    return;
  case TILE_WAIT_BARRIER: {
    const TileBarrier *barrier = &warp->cta->barriers[wait->object];
    report->any_barrier = true;
    tile_string_print(buffer, "waits at barrier %u (%u threads arrived, ",
                      wait->object, barrier->num_arrived);
    if (barrier->num_expected)
      tile_string_print(buffer, "%u", barrier->num_expected);
    else
      tile_string_print(buffer, "all");
    if (barrier->phase)
      tile_string_print(buffer, " expected, complete %u times before",
                        barrier->phase);
    else
      tile_string_print(buffer, " expected");
    tile_string_print(buffer, ") at %s\n", where);
    return;
  }
  case TILE_WAIT_CLUSTER:
    report->any_barrier = true;
    tile_string_print(buffer,
                      "waits at the cluster barrier (%u of %u threads "
                      "arrived) at %s\n",
                      report->cluster->barrier.num_arrived,
                      report->cluster->num_live_threads, where);
    return;
  case TILE_WAIT_CONVERGE:
    tile_string_print(buffer,
                      "waits for the other lanes of 0x%08x (live 0x%08x) "
                      "at %s\n",
                      wait->object, warp->live, where);
    return;
  case TILE_WAIT_REGISTERS:
    tile_string_print(buffer,
                      "waits for %u registers a thread, %u of the CTA are "
                      "free, at %s\n",
                      wait->object, warp->cta->num_free_registers, where);
    return;
  case TILE_WAIT_CP_ASYNC:
  case TILE_WAIT_WGMMA:
  case TILE_WAIT_BULK:
    tile_string_print(buffer, "waits for asynchronous work at %s\n", where);
    return;
  default:
    tile_string_print(buffer, "runs at %s\n", where);
    return;
  }
}

static bool is_same_place(const TileWarp *warp, uint32_t x, uint32_t y) {
  return warp->pc[x] == warp->pc[y] &&
         warp->wait[x].kind == warp->wait[y].kind &&
         warp->wait[x].object == warp->wait[y].object &&
         (warp->wait[x].kind != TILE_WAIT_MBARRIER ||
          warp->wait[x].phase == warp->wait[y].phase);
}

static void print_warp(Report *report, TileWarp *warp) {
  const TileRun *run = report->cluster->run;
  TileLanes left = warp->live;
  while (left) {
    uint32_t first = tile_lane_first(left);
    TileLanes group = 0;
    TILE_FOR_LANES (l, left) {
      if (is_same_place(warp, first, l))
        group |= tile_lane_bit(l);
    }
    left &= ~group;
    char where[256];
    tile_emu_insn_where(run->module, &run->kernel->code[warp->pc[first]],
                        where);
    if (report->cluster->num_ctas > 1)
      tile_string_print(report->buffer, "  CTA rank %u", warp->cta->rank);
    else
      tile_string_print(report->buffer, " ");
    tile_string_print(report->buffer, " warp %u lanes 0x%08x: ", warp->index,
                      group);
    TileWait none = {TILE_WAIT_NONE, 0, 0};
    bool is_waiting = tile_lane_in(warp->waiting, first);
    print_wait(report, warp, is_waiting ? &warp->wait[first] : &none, where);
  }
}

/// Warps that are not diverged keep one program counter; here each lane has it.
static void settle_counters(TileCluster *cluster) {
  for (uint32_t r = 0; r < cluster->num_ctas; r++)
    for (uint32_t i = 0; i < cluster->ctas[r].num_warps; i++) {
      TileWarp *warp = &cluster->ctas[r].warps[i];
      if (warp->is_uniform)
        TILE_FOR_LANES (l, warp->live) {
          warp->pc[l] = warp->uniform_pc;
        }
    }
}

static bool waits_for_registers(const TileCta *cta) {
  for (uint32_t i = 0; i < cta->num_warps; i++) {
    const TileWarp *warp = &cta->warps[i];
    TILE_FOR_LANES (l, warp->live & warp->waiting) {
      if (warp->wait[l].kind == TILE_WAIT_REGISTERS)
        return true;
    }
  }
  return false;
}

/// Appends who has the registers of the CTA.
static void print_registers(const TileCta *cta, TileString *buffer) {
  uint32_t at_launch = tile_emu_registers_per_thread(cta->cluster->run);
  tile_string_print(buffer,
                    "      registers of the CTA: %u (%u for each of %u "
                    "threads at launch), %u "
                    "are free",
                    at_launch * cta->num_warps * TILE_WARP_SIZE, at_launch,
                    cta->num_warps * TILE_WARP_SIZE, cta->num_free_registers);
  for (uint32_t first = 0, end; first < cta->num_warps; first = end) {
    uint32_t count = cta->warps[first].num_registers;
    for (end = first + 1;
         end < cta->num_warps && cta->warps[end].num_registers == count;
         end++) {
    }
    tile_string_print(buffer, "; warps %u to %u have %u a thread", first,
                      end - 1, count);
  }
  tile_string_print(buffer, "\n");
}

void tile_emu_deadlock_print(TileCluster *cluster, const char *what,
                             TileString *buffer) {
  Report *report = tile_emu_calloc(1, sizeof *report);
  report->cluster = cluster;
  report->buffer = buffer;
  if (what)
    tile_string_print(buffer, "%s; ", what);
  tile_string_print(buffer,
                    what ? "%s (%u,%u,%u) is here\n"
                         : "no thread of %s (%u,%u,%u) makes progress\n",
                    cluster->num_ctas > 1 ? "the cluster at CTA" : "CTA",
                    cluster->first_ctaid[0], cluster->first_ctaid[1],
                    cluster->first_ctaid[2]);
  settle_counters(cluster);
  for (uint32_t r = 0; r < cluster->num_ctas; r++) {
    for (uint32_t i = 0; i < cluster->ctas[r].num_warps; i++)
      print_warp(report, &cluster->ctas[r].warps[i]);
    if (waits_for_registers(&cluster->ctas[r]))
      print_registers(&cluster->ctas[r], buffer);
    deadlock_exits(&cluster->ctas[r], buffer);
  }
  if (report->any_mbarrier || report->any_barrier)
    deadlock_arrivals(cluster, report->any_mbarrier, report->any_barrier,
                      buffer);
  free(report);
}
