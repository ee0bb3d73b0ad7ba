"""`accel explain`: a check's code or name, an error's number or name, or an error message in the user's words."""

import argparse
import os
import sys

from accel.apps.cli.output import write_json
from accel.apps.cli.parsing import Parser
from accel.model.errors import BadInput
from accel.model.to_builtins import plain


def parser() -> argparse.ArgumentParser:
    """Return the command's parser."""
    it = Parser(
        prog="accel explain",
        description="Explain a check (NV001 or driver-too-old), an error by its number or name (cuda 802, xid 79, "
        "EI0006, ENOMEM), or a pasted error message.",
        epilog="exit code: 0 explained, 2 nothing known about it",
    )
    it.add_argument(
        "what", nargs="+", metavar="CODE|NAME|TEXT", help="what to explain; several words are taken as one text"
    )
    it.add_argument("--json", action="store_true", help="print JSON, for programs")
    return it


def run(words: list[str]) -> int:
    """Explain; return 2 if nothing is known about it."""
    options = parser().parse_args(words)
    from accel.apps.explain import explain, near
    from accel.plugins.registry import Registry

    text = " ".join(options.what)
    if not text.strip():
        raise BadInput("Nothing was given to explain. Give a code, a name or a message:  accel explain xid 79")
    registry = Registry(os.environ, guarded=True)
    found = explain(text, registry)
    if options.json:
        write_json("accel.explanation/1", about=text, explanations=plain(found))
    elif found:
        from accel.apps.render.explanation_text import print_explanations

        print_explanations(found)
    else:
        alike = near(text, registry)
        hint = f"Near it are: {', '.join(alike)}. " if alike else ""
        print(
            f"accel: nothing is known about {text!r}. {hint}Pass a check's code (NV001) or name, an error's name, its "
            "number with its library (cuda 802, xid 79), or the whole message; for a long report  accel doctor FILE",
            file=sys.stderr,
        )
    return 0 if found else 2
