#!/usr/bin/env python3
"""Models in PyTorch as linalg files for tile-compile.

    pip install torch onnxscript onnx iree-base-compiler
    from_torch.py convnet > torch_convnet.mlir     linalg of one of the models below
    from_torch.py --check convnet                  compiles it, runs it on the emulator
                                                   and compares with PyTorch

torch.onnx.export writes ONNX, iree-import-onnx and iree-compile make linalg on
tensors of it. Weights are arguments here, so that the files stay small; those of a
module are constants in the file."""

import argparse
import os
import subprocess
import sys
import tempfile

import numpy as np
import torch
from torch.nn import functional as F

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
        path = os.path.join(folder, "model.")
        torch.onnx.export(Model(MODELS[name][0]), tuple(arguments_of(name)), path + "onnx",
                          verbose=False)
        subprocess.run(["iree-import-onnx", path + "onnx", "-o", path + "mlir"], check=True)
        with open(path + "mlir", encoding="utf-8") as file:
            return linalg_text.lower(file.read(), "onnx")


def check(name, target):
    function, dtype, _ = MODELS[name]
    values = arguments_of(name)
    expected = function(*(value.double() for value in values)).numpy()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, name + ".mlir")
        with open(path, "w", encoding="utf-8") as file:
            file.write(linalg_of(name))
        subprocess.run(["tile-compile", path, "--target=" + target, "--no-remarks",
                        "-o", folder], check=True)
        command = ["tile-run", os.path.join(folder, "main.json"), "--emulate"]
        for i, value in enumerate(values):
            np.save("%s/%d.npy" % (folder, i), value.float().numpy())
            command.append("%s/%d.npy:%s" % (folder, i, NAMES[dtype]))
        command += ["--save", "%d=%s/out.npy" % (len(values), folder)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        got = np.load(folder + "/out.npy")
    error = np.abs(got - expected) / np.maximum(np.abs(expected), 1)
    print("%s %s: largest relative error %.3g" % (name, target, error.max()))
    return error.max() < 0.02


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("model", choices=sorted(MODELS))
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--target", default="sm_90a")
    options = parser.parse_args()
    if not options.check:
        print(linalg_of(options.model), end="")
    elif not check(options.model, options.target):
        sys.exit(1)


if __name__ == "__main__":
    main()
