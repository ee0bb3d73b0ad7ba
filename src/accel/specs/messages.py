"""Message records from the sentence tables, specs/<vendor>/messages/<topic>.yaml."""

from collections.abc import Iterable
from typing import Any

from accel.specs.records import Message


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
            ignore_case=record.get("ignore_case", False),
            backend=record.get("backend", table.get("backend")),
            source=record.get("source"),
        )
        for topic, table in tables
        for record in table["messages"]
    )
