"""`accel require`: whether this machine meets a program's requirements, and why not."""

import argparse
from typing import Any

from accel.apps.cli.output import write_json
from accel.apps.cli.parsing import Parser
from accel.apps.cli.source import add_timeout

_EPILOG = """examples:
  accel require
  accel require pyproject.toml --json
  accel require --vendor nvidia --count 2 --memory 16GiB --dtype bf16
  accel require --framework "torch>=2.4:cu12*" --links nvlink

Without a file and options: accel.yaml of this folder, else [tool.accel] of its pyproject.toml.
Exit codes: 0 met, 1 not met, 2 wrong input."""


def parser() -> argparse.ArgumentParser:
    """Return the command's parser."""
    it = Parser(
        prog="accel require",
        description="Check that this machine has what a program needs: the devices that qualify, or why none does.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    it.add_argument("file", nargs="?", metavar="FILE", help="accel.yaml, or pyproject.toml with a [tool.accel] table")
    it.add_argument("--vendor", action="append", metavar="NAME", help="nvidia, amd, ascend …; several: any of them")
    it.add_argument("--kind", metavar="KIND", help="gpu, npu or tpu")
    it.add_argument("--count", type=int, metavar="N", help="number of devices (default 1)")
    it.add_argument("--memory", metavar="AMOUNT", help="total memory of each device: 16GiB")
    it.add_argument("--capability", metavar="VERSION", help="at least this compute capability: 8.0")
    it.add_argument("--dtype", action="append", metavar="NAME", help="bf16, fp8 …; several: all of them")
    it.add_argument("--driver", metavar="BOUNDS", help='">=550"')
    it.add_argument("--framework", action="append", default=[], metavar="BOUNDS[:BUILD]", help='"torch>=2.4:cu12*"')
    it.add_argument("--links", metavar="KIND", help="link that connects every pair of devices: nvlink, xgmi, hccs")
    it.add_argument("--shm", metavar="AMOUNT", help="least size of /dev/shm")
    it.add_argument("--memlock", metavar="AMOUNT", help="least limit of locked memory, or unlimited")
    it.add_argument("--json", action="store_true", help="print JSON, for programs")
    add_timeout(it, 20.0)
    return it


def run(words: list[str]) -> int:
    """Check; return the exit code described in --help."""
    options = parser().parse_args(words)
    from accel.apps import api
    from accel.apps.sdk.requirements import default_file, require
    from accel.model.errors import BadInput, RequirementUnmet

    given = _given(options)
    file = options.file or (None if given else default_file())
    if file is None and not given:
        raise BadInput("Say what is required, or give accel.yaml, or pyproject.toml with a table [tool.accel].")
    before = api._doors().configured
    api.configure(timeout_seconds=options.timeout)
    try:
        found = require(file=file, **given)
    except RequirementUnmet as unmet:
        if options.json:
            _write(met=False, devices=[], reasons=unmet.reasons, message=str(unmet))
        else:
            print(unmet)
        return 1
    finally:
        api._doors().configured = before
    if options.json:
        _write(met=True, devices=[device.id for device in found], reasons={}, message=None)
    else:
        print(f"Met by {', '.join(device.id for device in found)}.")
    return 0


def _given(options: argparse.Namespace) -> dict[str, Any]:
    names = ("vendor", "kind", "count", "memory", "capability", "dtype", "driver", "links", "shm", "memlock")
    given = {name: value for name in names if (value := getattr(options, name)) is not None}
    if options.framework:
        given["frameworks"] = dict(_framework(text) for text in options.framework)
    return given


def _framework(text: str) -> tuple[str, dict[str, str]]:
    """Return the framework of "torch>=2.4:cu12*", and its requirements."""
    import re

    bounds, _, build = text.partition(":")
    found = re.match(r"\s*([\w.-]+?)\s*((?:[<>=!~].*)?)$", bounds)
    name, version = (found[1], found[2]) if found else (bounds, "")
    return name, {**({"version": version} if version else {}), **({"build": build} if build else {})}


def _write(**members: Any) -> None:
    write_json("accel.require/1", **members)
