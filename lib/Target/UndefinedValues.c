//===- UndefinedValues.c - Arithmetic on values that nobody wrote ---------===//
//
// LLVM folds a sum with an undefined value to NaN, a product to nothing, a
// branch to either way: the PTX of a kernel that forgot a fill looks like one
// that means it. So an undefined operand becomes the result of an empty piece
// of assembly: a register that nobody writes, which the emulator knows and
// reports. Values that are moved or combined but not computed with stay as they
// are: they become such registers by themselves, or are no operands at all.
//
//===----------------------------------------------------------------------===//

#include "Target/UndefinedValues.h"

#include <stdbool.h>
#include <string.h>

typedef struct {
  LLVMContextRef context;
  LLVMBuilderRef builder;
} Rewriter;

/// Integers and floats of at most 64 bits; 0 for other types.
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

/// Functions of numbers, such as llvm.maxnum.
static bool is_math(LLVMValueRef call) {
  size_t length = 0;
  LLVMValueRef callee = LLVMGetCalledValue(call);
  if (LLVMIsAInlineAsm(callee) || !LLVMIsAFunction(callee))
    return false;
  const char *name = LLVMGetValueName2(callee, &length);
  return begins(name, "llvm.") && !begins(name, "llvm.nvvm.") &&
         num_bits(LLVMTypeOf(call)) > 0;
}

/// Does the instruction compute with its operands?
static bool computes(LLVMValueRef instruction) {
  return LLVMIsABinaryOperator(instruction) ||
         LLVMIsAUnaryOperator(instruction) || LLVMIsACmpInst(instruction) ||
         LLVMIsACastInst(instruction) ||
         LLVMIsAGetElementPtrInst(instruction) ||
         LLVMIsASwitchInst(instruction) || LLVMIsABranchInst(instruction) ||
         (LLVMIsACallInst(instruction) && is_math(instruction));
}

/// A value of `type` in a register that nobody writes.
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

void tile_undefined_values_keep(LLVMContextRef context, LLVMModuleRef module) {
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
