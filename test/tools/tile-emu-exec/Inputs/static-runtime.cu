// Streams, events, symbols, managed memory, a cooperative launch: through the
// runtime that nvcc links into a program by default.

#include <cooperative_groups.h>
#include <cstdio>
#include <vector>

namespace cg = cooperative_groups;
enum { COUNT = 1000 };

__constant__ int factor;
__managed__ int shared_with_host = 5;

__global__ void scale_and_sum(int *values, int *total) {
  cg::grid_group grid = cg::this_grid();
  for (int i = grid.thread_rank(); i < COUNT; i += grid.size())
    values[i] *= factor;
  grid.sync();
  for (int i = grid.thread_rank(); i < COUNT; i += grid.size())
    atomicAdd(total, values[COUNT - 1 - i]);
}

__global__ void add(int amount) { shared_with_host += amount; }

int main() {
  std::vector<int> host(COUNT);
  int want = 0, total = 0, three = 3;
  for (int i = 0; i < COUNT; i++)
    want += 3 * (host[i] = i * 7919 % COUNT);
  cudaStream_t stream, other;
  cudaStreamCreate(&stream);
  cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
  cudaEvent_t start, end;
  cudaEventCreate(&start);
  cudaEventCreate(&end);
  int *values, *sum;
  cudaMallocAsync(&values, COUNT * sizeof(int), stream);
  cudaMalloc(&sum, sizeof(int));
  cudaMemset(sum, 0, sizeof(int));
  cudaMemcpyToSymbol(factor, &three, sizeof three);
  cudaEventRecord(start, stream);
  cudaMemcpyAsync(values, host.data(), COUNT * sizeof(int),
                  cudaMemcpyHostToDevice, stream);
  void *arguments[] = {&values, &sum};
  cudaLaunchCooperativeKernel((void *)scale_and_sum, dim3(4), dim3(64),
                              arguments, 0, stream);
  cudaEventRecord(end, stream);
  cudaStreamWaitEvent(other, end, 0);
  cudaMemcpyAsync(&total, sum, sizeof total, cudaMemcpyDeviceToHost, other);
  cudaStreamSynchronize(other);
  add<<<1, 1, 0, other>>>(10);
  cudaDeviceSynchronize();
  cudaDeviceProp properties;
  cudaGetDeviceProperties(&properties, 0);
  float time_ms = -1;
  cudaEventElapsedTime(&time_ms, start, end);
  printf("sum %s, managed %d, %d.%d, events %s, %s\n",
         total == want ? "right" : "wrong", shared_with_host, properties.major,
         properties.minor, time_ms >= 0 ? "ordered" : "unordered",
         cudaGetErrorName(cudaGetLastError()));
  return 0;
}
