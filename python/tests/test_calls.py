"""Calls: arrays of every kind, threads, processes, the cache, imports."""

import concurrent.futures
import multiprocessing
import os
import subprocess
import sys

import numpy as np
import pytest

import tile
import tile.language as T


@tile.jit
def increment(A, step=1):
    n = T.dynamic("n")
    A: T.Tensor((n,), "float32")
    B = T.empty((n,), "float32")
    with T.Kernel(T.ceildiv(n, 64), threads=64) as b:
        for i in T.Parallel(64):
            B[b * 64 + i] = A[b * 64 + i] + step
    return B


class OnlyDLPack:
    """An array of a library that nobody knows."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, stream=None):
        return self.array.__dlpack__()

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def test_dlpack(one_target):
    a = np.arange(70, dtype=np.float32)
    np.testing.assert_array_equal(increment(OnlyDLPack(a)), a + 1)


def test_torch(one_target):
    torch = pytest.importorskip("torch")
    a = torch.arange(70, dtype=torch.float32)
    b = increment(a)
    assert isinstance(b, torch.Tensor) and torch.equal(b, a + 1)


def test_small_floats(one_target):
    ml_dtypes = pytest.importorskip("ml_dtypes")

    @tile.jit
    def convert(A):
        A: T.Tensor((32,), "bfloat16")
        B = T.empty((32,), "float8_e5m2")
        with T.Kernel(1, threads=32):
            F = T.alloc_fragment((32,), "bfloat16")
            T.copy(A, F)
            T.copy(F, B)
        return B

    a = np.arange(32).astype(ml_dtypes.bfloat16)
    b = convert(a)
    np.testing.assert_array_equal(b, a.astype(ml_dtypes.float8_e5m2))


def test_empty(one_target):
    assert increment(np.zeros(0, np.float32)).shape == (0,)


def test_views(one_target):
    """Addresses that are no multiples of 16 bytes take another variant."""
    a = np.arange(131, dtype=np.float32)
    for start in range(4):
        np.testing.assert_array_equal(increment(a[start:]), a[start:] + 1)


def test_specialisation(one_target):
    a = np.zeros(8, np.float32)
    increment(a)
    kernel = increment.compile(a)
    assert kernel is increment.compile(np.zeros(99, np.float32))
    assert kernel is not increment.compile(a, step=2)


def call(number):
    a = np.full(65, number, np.float32)
    return bool((increment(a, step=number % 3) == number + number % 3).all())


def test_threads(one_target):
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        assert all(pool.map(call, range(12)))


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_processes(method, one_target):
    assert call(1)
    context = multiprocessing.get_context(method)
    with context.Pool(2) as pool:
        assert all(pool.map(call, range(4)))


def test_seeds(one_target):
    a = np.arange(70, dtype=np.float32)
    for schedule in ("mixed", "eager", "lazy", "random", "priority"):
        with tile.emulator(seed=7, schedule=schedule):
            np.testing.assert_array_equal(increment(a), a + 1)
    with pytest.raises(ValueError, match="schedule 'other'"), tile.emulator(schedule="other"):
        pass


def test_check(one_target):
    a = np.arange(70, dtype=np.float32)
    np.testing.assert_array_equal(increment.compile(a).check(a, seeds=3), a + 1)


def test_disk_cache(one_target, tmp_path, monkeypatch):
    from tile.runtime import cache, compiler

    monkeypatch.setenv("TILE_CACHE_DIR", str(tmp_path))
    text = increment.compile(np.zeros(1, np.float32)).program.text
    image = compiler.compile_text("increment", text, "sm_80")
    files = cache.entries()
    assert len(files) == 1
    monkeypatch.setattr(compiler, "compiler_for", None)  # the second one is not compiled
    again = compiler.compile_text("increment", text, "sm_80")
    assert (again.ptx, again.metadata, again.messages) == (
        image.ptx, image.metadata, image.messages)
    files[0][0].write_bytes(b"damaged")
    assert cache.load(files[0][0].stem) is None
    assert "unreadable" in cache.describe(files[0][0])
    assert cache.prune(0) == 1 and not cache.entries()


def run_python(*arguments, **environment):
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=False,
                          env={**os.environ, **environment})


def test_cache_command(one_target, tmp_path, monkeypatch):
    monkeypatch.setenv("TILE_CACHE_DIR", str(tmp_path))
    from tile.runtime import compiler

    text = increment.compile(np.zeros(1, np.float32)).program.text
    compiler.compile_text("increment", text, "sm_80")
    path = os.path.dirname(os.path.dirname(tile.__file__))
    listed = run_python("-m", "tile", "cache", PYTHONPATH=path)
    assert "increment" in listed.stdout and "1 file" in listed.stdout, listed
    cleared = run_python("-m", "tile", "cache", "clear", PYTHONPATH=path)
    assert "removed 1 file" in cleared.stdout, cleared


def test_import_is_quick():
    """Less than 50 ms: neither numpy nor a library is opened."""
    path = os.path.dirname(os.path.dirname(tile.__file__))
    code = ("import sys, time; t = time.perf_counter(); import tile; "
            "t = time.perf_counter() - t; "
            "print(t, 'numpy' in sys.modules, 'ctypes' in sys.modules)")
    times = []
    for _ in range(3):
        output = run_python("-c", code, PYTHONPATH=path).stdout.split()
        assert output[1:] == ["False", "False"]
        times.append(float(output[0]))
    assert min(times) < 0.05


def test_names_of_other_files():
    """Import lines as files have them."""
    from tile import cdiv, compile, jit, next_power_of_2, profiler, testing  # noqa: F401
    from tile.autotuner import autotune  # noqa: F401
    from tile.profiler import TensorSupplyType, do_bench  # noqa: F401

    assert (cdiv(7, 2), next_power_of_2(5), tile.math.next_power_of_2(8)) == (4, 8, 8)
    assert tile.PassConfigKey.TL_ENABLE_FAST_MATH == "tl.enable_fast_math"
    assert tile.layout.make_swizzled_layout and tile.__version__


def test_pass_configs(one_target):
    def make(configs):
        @T.prim_func
        def kernel(A: T.Tensor((64,), "float32")):
            with T.Kernel(1, threads=32):
                for i in T.Parallel(64):
                    A[i] = T.exp(A[i]) * 3 / A[i]

        return tile.compile(kernel, pass_configs=configs)

    fast = make({tile.PassConfigKey.TL_ENABLE_FAST_MATH: True})
    for text in ("math.exp %A_value fastmath<afn>", "arith.mulf %exp, %f3 fastmath<contract>",
                 "%A_value_1 fastmath<contract,arcp>"):
        assert text in fast.ir
    assert "fastmath" not in make(None).ir
    alone = make({"tl.disable_warp_specialized": True})
    assert "specialize = #tile.specialize<off>" in alone.ir
    with pytest.raises(tile.CompileError, match="pass_configs has 'fast'"):
        make({"fast": True})


@tile.autotune(configs=[{"block": 16}, {"block": 64}, {"block": 3}, {"block": 10**6}])
@tile.jit
def tuned(A, block=32):
    n = T.const("n")
    A: T.Tensor((n,), "float32")
    B = T.empty((n,), "float32")
    with T.Kernel(T.ceildiv(n, block), threads=64) as b:
        F = T.alloc_fragment((block,), "float32")
        T.copy(A[b * block], F)
        for i in T.Parallel(block):
            F[i] = F[i] * 2
        T.copy(F, B[b * block])
    return B


def test_autotune(one_target, tmp_path, monkeypatch):
    monkeypatch.setenv("TILE_CACHE_DIR", str(tmp_path))
    a = np.arange(100, dtype=np.float32)
    np.testing.assert_array_equal(tuned(a), a * 2)
    assert [t.config["block"] for t in tuned.trials] == [16, 64, 3, 10**6]
    assert tuned.trials[3].error and tuned.trials[1].score < tuned.trials[2].score
    assert list(tuned.best.values()) == [{"block": 64}]
    assert len(list(tmp_path.glob("tuned/*.json"))) == 1
    tuned.best.clear()
    tuned.trials.clear()
    np.testing.assert_array_equal(tuned(a), a * 2)  # known from the disk
    assert [(t.config["block"], t.score > 0) for t in tuned.trials] == [(64, True)]


def test_autotune_of_sizes_and_tensors(one_target, monkeypatch):
    """Sizes of T.const by name, and tensors to measure with."""
    monkeypatch.setenv("TILE_CACHE_DIR", "")
    a = np.arange(70, dtype=np.float32)
    with tile.autotuner.set_autotune_inputs(a):
        kernel = tuned.compile(n=70)
    assert kernel.config == {"block": 64} and kernel.latency > 0
    np.testing.assert_array_equal(kernel(a), a * 2)


def test_profiler(one_target):
    kernel = tuned.function.compile(np.zeros(100, np.float32))
    profiler = kernel.get_profiler(tile.TensorSupplyType.Integer)
    profiler.assert_allclose(lambda a: a * 2, rtol=0, atol=0)
    with pytest.raises(AssertionError, match=r"result 0: \d+ of 100 elements differ"):
        profiler.assert_allclose(lambda a: a * 3, rtol=0, atol=0)
    assert profiler.do_bench(warmup=1, rep=2) > 0
    assert profiler.run_once().shape == (100,)
    profile = kernel.profile(np.zeros(100, np.float32))
    assert "tuned" in str(profile) and '"traceEvents"' in profile.trace


def test_read_only(one_target):
    a = np.zeros(100, np.float32)
    a.flags.writeable = False
    kernel = increment.compile(a)
    np.testing.assert_array_equal(kernel(a), a + 1)
    with pytest.raises(tile.ArgumentError, match="argument B: the kernel writes it, but"):
        kernel(a, a)
