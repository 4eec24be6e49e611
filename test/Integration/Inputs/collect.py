"""With TILE_COLLECT=FOLDER, kernels.py notes every kernel that a test compiles and
runs, for sync-mutants.py and gpu-same.py, and runs each with the first seed only:

    FOLDER/TEST/NUMBER/source.mlir     what was compiled
    FOLDER/TEST/NUMBER/kernel.json     target, options of tile-compile, and the runs:
                                       functions with their arguments
    FOLDER/TEST/NUMBER/ARGUMENT.npy

TEST is the name of the test, NUMBER counts what it compiled for any target."""

import hashlib
import json
import os
import re

FOLDER = os.environ.get("TILE_COLLECT")

_compiled = {}  # folder of outputs: that of the kernel
_results = {}   # text of a run: what it returned


def _digest(data):
    return hashlib.sha256(data).hexdigest()[:16]


def _read(folder):
    with open(os.path.join(folder, "kernel.json"), encoding="utf-8") as file:
        return json.load(file)


def _write(folder, kernel):
    with open(os.path.join(folder, "kernel.json"), "w", encoding="utf-8") as file:
        json.dump(kernel, file, indent=1)


def note_compile(path, target, out, options):
    """The runs of what lies in `out` are runs of this file from now on."""
    # The last one: the test that collects has a folder of outputs around theirs.
    test = re.search(r".*/([^/]+)\.(?:test|mlir)\.tmp", os.path.abspath(out))
    base = os.path.join(FOLDER, test.group(1) if test else "none")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    os.makedirs(base, exist_ok=True)
    digest = _digest("\n".join([target, *options, text]).encode())
    for name in sorted(os.listdir(base)):
        if _read(os.path.join(base, name))["digest"] == digest:
            _compiled[os.path.abspath(out)] = os.path.join(base, name)
            return
    folder = os.path.join(base, "%03d" % len(os.listdir(base)))
    os.makedirs(folder)
    with open(os.path.join(folder, "source.mlir"), "w", encoding="utf-8") as file:
        file.write(text)
    _write(folder, {"digest": digest, "target": target, "options": list(options),
                    "runs": []})
    _compiled[os.path.abspath(out)] = folder


def _note_argument(argument, folder):
    if not hasattr(argument, "dtype"):
        return argument.text
    kind = "%s %s" % (argument.values.dtype, argument.shape)
    name = _digest(kind.encode() + argument.values.tobytes()) + ".npy"
    return argument.write(os.path.join(folder, name))


def note_run(json_path, arguments, options):
    """The text of the run, by which its results are known."""
    folder = _compiled[os.path.dirname(os.path.abspath(json_path))]
    run = {"function": os.path.splitext(os.path.basename(json_path))[0],
           "arguments": [_note_argument(a, folder) for a in arguments],
           "options": list(options)}
    kernel = _read(folder)
    if run not in kernel["runs"]:
        kernel["runs"].append(run)
        _write(folder, kernel)
    return folder + json.dumps(run)


def result_of(run):
    """A result, whose arrays nobody else has; None: not run yet."""
    if run not in _results:
        return None
    tensors, variants = _results[run]
    return {name: values.copy() for name, values in tensors.items()}, variants


def note_result(run, result):
    _results[run] = result


#===-- Reading ------------------------------------------------------------===#


class Source:
    """A file, the options it is compiled with, and its runs: arguments and options
    of tile-run by function."""

    def __init__(self, name, path, target, options, runs):
        self.name, self.path, self.target = name, path, target
        self.options, self.runs = options, runs


def read_kernels(folder):
    """All kernels that tests have left in a folder. The only one that a test has for
    a target is called like the test, the others get a number. Files beside the folders
    of tests are nobody's."""
    for test in sorted(os.listdir(folder)):
        compiled = {}
        if not os.path.isdir(os.path.join(folder, test)):
            continue
        for number in sorted(os.listdir(os.path.join(folder, test))):
            path = os.path.join(folder, test, number)
            with open(os.path.join(path, "kernel.json"), encoding="utf-8") as file:
                kernel = json.load(file)
            runs = {}
            for run in kernel["runs"]:
                runs.setdefault(run["function"], []).append(
                    (run["arguments"], run["options"]))
            compiled.setdefault(kernel["target"], []).append(
                (path, kernel["options"], runs))
        for target, items in sorted(compiled.items()):
            for i, (path, options, runs) in enumerate(items, 1):
                number = ".%d" % i if len(items) > 1 else ""
                yield Source("%s%s %s" % (test, number, target),
                             os.path.join(path, "source.mlir"), target, options, runs)
