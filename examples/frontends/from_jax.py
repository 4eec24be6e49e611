#!/usr/bin/env python3
"""Models in JAX as linalg files for tile-compile.

    pip install jax iree-base-compiler
    from_jax.py block > block.mlir        linalg of one of the models below
    from_jax.py --check block             compiles it, runs it on the emulator
                                          and compares with what JAX computes

JAX prints StableHLO, and iree-compile makes linalg on tensors of it."""

import jax
import jax.numpy as jnp
import numpy as np

import command_line
import linalg_text

bf16, f32 = jnp.bfloat16, jnp.float32


def linear_gelu(x, w, b):
    return jax.nn.gelu(x @ w + b)


def mlp(x, w, b, v):
    return jax.nn.gelu(x @ w + b) @ v + x


def rms_norm(x, g):
    y = x.astype(f32)
    return (y * jax.lax.rsqrt((y * y).mean(-1, keepdims=True) + 1e-6) * g).astype(x.dtype)


def attention(q, k, v):
    s = jnp.einsum("bqhd,bkhd->bhqk", q, k, preferred_element_type=f32)
    p = jax.nn.softmax(s / np.sqrt(q.shape[-1]), axis=-1).astype(q.dtype)
    return jnp.einsum("bhqk,bkhd->bqhd", p, v)


def attention_causal(q, k, v):
    s = jnp.einsum("bqhd,bkhd->bhqk", q, k, preferred_element_type=f32) / np.sqrt(q.shape[-1])
    rows, columns = jnp.arange(q.shape[1])[:, None], jnp.arange(k.shape[1])
    p = jax.nn.softmax(jnp.where(rows >= columns, s, -jnp.inf), axis=-1).astype(q.dtype)
    return jnp.einsum("bhqk,bkhd->bqhd", p, v)


def attention_gqa(q, k, v):
    return jax.nn.dot_product_attention(q, k, v, is_causal=True)


def block(x, g1, wqkv, wo, g2, w1, w2, heads=4):
    batch, length, width = x.shape
    q, k, v = (t.reshape(batch, length, heads, width // heads)
               for t in jnp.split(rms_norm(x, g1) @ wqkv, 3, axis=-1))
    x = x + attention(q, k, v).reshape(batch, length, width) @ wo
    return x + jax.nn.gelu(rms_norm(x, g2) @ w1) @ w2


def convolve(x, w):
    return jax.lax.conv_general_dilated(x, w, (1, 1), "SAME",
                                        dimension_numbers=("NHWC", "HWIO", "NHWC"))


def convnet(x, w1, w2, w3):
    h = jax.nn.relu(convolve(x, w1))
    h = jax.lax.reduce_window(h, -jnp.inf, jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
    return jax.nn.relu(convolve(h, w2)).mean((1, 2)) @ w3


# The arguments: shape, element type, deviation of the numbers of --check.
MODELS = {
    "linear_gelu": (linear_gelu, [((70, 64), bf16, 1), ((64, 90), bf16, .1), ((90,), bf16, 1)]),
    "mlp": (mlp, [((40, 64), bf16, 1), ((64, 128), bf16, .1), ((128,), bf16, 1),
                  ((128, 64), bf16, .1)]),
    "attention": (attention, [((2, 40, 4, 32), bf16, 1), ((2, 50, 4, 32), bf16, 1),
                              ((2, 50, 4, 32), bf16, 1)]),
    "attention_causal": (attention_causal, [((1, 50, 4, 32), bf16, 1)] * 3),
    "attention_gqa": (attention_gqa, [((2, 40, 6, 32), bf16, 1), ((2, 40, 2, 32), bf16, 1),
                                      ((2, 40, 2, 32), bf16, 1)]),
    "block": (block, [((2, 48, 64), bf16, 1), ((64,), f32, 1), ((64, 192), bf16, .1),
                      ((64, 64), bf16, .1), ((64,), f32, 1), ((64, 128), bf16, .1),
                      ((128, 64), bf16, .1)]),
    "convnet": (convnet, [((2, 12, 12, 3), f32, 1), ((3, 3, 3, 16), f32, 1),
                          ((3, 3, 16, 32), f32, .1), ((32, 10), f32, 1)]),
}


def linalg_of(name):
    function, arguments = MODELS[name]
    shapes = [jax.ShapeDtypeStruct(shape, dtype) for shape, dtype, _ in arguments]
    text = str(jax.jit(function).lower(*shapes).compiler_ir("stablehlo"))
    return linalg_text.lower(text, "stablehlo")


def numbers_of(name):
    function, arguments = MODELS[name]
    random = np.random.default_rng(0)
    values = [jnp.asarray(random.standard_normal(shape) * scale, dtype)
              for shape, dtype, scale in arguments]
    expected = np.asarray(function(*values).astype(f32))
    return [(np.asarray(value.astype(f32)), "bf16" if value.dtype == bf16 else "f32")
            for value in values], expected


if __name__ == "__main__":
    command_line.main(__doc__.split("\n")[0], MODELS, linalg_of, numbers_of)
