#!/usr/bin/env python3
"""Times matrix products that tile-compile made against the vendor's library.

    gpu-bench.py OUT/gemm.json M N K [--tb] [--check] …

Each JSON file is a host function of three tensors A, B, C with C = A·B, or
A·Bᵀ with --tb. Both sides run in turns on the same random data, several inputs
in rotation, each turn timed by events; the table gives medians, the spread (the
quartiles) and the ratio. Needs a GPU and PyTorch; the script is not part of any
test."""

import argparse
import ctypes
import json
import os
import statistics
import sys

import torch

CUDA = ctypes.CDLL("libcuda.so.1")
DTYPES = {"bf16": torch.bfloat16, "f16": torch.float16, "f32": torch.float32}
MAP_TYPES = {"i8": 0, "i16": 1, "f16": 6, "f32": 7, "bf16": 9}  # CUtensorMapDataType
SCALARS = {"i32": ctypes.c_int32, "i64": ctypes.c_int64, "f32": ctypes.c_float}
SWIZZLES = {0: 0, 32: 1, 64: 2, 128: 3}
MAX_SMEM = 8  # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES


def check(result, what):
    if result:
        raise RuntimeError("%s: error %d" % (what, result))


def evaluate(values, tensors):
    """The numbers of the table `values` (docs/Metadata.md)."""
    out = []
    for v in values:
        a = [out[i] for i in v.get("operands", [])]
        op = v["op"]
        if op == "constant":
            out.append(v["value"])
        elif op == "argument":
            out.append(tensors[v["arg"]])
        elif op.startswith("memref."):
            t = tensors[v["arg"]]
            out.append({"memref.pointer": lambda: t.data_ptr(),
                        "memref.dim": lambda: t.shape[v["dim"]],
                        "memref.stride": lambda: t.stride(v["dim"])}[op]())
        elif op == "tile.num_sms":
            out.append(torch.cuda.get_device_properties(0).multi_processor_count)
        else:
            out.append({"arith.muli": lambda: a[0] * a[1],
                        "arith.addi": lambda: a[0] + a[1],
                        "arith.subi": lambda: a[0] - a[1],
                        "arith.remui": lambda: a[0] % a[1],
                        "arith.divui": lambda: a[0] // a[1],
                        "arith.ceildivui": lambda: -(-a[0] // a[1]),
                        "arith.minui": lambda: min(a), "arith.minsi": lambda: min(a),
                        "arith.cmpi": lambda: int({"eq": a[0] == a[1], "ne": a[0] != a[1],
                                                   "ult": a[0] < a[1], "ule": a[0] <= a[1],
                                                   "ugt": a[0] > a[1]}[v["predicate"]]),
                        "arith.index_cast": lambda: a[0]}[op]())
    return out


def tensor_map(param, numbers, tensors):
    rank = len(param["dims"])
    storage = ctypes.create_string_buffer(128 + 64)
    address = (ctypes.addressof(storage) + 63) // 64 * 64
    u64, u32 = ctypes.c_uint64, ctypes.c_uint32
    check(CUDA.cuTensorMapEncodeTiled(
        ctypes.c_void_p(address), MAP_TYPES[param["dtype"]], rank,
        ctypes.c_void_p(tensors[param["arg"]].data_ptr()),
        (u64 * rank)(*(numbers[i] for i in param["dims"])),
        (u64 * rank)(*(numbers[i] for i in param["strides_bytes"])),
        (u32 * rank)(*param["box"]), (u32 * rank)(*param["elem_strides"]),
        0, SWIZZLES[param["swizzle_bytes"]], 2, 0), "cuTensorMapEncodeTiled")
    return storage, address


class Kernel:
    """The first variant whose requirements hold, for fixed arguments."""

    def __init__(self, path, tensors):
        with open(path, encoding="utf-8") as file:
            host = json.load(file)
        self.keep, numbers = [], evaluate(host["values"], tensors)
        variants = host["launches"][0]["variants"]
        variant = next(v for v in variants
                       if all(numbers[r["value"]] for r in v["requires"]))
        base = os.path.splitext(os.path.join(os.path.dirname(path), host["ptx"]))[0]
        binary = base + ".cubin" if os.path.exists(base + ".cubin") else base + ".ptx"
        module, self.function = ctypes.c_void_p(), ctypes.c_void_p()
        with open(binary, "rb") as file:
            image = file.read() + b"\0"
        check(CUDA.cuModuleLoadData(ctypes.byref(module), image), "cuModuleLoadData")
        check(CUDA.cuModuleGetFunction(ctypes.byref(self.function), module,
                                       variant["kernel"].encode()), "cuModuleGetFunction")
        self.smem = variant["dynamic_smem_bytes"]
        check(CUDA.cuFuncSetAttribute(self.function, MAX_SMEM, self.smem), "cuFuncSetAttribute")
        self.grid = [numbers[i] for i in variant["grid"]]
        self.block = [numbers[i] for i in variant["block"]]
        pointers = []
        for param in variant["params"]:
            if param["kind"] == "tensor_map":
                storage, address = tensor_map(param, numbers, tensors)
                self.keep.append(storage)
                pointers.append(address)
                continue
            value = (ctypes.c_uint64(tensors[param["arg"]].data_ptr())
                     if param["kind"] == "pointer" else
                     SCALARS[param["type"]](numbers[param["value"]]))
            self.keep.append(value)
            pointers.append(ctypes.addressof(value))
        self.params = (ctypes.c_void_p * len(pointers))(*pointers)

    def launch(self):
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        check(CUDA.cuLaunchKernel(self.function, *self.grid, *self.block, self.smem,
                                  stream, self.params, None), "cuLaunchKernel")


def time_turn(run, count):
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    for i in range(count):
        run(i)
    end.record()
    end.synchronize()
    return begin.elapsed_time(end) / count


def quartiles(times):
    q = statistics.quantiles(times, n=4)
    return q[1], q[0], q[2]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("json", nargs="+")
    parser.add_argument("--size", required=True, help="MxNxK")
    parser.add_argument("--tb", action="store_true", help="B is N x K")
    parser.add_argument("--dtype", default="bf16", choices=DTYPES)
    parser.add_argument("--out", default="f32", choices=DTYPES)
    parser.add_argument("--turns", type=int, default=15)
    parser.add_argument("--inputs", type=int, default=3)
    options = parser.parse_args()
    m, n, k = map(int, options.size.split("x"))
    torch.manual_seed(1)
    dtype, out = DTYPES[options.dtype], DTYPES[options.out]
    inputs = []
    for _ in range(options.inputs):
        a = torch.randn(m, k, device="cuda").to(dtype)
        b = torch.randn(*((n, k) if options.tb else (k, n)), device="cuda").to(dtype)
        inputs.append((a, b, torch.full((m, n), float("nan"), device="cuda", dtype=out)))
    library = [torch.empty(m, n, device="cuda", dtype=dtype) for _ in inputs]

    def vendor(i):
        a, b, _ = inputs[i % len(inputs)]
        torch.matmul(a, b.T if options.tb else b, out=library[i % len(inputs)])

    for path in options.json:
        kernels = [Kernel(path, t) for t in inputs]
        kernels[0].launch()
        torch.cuda.synchronize()
        a, b, c = inputs[0]
        want = a.float() @ (b.T if options.tb else b).float()
        error = ((c.float() - want).norm() / want.norm()).item()
        ours = lambda i: kernels[i % len(kernels)].launch()
        for run in (ours, vendor):
            time_turn(run, 10)
        times = [(time_turn(ours, 20), time_turn(vendor, 20)) for _ in range(options.turns)]
        t, low, high = quartiles([x for x, _ in times])
        v, vlow, vhigh = quartiles([y for _, y in times])
        flop = 2e-9 * m * n * k
        print("%-28s %s error %.1e  %7.4f ms [%.4f %.4f] %6.1f TFLOP/s  library %7.4f ms "
              "[%.4f %.4f] %6.1f TFLOP/s  speed %.3f"
              % (os.path.relpath(path), options.size, error, t, low, high, flop / t,
                 v, vlow, vhigh, flop / v, v / t))
    return 0


if __name__ == "__main__":
    sys.exit(main())
