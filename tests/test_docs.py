"""The examples of the documentation, run as they stand there; the generated pages are current."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
_BLOCK = re.compile(r"^```\w+ file=(?P<path>\S+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)


def written(folder: Path) -> Path:
    """Write the files of the two tutorials as an installed distribution would lie there."""
    for page in ("add-a-backend.md", "add-a-check.md"):
        for block in _BLOCK.finditer((ROOT / "docs" / page).read_text(encoding="utf-8")):
            path = folder / block["path"]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block["text"], encoding="utf-8")
    metadata = folder / "accel_acme-1.0.dist-info"
    metadata.mkdir()
    (metadata / "entry_points.txt").write_text(
        "[accel.plugins]\nacme = accel_acme\n[accel.plugin_api]\nacme = 1:1\n", encoding="utf-8"
    )
    return folder


def accel(folder: Path, *words: str, text: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "accel", *words],
        input=text,
        capture_output=True,
        text=True,
        timeout=60,
        env={"PYTHONPATH": str(folder), "PATH": "/usr/bin:/bin"},
        check=False,
    )


def test_the_plugin_of_the_tutorial_is_found_and_loads(tmp_path: Path) -> None:
    done = accel(written(tmp_path), "plugins", "list", "--json")
    assert done.returncode == 0, done.stderr + done.stdout
    assert '"acme"' in done.stdout


def test_the_reader_of_the_tutorial_reads_and_its_check_finds(tmp_path: Path) -> None:
    folder = written(tmp_path)
    text = "acme0: Acme X1, 65536 MiB, 61 C\nacme1: Acme X1, 65536 MiB, 93 C\nacme2: Acme X1, 65536 MiB, N/A C\n"
    listed = accel(folder, "devices", "--from", "-", "--json", text=text)
    assert listed.returncode == 0, listed.stderr
    assert listed.stdout.count('"Acme X1"') == 3
    judged = accel(folder, "doctor", "--from", "-", "--fail-on", "warning", text=text)
    assert judged.returncode == 1, judged.stderr
    assert "acme:1 is at 93 °C" in judged.stdout


def test_the_generated_pages_are_current() -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "docs" / "generate.py"), "--check"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_the_readme_shows_what_the_program_prints() -> None:
    example = "docs/examples/driver-too-old.txt"
    done = subprocess.run(
        [sys.executable, "-m", "accel", "doctor", "--from", example],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={"COLUMNS": "100", "PATH": "/usr/bin:/bin", "PYTHONUTF8": "1"},
        check=False,
    )
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = readme.split(f"--from {example}\n", 2)[1].split("```", 1)[0]
    printed = "\n".join(line.rstrip() for line in done.stdout.splitlines())
    assert printed.startswith(shown.rstrip())
