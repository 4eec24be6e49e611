//===- softmax.cu - Softmax of rows with 3 planted mistakes ---------------===//
//
// Shuffles, reductions through shared memory, exponentials, an atomic counter,
// a local array with indices that differ between lanes.
//
//===----------------------------------------------------------------------===//

#include "bug.h"

enum { THREADS = 256, WARPS = THREADS / 32 };

extern "C" __global__ void softmax(const float *x, float *y, int num_columns,
                                   int *counter, int bug) {
  __shared__ float parts[WARPS];
  __shared__ float total;
  int thread = threadIdx.x;
  const float *row = x + (size_t)blockIdx.x * num_columns;
  float largest = -1e30f, sum = 0;
#pragma unroll 1
  for (int i = thread; i < num_columns; i += THREADS)
    largest = fmaxf(largest, row[i]);
  for (int distance = 16; distance; distance /= 2)
    largest = fmaxf(largest, __shfl_xor_sync(~0u, largest, distance));
  if (thread % 32 == 0)
    parts[thread / 32] = largest;
  __syncthreads();
#pragma unroll 1
  for (int i = 0; i < WARPS; i++)
    largest = fmaxf(largest, parts[i]);
  if (!bug_is(bug, 1)) // the array is used again while others read it
    __syncthreads();
#pragma unroll 1
  for (int i = thread; i < num_columns; i += THREADS)
    sum += __expf(row[i] - largest);
  for (int distance = 16; distance; distance /= 2)
    sum += __shfl_down_sync(~0u, sum, distance);
  if (thread % 32 == 0)
    parts[thread / 32] = sum;
  __syncthreads();
  if (thread < 32) {
    float part = thread < WARPS ? parts[thread] : 0;
    for (int distance = 4; distance; distance /= 2)
      part += __shfl_down_sync(~0u, part, distance);
    if (thread == 0)
      total = part;
  }
  __syncthreads();
  float scale = 1.f / total;
#pragma unroll 1
  for (int i = thread; i < num_columns; i += THREADS)
    y[(size_t)blockIdx.x * num_columns + i] = __expf(row[i] - largest) * scale;

  int local[8], odd = 0;
#pragma unroll 1
  for (int i = 0; i < 8; i++)
    local[i] = i * thread;
#pragma unroll 1
  for (int i = 0; i < (thread & 7) + 1; i++)
    odd += local[(i + thread) & 7] & 1;
  unsigned votes = __ballot_sync(~0u, odd & 1);
  if (thread == 0)
    atomicAdd(counter, votes ? 1 : 0);
  if (bug_is(bug, 2) && thread < 128)
    asm volatile("bar.sync 1, 256;"); // half of the threads never come
  if (bug_is(bug, 3) && (thread & 1))
    asm volatile("shfl.sync.idx.b32 %0, %0, 0, 31, -1;" : "+r"(odd));
  if (odd == 12345)
    y[0] = 0;
}
