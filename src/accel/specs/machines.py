"""Machines by the names that clouds and makers give them: which chips are in one, and how many.

Seen    "p5.48xlarge"  "Standard_ND96isr_H100_v5"  "ND96isr H100 v5"  "ml.g6.2xlarge"  "阿里云 ecs.gn7i-c8g1.2xlarge"
        "a2-ultragpu-8g"  "v5litepod-16"  "DGX A100 640GB"  "Atlas 800T A2"
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

_PREFIXES: Final = ("ml", "standard", "ecs")  # of SageMaker, Azure, Alibaba Cloud; people leave the latter two out
_LONGEST: Final = 80
_LONGEST_TEXT: Final = 400
_MOST_CHIPS: Final = 65536  # of a slice


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """What is known of one machine.

    name    as its maker writes it; of a slice, as it was asked for
    maker   "AWS"; "" if the name says it
    chips   names of records; several: the machine is sold with each of them
    count   of chips; None: the name is of the chip alone, however many there are
    share   the part of one chip that the machine has, in words; None: whole chips
    """

    name: str
    maker: str
    chips: tuple[str, ...]
    count: int | None = None
    share: str | None = None
    sources: tuple[str, ...] = ()
    confidence: str | None = None


def machine_keys(tables: Iterable[tuple[str, Any]]) -> Iterator[tuple[str, str]]:
    """Yield (key, "table row number") of every name in the tables of machines, for the index."""
    for table_name, table in tables:
        for number, row in enumerate(table.get("machines") or ()):
            for name in row["names"]:
                yield key_of(name), f"{table_name} {number} {name}"


def slice_rows(tables: Iterable[tuple[str, Any]]) -> list[list[Any]]:
    """Return [prefix, chips, cores a chip, maker] of every kind of slice, for the index."""
    return [
        [prefix, row["chips"], row["cores"], table["maker"]]
        for _, table in tables
        for row in table.get("slices") or ()
        for prefix in row["prefixes"]
    ]


def maker_words(tables: Iterable[tuple[str, Any]]) -> list[str]:
    """Return the words by which makers are named beside a machine ("aws", "阿里云"), the longest first."""
    words = {word for _, table in tables for word in table.get("beside") or ()}
    return sorted(words, key=lambda word: (-len(word), word))


def key_of(name: str) -> str:
    """Return the letters and digits of a name, in lower case, without what people leave out.

    >>> key_of("Standard_ND96isr_H100_v5"), key_of("ml.g6.2xlarge")
    ('nd96isrh100v5', 'g62xlarge')
    """
    text = "".join(c if c.isalnum() else " " for c in name.lower()).split()
    if len(text) > 1 and text[0] in _PREFIXES:
        text = text[1:]
    return "".join(text)


def asked_keys(text: str, words: Sequence[str]) -> Iterator[str]:
    """Yield the keys under which a machine can be meant: as it stands, and without its maker's name."""
    if len(text) > _LONGEST:
        return
    yield key_of(text)
    if "_" in text:  # Azure's version, which people leave out: "Standard_NC4as_T4"
        yield from (f"{key_of(text)}v{version}" for version in range(2, 7))
    lower = text.lower()
    while word := next((w for w in words if lower.startswith(w) and len(lower) > len(w)), None):
        lower = lower[len(word) :].strip(" :：-_")
        yield key_of(lower)


def words_of_machines(text: str) -> list[str]:
    """Return the words of a text that look like a cloud's name of a machine, letters and digits with a sign between."""
    words = "".join(c if (c.isascii() and c.isalnum()) or c in "._-+" else " " for c in text[:_LONGEST_TEXT]).split()
    words = [word.strip(".-_") for word in words]
    signed = (word for word in words if len(word) > 3 and any(sign in word for sign in "._-"))
    found = [word for word in signed if any(map(str.isdigit, word)) and any(map(str.isalpha, word))]
    return found if words != [text.strip()] else []


def machine_of(row: dict[str, Any], maker: str, name: str) -> Machine:
    """Make the record of one row."""
    return Machine(
        name=name,
        maker=maker,
        chips=tuple(row["chips"]),
        count=row.get("count"),
        share=row.get("share"),
        sources=tuple(row["sources"]),
        confidence=row["confidence"],
    )


def slice_named(text: str, rows: Iterable[list[Any]]) -> Machine | None:
    """Return the slice that is named, "v4-8": four chips of two TensorCores each."""
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
