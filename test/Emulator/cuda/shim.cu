// Kernels of the tests of libcuda and libcudart: one for each thing that a
// host program can do with a kernel.

#include <cooperative_groups.h>

namespace groups = cooperative_groups;

__constant__ int offsets[4];
__device__ int counter = 7;
__managed__ int shared_with_host = 11;

extern "C" __global__ void axpy(int n, float a, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] += a * x[i];
}

// Memory of the module.
extern "C" __global__ void variables(int *out) {
  int i = threadIdx.x;
  out[i] = offsets[i] + counter + shared_with_host;
  __syncthreads();
  if (i == 0)
    shared_with_host = 12;
}

// Each block tells its rank in the cluster and the size of the cluster.
extern "C" __global__ void ranks(int *out) {
  unsigned rank, size;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
  if (threadIdx.x == 0)
    out[blockIdx.x] = 100 * size + rank;
}

// Every block waits for all others, also for later ones.
extern "C" __global__ void together(int *values, int *out) {
  if (threadIdx.x == 0)
    values[blockIdx.x] = blockIdx.x + 1;
  groups::this_grid().sync();
  int sum = 0;
  for (unsigned i = 0; i < gridDim.x; i++)
    sum += values[i];
  if (threadIdx.x == 0)
    out[blockIdx.x] = sum;
}

// Dynamic shared memory: reversed by the block.
extern "C" __global__ void reverse(float *data) {
  extern __shared__ float tile[];
  tile[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  data[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}

// Wrong: the barrier is missing.
extern "C" __global__ void race(float *data) {
  __shared__ float tile[64];
  tile[threadIdx.x] = data[threadIdx.x];
  data[threadIdx.x] = tile[63 - threadIdx.x];
}

// Wrong for every n above the size of the memory.
extern "C" __global__ void fill(int n, float *out) {
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    out[i] = 1;
}

extern "C" __global__ void hello() { printf("hello from %d\n", blockIdx.x); }
