"""The first remedy of a fault is what the place takes that the text names; what is lost again is made to last."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from accel.apps.api import doctor, read_text
from accel.specs.store import parse

TABLE: Mapping[str, Any] = parse(str(Path(__file__).parent / "places.yaml"))


def wrong(name: str, text: str, wanted: Mapping[str, str]) -> Iterator[str]:
    """Yield what the first remedy of a text has otherwise."""
    findings = doctor(read_text(text)).findings
    if not findings or not findings[0].remedies:
        yield f"{name}: no remedy"
        return
    first = findings[0].remedies[0]
    whole = f"{first.text} {first.command or ''} {first.kind}"
    for of, typed in (("text", first.text), ("command", first.command or "")):
        if of in wanted and not re.search(wanted[of], typed):
            yield f"{name}: {of} is {typed!r}, not {wanted[of]!r}"
    if "!" in wanted and re.search(wanted["!"], whole):
        yield f"{name}: {whole!r} has {wanted['!']!r}"


def test_the_first_remedy_is_what_the_place_takes() -> None:
    cells = [
        (f"{fault} in {place}", TABLE["places"][place] + TABLE["faults"][fault], wanted)
        for fault, row in TABLE["expected"].items()
        for place, wanted in row.items()
    ]
    assert [said for cell in cells for said in wrong(*cell)] == []


def test_what_is_lost_again_is_made_to_last_and_nothing_else() -> None:
    assert [said for row in TABLE["lost"] for said in wrong(row["report"][:40], row["report"], row)] == []
