//===- rs_product.cu - wgmma with A in registers, 3 planted mistakes ------===//
//
// D[64,64] = A[64,64] * B[64,64]^T, f16 to f32. B is written to shared memory
// by ordinary stores as core matrices of 8 x 16 bytes, without swizzle.
//
//===----------------------------------------------------------------------===//

#include "bug.h"
#include <cuda_fp16.h>

enum { SIZE = 64, LEADING_BYTES = 1024, STRIDE_BYTES = 128 };

#define ACC4(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
static __device__ __forceinline__ void
wgmma(float (&d)[32], const uint32_t (&a)[4], uint64_t b) {
  asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 "
               "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,"
               "%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31}, "
               "{%32,%33,%34,%35}, %36, 1, 1, 1, 0;"
               : ACC4(0), ACC4(4), ACC4(8), ACC4(12), ACC4(16), ACC4(20),
                 ACC4(24), ACC4(28)
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}

extern "C" __global__ void __launch_bounds__(128)
    rs_product(const __half *a, const __half *b, float *c, int bug) {
  __shared__ __align__(128) __half tile[SIZE * SIZE];
  int thread = threadIdx.x, warp = thread / 32, lane = thread % 32;
#pragma unroll 1
  for (int i = thread; i < SIZE * SIZE; i += 128) {
    int n = i / SIZE, k = i % SIZE;
    int offset = n / 8 * STRIDE_BYTES + k / 8 * LEADING_BYTES + n % 8 * 16;
    tile[offset / 2 + k % 8] = b[i];
  }
  if (!bug_is(bug, 1))
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  if (!bug_is(bug, 2))
    __syncthreads();
  float d[32];
#pragma unroll
  for (int i = 0; i < 32; i++)
    d[i] = 0;
  uint32_t fragment[4][4];
#pragma unroll
  for (int step = 0; step < 4; step++)
#pragma unroll
    for (int r = 0; r < 4; r++) {
      int row = warp * 16 + lane / 4 + r % 2 * 8;
      int k = step * 16 + lane % 4 * 2 + r / 2 * 8;
      fragment[step][r] = *(const uint32_t *)&a[row * SIZE + k];
    }
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
  for (int step = 0; step < 4; step++) {
    uint64_t start = shared_address(tile) + step * 2 * LEADING_BYTES;
    wgmma(d, fragment[step],
          start >> 4 | (uint64_t)(LEADING_BYTES >> 4) << 16 |
              (uint64_t)(STRIDE_BYTES >> 4) << 32);
  }
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
  if (!bug_is(bug, 3))
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
  int row = warp * 16 + lane / 4, column = lane % 4 * 2;
#pragma unroll
  for (int i = 0; i < 32; i++)
    c[(row + i / 2 % 2 * 8) * SIZE + column + i / 4 * 8 + i % 2] = d[i];
}
