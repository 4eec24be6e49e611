#!/bin/sh
# Compiles cuda/*.cu to ptx/*.ptx. The results are committed, since machines
# that run the tests need not have nvcc.
set -eu

cd "$(dirname "$0")"
nvcc=${NVCC:-nvcc}
for source in cuda/*.cu; do
  name=$(basename "$source" .cu)
  arch=sm_90a
  case $name in ampere_gemm | softmax) arch=sm_80 ;; esac
  "$nvcc" -arch=$arch -O3 -std=c++17 -ptx -o - "$source" |
    sed -e '/^[[:space:]]*\/\//d' -e '/^[[:space:]]*$/d' >"ptx/$name.ptx"
done
