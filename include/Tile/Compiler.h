//===- Compiler.h - Kernels from memory to PTX, cubin, metadata -----------===//
//
// libtile and libtile-static. Plain C11 and C++17, no MLIR type.
//
// The library never exits, prints, reads the environment or writes a file: what
// went wrong is told to the program's TileDiagnosticFn. Functions may be called
// from several threads at a time on different objects; on the same object only
// tile_compiler_cancel. Between two calls there are no threads of the library
// and no locks, so that a program may fork.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_COMPILER_H
#define TILE_COMPILER_H

#include "Tile/Diagnostic.h"

#ifdef __cplusplus
extern "C" {
#endif

//===-- Compilers ---------------------------------------------------------===//

/// Options and loaded dialects, for any number of compilations one by one.
typedef struct TileCompiler TileCompiler;

/// Where the memory of compilers, programs and their texts comes from. What
/// MLIR and LLVM need while they compile comes from malloc. `allocate` returns
/// memory as malloc does, or NULL.
typedef struct {
  void *(*allocate)(size_t size_bytes, void *user_data);
  void (*release)(void *memory, void *user_data);
  void *user_data;
} TileAllocator;

/// `allocator` is copied; NULL means malloc and free. NULL when there is no
/// memory. Owner: the caller, tile_compiler_destroy.
TILE_API TileCompiler *tile_compiler_create(const TileAllocator *allocator);
/// Programs outlive their compiler. NULL is allowed.
TILE_API void tile_compiler_destroy(TileCompiler *compiler);

/// Who is told; NULL, as in the beginning: nobody.
TILE_API void tile_compiler_set_diagnostics(TileCompiler *compiler,
                                            TileDiagnosticFn on_diagnostic,
                                            void *user_data);
/// Leaves remarks out, which are in at first.
TILE_API void tile_compiler_set_remarks(TileCompiler *compiler,
                                        bool with_remarks);

/// Schedules that go before those of the library where a graph of linalg ops is
/// compiled: a module with named sequences of the transform dialect (see
/// docs/FrontEnds.md). The text is copied and read when it is needed; NULL:
/// none.
TILE_API bool tile_compiler_set_schedules(TileCompiler *compiler,
                                          const char *text);

/// The chip of programs that name none, such as "sm_90a"; NULL: the default.
/// Errors: a chip that we do not know, with the list of those that we know.
TILE_API bool tile_compiler_set_chip(TileCompiler *compiler, const char *chip);
/// "sm_90a".
TILE_API const char *tile_chip_default(void);
/// Known chips by number; NULL after the last.
TILE_API const char *tile_chip_at(size_t index);

/// What to make.
enum {
  TILE_PRODUCT_METADATA = 1, // docs/Metadata.md
  TILE_PRODUCT_MLIR = 2,     // the module after all passes
  TILE_PRODUCT_LLVM = 4,     // LLVM IR after its passes
  TILE_PRODUCT_PTX = 8,
  TILE_PRODUCT_CUBIN = 16 // by ptxas
};

/// A sum of TILE_PRODUCT_*; metadata and PTX at first.
TILE_API void tile_compiler_set_products(TileCompiler *compiler,
                                         unsigned products);

/// The path of NVIDIA's assembler, which a cubin needs; copied. NULL, as at
/// first: none. It runs as a process of its own in a process group of its own,
/// with the environment and the folder of the program, and is killed after
/// `max_seconds`; 0 means 600. No file is written: PTX and cubin pass through
/// memory. Errors: out of memory.
TILE_API bool tile_compiler_set_ptxas(TileCompiler *compiler, const char *path,
                                      unsigned max_seconds);

/// Source lines in PTX and cubin, for profilers; true at first.
TILE_API void tile_compiler_set_line_info(TileCompiler *compiler,
                                          bool with_line_info);

/// Whether IR is verified after each pass instead of once per phase, to name
/// the pass that broke it; false at first. It costs a tenth of the time.
TILE_API void tile_compiler_set_verify_each(TileCompiler *compiler,
                                            bool verifies_each);

/// The variants of each launch to be compiled, counted from 1; the metadata of
/// the program holds these alone. None (count 0), as at first: all. The last
/// variant needs nothing of the arguments. Errors: a number 0, out of memory.
TILE_API bool tile_compiler_set_variants(TileCompiler *compiler,
                                         const unsigned *numbers, size_t count);

/// How many threads compile at the same time; 1 at first. LLVM makes the code
/// of the variants and kernels of a function on them, and ptxas runs for as
/// many functions; of fewer functions it assembles several kernels at a time,
/// where it can and no memory limit is set. The products stay the same, but for
/// the note of a cubin that holds the options of ptxas.
TILE_API void tile_compiler_set_threads(TileCompiler *compiler,
                                        int num_threads);

/// Limits of one compilation; 0, as at first: none. Both are looked at between
/// passes, ours and LLVM's. Memory is that of the heap of the process beyond
/// what it held at the beginning. The assembler is killed when the time is
/// over, and cannot have more memory.
TILE_API void tile_compiler_set_limits(TileCompiler *compiler, uint64_t max_ms,
                                       uint64_t max_memory_bytes);

/// Ends the compilation that is under way, or the next one, with an error of
/// the code "cancel": between two passes, and while the assembler runs. From
/// any thread, at any time, also from a signal handler.
TILE_API void tile_compiler_cancel(TileCompiler *compiler);

/// Receives the program after a stage, on a thread of the library. `file_name`
/// sorts by time, for example "07-tile-insert-sync.mlir". Both texts are
/// borrowed for the call.
typedef void (*TileStageFn)(const char *file_name, const char *text,
                            size_t size_bytes, void *user_data);
TILE_API void tile_compiler_set_stages(TileCompiler *compiler,
                                       TileStageFn on_stage, void *user_data);
/// Stages in MLIR say where each op comes from, `loc(…)` after it; false at
/// first.
TILE_API void tile_compiler_set_stage_locations(TileCompiler *compiler,
                                                bool with_locations);

//===-- Layouts -----------------------------------------------------------===//

/// Where the elements of a tile lie.
typedef struct {
  bool is_fragment;         // in registers, not in shared memory
  int num_registers;        // of a thread; 0 in shared memory
  int num_lanes, num_warps; // which hold the fragment; 0 in shared memory
  int num_copies;           // registers that hold the same element
  uint64_t size_bytes;      // in shared memory; 0 of a fragment
} TileLayoutFacts;

/// Reads a layout as stages write it, such as "swizzle<128>", of a tile of
/// these extents with elements of `elem_bits`. Writes a number for each element
/// in the order of rows, `num_places` in all, into `out_places`, unless that is
/// NULL: the offset of the element in bytes, or the register that holds it plus
/// 2^16 times its lane and 2^24 times its warp, the first one of several.
/// Errors: false; a layout that is none of such a tile, another number of
/// elements, through the compiler's diagnostics.
TILE_API bool tile_compiler_find_places(TileCompiler *compiler,
                                        const char *layout,
                                        const int64_t *extents, int rank,
                                        int elem_bits, int64_t *out_places,
                                        size_t num_places,
                                        TileLayoutFacts *out_facts);

//===-- Programs ----------------------------------------------------------===//

/// The products of one text. Immutable: any thread may read it.
typedef struct TileProgram TileProgram;

/// Text or binary that a program owns; `data` ends with a zero byte that is not
/// counted and is NULL where there is nothing.
typedef struct {
  const char *data;
  size_t size_bytes;
} TileBytes;

/// Compiles MLIR text or bytecode. `name` stands for it in messages and in line
/// info; NULL means "-". The text is not kept. Bytecode is read by MLIR's own
/// reader, which a damaged file can crash: check what comes from elsewhere.
/// Errors: NULL, after at least one error.
/// Owner:  the caller, tile_program_destroy.
TILE_API TileProgram *tile_compile(TileCompiler *compiler, const char *name,
                                   const void *text, size_t size_bytes);
/// The same of the file at `path`.
TILE_API TileProgram *tile_compile_file(TileCompiler *compiler,
                                        const char *path);
TILE_API void tile_program_destroy(TileProgram *program);

/// Host functions with their kernels, and each gpu.module that none launches
/// from, in the order of the source.
TILE_API size_t tile_program_num_functions(const TileProgram *program);
/// NULL when `function` is too large. Owned by the program, as all below.
TILE_API const char *tile_program_name(const TileProgram *program,
                                       size_t function);
/// The chip it was compiled for.
TILE_API const char *tile_program_chip(const TileProgram *program,
                                       size_t function);
/// One TILE_PRODUCT_*. TILE_PRODUCT_MLIR is one for all functions. A gpu.module
/// has no metadata.
TILE_API TileBytes tile_program_product(const TileProgram *program,
                                        size_t function, unsigned product);

/// What ptxas said of one kernel. Later versions may add members at the end.
typedef struct {
  const char *kernel;
  const char *text; // "Used 168 registers, used 1 barriers, …"
  int num_registers;
  uint64_t stack_bytes, spill_store_bytes, spill_load_bytes;
} TileKernelResources;

/// NULL after the last kernel, and without a cubin.
TILE_API const TileKernelResources *
tile_program_resources(const TileProgram *program, size_t function,
                       size_t kernel);

/// Warnings that came with the program, those of ptxas too.
TILE_API size_t tile_program_num_warnings(const TileProgram *program);
/// Which instruction each op got, and the shared memory of each kernel: lines
/// for people.
TILE_API const char *tile_program_account(const TileProgram *program);
/// How long a phase took: a pass, "parse", "metadata", "translate", "optimize",
/// "codegen", "ptxas", "total". NULL after the last.
TILE_API const char *tile_program_phase(const TileProgram *program,
                                        size_t phase, double *out_ms);

#ifdef __cplusplus
}
#endif

#endif // TILE_COMPILER_H
