"""Which lines of a text speak of which machine, run or environment, where it speaks of several. Pure.

A kind (machine, system, run, environment) is told apart in the way that is surest in this text: by headings, else by
prompts and commands, else by hosts before the lines, else by a report that stands there twice and differs. What stands
before the first part, and what is of no part, belongs to each. Parts of several kinds are joined: "on gpu01, in the
environment tf". Some marks only say whose line it is (ranks, NCCL's hosts, a container): of them there are labels.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final

from accel.model.dataclass import dataclass
from accel.text.part_headings import Heading, Opened, headings
from accel.text.part_sessions import Event, environments, machines, marked_hosts
from accel.text.pattern import pattern
from accel.text.scopes import scopes_of

MOST_PARTS: Final = 64
_RANK: Final = pattern(
    r"[ \t]{0,4}\[(?:(?:default|rank|local_rank|Rank )(?P<rank>\d{1,5})\]|\d+,(?P<task>\d{1,5})\]<std)"
)
_TASK: Final = pattern(r"(?P<task>\d{1,4}): ?(?![0-9a-f]{2}\.[0-7] )")
_NCCL: Final = pattern(r"(?P<host>[\w.-]{1,80}):\d{1,8}:\d{1,8} \[\d{1,3}\] ")
_IN_REPORT: Final = 3  # lines after its first in which a report shows what it is

_State = tuple[Opened | None, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TextPart:
    """One part. keys: its name by kind, the same for parts that have it in common; lines: its own, from 1.

    text  its own lines and those of no part, all others blank; None of a label, which only says whose lines they are
    """

    says: str
    keys: tuple[tuple[str, str], ...]
    lines: frozenset[int]
    text: str | None = None


def parts_of(
    text: str, words: Mapping[str, Any], without: Collection[tuple[str, str]] = frozenset()
) -> tuple[TextPart, ...]:
    """Return the parts of a text, in its order; () where it is of one machine, run and environment.

    Of more than MOST_PARTS only the names are returned, without lines and texts.

    words    specs/language/parts.yaml
    without  (kind, key) of parts that are none: what stands there belongs to all
    """
    lines = text.split("\n")
    kinds, cuts = _told_apart(lines, words)
    kinds = {kind: [_unless(one, without) for one in of_lines] for kind, of_lines in kinds.items()}
    kinds = {kind: of_lines for kind, of_lines in kinds.items() if len({o.key for o in of_lines if o}) > 1}
    if not kinds:
        return ()
    states = _states(kinds, [row["name"] for row in words["kinds"]], len(lines))
    present = dict.fromkeys(state for state, line in zip(states, lines, strict=True) if line.strip())
    whole = [
        state
        for state in present
        if any(state) and not (None in state and any(_is_within(state, other) for other in present))
    ]
    if len(whole) > MOST_PARTS:  # nobody reads so many: only what they are is told
        return tuple(TextPart(says=_said(state), keys=_keys(state), lines=frozenset()) for state in whole)
    shown = [line[cuts.get(number, 0) :] for number, line in enumerate(lines)]
    return tuple(
        TextPart(
            says=_said(state),
            keys=_keys(state),
            lines=frozenset(number for number, one in enumerate(states, 1) if any(one) and _fits(one, state)),
            text="\n".join(line if _fits(one, state) else "" for one, line in zip(states, shown, strict=True)),
        )
        for state in whole
    )


def labels_of(text: str) -> tuple[TextPart, ...]:
    """Return whose lines are marked as such: of ranks, of NCCL's hosts, of a container and its host."""
    if not any(
        sign in text
        for sign in ("NCCL", "ank", "efault", "<std", "ontainer", "docker", "kubectl", "podman", "@", "0: ")
    ):
        return ()
    lines = text.split("\n")
    labels: dict[str, set[int]] = {}
    for number, scope in enumerate(scopes_of(lines), 1):
        if scope is not None:
            labels.setdefault("on the host" if scope == "host" else "in the container", set()).add(number)
    ranks: dict[str, set[int]] = {}
    hosts: dict[str, set[int]] = {}
    tasks: dict[str, set[int]] = {}
    for number, line in enumerate(lines, 1):
        if line[:1] == "[" and (found := _RANK.match(line)):
            ranks.setdefault(f"on rank {found['rank'] or found['task']}", set()).add(number)
        elif line[:1].isdecimal() and (found := _TASK.match(line)):
            tasks.setdefault(f"in task {found['task']}", set()).add(number)
        elif "NCCL" in line and (found := _NCCL.match(line)):
            hosts.setdefault(f"on {found['host']}", set()).add(number)
    told = sum(1 for line in lines if line.strip())
    if sum(map(len, tasks.values())) * 2 < told:
        tasks = {}
    for marks in (hosts, ranks, tasks):
        if len(marks) > 1:
            labels |= marks
    return tuple(TextPart(says=says, keys=(), lines=frozenset(own)) for says, own in labels.items())


def _unless(opened: Opened | None, without: Collection[tuple[str, str]]) -> Opened | None:
    return None if opened is None or (opened.kind, opened.key) in without else opened


def _told_apart(
    lines: Sequence[str], words: Mapping[str, Any]
) -> tuple[dict[str, list[Opened | None]], dict[int, int]]:
    """Return, of each kind with several parts, the part of each line; and how much of a line is a host's mark."""
    found: dict[str, list[Opened | None]] = {}
    cuts: dict[int, int] = {}
    marked = list(headings(lines, words))
    inside = {number for number, scope in enumerate(scopes_of(lines)) if scope == "container"}
    for row in words["kinds"]:
        kind = row["name"]
        events = list(_of_headings(marked, kind))
        if not _several(events):
            events = list(_of_sessions(lines, kind, inside))
        if _several(events):
            found[kind] = _spread(events, len(lines))
    if "machine" not in found and (hosts := marked_hosts(lines, frozenset(words["not_machines"]))):
        found["machine"] = [hosts[number][0] if number in hosts else None for number in range(len(lines))]
        cuts = {number: end for number, (_, end) in hosts.items()}
    if not found and _several(events := list(_reports(lines, words["reports"]))):
        found["machine"] = _spread(events, len(lines))
    return found, cuts


def _of_sessions(lines: Sequence[str], kind: str, inside: Collection[int]) -> Iterator[Event]:
    if kind == "machine":
        yield from machines(lines, inside)
    elif kind == "environment":
        yield from environments(lines)


def _of_headings(marked: Sequence[tuple[int, Heading]], kind: str) -> Iterator[Event]:
    """Yield the parts of one kind, and where a heading of no part ends one."""
    level: int | None = None
    for number, heading in marked:
        if heading.opened is not None and heading.opened.kind == kind:
            level = heading.level
            yield number, heading.opened
        elif heading.opened is None and level is not None and heading.level <= level:
            level = None
            yield number, None


def _reports(lines: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> Iterator[Event]:
    """Yield where a report begins that stands there several times, each time with another content."""
    for row in rows:
        starts = [
            number
            for number, line in enumerate(lines)
            if line.lstrip().startswith(row["opens"])
            and any(row["within"] in line for line in lines[number : number + _IN_REPORT])
        ]
        ends = [*starts[1:], len(lines)][: len(starts)]
        told = {
            number: tuple(
                _between(line.strip(), row)
                for line in lines[number:end]
                if line.strip().startswith(tuple(row["differs"]))
            )
            for number, end in zip(starts, ends, strict=True)
        }
        contents = list(dict.fromkeys(told.values()))
        for number in starts:
            place = contents.index(told[number])
            order = ("first", "second", "third", "fourth")[place] if place < 4 else f"{place + 1}th"
            yield number, Opened("machine", order, f"in the {order} report")


def _between(line: str, row: Mapping[str, Any]) -> str:
    """Return what of a line is compared: all of it, or what stands between two of its labels."""
    if "between" not in row:
        return line
    after, before = row["between"]
    return line.partition(after)[2].partition(before)[0].strip()


def _several(events: Sequence[Event]) -> bool:
    return len({opened.key for _, opened in events if opened is not None}) > 1


def _spread(events: Sequence[Event], count: int) -> list[Opened | None]:
    """Return the part of each line: that of the last event before it. The same part always has the same name."""
    states: list[Opened | None] = [None] * count
    names: dict[str, Opened] = {}
    for place, (number, opened) in enumerate(events):
        end = events[place + 1][0] if place + 1 < len(events) else count
        state = names.setdefault(opened.key, opened) if opened is not None else None
        states[number:end] = [state] * (end - number)
    return states


def _states(found: Mapping[str, list[Opened | None]], order: Sequence[str], count: int) -> list[_State]:
    kinds = [kind for kind in order if kind in found]
    return [tuple(found[kind][number] for kind in kinds) for number in range(count)]


def _said(state: _State) -> str:
    return ", ".join(opened.says for opened in state if opened)


def _keys(state: _State) -> tuple[tuple[str, str], ...]:
    return tuple((opened.kind, opened.key) for opened in state if opened)


def _fits(one: _State, other: _State) -> bool:
    """Whether lines of one state belong to a part: they are of it, or of no part of some kind."""
    return all(mine is None or mine == its for mine, its in zip(one, other, strict=True))


def _is_within(one: _State, other: _State) -> bool:
    """Whether a state is common to a narrower one, so that its lines belong to that."""
    return one != other and _fits(one, other)
