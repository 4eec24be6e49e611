//===- ws_gemm.cu - Warp-specialised GEMM with 17 planted mistakes --------===//
//
// C[M,N] = A[M,K] * B[N,K]^T in bf16. 384 threads: a producer warpgroup that
// issues TMA loads and two consumer warpgroups with wgmma m64n64k16, over a
// ring of four slots with full and empty mbarriers. The epilogue goes through
// shared memory and TMA stores.
//
//===----------------------------------------------------------------------===//

#include "bug.h"
#include <cuda.h>
#include <cuda_bf16.h>

enum { BM = 128, BN = 64, BK = 64, SLOTS = 4 };

struct __align__(1024) Shared {
  __nv_bfloat16 a[SLOTS][BM * BK], b[SLOTS][BN * BK], c[BM * BN];
  uint64_t full[SLOTS], empty[SLOTS];
};

//===-- Instructions ------------------------------------------------------===//

static __device__ __forceinline__ void mbarrier_init(uint64_t *bar, int count) {
  asm volatile(
      "mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(bar)),
      "r"(count)
      : "memory");
}

static __device__ __forceinline__ void mbarrier_expect(uint64_t *bar,
                                                       int size_bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(
                   shared_address(bar)),
               "r"(size_bytes)
               : "memory");
}

static __device__ __forceinline__ void mbarrier_arrive(uint64_t *bar) {
  asm volatile(
      "mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(bar))
      : "memory");
}

static __device__ __forceinline__ void mbarrier_wait(uint64_t *bar,
                                                     int parity) {
  asm volatile(
      "{\n.reg .pred P1;\nWAIT:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 P1, [%0], %1;\n"
      "@P1 bra.uni DONE;\nbra.uni WAIT;\nDONE:\n}" ::"r"(shared_address(bar)),
      "r"(parity)
      : "memory");
}

static __device__ __forceinline__ void
tma_load(void *to, const CUtensorMap *map, uint64_t *bar, int x, int y) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::"
      "complete_tx::bytes [%0], [%1, {%3,%4}], [%2];" ::"r"(shared_address(to)),
      "l"(map), "r"(shared_address(bar)), "r"(x), "r"(y)
      : "memory");
}

static __device__ __forceinline__ void tma_store(const CUtensorMap *map,
                                                 void *from, int x, int y) {
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group "
               "[%0, {%2,%3}], [%1];" ::"l"(map),
               "r"(shared_address(from)), "r"(x), "r"(y)
               : "memory");
}

/// K-major, rows of 128 bytes; `mode` 1 is the 128-byte swizzle, 2 the 64-byte.
static __device__ __forceinline__ uint64_t descriptor(const void *tile,
                                                      uint64_t mode) {
  uint64_t start = (shared_address(tile) & 0x3ffff) >> 4;
  return start | 1ull << 16 | (uint64_t)(1024 >> 4) << 32 | mode << 62;
}

#define ACC4(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
static __device__ __forceinline__ void wgmma(float (&d)[32], uint64_t a,
                                             uint64_t b) {
  asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 "
               "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,"
               "%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31}, "
               "%32, %33, 1, 1, 1, 0, 0;"
               : ACC4(0), ACC4(4), ACC4(8), ACC4(12), ACC4(16), ACC4(20),
                 ACC4(24), ACC4(28)
               : "l"(a), "l"(b));
}

//===-- Roles -------------------------------------------------------------===//

static __device__ __forceinline__ void produce(Shared &s, const CUtensorMap *a,
                                               const CUtensorMap *b,
                                               int num_steps, int bug) {
#pragma unroll 1
  for (int k = 0; k < num_steps; k++) {
    int slot = k % SLOTS, parity = (k / SLOTS) & 1;
    int size_bytes = (BM + BN) * BK * 2;
    if (bug_is(bug, 3)) // announces more than is copied
      size_bytes += 128;
    if (bug_is(bug, 4)) // announces less
      size_bytes = BM * BK * 2;
    if (!bug_is(bug, 1)) // waits for the wrong phase
      parity ^= 1;
    if (!bug_is(bug, 16)) // never waits for a free slot
      mbarrier_wait(&s.empty[slot], parity);
    mbarrier_expect(&s.full[slot], size_bytes);
    int slot_of_a = bug_is(bug, 11) ? (slot + 1) % SLOTS : slot;
    tma_load(s.a[slot_of_a], a, &s.full[slot], k * BK, blockIdx.y * BM);
    tma_load(s.b[slot], b, &s.full[slot], k * BK, blockIdx.x * BN);
  }
}

static __device__ __forceinline__ void multiply(Shared &s, float (&d)[32],
                                                int group, int thread,
                                                int num_steps, int bug) {
#pragma unroll 1
  for (int k = 0; k < num_steps; k++) {
    int slot = k % SLOTS, parity = (k / SLOTS) & 1;
    uint64_t mode = bug_is(bug, 12) ? 2 : 1; // swizzle of the descriptor
    bool waits = true;
    if (bug_is(bug, 8)) // waits for the first slot only
      waits = k == 0;
    if (bug_is(bug, 15)) // the parity never flips
      parity = 0;
    if (bug_is(bug, 17)) // one thread waits for all
      waits = thread == 0;
    if (waits)
      mbarrier_wait(&s.full[slot], parity);
    if (!bug_is(bug, 9))
      asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
    for (int step = 0; step < BK; step += 16)
      wgmma(d, descriptor(&s.a[slot][group * 64 * BK + step], mode),
            descriptor(&s.b[slot][step], mode));
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    bool is_early = bug_is(bug, 5); // frees the slot while wgmma reads it
    if (is_early && thread == 0)
      mbarrier_arrive(&s.empty[slot]);
    if (!bug_is(bug, 10)) // accumulators are read too early
      asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    if (!is_early && thread == 0)
      mbarrier_arrive(&s.empty[slot]);
  }
}

static __device__ __forceinline__ void store(Shared &s, const float (&d)[32],
                                             const CUtensorMap *c, int group,
                                             int thread, int bug) {
  int row = group * 64 + thread / 32 * 16 + thread % 32 / 4;
  int column = thread % 4 * 2;
#pragma unroll
  for (int j = 0; j < BN / 8; j++)
#pragma unroll
    for (int half = 0; half < 2; half++)
      *(__nv_bfloat162 *)&s.c[(row + 8 * half) * BN + column + 8 * j] =
          __floats2bfloat162_rn(d[4 * j + 2 * half], d[4 * j + 2 * half + 1]);
  if (!bug_is(bug, 6))
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  if (!bug_is(bug, 14))
    asm volatile("bar.sync %0, 128;" ::"r"(group + 1) : "memory");
  if (thread != 0)
    return;
  tma_store(c, &s.c[group * 64 * BN], blockIdx.x * BN,
            blockIdx.y * BM + group * 64);
  asm volatile("cp.async.bulk.commit_group;");
  if (!bug_is(bug, 7))
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}

extern "C" __global__ void __launch_bounds__(384)
    ws_gemm(const __grid_constant__ CUtensorMap a,
            const __grid_constant__ CUtensorMap b,
            const __grid_constant__ CUtensorMap c, int num_k, int bug) {
  extern __shared__ __align__(1024) uint8_t memory[];
  Shared &s = *(Shared *)memory;
  int group = threadIdx.x / 128, thread = threadIdx.x % 128;
  if (threadIdx.x == 0) {
#pragma unroll 1
    for (int i = 0; i < SLOTS; i++) {
      mbarrier_init(&s.full[i], 1);
      mbarrier_init(&s.empty[i], bug_is(bug, 2) ? 3 : 2);
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  if (!bug_is(bug, 13))
    __syncthreads();
  int num_steps = num_k / BK;
  if (group == 0) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (thread == 0)
      produce(s, &a, &b, num_steps, bug);
    return;
  }
  asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
  float d[32];
#pragma unroll
  for (int i = 0; i < 32; i++)
    d[i] = 0;
  multiply(s, d, group - 1, thread, num_steps, bug);
  store(s, d, &c, group - 1, thread, bug);
}
