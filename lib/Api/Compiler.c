//===- Compiler.c - Compilers and their options ---------------------------===//

#include "Api/CompilerObject.h"

#include "Layout/Layout.h"
#include "Support/Diagnostic/DiagnosticFormat.h"
#include "Target/FatalErrors.h"
#include "Target/Target.h"
#include "llvm-c/Target.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

//===-- Memory ------------------------------------------------------------===//

void *tile_api_allocate(const TileAllocator *allocator, size_t size_bytes) {
  return allocator->allocate
             ? allocator->allocate(size_bytes, allocator->user_data)
             : malloc(size_bytes);
}

void tile_api_release(const TileAllocator *allocator, void *memory) {
  if (!memory)
    return;
  if (allocator->release)
    allocator->release(memory, allocator->user_data);
  else if (!allocator->allocate)
    free(memory);
}

// A copy that ends with a zero byte.
static char *copy_of(const TileAllocator *allocator, const void *data,
                     size_t size_bytes) {
  char *copy = tile_api_allocate(allocator, size_bytes + 1);
  if (!copy)
    return NULL;
  if (size_bytes)
    memcpy(copy, data, size_bytes);
  copy[size_bytes] = '\0';
  return copy;
}

static bool out_of_memory(const TileCompiler *compiler) {
  tile_diagnostic_send(compiler->on_diagnostic, compiler->diagnostic_data,
                       TILE_SEVERITY_ERROR, "memory", "out of memory");
  return false;
}

// A text that takes the place of an older one; NULL means none.
static bool replace_text(TileCompiler *compiler, const char *text,
                         char **target) {
  char *copy = text ? copy_of(&compiler->allocator, text, strlen(text)) : NULL;
  if (text && !copy)
    return out_of_memory(compiler);
  tile_api_release(&compiler->allocator, *target);
  *target = copy;
  return true;
}

//===-- Life --------------------------------------------------------------===//

static void init(void) {
  tile_register_pipeline_passes();
  LLVMInitializeNVPTXTargetInfo();
  LLVMInitializeNVPTXTarget();
  LLVMInitializeNVPTXTargetMC();
  LLVMInitializeNVPTXAsmPrinter();
  tile_fatal_errors_install();
}

TileCompiler *tile_compiler_create(const TileAllocator *allocator) {
  const TileAllocator none = {NULL, NULL, NULL};
  const TileAllocator *chosen = allocator ? allocator : &none;
  TileCompiler *compiler = tile_api_allocate(chosen, sizeof *compiler);
  if (!compiler)
    return NULL;
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, init);
  *compiler = (TileCompiler){
      .allocator = *chosen,
      .options = {.products = TILE_PRODUCT_METADATA | TILE_PRODUCT_PTX,
                  .line_info = true,
                  .num_threads = 1}};
  compiler->options.limits = &compiler->limits;
  return compiler;
}

void tile_compiler_destroy(TileCompiler *compiler) {
  if (!compiler)
    return;
  const TileAllocator allocator = compiler->allocator;
  if (compiler->context.ptr)
    mlirContextDestroy(compiler->context);
  for (size_t i = 0; i < compiler->options.num_passes; i++) {
    tile_api_release(&allocator, compiler->passes[i].after);
    tile_api_release(&allocator, compiler->passes[i].anchor);
    tile_api_release(&allocator, compiler->passes[i].text);
  }
  tile_api_release(&allocator, compiler->passes);
  tile_api_release(&allocator, compiler->variants);
  tile_api_release(&allocator, compiler->ptxas);
  tile_api_release(&allocator, compiler->schedules);
  tile_api_release(&allocator, compiler);
}

//===-- Options -----------------------------------------------------------===//

void tile_compiler_set_diagnostics(TileCompiler *compiler,
                                   TileDiagnosticFn on_diagnostic,
                                   void *user_data) {
  compiler->on_diagnostic = on_diagnostic;
  compiler->diagnostic_data = user_data;
}

void tile_compiler_set_remarks(TileCompiler *compiler, bool with_remarks) {
  compiler->options.hide_remarks = !with_remarks;
}

const char *tile_chip_default(void) { return TILE_DEFAULT_CHIP; }

const char *tile_chip_at(size_t index) {
  const TileTarget *target = tile_target_at(index);
  return target ? target->chip : NULL;
}

bool tile_compiler_set_chip(TileCompiler *compiler, const char *chip) {
  char known[128], text[256];
  const TileTarget *target = chip ? tile_target_find(chip) : NULL;
  if (!chip || target) {
    compiler->options.target = chip ? target->chip : NULL;
    return true;
  }
  tile_target_list(known, sizeof known);
  snprintf(text, sizeof text, "unknown target '%.40s'; known chips are %s",
           chip, known);
  tile_diagnostic_send(compiler->on_diagnostic, compiler->diagnostic_data,
                       TILE_SEVERITY_ERROR, "chip", text);
  return false;
}

void tile_compiler_set_products(TileCompiler *compiler, unsigned products) {
  compiler->options.products = products;
}

bool tile_compiler_set_ptxas(TileCompiler *compiler, const char *path,
                             unsigned max_seconds) {
  compiler->ptxas_max_seconds = max_seconds;
  return replace_text(compiler, path, &compiler->ptxas);
}

bool tile_compiler_set_schedules(TileCompiler *compiler, const char *text) {
  bool is_kept = replace_text(compiler, text, &compiler->schedules);
  compiler->options.schedules = compiler->schedules;
  return is_kept;
}

void tile_compiler_set_line_info(TileCompiler *compiler, bool with_line_info) {
  compiler->options.line_info = with_line_info;
}

void tile_compiler_set_verify_each(TileCompiler *compiler, bool verifies_each) {
  compiler->options.verify_each = verifies_each;
}

bool tile_compiler_set_variants(TileCompiler *compiler, const unsigned *numbers,
                                size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (numbers[i] > 0)
      continue;
    tile_diagnostic_send(compiler->on_diagnostic, compiler->diagnostic_data,
                         TILE_SEVERITY_ERROR, "variants",
                         "expected numbers of variants from 1, got 0");
    return false;
  }
  unsigned *copy = (unsigned *)(void *)copy_of(&compiler->allocator, numbers,
                                               count * sizeof *numbers);
  if (!copy)
    return out_of_memory(compiler);
  tile_api_release(&compiler->allocator, compiler->variants);
  compiler->variants = copy;
  compiler->options.variants = copy;
  compiler->options.num_variants = count;
  return true;
}

void tile_compiler_set_threads(TileCompiler *compiler, int num_threads) {
  compiler->options.num_threads = num_threads > 1 ? num_threads : 1;
}

void tile_compiler_set_limits(TileCompiler *compiler, uint64_t max_ms,
                              uint64_t max_memory_bytes) {
  compiler->limits.max_ms = max_ms;
  compiler->limits.max_memory_bytes = max_memory_bytes;
}

void tile_compiler_cancel(TileCompiler *compiler) {
  atomic_store(&compiler->limits.is_cancelled, true);
}

void tile_compiler_set_stages(TileCompiler *compiler, TileStageFn on_stage,
                              void *user_data) {
  compiler->options.on_stage = on_stage;
  compiler->options.on_stage_data = user_data;
}

void tile_compiler_set_stage_locations(TileCompiler *compiler,
                                       bool with_locations) {
  compiler->options.stage_locations = with_locations;
}

//===-- Layouts -----------------------------------------------------------===//

enum { MAX_ELEM_BITS = 64, MAX_ELEMENTS = 1 << 24 };

static bool layout_error(const TileCompiler *compiler, const char *text) {
  tile_diagnostic_send(compiler->on_diagnostic, compiler->diagnostic_data,
                       TILE_SEVERITY_ERROR, "layout", text);
  return false;
}

// The number of elements; 0 where a tile cannot have these extents.
static int64_t count_elements(const int64_t *extents, int rank) {
  if (rank < 1 || rank > TILE_LAYOUT_MAX_AXES)
    return 0;
  int64_t count = 1;
  for (int d = 0; d < rank; d++) {
    if (extents[d] < 1 || extents[d] > MAX_ELEMENTS / count)
      return 0;
    count *= extents[d];
  }
  return count;
}

static TileLayoutFacts facts_of(const TileLayout *layout, int elem_bits) {
  TileLayoutFacts facts = {.is_fragment = !tile_layout_is_memory(layout),
                           .num_copies = 1};
  if (!facts.is_fragment) {
    int64_t span = tile_layout_span(&layout->out, 0);
    facts.size_bytes = ((uint64_t)span * (uint64_t)elem_bits + 7) / 8;
    return facts;
  }
  facts.num_registers =
      (int)tile_layout_axis_size(&layout->in, TILE_LAYOUT_REG);
  facts.num_lanes = (int)tile_layout_axis_size(&layout->in, TILE_LAYOUT_LANE);
  facts.num_warps = (int)tile_layout_axis_size(&layout->in, TILE_LAYOUT_WARP);
  facts.num_copies = (int)tile_layout_replication(layout);
  return facts;
}

bool tile_compiler_find_places(TileCompiler *compiler, const char *layout,
                               const int64_t *extents, int rank, int elem_bits,
                               int64_t *out_places, size_t num_places,
                               TileLayoutFacts *out_facts) {
  char text[160];
  TileLayout parsed;
  TileReason error;
  int64_t count = count_elements(extents, rank);
  if (count == 0 || elem_bits < 1 || elem_bits > MAX_ELEM_BITS)
    return layout_error(compiler,
                        "the extents, or the width of elements, are those of "
                        "no tile");
  if (out_places && num_places != (size_t)count) {
    snprintf(text, sizeof text, "room for %zu places, expected %lld",
             num_places, (long long)count);
    return layout_error(compiler, text);
  }
  if (!tile_layout_parse(layout, extents, rank, elem_bits, &parsed, &error) ||
      !tile_layout_check_axes(&parsed, &error))
    return layout_error(compiler, error.text);
  *out_facts = facts_of(&parsed, elem_bits);
  if (!out_places)
    return true;
  tile_layout_find_places(&parsed, extents, rank, out_places);
  for (int64_t i = 0; !out_facts->is_fragment && i < count; i++)
    out_places[i] = out_places[i] * elem_bits / 8;
  return true;
}

//===-- Passes of the program ---------------------------------------------===//

static bool is_pass(const char *name) {
  const char *pass;
  for (size_t i = 0; (pass = tile_pipeline_pass_at(i)); i++)
    if (strlen(name) == strcspn(pass, "{") &&
        !strncmp(name, pass, strlen(name)))
      return true;
  return false;
}

static bool check_after(const TileCompiler *compiler, const char *after) {
  char text[200];
  if (!after || is_pass(after))
    return true;
  snprintf(text, sizeof text,
           "there is no pass '%.80s' in the pipeline; tile_pipeline_pass_at "
           "names them",
           after);
  tile_diagnostic_send(compiler->on_diagnostic, compiler->diagnostic_data,
                       TILE_SEVERITY_ERROR, "pipeline", text);
  return false;
}

static char *copy_text(const TileCompiler *compiler, const char *text) {
  return text ? copy_of(&compiler->allocator, text, strlen(text)) : NULL;
}

static bool add_pass(TileCompiler *compiler, const TileExtraPass *given) {
  size_t count = compiler->options.num_passes;
  if (!check_after(compiler, given->after))
    return false;
  TileExtraPass added = *given;
  TileExtraPass *passes =
      tile_api_allocate(&compiler->allocator, (count + 1) * sizeof *passes);
  added.after = copy_text(compiler, given->after);
  added.anchor = copy_text(compiler, given->anchor);
  added.text = copy_text(compiler, given->text);
  if (!passes || (given->after && !added.after) ||
      (given->anchor && !added.anchor) || (given->text && !added.text)) {
    tile_api_release(&compiler->allocator, passes);
    tile_api_release(&compiler->allocator, added.after);
    tile_api_release(&compiler->allocator, added.anchor);
    tile_api_release(&compiler->allocator, added.text);
    return out_of_memory(compiler);
  }
  if (count)
    memcpy(passes, compiler->passes, count * sizeof *passes);
  passes[count] = added;
  tile_api_release(&compiler->allocator, compiler->passes);
  compiler->passes = passes;
  compiler->options.passes = passes;
  compiler->options.num_passes = count + 1;
  return true;
}

bool tile_compiler_add_pass(TileCompiler *compiler, const char *after,
                            const char *anchor, TilePassMaker make,
                            void *user_data) {
  // The texts are only read: the copies are what is owned.
  TileExtraPass pass = {.after = (char *)(size_t)after,
                        .anchor = (char *)(size_t)anchor,
                        .make = make,
                        .user_data = user_data};
  return add_pass(compiler, &pass);
}

bool tile_compiler_add_pipeline(TileCompiler *compiler, const char *after,
                                const char *pipeline) {
  TileExtraPass pass = {.after = (char *)(size_t)after,
                        .text = (char *)(size_t)pipeline};
  return add_pass(compiler, &pass);
}
