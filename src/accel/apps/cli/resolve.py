"""`accel resolve`: which release and build fits this machine, and the command that installs it."""

import argparse
import sys
from typing import Any

from accel.apps.cli.output import write_json, write_lines
from accel.apps.cli.parsing import Parser
from accel.apps.cli.source import add_source_options, read_files, stranger_bytes
from accel.model.errors import BadInput

_EPILOG = """examples:
  accel resolve torch torchvision
  accel resolve torch==2.4.0 --installer uv
  accel resolve torch --gpu "RTX 5090" --driver 570 --python 3.12 --os linux --arch x86_64 --libc 2.31
  accel resolve vllm --from report.txt
  accel resolve vllm for an RTX 5090 on Windows 11 with Python 3.13
  accel resolve --requirements requirements.txt
  accel resolve --variants torch-2.9.0-variants.json

With --gpu the machine is what the options say; without, they change this machine or that of --from.
Exit codes: 0 something fits, 1 nothing fits, 2 wrong input."""


def parser() -> argparse.ArgumentParser:
    """Return the command's parser."""
    it = Parser(
        prog="accel resolve",
        description="Find the release and build of a framework that fits this machine, and the command that installs "
        "it.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    it.add_argument(
        "packages",
        nargs="*",
        metavar="PACKAGE",
        help="torch, jax, vllm …, with or without versions; or a whole sentence",
    )
    add_source_options(it)
    it.add_argument("--requirements", metavar="FILE", help="check the pins of a requirements or lock file; - is stdin")
    it.add_argument(
        "--variants", metavar="FILE", help="show which wheel variant of an index this machine would get, and why"
    )
    it.add_argument(
        "--installer", choices=("pip", "uv", "conda"), default="pip", help="installer to print the command for"
    )
    it.add_argument("--variant", metavar="NAME", help="only this build: cu126, cuda12, rocm7.2, xpu, cpu")
    what_if = it.add_argument_group("another machine")
    what_if.add_argument(
        "--gpu", action="append", default=[], metavar="NAME", help='"RTX 5090", "4x H100", 8.6, gfx1100, none'
    )
    what_if.add_argument("--driver", metavar="VERSION", help="driver version: 570.86 or 570")
    what_if.add_argument("--python", metavar="VERSION|PATH", help="3.12, 3.13t, or the path of an interpreter")
    what_if.add_argument(
        "--cuda", metavar="VERSION", help="the CUDA version that nvidia-smi prints, if the driver is unknown: 12.2"
    )
    what_if.add_argument(
        "--os",
        dest="system",
        metavar="NAME",
        help="linux, windows, macos, wsl, or a release such as Ubuntu 22.04, CentOS 7",
    )
    what_if.add_argument("--arch", dest="machine", metavar="NAME", help="x86_64 or aarch64")
    what_if.add_argument("--libc", metavar="VERSION", help="version of glibc, such as 2.31, or musl")
    what_if.add_argument("--stack", metavar="NAME=VERSION", help="version of a vendor's software stack: cann=8.0.0")
    it.add_argument("--index", choices=("pypi",), help="only builds from this index")
    it.add_argument("--verbose", action="store_true", help="also show every rejected candidate")
    return it


def run(words: list[str]) -> int:
    """Resolve; return 1 if nothing fits."""
    options = parser().parse_args(words)
    if options.variants is not None:
        if options.packages or options.requirements:
            raise BadInput("--variants names a release's index by itself: leave packages and --requirements out.")
        return _variants(options)
    if not options.packages and not options.requirements:
        raise BadInput("Nothing was requested. Name packages:  accel resolve torch , or use --requirements FILE")
    from accel.apps.cli.output import show_warnings_in_one_line
    from accel.apps.resolving import resolve

    show_warnings_in_one_line()
    resolution = resolve(
        options.packages,
        requirements=_text(options.requirements) if options.requirements else None,
        installer=options.installer,
        variant=options.variant,
        index=options.index,
        **_machine(options),
    )
    if options.json:
        from accel.apps.render.json import resolution_json

        sys.stdout.write(resolution_json(resolution))
    else:
        from accel.apps.render.resolution_text import resolution_text

        sys.stdout.write(resolution_text(resolution, verbose=options.verbose))
    return 0 if resolution.fits else 1


def _machine(options: argparse.Namespace) -> dict[str, Any]:
    """Return the machine described by the options, as arguments of `accel.resolve`."""
    snapshot = None
    if options.files:
        import os

        from accel.plugins.registry import Registry

        snapshot = read_files(options.files, Registry(os.environ, guarded=True))
    told = {name: getattr(options, name) for name in ("driver", "python", "system", "machine", "libc", "stack", "cuda")}
    return {"of": snapshot, "gpus": options.gpu, **told}


def _variants(options: argparse.Namespace) -> int:
    """Show which published variant fits; return 1 if none does."""
    import json

    from accel.apps.render.resolution_text import variants_lines
    from accel.apps.resolving import published_variants

    shown = "stdin" if options.variants == "-" else options.variants
    try:
        document = json.loads(_text(options.variants))
    except ValueError as error:
        raise BadInput(f"{shown}: it is not JSON ({error}). Pass a NAME-VERSION-variants.json.") from None
    except RecursionError:
        raise BadInput(f"{shown}: it nests too deep for an index of variants.") from None
    try:
        found = published_variants(document, **_machine(options))
    except BadInput as error:
        raise BadInput(f"{shown}: {error}") from None
    if options.json:
        from accel.model.to_builtins import plain

        write_json("accel.variants/1", variants=plain(found))
    else:
        write_lines(variants_lines(found, verbose=options.verbose))
    return 0 if any(one.fits for one in found) else 1


def _text(name: str) -> str:
    from accel.collect.text import decode_bytes

    data, whole = stranger_bytes(name)
    if not whole:
        shown = "stdin" if name == "-" else name
        raise BadInput(f"{shown}: longer than any list of requirements. Give the file of one environment.")
    return decode_bytes(name, data)
