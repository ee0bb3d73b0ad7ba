"""Split a text that covers several machines, runs or environments into its parts. Pure.

Each kind (machine, system, run, environment) is split by the surest evidence in this text: headings, otherwise prompts
and commands, otherwise host names before lines, otherwise a report that occurs twice with different content. Lines
before the first part, and lines of no part, belong to all parts. Parts of several kinds are combined: "on gpu01, in the
environment tf". Some marks only say where a line comes from (ranks, NCCL's hosts, a container): these are labels.
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
_IN_REPORT: Final = 3  # lines after the first that identify a report

_State = tuple[Opened | None, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TextPart:
    """One part.

    keys   its name by kind; parts that share a machine, for example, have the same name for it
    lines  its own lines, from 1
    text   its own lines and those of no part, with all others blank; None for a label
    """

    says: str
    keys: tuple[tuple[str, str], ...]
    lines: frozenset[int]
    text: str | None = None


def parts_of(
    text: str, words: Mapping[str, Any], without: Collection[tuple[str, str]] = frozenset()
) -> tuple[TextPart, ...]:
    """Return the parts of a text in order; () if it covers one machine, run and environment only.

    If there are more than MOST_PARTS, only their names are returned, without lines and texts.

    words    specs/language/parts.yaml
    without  (kind, key) of parts to ignore: their lines belong to all parts
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
    if len(whole) > MOST_PARTS:  # too many to read: return only their names
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
    """Return the labels of lines: ranks, NCCL's hosts, a container and its host."""
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
    """Return the part of each line, by kinds with several parts, and the lengths of host marks by line."""
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
    """Yield the beginnings of a report that occurs several times with different content."""
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
    """Return the part of a line to compare: the whole line, or the text between two of its labels."""
    if "between" not in row:
        return line
    after, before = row["between"]
    return line.partition(after)[2].partition(before)[0].strip()


def _several(events: Sequence[Event]) -> bool:
    return len({opened.key for _, opened in events if opened is not None}) > 1


def _spread(events: Sequence[Event], count: int) -> list[Opened | None]:
    """Return the part of each line: that of the last event before it. One part always has one name."""
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
    """Return whether lines in one state belong to a part: for each kind they have the same name or none."""
    return all(mine is None or mine == its for mine, its in zip(one, other, strict=True))


def _is_within(one: _State, other: _State) -> bool:
    """Return whether one state is shared with a narrower one, so that its lines belong to that one too."""
    return one != other and _fits(one, other)
