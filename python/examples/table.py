"""Runs every example on the emulator and writes README.md: what each is, how long
its kernel is, and which forms the compiler gave it on each target. What measure.py
found on a GPU, measured.json, is a table of its own.

    python table.py           compares, and fails where README.md is stale
    python table.py --write   writes it
    python table.py --gpu     runs them on a GPU instead, by way of torch
"""

from __future__ import annotations

import ast
import importlib
import json
import os
import pathlib
import re
import sys

import numpy as np

FOLDER = pathlib.Path(__file__).resolve().parent
TARGETS = ("sm_80", "sm_90a")
# No examples.
SHARED = ("table", "online_softmax", "measure", "real", "real_attention", "real_products",
          "real_rows")
# What stands for a form in PTX, best first.
FORMS = {
    "wgmma": "wgmma.mma_async", "mma": "mma.sync", "mma.sp": "mma.sp",
    "TMA": "cp.async.bulk.tensor", "cp.async": "cp.async.c", "mbarriers": "mbarrier.try_wait",
}
HEAD = """# Kernels in Python

Written by `table.py`, which runs each of them on the emulator for both targets, in sizes
that fit no tile, and compares with numpy. Lines are those of the launches of the longest
function. Forms are what the compiler made of the calls: instructions of products and
copies; roles, warps that copy for those that multiply; pipelined, copies of later steps
under way while products run.

| Example | What | Lines | sm_80 | sm_90a |
|---|---|---|---|---|
"""

MEASURED_HEAD = """
## On a GPU

What `measure.py` found on {device} with torch {torch}. Right: no element is further
from torch's than a few hundredths of its own size plus the mean size of all. Ratio: how
long torch takes, over how long ours takes.

| Case | Shape | Right | Rate | Ratio | Against |
|---|---|---|---|---|---|
"""


def names() -> list[str]:
    return sorted(p.stem for p in FOLDER.glob("*.py") if p.stem not in SHARED)


def longest_kernel(name: str) -> int:
    """Lines of the launches, `with T.Kernel(...)`, of the longest function."""
    tree = ast.parse((FOLDER / f"{name}.py").read_text())
    lengths = []
    for function in tree.body:
        if isinstance(function, ast.FunctionDef) and function.decorator_list:
            lengths.append(sum(node.end_lineno - node.lineno + 1 for node in ast.walk(function)
                               if isinstance(node, ast.With) and _is_launch(node)))
    return max(lengths)


def _is_launch(node: ast.With) -> bool:
    call = node.items[0].context_expr
    return isinstance(call, ast.Call) and ast.unparse(call.func).endswith("Kernel")


def forms(kernels: list) -> str:
    """Forms of kernels that have been called."""
    ptx = "".join(image.ptx.decode() for kernel in kernels for image in kernel.images.values())
    found = [form for form, sign in FORMS.items() if sign in ptx]
    if "mbarriers" in found and "wgmma" in found and "TMA" in found:
        found.remove("mbarriers")
    has_roles = any(_has_roles(kernel) for kernel in kernels)
    # Waits that leave groups under way, or groups before a loop that has the wait.
    is_pipelined = has_roles or re.search(r"cp\.async\.wait_group\s+[1-9]", ptx) is not None \
        or ptx.count("cp.async.commit_group") > ptx.count("cp.async.wait_group")
    found += ["roles"] * has_roles + ["pipelined"] * is_pipelined
    return ", ".join(found) or "plain"


def _has_roles(kernel: object) -> bool:
    """Whether blocks have more threads than the kernel asks for, or roles of its own."""
    asked = re.findall(r"%nx\w* = %c(\d+)", kernel.ir)  # type: ignore[attr-defined]
    given = [n for image in kernel.images.values()  # type: ignore[attr-defined]
             for n in re.findall(r"\.reqntid (\d+)", image.ptx.decode())]
    return "tile.specialize" in kernel.ir or not set(given) <= set(asked)  # type: ignore[attr-defined]


def run(name: str, target: str) -> list:
    """Checks an example for a target; the kernels that it called."""
    from tile.runtime.kernel import JITKernel

    sys.path.insert(0, str(FOLDER))
    sys.modules.pop(name, None)
    called: list = []
    original = JITKernel.__call__

    def call(self: JITKernel, *args: object, **kwargs: object) -> object:
        if self not in called:
            called.append(self)
        return original(self, *args, **kwargs)

    before = os.environ.get("TILE_TARGET")
    os.environ["TILE_TARGET"] = target
    JITKernel.__call__ = call  # type: ignore[method-assign]
    try:
        importlib.import_module(name).check(np.random.default_rng(0))
    finally:
        JITKernel.__call__ = original  # type: ignore[method-assign]
        sys.path.remove(str(FOLDER))
        if before is None:
            del os.environ["TILE_TARGET"]
        else:
            os.environ["TILE_TARGET"] = before
    return called


def call_on_gpu(original: object, kernel: object, args: tuple, kwargs: dict) -> object:
    """A call with arrays of numpy, on the GPU: copied there and back."""
    import torch

    def move(value: object) -> object:
        return torch.from_numpy(value).cuda() if isinstance(value, np.ndarray) else value

    def back(value: object) -> object:
        if not isinstance(value, torch.Tensor):
            return value
        value = value.cpu()
        is_small = value.dtype in (torch.float8_e4m3fn, torch.float8_e5m2)
        return (value.view(torch.uint8) if is_small else value).numpy()

    moved = [move(a) for a in args], {k: move(v) for k, v in kwargs.items()}
    result = original(kernel, *moved[0], **moved[1])  # type: ignore[operator]
    pairs = [*zip(args, moved[0], strict=True), *((kwargs[k], v) for k, v in moved[1].items())]
    for value, other in pairs:
        if isinstance(value, np.ndarray) and value.flags.writeable:
            value[...] = back(other)
    return tuple(map(back, result)) if isinstance(result, tuple) else back(result)


def run_on_gpu() -> int:
    """Checks every example on the GPU; how many are wrong."""
    from tile.runtime.kernel import JITKernel

    original = JITKernel.__call__
    JITKernel.__call__ = lambda self, *args, **kwargs: (  # type: ignore[method-assign]
        call_on_gpu(original, self, args, kwargs))
    sys.path.insert(0, str(FOLDER))
    wrong = 0
    for name in names():
        try:
            importlib.import_module(name).check(np.random.default_rng(0))
            print(f"{name}: right")
        except Exception as error:
            wrong += 1
            print(f"{name}: {type(error).__name__}: {str(error).splitlines()[0]}")
    return wrong


def row(name: str) -> str:
    """The line of an example, which it runs."""
    text = (ast.get_docstring(ast.parse((FOLDER / f"{name}.py").read_text())) or "").split(". ")[0]
    what = " ".join(text.split()).rstrip(".").split(": ")[0]
    cells = [forms(run(name, target)) for target in TARGETS]
    return (f"| [{name}]({name}.py) | {what} | {longest_kernel(name)} | {cells[0]} | "
            f"{cells[1]} |\n")


def measured() -> str:
    """The table of measured.json; nothing where there is none."""
    path = FOLDER / "measured.json"
    if not path.exists():
        return ""
    found = json.loads(path.read_text())
    lines = []
    for case in found["cases"]:
        rate = f"{case['rate']:.3g} {case['unit']}" if "rate" in case else "–"
        ratio = f"{case['ratio']:.2f}" if "ratio" in case else "–"
        lines.append(f"| {case['name']} | {case.get('shape', '–')} | "
                     f"{'yes' if case['right'] else '**no**'} | {rate} | {ratio} | "
                     f"{case.get('against') or '–'} |\n")
    return MEASURED_HEAD.format(**found) + "".join(lines)


def main() -> int:
    if "--gpu" in sys.argv:
        return run_on_gpu()
    os.environ.setdefault("TILE_EMULATE", "1")
    text = HEAD + "".join(row(name) for name in names()) + measured()
    path = FOLDER / "README.md"
    if "--write" in sys.argv:
        path.write_text(text)
        return 0
    if not path.exists() or path.read_text() != text:
        print("README.md is stale; run table.py --write")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
