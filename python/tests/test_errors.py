"""Mistakes are errors that name the user's line, and how to mend it.

A case is the body of a kernel. The line that the error must name ends with
`# here`; where none does, it is the line of the function.
"""

import re
import textwrap

import numpy as np
import pytest

import tile

HEAD = """
SEEN = []


@T.prim_func
def kernel(A: T.Tensor((64, 64), 'float32'), B: T.Tensor((64,), 'int32'),
           C: T.Tensor((64, 64), 'float32'), n: T.int32, x: T.float32):
"""

# name: (body of the function, what the message says)
MISTAKES = {
    "no_kernel": ("""
        y = 1
        """, "launches no kernel; write `with T.Kernel"),
    "unknown_name": ("""
        with T.Kernel(1):
            y = unknown + 1  # here
        """, "the name unknown has no value"),
    "misspelled_function": ("""
        with T.Kernel(1):
            S = T.alloc_shard((4,), 'float32')  # here
        """, "T has no alloc_shard; is it T.alloc_shared?"),
    "misspelled_keyword": ("""
        with T.Kernel(1):
            S = T.alloc_shared((64, 64), 'float16')
            F = T.alloc_fragment((64, 64), 'float32')
            T.gemm(S, S, F, trans_B=True)  # here
        """, "T.gemm has no argument trans_B; is it transpose_B?"),
    "argument_left_out": ("""
        with T.Kernel(1):
            F = T.alloc_fragment((64, 64), 'float32')
            T.reduce_sum(F)  # here
        """, "T.reduce_sum: missing a required argument: 'out'; its arguments are buffer, out, dim"),
    "misspelled_type": ("""
        with T.Kernel(1):
            S = T.alloc_shared((4,), 'flaot32')  # here
        """, "expected a data type, got 'flaot32'; is it float32?"),
    "gemm_transposed": ("""
        with T.Kernel(1):
            S = T.alloc_shared((64, 32), 'float16')
            F = T.alloc_fragment((64, 64), 'float32')
            T.gemm(S, S, F)  # here
        """, "into 64 x 64; transpose_A=False, transpose_B=True would fit"),
    "gemm_policy": ("""
        with T.Kernel(1):
            S = T.alloc_shared((64, 64), 'float16')
            F = T.alloc_fragment((64, 64), 'float32')
            T.gemm(S, S, F, policy='rows')  # here
        """, "the policy 'rows' of a product; use T.GemmWarpPolicy.Square"),
    "op_of_the_compiler": ("""
        with T.Kernel(1):
            S = T.alloc_shared((64, 64), 'float32')
            T.copy(S, C)  # here
        """, "T.copy reads a shared tile that nothing has written: T.fill it"),
    "op_of_a_loop": ("""
        with T.Kernel(1):
            S = T.alloc_shared((64, 64), 'float32')
            for k in T.Pipelined(4, num_stages=40):  # here
                T.copy(A, S)
                T.copy(S, C)
        """, "the loop expects num_stages to be at most 16, got 40"),
    "op_of_a_launch": ("""
        with T.Kernel(1, threads=33):  # here
            T.copy(A[0, 0:4], C[0, 0:4])
        """, "T.Kernel expects a positive multiple of 32 threads"),
    "function_of_numpy": ("""
        with T.Kernel(1):
            C[0, 0] = np.exp(x)  # here
        """, "numpy's exp of a float32, which only the kernel knows; use T.exp"),
    "tile_to_numpy": ("""
        with T.Kernel(1):
            S = T.alloc_shared((4,), 'float32')
            y = np.sum(S)  # here
        """, "numpy's sum of the shared tile S, which only the kernel knows"),
    "is_of_run_time": ("""
        with T.Kernel(1):
            if n is x:  # here
                C[0, 0] = 1
        """, "`is` of a value of run time; write =="),
    "return_in_kernel": ("""
        with T.Kernel(1):
            return n  # here
        """, "`return` in a kernel, whose threads go on to its end"),
    "yield": ("""
        with T.Kernel(1):
            yield n  # here
        """, "`yield` is not in the language"),
    "dimension_of_threads": ("""
        with T.Kernel(1):
            B[0] = T.get_thread_binding(5)  # here
        """, "T.get_thread_binding of dimension 5; there are 3"),
    "shape_index": ("""
        with T.Kernel(1):
            B[0] = A.shape[3]  # here
        """, r"`A.shape\[3\]` is index 3 of 2"),
    "blocks_as_a_number": ("""
        with T.Kernel(1, 2) as b:
            B[0] = b  # here
        """, "expected a number, got a tuple; name one of its parts"),
    "half_an_element": ("""
        with T.Kernel(1):
            for i in T.Parallel(64.0):  # here
                B[i] = 0
        """, "T.Parallel over 64.0 elements; a number of elements is an integer"),
    "no_effect": ("""
        with T.Kernel(1):
            y = n + 1
        """, "kernel has no effect: its kernels write to no tensor; store results with T.copy"),
    "unknown_member": ("""
        with T.Kernel(1):
            T.copi(A, C)  # here
        """, "T has no copi; is it T.copy?"),
    "unbound_after_if": ("""
        with T.Kernel(1):
            if n > 3:
                y = 1
            B[0] = y  # here
        """, "y has a value on one path only of the `if` at line \\d+; give it one before"),
    "unbound_after_loop": ("""
        with T.Kernel(1):
            for i in range(n):
                y = i
            B[0] = y  # here
        """, "y has a value only inside of the loop at line \\d+; give it one before the loop"),
    "loop_index_after_loop": ("""
        with T.Kernel(1):
            for i in range(n):
                B[i] = 0
            B[0] = i  # here
        """, "i has a value only inside of the loop"),
    "parallel_result": ("""
        with T.Kernel(1):
            s = 0.0
            for i in T.Parallel(64):
                s += A[0, i]
            C[0, 0] = s  # here
        """, "s is assigned in the T.Parallel at line \\d+, where each element has its own; .*T.reduce_sum"),
    "integer_division": ("""
        with T.Kernel(1):
            B[0] = n / 2  # here
        """, "`/` of two integers; use `//`"),
    "division_by_zero": ("""
        with T.Kernel(1):
            B[0] = n // 0  # here
        """, "division by zero"),
    "float_index": ("""
        with T.Kernel(1):
            B[0] = B[x]  # here
        """, "an index of B must be an integer, got a float; convert"),
    "too_many_indices": ("""
        with T.Kernel(1):
            B[0, 0] = 1  # here
        """, "2 indices of B, which has 1 dimension"),
    "index_outside": ("""
        with T.Kernel(1):
            S = T.alloc_shared((4, 8), 'float32')
            S[4, 0] = 1  # here
        """, "index 4 is outside of dimension 0 of S, which has 4"),
    "number_does_not_fit": ("""
        with T.Kernel(1):
            S = T.alloc_shared((4,), 'int8')
            S[0] = 300  # here
        """, "300 does not fit int8, which has -128 to 127"),
    "tile_arithmetic": ("""
        with T.Kernel(1):
            S = T.alloc_shared((4,), 'float32')
            D = S + S  # here
        """, "`\\+` of the shared tile S, which is no number; compute element by element in T.Parallel"),
    "tile_condition": ("""
        with T.Kernel(1):
            S = T.alloc_shared((4,), 'float32')
            if S:  # here
                B[0] = 1
        """, "the shared tile S is no condition; use T.any_of or T.all_of"),
    "matmul_operator": ("""
        with T.Kernel(1):
            y = A @ C  # here
        """, "`@` is not in the language; use T.gemm"),
    "copy_shapes": ("""
        with T.Kernel(1):
            S = T.alloc_shared((4, 8), 'float32')
            F = T.alloc_fragment((8, 4), 'float32')
            T.copy(S, F)  # here
        """, "T.copy of \\[4, 8\\] and \\[8, 4\\], which differ"),
    "copy_two_corners": ("""
        with T.Kernel(1):
            T.copy(B[0:n], B[n:n + n])  # here
        """, "the number of elements of a window of B is known at run time only; give both ends"),
    "copy_number": ("""
        with T.Kernel(1):
            S = T.alloc_shared((4, 8), 'float32')
            T.copy(1.0, S)  # here
        """, "T.copy needs a tile, a tensor or a window, got a float"),
    "slice_step": ("""
        with T.Kernel(1):
            S = T.alloc_shared((4,), 'float32')
            T.copy(A[0, 0:8:2], S)  # here
        """, "a window of A with step 2; write T.Parallel"),
    "gemm_shapes": ("""
        with T.Kernel(1):
            S = T.alloc_shared((64, 32), 'float16')
            F = T.alloc_fragment((64, 64), 'float32')
            T.gemm(S, S, F)  # here
        """, "T.gemm of 64 x 32 and 64 x 32 into 64 x 64"),
    "gemm_tensor": ("""
        with T.Kernel(1):
            F = T.alloc_fragment((64, 64), 'float32')
            T.gemm(A, C, F)  # here
        """, "T.gemm of the tensor A; T.copy it to a shared tile first"),
    "gemm_into_shared": ("""
        with T.Kernel(1):
            S = T.alloc_shared((64, 64), 'float16')
            F = T.alloc_shared((64, 64), 'float32')
            T.gemm(S, S, F)  # here
        """, "T.gemm into the shared tile F; make C with T.alloc_fragment"),
    "gemm_types": ("""
        with T.Kernel(1):
            S = T.alloc_shared((64, 64), 'bfloat16')
            F = T.alloc_fragment((64, 64), 'float16')
            T.gemm(S, S, F)  # here
        """, "cannot multiply bf16 by bf16 into f16"),
    "reduce_shape": ("""
        with T.Kernel(1):
            F = T.alloc_fragment((4, 8), 'float32')
            r = T.alloc_fragment((8,), 'float32')
            T.reduce_sum(F, r, dim=1)  # here
        """, "T.reduce_sum of \\[4, 8\\] along dimension 1 into \\[8\\], expected \\[4\\]"),
    "reduce_dimension": ("""
        with T.Kernel(1):
            F = T.alloc_fragment((4, 8), 'float32')
            r = T.alloc_fragment((4,), 'float32')
            T.reduce_sum(F, r, dim=2)  # here
        """, "T.reduce_sum along dimension 2 of 2"),
    "unwritten_fragment": ("""
        with T.Kernel(1):
            F = T.alloc_fragment((64, 64), 'float32')
            T.copy(F, C)  # here
        """, "reads a fragment that nothing has written"),
    "parallel_one_place": ("""
        with T.Kernel(1):
            for i in T.Parallel(64):
                B[0] = i  # here
        """, "stores to one place for all 64 values of parallel index 0"),
    "parallel_run_time_size": ("""
        with T.Kernel(1):
            for i in T.Parallel(n):  # here
                B[i] = 0
        """, "T.Parallel needs sizes that are known when the kernel is compiled; round up"),
    "parallel_names": ("""
        with T.Kernel(1):
            for i, j in T.Parallel(64):  # here
                B[i] = 0
        """, "the loop has 1 indices, got 2 names"),
    "copy_in_parallel": ("""
        with T.Kernel(1):
            S = T.alloc_shared((64,), 'int32')
            for i in T.Parallel(64):
                T.reduce_sum(S, S)  # here
        """, "T.reduce_sum is done by the whole block and cannot stand in T.Parallel"),
    "break_in_parallel": ("""
        with T.Kernel(1):
            for i in T.Parallel(64):  # here
                if B[i] > 0:
                    break
        """, "`break` in T.Parallel, whose elements are in no order"),
    "alloc_run_time": ("""
        with T.Kernel(1):
            S = T.alloc_shared((n, 4), 'float32')  # here
        """, "T.alloc_shared of a size that is known at run time only; tiles have constant sizes"),
    "bad_type": ("""
        with T.Kernel(1):
            S = T.alloc_shared((4,), 'float17')  # here
        """, "expected a data type, got 'float17'"),
    "python_condition": ("""
        def pick(v):
            return 1 if v else 2
        with T.Kernel(1):
            B[0] = sorted([n, 2])[0]  # here
        """, "a condition of run time decides here in Python code"),
    "python_list_index": ("""
        with T.Kernel(1):
            table = [1, 2, 3]
            B[0] = table[n]  # here
        """, "an index of run time into a list of Python; loop with T.unroll"),
    "python_range": ("""
        with T.Kernel(1):
            B[0] = sum([1 for _ in range(n)])  # here
        """, "an index of Python, such as that of a list or of range\\(\\) needs a number that is known"),
    "return_in_parallel": ("""
        with T.Kernel(1):
            for i in T.Parallel(64):  # here
                if B[i] > 0:
                    return
            B[0] = 1
        """, "`return` in T.Parallel, whose elements are in no order; use T.serial, or a condition"),
    "return_in_with": ("""
        with T.Kernel(1, threads=256):
            with T.ws(0):
                if n > 0:
                    return  # here
            B[0] = 1
        """, "`return` in a `with` under a condition or in a loop of run time; set a variable"),
    "return_of_tile": ("""
        @T.macro
        def first(m):
            for i in T.serial(m):  # here
                if B[i] > 3:
                    return B
            return B
        with T.Kernel(1):
            B[0] = first(n)[0]
        """, "a function returns a number on one path and something else on another"),
    "text_compared": ("""
        with T.Kernel(1):
            if n == 'causal':  # here
                B[0] = 1
        """, "`==` of an int32 and the text 'causal'; compare numbers"),
    "element_of_number": ("""
        with T.Kernel(1):
            n[0] = 1  # here
        """, "n is an int32, which has no elements; write `n = …`"),
    "list_of_tensor": ("""
        with T.Kernel(1):
            B[0] = min(B)  # here
        """, "the tensor B is no list of Python: it cannot be taken apart"),
    "searched_tile": ("""
        with T.Kernel(1):
            S = T.alloc_shared((4,), 'int32')
            B[0] = 3 in S  # here
        """, "the shared tile S is no list of Python"),
    "length_of_number": ("""
        with T.Kernel(1):
            B[0] = len(n)  # here
        """, "an int32 has no length"),
    "key_of_run_time": ("""
        with T.Kernel(1):
            B[0] = {1: 2}[n]  # here
        """, "a key of run time into a dict of Python; write `if` and `elif`"),
    "assigned_in_condition": ("""
        with T.Kernel(1):
            if n > 0 and (y := B[0]) > 0:  # here
                B[0] = y
        """, "`y := …` is computed under a condition of run time; write `y = …` before"),
    "layouts": ("""
        with T.Kernel(1):
            T.annotate_layout(3)  # here
        """, "T.annotate_layout of int; write T.annotate_layout"),
    "half_threads": ("""
        with T.Kernel(1, threads=256 / 2):  # here
            B[0] = 1
        """, "128.0 threads; a number of threads is an integer"),
    "one_index": ("""
        with T.Kernel(2) as (bx, by):  # here
            B[bx] = 1
        """, "an int32 cannot be taken apart into 2 names; a grid with one number of blocks"),
    "thread_binding": ("""
        with T.Kernel(1, threads=64):
            tx = T.thread_binding(0, 128, thread="threadIdx.x")  # here
            B[0] = tx
        """, "T.thread_binding of 128 threads; the block has 64"),
    "return_of_two_kinds": ("""
        @T.macro
        def first(m):
            if m > 0:
                return m
        with T.Kernel(1):
            B[0] = first(n)  # here
        """, "first returns a number on one path and something else on another"),
    "try": ("""
        with T.Kernel(1):
            try:  # here
                B[0] = 1
            except ValueError:
                pass
        """, "`try` is not in the language of kernels"),
    "for_else": ("""
        with T.Kernel(1):
            for i in range(n):  # here
                B[0] = 1
            else:
                B[1] = 1
        """, "`for … else` is not in the language; set a variable before `break`"),
    "loop_over_tile": ("""
        with T.Kernel(1):
            for v in B:  # here
                pass
        """, "a loop goes through the tensor B; loop over indices"),
    "tile_changes_in_loop": ("""
        with T.Kernel(1):
            S = T.alloc_shared((4,), 'float32')
            D = T.alloc_shared((4,), 'float32')
            for i in range(n):
                S = D
            S[0] = 1  # here
        """, "S stands for something else in the loop at line \\d+; only numbers can change"),
    "kernel_in_kernel": ("""
        with T.Kernel(1):
            with T.Kernel(1):  # here
                pass
        """, "a T.Kernel in a T.Kernel; write one after the other"),
    "float_blocks": ("""
        with T.Kernel(64 / 2):  # here
            pass
        """, "a number of blocks must be an integer, got a float; use `//` or T.ceildiv"),
    "many_threads": ("""
        with T.Kernel(1, threads=2048):  # here
            pass
        """, "2048 threads in a block, which has 1 to 1024"),
    "outside_of_kernel": ("""
        T.clear(C)  # here
        with T.Kernel(1):
            pass
        """, "T.fill stands outside of a kernel; put it under `with T.Kernel"),
    "value_of_kernel": ("""
        with T.Kernel(1) as b:
            y = b + 1
        with T.Kernel(y):  # here
            pass
        """, "y has a value in the kernel only"),
    "static_assert": ("""
        with T.Kernel(1):
            assert 1 > 2, "sizes"  # here
        """, "assertion failed: sizes"),
    "string_of_run_time": ("""
        with T.Kernel(1):
            text = f"{n}"  # here
        """, "a value of run time in a string; T.print shows values"),
    "assign_shape": ("""
        with T.Kernel(1):
            A.shape = 3  # here
        """, "`A.shape` cannot be assigned"),
    "call_number": ("""
        with T.Kernel(1):
            y = n(3)  # here
        """, "a Value cannot be called"),
    "missing_argument": ("""
        def f(a, b):
            return a + b
        with T.Kernel(1):
            B[0] = f(n)  # here
        """, "f misses the argument b"),
    "endless_recursion": ("""
        def f(a):
            return f(a + 1)  # here
        with T.Kernel(1):
            B[0] = f(n)
        """, "calls of f are nested more than \\d+ deep; a recursion must end"),
    "infinity_of_f8": ("""
        with T.Kernel(1):
            S = T.alloc_shared((4,), 'float8_e4m3fn')
            T.fill(S, float("inf"))  # here
        """, "float8_e4m3fn has no infinity"),
    "list_in_branch": ("""
        with T.Kernel(1):
            values = [1]
            if n > 0:
                values.append(2)  # here
            B[0] = len(values)
        """, "a list of Python changes under a condition or in a loop of run time; use T.alloc_var"),
    "dict_in_loop": ("""
        with T.Kernel(1):
            values = {}
            for i in range(n):
                values[0] = i  # here
            B[0] = 1
        """, "a dict of Python changes under a condition or in a loop of run time"),
    "list_of_outside": ("""
        def note(v):
            SEEN.append(v)  # here
            return v
        with T.Kernel(1):
            for i in range(n):
                B[i] = note(i)
        """, "a list of Python changes under a condition or in a loop of run time"),
    "nonlocal_in_branch": ("""
        with T.Kernel(1):
            y = 1
            def f():
                nonlocal y
                y = 2  # here
            if n > 0:
                f()
            B[0] = y
        """, "`nonlocal y` is assigned under a condition or in a loop of run time"),
    "shared_too_large": ("""
        with T.Kernel(1):  # here
            S = T.alloc_shared((64, 64, 64), 'float32')
            T.clear(S)
        """, "shared memory"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistake(name, module, one_target):
    import tile

    body, message = MISTAKES[name]
    text = HEAD + textwrap.indent(textwrap.dedent(body).strip("\n"), "    ") + "\n"
    made = module(text)
    with pytest.raises(tile.CompileError) as caught:
        tile.compile(made.kernel).image()
    error = caught.value
    assert re.search(message, str(error)), str(error)
    lines = open(made.__file__).read().splitlines()
    wanted = [i for i, line in enumerate(lines, 1) if line.endswith("# here")]
    if wanted:
        assert error.location is not None and error.location.file == made.__file__
        assert error.location.line == wanted[0], str(error)
        assert "^" in str(error)


def test_forty():
    assert len(MISTAKES) >= 40


EAGER = """
@tile.jit
def f(A, block=4):
    M, N, K = T.const("M, N, K")
    A: T.Tensor((M, N), "float32")
    B = T.empty((M, N), "float32")
    with T.Kernel(1, threads=32) as b:
        T.copy(A[0:4, 0:8], B[0:4, 0:8])
    return B
"""
A = np.zeros((4, 8), np.float32)


@pytest.mark.parametrize("call, old, new, message", [
    (lambda f: f(A), '    A: T.Tensor((M, N), "float32")', "",
     "A is a tensor, but the function does not say which; write `A: T.Tensor"),
    (lambda f: f(A.astype(np.float64)), "", "", "argument A: expected elements of float32, got float64"),
    (lambda f: f(A[0]), "", "", "A has 1 dimensions, expected 2"),
    (lambda f: f(A), "(M, N)", "(M, M)", "size 1 of A is 8, expected 4"),
    (lambda f: f(), "", "", "f: missing a required argument: 'A'"),
    (lambda f: f(None), "", "", "f: argument A: expected a tensor, got None"),
    (lambda f: f([[1.0]]), "", "", r"f: argument A: expected a tensor, got \[\[1.0\]\]"),
    (lambda f: f(A, blok=5), "", "", "got an unexpected keyword argument 'blok'"),
    (lambda f: f.compile(), "", "", "the size M of A is not known; give M="),
    (lambda f: f.compile(M=4, N=8, Q=3), "", "", "f has no argument and no size Q"),
    (lambda f: f(A), "T.empty((M, N)", "T.empty((M, K)", "the size K of a tensor of T.empty is not known"),
    (lambda f: f(A), "M, N, K =", "M, N =", "3 values for 2 names"),
    (lambda f: f(A), "return B", "return 3", "f returns something that is no tensor"),
])
def test_eager(call, old, new, message, module, one_target):
    import tile

    with pytest.raises(tile.TileError, match=message):
        call(module(EAGER.replace(old, new, 1) if old else EAGER).f)


def test_words_of_the_compiler():
    from tile.runtime.wording import in_words

    assert in_words("'tile.gemm' op cannot multiply") == "T.gemm cannot multiply"
    assert in_words("reads it: tile.fill it first") == "reads it: T.fill it first"
    assert in_words("'memref.store' op leaves") == "the store leaves"
    # What has no word stays; names of passes and files are no ops.
    for text in ("'tile.turn' op", "[tile-verify/not-initialised]", "a tile.py", "tile.layout"):
        assert in_words(text) == text


CALLS = """
m = T.dynamic("m")

@T.prim_func
def kernel(A: T.Tensor((m, 8), 'float32'), B: T.Tensor((m,), 'int32'), n: T.int32):
    with T.Kernel(1, threads=32):
        T.print(n)
"""


@pytest.mark.parametrize("change, message", [
    ({"A": np.zeros((4, 9), np.float32)}, "argument A: expected size 8 in dimension 1"),
    ({"A": np.zeros((4, 8), np.float64)}, "argument A: expected elements of float32, got float64"),
    ({"A": np.zeros(4, np.float32)}, "argument A: expected 2 dimensions, got shape"),
    ({"A": np.zeros((8, 4), np.float32).T}, "argument A: expected rows without gaps.*ascontig"),
    ({"A": 3}, "argument A: expected a tensor, got 3"),
    ({"B": np.zeros(5, np.int32)}, "argument B: size 0 is 5, but m is 4"),
    ({"n": 2.5}, "argument n: expected an int32, got 2.5"),
    ({"n": 2**40}, "argument n: 1099511627776 does not fit int32"),
    ({"n": "x"}, "argument n: expected a number, got str"),
    ({"q": 1}, "has no argument q; it has A, B, n"),
])
def test_call(change, message, module, one_target):
    import tile

    kernel = tile.compile(module(CALLS).kernel)
    arguments = {"A": np.zeros((4, 8), np.float32), "B": np.zeros(4, np.int32), "n": 1, **change}
    with pytest.raises(tile.ArgumentError, match=message):
        kernel(**arguments)


def test_missing_argument(module, one_target):
    import tile

    with pytest.raises(tile.ArgumentError, match="misses B, n"):
        tile.compile(module(CALLS).kernel)(np.zeros((4, 8), np.float32))


RACE = """
@T.prim_func
def race(A: T.Tensor((64,), 'float32')):
    with T.Kernel(2, threads=64) as b:
        for i in T.Parallel(64):
            A[i] = b  # here


@T.prim_func
def failing(A: T.Tensor((64,), 'float32')):
    with T.Kernel(1, threads=64):
        T.device_assert(A[3] > 0, "A[3] is positive")  # here
"""


@pytest.mark.parametrize("name, kind, message", [
    ("race", "RaceError", "was already written by CTA"),
    ("failing", "AssertionFailedError", r"A\[3\] is positive")])
def test_findings(name, kind, message, module, one_target):
    import tile

    made = module(RACE)
    with pytest.raises(getattr(tile, kind), match=message) as caught:
        tile.compile(getattr(made, name))(np.zeros(64, np.float32))
    lines = open(made.__file__).read().splitlines()
    places = {f.location.line for f in caught.value.findings if f.location}
    assert any(lines[p - 1].endswith("# here") for p in places)


@pytest.mark.parametrize("body, cure", [
    ("with Kernel(1, threads=32):\n    pass", "is it T.Kernel?"),
    ("with T.Kernel(1, threads=32) as block:\n    A[blok, 0] = 1.0", "is it block?"),
    ("with T.Kernel(1, threads=32):\n    A[bx, 0] = 1.0", "name it after `as`"),
    ("with T.Kernel(1, threads=32) as b:\n    S = T.alloc_shared((1024, 64), 'float32')\n"
     "    T.clear(S)\n    T.copy(S, A)", "use smaller tiles, or fewer stages"),
    ("with T.Kernel(1, threads=32) as b:\n    S = T.alloc_shared((64, 64), 'float32')\n"
     "    if T.get_thread_binding() < 5:\n        T.copy(A, S)\n    T.copy(S, A)",
     "test what the whole block has in common"),
    ("with T.Kernel(1, threads=32) as b:\n    S = T.alloc_shared((64, 32), 'float32')\n"
     "    R = T.alloc_shared((32, 32), 'float32')\n    T.clear(S)\n    T.copy(S, R)",
     "name a window of the larger one"),
    ("with T.Kernel(1, threads=32) as b:\n    try:\n        A[0, 0] = 1.0\n    except: pass",
     "test before"),
    ("with T.Kernel(1, 2, threads=32) as (x, y, z):\n    A[0, 0] = 1.0",
     "name as many as there are"),
])
def test_cures(module, one_target, body, cure):
    """Typical mistakes: each has a line, and what helps."""
    text = "@tile.jit\ndef f(A):\n    A: T.Tensor((64, 64), 'float32')\n"
    m = module(text + "".join(f"    {line}\n" for line in body.splitlines()))
    with pytest.raises(tile.CompileError) as caught:
        m.f.compile(np.zeros((64, 64), np.float32)).image()
    assert cure in (caught.value.cure or "") and caught.value.location.line > 5


# -- Where Python runs a function itself --------------------------------------

@pytest.mark.parametrize("text, line, message", [
    ("""
    @tile.jit
    def k(A):
        A: T.Tensor((64,), "float32")
        for i in T.Parallel(64):
            A[i] = 1.0
    """, 9, "a T.Parallel loop outside of a kernel; put it under `with T.Kernel"),
    ("""
    def k(A):
        B = T.alloc_shared((64,), "float32")
    """, 7, "this is for kernels"),
    ("""
    def k(A):
        T.copy(A, A)
    """, 7, "this is for kernels"),
    ("""
    @tile.jit
    def k(A):
        M, N = T.const("M")
        A: T.Tensor((M, N), "float32")
        with T.Kernel(1) as b:
            A[0, 0] = 1.0
    """, 8, 'M is one size, and cannot be taken apart; name each: M, N = T.const("M, N")'),
], ids=["no kernel", "allocation", "copy", "one size"])
def test_lines_outside_of_kernels(one_target, module, text, line, message):
    made = module(text)
    with pytest.raises(tile.CompileError) as error:
        made.k(np.zeros(64, np.float32))
    assert message in str(error.value)
    assert error.value.location.line == line, str(error.value)


def test_a_module_that_nobody_imported(one_target, module):
    made = module("""
        @tile.jit
        def k(A):
            A: T.Tensor((4,), "float32")
            with T.Kernel(1) as b:
                A[0] = math.pi
        """)
    with pytest.raises(tile.CompileError, match="write `import math` at the top of the file"):
        made.k(np.zeros(4, np.float32))


@pytest.mark.parametrize("name, cure", [("sum()", "use T.reduce_sum"), ("T", "use T.transpose"),
                                        ("half()", "use T.copy, which converts")])
def test_methods_of_arrays(one_target, module, name, cure):
    made = module(f"""
        @tile.jit
        def k(A):
            A: T.Tensor((4,), "float32")
            with T.Kernel(1) as b:
                A[0] = A.{name}
        """)
    with pytest.raises(tile.CompileError, match=cure):
        made.k(np.zeros(4, np.float32))
