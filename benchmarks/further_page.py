"""Ask accel alone about the further machines, and write its figures and answers in resolvers.md anew.

    python benchmarks/further_page.py           write the page
    python benchmarks/further_page.py --check   say whether it is as it would be written

What the peers answered stays as compare_resolvers.py wrote it, which asks all of them and takes the times.
"""

import contextlib
import io
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import yaml
from resolvers import beside, further

from accel.apps.cli import main as accel

_HERE = Path(__file__).parent
PAGE = _HERE / "resolvers.md"


Answer = tuple[int, "dict[str, Any] | None", str]  # accel's exit code, its answer if it gives one, and its complaint


def asked(machine: dict[str, Any]) -> Answer:
    """Return what accel answers for a machine."""
    told, complaint = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(told), contextlib.redirect_stderr(complaint):
        code = accel(["resolve", *further.words_of(machine), "--json"])
    return code, json.loads(told.getvalue()) if code in (0, 1) else None, complaint.getvalue()


def written(answer_for: Callable[[str, dict[str, Any]], Answer] = lambda name, machine: asked(machine)) -> str:
    """Return the page as it should be."""
    judged = []
    for file in beside.FILES:
        machines = yaml.safe_load((_HERE / file).read_text(encoding="utf-8"))["machines"]
        for name, machine in machines.items():
            _, answer, complaint = answer_for(name, machine)
            judged.append(further.judged(name, machine, answer, complaint))
    return beside.rewritten(PAGE.read_text(encoding="utf-8"), judged, beside.FIRST_SIGHT)


def main(words: Sequence[str]) -> int:
    """Write the page, or with --check return 1 if it is not as it should be."""
    text = written()
    if "--check" in words:
        return int(text != PAGE.read_text(encoding="utf-8"))
    PAGE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
