//===- Messages.c - tile.print, tile.assert and tile.clock ----------------===//
//
// vprintf and __assertfail are the device functions of the CUDA runtime (CUDA
// C++ Programming Guide, "Formatted Output", "Assertion"): the driver has them,
// ptxas knows them. Arguments of vprintf lie one after another in local memory,
// each aligned to its size; floats as f64, small integers as i32.
//
//===----------------------------------------------------------------------===//

#include "LoweredOps.h"
#include "Math/SmallFloats.h"
#include "Memory/Memories.h"

#include "Dialect/ElementLoops.h"
#include "Support/Constants.h"
#include "Support/Diagnostic/DiagnosticList.h"
#include "Support/KeyTable.h"
#include "Tile/Ops/llvm.h"
#include "mlir-c/Dialect/LLVM.h"

enum { MAX_PRINTED = 16, SLOT_BYTES = 8 };

//===-- Globals and functions ---------------------------------------------===//

// Where the module has such a symbol already, its op.
static MlirOperation find_symbol(Lowering *l, const char *name) {
  MlirOperation module = mlirOperationGetParentOperation(l->func);
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(module, 0));
  for (MlirOperation op = mlirBlockGetFirstOperation(body); op.ptr;
       op = mlirOperationGetNextInBlock(op)) {
    MlirAttribute symbol =
        mlirOperationGetAttributeByName(op, TILE_STR("sym_name"));
    if (symbol.ptr &&
        mlirStringRefEqual(mlirStringAttrGetValue(symbol), tile_str(name)))
      return op;
  }
  return (MlirOperation){NULL};
}

typedef struct {
  MlirOperation before; // op, or null: the end of `block`
  MlirBlock block;
} Place;

static Place enter_module(Lowering *l) {
  Place place = {mlirRewriterBaseGetOperationAfterInsertion(l->b.rw),
                 mlirRewriterBaseGetInsertionBlock(l->b.rw)};
  MlirOperation module = mlirOperationGetParentOperation(l->func);
  mlirRewriterBaseSetInsertionPointToStart(
      l->b.rw, mlirRegionGetFirstBlock(mlirOperationGetRegion(module, 0)));
  return place;
}

static void leave_module(Lowering *l, Place place) {
  if (place.before.ptr)
    mlirRewriterBaseSetInsertionPointBefore(l->b.rw, place.before);
  else
    mlirRewriterBaseSetInsertionPointToEnd(l->b.rw, place.block);
}

// Generic pointer to a constant string; equal texts are one.
static MlirValue text_pointer(Lowering *l, const char *text) {
  char name[32];
  uint64_t hash = tile_hash_bytes(TILE_HASH_START, text, strlen(text));
  snprintf(name, sizeof name, "tile_text_%016llx", (unsigned long long)hash);
  MlirContext context = tile_builder_context(&l->b);
  if (!find_symbol(l, name).ptr) {
    Place place = enter_module(l);
    size_t length = strlen(text) + 1;
    MlirType i8 = mlirIntegerTypeGet(context, 8);
    llvm_mlir_global(
        &l->b, .global_type = mlirLLVMArrayTypeGet(i8, (unsigned)length),
        .sym_name = name, .constant = true,
        .linkage = mlirLLVMLinkageAttrGet(context, MlirLLVMLinkageInternal),
        .value = mlirStringAttrGet(context, (MlirStringRef){text, length}),
        .addr_space = TILE_SOME(1));
    leave_module(l, place);
  }
  MlirValue global = llvm_mlir_addressof(&l->b, .type = type_pointer(l, 1),
                                         .global_name = name);
  return llvm_addrspacecast(&l->b, .type = type_pointer(l, 0), .arg = global);
}

static void declare(Lowering *l, const char *name, MlirType type) {
  MlirContext context = tile_builder_context(&l->b);
  if (find_symbol(l, name).ptr)
    return;
  Place place = enter_module(l);
  llvm_func_op(&l->b, .sym_name = name, .function_type = type,
               .linkage =
                   mlirLLVMLinkageAttrGet(context, MlirLLVMLinkageExternal),
               .CConv = mlirLLVMCConvAttrGet(context, MlirLLVMCConvC));
  leave_module(l, place);
}

static void call(Lowering *l, const char *name, MlirType result,
                 MlirValue *arguments, intptr_t count) {
  llvm_call_op(&l->b, .type = result, .callee = name,
               .callee_operands = {arguments, count});
}

//===-- Places in the source ----------------------------------------------===//

typedef struct {
  const char *file;
  int line; // 0: unknown
} Source;

static Source source_of(Lowering *l, MlirOperation op) {
  MlirLocation place = tile_location_in_file(mlirOperationGetLocation(op));
  if (mlirLocationIsNull(place))
    return (Source){"unknown", 0};
  MlirStringRef file =
      mlirIdentifierStr(mlirLocationFileLineColRangeGetFilename(place));
  return (Source){tile_arena_strdup(l->arena, file.data, file.length),
                  mlirLocationFileLineColRangeGetStartLine(place)};
}

//===-- tile.print --------------------------------------------------------===//

// The conversion of a value and the value as vprintf takes it.
static MlirValue printed(Lowering *l, MlirValue value, const char **out_text) {
  MlirType type = mlirValueGetType(value);
  MlirContext context = tile_builder_context(&l->b);
  MlirType f64 = mlirF64TypeGet(context), i32 = type_i32(l);
  *out_text = "%d";
  if (mlirTypeIsAIndex(type))
    return tile_int_get(&l->i32, index_operand(l, value));
  if (tile_elem_is_float(type)) {
    *out_text = "%g";
    if (small_float_is(type))
      value = small_float_widen(l, element_stored(l, value, type), type);
    return mlirTypeIsAF64(type) ? value
                                : arith_extf(&l->b, .type = f64, .in = value);
  }
  unsigned width = mlirIntegerTypeGetWidth(type);
  if (width == 64)
    *out_text = "%lld";
  if (width >= 32)
    return value;
  return width == 1 ? arith_extui(&l->b, .type = i32, .in = value)
                    : arith_extsi(&l->b, .type = i32, .in = value);
}

static size_t append(char *out, size_t capacity, size_t length,
                     const char *text, bool escape) {
  for (; *text && length + 2 < capacity; text++) {
    out[length++] = *text;
    if (escape && *text == '%')
      out[length++] = '%';
  }
  out[length] = '\0';
  return length;
}

// One array for all prints of the function.
static MlirValue argument_array(Lowering *l) {
  if (l->print_array.ptr)
    return l->print_array;
  Place place = {mlirRewriterBaseGetOperationAfterInsertion(l->b.rw),
                 mlirRewriterBaseGetInsertionBlock(l->b.rw)};
  mlirRewriterBaseSetInsertionPointBefore(l->b.rw, l->prolog);
  l->print_array =
      llvm_alloca(&l->b, .type = type_pointer(l, 0),
                  .arraySize = tile_const_int(&l->b, MAX_PRINTED, 32),
                  .alignment = TILE_SOME(16), .elem_type = type_i64(l));
  leave_module(l, place);
  return l->print_array;
}

enum { LINE_CAPACITY = 4096 };

/// A call of vprintf that is being put together.
typedef struct {
  char format[LINE_CAPACITY];
  size_t length;
  MlirValue array;
  int64_t offset; // bytes in it
} PrintedLine;

static void line_add_text(PrintedLine *line, const char *text) {
  line->length = append(line->format, LINE_CAPACITY, line->length, text, true);
}

static void line_add_value(Lowering *l, PrintedLine *line, MlirValue value) {
  const char *conversion;
  MlirType i8 = mlirIntegerTypeGet(tile_builder_context(&l->b), 8);
  value = printed(l, value, &conversion);
  MlirType type = mlirValueGetType(value);
  bool is_wide = mlirTypeIsAF64(type) || mlirTypeEqual(type, type_i64(l));
  int64_t bytes = is_wide ? SLOT_BYTES : SLOT_BYTES / 2;
  int64_t offset = (line->offset + bytes - 1) / bytes * bytes;
  llvm_store(&l->b, .value = value,
             .addr =
                 element_pointer(l, line->array, i8, tile_int_constant(offset)),
             .alignment = TILE_SOME(bytes));
  line->offset = offset + bytes;
  line->length =
      append(line->format, LINE_CAPACITY, line->length, conversion, false);
}

// The place in the source, the text, the number of the thread.
static void line_begin(Lowering *l, TilePrintOp print, PrintedLine *line) {
  MlirStringRef label = tile_print_text(print);
  if (tile_print_source_line(print)) {
    Source source = source_of(l, print.op);
    char place[LINE_CAPACITY / 2];
    snprintf(place, sizeof place, "%s:%d: ", source.file, source.line);
    line_add_text(line, place);
  }
  line_add_text(line, tile_arena_strdup(l->arena, label.data, label.length));
  if (tile_print_every_thread(print)) {
    line_add_text(line, "[");
    line_add_value(l, line, block_thread_id(l));
    line_add_text(line, "]");
  }
}

static void emit_print(Lowering *l, TilePrintOp print) {
  TileRange values = tile_print_values(print);
  PrintedLine *line = TILE_ARENA_NEW(l->arena, PrintedLine, 1);
  *line = (PrintedLine){.array = argument_array(l)};
  MlirType pointer = type_pointer(l, 0), params[2] = {pointer, pointer};
  line_begin(l, print, line);
  for (intptr_t i = 0; i < values.n; i++) {
    line_add_text(line, i ? " " : ": ");
    line_add_value(l, line, tile_range_at(values, i));
  }
  line_add_text(line, "\n");
  declare(l, "vprintf", mlirLLVMFunctionTypeGet(type_i32(l), 2, params, false));
  MlirValue arguments[2] = {text_pointer(l, line->format), line->array};
  call(l, "vprintf", type_i32(l), arguments, 2);
}

void lower_tile_print(Lowering *l, MlirOperation op) {
  TilePrintOp print = tile_print_cast(op);
  if (is_by_thread(op) || tile_print_every_thread(print)) {
    emit_print(l, print);
    return;
  }
  IfBlocks blocks = if_begin(l, op, is_elected(l));
  emit_print(l, print);
  if_end(l, op, blocks);
}

//===-- tile.assert -------------------------------------------------------===//

void lower_tile_assert(Lowering *l, MlirOperation op) {
  TileAssertOp assertion = tile_assert_cast(op);
  MlirContext context = tile_builder_context(&l->b);
  MlirType pointer = type_pointer(l, 0), i32 = type_i32(l), i64 = type_i64(l);
  MlirType params[5] = {pointer, pointer, i32, pointer, i64};
  MlirType nothing = mlirLLVMVoidTypeGet(context);
  Source source = source_of(l, op);
  MlirStringRef message = tile_assert_message(assertion);
  MlirStringRef function = mlirStringAttrGetValue(
      mlirOperationGetAttributeByName(l->func, TILE_STR("sym_name")));
  MlirValue fails = arith_xori(&l->b, tile_assert_condition(assertion),
                               tile_const_int(&l->b, 1, 1));
  if (tile_assert_one_thread(assertion))
    fails = arith_andi(&l->b, is_elected(l), fails);
  IfBlocks blocks = if_begin(l, op, fails);
  declare(l, "__assertfail",
          mlirLLVMFunctionTypeGet(nothing, 5, params, false));
  MlirValue text = text_pointer(
      l, tile_arena_strdup(l->arena, message.data, message.length));
  MlirValue file = text_pointer(l, source.file);
  MlirValue line = tile_const_int(&l->b, source.line, 32);
  MlirValue name = text_pointer(
      l, tile_arena_strdup(l->arena, function.data, function.length));
  MlirValue arguments[5] = {text, file, line, name,
                            tile_const_int(&l->b, 1, 64)};
  call(l, "__assertfail", (MlirType){NULL}, arguments, 5);
  if_end(l, op, blocks);
}

//===-- tile.clock --------------------------------------------------------===//

// As an assembly with a memory clobber, which keeps its place among accesses.
void lower_tile_clock(Lowering *l, MlirOperation op) {
  bool in_cycles =
      tile_clock_kind(tile_clock_cast(op)) == TILE_CLOCK_KIND_Cycles;
  MlirOperation read =
      llvm_inline_asm_op(&l->b, .type = type_i64(l),
                         .asm_string = in_cycles ? "mov.u64 $0, %clock64;"
                                                 : "mov.u64 $0, %globaltimer;",
                         .constraints = "=l,~{memory}",
                         .has_side_effects = true)
          .op;
  mlirRewriterBaseReplaceAllUsesWith(l->b.rw, mlirOperationGetResult(op, 0),
                                     mlirOperationGetResult(read, 0));
}
