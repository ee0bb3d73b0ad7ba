"""What the build compiles from the tables of errors, components, inference, causes and language: see specs/compile.py.

phrases.json     all sentences as one phrase book (accel.text.phrase_book); phrases.rows has its rows
errors.json      accel.specs.errors       components.json   accel.specs.components
inference.json   accel.specs.inference    causes.json       accel.specs.causes
ambiguous.json   accel.specs.ambiguous    attempts.json, absent.json  accel.text.lexicon
A folder of YAML, from a plugin or a checkout, is compiled on first use.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from accel.specs.ambiguous import compiled_ambiguous
from accel.specs.causes import compiled_causes
from accel.specs.components import compiled_components
from accel.specs.errors import compiled_errors, error_phrases
from accel.specs.inference import compiled_inference, inference_phrases
from accel.specs.language import language_phrases
from accel.specs.store import Folder
from accel.text.lexicon import compiled_lexicon
from accel.text.phrase_book import make_book


def tables_of(folder: Folder, part: str) -> list[tuple[str, Any]]:
    """Return the (name, table) pairs of one kind: "errors", "inference", "components", "causes", "language".

    Keys with a null value are dropped.
    """
    tables = [(name, folder.table(name)) for name in folder.names if is_kind(name, part)]
    return [(name, _without_nulls(table)) for name, table in tables if table is not None]


def _without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_nulls(inner) for key, inner in value.items() if inner is not None}
    return [_without_nulls(inner) for inner in value] if isinstance(value, list) else value


def is_kind(name: str, part: str) -> bool:
    """Return whether a table is of a kind, by its path: "nvidia/errors/cuda", "nvidia/components"."""
    steps = name.split("/")
    if part == "components":
        return len(steps) == 2 and steps[1] == part
    if part == "language":
        return len(steps) == 2 and steps[0] == part
    return len(steps) == 3 and steps[1] == part


def phrase_book(folder: Folder) -> dict[str, Any]:
    """Return the phrase book of a folder's sentences."""
    return make_book(
        [
            *error_phrases(tables_of(folder, "errors")),
            *inference_phrases(tables_of(folder, "inference")),
            *language_phrases(tables_of(folder, "language")),
        ]
    )


def _lexicon(folder: Folder, name: str) -> dict[str, Any]:
    table = folder.table(name)
    return compiled_lexicon(table) if table is not None else {}


COMPILERS: Final[Mapping[str, Callable[[Folder], dict[str, Any]]]] = {
    "phrases": phrase_book,
    "errors": lambda folder: compiled_errors(tables_of(folder, "errors")),
    "components": lambda folder: compiled_components(tables_of(folder, "components")),
    "inference": lambda folder: compiled_inference(tables_of(folder, "inference")),
    "causes": lambda folder: compiled_causes(tables_of(folder, "causes")),
    "ambiguous": lambda folder: compiled_ambiguous(tables_of(folder, "ambiguous")),
    "attempts": lambda folder: _lexicon(folder, "language/attempts"),
    "absent": lambda folder: _lexicon(folder, "language/absent"),
}
