#!/usr/bin/env python3
"""Models in PyTorch as linalg files for tile-compile.

    pip install torch onnxscript onnx iree-base-compiler
    from_torch.py convnet > torch_convnet.mlir     linalg of one of the models below
    from_torch.py --check convnet                  compiles it, runs it on the emulator
                                                   and compares with PyTorch

torch.onnx.export writes ONNX, iree-import-onnx and iree-compile make linalg on
tensors of it. Weights are arguments here, so that the files stay small; those of a
module are constants in the file."""

import os
import tempfile

import numpy as np
import torch
from torch.nn import functional as F

import command_line
import linalg_text


def convnet(x, w1, b1, w2, w3):
    h = F.max_pool2d(F.relu(F.conv2d(x, w1, b1, padding=1)), 2)
    h = F.relu(F.conv2d(h, w2, stride=2, padding=1))
    return h.mean((2, 3)) @ w3


def encoder(x, wqkv, wo, w1, b1, w2):
    batch, length, width = x.shape
    h = F.layer_norm(x, (width,))
    q, k, v = (t.reshape(batch, length, 2, width // 2).transpose(1, 2)
               for t in (h @ wqkv).chunk(3, dim=-1))
    a = F.scaled_dot_product_attention(q, k, v)
    x = x + a.transpose(1, 2).reshape(batch, length, width) @ wo
    return x + F.gelu(F.layer_norm(x, (width,)) @ w1 + b1) @ w2


# The arguments: shape and deviation of the numbers of --check.
MODELS = {
    "convnet": (convnet, torch.float16, [
        ((2, 3, 12, 12), 1), ((16, 3, 3, 3), .3), ((16,), 1), ((24, 16, 3, 3), .1),
        ((24, 10), .3)]),
    "encoder": (encoder, torch.float16, [
        ((2, 40, 64), 1), ((64, 192), .1), ((64, 64), .1), ((64, 128), .1), ((128,), .1),
        ((128, 64), .1)]),
}
NAMES = {torch.float16: "f16", torch.float32: "f32"}


class Model(torch.nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *arguments):
        return self.function(*arguments)


def arguments_of(name):
    _, dtype, arguments = MODELS[name]
    random = np.random.default_rng(0)
    return [torch.tensor(random.standard_normal(shape) * scale).to(dtype)
            for shape, scale in arguments]


def linalg_of(name):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.onnx")
        torch.onnx.export(Model(MODELS[name][0]), tuple(arguments_of(name)), path,
                          verbose=False)
        return linalg_text.of_onnx(path)


def numbers_of(name):
    function, dtype, _ = MODELS[name]
    values = arguments_of(name)
    expected = function(*(value.double() for value in values)).numpy()
    return [(value.float().numpy(), NAMES[dtype]) for value in values], expected


if __name__ == "__main__":
    command_line.main(__doc__.split("\n")[0], MODELS, linalg_of, numbers_of)
