"""Lists that a program reads: a line a record, however long; and a check that finds what lies beside the plugin."""

import os
import subprocess
import sys
from pathlib import Path

from accel.kit.recordings import checkout_recordings
from accel.kit.subject import find_subject
from accel.specs import load

ROOT = Path(__file__).parent.parent


def test_the_list_of_chips_has_a_line_a_chip_where_it_is_piped() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "accel", "specs", "list", "--vendor", "nvidia"],
        capture_output=True,
        text=True,
        env={**os.environ, "COLUMNS": "40", "PYTHONUTF8": "1"},
        check=False,
    )
    lines = done.stdout.splitlines()
    count = int(lines[-1].split(" ", 1)[0])
    names = [chip.name for chip in load().chips("nvidia")]
    assert len(names) == count
    assert len(lines) == count + 3  # a head, a rule, and how many there are
    assert all(any(line.startswith(name) for line in lines) for name in names)


def test_a_checkout_has_the_recordings_of_accels_own_plugins() -> None:
    folder = checkout_recordings(find_subject("nvidia", {}))
    assert folder == str(ROOT / "plugins" / "nvidia" / "tests" / "machines")
