"""Mistakes in lists of number formats: unknown formats, and rows about things that the file does not define."""

from collections.abc import Iterator
from typing import Any, Final

_UNITS: Final = ("storage", "arithmetic", "matrix")


def format_mistakes(table: dict[str, Any], formats: dict[str, Any] | None) -> Iterator[tuple[str, str, set[str]]]:
    """Yield (place, word, what was expected) for each mistake in a table of architectures.

    formats  the table number_formats; None if it is not available, and then only the subjects of rows are checked
    """
    known = {row["name"] for row in (formats or {}).get("formats") or ()}
    rows = table.get("architectures") or ()
    codes = {code for row in rows for of in ("compute_capabilities", "compute_targets") for code in row.get(of) or ()}
    generations = {row["name"] for row in rows} | codes
    for number, row in enumerate(table.get("number_formats") or ()):
        place = f"number_formats[{number}]"
        yield from ((f"{place}.of", word, generations) for word in row["of"] if word not in generations)
        for unit in _UNITS if known else ():
            named = (word.removeprefix("?") for word in row.get(unit) or ())
            yield from ((f"{place}.{unit}", word, known) for word in named if word not in known)
