#!/usr/bin/env python3
"""How the time of each pass grows with the ops of a kernel.

  bench/compile/growth.py build/bench/compile/compile-bench
                          [--target=CHIP] [--ops=100,300,1000] [--form=NAME]...

Compiles one kernel per number of ops and prints, per phase, microseconds per op,
and how often those of the smallest kernel the largest one takes: 1.0 is linear.
Phases below 1 % of the longest compilation are left out. What a kernel costs that
has no op yet counts with the smallest one. No limits: times are for reading.
"""

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

TENSOR = "memref<4096x4096xbf16>"
SHARED = "memref<64x64xbf16, #gpu.address_space<workgroup>>"
SUM = "memref<64x64xf32, #tile.fragment>"
REGION = "!tile.region<64x64xbf16>"

KERNEL = f"""\
func.func @growth(%A: {TENSOR}, %B: {TENSOR}, %C: memref<4096x4096xf32>, %K: index) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c64, %sy = %c64, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {{
    %m = arith.muli %by, %c64 : index
    %n = arith.muli %bx, %c64 : index
    %As = tile.alloc : {SHARED}
    %Bs = tile.alloc : {SHARED}
    %acc = tile.alloc : {SUM}
    tile.fill %acc, %zero : {SUM}, f32
@BODY@
    %c = tile.region %C[%m, %n] [64, 64] : memref<4096x4096xf32>
    tile.copy %acc to %c : {SUM}, !tile.region<64x64xf32>
    gpu.terminator
  }}
  return
}}
"""

PRODUCT = f"""\
%a@I@ = tile.region %A[%m, %k] [64, 64] : {TENSOR}
%b@I@ = tile.region %B[%k, %n] [64, 64] : {TENSOR}
tile.copy %a@I@ to %As : {REGION}, {SHARED}
tile.copy %b@I@ to %Bs : {REGION}, {SHARED}
tile.gemm %As, %Bs, %acc : ({SHARED}, {SHARED}, {SUM})
"""

ELEMENTS = f"""\
tile.parallel (%i, %j) in [64, 64] {{
  %x = memref.load %acc[%i, %j] : {SUM}
  %y = arith.addf %x, @VALUE@ : f32
  memref.store %y, %acc[%i, %j] : {SUM}
}}
"""


def loop(body):
    return "scf.for %k = %c0 to %K step %c64 {\n" + body + "} {tile.num_stages = 3 : i32}\n"


def product(number):
    return PRODUCT.replace("@I@", str(number))


def elements(value="%zero"):
    return ELEMENTS.replace("@VALUE@", value)


def scalars(num_ops):
    chain = "%s0 = arith.index_cast %k : index to i32\n"
    for i in range(num_ops):
        name = ("addi", "muli", "xori")[i % 3]
        chain += f"%s{i + 1} = arith.{name} %s{i}, %s{max(0, i - 7)} : i32\n"
    chain += f"%f = arith.sitofp %s{num_ops} : i32 to f32\n"
    return loop(product(0) + chain + elements("%f"))


# What each form has `num_ops` of.
FORMS = {
    "scalars": scalars,
    "elements": lambda num_ops: loop(product(0) + elements() * num_ops),
    "copies": lambda num_ops: loop("".join(product(i) for i in range(num_ops // 3))),
    "loops": lambda num_ops: "".join(loop(product(i)) for i in range(num_ops // 5)),
}


def compile_times(bench, target, text):
    """Milliseconds by phase, in pipeline order."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "growth.mlir"
        path.write_text(text)
        command = [bench, f"--target={target}", "--runs=1", "--no-line-info", str(path)]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode:
        sys.exit(run.stderr or f"{bench} fails")
    times = {}
    for ms, name in re.findall(r"^ *([\d.]+) ms  [* ] (\S.*)$", run.stdout, re.M):
        if not name.startswith(("our passes", "processor", "create", "first")):
            times[name] = times.get(name, 0) + float(ms)
    return times


def print_form(form, columns, counts):
    print(f"{form}: microseconds per op with", ", ".join(map(str, counts)), "ops; growth")
    for name, last in columns[-1].items():
        if last < 0.01 * columns[-1]["parse to PTX"]:
            continue
        per_op = [1e3 * column.get(name, 0) / n for column, n in zip(columns, counts)]
        growth = f"{per_op[-1] / per_op[0]:6.1f}" if per_op[0] > 0 else ""
        print("".join(f"{us:10.1f}" for us in per_op), growth, "", name)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bench", help="compile-bench")
    parser.add_argument("--target", default="sm_90a")
    parser.add_argument("--ops", default="100,300,1000")
    parser.add_argument("--form", action="append", choices=FORMS)
    options = parser.parse_args()
    counts = [int(n) for n in options.ops.split(",")]
    for form in options.form or FORMS:
        texts = [KERNEL.replace("@BODY@", FORMS[form](n)) for n in counts]
        print_form(form, [compile_times(options.bench, options.target, t) for t in texts], counts)


if __name__ == "__main__":
    main()
