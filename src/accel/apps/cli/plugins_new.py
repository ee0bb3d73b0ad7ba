"""`accel plugins new`: create a complete, installable plugin from a template."""

import argparse
import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from accel.apps.cli.output import write_json
from accel.model.errors import BadInput

if TYPE_CHECKING:
    from accel.kit.scaffold import Choices


def add(actions: Any) -> None:
    """Add the action's options."""
    it: argparse.ArgumentParser = actions.add_parser(
        "new",
        help="create a new plugin, complete and installable",
        description="Create a new plugin, complete and installable: backend, reader, check, spec, recorded machines, "
        "tests, CI. It lists one simulated device right away; its README says what to change, in which "
        "order. With --data it is YAML only, and lists the devices of a text that it ships.",
        epilog="The tutorials are docs/add-a-backend.md and docs/data-only-plugin.md.",
    )
    it.add_argument("name", metavar="NAME", help='name of the plugin and its devices: "acme" gives acme:0, accel_acme')
    it.add_argument(
        "--vendor", metavar="NAME", help='the maker, as people write it: "Acme Corp" (default: made of NAME)'
    )
    it.add_argument(
        "--kind",
        choices=("gpu", "npu", "tpu", "accelerator"),
        default="accelerator",
        help="kind of device (default: accelerator)",
    )
    it.add_argument("--prefix", metavar="XY", help="two letters that start its check codes (default: an unused pair)")
    it.add_argument(
        "--data",
        action="store_true",
        help="YAML only, no code: how a tool is called and parsed, and what its faults mean",
    )
    it.add_argument("--output", metavar="FOLDER", help="folder to create (default: accel-NAME in this folder)")
    it.add_argument("--json", action="store_true", help="print JSON, for programs")


def run(options: argparse.Namespace) -> int:
    """Write all of the plugin or nothing; return 0."""
    from datetime import datetime, timezone

    from accel import __version__
    from accel.kit.scaffold import choices, files
    from accel.plugins.registry import Registry

    registry = Registry(os.environ, guarded=True)
    chosen = choices(
        options.name,
        vendor=options.vendor,
        kind=options.kind,
        prefix=options.prefix,
        data=options.data,
        taken_names={plugin.name for plugin in registry.plugins},
        taken_prefixes={check.code[:2] for check in registry.checks},
    )
    folder = Path(options.output or chosen.distribution)
    texts = files(chosen, accel_version=__version__, month=datetime.now(timezone.utc).strftime("%Y-%m"))
    try:
        _refuse_to_overwrite(folder)
        _write(folder, texts)
    except OSError as error:
        place, reason = error.filename or folder, error.strerror or error
        raise BadInput(f"{place}: {reason}. Name a folder that can be written:  --output FOLDER") from None
    if options.json:
        write_json("accel.new_plugin/1", name=chosen.name, folder=str(folder), files=list(texts))
    else:
        sys.stdout.write(_next_steps(chosen, folder, len(texts)))
    return 0


def _refuse_to_overwrite(folder: Path) -> None:
    """Raise BadInput if the folder has content; an empty one is fine, and so is a repository without files."""
    empty = folder.is_dir() and all(path.name == ".git" for path in folder.iterdir())
    if os.path.lexists(folder) and not empty:
        raise BadInput(f"{folder} is there already, and nothing was written. Name another:  --output FOLDER")


def _write(folder: Path, texts: Mapping[str, str]) -> None:
    """Write all files, or leave none behind."""
    written: list[Path] = []
    try:
        for name, text in texts.items():
            written.append(folder / name)
            written[-1].parent.mkdir(parents=True, exist_ok=True)
            written[-1].write_text(text, encoding="utf-8", newline="\n")
    except OSError:
        for path in written:
            with suppress(OSError):
                path.unlink()
        raise


def _next_steps(chosen: "Choices", folder: Path, count: int) -> str:
    import shlex

    steps = (
        (f"cd {shlex.quote(str(folder))}", ""),
        ('pip install -e ".[test]"', ""),
        *(_of_data(chosen) if chosen.data else _of_code(chosen)),
    )
    width = max(len(command) for command, _ in steps)
    lines = [f"  {command:<{width}}   {says}".rstrip() for command, says in steps]
    return "\n".join(
        [
            f"{folder}: a plugin for {chosen.vendor}, {count} files. Check that it works:",
            "",
            *lines,
            "",
            'Then make it true, part by part: README.md, "What to change, in this order".',
            "",
        ]
    )


def _of_code(chosen: "Choices") -> tuple[tuple[str, str], ...]:
    return (
        ("accel devices", f"shows {chosen.vendor} X1 (simulated)"),
        (f"accel plugins check {chosen.name}", "the conformance kit"),
        ("pytest", "its own tests, and the kit"),
    )


def _of_data(chosen: "Choices") -> tuple[tuple[str, str], ...]:
    """Return the next steps for a YAML plugin, whose code never runs: it shows what it reads, without simulations."""
    texts = f"src/{chosen.package}/machines/texts"
    return (
        (f"accel devices --from {texts}/list.txt", "two devices"),
        (f"accel doctor --from {texts}/fault.txt", "a fault"),
        (f'accel explain "{chosen.name.upper()} 31"', "its code"),
        (f"accel plugins check {chosen.name}", "the kit"),
        ("pytest", "all of it"),
    )
