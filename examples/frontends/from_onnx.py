#!/usr/bin/env python3
"""An ONNX model as a linalg file for tile-compile.

    pip install onnx iree-base-compiler
    from_onnx.py model.onnx > model.mlir

iree-import-onnx reads the file, iree-compile makes linalg on tensors of it. The
function is @main; weights are in it."""

import os
import subprocess
import sys
import tempfile

import linalg_text


def main():
    if len(sys.argv) != 2 or sys.argv[1] in ("-h", "--help"):
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.mlir")
        subprocess.run(["iree-import-onnx", sys.argv[1], "-o", path], check=True)
        with open(path, encoding="utf-8") as file:
            print(linalg_text.lower(file.read(), "onnx"), end="")


if __name__ == "__main__":
    main()
