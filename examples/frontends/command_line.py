"""The command line of the scripts that make linalg of a front end's models: the text of a
model, or a comparison of what the emulator computes with what the front end does."""

import argparse
import os
import subprocess
import sys
import tempfile

import numpy as np


def main(description, models, linalg_of, numbers_of):
    """`linalg_of(name)` is the text of a model. `numbers_of(name)` are its arguments, each
    an array of f32 and the name of its element type, and the result that is expected."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("model", choices=sorted(models))
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--target", default="sm_90a")
    options = parser.parse_args()
    text = linalg_of(options.model)
    if not options.check:
        print(text, end="")
    elif not check(options.model, text, *numbers_of(options.model), options.target):
        sys.exit(1)


def check(name, text, arguments, expected, target):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, name + ".mlir")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        subprocess.run(["tile-compile", path, "--target=" + target, "--no-remarks",
                        "-o", folder], check=True)
        command = ["tile-run", os.path.join(folder, "main.json"), "--emulate"]
        for i, (values, dtype) in enumerate(arguments):
            np.save("%s/%d.npy" % (folder, i), values)
            command.append("%s/%d.npy:%s" % (folder, i, dtype))
        command += ["--save", "%d=%s/out.npy" % (len(arguments), folder)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        got = np.load(folder + "/out.npy")
    error = np.abs(got - expected) / np.maximum(np.abs(expected), 1)
    print("%s %s: largest relative error %.3g" % (name, target, error.max()))
    return error.max() < 0.02
