"""Calls on a GPU by way of torch: streams, several GPUs, graphs, torch.compile, what
is measured. Skipped where there is none."""

import itertools
import os

import pytest

import tile

torch = pytest.importorskip("torch", reason="torch is not installed")
if not torch.cuda.is_available():
    pytest.skip("there is no GPU", allow_module_level=True)

numbers = itertools.count()

KERNELS = """
    @tile.jit
    def product(A, B, block=64, transpose=False):
        M, N, K = T.const("M, N, K")
        A: T.Tensor((M, K), "float16")
        B: T.Tensor((K, N), "float16")
        C = T.empty((M, N), "float32")
        with T.Kernel(T.ceildiv(N, block), T.ceildiv(M, block), threads=128) as (bx, by):
            As = T.alloc_shared((block, 32), "float16")
            Bs = T.alloc_shared((32, block), "float16")
            acc = T.alloc_fragment((block, block), "float32")
            T.clear(acc)
            for k in T.Pipelined(T.ceildiv(K, 32), num_stages=3):
                T.copy(A[by * block, k * 32], As)
                T.copy(B[k * 32, bx * block], Bs)
                T.gemm(As, Bs, acc)
            T.copy(acc, C[by * block, bx * block])
        return C

    @tile.jit
    def add_one(A, rounds=1):
        n = T.dynamic("n")
        A: T.Tensor((n,), "float32")
        with T.Kernel(T.ceildiv(n, 256), threads=256) as b:
            for i in T.Parallel(256):
                for _ in T.serial(rounds):
                    A[b * 256 + i] += 1

    @tile.jit
    def total(A, B, C, D):
        n = T.dynamic("n")
        A: T.Tensor((n,), "float32")
        B: T.Tensor((n,), "float32")
        C: T.Tensor((n,), "float32")
        D: T.Tensor((n,), "float32")
        with T.Kernel(T.ceildiv(n, 256), threads=256) as b:
            for i in T.Parallel(256):
                D[b * 256 + i] = A[b * 256 + i] + B[b * 256 + i] + C[b * 256 + i]
"""


@pytest.fixture(autouse=True)
def on_the_gpu(monkeypatch):
    monkeypatch.delenv("TILE_EMULATE", raising=False)
    monkeypatch.delenv("TILE_TARGET", raising=False)


@pytest.fixture
def kernels(module, on_the_gpu):
    return module(KERNELS)


def pair(m=200, n=136, k=96, device="cuda"):
    torch.manual_seed(0)
    return (torch.randint(-2, 3, s, device=device).half() for s in ((m, k), (k, n)))


def fresh(name):
    return f"tile_gpu_tests::{name}_{next(numbers)}"


def test_product(kernels):
    a, b = pair()
    for _ in range(3):  # the first by Python, the others by the extension
        c = kernels.product(a, b)
        assert c.is_cuda and torch.equal(c, a.float() @ b.float())


def test_odd_rows(kernels):
    for k in (33, 40, 1):
        a, b = pair(70, 90, k)
        assert torch.equal(kernels.product(a, b), a.float() @ b.float())


def test_current_stream(kernels):
    """A call is on torch's current stream: it waits for what is before it there."""
    a = torch.zeros(1 << 20, device="cuda")
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for n in range(20):
            torch.cuda._sleep(1_000_000)
            a.fill_(n)
            kernels.add_one(a)
    stream.synchronize()
    assert torch.equal(a, torch.full_like(a, 20))


def test_stream_by_number(kernels):
    a = torch.zeros(1000, device="cuda")
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    kernel = kernels.add_one.compile()
    kernel(a, stream=stream.cuda_stream)
    stream.synchronize()
    assert torch.equal(a, torch.ones_like(a))


@pytest.mark.skipif(torch.cuda.device_count() < 2, reason="there is one GPU")
def test_second_gpu(kernels):
    for number in (0, 1, 0, 1):
        with torch.cuda.device(number):
            a, b = pair(device=f"cuda:{number}")
            c = kernels.product(a, b)
            assert c.device.index == number and torch.equal(c, a.float() @ b.float())
    a, _ = pair(device="cuda:0")
    _, b = pair(device="cuda:1")
    with pytest.raises(tile.TileError, match="GPUs"):
        kernels.product(a, b)


def test_mixed_devices(kernels):
    a, b = pair()
    with pytest.raises(tile.TileError, match="some tensors are on a GPU"):
        kernels.product(a, b.cpu())


def test_graph(kernels):
    a, b = pair()
    kernels.product(a, b)  # compiled and loaded before the graph records
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        c = kernels.product(a, b)
        kernels.product(a, b)
    for _ in range(3):
        x, y = pair()
        a.copy_(x * 2)
        b.copy_(y)
        graph.replay()
        torch.cuda.synchronize()
        assert torch.equal(c, 2 * x.float() @ y.float())


@pytest.mark.parametrize("backend", ["aot_eager", "inductor"])
def test_compile(kernels, backend):
    op = tile.torch_op(fresh("product"), kernels.product)

    @torch.compile(backend=backend, fullgraph=True)
    def layer(a, b):
        return torch.relu(op(a, b)) + 1

    a, b = pair()
    torch.testing.assert_close(layer(a, b), torch.relu(a.float() @ b.float()) + 1)


def test_compile_with_graphs(kernels):
    """mode="reduce-overhead" records CUDA graphs."""
    op = tile.torch_op(fresh("product"), kernels.product)

    @torch.compile(mode="reduce-overhead", fullgraph=True)
    def layer(a, b):
        return torch.relu(op(a, b)) + 1

    a, b = pair()
    for _ in range(4):
        torch.testing.assert_close(layer(a, b).clone(), torch.relu(a.float() @ b.float()) + 1)


def test_gradients(kernels):
    op = tile.torch_op(fresh("product"), kernels.product, backward=lambda ctx, grad: (
        grad.half() @ ctx.saved_tensors[1].T, ctx.saved_tensors[0].T @ grad.half()))
    a, b = (x.requires_grad_() for x in pair())
    op(a, b).sum().backward()
    assert torch.equal(a.grad, torch.ones(200, 136, device="cuda").half() @ b.detach().T)


def test_autotune(kernels, module, tmp_path, monkeypatch):
    monkeypatch.setenv("TILE_CACHE_DIR", str(tmp_path))
    tuned = tile.autotune([{"block": 32}, {"block": 64}, {"block": 128}], progress=False)(
        kernels.product)
    a, b = pair(512, 512, 512)
    assert torch.equal(tuned(a, b), a.float() @ b.float())
    assert all(t.score is not None and t.score > 0 for t in tuned.trials)


def test_profile(kernels):
    a, b = pair()
    kernel = kernels.product.compile(M=200, N=136, K=96)
    profile = kernel.profile(a, b)
    assert profile.milliseconds and 0 < profile.milliseconds < 10


def test_a_call_is_cheap(kernels):
    """With four tensors at most 5 µs reach the driver; 10 where others use the host."""
    import time

    tensors = [torch.ones(1000, device="cuda") for _ in range(4)]
    kernels.total(*tensors)
    assert kernels.total._last._fast is not None
    best = 1.0
    for _ in range(20):
        torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(200):
            kernels.total(*tensors)
        best = min(best, (time.perf_counter() - start) / 200)
    torch.cuda.synchronize()
    assert torch.equal(tensors[3], torch.full((1000,), 3.0, device="cuda"))
    print(f"{best * 1e6:.2f} µs")
    assert best < 10e-6


def test_threads(kernels):
    """Calls from several threads, each with a stream of its own."""
    import concurrent.futures

    a, b = pair()
    wanted = a.float() @ b.float()

    def call(_):
        with torch.cuda.stream(torch.cuda.Stream()):
            c = kernels.product(a, b)
            torch.cuda.current_stream().synchronize()
            return torch.equal(c, wanted)

    torch.cuda.synchronize()
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        assert all(pool.map(call, range(32)))


def test_without_the_extension(kernels, monkeypatch):
    monkeypatch.setenv("TILE_NO_EXTENSION", "1")
    from tile.runtime import fast

    fast.extension.cache_clear()
    try:
        a, b = pair()
        for _ in range(2):
            assert torch.equal(kernels.product(a, b), a.float() @ b.float())
    finally:
        fast.extension.cache_clear()
    assert os.environ["TILE_NO_EXTENSION"] == "1"
