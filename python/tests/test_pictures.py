"""Pictures are well-formed and say what the compiler says."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
from xml.dom import minidom

import numpy as np
import pytest

import tile
from tile.runtime.compiler import find_disassembler, find_ptxas

PRODUCT = """
    @tile.jit
    def product(A, B):
        A: T.Tensor((128, 96), "float16")
        B: T.Tensor((96, 64), "float16")
        C = T.empty((128, 64), "float32")
        with T.Kernel(1, 2, threads=128) as (bx, by):
            a = T.alloc_shared((64, 32), "float16")
            b = T.alloc_shared((32, 64), "float16")
            acc = T.alloc_fragment((64, 64), "float32")
            T.clear(acc)
            for k in T.Pipelined(3, num_stages=2):
                T.copy(A[by * 64, k * 32], a)
                T.copy(B[k * 32, 0], b)
                T.gemm(a, b, acc)
            T.copy(acc, C[by * 64, 0])
        return C

    if __name__ == "__main__":
        product(np.ones((128, 96), np.float16), np.ones((96, 64), np.float16))
        print("right")
"""


@pytest.fixture
def product(module, target):
    return module(PRODUCT).product.compile()


@pytest.fixture
def inputs():
    return np.ones((128, 96), np.float16), np.ones((96, 64), np.float16)


def shapes(picture, attribute):
    """Values of a data- attribute, of all boxes that have it."""
    document = minidom.parseString(picture._repr_svg_())
    assert document.documentElement.tagName == "svg"
    return [box.getAttribute(f"data-{attribute}")
            for box in document.getElementsByTagName("rect")
            if box.hasAttribute(f"data-{attribute}")]


def test_tiles_have_the_names_of_variables(product):
    found = tile.pictures.anatomy(product)[0]
    assert {"a", "b", "acc"} <= {t.name for t in found.tiles}
    a, acc = found.tile("a"), found.tile("acc")
    assert (a.shape, a.slots, a.element, a.is_fragment) == ((2, 64, 32), 2, "f16", False)
    assert (acc.shape, acc.slots, acc.offset, acc.is_fragment) == ((64, 64), 1, None, True)
    with pytest.raises(tile.CompileError, match=r"there is no tile c; there are .*acc"):
        found.tile("c")


def test_launch_is_that_of_the_metadata(product, target):
    found = tile.pictures.anatomy(product)[0]
    ptx = product.image(aligned=True).ptx.decode()
    assert found.num_threads == int(re.search(r"\.(?:req|max)ntid (\d+)", ptx)[1])
    metadata = product.image(aligned=True).metadata.decode()
    assert f'"dynamic_smem_bytes": {found.shared_bytes}' in metadata.replace('":', '": ').replace(
        ":  ", ": ")
    assert found.roles == ({"consumer": 4, "producer": 1} if target == "sm_90a" else {})


def test_layout_of_a_fragment(product):
    picture = tile.pictures.layout(product, "acc", rows=64, columns=64)
    assert "32 registers in each of 128 threads" in picture.svg
    assert {int(n) for n in shapes(picture, "lane")} == set(range(32))
    assert {int(n) for n in shapes(picture, "warp")} == set(range(4))


def test_layout_of_a_shared_tile(product):
    picture = tile.pictures.layout(product, "b", rows=32)
    assert "8192 bytes over 32 banks, a ring of 2 slots" in picture.svg
    banks = [int(n) for n in shapes(picture, "bank")]
    assert len(banks) == 32 * 8  # 32 rows of eight units of 16 bytes
    assert all(sorted(banks[i:i + 8]) == list(range(0, 32, 4)) for i in range(0, len(banks), 8))
    columns = banks[::8][:8]
    assert len(set(columns)) == 8  # the swizzle keeps eight rows of a column apart


def test_places_are_those_of_the_element(product, target):
    """Each element of a fragment has a holder of its own."""
    _, places = tile.pictures.anatomy(product)[0].tile("acc").places(target)
    assert len(set(places)) == 64 * 64
    assert max(p >> 24 for p in places) == 3 and max(p & 0xFFFF for p in places) == 31


def test_shared_memory(product):
    found = tile.pictures.anatomy(product)[0]
    picture = tile.pictures.shared_memory(product)
    assert f"shared memory: {found.shared_bytes} bytes" in picture.svg
    drawn = set(zip(shapes(picture, "tile"), map(int, shapes(picture, "offset"))))
    a = found.tile("a")
    assert {("a", a.offset), ("a", a.offset + 4096)} <= drawn


def test_tiles_that_share_bytes_live_apart(module, target):
    found = tile.pictures.anatomy(module("""
        @tile.jit
        def twice(A):
            A: T.Tensor((64, 64), "float32")
            B = T.empty((64, 64), "float32")
            with T.Kernel(1, threads=128) as bx:
                x = T.alloc_shared((64, 64), "float32")
                y = T.alloc_shared((64, 64), "float32")
                f = T.alloc_fragment((64, 64), "float32")
                T.copy(A, x)
                T.copy(x, f)
                T.copy(f, y)
                T.copy(y, B)
            return B
    """).twice.compile())[0]
    from tile.pictures.draw_memory import lifetime

    tiles = [t for t in found.tiles if t.offset is not None]
    for one in tiles:
        for other in tiles:
            if one is not other and one.offset == other.offset:
                (a, b), (c, d) = lifetime(one, found), lifetime(other, found)
                assert b < c or d < a


def test_barriers(product, target):
    picture = tile.pictures.barriers(product)
    if target == "sm_80":
        assert shapes(picture, "barrier") == [] and shapes(picture, "role") == ["block"]
        return
    assert shapes(picture, "role") == ["consumer", "producer"]
    assert shapes(picture, "warps") == ["4", "1"]
    assert shapes(picture, "barrier") == ["full: a, b", "empty: a, b"]
    assert shapes(picture, "slots") == ["2", "2"]
    assert "full: a, b: producer arrives, consumer waits" in picture.svg
    assert "empty: a, b: consumer arrives, producer waits" in picture.svg


def test_schedule(product, target, inputs):
    picture = tile.pictures.schedule(product, *inputs)
    minidom.parseString(picture.svg)
    warps = re.findall(r"role \d[^<]*, warp \d", picture.svg)
    assert len(warps) == (5 if target == "sm_90a" else 4)
    if target == "sm_90a":
        assert "wait for full: a, b [0]" in picture.svg
        assert "wgmma" in picture.svg


def test_roofline(product, inputs):
    picture = tile.pictures.roofline(product, *inputs)
    # 2 * 128 * 64 * 96 operations; A and C once, B by both blocks
    num_bytes = 128 * 96 * 2 + 2 * 96 * 64 * 2 + 128 * 64 * 4
    assert f"1.573e+06 operations, {num_bytes:.4g} bytes" in picture.svg
    assert shapes(picture, "tflops") == []
    measured = tile.pictures.roofline(product, *inputs, milliseconds=1.0)
    assert [float(n) for n in shapes(measured, "tflops")] == [pytest.approx(2 * 128 * 64 * 96 / 1e9, rel=1e-4)]


def test_picture_is_saved(product, tmp_path):
    path = tile.pictures.barriers(product).save(tmp_path / "barriers.svg")
    assert minidom.parse(str(path)).documentElement.tagName == "svg"


# -- The page -----------------------------------------------------------------

def inspect(tmp_path, text, *options, **variables):
    import textwrap

    path = tmp_path / "kernel.py"
    path.write_text("import numpy as np\nimport tile\nimport tile.language as T\n\n"
                    + textwrap.dedent(text))
    package = pathlib.Path(__file__).resolve().parents[1]
    result = subprocess.run(
        [sys.executable, "-m", "tile", "inspect", str(path), "-o", str(tmp_path / "page.html"),
         *options], capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": str(package), **variables})
    return result, tmp_path / "page.html"


def test_page(tmp_path):
    result, path = inspect(tmp_path, PRODUCT, "--target", "sm_90a", TILE_PTXAS="")
    assert result.returncode == 0, result.stderr
    assert result.stdout == f"right\n{path}\n"
    page = minidom.parse(str(path))  # HTML that is XML, too
    titles = [o.firstChild.data for o in page.getElementsByTagName("option")]
    assert titles[0] == "input" and "tile-ws-tiled" in titles and titles[-1] == "PTX"
    assert "tile-layout-inference" in titles and "convert-tile-to-nvvm" not in titles
    gemm_line = next(n for n, line in enumerate((tmp_path / "kernel.py").read_text().splitlines(), 1)
                     if "T.gemm" in line)
    spans = [(s.getAttribute("data-l"), s.firstChild.data if s.firstChild else "")
             for s in page.getElementsByTagName("span") if s.firstChild and s.firstChild.nodeType == 3]
    assert any(line == str(gemm_line) and "tile.gemm" in text for line, text in spans)
    assert any(line == str(gemm_line) and "wgmma.mma_async" in text for line, text in spans)
    assert "[tile-persist/" in path.read_text()  # a remark, below its line
    assert len(page.getElementsByTagName("svg")) >= 6


def test_sass_knows_its_lines():
    from tile.pictures.listings import sass_lines

    text = '\t//## File "/a/k.py", line 7\n  FFMA\n\t//## File "/b/other.h", line 9\n  IADD\n'
    assert sass_lines(text, "/a/k.py") == [(7, "  FFMA"), (0, "  IADD")]


@pytest.mark.skipif(not (find_ptxas() and find_disassembler()),
                    reason="needs ptxas and nvdisasm of NVIDIA")
def test_sass(product, target):
    from tile.pictures.listings import listings

    lines = next(item for item in listings(product, target) if item.title == "SASS").lines
    kernel = product.program.text
    assert any("MMA" in text for _, text in lines) and "loc(" in kernel
    assert len({line for line, _ in lines}) > 3


def test_program_without_kernels(tmp_path):
    result, path = inspect(tmp_path, "print('nothing')")
    assert result.returncode == 1 and not path.exists()
    assert "calls no kernel when it is run as a program" in result.stderr


def test_program_that_fails(tmp_path):
    result, path = inspect(tmp_path, PRODUCT + "        raise ValueError('afterwards')\n")
    assert result.returncode == 1
    assert "ValueError: afterwards" in result.stderr and "ValueError: afterwards" in path.read_text()


@pytest.mark.skipif("TILE_TEST_BROWSER" not in os.environ or not shutil.which("chromium"),
                    reason="the full set has it, where there is a chromium")
def test_page_in_a_browser(tmp_path):
    """The script runs: one listing is shown, and a click marks the lines of an op."""
    _, path = inspect(tmp_path, PRODUCT, "--target", "sm_90a", TILE_PTXAS="")
    click = """<script>
      document.querySelector('.source [data-l="19"]').click();
      document.title = document.querySelectorAll('.listing:not([hidden])').length + ' shown, ' +
        document.querySelectorAll('.source .on').length + ' marked, ' +
        (document.querySelectorAll('.listing .on').length !== 0);
    </script></body>"""
    path.write_text(path.read_text().replace("</body>", click))
    result = subprocess.run(["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom",
                             f"file://{path}"], capture_output=True, text=True, check=False, timeout=60)
    assert "<title>1 shown, 1 marked, true</title>" in result.stdout


def test_barriers_of_the_kernel(module, one_target):
    """Roles and mbarriers that a kernel writes itself, under its own names."""
    kernel = module("""
        @tile.jit
        def kernel(A):
            A: T.Tensor((64, 64), "float32")
            B = T.empty((64, 64), "float32")
            with T.Kernel(1, threads=256):
                S = T.alloc_shared((2, 16, 64), "float32")
                full, empty = (T.alloc_barrier([128, 128]) for _ in range(2))
                with T.ws(0):
                    for k in T.serial(4):
                        T.mbarrier_wait_parity(full[k % 2], k // 2 % 2)
                        T.copy(S[k % 2, :, :], B[k * 16, 0])
                        T.mbarrier_arrive(empty[k % 2])
                with T.ws(1):
                    for k in T.serial(4):
                        T.mbarrier_wait_parity(empty[k % 2], k // 2 % 2 ^ 1)
                        T.copy(A[k * 16, 0], S[k % 2, :, :])
                        T.mbarrier_arrive(full[k % 2])
            return B
    """).kernel.compile()
    assert "%full = tile.barrier_alloc" in kernel.ir
    picture = tile.pictures.barriers(kernel)
    assert {"full", "empty"} <= set(shapes(picture, "barrier"))
    assert "full: ws1 arrives, ws0 waits" in picture.svg
