"""Which kernel stands for ours, by its time in bursts and alone, as gate.py chooses."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "..", "..", "bench", "gpu"))
import gate  # noqa: E402

BURSTS = {"far": 1.06, "near": 1.04, "fastest": 1.0}
print("tried", gate.contenders(BURSTS))
for name, alone in {"all as fast alone": {"fastest": 1.02, "near": 1.0},
                    "the fastest is hot": {"fastest": 1.05, "near": 1.02},
                    "all are hot": {"fastest": 1.05, "near": 1.04}}.items():
    print("%s: %s" % (name, gate.choice(["fastest", "near"], alone, 1.0)))
