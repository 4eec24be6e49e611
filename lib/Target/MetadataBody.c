//===- MetadataBody.c - Parts of the list `body` --------------------------===//
//
// Consumes: ops of a host function, rows of its table.
// Produces: the beginning and the end of their objects, and conditions.
// Fails:    never.
//
//===----------------------------------------------------------------------===//

#include "Target/Metadata.h"

#include "Tile/Ops/tile.h"

//===-- Places ------------------------------------------------------------===//

static MlirLocation place_of(MlirLocation location) {
  for (;;) {
    if (mlirLocationIsAName(location))
      location = mlirLocationNameGetChildLoc(location);
    else if (mlirLocationIsACallSite(location))
      location = mlirLocationCallSiteGetCallee(location);
    else
      return location;
  }
}

// "gemm.mlir:12:8"; "" where nothing is known. Owner: the caller.
static TileString where_of(MlirOperation op) {
  TileString text = {NULL, 0, 0};
  MlirLocation location = place_of(mlirOperationGetLocation(op));
  if (!mlirLocationIsAFileLineColRange(location))
    return text;
  MlirStringRef file =
      mlirIdentifierStr(mlirLocationFileLineColRangeGetFilename(location));
  tile_string_print(&text, "%.*s:%d:%d", (int)file.length, file.data,
                    mlirLocationFileLineColRangeGetStartLine(location),
                    mlirLocationFileLineColRangeGetStartColumn(location));
  return text;
}

void tile_host_open_op(TileHost *host, MlirOperation op, const char *name) {
  TileString where = where_of(op);
  host->needs_body = true;
  tile_json_break(&host->body);
  tile_json_open(&host->body, NULL, '{');
  tile_json_print_string(&host->body, "op", name);
  if (where.size_bytes)
    tile_json_print_string(&host->body, "where", where.data);
  tile_string_deinit(&where);
}

void tile_host_close_op(TileHost *host) { tile_json_close(&host->body, '}'); }

//===-- Requirements ------------------------------------------------------===//

void tile_host_print_check_numbers(TileJson *json, const TileHostCheck *check) {
  tile_json_print_int(json, "value", check->condition);
  tile_json_print_string(json, "text", check->text);
  if (check->actual >= 0)
    tile_json_print_int(json, "actual", check->actual);
  if (check->other >= 0)
    tile_json_print_int(json, "other", check->other);
}

// What depends on the arguments alone is looked at before all.
void tile_host_print_check(TileHost *host, const TileHostCheck *check) {
  if (host->depth > 0 || host->slice.rows[check->condition].is_variable) {
    tile_host_open_op(host, check->op, "require");
    tile_host_print_check_numbers(&host->body, check);
    tile_host_close_op(host);
    return;
  }
  tile_json_open(&host->requires, NULL, '{');
  tile_host_print_check_numbers(&host->requires, check);
  if (!tile_require_is(check->op)) {
    TileString where = where_of(check->op);
    host->slice.is_version_2 = true;
    if (where.size_bytes)
      tile_json_print_string(&host->requires, "where", where.data);
    tile_string_deinit(&where);
  }
  tile_json_close(&host->requires, '}');
}

//===-- Rows --------------------------------------------------------------===//

void tile_host_print_rows(TileJson *json, const char *key, const int *rows,
                          int count) {
  tile_json_open(json, key, '[');
  for (int i = 0; i < count; i++)
    tile_json_print_int(json, NULL, rows[i]);
  tile_json_close(json, ']');
}
