//===- PTX.c - LLVM dialect to PTX ----------------------------------------===//
//
// Consumes: gpu.modules whose functions are llvm.func.
// Produces: the PTX of one part: translate, optimise lightly, emit.
// Fails:    translation or code generation fails; both are our errors, since
//           every program was checked before.
//
// Two rules the generated code depends on:
// (P1) Inline assembly with side effects is marked `convergent`. The LLVM
//      dialect cannot say it, and without it LLVM copies a collective
//      instruction into both arms of a divergent branch.
// (P2) The pipeline has no loop rotation and no unrolling: rotation adds an
//      edge on which zeroed accumulators meet those of a wgmma in flight, and
//      ptxas then serialises the products (message C7515).
// (P3) Arithmetic on undefined values is not folded.
//
//===----------------------------------------------------------------------===//

#include "PtxPart.h"

#include "FatalErrors.h"
#include "Support/Diagnostics.h"
#include "Target/PhaseTimer.h"
#include "mlir-c/Target/LLVMIR.h"
#include "llvm-c/BitWriter.h"
#include "llvm-c/Core.h"
#include "llvm-c/Linker.h"
#include "llvm-c/Target.h"
#include "llvm-c/TargetMachine.h"
#include "llvm-c/Transforms/PassBuilder.h"
#include <stdlib.h>
#include <string.h>

static const char triple[] = "nvptx64-nvidia-cuda";

// The NVPTX back end runs GVN and more of its own: running them here too, or
// with MemorySSA, takes 20 ms of a GEMM and changes no register of it.
static const char light_pipeline[] =
    "function(early-cse,instcombine<no-verify-fixpoint>,simplifycfg,"
    "loop-mssa(licm),early-cse,adce)";

// Memory of a thread becomes values, and those that nobody wrote can be told.
// The back end begins so, too.
static const char memory_pipeline[] = "function(sroa)";

enum { PTX_KERNEL_CALLING_CONVENTION = 71 }; // llvm/IR/CallingConv.h

//===-- Set up ------------------------------------------------------------===//

static void on_llvm_diagnostic(LLVMDiagnosticInfoRef info, void *user_data) {
  TilePtxPart *part = user_data;
  if (LLVMGetDiagInfoSeverity(info) != LLVMDSError)
    return;
  char *text = LLVMGetDiagInfoDescription(info);
  tile_string_print(&part->message, "%s%s",
                    part->message.size_bytes ? "; " : "", text);
  LLVMDisposeMessage(text);
}

static bool must_end(void *user_data) {
  const TilePtxOptions *options = user_data;
  return options->must_end && options->must_end(options->must_end_data);
}

// Parts are made on threads: who has started them says what went wrong. Once
// the compilation must end, LLVM leaves out passes: what fails then is no news.
static MlirLogicalResult fail(TilePtxPart *part, const char *what,
                              const char *reason) {
  if (!part->failure.size_bytes && !must_end((void *)(uintptr_t)part->options))
    tile_string_print(&part->failure, "%s: %s", what,
                      reason && *reason ? reason : "no reason given");
  return tile_failure();
}

// Returns failure when LLVM reported an error since the start.
static MlirLogicalResult check(TilePtxPart *part, const char *what) {
  if (!part->message.size_bytes)
    return tile_success();
  return fail(part, what, part->message.data);
}

static MlirLogicalResult create_machine(TilePtxPart *part,
                                        const TileTarget *target) {
  LLVMTargetRef backend;
  char *reason = NULL;
  if (LLVMGetTargetFromTriple(triple, &backend, &reason)) {
    MlirLogicalResult result = fail(part, "no NVPTX back end", reason);
    LLVMDisposeMessage(reason);
    return result;
  }
  // Levels Less to Aggressive give the same code; None must not be used.
  part->machine = LLVMCreateTargetMachine(
      backend, triple, target->chip, target->ptx_features,
      LLVMCodeGenLevelDefault, LLVMRelocDefault, LLVMCodeModelDefault);
  LLVMTargetDataRef data = LLVMCreateTargetDataLayout(part->machine);
  part->layout = LLVMCopyStringRepOfTargetData(data);
  LLVMDisposeTargetData(data);
  return tile_success();
}

//===-- Translate and link ------------------------------------------------===//

static bool is_kernel(LLVMValueRef function) {
  return LLVMGetFunctionCallConv(function) == PTX_KERNEL_CALLING_CONVENTION;
}

// Names that modules do not share on purpose must not clash when linked.
static void hide_definitions(LLVMModuleRef module) {
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f;
       f = LLVMGetNextFunction(f))
    if (!LLVMIsDeclaration(f) && !is_kernel(f))
      LLVMSetLinkage(f, LLVMInternalLinkage);
  for (LLVMValueRef g = LLVMGetFirstGlobal(module); g; g = LLVMGetNextGlobal(g))
    if (!LLVMIsDeclaration(g))
      LLVMSetLinkage(g, LLVMInternalLinkage);
}

static MlirLogicalResult add_module(TilePtxPart *part, MlirOperation op) {
  LLVMModuleRef module = mlirTranslateModuleToLLVMIR(op, part->context);
  if (!module) // MLIR has said why
    return tile_failure();
  LLVMSetTarget(module, triple);
  LLVMSetDataLayout(module, part->layout);
  hide_definitions(module);
  if (!part->module) {
    part->module = module;
    return tile_success();
  }
  // Consumes `module`, also when it fails.
  if (LLVMLinkModules2(part->module, module))
    return fail(part, "kernels cannot be linked", part->message.data);
  return tile_success();
}

// (P1)
static void mark_convergent(LLVMContextRef context, LLVMValueRef call) {
  LLVMValueRef callee = LLVMGetCalledValue(call);
  if (!LLVMIsAInlineAsm(callee) || !LLVMGetInlineAsmHasSideEffects(callee))
    return;
  static const char name[] = "convergent";
  unsigned kind = LLVMGetEnumAttributeKindForName(name, sizeof name - 1);
  LLVMAddCallSiteAttribute(call, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                           LLVMCreateEnumAttribute(context, kind, 0));
}

static void mark_all_convergent(const TilePtxPart *part) {
  for (LLVMValueRef f = LLVMGetFirstFunction(part->module); f;
       f = LLVMGetNextFunction(f))
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b;
         b = LLVMGetNextBasicBlock(b))
      for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
           i = LLVMGetNextInstruction(i))
        if (LLVMIsACallInst(i))
          mark_convergent(part->context, i);
}

//===-- (P3) Arithmetic on values that nobody wrote -----------------------===//
//
// LLVM folds a sum with an undefined value to NaN, a product to nothing, a
// branch to either way: the PTX of a kernel that forgot a fill looks like one
// that means it. So an undefined operand becomes the result of an empty piece
// of assembly: a register that nobody writes, which the emulator knows and
// reports. Values that are moved or combined but not computed with stay as they
// are: they become such registers by themselves, or are no operands at all.

typedef struct {
  LLVMContextRef context;
  LLVMBuilderRef builder;
} Rewriter;

// Integers and floats of at most 64 bits; 0 for other types.
static unsigned num_bits(LLVMTypeRef type) {
  switch (LLVMGetTypeKind(type)) {
  case LLVMIntegerTypeKind:
    return LLVMGetIntTypeWidth(type) <= 64 ? LLVMGetIntTypeWidth(type) : 0;
  case LLVMHalfTypeKind:
  case LLVMBFloatTypeKind:
    return 16;
  case LLVMFloatTypeKind:
    return 32;
  case LLVMDoubleTypeKind:
    return 64;
  default:
    return 0;
  }
}

static bool begins(const char *text, const char *prefix) {
  return strncmp(text, prefix, strlen(prefix)) == 0;
}

// Functions of numbers, such as llvm.maxnum.
static bool is_math(LLVMValueRef call) {
  size_t length = 0;
  LLVMValueRef callee = LLVMGetCalledValue(call);
  if (LLVMIsAInlineAsm(callee) || !LLVMIsAFunction(callee))
    return false;
  const char *name = LLVMGetValueName2(callee, &length);
  return begins(name, "llvm.") && !begins(name, "llvm.nvvm.") &&
         num_bits(LLVMTypeOf(call)) > 0;
}

// Does the instruction compute with its operands?
static bool computes(LLVMValueRef instruction) {
  return LLVMIsABinaryOperator(instruction) ||
         LLVMIsAUnaryOperator(instruction) || LLVMIsACmpInst(instruction) ||
         LLVMIsACastInst(instruction) ||
         LLVMIsAGetElementPtrInst(instruction) ||
         LLVMIsASwitchInst(instruction) || LLVMIsABranchInst(instruction) ||
         (LLVMIsACallInst(instruction) && is_math(instruction));
}

// A value of `type` in a register that nobody writes.
static LLVMValueRef unwritten(const Rewriter *rewriter, LLVMTypeRef type) {
  unsigned bits = num_bits(type);
  unsigned register_bits = bits <= 16 ? 16 : bits <= 32 ? 32 : 64;
  const char *constraint = register_bits == 16   ? "=h"
                           : register_bits == 32 ? "=r"
                                                 : "=l";
  LLVMTypeRef word = LLVMIntTypeInContext(rewriter->context, register_bits);
  LLVMTypeRef function = LLVMFunctionType(word, NULL, 0, 0);
  LLVMValueRef assembly =
      LLVMGetInlineAsm(function, "", 0, constraint, strlen(constraint), 0, 0,
                       LLVMInlineAsmDialectATT, 0);
  LLVMValueRef value =
      LLVMBuildCall2(rewriter->builder, function, assembly, NULL, 0, "");
  if (bits < register_bits)
    value = LLVMBuildTrunc(rewriter->builder, value,
                           LLVMIntTypeInContext(rewriter->context, bits), "");
  return LLVMBuildBitCast(rewriter->builder, value, type, "");
}

static void rewrite(const Rewriter *rewriter, LLVMValueRef instruction) {
  if (!computes(instruction))
    return;
  int count = LLVMGetNumOperands(instruction);
  for (int i = 0; i < count; i++) {
    LLVMValueRef operand = LLVMGetOperand(instruction, (unsigned)i);
    LLVMTypeRef type = LLVMTypeOf(operand);
    if (!LLVMIsUndef(operand) || !num_bits(type))
      continue;
    LLVMPositionBuilderBefore(rewriter->builder, instruction);
    LLVMSetOperand(instruction, (unsigned)i, unwritten(rewriter, type));
  }
}

// Called when memory of the functions has become values.
static void mark_undefined(LLVMContextRef context, LLVMModuleRef module) {
  Rewriter rewriter = {context, LLVMCreateBuilderInContext(context)};
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f;
       f = LLVMGetNextFunction(f))
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b;
         b = LLVMGetNextBasicBlock(b))
      for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
           i = LLVMGetNextInstruction(i))
        rewrite(&rewriter, i);
  LLVMDisposeBuilder(rewriter.builder);
}

//===-- Optimise and emit -------------------------------------------------===//

static MlirLogicalResult run_passes(TilePtxPart *part, const char *pipeline) {
  LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
  LLVMErrorRef error =
      LLVMRunPasses(part->module, pipeline, part->machine, options);
  LLVMDisposePassBuilderOptions(options);
  if (!error)
    return check(part, "LLVM passes failed");
  char *reason = LLVMGetErrorMessage(error);
  MlirLogicalResult result = fail(part, "LLVM passes failed", reason);
  LLVMDisposeErrorMessage(reason);
  return result;
}

// (P3)
static MlirLogicalResult keep_undefined(TilePtxPart *part) {
  MlirLogicalResult result = run_passes(part, memory_pipeline);
  if (!tile_failed(result))
    mark_undefined(part->context, part->module);
  return result;
}

static MlirLogicalResult optimize(TilePtxPart *part) {
  if (tile_failed(keep_undefined(part)) ||
      tile_failed(run_passes(part, light_pipeline)))
    return tile_failure();
  return keep_undefined(part); // what arrays have become
}

static char *copy_text(const char *data, size_t size_bytes) {
  TileString text = {NULL, 0, 0};
  tile_string_append(&text, data, size_bytes);
  return tile_string_take(&text);
}

static MlirLogicalResult generate(TilePtxPart *part) {
  char *reason = NULL;
  LLVMMemoryBufferRef buffer = NULL;
  if (LLVMTargetMachineEmitToMemoryBuffer(part->machine, part->module,
                                          LLVMAssemblyFile, &reason, &buffer)) {
    MlirLogicalResult result = fail(part, "no PTX was made", reason);
    LLVMDisposeMessage(reason);
    return result;
  }
  part->ptx = copy_text(LLVMGetBufferStart(buffer), LLVMGetBufferSize(buffer));
  LLVMDisposeMemoryBuffer(buffer);
  return check(part, "no PTX was made");
}

//===-- Entry -------------------------------------------------------------===//

MlirLogicalResult tile_ptx_part_begin(TilePtxPart *part,
                                      const MlirOperation *gpu_modules,
                                      size_t num_gpu_modules,
                                      const TilePtxOptions *options) {
  *part = (TilePtxPart){.options = options, .context = LLVMContextCreate()};
  LLVMContextSetDiagnosticHandler(part->context, on_llvm_diagnostic, part);
  part->gate =
      mlirxPassGateCreate(part->context, must_end, (void *)(uintptr_t)options);
  if (tile_failed(create_machine(part, options->target)))
    return tile_failure();
  for (size_t i = 0; i < num_gpu_modules; i++)
    if (tile_failed(add_module(part, gpu_modules[i])))
      return tile_failure();
  mark_all_convergent(part);
  return tile_success();
}

// What LLVM does alone.
static MlirLogicalResult compile(TilePtxPart *part) {
  double start_ms = tile_now_ms();
  if (tile_failed(optimize(part)))
    return tile_failure();
  part->optimize_ms = tile_lap_ms(&start_ms);
  if (must_end((void *)(uintptr_t)part->options))
    return tile_failure(); // who asked for it knows
  if (part->options->keep_llvm) {
    part->bitcode = LLVMWriteBitcodeToMemoryBuffer(part->module);
    char *text = LLVMPrintModuleToString(part->module);
    part->llvm = copy_text(text, strlen(text));
    LLVMDisposeMessage(text);
    tile_lap_ms(&start_ms);
  }
  MlirLogicalResult result = generate(part);
  part->codegen_ms = tile_lap_ms(&start_ms);
  return result;
}

static void compile_call(void *user_data) {
  TilePtxPart *part = user_data;
  part->has_failed = tile_failed(compile(part));
}

void tile_ptx_part_compile(TilePtxPart *part) {
  part->has_failed = true;
  part->is_fatal = !tile_fatal_errors_catch(compile_call, part, part->reason,
                                            sizeof part->reason);
}

void tile_ptx_part_deinit(TilePtxPart *part) {
  free(part->ptx);
  free(part->llvm);
  if (part->bitcode)
    LLVMDisposeMemoryBuffer(part->bitcode);
  tile_string_deinit(&part->failure);
  if (part->is_fatal || !part->context) // LLVM was changing all of it
    return;
  if (part->module)
    LLVMDisposeModule(part->module);
  if (part->machine)
    LLVMDisposeTargetMachine(part->machine);
  if (part->layout)
    LLVMDisposeMessage(part->layout);
  LLVMContextDispose(part->context);
  mlirxPassGateDestroy(part->gate);
  tile_string_deinit(&part->message);
}
