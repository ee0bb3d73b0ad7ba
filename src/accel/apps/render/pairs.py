"""`accel fleet pairs` as text and as JSON."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from accel.apps.render.json import dumps
from accel.apps.render.units import plural, rate_text
from accel.apps.render.width import wrapped
from accel.fleet.folding import folded
from accel.model.printable import printable
from accel.model.to_builtins import plain
from accel.text.durations import span_text

if TYPE_CHECKING:
    from accel.fleet.pairs.found import BadNode, Found

_KINDS: Final = {"hang": "hangs", "error": "fails", "wrong": "sums wrongly", "slow": "is slow"}
_MOST: Final = 40
_SHARED: Final = (
    "That is no single node: look at what all share, such as a firewall between them, or the network interface "
    "(--set NCCL_SOCKET_IFNAME=…, --set GLOO_SOCKET_IFNAME=…)."
)


def pairs_json(found: "Found") -> str:
    """Return the document: schema accel.pairs/1."""
    rates = found.pair_rates()
    return dumps(
        "accel.pairs/1",
        whole=found.whole,
        nothing_passes=found.nothing_passes,
        rounds=found.rounds,
        seconds=found.seconds,
        nodes=plain(found.nodes),
        pairs=plain(found.pairs),
        unclear=plain(found.unclear),
        not_tested=[{"node": row.node, "state": row.state, "why": row.why} for row in found.not_tested],
        pair_bytes_per_second=None if rates is None else dict(zip(("least", "median", "most"), rates, strict=True)),
        ranks=plain(dict(found.ranks)),
        tests=plain(found.tests),
        notes=list(found.notes),
    )


def pairs_lines(found: "Found", width: int) -> Iterator[str]:
    """Yield the lines of the answer."""
    yield from _wrapped(_headline(found), width)
    if found.nothing_passes:
        yield from _wrapped(_SHARED, width)
        for test in found.tests[:3]:
            yield from _wrapped(f"  {' and '.join(test.nodes)}: {test.measured.why}", width, "    ")
    for node in found.nodes[:_MOST]:
        yield ""
        yield from _wrapped(f"✗ {node.node} {_KINDS[node.fault]}  ({_counts(node)})", width)
        yield from _wrapped(f"  {_why(node)}", width, "    ")
    for pair in found.pairs[:_MOST]:
        yield ""
        yield from _wrapped(f"✗ {pair.nodes[0]} and {pair.nodes[1]} only together: {pair.why}", width)
        yield from _wrapped("  each passes with others: look at the link between them", width, "    ")
    if len(found.nodes) > _MOST or len(found.pairs) > _MOST:
        yield f"  and more: {plural(len(found.nodes), 'node')}, {plural(len(found.pairs), 'pair')} in all: --json"
    for test in found.unclear[:_MOST]:
        names = folded(test.nodes, 6)
        yield from _wrapped(f"! Not repeated: {names}: {test.measured.why}", width)
    if found.not_tested:
        yield ""
        yield "Not tested:"
        for row in found.not_tested[:_MOST]:
            yield from _wrapped(f"  {row.node} {row.state.replace('_', ' ')}: {row.why}", width, "     ")
    yield ""
    for line in (*_measured(found), *found.notes):
        yield from _wrapped(line, width)


def _headline(found: "Found") -> str:
    """Return "8 nodes, all-reduce by gloo on cpu: 2 bad. First: local3 hangs."."""
    count = len(found.ranks) or len(found.not_tested)
    how = sorted({f"{rank.library} on {rank.name or rank.device.partition(':')[0]}" for rank in found.ranks.values()})
    by = f", all-reduce by {', '.join(how[:3])}" if how else ""
    if not found.tests:
        return f"{plural(count, 'node')}{by}: nothing could be tested."
    if found.nothing_passes:
        return f"{plural(count, 'node')}{by}: no pair passes."
    first = f" First: {found.nodes[0].node} {_KINDS[found.nodes[0].fault]}." if found.nodes else ""
    bad = [plural(len(found.nodes), "bad node")] if found.nodes else []
    bad += [plural(len(found.pairs), "bad pair")] if found.pairs else []
    stopped = "" if found.whole else " It was stopped before its end: this is what was seen until then."
    return f"{plural(count, 'node')}{by}: {' and '.join(bad) or 'none is bad'}.{first}{stopped}"


def _counts(node: "BadNode") -> str:
    return f"{node.failed} of {plural(node.tests, 'test')}, with {folded(node.partners)}"


def _why(node: "BadNode") -> str:
    if node.fault == "slow" and node.bytes_per_second is not None and node.like is not None:
        like = f"where like pairs reach {rate_text(node.like, 'B/s')}"
        return f"at best {rate_text(node.bytes_per_second, 'B/s')}, {like}"
    return node.why


def _measured(found: "Found") -> Iterator[str]:
    rates = found.pair_rates()
    groups = [t for t in found.tests if len(t.nodes) > 2 and t.measured.fault is None and t.measured.bytes_per_second]
    if rates is not None:
        least, middle, most = (rate_text(one, "B/s") for one in rates)
        yield f"Pairs that passed: {least} to {most}, the median {middle}."
    for test in groups[:1]:
        yield f"{len(test.nodes)} together: {rate_text(test.measured.bytes_per_second, 'B/s')} of the bus."
    if found.tests:
        yield f"{plural(found.rounds, 'round')}, {plural(len(found.tests), 'test')}, {span_text(found.seconds)}."
    versions = sorted({rank.torch for rank in found.ranks.values()})
    if len(versions) > 1:
        yield f"The nodes have different releases of torch: {', '.join(versions)}."


def _wrapped(text: str, width: int, indent: str = "  ") -> list[str]:
    return wrapped(printable(text), width, indent)
