r"""Read package managers' histories: the version of a product that was replaced worked, the new one fails.

    [2025-01-11T09:12:40+0100] [ALPM] upgraded linux-firmware (20241210.b00a7f7e-1 -> 20250109.7673dffd-1)
    2025-01-11 09:12:40 upgrade linux-firmware:all 20240318-0ubuntu2.9 20240318-0ubuntu2.10                  dpkg.log
    Upgrade: linux-firmware:amd64 (20240318-0ubuntu2.9, 20240318-0ubuntu2.10), mesa:amd64 (…)                apt
    Upgraded linux-firmware-20241210-1.fc41.noarch @@System  Upgrade linux-firmware-20250109-1.fc41.noarch   dnf

A product that was taken back afterwards is not at fault. Where several remain, nothing tells which one it was.
"""

from collections.abc import Iterator
from typing import Any, Final

from accel.facts.readers.page import Page
from accel.model.observation import Noted
from accel.text.pattern import pattern

_NAME: Final = r"(?P<name>[a-z][\w.+-]{1,80}?)"
_VERSION: Final = r"[\w.:+~-]{1,80}"
_PAIRS: Final = (
    pattern(
        rf"\[ALPM\] (?P<verb>upgraded|downgraded) {_NAME} \((?P<old>{_VERSION}) -> (?P<new>{_VERSION})\)",
        exact_case=True,
    ),
    pattern(rf"(?P<verb>upgrade) {_NAME}:\w{{2,8}} (?P<old>\d{_VERSION}) (?P<new>\d{_VERSION})$", exact_case=True),
)
_APT: Final = pattern(r"(?P<verb>Upgrade|Downgrade): ", exact_case=True)
_APT_ONE: Final = pattern(
    rf"(?<![\w:.-]){_NAME}:\w{{2,8}} \((?P<old>{_VERSION}), (?P<new>{_VERSION})(?:, \w{{1,20}})?\)", exact_case=True
)
_DNF: Final = pattern(
    rf"(?P<verb>Upgraded|Upgrade|Downgraded|Downgrade) {{1,8}}{_NAME}-(?P<version>\d{_VERSION})\.\w{{2,8}}(?: |$)"
)


def changed_versions(page: Page, fact: str) -> Iterator[Noted]:
    """Yield the old version as one that works and the new one as one that fails, for the one product that changed."""
    rows = [row for row in (page.specs.table("system/going_back") or {}).get("products", ()) if "packages" in row]
    changed: dict[str, tuple[str, str, int]] = {}
    for name, old, new, back, number in _changes(page):
        row: Any = next((row for row in rows if name.startswith(tuple(row["packages"]))), None)
        if row is None:
            continue
        if back:
            changed.pop(row["what"], None)
        else:
            changed.setdefault(row["what"], (old, new, number))
    if len(changed) != 1:
        return
    (what, (old, new, number)), *_ = changed.items()
    for version, outcome in ((old, "works"), (new, "fails")):
        yield Noted(
            fact=fact, values=(("what", what), ("version", version), ("outcome", outcome)), **page.on_line(number)
        )


def _changes(page: Page) -> Iterator[tuple[str, str, str, bool, int]]:
    """Yield each replaced package: name, old and new version, whether it went back, and the line."""
    replaced: dict[str, str] = {}
    for number, line in enumerate(page.lines, 1):
        if len(line) > 4000:
            continue
        for hit in (found for one in _PAIRS if (found := one.search(line))):
            yield hit["name"], hit["old"], hit["new"], hit["verb"].startswith("down"), number
        if head := _APT.match(line):
            for hit in _APT_ONE.finditer(line, head.end()):
                yield hit["name"], hit["old"], hit["new"], head["verb"] == "Downgrade", number
        elif one := _DNF.match(line.strip()):
            other = replaced.get(one["name"])
            if one["verb"].endswith("d"):
                replaced[one["name"]] = one["version"]
            elif other:
                yield one["name"], other, one["version"], one["verb"] == "Downgrade", number
