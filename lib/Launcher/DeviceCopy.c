//===- DeviceCopy.c - Strided copies and fills on a device ----------------===//
//
// Back ends move rows of bytes at a pitch. Dimensions that follow one another
// without gaps become one; the last one that is left is that of the rows, and
// those before it are a loop.
//
//===----------------------------------------------------------------------===//

#include "DeviceCopy.h"

#include <string.h>

typedef struct {
  int64_t extent, to, from; // strides in elements
} Dim;

/// Dimensions as few as possible; 0 elements: `extent` of the first is 0.
typedef struct {
  Dim dims[TILE_LAUNCH_MAX_RANK + 1];
  int rank;
} Dims;

static void add(Dims *dims, Dim dim) {
  if (dim.extent == 1)
    return;
  if (dims->rank > 0) {
    Dim *outer = &dims->dims[dims->rank - 1];
    if (outer->to == dim.extent * dim.to &&
        outer->from == dim.extent * dim.from) {
      *outer = (Dim){outer->extent * dim.extent, dim.to, dim.from};
      return;
    }
  }
  dims->dims[dims->rank++] = dim;
}

/// The innermost dimension, when its elements are neighbours; else one element.
static Dim take_row(Dims *dims) {
  Dim row = {1, 1, 1};
  if (dims->rank > 0) {
    Dim last = dims->dims[dims->rank - 1];
    if (last.to == 1 && last.from == 1) {
      row = last;
      dims->rank--;
    }
  }
  return row;
}

/// Rows at a pitch that the hardware can step by: one after the other.
static Dim take_rows(Dims *dims, int64_t row_elems) {
  Dim rows = {1, row_elems, row_elems};
  if (dims->rank > 0) {
    Dim last = dims->dims[dims->rank - 1];
    if (last.to >= row_elems && last.from >= row_elems) {
      rows = last;
      dims->rank--;
    }
  }
  return rows;
}

/// Counts `at` up; false after the last one.
static bool next(const Dims *dims, int64_t at[TILE_LAUNCH_MAX_RANK + 1]) {
  for (int d = dims->rank; d-- > 0;) {
    if (++at[d] < dims->dims[d].extent)
      return true;
    at[d] = 0;
  }
  return false;
}

static bool is_empty(int rank, const int64_t *shape) {
  for (int d = 0; d < rank; d++)
    if (shape[d] == 0)
      return true;
  return false;
}

//===-- Copies ------------------------------------------------------------===//

static TileStatus copy_all(TileDevice *device, const DeviceCopy *copy,
                           Dims *dims) {
  Dim row = take_row(dims);
  Dim rows = take_rows(dims, row.extent);
  int64_t at[TILE_LAUNCH_MAX_RANK + 1] = {0};
  TileStatus status = tile_status_ok();
  DeviceRows it = {.to_pitch_bytes = (size_t)rows.to * copy->elem_bytes,
                   .from_pitch_bytes = (size_t)rows.from * copy->elem_bytes,
                   .row_bytes = (size_t)row.extent * copy->elem_bytes,
                   .num_rows = (size_t)rows.extent,
                   .stream = copy->stream};
  do {
    int64_t to = 0, from = 0;
    for (int d = 0; d < dims->rank; d++) {
      to += at[d] * dims->dims[d].to;
      from += at[d] * dims->dims[d].from;
    }
    it.to = copy->to + (uint64_t)to * copy->elem_bytes;
    it.from = copy->from + (uint64_t)from * copy->elem_bytes;
    status = device->ops->copy_rows(device, &it);
  } while (tile_status_is_ok(&status) && next(dims, at));
  return status;
}

TileStatus tile_device_copy(TileDevice *device, const DeviceCopy *copy) {
  Dims dims = {.rank = 0};
  if (is_empty(copy->rank, copy->shape))
    return tile_status_ok();
  for (int d = 0; d < copy->rank; d++)
    add(&dims,
        (Dim){copy->shape[d], copy->to_strides[d], copy->from_strides[d]});
  TileStatus status = tile_device_enter(device);
  if (!tile_status_is_ok(&status))
    return status;
  status = copy_all(device, copy, &dims);
  tile_device_leave(device);
  return status;
}

//===-- Fills -------------------------------------------------------------===//

static TileStatus fill_all(TileDevice *device, const DeviceFill *fill,
                           Dims *dims) {
  Dim row = take_row(dims);
  Dim rows = take_rows(dims, row.extent);
  int64_t at[TILE_LAUNCH_MAX_RANK + 1] = {0};
  TileStatus status = tile_status_ok();
  DevicePattern it = {.pitch_bytes = (size_t)rows.to * fill->elem_bytes,
                      .elem_bytes = fill->elem_bytes,
                      .row_elems = (size_t)row.extent,
                      .num_rows = (size_t)rows.extent,
                      .stream = fill->stream};
  memcpy(it.pattern, fill->pattern, sizeof it.pattern);
  do {
    int64_t to = 0;
    for (int d = 0; d < dims->rank; d++)
      to += at[d] * dims->dims[d].to;
    it.to = fill->to + (uint64_t)to * fill->elem_bytes;
    status = device->ops->fill_rows(device, &it);
  } while (tile_status_is_ok(&status) && next(dims, at));
  return status;
}

TileStatus tile_device_fill(TileDevice *device, const DeviceFill *fill) {
  Dims dims = {.rank = 0};
  if (is_empty(fill->rank, fill->shape))
    return tile_status_ok();
  for (int d = 0; d < fill->rank; d++)
    add(&dims, (Dim){fill->shape[d], fill->strides[d], fill->strides[d]});
  TileStatus status = tile_device_enter(device);
  if (!tile_status_is_ok(&status))
    return status;
  status = fill_all(device, fill, &dims);
  tile_device_leave(device);
  return status;
}
