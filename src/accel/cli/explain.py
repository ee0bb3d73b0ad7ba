"""`accel explain`: a check's code or name, a vendor's fault code, or an error message in one's own words."""

import argparse
import os
import sys

from accel.model.to_builtins import plain


def parser() -> argparse.ArgumentParser:
    """Return the command's parser."""
    it = argparse.ArgumentParser(
        prog="accel explain",
        description="Explain a check (NV001 or driver-too-old), a fault code (79, xid 79), or a pasted error message.",
    )
    it.add_argument("what", nargs="+", metavar="CODE|XID|TEXT", help="what to explain; several words are one text")
    it.add_argument("--json", action="store_true", help="print JSON, for programs")
    return it


def run(words: list[str]) -> int:
    """Explain; 1 if nothing is known about it."""
    options = parser().parse_args(words)
    from accel.explain import explain
    from accel.plugins.registry import Registry

    text = " ".join(options.what)
    found = explain(text, Registry(os.environ, guarded=True))
    if options.json:
        from accel.render.json import dumps

        sys.stdout.write(dumps("accel.explanation/1", about=text, explanations=plain(found)))
    elif found:
        from accel.render.explanation_text import print_explanations

        print_explanations(found)
    else:
        print(
            f"accel: nothing is known about {text!r}. Give a check's code (NV001) or name, an Xid number, or the whole "
            "error message; for a long report use  accel doctor --from FILE",
            file=sys.stderr,
        )
    return 0 if found else 1
