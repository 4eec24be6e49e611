//===- FindingJson.c - The report of the emulator as JSON -----------------===//
//
// docs/Emulator.md describes the fields. Optional ones are left out when there
// is nothing to say.
//
//===----------------------------------------------------------------------===//

#include "Statistics.h"
#include "Support/JsonWriter.h"

#include <stdio.h>

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
    tile_emu_statistics_json(emu, json);
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
