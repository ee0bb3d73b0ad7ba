"""Recognise small tables of a program's run times with different numbers of threads.

    n_jobs   time              threads | seconds
    -1       28s               1       | 0.9
    1        0.3s              32      | 41.2

-1 and "all" mean one thread per processor. A table counts only if the most threads take at least twice as long as the
fewest.
"""

from collections.abc import Iterator
from typing import Final

from accel.facts.readers.page import Page
from accel.model.observation import Noted
from accel.text.pattern import pattern

_HEADER: Final = pattern(
    r"(?i)^\W{0,10}(?:n_jobs|num_threads|nthreads?|n_threads|threads|OMP_NUM_THREADS|workers|jobs|cpus|cores)\b"
    r".{0,30}\b(?:time|times|seconds|sec|secs|duration|elapsed|s|ms)\b"
)
_ROW: Final = pattern(
    r"(?i)^\W{0,10}?(?P<count>-1|all|\d{1,4})[\s|,:;]{1,20}(?P<time>\d{1,7}(?:\.\d{1,6})?)\s{0,2}(?:s|ms|sec|seconds)?\W{0,5}$"
)
_ALL: Final = 100_000
_MOST_ROWS: Final = 20


def recognise(page: Page) -> Iterator[Noted]:
    """Yield one observation per table in which more threads take longer."""
    for number, line in enumerate(page.lines, 1):
        if len(line) > 200 or not _HEADER.search(line):
            continue
        times: dict[int, float] = {}
        last = number
        for offset, row in enumerate(page.lines[number : number + _MOST_ROWS], number + 1):
            found = _ROW.match(row)
            if found:
                count = found["count"].lower()
                times[_ALL if count in ("-1", "all") else int(count)] = float(found["time"])
                last = offset
            elif row.strip(" -|+="):
                break
        if len(times) > 1 and times[max(times)] >= 2 * times[min(times)]:
            text = " ".join(" ".join(page.lines[number - 1 : last]).split())[:1000]
            yield Noted(fact="more-threads-slower", text=text, line=number, last_line=last)
