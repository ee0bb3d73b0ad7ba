"""The same error by another of its spellings: its enumerator, number or sentence, as the tables of errors have them.

"cudaErrorSystemNotReady" becomes "CUDA error 802", "CUDA_ERROR_SYSTEM_NOT_READY" or "system not yet initialized".
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, Final

from accel.specs.store import parse

_NAME: Final = re.compile(r"[A-Za-z_]\w{5,}")
_NUMBER: Final = re.compile(r"\b([Ee]rror|[Ee]rror code|errno)([ :=]+)(-?\d{1,6})\b(?![.\w])")
_PATTERNED: Final = re.compile(r"[\[\](){}|*]|\.\.\.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Spelt:
    """One error. titles: how its number is introduced; names: enumerators; says: sentences without alternatives."""

    code: str
    title: str
    names: tuple[str, ...] = ()
    says: tuple[str, ...] = ()

    def spellings(self, written: str) -> list[str]:
        """Return the spellings other than the one that is written."""
        number = [f"{self.title} error {self.code}"] if self.code.isdecimal() else []
        return [one for one in (*self.names, *number, *self.says) if one.lower() != written.lower()]


@dataclass(frozen=True, slots=True)
class Respelling:
    """Every error of the tables, by name and by number."""

    by_name: Mapping[str, Spelt] = field(default_factory=dict)
    by_code: Mapping[str, Spelt] = field(default_factory=dict)

    @classmethod
    def of(cls, specs: Path) -> "Respelling":
        """Return the errors of specs/*/errors/*.yaml. A number that several tables have is left out."""
        names: dict[str, Spelt] = {}
        codes: dict[str, list[Spelt]] = {}
        for path in sorted(specs.glob("*/errors/*.yaml")):
            table = parse(str(path))
            for row in table["errors"]:
                spelt = _spelt(row, table)
                names.update({name.lower(): spelt for name in spelt.names})
                codes.setdefault(spelt.code, []).append(spelt)
        return cls(names, {code: rows[0] for code, rows in codes.items() if len(rows) == 1 and rows[0].names})

    def run(self, text: str, random: Random) -> str:
        """Return the text with every error that a table has written in another way."""
        named = _NAME.sub(lambda found: self._named(found[0], random), text)
        return _NUMBER.sub(self._numbered, named) if named == text else named

    def _named(self, word: str, random: Random) -> str:
        spelt = self.by_name.get(word.lower())
        others = spelt.spellings(word) if spelt else []
        return random.choice(others) if others else word

    def _numbered(self, found: "re.Match[str]") -> str:
        spelt = self.by_code.get(found[3])
        return f"{found[1]}{found[2]}{spelt.names[0]}" if spelt else found[0]


def _spelt(row: Mapping[str, Any], table: Mapping[str, Any]) -> Spelt:
    says = [one for one in row.get("says", ()) if isinstance(one, str)]
    return Spelt(
        code=str(row["code"]),
        title=str(table.get("title", table["domain"])),
        names=tuple(name for name in row.get("names", ()) if len(name) > 5),
        says=tuple(one for one in says if not _PATTERNED.search(one)),
    )
