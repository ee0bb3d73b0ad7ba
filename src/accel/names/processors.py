"""CPUs with integrated graphics, by the unique word of their name: "8845HS" of "Ryzen 7 8845HS".

Seen    "11th Gen Intel(R) Core(TM) i5-1135G7 @ 2.40GHz"  "AMD Ryzen 9 7950X 16-Core Processor"
        "AMD Ryzen 7 PRO 6850HS with Radeon Graphics"  "Iris Xe Graphics (i7-1265U)"  "Radeon Graphics (7800X3D)"
"""

from collections.abc import Iterable, Iterator
from typing import Any, Final

from accel.names.tokens import words_of
from accel.names.vocabulary import Vocabulary

_TABLE: Final = "computers/processors"
_SHORTEST: Final = 4
_AROUND: Final = ("cpu", "apu", "igpu", "gen", "core", "processor")
_SERIES: Final = ("i3-", "i5-", "i7-", "i9-")  # precedes Intel's number without a space


def processor_keys(tables: Iterable[tuple[str, Any]]) -> Iterator[tuple[str, str]]:
    """Yield (key, "table row number name") for every CPU, for the index; no machine's key has a space."""
    for table_name, table in tables:
        if table_name.endswith(_TABLE):
            for number, row in enumerate(table["machines"]):
                for name in row["names"]:
                    if word := _number(name.split()[-1]):
                        yield f"cpu {word}", f"{table_name} {number} {name}"


def words_beside(tables: Iterable[tuple[str, Any]]) -> list[str]:
    """Return the words that precede a CPU's number: "ryzen", "7", "pro"."""
    names = (row["names"] for table_name, table in tables if table_name.endswith(_TABLE) for row in table["machines"])
    return sorted({word.lower() for each in names for name in each for word in name.split()[:-1]})


def processor_in(text: str, places: Any, beside: list[str], known: Vocabulary) -> tuple[str | None, bool]:
    """Return the place of the only CPU in the text, and whether the text names nothing else."""
    named = text.partition(" @ ")[0].replace("(R)", " ").replace("(TM)", " ")
    words = "".join(sign if sign.isalnum() or sign in "-+" else " " for sign in named).split()
    numbers = {word: place for word in words if (key := _number(word)) and (place := places.get(f"cpu {key}"))}
    if len({tuple(place) for place in numbers.values()}) != 1:
        return None, False
    found = next(iter(numbers.values()))
    others = words_of(" ".join(each for each in words if each not in numbers), known)
    return str(found[0]), all(other in beside or other in _AROUND or _is_number(other) for other in others)


def _is_number(word: str) -> bool:
    """Return whether a word is a generation or core count: "11th", "16"."""
    return word.removesuffix("th").removesuffix("nd").removesuffix("rd").isdecimal()


def _number(word: str) -> str | None:
    word = word.lower()
    word = word[3:] if word.startswith(_SERIES) else word
    told = len(word) >= _SHORTEST and any(map(str.isdigit, word)) and any(map(str.isalpha, word))
    return word if told and word.isalnum() else None
