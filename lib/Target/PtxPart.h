//===- PtxPart.h - One LLVM module on its way to PTX ----------------------===//
#ifndef TILE_LIB_TARGET_PTX_PART_H
#define TILE_LIB_TARGET_PTX_PART_H

#include "Emit.h"
#include "Support/MlirExtra.h"
#include "Support/StringBuilder.h"
#include "llvm-c/TargetMachine.h"

/// Has an LLVM context of its own, so that threads may compile several at once.
typedef struct {
  const TilePtxOptions *options; // borrowed
  LLVMContextRef context;
  LLVMModuleRef module;
  LLVMTargetMachineRef machine;
  MlirxPassGate gate;
  char *layout;       // data layout of the machine
  TileString message; // what LLVM reported as an error
  // What became of it.
  char *ptx;                   // NULL: none
  char *llvm;                  // NULL unless asked for
  LLVMMemoryBufferRef bitcode; // of the same
  TileString failure;          // why there is no PTX; empty where it must end
  double optimize_ms, codegen_ms;
  bool has_failed;
  bool is_fatal;     // LLVM would have ended the program
  char reason[1000]; // for which it gave this reason
} TilePtxPart;

/// Translates `gpu.module`s into one LLVM module.
/// Errors: MLIR's have been reported; of LLVM's `failure` tells.
/// Owner:  the caller, tile_ptx_part_deinit, in both cases.
MlirLogicalResult tile_ptx_part_begin(TilePtxPart *part,
                                      const MlirOperation *gpu_modules,
                                      size_t num_gpu_modules,
                                      const TilePtxOptions *options);
/// Optimises it and generates code, on any thread. Reports nothing.
void tile_ptx_part_compile(TilePtxPart *part);
void tile_ptx_part_deinit(TilePtxPart *part);

/// Joins the PTX of parts to one file: one header, external declarations once,
/// source files numbered anew. False when a part holds what this cannot join.
MLIR_CAPI_EXPORTED bool tile_ptx_join(const TilePtxPart *parts, size_t count,
                                      TileString *out);

#endif // TILE_LIB_TARGET_PTX_PART_H
