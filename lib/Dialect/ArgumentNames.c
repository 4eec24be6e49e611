//===- ArgumentNames.c - How callers know the arguments of functions ------===//

#include "ArgumentNames.h"

#include "Dialect/ForeignOps.h"
#include "Support/StringBuilder.h"
#include "Tile/Ops/func.h"
#include "Tile/Ops/gpu.h"
#include "mlir-c/Dialect/Func.h"
#include <stdio.h>
#include <string.h>

//===-- The attribute -----------------------------------------------------===//

static MlirAttribute attr_of(MlirOperation function, intptr_t arg,
                             const char *name) {
  MlirAttribute none = {NULL};
  MlirAttribute all =
      mlirOperationGetInherentAttributeByName(function, TILE_STR("arg_attrs"));
  if (mlirAttributeIsNull(all) || arg >= mlirArrayAttrGetNumElements(all))
    return none;
  return mlirDictionaryAttrGetElementByName(mlirArrayAttrGetElement(all, arg),
                                            tile_str(name));
}

static MlirStringRef text_of(MlirOperation function, intptr_t arg,
                             const char *name) {
  MlirAttribute attr = attr_of(function, arg, name);
  if (mlirAttributeIsNull(attr) || !mlirAttributeIsAString(attr))
    return TILE_STR("");
  return mlirStringAttrGetValue(attr);
}

MlirStringRef tile_argument_name(MlirOperation function, intptr_t arg) {
  return text_of(function, arg, TILE_NAME_ATTR);
}

MlirStringRef tile_argument_holds(MlirOperation function, intptr_t arg) {
  return text_of(function, arg, TILE_HOLDS_ATTR);
}

//===-- Names in the source -----------------------------------------------===//

// The text from line and column on, both from 1; NULL past the end.
static const char *text_at(const TileSource *source, int line, int column) {
  const char *at = source->text, *end = at + source->size_bytes;
  for (int i = 1; i < line && at < end; i++) {
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    at = newline ? newline + 1 : end;
  }
  return column >= 1 && end - at > column ? at + column - 1 : NULL;
}

static bool is_source(const TileSource *source, MlirLocation location) {
  if (!source->text || !mlirLocationIsAFileLineColRange(location))
    return false;
  return mlirStringRefEqual(
      mlirIdentifierStr(mlirLocationFileLineColRangeGetFilename(location)),
      tile_str(source->name));
}

// `%A` in the source is argument "A". Locations lead there.
static MlirStringRef name_at(const TileSource *source, MlirLocation location) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyz"
                                "ABCDEFGHIJKLMNOPQRSTUVWXYZ_$.-0123456789";
  MlirStringRef none = TILE_STR("");
  if (mlirLocationIsAName(location))
    return mlirIdentifierStr(mlirLocationNameGetName(location));
  if (!is_source(source, location))
    return none;
  const char *at =
      text_at(source, mlirLocationFileLineColRangeGetStartLine(location),
              mlirLocationFileLineColRangeGetStartColumn(location));
  const char *end = source->text + source->size_bytes;
  if (!at || *at++ != '%' || (at < end && *at >= '0' && *at <= '9'))
    return none;
  size_t length = 0;
  while (at + length < end && at[length] && strchr(letters, at[length]))
    length++;
  return (MlirStringRef){at, length};
}

//===-- Filling -----------------------------------------------------------===//

// What is called may launch, and linalg ops become launches.
static MlirWalkResult find_launch(MlirOperation op, void *user_data) {
  if (!gpu_launch_is(op) && !gpu_launch_func_is(op) && !func_call_is(op) &&
      !tile_op_name_begins(op, "linalg."))
    return MlirWalkResultAdvance;
  *(bool *)user_data = true;
  return MlirWalkResultInterrupt;
}

static MlirWalkResult fill_function(MlirOperation op, void *user_data) {
  const TileSource *source = user_data;
  bool has_launch = false;
  if (!func_func_is(op))
    return MlirWalkResultAdvance;
  mlirOperationWalk(op, find_launch, &has_launch, MlirWalkPreOrder);
  if (!has_launch)
    return MlirWalkResultSkip;
  MlirBlock entry = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(entry); i++) {
    char otherwise[24]; // what the printer says
    MlirStringRef name =
        name_at(source, mlirValueGetLocation(mlirBlockGetArgument(entry, i)));
    snprintf(otherwise, sizeof otherwise, "arg%ld", (long)i);
    if (name.length == 0 ||
        !mlirAttributeIsNull(attr_of(op, i, TILE_NAME_ATTR)) ||
        mlirStringRefEqual(name, tile_str(otherwise)))
      continue;
    mlirFuncSetArgAttr(op, i, TILE_STR(TILE_NAME_ATTR),
                       mlirStringAttrGet(mlirOperationGetContext(op), name));
  }
  return MlirWalkResultSkip;
}

void tile_argument_names_fill(MlirOperation root, const TileSource *source) {
  TileSource copy = *source;
  mlirOperationWalk(root, fill_function, &copy, MlirWalkPreOrder);
}

//===-- As a pass ---------------------------------------------------------===//

static void run_pass(MlirOperation op, MlirExternalPass pass, void *user_data) {
  (void)pass;
  tile_argument_names_fill(op, user_data);
}

static void end_pass(void *user_data) { (void)user_data; }

static void *clone_pass(void *user_data) { return user_data; }

void tile_argument_names_add_pass(MlirPassManager manager,
                                  const TileSource *source) {
  static const _Alignas(8) char id[8] = {0}; // its address is one
  MlirExternalPassCallbacks callbacks = {
      .destruct = end_pass, .clone = clone_pass, .run = run_pass};
  mlirPassManagerAddOwnedPass(
      manager, mlirCreateExternalPass(
                   mlirTypeIDCreate(id), TILE_STR("NameArguments"),
                   TILE_STR("tile-name-arguments"), TILE_STR(""), TILE_STR(""),
                   0, NULL, callbacks, (void *)(uintptr_t)source));
}
