"""A topology as a self-contained SVG picture.

From the top: dedicated links (a band for devices that are all connected alike, arcs for others), devices and cards side
by side as they are attached to switches, the switches, the NUMA nodes. A link below the capability of both its ends is
marked.
Colours are attributes, so that a page that embeds the picture can override them by class.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final

from accel.apps.render.svg import svg_text
from accel.apps.render.topology_text import link_text, state_text
from accel.facts.wiring import Hop
from accel.model.dataclass import dataclass
from accel.watch.topology.records import Joint, Member
from accel.watch.topology.whole import Topology

_BOX: Final = 132  # pixels per member, including the gap to the next
_WIDE: Final = 120
_TALL: Final = 58
_BAND: Final = 26
_ARC: Final = 22  # pixels by which an arc rises per member it spans
_LEFT: Final = 16
_HEAD: Final = 40
_SWITCH: Final = 34
_NODE: Final = 30
_MOST_ARCS: Final = 64
_INK: Final = "#1b1f24"
_QUIET: Final = "#57606a"
_LINE: Final = "#8c959f"
_BAD: Final = "#a40e26"
_FILLS: Final = {"device": "#ddf4ff", "card": "#dafbe1"}


@dataclass(frozen=True, slots=True)
class _Place:
    member: Member
    x: int


def topology_svg(it: Topology, title: str = "Topology", *, alone: bool = True) -> str:
    """Return the picture, with a text description for accessibility.

    alone   a separate file; if not, the page adds the title
    """
    places = _placed(it)
    bands, arcs = _fabrics(it, places)
    rows = _rows(bands, places)
    above = _HEAD + _BAND * (1 + max(rows, default=-1)) + (_ARC * max((_span(arc, places) for arc in arcs), default=0))
    height = above + _TALL + _SWITCH + _NODE + 40
    width = 2 * _LEFT + _BOX * max(len(places), 2)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
        ' font-family="system-ui, sans-serif" font-size="12" role="img" class="topology">',
        f"<title>{svg_text(title)}</title>",
        f"<desc>{svg_text(description(it))}</desc>",
        f'<rect class="paper" width="{width}" height="{height}" fill="#ffffff"/>',
        *([_text(_LEFT, 24, title, size=15, weight=600)] if alone else []),
        *_drawn_bands(bands, rows, places),
        *_drawn_arcs(arcs, places, above),
        *_drawn_nodes(it, places, above),
        *(piece for place in places for piece in _drawn_member(place, above)),
    ]
    return "\n".join([*parts, "</svg>"]) + "\n"


def description(it: Topology) -> str:
    """Describe the picture in words."""
    said = [f"{len(it.devices)} devices and {len(it.cards)} network cards"]
    for word in it.words:
        count = sum(joint.path == word.word for joint in it.joints)
        said.append(f"{count} pairs by {word.word}")
    unknown = sum(joint.path is None for joint in it.joints)
    return "; ".join([*said, *([f"{unknown} pairs not known"] if unknown else [])]) + "."


def _placed(it: Topology) -> list[_Place]:
    """Return the members from left to right: by NUMA node, then by switch."""

    def order(pair: tuple[int, Member]) -> tuple[bool, int, tuple[str, ...], int]:
        number, member = pair
        return (member.numa_node is None, member.numa_node or 0, member.slot, number)

    return [
        _Place(member, _LEFT + _BOX * place)
        for place, (_, member) in enumerate(sorted(enumerate(it.members), key=order))
    ]


def _fabrics(it: Topology, places: Sequence[_Place]) -> tuple[list[tuple[str, list[str]]], list[Joint]]:
    """Return the groups whose members are all connected by the same kind of link, and the joints outside any group."""
    fabric = [joint for joint in it.joints if joint.kind == "fabric"]
    bands: list[tuple[str, list[str]]] = []
    left = set(range(len(fabric)))
    for path in dict.fromkeys(joint.path for joint in fabric):
        near: dict[str, set[str]] = {}
        for joint in fabric:
            if joint.path == path:
                near.setdefault(joint.one, set()).add(joint.other)
                near.setdefault(joint.other, set()).add(joint.one)
        done: set[str] = set()
        for place in places:
            name = place.member.id
            group = {name, *near.get(name, ())}
            if name in done or len(group) < 3 or any(group - {other} != near.get(other, set()) for other in group):
                continue
            done |= group
            bands.append((str(path), [p.member.id for p in places if p.member.id in group]))
            left -= {n for n, joint in enumerate(fabric) if joint.path == path and {joint.one, joint.other} <= group}
    return bands, [fabric[n] for n in sorted(left)][:_MOST_ARCS]


def _rows(bands: Sequence[tuple[str, list[str]]], places: Sequence[_Place]) -> list[int]:
    """Return the row of each band, counted from the top: the first row in which it overlaps no other."""
    at = {place.member.id: place.x for place in places}
    taken: list[tuple[int, int, int]] = []
    for _, group in bands:
        first, last = at[group[0]], at[group[-1]]
        row = next(n for n in range(len(bands)) if not any(n == r and first <= e and b <= last for r, b, e in taken))
        taken.append((row, first, last))
    return [row for row, _, _ in taken]


def _drawn_bands(
    bands: Sequence[tuple[str, list[str]]], rows: Sequence[int], places: Sequence[_Place]
) -> Iterator[str]:
    at = {place.member.id: place.x for place in places}
    low = _HEAD + _BAND * (1 + max(rows, default=-1))
    for (path, group), row in zip(bands, rows, strict=True):
        y = _HEAD + _BAND * row
        first, last = at[group[0]], at[group[-1]] + _WIDE
        yield f'<rect class="fabric" x="{first}" y="{y}" width="{last - first}" height="18" rx="4" fill="#fff8c5"/>'
        yield _text((first + last) / 2, y + 13, f"{path} between all {len(group)}", anchor="middle")
        for name in group:
            x = at[name] + _WIDE // 2
            yield f'<path class="wire" d="M{x} {y + 18}V{low}" stroke="{_LINE}" fill="none"/>'


def _drawn_arcs(arcs: Sequence[Joint], places: Sequence[_Place], base: int) -> Iterator[str]:
    at = {place.member.id: place.x + _WIDE // 2 for place in places}
    for arc in arcs:
        one, other = sorted((at[arc.one], at[arc.other]))
        top = base - _ARC * _span(arc, places)
        curve = f"M{one} {base}C{one} {top} {other} {top} {other} {base}"
        yield f'<path class="wire" d="{curve}" stroke="{_LINE}" fill="none"/>'
        yield _text((one + other) / 2, base - (base - top) * 0.75 - 3, str(arc.path), anchor="middle", colour=_QUIET)


def _span(arc: Joint, places: Sequence[_Place]) -> int:
    at = {place.member.id: number for number, place in enumerate(places)}
    return abs(at[arc.one] - at[arc.other]) + 1


def _drawn_member(place: _Place, y: int) -> Iterator[str]:
    member, x = place.member, place.x
    fill = _FILLS[member.role]
    yield (
        f'<rect class="{member.role}" x="{x}" y="{y}" width="{_WIDE}" height="{_TALL}" rx="5" fill="{fill}" '
        f'stroke="{_LINE}"/>'
    )
    middle = x + _WIDE / 2
    yield _text(middle, y + 17, _cut(member.id, 17), anchor="middle", weight=600)
    own = member.hops[-1] if member.hops else None
    down = any(port.state is not None and not port.is_active for port in member.ports)
    colour = _BAD if _is_worn(own) else _QUIET
    shown = link_text(own) if own is not None else member.pci_address or ""
    yield _text(middle, y + 33, _cut(_second(member), 20), anchor="middle", colour=_BAD if down else _QUIET, size=11)
    yield _text(middle, y + 49, shown, anchor="middle", colour=colour, size=11)


def _is_worn(link: Hop | None) -> bool:
    """Return whether a link has fewer lanes than both its ends support."""
    return link is not None and None not in (link.width, link.width_maximum) and link.width != link.width_maximum


def _second(member: Member) -> str:
    if member.ports:
        return " ".join(dict.fromkeys(state_text(port) for port in member.ports))
    return (member.name or "").removeprefix("NVIDIA ")


def _drawn_nodes(it: Topology, places: Sequence[_Place], y: int) -> Iterator[str]:
    """Yield the switches below the members, and the NUMA nodes below them."""
    low = y + _TALL
    for slot, group in groupby(places, key=lambda place: place.member.slot):
        members = list(group)
        if len(slot) < 3 or len(members) < 2:  # its own port at the root
            for place in members:
                x = place.x + _WIDE // 2
                yield f'<path class="wire" d="M{x} {low}V{low + _SWITCH + 4}" stroke="{_LINE}" fill="none"/>'
            continue
        yield from _drawn_switch(slot, members, low)
    cpus = {node.index: node.cpus for node in it.numa_nodes}
    for index, group in groupby(places, key=lambda place: place.member.numa_node):
        members = list(group)
        first, last = members[0].x, members[-1].x + _WIDE
        top = low + _SWITCH + 4
        label = "NUMA node not known" if index is None else f"NUMA node {index}"
        if index is not None and cpus.get(index):
            label += f" · CPUs {cpus[index]}"
        wide = last - first
        yield f'<rect class="node" x="{first}" y="{top}" width="{wide}" height="{_NODE}" rx="4" fill="#f6f8fa"/>'
        yield _text((first + last) / 2, top + 20, _cut(label, max(16, (last - first) // 7)), anchor="middle")


def _drawn_switch(slot: Sequence[str], members: Sequence[_Place], low: int) -> Iterator[str]:
    first, last = members[0].x, members[-1].x + _WIDE
    for place in members:
        x = place.x + _WIDE // 2
        yield f'<path class="wire" d="M{x} {low}V{low + 10}" stroke="{_LINE}" fill="none"/>'
    up = members[0].member.hops[0] if members[0].member.hops else None
    worn = _is_worn(up)
    label = f"switch {slot[2]}, {link_text(up)} to the root" + (f", not {link_text(up, best=True)}" if worn else "")
    middle = (first + last) / 2
    yield f'<rect class="switch" x="{first}" y="{low + 10}" width="{last - first}" height="18" rx="3" fill="#e1e4e8"/>'
    colour = _BAD if worn else _INK
    yield _text(middle, low + 23, _cut(label, (last - first) // 6), anchor="middle", colour=colour, size=11)
    yield f'<path class="wire" d="M{middle:g} {low + 28}V{low + _SWITCH + 4}" stroke="{_LINE}" fill="none"/>'


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _text(
    x: float, y: float, text: str, *, anchor: str = "start", colour: str = _INK, size: int = 12, weight: int = 400
) -> str:
    bold = f' font-weight="{weight}"' if weight != 400 else ""
    kind = {_BAD: ' class="bad-text"', _QUIET: ' class="quiet-text"'}.get(colour, "")
    return (
        f'<text{kind} x="{x:g}" y="{y:g}" text-anchor="{anchor}" font-size="{size}"{bold} fill="{colour}">'
        f"{svg_text(text)}</text>"
    )
