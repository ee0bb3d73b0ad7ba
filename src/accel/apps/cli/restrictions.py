"""`accel restrictions`: which export rules and technical limits apply to a chip, with the arithmetic."""

import argparse
import os
import sys
from typing import TYPE_CHECKING, Final

from accel.apps.cli.parsing import Parser

if TYPE_CHECKING:
    from accel.plugins.registry import Registry
    from accel.specs.export_rules.restrictions import Restrictions

_SECONDS: Final = 20.0  # for all probes together


def parser() -> argparse.ArgumentParser:
    """Return the command's parser."""
    it = Parser(
        prog="accel restrictions",
        description="Show which U.S. export rules apply to a chip on a given day, with every step of the arithmetic, "
        "and the chip's technical limits. Not legal advice.",
    )
    it.add_argument("chip", nargs="*", metavar="CHIP", help="product name (default: this machine's devices)")
    it.add_argument("--date", metavar="YYYY-MM-DD", help="apply the rules in force on this day (default: today)")
    it.add_argument("--to", metavar="COUNTRY", help="destination: a country's name or two-letter code (default: China)")
    it.add_argument(
        "--from", dest="files", nargs="+", metavar="FILE", help="use the devices of these reports; - is stdin"
    )
    it.add_argument("--sources", action="store_true", help="also print the source of every rule and limit")
    it.add_argument("--json", action="store_true", help="print JSON, for programs")
    return it


def run(words: list[str]) -> int:
    """Judge; return 1 if a licence is needed or the result is undecided, 2 if the chip is unknown."""
    options = parser().parse_args(words)
    from accel.apps.cli.output import say_problems, write_json
    from accel.apps.cli.specs import named_or_say
    from accel.plugins.registry import Registry
    from accel.specs.age import today
    from accel.specs.export_rules.restrictions import restrictions_of, verdicts

    registry = Registry(os.environ, guarded=True)
    say_problems(registry.specs)
    day, name = options.date or today().isoformat(), " ".join(options.chip)
    if options.chip:
        named = named_or_say(registry.specs, name)
        found = [restrictions_of(registry.specs, chip, day, options.to) for chip in named.chips]
    else:
        found = _of_devices(options, registry, day)
    if options.json:
        from accel.model.to_builtins import plain
        from accel.specs.export_rules.evaluate import NOTICE
        from accel.specs.export_rules.restrictions import SCHEMA

        write_json(SCHEMA, date=day, notice=NOTICE, results=plain(found))
    elif found:
        from accel.apps.render.chip_words import meaning_text
        from accel.apps.render.restrictions_text import print_restrictions

        if options.chip and (meaning := meaning_text(named)) is not None:
            sys.stdout.write(f"{meaning}\n")
        print_restrictions(found, options.sources, verdicts(name, found) if name else "")
    elif not options.chip:
        sys.stdout.write("No accelerator with a known spec was found. Name a chip:  accel restrictions H100\n")
    if options.chip and not found:
        return 2
    return 0 if found and all(item.export.licence == "not needed by these rules" for item in found) else 1


def _of_devices(options: argparse.Namespace, registry: "Registry", day: str) -> "list[Restrictions]":
    from accel.facts.export_context import surroundings
    from accel.facts.questions import Facts
    from accel.specs.export_rules.restrictions import restrictions_of
    from accel.specs.matching import chip_of

    if options.files:
        from accel.apps.cli.source import read_files

        facts = Facts(read_files(options.files, registry))
    else:
        from accel.machine.live import LiveMachine
        from accel.watch.holders.snapshot import snapshot

        facts = Facts(snapshot(LiveMachine(), registry, isolate=True, timeout_seconds=_SECONDS))
    found = []
    for device in facts.accelerators:
        chip = chip_of(registry.specs, device) if device.is_top_level else None
        if chip is not None:
            around = surroundings(facts, device)
            found.append(restrictions_of(registry.specs, chip, day, options.to, around, device.id))
        elif device.is_top_level:
            print(f"accel: {device.id}: {device.name or 'its name'} is not known, so not judged", file=sys.stderr)
    return found
