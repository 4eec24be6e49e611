//===- ShimDevice.c - Numbers of the emulated device ----------------------===//
//
// An H100 SXM5 with 80 GiB, or an A100 SXM4. Source: CUDA C++ Programming
// Guide 13.0, "Compute Capabilities"; clock rates and sizes from the data
// sheets. Textures, surfaces and graphics have no numbers (0).
//
//===----------------------------------------------------------------------===//

#include "Shim.h"

typedef struct {
  int attribute;
  int h100, a100;
} Number;

static const Number numbers[] = {
    {1, 1024, 1024},            // MAX_THREADS_PER_BLOCK
    {2, 1024, 1024},            // MAX_BLOCK_DIM_X
    {3, 1024, 1024},            // MAX_BLOCK_DIM_Y
    {4, 64, 64},                // MAX_BLOCK_DIM_Z
    {5, INT32_MAX, INT32_MAX},  // MAX_GRID_DIM_X
    {6, 65535, 65535},          // MAX_GRID_DIM_Y
    {7, 65535, 65535},          // MAX_GRID_DIM_Z
    {8, 48 << 10, 48 << 10},    // MAX_SHARED_MEMORY_PER_BLOCK
    {9, 64 << 10, 64 << 10},    // TOTAL_CONSTANT_MEMORY
    {10, 32, 32},               // WARP_SIZE
    {11, INT32_MAX, INT32_MAX}, // MAX_PITCH
    {12, 64 << 10, 64 << 10},   // MAX_REGISTERS_PER_BLOCK
    {13, 1980000, 1410000},     // CLOCK_RATE, kHz
    {14, 512, 512},             // TEXTURE_ALIGNMENT
    {15, 1, 1},                 // GPU_OVERLAP
    {19, 1, 1},                 // CAN_MAP_HOST_MEMORY
    {30, 512, 512},             // SURFACE_ALIGNMENT
    {31, 1, 1},                 // CONCURRENT_KERNELS
    {32, 1, 1},                 // ECC_ENABLED
    {33, 1, 1},                 // PCI_BUS_ID
    {36, 2619000, 1593000},     // MEMORY_CLOCK_RATE, kHz
    {37, 5120, 5120},           // GLOBAL_MEMORY_BUS_WIDTH, bits
    {38, 50 << 20, 40 << 20},   // L2_CACHE_SIZE
    {39, 2048, 2048},           // MAX_THREADS_PER_MULTIPROCESSOR
    {40, 3, 3},                 // ASYNC_ENGINE_COUNT
    {41, 1, 1},                 // UNIFIED_ADDRESSING
    {51, 32, 32},               // TEXTURE_PITCH_ALIGNMENT
    {75, 9, 8},                 // COMPUTE_CAPABILITY_MAJOR
    {78, 1, 1},                 // STREAM_PRIORITIES_SUPPORTED
    {79, 1, 1},                 // GLOBAL_L1_CACHE_SUPPORTED
    {80, 1, 1},                 // LOCAL_L1_CACHE_SUPPORTED
    {81, 228 << 10, 164 << 10}, // MAX_SHARED_MEMORY_PER_MULTIPROCESSOR
    {82, 64 << 10, 64 << 10},   // MAX_REGISTERS_PER_MULTIPROCESSOR
    {83, 1, 1},                 // MANAGED_MEMORY
    {87, 2, 2},                 // SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO
    {89, 1, 1},                 // CONCURRENT_MANAGED_ACCESS
    {90, 1, 1},                 // COMPUTE_PREEMPTION_SUPPORTED
    {91, 1, 1},                 // CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM
    {95, 1, 1},                 // COOPERATIVE_LAUNCH
    {97, 227 << 10, 163 << 10}, // MAX_SHARED_MEMORY_PER_BLOCK_OPTIN
    {99, 1, 1},                 // HOST_REGISTER_SUPPORTED
    {106, 32, 32},              // MAX_BLOCKS_PER_MULTIPROCESSOR
    {111, 1 << 10, 1 << 10},    // RESERVED_SHARED_MEMORY_PER_BLOCK
    {113, 1, 1},                // READ_ONLY_HOST_REGISTER_SUPPORTED
    {115, 1, 1},                // MEMORY_POOLS_SUPPORTED
    {120, 1, 0},                // CLUSTER_LAUNCH
    {127, 1, 0},                // TENSOR_MAP_ACCESS_SUPPORTED
    {129, 1, 1},                // UNIFIED_FUNCTION_POINTERS
    {131, -1, -1},              // NUMA_ID
    {134, -1, -1},              // HOST_NUMA_ID
};

enum {
  ATTRIBUTE_NUM_SMS = 16,
  NUM_ATTRIBUTES = 148,
  H100_SMS = 132,
  A100_SMS = 108
};

bool tile_shim_attribute(const TileShim *shim, int attribute, int *out_value) {
  bool is_h100 = shim->options.capability == 90;
  *out_value = 0;
  if (attribute <= 0 || attribute >= NUM_ATTRIBUTES)
    return false;
  if (attribute == ATTRIBUTE_NUM_SMS) {
    int given = shim->options.emulator.num_sms;
    *out_value = given ? given : is_h100 ? H100_SMS : A100_SMS;
    return true;
  }
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
    if (numbers[i].attribute == attribute)
      *out_value = is_h100 ? numbers[i].h100 : numbers[i].a100;
  return true;
}

int tile_shim_capability(const TileShim *shim) {
  return shim->options.capability;
}

const char *tile_shim_device_name(const TileShim *shim) {
  return shim->options.capability == 90 ? "Tile emulator (as NVIDIA H100 80GB)"
                                        : "Tile emulator (as NVIDIA A100 80GB)";
}
