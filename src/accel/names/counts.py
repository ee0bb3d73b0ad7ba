"""The number of devices in a text, and the text without it.

Seen    "8xH100"  "RTX 4090 x2"  "RTX 3090 (x2)"  "A100:4"  "gpu:v100=2"  "两张4090"  "8卡H800"  "H100 八卡"
        "dual RTX 3090"  "a pair of 3090s"  "eight H100s"  "3090 24G * 8"  "2 pcs RTX 4090"  "16 × A100 GPUs"
        "l40s, count=2"  "gpu:a30:4(S:0-1)"  "huawei.com/Ascend910: 8"

A number counts only if a symbol or a word says so: "PCIe x16" is a link's width, and "2 3090" may be anything.
"""

from math import prod
from typing import Final

from accel.model.dataclass import dataclass
from accel.text.pattern import pattern

_WORDS: Final = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
    "twelve": 12, "sixteen": 16, "twenty": 20, "thirty-two": 32, "sixty-four": 64,
    "single": 1, "solo": 1, "lone": 1, "dual": 2, "twin": 2, "double": 2, "both": 2, "triple": 3, "quad": 4,
    "quadruple": 4, "octa": 8, "octo": 8, "zwei": 2, "drei": 3, "vier": 4, "acht": 8, "dos": 2, "deux": 2, "два": 2,
    "две": 2, "двумя": 2, "двух": 2, "три": 3, "тремя": 3, "трёх": 3, "четыре": 4, "четырьмя": 4, "четырёх": 4,
    "шесть": 6, "шестью": 6, "восемь": 8, "восемью": 8, "восьми": 8, "quatre": 4, "huit": 8, "cuatro": 4, "ocho": 8,
    "otto": 8, "quatro": 4, "oito": 8, "sechs": 6, "pair of": 2, "couple of": 2, "couple": 2, "set of": None,
}  # fmt: skip
_NUMERALS: Final = {
    **dict(zip("一二两三四五六七八九十单双俩", (1, 2, 2, 3, 4, 5, 6, 7, 8, 9, 10, 1, 2, 2), strict=True)),
    "十六": 16,
    "十二": 12,
    "三十二": 32,
    "六十四": 64,
}
_MOST: Final = 100000
_SIGN: Final = r"[x×*✕✖х]"
_BEFORE: Final = pattern(
    rf"\(?(\d{{1,4}}) ?(?:{_SIGN}\)? ?(?!speed-?up|faster|slower|cheaper|better|more |less |smaller|larger)"
    r"(?=[^\W\d_]|\(|\d{4})|(?:pcs|pieces|units|cards|gpus)(?: of)?(?: the)? )"
)
_BEHIND: Final = pattern(
    r"(?<=[^\W_])(?:\)? ?[×*✕✖] ?|\)? x ?|(?<=[0-9)])x|(?:x|: ?|=)(?=\d{1,2}$)"
    r"|[ ,]{1,2}(?:count|qty|quantity|num)[ :=]{0,3})(\d{1,4})(?: ?(?:卡|张|块|片|pcs|gpus|cards))?$"
)
_GROUPED: Final = pattern(
    rf" ?[(（\[](?:{_SIGN} ?(\d{{1,4}})|(\d{{1,4}}) ?{_SIGN}|(\d{{1,4}}) (?:gpus|cards|units|pcs|chips|total))[)）\]]"
)
_CARDS: Final = pattern(r"(\d{1,5}|[一二两三四五六七八九十单双俩]{1,3}) ?(?:卡|张|块|片|路|枚|颗|个)(?!片)")
_WAYS: Final = pattern(
    r"(?<![\w.-])(\d{1,2})(?:-?(?:gpu|way|card)s?|(?<=\d[ ,]\d) (?:gpu|card)s?)(?![\w-])"
)  # "HGX B200 8-GPU", "HGX B300 8 GPU", but not "Vega 8 GPU"
_SEVERAL: Final = pattern(r"(\d{1,3}) (.{2,60}?)(?: (?:gpus|cards|chips|npus|accelerators|devices)|(?<=\d)s)$")
_SPELLINGS: Final = "|".join(sorted(_WORDS, key=len, reverse=True))
_SPELT: Final = pattern(rf"(?:an? |the )?({_SPELLINGS})[ -](?:of )?(?:the )?(?:gpu |card )?(?={_SIGN}? ?\S)")
_KINDS: Final = "used|new|old|cheap|refurbished|second-?hand|identical|spare|modded|dedicated|separate|extra"
_END: Final = pattern(
    rf"(?<![\w.-])(?:(?:(?:^|(?:with|on|of|has|have|had|using|uses?|and|got|over|across|the|our|my|for|in|from|by) )"
    rf"(\d{{1,3}})"
    rf"|(\d{{1,4}}) ?(?:{_SIGN}|pcs|pieces|units|cards|gpus|卡|张|块|片|颗))(?: of)?(?: the| an?)?"
    rf"|([一二两三四五六七八九十单双俩]{{1,3}}) ?(?:卡|张|块|片|路|枚|颗|个)?|({_SPELLINGS})(?: of)?)"
    rf"(?: (?:{_KINDS}))?[ (\"'`]{{0,3}}$"
)
_BEGIN: Final = pattern(
    rf"s?[ (]{{0,2}}(?:{_SIGN} ?(\d{{1,4}})|(\d{{1,2}}) ?{_SIGN}|(\d{{1,4}}) ?(?:gpus|cards|卡|张|块))(?!\w)[)]?"
)
_QUANTITY: Final = pattern(
    r"[\"']?((?:[a-z0-9-]{1,40}\.){1,4}[a-z]{2,10}/[\w.-]{2,60})[\"']?: ?[\"']?(\d{1,3})[\"']?(?: *#.{0,80})?$"
)  # of a pod's resource: "huawei.com/Ascend910: 8"
_KEYED: Final = pattern(
    r"(?<![a-z])gb\d00[ -]nvl(\d{1,3})(?!\w)"
    r"|(?<![a-z])(?:accelerator_?count|gpu_?count|num_gpus|gpus_per_node)[\"']? {0,3}[:=] {0,3}[\"']?(\d{1,3})\b"
    r"|--(?:num-gpus|gpu-count|gpus|count)[ =](\d{1,3})(?![\w:])"
    r"|[\"',{;] {0,12}count {0,3}= {0,3}(\d{1,2})\b"
    r"|(?<![\w-])(\d{1,2})gpu-\d{1,3}vcpu"
)
_TOPOLOGY: Final = pattern(
    r"[,;]? {0,2}(?:[\w./-]{0,40}topology[\"']? {0,2}[:=]? {0,2}[\"']?)?(?<![\w.])"
    r"(\d{1,2})[x×](\d{1,2})(?:[x×](\d{1,2}))?(?![\w.-])[\"']?"
)  # of TPUs: "tpu-v6e-slice 2x4"
_SOCKETS: Final = pattern(r"\((?:s|idx):[\d,-]{1,40}\)$")  # Slurm's "gpu:a30:4(S:0-1)"  "huawei.com/Ascend910: 8"
_LANES: Final = ("pcie", "pci-e", "gen", "lanes", "pci express", "agp")
_FORMS: Final = ("_pcie", "-pcie")  # end a type: "h100_pcie=2"


@dataclass(frozen=True, slots=True)
class Rest:
    """The rest of a text. times: the number of devices in it; aside: the removed words."""

    text: str
    times: int | None = None
    aside: tuple[str, ...] = ()


def without_number(text: str) -> Rest | None:
    """Return the text without the number of devices; None if it has none.

    >>> without_number("8xH100"), without_number("a pair of 3090s"), without_number("RTX 3090 PCIe x16")
    (Rest(text='H100', times=8, aside=()), Rest(text='3090s', times=2, aside=()), None)
    """
    text = _SOCKETS.sub("", text)
    if found := _QUANTITY.match(text):
        return _counted(found[1], int(found[2]))
    if found := _BEFORE.match(text):
        return _counted(text[found.end() :], int(found[1]))
    if (found := _BEHIND.search(text)) and not _is_link(text[: found.start()]) and not _is_key(text, found.start()):
        return _counted(text[: found.start() + (text[found.start()] == ")")], int(found[1]))
    if (found := _GROUPED.search(text)) and not _is_link(text[: found.start()]):
        number = next(filter(None, found.groups()))
        return _counted(f"{text[: found.start()]} {text[found.end() :]}", int(number))
    if found := _SEVERAL.match(text):
        return _counted(found[2], int(found[1]))
    if found := _WAYS.search(text):
        return _counted(f"{text[: found.start()]} {text[found.end() :]}", int(found[1]))
    if (found := _CARDS.search(text)) and (number := _numeral(found[1])):
        return _counted(f"{text[: found.start()]} {text[found.end() :]}", number)
    if (found := _SPELT.match(text)) and (counted := _WORDS[found[1].lower()]):
        return _counted(text[found.end() :], counted)
    return _counted(text[1:], 2) if text.startswith("双") else None


def number_before(text: str) -> tuple[int | None, str]:
    """Return the number of devices at the end of a text that precedes their name, and the text without it.

    >>> number_before("we have two "), number_before("a box with 8 "), number_before("RAM and an ")
    ((2, 'we have '), (8, 'a box '), (None, 'RAM and an '))
    """
    found = _END.search(text)
    if found is None:
        return None, text
    digits, said = found[1] or found[2], (found[3] or found[4] or "").lower()
    number = int(digits) if digits else _NUMERALS.get(said) or _WORDS.get(said)
    return (None, text) if number is None else (number, text[: found.start()])


def number_behind(text: str) -> tuple[int | None, str]:
    """Return the number of devices at the start of a text that follows their name, and the text without it."""
    found = _BEGIN.match(text)
    return (_numeral(next(filter(None, found.groups()))), text[found.end() :]) if found else (None, text)


def number_keyed(text: str) -> int | None:
    """Return the number of devices in a configuration key, anywhere in the text.

    >>> number_keyed("acceleratorType: NVIDIA_TESLA_T4 acceleratorCount: 2"), number_keyed('"8gpu-160vcpu-1792gb"')
    (2, 8)
    """
    found = _KEYED.search(text)
    return int(next(filter(None, found.groups()))) or None if found else None


def without_topology(text: str) -> Rest | None:
    """Return the text without the shape of a TPU slice, whose product is the number of chips; None if it has none.

    >>> without_topology("tpu-v6e-slice, topology: 2x4")
    Rest(text='tpu-v6e-slice', times=8, aside=())
    """
    found = _TOPOLOGY.search(text)
    if found is None:
        return None
    return _counted(
        f"{text[: found.start()]} {text[found.end() :]}", prod(int(side) for side in found.groups() if side)
    )


def number_in_one(text: str) -> int | None:
    """Return how many devices one machine has according to a text: 8 for "HGX B200 8-GPU"."""
    found = _WAYS.search(text)
    return int(found[1]) if found else None


def _is_key(text: str, place: int) -> bool:
    """Return whether another setting's name precedes a symbol: "WARMUP=10", "temp: 45", but not "h100_pcie=2"."""
    label = text[place : place + 2] == ": "
    if text[place] != "=" and not label:
        return False
    name = text[:place].replace(",", " ").split()[-1].lower()
    return not any(map(str.isdigit, name)) and (label or not name.endswith(("gpu", "gpus", "count")))


def _is_link(before: str) -> bool:
    before = before.rstrip(" 0123456789.").lower()
    return before.endswith(_LANES) and not before.endswith(_FORMS)


def _numeral(text: str) -> int | None:
    return _NUMERALS.get(text) or (int(text) if text.isdecimal() else None)


def _counted(text: str, number: int) -> Rest | None:
    text = " ".join(text.strip(" ,，的").split())
    return Rest(text, number) if 0 < number < _MOST and text else None
