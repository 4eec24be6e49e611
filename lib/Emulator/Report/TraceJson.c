//===- TraceJson.c - A trace for chrome://tracing and Perfetto ------------===//
//
// Format: "Trace Event Format", complete events (X) and metadata (M). A process
// is a CTA; its threads are warps, ordered by role, and rows of asynchronous
// units.
//
//===----------------------------------------------------------------------===//

#include "Statistics.h"
#include "Support/JsonWriter.h"

#include <stdio.h>

enum {
  FIRST_ASYNC_ROW = 1000, // thread ids of asynchronous units
  ROWS_PER_UNIT = 100
};

typedef struct {
  const TileCluster *cluster;
  const TileTrace *trace;
  TileJson json;
} Printer;

/// Every CTA of every launch is a process.
static uint64_t process_of(const TileCluster *cluster, uint32_t cta_rank) {
  const TileRun *run = cluster->run;
  const uint32_t *ctaid = cluster->ctas[cta_rank].ctaid;
  uint64_t number =
      ((uint64_t)ctaid[2] * run->grid[1] + ctaid[1]) * run->grid[0] + ctaid[0];
  return 1 + run->emu->num_traced_ctas + number;
}

/// One event a line.
static void event_open(Printer *printer, const char *phase, const char *name,
                       uint32_t cta_rank, uint32_t thread) {
  TileJson *json = &printer->json;
  *json = (TileJson){.out = json->out, .layout = TILE_JSON_DENSE};
  tile_json_open(json, NULL, '{');
  tile_json_print_string(json, "ph", phase);
  tile_json_print_string(json, "name", name);
  tile_json_print_number(json, "pid", process_of(printer->cluster, cta_rank));
  tile_json_print_number(json, "tid", thread);
}

static void event_close(Printer *printer) {
  TileString *buffer = printer->json.out;
  tile_json_close(&printer->json, '}');
  tile_string_print(buffer, ",\n");
}

/// thread_name, thread_sort_index, process_name.
static void print_name(Printer *printer, const char *what, uint32_t cta_rank,
                       uint32_t thread, const char *name) {
  event_open(printer, "M", what, cta_rank, thread);
  tile_json_open(&printer->json, "args", '{');
  tile_json_print_string(&printer->json, "name", name);
  tile_json_close(&printer->json, '}');
  event_close(printer);
}

static void print_order(Printer *printer, uint32_t cta_rank, uint32_t thread,
                        uint32_t order) {
  event_open(printer, "M", "thread_sort_index", cta_rank, thread);
  tile_json_open(&printer->json, "args", '{');
  tile_json_print_number(&printer->json, "sort_index", order);
  tile_json_close(&printer->json, '}');
  event_close(printer);
}

//===-- Warps -------------------------------------------------------------===//

/// Warps that executed the same copies, products and waits have one role.
static uint32_t role_of(const TileWarpTrace *warps, uint32_t warp) {
  uint32_t role = 0;
  for (uint32_t i = 0; i <= warp; i++) {
    bool is_new = true;
    for (uint32_t k = 0; k < i; k++)
      is_new &= warps[k].code != warps[i].code;
    role += is_new;
    if (warps[i].code == warps[warp].code)
      return role - 1;
  }
  return role;
}

static void role_describe(uint32_t units, char out_text[80]) {
  static const struct {
    TileInsnUnit unit;
    const char *word;
  } words[] = {{TILE_UNIT_BULK, "TMA"},
               {TILE_UNIT_CP_ASYNC, "cp.async"},
               {TILE_UNIT_PRODUCT, "products"},
               {TILE_UNIT_STORE, "stores"}};
  size_t length = 0;
  out_text[0] = 0;
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
    if (units & 1u << words[i].unit && length < 60)
      length += (size_t)snprintf(out_text + length, 80 - length, "%s%s",
                                 length ? ", " : "", words[i].word);
}

static void print_warps(Printer *printer, uint32_t cta_rank) {
  uint32_t num_warps = printer->cluster->ctas[cta_rank].num_warps;
  const TileWarpTrace *warps =
      printer->trace->warps + (size_t)cta_rank * num_warps;
  for (uint32_t i = 0; i < num_warps; i++) {
    char name[160], what[80];
    uint32_t role = role_of(warps, i);
    role_describe(warps[i].units, what);
    snprintf(name, sizeof name, "role %u%s%s%s, warp %u", role,
             what[0] ? " (" : "", what, what[0] ? ")" : "", i);
    print_name(printer, "thread_name", cta_rank, i, name);
    print_order(printer, cta_rank, i, role * TILE_MAX_CTA_WARPS + i);
  }
}

//===-- Spans -------------------------------------------------------------===//

static uint32_t span_thread(const TileSpan *span) {
  if (span->kind != TILE_SPAN_ASYNC)
    return span->row;
  uint32_t unit = span->async_kind;
  return FIRST_ASYNC_ROW + unit * ROWS_PER_UNIT + span->row;
}

static void print_span(Printer *printer, const TileSpan *span) {
  static const char *const categories[] = {[TILE_SPAN_WAIT] = "wait",
                                           [TILE_SPAN_PRODUCT] = "product",
                                           [TILE_SPAN_COPY] = "copy",
                                           [TILE_SPAN_ISSUE] = "issue",
                                           [TILE_SPAN_ASYNC] = "asynchronous"};
  const TileRun *run = printer->cluster->run;
  const TileInsn *insn = &run->kernel->code[span->insn];
  TileJson *json = &printer->json;
  char name[220], wait[200];
  if (span->kind == TILE_SPAN_WAIT)
    snprintf(name, sizeof name, "wait: %s",
             tile_emu_wait_name(run, (TileWaitKind)span->wait_kind,
                                span->object, wait));
  else
    snprintf(name, sizeof name, "%.200s", insn->opcode ? insn->opcode : "?");
  event_open(printer, "X", name, span->cta_rank, span_thread(span));
  tile_json_print_string(json, "cat", categories[span->kind]);
  tile_json_print_number(json, "ts", span->start);
  tile_json_print_number(json, "dur", span->end - span->start);
  tile_json_open(json, "args", '{');
  tile_json_print_number(json, "ptx_line", insn->line);
  if (span->kind == TILE_SPAN_ASYNC && span->object)
    tile_json_print_number(json, "bytes", span->object);
  tile_json_close(json, '}');
  event_close(printer);
}

static void print_units(Printer *printer, uint32_t cta_rank) {
  bool is_named[TILE_NUM_ASYNC_KINDS][TILE_TRACE_MAX_ROWS] = {{false}};
  for (uint32_t i = 0; i < printer->trace->num_spans; i++) {
    const TileSpan *span = &printer->trace->spans[i];
    if (span->kind != TILE_SPAN_ASYNC || span->cta_rank != cta_rank ||
        is_named[span->async_kind][span->row])
      continue;
    is_named[span->async_kind][span->row] = true;
    char name[80];
    snprintf(name, sizeof name, "%s, %u",
             tile_emu_async_kind_name((TileAsyncKind)span->async_kind),
             span->row);
    print_name(printer, "thread_name", cta_rank, span_thread(span), name);
    print_order(printer, cta_rank, span_thread(span),
                TILE_MAX_CTA_WARPS * TILE_MAX_CTA_WARPS + span_thread(span));
  }
}

void tile_emu_trace_print(const TileCluster *cluster, const TileTrace *trace,
                          TileString *buffer) {
  const TileRun *run = cluster->run;
  Printer printer = {.cluster = cluster, .trace = trace};
  printer.json.out = buffer;
  for (uint32_t r = 0; r < cluster->num_ctas; r++) {
    char name[300];
    const uint32_t *ctaid = cluster->ctas[r].ctaid;
    snprintf(name, sizeof name, "%.200s, CTA (%u,%u,%u)", run->kernel->name,
             ctaid[0], ctaid[1], ctaid[2]);
    print_name(&printer, "process_name", r, 0, name);
    print_warps(&printer, r);
    print_units(&printer, r);
  }
  for (uint32_t i = 0; i < trace->num_spans; i++)
    print_span(&printer, &trace->spans[i]);
}

const char *tile_emu_trace_json(TileEmu *emu) {
  tile_string_deinit(&emu->trace_text);
  TileString *buffer = &emu->trace_text;
  const char *events = tile_string_text(&emu->trace_events);
  tile_string_print(
      buffer,
      "{\"displayTimeUnit\":\"ms\",\n\"otherData\":{\"time_unit\":\"ticks: 1 "
      "us in the viewer is one warp instruction executed by the cluster; not "
      "the time of a GPU\",\"dropped_spans\":\"%llu\"},\n"
      "\"traceEvents\":[\n%s{\"ph\":\"M\",\"name\":\"trace_end\",\"pid\":0,"
      "\"tid\":0,\"args\":{}}\n]}\n",
      (unsigned long long)emu->num_dropped_spans, events);
  return buffer->data;
}
