"""The generated pages are current, and the readme shows what is printed. The tutorials: test_tutorial.py."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


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
