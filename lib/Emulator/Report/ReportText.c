//===- ReportText.c - Statistics as tables, the report as JSON ------------===//
//
// docs/Emulator.md describes the fields. Optional ones are left out when there
// is nothing to say.
//
//===----------------------------------------------------------------------===//

#include "Statistics.h"
#include "Support/JsonWriter.h"

#include <stdio.h>
#include <stdlib.h>

//===-- Order of rows -----------------------------------------------------===//

/// True when row `x` comes after row `y`.
typedef bool (*IsAfter)(const TileKernelStatistics *kernel, uint32_t x,
                        uint32_t y);

/// Insertion is quick enough for the rows of a kernel, and stable.
static void sort(const TileKernelStatistics *kernel, uint32_t *order,
                 uint32_t count, IsAfter is_after) {
  for (uint32_t i = 1; i < count; i++) {
    uint32_t row = order[i], at = i;
    for (; at && is_after(kernel, order[at - 1], row); at--)
      order[at] = order[at - 1];
    order[at] = row;
  }
}

//===-- Products ----------------------------------------------------------===//

static TileProductTotal *product_totals(const TileKernelStatistics *kernel,
                                        uint32_t *out_count) {
  const TileStatistics *statistics = &kernel->statistics;
  TileProductTotal *totals =
      tile_emu_calloc(statistics->num_insns, sizeof *totals);
  uint32_t count = 0;
  for (uint32_t i = 0; i < statistics->num_insns; i++) {
    const TileInsnTraits *traits = &kernel->traits[i];
    uint64_t num_warps = statistics->insns[i].num_warps;
    if (traits->unit != TILE_UNIT_PRODUCT || !num_warps)
      continue;
    uint32_t at = 0;
    while (at < count && strcmp(totals[at].type, traits->type) != 0)
      at++;
    if (at == count)
      memcpy(totals[count++].type, traits->type, sizeof traits->type);
    totals[at].num_warps += num_warps;
    totals[at].macs += num_warps * traits->macs;
  }
  for (uint32_t i = 1; i < count; i++) {
    TileProductTotal total = totals[i];
    uint32_t at = i;
    for (; at && totals[at - 1].macs < total.macs; at--)
      totals[at] = totals[at - 1];
    totals[at] = total;
  }
  *out_count = count;
  return totals;
}

//===-- Shared memory -----------------------------------------------------===//

static uint64_t excess(const TileKernelStatistics *kernel, uint32_t row) {
  const TileInsnCounts *counts = &kernel->statistics.insns[row];
  return counts->num_wavefronts - counts->num_ideal;
}

static bool has_fewer_conflicts(const TileKernelStatistics *kernel, uint32_t x,
                                uint32_t y) {
  return excess(kernel, x) < excess(kernel, y);
}

/// Instructions that accessed shared memory, by wavefronts beyond the ideal,
/// most first, then by line. free().
static uint32_t *bank_order(const TileKernelStatistics *kernel,
                            uint32_t *out_count) {
  const TileStatistics *statistics = &kernel->statistics;
  uint32_t *order = tile_emu_calloc(statistics->num_insns, sizeof *order);
  *out_count = 0;
  for (uint32_t i = 0; i < statistics->num_insns; i++)
    if (statistics->insns[i].num_accesses)
      order[(*out_count)++] = i;
  sort(kernel, order, *out_count, has_fewer_conflicts);
  return order;
}

//===-- Waits -------------------------------------------------------------===//

static bool waits_less(const TileKernelStatistics *kernel, uint32_t x,
                       uint32_t y) {
  const TileWaitCounts *waits = kernel->statistics.waits;
  if (waits[x].num_ticks != waits[y].num_ticks)
    return waits[x].num_ticks < waits[y].num_ticks;
  if (waits[x].kind != waits[y].kind)
    return waits[x].kind > waits[y].kind;
  return waits[x].object > waits[y].object;
}

/// Waits, by ticks, most first, then by name. free().
static uint32_t *wait_order(const TileKernelStatistics *kernel,
                            uint32_t *out_count) {
  *out_count = kernel->statistics.num_waits;
  uint32_t *order = tile_emu_calloc(*out_count, sizeof *order);
  for (uint32_t i = 0; i < *out_count; i++)
    order[i] = i;
  sort(kernel, order, *out_count, waits_less);
  return order;
}

//===-- Tables ------------------------------------------------------------===//

typedef unsigned long long Number;

static void print_classes(const TileKernelStatistics *kernel,
                          TileString *buffer) {
  TileInsnCounts sums[TILE_NUM_CLASSES] = {{0}};
  const TileStatistics *statistics = &kernel->statistics;
  for (uint32_t i = 0; i < statistics->num_insns; i++) {
    TileInsnCounts *sum = &sums[kernel->traits[i].class];
    sum->num_warps += statistics->insns[i].num_warps;
    sum->num_lanes += statistics->insns[i].num_lanes;
  }
  tile_string_print(buffer, "  %-34s %14s %16s\n", "instructions", "warps",
                    "lanes");
  for (int class = 0; class < TILE_NUM_CLASSES; class++)
    if (sums[class].num_warps)
      tile_string_print(buffer, "    %-32s %14llu %16llu\n",
                        tile_emu_class_name((TileInsnClass)class),
                        (Number)sums[class].num_warps,
                        (Number)sums[class].num_lanes);
}

static const char *byte_count_name(TileByteCount count) {
  static const char *const names[TILE_NUM_BYTE_COUNTS] = {
      [TILE_BYTES_GLOBAL_READ] = "global read",
      [TILE_BYTES_GLOBAL_WRITTEN] = "global written",
      [TILE_BYTES_SHARED_READ] = "shared read by ld, ldmatrix",
      [TILE_BYTES_WGMMA_READ] = "shared read by wgmma",
      [TILE_BYTES_SHARED_WRITTEN] = "shared written by st, stmatrix",
      [TILE_BYTES_LOCAL] = "local read and written",
      [TILE_BYTES_ATOMIC] = "atomics",
      [TILE_BYTES_BULK_LOADED] = "TMA and bulk, into shared",
      [TILE_BYTES_BULK_STORED] = "TMA and bulk, from shared",
      [TILE_BYTES_CP_ASYNC] = "cp.async, into shared",
  };
  return names[count];
}

const char *tile_emu_async_kind_name(TileAsyncKind kind) {
  switch (kind) {
  case TILE_ASYNC_LOAD:
    return "TMA and bulk loads";
  case TILE_ASYNC_STORE:
    return "TMA and bulk stores";
  case TILE_ASYNC_CP_ASYNC:
    return "cp.async of a warp";
  case TILE_ASYNC_CP_ASYNC_ARRIVE:
    return "cp.async arrivals";
  case TILE_ASYNC_WGMMA:
    return "wgmma of a warp";
  case TILE_ASYNC_REMOTE:
    return "copies and stores between CTAs";
  default:
    return "others";
  }
}

static void print_bytes(const TileStatistics *statistics, TileString *buffer) {
  bool any = false;
  for (int i = 0; i < TILE_NUM_BYTE_COUNTS; i++) {
    if (!statistics->bytes[i])
      continue;
    if (!any)
      tile_string_print(buffer, "  bytes\n");
    any = true;
    tile_string_print(buffer, "    %-32s %14llu\n",
                      byte_count_name((TileByteCount)i),
                      (Number)statistics->bytes[i]);
  }
}

static void print_async(const TileStatistics *statistics, TileString *buffer) {
  bool any = false;
  for (int i = 0; i < TILE_NUM_ASYNC_KINDS; i++) {
    if (!statistics->num_async[i])
      continue;
    if (!any)
      tile_string_print(buffer, "  asynchronous operations\n");
    any = true;
    tile_string_print(buffer, "    %-32s %14llu\n",
                      tile_emu_async_kind_name((TileAsyncKind)i),
                      (Number)statistics->num_async[i]);
  }
}

static void print_products(const TileKernelStatistics *kernel,
                           TileString *buffer) {
  uint32_t count;
  TileProductTotal *totals = product_totals(kernel, &count);
  for (uint32_t i = 0; i < count; i++) {
    if (i == 0)
      tile_string_print(buffer, "  %-34s %14s %16s\n", "matrix products",
                        "warps", "multiply-adds");
    tile_string_print(buffer, "    %-32s %14llu %16llu\n", totals[i].type,
                      (Number)totals[i].num_warps, (Number)totals[i].macs);
  }
  free(totals);
}

static void print_banks(const TileKernelStatistics *kernel,
                        TileString *buffer) {
  enum { MAX_ROWS = 20 };
  uint32_t count;
  uint32_t *order = bank_order(kernel, &count);
  if (count)
    tile_string_print(buffer, "  %-34s %14s %12s %12s %6s\n",
                      "shared memory, by conflicts", "accesses", "wavefronts",
                      "ideal", "ratio");
  for (uint32_t i = 0; i < count && i < MAX_ROWS; i++) {
    const TileInsnCounts *insn = &kernel->statistics.insns[order[i]];
    double ratio = insn->num_ideal
                       ? (double)insn->num_wavefronts / (double)insn->num_ideal
                       : 1.0;
    tile_string_print(buffer,
                      "    ptx:%-6u %-21.40s %14llu %12llu %12llu %6.2f\n",
                      kernel->lines[order[i]], kernel->opcodes[order[i]],
                      (Number)insn->num_accesses, (Number)insn->num_wavefronts,
                      (Number)insn->num_ideal, ratio);
  }
  if (count > MAX_ROWS)
    tile_string_print(buffer, "    and %u more\n", count - MAX_ROWS);
  free(order);
}

static void print_waits(const TileKernelStatistics *kernel,
                        TileString *buffer) {
  enum { MAX_ROWS = 40 };
  uint32_t count;
  uint32_t *order = wait_order(kernel, &count);
  if (count)
    tile_string_print(buffer, "  %-34s %14s %12s %12s\n",
                      "waits of warps, by ticks waited", "waits", "incomplete",
                      "ticks");
  for (uint32_t i = 0; i < count && i < MAX_ROWS; i++) {
    const TileWaitCounts *wait = &kernel->statistics.waits[order[i]];
    tile_string_print(buffer, "    %-32.60s %14llu %12llu %12llu\n",
                      kernel->wait_names[order[i]], (Number)wait->num_waits,
                      (Number)wait->num_incomplete, (Number)wait->num_ticks);
  }
  if (count > MAX_ROWS)
    tile_string_print(buffer, "    and %u more\n", count - MAX_ROWS);
  free(order);
}

const char *tile_emu_statistics_text(TileEmu *emu) {
  tile_string_deinit(&emu->statistics_text);
  TileString *buffer = &emu->statistics_text;
  tile_string_print(buffer, "%s", "");
  for (uint32_t i = 0; i < emu->num_kernel_statistics; i++) {
    const TileKernelStatistics *kernel = &emu->kernel_statistics[i];
    tile_string_print(buffer, "statistics of %s, %llu launch%s\n", kernel->name,
                      (Number)kernel->num_launches,
                      kernel->num_launches == 1 ? "" : "es");
    print_classes(kernel, buffer);
    print_products(kernel, buffer);
    print_bytes(&kernel->statistics, buffer);
    print_async(&kernel->statistics, buffer);
    print_banks(kernel, buffer);
    print_waits(kernel, buffer);
  }
  return buffer->data;
}

//===-- JSON --------------------------------------------------------------===//

static void write_classes(TileJson *json, const TileKernelStatistics *kernel) {
  uint64_t num_warps[TILE_NUM_CLASSES] = {0}, num_lanes[TILE_NUM_CLASSES] = {0};
  const TileStatistics *statistics = &kernel->statistics;
  for (uint32_t i = 0; i < statistics->num_insns; i++) {
    num_warps[kernel->traits[i].class] += statistics->insns[i].num_warps;
    num_lanes[kernel->traits[i].class] += statistics->insns[i].num_lanes;
  }
  tile_json_open(json, "instructions", '[');
  for (int class = 0; class < TILE_NUM_CLASSES; class++) {
    if (!num_warps[class])
      continue;
    tile_json_open(json, NULL, '{');
    tile_json_print_string(json, "class",
                           tile_emu_class_name((TileInsnClass)class));
    tile_json_print_number(json, "warps", num_warps[class]);
    tile_json_print_number(json, "lanes", num_lanes[class]);
    tile_json_close(json, '}');
  }
  tile_json_close(json, ']');
}

static void write_sums(TileJson *json, const TileStatistics *statistics) {
  tile_json_open(json, "bytes", '{');
  for (int i = 0; i < TILE_NUM_BYTE_COUNTS; i++)
    tile_json_print_number(json, byte_count_name((TileByteCount)i),
                           statistics->bytes[i]);
  tile_json_close(json, '}');
  tile_json_open(json, "asynchronous_operations", '{');
  for (int i = 0; i < TILE_NUM_ASYNC_KINDS; i++)
    tile_json_print_number(json, tile_emu_async_kind_name((TileAsyncKind)i),
                           statistics->num_async[i]);
  tile_json_close(json, '}');
}

static void write_products(TileJson *json, const TileKernelStatistics *kernel) {
  uint32_t count;
  TileProductTotal *totals = product_totals(kernel, &count);
  tile_json_open(json, "matrix_products", '[');
  for (uint32_t i = 0; i < count; i++) {
    tile_json_open(json, NULL, '{');
    tile_json_print_string(json, "type", totals[i].type);
    tile_json_print_number(json, "warps", totals[i].num_warps);
    tile_json_print_number(json, "multiply_adds", totals[i].macs);
    tile_json_close(json, '}');
  }
  tile_json_close(json, ']');
  free(totals);
}

static void write_banks(TileJson *json, const TileKernelStatistics *kernel) {
  uint32_t count;
  uint32_t *order = bank_order(kernel, &count);
  tile_json_open(json, "shared_memory", '[');
  for (uint32_t i = 0; i < count; i++) {
    const TileInsnCounts *insn = &kernel->statistics.insns[order[i]];
    tile_json_open(json, NULL, '{');
    tile_json_print_number(json, "ptx_line", kernel->lines[order[i]]);
    tile_json_print_string(json, "opcode", kernel->opcodes[order[i]]);
    tile_json_print_number(json, "accesses", insn->num_accesses);
    tile_json_print_number(json, "wavefronts", insn->num_wavefronts);
    tile_json_print_number(json, "ideal_wavefronts", insn->num_ideal);
    tile_json_close(json, '}');
  }
  tile_json_close(json, ']');
  free(order);
}

static void write_waits(TileJson *json, const TileKernelStatistics *kernel) {
  uint32_t count;
  uint32_t *order = wait_order(kernel, &count);
  tile_json_open(json, "waits", '[');
  for (uint32_t i = 0; i < count; i++) {
    const TileWaitCounts *wait = &kernel->statistics.waits[order[i]];
    tile_json_open(json, NULL, '{');
    tile_json_print_string(json, "for", kernel->wait_names[order[i]]);
    tile_json_print_number(json, "waits", wait->num_waits);
    tile_json_print_number(json, "incomplete", wait->num_incomplete);
    tile_json_print_number(json, "ticks", wait->num_ticks);
    tile_json_close(json, '}');
  }
  tile_json_close(json, ']');
  free(order);
}

// Member "kernels" of the object that is open.
static void statistics_json(const TileEmu *emu, TileJson *json) {
  tile_json_open(json, "kernels", '[');
  for (uint32_t i = 0; i < emu->num_kernel_statistics; i++) {
    const TileKernelStatistics *kernel = &emu->kernel_statistics[i];
    tile_json_open(json, NULL, '{');
    tile_json_print_string(json, "name", kernel->name);
    tile_json_print_number(json, "launches", kernel->num_launches);
    write_classes(json, kernel);
    write_products(json, kernel);
    write_sums(json, &kernel->statistics);
    write_banks(json, kernel);
    write_waits(json, kernel);
    tile_json_close(json, '}');
  }
  tile_json_close(json, ']');
}

static void write_triple(TileJson *json, const char *key,
                         const uint32_t values[3]) {
  tile_json_open_as(json, key, '[', TILE_JSON_DENSE);
  for (int i = 0; i < 3; i++)
    tile_json_print_number(json, NULL, values[i]);
  tile_json_close(json, ']');
}

/// One string a line.
static void write_lines(TileJson *json, const char *key, const char *text) {
  tile_json_open(json, key, '[');
  while (*text) {
    text += strspn(text, " ");
    size_t length = strcspn(text, "\n");
    tile_json_print_string_part(json, NULL, text, length);
    text += length;
    text += *text == '\n';
  }
  tile_json_close(json, ']');
}

static void write_instruction(TileJson *json, const TileEmuFinding *finding) {
  tile_json_print_number(json, "ptx_line", finding->ptx_line);
  tile_json_print_string(json, "opcode", finding->opcode);
  if (!finding->source_file)
    return;
  tile_json_print_string(json, "source_file", finding->source_file);
  tile_json_print_number(json, "source_line", finding->source_line);
}

static void write_earlier(TileJson *json, const TileEmuPlace *earlier) {
  if (!earlier->ptx_line)
    return;
  tile_json_open(json, "earlier", '{');
  tile_json_print_number(json, "ptx_line", earlier->ptx_line);
  tile_json_print_string(json, "opcode", earlier->opcode);
  if (earlier->source_file) {
    tile_json_print_string(json, "source_file", earlier->source_file);
    tile_json_print_number(json, "source_line", earlier->source_line);
  }
  tile_json_close(json, '}');
}

static void write_others(TileJson *json, const TileEmuFinding *finding) {
  if (!finding->num_other_lines)
    return;
  tile_json_open_as(json, "other_ptx_lines", '[', TILE_JSON_DENSE);
  for (size_t i = 0; i < finding->num_other_lines; i++)
    tile_json_print_number(json, NULL, finding->other_lines[i]);
  tile_json_close(json, ']');
}

static void write_finding(TileJson *json, const TileEmuFinding *finding) {
  tile_json_open(json, NULL, '{');
  tile_json_print_string(json, "kind", finding->kind);
  tile_json_print_string(json, "severity",
                         finding->is_pedantic ? "pedantic" : "error");
  tile_json_print_string(json, "message", finding->message);
  tile_json_print_string(json, "likely_cause", finding->cause);
  tile_json_print_number(json, "count", finding->count);
  tile_json_print_string(json, "kernel", finding->kernel);
  if (finding->ptx_line)
    write_instruction(json, finding);
  write_others(json, finding);
  write_earlier(json, &finding->earlier);
  if (finding->has_cta)
    write_triple(json, "cta", finding->ctaid);
  if (finding->has_warp) {
    char lanes[16];
    snprintf(lanes, sizeof lanes, "0x%08x", finding->lanes);
    tile_json_print_number(json, "warp", finding->warp);
    tile_json_print_string(json, "lanes", lanes);
  }
  if (finding->memory_space) {
    char offset[24];
    snprintf(offset, sizeof offset, "0x%llx",
             (unsigned long long)finding->memory_offset);
    tile_json_open(json, "memory", '{');
    tile_json_print_string(json, "space", finding->memory_space);
    tile_json_print_string(json, "name", finding->memory_name);
    if (!strcmp(finding->memory_space, "shared"))
      tile_json_print_string(json, "address", offset);
    tile_json_close(json, '}');
  }
  write_lines(json, "history", finding->history);
  tile_json_print_string(json, "text", finding->text);
  tile_json_close(json, '}');
}

static void write_options(TileJson *json, const TileEmuOptions *options) {
  tile_json_open(json, "options", '{');
  // Seeds have 64 bits, numbers of JSON readers often fewer.
  char seed[24];
  snprintf(seed, sizeof seed, "%llu", (unsigned long long)options->seed);
  tile_json_print_string(json, "seed", seed);
  tile_json_print_string(json, "schedule",
                         tile_emu_schedule_name(options->schedule));
  tile_json_print_bool(json, "detect_races", options->detect_races);
  tile_json_print_bool(json, "pedantic", options->pedantic);
  tile_json_close(json, '}');
}

static void write_stats(TileJson *json, const TileEmu *emu) {
  tile_json_open(json, "statistics", '{');
  tile_json_print_number(json, "warp_instructions",
                         emu->stats.num_warp_instructions);
  tile_json_print_number(json, "lane_instructions",
                         emu->stats.num_lane_instructions);
  tile_json_print_number(json, "asynchronous_operations",
                         emu->stats.num_async_ops);
  if (emu->options.collect_statistics)
    statistics_json(emu, json);
  tile_json_close(json, '}');
}

const char *tile_emu_report_json(TileEmu *emu, const char *failure) {
  tile_string_deinit(&emu->json);
  TileJson json = {.out = &emu->json};
  tile_json_open(&json, NULL, '{');
  tile_json_print_number(&json, "format", 1);
  tile_json_print_bool(&json, "passed",
                       !failure && !tile_emu_num_findings(emu));
  tile_json_print_string(&json, "failure", failure);
  write_options(&json, &emu->options);
  tile_json_print_number(&json, "num_findings", tile_emu_num_findings(emu));
  tile_json_open(&json, "findings", '[');
  for (uint32_t i = 0; i < emu->num_finding_views; i++)
    write_finding(&json, &emu->finding_views[i]);
  tile_json_close(&json, ']');
  write_stats(&json, emu);
  tile_json_print_string(&json, "output", emu->output.data);
  tile_json_close(&json, '}');
  return emu->json.data;
}
