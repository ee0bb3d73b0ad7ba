"""Parts of a chip by the names that tools give them: MIG instances, vGPU profiles, virtual functions.

Seen    "NVIDIA A100-SXM4-80GB MIG 1g.10gb"  "nvidia.com/mig-1g.5gb"  "GRID A100-10C"  "NVIDIA RTX6000-Ada-12Q"
        "GRID A100D-1-10C"  "NVIDIA A16-2Q"  "AMD Instinct MI300X VF"  "AMD Radeon Pro V520 MxGPU"
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from accel.text.pattern import pattern

_MIG: Final = pattern(r"(?<![\w.])(?:mig[- ])?((?:\d{1,2}c\.)?\d{1,2}g\.\d{1,3}gb(?:\+\w{1,6})?)(?!\w)")
_PROFILE: Final = pattern(r"([a-z][a-z0-9]{0,24}(?:-ada)?)(-\d)?-(\d{1,3})([qcab]|cme)$")
_PROFILE_IN: Final = pattern(
    r"(?:grid|vgpu|nvidia)[ _/.-]{1,2}(?:com/grid_)?([a-z][a-z0-9]{0,24}(?:-ada)?)(-\d)?-(\d{1,3})([qcab]|cme)(?![\w-])"
)
_FUNCTION: Final = pattern(r"[ _-](?:vf|hf|mxgpu)$")
_SILENT: Final = ("nvidia", "grid", "tesla", "quadro", "virtual", "vgpu")


@dataclass(frozen=True, slots=True)
class Part:
    """A part's name taken from a text.

    said    what the part is, in words: "MIG 1g.10gb"
    rest    the text without it: the whole chip's name, "" if it says none
    before  what stands before it
    chips   names of the records that have such a part, where the part's own name tells; () otherwise
    """

    said: str
    rest: str
    chips: tuple[str, ...] = ()
    before: str = ""


def part_in(text: str, tables: Callable[[], list[Any]]) -> Part | None:
    """Return the part that the text names; None if it names none. tables: gives <vendor>/partitions."""
    if (found := _MIG.search(text)) is not None:
        profile = found[1].lower()
        chips = (
            chip
            for table in tables()
            for row in table.get("mig") or ()
            if profile in row["profiles"]
            for chip in row["chips"]
        )
        rest = f"{text[: found.start()]} {text[found.end() :]}".replace("nvidia.com/", " ")
        bare = " ".join(
            word for word in rest.split() if word.strip("()[]:,.-").lower() not in ("mig", "device", "nvidia", "")
        )
        before = text[: found.start()].strip(" ([:,-")
        return Part(f"MIG {profile}", " ".join(rest.split()) if bare else "", tuple(dict.fromkeys(chips)), before)
    if (function := _FUNCTION.search(text)) is not None:
        return Part("a virtual function", text[: function.start()])
    words = text.replace("(", " ").replace(")", " ").split()
    while words and words[0].lower() in _SILENT:
        words = words[1:]
    profile_of = _PROFILE.fullmatch("".join(words)) if len(words) <= 6 else None
    if profile_of is None and (profile_of := _PROFILE_IN.search(text)) is not None:
        words = [text[profile_of.start(1) : profile_of.end()]]
    if profile_of is None:
        return None
    board = profile_of[1].lower()
    rows = (row for table in tables() for row in table.get("boards") or () if board in row["prefixes"])
    named = tuple(dict.fromkeys(chip for row in rows for chip in row["chips"]))
    return Part(f"vGPU {''.join(words)}", "", named) if named else None
