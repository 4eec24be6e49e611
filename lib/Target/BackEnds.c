//===- BackEnds.c - Back ends that libtile-static has no use for ----------===//
//
// Consumes: what MLIR's targets of AMD and Intel call before they generate
// code. Produces: nothing; such a target says that LLVM has no back end for it.
// Here and not in LLVM's archives, so that the linker leaves their tables out:
// a third of the library. NVPTX is the back end of tile.
//
//===----------------------------------------------------------------------===//

// LLVM's headers give these names to functions of every target.
#define NO_BACK_END(name)                                                      \
  void LLVMInitialize##name##TargetInfo(void);                                 \
  void LLVMInitialize##name##Target(void);                                     \
  void LLVMInitialize##name##TargetMC(void);                                   \
  void LLVMInitialize##name##AsmPrinter(void);                                 \
  void LLVMInitialize##name##AsmParser(void);                                  \
  void LLVMInitialize##name##TargetInfo(void) {}                               \
  void LLVMInitialize##name##Target(void) {}                                   \
  void LLVMInitialize##name##TargetMC(void) {}                                 \
  void LLVMInitialize##name##AsmPrinter(void) {}                               \
  void LLVMInitialize##name##AsmParser(void) {}

NO_BACK_END(AMDGPU)
NO_BACK_END(SPIRV)
