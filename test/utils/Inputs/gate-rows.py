"""Results of bench/gpu/gate.py as it would write them, into a folder."""

import json
import os
import sys


def row(name, speed, spread=0.005):
    def times(ms):
        return [ms * (1 - spread), ms, ms * (1 + spread)]
    return {"section": "gemm", "name": name, "work": 1e12, "unit": "TFLOP/s",
            "tried": {}, "errors": {}, "configs": {"ours": "k", "p": "p"},
            "burst": {"ours": times(1 / speed), "p": times(1.0)},
            "alone": {"ours": 1 / speed, "p": 1.0}}


FAILED = {"section": "gemm", "name": "a", "errors": {"k": "Error: k is wrong"}}
for name, rows in {
        "base": [row("a", 1.0), row("b", 1.0)],
        "same": [row("a", 0.99), row("b", 1.02)],
        "noisy": [row("a", 0.93, 0.03), row("b", 0.94, 0.03)],
        "one": [row("a", 0.93), row("b", 1.0)],
        "two": [row("a", 0.93), row("b", 0.94)],
        "far": [row("a", 0.88), row("b", 1.0)],
        "failed": [FAILED, row("b", 1.0)]}.items():
    with open(os.path.join(sys.argv[1], name + ".json"), "w", encoding="utf-8") as file:
        json.dump({"device": "a GPU", "torch": "", "seconds": 1, "rows": rows}, file)
