"""The language of kernels: `import tile.language as T`."""

from tile.dtypes import BY_NAME as _BY_NAME
from tile.dtypes import DType as dtype
from tile.frontend.program import PrimFunc, macro, prim_func
from tile.frontend.types import TensorFactory as _TensorFactory
from tile.language import math as _math
from tile.language.atomics import (
    atomic_add, atomic_addx2, atomic_addx4, atomic_and, atomic_load, atomic_max, atomic_min,
    atomic_or, atomic_store)
from tile.language.barriers import (
    alloc_barrier, annotate_consumer_reg_alloc, annotate_producer_reg_dealloc, async_copy,
    barrier_arrive, barrier_wait, cp_async_barrier_noinc, cp_async_commit, cp_async_wait,
    disable_warp_group_reg_alloc, mbarrier_arrive, mbarrier_expect_tx, mbarrier_wait_parity,
    ptx_commit_group, ptx_wait_group, set_max_nreg, tma_copy, wait_wgmma, wgmma_gemm, ws)
from tile.language.clusters import block_rank_in_cluster, cluster_sync, remote
from tile.language.debug import assume, device_assert, print
from tile.language.kernel import (
    Kernel, func_attr, alloc_fragment, alloc_global, alloc_local, alloc_shared, alloc_var,
    annotate_l2_hit_ratio, annotate_layout,
    annotate_min_blocks_per_sm, annotate_restrict_buffers, annotate_safe_value,
    get_block_binding, get_block_bindings, get_block_extent, get_thread_binding,
    get_thread_bindings, get_thread_extent, thread_binding, use_swizzle)
from tile.language.loops import Parallel, Persistent, Pipelined, grid, serial, unroll, vectorized
from tile.language.math import (
    And, Not, Or, Select, abs, acos, asin, atan, atan2, bitwise_and, bitwise_not, bitwise_or,
    bitwise_xor, Cast, cast, ceil, ceildiv, clamp, clz, copysign, cos, cosh, erf, exp, exp2, expm1,
    floor, floordiv, floormod, fma, if_then_else, infinity, isfinite, isinf, isnan, log, log1p,
    log2, log10, max, max_value, min, min_value, nearbyint, popcount, pow, reinterpret, round,
    rsqrt, shift_left, shift_right, sigmoid, sin, sinh, sqrt, tan, tanh, trunc, truncdiv,
    truncmod)
from tile.language.launches import pdl_sync, pdl_trigger, sync_grid
from tile.language.threads import (
    all_sync, any_sync, ballot, ballot_sync, fence_proxy_async, get_lane_idx, get_warp_group_idx,
    get_warp_idx, shfl_down, shfl_sync, shfl_up, shfl_xor, shuffle_elect, sync_threads, sync_warp,
    warp_reduce_max, warp_reduce_min, warp_reduce_sum)
from tile.language.outside import FUNCTIONS as _OUTSIDE
from tile.language.random import rng_init, rng_rand, rng_rand_float
from tile.language.reducers import alloc_reducer, finalize_reducer
from tile.language.tables import make_tensor, ptr
from tile.language.symbolic import const, dynamic, empty, symbolic
from tile.layout import Fragment, Layout, make_swizzled_layout
from tile.language.tiles import (
    GemmWarpPolicy, all_of, any_of, c2d_im2col, clear, copy, cummax, cumsum, fill, gemm, gemm_sp,
    reduce_abssum, reduce_absmax, reduce_bitand, reduce_bitor, reduce_bitxor, reduce_max,
    reduce_min, reduce_sum, reshape, transpose, view)

Tensor = Buffer = _TensorFactory("Tensor")
SharedBuffer = FragmentBuffer = LocalBuffer = _TensorFactory("Buffer")  # annotations of macros
StridedTensor = _TensorFactory("StridedTensor", must_have_strides=True)

Serial, Unroll, Vectorized, parallel = serial, unroll, vectorized, Parallel
im2col, alloc_buffer = c2d_im2col, alloc_global
fabs = abs
no_set_max_nreg = disable_warp_group_reg_alloc
bool, int8, int16, int32, int64 = (_BY_NAME[n] for n in (
    "bool", "int8", "int16", "int32", "int64"))
uint8, uint16, uint32, uint64 = (_BY_NAME[n] for n in ("uint8", "uint16", "uint32", "uint64"))
float16, bfloat16, float32, tfloat32, float64 = (_BY_NAME[n] for n in (
    "float16", "bfloat16", "float32", "tfloat32", "float64"))
float8_e4m3fn, float8_e5m2, float8_e8m0fnu, float4_e2m1fn = (_BY_NAME[n] for n in (
    "float8_e4m3fn", "float8_e5m2", "float8_e8m0fnu", "float4_e2m1fn"))
int4, uint4 = _BY_NAME["int4"], _BY_NAME["uint4"]
half, float, double, int, uint = float16, float32, float64, int32, uint32
float8_e4m3 = e4m3_float8 = float8_e4m3fn
e5m2_float8 = float8_e5m2
globals().update(_OUTSIDE)
for _name in ("exp", "exp2", "log", "log2", "log10", "sin", "cos", "tan"):
    globals()["__" + _name] = getattr(_math, "__" + _name)
