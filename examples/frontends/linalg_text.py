"""What iree-compile --compile-to=input prints, as a module for tile-compile: the
functions of IREE's util dialect become func.func, and what hands tensors over to
IREE's runtime goes."""

import os
import re
import subprocess
import tempfile


def lower(text, kind):
    """Linalg text of a module of `kind` ("stablehlo" or "onnx")."""
    # JAX names an algorithm of products that IREE does not know; sums of narrow
    # floats are f32 without it, too.
    text = re.sub(r", algorithm = <[^>]*>", "", text)
    # Bits of truths are packed in hexadecimal text by some versions of MLIR.
    command = ["iree-compile", "--compile-to=input", "--iree-input-type=" + kind,
               "--mlir-print-elementsattrs-with-hex-if-larger=-1", "-"]
    run = subprocess.run(command, input=text, capture_output=True, text=True)
    if run.returncode:
        raise SystemExit("iree-compile: " + run.stderr.strip()[:2000])
    return tidy(run.stdout)


def of_onnx(model):
    """Linalg text of the ONNX model in a file."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.mlir")
        subprocess.run(["iree-import-onnx", model, "-o", path], check=True)
        with open(path, encoding="utf-8") as file:
            return lower(file.read(), "onnx")


def tidy(text):
    text = without_runtime(text) if "hal." in text else text
    for name in ("func", "return", "call"):
        text = re.sub(r"\butil\.%s\b" % name, "func." + name, text)
    return text


def extent(types, indent, value, argument, dim):
    """An extent of an argument, as an op of tensors."""
    return ("%s%s_at = arith.constant %s : index\n%s%s = tensor.dim %s, %s_at : %s"
            % (indent, value.replace("%", "%of_"), dim, indent, value, argument,
               value.replace("%", "%of_"), types[argument]))


def without_runtime(text):
    """The function between hal.tensor.import and hal.tensor.export, as @main."""
    match = re.search(r"^  util\.func public @\S+\$async\((.*?)\) -> .*?\{\n(.*?)^  \}",
                      text, re.M | re.S)
    body = match.group(2)
    names, types = {}, {}
    for value, argument, tensor in re.findall(
            r"(%\S+) = hal\.tensor\.import .*?=> (%\S+) : \S+ -> (tensor<\S+>)", body):
        names[value], types[argument] = argument, tensor
    for results, sources in re.findall(
            r"(%\S+) = hal\.tensor\.barrier join\((.*?) :", body):
        names[results] = sources
    returned = []
    for value, source, tensor in re.findall(
            r"(%\S+) = hal\.tensor\.export (%\S+?) .*?: (tensor<\S+>)(?:\{.*?\})? ->", body):
        returned.append((names.get(source, source), tensor))
    body = re.sub(r"^( *)(%\S+) = hal\.buffer_view\.dim<(%\S+) : \S+>\[(\d+)\] : index",
                  lambda found: extent(types, *found.groups()), body, flags=re.M)
    lines = [line for line in body.splitlines()
             if "hal." not in line and "util.return" not in line]
    body = "\n".join(lines)
    for value in sorted(names, key=len, reverse=True):
        body = re.sub(re.escape(value) + r"(?![\w$.])", names[value], body)
    arguments = ", ".join("%s: %s" % item for item in sorted(types.items()))
    return "module {\n  func.func @main(%s) -> (%s) {\n%s\n    return %s : %s\n  }\n}\n" % (
        arguments, ", ".join(t for _, t in returned), body,
        ", ".join(v for v, _ in returned), ", ".join(t for _, t in returned))
