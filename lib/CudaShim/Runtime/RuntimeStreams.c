//===- RuntimeStreams.c - Streams and events of the runtime API -----------===//

#include "Runtime.h"
#include "RuntimeApi.h"

RtError cudaStreamCreate(CuStream *out_stream) {
  RT_CALL(cuStreamCreate(out_stream, 0));
}

RtError cudaStreamCreateWithFlags(CuStream *out_stream, unsigned flags) {
  RT_CALL(cuStreamCreate(out_stream, flags));
}

RtError cudaStreamCreateWithPriority(CuStream *out_stream, unsigned flags,
                                     int priority) {
  RT_CALL(cuStreamCreateWithPriority(out_stream, flags, priority));
}

RtError cudaStreamDestroy(CuStream stream) {
  RT_CALL(cuStreamDestroy_v2(stream));
}

RtError cudaStreamQuery(CuStream stream) { RT_CALL(cuStreamQuery(stream)); }

RtError cudaStreamSynchronize(CuStream stream) {
  RT_CALL(cuStreamSynchronize(stream));
}

RtError cudaStreamWaitEvent(CuStream stream, CuEvent event, unsigned flags) {
  RT_CALL(cuStreamWaitEvent(stream, event, flags));
}

RtError cudaStreamAddCallback(CuStream stream, CuStreamCallback callback,
                              void *user_data, unsigned flags) {
  RT_CALL(cuStreamAddCallback(stream, callback, user_data, flags));
}

RtError cudaStreamAttachMemAsync(CuStream stream, void *memory,
                                 size_t size_bytes, unsigned flags) {
  RT_CALL(cuStreamAttachMemAsync(stream, (uintptr_t)memory, size_bytes, flags));
}

RtError cudaStreamGetPriority(CuStream stream, int *out_priority) {
  RT_CALL(cuStreamGetPriority(stream, out_priority));
}

RtError cudaStreamGetFlags(CuStream stream, unsigned *out_flags) {
  RT_CALL(cuStreamGetFlags(stream, out_flags));
}

RtError cudaStreamGetId(CuStream stream, unsigned long long *out_id) {
  RT_CALL(cuStreamGetId(stream, out_id));
}

RtError cudaStreamGetDevice(CuStream stream, int *out_device) {
  RT_CALL(cuStreamGetDevice(stream, out_device));
}

RtError cudaStreamIsCapturing(CuStream stream, int *out_status) {
  RT_CALL(cuStreamIsCapturing(stream, out_status));
}

RtError cudaStreamGetCaptureInfo(CuStream stream, int *out_status) {
  RT_CALL(cuStreamIsCapturing(stream, out_status));
}

RtError cudaThreadExchangeStreamCaptureMode(int *mode) {
  RT_CALL(cuThreadExchangeStreamCaptureMode(mode));
}

RtError cudaStreamGetAttribute(CuStream stream, int attribute,
                               void *out_value) {
  RT_CALL(cuStreamGetAttribute(stream, attribute, out_value));
}

RtError cudaStreamSetAttribute(CuStream stream, int attribute,
                               const void *value) {
  RT_CALL(cuStreamSetAttribute(stream, attribute, value));
}

RtError cudaEventCreate(CuEvent *out_event) {
  RT_CALL(cuEventCreate(out_event, 0));
}

RtError cudaEventCreateWithFlags(CuEvent *out_event, unsigned flags) {
  RT_CALL(cuEventCreate(out_event, flags));
}

RtError cudaEventDestroy(CuEvent event) { RT_CALL(cuEventDestroy_v2(event)); }

RtError cudaEventRecord(CuEvent event, CuStream stream) {
  RT_CALL(cuEventRecord(event, stream));
}

RtError cudaEventRecordWithFlags(CuEvent event, CuStream stream,
                                 unsigned flags) {
  RT_CALL(cuEventRecordWithFlags(event, stream, flags));
}

RtError cudaEventQuery(CuEvent event) { RT_CALL(cuEventQuery(event)); }

RtError cudaEventSynchronize(CuEvent event) {
  RT_CALL(cuEventSynchronize(event));
}

RtError cudaEventElapsedTime(float *out_ms, CuEvent start, CuEvent end) {
  RT_CALL(cuEventElapsedTime(out_ms, start, end));
}
