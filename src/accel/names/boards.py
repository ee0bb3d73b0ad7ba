"""What board makers write around a chip's name: hyphenated codes and their own editions.

Seen    "ROG-STRIX-RTX2070S-A8G-GAMING"  "TUF 3-RX5700XT-O8G-GAMING"  "GT1030-SL-2G-BRK"  "AXRX 5500XT 4GBD6-DH"
        "EVGA GTX1650 XC Black GAMING 4G"  "RTX2070 WINDFORCE 2X 8G"  "INNO3D RTX2080 SUPER iChill X3 Ultra"
        "PNY VCNRTX4000ADA-PB"
"""

from typing import Final

from accel.names.aside import telling_of
from accel.names.index import Index, vocabulary_of
from accel.names.tokens import parts_of, raw_words
from accel.text.pattern import pattern

_CODE: Final = pattern(r"(?<![\w-])[^\W_]+(?:-[^\W_]+){1,7}(?![\w-])")
_MEMORY: Final = pattern(r"[a-z]?(\d{1,2})gb?")
_WITH_TYPE: Final = pattern(r"(?<![\w-])(\d{1,2})gb?-?g?d[3-7]x?(?:-[a-z0-9]{1,6})?(?![\w-])")
_PROFILE: Final = pattern(r"\d{1,3}[qcab]")  # of a virtual GPU: "RTX6000-Ada-12Q"
_FANS: Final = pattern(r"(?<![\w-])([a-z]{4,9})[ -](?:[1-4]x(?![\w-])|x[1-4](?= ))")
_LINE: Final = pattern(r"(?<![\w-])(\w{3,12})(?:®|™)?[ -](?:dual|twin|solo|single|duo|triple)(?=[ -])")
_GENERATION: Final = pattern(r"(\d{4})([a-z]{3,})$")
_LONGEST_VARIANT: Final = 4  # letters after a maker's part number: "PB", "BLK"
_WORD: Final = pattern(r"[^\s(),;:]+")


def without_codes(index: Index, text: str) -> str:
    """Return the text with each board code split into words: "rog strix rtx2070s 8GB gaming"."""
    known = vocabulary_of(index)
    series = known.series
    text = _without_fans(index, text)
    text = _WITH_TYPE.sub(r"\1GB", text)
    if "-" in text and any(front in text.lower() for front in known.code_fronts):
        text = _CODE.sub(lambda found: _numbered(found[0], known.code_fronts), text)
    return _CODE.sub(lambda found: _spelt(found[0], series), text) if "-" in text else text


def _numbered(code: str, fronts: tuple[str, ...]) -> str:
    """Return the product in a maker's own part number of a board: "RTX4000 ADA" for "VCNRTX4000ADA-PB"."""
    front = next((front for front in fronts if code.lower().startswith(front)), None)
    name, _, variant = code.partition("-")
    if front is None or len(variant) > _LONGEST_VARIANT or not any(map(str.isdigit, name)):
        return code
    return _GENERATION.sub(r"\1 \2", name[len(front) :])


def _without_fans(index: Index, text: str) -> str:
    """Return the text without the number of fans in a board's name: "Ventus 2X RTX 3060", "ASUS Dual RTX 4070"."""
    known = vocabulary_of(index)
    text = _LINE.sub(lambda found: found[1] if found[1].lower() in known.partners else found[0], text)
    return _FANS.sub(lambda found: found[1] if found[1].lower() in known.coolers else found[0], text)


def _spelt(code: str, series: frozenset[str]) -> str:
    parts = code.split("-")
    glued = (part.lower().removeprefix(one) for part in parts for one in series if part.lower().startswith(one))
    if _PROFILE.fullmatch(parts[-1]) or not any(rest[:3].isdecimal() for rest in glued):
        return code
    if parts[0].lower() == "dual":  # a cooler with two fans, no number: "DUAL-RTX5060TI-O8G"
        parts = parts[1:] if any(_MEMORY.fullmatch(part) for part in parts[1:]) else parts
    return " ".join(f"{told[1]}GB" if (told := _MEMORY.fullmatch(part)) else part for part in parts)


def without_editions(index: Index, text: str) -> str | None:
    """Return a board's text without its maker's editions; None if it names no board maker, or no edition.

    An edition that is also a word in product names ("black", "ultra") only counts apart from the number.
    """
    known = vocabulary_of(index)
    if known.partners.isdisjoint(raw_words(text, known)):
        return None
    telling, kept, before = telling_of(index), text, ""
    for found in reversed(list(_WORD.finditer(text))):
        word = found[0].lower()
        before = next((one for one in reversed(text[: found.start()].lower().split())), "")
        if word in known.editions and not (word in telling and _are_of_a_name(index, before, word)):
            kept = f"{kept[: found.start()]} {kept[found.end() :]}"
    return " ".join(kept.split()) if kept != text else None


def _are_of_a_name(index: Index, number: str, word: str) -> bool:
    """Return whether a word after a number may belong to a product's name: "TITAN Z", "980 Ti", but not "3060 Dual"."""
    if not any(map(str.isdigit, number)):
        return False
    last = f"{parts_of(number, vocabulary_of(index))[-1]} {word}"
    outlines = index.get("outlines of")
    return any(last in key for each in (index, *((outlines(),) if outlines else ())) for key in each["names"])
