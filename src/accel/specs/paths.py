"""The words that tools use for the path between two devices: specs/system/paths.yaml."""

from collections.abc import Mapping
from typing import Any, Final, Literal

from accel.model.dataclass import dataclass
from accel.specs import Specs

PathKind = Literal["fabric", "bus", "unknown"]
_MOST_DIGITS: Final = 4  # of a count of links


@dataclass(frozen=True, slots=True, kw_only=True)
class PathWord:
    """A word in a topology matrix and its meaning.

    rank   lower is closer, across all vendors
    link   the kind of link: "nvlink", "xgmi", "hccs", "pcie" …, "unknown"
    lanes  the number of links: 18 for "NV18"; None if the word has no count
    meet   where two PCIe paths meet: "switch" (below one root port), "root", "node", "system"; None if not given
    """

    word: str
    means: str
    kind: PathKind
    rank: int
    link: str = "unknown"
    lanes: int | None = None
    meet: str | None = None


class PathWords:
    """The meanings of words; a word in no table is a bus about which nothing else is known."""

    def __init__(self, specs: Specs) -> None:
        table: Mapping[str, Any] = specs.table("system/paths") or {"paths": ()}
        self._rows = {str(row["word"]): row for row in table["paths"]}

    def of(self, path: str) -> PathWord:
        """Return the meaning of a word from a matrix: "NV18".

        >>> from accel.specs import load
        >>> words = PathWords(load())
        >>> [(words.of(path).kind, words.of(path).means[:20]) for path in ("NV18", "PIX", "WARP9")]
        [('fabric', '18 NVLinks together,'), ('bus', 'PCIe, through at mos'), ('unknown', 'in no table of accel')]
        """
        row = self._rows.get(path)
        counted = path.rstrip("0123456789")
        count = path[len(counted) :]
        if row is None and 0 < len(count) <= _MOST_DIGITS:
            row = self._rows.get(f"{counted}#")
        if row is None:
            return PathWord(word=path, means="in no table of accel's", kind="unknown", rank=9)
        lanes = int(count) if str(row["word"]).endswith("#") else None
        return PathWord(
            word=path,
            means=str(row["means"]).replace("so many", count) if lanes is not None else row["means"],
            kind=row["kind"],
            rank=row["rank"],
            link=row["link"],
            lanes=lanes,
            meet=row.get("meet"),
        )
