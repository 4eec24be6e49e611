//===- DriverStreams.c - Streams and events -------------------------------===//
//
// Work ends before the call that asks for it returns, so streams are never
// busy and events are always reached. The time of an event is the clock of
// the host when it was recorded: differences are what emulation took.
//
//===----------------------------------------------------------------------===//

#include "CudaShim/Shim.h"
#include "DriverApi.h"

#include <string.h>
#include <time.h>

//===-- Streams -----------------------------------------------------------===//

static CuResult stream_create(TileShim *shim, CuStream *out_stream,
                              unsigned flags, int priority) {
  if (!out_stream || flags > 1)
    return CU_INVALID_VALUE;
  TileShimStream *stream =
      tile_shim_object_create(shim, TILE_SHIM_STREAM, sizeof *stream);
  if (!stream)
    return CU_OUT_OF_MEMORY;
  stream->flags = flags;
  stream->priority = priority > 0 ? 0 : priority < -5 ? -5 : priority;
  stream->id = ++shim->next_id;
  *out_stream = stream;
  return CU_SUCCESS;
}

CuResult cuStreamCreate(CuStream *out_stream, unsigned flags) {
  TILE_SHIM_CALL(stream_create(shim, out_stream, flags, 0));
}

CuResult cuStreamCreateWithPriority(CuStream *out_stream, unsigned flags,
                                    int priority) {
  TILE_SHIM_CALL(stream_create(shim, out_stream, flags, priority));
}

static CuResult stream_destroy(TileShim *shim, CuStream stream) {
  if (!tile_shim_is(shim, stream, TILE_SHIM_STREAM))
    return CU_INVALID_HANDLE;
  tile_shim_object_destroy(shim, stream);
  return CU_SUCCESS;
}

CuResult cuStreamDestroy_v2(CuStream stream) {
  TILE_SHIM_CALL(stream_destroy(shim, stream));
}

static CuResult stream_check(const TileShim *shim, CuStream stream,
                             const void *out) {
  if (!tile_shim_is_stream(shim, stream))
    return CU_INVALID_HANDLE;
  return out ? CU_SUCCESS : CU_INVALID_VALUE;
}

CuResult cuStreamQuery(CuStream stream) {
  TILE_SHIM_CALL(stream_check(shim, stream, shim));
}

CuResult cuStreamSynchronize(CuStream stream) {
  TILE_SHIM_CALL(stream_check(shim, stream, shim));
}

static CuResult stream_wait(const TileShim *shim, CuStream stream,
                            CuEvent event) {
  if (!tile_shim_is(shim, event, TILE_SHIM_EVENT))
    return CU_INVALID_HANDLE;
  return stream_check(shim, stream, event);
}

CuResult cuStreamWaitEvent(CuStream stream, CuEvent event, unsigned flags) {
  (void)flags;
  TILE_SHIM_CALL(stream_wait(shim, stream, event));
}

CuResult cuStreamAttachMemAsync(CuStream stream, CuAddress address,
                                size_t size_bytes, unsigned flags) {
  (void)address;
  (void)size_bytes;
  (void)flags;
  TILE_SHIM_CALL(stream_check(shim, stream, shim));
}

/// Called without the lock: the function may use the host API of its thread.
CuResult cuStreamAddCallback(CuStream stream, CuStreamCallback callback,
                             void *user_data, unsigned flags) {
  (void)flags;
  CuResult result = callback ? cuStreamQuery(stream) : CU_INVALID_VALUE;
  if (result == CU_SUCCESS)
    callback(stream, CU_SUCCESS, user_data);
  return result;
}

CuResult cuLaunchHostFunc(CuStream stream, CuHostFunction function,
                          void *user_data) {
  CuResult result = function ? cuStreamQuery(stream) : CU_INVALID_VALUE;
  if (result == CU_SUCCESS)
    function(user_data);
  return result;
}

static bool is_number(CuStream stream) { return (uintptr_t)stream <= 2; }

static CuResult stream_priority(const TileShim *shim, CuStream stream,
                                int *out_priority) {
  CuResult result = stream_check(shim, stream, out_priority);
  if (result == CU_SUCCESS)
    *out_priority = is_number(stream) ? 0 : stream->priority;
  return result;
}

CuResult cuStreamGetPriority(CuStream stream, int *out_priority) {
  TILE_SHIM_CALL(stream_priority(shim, stream, out_priority));
}

static CuResult stream_flags(const TileShim *shim, CuStream stream,
                             unsigned *out_flags) {
  CuResult result = stream_check(shim, stream, out_flags);
  if (result == CU_SUCCESS)
    *out_flags = is_number(stream) ? 0 : stream->flags;
  return result;
}

CuResult cuStreamGetFlags(CuStream stream, unsigned *out_flags) {
  TILE_SHIM_CALL(stream_flags(shim, stream, out_flags));
}

static CuResult stream_id(const TileShim *shim, CuStream stream,
                          unsigned long long *out_id) {
  CuResult result = stream_check(shim, stream, out_id);
  if (result == CU_SUCCESS)
    *out_id = is_number(stream) ? (uintptr_t)stream : 2 + stream->id;
  return result;
}

CuResult cuStreamGetId(CuStream stream, unsigned long long *out_id) {
  TILE_SHIM_CALL(stream_id(shim, stream, out_id));
}

static CuResult stream_zero(const TileShim *shim, CuStream stream, void *out,
                            size_t size_bytes) {
  CuResult result = stream_check(shim, stream, out);
  if (result == CU_SUCCESS)
    memset(out, 0, size_bytes);
  return result;
}

CuResult cuStreamGetDevice(CuStream stream, CuDevice *out_device) {
  TILE_SHIM_CALL(stream_zero(shim, stream, out_device, sizeof *out_device));
}

static CuResult stream_context(const TileShim *shim, CuStream stream,
                               CuContext *out_context) {
  CuResult result = stream_check(shim, stream, out_context);
  if (result == CU_SUCCESS)
    *out_context = tile_shim_current();
  return result;
}

CuResult cuStreamGetCtx(CuStream stream, CuContext *out_context) {
  TILE_SHIM_CALL(stream_context(shim, stream, out_context));
}

//===-- Capture, which never happens --------------------------------------===//

CuResult cuStreamIsCapturing(CuStream stream, int *out_status) {
  TILE_SHIM_CALL(stream_zero(shim, stream, out_status, sizeof *out_status));
}

CuResult cuStreamGetCaptureInfo_v2(CuStream stream, int *out_status,
                                   uint64_t *out_id, void **out_graph,
                                   const void ***out_nodes, size_t *out_count) {
  (void)out_id;
  (void)out_graph;
  (void)out_nodes;
  (void)out_count;
  return cuStreamIsCapturing(stream, out_status);
}

CuResult cuStreamGetCaptureInfo_v3(CuStream stream, int *out_status,
                                   uint64_t *out_id, void **out_graph,
                                   const void ***out_nodes,
                                   const void **out_edges, size_t *out_count) {
  (void)out_edges;
  return cuStreamGetCaptureInfo_v2(stream, out_status, out_id, out_graph,
                                   out_nodes, out_count);
}

CuResult cuThreadExchangeStreamCaptureMode(int *mode) {
  return mode ? CU_SUCCESS : CU_INVALID_VALUE;
}

CuResult cuStreamGetAttribute(CuStream stream, int attribute, void *out_value) {
  enum { ATTRIBUTE_BYTES = 64 };
  (void)attribute;
  TILE_SHIM_CALL(stream_zero(shim, stream, out_value, ATTRIBUTE_BYTES));
}

CuResult cuStreamSetAttribute(CuStream stream, int attribute,
                              const void *value) {
  (void)attribute;
  TILE_SHIM_CALL(stream_check(shim, stream, value));
}

//===-- Values ------------------------------------------------------------===//

static CuResult write_value(TileShim *shim, CuStream stream, CuAddress address,
                            const void *value, size_t size_bytes) {
  CuResult result = stream_check(shim, stream, value);
  if (result != CU_SUCCESS)
    return result;
  if (!tile_shim_memory_check(shim, address, size_bytes, false))
    return CU_INVALID_VALUE;
  memcpy((void *)(uintptr_t)address, value, size_bytes);
  return CU_SUCCESS;
}

CuResult cuStreamWriteValue32_v2(CuStream stream, CuAddress address,
                                 unsigned value, unsigned flags) {
  (void)flags;
  TILE_SHIM_CALL(write_value(shim, stream, address, &value, sizeof value));
}

CuResult cuStreamWriteValue64_v2(CuStream stream, CuAddress address,
                                 uint64_t value, unsigned flags) {
  (void)flags;
  TILE_SHIM_CALL(write_value(shim, stream, address, &value, sizeof value));
}

//===-- Events ------------------------------------------------------------===//

enum { EVENT_DISABLE_TIMING = 2, EVENT_FLAGS = 7 };

static CuResult event_create(TileShim *shim, CuEvent *out_event,
                             unsigned flags) {
  if (!out_event || flags & ~(unsigned)EVENT_FLAGS)
    return CU_INVALID_VALUE;
  TileShimEvent *event =
      tile_shim_object_create(shim, TILE_SHIM_EVENT, sizeof *event);
  if (!event)
    return CU_OUT_OF_MEMORY;
  event->flags = flags;
  *out_event = event;
  return CU_SUCCESS;
}

CuResult cuEventCreate(CuEvent *out_event, unsigned flags) {
  TILE_SHIM_CALL(event_create(shim, out_event, flags));
}

static CuResult event_check(const TileShim *shim, CuEvent event) {
  return tile_shim_is(shim, event, TILE_SHIM_EVENT) ? CU_SUCCESS
                                                    : CU_INVALID_HANDLE;
}

static CuResult event_destroy(TileShim *shim, CuEvent event) {
  CuResult result = event_check(shim, event);
  if (result == CU_SUCCESS)
    tile_shim_object_destroy(shim, event);
  return result;
}

CuResult cuEventDestroy_v2(CuEvent event) {
  TILE_SHIM_CALL(event_destroy(shim, event));
}

static CuResult event_record(const TileShim *shim, CuEvent event,
                             CuStream stream) {
  CuResult result = event_check(shim, event);
  if (result == CU_SUCCESS)
    result = stream_check(shim, stream, event);
  if (result != CU_SUCCESS)
    return result;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  event->time_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
  event->is_recorded = true;
  return CU_SUCCESS;
}

CuResult cuEventRecord(CuEvent event, CuStream stream) {
  TILE_SHIM_CALL(event_record(shim, event, stream));
}

CuResult cuEventRecordWithFlags(CuEvent event, CuStream stream,
                                unsigned flags) {
  (void)flags;
  return cuEventRecord(event, stream);
}

CuResult cuEventQuery(CuEvent event) {
  TILE_SHIM_CALL(event_check(shim, event));
}

CuResult cuEventSynchronize(CuEvent event) {
  TILE_SHIM_CALL(event_check(shim, event));
}

static CuResult event_elapsed(const TileShim *shim, float *out_ms,
                              CuEvent start, CuEvent end) {
  if (event_check(shim, start) != CU_SUCCESS ||
      event_check(shim, end) != CU_SUCCESS || !start->is_recorded ||
      !end->is_recorded || (start->flags | end->flags) & EVENT_DISABLE_TIMING)
    return CU_INVALID_HANDLE;
  if (!out_ms)
    return CU_INVALID_VALUE;
  *out_ms = (float)((double)(int64_t)(end->time_ns - start->time_ns) / 1e6);
  return CU_SUCCESS;
}

CuResult cuEventElapsedTime(float *out_ms, CuEvent start, CuEvent end) {
  TILE_SHIM_CALL(event_elapsed(shim, out_ms, start, end));
}

CuResult cuEventElapsedTime_v2(float *out_ms, CuEvent start, CuEvent end) {
  TILE_SHIM_CALL(event_elapsed(shim, out_ms, start, end));
}
