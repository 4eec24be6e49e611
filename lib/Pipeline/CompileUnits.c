//===- CompileUnits.c - What becomes one PTX file -------------------------===//

#include "Pipeline/CompileUnits.h"

#include "Dialect/ForeignOps.h"
#include "Support/Diagnostics.h"
#include "Support/Iterate.h"
#include "Target/Emit.h"
#include "Target/Symbols.h"
#include "Tile/Ops/func.h"
#include "Tile/Ops/gpu.h"
#include "Tile/Ops/llvm.h"
#include "Tile/Ops/memref.h"
#include <stdlib.h>

//===-- Symbols -----------------------------------------------------------===//

static MlirBlock body_of(MlirOperation op) {
  return mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
}

static MlirOperation find_gpu_module(MlirOperation module, MlirStringRef name) {
  TILE_FOR_EACH_OP (op, body_of(module)) {
    if (gpu_module_is(op) && mlirStringRefEqual(tile_symbol_name(op), name))
      return op;
  }
  return (MlirOperation){NULL};
}

static bool is_made_of(MlirStringRef name, const char *first_not,
                       const char *extra) {
  if (name.length == 0 || strchr(first_not, name.data[0]))
    return false;
  for (size_t i = 0; i < name.length; i++) {
    char c = name.data[i];
    bool is_word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                   (c >= '0' && c <= '9') || c == '_' || c == '$';
    if (!is_word && (c == '\0' || !strchr(extra, c)))
      return false;
  }
  return true;
}

static bool is_file_name(MlirStringRef name) {
  return name.length <= 200 && is_made_of(name, ".-", ".-");
}

static bool is_ptx_identifier(MlirStringRef name) {
  return is_made_of(name, "0123456789", "");
}

static void *allocate(void *old, size_t count, size_t item_bytes) {
  void *memory = realloc(old, count * item_bytes);
  if (!memory) {
    fprintf(stderr, "tile: out of memory\n");
    abort();
  }
  return memory;
}

static char *copy_name(MlirStringRef name) {
  TileString text = {NULL, 0, 0};
  tile_string_append(&text, name.data, name.length);
  return tile_string_take(&text);
}

//===-- Kernel names ------------------------------------------------------===//

typedef struct {
  MlirStringRef *items; // borrowed from attributes, which outlive the ops
  size_t count;
} Names;

static bool is_taken(const Names *names, MlirStringRef name) {
  for (size_t i = 0; i < names->count; i++)
    if (mlirStringRefEqual(names->items[i], name))
      return true;
  return false;
}

static bool is_kernel(MlirOperation op) {
  static const char *const marks[] = {"gpu.kernel", "nvvm.kernel"};
  for (int i = 0; i < 2; i++)
    if (!mlirAttributeIsNull(
            mlirOperationGetDiscardableAttributeByName(op, tile_str(marks[i]))))
      return true;
  return false;
}

typedef struct {
  MlirStringRef gpu_module, from, to;
} Renaming;

static MlirWalkResult rename_launch(MlirOperation op, void *user_data) {
  const Renaming *renaming = user_data;
  GPULaunchFuncOp launch = gpu_launch_func_dyn(op);
  if (!launch.op.ptr)
    return MlirWalkResultAdvance;
  MlirAttribute kernel = gpu_launch_func_kernel_attr(launch);
  MlirStringRef root = mlirSymbolRefAttrGetRootReference(kernel);
  if (!mlirStringRefEqual(root, renaming->gpu_module) ||
      !mlirStringRefEqual(mlirSymbolRefAttrGetLeafReference(kernel),
                          renaming->from))
    return MlirWalkResultAdvance;
  MlirContext context = mlirOperationGetContext(op);
  MlirAttribute leaf = mlirFlatSymbolRefAttrGet(context, renaming->to);
  mlirOperationSetInherentAttributeByName(
      op, TILE_STR("kernel"), mlirSymbolRefAttrGet(context, root, 1, &leaf));
  return MlirWalkResultAdvance;
}

// The name of the gpu.module, with a number after it while that is taken.
static MlirAttribute free_name(const Names *names, MlirOperation gpu_module) {
  MlirStringRef base = tile_symbol_name(gpu_module);
  MlirContext context = mlirOperationGetContext(gpu_module);
  MlirAttribute attr = mlirStringAttrGet(context, base);
  for (int i = 1; is_taken(names, mlirStringAttrGetValue(attr)); i++) {
    TileString text = {NULL, 0, 0};
    tile_string_print(&text, "%.*s_%d", (int)base.length, base.data, i);
    attr =
        mlirStringAttrGet(context, (MlirStringRef){text.data, text.size_bytes});
    tile_string_deinit(&text);
  }
  return attr;
}

static MlirLogicalResult name_kernel(MlirOperation module,
                                     MlirOperation gpu_module,
                                     MlirOperation kernel, Names *names) {
  MlirStringRef name = tile_symbol_name(kernel);
  if (is_taken(names, name)) {
    MlirAttribute attr = free_name(names, gpu_module);
    Renaming renaming = {tile_symbol_name(gpu_module), name,
                         mlirStringAttrGetValue(attr)};
    mlirOperationWalk(module, rename_launch, &renaming, MlirWalkPreOrder);
    mlirOperationSetAttributeByName(kernel, TILE_STR("sym_name"), attr);
    name = renaming.to;
  }
  if (!is_ptx_identifier(name))
    return tile_emit_error(kernel, "has a name that PTX cannot spell: '%.*s'",
                           (int)name.length, name.data);
  names->items = allocate(names->items, names->count + 1, sizeof *names->items);
  names->items[names->count++] = name;
  return tile_success();
}

// Several gpu.modules become one PTX file, and outlining calls every kernel of
// a function the same. A kernel whose name is taken gets that of its
// gpu.module.
static MlirLogicalResult name_kernels(MlirOperation module) {
  Names names = {NULL, 0};
  MlirLogicalResult result = tile_success();
  TILE_FOR_EACH_OP (gpu_module, body_of(module)) {
    if (!gpu_module_is(gpu_module) || tile_gpu_module_is_foreign(gpu_module))
      continue;
    TILE_FOR_EACH_OP (op, body_of(gpu_module)) {
      if (!tile_failed(result) && is_kernel(op))
        result = name_kernel(module, gpu_module, op, &names);
    }
  }
  free(names.items);
  return result;
}

//===-- Units -------------------------------------------------------------===//

static bool uses(const TileUnit *unit, MlirOperation gpu_module) {
  for (size_t i = 0; i < unit->num_gpu_modules; i++)
    if (mlirOperationEqual(unit->gpu_modules[i], gpu_module))
      return true;
  return false;
}

static void add_gpu_module(TileUnit *unit, MlirOperation gpu_module) {
  unit->gpu_modules = allocate(unit->gpu_modules, unit->num_gpu_modules + 1,
                               sizeof *unit->gpu_modules);
  unit->gpu_modules[unit->num_gpu_modules++] = gpu_module;
}

typedef struct {
  MlirOperation module;
  TileUnit *unit;
  MlirOperation foreign; // the first launch from a module that is passed by
  MlirLogicalResult result;
} LaunchWalk;

static MlirWalkResult visit_launch(MlirOperation op, void *user_data) {
  LaunchWalk *walk = user_data;
  GPULaunchFuncOp launch = gpu_launch_func_dyn(op);
  if (!launch.op.ptr)
    return MlirWalkResultAdvance;
  MlirStringRef root =
      mlirSymbolRefAttrGetRootReference(gpu_launch_func_kernel_attr(launch));
  MlirOperation gpu_module = find_gpu_module(walk->module, root);
  if (!gpu_module.ptr) {
    walk->result = tile_emit_error(op,
                                   "launches a kernel of '%.*s', which is "
                                   "no gpu.module",
                                   (int)root.length, root.data);
    return MlirWalkResultInterrupt;
  }
  if (tile_gpu_module_is_foreign(gpu_module)) {
    if (!walk->foreign.ptr)
      walk->foreign = op;
  } else if (!uses(walk->unit, gpu_module)) {
    add_gpu_module(walk->unit, gpu_module);
  }
  return MlirWalkResultAdvance;
}

static MlirLogicalResult fill_unit(MlirOperation module, MlirOperation op,
                                   TileUnit *unit) {
  MlirStringRef name = tile_symbol_name(op);
  if (!is_file_name(name))
    return tile_emit_error(op, "has a name that is no file name: '%.*s'",
                           (int)name.length, name.data);
  unit->name = copy_name(name);
  if (gpu_module_is(op)) {
    add_gpu_module(unit, op);
    return tile_target_resolve(op, NULL, &unit->target);
  }
  unit->host = op;
  LaunchWalk walk = {module, unit, {NULL}, tile_success()};
  mlirOperationWalk(op, visit_launch, &walk, MlirWalkPreOrder);
  if (tile_failed(walk.result))
    return walk.result;
  if (walk.foreign.ptr && unit->num_gpu_modules)
    return tile_emit_error(walk.foreign, "launches a kernel for another kind "
                                         "of GPU beside one for NVIDIA's");
  // The target may be written on the gpu.module only.
  MlirOperation scope = unit->num_gpu_modules ? unit->gpu_modules[0] : op;
  return tile_target_resolve(scope, NULL, &unit->target);
}

static MlirLogicalResult add_unit(TileUnits *units, MlirOperation module,
                                  MlirOperation op) {
  units->items = allocate(units->items, units->count + 1, sizeof *units->items);
  TileUnit *unit = &units->items[units->count++];
  *unit = (TileUnit){.num_gpu_modules = 0};
  return fill_unit(module, op, unit);
}

// A host function all of whose kernels are for other GPUs is passed by.
static MlirLogicalResult add_host(TileUnits *units, MlirOperation module,
                                  MlirOperation host) {
  if (tile_failed(add_unit(units, module, host)))
    return tile_failure();
  TileUnit *last = &units->items[units->count - 1];
  if (!last->host.ptr || last->num_gpu_modules)
    return tile_success();
  free(last->name);
  units->count--;
  return tile_success();
}

static bool is_launched(const TileUnits *units, MlirOperation gpu_module) {
  for (size_t i = 0; i < units->count; i++)
    if (uses(&units->items[i], gpu_module))
      return true;
  return false;
}

static MlirWalkResult find_tile_op(MlirOperation op, void *user_data) {
  MlirOperation *found = user_data;
  if (!tile_op_is(op))
    return MlirWalkResultAdvance;
  *found = op;
  return MlirWalkResultInterrupt;
}

static MlirWalkResult find_function(MlirOperation op, void *user_data) {
  MlirOperation *found = user_data;
  if (!func_func_is(op) || !tile_kernel_body(op).ptr)
    return MlirWalkResultAdvance;
  *found = op;
  return MlirWalkResultInterrupt;
}

static MlirLogicalResult report_nothing(MlirOperation module) {
  MlirOperation op = {NULL}, function = {NULL};
  mlirOperationWalk(module, find_tile_op, &op, MlirWalkPreOrder);
  if (op.ptr)
    return tile_emit_error(op, "stands in no kernel: threads execute what a "
                               "gpu.launch holds");
  mlirOperationWalk(module, find_function, &function, MlirWalkPreOrder);
  if (function.ptr)
    return tile_emit_error_at(
        mlirOperationGetLocation(function),
        "nothing to compile: no kernel of this function stores something; "
        "views of arguments, as reshapes are, need no kernel");
  return tile_emit_error_at(mlirOperationGetLocation(module),
                            "nothing to compile: expects a func.func that "
                            "launches kernels which store something, or a "
                            "gpu.module");
}

// Memory of the device in a function that no metadata will describe.
static MlirWalkResult find_device_op(MlirOperation op, void *user_data) {
  MlirOperation *found = user_data;
  if (!memref_copy_is(op) && !gpu_memcpy_is(op) && !gpu_memset_is(op) &&
      !gpu_alloc_is(op))
    return MlirWalkResultAdvance;
  *found = op;
  return MlirWalkResultInterrupt;
}

// What a program could call must not be missing without a word.
static MlirLogicalResult check_idle_function(MlirOperation function) {
  MlirOperation op = {NULL};
  MlirAttribute visibility = mlirOperationGetInherentAttributeByName(
      function, TILE_STR("sym_visibility"));
  if (!mlirAttributeIsNull(visibility))
    return tile_success(); // others call it
  mlirOperationWalk(function, find_device_op, &op, MlirWalkPreOrder);
  if (!op.ptr)
    return tile_success();
  return tile_emit_error_with_note(
      function, mlirOperationGetLocation(op), "it uses the device here",
      "launches no kernel; a host function launches one or more");
}

MlirLogicalResult tile_units_find(MlirOperation module, TileUnits *out_units) {
  *out_units = (TileUnits){NULL, 0};
  if (tile_failed(name_kernels(module)))
    return tile_failure();
  TILE_FOR_EACH_OP (host, body_of(module)) {
    MlirLogicalResult result = tile_success();
    if (tile_host_function_is(host))
      result = add_host(out_units, module, host);
    else if (func_func_is(host))
      result = check_idle_function(host);
    if (tile_failed(result))
      return tile_failure();
  }
  TILE_FOR_EACH_OP (op, body_of(module)) {
    if (gpu_module_is(op) && !tile_gpu_module_is_foreign(op) &&
        !is_launched(out_units, op) &&
        tile_failed(add_unit(out_units, module, op)))
      return tile_failure();
  }
  if (out_units->count)
    return tile_success();
  return report_nothing(module);
}

//===-- Entries -----------------------------------------------------------===//

typedef struct {
  const char *ptx;
  MlirLogicalResult result;
} EntryWalk;

static MlirWalkResult check_entry(MlirOperation op, void *user_data) {
  EntryWalk *walk = user_data;
  GPULaunchFuncOp launch = gpu_launch_func_dyn(op);
  if (!launch.op.ptr)
    return MlirWalkResultAdvance;
  MlirStringRef kernel =
      mlirSymbolRefAttrGetLeafReference(gpu_launch_func_kernel_attr(launch));
  TileString entry = {NULL, 0, 0};
  tile_string_print(&entry, ".entry %.*s(", (int)kernel.length, kernel.data);
  if (!strstr(walk->ptx, entry.data))
    walk->result = tile_emit_error(
        op,
        "launches '%.*s', which is no kernel in the PTX; its function "
        "needs the attribute nvvm.kernel",
        (int)kernel.length, kernel.data);
  tile_string_deinit(&entry);
  return tile_failed(walk->result) ? MlirWalkResultInterrupt
                                   : MlirWalkResultAdvance;
}

MlirLogicalResult tile_unit_check_entries(const TileUnit *unit,
                                          const char *ptx) {
  EntryWalk walk = {ptx, tile_success()};
  if (unit->host.ptr)
    mlirOperationWalk(unit->host, check_entry, &walk, MlirWalkPreOrder);
  return walk.result;
}
