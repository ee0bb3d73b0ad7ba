"""The words by which tools call the way between two devices: specs/system/paths.yaml."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from accel.model.dataclass import dataclass

if TYPE_CHECKING:
    from accel.specs import Specs

PathKind = Literal["fabric", "bus", "unknown"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PathWord:
    """A word of a matrix and what it means. rank: the nearer the lower, over all vendors."""

    word: str
    means: str
    kind: PathKind
    rank: int


class PathWords:
    """What a word means; a word that is in no table is a bus of which nothing else is known."""

    def __init__(self, specs: "Specs") -> None:
        table: Mapping[str, Any] = specs.table("system/paths") or {"paths": ()}
        self._rows = {str(row["word"]): row for row in table["paths"]}

    def of(self, path: str) -> PathWord:
        """Return the meaning of a word as a matrix has it: "NV18".

        >>> from accel.specs import load
        >>> words = PathWords(load())
        >>> [(words.of(path).kind, words.of(path).means[:20]) for path in ("NV18", "PIX", "WARP9")]
        [('fabric', '18 NVLinks together,'), ('bus', 'PCIe, through at mos'), ('unknown', 'in no table of accel')]
        """
        row = self._rows.get(path)
        if row is None and (counted := self._rows.get(f"{path.rstrip('0123456789')}#")) is not None:
            count = path[len(path.rstrip("0123456789")) :]
            means = str(counted["means"]).replace("so many", count)
            return PathWord(word=path, means=means, kind=counted["kind"], rank=counted["rank"])
        if row is None:
            return PathWord(word=path, means="in no table of accel's", kind="unknown", rank=9)
        return PathWord(word=path, means=row["means"], kind=row["kind"], rank=row["rank"])
