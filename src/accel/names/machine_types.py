"""Cloud machine types that are in no table: what their naming scheme says about the chips in them.

Of a known family   "ecs.gn7i-4x.16xlarge"  "ecs.gn6v-c10g1.20xlarge"  "ml.hpcpni2l.28xlarge"  "GN10Xp.5XLARGE80"
Of none, as stated  "m5.large"  "cache.t4g.micro"  "ecs.r7.xlarge"
With the chip named "gx3d-160x1792x8h100"  "8A100.176V"  "a100-80gb.8x"  "gpu-l40s-2x"  "bm-mi300x-8"
                    "1H100.80S.30V"  "B300-SXM-8-288G"  "vcg-a40-2c-10g-4vram"

The number of chips is returned only if the scheme states it.
"""

import re
from collections.abc import Container, Iterator
from typing import Final

from accel.model.dataclass import dataclass
from accel.names.machines import key_of
from accel.text.pattern import pattern

_LONGEST: Final = 48
_FAMILY: Final = pattern(
    r"(?:ecs\.|ml\.)?(?P<family>[a-z][a-z0-9]{1,14})(?:-tee|-inference)?"
    r"(?:-c(?P<cores>\d{1,3})[gm](?P<chips>\d{1,2})|-(?P<times>\d{1,2})x)?\.(?P<size>\d{0,3}x?large)"
    r"(?:\d{1,4}|(?P<ratio>\.\d{1,2}))?"
)
_OF_PROCESSORS: Final = pattern(
    r"(?<![\w.-])(?:[a-z]{2,8}\.)?(?:([cdimrsxz]\d{1,2}[a-z]{0,6}|t[123][a-z]{0,2}|t4g)"
    r"\.(?:\d{0,3}x?large|nano|micro|small|medium|metal)"
    r"|([a-z]\d{1,2}[a-z]?)-(?:standard|highmem|highcpu|ultramem|megamem|dedicated)-\d{1,3})[\w.-]*"
)
_SIZES: Final = {"large": 2, "xlarge": 4}  # processors of a size; "2xlarge" has twice those of "xlarge"
_MOST: Final = 128  # chips in one machine
_ID: Final = pattern(r"(?:[0-9a-f]{4}:)?[0-9a-f]{4}[:-][0-9a-f]{4}")  # of PCI: "1002:66a2" is not 66 A2
_TIMES: Final = pattern(r"(?:(\d{1,3})x|x(\d{1,3})|(\d{1,3})gpus?)")
_MEMORY: Final = pattern(r"(\d{2,4})(?:g|gb)")
_OF_CHIP: Final = pattern(r"(\d{1,4})vram")
_SXM: Final = pattern(r"(\d{2,3})s")  # "1H100.80S.30V": 80 GB, in a socket
_OF_HOST: Final = pattern(r"\d{1,3}(?:vcpu|cpu|c|v)")  # next to it, a memory size without a word is the CPU's
_FORM: Final = pattern(r"(sxm\d?|pcie|nvl)(?:ib|-ib|gdr)?(?:x(\d{1,2}))?")
_CHIP: Final = pattern(
    r"(?:(?P<before>\d{1,2})x?)??(?P<chip>(?:[abhlptv]|gb|gh|mi|k|rtx|gtx|rtxpro|gaudi)\d{1,4}(?:ada|[a-z]{0,2}?))(?:x(?P<behind>\d{1,2}))?"
)


@dataclass(frozen=True, slots=True)
class Family:
    """The family of a type's name.

    chips   the number of chips in the name; None if it has none
    ratio   whether the size ends in the memory per CPU: "g6.xlarge.4" does not belong to the "g6" without it
    """

    name: str
    chips: int | None = None
    ratio: bool = False


def family_of(text: str) -> Family | None:
    """Return the family of a type; None if it does not have such a form.

    >>> [(found.name, found.chips) for text in ("ecs.gn7i-4x.16xlarge", "ecs.gn6v-c10g1.20xlarge", "p5.99xlarge")
    ...  if (found := family_of(text))]
    [('gn7i', 4), ('gn6v', 8), ('p5', None)]
    """
    found = _FAMILY.fullmatch(text.strip().lower()) if len(text) <= _LONGEST else None
    if found is None:
        return None
    return Family(found["family"], _chips_of(found), found["ratio"] is not None)


def _chips_of(found: "re.Match[str]") -> int | None:
    """Return how many chips a type has: "-4x", or as many as its CPUs imply, "-c10g1.20xlarge"."""
    if found["times"] or not found["cores"]:
        return int(found["times"] or 0) or None
    size = found["size"]
    digits = size.rstrip("xlarge")
    processors = _SIZES["xlarge" if digits else size] * int(digits or 1)
    chips, rest = divmod(processors * int(found["chips"]), int(found["cores"]) or 1)
    return chips if chips and not rest and chips <= _MOST else None


def without_processors(text: str, machines: Container[str]) -> str:
    """Return the text without machine types that have only CPUs: "m5.large" is not Apple's M5.

    machines: the keys of those with other chips
    """

    def kept(found: "re.Match[str]") -> str:
        names = (key_of(found[0]), key_of(found[1] or found[2]))
        return found[0] if any(name in machines for name in names) else " "

    return _OF_PROCESSORS.sub(kept, text) if "." in text or "-" in text else text


@dataclass(frozen=True, slots=True)
class SaidChip:
    """A possible name of the chip in a type.

    count  the number in it; None if it has none
    gib    the memory of all its chips, or of its share of one, if the type says that it is theirs
    """

    name: str
    count: int | None = None
    gib: int | None = None


def said_chips(text: str) -> Iterator[SaidChip]:
    """Yield possible names of a type's chip, most specific first.

    >>> [(said.name, said.count) for said in said_chips("a100-80gb.8x")]
    [('a100 80gb', 8), ('a100 10gb', 8), ('a100', 8)]
    >>> next(said_chips("vcg-a40-2c-10g-4vram"))
    SaidChip(name='a40 4gb', count=None, gib=4)
    """
    word = text.strip().lower()
    if len(word) > _LONGEST or " " in word or _ID.fullmatch(word):
        return
    pieces = [part for piece in re.split(r"[-_.:/]", word) if piece for part in _parts(piece)]
    found = [(place, chip) for place, piece in enumerate(pieces) if (chip := _CHIP.fullmatch(piece))]
    if len(found) != 1 or len(pieces) < 2:
        return
    place, chip = found[0]
    rest = [piece for n, piece in enumerate(pieces) if n != place]
    count, told = _count_of(chip, rest, pieces[place + 1 :])
    if not (told or any(_tells_machine(piece) for piece in rest)):
        return  # "A10-7850K" is a processor
    sxm = any(map(_SXM.fullmatch, rest))
    form = next((each[1] for piece in rest if (each := _FORM.fullmatch(piece))), "sxm" if sxm else "")
    gib = next((int(each[1]) for piece in rest if (each := _OF_CHIP.fullmatch(piece))), None)
    memories = [f"{each}gb" for each in _memories(rest, gib, count)]
    bare = f"{chip['chip']} ada" if "ada" in rest else chip["chip"]
    for name in (bare, bare.rstrip("bipx")):  # "h200ib", "a100p", "b200x"
        for more in (*((form, memory) for memory in memories), (form,), *((memory,) for memory in memories), ()):
            if all(more):
                yield SaidChip(" ".join([name, *more]), count, gib)
        if name[-1].isdecimal():
            return


def _count_of(chip: "re.Match[str]", rest: list[str], behind: list[str]) -> tuple[int | None, bool]:
    """Return how many chips a type has, and whether it has any number for them. behind: the pieces after the chip."""
    times = {int(next(filter(None, each.groups()))) for piece in rest if (each := _TIMES.fullmatch(piece))}
    formed = (each[2] for piece in rest if (each := _FORM.fullmatch(piece)))
    times |= {int(told) for told in (chip["before"], chip["behind"], *formed) if told}
    for piece in () if times else behind:
        if piece.isdecimal() and len(piece) == 1:  # "bm-mi300x-8", "B300-SXM-8-288G"
            times = {int(piece)}
            break
        if not (_FORM.fullmatch(piece) or _MEMORY.fullmatch(piece)):
            break
    count = min(times) if len(times) == 1 else None
    return count if count and count <= _MOST else None, bool(times)


def _memories(rest: list[str], gib: int | None, count: int | None) -> list[int]:
    """Return the possible memory sizes of one chip, in GB: as stated, and divided among several."""
    said = [int(each[1]) for piece in rest if (each := _SXM.fullmatch(piece))]
    if gib is not None:
        said = [gib]
    elif not said and not any(map(_OF_HOST.fullmatch, rest)):
        said = [int(each[1]) for piece in rest if (each := _MEMORY.fullmatch(piece))]
    return said[:1] + [each // count for each in said[:1] if count and count > 1 and each % count == 0]


def _parts(piece: str) -> list[str]:
    """Return the parts between multiplication signs: "160x1792x8h100"; "sxm5x8" is a form and a count."""
    return re.split(r"(?<=\d)x(?=\d)", piece) if piece.count("x") > 1 and not _FORM.fullmatch(piece) else [piece]


def _tells_machine(piece: str) -> bool:
    """Return whether a piece of a word belongs to a machine type: a form, a memory size, a size, "gpu"."""
    sized = piece.isdecimal() and len(piece) < 4
    return (
        sized
        or piece in ("gpu", "vm", "bm", "node")
        or any(each.fullmatch(piece) for each in (_FORM, _MEMORY, _OF_CHIP, _SXM))
    )
