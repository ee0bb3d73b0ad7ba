"""Parses a sentence that asks for packages on a machine into the equivalent options. Pure.

Seen    "I have an RTX 5090 on Windows 11 with python 3.13 and want vllm"
        "need torch<2.4 for an RTX 4080, driver 545.23, python 3.11, uv"
        "Ascend 910B with CANN 8.2.RC1, aarch64, Python 3.11: torch-npu"

Whatever is understood is removed from the sentence, one fact at a time: versions with the words before them, systems,
packages with their bounds. The rest names the devices, and is parsed like --gpu.
"""

import re
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from accel.model.dataclass import dataclass
from accel.model.errors import BadInput
from accel.resolver.request import Request, parse_request
from accel.resolver.systems import systems_in
from accel.resolver.what_if import python_said
from accel.text.pattern import pattern
from accel.text.versions import normalised

if TYPE_CHECKING:
    from accel.resolver.catalogue import Catalogue
    from accel.resolver.command import Installer
    from accel.specs import Specs

_MOST_SIGNS: Final = 2000
_YEAR: Final = re.compile(r"(?:19|20)\d\d")  # of a computer: "MacBook Pro 2019"
_FEWEST_WORDS: Final = 4  # fewer words, each apart, are names of packages
_LONGEST_NAME: Final = 3  # words of a package's name: "flash attn", "onnxruntime gpu"
_SHORTEST_NEAR: Final = 6  # letters of a word that is taken for a slip of a package's name
_NEAR: Final = 0.88  # of difflib: "torchvison"; "tensor" and "tensorrt" are less alike
_VERSION: Final = r"\d{1,4}(?:\.\d{1,4}){0,3}"
_MINOR: Final = r"(?:\.\d{1,4}){0,3}"
_LINK: Final = r"[ :=]{0,3}(?:(?:version|ver\.?|v|branch|is|r)[ :=]{0,2})?"
_PYTHON: Final = pattern(
    r"(?<![\w.])(?:c?python|py|cp)(?:[ :=-]{0,3}(?:version|v|is)?[ :=]{0,2})(3\.?\d{1,2}(?:\.\d{1,2})?t?)(?![\w.]?\d)"
)
_CUDA: Final = pattern(rf"(?<![\w.])cuda(?: toolkit| runtime)?{_LINK}(\d{{1,2}}(?:\.\d)?)(?:\.\d{{1,3}})?(?![\w]|\.\d)")
_LIBC: Final = pattern(r"(?<![\w.])(?:glibc[ :=-]{0,2}(?:version )?(2\.\d{1,2})|(musl))(?!\w)")
_TOKEN: Final = pattern(r"(?<![\w.])[a-z][\w-]*(?:\.[\w-]+)*(?:\[[\w, -]{1,60}\])?")
_BOUND: Final = pattern(r" ?((?:(?:[<>=!~]=|[<>]) ?v?\d[\w.*]*(?:\+[\w.]+)? ?,? ?){1,4})", exact_case=True)
_PLAIN: Final = pattern(
    r"[ :=]{1,2}(?:version |v)?(\d{1,4}(?:\.(?:\d{1,4}|x)){1,3}(?:\.post\d{1,3})?(?:\+[a-z0-9.]+)?)(?![\w.-]?\w)"
)
_UNKNOWN_BOUND: Final = pattern(r"(?<![\w.])([a-z][\w.-]{1,60}) ?((?:(?:[<>=!~]=|[<>]) ?v?\d[\w.*]* ?,? ?){1,4})")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """The parsed sentence. None if it does not say; gpus is () if it names no device.

    index     the only index to use, "pypi"
    unjudged  requests that are not judged: a bound on a package in no table ("numpy<2")
    """

    packages: tuple[Request, ...]
    gpus: tuple[str, ...] = ()
    driver: str | None = None
    cuda: str | None = None
    python: str | None = None
    system: str | None = None
    machine: str | None = None
    libc: str | None = None
    stack: str | None = None
    installer: "Installer | None" = None
    index: str | None = None
    unjudged: tuple[str, ...] = ()

    def beside(self, options: dict[str, Any]) -> dict[str, Any]:
        """Return the options of `accel resolve`; the sentence fills in those that are not given."""
        return {name: value or getattr(self, name) for name, value in options.items()}


def wish_in(words: Sequence[str], specs: "Specs", catalogue: "Catalogue") -> Wish | None:
    """Return the request if the words form a sentence; None if they are package requirements in installer syntax."""
    text = " ".join(" ".join(words).split())
    if len(text) > _MOST_SIGNS or _is_list(words, catalogue):
        return None
    if len(text.split()) < _FEWEST_WORDS and not any(_Rest(text).holds(row["words"]) for row in _indexes(specs)):
        return None
    return wish_of(text, specs, catalogue)


def wish_of(text: str, specs: "Specs", catalogue: "Catalogue") -> Wish:
    """Return what a sentence asks for.

    Raises BadInput if it names no package, a misspelt one, or an unknown device.
    """
    rest = _Rest(text)
    table: Any = specs.table("frameworks/wishes") or {}
    stacks = "|".join(map(re.escape, table.get("stacks", ())))
    stack = rest.take_named(rf"(?<![\w.])({stacks}){_LINK}(\d[\w.]*\w)") if stacks else None
    python, cuda, libc = rest.take(_PYTHON.compiled), rest.take(_CUDA.compiled), rest.take(_LIBC.compiled)
    python = python_said(f"py{python}") if python is not None else None
    driver = rest.take_any(_driver_patterns(tuple(table.get("driver", ()))))
    no_device = rest.take_words(table.get("no_device", ()))
    machine = next((row["machine"] for row in table.get("machines", ()) if rest.holds(row["words"])), None)
    index = next((row["index"] for row in _indexes(specs) if rest.take_words(row["words"])), None)
    packages = tuple(_packages(rest, catalogue, table))
    system = rest.take_system(specs)
    installers = (row["installer"] for row in table.get("installers", ()) if rest.take_words(row["words"]))
    installer = next(installers, None)
    if not packages:
        known = ", ".join(sorted((*catalogue.packages, *catalogue.companions)))
        raise BadInput(f"{text!r} names no package that accel knows builds of. It knows: {known}")
    for word in _misspelt(rest.text, catalogue):
        catalogue.name_of(word)
    for row in table.get("machines", ()):
        rest.take_words([word for word in row["words"] if "_" in word or word[-1].isdecimal()])
    return Wish(
        packages=packages,
        gpus=("none",) if no_device else rest.devices(specs),
        driver=driver,
        cuda=cuda if driver is None else None,
        python=python,
        system=system,
        machine=machine,
        libc=libc,
        stack=stack,
        installer=installer,
        index=index,
        unjudged=tuple(f"{bound} is not evaluated: accel has no table for it" for bound in rest.unjudged),
    )


def _indexes(specs: "Specs") -> Sequence[Any]:
    """Return the rows of the indexes that a sentence may name."""
    table: Any = specs.table("frameworks/wishes") or {}
    rows: Sequence[Any] = table.get("from_index", ())
    return rows


def _is_list(words: Sequence[str], catalogue: "Catalogue") -> bool:
    """Return whether the words are a list of packages, most of them known: an unknown one is misspelt, not prose."""
    try:
        known = [catalogue.knows(parse_request(word).name) for word in words]
    except BadInput:
        return False
    return 2 * sum(known) > len(known)


def _misspelt(text: str, catalogue: "Catalogue") -> Iterator[str]:
    """Yield words that look like a misspelt package: ignoring them would answer a different question."""
    for token in _TOKEN.finditer(text):
        word = normalised(token[0])
        if len(word) >= _SHORTEST_NEAR and get_close_matches(word, catalogue.names, 1, _NEAR):
            yield word


class _Rest:
    """The rest of the sentence, from which understood parts are removed."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.unjudged: tuple[str, ...] = ()

    def cut(self, start: int, end: int) -> None:
        """Remove a span, leaving a mark so that its neighbours do not merge into one name."""
        self.text = f"{self.text[:start]} ; {self.text[end:]}"

    def take(self, shape: "re.Pattern[str]") -> str | None:
        """Remove the first match and return its group."""
        found = shape.search(self.text)
        if found is None:
            return None
        self.cut(*found.span())
        return next((group for group in found.groups() if group), None)

    def take_any(self, shapes: "Sequence[re.Pattern[str]]") -> str | None:
        """Remove and return the first match of the first pattern that has one."""
        return next((told for shape in shapes if (told := self.take(shape)) is not None), None)

    def take_named(self, shape: str) -> str | None:
        """Remove "name version" and return it as NAME=VERSION."""
        found = re.search(shape, self.text, re.IGNORECASE)
        if found is None:
            return None
        self.cut(*found.span())
        return f"{found[1].lower()}={found[2].upper() if 'rc' in found[2].lower() else found[2]}"

    def holds(self, words: Sequence[str]) -> bool:
        """Return whether it contains one of the words."""
        return _any_of(tuple(words)).search(self.text) is not None

    def take_words(self, words: Sequence[str]) -> bool:
        """Remove the first occurrence of one of the words; return whether there was one."""
        found = _any_of(tuple(words)).search(self.text) if words else None
        if found is not None:
            self.cut(*found.span())
        return found is not None

    def take_system(self, specs: "Specs") -> str | None:
        """Remove the names of systems and return them together: "Windows 11 WSL2 Ubuntu 22.04"."""
        spans = systems_in(self.text, specs)
        told = [self.text[start:end] for start, end in spans]
        for start, end in reversed(spans):
            self.cut(start, end)
        return " ".join(told) or None

    def devices(self, specs: "Specs") -> tuple[str, ...]:
        """Return the rest if it names devices. Raises BadInput if it names something unknown."""
        parts = (part.strip() for part in re.split(r"[,;]", self.text))  # a comma parts the names of --gpu
        text = "; ".join(part for part in parts if part)
        meant = specs.named(text)
        words = (word for word in meant.unknown if not _YEAR.fullmatch(word))
        strange = any(sign.isdecimal() for word in words for sign in word)
        return (text,) if meant.chips or strange else ()


@lru_cache(maxsize=16)
def _any_of(words: tuple[str, ...]) -> "re.Pattern[str]":
    longest_first = sorted(words, key=len, reverse=True)
    return re.compile(rf"(?<![\w.-])(?:{'|'.join(map(re.escape, longest_first))})(?![\w-])", re.IGNORECASE)


@lru_cache(maxsize=2)
def _driver_patterns(words: tuple[str, ...]) -> "tuple[re.Pattern[str], ...]":
    said = "|".join(map(re.escape, sorted(words, key=len, reverse=True)))
    shapes = (
        rf"(?:{said})s?[ :=(-]{{0,3}}{_LINK}(\d{{2,3}}{_MINOR})(?:\.xx?)?(?!\w|\.\d)",
        rf"(?<![\w.])[rv]?(\d{{3}}{_MINOR})(?:\.xx?)?[ -](?:{said})(?!\w)",
    )
    return tuple(re.compile(shape, re.IGNORECASE) for shape in shapes)


def _packages(rest: _Rest, catalogue: "Catalogue", table: Any) -> Iterator[Request]:
    """Yield the packages that the sentence names, without duplicates, with the bounds next to their names."""
    found: dict[str, Request] = {}
    while (named := _first_package(rest.text, catalogue)) is not None:
        start, end, said = named
        bound, end = _bound_behind(rest.text, end, table)
        request = parse_request(f"{said}{bound}")
        rest.cut(start, end)
        if request.name not in found or not found[request.name].bound:
            found[request.name] = request
    while (strange := _UNKNOWN_BOUND.search(rest.text)) is not None:
        rest.unjudged = (*rest.unjudged, f"{strange[1]}{strange[2].replace(' ', '').rstrip(',')}")
        rest.cut(*strange.span())
    yield from _with_variant(rest, catalogue, list(found.values()))


def _with_variant(rest: _Rest, catalogue: "Catalogue", requests: list[Request]) -> Iterator[Request]:
    """Yield the requests, with the build that the sentence names added to the framework's: "with cu129"."""
    token = next((t for t in _TOKEN.finditer(rest.text) if _is_variant(t[0], catalogue)), None)
    variant = token[0].lower() if token is not None else None
    if token is not None:
        rest.cut(*token.span())
    for request in requests:
        is_framework = catalogue.name_of(request.name) in catalogue.packages
        if variant is not None and is_framework and request.variant is None:
            yield Request(name=request.name, bound=request.bound, variant=variant)
            variant = None
        else:
            yield request
    if variant is not None and requests:
        base = catalogue.companions.get(catalogue.name_of(requests[0].name), {}).get("base")
        yield from (Request(name=base, variant=variant),) if base else ()


def _is_variant(word: str, catalogue: "Catalogue") -> bool:
    plain = word.lower()
    return any(sign.isdecimal() for sign in plain) and any(
        re.fullmatch(f["variants"], plain) for f in catalogue.families
    )


def _first_package(text: str, catalogue: "Catalogue") -> tuple[int, int, str] | None:
    """Return the span and name of the first package; the longest name if several start at the same place."""
    tokens = list(_TOKEN.finditer(text))
    for place, token in enumerate(tokens):
        for count in range(min(_LONGEST_NAME, len(tokens) - place), 0, -1):
            last = tokens[place + count - 1]
            said = text[token.start() : last.end()]
            if count > 1 and not re.fullmatch(r"[\w.\[\]-]+(?: [\w.\[\]-]+)+", said):
                continue
            name = re.sub(r"\[.*", "", said).replace(" ", "-")
            if catalogue.knows(name):
                return token.start(), last.end(), normalised(name) + said[len(name) :]
    return None


def _bound_behind(text: str, end: int, table: Any) -> tuple[str, int]:
    """Return the version bound after a name, and where it ends; "" if there is none."""
    signs = _BOUND.match(text, end)
    if signs is not None:
        return signs[1].replace(" ", "").rstrip(","), signs.end()
    for row in table.get("bounds", ()):
        worded = re.compile(
            rf" (?:version )?(?:{'|'.join(map(re.escape, row['before']))}) v?({_VERSION})(?![\w])", re.IGNORECASE
        )
        told = worded.match(text, end)
        if told is not None:
            return f"{row['sign']}{told[1]}", told.end()
    plain = _PLAIN.match(text, end)
    if plain is None:
        return "", end
    for row in table.get("bounds", ()):
        behind = re.compile(rf" ?(?:{'|'.join(map(re.escape, row.get('behind', ('$',))))})(?!\w)", re.IGNORECASE)
        told = behind.match(text, plain.end())
        if told is not None:
            return f"{row['sign']}{plain[1]}", told.end()
    version = plain[1].replace(".x", "")
    return f"=={version}" if version.count(".") > 1 else f"=={version}.*", plain.end()
