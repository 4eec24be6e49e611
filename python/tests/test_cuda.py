"""Calls on a GPU, against a driver that does nothing: what reaches it, how long a
call takes, and that the extension in C leaves to Python what it does not know."""

import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

STUB = r"""
#include <stdint.h>
#include <string.h>
static uint64_t launches;
static char context;
static _Thread_local void *current = &context;
static int ok(void) { return 0; }
static int set_pointer(void **out) { *out = &context; return 0; }
int cuCtxGetCurrent(void **out) { *out = current; return 0; }
int cuCtxGetDevice(int *out) { *out = 0; return current ? 0 : 201; }
int cuDevicePrimaryCtxRetain(void **out, int device) { return device ? 101 : set_pointer(out); }
void stub_drop_context(void) { current = 0; }
static int get_device(int *out) { *out = 0; return 0; }
static int version(int *out) { *out = 13000; return 0; }
static int count(int *out) { *out = 1; return 0; }
static int name(char *out, int n, int d) { strncpy(out, "stub", (size_t)n); return 0; }
static int attribute(int *out, int kind, int device) {
  *out = kind == 16 ? 132 : kind == 75 ? 9 : kind == 76 ? 0 : 232448;
  return 0;
}
static int text(int error, const char **out) { *out = "stub"; return 0; }
static int launch(const void *config, void *function, void **params, void **extra) {
  launches++;
  return 0;
}
uint64_t stub_launches(void) { return launches; }
int cuGetProcAddress_v2(const char *symbol, void **out, int v, uint64_t f, int *found) {
  static const struct { const char *name; void *function; } table[] = {
      {"cuCtxGetCurrent", cuCtxGetCurrent}, {"cuCtxGetDevice", get_device},
      {"cuDriverGetVersion", version}, {"cuDeviceGetCount", count},
      {"cuDeviceGetName", name}, {"cuDeviceGetAttribute", attribute},
      {"cuGetErrorName", text}, {"cuGetErrorString", text},
      {"cuModuleLoadDataEx", set_pointer}, {"cuModuleGetFunction", set_pointer},
      {"cuMemPoolCreate", set_pointer}, {"cuLaunchKernelEx", launch}};
  *out = ok;
  for (unsigned i = 0; i < sizeof table / sizeof table[0]; i++)
    if (!strcmp(symbol, table[i].name))
      *out = table[i].function;
  if (found)
    *found = 1;
  return 0;
}
"""

PROGRAM = """
import ctypes, sys, time
import numpy as np
import tile
import tile.language as T
from tile.runtime import fast

stub = ctypes.CDLL("libcuda.so.1")
stub.stub_launches.restype = ctypes.c_uint64


class Device:
    type, index = "cuda", 0


class Tensor:
    \"\"\"A tensor on a GPU, as far as a call looks at it.\"\"\"

    device = Device()

    def __init__(self, shape, dtype="torch.float16", address=1 << 20, dense=True):
        self.shape, self.dtype, self.address, self.dense = tuple(shape), dtype, address, dense
        self.ndim = len(self.shape)
        strides, step = [], 1
        for n in reversed(self.shape):
            strides.insert(0, step)
            step *= n
        self.strides = tuple(strides) if dense else tuple(2 * s for s in strides)

    def data_ptr(self):
        return self.address

    def stride(self):
        return self.strides

    def is_contiguous(self):
        return self.dense

    def get_device(self):
        return 0


@tile.jit
def gemm(A, B, C, D):
    M = T.dynamic("M")
    N, K = T.const("N, K")
    A: T.Tensor((M, K), "float16")
    B: T.Tensor((K, N), "float16")
    C: T.Tensor((M, N), "float16")
    D: T.Tensor((N,), "float16")
    with T.Kernel(T.ceildiv(N, 64), T.ceildiv(M, 64), threads=128) as (bx, by):
        As = T.alloc_shared((64, 32), "float16")
        Bs = T.alloc_shared((32, 64), "float16")
        acc = T.alloc_fragment((64, 64), "float32")
        T.clear(acc)
        for k in T.Pipelined(T.ceildiv(K, 32), num_stages=2):
            T.copy(A[by * 64, k * 32], As)
            T.copy(B[k * 32, bx * 64], Bs)
            T.gemm(As, Bs, acc)
        for i, j in T.Parallel(64, 64):
            acc[i, j] += D[bx * 64 + j]
        T.copy(acc, C[by * 64, bx * 64])


def tensors(m, n=128, k=64, **changes):
    kinds = [(m, k), (k, n), (m, n), (n,)]
    dtype = "torch.float16"
    return [Tensor(s, dtype, (i + 1) << 24, **changes) for i, s in enumerate(kinds)]


dtype = tensors(1)[0].dtype
for value in tensors(1):
    value.dtype = dtype
first = tensors(100)
gemm(*first)
assert stub.stub_launches() == 1
kernel = gemm._last
has_extension = fast.extension() is not None
assert (kernel._fast is not None) == has_extension
for values in (tensors(100), tensors(64), tensors(1)):
    for value in values:
        value.dtype = first[0].dtype
    gemm(*values)
assert stub.stub_launches() == 4
if has_extension:
    def is_left_to_python(values):
        return kernel._fast(*values) is NotImplemented
    assert not is_left_to_python(first)
    wrong = tensors(100); wrong[1].shape = (63, 128)
    assert is_left_to_python(wrong)
    wrong = tensors(100); wrong[2].shape = (99, 128)
    assert is_left_to_python(wrong)
    wrong = tensors(100); wrong[0].dtype = "torch.float32"
    assert is_left_to_python(wrong)
    wrong = tensors(100); wrong[0].address += 8
    assert is_left_to_python(wrong)
    wrong = tensors(100); wrong[3].dense = False
    assert is_left_to_python(wrong)
    assert is_left_to_python(first[:3]) and is_left_to_python([*first[:3], 5])
for change, message in ((lambda t: setattr(t[1], "shape", (63, 128)), "size 0 of B is 63, expected 64"),
                        (lambda t: setattr(t[0], "dtype", "torch.int8"), "float16")):
    wrong = tensors(100)
    change(wrong)
    try:
        gemm(*wrong)
    except tile.TileError as error:
        assert message in str(error), error
    else:
        raise AssertionError("no error")
import threading


def in_a_thread():
    # A thread that has no context, such as those of autograd, gets the primary one.
    stub.stub_drop_context()
    launches = stub.stub_launches()
    gemm(*first)
    again = gemm.compile(*first)
    again._fast = None
    again(*first)
    done.append(stub.stub_launches() - launches)


done = []
thread = threading.Thread(target=in_a_thread)
thread.start()
thread.join()
assert done == [2], done
gemm(*first)
before, count = stub.stub_launches(), 20000 if has_extension else 2000
best = 1e9
for _ in range(50):  # of the processor: other programs run, too
    start = time.process_time()
    for _ in range(count // 50):
        gemm(*first)
    best = min(best, (time.process_time() - start) / (count // 50))
assert stub.stub_launches() == before + count
print(f"{best * 1e6:.2f}")
"""


# Gives tensors DLPack's exchange API: what a call looks at comes by one function.
EXCHANGE = """
import ctypes
from tile.runtime.library import DLDataType, DLDevice, DLTensor

calls = [0]
TYPES = {"torch.float16": (2, 16), "torch.float32": (2, 32), "torch.int8": (0, 8)}


@ctypes.CFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(DLTensor))
def tensor_from_object(value, out):
    calls[0] += 1
    if not isinstance(value, Tensor):
        return -1
    steps = [s if value.dense else 2 * s for s in value.strides]
    shape, strides = ((ctypes.c_int64 * value.ndim)(*v) for v in (value.shape, steps))
    value.kept = shape, strides
    out[0] = DLTensor(value.address, DLDevice(2, 0), value.ndim,
                      DLDataType(*TYPES[value.dtype], 1), shape, strides, 0)
    return 0


@ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.c_int32, ctypes.POINTER(ctypes.c_void_p))
def current_stream(kind, device, out):
    out[0] = 7
    return 0


class Api(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("older", ctypes.c_void_p),
                ("unused", ctypes.c_void_p * 3), ("from_object", type(tensor_from_object)),
                ("stream", type(current_stream))]


def capsule_of(api):
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    return new(ctypes.addressof(api), b"dlpack_exchange_api", None)


api = Api(1, 2, None, (ctypes.c_void_p * 3)(), tensor_from_object, current_stream)
newer = Api(2, 0, ctypes.addressof(api), (ctypes.c_void_p * 3)(), tensor_from_object,
            current_stream)  # of a version that nobody knows yet
Tensor.__dlpack_c_exchange_api__ = capsule_of(newer)
"""


@pytest.fixture(scope="module")
def stub(tmp_path_factory):
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        pytest.skip("there is no C compiler")
    folder = tmp_path_factory.mktemp("stub")
    (folder / "stub.c").write_text(STUB)
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-w", folder / "stub.c", "-o",
                    folder / "libcuda.so.1"], check=True)
    (folder / "program.py").write_text(PROGRAM)
    before, class_end, after = PROGRAM.partition("\n\n@tile.jit")
    (folder / "exchange.py").write_text(before + EXCHANGE + class_end + after
                                        + "\nassert calls[0] > 20000\n")
    return folder


@pytest.mark.parametrize("with_extension", [True, False], ids=["extension", "ctypes"])
def test_launches(stub, with_extension):
    microseconds = run(stub, "program.py", with_extension)
    from tile.runtime import fast

    if with_extension and fast.extension() is not None:
        assert microseconds < 10  # 5 on a machine that does nothing else


def test_exchange_api(stub):
    """The same where one function says all of a tensor; what it costs here, in Python,
    says nothing."""
    from tile.runtime import fast

    if fast.extension() is None:
        pytest.skip("the extension is not built")
    run(stub, "exchange.py", True)


def run(stub, program, with_extension):
    """Microseconds of a call, which the program prints."""
    package = pathlib.Path(__file__).resolve().parents[1]
    environment = {**os.environ, "PYTHONPATH": str(package), "TILE_EMULATE": "",
                   "TILE_PTXAS": "", "LD_LIBRARY_PATH": str(stub),
                   "TILE_NO_EXTENSION": "" if with_extension else "1"}
    result = subprocess.run([sys.executable, stub / program], capture_output=True, text=True,
                            check=False, env=environment)
    assert result.returncode == 0, result.stderr
    microseconds = float(re.fullmatch(r"([\d.]+)\n", result.stdout).group(1))
    print(f"{microseconds} µs")
    return microseconds
