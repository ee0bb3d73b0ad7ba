"""`accel specs`: the spec database: list, find, show, compare, rank, match, age, refresh, validate."""

import argparse
import os
import sys
from typing import TYPE_CHECKING, Any, Final

from accel.apps.cli import specs_refresh
from accel.apps.cli.output import save, say_problems, write_json, write_lines
from accel.apps.cli.parsing import Parser
from accel.model.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Sequence

    from accel.names.meaning import Named
    from accel.plugins.registry import Registry
    from accel.specs import Chip, Specs
    from accel.specs.architectures import Architecture
    from accel.specs.sources import Citation

_SECONDS: Final = 20.0  # for all probes together


def parser() -> argparse.ArgumentParser:
    """Return the command's parser."""
    it = Parser(
        prog="accel specs",
        description="The database of accelerators: memory, peak rates by number format, power, links; with sources.",
        epilog="To add records of your own, set ACCEL_SPECS to a folder laid out like specs/ (see docs/add-a-spec.md).",
    )
    verbs = it.add_subparsers(
        dest="verb", metavar="list|find|show|compare|rank|devices|age|refresh|validate", required=True
    )
    listing = verbs.add_parser("list", help="list every chip, or those that match the filters")
    _add_filters(listing)
    find = verbs.add_parser("find", help="find the chips, or the machine, that a typed or pasted name refers to")
    find.add_argument(
        "name", nargs="+", metavar="NAME", help='"RTX 3060", gfx1100, p5.48xlarge, "GRID A100-10C", a line of lspci'
    )
    show = verbs.add_parser("show", help="show one chip, by any common name")
    show.add_argument("name", nargs="+", metavar="NAME", help='"4090", "h100 sxm", "昇腾910B", "Tesla V100-SXM2-32GB"')
    compare = verbs.add_parser("compare", help="compare chips side by side, with ratios")
    compare.add_argument("names", nargs="+", metavar="NAME", help="two or more names; quote names that contain spaces")
    rank = verbs.add_parser("rank", help="rank chips by one measure")
    rank.add_argument("--by", required=True, metavar="MEASURE", help="bf16, fp16, fp8, memory, bandwidth, bf16/watt …")
    rank.add_argument("--top", type=int, default=20, metavar="N", help="number of rows (default 20)")
    rank.add_argument("--svg", metavar="FILE", help="also write the ranking as an SVG picture")
    _add_filters(rank)
    devices = verbs.add_parser("devices", help="match the devices of this machine, or of a report, to their specs")
    devices.add_argument("--from", dest="files", nargs="+", metavar="FILE", help="read reports instead; - is stdin")
    age = verbs.add_parser("age", help="show when each table was last checked, and the newest release it covers")
    age.add_argument(
        "names", nargs="*", metavar="NAME", help="torch, CUDA, nvidia …: only tables whose name contains this"
    )
    refresh = verbs.add_parser("refresh", help="compare the package tables with the package index; asks first")
    specs_refresh.add_arguments(refresh)
    validate = verbs.add_parser("validate", help="check a folder of specs for mistakes")
    validate.add_argument("folder", nargs="?", metavar="FOLDER", help="folder to check (default: ACCEL_SPECS)")
    for verb in (listing, find, show, compare, rank, devices, age, refresh, validate):
        verb.add_argument("--json", action="store_true", help="print JSON, for programs")
    return it


def run(words: list[str]) -> int:
    """Run the subcommand and return its exit code.

    1 if a name means several products, nothing is stored, or a folder has mistakes; 2 if a name is unknown.
    """
    options = parser().parse_args(words)
    if options.verb == "validate":
        return _validate(options)
    if options.verb == "refresh":
        return specs_refresh.run(options)
    from accel.plugins.registry import Registry

    registry = Registry(os.environ, guarded=True)
    specs = registry.specs
    say_problems(specs)
    verbs = {"list": _list, "find": _find, "show": _show, "compare": _compare, "rank": _rank, "age": _age}
    return _devices(options, registry) if options.verb == "devices" else verbs[options.verb](options, specs)


def find_or_say(specs: "Specs", name: str) -> "tuple[Chip, ...]":
    """Return what the name can mean; if nothing, print suggestions on stderr."""
    return named_or_say(specs, name).chips


def named_or_say(specs: "Specs", name: str) -> "Named":
    """Return what the name means; if nothing, print suggestions on stderr."""
    found = specs.named(name)
    if not found.chips:
        near = specs.near(name)
        meant = f"Near it are: {'; '.join(near)}." if near else "Nothing is near it; see  accel specs list"
        strange = ", ".join(repr(word) for word in found.unknown)
        why = f" Not understood: {strange}." if found.unknown and found.unknown != (name,) else ""
        print(f"accel: no chip is named {name!r}.{why} {meant}", file=sys.stderr)
    return found


def chip_json(specs: "Specs", chip: "Chip") -> dict[str, Any]:
    """Return a chip's record with its rates split up and the formats of its architecture."""
    from accel.model.rates import rates
    from accel.model.to_builtins import plain

    architecture = specs.architecture(chip.vendor, chip.architecture)
    return {**plain(chip), "rates": plain(rates(chip)), "dtypes": plain(architecture.dtypes) if architecture else None}


def _add_filters(it: argparse.ArgumentParser) -> None:
    it.add_argument("--vendor", help="nvidia, amd, ascend, intel, tpu, apple …")
    it.add_argument("--architecture", help="hopper, cdna3, ascend910b …")
    it.add_argument("--year", help="release year: 2023, 2022-2024, 2023-")
    it.add_argument("--dtype", help="number format that it supports: bf16, fp8, int4 …")
    it.add_argument("--memory", metavar="GIB", help="memory in GiB: 24 at least, 24-48 between, -16 at most")


def _selected(options: argparse.Namespace, specs: "Specs") -> "tuple[Chip, ...]":
    from accel.specs.select import select

    chosen = {name: getattr(options, name) for name in ("vendor", "architecture", "year", "dtype", "memory")}
    try:
        return select(specs, **chosen)
    except ValueError as error:
        raise BadInput(f"--year or --memory: {error}.") from None


def _list(options: argparse.Namespace, specs: "Specs") -> int:
    chips = _selected(options, specs)
    if options.json:
        write_json("accel.specs/1", chips=[chip_json(specs, chip) for chip in chips])
    else:
        from accel.apps.render.specs_text import print_list

        print_list(chips)
    return 0 if chips else 1


def _find(options: argparse.Namespace, specs: "Specs") -> int:
    name = " ".join(options.name)
    named = named_or_say(specs, name)
    if options.json:
        write_json(
            "accel.named/1", asked=name, **_meaning(named), chips=[chip_json(specs, chip) for chip in named.chips]
        )
    elif named.chips:
        from accel.apps.render.specs_text import print_meaning

        print_meaning(named)
    return _code(named)


def _code(named: "Named") -> int:
    """Return 0 for one product, 1 for several or a modified card, 2 for none."""
    return {0: 2, 1: int(named.altered is not None)}.get(len(named.chips), 1)


def _meaning(named: "Named") -> dict[str, Any]:
    from accel.model.to_builtins import plain

    machine = plain(named.machine) if named.machine else None
    return {
        "machine": machine,
        "count": named.count,
        "times": named.times,
        "part": named.part,
        "by": named.by or None,
        "aside": list(named.aside),
        "unknown": list(named.unknown),
        "altered": named.altered,
        "each": [
            {"asked": one.asked, "count": one.count, "part": one.part, "chips": [chip.name for chip in one.chips]}
            for one in named.each
        ],
    }


def _show(options: argparse.Namespace, specs: "Specs") -> int:
    name = " ".join(options.name)
    named = named_or_say(specs, name)
    found = named.chips
    if options.json:
        chip = chip_json(specs, found[0]) if len(found) == 1 else None
        names = [other.name for other in found] or list(specs.near(name))
        write_json("accel.spec/1", asked=name, chip=chip, ambiguous=len(found) > 1, candidates=names, **_meaning(named))
    elif found:
        from accel.apps.render.chip_words import meaning_text
        from accel.specs.age import checked_of_vendor, old_check, today

        meaning = meaning_text(named)
        if meaning is not None:
            sys.stdout.write(f"{meaning}\n")
        if len(found) == 1:
            from accel.specs.sources import citations

            architecture = specs.architecture(found[0].vendor, found[0].architecture)
            _show_chip(found[0], architecture, citations(specs, found[0]))
            if (old := old_check(checked_of_vendor(specs, found[0].vendor), today())) is not None:
                sys.stdout.write(f"{old}\n")
        else:
            many = f"{name!r} is the name of {len(found)} products" if meaning is None else f"{len(found)} products"
            sys.stdout.write(f"{many}; name one of them for all of its facts.\n")
            _show_comparison(found)
    return _code(named)


def _show_chip(chip: "Chip", architecture: "Architecture | None", sources: "Sequence[Citation]") -> None:
    if sys.stdout.isatty():
        from accel.apps.render.specs_text import print_chip

        return print_chip(chip, architecture, sources)
    from accel.apps.render.chip_page import chip_page

    return write_lines(chip_page(chip, architecture, sources).lines())


def _show_comparison(chips: "Sequence[Chip]") -> None:
    if sys.stdout.isatty():
        from accel.apps.render.specs_text import print_comparison

        return print_comparison(chips)
    from accel.apps.render.chip_page import comparison_page

    return write_lines(comparison_page(chips).lines())


def _compare(options: argparse.Namespace, specs: "Specs") -> int:
    groups = [find_or_say(specs, name) for name in options.names]
    if not all(groups):
        return 2
    chips = tuple({chip.name: chip for group in groups for chip in group}.values())
    if options.json:
        write_json("accel.comparison/1", chips=[chip_json(specs, chip) for chip in chips])
    else:
        _show_comparison(chips)
    return 0


def _rank(options: argparse.Namespace, specs: "Specs") -> int:
    from accel.apps.render.chip_words import measure_text
    from accel.apps.render.specs_text import print_ladder
    from accel.model.rates import DTYPES, is_measure, measure

    by = options.by.lower()
    if not is_measure(by):
        raise BadInput(
            f"--by {options.by}: no such measure. Give a format ({', '.join(DTYPES)}), memory, bandwidth, tdp or link, "
            "or one by another: bf16/watt."
        )
    chips = _selected(options, specs)
    known = [(chip, value) for chip in chips if (value := measure(chip, by)) is not None]
    known.sort(key=lambda item: (-item[1], item[0].name))
    ladder = known[: max(1, options.top)]
    texts = [measure_text(value, by) for _, value in ladder]
    if options.svg:
        from accel.apps.render.report.ladder_svg import ladder_svg

        rows = [(chip.name, value, text) for (chip, value), text in zip(ladder, texts, strict=True)]
        save(options.svg, ladder_svg(f"Accelerators by {by} (dense)", rows))
    if options.json:
        ranked = [{"name": chip.name, "vendor": chip.vendor, "value": value} for chip, value in ladder]
        write_json("accel.ladder/1", by=by, ladder=ranked, left_out=len(chips) - len(known))
    else:
        print_ladder(ladder, texts, by, len(chips) - len(known))
    return 0 if ladder else 1


def _age(options: argparse.Namespace, specs: "Specs") -> int:
    from accel.specs.age import ages

    wanted = [name.lower() for name in options.names]
    found = [age for age in ages(specs) if not wanted or any(name in age.subject.lower() for name in wanted)]
    if not found:
        raise BadInput(f"No table has {', '.join(options.names)} in its name. List them all:  accel specs age")
    if options.json:
        from accel.model.to_builtins import plain

        write_json("accel.spec_ages/1", ages=plain(found))
    else:
        from accel.apps.render.specs_text import print_ages

        print_ages(found)
    return 0


def _devices(options: argparse.Namespace, registry: "Registry") -> int:
    if options.files:
        from accel.apps.cli.source import read_files
        from accel.facts.questions import Facts

        devices = Facts(read_files(options.files, registry)).devices
    else:
        from accel.collect.deadline import check_in_time
        from accel.collect.live import reports
        from accel.machine.live import LiveMachine
        from accel.model.merge import merged_devices

        found = reports(LiveMachine(), registry, depth="devices", isolate=True, timeout_seconds=_SECONDS)
        check_in_time(found)
        devices = merged_devices(found)[0]
    from accel.specs.matching import chip_of

    specs = registry.specs
    whole = [device for device in devices if device.is_top_level and device.kind != "cpu"]
    chips = [chip_of(specs, device) for device in whole]
    if options.json:
        rows = [
            {"id": device.id, "name": device.name, "chip": chip_json(specs, chip) if chip else None}
            for device, chip in zip(whole, chips, strict=True)
        ]
        write_json("accel.device_specs/1", devices=rows)
    elif whole:
        from accel.apps.render.specs_text import print_matches

        print_matches([(device.id, device.name, chip) for device, chip in zip(whole, chips, strict=True)])
    else:
        sys.stdout.write("No accelerator was found. Find out why:  accel doctor\n")
    return 0


def _validate(options: argparse.Namespace) -> int:
    from accel.specs.load import Specs
    from accel.specs.store import bundled, user_folder
    from accel.specs.validate import odd_figures, problems

    folder = options.folder or os.environ.get("ACCEL_SPECS")
    if not folder:
        raise BadInput("No folder to look at. Name one:  accel specs validate FOLDER, or set ACCEL_SPECS.")
    found = problems(folder)
    odd = [] if found else odd_figures(folder)
    changed = Specs((bundled(), user_folder(folder)), checked=False).contradictions
    if options.json:
        write_json("accel.spec_problems/1", folder=folder, problems=found, odd=odd, changed=changed)
    else:
        write_lines(found or [f"{folder}: no mistake was found."])
        write_lines(f"changed: {sentence}" for sentence in changed)
        write_lines(f"odd: {sentence}" for sentence in odd)
    return 1 if found else 0
