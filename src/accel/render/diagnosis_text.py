"""A diagnosis for a person at midnight: what is broken first, why, what to type."""

from collections.abc import Iterable, Sequence
from typing import Final

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from accel.check import LAYERS
from accel.model.device import Device
from accel.model.diagnosis import Diagnosis, Finding
from accel.model.snapshot import Snapshot
from accel.render.console import console
from accel.render.units import plural

_MARKS: Final = {"error": ("✗", "bold red"), "warning": ("!", "yellow"), "info": ("i", "cyan")}
_WHO: Final = {
    "app": "in the program",
    "env": "in the environment",
    "admin": "as administrator",
    "reset": "resets the device",
    "reboot": "needs a reboot",
    "service": "needs service or replacement",
}


def print_diagnosis(diagnosis: Diagnosis, snapshot: Snapshot, *, verbose: bool) -> None:
    """Print the diagnosis to stdout."""
    out = console()
    for part in diagnosis_view(diagnosis, snapshot, verbose=verbose):
        out.print(part)


def diagnosis_view(diagnosis: Diagnosis, snapshot: Snapshot, *, verbose: bool) -> Iterable[RenderableType]:
    """Yield what to print, top to bottom."""
    yield Text(_headline(diagnosis, snapshot), style="bold")
    yield _chain(diagnosis)
    causes = [f for f in diagnosis.findings if f.severity != "info"]
    notes = [f for f in diagnosis.findings if f.severity == "info"]
    for finding in causes:
        yield Text("")
        yield _finding(finding)
    if notes:
        yield Text("")
        yield from (_note(finding) for finding in notes)
    yield Text("")
    yield Text(_summary(diagnosis))
    if verbose:
        yield from _rest(diagnosis)
    elif diagnosis.undecided and not causes:
        wants = dict.fromkeys(w for u in diagnosis.undecided for w in u.wants)
        yield Text(f"Undecided for want of: {', '.join(list(wants)[:6])}{' …' if len(wants) > 6 else ''}")


def _headline(diagnosis: Diagnosis, snapshot: Snapshot) -> str:
    where = "this machine" if snapshot.origin == "live" else snapshot.origin
    host = snapshot.host
    system = ", ".join(v for v in (host.distribution or host.system, host.kernel) if v)
    devices = _device_summary([d for d in diagnosis.devices if d.kind != "cpu" and d.parent is None])
    return "accel doctor · " + " · ".join(part for part in (where, system, devices) if part)


def _chain(diagnosis: Diagnosis) -> Text:
    """One glance, bottom up: which layers stand, which is broken, which nothing is known of."""
    line = Text()
    clear = {check.layer for check in diagnosis.clear}
    for layer in LAYERS:
        worst = next((f.severity for f in diagnosis.findings if f.layer == layer and f.severity != "info"), None)
        mark, style = _MARKS[worst] if worst else ("✓", "green") if layer in clear else ("?", "dim")
        line.append(f"{layer} ", "dim").append(mark, style).append("   ")
    line.rstrip()
    return line


def _device_summary(devices: Sequence[Device]) -> str:
    counts: dict[str, int] = {}
    for device in devices:
        name = device.name or f"{device.vendor} device"
        counts[name] = counts.get(name, 0) + 1
    if not counts:
        return "no accelerator seen"
    return ", ".join(f"{count} × {name}" for name, count in counts.items())


def _finding(finding: Finding) -> RenderableType:
    mark, colour = _MARKS[finding.severity]
    head = Text.assemble((f"{mark} {finding.title}", colour), (f"  [{finding.code} {finding.name}]", "dim"))
    grid = Table.grid(padding=(0, 2))
    grid.add_column(no_wrap=True, style="dim")
    grid.add_column(overflow="fold")
    if finding.detail:
        grid.add_row("why", finding.detail)
    if finding.devices:
        grid.add_row("where", ", ".join(finding.devices))
    if finding.explained_by:
        grid.add_row("after", f"follows from {', '.join(finding.explained_by)}; repair that first")
    seen = [f"{e.fact}: {e.value}" + (f"  ({e.source})" if e.source else "") for e in finding.evidence]
    if seen:
        grid.add_row("seen", "\n".join(seen))
    for index, remedy in enumerate(finding.remedies):
        text = Text(remedy.text)
        text.append(f"  ({_WHO[remedy.action]})", style="dim")
        if remedy.command:
            text.append("\n" + "\n".join(f"  {line}" for line in remedy.command.splitlines()), style="bold")
        grid.add_row("do" if index == 0 else "or", text)
    return Group(head, Padding(grid, (0, 0, 0, 4)))


def _note(finding: Finding) -> RenderableType:
    mark, colour = _MARKS["info"]
    text = Text.assemble((f"{mark} {finding.title}", colour), (f"  [{finding.code} {finding.name}]", "dim"))
    commands = [r.command for r in finding.remedies if r.command]
    if commands:
        text.append(f"\n    {commands[0]}")
    return text


def _summary(diagnosis: Diagnosis) -> str:
    counts = {s: sum(f.severity == s for f in diagnosis.findings) for s in ("error", "warning")}
    found = ", ".join(plural(n, noun) for noun, n in counts.items() if n) or "No fault found"
    rest = [f"{len(diagnosis.clear)} checks clear"]
    if diagnosis.undecided:
        rest.append(f"{len(diagnosis.undecided)} undecided")
    if diagnosis.skipped:
        rest.append(f"{len(diagnosis.skipped)} skipped")
    return f"{found}. {', '.join(rest)}; each is named with --verbose."


def _rest(diagnosis: Diagnosis) -> Iterable[RenderableType]:
    rows: list[tuple[str, str, str]] = [("clear", c.name, "") for c in diagnosis.clear]
    rows += [("undecided", u.name, f"wants {', '.join(u.wants)}") for u in diagnosis.undecided]
    rows += [("skipped", s.name, s.reason) for s in diagnosis.skipped]
    rows += [("gap", gap.fact, gap.reason) for gap in diagnosis.gaps]
    grid = Table.grid(padding=(0, 2))
    for style in ("dim", "", "dim"):
        grid.add_column(style=style, overflow="fold")
    for row in rows:
        grid.add_row(*row)
    yield Padding(grid, (1, 0, 0, 0))
