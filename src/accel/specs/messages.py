"""Message records from the sentence tables, specs/<vendor>/messages/<topic>.yaml."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A sentence that software prints about a fault.

    name     of the sentence; `says` states in plain words what it means
    pattern  a regular expression that finds it; example is text that it finds
    sign     a literal without which the pattern cannot match; None: none is known
    signs    literals of which every match holds at least one, as compiled tables have them; None: not worked out
    topic    the file that it stands in: "nvidia/messages/driver"
    """

    name: str
    pattern: str
    example: str
    says: str
    topic: str
    sign: str | None = None
    signs: tuple[str, ...] | None = None
    ignore_case: bool = True
    backend: str | None = None
    source: str | None = None


def messages(tables: Iterable[tuple[str, Any]]) -> tuple[Message, ...]:
    """Return every message of these (table name, table) pairs."""
    return tuple(
        Message(
            name=record["name"],
            pattern=record["pattern"],
            example=record["example"],
            says=record["says"],
            topic=topic,
            sign=record.get("sign"),
            signs=tuple(record["signs"]) if "signs" in record else None,
            ignore_case=record.get("ignore_case", True),
            backend=record.get("backend", table.get("backend")),
            source=record.get("source"),
        )
        for topic, table in tables
        for record in table["messages"]
    )
