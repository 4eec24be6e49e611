# Configuration of the lit tests. Two ways in:
#
#   lit build/test                      through the site file that CMake wrote
#   lit -Dbuild=build-asan test/Dialect directly; `build` defaults to ./build
#
# Parameters: build=DIR   the build tree whose tools are tested
#             plugin=1    run pass tests in stock mlir-opt with libtile.so as
#                         plugin (also: environment TILE_TEST_PLUGIN=1)
#             roundtrip=1 also write and read every module of a pass test
#             exec=DIR    where tests write, else build/test
#             set=quick   leave out slow tests, and Integration/ and Python/, where
#                         kernels are run
#
# Substitutions, beside lit's own:
#   %tile_opt              tile-opt, or mlir-opt with the plugin
#   %tile_opt_passes 'P'   the same with --pass-pipeline='builtin.module(P)'
#   %build                 path of the build tree
#   %libtile               path of libtile.so
#   %examples              path of examples/
#   %utils                 path of utils/
#   %python                a python3 that has numpy, when there is one
#   %package               path of python/
#
# Features: ptxas, nvcc, nvdisasm, chromium, cuda (a driver and a device), numpy, pytest, asan, tsan, plugin,
# slow (not in the quick set: for tests of more than five seconds), full (only in
# the full set: for tests of minutes).

import os
import shutil
import subprocess
import sys

import lit.formats

SOURCE_DIR = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def param(name, default):
    value = getattr(config, "tile_" + name, None)
    return lit_config.params.get(name, value if value else default)


def find_cuda_tool(name):
    places = [os.path.join(os.environ[variable], "bin")
              for variable in ("CUDA_HOME", "CUDA_PATH")
              if os.environ.get(variable)]
    places.append("/usr/local/cuda/bin")
    return shutil.which(name) or shutil.which(name, path=os.pathsep.join(places))


def find_python():
    """Distributions install numpy for their own interpreter only, which may
    not be the first one on PATH."""
    candidates = ["/usr/bin/python3", sys.executable, shutil.which("python3")]
    for candidate in candidates:
        if candidate and os.path.exists(candidate):
            probe = [candidate, "-c", "import numpy"]
            if subprocess.run(probe, capture_output=True).returncode == 0:
                return candidate, True
    return sys.executable, False


# In a process of its own: a driver that is initialised does not survive fork.
CUDA_PROBE = """
import ctypes
driver = ctypes.CDLL("libcuda.so.1")
count = ctypes.c_int(0)
assert driver.cuInit(0) == 0
assert driver.cuDeviceGetCount(ctypes.byref(count)) == 0 and count.value > 0
"""


def has_cuda_device():
    probe = [sys.executable, "-c", CUDA_PROBE]
    return subprocess.run(probe, capture_output=True).returncode == 0


build_dir = os.path.abspath(param("build", os.path.join(SOURCE_DIR, "build")))
llvm_dir = param("llvm", "/usr/lib/llvm-22")
libtile = os.path.join(build_dir, "lib", "libtile.so")
plugin = (lit_config.params.get("plugin", "0") == "1"
          or os.environ.get("TILE_TEST_PLUGIN") == "1")

config.name = "tile-plugin" if plugin else "tile"
config.test_format = lit.formats.ShTest(execute_external=True)
config.suffixes = [".mlir", ".test", ".txt"]
config.excludes = ["Inputs", "Unit", "CMakeLists.txt", "arithmetic.txt"]
if lit_config.params.get("set") == "quick":
    config.excludes += ["Integration", "Python"]
else:
    config.available_features.add("slow")
if lit_config.params.get("set") == "full":
    config.available_features.add("full")
# See test/Integration/Inputs/kernels.py.
config.environment["TILE_TEST_SET"] = lit_config.params.get("set", "full")
config.test_source_root = os.path.join(SOURCE_DIR, "test")
config.test_exec_root = lit_config.params.get(
    "exec", os.path.join(build_dir, "test"))

tool_dirs = [os.path.join(build_dir, "bin"),
             os.path.join(build_dir, "tools"),
             os.path.join(build_dir, "tools", "tile-compile"),
             os.path.join(build_dir, "tools", "tile-run"),
             os.path.join(llvm_dir, "bin")]
path = tool_dirs + [config.environment["PATH"]]
for tool in ("ptxas", "nvcc", "nvdisasm"):
    found = find_cuda_tool(tool)
    if found:
        config.available_features.add(tool)
        path.append(os.path.dirname(found))
if shutil.which("abidw"):
    config.available_features.add("abidw")
config.environment["PATH"] = os.pathsep.join(path)

if shutil.which("chromium"):
    config.available_features.add("chromium")
if has_cuda_device():
    config.available_features.add("cuda")
python, has_numpy = find_python()
if has_numpy:
    config.available_features.add("numpy")
    if subprocess.run([python, "-c", "import pytest"], capture_output=True).returncode == 0:
        config.available_features.add("pytest")
if plugin:
    config.available_features.add("plugin")
sanitizer = getattr(config, "tile_sanitizer", "")
if sanitizer:
    config.available_features.add(sanitizer)
    # Stock mlir-opt and Python cannot load a sanitized library.
    config.excludes += ["Plugin", "Python"]
    config.environment.update(entry.split("=", 1) for entry in
                              config.tile_environment.split(";"))

tile_opt = "tile-opt"
if plugin:
    tile_opt = ("mlir-opt --load-dialect-plugin={0} --load-pass-plugin={0}"
                .format(libtile))

if "TILE_COLLECT" in os.environ:  # test/Integration/Inputs/collect.py
    config.environment["TILE_COLLECT"] = os.environ["TILE_COLLECT"]
if lit_config.params.get("roundtrip") == "1":
    tile_opt += " --verify-roundtrip"
config.environment["TILE_OPT"] = tile_opt
config.environment["TILE_VERIFY_EACH"] = "1"  # tile-compile names the pass
config.substitutions += [
    (r"%tile_opt_passes\b",
     os.path.join(SOURCE_DIR, "test", "harness", "tile-opt-passes")),
    (r"%tile_opt\b", tile_opt),
    (r"%build\b", build_dir),
    (r"%libtile\b", libtile),
    (r"%examples\b", os.path.join(SOURCE_DIR, "examples")),
    (r"%utils\b", os.path.join(SOURCE_DIR, "utils")),
    (r"%python\b", python),
    (r"%package\b", os.path.join(SOURCE_DIR, "python")),
]
