"""`accel report`: one document on the machine, for a ticket or for procurement."""

import argparse
import os
import sys
from typing import TYPE_CHECKING, Final, Literal

from accel.apps.cli.output import save
from accel.apps.cli.parsing import Parser
from accel.apps.cli.source import add_deep, add_from, add_timeout, check_deep, is_record_file, taken_snapshot
from accel.model.errors import BadInput

if TYPE_CHECKING:
    from accel.apps.fitting import Fit
    from accel.measure.bench.records import Bench
    from accel.model.snapshot import Snapshot
    from accel.specs import Specs
    from accel.watch.sampling.condensed import Condensed

Format = Literal["md", "html"]

_ENDINGS: Final[dict[str, Format]] = {".md": "md", ".markdown": "md", ".html": "html", ".htm": "html"}


def parser() -> argparse.ArgumentParser:
    """Return the command's parser."""
    it = Parser(
        prog="accel report",
        description="Write a report on this machine: what is broken and how to fix it, devices, specs and restrictions "
        "with their sources, versions, and what could not be read. As Markdown for a ticket, or as a "
        "self-contained HTML page. Host and user names, serial numbers, unique IDs, addresses and secrets "
        "are replaced unless --identifiers is given.",
        epilog="Exit codes: 0 the report was written, whatever was found; 2 it could not be written.",
        allow_abbrev=False,
    )
    add_from(it)
    it.add_argument(
        "--format", choices=("md", "html"), help="output format (default: by the extension of --output, else md)"
    )
    it.add_argument("--output", "-o", metavar="FILE", help="write to this file (.md, .html) instead of stdout")
    it.add_argument("--identifiers", action="store_true", help="keep names, serial numbers, unique IDs and addresses")
    it.add_argument("--date", metavar="YYYY-MM-DD", help="apply the export rules in force on this day (default: today)")
    it.add_argument(
        "--to", metavar="COUNTRY", help="destination for the export rules: a country's name or two-letter code"
    )
    it.add_argument("--no-restrictions", action="store_true", help="leave out export rules and technical limits")
    it.add_argument("--python", metavar="PATH", help="inspect this interpreter's packages instead of accel's own")
    it.add_argument("--model", metavar="PATH", help="add whether this model fits the devices, as in accel fit")
    it.add_argument(
        "--bench", metavar="FILE", help="include the results of accel bench --save FILE, and use them in the diagnosis"
    )
    it.add_argument("--context", type=int, metavar="N", help="tokens per sequence for --model")
    add_deep(it)
    add_timeout(it, 20.0)
    return it


def run(words: list[str]) -> int:
    """Write the report; return 0 whatever its content."""
    options = parser().parse_args(words)
    form = _format(options.format, options.output)
    _check_conflicts(options)
    from datetime import datetime, timezone

    import accel
    from accel.apps.cli.output import say_problems
    from accel.apps.render.report.build import report
    from accel.apps.render.report.given import Given
    from accel.diagnose.engine import diagnose
    from accel.facts.questions import Facts
    from accel.plugins.registry import Registry
    from accel.specs.export_rules.restrictions import check_date
    from accel.specs.export_rules.rules import destination

    registry = Registry(os.environ, guarded=True)
    say_problems(registry.specs)
    now = datetime.now(timezone.utc)
    day = options.date or now.date().isoformat()
    if not options.no_restrictions:
        check_date(day)  # before the slow probing of the machine
        destination(registry.specs, options.to)
    bench = _bench(options)
    snapshot = taken_snapshot(options, registry)
    if bench is not None and options.bench not in (options.files or ()):
        from accel.measure.bench.facts import judged_with

        snapshot = judged_with(snapshot, bench, options.bench)
    given = Given(
        facts=Facts(snapshot),
        diagnosis=diagnose(snapshot, registry.specs, registry.checks, registry.rules),
        specs=registry.specs,
        day=None if options.no_restrictions else day,
        destination=options.to,
        identifiers=options.identifiers,
        written_at=now.isoformat(timespec="seconds").replace("+00:00", "Z"),
        accel_version=accel.__version__,
        past=_past(options),
        bench=bench,
        fit=_fit(options, snapshot, registry.specs),
    )
    document = report(given)
    if form == "html":
        from accel.apps.render.report.html import html

        _write(html(document), options.output)
    else:
        from accel.apps.render.report.markdown import markdown

        _write(markdown(document), options.output)
    return 0


def _bench(options: argparse.Namespace) -> "Bench | None":
    """Return the benchmark given; None if none was given. Raises BadInput if it cannot be used."""
    if options.bench is None:
        return None
    from accel.measure.bench.saved import read

    return read(options.bench)


def _fit(options: argparse.Namespace, snapshot: "Snapshot", specs: "Specs") -> "Fit | None":
    """Return whether the given model fits the snapshot's devices; None if none was given."""
    if options.model is None:
        return None
    from accel.apps.fitting import fitted, targets_among
    from accel.footprint.files import shape_of_path
    from accel.footprint.model import Plan

    plan = Plan(context=options.context)
    return fitted(shape_of_path(options.model, specs), plan, targets_among(snapshot.devices, plan), specs)


def _past(options: argparse.Namespace) -> "Condensed | None":
    """Return the history in the recordings among the files; None if there are none."""
    records = [name for name in options.files or () if name != "-" and is_record_file(name)]
    if not records:
        return None
    from accel.machine.live import LiveMachine
    from accel.watch.sampling.condensed import Condensed
    from accel.watch.sampling.record import Record

    past = Condensed(nameless=not options.identifiers)
    for tick in Record(LiveMachine(), records[-1]).ticks():
        past.add(tick)
    return past


def _format(asked: Format | None, path: str | None) -> Format:
    """Return the requested format, or the one of the file name's extension. Raises BadInput for another extension."""
    if asked is not None or path in (None, "-"):
        return asked or "md"
    ending = os.path.splitext(path or "")[1].lower()
    if ending not in _ENDINGS:
        raise BadInput(
            f"--output {path}: its ending tells no format. Let it end in .md or .html, or add  --format md  or  html."
        )
    return _ENDINGS[ending]


def _check_conflicts(options: argparse.Namespace) -> None:
    """Raise BadInput for conflicting options: silently dropping one would be misleading."""
    if options.no_restrictions and (options.date or options.to):
        raise BadInput("--no-restrictions leaves out what --date and --to are for. Give one or the other.")
    if options.files and (options.python or options.deep):
        raise BadInput("--python and --deep look at this machine, and --from reads texts. Give one or the other.")
    check_deep(options, options.files)


def _write(text: str, path: str | None) -> None:
    data = text.encode("utf-8", "replace")  # a page declares UTF-8, whatever the terminal's encoding
    if path in (None, "-"):
        sys.stdout.flush()
        if hasattr(sys.stdout, "buffer"):
            sys.stdout.buffer.write(data)
        else:
            sys.stdout.write(text)
        return
    save(str(path), data, "Give a path that can be written:  -o FILE")
