//===- Findings.c - What the emulator reports about a kernel --------------===//

#include "Findings.h"
#include "Emulator/Machine.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
  const char *name;
  bool is_pedantic;
  const char *cause;
} KindInfo;

static const KindInfo kinds[TILE_FINDING_NUM_KINDS] = {
    [TILE_FINDING_RACE] =
        {"data-race", false,
         "a barrier, mbarrier wait or wait_group between the two accesses is "
         "missing, waits for the wrong phase, or is not executed by this "
         "thread"},
    [TILE_FINDING_RACE_OVERLAP] =
        {"data-race", false,
         "two copies that complete together write the same bytes: a slot or "
         "box offset is wrong"},
    [TILE_FINDING_RACE_MBARRIER_INIT] =
        {"data-race", false,
         "no barrier between mbarrier.init and the first use by other "
         "threads"},
    [TILE_FINDING_RACE_WARPGROUP] =
        {"data-race", false,
         "wgmma.wait_group waits for the part of its own warp: a barrier of "
         "the warpgroup between it and the store is missing"},
    [TILE_FINDING_RACE_PEDANTIC] =
        {"data-race(pedantic)", true,
         "a thread said that all of wgmma is done after wgmma.wait_group of "
         "its own warp; the other warps of the warpgroup did not say so"},
    [TILE_FINDING_PROXY] =
        {"proxy-fence", false,
         "fence.proxy.async is missing between the generic write and the "
         "barrier that the reader waits for"},
    [TILE_FINDING_PROXY_PEDANTIC] =
        {"proxy-fence(pedantic)", true,
         "by the letter of the memory model fence.proxy.async is missing"},
    [TILE_FINDING_PROXY_LOAD] =
        {"proxy-fence", false,
         "an arrival at an mbarrier does not wait for loads: "
         "fence.proxy.async or a barrier between the load and the arrival is "
         "missing"},
    [TILE_FINDING_UNINITIALISED] =
        {"uninitialised-read", false,
         "nobody wrote these bytes yet: a wait is missing, or reader and "
         "writer disagree about the address"},
    [TILE_FINDING_UNINITIALISED_PEDANTIC] =
        {"uninitialised-read(pedantic)", true,
         "a branch depends on bytes that nobody wrote; what follows may not"},
    [TILE_FINDING_UNDEFINED_REGISTER] =
        {"undefined-register", false,
         "a variable or an accumulator without an initial value, or a path "
         "around the instruction that gives it one"},
    [TILE_FINDING_UNDEFINED_REGISTER_PEDANTIC] =
        {"undefined-register(pedantic)", true,
         "a branch depends on a value that nobody wrote; what follows may not"},
    [TILE_FINDING_UNUSED_PEDANTIC] =
        {"uninitialised-read(pedantic)", true,
         "nobody wrote these bytes yet; what was read may never be used"},
    [TILE_FINDING_RACE_UNUSED_PEDANTIC] =
        {"data-race(pedantic)", true,
         "nobody has used the value that was read, so far: a fetch too many, "
         "or "
         "a barrier that is missing before the next write"},
    [TILE_FINDING_BOUNDS_SHARED] =
        {"out-of-bounds", false,
         "the launch gives too little dynamic shared memory, or an index is "
         "wrong"},
    [TILE_FINDING_BOUNDS_GLOBAL] =
        {"out-of-bounds", false,
         "the grid covers more than the problem and a guard is missing, or a "
         "stride or an argument is wrong"},
    [TILE_FINDING_BOUNDS_LOCAL] = {"out-of-bounds", false,
                                   "an index into a local array is too large"},
    [TILE_FINDING_BOUNDS_TABLE] = {"out-of-bounds", false,
                                   "the index of a branch table is too large"},
    [TILE_FINDING_BOUNDS_CLUSTER] =
        {"out-of-bounds", false,
         "the kernel was written for a larger cluster than it was launched "
         "with"},
    [TILE_FINDING_ALIGNMENT] =
        {"misaligned", false,
         "an address must be a multiple of the access size; shared buffers "
         "of TMA need at least 128 bytes"},
    [TILE_FINDING_DEADLOCK] =
        {"DEADLOCK", false,
         "compare what each waiter expects with the history of its barrier: "
         "a wrong parity, arrival count or expect_tx, or an arrival that is "
         "never executed"},
    [TILE_FINDING_LIVELOCK] =
        {"LIVELOCK", false,
         "threads spin on memory that nobody changes: all registers came back "
         "to what they were"},
    [TILE_FINDING_LIVELOCK_ALONE] =
        {"LIVELOCK", false,
         "threads spin on memory that nobody changes; clusters run one after "
         "another here, so a kernel that waits for other clusters needs "
         "--co-resident (co_resident in TileEmuOptions)"},
    [TILE_FINDING_NO_PROGRESS] =
        {"no-progress", false,
         "many instructions have changed nothing that others can see: threads "
         "spin and count or read the clock, or compute for very long"},
    [TILE_FINDING_NO_PROGRESS_ALONE] =
        {"no-progress", false,
         "many instructions have changed nothing that others can see; clusters "
         "run one after another here, so a kernel that waits for other "
         "clusters needs --co-resident (co_resident in TileEmuOptions)"},
    [TILE_FINDING_NO_PROGRESS_TOGETHER] =
        {"no-progress", false,
         "all CTAs of the grid run at the same time, so they wait for "
         "something that none of them will do"},
    [TILE_FINDING_DEADLOCK_QUEUE] =
        {"DEADLOCK", false,
         "the grid is larger than the device has room for: a grid barrier "
         "needs all CTAs at the same time, and a CTA must not wait for one "
         "with a larger number that may not have started"},
    [TILE_FINDING_INSTRUCTION_LIMIT] =
        {"instruction-limit", false,
         "the kernel is larger than the limit allows, or a loop does not end; "
         "max_instructions in TileEmuOptions"},
    [TILE_FINDING_MBARRIER_ABSENT] =
        {"mbarrier", false,
         "mbarrier.init was not executed yet, or the address is wrong"},
    [TILE_FINDING_MBARRIER_COUNT] =
        {"mbarrier", false,
         "the count given to mbarrier.init is smaller than the number of "
         "arrivals of a phase"},
    [TILE_FINDING_MBARRIER_OPERAND] =
        {"mbarrier", false, "an operand has a value that PTX does not allow"},
    [TILE_FINDING_MBARRIER_REINIT] =
        {"mbarrier", false,
         "mbarrier.inval is missing before the memory is used again"},
    [TILE_FINDING_MBARRIER_OVERWRITE] =
        {"mbarrier", false,
         "a buffer overlaps the mbarrier, or a copy is larger than its "
         "buffer"},
    [TILE_FINDING_PHASE_MISSED] =
        {"mbarrier-phase", false,
         "nothing makes the next phase wait for this thread: a barrier, or an "
         "arrival that gives the slot back, is missing after the wait"},
    [TILE_FINDING_PHASE_MISSED_PEDANTIC] =
        {"mbarrier-phase(pedantic)", true,
         "another lane of the warp, or another warp of the warpgroup after "
         "wgmma, said that the wait is over"},
    [TILE_FINDING_PHASE_EARLY] =
        {"mbarrier-phase", false,
         "a wait for the phase before, or a barrier after that of another "
         "thread, is missing, or the parity is wrong"},
    [TILE_FINDING_TX_TOO_SMALL] =
        {"mbarrier-tx", false,
         "expect_tx must announce the bytes of all copies of the phase, also "
         "those outside of the tensor"},
    [TILE_FINDING_TX_PENDING] =
        {"mbarrier-tx", false,
         "expect_tx announced more bytes than were copied, or nobody waited "
         "for the copies"},
    [TILE_FINDING_BARRIER] =
        {"barrier", false,
         "all threads that meet at a barrier must name the same count, a "
         "multiple of the warp size"},
    [TILE_FINDING_WGMMA_REGISTER] =
        {"wgmma-register", false,
         "wgmma.wait_group is missing or leaves too many groups pending"},
    [TILE_FINDING_WGMMA_FENCE] =
        {"wgmma-fence", false,
         "wgmma.fence is required before the first wgmma.mma_async"},
    [TILE_FINDING_WGMMA_FENCE_REGISTER] =
        {"wgmma-fence", false,
         "wgmma.fence is required after registers of wgmma are written by "
         "other instructions"},
    [TILE_FINDING_DIVERGENCE] =
        {"divergence", false,
         "a branch lets only some lanes of the warp reach an instruction that "
         "all lanes of its member mask must execute together"},
    [TILE_FINDING_DIVERGENCE_WGMMA] =
        {"divergence", false,
         "all four warps of an aligned warpgroup must execute the same wgmma "
         "instructions"},
    [TILE_FINDING_NOT_UNIFORM] = {"divergence", false,
                                  "all lanes of the warp must give a warp-wide "
                                  "access the same operands"},
    [TILE_FINDING_EXIT_PEDANTIC] =
        {"barrier(pedantic)", true,
         "a barrier without a thread count was completed by warps that "
         "exited"},
    [TILE_FINDING_DESCRIPTOR] =
        {"descriptor", false,
         "a field of the wgmma matrix descriptor is wrong"},
    [TILE_FINDING_DESCRIPTOR_SWIZZLE] =
        {"descriptor", false,
         "swizzle of the tensor map and of the wgmma descriptor must agree"},
    [TILE_FINDING_SPARSE_METADATA] =
        {"sparse-metadata", false,
         "metadata or its selector do not belong to this shape, or the lanes "
         "that hold it are not those that the selector names"},
    [TILE_FINDING_TENSOR_MAP] =
        {"tensor-map", false,
         "the kernel parameter is not the tensor map the kernel was built "
         "for"},
    [TILE_FINDING_TENSOR_COORDINATES] =
        {"tensor-coordinates", false,
         "hardware stops with an illegal instruction: a box must begin at a "
         "multiple of 16 bytes, stores at no negative coordinate, and im2col "
         "inside of the box of the map"},
    [TILE_FINDING_MAP_PROXY] =
        {"tensor-map-fence", false,
         "TMA may still use the old map: the writer needs "
         "fence.proxy.tensormap::generic.release, a thread of each CTA that "
         "uses it the acquire"},
    [TILE_FINDING_UNSUPPORTED] =
        {"unsupported", false,
         "the emulator does not know this instruction; nothing is said about "
         "the rest of the kernel"},
    [TILE_FINDING_TRAP] = {"trap", false, "an assertion of the kernel failed"},
    [TILE_FINDING_LEAK_WRITE] =
        {"async-leak", false,
         "the kernel must wait for every copy into shared memory before it "
         "ends"},
    [TILE_FINDING_LEAK_READ_PEDANTIC] =
        {"async-leak(pedantic)", true,
         "cp.async.bulk.wait_group.read is missing before the end"},
    [TILE_FINDING_GLOBAL_CONFLICT] =
        {"global-write-conflict", false,
         "two threads write the same output: the mapping from CTA or thread "
         "to output overlaps"},
    [TILE_FINDING_GLOBAL_RACE] =
        {"data-race", false,
         "between threads a barrier is missing, after a bulk store a "
         "wait_group "
         "without .read; CTAs need a counter or flag that one writes and the "
         "other reads with atomics, after a fence"},
    [TILE_FINDING_RACE_TEST_PEDANTIC] =
        {"data-race(pedantic)", true,
         "a plain load races with an atomic update that compares, exchanges or "
         "only goes one way; the load should be .relaxed"},
    [TILE_FINDING_STACK] =
        {"stack-overflow", false,
         "a recursion does not end, or needs a larger stack than the device "
         "has by default"},
    [TILE_FINDING_CALL] =
        {"bad-call", false,
         "a function pointer was never set or points to a function of another "
         "type, or a .noreturn function returns"},
    [TILE_FINDING_CLUSTER_EXIT] =
        {"cluster-exit", false,
         "a CTA must stay until the others are done with its shared memory: a "
         "barrier.cluster at the end is missing"},
    [TILE_FINDING_CLUSTER_CANCEL] =
        {"cluster-cancel", false,
         "the response must come from try_cancel, through a wait on its "
         "mbarrier; after one that failed there is no CTA to read and nothing "
         "more to ask for"},
    [TILE_FINDING_REGISTER_COUNT] =
        {"setmaxnreg", false,
         "`inc` must ask for no fewer registers than the warp has, `dec` for "
         "no more; the warps of a role execute it once"},
    [TILE_FINDING_REGISTERS_PEDANTIC] =
        {"setmaxnreg(pedantic)", true,
         "the kernel needs .maxnreg, or .minnctapersm beside .maxntid or "
         ".reqntid"},
};

const char *tile_emu_finding_name(TileFindingKind kind) {
  return kinds[kind].name;
}

const char *tile_emu_finding_cause(TileFindingKind kind) {
  return kinds[kind].cause;
}

bool tile_emu_finding_is_pedantic(TileFindingKind kind) {
  return kinds[kind].is_pedantic;
}

//===-- Text --------------------------------------------------------------===//

static const char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

const char *tile_emu_insn_where(const TileEmuModule *module,
                                const TileInsn *insn, char out_text[256]) {
  const char *file = NULL;
  if (insn->source_file && insn->source_file < module->num_files)
    file = module->files[insn->source_file];
  const char *opcode = insn->opcode ? insn->opcode : "?";
  if (file)
    snprintf(out_text, 256, "ptx:%u (%.100s:%u) `%.80s`", insn->line,
             base_name(file), insn->source_line, opcode);
  else
    snprintf(out_text, 256, "ptx:%u `%.80s`", insn->line, opcode);
  return out_text;
}

//===-- Recording ---------------------------------------------------------===//

static bool is_member(const TileFinding *finding, const TileInsn *insn) {
  bool is_one = finding->insn == insn;
  for (uint32_t i = 0; i < finding->num_others; i++)
    is_one |= finding->others[i] == insn;
  return is_one;
}

/// The finding that `insn` is already counted in.
static TileFinding *finding_find(TileFindings *findings, const TileInsn *insn,
                                 TileFindingKind kind) {
  for (uint32_t i = findings->first_of_launch; i < findings->count; i++)
    if (findings->items[i].kind == kind && is_member(&findings->items[i], insn))
      return &findings->items[i];
  return NULL;
}

/// Do both instructions come from one line, or look as if they did?
static bool is_same_cause(const TileFinding *finding, const TileInsn *insn,
                          const TileInsn *earlier) {
  const TileInsn *first = finding->insn;
  if (!first || !insn)
    return first == insn;
  if (first->source_file || insn->source_file)
    return first->source_file == insn->source_file &&
           first->source_line == insn->source_line &&
           !strcmp(first->opcode, insn->opcode);
  bool has_earlier = finding->earlier && earlier;
  return !strcmp(first->opcode, insn->opcode) &&
         (has_earlier ? !strcmp(finding->earlier->opcode, earlier->opcode)
                      : finding->earlier == earlier);
}

/// The finding that `insn` can join.
static TileFinding *group_find(TileFindings *findings, const TileInsn *insn,
                               const TileInsn *earlier, TileFindingKind kind) {
  for (uint32_t i = findings->first_of_launch; i < findings->count; i++)
    if (findings->items[i].kind == kind &&
        is_same_cause(&findings->items[i], insn, earlier))
      return &findings->items[i];
  return NULL;
}

static void group_add(TileFinding *finding, const TileInsn *insn) {
  if (is_member(finding, insn))
    return;
  finding->others = tile_emu_realloc(
      finding->others, (finding->num_others + 1) * sizeof *finding->others);
  finding->others[finding->num_others++] = insn;
}

bool tile_emu_find_is_new(TileWarp *warp, const TileInsn *insn, TileLanes lanes,
                          TileFindingKind kind) {
  TileCluster *cluster = warp->cluster;
  if (kinds[kind].is_pedantic && !cluster->emu->options.pedantic)
    return false;
  if (insn && !tile_finding_set_has(
                  &cluster->reported[insn - warp->kernel->code], kind))
    return true;
  TileFinding *old = finding_find(&cluster->findings, insn, kind);
  if (!old) // none yet, or dropped
    return !insn;
  old->count++;
  if (old->warp == warp)
    old->lanes |= lanes;
  return false;
}

/// Adds an entry unless the limit is reached. Takes the message.
static TileFinding *finding_add(TileCluster *cluster, TileFindingKind kind,
                                char *message) {
  TileFindings *findings = &cluster->findings;
  if (findings->count >= (uint32_t)cluster->emu->options.max_findings) {
    findings->num_dropped++;
    free(message);
    return NULL;
  }
  findings->items = tile_emu_realloc(
      findings->items, (findings->count + 1) * sizeof *findings->items);
  TileFinding *finding = &findings->items[findings->count++];
  *finding = (TileFinding){.kind = kind, .message = message, .count = 1};
  return finding;
}

void tile_emu_find_memory(TileWarp *warp, const char *space, uint64_t offset,
                          const char *name) {
  TileFindingMemory *memory = &warp->cluster->finding_memory;
  memory->space = space;
  memory->offset = offset;
  snprintf(memory->name, sizeof memory->name, "%.199s", name);
}

void tile_emu_find_earlier(TileWarp *warp, const TileInsn *insn) {
  warp->cluster->finding_earlier = insn;
}

void tile_emu_find(TileWarp *warp, const TileInsn *insn, TileLanes lanes,
                   TileFindingKind kind, const char *format, ...) {
  TileCluster *cluster = warp->cluster;
  TileFindingMemory memory = cluster->finding_memory;
  const TileInsn *earlier = cluster->finding_earlier;
  cluster->finding_memory.space = NULL;
  cluster->finding_earlier = NULL;
  if (!tile_emu_find_is_new(warp, insn, lanes, kind))
    return;
  char text[4000], where[256];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  if (insn)
    tile_finding_set_add(&cluster->reported[insn - warp->kernel->code], kind);
  TileFinding *group = group_find(&cluster->findings, insn, earlier, kind);
  if (insn && group) {
    group_add(group, insn);
    group->count++;
    return;
  }
  TileFinding *finding = finding_add(cluster, kind, strdup(text));
  if (!finding)
    return;
  finding->earlier = earlier;
  finding->place =
      strdup(insn ? tile_emu_insn_where(cluster->run->module, insn, where)
                  : "the end of the CTA");
  finding->insn = insn;
  finding->warp = warp;
  memcpy(finding->ctaid, warp->cta->ctaid, sizeof finding->ctaid);
  finding->warp_index = warp->index;
  finding->lanes = lanes;
  finding->memory = memory;
}

void tile_emu_find_in_cluster(TileCluster *cluster, TileFindingKind kind,
                              const char *text) {
  TileFinding *old = finding_find(&cluster->findings, NULL, kind);
  if (old) {
    old->count++;
    return;
  }
  TileFinding *finding = finding_add(cluster, kind, strdup(text));
  if (finding)
    memcpy(finding->ctaid, cluster->first_ctaid, sizeof finding->ctaid);
}

//===-- Putting together --------------------------------------------------===//

void tile_emu_findings_deinit(TileFindings *findings) {
  for (uint32_t i = 0; i < findings->count; i++) {
    free(findings->items[i].message);
    free(findings->items[i].place);
    free(findings->items[i].others);
  }
  free(findings->items);
  *findings = (TileFindings){0};
}

void tile_emu_findings_merge(TileFindings *findings, TileFindings *others,
                             uint32_t max_findings) {
  findings->num_dropped += others->num_dropped;
  for (uint32_t i = 0; i < others->count; i++) {
    TileFinding *other = &others->items[i];
    TileFinding *old =
        group_find(findings, other->insn, other->earlier, other->kind);
    if (old) {
      old->count += other->count;
      group_add(old, other->insn);
      for (uint32_t k = 0; k < other->num_others; k++)
        group_add(old, other->others[k]);
      continue;
    }
    if (findings->count >= max_findings) {
      findings->num_dropped++;
      continue;
    }
    findings->items = tile_emu_realloc(
        findings->items, (findings->count + 1) * sizeof *findings->items);
    findings->items[findings->count++] = *other;
    other->message = other->place = NULL; // moved
    other->others = NULL;
  }
  tile_emu_findings_deinit(others);
}

//===-- Printing ----------------------------------------------------------===//

static void print_lanes(TileLanes lanes, TileString *buffer) {
  if (lanes == 0)
    return;
  if (tile_lane_count(lanes) == 1)
    tile_string_print(buffer, " lane %u", tile_lane_first(lanes));
  else
    tile_string_print(buffer, " lanes 0x%08x", lanes);
}

/// "the same at ptx:12, 14 and 3 more lines".
static void print_others(const TileFinding *finding, TileString *buffer) {
  enum { MAX_LINES = 8 };
  if (!finding->num_others)
    return;
  tile_string_print(buffer, "    the same at ptx:");
  uint32_t count =
      finding->num_others < MAX_LINES ? finding->num_others : MAX_LINES;
  for (uint32_t i = 0; i < count; i++)
    tile_string_print(buffer, "%s%u", i ? ", " : "", finding->others[i]->line);
  if (finding->num_others > count)
    tile_string_print(buffer, " and %u more instructions",
                      finding->num_others - count);
  tile_string_print(buffer, "\n");
}

/// Appends the paragraph of a finding.
static void finding_print(const TileFinding *finding, TileString *buffer) {
  tile_string_print(buffer, "[%s] %s\n", kinds[finding->kind].name,
                    finding->message);
  if (finding->place) {
    tile_string_print(buffer, "    at %s, CTA (%u,%u,%u) warp %u",
                      finding->place, finding->ctaid[0], finding->ctaid[1],
                      finding->ctaid[2], finding->warp_index);
    print_lanes(finding->lanes, buffer);
    tile_string_print(buffer, "\n");
  }
  print_others(finding, buffer);
  if (finding->count > 1)
    tile_string_print(buffer, "    and %llu more times\n",
                      (unsigned long long)finding->count - 1);
  tile_string_print(buffer, "    likely cause: %s\n",
                    kinds[finding->kind].cause);
}

//===-- Findings as data --------------------------------------------------===//

static const char *copy(TileEmu *emu, const char *text) {
  return text ? tile_arena_strdup(&emu->names, text, strlen(text)) : NULL;
}

static TileEmuPlace place_of(const TileRun *run, const TileInsn *insn) {
  const TileEmuModule *module = run->module;
  TileEmuPlace place = {.ptx_line = insn->line,
                        .opcode = copy(run->emu, insn->opcode)};
  if (!insn->source_file || insn->source_file >= module->num_files)
    return place;
  place.source_file = copy(run->emu, module->files[insn->source_file]);
  place.source_line = insn->source_line;
  return place;
}

static void view_insn(const TileRun *run, const TileInsn *insn,
                      TileEmuFinding *view) {
  TileEmuPlace place = place_of(run, insn);
  view->ptx_line = place.ptx_line;
  view->opcode = place.opcode;
  view->source_file = place.source_file;
  view->source_line = place.source_line;
}

static void view_others(const TileRun *run, const TileFinding *finding,
                        TileEmuFinding *view) {
  uint32_t *lines = tile_arena_alloc(&run->emu->names,
                                     (finding->num_others + 1) * sizeof *lines);
  for (uint32_t i = 0; i < finding->num_others; i++)
    lines[i] = finding->others[i]->line;
  view->other_lines = lines;
  view->num_other_lines = finding->num_others;
}

void tile_emu_finding_view(const TileRun *run, const TileFinding *finding,
                           TileEmuFinding *out_view) {
  TileEmu *emu = run->emu;
  TileString text = {0};
  finding_print(finding, &text);
  const char *message = copy(emu, finding->message);
  const char *newline = strchr(message, '\n');
  *out_view = (TileEmuFinding){
      .kind = tile_emu_finding_name(finding->kind),
      .text = copy(emu, text.data),
      .count = finding->count,
      .is_pedantic = tile_emu_finding_is_pedantic(finding->kind),
      .message = message,
      .history = newline ? newline + 1 : "",
      .cause = tile_emu_finding_cause(finding->kind),
      .kernel = copy(emu, run->kernel->name),
      .has_cta = finding->place != NULL,
      .has_warp = finding->insn != NULL,
      .warp = finding->warp_index,
      .lanes = finding->lanes,
  };
  if (newline)
    out_view->message =
        tile_arena_strdup(&emu->names, message, (size_t)(newline - message));
  memcpy(out_view->ctaid, finding->ctaid, sizeof out_view->ctaid);
  if (finding->insn)
    view_insn(run, finding->insn, out_view);
  view_others(run, finding, out_view);
  if (finding->earlier)
    out_view->earlier = place_of(run, finding->earlier);
  if (finding->memory.space) {
    out_view->memory_space = finding->memory.space;
    out_view->memory_name = copy(emu, finding->memory.name);
    out_view->memory_offset = finding->memory.offset;
  }
  tile_string_deinit(&text);
}
