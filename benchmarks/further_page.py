"""Ask accel alone about the further machines, and write its figures and answers in resolvers.md anew.

    python benchmarks/further_page.py           write the page
    python benchmarks/further_page.py --check   say whether it is as it would be written

What the peers answered stays as compare_resolvers.py wrote it, which asks all of them and takes the times.
"""

import contextlib
import io
import json
import sys
from collections.abc import Sequence
from pathlib import Path

import yaml
from resolvers import beside, further

from accel.apps.cli import main as accel

_HERE = Path(__file__).parent
PAGE = _HERE / "resolvers.md"


def written() -> str:
    """Return the page as it should be."""
    judged = []
    for file in beside.FILES:
        machines = yaml.safe_load((_HERE / file).read_text(encoding="utf-8"))["machines"]
        for name, machine in machines.items():
            told, complaint = io.StringIO(), io.StringIO()
            with contextlib.redirect_stdout(told), contextlib.redirect_stderr(complaint):
                code = accel(["resolve", *further.words_of(machine), "--json"])
            answer = json.loads(told.getvalue()) if code in (0, 1) else None
            judged.append(further.judged(name, machine, answer, complaint.getvalue()))
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
