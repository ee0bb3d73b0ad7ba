"""What the tables' sentences recognise in a live machine's kernel log, in addition to the plugins' readers. Pure.

    nfs: server storage01 not responding, still trying          blk_update_request: I/O error, dev nvme0n1, sector 4096
    [drm:amdgpu_job_timedout [amdgpu]] *ERROR* ring gfx_0.0.0 timeout, signaled seq=1, emitted seq=3
Facts   those in specs/*/inference that have `in_log`
Most kernel warnings do not concern accelerators: only lines with one of a fact's words are searched.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from accel.model.dataclass import replace
from accel.model.observation import Noted
from accel.specs import Specs

_MOST_LINES: Final = 200  # the newest that hold a word
_MOST: Final = 40


def told(lines: Sequence[str], specs: Specs) -> Iterator[Noted]:
    """Yield the facts that the lines establish, each with its line, from 1."""
    wanted: Mapping[str, Sequence[str]] = specs.inference["in_log"]
    words = words_of(specs)
    held = [number for number, line in enumerate(lines, 1) if holds_word(line, words)]
    if not held:
        return
    from accel.facts.readers.mechanisms.sentences import recognise
    from accel.facts.readers.page import Page

    held = held[-_MOST_LINES:]
    found = 0
    for one in recognise(Page("\n".join(lines[number - 1] for number in held), specs)):
        if isinstance(one, Noted) and one.fact in wanted and one.line is not None:
            line = held[one.line - 1]
            yield replace(one, line=line, last_line=line, text=lines[line - 1])
            found += 1
            if found == _MOST:
                return


def words_of(specs: Specs) -> tuple[str, ...]:
    """Return the words, in lower case; only log lines with at least one of them are searched."""
    return tuple(dict.fromkeys(word for words in specs.inference["in_log"].values() for word in words))


def holds_word(line: str, words: Sequence[str]) -> bool:
    """Return whether a line contains one of the words.

    >>> holds_word("nfs: server storage01 Not Responding", ("not responding",))
    True
    """
    lower = line.lower()
    return any(word in lower for word in words)
