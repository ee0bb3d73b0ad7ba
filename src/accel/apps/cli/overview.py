"""`accel` without a command: help, version, and suggestions for a mistyped command."""

import argparse
import difflib
import sys
from collections.abc import Mapping
from typing import Final

import accel
from accel.apps.cli.parsing import near_option

_COMMON_OPTIONS: Final = ("--json", "--from", "--timeout", "--verbose")
# Names in other tools.
_SAME: Final = {
    "monitor": "watch",
    "mon": "watch",
    "status": "devices",
    "list": "devices",
    "info": "devices",
    "gpus": "devices",
    "check": "doctor",
    "diagnose": "doctor",
    "install": "resolve",
    "topo": "topology",
    "metrics": "serve",
    "version": "--version",
}


def overview(words: list[str], commands: Mapping[str, str]) -> int:
    """Print help or the version, or a suggestion; return the exit code. commands: each with its description."""
    if words in (["--version"], ["-V"]):
        print(f"accel {accel.__version__}")
        return 0
    if len(words) > 1 and words[0] == "help" and words[1] in commands:
        import importlib

        importlib.import_module(f"accel.apps.cli.{words[1]}").parser().print_help()
        return 0
    if words[:1] == ["help"]:
        words = words[1:]
    if words and words[0] not in ("-h", "--help"):
        hint = f" Did you mean  accel {meant} ?" if (meant := _meant(words[0], commands)) else ""
        print(f"accel: there is no command {words[0]!r}.{hint} Try  accel --help", file=sys.stderr)
        return 2
    parser(commands).print_help()
    return 0


def _meant(word: str, commands: Mapping[str, str]) -> str | None:
    """Return the command that a mistyped word, or an option in its place, probably means."""
    if word.startswith("-"):
        near = near_option(word, ["--help", "--version", *_COMMON_OPTIONS])
        return f"COMMAND {near}" if near in _COMMON_OPTIONS else near
    return _SAME.get(word.lower()) or next(iter(difflib.get_close_matches(word, commands, 1)), None)


def parser(commands: Mapping[str, str]) -> argparse.ArgumentParser:
    """Return the parser that generates the help page."""
    width = max(map(len, commands))
    lines = "\n".join(f"  {name:{width}}  {says}" for name, says in commands.items())
    it = argparse.ArgumentParser(
        prog="accel",
        usage="accel COMMAND [options]",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Find every accelerator in a machine, and diagnose what is broken.",
        epilog=f"commands:\n{lines}\n\nStart with  accel doctor .  Every command has --help, and -v or -vv to\n"
        "log on stderr which files it reads and which commands it runs, with timings.\n"
        "Exit codes: 0 clear, 1 something found, 2 accel failed, 3 undecided.",
    )
    it.add_argument("-V", "--version", action="store_true", help="print accel's version and exit")
    return it
