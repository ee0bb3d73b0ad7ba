"""Reading one report loads few modules: what few reports need is imported by those."""

import subprocess
import sys
from pathlib import Path

import pytest

from accel.plugins.catalogue import catalogue

UNFIT = """$ python train.py
RuntimeError: CUDA error: no kernel image is available for execution on the device
PyTorch version: 2.4.0+cu121
GPU models and configuration: GPU 0: NVIDIA GeForce RTX 5090
Nvidia driver version: 570.86.10
"""
OUTDATED = """Driver version 435.21, CUDA 10.1
UserWarning: CUDA initialization: The NVIDIA driver on your system is too old (found version 10010).
"""
NOT_NEEDED = ("dataclasses", "json", "msgspec", "pathlib", "pluggy", "shutil", "statistics", "yaml")
INSPECTING = ("ast", "inspect") if sys.version_info < (3, 13) else ()  # there packaging.version loads them
OF_RESOLVER = ("accel.remedies.audit", "accel.resolver.candidates", "ast", "datetime", "inspect", "packaging")
REPORTS = {  # what is not loaded for a report besides NOT_NEEDED, and how many of accel's modules are at most
    "a framework to install": (UNFIT, "5090", INSPECTING, 395),
    "nothing to install": (OUTDATED, "10.1", OF_RESOLVER, 273),
}


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="records are the standard library's dataclasses there")
@pytest.mark.skipif(catalogue() is None, reason="a source file is newer than the catalogue: run specs/compile.py")
@pytest.mark.parametrize("name", REPORTS)
def test_a_report_loads_few_modules(name: str, tmp_path: Path) -> None:
    text, said, not_needed, most = REPORTS[name]
    report = tmp_path / "report.txt"
    report.write_text(text, encoding="utf-8")
    code = """
import sys
from accel.apps.cli import main
main(["doctor", "--from", sys.argv[1]])
print(*sys.modules, file=sys.stderr)
"""
    # -S: what this interpreter loads for its own site, such as an editable installation's finders, is not accel's.
    paths = [path for path in sys.path if path]
    command = [sys.executable, "-S", "-c", f"import sys; sys.path[:0] = {paths!r}\n{code}", str(report)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    loaded = done.stderr.splitlines()[-1].split()
    own = [name for name in loaded if name.partition(".")[0].startswith("accel")]

    assert said in done.stdout
    assert [one for one in (*NOT_NEEDED, *not_needed) if one in loaded] == []
    assert len(own) <= most


@pytest.mark.parametrize("words", [["specs", "show", "H100"], ["specs", "show", "H100 PCIe 80GB"]])
def test_a_chip_is_shown_to_a_pipe_without_rich_a_line_a_row(words: list[str]) -> None:
    code = "import sys\nfrom accel.apps.cli import main\nmain(sys.argv[1:])\nprint(*sys.modules, file=sys.stderr)\n"
    done = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, timeout=60, check=True)
    assert not any(name.partition(".")[0] == "rich" for name in done.stderr.split())
    rows = [line for line in done.stdout.splitlines() if line.startswith(("memory   ", "bf16 matrix, sums in fp32 "))]
    assert len(rows) == 2
    assert "TFLOPS" in rows[1]
