//===- CompilerObject.h - A compiler and its programs ---------------------===//
#ifndef TILE_LIB_API_COMPILER_OBJECT_H
#define TILE_LIB_API_COMPILER_OBJECT_H

#include "Api/Ptxas.h"
#include "Pipeline/Compile.h"

struct TileCompiler {
  TileAllocator allocator;
  MlirContext context; // null until the first text
  TileDiagnosticFn on_diagnostic;
  void *diagnostic_data;
  TileCompileOptions options; // its lists are owned by what follows
  TileLimits limits;
  char *ptxas;     // owned
  char *schedules; // owned
  unsigned ptxas_max_seconds;
  unsigned *variants;    // owned
  TileExtraPass *passes; // owned, with their texts
};

/// Memory of the compiler, for the life of the object; NULL when there is none.
void *tile_api_allocate(const TileAllocator *allocator, size_t size_bytes);
void tile_api_release(const TileAllocator *allocator, void *memory);

/// Makes a program of what a compilation has left; `reports`, one for each
/// unit, of ptxas, NULL without it. NULL when there is no memory.
TileProgram *tile_program_build(const TileCompiler *compiler,
                                const TileCompileResult *result,
                                const TilePtxasReport *reports);

#endif // TILE_LIB_API_COMPILER_OBJECT_H
