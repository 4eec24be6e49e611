"""Programs that assume a GPU, on the emulator, and names that other files import."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import tile
import tile.language as T
from tile.rehearsal.sizes import Sizes, parse_setting

PACKAGE = Path(__file__).resolve().parents[1]

PROGRAM = """
import argparse
import numpy as np
import tile
import tile.language as T
from beside import FACTOR

@tile.autotune(configs=[dict(block=10**6), dict(block=32), dict(block=64)])
@tile.jit(out_idx=[-1])
def scale(M, N, factor, block=32):
    @T.prim_func
    def main(A: T.Tensor((M, N), "float32"), B: T.Tensor((M, N), "float32")):
        with T.Kernel(M, threads=32) as b:
            for j in T.Parallel(N):
                B[b, j] = A[b, j] * factor
    return main

def run(M=8192, N=4 * 1024, block=4096):
    a = np.ones((M, N), np.float32)
    b = scale(M, N, FACTOR)(a)
    assert (b == FACTOR).all()
    print(b.shape, block)

if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=1 << 20)
    options = parser.parse_args()
    print(options.rows)
    run()
    run(N=7)
"""


def run(tmp_path, *options):
    (tmp_path / "program.py").write_text(PROGRAM)
    (tmp_path / "beside.py").write_text("FACTOR = 3\n")
    return subprocess.run(
        [sys.executable, "-m", "tile", "run", *options, str(tmp_path / "program.py")],
        check=False, capture_output=True, text=True, cwd=PACKAGE, env={
            "PYTHONPATH": str(PACKAGE), "TILE_CACHE_DIR": "", "PATH": "/usr/bin:/bin"})


def test_small(tmp_path):
    result = run(tmp_path, "--small", "--set", "M=2", "--set", "FACTOR=5", "--set", "block=9")
    assert result.returncode == 0, result.stderr
    assert result.stdout.split("\n")[:3] == ["256", "(2, 256) 9", "(2, 7) 9"]


def test_bad_options(tmp_path):
    result = run(tmp_path, "--set", "M")
    assert result.returncode == 2 and "'M' is not NAME=VALUE" in result.stderr


def test_sizes_leave_kernels_and_tensors():
    text = b"""
def f(x, heads=2048): return x, heads
x = f([1024], heads=4096)
heads = open
y = f(heads, 5)
values = dict(a=2000)
clamped = max(1025, 3)
for n in [2048, 5]: pass
"""
    names = {}
    exec(Sizes({"heads": 3}, 64).compile(text, "x"), names)
    assert names["x"] == ([64], 3) and names["y"] == (open, 3) and names["heads"] is open
    assert names["values"] == {"a": 2000} and names["clamped"] == 1025 and names["n"] == 5


def test_settings():
    assert parse_setting("a=1") == ("a", 1) and parse_setting("a=none") == ("a", "none")
    for text in ("a", "=1", "1=2"):
        with pytest.raises(ValueError):
            parse_setting(text)


def test_torch_without_gpu():
    torch = pytest.importorskip("torch")
    from tile.rehearsal import host

    before = torch.cuda.is_available
    with host.without_gpu():
        x = torch.ones(3, device="cuda").cuda().to("cuda:0")
        assert torch.cuda.is_available() and x.is_cuda
        assert torch.cuda.get_device_properties(0).multi_processor_count > 0
        g = torch.Generator(device="cuda").manual_seed(1)
        torch.rand(2, generator=g, device=torch.device("cuda"))
        torch.manual_seed(1)
        torch.cuda.synchronize()
    assert torch.cuda.is_available is before and not x.is_cuda


def test_names_of_other_files():
    from tile.carver.arch import CUDA, driver
    from tile.contrib import nvcc
    from tile.language.fp8 import determine_fp8_type
    from tile.transform import PassConfigKey
    from tile.utils.tensor import TensorSupplyType, torch_assert_close

    assert driver.get_num_sms() > 0 and float(nvcc.get_target_compute_version()) >= 8
    assert determine_fp8_type("e5m2") == T.float8_e5m2
    assert PassConfigKey is tile.PassConfigKey and TensorSupplyType is tile.TensorSupplyType
    torch_assert_close(np.ones(2000), np.ones(2000))
    with pytest.raises(tile.UnsupportedError, match="CUDA is not there; list the configurations"):
        CUDA("cuda")
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("tile.nowhere")


def test_dtype_is_its_name():
    assert T.dtype("half") is T.float16 and getattr(np, T.float32) is np.float32
    assert T.dtype(np.dtype("int8")) == "int8" and f"{T.int32}" == "int32"


def test_autotuner_without_decorator(one_target):
    from tile.autotuner import AutoTuner, set_autotune_inputs

    def factory(block=None):
        @T.prim_func
        def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
            with T.Kernel(64 // block, threads=32) as b:
                for i in T.Parallel(block):
                    B[b * block + i] = A[b * block + i] + 1

        return main

    configs = [{"block": 8}, {"block": 64, "pass_configs": {"tl.disable_tma_lower": True}}]
    tuner = AutoTuner.from_kernel(factory, configs).set_compile_args(out_idx=[-1])
    with set_autotune_inputs(np.zeros(64, np.float32)):
        found = tuner.set_profile_args(ref_prog=lambda a: a + 1).run()
    assert found.config == configs[1] and found.latency > 0 and found.ref_latency is not None
    assert (found.kernel(np.ones(64, np.float32)) == 2).all()


@tile.autotune(configs=[{"block": 8}, {"block": 16}])
@tile.jit
def given(A, block=4):
    n = T.const("n")
    A: T.Tensor((n,), "float32")
    B = T.empty((n,), "float32")
    with T.Kernel(T.ceildiv(n, block), threads=32) as b:
        for i in T.Parallel(block):
            B[b * block + i] = A[b * block + i]
    return B


def test_a_call_may_choose(one_target):
    kernel = given.compile(n=32, block=32)
    assert kernel.config == {} and not [t for t in given.trials if t.score]
