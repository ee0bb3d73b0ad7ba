"""Parts of a chip by the tools' names for them: MIG instances, vGPU profiles, virtual functions.

Seen    "NVIDIA A100-SXM4-80GB MIG 1g.10gb"  "nvidia.com/mig-1g.5gb"  "GRID A100-10C"  "NVIDIA RTX6000-Ada-12Q"
        "GRID A100D-1-10C"  "NVIDIA A16-2Q"  "NVIDIA RTX Pro 6000 Blackwell DC-4-96Q"  "DC-1-2QGFX"
        "mig-1g.10gb.me"  "AMD Instinct MI300X VF"  "AMD Radeon Pro V520 MxGPU"
        "half an MI250X (one GCD)"  "A100半卡"  "Tesla-T4-SHARED"
"""

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, Final

from accel.model.chip import Chip
from accel.model.dataclass import dataclass
from accel.text.pattern import pattern

_MIG: Final = pattern(
    r"(?<![a-z0-9.])(?:mig[-_ ])?((?:\d{1,2}c\.)?\d{1,2}g\.\d{1,3}gb)(?:([+.-])((?:me|gfx)(?:\.all)?))?(?![a-z0-9])"
)
_MIG_SAID: Final = "MIG "  # prefix of such a part's name
_KIND: Final = r"(\d{1,3})([qcab](?:gfx)?|cme)"  # of a vGPU: the memory that it has, and what it is licensed for
_PROFILE: Final = pattern(rf"([a-z0-9]{{1,32}}(?:-ada)?)(-\d)?-{_KIND}$")
_PROFILE_IN: Final = pattern(
    r"(?:grid|vgpu|nvidia)[ _/.-]{1,2}(?:com/(?:grid|nvidia)_)?([a-z0-9]{1,24}(?:-ada)?)(-\d)?-"
    rf"{_KIND}(?![\w-])"
)
_ALONE_IN: Final = pattern(
    r"(?<![\w./-])([A-Z0-9]{2,12}(?:-Ada)?)(-\d)?-(\d{1,3})([QC](?:GFX)?|CME)(?![\w-])", exact_case=True
)  # as people and programs list them: {id: 'A100-5C'}; a B could be billions
_FUNCTION: Final = pattern(r"[ _-](?:vf|hf|mxgpu)$")
_SILENT: Final = ("nvidia", "grid", "tesla", "quadro", "virtual", "vgpu")
_MOST_WORDS: Final = 6  # of a profile's name
_MOST_SHARES: Final = 2  # "half an MI250X (one GCD)"


@dataclass(frozen=True, slots=True)
class Part:
    """A part's name extracted from a text.

    said    what the part is, in words: "MIG 1g.10gb"
    rest    the text without it: the whole chip's name, "" if there is none
    before  the text before it
    chips   names of the records with such a part, if the part's own name implies them; () otherwise
    """

    said: str
    rest: str
    chips: tuple[str, ...] = ()
    before: str = ""


def part_in(text: str, tables: Callable[[], list[Any]]) -> Part | None:
    """Return the part that the text names; None if there is none. tables: returns <vendor>/partitions."""
    if (found := _MIG.search(text)) is not None:
        return _instance(text, found.span(), (found[1].lower(), found[2], (found[3] or "").lower()), tables)
    if (function := _FUNCTION.search(text)) is not None:
        return Part("a virtual function", text[: function.start()])
    words = text.replace("(", " ").replace(")", " ").replace("_", " ").split()
    while words and words[0].lower() in _SILENT:
        words = words[1:]
    profile_of = _PROFILE.fullmatch("".join(words)) if len(words) <= _MOST_WORDS else None
    if profile_of is None and (profile_of := _PROFILE_IN.search(text) or _ALONE_IN.search(text)) is not None:
        words = [text[profile_of.start(1) : profile_of.end()]]
    if profile_of is None:
        return None
    board = profile_of[1].lower()
    rows = (row for table in tables() for row in table.get("boards") or () if board in row["prefixes"])
    named = tuple(dict.fromkeys(chip for row in rows for chip in row["chips"]))
    return Part(f"vGPU {''.join(words)}", "", named) if named else None


def share_in(text: str, shares: Mapping[str, str]) -> Part | None:
    """Return the share of a device in words at the text's start or end; None if there is none.

    shares  words, and their meaning: {"one gcd": "one of its dies"}
    """
    said, rest = None, text
    for _ in range(_MOST_SHARES):
        begin, end = _shapes(tuple(shares))
        found = begin.search(rest) or end.search(rest)
        if found is None or not (left := f"{rest[: found.start()]}{rest[found.end() :]}".strip()):
            break
        said, rest = said or shares[found[1].lower()], left
    return Part(said, rest, before=rest) if said is not None else None


@lru_cache(maxsize=2)
def _shapes(words: tuple[str, ...]) -> "tuple[re.Pattern[str], re.Pattern[str]]":
    every = "|".join(map(re.escape, sorted(words, key=len, reverse=True)))
    begin = rf"^({every})(?: of)?(?: (?:an?|the|one|my))?(?: |的|(?<=[^\x00-\x7f])(?=\w))"
    end = rf"(?:[ (（]{{1,3}}|(?<=\w)(?=[^\x00-\x7f-])|(?=-))(?<!\d )({every})[)）]?$"
    return re.compile(begin, re.IGNORECASE), re.compile(end, re.IGNORECASE)


def lacks_part(part: str, chips: tuple[Chip, ...], tables: Callable[[], list[Any]]) -> bool:
    """Return whether none of the chips can be divided this way: no MIG, or profiles of other sizes."""
    if not part.startswith(_MIG_SAID) or not chips:
        return False
    if all(chip.mig_instances_max == 0 for chip in chips):
        return True
    profile = part.removeprefix(_MIG_SAID)
    divided = _chips_of(profile, tables) or _chips_of(profile.partition("+")[0].partition("-")[0], tables)
    listed = {chip for table in tables() for row in table.get("mig") or () for chip in row["chips"]}
    return bool(divided) and all(chip.name in listed and chip.name not in divided for chip in chips)


def _instance(
    text: str, span: tuple[int, int], said: tuple[str, str | None, str], tables: Callable[[], list[Any]]
) -> Part:
    """Return the MIG instance at a span of the text. said: its size, and the separator and extension after it.

    Kubernetes writes a dot for the plus of "1g.10gb+me", which resource names may not contain.
    """
    size, sign, extension = said
    profile = f"{size}{'+' if sign == '.' else sign}{extension}" if sign else size
    of_profile = _chips_of(profile, tables) or _chips_of(size, tables)
    before, behind = text[: span[0]], text[span[1] :]
    rest = f"{before} {behind}".replace("nvidia.com/", " ")
    bare = (word.strip("()[]:,.-_").lower() for word in rest.split())
    tells = any(word not in ("mig", "device", "nvidia", "") for word in bare)
    return Part(f"{_MIG_SAID}{profile}", " ".join(rest.split()) if tells else "", of_profile, before.strip(" ([:,-_"))


def _chips_of(profile: str, tables: Callable[[], list[Any]]) -> tuple[str, ...]:
    """Return the names of the records that can be divided this way."""
    rows = (row for table in tables() for row in table.get("mig") or () if profile in row["profiles"])
    return tuple(dict.fromkeys(chip for row in rows for chip in row["chips"]))
