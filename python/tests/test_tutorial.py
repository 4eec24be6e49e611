"""Every block of docs/Tutorial.md runs, in order."""

import os
import pathlib
import re
import subprocess
import sys

TUTORIAL = pathlib.Path(__file__).resolve().parents[2] / "docs" / "Tutorial.md"


def test_tutorial(target, tmp_path):
    blocks = re.findall(r"^```python\n(.*?)^```", TUTORIAL.read_text(), re.M | re.S)
    assert len(blocks) >= 8
    path = tmp_path / "tutorial.py"
    path.write_text("\n\n".join(blocks))
    package = pathlib.Path(__file__).resolve().parents[1]
    result = subprocess.run([sys.executable, path], capture_output=True, text=True, check=False,
                            env={**os.environ, "PYTHONPATH": str(package),
                                 "TILE_CACHE_DIR": str(tmp_path / "cache")})
    assert result.returncode == 0, result.stderr
