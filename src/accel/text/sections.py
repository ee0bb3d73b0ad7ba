"""Parse "key : value" lines below titles, one block per device.

Indentation gives the nesting; in a text that has lost it, the nearest title above counts. The last value of a text
without a final newline may be truncated, so it counts only if it has its unit.
"""

from collections.abc import Iterator
from typing import Final

from accel.model.dataclass import dataclass, field
from accel.text.lines import broken_line, lines_of, whole_amount
from accel.text.pattern import Pattern, pattern

_TITLE: Final = pattern(r"[A-Za-z][\w .()/-]*")


@dataclass(slots=True)
class Block:
    """The section of one device. values: by (title above, key) in lower case; the first value of a name counts."""

    head: dict[str, str]
    first_line: int
    last_line: int
    values: dict[tuple[str, str], str] = field(default_factory=dict)

    def get(self, *names: tuple[str | None, str]) -> str | None:
        """Return the first value for any of these (title, key) pairs; a title of None matches any title."""
        for title, key in names:
            for (above, name), value in self.values.items():
                if name == key and (title is None or above == title):
                    return value
        return None


def blocks(text: str, head: Pattern) -> Iterator[Block]:
    """Yield the block below each line that the head pattern matches in full."""
    block: Block | None = None
    titles: list[tuple[int, str]] = []
    indented: bool | None = None
    broken = broken_line(text)
    for number, line in lines_of(text):
        if found := head.fullmatch(line):
            if block is not None:
                yield block
            block = Block({k: v for k, v in found.groupdict().items() if v}, number, number)
            titles, indented = [], None
            continue
        if block is None or not line.strip():
            continue
        plain = line.expandtabs(4)
        depth, said = len(plain) - len(plain.lstrip()), plain.strip()
        key, colon, value = said.partition(":")
        indented = depth > 0 if indented is None else indented
        if not ((key.strip() and colon) or _TITLE.fullmatch(said)) or (indented and not depth):
            yield block
            block = None
            continue
        above = [title for title in titles if title[0] < depth] or ([] if indented else titles)
        block.last_line = number
        if number == broken and not whole_amount(value):
            continue
        if colon:
            block.values.setdefault((above[-1][1] if above else "", key.strip().lower()), value.strip())
        else:
            titles = [*(title for title in titles if title[0] < depth), (depth, said.lower())]
    if block is not None:
        yield block
