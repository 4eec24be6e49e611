#!/usr/bin/env python3
"""Runs the unit tests (ctest) and the text tests (lit) of a build tree.

The text tests that name a pipeline run twice: in tile-opt, and in stock
mlir-opt with libtile.so as plugin. The last line of the output is
`N passed, N failed`, the sum of all; the exit status is 0 if none failed.

Sets: quick (no kernels are run), check (everything), full (check, and every
module is also written and read again)."""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

import project

PASSED = ("PASS", "XFAIL", "FLAKYPASS")
NOT_RUN = ("UNSUPPORTED", "SKIPPED", "EXCLUDED")


def run_ctest(options, folder):
    """Returns (passed, failed, not run)."""
    junit = os.path.join(folder, "ctest.xml")
    command = ["ctest", "--test-dir", options.build, "--output-on-failure",
               "-j", str(options.jobs), "--output-junit", junit]
    if options.set == "quick":
        command += ["--label-exclude", "slow"]
    subprocess.run(command, check=False)
    suite = xml.etree.ElementTree.parse(junit).getroot()
    status = [case.get("status") for case in suite.iter("testcase")]
    passed, not_run = status.count("run"), status.count("disabled")
    return passed, len(status) - passed - not_run, not_run


def find_lit():
    version = project.read(argparse.Namespace(root=project.ROOT),
                           "cmake/LLVMVersion.txt").split(".")[0]
    places = ["/usr/lib/llvm-%s/bin/lit" % version, "/usr/bin/lit"]
    return next((p for p in places if os.path.exists(p)), "lit")


def run_lit(options, folder, params, tests):
    """Returns (passed, failed, not run)."""
    output = os.path.join(folder, "lit.json")
    command = [find_lit(), "-sv", "-j", str(options.jobs), "-o", output,
               "-Dset=" + options.set, *("-D" + p for p in params), *tests]
    subprocess.run(command, check=False)
    with open(output, encoding="utf-8") as file:
        codes = [test["code"] for test in json.load(file)["tests"]]
    passed = sum(code in PASSED for code in codes)
    not_run = sum(code in NOT_RUN for code in codes)
    return passed, len(codes) - passed - not_run, not_run


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


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build", help="default: build/")
    parser.add_argument("--set", default="check",
                        choices=("quick", "check", "full"))
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    options.build = os.path.abspath(options.build)

    params = ["roundtrip=1"] if options.set == "full" else []
    with tempfile.TemporaryDirectory() as folder:
        counts = [run_ctest(options, folder),
                  run_lit(options, folder, params,
                          [os.path.join(options.build, "test")])]
        if options.set == "check" and not sanitizer(options.build):
            counts.append(run_lit(options, folder, ["plugin=1"],
                                  plugin_tests(options.build)))
    passed, failed, not_run = map(sum, zip(*counts))
    if not_run:
        print("%d not run here: they need a GPU or a tool that is missing"
              % not_run)
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
