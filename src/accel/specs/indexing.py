"""The index of product names across all folders of tables, accel's own vocabulary, and its words of denial."""

from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from accel.names.index import Index, grown, make_index, unpacked
from accel.names.vocabulary import Vocabulary, gathered, named_tables, names_tables
from accel.specs.store import Folder, bundled

if TYPE_CHECKING:
    from accel.text.denials import Denials


def index_of(folders: Sequence[Folder]) -> Index:
    """Return the index across all folders: the first folder's compiled index, extended by the others."""
    ready = folders[0].table("index")
    made = unpacked(ready) if ready is not None else None
    if made is not None and len(folders) > 1:
        made = grown(made, _tables_of(folders, first=1))
    return make_index(_tables_of(folders)) if made is None else made


def _tables_of(folders: Sequence[Folder], first: int = 0) -> Iterator[tuple[str, Any]]:
    for number, folder in enumerate(folders[first:], first):
        for name, words in named_tables(folder.names):
            if (table := folder.table(name)) is not None:
                yield f"{number}:{name}" if number and not words else name, table


@cache
def own_vocabulary() -> Vocabulary:
    """Return the vocabulary of accel's own tables."""
    folder = bundled()
    if folder.compiled:
        return Vocabulary(folder.table("index")["words"])
    return Vocabulary(gathered(folder.table(name) for name in names_tables(folder.names)))


@cache
def own_denials() -> "Denials":
    """Return the words by which a writer denies a surrounding: specs/language/denials.yaml."""
    from accel.text.denials import Denials  # few texts name a system or an installer

    return Denials(bundled().table("language/denials"))
