//===- FindingView.c - Findings as data for users -------------------------===//

#include "FindingView.h"

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
  TileBuffer text = {0};
  tile_emu_finding_print(finding, &text);
  const char *message = copy(emu, finding->message);
  const char *newline = strchr(message, '\n');
  *out_view = (TileEmuFinding){
      .kind = tile_emu_finding_name(finding->kind),
      .text = copy(emu, text.text),
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
  tile_emu_buffer_deinit(&text);
}
