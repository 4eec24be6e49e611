"""What the runners of random kernels share: each kernel is made by its seed, compiled,
run on the emulator and compared, on every target. A program has `name`, `mlir()`,
`describe()` and `check(folder, seeds of the emulator)`."""

import argparse
import collections
import os
import re
import sys

import kernels


def compile_program(program, target, out, with_ptxas):
    path = os.path.join(out, program.name + ".mlir")
    with open(path, "w", encoding="utf-8") as file:
        file.write(program.mlir())
    kernels.compile_file(path, target, out, [] if with_ptxas else ["--ptxas=off"])


def refusal(failure):
    """The message of a kernel that the compiler refused as it should: at its place."""
    message = re.search(r"\.mlir:\d+:\d+: error: (.*)", str(failure))
    if failure.status != 1 or not message or "internal" in message.group(1):
        return None
    return message.group(1)


class Judge:
    def __init__(self, make, options):
        self.make, self.options = make, options
        self.refused = collections.defaultdict(list)  # seeds, by reason

    def judge(self, seed, target):
        """None, or why the kernel failed."""
        out = os.path.join(self.options.out, target)
        os.makedirs(out, exist_ok=True)
        program = self.make(seed, target)
        try:
            compile_program(program, target, out, self.options.ptxas)
        except kernels.Failure as failure:
            reason = refusal(failure)
            if not self.options.most_refused or not reason:
                return "%s: %s" % (program.describe(), failure)
            self.refused[re.sub(r"\d+", "N", reason)].append(seed)
            return None
        try:
            program.check(out, range(1, self.options.seeds + 1))
        except kernels.Failure as failure:
            return "%s: %s" % (program.describe(), failure)
        return None

    def run(self, target):
        """Prints what failed and a summary; returns how many failed."""
        failed, count = 0, self.options.count
        for seed in range(self.options.seed, self.options.seed + count):
            text = self.judge(seed, target)
            if text:
                print("FAILED %s seed %d: %s" % (target, seed, text), flush=True)
                failed += 1
        refused = sum(map(len, self.refused.values()))
        is_many = 100 * refused > self.options.most_refused * count
        print("%s%s: %d kernels, %d failed, %d refused" % (
            "FAILED " if is_many else "", target, count, failed, refused))
        for reason, seeds in sorted(self.refused.items()):
            print("  %s: seeds %s" % (reason, ", ".join(map(str, seeds))))
        return failed + is_many


def main(doc, make, most_refused=0):
    """`make(seed, target)` makes a program; at most `most_refused` percent of them
    may be refused."""
    parser = argparse.ArgumentParser(
        description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--target", action="append", required=True)
    parser.add_argument("--out", required=True, help="folder of the outputs")
    parser.add_argument("--seed", type=int, default=1, help="of the first kernel")
    parser.add_argument("--count", type=int, default=10)
    parser.add_argument("--seeds", type=int, default=1, help="of the emulator")
    parser.add_argument("--ptxas", action="store_true", help="assemble as well")
    options = parser.parse_args()
    options.most_refused = most_refused
    failed = sum(Judge(make, options).run(target) for target in options.target)
    sys.exit(1 if failed else 0)
