//===- RuntimeProperties.c - What differs between versions of libcudart ---===//
//
// Compiled once for every version: its number and the layout of the
// properties of a device. TILE_CUDART_MAJOR is 12 or 13.
//
//===----------------------------------------------------------------------===//

#include "Runtime.h"
#include "RuntimeApi.h"

#include <string.h>

RtError cudaRuntimeGetVersion(int *out_version) {
  if (!out_version)
    return tile_rt_finish(RT_INVALID_VALUE);
  *out_version = TILE_CUDART_MAJOR >= 13 ? 13000 : 12090;
  return RT_SUCCESS;
}

//===-- Properties --------------------------------------------------------===//

/// A field and the attribute of the device that it holds.
typedef struct {
  size_t offset_bytes;
  bool is_size;
  int attribute;
} Field;

#define INT(field, attribute) {offsetof(RtProperties, field), false, attribute}
#define SIZE(field, attribute) {offsetof(RtProperties, field), true, attribute}

static const Field fields[] = {
    SIZE(shared_mem_per_block, 8),
    INT(regs_per_block, 12),
    INT(warp_size, 10),
    SIZE(mem_pitch, 11),
    INT(max_threads_per_block, 1),
#if TILE_CUDART_MAJOR < 13
    INT(clock_rate, 13),
#endif
    SIZE(total_const_mem, 9),
    INT(major, 75),
    INT(minor, 76),
    SIZE(texture_alignment, 14),
    SIZE(texture_pitch_alignment, 51),
#if TILE_CUDART_MAJOR < 13
    INT(device_overlap, 15),
#endif
    INT(multi_processor_count, 16),
    INT(integrated, 18),
    INT(can_map_host_memory, 19),
    SIZE(surface_alignment, 30),
    INT(concurrent_kernels, 31),
    INT(ecc_enabled, 32),
    INT(pci_bus_id, 33),
    INT(pci_device_id, 34),
    INT(pci_domain_id, 50),
    INT(async_engine_count, 40),
    INT(unified_addressing, 41),
#if TILE_CUDART_MAJOR < 13
    INT(memory_clock_rate, 36),
#endif
    INT(memory_bus_width, 37),
    INT(l2_cache_size, 38),
    INT(persisting_l2_cache_max_size, 108),
    INT(max_threads_per_multi_processor, 39),
    INT(stream_priorities_supported, 78),
    INT(global_l1_cache_supported, 79),
    INT(local_l1_cache_supported, 80),
    SIZE(shared_mem_per_multiprocessor, 81),
    INT(regs_per_multiprocessor, 82),
    INT(managed_memory, 83),
#if TILE_CUDART_MAJOR < 13
    INT(single_to_double_precision_perf_ratio, 87),
#endif
    INT(pageable_memory_access, 88),
    INT(concurrent_managed_access, 89),
    INT(compute_preemption_supported, 90),
    INT(can_use_host_pointer_for_registered_mem, 91),
    INT(cooperative_launch, 95),
    SIZE(shared_mem_per_block_optin, 97),
    INT(max_blocks_per_multi_processor, 106),
    INT(access_policy_max_window_size, 109),
    SIZE(reserved_shared_mem_per_block, 111),
    INT(host_register_supported, 99),
    INT(host_register_read_only_supported, 113),
    INT(memory_pools_supported, 115),
    INT(cluster_launch, 120),
    INT(unified_function_pointers, 129),
#if TILE_CUDART_MAJOR >= 13
    INT(device_numa_id, 131),
    INT(host_numa_id, 134),
#endif
};

static void set_field(RtProperties *out, const Field *field, int value) {
  char *at = (char *)out + field->offset_bytes;
  size_t size = (size_t)value;
  if (field->is_size)
    memcpy(at, &size, sizeof size);
  else
    memcpy(at, &value, sizeof value);
}

static RtError properties_get(RtProperties *out, int device) {
  enum { MAX_BLOCK_X = 2, MAX_GRID_X = 5 };
  if (!out)
    return RT_INVALID_VALUE;
  memset(out, 0, sizeof *out);
  CuResult result = cuDeviceGetName(out->name, sizeof out->name, device);
  if (result != CU_SUCCESS)
    return (RtError)result;
  cuDeviceGetUuid(out->uuid, device);
  cuDeviceTotalMem_v2(&out->total_global_mem, device);
  for (int i = 0; i < 3; i++) {
    cuDeviceGetAttribute(&out->max_threads_dim[i], MAX_BLOCK_X + i, device);
    cuDeviceGetAttribute(&out->max_grid_size[i], MAX_GRID_X + i, device);
  }
  for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
    int value = 0;
    cuDeviceGetAttribute(&value, fields[i].attribute, device);
    set_field(out, &fields[i], value);
  }
  return RT_SUCCESS;
}

// CUDA 12 had a second form, and programs use only that one.
#if TILE_CUDART_MAJOR < 13
#define PROPERTIES cudaGetDeviceProperties_v2
#else
#define PROPERTIES cudaGetDeviceProperties
#endif

RtError PROPERTIES(RtProperties *out_properties, int device);
RtError PROPERTIES(RtProperties *out_properties, int device) {
  RT_CALL(properties_get(out_properties, device));
}
