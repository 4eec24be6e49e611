//===- PtxParts.c - The kernels of a function to one PTX file -------------===//
//
// Consumes: gpu.modules whose functions are llvm.func.
// Produces: one PTX file. Each gpu.module, as a variant of a kernel is, becomes
//           an LLVM module of its own, which threads optimise and generate code
//           for at the same time; their texts are joined. How many threads
//           there are changes nothing.
// Fails:    as a part does (PTX.c); the first in the order of the modules is
//           reported.
//
//===----------------------------------------------------------------------===//

#include "PtxPart.h"

#include "Support/Diagnostics.h"
#include "Support/LargeStack.h"
#include "Target/PhaseTimer.h"
#include "llvm-c/BitReader.h"
#include "llvm-c/Core.h"
#include "llvm-c/Linker.h"
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  const MlirOperation *gpu_modules;
  size_t num_gpu_modules;
  const TilePtxOptions *options;
  TilePtxPart *parts;
  size_t num_parts;
  atomic_size_t next; // part for which a thread is wanted
} Whole;

//===-- Names -------------------------------------------------------------===//

// Functions first, then variables.
static LLVMValueRef next_symbol(LLVMModuleRef module, LLVMValueRef symbol) {
  if (!symbol) {
    LLVMValueRef first = LLVMGetFirstFunction(module);
    return first ? first : LLVMGetFirstGlobal(module);
  }
  if (!LLVMIsAFunction(symbol))
    return LLVMGetNextGlobal(symbol);
  LLVMValueRef next = LLVMGetNextFunction(symbol);
  return next ? next : LLVMGetFirstGlobal(module);
}

static LLVMValueRef find_symbol(LLVMModuleRef module, const char *name) {
  LLVMValueRef function = LLVMGetNamedFunction(module, name);
  return function ? function : LLVMGetNamedGlobal(module, name);
}

static bool is_private(LLVMValueRef symbol) {
  return LLVMGetLinkage(symbol) == LLVMInternalLinkage;
}

// Is the name of a private symbol that of another part's, or of one that
// somebody else defines?
static bool is_taken(const Whole *whole, size_t part, const char *name) {
  for (size_t i = 0; i < whole->num_parts; i++) {
    LLVMValueRef other =
        i == part ? NULL : find_symbol(whole->parts[i].module, name);
    if (other && (i < part || !is_private(other)))
      return true;
  }
  return false;
}

static bool is_free(const Whole *whole, const char *name) {
  for (size_t i = 0; i < whole->num_parts; i++)
    if (find_symbol(whole->parts[i].module, name))
      return false;
  return true;
}

static void rename_symbol(const Whole *whole, size_t part,
                          LLVMValueRef symbol) {
  size_t length;
  const char *name = LLVMGetValueName2(symbol, &length);
  if (!is_private(symbol) || !is_taken(whole, part, name))
    return;
  TileString other = {NULL, 0, 0};
  for (int i = 1; !other.data || !is_free(whole, other.data); i++) {
    tile_string_deinit(&other);
    tile_string_print(&other, "%s%d", name, i);
  }
  LLVMSetValueName2(symbol, other.data, other.size_bytes);
  tile_string_deinit(&other);
}

static void tell_names_apart(const Whole *whole) {
  for (size_t i = 0; i < whole->num_parts; i++) {
    LLVMModuleRef module = whole->parts[i].module;
    for (LLVMValueRef s = next_symbol(module, NULL); s;
         s = next_symbol(module, s))
      rename_symbol(whole, i, s);
  }
}

//===-- External symbols --------------------------------------------------===//

static bool same_type(LLVMValueRef a, LLVMValueRef b) {
  char *first = LLVMPrintTypeToString(LLVMGlobalGetValueType(a));
  char *second = LLVMPrintTypeToString(LLVMGlobalGetValueType(b));
  bool is_same =
      !LLVMIsAFunction(a) == !LLVMIsAFunction(b) && strcmp(first, second) == 0;
  LLVMDisposeMessage(first);
  LLVMDisposeMessage(second);
  return is_same;
}

// Both get the larger alignment.
static bool agree(LLVMValueRef a, LLVMValueRef b) {
  if (!same_type(a, b) || !LLVMIsDeclaration(a) || !LLVMIsDeclaration(b))
    return false;
  if (LLVMIsAFunction(a))
    return true;
  unsigned first = LLVMGetAlignment(a), second = LLVMGetAlignment(b);
  LLVMSetAlignment(a, first > second ? first : second);
  LLVMSetAlignment(b, first > second ? first : second);
  return true;
}

// Makes what parts share, such as the dynamic shared memory, alike. False when
// it is not the same.
static bool share_symbols(const Whole *whole) {
  for (size_t i = 0; i < whole->num_parts; i++) {
    LLVMModuleRef module = whole->parts[i].module;
    for (LLVMValueRef s = next_symbol(module, NULL); s;
         s = next_symbol(module, s)) {
      size_t length;
      const char *name = LLVMGetValueName2(s, &length);
      for (size_t j = 0; j < whole->num_parts && !is_private(s); j++) {
        LLVMValueRef other =
            i == j ? NULL : find_symbol(whole->parts[j].module, name);
        if (other && !is_private(other) && !agree(s, other))
          return false;
      }
    }
  }
  return true;
}

//===-- Parts -------------------------------------------------------------===//

static void drop_parts(Whole *whole) {
  for (size_t i = 0; i < whole->num_parts; i++)
    tile_ptx_part_deinit(&whole->parts[i]);
  free(whole->parts);
  whole->parts = NULL;
  whole->num_parts = 0;
}

static MlirLogicalResult begin_part(Whole *whole, size_t first, size_t count) {
  TilePtxPart *part = &whole->parts[whole->num_parts++];
  if (!tile_failed(tile_ptx_part_begin(part, whole->gpu_modules + first, count,
                                       whole->options)))
    return tile_success();
  return part->failure.size_bytes
             ? tile_emit_internal_error(whole->gpu_modules[first], "%s",
                                        part->failure.data)
             : tile_failure();
}

// One part for each module, or one for all.
static MlirLogicalResult begin_parts(Whole *whole, bool is_split) {
  size_t count = whole->num_gpu_modules;
  drop_parts(whole);
  whole->parts = calloc(is_split ? count : 1, sizeof *whole->parts);
  if (!whole->parts)
    return tile_emit_internal_error(whole->gpu_modules[0], "out of memory");
  if (!is_split)
    return begin_part(whole, 0, count);
  for (size_t i = 0; i < count; i++)
    if (tile_failed(begin_part(whole, i, 1)))
      return tile_failure();
  return tile_success();
}

static void compile_some(void *user_data) {
  Whole *whole = user_data;
  size_t i;
  while ((i = atomic_fetch_add(&whole->next, 1)) < whole->num_parts)
    tile_ptx_part_compile(&whole->parts[i]);
}

// The time that has passed, split as the threads have spent theirs.
static void add_times(const Whole *whole, double passed_ms, TilePtx *out_ptx) {
  double optimize_ms = 0, codegen_ms = 0;
  for (size_t i = 0; i < whole->num_parts; i++) {
    optimize_ms += whole->parts[i].optimize_ms;
    codegen_ms += whole->parts[i].codegen_ms;
  }
  double share = passed_ms / (optimize_ms + codegen_ms + 1e-9);
  out_ptx->optimize_ms += optimize_ms * share;
  out_ptx->codegen_ms += codegen_ms * share;
}

static MlirLogicalResult compile_parts(Whole *whole, TilePtx *out_ptx) {
  size_t most = (size_t)whole->options->num_threads;
  double start_ms = tile_now_ms();
  atomic_store(&whole->next, 0);
  tile_call_on_large_stacks(compile_some, whole,
                            most < whole->num_parts ? most : whole->num_parts);
  add_times(whole, tile_lap_ms(&start_ms), out_ptx);
  for (size_t i = 0; i < whole->num_parts; i++) {
    const TilePtxPart *part = &whole->parts[i];
    if (!part->has_failed)
      continue;
    out_ptx->is_fatal = part->is_fatal;
    memcpy(out_ptx->reason, part->reason, sizeof out_ptx->reason);
    return part->failure.size_bytes
               ? tile_emit_internal_error(whole->gpu_modules[i], "%s",
                                          part->failure.data)
               : tile_failure();
  }
  return tile_success();
}

//===-- The whole ---------------------------------------------------------===//

// Contexts do not mix: modules go from one to another as bitcode.
static char *link_llvm(const Whole *whole) {
  LLVMContextRef context = LLVMContextCreate();
  LLVMModuleRef all = NULL;
  bool is_ok = true;
  for (size_t i = 0; i < whole->num_parts && is_ok; i++) {
    LLVMModuleRef module = NULL;
    is_ok =
        !LLVMParseBitcodeInContext2(context, whole->parts[i].bitcode, &module);
    if (is_ok && all)
      is_ok = !LLVMLinkModules2(all, module); // consumes `module`
    else
      all = module;
  }
  char *printed = is_ok ? LLVMPrintModuleToString(all) : NULL;
  TileString text = {NULL, 0, 0};
  if (printed)
    tile_string_append(&text, printed, strlen(printed));
  LLVMDisposeMessage(printed);
  if (all)
    LLVMDisposeModule(all);
  LLVMContextDispose(context);
  return printed ? tile_string_take(&text) : NULL;
}

static bool join_parts(Whole *whole, TilePtx *out_ptx) {
  TilePtxPart *first = &whole->parts[0];
  TileString text = {NULL, 0, 0};
  if (whole->num_parts == 1) {
    out_ptx->ptx = first->ptx;
    out_ptx->llvm = first->llvm;
    first->ptx = first->llvm = NULL;
    return true;
  }
  bool is_ok = tile_ptx_join(whole->parts, whole->num_parts, &text);
  if (is_ok && whole->options->keep_llvm) {
    out_ptx->llvm = link_llvm(whole);
    is_ok = out_ptx->llvm != NULL;
  }
  if (is_ok)
    out_ptx->ptx = tile_string_take(&text);
  tile_string_deinit(&text);
  return is_ok;
}

static MlirLogicalResult emit(Whole *whole, bool is_split, TilePtx *out_ptx,
                              bool *out_is_joined) {
  double start_ms = tile_now_ms();
  *out_is_joined = true;
  if (tile_failed(begin_parts(whole, is_split)))
    return tile_failure();
  if (whole->num_parts > 1 && !share_symbols(whole)) {
    *out_is_joined = false;
    return tile_success();
  }
  tell_names_apart(whole);
  out_ptx->translate_ms += tile_lap_ms(&start_ms);
  if (tile_failed(compile_parts(whole, out_ptx)))
    return tile_failure();
  *out_is_joined = join_parts(whole, out_ptx);
  return tile_success();
}

MlirLogicalResult tile_ptx_emit(const MlirOperation *gpu_modules,
                                size_t num_gpu_modules,
                                const TilePtxOptions *options,
                                TilePtx *out_ptx) {
  *out_ptx = (TilePtx){NULL};
  Whole whole = {.gpu_modules = gpu_modules,
                 .num_gpu_modules = num_gpu_modules,
                 .options = options};
  bool is_joined;
  MlirLogicalResult result =
      emit(&whole, num_gpu_modules > 1, out_ptx, &is_joined);
  if (!tile_failed(result) && !is_joined)
    result = emit(&whole, false, out_ptx, &is_joined);
  drop_parts(&whole);
  if (tile_failed(result))
    tile_ptx_deinit(out_ptx);
  return result;
}

void tile_ptx_deinit(TilePtx *ptx) {
  free(ptx->ptx);
  free(ptx->llvm);
  ptx->ptx = NULL;
  ptx->llvm = NULL;
}
