"""Each example computes what numpy does, on both targets, and its line in
README.md is what the compiler makes now."""

import importlib.util
import pathlib

import pytest

EXAMPLES = pathlib.Path(__file__).resolve().parent.parent / "examples"
# How long a kernel may be.
LIMITS = {"matmul": 15, "flash_attention": 40, "block_sparse_attention": 45,
          "gemm_dequantize": 50, "flash_decoding": 80, "mla_decode": 90}


def load_table():
    spec = importlib.util.spec_from_file_location("table", EXAMPLES / "table.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


table = load_table()


@pytest.mark.parametrize("name", table.names())
def test_example(name):
    assert table.row(name) in (EXAMPLES / "README.md").read_text()


@pytest.mark.parametrize("name", table.names())
def test_length(name):
    assert table.longest_kernel(name) <= LIMITS.get(name, 60)


def test_table_is_whole():
    lines = (EXAMPLES / "README.md").read_text().splitlines()
    listed = [line.split("[")[1].split("]")[0] for line in lines if line.startswith("| [")]
    assert listed == table.names()


def test_measured_table():
    """What stands in README.md of a GPU is what measure.py wrote."""
    assert (EXAMPLES / "README.md").read_text().endswith(table.measured())


def test_measured_cases_are_examples(monkeypatch):
    """Each example has a case in real shapes."""
    monkeypatch.syspath_prepend(str(EXAMPLES))
    spec = importlib.util.spec_from_file_location("measure", EXAMPLES / "measure.py")
    measure = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(measure)
    assert set(table.names()) <= set(measure.cases())
