//===- bug.h - Kernels that are right, or wrong in one chosen way ---------===//
//
// Every kernel takes a number: 0 is the correct program, others plant one
// mistake. The number is hidden from the optimiser, so that one PTX text has
// all variants and stays short.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_TEST_EMULATOR_BUG_H
#define TILE_TEST_EMULATOR_BUG_H

#include <stdint.h>

static __device__ __forceinline__ bool bug_is(int bug, int number) {
  int hidden;
  asm volatile("mov.b32 %0, %1;" : "=r"(hidden) : "r"(bug));
  return hidden == number;
}

static __device__ __forceinline__ uint32_t shared_address(const void *pointer) {
  return (uint32_t)__cvta_generic_to_shared(pointer);
}

#endif // TILE_TEST_EMULATOR_BUG_H
