"""Machines by their names from clouds and makers: which chips are in one, and how many.

Seen    "p5.48xlarge"  "Standard_ND96isr_H100_v5"  "ND96isr H100 v5"  "ml.g6.2xlarge"  "阿里云 ecs.gn7i-c8g1.2xlarge"
        "a2-ultragpu-8g"  "v5litepod-16"  "DGX A100 640GB"  "Atlas 800T A2"
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from accel.model.dataclass import dataclass

_PREFIXES: Final = ("ml", "standard", "ecs")  # of SageMaker, Azure, Alibaba Cloud; people leave the latter two out
_LONGEST: Final = 80
_LONGEST_TEXT: Final = 400
_MOST_CHIPS: Final = 65536  # of a slice


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """What is known about one machine.

    name    as its maker writes it; for a slice, as requested
    maker   "AWS"; "" if the name includes it
    chips   names of records; several: the machine is sold with each of them
    count   of chips; None: the name is of the chip, in any number
    share   the part of one chip that the machine has, in words; None: whole chips
    npu     name of the record of a CPU's NPU; None: it has none, or it is unknown
    beside  its maker's names that people write with it, in lower case: "aws", "ml"; () if unknown
    """

    name: str
    maker: str
    chips: tuple[str, ...]
    count: int | None = None
    share: str | None = None
    npu: str | None = None
    beside: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    confidence: str | None = None


def machine_keys(tables: Iterable[tuple[str, Any]]) -> Iterator[tuple[str, str]]:
    """Yield (key, "table row number") for every name in the tables of machines, for the index."""
    for table_name, table in tables:
        for number, row in enumerate(table.get("machines") or ()):
            for name in row["names"]:
                yield key_of(name), f"{table_name} {number} {name}"


def slice_rows(tables: Iterable[tuple[str, Any]]) -> list[list[Any]]:
    """Return [prefix, chips, cores per chip, maker] for every kind of slice, for the index."""
    return [
        [prefix, row["chips"], row["cores"], table["maker"]]
        for _, table in tables
        for row in table.get("slices") or ()
        for prefix in row["prefixes"]
    ]


def maker_words(tables: Iterable[tuple[str, Any]]) -> list[str]:
    """Return the words for makers that appear next to a machine ("aws", "阿里云"), longest first."""
    words = {word for _, table in tables for word in table.get("beside") or ()}
    return sorted(words, key=lambda word: (-len(word), word))


def key_of(name: str) -> str:
    """Return a name's letters and digits in lower case, without parts that people omit.

    >>> key_of("Standard_ND96isr_H100_v5"), key_of("ml.g6.2xlarge")
    ('nd96isrh100v5', 'g62xlarge')
    """
    text = "".join(c if c.isalnum() else " " for c in name.lower()).split()
    if len(text) > 1 and text[0] in _PREFIXES:
        text = text[1:]
    return "".join(text)


def asked_keys(text: str, words: Sequence[str]) -> Iterator[str]:
    """Yield the keys that may refer to a machine: the text as is, and without its maker's name."""
    if len(text) > _LONGEST:
        return
    for key in _keys_of(text, words):
        yield key
        if key[-1:] == "g" and key[-2:-1].isdecimal():  # "DGX A100 640G"
            yield f"{key}b"


def _keys_of(text: str, words: Sequence[str]) -> Iterator[str]:
    yield key_of(text)
    if "_" in text:  # Azure's version, which people omit: "Standard_NC4as_T4"
        yield from (f"{key_of(text)}v{version}" for version in range(2, 7))
    lower = text.lower()
    while word := next((w for w in words if lower.startswith(w) and len(lower) > len(w)), None):
        lower = lower[len(word) :].strip(" :：-_")
        yield key_of(lower)


def names_other(text: str, machine: Machine, words: Sequence[str]) -> bool:
    """Return whether a text names another maker before the machine: "ecs.g6.xlarge" is not an AWS machine."""
    if not machine.beside or _signless(text).startswith(_signless(machine.name)):
        return False
    lower = text.strip().lower()
    name = machine.name.lower()
    name = name.partition(".")[2] if _prefix_of(name) else name
    nearest = _nearest(lower[: lower.rfind(name)] if name in lower else "", words)
    first = nearest or next((word for word in words if _begins(lower, word)), None)
    prefixes = (word.partition(".")[0] for word in lower.replace("_", ".").split() if "." in word)
    said = [word for word in (first, *prefixes) if word == first or word in _PREFIXES]
    return any(word is not None and word not in machine.beside for word in said)


def _prefix_of(name: str) -> str | None:
    """Return a cloud's prefix of machine names, if the name has it: "ecs" for "ecs.gn7"."""
    first, sign, _ = name.partition(".")
    return first if sign and first in _PREFIXES else None


def _nearest(before: str, words: Iterable[str]) -> str | None:
    """Return the last maker's name before a machine: "阿里云 ecs.* / 腾讯云 GN7"."""
    places = [(before.rfind(word) + len(word), word) for word in words if word in before]
    ends = [(end, word) for end, word in places if _begins(before[end - len(word) :], word)]
    return max(ends)[1] if ends else None


def _begins(text: str, word: str) -> bool:
    behind = text[len(word) : len(word) + 1]
    return text.startswith(word) and not (word.isascii() and behind.isascii() and behind.isalnum())


def _signless(text: str) -> str:
    return "".join(sign for sign in text.lower() if sign.isalnum())


def words_of_machines(text: str) -> list[str]:
    """Return the words of a text that look like a cloud's machine name: letters and digits with a separator."""
    words = "".join(c if (c.isascii() and c.isalnum()) or c in "._-+" else " " for c in text[:_LONGEST_TEXT]).split()
    words = [word.strip(".-_") for word in words]
    signed = (word for word in words if len(word) > 3 and any(sign in word for sign in "._-"))
    found = [word for word in signed if any(map(str.isdigit, word)) and any(map(str.isalpha, word))]
    return found if words != [text.strip()] else []


def machine_of(row: dict[str, Any], table: dict[str, Any], name: str) -> Machine:
    """Create the record of one row of a table."""
    return Machine(
        name=name,
        maker=table["maker"],
        chips=tuple(row["chips"]),
        count=row.get("count"),
        share=row.get("share"),
        npu=row.get("npu"),
        beside=(*(table.get("beside") or ()), *(table.get("prefixes") or ())),
        sources=tuple(row["sources"]),
        confidence=row["confidence"],
    )


def slice_named(text: str, rows: Iterable[list[Any]]) -> Machine | None:
    """Return the named slice, "v4-8": four chips with two TensorCores each."""
    words = text.lower().split()
    if len(words) > 2 and "tpu" in words[:-1]:
        text = words[-1]
    prefix, dash, number = text.strip().lower().rpartition("-")
    if not dash or not number.isascii() or not number.isdecimal() or len(number) > 5:
        return None
    for start, chips, cores, maker in rows:
        if prefix.removeprefix("tpu-").removeprefix("tpu ") == start.removeprefix("tpu"):
            return _slice(text, chips, int(number), cores, maker)
        if prefix == start:
            return _slice(text, chips, int(number), cores, maker)
    return None


def _slice(text: str, chips: list[str], number: int, cores: int, maker: str) -> Machine | None:
    if number == 0 or number % cores or number > _MOST_CHIPS:
        return None
    return Machine(name=text.strip(), maker=maker, chips=tuple(chips), count=number // cores)
