"""A topology as lines of text: the matrix, then each member's place, then the ports, then a legend.

Lines are no wider than the page, except for a member's row that cannot be shortened: a matrix that is too wide
continues below itself.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from accel.apps.render.gaps_text import gap_lines
from accel.apps.render.page import lines_of
from accel.apps.render.units import plural
from accel.facts.wiring import Hop
from accel.model.wiring import NetworkPort
from accel.watch.topology.records import Joint, Member
from accel.watch.topology.whole import Topology

UNKNOWN: Final = "-"
_GAP: Final = 2
_GENERATIONS: Final = {2.5: 1, 5.0: 2, 8.0: 3, 16.0: 4, 32.0: 5, 64.0: 6}  # by GT/s per lane
_NOTHING: Final = "No device and no network card is known here. Find out why:  accel doctor"


def topology_lines(it: Topology, width: int) -> Iterator[str]:
    """Yield the lines."""
    if not it.members:
        yield _NOTHING
        return
    yield _summary(it)
    yield ""
    yield from matrix_lines(it, width)
    places = list(_rows(_places(it), width))
    if places:
        yield ""
        yield from places
    if any(member.ports for member in it.members):
        yield ""
        yield from _rows(_ports(it), width)
    yield from _beyond(it)
    yield ""
    yield from _legend(it)
    for paragraph in gap_lines(it.gaps):
        yield from lines_of(paragraph, width)


def matrix_lines(it: Topology, width: int) -> Iterator[str]:
    """Yield only the matrix, in as many blocks as the width requires."""
    names = [member.id for member in it.members]
    cells = cells_of(it)
    heads = _heads(it, cells, width)
    left = max(map(len, names)) + (1 + max(map(len, heads)) if heads != names else 0)
    size = max((len(text) for text in (*heads, *cells.values())), default=1)
    fit = max(1, (width - left) // (size + _GAP))
    for start in range(0, len(names), fit):
        part = range(start, min(start + fit, len(names)))
        if start:
            yield ""
        yield _joined(" " * left, (f"{heads[column]:<{size}}" for column in part))
        for row, name in enumerate(names):
            label = name if heads == names else f"{heads[row]:<{max(map(len, heads))}} {name}"
            yield _joined(f"{label:<{left}}", (f"{cells[names[row], names[column]]:<{size}}" for column in part))


def cells_of(it: Topology) -> Mapping[tuple[str, str], str]:
    """Return the content of each cell: a path, X, or a dash if unknown."""
    cells = {(member.id, member.id): "X" for member in it.members}
    for joint in it.joints:
        cells[joint.one, joint.other] = cells[joint.other, joint.one] = joint.path or UNKNOWN
    return cells


def link_text(hop: Hop | None, *, best: bool = False) -> str:
    """Return "gen 5 x16" for a link, now or at its best."""
    if hop is None:
        return UNKNOWN
    speed, width = (hop.speed_maximum_gts, hop.width_maximum) if best else (hop.speed_gts, hop.width)
    generation = _GENERATIONS.get(speed) if speed is not None else None
    told = (f"gen {generation}" if generation else f"{speed:g} GT/s" if speed else "", f"x{width}" if width else "")
    return " ".join(word for word in told if word) or UNKNOWN


def _summary(it: Topology) -> str:
    parts = [plural(len(it.devices), "device")]
    if it.cards:
        parts.append(plural(len(it.cards), "network card"))
    if it.numa_nodes:
        parts.append(plural(len(it.numa_nodes), "NUMA node"))
    return ", ".join(parts)


def _heads(it: Topology, cells: Mapping[tuple[str, str], str], width: int) -> list[str]:
    """Return the column headers: names if they fit side by side, else numbers, prefixed with N for cards."""
    names = [member.id for member in it.members]
    size = max(len(text) for text in (*names, *cells.values())) + _GAP
    if max(map(len, names)) + len(names) * size <= width:
        return names
    numbers = {"device": 0, "card": 0}
    heads = []
    for member in it.members:
        heads.append(f"{'N' if member.role == 'card' else ''}{numbers[member.role]}")
        numbers[member.role] += 1
    return heads


def _joined(label: str, cells: Iterable[str]) -> str:
    return (label + " " * _GAP + (" " * _GAP).join(cells)).rstrip()


def _places(it: Topology) -> list[list[str]]:
    """Return where each member is attached, starting with the header row."""
    rows = [["", "PCI address", "NUMA", "CPUs", "link now", "at best", "narrowest link", "nearest card"]]
    for member in it.members:
        near = ", ".join(member.nearest[:4]) + (" …" if len(member.nearest) > 4 else "")
        cells = (cell or UNKNOWN for cell in place_of(member))
        rows.append([member.id, *cells, near if member.role == "device" else ""])
    return rows


def place_of(member: Member) -> tuple[str | None, ...]:
    """Return its PCI address, NUMA node and CPUs, its link now and at best, and the narrowest link on its way."""
    own = member.hops[-1] if member.hops else None
    return (
        member.pci_address,
        None if member.numa_node is None else str(member.numa_node),
        member.cpus,
        None if own is None else link_text(own),
        None if own is None else link_text(own, best=True),
        None if member.narrowest is None else narrow_text(member),
    )


def narrow_text(member: Member) -> str:
    """Return the narrowest link, with its upper port: "gen 4 x8 at 0000:10:01.0"."""
    if member.narrowest is None:
        return UNKNOWN
    if (member.narrowest.bytes_per_second or 0) >= (member.hops[-1].bytes_per_second or 0):
        return "its own"
    return f"{link_text(member.narrowest)} at {member.narrowest.port}"


def _ports(it: Topology) -> list[list[str]]:
    rows = [["port", "state", "layer", "rate", "lost", "symbol errors", "interfaces"]]
    for port in (port for member in it.members for port in member.ports):
        rows.append(
            [
                f"{port.card}/{port.port}",
                state_text(port),
                port.link_layer or UNKNOWN,
                rate_text(port),
                _count(port.link_downs),
                _count(port.symbol_errors),
                " ".join(port.interfaces),
            ]
        )
    return rows


def state_text(port: NetworkPort) -> str:
    """Return "ACTIVE", or the state of the cable too: "DOWN (Polling)"."""
    if port.physical_state in (None, "LinkUp"):
        return port.state or UNKNOWN
    return f"{port.state or UNKNOWN} ({port.physical_state})"


def rate_text(port: NetworkPort) -> str:
    """Return "400 Gb/s (4X NDR)"."""
    if port.rate_bits_per_second is None:
        return UNKNOWN
    lanes = f" ({port.lanes}X {port.signal})" if port.lanes and port.signal else ""
    return f"{port.rate_bits_per_second / 1e9:g} Gb/s{lanes}"


def _count(number: int | None) -> str:
    return UNKNOWN if number is None else str(number)


def _rows(rows: Sequence[Sequence[str]], width: int) -> Iterator[str]:
    """Yield rows as columns; a column without known values is left out, one that does not fit goes below its row."""
    kept = [n for n in range(len(rows[0])) if n == 0 or any(row[n] not in ("", UNKNOWN) for row in rows[1:])]
    if len(kept) < 2:
        return
    sizes = {n: max(len(row[n]) for row in rows) for n in kept}
    shown: list[int] = []
    used = 0
    for n in kept:
        if not shown or used + sizes[n] <= width:
            shown.append(n)
            used += sizes[n] + _GAP
    below = [n for n in kept if n not in shown]
    for number, row in enumerate(rows):
        yield (" " * _GAP).join(f"{row[n]:<{sizes[n]}}" for n in shown).rstrip()
        for n in below if number else ():
            if row[n] not in ("", UNKNOWN):
                yield f"    {rows[0][n]}: {row[n]}"


def _beyond(it: Topology) -> Iterator[str]:
    for domain in it.domains:
        name = f" {domain.name}" if domain.name else ""
        details = "".join(f", {key} {value}" for key, value in domain.details)
        yield ""
        yield f"{domain.kind}{name}{details}: {_ids(domain.devices)}"


def _ids(ids: Sequence[str]) -> str:
    return f"{ids[0]} to {ids[-1]}" if len(ids) > 3 else ", ".join(ids) or "devices not told"


def _legend(it: Topology) -> Iterator[str]:
    size = max((len(word.word) for word in it.words), default=1)
    for word in it.words:
        yield f"{word.word:<{size}}  {word.means}"
    for reason, joints in _reasons(it.joints).items():
        pairs = ", ".join(f"{joint.one} to {joint.other}" for joint in joints[:3])
        more = f" and {len(joints) - 3} more" if len(joints) > 3 else ""
        yield f"{UNKNOWN:<{size}}  not known, {pairs}{more}: {reason}"


def _reasons(joints: Iterable[Joint]) -> Mapping[str, Sequence[Joint]]:
    found: dict[str, list[Joint]] = {}
    for joint in joints:
        if joint.path is None and joint.reason is not None:
            found.setdefault(joint.reason, []).append(joint)
    return found
