//===- RuntimeTypes.h - Types of the CUDA runtime API ---------------------===//
//
// Source: CUDA Runtime API 13.0 and 12.9 references;
// test/Unit/shim-cuda-abi-test.c compares them with driver_types.h where that
// exists.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_CUDA_SHIM_RUNTIME_TYPES_H
#define TILE_LIB_CUDA_SHIM_RUNTIME_TYPES_H

#include "CudaShim/CudaTypes.h"

typedef struct {
  unsigned x, y, z;
} RtDim;

/// cudaChannelFormatDesc: bits of each component, and what they are.
typedef struct {
  int x, y, z, w, kind;
} RtChannelFormat;

typedef struct {
  RtDim grid, block;
  size_t smem_bytes;
  struct CuStreamObject *stream;
  CuLaunchAttribute *attributes;
  unsigned num_attributes;
} RtLaunchConfig;

typedef struct {
  void *memory;
  size_t pitch_bytes, width_bytes, height;
} RtPitched;

/// Also a position.
typedef struct {
  size_t width, height, depth;
} RtExtent;

typedef struct {
  void *source_array;
  RtExtent source_at;
  RtPitched source;
  void *target_array;
  RtExtent target_at;
  RtPitched target;
  RtExtent extent;
  int kind;
} RtCopy3D;

typedef struct {
  size_t shared_bytes, const_bytes, local_bytes;
  int max_threads, num_registers, ptx_version, binary_version, cache_ca;
  int max_dynamic_shared_bytes, carveout;
  int cluster_must_be_set, cluster[3], cluster_policy, non_portable_cluster;
  int reserved[16];
} RtFunctionAttributes;

typedef struct {
  int type, device;
  void *memory, *host; // CUDA 13 has 64 more bytes, which are reserved
} RtPointerAttributes;

/// cudaDeviceProp; TILE_CUDART_MAJOR is the version of the API, 12 or 13.
typedef struct {
  char name[256];
  char uuid[16];
  char luid[8];
  unsigned luid_device_node_mask;
  size_t total_global_mem;
  size_t shared_mem_per_block;
  int regs_per_block;
  int warp_size;
  size_t mem_pitch;
  int max_threads_per_block;
  int max_threads_dim[3];
  int max_grid_size[3];
#if TILE_CUDART_MAJOR < 13
  int clock_rate;
#endif
  size_t total_const_mem;
  int major;
  int minor;
  size_t texture_alignment;
  size_t texture_pitch_alignment;
#if TILE_CUDART_MAJOR < 13
  int device_overlap;
#endif
  int multi_processor_count;
#if TILE_CUDART_MAJOR < 13
  int kernel_exec_timeout_enabled;
#endif
  int integrated;
  int can_map_host_memory;
#if TILE_CUDART_MAJOR < 13
  int compute_mode;
#endif
  int max_texture1d;
  int max_texture1d_mipmap;
#if TILE_CUDART_MAJOR < 13
  int max_texture1d_linear;
#endif
  int max_texture2d[2];
  int max_texture2d_mipmap[2];
  int max_texture2d_linear[3];
  int max_texture2d_gather[2];
  int max_texture3d[3];
  int max_texture3d_alt[3];
  int max_texture_cubemap;
  int max_texture1d_layered[2];
  int max_texture2d_layered[3];
  int max_texture_cubemap_layered[2];
  int max_surface1d;
  int max_surface2d[2];
  int max_surface3d[3];
  int max_surface1d_layered[2];
  int max_surface2d_layered[3];
  int max_surface_cubemap;
  int max_surface_cubemap_layered[2];
  size_t surface_alignment;
  int concurrent_kernels;
  int ecc_enabled;
  int pci_bus_id;
  int pci_device_id;
  int pci_domain_id;
  int tcc_driver;
  int async_engine_count;
  int unified_addressing;
#if TILE_CUDART_MAJOR < 13
  int memory_clock_rate;
#endif
  int memory_bus_width;
  int l2_cache_size;
  int persisting_l2_cache_max_size;
  int max_threads_per_multi_processor;
  int stream_priorities_supported;
  int global_l1_cache_supported;
  int local_l1_cache_supported;
  size_t shared_mem_per_multiprocessor;
  int regs_per_multiprocessor;
  int managed_memory;
  int is_multi_gpu_board;
  int multi_gpu_board_group_id;
  int host_native_atomic_supported;
#if TILE_CUDART_MAJOR < 13
  int single_to_double_precision_perf_ratio;
#endif
  int pageable_memory_access;
  int concurrent_managed_access;
  int compute_preemption_supported;
  int can_use_host_pointer_for_registered_mem;
  int cooperative_launch;
#if TILE_CUDART_MAJOR < 13
  int cooperative_multi_device_launch;
#endif
  size_t shared_mem_per_block_optin;
  int pageable_memory_access_uses_host_page_tables;
  int direct_managed_mem_access_from_host;
  int max_blocks_per_multi_processor;
  int access_policy_max_window_size;
  size_t reserved_shared_mem_per_block;
  int host_register_supported;
  int sparse_cuda_array_supported;
  int host_register_read_only_supported;
  int timeline_semaphore_interop_supported;
  int memory_pools_supported;
  int gpu_direct_rdma_supported;
  unsigned gpu_direct_rdma_flush_writes_options;
  int gpu_direct_rdma_writes_ordering;
  unsigned memory_pool_supported_handle_types;
  int deferred_mapping_cuda_array_supported;
  int ipc_event_supported;
  int cluster_launch;
  int unified_function_pointers;
#if TILE_CUDART_MAJOR < 13
  int reserved[63];
#else
  int device_numa_config;
  int device_numa_id;
  int mps_enabled;
  int host_numa_id;
  unsigned gpu_pci_device_id;
  unsigned gpu_pci_subsystem_id;
  int host_numa_multinode_ipc_supported;
  int reserved[56];
#endif
} RtProperties;

#endif // TILE_LIB_CUDA_SHIM_RUNTIME_TYPES_H
