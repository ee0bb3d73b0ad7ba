"""Names of chips, as drivers, tools and people write them, and an index that finds them.

Seen    "NVIDIA A100-SXM4-80GB"  "GeForce GTX 1080 Ti"  "RTX2080Ti"  "NVIDIA GeForce RTX 4070 ..."  (nvidia-smi, cut)
        "GP107 [GeForce GTX 1050 Ti]"  "Navi 31 [Radeon RX 7900 XT/7900 XTX]"  (lspci)  "Ascend910B3"  "910B3"

A name becomes words. Some say nothing (the brand), some describe (memory, form), all others tell models apart:
a description may be missing from a name, any other word may not. "1050" therefore never finds "1050 Ti".
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

Words = tuple[str, ...]

_BRANDS = {
    "nvidia": "nvidia geforce gtx gts gt rtx tesla quadro titan jetson tegra grid nvs",
    "amd": "amd ati radeon instinct rx firepro ryzen navi vega",
    "intel": "intel arc gaudi iris",
    "ascend": "ascend huawei atlas npu",
    "tpu": "tpu google",
    "apple": "apple",
}
_BRAND_OF = {word: vendor for vendor, words in _BRANDS.items() for word in words.split()}
_SAYS_NOTHING = frozenset(
    [
        "nvidia",
        "geforce",
        "tesla",
        "corporation",
        "corp",
        "inc",
        "amd",
        "ati",
        "radeon",
        "instinct",
        "advanced",
        "micro",
        "devices",
        "intel",
        "huawei",
        "google",
        "cloud",
        "apple",
        "ascend",
        "gpu",
        "npu",
        "device",
        "graphics",
        "card",
        "vga",
        "compatible",
        "controller",
        "3d",
        "accelerator",
        "the",
        "generation",
        "edition",
        "with",
        "design",
        "rev",
        "lite",
        "hash",
        "rate",
        "lhr",
        "module",
        "series",
        "system",
        "chip",
        "jetson",
        "grid",
        "per",
        "oem",
    ]
)
_SERIES = frozenset(["gtx", "rtx", "gts", "gt", "rx", "quadro"])
_FORMS = re.compile(r"sxm\d?|pcie|nvl|dgxs|oam|workstation|server|active")
_MEMORY = re.compile(r"(\d+)g(?:i?b)?")
_MEMORY_TYPE = re.compile(r"hbm\d?e?|gddr\dx?|lpddr\dx?")
_PORTABLE = frozenset(["laptop", "mobile", "maxq", "notebook"])
_GLUED_FRONT = re.compile(r"(geforce|nvidia|tesla|quadro|radeon|instinct|ascend|titan|rtx|gtx|gts|gt|rx)(.+)")
_GLUED_REST = re.compile(r"[a-z]{0,4}\d.*|pro|x|xp|v|z|black")
_GLUED_BACK = re.compile(r"(\d{3,4})((?:ti|super|xtx|xt|gre|d)+)")
_BACKS = re.compile(r"ti|super|xtx|xt|gre|d")
_BRACKET = re.compile(r"\[([^\[\]]+)\]\s*(?:\(rev [0-9a-f]+\))?\s*$", re.IGNORECASE)
_MARK = re.compile(r"\((?:r|tm|c)\)|[®™]", re.IGNORECASE)
_PARTITION = re.compile(r"\s+MIG\s+\d+[gc][.\w+]*.*$|\s*\(UUID:.*$|(?<=\w)-\d+[QCAB]$", re.IGNORECASE)
_CUT = re.compile(r"\s*(?:\.{2,}|…)\s*$")


@dataclass(frozen=True, slots=True)
class Name:
    """A name taken apart.

    words  all that say something, in order; cut: the last word may go on (" " before the dots: a word follows)
    """

    words: Words
    vendor: str | None = None
    cut: str | None = None

    @property
    def core(self) -> Words:
        """The words that tell models apart."""
        return tuple(word for word in self.words if _description(word) is None)

    @property
    def memory_gib(self) -> int | None:
        found = [int(m[1]) for word in self.words if (m := _MEMORY.fullmatch(word))]
        return found[0] if len(found) == 1 else None


def names_in(text: str) -> list[Name]:
    """Return the name in the text; several where it lists alternatives ("RX 7900 XT/7900 XTX")."""
    text = _MARK.sub(" ", text.strip())
    bracket = _BRACKET.search(text)
    if bracket and words_of(bracket[1]):
        text = bracket[1]
    text = _PARTITION.sub("", text)
    vendor = brand_of(text)
    cut = _CUT.search(text)
    ending = None
    if cut:
        ending, text = (" " if cut[0][0].isspace() else "."), text[: cut.start()]
    found: list[Name] = []
    series: Words = ()
    for part in re.split(r"\s*/\s*", text):
        words = words_of(part)
        if words and not set(words) & _SERIES and words[0][0].isdigit():
            words = series + words
        series = tuple(word for word in words if word in _SERIES) or series
        if words:
            found.append(Name(words, vendor, ending))
    return found


def brand_of(text: str) -> str | None:
    """Return the vendor that the words of the text name; None if they name none, or several."""
    found = {
        _BRAND_OF[word]
        for raw in re.findall(r"[a-z]+", text.lower())
        for word in (raw, raw.rstrip("x") if raw in ("rtxa",) else raw)
        if word in _BRAND_OF
    }
    return found.pop() if len(found) == 1 else None


def words_of(text: str) -> Words:
    """Return the words that say something, in order, in lower case.

    >>> words_of("NVIDIA GeForce RTX2080Ti"), words_of("Tesla V100-SXM2-32GB"), words_of("RTX 4080 with Max-Q Design")
    (('rtx', '2080', 'ti'), ('v100', 'sxm2', '32gb'), ('rtx', '4080', 'maxq'))
    """
    text = re.sub(r"max-?\s?q\b", "maxq", text.lower())
    text = re.sub(r"\bpci(?:-?e|\s?express)?\b", "pcie", text)
    text = re.sub(r"\brev\.? [0-9a-f]{1,2}\b", " ", text)
    words: list[str] = []
    for raw in re.findall(r"[a-z0-9.+]+", text):
        words.extend(word for word in _unglued(raw.strip(".")) if word)
    joined: list[str] = []
    for word in words:
        if word in ("gb", "gib") and joined and joined[-1].isdigit():
            joined[-1] += "gb"
        elif memory := _MEMORY.fullmatch(word):
            joined.append(f"{memory[1]}gb")
        elif word not in _SAYS_NOTHING:
            joined.append(word)
    return tuple(joined)


def _unglued(word: str) -> Iterator[str]:
    front = _GLUED_FRONT.fullmatch(word)
    if front and _GLUED_REST.fullmatch(front[2]):
        yield front[1]
        word = front[2]
    back = _GLUED_BACK.fullmatch(word)
    if back:
        yield back[1]
        yield from _BACKS.findall(back[2])
    else:
        yield word


def _description(word: str) -> str | None:
    """Return the kind of description that the word is; None if it tells models apart."""
    if _MEMORY.fullmatch(word):
        return "memory"
    if _FORMS.fullmatch(word):
        return "form"
    return "memory type" if _MEMORY_TYPE.fullmatch(word) else None


def without_series(words: Words) -> Words:
    """Drop "rtx", "gtx" and the like; "quadro" only where a lettered model number follows."""
    if (
        len(words) > 1
        and words[0] in _SERIES
        and (words[0] != "quadro" or words[1][0].isalpha())
        and words[1] not in _SERIES
    ):
        return words[1:]
    return words


def without_portable(words: Words) -> Words:
    """Drop the words for portable variants, which share the compute capability of their namesakes."""
    return tuple(word for word in words if word not in _PORTABLE)


def contradict(one: Words, other: Words) -> bool:
    """Tell whether two names describe memory or form differently."""
    for kind in ("memory", "form", "memory type"):
        a = [word for word in one if _description(word) == kind]
        b = [word for word in other if _description(word) == kind]
        if a and b and not any(x.startswith(y) or y.startswith(x) for x in a for y in b):
            return True
    return False


def matches(name: Name, keys: Iterable[Words], by_core: dict[Words, list[Words]]) -> list[Words]:
    """Return the keys that the name can mean: those that equal it, else those that only describe more or less."""
    every = keys if isinstance(keys, (set, frozenset, dict)) else set(keys)
    if name.cut:
        return _begin_with(name, every)
    for words in dict.fromkeys((name.words, without_series(name.words))):
        if words in every:
            return [words]
    core = name.core
    for words in dict.fromkeys((core, without_series(core))):
        found = [key for key in by_core.get(words, ()) if not contradict(key, name.words)]
        if found:
            return found
    return []


def _begin_with(name: Name, keys: Iterable[Words]) -> list[Words]:
    if not name.words or not any(character.isdigit() for word in name.words for character in word):
        return []
    *whole, last = name.words
    at, count = len(whole), len(name.words)
    if name.cut == " ":
        longer = [key for key in keys if key[:count] == name.words and len(key) > count]
        return longer or [key for key in keys if key == name.words]
    return [key for key in keys if key[:at] == tuple(whole) and len(key) >= count and key[at].startswith(last)]
