//===- DriverContext.c - Contexts -----------------------------------------===//
//
// Contexts differ in name only: memory and modules belong to the device.
//
//===----------------------------------------------------------------------===//

#include "CudaShim/ShimContext.h"
#include "DriverApi.h"

enum {
  LIMIT_STACK = 0,
  LIMIT_PRINTF = 1,
  LIMIT_HEAP = 2,
  NUM_LIMITS = 10,
  API_VERSION = 3020,
  LEAST_PRIORITY = 0,
  GREATEST_PRIORITY = -5
};

//===-- Making and ending -------------------------------------------------===//

static TileShimContext *context_create(TileShim *shim, unsigned flags) {
  TileShimContext *context =
      tile_shim_object_create(shim, TILE_SHIM_CONTEXT, sizeof *context);
  if (context) {
    context->flags = flags;
    context->id = ++shim->next_id;
  }
  return context;
}

static CuResult primary_retain(TileShim *shim, CuContext *out_context,
                               CuDevice device) {
  if (device != 0)
    return CU_INVALID_DEVICE;
  if (!out_context)
    return CU_INVALID_VALUE;
  if (!shim->primary) {
    shim->primary = context_create(shim, shim->primary_flags);
    if (!shim->primary)
      return CU_OUT_OF_MEMORY;
    shim->primary->is_primary = true;
  }
  shim->num_primary_uses++;
  *out_context = shim->primary;
  return CU_SUCCESS;
}

CuResult cuDevicePrimaryCtxRetain(CuContext *out_context, CuDevice device) {
  TILE_SHIM_QUERY(primary_retain(shim, out_context, device));
}

/// The object stays, since threads may still have it as current one.
static CuResult primary_release(TileShim *shim, CuDevice device) {
  if (device != 0)
    return CU_INVALID_DEVICE;
  if (shim->num_primary_uses == 0)
    return CU_INVALID_CONTEXT;
  shim->num_primary_uses--;
  return CU_SUCCESS;
}

CuResult cuDevicePrimaryCtxRelease_v2(CuDevice device) {
  TILE_SHIM_QUERY(primary_release(shim, device));
}

static CuResult primary_reset(TileShim *shim, CuDevice device) {
  if (device != 0)
    return CU_INVALID_DEVICE;
  shim->fault = CU_SUCCESS;
  return CU_SUCCESS;
}

CuResult cuDevicePrimaryCtxReset_v2(CuDevice device) {
  TILE_SHIM_QUERY(primary_reset(shim, device));
}

static CuResult primary_set_flags(TileShim *shim, CuDevice device,
                                  unsigned flags) {
  if (device != 0)
    return CU_INVALID_DEVICE;
  shim->primary_flags = flags;
  if (shim->primary)
    shim->primary->flags = flags;
  return CU_SUCCESS;
}

CuResult cuDevicePrimaryCtxSetFlags_v2(CuDevice device, unsigned flags) {
  TILE_SHIM_QUERY(primary_set_flags(shim, device, flags));
}

static CuResult primary_state(const TileShim *shim, CuDevice device,
                              unsigned *out_flags, int *out_is_active) {
  if (device != 0)
    return CU_INVALID_DEVICE;
  if (!out_flags || !out_is_active)
    return CU_INVALID_VALUE;
  *out_flags = shim->primary_flags;
  *out_is_active = shim->num_primary_uses > 0;
  return CU_SUCCESS;
}

CuResult cuDevicePrimaryCtxGetState(CuDevice device, unsigned *out_flags,
                                    int *out_is_active) {
  TILE_SHIM_QUERY(primary_state(shim, device, out_flags, out_is_active));
}

static CuResult push(const TileShim *shim, TileShimContext *context) {
  TileShimContexts *contexts = tile_shim_contexts();
  if (!tile_shim_is(shim, context, TILE_SHIM_CONTEXT))
    return CU_INVALID_CONTEXT;
  if (contexts->count == TILE_SHIM_MAX_CONTEXTS)
    return CU_OUT_OF_MEMORY;
  contexts->stack[contexts->count++] = context;
  return CU_SUCCESS;
}

static CuResult create_current(TileShim *shim, CuContext *out_context,
                               unsigned flags, CuDevice device) {
  if (device != 0)
    return CU_INVALID_DEVICE;
  if (!out_context)
    return CU_INVALID_VALUE;
  *out_context = context_create(shim, flags);
  return *out_context ? push(shim, *out_context) : CU_OUT_OF_MEMORY;
}

CuResult cuCtxCreate_v2(CuContext *out_context, unsigned flags,
                        CuDevice device) {
  TILE_SHIM_QUERY(create_current(shim, out_context, flags, device));
}

CuResult cuCtxCreate_v3(CuContext *out_context, void *affinity, int count,
                        unsigned flags, CuDevice device) {
  (void)affinity;
  (void)count;
  return cuCtxCreate_v2(out_context, flags, device);
}

CuResult cuCtxCreate_v4(CuContext *out_context, void *params, unsigned flags,
                        CuDevice device) {
  (void)params;
  return cuCtxCreate_v2(out_context, flags, device);
}

static CuResult pop(TileShimContext **out_context) {
  TileShimContexts *contexts = tile_shim_contexts();
  if (contexts->count == 0)
    return CU_INVALID_CONTEXT;
  TileShimContext *context = contexts->stack[--contexts->count];
  if (out_context)
    *out_context = context;
  return CU_SUCCESS;
}

static CuResult context_destroy(TileShim *shim, TileShimContext *context) {
  if (!tile_shim_is(shim, context, TILE_SHIM_CONTEXT) || context->is_primary)
    return CU_INVALID_CONTEXT;
  if (tile_shim_current() == context)
    pop(NULL);
  tile_shim_object_destroy(shim, context);
  return CU_SUCCESS;
}

CuResult cuCtxDestroy_v2(CuContext context) {
  TILE_SHIM_QUERY(context_destroy(shim, context));
}

//===-- The current one ---------------------------------------------------===//

CuResult cuCtxPushCurrent_v2(CuContext context) {
  TILE_SHIM_QUERY(push(shim, context));
}

CuResult cuCtxPopCurrent_v2(CuContext *out_context) {
  TILE_SHIM_QUERY(pop(out_context));
}

static CuResult set_current(const TileShim *shim, TileShimContext *context) {
  TileShimContexts *contexts = tile_shim_contexts();
  if (context && !tile_shim_is(shim, context, TILE_SHIM_CONTEXT))
    return CU_INVALID_CONTEXT;
  if (contexts->count)
    contexts->count--;
  return context ? push(shim, context) : CU_SUCCESS;
}

CuResult cuCtxSetCurrent(CuContext context) {
  TILE_SHIM_QUERY(set_current(shim, context));
}

static CuResult get_current(CuContext *out_context) {
  if (!out_context)
    return CU_INVALID_VALUE;
  *out_context = tile_shim_current();
  return CU_SUCCESS;
}

CuResult cuCtxGetCurrent(CuContext *out_context) {
  TILE_SHIM_QUERY(get_current(out_context));
}

static CuResult context_check(const TileShim *shim, TileShimContext *context,
                              const void *out) {
  if (!context)
    context = tile_shim_current();
  if (!tile_shim_is(shim, context, TILE_SHIM_CONTEXT))
    return CU_INVALID_CONTEXT;
  return out ? CU_SUCCESS : CU_INVALID_VALUE;
}

static CuResult get_device(const TileShim *shim, CuDevice *out_device,
                           CuContext context) {
  CuResult result = context_check(shim, context, out_device);
  if (result == CU_SUCCESS)
    *out_device = 0;
  return result;
}

CuResult cuCtxGetDevice(CuDevice *out_device) {
  TILE_SHIM_QUERY(get_device(shim, out_device, NULL));
}

CuResult cuCtxGetDevice_v2(CuDevice *out_device, CuContext context) {
  TILE_SHIM_QUERY(get_device(shim, out_device, context));
}

static CuResult get_flags(const TileShim *shim, unsigned *out_flags) {
  CuResult result = context_check(shim, NULL, out_flags);
  if (result == CU_SUCCESS)
    *out_flags = tile_shim_current()->flags;
  return result;
}

CuResult cuCtxGetFlags(unsigned *out_flags) {
  TILE_SHIM_QUERY(get_flags(shim, out_flags));
}

static CuResult set_flags(const TileShim *shim, unsigned flags) {
  CuResult result = context_check(shim, NULL, shim);
  if (result == CU_SUCCESS)
    tile_shim_current()->flags = flags;
  return result;
}

CuResult cuCtxSetFlags(unsigned flags) {
  TILE_SHIM_QUERY(set_flags(shim, flags));
}

static CuResult get_id(const TileShim *shim, CuContext context,
                       unsigned long long *out_id) {
  CuResult result = context_check(shim, context, out_id);
  if (result == CU_SUCCESS)
    *out_id = context ? context->id : tile_shim_current()->id;
  return result;
}

CuResult cuCtxGetId(CuContext context, unsigned long long *out_id) {
  TILE_SHIM_QUERY(get_id(shim, context, out_id));
}

static CuResult get_version(const TileShim *shim, CuContext context,
                            unsigned *out_version) {
  CuResult result = context_check(shim, context, out_version);
  if (result == CU_SUCCESS)
    *out_version = API_VERSION;
  return result;
}

CuResult cuCtxGetApiVersion(CuContext context, unsigned *out_version) {
  TILE_SHIM_QUERY(get_version(shim, context, out_version));
}

/// Kernels end before their launch returns.
CuResult cuCtxSynchronize(void) { TILE_SHIM_CALL(CU_SUCCESS); }

CuResult cuCtxSynchronize_v2(CuContext context) {
  TILE_SHIM_CALL(context_check(shim, context, shim));
}

//===-- Settings, which change nothing ------------------------------------===//

static CuResult get_limit(size_t *out_value, int limit) {
  if (!out_value || limit < 0 || limit >= NUM_LIMITS)
    return CU_INVALID_VALUE;
  *out_value = limit == LIMIT_STACK    ? 1024
               : limit == LIMIT_PRINTF ? 1 << 20
               : limit == LIMIT_HEAP   ? 8 << 20
                                       : 0;
  return CU_SUCCESS;
}

CuResult cuCtxGetLimit(size_t *out_value, int limit) {
  TILE_SHIM_CALL(get_limit(out_value, limit));
}

CuResult cuCtxSetLimit(int limit, size_t value) {
  (void)value;
  TILE_SHIM_CALL(limit >= 0 && limit < NUM_LIMITS ? CU_SUCCESS
                                                  : CU_INVALID_VALUE);
}

static CuResult get_zero(int *out_value) {
  if (!out_value)
    return CU_INVALID_VALUE;
  *out_value = 0;
  return CU_SUCCESS;
}

CuResult cuCtxGetCacheConfig(int *out_config) {
  TILE_SHIM_CALL(get_zero(out_config));
}

CuResult cuCtxSetCacheConfig(int config) {
  (void)config;
  TILE_SHIM_CALL(CU_SUCCESS);
}

CuResult cuCtxGetSharedMemConfig(int *out_config) {
  TILE_SHIM_CALL(get_zero(out_config));
}

CuResult cuCtxSetSharedMemConfig(int config) {
  (void)config;
  TILE_SHIM_CALL(CU_SUCCESS);
}

static CuResult priority_range(int *out_least, int *out_greatest) {
  if (out_least)
    *out_least = LEAST_PRIORITY;
  if (out_greatest)
    *out_greatest = GREATEST_PRIORITY;
  return CU_SUCCESS;
}

CuResult cuCtxGetStreamPriorityRange(int *out_least, int *out_greatest) {
  TILE_SHIM_CALL(priority_range(out_least, out_greatest));
}

CuResult cuCtxResetPersistingL2Cache(void) { TILE_SHIM_CALL(CU_SUCCESS); }

CuResult cuCtxEnablePeerAccess(CuContext peer, unsigned flags) {
  (void)peer;
  (void)flags;
  TILE_SHIM_CALL(CU_PEER_ACCESS_UNSUPPORTED);
}

CuResult cuCtxDisablePeerAccess(CuContext peer) {
  (void)peer;
  TILE_SHIM_CALL(CU_PEER_ACCESS_UNSUPPORTED);
}

CuResult cuProfilerStart(void) { return CU_SUCCESS; }
CuResult cuProfilerStop(void) { return CU_SUCCESS; }
