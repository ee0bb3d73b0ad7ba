"""`npu-smi info -t QUERY`, where each line is one reading of a chip: specs/ascend/npu_smi_queries.yaml.

The queries that need code are in smi_board.py and smi_health.py.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final

from accel.specs.store import bundled
from accel.text import amounts
from accel.vendors.contract.backend import Reader, Reading, has_sign
from accel_ascend.readers.smi_query import query_reader

_READ: Final[Mapping[str, Callable[[str], Any]]] = {
    one.__name__: one for one in (amounts.capacity, amounts.count, amounts.number, amounts.word)
}


def _reader(row: Mapping[str, Any]) -> Reader:
    told = {label: gives.split() for label, gives in row["fields"].items()}
    keys = {label: (field, _READ[how]) for label, (field, how) in told.items()}
    return query_reader(row["name"], tuple(row["signs"]), keys, complete=partial(_with_totals, row.get("total", {})))


def _with_totals(totals: Mapping[str, Sequence[str]], facts: dict[str, Any]) -> dict[str, Any]:
    for total, fields in totals.items():
        known = None
        for field in fields:
            known = known or facts.get(field)
        facts[total] = known
    return facts


_READERS: Final = tuple(map(_reader, bundled().table("ascend/npu_smi_queries")["queries"]))


def read(text: str) -> Iterator[Reading]:
    """Yield the reading of each query whose labels are in the text."""
    lower = text.lower()
    for one in _READERS:
        if has_sign(one, lower):
            yield from one.read(text)


READER: Final = Reader(name="npu-smi info -t", signs=tuple(sign for one in _READERS for sign in one.signs), read=read)
