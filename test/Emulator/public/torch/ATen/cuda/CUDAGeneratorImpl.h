//===- CUDAGeneratorImpl.h - Random numbers of PyTorch --------------------===//
//
// What flash-attention takes from PyTorch: the state of its random numbers,
// which no kernel here uses.
//
//===----------------------------------------------------------------------===//

#pragma once
#include <cstdint>
#include <tuple>
namespace at {
struct PhiloxCudaState {
  uint64_t seed, offset;
};
} // namespace at
