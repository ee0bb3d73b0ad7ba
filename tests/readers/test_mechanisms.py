"""What the mechanisms see in texts: mechanisms/<kind>.yaml, each case in several spellings.

what-it-shows:
  text: "…"
  sees: [{kind: "missing", piece: "library", name: "libcuda.so.1"}]     # all of these, by some of their fields
  only: true                                                            # and nothing else of these kinds
  not: [{kind: "conflict"}]                                             # and none of these
  as: "printed"                                                         # in this spelling alone
"""

import textwrap
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from accel.model.observation import Observation
from accel.readers.mechanisms import recognised
from accel.readers.page import Page
from accel.specs import Specs, load
from accel.specs.knowledge import tables_of
from accel.specs.store import Folder, yaml_names
from accel.text.clean import clean

FOLDER = Path(__file__).with_name("mechanisms")


def wrapped(text: str) -> str:
    fill = textwrap.TextWrapper(70, break_on_hyphens=False, break_long_words=False)
    return "\n".join(part for line in text.split("\n") for part in fill.wrap(line) or [""])


SPELLINGS: dict[str, Callable[[str], str]] = {
    "as printed": lambda text: text,
    "lower case": str.lower,
    "upper case": str.upper,
    "wrapped": wrapped,
    "without punctuation at line ends": lambda text: "\n".join(line.rstrip(".:;,!。") for line in text.split("\n")),
}


@cache
def specs() -> Specs:
    return load()


def seen(text: str) -> list[Observation]:
    return [one for one in recognised(Page(clean(text), specs())) if isinstance(one, Observation)]


def cases() -> Iterator[Any]:
    for path in sorted(FOLDER.glob("*.yaml")):
        for name, case in yaml.safe_load(path.read_text(encoding="utf-8")).items():
            for spelling in SPELLINGS:
                if case.get("as", spelling) in (spelling, "printed" if spelling == "as printed" else ""):
                    yield pytest.param(case, spelling, id=f"{path.stem}:{name}:{spelling.replace(' ', '-')}")


def fits(wanted: dict[str, Any], one: Observation) -> bool:
    return all(_plain(getattr(one, field, None)) == _plain(value) for field, value in wanted.items())


def _plain(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return tuple(_plain(part) for part in value)
    return value.lower() if isinstance(value, str) else value


@pytest.mark.parametrize(("case", "spelling"), list(cases()))
def test_a_mechanism_sees_what_stands_there(case: dict[str, Any], spelling: str) -> None:
    found = seen(SPELLINGS[spelling](case["text"]))
    for wanted in case.get("sees", ()):
        assert any(fits(wanted, one) for one in found), (wanted, found)
    for unwanted in case.get("not", ()):
        assert not [one for one in found if fits(unwanted, one)], unwanted
    if case.get("only"):
        kinds = {wanted["kind"] for wanted in case["sees"]}
        of_kinds = [one for one in found if getattr(one, "kind", None) in kinds]
        assert len(of_kinds) == len(case["sees"]), of_kinds


# As they are written: of what is compiled, the build leaves out what it holds elsewhere.
SPECS = str(Path(__file__).parents[2] / "specs")
WRITTEN = Folder(SPECS, False, yaml_names(SPECS))
EXAMPLES = [
    pytest.param(table["observation"], row["example"], id=f"{name}:{row['example']:.50}")
    for name, table in tables_of(WRITTEN, "language")
    for row in table.get("rows", ())
    if table["observation"] not in {"benign", "relay"}
]


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize(("kind", "example"), EXAMPLES)
def test_a_row_of_the_language_is_found_in_its_example(kind: str, example: str, spelling: str) -> None:
    found = seen(SPELLINGS[spelling](example))
    assert kind in {getattr(one, "kind", None) for one in found}
