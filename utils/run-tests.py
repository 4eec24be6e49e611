#!/usr/bin/env python3
"""Runs the unit tests (ctest) and the text tests (lit) of a build tree.

The text tests that name a pipeline run twice: in tile-opt, and in stock
mlir-opt with libtile.so as plugin. The last line of the output is
`N passed, N failed`, the sum of all; the exit status is 0 if none failed. Lines
before it count the tests that were not run, by what they want, and say how long
the run took.

Sets: quick (no kernels are run), check (everything), full (check, and every
module is also written and read again)."""

import argparse
import collections
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree

import project

PASSED = ("PASS", "XFAIL", "FLAKYPASS")
NOT_RUN = ("UNSUPPORTED", "SKIPPED", "EXCLUDED")
# Features of test/lit.cfg.py that a machine may lack.
WANTED = {"cuda": "a GPU", "ptxas": "ptxas", "nvcc": "nvcc",
          "nvdisasm": "nvdisasm", "numpy": "numpy", "pytest": "pytest"}


class Count:
    """Of tests; those that were not run by what they want."""

    def __init__(self, passed=0, failed=0):
        self.passed, self.failed = passed, failed
        self.not_run = collections.Counter()

    def add(self, other):
        self.passed += other.passed
        self.failed += other.failed
        self.not_run += other.not_run


def run_ctest(options, folder):
    """Returns a Count."""
    junit = os.path.join(folder, "ctest.xml")
    command = ["ctest", "--test-dir", options.build, "--output-on-failure",
               "-j", str(options.jobs), "--output-junit", junit]
    if options.set == "quick":
        command += ["--label-exclude", "slow"]
    subprocess.run(command, check=False)
    suite = xml.etree.ElementTree.parse(junit).getroot()
    status = [case.get("status") for case in suite.iter("testcase")]
    passed, not_run = status.count("run"), status.count("disabled")
    result = Count(passed, len(status) - passed - not_run)
    if not_run:
        result.not_run["something that is missing"] = not_run
    return result


def find_lit():
    version = project.read(argparse.Namespace(root=project.ROOT),
                           "cmake/LLVMVersion.txt").split(".")[0]
    places = ["/usr/lib/llvm-%s/bin/lit" % version, "/usr/bin/lit"]
    return next((p for p in places if os.path.exists(p)), "lit")


def wanted_by(output):
    """What a test that lit did not run wants; None where it is only of another
    set, or never runs in this kind of build."""
    match = re.search(r"unavailable features: (.*)", output)
    if not match:
        return "something that is missing"
    features = set(match.group(1).split(", "))
    if features & {"full", "slow", "plugin"}:
        return None
    return " and ".join(sorted(WANTED.get(f, f) for f in features))


def run_lit(options, folder, params, tests):
    """Returns a Count."""
    output = os.path.join(folder, "lit.json")
    command = [find_lit(), "-sv", "-j", str(options.jobs), "-o", output,
               "-Dset=" + options.set, *("-D" + p for p in params), *tests]
    subprocess.run(command, check=False)
    with open(output, encoding="utf-8") as file:
        results = json.load(file)["tests"]
    result = Count()
    for test in results:
        result.passed += test["code"] in PASSED
        if test["code"] not in NOT_RUN:
            result.failed += test["code"] not in PASSED
        elif wanted_by(test["output"]):
            result.not_run[wanted_by(test["output"])] += 1
    return result


def plugin_tests(build):
    """The tests that do not insist on tile-opt, as paths below the build."""
    result = []
    options = argparse.Namespace(root=project.ROOT, files=[])
    for name in project.select(options, "test/*.mlir", "test/*.test"):
        if "%tile_opt" in project.read(options, name):
            result.append(os.path.join(build, name))
    return result


def sanitizer(build):
    """"asan", "tsan" or "": a sanitized library cannot be loaded by a program
    without the sanitizer, so not by stock mlir-opt."""
    with open(os.path.join(build, "CMakeCache.txt"), encoding="utf-8") as file:
        match = re.search(r"^TILE_SANITIZER:\w+=(.*)$", file.read(), re.M)
    return match.group(1) if match else ""


def report(count, seconds):
    if count.not_run:
        print("%d not run here: %s" % (count.not_run.total(), ", ".join(
            "%d for want of %s" % (number, wanted)
            for wanted, number in sorted(count.not_run.items()))))
    print("took %d min %d s" % divmod(round(seconds), 60))
    print("%d passed, %d failed" % (count.passed, count.failed))


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build", help="default: build/")
    parser.add_argument("--set", default="check",
                        choices=("quick", "check", "full"))
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    options.build = os.path.abspath(options.build)

    start, count = time.monotonic(), Count()
    params = ["roundtrip=1"] if options.set == "full" else []
    with tempfile.TemporaryDirectory() as folder:
        count.add(run_ctest(options, folder))
        count.add(run_lit(options, folder, params,
                          [os.path.join(options.build, "test")]))
        if options.set == "check" and not sanitizer(options.build):
            count.add(run_lit(options, folder, ["plugin=1"],
                              plugin_tests(options.build)))
    report(count, time.monotonic() - start)
    return 1 if count.failed or not count.passed else 0


if __name__ == "__main__":
    sys.exit(main())
