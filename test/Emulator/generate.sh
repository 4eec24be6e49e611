#!/bin/sh
# Compiles cuda/*.cu to ptx/*.ptx. The results are committed, since machines
# that run the tests need not have nvcc.
set -eu
TMP=$(mktemp)

cd "$(dirname "$0")"
nvcc=${NVCC:-nvcc}
for source in cuda/*.cu; do
  [ "$source" != cuda/shim.cu ] || continue # below
  name=$(basename "$source" .cu)
  arch=sm_90a
  case $name in ampere_gemm | softmax) arch=sm_80 ;; esac
  "$nvcc" -arch=$arch -O3 -std=c++17 -ptx -o - "$source" |
    sed -e '/^[[:space:]]*\/\//d' -e '/^[[:space:]]*$/d' >"ptx/$name.ptx"
done

# Fat binaries as nvcc puts them into programs: PTX for two architectures,
# plain and in both compressions.
for mode in none speed size; do
  "$nvcc" -std=c++17 -fatbin --compress-mode=$mode \
    -gencode arch=compute_80,code=compute_80 \
    -gencode arch=compute_90a,code=compute_90a \
    -o "fatbin/shim-$mode.fatbin" cuda/shim.cu
done
# Machine code only, which cannot be emulated.
echo '__global__ void empty() {}' >"$TMP.cu"
"$nvcc" -fatbin -gencode arch=compute_90a,code=sm_90a \
  -o fatbin/machine-code.fatbin "$TMP.cu"
rm -f "$TMP" "$TMP.cu"
