"""Reading one report loads few modules: what few reports need is imported by those."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from accel.plugins.catalogue import catalogue

REPORT = """$ python train.py
RuntimeError: CUDA error: no kernel image is available for execution on the device
PyTorch version: 2.4.0+cu121
GPU models and configuration: GPU 0: NVIDIA GeForce RTX 5090
Nvidia driver version: 570.86.10
"""
NOT_NEEDED = (
    *("dataclasses", "msgspec", "pathlib", "pluggy", "shutil", "statistics", "yaml"),
    *(("ast", "inspect") if sys.version_info < (3, 13) else ()),  # there packaging.version loads them
)
MOST = 400  # of accel's modules


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="records are the standard library's dataclasses there")
@pytest.mark.skipif(catalogue() is None, reason="a source file is newer than the catalogue: run specs/compile.py")
def test_a_report_loads_few_modules(tmp_path: Path) -> None:
    report = tmp_path / "report.txt"
    report.write_text(REPORT, encoding="utf-8")
    code = """
import json, sys
from accel.apps.cli import main
main(["doctor", "--from", sys.argv[1]])
print(json.dumps(sorted(sys.modules)), file=sys.stderr)
"""
    # -S: what this interpreter loads for its own site, such as an editable installation's finders, is not accel's.
    paths = [path for path in sys.path if path]
    command = [sys.executable, "-S", "-c", f"import sys; sys.path[:0] = {paths!r}\n{code}", str(report)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    loaded = json.loads(done.stderr.splitlines()[-1])
    own = [name for name in loaded if name.partition(".")[0].startswith("accel")]

    assert "5090" in done.stdout
    assert [name for name in NOT_NEEDED if name in loaded] == []
    assert len(own) <= MOST


@pytest.mark.parametrize("words", [["specs", "show", "H100"], ["specs", "show", "H100 PCIe 80GB"]])
def test_a_chip_is_shown_to_a_pipe_without_rich_a_line_a_row(words: list[str]) -> None:
    code = "import sys\nfrom accel.apps.cli import main\nmain(sys.argv[1:])\nprint(*sys.modules, file=sys.stderr)\n"
    done = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, timeout=60, check=True)
    assert not any(name.partition(".")[0] == "rich" for name in done.stderr.split())
    rows = [line for line in done.stdout.splitlines() if line.startswith(("memory   ", "bf16 matrix, sums in fp32 "))]
    assert len(rows) == 2
    assert "TFLOPS" in rows[1]
