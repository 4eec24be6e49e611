"""Kernels as operators of torch: shapes without contents, gradients, torch.compile."""

import itertools

import pytest

import tile

torch = pytest.importorskip("torch", reason="torch is not installed")
if not hasattr(torch.library, "custom_op"):
    pytest.skip("torch is older than 2.4", allow_module_level=True)

numbers = itertools.count()

KERNELS = """
    @tile.jit
    def product(A, B, block=32, transpose=False):
        M, N, K = T.const("M, N, K")
        A: T.Tensor((M, K), "float32")
        B: T.Tensor((K, N), "float32")
        C = T.empty((M, N), "float32")
        with T.Kernel(T.ceildiv(N, block), T.ceildiv(M, block), threads=128) as (bx, by):
            for i, j in T.Parallel(block, block):
                if by * block + i < M and bx * block + j < N:
                    total = T.float32(0)
                    for k in T.serial(K):
                        total += A[by * block + i, k] * B[k, bx * block + j]
                    C[by * block + i, bx * block + j] = total
        return C

    @tile.jit
    def square(A):
        n = T.dynamic("n")
        A: T.Tensor((n,), "float32")
        B = T.empty((n,), "float32")
        C = T.empty((n,), "int32")
        with T.Kernel(T.ceildiv(n, 64), threads=64) as b:
            for i in T.Parallel(64):
                B[b * 64 + i] = A[b * 64 + i] * A[b * 64 + i]
                C[b * 64 + i] = b * 64 + i
        return B, C

    @tile.jit
    def double(A):
        n = T.dynamic("n")
        A: T.Tensor((n,), "float32")
        with T.Kernel(T.ceildiv(n, 64), threads=64) as b:
            for i in T.Parallel(64):
                A[b * 64 + i] *= 2

    @tile.jit(out_idx=[-1])
    def adder(n):
        @T.prim_func
        def main(A: T.Tensor((n,), "float32"), B: T.Tensor((n,), "float32")):
            with T.Kernel(1, threads=64) as b:
                for i in T.Parallel(n):
                    B[i] = A[i] + 1
        return main
"""


@pytest.fixture
def kernels(module, one_target):
    return module(KERNELS)


def fresh(name):
    return f"tile_tests::{name}_{next(numbers)}"


def product_gradients(ctx, grad):
    a, b, _ = ctx.saved_tensors
    return grad @ b.T, a.T @ grad


def pair():
    torch.manual_seed(0)
    return torch.randn(20, 12), torch.randn(12, 24)


def test_operator(kernels):
    op = tile.torch_op(fresh("product"), kernels.product)
    a, b = pair()
    torch.testing.assert_close(op(a, b), a @ b)
    torch.testing.assert_close(op(a, b, block=16), a @ b)
    assert str(op._opoverload._schema).partition("(")[2] == \
        "Tensor A, Tensor B, int block=32, bool transpose=False) -> Tensor"


def test_shapes_without_contents(kernels):
    op = tile.torch_op(fresh("product"), kernels.product)
    a, b = pair()
    assert op(a.to("meta"), b.to("meta")).shape == (20, 24)
    with pytest.raises(tile.CompileError, match="size 0 of B is 11, expected 12"):
        op(a.to("meta"), torch.empty(11, 24, device="meta"))


def test_gradients(kernels):
    op = tile.torch_op(fresh("product"), kernels.product, backward=product_gradients)
    a, b = (x.requires_grad_() for x in pair())
    op(a, b).square().sum().backward()
    wide_a, wide_b = (x.detach().clone().requires_grad_() for x in (a, b))
    (wide_a @ wide_b).square().sum().backward()
    torch.testing.assert_close(a.grad, wide_a.grad)
    torch.testing.assert_close(b.grad, wide_b.grad)


def test_number_of_gradients(kernels):
    op = tile.torch_op(fresh("product"), kernels.product, backward=lambda ctx, grad: grad)
    a, b = (x.requires_grad_() for x in pair())
    with pytest.raises(tile.CompileError, match="product gives 1 gradients for 2 tensors"):
        op(a, b).sum().backward()


def test_torch_finds_nothing_wrong(kernels):
    op = tile.torch_op(fresh("product"), kernels.product, backward=product_gradients)
    a, b = (x.requires_grad_() for x in pair())
    torch.library.opcheck(op, (a, b), test_utils=("test_schema", "test_faketensor",
                                                  "test_autograd_registration"))


@pytest.mark.parametrize("dynamic", [False, True])
def test_compile(kernels, dynamic):
    op = tile.torch_op(fresh("product"), kernels.product, backward=product_gradients)

    @torch.compile(backend="aot_eager", fullgraph=True, dynamic=dynamic)
    def layer(a, b):
        return torch.relu(op(a, b)) + 1

    a, b = (x.requires_grad_() for x in pair())
    result = layer(a, b)
    torch.testing.assert_close(result, torch.relu(a @ b) + 1)
    result.sum().backward()
    torch.testing.assert_close(a.grad, ((a @ b) > 0).float() @ b.detach().T)


def test_results_of_run_time_sizes(kernels):
    op = tile.torch_op(fresh("square"), kernels.square)

    @torch.compile(backend="aot_eager", fullgraph=True, dynamic=True)
    def both(a):
        squares, places = op(a)
        return squares + places

    for n in (100, 65):
        a = torch.arange(n, dtype=torch.float32)
        torch.testing.assert_close(both(a), a * a + a)


def test_writes_in_place(kernels):
    op = tile.torch_op(fresh("double"), kernels.double, mutates=["A"])

    @torch.compile(backend="aot_eager", fullgraph=True)
    def layer(a):
        b = a + 1
        op(b)
        return b

    torch.testing.assert_close(layer(torch.ones(70)), torch.full((70,), 4.0))
    with pytest.raises(tile.CompileError, match="double has no tensor B"):
        tile.torch_op(fresh("double"), kernels.double, mutates=["B"])


def test_kernel_of_a_factory(kernels):
    op = tile.torch_op(fresh("adder"), kernels.adder(64))
    a = torch.zeros(64)
    torch.testing.assert_close(op(a), a + 1)
    torch.library.opcheck(op, (a,), test_utils=("test_schema", "test_faketensor"))


def test_what_is_no_kernel(kernels):
    with pytest.raises(tile.CompileError, match="is no kernel; give a function"):
        tile.torch_op(fresh("adder"), kernels.adder)
