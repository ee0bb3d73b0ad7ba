"""Clouds' types of machines that no table has: what their own scheme tells of the chips in them.

Of a known family   "ecs.gn7i-4x.16xlarge"  "ecs.gn6v-c10g1.20xlarge"  "ml.hpcpni2l.28xlarge"  "GN10Xp.5XLARGE80"
That says its chip  "gx3d-160x1792x8h100"  "8A100.176V"  "a100-80gb.8x"  "gpu-l40s-2x"  "bm-mi300x-8"

How many chips there are is told where the scheme says it, and else not.
"""

import re
from collections.abc import Iterator
from typing import Final

_LONGEST: Final = 48
_FAMILY: Final = re.compile(
    r"(?:ecs\.|ml\.)?(?P<family>[a-z][a-z0-9]{1,14})(?:-tee|-inference)?"
    r"(?:-c(?P<cores>\d{1,3})[gm](?P<chips>\d{1,2})|-(?P<times>\d{1,2})x)?\.(?P<size>\d{0,3}x?large)(?:\d{1,4}|\.\d{1,2})?"
)
_SIZES: Final = {"large": 2, "xlarge": 4}  # processors of a size; "2xlarge" has twice those of "xlarge"
_MOST: Final = 128  # chips in one machine
_ID: Final = re.compile(r"(?:[0-9a-f]{4}:)?[0-9a-f]{4}[:-][0-9a-f]{4}")  # of PCI: "1002:66a2" is no 66 A2
_TIMES: Final = re.compile(r"(?:(\d{1,3})x|x(\d{1,3})|(\d{1,3})gpus?)")
_MEMORY: Final = re.compile(r"(\d{2,3})(?:g|gb|vram)")
_FORM: Final = re.compile(r"(sxm\d?|pcie|nvl)(?:ib|-ib)?(?:x(\d{1,2}))?")
_CHIP: Final = re.compile(
    r"(?:(?P<before>\d{1,2})x?)??(?P<chip>(?:[abhlptv]|gb|gh|mi|k|rtx|gtx|rtxpro|gaudi)\d{1,4}(?:ada|[a-z]{0,2}?))(?:x(?P<behind>\d{1,2}))?"
)


def family_of(text: str) -> tuple[str, int | None] | None:
    """Return the family of a type, and how many chips the type's name says; None where it has no such form.

    >>> family_of("ecs.gn7i-4x.16xlarge"), family_of("ecs.gn6v-c10g1.20xlarge"), family_of("p5.99xlarge")
    (('gn7i', 4), ('gn6v', 8), ('p5', None))
    """
    found = _FAMILY.fullmatch(text.strip().lower()) if len(text) <= _LONGEST else None
    if found is None:
        return None
    if found["times"]:
        return found["family"], int(found["times"]) or None
    if not found["cores"]:
        return found["family"], None
    size = found["size"]
    digits = size.rstrip("xlarge")
    processors = _SIZES["xlarge" if digits else size] * int(digits or 1)
    chips, rest = divmod(processors * int(found["chips"]), int(found["cores"]) or 1)
    return found["family"], chips if chips and not rest and chips <= _MOST else None


def said_chips(text: str) -> Iterator[tuple[str, int | None]]:
    """Yield what may be the name of the chip that a type says, the most exact first, and how many it says.

    >>> list(said_chips("a100-80gb.8x")), list(said_chips("gx3d-160x1792x8h100"))
    ([('a100 80gb', 8), ('a100', 8)], [('h100', 8)])
    """
    word = text.strip().lower()
    if len(word) > _LONGEST or " " in word or _ID.fullmatch(word):
        return
    pieces = [piece for piece in re.split(r"[-_.:/]", word) if piece]
    pieces = [part for piece in pieces for part in _parts(piece)]
    found = [(place, chip) for place, piece in enumerate(pieces) if (chip := _CHIP.fullmatch(piece))]
    if len(found) != 1 or len(pieces) < 2:
        return
    place, chip = found[0]
    rest = [piece for n, piece in enumerate(pieces) if n != place]
    times = {int(next(filter(None, each.groups()))) for piece in rest if (each := _TIMES.fullmatch(piece))}
    formed = [each for piece in rest if (each := _FORM.fullmatch(piece))]
    times |= {int(told) for told in (chip["before"], chip["behind"], *(each[2] for each in formed)) if told}
    beside = [pieces[n] for n in (place - 1, place + 1) if 0 <= n < len(pieces) and pieces[n].isdecimal()]
    if not times and pieces[-1].isdecimal() and beside == [pieces[-1]] and len(pieces[-1]) == 1:
        times = {int(pieces[-1])}  # "bm-mi300x-8"
    count = min(times) if len(times) == 1 else None
    if not (times or any(_tells_machine(piece) for piece in rest)):
        return  # "A10-7850K" is a processor
    form = formed[0][1] if formed else ""
    memory = next((f"{each[1]}gb" for piece in rest if (each := _MEMORY.fullmatch(piece))), "")
    count = count if count and count <= _MOST else None
    bare = f"{chip['chip']} ada" if "ada" in rest else chip["chip"]
    for name in (bare, bare.rstrip("bip")):  # "h200ib", "a100p"
        for more in ((form, memory), (form,), (memory,), ()):
            if all(more):
                yield " ".join([name, *more]), count
        if name[-1].isdecimal():
            return


def _parts(piece: str) -> list[str]:
    """Return what stands between the signs of a product: "160x1792x8h100"; "sxm5x8" is a form and a count."""
    return re.split(r"(?<=\d)x(?=\d)", piece) if piece.count("x") > 1 and not _FORM.fullmatch(piece) else [piece]


def _tells_machine(piece: str) -> bool:
    """Tell whether a piece of a word is of a machine's type: a form, a memory, a size, "gpu"."""
    sized = piece.isdecimal() and len(piece) < 4
    return sized or piece in ("gpu", "vm", "bm", "node") or any(each.fullmatch(piece) for each in (_FORM, _MEMORY))
