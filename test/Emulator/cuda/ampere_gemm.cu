//===- ampere_gemm.cu - cp.async and mma.sync with 5 planted mistakes -----===//
//
// C[M,N] = A[M,K] * B[N,K]^T in bf16: 256 threads, tiles of 128x64x32, three
// slots, ldmatrix from XOR-swizzled shared memory, mma.m16n8k16.
//
//===----------------------------------------------------------------------===//

#include "bug.h"
#include <cuda_bf16.h>

enum { BM = 128, BN = 64, BK = 32, SLOTS = 3, ROW_BYTES = 64 };

/// Byte offset of 16-byte chunk `chunk` (0 to 3) of a row of 64 bytes.
static __device__ __forceinline__ int swizzled(int row, int chunk) {
  return row * ROW_BYTES + ((chunk ^ ((row >> 1) & 3)) << 4);
}

static __device__ __forceinline__ void copy16(uint32_t to, const void *from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from)
               : "memory");
}

struct Tiles {
  uint32_t a, b; // shared addresses of slot 0
  const __nv_bfloat16 *from_a, *from_b;
  int num_k;
};

static __device__ __forceinline__ void load(const Tiles &tiles, int step,
                                            int slot) {
#pragma unroll 1
  for (int i = threadIdx.x; i < (BM + BN) * 4; i += 256) {
    bool is_a = i < BM * 4;
    int row = is_a ? i / 4 : i / 4 - BM, chunk = i % 4;
    const __nv_bfloat16 *from = is_a ? tiles.from_a : tiles.from_b;
    uint32_t to = is_a ? tiles.a + slot * BM * ROW_BYTES
                       : tiles.b + slot * BN * ROW_BYTES;
    copy16(to + swizzled(row, chunk),
           from + (size_t)row * tiles.num_k + step * BK + chunk * 8);
  }
}

static __device__ __forceinline__ void multiply(const Tiles &tiles, int slot,
                                                float (&c)[2][4][4], int bug) {
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  int first_row = warp % 4 * 32, first_column = warp / 4 * 32;
  uint32_t tile_a = tiles.a + slot * BM * ROW_BYTES;
  uint32_t tile_b = tiles.b + slot * BN * ROW_BYTES;
#pragma unroll 1
  for (int step = 0; step < 2; step++) {
    uint32_t a[2][4], b[4][2];
#pragma unroll
    for (int i = 0; i < 2; i++) {
      int row = first_row + i * 16 + lane % 16, chunk = step * 2 + lane / 16;
      asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 "
                   "{%0,%1,%2,%3}, [%4];"
                   : "=r"(a[i][0]), "=r"(a[i][1]), "=r"(a[i][2]), "=r"(a[i][3])
                   : "r"(tile_a + swizzled(row, chunk)));
    }
#pragma unroll
    for (int j = 0; j < 4; j++) {
      // The wrong lanes give the address of the second matrix.
      int half = bug_is(bug, 4) ? lane / 16 & 1 : lane / 8 & 1;
      int row = first_column + j * 8 + lane % 8, chunk = step * 2 + half;
      asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
                   : "=r"(b[j][0]), "=r"(b[j][1])
                   : "r"(tile_b + swizzled(row, chunk)));
    }
#pragma unroll
    for (int i = 0; i < 2; i++)
#pragma unroll
      for (int j = 0; j < 4; j++)
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
                     "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                     : "+f"(c[i][j][0]), "+f"(c[i][j][1]), "+f"(c[i][j][2]),
                       "+f"(c[i][j][3])
                     : "r"(a[i][0]), "r"(a[i][1]), "r"(a[i][2]), "r"(a[i][3]),
                       "r"(b[j][0]), "r"(b[j][1]));
  }
}

extern "C" __global__ void __launch_bounds__(256)
    ampere_gemm(const __nv_bfloat16 *a, const __nv_bfloat16 *b,
                __nv_bfloat16 *c, int num_n, int num_k, int bug) {
  extern __shared__ __align__(128) uint8_t memory[];
  int first_m = blockIdx.y * BM, first_n = blockIdx.x * BN;
  Tiles tiles;
  tiles.a = shared_address(memory);
  tiles.b = tiles.a + SLOTS * BM * ROW_BYTES;
  tiles.from_a = a + (size_t)first_m * num_k;
  tiles.from_b = b + (size_t)first_n * num_k;
  tiles.num_k = num_k;
  float sum[2][4][4] = {};
  int num_steps = num_k / BK;
#pragma unroll 1
  for (int step = 0; step < SLOTS - 1; step++) {
    if (step < num_steps)
      load(tiles, step, step);
    asm volatile("cp.async.commit_group;");
  }
#pragma unroll 1
  for (int step = 0; step < num_steps; step++) {
    if (bug_is(bug, 1)) // waits for one group too few
      asm volatile("cp.async.wait_group 2;" ::: "memory");
    else
      asm volatile("cp.async.wait_group 1;" ::: "memory");
    if (!bug_is(bug, 2))
      __syncthreads();
    int next = step + SLOTS - 1;
    int slot = bug_is(bug, 3) ? step % SLOTS : next % SLOTS;
    if (next < num_steps)
      load(tiles, next, slot);
    asm volatile("cp.async.commit_group;");
    multiply(tiles, step % SLOTS, sum, bug);
  }
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
#pragma unroll
  for (int i = 0; i < 2; i++)
#pragma unroll
    for (int j = 0; j < 4; j++) {
      int row = first_m + warp % 4 * 32 + i * 16 + lane / 4;
      int column = first_n + warp / 4 * 32 + j * 8 + lane % 4 * 2;
      if (bug_is(bug, 5)) // beyond the last row
        row += (i == 1) * 128;
      *(__nv_bfloat162 *)&c[(size_t)row * num_n + column] =
          __floats2bfloat162_rn(sum[i][j][0], sum[i][j][1]);
      *(__nv_bfloat162 *)&c[(size_t)(row + 8) * num_n + column] =
          __floats2bfloat162_rn(sum[i][j][2], sum[i][j][3]);
    }
}
