"""Names of chips, as drivers, tools and people write them, and the keys by which an index finds them.

Seen    "NVIDIA A100-SXM4-80GB"  "GeForce GTX 1080 Ti"  "RTX2080Ti"  "NVIDIA GeForce RTX 4070 ..."  (nvidia-smi, cut)
        "GP107 [GeForce GTX 1050 Ti]"  "Navi 31 [Radeon RX 7900 XT/7900 XTX]"  (lspci)  "Ascend910B3"  "910B3"

A name becomes words. Some say nothing (the brand), some describe (memory, form), all others tell models apart:
a description may be missing from a name, any other word may not. "1050" therefore never finds "1050 Ti".
"""

import re
from collections.abc import Container, Iterable, Iterator, Mapping

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
_PHRASES = {  # several words, or several spellings, of one thing
    "(r)": " ", "(tm)": " ", "(c)": " ", "®": " ", "™": " ",
    "with max-q design": "maxq", "max-q": "maxq", "max q": "maxq",
    "pci-e": "pcie", "pci express": "pcie", "lite hash rate": " ",
    "英伟达": " nvidia ", "超威": " amd ", "英特尔": " intel ", "华为": " huawei ", "昇腾": " ascend ",
    "谷歌": " google ", "苹果": " apple ", "显卡": " ", "加速卡": " ", "芯片": " ",
    "移动版": " laptop ", "笔记本": " laptop ",
}  # fmt: skip
_SAYS_NOTHING = set(
    "nvidia geforce tesla corporation corp inc amd ati radeon instinct advanced micro devices intel huawei google "  # noqa: SIM905
    "cloud apple ascend gpu npu device graphics card vga compatible controller 3d accelerator the generation edition "
    "with design lhr module series system chip jetson grid per oem nvgpu developer kit".split()
)
_SERIES = {"gtx", "rtx", "gts", "gt", "rx", "quadro"}
_FORMS = {"pcie", "pci", "nvl", "dgxs", "oam", "workstation", "server", "active"}
_MEMORY_TYPES = ("hbm", "gddr", "lpddr")
_PORTABLE = {"laptop", "mobile", "maxq", "notebook"}
_FRONTS = (
    "geforce",
    "nvidia",
    "tesla",
    "quadro",
    "radeon",
    "instinct",
    "ascend",
    "titan",
    "rtx",
    "gtx",
    "gts",
    "gt",
    "rx",
)
_TITANS = {"x", "xp", "v", "z", "rtx", "black"}
_BACKS = ("super", "xtx", "xt", "ti", "gre", "d")


class Name:
    """A name taken apart: all words that say something, in order; and the vendor that it names.

    cut  None; "." if the last word may go on, " " if further words follow ("RTX 4070 ...")
    """

    __slots__ = ("cut", "vendor", "words")

    def __init__(self, words: Words, vendor: str | None = None, cut: str | None = None) -> None:
        self.words = words
        self.vendor = vendor
        self.cut = cut

    @property
    def memory_gib(self) -> int | None:
        """The memory that the name tells."""
        found = [int(word[:-2]) for word in self.words if _description(word) == "memory"]
        return found[0] if len(found) == 1 else None


def names_in(text: str) -> list[Name]:
    """Return the name in the text; several where it lists alternatives ("RX 7900 XT/7900 XTX")."""
    text = _trimmed(text)
    vendor = brand_of(text)
    cut, bare = None, text.rstrip(". …")
    if text.endswith(("..", "…")):
        cut, text = (" " if text[len(bare) : len(bare) + 1] == " " else "."), bare
    found: list[Name] = []
    series: Words = ()
    for part in text.split("/"):
        words = words_of(part)
        if found and not set(words) - _PORTABLE:
            continue  # "Mobile / Max-Q"
        if words and words[0][0].isdigit() and not set(words) & _SERIES:
            words = series + words
        series = tuple(word for word in words if word in _SERIES) or series
        if words:
            found.append(Name(words, vendor, cut))
    return found


def _trimmed(text: str) -> str:
    """Return the product's name in what lspci prints, without a partition's or virtual GPU's part."""
    text = text.strip()
    start, end = text.rfind("["), text.rfind("]")
    if 0 <= start < end and words_of(text[start:end]):
        text = text[start + 1 : end]
    for sign in (" MIG ", " (UUID", " (rev "):
        text = text.split(sign)[0]
    if text[-1:] in "QCABqcab" and (found := re.search(r"(?<=\w)-\d+[QCAB]$", text, re.IGNORECASE)):
        text = text[: found.start()]
    return text


def brand_of(text: str) -> str | None:
    """Return the vendor that the words of the text name; None if they name none, or several."""
    found = {_BRAND_OF[word] for raw in _raw_words(text) for word in _unglued(raw) if word in _BRAND_OF}
    return found.pop() if len(found) == 1 else None


def words_of(text: str) -> Words:
    """Return the words that say something, in order, in lower case.

    >>> words_of("NVIDIA GeForce RTX2080Ti"), words_of("Tesla V100-SXM2-32GB"), words_of("RTX 4080 with Max-Q Design")
    (('rtx', '2080', 'ti'), ('v100', 'sxm2', '32gb'), ('rtx', '4080', 'maxq'))
    """
    words: list[str] = []
    raw_words = iter(_raw_words(text))
    for raw in raw_words:
        if raw == "rev":
            next(raw_words, None)
            continue
        for word in _unglued(raw):
            if word in ("gb", "gib") and words and words[-1].isdigit():
                words[-1] += "gb"
            elif word not in _SAYS_NOTHING:
                words.append(_memory(word) or word)
    return tuple(words)


def _raw_words(text: str) -> list[str]:
    text = text.lower()
    for phrase, meaning in _PHRASES.items():
        if phrase in text:
            text = text.replace(phrase, meaning)
    cleaned = "".join(character if character.isalnum() or character in ".+" else " " for character in text)
    return [word for raw in cleaned.split() if (word := raw.strip("."))]


def _unglued(word: str) -> Iterator[str]:
    for front in _FRONTS:
        rest = word[len(front) :]
        if rest and word.startswith(front) and (_is_model(rest) or (front == "titan" and rest in _TITANS)):
            yield front
            word = rest
            break
    digits = len(word) - len(word.lstrip("0123456789"))
    backs = list(_backs(word[digits:])) if 3 <= digits <= 4 else []
    if backs and "".join(backs) == word[digits:]:
        yield word[:digits]
        yield from backs
    else:
        yield word


def _is_model(rest: str) -> bool:
    return rest[0].isdigit() or rest == "pro" or (rest[0].isalpha() and rest[1:2].isdigit())


def _backs(text: str) -> Iterator[str]:
    while text:
        back = next((b for b in _BACKS if text.startswith(b)), None)
        if back is None:
            return
        yield back
        text = text[len(back) :]


def _memory(word: str) -> str | None:
    digits = word.rstrip("gib")
    return f"{digits}gb" if digits.isdigit() and word[len(digits) :] in ("g", "gb", "gib") else None


def _description(word: str) -> str | None:
    """Return the kind of description that the word is; None if it tells models apart."""
    if word in _FORMS or (word.startswith("sxm") and len(word) < 5):
        return "form"
    if word.startswith(_MEMORY_TYPES):
        return "memory type"
    return "memory" if _memory(word) else None


def core(words: Words) -> Words:
    """Return the words that tell models apart."""
    return tuple(word for word in words if _description(word) is None)


def without_series(words: Words) -> Words:
    """Drop "rtx", "gtx" and the like; "quadro" only where a lettered model number follows."""
    if len(words) < 2 or words[0] not in _SERIES or words[1] in _SERIES:
        return words
    return words if words[0] == "quadro" and not words[1][0].isalpha() else words[1:]


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


def matches(name: Name, keys: Container[str], every: Iterable[str], by_core: Mapping[str, list[str]]) -> list[str]:
    """Return the keys that the name can mean: those that equal it, else those that only describe more or less.

    keys     words joined by blanks; every: the same, to go through
    by_core  core -> keys that have more words than it
    """
    if name.cut:
        return _begin_with(name, every)
    for words in (name.words, without_series(name.words)):
        if (key := " ".join(words)) in keys:
            return [key]
    inner = core(name.words)
    for words in (inner, without_series(inner)):
        joined = " ".join(words)
        found = [key for key in by_core.get(joined, ()) if not contradict(tuple(key.split()), name.words)]
        if found or joined in keys:
            return found or [joined]
    return []


def _begin_with(name: Name, every: Iterable[str]) -> list[str]:
    start = " ".join(name.words)
    if not any(character.isdigit() for character in start):
        return []
    if name.cut == ".":
        return [key for key in every if key.startswith(start)]
    longer = [key for key in every if key.startswith(f"{start} ")]
    return longer or [key for key in every if key == start]
