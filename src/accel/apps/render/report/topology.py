"""The chapter on how devices and network cards are connected; none if nothing is known."""

from typing import Final

from accel.apps.render.report.document import Block, Fold, Lines, Paragraph, Section, Table, Wires
from accel.apps.render.report.given import Given
from accel.apps.render.topology_text import matrix_lines, place_of, rate_text, state_text
from accel.watch.topology import Topology, topology

_WIDTH: Final = 110  # width of the matrix in columns, if it cannot be drawn


def joined(given: Given) -> Section | None:
    """Return the chapter; None if no connection is known."""
    it = topology(given.facts, given.specs)
    told = any(joint.path is not None for joint in it.joints) or any(
        member.hops or member.ports for member in it.members
    )
    if not told:
        return None
    blocks: list[Block] = [
        Wires(title="How devices and network cards are joined", drawn=it, lines=tuple(matrix_lines(it, _WIDTH))),
        _places(it),
    ]
    if any(member.ports for member in it.members):
        blocks.append(_ports(it))
    for domain in it.domains:
        details = "".join(f", {key} {value}" for key, value in domain.details)
        name = f" {domain.name}" if domain.name else ""
        blocks.append(Paragraph(text=f"{domain.kind}{name}{details}: {', '.join(domain.devices) or 'unknown'}"))
    words = tuple(f"{word.word}: {word.means}" for word in it.words)
    reasons = tuple(dict.fromkeys(joint.reason for joint in it.joints if joint.reason is not None))
    if words or reasons:
        unknown = tuple(f"not known: {reason}" for reason in reasons)
        blocks.append(Fold(title="What the words mean", blocks=(Lines(items=(*words, *unknown)),)))
    return Section(name="topology", title="Topology", blocks=tuple(blocks))


def _places(it: Topology) -> Table:
    columns = ("member", "PCI address", "NUMA node", "CPUs", "link now", "at best", "narrowest link", "nearest card")
    return Table(
        caption="Where each device is connected on the PCI bus",
        columns=columns,
        rows=tuple(
            (member.id, *place_of(member), ", ".join(member.nearest) if member.role == "device" else "")
            for member in it.members
        ),
        numeric=frozenset({"NUMA node"}),
    )


def _ports(it: Topology) -> Table:
    return Table(
        caption="Ports for InfiniBand and RoCE",
        columns=("port", "state", "layer", "rate", "links lost", "symbol errors"),
        rows=tuple(
            (
                f"{port.card}/{port.port}",
                None if port.state is None else state_text(port),
                port.link_layer,
                None if port.rate_bits_per_second is None else rate_text(port),
                None if port.link_downs is None else str(port.link_downs),
                None if port.symbol_errors is None else str(port.symbol_errors),
            )
            for member in it.members
            for port in member.ports
        ),
        numeric=frozenset({"links lost", "symbol errors"}),
    )
