"""accel beside `pip check` on broken environments that pip builds here: what each of them names, and what it takes.

    python benchmarks/environments.py FOLDER            the table of benchmarks/environments.md
    python benchmarks/environments.py FOLDER --cost     processor time with 300 and 2,000 distributions, least of 7 runs

Needs no network: the wheels are those of tests/environments/environments.yaml.
"""

import argparse
import os
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "environments"))

from built_by_pip import STATED, Builder, doctor

_ROUNDS = 7
_REQUIREMENTS = 10
_README_LINES = 400


def table(builder: Builder) -> None:
    """Print a row for each environment."""
    print("| environment | `pip check` | accel |\n|---|---|---|")
    for name in STATED["environments"]:
        python = builder.build(name)
        by_pip = [line for line in builder.pip_check(python).splitlines() if not line.startswith("No broken")]
        found = [
            f"{f['severity']}: {f['title']}" for f in doctor(python, builder.variables(name)) if f["severity"] != "info"
        ]
        print(f"| {name} | {'<br>'.join(by_pip) or '—'} | {'<br>'.join(found) or '—'} |")


def cost(builder: Builder, folder: Path) -> None:
    """Print the processor time of both, children included, on environments of many distributions."""
    for count in (0, 300, 2000):
        python = builder.build("sound-cuda")
        _fill(next((python.parent.parent / "lib").glob("python3*/site-packages")), count)
        commands = {
            "pip check": [sys.executable, "-m", "pip", "--python", str(python), "check"],
            "accel doctor": [sys.executable, "-m", "accel", "doctor", "--python", str(python)],
        }
        for label, argv in commands.items():
            print(f"{count} more distributions: {label} {min(_seconds(argv) for _ in range(_ROUNDS)) * 1000:.0f} ms")
        shutil.rmtree(folder / "sound-cuda")


def _fill(site: Path, count: int) -> None:
    """Write distributions with ten requirements each; and into torch's RECORD as many files as a real one has."""
    for number in range(count):
        info = site / f"package{number}-1.0.dist-info"
        info.mkdir()
        requires = "".join(
            f"Requires-Dist: package{(number + step) % count}>=1.0; python_version >= '3.8'\n"
            for step in range(_REQUIREMENTS)
        )
        head = f"Metadata-Version: 2.1\nName: package{number}\nVersion: 1.0\n{requires}Requires-Dist: numpy>=1.20\n"
        readme = "what stands in a readme\n" * _README_LINES
        (info / "METADATA").write_text(f"{head}\n{readme}", encoding="utf-8")
        (info / "RECORD").write_text(f"package{number}/__init__.py,,0\n", encoding="utf-8")
    record = site / "torch-2.4.0+cu121.dist-info" / "RECORD"
    lines = (f"torch/include/ATen/ops/operator_{number}_native.h,sha256={'x' * 43},1234\n" for number in range(12000))
    record.write_text(record.read_text(encoding="utf-8") + "".join(lines), encoding="utf-8")


def _seconds(argv: list[str]) -> float:
    child = os.fork()
    if child == 0:
        nothing = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(nothing, descriptor)
        os.execv(argv[0], argv)
    _, _, used = os.wait4(child, 0)
    return used.ru_utime + used.ru_stime


def main() -> None:
    """Parse and run."""
    it = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    it.add_argument("folder", type=Path)
    it.add_argument("--cost", action="store_true")
    options = it.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    builder = Builder(options.folder)
    if options.cost:
        cost(builder, options.folder)
    else:
        table(builder)


if __name__ == "__main__":
    main()
