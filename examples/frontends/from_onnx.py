#!/usr/bin/env python3
"""An ONNX model as a linalg file for tile-compile.

    pip install onnx iree-base-compiler
    from_onnx.py model.onnx > model.mlir

iree-import-onnx reads the file, iree-compile makes linalg on tensors of it. The
function is @main; weights are in it."""

import sys

import linalg_text


def main():
    if len(sys.argv) != 2 or sys.argv[1] in ("-h", "--help"):
        sys.exit(__doc__)
    print(linalg_text.of_onnx(sys.argv[1]), end="")


if __name__ == "__main__":
    main()
