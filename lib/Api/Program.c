//===- Program.c - The products of a compilation --------------------------===//

#include "Api/CompilerObject.h"

#include <string.h>

typedef struct {
  const char *name, *chip;
  TileBytes metadata, llvm, ptx, cubin;
  TileKernelResources *kernels;
  size_t num_kernels;
} Function;

// Memory is a list of what was allocated, freed whole.
typedef struct Piece {
  struct Piece *next;
  max_align_t data[];
} Piece;

struct TileProgram {
  TileAllocator allocator;
  Piece *pieces;
  bool is_short; // of memory
  Function *functions;
  size_t num_functions, num_warnings, num_times;
  TileBytes mlir;
  const char *account;
  TileCompileTime *times;
};

//===-- Memory ------------------------------------------------------------===//

static void *allocate(TileProgram *program, size_t size_bytes) {
  Piece *piece =
      tile_api_allocate(&program->allocator, sizeof *piece + size_bytes);
  if (!piece) {
    program->is_short = true;
    return NULL;
  }
  memset(piece->data, 0, size_bytes);
  piece->next = program->pieces;
  program->pieces = piece;
  return piece->data;
}

static char *copy(TileProgram *program, const char *data, size_t size_bytes) {
  char *text = data ? allocate(program, size_bytes + 1) : NULL;
  if (text)
    memcpy(text, data, size_bytes);
  return text;
}

static TileBytes copy_text(TileProgram *program, const char *text) {
  size_t size_bytes = text ? strlen(text) : 0;
  TileBytes bytes = {copy(program, text, size_bytes), size_bytes};
  return bytes;
}

//===-- Building ----------------------------------------------------------===//

static void add_kernels(TileProgram *program, const TilePtxasReport *report,
                        Function *function) {
  function->cubin = (TileBytes){
      copy(program, report->cubin, report->cubin_bytes), report->cubin_bytes};
  function->kernels =
      allocate(program, (report->num_kernels + 1) * sizeof *function->kernels);
  for (size_t i = 0; function->kernels && i < report->num_kernels; i++) {
    TileKernelResources *kernel = &function->kernels[function->num_kernels++];
    *kernel = report->kernels[i];
    kernel->kernel = copy_text(program, kernel->kernel).data;
    kernel->text = copy_text(program, kernel->text).data;
  }
}

static void fill(TileProgram *program, const TileCompiler *compiler,
                 const TileCompileResult *result,
                 const TilePtxasReport *reports) {
  program->functions =
      allocate(program, (result->num_units + 1) * sizeof(Function));
  program->mlir = copy_text(program, result->mlir);
  program->account = copy_text(program, result->account).data;
  program->times =
      allocate(program, (result->num_times + 1) * sizeof(TileCompileTime));
  if (program->times) // their names are static
    memcpy(program->times, result->times,
           result->num_times * sizeof(TileCompileTime));
  program->num_times = result->num_times;
  program->num_warnings = result->num_warnings;
  for (size_t i = 0; program->functions && i < result->num_units; i++) {
    const TileCompiledUnit *unit = &result->units[i];
    Function *function = &program->functions[program->num_functions++];
    function->name = copy_text(program, unit->name).data;
    function->chip = unit->chip;
    function->metadata = copy_text(program, unit->json);
    function->llvm = copy_text(program, unit->llvm);
    if (compiler->options.products & TILE_PRODUCT_PTX)
      function->ptx = copy_text(program, unit->ptx);
    if (reports)
      add_kernels(program, &reports[i], function);
  }
}

TileProgram *tile_program_build(const TileCompiler *compiler,
                                const TileCompileResult *result,
                                const TilePtxasReport *reports) {
  TileProgram *program =
      tile_api_allocate(&compiler->allocator, sizeof *program);
  if (!program)
    return NULL;
  *program = (TileProgram){.allocator = compiler->allocator};
  fill(program, compiler, result, reports);
  if (!program->is_short)
    return program;
  tile_program_destroy(program);
  return NULL;
}

void tile_program_destroy(TileProgram *program) {
  if (!program)
    return;
  TileAllocator allocator = program->allocator;
  while (program->pieces) {
    Piece *piece = program->pieces;
    program->pieces = piece->next;
    tile_api_release(&allocator, piece);
  }
  tile_api_release(&allocator, program);
}

//===-- Queries -----------------------------------------------------------===//

size_t tile_program_num_functions(const TileProgram *program) {
  return program->num_functions;
}

static const Function *function_at(const TileProgram *program, size_t index) {
  return index < program->num_functions ? &program->functions[index] : NULL;
}

const char *tile_program_name(const TileProgram *program, size_t function) {
  const Function *found = function_at(program, function);
  return found ? found->name : NULL;
}

const char *tile_program_chip(const TileProgram *program, size_t function) {
  const Function *found = function_at(program, function);
  return found ? found->chip : NULL;
}

TileBytes tile_program_product(const TileProgram *program, size_t function,
                               unsigned product) {
  const TileBytes none = {NULL, 0};
  const Function *found = function_at(program, function);
  if (!found)
    return none;
  switch (product) {
  case TILE_PRODUCT_METADATA:
    return found->metadata;
  case TILE_PRODUCT_MLIR:
    return program->mlir;
  case TILE_PRODUCT_LLVM:
    return found->llvm;
  case TILE_PRODUCT_PTX:
    return found->ptx;
  case TILE_PRODUCT_CUBIN:
    return found->cubin;
  default:
    return none;
  }
}

const TileKernelResources *tile_program_resources(const TileProgram *program,
                                                  size_t function,
                                                  size_t kernel) {
  const Function *found = function_at(program, function);
  return found && kernel < found->num_kernels ? &found->kernels[kernel] : NULL;
}

size_t tile_program_num_warnings(const TileProgram *program) {
  return program->num_warnings;
}

const char *tile_program_account(const TileProgram *program) {
  return program->account ? program->account : "";
}

const char *tile_program_phase(const TileProgram *program, size_t phase,
                               double *out_ms) {
  if (phase >= program->num_times)
    return NULL;
  *out_ms = program->times[phase].ms;
  return program->times[phase].name;
}
